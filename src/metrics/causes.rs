//! Which joints put a joint off its place, and by how much each.

use super::body::{Body, shell_points};
use super::measure::Options;
use super::probe::{Posed, Probe};
use crate::model::{Clip, PoseSource, VertexId};
use glam::DVec3;
use std::sync::Arc;

/// The part of one joint of the chain in an error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cause {
    /// The joint whose decoded local transform was swapped for the source's.
    pub joint: usize,
    /// How far that brings the point back along its error, metres: negative where the joint makes up for others.
    pub share_m: f64,
    /// Error of the same point that is left with it, metres.
    pub without_m: f64,
}

/// The error of what hangs on a joint at one time, split by the joints that move it.
#[derive(Clone, Debug, PartialEq)]
pub struct Causes {
    /// Metres.
    pub error_m: f64,
    /// Every joint that moves the point, parents first: the joint's own chain, and the chains of the other joints that
    /// the vertex is weighted to.
    pub joints: Vec<Cause>,
}

impl Causes {
    /// Splits the error of `joint` at `secs`; `None` for a joint that the clip does not have.
    ///
    /// For each joint above it, the vertex that is displaced most, or the point of the shell, is placed again with
    /// that joint's decoded local transform swapped for the source's, all others as decoded. Displacements of single
    /// joints add up to the error only where errors are small against the limbs: [`Causes::rest_m`] is what they
    /// miss. Cost: two poses, and one of matrices a joint. Source: our own definition.
    pub fn of<P: PoseSource>(
        clip: &Clip,
        player: P,
        joint: usize,
        secs: f64,
        options: &Options,
    ) -> Option<Self> {
        let skeleton = clip.skeleton();
        if joint >= skeleton.len() {
            return None;
        }
        let body = Arc::new(Body::new(clip, options));
        let mut probe = Probe::new(clip, player, options, &body);
        probe.at(secs);
        let point = Point::worst(&mut probe, &body, joint)?;
        let place = |posed: &Posed| point.place(clip, &body, posed) * options.unit_m;
        let wanted = place(&probe.want);
        let error = place(&probe.got) - wanted;
        let along = error.normalize_or_zero();
        let mut moving = vec![false; skeleton.len()];
        for joint in point.joints(clip).chain([joint]) {
            let mut above = Some(joint);
            while let Some(j) = above.filter(|&j| !moving[j]) {
                moving[j] = true;
                above = skeleton.joints()[j].parent;
            }
        }
        let causes = (0..skeleton.len()).filter(|&j| moving[j]).map(|joint| {
            let swapped = probe.got.with(clip, joint, &probe.want);
            let without = place(&swapped) - wanted;
            Cause {
                joint,
                share_m: (error - without).dot(along),
                without_m: without.length(),
            }
        });
        Some(Self {
            joints: causes.collect(),
            error_m: error.length(),
        })
    }

    /// All shares together, metres.
    pub fn sum_m(&self) -> f64 {
        self.joints.iter().map(|c| c.share_m).sum()
    }

    /// What the shares miss of the error, metres: joints that turn together displace otherwise than one by one.
    pub fn rest_m(&self) -> f64 {
        self.error_m - self.sum_m()
    }

    /// The joints by the size of their shares, the largest first.
    pub fn by_size(&self) -> Vec<Cause> {
        let mut causes = self.joints.clone();
        causes.sort_by(|a, b| b.share_m.abs().total_cmp(&a.share_m.abs()));
        causes
    }
}

/// What hangs on a joint and is displaced most.
enum Point {
    Vertex(VertexId),
    /// A joint, and a place in its space.
    Shell(usize, DVec3),
}

impl Point {
    fn worst<P: PoseSource>(probe: &mut Probe<'_, P>, body: &Body, joint: usize) -> Option<Self> {
        let displaced = probe.displaced().nth(joint)?;
        let vertex = displaced
            .vertex
            .filter(|_| displaced.skin_m >= displaced.held_m);
        if let Some(vertex) = vertex {
            return Some(Self::Vertex(vertex));
        }
        let shell = body.shell(joint);
        let points = shell_points(&probe.difference.joints[joint], shell);
        let points = points.map(DVec3::length_squared);
        let farthest = (0..3).fold(0, |m, k| if points[k] > points[m] { k } else { m });
        Some(Self::Shell(joint, DVec3::AXES[farthest] * shell[farthest]))
    }

    /// The joints that it is fixed to.
    fn joints(&self, clip: &Clip) -> impl Iterator<Item = usize> {
        let (own, vertex) = match *self {
            Self::Vertex(id) => (None, Some(id)),
            Self::Shell(joint, _) => (Some(joint), None),
        };
        let part = vertex.and_then(|id| Some((clip.skin().parts.get(id.part as usize)?, id)));
        let influences = part.map(|(p, id)| p.of_vertex(id.vertex as usize));
        let weighted = influences.unwrap_or_default().iter();
        own.into_iter().chain(weighted.map(|i| i.joint as usize))
    }

    /// Model space, source units.
    fn place(&self, clip: &Clip, body: &Body, posed: &Posed) -> DVec3 {
        match *self {
            Self::Vertex(id) => body.place(clip, id, posed.shape()),
            Self::Shell(joint, offset) => posed.model[joint].transform_point3(offset),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::{CurveSource, Issues, Joint, RawClip, Skeleton};
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

    impl CurveSource for Off {
        fn curves(&mut self, _secs: f64, _out: &mut [f32]) {}
    }

    impl PoseSource for Off {
        fn pose(&mut self, _secs: f64, out: &mut [Transform]) {
            out.copy_from_slice(&self.0);
        }
    }

    fn split(change: impl Fn(&mut [Transform])) -> Causes {
        let clip = leg();
        let mut pose = clip.skeleton().rest_pose();
        change(&mut pose);
        Causes::of(&clip, Off(pose), 2, 0.0, &Options::default()).expect("a joint")
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
        let shares: Vec<f64> = causes.joints.iter().map(|c| c.share_m).collect();
        assert!(near(shares[0], 0.003) && near(shares[1], -0.001) && shares[2] == 0.0);
        assert!(near(causes.error_m, 0.002) && near(causes.rest_m(), 0.0));
        assert!(near(causes.joints[0].without_m, 0.001) && near(causes.joints[1].without_m, 0.003));
        assert_eq!(causes.by_size()[1].joint, 1);
    }

    #[test]
    fn a_single_joint_that_is_off_is_the_whole_cause() {
        let causes = split(|pose| pose[1].rotation = DQuat::from_rotation_z(0.002));
        assert!(causes.joints[1].without_m < 1e-15);
        assert!(near(causes.joints[1].share_m, causes.error_m));
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
        assert_eq!(Causes::of(&clip, Off(pose), 4, 0.0, &options), None);
        let causes = split(|_| {});
        assert!(causes.error_m == 0.0 && causes.joints.iter().all(|c| c.share_m == 0.0));
    }
}
