//! The skeleton: joints with their places in the rest pose, in which nothing is rotated.

use super::trig::turn;
use glam::{DMat3, DQuat, DVec3};

pub const PELVIS: usize = 1;
pub const SPINE_01: usize = 2;
pub const SPINE_03: usize = 4;
pub const NECK: usize = 5;
pub const HEAD: usize = 6;
pub const JOINTS: usize = 23;

/// Joints of one side, the left one; the right one follows at `+ SIDE`.
pub const CLAVICLE: usize = 7;
pub const UPPERARM: usize = 8;
pub const LOWERARM: usize = 9;
pub const HAND: usize = 10;
pub const THIGH: usize = 11;
pub const CALF: usize = 12;
pub const FOOT: usize = 13;
pub const BALL: usize = 14;
pub const SIDE: usize = 8;

/// Name, parent and place of the middle and left joints, metres.
const TABLE: [(&str, Option<usize>, [f64; 3]); 15] = [
    ("root", None, [0.0, 0.0, 0.0]),
    ("pelvis", Some(0), [0.0, 0.96, 0.0]),
    ("spine_01", Some(1), [0.0, 1.06, 0.0]),
    ("spine_02", Some(2), [0.0, 1.19, -0.005]),
    ("spine_03", Some(3), [0.0, 1.32, -0.01]),
    ("neck_01", Some(4), [0.0, 1.47, -0.01]),
    ("head", Some(5), [0.0, 1.56, 0.0]),
    ("clavicle", Some(4), [0.03, 1.42, 0.0]),
    ("upperarm", Some(7), [0.17, 1.41, -0.01]),
    ("lowerarm", Some(8), [0.361, 1.219, -0.01]),
    ("hand", Some(9), [0.538, 1.042, -0.01]),
    ("thigh", Some(1), [0.095, 0.92, 0.0]),
    ("calf", Some(11), [0.095, 0.50, 0.012]),
    ("foot", Some(12), [0.095, 0.085, -0.015]),
    ("ball", Some(13), [0.095, 0.025, 0.115]),
];

/// +1 on the left, where X is positive, -1 on the right.
pub fn sign(joint: usize) -> f64 {
    if joint < CLAVICLE + SIDE { 1.0 } else { -1.0 }
}

pub fn name(joint: usize) -> String {
    match joint {
        0..CLAVICLE => TABLE[joint].0.to_owned(),
        _ if sign(joint) > 0.0 => format!("{}_l", TABLE[joint].0),
        _ => format!("{}_r", TABLE[joint - SIDE].0),
    }
}

pub fn parent(joint: usize) -> Option<usize> {
    if sign(joint) > 0.0 {
        return TABLE[joint].1;
    }
    TABLE[joint - SIDE]
        .1
        .map(|p| if p < CLAVICLE { p } else { p + SIDE })
}

/// Place in the rest pose.
pub fn rest(joint: usize) -> DVec3 {
    let left = if sign(joint) > 0.0 {
        joint
    } else {
        joint - SIDE
    };
    let [x, y, z] = TABLE[left].2;
    DVec3::new(x * sign(joint), y, z)
}

/// Rest place relative to the parent.
pub fn offset(joint: usize) -> DVec3 {
    rest(joint) - parent(joint).map_or(DVec3::ZERO, rest)
}

/// A pose while it is made: rotations in model space, parents first.
#[derive(Clone)]
pub struct Pose {
    pub rotation: [DQuat; JOINTS],
    /// Place of the pelvis.
    pub pelvis: DVec3,
}

impl Pose {
    pub fn rest() -> Self {
        Self {
            rotation: [DQuat::IDENTITY; JOINTS],
            pelvis: rest(PELVIS),
        }
    }

    /// Rotation relative to the parent.
    pub fn local(&self, joint: usize) -> DQuat {
        let q = self.rotation[joint];
        parent(joint).map_or(q, |p| self.rotation[p].conjugate() * q)
    }

    /// Place in model space, from the rotations of all that stand above.
    pub fn place(&self, joint: usize) -> DVec3 {
        match parent(joint) {
            _ if joint == PELVIS => self.pelvis,
            None => DVec3::ZERO,
            Some(p) => self.place(p) + self.rotation[p] * offset(joint),
        }
    }

    /// Bends a leg so that its ankle stands at `ankle` (two-bone inverse kinematics); the knee points where the
    /// foot does. `pitch` and `toe` are degrees about X: positive lowers the toe.
    pub fn place_foot(&mut self, side: usize, ankle: DVec3, yaw: f64, pitch: f64, toe: f64) {
        let (thigh, calf, foot) = (THIGH + side, CALF + side, FOOT + side);
        let heading = turn(DVec3::Y, yaw);
        let hip = self.place(thigh);
        let (upper, lower) = (offset(calf).length(), offset(foot).length());
        let reach = (ankle - hip).length().min((upper + lower) * 0.9995);
        let down = (ankle - hip).normalize();
        let hinge = (heading * DVec3::Z).cross(down).normalize();
        let along = (upper * upper - lower * lower + reach * reach) / (2.0 * reach);
        let out = (upper * upper - along * along).sqrt();
        let knee = hip + down * along + down.cross(hinge) * out;
        self.rotation[thigh] = swing(offset(calf), knee - hip, hinge);
        self.rotation[calf] = swing(offset(foot), ankle - knee, hinge);
        self.rotation[foot] = heading * turn(DVec3::X, pitch);
        self.rotation[BALL + side] = self.rotation[foot] * turn(DVec3::X, toe);
    }
}

/// The rotation that leads a bone and the X axis, square to it, to a direction and a hinge.
fn swing(bone: DVec3, direction: DVec3, hinge: DVec3) -> DQuat {
    let frame = |x: DVec3, y: DVec3| DMat3::from_cols(x, y, x.cross(y));
    let from = frame(DVec3::X, bone.normalize());
    let to = frame(hinge, direction.normalize());
    DQuat::from_mat3(&(to * from.transpose())).normalize()
}
