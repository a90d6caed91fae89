//! What was odd about a file and what was done about it: shown to the person, never dropped.

use std::fmt;

/// How bad an issue is for the person who loaded the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; nothing was lost.
    Note,
    /// Something was repaired or left out.
    Warning,
}

/// One finding, with a stable code, where it was and what was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Note or warning.
    pub severity: Severity,
    /// Stable, lower-case, words joined by `-`: `"times-unsorted"`.
    pub code: &'static str,
    /// The place in the file's own words: `"clip Walk, joint foot_l, rotation"`.
    pub place: String,
    /// What was wrong and what was done, as a plain sentence without a final full stop.
    pub text: String,
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} [{}]", self.place, self.text, self.code)
    }
}

/// Collects the issues of one load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Issues(Vec<Issue>);

impl Issues {
    /// Adds a note.
    pub fn note(&mut self, code: &'static str, place: impl Into<String>, text: impl Into<String>) {
        self.push(Severity::Note, code, place.into(), text.into());
    }

    /// Adds a warning.
    pub fn warn(&mut self, code: &'static str, place: impl Into<String>, text: impl Into<String>) {
        self.push(Severity::Warning, code, place.into(), text.into());
    }

    fn push(&mut self, severity: Severity, code: &'static str, place: String, text: String) {
        self.0.push(Issue {
            severity,
            code,
            place,
            text,
        });
    }

    /// All findings in the order in which they were made.
    pub fn iter(&self) -> std::slice::Iter<'_, Issue> {
        self.0.iter()
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of findings.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl<'a> IntoIterator for &'a Issues {
    type Item = &'a Issue;
    type IntoIter = std::slice::Iter<'a, Issue>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
