//! How far a long job is, for a person who watches.

use super::harmless;
use crate::codec::Control;
use std::io::{IsTerminal as _, Write as _, stderr};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// A job that is done sooner says nothing.
const PATIENCE: Duration = Duration::from_secs(1);

const EVERY: Duration = Duration::from_millis(200);

/// Runs a job; where it takes long and standard error is a terminal, a line there says how far it is, and goes away
/// at the end.
pub(super) fn watched<R>(what: &str, control: &Control, job: impl FnOnce() -> R) -> R {
    if !stderr().is_terminal() {
        return job();
    }
    let (done, wait) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut pause = PATIENCE;
            let mut width = 0;
            while wait.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                pause = EVERY;
                let line = line(what, control.progress());
                width = line.chars().count();
                let _ = write!(stderr().lock(), "\r{line}");
            }
            let _ = write!(stderr().lock(), "\r{:width$}\r", "");
        });
        let result = job();
        drop(done);
        result
    })
}

fn line(what: &str, progress: f32) -> String {
    format!("{} … {:3.0} %", harmless(what), 100.0 * progress)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_harmless_and_says_how_far() {
        assert_eq!(line("Walk", 0.25), "Walk …  25 %");
        assert_eq!(line("a\u{1b}[2Jb", 1.0), "a\\u{1b}[2Jb … 100 %");
    }

    #[test]
    fn the_job_is_run_once() {
        let mut runs = 0;
        let answer = watched("job", &Control::default(), || {
            runs += 1;
            7
        });
        assert_eq!((answer, runs), (7, 1));
    }
}
