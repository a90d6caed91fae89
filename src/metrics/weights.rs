//! How errors count against a target: joints and stretches of time that matter more, or less.

/// What is closer to a frame than this part of one is on it.
const ON_FRAME: f64 = 1e-6;

/// Weights of errors, and shells of single joints. Even by default: every error counts once, on the clip's shell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    /// Those of single joints; empty where none has its own.
    joints: Vec<JointWeight>,
    stretches: Vec<Stretch>,
}

/// How one joint's errors count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointWeight {
    /// What its errors are multiplied by, positive.
    pub weight: f64,
    /// Its own shell distance, metres; `None` for the clip's.
    pub shell_m: Option<f64>,
}

/// Frames at which errors count otherwise; where stretches overlap their factors multiply.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// The joint that it is for; `None` for all.
    pub joint: Option<usize>,
    /// First and last frame, both inclusive.
    pub frames: (usize, usize),
    /// What errors are multiplied by, positive.
    pub factor: f64,
}

impl Weights {
    /// Weights of every joint, in the order of the skeleton, and of stretches of time.
    pub fn new(joints: Vec<JointWeight>, stretches: Vec<Stretch>) -> Self {
        Self { joints, stretches }
    }

    /// Whether every error counts once.
    pub fn is_even(&self) -> bool {
        self.stretches.is_empty() && self.joints.iter().all(|j| j.weight == 1.0)
    }

    /// What a joint's errors are multiplied by at a frame.
    pub fn at(&self, joint: usize, frame: usize) -> f64 {
        self.of_joint(joint) * self.at_frame(joint, frame)
    }

    /// The part of [`Weights::at`] that does not depend on the frame.
    pub fn of_joint(&self, joint: usize) -> f64 {
        self.joints.get(joint).map_or(1.0, |j| j.weight)
    }

    /// Whether a joint's errors count the same at all frames.
    pub fn is_steady(&self, joint: usize) -> bool {
        let mut stretches = self.stretches.iter();
        !stretches.any(|s| s.joint.is_none_or(|j| j == joint))
    }

    /// The part of [`Weights::at`] that depends on the frame.
    pub fn at_frame(&self, joint: usize, frame: usize) -> f64 {
        let concerned = |s: &&Stretch| {
            (s.frames.0..=s.frames.1).contains(&frame) && s.joint.is_none_or(|j| j == joint)
        };
        let stretches = self.stretches.iter().filter(concerned);
        stretches.map(|s| s.factor).product()
    }

    /// The weight at a time in frames. Between two frames the smaller one counts: a player that goes from one to the
    /// other is off by up to what it may be at either.
    pub fn between(&self, joint: usize, frames: f64) -> f64 {
        let (before, after) = (frames + ON_FRAME, frames - ON_FRAME);
        let (before, after) = (before.floor() as usize, after.ceil() as usize);
        self.at(joint, before).min(self.at(joint, after))
    }

    /// The shell of a joint that has its own, metres.
    pub fn shell_m(&self, joint: usize) -> Option<f64> {
        self.joints.get(joint)?.shell_m
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_multiply_and_end_with_their_stretch() {
        let stretch = |joint, frames, factor| Stretch {
            joint,
            frames,
            factor,
        };
        let stretches = vec![stretch(None, (1, 2), 2.0), stretch(Some(1), (2, 9), 0.25)];
        let hand = JointWeight {
            weight: 10.0,
            shell_m: Some(0.2),
        };
        let plain = JointWeight {
            weight: 1.0,
            shell_m: None,
        };
        let weights = Weights::new(vec![plain, hand], stretches);
        let row = |joint| (0..4).map(|f| weights.at(joint, f)).collect::<Vec<_>>();
        assert_eq!(row(0), [1.0, 2.0, 2.0, 1.0]);
        assert_eq!(row(1), [10.0, 20.0, 5.0, 2.5]);
        assert_eq!(weights.between(0, 0.5), 1.0);
        assert_eq!(weights.between(0, 1.5), 2.0);
        assert_eq!(weights.shell_m(1), Some(0.2));
        assert!(!weights.is_even() && Weights::default().is_even());
    }
}
