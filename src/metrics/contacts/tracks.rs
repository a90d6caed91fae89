//! Where sole points are at every frame of the source.

use super::soles::{SolePoint, Soles};
use crate::model::Clip;
use glam::{DAffine3, DVec3};

/// Places in model space at every frame, metres.
pub(super) struct Tracks {
    /// `[point][frame]`.
    pub points: Vec<Vec<DVec3>>,
    /// Mean velocity of the body over the clip, metres a second.
    pub body_m_per_s: DVec3,
}

impl Tracks {
    /// Cost: one pose of the joints above the soles for each frame.
    pub(super) fn new(clip: &Clip, soles: &Soles, unit_m: f64) -> Self {
        let chain = chain(clip, soles);
        let grid = clip.grid();
        let mut model = vec![DAffine3::IDENTITY; clip.skeleton().len()];
        let mut points = vec![Vec::with_capacity(grid.frames); soles.points.len()];
        let mut body = Vec::new();
        for frame in 0..grid.frames {
            let secs = grid.secs(frame as f64);
            for &j in &chain {
                let local = clip.local(j, secs).matrix();
                let parent = clip.skeleton().joints()[j].parent;
                model[j] = parent.map_or(local, |p| model[p] * local);
            }
            for (track, point) in points.iter_mut().zip(&soles.points) {
                track.push(place_m(&model, point, unit_m));
            }
            if frame == 0 || frame == grid.last() {
                body.extend(soles.body.map(|j| model[j].translation * unit_m));
            }
        }
        let travelled = match body.as_slice() {
            [first, last] => *last - *first,
            _ => DVec3::ZERO,
        };
        Self {
            points,
            body_m_per_s: travelled / grid.duration_secs().max(1e-9),
        }
    }
}

/// Where a sole point is in a pose, metres; the origin for one of another skeleton.
pub(in crate::metrics) fn place_m(model: &[DAffine3], point: &SolePoint, unit_m: f64) -> DVec3 {
    let joint = model.get(point.joint);
    joint.map_or(DVec3::ZERO, |m| m.transform_point3(point.offset) * unit_m)
}

/// The joints that move soles and body, parents first.
fn chain(clip: &Clip, soles: &Soles) -> Vec<usize> {
    let joints = clip.skeleton().joints();
    let mut needed = vec![false; joints.len()];
    for joint in soles.points.iter().map(|p| p.joint).chain(soles.body) {
        needed[joint] = true;
    }
    for j in (0..joints.len()).rev() {
        if let (true, Some(p)) = (needed[j], joints[j].parent) {
            needed[p] = true;
        }
    }
    (0..joints.len()).filter(|&j| needed[j]).collect()
}
