//! Where a point of a joint goes over a clip, in the source and as it is played.

use super::result::ClipResult;
use crate::math::Transform;
use crate::model::{Clip, PoseSource as _};
use glam::{DAffine3, DVec2, DVec3};

/// Instants of a trajectory for each frame, where the clip is short enough.
const DENSITY: usize = 4;

/// Most instants of a trajectory; a longer clip has fewer for each frame, but at least one.
const MAX_INSTANTS: usize = 10_000;

/// Places of one point in model space, metres, at the same instants.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectory {
    /// Instants for each frame.
    pub density: usize,
    /// Frames a second.
    pub rate_hz: f64,
    /// Of the source.
    pub source: Vec<DVec3>,
    /// Decoded from the bytes.
    pub compressed: Vec<DVec3>,
}

impl Trajectory {
    /// The trajectory of the point `offset` (source units, in the joint's space) of a joint of the clip. Cost: a pose of
    /// the player and one of the joints above for each instant.
    pub fn new(clip: &Clip, result: &ClipResult, joint: usize, offset: DVec3) -> Self {
        let grid = clip.grid();
        let density = (MAX_INSTANTS / grid.frames.max(1)).clamp(1, DENSITY);
        let chain = chain(clip, joint);
        let mut player = result.player.clone();
        let mut pose = vec![Transform::IDENTITY; clip.skeleton().len()];
        let mut all = Self {
            density,
            rate_hz: grid.rate_hz,
            ..Self::default()
        };
        for k in 0..=grid.last() * density {
            let secs = grid.secs(k as f64 / density as f64);
            player.pose(secs, &mut pose);
            let source = product(&chain, |j| clip.local(j, secs));
            let decoded = product(&chain, |j| pose[j]);
            let place = |m: DAffine3| m.transform_point3(offset) * result.unit_m;
            all.source.push(place(source));
            all.compressed.push(place(decoded));
        }
        all
    }

    /// The frame of an instant.
    pub fn frame(&self, instant: usize) -> f64 {
        instant as f64 / self.density.max(1) as f64
    }

    /// Speeds over a ground that moves with `ground_m_per_s` (X, Z), metres a second: one an instant, from the
    /// frame before it to the frame after it.
    pub fn speeds(&self, places: &[DVec3], ground_m_per_s: DVec2) -> Vec<f64> {
        let last = places.len().saturating_sub(1);
        let speed = |k: usize| {
            let (a, b) = (k.saturating_sub(self.density), (k + self.density).min(last));
            let secs = (b - a) as f64 / (self.density.max(1) as f64 * self.rate_hz);
            if a == b {
                return 0.0;
            }
            let moved = places[b] - places[a];
            (DVec2::new(moved.x, moved.z) / secs - ground_m_per_s).length()
        };
        (0..places.len()).map(speed).collect()
    }
}

/// `model_from_joint` of the last joint of a chain.
fn product(chain: &[usize], local: impl Fn(usize) -> Transform) -> DAffine3 {
    let mut model = DAffine3::IDENTITY;
    for &joint in chain {
        model *= local(joint).matrix();
    }
    model
}

/// From the root to a joint.
fn chain(clip: &Clip, joint: usize) -> Vec<usize> {
    let joints = clip.skeleton().joints();
    let mut chain = Vec::new();
    let mut above = Some(joint).filter(|&j| j < joints.len());
    while let Some(j) = above {
        chain.push(j);
        above = joints[j].parent;
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_is_that_over_the_ground() {
        let path = Trajectory {
            density: 2,
            rate_hz: 10.0,
            ..Trajectory::default()
        };
        // 20 instants a second: 2 m/s along X, and a jump that is no speed over the ground.
        let places: Vec<DVec3> = (0..9)
            .map(|k| DVec3::new(0.1 * f64::from(k), f64::from(k), 0.0))
            .collect();
        let still = path.speeds(&places, DVec2::ZERO);
        assert!(still.iter().all(|v| (v - 2.0).abs() < 1e-12), "{still:?}");
        let moving = path.speeds(&places, DVec2::new(2.0, 0.0));
        assert!(moving.iter().all(|v| *v < 1e-12));
        assert_eq!(path.speeds(&places[..1], DVec2::ZERO), [0.0]);
    }
}
