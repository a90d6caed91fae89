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
        }
    }

    /// The tolerance of every track: radians, source units or factor.
    ///
    /// With [`Budget::Tolerances`] the clip's tolerance, divided along the chain, unless the joint overrides
    /// it. With [`Budget::Skin`] the channel may move the skin by `scale` times the target, likewise divided:
    /// an angle moves a joint below by the angle times its distance, so that is what it is divided by.
    /// Overrides cap it.
    pub(super) fn tolerances(
        &self,
        skeleton: &Skeleton,
        tracks: &[TrackSamples],
        settings: &Settings,
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
                        let lever_m = self.reach[t.joint] * unit_m + settings.shell_m;
                        let solved = match t.channel {
                            Channel::Translation => scale * target_m * share,
                            Channel::Rotation | Channel::Scale => {
                                scale * target_m * share / lever_m
                            }
                        };
                        solved.min(own.unwrap_or(f64::INFINITY))
                    }
                };
                if t.channel == Channel::Translation {
                    value / unit_m
                } else {
                    value
                }
            })
            .collect()
    }
}
