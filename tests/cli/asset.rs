//! Small glTF files, made here so that every number in them is known.

use base64::Engine as _;
use serde_json::{Value, json};

/// Collects accessors of floats into one buffer.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    fn add(&mut self, kind: &str, width: usize, values: &[f32]) -> usize {
        let offset = self.bytes.len();
        self.bytes
            .extend(values.iter().flat_map(|v| v.to_le_bytes()));
        self.views
            .push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": values.len() * 4 }));
        let mut accessor = json!({
            "bufferView": self.views.len() - 1, "componentType": 5126,
            "count": values.len() / width, "type": kind,
        });
        if width != 4 {
            let edge = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
                (0..width)
                    .map(|c| {
                        values
                            .iter()
                            .skip(c)
                            .step_by(width)
                            .copied()
                            .reduce(pick)
                            .unwrap_or(0.0)
                    })
                    .collect()
            };
            accessor["min"] = json!(edge(f32::min));
            accessor["max"] = json!(edge(f32::max));
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}

/// One curve of an animation.
pub struct Curve<'a> {
    pub node: usize,
    pub path: &'a str,
    pub interpolation: &'a str,
    pub times: Vec<f32>,
    pub values: Vec<f32>,
}

/// Frames of the clips below.
pub const FRAMES: usize = 25;

/// Frames a second of the clips below.
pub const RATE_HZ: f64 = 24.0;

/// When the clips below start, seconds.
pub const START_SECS: f64 = 0.25;

/// Times of whole frames.
pub fn times() -> Vec<f32> {
    (0..FRAMES)
        .map(|k| (START_SECS + k as f64 / RATE_HZ) as f32)
        .collect()
}

/// How far the hip is up at a frame, units.
pub fn hip_height(frame: usize) -> f32 {
    1.0 + 0.05 * (frame as f32 * 0.5).sin()
}

fn turns(size: f32) -> Vec<f32> {
    let turn = |k: usize| {
        let half = size * (k as f32 * 0.4).sin() * 0.5;
        [half.sin(), 0.0, 0.0, half.cos()]
    };
    (0..FRAMES).flat_map(turn).collect()
}

fn linear(node: usize, path: &'static str, values: Vec<f32>) -> Curve<'static> {
    Curve {
        node,
        path,
        interpolation: "LINEAR",
        times: times(),
        values,
    }
}

/// A walk of three joints: the hip moves, knee and foot turn. The nodes stand foot, knee, hip in the file.
pub fn walk() -> Vec<Curve<'static>> {
    let hips = (0..FRAMES)
        .flat_map(|k| [0.0, hip_height(k), k as f32 * 0.03])
        .collect();
    vec![
        linear(2, "translation", hips),
        linear(1, "rotation", turns(0.8)),
        linear(0, "rotation", turns(-0.5)),
    ]
}

/// The knee swells.
pub fn swell() -> Vec<Curve<'static>> {
    let scales = (0..FRAMES)
        .flat_map(|k| [1.0 + 0.02 * k as f32; 3])
        .collect();
    vec![linear(1, "scale", scales)]
}

/// The hip jumps between three places, and does not glide.
pub fn step() -> Vec<Curve<'static>> {
    vec![Curve {
        node: 2,
        path: "translation",
        interpolation: "STEP",
        times: vec![0.0, 0.5, 1.0],
        values: vec![0.0, 1.0, 0.0, 0.5, 1.0, 0.0, 0.0, 1.5, 0.0],
    }]
}

/// A single key.
pub fn pose() -> Vec<Curve<'static>> {
    vec![Curve {
        node: 2,
        path: "translation",
        interpolation: "LINEAR",
        times: vec![0.0],
        values: vec![0.0, 1.1, 0.2],
    }]
}

/// A shape that comes and goes.
pub fn morph() -> Vec<Curve<'static>> {
    let weights = (0..FRAMES).map(|k| (k as f32 / 24.0).min(1.0)).collect();
    let mut curves = walk();
    curves.push(linear(3, "weights", weights));
    curves
}

/// A glTF file with a leg of three joints, a mesh with one morph target, and these clips.
pub fn gltf(clips: &[(&str, Vec<Curve>)]) -> Vec<u8> {
    let mut buffer = Buffer::default();
    let triangle = buffer.add("VEC3", 3, &[0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.7, 0.0]);
    let target = buffer.add("VEC3", 3, &[0.1; 9]);
    let animations: Vec<Value> = clips
        .iter()
        .map(|(name, curves)| animation(&mut buffer, name, curves))
        .collect();
    let bytes = base64::engine::general_purpose::STANDARD.encode(&buffer.bytes);
    let json = json!({
        "asset": { "version": "2.0", "generator": "by hand" },
        "scene": 0,
        "scenes": [{ "nodes": [2, 3] }],
        "nodes": [
            { "name": "foot", "translation": [0, -0.5, 0] },
            { "name": "knee", "translation": [0, -0.5, 0], "children": [0] },
            { "name": "hip", "translation": [0, 1, 0], "children": [1], "extras": { "kept": [1, 2] } },
            { "name": "body", "mesh": 0 },
        ],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": triangle }, "targets": [{ "POSITION": target }]
        }], "weights": [0] }],
        "animations": animations,
        "buffers": [{
            "uri": format!("data:application/octet-stream;base64,{bytes}"), "byteLength": buffer.bytes.len()
        }],
        "bufferViews": buffer.views,
        "accessors": buffer.accessors,
        "extras": { "studio": "ours" },
    });
    json.to_string().into_bytes()
}

fn animation(buffer: &mut Buffer, name: &str, curves: &[Curve]) -> Value {
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for c in curves {
        let (kind, width) = match c.path {
            "rotation" => ("VEC4", 4),
            "weights" => ("SCALAR", 1),
            _ => ("VEC3", 3),
        };
        let input = buffer.add("SCALAR", 1, &c.times);
        let output = buffer.add(kind, width, &c.values);
        channels.push(
            json!({ "sampler": samplers.len(), "target": { "node": c.node, "path": c.path } }),
        );
        samplers
            .push(json!({ "input": input, "output": output, "interpolation": c.interpolation }));
    }
    json!({ "name": name, "samplers": samplers, "channels": channels })
}
