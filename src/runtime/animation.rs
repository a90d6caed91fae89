//! The animation section, whatever its codec.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::bytes::Reader;
use super::compact::{CODEC_COMPACT, CODEC_COMPACT_SCALED, Compact};
use super::order::Order;
use super::riot::{CODEC_RIOT, CODEC_RIOT_BLOCKS, RiotBlocks};
use super::uniform::{CODEC_UNIFORM, Uniform};
use super::view::Key;
use super::{Channel, ClipInfo, Error, Tangents, Transform};

/// A parsed section.
#[derive(Clone, Debug)]
pub(super) enum Animation {
    Riot(RiotBlocks),
    Compact(Compact),
    Uniform(Uniform),
}

/// A joint of the skeleton and its channel.
pub(super) type Place = (u16, Channel);

/// What a section of any codec can be asked. Tracks move, constants do not; each counts from 0, and a channel
/// of a joint is at most one of them.
pub(super) trait Stored {
    fn tracks(&self) -> Vec<Place>;

    fn constants(&self) -> Vec<Place>;

    /// Puts what stands still into the base pose, which is the rest pose before, and remembers what tracks
    /// refer to. `factors` are those of [`super::compact::factors`], none where the file has no skeleton.
    fn resolve(&mut self, rest: &[Transform], factors: &[f32], base: &mut [Transform]);

    fn tangents(&self) -> Tangents;

    /// Whether a track keeps each key's value until the next.
    fn holds(&self, track: usize) -> bool;

    /// The value of a track at a frame and a fraction of the way to the next, over the base transform of its
    /// joint: bit for bit as in the whole pose.
    fn value(&self, bytes: &[u8], track: usize, at: At, base: &Transform) -> [f32; 4];

    /// The value of a constant over the rest transform of its joint.
    fn constant(&self, constant: usize, rest: &Transform) -> [f32; 4];

    /// The keys of a track as they are stored, over the base transform of its joint.
    fn keys(&self, bytes: &[u8], track: usize, base: &Transform) -> Vec<Key>;

    /// Bytes that a track takes.
    fn track_bytes(&self, track: usize) -> usize;

    /// Bytes that a constant takes.
    fn constant_bytes(&self, constant: usize) -> usize;
}

/// A time of evaluation.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub(super) frame: u32,
    /// In `[0, 1]` of the way to the next frame.
    pub(super) fraction: f32,
    /// Curves are evaluated between frames too.
    pub(super) smooth: bool,
}

impl At {
    /// A frame itself.
    pub(super) fn frame(frame: u32) -> Self {
        Self {
            frame,
            fraction: 0.0,
            smooth: false,
        }
    }
}

impl Animation {
    /// Parses the section with the codec that its first byte names.
    pub(super) fn parse(
        section: Reader<'_>,
        info: &ClipInfo,
        order: &Order,
        bytes: &[u8],
    ) -> Result<Self, Error> {
        let mut r = section;
        match r.u8()? {
            CODEC_RIOT => RiotBlocks::one(r, info, order, bytes).map(Self::Riot),
            CODEC_RIOT_BLOCKS => RiotBlocks::parse(r, info, order, bytes).map(Self::Riot),
            CODEC_COMPACT => Compact::parse(&r, info, order, false).map(Self::Compact),
            CODEC_COMPACT_SCALED => Compact::parse(&r, info, order, true).map(Self::Compact),
            CODEC_UNIFORM => Uniform::parse(r, info, order).map(Self::Uniform),
            other => Err(Error::UnsupportedCodec(other)),
        }
    }

    /// Whether the skeleton tells a part of what is stored.
    pub(super) fn needs_skeleton(&self) -> bool {
        matches!(self, Self::Compact(compact) if compact.needs_skeleton())
    }

    pub(super) fn stored(&self) -> &dyn Stored {
        match self {
            Self::Riot(riot) => riot,
            Self::Compact(compact) => compact,
            Self::Uniform(uniform) => uniform,
        }
    }

    pub(super) fn stored_mut(&mut self) -> &mut dyn Stored {
        match self {
            Self::Riot(riot) => riot,
            Self::Compact(compact) => compact,
            Self::Uniform(uniform) => uniform,
        }
    }
}
