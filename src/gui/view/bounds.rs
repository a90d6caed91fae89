//! How much room a model takes, for framing and for finding the floor.

use crate::model::{Asset, Clip, Mesh, Skeleton};
use glam::{DAffine3, DVec3};

/// A vertex counts for a joint from this weight on; lighter ones are near the heavier joint anyway.
const LEAST_WEIGHT: f32 = 0.2;

/// Frames of a clip that are looked at.
const SAMPLES: usize = 48;

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Smallest coordinates.
    pub min: DVec3,
    /// Largest coordinates.
    pub max: DVec3,
}

impl Bounds {
    /// Holds nothing.
    pub const EMPTY: Self = Self {
        min: DVec3::INFINITY,
        max: DVec3::NEG_INFINITY,
    };

    /// A box between two corners, `min <= max` in each coordinate.
    pub const fn new(min: DVec3, max: DVec3) -> Self {
        Self { min, max }
    }

    /// Whether nothing is inside.
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// The middle; the origin when empty.
    pub fn center(&self) -> DVec3 {
        if self.is_empty() {
            return DVec3::ZERO;
        }
        0.5 * (self.min + self.max)
    }

    /// The longest side; 0 when empty.
    pub fn size(&self) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        (self.max - self.min).max_element()
    }

    /// The eight corners.
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|i| {
            let pick = |bit: usize, low: f64, high: f64| if i & bit == 0 { low } else { high };
            DVec3::new(
                pick(1, self.min.x, self.max.x),
                pick(2, self.min.y, self.max.y),
                pick(4, self.min.z, self.max.z),
            )
        })
    }

    /// Larger by `margin` on all sides.
    #[must_use]
    pub fn grown(&self, margin: f64) -> Self {
        Self::new(self.min - margin, self.max + margin)
    }

    /// Makes room for a point; points that are not finite are left out.
    pub fn add(&mut self, point: DVec3) {
        if point.is_finite() {
            self.min = self.min.min(point);
            self.max = self.max.max(point);
        }
    }

    /// Makes room for a box that `matrix` moves.
    fn add_moved(&mut self, other: &Self, matrix: &DAffine3) {
        if other.is_empty() {
            return;
        }
        for corner in other.corners() {
            self.add(matrix.transform_point3(corner));
        }
    }

    /// The floor that fits: 0 when the lowest point is within a tenth of the size of it, else that point.
    pub fn ground_height(&self) -> f64 {
        if self.is_empty() || self.min.y.abs() <= 0.1 * self.size() {
            return 0.0;
        }
        self.min.y
    }
}

/// A joint farther from the middle than so many times what four fifths of all are is no part of the body.
const FAR: f64 = 3.0;

/// Which joints of a pose are where most are.
fn near(pose: &[DAffine3]) -> Vec<bool> {
    let middle = DVec3::from_array([0, 1, 2].map(|axis| {
        let mut all: Vec<f64> = pose.iter().map(|m| m.translation[axis]).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or(0.0)
    }));
    let far = |m: &DAffine3| m.translation.distance(middle);
    let mut all: Vec<f64> = pose.iter().map(far).collect();
    all.sort_by(f64::total_cmp);
    let most = all.get(all.len() * 4 / 5).copied().unwrap_or(0.0);
    let is_near = |m: &DAffine3| most == 0.0 || far(m) <= FAR * most;
    pose.iter().map(is_near).collect()
}

/// What every joint carries, so that the bounds of a pose cost eight points a joint.
#[derive(Clone, Debug)]
pub struct AssetBounds {
    /// For each joint, the box of its vertices (or of the joint itself) in its own space.
    boxes: Vec<Bounds>,
    rest: Bounds,
}

impl AssetBounds {
    /// Cost: linear in vertices.
    pub fn new(asset: &Asset) -> Self {
        Self::of(&asset.skeleton, &asset.meshes)
    }

    /// As [`AssetBounds::new`], from the parts that matter. Joints that carry no vertex do not count as
    /// long as any joint does, nor in a skeleton alone those that are far from most: nodes of lamps and cameras would
    /// make the model small in its picture.
    pub fn of(skeleton: &Skeleton, meshes: &[Mesh]) -> Self {
        let mut boxes = vec![Bounds::EMPTY; skeleton.len()];
        for mesh in meshes {
            add_mesh(&mut boxes, mesh);
        }
        let mut pose = vec![DAffine3::IDENTITY; skeleton.len()];
        skeleton.model_pose(&skeleton.rest_pose(), &mut pose);
        if boxes.iter().all(Bounds::is_empty) {
            for (joint_box, near) in boxes.iter_mut().zip(near(&pose)) {
                if near {
                    *joint_box = Bounds::new(DVec3::ZERO, DVec3::ZERO);
                }
            }
        }
        let mut bounds = Self {
            boxes,
            rest: Bounds::EMPTY,
        };
        bounds.rest = bounds.pose(&pose);
        bounds
    }

    /// The box of the rest pose.
    pub fn rest(&self) -> Bounds {
        self.rest
    }

    /// The box of a pose (`model_from_joint` for each joint); a little too large rather than too small.
    pub fn pose(&self, pose: &[DAffine3]) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        for (joint_box, model_from_joint) in self.boxes.iter().zip(pose) {
            bounds.add_moved(joint_box, model_from_joint);
        }
        bounds
    }

    /// The box of all poses of a clip, looked at in up to 48 frames spread over it.
    pub fn clip(&self, clip: &Clip) -> Bounds {
        let grid = clip.grid();
        let count = grid.frames.min(SAMPLES);
        let skeleton = clip.skeleton();
        let mut pose = vec![DAffine3::IDENTITY; skeleton.len()];
        let mut locals = skeleton.rest_pose();
        let mut bounds = Bounds::EMPTY;
        for sample in 0..count {
            let frame = sample as f64 * grid.last() as f64 / (count.max(2) - 1) as f64;
            for (joint, local) in locals.iter_mut().enumerate() {
                *local = clip.local(joint, grid.secs(frame));
            }
            skeleton.model_pose(&locals, &mut pose);
            let one = self.pose(&pose);
            if !one.is_empty() {
                bounds.add(one.min);
                bounds.add(one.max);
            }
        }
        bounds
    }

    /// The box of a joint and everything that hangs below it; at least that of their places.
    pub fn branch(&self, skeleton: &Skeleton, pose: &[DAffine3], joint: usize) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        let mut below = vec![false; skeleton.len()];
        for (j, own) in skeleton.joints().iter().enumerate() {
            below[j] = j == joint || own.parent.is_some_and(|p| below[p]);
            if let (true, Some(m)) = (below[j], pose.get(j)) {
                bounds.add(m.translation);
                bounds.add_moved(&self.boxes[j], m);
            }
        }
        bounds
    }

    /// The box around one joint and its neighbours, for framing a selection.
    pub fn joint(&self, skeleton: &Skeleton, pose: &[DAffine3], joint: usize) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        let Some(own) = pose.get(joint) else {
            return bounds;
        };
        bounds.add(own.translation);
        let parent = skeleton.joints().get(joint).and_then(|j| j.parent);
        for near in skeleton.children(joint).chain(parent) {
            if let Some(m) = pose.get(near) {
                bounds.add(m.translation);
            }
        }
        bounds.add_moved(&self.boxes[joint], own);
        bounds
    }
}

fn add_mesh(boxes: &mut [Bounds], mesh: &Mesh) {
    for (vertex, position) in mesh.positions.iter().enumerate() {
        let position = glam::Vec3::from(*position).as_dvec3();
        for (bone, weight) in mesh.influences(vertex) {
            let Some((joint, joint_from_mesh)) = mesh.joints.get(usize::from(bone)) else {
                continue;
            };
            if weight >= LEAST_WEIGHT && *joint < boxes.len() {
                boxes[*joint].add(joint_from_mesh.transform_point3(position));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Channel, Transform};
    use crate::model::{Interpolation, Issues, Joint, RawClip, RawCurve, RawTrack};
    use glam::DMat4;
    use std::sync::Arc;

    fn skeleton() -> Skeleton {
        let joint = |parent, y| Joint {
            name: String::new(),
            parent,
            rest: Transform {
                translation: DVec3::new(0.0, y, 0.0),
                ..Transform::IDENTITY
            },
            source_index: 0,
        };
        Skeleton::new(vec![joint(None, 0.0), joint(Some(0), 1.0)]).unwrap()
    }

    /// One vertex at (0.5, 1, 0) that follows joint 1.
    fn mesh() -> Mesh {
        Mesh {
            positions: vec![[0.5, 1.0, 0.0]],
            bones: vec![[0; 4]],
            weights: vec![[1.0, 0.0, 0.0, 0.0]],
            joints: vec![(1, DMat4::from_translation(DVec3::new(0.0, -1.0, 0.0)))],
            ..Mesh::default()
        }
    }

    #[test]
    fn without_a_mesh_the_joints_count() {
        let bounds = AssetBounds::of(&skeleton(), &[]).rest();
        assert_eq!(bounds, Bounds::new(DVec3::ZERO, DVec3::Y));
        assert_eq!((bounds.size(), bounds.ground_height()), (1.0, 0.0));
    }

    #[test]
    fn a_camera_far_from_a_bare_skeleton_does_not_count() {
        let pose = |places: &[f64]| -> Vec<DAffine3> {
            let at = |&x: &f64| DAffine3::from_translation(DVec3::X * x);
            places.iter().map(at).collect()
        };
        let body = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 30.0];
        let found = near(&pose(&body));
        assert_eq!(found.iter().filter(|&&n| n).count(), 9);
        assert!(!found[9]);
        assert_eq!(near(&pose(&[0.0, 0.0, 0.0, 0.0, 0.0, 5.0])), [true; 6]);
        assert_eq!(near(&pose(&[0.0, 5.0])), [true; 2]);
    }

    #[test]
    fn with_a_mesh_its_vertices_count_alone() {
        let bounds = AssetBounds::of(&skeleton(), &[mesh()]).rest();
        let vertex = DVec3::new(0.5, 1.0, 0.0);
        assert_eq!(bounds, Bounds::new(vertex, vertex));
    }

    #[test]
    fn a_branch_is_a_joint_with_all_below_it() {
        let skeleton = skeleton();
        let all = AssetBounds::of(&skeleton, &[mesh()]);
        let mut pose = vec![DAffine3::IDENTITY; 2];
        skeleton.model_pose(&skeleton.rest_pose(), &mut pose);
        let tip = all.branch(&skeleton, &pose, 1);
        assert_eq!(tip.max, DVec3::new(0.5, 1.0, 0.0));
        assert_eq!(tip.min, DVec3::Y);
        assert_eq!(all.branch(&skeleton, &pose, 0).min, DVec3::ZERO);
    }

    #[test]
    fn a_clip_is_looked_at_from_its_first_to_its_last_frame() {
        let raw = RawClip {
            name: "walk".into(),
            tracks: vec![RawTrack {
                joint: 0,
                channel: Channel::Translation,
                curve: RawCurve {
                    interpolation: Interpolation::Linear,
                    times: vec![0.0, 10.0],
                    values: vec![0.0, -3.0, 0.0, 5.0, -3.0, 0.0],
                },
            }],
            scalars: vec![],
        };
        let skeleton = Arc::new(skeleton());
        let clip = Clip::new(Arc::clone(&skeleton), raw, &mut Issues::default());
        let bounds = AssetBounds::of(&skeleton, &[]).clip(&clip);
        let expected = Bounds::new(DVec3::new(0.0, -3.0, 0.0), DVec3::new(5.0, -2.0, 0.0));
        assert!((bounds.min - expected.min).length() < 1e-6);
        assert!((bounds.max - expected.max).length() < 1e-6);
        assert_eq!(bounds.ground_height(), bounds.min.y);
    }

    #[test]
    fn nothing_gives_empty_bounds_and_not_finite_points_are_left_out() {
        let mut bounds = Bounds::EMPTY;
        bounds.add(DVec3::NAN);
        assert!(bounds.is_empty());
        assert_eq!((bounds.size(), bounds.center()), (0.0, DVec3::ZERO));
        bounds.add(DVec3::X);
        assert!(!bounds.is_empty());
    }
}
