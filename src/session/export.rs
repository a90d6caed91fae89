//! Writes what is approved, reads it back, and says what was measured on the files.

use super::over_target::{Missed, OverTarget};
use super::renumbered::Renumbered;
use super::units::show_bytes;
use crate::codec::{Compressed, Control, Instants, Judgement, Payload, Player, Settings};
use crate::export::gltf::{self, GltfSource, OtherAnimations, ReplacedAnimation, write_glb};
use crate::import::{self, ImportError, LoadOptions};
use crate::metrics::{self, Contacts, CurveError, Measured};
use crate::model::{Clip, PoseSource};
use crate::runtime;
use crate::storage::{self, SaveError};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where an export goes.
#[derive(Clone, Debug, PartialEq)]
pub enum Destination {
    /// A folder: `<clip>.ppc` for each container, `<source>_compressed.glb` for keyframes, each in the item's own
    /// folder below it.
    Folder(PathBuf),
    /// This very file: one container, or the keyframes of one source.
    File(PathBuf),
}

/// What to export.
#[derive(Clone, Debug)]
pub struct ExportPlan {
    /// Where to.
    pub destination: Destination,
    /// The clips, each with its finished result.
    pub items: Vec<ExportItem>,
    /// Whether animations of a GLB that are not in `items` stay in it as they are.
    pub others: OtherAnimations,
    /// What becomes of a file in which a clip misses its target.
    pub over_target: OverTarget,
}

/// One clip of an export.
#[derive(Clone, Debug)]
pub struct ExportItem {
    /// The source file.
    pub source: PathBuf,
    /// Its SHA-256 when it was loaded.
    pub source_hash: [u8; 32],
    /// The clip's place among the file's animations.
    pub animation_index: usize,
    /// The source clip.
    pub clip: Arc<Clip>,
    /// What is shipped.
    pub compressed: Compressed,
    /// What it was made with.
    pub settings: Settings,
    /// Metres of a source unit.
    pub unit_m: f64,
    /// The source's contacts.
    pub contacts: Arc<Contacts>,
    /// The most bytes that its animation may have; `None` asks for nothing.
    pub most_bytes: Option<usize>,
    /// The folder in [`Destination::Folder`] that its file goes to; made where it is missing. Empty for that very
    /// folder.
    pub below: PathBuf,
}

/// What an export did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExportReport {
    /// One a written file.
    pub files: Vec<ExportedFile>,
}

/// One written file.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportedFile {
    /// Where.
    pub path: PathBuf,
    /// Its size, counted when it was read back from the disk.
    pub bytes: usize,
    /// Its clips.
    pub clips: Vec<ExportedClip>,
    /// What could not be passed through as it was.
    pub notes: Vec<String>,
}

/// One clip, measured on the written file.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportedClip {
    /// Its name.
    pub name: String,
    /// Bytes of its animation.
    pub animation_bytes: usize,
    /// Everything measured.
    pub measured: Measured,
    /// How far its float curves are off, in the order of the clip's.
    pub curves: Vec<CurveError>,
    /// The error that a target is held against, metres.
    pub gate_m: f64,
    /// How it stands to all limits of its settings.
    pub judgement: Judgement,
    /// What of that is no pass.
    pub missed: Vec<Missed>,
}

/// Why nothing (more) was exported. Files written before stay.
#[derive(Debug)]
pub enum ExportError {
    /// There was no clip to export.
    Nothing,
    /// [`Destination::File`] with more than one file's worth of clips.
    TooManyForOneFile,
    /// The source cannot be read again.
    Source(Box<ImportError>),
    /// The source is not what was loaded.
    SourceChanged(PathBuf),
    /// The GLB cannot be written.
    Gltf(gltf::ExportError),
    /// The folder of this file cannot be made.
    Folder(PathBuf, std::io::Error),
    /// The file cannot be saved; the old one is as it was.
    Save(SaveError),
    /// These clips of a file miss their target, and [`OverTarget::Refuse`] was asked for; the old file is
    /// as it was.
    OverTarget(PathBuf, Vec<Missed>),
    /// Stopped by the person.
    Cancelled,
}

impl std::fmt::Display for ExportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nothing => write!(f, "no clip is approved as it is now; approve one first"),
            Self::TooManyForOneFile => {
                write!(
                    f,
                    "several clips do not fit in one .ppc; choose a folder, or one clip"
                )
            }
            Self::Source(e) => write!(f, "the source cannot be read again: {e}"),
            Self::SourceChanged(path) => {
                write!(
                    f,
                    "{} has changed since it was opened; open it again",
                    path.display()
                )
            }
            Self::Gltf(e) => e.fmt(f),
            Self::Folder(path, e) => {
                write!(f, "the folder of {} cannot be made: {e}", path.display())
            }
            Self::Save(e) => e.fmt(f),
            Self::OverTarget(path, missed) => {
                for m in missed {
                    writeln!(f, "{m}")?;
                }
                write!(f, "{} was not written", path.display())
            }
            Self::Cancelled => write!(f, "it was cancelled"),
        }
    }
}

impl std::error::Error for ExportError {}

impl ExportReport {
    /// The lowest folder that all files are in.
    pub fn folder(&self) -> PathBuf {
        let first = self.files.first().and_then(|f| f.path.parent());
        let mut folder = first.unwrap_or(Path::new(".")).to_owned();
        while !self.files.iter().all(|f| f.path.starts_with(&folder)) && folder.pop() {}
        folder
    }

    /// One sentence: what was written and the largest error measured on it.
    pub fn summary(&self) -> String {
        let clips = self.files.iter().map(|f| f.clips.len()).sum::<usize>();
        let bytes = show_bytes(self.files.iter().map(|f| f.bytes).sum());
        let animation = self.files.iter().flat_map(|f| &f.clips);
        let animation = show_bytes(animation.map(|c| c.animation_bytes).sum());
        let worst = self
            .files
            .iter()
            .flat_map(|f| &f.clips)
            .map(|c| c.gate_m)
            .fold(0.0, f64::max);
        let place = match self.files.as_slice() {
            [one] => one.path.display().to_string(),
            files => format!("{} files in {}", files.len(), self.folder().display()),
        };
        let clips = if clips == 1 {
            "1 clip".to_owned()
        } else {
            format!("{clips} clips")
        };
        format!(
            "{clips}, {animation} animation in {bytes} on disk, largest skin error {:.3} mm, read back from {place}",
            worst * 1000.0
        )
    }
}

/// Writes the files of a plan one after the other, each completely or not at all.
///
/// Every file is read back before it takes the old one's place, decoded and measured; the report holds
/// those figures. The first failure ends the export.
pub fn export(plan: &ExportPlan, control: &Control) -> Result<ExportReport, ExportError> {
    let jobs = file_jobs(plan)?;
    let mut report = ExportReport::default();
    for (k, (path, items)) in jobs.iter().enumerate() {
        if control.is_cancelled() {
            return Err(ExportError::Cancelled);
        }
        control.report(k as f32 / jobs.len() as f32);
        report.files.push(write_file(path, items, plan)?);
    }
    Ok(report)
}

/// Which clips go into which file.
pub(super) fn file_jobs(
    plan: &ExportPlan,
) -> Result<Vec<(PathBuf, Vec<&ExportItem>)>, ExportError> {
    let mut jobs: Vec<(PathBuf, Vec<&ExportItem>)> = Vec::new();
    for item in &plan.items {
        let shares_file = |other: &&ExportItem| {
            matches!(
                (&item.compressed.payload, &other.compressed.payload),
                (Payload::Keyframes(_), Payload::Keyframes(_))
            ) && other.source == item.source
        };
        if let Some((_, items)) = jobs
            .iter_mut()
            .find(|(_, items)| items.first().is_some_and(shares_file))
        {
            items.push(item);
            continue;
        }
        let path = match &plan.destination {
            Destination::File(path) if jobs.is_empty() => path.clone(),
            Destination::File(_) => return Err(ExportError::TooManyForOneFile),
            Destination::Folder(folder) => unused_name(folder, item, &jobs),
        };
        jobs.push((path, vec![item]));
    }
    if jobs.is_empty() {
        Err(ExportError::Nothing)
    } else {
        Ok(jobs)
    }
}

/// A name for an item's file that no other job has.
fn unused_name(folder: &Path, item: &ExportItem, jobs: &[(PathBuf, Vec<&ExportItem>)]) -> PathBuf {
    let stem = item
        .source
        .file_stem()
        .map_or_else(|| "clip".into(), |s| s.to_string_lossy().into_owned());
    let extension = item.compressed.deliverable.extension();
    let name = match item.compressed.payload {
        Payload::Container(_) => file_name(item.clip.name()),
        Payload::Keyframes(_) => format!("{stem}_compressed"),
    };
    let folder = folder.join(&item.below);
    // Many disks do not tell upper from lower case.
    let same = |a: &Path, b: &Path| {
        a == b || a.to_string_lossy().to_lowercase() == b.to_string_lossy().to_lowercase()
    };
    let taken = |path: &PathBuf| jobs.iter().any(|(p, _)| same(p, path));
    let mut path = folder.join(format!("{name}.{extension}"));
    let mut number = 2;
    while taken(&path) {
        path = folder.join(format!("{name}_{number}.{extension}"));
        number += 1;
    }
    path
}

/// A clip's name as a file name: no separators, nothing that a shell or Windows chokes on.
fn file_name(clip: &str) -> String {
    let safe: String = clip
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || "-_. ()".contains(c) {
                c
            } else {
                '_'
            }
        })
        .take(100)
        .collect();
    let safe = safe.trim_matches(['.', ' ']).to_owned();
    if safe.is_empty() {
        "clip".to_owned()
    } else {
        safe
    }
}

fn write_file(
    path: &Path,
    items: &[&ExportItem],
    plan: &ExportPlan,
) -> Result<ExportedFile, ExportError> {
    let (bytes, notes) = match &items[0].compressed.payload {
        Payload::Container(bytes) => (bytes.to_vec(), Vec::new()),
        Payload::Keyframes(_) => {
            let glb = glb(items, plan.others)?;
            (glb.bytes, glb.notes)
        }
    };
    let (mut clips, mut refused) = (Vec::new(), Vec::new());
    let mut on_disk = 0;
    let check = |read_back: &[u8]| {
        on_disk = read_back.len();
        clips = measure_file(path, read_back, items)?;
        let missed = clips.iter().flat_map(|c| &c.missed);
        let refuses = |m: &&Missed| plan.over_target.refuses(m);
        refused = missed.filter(refuses).cloned().collect();
        if refused.is_empty() {
            return Ok(());
        }
        Err("a clip misses its target".to_owned())
    };
    let made = match path.parent() {
        Some(folder) if !items[0].below.as_os_str().is_empty() => std::fs::create_dir_all(folder),
        _ => Ok(()),
    };
    made.map_err(|e| ExportError::Folder(path.to_owned(), e))?;
    storage::replace(path, &bytes, check).map_err(|e| {
        if refused.is_empty() {
            ExportError::Save(e)
        } else {
            ExportError::OverTarget(path.to_owned(), refused)
        }
    })?;
    Ok(ExportedFile {
        path: path.to_owned(),
        bytes: on_disk,
        clips,
        notes,
    })
}

fn glb(items: &[&ExportItem], others: OtherAnimations) -> Result<gltf::Glb, ExportError> {
    let first = items[0];
    let source =
        import::read_gltf_source(&first.source).map_err(|e| ExportError::Source(Box::new(e)))?;
    if source.hash != first.source_hash {
        return Err(ExportError::SourceChanged(first.source.clone()));
    }
    let replacements: Vec<ReplacedAnimation> = items
        .iter()
        .filter_map(|item| {
            let Payload::Keyframes(keyframes) = &item.compressed.payload else {
                return None;
            };
            let (index, skeleton) = (item.animation_index, item.clip.skeleton());
            Some(ReplacedAnimation {
                index,
                keyframes,
                skeleton,
                extras: extras(item),
            })
        })
        .collect();
    let source = GltfSource {
        json: &source.json,
        buffers: &source.buffers,
        base: &source.base,
    };
    write_glb(&source, &replacements, others).map_err(ExportError::Gltf)
}

/// What a build farm wants to know later, in the animation's `extras`.
fn extras(item: &ExportItem) -> serde_json::Value {
    json!({ "posepress": {
        "clip": item.clip.name(),
        "rate_hz": item.clip.grid().rate_hz,
        "frames": item.clip.grid().frames,
        "looped": item.settings.looped,
        "settings": item.settings,
        "source_sha256": hex(&item.source_hash),
    }})
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |n: u8| char::from(b"0123456789abcdef"[usize::from(n)]);
    bytes
        .iter()
        .flat_map(|b| [digit(b >> 4), digit(b & 15)])
        .collect()
}

/// Decodes a written file as its player does, and measures every clip in it.
fn measure_file(
    path: &Path,
    bytes: &[u8],
    items: &[&ExportItem],
) -> Result<Vec<ExportedClip>, String> {
    if let Payload::Container(_) = items[0].compressed.payload {
        let player = Player::container(bytes.into()).map_err(|e| e.to_string())?;
        return Ok(vec![measured(items[0], &player)]);
    }
    let asset =
        import::load_bytes(path, bytes, &LoadOptions::default()).map_err(|e| e.to_string())?;
    let find = |item: &&ExportItem| {
        let wanted = item.clip.name();
        let clip = asset.clips.iter().find(|c| c.name() == wanted);
        let clip =
            clip.ok_or_else(|| format!("the clip {wanted} is missing from the written file"))?;
        let player = Renumbered::new(clip, &item.clip).ok_or_else(|| {
            format!("the written file has other joints than the source of {wanted}")
        })?;
        Ok(measured(item, &player))
    };
    items.iter().map(find).collect()
}

impl ExportItem {
    /// What an export would measure of it, without writing anything.
    pub fn measured(&self) -> Result<ExportedClip, runtime::Error> {
        let player = self.compressed.player(self.clip.skeleton())?;
        Ok(measured(self, &player))
    }
}

fn measured<P: PoseSource + Clone + Send + Sync>(item: &ExportItem, player: &P) -> ExportedClip {
    let settings = &item.settings;
    let options = settings.measuring(item.clip.skeleton(), item.unit_m, 4);
    let measured = metrics::measure_with(&item.clip, player, &item.contacts, &options);
    let bytes = item.compressed.animation_bytes();
    let judgement = Judgement::of(
        settings,
        &item.clip,
        &item.contacts,
        &measured,
        Some((bytes, item.most_bytes)),
    );
    ExportedClip {
        name: item.clip.name().to_owned(),
        animation_bytes: bytes,
        missed: Missed::all(&judgement, &item.clip, settings, &measured),
        judgement,
        gate_m: Instants::of(settings).gate_m(&measured),
        measured,
        curves: metrics::curve_errors(&item.clip, &mut player.clone()),
    }
}
