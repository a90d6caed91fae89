//! The command line: the same library as the window, without one.
//!
//! Exit codes: 0 fine, 1 wrong usage, 2 a file cannot be read, 3 over the target, 4 a file cannot be
//! written, 5 an approval is stale.

mod args;
mod compress;
mod failure;
mod info;
mod measure;
mod npy;
mod open;
mod report;
mod sample;

pub use args::{Args, Command, ShotArgs, ViewArg};
pub use failure::Failure;

/// Runs a command that needs no window; prints to standard output.
pub fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Info(a) => info::run(a),
        Command::Compress(a) => compress::run(a),
        Command::Export(a) => compress::run_export(a),
        Command::Measure(a) => measure::run(a),
        Command::Sample(a) => sample::run(a),
        Command::Shot(_) => Err(Failure::usage(
            "shot opens the window; this build has none (feature `gui`)",
        )),
    }
}
