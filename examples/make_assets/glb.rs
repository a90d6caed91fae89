//! Writes mesh, skin and clips as one GLB.

use super::body::Mesh;
use super::motion::{ClipFrames, RATE};
use super::rig::{JOINTS, PELVIS, Pose, name, offset, parent, rest};
use glam::{DQuat, DVec3};
use serde_json::{Value, json};

const FLOAT: u32 = 5126;
const U16: u32 = 5123;
const U8: u32 = 5121;

#[derive(Default)]
struct Binary {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Binary {
    /// Adds an accessor with a view of its own; returns its index.
    fn add(
        &mut self,
        bytes: &[u8],
        component: u32,
        kind: &str,
        count: usize,
        more: &Value,
    ) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view = json!({
            "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len(),
        });
        self.bytes.extend_from_slice(bytes);
        let mut accessor = json!({
            "bufferView": self.views.len(), "componentType": component, "count": count, "type": kind,
        });
        for (key, value) in more.as_object().into_iter().flatten() {
            let owner = if key == "target" {
                &mut view
            } else {
                &mut accessor
            };
            owner[key] = value.clone();
        }
        self.views.push(view);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn floats(&mut self, floats: &[f32], kind: &str, more: &Value) -> usize {
        let width = match kind {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bytes: Vec<u8> = floats.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.add(&bytes, FLOAT, kind, floats.len() / width, more)
    }
}

pub fn write(mesh: &Mesh, clips: &[ClipFrames]) -> Vec<u8> {
    let mut binary = Binary::default();
    let primitive = primitive(&mut binary, mesh);
    let binds: Vec<f32> = (0..JOINTS).flat_map(inverse_bind).collect();
    let binds = binary.floats(&binds, "MAT4", &Value::Null);
    let animations: Vec<Value> = clips.iter().map(|c| animation(&mut binary, c)).collect();
    let mut nodes: Vec<Value> = (0..JOINTS).map(node).collect();
    nodes.push(json!({ "name": "mannequin", "mesh": 0, "skin": 0 }));
    let doc = json!({
        "asset": { "version": "2.0", "generator": "Posepress make_assets" },
        "scene": 0,
        "scenes": [{ "name": "Scene", "nodes": [0, JOINTS] }],
        "nodes": nodes,
        "meshes": [{ "name": "mannequin", "primitives": [primitive] }],
        "materials": [{
            "name": "matt",
            "pbrMetallicRoughness": {
                "baseColorFactor": [1.0, 1.0, 1.0, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8,
            },
        }],
        "skins": [{
            "skeleton": 0, "joints": (0..JOINTS).collect::<Vec<_>>(), "inverseBindMatrices": binds,
        }],
        "animations": animations,
        "accessors": binary.accessors,
        "bufferViews": binary.views,
        "buffers": [{ "byteLength": binary.bytes.len() }],
    });
    pack(&doc.to_string(), &binary.bytes)
}

fn node(joint: usize) -> Value {
    let children: Vec<usize> = (0..JOINTS).filter(|&k| parent(k) == Some(joint)).collect();
    let mut node = json!({ "name": name(joint), "translation": short(offset(joint)) });
    if !children.is_empty() {
        node["children"] = children.into();
    }
    node
}

/// Rounded to a tenth of a millimetre, as in the table of joints.
fn short(v: DVec3) -> [f64; 3] {
    v.to_array().map(|x| (x * 1e4).round() / 1e4)
}

/// Nothing is rotated in the rest pose, so the inverse bind matrix moves the joint to the origin.
fn inverse_bind(joint: usize) -> [f32; 16] {
    let [x, y, z] = rest(joint).to_array().map(|v| -v as f32);
    [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., x, y, z, 1.]
}

fn primitive(binary: &mut Binary, mesh: &Mesh) -> Value {
    let flat = |list: &[DVec3]| -> Vec<f32> {
        list.iter()
            .flat_map(DVec3::to_array)
            .map(|v| v as f32)
            .collect()
    };
    let positions = flat(&mesh.positions);
    let bound = |pick: fn(f32, f32) -> f32| -> Vec<f64> {
        let axis = |k| positions.iter().skip(k).step_by(3).copied().reduce(pick);
        (0..3).filter_map(axis).map(f64::from).collect()
    };
    let (min, max) = (bound(f32::min), bound(f32::max));
    let more = json!({ "min": min, "max": max, "target": 34962 });
    let position = binary.floats(&positions, "VEC3", &more);
    let vertex_data = json!({ "target": 34962 });
    let normal = binary.floats(&flat(&mesh.normals), "VEC3", &vertex_data);
    let count = mesh.positions.len();
    let colors: Vec<u8> = mesh
        .colors
        .iter()
        .flat_map(|&[r, g, b]| [r, g, b, 255])
        .collect();
    let more = json!({ "normalized": true, "target": 34962 });
    let color = binary.add(&colors, U8, "VEC4", count, &more);
    // An unused influence must name joint 0.
    let second = |b: usize, w: f64| if w > 0.0 { b as u8 } else { 0 };
    let joints: Vec<u8> = mesh
        .skin
        .iter()
        .flat_map(|&(a, b, w)| [a as u8, second(b, w), 0, 0])
        .collect();
    let joints = binary.add(&joints, U8, "VEC4", count, &vertex_data);
    let weights: Vec<f32> = mesh
        .skin
        .iter()
        .flat_map(|&(_, _, w)| [1.0 - w as f32, w as f32, 0.0, 0.0])
        .collect();
    let weights = binary.floats(&weights, "VEC4", &vertex_data);
    let indices: Vec<u16> = mesh.triangles.iter().flatten().map(|&i| i as u16).collect();
    let bytes: Vec<u8> = indices.iter().flat_map(|i| i.to_le_bytes()).collect();
    let indices = binary.add(
        &bytes,
        U16,
        "SCALAR",
        indices.len(),
        &json!({ "target": 34963 }),
    );
    json!({
        "attributes": {
            "POSITION": position, "NORMAL": normal, "COLOR_0": color,
            "JOINTS_0": joints, "WEIGHTS_0": weights,
        },
        "indices": indices,
        "material": 0,
    })
}

fn animation(binary: &mut Binary, clip: &ClipFrames) -> Value {
    let all: Vec<f32> = (0..clip.poses.len())
        .map(|k| k as f32 / RATE as f32)
        .collect();
    let bounds =
        |times: &[f32]| json!({ "min": [times[0]], "max": [f64::from(times[times.len() - 1])] });
    let every = binary.floats(&all, "SCALAR", &bounds(&all));
    let mut first = None;
    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    let mut channel =
        |binary: &mut Binary, joint: usize, path: &str, kind: &str, mut values: Vec<f32>| {
            let width = values.len() / all.len();
            let constant = values.chunks_exact(width).all(|v| v == &values[..width]);
            if constant {
                values.truncate(width);
            }
            let output = binary.floats(&values, kind, &Value::Null);
            let input = if constant {
                *first.get_or_insert_with(|| binary.floats(&all[..1], "SCALAR", &bounds(&all[..1])))
            } else {
                every
            };
            channels.push(
                json!({ "sampler": samplers.len(), "target": { "node": joint, "path": path } }),
            );
            samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
        };
    let pelvis = clip.poses.iter().flat_map(|p| p.pelvis.to_array());
    channel(
        binary,
        PELVIS,
        "translation",
        "VEC3",
        pelvis.map(|v| v as f32).collect(),
    );
    for joint in PELVIS..JOINTS {
        channel(
            binary,
            joint,
            "rotation",
            "VEC4",
            rotations(&clip.poses, joint),
        );
    }
    json!({ "name": clip.name, "channels": channels, "samplers": samplers })
}

/// Local rotations with signs that do not flip from frame to frame.
fn rotations(poses: &[Pose], joint: usize) -> Vec<f32> {
    let mut last = DQuat::IDENTITY;
    let mut out = Vec::new();
    for pose in poses {
        let q = pose.local(joint).normalize();
        last = if last.dot(q) < 0.0 { -q } else { q };
        out.extend(last.to_array().map(|v| v as f32));
    }
    out
}

fn pack(json: &str, bin: &[u8]) -> Vec<u8> {
    let json_len = json.len().next_multiple_of(4);
    let bin_len = bin.len().next_multiple_of(4);
    let total = 12 + 8 + json_len + 8 + bin_len;
    let mut out = b"glTF".to_vec();
    for word in [2, total, json_len] {
        out.extend((word as u32).to_le_bytes());
    }
    out.extend(b"JSON");
    out.extend(json.as_bytes());
    out.resize(20 + json_len, b' ');
    out.extend((bin_len as u32).to_le_bytes());
    out.extend(b"BIN\0");
    out.extend(bin);
    out.resize(total, 0);
    out
}
