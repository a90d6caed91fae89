//! The cheapest curve that keeps a track within its tolerance.

use super::curve::{Lattice, Packing, Reference, StoredCurve};
use super::gauge::Gauge;
use super::source::Cycle;
use super::space::{code_of, covariance, eigen, rotation_of};
use crate::fit::{Course, Effort, Ends, Knots, Origin, Tolerance, evaluate_knots, fit_knots};
use crate::runtime::compact::{BASIS_BITS, MAX_STEP, Mode, step};
use glam::{DMat3, DQuat, DVec3};

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Search {
    /// Parts of the tolerance that rounding may take, for curves with keys.
    pub(super) roundings: &'static [f64],
    /// Courses between keys.
    pub(super) courses: &'static [Course],
    /// Axes of the integers: as they are, those of the motion, those of the tolerance.
    pub(super) bases: Bases,
    /// How hard keys are fitted.
    pub(super) effort: Effort,
}

/// Which axes are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bases {
    /// Those along which the track moves most.
    Motion,
    /// All.
    All,
}

/// What was chosen: where the next search may begin and end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Choice {
    /// `None` for a key on every frame.
    pub(super) course: Option<Course>,
    /// Part of the tolerance that rounding may take.
    pub(super) rounding: f64,
}

/// A curve with what it decodes to.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    pub(super) curve: StoredCurve,
    /// The value at every frame, in track space.
    pub(super) values: Vec<DVec3>,
    pub(super) choice: Choice,
    /// Why each key is there.
    pub(super) origins: Vec<Origin>,
    /// What each key's frame allows in the strictest direction, in track space.
    pub(super) tolerances: Vec<f64>,
    /// The largest distance from the source, in track space.
    pub(super) max_error: f64,
}

/// A track to be stored.
#[derive(Clone, Copy)]
pub(super) struct Track<'a> {
    /// One value a frame, in track space; at least two.
    pub(super) samples: &'a [DVec3],
    pub(super) gauge: &'a Gauge,
    pub(super) reference: Reference,
    /// Code of the smallest step.
    pub(super) base: u32,
    pub(super) cycle: Cycle,
}

/// The step is this much of what keeps the corner of a cell within the tolerance, times the square root of 3.
const CORNER: f64 = 1.3;

/// How much of the part of the tolerance that is meant for rounding is kept from the fit.
const ROUNDED: f64 = 0.42;

/// Bits are worth this power of the error: what a smaller error saves in the joints below.
const ERROR_PRICE: f64 = 0.3;

/// With more keys than this part of the frames a key on every frame is cheaper.
const MOST_KEYS: f64 = 0.9;

/// Of the tolerance, what the first and the last sample of a curve with joined ends may use.
const JOINED_PART: f64 = 0.5;

/// Most steps that are tried for one lattice.
const TRIES: usize = 6;

/// Fits and packs a track in all ways of a search, or in the one chosen before; the fewest bits win.
///
/// Cost: a fit for each course and rounding, then some rounding for each basis.
pub(super) fn cheapest(track: &Track, search: &Search, before: Option<Choice>) -> Option<Chosen> {
    let bases = bases(track, search.bases);
    let mut best: Option<(f64, Chosen)> = None;
    let mut offer = |chosen: Option<Chosen>| {
        if let Some(c) = chosen {
            let cost = cost(track, &c);
            if best.as_ref().is_none_or(|b| cost < b.0) {
                best = Some((cost, c));
            }
        }
    };
    let wanted = |course: Option<Course>, rounding: f64| {
        before.is_none_or(|b| b.course == course && (course.is_none() || b.rounding == rounding))
    };
    let ends = track.cycle.ends(joins(track));
    if wanted(None, 0.0) || track.samples.len() < 4 {
        for basis in &bases {
            offer(dense(track, basis));
        }
    }
    for &course in search.courses {
        for &rounding in search.roundings {
            if !wanted(Some(course), rounding) {
                continue;
            }
            let limit = 1.0 - ROUNDED * rounding;
            let (samples, gauge) = (track.samples, track.gauge);
            let knots = fit_knots(course, ends, samples, gauge, limit, search.effort);
            if knots.frames.len() as f64 > MOST_KEYS * track.samples.len() as f64
                && track.samples.len() > 3
            {
                // Its successor may need a key on every frame where the track before did not.
                for basis in &bases {
                    offer(dense(track, basis));
                }
                break;
            }
            for basis in &bases {
                offer(keyed(track, (course, ends), rounding, &knots, basis));
            }
        }
    }
    best.map(|b| b.1)
}

/// Whether the first and the last sample are so near that one value does for both.
fn joins(track: &Track) -> bool {
    let last = track.samples.len() - 1;
    let (a, b) = (track.samples[0], track.samples[last]);
    let middle = 0.5 * (a + b);
    let square = JOINED_PART * JOINED_PART;
    track.gauge.within(0, middle - a, square) && track.gauge.within(last, middle - b, square)
}

/// A key on every frame with steps so large that the integers hold the track, whatever its tolerance.
///
/// For tracks whose values are too large for what is asked: the error is measured and reported.
pub(super) fn coarsest(track: &Track) -> Option<Chosen> {
    let basis = Basis::new(None, [0; 2]);
    let lengths = track.samples.iter().map(|v| v.abs().max_element());
    let least = lengths.fold(0.0, f64::max) / f64::from(1 << 28);
    let size = basis.full_step(track.gauge).max(least);
    let code = (step_code(size, track.base) + 1).min(track.base + 255);
    rounded_dense(track, &basis, code)
}

/// Bits, weighed against the error: with a smaller mean square the rest of the chain needs fewer.
fn cost(track: &Track, chosen: &Chosen) -> f64 {
    let pairs = chosen.values.iter().zip(track.samples).enumerate();
    let squares: f64 = pairs
        .map(|(f, (&a, &b))| track.gauge.square(f, a - b))
        .sum();
    let rms = (squares / track.samples.len() as f64).max(1e-6).sqrt();
    f64::from(chosen.curve.cost()) * (rms.ln() * ERROR_PRICE).exp()
}

/// Axes and the relative steps along them.
struct Basis {
    code: Option<u32>,
    stretch: [u32; 2],
    /// Of unit step.
    columns: DMat3,
}

impl Basis {
    fn new(code: Option<u32>, stretch: [u32; 2]) -> Self {
        let unit = Lattice {
            step: 80 * 16,
            basis: code,
            stretch,
        };
        Self {
            code,
            stretch,
            columns: unit.columns(),
        }
    }

    fn lattice(&self, step: u32) -> Lattice {
        Lattice {
            step,
            basis: self.code,
            stretch: self.stretch,
        }
    }

    /// The step whose cells have their corners about at the tolerance.
    fn full_step(&self, gauge: &Gauge) -> f64 {
        CORNER * (3.0 / gauge.largest_sum(&self.columns)).sqrt()
    }
}

fn bases(track: &Track, which: Bases) -> Vec<Basis> {
    let (_, motion) = eigen(covariance(track.samples));
    let rotated = Basis::new(Some(axes_code(motion)), [0; 2]);
    if which == Bases::Motion {
        return vec![rotated];
    }
    let mut bases = vec![Basis::new(None, [0; 2]), rotated];
    if let Some(mean) = track.gauge.mean() {
        let (strictness, axes) = eigen(mean);
        if strictness.x > 1.6 * strictness.z.max(1e-30) {
            bases.extend(stretched(mean, axes, track.samples));
        }
    }
    bases
}

fn axes_code(axes: DMat3) -> u32 {
    code_of(DQuat::from_mat3(&axes), BASIS_BITS)
}

/// Bases with the axes of the tolerance, `axes` strictest first: as they are, and turned in the plane of the two
/// strict ones to where the motion is.
fn stretched(mean: DMat3, axes: DMat3, samples: &[DVec3]) -> Vec<Basis> {
    let [strict, middle, weak] = [axes.x_axis, axes.y_axis, axes.z_axis];
    let along = covariance(samples);
    let (a, c, b) = (
        strict.dot(along * strict),
        middle.dot(along * middle),
        strict.dot(along * middle),
    );
    // The direction of the larger eigenvalue of [a b; b c].
    let half = 0.5 * (a - c);
    let root = (half * half + b * b).sqrt();
    let (x, y) = if half >= 0.0 {
        (half + root, b)
    } else {
        (b, root - half)
    };
    let length = (x * x + y * y).sqrt();
    let most = if length > 0.0 {
        (strict * x + middle * y) / length
    } else {
        strict
    };
    let candidates = [
        DMat3::from_cols(weak, middle, weak.cross(middle)),
        DMat3::from_cols(weak, weak.cross(most) * -1.0, most * -1.0),
    ];
    let basis = |axes: DMat3| {
        let code = axes_code(axes);
        let own = DMat3::from_quat(rotation_of(code, BASIS_BITS));
        let strictness = |k: usize| own.col(k).dot(mean * own.col(k)).max(1e-30);
        let halves = |k: usize| {
            let ratio = strictness(2) / strictness(k);
            half_octaves(ratio.sqrt())
        };
        Basis::new(Some(code), [halves(0), halves(1)])
    };
    candidates.into_iter().map(basis).collect()
}

/// The number of half octaves nearest to a ratio, 0 to 15.
fn half_octaves(ratio: f64) -> u32 {
    let mut halves = 0;
    // Up to where the next half octave is nearer: a quarter octave further.
    let mut edge = std::f64::consts::SQRT_2.sqrt();
    while halves < 15 && ratio > edge {
        halves += 1;
        edge *= std::f64::consts::SQRT_2;
    }
    halves
}

/// The code of the largest step that is at most `size`, at least `base` and within 8 bits of it.
fn step_code(size: f64, base: u32) -> u32 {
    let most = (base + 255).min(MAX_STEP);
    let (mut low, mut high) = (base, most + 1);
    while high - low > 1 {
        let middle = u32::midpoint(low, high);
        if f64::from(step(middle)) <= size {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

fn round(inverse: &DMat3, v: DVec3) -> Option<[i32; 3]> {
    let k = (*inverse * v).round();
    (k.abs().max_element() < f64::from(1 << 29)).then(|| k.to_array().map(|c| c as i32))
}

/// The largest part of the tolerance that a decoded track uses.
fn worst(track: &Track, values: &[DVec3]) -> f64 {
    let pairs = values.iter().zip(track.samples).enumerate();
    let squares = pairs.map(|(f, (&a, &b))| track.gauge.square(f, a - b));
    squares.fold(0.0, f64::max).sqrt()
}

/// A key on every frame.
fn dense(track: &Track, basis: &Basis) -> Option<Chosen> {
    let mut code = step_code(basis.full_step(track.gauge), track.base);
    for _ in 0..TRIES {
        let chosen = rounded_dense(track, basis, code)?;
        let worst = worst(track, &chosen.values);
        if worst <= 1.0 {
            return Some(chosen);
        }
        if code == track.base {
            return None;
        }
        let size = f64::from(step(code)) / worst.max(1.001);
        code = step_code(size, track.base).min(code - 1);
    }
    None
}

/// A key on every frame with a step, however far off; `None` where an integer would be too large.
fn rounded_dense(track: &Track, basis: &Basis, code: u32) -> Option<Chosen> {
    let lattice = basis.lattice(code);
    let columns = lattice.columns();
    let inverse = columns.inverse();
    let keys: Vec<[i32; 3]> = track
        .samples
        .iter()
        .map(|&v| round(&inverse, v))
        .collect::<Option<_>>()?;
    let place = |k: &[i32; 3]| columns * DVec3::from(k.map(f64::from));
    let values: Vec<DVec3> = keys.iter().map(place).collect();
    let choice = Choice {
        course: None,
        rounding: 0.0,
    };
    let frames: Vec<u32> = (0..keys.len() as u32).collect();
    let origins = vec![Origin::default(); keys.len()];
    pack(track, lattice, (frames, keys), values, choice, origins)
}

/// Fitted keys, rounded.
fn keyed(
    track: &Track,
    (course, ends): (Course, Ends),
    rounding: f64,
    knots: &Knots,
    basis: &Basis,
) -> Option<Chosen> {
    let limit = 1.0 - ROUNDED * rounding;
    let mut size = rounding * basis.full_step(track.gauge);
    let mut code = step_code(size, track.base);
    for _ in 0..TRIES {
        let lattice = basis.lattice(code);
        let columns = lattice.columns();
        let inverse = columns.inverse();
        let keys: Vec<[i32; 3]> = knots
            .values
            .iter()
            .map(|&v| round(&inverse, v))
            .collect::<Option<_>>()?;
        let place = |k: &[i32; 3]| columns * DVec3::from(k.map(f64::from));
        let rounded: Vec<DVec3> = keys.iter().map(place).collect();
        let values = evaluate_knots(course, ends, &knots.frames, &rounded);
        let worst = worst(track, &values);
        if worst <= 1.0 {
            let choice = Choice {
                course: Some(course),
                rounding,
            };
            let curve = (knots.frames.clone(), keys);
            return pack(track, lattice, curve, values, choice, knots.origins.clone());
        }
        if code == track.base {
            return None;
        }
        // What rounding added must shrink to what is left for it.
        let factor = (1.0 - limit) / (worst - limit).max(1e-9);
        size = f64::from(step(code)) * factor.clamp(0.3, 0.98);
        code = step_code(size, track.base).min(code - 1);
    }
    None
}

fn pack(
    track: &Track,
    lattice: Lattice,
    (frames, mut keys): (Vec<u32>, Vec<[i32; 3]>),
    mut values: Vec<DVec3>,
    choice: Choice,
    origins: Vec<Origin>,
) -> Option<Chosen> {
    let closed =
        track.cycle.says() && close(track, lattice, &frames, &mut keys, &mut values, choice);
    let mode = match choice.course {
        None => Mode::Dense,
        Some(Course::Linear) => Mode::Linear,
        Some(Course::Spline) => Mode::Spline,
    };
    let last_frame = track.samples.len() as u32 - 1;
    let packing = Packing::cheapest(mode, &frames, &keys, last_frame, closed)?;
    let curve = StoredCurve {
        mode,
        lattice,
        reference: track.reference,
        frames,
        keys,
        packing,
        last_frame,
        closed: track.cycle.says().then_some(closed),
    };
    Some(finished(track, curve, values, choice, origins))
}

fn finished(
    track: &Track,
    curve: StoredCurve,
    values: Vec<DVec3>,
    choice: Choice,
    origins: Vec<Origin>,
) -> Chosen {
    let strictest = |&f: &u32| 1.0 / track.gauge.weight(f as usize).sqrt();
    let off = values
        .iter()
        .zip(track.samples)
        .map(|(a, b)| a.distance(*b));
    Chosen {
        tolerances: curve.frames.iter().map(strictest).collect(),
        max_error: off.fold(0.0, f64::max),
        curve,
        values,
        choice,
        origins,
    }
}

/// Makes the last key the first, if that keeps the tolerance; the values become those of the closed curve.
fn close(
    track: &Track,
    lattice: Lattice,
    frames: &[u32],
    keys: &mut [[i32; 3]],
    values: &mut Vec<DVec3>,
    choice: Choice,
) -> bool {
    let last = keys.len() - 1;
    if last < 2 {
        return false;
    }
    let (first, before) = (keys[0], keys[last]);
    let ends = track.cycle.ends(true);
    if first == before && (ends == Ends::Open || choice.course != Some(Course::Spline)) {
        return true;
    }
    keys[last] = first;
    let columns = lattice.columns();
    let place = |k: &[i32; 3]| columns * DVec3::from(k.map(f64::from));
    let rounded: Vec<DVec3> = keys.iter().map(place).collect();
    let closed = match choice.course {
        None => rounded,
        Some(course) => evaluate_knots(course, ends, frames, &rounded),
    };
    if worst(track, &closed) <= 1.0 {
        *values = closed;
        return true;
    }
    keys[last] = before;
    false
}

/// A track that holds: a key wherever the value leaves what is held.
pub(super) fn held(track: &Track) -> Option<Chosen> {
    let basis = Basis::new(None, [0; 2]);
    let mut size = 0.5 * basis.full_step(track.gauge);
    for _ in 0..TRIES {
        let code = step_code(size, track.base);
        let lattice = basis.lattice(code);
        let columns = lattice.columns();
        let inverse = columns.inverse();
        let (mut frames, mut keys, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let mut fine = true;
        for (f, &v) in track.samples.iter().enumerate() {
            let held: Option<DVec3> = values.last().copied();
            let within = |h: DVec3| track.gauge.within(f, h - v, 1.0);
            if let Some(h) = held.filter(|&h| within(h)) {
                values.push(h);
                continue;
            }
            let key = round(&inverse, v)?;
            let value = columns * DVec3::from(key.map(f64::from));
            fine &= within(value);
            frames.push(f as u32);
            keys.push(key);
            values.push(value);
        }
        if fine || code == track.base {
            let last_frame = track.samples.len() as u32 - 1;
            let packing = Packing::cheapest(Mode::Step, &frames, &keys, last_frame, false)?;
            let origins = vec![Origin::default(); keys.len()];
            let curve = StoredCurve {
                mode: Mode::Step,
                lattice,
                reference: track.reference,
                frames,
                keys,
                packing,
                last_frame,
                closed: track.cycle.says().then_some(false),
            };
            let choice = Choice {
                course: None,
                rounding: 0.0,
            };
            return Some(finished(track, curve, values, choice, origins));
        }
        size *= 0.6;
    }
    None
}
