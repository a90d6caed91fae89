//! What keeps a point in its place: the joints that it asks, and how much of them.

use super::Staking;
use super::limb::Limb;
use crate::codec::compact::guide::{Along, Guide, Guides, Over};
use crate::codec::holding::Hold;
use glam::DVec3;

/// What keeps a point in its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plan {
    /// What it is called.
    pub(super) stake: Hold,
    /// How far the joint that makes up for the rest may be off, in radii of the hold, and those above it.
    places: [f64; 2],
    /// How far bones may be off along themselves.
    bones: Option<f64>,
}

/// Wherever it is.
const FREE: f64 = f64::INFINITY;

impl Plan {
    const fn pin(places: [f64; 2]) -> Self {
        Self {
            stake: Hold::Pin,
            places,
            bones: None,
        }
    }

    const fn limb(places: [f64; 2], bones: f64) -> Self {
        Self {
            stake: Hold::Limb,
            places,
            bones: Some(bones),
        }
    }

    /// A joint over which a point is held must turn and not only move, so there it is a limb stake.
    const FULL: Self = Self {
        stake: Hold::Full,
        places: [1.0, 6.0],
        bones: Some(2.0),
    };

    /// The first is best for most limbs, each of the others for some.
    const PINS: [Self; 3] = [
        Self::pin([3.0, 6.0]),
        Self::pin([FREE, FREE]),
        Self::pin([1.5, FREE]),
    ];

    const LIMBS: [Self; 2] = [Self::limb([3.0, 6.0], 2.0), Self::limb([2.0, FREE], 1.0)];

    /// What is tried first, the most promising foremost, and what where that does not do.
    pub(super) fn all(hold: Hold) -> [Vec<Self>; 2] {
        match hold {
            Hold::Pin => [Self::PINS.to_vec(), Vec::new()],
            Hold::Limb => [Self::LIMBS.to_vec(), Vec::new()],
            Hold::Full => [vec![Self::FULL], Vec::new()],
            Hold::Best => [[&Self::PINS[..], &Self::LIMBS].concat(), vec![Self::FULL]],
        }
    }
}

impl Staking<'_> {
    /// The guides of all joints.
    pub(super) fn guides(&self, limb: &Limb, plan: &Plan, radii: &[Option<f64>]) -> Vec<Guides> {
        let mut all = vec![Guides::default(); self.source.joints.len()];
        for ((held, chain), radius) in limb.holds.iter().zip(radii) {
            let Some(radius) = *radius else {
                continue;
            };
            let along = if held.over == Over::Ground {
                Along::Ground
            } else {
                Along::Space
            };
            let guide = Guide {
                joint: held.joint,
                offset: held.offset,
                frames: held.frames,
                radius,
                along,
                over: held.over,
                held: (held.joint, held.offset),
            };
            let place = |joint: usize, radius: f64, along| Guide {
                joint,
                offset: DVec3::ZERO,
                radius,
                along,
                ..guide.clone()
            };
            // Where the translation has keys already they are of use to the weaker ways as well.
            let keyed = !self.solved.joints[held.end][1].curves().is_empty();
            let turns = held.carrier != held.joint;
            if !turns && (plan.stake == Hold::Full || keyed) {
                let radius = radius * plan.places[0];
                all[held.end].place.push(place(held.end, radius, along));
            }
            if !turns && plan.stake == Hold::Full {
                for &joint in chain.iter().filter(|&&j| j >= held.end) {
                    all[joint].turn.push(guide.clone());
                }
                continue;
            }
            let mut end = guide.held;
            all[chain[0]].turn.push(guide.clone());
            for (n, pair) in chain.windows(2).enumerate() {
                let (point, joint) = (pair[0], pair[1]);
                let loose = plan.places[n.min(1)];
                if loose.is_finite() {
                    all[joint].turn.push(place(point, radius * loose, along));
                }
                if let Some(bones) = plan.bones {
                    let along = Along::Bone(end.0, end.1);
                    all[joint].turn.push(place(point, radius * bones, along));
                }
                end = (point, DVec3::ZERO);
            }
        }
        all
    }
}
