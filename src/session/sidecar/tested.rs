//! JSON to blind tests, of a sidecar and of a preset.

use super::decode::{bytes_of_hex, list, object};
use super::error::Fault;
use crate::codec::SETTING_RANGE;
use crate::session::abx::{BlindTest, ByEye, MOST_TESTS};
use serde_json::{Map, Value};

/// Most trials of a test.
const MOST_TRIALS: u64 = 1000;

/// The tests of a clip; of very many the last ones.
pub(super) fn blind_tests(value: &Value, place: &str) -> Result<Vec<BlindTest>, Fault> {
    let values = list(value, place)?.iter().enumerate();
    let tests: Result<Vec<BlindTest>, Fault> = values
        .map(|(k, value)| blind_test(value, &format!("{place}.{k}")))
        .collect();
    let mut tests = tests?;
    tests.drain(..tests.len().saturating_sub(MOST_TESTS));
    Ok(tests)
}

fn blind_test(value: &Value, place: &str) -> Result<BlindTest, Fault> {
    let map = object(value, place)?;
    let ByEye {
        error_m,
        correct,
        trials,
    } = by_eye(map, place)?;
    let target_m = match map.get("target_m") {
        None => None,
        Some(value) => Some(
            value
                .as_f64()
                .filter(|m| SETTING_RANGE.contains(m))
                .ok_or_else(|| {
                    Fault::new(
                        format!("{place}.target_m"),
                        "there must be a target in metres",
                    )
                })?,
        ),
    };
    let hash = |key: &str| {
        let text = map.get(key).and_then(Value::as_str);
        text.and_then(bytes_of_hex).ok_or_else(|| {
            let place = format!("{place}.{key}");
            Fault::new(place, "there must be 64 hexadecimal digits")
        })
    };
    Ok(BlindTest {
        error_m,
        target_m,
        correct,
        trials,
        source: hash("source")?,
        output: hash("output")?,
    })
}

/// An error and how often it was told apart.
pub(super) fn by_eye(map: &Map<String, Value>, place: &str) -> Result<ByEye, Fault> {
    let fault = |key: &str, text: &str| Fault::new(format!("{place}.{key}"), text);
    let error_m = map.get("error_m").and_then(Value::as_f64);
    let error_m = error_m
        .filter(|m| (0.0..=*SETTING_RANGE.end()).contains(m))
        .ok_or_else(|| fault("error_m", "there must be an error in metres, 0 or more"))?;
    let count = |key: &str| map.get(key).and_then(Value::as_u64);
    let trials = count("trials")
        .filter(|n| (1..=MOST_TRIALS).contains(n))
        .ok_or_else(|| fault("trials", "there must be a number from 1 to 1000"))?;
    let correct = count("correct").filter(|n| *n <= trials).ok_or_else(|| {
        fault(
            "correct",
            "there must be a number, not above that of the trials",
        )
    })?;
    Ok(ByEye {
        error_m,
        correct: correct as u32,
        trials: trials as u32,
    })
}
