//! GLB files: the source file with other keyframes in it, everything else passed through.
//!
//! The source is edited as a [`serde_json::Value`], not as a model of the format, so that extensions
//! and extras that nobody here has heard of survive. One file a concern: `keys` turns keyframes into
//! samplers, `refs` knows where indices stand, `buffers` packs the binary chunk, `images` embeds pictures.

mod buffers;
mod draft;
mod error;
mod images;
mod keys;
mod refs;

pub use error::ExportError;

use crate::codec::Keyframes;
use crate::model::Skeleton;
use draft::Draft;
use serde_json::{Map, Value};
use std::path::Path;

/// A glTF file as it was read: its JSON, and the bytes of its buffers.
#[derive(Clone, Copy, Debug)]
pub struct GltfSource<'a> {
    /// The whole document.
    pub json: &'a Value,
    /// One for each entry of the document's `buffers`, in order; empty for the fallback buffers of the
    /// meshopt extensions, which have no bytes.
    pub buffers: &'a [Vec<u8>],
    /// The folder of the file, against which the URIs of images are resolved.
    pub base: &'a Path,
}

/// New keyframes for one animation of the file.
#[derive(Clone, Debug)]
pub struct ReplacedAnimation<'a> {
    /// Index in the document's `animations`.
    pub index: usize,
    /// What its joints do from now on; a joint channel that is not listed rests.
    pub keyframes: &'a Keyframes,
    /// Says which node each joint of `keyframes` is.
    pub skeleton: &'a Skeleton,
    /// An object whose entries are put into the animation's `extras`; `Null` for none. Entries of other
    /// names that the file already has stay.
    pub extras: Value,
}

/// What becomes of the animations that are not replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherAnimations {
    /// They stay as they are.
    Keep,
    /// They are left out.
    Drop,
}

/// A finished file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glb {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// What could not be passed through as it was, in sentences for the person.
    pub notes: Vec<String>,
}

/// Writes `source` as one GLB in which the listed animations have new keyframes.
///
/// In a replaced animation the translation, rotation and scale channels of the skeleton's joints go and
/// the new ones come, in place where the target is the same; so do `weights` that have new keys. Other `weights`, pointer
/// channels, and channels of nodes outside the skeleton stay with their samplers. Accessors, buffer views and bytes that
/// only the old keyframes used are removed. When the file uses an extension that may hold indices we do not
/// know of, nothing is removed and nothing renumbered: the new data is appended.
///
/// All buffers become the binary chunk; pictures in files beside the source are embedded.
/// The only other changes: `asset.generator` (the old one is kept in `asset.extras.previousGenerator`), and a
/// `matrix` on a node that is now animated becomes translation, rotation and scale, as the format demands.
/// Names and extras of buffers after the first are lost with those buffers.
///
/// Same input, same bytes. Cost: linear in the size of the file, which is copied twice.
///
/// # Errors
/// [`ExportError`], without anything written anywhere.
pub fn write_glb(
    source: &GltfSource<'_>,
    animations: &[ReplacedAnimation<'_>],
    others: OtherAnimations,
) -> Result<Glb, ExportError> {
    let mut draft = Draft::new(source)?;
    check_indices(&draft.doc, animations)?;
    let unknown = refs::unknown_extension(&draft.doc);
    if others == OtherAnimations::Drop {
        refuse_blind_drop(&draft.doc, animations, unknown.as_deref())?;
    }
    let before = refs::Uses::of(&mut draft.doc)?;
    for replaced in animations {
        keys::replace(&mut draft, replaced)?;
    }
    if others == OtherAnimations::Drop {
        drop_others(&mut draft.doc, animations);
    }
    images::embed(&mut draft, source.base);
    if unknown.is_none() {
        refs::remove_unused(&mut draft.doc, &before)?;
    }
    name_ourselves(&mut draft.doc)?;
    let Draft {
        mut doc,
        bytes,
        notes,
    } = draft;
    let mut all: Vec<&[u8]> = source.buffers.iter().map(Vec::as_slice).collect();
    all.push(&bytes);
    let bin = buffers::merge(&mut doc, &all, unknown.as_deref())?;
    let bytes = pack(&doc, &bin)?;
    Ok(Glb { bytes, notes })
}

fn check_indices(doc: &Value, animations: &[ReplacedAnimation<'_>]) -> Result<(), ExportError> {
    let count = draft::length(doc, "animations");
    let mut seen = vec![false; count];
    for a in animations {
        let Some(seen) = seen.get_mut(a.index) else {
            return Err(ExportError::source(
                "animations",
                format!("there is no animation {}, the file has {count}", a.index),
            ));
        };
        if std::mem::replace(seen, true) {
            return Err(ExportError::source(
                format!("animations[{}]", a.index),
                "it is replaced twice",
            ));
        }
    }
    Ok(())
}

/// Animations after a dropped one get other indices; that must not break what names them by index.
fn refuse_blind_drop(
    doc: &Value,
    animations: &[ReplacedAnimation<'_>],
    unknown: Option<&str>,
) -> Result<(), ExportError> {
    let nothing_to_drop = draft::length(doc, "animations") == animations.len();
    let by_number = refs::extension_that_numbers_animations(doc);
    match unknown.or(by_number.as_deref()) {
        Some(extension) if !nothing_to_drop => Err(ExportError::Unsupported {
            text: format!(
                "the file uses the extension {extension}, which may name animations by their number; \
                 leaving some out would change the numbers"
            ),
            hint: "export all animations instead",
        }),
        _ => Ok(()),
    }
}

fn drop_others(doc: &mut Value, animations: &[ReplacedAnimation<'_>]) {
    let Some(list) = doc.get_mut("animations").and_then(Value::as_array_mut) else {
        return;
    };
    let mut index = 0;
    list.retain(|_| {
        index += 1;
        animations.iter().any(|a| a.index == index - 1)
    });
    if list.is_empty()
        && let Some(map) = doc.as_object_mut()
    {
        map.shift_remove("animations");
    }
}

fn name_ourselves(doc: &mut Value) -> Result<(), ExportError> {
    let us = concat!("Posepress ", env!("CARGO_PKG_VERSION"));
    let Some(asset) = doc.get_mut("asset").and_then(Value::as_object_mut) else {
        return Err(ExportError::source("asset", "it is missing"));
    };
    let previous = asset.insert("generator".into(), us.into());
    let Some(previous) = previous.filter(|p| !p.as_str().is_some_and(is_ours)) else {
        return Ok(());
    };
    let extras = asset
        .entry("extras")
        .or_insert_with(|| Value::Object(Map::new()));
    if let Some(extras) = extras.as_object_mut() {
        extras.insert("previousGenerator".into(), previous);
    }
    Ok(())
}

fn is_ours(generator: &str) -> bool {
    generator.starts_with("Posepress ")
}

/// The GLB container (glTF 2.0, section 4): header, JSON chunk padded with spaces, binary chunk with zeros.
fn pack(doc: &Value, bin: &[u8]) -> Result<Vec<u8>, ExportError> {
    let mut json = serde_json::to_vec(doc)
        .map_err(|e| ExportError::source("document", format!("it cannot be written: {e}")))?;
    json.resize(json.len().next_multiple_of(4), b' ');
    let padded_bin = bin.len().next_multiple_of(4);
    let bin_chunk = if bin.is_empty() { 0 } else { 8 + padded_bin };
    let total = 12 + 8 + json.len() + bin_chunk;
    let total_u32 = u32::try_from(total).map_err(|_| ExportError::TooLarge { bytes: total })?;
    let mut out = Vec::with_capacity(total);
    out.extend_from_slice(b"glTF");
    out.extend_from_slice(&2_u32.to_le_bytes());
    out.extend_from_slice(&total_u32.to_le_bytes());
    out.extend_from_slice(&(json.len() as u32).to_le_bytes());
    out.extend_from_slice(b"JSON");
    out.extend_from_slice(&json);
    if !bin.is_empty() {
        out.extend_from_slice(&(padded_bin as u32).to_le_bytes());
        out.extend_from_slice(b"BIN\0");
        out.extend_from_slice(bin);
        out.resize(total, 0);
    }
    Ok(out)
}
