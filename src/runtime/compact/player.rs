//! Plays all channels of a clip: two frames are kept, poses between them are interpolated.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::super::animation::Stored as _;
use super::super::lanes::{Arc, LANES, Values, columns};
use super::super::{Channel, Transform};
use super::curve::Cursor;
use super::lanes::{Curves, Shape, arc, put};
use super::{Compact, between};

/// The part of a sampler that belongs to this codec.
///
/// Forward, each new frame costs one evaluation of every channel and one key to decode for each curve that goes
/// into its next segment. A jump costs some six keys to decode a curve.
#[derive(Clone, Debug)]
pub(in super::super) struct CompactSampler {
    blocks: Vec<Block>,
    /// One for each curve.
    cursors: Vec<Cursor>,
    /// The frame whose values stand in the current buffers.
    frame: Option<u32>,
    /// Of how many ranks of joints, from the first on, the buffers hold the values.
    ranks: usize,
    /// Which of the two buffers of a block holds the earlier frame.
    swapped: bool,
}

/// Channels of one shape, in the order of the section.
#[derive(Clone, Debug)]
struct Block {
    shape: Shape,
    curves: Curves<LANES>,
    reference: Values<4, LANES>,
    buffers: [Values<4, LANES>; 2],
    arc: Arc<LANES>,
    /// 0 for steps, which keep the value of the earlier frame, else 1.
    blend: [f32; LANES],
    slots: Vec<Slot>,
    /// The smallest rank of all slots.
    first_rank: usize,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    joint: u16,
    rank: u16,
    channel: Channel,
    curve: u32,
}

impl CompactSampler {
    /// A sampler at the start of a clip. Allocates all that it will ever need.
    pub(in super::super) fn new(compact: &Compact, bytes: &[u8]) -> Self {
        let bits = compact.bits(bytes);
        let mut sampler = Self {
            blocks: Vec::new(),
            cursors: Vec::with_capacity(compact.curves.len()),
            frame: None,
            ranks: 0,
            swapped: false,
        };
        for curve in &compact.curves {
            let cursor = Cursor::at(curve, bits, &compact.snapshots, 0);
            sampler.cursors.push(cursor);
        }
        for shape in [Shape::Rotation, Shape::Pair, Shape::Vector] {
            let all = 0..compact.outputs.len();
            // Outputs stand in the order of ranks.
            let of_shape: Vec<usize> = all
                .filter(|&i| compact.outputs.get(i).is_some_and(|o| o.shape == shape))
                .collect();
            for outputs in of_shape.chunks(LANES) {
                let block = Block::new(compact, shape, outputs, &sampler.cursors);
                sampler.blocks.push(block);
            }
        }
        sampler
    }

    /// Writes the animated channels of the joints of the first `ranks`, as far as `out` has them.
    pub(in super::super) fn pose(
        &mut self,
        compact: &Compact,
        bytes: &[u8],
        (frame, fraction): (u32, f32),
        smooth: bool,
        ranks: usize,
        out: &mut [Transform],
    ) {
        if smooth {
            self.fill(compact, bytes, false, frame, fraction, ranks);
            self.frame = None;
            for block in self.blocks.iter().filter(|b| b.first_rank < ranks) {
                block.write(block.frames(self.swapped).0, ranks, out);
            }
            return;
        }
        self.show_frame(compact, bytes, frame, ranks);
        for block in self.blocks.iter().filter(|b| b.first_rank < ranks) {
            let (a, b) = block.frames(self.swapped);
            let weights = block.blend.map(|blend| blend * fraction);
            let values = between(block.shape, a, b, &block.arc, weights);
            block.write(&values, ranks, out);
        }
    }

    /// Makes the buffers hold `frame` and the one after it, reusing what they have.
    pub(in super::super) fn show_frame(
        &mut self,
        compact: &Compact,
        bytes: &[u8],
        frame: u32,
        ranks: usize,
    ) {
        let held = self.frame.filter(|_| self.ranks >= ranks);
        if held == Some(frame) {
            return;
        }
        let next = frame.saturating_add(1);
        if held.map(|f| f.saturating_add(1)) == Some(frame) {
            self.swapped = !self.swapped;
            self.fill(compact, bytes, true, next, 0.0, ranks);
        } else if held == Some(next) {
            self.swapped = !self.swapped;
            self.fill(compact, bytes, false, frame, 0.0, ranks);
        } else {
            self.fill(compact, bytes, false, frame, 0.0, ranks);
            self.fill(compact, bytes, true, next, 0.0, ranks);
        }
        for block in self.blocks.iter_mut().filter(|b| b.first_rank < ranks) {
            let (a, b) = block.frames(self.swapped);
            block.arc = arc(block.shape, a, b);
        }
        self.frame = Some(frame);
        self.ranks = ranks;
    }

    /// Evaluates all channels at one time, into the buffer of the later or the earlier frame.
    fn fill(
        &mut self,
        compact: &Compact,
        bytes: &[u8],
        later: bool,
        frame: u32,
        fraction: f32,
        ranks: usize,
    ) {
        let bits = compact.bits(bytes);
        for block in self.blocks.iter_mut().filter(|b| b.first_rank < ranks) {
            for (lane, slot) in block.slots.iter().enumerate() {
                let both = if block.shape == Shape::Pair { 2 } else { 1 };
                for which in 0..both {
                    let index = (slot.curve as usize).saturating_add(which);
                    let (Some(curve), Some(cursor)) =
                        (compact.curves.get(index), self.cursors.get_mut(index))
                    else {
                        continue;
                    };
                    if cursor.seek(curve, bits, &compact.snapshots, frame) {
                        let window = cursor.window(curve);
                        block.curves.set(which, lane, &window, curve.mode);
                    }
                }
            }
            let shape = block.shape;
            let values = block
                .curves
                .values(shape, &block.reference, frame as f32, fraction);
            let [first, second] = &mut block.buffers;
            *(if later == self.swapped { first } else { second }) = values;
        }
    }
}

impl Block {
    fn new(compact: &Compact, shape: Shape, outputs: &[usize], cursors: &[Cursor]) -> Self {
        let mut block = Self {
            shape,
            curves: Curves::new(shape),
            reference: [[0.0; LANES]; 4],
            buffers: [[[0.0; LANES]; 4]; 2],
            arc: Arc::NONE,
            blend: [1.0; LANES],
            slots: Vec::with_capacity(outputs.len()),
            first_rank: usize::MAX,
        };
        for (lane, &index) in outputs.iter().enumerate() {
            let Some(output) = compact.outputs.get(index) else {
                continue;
            };
            let first = output.curve as usize;
            let own = compact
                .curves_of(output)
                .iter()
                .zip(cursors.iter().skip(first));
            for (which, (curve, cursor)) in own.enumerate() {
                let window = cursor.window(curve);
                block.curves.set(which, lane, &window, curve.mode);
            }
            let reference = compact.references.get(index).copied().unwrap_or_default();
            for (row, value) in block.reference.iter_mut().zip(reference) {
                if let Some(place) = row.get_mut(lane) {
                    *place = value;
                }
            }
            if let Some(blend) = block.blend.get_mut(lane) {
                *blend = if compact.holds(index) { 0.0 } else { 1.0 };
            }
            block.first_rank = block.first_rank.min(usize::from(output.rank));
            block.slots.push(Slot {
                joint: output.joint,
                rank: output.rank,
                channel: output.channel,
                curve: output.curve,
            });
        }
        block
    }

    /// The values at the earlier and at the later frame.
    fn frames(&self, swapped: bool) -> (&Values<4, LANES>, &Values<4, LANES>) {
        let [first, second] = &self.buffers;
        if swapped {
            (second, first)
        } else {
            (first, second)
        }
    }

    #[inline]
    fn write(&self, values: &Values<4, LANES>, ranks: usize, out: &mut [Transform]) {
        for (slot, value) in self.slots.iter().zip(columns(values)) {
            if usize::from(slot.rank) >= ranks {
                return;
            }
            if let Some(joint) = out.get_mut(usize::from(slot.joint)) {
                put(joint, slot.channel, value);
            }
        }
    }
}
