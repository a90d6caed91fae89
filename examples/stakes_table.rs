//! Prints what holding feet costs: `cargo run --release --example stakes_table -- [FOLDER]`.
//!
//! Bundled clips and, where a folder is given, some of its files are compressed as `compact` at 1 mm: without a slide
//! target, and with one of 0.2 mm for each stake. A cell has the worst added slide of any contact and the bytes.

use posepress::codec::{Control, Encoder, HeldPair, Hold, Settings};
use posepress::import::{LoadOptions, load, load_bytes};
use posepress::metrics::{self, Contacts, Measured, Options, SLIDE_LIMIT_M};
use posepress::model::{Asset, Clip};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

const BUNDLED: [&str; 5] = [
    "Walk",
    "Walk_RootMotion",
    "Run",
    "Long_661",
    "Two_Hand_Weapon",
];

const FILES: [&str; 5] = [
    "kaykit_walk",
    "cmu_01_01_30",
    "pab_walk",
    "robot_walking",
    "fox_walk",
];

/// What is shown of one result.
struct Cell {
    bytes: usize,
    slide_m: f64,
    jump_m: f64,
    skin_m: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let bytes = include_bytes!("../assets/mannequin.glb");
    let options = LoadOptions::default();
    let mannequin = load_bytes(Path::new("mannequin.glb"), bytes, &options)?;
    println!("| clip | source drift | none | pin | limb | full | best |");
    println!("|---|---|---|---|---|---|---|");
    let mut rows = Vec::new();
    for name in BUNDLED {
        let clip = mannequin.clips.iter().find(|c| c.name() == name);
        let clip = clip.ok_or("a bundled clip is missing")?;
        rows.push(row(name, &mannequin, clip, &[])?);
    }
    if let Some(folder) = std::env::args().nth(1) {
        for name in FILES {
            let path = Path::new(&folder).join(format!("{name}.glb"));
            let asset = load(&path, &options)?;
            rows.push(row(name, &asset, &asset.clips[0], &[])?);
        }
    }
    println!(
        "| bytes, geometric mean | | | {} |",
        means(&rows).join(" | ")
    );
    let clip = mannequin
        .clips
        .iter()
        .find(|c| c.name() == "Two_Hand_Weapon");
    let hands = HeldPair {
        joint: "hand_l".into(),
        to: Some("hand_r".into()),
        limit_m: Some(SLIDE_LIMIT_M),
        ..HeldPair::default()
    };
    let clip = clip.ok_or("a bundled clip is missing")?;
    row("hand_l on hand_r", &mannequin, clip, &[hands])?;
    Ok(())
}

/// Compresses a clip in all ways and prints its line; with pairs, those are held and no foot is.
fn row(
    name: &str,
    asset: &Asset,
    clip: &Arc<Clip>,
    pairs: &[HeldPair],
) -> Result<Vec<Cell>, Box<dyn Error>> {
    let mut encoder = Encoder::new(clip.clone(), asset.unit_m, asset.source_hash);
    let mut cells = Vec::new();
    let mut drift_m = 0.0;
    for hold in [None].into_iter().chain(Hold::ALL.map(Some)) {
        let mut settings = Settings {
            slide_target_m: hold.map(|_| SLIDE_LIMIT_M).filter(|_| pairs.is_empty()),
            hold: hold.unwrap_or_default(),
            pairs: pairs.to_vec(),
            ..Settings::default()
        };
        if hold.is_none() {
            settings.pairs.iter_mut().for_each(|p| p.limit_m = None);
        }
        let made = encoder.encode(&settings, &Control::default())?;
        let pairs = settings.pairs_of(clip, asset.unit_m)?;
        let contacts = Contacts::find(clip, asset.unit_m).with_pairs(pairs);
        let options = Options {
            unit_m: asset.unit_m,
            ..Options::default()
        };
        let player = made.player(clip.skeleton())?;
        let measured = metrics::measure_with(clip, &player, &contacts, &options);
        drift_m = source_drift_m(&measured);
        cells.push(cell(made.animation_bytes(), &measured));
    }
    let shown: Vec<String> = cells.iter().map(|c| c.show(&cells[0])).collect();
    println!(
        "| {name} | {:.2} | {} |",
        drift_m * 1000.0,
        shown.join(" | ")
    );
    let skin_m = cells.iter().map(|c| c.skin_m).fold(0.0, f64::max);
    let jumps: Vec<String> = cells
        .iter()
        .map(|c| format!("{:.2}", c.jump_m * 1000.0))
        .collect();
    eprintln!(
        "{name}: largest skin error {:.3} mm without, {:.3} mm of all; jumps {} mm",
        cells[0].skin_m * 1000.0,
        skin_m * 1000.0,
        jumps.join(", ")
    );
    Ok(cells)
}

fn cell(bytes: usize, measured: &Measured) -> Cell {
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let slide_m = if measured.pairs.is_empty() {
        largest(&mut measured.slides.iter().map(|s| s.added_m))
    } else {
        largest(&mut measured.pairs.iter().map(|p| p.added_m))
    };
    Cell {
        bytes,
        slide_m,
        jump_m: largest(&mut measured.slides.iter().map(|s| s.jump_m)),
        skin_m: measured.frames.max_m,
    }
}

fn source_drift_m(measured: &Measured) -> f64 {
    let feet = measured.slides.iter().map(|s| s.source_drift_m);
    let pairs = measured.pairs.iter().map(|p| p.source_drift_m);
    if measured.pairs.is_empty() {
        feet.fold(0.0, f64::max)
    } else {
        pairs.fold(0.0, f64::max)
    }
}

impl Cell {
    fn show(&self, free: &Self) -> String {
        let more = 100.0 * (self.bytes as f64 / free.bytes as f64 - 1.0);
        let slide_mm = self.slide_m * 1000.0;
        if std::ptr::eq(self, free) {
            return format!("{slide_mm:.2} mm, {} B", self.bytes);
        }
        format!("{slide_mm:.2} mm, {more:+.1} %")
    }
}

/// Of each stake, how many more bytes it needs.
fn means(rows: &[Vec<Cell>]) -> Vec<String> {
    let of = |n: usize| {
        let logs = rows
            .iter()
            .map(|r| (r[n].bytes as f64 / r[0].bytes as f64).ln());
        let mean = logs.sum::<f64>() / rows.len().max(1) as f64;
        format!("{:+.1} %", 100.0 * (mean.exp() - 1.0))
    };
    (1..=Hold::ALL.len()).map(of).collect()
}
