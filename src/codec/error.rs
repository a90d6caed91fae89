use super::container::WriteError;
use super::settings::SettingsError;
use crate::runtime;

/// Why a clip was not compressed.
#[derive(Clone, Debug, PartialEq)]
pub enum CodecError {
    /// A setting cannot be used.
    Settings(SettingsError),
    /// The container cannot hold the clip.
    Container(WriteError),
    /// The written bytes do not read back: a fault of this program.
    ReadBack(runtime::Error),
    /// A value is larger than the codec can hold beside what the target asks for.
    OutOfRange,
    /// [`Control::cancel`](super::Control::cancel) was called.
    Cancelled,
}

impl std::fmt::Display for CodecError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Settings(e) => e.fmt(f),
            Self::Container(e) => e.fmt(f),
            Self::ReadBack(e) => write!(
                f,
                "the compressed bytes do not read back ({e}); please report this"
            ),
            Self::OutOfRange => write!(
                f,
                "a value is too large to be held as finely as the target or a tolerance asks; give a larger one, or the right unit"
            ),
            Self::Cancelled => write!(f, "cancelled"),
        }
    }
}

impl std::error::Error for CodecError {}
