//! New decisions go into a file beside whatever else stands in it.

use serde_json::{Map, Value};
use std::collections::HashMap;

/// Lists in which everybody only adds.
const LOGS: [&str; 1] = ["blind_tests"];

/// A file's `raw` content with what changed from `old` to `new`.
///
/// `old` and `new` are written by this program, so what stands in `raw` but not in `old` was written by somebody
/// else: a newer version, a person, a tool. It is kept, as is whatever did not change. Where both sides changed
/// the same value, `new` wins. Recursion is as deep as the JSON, which the parser limits to 128.
pub(super) fn merge(raw: &Value, old: &Value, new: &Value) -> Value {
    merged(raw, Some(old), Some(new)).unwrap_or(Value::Null)
}

fn merged(raw: &Value, old: Option<&Value>, new: Option<&Value>) -> Option<Value> {
    if old == new {
        return Some(raw.clone());
    }
    match (raw, new) {
        (Value::Object(raw), Some(Value::Object(new))) => {
            Some(Value::Object(objects(raw, old, new)))
        }
        (Value::Object(raw), None) => {
            let rest = objects(raw, old, &Map::new());
            (!rest.is_empty()).then_some(Value::Object(rest))
        }
        (Value::Array(raw), Some(Value::Array(new))) => Some(Value::Array(arrays(raw, old, new))),
        _ => new.cloned(),
    }
}

fn objects(
    raw: &Map<String, Value>,
    old: Option<&Value>,
    new: &Map<String, Value>,
) -> Map<String, Value> {
    let old = old.and_then(Value::as_object);
    let mut out = Map::new();
    for (key, value) in raw {
        let (old, new) = (old.and_then(|o| o.get(key)), new.get(key));
        let kept = match value {
            Value::Array(raw) if LOGS.contains(&key.as_str()) => {
                let list = logs(raw, old, new);
                (!list.is_empty()).then_some(Value::Array(list))
            }
            _ => merged(value, old, new),
        };
        out.extend(kept.map(|v| (key.clone(), v)));
    }
    for (key, value) in new {
        if !raw.contains_key(key) {
            out.insert(key.clone(), value.clone());
        }
    }
    out
}

/// Elements that did not change are kept with all that stands in them.
fn arrays(raw: &[Value], old: Option<&Value>, new: &[Value]) -> Vec<Value> {
    let old = old.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if raw.len() != old.len() {
        return new.to_vec();
    }
    let known: HashMap<String, &Value> = old.iter().map(Value::to_string).zip(raw).collect();
    let kept = |v: &Value| known.get(&v.to_string()).map_or(v, |raw| *raw).clone();
    new.iter().map(kept).collect()
}

/// A list to whose end both sides add: what the others added stays, what went here goes, what came here comes last.
fn logs(raw: &[Value], old: Option<&Value>, new: Option<&Value>) -> Vec<Value> {
    let list = |v: Option<&Value>| v.and_then(Value::as_array).cloned().unwrap_or_default();
    let (old, new) = (list(old), list(new));
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let mut out = raw.to_vec();
    for gone in &old[same..] {
        if let Some(at) = out.iter().rposition(|raw| has(raw, gone)) {
            out.remove(at);
        }
    }
    out.extend_from_slice(&new[same..]);
    out
}

/// Whether everything of a value stands in another one, whatever else does.
fn has(raw: &Value, old: &Value) -> bool {
    match (raw, old) {
        (Value::Object(raw), Value::Object(old)) => {
            let same =
                |(key, old): (&String, &Value)| raw.get(key).is_some_and(|raw| has(raw, old));
            old.iter().all(same)
        }
        _ => raw == old,
    }
}

/// The same with sorted keys, for files that version control compares.
pub(super) fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            let sorted = keys.into_iter().map(|k| (k.clone(), sorted(&map[k])));
            Value::Object(sorted.collect())
        }
        Value::Array(list) => Value::Array(list.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_others_wrote_stays_and_what_went_goes() {
        let raw = json!({ "a": { "x": 1, "theirs": 2 }, "b": 1, "c": { "y": 1 }, "theirs": [3] });
        let old = json!({ "a": { "x": 1 }, "b": 1, "c": { "y": 1 } });
        let new = json!({ "a": { "x": 5, "z": 6 }, "d": 7 });
        let expected = json!({ "a": { "x": 5, "theirs": 2, "z": 6 }, "theirs": [3], "d": 7 });
        assert_eq!(merge(&raw, &old, &new), expected);
    }

    #[test]
    fn what_they_changed_meanwhile_stays_unless_we_changed_it_too() {
        let raw = json!({ "a": 10, "b": 20, "clip": { "note": "theirs" } });
        let old = json!({ "a": 1, "b": 2, "clip": { "known": 1 } });
        assert_eq!(
            merge(&raw, &old, &json!({ "a": 1, "b": 3 })),
            json!({ "a": 10, "b": 3, "clip": { "note": "theirs" } })
        );
    }

    #[test]
    fn elements_of_lists_keep_what_they_do_not_know() {
        let raw = json!([{ "frame": 1, "by": "me" }, { "frame": 2 }]);
        let old = json!([{ "frame": 1 }, { "frame": 2 }]);
        let new = json!([{ "frame": 0 }, { "frame": 1 }]);
        assert_eq!(
            merge(&raw, &old, &new),
            json!([{ "frame": 0 }, { "frame": 1, "by": "me" }])
        );
    }

    #[test]
    fn what_both_sides_added_to_a_log_stays() {
        let log = |tests: Value| json!({ "blind_tests": tests });
        let old = log(json!([{ "n": 1 }, { "n": 1 }]));
        let raw = log(json!([{ "n": 1, "by": "kim" }, { "n": 1 }, { "n": 2 }]));
        let added = log(json!([{ "n": 1 }, { "n": 1 }, { "n": 3 }]));
        let both = json!([{ "n": 1, "by": "kim" }, { "n": 1 }, { "n": 2 }, { "n": 3 }]);
        assert_eq!(merge(&raw, &old, &added), log(both));
        let taken_back = log(json!([{ "n": 1 }]));
        let left = json!([{ "n": 1, "by": "kim" }, { "n": 2 }]);
        assert_eq!(merge(&raw, &old, &taken_back), log(left));
        assert_eq!(merge(&raw, &old, &json!({})), log(json!([{ "n": 2 }])));
        assert_eq!(merge(&old, &old, &json!({})), json!({}));
        assert_eq!(merge(&json!({}), &old, &added), added);
    }

    #[test]
    fn keys_are_sorted_at_every_depth() {
        let text = sorted(&json!({ "b": [{ "d": 1, "c": 2 }], "a": 0 })).to_string();
        assert_eq!(text, r#"{"a":0,"b":[{"c":2,"d":1}]}"#);
    }
}
