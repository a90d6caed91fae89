//! What a game ships: reads a `.ppc` clip and samples poses from it.
//!
//! This module uses the standard library alone and no other module of the crate, so that it can be
//! copied into an engine as it is. It forbids `unsafe`, and no bytes whatever make it panic.
#![forbid(unsafe_code)]

mod bytes;
mod clip;
mod container;
mod error;
mod lanes;
mod quantise;
mod riot;
mod sampler;
mod scalars;
mod spline;
mod timeline;
mod transform;
mod view;

pub use bytes::crc32;
pub use clip::{
    ClipInfo, Extent, MAX_FRAMES, MAX_JOINTS, MAX_VALUE, NO_PARENT, RATES_HZ, StoredJoint,
};
pub use container::{FLAG_LOOP, FLAG_SMOOTH, MAGIC, MAX_FILE, SectionKind, VERSION};
pub use error::{Error, SampleError};
pub use quantise::{
    MAX_10_BITS, MAX_15_BITS, insert_largest, rotation_32, rotation_48, vector_component,
};
pub use riot::{
    ANIM_HEADER, ANIM_NORMALISED_TIMES, ANIM_SHORT_ROTATIONS, ANIM_TANGENTS, CODEC_RIOT,
    RANGE_BYTES, TrackKind, constant_bytes, key_bytes, track_id,
};
pub use sampler::Sampler;
pub use scalars::{SCALAR_KEYED, SCALAR_STEP};
pub use spline::{Real, Tangents, Window, segment};
pub use transform::{Channel, Transform};
pub use view::{ClipView, Key};
