//! A file whose meshes are in another one.

use serde_json::Value;

/// The mannequin's first clip on joints with a prefix, without any mesh: what a library of motions delivers.
pub fn motion_alone() -> Vec<u8> {
    let glb = std::fs::read("assets/mannequin.glb").expect("the mannequin");
    let length = |at: usize| {
        let bytes = glb[at..at + 4].try_into().expect("four bytes");
        u32::from_le_bytes(bytes) as usize
    };
    let (json, rest) = glb[20..].split_at(length(12));
    let mut json: Value = serde_json::from_slice(json).expect("JSON");
    let root = json.as_object_mut().expect("an object");
    root.remove("skins");
    root.remove("meshes");
    for node in root["nodes"].as_array_mut().expect("nodes") {
        let node = node.as_object_mut().expect("a node");
        node.remove("mesh");
        node.remove("skin");
        if let Some(name) = node.get("name").and_then(Value::as_str) {
            node["name"] = format!("mixamorig:{name}").into();
        }
    }
    root["animations"]
        .as_array_mut()
        .expect("clips")
        .truncate(1);
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut out = glb[..12].to_vec();
    let whole = (20 + text.len() + rest.len()) as u32;
    out[8..12].copy_from_slice(&whole.to_le_bytes());
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(b"JSON");
    out.extend(text);
    out.extend(rest);
    out
}
