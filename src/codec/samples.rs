//! A clip's tracks as one value a frame, which is what gets fitted.

use crate::fit::{Metric, Value};
use crate::math::{Channel, Transform};
use crate::model::{Clip, Interpolation, Track};
use rayon::prelude::*;

/// One track, sampled at the frames of its clip.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackSamples {
    /// Index into the skeleton.
    pub joint: usize,
    /// What it moves.
    pub channel: Channel,
    /// The source holds its keys: a jump must stay a jump.
    pub step: bool,
    /// One a frame; rotations sign-continuous. Source units.
    pub values: Vec<Value>,
    /// The value of the rest pose.
    pub rest: Value,
}

impl TrackSamples {
    /// Samples every track of a clip. Cost: tracks x frames curve evaluations.
    pub fn of_clip(clip: &Clip) -> Vec<Self> {
        clip.tracks()
            .par_iter()
            .map(|track| Self::of_track(clip, track))
            .collect()
    }

    /// Samples one track of a clip.
    pub fn of_track(clip: &Clip, track: &Track) -> Self {
        let grid = clip.grid();
        let (joint, channel) = (track.joint, track.channel);
        let value = |secs: f64| match channel {
            Channel::Rotation => track.curve.rotation(secs).into(),
            Channel::Translation | Channel::Scale => track.curve.vec3(secs).extend(0.0),
        };
        let mut values: Vec<Value> = (0..grid.frames)
            .map(|k| value(grid.secs(k as f64)))
            .collect();
        if channel == Channel::Rotation {
            align(&mut values);
        }
        let rest = channel_value(&clip.skeleton().joints()[joint].rest, channel);
        let step = track.curve.interpolation() == Interpolation::Step;
        Self {
            joint,
            channel,
            step,
            values,
            rest,
        }
    }

    /// How the track's errors are measured.
    pub fn metric(&self) -> Metric {
        match self.channel {
            Channel::Rotation => Metric::Angle,
            Channel::Translation | Channel::Scale => Metric::Distance,
        }
    }

    /// The largest error of holding `value` throughout.
    pub fn error_of_holding(&self, value: Value) -> f64 {
        let metric = self.metric();
        self.values
            .iter()
            .map(|&v| metric.error(value, v))
            .fold(0.0, f64::max)
    }

    /// The value that all frames are about equally far from: the middle of the box around them.
    pub fn middle(&self) -> Value {
        let low = self
            .values
            .iter()
            .copied()
            .fold(Value::INFINITY, Value::min);
        let high = self
            .values
            .iter()
            .copied()
            .fold(Value::NEG_INFINITY, Value::max);
        self.metric().finish(0.5 * (low + high))
    }
}

/// One channel of a transform as a fitter's value.
pub fn channel_value(t: &Transform, channel: Channel) -> Value {
    match channel {
        Channel::Rotation => t.rotation.into(),
        Channel::Translation => t.translation.extend(0.0),
        Channel::Scale => t.scale.extend(0.0),
    }
}

fn align(values: &mut [Value]) {
    for k in 1..values.len() {
        if values[k].dot(values[k - 1]) < 0.0 {
            values[k] = -values[k];
        }
    }
}
