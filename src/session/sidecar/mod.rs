//! The file beside a source in which everything that a person decided about it is kept.
//!
//! `walk.glb.posepress.json` is JSON with sorted keys, line feeds and no paths but those of characters, from
//! its own folder, so that version control can compare and merge it; `assets/posepress.schema.json` describes it. The window and the command line read the
//! same. What is in it but not known here stays in it when it is written again, and what somebody else changed
//! in it meanwhile stays too unless the same value was changed here.

mod decode;
mod encode;
mod error;
mod merge;
mod tested;

pub use encode::settings_hash;
pub use error::SidecarError;

use super::abx::ByEye;
use super::document::Edits;
use crate::codec::Settings;
use crate::model::Asset;
use crate::storage::{self, SaveError};
use error::Fault;
use serde_json::Value;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest file that is read.
const MAX_BYTES: u64 = 16 << 20;

/// What stands in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Sidecar {
    raw: Value,
}

/// Why decisions were not saved; the old file is as it was.
#[derive(Debug)]
pub enum SaveDecisionsError {
    /// The file that is there is not understood, so that it is not written over.
    Old(SidecarError),
    /// The file cannot be replaced.
    Save(SaveError),
}

impl std::fmt::Display for SaveDecisionsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Old(e) => write!(f, "what is there is not written over: {e}"),
            Self::Save(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for SaveDecisionsError {}

impl Sidecar {
    /// The name of the file that belongs to a source: the source's with `.posepress.json` behind it.
    pub fn path_of(source: &Path) -> PathBuf {
        let mut name = source.as_os_str().to_owned();
        name.push(".posepress.json");
        PathBuf::from(name)
    }

    /// Reads a file; `None` where there is none. Refuses what is no JSON, is of a newer version or larger than
    /// 16 MiB.
    pub fn read(path: &Path) -> Result<Option<Self>, SidecarError> {
        let fail = |text: String| Fault::new("", text).into_error(path);
        let meta = match fs::metadata(path) {
            Ok(meta) => meta,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(fail(format!("it cannot be read: {e}"))),
        };
        if !meta.is_file() {
            return Err(fail("it is not a file".into()));
        }
        let mut bytes = Vec::new();
        let file = fs::File::open(path);
        let read = file.and_then(|f| f.take(MAX_BYTES + 1).read_to_end(&mut bytes));
        read.map_err(|e| fail(format!("it cannot be read: {e}")))?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(fail("it is larger than 16 MiB".into()));
        }
        Self::parse(path, &bytes).map(Some)
    }

    /// As [`Sidecar::read`], from bytes; `path` stands in errors.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, SidecarError> {
        let parsed = serde_json::from_slice(bytes).map_err(|e| {
            let place = format!("line {} column {}", e.line(), e.column());
            Fault::new(place, format!("it is no JSON: {e}"))
        });
        let checked = parsed.and_then(|raw| decode::check_version(&raw).map(|()| Self { raw }));
        checked.map_err(|fault| fault.into_error(path))
    }

    /// One that says just this.
    pub fn of(edits: &Edits, asset: &Asset) -> Self {
        Self {
            raw: encode::edits(edits, asset),
        }
    }

    /// The decisions for a loaded file, and sentences about clips and joints in them that it does not have: those
    /// stay in the file. `path` stands in errors. Refuses values that cannot be used; never only some of them.
    pub fn edits(&self, path: &Path, asset: &Asset) -> Result<(Edits, Vec<String>), SidecarError> {
        decode::edits(&self.raw, asset).map_err(|fault| fault.into_error(path))
    }

    /// The same with what changed from `before` to `now`; everything else stays.
    #[must_use]
    pub fn with(&self, before: &Edits, now: &Edits, asset: &Asset) -> Self {
        let (before, now) = (encode::edits(before, asset), encode::edits(now, asset));
        Self {
            raw: merge::merge(&self.raw, &before, &now),
        }
    }

    /// As a JSON value.
    pub(super) fn value(&self) -> &Value {
        &self.raw
    }

    /// As it is written: sorted keys, two blanks a level, line feeds.
    pub fn text(&self) -> String {
        pretty(&self.raw)
    }
}

/// Writes what was decided since `before` into a file, completely or not at all. Cost: two syncs of the disk.
pub fn save_decisions(
    path: &Path,
    before: &Edits,
    now: &Edits,
    asset: &Asset,
) -> Result<(), SaveDecisionsError> {
    let old = Sidecar::read(path).map_err(SaveDecisionsError::Old)?;
    let new = match old {
        Some(old) => {
            old.edits(path, asset).map_err(SaveDecisionsError::Old)?;
            old.with(before, now, asset)
        }
        None => Sidecar::of(now, asset),
    };
    let check = |written: &[u8]| {
        let again = Sidecar::parse(path, written).map_err(|e| e.to_string())?;
        again.edits(path, asset).map_err(|e| e.to_string())?;
        Ok(())
    };
    storage::replace(path, new.text().as_bytes(), check).map_err(SaveDecisionsError::Save)
}

/// The same decisions for a file that was exported again: clips and joints go by name. What has no place in it any
/// more stays in the file of decisions.
pub(super) fn moved(edits: &Edits, from: &Asset, to: &Asset) -> Edits {
    let clips = to.clips.iter().map(|clip| {
        let was = from.clips.iter().position(|c| c.name() == clip.name());
        let mut decided = was.map_or_else(Arc::default, |k| edits.clips[k].clone());
        if let Some(list) = &decided.contacts {
            let named = encode::contacts(list, &from.skeleton);
            let footing = &decided.settings.footing;
            let known = decode::known_contacts(&named, clip, edits.unit_m, footing);
            Arc::make_mut(&mut decided).contacts = known;
        }
        decided
    });
    Edits {
        unit_m: edits.unit_m,
        clips: clips.collect(),
        characters: edits.characters.clone(),
    }
}

/// Settings as a text that a person can read, send and paste.
pub fn settings_text(settings: &Settings) -> String {
    pretty(&encode::settings(settings))
}

/// Settings from such a text; what is not in it has its default. The error says where it is wrong.
pub fn settings_of_text(text: &str) -> Result<Settings, String> {
    let value: Value = serde_json::from_str(text).map_err(|e| format!("it is no JSON: {e}"))?;
    settings_of_value(&value)
}

/// Settings as a JSON value.
pub(super) fn settings_value(settings: &Settings) -> Value {
    encode::settings(settings)
}

/// See [`settings_of_text`].
pub(super) fn settings_of_value(value: &Value) -> Result<Settings, String> {
    decode::settings(value, "settings").map_err(|fault| format!("{}: {}", fault.place, fault.text))
}

/// What a preset says about the eye it was chosen by; the error says where it is wrong.
pub(super) fn by_eye_of_value(value: &Value) -> Result<ByEye, String> {
    let place = "by_eye";
    let read = decode::object(value, place).and_then(|map| tested::by_eye(map, place));
    read.map_err(|fault| format!("{}: {}", fault.place, fault.text))
}

/// JSON with sorted keys, two blanks a level and line feeds.
pub(super) fn pretty(value: &Value) -> String {
    // Values that came from JSON or from texts and numbers always serialise.
    serde_json::to_string_pretty(&merge::sorted(value)).unwrap_or_default() + "\n"
}
