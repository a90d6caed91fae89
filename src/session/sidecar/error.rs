use std::fmt;
use std::path::{Path, PathBuf};

/// Why the decisions in a file are not used. The file itself is left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SidecarError {
    /// The file.
    pub path: PathBuf,
    /// Where in it, as `clips.Walk.settings.shell_m` or a line; may be empty.
    pub place: String,
    /// What is wrong.
    pub text: String,
    /// What to do.
    pub hint: &'static str,
}

/// What a person can do about most of it.
const CORRECT: &str = "correct it or move the file away; it is left as it is";

/// A [`SidecarError`] before it is known in which file.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) place: String,
    pub(super) text: String,
    pub(super) hint: &'static str,
}

impl Fault {
    pub(super) fn new(place: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            text: text.into(),
            hint: CORRECT,
        }
    }

    pub(super) fn hint(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }

    pub(super) fn into_error(self, path: &Path) -> SidecarError {
        SidecarError {
            path: path.to_owned(),
            place: self.place,
            text: self.text,
            hint: self.hint,
        }
    }
}

impl fmt::Display for SidecarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        write!(f, "{}; {}", self.text, self.hint)
    }
}

impl std::error::Error for SidecarError {}
