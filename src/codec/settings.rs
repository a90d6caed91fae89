//! Everything that decides the bytes of a compressed clip.

use super::additive::BasePose;
use super::holding::{HeldPair, Hold};
use super::importance::Importance;
use super::levels::Level;
use super::rules::Rule;
use crate::fit::Basis;
use crate::math::Channel;
use crate::metrics::{self, ErrorMetric, Footing};
use crate::model::Skeleton;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is shipped: previewed, measured, approved and exported as this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deliverable {
    /// A `.ppc` in the smallest form that meets the target: closed-loop keyed splines.
    #[default]
    Compact,
    /// A `.ppc` with all frames: every track in its own range, what stands still once. For runtimes that want
    /// plain data.
    Uniform,
    /// A `.ppc` with the published scheme: 10-byte keys in one block, Catmull-Rom.
    Riot,
    /// glTF with LINEAR float keys, for any player that keeps to the specification.
    Universal,
}

impl Deliverable {
    /// All of them, in the order of menus.
    pub const ALL: [Self; 4] = [Self::Compact, Self::Uniform, Self::Riot, Self::Universal];

    /// The name that files and the command line use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Riot => "riot",
            Self::Compact => "compact",
            Self::Uniform => "uniform",
            Self::Universal => "universal",
        }
    }

    /// The usual extension of an exported file, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Riot | Self::Compact | Self::Uniform => "ppc",
            Self::Universal => "glb",
        }
    }
}

/// What the tolerances of the tracks are made from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Budget {
    /// The largest skin error anywhere, metres; tolerances are solved for it.
    Skin {
        /// Positive, finite.
        target_m: f64,
    },
    /// The clip's own tolerances, as they are set.
    Tolerances,
}

/// Allowed local error of an end effector's tracks, each positive and finite.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tolerances {
    /// Angle, radians. Larger: fewer rotation keys, more swing at the end of long limbs.
    pub rotation_rad: f64,
    /// Distance, metres. Larger: fewer translation keys, more drift of whole limbs.
    pub translation_m: f64,
    /// Length of the difference of scale factors. Larger: fewer scale keys, more swelling.
    pub scale: f64,
}

impl Default for Tolerances {
    fn default() -> Self {
        Self {
            rotation_rad: 0.1_f64.to_radians(),
            translation_m: 0.0005,
            scale: 0.001,
        }
    }
}

impl Tolerances {
    /// The tolerance of one channel, in radians, metres or as a factor.
    pub fn of(&self, channel: Channel) -> f64 {
        match channel {
            Channel::Rotation => self.rotation_rad,
            Channel::Translation => self.translation_m,
            Channel::Scale => self.scale,
        }
    }

    /// Sets the tolerance of one channel.
    pub fn set(&mut self, channel: Channel, value: f64) {
        match channel {
            Channel::Rotation => self.rotation_rad = value,
            Channel::Translation => self.translation_m = value,
            Channel::Scale => self.scale = value,
        }
    }
}

/// A joint's own tolerances; what is not set is inherited from the clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JointOverride {
    /// Radians.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rotation_rad: Option<f64>,
    /// Metres.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub translation_m: Option<f64>,
    /// Factor.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub scale: Option<f64>,
}

impl JointOverride {
    /// The override of one channel.
    pub fn of(&self, channel: Channel) -> Option<f64> {
        match channel {
            Channel::Rotation => self.rotation_rad,
            Channel::Translation => self.translation_m,
            Channel::Scale => self.scale,
        }
    }

    /// Sets or clears the override of one channel.
    pub fn set(&mut self, channel: Channel, value: Option<f64>) {
        match channel {
            Channel::Rotation => self.rotation_rad = value,
            Channel::Translation => self.translation_m = value,
            Channel::Scale => self.scale = value,
        }
    }

    /// Whether nothing is overridden.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Bits of a stored rotation key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuaternionBits {
    /// Largest component dropped, 3 x 15 bits: off by at most 0.0086 degrees.
    #[default]
    Q48,
    /// Largest component dropped, 3 x 10 bits: off by up to a quarter of a degree; may shake.
    Q32,
}

/// How a player evaluates a `.ppc` between frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Playback {
    /// The curve is evaluated at frames, and poses interpolated between: between frames the error stays
    /// that of the frames.
    #[default]
    Frames,
    /// The curve is evaluated at any time: smoother than the source where that is what the source lacks.
    Smooth,
}

/// All settings of one clip.
///
/// Approvals are bound to a hash of their JSON: a field that is added later is left out of it while it has its
/// default, so that they stay what they were.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// What is shipped.
    pub deliverable: Deliverable,
    /// What the tolerances are made from.
    pub budget: Budget,
    /// Used with [`Budget::Tolerances`].
    pub tolerances: Tolerances,
    /// By joint name. With [`Budget::Skin`] they cap what is solved, else they replace the clip's.
    pub overrides: BTreeMap<String, JointOverride>,
    /// Settings of joints by wildcard; a joint's own override counts more, see [`Settings::expanded`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Rule>,
    /// Divide a joint's tolerance by its place in the chain: an end effector gets e, its parent e/2, its
    /// grandparent e/3; the longest chain counts.
    pub adaptive_margin: bool,
    /// Tangents of the Catmull-Rom spline; `universal` is linear whatever this says.
    pub basis: Basis,
    /// Remove keys that the others can do without, re-solving their values by least squares.
    pub refine: bool,
    /// Bits of a rotation key in `riot`.
    pub quaternion_bits: QuaternionBits,
    /// How the container is played.
    pub playback: Playback,
    /// The clip is played in a loop. In `compact`, curves that end where they began then run on across the seam.
    pub looped: bool,
    /// What errors are errors of, and the target is held against.
    pub metric: ErrorMetric,
    /// Names, or patterns of names, of meshes that do not count: levels of detail, props that a game hides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Distance in the world of the shell of joints that move no vertex, or of all joints where shells are measured,
    /// metres.
    pub shell_m: f64,
    /// The largest slide that compression may add to a foot while it stands, metres. In `compact` with a skin target
    /// limbs are stored again for it; otherwise the tolerances of the joints above the foot are tightened, as far as
    /// their storage goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slide_target_m: Option<f64>,
    /// Where the source's own foot drifts far, the slide target of the clip grows to this share of that. It is above 0
    /// where the target is one that clips start with, not one that somebody asked for.
    #[serde(skip_serializing_if = "is_zero")]
    pub slide_of_source: f64,
    /// The most by which compression may open a loop, metres. It is judged, nothing is stored for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seam_limit_m: Option<f64>,
    /// The fastest that the error may move, metres a second. It is judged, nothing is stored for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jitter_limit_m_per_s: Option<f64>,
    /// What holds the feet that slide more.
    #[serde(skip_serializing_if = "Hold::is_best")]
    pub hold: Hold,
    /// Slide targets of single feet, metres, by the name of the foot's uppermost joint; they go before the clip's.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub feet: BTreeMap<String, f64>,
    /// What a person says of the feet of the skeleton.
    #[serde(skip_serializing_if = "Footing::is_found")]
    pub footing: Footing,
    /// What keeps its distance beside feet and ground.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<HeldPair>,
    /// Deliver what the clip adds to a base pose; a `.ppc` alone can say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additive: Option<BasePose>,
    /// Levels of detail below the full one, each with fewer joints; a `.ppc` stores joints such that each is a prefix.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Level>,
    /// How far a morph weight, or another float curve, may be off.
    #[serde(skip_serializing_if = "is_weight_tolerance")]
    pub weight_tolerance: f64,
    /// What counts more than the rest.
    #[serde(skip_serializing_if = "Importance::is_even")]
    pub importance: Importance,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            deliverable: Deliverable::default(),
            budget: Budget::Skin { target_m: 0.001 },
            tolerances: Tolerances::default(),
            overrides: BTreeMap::new(),
            rules: Vec::new(),
            adaptive_margin: true,
            basis: Basis::Parabolic,
            refine: true,
            quaternion_bits: QuaternionBits::default(),
            playback: Playback::default(),
            looped: false,
            metric: ErrorMetric::default(),
            left_out: Vec::new(),
            shell_m: 0.03,
            slide_target_m: None,
            slide_of_source: 0.0,
            seam_limit_m: None,
            jitter_limit_m_per_s: None,
            additive: None,
            levels: Vec::new(),
            hold: Hold::default(),
            feet: BTreeMap::new(),
            footing: Footing::Found,
            pairs: Vec::new(),
            weight_tolerance: WEIGHT_TOLERANCE,
            importance: Importance::default(),
        }
    }
}

/// What a morph weight may be off unless something else is said: a millimetre where a target moves skin by a metre.
pub const WEIGHT_TOLERANCE: f64 = 0.001;

#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands fields over so.
fn is_weight_tolerance(tolerance: &f64) -> bool {
    *tolerance == WEIGHT_TOLERANCE
}

impl Settings {
    /// The part of a tolerance that a joint gets whose longest chain below it has `height` joints: 1, 1/2, 1/3 … with
    /// the adaptive margin.
    ///
    /// Source: Riot Games, "Compressing Skeletal Animation Data" (an end effector gets e, its parent e/2, …).
    pub fn margin(&self, height: usize) -> f64 {
        if self.adaptive_margin {
            1.0 / (height + 1) as f64
        } else {
            1.0
        }
    }

    /// Whether the margin counts: `compact` with a skin target solves every joint for itself, after those above it.
    pub fn has_margin(&self) -> bool {
        let solved = matches!(self.budget, Budget::Skin { .. });
        self.adaptive_margin && !(solved && self.deliverable == Deliverable::Compact)
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// Values that tolerances, targets and distances may have, in metres, radians or as factors: whatever is
/// measured with them stays finite.
pub const SETTING_RANGE: std::ops::RangeInclusive<f64> = 1e-12..=1e6;

/// A setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsError {
    /// Name of the field, as in JSON.
    pub field: String,
    /// What is wrong with it.
    pub text: String,
}

impl std::fmt::Display for SettingsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "setting {}: {}", self.field, self.text)
    }
}

impl std::error::Error for SettingsError {}

impl Settings {
    /// How what these settings make of a clip is measured; `density` instants a frame.
    pub fn measuring(&self, skeleton: &Skeleton, unit_m: f64, density: usize) -> metrics::Options {
        metrics::Options {
            unit_m,
            metric: self.metric,
            shell_m: self.shell_m,
            left_out: self.left_out.clone(),
            density,
            weights: self.expanded(skeleton).importance.weights(skeleton),
        }
    }

    /// Refuses tolerances, targets and distances outside [`SETTING_RANGE`].
    pub fn check(&self) -> Result<(), SettingsError> {
        let positive = |field: &str, value: f64| {
            if SETTING_RANGE.contains(&value) {
                return Ok(());
            }
            let text = format!("{value} is not in 1e-12 to 1e6; give a number in that range");
            Err(SettingsError {
                field: field.into(),
                text,
            })
        };
        if let Budget::Skin { target_m } = self.budget {
            positive("budget.skin.target_m", target_m)?;
        }
        positive("shell_m", self.shell_m)?;
        positive("weight_tolerance", self.weight_tolerance)?;
        let judged = [
            ("seam_limit_m", self.seam_limit_m),
            ("jitter_limit_m_per_s", self.jitter_limit_m_per_s),
        ];
        let judged = judged.into_iter();
        let judged = judged.filter_map(|(field, limit)| Some((field.to_owned(), limit?)));
        for (field, limit) in self.slide_limits().into_iter().chain(judged) {
            positive(&field, limit)?;
        }
        if !(0.0..=1.0).contains(&self.slide_of_source) {
            let text = format!("{} is not in 0 to 1; give a share", self.slide_of_source);
            return Err(SettingsError {
                field: "slide_of_source".into(),
                text,
            });
        }
        if let Some(fault) = self.pair_fault() {
            return Err(fault);
        }
        if let Some((field, value)) = self.importance.fault() {
            let text = format!(
                "{value} cannot be used; weights, shells and factors of frames are above 0"
            );
            return Err(SettingsError { field, text });
        }
        for channel in Channel::ALL {
            let name = crate::model::channel_name(channel);
            positive(&format!("tolerances.{name}"), self.tolerances.of(channel))?;
            for (joint, o) in &self.overrides {
                if let Some(value) = o.of(channel) {
                    positive(&format!("overrides.{joint}.{name}"), value)?;
                }
            }
        }
        self.check_rules()?;
        if self.additive.is_some() && self.deliverable == Deliverable::Universal {
            let text = "glTF has no additive clips; deliver compact, uniform or riot".into();
            return Err(SettingsError {
                field: "additive".into(),
                text,
            });
        }
        if self.basis == Basis::Linear {
            let text =
                "a spline deliverable needs Catmull-Rom tangents; universal is linear by itself"
                    .into();
            return Err(SettingsError {
                field: "basis".into(),
                text,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_survive_json() {
        let mut s = Settings {
            budget: Budget::Tolerances,
            ..Settings::default()
        };
        s.overrides.insert(
            "foot_l".into(),
            JointOverride {
                rotation_rad: Some(0.001),
                ..Default::default()
            },
        );
        let json = serde_json::to_string(&s).expect("serialises");
        assert_eq!(serde_json::from_str::<Settings>(&json).expect("parses"), s);
    }

    #[test]
    fn zero_negative_and_nan_are_refused_with_the_field() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300, 1e-300] {
            let s = Settings {
                budget: Budget::Skin { target_m: bad },
                ..Settings::default()
            };
            assert_eq!(s.check().unwrap_err().field, "budget.skin.target_m");
            let mut s = Settings::default();
            s.tolerances.set(Channel::Scale, bad);
            assert_eq!(s.check().unwrap_err().field, "tolerances.scale");
        }
        assert!(Settings::default().check().is_ok());
    }
}
