//! Small sound files, cut off and patched at every byte: an error or an asset, never a panic.

use crate::gltf::{Gltf, load_bytes, skinned};
use serde_json::json;

/// A file with cubic curves, weights, a matrix, a sparse accessor.
fn varied() -> Gltf {
    let turn = glam::DMat4::from_rotation_x(0.5).to_cols_array();
    let mut g = Gltf::new(&json!([{"name": "a", "children": [1], "matrix": turn}, {"name": "b"}]));
    g.curve(1, "translation", "CUBICSPLINE", &[0.5, 1.0], &[1.0; 18]);
    g.curve(0, "weights", "STEP", &[0.0, 0.1], &[0.0, 1.0]);
    let indices = g.view(&[1]);
    let values = g.view(&[0; 12]);
    g.json["accessors"][1]["sparse"] = json!({"count": 1,
        "indices": {"bufferView": indices, "componentType": 5121}, "values": {"bufferView": values}});
    g
}

fn samples() -> Vec<Vec<u8>> {
    vec![
        varied().text().into_bytes(),
        varied().glb(),
        skinned().glb(),
    ]
}

fn survives(bytes: &[u8], what: &dyn Fn() -> String) -> bool {
    match load_bytes(bytes) {
        Ok(asset) => {
            assert!(!asset.clips.is_empty(), "{}", what());
            true
        }
        Err(e) => {
            assert_ne!(e.code, "internal", "{}: {e}", what());
            false
        }
    }
}

#[test]
fn every_truncation_is_refused() {
    for (i, sample) in samples().iter().enumerate() {
        assert!(survives(sample, &|| format!("sample {i}")));
        for n in 0..sample.len() {
            let ok = survives(&sample[..n], &|| format!("sample {i} cut at {n}"));
            assert!(!ok, "sample {i} cut at {n} loads");
        }
    }
}

#[test]
fn patched_bytes_never_panic() {
    let (mut loaded, mut refused) = (0, 0);
    for (i, sample) in samples().iter().enumerate() {
        for at in 0..sample.len() {
            let old = sample[at];
            for new in [old.wrapping_add(1), old.wrapping_sub(1), 0, 255] {
                let mut bytes = sample.clone();
                bytes[at] = new;
                if survives(&bytes, &|| format!("sample {i}, byte {at} = {new}")) {
                    loaded += 1;
                } else {
                    refused += 1;
                }
            }
        }
    }
    println!("{loaded} patched files load, {refused} are refused");
    assert!(loaded > 0 && refused > 0);
}
