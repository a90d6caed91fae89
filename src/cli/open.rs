//! Opens files for the other commands.

use super::{Failure, say};
use crate::codec::Player;
use crate::import::{self, Character, LoadOptions};
use crate::model::{Asset, Severity};
use crate::runtime::MAGIC;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Largest .ppc that is read.
const MAX_BYTES: u64 = 2 << 30;

/// Most clip names in an error.
const MAX_NAMES: usize = 20;

/// Loads a source and prints its warnings to standard error.
///
/// `unit_m` is what the person says about metres a unit; a guess that differs is a warning only where the
/// person says nothing.
pub(super) fn source(path: &Path, unit_m: Option<f64>) -> Result<Asset, Failure> {
    let asset = import::load(path, &LoadOptions::default()).map_err(Failure::unreadable)?;
    for issue in asset
        .issues
        .iter()
        .filter(|i| i.severity == Severity::Warning)
    {
        say(&format!("warning: {}: {issue}", path.display()));
    }
    if asset.unit_m != 1.0 && unit_m.is_none() {
        say(&format!(
            "warning: {}: {}; millimetres are wrong unless you give --unit {}",
            path.display(),
            asset.unit_reason,
            asset.unit_m
        ));
    }
    Ok(asset)
}

/// Loads what a joint is to hold.
pub(super) fn prop(path: &Path) -> Result<Character, Failure> {
    import::load_prop(path).map_err(Failure::unreadable)
}

/// The clip with a name or index; the first one for `None`.
pub(super) fn clip_index(asset: &Asset, wanted: Option<&str>) -> Result<usize, Failure> {
    let Some(wanted) = wanted else { return Ok(0) };
    let index = wanted.parse().ok();
    let index = index.filter(|&k: &usize| k < asset.clips.len());
    clip_named(asset, wanted).or(index).ok_or_else(|| {
        let more = asset.clips.len().saturating_sub(MAX_NAMES);
        Failure::usage(format!(
            "{} has no clip '{wanted}'; it has: {}{}. Give a name, or an index from 0 to {}",
            asset.path.display(),
            names(asset),
            if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            },
            asset.clips.len() - 1
        ))
    })
}

/// The clip with a name.
pub(super) fn clip_named(asset: &Asset, name: &str) -> Option<usize> {
    asset.clips.iter().position(|c| c.name() == name)
}

fn names(asset: &Asset) -> String {
    let names: Vec<&str> = asset
        .clips
        .iter()
        .take(MAX_NAMES)
        .map(|c| c.name())
        .collect();
    names.join(", ")
}

/// Whether a file is to be read as a container: by its first bytes, or, where something else stands
/// there or nothing can be read, by its name.
pub(super) fn is_container(path: &Path) -> bool {
    let named = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("ppc"));
    named || starts_like_a_container(path)
}

fn starts_like_a_container(path: &Path) -> bool {
    // Only files are opened: opening a pipe would wait for a writer.
    if !fs::metadata(path).is_ok_and(|m| m.is_file()) {
        return false;
    }
    let mut head = [0; MAGIC.len()];
    File::open(path).is_ok_and(|mut f| f.read_exact(&mut head).is_ok()) && head == MAGIC
}

/// Reads a container.
pub(super) fn container(path: &Path) -> Result<Player, Failure> {
    let fail = |text: String| Failure::unreadable(format!("{}: {text}", path.display()));
    let meta = fs::metadata(path).map_err(|e| fail(cannot_read(&e)))?;
    if meta.is_dir() {
        return Err(fail("it is a folder; name a .ppc file".into()));
    }
    if !meta.is_file() {
        return Err(fail("it is a device, not a file; name a .ppc file".into()));
    }
    if meta.len() > MAX_BYTES {
        return Err(fail(
            "the file is larger than 2 GiB; compress shorter clips".into(),
        ));
    }
    let bytes = fs::read(path).map_err(|e| fail(cannot_read(&e)))?;
    Player::container(bytes.into()).map_err(|e| fail(e.to_string()))
}

fn cannot_read(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => format!("it cannot be read: {error}; check the path"),
        std::io::ErrorKind::PermissionDenied => {
            format!("it cannot be read: {error}; check the permissions of the file")
        }
        _ => format!("it cannot be read: {error}"),
    }
}

/// Refuses names of files that are not there: a misspelt command looks like one.
pub fn must_exist(files: &[PathBuf]) -> Result<(), Failure> {
    for file in files {
        fs::metadata(file).map_err(|e| {
            Failure::unreadable(format!(
                "{}: {}; see --help for the commands",
                file.display(),
                cannot_read(&e)
            ))
        })?;
    }
    Ok(())
}
