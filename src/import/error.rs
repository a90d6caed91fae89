use crate::model::{Issues, Severity};
use std::fmt;
use std::path::{Path, PathBuf};

/// Why a file was not loaded, and what the person can do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// The file that was asked for.
    pub path: PathBuf,
    /// Stable, lower-case, words joined by `-`: `"no-animation"`. Listed in [`crate::import`].
    pub code: &'static str,
    /// Where in the file: `"animation 3 (Walk), channel 5: accessor 12"`; empty for the whole file.
    pub place: String,
    /// What is wrong, without a final full stop.
    pub text: String,
    /// What to do about it; may be empty.
    pub hint: String,
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        write!(f, "{}", self.text)?;
        if !self.hint.is_empty() {
            write!(f, "; {}", self.hint)?;
        }
        Ok(())
    }
}

impl std::error::Error for ImportError {}

/// An error on its way up: it does not know the file yet, and may still become a mere warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub code: &'static str,
    pub place: String,
    pub text: String,
    pub hint: &'static str,
}

impl Fault {
    pub fn new(code: &'static str, place: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            code,
            place: place.into(),
            text: text.into(),
            hint: "",
        }
    }

    pub fn hint(mut self, hint: &'static str) -> Self {
        self.hint = hint;
        self
    }

    /// Puts the place into a larger one.
    pub fn within(mut self, outer: &str) -> Self {
        self.place = if self.place.is_empty() {
            outer.to_owned()
        } else {
            format!("{outer}: {}", self.place)
        };
        self
    }

    /// Reports the fault as a warning that says what became of the thing.
    pub fn warn(self, outcome: &str, issues: &mut Issues) {
        issues.warn(self.code, self.place, format!("{}; {outcome}", self.text));
    }

    pub fn into_error(self, path: &Path) -> ImportError {
        ImportError {
            path: path.to_owned(),
            code: self.code,
            place: self.place,
            text: self.text,
            hint: self.hint.to_owned(),
        }
    }
}

/// In strict mode the first warning is an error.
pub(super) fn refuse_warnings(issues: &Issues) -> Result<(), Fault> {
    let mut warnings = issues.iter().filter(|i| i.severity == Severity::Warning);
    let Some(first) = warnings.next() else {
        return Ok(());
    };
    let text = match warnings.count() {
        0 => first.text.clone(),
        n => format!("{} (and {n} more warnings)", first.text),
    };
    Err(Fault::new(first.code, first.place.clone(), text)
        .hint("strict loading refuses whatever needs repair; load without it, or mend the file"))
}
