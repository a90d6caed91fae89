//! Posepress: compress game animation clips, see what compression does to them, tune, approve, export.

pub mod cli;
pub mod codec;
pub mod export;
pub mod fit;
#[cfg(feature = "gui")]
pub mod gui;
pub mod import;
pub mod math;
pub mod metrics;
pub mod model;
pub mod runtime;
pub mod session;
pub mod storage;
