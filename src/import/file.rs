//! Reading whole files, with a limit.

use super::error::Fault;
use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::Path;

/// Most bytes of one file, and of all buffers of one asset together.
pub(super) const MAX_BYTES: u64 = 2 << 30;

/// Reads a regular file of at most `limit` bytes.
pub(super) fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Fault> {
    // Asked before opening: opening a pipe would wait for a writer.
    let meta = fs::metadata(path).map_err(|e| unreadable(&e))?;
    if !meta.is_file() {
        let what = if meta.is_dir() {
            "a folder"
        } else {
            "a device"
        };
        return Err(
            Fault::new("not-a-file", "", format!("it is {what}, not a file"))
                .hint("name a .glb or .gltf file"),
        );
    }
    if meta.len() > limit {
        return Err(too_large(limit));
    }
    let file = File::open(path).map_err(|e| unreadable(&e))?;
    let mut bytes = Vec::with_capacity(meta.len() as usize);
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| unreadable(&e))?;
    // It may have grown since it was asked.
    if bytes.len() as u64 > limit {
        return Err(too_large(limit));
    }
    Ok(bytes)
}

fn too_large(limit: u64) -> Fault {
    let text = format!("it is larger than the {limit} bytes that are read at most");
    Fault::new("file-too-large", "", text).hint("split the file")
}

fn unreadable(e: &std::io::Error) -> Fault {
    let fault = Fault::new("file-unreadable", "", format!("it cannot be read: {e}"));
    match e.kind() {
        ErrorKind::NotFound => fault.hint("check the path"),
        ErrorKind::PermissionDenied => fault.hint("check the permissions of the file"),
        _ => fault,
    }
}
