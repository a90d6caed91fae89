use crate::model::Severity;

/// A message for the person.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// What kind it is.
    pub kind: NoticeKind,
    /// A few words.
    pub title: String,
    /// A sentence or two: what, where, what to do.
    pub text: String,
}

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    /// Something was done.
    Success,
    /// Something was repaired or left out.
    Warning,
    /// Something did not work.
    Error,
}

impl Notice {
    /// Something was done.
    pub fn success(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            kind: NoticeKind::Success,
            title: title.into(),
            text: text.into(),
        }
    }

    /// Something was repaired or left out.
    pub fn warning(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            kind: NoticeKind::Warning,
            title: title.into(),
            text: text.into(),
        }
    }

    /// Something did not work.
    pub fn error(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            kind: NoticeKind::Error,
            title: title.into(),
            text: text.into(),
        }
    }
}

impl From<Severity> for NoticeKind {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Note => Self::Success,
            Severity::Warning => Self::Warning,
        }
    }
}
