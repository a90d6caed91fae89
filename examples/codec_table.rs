//! Prints the README's table of sizes: `cargo run --release --example codec_table -- FOLDER [PEERS.json]`.
//!
//! Every clip of the folder is compressed as `compact` at 0.1, 1 and 5 mm with the command line's defaults. Where
//! the peers' figures are given, sizes are set against ACL's at the same precision, less what a rest pose
//! saves it (`bytes_less_rest_pose`), since ours drop what rests too.

use posepress::codec::{Budget, Control, Deliverable, Encoder, Settings};
use posepress::import::{LoadOptions, load};
use posepress::metrics::{self, Options};
use serde_json::Value;
use std::error::Error;
use std::path::{Path, PathBuf};

const TARGETS_MM: [f64; 3] = [0.1, 1.0, 5.0];

struct Cell {
    bytes: usize,
    max_mm: f64,
    rms_mm: f64,
    acl_bytes: Option<f64>,
    acl_rms_mm: Option<f64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().ok_or("name a folder of .glb files")?;
    let peers: Value = match args.next() {
        Some(path) => serde_json::from_str(&std::fs::read_to_string(path)?)?,
        None => Value::Null,
    };
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_, std::io::Error>>()?;
    paths.retain(|p| p.extension().is_some_and(|e| e == "glb"));
    paths.sort();
    println!("| clip | joints x frames | 0.1 mm | 1 mm | 5 mm |");
    println!("|---|---|---|---|---|");
    let mut columns: [Vec<Cell>; 3] = Default::default();
    for path in paths {
        let cells = row(&path, &peers)?;
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

/// Compresses a file's first clip at every target and prints its line.
fn row(path: &Path, peers: &Value) -> Result<Vec<Cell>, Box<dyn Error>> {
    let asset = load(path, &LoadOptions::default())?;
    let clip = &asset.clips[0];
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut encoder = Encoder::new(clip.clone(), 1.0, asset.source_hash);
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
        let measured = metrics::measure(clip, &player, &Options::default());
        let acl = &peers["clips"][&*name]["peers"][format!("acl {target_mm} mm")];
        cells.push(Cell {
            bytes: compressed.animation_bytes(),
            max_mm: measured.frames.max_m * 1000.0,
            rms_mm: measured.frames.rms_m * 1000.0,
            acl_bytes: acl["bytes_less_rest_pose"].as_f64(),
            acl_rms_mm: acl["rms_mm"].as_f64(),
        });
    }
    let shown: Vec<String> = cells.iter().map(Cell::show).collect();
    println!(
        "| {name} | {} x {} | {} |",
        clip.skeleton().len(),
        clip.grid().frames,
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
            Some(ratio) => format!("{} B ({ratio:.2})", self.bytes),
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
