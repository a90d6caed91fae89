//! Whether an output file is what the person means.

use super::Failure;
use std::path::{Path, PathBuf};

/// Extensions that say what a file holds.
const KNOWN: [&str; 7] = ["ppc", "glb", "gltf", "fbx", "bvh", "npy", "json"];

/// Refuses to write over a file that the same command reads, or two files to the same place.
///
/// `files` holds what each file is and its path; the first ones are read, the last ones written.
pub(super) fn must_differ(files: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    let named: Vec<(&str, &Path)> = files
        .iter()
        .filter_map(|&(what, path)| Some((what, path?)))
        .collect();
    for (k, &(what, path)) in named.iter().enumerate() {
        let same = named[..k].iter().find(|(_, other)| same_file(other, path));
        if let Some((other, _)) = same {
            return Err(Failure::usage(format!(
                "{} would be both {other} and {what}; name another file",
                path.display()
            )));
        }
    }
    Ok(())
}

fn same_file(a: &Path, b: &Path) -> bool {
    a == b || resolved(a).is_some_and(|a| resolved(b) == Some(a))
}

/// The real path, also of a file that is not there yet.
fn resolved(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = path.canonicalize() {
        return Some(real);
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
    Some(folder.join(path.file_name()?))
}

/// Refuses a name that says another format than what will be written, and names that are no file's.
///
/// `what` is written with the extension `wanted`; names without a known extension are the person's choice.
pub(super) fn must_suit(path: &Path, what: &str, wanted: &str) -> Result<(), Failure> {
    must_be_a_name(path)?;
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let misleads = |e: &str| KNOWN.contains(&e) && e != wanted;
    if !extension.as_deref().is_some_and(misleads) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{what} is written as .{wanted}, so {} would mislead; name it {}",
        path.display(),
        path.with_extension(wanted).display()
    )))
}

fn must_be_a_name(path: &Path) -> Result<(), Failure> {
    if path == Path::new("-") {
        return Err(Failure::usage(
            "files are written whole or not at all, so not to standard output (-); name a file",
        ));
    }
    let text = path.to_string_lossy();
    if text.ends_with(std::path::is_separator) {
        return Err(Failure::usage(format!(
            "{text} is a folder; name a file inside it"
        )));
    }
    Ok(())
}
