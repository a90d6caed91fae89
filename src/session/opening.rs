//! Files and folders on their way in.
//!
//! A file that a person opens alone is selected when it is there. Files that come together, of a folder or a list,
//! are one group: the first of them that can be read is selected and the others do not steal the selection; what is
//! wrong with some of them is told once, when all are there.

use super::Session;
use super::document::{ClipId, Document};
use super::folder::Listing;
use super::notice::Notice;
use super::worker::{LoadJob, Loaded, Request};
use crate::codec::Control;
use crate::import::ImportError;
use crate::model::{Asset, Issue, Severity};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most files that a notice about a group names.
const MOST_NAMED: usize = 20;

/// Groups on their way.
#[derive(Default)]
pub(super) struct Opening {
    groups: Vec<Group>,
    next: u64,
}

/// Files that are opened together.
struct Group {
    number: u64,
    folder: Option<Arc<Path>>,
    /// Stops the search for files, while that goes on.
    search: Option<Control>,
    /// Whether its first file is still to be selected.
    selects: bool,
    total: usize,
    /// Files that are not there yet.
    waiting: HashSet<PathBuf>,
    broken: Vec<String>,
    odd: Vec<String>,
}

/// Warnings about a file.
pub(super) fn warnings(asset: &Asset) -> impl Iterator<Item = &Issue> {
    let warns = |i: &&Issue| i.severity == Severity::Warning;
    asset.issues.iter().filter(warns)
}

impl Session {
    /// Opens a file or a folder, as [`Session::open_all`] does with one.
    pub fn open(&mut self, path: &Path) {
        self.open_all(&[path.to_owned()]);
    }

    /// Loads files, and all `.glb` and `.gltf` below folders (see [`super::clip_files`]), on the worker. They appear
    /// among the documents, or a notice says why not. What is open already, or on its way, is not opened twice: a
    /// file that was asked for alone is selected. One file alone is selected when it is there; of several, and of
    /// folders, the first clip of the first one.
    pub fn open_all(&mut self, paths: &[PathBuf]) {
        let (folders, files): (Vec<_>, Vec<_>) = paths.iter().partition(|p| p.is_dir());
        let mut selects = true;
        match files.as_slice() {
            [] => {}
            [file] => {
                self.open_file(file);
                selects = false;
            }
            files => {
                let files = files.iter().map(|&f| f.clone()).collect();
                let group = self.new_group(None, selects);
                self.load_group(group, files);
                selects = false;
            }
        }
        for folder in folders {
            let group = self.new_group(Some(folder), selects);
            let control = Control::default();
            if let Some(group) = self.group(group) {
                group.search = Some(control.clone());
            }
            self.loading.push(folder.clone());
            self.worker
                .send(Request::Scan(group, folder.clone(), control));
            selects = false;
        }
    }

    fn open_file(&mut self, path: &Path) {
        let place = std::fs::canonicalize(path).ok();
        if let Some(open) = self.open_at(place.as_deref()) {
            self.select_file(open);
        } else if !self.loading.iter().any(|p| p == path) {
            self.loading.push(path.to_owned());
            self.worker.load(LoadJob {
                path: path.to_owned(),
                left: None,
                group: None,
            });
        }
    }

    /// Selects a file's first clip, unless one of its clips is selected.
    pub(super) fn select_file(&mut self, document: usize) {
        if self.selected.is_none_or(|s| s.document != document) {
            self.select(ClipId { document, clip: 0 });
        }
    }

    /// The number of the open file that lies at a place.
    pub(super) fn open_at(&self, place: Option<&Path>) -> Option<usize> {
        let place = place?;
        let at_place = |d: &&Document| d.place.as_deref() == Some(place);
        self.documents.iter().find(at_place).map(Document::number)
    }

    fn new_group(&mut self, folder: Option<&PathBuf>, selects: bool) -> u64 {
        let number = self.opening.next;
        self.opening.next += 1;
        self.opening.groups.push(Group {
            number,
            folder: folder.map(|f| Arc::from(f.as_path())),
            search: None,
            selects,
            total: 0,
            waiting: HashSet::new(),
            broken: Vec::new(),
            odd: Vec::new(),
        });
        number
    }

    fn group(&mut self, number: u64) -> Option<&mut Group> {
        self.opening.groups.iter_mut().find(|g| g.number == number)
    }

    fn load_group(&mut self, number: u64, files: Vec<PathBuf>) {
        let places = self.documents.iter().filter_map(|d| d.place.as_ref());
        let open: HashSet<&PathBuf> = places.collect();
        let is_open = |p: &PathBuf| std::fs::canonicalize(p).is_ok_and(|p| open.contains(&p));
        let (known, mut new): (Vec<_>, Vec<_>) = files.into_iter().partition(is_open);
        let mut asked: HashSet<PathBuf> = self.loading.iter().cloned().collect();
        new.retain(|p| asked.insert(p.clone()));
        let Some(group) = self.group(number) else {
            return;
        };
        group.total = new.len();
        group.waiting = new.iter().cloned().collect();
        if let (Some(first), true, true) = (known.first(), group.selects, new.is_empty()) {
            let first = first.clone();
            self.open_file(&first);
        }
        for path in new {
            self.loading.push(path.clone());
            self.worker.load(LoadJob {
                path,
                left: None,
                group: Some(number),
            });
        }
        self.end_group(number);
    }

    pub(super) fn take_scanned(&mut self, number: u64, folder: &Path, listing: Listing) {
        self.no_longer_loading(folder);
        let Some(group) = self.group(number) else {
            return;
        };
        group.search = None;
        if !listing.left_out.is_empty() {
            let title = "Not all of the folder is opened";
            let text = some_lines(&listing.left_out);
            self.notices.push(Notice::warning(title, text));
        }
        if listing.files.is_empty() {
            let text = format!("There is no .glb or .gltf below {}", folder.display());
            self.notices.push(Notice::warning("Nothing to open", text));
        }
        self.load_group(number, listing.files);
    }

    pub(super) fn take_loaded(
        &mut self,
        path: &Path,
        group: Option<u64>,
        loaded: Result<Box<Loaded>, ImportError>,
    ) {
        self.no_longer_loading(path);
        match (group, loaded) {
            (None, Ok(loaded)) => {
                self.add_loaded(*loaded);
            }
            (None, Err(e)) => {
                let notice = Notice::error("Cannot open the file", e.to_string());
                self.notices.push(notice);
            }
            (Some(number), loaded) => {
                self.take_one_of(number, path, loaded);
                self.end_group(number);
            }
        }
    }

    fn take_one_of(&mut self, number: u64, path: &Path, loaded: Result<Box<Loaded>, ImportError>) {
        // What arrives after its group was cancelled is not wanted any more.
        let Some(group) = self.group(number) else {
            return;
        };
        group.waiting.remove(path);
        match loaded {
            Err(e) => group.broken.push(e.to_string()),
            Ok(loaded) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let odd =
                    warnings(&loaded.asset).map(|i| format!("{name}: {}: {}", i.place, i.text));
                group.odd.extend(odd);
                let selects = std::mem::take(&mut group.selects);
                let folder = group.folder.clone();
                self.add_loaded_with(*loaded, folder, selects);
            }
        }
    }

    /// Says what was wrong with files of a group once all are there.
    fn end_group(&mut self, number: u64) {
        let ended = |g: &Group| g.number == number && g.search.is_none() && g.waiting.is_empty();
        let Some(at) = self.opening.groups.iter().position(ended) else {
            return;
        };
        let group = self.opening.groups.remove(at);
        if !group.odd.is_empty() {
            let title = match group.odd.len() {
                1 => "Something in a file is odd".to_owned(),
                n => format!("{n} things in the files are odd"),
            };
            let notice = Notice::warning(title, some_lines(&group.odd));
            self.notices.push(notice);
        }
        if !group.broken.is_empty() {
            let title = format!(
                "Cannot open {} of {} files",
                group.broken.len(),
                group.total
            );
            let notice = Notice::error(title, some_lines(&group.broken));
            self.notices.push(notice);
        }
    }

    pub(super) fn no_longer_loading(&mut self, path: &Path) {
        if let Some(at) = self.loading.iter().position(|p| p == path) {
            self.loading.remove(at);
        }
    }

    /// While several files are opened together: how many are there, and how many there are; 0 while a folder is still
    /// searched.
    pub fn opening(&self) -> Option<(usize, usize)> {
        let groups = &self.opening.groups;
        let sum = |of: fn(&Group) -> usize| groups.iter().map(of).sum();
        (!groups.is_empty()).then(|| (sum(|g| g.total - g.waiting.len()), sum(|g| g.total)))
    }

    /// Opens no more of the files that are opened together; those that are there stay.
    pub fn cancel_opening(&mut self) {
        self.worker.forget_loads();
        for group in std::mem::take(&mut self.opening.groups) {
            if let Some(search) = &group.search {
                search.cancel();
            }
            let folder = group.folder.as_deref();
            let mine = |p: &PathBuf| group.waiting.contains(p) || Some(p.as_path()) == folder;
            self.loading.retain(|p| !mine(p));
        }
    }
}

/// A line each, but not more than can be read.
fn some_lines(lines: &[String]) -> String {
    let mut shown = lines[..lines.len().min(MOST_NAMED)].join("\n");
    if lines.len() > MOST_NAMED {
        shown += &format!("\nand {} more", lines.len() - MOST_NAMED);
    }
    shown
}
