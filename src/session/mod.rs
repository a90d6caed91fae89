//! The open files, what was decided about them, and the work that follows. No window here.
//!
//! A [`Session`] owns the documents. A [`Command`] is the only way to change one; every command can be
//! taken back. After a change the clip is compressed and measured again by a worker, and
//! [`Session::poll`] takes the result in. What the window shows is always the last finished result, with
//! the bytes, errors and curves of that very result.

mod abx;
mod approved;
mod batch;
mod buffer;
mod byte_budget;
pub mod bytes;
mod characters;
mod command;
mod comparison;
mod contact_edit;
mod curves;
mod document;
mod documents;
mod export;
mod exporting;
mod folder;
mod history;
mod importance_edit;
mod notice;
mod opening;
mod over_target;
mod preset;
mod prices;
mod prober;
mod recovery;
mod renumbered;
mod result;
mod saving;
mod sidecar;
mod size_curve;
mod sizes;
mod trajectory;
mod transport;
mod tuning;
pub mod units;
mod verdict;
mod watch;
mod worker;

pub use abx::{BlindButton, BlindRun, BlindTest, ByEye, TRIALS, Threshold, Who, by_guessing};
pub use approved::Figures;
pub use batch::Standing;
pub use buffer::BufferUse;
pub use byte_budget::{ByteBudget, Fitted, Tried};
pub use characters::{
    CharacterFile, Worn, character_folder, character_name, characters_hash, wear,
};
pub use command::{Change, Command};
pub use comparison::{Compared, Comparison};
pub use contact_edit::{ContactEdit, added_contact, edited_contacts, placed_contact};
pub use curves::{CurveKey, Curves};

pub use document::{ClipEdits, ClipId, Document, Edits, FrameNote};
pub use export::{
    Destination, ExportError, ExportItem, ExportPlan, ExportReport, ExportedClip, ExportedFile,
    export, hex,
};
pub use exporting::PlannedFile;
pub use folder::{Listing, MAX_DEPTH, MAX_FILES, clip_files, is_clip_file};
pub use history::Gesture;
pub use importance_edit::painted_importance;
pub use notice::{Notice, NoticeKind};
pub use over_target::{Missed, OverTarget, figure};
pub use preset::{Preset, PresetError};
pub use prices::Price;
pub use recovery::{Recoverable, state_folder};
pub use renumbered::Renumbered;
pub use result::ClipResult;
pub use sidecar::{
    SaveDecisionsError, Sidecar, SidecarError, save_decisions, settings_hash, settings_of_text,
    settings_text,
};
pub use size_curve::{JointCost, JointShare, SizeCurve, SizePoint};
pub use trajectory::Trajectory;
pub use transport::{Direction, Transport};
pub use tuning::{branch_rule, mirrored_rule, mirrored_settings, reset_joints};
pub use verdict::{Changed, Judged, Measure, Verdict};
pub use worker::panic_text;

use crate::codec::{CodecError, Control, Quality};
use crate::model::{Asset, Clip};
use buffer::Turn;
use history::History;
use opening::warnings;
use prices::Prices;
use sizes::Sizes;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use watch::Alarm;
use worker::{CompressJob, Response, Worker};

/// What the last request for a clip came to.
#[derive(Default)]
struct ClipWork {
    serial: u64,
    running: Option<Control>,
    result: Option<Arc<ClipResult>>,
    buffer: buffer::Buffer,
    error: Option<CodecError>,
    comparing: Option<Control>,
    comparison: Option<Arc<Comparison>>,
    prices: Option<Prices>,
}

/// Everything that is open.
pub struct Session {
    documents: Vec<Document>,
    work: HashMap<ClipId, ClipWork>,
    /// Of the next file that is opened.
    next_number: usize,
    history: History,
    worker: Worker,
    notices: Vec<Notice>,
    loading: Vec<PathBuf>,
    opening: opening::Opening,
    /// By the hash of the bytes.
    approved_figures: HashMap<[u8; 32], Figures>,
    exporting: Option<Control>,
    last_export: Option<ExportReport>,
    export_error: Option<String>,
    selected: Option<ClipId>,
    autosave: Option<recovery::Autosave>,
    recovery: recovery::Recovery,
    /// When files were looked at last.
    looked: Option<Instant>,
    alarm: Alarm,
    sizes: Sizes,
}

impl Session {
    /// An empty session; `wake` is called from another thread whenever [`Session::poll`] has news.
    pub fn new(wake: impl Fn() + Send + 'static) -> Self {
        let wake = Arc::new(Mutex::new(wake));
        let (woken, probed) = (wake.clone(), wake.clone());
        let wake = move || wake.lock().unwrap_or_else(PoisonError::into_inner)();
        let probed = move || probed.lock().unwrap_or_else(PoisonError::into_inner)();
        let alarm = move || woken.lock().unwrap_or_else(PoisonError::into_inner)();
        Self {
            documents: Vec::new(),
            next_number: 0,
            work: HashMap::new(),
            history: History::default(),
            worker: Worker::new(wake),
            alarm: Alarm::new(alarm),
            sizes: Sizes::new(probed),
            notices: Vec::new(),
            loading: Vec::new(),
            opening: opening::Opening::default(),
            approved_figures: HashMap::new(),
            exporting: None,
            last_export: None,
            export_error: None,
            selected: None,
            autosave: None,
            recovery: recovery::Recovery::default(),
            looked: None,
        }
    }

    /// Adds a file that is loaded already, selects its first clip and compresses all of them. Decisions about it
    /// are not kept: it may be none on the disk.
    pub fn add(&mut self, asset: Asset) {
        self.add_document(Document::new(asset));
    }

    /// As [`Session::add`]; what is odd about the file becomes notices. Returns the document's number.
    fn add_document(&mut self, added: Document) -> usize {
        let warnings = warnings(&added.asset).map(|i| Notice::warning(&i.place, &i.text));
        self.notices.extend(warnings);
        self.push_document(added, true)
    }

    /// The open files, in the order of opening. The place in it is not a file's number: see [`Session::document`].
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// The selected clip; `None` only while nothing is open.
    pub fn selected(&self) -> Option<ClipId> {
        self.selected
    }

    /// Selects a clip and moves its compression, if it still waits, to the front.
    pub fn select(&mut self, id: ClipId) {
        if self.clip(id).is_none() || self.selected == Some(id) {
            return;
        }
        self.selected = Some(id);
        if self.is_busy(id) {
            self.recompress(id, Quality::Full);
        }
    }

    /// A clip of an open file.
    pub fn clip(&self, id: ClipId) -> Option<&Arc<Clip>> {
        self.document(id.document)?.clip(id.clip)
    }

    /// Metres of one unit of a clip's file.
    pub fn unit_m(&self, id: ClipId) -> Option<f64> {
        Some(self.document(id.document)?.edits.unit_m)
    }

    /// What was decided about a clip.
    pub fn edits(&self, id: ClipId) -> Option<&ClipEdits> {
        let clips = &self.document(id.document)?.edits.clips;
        clips.get(id.clip).map(|edits| &**edits)
    }

    /// All clips of all files.
    pub fn clip_ids(&self) -> impl Iterator<Item = ClipId> + '_ {
        self.documents.iter().flat_map(|d| {
            let document = d.number;
            (0..d.asset.clips.len()).map(move |clip| ClipId { document, clip })
        })
    }

    /// The last finished result of a clip.
    pub fn result(&self, id: ClipId) -> Option<&Arc<ClipResult>> {
        self.work.get(&id)?.result.as_ref()
    }

    /// Why the last try to compress a clip failed, if it did.
    pub fn error(&self, id: ClipId) -> Option<&CodecError> {
        self.work.get(&id)?.error.as_ref()
    }

    /// Whether a newer result of a clip is on its way.
    pub fn is_busy(&self, id: ClipId) -> bool {
        self.work.get(&id).is_some_and(|w| w.running.is_some())
    }

    /// How far the newest result of a clip is, in `[0, 1]`.
    pub fn progress(&self, id: ClipId) -> Option<f32> {
        self.work.get(&id)?.running.as_ref().map(Control::progress)
    }

    /// Number of clips that still wait or run.
    pub fn busy_clips(&self) -> usize {
        self.work.values().filter(|w| w.running.is_some()).count()
    }

    /// Files that are being loaded.
    pub fn loading(&self) -> &[PathBuf] {
        &self.loading
    }

    /// Applies a command as one undo step; those of one gesture (a drag) share a step.
    pub fn dispatch(&mut self, command: &Command, gesture: Option<Gesture>) {
        self.apply(std::slice::from_ref(command), command.name(), gesture);
    }

    /// Stops the compression of a clip; its figures stay those of the settings before, and it cannot be
    /// approved until [`Session::retry`] or a change compresses it again.
    pub fn cancel(&mut self, id: ClipId) {
        self.cancel_all(&[id]);
    }

    /// Compresses a clip again, after it failed or was cancelled.
    pub fn retry(&mut self, id: ClipId) {
        self.recompress(id, Quality::Full);
    }

    /// Takes the last step back.
    pub fn undo(&mut self) {
        let turn = Turn::of_step(self.undo_name());
        for (document, before) in self.history.undo(&mut self.documents) {
            self.follow(document, &before, turn);
        }
    }

    /// Does the last step that was taken back again.
    pub fn redo(&mut self) {
        let turn = Turn::of_step(self.redo_name());
        for (document, before) in self.history.redo(&mut self.documents) {
            self.follow(document, &before, turn);
        }
    }

    /// A number that becomes another one whenever undo would take back something else.
    pub fn revision(&self) -> u64 {
        self.history.revision()
    }

    /// What undo would take back.
    pub fn undo_name(&self) -> Option<&str> {
        self.undo_names().next()
    }

    /// What undo would take back when asked again and again, the last step first.
    pub fn undo_names(&self) -> impl Iterator<Item = &str> {
        self.history.undo_names()
    }

    /// What redo would do again.
    pub fn redo_name(&self) -> Option<&str> {
        self.history.redo_name()
    }

    /// Messages for the person, oldest first.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// Adds a message.
    pub fn notify(&mut self, notice: Notice) {
        self.notices.push(notice);
    }

    /// Takes a message away.
    pub fn dismiss(&mut self, index: usize) {
        if index < self.notices.len() {
            self.notices.remove(index);
        }
    }

    /// Takes in what the worker finished. Returns whether anything changed.
    pub fn poll(&mut self) -> bool {
        let mut changed = false;
        while let Some(response) = self.worker.poll() {
            self.take(response);
            changed = true;
        }
        self.measure_sizes() || changed
    }

    fn take(&mut self, response: Response) {
        match response {
            Response::Scanned(group, folder, listing) => self.take_scanned(group, &folder, listing),
            Response::Loaded(path, group, loaded) => self.take_loaded(&path, group, loaded),
            Response::Reloaded(document, stamp, loaded) => {
                self.take_reloaded(document, stamp, loaded);
            }
            Response::Characters(document, read, wanted) => {
                self.take_characters(document, read, &wanted);
            }
            Response::Compressed(id, serial, result) => self.take_result(id, serial, result),
            Response::Compared(id, compared) => self.take_comparison(id, compared),
            Response::Priced(id, serial, change, price) => {
                self.take_price(id, serial, &change, price);
            }
            Response::Exported(Ok(report)) => {
                self.exporting = None;
                self.notices
                    .push(Notice::success("Exported", report.summary()));
                self.last_export = Some(report);
            }
            Response::Exported(Err(e)) => {
                self.exporting = None;
                let text = format!("{e}. What was written before stays");
                let notice = Notice::error("The export ended early", &text);
                self.notices.push(notice);
                self.export_error = Some(text);
            }
            Response::Panicked(what, message) => {
                if self.exporting.take().is_some() {
                    self.export_error = Some(message.clone());
                }
                self.cancel_opening();
                self.loading.clear();
                for work in self.work.values_mut() {
                    work.running = None;
                    work.comparing = None;
                    work.prices = None;
                }
                let text = format!("{message}. Your work is kept; please report this");
                self.notices.push(Notice::error(
                    format!("An internal fault while {what}"),
                    text,
                ));
            }
        }
    }

    fn take_result(
        &mut self,
        id: ClipId,
        serial: u64,
        result: Result<Box<ClipResult>, CodecError>,
    ) {
        let Some(work) = self.work.get_mut(&id) else {
            return;
        };
        match result {
            Ok(result) if result.quality == Quality::Draft => {
                if work.running.is_none() {
                    return;
                }
                // Also an outdated draft is shown: the next one is on its way.
                work.error = None;
                work.result = Some(Arc::from(result));
                if work.serial == serial {
                    self.recompress(id, Quality::Full);
                }
            }
            _ if work.serial != serial => {}
            Ok(result) => {
                work.running = None;
                work.error = None;
                work.result = Some(Arc::from(result));
                self.note_approved(id);
            }
            // A background job that made way for an urgent one runs again under the same number.
            Err(CodecError::Cancelled) => {}
            Err(e) => {
                work.running = None;
                work.error = Some(e);
            }
        }
    }

    /// Compresses again whatever a change of a document's edits concerns.
    fn follow(&mut self, document: usize, before: &Edits, turn: Turn) {
        let Some(d) = self.document_mut(document) else {
            return;
        };
        d.compare_with_saved();
        let now = &d.edits;
        let unit_changed = now.unit_m != before.unit_m;
        let differs = |k: usize| {
            let (now, before) = (&now.clips[k], &before.clips[k]);
            now.settings != before.settings || now.contacts != before.contacts
        };
        let changed: Vec<usize> = (0..now.clips.len())
            .filter(|&k| unit_changed || differs(k))
            .collect();
        for &clip in &changed {
            d.hash_settings_of(clip);
        }
        if self.document(document).map(|d| &d.edits.characters) != Some(&before.characters) {
            self.dress(document);
            return;
        }
        for clip in changed {
            let before = (&*before.clips[clip], before.unit_m);
            self.turn(ClipId { document, clip }, before, turn);
        }
    }

    fn recompress_document(&mut self, document: usize) {
        let clips = self.document(document).map_or(0, |d| d.asset.clips.len());
        for clip in 0..clips {
            let id = ClipId { document, clip };
            self.recompress(id, Quality::Full);
        }
    }

    fn recompress(&mut self, id: ClipId, quality: Quality) {
        let Some(mut job) = self.job(id, quality) else {
            return;
        };
        self.drop_prices(id);
        self.sizes.hold();
        let work = self.work.entry(id).or_default();
        work.serial += 1;
        work.running = Some(job.control.clone());
        job.serial = work.serial;
        self.worker.compress(job, self.selected == Some(id));
    }

    /// A clip with what it is to be compressed with now.
    fn job(&self, id: ClipId, quality: Quality) -> Option<CompressJob> {
        let d = self.document(id.document)?;
        Some(CompressJob {
            id,
            serial: 0,
            clip: self.clip(id)?.clone(),
            unit_m: d.edits.unit_m,
            source_hash: d.asset.source_hash,
            settings: self.edits(id)?.settings.clone(),
            contacts: self.edits(id)?.contacts.clone(),
            known: self.result(id).cloned(),
            quality,
            control: Control::default(),
        })
    }
}
