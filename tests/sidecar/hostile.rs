//! Damaged and malicious files: refused with a place, never with a panic, and never written over.

use super::{asset, decided, read};
use posepress::session::{Edits, SaveDecisionsError, Sidecar, SidecarError, save_decisions};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn refused(text: &[u8]) -> SidecarError {
    let path = Path::new("m.glb.posepress.json");
    let asset = asset();
    let parsed = Sidecar::parse(path, text).and_then(|s| s.edits(path, &asset));
    parsed.expect_err(&String::from_utf8_lossy(&text[..text.len().min(200)]))
}

#[test]
fn what_is_wrong_is_refused_with_its_place() {
    let name = asset().clips[0].name().to_owned();
    let clip = |value: Value| json!({ "version": 1, "clips": { &name: value } });
    let settings = |value: Value| clip(json!({ "settings": value }));
    let hash = "0".repeat(64);
    let tested = |key: &str, value: Value| {
        let mut test =
            json!({ "error_m": 0.001, "correct": 9, "trials": 10, "source": hash, "output": hash });
        test[key] = value;
        clip(json!({ "blind_tests": [test] }))
    };
    let cases = [
        (tested("error_m", json!(-1)), ".blind_tests.0.error_m"),
        (tested("error_m", json!(1e9)), ".blind_tests.0.error_m"),
        (tested("target_m", json!(0)), ".blind_tests.0.target_m"),
        (tested("correct", json!(11)), ".blind_tests.0.correct"),
        (tested("correct", json!(1.5)), ".blind_tests.0.correct"),
        (tested("trials", json!(0)), ".blind_tests.0.trials"),
        (tested("trials", json!(1e15)), ".blind_tests.0.trials"),
        (tested("source", json!("zz")), ".blind_tests.0.source"),
        (tested("output", json!(null)), ".blind_tests.0.output"),
        (clip(json!({ "blind_tests": {} })), ".blind_tests"),
        (json!([]), "there must be an object"),
        (json!({}), "version"),
        (json!({ "version": "1" }), "version"),
        (json!({ "version": -1 }), "version"),
        (json!({ "version": 1, "unit_m": 0 }), "unit_m"),
        (json!({ "version": 1, "unit_m": 1e300 }), "unit_m"),
        (json!({ "version": 1, "clips": [] }), "clips"),
        (
            json!({ "version": 1, "clips": { "Gone": 3 } }),
            "clips.Gone",
        ),
        (clip(json!(null)), "clips."),
        (settings(json!({ "shell_m": "wide" })), ".settings.shell_m"),
        (settings(json!({ "shell_m": null })), ".settings.shell_m"),
        (settings(json!({ "shell_m": -1 })), ".settings.shell_m"),
        (
            settings(json!({ "budget": { "skin": { "target_m": [] } } })),
            ".settings.budget",
        ),
        (
            settings(json!({ "budget": { "skin": { "target_m": 1e9 } } })),
            ".settings.budget.skin.target_m",
        ),
        (
            settings(json!({ "deliverable": "zip" })),
            ".settings.deliverable",
        ),
        (
            settings(json!({ "overrides": { "a": { "scale": "b" } } })),
            ".settings.overrides.a.scale",
        ),
        (
            settings(json!({ "importance": { "joints": { "a": { "weight": 0 } } } })),
            "importance.joints.a.weight",
        ),
        (clip(json!({ "contacts": [] })), ".contacts"),
        (
            clip(json!({ "contacts": { "foot_l": { "heel": [[3, 1]] } } })),
            ".contacts.foot_l.heel.0",
        ),
        (
            clip(json!({ "contacts": { "foot_l": { "heel": [[0, 1e20]] } } })),
            ".contacts.foot_l.heel.0",
        ),
        (
            clip(json!({ "contacts": { "foot_l": { "knee": [] } } })),
            ".contacts.foot_l.knee",
        ),
        (
            clip(json!({ "notes": [{ "frame": -1, "text": "" }] })),
            ".notes.0",
        ),
        (
            clip(json!({ "verdict": { "state": "maybe" } })),
            ".verdict.state",
        ),
        (
            clip(json!({ "verdict": { "state": "approved" } })),
            ".verdict",
        ),
        (
            clip(json!({ "verdict": { "state": "rejected", "note": 1 } })),
            ".verdict.note",
        ),
        (
            clip(
                json!({ "verdict": { "state": "approved", "source": hash, "settings": hash, "output": "zz" } }),
            ),
            ".verdict.output",
        ),
    ];
    for (value, place) in cases {
        let error = refused(value.to_string().as_bytes()).to_string();
        assert!(error.contains(place), "{value}: {error}");
        assert!(
            error.contains("m.glb.posepress.json") && error.contains("; "),
            "{error}"
        );
    }
}

#[test]
fn what_is_no_json_is_refused_with_line_and_column() {
    let deep = "[".repeat(200_000);
    let cases: [&[u8]; 9] = [
        b"",
        b"{",
        b"{ \"version\": 1,\n }",
        b"{ \"version\": NaN }",
        b"{ \"version\": 1, \"unit_m\": 1e999 }",
        b"\xff\xfe",
        b"{ \"version\": 1 } more",
        deep.as_bytes(),
        &[0; 64],
    ];
    for text in cases {
        let error = refused(text);
        assert!(error.place.starts_with("line "), "{error}");
    }
}

#[test]
fn a_newer_version_is_refused_clearly() {
    let error = refused(br#"{ "version": 2, "clips": "something new" }"#).to_string();
    assert!(error.contains("version 2"), "{error}");
    assert!(error.contains("newer Posepress"), "{error}");
}

#[test]
fn a_file_that_is_not_understood_is_never_written_over() {
    let asset = asset();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.glb.posepress.json");
    for text in ["{ \"version\": 2 }", "{", "[]"] {
        fs::write(&path, text).expect("written");
        let saved = save_decisions(&path, &Edits::of(&asset), &decided(&asset), &asset);
        assert!(matches!(saved, Err(SaveDecisionsError::Old(_))));
        assert_eq!(fs::read_to_string(&path).expect("there"), text);
    }
    let huge = fs::File::create(&path).expect("created");
    huge.set_len(1 << 30).expect("a hole");
    let error = Sidecar::read(&path).expect_err("refused").to_string();
    assert!(error.contains("16 MiB"), "{error}");
    let error = Sidecar::read(folder.path())
        .expect_err("refused")
        .to_string();
    assert!(error.contains("not a file"), "{error}");
}

#[test]
fn no_damage_makes_it_panic() {
    let asset = asset();
    let text = Sidecar::of(&decided(&asset), &asset).text();
    let bytes = text.as_bytes();
    let path = Path::new("m.glb.posepress.json");
    let (mut refused, mut read_again) = (0, 0);
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    for _ in 0..4000 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let at = (random >> 33) as usize % bytes.len();
        let mut damaged = bytes.to_vec();
        match random >> 62 {
            0 => damaged.truncate(at),
            1 => damaged[at] = (random >> 20) as u8,
            2 => drop(damaged.remove(at)),
            _ => damaged[at] ^= 1 << (random >> 16 & 7),
        }
        match Sidecar::parse(path, &damaged).and_then(|s| s.edits(path, &asset)) {
            Ok(_) => read_again += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 1000 && read_again > 50, "{refused}, {read_again}");
}

#[test]
fn a_clip_that_became_shorter_keeps_its_notes_and_contacts() {
    let asset = asset();
    let name = asset.clips[0].name();
    let text = json!({ "version": 1, "clips": { name: {
        "notes": [{ "frame": 4_000_000_000_u32, "text": "far" }],
        "contacts": { "foot_l": { "heel": [[0, 4_000_000_000_u32]] } },
    } } });
    let (edits, _) = read(&text.to_string(), &asset);
    let again = Sidecar::of(&edits, &asset).text();
    assert_eq!(read(&again, &asset).0, edits);
    assert!(again.contains("4000000000"));
}
