//! From settings to the allowed local error of every track.

use super::samples::TrackSamples;
use super::settings::{Budget, Settings};
use crate::math::Channel;
use crate::model::Skeleton;
use glam::DAffine3;

/// What of a skeleton the tolerances depend on.
#[derive(Clone, Debug)]
pub(super) struct Chains {
    /// Joints below on the longest way down, see [`Skeleton::heights`].
    heights: Vec<usize>,
    /// Largest distance in the rest pose from a joint to one below it, source units.
    reach: Vec<f64>,
    /// How many times larger than its own units a joint's parent shows its translation in the rest pose.
    above: Vec<f64>,
}

impl Chains {
    pub(super) fn new(skeleton: &Skeleton) -> Self {
        let rest = skeleton.rest_pose();
        let mut model = vec![DAffine3::IDENTITY; rest.len()];
        skeleton.model_pose(&rest, &mut model);
        let mut reach = vec![0.0_f64; rest.len()];
        for (j, m) in model.iter().enumerate() {
            let mut above = skeleton.joints()[j].parent;
            while let Some(p) = above {
                reach[p] = reach[p].max(m.translation.distance(model[p].translation));
                above = skeleton.joints()[p].parent;
            }
        }
        Self {
            heights: skeleton.heights(),
            reach,
            above: skeleton.scales_above(),
        }
    }

    /// What 1 of a track's tolerance is in the world: metres for a translation, else 1.
    pub(super) fn in_the_world(&self, joint: usize, channel: Channel, unit_m: f64) -> f64 {
        match channel {
            Channel::Translation => unit_m * self.above[joint],
            Channel::Rotation | Channel::Scale => 1.0,
        }
    }

    /// The tolerance of every track: radians, source units of its parent's space or factor. `levers` are the
    /// distances at which the joints' own vertices or shells feel their turns, source units.
    ///
    /// With [`Budget::Tolerances`] the clip's tolerance, divided along the chain, unless the joint overrides
    /// it. With [`Budget::Skin`] the channel may move the skin by `scale` times the target, likewise divided:
    /// an angle moves a joint below by the angle times its distance, so that is what it is divided by.
    /// Overrides cap it.
    pub(super) fn tolerances(
        &self,
        skeleton: &Skeleton,
        tracks: &[TrackSamples],
        (settings, levers): (&Settings, &[f64]),
        unit_m: f64,
        scale: f64,
    ) -> Vec<f64> {
        tracks
            .iter()
            .map(|t| {
                let share = settings.margin(self.heights[t.joint]);
                let name = &skeleton.joints()[t.joint].name;
                let own = settings.overrides.get(name).and_then(|o| o.of(t.channel));
                let value = match settings.budget {
                    Budget::Tolerances => own.unwrap_or(settings.tolerances.of(t.channel) * share),
                    Budget::Skin { target_m } => {
                        let lever_m = self.reach[t.joint].max(levers[t.joint]).max(1e-9) * unit_m;
                        let solved = match t.channel {
                            Channel::Translation => scale * target_m * share,
                            Channel::Rotation | Channel::Scale => {
                                scale * target_m * share / lever_m
                            }
                        };
                        solved.min(own.unwrap_or(f64::INFINITY))
                    }
                };
                value / self.in_the_world(t.joint, t.channel, unit_m)
            })
            .collect()
    }
}
