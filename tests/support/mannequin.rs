//! The bundled mannequin, or a file with some of its clips only: what a test does not look at it need not wait for.
#![allow(dead_code)] // No test needs all of it.

use serde_json::Value;
use std::path::{Path, PathBuf};

/// The bundled file.
pub const BUNDLED: &[u8] = include_bytes!("../../assets/mannequin.glb");

/// The mannequin with these clips alone, in this order.
pub fn with_clips(names: &[&str]) -> Vec<u8> {
    let length = |at: usize| {
        let bytes = BUNDLED[at..at + 4].try_into().expect("four bytes");
        u32::from_le_bytes(bytes) as usize
    };
    let end = 20 + length(12);
    let mut json: Value = serde_json::from_slice(&BUNDLED[20..end]).expect("a glTF");
    let all = json["animations"].as_array().expect("clips").clone();
    let clip = |name: &&str| {
        let found = all.iter().find(|clip| clip["name"] == *name);
        found.unwrap_or_else(|| panic!("no clip {name}")).clone()
    };
    json["animations"] = names.iter().map(clip).collect();
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut glb = BUNDLED[..8].to_vec();
    let whole = 20 + text.len() + BUNDLED.len() - end;
    glb.extend((whole as u32).to_le_bytes());
    glb.extend((text.len() as u32).to_le_bytes());
    glb.extend(&BUNDLED[16..20]);
    glb.extend(text);
    glb.extend(&BUNDLED[end..]);
    glb
}

/// Writes a file with these clips into a folder.
pub fn write(folder: &Path, names: &[&str]) -> PathBuf {
    let path = folder.join("mannequin.glb");
    std::fs::write(&path, with_clips(names)).expect("written");
    path
}
