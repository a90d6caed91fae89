//! What a game ships: reads a `.ppc` clip and samples poses from it.
//!
//! This module uses the standard library alone and no other module of the crate, so that it can be
//! copied into an engine as it is. It forbids `unsafe`, and no bytes whatever make it panic.
#![forbid(unsafe_code)]

mod transform;

pub use transform::{Channel, Transform};
