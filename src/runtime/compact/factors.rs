//! What translations are multiplied by, so that the scale of what a joint hangs under does not matter.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::super::{MAX_VALUE, Transform};

/// The largest factor, and the inverse of the smallest.
pub const MAX_FACTOR: f32 = 1e6;

/// Largest magnitude of a translation's key that is multiplied by a factor, in track space.
pub const MAX_SCALED_KEY: f32 = MAX_VALUE / MAX_FACTOR;

/// A scale that is so near to 1 is 1: exporters leave rounding errors up to 2e-5.
const ROUNDING: f32 = 1e-4;

/// For each joint the factor of its translation: 1 over the size of its parent, 1 for a root.
///
/// The size of a joint is the largest magnitude of a component of its scale in `pose`, or 1 if that is within 1e-4 of
/// 1, times the size of its parent. A factor that is not in `1 / MAX_FACTOR` to `MAX_FACTOR` is 1 instead. All of it is
/// plain single precision, so that a writer has the very factors of a player. `parents` stand before their children.
pub fn factors(parents: impl IntoIterator<Item = Option<u16>>, pose: &[Transform]) -> Vec<f32> {
    let mut sizes: Vec<f32> = Vec::with_capacity(pose.len());
    let mut factors = Vec::with_capacity(pose.len());
    for (parent, joint) in parents.into_iter().zip(pose) {
        let above = parent.and_then(|p| sizes.get(usize::from(p)));
        let above = above.copied().unwrap_or(1.0);
        factors.push(factor(above));
        sizes.push(above * size(joint.scale));
    }
    factors
}

fn size(scale: [f32; 3]) -> f32 {
    let [x, y, z] = scale.map(f32::abs);
    let size = x.max(y).max(z);
    if (size - 1.0).abs() <= ROUNDING {
        1.0
    } else {
        size
    }
}

fn factor(size: f32) -> f32 {
    let factor = 1.0 / size;
    // Not a number is in no range.
    if (1.0 / MAX_FACTOR..=MAX_FACTOR).contains(&factor) {
        factor
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The factor of what hangs on the last of a chain of joints with these scales.
    fn below(scales: &[[f32; 3]]) -> f32 {
        let joints = scales.iter().copied().chain([[7.0; 3]]);
        let pose: Vec<Transform> = joints
            .map(|scale| Transform {
                scale,
                ..Transform::IDENTITY
            })
            .collect();
        let parents = (0..pose.len()).map(|j| j.checked_sub(1).map(|p| p as u16));
        let all = factors(parents, &pose);
        assert_eq!(all.len(), pose.len());
        assert_eq!(all.first(), Some(&1.0), "a root has none");
        all.last().copied().unwrap_or(0.0)
    }

    #[test]
    fn factors_undo_the_scales_above() {
        assert_eq!(below(&[[100.0; 3]]), 0.01);
        assert_eq!(below(&[[0.25; 3], [1.0; 3], [2.0; 3]]), 2.0);
        assert_eq!(below(&[[-4.0, 1.0, 0.0]]), 0.25);
    }

    #[test]
    fn rounding_errors_of_exporters_are_no_scale() {
        assert_eq!(below(&[[1.000_02, 0.999_98, 1.0]; 500]), 1.0);
        assert_ne!(below(&[[1.001; 3]]), 1.0);
    }

    #[test]
    fn sizes_that_nothing_can_be_made_of_have_the_factor_1() {
        let (infinite, none) = ([f32::INFINITY; 3], [f32::NAN; 3]);
        let odd = [[0.0; 3], none, infinite, [1e-30; 3], [1e30; 3], [2e6; 3]];
        for scale in odd {
            assert_eq!(below(&[scale]), 1.0, "{scale:?}");
        }
        assert_eq!(below(&[infinite, [0.0; 3]]), 1.0);
        assert_eq!(below(&[[1e30; 3], [1e30; 3], [0.01; 3]]), 1.0);
        assert_eq!(below(&[[1e6; 3]]), 1e-6);
        assert_eq!(below(&[[0.0; 3], [100.0; 3]]), 1.0);
    }

    #[test]
    fn parents_that_are_not_there_are_none() {
        assert_eq!(factors([Some(9)], &[Transform::IDENTITY]), [1.0]);
        assert!(factors([], &[Transform::IDENTITY]).is_empty());
    }
}
