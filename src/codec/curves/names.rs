//! Names that differ in a number alone are told once.

use crate::codec::container::{WriteError, push_text};
use crate::runtime::curves::NO_NUMBER;

/// A name around its last number.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Parts<'a> {
    before: &'a str,
    number: Option<u32>,
    after: &'a str,
}

impl<'a> Parts<'a> {
    fn of(name: &'a str) -> Self {
        let whole = Self {
            before: name,
            number: None,
            after: "",
        };
        let Some(last) = name.rfind(|c: char| c.is_ascii_digit()) else {
            return whole;
        };
        let digit = |c: char| !c.is_ascii_digit();
        let first = name[..last].rfind(digit).map_or(0, |at| {
            at + name[at..].chars().next().map_or(1, char::len_utf8)
        });
        let digits = &name[first..=last];
        // A number with zeros in front would come out without them.
        let number = digits.parse::<u32>().ok().filter(|&n| n < NO_NUMBER);
        match number.filter(|n| n.to_string() == digits) {
            Some(number) => Self {
                before: &name[..first],
                number: Some(number),
                after: &name[last + 1..],
            },
            None => whole,
        }
    }

    /// Whether it is what comes after so many of a run that begins with `self`.
    fn leads_to(&self, next: &Self, count: u16) -> bool {
        let expected = self.number.and_then(|n| n.checked_add(u32::from(count)));
        count < u16::MAX
            && expected.is_some()
            && *next
                == Self {
                    number: expected,
                    ..*self
                }
    }
}

/// The runs of names as the section begins with them.
pub(super) fn runs<'a>(names: impl Iterator<Item = &'a str>) -> Result<Vec<u8>, WriteError> {
    let mut runs: Vec<(Parts<'_>, u16)> = Vec::new();
    for parts in names.map(Parts::of) {
        match runs.last_mut() {
            Some((first, count)) if first.leads_to(&parts, *count) => *count += 1,
            _ => runs.push((parts, 1)),
        }
    }
    let count = u16::try_from(runs.len())
        .map_err(|_| WriteError::TooLong("names of float curves", runs.len()))?;
    let mut out = count.to_le_bytes().to_vec();
    for (
        Parts {
            before,
            number,
            after,
        },
        count,
    ) in runs
    {
        push_text(&mut out, before)?;
        push_text(&mut out, after)?;
        out.extend(number.unwrap_or(NO_NUMBER).to_le_bytes());
        out.extend(count.to_le_bytes());
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_split_at_its_last_number() {
        let split = |name| {
            let p = Parts::of(name);
            (p.before, p.number, p.after)
        };
        assert_eq!(split("face/weights[12]"), ("face/weights[", Some(12), "]"));
        assert_eq!(split("7"), ("", Some(7), ""));
        assert_eq!(split("é3é"), ("é", Some(3), "é"));
        assert_eq!(split("blink"), ("blink", None, ""));
        assert_eq!(split("eye_007"), ("eye_007", None, ""));
        assert_eq!(split("99999999999"), ("99999999999", None, ""));
    }

    #[test]
    fn names_that_count_up_are_one_run() {
        let names: Vec<String> = (0..52).map(|i| format!("f/weights[{i}]")).collect();
        let one = runs(names.iter().map(String::as_str)).expect("short names");
        assert_eq!(one[..2], [1, 0]);
        assert_eq!(one.len(), 2 + 2 + 10 + 2 + 1 + 4 + 2);
        let more = runs(["a1", "a3", "a4", "b", "b"].into_iter()).expect("short names");
        assert_eq!(more[..2], [4, 0]);
    }
}
