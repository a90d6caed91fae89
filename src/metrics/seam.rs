//! What compression does where a loop closes.

use super::body::Body;
use super::difference::Difference;
use super::measure::Options;
use super::probe::Probe;
use crate::model::{Clip, PoseSource};
use serde::Serialize;
use std::sync::Arc;

/// How far compression opens a loop between its last frame and its first.
///
/// Errors are compared, not poses, so that a clip whose root travels is measured like one in place: a loop that
/// is off by the same everywhere still closes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Seam {
    /// Largest difference between a vertex's, or counting shell point's, error at the last frame and at the first, metres.
    pub gap_m: f64,
    /// The joint with that gap.
    pub gap_joint: usize,
    /// Largest difference between the error's speed into the last frame and out of the first, metres a second.
    pub kick_m_per_s: f64,
    /// The joint with that difference.
    pub kick_joint: usize,
    /// Largest distance between such a point at the last frame and at the first in the source, metres: small
    /// for a loop that stays in place.
    pub source_gap_m: f64,
}

/// Measures the seam of a clip; `None` for fewer than three frames. Cost: four poses.
pub(super) fn seam<P: PoseSource>(
    clip: &Clip,
    player: P,
    options: &Options,
    body: &Arc<Body>,
) -> Option<Seam> {
    let grid = clip.grid();
    let last = grid.last();
    if last < 2 {
        return None;
    }
    let mut probe = Probe::new(clip, player, options, body);
    let mut at = |frame: usize| {
        probe.at(grid.secs(frame as f64));
        (probe.difference.clone(), probe.want.clone())
    };
    let ((e0, s0), (e1, _)) = (at(0), at(1));
    let ((e2, _), (e3, s3)) = (at(last - 1), at(last));
    let largest = |difference: &Difference| -> (f64, usize) {
        let mut gauge = body.gauge();
        let all = gauge.measure(difference).enumerate();
        let all = all.map(|(joint, d)| (f64::from(d.held_m), joint));
        all.fold(
            (0.0, 0),
            |most, one| if one.0 > most.0 { one } else { most },
        )
    };
    let (gap_m, gap_joint) = largest(&(&e3 - &e0));
    let (into, out) = (&e3 - &e2, &e1 - &e0);
    let (kick_m, kick_joint) = largest(&(&into - &out));
    let moved = probe.between(&s3, &s0);
    Some(Seam {
        gap_m,
        gap_joint,
        kick_m_per_s: kick_m * grid.rate_hz,
        kick_joint,
        source_gap_m: largest(&moved).0,
    })
}
