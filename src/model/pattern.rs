//! Names by pattern.

/// Whether a name fits a pattern: `*` stands for any letters, `?` for one, case does not matter.
///
/// Cost: the product of their lengths at worst.
pub fn name_matches(pattern: &str, name: &str) -> bool {
    let lower = |text: &str| -> Vec<char> { text.chars().flat_map(char::to_lowercase).collect() };
    let (pattern, name) = (lower(pattern), lower(name));
    // Where the last star stood, and how much of the name it has taken.
    let mut star: Option<(usize, usize)> = None;
    let (mut p, mut n) = (0, 0);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => {
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
    pattern[p..].iter().all(|&c| c == '*')
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
}
