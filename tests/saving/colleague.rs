//! Decisions about an open file that somebody else saves.

use super::reload::watch;
use super::source::{clip, edit, note, note_on, open, settle, write_source};
use posepress::codec::Budget;
use posepress::session::{Change, Session, Sidecar};
use std::fs;
use std::path::PathBuf;
use std::time::Instant;
use tempfile::TempDir;

fn budget(target_m: f64) -> Change {
    Change::Budget(Budget::Skin { target_m })
}

fn target_m(s: &Session, k: usize) -> f64 {
    match s.edits(clip(k)).expect("edits").settings.budget {
        Budget::Skin { target_m } => target_m,
        Budget::Tolerances => panic!("tolerances are used"),
    }
}

/// A file, what a person has open of it, and what a colleague has.
fn two_people() -> (TempDir, PathBuf, [Session; 2], Instant) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.gltf");
    write_source(&path);
    let mut both = [open(&path), open(&path)];
    let mut now = Instant::now();
    watch(&mut both[0], &mut now);
    (folder, path, both, now)
}

#[test]
fn what_a_colleague_saves_is_taken_in() {
    let (_folder, _, [mut mine, mut theirs], mut now) = two_people();

    edit(&mut theirs, 1, budget(0.002));
    note(&mut theirs, 3, "theirs");
    assert!(theirs.save());
    watch(&mut mine, &mut now);
    assert_eq!(target_m(&mine, 1), 0.002);
    assert_eq!(note_on(&mine, 3).as_deref(), Some("theirs"));
    assert!(!mine.is_dirty(), "it is what is saved");
    let notice = mine.notices().last().expect("told");
    assert!(notice.title.contains("saved elsewhere"), "{notice:?}");
    assert!(notice.text.contains("Walk, Run"), "{notice:?}");
    assert_eq!(
        mine.result(clip(1)).expect("compressed").settings.budget,
        Budget::Skin { target_m: 0.002 }
    );

    mine.undo();
    settle(&mut mine);
    assert_eq!((target_m(&mine, 1), note_on(&mine, 3)), (0.001, None));
    assert!(mine.is_dirty(), "here it is taken back, there it is not");
    mine.redo();
    assert!(!mine.is_dirty());
    let told = mine.notices().len();
    watch(&mut mine, &mut now);
    assert_eq!(mine.notices().len(), told, "once");
}

#[test]
fn what_is_unsaved_here_stays_beside_it() {
    let (_folder, path, [mut mine, mut theirs], mut now) = two_people();
    edit(&mut mine, 0, budget(0.003));
    note(&mut mine, 1, "mine");

    edit(&mut theirs, 0, budget(0.004));
    edit(&mut theirs, 1, budget(0.002));
    assert!(theirs.save());
    watch(&mut mine, &mut now);
    assert_eq!(
        (target_m(&mine, 0), target_m(&mine, 1)),
        (0.003, 0.002),
        "mine where both changed"
    );
    assert_eq!(note_on(&mine, 1).as_deref(), Some("mine"));
    assert!(mine.is_dirty());
    assert!(mine.save());
    let again = open(&path);
    assert_eq!((target_m(&again, 0), target_m(&again, 1)), (0.003, 0.002));

    watch(&mut theirs, &mut now);
    assert_eq!((target_m(&theirs, 0), target_m(&theirs, 1)), (0.003, 0.002));
    assert!(!theirs.is_dirty());
}

#[test]
fn what_cannot_be_read_is_told_once_and_changes_nothing() {
    let (_folder, path, [mut s, _], mut now) = two_people();
    edit(&mut s, 0, budget(0.003));
    fs::write(Sidecar::path_of(&path), "{ \"half").expect("written");
    watch(&mut s, &mut now);
    watch(&mut s, &mut now);
    assert_eq!(target_m(&s, 0), 0.003);
    let [notice] = s.notices() else {
        panic!("told once: {:?}", s.notices());
    };
    assert!(
        notice.title.contains("cannot be read") && notice.text.contains("line 1"),
        "{notice:?}"
    );
    assert!(!s.save(), "not written over");
}
