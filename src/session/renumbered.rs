//! A written glTF file may have fewer joints than its source: a node whose tracks were all within the
//! tolerance of its rest pose is no longer moved, and only moved or skinned trees have joints.

use crate::math::Transform;
use crate::model::{Clip, CurveSource, PoseSource};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Plays a clip on the joints, and in the order of the float curves, of the clip that it was made from.
#[derive(Clone)]
pub struct Renumbered {
    clip: Arc<Clip>,
    pose: Vec<Transform>,
    /// For each joint of the source the joint of the clip, or the rest pose that it keeps.
    joints: Vec<Result<usize, Transform>>,
    values: Vec<f32>,
    /// For each float curve of the source that of the clip.
    curves: Vec<Option<usize>>,
}

impl Renumbered {
    /// Joints by their nodes, which are the same in both files, float curves by their names: of those that share one the
    /// first goes with the first, the second with the second; what the clip does not have counts as 0.
    ///
    /// `None` when the clip moves a node that is no joint of the source, or a joint that the clip lacks has
    /// children there, which hang elsewhere then: the file was not made from this source.
    pub fn new(clip: &Arc<Clip>, source: &Clip) -> Option<Self> {
        let theirs = clip.skeleton().joints();
        let of_node: HashMap<usize, usize> = theirs
            .iter()
            .enumerate()
            .map(|(j, joint)| (joint.source_index, j))
            .collect();
        let own = source.skeleton().joints();
        let mut joints = Vec::with_capacity(own.len());
        let mut found = 0;
        for joint in own {
            let Some(&j) = of_node.get(&joint.source_index) else {
                joints.push(Err(joint.rest));
                continue;
            };
            found += 1;
            let parent = theirs[j].parent.map(|p| theirs[p].source_index);
            if parent != joint.parent.map(|p| own[p].source_index) {
                return None;
            }
            joints.push(Ok(j));
        }
        (found == theirs.len()).then(|| Self::with(clip, source, joints))
    }

    /// Likewise, the joints in their order, of which both have as many.
    pub fn in_order(clip: &Arc<Clip>, source: &Clip) -> Self {
        Self::with(clip, source, (0..clip.skeleton().len()).map(Ok).collect())
    }

    fn with(clip: &Arc<Clip>, source: &Clip, joints: Vec<Result<usize, Transform>>) -> Self {
        let mut of_name: HashMap<&str, VecDeque<usize>> = HashMap::new();
        for (i, scalar) in clip.scalars().iter().enumerate() {
            of_name.entry(&scalar.name).or_default().push_back(i);
        }
        let mut take = |name: &str| of_name.get_mut(name)?.pop_front();
        Self {
            clip: clip.clone(),
            pose: vec![Transform::IDENTITY; clip.skeleton().len()],
            joints,
            values: vec![0.0; clip.scalars().len()],
            curves: source.scalars().iter().map(|s| take(&s.name)).collect(),
        }
    }
}

impl PoseSource for Renumbered {
    fn pose(&mut self, secs: f64, out: &mut [Transform]) {
        (&*self.clip).pose(secs, &mut self.pose);
        for (out, joint) in out.iter_mut().zip(&self.joints) {
            *out = match joint {
                Ok(j) => self.pose[*j],
                Err(rest) => *rest,
            };
        }
    }
}

impl CurveSource for Renumbered {
    fn curves(&mut self, secs: f64, out: &mut [f32]) {
        (&*self.clip).curves(secs, &mut self.values);
        for (out, curve) in out.iter_mut().zip(&self.curves) {
            *out = curve.map_or(0.0, |i| self.values[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Issues, Joint, RawClip, Skeleton};

    fn skeleton(joints: &[(usize, Option<usize>)]) -> Arc<Skeleton> {
        let joint = |&(node, parent): &(usize, Option<usize>)| Joint {
            name: format!("node {node}"),
            parent,
            rest: Transform {
                translation: glam::DVec3::splat(node as f64),
                ..Transform::IDENTITY
            },
            source_index: node,
        };
        let joints = joints.iter().map(joint).collect();
        Arc::new(Skeleton::new(joints).expect("valid"))
    }

    fn clip(skeleton: &Arc<Skeleton>) -> Arc<Clip> {
        let raw = RawClip {
            name: "walk".to_owned(),
            tracks: Vec::new(),
            scalars: Vec::new(),
        };
        Arc::new(Clip::new(skeleton.clone(), raw, &mut Issues::default()))
    }

    #[test]
    fn joints_that_went_stand_at_rest() {
        let source = skeleton(&[(3, None), (4, Some(0)), (7, None)]);
        let written = skeleton(&[(7, None)]);
        let mut player = Renumbered::new(&clip(&written), &clip(&source)).expect("the same nodes");
        let mut pose = [Transform::IDENTITY; 3];
        player.pose(0.0, &mut pose);
        assert_eq!(pose.map(|t| t.translation.x), [3.0, 4.0, 7.0]);
    }

    #[test]
    fn another_hierarchy_is_refused() {
        let source = skeleton(&[(3, None), (4, Some(0)), (7, None)]);
        for other in [
            &[(3, None), (4, None)][..],
            &[(9, None)],
            &[(4, None)],
            &[(3, None), (4, Some(0)), (7, Some(0))],
        ] {
            assert!(Renumbered::new(&clip(&skeleton(other)), &clip(&source)).is_none());
        }
    }
}
