//! A source that is exported again while it is open.

use super::source::{clip, edit, gltf, note, note_on, open, settle, write_source};
use posepress::codec::Budget;
use posepress::session::{Change, ClipId, Session};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Looks at the files until nothing more happens.
pub fn watch(s: &mut Session, from: &mut Instant) {
    for _ in 0..3 {
        *from += Duration::from_secs(1);
        s.watch(*from);
        std::thread::sleep(Duration::from_millis(30));
        s.poll();
    }
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(300) {
        s.poll();
        std::thread::sleep(Duration::from_millis(5));
    }
    settle(s);
}

fn write(path: &Path, joints: &[&str], clips: &[(&str, f32)]) {
    fs::write(path, gltf(joints, clips)).expect("written");
}

#[test]
fn decisions_go_with_clips_and_joints_by_name_and_approvals_become_stale() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.gltf");
    write_source(&path);
    let mut s = open(&path);
    let mut now = Instant::now();
    watch(&mut s, &mut now);
    edit(&mut s, 1, Change::Budget(Budget::Skin { target_m: 0.002 }));
    note(&mut s, 2, "on walk");
    settle(&mut s);
    s.approve(clip(0));
    s.approve(clip(1));
    s.select(clip(1));
    assert!(s.save());

    // Another order, one clip new, one changed, one joint more.
    let clips = [("New", 0.1), ("Run", 0.9), ("Walk", 0.7)];
    write(&path, &["root", "hips", "foot_l"], &clips);
    watch(&mut s, &mut now);
    let names: Vec<&str> = s.documents()[0]
        .asset
        .clips
        .iter()
        .map(|c| c.name())
        .collect();
    assert_eq!(names, ["New", "Run", "Walk"]);
    assert_eq!(s.selected(), Some(clip(1)), "still Run");
    let (run, walk) = (clip(1), clip(2));
    let settings = &s.edits(run).expect("edits").settings;
    assert_eq!(settings.budget, Budget::Skin { target_m: 0.002 });
    assert_eq!(s.edits(walk).expect("edits").notes[0].text, "on walk");
    assert!(s.is_stale(run) && s.is_stale(walk) && s.approved().is_empty());
    let changed = s.changed_since_verdict(walk);
    assert!(
        changed.source && changed.output && !changed.settings,
        "{changed}"
    );
    assert!(!s.is_dirty(), "nothing was decided");
    let notice = s.notices().last().expect("a notice");
    assert!(notice.title.contains("w.gltf"), "{}", notice.title);
    for word in ["changed: ", "Walk", "new: New", "2 approvals"] {
        assert!(notice.text.contains(word), "{}", notice.text);
    }
    let joints = s
        .result(walk)
        .expect("compressed again")
        .measured
        .joints
        .len();
    assert_eq!(joints, 3);

    // Undo goes on over it.
    while s.undo_name().is_some() {
        s.undo();
    }
    assert!(s.edits(walk).expect("edits").notes.is_empty());
    s.redo();
    s.redo();
    assert_eq!(s.edits(walk).expect("edits").notes[0].text, "on walk");
    settle(&mut s);
}

#[test]
fn a_clip_that_is_gone_for_a_while_finds_its_decisions_in_the_file_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.gltf");
    write_source(&path);
    let mut s = open(&path);
    let mut now = Instant::now();
    watch(&mut s, &mut now);
    note(&mut s, 2, "on walk");
    assert!(s.save());
    write(&path, &["hips", "foot_l"], &[("Run", 0.9)]);
    watch(&mut s, &mut now);
    let only = ClipId::default();
    assert_eq!(s.clip(only).expect("a clip").name(), "Run");
    let notice = s.notices().last().expect("a notice");
    assert!(notice.text.contains("gone: Walk"), "{}", notice.text);
    edit(&mut s, 0, Change::Looped(true));
    settle(&mut s);
    assert!(s.save());
    write_source(&path);
    assert_eq!(note_on(&open(&path), 2).as_deref(), Some("on walk"));
}

#[test]
fn a_half_written_file_is_told_and_the_old_one_stays_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.gltf");
    write_source(&path);
    let mut s = open(&path);
    let mut now = Instant::now();
    watch(&mut s, &mut now);
    fs::write(&path, "{ \"asset\": ").expect("written");
    watch(&mut s, &mut now);
    let notices = s.notices().len();
    assert!(
        s.notices()
            .last()
            .expect("a notice")
            .text
            .contains("w.gltf")
    );
    watch(&mut s, &mut now);
    assert_eq!(s.notices().len(), notices, "told once");
    assert_eq!(s.documents()[0].asset.clips.len(), 2);
    fs::remove_file(&path).expect("removed");
    watch(&mut s, &mut now);
    assert_eq!(s.notices().len(), notices, "it may come back");
    write(&path, &["hips", "foot_l"], &[("Walk", 0.6)]);
    watch(&mut s, &mut now);
    assert_eq!(s.documents()[0].asset.clips.len(), 1);
}

#[test]
fn a_file_that_was_only_touched_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.gltf");
    write_source(&path);
    let mut s = open(&path);
    let mut now = Instant::now();
    watch(&mut s, &mut now);
    s.approve(clip(0));
    let asset = s.documents()[0].asset.clone();
    std::thread::sleep(Duration::from_millis(20));
    write_source(&path);
    watch(&mut s, &mut now);
    assert!(std::sync::Arc::ptr_eq(&asset, &s.documents()[0].asset));
    assert_eq!(s.approved(), [clip(0)]);
    assert!(s.notices().is_empty(), "{:?}", s.notices());
}

#[test]
fn what_an_approved_clip_became_is_told_in_figures() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.gltf");
    write_source(&path);
    let mut s = open(&path);
    let mut now = Instant::now();
    watch(&mut s, &mut now);
    s.approve(clip(0));
    assert_eq!(s.since_approval(clip(0)), None, "it is what was approved");
    let then = s.result(clip(0)).expect("a result").clone();
    assert!(s.save());

    // The same in a program that was started since: what it opens is what was approved.
    let mut again = open(&path);
    let mut later = Instant::now();
    watch(&mut again, &mut later);
    write(&path, &["hips", "foot_l"], &[("Other", 0.2), ("Walk", 0.9)]);
    for (s, now) in [(&mut s, &mut now), (&mut again, &mut later)] {
        watch(s, now);
        let (before, after) = s.since_approval(clip(1)).expect("both are known");
        assert_eq!(before.animation_bytes, then.animation_bytes);
        assert_eq!(before.error_m, then.largest_error_m());
        let result = s.result(clip(1)).expect("a result");
        assert_eq!(after.error_m, result.largest_error_m());
        assert_ne!(before, after);
        assert!(
            before.to_string().contains(" B animation, error "),
            "{before}"
        );
        assert_eq!(s.since_approval(clip(0)), None, "that was not approved");
    }
}

/// Puts the buffer of a glTF into a file of its own.
fn write_with_bin(path: &Path, angle: f32) {
    let text = gltf(&["hips", "foot_l"], &[("Walk", angle), ("Run", 0.9)]);
    let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let uri = json["buffers"][0]["uri"].as_str().expect("a URI");
    let data = uri.split_once(',').expect("data").1;
    let engine = base64::engine::general_purpose::STANDARD;
    let bytes = base64::Engine::decode(&engine, data).expect("base64");
    fs::write(path.with_extension("bin"), bytes).expect("written");
    json["buffers"][0]["uri"] = "w.bin".into();
    fs::write(path, json.to_string()).expect("written");
}

#[test]
fn a_buffer_in_a_file_of_its_own_is_part_of_the_source() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.gltf");
    write_with_bin(&path, 0.5);
    let mut s = open(&path);
    let mut now = Instant::now();
    watch(&mut s, &mut now);
    s.approve(clip(0));
    assert!(!s.is_stale(clip(0)) && s.notices().is_empty());
    let hash = s.documents()[0].asset.source_hash;

    let text = fs::read(&path).expect("read");
    write_with_bin(&path, 0.7);
    assert_eq!(
        fs::read(&path).expect("read"),
        text,
        "only the buffer is another"
    );
    watch(&mut s, &mut now);
    assert_ne!(s.documents()[0].asset.source_hash, hash);
    assert!(s.is_stale(clip(0)) && s.changed_since_verdict(clip(0)).source);
    assert!(
        s.notices()[0].text.contains("changed: Walk"),
        "{:?}",
        s.notices()
    );
}
