//! The file of decisions beside a source: what it holds, what it keeps, what it refuses.

mod hostile;
mod schema;

use posepress::codec::{
    BasePose, Budget, Deliverable, FrameImportance, JointImportance, JointOverride, Level,
    Playback, QuaternionBits, Rule, Settings,
};
use posepress::fit::Basis;
use posepress::import::{self, LoadOptions};
use posepress::metrics::{Contacts, ErrorMetric, Footing};
use posepress::model::Asset;
use posepress::session::{
    BlindTest, CharacterFile, ClipEdits, Edits, FrameNote, Judged, Measure, Sidecar, Verdict,
    save_decisions, settings_hash, settings_of_text, settings_text,
};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const MANNEQUIN: &[u8] = include_bytes!("../../assets/mannequin.glb");

/// The bundled clips.
fn asset() -> Asset {
    let path = Path::new("mannequin.glb");
    import::load_bytes(path, MANNEQUIN, &LoadOptions::default()).expect("loads")
}

/// Settings in which nothing is as by default.
fn odd_settings() -> Settings {
    let mut s = Settings {
        deliverable: Deliverable::Riot,
        budget: Budget::Skin { target_m: 0.0007 },
        adaptive_margin: false,
        basis: Basis::Centripetal,
        refine: false,
        quaternion_bits: QuaternionBits::Q32,
        playback: Playback::Smooth,
        looped: true,
        weight_tolerance: 0.01,
        shell_m: 0.05,
        slide_target_m: Some(0.0003),
        slide_of_source: 0.25,
        seam_limit_m: Some(0.0005),
        jitter_limit_m_per_s: Some(0.02),
        footing: Footing::Also(vec!["toe".into()]),
        left_out: vec!["LOD1".into()],
        ..Settings::default()
    };
    s.tolerances.scale = 0.1 + 0.2;
    let own = JointOverride {
        rotation_rad: Some(0.001),
        scale: Some(0.5),
        ..JointOverride::default()
    };
    s.overrides.insert("foot_l".into(), own);
    s.rules = vec![
        Rule {
            pattern: "*hand*".into(),
            subtree: true,
            tolerances: own,
            weight: Some(2.0),
            ..Rule::default()
        },
        Rule {
            pattern: "weapon".into(),
            shell_m: Some(1.0),
            locked: Some(true),
            ..Rule::default()
        },
    ];
    let joint = JointImportance {
        weight: 2.0,
        shell_m: Some(0.2),
    };
    s.importance.joints.insert("head".into(), joint);
    s.additive = Some(BasePose::Frame(2));
    s.levels = vec![Level {
        without: vec!["thumb*".into(), "toe".into()],
    }];
    s.importance.frames.push(FrameImportance {
        joint: Some("head".into()),
        first: 3,
        last: 9,
        factor: 4.0,
    });
    s
}

/// Decisions of every kind.
fn decided(asset: &Asset) -> Edits {
    let mut edits = Edits::of(asset);
    edits.unit_m = 0.01;
    edits.clip_mut(0).expect("a clip").settings = odd_settings();
    edits.clip_mut(0).expect("a clip").notes = vec![
        FrameNote {
            frame: 4,
            text: "pops \"here\"\n".into(),
        },
        FrameNote {
            frame: 70_000,
            text: "füße".into(),
        },
    ];
    let of = Judged {
        source: [1; 32],
        settings: [0xAB; 32],
        output: [3; 32],
        measure: Measure::now(ErrorMetric::Skin),
        characters: Some([7; 32]),
    };
    edits.characters.push(CharacterFile {
        path: "../hero.glb".into(),
        hash: [0xC0; 32],
    });
    edits.clip_mut(0).expect("a clip").blind_tests =
        vec![blind_test(0.0014, Some(0.0015)), blind_test(0.0, None)];
    edits.clip_mut(0).expect("a clip").verdict = Verdict::Approved(of);
    let mut found = Contacts::find(&asset.clips[1], 0.01).list;
    assert!(!found.is_empty());
    found[0].frames = (0, 3);
    edits.clip_mut(1).expect("a clip").contacts = Some(found);
    edits.clip_mut(1).expect("a clip").verdict = Verdict::Rejected {
        note: "the left hand shakes".into(),
        of: None,
    };
    edits.clip_mut(2).expect("a clip").contacts = Some(Vec::new());
    edits
}

fn blind_test(error_m: f64, target_m: Option<f64>) -> BlindTest {
    BlindTest {
        error_m,
        target_m,
        correct: 4,
        trials: 10,
        source: [1; 32],
        output: [0xCD; 32],
    }
}

/// Decisions in a text, and what has no place.
fn read(text: &str, asset: &Asset) -> (Edits, Vec<String>) {
    let path = Path::new("m.glb.posepress.json");
    let sidecar = Sidecar::parse(path, text.as_bytes()).expect("a sidecar");
    sidecar.edits(path, asset).expect("decisions")
}

#[test]
fn everything_that_was_decided_is_read_again() {
    let asset = asset();
    let edits = decided(&asset);
    let text = Sidecar::of(&edits, &asset).text();
    assert_eq!(read(&text, &asset), (edits, Vec::new()));
}

fn sorted(value: &Value) -> bool {
    match value {
        Value::Object(map) => {
            let keys: Vec<&String> = map.keys().collect();
            keys.is_sorted() && map.values().all(sorted)
        }
        Value::Array(list) => list.iter().all(sorted),
        _ => true,
    }
}

#[test]
fn it_is_sorted_ends_lines_with_lf_and_names_no_place_on_the_disk() {
    let asset = asset();
    let text = Sidecar::of(&decided(&asset), &asset).text();
    assert!(text.ends_with("}\n") && !text.contains('\r'));
    assert!(!text.contains("mannequin.glb"), "no path");
    assert!(sorted(&serde_json::from_str(&text).expect("JSON")));
}

#[test]
fn what_is_written_is_what_the_schema_describes() {
    let asset = asset();
    let schema = schema::schema();
    let mut other = decided(&asset);
    other.clip_mut(0).expect("a clip").settings.budget = Budget::Tolerances;
    for edits in [decided(&asset), other, Edits::of(&asset)] {
        let text = Sidecar::of(&edits, &asset).text();
        let value = serde_json::from_str(&text).expect("JSON");
        let faults = schema::faults(&schema, &schema, &value, "");
        assert_eq!(faults, Vec::<String>::new());
    }
    let wrong =
        json!({ "version": 2, "clips": { "Walk": { "settings": { "shell_m": 0, "x": 1 } } } });
    let faults = schema::faults(&schema, &schema, &wrong, "");
    assert_eq!(faults.len(), 3, "the schema refuses: {faults:?}");
}

#[test]
fn the_schema_describes_every_setting() {
    let schema = schema::schema();
    let described = &schema["$defs"]["settings"]["properties"];
    let settings = serde_json::to_value(odd_settings()).expect("JSON");
    let keys = |v: &Value| -> Vec<String> {
        let mut keys: Vec<String> = v.as_object().expect("a map").keys().cloned().collect();
        keys.sort();
        keys
    };
    assert_eq!(keys(described), keys(&settings));
}

#[test]
fn what_others_wrote_stays_when_it_is_written_again() {
    let asset = asset();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.glb.posepress.json");
    let (walk, idle) = (asset.clips[0].name(), asset.clips[1].name());
    let theirs = json!({
        "version": 1, "studio": { "task": 7 },
        "clips": {
            walk: {
                "settings": { "looped": true, "their_codec": [1, 2], "overrides": { "tail_9": { "scale": 0.5 } } },
                "contacts": { "hoof_l": { "heel": [[1, 2]] } },
                "reviewer": "kim",
            },
            "Gone": { "settings": { "looped": true }, "notes": [{ "frame": 1, "text": "x" }] },
        },
    });
    fs::write(&path, theirs.to_string()).expect("written");
    let (before, unknown) = read(&theirs.to_string(), &asset);
    assert!(before.clips[0].settings.looped);
    assert_eq!(before.clips[0].contacts, None, "those that are found");
    let named = unknown.join(" ");
    for name in ["Gone", "tail_9", "hoof_l"] {
        assert!(named.contains(name), "{named}");
    }
    let mut now = before.clone();
    now.clip_mut(0).expect("a clip").settings.looped = false;
    now.clip_mut(1).expect("a clip").notes.push(FrameNote {
        frame: 2,
        text: "mine".into(),
    });
    save_decisions(&path, &before, &now, &asset).expect("saved");
    let text = fs::read_to_string(&path).expect("there");
    assert_eq!(read(&text, &asset).0, now);
    let saved: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(saved["studio"], theirs["studio"]);
    assert_eq!(saved["clips"]["Gone"], theirs["clips"]["Gone"]);
    let clip = &saved["clips"][walk];
    assert_eq!(clip["reviewer"], "kim");
    assert_eq!(clip["contacts"], theirs["clips"][walk]["contacts"]);
    assert_eq!(clip["settings"]["their_codec"], json!([1, 2]));
    assert_eq!(clip["settings"]["overrides"]["tail_9"]["scale"], 0.5);
    assert_eq!(saved["clips"][idle]["notes"][0]["text"], "mine");
}

#[test]
fn what_a_colleague_saved_meanwhile_is_not_undone() {
    let asset = asset();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.glb.posepress.json");
    let opened = decided(&asset);
    let mut theirs = opened.clone();
    theirs.clip_mut(0).expect("a clip").settings.budget = Budget::Skin { target_m: 0.002 };
    save_decisions(&path, &opened, &theirs, &asset).expect("saved");
    let mut ours = opened.clone();
    ours.clip_mut(3).expect("a clip").settings.looped = true;
    save_decisions(&path, &opened, &ours, &asset).expect("saved");
    let (both, _) = read(&fs::read_to_string(&path).expect("there"), &asset);
    assert_eq!(both.clips[0], theirs.clips[0]);
    assert_eq!(both.clips[3], ours.clips[3]);
}

#[test]
fn blind_tests_of_two_people_are_both_kept() {
    let asset = asset();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.glb.posepress.json");
    let opened = decided(&asset);
    save_decisions(&path, &Edits::of(&asset), &opened, &asset).expect("saved");
    let tested = |error_m: f64| {
        let mut edits = opened.clone();
        edits
            .clip_mut(0)
            .expect("a clip")
            .blind_tests
            .push(blind_test(error_m, None));
        edits
    };
    save_decisions(&path, &opened, &tested(0.003), &asset).expect("saved");
    save_decisions(&path, &opened, &tested(0.004), &asset).expect("saved");
    let (both, _) = read(&fs::read_to_string(&path).expect("there"), &asset);
    let errors: Vec<f64> = both.clips[0]
        .blind_tests
        .iter()
        .map(|t| t.error_m)
        .collect();
    assert_eq!(errors, [0.0014, 0.0, 0.003, 0.004]);
}

#[test]
fn of_very_many_blind_tests_the_last_ones_are_kept() {
    let asset = asset();
    let mut edits = Edits::of(&asset);
    edits.clip_mut(0).expect("a clip").blind_tests =
        (1..=300).map(|k| blind_test(f64::from(k), None)).collect();
    let (again, _) = read(&Sidecar::of(&edits, &asset).text(), &asset);
    let tests = &again.clips[0].blind_tests;
    assert_eq!((tests.len(), tests[199].error_m), (200, 300.0));
}

#[test]
fn the_hash_of_settings_follows_what_was_set_and_nothing_else() {
    let asset = asset();
    let clip = &asset.clips[1];
    let edits = ClipEdits::clone(&decided(&asset).clips[1]);
    let hash = settings_hash(&edits, clip, 1.0);
    let mut other = edits.clone();
    other.verdict = Verdict::Open;
    other.notes.clear();
    other.blind_tests.push(blind_test(0.001, None));
    assert_eq!(settings_hash(&other, clip, 1.0), hash);
    other.settings.looped = !other.settings.looped;
    assert_ne!(settings_hash(&other, clip, 1.0), hash);
    assert_ne!(settings_hash(&edits, clip, 0.01), hash);
    other = edits.clone();
    other.contacts = None;
    assert_ne!(settings_hash(&other, clip, 1.0), hash);
}

#[test]
fn settings_are_copied_and_pasted_as_text() {
    let settings = odd_settings();
    assert_eq!(settings_of_text(&settings_text(&settings)), Ok(settings));
    let partial = settings_of_text(r#"{ "looped": true }"#).expect("the rest by default");
    assert_eq!(
        partial,
        Settings {
            looped: true,
            ..Settings::default()
        }
    );
    for (wrong, place) in [
        ("[]", "settings"),
        ("{", "line 1"),
        (r#"{ "shell_m": "wide" }"#, "shell_m"),
        (
            r#"{ "tolerances": { "rotation_rad": 1, "translation_m": 0, "scale": 1 } }"#,
            "translation",
        ),
    ] {
        let error = settings_of_text(wrong).expect_err("refused");
        assert!(error.contains(place), "{error}");
    }
}
