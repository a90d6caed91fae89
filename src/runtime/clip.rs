//! What a clip says about itself: the sections `clip`, `skeleton` and `rest`.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::bytes::Reader;
use super::{Error, Transform};

/// Most joints a clip may have: a key stores the joint in 14 bits.
pub const MAX_JOINTS: usize = 1 << 14;

/// Most frames a clip may have: an `f32` still tells neighbours apart.
pub const MAX_FRAMES: u32 = 1 << 24;

/// The largest magnitude of a stored translation or scale, in the clip's unit.
///
/// Keeps everything that a player computes from stored values finite.
pub const MAX_VALUE: f32 = 1e15;

/// Frame rates that a file may have, in hertz.
pub const RATES_HZ: std::ops::RangeInclusive<f64> = 1e-3..=1e6;

/// How far the squared length of a stored rest rotation may be from 1.
pub(super) const UNIT_SLACK: f32 = 1e-4;

/// A time this close to a frame, in frames, is that frame: a frame's own time, computed in seconds, comes out
/// a rounding error before or after it, and with 32-bit seconds that is still less at 100 s and 30 Hz.
/// Without it a held value would jump one frame late.
const SNAP_FRAMES: f64 = 1e-4;

/// What happens outside the clip's duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Extent {
    /// The first and the last pose are held.
    #[default]
    Clamp,
    /// Time runs round: the last frame of a looping clip is its first.
    Wrap,
}

/// What the file says about the clip.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipInfo {
    /// As in the source; may be empty.
    pub name: String,
    /// Number of frames, 1 to [`MAX_FRAMES`].
    pub frames: u32,
    /// Frames a second, in [`RATES_HZ`].
    pub rate_hz: f64,
    /// Time of frame 0 in seconds.
    pub start_secs: f64,
    /// Metres in one unit of length.
    pub unit_m: f64,
    /// Number of joints, 1 to [`MAX_JOINTS`].
    pub joints: usize,
    /// Header flag: made to be played with [`Extent::Wrap`].
    pub looped: bool,
    /// Header flag: curves are evaluated between frames too, instead of interpolating two frames.
    pub smooth: bool,
    /// Two clips with the same hash move the same skeleton; zeros when not known.
    pub skeleton_hash: [u8; 32],
    /// SHA-256 of the source file; zeros when not known.
    pub source_hash: [u8; 32],
}

impl ClipInfo {
    /// Index of the last frame.
    pub fn last_frame(&self) -> u32 {
        self.frames.saturating_sub(1)
    }

    /// Time from the first to the last frame in seconds; 0 for one frame.
    pub fn duration_secs(&self) -> f64 {
        f64::from(self.last_frame()) / self.rate_hz
    }

    /// Time of a frame in seconds; fractional frames are fine.
    pub fn secs(&self, frame: f64) -> f64 {
        self.start_secs + frame / self.rate_hz
    }

    /// The frame at or before a time, and how far on the way to the next one, in `[0, 1]`.
    ///
    /// A time within 1e-4 frames of a frame is that frame. One that is not a number counts as the start, so that a player always has a pose to show.
    pub fn locate(&self, secs: f64, extent: Extent) -> (u32, f32) {
        let last = f64::from(self.last_frame());
        let x = (secs - self.start_secs) * self.rate_hz;
        let nearest = x.round();
        let x = if (x - nearest).abs() <= SNAP_FRAMES {
            nearest
        } else {
            x
        };
        let x = match extent {
            Extent::Clamp => x,
            Extent::Wrap if last > 0.0 => x.rem_euclid(last),
            Extent::Wrap => 0.0,
        };
        let x = if x > 0.0 { x.min(last) } else { 0.0 };
        let frame = x.floor();
        (frame as u32, (x - frame) as f32)
    }

    pub(super) fn parse(mut r: Reader<'_>, looped: bool, smooth: bool) -> Result<Self, Error> {
        let name = r.text()?.to_owned();
        let at = r.offset();
        let frames = r.u32()?;
        r.rule(
            (1..=MAX_FRAMES).contains(&frames),
            at,
            "the number of frames is not in 1 to 2^24",
        )?;
        let at = r.offset();
        let rate_hz = r.f64()?;
        r.rule(
            RATES_HZ.contains(&rate_hz),
            at,
            "the frame rate is not in 0.001 to 1,000,000 Hz",
        )?;
        let at = r.offset();
        let start_secs = r.f64()?;
        r.rule(
            start_secs.abs() <= 1e9,
            at,
            "the start time is not within 10^9 s",
        )?;
        let at = r.offset();
        let unit_m = r.f64()?;
        r.rule(
            (1e-12..=1e12).contains(&unit_m),
            at,
            "the unit is not in 10^-12 to 10^12 m",
        )?;
        let at = r.offset();
        let joints = usize::from(r.u16()?);
        r.rule(
            (1..=MAX_JOINTS).contains(&joints),
            at,
            "the number of joints is not in 1 to 16,384",
        )?;
        let info = Self {
            name,
            frames,
            rate_hz,
            start_secs,
            unit_m,
            joints,
            looped,
            smooth,
            skeleton_hash: r.bytes32()?,
            source_hash: r.bytes32()?,
        };
        r.end()?;
        Ok(info)
    }
}

/// A joint of the skeleton that a file carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredJoint {
    /// As in the source; need not be unique, may be empty.
    pub name: String,
    /// Index of the parent, smaller than the joint's own.
    pub parent: Option<u16>,
    /// Index of the node in the source file.
    pub source_index: u32,
}

/// Stored in place of a parent by joints that have none.
pub const NO_PARENT: u16 = u16::MAX;

pub(super) fn parse_skeleton(mut r: Reader<'_>, joints: usize) -> Result<Vec<StoredJoint>, Error> {
    // Each joint takes eight bytes or more: a count that the section cannot hold stops here.
    if r.left() < joints.saturating_mul(8) {
        return Err(r.invalid("the section is too short for the joints of the clip"));
    }
    let mut skeleton = Vec::with_capacity(joints);
    for joint in 0..joints {
        let at = r.offset();
        let parent = r.u16()?;
        r.rule(
            parent == NO_PARENT || usize::from(parent) < joint,
            at,
            "a parent does not stand before its child",
        )?;
        skeleton.push(StoredJoint {
            parent: (parent != NO_PARENT).then_some(parent),
            source_index: r.u32()?,
            name: r.text()?.to_owned(),
        });
    }
    r.end()?;
    Ok(skeleton)
}

pub(super) fn parse_rest(mut r: Reader<'_>, joints: usize) -> Result<Vec<Transform>, Error> {
    if r.left() != joints.saturating_mul(40) {
        return Err(r.invalid("the section has not 40 bytes for each joint of the clip"));
    }
    let mut rest = Vec::with_capacity(joints);
    for _ in 0..joints {
        let at = r.offset();
        let transform = Transform {
            rotation: [r.f32()?, r.f32()?, r.f32()?, r.f32()?],
            translation: r.vec3()?,
            scale: r.vec3()?,
        };
        r.rule(
            is_unit(transform.rotation),
            at,
            "a rest rotation is not a unit quaternion",
        )?;
        rest.push(transform);
    }
    Ok(rest)
}

/// Whether a player can use it as a rest transform.
pub(super) fn is_valid_rest(t: &Transform) -> bool {
    let bounded = |v: [f32; 3]| v.iter().all(|c| c.abs() <= MAX_VALUE);
    is_unit(t.rotation) && bounded(t.translation) && bounded(t.scale)
}

fn is_unit(q: [f32; 4]) -> bool {
    (q.iter().map(|c| c * c).sum::<f32>() - 1.0).abs() <= UNIT_SLACK
}
