//! As much of JSON Schema as `assets/posepress.schema.json` uses.

use serde_json::Value;

const SCHEMA: &str = include_str!("../../assets/posepress.schema.json");

pub fn schema() -> Value {
    serde_json::from_str(SCHEMA).expect("the schema is JSON")
}

/// What of a value is against the schema, with its place. Keys that no `properties` describe are a fault as
/// well: what this program writes is all described.
pub fn faults(root: &Value, schema: &Value, value: &Value, place: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (word, want) in schema.as_object().expect("a schema is a map") {
        let holds = match word.as_str() {
            // Members are looked at below.
            "$schema"
            | "$defs"
            | "title"
            | "description"
            | "properties"
            | "additionalProperties" => true,
            "$ref" => {
                let pointer = want.as_str().expect("a text").trim_start_matches('#');
                let target = root.pointer(pointer).expect("what is referred to is there");
                faults.extend(self::faults(root, target, value, place));
                true
            }
            "type" => is_a(value, want.as_str().expect("one type")),
            "const" => value == want,
            "enum" => want.as_array().expect("a list").contains(value),
            "oneOf" => {
                let fits = |s: &&Value| self::faults(root, s, value, place).is_empty();
                want.as_array().expect("a list").iter().filter(fits).count() == 1
            }
            "required" => {
                let mut keys = want.as_array().expect("a list").iter();
                keys.all(|k| value.get(k.as_str().expect("a text")).is_some())
            }
            "items" => {
                for (k, item) in value.as_array().into_iter().flatten().enumerate() {
                    faults.extend(self::faults(root, want, item, &format!("{place}/{k}")));
                }
                true
            }
            "minItems" => value
                .as_array()
                .is_none_or(|a| a.len() as f64 >= number(want)),
            "maxItems" => value
                .as_array()
                .is_none_or(|a| a.len() as f64 <= number(want)),
            "minimum" => value.as_f64().is_none_or(|v| v >= number(want)),
            "maximum" => value.as_f64().is_none_or(|v| v <= number(want)),
            "exclusiveMinimum" => value.as_f64().is_none_or(|v| v > number(want)),
            "pattern" => {
                assert_eq!(want, "^[0-9a-f]{64}$", "the only one that is known here");
                let hex = |t: &str| t.len() == 64 && t.chars().all(|c| c.is_ascii_hexdigit());
                value.as_str().is_none_or(hex)
            }
            word => panic!("{place}: the schema uses {word}, which this test does not know"),
        };
        if !holds {
            faults.push(format!(
                "{place}: {value:.60} is against {word}: {want:.60}"
            ));
        }
    }
    faults.extend(members(root, schema, value, place));
    faults
}

fn members(root: &Value, schema: &Value, value: &Value, place: &str) -> Vec<String> {
    let (Some(map), true) = (value.as_object(), schema.get("type").is_some()) else {
        return Vec::new();
    };
    let member = |(key, value): (&String, &Value)| {
        let place = format!("{place}/{key}");
        let described = schema.get("properties").and_then(|p| p.get(key));
        match described.or_else(|| schema.get("additionalProperties")) {
            Some(schema) => faults(root, schema, value, &place),
            None => vec![format!("{place}: the schema does not describe it")],
        }
    };
    map.iter().flat_map(member).collect()
}

fn is_a(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        kind => panic!("unknown type {kind}"),
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}
