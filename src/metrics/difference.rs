//! What two poses differ by.

use glam::{DAffine3, DVec3};
use std::ops::Sub;

/// What two poses differ by: what a [`super::BodyGauge`] measures. Differences of differences, such as those of two frames,
/// are differences too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// Of the model matrices, one a joint: metres a source unit, and metres.
    pub joints: Vec<DAffine3>,
    /// Of the places of the vertices that morph targets move, metres; empty where weights are not known, so that those move
    /// with the joints alone.
    pub(super) morphed: Vec<DVec3>,
}

impl Difference {
    /// Of the model matrices of two poses, metres a source unit times the first less the second. Cost: linear.
    pub fn of(a: &[DAffine3], b: &[DAffine3], unit_m: f64) -> Self {
        let mut new = Self::default();
        new.set_joints(a, b, unit_m);
        new
    }

    pub(super) fn set_joints(&mut self, a: &[DAffine3], b: &[DAffine3], unit_m: f64) {
        let pairs = a.iter().zip(b);
        self.joints.clear();
        self.joints
            .extend(pairs.map(|(a, b)| matrix_difference(a, b, unit_m)));
    }
}

impl Sub for &Difference {
    type Output = Difference;

    fn sub(self, other: &Difference) -> Difference {
        let morphed = self.morphed.iter().zip(&other.morphed);
        Difference {
            morphed: morphed.map(|(a, b)| a - b).collect(),
            ..Difference::of(&self.joints, &other.joints, 1.0)
        }
    }
}

/// What two matrices differ by, times a factor.
pub(crate) fn matrix_difference(a: &DAffine3, b: &DAffine3, unit_m: f64) -> DAffine3 {
    DAffine3 {
        matrix3: (a.matrix3 - b.matrix3) * unit_m,
        translation: (a.translation - b.translation) * unit_m,
    }
}
