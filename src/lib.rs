//! Posepress: compress game animation clips, see what compression does to them, tune, approve, export.

pub mod codec;
pub mod export;
pub mod fit;
pub mod math;
pub mod metrics;
pub mod model;
pub mod runtime;
pub mod storage;
