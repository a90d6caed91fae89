//! Rewrites hand-made glTF files and looks at every part of what comes out.

use posepress::codec::{KeyframeChannel, Keyframes, WeightChannel, WeightKeys};
use posepress::export::gltf::{
    ExportError, Glb, GltfSource, OtherAnimations, ReplacedAnimation, write_glb,
};
use posepress::math::{Channel, Transform};
use posepress::model::{Interpolation, Joint, Skeleton};
use serde_json::{Value, json};
use std::path::Path;

fn skeleton(nodes: &[usize]) -> Skeleton {
    let joint = |(i, &node): (usize, &usize)| Joint {
        name: format!("joint{i}"),
        parent: i.checked_sub(1),
        rest: Transform::IDENTITY,
        source_index: node,
    };
    Skeleton::new(nodes.iter().enumerate().map(joint).collect()).expect("valid")
}

fn channel(joint: usize, channel: Channel, times: &[f32], values: &[f32]) -> KeyframeChannel {
    KeyframeChannel {
        joint,
        channel,
        interpolation: Interpolation::Linear,
        times: times.to_vec(),
        values: values.to_vec(),
    }
}

fn keyframes(channels: Vec<KeyframeChannel>) -> Keyframes {
    Keyframes {
        channels,
        weights: Vec::new(),
    }
}

fn turn(a: f32) -> [f32; 4] {
    [0.0, a.sin(), 0.0, a.cos()]
}

/// Two animations that share their times; the first also moves weights and has a channel of node 2, outside the
/// skeleton. View 0 holds indices-like bytes, view 5 a picture.
fn sample() -> (Value, Vec<Vec<u8>>) {
    let buffer: Vec<u8> = (0..=199).collect();
    let json = json!({
        "zebra": "unknown keys stay, in their order",
        "asset": { "version": "2.0", "generator": "Handmade 1", "copyright": "nobody" },
        "extensionsUsed": ["KHR_materials_unlit"],
        "scenes": [{ "nodes": [0] }],
        "nodes": [
            { "name": "root", "children": [1, 2], "mesh": 0, "extras": { "hp": 3 } },
            { "name": "child", "translation": [0.5, 0.25, 0.125] },
            { "name": "camera" }
        ],
        "materials": [{ "extensions": { "KHR_materials_unlit": {} }, "name": "flat" }],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": 5 }, "indices": 0, "material": 0,
            "targets": [{ "POSITION": 5 }]
        }] }],
        "animations": [
            {
                "name": "walk",
                "channels": [
                    { "sampler": 0, "target": { "node": 0, "path": "rotation" }, "extras": { "kept": true } },
                    { "sampler": 1, "target": { "node": 0, "path": "weights" } },
                    { "sampler": 2, "target": { "node": 1, "path": "translation" } },
                    { "sampler": 3, "target": { "node": 2, "path": "translation" } }
                ],
                "samplers": [
                    { "input": 1, "output": 2, "extras": "curve" },
                    { "input": 1, "output": 3, "interpolation": "STEP", "extras": 7 },
                    { "input": 1, "output": 4 },
                    { "input": 1, "output": 4, "interpolation": "LINEAR" }
                ],
                "extras": { "events": [1, 2], "fps": 24 }
            },
            {
                "name": "idle",
                "channels": [{ "sampler": 0, "target": { "node": 0, "path": "rotation" } }],
                "samplers": [{ "input": 1, "output": 6, "interpolation": "LINEAR" }]
            }
        ],
        "accessors": [
            { "bufferView": 0, "componentType": 5121, "count": 3, "type": "SCALAR" },
            { "bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1] },
            { "bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC4", "name": "only walk" },
            { "bufferView": 1, "byteOffset": 8, "componentType": 5126, "count": 2, "type": "SCALAR" },
            { "bufferView": 3, "componentType": 5126, "count": 2, "type": "VEC3" },
            { "bufferView": 4, "componentType": 5126, "count": 1, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1] },
            { "bufferView": 4, "byteOffset": 12, "componentType": 5126, "count": 2, "type": "VEC4" }
        ],
        "bufferViews": [
            { "buffer": 0, "byteOffset": 0, "byteLength": 3, "name": "indices" },
            { "buffer": 0, "byteOffset": 4, "byteLength": 16 },
            { "buffer": 0, "byteOffset": 20, "byteLength": 32 },
            { "buffer": 0, "byteOffset": 52, "byteLength": 24, "extras": { "x": 1 } },
            { "buffer": 0, "byteOffset": 76, "byteLength": 44 },
            { "buffer": 0, "byteOffset": 120, "byteLength": 33 }
        ],
        "images": [{ "bufferView": 5, "mimeType": "image/png" }],
        "buffers": [{ "uri": "data:,", "byteLength": 200, "name": "all" }]
    });
    (json, vec![buffer])
}

fn write(
    json: &Value,
    buffers: &[Vec<u8>],
    animations: &[ReplacedAnimation],
    others: OtherAnimations,
) -> Result<Glb, ExportError> {
    let base = Path::new("");
    write_glb(
        &GltfSource {
            json,
            buffers,
            base,
        },
        animations,
        others,
    )
}

/// Takes a GLB apart, holding it against the rules of the container on the way.
fn parse(glb: &[u8]) -> (Value, Vec<u8>) {
    let u32_at = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().expect("4")) as usize;
    assert_eq!(&glb[..4], b"glTF");
    assert_eq!((u32_at(4), u32_at(8)), (2, glb.len()));
    let json_end = 20 + u32_at(12);
    assert_eq!(&glb[16..20], b"JSON");
    assert_eq!(json_end % 4, 0);
    let json = serde_json::from_slice(&glb[20..json_end]).expect("JSON");
    if json_end == glb.len() {
        return (json, Vec::new());
    }
    assert_eq!(&glb[json_end + 4..json_end + 8], b"BIN\0");
    assert_eq!(json_end + 8 + u32_at(json_end), glb.len());
    assert_eq!(glb.len() % 4, 0);
    (json, glb[json_end + 8..].to_vec())
}

fn index(value: &Value) -> usize {
    value.as_u64().expect("an index") as usize
}

fn view_bytes<'b>(json: &Value, bins: &'b [Vec<u8>], view: usize) -> &'b [u8] {
    let view = &json["bufferViews"][view];
    let start = view.get("byteOffset").map_or(0, index);
    &bins[index(&view["buffer"])][start..start + index(&view["byteLength"])]
}

/// The tightly packed bytes of an accessor.
fn accessor_bytes<'b>(json: &Value, bins: &'b [Vec<u8>], accessor: usize) -> &'b [u8] {
    let a = &json["accessors"][accessor];
    let component = match index(&a["componentType"]) {
        5126 | 5125 => 4,
        5122 | 5123 => 2,
        _ => 1,
    };
    let width = match a["type"].as_str() {
        Some("SCALAR") => 1,
        Some("VEC3") => 3,
        _ => 4,
    };
    let start = a.get("byteOffset").map_or(0, index);
    let view = &json["bufferViews"][index(&a["bufferView"])];
    let absolute = start + view.get("byteOffset").map_or(0, index);
    assert_eq!(
        absolute % component,
        0,
        "accessor {accessor} is not aligned"
    );
    let bytes = view_bytes(json, bins, index(&a["bufferView"]));
    &bytes[start..start + index(&a["count"]) * width * component]
}

fn floats(json: &Value, bins: &[Vec<u8>], accessor: usize) -> Vec<f32> {
    accessor_bytes(json, bins, accessor)
        .chunks_exact(4)
        .map(|b| f32::from_le_bytes(b.try_into().expect("4")))
        .collect()
}

/// The document with everything that may change replaced by what it means.
fn meaning(json: &Value, bins: &[Vec<u8>]) -> Value {
    let mut json = json.clone();
    let original = json.clone();
    let map = json.as_object_mut().expect("object");
    for key in ["animations", "accessors", "bufferViews", "buffers", "asset"] {
        map.shift_remove(key);
    }
    let accessor = |v: &mut Value| {
        let mut meaning = original["accessors"][index(v)].clone();
        meaning["bufferView"] = accessor_bytes(&original, bins, index(v)).into();
        *v = meaning;
    };
    if let Some(p) = json.pointer_mut("/meshes/0/primitives/0") {
        accessor(&mut p["indices"]);
        accessor(&mut p["attributes"]["POSITION"]);
        accessor(&mut p["targets"][0]["POSITION"]);
    }
    for image in json["images"].as_array_mut().into_iter().flatten() {
        if let Some(view) = image.get("bufferView").map(index) {
            image["bufferView"] = view_bytes(&original, bins, view).into();
        }
    }
    json
}

fn walk() -> Keyframes {
    let (a, b, c) = (turn(0.1), turn(0.2), turn(0.3));
    let t = [0.0, 1.0 / 30.0, 0.7];
    keyframes(vec![
        channel(0, Channel::Rotation, &t, &[a, b, c].concat()),
        channel(0, Channel::Scale, &t, &[1.0; 9]),
        channel(1, Channel::Translation, &[0.1], &[1.0, 2.0, 1.0 / 3.0]),
    ])
}

fn replaced<'a>(
    index: usize,
    keyframes: &'a Keyframes,
    skeleton: &'a Skeleton,
) -> ReplacedAnimation<'a> {
    ReplacedAnimation {
        index,
        keyframes,
        skeleton,
        extras: json!({ "posepress": { "worst_m": 0.001 } }),
    }
}

/// The sample with animation 0 replaced by [`walk`].
fn rewritten() -> (Value, Vec<Vec<u8>>) {
    let (json, buffers) = sample();
    let (skeleton, keys) = (skeleton(&[0, 1]), walk());
    let animations = [replaced(0, &keys, &skeleton)];
    let glb = write(&json, &buffers, &animations, OtherAnimations::Keep).expect("written");
    assert_eq!(glb.notes, Vec::<String>::new());
    let (json, bin) = parse(&glb.bytes);
    (json, vec![bin])
}

#[test]
fn everything_but_the_animation_passes_through() {
    let (old, old_bins) = sample();
    let (new, new_bins) = rewritten();
    assert_eq!(meaning(&new, &new_bins), meaning(&old, &old_bins));
    let keys = |v: &Value| {
        v.as_object()
            .expect("object")
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(keys(&new), keys(&old), "order of keys");
    assert_eq!(keys(&new["nodes"][0]), keys(&old["nodes"][0]));
    let buffers = json!([{ "byteLength": new_bins[0].len(), "name": "all" }]);
    assert!(new["buffers"][0].get("uri").is_none());
    assert_eq!(new["buffers"][0]["name"], buffers[0]["name"]);
    let declared = index(&new["buffers"][0]["byteLength"]);
    assert!(declared <= new_bins[0].len() && new_bins[0].len() < declared + 4);
}

#[test]
fn the_generator_is_named_and_the_old_one_kept() {
    let (new, bins) = rewritten();
    let generator = new["asset"]["generator"].as_str().expect("text");
    assert_eq!(
        generator,
        format!("Posepress {}", env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(new["asset"]["extras"]["previousGenerator"], "Handmade 1");
    assert_eq!(new["asset"]["copyright"], "nobody");
    let again = write(&new, &bins, &[], OtherAnimations::Keep).expect("written");
    let (again, _) = parse(&again.bytes);
    assert_eq!(
        again["asset"], new["asset"],
        "a second pass keeps the first tool"
    );
}

#[test]
fn keyframes_come_back_exactly() {
    let (json, bins) = rewritten();
    let animation = &json["animations"][0];
    for want in walk().channels {
        let path = match want.channel {
            Channel::Rotation => "rotation",
            Channel::Translation => "translation",
            Channel::Scale => "scale",
        };
        let target = json!({ "node": want.joint, "path": path });
        let mut channels = animation["channels"].as_array().expect("list").iter();
        let found = channels.find(|c| c["target"] == target).expect("written");
        let sampler = &animation["samplers"][index(&found["sampler"])];
        let (input, output) = (index(&sampler["input"]), index(&sampler["output"]));
        assert_eq!(floats(&json, &bins, input), want.times);
        assert_eq!(floats(&json, &bins, output), want.values);
        assert_eq!(sampler["interpolation"], "LINEAR");
        let (min, max) = (want.times[0], want.times[want.times.len() - 1]);
        assert_eq!(json["accessors"][input]["min"], json!([f64::from(min)]));
        assert_eq!(json["accessors"][input]["max"], json!([f64::from(max)]));
    }
}

#[test]
fn weights_and_nodes_outside_the_skeleton_keep_their_channels() {
    let (old, old_bins) = sample();
    let (new, new_bins) = rewritten();
    let animation = &new["animations"][0];
    let channels = animation["channels"].as_array().expect("list");
    assert_eq!(channels.len(), 5);
    assert_eq!(channels[0]["extras"], json!({ "kept": true }));
    for (position, old_sampler) in [(1, 1), (3, 3)] {
        let mut want = old["animations"][0]["samplers"][old_sampler].clone();
        let mut got = animation["samplers"][index(&channels[position]["sampler"])].clone();
        let target = &old["animations"][0]["channels"][position]["target"];
        assert_eq!(&channels[position]["target"], target);
        for key in ["input", "output"] {
            let want = accessor_bytes(&old, &old_bins, index(&want[key].take()));
            assert_eq!(
                accessor_bytes(&new, &new_bins, index(&got[key].take())),
                want
            );
        }
        assert_eq!(got, want);
    }
}

fn weights(node: usize, times: &[f32], values: &[f32]) -> Keyframes {
    Keyframes {
        weights: vec![WeightChannel {
            node: Some(node),
            first: 0,
            keys: WeightKeys::Fitted {
                interpolation: Interpolation::Step,
                times: times.to_vec(),
                values: values.to_vec(),
            },
        }],
        ..walk()
    }
}

#[test]
fn new_weights_stand_in_the_place_of_the_old() {
    let (json, buffers) = sample();
    let skeleton = skeleton(&[0, 1]);
    let keys = weights(0, &[0.25, 0.5, 0.75], &[0.0, 1.0, 0.125]);
    let animations = [replaced(0, &keys, &skeleton)];
    let glb = write(&json, &buffers, &animations, OtherAnimations::Keep).expect("written");
    let (new, bin) = parse(&glb.bytes);
    let animation = &new["animations"][0];
    let channels = animation["channels"].as_array().expect("list");
    assert_eq!(channels.len(), 5);
    assert_eq!(
        channels[1]["target"],
        json!({ "node": 0, "path": "weights" })
    );
    let sampler = &animation["samplers"][index(&channels[1]["sampler"])];
    assert_eq!(sampler["interpolation"], "STEP");
    assert_eq!(sampler["extras"], 7);
    let output = index(&sampler["output"]);
    assert_eq!(new["accessors"][output]["count"], 3);
    assert_eq!(new["accessors"][output]["type"], "SCALAR");
    let bytes: Vec<u8> = [0.0_f32, 1.0, 0.125]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    assert_eq!(accessor_bytes(&new, &[bin], output), bytes);
}

#[test]
fn weights_that_gltf_forbids_are_refused() {
    let (json, buffers) = sample();
    let skeleton = skeleton(&[0, 1]);
    for keys in [
        weights(0, &[0.5, 0.25], &[0.0, 1.0]),
        weights(0, &[0.0, 0.5], &[0.0, f32::NAN]),
        weights(0, &[-0.5], &[0.0]),
        weights(0, &[0.0, 0.5], &[0.0, 1.0, 2.0]),
        weights(99, &[0.0], &[0.0]),
    ] {
        let animations = [replaced(0, &keys, &skeleton)];
        let result = write(&json, &buffers, &animations, OtherAnimations::Keep);
        let refused = matches!(result, Err(ExportError::Keyframes { animation: 0, .. }));
        assert!(refused, "{:?}", keys.weights);
    }
}

#[test]
fn another_animation_and_the_accessors_it_shares_survive() {
    let (old, old_bins) = sample();
    let (new, new_bins) = rewritten();
    let (mut want, mut got) = (old["animations"][1].clone(), new["animations"][1].clone());
    for key in ["input", "output"] {
        let want = accessor_bytes(&old, &old_bins, index(&want["samplers"][0][key].take()));
        let got = accessor_bytes(&new, &new_bins, index(&got["samplers"][0][key].take()));
        assert_eq!(got, want);
    }
    assert_eq!(got, want);
}

#[test]
fn only_what_nobody_uses_any_more_is_removed() {
    let (new, bins) = rewritten();
    let accessors = new["accessors"].as_array().expect("list");
    assert!(accessors.iter().all(|a| a["name"] != "only walk"));
    // 7 old, 1 gone; two times and three values come, of which two channels share one.
    assert_eq!(accessors.len(), 7 - 1 + 2 + 3);
    assert_eq!(
        new["bufferViews"].as_array().expect("list").len(),
        6 - 1 + 1
    );
    assert!(!bins[0].windows(32).any(|w| w == &sample().1[0][20..52]));
}

#[test]
fn extras_are_merged() {
    let (new, _) = rewritten();
    let want = json!({ "events": [1, 2], "fps": 24, "posepress": { "worst_m": 0.001 } });
    assert_eq!(new["animations"][0]["extras"], want);
    assert_eq!(new["animations"][0]["name"], "walk");
}

#[test]
fn others_can_be_dropped_with_their_bytes() {
    let (json, buffers) = sample();
    let (skeleton, keys) = (skeleton(&[0, 1]), walk());
    let animations = [replaced(1, &keys, &skeleton)];
    let glb = write(&json, &buffers, &animations, OtherAnimations::Drop).expect("written");
    let (new, bin) = parse(&glb.bytes);
    assert_eq!(new["animations"].as_array().map(Vec::len), Some(1));
    assert_eq!(new["animations"][0]["name"], "idle");
    // Left of the old: indices and positions.
    assert_eq!(new["accessors"].as_array().map(Vec::len), Some(2 + 2 + 3));
    assert_eq!(meaning(&new, &[bin]), meaning(&json, &buffers));

    let none = write(&json, &buffers, &[], OtherAnimations::Drop).expect("written");
    assert!(parse(&none.bytes).0.get("animations").is_none());
}

#[test]
fn step_keys_and_channels_that_rest() {
    let (json, buffers) = sample();
    let skeleton = skeleton(&[0, 1]);
    let mut step = channel(1, Channel::Translation, &[0.0, 0.5], &[0.0; 6]);
    step.interpolation = Interpolation::Step;
    let keys = keyframes(vec![step]);
    let animations = [replaced(0, &keys, &skeleton)];
    let glb = write(&json, &buffers, &animations, OtherAnimations::Keep).expect("written");
    let (new, _) = parse(&glb.bytes);
    let channels = new["animations"][0]["channels"].as_array().expect("list");
    let rotation = channels.iter().find(|c| c["target"]["path"] == "rotation");
    assert!(rotation.is_none(), "a channel that is not listed rests");
    let sampler = index(&channels[1]["sampler"]);
    assert_eq!(
        new["animations"][0]["samplers"][sampler]["interpolation"],
        "STEP"
    );
}

#[test]
fn an_animation_in_which_nothing_moves_still_has_a_channel() {
    let (json, buffers) = sample();
    let (skeleton, keys) = (skeleton(&[0, 1]), keyframes(Vec::new()));
    let animations = [replaced(1, &keys, &skeleton)];
    let glb = write(&json, &buffers, &animations, OtherAnimations::Keep).expect("written");
    let (new, bin) = parse(&glb.bytes);
    let sampler = &new["animations"][1]["samplers"][0];
    let rest = floats(&new, &[bin], index(&sampler["output"]));
    assert_eq!(rest, [0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn unknown_extensions_keep_every_index_in_place() {
    let (mut json, buffers) = sample();
    json["nodes"][2]["extensions"] = json!({ "ACME_secret": { "accessor": 2, "bufferView": 2 } });
    let (skeleton, keys) = (skeleton(&[0, 1]), walk());
    let animations = [replaced(0, &keys, &skeleton)];
    let glb = write(&json, &buffers, &animations, OtherAnimations::Keep).expect("written");
    let (new, bin) = parse(&glb.bytes);
    let old_accessors = json["accessors"].as_array().expect("list");
    let new_accessors = new["accessors"].as_array().expect("list");
    assert_eq!(&new_accessors[..old_accessors.len()], old_accessors);
    assert_eq!(&bin[..200], buffers[0]);
    for (i, view) in json["bufferViews"]
        .as_array()
        .expect("list")
        .iter()
        .enumerate()
    {
        assert_eq!(&new["bufferViews"][i], view);
    }
    let error = write(&json, &buffers, &animations, OtherAnimations::Drop).unwrap_err();
    assert!(error.to_string().contains("ACME_secret"), "{error}");
}

#[test]
fn several_buffers_become_one() {
    let (mut json, mut buffers) = sample();
    buffers.push((50..=149).collect());
    json["buffers"] =
        json!([{ "uri": "a.bin", "byteLength": 200 }, { "uri": "b.bin", "byteLength": 99 }]);
    json["bufferViews"][0] = json!({ "buffer": 1, "byteOffset": 3, "byteLength": 3 });
    json["bufferViews"][4] = json!({ "buffer": 1, "byteLength": 44, "byteOffset": 8 });
    let (skeleton, keys) = (skeleton(&[0, 1]), walk());
    let animations = [replaced(0, &keys, &skeleton)];
    let glb = write(&json, &buffers, &animations, OtherAnimations::Keep).expect("written");
    let (new, bin) = parse(&glb.bytes);
    assert_eq!(new["buffers"].as_array().map(Vec::len), Some(1));
    assert_eq!(meaning(&new, &[bin]), meaning(&json, &buffers));

    json["nodes"][2]["extensions"] = json!({ "ACME_secret": { "buffer": 1 } });
    let error = write(&json, &buffers, &animations, OtherAnimations::Keep).unwrap_err();
    assert!(matches!(error, ExportError::Unsupported { .. }), "{error}");
}

#[test]
fn compressed_views_keep_their_bytes_and_their_fallback_buffer() {
    let (mut json, mut buffers) = sample();
    buffers.push(Vec::new());
    let fallback = json!({ "byteLength": 44, "extensions": { "EXT_meshopt_compression": { "fallback": true } } });
    json["buffers"]
        .as_array_mut()
        .expect("list")
        .push(fallback.clone());
    json["bufferViews"][4] = json!({
        "buffer": 1, "byteLength": 44,
        "extensions": { "EXT_meshopt_compression":
            { "buffer": 0, "byteOffset": 160, "byteLength": 21, "byteStride": 4, "count": 11, "mode": "ATTRIBUTES" } }
    });
    let (skeleton, keys) = (skeleton(&[0, 1]), walk());
    let animations = [replaced(0, &keys, &skeleton)];
    let glb = write(&json, &buffers, &animations, OtherAnimations::Keep).expect("written");
    let (new, bin) = parse(&glb.bytes);
    assert_eq!(new["buffers"][1], fallback);
    let views = new["bufferViews"].as_array().expect("list");
    let view = views.iter().find(|v| v["buffer"] == 1).expect("kept");
    let compressed = &view["extensions"]["EXT_meshopt_compression"];
    let start = index(&compressed["byteOffset"]);
    assert_eq!(compressed["buffer"], 0);
    assert_eq!(&bin[start..start + 21], &buffers[0][160..181]);
    assert!(view.get("byteOffset").is_none());
}

#[test]
fn pictures_beside_the_file_are_embedded() {
    let folder = tempfile::tempdir().expect("a folder");
    let picture = b"\x89PNG\r\n\x1a\nnot really".to_vec();
    std::fs::write(folder.path().join("skin one.png"), &picture).expect("written");
    let (mut json, buffers) = sample();
    json["images"] = json!([
        { "uri": "skin%20one.png", "name": "first" },
        { "uri": "../outside.png" },
        { "uri": "data:image/png;base64,AAAA" },
        { "uri": "gone.png" }
    ]);
    let source = GltfSource {
        json: &json,
        buffers: &buffers,
        base: folder.path(),
    };
    let glb = write_glb(&source, &[], OtherAnimations::Keep).expect("written");
    let (new, bin) = parse(&glb.bytes);
    let image = &new["images"][0];
    assert_eq!(
        view_bytes(&new, &[bin], index(&image["bufferView"])),
        picture
    );
    assert_eq!(
        (&image["mimeType"], &image["name"]),
        (&json!("image/png"), &json!("first"))
    );
    assert!(image.get("uri").is_none());
    for i in 1..4 {
        assert_eq!(new["images"][i], json["images"][i]);
    }
    assert_eq!(glb.notes.len(), 2, "{:?}", glb.notes);
}

#[test]
fn a_matrix_on_an_animated_node_becomes_its_parts() {
    let (mut json, buffers) = sample();
    json["nodes"][1] = json!({ "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] });
    let (skeleton, keys) = (skeleton(&[0, 1]), walk());
    let animations = [replaced(0, &keys, &skeleton)];
    let glb = write(&json, &buffers, &animations, OtherAnimations::Keep).expect("written");
    let (new, _) = parse(&glb.bytes);
    assert!(new["nodes"][1].get("matrix").is_none());
    assert_eq!(new["nodes"][1]["rotation"], json!([0.0, 0.0, 0.0, 1.0]));
    assert_eq!(glb.notes.len(), 1);
}

#[test]
fn bad_keyframes_are_refused_with_their_place() {
    let (json, buffers) = sample();
    let skeleton = skeleton(&[0, 1]);
    let t = Channel::Translation;
    let bad = [
        channel(0, t, &[], &[]),
        channel(0, t, &[0.0, 0.0], &[0.0; 6]),
        channel(0, t, &[-0.1], &[0.0; 3]),
        channel(0, t, &[f32::NAN], &[0.0; 3]),
        channel(0, t, &[0.0, f32::INFINITY], &[0.0; 6]),
        channel(0, t, &[0.0], &[0.0; 2]),
        channel(0, t, &[0.0], &[0.0, f32::NAN, 0.0]),
        channel(0, Channel::Rotation, &[0.0], &[0.0; 4]),
        channel(9, t, &[0.0], &[0.0; 3]),
    ];
    for c in bad {
        let text = format!("{c:?}");
        let keys = keyframes(vec![c]);
        let animations = [replaced(0, &keys, &skeleton)];
        let result = write(&json, &buffers, &animations, OtherAnimations::Keep);
        assert!(
            matches!(result, Err(ExportError::Keyframes { animation: 0, .. })),
            "{text}"
        );
    }
    let once = channel(0, t, &[0.0], &[0.0; 3]);
    let keys = keyframes(vec![once.clone(), once]);
    let animations = [replaced(0, &keys, &skeleton)];
    assert!(write(&json, &buffers, &animations, OtherAnimations::Keep).is_err());
}

#[test]
fn broken_sources_are_refused() {
    let (good, buffers) = sample();
    let (skeleton, keys) = (skeleton(&[0, 1]), walk());
    let refuses = |pointer: &str, value: Value| {
        let mut json = good.clone();
        *json.pointer_mut(pointer).expect(pointer) = value;
        let animations = [replaced(0, &keys, &skeleton)];
        let result = write(&json, &buffers, &animations, OtherAnimations::Keep);
        let error = result
            .err()
            .unwrap_or_else(|| panic!("{pointer} is let through"));
        assert!(
            matches!(
                error,
                ExportError::Source { .. } | ExportError::Keyframes { .. }
            ),
            "{error}"
        );
    };
    refuses("", json!([]));
    refuses("/asset", json!(null));
    refuses("/nodes", json!([]));
    refuses("/animations", json!({}));
    refuses("/animations/0", json!(1));
    refuses("/animations/0/channels/1/sampler", json!(4));
    refuses("/animations/1/samplers/0/output", json!(7));
    refuses("/accessors", json!("none"));
    refuses("/accessors/0/bufferView", json!(-1));
    refuses("/bufferViews/0/buffer", json!(1));
    refuses("/bufferViews/0/byteOffset", json!(u64::MAX));
    refuses("/bufferViews/0/byteLength", json!(300));
    refuses("/buffers", json!([]));
    let animations = [replaced(2, &keys, &skeleton)];
    assert!(write(&good, &buffers, &animations, OtherAnimations::Keep).is_err());
    let animations = [replaced(0, &keys, &skeleton), replaced(0, &keys, &skeleton)];
    assert!(write(&good, &buffers, &animations, OtherAnimations::Keep).is_err());
}

#[test]
fn same_input_same_bytes() {
    let (json, buffers) = sample();
    let (skeleton, keys) = (skeleton(&[0, 1]), walk());
    let animations = [replaced(0, &keys, &skeleton), replaced(1, &keys, &skeleton)];
    let first = write(&json, &buffers, &animations, OtherAnimations::Keep).expect("written");
    for _ in 0..20 {
        let again = write(&json, &buffers, &animations, OtherAnimations::Keep).expect("written");
        assert_eq!(again, first);
    }
}
