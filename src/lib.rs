//! Posepress: compress game animation clips, see what compression does to them, tune, approve, export.

pub mod codec;
pub mod export;
pub mod math;
pub mod model;
pub mod runtime;
pub mod storage;
