//! From a clip and settings to the bytes that will be shipped.

mod container;
mod keyframes;
pub mod riot;

pub use container::{ContainerWriter, ScalarCurve, WriteError};
pub use keyframes::{KeyframeChannel, KeyframePlayer, Keyframes};
