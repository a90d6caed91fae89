//! `info`, for people and for machines.

use crate::asset::{gltf, morph, walk};
use crate::run::{Room, room_with_mannequin};

#[test]
fn a_source_is_described() {
    let room = Room::new();
    room.write("w.gltf", gltf(&[("Walk", walk()), ("Talk", morph())]));
    let info = room.ok_json("info w.gltf --json");
    assert_eq!(info["kind"], "source");
    assert_eq!(info["clips"][0]["name"], "Walk");
    assert_eq!(info["clips"][0]["frames"], 25);
    assert_eq!(info["clips"][0]["tracks"], 3);
    assert_eq!(info["clips"][0]["start_secs"], 0.25);
    assert!((info["clips"][0]["rate"].as_f64().expect("a number") - 24.0).abs() < 1e-3);
    assert_eq!(info["clips"][1]["scalars"], 1);
    let text = room.ok("info w.gltf");
    assert!(
        text.contains("clip 0 Walk: 3 tracks, 25 frames at 24.000 Hz"),
        "{text}"
    );
}

#[test]
fn sections_of_a_container_add_up_to_the_file() {
    let room = room_with_mannequin();
    for settings in ["", "--smooth --loop", "--codec riot --rotation-bits 32"] {
        room.ok(&format!("compress m.glb -o m.ppc {settings} --target 20mm"));
        let info = room.ok_json("info --json m.ppc");
        let sections = info["sections"].as_object().expect("sections");
        assert!(sections["animation"].as_u64().expect("bytes") > 100);
        let sum: u64 = sections
            .values()
            .filter_map(serde_json::Value::as_u64)
            .sum();
        let header = info["header_bytes"].as_u64().expect("bytes");
        assert_eq!(header + sum, room.bytes("m.ppc").len() as u64);
        assert_eq!(info["bytes"], header + sum);
        assert_eq!(info["looped"], settings.contains("loop"));
        assert_eq!(info["smooth"], settings.contains("smooth"));
    }
}
