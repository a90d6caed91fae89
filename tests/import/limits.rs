//! Numbers in a file that lie about its bytes, and files that ask for more memory than they bring.

use crate::gltf::{Gltf, simple};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn patched(list: &str, key: &str, value: Value) -> &'static str {
    let mut g = simple();
    // Accessor and view 1 are the values of the curve.
    g.json[list][1][key] = value;
    let start = Instant::now();
    let error = g.load().unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(1));
    if error.code == "accessor-bounds" {
        assert!(
            error.place.starts_with("animation 0 (Walk), channel 0"),
            "{error}"
        );
    }
    error.code
}

#[test]
fn lying_counts_offsets_and_strides_are_refused() {
    for count in [3, 1 << 40, 1_u64 << 62, u64::MAX] {
        assert_eq!(
            patched("accessors", "count", json!(count)),
            "accessor-bounds"
        );
    }
    for offset in [1, 1 << 40, u64::MAX] {
        assert_eq!(
            patched("accessors", "byteOffset", json!(offset)),
            "accessor-bounds"
        );
        assert_eq!(
            patched(
                "bufferViews",
                "byteLength",
                json!(offset.saturating_add(30))
            ),
            "accessor-bounds"
        );
    }
    assert_eq!(
        patched("bufferViews", "byteOffset", json!(u64::MAX)),
        "accessor-bounds"
    );
    for stride in [0, 1, 11, u64::MAX] {
        assert_eq!(
            patched("bufferViews", "byteStride", json!(stride)),
            "accessor-bounds"
        );
    }
    assert_eq!(
        patched("bufferViews", "buffer", json!(7)),
        "accessor-bounds"
    );
    assert_eq!(
        patched("accessors", "bufferView", json!(7)),
        "accessor-bounds"
    );
    assert_eq!(patched("accessors", "count", json!(-1)), "json-type");
    assert_eq!(patched("accessors", "count", json!(1.5)), "json-type");
    assert_eq!(patched("accessors", "count", Value::Null), "json-type");
}

#[test]
fn curves_that_share_bytes_cannot_fill_the_memory() {
    let mut g = Gltf::new(&json!([{}]));
    let zeros = |kind: &str| json!({"componentType": 5126, "type": kind, "count": 1 << 24});
    let input = g.push("accessors", zeros("SCALAR"));
    let output = g.push("accessors", zeros("VEC3"));
    g.animation("Bomb");
    for _ in 0..1000 {
        g.channel(&json!({"node": 0, "path": "scale"}), "STEP", input, output);
    }
    g.json["accessors"][input]["count"] = json!((1 << 24) + 1);
    assert_eq!(g.load().unwrap_err().code, "accessor-bounds");
    g.json["accessors"][input]["count"] = json!(1 << 24);
    assert_eq!(g.load().unwrap_err().code, "too-many-keys");
}

#[test]
fn errors_name_file_place_text_and_hint() {
    let mut g = simple();
    g.json["accessors"][1]["count"] = json!(9);
    let error = g.load().unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains(
            "model.gltf: animation 0 (Walk), channel 0: sampler 0: accessor 1: 9 elements"
        ),
        "{text}"
    );
    assert!(
        text.ends_with("; the file is damaged or was cut off; export it again"),
        "{text}"
    );
}

#[test]
fn files_without_animation_say_so() {
    let error = Gltf::new(&json!([{}])).load().unwrap_err();
    assert_eq!(error.code, "no-animation");
    assert!(error.text.contains("no animation") && !error.hint.is_empty());
}

#[test]
fn members_of_a_wrong_type_are_refused() {
    for key in [
        "nodes",
        "animations",
        "accessors",
        "bufferViews",
        "skins",
        "buffers",
    ] {
        for value in [json!("x"), json!({}), json!([3]), json!(null)] {
            let mut g = simple();
            g.json[key] = value.clone();
            let mut json: Value = serde_json::from_str(&g.text()).unwrap();
            json[key] = value;
            let error = crate::gltf::load_bytes(json.to_string().as_bytes()).unwrap_err();
            assert_eq!(error.code, "json-type", "{key}");
        }
    }
}
