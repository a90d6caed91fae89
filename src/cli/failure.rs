use std::fmt;

/// Why a command ended otherwise than well: one line for a person, one number for a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The exit code, see the module.
    pub code: u8,
    /// What, where, what to do.
    pub text: String,
}

impl Failure {
    /// The command's words do not make sense.
    pub fn usage(text: impl Into<String>) -> Self {
        Self {
            code: 1,
            text: text.into(),
        }
    }

    /// A file cannot be read.
    pub fn unreadable(error: impl fmt::Display) -> Self {
        Self {
            code: 2,
            text: error.to_string(),
        }
    }

    /// The measured error is above what was asked for.
    pub fn over_target(text: impl Into<String>) -> Self {
        Self {
            code: 3,
            text: text.into(),
        }
    }

    /// A file cannot be written.
    pub fn unwritable(error: impl fmt::Display) -> Self {
        Self {
            code: 4,
            text: error.to_string(),
        }
    }

    /// An approval is no longer about what would ship.
    pub fn stale(text: impl Into<String>) -> Self {
        Self {
            code: 5,
            text: text.into(),
        }
    }

    /// The program itself is at fault.
    pub fn fault(text: impl fmt::Display) -> Self {
        Self {
            code: 101,
            text: text.to_string(),
        }
    }

    /// Standard output failed. That whoever read it has gone is no fault.
    pub(super) fn output(error: &std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Self {
                code: 0,
                text: String::new(),
            };
        }
        Self::unwritable(format!(
            "standard output cannot be written: {error}; send it elsewhere"
        ))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
