//! A written glTF file may have fewer joints than its source: a node whose tracks were all within the
//! tolerance of its rest pose is no longer moved, and only moved or skinned trees have joints.

use crate::math::Transform;
use crate::model::{Clip, CurveSource, PoseSource, Skeleton};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Plays a clip on the joints of the skeleton that it was made from; nodes are the same in both files.
#[derive(Clone)]
pub struct Renumbered {
    clip: Arc<Clip>,
    pose: Vec<Transform>,
    /// For each joint of the source the joint of the clip, or the rest pose that it keeps.
    joints: Vec<Result<usize, Transform>>,
}

impl Renumbered {
    /// `None` when the clip moves a node that is no joint of the source, or a joint that the clip lacks has
    /// children there, which hang elsewhere then: the file was not made from this source.
    pub fn new(clip: &Arc<Clip>, source: &Skeleton) -> Option<Self> {
        let theirs = clip.skeleton().joints();
        let of_node: HashMap<usize, usize> = theirs
            .iter()
            .enumerate()
            .map(|(j, joint)| (joint.source_index, j))
            .collect();
        let mut joints = Vec::with_capacity(source.len());
        let mut found = 0;
        for joint in source.joints() {
            let Some(&j) = of_node.get(&joint.source_index) else {
                joints.push(Err(joint.rest));
                continue;
            };
            found += 1;
            let parent = theirs[j].parent.map(|p| theirs[p].source_index);
            if parent != joint.parent.map(|p| source.joints()[p].source_index) {
                return None;
            }
            joints.push(Ok(j));
        }
        (found == theirs.len()).then(|| Self {
            clip: clip.clone(),
            pose: vec![Transform::IDENTITY; theirs.len()],
            joints,
        })
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

/// Plays the float curves of a clip in the order of those of the clip that it was made from, by their names.
#[derive(Clone)]
pub struct SameCurves {
    clip: Arc<Clip>,
    values: Vec<f32>,
    /// For each curve of the source that of the clip.
    curves: Vec<Option<usize>>,
}

impl SameCurves {
    /// Of curves that share a name the first goes with the first, the second with the second; what the clip does not have
    /// counts as 0.
    pub fn new(clip: &Arc<Clip>, source: &Clip) -> Self {
        let mut of_name: HashMap<&str, VecDeque<usize>> = HashMap::new();
        for (i, scalar) in clip.scalars().iter().enumerate() {
            of_name.entry(&scalar.name).or_default().push_back(i);
        }
        let mut take = |name: &str| of_name.get_mut(name)?.pop_front();
        let curves = source.scalars().iter().map(|s| take(&s.name)).collect();
        Self {
            clip: clip.clone(),
            values: vec![0.0; clip.scalars().len()],
            curves,
        }
    }
}

impl CurveSource for SameCurves {
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
    use crate::model::{Issues, Joint, RawClip};

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
        let mut player = Renumbered::new(&clip(&written), &source).expect("the same nodes");
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
            assert!(Renumbered::new(&clip(&skeleton(other)), &source).is_none());
        }
    }
}
