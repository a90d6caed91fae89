//! What is stored for one channel of one joint.

use super::bits::BitWriter;
use super::choose::{Choice, Chosen, Search, Track, cheapest, coarsest, held};
use super::curve::{Reference, put_vector, vector_cost};
use super::gauge::{Form, Gauge};
use super::source::Cycle;
use super::space;
use crate::fit::Tolerance as _;
use crate::runtime::compact::{Heads, MAX_OCTAVES, REFERENCE_BITS, columns, step};
use glam::{DMat3, DQuat, DVec3};

/// Of the tolerance, what holding the rest pose may use.
const REST_PART: f64 = 0.7;

/// Of the tolerance, what holding one value may use.
const CONSTANT_PART: f64 = 0.8;

/// Longer clips do not gain by the rest pose as reference.
const REST_REFERENCE_FRAMES: usize = 120;

/// Farther from it, radians, the rest pose is no reference.
const REST_REFERENCE_ANGLE: f64 = 1.6;

/// One channel as it is stored.
#[derive(Clone, Debug)]
pub(super) enum Stored {
    /// Nothing: it stands in the rest pose.
    Rest,
    /// Octaves above the base, and the integers.
    Constant(u32, [i32; 3]),
    /// One curve.
    Curve(Box<Chosen>),
    /// x, y, z and w of a rotation.
    Pair(Box<[Chosen; 2]>),
}

impl Stored {
    /// The two bits of a joint's pattern.
    pub(super) fn state(&self) -> u32 {
        match self {
            Self::Rest => 0,
            Self::Constant(..) => 1,
            Self::Curve(_) => 2,
            Self::Pair(_) => 3,
        }
    }

    /// Bits without those of the pattern, as they usually are.
    pub(super) fn cost(&self) -> u32 {
        match self {
            Self::Rest => 0,
            Self::Constant(_, v) => 3 + vector_cost(*v),
            Self::Curve(c) => c.curve.cost(),
            Self::Pair(p) => p.iter().map(|c| c.curve.cost()).sum(),
        }
    }

    /// Writes it over the base of its steps; `kind` is 1 for translations, else 0.
    pub(super) fn put(&self, bits: &mut BitWriter, heads: &mut Heads, base: u32, kind: usize) {
        match self {
            Self::Rest => {}
            Self::Constant(octaves, v) => {
                bits.put_running(*octaves, &mut heads.octaves[kind]);
                put_vector(bits, *v, &mut heads.constant_widths[kind]);
            }
            Self::Curve(c) => c.curve.put(bits, heads, base, kind),
            Self::Pair(p) => p.iter().for_each(|c| c.curve.put(bits, heads, base, kind)),
        }
    }

    /// All curves.
    pub(super) fn curves(&self) -> &[Chosen] {
        match self {
            Self::Curve(c) => std::slice::from_ref(c),
            Self::Pair(p) => p.as_slice(),
            _ => &[],
        }
    }

    /// How its curve was chosen.
    pub(super) fn choice(&self) -> Option<Choice> {
        match self {
            Self::Curve(c) => Some(c.choice),
            _ => None,
        }
    }
}

/// What a channel is stored with.
#[derive(Clone, Copy)]
pub(super) struct Means<'a> {
    pub(super) search: &'a Search,
    /// What was chosen the time before, to try that alone.
    pub(super) before: Option<Choice>,
    /// Code of the smallest step.
    pub(super) base: u32,
    /// The source holds its keys.
    pub(super) step: bool,
    pub(super) cycle: Cycle,
    /// What a vector in track space is multiplied by.
    pub(super) factor: f64,
}

/// A value with the coarsest step that `holds`, or else the finest that its integers can be held with.
fn constant(v: DVec3, base: u32, holds: impl Fn(DVec3) -> bool) -> Option<(Stored, DVec3)> {
    let mut finest = None;
    for octaves in (0..=MAX_OCTAVES).rev() {
        let [[size, ..], ..] = columns(step(base + 16 * octaves), None, [0; 3]);
        let size = f64::from(size);
        let k = (v / size).round();
        if k.abs().max_element() >= f64::from(1 << 29) {
            break;
        }
        let near = k * size;
        let k = k.to_array().map(|c| c as i32);
        finest = Some((Stored::Constant(octaves, k), near));
        if holds(near) {
            break;
        }
    }
    finest
}

/// Stores a vector: `values` as they are, `rest` in the rest pose, `gauge` of errors of both. Also what it decodes to.
pub(super) fn store_vector(
    values: &[DVec3],
    rest: DVec3,
    gauge: Gauge,
    means: &Means,
) -> Option<(Stored, Vec<DVec3>)> {
    let factor = means.factor;
    let gauge = &gauge.of_multiples(factor);
    let off: Vec<DVec3> = values.iter().map(|&v| (v - rest) / factor).collect();
    let holds = |v: DVec3, part: f64| {
        let mut all = off.iter().enumerate();
        all.all(|(f, &o)| gauge.within(f, v - o, part * part))
    };
    if holds(DVec3::ZERO, REST_PART) {
        return Some((Stored::Rest, vec![rest; off.len()]));
    }
    let low = off.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = off.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let middle = 0.5 * (low + high);
    if off.len() == 1 || holds(middle, CONSTANT_PART) {
        let (stored, near) = constant(middle, means.base, |v| holds(v, CONSTANT_PART))?;
        return Some((stored, vec![rest + near * factor; off.len()]));
    }
    let track = Track {
        samples: &off,
        gauge,
        reference: Reference::None,
        base: means.base,
        cycle: means.cycle,
    };
    let chosen = store(&track, means)?;
    let decoded = chosen.values.iter().map(|&v| rest + v * factor).collect();
    Some((Stored::Curve(Box::new(chosen)), decoded))
}

fn store(track: &Track, means: &Means) -> Option<Chosen> {
    if means.step {
        return held(track).or_else(|| coarsest(track));
    }
    let again = means
        .before
        .and_then(|_| cheapest(track, means.search, means.before));
    again
        .or_else(|| cheapest(track, means.search, None))
        .or_else(|| coarsest(track))
}

/// A rotation to be stored.
pub(super) struct Turn<'a> {
    /// One a frame, aligned.
    pub(super) rotations: &'a [DQuat],
    /// In the rest pose, as a player has it.
    pub(super) rest: DQuat,
    /// Allowed angle at each frame, in any direction.
    pub(super) angles: &'a [f64],
    /// The gauge of parameters about some reference.
    pub(super) gauge: &'a (dyn Fn(&[DVec3]) -> Gauge + Sync),
}

impl Turn<'_> {
    /// Stores the rotation. Also what it decodes to.
    pub(super) fn store(&self, means: &Means) -> Option<(Stored, Vec<DQuat>)> {
        let frames = self.rotations.len();
        let mean = space::mean(self.rotations);
        if let Some((stored, q)) = self.still(mean, means.base) {
            return Some((stored, vec![q; frames]));
        }
        let own = space::code_of(mean, REFERENCE_BITS);
        let mut best = self.curve(Reference::Own(own), means);
        if frames <= REST_REFERENCE_FRAMES && space::angle(self.rest, mean) < REST_REFERENCE_ANGLE {
            let about_rest = self.curve(Reference::Rest, means);
            if let Some(rest) = about_rest
                && best.as_ref().is_none_or(|b| rest.0.cost() < b.0.cost())
            {
                best = Some(rest);
            }
        }
        best.or_else(|| self.pair(means))
    }

    /// The rest pose or one value, if that keeps the tolerance.
    fn still(&self, mean: DQuat, base: u32) -> Option<(Stored, DQuat)> {
        let samples = space::parameters(self.rest, self.rotations)?;
        let gauge = (self.gauge)(&samples);
        let holds = |v: DVec3, part: f64| {
            let mut all = samples.iter().enumerate();
            all.all(|(f, &s)| gauge.within(f, v - s, part * part))
        };
        if holds(DVec3::ZERO, REST_PART) {
            return Some((Stored::Rest, self.rest));
        }
        let v = *space::parameters(self.rest, &[mean])?.first()?;
        if samples.len() > 1 && !holds(v, CONSTANT_PART) {
            return None;
        }
        let (stored, near) = constant(v, base, |v| holds(v, CONSTANT_PART))?;
        Some((stored, space::rotation(self.rest, near)))
    }

    fn curve(&self, reference: Reference, means: &Means) -> Option<(Stored, Vec<DQuat>)> {
        let about = match reference {
            Reference::Own(code) => space::rotation_of(code, REFERENCE_BITS),
            _ => self.rest,
        };
        let samples = space::parameters(about, self.rotations)?;
        let gauge = (self.gauge)(&samples);
        let track = Track {
            samples: &samples,
            gauge: &gauge,
            reference,
            base: means.base,
            cycle: means.cycle,
        };
        let chosen = store(&track, means)?;
        let decoded = chosen
            .values
            .iter()
            .map(|&v| space::rotation(about, v))
            .collect();
        Some((Stored::Curve(Box::new(chosen)), decoded))
    }

    /// Twice x, y, z and twice w as curves of their own: for more than a turn. Where the angles are finer than any
    /// of these, the finest.
    fn pair(&self, means: &Means) -> Option<(Stored, Vec<DQuat>)> {
        let xyz: Vec<DVec3> = self.rotations.iter().map(|q| 2.0 * q.xyz()).collect();
        let w: Vec<DVec3> = self
            .rotations
            .iter()
            .map(|q| DVec3::X * (2.0 * q.w))
            .collect();
        let mut part = 0.8;
        let mut finest = None;
        for _ in 0..8 {
            let gauge = Gauge::even(self.angles.iter().map(|a| a * part));
            let curve = |samples: &[DVec3]| {
                let track = Track {
                    samples,
                    gauge: &gauge,
                    reference: Reference::None,
                    base: means.base,
                    cycle: means.cycle,
                };
                store(
                    &track,
                    &Means {
                        before: None,
                        ..*means
                    },
                )
            };
            let (Some(first), Some(second)) = (curve(&xyz), curve(&w)) else {
                break;
            };
            let join = |(a, b): (&DVec3, &DVec3)| DQuat::from_xyzw(a.x, a.y, a.z, b.x).normalize();
            let decoded: Vec<DQuat> = first.values.iter().zip(&second.values).map(join).collect();
            let mut all = decoded.iter().zip(self.rotations).zip(self.angles);
            let holds = all.all(|((&d, &r), &a)| space::angle(d, r) <= a);
            finest = Some((Stored::Pair(Box::new([first, second])), decoded));
            if holds {
                break;
            }
            part *= 0.75;
        }
        finest
    }
}

/// A point that a joint's rotation moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// From the joint, in its own axes.
    pub(super) place: DVec3,
    /// How far off it is already, in the same axes.
    pub(super) off: DVec3,
    /// How far off it may be.
    pub(super) allowed: f64,
    /// Factor on what is left of that.
    pub(super) part: f64,
    /// The directions that count, in the same axes; `None` for all.
    pub(super) seen: Option<DMat3>,
}

/// Of the square of what is allowed, what a point may use however far off it is already.
const LEAST_LEFT: f64 = 0.06;

impl Point {
    /// One that may be anywhere.
    pub(super) const FREE: Self = Self {
        place: DVec3::ZERO,
        off: DVec3::ZERO,
        allowed: f64::INFINITY,
        part: 1.0,
        seen: None,
    };

    /// What an error of parameters at `v`, where `turn` is [`space::angle_from_parameters`], uses at this point.
    fn form(&self, turn: DMat3) -> Form {
        let whole = self.allowed * self.allowed;
        let left = whole - self.off.length_squared();
        let left = left.max(LEAST_LEFT * whole) * self.part * self.part;
        let along = turn.transpose() * self.place.cross(self.off) * (2.0 / left);
        let moved = space::cross_matrix(self.place * (1.0 / left.sqrt())) * turn;
        let moved = self.seen.map_or(moved, |seen| seen * moved);
        Form::of(moved).with_along(along)
    }

    /// The turn in any direction that is allowed at this point.
    pub(super) fn angle(&self) -> f64 {
        let (far, off) = (self.place.length(), self.off.length());
        let left = (self.allowed - off).max(LEAST_LEFT.sqrt() * 0.6 * self.allowed);
        left * self.part / far.max(1e-12)
    }
}

/// The gauge of rotation parameters, from `each` points a frame and a limit of the turn in any direction.
pub(super) fn rotation_gauge(samples: &[DVec3], points: &[Point], each: usize, cap: f64) -> Gauge {
    let capped = cap.is_finite();
    let mut forms = Vec::with_capacity(samples.len() * (each + usize::from(capped)));
    for (f, &v) in samples.iter().enumerate() {
        let turn = space::angle_from_parameters(v);
        if capped {
            forms.push(Form::of(turn * (1.0 / cap)));
        }
        forms.extend(points[f * each..][..each].iter().map(|p| p.form(turn)));
    }
    Gauge::forms(each + usize::from(capped), forms)
}
