//! Decisions as JSON values. Joints stand by name, so that a file exported again finds its own.

use crate::codec::Settings;
use crate::metrics::Contact;
use crate::model::{Asset, Clip, Skeleton};
use crate::session::abx::BlindTest;
use crate::session::characters::CharacterFile;
use crate::session::document::{ClipEdits, Edits, FrameNote};
use crate::session::export::hex;
use crate::session::verdict::{Judged, Measure, Verdict};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

/// Version of the layout; grows when a key changes its meaning, so that older programs refuse the file.
pub(super) const VERSION: u64 = 1;

/// Everything that was decided about a file; clips about which nothing was are left out.
pub(super) fn edits(edits: &Edits, asset: &Asset) -> Value {
    let mut clips = Map::new();
    for (decided, clip) in edits.clips.iter().zip(&asset.clips) {
        if **decided != ClipEdits::default() {
            clips.insert(clip.name().to_owned(), clip_edits(decided, clip));
        }
    }
    let mut out = json!({ "version": VERSION, "unit_m": edits.unit_m, "clips": clips });
    if !edits.characters.is_empty() {
        out["characters"] = edits.characters.iter().map(character).collect();
    }
    out
}

fn character(file: &CharacterFile) -> Value {
    json!({ "path": file.path, "hash": hex(&file.hash) })
}

fn clip_edits(decided: &ClipEdits, clip: &Clip) -> Value {
    let mut out = Map::new();
    out.insert("settings".into(), settings(&decided.settings));
    if let Some(list) = &decided.contacts {
        out.insert("contacts".into(), contacts(list, clip.skeleton()));
    }
    if !decided.notes.is_empty() {
        out.insert("notes".into(), decided.notes.iter().map(note).collect());
    }
    if !decided.blind_tests.is_empty() {
        let tests = decided.blind_tests.iter().map(blind_test);
        out.insert("blind_tests".into(), tests.collect());
    }
    if let Some(mut verdict) = verdict(&decided.verdict) {
        if !decided.exceptions.is_empty() {
            verdict["exceptions"] = decided.exceptions.clone().into();
        }
        out.insert("verdict".into(), verdict);
    }
    Value::Object(out)
}

/// Numbers, texts and maps with text keys always serialise; a number that is none becomes null.
pub(super) fn settings(settings: &Settings) -> Value {
    serde_json::to_value(settings).unwrap_or_default()
}

fn note(note: &FrameNote) -> Value {
    json!({ "frame": note.frame, "text": note.text })
}

fn blind_test(test: &BlindTest) -> Value {
    let mut out = json!({
        "error_m": test.error_m,
        "correct": test.correct,
        "trials": test.trials,
        "source": hex(&test.source),
        "output": hex(&test.output),
    });
    if let Some(target_m) = test.target_m {
        out["target_m"] = target_m.into();
    }
    out
}

/// For each joint, for each of its points, the first and last frames.
pub(super) fn contacts(list: &[Contact], skeleton: &Skeleton) -> Value {
    let mut joints = Map::new();
    for contact in list {
        let Some(key) = joint_key(skeleton, contact.point.joint) else {
            continue;
        };
        let points = joints.entry(key).or_insert_with(|| json!({}));
        let intervals = &mut points[contact.point.part.name()];
        if intervals.is_null() {
            *intervals = json!([]);
        }
        let (first, last) = contact.frames;
        if let Some(intervals) = intervals.as_array_mut() {
            intervals.push(json!([first, last]));
        }
    }
    Value::Object(joints)
}

/// A joint's name; `name#index` where another joint before it has the same.
pub(super) fn joint_key(skeleton: &Skeleton, joint: usize) -> Option<String> {
    let name = &skeleton.joints().get(joint)?.name;
    Some(match skeleton.find(name) {
        Some(first) if first != joint => format!("{name}#{joint}"),
        _ => name.clone(),
    })
}

fn verdict(verdict: &Verdict) -> Option<Value> {
    let (state, note) = match verdict {
        Verdict::Open => return None,
        Verdict::Approved(_) => ("approved", None),
        Verdict::Rejected { note, .. } => ("rejected", Some(note)),
    };
    let mut out = Map::new();
    out.insert("state".into(), state.into());
    out.extend(note.map(|n| ("note".to_owned(), Value::from(n.as_str()))));
    if let Some(of) = verdict.judged() {
        out.extend(judged(of).map(|(key, hash)| (key.to_owned(), Value::from(hex(hash)))));
        if of.measure != Measure::FIRST {
            out.insert("measure".into(), of.measure.to_string().into());
        }
        if let Some(characters) = &of.characters {
            out.insert("characters".into(), hex(characters).into());
        }
    }
    Some(Value::Object(out))
}

/// The hashes of a verdict by key.
fn judged(of: &Judged) -> [(&'static str, &[u8; 32]); 3] {
    [
        ("source", &of.source),
        ("settings", &of.settings),
        ("output", &of.output),
    ]
}

/// SHA-256 of everything that a person set for a clip and that its bytes may depend on: settings, contacts, and
/// metres a unit. It is taken from their JSON with sorted keys, so that it is the same on every machine.
pub fn settings_hash(decided: &ClipEdits, clip: &Clip, unit_m: f64) -> [u8; 32] {
    let mut set = settings(&decided.settings);
    if let Some(set) = set.as_object_mut() {
        // Verdicts name the measure beside this hash, so that one from before can say that it alone changed.
        set.remove("metric");
    }
    let value = json!({
        "settings": set,
        "contacts": decided.contacts.as_ref().map(|list| contacts(list, clip.skeleton())),
        "unit_m": unit_m,
    });
    Sha256::digest(super::merge::sorted(&value).to_string()).into()
}
