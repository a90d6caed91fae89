//! Posepress: compress game animation clips, see what compression does to them, tune, approve, export.

pub mod codec;
#[cfg(feature = "gui")]
pub mod gui;
pub mod math;
pub mod model;
pub mod runtime;
