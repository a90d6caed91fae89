//! How far a point drifts from the joint that it should keep its distance to: hand on hand, both hands on a staff.

use super::diameter::{farthest_pair, space_diameter};
use super::slide::SoleErrors;
use glam::{DAffine3, DVec3};

/// A point of a joint that keeps its place over another joint for some time, or in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The joint that carries the point.
    pub joint: usize,
    /// Where the point is in that joint's space, source units.
    pub offset: DVec3,
    /// The joint in whose space it is looked at; `None` for the world.
    pub to: Option<usize>,
    /// First and last frame; the first is the smaller one.
    pub frames: (usize, usize),
}

/// What compression does to one pair.
///
/// `e(t)` is the compressed minus the source's place of the point, both as the other joint sees them, so that an
/// error of both joints alike is none, nor is one that stays the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairDrift {
    /// Of what.
    pub pair: Pair,
    /// Largest distance between two of the source's places at frames, metres.
    pub source_drift_m: f64,
    /// Largest distance between two of `e` at frames, metres.
    pub added_m: f64,
    /// The same at frames and between them, on the dense grid; never less.
    pub dense_added_m: f64,
    /// Largest speed of `e` from frame to frame, metres a second.
    pub speed_m_per_s: f64,
    /// One of the two frames that `added_m` lies between.
    pub worst_frame: usize,
}

impl Pair {
    /// Where the point is in a pose, as the other joint sees it, metres; the origin for one of another skeleton.
    ///
    /// Lengths are those of the model: a scaled joint does not see things smaller.
    pub(in crate::metrics) fn place_m(&self, model: &[DAffine3], unit_m: f64) -> DVec3 {
        let Some(joint) = model.get(self.joint) else {
            return DVec3::ZERO;
        };
        let place = joint.transform_point3(self.offset);
        let Some(to) = self.to.and_then(|to| model.get(to)) else {
            return place * unit_m;
        };
        let axes = to.matrix3;
        let unscaled = |a: DVec3| a.normalize_or_zero();
        let (x, y, z) = (
            unscaled(axes.x_axis),
            unscaled(axes.y_axis),
            unscaled(axes.z_axis),
        );
        let away = place - to.translation;
        DVec3::new(x.dot(away), y.dot(away), z.dot(away)) * unit_m
    }
}

/// The drift of every pair of the clip; those that reach over its end are cut. `density` is the number of dense
/// instants a frame.
pub(in crate::metrics) fn drifts(
    pairs: &[Pair],
    rows: &SoleErrors,
    density: usize,
    rate_hz: f64,
) -> Vec<PairDrift> {
    let width = pairs.len();
    let of = |(n, pair): (usize, &Pair)| {
        let frames = rows.source.len() / width;
        let (first, last) = (pair.frames.0, pair.frames.1.min(frames.checked_sub(1)?));
        if first > last {
            return None;
        }
        let column = |rows: &[DVec3], from: usize, to: usize| -> Option<Vec<DVec3>> {
            let rows = rows.get(from * width..(to + 1) * width)?;
            Some(rows.iter().skip(n).step_by(width).copied().collect())
        };
        let dense = column(&rows.errors, first * density, last * density)?;
        let source = column(&rows.source, first, last)?;
        let at_frames: Vec<DVec3> = dense.iter().step_by(density).copied().collect();
        let speeds = at_frames.windows(2).map(|w| w[1].distance(w[0]) * rate_hz);
        let (worst, _) = farthest_pair(&at_frames).unwrap_or_default();
        let added_m = space_diameter(&at_frames);
        Some(PairDrift {
            pair: Pair {
                frames: (first, last),
                ..*pair
            },
            source_drift_m: space_diameter(&source),
            added_m,
            dense_added_m: space_diameter(&dense).max(added_m),
            speed_m_per_s: speeds.fold(0.0, f64::max),
            worst_frame: first + worst,
        })
    };
    pairs.iter().enumerate().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DMat3, DQuat};

    fn pair(frames: (usize, usize)) -> Pair {
        Pair {
            joint: 1,
            offset: DVec3::ZERO,
            to: Some(0),
            frames,
        }
    }

    #[test]
    fn what_moves_with_the_other_joint_stays() {
        let place = |turn: f64, scale: f64| {
            let turn = DQuat::from_rotation_y(turn);
            let to = DAffine3::from_scale_rotation_translation(
                DVec3::splat(scale),
                turn,
                DVec3::new(turn.y, 2.0, -1.0),
            );
            let away = turn * DVec3::new(0.3, 0.1, 0.2);
            let joint = DAffine3::from_mat3_translation(DMat3::IDENTITY, to.translation + away);
            pair((0, 1)).place_m(&[to, joint], 0.01)
        };
        for (turn, scale) in [(0.0, 1.0), (1.0, 1.0), (2.0, 7.0)] {
            let off = place(turn, scale) - DVec3::new(0.003, 0.001, 0.002);
            assert!(off.length() < 1e-12, "{turn} {scale}");
        }
    }

    #[test]
    fn the_drift_of_known_errors_is_exactly_that() {
        let e = [0.0, 0.001, 0.004, -0.001, 0.0].map(|x| DVec3::new(x, 0.0, 0.0));
        let rows = SoleErrors {
            errors: e.to_vec(),
            source: vec![DVec3::ZERO; 5],
        };
        let found = drifts(&[pair((0, 9))], &rows, 1, 30.0)[0];
        assert_eq!(found.pair.frames, (0, 4));
        assert!((found.added_m - 0.005).abs() < 1e-12 && found.source_drift_m == 0.0);
        assert!((found.speed_m_per_s - 0.15).abs() < 1e-12);
        assert!([2, 3].contains(&found.worst_frame));
        let beginning = drifts(&[pair((0, 1))], &rows, 1, 30.0)[0];
        assert!((beginning.added_m - 0.001).abs() < 1e-12);
        assert!(drifts(&[pair((5, 9))], &rows, 1, 30.0).is_empty());
    }
}
