//! The published scheme: how its keys are rounded, and its stream from fitted tracks.

mod storage;

pub use storage::Storage;
