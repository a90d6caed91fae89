use crate::math::Transform;
use crate::model::{Clip, PoseSource, Skeleton};
use glam::{DAffine3, DVec2, DVec3};
use serde::Serialize;

/// Added slide that an eye sees on a foot that should stand, metres.
pub const SLIDE_LIMIT_M: f64 = 0.0002;

/// A foot is still below this speed over the ground, metres a second.
const STILL_M_PER_S: f64 = 0.15;

/// A foot is low within this share of its own range of height above its lowest point ...
const LOW_SHARE: f64 = 0.15;

/// ... but at least within this, metres.
const LOW_M: f64 = 0.01;

/// Frames that a foot must stand to count.
const MIN_FRAMES: usize = 3;

/// Words in joint names that make a foot.
const FOOT_WORDS: [&str; 6] = ["foot", "toe", "ball", "hoof", "paw", "ankle"];

/// Parts of names that look like one of them and are none.
const NOT_FEET: [&str; 5] = ["ik", "pole", "target", "eyeball", "control"];

/// A joint that may stand on the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Foot {
    /// Index into the skeleton.
    pub joint: usize,
}

/// How far compression moves a foot over the ground while the source's foot stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FootSlide {
    /// Index into the skeleton.
    pub joint: usize,
    /// First and last frame of the stance in which the most was added.
    pub frames: (usize, usize),
    /// Largest distance on the ground plane between two compressed-minus-source positions, metres.
    pub added_m: f64,
}

/// Joints whose names say that they are feet.
pub fn feet(skeleton: &Skeleton) -> Vec<Foot> {
    let is_foot = |name: &str| {
        let name = name.to_lowercase();
        FOOT_WORDS.iter().any(|w| name.contains(w)) && !NOT_FEET.iter().any(|w| name.contains(w))
    };
    (0..skeleton.len())
        .filter(|&j| is_foot(&skeleton.joints()[j].name))
        .map(|joint| Foot { joint })
        .collect()
}

/// Positions of the feet at every frame, in source units: `[foot][frame]`.
fn positions<P: PoseSource>(clip: &Clip, mut player: P, feet: &[Foot]) -> Vec<Vec<DVec3>> {
    let grid = clip.grid();
    let mut locals = vec![Transform::IDENTITY; clip.skeleton().len()];
    let mut model = vec![DAffine3::IDENTITY; locals.len()];
    let mut out = vec![Vec::with_capacity(grid.frames); feet.len()];
    for frame in 0..grid.frames {
        player.pose(grid.secs(frame as f64), &mut locals);
        clip.skeleton().model_pose(&locals, &mut model);
        for (foot, track) in feet.iter().zip(&mut out) {
            track.push(model[foot.joint].translation);
        }
    }
    out
}

/// The velocity at which low feet move over the ground plane (X, Z), in source units a second: what the
/// ground does under a clip that walks in place. Zero when the feet stand still or there are none.
pub fn ground_velocity(clip: &Clip, unit_m: f64) -> DVec2 {
    let feet = feet(clip.skeleton());
    ground_of(&positions(clip, clip, &feet), clip.grid().rate_hz, unit_m)
}

fn ground_of(tracks: &[Vec<DVec3>], rate_hz: f64, unit_m: f64) -> DVec2 {
    let mut velocities: Vec<DVec2> = Vec::new();
    for track in tracks {
        let low = low_frames(track, unit_m);
        for k in 1..track.len() {
            if low[k] && low[k - 1] {
                let d = (track[k] - track[k - 1]) * rate_hz;
                velocities.push(DVec2::new(d.x, d.z));
            }
        }
    }
    if velocities.is_empty() {
        return DVec2::ZERO;
    }
    let velocity = DVec2::new(
        median(velocities.iter().map(|v| v.x).collect()),
        median(velocities.iter().map(|v| v.y).collect()),
    );
    if velocity.length() * unit_m < STILL_M_PER_S {
        DVec2::ZERO
    } else {
        velocity
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

fn low_frames(track: &[DVec3], unit_m: f64) -> Vec<bool> {
    let lowest = track.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    let highest = track.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
    let band = (LOW_SHARE * (highest - lowest)).max(LOW_M / unit_m);
    track.iter().map(|p| p.y <= lowest + band).collect()
}

/// Added slide of every foot that stands at some time, the worst stance each.
///
/// A foot stands while it is low and slow over the ground, for at least three frames; in clips that walk
/// in place the ground is taken to move with the low feet. Source: our own definition; it measures the
/// error alone, so a foot that already slides in the source is not blamed on compression.
pub fn added_slide<P: PoseSource + Clone>(clip: &Clip, player: &P, unit_m: f64) -> Vec<FootSlide> {
    let feet = feet(clip.skeleton());
    let source = positions(clip, clip, &feet);
    let played = positions(clip, player.clone(), &feet);
    let rate_hz = clip.grid().rate_hz;
    let ground = ground_of(&source, rate_hz, unit_m);
    let mut slides = Vec::new();
    for ((foot, a), b) in feet.iter().zip(&source).zip(&played) {
        let errors: Vec<DVec2> = a
            .iter()
            .zip(b)
            .map(|(a, b)| DVec2::new(b.x - a.x, b.z - a.z))
            .collect();
        let worst = stances(a, ground, rate_hz, unit_m)
            .into_iter()
            .map(|(from, to)| FootSlide {
                joint: foot.joint,
                frames: (from, to),
                added_m: diameter(&errors[from..=to]) * unit_m,
            })
            .max_by(|x, y| x.added_m.total_cmp(&y.added_m));
        slides.extend(worst);
    }
    slides
}

/// Runs of at least [`MIN_FRAMES`] frames in which a foot is low and still, as first and last frame.
fn stances(track: &[DVec3], ground: DVec2, rate_hz: f64, unit_m: f64) -> Vec<(usize, usize)> {
    let low = low_frames(track, unit_m);
    let still = |k: usize| {
        let (a, b) = (k.saturating_sub(1), (k + 1).min(track.len() - 1));
        let d = (track[b] - track[a]) * (rate_hz / (b - a).max(1) as f64);
        DVec3::new(d.x - ground.x, d.y, d.z - ground.y).length() * unit_m < STILL_M_PER_S
    };
    let stands = |k: usize| low[k] && still(k);
    let mut runs = Vec::new();
    let mut from = 0;
    for k in 0..=track.len() {
        if k < track.len() && stands(k) {
            continue;
        }
        if k - from >= MIN_FRAMES {
            runs.push((from, k - 1));
        }
        from = k + 1;
    }
    runs
}

/// Largest distance between two points: the hull first, then all pairs on it.
fn diameter(points: &[DVec2]) -> f64 {
    let hull = extreme_points(points);
    let mut largest: f64 = 0.0;
    for (k, a) in hull.iter().enumerate() {
        for b in &hull[k + 1..] {
            largest = largest.max(a.distance_squared(*b));
        }
    }
    largest.sqrt()
}

/// The points that can be an end of the diameter: the convex hull (Andrew's monotone chain, 1979).
fn extreme_points(points: &[DVec2]) -> Vec<DVec2> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let mut hull: Vec<DVec2> = Vec::new();
    for pass in 0..2 {
        let floor = hull.len();
        for &p in &sorted {
            while hull.len() >= floor + 2 {
                let (a, b) = (hull[hull.len() - 2], hull[hull.len() - 1]);
                if (b - a).perp_dot(p - a) > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(p);
        }
        if pass == 0 {
            sorted.reverse();
        }
    }
    hull
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_diameter_of_a_square_is_its_diagonal() {
        let square = [(0.0, 0.0), (1.0, 0.0), (0.4, 0.5), (1.0, 1.0), (0.0, 1.0)];
        let points: Vec<DVec2> = square.iter().map(|&(x, y)| DVec2::new(x, y)).collect();
        assert!((diameter(&points) - 2.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(diameter(&points[..1]), 0.0);
        assert_eq!(diameter(&[]), 0.0);
    }

    #[test]
    fn a_foot_stands_only_while_low_and_still() {
        // Ten frames on the ground, ten in the air, at 30 Hz; then it drags along the ground.
        let track: Vec<DVec3> = (0..40)
            .map(|k| match k {
                0..10 => DVec3::ZERO,
                10..20 => DVec3::new(0.1 * f64::from(k - 10), 0.3, 0.0),
                _ => DVec3::new(1.0 + 0.1 * f64::from(k - 20), 0.0, 0.0),
            })
            .collect();
        assert_eq!(stances(&track, DVec2::ZERO, 30.0, 1.0), vec![(0, 8)]);
        assert_eq!(
            stances(&track, DVec2::new(3.0, 0.0), 30.0, 1.0),
            vec![(21, 39)]
        );
    }
}
