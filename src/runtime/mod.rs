//! What a game ships: reads a `.ppc` clip and samples poses from it.
//!
//! This module uses the standard library alone and no other module of the crate, so that it can be
//! copied into an engine as it is. It forbids `unsafe`, and no bytes whatever make it panic.
//!
//! [`ClipView::from_bytes`] checks a file once. A [`Sampler`] plays it forward, backward and by jumps without
//! allocating; [`ClipView::joint`] gives one joint without a sampler, bit for bit the same.
//!
//! # The format, version 1
//!
//! All numbers are little endian, nothing is aligned. `text` is a `u16` length and so many bytes of UTF-8.
//!
//! | offset | type | header |
//! |---|---|---|
//! | 0 | 8 bytes | magic `8B 50 50 43 0D 0A 1A 0A` |
//! | 8 | `u16` | version, 1 |
//! | 10 | `u16` | flags: bit 0 the clip loops, bit 1 smooth playback, bit 2 additive, the others 0 |
//! | 12 | `u32` | number of sections `n` |
//! | 16 | `u32` | length of the file |
//! | 20 | `n` x 12 bytes | section table: four-character kind, `u32` offset, `u32` length |
//! | 20 + 12 n | `u32` | CRC-32 of everything before it |
//!
//! The sections follow without gaps in the order of the table and end with the file. The last four bytes of a
//! section are the CRC-32 ([`crc32`]) of its other bytes, its payload; the length counts both. Sections of
//! unknown kind are checked and skipped, so a later version may add some; a known kind stands at most once.
//!
//! | kind | name | payload |
//! |---|---|---|
//! | `clip` | clip | required: text name; `u32` frames, 1 to 2^24; `f64` rate in Hz; `f64` time of frame 0 in seconds; `f64` metres in a unit; `u16` joints, 1 to 16,384; 32 bytes skeleton hash; 32 bytes source hash |
//! | `skel` | skeleton | for each joint: `u16` parent, smaller than the joint's index, or 65535; `u32` index in the source; text name |
//! | `rest` | rest | for each joint 10 `f32`: rotation x y z w, translation, scale |
//! | `base` | base | with header flag 2, else not there: the pose that an additive clip was made against, as in `rest` |
//! | `ordr` | order | for each joint of the animation section `u16`, the skeleton joint that it is: a permutation |
//! | `levl` | levels | for each level of detail `u16`, its joints: all of them for level 0, then fewer and fewer. A level has the joints that come first in the animation section; each stands behind its parent there |
//! | `anim` | animation | required: see below |
//! | `scal` | scalars | `u16` count; for each curve: text name; `u8` flags, bit 0 values hold, bit 1 keyed; `u32` count; if keyed so many `f64` times in seconds, increasing; so many `f32` values, one for each frame if not keyed |
//! | `curv` | curves | named float curves, fitted: specified in [`curves`]. They count after those of `scal` |
//! | `meta` | meta | UTF-8 text, JSON by convention |
//!
//! An additive clip's poses, its rest pose among them, are what is added to a base pose ([`Transform::on`]).
//!
//! A file without `rest` is played after [`ClipView::attach_rest`]. Values are finite and at most
//! [`MAX_VALUE`].
//!
//! ## The animation section
//!
//! Its first byte is the codec. Codecs 2 and 5, `compact`, are specified in [`compact`], codec 3, `uniform`, in [`uniform`].
//! Codec 1, `riot`:
//!
//! | type | content |
//! |---|---|
//! | `u8` | codec, 1 |
//! | `u8` | bits 0 to 2: number of the [`Tangents`]; bit 3: 32-bit rotations; bit 4: normalised key times |
//! | `u16` x 3 | smooth tracks `s`, step tracks `t`, constants `c` |
//! | `u32` | keys `k` |
//! | (s + t) x `u16` | ids of the smooth tracks, increasing, then of the step tracks, increasing |
//! | 24 bytes for each of them that is a vector | `f32` x 3 minimum, `f32` x 3 extent, in the order of the ids |
//! | c constants | by increasing id: `u16` id; if a rotation, `u8` index of the dropped component; 3 `f32` |
//! | k keys | `u16` time, `u16` id, value: 6 bytes, or 4 if a 32-bit rotation |
//!
//! An id has the [`Channel`] in its top two bits and the joint in the others; none stands twice. What has no
//! id stands in the rest pose. The values of keys are described at [`rotation_48`], [`rotation_32`] and
//! [`vector_component`], constant rotations at [`insert_largest`]. Key times are frames, or with bit 4
//! `n / 65535` of the way from the first to the last frame; they increase within a track.
//!
//! Keys are sorted by when a player that runs forward needs them: keys 0, 1 and 2 of a track at 0, key `n + 2`
//! at the time of key `n` for `n` of 1 and more; where that is equal by id, then by their order in the track.
//!
//! Codec 4 is `riot` in one block for each level of detail, so that a player of a low level passes no key that it does
//! not need: `u8` 4; for each level, the lowest first, `u32` length of its block; the blocks. A block is a
//! section of codec 1 with the joints that the level adds to the one below.
//!
//! ## Playback
//!
//! A smooth track is a spline ([`segment`]) through its keys, for rotations with signs aligned
//! ([`Window::align_signs`]) and scaled to length 1; before the first and after the last key that key's value
//! holds. A step track has the value of the last key at or before a time. Without header flag 1 this is
//! evaluated at frames alone, and between two frames vectors go straight and rotations along the shorter arc,
//! while step tracks keep the value of the earlier frame. With the flag it is evaluated at any time. This holds
//! for all codecs; in `compact`, rotations are splines of their parameters.
//!
//! A position in frames is `(seconds - start) * rate` in double precision, a whole number if within 1e-4 of
//! one; see [`Extent`] for what lies outside the clip.
#![forbid(unsafe_code)]
// Range checks are written such that a value that is not a number fails them.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

mod animation;
mod bytes;
mod clip;
pub mod compact;
mod container;
pub mod curves;
mod error;
mod lanes;
mod order;
mod quantise;
mod riot;
mod sampler;
mod scalars;
mod spline;
mod transform;
pub mod uniform;
mod view;

pub use bytes::crc32;
pub use clip::{
    ClipInfo, Extent, MAX_FRAMES, MAX_JOINTS, MAX_VALUE, NO_PARENT, RATES_HZ, StoredJoint,
};
pub use container::{FLAG_ADDITIVE, FLAG_LOOP, FLAG_SMOOTH, MAGIC, MAX_FILE, SectionKind, VERSION};
pub use error::{Error, SampleError};
pub use quantise::{
    MAX_10_BITS, MAX_15_BITS, insert_largest, rotation_32, rotation_48, vector_component,
};
pub use riot::{
    ANIM_HEADER, ANIM_NORMALISED_TIMES, ANIM_SHORT_ROTATIONS, ANIM_TANGENTS, CODEC_RIOT,
    CODEC_RIOT_BLOCKS, RANGE_BYTES, TrackKind, constant_bytes, key_bytes, track_id,
};
pub use sampler::Sampler;
pub use scalars::{SCALAR_KEYED, SCALAR_STEP};
pub use spline::{Real, Tangents, Window, segment};
pub use transform::{Channel, Transform};
pub use view::{ClipView, Key};
