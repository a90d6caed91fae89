<<<<<<< HEAD
//! The published scheme: how its keys are rounded, and its stream from fitted tracks.

mod storage;

pub use storage::Storage;
=======
//! The codec `riot`: 10-byte keys in the order in which a player needs them.

mod quantise;
mod stream;

pub use quantise::{RotationBits, VectorRange, encode_rotation_32, encode_rotation_48};
pub use stream::{KeyTimes, RiotConstant, RiotKey, RiotStream, RiotTrack};
>>>>>>> runtime
