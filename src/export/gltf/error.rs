use std::fmt;

/// Why a GLB cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportError {
    /// The source document is not what the format demands.
    Source {
        /// Which part, as a path in the JSON.
        place: String,
        /// What is wrong with it.
        text: String,
    },
    /// The keyframes are not what the format demands.
    Keyframes {
        /// Index of the animation that they are for.
        animation: usize,
        /// Joint and channel.
        place: String,
        /// What is wrong with them.
        text: String,
    },
    /// The file uses something that cannot be passed through.
    Unsupported {
        /// What and why.
        text: String,
        /// What to do instead.
        hint: &'static str,
    },
    /// A GLB cannot be larger than 4 GiB.
    TooLarge {
        /// The size that it would have.
        bytes: usize,
    },
}

impl ExportError {
    pub(super) fn source(place: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Source {
            place: place.into(),
            text: text.into(),
        }
    }
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source { place, text } => write!(
                f,
                "the source file cannot be rewritten: {place}: {text}; export it again from the tool it came from"
            ),
            Self::Keyframes {
                animation,
                place,
                text,
            } => write!(
                f,
                "animation {animation}, {place}: {text}; this is a fault of the program, please report it with the clip and settings"
            ),
            Self::Unsupported { text, hint } => write!(f, "{text}; {hint}"),
            Self::TooLarge { bytes } => write!(
                f,
                "the file would have {bytes} bytes, and a GLB ends at 4 GiB; export fewer animations or smaller textures"
            ),
        }
    }
}

impl std::error::Error for ExportError {}
