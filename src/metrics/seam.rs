//! What compression does where a loop closes.

use super::skin::{Options, Probe, Shell, largest};
use crate::model::{Clip, PoseSource};
use serde::Serialize;

/// How far compression opens a loop between its last frame and its first.
///
/// Errors are compared, not poses, so that a clip whose root travels is measured like one in place: a loop that
/// is off by the same everywhere still closes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Seam {
    /// Largest difference between a shell point's error at the last frame and at the first, metres.
    pub gap_m: f64,
    /// The joint with that gap.
    pub gap_joint: usize,
    /// Largest difference between the error's speed into the last frame and out of the first, metres a second.
    pub kick_m_per_s: f64,
    /// The joint with that difference.
    pub kick_joint: usize,
    /// Largest distance between a shell point at the last frame and at the first in the source, metres: small
    /// for a loop that stays in place.
    pub source_gap_m: f64,
}

/// Measures the seam of a clip; `None` for fewer than three frames. Cost: four poses.
pub(super) fn seam<P: PoseSource>(clip: &Clip, player: P, options: &Options) -> Option<Seam> {
    let grid = clip.grid();
    let last = grid.last();
    if last < 2 {
        return None;
    }
    let mut probe = Probe::new(clip, player, options);
    let mut at = |frame: usize| {
        probe.at(grid.secs(frame as f64));
        (probe.shells.clone(), probe.source_shells())
    };
    let ((e0, s0), (e1, _)) = (at(0), at(1));
    let ((e2, _), (e3, s3)) = (at(last - 1), at(last));
    let mut seam = Seam::default();
    for joint in 0..e0.len() {
        let gap = largest(&less(&e3[joint], &e0[joint]));
        if gap > seam.gap_m {
            (seam.gap_m, seam.gap_joint) = (gap, joint);
        }
        let into = less(&e3[joint], &e2[joint]);
        let kick = largest(&less(&into, &less(&e1[joint], &e0[joint]))) * grid.rate_hz;
        if kick > seam.kick_m_per_s {
            (seam.kick_m_per_s, seam.kick_joint) = (kick, joint);
        }
        let source = largest(&less(&s3[joint], &s0[joint]));
        seam.source_gap_m = seam.source_gap_m.max(source);
    }
    Some(seam)
}

fn less(a: &Shell, b: &Shell) -> Shell {
    std::array::from_fn(|k| a[k] - b[k])
}
