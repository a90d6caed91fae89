//! In which order an animation section holds the joints, and how many of them each level of detail has.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::bytes::Reader;
use super::{Error, StoredJoint};

/// The order of the joints in an animation section; a joint's place in it is its *rank*.
#[derive(Clone, Debug)]
pub(super) struct Order {
    /// For each rank the joint of the skeleton; empty when they are the same.
    joints: Vec<u16>,
    /// Joints of each level of detail, all of them first, then fewer and fewer: the ones of lowest rank.
    levels: Vec<usize>,
}

impl Order {
    /// That of the skeleton, with one level.
    pub(super) fn plain(joints: usize) -> Self {
        Self {
            joints: Vec::new(),
            levels: vec![joints],
        }
    }

    /// Reads the section `order`: for each rank a joint of the skeleton, each of them once.
    pub(super) fn read_joints(&mut self, mut r: Reader<'_>, joints: usize) -> Result<(), Error> {
        if r.left() != joints.saturating_mul(2) {
            return Err(r.invalid("the section has not 2 bytes for each joint of the clip"));
        }
        let mut seen = vec![false; joints];
        for _ in 0..joints {
            let at = r.offset();
            let joint = r.u16()?;
            let fresh = seen
                .get_mut(usize::from(joint))
                .is_some_and(|seen| !std::mem::replace(seen, true));
            r.rule(fresh, at, "the joint order is not a permutation")?;
            self.joints.push(joint);
        }
        Ok(())
    }

    /// Reads the section `levels`, after `order`: the number of joints of each level, all of them first.
    pub(super) fn read_levels(
        &mut self,
        mut r: Reader<'_>,
        joints: usize,
        skeleton: Option<&[StoredJoint]>,
    ) -> Result<(), Error> {
        self.levels.clear();
        while r.left() > 0 {
            let at = r.offset();
            let count = usize::from(r.u16()?);
            let fits = match self.levels.last() {
                None => count == joints,
                Some(&last) => count > 0 && count < last,
            };
            let text = "levels do not begin with all joints and have fewer and fewer";
            r.rule(fits, at, text)?;
            self.levels.push(count);
        }
        if self.levels.is_empty() {
            return Err(r.invalid("the section has no level"));
        }
        self.check_parents(&r, skeleton)
    }

    /// Each joint stands behind its parent, so that no level lacks the parent of a joint that it has.
    fn check_parents(&self, r: &Reader<'_>, skeleton: Option<&[StoredJoint]>) -> Result<(), Error> {
        let skeleton = skeleton.unwrap_or_default();
        let ranks = self.ranks(skeleton.len());
        let mut joints = skeleton.iter().zip(&ranks);
        let stands = joints.all(|(joint, rank)| {
            let parent = joint.parent.and_then(|p| ranks.get(usize::from(p)));
            parent.is_none_or(|parent| parent < rank)
        });
        if stands {
            return Ok(());
        }
        Err(r.invalid("a joint stands before its parent in the joint order"))
    }

    fn ranks(&self, joints: usize) -> Vec<usize> {
        let mut ranks: Vec<usize> = (0..joints).collect();
        for (rank, &joint) in self.joints.iter().enumerate() {
            if let Some(place) = ranks.get_mut(usize::from(joint)) {
                *place = rank;
            }
        }
        ranks
    }

    /// The joint of the skeleton that has a rank.
    pub(super) fn joint(&self, rank: u16) -> u16 {
        self.joints.get(usize::from(rank)).copied().unwrap_or(rank)
    }

    /// See [`Order::read_levels`].
    pub(super) fn levels(&self) -> &[usize] {
        &self.levels
    }

    /// How many ranks hold at least the first so many joints of the skeleton.
    pub(super) fn ranks_of_first(&self, joints: usize) -> usize {
        if self.joints.is_empty() {
            joints
        } else {
            self.joints.len()
        }
    }

    /// How many joints, those of lowest rank, a level has; levels past the last are the last.
    pub(super) fn ranks_of_level(&self, level: usize) -> usize {
        let found = self.levels.get(level).or(self.levels.last());
        found.copied().unwrap_or(0)
    }
}
