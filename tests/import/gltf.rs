//! Small hand-made files.

use base64::Engine as _;
use posepress::import::{ImportError, LoadOptions, load};
use posepress::model::Asset;
use serde_json::{Value, json};
use std::path::Path;

pub const U8: u32 = 5121;
pub const I16: u32 = 5122;
pub const U16: u32 = 5123;
pub const F32: u32 = 5126;

/// A glTF under construction; all accessors live in buffer 0, one view each.
#[derive(Clone)]
pub struct Gltf {
    pub json: Value,
    pub bytes: Vec<u8>,
}

impl Gltf {
    pub fn new(nodes: &Value) -> Self {
        let json = json!({
            "asset": {"version": "2.0"},
            "nodes": nodes,
            "animations": [],
            "accessors": [],
            "bufferViews": []
        });
        Self {
            json,
            bytes: Vec::new(),
        }
    }

    pub fn push(&mut self, list: &str, value: Value) -> usize {
        if self.json.get(list).is_none() {
            self.json[list] = json!([]);
        }
        let list = self.json[list].as_array_mut().unwrap();
        list.push(value);
        list.len() - 1
    }

    pub fn view(&mut self, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let offset = self.bytes.len();
        self.bytes.extend(bytes);
        let view = json!({"buffer": 0, "byteOffset": offset, "byteLength": bytes.len()});
        self.push("bufferViews", view)
    }

    pub fn accessor(&mut self, kind: &str, component: u32, count: usize, bytes: &[u8]) -> usize {
        let view = self.view(bytes);
        let accessor =
            json!({"bufferView": view, "componentType": component, "type": kind, "count": count});
        self.push("accessors", accessor)
    }

    pub fn floats(&mut self, kind: &str, values: &[f32]) -> usize {
        let width = match kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.accessor(kind, F32, values.len() / width, &bytes)
    }

    pub fn animation(&mut self, name: &str) -> usize {
        self.push(
            "animations",
            json!({"name": name, "channels": [], "samplers": []}),
        )
    }

    /// Adds a channel to the last animation (made if there is none); returns its index.
    pub fn channel(&mut self, target: &Value, how: &str, input: usize, output: usize) -> usize {
        if self.json["animations"].as_array().unwrap().is_empty() {
            self.animation("Walk");
        }
        let last = self.json["animations"]
            .as_array_mut()
            .unwrap()
            .last_mut()
            .unwrap();
        let samplers = last["samplers"].as_array_mut().unwrap();
        samplers.push(json!({"input": input, "output": output, "interpolation": how}));
        let sampler = samplers.len() - 1;
        let channels = last["channels"].as_array_mut().unwrap();
        channels.push(json!({"sampler": sampler, "target": target}));
        channels.len() - 1
    }

    /// A channel from floats.
    pub fn curve(&mut self, node: usize, path: &str, how: &str, times: &[f32], values: &[f32]) {
        let kind = match path {
            "rotation" => "VEC4",
            "weights" => "SCALAR",
            _ => "VEC3",
        };
        let input = self.floats("SCALAR", times);
        let output = self.floats(kind, values);
        self.channel(&json!({"node": node, "path": path}), how, input, output);
    }

    pub fn text(&self) -> String {
        let mut json = self.json.clone();
        let data = base64::engine::general_purpose::STANDARD.encode(&self.bytes);
        let uri = format!("data:application/octet-stream;base64,{data}");
        json["buffers"] = json!([{"byteLength": self.bytes.len(), "uri": uri}]);
        json.to_string()
    }

    pub fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"] = json!([{"byteLength": self.bytes.len()}]);
        let mut text = json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut bin = self.bytes.clone();
        bin.resize(bin.len().next_multiple_of(4), 0);
        let mut out = b"glTF\x02\0\0\0".to_vec();
        out.extend((28 + text.len() as u32 + bin.len() as u32).to_le_bytes());
        out.extend((text.len() as u32).to_le_bytes());
        out.extend(b"JSON");
        out.extend(text);
        out.extend((bin.len() as u32).to_le_bytes());
        out.extend(b"BIN\0");
        out.extend(bin);
        out
    }

    pub fn load(&self) -> Result<Asset, ImportError> {
        load_bytes(self.text().as_bytes())
    }

    pub fn strict(&self) -> Result<Asset, ImportError> {
        load_as(self.text().as_bytes(), LoadOptions { strict: true })
    }
}

/// One node that moves from 0 to (1, 2, 3) in a second.
pub fn simple() -> Gltf {
    let mut g = Gltf::new(&json!([{"name": "hip"}]));
    let values = [0.0, 0.0, 0.0, 1.0, 2.0, 3.0];
    g.curve(0, "translation", "LINEAR", &[0.0, 1.0], &values);
    g
}

/// A two-joint skin with a triangle, a texture, and a rotation.
pub fn skinned() -> Gltf {
    let mut g = Gltf::new(&json!([
        {"name": "hip", "children": [1]},
        {"name": "knee", "translation": [0, 1, 0]},
        {"name": "body", "mesh": 0, "skin": 0}
    ]));
    let turn = [0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0];
    g.curve(1, "rotation", "LINEAR", &[0.0, 0.5], &turn);
    let positions = g.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0]);
    let uvs = g.floats("VEC2", &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    let joints = g.accessor("VEC4", U8, 3, &[0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
    let weights = g.floats(
        "VEC4",
        &[0.5, 0.5, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
    );
    let indices = g.accessor("SCALAR", U16, 3, &[0, 0, 1, 0, 2, 0]);
    let mut bind = [0.0; 32];
    for i in 0..4 {
        bind[i * 5] = 1.0;
        bind[16 + i * 5] = 1.0;
    }
    bind[16 + 13] = -1.0;
    let bind = g.floats("MAT4", &bind);
    g.push(
        "skins",
        json!({"joints": [0, 1], "inverseBindMatrices": bind}),
    );
    let picture = g.view(&red_png());
    g.push(
        "images",
        json!({"bufferView": picture, "mimeType": "image/png"}),
    );
    g.push("textures", json!({"source": 0}));
    let pbr = json!({"baseColorFactor": [1, 0.5, 0.25, 1], "baseColorTexture": {"index": 0}});
    g.push("materials", json!({"pbrMetallicRoughness": pbr}));
    let attributes =
        json!({"POSITION": positions, "TEXCOORD_0": uvs, "JOINTS_0": joints, "WEIGHTS_0": weights});
    let primitive = json!({"attributes": attributes, "indices": indices, "material": 0});
    g.push("meshes", json!({"primitives": [primitive]}));
    g
}

/// A picture of 2 x 1 red pixels.
pub fn red_png() -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    image::RgbImage::from_pixel(2, 1, image::Rgb([255, 0, 0]))
        .write_to(&mut out, image::ImageFormat::Png)
        .unwrap();
    out.into_inner()
}

pub fn load_bytes(bytes: &[u8]) -> Result<Asset, ImportError> {
    load_as(bytes, LoadOptions::default())
}

fn load_as(bytes: &[u8], options: LoadOptions) -> Result<Asset, ImportError> {
    posepress::import::load_bytes(Path::new("model.gltf"), bytes, &options)
}

pub fn load_path(path: &Path) -> Result<Asset, ImportError> {
    load(path, &LoadOptions::default())
}

/// Codes of the asset's issues.
pub fn codes(asset: &Asset) -> Vec<&'static str> {
    asset.issues.iter().map(|i| i.code).collect()
}
