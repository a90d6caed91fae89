//! One way to store a curve: what a player makes of it, and its bits.

use super::real;
use crate::codec::compact::{BitWriter, rice_bits, signed_width};
use crate::runtime::compact::{Predictor, Rice, zigzag};
use crate::runtime::curves::{CurveKind, EXPONENT_BIAS, Places};
use crate::runtime::{Tangents, Window, segment};

/// Numbers after which the start of a mean no longer counts.
const LEARNT: usize = 24;

/// Largest start of a mean that a curve can tell.
const MAX_START: u32 = 15;

/// Keys as integers, the first on frame 0.
#[derive(Clone, Debug)]
pub(super) struct Form {
    kind: CurveKind,
    places: Places,
    /// The unit is 2 to this power.
    exponent: i32,
    predictor: Predictor,
    /// Ticks and integers.
    keys: Vec<(u32, i32)>,
    /// Of the clip, in ticks.
    last: u32,
}

impl Form {
    pub(super) fn constant(exponent: i32, value: i32) -> Self {
        Self {
            kind: CurveKind::Constant,
            places: Places::EveryFrame,
            exponent,
            predictor: Predictor::LAST,
            keys: vec![(0, value)],
            last: 0,
        }
    }

    /// A key on every frame.
    pub(super) fn every_frame(exponent: i32, predictor: Predictor, keys: Vec<(u32, i32)>) -> Self {
        Self {
            kind: CurveKind::Linear,
            places: Places::EveryFrame,
            exponent,
            predictor,
            last: keys.len() as u32 - 1,
            keys,
        }
    }

    /// Keys on ticks, so many halvings of a frame, with the predictor that takes the fewest bits; `last` is the clip's
    /// last tick.
    pub(super) fn keyed(
        kind: CurveKind,
        halvings: u32,
        exponent: i32,
        keys: Vec<(u32, i32)>,
        last: u32,
    ) -> Self {
        let form = Self {
            kind,
            places: match halvings {
                0 => Places::Frames,
                _ => Places::Ticks(halvings),
            },
            exponent,
            predictor: Predictor::LAST,
            keys,
            last,
        };
        let with = |predictor| Self {
            predictor,
            ..form.clone()
        };
        let all = Predictor::ALL.into_iter().map(with);
        all.min_by_key(Self::bits).unwrap_or(form)
    }

    /// What a player shows at a position in frames.
    pub(super) fn value(&self, frame: f64, smooth: bool) -> f64 {
        let (before, part) = (frame.floor(), frame.fract());
        if self.kind == CurveKind::Spline && !smooth && part > 0.0 {
            let (a, b) = (self.at(before), self.at(before + 1.0));
            return a + (b - a) * part;
        }
        let tick = frame * f64::from(1_u32 << self.places.halvings());
        match self.kind {
            CurveKind::Step => self.at((tick + super::STEP_SLACK).floor()),
            _ => self.at(tick),
        }
    }

    fn at(&self, tick: f64) -> f64 {
        let right = self.keys.partition_point(|k| f64::from(k.0) <= tick);
        let left = right.saturating_sub(1);
        let real = |key: usize| real(self.keys[key].1, self.exponent);
        if right == self.keys.len() {
            return real(left);
        }
        let time = |key: usize| f64::from(self.keys[key].0);
        let u = (tick - time(left)) / (time(right) - time(left));
        match self.kind {
            CurveKind::Constant | CurveKind::Step => real(left),
            CurveKind::Linear => real(left) + (real(right) - real(left)) * u,
            CurveKind::Spline => {
                let next = (right + 1).min(self.keys.len() - 1);
                let around = [left.saturating_sub(1), left, right, next];
                let window = Window {
                    values: around.map(|k| [real(k)]),
                    times: around.map(time),
                    has_previous: left > 0,
                    has_next: next > right,
                };
                let [[c0], [c1], [c2], [c3]] = segment(&window, Tangents::Parabolic);
                c0 + u * (c1 + u * (c2 + u * c3))
            }
        }
    }

    /// The numbers that are told for each key after the first: its gap less 1, and what its integer differs from the
    /// expected one, folded.
    fn told(&self) -> (Vec<u32>, Vec<u32>) {
        let (mut gaps, mut values) = (Vec::new(), Vec::new());
        for k in 1..self.keys.len() {
            let ([before, last], (tick, value)) = ([k.saturating_sub(2), k - 1], self.keys[k]);
            let (before, last) = (self.keys[before], self.keys[last]);
            let gap = tick - last.0;
            let expected = self
                .predictor
                .predict(before.1, last.1, [last.0 - before.0, gap]);
            gaps.push(gap - 1);
            values.push(zigzag(value.wrapping_sub(expected)));
        }
        if self.keys[self.keys.len() - 1].0 < self.last {
            // Leads past the last frame.
            gaps.push(self.last - self.keys[self.keys.len() - 1].0);
        }
        if self.places == Places::EveryFrame {
            gaps.clear();
        }
        (gaps, values)
    }

    /// Bits that the form takes.
    pub(super) fn bits(&self) -> usize {
        let mut writer = BitWriter::default();
        self.put(&mut writer);
        writer.len()
    }

    /// Writes the curve as [`crate::runtime::curves`] specifies.
    pub(super) fn put(&self, out: &mut BitWriter) {
        let (exponent, value) = ((self.exponent + EXPONENT_BIAS) as u32, self.keys[0].1);
        let width = signed_width(value);
        out.put(self.kind as u32, 2);
        if self.kind == CurveKind::Constant {
            out.put(width, 5);
            if width > 0 {
                out.put(exponent, 6);
            }
            out.put_signed(value, width);
            return;
        }
        let (gaps, values) = self.told();
        let starts = [start(&values), start(&gaps)];
        out.put(exponent, 6);
        out.put(self.places.id(), 2);
        if let Places::Ticks(halvings) = self.places {
            out.put(halvings, 4);
        }
        out.put(self.predictor.code(), Predictor::BITS);
        out.put(starts[0], 4);
        if self.places != Places::EveryFrame {
            out.put(starts[1], 4);
        }
        out.put(width, 5);
        out.put_signed(value, width);
        let [mut value_mean, mut gap_mean] = starts.map(Rice::new);
        for k in 0..values.len().max(gaps.len()) {
            if let Some(&gap) = gaps.get(k) {
                out.put_rice(gap, &mut gap_mean);
            }
            if let Some(&value) = values.get(k) {
                out.put_rice(value, &mut value_mean);
            }
        }
    }
}

/// The start of a mean with which numbers take the fewest bits.
fn start(numbers: &[u32]) -> u32 {
    let few = &numbers[..numbers.len().min(LEARNT)];
    let bits = |&code: &u32| {
        let mut mean = Rice::new(code);
        few.iter().map(|&n| rice_bits(n, &mut mean)).sum::<u32>()
    };
    (0..=MAX_START).min_by_key(bits).unwrap_or(0)
}
