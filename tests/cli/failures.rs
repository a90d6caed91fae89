//! Files that cannot be read or written: the code, the file's name, and nothing lost.

use crate::asset::{gltf, walk};
use crate::run::{Room, room_with_clips, room_with_mannequin};
use std::fs;

/// Every command that reads a source.
const READERS: [&str; 5] = [
    "contacts {}",
    "info {}",
    "compress {} -o o.ppc",
    "export {} -o o.glb",
    "sample {} -o o.npy",
];

#[test]
fn files_that_are_no_source_are_2_with_name_and_hint() {
    let room = Room::new();
    let glb = fs::read(crate::run::mannequin()).expect("the bundled clip");
    room.write("cut.glb", &glb[..glb.len() / 2]);
    room.write("empty.glb", "");
    room.write("text.glb", "hello");
    room.write("json.gltf", "{\"a\":");
    room.write("walk.bvh", "HIERARCHY\nROOT Hips\n");
    room.write("walk.fbx", b"Kaydara FBX Binary  \0\x1a\0");
    room.write(
        "ascii.fbx",
        "; FBX 7.7.0 project file\n\nFBXHeaderExtension:  {\n",
    );
    room.write("still.gltf", gltf(&[]));
    fs::create_dir(room.path("folder.glb")).expect("a folder");
    let expected = [
        ("missing.glb", "check the path"),
        ("cut.glb", "cut off"),
        ("empty.glb", "empty"),
        ("text.glb", "export other formats as glTF"),
        ("json.gltf", "line 1"),
        (
            "walk.bvh",
            "a BVH file, which cannot be read yet; export it as glTF",
        ),
        (
            "walk.fbx",
            "an FBX file, which cannot be read yet; export it as glTF",
        ),
        (
            "ascii.fbx",
            "an FBX file, which cannot be read yet; export it as glTF",
        ),
        ("still.gltf", "no animation"),
        ("folder.glb", "folder"),
    ];
    let before = room.names();
    for (file, hint) in expected {
        for reader in READERS {
            let text = room.fails(2, &reader.replace("{}", file));
            assert!(
                text.contains(file) && text.contains(hint),
                "{reader}: {text}"
            );
        }
        let text = room.fails(2, &format!("measure {file} {file}"));
        assert!(text.contains(file), "{text}");
    }
    assert_eq!(room.names(), before, "nothing was written");
}

#[test]
fn containers_that_cannot_be_read_are_2() {
    let room = room_with_mannequin();
    room.write("empty.ppc", "");
    room.write("text.ppc", "hello, this is no clip at all");
    fs::create_dir(room.path("folder.ppc")).expect("a folder");
    for file in ["missing.ppc", "empty.ppc", "text.ppc", "folder.ppc"] {
        for words in ["info {}", "sample {} -o o.npy", "measure m.glb {}"] {
            let text = room.fails(2, &words.replace("{}", file));
            assert!(text.contains(file), "{text}");
        }
    }
    room.ok("compress m.glb -o m.ppc");
    for words in [
        "compress m.ppc -o o.ppc",
        "export m.ppc -o o.glb",
        "measure m.ppc m.ppc",
    ] {
        let text = room.fails(2, words);
        assert!(
            text.contains("a compressed clip (.ppc), not a source"),
            "{text}"
        );
    }
}

#[test]
fn a_container_damaged_anywhere_is_refused() {
    let room = Room::new();
    room.write("w.gltf", gltf(&[("Walk", walk())]));
    room.ok("compress w.gltf -o w.ppc");
    let good = room.bytes("w.ppc");
    for offset in (0..good.len()).step_by(good.len() / 60 + 1) {
        let mut bad = good.clone();
        bad[offset] ^= 0x41;
        room.write("bad.ppc", &bad);
        let text = room.fails(2, "info bad.ppc");
        assert!(text.contains("bad.ppc"), "{text}");
        room.fails(2, "sample bad.ppc -o o.npy");
    }
    for length in [1, 8, 20, good.len() / 2, good.len() - 1] {
        room.write("bad.ppc", &good[..length]);
        room.fails(2, "info bad.ppc");
    }
    room.write("bad.ppc", [good.as_slice(), b"x"].concat());
    room.fails(2, "measure w.gltf bad.ppc");
}

#[test]
fn a_container_is_known_by_its_content() {
    let room = room_with_mannequin();
    room.ok("compress m.glb -o m.ppc");
    fs::copy(room.path("m.ppc"), room.path("m.bin")).expect("a copy");
    assert_eq!(room.ok("info --json m.bin"), room.ok("info --json m.ppc"));
    assert_eq!(
        room.ok("measure m.glb m.bin"),
        room.ok("measure m.glb m.ppc")
    );
}

#[test]
fn an_unknown_clip_lists_the_clips() {
    let room = room_with_mannequin();
    room.ok("compress m.glb -o m.ppc");
    for words in [
        "compress m.glb -o o.ppc --clip Swim",
        "compress m.glb -o o.ppc --clip 9",
        "sample m.glb -o o.npy --clip=-1x",
        "measure m.glb m.ppc --clip Swim",
    ] {
        let text = room.fails(1, words);
        assert!(
            text.contains("m.glb") && text.contains("Walk, Walk_RootMotion, Run, Idle"),
            "{text}"
        );
    }
    let text = room.fails(1, "sample m.ppc -o o.npy --clip Idle");
    assert!(text.contains("m.ppc") && text.contains("Walk"), "{text}");
}

#[test]
fn what_cannot_be_written_leaves_everything_as_it_was() {
    let room = room_with_clips(&["Idle"]);
    room.write("file", "I am a file");
    fs::create_dir(room.path("folder")).expect("a folder");
    for (target, hint) in [
        ("file/o", "should be a folder is a file"),
        ("folder", "folder"),
        ("nowhere/o", "does not exist"),
        ("/dev/full", "device"),
    ] {
        for words in [
            "compress m.glb -o {}",
            "export m.glb -o {}",
            "sample m.glb -o {}",
        ] {
            let text = room.fails(4, &words.replace("{}", target));
            assert!(text.contains(target) && text.contains(hint), "{text}");
        }
        let text = room.fails(4, &format!("compress m.glb -o ok.ppc --report {target}"));
        assert!(
            text.contains(target) && text.contains("ok.ppc was written"),
            "{text}"
        );
        fs::remove_file(room.path("ok.ppc")).expect("it was written");
    }
    assert_eq!(room.names(), ["file", "folder", "m.glb"]);
    assert_eq!(room.bytes("file"), b"I am a file");
}

/// A disk that takes only so much, as far as a shell can make one.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_old_file() {
    let room = room_with_mannequin();
    room.write("o.ppc", "the old file");
    room.write("o.glb", "the old file");
    for words in ["compress m.glb -o o.ppc", "export m.glb -o o.glb"] {
        let script = format!(
            "trap '' XFSZ; ulimit -f 1; cd '{}'; exec \"$0\" {words}",
            room.path("").display()
        );
        let done = std::process::Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_posepress")])
            .output();
        let done = crate::run::Done::from(done.expect("a shell"));
        assert_eq!(done.code, 4, "{done:?}");
        assert!(
            done.out.is_empty() && done.err.contains("nothing was replaced"),
            "{done:?}"
        );
    }
    assert_eq!(
        room.names(),
        ["m.glb", "o.glb", "o.ppc"],
        "no temporary file is left"
    );
    assert_eq!(room.bytes("o.ppc"), b"the old file");
    assert_eq!(room.bytes("o.glb"), b"the old file");
}

#[test]
fn no_command_writes_over_what_it_reads() {
    let room = room_with_mannequin();
    let before = room.bytes("m.glb");
    for words in [
        "export m.glb -o m.glb",
        "export m.glb -o ./m.glb",
        "compress m.glb -o m.glb --codec universal",
        "compress m.glb -o o.ppc --report m.glb",
        "compress m.glb -o o.ppc --report ./o.ppc",
        "sample m.glb -o m.glb",
    ] {
        let text = room.fails(1, words);
        assert!(text.contains("name another file"), "{text}");
    }
    assert_eq!(
        (room.bytes("m.glb"), room.names()),
        (before, vec!["m.glb".to_owned()])
    );
}

#[test]
fn a_name_that_says_another_format_is_refused() {
    let room = room_with_mannequin();
    for (words, better) in [
        ("compress m.glb -o o.glb", "o.ppc"),
        ("compress m.glb -o o.ppc --codec universal", "o.glb"),
        ("export m.glb -o o.gltf", "o.glb"),
    ] {
        let text = room.fails(1, words);
        assert!(text.contains(&format!("name it {better}")), "{text}");
    }
}

#[test]
fn a_file_is_measured_only_against_its_source() {
    let room = room_with_mannequin();
    room.write("w.gltf", gltf(&[("Walk", walk())]));
    room.ok("compress w.gltf -o w.ppc");
    room.ok("export w.gltf -o w.glb");
    for words in ["measure m.glb w.ppc", "measure m.glb w.glb"] {
        let text = room.fails(2, words);
        assert!(
            text.contains("joints") && text.contains("made from"),
            "{text}"
        );
    }
    room.write("swim.gltf", gltf(&[("Swim", walk())]));
    let text = room.fails(1, "measure swim.gltf w.ppc");
    assert!(text.contains("Walk") && text.contains("--clip"), "{text}");
    room.ok("measure swim.gltf w.ppc --clip Swim");
    room.fails(1, "measure swim.gltf w.glb");
    room.ok("measure swim.gltf w.glb --clip Swim");
}

#[test]
fn a_source_that_the_formats_cannot_hold_is_2() {
    let room = Room::new();
    let mut curves = crate::asset::morph();
    let weights = curves.last_mut().expect("the weights");
    weights.values[3] = 1e16;
    room.write("w.gltf", gltf(&[("Talk", curves)]));
    let text = room.fails(2, "compress w.gltf -o o.ppc");
    let told = text.contains("w.gltf: clip Talk:") && text.contains("larger than 1e15");
    assert!(told, "{text}");

    let source = String::from_utf8(gltf(&[("Walk", walk())])).expect("JSON");
    let mut json: serde_json::Value = serde_json::from_str(&source).expect("JSON");
    let view = serde_json::json!({ "buffer": 0, "byteOffset": 0, "byteLength": 1_000_000 });
    json["bufferViews"]
        .as_array_mut()
        .expect("views")
        .push(view);
    room.write("v.gltf", json.to_string());
    let text = room.fails(2, "export v.gltf -o o.glb");
    assert!(
        text.contains("v.gltf:") && text.contains("bufferViews"),
        "{text}"
    );
}

#[test]
fn one_wrong_key_time_does_not_take_all_memory() {
    let room = Room::new();
    let mut curves = walk();
    for c in &mut curves {
        *c.times.last_mut().expect("a key") = 1e6;
    }
    room.write("w.gltf", gltf(&[("Walk", curves)]));
    let text = room.ok("info w.gltf");
    assert!(
        text.contains("span 1000000 s") && text.contains("is a key time wrong?"),
        "{text}"
    );
    let frames = room.ok_json("info --json w.gltf")["clips"][0]["frames"].as_u64();
    assert!(frames.expect("a number") <= 1 << 20);
}
