//! Points that a pass keeps in their place, over the ground or over another joint, while they are held.

use super::pass::Placed;
use super::source::Source;
use glam::{DMat3, DQuat, DVec3};

/// Frames around a hold in which a point comes to where it is held, and goes again. It costs nothing, and with less
/// feet jump a tenth farther.
const BLEND: usize = 2;

/// In each of them it may be this many times farther off than in the one before.
const BLEND_FACTOR: f64 = 2.5;

/// Of a joint's budget, the most that a held point may stand beside the source's place.
const MOST_BESIDE: f64 = 0.5;

/// Bones that are seen from above in less than this part of their length are as loose as those in so much.
const STEEP: f64 = 0.1;

/// Over what a point is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::codec) enum Over {
    /// The ground, whatever its height.
    Ground,
    /// The world, in all directions.
    World,
    /// A joint that is stored already, as that one sees it.
    Joint(usize),
}

/// In which directions a point is guided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Along {
    /// Over the ground: X and Z.
    Ground,
    /// In all.
    Space,
    /// Along the line to a point of a joint, in that joint's space: what a turn here cannot make up for there.
    Bone(usize, DVec3),
}

/// A point of a joint below, or of the joint itself, that a joint brings to its place.
#[derive(Clone, Debug)]
pub(super) struct Guide {
    /// The joint that carries the point.
    pub(super) joint: usize,
    /// The point in that joint's space.
    pub(super) offset: DVec3,
    /// First and last frame in which it is held.
    pub(super) frames: (usize, usize),
    /// How far off it may be, source units.
    pub(super) radius: f64,
    pub(super) along: Along,
    pub(super) over: Over,
    /// Joint and place of the point that is held, for which this one is guided.
    pub(super) held: (usize, DVec3),
}

/// A guide at one frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guided {
    /// The source's point, model space.
    pub(super) place: DVec3,
    /// How it may be off.
    pub(super) radius: f64,
    /// The directions that count.
    pub(super) seen: DMat3,
    /// Where it should be: compressed less source.
    pub(super) wanted: DVec3,
}

impl Guide {
    /// First and last frame that it has a say in.
    fn reach(&self, frames: usize) -> (usize, usize) {
        let (first, last) = self.frames;
        (first.saturating_sub(BLEND), (last + BLEND).min(frames - 1))
    }

    /// The guide at a frame, `beside` being where it is held; `None` out of its reach.
    pub(super) fn at(&self, source: &Source, beside: &[DVec3], frame: usize) -> Option<Guided> {
        let (from, to) = self.reach(source.frames);
        if !(from..=to).contains(&frame) {
            return None;
        }
        let (first, last) = self.frames;
        let away = first.saturating_sub(frame).max(frame.saturating_sub(last));
        let place = source.joints[self.joint].model[frame].transform_point3(self.offset);
        let (seen, stretch) = match self.along {
            Along::Ground => (DMat3::from_diagonal(DVec3::new(1.0, 0.0, 1.0)), 1.0),
            Along::Space => (DMat3::IDENTITY, 1.0),
            Along::Bone(joint, end) => {
                let end = source.joints[joint].model[frame].transform_point3(end);
                let d = (end - place).normalize_or_zero();
                // Over the ground a bone that stands upright makes no slide by its length.
                let felt = match self.over {
                    Over::Ground => d.x.hypot(d.z).max(STEEP),
                    Over::World | Over::Joint(_) => 1.0,
                };
                (DMat3::from_cols(d * d.x, d * d.y, d * d.z), 1.0 / felt)
            }
        };
        // Where a joint is squashed to nothing nothing can be said.
        let wanted = Some(beside[frame - from]).filter(|w| (place + *w).is_finite())?;
        Some(Guided {
            place,
            radius: self.radius * stretch * BLEND_FACTOR.powi(away as i32),
            seen,
            wanted,
        })
    }

    /// Where the point is held, compressed less source, at every frame of its reach: where the other joint takes it,
    /// and beside that as far as the joint, which is `off` already, is in the middle.
    pub(super) fn beside<'p>(
        &self,
        source: &Source,
        budget: f64,
        off: impl Fn(usize) -> DVec3,
        placed: impl Fn(usize) -> Option<&'p Placed>,
    ) -> Vec<DVec3> {
        let (from, to) = self.reach(source.frames);
        let (joint, offset) = self.held;
        let other = match self.over {
            Over::Joint(other) => placed(other).map(|now| (&source.joints[other], now)),
            _ => None,
        };
        let taken = |f: usize| {
            let place = source.joints[joint].model[f].transform_point3(offset);
            other.map_or(DVec3::ZERO, |(before, now)| {
                let seen = before.model[f].inverse().transform_point3(place);
                now.model[f].transform_point3(seen) - place
            })
        };
        // In the axes of the other joint an offset that stays is no drift.
        let axes = |f: usize| other.map_or(DQuat::IDENTITY, |(before, _)| before.turn[f]);
        let (first, last) = self.frames;
        let held = || (first..=last).map(|f| axes(f).inverse() * (off(f) - taken(f)));
        let low = held().fold(DVec3::INFINITY, DVec3::min);
        let high = held().fold(DVec3::NEG_INFINITY, DVec3::max);
        let mut middle = 0.5 * (low + high);
        if self.over == Over::Ground {
            middle.y = 0.0;
        }
        let middle = middle.clamp_length_max(MOST_BESIDE * budget.min(1e30));
        (from..=to).map(|f| taken(f) + axes(f) * middle).collect()
    }
}

/// What guides one joint.
#[derive(Clone, Debug, Default)]
pub(super) struct Guides {
    /// Points that its rotation keeps in their place.
    pub(super) turn: Vec<Guide>,
    /// Its own place, which its translation keeps; then its translation has keys.
    pub(super) place: Vec<Guide>,
}

impl Guides {
    /// Whether the translation is keyed for them.
    pub(super) fn move_it(&self) -> bool {
        !self.place.is_empty()
    }
}
