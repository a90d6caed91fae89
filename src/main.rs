//! Posepress: the window without a command, the command line with one.

use clap::Parser as _;
use posepress::cli::{self, Args, Failure};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(e) => {
            // clap exits with 2 on wrong usage; 2 means an unreadable file here.
            let code = u8::from(e.use_stderr());
            let _ = e.print();
            return ExitCode::from(code);
        }
    };
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.text.is_empty() {
                eprintln!("posepress: {failure}");
            }
            ExitCode::from(failure.code)
        }
    }
}

fn run(args: Args) -> Result<(), Failure> {
    match args.command {
        Some(command) => cli::run(&command),
        None => Err(Failure::usage("this build has no window")),
    }
}
