//! Bytes: whatever names those of a file, in the window or on the command line, names what lies on the disk.

use crate::asset::{Curve, gltf, morph, swell};
use crate::run::{Room, room_with_mannequin};
use posepress::import::{self, LoadOptions};
use posepress::session::units::{ByteLimit, Counted, show_bytes};
use posepress::session::{ClipId, Session};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

fn wait(session: &mut Session, done: impl Fn(&Session) -> bool) {
    let start = Instant::now();
    while !done(session) {
        session.poll();
        assert!(start.elapsed() < Duration::from_mins(5), "it never ends");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A session with the first clip of a file, compressed.
fn session(path: &Path) -> (Session, ClipId) {
    let mut asset = import::load(path, &LoadOptions::default()).expect("it loads");
    asset.clips.truncate(1);
    asset.animation_index.truncate(1);
    let mut session = Session::new(|| {});
    session.add(asset);
    wait(&mut session, |s| s.busy_clips() == 0);
    (session, ClipId::default())
}

fn length(path: &Path) -> usize {
    let length = std::fs::metadata(path).expect("a file").len();
    usize::try_from(length).expect("a small file")
}

fn number(value: &Value) -> usize {
    let number = value.as_u64().unwrap_or_else(|| panic!("{value}"));
    usize::try_from(number).expect("a small number")
}

/// The bytes of some sections of a report's clip.
fn sections(clip: &Value, wanted: impl Fn(&str) -> bool) -> usize {
    let all = clip["sections"].as_object().expect("sections").iter();
    all.filter(|(name, _)| wanted(name))
        .map(|(_, bytes)| number(bytes))
        .sum()
}

/// Bytes of the accessors that the samplers of an animation name, each once.
fn accessor_bytes(json: &Value, animation: &Value) -> usize {
    let samplers = animation["samplers"].as_array().expect("samplers").iter();
    let used: BTreeSet<usize> = samplers
        .flat_map(|s| [number(&s["input"]), number(&s["output"])])
        .collect();
    let bytes = |k: usize| {
        let accessor = &json["accessors"][k];
        let width = match accessor["type"].as_str().expect("a type") {
            "SCALAR" => 1,
            "VEC3" => 3,
            _ => 4,
        };
        4 * width * number(&accessor["count"])
    };
    used.into_iter().map(bytes).sum()
}

fn json_of_glb(glb: &[u8]) -> Value {
    let length = u32::from_le_bytes([glb[12], glb[13], glb[14], glb[15]]) as usize;
    serde_json::from_slice(&glb[20..20 + length]).expect("JSON")
}

#[test]
fn every_place_that_names_a_file_names_its_bytes_on_the_disk() {
    let room = room_with_mannequin();
    room.write("t.gltf", gltf(&[("Talk", morph())]));
    for source in ["m.glb", "t.gltf"] {
        let table = format!("compress {source} --codec all --report all.json");
        let table = room.ok(&table);
        for (k, codec) in ["compact", "uniform", "riot"].into_iter().enumerate() {
            let words = format!("compress {source} --codec {codec} -o o.ppc --report r.json");
            let out = room.ok(&words);
            let disk = length(&room.path("o.ppc"));
            let clip = &room.json("r.json")["clips"][0];
            assert_eq!(number(&clip["file_bytes"]), disk, "{words}");
            let parts = sections(clip, |_| true) + number(&clip["header_bytes"]);
            assert_eq!(parts, disk, "the parts are the file");
            let animation = sections(clip, |s| ["animation", "curves", "scalars"].contains(&s));
            assert_eq!(number(&clip["animation_bytes"]), animation, "{words}");
            let shown = show_bytes(disk);
            assert!(out.contains(&format!("header = {shown} file")), "{out}");
            assert!(out.contains(&format!("wrote o.ppc ({shown})")), "{out}");
            assert!(
                out.contains(&format!("{} animation + ", show_bytes(animation))),
                "{out}"
            );
            assert_eq!(number(&room.ok_json("info o.ppc --json")["bytes"]), disk);
            let row = &room.json("all.json")["clips"][0]["codecs"][k];
            assert_eq!(number(&row["file_bytes"]), disk, "{row}");
            assert_eq!(number(&row["animation_bytes"]), animation, "{row}");
            assert!(table.contains(&shown), "{table}");
        }
    }
    let talk = &room.json("r.json")["clips"][0];
    assert!(sections(talk, |s| s == "curves") > 20, "morph weights");
}

#[test]
fn the_window_names_the_bytes_that_it_exports() {
    let room = Room::new();
    let path = room.write("t.gltf", gltf(&[("Talk", morph())]));
    let (mut session, id) = session(&path);
    session.want_size_curve(true);
    wait(&mut session, |s| {
        s.size_curve(id).is_some_and(|c| c.point(0.001).is_some())
    });
    session.want_size_curve(false);
    session.compare(id);
    wait(&mut session, |s| s.comparison(id).is_some());
    session.export(&[id], &room.path(""));
    wait(&mut session, |s| s.last_export().is_some());
    let disk = length(&room.path("Talk.ppc"));

    let result = session.result(id).expect("a result");
    assert_eq!(result.file_bytes(), Some(disk));
    let parts = result.parts();
    assert_eq!(parts.iter().map(|p| p.1).sum::<usize>(), disk, "{parts:?}");
    let file = result.file.expect("a container");
    assert_eq!(file.animation, result.animation_bytes);
    assert_eq!(file.file(), disk);
    let words = format!("header = {} file", show_bytes(disk));
    assert!(
        result.sum_words().ends_with(&words),
        "{}",
        result.sum_words()
    );
    let curve = session.size_curve(id).expect("a curve");
    let point = curve.point(0.001).expect("the present one");
    assert_eq!(point.file_bytes, Some(disk));
    let compared = &session.comparison(id).expect("all codecs").codecs[0];
    assert_eq!(compared.file_bytes, disk);
    let export = session.last_export().expect("a report");
    assert_eq!(export.files[0].bytes, disk);
    let said = format!(
        "{} animation in {} on disk",
        show_bytes(result.animation_bytes),
        show_bytes(disk)
    );
    assert!(export.summary().contains(&said), "{}", export.summary());
}

#[test]
fn a_budget_for_the_file_is_kept_by_the_file() {
    let room = room_with_mannequin();
    let out =
        room.ok("compress m.glb -o o.ppc --preset standard --bytes 5.5KB:file --report r.json");
    let disk = length(&room.path("o.ppc"));
    assert!(disk <= 5632 && disk > 5400, "{disk}");
    assert!(out.contains("fits in a file of 5.5 KB"), "{out}");
    let budget = &room.json("r.json")["clips"][0]["byte_budget"];
    assert_eq!(
        (&budget["of"], &budget["bytes"]),
        (&"file".into(), &5632.into())
    );
    let (mut session, id) = session(&room.path("m.glb"));
    session.fit_bytes(id, ByteLimit::file(5632));
    let limit = session.fitting(id).map(|search| search.limit().counted);
    assert_eq!(limit, Some(Counted::File));
    wait(&mut session, |s| s.fitting(id).is_none() && !s.is_busy(id));
    let found = session.result(id).expect("a result").file_bytes();
    assert_eq!(found, Some(disk), "the window finds the same");
    let said = room.fails(1, "export m.glb -o o.glb --bytes 5.5KB:file");
    assert!(said.contains("is for a .ppc"), "{said}");
}

#[test]
fn the_animation_of_a_gltf_file_is_what_its_accessors_hold() {
    let room = room_with_mannequin();
    room.write("t.gltf", gltf(&[("Talk", morph())]));
    for source in ["m.glb", "t.gltf"] {
        let info = room.ok_json(&format!("info {source} --json"));
        let out = room.ok(&format!("export {source} -o o.glb --report r.json"));
        let glb = room.bytes("o.glb");
        let json = json_of_glb(&glb);
        let clips = &room.json("r.json")["clips"];
        for (k, animation) in json["animations"]
            .as_array()
            .expect("all")
            .iter()
            .enumerate()
        {
            assert_eq!(
                number(&clips[k]["animation_bytes"]),
                accessor_bytes(&json, animation),
                "{source} {k}"
            );
            assert_eq!(number(&clips[k]["file_bytes"]), glb.len());
            let own = &clips[k]["source_animation_bytes"];
            assert_eq!(own, &info["clips"][k]["source_animation_bytes"]);
        }
        assert!(out.contains(&format!("wrote o.glb ({}", show_bytes(glb.len()))));
    }
    let source: Value = serde_json::from_slice(&room.bytes("t.gltf")).expect("JSON");
    let own = &room.json("r.json")["clips"][0]["source_animation_bytes"];
    assert_eq!(
        number(own),
        accessor_bytes(&source, &source["animations"][0])
    );
}

#[test]
fn what_grew_against_its_source_is_not_called_smaller() {
    let room = Room::new();
    // Two keys that run straight: each stored frame of it is more than it was.
    let glide = Curve {
        times: vec![0.0, 4.0],
        values: vec![0.0, 1.0, 0.0, 3.0, 1.2, 2.0],
        ..swell().remove(0)
    };
    let glide = Curve {
        path: "translation",
        node: 2,
        ..glide
    };
    room.write("g.gltf", gltf(&[("Glide", vec![glide])]));
    let out = room.ok("compress g.gltf --codec uniform -o o.ppc");
    let line = out.lines().find(|l| l.starts_with("  animation "));
    let line = line.expect("a line about the animation");
    assert!(
        line.contains("times larger than the source's own animation") && !line.contains("smaller"),
        "{line}"
    );
}
