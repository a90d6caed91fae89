//! Additive clips: what a clip adds to a base pose, for engines that lay it over another one.
//!
//! The source is a whole clip. What is shipped is its difference to the base pose, joint by joint: a rotation to be
//! multiplied to the right of the base's, a translation to be added, a scale to be multiplied (as three.js and, for
//! `additive0`, ACL have it; [`crate::runtime::Transform::on`] is the way back). Error is measured where it is seen: on
//! the base pose, down the chain. Coded without it, differences are off by 30 times the target on skeletons that the
//! base pose would have told the lengths of.

use super::samples::{TrackSamples, channel_value};
use crate::fit::Value;
use crate::math::{Channel, Transform};
use crate::model::Clip;
use crate::runtime;
use glam::DQuat;
use serde::{Deserialize, Serialize};

/// The pose that an additive clip is made against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BasePose {
    /// The skeleton's rest pose.
    Rest,
    /// The clip's own pose at a frame; the last one if there are fewer.
    Frame(usize),
}

impl BasePose {
    /// One transform a joint, as a file holds it.
    pub(super) fn of(self, clip: &Clip) -> Vec<runtime::Transform> {
        let grid = clip.grid();
        let local = |j: usize| match self {
            Self::Rest => clip.skeleton().joints()[j].rest,
            Self::Frame(frame) => clip.local(j, grid.secs(frame.min(grid.last()) as f64)),
        };
        (0..clip.skeleton().len())
            .map(|j| super::file::narrow(&local(j)))
            .collect()
    }
}

impl TrackSamples {
    /// What the track adds to the base transform of its joint; its rest is then to add nothing.
    pub(super) fn less(mut self, base: &Transform) -> Self {
        for value in &mut self.values {
            *value = less(*value, self.channel, base);
        }
        self.rest = channel_value(&Transform::IDENTITY, self.channel);
        self
    }
}

/// A channel's value less that of a base.
fn less(value: Value, channel: Channel, base: &Transform) -> Value {
    match channel {
        Channel::Rotation => (base.rotation.conjugate() * DQuat::from_vec4(value)).into(),
        Channel::Translation => (value.truncate() - base.translation).extend(0.0),
        Channel::Scale => base.scale_less(value.truncate()).extend(0.0),
    }
}

/// The value of a channel of an additive clip on a base: `x, y, z, w`.
pub fn on_base(value: [f64; 4], channel: Channel, base: &Transform) -> [f64; 4] {
    let value = Value::from_array(value);
    let on: Value = match channel {
        Channel::Rotation => (base.rotation * DQuat::from_vec4(value)).into(),
        Channel::Translation => (value.truncate() + base.translation).extend(0.0),
        Channel::Scale => (value.truncate() * base.scale).extend(0.0),
    };
    on.to_array()
}
