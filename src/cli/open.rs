//! Opens files for the other commands.

use super::Failure;
use crate::codec::Player;
use crate::import::{self, LoadOptions};
use crate::model::{Asset, Severity};
use std::path::Path;

/// Largest .ppc that is read.
const MAX_BYTES: u64 = 2 << 30;

/// Loads a source and prints its warnings to standard error.
pub(super) fn source(path: &Path, unit_m: f64) -> Result<Asset, Failure> {
    let asset = import::load(path, &LoadOptions::default()).map_err(Failure::unreadable)?;
    for issue in asset
        .issues
        .iter()
        .filter(|i| i.severity == Severity::Warning)
    {
        eprintln!("warning: {}: {issue}", path.display());
    }
    if asset.unit_m != unit_m && unit_m == 1.0 {
        eprintln!(
            "warning: {}: {}; millimetres are wrong unless you give --unit {}",
            path.display(),
            asset.unit_reason,
            asset.unit_m
        );
    }
    Ok(asset)
}

/// The clip with a name or index; the first one for `None`.
pub(super) fn clip_index(asset: &Asset, wanted: Option<&str>) -> Result<usize, Failure> {
    let Some(wanted) = wanted else { return Ok(0) };
    let by_name = asset.clips.iter().position(|c| c.name() == wanted);
    let by_index = || {
        wanted
            .parse()
            .ok()
            .filter(|&k: &usize| k < asset.clips.len())
    };
    by_name.or_else(by_index).ok_or_else(|| {
        let names: Vec<&str> = asset.clips.iter().map(|c| c.name()).collect();
        Failure::usage(format!(
            "{} has no clip '{wanted}'; it has: {}",
            asset.path.display(),
            names.join(", ")
        ))
    })
}

/// Whether a file is to be read as a container.
pub(super) fn is_container(path: &Path) -> bool {
    path.extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("ppc"))
}

/// Reads a container.
pub(super) fn container(path: &Path) -> Result<Player, Failure> {
    let fail = |text: String| Failure::unreadable(format!("{}: {text}", path.display()));
    let size = std::fs::metadata(path).map_err(|e| fail(e.to_string()))?;
    if size.is_dir() {
        return Err(fail("this is a folder; give a .ppc file".into()));
    }
    if size.len() > MAX_BYTES {
        return Err(fail("the file is larger than 2 GiB".into()));
    }
    let bytes = std::fs::read(path).map_err(|e| fail(e.to_string()))?;
    Player::container(bytes.into()).map_err(|e| fail(e.to_string()))
}
