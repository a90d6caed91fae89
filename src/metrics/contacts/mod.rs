//! Where and when the source's feet stand, and how far compression lets them slide.

mod detect;
mod diameter;
mod names;
mod pairs;
mod slide;
mod soles;
mod tracks;

pub use pairs::{Pair, PairDrift};
pub use slide::{ContactSlide, SLIDE_LIMIT_M};
pub use soles::{SolePart, SolePoint};

pub(crate) use diameter::{ground_diameter, space_diameter};
pub(super) use pairs::drifts;
pub(super) use slide::{SoleErrors, slides};
pub(super) use tracks::place_m;

use crate::model::{Clip, PoseSource as _};
use detect::Scene;
use glam::{DAffine3, DVec2};
use serde::{Deserialize, Serialize};
use soles::Soles;
use tracks::Tracks;

/// What a person says of what stands in the clips of a skeleton.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Footing {
    /// Feet are what is found.
    #[default]
    Found,
    /// Joints by name that are feet beside those that are found.
    Also(Vec<String>),
    /// Nothing of it ever stands.
    Nothing,
}

impl Footing {
    /// Whether a person says nothing.
    pub fn is_found(&self) -> bool {
        *self == Self::Found
    }

    /// The joints that were named.
    pub fn named(&self) -> &[String] {
        match self {
            Self::Also(names) => names,
            Self::Found | Self::Nothing => &[],
        }
    }
}

/// Why nothing can be said of feet that are known.
const NEVER_STANDS: &str = "its feet were found to stand at no time";

/// A time in which a sole point stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// What stands.
    pub point: SolePoint,
    /// First and last frame, both on the ground; the first is the smaller one.
    pub frames: (usize, usize),
}

impl Contact {
    /// Whether the point stands at a frame.
    pub fn holds(&self, frame: usize) -> bool {
        self.frames.0 <= frame && frame <= self.frames.1
    }
}

/// The contacts of a clip, and what the ground does under it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contacts {
    /// Every point that may stand, grouped by foot, in the order of joints.
    pub points: Vec<SolePoint>,
    /// In the order of points, then of time.
    pub list: Vec<Contact>,
    /// Velocity of the ground in X and Z, metres a second: zero but for clips that walk in place.
    pub ground_m_per_s: DVec2,
    /// What keeps its distance beside feet and ground: never found, only told.
    pub pairs: Vec<Pair>,
    /// Why nothing can be said of the feet, as a clause; `None` where they are known, or nothing suggests that there are
    /// any.
    pub unknown: Option<String>,
}

impl Contacts {
    /// Finds the contacts of a source clip.
    ///
    /// `unit_m` is how many metres one unit of the file is. A point stands while it is low (within 5 % of the
    /// leg's length above the level below which it is in 2 % of the frames only) and slow over the ground (0.2
    /// legs a second, with hysteresis), for at least a thirtieth of a second. In a clip that walks in place the
    /// ground moves with the velocity that most low feet share, and a foot may be off it by half. Up is +Y.
    ///
    /// Not guaranteed: feet that hang still in the air may look like feet that stand; steps at several heights
    /// count only at the lowest. Cost: one pose of the legs for each frame. Source: our own definition.
    pub fn find(clip: &Clip, unit_m: f64) -> Self {
        Self::find_with(clip, unit_m, &Footing::Found)
    }

    /// As [`Contacts::find`], with what a person says of the feet.
    pub fn find_with(clip: &Clip, unit_m: f64, footing: &Footing) -> Self {
        if *footing == Footing::Nothing {
            return Self::default();
        }
        let soles = Soles::find(clip, footing.named());
        if soles.points.is_empty() || !(unit_m > 0.0) {
            return Self {
                unknown: names::without_feet(clip.skeleton()),
                ..Self::default()
            };
        }
        let tracks = Tracks::new(clip, &soles, unit_m);
        let scene = Scene {
            tracks: &tracks,
            rest_m: soles.rest.iter().map(|y| y * unit_m).collect(),
            rest_ground_m: soles.ground * unit_m,
            leg_m: soles.leg * unit_m,
            rate_hz: clip.grid().rate_hz,
        };
        let ground_m_per_s = scene.ground_m_per_s();
        let found = scene.contacts(ground_m_per_s);
        let contacts = soles.points.iter().zip(found).flat_map(|(&point, runs)| {
            runs.into_iter()
                .map(move |frames| Contact { point, frames })
        });
        let list: Vec<Contact> = contacts.collect();
        // A single pose has no time in which anything stands.
        let lost = list.is_empty() && clip.grid().frames > 1;
        Self {
            list,
            points: soles.points,
            ground_m_per_s,
            pairs: Vec::new(),
            unknown: lost.then(|| NEVER_STANDS.to_owned()),
        }
    }

    /// How far the source itself drifts in each contact, then in each pair, metres: the figures of
    /// [`ContactSlide::source_drift_m`] and [`PairDrift::source_drift_m`]. Cost: a pose for each of their frames.
    pub fn source_drifts_m(&self, clip: &Clip, unit_m: f64) -> (Vec<f64>, Vec<f64>) {
        let grid = clip.grid();
        let poses = |(first, last): (usize, usize)| {
            let (mut player, mut locals) = (clip, clip.skeleton().rest_pose());
            let mut model = vec![DAffine3::IDENTITY; locals.len()];
            (first..=last.min(grid.last())).map(move |frame| {
                player.pose(grid.secs(frame as f64), &mut locals);
                clip.skeleton().model_pose(&locals, &mut model);
                model.clone()
            })
        };
        let ground = self.ground_m_per_s / grid.rate_hz;
        let stands = |c: &Contact| {
            let places = poses(c.frames).enumerate().map(|(k, model)| {
                let place = place_m(&model, &c.point, unit_m);
                DVec2::new(place.x, place.z) - ground * k as f64
            });
            ground_diameter(&places.collect::<Vec<_>>())
        };
        let drifts = |p: &Pair| {
            let places = poses(p.frames).map(|model| p.place_m(&model, unit_m));
            space_diameter(&places.collect::<Vec<_>>())
        };
        (
            self.list.iter().map(stands).collect(),
            self.pairs.iter().map(drifts).collect(),
        )
    }

    /// The same points and ground with the times that a person knows; those that no point of the clip's skeleton can have are
    /// left out, those that reach over its `frames` cut.
    #[must_use]
    pub fn with(&self, list: &[Contact], frames: usize) -> Self {
        let last = frames.saturating_sub(1);
        let cut = |c: &Contact| Contact {
            frames: (c.frames.0, c.frames.1.min(last)),
            ..*c
        };
        let valid = |c: &Contact| c.frames.0 < c.frames.1 && self.points.contains(&c.point);
        Self {
            list: list.iter().map(cut).filter(valid).collect(),
            unknown: None,
            ..self.clone()
        }
    }

    /// The same with other pairs.
    #[must_use]
    pub fn with_pairs(&self, pairs: Vec<Pair>) -> Self {
        Self {
            pairs,
            ..self.clone()
        }
    }

    /// The points, or none when no contact needs them.
    pub(super) fn standing(&self) -> impl Iterator<Item = &SolePoint> {
        let needed = !self.list.is_empty();
        self.points.iter().filter(move |_| needed)
    }
}

/// The velocity of the ground under a clip that walks in place, in source units a second (X, Z); zero for
/// others. See [`Contacts::find`].
pub fn ground_velocity(clip: &Clip, unit_m: f64) -> DVec2 {
    Contacts::find(clip, unit_m).ground_m_per_s / unit_m
}
