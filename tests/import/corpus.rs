//! Real files and files made to break readers, where they are at hand.

use crate::gltf::load_path;
use posepress::import::{LoadOptions, load};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn shared() -> Option<PathBuf> {
    let folder = match std::env::var_os("POSEPRESS_SHARED") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
    };
    let folder = folder.join("clips");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: there is no folder {}", folder.display());
    None
}

fn gltf_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths
}

fn is_gltf(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "gltf" || e == "glb")
}

#[test]
fn every_clip_file_loads() {
    let Some(folder) = shared() else { return };
    let mut files = Vec::new();
    for path in gltf_files(&folder) {
        if path.is_dir() && !path.ends_with("bad") {
            files.extend(gltf_files(&path));
        }
        files.push(path);
    }
    files.retain(|p| is_gltf(p));
    let mut failed = Vec::new();
    for path in &files {
        let start = Instant::now();
        let name = path.strip_prefix(&folder).unwrap().display();
        match load_path(path) {
            Ok(a) => {
                let vertices: usize = a.meshes.iter().map(|m| m.positions.len()).sum();
                println!(
                    "{name}: {} joints, {} clips, {} meshes ({vertices} vertices), unit {} {}, {:.0?}",
                    a.skeleton.len(),
                    a.clips.len(),
                    a.meshes.len(),
                    a.unit_m,
                    a.unit_reason,
                    start.elapsed()
                );
                for issue in &a.issues {
                    println!("    {issue}");
                }
                assert_eq!(a.clips.len(), a.animation_index.len());
            }
            Err(e) => failed.push(e.to_string()),
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(files.len() > 20, "only {} files found", files.len());
}

#[test]
fn bad_files_are_answered_quickly_and_without_a_panic() {
    let Some(folder) = shared() else { return };
    for path in gltf_files(&folder.join("bad")) {
        if !is_gltf(&path) {
            continue;
        }
        let start = Instant::now();
        let name = path.file_name().unwrap().display().to_string();
        match load_path(&path) {
            Ok(a) => println!("{name}: ok, {} clips, {:?}", a.clips.len(), a.issues),
            Err(e) => {
                println!("{name}: [{}] {}: {}; {}", e.code, e.place, e.text, e.hint);
                assert_ne!(e.code, "internal", "{e}");
                assert!(!e.text.is_empty());
            }
        }
        assert!(start.elapsed() < Duration::from_secs(2), "{name}");
    }
}

#[test]
fn the_fox_is_in_centimetres() {
    let Some(folder) = shared() else { return };
    let options = LoadOptions { strict: true };
    let fox = load(&folder.join("Fox.glb"), &options).unwrap();
    assert_eq!(fox.unit_m, 0.01);
    let names: Vec<&str> = fox.clips.iter().map(|c| c.name()).collect();
    assert_eq!(names, ["Survey", "Walk", "Run"]);
    assert_eq!(fox.meshes.len(), 1);
    assert!(fox.meshes[0].texture.is_some() && fox.meshes[0].positions.len() == 1728);
}

#[test]
fn the_clips_of_the_judge_load_strictly_in_metres() {
    let Some(folder) = shared() else { return };
    let folder = folder.join("../judge/clips");
    if !folder.is_dir() {
        println!("skipped: there is no folder {}", folder.display());
        return;
    }
    for path in gltf_files(&folder).iter().filter(|p| is_gltf(p)) {
        let asset = load(path, &LoadOptions { strict: true }).unwrap();
        assert_eq!(
            (asset.clips.len(), asset.unit_m),
            (1, 1.0),
            "{}",
            path.display()
        );
    }
}
