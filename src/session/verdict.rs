//! A person's word on a clip, and what it was said about.

use crate::metrics::ErrorMetric;

/// What a verdict was said about: SHA-256 each. Any change of one makes it stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The source file.
    pub source: [u8; 32],
    /// Everything that a person set: settings, contacts and unit, see [`super::settings_hash`].
    pub settings: [u8; 32],
    /// The bytes that ship, see [`crate::codec::Compressed::hash`].
    pub output: [u8; 32],
    /// With what its errors were measured.
    pub measure: Measure,
    /// The characters on whose meshes, see [`super::characters_hash`]; `None` for the file's own meshes.
    pub characters: Option<[u8; 32]>,
}

/// What millimetres were measured, and how that was defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// What errors were errors of.
    pub metric: ErrorMetric,
    /// See [`ErrorMetric::version`].
    pub version: u32,
}

impl Measure {
    /// The only one before it was written down: shells in the joints' own scale.
    pub const FIRST: Self = Self {
        metric: ErrorMetric::Shell,
        version: 1,
    };

    /// Measuring with a metric as it is defined now.
    pub fn now(metric: ErrorMetric) -> Self {
        Self {
            metric,
            version: metric.version(),
        }
    }

    /// The inverse of its text.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, version) = text.split_once(' ')?;
        let metrics = [ErrorMetric::Skin, ErrorMetric::Shell];
        Some(Self {
            metric: metrics.into_iter().find(|m| m.name() == name)?,
            version: version.parse().ok()?,
        })
    }
}

impl std::fmt::Display for Measure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.metric.name(), self.version)
    }
}

/// A person's word on a clip.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// Not looked at yet.
    #[default]
    Open,
    /// May ship, as these very bytes.
    Approved(Judged),
    /// Must not ship.
    Rejected {
        /// Why; may be empty.
        note: String,
        /// What was looked at; `None` where there were no bytes.
        of: Option<Judged>,
    },
}

impl Verdict {
    /// What it was said about.
    pub fn judged(&self) -> Option<&Judged> {
        match self {
            Self::Open => None,
            Self::Approved(of) => Some(of),
            Self::Rejected { of, .. } => of.as_ref(),
        }
    }
}

/// What is no longer what a verdict was said about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// The source file.
    pub source: bool,
    /// Settings, contacts or unit.
    pub settings: bool,
    /// The bytes that ship.
    pub output: bool,
    /// What its millimetres are measured on.
    pub measure: bool,
    /// The characters on whose meshes they are.
    pub characters: bool,
}

impl Changed {
    /// Between then and now; an output that is not known is taken for unchanged.
    pub fn since(
        then: &Judged,
        source: &[u8; 32],
        settings: &[u8; 32],
        output: Option<&[u8; 32]>,
        measure: Measure,
        characters: Option<[u8; 32]>,
    ) -> Self {
        Self {
            source: then.source != *source,
            settings: then.settings != *settings,
            output: output.is_some_and(|o| then.output != *o),
            measure: then.measure != measure,
            characters: then.characters != characters,
        }
    }

    /// Whether anything changed.
    pub fn any(self) -> bool {
        self.source || self.settings || self.output || self.measure || self.characters
    }

    /// The names of what changed.
    pub fn names(self) -> Vec<&'static str> {
        let parts = [
            (self.source, "source"),
            (self.settings, "settings"),
            (self.output, "output"),
            (self.measure, "measure"),
            (self.characters, "characters"),
        ];
        parts
            .iter()
            .filter(|(changed, _)| *changed)
            .map(|(_, name)| *name)
            .collect()
    }
}

impl std::fmt::Display for Changed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.names().as_slice() {
            [] => write!(f, "nothing changed"),
            [one] => write!(f, "{one} changed"),
            [first @ .., last] => write!(f, "{} and {last} changed", first.join(", ")),
        }
    }
}
