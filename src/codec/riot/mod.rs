//! The codec `riot`: 10-byte keys in the order in which a player needs them.

mod form;
mod quantise;
mod stream;
mod write;

pub(super) use form::KeyForm;
pub(super) use quantise::drop_largest;
pub use quantise::{RotationBits, VectorRange, encode_rotation_32, encode_rotation_48};
pub use stream::{KeyTimes, RiotConstant, RiotKey, RiotStream, RiotTrack};
pub(super) use write::section;
