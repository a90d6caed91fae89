//! One block of tracks and keys for each level of detail.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::super::animation::{At, Place, Stored};
use super::super::bytes::Reader;
use super::super::order::Order;
use super::super::view::Key;
use super::super::{ClipInfo, Error, Tangents, Transform};
use super::{CODEC_RIOT, RiotIndex, RiotSampler};

/// First byte of an animation section in blocks.
pub const CODEC_RIOT_BLOCKS: u8 = 4;

/// The blocks of a section, those of the lowest level of detail first.
#[derive(Clone, Debug)]
pub(in super::super) struct RiotBlocks {
    blocks: Vec<RiotIndex>,
    /// The lowest rank of a joint in each block.
    first_ranks: Vec<usize>,
}

impl RiotBlocks {
    /// A section that is one block; `r` stands behind the codec's byte.
    pub(in super::super) fn one(
        r: Reader<'_>,
        info: &ClipInfo,
        order: &Order,
        bytes: &[u8],
    ) -> Result<Self, Error> {
        if order.levels().len() > 1 {
            return Err(r.invalid("a section in one block has no levels of detail"));
        }
        let block = RiotIndex::parse(r, info, order, 0..info.joints, bytes)?;
        Ok(Self {
            blocks: vec![block],
            first_ranks: vec![0],
        })
    }

    /// A section in blocks: for each the length, then the blocks.
    pub(in super::super) fn parse(
        mut r: Reader<'_>,
        info: &ClipInfo,
        order: &Order,
        bytes: &[u8],
    ) -> Result<Self, Error> {
        let mut blocks = Vec::with_capacity(order.levels().len());
        let mut first_ranks = Vec::with_capacity(order.levels().len());
        let mut lengths = Vec::with_capacity(order.levels().len());
        for _ in order.levels() {
            lengths.push(r.u32()? as usize);
        }
        let mut first = 0;
        for (&joints, length) in order.levels().iter().rev().zip(lengths) {
            let mut block = r.part(length)?;
            let at = block.offset();
            let codec = block.u8()?;
            let text = "a block does not begin with the number of the codec";
            r.rule(codec == CODEC_RIOT, at, text)?;
            let ranks = first..joints;
            blocks.push(RiotIndex::parse(block, info, order, ranks, bytes)?);
            first_ranks.push(first);
            first = joints;
        }
        r.end()?;
        Ok(Self {
            blocks,
            first_ranks,
        })
    }

    /// How many blocks, the first ones, have joints among the first ranks.
    fn used(&self, ranks: usize) -> usize {
        self.first_ranks.partition_point(|&first| first < ranks)
    }

    /// The block of something that is numbered through all of them, and its number there.
    fn locate(
        &self,
        number: usize,
        count: impl Fn(&RiotIndex) -> usize,
    ) -> Option<(&RiotIndex, usize)> {
        let mut number = number;
        for block in &self.blocks {
            let count = count(block);
            if number < count {
                return Some((block, number));
            }
            number = number.saturating_sub(count);
        }
        None
    }

    fn track(&self, track: usize) -> Option<(&RiotIndex, usize)> {
        self.locate(track, |b| b.riot.tracks.len())
    }

    fn constant_at(&self, constant: usize) -> Option<(&RiotIndex, usize)> {
        self.locate(constant, |b| b.riot.constants.len())
    }
}

impl Stored for RiotBlocks {
    fn tracks(&self) -> Vec<Place> {
        self.blocks.iter().flat_map(Stored::tracks).collect()
    }

    fn constants(&self) -> Vec<Place> {
        self.blocks.iter().flat_map(Stored::constants).collect()
    }

    fn resolve(&mut self, rest: &[Transform], factors: &[f32], base: &mut [Transform]) {
        for block in &mut self.blocks {
            block.resolve(rest, factors, base);
        }
    }

    fn tangents(&self) -> Tangents {
        self.blocks
            .first()
            .map_or_else(Tangents::default, Stored::tangents)
    }

    fn holds(&self, track: usize) -> bool {
        self.track(track).is_some_and(|(block, t)| block.holds(t))
    }

    fn value(&self, bytes: &[u8], track: usize, at: At, base: &Transform) -> [f32; 4] {
        let found = self.track(track);
        found.map_or([0.0; 4], |(block, t)| block.value(bytes, t, at, base))
    }

    fn constant(&self, constant: usize, rest: &Transform) -> [f32; 4] {
        let found = self.constant_at(constant);
        found.map_or([0.0; 4], |(block, c)| block.constant(c, rest))
    }

    fn keys(&self, bytes: &[u8], track: usize, base: &Transform) -> Vec<Key> {
        let found = self.track(track);
        found.map_or_else(Vec::new, |(block, t)| block.keys(bytes, t, base))
    }

    fn track_bytes(&self, track: usize) -> usize {
        self.track(track)
            .map_or(0, |(block, t)| block.track_bytes(t))
    }

    fn constant_bytes(&self, constant: usize) -> usize {
        let found = self.constant_at(constant);
        found.map_or(0, |(block, c)| block.constant_bytes(c))
    }
}

/// Plays the blocks, each with a cursor of its own: what a level does not need is not touched.
#[derive(Clone, Debug)]
pub(in super::super) struct RiotBlocksSampler {
    blocks: Vec<RiotSampler>,
}

impl RiotBlocksSampler {
    /// A sampler at the start of a clip. Allocates all that it will ever need.
    pub(in super::super) fn new(blocks: &RiotBlocks, bytes: &[u8]) -> Self {
        let sampler = |block| RiotSampler::new(block, bytes);
        Self {
            blocks: blocks.blocks.iter().map(sampler).collect(),
        }
    }

    /// Writes the animated channels of the joints of the first `ranks`, as far as `out` has them.
    pub(in super::super) fn pose(
        &mut self,
        blocks: &RiotBlocks,
        bytes: &[u8],
        place: (u32, f32),
        smooth: bool,
        ranks: usize,
        out: &mut [Transform],
    ) {
        let used = blocks.used(ranks);
        let samplers = self.blocks.iter_mut().take(used);
        for (sampler, block) in samplers.zip(&blocks.blocks) {
            sampler.pose(block, bytes, place, smooth, out);
        }
    }

    /// Moves all blocks to a position.
    pub(in super::super) fn seek(
        &mut self,
        blocks: &RiotBlocks,
        bytes: &[u8],
        place: (u32, f32),
        smooth: bool,
    ) {
        for (sampler, block) in self.blocks.iter_mut().zip(&blocks.blocks) {
            sampler.seek(block, bytes, place, smooth);
        }
    }
}
