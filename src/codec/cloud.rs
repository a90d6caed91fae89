//! What a joint's own motion displaces: a few points that stand for all vertices that it moves.
//!
//! A turn by `d` moves a vertex of weight `w` at `p` by `d x (w p)`. Of all vertices of a joint those are kept that move
//! farthest for some direction of `d`, until no other moves more than [`ENOUGH`] times as far for any of [`DIRECTIONS`].
//! What that misses the gate finds: it looks at every vertex.

use crate::metrics::{Body, ErrorMetric};
use crate::model::{Clip, Influence, is_left_out};
use glam::{DAffine3, DMat3, DVec3};
use rayon::prelude::*;

/// Most points of a joint.
const MOST: usize = 6;

/// Other vertices may move this many times as far as the points that are kept.
const ENOUGH: f64 = 1.1;

/// Vertices that a joint moves by less than this part do not count towards its points.
const LEAST_WEIGHT: f32 = 0.02;

/// Turns about these axes are tried.
const DIRECTIONS: usize = 32;

/// A point that moves with a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Handle {
    /// In the joint's space, source units.
    pub(super) place: DVec3,
    /// How much of its motion is the joint's, above 0, at most 1.
    pub(super) weight: f64,
    /// Whether it is a point of a shell, not a vertex.
    pub(super) shell: bool,
}

/// The points of one joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Cloud {
    pub(super) handles: Vec<Handle>,
    /// The largest distance, times its weight, of any of them from the joint in the rest pose, source units of the model.
    pub(super) lever: f64,
}

/// The clouds of all joints, from the vertices and shells of a body that count.
pub(super) fn clouds(
    clip: &Clip,
    body: &Body,
    metric: ErrorMetric,
    left_out: &[String],
) -> Vec<Cloud> {
    let skeleton = clip.skeleton();
    let mut rest = vec![DAffine3::IDENTITY; skeleton.len()];
    skeleton.model_pose(&skeleton.rest_pose(), &mut rest);
    let mut vertices: Vec<Vec<Handle>> = vec![Vec::new(); skeleton.len()];
    if metric == ErrorMetric::Skin {
        let parts = clip.skin().parts.iter();
        for part in parts.filter(|p| !is_left_out(left_out, &p.name)) {
            let all = (0..part.vertices()).flat_map(|v| part.of_vertex(v));
            for influence in all.filter(|i| i.weight >= LEAST_WEIGHT) {
                if let Some(own) = vertices.get_mut(usize::from(influence.joint)) {
                    own.push(handle(influence));
                }
            }
        }
    }
    let directions = directions();
    let cloud = |(j, vertices): (usize, Vec<Handle>)| {
        let shell = body.shell(j);
        let shell = DVec3::AXES.map(|axis| Handle {
            place: axis * shell,
            weight: 1.0,
            shell: true,
        });
        let shell = body.shell_counts(j).then_some(shell);
        let all: Vec<Handle> = vertices
            .into_iter()
            .chain(shell.into_iter().flatten())
            .collect();
        Cloud::of(&all, &rest[j].matrix3, &directions)
    };
    vertices.into_par_iter().enumerate().map(cloud).collect()
}

fn handle(influence: &Influence) -> Handle {
    Handle {
        place: glam::Vec3::from(influence.place).as_dvec3(),
        weight: f64::from(influence.weight),
        shell: false,
    }
}

impl Cloud {
    fn of(all: &[Handle], axes: &DMat3, directions: &[DVec3]) -> Self {
        let seen: Vec<DVec3> = all.iter().map(|h| *axes * h.place * h.weight).collect();
        let moved = |d: DVec3, k: usize| d.cross(seen[k]).length_squared();
        let farthest: Vec<(usize, f64)> = directions
            .iter()
            .map(|&d| {
                let all = (0..seen.len()).map(|k| (k, moved(d, k)));
                all.fold((0, -1.0), |m, one| if one.1 > m.1 { one } else { m })
            })
            .collect();
        let mut kept: Vec<usize> = Vec::new();
        while kept.len() < MOST.min(seen.len()) {
            // The direction in which what is kept stands for least.
            let missed = directions.iter().zip(&farthest).map(|(&d, &(k, most))| {
                let known = kept.iter().map(|&k| moved(d, k)).fold(0.0, f64::max);
                (k, if most > 0.0 { known / most } else { 1.0 })
            });
            let worst = missed.fold(
                (0, f64::INFINITY),
                |m, one| if one.1 < m.1 { one } else { m },
            );
            if worst.1 * ENOUGH * ENOUGH >= 1.0 || kept.contains(&worst.0) {
                break;
            }
            kept.push(worst.0);
        }
        Self {
            lever: seen.iter().map(|x| x.length()).fold(0.0, f64::max),
            handles: kept.into_iter().map(|k| all[k]).collect(),
        }
    }
}

/// Directions spread over half a sphere, as seeds in a sunflower.
fn directions() -> Vec<DVec3> {
    let golden = 3.0 - 5.0_f64.sqrt();
    let of = |k: usize| {
        let height = (k as f64 + 0.5) / DIRECTIONS as f64;
        let (sin, cos) = (std::f64::consts::PI * golden * k as f64).sin_cos();
        let radius = (1.0 - height * height).sqrt();
        DVec3::new(radius * cos, radius * sin, height)
    };
    (0..DIRECTIONS).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64, y: f64, z: f64, weight: f64) -> Handle {
        Handle {
            place: DVec3::new(x, y, z),
            weight,
            shell: false,
        }
    }

    #[test]
    fn a_few_points_stand_for_all() {
        let ring = |k: usize| {
            let (sin, cos) = (k as f64 * 0.1).sin_cos();
            at(0.05 * cos, 0.001 * k as f64, 0.05 * sin, 1.0)
        };
        let all: Vec<Handle> = (0..400).map(ring).collect();
        let directions = directions();
        let cloud = Cloud::of(&all, &DMat3::IDENTITY, &directions);
        assert!(cloud.handles.len() <= MOST && (cloud.lever - 0.402).abs() < 0.01);
        for d in directions {
            let most = |h: &[Handle]| {
                h.iter()
                    .map(|h| d.cross(h.place).length())
                    .fold(0.0, f64::max)
            };
            assert!(most(&cloud.handles) * ENOUGH >= most(&all), "{d}");
        }
    }

    #[test]
    fn weights_and_axes_count() {
        let all = [at(10.0, 0.0, 0.0, 0.1), at(0.0, 2.0, 0.0, 1.0)];
        let cloud = Cloud::of(
            &all,
            &DMat3::from_diagonal(DVec3::splat(0.5)),
            &directions(),
        );
        assert_eq!(cloud.lever, 1.0);
        assert_eq!(
            Cloud::of(&[], &DMat3::IDENTITY, &directions()),
            Cloud::default()
        );
    }
}
