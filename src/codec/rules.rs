//! Settings of many joints at once: by wildcard, for whole branches, the later rule winning.
//!
//! What counts for a joint, weakest first: the clip's settings; the rules that match it, in their order, each field
//! from the last one that sets it; its own overrides and importance; a lock.

use super::importance::JointImportance;
use super::settings::{JointOverride, SETTING_RANGE, Settings, SettingsError, Tolerances};
use crate::math::Channel;
use crate::model::Skeleton;
use crate::model::name_matches;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What a locked joint may be off by: a thousandth of a degree, a hundredth of a millimetre, 1e-5. No slider goes
/// below. In `compact`, whose joints make up for those above them, what they cannot make up for stays.
pub const LOCKED: Tolerances = Tolerances {
    rotation_rad: 0.001 * std::f64::consts::PI / 180.0,
    translation_m: 1e-5,
    scale: 1e-5,
};

/// Settings of all joints whose names a pattern matches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rule {
    /// A joint's name or a pattern of names, see [`name_matches`]; blanks around it do not count.
    pub pattern: String,
    /// Joints below those that match are meant, too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub subtree: bool,
    /// Tolerances of their channels, as a joint's own.
    #[serde(flatten)]
    pub tolerances: JointOverride,
    /// How many times their errors count, see [`JointImportance::weight`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// Distance of their shells in metres, see [`JointImportance::shell_m`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell_m: Option<f64>,
    /// Whether they are locked: held to [`LOCKED`] whatever other rules, their own overrides or a target allow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locked: Option<bool>,
}

/// Joints that a rule is about, in the order of the skeleton.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// Their names match.
    pub named: Vec<usize>,
    /// They hang below one of those, and only that.
    pub below: Vec<usize>,
}

impl Matches {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.named.len() + self.below.len()
    }

    /// All of them.
    pub fn joints(&self) -> impl Iterator<Item = usize> + '_ {
        self.named.iter().chain(&self.below).copied()
    }
}

impl Rule {
    /// The joints that the rule is about. Cost: one comparison a joint.
    pub fn matches(&self, skeleton: &Skeleton) -> Matches {
        let pattern = self.pattern.trim();
        let mut found = Matches::default();
        let mut meant = vec![false; skeleton.len()];
        for (j, joint) in skeleton.joints().iter().enumerate() {
            let named = name_matches(pattern, &joint.name);
            let below = self.subtree && joint.parent.is_some_and(|p| meant[p]);
            meant[j] = named || below;
            if named {
                found.named.push(j);
            } else if below {
                found.below.push(j);
            }
        }
        found
    }

    /// Whether it sets nothing.
    pub fn is_idle(&self) -> bool {
        self.tolerances.is_empty()
            && self.weight.is_none()
            && self.shell_m.is_none()
            && self.locked.is_none()
    }
}

/// What the rules say about one joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ruled {
    /// Tolerances of its channels.
    pub tolerances: JointOverride,
    /// See [`Rule::weight`].
    pub weight: Option<f64>,
    /// See [`Rule::shell_m`].
    pub shell_m: Option<f64>,
    /// See [`Rule::locked`].
    pub locked: bool,
}

/// What the rules say about every joint of a skeleton. Cost: one comparison a joint and rule.
pub fn ruled(rules: &[Rule], skeleton: &Skeleton) -> Vec<Ruled> {
    let mut all = vec![Ruled::default(); skeleton.len()];
    for rule in rules {
        for joint in rule.matches(skeleton).joints() {
            let ruled = &mut all[joint];
            for channel in Channel::ALL {
                let value = rule.tolerances.of(channel);
                ruled
                    .tolerances
                    .set(channel, value.or(ruled.tolerances.of(channel)));
            }
            ruled.weight = rule.weight.or(ruled.weight);
            ruled.shell_m = rule.shell_m.or(ruled.shell_m);
            ruled.locked = rule.locked.unwrap_or(ruled.locked);
        }
    }
    all
}

impl Settings {
    /// The same for one skeleton, without rules: what they say stands in `overrides` and `importance.joints`.
    ///
    /// Both go by name, so that joints of one name are ruled alike.
    pub fn expanded(&self, skeleton: &Skeleton) -> Cow<'_, Self> {
        if self.rules.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut settings = self.clone();
        settings.rules.clear();
        for (joint, ruled) in skeleton.joints().iter().zip(ruled(&self.rules, skeleton)) {
            if ruled != Ruled::default() {
                apply(&mut settings, &joint.name, &ruled);
            }
        }
        Cow::Owned(settings)
    }

    pub(super) fn check_rules(&self) -> Result<(), SettingsError> {
        for (k, rule) in self.rules.iter().enumerate() {
            let refuse = |field: &str, text: String| SettingsError {
                field: format!("rules.{k}.{field}"),
                text,
            };
            if rule.pattern.trim().is_empty() {
                let text = "it is empty and matches nothing; write a name, or * for all".into();
                return Err(refuse("pattern", text));
            }
            let t = &rule.tolerances;
            let values = [
                ("rotation_rad", t.rotation_rad),
                ("translation_m", t.translation_m),
                ("scale", t.scale),
                ("weight", rule.weight),
                ("shell_m", rule.shell_m),
            ];
            for (field, value) in values {
                if let Some(value) = value.filter(|v| !SETTING_RANGE.contains(v)) {
                    let text =
                        format!("{value} is not in 1e-12 to 1e6; give a number in that range");
                    return Err(refuse(field, text));
                }
            }
        }
        Ok(())
    }
}

/// What a joint has of its own counts more, a lock most.
fn apply(settings: &mut Settings, name: &str, ruled: &Ruled) {
    let mut own = settings.overrides.get(name).copied().unwrap_or_default();
    for channel in Channel::ALL {
        let value = own.of(channel).or(ruled.tolerances.of(channel));
        let locked = ruled.locked.then(|| LOCKED.of(channel));
        own.set(
            channel,
            match (value, locked) {
                (Some(value), Some(locked)) => Some(value.min(locked)),
                (value, locked) => value.or(locked),
            },
        );
    }
    if !own.is_empty() {
        settings.overrides.insert(name.to_owned(), own);
    }
    if ruled.weight.is_none() && ruled.shell_m.is_none() {
        return;
    }
    let joints = &mut settings.importance.joints;
    let own = joints.get(name).copied();
    let importance = JointImportance {
        weight: own.map(|o| o.weight).or(ruled.weight).unwrap_or(1.0),
        shell_m: own.and_then(|o| o.shell_m).or(ruled.shell_m),
    };
    joints.insert(name.to_owned(), importance);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::Joint;

    fn skeleton() -> Skeleton {
        let joints = [
            ("root", None),
            ("thigh_l", Some(0)),
            ("foot_l", Some(1)),
            ("ball_l", Some(2)),
            ("Foot_R", Some(0)),
        ];
        let joint = |(k, &(name, parent)): (usize, &(&str, Option<usize>))| Joint {
            name: name.to_owned(),
            parent,
            rest: Transform::IDENTITY,
            source_index: k,
        };
        Skeleton::new(joints.iter().enumerate().map(joint).collect()).expect("valid")
    }

    fn rule(pattern: &str) -> Rule {
        Rule {
            pattern: pattern.to_owned(),
            ..Rule::default()
        }
    }

    #[test]
    fn a_rule_says_what_it_is_about() {
        let mut r = rule("*foot*");
        assert_eq!(r.matches(&skeleton()).named, [2, 4]);
        assert!(r.matches(&skeleton()).below.is_empty());
        r.subtree = true;
        let found = r.matches(&skeleton());
        assert_eq!(
            (found.named.as_slice(), found.below.as_slice()),
            (&[2, 4][..], &[3][..])
        );
        assert_eq!(found.count(), 3);
    }

    #[test]
    fn the_later_rule_wins_field_by_field_and_a_joint_s_own_over_both() {
        let mut settings = Settings::default();
        let mut legs = rule("thigh*");
        legs.subtree = true;
        legs.tolerances.rotation_rad = Some(0.01);
        legs.tolerances.scale = Some(0.1);
        legs.weight = Some(2.0);
        let mut feet = rule("*foot*");
        feet.tolerances.rotation_rad = Some(0.002);
        feet.shell_m = Some(0.2);
        settings.rules = vec![legs, feet];
        let own = JointOverride {
            rotation_rad: Some(0.5),
            ..JointOverride::default()
        };
        settings.overrides.insert("ball_l".into(), own);
        let s = settings.expanded(&skeleton()).into_owned();
        let rotation = |name: &str| s.overrides.get(name).and_then(|o| o.rotation_rad);
        assert!(s.rules.is_empty() && !s.overrides.contains_key("root"));
        assert_eq!(rotation("thigh_l"), Some(0.01));
        assert_eq!(rotation("foot_l"), Some(0.002));
        assert_eq!(rotation("Foot_R"), Some(0.002));
        assert_eq!(rotation("ball_l"), Some(0.5), "its own");
        assert_eq!(s.overrides["ball_l"].scale, Some(0.1), "inherited");
        let of = |name: &str| s.importance.joints.get(name).copied();
        let importance = |weight, shell_m| Some(JointImportance { weight, shell_m });
        assert_eq!(of("foot_l"), importance(2.0, Some(0.2)));
        assert_eq!(of("Foot_R"), importance(1.0, Some(0.2)));
        assert_eq!(of("root"), None);
    }

    #[test]
    fn a_lock_holds_against_all_but_a_later_rule_that_opens_it() {
        let mut settings = Settings::default();
        let mut lock = rule("*");
        lock.locked = Some(true);
        let mut open = rule("root");
        open.locked = Some(false);
        let mut loose = rule("*foot*");
        loose.tolerances.translation_m = Some(0.5);
        settings.rules = vec![lock, loose, open];
        let own = JointOverride {
            translation_m: Some(1.0),
            rotation_rad: Some(1e-7),
            ..JointOverride::default()
        };
        settings.overrides.insert("foot_l".into(), own);
        let s = settings.expanded(&skeleton()).into_owned();
        assert_eq!(
            s.overrides["foot_l"].translation_m,
            Some(LOCKED.translation_m)
        );
        assert_eq!(
            s.overrides["foot_l"].rotation_rad,
            Some(1e-7),
            "finer still"
        );
        assert_eq!(s.overrides["ball_l"].scale, Some(LOCKED.scale));
        assert!(!s.overrides.contains_key("root"));
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_field() {
        let field = |rule: Rule| {
            let rules = vec![
                Rule {
                    pattern: "*".into(),
                    ..Rule::default()
                },
                rule,
            ];
            let settings = Settings {
                rules,
                ..Settings::default()
            };
            settings.check().expect_err("refused").field
        };
        assert_eq!(field(rule(" ")), "rules.1.pattern");
        let wrong = Rule {
            weight: Some(0.0),
            ..rule("a")
        };
        assert_eq!(field(wrong), "rules.1.weight");
        let wrong = Rule {
            shell_m: Some(f64::NAN),
            ..rule("a")
        };
        assert_eq!(field(wrong), "rules.1.shell_m");
        let mut wrong = rule("a");
        wrong.tolerances.scale = Some(-1.0);
        assert_eq!(field(wrong), "rules.1.scale");
    }

    #[test]
    fn rules_survive_json_and_say_only_what_they_set() {
        let mut r = rule("*foot*");
        r.tolerances.rotation_rad = Some(0.001);
        let json = serde_json::to_string(&r).expect("serialises");
        assert_eq!(json, r#"{"pattern":"*foot*","rotation_rad":0.001}"#);
        assert_eq!(serde_json::from_str::<Rule>(&json).expect("parses"), r);
    }
}
