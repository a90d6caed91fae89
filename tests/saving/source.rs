//! Small glTF files, and sessions over them.

use base64::Engine as _;
use posepress::session::{Change, ClipId, Command, FrameNote, Session};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

const FRAMES: usize = 20;

/// A chain of joints whose clips turn the last one by an angle in radians.
pub fn gltf(joints: &[&str], clips: &[(&str, f32)]) -> String {
    let mut floats: Vec<f32> = (0..FRAMES).map(|k| k as f32 / 30.0).collect();
    for (_, angle) in clips {
        for k in 0..FRAMES {
            let half = 0.5 * angle * (k as f32 / 3.0).sin();
            floats.extend([half.sin(), 0.0, 0.0, half.cos()]);
        }
    }
    let bytes: Vec<u8> = floats.iter().flat_map(|f| f.to_le_bytes()).collect();
    let uri = base64::engine::general_purpose::STANDARD.encode(&bytes);
    let end = (FRAMES - 1) as f32 / 30.0;
    let mut views = vec![json!({ "buffer": 0, "byteOffset": 0, "byteLength": 4 * FRAMES })];
    let mut accessors = vec![json!({
        "bufferView": 0, "componentType": 5126, "count": FRAMES, "type": "SCALAR", "min": [0.0], "max": [end],
    })];
    let mut animations = Vec::new();
    for (k, (name, _)) in clips.iter().enumerate() {
        let length = 16 * FRAMES;
        let offset = 4 * FRAMES + k * length;
        views.push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": length }));
        accessors.push(
            json!({ "bufferView": k + 1, "componentType": 5126, "count": FRAMES, "type": "VEC4" }),
        );
        animations.push(json!({
            "name": name,
            "samplers": [{ "input": 0, "output": k + 1 }],
            "channels": [{ "sampler": 0, "target": { "node": joints.len() - 1, "path": "rotation" } }],
        }));
    }
    let node = |(k, name): (usize, &&str)| -> Value {
        let mut node = json!({ "name": name, "translation": [0.0, 0.5, 0.0] });
        if k + 1 < joints.len() {
            node["children"] = json!([k + 1]);
        }
        node
    };
    json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": [0] }],
        "nodes": joints.iter().enumerate().map(node).collect::<Value>(),
        "buffers": [{
            "byteLength": bytes.len(),
            "uri": format!("data:application/octet-stream;base64,{uri}"),
        }],
        "bufferViews": views,
        "accessors": accessors,
        "animations": animations,
    })
    .to_string()
}

/// Two clips of two joints.
pub fn write_source(path: &Path) {
    let text = gltf(&["hips", "foot_l"], &[("Walk", 0.5), ("Run", 0.9)]);
    fs::write(path, text).expect("written");
}

pub fn settle(session: &mut Session) {
    let start = Instant::now();
    while session.busy_clips() > 0 || !session.loading().is_empty() {
        session.poll();
        assert!(start.elapsed() < Duration::from_mins(1), "it hangs");
        std::thread::sleep(Duration::from_millis(2));
    }
}

pub fn open(path: &Path) -> Session {
    let mut session = Session::new(|| {});
    session.open(path);
    settle(&mut session);
    session
}

pub fn clip(clip: usize) -> ClipId {
    ClipId { document: 0, clip }
}

pub fn edit(session: &mut Session, k: usize, change: Change) {
    let clip = clip(k);
    session.dispatch(&Command::Edit { clip, change }, None);
}

/// A change that costs no compressing.
pub fn note(session: &mut Session, frame: usize, text: &str) {
    let text = text.to_owned();
    edit(session, 0, Change::Note(FrameNote { frame, text }));
}

/// The text of the note on a frame of the first clip.
pub fn note_on(session: &Session, frame: usize) -> Option<String> {
    let notes = &session.edits(clip(0))?.notes;
    notes
        .iter()
        .find(|n| n.frame == frame)
        .map(|n| n.text.clone())
}
