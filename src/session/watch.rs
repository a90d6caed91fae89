//! Sources that are exported again while they are open.

use super::buffer::Buffer;
use super::document::{Document, Edits};
use super::notice::Notice;
use super::sidecar::moved;
use super::worker::Request;
use super::{ClipId, Session, Verdict};
use crate::import::ImportError;
use crate::model::Asset;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime};

/// How often files are looked at.
const EVERY: Duration = Duration::from_millis(900);

/// What tells a file from an earlier state of it without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
}

impl Stamp {
    /// `None` while there is no file.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let meta = std::fs::metadata(path).ok()?;
        Some(Self {
            modified: meta.modified().ok(),
            bytes: meta.len(),
        })
    }
}

/// What is known about a document's file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watched {
    /// When it was read last, well or not.
    read: Option<Stamp>,
    /// As seen at the last look: a file is read only when it has stopped changing.
    seen: Option<Stamp>,
    reading: bool,
}

/// A file, and what it looked like when it was read.
type Known = (PathBuf, Option<Stamp>);

/// Wakes the session when a file of it is written again, so that a window need not draw to find out.
pub(super) struct Alarm {
    files: Arc<Mutex<Vec<Known>>>,
}

impl Alarm {
    /// Starts the thread; it ends with the session.
    pub(super) fn new(wake: impl Fn() + Send + 'static) -> Self {
        let files = Arc::new(Mutex::new(Vec::new()));
        let theirs: Weak<Mutex<Vec<Known>>> = Arc::downgrade(&files);
        std::thread::spawn(move || {
            while let Some(files) = theirs.upgrade() {
                let files = files.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let changed = |(path, known): &Known| {
                    Stamp::of(path).is_some_and(|stamp| Some(stamp) != *known)
                };
                if files.iter().any(changed) {
                    wake();
                }
                std::thread::sleep(EVERY);
            }
        });
        Self { files }
    }

    fn set(&self, files: Vec<Known>) {
        *self.files.lock().unwrap_or_else(PoisonError::into_inner) = files;
    }
}

impl Session {
    /// Looks whether open files were written again, at most once a second, and reads those that were and have
    /// stopped changing. To be called when the session wakes somebody, and whenever that is convenient.
    pub fn watch(&mut self, now: Instant) {
        if let Some(last) = self.looked
            && now.saturating_duration_since(last) < EVERY
        {
            return;
        }
        self.looked = Some(now);
        for (k, d) in self.documents.iter_mut().enumerate() {
            let Some(stamp) = Stamp::of(&d.asset.path).filter(|_| d.on_disk) else {
                continue;
            };
            let watched = &mut d.watched;
            let settled = watched.seen.replace(stamp) == Some(stamp);
            if watched.read.is_none() {
                watched.read = Some(stamp);
            } else if watched.read != Some(stamp) && settled && !watched.reading {
                watched.reading = true;
                self.worker
                    .send(Request::Reload(k, d.asset.path.clone(), stamp));
            }
        }
        let files = self.documents.iter().filter(|d| d.on_disk);
        let known = files.map(|d| (d.asset.path.clone(), d.watched.read));
        self.alarm.set(known.collect());
    }

    /// Remembers what a file looked like before it was read.
    pub(super) fn loaded_at(document: &mut Document, stamp: Option<Stamp>) {
        document.watched.read = stamp;
    }

    /// Takes in a file that was read again: decisions, history, camera and frame stay, all else is made anew.
    pub(super) fn take_reloaded(
        &mut self,
        document: usize,
        stamp: Stamp,
        loaded: Result<Box<Asset>, ImportError>,
    ) {
        let Some(d) = self.documents.get_mut(document) else {
            return;
        };
        d.watched.reading = false;
        d.watched.read = Some(stamp);
        match loaded {
            Ok(asset) if asset.source_hash == d.asset.source_hash => {}
            Ok(asset) => self.replace_asset(document, *asset),
            Err(e) => {
                let text = format!("{e}. What was read before stays open");
                let notice = Notice::error("A file was written again and cannot be read", text);
                self.notices.push(notice);
            }
        }
    }

    fn replace_asset(&mut self, document: usize, asset: Asset) {
        let d = &self.documents[document];
        let (old, new) = (d.asset.clone(), std::sync::Arc::new(asset));
        let stale_before = self.stale_count(document);
        let selected = self.selected.filter(|s| s.document == document);
        let keep = |edits: &Edits| moved(edits, &old, &new);
        let d = &mut self.documents[document];
        d.edits = keep(&d.edits);
        d.saved = keep(&d.saved);
        d.asset = new.clone();
        d.hash_settings();
        self.history.rewrite(document, keep);
        self.forget_work(document);
        if let Some(id) = selected {
            let name = old.clips[id.clip].name();
            let clip = new.clips.iter().position(|c| c.name() == name);
            let clip = clip.unwrap_or(0);
            self.selected = Some(ClipId { document, clip });
        }
        self.recompress_document(document);
        let stale = self.stale_count(document);
        let text = what_changed(&old, &new, stale.saturating_sub(stale_before));
        let name = self.documents[document].file_name();
        let notice = Notice::warning(format!("{name} was exported again"), text);
        self.notices.push(notice);
    }

    fn stale_count(&self, document: usize) -> usize {
        let clips = self.documents[document].edits.clips.iter().enumerate();
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
    fn forget_work(&mut self, document: usize) {
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
    }
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
