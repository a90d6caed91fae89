//! `contacts`, the slide in reports, and the limit on it.

use crate::asset::{gltf, walk};
use crate::run::{Room, room_with_mannequin};

#[test]
fn contacts_are_listed_as_text_and_as_json() {
    let room = room_with_mannequin();
    let text = room.ok("contacts m.glb --clip Walk");
    assert!(text.contains("the ground moves at 1.30 m/s"), "{text}");
    assert!(text.contains("foot_l") && text.contains("heel"), "{text}");
    let walk = room.ok_json("contacts m.glb --clip Walk --json");
    let clip = &walk["clips"][0];
    assert_eq!(clip["contacts"].as_array().map(Vec::len), Some(5));
    assert_eq!(clip["points"].as_array().map(Vec::len), Some(4));
    let first = &clip["contacts"][0];
    assert_eq!(
        (&first["joint"], &first["point"]),
        (&"foot_l".into(), &"heel".into())
    );
    assert_eq!(first["frames"][0], 0);
    let all = room.ok_json("contacts m.glb --json");
    let clips = all["clips"].as_array().expect("clips").len();
    let info = room.ok_json("info m.glb --json");
    assert_eq!(Some(clips), info["clips"].as_array().map(Vec::len));
}

#[test]
fn a_file_without_feet_says_so() {
    let room = Room::new();
    let leg = String::from_utf8(gltf(&[("Walk", walk())])).expect("JSON");
    room.write("w.gltf", leg.replace("\"foot\"", "\"tip\""));
    assert!(room.ok("contacts w.gltf").contains("it has no feet"));
    let text = room.fails(1, "contacts w.gltf --clip Run");
    assert!(text.contains("it has: Walk"), "{text}");
}

#[test]
fn reports_hold_the_slide_of_every_contact() {
    let room = room_with_mannequin();
    let text = room.ok("compress m.glb -o o.ppc --clip Walk_RootMotion --report r.json");
    assert!(text.contains("added slide"), "{text}");
    let report = room.json("r.json");
    let slides = report["clips"][0]["slide"].as_array().expect("slides");
    assert_eq!(slides.len(), 9);
    for s in slides {
        let mm = |key: &str| s[key].as_f64().expect(key);
        assert!(mm("added_mm") > 0.0 && mm("dense_added_mm") >= mm("added_mm"));
        assert!(mm("source_drift_mm") < 20.0 && mm("speed_mm_per_s") > 0.0);
        assert!(mm("lift_mm") >= 0.0 && mm("compressed_drift_mm") >= 0.0);
        let frames = |k: usize| s["frames"][k].as_f64().expect("a frame");
        assert!(frames(0) <= mm("worst_frame") && mm("worst_frame") <= frames(1));
    }
}

#[test]
fn a_limit_on_slide_holds_everywhere() {
    let room = room_with_mannequin();
    room.ok("compress m.glb -o o.ppc --target 1mm");
    let before = room.bytes("o.ppc");
    for words in [
        "compress m.glb -o o.ppc --target 1mm --slide 0.001um",
        "compress m.glb -o o.ppc --target 1mm --slide 0.001um --codec compact",
        // Float keys reach micrometres.
        "export m.glb -o o.glb --slide 0.00001mm",
    ] {
        let text = room.fails(3, words);
        assert!(
            text.contains("of added slide at") && text.contains("--slide"),
            "{text}"
        );
    }
    assert_eq!(room.bytes("o.ppc"), before);
    let done = room.run("measure m.glb o.ppc --slide 0.001um");
    assert_eq!(done.code, 3);
    assert!(done.out.contains("added slide") && done.err.contains("over the target of"));
    let done = room.run("compress m.glb -o o.ppc --target 1mm --codec all --slide 0.001um");
    let all = "compress m.glb --target 1mm --codec all --slide 0.001um";
    assert_eq!((done.code, room.run(all).code), (1, 3));
    for words in [
        "compress m.glb -o o.ppc --target 1mm --slide 5mm",
        "measure m.glb o.ppc --slide 5mm",
        "compress m.glb --target 1mm --codec all --slide 5mm",
    ] {
        room.ok(words);
    }
    let text = room.run("compress m.glb -o o.ppc --slide 0.001um --force");
    assert_eq!(text.code, 3);
    assert_ne!(room.names(), ["m.glb"], "written all the same");
    room.fails(1, "compress m.glb -o o.ppc --slide -1mm");
}

#[test]
fn what_passes_on_writing_passes_on_measuring() {
    let room = room_with_mannequin();
    room.ok("compress m.glb -o o.ppc --report r.json");
    let report = room.json("r.json");
    let slides = report["clips"][0]["slide"].as_array().expect("slides");
    let worst = slides.iter().filter_map(|s| s["added_mm"].as_f64());
    let limit = worst.fold(0.0, f64::max) * 1.0001;
    room.ok(&format!("compress m.glb -o o.ppc --slide {limit}mm"));
    room.ok(&format!("measure m.glb o.ppc --slide {limit}mm"));
}

#[test]
fn stakes_hold_feet_and_say_what_held_them() {
    let room = room_with_mannequin();
    let compress = "compress m.glb -o o.ppc --clip Walk";
    let text = room.ok(&format!(
        "{compress} --slide 0.2mm --stake limb --report r.json"
    ));
    assert!(text.contains("foot_l by limb"), "{text}");
    let clip = &room.json("r.json")["clips"][0];
    let held = clip["held"].as_array().expect("limbs");
    assert_eq!(held.len(), 2);
    for limb in held {
        assert_eq!(
            (&limb["by"], &limb["reached"]),
            (&"limb".into(), &true.into())
        );
    }
    for s in clip["slide"].as_array().expect("slides") {
        let mm = |key: &str| s[key].as_f64().expect(key);
        assert!(mm("added_mm") <= 0.2 && mm("jump_mm") > 0.0);
    }
    let done = room.run(&format!("{compress} --slide 0.2mm --stake full"));
    assert!(done.err.contains("some players ignore"), "{}", done.err);
    let text = room.fails(1, &format!("{compress} --stake limb"));
    assert!(text.contains("--slide"), "{text}");
    let text = room.fails(
        1,
        &format!("{compress} --codec riot --slide 0.2mm --stake limb"),
    );
    assert!(text.contains("--stake does nothing in riot"), "{text}");
}

#[test]
fn pairs_are_measured_and_held() {
    let room = room_with_mannequin();
    let weapon = "m.glb --clip Two_Hand_Weapon --pair hand_l,hand_r";
    let found = room.ok_json(&format!("contacts {weapon} --json"));
    let pair = &found["clips"][0]["pairs"][0];
    assert_eq!(
        (&pair["joint"], &pair["to"]),
        (&"hand_l".into(), &"hand_r".into())
    );
    assert!(pair["source_drift_mm"].as_f64().expect("a drift") < 0.1);
    let text = room.ok(&format!("compress {weapon} -o free.ppc"));
    assert!(
        text.contains("added drift") && text.contains("hand_l to hand_r"),
        "{text}"
    );
    let done = room.run("measure m.glb free.ppc --pair hand_l,hand_r,0,96 --slide 0.3mm");
    assert!(done.code == 3 && done.err.contains("keeps its distance to hand_r"));
    room.ok(&format!("compress {weapon} -o held.ppc --slide 0.2mm"));
    room.ok("measure m.glb held.ppc --pair hand_l,hand_r --slide 0.2mm");
    for (pair, text) in [
        ("hand_l,nobody", "no joint 'nobody'"),
        ("hand_l", "is no pair"),
    ] {
        let fault = room.fails(1, &format!("contacts m.glb --pair {pair}"));
        assert!(fault.contains(text), "{fault}");
    }
}
