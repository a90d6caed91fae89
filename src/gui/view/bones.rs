//! Which bones a skeleton is drawn with.
//!
//! A file has joints, people look at bones: a bone runs from a joint to one of its children and belongs
//! to the joint at its head, whose rotation moves it. Joints without children get a short bone that
//! goes on in their parent's direction.

use crate::gui::within::Within as _;
use crate::model::Skeleton;
use glam::{DAffine3, DVec3};

/// Half the width of a bone, as a share of its length.
const WIDTH_OF_LENGTH: f64 = 0.095;
/// The widest bone, as a share of the model's size.
const MOST_WIDTH: f64 = 0.026;
/// A bone longer than this share of the model is a mere offset and drawn as a line ...
const LONG: f64 = 0.45;
/// ... and one that leads from the root to the body already from here on.
const LONG_FROM_ROOT: f64 = 0.12;
/// The shortest bone that is drawn, as a share of the model.
const SHORT: f64 = 1e-4;
/// A skeleton with no more bones than this has no body that a long one could outshine.
const FEW: usize = 4;

/// How a bone is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoneStyle {
    /// An octahedron.
    Solid,
    /// A thin line: offsets from the root and other long ones, which are no limbs.
    Line,
}

/// Where a bone ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Tail {
    /// At another joint.
    Joint(usize),
    /// At a point in the joint's own space.
    Local(DVec3),
}

/// One bone of a skeleton, whatever its pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone {
    /// The joint that moves it.
    pub joint: usize,
    /// How it is drawn.
    pub style: BoneStyle,
    tail: Tail,
}

/// A bone in a pose, model space, source units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneSegment {
    /// The joint that moves it.
    pub joint: usize,
    /// How it is drawn.
    pub style: BoneStyle,
    /// Position of the joint.
    pub head: DVec3,
    /// Where it ends.
    pub tail: DVec3,
    /// Unit vector across the bone that turns with the joint.
    pub side: DVec3,
    /// Half its width at the thickest place.
    pub width: f64,
}

/// The bones of a skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct BoneSet {
    bones: Vec<Bone>,
    /// Joints that are drawn as a sphere.
    spheres: Vec<usize>,
    size: f64,
}

impl BoneSet {
    /// Decides from the rest pose. `model_size` is the longest side of the model in source units; where
    /// it is 0 the joints' own extent is used. Cost: linear.
    pub fn new(skeleton: &Skeleton, model_size: f64) -> Self {
        let mut pose = vec![DAffine3::IDENTITY; skeleton.len()];
        skeleton.model_pose(&skeleton.rest_pose(), &mut pose);
        let size = if model_size > 0.0 {
            model_size
        } else {
            super::AssetBounds::of(skeleton, &[]).rest().size()
        };
        let has_child = has_child(skeleton);
        let at_root = at_root(skeleton, &pose, SHORT * size);
        let mut bones = Vec::with_capacity(skeleton.len());
        for (j, joint) in skeleton.joints().iter().enumerate() {
            let Some(parent) = joint.parent else { continue };
            let offset = pose[j].translation - pose[parent].translation;
            let length = offset.length();
            let has_length = length > SHORT * size;
            if !has_length {
                continue;
            }
            let long = length > LONG * size || (at_root[parent] && length > LONG_FROM_ROOT * size);
            bones.push(Bone {
                joint: parent,
                style: if long {
                    BoneStyle::Line
                } else {
                    BoneStyle::Solid
                },
                tail: Tail::Joint(j),
            });
            if !has_child[j]
                && let Some(tail) = end_of_leaf(&pose[j], offset, size)
            {
                bones.push(Bone {
                    joint: j,
                    style: BoneStyle::Solid,
                    tail: Tail::Local(tail),
                });
            }
        }
        if bones.len() <= FEW {
            for bone in &mut bones {
                bone.style = BoneStyle::Solid;
            }
        }
        Self {
            bones,
            spheres: (0..skeleton.len()).collect(),
            size,
        }
    }

    /// The bones, in no particular order.
    pub fn bones(&self) -> &[Bone] {
        &self.bones
    }

    /// Joints drawn as a sphere.
    pub fn spheres(&self) -> &[usize] {
        &self.spheres
    }

    /// Radius of a joint's sphere, source units.
    pub fn sphere_radius(&self) -> f64 {
        0.011 * self.size
    }

    /// The bones in a pose; those of joints that the pose lacks, of no length, or not finite, are left out.
    pub fn segments<'a>(&'a self, pose: &'a [DAffine3]) -> impl Iterator<Item = BoneSegment> + 'a {
        self.bones.iter().filter_map(move |b| self.segment(b, pose))
    }

    fn segment(&self, bone: &Bone, pose: &[DAffine3]) -> Option<BoneSegment> {
        let matrix = pose.get(bone.joint)?;
        let head = matrix.translation;
        let tail = match bone.tail {
            Tail::Joint(j) => pose.get(j)?.translation,
            Tail::Local(point) => matrix.transform_point3(point),
        };
        let length = head.distance(tail);
        let has_length = length > SHORT * self.size && length.is_finite();
        if !has_length {
            return None;
        }
        let along = (tail - head) / length;
        Some(BoneSegment {
            joint: bone.joint,
            style: bone.style,
            head,
            tail,
            side: across(matrix, along),
            width: (WIDTH_OF_LENGTH * length).min(MOST_WIDTH * self.size),
        })
    }
}

fn has_child(skeleton: &Skeleton) -> Vec<bool> {
    let mut has = vec![false; skeleton.len()];
    for parent in skeleton.joints().iter().filter_map(|j| j.parent) {
        has[parent] = true;
    }
    has
}

/// Whether a joint is a root or stands where its root stands: an armature node.
fn at_root(skeleton: &Skeleton, pose: &[DAffine3], near: f64) -> Vec<bool> {
    let mut at = vec![false; skeleton.len()];
    for (j, joint) in skeleton.joints().iter().enumerate() {
        at[j] = joint
            .parent
            .is_none_or(|p| at[p] && pose[j].translation.distance(pose[p].translation) <= near);
    }
    at
}

/// The end of a leaf's bone in the leaf's own space; none where the joint is scaled to nothing.
fn end_of_leaf(model_from_joint: &DAffine3, offset: DVec3, size: f64) -> Option<DVec3> {
    let length = (0.45 * offset.length()).within(0.008 * size, 0.06 * size);
    let end = offset.normalize_or_zero() * length;
    let point = model_from_joint.matrix3.inverse() * end;
    point.is_finite().then_some(point)
}

/// A unit vector across `along` that follows the joint's own axes, so that bones do not spin.
fn across(matrix: &DAffine3, along: DVec3) -> DVec3 {
    let axes = [matrix.matrix3.x_axis, matrix.matrix3.z_axis];
    axes.into_iter()
        .map(|axis| axis.normalize_or_zero().reject_from_normalized(along))
        .find(|side| side.length() > 0.3)
        .map_or_else(|| along.any_orthonormal_vector(), DVec3::normalize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::Joint;

    fn skeleton(joints: &[(Option<usize>, DVec3)]) -> Skeleton {
        let joint = |&(parent, translation): &(Option<usize>, DVec3)| Joint {
            name: String::new(),
            parent,
            rest: Transform {
                translation,
                ..Transform::IDENTITY
            },
            source_index: 0,
        };
        Skeleton::new(joints.iter().map(joint).collect()).unwrap()
    }

    fn pose(skeleton: &Skeleton) -> Vec<DAffine3> {
        let mut pose = vec![DAffine3::IDENTITY; skeleton.len()];
        skeleton.model_pose(&skeleton.rest_pose(), &mut pose);
        pose
    }

    /// Armature, hips far above it, two thighs and a spine with a leaf each.
    fn biped(scale: f64) -> Skeleton {
        let v = |x: f64, y: f64| DVec3::new(x, y, 0.0) * scale;
        skeleton(&[
            (None, DVec3::ZERO),
            (Some(0), DVec3::ZERO),
            (Some(1), v(0.0, 1.0)),
            (Some(2), v(0.1, -0.05)),
            (Some(3), v(0.0, -0.4)),
            (Some(2), v(-0.1, -0.05)),
            (Some(5), v(0.0, -0.4)),
            (Some(2), v(0.0, 0.3)),
        ])
    }

    #[test]
    fn the_way_from_root_to_hips_is_a_line_and_limbs_are_solid() {
        for scale in [0.01, 1.0, 100.0] {
            let set = BoneSet::new(&biped(scale), 1.8 * scale);
            let style = |joint, tail| {
                let mut all = set.bones().iter();
                all.find(|b| b.joint == joint && b.tail == Tail::Joint(tail))
                    .map(|b| b.style)
            };
            assert_eq!(style(0, 1), None, "no length, no bone");
            assert_eq!(style(1, 2), Some(BoneStyle::Line));
            assert_eq!(style(3, 4), Some(BoneStyle::Solid));
        }
    }

    #[test]
    fn a_joint_with_several_children_has_a_bone_to_each() {
        let set = BoneSet::new(&biped(1.0), 1.8);
        assert_eq!(set.bones().iter().filter(|b| b.joint == 2).count(), 3);
    }

    #[test]
    fn a_leaf_goes_on_in_the_direction_of_its_parent() {
        let skeleton = biped(1.0);
        let set = BoneSet::new(&skeleton, 1.8);
        let pose = pose(&skeleton);
        let toe = set.segments(&pose).find(|s| s.joint == 4).unwrap();
        let direction = (toe.tail - toe.head).normalize();
        assert!((direction - DVec3::NEG_Y).length() < 1e-9);
        assert!(toe.head.distance(toe.tail) < 0.12);
    }

    #[test]
    fn sides_are_unit_vectors_across_the_bone() {
        let skeleton = biped(1.0);
        let set = BoneSet::new(&skeleton, 0.0);
        for s in set.segments(&pose(&skeleton)) {
            let along = (s.tail - s.head).normalize();
            assert!(s.side.dot(along).abs() < 1e-9 && (s.side.length() - 1.0).abs() < 1e-9);
            assert!(s.width > 0.0);
        }
    }

    #[test]
    fn short_and_broken_poses_give_fewer_bones_but_no_panic() {
        let skeleton = biped(1.0);
        let set = BoneSet::new(&skeleton, 1.8);
        assert_eq!(set.segments(&[]).count(), 0);
        let zero = vec![DAffine3::ZERO; skeleton.len()];
        assert_eq!(set.segments(&zero).count(), 0);
        let mut broken = pose(&skeleton);
        broken[4].translation = DVec3::NAN;
        assert!(set.segments(&broken).all(|s| s.tail.is_finite()));
    }

    #[test]
    fn one_joint_alone_has_no_bone() {
        let set = BoneSet::new(&skeleton(&[(None, DVec3::ZERO)]), 0.0);
        assert!(set.bones().is_empty());
        assert_eq!(set.spheres(), [0]);
    }
}
