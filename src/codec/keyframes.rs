//! Plain keyframes, exactly the 32-bit floats that a glTF file will hold, and the player of them.

use super::weights::WeightChannel;
use crate::math::{Channel, Transform, slerp};
use crate::model::{CurveSource, Interpolation, PoseSource, Skeleton, step_slack_secs};
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// One animation channel as glTF stores it (glTF 2.0, section 3.11).
#[derive(Clone, Debug, PartialEq)]
pub struct KeyframeChannel {
    /// Index into the skeleton; `skeleton.joints()[joint].source_index` is the glTF node.
    pub joint: usize,
    /// What it moves.
    pub channel: Channel,
    /// `Step` or `Linear`.
    pub interpolation: Interpolation,
    /// Seconds, strictly increasing, at least one.
    pub times: Vec<f32>,
    /// [`Channel::width`] floats a key.
    pub values: Vec<f32>,
}

/// A clip as glTF keyframes; what is not listed stands in the rest pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keyframes {
    /// Sorted by joint, then channel, each pair at most once.
    pub channels: Vec<KeyframeChannel>,
    /// All float curves of the clip, in their order.
    pub weights: Vec<WeightChannel>,
}

impl Keyframes {
    /// Bytes of the accessors of all channels.
    pub fn payload_bytes(&self) -> usize {
        self.joint_bytes() + self.weight_bytes()
    }

    /// Those of joints.
    pub fn joint_bytes(&self) -> usize {
        let channels = 0..self.channels.len();
        channels.map(|k| self.channel_bytes(k)).sum()
    }

    /// Those of morph weights.
    pub fn weight_bytes(&self) -> usize {
        let channels = self.weights.iter();
        channels.map(WeightChannel::payload_bytes).sum()
    }

    /// Bytes of the values of channel `k`, and of its times where no channel before it has the same: those are written
    /// once.
    pub fn channel_bytes(&self, k: usize) -> usize {
        let channel = &self.channels[k];
        let known = self.channels[..k].iter().any(|c| c.times == channel.times);
        let times = if known { 0 } else { channel.times.len() };
        4 * (times + channel.values.len())
    }
}

impl KeyframeChannel {
    /// The value at `secs` as the glTF specification reads it; rotations are unit quaternions.
    pub fn value(&self, secs: f64) -> [f64; 4] {
        let width = self.channel.width();
        let key = |k: usize| -> [f64; 4] {
            std::array::from_fn(|c| {
                if c < width {
                    f64::from(self.values[k * width + c])
                } else {
                    0.0
                }
            })
        };
        let last = self.times.len() - 1;
        let held = self.interpolation == Interpolation::Step;
        let until = if held {
            secs + step_slack_secs(secs)
        } else {
            secs
        };
        let right = self.times.partition_point(|&t| f64::from(t) <= until);
        if right == 0 {
            return key(0);
        }
        if right > last || self.interpolation == Interpolation::Step {
            return key(right - 1);
        }
        let (t0, t1) = (
            f64::from(self.times[right - 1]),
            f64::from(self.times[right]),
        );
        let u = (secs - t0) / (t1 - t0);
        let (a, b) = (key(right - 1), key(right));
        if self.channel == Channel::Rotation {
            let unit = |q: [f64; 4]| DQuat::from_array(q).normalize();
            return slerp(unit(a), unit(b), u).to_array();
        }
        std::array::from_fn(|c| a[c] + (b[c] - a[c]) * u)
    }
}

/// Plays [`Keyframes`] the way the glTF specification says.
#[derive(Clone, Debug)]
pub struct KeyframePlayer {
    keyframes: Arc<Keyframes>,
    rest: Vec<Transform>,
}

impl KeyframePlayer {
    /// A player over the rest pose of `skeleton`.
    pub fn new(keyframes: Arc<Keyframes>, skeleton: &Skeleton) -> Self {
        Self {
            keyframes,
            rest: skeleton.rest_pose(),
        }
    }
}

impl CurveSource for KeyframePlayer {
    fn curves(&mut self, secs: f64, out: &mut [f32]) {
        for channel in &self.keyframes.weights {
            let place = channel.first..channel.first + channel.len();
            if let Some(out) = out.get_mut(place) {
                channel.values(secs, out);
            }
        }
    }
}

impl PoseSource for KeyframePlayer {
    fn pose(&mut self, secs: f64, out: &mut [Transform]) {
        out.copy_from_slice(&self.rest);
        for c in &self.keyframes.channels {
            let v = c.value(secs);
            match c.channel {
                Channel::Rotation => out[c.joint].rotation = DQuat::from_array(v).normalize(),
                Channel::Translation => out[c.joint].translation = DVec3::new(v[0], v[1], v[2]),
                Channel::Scale => out[c.joint].scale = DVec3::new(v[0], v[1], v[2]),
            }
        }
    }
}
