//! One track becomes nothing, a constant, or keys.

use super::samples::TrackSamples;
use crate::fit::{self, Action, Basis, Fit, Key, Problem, Value};
use crate::math::Channel;

/// What is stored for a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackKind {
    /// Nothing: the rest pose is within the tolerance throughout.
    Rest,
    /// One value.
    Constant,
    /// Keys that hold until the next one.
    Step,
    /// Keys with a curve between them.
    Keys,
}

/// The outcome of fitting one track.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackFit {
    /// Index into the skeleton.
    pub joint: usize,
    /// What it moves.
    pub channel: Channel,
    /// What is stored.
    pub kind: TrackKind,
    /// Allowed local error: radians, source units, or a factor. In `compact` the smallest of all keys' frames, and 0
    /// where there is no curve.
    pub tolerance: f64,
    /// The keys, one for a constant, and how they came about. Empty for [`TrackKind::Rest`]. In `compact` without
    /// a history of single steps: keys come and go in rounds, see `origins`.
    pub fit: Fit,
    /// In `compact`, why each key is there; otherwise empty.
    pub origins: Vec<KeyOrigin>,
}

/// Why a key is where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyOrigin {
    /// The frame on which it lies.
    pub frame: usize,
    /// The round of insertion in which it came; 0 for the ends, and where every frame has a key.
    pub round: u16,
    /// How far the curve was from the source at this frame before, as a part of the tolerance; 0 for the ends.
    pub error: f32,
    /// The tolerance that asked for it: what is allowed at this frame in the strictest direction, in radians,
    /// source units or as a factor. It holds what the joints below need of this one.
    pub tolerance: f64,
}

/// How a deliverable stores keys.
#[derive(Clone, Copy)]
pub(super) struct Storage<'a> {
    /// The curve between keys.
    pub basis: Basis,
    /// Remove keys after inserting them.
    pub refine: bool,
    /// Rounds a key of this track.
    pub quantise: &'a (dyn Fn(Value) -> Value + Sync),
    /// Where a key of a frame is read back, in frames.
    pub key_time: &'a (dyn Fn(usize) -> f64 + Sync),
}

impl Storage<'_> {
    fn problem<'a>(&'a self, samples: &'a TrackSamples) -> Problem<'a> {
        Problem {
            samples: &samples.values,
            metric: samples.metric(),
            basis: self.basis,
            quantise: self.quantise,
            key_time: self.key_time,
        }
    }
}

/// The state of a fit after `steps` of its history, with the curve's value at every frame.
pub(super) fn replay_track(
    samples: &TrackSamples,
    track: &TrackFit,
    storage: &Storage,
    steps: usize,
) -> (Fit, Vec<Value>) {
    let problem = storage.problem(samples);
    let inserted = track
        .fit
        .history
        .iter()
        .filter(|s| s.action == Action::Insert)
        .count();
    let mut fit = fit::insert_steps(&problem, track.tolerance, steps.min(inserted));
    if steps > inserted {
        fit::refine_steps(&problem, &mut fit, track.tolerance, steps - inserted);
    }
    let curve = fit::evaluate(&problem, &fit.keys);
    (fit, curve)
}

/// Fits one track. Cost: see [`fit::insert`] and [`fit::refine`].
pub(super) fn fit_track(samples: &TrackSamples, tolerance: f64, storage: &Storage) -> TrackFit {
    let outcome = |kind, fit| TrackFit {
        joint: samples.joint,
        channel: samples.channel,
        kind,
        tolerance,
        fit,
        origins: Vec::new(),
    };
    let rest_error = samples.error_of_holding(samples.rest);
    if rest_error <= tolerance {
        return outcome(
            TrackKind::Rest,
            Fit {
                max_error: rest_error,
                ..Fit::default()
            },
        );
    }
    let middle = as_f32(samples.middle());
    let middle_error = samples.error_of_holding(middle);
    if middle_error <= tolerance || samples.values.len() == 1 {
        let keys = vec![Key {
            frame: 0,
            value: middle,
        }];
        return outcome(
            TrackKind::Constant,
            Fit {
                keys,
                history: Vec::new(),
                max_error: middle_error,
            },
        );
    }
    let problem = storage.problem(samples);
    if samples.step {
        return outcome(TrackKind::Step, fit::hold(&problem, tolerance));
    }
    let mut fit = fit::insert(&problem, tolerance);
    if storage.refine {
        fit::refine(&problem, &mut fit, tolerance);
    }
    outcome(TrackKind::Keys, fit)
}

/// Rounds to what a 32-bit float holds.
pub(super) fn as_f32(v: Value) -> Value {
    v.as_vec4().as_dvec4()
}
