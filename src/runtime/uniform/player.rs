//! Plays the codec `uniform`.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::super::lanes::{Arc, LANES, Values, columns, normalise, slerp};
use super::super::quantise::vector_component;
use super::super::{Channel, Transform};
use super::{Part, Uniform, Value, lerp};

/// The part of a sampler that belongs to this codec: two frames are kept, poses between them are interpolated.
///
/// A new frame costs one read of what is animated; a jump costs two.
#[derive(Clone, Debug)]
pub(in super::super) struct UniformSampler {
    turns: Vec<Turns>,
    moves: Vec<Move>,
    frame: Option<u32>,
    /// Of how many ranks of joints, from the first on, the buffers hold the values.
    ranks: usize,
    /// Which of the two buffers holds the earlier frame.
    swapped: bool,
    /// Whether the arcs are those between the two frames.
    joined: bool,
}

/// Some rotations, in the order of the section.
#[derive(Clone, Debug)]
struct Turns {
    slots: Vec<TurnSlot>,
    /// 0 for what is held, else 1.
    blend: [f32; LANES],
    buffers: [Values<4, LANES>; 2],
    arc: Arc<LANES>,
}

#[derive(Clone, Copy, Debug)]
struct TurnSlot {
    joint: u16,
    rank: u16,
    word: u32,
}

/// One component of a vector.
#[derive(Clone, Copy, Debug)]
struct Move {
    joint: u16,
    rank: u16,
    channel: Channel,
    axis: usize,
    /// It stands for all axes.
    all: bool,
    blend: f32,
    word: u32,
    min: f32,
    extent: f32,
    buffers: [f32; 2],
}

impl UniformSampler {
    /// Allocates all that it will ever need.
    pub(in super::super) fn new(uniform: &Uniform) -> Self {
        let mut turns: Vec<(TurnSlot, f32)> = Vec::new();
        let mut moves = Vec::new();
        for entry in &uniform.tracks {
            let (joint, rank) = (entry.joint, entry.rank);
            let blend = if entry.holds { 0.0 } else { 1.0 };
            match entry.value {
                Value::Rotation(word) => turns.push((TurnSlot { joint, rank, word }, blend)),
                Value::Constant(_) => {}
                Value::Vector(parts, all) => {
                    for (axis, part) in parts.into_iter().enumerate() {
                        if let Part::Animated(word, min, extent) = part {
                            moves.push(Move {
                                joint,
                                rank,
                                channel: entry.channel,
                                axis,
                                all,
                                blend,
                                word,
                                min,
                                extent,
                                buffers: [0.0; 2],
                            });
                        }
                    }
                }
            }
        }
        Self {
            turns: turns.chunks(LANES).map(Turns::new).collect(),
            moves,
            frame: None,
            ranks: 0,
            swapped: false,
            joined: false,
        }
    }

    /// Writes the animated channels of the joints of the first `ranks`, as far as `out` has them.
    pub(in super::super) fn pose(
        &mut self,
        uniform: &Uniform,
        bytes: &[u8],
        (frame, fraction): (u32, f32),
        ranks: usize,
        out: &mut [Transform],
    ) {
        self.show_frame(uniform, bytes, frame, ranks);
        let (earlier, later) = self.places();
        if fraction != 0.0 && !self.joined {
            for turns in &mut self.turns {
                if let (Some(a), Some(b)) = (turns.buffers.get(earlier), turns.buffers.get(later)) {
                    turns.arc = Arc::new(a, b);
                }
            }
            self.joined = true;
        }
        for turns in self.turns.iter().filter(|t| t.first_rank() < ranks) {
            turns.write(earlier, later, fraction, ranks, out);
        }
        for m in self.moves.iter().filter(|m| usize::from(m.rank) < ranks) {
            let [first, second] = m.buffers;
            let (a, b) = if self.swapped {
                (second, first)
            } else {
                (first, second)
            };
            let value = lerp(a, b, m.blend * fraction);
            if let Some(joint) = out.get_mut(usize::from(m.joint)) {
                m.put(joint, value);
            }
        }
    }

    fn places(&self) -> (usize, usize) {
        if self.swapped { (1, 0) } else { (0, 1) }
    }

    /// Makes the buffers hold `frame` and the one after it, reusing what they have.
    pub(in super::super) fn show_frame(
        &mut self,
        uniform: &Uniform,
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
            self.fill(uniform, bytes, self.places().1, next, ranks);
        } else if held == Some(next) {
            self.swapped = !self.swapped;
            self.fill(uniform, bytes, self.places().0, frame, ranks);
        } else {
            let (earlier, later) = self.places();
            self.fill(uniform, bytes, earlier, frame, ranks);
            self.fill(uniform, bytes, later, next, ranks);
        }
        self.joined = false;
        self.frame = Some(frame);
        self.ranks = ranks;
    }

    fn fill(&mut self, uniform: &Uniform, bytes: &[u8], place: usize, frame: u32, ranks: usize) {
        for turns in self.turns.iter_mut().filter(|t| t.first_rank() < ranks) {
            let Some(buffer) = turns.buffers.get_mut(place) else {
                continue;
            };
            for (lane, slot) in turns.slots.iter().enumerate() {
                let q = uniform.rotation(bytes, frame, slot.word);
                for (row, c) in buffer.iter_mut().zip(q) {
                    if let Some(value) = row.get_mut(lane) {
                        *value = c;
                    }
                }
            }
            normalise(buffer);
        }
        for m in &mut self.moves {
            let word = uniform.word(bytes, frame, m.word);
            if let Some(value) = m.buffers.get_mut(place) {
                *value = vector_component(word, m.min, m.extent);
            }
        }
    }
}

impl Turns {
    fn new(slots: &[(TurnSlot, f32)]) -> Self {
        let mut turns = Self {
            slots: slots.iter().map(|&(slot, _)| slot).collect(),
            blend: [1.0; LANES],
            buffers: [[[0.0; LANES]; 4]; 2],
            arc: Arc::NONE,
        };
        for (blend, &(_, wanted)) in turns.blend.iter_mut().zip(slots) {
            *blend = wanted;
        }
        turns
    }

    fn first_rank(&self) -> usize {
        self.slots
            .first()
            .map_or(usize::MAX, |s| usize::from(s.rank))
    }

    fn write(
        &self,
        earlier: usize,
        later: usize,
        fraction: f32,
        ranks: usize,
        out: &mut [Transform],
    ) {
        let (Some(a), Some(b)) = (self.buffers.get(earlier), self.buffers.get(later)) else {
            return;
        };
        let weights = self.blend.map(|blend| blend * fraction);
        let between = if fraction == 0.0 {
            *a
        } else {
            slerp(a, b, &self.arc, &weights)
        };
        for (slot, value) in self.slots.iter().zip(columns(&between)) {
            if usize::from(slot.rank) >= ranks {
                return;
            }
            if let Some(joint) = out.get_mut(usize::from(slot.joint)) {
                joint.rotation = value;
            }
        }
    }
}

impl Move {
    fn put(&self, joint: &mut Transform, value: f32) {
        let vector = match self.channel {
            Channel::Scale => &mut joint.scale,
            _ => &mut joint.translation,
        };
        if self.all {
            *vector = [value; 3];
        } else if let Some(place) = vector.get_mut(self.axis) {
            *place = value;
        }
    }
}
