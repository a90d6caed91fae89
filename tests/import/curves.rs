//! What clips and their curves become.

use crate::gltf::{Gltf, I16, U8, codes, simple};
use glam::{DMat4, DQuat, DVec3};
use posepress::math::{Channel, rotation_angle};
use posepress::model::{Interpolation, PoseSource};
use serde_json::{Value, json};

fn two_joints() -> Gltf {
    Gltf::new(&json!([{"name": "hip", "children": [1]}, {"name": "knee"}]))
}

fn close(a: DVec3, b: [f64; 3]) {
    assert!((a - DVec3::from(b)).length() < 1e-6, "{a} is not {b:?}");
}

#[test]
fn linear_curves_run_straight_and_hold_outside_their_keys() {
    let asset = simple().load().unwrap();
    let clip = &asset.clips[0];
    assert_eq!((clip.name(), clip.skeleton().len()), ("Walk", 1));
    let at = |secs| clip.local(0, secs).translation;
    close(at(0.25), [0.25, 0.5, 0.75]);
    close(at(-1.0), [0.0; 3]);
    close(at(9.0), [1.0, 2.0, 3.0]);
    assert!(asset.issues.is_empty() && asset.unit_m == 1.0);
}

#[test]
fn step_curves_jump_at_their_keys() {
    let mut g = two_joints();
    let values = [1.0, 1.0, 1.0, 2.0, 2.0, 2.0];
    g.curve(1, "scale", "STEP", &[0.5, 1.5], &values);
    let asset = g.load().unwrap();
    let clip = &asset.clips[0];
    close(clip.local(1, 1.49).scale, [1.0; 3]);
    close(clip.local(1, 1.5).scale, [2.0; 3]);
    assert_eq!(clip.grid().start_secs, 0.5, "the first key is not at 0");
}

#[test]
fn cubic_curves_are_hermite_with_tangents_scaled_by_the_segment() {
    let mut g = two_joints();
    // From 0 to 1 within 2 s; leaves at 3 units a second, arrives at -1.
    let mut values = [0.0; 18];
    values[6] = 3.0;
    values[9] = -1.0;
    values[12] = 1.0;
    g.curve(0, "translation", "CUBICSPLINE", &[1.0, 3.0], &values);
    let asset = g.load().unwrap();
    let track = asset.clips[0].track(0, Channel::Translation).unwrap();
    assert_eq!(track.curve.interpolation(), Interpolation::Cubic);
    // p(u) = h10 * 2 * 3 + h01 * 1 + h11 * 2 * -1 at u = 1/2: 0.125 * 6 + 0.5 + 0.125 * 2
    close(track.curve.vec3(2.0), [1.5, 0.0, 0.0]);
    close(track.curve.vec3(3.0), [1.0, 0.0, 0.0]);
}

#[test]
fn rotations_may_be_normalised_integers() {
    let mut g = two_joints();
    let times = g.floats("SCALAR", &[0.0, 1.0]);
    let half = 23170_i16; // 32767 / sqrt 2
    let values = [0, 0, 0, 32767, half, 0, 0, half];
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let output = g.accessor("VEC4", I16, 2, &bytes);
    g.json["accessors"][output]["normalized"] = json!(true);
    g.channel(
        &json!({"node": 1, "path": "rotation"}),
        "LINEAR",
        times,
        output,
    );
    let asset = g.load().unwrap();
    let want = DQuat::from_rotation_x(45_f64.to_radians());
    let got = asset.clips[0].local(1, 0.5).rotation;
    assert!(rotation_angle(got, want) < 1e-4);
    assert!(asset.issues.is_empty());

    // Without the flag they are numbers of thousands, which no rotation has.
    g.json["accessors"][output]["normalized"] = json!(false);
    assert_eq!(g.load().unwrap_err().code, "no-animation");
}

#[test]
fn morph_weights_are_scalars() {
    for how in ["LINEAR", "CUBICSPLINE"] {
        let mut g = Gltf::new(&json!([{"name": "face", "mesh": 0}]));
        g.push(
            "meshes",
            json!({"primitives": [{"attributes": {}, "targets": [{}, {}]}]}),
        );
        let values = match how {
            "LINEAR" => vec![0.0, 1.0, 0.5, 0.25],
            // In-tangents, values, out-tangents, two weights each.
            _ => vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.25, 0.0, 0.0],
        };
        g.curve(0, "weights", how, &[0.0, 1.0], &values);
        let asset = g.load().unwrap();
        assert_eq!(asset.skeleton.len(), 1);
        let scalars = asset.clips[0].scalars();
        assert_eq!(scalars[1].name, "face/weights[1]");
        assert_eq!(scalars[0].curve.vector::<1>(1.0), [0.5]);
        assert_eq!(scalars[1].curve.vector::<1>(0.5), [0.625], "{how}");
    }
}

#[test]
fn wrong_weight_counts_cost_the_curve() {
    let mut g = simple();
    g.push("meshes", json!({"primitives": [{"targets": [{}, {}]}]}));
    g.json["nodes"][0]["mesh"] = json!(0);
    g.curve(0, "weights", "LINEAR", &[0.0, 1.0], &[0.0, 1.0, 2.0]);
    let asset = g.load().unwrap();
    assert!(asset.clips[0].scalars().is_empty());
    assert_eq!(codes(&asset)[0], "bad-channel");
}

#[test]
fn sparse_keys_are_read() {
    let mut g = two_joints();
    let times = g.floats("SCALAR", &[0.0, 1.0, 2.0]);
    let output = g.floats("VEC3", &[1.0; 9]);
    let indices = g.view(&[2]);
    let replaced: Vec<u8> = [7.0_f32, 8.0, 9.0]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    let values = g.view(&replaced);
    g.json["accessors"][output]["sparse"] = json!({
        "count": 1,
        "indices": {"bufferView": indices, "componentType": U8},
        "values": {"bufferView": values}});
    g.channel(
        &json!({"node": 0, "path": "translation"}),
        "LINEAR",
        times,
        output,
    );
    let asset = g.load().unwrap();
    close(asset.clips[0].local(0, 1.0).translation, [1.0; 3]);
    close(asset.clips[0].local(0, 2.0).translation, [7.0, 8.0, 9.0]);
}

#[test]
fn ancestors_that_are_no_joints_of_a_skin_count() {
    // An armature as exporters make it: scaled by 0.01 and turned from Z up.
    let turn = DQuat::from_rotation_x(-90_f64.to_radians()).to_array();
    let mut g = Gltf::new(&json!([
        {"name": "scene", "children": [2, 1], "translation": [0, 0, 5]},
        {"name": "light"},
        {"name": "Armature", "children": [3], "scale": [0.01, 0.01, 0.01], "rotation": turn},
        {"name": "hip"},
        {"name": "elsewhere"}
    ]));
    g.push("skins", json!({"joints": [3]}));
    g.curve(
        3,
        "translation",
        "LINEAR",
        &[0.0, 1.0],
        &[0.0, 0.0, 100.0, 0.0, 0.0, 200.0],
    );
    let asset = g.load().unwrap();
    let order: Vec<usize> = asset
        .skeleton
        .joints()
        .iter()
        .map(|j| j.source_index)
        .collect();
    assert_eq!(
        order,
        [0, 2, 3, 1],
        "depth first in the file's order, without the other tree"
    );
    let mut locals = asset.skeleton.rest_pose();
    (&mut &*asset.clips[0]).pose(1.0, &mut locals);
    let mut model = vec![glam::DAffine3::IDENTITY; 4];
    asset.skeleton.model_pose(&locals, &mut model);
    close(model[2].translation, [0.0, 2.0, 5.0]);
}

#[test]
fn several_skins_and_trees_make_one_skeleton() {
    let mut g = Gltf::new(&json!([{"children": [2]}, {"children": [3]}, {}, {}, {}]));
    g.push("skins", json!({"joints": [2]}));
    g.push("skins", json!({"joints": [3, 1]}));
    g.curve(2, "scale", "LINEAR", &[0.0], &[1.0; 3]);
    let asset = g.load().unwrap();
    let joints = asset.skeleton.joints();
    let order: Vec<usize> = joints.iter().map(|j| j.source_index).collect();
    assert_eq!(order, [0, 2, 1, 3]);
    assert_eq!((joints[1].parent, joints[2].parent), (Some(0), None));
    assert_eq!(joints[0].name, "node 0");
}

#[test]
fn static_nodes_that_only_carry_a_skinned_mesh_are_no_joints() {
    let mut g = Gltf::new(&json!([{"children": [1, 2]}, {}, {"mesh": 0, "skin": 0}]));
    g.push("skins", json!({"joints": [1]}));
    g.push("meshes", json!({"primitives": []}));
    g.curve(1, "scale", "LINEAR", &[0.0], &[1.0; 3]);
    assert_eq!(g.load().unwrap().skeleton.len(), 2);
    g.curve(2, "scale", "LINEAR", &[0.0], &[1.0; 3]);
    assert_eq!(
        g.load().unwrap().skeleton.len(),
        3,
        "it moves: it is a joint"
    );
}

#[test]
fn clips_keep_their_animations_index_and_get_names_of_their_own() {
    let mut g = two_joints();
    for name in ["", "Run", "empty", "Run", "Run (2)", "Run"] {
        g.animation(name);
        if name != "empty" {
            g.curve(0, "scale", "LINEAR", &[0.0], &[1.0; 3]);
        }
    }
    let asset = g.load().unwrap();
    let names: Vec<&str> = asset.clips.iter().map(|c| c.name()).collect();
    assert_eq!(
        names,
        ["clip 0", "Run", "Run (2)", "Run (2) (2)", "Run (3)"]
    );
    assert_eq!(asset.animation_index, [0, 1, 3, 4, 5]);
    assert_eq!(
        codes(&asset),
        ["clip-empty", "clip-name", "clip-name", "clip-name"]
    );
}

#[test]
fn odd_keys_are_repaired_and_said_so_and_refused_in_strict_mode() {
    let one = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let nan = [1.0, 2.0, 3.0, f32::NAN, 5.0, 6.0];
    let zero_quaternion = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let long_quaternion = [0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0];
    let cases: [(&str, &str, &[f32], &[f32]); 9] = [
        ("not-finite", "translation", &[0.0, f32::NAN], &one),
        ("not-finite", "translation", &[f32::INFINITY, 1.0], &one),
        ("not-finite", "translation", &[0.0, 1.0], &nan),
        ("times-unsorted", "translation", &[1.0, 0.0], &one),
        ("times-equal", "translation", &[1.0, 1.0], &one),
        ("negative-times", "translation", &[-1.0, 1.0], &one),
        ("zero-quaternion", "rotation", &[0.0, 1.0], &zero_quaternion),
        ("not-unit", "rotation", &[0.0, 1.0], &long_quaternion),
        ("count-mismatch", "scale", &[0.0, 1.0], &one[..3]),
    ];
    for (code, path, times, values) in cases {
        let mut g = simple();
        g.curve(0, path, "LINEAR", times, values);
        if path == "translation" {
            g.json["animations"][0]["channels"]
                .as_array_mut()
                .unwrap()
                .remove(0);
        }
        let asset = g.load().unwrap();
        assert_eq!(codes(&asset), [code]);
        let issue = asset.issues.iter().next().unwrap();
        assert!(issue.place.starts_with("clip Walk"), "{issue}");
        assert_eq!(g.strict().unwrap_err().code, code);
    }
}

#[test]
fn cubic_rotations_are_aligned_in_order_of_time() {
    let key = |w: f32| [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, w, 0.0, 0.0, 0.0, 0.0];
    let mut g = two_joints();
    let values = [
        key(1.0),
        [0.0, 0.0, 0.0, 0.0, 0.6, 0.0, 0.0, -0.8, 0.0, 0.0, 0.0, 0.0],
        key(-1.0),
    ];
    g.curve(
        0,
        "rotation",
        "CUBICSPLINE",
        &[0.0, 2.0, 1.0],
        &values.concat(),
    );
    let asset = g.load().unwrap();
    let track = asset.clips[0].track(0, Channel::Rotation).unwrap();
    let value = |k| glam::Vec4::from_slice(track.curve.key_value(k));
    assert!(value(0).dot(value(1)) > 0.0 && value(1).dot(value(2)) > 0.0);
}

#[test]
fn huge_times_do_not_break_the_frame_grid() {
    let mut g = two_joints();
    let times = [0.0, 1e38, f32::MAX];
    g.curve(0, "translation", "LINEAR", &times, &[0.0; 9]);
    let asset = g.load().unwrap();
    assert_eq!(codes(&asset), ["clip-too-long"]);
    assert!(asset.clips[0].grid().frames >= 1);
}

#[test]
fn one_channel_driven_twice_keeps_the_first_curve() {
    let mut g = simple();
    g.curve(0, "translation", "LINEAR", &[0.0], &[9.0; 3]);
    let asset = g.load().unwrap();
    assert_eq!(codes(&asset), ["duplicate-target"]);
    close(asset.clips[0].local(0, 1.0).translation, [1.0, 2.0, 3.0]);
}

#[test]
fn pointers_to_joints_are_read_and_others_named() {
    let mut g = two_joints();
    let target = |p: &str| json!({"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": p}}});
    g.json["extensionsRequired"] = json!(["KHR_animation_pointer"]);
    let times = g.floats("SCALAR", &[0.0]);
    let output = g.floats("VEC3", &[4.0, 5.0, 6.0]);
    let cutoff = g.floats("SCALAR", &[0.5]);
    g.channel(&target("/materials/0/alphaCutoff"), "LINEAR", times, cutoff);
    let alone = g.load().unwrap_err();
    assert_eq!(alone.code, "no-animation");
    assert!(alone.text.contains("/materials/0/alphaCutoff"), "{alone}");

    g.channel(&target("/nodes/1/translation"), "LINEAR", times, output);
    let asset = g.load().unwrap();
    close(asset.clips[0].local(1, 0.0).translation, [4.0, 5.0, 6.0]);
    assert_eq!(codes(&asset), ["pointer-target"]);
    let text = &asset.issues.iter().next().unwrap().text;
    assert!(text.contains("/materials/0/alphaCutoff"), "{text}");
}

#[test]
fn channels_that_name_nothing_real_cost_only_themselves() {
    let mut g = simple();
    let (input, output) = (0, 1);
    for target in [
        json!({"node": 7, "path": "scale"}),
        json!({"node": 0, "path": "colour"}),
        json!({"path": "scale"}),
    ] {
        g.channel(&target, "LINEAR", input, output);
    }
    g.channel(
        &json!({"node": 0, "path": "scale"}),
        "BEZIER",
        input,
        output,
    );
    g.json["animations"][0]["channels"][3]["sampler"] = json!(99);
    let asset = g.load().unwrap();
    let want = ["bad-channel", "bad-channel", "no-target", "interpolation"];
    assert_eq!(codes(&asset), want);
    close(asset.clips[0].local(0, 1.0).scale, [1.0, 2.0, 3.0]);
}

#[test]
fn curves_of_a_wrong_type_are_left_out_with_a_warning() {
    let mut g = simple();
    let bytes_as_times = g.accessor("SCALAR", U8, 2, &[0, 1]);
    let vec3 = g.floats("VEC3", &[0.0; 6]);
    let times = g.floats("SCALAR", &[0.0, 1.0]);
    g.channel(
        &json!({"node": 0, "path": "scale"}),
        "LINEAR",
        bytes_as_times,
        vec3,
    );
    g.channel(
        &json!({"node": 0, "path": "rotation"}),
        "LINEAR",
        times,
        vec3,
    );
    let asset = g.load().unwrap();
    assert_eq!(codes(&asset), ["accessor-format", "accessor-format"]);
    assert_eq!(asset.clips[0].tracks().len(), 1);
    let error = g.strict().unwrap_err();
    assert!(error.text.contains("1 more warning"), "{error}");
}

#[test]
fn compressed_animation_views_cost_their_clip() {
    let mut g = simple();
    let view = json!({"buffer": 1, "byteLength": 24,
        "extensions": {"EXT_meshopt_compression": {"buffer": 0, "byteLength": 9}}});
    let view = g.push("bufferViews", view);
    let packed = json!({"bufferView": view, "componentType": 5126, "type": "VEC3", "count": 2});
    let packed = g.push("accessors", packed);
    g.animation("Packed");
    g.channel(&json!({"node": 0, "path": "scale"}), "LINEAR", 0, packed);
    let mut json: Value = serde_json::from_str(&g.text()).unwrap();
    let fallback =
        json!({"byteLength": 24, "extensions": {"EXT_meshopt_compression": {"fallback": true}}});
    json["buffers"].as_array_mut().unwrap().push(fallback);
    let asset = crate::gltf::load_bytes(json.to_string().as_bytes()).unwrap();
    assert_eq!(codes(&asset), ["meshopt-compressed"]);
    assert_eq!(asset.animation_index, [0]);
}

#[test]
fn matrices_are_taken_apart() {
    let m = DMat4::from_scale_rotation_translation(
        DVec3::new(2.0, 3.0, -4.0),
        DQuat::from_rotation_y(1.0),
        DVec3::new(5.0, 6.0, 7.0),
    );
    let mut g = Gltf::new(&json!([{"matrix": m.to_cols_array(), "children": [1]}, {}]));
    g.curve(1, "scale", "LINEAR", &[0.0], &[1.0; 3]);
    let asset = g.load().unwrap();
    let rest = asset.skeleton.joints()[0].rest.matrix();
    assert!(DMat4::from(rest).abs_diff_eq(m, 1e-9) && asset.issues.is_empty());

    let mut sheared = m;
    sheared.y_axis.x += 1.0;
    g.json["nodes"][0]["matrix"] = json!(sheared.to_cols_array());
    assert_eq!(codes(&g.load().unwrap()), ["shear"]);

    g.json["nodes"][0]["matrix"] = json!([0.0; 16].to_vec());
    let error = g.load().unwrap_err();
    assert_eq!(
        (error.code, error.place.as_str()),
        ("singular-matrix", "node 0")
    );
}
