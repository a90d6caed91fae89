//! What was decided in the window is what the command line does.

use crate::run::{Room, open, room_with_clips, settle};
use posepress::codec::{Budget, Deliverable};
use posepress::import::{self, LoadOptions};
use posepress::session::{Change, ClipId, Command, Session};
use serde_json::{Value, json};

fn clip(clip: usize) -> ClipId {
    ClipId { document: 0, clip }
}

fn edit(session: &mut Session, k: usize, change: Change) {
    let clip = clip(k);
    session.dispatch(&Command::Edit { clip, change }, None);
}

/// A room in which two clips are approved, one is rejected, and a target was set.
fn reviewed() -> Room {
    let room = room_with_clips(&["Walk", "Run", "Idle", "Spin"]);
    let mut s = open(&room.path("m.glb"));
    let budget = Budget::Skin { target_m: 0.003 };
    edit(&mut s, 0, Change::Budget(budget));
    edit(&mut s, 1, Change::Deliverable(Deliverable::Riot));
    settle(&mut s);
    s.approve(clip(0));
    s.approve(clip(1));
    s.reject(clip(2), "the left hand\nshakes");
    assert!(s.save(), "{:?}", s.notices());
    room
}

fn sidecar(room: &Room) -> Value {
    room.json("m.glb.posepress.json")
}

fn first_clip(room: &Room) -> String {
    let asset = import::load(&room.path("m.glb"), &LoadOptions::default());
    asset.expect("loads").clips[0].name().to_owned()
}

#[test]
fn settings_come_from_the_sidecar_and_options_win() {
    let room = reviewed();
    let report = |words: &str| -> Value {
        room.ok(&format!(
            "compress m.glb -o out.ppc --report r.json {words}"
        ));
        room.json("r.json")["clips"][0].clone()
    };
    let max_mm = |r: &Value| r["src"]["max_mm"].as_f64().expect("a number");
    let decided = report("");
    assert!(max_mm(&decided) > 1.0 && max_mm(&decided) <= 3.0);
    let plain = report("--no-sidecar");
    assert!(max_mm(&plain) <= 1.0);
    let asked = report("--target 2mm");
    assert!((1.0..=2.0).contains(&max_mm(&asked)));
    assert_eq!(report("--clip 1")["codec"], "riot", "its own deliverable");
    assert_eq!(report("--clip 1 --codec compact")["codec"], "compact");
    std::fs::rename(room.path("m.glb.posepress.json"), room.path("other.json")).expect("moved");
    assert!(max_mm(&report("")) <= 1.0);
    assert_eq!(report("--settings other.json"), decided);
    room.fails(2, "compress m.glb -o out.ppc --settings missing.json");
    room.fails(
        1,
        "compress m.glb -o out.ppc --settings other.json --no-sidecar",
    );
}

#[test]
fn contacts_and_shell_are_those_that_were_set() {
    let room = room_with_clips(&["Walk", "Run", "Idle", "Spin"]);
    let name = first_clip(&room);
    let own = json!({ "version": 1, "clips": { name: {
        "settings": { "shell_m": 0.3 },
        "contacts": { "foot_l": { "heel": [[2, 5]] } },
    } } });
    room.write("m.glb.posepress.json", own.to_string());
    let contacts = |words: &str| room.ok_json(&format!("contacts m.glb --clip 0 --json {words}"));
    let list = contacts("")["clips"][0]["contacts"].clone();
    assert_eq!(list.as_array().expect("a list").len(), 1);
    assert_eq!(list[0]["frames"], json!([2, 5]));
    let found = contacts("--no-sidecar")["clips"][0]["contacts"].clone();
    assert!(found.as_array().expect("a list").len() > 1);
    room.ok("compress m.glb -o out.ppc");
    let measured = |words: &str| {
        let m = room.ok_json(&format!("measure m.glb out.ppc --json {words}"));
        m["clips"][0].clone()
    };
    let (own, plain) = (measured(""), measured("--no-sidecar"));
    assert_eq!(own["slide"].as_array().expect("a list").len(), 1);
    assert_ne!(own["src"], plain["src"], "another shell");
    assert_eq!(measured("--shell 30cm --no-sidecar")["src"], own["src"]);
}

#[test]
fn check_lists_every_clip_and_says_what_is_stale() {
    let room = reviewed();
    let name = first_clip(&room);
    let lines = room.ok("check m.glb");
    assert!(lines.contains(&format!("approved  {name}\n")), "{lines}");
    assert!(lines.contains(": the left hand shakes"), "{lines}");
    assert_eq!(
        lines.matches("  open ").count(),
        1,
        "of four clips three are judged: {lines}"
    );

    let mut changed = sidecar(&room);
    changed["clips"][&name]["settings"]["budget"]["skin"]["target_m"] = json!(0.002);
    room.write("m.glb.posepress.json", changed.to_string());
    let done = room.run("check m.glb --json");
    assert_eq!(done.code, 5, "{done:?}");
    assert!(done.err.contains(&name), "{}", done.err);
    let report: Value = serde_json::from_str(&done.out).expect("JSON");
    let clip = &report["files"][0]["clips"][0];
    assert_eq!(clip["state"], "stale");
    assert_eq!(clip["changed"], json!(["settings", "output"]));
    assert_eq!(report["files"][0]["clips"][1]["state"], "approved");
}

#[test]
fn what_is_approved_is_exported_as_it_was_and_only_then() {
    let room = reviewed();
    std::fs::create_dir(room.path("out")).expect("a folder");
    let said = room.ok("export m.glb -o out --approved");
    assert_eq!(said.matches("wrote ").count(), 2, "{said}");
    let written = |name: &str| room.path("out").join(format!("{name}.ppc"));
    let name = first_clip(&room);
    let bytes = std::fs::read(written(&name)).expect("written");
    room.ok("compress m.glb -o again.ppc");
    assert_eq!(bytes, room.bytes("again.ppc"), "the same bytes");

    let stale = |words: &str| room.fails(5, &format!("export m.glb -o out --approved {words}"));
    let error = stale("--target 2mm");
    assert!(error.contains("settings and output changed"), "{error}");
    let mut hash = sidecar(&room);
    hash["clips"][&name]["verdict"]["output"] = json!("0".repeat(64));
    room.write("m.glb.posepress.json", hash.to_string());
    let error = stale("");
    assert!(error.contains("output changed since"), "{error}");
    assert!(!error.contains("source"), "{error}");

    let mut source = room.bytes("m.glb");
    let end = source.len() - 1;
    source[end] ^= 1;
    room.write("m.glb", source);
    let error = stale("");
    assert!(error.contains("source"), "{error}");
    assert!(stale("--no-sidecar").contains("no clip is approved"));
    assert_eq!(std::fs::read(written(&name)).expect("there"), bytes);
}

#[test]
fn a_sidecar_that_is_not_understood_stops_every_command_with_its_place() {
    let room = room_with_clips(&["Walk", "Run", "Idle", "Spin"]);
    room.write(
        "m.glb.posepress.json",
        "{ \"version\": 1,\n \"unit_m\": -1 }",
    );
    for words in [
        "compress m.glb -o out.ppc",
        "export m.glb -o out.glb",
        "contacts m.glb",
        "check m.glb",
    ] {
        let done = room.run(words);
        assert_eq!(done.code, 2, "{words}: {done:?}");
        assert!(done.err.contains("unit_m"), "{words}: {}", done.err);
    }
    room.ok("compress m.glb -o out.ppc --no-sidecar");
    room.write("m.glb.posepress.json", "{ \"version\": 9 }");
    let error = room.fails(2, "contacts m.glb");
    assert!(error.contains("newer"), "{error}");
    let done = room.run("check missing.glb m.glb");
    assert_eq!(done.code, 2);
    assert!(done.err.contains("missing.glb") && done.err.contains("version 9"));
}

#[test]
fn clips_and_joints_that_are_gone_are_named_and_not_used() {
    let room = room_with_clips(&["Walk", "Run", "Idle", "Spin"]);
    let name = first_clip(&room);
    let decided = json!({ "version": 1, "unit_m": 1.0, "clips": {
        "Gone": {}, name: { "settings": { "overrides": { "tail": { "scale": 0.1 } } } },
    } });
    room.write("m.glb.posepress.json", decided.to_string());
    let done = room.run("contacts m.glb");
    assert_eq!(done.code, 0);
    assert!(
        done.err.contains("Gone") && done.err.contains("tail"),
        "{}",
        done.err
    );
}

#[test]
fn presets_are_found_by_name_and_as_files_and_options_win() {
    let room = reviewed();
    let max_mm = |words: &str| -> f64 {
        room.ok(&format!(
            "compress m.glb -o out.ppc --report r.json {words}"
        ));
        let report = room.json("r.json");
        report["clips"][0]["src"]["max_mm"]
            .as_f64()
            .expect("a number")
    };
    let hero = max_mm("--preset hero");
    assert!(hero <= 0.5, "{hero}");
    let asked = max_mm("--preset Hero --target 2mm --slide 2mm");
    assert!((0.5..=2.0).contains(&asked), "{asked}");
    let own =
        json!({ "name": "Mine", "settings": { "budget": { "skin": { "target_m": 0.0002 } } } });
    room.write("mine.json", own.to_string());
    assert!(max_mm("--preset mine.json") <= 0.2);
    let error = room.fails(1, "compress m.glb -o out.ppc --preset none");
    assert!(error.contains("Hero"), "{error}");
    room.write("broken.json", "{}");
    room.fails(1, "compress m.glb -o out.ppc --preset broken.json");
}
