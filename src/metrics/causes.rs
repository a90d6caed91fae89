//! Which joints put a joint off its place, and by how much each.

use super::skin::{Options, Shell, largest};
use crate::math::Transform;
use crate::model::{Clip, PoseSource};
use glam::DAffine3;

/// The part of one joint of the chain in an error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cause {
    /// The joint whose decoded local transform was swapped for the source's.
    pub joint: usize,
    /// How far that brings the point back along its error, metres: negative where the joint makes up for others.
    pub share_m: f64,
    /// Skin error that is left with it, metres.
    pub without_m: f64,
}

/// The skin error of a joint at one time, split by the joints above it and itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Causes {
    /// Skin error, metres.
    pub error_m: f64,
    /// From the root to the joint itself.
    pub chain: Vec<Cause>,
}

impl Causes {
    /// Splits the skin error of `joint` at `secs`; `None` for a joint that the clip does not have.
    ///
    /// For each joint of the chain, the point of the shell that is displaced most is placed again with that
    /// joint's decoded local transform swapped for the source's, all others as decoded. Displacements of single
    /// joints add up to the error only where errors are small against the limbs: [`Causes::rest_m`] is what they
    /// miss. Cost: two poses and two products a joint of the chain. Source: our own definition.
    pub fn of<P: PoseSource>(
        clip: &Clip,
        player: &mut P,
        joint: usize,
        secs: f64,
        options: &Options,
    ) -> Option<Self> {
        let joints = clip.skeleton().joints();
        let mut above = Some(joint).filter(|&j| j < joints.len());
        let mut chain = Vec::new();
        while let Some(j) = above {
            chain.push(j);
            above = joints[j].parent;
        }
        chain.reverse();
        let mut pose = vec![Transform::IDENTITY; joints.len()];
        player.pose(secs, &mut pose);
        let want: Vec<DAffine3> = (chain.iter())
            .map(|&j| clip.local(j, secs).matrix())
            .collect();
        let got: Vec<DAffine3> = chain.iter().map(|&j| pose[j].matrix()).collect();
        let shell_m = options.weights.shell_m(joint).unwrap_or(options.shell_m);
        let shell = shell_m / options.unit_m;
        let place = |m: DAffine3| -> Shell {
            std::array::from_fn(|k| (m.matrix3.col(k) * shell + m.translation) * options.unit_m)
        };
        // Products of the decoded transforms below each joint of the chain, the joint itself left out.
        let mut below = vec![DAffine3::IDENTITY; chain.len()];
        for k in (1..chain.len()).rev() {
            below[k - 1] = got[k] * below[k];
        }
        let source = place(want.iter().product());
        let decoded = place(*got.first()? * *below.first()?);
        let error = less(&decoded, &source);
        let point = farthest(&error);
        let along = error[point].normalize_or_zero();
        let mut before = DAffine3::IDENTITY;
        let causes = chain.iter().enumerate().map(|(k, &joint)| {
            let swapped = place(before * want[k] * below[k]);
            before *= got[k];
            Cause {
                joint,
                share_m: (decoded[point] - swapped[point]).dot(along),
                without_m: largest(&less(&swapped, &source)),
            }
        });
        Some(Self {
            chain: causes.collect(),
            error_m: largest(&error),
        })
    }

    /// All shares together, metres.
    pub fn sum_m(&self) -> f64 {
        self.chain.iter().map(|c| c.share_m).sum()
    }

    /// What the shares miss of the error, metres: joints that turn together displace otherwise than one by one.
    pub fn rest_m(&self) -> f64 {
        self.error_m - self.sum_m()
    }

    /// The chain by the size of its shares, the largest first.
    pub fn by_size(&self) -> Vec<Cause> {
        let mut causes = self.chain.clone();
        causes.sort_by(|a, b| b.share_m.abs().total_cmp(&a.share_m.abs()));
        causes
    }
}

fn less(a: &Shell, b: &Shell) -> Shell {
    std::array::from_fn(|k| a[k] - b[k])
}

/// Index of the longest.
fn farthest(shell: &Shell) -> usize {
    let length = |k: &usize| shell[*k].length_squared();
    let all = 0..shell.len();
    all.max_by(|a, b| length(a).total_cmp(&length(b)))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Issues, Joint, RawClip, Skeleton};
    use glam::{DQuat, DVec3};
    use std::sync::Arc;

    /// Hip, knee and ankle, each half a metre below the one before.
    fn leg() -> Clip {
        let joint = |parent| Joint {
            name: String::new(),
            source_index: 0,
            parent,
            rest: Transform {
                translation: DVec3::NEG_Y * 0.5,
                ..Transform::IDENTITY
            },
        };
        let joints = vec![joint(None), joint(Some(0)), joint(Some(1)), joint(None)];
        let skeleton = Arc::new(Skeleton::new(joints).expect("a skeleton"));
        Clip::new(skeleton, RawClip::default(), &mut Issues::default())
    }

    /// Plays the rest pose with some joints changed.
    struct Off(Vec<Transform>);

    impl PoseSource for Off {
        fn pose(&mut self, _secs: f64, out: &mut [Transform]) {
            out.copy_from_slice(&self.0);
        }
    }

    fn split(change: impl Fn(&mut [Transform])) -> Causes {
        let clip = leg();
        let mut pose = clip.skeleton().rest_pose();
        change(&mut pose);
        Causes::of(&clip, &mut Off(pose), 2, 0.0, &Options::default()).expect("a joint")
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn moves_add_up_exactly_and_one_may_make_up_for_another() {
        let causes = split(|pose| {
            pose[0].translation.x += 0.003;
            pose[1].translation.x -= 0.001;
            pose[3].translation.x += 1.0;
        });
        let shares: Vec<f64> = causes.chain.iter().map(|c| c.share_m).collect();
        assert!(near(shares[0], 0.003) && near(shares[1], -0.001) && shares[2] == 0.0);
        assert!(near(causes.error_m, 0.002) && near(causes.rest_m(), 0.0));
        assert!(near(causes.chain[0].without_m, 0.001) && near(causes.chain[1].without_m, 0.003));
        assert_eq!(causes.by_size()[1].joint, 1);
    }

    #[test]
    fn a_single_joint_that_is_off_is_the_whole_cause() {
        let causes = split(|pose| pose[1].rotation = DQuat::from_rotation_z(0.002));
        assert!(causes.chain[1].without_m < 1e-15);
        assert!(near(causes.chain[1].share_m, causes.error_m));
        assert!(causes.error_m > 0.001 && near(causes.rest_m(), 0.0));
    }

    #[test]
    fn large_turns_leave_a_rest_that_is_told() {
        let turn = |pose: &mut [Transform], angle: f64| {
            pose[0].rotation = DQuat::from_rotation_z(angle);
            pose[1].rotation = DQuat::from_rotation_z(angle);
        };
        let rest = |angle| {
            let causes = split(|pose| turn(pose, angle));
            assert!(near(causes.sum_m() + causes.rest_m(), causes.error_m));
            causes.rest_m().abs() / causes.error_m
        };
        assert!(rest(0.5) > 0.01 && rest(0.001) < 0.001);
    }

    #[test]
    fn a_joint_that_is_not_there_has_no_causes_and_no_error_no_shares() {
        let clip = leg();
        let pose = clip.skeleton().rest_pose();
        let options = Options::default();
        assert_eq!(Causes::of(&clip, &mut Off(pose), 4, 0.0, &options), None);
        let causes = split(|_| {});
        assert!(causes.error_m == 0.0 && causes.chain.iter().all(|c| c.share_m == 0.0));
    }
}
