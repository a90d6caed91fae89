//! Plays a clip of any codec.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::animation::Animation;
use super::compact::CompactSampler;
use super::riot::RiotBlocksSampler;
use super::uniform::UniformSampler;
use super::view::Index;
use super::{ClipView, Extent, SampleError, Transform};

/// Writes poses of one clip. Made once; playing allocates nothing.
///
/// Forward and backward are cheap: what was computed for the frame before is used again. Whichever way it came,
/// the pose at a time is the same to the bit.
#[derive(Clone, Debug)]
pub struct Sampler {
    view_id: u64,
    codec: Codec,
}

#[derive(Clone, Debug)]
enum Codec {
    Riot(RiotBlocksSampler),
    Compact(CompactSampler),
    Uniform(UniformSampler),
}

impl Sampler {
    /// A sampler at the start of a clip. Allocates all that it will ever need.
    pub fn new<B: AsRef<[u8]>>(view: &ClipView<B>) -> Self {
        let index = view.index();
        let codec = match &index.animation {
            Animation::Riot(riot) => Codec::Riot(RiotBlocksSampler::new(riot, view.bytes())),
            Animation::Compact(compact) => {
                Codec::Compact(CompactSampler::new(compact, view.bytes()))
            }
            Animation::Uniform(uniform) => Codec::Uniform(UniformSampler::new(uniform)),
        };
        Self {
            view_id: index.id,
            codec,
        }
    }

    /// Writes the local transform of every joint at a time in seconds on the clip's own time line.
    ///
    /// `out` has one entry a joint. A time that is not a number counts as the start. Nothing is allocated.
    /// Cost: one evaluation of all tracks for each new frame, one interpolation, and what the cursor passes.
    pub fn pose<B: AsRef<[u8]>>(
        &mut self,
        view: &ClipView<B>,
        secs: f64,
        extent: Extent,
        out: &mut [Transform],
    ) -> Result<(), SampleError> {
        self.pose_level(view, secs, extent, 0, out)
    }

    /// As [`Sampler::pose`], for the first `out.len()` joints alone, which are the same to the bit.
    ///
    /// For one part of a character. In `compact` and `uniform` what follows costs nothing, unless the file orders its
    /// joints in another way; in `riot` it costs the same. See [`Sampler::pose_level`] for characters far away.
    pub fn pose_prefix<B: AsRef<[u8]>>(
        &mut self,
        view: &ClipView<B>,
        secs: f64,
        extent: Extent,
        out: &mut [Transform],
    ) -> Result<(), SampleError> {
        let joints = view.info().joints;
        if out.len() > joints {
            return Err(SampleError::PoseLength {
                joints,
                given: out.len(),
            });
        }
        let ranks = view.index().order.ranks_of_first(out.len());
        self.write(view, secs, extent, ranks, out)
    }

    /// As [`Sampler::pose`], for the joints of a level of detail, which are the same to the bit; the others
    /// stand still. A level past the last is the last.
    ///
    /// For characters far away: what a level leaves out is neither decoded nor, in `riot`, passed by the cursor.
    pub fn pose_level<B: AsRef<[u8]>>(
        &mut self,
        view: &ClipView<B>,
        secs: f64,
        extent: Extent,
        level: usize,
        out: &mut [Transform],
    ) -> Result<(), SampleError> {
        let joints = view.info().joints;
        if out.len() != joints {
            return Err(SampleError::PoseLength {
                joints,
                given: out.len(),
            });
        }
        let ranks = view.index().order.ranks_of_level(level);
        self.write(view, secs, extent, ranks, out)
    }

    /// Writes the joints of the first `ranks`, as far as `out` has them.
    fn write<B: AsRef<[u8]>>(
        &mut self,
        view: &ClipView<B>,
        secs: f64,
        extent: Extent,
        ranks: usize,
        out: &mut [Transform],
    ) -> Result<(), SampleError> {
        let index = view.index();
        self.check(index)?;
        let Some(base) = index
            .base
            .get(..out.len())
            .filter(|_| !index.base.is_empty())
        else {
            return Err(SampleError::NoRest);
        };
        out.copy_from_slice(base);
        let place = index.info.locate(secs, extent);
        let (bytes, smooth) = (view.bytes(), index.info.smooth);
        match (&mut self.codec, &index.animation) {
            (Codec::Riot(sampler), Animation::Riot(riot)) => {
                sampler.pose(riot, bytes, place, smooth, ranks, out);
            }
            (Codec::Compact(sampler), Animation::Compact(compact)) => {
                sampler.pose(compact, bytes, place, smooth, ranks, out);
            }
            (Codec::Uniform(sampler), Animation::Uniform(uniform)) => {
                sampler.pose(uniform, bytes, place, ranks, out);
            }
            _ => return Err(SampleError::OtherView),
        }
        Ok(())
    }

    /// Moves to a time, clamped to the clip, so that the next pose near it is cheap.
    pub fn seek<B: AsRef<[u8]>>(
        &mut self,
        view: &ClipView<B>,
        secs: f64,
    ) -> Result<(), SampleError> {
        let index = view.index();
        self.check(index)?;
        let place = index.info.locate(secs, Extent::Clamp);
        let (bytes, smooth) = (view.bytes(), index.info.smooth);
        match (&mut self.codec, &index.animation) {
            (Codec::Riot(sampler), Animation::Riot(riot)) => {
                sampler.seek(riot, bytes, place, smooth);
            }
            (Codec::Compact(sampler), Animation::Compact(compact)) => {
                sampler.show_frame(compact, bytes, place.0, index.info.joints);
            }
            (Codec::Uniform(sampler), Animation::Uniform(uniform)) => {
                sampler.show_frame(uniform, bytes, place.0, index.info.joints);
            }
            _ => return Err(SampleError::OtherView),
        }
        Ok(())
    }

    fn check(&self, index: &Index) -> Result<(), SampleError> {
        if self.view_id == index.id {
            return Ok(());
        }
        Err(SampleError::OtherView)
    }
}
