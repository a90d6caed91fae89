//! The command line: the same library as the window, without one.
//!
//! Exit codes: 0 fine, 1 wrong usage, 2 a file cannot be read, 3 over the target (nothing was written
//! unless that was asked for), 4 a file cannot be written, 5 an approval is stale, 101 a fault of the program.

mod approved;
mod args;
mod byte_budget;
mod check;
mod compare;
mod compress;
mod contacts;
mod decided;
mod failure;
mod info;
mod measure;
mod npy;
mod open;
mod output;
mod progress;
mod report;
mod sample;

use std::io::Write as _;

pub use args::{Args, Command, SheetArg, ShotArgs, ViewArg, WorkspaceArg};
pub use failure::Failure;
pub use open::must_exist;

/// Names come from files: what in them would steer a terminal is written out instead.
fn harmless(text: &str) -> String {
    let steers = |c: char| c.is_control() && c != '\n';
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Prints to standard output.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(harmless(text).as_bytes());
    let written = written.and_then(|()| out.flush());
    written.map_err(|e| Failure::output(&e))
}

/// Prints a line to standard error. Where that is closed, nobody wants to know.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", harmless(line));
}

/// Runs a command that needs no window; prints to standard output.
pub fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Info(a) => info::run(a),
        Command::Compress(a) => compress::run(a),
        Command::Export(a) => compress::run_export(a),
        Command::Measure(a) => measure::run(a),
        Command::Contacts(a) => contacts::run(a),
        Command::Check(a) => check::run(a),
        Command::Sample(a) => sample::run(a),
        Command::Shot(_) => Err(Failure::usage(
            "shot opens the window; this build has none (feature `gui`)",
        )),
    }
}
