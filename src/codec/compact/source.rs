//! A clip laid out for the closed loop: local and model transforms of every joint at every frame.

use crate::codec::additive::BasePose;
use crate::codec::cloud::{Cloud, Handle};
use crate::fit::Ends;
use crate::math::{Channel, Transform};
use crate::model::{Clip, Interpolation};
use crate::runtime::compact::{MAX_SCALED_KEY, factors, unit};
use glam::{DAffine3, DQuat, DVec3};
use rayon::prelude::*;

/// Frames at which distances between joints are taken.
const LEVER_FRAMES: usize = 64;

/// Rotations that change by more than this, radians, move; a tenth of it is no distance.
const CYCLE_ANGLE: f64 = 0.01;

/// Of the largest key, what a translation may be: keys are differences, and not quite where the source is.
const KEY_PART: f64 = 0.25;

/// Steps are up to 16 octaves above their base, which is some 7 below the strictest step that is of use.
const MOST_ENLARGED: f64 = 64.0;

/// One joint of a clip.
#[derive(Clone, Debug)]
pub(super) struct JointSource {
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
    /// Joints above it.
    pub(super) depth: usize,
    /// Joints below it on the longest way down.
    pub(super) height: usize,
    /// Largest distance to a joint below, source units.
    pub(super) reach: f64,
    /// How many times larger it shows what hangs on it: its longest axis at any frame.
    pub(super) size: f64,
    /// What its translation in track space is multiplied by.
    pub(super) factor: f64,
    /// The rest pose as a player has it.
    pub(super) rest: Transform,
    /// What the stored values are added to, in an additive clip; its rest pose then adds nothing.
    pub(super) base: Option<Transform>,
    /// Whether the source holds its keys, by channel.
    pub(super) steps: [bool; 3],
    /// The local transform at each frame; rotations aligned.
    pub(super) local: Vec<Transform>,
    /// The model transform at each frame.
    pub(super) model: Vec<DAffine3>,
    /// The model rotation at each frame, mirrors taken out.
    pub(super) turn: Vec<DQuat>,
    /// Signs of the scales from the root down to the joint at each frame; none if all are positive.
    pub(super) signs: Option<Vec<DVec3>>,
}

/// Whether curves of a file may be closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cycle {
    /// None is.
    No,
    /// Their last key may be the first again.
    Closes,
    /// Likewise, and then a spline runs on across its ends: the clip loops.
    Loops,
}

impl Cycle {
    /// Whether curves say if they are closed.
    pub(super) fn says(self) -> bool {
        self != Self::No
    }

    /// How a player runs a curve on at its ends.
    pub(super) fn ends(self, closed: bool) -> Ends {
        if closed && self == Self::Loops {
            Ends::Joined
        } else {
            Ends::Open
        }
    }
}

/// A clip laid out joint by joint.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) frames: usize,
    pub(super) joints: Vec<JointSource>,
    /// Joints by depth, roots first.
    pub(super) levels: Vec<Vec<usize>>,
    /// Whether many rotations end where they began.
    pub(super) cycle: bool,
}

impl Source {
    /// Samples a clip at its frames. Cost: frames times joints.
    pub(super) fn new(clip: &Clip, additive: Option<BasePose>) -> Self {
        let frames = clip.grid().frames;
        let skeleton = clip.skeleton();
        let heights = skeleton.heights();
        let locals: Vec<Vec<Transform>> = (0..skeleton.len())
            .into_par_iter()
            .map(|j| locals(clip, j))
            .collect();
        let base = additive.map(|base| base.of(clip));
        let factors = factors_in(additive.unwrap_or(BasePose::Rest), clip);
        let mut joints: Vec<JointSource> = Vec::with_capacity(skeleton.len());
        for (j, (joint, local)) in skeleton.joints().iter().zip(locals).enumerate() {
            let parent = joint.parent.map(|p| &joints[p]);
            let step = |channel| {
                let track = clip.track(j, channel);
                track.is_some_and(|t| t.curve.interpolation() == Interpolation::Step)
            };
            let signs = signs(parent, &local);
            let model = models(parent.map(|p| p.model.as_slice()), &local);
            joints.push(JointSource {
                parent: joint.parent,
                children: Vec::new(),
                depth: parent.map_or(0, |p| p.depth + 1),
                height: heights[j],
                reach: 0.0,
                size: size(&model),
                factor: factors[j],
                rest: if additive.is_some() {
                    Transform::IDENTITY
                } else {
                    played_rest(&joint.rest)
                },
                base: base.as_ref().map(|base| base[j].into()),
                steps: Channel::ALL.map(step),
                model,
                turn: turns(parent, local.iter().map(|t| t.rotation)),
                signs,
                local,
            });
            if let Some(p) = joint.parent {
                joints[p].children.push(j);
            }
        }
        let deepest = joints.iter().map(|j| j.depth).max().unwrap_or(0);
        let mut levels = vec![Vec::new(); deepest + 1];
        for (j, joint) in joints.iter().enumerate() {
            levels[joint.depth].push(j);
        }
        let cycle = is_cycle(&joints);
        let mut source = Self {
            frames,
            joints,
            levels,
            cycle,
        };
        if !source.takes_factors() {
            for joint in &mut source.joints {
                joint.factor = 1.0;
            }
        }
        source.measure_reach();
        source
    }

    /// Joints that never leave the rest pose's place, nor do those above them, such as armatures: what scale
    /// they hang what moves under must not matter.
    pub(super) fn stem(&self) -> Vec<bool> {
        let mut stem: Vec<bool> = Vec::with_capacity(self.joints.len());
        for joint in &self.joints {
            let rest = joint.rest.translation;
            let still = joint.base.is_none() && joint.local.iter().all(|t| t.translation == rest);
            stem.push(still && joint.parent.is_none_or(|p| stem[p]));
        }
        stem
    }

    /// How many times larger than in track space a joint's translation is seen: the most at any frame; 1 but for
    /// rounding is 1.
    pub(super) fn enlarged(&self, joint: usize) -> f64 {
        let joint = &self.joints[joint];
        let above = joint.parent.map_or(1.0, |p| self.joints[p].size);
        let seen = above * joint.factor;
        if (seen - 1.0).abs() < 1e-6 { 1.0 } else { seen }
    }

    /// Whether translations can have factors: each is smaller than a key of such a file may be, and none is seen so
    /// much larger than in the rest pose that one base cannot serve its steps and those of the others.
    fn takes_factors(&self) -> bool {
        let most = KEY_PART * f64::from(MAX_SCALED_KEY);
        let far = |joint: &JointSource| {
            let poses = joint.local.iter().chain([&joint.rest]).chain(&joint.base);
            let far = poses.map(|t| t.translation.abs().max_element());
            far.fold(0.0, f64::max) / joint.factor
        };
        let mut joints = self.joints.iter().enumerate();
        joints.all(|(j, joint)| {
            let fits = || far(joint) < most && self.enlarged(j) <= MOST_ENLARGED;
            joint.factor == 1.0 || fits()
        })
    }

    fn measure_reach(&mut self) {
        let every = self.frames.div_ceil(LEVER_FRAMES).max(1);
        for j in 0..self.joints.len() {
            let mut above = self.joints[j].parent;
            while let Some(p) = above {
                let far = |f: usize| {
                    let at = |k: usize| self.joints[k].model[f].translation;
                    at(j).distance(at(p))
                };
                let reach = (0..self.frames).step_by(every).map(far).fold(0.0, f64::max);
                self.joints[p].reach = self.joints[p].reach.max(reach);
                above = self.joints[p].parent;
            }
        }
    }

    /// The distance at which a joint's rotation is felt: at what hangs on it, and what it moves itself.
    pub(super) fn lever(&self, joint: usize, cloud: &Cloud) -> f64 {
        let joint = &self.joints[joint];
        let axes = |h: &Handle| {
            let own = |m: &DAffine3| (m.matrix3 * h.place).length() * h.weight;
            joint
                .model
                .iter()
                .step_by(joint.model.len().div_ceil(8))
                .map(own)
                .fold(0.0, f64::max)
        };
        joint
            .reach
            .max(cloud.handles.iter().map(axes).fold(0.0, f64::max))
            .max(1e-9)
    }

    /// Where a joint is at a frame.
    pub(super) fn place(&self, joint: usize, frame: usize) -> DVec3 {
        self.joints[joint].model[frame].translation
    }
}

fn size(model: &[DAffine3]) -> f64 {
    model.iter().map(largest_axis).fold(1e-9, f64::max)
}

/// The factors of translations, which a player finds in the same pose.
fn factors_in(pose: BasePose, clip: &Clip) -> Vec<f64> {
    let joints = clip.skeleton().joints().iter();
    // A skeleton has at most 16,384 joints.
    let parents = joints.map(|j| j.parent.map(|p| p as u16));
    let factors = factors(parents, &pose.of(clip)).into_iter();
    factors.map(f64::from).collect()
}

/// Whether a third of the rotations that move end where they began. Then curves say whether they are closed.
fn is_cycle(joints: &[JointSource]) -> bool {
    let turned = |joint: &&JointSource| {
        let first = joint.local[0].rotation;
        let turned = |t: &Transform| super::space::angle(first, t.rotation) > CYCLE_ANGLE;
        joint.local.iter().any(turned)
    };
    let closed = |joint: &&JointSource| {
        let (first, last) = (&joint.local[0], &joint.local[joint.local.len() - 1]);
        super::space::angle(first.rotation, last.rotation) < 0.1 * CYCLE_ANGLE
    };
    let moving = joints.iter().filter(turned);
    let count = moving.clone().count();
    count > 0 && 3 * moving.filter(closed).count() >= count
}

/// The rest pose in single precision, which is what a player adds to.
fn played_rest(rest: &Transform) -> Transform {
    let rotation = unit(rest.rotation.to_array().map(|c| c as f32));
    Transform {
        translation: rest.translation.as_vec3().as_dvec3(),
        rotation: DQuat::from_array(rotation.map(f64::from)).normalize(),
        scale: rest.scale.as_vec3().as_dvec3(),
    }
}

fn locals(clip: &Clip, joint: usize) -> Vec<Transform> {
    let grid = clip.grid();
    let at = |f: usize| clip.local(joint, grid.secs(f as f64));
    let mut locals: Vec<Transform> = (0..grid.frames).map(at).collect();
    for k in 1..locals.len() {
        if locals[k].rotation.dot(locals[k - 1].rotation) < 0.0 {
            locals[k].rotation = -locals[k].rotation;
        }
    }
    locals
}

/// Model transforms over those of the parent.
pub(super) fn models(parent: Option<&[DAffine3]>, local: &[Transform]) -> Vec<DAffine3> {
    let own = local.iter().map(Transform::matrix);
    match parent {
        Some(parent) => parent.iter().zip(own).map(|(p, m)| *p * m).collect(),
        None => own.collect(),
    }
}

/// Length of the longest axis.
pub(super) fn largest_axis(m: &DAffine3) -> f64 {
    let m = m.matrix3;
    let squares = [m.x_axis, m.y_axis, m.z_axis].map(DVec3::length_squared);
    squares.into_iter().fold(0.0, f64::max).sqrt()
}

fn signs(parent: Option<&JointSource>, local: &[Transform]) -> Option<Vec<DVec3>> {
    let above = parent.and_then(|p| p.signs.as_ref());
    let mirrored = |s: DVec3| s.min_element() < 0.0;
    if above.is_none() && !local.iter().any(|t| mirrored(t.scale)) {
        return None;
    }
    let sign = |c: f64| if c < 0.0 { -1.0 } else { 1.0 };
    let of = |(f, t): (usize, &Transform)| {
        let above = above.map_or(DVec3::ONE, |s| s[f]);
        above * DVec3::new(sign(t.scale.x), sign(t.scale.y), sign(t.scale.z))
    };
    Some(local.iter().enumerate().map(of).collect())
}

/// A rotation seen through mirrors along the axes: `s R s` for the diagonal matrix of signs.
pub(super) fn mirrored(q: DQuat, s: DVec3) -> DQuat {
    DQuat::from_xyzw(q.x * s.y * s.z, q.y * s.x * s.z, q.z * s.x * s.y, q.w)
}

/// Model rotations over those of the parent. Rotations are taken apart from scales: exact for uniform ones and
/// for mirrors, else close enough to aim with.
fn turns(parent: Option<&JointSource>, local: impl Iterator<Item = DQuat>) -> Vec<DQuat> {
    let Some(p) = parent else {
        return local.collect();
    };
    let seen = |(f, q): (usize, DQuat)| match &p.signs {
        Some(signs) => p.turn[f] * mirrored(q, signs[f]),
        None => p.turn[f] * q,
    };
    local.enumerate().map(seen).collect()
}
