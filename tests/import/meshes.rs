//! Meshes for the viewport, and that they never cost a clip.

use crate::gltf::{Gltf, U8, codes, simple, skinned};
use glam::{DAffine3, DVec3};
use posepress::model::vertex_place;
use serde_json::{Value, json};

#[test]
fn a_skinned_mesh_comes_with_bones_texture_and_normals() {
    let asset = skinned().load().unwrap();
    assert!(asset.issues.is_empty(), "{:?}", asset.issues);
    assert_eq!(asset.skeleton.len(), 2);
    let mesh = &asset.meshes[0];
    assert_eq!(mesh.name, "body");
    assert_eq!(mesh.indices, [0, 1, 2]);
    assert_eq!(mesh.normals, [[0.0, 0.0, 1.0]; 3]);
    assert_eq!(mesh.base_color, [1.0, 0.5, 0.25, 1.0]);
    assert_eq!(mesh.weights[0], [0.5, 0.5, 0.0, 0.0]);
    assert_eq!(
        mesh.weights[1],
        [1.0, 0.0, 0.0, 0.0],
        "weights are made to sum to 1"
    );
    assert_eq!((mesh.bones[0][1], mesh.bones[2][0]), (1, 1));
    let (joint, bind) = mesh.joints[1];
    assert_eq!(
        (joint, bind.w_axis.truncate()),
        (1, DVec3::new(0.0, -1.0, 0.0))
    );
    let texture = mesh.texture.as_ref().unwrap();
    assert_eq!((texture.width, texture.height), (2, 1));
    assert_eq!(texture.rgba[..4], [255, 0, 0, 255]);
}

#[test]
fn morph_targets_come_with_the_vertices_that_they_move_and_their_weights_at_rest() {
    let mut g = simple();
    let positions = g.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0]);
    let up = g.floats("VEC3", &[0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
    let short = g.floats("VEC3", &[0.0, 0.0, 0.0]);
    let mesh = |second: usize| {
        json!({
            "primitives": [{
                "attributes": {"POSITION": positions},
                "targets": [{"POSITION": up}, {"NORMAL": up}, {"POSITION": second}],
            }],
            "weights": [0.5],
        })
    };
    g.push("meshes", mesh(up));
    g.json["nodes"][0]["mesh"] = json!(0);
    let asset = g.load().unwrap();
    let morph = asset.meshes[0].morph.as_ref().unwrap();
    assert_eq!(
        (morph.node, morph.weights.as_slice()),
        (0, &[0.5, 0.0, 0.0][..])
    );
    let moved = vec![(1, [0.0, 2.0, 0.0])];
    assert_eq!(morph.targets, [moved.clone(), vec![], moved]);
    g.json["nodes"][0]["weights"] = json!([0.0, 0.0, 1.0]);
    let asset = g.load().unwrap();
    assert_eq!(
        asset.meshes[0].morph.as_ref().unwrap().weights,
        [0.0, 0.0, 1.0]
    );
    g.json["meshes"][0] = mesh(short);
    let asset = g.load().unwrap();
    assert_eq!(
        (asset.meshes.len(), asset.meshes[0].morph.is_none()),
        (1, true)
    );
    assert!(
        codes(&asset).contains(&"accessor-format"),
        "{:?}",
        asset.issues
    );
}

#[test]
fn a_rigid_mesh_follows_its_joint_and_one_that_hangs_on_none_is_left_out() {
    let mut g = simple();
    let positions = g.floats(
        "VEC3",
        &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0],
    );
    let colors = g.accessor("VEC4", U8, 4, &[255; 16]);
    g.json["accessors"][colors]["normalized"] = json!(true);
    let attributes = json!({"POSITION": positions, "COLOR_0": colors});
    let fan = json!({"attributes": attributes, "mode": 6});
    let strip = json!({"attributes": attributes, "mode": 5});
    g.push("meshes", json!({"primitives": [fan, strip]}));
    g.json["nodes"][0]["mesh"] = json!(0);
    g.push("nodes", json!({"mesh": 0}));
    let asset = g.load().unwrap();
    assert_eq!(
        asset.meshes.len(),
        2,
        "one for each primitive, none for the other node"
    );
    assert_eq!(asset.meshes[0].indices, [0, 1, 2, 0, 2, 3]);
    assert_eq!(asset.meshes[1].indices, [0, 1, 2, 1, 3, 2]);
    assert_eq!(asset.meshes[0].colors, [[1.0; 4]; 4]);
    assert_eq!(asset.meshes[0].joints, [(0, glam::DMat4::IDENTITY)]);
}

#[test]
fn only_the_default_scene_is_drawn() {
    let mut g = skinned();
    let far = g.json["nodes"].as_array().unwrap().iter();
    let mut far = far.clone().find(|n| n["name"] == "body").unwrap().clone();
    far["name"] = json!("far");
    let near = g.json["nodes"].as_array().unwrap().len() - 1;
    let far = g.push("nodes", far);
    assert_eq!(g.load().unwrap().meshes.len(), 2, "no scene is named");
    let names = |g: &Gltf| -> Vec<String> {
        let asset = g.load().unwrap();
        assert!(asset.issues.is_empty(), "{:?}", asset.issues);
        assert_eq!(asset.skeleton.len(), 2);
        asset.meshes.iter().map(|m| m.name.clone()).collect()
    };
    g.json["scenes"] = json!([{"nodes": [0, near]}, {"nodes": [0, far]}]);
    g.json["scene"] = json!(0);
    assert_eq!(names(&g), ["body"]);
    g.json["scene"] = json!(1);
    assert_eq!(names(&g), ["far"]);
    for unusable in [json!(7), json!(-1), json!("x")] {
        g.json["scene"] = unusable;
        assert_eq!(names(&g), ["body", "far"]);
    }
}

fn issue_after(change: impl FnOnce(&mut Value)) -> &'static str {
    let mut g = skinned();
    change(&mut g.json);
    let asset = g.load().unwrap();
    assert_eq!(asset.clips.len(), 1);
    assert!(asset.meshes.is_empty());
    let codes = codes(&asset);
    assert_eq!(codes.len(), 1, "{:?}", asset.issues);
    codes[0]
}

fn primitive(json: &mut Value) -> &mut Value {
    &mut json["meshes"][0]["primitives"][0]
}

#[test]
fn broken_meshes_never_cost_a_clip() {
    type Change = fn(&mut Value);
    let changes: [(&str, Change); 13] = [
        ("bad-mesh", |j| j["meshes"] = json!([])),
        ("json-type", |j| j["meshes"] = json!("x")),
        ("bad-mesh", |j| *primitive(j) = json!({})),
        ("bad-mesh", |j| primitive(j)["mode"] = json!(9)),
        ("accessor-bounds", |j| {
            primitive(j)["attributes"]["POSITION"] = json!(99);
        }),
        ("accessor-format", |j| {
            primitive(j)["attributes"]["POSITION"] = json!(3);
        }),
        ("accessor-bounds", |j| primitive(j)["indices"] = json!(99)),
        ("accessor-format", |j| primitive(j)["indices"] = json!(0)),
        ("bad-material", |j| primitive(j)["material"] = json!(7)),
        ("bad-skin", |j| j["nodes"][2]["skin"] = json!(7)),
        ("bad-skin", |j| j["skins"][0]["joints"] = json!([0, 99])),
        ("bad-skin", |j| j["skins"][0]["joints"] = json!([0])),
        ("accessor-format", |j| {
            j["skins"][0]["inverseBindMatrices"] = json!(0);
        }),
    ];
    for (code, change) in changes {
        assert_eq!(issue_after(change), code);
    }
}

#[test]
fn indices_past_the_vertices_are_refused() {
    let mut g = skinned();
    let primitive = &g.json["meshes"][0]["primitives"][0];
    let accessor = primitive["indices"].as_u64().unwrap() as usize;
    let view = g.json["accessors"][accessor]["bufferView"]
        .as_u64()
        .unwrap() as usize;
    let at = g.json["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize;
    g.bytes[at] = 3;
    let asset = g.load().unwrap();
    assert_eq!((asset.meshes.len(), codes(&asset)), (0, vec!["bad-mesh"]));
}

#[test]
fn packed_meshes_are_a_notice_that_says_why() {
    let mut g = skinned();
    g.json["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
    let draco = json!({"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {}}});
    primitive(&mut g.json)["extensions"] = draco;
    // Not even a warning: strict mode is about the clips.
    let asset = g.strict().unwrap();
    assert_eq!(codes(&asset), ["mesh-not-shown"]);
    let issue = asset.issues.iter().next().unwrap();
    assert!(issue.text.contains("Draco"), "{issue}");
}

#[test]
fn unknown_required_extensions_are_named() {
    let mut g = skinned();
    g.json["extensionsRequired"] = json!(["KHR_mesh_quantization", "ACME_secret_sauce"]);
    let asset = g.load().unwrap();
    assert_eq!(codes(&asset), ["extension-required"]);
    assert!(
        asset
            .issues
            .iter()
            .next()
            .unwrap()
            .text
            .contains("ACME_secret_sauce")
    );
}

#[test]
fn quantised_positions_are_read() {
    let mut g = simple();
    let positions = g.accessor("VEC3", U8, 3, &[0, 0, 0, 255, 0, 0, 0, 255, 0]);
    g.json["accessors"][positions]["normalized"] = json!(true);
    g.push(
        "meshes",
        json!({"primitives": [{"attributes": {"POSITION": positions}}]}),
    );
    g.json["nodes"][0]["mesh"] = json!(0);
    let asset = g.load().unwrap();
    assert_eq!(asset.meshes[0].positions[1], [1.0, 0.0, 0.0]);
}

#[test]
fn eight_weights_a_vertex_all_reach_the_picture() {
    let mut nodes: Vec<Value> = (0..8)
        .map(|j| json!({"name": format!("j{j}"), "translation": [0.1, 1, 0], "children": [j + 1]}))
        .collect();
    nodes[7]["children"] = json!([]);
    nodes.push(json!({"name": "body", "mesh": 0, "skin": 0}));
    let mut g = Gltf::new(&json!(nodes));
    let turn = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.6, 0.8];
    for joint in 0..8 {
        g.curve(joint, "rotation", "LINEAR", &[0.0, 0.5], &turn);
    }
    let positions = g.floats("VEC3", &[0.5, 0.0, 0.0, 1.0, 3.0, 0.0, 0.0, 7.0, 2.0]);
    let set = |g: &mut Gltf, first: u8| {
        let bones: Vec<u8> = (0..12).map(|k| first + k % 4).collect();
        let weights: Vec<f32> = (0..12).map(|k| (1 + (k * 5 + first) % 7).into()).collect();
        (
            g.accessor("VEC4", U8, 3, &bones),
            g.floats("VEC4", &weights),
        )
    };
    let (low, high) = (set(&mut g, 0), set(&mut g, 4));
    let joints: Vec<usize> = (0..8).collect();
    g.push("skins", json!({"joints": joints}));
    let attributes = json!({
        "POSITION": positions,
        "JOINTS_0": low.0, "WEIGHTS_0": low.1,
        "JOINTS_1": high.0, "WEIGHTS_1": high.1,
    });
    g.push(
        "meshes",
        json!({"primitives": [{"attributes": attributes}]}),
    );
    let asset = g.load().unwrap();
    let (mesh, part) = (&asset.meshes[0], &asset.skin.parts[0]);
    let clip = &asset.clips[0];
    let locals: Vec<_> = (0..8).map(|j| clip.local(j, 0.4)).collect();
    let mut pose = vec![DAffine3::IDENTITY; asset.skeleton.len()];
    clip.skeleton().model_pose(&locals, &mut pose);
    for v in 0..3 {
        let all: Vec<(u16, f32)> = mesh.influences(v).collect();
        assert_eq!((all.len(), mesh.more.of_vertex(v).len()), (8, 4));
        assert!(
            all.is_sorted_by(|a, b| a.1 >= b.1),
            "the largest first: {all:?}"
        );
        let at = glam::Vec3::from(mesh.positions[v]).as_dvec3();
        let places = all.iter().map(|&(bone, weight)| {
            let (joint, joint_from_mesh) = mesh.joints[usize::from(bone)];
            f64::from(weight) * pose[joint].transform_point3(joint_from_mesh.transform_point3(at))
        });
        let (drawn, measured) = (
            places.sum::<DVec3>(),
            vertex_place(part.of_vertex(v), &pose),
        );
        assert!(drawn.distance(measured) < 1e-5, "{drawn} {measured}");
    }
}

#[test]
fn a_bad_picture_costs_only_itself() {
    for picture in [
        b"no picture".to_vec(),
        png_header(60_000),
        png_header(8_000),
    ] {
        let mut g = skinned();
        let view = g.view(&picture);
        g.json["images"][0]["bufferView"] = json!(view);
        let asset = g.load().unwrap();
        assert_eq!(codes(&asset), ["bad-texture"]);
        assert!(asset.meshes.len() == 1 && asset.meshes[0].texture.is_none());
    }
}

/// The start of a square PNG: without limits it would ask for the memory of all its pixels.
fn png_header(side: u32) -> Vec<u8> {
    let mut out = crate::gltf::red_png();
    out[16..20].copy_from_slice(&side.to_be_bytes());
    out[20..24].copy_from_slice(&side.to_be_bytes());
    let crc = crc32(&out[12..29]);
    out[29..33].copy_from_slice(&crc.to_be_bytes());
    out
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for b in bytes {
        crc ^= u32::from(*b);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

#[test]
fn a_mesh_drawn_too_often_cannot_fill_the_memory() {
    let mut g = simple();
    let zeros = json!({"componentType": 5126, "type": "VEC3", "count": 1 << 20});
    let positions = g.push("accessors", zeros);
    g.push(
        "meshes",
        json!({"primitives": [{"attributes": {"POSITION": positions}}]}),
    );
    let mut nodes = vec![json!({"children": (1..100).collect::<Vec<_>>()})];
    nodes.extend((1..100).map(|_| json!({"mesh": 0})));
    g.json["nodes"] = json!(nodes);
    let asset = g.load().unwrap();
    assert!(asset.meshes.len() <= 16);
    assert!(codes(&asset).iter().all(|c| *c == "mesh-too-large"));
}

#[test]
fn units_are_guessed_from_the_skinned_mesh() {
    let guess = |size: f32| {
        let mut g = skinned();
        g.bytes = scaled_positions(&g, size);
        g.load().unwrap()
    };
    assert_eq!(guess(1.0).unit_m, 1.0);
    let asset = guess(90.0);
    assert_eq!(asset.unit_m, 0.01);
    assert!(
        asset.unit_reason.contains("180 units"),
        "{}",
        asset.unit_reason
    );
    assert_eq!(guess(900.0).unit_m, 0.001);
}

fn scaled_positions(g: &Gltf, by: f32) -> Vec<u8> {
    let accessor = g.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].as_u64();
    let view = g.json["accessors"][accessor.unwrap() as usize]["bufferView"].as_u64();
    let at = g.json["bufferViews"][view.unwrap() as usize]["byteOffset"]
        .as_u64()
        .unwrap() as usize;
    let mut bytes = g.bytes.clone();
    for four in bytes[at..at + 36].chunks_exact_mut(4) {
        let value = f32::from_le_bytes(four.try_into().unwrap()) * by;
        four.copy_from_slice(&value.to_le_bytes());
    }
    bytes
}
