//! What is held in its place, and how: feet on the ground, hands on each other, weapons in hands.

use super::judge::{Asked, AskedBy};
use super::settings::{SETTING_RANGE, Settings, SettingsError};
use crate::metrics::{Pair, SLIDE_LIMIT_M};
use crate::model::{Clip, Skeleton};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// What holds a foot where it stands, the weakest first. In `compact` each stores the limb again and nothing else of
/// the clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hold {
    /// The foot turns such that its sole stays where it stands, and the joints above are somewhat more exact.
    Pin,
    /// Thigh and shin bend as well: what neither can make up for by a turn of its own is taken up by the knee.
    Limb,
    /// The foot's translation gets keys. Some players ignore translations of joints.
    Full,
    /// For each limb the one of pin and limb that needs the fewest bytes; full where neither is within the limit.
    #[default]
    Best,
}

impl Hold {
    /// All of them, in the order of menus.
    pub const ALL: [Self; 4] = [Self::Pin, Self::Limb, Self::Full, Self::Best];

    /// The name that files and the command line use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pin => "pin",
            Self::Limb => "limb",
            Self::Full => "full",
            Self::Best => "best",
        }
    }

    #[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference
    pub(super) fn is_best(&self) -> bool {
        *self == Self::Best
    }
}

/// A limb that is held, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldLimb {
    /// The joint at its end, such as the foot.
    pub joint: usize,
    /// What holds it; never [`Hold::Best`], and [`Hold::Pin`] where tolerances were tightened.
    pub by: Hold,
    /// Whether all that is held of it is within its limits.
    pub reached: bool,
}

/// A point of a joint that keeps its place over another joint or in the world: measured always, and held in `compact`
/// where it has a limit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeldPair {
    /// Name of the joint that carries the point; its limb is what is stored again.
    pub joint: String,
    /// Name of the joint over which it is held; without, the world.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub to: Option<String>,
    /// Where the point is in the first joint's space, metres.
    #[serde(default)]
    pub offset_m: [f64; 3],
    /// First and last frame; without, the whole clip.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub frames: Option<(usize, usize)>,
    /// The largest drift that compression may add, metres; without, the clip's slide target where somebody asked for one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub limit_m: Option<f64>,
}

impl Settings {
    /// The slide that a contact of a foot is held to: the foot's own target, or else the clip's.
    pub fn slide_limit(&self, foot: &str, source_drift_m: f64) -> Option<Asked> {
        let own = self.feet.get(foot).map(|&limit| Asked {
            limit,
            by: AskedBy::Foot,
        });
        own.or_else(|| self.clip_limit(source_drift_m))
    }

    /// The drift that a pair is held to: its own limit, or else the clip's slide target where somebody asked for that.
    pub fn drift_limit(&self, pair: &HeldPair, source_drift_m: f64) -> Option<Asked> {
        let own = pair.limit_m.map(|limit| Asked {
            limit,
            by: AskedBy::Pair,
        });
        let asked = || self.clip_limit(source_drift_m);
        own.or_else(|| asked().filter(|a| a.by != AskedBy::Default))
    }

    /// Whether the slide target is one that clips start with, or asked for.
    pub(super) fn slide_asked_by(&self) -> AskedBy {
        if self.slide_of_source > 0.0 {
            AskedBy::Default
        } else {
            AskedBy::Clip
        }
    }

    fn clip_limit(&self, source_drift_m: f64) -> Option<Asked> {
        let limit = self.slide_target_m?;
        Some(Asked {
            limit: limit.max(self.slide_of_source * source_drift_m),
            by: self.slide_asked_by(),
        })
    }

    /// What clips start with: the default, and feet that are held to what an eye sees or, where the source's own feet
    /// drift far, to a twentieth of that.
    pub fn standard() -> Self {
        Self {
            slide_target_m: Some(SLIDE_LIMIT_M),
            slide_of_source: 0.05,
            ..Self::default()
        }
    }

    /// Whether anything is held.
    pub fn holds(&self) -> bool {
        let paired = self.pairs.iter().any(|p| p.limit_m.is_some());
        self.slide_target_m.is_some() || !self.feet.is_empty() || paired
    }

    /// The pairs that are measured, joints by number. Refuses joints that the clip does not have, and times in which
    /// nothing can drift.
    pub fn pairs_of(&self, clip: &Clip, unit_m: f64) -> Result<Vec<Pair>, SettingsError> {
        let skeleton = clip.skeleton();
        let last = clip.grid().last();
        let pair = |(n, p): (usize, &HeldPair)| {
            let (first, end) = p.frames.unwrap_or((0, last));
            if first >= end.min(last) && last > 0 {
                let text = format!(
                    "{first} to {end} is no time of this clip; give frames of 0 to {last}, the smaller one first"
                );
                return Err(SettingsError {
                    field: format!("pairs.{n}.frames"),
                    text,
                });
            }
            let to = p.to.as_deref();
            Ok(Pair {
                joint: joint(skeleton, &p.joint, || format!("pairs.{n}.joint"))?,
                offset: DVec3::from(p.offset_m) / unit_m,
                to: to
                    .map(|to| joint(skeleton, to, || format!("pairs.{n}.to")))
                    .transpose()?,
                frames: (first, end.min(last)),
            })
        };
        self.pairs.iter().enumerate().map(pair).collect()
    }

    /// The same settings with nothing held.
    pub(super) fn unheld(&self) -> Self {
        Self {
            slide_target_m: None,
            slide_of_source: 0.0,
            hold: Hold::default(),
            feet: std::collections::BTreeMap::new(),
            pairs: Vec::new(),
            ..self.clone()
        }
    }

    /// Every limit, with its field.
    pub(super) fn slide_limits(&self) -> Vec<(String, f64)> {
        let clip = self
            .slide_target_m
            .map(|m| ("slide_target_m".to_owned(), m));
        let feet = self
            .feet
            .iter()
            .map(|(name, m)| (format!("feet.{name}"), *m));
        let pairs = self.pairs.iter().enumerate();
        let pairs = pairs.filter_map(|(n, p)| Some((format!("pairs.{n}.limit_m"), p.limit_m?)));
        clip.into_iter().chain(feet).chain(pairs).collect()
    }

    /// A pair whose point is nowhere.
    pub(super) fn pair_fault(&self) -> Option<SettingsError> {
        let far = |v: &f64| !(v.abs() <= *SETTING_RANGE.end());
        let at = self.pairs.iter().position(|p| p.offset_m.iter().any(far))?;
        Some(SettingsError {
            field: format!("pairs.{at}.offset_m"),
            text: "not a place; give three numbers of at most 1e6".to_owned(),
        })
    }
}

fn joint(
    skeleton: &Skeleton,
    name: &str,
    field: impl FnOnce() -> String,
) -> Result<usize, SettingsError> {
    let found = skeleton.joints().iter().position(|j| j.name == name);
    found.ok_or_else(|| SettingsError {
        field: field(),
        text: format!("the clip has no joint '{name}'; give a joint's name as in its file"),
    })
}
