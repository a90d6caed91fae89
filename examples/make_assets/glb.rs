//! Writes meshes, skins and clips as one GLB.
//!
//! Scene 0 shows the mannequin, scene 1 the lower level of detail on the same joints.

use super::animation;
use super::body::{self, Body, Detail};
use super::film::Film;
use super::loft::{Mesh, Vertex, Weights};
use super::rig::{JOINTS, is_finger, name, offset, parent, rest};
use glam::DVec3;
use serde_json::{Value, json};

pub const FLOAT: u32 = 5126;
pub const SHORT: u32 = 5122;
const U16: u32 = 5123;
const U8: u32 = 5121;
const ARRAY: u32 = 34962;
const ELEMENTS: u32 = 34963;

/// Nodes after the joints.
pub const EYES: usize = JOINTS + 1;

/// The buffer with its views and accessors, as they are filled.
#[derive(Default)]
pub struct Binary {
    pub bytes: Vec<u8>,
    pub views: Vec<Value>,
    pub accessors: Vec<Value>,
}

impl Binary {
    /// Adds a view; returns its index.
    pub fn view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view = json!({
            "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len(),
        });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.bytes.extend_from_slice(bytes);
        self.views.push(view);
        self.views.len() - 1
    }

    /// Adds an accessor; returns its index.
    pub fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn vertex_data(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        let view = self.view(bytes, Some(ARRAY));
        let normalized = component != FLOAT;
        let mut accessor = json!({
            "bufferView": view, "componentType": component, "count": count, "type": kind,
        });
        if normalized {
            accessor["normalized"] = true.into();
        }
        self.accessor(accessor)
    }

    /// One VEC3 a vertex, with its bounds where asked.
    fn vectors(&mut self, vectors: &[[f32; 3]], bounded: bool) -> usize {
        let index = self.vertex_data(
            &le_bytes(vectors.as_flattened()),
            FLOAT,
            "VEC3",
            vectors.len(),
        );
        if bounded {
            let bound = |pick: fn(f32, f32) -> f32| -> Vec<f64> {
                let axis = |k: usize| vectors.iter().map(|v| v[k]).reduce(pick);
                (0..3).filter_map(axis).map(f64::from).collect()
            };
            self.accessors[index]["min"] = bound(f32::min).into();
            self.accessors[index]["max"] = bound(f32::max).into();
        }
        index
    }
}

pub fn le_bytes(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|v| v.to_le_bytes()).collect()
}

pub fn write(films: &[Film]) -> Vec<u8> {
    let mut binary = Binary::default();
    let near: Vec<usize> = (0..JOINTS).collect();
    let far = joints_of(Detail::Far);
    let Body { skin, eyes, staff } = body::build(Detail::Near);
    let mut distant = body::build(Detail::Far);
    distant.skin.append(distant.eyes);
    distant.skin.append(distant.staff);
    let meshes = [
        mesh(&mut binary, "mannequin", &skin, &near),
        blinking(&mut binary, "eyes", &eyes, &near),
        mesh(&mut binary, "staff", &staff, &near),
        mesh(&mut binary, "mannequin_lod1", &distant.skin, &far),
    ];
    let skins = [
        skin_of(&mut binary, "mannequin", &near),
        skin_of(&mut binary, "mannequin_lod1", &far),
    ];
    let mut nodes: Vec<Value> = (0..JOINTS).map(node).collect();
    for (k, mesh) in meshes.iter().enumerate() {
        nodes.push(json!({ "name": mesh["name"], "mesh": k, "skin": usize::from(k == 3) }));
    }
    let animations = animation::write(&mut binary, films);
    let doc = json!({
        "asset": { "version": "2.0", "generator": "Posepress make_assets" },
        "scene": 0,
        "scenes": [
            { "name": "mannequin", "nodes": [0, JOINTS, EYES, JOINTS + 2] },
            { "name": "mannequin_lod1", "nodes": [0, JOINTS + 3] },
        ],
        "nodes": nodes,
        "meshes": meshes,
        "materials": [{
            "name": "matt",
            "pbrMetallicRoughness": {
                "baseColorFactor": [1.0, 1.0, 1.0, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8,
            },
        }],
        "skins": skins,
        "animations": animations,
        "accessors": binary.accessors,
        "bufferViews": binary.views,
        "buffers": [{ "byteLength": binary.bytes.len() }],
    });
    pack(&doc.to_string(), &binary.bytes)
}

/// The joints that a level of detail follows, in the order of its skin.
pub fn joints_of(detail: Detail) -> Vec<usize> {
    (0..JOINTS)
        .filter(|&j| detail == Detail::Near || !is_finger(j))
        .collect()
}

fn node(joint: usize) -> Value {
    let children: Vec<usize> = (0..JOINTS).filter(|&k| parent(k) == Some(joint)).collect();
    let mut node = json!({ "name": name(joint), "translation": short(offset(joint)) });
    if !children.is_empty() {
        node["children"] = children.into();
    }
    node
}

/// Rounded to a tenth of a millimetre, as the places of the joints are.
fn short(v: DVec3) -> [f64; 3] {
    v.to_array().map(|x| (x * 1e4).round() / 1e4)
}

/// Nothing is rotated in the rest pose, so the inverse bind matrix moves the joint to the origin.
fn inverse_bind(joint: usize) -> [f32; 16] {
    let [x, y, z] = rest(joint).to_array().map(|v| 0.0 - v as f32);
    [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., x, y, z, 1.]
}

fn skin_of(binary: &mut Binary, name: &str, joints: &[usize]) -> Value {
    let binds: Vec<f32> = joints.iter().flat_map(|&j| inverse_bind(j)).collect();
    let view = binary.view(&le_bytes(&binds), None);
    let binds = binary.accessor(json!({
        "bufferView": view, "componentType": FLOAT, "count": joints.len(), "type": "MAT4",
    }));
    json!({ "name": name, "skeleton": 0, "joints": joints, "inverseBindMatrices": binds })
}

fn mesh(binary: &mut Binary, name: &str, mesh: &Mesh, joints: &[usize]) -> Value {
    json!({ "name": name, "primitives": [primitive(binary, mesh, joints)] })
}

/// A mesh with the morph target `blink`.
fn blinking(binary: &mut Binary, name: &str, eyes: &Mesh, joints: &[usize]) -> Value {
    let mut primitive = primitive(binary, eyes, joints);
    let blink: Vec<_> = eyes.vertices.iter().map(|v| floats(v.blink)).collect();
    let blink = binary.vectors(&blink, true);
    primitive["targets"] = json!([{ "POSITION": blink }]);
    json!({
        "name": name, "primitives": [primitive], "weights": [0.0], "extras": { "targetNames": ["blink"] },
    })
}

pub fn floats(v: DVec3) -> [f32; 3] {
    v.to_array().map(|x| x as f32)
}

fn primitive(binary: &mut Binary, mesh: &Mesh, joints: &[usize]) -> Value {
    let vertices = &mesh.vertices;
    let count = vertices.len();
    let vectors = |pick: fn(&Vertex) -> DVec3| -> Vec<[f32; 3]> {
        vertices.iter().map(|v| floats(pick(v))).collect()
    };
    let position = binary.vectors(&vectors(|v| v.place), true);
    let normal = binary.vectors(&vectors(|v| v.normal), false);
    let colors: Vec<u8> = vertices
        .iter()
        .flat_map(|v| [v.color[0], v.color[1], v.color[2], 255])
        .collect();
    let color = binary.vertex_data(&colors, U8, "VEC4", count);
    let (bones, weights): (Vec<[u8; 4]>, Vec<[u16; 4]>) = vertices
        .iter()
        .map(|v| influences(&v.weights, joints))
        .unzip();
    let joints = binary.vertex_data(bones.as_flattened(), U8, "VEC4", count);
    binary.accessors[joints]
        .as_object_mut()
        .map(|a| a.remove("normalized"));
    let bytes: Vec<u8> = weights
        .as_flattened()
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .collect();
    let weights = binary.vertex_data(&bytes, U16, "VEC4", count);
    let indices: Vec<u8> = mesh
        .triangles
        .iter()
        .flatten()
        .flat_map(|&i| (i as u16).to_le_bytes())
        .collect();
    let view = binary.view(&indices, Some(ELEMENTS));
    let indices = binary.accessor(json!({
        "bufferView": view, "componentType": U16, "count": 3 * mesh.triangles.len(), "type": "SCALAR",
    }));
    json!({
        "attributes": {
            "POSITION": position, "NORMAL": normal, "COLOR_0": color,
            "JOINTS_0": joints, "WEIGHTS_0": weights,
        },
        "indices": indices,
        "material": 0,
    })
}

/// The four largest weights as integers whose sum is exactly 1; an unused influence names joint 0.
fn influences(weights: &Weights, joints: &[usize]) -> ([u8; 4], [u16; 4]) {
    let mut sorted = weights.0.clone();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    sorted.truncate(4);
    let sum: f64 = sorted.iter().map(|w| w.1).sum();
    let (mut bones, mut shares) = ([0; 4], [0; 4]);
    let mut left = u16::MAX;
    for (k, &(joint, weight)) in sorted.iter().enumerate().rev() {
        let share = if k == 0 {
            left
        } else {
            (weight / sum * f64::from(u16::MAX)).round() as u16
        };
        left -= share;
        if share > 0 {
            let bone = joints.iter().position(|&j| j == joint);
            bones[k] = bone.expect("the skin has the joint") as u8;
            shares[k] = share;
        }
    }
    (bones, shares)
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
