//! Approved clips on their way into files.

use super::Session;
use super::document::{ClipId, Document};
use super::export::{Destination, ExportError, ExportItem, ExportPlan, ExportReport, file_jobs};
use super::over_target::OverTarget;
use super::worker::Request;
use crate::codec::Control;
use crate::export::gltf::OtherAnimations;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// A file that an export would write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedFile {
    /// Where.
    pub path: PathBuf,
    /// The clips in it.
    pub clips: Vec<ClipId>,
    /// Its size; `None` for a glTF file, which holds all else of its source and is counted when it is written.
    pub bytes: Option<usize>,
}

impl Session {
    /// Exports clips, each as its own deliverable, on the worker.
    ///
    /// Containers become `<clip>.ppc` in `folder`; keyframes become one GLB, named like the source. What comes from a
    /// file that was opened with its folder goes below the file's own place in it: `folder/enemies/orc/<clip>.ppc`,
    /// whatever else is exported. Files that were opened otherwise have a folder of their names where clips of several
    /// files are exported. So clips of the same name never meet in one place.
    pub fn export(&mut self, ids: &[ClipId], folder: &Path) {
        let (_, plan) = self.export_plan(ids, folder);
        let control = Control::default();
        self.exporting = Some(control.clone());
        (self.last_export, self.export_error) = (None, None);
        self.worker.send(Request::Export(Box::new(plan), control));
    }

    /// The files that [`Session::export`] would write, in their order; nothing is written.
    pub fn planned_export(
        &self,
        ids: &[ClipId],
        folder: &Path,
    ) -> Result<Vec<PlannedFile>, ExportError> {
        let (ids, plan) = self.export_plan(ids, folder);
        let id_of = |item: &&ExportItem| {
            let at = plan.items.iter().position(|i| std::ptr::eq(i, *item));
            at.and_then(|at| ids.get(at).copied())
        };
        let file = |(path, items): (PathBuf, Vec<&ExportItem>)| PlannedFile {
            path,
            clips: items.iter().filter_map(id_of).collect(),
            bytes: items
                .first()
                .and_then(|i| i.compressed.file_parts())
                .map(|p| p.file()),
        };
        Ok(file_jobs(&plan)?.into_iter().map(file).collect())
    }

    /// What an export of clips does, and those of them that have a result.
    fn export_plan(&self, ids: &[ClipId], folder: &Path) -> (Vec<ClipId>, ExportPlan) {
        let mut planned = Vec::new();
        let mut plan = ExportPlan {
            destination: Destination::Folder(folder.to_owned()),
            items: Vec::new(),
            others: OtherAnimations::Drop,
            // Whoever approved it has seen its error.
            over_target: OverTarget::Write,
        };
        let below = self.places_below(ids);
        for &id in ids {
            let (Some(d), Some(clip), Some(result)) =
                (self.document(id.document), self.clip(id), self.result(id))
            else {
                continue;
            };
            planned.push(id);
            plan.items.push(ExportItem {
                source: d.asset.path.clone(),
                source_hash: d.asset.source_hash,
                animation_index: d.asset.animation_index[id.clip],
                clip: clip.clone(),
                compressed: result.compressed.clone(),
                settings: result.settings.clone(),
                unit_m: result.unit_m,
                contacts: result.contacts.clone(),
                most_bytes: None,
                below: below.get(&id.document).cloned().unwrap_or_default(),
            });
        }
        (planned, plan)
    }

    /// Whether an export runs, and how far it is.
    pub fn exporting(&self) -> Option<f32> {
        self.exporting.as_ref().map(Control::progress)
    }

    /// Stops an export before its next file.
    pub fn cancel_export(&self) {
        if let Some(control) = &self.exporting {
            control.cancel();
        }
    }

    /// Why the last export ended early; `None` while it runs and where it wrote all.
    pub fn export_error(&self) -> Option<&str> {
        self.export_error.as_deref()
    }

    /// What the last export wrote and measured; `None` while it runs and where it ended early.
    pub fn last_export(&self) -> Option<&ExportReport> {
        self.last_export.as_ref()
    }

    /// The folder below the destination for each file of some clips, by the files' numbers.
    fn places_below(&self, ids: &[ClipId]) -> HashMap<usize, PathBuf> {
        let numbers: BTreeSet<usize> = ids.iter().map(|id| id.document).collect();
        let files: Vec<&Document> = numbers.iter().filter_map(|&n| self.document(n)).collect();
        let folders: HashSet<Option<&Path>> = files.iter().map(|d| d.folder()).collect();
        let mut taken = HashSet::new();
        let mut places = HashMap::new();
        for d in &files {
            let wanted = wanted_place(d, folders.len() > 1, files.len() > 1);
            places.insert(d.number(), unused_place(&wanted, &mut taken));
        }
        places
    }
}

/// Where what comes from a file goes, below the destination; empty for the destination itself.
fn wanted_place(d: &Document, several_folders: bool, several_files: bool) -> PathBuf {
    let path = d.asset.path.with_extension("");
    let own = path.file_name().map(PathBuf::from).unwrap_or_default();
    match d.folder() {
        Some(folder) => {
            let below = path.strip_prefix(folder).map_or(own, Path::to_owned);
            let name = folder.file_name().filter(|_| several_folders);
            name.map_or(below.clone(), |name| Path::new(name).join(&below))
        }
        None if several_files => own,
        None => PathBuf::new(),
    }
}

/// The place, with a number behind it where another file has it already; upper and lower case are one, as on many
/// disks.
fn unused_place(wanted: &Path, taken: &mut HashSet<String>) -> PathBuf {
    let mut place = wanted.to_owned();
    let mut number = 2;
    while !taken.insert(place.to_string_lossy().to_lowercase()) {
        let mut name = wanted.to_owned().into_os_string();
        name.push(format!("_{number}"));
        place = PathBuf::from(name);
        number += 1;
    }
    place
}
