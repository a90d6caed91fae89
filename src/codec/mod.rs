//! From a clip and settings to the bytes that will be shipped.

mod compact;
mod compressed;
mod container;
mod control;
mod encoder;
mod error;
mod file;
mod holding;
mod importance;
mod keyframes;
pub mod riot;
mod samples;
mod settings;
mod tolerance;
mod track_fit;
mod uniform;
mod universal;

pub use compressed::{Compressed, Payload, Player};
pub use container::{ContainerWriter, ScalarCurve, WriteError};
pub use control::Control;
pub use encoder::{Encoder, Quality, gate_is_dense, replay};
pub use error::CodecError;
pub use holding::{HeldLimb, HeldPair, Hold};
pub use importance::{FrameImportance, Importance, JointImportance};
pub use keyframes::{KeyframeChannel, KeyframePlayer, Keyframes};
pub use samples::{TrackSamples, channel_value};
pub use settings::{
    Budget, Deliverable, JointOverride, Playback, QuaternionBits, SETTING_RANGE, Settings,
    SettingsError, Tolerances,
};
pub use track_fit::{KeyOrigin, TrackFit, TrackKind};
