//! `--bytes`: the smallest skin error that fits in a size, the same as the window finds.

use crate::run::room_with_mannequin;
use posepress::import::{self, LoadOptions};
use posepress::session::units::ByteLimit;
use posepress::session::{ClipId, Session};
use std::time::{Duration, Instant};

#[test]
fn a_size_is_kept_and_its_target_is_said() {
    let room = room_with_mannequin();
    let out = room.ok("compress m.glb -o o.ppc --bytes 1.2KB --report r.json");
    assert!(out.contains("the smallest that fits in 1.2 KB"), "{out}");
    let report = room.json("r.json");
    let clip = &report["clips"][0];
    let bytes = clip["sections"]["animation"].as_u64().expect("bytes");
    assert!(bytes <= 1228 && bytes > 1150, "{bytes}");
    let budget = &clip["byte_budget"];
    assert_eq!(
        (&budget["bytes"], &budget["met"]),
        (&1228.into(), &true.into())
    );
    let target_mm = budget["target_mm"].as_f64().expect("a target");
    assert!(clip["src"]["max_mm"].as_f64().expect("a figure") <= target_mm);
    room.ok(&format!(
        "compress m.glb -o again.ppc --target {target_mm}mm"
    ));
    assert_eq!(
        room.bytes("again.ppc"),
        room.bytes("o.ppc"),
        "a target that can be typed"
    );
}

#[test]
fn the_window_finds_the_same_bytes() {
    let room = room_with_mannequin();
    // Clips of the window start with the feet held.
    room.ok("compress m.glb -o o.ppc --preset standard --bytes 50x");
    let mut session = Session::new(|| {});
    let asset = import::load(&room.path("m.glb"), &LoadOptions::default());
    let mut asset = asset.expect("it loads");
    asset.clips.truncate(1);
    asset.animation_index.truncate(1);
    session.add(asset);
    let id = ClipId::default();
    let raw = session.clip(id).expect("a clip").raw_bytes();
    session.fit_bytes(id, ByteLimit::animation(raw / 50));
    let start = Instant::now();
    while session.fitting(id).is_some() || session.is_busy(id) {
        session.poll();
        assert!(start.elapsed() < Duration::from_mins(5), "it never ends");
        std::thread::sleep(Duration::from_millis(2));
    }
    let posepress::codec::Payload::Container(bytes) =
        &session.result(id).expect("a result").compressed.payload
    else {
        panic!("a container");
    };
    assert_eq!(bytes.to_vec(), room.bytes("o.ppc"));
}

#[test]
fn a_size_that_cannot_be_writes_nothing_without_force() {
    let room = room_with_mannequin();
    let done = room.run("compress m.glb -o o.ppc --bytes 40");
    assert_eq!(done.code, 3, "{done:?}");
    assert!(
        done.err
            .contains("clip Walk cannot fit in 40 B of animation"),
        "{done:?}"
    );
    assert!(!room.path("o.ppc").exists());
    let done = room.run("compress m.glb -o o.ppc --bytes 40 --force --report r.json");
    assert_eq!(done.code, 3, "{done:?}");
    assert!(done.err.contains("written all the same"), "{done:?}");
    let budget = &room.json("r.json")["clips"][0]["byte_budget"];
    assert_eq!(
        (&budget["met"], &budget["target_mm"]),
        (&false.into(), &100.0.into())
    );
    assert!(room.path("o.ppc").exists());
}

#[test]
fn a_size_goes_with_no_other_target_and_no_comparison() {
    let room = room_with_mannequin();
    for words in [
        "compress m.glb -o o.ppc --bytes 2KB --target 1mm",
        "compress m.glb -o o.ppc --bytes 2KB --rot-tol 1deg",
        "compress m.glb -o o.ppc --bytes small",
        "compress m.glb --codec all --bytes 2KB",
        "export m.glb -o out --approved --bytes 2KB",
    ] {
        let done = room.run(words);
        assert_eq!(done.code, 1, "{words}: {done:?}");
    }
}
