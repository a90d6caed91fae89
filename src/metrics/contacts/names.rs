//! What a joint's name says about it, in the naming of Mixamo, Unreal, Unity, Rigify, CMU and others.

use crate::model::Skeleton;

/// What may stand on the ground, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// From the ankle down: `LeftFoot`, `foot_l`, `mixamorig:RightFoot`, `DEF-foot.L`, `LeftAnkle`, `Hoof.R`.
    Foot,
    /// Its front: `LeftToeBase`, `ball_l`, `toes.r`.
    Toe,
    /// A front foot, where it stands: `b_LeftHand_011` of a fox.
    Hand,
}

/// Words that mean a foot or a toe wherever in the name they stand.
const ANYWHERE: [(&str, Part); 4] = [
    ("toe", Part::Toe),
    ("foot", Part::Foot),
    ("ankle", Part::Foot),
    ("hoof", Part::Foot),
];

/// Short words that others contain: they count as whole words.
const WHOLE: [(&str, Part); 8] = [
    ("ball", Part::Toe),
    ("balls", Part::Toe),
    ("paw", Part::Foot),
    ("paws", Part::Foot),
    ("feet", Part::Foot),
    ("hand", Part::Hand),
    ("lefthand", Part::Hand),
    ("righthand", Part::Hand),
];

/// Whole words of joints that steer others, or that only sound like feet.
const NOT_FEET: [&str; 25] = [
    "ik",
    "fk",
    "pole",
    "target",
    "ctrl",
    "ctl",
    "con",
    "control",
    "controller",
    "mch",
    "org",
    "vis",
    "tweak",
    "roll",
    "spin",
    "twist",
    "helper",
    "anchor",
    "socket",
    "slot",
    "football",
    "footprint",
    "footstep",
    "footsteps",
    "footman",
];

/// What a name says; `None` for other joints and for those that steer feet.
pub(super) fn part(name: &str) -> Option<Part> {
    let name = name.rsplit([':', '|']).next().unwrap_or(name);
    let words = words(name);
    if words.iter().any(|w| steers(w)) {
        return None;
    }
    let whole = WHOLE.iter().find(|(w, _)| words.iter().any(|x| x == w));
    let lower = name.to_lowercase();
    let found = ANYWHERE.iter().find(|(w, _)| lower.contains(w)).or(whole);
    found.map(|&(_, part)| part)
}

/// Whether a joint steers others and moves no skin itself.
pub(super) fn is_control(name: &str) -> bool {
    words(name).iter().any(|w| steers(w))
}

/// Why nothing can be said of the feet of a skeleton in which none was found; `None` where no name suggests that it has
/// legs.
pub(super) fn without_feet(skeleton: &Skeleton) -> Option<String> {
    let is_leg =
        |name: &str| part(name) == Some(Part::Foot) || words(name).iter().any(|w| of_leg(w));
    let leg = skeleton.joints().iter().find(|j| is_leg(&j.name))?;
    Some(format!(
        "no foot was found, though '{}' sounds like a leg",
        leg.name
    ))
}

fn of_leg(word: &str) -> bool {
    let word = word.strip_suffix('s').unwrap_or(word);
    word.ends_with("leg") || ["thigh", "calf", "shin", "knee"].contains(&word)
}

fn steers(word: &str) -> bool {
    NOT_FEET.contains(&word) || matches!(word, "footik" | "toeik" | "ikfoot" | "iktoe" | "handik")
}

/// Lower-case words: cut at signs, digits, and where a capital begins a word (`IKBackLeg` is `ik back leg`).
fn words(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (k, &c) in chars.iter().enumerate() {
        let before = k.checked_sub(1).map(|k| chars[k]);
        let after_small = before.is_some_and(char::is_lowercase);
        let before_small = chars.get(k + 1).is_some_and(|c| c.is_lowercase());
        let begins = c.is_uppercase() && (after_small || before_small);
        if begins || !c.is_alphabetic() {
            words.push(String::new());
        }
        if c.is_alphabetic()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|w| !w.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_rigs_are_understood() {
        for (name, want) in [
            ("mixamorig:LeftFoot", Part::Foot),
            ("mixamorig:LeftToeBase", Part::Toe),
            ("foot_l", Part::Foot),
            ("ball_r", Part::Toe),
            ("LeftFoot", Part::Foot),
            ("DEF-foot.L", Part::Foot),
            ("DEF-toe.R", Part::Toe),
            ("foot.L", Part::Foot),
            ("toes.l", Part::Toe),
            ("LeftAnkle", Part::Foot),
            ("Foot.L", Part::Foot),
            ("b_LeftFoot01_017", Part::Foot),
            ("b_RightHand_08", Part::Hand),
            ("Bip01 L Foot", Part::Foot),
            ("Bip01 L Toe0", Part::Toe),
            ("r-foot", Part::Foot),
            ("FrontHoof.L", Part::Foot),
            ("paw_front_l", Part::Foot),
            ("Avatar_LeftToeBase", Part::Toe),
            ("MidFrontFoot.L", Part::Foot),
            ("leftfoot", Part::Foot),
            ("RightBall", Part::Toe),
        ] {
            assert_eq!(part(name), Some(want), "{name}");
        }
    }

    #[test]
    fn what_steers_or_only_sounds_like_a_foot_is_none() {
        for name in [
            "ik_foot_l",
            "IK-foot.l",
            "foot_IK.L.001",
            "control-foot-roll.l",
            "IKBackLeg.L",
            "heelIK.l",
            "FootIK.L",
            "PoleTarget.L",
            "MCH-foot_roll.L",
            "eyeball_l",
            "Football",
            "SpawnPoint",
            "handslot.l",
            "pelvis",
            "",
        ] {
            assert_eq!(part(name), None, "{name}");
        }
        assert!(of_leg("leg") && of_leg("legs") && of_leg("upleg") && !of_leg("elegant"));
        assert!(is_control("IKFrontLeg.R") && !is_control("FrontLowerLeg.L_end"));
    }
}
