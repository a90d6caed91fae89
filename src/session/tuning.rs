//! Changes of the settings of several joints at once.

use crate::codec::{Rule, Settings};
use crate::model::{Skeleton, mirrored_joint, mirrored_names};

/// What joints have of their own, given to those on the other side as well: overrides and importance. Returns the
/// settings and how many joints got something or lost it; none where no joint has another side.
pub fn mirrored_settings(
    settings: &Settings,
    skeleton: &Skeleton,
    joints: &[usize],
) -> (Settings, usize) {
    let mut mirrored = settings.clone();
    let mut count = 0;
    for &joint in joints {
        let Some(other) = mirrored_joint(skeleton, joint) else {
            continue;
        };
        count += 1;
        let name = |j: usize| skeleton.joints()[j].name.as_str();
        let (from, to) = (name(joint), name(other));
        put(&mut mirrored.overrides, to, settings.overrides.get(from));
        let importance = &settings.importance.joints;
        put(&mut mirrored.importance.joints, to, importance.get(from));
    }
    (mirrored, count)
}

fn put<T: Copy>(map: &mut std::collections::BTreeMap<String, T>, key: &str, value: Option<&T>) {
    match value {
        Some(&value) => {
            map.insert(key.to_owned(), value);
        }
        None => {
            map.remove(key);
        }
    }
}

/// The same rule for the other side; `None` where its pattern names none.
pub fn mirrored_rule(rule: &Rule) -> Option<Rule> {
    let pattern = mirrored_names(&rule.pattern).into_iter().next()?;
    Some(Rule {
        pattern,
        ..rule.clone()
    })
}

/// The settings with what a joint has of its own as a rule for it and all joints below; the last one, so that it counts
/// more than the others.
pub fn branch_rule(settings: &Settings, joint: &str) -> Settings {
    let mut ruled = settings.clone();
    let importance = ruled.importance.joints.remove(joint);
    ruled.rules.push(Rule {
        pattern: joint.to_owned(),
        subtree: true,
        tolerances: ruled.overrides.remove(joint).unwrap_or_default(),
        weight: importance.map(|i| i.weight),
        shell_m: importance.and_then(|i| i.shell_m),
        locked: None,
    });
    ruled
}

/// The settings without what these joints have of their own.
pub fn reset_joints(settings: &Settings, names: &[String]) -> Settings {
    let mut reset = settings.clone();
    for name in names {
        reset.overrides.remove(name);
        reset.importance.joints.remove(name);
    }
    reset
}
