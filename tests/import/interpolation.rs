//! The nine ways in which glTF moves a box, held against the specification written once more.

use crate::gltf::load_path;
use glam::{DQuat, DVec3};
use posepress::import::read_gltf_source;
use posepress::math::rotation_angle;
use posepress::model::Clip;
use serde_json::Value;
use std::path::Path;

/// One sampler of the interpolation test, read without any of our readers.
struct Sampler {
    how: String,
    times: Vec<f64>,
    values: Vec<Vec<f64>>,
}

fn sampler(json: &Value, buffer: &[u8], animation: usize) -> (String, Sampler) {
    let animation = &json["animations"][animation];
    let channel = &animation["channels"][0];
    let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
    let floats = |key: &str, width: usize| -> Vec<Vec<f64>> {
        let accessor = &json["accessors"][sampler[key].as_u64().unwrap() as usize];
        let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let offset = |v: &Value| v["byteOffset"].as_u64().unwrap_or(0) as usize;
        let start = offset(accessor) + offset(view);
        let count = accessor["count"].as_u64().unwrap() as usize;
        let float = |i: usize| {
            let at = start + 4 * i;
            f64::from(f32::from_le_bytes(buffer[at..at + 4].try_into().unwrap()))
        };
        (0..count)
            .map(|k| (0..width).map(|c| float(k * width + c)).collect())
            .collect()
    };
    let path = channel["target"]["path"].as_str().unwrap().to_owned();
    let width = if path == "rotation" { 4 } else { 3 };
    let sampler = Sampler {
        how: sampler["interpolation"]
            .as_str()
            .unwrap_or("LINEAR")
            .to_owned(),
        times: floats("input", 1).concat(),
        values: floats("output", width),
    };
    (path, sampler)
}

impl Sampler {
    /// Appendix C of the specification, written once more.
    fn at(&self, secs: f64, rotation: bool) -> Vec<f64> {
        let t = &self.times;
        let last = t.len() - 1;
        let secs = secs.clamp(t[0], t[last]);
        let k = t.iter().rposition(|&x| x <= secs).unwrap().min(last - 1);
        let step = t[k + 1] - t[k];
        let u = (secs - t[k]) / step;
        let mix = |f: &dyn Fn(usize) -> f64| (0..self.values[0].len()).map(f).collect::<Vec<f64>>();
        let v = &self.values;
        match self.how.as_str() {
            "STEP" => v[if u < 1.0 { k } else { k + 1 }].clone(),
            "LINEAR" if rotation => {
                // As a power of the turn from one key to the next.
                let q = |k: usize| DQuat::from_slice(&v[k]).normalize();
                let mut turn = q(k).inverse() * q(k + 1);
                if turn.w < 0.0 {
                    turn = -turn;
                }
                let part = DQuat::from_scaled_axis(turn.to_scaled_axis() * u);
                (q(k) * part).to_array().to_vec()
            }
            "LINEAR" => mix(&|c| (1.0 - u) * v[k][c] + u * v[k + 1][c]),
            _ => mix(&|c| {
                let (a, out) = (v[3 * k + 1][c], v[3 * k + 2][c]);
                let (into, b) = (v[3 * k + 3][c], v[3 * k + 4][c]);
                (1.0 - u) * (1.0 - u) * ((1.0 + 2.0 * u) * a + u * step * out)
                    + u * u * ((3.0 - 2.0 * u) * b + (u - 1.0) * step * into)
            }),
        }
    }
}

#[test]
fn the_interpolation_test_plays_as_the_specification_says() {
    let shared = std::env::var_os("POSEPRESS_SHARED").map(std::path::PathBuf::from);
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let path = shared
        .unwrap_or(default)
        .join("clips/InterpolationTest/InterpolationTest.gltf");
    if !path.exists() {
        println!("skipped: there is no {}", path.display());
        return;
    }
    let source = read_gltf_source(&path).unwrap();
    let asset = load_path(&path).unwrap();
    assert_eq!((asset.clips.len(), asset.skeleton.len()), (9, 9));
    let mut seen = std::collections::BTreeSet::new();
    for (i, clip) in asset.clips.iter().enumerate() {
        let (path, sampler) = sampler(&source.json, &source.buffers[0], i);
        compare(clip, &path, &sampler);
        seen.insert((path, sampler.how));
    }
    assert_eq!(seen.len(), 9, "three channels, three interpolations");
}

fn compare(clip: &Clip, path: &str, sampler: &Sampler) {
    let joint = clip.tracks()[0].joint;
    let end = sampler.times.last().unwrap();
    for k in -20..=220 {
        // Off the keys: a step that is missed by a rounding counts as taken here.
        let secs = end * (f64::from(k) + 0.1) / 200.0;
        let want = sampler.at(secs, path == "rotation");
        let got = clip.local(joint, secs);
        if path == "rotation" {
            let want = DQuat::from_slice(&want).normalize();
            assert!(
                rotation_angle(got.rotation, want) < 2e-7,
                "{} {secs}",
                clip.name()
            );
            continue;
        }
        let got = if path == "scale" {
            got.scale
        } else {
            got.translation
        };
        let off = (got - DVec3::from_slice(&want)).length();
        assert!(
            off < 1e-9,
            "{} at {secs}: {got} is not {want:?}",
            clip.name()
        );
    }
}
