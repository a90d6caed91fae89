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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Channel, Transform};
    use crate::model::{Clip, Interpolation, Issues, Joint, RawClip, RawCurve, RawTrack, Skeleton};
    use std::sync::Arc;

    /// A thigh that hangs down, a shin that leads forward, for ten frames.
    fn leg() -> Source {
        let joint = |(n, at): (usize, DVec3)| Joint {
            name: format!("joint_{n}"),
            parent: n.checked_sub(1),
            rest: Transform {
                translation: at,
                ..Transform::IDENTITY
            },
            source_index: n,
        };
        let places = [DVec3::Y, -0.5 * DVec3::Y, 0.4 * DVec3::Z];
        let joints = places.into_iter().enumerate().map(joint).collect();
        let still = RawTrack {
            joint: 0,
            channel: Channel::Translation,
            curve: RawCurve {
                interpolation: Interpolation::Linear,
                times: (0..10).map(|k| k as f32 / 30.0).collect(),
                values: [0.0, 1.0, 0.0].repeat(10),
            },
        };
        let raw = RawClip {
            name: "leg".into(),
            tracks: vec![still],
            scalars: vec![],
        };
        let skeleton = Arc::new(Skeleton::new(joints).expect("a skeleton"));
        Source::new(&Clip::new(skeleton, raw, &mut Issues::default()), None)
    }

    fn guide(along: Along) -> Guide {
        Guide {
            joint: 1,
            offset: DVec3::ZERO,
            frames: (4, 6),
            radius: 0.001,
            along,
            over: Over::Ground,
            held: (2, DVec3::ZERO),
        }
    }

    #[test]
    fn a_guide_fades_in_and_out() {
        let source = leg();
        let guide = guide(Along::Ground);
        let beside = guide.beside(&source, 1.0, |_| DVec3::ZERO, |_| None);
        let radius = |f| Some(guide.at(&source, &beside, f)?.radius);
        assert_eq!((radius(1), radius(9)), (None, None));
        assert_eq!((radius(4), radius(6)), (Some(0.001), Some(0.001)));
        let faded = 0.001 * BLEND_FACTOR * BLEND_FACTOR;
        assert_eq!((radius(2), radius(8)), (Some(faded), Some(faded)));
    }

    #[test]
    fn bones_are_felt_along_themselves_and_over_the_ground_as_far_as_they_lie() {
        let source = leg();
        let at = |guide: Guide| {
            let beside = guide.beside(&source, 1.0, |_| DVec3::ZERO, |_| None);
            guide.at(&source, &beside, 5).expect("within")
        };
        let lying = at(guide(Along::Bone(2, DVec3::ZERO)));
        assert!((lying.radius - 0.001).abs() < 1e-12);
        assert!((lying.seen * DVec3::ONE - DVec3::Z).length() < 1e-12);
        let upright = Guide {
            joint: 0,
            along: Along::Bone(1, DVec3::ZERO),
            ..guide(Along::Ground)
        };
        assert!((at(upright.clone()).radius - 0.001 / STEEP).abs() < 1e-12);
        let in_space = Guide {
            over: Over::World,
            ..upright
        };
        assert!((at(in_space).radius - 0.001).abs() < 1e-12);
    }

    #[test]
    fn a_point_is_held_where_its_joint_is_anyway() {
        let source = leg();
        let off = |f: usize| DVec3::new(0.001 * f as f64, 0.5, 0.002);
        let held = guide(Along::Ground).beside(&source, 1.0, off, |_| None);
        // Frames 4 to 6 are off by 4 to 6 mm; height does not count.
        assert!((held[0] - DVec3::new(0.005, 0.0, 0.002)).length() < 1e-12);
        // But no farther than half of what the joint may be off by.
        let near = guide(Along::Ground).beside(&source, 0.002, off, |_| None);
        assert!((near[0].length() - 0.001).abs() < 1e-12);
    }
}
