//! Nothing that a person decided is lost: saving, crashes, sources that are exported again, undo.

mod colleague;
mod crash;
mod reload;
mod source;
mod undo;

use posepress::codec::{Budget, Rule};
use posepress::import::{self, LoadOptions};
use posepress::session::{Change, Session, Sidecar, Verdict};
use source::{clip, edit, note, note_on, open, settle, write_source};
use std::fs;

#[test]
fn what_is_saved_is_there_when_the_file_is_opened_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.gltf");
    write_source(&path);
    let mut s = open(&path);
    assert!(!s.is_dirty() && s.save(), "nothing to save is fine");
    assert!(!Sidecar::path_of(&path).exists(), "and writes nothing");
    edit(&mut s, 0, Change::Budget(Budget::Skin { target_m: 0.002 }));
    let rules = vec![Rule {
        pattern: "*foot*".into(),
        locked: Some(true),
        ..Rule::default()
    }];
    edit(&mut s, 1, Change::Rules(rules));
    note(&mut s, 3, "pops");
    settle(&mut s);
    s.approve(clip(0));
    s.reject(clip(1), " slides ");
    assert!(s.is_dirty());
    assert!(s.save(), "{:?}", s.notices());
    assert!(!s.is_dirty());
    let saved = s.documents()[0].edits.clone();

    let mut again = open(&path);
    assert_eq!(again.documents()[0].edits, saved);
    assert_eq!(again.approved(), [clip(0)], "the same bytes");
    assert!(!again.is_dirty() && again.undo_name().is_none());
    assert!(
        matches!(&saved.clips[1].verdict, Verdict::Rejected { note, of: Some(_) } if note == "slides")
    );
    note(&mut again, 3, "");
    assert!(again.is_dirty() && note_on(&again, 3).is_none());
    again.undo();
    assert!(!again.is_dirty(), "as saved");
}

#[test]
fn what_changed_since_an_approval_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.gltf");
    write_source(&path);
    let mut s = open(&path);
    s.approve(clip(0));
    assert!(!s.changed_since_verdict(clip(0)).any());
    edit(&mut s, 0, Change::Looped(true));
    settle(&mut s);
    assert_eq!(
        s.changed_since_verdict(clip(0)).to_string(),
        "settings and output changed"
    );
    // Tangents do nothing in compact: the bytes stay, what was decided does not.
    edit(&mut s, 0, Change::Looped(false));
    edit(&mut s, 0, Change::Refine(false));
    settle(&mut s);
    assert_eq!(s.changed_since_verdict(clip(0)).names(), ["settings"]);
    assert!(s.is_stale(clip(0)) && s.approved().is_empty());
}

#[test]
fn what_cannot_be_saved_stays_dirty_and_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.gltf");
    let sidecar = Sidecar::path_of(&path);
    write_source(&path);
    let refused = |s: &mut Session, word: &str| {
        assert!(!s.save() && s.is_dirty());
        let notice = s.notices().last().expect("a notice");
        assert!(notice.text.contains(word), "{}", notice.text);
    };
    let mut s = open(&path);
    note(&mut s, 1, "mine");
    fs::create_dir(&sidecar).expect("a folder in its place");
    refused(&mut s, "not a file");
    fs::remove_dir(&sidecar).expect("removed");
    fs::write(&sidecar, "{ \"version\": 9 }").expect("written");
    refused(&mut s, "version 9");
    fs::write(&sidecar, "{ \"version\": 1 }").expect("written");
    let mut permissions = fs::metadata(&sidecar).expect("there").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&sidecar, permissions).expect("set");
    refused(&mut s, "read-only");
    assert_eq!(
        fs::read_to_string(&sidecar).expect("there"),
        "{ \"version\": 1 }"
    );
    fs::remove_file(&sidecar).expect("removed");
    assert!(s.save() && !s.is_dirty());
    assert_eq!(note_on(&open(&path), 1).as_deref(), Some("mine"));
}

#[test]
fn decisions_that_are_not_understood_are_told_and_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.gltf");
    let sidecar = Sidecar::path_of(&path);
    write_source(&path);
    let text = r#"{ "version": 1, "clips": { "Walk": { "settings": { "shell_m": "?" } } } }"#;
    fs::write(&sidecar, text).expect("written");
    let mut s = open(&path);
    let notice = s.notices().last().expect("a notice").text.clone();
    assert!(notice.contains("clips.Walk.settings.shell_m"), "{notice}");
    note(&mut s, 1, "mine");
    assert!(!s.save());
    assert_eq!(fs::read_to_string(&sidecar).expect("there"), text);

    let text = r#"{ "version": 1, "clips": { "Gone": { "notes": [] } } }"#;
    fs::write(&sidecar, text).expect("written");
    let s = open(&path);
    let notice = &s.notices().last().expect("a notice").text;
    assert!(
        notice.contains("Gone") && notice.contains("kept"),
        "{notice}"
    );
}

#[test]
fn the_bundled_clips_have_no_file_to_save() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.gltf");
    write_source(&path);
    let asset = import::load(&path, &LoadOptions::default()).expect("loads");
    let mut s = Session::new(|| {});
    s.add(asset);
    note(&mut s, 1, "mine");
    assert!(!s.is_dirty() && s.save());
    assert!(!Sidecar::path_of(&path).exists());
}
