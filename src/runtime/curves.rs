//! Named float curves, fitted: the section `curves`.
//!
//! | type | content |
//! |---|---|
//! | `u16` | number of runs of names |
//! | runs | for each: text, text; `u32` first number or 2^32 - 1; `u16` curves |
//! | bits | the curves in the order of their names, least significant bit first, filled up with zeros to a whole byte |
//!
//! **Names.** The curves of a run are called by the first text, a number that counts up from curve to curve, and the
//! second text: `face/weights[0]`, `face/weights[1]` … A run without a number is one curve called by both texts.
//!
//! **Curves.** `u(n)` is a number of n bits, `s(n)` one in two's complement.
//!
//! | bits | content |
//! |---|---|
//! | `u(2)` | [`CurveKind`] |
//! | `u(5)`, `u(6)`, `s(w)` | of a constant: a width w, and unless that is 0 the exponent of the unit and the integer. That is all |
//! | `u(6)` | of the others: exponent of the unit, plus [`EXPONENT_BIAS`]: the unit is 2 to this power |
//! | `u(2)`, `u(4)` | [`Places`] of the keys, and if they lie between frames how often a frame is halved to a tick |
//! | `u(3)` | the [`Predictor`] |
//! | `u(4)` x 2 | start of the [`Rice`] means of values and, unless there is a key on every frame, of gaps |
//! | `u(5)`, `s(w)` | a width w and the integer of the first key, which lies on frame 0 |
//! | keys | for each its gap, then its integer |
//!
//! A gap is the number of ticks from the key before, less 1, in the Golomb-Rice code; where every frame has a key there is
//! none. An integer is what it differs from [`Predictor::predict`], folded by [`zigzag`](super::compact::zigzag), in the
//! Golomb-Rice code. The keys end with one on the last frame, or with a gap that leads past it. The value of a key is its
//! integer times the unit, at most [`MAX_VALUE`] in size.
//!
//! **Playback.** A step curve has the value of the last key at or before a time, and one within 1/128 of a tick counts as
//! reached. A linear curve goes straight from key to key. Both do so at any time; where keys lie on frames that is what the
//! poses do. A spline is [`segment`] with parabolic tangents, evaluated as those of joints are: at frames, with straight lines
//! between, or at any time if the header says so. The last key's value holds.
//!
//! A player walks over all keys once when it opens a file and remembers where every 64th stands: 36 bytes of memory each.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::bytes::Reader;
use super::compact::{Bits, Predictor, Rice, unzigzag};
use super::{ClipInfo, Error, MAX_VALUE, Tangents, Window, segment};
use std::ops::Range;

/// Stands for the first number of a run that has none.
pub const NO_NUMBER: u32 = u32::MAX;

/// What is added to the exponent of a unit, which so is -32 to 31.
pub const EXPONENT_BIAS: i32 = 32;

/// Largest section, such that 32 bits count its bits.
const MAX_SECTION: usize = 1 << 28;

/// Fewest bits of a curve: those of a constant 0.
const LEAST_BITS: usize = 7;

/// Fewest bytes of a run of names.
const LEAST_RUN: usize = 10;

/// Keys from one mark to the next.
const MARK_EVERY: u32 = 64;

/// A held value counts from so many ticks before its key: times in seconds are rounded.
const STEP_SLACK: f64 = 1.0 / 128.0;

/// How a curve runs, in the order of the numbers in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum CurveKind {
    /// One value.
    Constant = 0,
    /// Each key's value holds until the next.
    Step = 1,
    /// Straight lines between keys.
    Linear = 2,
    /// Catmull-Rom with the slope of the parabola through three keys.
    Spline = 3,
}

impl CurveKind {
    /// The name that tools show.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Step => "step",
            Self::Linear => "linear",
            Self::Spline => "spline",
        }
    }

    fn from_id(id: u32) -> Self {
        match id & 3 {
            0 => Self::Constant,
            1 => Self::Step,
            2 => Self::Linear,
            _ => Self::Spline,
        }
    }
}

/// Where the keys of a curve may lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Places {
    /// There is one on every frame. Number 0.
    EveryFrame,
    /// On frames. Number 1.
    Frames,
    /// On ticks, so many halvings of a frame. Number 2, for steps and straight lines alone.
    Ticks(u32),
}

impl Places {
    /// Its number in files.
    pub fn id(self) -> u32 {
        match self {
            Self::EveryFrame => 0,
            Self::Frames => 1,
            Self::Ticks(_) => 2,
        }
    }

    /// How often a frame is halved.
    pub fn halvings(self) -> u32 {
        match self {
            Self::EveryFrame | Self::Frames => 0,
            Self::Ticks(halvings) => halvings,
        }
    }
}

/// Names that differ in a number alone.
#[derive(Clone, Debug)]
struct Run {
    before: String,
    after: String,
    first: Option<u32>,
    /// Index past its last curve.
    end: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Key {
    tick: u32,
    value: i32,
}

/// The decoder of a curve's keys, as it stands after one of them.
#[derive(Clone, Copy, Debug)]
struct Walk {
    /// The next bit.
    at: u32,
    gaps: Rice,
    values: Rice,
    /// The last key after the two before it, of which the first key has none: they are itself.
    keys: [Key; 3],
}

/// What stands before a curve's keys.
#[derive(Clone, Copy, Debug)]
struct Head {
    kind: CurveKind,
    unit: f64,
    places: Places,
    predictor: Predictor,
    /// At the first key.
    start: Walk,
}

/// A parsed section.
#[derive(Clone, Debug, Default)]
pub(super) struct Curves {
    runs: Vec<Run>,
    /// Place of the bits in the file.
    bits: Range<usize>,
    /// First bit of each curve, and past the last bit of the last.
    starts: Vec<u32>,
    /// Walks after every [`MARK_EVERY`] keys, curve by curve.
    marks: Vec<Walk>,
}

impl Curves {
    pub(super) fn parse(mut r: Reader<'_>, info: &ClipInfo) -> Result<Self, Error> {
        if r.left() > MAX_SECTION {
            return Err(r.invalid("the section is larger than 256 MiB"));
        }
        let (runs, count) = parse_runs(&mut r)?;
        let from = r.offset();
        let bytes = r.take(r.left())?;
        let end = (bytes.len() as u32).saturating_mul(8);
        if bytes.len().saturating_mul(8) / LEAST_BITS < count {
            return Err(r.invalid_at(from, "the section is too short for its curves"));
        }
        let mut curves = Self {
            runs,
            bits: from..r.offset(),
            starts: Vec::with_capacity(count.saturating_add(1)),
            marks: Vec::new(),
        };
        let (bits, mut at) = (Bits(bytes), 0);
        curves.starts.push(0);
        for _ in 0..count {
            curves
                .pass(bits, &mut at, end, info)
                .map_err(|rule| r.invalid_at(from, rule))?;
            curves.starts.push(at);
        }
        let padding = end.saturating_sub(at);
        if padding >= 8 || bits.window(at) != 0 {
            return Err(r.invalid_at(from, "the section is longer than its content"));
        }
        Ok(curves)
    }

    /// Walks over one curve. What does not fit is told as the rule that it breaks.
    fn pass(
        &mut self,
        bits: Bits<'_>,
        at: &mut u32,
        end: u32,
        info: &ClipInfo,
    ) -> Result<(), &'static str> {
        const SHORT: &str = "a curve reaches past the end of the section";
        let head = Head::read(bits, at)?;
        if *at > end {
            return Err(SHORT);
        }
        if head.kind == CurveKind::Constant {
            return Ok(());
        }
        let last = head.last_tick(info)?;
        let (mut walk, mut more, mut keys) = (head.start, true, 0_u32);
        while more {
            (walk, more) = head.next(walk, bits, last);
            if walk.at > end {
                return Err(SHORT);
            }
            keys = keys.wrapping_add(1);
            if more && keys.is_multiple_of(MARK_EVERY) {
                self.marks.push(walk);
            }
        }
        *at = walk.at;
        Ok(())
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The name of a curve, put together.
    pub(super) fn name(&self, curve: usize) -> Option<String> {
        let run = self.runs.partition_point(|r| r.end <= curve);
        let begins = run.checked_sub(1).and_then(|r| self.runs.get(r));
        let place = curve.saturating_sub(begins.map_or(0, |r| r.end)) as u64;
        let Run {
            before,
            after,
            first,
            ..
        } = self.runs.get(run)?;
        Some(match first {
            Some(first) => {
                let number = u64::from(*first).saturating_add(place);
                format!("{before}{number}{after}")
            }
            None => format!("{before}{after}"),
        })
    }

    /// Bits that a curve takes, without its name.
    pub(super) fn bits_of(&self, curve: usize) -> usize {
        let at = |i: usize| self.starts.get(i).copied().unwrap_or(0);
        at(curve.saturating_add(1)).saturating_sub(at(curve)) as usize
    }

    /// How a curve runs, and how many keys it has.
    pub(super) fn form(
        &self,
        file: &[u8],
        info: &ClipInfo,
        curve: usize,
    ) -> Option<(CurveKind, usize)> {
        let bits = self.bits(file);
        let head = self.head(bits, curve)?;
        if head.kind == CurveKind::Constant {
            return Some((head.kind, 1));
        }
        let last = head.last_tick(info).ok()?;
        let (mut walk, mut more, mut keys) = (head.start, true, 0_usize);
        while more {
            (walk, more) = head.next(walk, bits, last);
            keys = keys.saturating_add(1);
        }
        Some((head.kind, keys))
    }

    fn bits<'a>(&self, file: &'a [u8]) -> Bits<'a> {
        Bits(file.get(self.bits.clone()).unwrap_or_default())
    }

    fn head(&self, bits: Bits<'_>, curve: usize) -> Option<Head> {
        if curve >= self.len() {
            return None;
        }
        Head::read(bits, &mut self.starts.get(curve)?.to_owned()).ok()
    }

    /// The value of a curve at a frame and a fraction of the way to the next.
    pub(super) fn value(
        &self,
        file: &[u8],
        info: &ClipInfo,
        curve: usize,
        (frame, fraction): (u32, f32),
    ) -> Option<f32> {
        let bits = self.bits(file);
        let head = self.head(bits, curve)?;
        if head.kind == CurveKind::Constant {
            return Some(head.value(head.start.keys[2]));
        }
        let last = head.last_tick(info).ok()?;
        let between = fraction > 0.0;
        let by_frames = between && head.kind == CurveKind::Spline && !info.smooth;
        let ticks = f64::from(1_u32.wrapping_shl(head.places.halvings()));
        let exact = (f64::from(frame) + f64::from(fraction)) * ticks;
        let tick = match head.kind {
            CurveKind::Step => (exact + STEP_SLACK).floor(),
            _ if by_frames => f64::from(frame),
            _ => exact,
        };
        let (value, walk) = head.at(self.mark(curve, &head, tick), bits, last, tick);
        if !by_frames {
            return Some(value as f32);
        }
        let (next, _) = head.at(walk, bits, last, tick + 1.0);
        Some((value + (next - value) * f64::from(fraction)) as f32)
    }

    /// The last place at or before a tick from where keys can be walked.
    fn mark(&self, curve: usize, head: &Head, tick: f64) -> Walk {
        let from = |curve: usize| {
            let start = self.starts.get(curve).copied().unwrap_or(u32::MAX);
            self.marks.partition_point(|m| m.at <= start)
        };
        let marks = self.marks.get(from(curve)..from(curve.saturating_add(1)));
        let marks = marks.unwrap_or_default();
        let passed = marks.partition_point(|m| f64::from(m.keys[2].tick) <= tick);
        let mark = passed.checked_sub(1).and_then(|i| marks.get(i));
        mark.copied().unwrap_or(head.start)
    }
}

/// The runs of names, and how many curves they name.
fn parse_runs(r: &mut Reader<'_>) -> Result<(Vec<Run>, usize), Error> {
    let count = usize::from(r.u16()?);
    if r.left() < count.saturating_mul(LEAST_RUN) {
        return Err(r.invalid("the section is too short for its names"));
    }
    let mut runs = Vec::with_capacity(count);
    let mut end = 0_usize;
    for _ in 0..count {
        let (before, after) = (r.text()?.to_owned(), r.text()?.to_owned());
        let at = r.offset();
        let (first, curves) = (r.u32()?, r.u16()?);
        let first = (first != NO_NUMBER).then_some(first);
        let fits = curves == 1 || (curves > 1 && first.is_some());
        r.rule(
            fits,
            at,
            "a run of names has no curve, or one name for many",
        )?;
        end = end.saturating_add(usize::from(curves));
        runs.push(Run {
            before,
            after,
            first,
            end,
        });
    }
    Ok((runs, end))
}

impl Head {
    /// Reads what stands before the keys; past the end of the bits it reads zeros.
    fn read(bits: Bits<'_>, at: &mut u32) -> Result<Self, &'static str> {
        let kind = CurveKind::from_id(bits.take(at, 2));
        let mut head = Self {
            kind,
            unit: 1.0,
            places: Places::EveryFrame,
            predictor: Predictor::LAST,
            start: Walk {
                at: 0,
                gaps: Rice::new(0),
                values: Rice::new(0),
                keys: [Key::default(); 3],
            },
        };
        if kind == CurveKind::Constant {
            let width = bits.take(at, 5);
            if width > 0 {
                head.unit = unit(bits.take(at, 6));
            }
            head.start.keys = [Key {
                tick: 0,
                value: bits.take_signed(at, width),
            }; 3];
            return Ok(head);
        }
        head.unit = unit(bits.take(at, 6));
        head.places = match bits.take(at, 2) {
            0 => Places::EveryFrame,
            1 => Places::Frames,
            2 if kind != CurveKind::Spline => Places::Ticks(bits.take(at, 4)),
            _ => return Err("the places of a curve's keys are none that version 1 has"),
        };
        let predictor = bits.take(at, Predictor::BITS) as usize;
        head.predictor = *Predictor::ALL.get(predictor).unwrap_or(&Predictor::LAST);
        head.start.values = Rice::new(bits.take(at, 4));
        if head.places != Places::EveryFrame {
            head.start.gaps = Rice::new(bits.take(at, 4));
        }
        let width = bits.take(at, 5);
        let value = bits.take_signed(at, width);
        head.start.keys = [Key { tick: 0, value }; 3];
        head.start.at = *at;
        Ok(head)
    }

    fn last_tick(&self, info: &ClipInfo) -> Result<u32, &'static str> {
        let last = u64::from(info.last_frame()).checked_shl(self.places.halvings());
        last.and_then(|last| i32::try_from(last).ok())
            .map(i32::cast_unsigned)
            .ok_or("a curve has more than 2^31 ticks")
    }

    /// Decodes the next key; `false` if there is none, in which case only the place in the bits may have moved.
    fn next(&self, walk: Walk, bits: Bits<'_>, last: u32) -> (Walk, bool) {
        let (mut next, [before, newest]) = (walk, [walk.keys[1], walk.keys[2]]);
        if newest.tick >= last {
            return (next, false);
        }
        let gap = match self.places {
            Places::EveryFrame => 1,
            Places::Frames | Places::Ticks(_) => bits
                .take_rice(&mut next.at, &mut next.gaps)
                .saturating_add(1),
        };
        let tick = newest.tick.saturating_add(gap);
        if tick > last {
            next.gaps = walk.gaps;
            return (next, false);
        }
        let gaps = [newest.tick.saturating_sub(before.tick), gap];
        let expected = self.predictor.predict(before.value, newest.value, gaps);
        let news = unzigzag(bits.take_rice(&mut next.at, &mut next.values));
        let value = expected.wrapping_add(news);
        next.keys = [before, newest, Key { tick, value }];
        (next, true)
    }

    fn value(&self, key: Key) -> f32 {
        self.real(key) as f32
    }

    fn real(&self, key: Key) -> f64 {
        let most = f64::from(MAX_VALUE);
        (f64::from(key.value) * self.unit).clamp(-most, most)
    }

    /// The value at a tick, and where the walk stood for it: before the first key that comes later.
    fn at(&self, from: Walk, bits: Bits<'_>, last: u32, tick: f64) -> (f64, Walk) {
        let mut walk = from;
        while f64::from(walk.keys[2].tick) <= tick {
            let (next, more) = self.next(walk, bits, last);
            if !more {
                return (self.real(walk.keys[2]), walk);
            }
            walk = next;
        }
        let [_, left, right] = walk.keys;
        let gap = f64::from(right.tick) - f64::from(left.tick);
        let u = (tick - f64::from(left.tick)) / gap;
        let (a, b) = (self.real(left), self.real(right));
        let value = match self.kind {
            CurveKind::Constant | CurveKind::Step => a,
            CurveKind::Linear => a + (b - a) * u,
            CurveKind::Spline => self.spline(walk, bits, last, u),
        };
        (value, walk)
    }

    /// The spline at a part of the way between a walk's last two keys.
    fn spline(&self, walk: Walk, bits: Bits<'_>, last: u32, u: f64) -> f64 {
        let [before, left, right] = walk.keys;
        let (next, has_next) = self.next(walk, bits, last);
        let keys = [before, left, right, next.keys[2]];
        let window = Window {
            values: keys.map(|k| [self.real(k)]),
            times: keys.map(|k| f64::from(k.tick)),
            has_previous: before.tick < left.tick,
            has_next,
        };
        let [[c0], [c1], [c2], [c3]] = segment(&window, Tangents::Parabolic);
        let most = f64::from(MAX_VALUE);
        (c0 + u * (c1 + u * (c2 + u * c3))).clamp(-most, most)
    }
}

/// The unit with an exponent as it stands in files.
fn unit(code: u32) -> f64 {
    2.0_f64.powi((code as i32).wrapping_sub(EXPONENT_BIAS))
}
