//! Files that others write while they are open: sources that are exported again, decisions that a colleague saved.

use super::buffer::Buffer;
use super::characters::{Wardrobe, character_folder};
use super::document::{Document, Edits};
use super::notice::Notice;
use super::sidecar::{Sidecar, SidecarError, moved};
use super::worker::Request;
use super::{ClipId, Command, Session, Verdict};
use crate::import::ImportError;
use crate::model::Asset;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// How often files are looked at.
const EVERY: Duration = Duration::from_millis(900);

/// What tells files from an earlier state of them without reading them: a hash of their times and sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp(u64);

impl Stamp {
    /// `None` while one of them is not there.
    pub(super) fn of<P: AsRef<Path>>(paths: &[P]) -> Option<Self> {
        let mut all = DefaultHasher::new();
        for path in paths {
            let meta = std::fs::metadata(path).ok()?;
            (meta.modified().ok(), meta.len()).hash(&mut all);
        }
        Some(Self(all.finish()))
    }

    /// That of a source with everything that it is read from.
    pub(super) fn of_source(asset: &Asset, characters: &Wardrobe) -> Option<Self> {
        let paths = characters.keys().map(String::as_str);
        Self::of(&files_of(asset, paths.collect(), characters))
    }
}

/// Those of a source, and those of its characters that are there.
fn files_of(asset: &Asset, mut paths: Vec<&str>, read: &Wardrobe) -> Vec<PathBuf> {
    let own = std::iter::once(&asset.path);
    let mut files: Vec<PathBuf> = own.chain(&asset.parts).cloned().collect();
    let folder = character_folder(&asset.path);
    paths.sort_unstable();
    for path in paths {
        let parts = read.get(path).and_then(|read| read.as_ref().ok());
        let parts = parts.map_or(&[][..], |character| &character.parts);
        let all = std::iter::once(folder.join(path)).chain(parts.iter().cloned());
        files.extend(all.filter(|f| f.exists()));
    }
    files
}

/// What is known about one thing that is read from files.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// When it was read last, well or not.
    read: Option<Stamp>,
    /// As seen at the last look: files are read only when they have stopped changing.
    last: Option<Stamp>,
}

impl Seen {
    /// Whether there is something new to read, and it has stopped changing.
    fn is_new(&mut self, stamp: Stamp) -> bool {
        let settled = self.last.replace(stamp) == Some(stamp);
        settled && self.read != Some(stamp)
    }
}

/// What is known about a document's files.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watched {
    source: Seen,
    decisions: Seen,
    /// The source is being read.
    reading: bool,
}

impl Watched {
    /// Files as they were when they were read.
    pub(super) fn read(source: Option<Stamp>, decisions: Option<Stamp>) -> Self {
        let mut watched = Self::default();
        watched.source.read = source;
        watched.decisions.read = decisions;
        watched
    }

    /// The file of decisions was written here.
    pub(super) fn decisions_are(&mut self, stamp: Option<Stamp>) {
        self.decisions.read = stamp;
    }
}

/// Files of a document, and what they looked like when they were read.
#[derive(Clone)]
struct Known {
    document: usize,
    files: Vec<PathBuf>,
    read: Option<Stamp>,
}

impl Known {
    fn has_changed(&self) -> bool {
        Stamp::of(&self.files).is_some_and(|stamp| Some(stamp) != self.read)
    }
}

/// Looks at all files on a thread of its own and wakes the session when one is written again: a window need not draw
/// to find out, and a slow disk does not hold it up.
pub(super) struct Alarm {
    looked_at: Arc<Mutex<LookedAt>>,
}

#[derive(Default)]
struct LookedAt {
    files: Vec<Known>,
    /// Documents of which some are not as they were read, by number.
    changed: HashSet<usize>,
}

impl Alarm {
    /// Starts the thread; it ends with the session.
    pub(super) fn new(wake: impl Fn() + Send + 'static) -> Self {
        let looked_at = Arc::new(Mutex::new(LookedAt::default()));
        let theirs: Weak<Mutex<LookedAt>> = Arc::downgrade(&looked_at);
        std::thread::spawn(move || {
            while let Some(looked_at) = theirs.upgrade() {
                let files = lock(&looked_at).files.clone();
                let changed: HashSet<usize> = files
                    .iter()
                    .filter(|known| known.has_changed())
                    .map(|known| known.document)
                    .collect();
                let wakes = !changed.is_empty();
                lock(&looked_at).changed = changed;
                if wakes {
                    wake();
                }
                drop(looked_at);
                std::thread::sleep(EVERY);
            }
        });
        Self { looked_at }
    }

    /// Says which files are to be looked at.
    fn set(&self, files: Vec<Known>) {
        lock(&self.looked_at).files = files;
    }

    /// The documents whose files had changed at the last look.
    fn changed(&self) -> HashSet<usize> {
        lock(&self.looked_at).changed.clone()
    }
}

fn lock(looked_at: &Mutex<LookedAt>) -> MutexGuard<'_, LookedAt> {
    looked_at.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    /// Looks whether open files or decisions about them were written by somebody else, at most once a second, and reads
    /// those that were and have stopped changing. To be called when the session wakes somebody, and whenever that is
    /// convenient. Cost: the selected file is asked for its time of change, and those that another thread saw changed;
    /// so hundreds of open files cost little more than one.
    pub fn watch(&mut self, now: Instant) {
        if let Some(last) = self.looked
            && now.saturating_duration_since(last) < EVERY
        {
            return;
        }
        self.looked = Some(now);
        let changed = self.alarm.changed();
        let selected = self.selected.map(|s| s.document);
        let (mut known, mut decided) = (Vec::new(), Vec::new());
        for d in &mut self.documents {
            let Some(sidecar) = d.sidecar_path() else {
                continue;
            };
            let characters = d.edits.characters.iter().map(|c| c.path.as_str());
            let files = files_of(&d.own, characters.collect(), &d.wardrobe);
            let watched = &mut d.watched;
            if Some(d.number) == selected || changed.contains(&d.number) {
                if let Some(stamp) = Stamp::of(&files)
                    && watched.source.is_new(stamp)
                    && !watched.reading
                {
                    watched.reading = true;
                    let characters = d.edits.characters.iter().map(|c| c.path.clone());
                    self.worker.send(Request::Reload(
                        d.number,
                        d.own.path.clone(),
                        characters.collect(),
                        stamp,
                    ));
                }
                if let Some(stamp) = Stamp::of(std::slice::from_ref(&sidecar))
                    && watched.decisions.is_new(stamp)
                {
                    watched.decisions.read = Some(stamp);
                    decided.push(d.number);
                }
            }
            known.push(Known {
                document: d.number,
                files,
                read: watched.source.read,
            });
            known.push(Known {
                document: d.number,
                files: vec![sidecar],
                read: watched.decisions.read,
            });
        }
        self.alarm.set(known);
        for document in decided {
            self.take_decisions(document);
        }
    }

    /// Takes in what somebody else saved about a file, beside what is not saved here: a step that can be taken back.
    fn take_decisions(&mut self, document: usize) {
        let Some(d) = self.document(document) else {
            return;
        };
        let Some(path) = d.sidecar_path() else {
            return;
        };
        let name = d.file_name();
        let (theirs, both) = match elsewhere(&path, d) {
            Ok(Some(read)) => read,
            Ok(None) => return,
            Err(e) => {
                let text = format!("{e}. What is decided here stays");
                let title = "Decisions were saved elsewhere and cannot be read";
                self.notices.push(Notice::error(title, text));
                return;
            }
        };
        let clips = d.asset.clips.iter().enumerate();
        let other = clips.filter(|(k, _)| d.edits.clips[*k] != both.clips[*k]);
        let names: Vec<&str> = other.map(|(_, clip)| clip.name()).collect();
        let text = match names.as_slice() {
            [] => "Nothing changed for what is decided here".to_owned(),
            names => format!("Changed: {}. Undo takes it back here", some_of(names)),
        };
        let command = Command::Restore {
            document,
            edits: Box::new(both),
            what: "Take in what was saved elsewhere".into(),
        };
        self.dispatch(&command, None);
        if let Some(d) = self.document_mut(document) {
            d.saved = theirs;
            d.compare_with_saved();
        }
        let title = format!("Decisions about {name} were saved elsewhere");
        self.notices.push(Notice::warning(title, text));
    }

    /// Takes in a file that was read again: decisions, history, camera and frame stay, all else is made anew.
    pub(super) fn take_reloaded(
        &mut self,
        document: usize,
        stamp: Stamp,
        loaded: Result<Box<(Asset, Wardrobe)>, ImportError>,
    ) {
        let Some(d) = self.document_mut(document) else {
            return;
        };
        d.watched.reading = false;
        d.watched.source.read = Some(stamp);
        match loaded.map(|read| *read) {
            Ok((asset, read)) if asset.source_hash == d.own.source_hash => {
                self.take_read_again(document, read);
            }
            Ok((asset, read)) => {
                d.wardrobe.extend(read);
                self.replace_asset(document, asset);
            }
            Err(e) => {
                let text = format!("{e}. What was read before stays open");
                let notice = Notice::error("A file was written again and cannot be read", text);
                self.notices.push(notice);
            }
        }
    }

    fn replace_asset(&mut self, document: usize, asset: Asset) {
        let stale_before = self.stale_count(document);
        let selected = self.selected.filter(|s| s.document == document);
        let Some(d) = self.document_mut(document) else {
            return;
        };
        let (old, new) = (d.own.clone(), Arc::new(asset));
        let keep = |edits: &Edits| moved(edits, &old, &new);
        d.edits = keep(&d.edits);
        d.saved = keep(&d.saved);
        d.own = new.clone();
        let unread = d.dress();
        d.hash_settings();
        d.compare_with_saved();
        let name = d.file_name();
        self.history.rewrite(document, keep);
        self.forget_work(document);
        if let Some(id) = selected {
            let name = old.clips[id.clip].name();
            let clip = new.clips.iter().position(|c| c.name() == name);
            let clip = clip.unwrap_or(0);
            self.selected = Some(ClipId { document, clip });
        }
        self.recompress_document(document);
        self.read_for(document, unread);
        let stale = self.stale_count(document);
        let text = what_changed(&old, &new, stale.saturating_sub(stale_before));
        let notice = Notice::warning(format!("{name} was exported again"), text);
        self.notices.push(notice);
    }

    pub(super) fn stale_count(&self, document: usize) -> usize {
        let edits = self.document(document).map(|d| &d.edits.clips);
        let clips = edits.into_iter().flatten().enumerate();
        let stale = clips.filter(|(clip, edits)| {
            let id = ClipId {
                document,
                clip: *clip,
            };
            matches!(edits.verdict, Verdict::Approved(_)) && self.is_stale(id)
        });
        stale.count()
    }

    /// Results of a file that is another one now; those that are on their way are not wanted any more.
    pub(super) fn forget_work(&mut self, document: usize) {
        for (_, work) in self
            .work
            .iter_mut()
            .filter(|(id, _)| id.document == document)
        {
            for running in work.running.take().iter().chain(&work.comparing.take()) {
                running.cancel();
            }
            work.serial += 1;
            work.result = None;
            work.buffer = Buffer::default();
            work.error = None;
            work.comparison = None;
        }
        self.sizes.forget(document);
    }
}

/// What stands in a file of decisions, and that with what is not saved here; `None` where it is what was saved here.
fn elsewhere(path: &Path, d: &Document) -> Result<Option<(Edits, Edits)>, SidecarError> {
    let Some(sidecar) = Sidecar::read(path)? else {
        return Ok(None);
    };
    let (theirs, _) = sidecar.edits(path, &d.asset)?;
    if theirs == d.saved {
        return Ok(None);
    }
    let merged = sidecar.with(&d.saved, &d.edits, &d.asset);
    let (both, _) = merged.edits(path, &d.asset)?;
    Ok(Some((theirs, both)))
}

/// One sentence on the clips, and one on approvals.
fn what_changed(old: &Asset, new: &Asset, stale: usize) -> String {
    let find = |asset: &Asset, name: &str| asset.clips.iter().position(|c| c.name() == name);
    let mut changed = Vec::new();
    let mut added = Vec::new();
    for clip in &new.clips {
        match find(old, clip.name()) {
            None => added.push(clip.name()),
            Some(k) if old.clips[k] != *clip => changed.push(clip.name()),
            Some(_) => {}
        }
    }
    let gone = old.clips.iter().map(|c| c.name());
    let gone: Vec<&str> = gone.filter(|name| find(new, name).is_none()).collect();
    let mut parts = Vec::new();
    for (names, word) in [(changed, "changed"), (added, "new"), (gone, "gone")] {
        if !names.is_empty() {
            parts.push(format!("{word}: {}", some_of(&names)));
        }
    }
    if parts.is_empty() {
        parts.push("no clip is another one".into());
    }
    let approvals = match stale {
        0 => String::new(),
        1 => ". 1 approval became stale".into(),
        n => format!(". {n} approvals became stale"),
    };
    format!(
        "{}{approvals}. Settings, camera and frame are kept",
        parts.join("; ")
    )
}

fn some_of(names: &[&str]) -> String {
    const MOST: usize = 4;
    let shown = names
        .iter()
        .take(MOST)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
