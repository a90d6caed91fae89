//! Unsaved decisions are written aside every now and then, and offered again after a crash.

use super::document::{Document, Edits};
use super::notice::Notice;
use super::sidecar::{Sidecar, pretty};
use super::worker::LoadJob;
use super::{Command, Session};
use crate::storage::{Orphan, Slots};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A change is written aside after this time.
const AFTER: Duration = Duration::from_secs(10);

/// Largest slot that is read.
const MAX_BYTES: u64 = 16 << 20;

/// Where unsaved decisions go, and what of them is there.
pub(super) struct Autosave {
    slots: Slots,
    /// What the slots of documents hold, by their numbers.
    written: HashMap<usize, Edits>,
    /// When something was found that no slot holds.
    since: Option<Instant>,
    failed: bool,
}

/// Decisions about a file that a program left when it crashed.
pub struct Recoverable {
    /// The source.
    pub source: PathBuf,
    sidecar: Sidecar,
    slot: PathBuf,
    orphan: usize,
}

/// What a crash left.
#[derive(Default)]
pub(super) struct Recovery {
    orphans: Vec<Orphan>,
    pub(super) offers: Vec<Recoverable>,
    /// Slots whose decisions are on their way into a document.
    taken: Vec<(PathBuf, PathBuf, usize)>,
}

/// The folder in which a program keeps what is not the person's own file; `None` where the system names none.
pub fn state_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty());
    let set = |name: &str| set(name).map(PathBuf::from);
    if cfg!(windows) {
        return set("LOCALAPPDATA").map(|p| p.join("Posepress"));
    }
    if cfg!(target_os = "macos") {
        return set("HOME").map(|p| p.join("Library/Application Support/Posepress"));
    }
    let state = set("XDG_STATE_HOME").filter(|p| p.is_absolute());
    let state = state.or_else(|| set("HOME").map(|p| p.join(".local/state")));
    state.map(|p| p.join("posepress"))
}

impl Session {
    /// Writes unsaved decisions aside from now on, below `folder`, and looks for what a crash left there: see
    /// [`Session::recoverable`]. A notice says where that does not work.
    pub fn keep_safe(&mut self, folder: &Path) {
        let root = folder.join("unsaved");
        self.find_orphans(&root);
        match Slots::open(&root) {
            Ok(slots) => {
                self.autosave = Some(Autosave {
                    slots,
                    written: HashMap::new(),
                    since: None,
                    failed: false,
                });
            }
            Err(e) => {
                let text = format!("{}: {e}. Save often (Ctrl+S)", root.display());
                self.notify(Notice::warning("Nothing is kept safe from a crash", text));
            }
        }
    }

    fn find_orphans(&mut self, root: &Path) {
        for mut orphan in Slots::orphans(root) {
            let k = self.recovery.orphans.len();
            for slot in orphan.slots().to_vec() {
                match read_slot(&slot) {
                    Ok((source, sidecar)) => self.recovery.offers.push(Recoverable {
                        source,
                        sidecar,
                        slot,
                        orphan: k,
                    }),
                    Err(text) => {
                        let aside = orphan.put_aside(&slot);
                        let text = format!("{text}. It is put aside as {}", aside.display());
                        self.notices
                            .push(Notice::warning("Something cannot be recovered", text));
                    }
                }
            }
            self.recovery.orphans.push(orphan);
        }
    }

    /// Decisions that a crash left, to be recovered or discarded.
    pub fn recoverable(&self) -> &[Recoverable] {
        &self.recovery.offers
    }

    /// Opens all files about which a crash left decisions, and puts those in force; saved they are not. What the
    /// crash left goes when this program keeps the same safe.
    pub fn recover(&mut self) {
        for offer in std::mem::take(&mut self.recovery.offers) {
            let taken = (offer.source.clone(), offer.slot, offer.orphan);
            self.recovery.taken.push(taken);
            if self.recover_open(&offer.source, &offer.sidecar) {
                continue;
            }
            self.loading.push(offer.source.clone());
            self.worker.load(LoadJob {
                path: offer.source,
                left: Some(offer.sidecar),
                group: None,
            });
        }
    }

    /// Where the file is open already, its decisions are put in force there. Returns whether it is.
    fn recover_open(&mut self, source: &Path, sidecar: &Sidecar) -> bool {
        let same = |path: &Path| std::path::absolute(path).is_ok_and(|p| p == source);
        let mut open = self.documents.iter();
        let Some(d) = open.find(|d| d.on_disk && same(&d.asset.path)) else {
            return false;
        };
        let (document, asset) = (d.number, d.asset.clone());
        match sidecar.edits(source, &asset) {
            Ok((edits, _)) => self.take_recovered(document, edits),
            Err(e) => {
                let notice = Notice::error("Something cannot be recovered", e.to_string());
                self.notify(notice);
            }
        }
        true
    }

    /// Throws away what a crash left.
    pub fn discard_recoverable(&mut self) {
        for offer in std::mem::take(&mut self.recovery.offers) {
            self.recovery.orphans[offer.orphan].remove(&offer.slot);
        }
    }

    /// Puts recovered decisions in force, as a step that can be taken back.
    pub(super) fn take_recovered(&mut self, document: usize, edits: Edits) {
        let command = Command::Restore {
            document,
            edits: Box::new(edits),
            what: "Recover".into(),
        };
        self.dispatch(&command, None);
        let kept = self.autosave_now();
        let Some(path) = self.document(document).map(|d| &d.asset.path) else {
            return;
        };
        let source = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let mut taken = std::mem::take(&mut self.recovery.taken);
        taken.retain(|(path, slot, orphan)| {
            let done = kept && *path == source;
            if done {
                self.recovery.orphans[*orphan].remove(slot);
            }
            !done
        });
        self.recovery.taken = taken;
    }

    /// Writes unsaved decisions aside when it is time, but not while a person drags something (`dragging`).
    /// Returns after how long this should be asked again; `None` when there is nothing to do until a change.
    pub fn autosave(&mut self, now: Instant, dragging: bool) -> Option<Duration> {
        self.forget_saved();
        let unsafe_now = self.is_unsafe();
        let autosave = self.autosave.as_mut()?;
        if !unsafe_now {
            autosave.since = None;
            return None;
        }
        let since = *autosave.since.get_or_insert(now);
        let left = AFTER.saturating_sub(now.saturating_duration_since(since));
        if !left.is_zero() {
            return Some(left);
        }
        if dragging {
            return Some(Duration::from_millis(500));
        }
        autosave.since = Some(now);
        if self.autosave_now() {
            return None;
        }
        Some(AFTER)
    }

    /// Writes what is unsaved aside at once: the program is about to end otherwise than well. Returns whether nothing
    /// of it is lost then.
    pub fn keep_aside(&mut self) -> bool {
        self.autosave_now() || !self.is_dirty()
    }

    /// Whether a slot does not hold what is unsaved.
    fn is_unsafe(&self) -> bool {
        let written = |d: &Document| self.autosave.as_ref()?.written.get(&d.number);
        let mut dirty = self.documents.iter().filter(|d| d.is_dirty());
        dirty.any(|d| written(d) != Some(&d.edits))
    }

    /// Takes away what was written aside about files that have nothing unsaved: nothing of it is offered again.
    pub(super) fn forget_saved(&mut self) {
        let Some(autosave) = &mut self.autosave else {
            return;
        };
        for d in self.documents.iter().filter(|d| !d.is_dirty()) {
            if autosave.written.remove(&d.number).is_some() {
                autosave.slots.remove(&d.number.to_string());
            }
        }
    }

    /// Brings all slots up to date. Returns whether they are.
    fn autosave_now(&mut self) -> bool {
        self.forget_saved();
        let Some(autosave) = &mut self.autosave else {
            return false;
        };
        let mut failure = None;
        for d in self.documents.iter().filter(|d| d.is_dirty()) {
            let name = d.number.to_string();
            if autosave.written.get(&d.number) != Some(&d.edits) {
                let text = slot_text(&d.asset.path, &Sidecar::of(&d.edits, &d.asset));
                match autosave.slots.write(&name, text.as_bytes()) {
                    Ok(()) => {
                        autosave.written.insert(d.number, d.edits.clone());
                    }
                    Err(e) => failure = Some(e),
                }
            }
        }
        autosave.since = None;
        let failed_before = std::mem::replace(&mut autosave.failed, failure.is_some());
        let Some(e) = failure else {
            return true;
        };
        if !failed_before {
            let text = format!("{e}. Save often (Ctrl+S)");
            self.notify(Notice::warning("Your work is not kept safe", text));
        }
        false
    }

    /// Forgets what was written aside about a file that is closed.
    pub(super) fn forget_kept_safe(&mut self, document: usize) {
        if let Some(autosave) = &mut self.autosave
            && autosave.written.remove(&document).is_some()
        {
            autosave.slots.remove(&document.to_string());
        }
    }

    /// Forgets what was written aside: all is saved, or meant to be lost.
    pub fn close_safely(&mut self) {
        if let Some(autosave) = self.autosave.take() {
            autosave.slots.close();
        }
    }
}

fn slot_text(source: &Path, sidecar: &Sidecar) -> String {
    let source = std::path::absolute(source).unwrap_or_else(|_| source.to_owned());
    pretty(&json!({ "source": source.to_string_lossy(), "decisions": sidecar.value() }))
}

fn read_slot(slot: &Path) -> Result<(PathBuf, Sidecar), String> {
    let length = std::fs::metadata(slot).map_or(0, |m| m.len());
    if length > MAX_BYTES {
        return Err("it is too large".into());
    }
    let bytes = std::fs::read(slot).map_err(|e| e.to_string())?;
    let value: Value = serde_json::from_slice(&bytes).map_err(|e| e.to_string())?;
    let source = value.get("source").and_then(Value::as_str);
    let (Some(source), Some(decisions)) = (source, value.get("decisions")) else {
        return Err("it names no source or no decisions".into());
    };
    let sidecar = Sidecar::parse(slot, decisions.to_string().as_bytes());
    Ok((PathBuf::from(source), sidecar.map_err(|e| e.to_string())?))
}
