//! What matters more than the rest: joints and stretches of time.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Weights on the error that a target allows. Only `compact` looks at them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Importance {
    /// By joint name.
    pub joints: BTreeMap<String, JointImportance>,
    /// Where stretches overlap, their factors multiply.
    pub frames: Vec<FrameImportance>,
}

/// How a joint's error counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointImportance {
    /// How many times the joint's error counts against the target, positive: 2 halves what it may be off by, as
    /// for hands and eyes; 0.1 frees a joint that nobody sees.
    pub weight: f64,
    /// Distance of the joint's own shell in metres, where it is another than the clip's: where a weapon ends, how far
    /// a camera looks.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shell_m: Option<f64>,
}

/// Frames that count more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameImportance {
    /// First frame.
    pub first: usize,
    /// Last frame, inclusive.
    pub last: usize,
    /// How many times errors count there, at least 1: tolerances are divided by it. The target is held everywhere.
    pub factor: f64,
}

impl Importance {
    /// Whether everything counts alike.
    pub fn is_even(&self) -> bool {
        *self == Self::default()
    }

    /// What is wrong with it, as a field's name and a value; `None` if nothing.
    pub(super) fn fault(&self) -> Option<(String, f64)> {
        let positive = |v: f64| v > 0.0 && v.is_finite();
        for (name, joint) in &self.joints {
            let values = [("weight", Some(joint.weight)), ("shell_m", joint.shell_m)];
            for (field, value) in values {
                if let Some(value) = value.filter(|&v| !positive(v)) {
                    return Some((format!("importance.joints.{name}.{field}"), value));
                }
            }
        }
        let factors = self.frames.iter().map(|f| f.factor);
        let wrong = factors
            .enumerate()
            .find(|&(_, f)| !(f >= 1.0 && f.is_finite()));
        wrong.map(|(k, f)| (format!("importance.frames.{k}.factor"), f))
    }

    /// What tolerances are multiplied by at every frame.
    pub(super) fn factors(&self, frames: usize) -> Vec<f64> {
        let mut factors = vec![1.0; frames];
        for stretch in &self.frames {
            for factor in factors
                .iter_mut()
                .take(stretch.last + 1)
                .skip(stretch.first)
            {
                *factor /= stretch.factor;
            }
        }
        factors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_multiply_and_end_with_the_clip() {
        let stretch = |first, last, factor| FrameImportance {
            first,
            last,
            factor,
        };
        let importance = Importance {
            frames: vec![stretch(1, 2, 2.0), stretch(2, usize::MAX - 1, 4.0)],
            ..Importance::default()
        };
        assert_eq!(importance.factors(4), [1.0, 0.5, 0.125, 0.25]);
        assert_eq!(importance.fault(), None);
    }

    #[test]
    fn what_cannot_be_is_named() {
        let mut importance = Importance::default();
        let joint = JointImportance {
            weight: 1.0,
            shell_m: Some(f64::NAN),
        };
        importance.joints.insert("hand".into(), joint);
        let (field, _) = importance.fault().expect("a fault");
        assert_eq!(field, "importance.joints.hand.shell_m");
    }
}
