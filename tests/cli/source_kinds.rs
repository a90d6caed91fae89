//! Curves of every kind, through every command.

use crate::asset::{Curve, gltf, morph, pose, step, swell, walk};
use crate::run::Room;

fn room(clips: &[(&str, Vec<Curve>)]) -> Room {
    let room = Room::new();
    room.write("w.gltf", gltf(clips));
    room
}

#[test]
fn all_kinds_meet_the_target_in_both_deliverables() {
    let room = room(&[
        ("Walk", walk()),
        ("Swell", swell()),
        ("Step", step()),
        ("Pose", pose()),
        ("Talk", morph()),
    ]);
    room.ok("export w.gltf -o o.glb --report g.json");
    for (k, name) in ["Walk", "Swell", "Step", "Pose", "Talk"].iter().enumerate() {
        for (smooth, limit) in [("", 1.0), ("--smooth --target 20mm", 20.0)] {
            room.ok(&format!(
                "compress w.gltf -o o.ppc --clip {name} --report r.json {smooth}"
            ));
            let report = room.json("r.json");
            let max = |set: &str| {
                report["clips"][0][set]["max_mm"]
                    .as_f64()
                    .expect("a figure")
            };
            assert!(max("src") <= limit, "{name} {smooth}: {report}");
            if !smooth.is_empty() {
                assert!(max("dense") <= limit, "{name}: {report}");
            }
            let poses = room.ok("sample o.ppc -o o.npy --rate-mul 4");
            assert_eq!(poses, "");
        }
        let report = room.json("g.json");
        assert!(
            report["clips"][k]["dense"]["max_mm"]
                .as_f64()
                .expect("a figure")
                <= 1.0,
            "{name}"
        );
    }
}

#[test]
fn scale_and_step_are_kept_and_a_scale_tolerance_bounds() {
    let room = room(&[("Swell", swell())]);
    room.ok(
        "compress w.gltf -o o.ppc --scale-tol 1e-4 --rot-tol 1deg --pos-tol 1mm --report r.json",
    );
    let report = room.json("r.json");
    let tracks = report["clips"][0]["tracks"].as_array().expect("tracks");
    let scale = tracks
        .iter()
        .find(|t| t["channel"] == "scale")
        .expect("the knee's");
    assert_eq!(scale["joint"], "knee");
    assert!(
        scale["local_error"].as_f64().expect("a figure") < 2e-4,
        "{scale}"
    );
}

#[test]
fn a_single_pose_is_one_frame() {
    let room = room(&[("Pose", pose())]);
    room.ok("compress w.gltf -o o.ppc");
    let info = room.ok_json("info --json o.ppc");
    assert_eq!(
        (&info["frames"], &info["duration_secs"]),
        (&1.into(), &0.0.into())
    );
    let text = room.ok("measure w.gltf o.ppc");
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}

#[test]
fn the_first_key_need_not_be_at_0() {
    let room = room(&[("Walk", walk())]);
    room.ok("compress w.gltf -o o.ppc");
    let info = room.ok_json("info --json o.ppc");
    assert_eq!(
        (&info["start_secs"], &info["frames"]),
        (&0.25.into(), &25.into())
    );
}

#[test]
fn weights_are_fitted_counted_and_measured() {
    let room = room(&[("Talk", morph())]);
    let text = room.ok("compress w.gltf -o o.ppc --report r.json");
    assert!(text.contains("  weights        max 0.000"), "{text}");
    let clip = &room.json("r.json")["clips"][0];
    let (curve, track) = (&clip["curves"][0], &clip["curve_tracks"][0]);
    assert_eq!(curve["name"], track["name"]);
    assert!(
        curve["error"].as_f64().is_some_and(|e| e <= 0.001),
        "{curve}"
    );
    let whole = clip["sections"]["curves"].as_u64().expect("a section");
    assert!(
        track["bytes"].as_u64().is_some_and(|n| n > 0 && n < whole),
        "{track}"
    );
    room.ok("compress w.gltf -o c.ppc --weight-tol 0.2 --report c.json");
    let coarser = &room.json("c.json")["clips"][0];
    assert!(
        coarser["sections"]["curves"].as_u64() < Some(whole),
        "{coarser}"
    );
    room.fails(1, "compress w.gltf -o c.ppc --weight-tol 0");
    room.ok("export w.gltf -o w.glb --target 0.5mm");
    let measured = room.ok_json("measure w.gltf w.glb --json");
    let error = &measured["clips"][0]["curves"][0]["error"];
    assert!(error.as_f64().is_some_and(|e| e <= 0.001), "{measured}");
}

#[test]
fn names_from_a_file_cannot_steer_the_terminal() {
    let room = room(&[("Red\u{1b}[31m\u{9b}2J", walk())]);
    let text = room.ok("info w.gltf") + &room.ok("compress w.gltf -o o.ppc");
    let failed = room.run("compress w.gltf -o o.ppc --clip none");
    for text in [text, room.ok("info o.ppc"), failed.err] {
        assert!(text.contains("Red\\u{1b}[31m"), "{text}");
        assert!(
            !text.chars().any(|c| c.is_control() && c != '\n'),
            "{text:?}"
        );
    }
}
