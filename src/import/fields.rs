//! Typed reading of JSON objects: a wrong type is an error with a place, never a guess.

use super::error::Fault;
use serde_json::Value;

const WRONG_TYPE: &str = "json-type";

/// The array `key` of an object, empty when there is none.
pub(super) fn list<'a>(object: &'a Value, key: &str, place: &str) -> Result<&'a [Value], Fault> {
    match object.get(key) {
        None => Ok(&[]),
        Some(Value::Array(values)) => Ok(values),
        Some(_) => Err(wrong(place, key, "an array")),
    }
}

/// The array `key` of an object, all of whose elements must be objects.
pub(super) fn objects<'a>(object: &'a Value, key: &str) -> Result<&'a [Value], Fault> {
    let values = list(object, key, "")?;
    if let Some(i) = values.iter().position(|v| !v.is_object()) {
        return Err(wrong(&format!("{key}[{i}]"), "it", "an object"));
    }
    Ok(values)
}

/// A non-negative whole number; `3.0` counts as one, as the specification wants.
pub(super) fn whole(value: &Value) -> Option<u64> {
    if let Some(n) = value.as_u64() {
        return Some(n);
    }
    let x = value.as_f64()?;
    (x.fract() == 0.0 && (0.0..9e15).contains(&x)).then_some(x as u64)
}

/// The whole number `key` of an object: a count, an offset or an index.
pub(super) fn uint(object: &Value, key: &str, place: &str) -> Result<Option<u64>, Fault> {
    let Some(value) = object.get(key) else {
        return Ok(None);
    };
    let n = whole(value).ok_or_else(|| wrong(place, key, "a whole number of at least 0"))?;
    Ok(Some(n))
}

/// The index `key` of an object.
pub(super) fn index(object: &Value, key: &str, place: &str) -> Result<Option<usize>, Fault> {
    Ok(uint(object, key, place)?.map(to_index))
}

/// Whole numbers that do not fit are indices that nothing has.
pub(super) fn to_index(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// All of an array's elements as indices.
pub(super) fn indices(object: &Value, key: &str, place: &str) -> Result<Vec<usize>, Fault> {
    let values = list(object, key, place)?.iter();
    values
        .map(|v| {
            whole(v)
                .map(to_index)
                .ok_or_else(|| wrong(place, key, "an array of indices"))
        })
        .collect()
}

/// `N` finite numbers that fit a 32-bit float.
pub(super) fn numbers<const N: usize>(
    object: &Value,
    key: &str,
    place: &str,
) -> Result<Option<[f64; N]>, Fault> {
    let Some(value) = object.get(key) else {
        return Ok(None);
    };
    let bad = || wrong(place, key, &format!("{N} numbers"));
    let values = value
        .as_array()
        .filter(|a| a.len() == N)
        .ok_or_else(bad)?
        .iter()
        .map(|v| v.as_f64().ok_or_else(bad))
        .collect::<Result<Vec<f64>, Fault>>()?;
    if !values.iter().all(|x| (*x as f32).is_finite()) {
        let text = format!("`{key}` holds a number that is too large for a 32-bit float");
        return Err(Fault::new("not-finite", place, text));
    }
    Ok(values.try_into().ok())
}

/// The text `key` of an object, empty when there is none or it is no text.
pub(super) fn text<'a>(object: &'a Value, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or("")
}

/// Most characters of a name; longer ones are cut.
pub(super) const MAX_NAME: usize = 256;

/// The `name` of an object, cut to [`MAX_NAME`] characters; `kind index` when it has none.
pub(super) fn name_or(object: &Value, kind: &str, index: usize) -> String {
    match text(object, "name") {
        "" => format!("{kind} {index}"),
        name => name.chars().take(MAX_NAME).collect(),
    }
}

/// Index and name of an object, for messages: `node 7 (foot_l)`.
pub(super) fn place(object: &Value, kind: &str, index: usize) -> String {
    match text(object, "name") {
        "" => format!("{kind} {index}"),
        name => format!("{kind} {index} ({name:.80})"),
    }
}

/// Whether [`name_or`] has to cut the name.
pub(super) fn has_long_name(object: &Value) -> bool {
    text(object, "name").chars().nth(MAX_NAME).is_some()
}

/// One extension of an object.
pub(super) fn extension<'a>(object: &'a Value, name: &str) -> Option<&'a Value> {
    object.get("extensions")?.get(name)
}

fn wrong(place: &str, key: &str, wanted: &str) -> Fault {
    Fault::new(WRONG_TYPE, place, format!("`{key}` should be {wanted}"))
        .hint("the file is not valid glTF 2.0; export it again or run the Khronos validator on it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn whole_numbers_may_be_written_as_floats() {
        let o = json!({"a": 3.0, "b": 3.5, "c": -1, "d": u64::MAX, "e": "3"});
        assert_eq!(index(&o, "a", "").unwrap(), Some(3));
        assert_eq!(uint(&o, "d", "").unwrap(), Some(u64::MAX));
        assert_eq!(index(&o, "none", "").unwrap(), None);
        for key in ["b", "c", "e"] {
            assert_eq!(index(&o, key, "").unwrap_err().code, WRONG_TYPE);
        }
    }

    #[test]
    fn numbers_must_fit_a_float() {
        let o = json!({"a": [1, 2.5], "b": [1, 1e39], "c": [1], "d": [1, "x"]});
        assert_eq!(numbers::<2>(&o, "a", "").unwrap(), Some([1.0, 2.5]));
        assert_eq!(numbers::<2>(&o, "b", "").unwrap_err().code, "not-finite");
        assert_eq!(numbers::<2>(&o, "c", "").unwrap_err().code, WRONG_TYPE);
        assert_eq!(numbers::<2>(&o, "d", "").unwrap_err().code, WRONG_TYPE);
    }
}
