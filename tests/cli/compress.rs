//! `compress` and `measure`: what is written, what is said about it, and that both agree.

use crate::asset::{gltf, walk};
use crate::run::{Room, program, room_with_mannequin};
use serde_json::Value;

/// Everything of a report that `measure` finds, too.
#[track_caller]
fn assert_reported(report: &Value, measured: &Value) {
    let (r, m) = (&report["clips"], &measured["clips"]);
    assert_eq!(r.as_array().map(Vec::len), m.as_array().map(Vec::len));
    for (r, m) in r
        .as_array()
        .into_iter()
        .flatten()
        .zip(m.as_array().into_iter().flatten())
    {
        // What is asked of a clip is not in its file: who measures it says so himself.
        let figures = m.as_object().expect("a clip").iter();
        for (key, value) in figures.filter(|(key, _)| *key != "judgement") {
            assert_eq!(&r[key], value, "{key}");
        }
        assert!(m["src"]["max_mm"].is_f64() && m["dense"]["rms_mm"].is_f64());
    }
}

fn max_mm(report: &Value) -> f64 {
    report["clips"][0]["src"]["max_mm"]
        .as_f64()
        .expect("a figure")
}

#[test]
fn the_report_is_what_measure_finds_on_the_file() {
    let room = room_with_mannequin();
    for settings in [
        "",
        "--target 0.3mm --clip Turn_90",
        "--clip 1 --smooth --target 8mm",
        "--rot-tol 1deg --shell 10cm",
    ] {
        room.ok(&format!(
            "compress m.glb -o o.ppc --report r.json {settings}"
        ));
        let shell = if settings.contains("--shell") {
            "--shell 10cm"
        } else {
            ""
        };
        let measured = room.ok_json(&format!("measure m.glb o.ppc --json {shell}"));
        assert_reported(&room.json("r.json"), &measured);
    }
    room.ok("export m.glb -o o.glb --report r.json");
    assert_reported(
        &room.json("r.json"),
        &room.ok_json("measure m.glb o.glb --json"),
    );
}

#[test]
fn a_report_adds_up_with_the_file() {
    let room = room_with_mannequin();
    room.ok("compress m.glb -o o.ppc --report r.json");
    let (report, info) = (room.json("r.json"), room.ok_json("info --json o.ppc"));
    for part in ["sections", "header_bytes"] {
        assert_eq!(report["clips"][0][part], info[part]);
    }
    let tracks = report["clips"][0]["tracks"].as_array().expect("tracks");
    let bytes: u64 = tracks.iter().filter_map(|t| t["bytes"].as_u64()).sum();
    let whole = info["sections"]["animation"].as_u64().expect("bytes");
    assert!(bytes > 0 && bytes <= whole, "{bytes} of {whole}");
}

#[test]
fn a_clip_is_named_by_name_or_index() {
    let room = room_with_mannequin();
    room.ok("compress m.glb -o name.ppc --clip Idle");
    room.ok("compress m.glb -o index.ppc --clip 3");
    room.ok("compress m.glb -o first.ppc");
    assert_eq!(room.bytes("name.ppc"), room.bytes("index.ppc"));
    assert_eq!(room.ok_json("info --json name.ppc")["clip"], "Idle");
    assert_eq!(room.ok_json("info --json first.ppc")["clip"], "Walk");
}

#[test]
fn a_name_goes_before_an_index() {
    let room = Room::new();
    room.write("w.gltf", gltf(&[("1", walk()), ("0", walk())]));
    room.ok("compress w.gltf -o o.ppc --clip 0");
    assert_eq!(room.ok_json("info --json o.ppc")["clip"], "0");
}

#[test]
fn the_same_input_gives_the_same_bytes_on_any_number_of_threads() {
    let room = room_with_mannequin();
    let mut seen: Vec<Vec<Vec<u8>>> = Vec::new();
    for threads in ["1", "2", "8", "8"] {
        for words in [
            "compress m.glb -o o.ppc --clip Turn_90 --report r.json",
            "export m.glb -o o.glb --report g.json",
        ] {
            let mut command = program();
            command
                .args(words.split(' '))
                .current_dir(room.path(""))
                .env("RAYON_NUM_THREADS", threads);
            assert!(command.output().expect("it starts").status.success());
        }
        seen.push(
            ["o.ppc", "r.json", "o.glb", "g.json"]
                .map(|f| room.bytes(f))
                .to_vec(),
        );
    }
    assert!(seen.windows(2).all(|w| w[0] == w[1]));
}

#[test]
fn tolerances_bound_each_channel() {
    let room = Room::new();
    room.write("w.gltf", gltf(&[("Walk", walk())]));
    let keys = |words: &str| {
        room.ok(&format!(
            "compress w.gltf -o o.ppc --codec riot --report r.json --no-margin {words}"
        ));
        let report = room.json("r.json");
        let tracks = report["clips"][0]["tracks"]
            .as_array()
            .expect("tracks")
            .clone();
        let count = |channel: &str| -> u64 {
            let of = tracks.iter().filter(|t| t["channel"] == channel);
            of.filter_map(|t| t["keys"].as_u64()).sum()
        };
        (count("rotation"), count("translation"))
    };
    let coarse = keys("--rot-tol 5deg --pos-tol 5cm");
    let turns = keys("--rot-tol 0.1deg --pos-tol 5cm");
    let moves = keys("--rot-tol 5deg --pos-tol 0.1mm");
    assert!(
        turns.0 > coarse.0 && turns.1 == coarse.1,
        "{coarse:?} {turns:?}"
    );
    assert!(
        moves.1 > coarse.1 && moves.0 == coarse.0,
        "{coarse:?} {moves:?}"
    );
    let radians = keys("--rot-tol 0.001745329rad --pos-tol 5cm");
    assert_eq!(radians, turns, "units are understood");
}

#[test]
fn every_kind_of_tangents_meets_the_target_and_is_another_file() {
    let room = room_with_mannequin();
    let mut files = Vec::new();
    for tangents in [
        "uniform",
        "time-aware",
        "parabolic",
        "centripetal",
        "chordal",
    ] {
        room.ok(&format!(
            "compress m.glb -o o.ppc --codec riot --report r.json --tangents {tangents}"
        ));
        assert!(max_mm(&room.json("r.json")) <= 1.0, "{tangents}");
        files.push(room.bytes("o.ppc"));
    }
    files.sort();
    files.dedup();
    assert_eq!(files.len(), 5);
}

#[test]
fn thirty_two_bits_shake_more_than_forty_eight() {
    let room = room_with_mannequin();
    let rms = |bits: &str| {
        let words = format!(
            "compress m.glb -o o.ppc --codec riot --rot-tol 0.1deg --rotation-bits {bits} --report r.json"
        );
        let text = room.ok(&words);
        assert!(text.contains("jitter"), "{text}");
        room.json("r.json")["clips"][0]["jitter"]["rms_mm_per_s"]
            .as_f64()
            .expect("a figure")
    };
    let (fine, coarse) = (rms("48"), rms("32"));
    assert!(coarse > 2.0 * fine, "{fine} {coarse}");
}

#[test]
fn a_smooth_clip_holds_its_target_between_frames() {
    let room = room_with_mannequin();
    room.ok("compress m.glb -o o.ppc --codec riot --smooth --report r.json --target 8mm");
    let dense = &room.json("r.json")["clips"][0]["dense"]["max_mm"];
    assert!(dense.as_f64().expect("a figure") <= 8.0, "{dense}");
    let text = room.fails(
        3,
        "compress m.glb -o o.ppc --codec riot --smooth --target 0.5mm",
    );
    assert!(text.contains("use playback frame by frame"), "{text}");
}

#[test]
fn a_unit_scales_millimetres_and_goes_into_the_file() {
    let room = room_with_mannequin();
    let words = "compress m.glb -o o.ppc --report r.json --rot-tol 1deg --pos-tol";
    room.ok(&format!("{words} 1cm --shell 1m"));
    let metres = max_mm(&room.json("r.json"));
    room.ok(&format!("{words} 0.1mm --shell 1cm --unit 0.01"));
    let centimetres = max_mm(&room.json("r.json"));
    assert!(
        (metres / centimetres - 100.0).abs() < 0.01,
        "{metres} {centimetres}"
    );
    assert_eq!(room.ok_json("info --json o.ppc")["unit_m"], 0.01);
    // A container knows its unit.
    let by_itself = room.ok_json("measure m.glb o.ppc --shell 1cm --json");
    assert!((max_mm(&by_itself) - centimetres).abs() < 1e-12);
    assert_eq!(
        by_itself,
        room.ok_json("measure m.glb o.ppc --shell 1cm --unit 0.01 --json")
    );
}

#[test]
fn a_suspicious_unit_is_a_warning_unless_one_is_given() {
    let room = Room::new();
    let text = String::from_utf8(gltf(&[("Walk", walk())])).expect("JSON");
    let mut json: Value = serde_json::from_str(&text).expect("JSON");
    json["animations"][0]["channels"]
        .as_array_mut()
        .expect("channels")
        .remove(0);
    for node in 0..3 {
        json["nodes"][node]["translation"] = serde_json::json!([0, -80, 0]);
    }
    room.write("w.gltf", json.to_string());
    let done = room.run("sample w.gltf -o o.npy");
    assert_eq!(done.code, 0);
    assert!(done.err.contains("--unit 0.01"), "{done:?}");
    for unit in ["1", "0.01"] {
        let done = room.run(&format!("sample w.gltf -o o.npy --unit {unit}"));
        assert_eq!((done.code, done.err.as_str()), (0, ""));
    }
}

#[test]
fn an_old_file_is_kept_where_the_target_is_missed() {
    let room = room_with_mannequin();
    room.write("o.ppc", "the old file");
    let text = room.fails(
        3,
        "compress m.glb -o o.ppc --codec riot --target 0.001mm --report r.json",
    );
    for part in [
        "Walk",
        "over the target of 0.0010 mm",
        "o.ppc was not written",
        "--force",
        "universal",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(room.bytes("o.ppc"), b"the old file");
    assert_eq!(room.names(), ["m.glb", "o.ppc"]);

    let done =
        room.run("compress m.glb -o o.ppc --codec riot --target 0.001mm --report r.json --force");
    assert_eq!(done.code, 3);
    assert!(
        done.err.contains("over the target") && done.err.contains("because of --force"),
        "{done:?}"
    );
    assert!(done.out.contains("wrote o.ppc"));
    assert_eq!(room.json("r.json")["clips"][0]["target_met"], false);
    assert_reported(
        &room.json("r.json"),
        &room.ok_json("measure m.glb o.ppc --json"),
    );
}

#[test]
fn motion_between_frames_is_named_as_the_cause() {
    let room = Room::new();
    let mut curves = walk();
    // One key half-way between two frames, far off the line.
    curves[0].times.insert(10, 0.25 + 9.37 / 24.0);
    for v in [0.0, 1.4, 0.3].iter().rev() {
        curves[0].values.insert(30, *v);
    }
    room.write("w.gltf", gltf(&[("Walk", curves)]));
    for words in ["compress w.gltf -o o.ppc", "export w.gltf -o o.glb"] {
        let text = room.fails(3, words);
        assert!(text.contains("between its frames at 24 Hz"), "{text}");
    }
}

#[test]
fn all_codecs_are_compared_and_nothing_is_written() {
    let room = room_with_mannequin();
    let text = room.ok("compress m.glb --codec all --clip Idle --report r.json");
    let report = room.json("r.json");
    let codecs = report["clips"][0]["codecs"].as_array().expect("codecs");
    let names: Vec<&str> = codecs.iter().filter_map(|c| c["codec"].as_str()).collect();
    assert_eq!(names, ["compact", "uniform", "riot"]);
    let bytes = |k: usize| codecs[k]["animation_bytes"].as_u64().expect("bytes");
    assert!(bytes(0) < bytes(2), "{report}");
    for codec in codecs {
        assert_eq!(codec["target_met"], true, "{codec}");
        assert!(codec["max_mm"].as_f64().expect("a figure") <= 1.0);
        assert!(codec["keys"].as_u64().expect("a count") > 0);
        let name = codec["codec"].as_str().expect("a name");
        assert!(text.contains(name), "{text}");
        // The same as the file that this codec writes alone.
        room.ok(&format!(
            "compress m.glb -o o.ppc --codec {name} --clip Idle"
        ));
        let info = room.ok_json("info --json o.ppc");
        // The eyes blink.
        let parts =
            ["animation", "curves"].map(|s| info["sections"][s].as_u64().expect("a section"));
        assert_eq!(parts[0] + parts[1], codec["animation_bytes"], "{name}");
        assert_eq!(codec["file_bytes"], info["bytes"], "{name}");
    }
    assert!(text.contains(" ns"), "{text}");
}

#[test]
fn what_a_hand_holds_is_measured_and_held_where_it_is_attached() {
    let room = room_with_mannequin();
    room.write("staff.gltf", gltf(&[]));
    let free = "compress m.glb --clip Walk --target 1mm --force";
    room.ok(&format!("{free} -o free.ppc"));
    room.ok(&format!(
        "{free} -o held.ppc --attach staff.gltf=hand_r --report r.json"
    ));
    let measured = |file: &str| {
        max_mm(&room.ok_json(&format!(
            "measure m.glb {file} --json --attach staff.gltf=hand_r"
        )))
    };
    // 1.7 m from the hand.
    assert!(measured("free.ppc") > 1.0, "{}", measured("free.ppc"));
    assert!(measured("held.ppc") <= 1.0);
    assert_eq!(measured("held.ppc"), max_mm(&room.json("r.json")));
    let said = room.fails(1, &format!("{free} -o x.ppc --attach staff.gltf=tail"));
    assert!(said.contains("tail"), "{said}");
    let said = room.fails(1, &format!("{free} -o x.ppc --attach staff.gltf"));
    assert!(said.contains("sword.glb=hand_r"), "{said}");
}
