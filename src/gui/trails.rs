//! Where joints go over the clip, as lines in the 3D views: the source's path and the compressed one.

use super::stage::Cast;
use super::state::State;
use super::theme;
use super::view::Trail;
use crate::metrics::SolePart;
use crate::session::Trajectory;
use eframe::egui::Color32;
use glam::DVec3;
use std::ops::Range;
use std::sync::Arc;

/// Frames before and after the playhead that are drawn; a long capture would be a ball of wool.
const AROUND: usize = 90;

/// Most feet with trails.
const MOST_FEET: usize = 8;

/// Radius of the dot on a frame, and on a key, points.
const FRAME_DOT: f32 = 1.7;
const KEY_DOT: f32 = 3.2;

/// The trails that are switched on, for each of who is in a picture.
#[derive(Default)]
pub(super) struct Trails {
    source: Vec<Trail>,
    compressed: Vec<Trail>,
}

impl Trails {
    /// Cost: nothing while neither clip nor joint changes, but for copying what is near the playhead.
    pub(super) fn of(state: &mut State) -> Self {
        let mut points: Vec<(usize, DVec3)> = Vec::new();
        if state.view.joint_trail {
            points.push((state.joint, DVec3::ZERO));
        }
        if state.view.foot_trails {
            points.extend(feet(state));
        }
        let mut trails = Self::default();
        for (joint, offset) in points {
            if let Some(trajectory) = state.trajectory(joint, offset) {
                trails.add(
                    state,
                    &trajectory,
                    joint == state.joint && state.view.joint_trail,
                );
            }
        }
        trails
    }

    /// Those that belong into a picture: the compressed path is held against the source's.
    pub(super) fn of_cast(&self, cast: Cast) -> Vec<Trail> {
        let mut trails = self.source.clone();
        if cast != Cast::Source {
            trails.extend_from_slice(&self.compressed);
        }
        trails
    }

    fn add(&mut self, state: &mut State, trajectory: &Trajectory, keyed: bool) {
        let unit_m = state.result().map_or(1.0, |r| r.unit_m);
        let frames = trajectory.source.len().div_ceil(trajectory.density.max(1));
        let shown = around(state.transport.frame, frames);
        let path = |places: &[DVec3]| -> Vec<DVec3> {
            let every = places.iter().step_by(trajectory.density.max(1));
            let near = every.skip(shown.start).take(shown.len());
            near.map(|p| *p / unit_m).collect()
        };
        let compressed = path(&trajectory.compressed);
        if keyed {
            let keys = state.curves().map(|c| c.keys.clone()).unwrap_or_default();
            let places = keys
                .iter()
                .filter_map(|k| compressed.get((k.frame as usize).checked_sub(shown.start)?));
            let dots = places.map(|&place| trail(vec![place], theme::ACCENT, KEY_DOT));
            self.compressed.extend(dots);
        }
        self.source
            .push(trail(path(&trajectory.source), theme::SOURCE, FRAME_DOT));
        self.compressed
            .push(trail(compressed, theme::COMPRESSED, FRAME_DOT));
    }
}

/// A point for each foot: its ball where it has one.
fn feet(state: &State) -> Vec<(usize, DVec3)> {
    let points = state.result().map(|r| r.contacts.points.as_slice());
    let feet = points.unwrap_or_default().chunk_by(|a, b| a.foot == b.foot);
    feet.take(MOST_FEET)
        .filter_map(|points| {
            let ball = points.iter().find(|p| p.part == SolePart::Ball);
            ball.or(points.first()).map(|p| (p.joint, p.offset))
        })
        .collect()
}

fn trail(points: Vec<DVec3>, color: Color32, dot: f32) -> Trail {
    Trail {
        points: Arc::new(points),
        color: [color.r(), color.g(), color.b(), 215],
        width: 1.4,
        dot,
    }
}

/// All frames of a short clip, else those around the playhead.
fn around(playhead: f64, frames: usize) -> Range<usize> {
    if frames <= 2 * AROUND + 1 {
        return 0..frames;
    }
    let at = (playhead.round().max(0.0) as usize).min(frames - 1);
    at.saturating_sub(AROUND)..(at + AROUND + 1).min(frames)
}

#[cfg(test)]
mod tests {
    use super::around;

    #[test]
    fn long_clips_show_what_is_near_the_playhead() {
        assert_eq!(around(20.0, 31), 0..31);
        assert_eq!(around(500.4, 1000), 410..591);
        assert_eq!(around(3.0, 1000), 0..94);
        assert_eq!(around(f64::MAX, 1000), 909..1000);
    }
}
