//! Curve fitting on plain slices: which frames become keys, and which values they hold.
//!
//! Two steps. [`insert`] is the published one: keys at both ends, then a key in the middle of the worst
//! section until every section is under the tolerance ("Compressing Skeletal Animation Data", Riot Games
//! Technology, 2017). [`refine`] is what that text names as future work: keys are removed again where the
//! others, re-solved by least squares, can do without them.
//!
//! The codec `compact` fits otherwise, see [`fit_knots`]: vectors of three with a tolerance of their own at each frame,
//! values by least squares from the start, quantised by the caller.
//!
//! Everything works in double precision on [`Value`]s; a quantiser is applied to every key before its
//! error is looked at, so that what is accepted is what the file will hold.

mod band;
mod basis;
mod insert;
mod kept;
mod knots;
mod refine;
mod span;
mod step;

pub use basis::{Basis, Neighbours};
pub use insert::{insert, insert_steps};
pub use knots::{Effort, Knots, Origin, Tolerance, evaluate_knots, fit_knots};
pub use refine::{evaluate, refine, refine_steps};
pub use span::{Course, Ends};
pub use step::hold;

use glam::{DQuat, DVec4};

/// One sample of a track: a unit quaternion `x, y, z, w`, a vector `x, y, z, 0`, or a scalar `x, 0, 0, 0`.
pub type Value = DVec4;

/// How far apart two values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Angle of the rotation between two quaternions, radians. Curves are normalised before it is taken.
    Angle,
    /// Length of the difference.
    Distance,
}

impl Metric {
    /// What a player makes of an interpolated value: rotations are normalised.
    pub fn finish(self, v: Value) -> Value {
        match self {
            Self::Angle => v.normalize_or(DVec4::W),
            Self::Distance => v,
        }
    }

    /// The error between two finished values, in the unit of the tolerance.
    pub fn error(self, a: Value, b: Value) -> f64 {
        match self {
            Self::Angle => {
                let chord = (a - b).length().min((a + b).length());
                // asin by two terms of its series: exact to 1e-7 of the angle below half a radian.
                if chord < 0.25 {
                    2.0 * chord * (1.0 + chord * chord / 24.0)
                } else {
                    4.0 * (0.5 * chord).asin()
                }
            }
            Self::Distance => (a - b).length(),
        }
    }

    /// Whether a player can tell how to go from `a` to `b`: quaternions half a turn apart have no short path.
    pub fn joinable(self, a: Value, b: Value) -> bool {
        self == Self::Distance || a.dot(b) > 0.1
    }
}

/// A track to be fitted.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// One value a frame, at least one; rotations sign-continuous.
    pub samples: &'a [Value],
    /// The unit of the error.
    pub metric: Metric,
    /// How the player runs between keys.
    pub basis: Basis,
    /// Rounds a value to what the file can hold.
    pub quantise: &'a (dyn Fn(Value) -> Value + Sync),
    /// The time at which a key of frame `k` will be read back, in frames. Differs from `k` only where
    /// the file stores coarser times than frames.
    pub key_time: &'a (dyn Fn(usize) -> f64 + Sync),
}

impl Problem<'_> {
    /// The quantised value of a key that lies on the curve at `frame`.
    fn on_curve(&self, frame: usize) -> Value {
        let x = (self.key_time)(frame).clamp(0.0, (self.samples.len() - 1) as f64);
        let k = x as usize;
        let u = x - k as f64;
        let v = if u == 0.0 {
            self.samples[k]
        } else {
            self.samples[k].lerp(self.samples[k + 1], u)
        };
        (self.quantise)(self.metric.finish(v))
    }

    /// The fitted curve's value at a frame between keys `around[1]` and `around[2]`.
    fn eval(&self, n: &Neighbours, frame: usize) -> Value {
        let u = n.position(frame as f64);
        if self.basis == Basis::Linear && self.metric == Metric::Angle {
            let (a, b) = (DQuat::from_vec4(n.value[1]), DQuat::from_vec4(n.value[2]));
            return crate::math::slerp(a.normalize(), b.normalize(), u).into();
        }
        let w = self.basis.weights(n, u);
        self.metric
            .finish(w[0] * n.value[0] + w[1] * n.value[1] + w[2] * n.value[2] + w[3] * n.value[3])
    }

    /// The largest error strictly between two neighbouring keys, infinite where no player can join them.
    fn section_error(&self, n: &Neighbours, from: usize, to: usize) -> f64 {
        if !self.metric.joinable(n.value[1], n.value[2]) && to > from + 1 {
            return f64::INFINITY;
        }
        (from + 1..to)
            .map(|f| self.metric.error(self.eval(n, f), self.samples[f]))
            .fold(0.0, f64::max)
    }
}

/// A key of a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// The frame on which it lies.
    pub frame: usize,
    /// Its value as the file will hold it.
    pub value: Value,
}

/// One step in the making of a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// What happened at `frame`.
    pub action: Action,
    /// Where.
    pub frame: usize,
    /// The largest error of the whole track before the step, in the unit of the metric.
    pub error_before: f64,
    /// The largest error of the whole track after it.
    pub error_after: f64,
}

/// What a [`Step`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A key was put on the curve.
    Insert,
    /// A key was taken out and its neighbours solved again.
    Remove,
}

/// Keys that fit a track, and how they came about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fit {
    /// In order of time, the first on frame 0 and the last on the last frame.
    pub keys: Vec<Key>,
    /// Every insertion after the first two keys, then every removal. At a tighter tolerance the
    /// insertions begin with those of the looser one.
    pub history: Vec<Step>,
    /// The largest error at any frame.
    pub max_error: f64,
}
