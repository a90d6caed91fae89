//! Names by pattern.

/// Whether a name fits a pattern: `*` stands for any letters, `?` for one, case does not matter. A backslash before
/// one of these, or before another backslash, takes its meaning from it.
///
/// Cost: the product of their lengths at worst.
pub fn name_matches(pattern: &str, name: &str) -> bool {
    let pattern = parts(pattern);
    let name: Vec<char> = name.chars().flat_map(char::to_lowercase).collect();
    // Where the last star stood, and how much of the name it has taken.
    let mut star: Option<(usize, usize)> = None;
    let (mut p, mut n) = (0, 0);
    while n < name.len() {
        match pattern.get(p) {
            Some(Part::Many) => {
                star = Some((p, n));
                p += 1;
            }
            Some(&part) if part == Part::One || part == Part::Letter(name[n]) => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((at, taken)) = star else {
                    return false;
                };
                star = Some((at, taken + 1));
                (p, n) = (at + 1, taken + 1);
            }
        }
    }
    pattern[p..].iter().all(|&part| part == Part::Many)
}

/// The pattern that only a name itself fits, in whatever case.
pub fn pattern_of(name: &str) -> String {
    let mut pattern = String::with_capacity(name.len());
    for c in name.chars() {
        if is_special(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

/// What a place in a pattern stands for.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// Any letters, or none.
    Many,
    /// Any one letter.
    One,
    /// Itself, in lower case.
    Letter(char),
}

fn is_special(c: char) -> bool {
    matches!(c, '*' | '?' | '\\')
}

fn parts(pattern: &str) -> Vec<Part> {
    let mut parts = Vec::with_capacity(pattern.len());
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        let taken = match c {
            '\\' => chars.next_if(|&next| is_special(next)),
            _ => None,
        };
        match (c, taken) {
            ('*', _) => parts.push(Part::Many),
            ('?', _) => parts.push(Part::One),
            (c, taken) => parts.extend(taken.unwrap_or(c).to_lowercase().map(Part::Letter)),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks_stand_for_letters() {
        for (pattern, name) in [
            ("*", ""),
            ("*foot*", "LeftFoot"),
            ("foot_?", "foot_l"),
            ("a*b*c", "aXbbYc"),
            ("**_l", "hand_l"),
            ("Fuß", "fuß"),
        ] {
            assert!(name_matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("foot", "foot_l"), ("", "a"), ("?", ""), ("a*b", "abc")] {
            assert!(!name_matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn a_name_is_made_a_pattern_of_itself() {
        for name in ["Body", "LOD*", "who?", "a\\b", "\\*", "\\\\"] {
            assert!(name_matches(&pattern_of(name), name), "{name}");
        }
        assert!(!name_matches(&pattern_of("LOD*"), "LOD1"));
        assert!(!name_matches(&pattern_of("who?"), "whom"));
        assert!(
            name_matches("a\\b\\", "a\\b\\"),
            "before other letters it is one"
        );
    }
}
