//! One stored curve: its header, its keys one after the other, and the way to any of them.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::super::bytes::Reader;
use super::super::spline::Window;
use super::super::{Error, MAX_VALUE};
use super::bits::{Bits, Rice, unzigzag};
use super::header::Source;
use super::values;
use std::ops::Range;

/// Keys between two snapshots.
const STRIDE: u32 = 8;

/// A cursor this many frames before where it should be jumps instead of walking.
const WALK_FRAMES: u32 = 64;

/// Largest magnitude of a key of a rotation, in track space: far beyond what a writer has a use for.
pub(super) const MAX_ROTATION_KEY: f32 = 64.0;

/// How a curve runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mode {
    /// A key on every frame.
    Dense = 0,
    /// Straight lines between keys.
    Linear = 1,
    /// A Catmull-Rom spline with parabolic tangents through keys.
    Spline = 2,
    /// Every key holds until the next.
    Step = 3,
}

impl Mode {
    /// All modes, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Dense, Self::Linear, Self::Spline, Self::Step];
}

/// What a component's next integer is expected to be: the last one, and a part of the slope that led to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Predictor(u8);

impl Predictor {
    /// The last integer again.
    pub const LAST: Self = Self(2);

    /// Bits of a predictor's number.
    pub const BITS: u32 = 3;

    /// All predictors, in the order of their numbers.
    pub const ALL: [Self; 8] = [
        Self(0),
        Self(1),
        Self(2),
        Self(3),
        Self(4),
        Self(5),
        Self(6),
        Self(7),
    ];

    /// Its number.
    pub fn code(self) -> u32 {
        u32::from(self.0)
    }

    /// The integer expected after `before` and `last`, `gaps` being the frames between them, and from `last` on.
    ///
    /// The number less 2 is how many quarters of the slope go on; 0 frames stand for no slope.
    #[inline]
    pub fn predict(self, before: i32, last: i32, gaps: [u32; 2]) -> i32 {
        let [gap, next] = gaps.map(i64::from);
        if gap == 0 {
            return last;
        }
        let slope = i64::from(last.wrapping_sub(before));
        let quarters = i64::from(self.0).wrapping_sub(2).wrapping_mul(slope);
        let on = if gap == next {
            quarters >> 2
        } else {
            quarters.wrapping_mul(next).div_euclid(gap.wrapping_mul(4))
        };
        last.wrapping_add(on as i32)
    }
}

/// How the integers of a curve's keys are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Fields {
    /// Differences from a prediction, the same for all components.
    Shared = 0,
    /// Differences from a prediction of each component.
    Each = 1,
    /// So many bits a component, above a minimum.
    Fixed = 2,
}

impl Fields {
    /// All kinds, those first that take the fewest bits to name: 0, 1 0, 1 1.
    pub const ALL: [Self; 3] = [Self::Shared, Self::Each, Self::Fixed];
}

/// How one component of a curve's keys is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    /// Always the first key's.
    Constant,
    /// So many bits above the minimum.
    Fixed(u32),
    /// Differences from a prediction.
    Rice(Predictor),
}

/// The keys on the other side of a loop's seam.
#[derive(Clone, Copy, Debug)]
pub(super) struct Across {
    /// The last but one, which comes a period before the first key.
    before: Key,
    /// The second, which comes a period after the last key.
    after: Key,
}

#[derive(Clone, Debug)]
pub(super) struct Curve {
    pub(super) mode: Mode,
    pub(super) components: [Component; 3],
    /// The minimum of fixed fields.
    pub(super) minimum: [i32; 3],
    pub(super) columns: [[f32; 3]; 3],
    pub(super) last_frame: u32,
    /// The value of the last frame, if it is that of the first.
    pub(super) closing: Option<[i32; 3]>,
    /// The neighbours across the seam, of a closed spline in a loop.
    pub(super) across: Option<Across>,
    /// Keys in all.
    pub(super) keys: u32,
    /// First bit of the header, within the section.
    pub(super) start: u32,
    /// Past the last bit.
    pub(super) end: u32,
    /// Where its snapshots stand among all.
    pub(super) snapshots: Range<u32>,
}

/// The decoder of a curve's keys, as it stands after one of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// The next bit.
    pub(super) at: u32,
    /// The last key and the one before, of which the first key has none.
    pub(super) frames: [u32; 2],
    pub(super) values: [[i32; 3]; 2],
    pub(super) means: [Rice; 3],
    pub(super) gaps: Rice,
}

/// A key, decoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub(super) frame: u32,
    pub(super) value: [f32; 3],
}

impl Curve {
    /// Walks over all keys once: checks them, counts them, and leaves snapshots on the way.
    pub(super) fn scan(
        &mut self,
        source: &mut Source<'_>,
        first: State,
        most: f32,
        r: &Reader<'_>,
        snapshots: &mut Vec<State>,
    ) -> Result<(), Error> {
        if self.mode == Mode::Dense && self.components == [Component::Constant; 3] {
            return Err(source.invalid(r, "a curve with a key on every frame is constant"));
        }
        let from = snapshots.len() as u32;
        let mut state = first;
        loop {
            source.at = state.at;
            source.check(r)?;
            let [before, frame] = state.frames;
            if frame > self.last_frame || (frame == before && frame > 0) {
                return Err(source.invalid(r, "a key lies after the last frame"));
            }
            let [_, value] = state.values;
            let bounded = |c: &f32| c.abs() <= most.min(MAX_VALUE);
            if !values::place(&self.columns, value).iter().all(bounded) {
                return Err(source.invalid(r, "a key is too large"));
            }
            if self.keys % STRIDE == 1 {
                snapshots.push(state);
            }
            if !self.advance(source.bits, &mut state) {
                break;
            }
            self.keys = self.keys.saturating_add(1);
        }
        source.at = state.at;
        source.check(r)?;
        self.end = state.at;
        self.snapshots = from..snapshots.len() as u32;
        Ok(())
    }

    /// Decodes the next key; `false` at the end of the curve.
    #[inline]
    fn advance(&self, bits: Bits<'_>, state: &mut State) -> bool {
        let [before, frame] = state.frames;
        if frame >= self.last_frame {
            return false;
        }
        let gap = match self.mode {
            Mode::Dense => 0,
            _ => bits.take_rice(&mut state.at, &mut state.gaps),
        };
        let next = frame.saturating_add(1).saturating_add(gap);
        if self.mode == Mode::Step && next > self.last_frame {
            return false;
        }
        state.frames = [frame, next];
        if let Some(first) = self.closing.filter(|_| next == self.last_frame) {
            let [_, last] = state.values;
            state.values = [last, first];
            return true;
        }
        let gaps = [frame.saturating_sub(before), next.saturating_sub(frame)];
        self.read_values(bits, state, gaps);
        true
    }

    #[inline]
    pub(super) fn read_values(&self, bits: Bits<'_>, state: &mut State, gaps: [u32; 2]) {
        let [before, last] = &mut state.values;
        let stored = self.components.iter().zip(&self.minimum);
        let known = before.iter_mut().zip(last).zip(&mut state.means);
        for ((component, minimum), ((before, last), mean)) in stored.zip(known) {
            let value = match component {
                Component::Constant => *minimum,
                Component::Fixed(width) => {
                    minimum.wrapping_add(bits.take(&mut state.at, *width) as i32)
                }
                Component::Rice(predictor) => {
                    let off = unzigzag(bits.take_rice(&mut state.at, mean));
                    predictor.predict(*before, *last, gaps).wrapping_add(off)
                }
            };
            *before = *last;
            *last = value;
        }
    }

    fn newest(&self, state: &State) -> Key {
        let ([_, frame], [_, value]) = (state.frames, state.values);
        self.key(frame, value)
    }

    fn key(&self, frame: u32, value: [i32; 3]) -> Key {
        Key {
            frame,
            value: values::place(&self.columns, value),
        }
    }

    /// Finds the keys across the seam, if the curve has any use for them. The curve has been scanned.
    pub(super) fn join_ends(&mut self, bits: Bits<'_>, snapshots: &[State]) {
        if self.mode != Mode::Spline || self.closing.is_none() {
            return;
        }
        let at = |frame| Cursor::at(self, bits, snapshots, frame);
        let before = at(self.last_frame.saturating_sub(1)).start;
        let after = at(0).end;
        self.across = after.map(|after| Across { before, after });
    }

    /// Bits that the curve takes with its header.
    pub(super) fn bits(&self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// The frames of all keys in order.
    pub(super) fn key_frames(&self, bits: Bits<'_>, snapshots: &[State]) -> Vec<u32> {
        let mut frames = Vec::with_capacity(self.keys as usize);
        let Some(mut state) = snapshots.get(self.snapshots.start as usize).copied() else {
            return frames;
        };
        loop {
            let [_, frame] = state.frames;
            frames.push(frame);
            if !self.advance(bits, &mut state) {
                return frames;
            }
        }
    }
}

/// The segment of a curve around a frame, and how to get to the next one.
#[derive(Clone, Debug)]
pub(super) struct Cursor {
    state: State,
    before: Option<Key>,
    start: Key,
    end: Option<Key>,
    after: Option<Key>,
}

impl Cursor {
    /// The segment around a frame. Cost: a binary search over the snapshots, and some keys to decode.
    pub(super) fn at(curve: &Curve, bits: Bits<'_>, snapshots: &[State], frame: u32) -> Self {
        let from = curve.snapshots.start as usize;
        let own = snapshots.get(from..curve.snapshots.end as usize);
        let own = own.unwrap_or_default();
        let passed = own.partition_point(|s| {
            let [_, at] = s.frames;
            at <= frame
        });
        let index = passed.saturating_sub(1);
        // A curve that has been scanned has a snapshot at its first key.
        let mut state = own.get(index).copied().unwrap_or(State {
            at: 0,
            frames: [0; 2],
            values: [[0; 3]; 2],
            means: [Rice::new(0); 3],
            gaps: Rice::new(0),
        });
        // Keys on the way are decoded, but not placed.
        let mut first = index == 0;
        let mut next = state;
        while curve.advance(bits, &mut next) {
            let [_, at] = next.frames;
            if at > frame {
                break;
            }
            state = next;
            first = false;
        }
        let ([at, _], [value, _]) = (state.frames, state.values);
        let mut cursor = Self {
            state,
            before: (!first).then(|| curve.key(at, value)),
            start: curve.newest(&state),
            end: None,
            after: None,
        };
        cursor.end = cursor.read(curve, bits);
        if cursor.end.is_some() {
            cursor.after = cursor.read(curve, bits);
        }
        cursor
    }

    /// Goes to the segment around a frame; whether that is another one.
    #[inline]
    pub(super) fn seek(
        &mut self,
        curve: &Curve,
        bits: Bits<'_>,
        snapshots: &[State],
        frame: u32,
    ) -> bool {
        let end = self.end.map_or(u32::MAX, |key| key.frame);
        if frame >= self.start.frame && frame < end {
            return false;
        }
        if frame < self.start.frame || frame.saturating_sub(end) > WALK_FRAMES {
            *self = Self::at(curve, bits, snapshots, frame);
        } else {
            self.walk(curve, bits, frame);
        }
        true
    }

    fn walk(&mut self, curve: &Curve, bits: Bits<'_>, frame: u32) {
        while let Some(end) = self.end.filter(|end| end.frame <= frame) {
            self.before = Some(self.start);
            self.start = end;
            self.end = self.after;
            self.after = if self.end.is_some() {
                self.read(curve, bits)
            } else {
                None
            };
        }
    }

    fn read(&mut self, curve: &Curve, bits: Bits<'_>) -> Option<Key> {
        let more = curve.advance(bits, &mut self.state);
        more.then(|| curve.newest(&self.state))
    }

    /// The keys that shape the segment. After the last key that key holds.
    pub(super) fn window(&self, curve: &Curve) -> Window<f32, 3> {
        let place = |key: Key| (key.frame as f32, key.value);
        let start = place(self.start);
        let end = self.end.map_or(start, place);
        let (mut before, mut after) = (None, None);
        if curve.mode == Mode::Spline {
            let period = curve.last_frame as f32;
            let later = |key: Key, by: f32| (key.frame as f32 + by, key.value);
            let across = curve.across.filter(|_| self.end.is_some());
            let earlier = across.map(|a| later(a.before, -period));
            before = self.before.map(place).or(earlier);
            after = self.after.map(place);
            after = after.or(across.map(|a| later(a.after, period)));
        }
        let keys = [before.unwrap_or(start), start, end, after.unwrap_or(end)];
        Window {
            values: keys.map(|(_, value)| value),
            times: keys.map(|(time, _)| time),
            has_previous: before.is_some(),
            has_next: after.is_some(),
        }
    }
}
