//! The other side of a body, by the names of joints.

use super::Skeleton;

/// Words for the sides, and what stands for them on the other side.
const SIDES: [(&str, &str); 2] = [("left", "right"), ("right", "left")];
const LETTERS: [(char, char); 4] = [('l', 'r'), ('r', 'l'), ('L', 'R'), ('R', 'L')];

/// Names that a joint's counterpart on the other side may have, the likeliest first; empty for a joint in the
/// middle.
///
/// Understood are whole words and letters: `LeftFoot`, `mixamorig:LeftFoot`, `foot_l`, `foot.L`, `DEF-foot.L.001`,
/// `L_Foot`, `Bip01 L Foot`, `lFoot`. Wildcards may stand in them.
pub fn mirrored_names(name: &str) -> Vec<String> {
    let lower = name.to_ascii_lowercase();
    let mut names = Vec::new();
    for (word, other) in SIDES {
        for (at, _) in lower.match_indices(word) {
            if begins_word(name, at) {
                let found = &name[at..at + word.len()];
                names.push(replaced(name, at, word.len(), &in_case_of(found, other)));
            }
        }
    }
    let chars: Vec<(usize, char)> = name.char_indices().collect();
    // The last letter is the likeliest: `r_hand_l` is the left hand of something.
    for (k, &(at, c)) in chars.iter().enumerate().rev() {
        let other = LETTERS.iter().find(|(letter, _)| *letter == c);
        let before = k.checked_sub(1).map(|k| chars[k].1);
        let after = chars.get(k + 1).map(|c| c.1);
        let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        let glued = before.is_none() && c.is_lowercase() && after.is_some_and(char::is_uppercase);
        if let Some((_, other)) = other
            && apart(before)
            && (apart(after) || glued)
        {
            names.push(replaced(name, at, c.len_utf8(), &other.to_string()));
        }
    }
    names
}

/// The joint on the other side; `None` for joints in the middle and where the skeleton has no such joint.
pub fn mirrored_joint(skeleton: &Skeleton, joint: usize) -> Option<usize> {
    let name = &skeleton.joints().get(joint)?.name;
    let names = mirrored_names(name);
    names.iter().find_map(|n| skeleton.find(n))
}

/// `upright` and `cleft` have no side in them.
fn begins_word(name: &str, at: usize) -> bool {
    let before = name[..at].chars().next_back();
    let first = name[at..].chars().next();
    let capital = first.is_some_and(char::is_uppercase);
    before.is_none_or(|b| !b.is_alphabetic() || (capital && b.is_lowercase()))
}

fn in_case_of(found: &str, word: &str) -> String {
    let mut chars = found.chars();
    let first = chars.next().is_some_and(char::is_uppercase);
    let second = chars.next().is_some_and(char::is_uppercase);
    match (first, second) {
        (true, true) => word.to_uppercase(),
        (true, false) => word[..1].to_uppercase() + &word[1..],
        _ => word.to_owned(),
    }
}

fn replaced(name: &str, at: usize, length: usize, by: &str) -> String {
    format!("{}{by}{}", &name[..at], &name[at + length..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_rigs_are_understood_both_ways() {
        for (left, right) in [
            ("foot_l", "foot_r"),
            ("foot.L", "foot.R"),
            ("DEF-foot.L.001", "DEF-foot.R.001"),
            ("LeftFoot", "RightFoot"),
            ("mixamorig:LeftFoot", "mixamorig:RightFoot"),
            ("leftfoot", "rightfoot"),
            ("LEFT_FOOT", "RIGHT_FOOT"),
            ("L_Foot", "R_Foot"),
            ("Bip01 L Foot", "Bip01 R Foot"),
            ("b_LeftFoot01_017", "b_RightFoot01_017"),
            ("l-foot", "r-foot"),
            ("lFoot", "rFoot"),
            ("hand_l_01", "hand_r_01"),
            ("UpLeft", "UpRight"),
            ("*foot_l*", "*foot_r*"),
        ] {
            assert_eq!(
                mirrored_names(left).first().map(String::as_str),
                Some(right)
            );
            assert_eq!(
                mirrored_names(right).first().map(String::as_str),
                Some(left)
            );
        }
    }

    #[test]
    fn what_stands_in_the_middle_has_no_other_side() {
        for name in [
            "", "head", "upright", "cleft", "root", "spine_01", "tail", "brake", "ROLL",
        ] {
            assert_eq!(mirrored_names(name), Vec::<String>::new(), "{name}");
        }
    }
}
