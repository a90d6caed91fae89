//! A motion turned into frames: pelvis height, overlap of the hands, joints.

use super::controls::Stage;
use super::feet::Contact;
use super::pose::{Pose, hip, leg_length};
use super::rig::SIDE;
use super::trig::{soft_min, turn};
use glam::DVec3;

/// Frames a second.
pub const RATE: usize = 30;
/// A clip as it is made.
pub struct Motion<'a> {
    pub name: &'static str,
    pub last_frame: usize,
    /// The last frame is the first one, but for the way that the root went.
    pub loops: bool,
    /// Metres a second that the ground moves back under a clip that walks in place.
    pub ground_speed: f64,
    /// Seconds on either side over which the height of the pelvis is smoothed.
    pub smooth_secs: f64,
    pub contacts: Vec<Contact>,
    /// Frames at which the eyes close, and at which they open.
    pub blinks: &'a [(usize, usize)],
    /// Whether the staff is in the hand.
    pub armed: bool,
    pub stage: &'a dyn Fn(f64) -> Stage,
}

/// A finished clip.
pub struct Film {
    pub name: &'static str,
    pub ground_speed: f64,
    pub contacts: Vec<Contact>,
    pub blinks: Vec<(usize, usize)>,
    pub armed: bool,
    /// One a frame.
    pub poses: Vec<Pose>,
}

impl Motion<'_> {
    pub fn shoot(self) -> Film {
        let mut stages: Vec<Stage> = (0..=self.last_frame)
            .map(|k| (self.stage)(secs(k)))
            .collect();
        overlap(&mut stages, self.loops);
        let pelvis = |k: usize| self.pelvis(secs(k), &stages[k]);
        let mut poses: Vec<Pose> = (0..=self.last_frame)
            .map(|k| Pose::new(&stages[k], pelvis(k)).moved(self.drift(k)))
            .collect();
        if self.loops {
            let (first, last) = (poses[0].clone(), self.last_frame);
            poses[last] = first.carried_to(&poses[last]);
        }
        Film {
            name: self.name,
            ground_speed: self.ground_speed,
            contacts: self.contacts,
            blinks: self.blinks.to_vec(),
            armed: self.armed,
            poses,
        }
    }

    /// How far a clip that walks in place has to be brought back.
    fn drift(&self, frame: usize) -> DVec3 {
        -DVec3::Z * (self.ground_speed * secs(frame))
    }

    /// Place of the pelvis: over the root, as high as wanted, never so high that a leg locks.
    fn pelvis(&self, secs: f64, stage: &Stage) -> DVec3 {
        const TAPS: i32 = 6;
        let (mut sum, mut weights) = (0.0, 0.0);
        for tap in -TAPS..=TAPS {
            let u = f64::from(tap) / f64::from(TAPS + 1);
            let weight = (1.0 - u * u) * (1.0 - u * u);
            sum += weight * height(&(self.stage)(secs + u * self.smooth_secs));
            weights += weight;
        }
        over_root(stage) + DVec3::Y * (sum / weights)
    }
}

fn secs(frame: usize) -> f64 {
    frame as f64 / RATE as f64
}

fn over_root(stage: &Stage) -> DVec3 {
    let shift = DVec3::new(stage.upper.sway, 0.0, stage.upper.surge);
    stage.over + turn(DVec3::Y, stage.heading) * shift
}

/// Height of the pelvis above the ground that both legs can bear.
fn height(stage: &Stage) -> f64 {
    const REACH: f64 = 0.015;
    let over = over_root(stage);
    let rotation = turn(DVec3::Y, stage.heading) * stage.upper.hips.rotation();
    let mut height = stage.upper.height;
    for (foot, side) in stage.feet.iter().zip([0, SIDE]) {
        let hip = hip(over, rotation, side);
        let (stretch, away) = (leg_length() * stage.upper.stretch, foot.ankle() - hip);
        let level = away.x * away.x + away.z * away.z;
        let room = (stretch * stretch - level).max(1e-4).sqrt();
        height = soft_min(height, away.y + room, REACH);
    }
    height
}

/// Lets wrists and fingers come after the arm: a critically damped spring follows the forearm, and what it
/// is behind bends them.
fn overlap(stages: &mut [Stage], loops: bool) {
    const STIFFNESS: f64 = 15.0;
    const STEPS: usize = 8;
    /// Degrees that nothing falls behind further.
    const MOST: f64 = 40.0;
    let step = 1.0 / (RATE * STEPS) as f64;
    let last = stages.len() - 1;
    for side in 0..2 {
        let drive: Vec<f64> = stages
            .iter()
            .map(|s| s.upper.arms[side])
            .map(|a| a.swing + a.bend)
            .collect();
        let (mut at, mut speed) = (drive[0], 0.0);
        // A loop is run through until the spring has forgotten how it began.
        for round in if loops { 0..6 } else { 5..6 } {
            for k in 0..=last {
                if round == 5 {
                    let behind = drive[k] - at;
                    let behind = behind / (1.0 + behind * behind / (MOST * MOST)).sqrt();
                    let arm = &mut stages[k].upper.arms[side];
                    arm.flex -= 0.45 * behind;
                    arm.curl += 0.0035 * behind;
                }
                if k == last {
                    break;
                }
                for s in 0..STEPS {
                    let goal = drive[k] + (drive[k + 1] - drive[k]) * s as f64 / STEPS as f64;
                    speed += (STIFFNESS * STIFFNESS * (goal - at) - 2.0 * STIFFNESS * speed) * step;
                    at += speed * step;
                }
            }
        }
    }
}
