//! Named float curves, such as morph weights, become the section `curves`.
//!
//! Every curve is tried as a constant, as keys with straight lines or a spline between them, as all frames told by what
//! they differ from a prediction, and as the source's own keys, in a few roundings each. The smallest that is within the
//! tolerance at all frames and at the source's own keys is taken. What the source holds stays held.

mod form;
mod names;

use super::compact::BitWriter;
use super::container::WriteError;
use super::settings::{Playback, Settings};
use crate::fit::{self, Course, Effort, Ends, Tolerance};
use crate::model::{Clip, Curve, FrameGrid, Interpolation};
use crate::runtime::MAX_VALUE;
use crate::runtime::compact::Predictor;
use crate::runtime::curves::{CurveKind, EXPONENT_BIAS};
use form::Form;
use glam::DVec3;
use rayon::prelude::*;
use std::sync::Arc;

/// Parts of the tolerance that a fit may use up; the rest is for the rounding of its keys.
const LIMITS: [f64; 3] = [0.5, 0.75, 0.9];

/// How much finer than twice the tolerance units are tried, in halvings.
const FINER: [i32; 3] = [1, 2, 3];

/// How often a frame is halved to the ticks of keys that lie between frames, until they are exact enough.
const HALVINGS: [u32; 4] = [0, 6, 10, 14];

/// Halvings of frames for curves that are still off with a key on every frame, such as cubic ones with keys between.
const DENSER: [u32; 2] = [2, 4];

/// Most samples of such a curve.
const MOST_SAMPLES: usize = 1 << 16;

/// A held value counts from so many ticks before its key, as in the player.
const STEP_SLACK: f64 = 1.0 / 128.0;

/// A key this near to a frame, in frames, lies on it.
const ON_FRAME: f64 = 1e-4;

/// The part of the tolerance that is left when a player rounds to 32-bit floats.
const FLOAT_SLACK: f64 = 0.9999;

/// Integers of keys stay below this.
const MOST: f64 = (1 << 24) as f64;

/// The section of the last settings.
#[derive(Default)]
pub(super) struct CurveCache {
    made: Option<(f64, bool, Arc<[u8]>)>,
}

impl CurveCache {
    /// The payload of a clip's section; empty if it has no such curve.
    pub(super) fn section(
        &mut self,
        clip: &Clip,
        settings: &Settings,
    ) -> Result<Arc<[u8]>, WriteError> {
        let smooth = settings.playback == Playback::Smooth;
        let tolerance = settings.weight_tolerance;
        if let Some((t, s, made)) = &self.made
            && (*t, *s) == (tolerance, smooth)
        {
            return Ok(made.clone());
        }
        let made: Arc<[u8]> = section(clip, tolerance, smooth)?.into();
        self.made = Some((tolerance, smooth, made.clone()));
        Ok(made)
    }
}

/// Fits all curves of a clip. Cost: some ten fits a curve, spread over all cores.
fn section(clip: &Clip, tolerance: f64, smooth: bool) -> Result<Vec<u8>, WriteError> {
    if clip.scalars().is_empty() {
        return Ok(Vec::new());
    }
    if let Some(scalar) = clip.scalars().iter().find(|s| is_too_large(&s.curve)) {
        return Err(WriteError::TooLarge(scalar.name.clone()));
    }
    let forms: Vec<Form> = clip
        .scalars()
        .par_iter()
        .map(|s| Source::new(&s.curve, clip.grid(), tolerance, smooth).form())
        .collect();
    let names = clip.scalars().iter().map(|s| s.name.as_str());
    let mut out = names::runs(names)?;
    let mut bits = BitWriter::default();
    for form in &forms {
        form.put(&mut bits);
    }
    out.extend(bits.finish());
    Ok(out)
}

/// Whether a key is beyond what players take.
fn is_too_large(curve: &Curve) -> bool {
    let mut keys = (0..curve.times().len()).map(|k| curve.key_value(k)[0]);
    keys.any(|value| value.abs() > MAX_VALUE)
}

/// A curve that is to be stored.
struct Source<'a> {
    curve: &'a Curve,
    grid: FrameGrid,
    tolerance: f64,
    /// Curves are evaluated between frames too.
    smooth: bool,
    /// Where the error is held: positions in frames, and the values there.
    instants: Vec<(f64, f64)>,
    /// Exponents of units, the coarsest first: with it the nearest value is just within the tolerance.
    coarsest: i32,
    finest: i32,
}

/// The best form so far.
#[derive(Default)]
struct Best {
    form: Option<(Form, f64, usize)>,
}

impl Best {
    /// Takes a form that is within the tolerance and smaller, or, as long as none is within, nearer.
    fn offer(&mut self, source: &Source<'_>, form: Form) {
        let error = source.error(&form);
        let bits = form.bits();
        let fits = |e: f64| e <= source.tolerance;
        let better = self.form.as_ref().is_none_or(|&(_, e, b)| {
            if fits(e) {
                fits(error) && bits < b
            } else {
                error < e
            }
        });
        if better {
            self.form = Some((form, error, bits));
        }
    }

    fn within(&self, tolerance: f64) -> bool {
        self.form.as_ref().is_some_and(|f| f.1 <= tolerance)
    }
}

impl<'a> Source<'a> {
    fn new(curve: &'a Curve, grid: FrameGrid, tolerance: f64, smooth: bool) -> Self {
        let density = if smooth { 4 } else { 1 };
        let mut frames: Vec<f64> = (0..=grid.last() * density)
            .map(|i| i as f64 / density as f64)
            .collect();
        let last = grid.last() as f64;
        let keys = curve.times().iter().map(|&secs| grid.frame(secs));
        frames
            .extend(keys.filter(|x| (0.0..=last).contains(x) && (x - x.round()).abs() > ON_FRAME));
        let value = |frame: f64| curve.vector::<1>(grid.secs(frame))[0];
        let instants: Vec<(f64, f64)> = frames.iter().map(|&x| (x, value(x))).collect();
        let largest = instants.iter().fold(0.0_f64, |m, i| m.max(i.1.abs()));
        // Finer units would take more than 24 bits.
        let least = (largest / MOST)
            .log2()
            .ceil()
            .max(-f64::from(EXPONENT_BIAS)) as i32;
        let coarsest = (2.0 * tolerance).log2().floor() as i32;
        Self {
            curve,
            grid,
            tolerance: tolerance * FLOAT_SLACK,
            smooth,
            instants,
            coarsest: coarsest.clamp(least, EXPONENT_BIAS - 1),
            finest: least.min(EXPONENT_BIAS - 1),
        }
    }

    /// The largest error of a form where it is held.
    fn error(&self, form: &Form) -> f64 {
        let off = |&(x, v): &(f64, f64)| (form.value(x, self.smooth) - v).abs();
        self.instants.iter().map(off).fold(0.0, f64::max)
    }

    fn form(&self) -> Form {
        if let Some(constant) = self.constant() {
            return constant;
        }
        let mut best = Best::default();
        if self.curve.interpolation() == Interpolation::Step {
            self.held(&mut best);
        } else {
            self.fitted(&mut best);
            self.predicted(&mut best);
            self.own_keys(&mut best);
            self.denser(&mut best);
        }
        // Each of these ways offers a form.
        best.form.map_or_else(|| Form::constant(0, 0), |f| f.0)
    }

    /// One value that is within the tolerance everywhere, in the coarsest unit that does; of a curve that stands still
    /// the nearest value at least.
    fn constant(&self) -> Option<Form> {
        let values = self.instants.iter().map(|i| i.1);
        let low = values.clone().fold(f64::INFINITY, f64::min);
        let high = values.fold(f64::NEG_INFINITY, f64::max);
        let middle = 0.5 * (low + high);
        let units = (self.finest..EXPONENT_BIAS).rev();
        let rounded = units.map(|e| Form::constant(e, nearest(middle, e)));
        let mut forms = std::iter::once(Form::constant(0, 0)).chain(rounded);
        let still =
            || (low == high).then(|| Form::constant(self.finest, nearest(low, self.finest)));
        forms
            .find(|form| self.error(form) <= self.tolerance)
            .or_else(still)
    }

    /// Keys that hold, on the frames or ticks at or before the source's.
    fn held(&self, best: &mut Best) {
        for (halvings, last) in self.tick_sizes(&HALVINGS) {
            let ticks = f64::from(1_u32 << halvings);
            let tick = |k: usize| (self.frame_of(k) * ticks + STEP_SLACK).floor();
            let unit = self.coarsest;
            let mut keys: Vec<(u32, i32)> = Vec::new();
            for (tick, value) in self.own(tick, ticks) {
                let last = keys.last().copied();
                let held =
                    last.is_some_and(|(_, v)| (real(v, unit) - value).abs() <= self.tolerance);
                if last.is_some_and(|(t, _)| t == tick) {
                    keys.pop();
                } else if held {
                    continue;
                }
                keys.push((tick, nearest(value, unit)));
            }
            best.offer(
                self,
                Form::keyed(CurveKind::Step, halvings, unit, keys, last),
            );
            if best.within(self.tolerance) {
                return;
            }
        }
    }

    /// Those of the given halvings of a frame whose ticks a file can count, with the clip's last tick.
    fn tick_sizes(&self, halvings: &'static [u32]) -> impl Iterator<Item = (u32, u32)> {
        let last = self.grid.last() as u64;
        let countable = move |h: u32| i32::try_from(last << h).ok().map(i32::cast_unsigned);
        let sizes = halvings.iter();
        sizes.filter_map(move |&h| Some((h, countable(h)?)))
    }

    /// Position of a key of the source in frames.
    fn frame_of(&self, key: usize) -> f64 {
        self.grid.frame(self.curve.times()[key])
    }

    /// The source's keys as ticks and values, the first one brought forward to frame 0.
    fn own(&self, tick: impl Fn(usize) -> f64, ticks: f64) -> Vec<(u32, f64)> {
        let last = self.grid.last() as f64 * ticks;
        let value = |k: usize| f64::from(self.curve.key_value(k)[0]);
        let keys = (0..self.curve.times().len()).map(|k| (tick(k), value(k)));
        let first = std::iter::once((0.0, value(0)));
        let inside = keys.filter(|k| (0.0..=last).contains(&k.0));
        first.chain(inside).map(|(t, v)| (t as u32, v)).collect()
    }

    /// Straight lines between the source's own keys.
    fn own_keys(&self, best: &mut Best) {
        if self.curve.interpolation() != Interpolation::Linear {
            return;
        }
        for (halvings, last) in self.tick_sizes(&HALVINGS) {
            let ticks = f64::from(1_u32 << halvings);
            let mut keys = self.own(|k| (self.frame_of(k) * ticks).round(), ticks);
            keys.reverse();
            keys.dedup_by_key(|k| k.0);
            keys.reverse();
            for finer in 0..2 {
                let unit = self.unit(finer);
                let keys = keys.iter().map(|&(t, v)| (t, nearest(v, unit))).collect();
                let form = Form::keyed(CurveKind::Linear, halvings, unit, keys, last);
                best.offer(self, form);
            }
            if best.within(self.tolerance) {
                return;
            }
        }
    }

    /// Keys where a fit of the frames wants them.
    fn fitted(&self, best: &mut Best) {
        for limit in LIMITS {
            self.fit(best, CurveKind::Linear, 0, self.grid.last(), limit);
            self.fit(best, CurveKind::Spline, 0, self.grid.last(), limit);
        }
    }

    /// A curve that is off with a key on every frame gets keys between them.
    fn denser(&self, best: &mut Best) {
        for (halvings, last) in self.tick_sizes(&DENSER) {
            let last = last as usize;
            if last < MOST_SAMPLES && !best.within(self.tolerance) {
                self.fit(best, CurveKind::Linear, halvings, last, LIMITS[1]);
            }
        }
    }

    /// One fit, rounded to a few units.
    fn fit(&self, best: &mut Best, kind: CurveKind, halvings: u32, last: usize, limit: f64) {
        let ticks = f64::from(1_u32 << halvings);
        let value = |tick: usize| self.curve.vector::<1>(self.grid.secs(tick as f64 / ticks))[0];
        let samples: Vec<DVec3> = (0..=last).map(|t| DVec3::X * value(t)).collect();
        let course = if kind == CurveKind::Spline {
            Course::Spline
        } else {
            Course::Linear
        };
        let effort = Effort { removals: 2 };
        let even = Even(self.tolerance);
        let knots = fit::fit_knots(course, Ends::Open, &samples, &even, limit, effort);
        for finer in FINER {
            let unit = self.unit(finer);
            let keys = knots.frames.iter().zip(&knots.values);
            let keys = keys.map(|(&t, v)| (t, nearest(v.x, unit))).collect();
            best.offer(self, Form::keyed(kind, halvings, unit, keys, last as u32));
        }
    }

    /// All frames, each as near to what is expected of it as its tolerance lets it be.
    fn predicted(&self, best: &mut Best) {
        let frames = self.grid.frames;
        let value = |k: usize| self.curve.vector::<1>(self.grid.secs(k as f64))[0];
        let samples: Vec<f64> = (0..frames).map(value).collect();
        for finer in 0..2 {
            let unit = self.unit(finer);
            for predictor in Predictor::ALL {
                let mut keys: Vec<(u32, i32)> = vec![(0, nearest(samples[0], unit))];
                for (frame, &sample) in samples.iter().enumerate().skip(1) {
                    let last = keys[frame - 1].1;
                    let before = keys[frame.saturating_sub(2)].1;
                    let gap = u32::from(frame > 1);
                    let expected = predictor.predict(before, last, [gap, 1]);
                    let [low, high] = self.within(sample, unit);
                    keys.push((frame as u32, expected.clamp(low, high)));
                }
                best.offer(self, Form::every_frame(unit, predictor, keys));
            }
        }
    }

    /// The smallest and the largest integer that is within the tolerance of a value, or the nearest one.
    fn within(&self, value: f64, unit: i32) -> [i32; 2] {
        let scale = real(1, unit);
        let low = ((value - self.tolerance) / scale).ceil();
        let high = ((value + self.tolerance) / scale).floor();
        if low > high {
            return [nearest(value, unit); 2];
        }
        [low, high].map(|v| v.clamp(-MOST, MOST) as i32)
    }

    /// The exponent of a unit so many halvings finer than twice the tolerance.
    fn unit(&self, finer: i32) -> i32 {
        (self.coarsest - finer).max(self.finest)
    }
}

/// The same tolerance at every frame.
struct Even(f64);

impl Tolerance for Even {
    fn square(&self, _: usize, error: DVec3) -> f64 {
        let part = error.x / self.0;
        part * part
    }

    fn weight(&self, _: usize) -> f64 {
        1.0
    }
}

/// The integer whose value in a unit is nearest.
fn nearest(value: f64, exponent: i32) -> i32 {
    (value / real(1, exponent)).round().clamp(-MOST, MOST) as i32
}

/// The value of an integer in a unit.
fn real(value: i32, exponent: i32) -> f64 {
    f64::from(value) * 2.0_f64.powi(exponent)
}
