//! The three clips, as functions of time.

use super::rig::{
    BALL, CLAVICLE, FOOT, HAND, HEAD, JOINTS, LOWERARM, NECK, PELVIS, Pose, SIDE, SPINE_01,
    SPINE_03, UPPERARM, offset, parent, rest, sign,
};
use super::trig::{cos, hermite, sin, smoothstep, turn};
use glam::{DQuat, DVec3};

pub const RATE: usize = 30;

pub struct ClipFrames {
    pub name: &'static str,
    /// One a frame; the last repeats the first.
    pub poses: Vec<Pose>,
}

fn frames(name: &'static str, secs: usize, pose: impl Fn(f64) -> Pose) -> ClipFrames {
    let last = secs * RATE;
    // The closing frame is the first one to the bit.
    let poses = (0..=last)
        .map(|k| pose((k % last) as f64 / RATE as f64))
        .collect();
    ClipFrames { name, poses }
}

pub fn walk_clip() -> ClipFrames {
    frames("Walk", 1, walk)
}

pub fn idle_clip() -> ClipFrames {
    frames("Idle", 3, |secs| idle(secs / 3.0))
}

pub fn wave_clip() -> ClipFrames {
    frames("Wave", 2, wave)
}

/// Metres a second at which the stance foot moves back.
pub const SPEED: f64 = 1.1;
/// Part of the step in which the foot is on the ground.
const STANCE: f64 = 0.6;
const STRIKE_PITCH: f64 = -18.0;
const TOE_OFF_PITCH: f64 = 42.0;

/// Place of an ankle in the sagittal plane, with the foot's and the toe's pitch in degrees.
#[derive(Clone, Copy)]
struct FootState {
    y: f64,
    z: f64,
    pitch: f64,
    toe: f64,
}

/// The foot rolls over its heel, stands, and rolls over its ball, each pivot moving straight back.
fn stance(p: f64) -> FootState {
    let rise = ((p - 0.34) / (STANCE - 0.34)).max(0.0);
    let pitch = STRIKE_PITCH * (1.0 - smoothstep(0.0, 0.12, p)) + TOE_OFF_PITCH * rise * rise;
    let heel = DVec3::new(0.0, -rest(FOOT).y, -0.045);
    let pivot = if pitch > 0.0 { offset(BALL) } else { heel };
    let flat_ankle = DVec3::new(0.0, rest(FOOT).y, 0.275 - SPEED * p);
    let ankle = flat_ankle + pivot - turn(DVec3::X, pitch) * pivot;
    FootState {
        y: ankle.y,
        z: ankle.z,
        pitch,
        toe: -pitch.max(0.0),
    }
}

/// In the air: leaves and meets the ground with the ground's own speed.
fn swing(p: f64) -> FootState {
    const H: f64 = 1e-4;
    let u = (p - STANCE) / (1.0 - STANCE);
    let (off, before) = (stance(STANCE), stance(STANCE - H));
    let (strike, after) = (stance(0.0), stance(H));
    let run = |pick: fn(&FootState) -> f64| {
        let slope = |a: &FootState, b: &FootState| (pick(b) - pick(a)) / H * (1.0 - STANCE);
        let (m0, m1) = (slope(&before, &off), slope(&strike, &after));
        hermite(pick(&off), m0, pick(&strike), m1, u)
    };
    let lift = 0.035 * (16.0 * u * u * (1.0 - u) * (1.0 - u));
    let relax = (u / 0.7).min(1.0);
    let toe_slope = (off.toe - before.toe) / H * (1.0 - STANCE) * 0.7;
    FootState {
        y: run(|s| s.y) + lift,
        z: run(|s| s.z),
        pitch: run(|s| s.pitch),
        toe: hermite(off.toe, toe_slope, 0.0, 0.0, relax),
    }
}

fn walk(t: f64) -> Pose {
    let mut pose = Pose::rest();
    pose.pelvis += DVec3::new(
        0.022 * cos(t - 0.3),
        -0.027 + 0.011 * cos(2.0 * (t - 0.3)),
        0.004 * sin(2.0 * t) + 0.006,
    );
    let yaw = |degrees: f64| turn(DVec3::Y, degrees * cos(t));
    let roll = |degrees: f64| turn(DVec3::Z, degrees * cos(t - 0.25));
    pose.rotation[PELVIS] = yaw(-5.0) * roll(3.0) * turn(DVec3::X, 2.0);
    for (i, joint) in (SPINE_01..=SPINE_03).enumerate() {
        let part = (i + 1) as f64 / 3.0;
        let lean = turn(
            DVec3::X,
            2.0 + 2.0 * part + 0.8 * part * cos(2.0 * (t - 0.05)),
        );
        pose.rotation[joint] = yaw(-5.0 + 11.0 * part) * roll(3.0 - 4.5 * part) * lean;
    }
    pose.rotation[NECK] = yaw(3.0) * roll(-0.8) * turn(DVec3::X, 3.0);
    pose.rotation[HEAD] = yaw(1.0) * turn(DVec3::X, 1.0 - 1.0 * cos(2.0 * (t - 0.1)));
    for side in [0, SIDE] {
        let p = if side == 0 { t } else { t + 0.5 };
        let p = p - p.floor();
        let foot = if p < STANCE { stance(p) } else { swing(p) };
        let x = 0.078 * sign(FOOT + side);
        pose.place_foot(
            side,
            DVec3::new(x, foot.y, foot.z),
            0.0,
            foot.pitch,
            foot.toe,
        );
        // The arm goes against the leg of its side; the forearm and hand follow a little later.
        let shoulder = 2.0 + 21.0 * cos(p - 0.02);
        let elbow = shoulder - 17.0 + 9.0 * cos(p - 0.07);
        let wrist = elbow - 4.0 + 5.0 * cos(p - 0.14);
        hang_arm(&mut pose, side, shoulder, elbow, wrist);
    }
    pose
}

/// An arm at the side, its parts turned about X by degrees; negative swings forward.
fn hang_arm(pose: &mut Pose, side: usize, shoulder: f64, elbow: f64, wrist: f64) {
    let left = sign(UPPERARM + side);
    let chest = pose.rotation[SPINE_03];
    let down = |degrees: f64| turn(DVec3::Z, -degrees * left);
    pose.rotation[CLAVICLE + side] = chest * down(2.0);
    pose.rotation[UPPERARM + side] = chest * turn(DVec3::X, shoulder) * down(37.0);
    pose.rotation[LOWERARM + side] = chest * turn(DVec3::X, elbow) * down(43.0);
    pose.rotation[HAND + side] = chest * turn(DVec3::X, wrist) * down(46.0);
}

/// Stands and breathes; `t` in turns of the loop.
fn idle(t: f64) -> Pose {
    let mut pose = Pose::rest();
    let (shift, breath) = (sin(t), sin(t - 0.15));
    pose.pelvis += DVec3::new(0.016 * shift, -0.012 - 0.002 * breath, -0.004);
    let roll = |degrees: f64| turn(DVec3::Z, degrees * shift);
    pose.rotation[PELVIS] = roll(1.6) * turn(DVec3::Y, 1.5 * cos(t));
    for (i, joint) in (SPINE_01..=SPINE_03).enumerate() {
        let part = (i + 1) as f64 / 3.0;
        pose.rotation[joint] = roll(1.6 - 2.4 * part) * turn(DVec3::X, 1.5 - 2.0 * part * breath);
    }
    pose.rotation[NECK] = turn(DVec3::X, 3.0 - breath);
    pose.rotation[HEAD] = turn(DVec3::Y, 3.0 * sin(t - 0.3)) * turn(DVec3::X, 1.0 + 0.8 * breath);
    for side in [0, SIDE] {
        let left = sign(FOOT + side);
        let ankle = DVec3::new(0.112 * left, rest(FOOT).y, rest(FOOT).z);
        pose.place_foot(side, ankle, 8.0 * left, 0.0, 0.0);
        hang_arm(
            &mut pose,
            side,
            3.0 - breath,
            -11.0 - 2.0 * breath,
            -16.0 - 2.0 * breath,
        );
        let lifted = turn(DVec3::Z, 1.6 * left * breath);
        pose.rotation[CLAVICLE + side] = pose.rotation[SPINE_03] * lifted;
    }
    pose
}

/// Lifts the right arm, waves three times, lowers it.
fn wave(secs: f64) -> Pose {
    let mut pose = idle(secs / 2.0);
    let raised = smoothstep(0.05, 0.55, secs) * (1.0 - smoothstep(1.4, 1.95, secs));
    let to_and_fro = |lag: f64| sin(2.5 * (secs - 0.4 - lag));
    let lean = turn(DVec3::Z, 3.0 * raised);
    for joint in SPINE_01..=HAND {
        pose.rotation[joint] = lean * pose.rotation[joint];
    }
    for joint in CLAVICLE + SIDE..=HAND + SIDE {
        pose.rotation[joint] = lean * pose.rotation[joint];
    }
    pose.rotation[HEAD] = turn(DVec3::Z, -7.0 * raised) * pose.rotation[HEAD];
    let arm = [
        (CLAVICLE, turn(DVec3::Z, -12.0)),
        (UPPERARM, aim(UPPERARM, DVec3::new(-0.86, -0.12, 0.42), 0.0)),
        (LOWERARM, aim(LOWERARM, forearm(to_and_fro(0.0)), 55.0)),
        (HAND, aim(HAND, forearm(1.5 * to_and_fro(0.06)), 85.0)),
    ];
    for (joint, goal) in arm {
        let joint = joint + SIDE;
        pose.rotation[joint] = blend(pose.rotation[joint], goal, raised);
    }
    pose
}

fn forearm(sway: f64) -> DVec3 {
    DVec3::new(-0.16 - 0.42 * sway, 1.0, 0.22)
}

/// Points the right arm's bone along `direction` the short way and then twists it about itself.
fn aim(joint: usize, direction: DVec3, twist: f64) -> DQuat {
    let rest = (rest(HAND + SIDE) - rest(UPPERARM + SIDE)).normalize();
    debug_assert!(parent(joint).is_some() && joint < JOINTS);
    let direction = direction.normalize();
    let v = rest.cross(direction);
    let arc = DQuat::from_xyzw(v.x, v.y, v.z, 1.0 + rest.dot(direction)).normalize();
    turn(direction, twist) * arc
}

/// Normalised linear interpolation, which needs no arc cosine.
fn blend(a: DQuat, b: DQuat, u: f64) -> DQuat {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    (a * (1.0 - u) + b * u).normalize()
}
