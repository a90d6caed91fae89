//! From a clip and settings to the bytes that will be shipped.

mod additive;
mod cloud;
mod compact;
mod compressed;
mod container;
mod control;
mod curves;
mod encoder;
mod error;
mod file;
mod holding;
mod importance;
mod judge;
mod keyframes;
mod levels;
pub mod riot;
mod rules;
mod samples;
mod settings;
mod tolerance;
mod track_fit;
mod uniform;
mod universal;
mod weights;

pub use crate::model::name_matches;
pub use additive::{BasePose, on_base};
pub use compressed::{Compressed, CurveFigures, FileParts, Payload, Player};
pub use container::{ContainerWriter, ScalarCurve, WriteError};
pub use control::Control;
pub use encoder::{Encoder, Quality, replay};
pub use error::CodecError;
pub use holding::{HeldLimb, HeldPair, Hold};
pub use importance::{FrameImportance, Importance, JointImportance};
pub use judge::{Asked, AskedBy, Instants, Judgement, Limit, Matter, Ruling, loop_seam};
pub use keyframes::{KeyframeChannel, KeyframePlayer, Keyframes};
pub use levels::{Level, StreamOrder};
pub use rules::{LOCKED, Matches, Rule, Ruled, ruled};
pub use samples::{TrackSamples, channel_value};
pub use settings::{
    Budget, Deliverable, JointOverride, Playback, QuaternionBits, SETTING_RANGE, Settings,
    SettingsError, Tolerances, WEIGHT_TOLERANCE,
};
pub use track_fit::{KeyOrigin, TrackFit, TrackKind};
pub use weights::{WeightChannel, WeightKeys};
