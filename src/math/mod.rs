//! Transforms in double precision: what the compressor computes and measures with.
//!
//! Files store single precision; a chain of a hundred joints ten kilometres from the origin does not
//! survive measuring in it, so everything but the player works in `f64`.

mod transform;

pub use crate::runtime::Channel;
pub use transform::{Transform, rotation_angle, slerp};
