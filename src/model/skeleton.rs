use crate::math::Transform;
use glam::{DAffine3, DVec3};
use sha2::{Digest as _, Sha256};

/// Most joints a skeleton may have: a key stores the joint in 14 bits.
pub const MAX_JOINTS: usize = 16_384;

/// One joint of a [`Skeleton`].
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// As in the source file; need not be unique, may be empty.
    pub name: String,
    /// Index of the parent, always smaller than the joint's own.
    pub parent: Option<usize>,
    /// Where the joint stands when no track moves it.
    pub rest: Transform,
    /// Index of the node in the source file (glTF), or the joint's own index.
    pub source_index: usize,
}

/// Joints in an order in which every parent stands before its children.
///
/// Rules, checked by [`Skeleton::new`]: (1) 1 to [`MAX_JOINTS`] joints; (2) every parent index is
/// smaller than its child's; (3) every rest transform is finite with a unit rotation.
#[derive(Clone, Debug, PartialEq)]
pub struct Skeleton {
    joints: Vec<Joint>,
}

/// Why joints do not make a skeleton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkeletonError {
    /// Rule 1: there is no joint.
    Empty,
    /// Rule 1: more than [`MAX_JOINTS`]; holds their number.
    TooManyJoints(usize),
    /// Rule 2: the parent of this joint does not stand before it.
    ParentAfterChild(usize),
    /// Rule 3: the rest transform of this joint is not finite or its rotation not a unit one.
    RestNotValid(usize),
}

impl std::fmt::Display for SkeletonError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Empty => write!(f, "the skeleton has no joint"),
            Self::TooManyJoints(n) => write!(
                f,
                "the skeleton has {n} joints, more than the {MAX_JOINTS} that a key can name; remove unused nodes"
            ),
            Self::ParentAfterChild(j) => write!(f, "joint {j} stands before its parent"),
            Self::RestNotValid(j) => write!(f, "joint {j} has a rest transform that is not finite"),
        }
    }
}

impl std::error::Error for SkeletonError {}

impl Skeleton {
    /// Checks the rules of the type. Cost: linear.
    pub fn new(joints: Vec<Joint>) -> Result<Self, SkeletonError> {
        if joints.is_empty() {
            return Err(SkeletonError::Empty);
        }
        if joints.len() > MAX_JOINTS {
            return Err(SkeletonError::TooManyJoints(joints.len()));
        }
        for (j, joint) in joints.iter().enumerate() {
            if joint.parent.is_some_and(|p| p >= j) {
                return Err(SkeletonError::ParentAfterChild(j));
            }
            let rest = &joint.rest;
            let finite = rest.translation.is_finite() && rest.scale.is_finite();
            if !(finite && (rest.rotation.length() - 1.0).abs() < 1e-3) {
                return Err(SkeletonError::RestNotValid(j));
            }
        }
        Ok(Self { joints })
    }

    /// The joints, parents first.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Number of joints, at least 1.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Index of the first joint with this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|j| j.name == name)
    }

    /// The rest pose in local space, one transform a joint.
    pub fn rest_pose(&self) -> Vec<Transform> {
        self.joints.iter().map(|j| j.rest).collect()
    }

    /// Turns a local pose into `model_from_joint` matrices; both slices have one entry a joint.
    pub fn model_pose(&self, locals: &[Transform], out: &mut [DAffine3]) {
        for (j, joint) in self.joints.iter().enumerate() {
            let local = locals[j].matrix();
            out[j] = match joint.parent {
                Some(p) => out[p] * local,
                None => local,
            };
        }
    }

    /// Joints that hang directly below `joint`, in order.
    pub fn children(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        (joint + 1..self.joints.len()).filter(move |&k| self.joints[k].parent == Some(joint))
    }

    /// All joints that hang below one, in the order of the skeleton.
    pub fn below(&self, joint: usize) -> Vec<usize> {
        let mut is_below = vec![false; self.joints.len()];
        for (j, parent) in self.joints.iter().map(|j| j.parent).enumerate() {
            is_below[j] = parent.is_some_and(|p| p == joint || is_below[p]);
        }
        (0..is_below.len()).filter(|&j| is_below[j]).collect()
    }

    /// How many times larger than its own units each joint's parent shows its translation in the rest pose: the longest
    /// axis of the parent in the model; 1 for a root, and where there is no such axis. Cost: linear.
    pub fn scales_above(&self) -> Vec<f64> {
        let mut model = vec![DAffine3::IDENTITY; self.len()];
        self.model_pose(&self.rest_pose(), &mut model);
        let size = |p: usize| {
            let m = model[p].matrix3;
            let axes = [m.x_axis, m.y_axis, m.z_axis].map(DVec3::length);
            let size = axes.into_iter().fold(0.0, f64::max);
            if size > 1e-9 && size.is_finite() {
                size
            } else {
                1.0
            }
        };
        let parents = self.joints().iter().map(|j| j.parent);
        parents.map(|p| p.map_or(1.0, size)).collect()
    }

    /// For each joint, the joints on the longest way down to an end effector: 0 for an end effector.
    pub fn heights(&self) -> Vec<usize> {
        let mut heights = vec![0; self.joints.len()];
        for j in (0..self.joints.len()).rev() {
            if let Some(p) = self.joints[j].parent {
                heights[p] = heights[p].max(heights[j] + 1);
            }
        }
        heights
    }

    /// A SHA-256 over names, parents and rest pose: two clips with the same hash share a skeleton.
    pub fn hash(&self) -> [u8; 32] {
        let mut sha = Sha256::new();
        for j in &self.joints {
            sha.update((j.name.len() as u64).to_le_bytes());
            sha.update(j.name.as_bytes());
            sha.update(j.parent.map_or(u64::MAX, |p| p as u64).to_le_bytes());
            let r = &j.rest;
            let floats = r.rotation.to_array().into_iter();
            let floats = floats
                .chain(r.translation.to_array())
                .chain(r.scale.to_array());
            for v in floats {
                sha.update((v as f32).to_le_bytes());
            }
        }
        sha.finalize().into()
    }
}
