//! `export --profile universal`: a file that loads, and everything else in it as it was.

use crate::asset::{Curve, FRAMES, gltf, morph, step, swell, times, walk};
use crate::run::{Room, room_with_mannequin};
use serde_json::Value;

/// The JSON of a GLB.
fn json_of(glb: &[u8]) -> Value {
    assert_eq!(&glb[..4], b"glTF");
    let length = u32::from_le_bytes([glb[12], glb[13], glb[14], glb[15]]) as usize;
    serde_json::from_slice(&glb[20..20 + length]).expect("JSON")
}

#[test]
fn all_clips_go_into_one_file_that_measures_as_reported() {
    let room = room_with_mannequin();
    let text = room.ok("export m.glb -o o.glb --profile universal --target 0.5mm --report r.json");
    assert!(text.contains("wrote o.glb"));
    let report = room.json("r.json");
    assert_eq!(report["clips"].as_array().map(Vec::len), Some(9));
    for clip in report["clips"].as_array().expect("clips") {
        assert!(
            clip["dense"]["max_mm"].as_f64().expect("a figure") <= 0.5,
            "{clip}"
        );
        assert_eq!(clip["target_met"], true);
    }
    let info = room.ok_json("info --json o.glb");
    assert_eq!(info["joints"], room.ok_json("info --json m.glb")["joints"]);
    assert_eq!(info["clips"][2]["name"], "Run");
}

#[test]
fn everything_else_passes_through() {
    let room = Room::new();
    let source = gltf(&[
        ("Walk", walk()),
        ("Talk", morph()),
        ("Swell", swell()),
        ("Step", step()),
    ]);
    room.write("w.gltf", &source);
    room.ok("export w.gltf -o o.glb");
    let before: Value = serde_json::from_slice(&source).expect("JSON");
    let after = json_of(&room.bytes("o.glb"));
    for key in ["scene", "scenes", "nodes", "extras"] {
        assert_eq!(before[key], after[key], "{key}");
    }
    assert!(
        after["asset"]["generator"]
            .as_str()
            .expect("a text")
            .contains("Posepress")
    );
    let names = |json: &Value| -> Vec<Value> {
        json["animations"]
            .as_array()
            .expect("animations")
            .iter()
            .map(|a| a["name"].clone())
            .collect()
    };
    assert_eq!(names(&before), names(&after));
    // The weights stay; STEP stays.
    let paths: Vec<&Value> = after["animations"][1]["channels"]
        .as_array()
        .expect("channels")
        .iter()
        .map(|c| &c["target"]["path"])
        .collect();
    assert!(paths.contains(&&Value::from("weights")), "{paths:?}");
    let info = room.ok_json("info --json o.glb");
    assert_eq!(info["clips"][1]["scalars"], 1);
    for animation in after["animations"].as_array().expect("animations") {
        assert_eq!(animation["extras"]["posepress"]["clip"], animation["name"]);
    }
}

#[test]
fn one_clip_alone_leaves_the_others_as_they_were() {
    let room = room_with_mannequin();
    room.ok("compress m.glb -o o.glb --codec universal --clip Run --target 5mm --report r.json");
    let measured = room.ok_json("measure m.glb o.glb --json");
    let max = |k: usize| {
        measured["clips"][k]["dense"]["max_mm"]
            .as_f64()
            .expect("a figure")
    };
    assert!(max(0) < 1e-3 && max(1) < 1e-3 && max(2) > 0.5, "{measured}");
    let one = room.ok_json("measure m.glb o.glb --clip Run --json");
    let report = room.json("r.json");
    assert_eq!(one["clips"][0]["dense"], report["clips"][0]["dense"]);
}

#[test]
fn clips_of_one_name_are_told_apart() {
    let room = Room::new();
    room.write("w.gltf", gltf(&[("Take", walk()), ("Take", swell())]));
    room.ok("export w.gltf -o o.glb --report r.json");
    let measured = room.ok_json("measure w.gltf o.glb --json");
    for k in 0..2 {
        assert!(
            measured["clips"][k]["src"]["max_mm"]
                .as_f64()
                .expect("a figure")
                <= 1.0,
            "{measured}"
        );
    }
    room.ok("compress w.gltf -o o.ppc --clip 1");
    room.ok("measure w.gltf o.ppc");
}

/// A box beside the leg, that trembles by less than anybody sees.
#[test]
fn a_tree_that_comes_to_rest_is_measured_still() {
    let room = Room::new();
    let mut curves = walk();
    let tremble = |k: usize| [0.0, 0.0, 1e-5 * (k % 2) as f32];
    curves.push(Curve {
        node: 3,
        path: "translation",
        interpolation: "LINEAR",
        times: times(),
        values: (0..FRAMES).flat_map(tremble).collect(),
    });
    room.write("w.gltf", gltf(&[("Walk", curves)]));
    room.ok("export w.gltf -o o.glb --report r.json");
    let info = room.ok_json("info --json o.glb");
    assert_eq!(
        info["joints"].as_array().map(Vec::len),
        Some(3),
        "the box is no joint any more"
    );
    let measured = room.ok_json("measure w.gltf o.glb --json");
    let report = room.json("r.json");
    assert_eq!(report["clips"][0]["dense"], measured["clips"][0]["dense"]);
    assert_eq!(measured["clips"][0]["joints"], 4);
}

#[test]
fn a_missed_target_writes_nothing_without_force() {
    let room = room_with_mannequin();
    room.write("o.glb", "the old file");
    // Floats hold a micrometre, not a thousandth of a nanometre.
    let text = room.fails(3, "export m.glb -o o.glb --target 0.000000001mm");
    assert!(
        text.contains("over the target") && text.contains("o.glb was not written"),
        "{text}"
    );
    assert_eq!(room.bytes("o.glb"), b"the old file");
    let done = room.run("export m.glb -o o.glb --target 0.000000001mm --force");
    assert_eq!(done.code, 3);
    assert!(room.bytes("o.glb").starts_with(b"glTF"));
    room.ok("info o.glb");
}
