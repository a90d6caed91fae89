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
                cli::say(&format!("posepress: {failure}"));
            }
            ExitCode::from(failure.code)
        }
    }
}

fn run(args: Args) -> Result<(), Failure> {
    match args.command {
        #[cfg(feature = "gui")]
        Some(cli::Command::Shot(shot)) => window::shot(shot),
        Some(command) => cli::run(&command),
        None => {
            // A command that is misspelt looks like a file, too.
            cli::must_exist(&args.files)?;
            window::open(args.files)
        }
    }
}

#[cfg(feature = "gui")]
mod window {
    use posepress::cli::{self, Failure, SheetArg, ShotArgs, ViewArg, WorkspaceArg};
    use posepress::gui::shell::Sheet;
    use posepress::gui::state::{Compare, Workspace};
    use posepress::gui::{self, Ended, Shot, WindowOptions};
    use std::path::PathBuf;

    pub fn open(files: Vec<PathBuf>) -> Result<(), Failure> {
        gui::run(WindowOptions {
            files,
            ..WindowOptions::default()
        })
        .map_err(|e| failure(e, Failure::unreadable))
    }

    /// A failure with a code for what was to be done, but for a fault of the program.
    fn failure(ended: Ended, failed: impl Fn(String) -> Failure) -> Failure {
        match ended {
            Ended::Failed(text) => failed(text),
            Ended::Fault(fault) => Failure::fault(fault),
        }
    }

    pub fn shot(args: ShotArgs) -> Result<(), Failure> {
        let view = match args.view {
            ViewArg::Split => Compare::Split,
            ViewArg::Overlay => Compare::Overlay,
        };
        let workspace = match args.workspace {
            WorkspaceArg::Review => Workspace::Review,
            WorkspaceArg::Clips => Workspace::Clips,
        };
        let size = [args.size.0, args.size.1];
        let shot = Shot {
            path: args.output,
            clip: args.clip,
            frame: args.frame,
            joint: args.joint,
            view,
            workspace,
            size,
            light: args.light,
            sheet: args.sheet.map(|sheet| match sheet {
                SheetArg::Open => Sheet::Open,
                SheetArg::Export => Sheet::Export,
            }),
        };
        let files: Vec<PathBuf> = args.file.into_iter().collect();
        cli::must_exist(&files)?;
        gui::run(WindowOptions {
            files,
            shot: Some(shot),
            ..WindowOptions::default()
        })
        .map_err(|e| failure(e, Failure::unwritable))
    }
}

#[cfg(not(feature = "gui"))]
mod window {
    use posepress::cli::Failure;
    use std::path::PathBuf;

    pub fn open(_files: Vec<PathBuf>) -> Result<(), Failure> {
        Err(Failure::usage(
            "this build has no window; build it with the feature `gui`, or see --help",
        ))
    }
}
