//! Levels of detail: which joints a character far away does without, and the order that makes each lower level a
//! prefix of the stream (Operation Flashpoint: Dragon Rising).

use crate::model::Skeleton;
use crate::model::name_matches;
use serde::{Deserialize, Serialize};

/// A level of detail below the full one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Level {
    /// Patterns of names of joints that this level and those below leave out, with all that hangs on them: see
    /// [`name_matches`].
    pub without: Vec<String>,
}

impl Level {
    /// Patterns with commas between them.
    pub fn of_text(names: &str) -> Self {
        let names = names.split(',').map(str::trim).filter(|n| !n.is_empty());
        Self {
            without: names.map(str::to_owned).collect(),
        }
    }
}

/// The order of joints in a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamOrder {
    /// For each place in the stream the joint of the skeleton.
    pub joints: Vec<usize>,
    /// Joints of each level: all of them, then fewer and fewer. A level is a prefix of `joints`.
    pub counts: Vec<usize>,
}

impl StreamOrder {
    /// The order for some levels, each with fewer joints than the one before: a level that leaves out nothing more, or
    /// everything, is none. Within what a level adds, joints stand as in the skeleton, so a parent always stands
    /// before its children.
    pub fn new(skeleton: &Skeleton, levels: &[Level]) -> Self {
        let joints = skeleton.joints();
        // The number of the last level that has the joint.
        let mut last = vec![levels.len(); joints.len()];
        for (j, joint) in joints.iter().enumerate() {
            let leaves = |level: &Level| level.without.iter().any(|p| name_matches(p, &joint.name));
            let own = levels.iter().position(leaves).unwrap_or(levels.len());
            last[j] = joint.parent.map_or(own, |p| own.min(last[p]));
        }
        let mut order: Vec<usize> = (0..joints.len()).collect();
        order.sort_by_key(|&j| (std::cmp::Reverse(last[j]), j));
        let count = |level: usize| last.iter().filter(|&&l| l >= level).count();
        let mut counts: Vec<usize> = (0..=levels.len()).map(count).filter(|&c| c > 0).collect();
        counts.dedup();
        Self {
            joints: order,
            counts,
        }
    }

    /// Whether it is the skeleton's own order with one level.
    pub fn is_plain(&self) -> bool {
        self.counts.len() == 1
    }

    /// The place of each joint of the skeleton in the stream.
    pub fn ranks(&self) -> Vec<usize> {
        let mut ranks = vec![0; self.joints.len()];
        for (rank, &joint) in self.joints.iter().enumerate() {
            ranks[joint] = rank;
        }
        ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::Joint;

    fn skeleton() -> Skeleton {
        let joint = |(index, (name, parent)): (usize, (&str, Option<usize>))| Joint {
            name: name.into(),
            parent,
            rest: Transform::IDENTITY,
            source_index: index,
        };
        let joints = [
            ("root", None),
            ("hand", Some(0)),
            ("finger", Some(1)),
            ("nail", Some(2)),
            ("foot", Some(0)),
            ("toe", Some(4)),
        ];
        Skeleton::new(joints.into_iter().enumerate().map(joint).collect()).expect("valid")
    }

    fn level(without: &[&str]) -> Level {
        Level {
            without: without.iter().map(|&p| p.to_owned()).collect(),
        }
    }

    #[test]
    fn each_level_is_a_prefix_and_leaves_out_what_hangs_on_a_joint() {
        let levels = [level(&["fing*"]), level(&["toe"]), level(&["hand", "foot"])];
        let order = StreamOrder::new(&skeleton(), &levels);
        assert_eq!(order.joints, [0, 1, 4, 5, 2, 3]);
        assert_eq!(order.counts, [6, 4, 3, 1]);
        assert_eq!(order.ranks(), [0, 1, 4, 5, 2, 3]);
    }

    #[test]
    fn levels_that_change_nothing_or_leave_nothing_are_none() {
        let levels = [level(&["wing"]), level(&["toe"]), level(&["*"])];
        let order = StreamOrder::new(&skeleton(), &levels);
        assert_eq!(order.counts, [6, 5]);
        assert!(!order.is_plain());
        assert!(StreamOrder::new(&skeleton(), &levels[..1]).is_plain());
    }
}
