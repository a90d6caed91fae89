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

/// Lets wrists and fingers come after the forearm, by what a spring that follows it is behind.
fn overlap(stages: &mut [Stage], loops: bool) {
    for side in 0..2 {
        let arms = stages.iter().map(|s| &s.upper.arms[side]);
        let forearm: Vec<f64> = arms.map(|a| a.swing + a.bend).collect();
        for (stage, behind) in stages.iter_mut().zip(lag(&forearm, loops)) {
            let arm = &mut stage.upper.arms[side];
            arm.flex -= 0.45 * behind;
            arm.curl += 0.0035 * behind;
        }
    }
}

/// How far a critically damped spring is behind what it follows, a value a frame; never more than `MOST`.
/// A loop is gone through until the spring has forgotten how it began.
fn lag(leader: &[f64], loops: bool) -> Vec<f64> {
    const STIFFNESS: f64 = 15.0;
    const STEPS: usize = 8;
    const MOST: f64 = 40.0;
    const ROUNDS: usize = 6;
    let step = 1.0 / (RATE * STEPS) as f64;
    let (mut at, mut speed) = (leader[0], 0.0);
    let mut out = Vec::new();
    for _ in 0..if loops { ROUNDS } else { 1 } {
        out = vec![leader[0] - at];
        for pair in leader.windows(2) {
            for s in 1..=STEPS {
                let goal = pair[0] + (pair[1] - pair[0]) * s as f64 / STEPS as f64;
                speed += (STIFFNESS * STIFFNESS * (goal - at) - 2.0 * STIFFNESS * speed) * step;
                at += speed * step;
            }
            out.push(pair[1] - at);
        }
    }
    let soften = |x: f64| x / (1.0 + x * x / (MOST * MOST)).sqrt();
    out.into_iter().map(soften).collect()
}

#[cfg(test)]
mod tests {
    use super::super::trig::sin;
    use super::*;

    #[test]
    fn a_spring_comes_after_and_settles() {
        let leader: Vec<f64> = (0..60).map(|k| if k < 10 { 0.0 } else { 30.0 }).collect();
        let behind = lag(&leader, false);
        assert_eq!(behind[9], 0.0);
        assert!(behind[10] > 15.0 && behind[59].abs() < 1e-3);
        assert!(behind.iter().all(|b| b.abs() < 40.0));
    }

    #[test]
    fn a_loop_of_a_spring_closes() {
        let leader: Vec<f64> = (0..=20).map(|k| 40.0 * sin(f64::from(k) / 20.0)).collect();
        let behind = lag(&leader, true);
        assert!((behind[0] - behind[20]).abs() < 1e-9);
    }
}
