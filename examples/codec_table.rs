//! Prints the README's tables of sizes: `cargo run --release --example codec_table -- FOLDER [PEERS.json]`.
//!
//! Every clip of the folder, or those that the peers' figures name as `FILE#CLIP`, is compressed as `compact` at 0.1, 1
//! and 5 mm with the command line's defaults. Where the peers' figures are given, sizes are set against ACL's, less what a
//! rest pose saves it (`bytes_less_rest_pose`), since ours drop what rests too: for clips with meshes at equal skin error,
//! or with a star, where ACL cannot get there, at equal precision with its shells set from the mesh; for others at the
//! same precision.

use posepress::codec::{Budget, Control, Deliverable, Encoder, Settings};
use posepress::import::{LoadOptions, load};
use posepress::metrics::{self, Options};
use posepress::model::Clip;
use serde_json::Value;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const TARGETS_MM: [f64; 3] = [0.1, 1.0, 5.0];

/// What the peers' figures call the bundled file.
const BUNDLED: &str = "mannequin.glb";

struct Cell {
    bytes: usize,
    max_mm: f64,
    rms_mm: f64,
    acl_bytes: Option<f64>,
    acl_rms_mm: Option<f64>,
    /// ACL's bytes are those of a larger error.
    star: bool,
}

/// A clip of the table.
struct Entry {
    path: PathBuf,
    name: String,
    /// The first one if it has no name.
    clip: Option<String>,
    unit_m: f64,
    peers: Value,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().ok_or("name a folder of .glb files")?;
    let peers: Value = match args.next() {
        Some(path) => serde_json::from_str(&std::fs::read_to_string(path)?)?,
        None => Value::Null,
    };
    let entries = entries(Path::new(&folder), &peers)?;
    println!("| clip | joints x frames | 0.1 mm | 1 mm | 5 mm |");
    println!("|---|---|---|---|---|");
    let mut columns: [Vec<Cell>; 3] = Default::default();
    for entry in &entries {
        let cells = row(entry)?;
        for (column, cell) in columns.iter_mut().zip(cells) {
            column.push(cell);
        }
    }
    let means = columns.each_ref().map(|c| ratio_mean(c));
    println!(
        "| geometric mean against ACL | | {} | {} | {} |",
        means[0], means[1], means[2]
    );
    for (target, column) in TARGETS_MM.iter().zip(&columns) {
        let over = column.iter().filter(|c| c.max_mm > *target).count();
        let rms: Vec<f64> = column
            .iter()
            .filter_map(|c| Some(c.rms_mm / c.acl_rms_mm?))
            .collect();
        eprintln!(
            "{target} mm: {over} of {} over the target; RMS against ACL {:.3}",
            column.len(),
            geometric_mean(&rms)
        );
    }
    Ok(())
}

/// The clips that the peers' figures name, or the first of every `.glb` file of the folder.
fn entries(folder: &Path, peers: &Value) -> Result<Vec<Entry>, Box<dyn Error>> {
    let named = peers["clips"].as_object().into_iter().flatten();
    let named: Vec<Entry> = named
        .filter_map(|(key, peers)| {
            let (file, clip) = key.split_once('#')?;
            let path = if file == BUNDLED {
                Path::new(env!("CARGO_MANIFEST_DIR"))
                    .join("assets")
                    .join(file)
            } else {
                folder.join(file)
            };
            let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
            let own = clip.rsplit('|').next().unwrap_or(clip);
            Some(Entry {
                name: format!("{stem} {own}"),
                path,
                clip: Some(clip.to_owned()),
                unit_m: peers["unit_m"].as_f64().unwrap_or(1.0),
                peers: peers.clone(),
            })
        })
        .collect();
    if !named.is_empty() {
        return Ok(named);
    }
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_, std::io::Error>>()?;
    paths.retain(|p| p.extension().is_some_and(|e| e == "glb"));
    paths.sort();
    let entry = |path: PathBuf| {
        let name = path.file_stem().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        Entry {
            peers: peers["clips"][&name].clone(),
            name,
            path,
            clip: None,
            unit_m: 1.0,
        }
    };
    Ok(paths.into_iter().map(entry).collect())
}

/// ACL's figures for a target, and whether they are of a larger error.
fn acl(peers: &Value, target_mm: f64) -> (&Value, bool) {
    let same = &peers["peers"][format!("acl {target_mm} mm")];
    if same.is_object() {
        return (same, false);
    }
    let key = format!("{target_mm}mm");
    let met = &peers["acl"][&key];
    if met.is_object() {
        return (met, false);
    }
    (&peers["acl_shells_from_mesh"][&key], true)
}

/// Compresses a clip at every target and prints its line.
fn row(entry: &Entry) -> Result<Vec<Cell>, Box<dyn Error>> {
    let asset = load(&entry.path, &LoadOptions::default())?;
    let is_it = |c: &&Arc<Clip>| entry.clip.as_deref().is_none_or(|name| c.name() == name);
    let clip = asset.clips.iter().find(is_it);
    let clip = clip.ok_or_else(|| format!("{}: no such clip", entry.name))?;
    let mut encoder = Encoder::new(clip.clone(), entry.unit_m, asset.source_hash);
    let options = Options {
        unit_m: entry.unit_m,
        ..Options::default()
    };
    let mut cells = Vec::new();
    for target_mm in TARGETS_MM {
        let settings = Settings {
            deliverable: Deliverable::Compact,
            budget: Budget::Skin {
                target_m: target_mm / 1000.0,
            },
            ..Settings::default()
        };
        let compressed = encoder.encode(&settings, &Control::default())?;
        let player = compressed.player(clip.skeleton())?;
        let measured = metrics::measure(clip, &player, &options);
        let (acl, star) = acl(&entry.peers, target_mm);
        cells.push(Cell {
            bytes: compressed.animation_bytes(),
            max_mm: measured.frames.max_m * 1000.0,
            rms_mm: measured.frames.rms_m * 1000.0,
            acl_bytes: acl["bytes_less_rest_pose"].as_f64(),
            acl_rms_mm: acl["rms_mm"].as_f64(),
            star,
        });
    }
    let vertices = match clip.skin().vertices() {
        0 => String::new(),
        n => format!(", {n}"),
    };
    let shown: Vec<String> = cells.iter().map(Cell::show).collect();
    println!(
        "| {} | {} x {}{} | {} |",
        entry.name,
        clip.skeleton().len(),
        clip.grid().frames,
        vertices,
        shown.join(" | ")
    );
    Ok(cells)
}

impl Cell {
    fn ratio(&self) -> Option<f64> {
        Some(self.bytes as f64 / self.acl_bytes?)
    }

    fn show(&self) -> String {
        match self.ratio() {
            Some(ratio) => {
                let star = if self.star { "*" } else { "" };
                format!("{} B ({ratio:.2}{star})", self.bytes)
            }
            None => format!("{} B", self.bytes),
        }
    }
}

fn ratio_mean(cells: &[Cell]) -> String {
    let ratios: Vec<f64> = cells.iter().filter_map(Cell::ratio).collect();
    if ratios.is_empty() {
        return "-".to_owned();
    }
    format!("{:.3}", geometric_mean(&ratios))
}

fn geometric_mean(values: &[f64]) -> f64 {
    let logs: f64 = values.iter().map(|v| v.ln()).sum();
    (logs / values.len().max(1) as f64).exp()
}
