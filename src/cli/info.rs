use super::args::InfoArgs;
use super::{Failure, open};
use crate::codec::Player;
use crate::model::Asset;
use crate::session::hex;
use crate::session::units::show_bytes;
use serde_json::{Map, Value, json};

/// Says what a file holds.
pub(super) fn run(args: &InfoArgs) -> Result<(), Failure> {
    let (value, text) = if open::is_container(&args.file) {
        container(&open::container(&args.file)?)
    } else {
        // The unit is part of what is printed, so no warning about it is due.
        let asset = crate::import::load(&args.file, &crate::import::LoadOptions::default());
        source(&asset.map_err(Failure::unreadable)?)
    };
    if args.json {
        // A value with text keys always serialises.
        return super::print(&(serde_json::to_string_pretty(&value).unwrap_or_default() + "\n"));
    }
    super::print(&text)
}

fn container(player: &Player) -> (Value, String) {
    let Player::Container { view, .. } = player else {
        return (Value::Null, String::new());
    };
    let info = view.info();
    let sections: Map<String, Value> = view
        .sections()
        .map(|(name, bytes)| (name.to_owned(), bytes.into()))
        .collect();
    let mut text = format!(
        "clip {}: {} joints, {} frames at {:.3} Hz, {:.3} s{}\n",
        info.name,
        info.joints,
        info.frames,
        info.rate_hz,
        info.duration_secs(),
        if info.looped { ", loops" } else { "" }
    );
    if view.added_to().is_some() {
        text += "  additive: what is added to a base pose\n";
    }
    if let [_, lower @ ..] = view.levels()
        && !lower.is_empty()
    {
        let lower: Vec<String> = lower.iter().map(usize::to_string).collect();
        text += &format!(
            "  lower levels of detail have {} joints\n",
            lower.join(", ")
        );
    }
    text += &format!(
        "  {:<12} {:>10}\n",
        "header",
        show_bytes(view.header_bytes())
    );
    for (name, bytes) in view.sections() {
        text += &format!("  {name:<12} {:>10}\n", show_bytes(bytes));
    }
    text += &format!("  {:<12} {:>10}\n", "file", show_bytes(view.bytes().len()));
    let value = json!({
        "kind": "ppc",
        "clip": info.name,
        "joints": info.joints,
        "levels": view.levels(),
        "additive": view.added_to().is_some(),
        "frames": info.frames,
        "rate": info.rate_hz,
        "start_secs": info.start_secs,
        "duration_secs": info.duration_secs(),
        "looped": info.looped,
        "smooth": info.smooth,
        "unit_m": info.unit_m,
        "skeleton_sha256": hex(&info.skeleton_hash),
        "source_sha256": hex(&info.source_hash),
        "bytes": view.bytes().len(),
        "header_bytes": view.header_bytes(),
        "sections": sections,
    });
    (value, text)
}

fn source(asset: &Asset) -> (Value, String) {
    let mut text = format!(
        "{}: {} joints\n",
        asset.path.display(),
        asset.skeleton.len()
    );
    if asset.unit_m != 1.0 {
        text += &format!("  unit {} m ({})\n", asset.unit_m, asset.unit_reason);
    }
    for (k, clip) in asset.clips.iter().enumerate() {
        let grid = clip.grid();
        text += &format!(
            "  clip {k} {}: {} tracks, {} frames at {:.3} Hz, {:.3} s, {} of keys\n",
            clip.name(),
            clip.tracks().len(),
            grid.frames,
            grid.rate_hz,
            grid.duration_secs(),
            show_bytes(clip.source_bytes().unwrap_or(0)),
        );
    }
    for issue in &asset.issues {
        text += &format!("  {issue}\n");
    }
    let clips = asset.clips.iter().map(|clip| {
        let grid = clip.grid();
        json!({
            "name": clip.name(),
            "tracks": clip.tracks().len(),
            "scalars": clip.scalars().len(),
            "frames": grid.frames,
            "rate": grid.rate_hz,
            "start_secs": grid.start_secs,
            "duration_secs": grid.duration_secs(),
            "source_animation_bytes": clip.source_bytes(),
            "raw_bytes": clip.raw_bytes(),
        })
    });
    let issues = asset.issues.iter().map(|i| {
        json!({ "severity": format!("{:?}", i.severity).to_lowercase(), "code": i.code, "place": i.place, "text": i.text })
    });
    let value = json!({
        "kind": "source",
        "joints": asset.skeleton.joints().iter().map(|j| j.name.as_str()).collect::<Vec<_>>(),
        "unit_m": asset.unit_m,
        "unit_reason": asset.unit_reason,
        "meshes": asset.meshes.len(),
        "source_sha256": hex(&asset.source_hash),
        "clips": clips.collect::<Value>(),
        "issues": issues.collect::<Value>(),
    });
    (value, text)
}
