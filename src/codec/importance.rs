//! What matters more than the rest: joints and stretches of time.

use crate::metrics::{JointWeight, Stretch, Weights};
use crate::model::Skeleton;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Weights on the error that a target allows. `compact` gives each joint and frame its own share; the other
/// deliverables are held to the strictest as a whole.
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

/// Frames that count more, or less.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameImportance {
    /// Name of the joint that it is for; `None` for the whole clip.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub joint: Option<String>,
    /// First frame.
    pub first: usize,
    /// Last frame, inclusive.
    pub last: usize,
    /// How many times errors count there, positive: 2 halves what they may be, as where a hand holds still; 0.25
    /// lets them be four times as large, as in a blur.
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
        let mut factors = self.frames.iter().map(|f| f.factor).enumerate();
        let wrong = factors.find(|&(_, f)| !positive(f));
        wrong.map(|(k, f)| (format!("importance.frames.{k}.factor"), f))
    }

    /// The weights for the joints of a skeleton; names that it does not have are for other skeletons.
    pub fn weights(&self, skeleton: &Skeleton) -> Weights {
        if self.is_even() {
            return Weights::default();
        }
        let joints = skeleton.joints();
        let of = |name: &String| {
            let own = self.joints.get(name);
            JointWeight {
                weight: own.map_or(1.0, |i| i.weight),
                shell_m: own.and_then(|i| i.shell_m),
            }
        };
        let stretch = |f: &FrameImportance| {
            let joint = f.joint.as_ref();
            let joint = joint.map(|name| joints.iter().position(|j| j.name == *name));
            // A joint that is not there makes none of them count.
            let missing = joint == Some(None);
            (!missing).then_some(Stretch {
                joint: joint.flatten(),
                frames: (f.first, f.last),
                factor: f.factor,
            })
        };
        let stretches = self.frames.iter().filter_map(stretch);
        Weights::new(
            joints.iter().map(|j| of(&j.name)).collect(),
            stretches.collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        importance.joints.clear();
        importance.frames.push(FrameImportance {
            joint: None,
            first: 0,
            last: 9,
            factor: -1.0,
        });
        let (field, _) = importance.fault().expect("a fault");
        assert_eq!(field, "importance.frames.0.factor");
    }
}
