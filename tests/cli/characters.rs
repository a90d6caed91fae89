//! Clips whose mesh is in another file: the window and the command line measure them on the same characters.

use crate::bare::motion_alone;
use crate::run::{Room, open, settle};
use posepress::codec::Matter;
use posepress::session::{ClipId, Session, hex};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

const ID: ClipId = ClipId {
    document: 0,
    clip: 0,
};

fn matter(session: &Session) -> Matter {
    let judged = session.judgement(ID).expect("a result");
    judged.limits[0].of
}

/// A motion without a mesh, and the character that it was made for in a folder beside it.
fn room() -> Room {
    let room = Room::new();
    room.write("walk.glb", motion_alone());
    fs::create_dir(room.path("hero")).expect("a folder");
    fs::copy("assets/mannequin.glb", room.path("hero/hero.glb")).expect("copied");
    room
}

/// The same, measured on the character and approved so.
fn approved() -> Room {
    let room = room();
    let mut s = open(&room.path("walk.glb"));
    s.measure_on(0, &[room.path("hero/hero.glb")]);
    settle(&mut s);
    s.approve(ID);
    assert!(s.save(), "{:?}", s.notices());
    room
}

fn state(room: &Room, code: i32) -> Value {
    let done = room.run("check walk.glb --json");
    assert_eq!(done.code, code, "{done:?}");
    let report: Value = serde_json::from_str(&done.out).expect("JSON");
    report["files"][0]["clips"][0].clone()
}

fn write_again(path: &Path) {
    let mut bytes = fs::read(path).expect("a file");
    let end = bytes.len() - 1;
    bytes[end] ^= 1;
    fs::write(path, bytes).expect("written");
}

#[test]
fn a_character_is_put_on_taken_off_and_put_on_again() {
    let room = room();
    let mut s = open(&room.path("walk.glb"));
    assert_eq!(matter(&s), Matter::Shell, "there is no mesh");
    assert!(s.document(0).expect("open").asset.meshes.is_empty());
    s.measure_on(0, &[room.path("hero/hero.glb")]);
    settle(&mut s);
    assert_eq!(matter(&s), Matter::Skin);
    let d = s.document(0).expect("open");
    assert!(!d.asset.meshes.is_empty(), "it is shown");
    assert!(
        d.is_dirty() && d.worn()[0].missing.is_empty(),
        "{:?}",
        d.worn()
    );
    assert!(d.asset.clips[0].skin().vertices() > 0);
    s.undo();
    settle(&mut s);
    assert_eq!(matter(&s), Matter::Shell);
    assert!(s.document(0).expect("open").asset.meshes.is_empty());
    s.redo();
    settle(&mut s);
    assert_eq!(matter(&s), Matter::Skin);
    s.take_off(0, "hero/hero.glb");
    settle(&mut s);
    assert_eq!(matter(&s), Matter::Shell);
    assert_eq!(s.undo_name(), Some("Measure on the file's own meshes"));
}

#[test]
fn joints_that_the_clips_do_not_have_are_listed() {
    let room = room();
    let mut bytes = room.bytes("hero/hero.glb");
    let (name, other) = (b"\"hand_r\"", b"\"hand_x\"");
    let places = 0..bytes.len() - name.len();
    let found: Vec<usize> = places.filter(|&k| bytes[k..].starts_with(name)).collect();
    for at in found {
        bytes[at..at + name.len()].copy_from_slice(other);
    }
    room.write("other.glb", bytes);
    let mut s = open(&room.path("walk.glb"));
    s.measure_on(0, &[room.path("other.glb")]);
    settle(&mut s);
    assert_eq!(s.document(0).expect("open").worn()[0].missing, ["hand_x"]);
    assert_eq!(matter(&s), Matter::Skin, "it follows the joint above");
    let told = s.notices().iter().any(|n| n.text.contains("hand_x"));
    assert!(told, "{:?}", s.notices());
    let done = room.run("compress walk.glb -o out.ppc --mesh other.glb");
    assert!(done.code == 0 && done.err.contains("hand_x"), "{done:?}");
}

#[test]
fn what_is_no_character_is_refused_and_changes_nothing() {
    let room = room();
    let mut s = open(&room.path("walk.glb"));
    room.write("text.glb", "nothing");
    s.measure_on(0, &[room.path("text.glb"), room.path("not there.glb")]);
    settle(&mut s);
    assert_eq!(s.notices().len(), 2, "{:?}", s.notices());
    assert_eq!((matter(&s), s.undo_name()), (Matter::Shell, None));
}

#[test]
fn an_approval_is_bound_to_the_bytes_of_its_character() {
    let room = approved();
    let character = room.bytes("hero/hero.glb");
    let kept = room.json("walk.glb.posepress.json");
    let hash = hex(&Sha256::digest(&character));
    let files = json!([{ "path": "hero/hero.glb", "hash": hash }]);
    assert_eq!(kept["characters"], files);
    let clip = state(&room, 0);
    assert_eq!(clip["state"], "approved");
    assert_eq!(clip["judgement"][0]["of"], "skin", "{clip}");
    assert!(open(&room.path("walk.glb")).approved() == [ID]);

    let hero = room.path("hero/hero.glb");
    write_again(&hero);
    let clip = state(&room, 5);
    assert_eq!(clip["changed"], json!(["characters"]));
    let s = open(&room.path("walk.glb"));
    assert!(s.is_stale(ID) && s.changed_since_verdict(ID).characters);
    let told = s.notices().iter().any(|n| n.title.contains("hero.glb"));
    assert!(told, "{:?}", s.notices());

    room.write("as it was.glb", &character);
    fs::create_dir(room.path("out")).expect("a folder");
    room.fails(5, "export walk.glb -o out --approved");
    let words = [
        "export",
        "walk.glb",
        "-o",
        "out",
        "--approved",
        "--mesh",
        "as it was.glb",
    ];
    let done = room.run_words(&words);
    assert_eq!(done.code, 0, "the same bytes by another name: {done:?}");
}

#[test]
fn a_character_that_is_not_there_leaves_the_skin_unknown() {
    let room = approved();
    fs::remove_file(room.path("hero/hero.glb")).expect("removed");
    let done = room.run("check walk.glb");
    assert_eq!(done.code, 5, "{done:?}");
    assert!(done.err.contains("hero.glb"), "{}", done.err);
    let mut s = open(&room.path("walk.glb"));
    let judged = s.judgement(ID).expect("a result");
    let skin = &judged.limits[0];
    assert!(skin.why.contains("hero.glb"), "{skin:?}");
    assert!(s.is_stale(ID) && !s.notices().is_empty());
    s.take_off(0, "hero/hero.glb");
    settle(&mut s);
    assert_eq!(matter(&s), Matter::Shell);
}

#[test]
fn a_character_that_is_written_again_while_it_is_worn_makes_the_approval_stale() {
    let room = approved();
    let mut s = open(&room.path("walk.glb"));
    assert_eq!(s.approved(), [ID]);
    write_again(&room.path("hero/hero.glb"));
    let (start, mut now) = (Instant::now(), Instant::now());
    while !s.changed_since_verdict(ID).characters {
        now += Duration::from_secs(1);
        s.watch(now);
        s.poll();
        assert!(start.elapsed() < Duration::from_mins(1), "it is not seen");
        std::thread::sleep(Duration::from_millis(20));
    }
    settle(&mut s);
    assert!(s.is_stale(ID) && matter(&s) == Matter::Skin);
}
