//! The animation section of the codec `uniform`: every frame of every track that moves, frame after frame.
//!
//! After the codec's byte, 3:
//!
//! | type | content |
//! |---|---|
//! | `u8` x 3 x joints | for each joint the states of its channels, lowest byte first: bits 0 and 1 the rotation (0 rest pose, 1 constant, 2 animated), bits 2 to 7 the x, y and z of the translation, two bits each likewise, bits 8 to 13 those of the scale; bit 14: the x of the scale stands for y and z too, whose states are 0; bits 15 to 17: rotation, translation, scale keep each frame's value until the next; the others 0 |
//! | fixed values | for each joint, rotation first: a constant rotation `u8` the index of the dropped component and `f32` x 3 the others; each constant component `f32`; each animated component `f32` x 2, minimum and extent |
//! | `u16` x words x frames | for each frame, for each joint, what is animated: a rotation three words ([`super::rotation_48`]), a component one ([`super::vector_component`]) |
//!
//! All frames have the same number of words, so a joint has its place in a frame, and any joint at any time is
//! two reads; the first joints of a frame are a prefix of it. After B. Anguelov, "Animation compression" (2020): every
//! track in its own range, what does not move stored once. Between frames see [`crate::runtime`]; evaluating
//! the curve between frames means the same here.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod player;

pub(super) use player::UniformSampler;

use super::animation::{At, Place, Stored};
use super::bytes::{Reader, u16_at};
use super::lanes::{Arc, normalise, slerp};
use super::order::Order;
use super::quantise::{rotation_48, vector_component};
use super::riot::constant_rotation;
use super::view::{Key, set_channel};
use super::{Channel, ClipInfo, Error, Tangents, Transform};
use std::ops::Range;

/// First byte of the animation section.
pub const CODEC_UNIFORM: u8 = 3;

/// Bytes of a joint's states.
pub const STATE_BYTES: usize = 3;

/// State bit: the x of the scale stands for y and z too.
pub const EVEN_SCALE: u32 = 1 << 14;

/// State bit by channel: each frame's value is kept until the next.
pub fn hold_bit(channel: Channel) -> u32 {
    1 << (15_u32.saturating_add(channel as u32))
}

/// A component of a vector.
#[derive(Clone, Copy, Debug)]
enum Part {
    Rest,
    Constant(f32),
    /// Place in a frame, minimum and extent.
    Animated(u32, f32, f32),
}

#[derive(Clone, Copy, Debug)]
enum Value {
    /// Place in a frame of the first of three words.
    Rotation(u32),
    Constant([f32; 4]),
    /// The last says whether x stands for all three.
    Vector([Part; 3], bool),
}

/// A channel of a joint that is not in its rest pose.
#[derive(Clone, Debug)]
struct Entry {
    joint: u16,
    /// Place of the joint in the section.
    rank: u16,
    channel: Channel,
    holds: bool,
    value: Value,
}

impl Entry {
    fn moves(&self) -> bool {
        match self.value {
            Value::Rotation(_) => true,
            Value::Constant(_) => false,
            Value::Vector(parts, _) => parts.iter().any(|p| matches!(p, Part::Animated(..))),
        }
    }

    /// Bytes of the fixed values and of one frame.
    fn bytes(&self) -> (usize, usize) {
        match self.value {
            Value::Rotation(_) => (0, 6),
            Value::Constant(_) => (13, 0),
            Value::Vector(parts, _) => parts.iter().fold((0, 0), |(fixed, frame), p| match p {
                Part::Rest => (fixed, frame),
                Part::Constant(_) => (4_usize.saturating_add(fixed), frame),
                Part::Animated(..) => {
                    (8_usize.saturating_add(fixed), 2_usize.saturating_add(frame))
                }
            }),
        }
    }
}

/// Everything about the section that is not read from the bytes again.
#[derive(Clone, Debug)]
pub(super) struct Uniform {
    tracks: Vec<Entry>,
    constants: Vec<Entry>,
    /// Where the frames stand in the file.
    frames: Range<usize>,
    /// Bytes of a frame.
    stride: usize,
    last_frame: u32,
}

impl Uniform {
    pub(super) fn parse(mut r: Reader<'_>, info: &ClipInfo, order: &Order) -> Result<Self, Error> {
        let states = r.take_items(info.joints, STATE_BYTES)?;
        let mut uniform = Self {
            tracks: Vec::new(),
            constants: Vec::new(),
            frames: 0..0,
            stride: 0,
            last_frame: info.last_frame(),
        };
        let mut words = 0_u32;
        for (rank, state) in (0..).zip(states.chunks_exact(STATE_BYTES)) {
            let joint = order.joint(rank);
            let state = state
                .iter()
                .rev()
                .fold(0_u32, |all, &b| (all << 8) | u32::from(b));
            uniform.joint(&mut r, (joint, rank), state, &mut words)?;
        }
        uniform.stride = (words as usize).saturating_mul(2);
        let start = r.offset();
        let bytes = r.take_items(info.frames as usize, uniform.stride)?.len();
        uniform.frames = start..start.saturating_add(bytes);
        r.end()?;
        Ok(uniform)
    }

    fn joint(
        &mut self,
        r: &mut Reader<'_>,
        (joint, rank): (u16, u16),
        state: u32,
        words: &mut u32,
    ) -> Result<(), Error> {
        if state >> 18 != 0 {
            return Err(r.invalid("the states of a joint have a bit that version 1 has not"));
        }
        let all = state & EVEN_SCALE != 0;
        if all && (state >> 10) & 0xF != 0 {
            return Err(r.invalid("a scale has one value for all axes, and others besides"));
        }
        for channel in Channel::ALL {
            let value = match channel {
                Channel::Rotation => rotation(r, state & 3, words)?,
                Channel::Translation => vector(r, state >> 2, false, words)?,
                Channel::Scale => vector(r, state >> 8, all, words)?,
            };
            let holds = state & hold_bit(channel) != 0;
            let entry = value.map(|value| Entry {
                joint,
                rank,
                channel,
                holds,
                value,
            });
            if holds && !entry.as_ref().is_some_and(Entry::moves) {
                return Err(r.invalid("a channel keeps its frames' values but has none"));
            }
            match entry {
                Some(entry) if entry.moves() => self.tracks.push(entry),
                Some(entry) => self.constants.push(entry),
                None => {}
            }
        }
        Ok(())
    }

    /// A word of a frame; frames after the last one are the last.
    #[inline]
    fn word(&self, bytes: &[u8], frame: u32, word: u32) -> u16 {
        let frame = frame.min(self.last_frame) as usize;
        let at = self
            .frames
            .start
            .saturating_add(frame.saturating_mul(self.stride));
        u16_at(bytes, at.saturating_add((word as usize).saturating_mul(2))).unwrap_or(0)
    }

    /// A rotation of a frame, of length 1 in all files that a writer makes.
    #[inline]
    fn rotation(&self, bytes: &[u8], frame: u32, word: u32) -> [f32; 4] {
        let word = |i: u32| self.word(bytes, frame, word.saturating_add(i));
        rotation_48([word(0), word(1), word(2)])
    }

    /// The components of a vector at a time, over those of its base.
    fn vector(
        &self,
        bytes: &[u8],
        (frame, weight): (u32, f32),
        (parts, all): ([Part; 3], bool),
        base: [f32; 3],
    ) -> [f32; 3] {
        let mut out = base;
        for (out, part) in out.iter_mut().zip(parts) {
            *out = match part {
                Part::Rest => *out,
                Part::Constant(value) => value,
                Part::Animated(word, min, extent) => {
                    let at = |frame| vector_component(self.word(bytes, frame, word), min, extent);
                    lerp(at(frame), at(frame.saturating_add(1)), weight)
                }
            };
        }
        let [x, ..] = out;
        if all { [x; 3] } else { out }
    }
}

#[inline]
fn lerp(a: f32, b: f32, weight: f32) -> f32 {
    a + (b - a) * weight
}

fn rotation(r: &mut Reader<'_>, state: u32, words: &mut u32) -> Result<Option<Value>, Error> {
    match state {
        0 => Ok(None),
        1 => constant_rotation(r).map(|q| Some(Value::Constant(q))),
        2 => Ok(Some(Value::Rotation(next(words, 3)))),
        _ => Err(r.invalid("the state of a rotation is unknown")),
    }
}

fn vector(
    r: &mut Reader<'_>,
    states: u32,
    all: bool,
    words: &mut u32,
) -> Result<Option<Value>, Error> {
    let mut parts = [Part::Rest; 3];
    for (axis, part) in (0_u32..).zip(&mut parts) {
        *part = match (states >> axis.saturating_mul(2)) & 3 {
            0 => Part::Rest,
            1 => Part::Constant(bounded(r)?),
            2 => Part::Animated(next(words, 1), bounded(r)?, bounded(r)?),
            _ => return Err(r.invalid("the state of a component is unknown")),
        };
    }
    let rests = parts.iter().all(|p| matches!(p, Part::Rest));
    if all && rests {
        return Err(r.invalid("a scale has one value for all axes, but none is stored"));
    }
    Ok((!rests).then_some(Value::Vector(parts, all)))
}

fn next(words: &mut u32, count: u32) -> u32 {
    let word = *words;
    *words = words.saturating_add(count);
    word
}

/// A number that keeps what a player computes finite.
fn bounded(r: &mut Reader<'_>) -> Result<f32, Error> {
    let at = r.offset();
    let value = r.f32()?;
    r.rule(
        value.abs() <= super::MAX_VALUE,
        at,
        "a value is too large or not a number",
    )?;
    Ok(value)
}

impl Stored for Uniform {
    fn tracks(&self) -> Vec<Place> {
        self.tracks.iter().map(|e| (e.joint, e.channel)).collect()
    }

    fn constants(&self) -> Vec<Place> {
        let constants = self.constants.iter();
        constants.map(|e| (e.joint, e.channel)).collect()
    }

    fn resolve(&mut self, _: &[Transform], _: &[f32], base: &mut [Transform]) {
        for (i, entry) in self.constants.iter().enumerate() {
            if let Some(joint) = base.get_mut(usize::from(entry.joint)) {
                let value = self.constant(i, joint);
                set_channel(joint, entry.channel, value);
            }
        }
        for entry in &self.tracks {
            let Value::Vector(parts, all) = entry.value else {
                continue;
            };
            if let Some(joint) = base.get_mut(usize::from(entry.joint)) {
                let [x, y, z] =
                    self.vector(&[], (0, 0.0), (parts, all), part_of(joint, entry.channel));
                set_channel(joint, entry.channel, [x, y, z, 0.0]);
            }
        }
    }

    fn tangents(&self) -> Tangents {
        Tangents::default()
    }

    fn holds(&self, track: usize) -> bool {
        self.tracks.get(track).is_some_and(|e| e.holds)
    }

    fn value(&self, bytes: &[u8], track: usize, at: At, base: &Transform) -> [f32; 4] {
        let Some(entry) = self.tracks.get(track) else {
            return [0.0; 4];
        };
        let weight = if entry.holds { 0.0 } else { at.fraction };
        match entry.value {
            Value::Constant(value) => value,
            Value::Vector(parts, all) => {
                let base = part_of(base, entry.channel);
                let [x, y, z] = self.vector(bytes, (at.frame, weight), (parts, all), base);
                [x, y, z, 0.0]
            }
            Value::Rotation(word) => {
                let unit = |frame| {
                    let mut q = self.rotation(bytes, frame, word).map(|c| [c]);
                    normalise(&mut q);
                    q
                };
                let (a, b) = (unit(at.frame), unit(at.frame.saturating_add(1)));
                let between = if at.fraction == 0.0 {
                    a
                } else {
                    slerp(&a, &b, &Arc::new(&a, &b), &[weight])
                };
                between.map(|[c]| c)
            }
        }
    }

    fn constant(&self, constant: usize, rest: &Transform) -> [f32; 4] {
        match self.constants.get(constant).map(|e| (e.value, e.channel)) {
            Some((Value::Constant(value), _)) => value,
            Some((Value::Vector(parts, all), channel)) => {
                let [x, y, z] = self.vector(&[], (0, 0.0), (parts, all), part_of(rest, channel));
                [x, y, z, 0.0]
            }
            _ => [0.0; 4],
        }
    }

    fn keys(&self, bytes: &[u8], track: usize, base: &Transform) -> Vec<Key> {
        let key = |frame: u32| Key {
            frame: frame as f32,
            value: self.value(bytes, track, At::frame(frame), base),
        };
        (0..=self.last_frame).map(key).collect()
    }

    fn track_bytes(&self, track: usize) -> usize {
        let (fixed, frame) = self.tracks.get(track).map_or((0, 0), Entry::bytes);
        let frames = (self.last_frame as usize).saturating_add(1);
        frame.saturating_mul(frames).saturating_add(fixed)
    }

    fn constant_bytes(&self, constant: usize) -> usize {
        self.constants.get(constant).map_or(0, |e| e.bytes().0)
    }
}

/// A vector channel of a transform.
fn part_of(t: &Transform, channel: Channel) -> [f32; 3] {
    match channel {
        Channel::Scale => t.scale,
        _ => t.translation,
    }
}
