//! When a sole point stands: low and almost still over the ground.
//!
//! All limits are shares of the leg's length, so that the unit of the file and the size of the character do
//! not matter, and all look at time from both sides alike, so that a clip played backwards has the same
//! contacts mirrored.

use super::tracks::Tracks;
use glam::{DVec2, DVec3};

/// Motion is looked at over this time, so that the noise of fast captures does not count; at least a frame.
const WINDOW_SECS: f64 = 1.0 / 30.0;

/// The ground is where a point is lower in only this share of the frames.
const GROUND_SHARE: f64 = 0.02;

/// Height over the ground at which a point is low, in legs ...
const LOW: f64 = 0.05;

/// ... and up to which a contact may rise for a moment.
const LOW_AT_MOST: f64 = 0.08;

/// Speed over the ground at which a point is still, legs a second ...
const STILL: f64 = 0.2;

/// ... and, where the ground moves, this share of its speed more: strides in place are uneven.
const STILL_OF_GROUND: f64 = 0.5;

/// Low points whose velocities differ by no more than [`STILL`] and this share of them move alike; a contact moves
/// like the ground at some time.
const ALIKE: f64 = 0.1;

/// How many times faster than still a contact may become for a moment.
const WOBBLE: f64 = 2.0;

/// The lowest level of a point may lie this far above that of the lowest one, in legs, besides what lies
/// between them in the rest pose: a foot that is held up all the time does not stand.
const LEVELS_APART: f64 = 0.1;

/// A contact begins and ends where the point is no faster than [`STILL`], or this many times its median speed in that
/// contact: a foot that stands well is cut exactly, one that skates is kept.
const UNEVEN: f64 = 3.0;

/// It begins once the point comes down, and ends before it lifts, faster than this besides that median, legs a second.
const SETTLED: f64 = 0.06;

/// A skeleton whose feet are this near to the plane Y = 0 in the rest pose is built on it, in legs.
const ON_PLANE: f64 = 0.1;

/// Feet this far above the ground of the rest pose all the time are in the air, in legs; farther up they stand on
/// something else.
const IN_THE_AIR: std::ops::RangeInclusive<f64> = 0.15..=1.5;

/// Still ground is preferred where at least this share of the low motion is still.
const STANDS: f64 = 0.35;

/// A body that travels with more than this share of the ground's speed does not walk in place.
const TRAVELS: f64 = 0.5;

/// Most velocities among which the ground's is sought: all pairs are compared.
const MOST_VELOCITIES: usize = 1024;

/// What detection needs to know of a clip.
pub(super) struct Scene<'a> {
    pub tracks: &'a Tracks,
    /// Height of each point in the rest pose, metres over the ground.
    pub rest_m: Vec<f64>,
    /// Height of that ground itself.
    pub rest_ground_m: f64,
    pub leg_m: f64,
    pub rate_hz: f64,
}

impl Scene<'_> {
    /// Frames of a window.
    fn window(&self) -> usize {
        (self.rate_hz * WINDOW_SECS).round().max(1.0) as usize
    }

    fn window_secs(&self) -> f64 {
        self.window() as f64 / self.rate_hz
    }

    /// The level of the ground under each point; `None` for points that never come down to it.
    fn levels(&self) -> Vec<Option<f64>> {
        let points = self.tracks.points.iter();
        let levels: Vec<f64> = points
            .map(|track| {
                let mut heights: Vec<f64> = track.iter().map(|p| p.y).collect();
                quantile(&mut heights, GROUND_SHARE)
            })
            .collect();
        let over_rest = levels.iter().zip(&self.rest_m).map(|(l, rest)| l - rest);
        let lowest = over_rest.clone().fold(f64::INFINITY, f64::min);
        if self.is_in_the_air(lowest) {
            return vec![None; levels.len()];
        }
        let near = |over_rest: f64| over_rest - lowest <= LEVELS_APART * self.leg_m;
        let levels = levels.iter().zip(over_rest);
        levels
            .map(|(&level, over_rest)| near(over_rest).then_some(level))
            .collect()
    }

    /// Whether a character that is built on the plane Y = 0 never comes down to it, though it is not moved away
    /// from it either: it falls or swims.
    fn is_in_the_air(&self, ground: f64) -> bool {
        let legs = (ground - self.rest_ground_m) / self.leg_m;
        let on_plane = self.rest_ground_m.abs() <= ON_PLANE * self.leg_m;
        on_plane && IN_THE_AIR.contains(&legs)
    }

    /// Whether a point is at most this many legs above its ground at both ends of a window.
    fn is_low(&self, track: &[DVec3], from: usize, level: f64, legs: f64) -> bool {
        let low = |k: usize| track[k].y - level <= legs * self.leg_m;
        low(from) && low(from + self.window())
    }

    /// Velocity over a window, metres a second.
    fn velocity(&self, track: &[DVec3], from: usize) -> DVec3 {
        (track[from + self.window()] - track[from]) / self.window_secs()
    }

    fn windows(&self, track: &[DVec3]) -> std::ops::Range<usize> {
        0..track.len().saturating_sub(self.window())
    }

    /// Speed over a ground that moves at which a point is still.
    fn still_m_per_s(&self, ground: DVec2) -> f64 {
        STILL * self.leg_m + STILL_OF_GROUND * ground.length()
    }

    /// How far a velocity may be from another that shares the ground with it.
    fn alike_m_per_s(&self, ground: DVec2) -> f64 {
        STILL * self.leg_m + ALIKE * ground.length()
    }

    /// The velocity that most low motion shares, metres a second: zero where feet stand in the world.
    pub(super) fn ground_m_per_s(&self) -> DVec2 {
        let velocities = self.low_velocities();
        let support = |v: DVec2| {
            let reach = self.alike_m_per_s(v);
            velocities.iter().filter(|u| u.distance(v) <= reach).count()
        };
        let mut best = (DVec2::ZERO, 0);
        for &v in &velocities {
            let count = support(v);
            if count > best.1 {
                best = (v, count);
            }
        }
        let (ground, count) = best;
        if count == 0 || support(DVec2::ZERO) as f64 >= STANDS * count as f64 {
            return DVec2::ZERO;
        }
        let ground = middle(&velocities, ground, self.alike_m_per_s(ground));
        let body = DVec2::new(self.tracks.body_m_per_s.x, self.tracks.body_m_per_s.z);
        let in_place = body.length() <= TRAVELS * ground.length();
        if in_place { ground } else { DVec2::ZERO }
    }

    /// Velocities over the ground of low points that neither rise nor fall.
    fn low_velocities(&self) -> Vec<DVec2> {
        let mut found = Vec::new();
        for (track, level) in self.tracks.points.iter().zip(self.levels()) {
            let Some(level) = level else { continue };
            for k in self.windows(track) {
                let v = self.velocity(track, k);
                if self.is_low(track, k, level, LOW) && v.y.abs() <= STILL * self.leg_m {
                    found.push(DVec2::new(v.x, v.z));
                }
            }
        }
        let step = found.len().div_ceil(MOST_VELOCITIES).max(1);
        found.into_iter().step_by(step).collect()
    }

    /// First and last frame of every contact, for each point.
    pub(super) fn contacts(&self, ground: DVec2) -> Vec<Vec<(usize, usize)>> {
        let points = self.tracks.points.iter().zip(self.levels());
        points
            .map(|(track, level)| {
                level.map_or_else(Vec::new, |level| self.stands(track, level, ground))
            })
            .collect()
    }

    /// Runs of windows that wobble at most, trimmed to those that are still.
    fn stands(&self, track: &[DVec3], level: f64, ground: DVec2) -> Vec<(usize, usize)> {
        let (still, alike) = (self.still_m_per_s(ground), self.alike_m_per_s(ground));
        let over_ground = DVec3::new(ground.x, 0.0, ground.y);
        let within = |k: usize, limit: f64, legs: f64| {
            let speed = (self.velocity(track, k) - over_ground).length();
            speed <= limit && self.is_low(track, k, level, legs)
        };
        let mut runs: Vec<(usize, usize)> = Vec::new();
        let mut goes_on = false;
        for k in self.windows(track) {
            if within(k, still, LOW) {
                let end = k + self.window();
                match runs.last_mut() {
                    Some((_, last)) if goes_on || k <= *last => *last = end,
                    _ => runs.push((k, end)),
                }
                goes_on = true;
            }
            goes_on &= within(k, WOBBLE * still, LOW_AT_MOST);
        }
        let stood =
            |&(a, b): &(usize, usize)| (a..=b - self.window()).any(|k| within(k, alike, LOW));
        let stood = runs.into_iter().filter(stood);
        let trimmed = stood.filter_map(|run| self.trim(track, run, over_ground));
        trimmed.collect()
    }

    /// Cuts the frames at both ends in which the point is faster than it is in the middle of the contact, or comes
    /// down or lifts.
    fn trim(
        &self,
        track: &[DVec3],
        (first, last): (usize, usize),
        ground: DVec3,
    ) -> Option<(usize, usize)> {
        let window = self.window();
        let velocity = |k: usize| self.velocity(track, k) - ground;
        let mut speeds: Vec<f64> = (first..=last - window)
            .map(|k| velocity(k).length())
            .collect();
        let own = quantile(&mut speeds, 0.5);
        let still = (STILL * self.leg_m).max(UNEVEN * own);
        let settled = SETTLED * self.leg_m + own;
        let stands = |v: &DVec3| v.length() <= still;
        let begins = |&k: &usize| {
            let v = velocity(k);
            stands(&v) && v.y >= -settled
        };
        let ends = |&k: &usize| {
            let v = velocity(k - window);
            stands(&v) && v.y <= settled
        };
        let first = (first..=last - window).find(begins)?;
        let last = (first + window..=last).rev().find(ends)?;
        Some((first, last))
    }
}

/// The value below which this share of a set lies; 0 of none. Reorders `values`.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let rank = ((values.len() - 1) as f64 * share) as usize;
    *values.select_nth_unstable_by(rank, f64::total_cmp).1
}

/// Median of those within reach of a velocity.
fn middle(velocities: &[DVec2], of: DVec2, reach: f64) -> DVec2 {
    let near = velocities.iter().filter(|v| v.distance(of) <= reach);
    let (mut x, mut y): (Vec<f64>, Vec<f64>) = near.map(|v| (v.x, v.y)).unzip();
    DVec2::new(quantile(&mut x, 0.5), quantile(&mut y, 0.5))
}
