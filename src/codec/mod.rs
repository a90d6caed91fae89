//! From a clip and settings to the bytes that will be shipped.

mod keyframes;

pub use keyframes::{KeyframeChannel, KeyframePlayer, Keyframes};
