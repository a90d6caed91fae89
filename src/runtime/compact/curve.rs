//! One stored curve: its header, its keys one after the other, and the way to any of them.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::super::bytes::Reader;
use super::super::spline::Window;
use super::super::{Error, MAX_VALUE};
use super::bits::{Bits, Rice, unzigzag};
use super::values::{self, BASIS_BITS};
use std::ops::Range;

/// Keys between two snapshots.
const STRIDE: u32 = 16;

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
    /// So many bits a component, above a minimum.
    Fixed = 0,
    /// Differences from a prediction, the same for all components.
    Shared = 1,
    /// Differences from a prediction of each component.
    Each = 2,
}

impl Fields {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Fixed, Self::Shared, Self::Each];
}

/// How one component of a curve's keys is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Component {
    /// Always the first key's.
    Constant,
    /// So many bits above the minimum.
    Fixed(u32),
    /// Differences from a prediction.
    Rice(Predictor),
}

#[derive(Clone, Debug)]
pub(super) struct Curve {
    pub(super) mode: Mode,
    components: [Component; 3],
    /// The minimum of fixed fields.
    minimum: [i32; 3],
    columns: [[f32; 3]; 3],
    last_frame: u32,
    /// The value of the last frame, if it is that of the first.
    closing: Option<[i32; 3]>,
    /// Keys in all.
    keys: u32,
    /// First bit of the header, within the section.
    start: u32,
    /// Past the last bit.
    end: u32,
    /// Where its snapshots stand among all.
    snapshots: Range<u32>,
}

/// The decoder of a curve's keys, as it stands after one of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// The next bit.
    at: u32,
    /// The last key and the one before, of which the first key has none.
    frames: [u32; 2],
    values: [[i32; 3]; 2],
    means: [Rice; 3],
    gaps: Rice,
}

/// A key, decoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub(super) frame: u32,
    pub(super) value: [f32; 3],
}

/// Where in the section something is read, and how long the section is.
pub(super) struct Source<'a> {
    pub(super) bits: Bits<'a>,
    /// All bits of the section.
    pub(super) length: u32,
    pub(super) at: u32,
}

impl Source<'_> {
    pub(super) fn take(&mut self, width: u32) -> u32 {
        self.bits.take(&mut self.at, width)
    }

    pub(super) fn take_signed(&mut self, width: u32) -> i32 {
        self.bits.take_signed(&mut self.at, width)
    }

    /// Three components with a common width, which stands before them.
    pub(super) fn take_vector(&mut self) -> [i32; 3] {
        let width = self.take(5);
        [(); 3].map(|()| self.take_signed(width))
    }

    /// Fails if more has been read than there is.
    pub(super) fn check(&self, r: &Reader<'_>) -> Result<(), Error> {
        if self.at <= self.length {
            return Ok(());
        }
        let offset = r.offset().saturating_add(r.left());
        Err(Error::SectionTooShort {
            section: "animation".to_owned(),
            offset: offset as u64,
        })
    }

    /// The rule is broken by what stands at the next bit.
    pub(super) fn invalid(&self, r: &Reader<'_>, rule: &'static str) -> Error {
        let byte = (self.at.min(self.length) >> 3) as usize;
        r.invalid_at(r.offset().saturating_add(byte), rule)
    }
}

/// The fields that decide how a curve is decoded.
pub(super) struct Form {
    pub(super) mode: Mode,
    fields: Fields,
    basis: u32,
}

impl Form {
    /// Mode, kind of fields and basis from their common number; `None` for one that stands for nothing.
    pub(super) fn from_code(code: u32) -> Option<Self> {
        let basis = code.checked_rem(3)?;
        Some(Self {
            mode: *Mode::ALL.get(code.checked_div(9)? as usize)?,
            fields: *Fields::ALL.get(code.checked_div(3)?.checked_rem(3)? as usize)?,
            basis,
        })
    }
}

/// Everything of a curve's header, in its order.
pub(super) struct Header {
    pub(super) curve: Curve,
    pub(super) first: State,
}

impl Header {
    /// Reads what follows the step and, for a rotation, the reference.
    pub(super) fn parse(
        source: &mut Source<'_>,
        form: &Form,
        step: f32,
        start: u32,
        last_frame: u32,
        closed: bool,
    ) -> Self {
        let basis = (form.basis > 0).then(|| source.take(2 + 3 * BASIS_BITS));
        let stretch = if form.basis == 2 {
            [source.take(4), source.take(4), 0]
        } else {
            [0; 3]
        };
        let first = source.take_vector();
        let mut means = [Rice::new(0); 3];
        let predictor = |source: &mut Source<'_>| {
            let number = source.take(Predictor::BITS) as usize;
            Predictor::ALL.get(number).copied().unwrap_or(Predictor(2))
        };
        let components = if form.fields == Fields::Fixed {
            let width = if source.take(1) == 1 { 5 } else { 4 };
            [(); 3].map(|()| match source.take(width) {
                0 => Component::Constant,
                bits => Component::Fixed(bits),
            })
        } else {
            let shared = (form.fields == Fields::Shared).then(|| predictor(source));
            means.each_mut().map(|mean| match source.take(4) {
                15 => Component::Constant,
                code => {
                    *mean = Rice::new(code);
                    Component::Rice(shared.unwrap_or_else(|| predictor(source)))
                }
            })
        };
        let gaps = Rice::new(if form.mode == Mode::Dense {
            0
        } else {
            source.take(4)
        });
        let mut curve = Curve {
            mode: form.mode,
            components,
            minimum: first,
            columns: values::columns(step, basis, stretch),
            last_frame,
            closing: None,
            keys: 1,
            start,
            end: 0,
            snapshots: 0..0,
        };
        let mut state = State {
            at: source.at,
            frames: [0; 2],
            values: [first; 2],
            means,
            gaps,
        };
        if form.fields == Fields::Fixed {
            curve.read_values(source.bits, &mut state, [0; 2]);
            let [_, value] = state.values;
            state.values = [value; 2];
        }
        let [_, value] = state.values;
        curve.closing = closed.then_some(value);
        Self {
            curve,
            first: state,
        }
    }
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
    fn read_values(&self, bits: Bits<'_>, state: &mut State, gaps: [u32; 2]) {
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
        let state = own.get(index).copied().unwrap_or(State {
            at: 0,
            frames: [0; 2],
            values: [[0; 3]; 2],
            means: [Rice::new(0); 3],
            gaps: Rice::new(0),
        });
        let ([at, _], [value, _]) = (state.frames, state.values);
        let mut cursor = Self {
            state,
            before: (index > 0).then(|| curve.key(at, value)),
            start: curve.newest(&state),
            end: None,
            after: None,
        };
        cursor.end = cursor.read(curve, bits);
        if cursor.end.is_some() {
            cursor.after = cursor.read(curve, bits);
        }
        cursor.walk(curve, bits, frame);
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
    pub(super) fn window(&self, mode: Mode) -> Window<f32, 3> {
        let start = self.start;
        let end = self.end.unwrap_or(start);
        let before = self.before.filter(|_| mode == Mode::Spline);
        let after = self.after.filter(|_| mode == Mode::Spline);
        let keys = [before.unwrap_or(start), start, end, after.unwrap_or(end)];
        Window {
            values: keys.map(|key| key.value),
            times: keys.map(|key| key.frame as f32),
            has_previous: before.is_some(),
            has_next: after.is_some(),
        }
    }
}
