//! Clips as glTF animations: a key a frame, LINEAR; one key for what rests; STEP for what switches.

use super::film::{Film, RATE};
use super::glb::{Binary, EYES, FLOAT, SHORT, floats, le_bytes};
use super::pose::Pose;
use super::rig::{JOINTS, WEAPON, is_finger, offset, travels};
use glam::DQuat;
use serde_json::{Value, json};

/// Numbers that differ by less are one and the same, written once.
const SAME: f32 = 2e-7;
/// Size of the staff in clips that do not use it.
const HIDDEN: f32 = 0.001;

/// A channel before it is written.
struct Curve {
    node: usize,
    path: &'static str,
    /// Frames of the keys; `None` for each frame.
    frames: Option<Vec<usize>>,
    values: Vec<f32>,
    step: bool,
    /// Stored as 16-bit integers, 0.004 degrees fine.
    short: bool,
}

impl Curve {
    /// The type of a value, and of how many numbers it is.
    fn kind(&self) -> (&'static str, usize) {
        match self.path {
            "rotation" => ("VEC4", 4),
            "weights" => ("SCALAR", 1),
            _ => ("VEC3", 3),
        }
    }

    /// Number of keys.
    fn count(&self) -> usize {
        self.values.len() / self.kind().1
    }

    fn bytes(&self) -> Vec<u8> {
        if !self.short {
            return le_bytes(&self.values);
        }
        let short = |v: &f32| ((f64::from(*v) * 32767.0).round() as i16).to_le_bytes();
        self.values.iter().flat_map(short).collect()
    }

    /// The accessor of the values, which stand in a view.
    fn accessor(&self, binary: &mut Binary, view: usize, offset: usize) -> usize {
        let mut accessor = json!({
            "bufferView": view, "byteOffset": offset,
            "componentType": FLOAT, "count": self.count(), "type": self.kind().0,
        });
        if self.short {
            accessor["componentType"] = SHORT.into();
            accessor["normalized"] = true.into();
        }
        binary.accessor(accessor)
    }
}

pub fn write(binary: &mut Binary, films: &[Film]) -> Vec<Value> {
    let longest = films.iter().map(|f| f.poses.len()).max().unwrap_or(0);
    let times: Vec<f32> = (0..longest).map(secs).collect();
    let times = binary.view(&le_bytes(&times), None);
    films
        .iter()
        .map(|film| animation(binary, times, film))
        .collect()
}

fn secs(frame: usize) -> f32 {
    frame as f32 / RATE as f32
}

fn animation(binary: &mut Binary, times: usize, film: &Film) -> Value {
    let curves = curves(film);
    // Sampled curves share a view; what has times of its own has values of its own, too.
    let sampled = || curves.iter().filter(|c| c.frames.is_none());
    let bytes: Vec<u8> = sampled().flat_map(Curve::bytes).collect();
    let view = binary.view(&bytes, None);
    let every = shared_times(binary, times, film.poses.len());
    let first = shared_times(binary, times, 1);
    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    let mut offset = 0;
    for curve in &curves {
        let (input, output) = if let Some(frames) = &curve.frames {
            let view = binary.view(&curve.bytes(), None);
            (own_times(binary, frames), curve.accessor(binary, view, 0))
        } else {
            let output = curve.accessor(binary, view, offset);
            offset += curve.bytes().len();
            (if curve.count() == 1 { first } else { every }, output)
        };
        let interpolation = if curve.step { "STEP" } else { "LINEAR" };
        channels.push(json!({
            "sampler": samplers.len(), "target": { "node": curve.node, "path": curve.path },
        }));
        samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
    }
    json!({ "name": film.name, "channels": channels, "samplers": samplers })
}

/// The first `count` frames of the times that all clips share.
fn shared_times(binary: &mut Binary, view: usize, count: usize) -> usize {
    binary.accessor(json!({
        "bufferView": view, "componentType": FLOAT, "count": count, "type": "SCALAR",
        "min": [0.0], "max": [f64::from(secs(count - 1))],
    }))
}

fn own_times(binary: &mut Binary, frames: &[usize]) -> usize {
    let times: Vec<f32> = frames.iter().map(|&k| secs(k)).collect();
    let view = binary.view(&le_bytes(&times), None);
    binary.accessor(json!({
        "bufferView": view, "componentType": FLOAT, "count": times.len(), "type": "SCALAR",
        "min": [f64::from(times[0])], "max": [f64::from(times[times.len() - 1])],
    }))
}

fn curves(film: &Film) -> Vec<Curve> {
    let mut curves = Vec::new();
    for joint in 0..JOINTS {
        if travels(joint) {
            let places = film.poses.iter().map(|p| p.local_place(joint));
            let places: Vec<[f32; 3]> = places.map(floats).collect();
            let rest = floats(offset(joint));
            curves.extend(curve(joint, "translation", &places, rest));
        }
        curves.extend(curve(
            joint,
            "rotation",
            &rotations(&film.poses, joint),
            [0.0, 0.0, 0.0, 1.0],
        ));
    }
    if !film.armed {
        let values = vec![HIDDEN; 3];
        curves.push(Curve {
            node: WEAPON,
            path: "scale",
            frames: None,
            values,
            step: true,
            short: false,
        });
    }
    if !film.blinks.is_empty() {
        let frames =
            std::iter::once(0).chain(film.blinks.iter().flat_map(|&(shut, open)| [shut, open]));
        let frames: Vec<usize> = frames.collect();
        let values = (0..frames.len()).map(|k| (k % 2) as f32).collect();
        curves.push(Curve {
            node: EYES,
            path: "weights",
            frames: Some(frames),
            values,
            step: true,
            short: false,
        });
    }
    curves
}

/// A curve with a key a frame; one key if nothing moves, and none if it rests where the node does.
fn curve<const N: usize>(
    node: usize,
    path: &'static str,
    keys: &[[f32; N]],
    rest: [f32; N],
) -> Option<Curve> {
    let near = |a: &[f32; N], b: &[f32; N]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < SAME);
    let constant = keys.iter().all(|key| near(key, &keys[0]));
    if constant && near(&rest, &keys[0]) {
        return None;
    }
    let kept = if constant { &keys[..1] } else { keys };
    let values = kept.as_flattened().to_vec();
    Some(Curve {
        node,
        path,
        frames: None,
        values,
        step: false,
        short: is_finger(node),
    })
}

/// Local rotations with signs that do not flip from frame to frame.
fn rotations(poses: &[Pose], joint: usize) -> Vec<[f32; 4]> {
    let mut last = DQuat::IDENTITY;
    let mut out = Vec::new();
    for pose in poses {
        let q = pose.local_rotation(joint).normalize();
        last = if last.dot(q) < 0.0 { -q } else { q };
        out.push(last.to_array().map(|v| v as f32));
    }
    out
}
