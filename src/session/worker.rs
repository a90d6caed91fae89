//! One thread that does what takes long, in the order of urgency, so that the window never waits.

use super::characters::{Wardrobe, character_folder, read_characters};
use super::command::Change;
use super::comparison::Comparison;
use super::document::{ClipId, Edits};
use super::export::{ExportError, ExportPlan, ExportReport, export};
use super::folder::{Listing, clip_files};
use super::prices::Price;
use super::result::ClipResult;
use super::sidecar::{Sidecar, SidecarError};
use super::watch::{Stamp, Watched};
use crate::codec::{CodecError, Control, Encoder, Quality, Settings};
use crate::import::{self, ImportError, LoadOptions};
use crate::metrics::{Contact, Contacts, Footing};
use crate::model::{Asset, Clip};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Encoders kept for clips that were compressed last; each holds the samples of its clip.
const KEPT_ENCODERS: usize = 4;

/// A clip to be compressed.
#[derive(Clone)]
pub(super) struct CompressJob {
    pub id: ClipId,
    /// Grows with every change; an answer with an older number than the newest is dropped.
    pub serial: u64,
    pub clip: Arc<Clip>,
    pub unit_m: f64,
    pub source_hash: [u8; 32],
    pub settings: Settings,
    /// As a person set them; `None` for those that are found.
    pub contacts: Option<Vec<Contact>>,
    /// The clip's last result, whatever it was made with.
    pub known: Option<Arc<ClipResult>>,
    pub quality: Quality,
    pub control: Control,
}

/// A file to be read.
pub(super) struct LoadJob {
    pub path: PathBuf,
    /// Decisions to put in force that a crash left.
    pub left: Option<Sidecar>,
    /// The files with which it is opened; `None` for one that a person waits for.
    pub group: Option<u64>,
}

/// What the worker is asked for.
pub(super) enum Request {
    Load(LoadJob),
    /// Find the files below a folder, for a group of files.
    Scan(u64, PathBuf, Control),
    /// A document's file, or a character of it, was written again; with the paths of those.
    Reload(usize, PathBuf, Vec<String>, Stamp),
    /// Read characters of a document, whose folder this is.
    Characters {
        document: usize,
        folder: PathBuf,
        paths: Vec<String>,
        /// The files that a person wants added to those that it has; none where they are decided already.
        wanted: Vec<PathBuf>,
    },
    Compress(CompressJob),
    /// The same clip in all codecs.
    Compare(CompressJob),
    /// A clip with a change that is not made yet.
    Price(CompressJob, Change),
    Export(Box<ExportPlan>, Control),
}

/// What it answers.
pub(super) enum Response {
    /// Of the group of files that it was asked for with.
    Loaded(PathBuf, Option<u64>, Result<Box<Loaded>, ImportError>),
    Scanned(u64, PathBuf, Listing),
    Reloaded(usize, Stamp, Result<Box<(Asset, Wardrobe)>, ImportError>),
    Characters(usize, Wardrobe, Vec<PathBuf>),
    Compressed(ClipId, u64, Result<Box<ClipResult>, CodecError>),
    Compared(ClipId, Result<Box<Comparison>, CodecError>),
    Priced(ClipId, u64, Box<Change>, Result<Price, CodecError>),
    Exported(Result<ExportReport, ExportError>),
    /// A job panicked: what it was, and the message.
    Panicked(String, String),
}

/// A source with what was decided about it before.
pub(super) struct Loaded {
    pub asset: Asset,
    /// With sentences about what the file has no place for.
    pub decided: Result<Option<(Edits, Vec<String>)>, SidecarError>,
    /// What a crash left.
    pub left: Option<Result<Edits, SidecarError>>,
    /// What the files looked like when they were read.
    pub watched: Watched,
    /// Where it lies when links are followed.
    pub place: Option<PathBuf>,
    /// Those of all decisions.
    pub characters: Wardrobe,
}

impl Loaded {
    /// `stamp` is that of the file before it was read.
    fn new(asset: Asset, stamp: Option<Stamp>, left: Option<Sidecar>) -> Self {
        let path = Sidecar::path_of(&asset.path);
        let source = match asset.parts.as_slice() {
            [] => stamp,
            // Which parts there are is known only now.
            _ => Stamp::of_source(&asset, &Wardrobe::new()),
        };
        let decided = Sidecar::read(&path)
            .and_then(|sidecar| sidecar.map(|s| s.edits(&path, &asset)).transpose());
        let left = left.map(|s| s.edits(&path, &asset).map(|(edits, _)| edits));
        let known = decided.as_ref().ok().and_then(Option::as_ref);
        let edits = known.map(|(edits, _)| edits);
        let edits = edits.into_iter().chain(left.iter().flatten());
        let paths = edits.flat_map(|e| e.characters.iter().map(|c| c.path.as_str()));
        let characters = read_characters(&character_folder(&asset.path), paths);
        let source = if characters.is_empty() {
            source
        } else {
            Stamp::of_source(&asset, &characters)
        };
        let watched = Watched::read(source, Stamp::of(std::slice::from_ref(&path)));
        Self {
            place: std::fs::canonicalize(&asset.path).ok(),
            asset,
            decided,
            left,
            watched,
            characters,
        }
    }
}

#[derive(Default)]
struct Queue {
    urgent: VecDeque<Request>,
    /// Files of groups: after what a person waits for, before clips that nobody looks at.
    files: VecDeque<LoadJob>,
    background: VecDeque<CompressJob>,
    running: Option<CompressJob>,
    running_is_background: bool,
    closed: bool,
}

impl Queue {
    fn forget_compressing(&mut self, clips: impl Fn(ClipId) -> bool) {
        self.background.retain(|j| !clips(j.id));
        self.urgent
            .retain(|r| !matches!(r, Request::Compress(j) if clips(j.id)));
        if let Some(running) = self.running.as_ref().filter(|j| clips(j.id)) {
            running.control.cancel();
        }
    }
}

/// The thread and its queue. Dropping it cancels what runs and ends the thread.
pub(super) struct Worker {
    shared: Arc<(Mutex<Queue>, Condvar)>,
    responses: Receiver<Response>,
}

impl Worker {
    /// Starts the thread; `wake` is called after every answer.
    pub(super) fn new(wake: impl Fn() + Send + 'static) -> Self {
        let shared = Arc::new((Mutex::new(Queue::default()), Condvar::new()));
        let (sender, responses) = channel();
        let theirs = shared.clone();
        std::thread::spawn(move || run(&theirs, &sender, &wake));
        Self { shared, responses }
    }

    /// The next answer, if there is one.
    pub(super) fn poll(&self) -> Option<Response> {
        self.responses.try_recv().ok()
    }

    /// Queues something that a person waits for.
    pub(super) fn send(&self, request: Request) {
        self.with_queue(|q| q.urgent.push_back(request));
    }

    /// Queues a clip, in place of any older request for it. An urgent one goes before all others, and
    /// before a background job that runs.
    pub(super) fn compress(&self, job: CompressJob, urgent: bool) {
        self.with_queue(|q| {
            q.background.retain(|j| j.id != job.id);
            q.urgent
                .retain(|r| !matches!(r, Request::Compress(j) if j.id == job.id));
            if let Some(running) = &q.running {
                if running.id == job.id {
                    // A draft is let finish: a slider that never rests would never show a result.
                    if running.quality == Quality::Full {
                        running.control.cancel();
                    }
                } else if urgent && q.running_is_background {
                    running.control.cancel();
                    let again = CompressJob {
                        control: Control::default(),
                        ..running.clone()
                    };
                    q.background.push_front(again);
                    q.running = None;
                }
            }
            if urgent {
                q.urgent.push_front(Request::Compress(job));
            } else {
                q.background.push_back(job);
            }
        });
    }

    /// Queues a file.
    pub(super) fn load(&self, job: LoadJob) {
        self.with_queue(|q| match job.group {
            Some(_) => q.files.push_back(job),
            None => q.urgent.push_back(Request::Load(job)),
        });
    }

    /// Takes the files of all groups out of the queue.
    pub(super) fn forget_loads(&self) {
        self.with_queue(|q| q.files.clear());
    }

    /// Takes compressions of some clips out of the queue, and stops one that runs.
    pub(super) fn forget_compressing(&self, clips: impl Fn(ClipId) -> bool) {
        self.with_queue(|q| q.forget_compressing(&clips));
    }

    /// Takes all that is about some clips out of the queue; what runs is stopped.
    pub(super) fn forget_clips(&self, clips: impl Fn(ClipId) -> bool) {
        self.with_queue(|q| {
            q.forget_compressing(&clips);
            q.urgent.retain(|r| match r {
                Request::Compare(job) | Request::Price(job, _) => !clips(job.id),
                Request::Reload(document, ..) => !clips(ClipId {
                    document: *document,
                    clip: 0,
                }),
                _ => true,
            });
        });
    }

    fn with_queue(&self, change: impl FnOnce(&mut Queue)) {
        let (mutex, condition) = &*self.shared;
        change(&mut mutex.lock().unwrap_or_else(PoisonError::into_inner));
        condition.notify_all();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.with_queue(|q| {
            q.closed = true;
            if let Some(running) = &q.running {
                running.control.cancel();
            }
        });
    }
}

fn run(shared: &(Mutex<Queue>, Condvar), sender: &Sender<Response>, wake: &dyn Fn()) {
    let mut kept: Vec<Kept> = Vec::new();
    while let Some(request) = next(shared) {
        let what = match &request {
            Request::Load(LoadJob { path, .. }) | Request::Reload(_, path, ..) => {
                format!("loading {}", path.display())
            }
            Request::Characters { .. } => "loading characters".to_owned(),
            Request::Scan(_, path, _) => format!("looking into {}", path.display()),
            Request::Compress(job) => format!("compressing {}", job.clip.name()),
            Request::Compare(job) => format!("comparing codecs of {}", job.clip.name()),
            Request::Price(job, _) => format!("finding a price of {}", job.clip.name()),
            Request::Export(..) => "exporting".to_owned(),
        };
        let done = catch_unwind(AssertUnwindSafe(|| serve(request, &mut kept)));
        let response = done.unwrap_or_else(|panic| {
            kept.clear();
            Response::Panicked(what, panic_text(&*panic))
        });
        let (mutex, _) = shared;
        mutex.lock().unwrap_or_else(PoisonError::into_inner).running = None;
        if sender.send(response).is_err() {
            return;
        }
        wake();
    }
}

fn next(shared: &(Mutex<Queue>, Condvar)) -> Option<Request> {
    let (mutex, condition) = shared;
    let mut queue = mutex.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if queue.closed {
            return None;
        }
        if let Some(request) = queue.urgent.pop_front() {
            queue.running_is_background = false;
            if let Request::Compress(job) = &request {
                queue.running = Some(job.clone());
            }
            return Some(request);
        }
        if let Some(job) = queue.files.pop_front() {
            queue.running_is_background = false;
            return Some(Request::Load(job));
        }
        if let Some(job) = queue.background.pop_front() {
            queue.running_is_background = true;
            queue.running = Some(job.clone());
            return Some(Request::Compress(job));
        }
        queue = condition
            .wait(queue)
            .unwrap_or_else(PoisonError::into_inner);
    }
}

fn serve(request: Request, kept: &mut Vec<Kept>) -> Response {
    match request {
        Request::Scan(group, folder, control) => {
            let listing = clip_files(&folder, &control);
            Response::Scanned(group, folder, listing)
        }
        Request::Load(LoadJob { path, left, group }) => {
            let stamp = Stamp::of(std::slice::from_ref(&path));
            let loaded = import::load(&path, &LoadOptions::default());
            let loaded = loaded.map(|asset| Box::new(Loaded::new(asset, stamp, left)));
            Response::Loaded(path, group, loaded)
        }
        Request::Reload(document, path, characters, stamp) => {
            let loaded = import::load(&path, &LoadOptions::default());
            let with = |asset| {
                let paths = characters.iter().map(String::as_str);
                let read = read_characters(&character_folder(&path), paths);
                Box::new((asset, read))
            };
            Response::Reloaded(document, stamp, loaded.map(with))
        }
        Request::Characters {
            document,
            folder,
            paths,
            wanted,
        } => {
            let read = read_characters(&folder, paths.iter().map(String::as_str));
            Response::Characters(document, read, wanted)
        }
        Request::Compress(job) => {
            let (encoder, contacts) = tools_for(&job, kept);
            let known = job.known.filter(|known| {
                known.has_bytes_of(&job.settings, encoder.unit_m()) && known.contacts != contacts
            });
            let result = match known {
                Some(known) => Ok(known.with_contacts(&job.clip, &contacts)),
                None => {
                    ClipResult::make(encoder, &contacts, &job.settings, job.quality, &job.control)
                }
            };
            let result = result.map(|mut made| {
                made.set_contacts = job.contacts;
                Box::new(made)
            });
            Response::Compressed(job.id, job.serial, result)
        }
        Request::Compare(job) => {
            let (encoder, contacts) = tools_for(&job, kept);
            let compared = Comparison::make(encoder, &contacts, &job.settings, &job.control);
            Response::Compared(job.id, compared.map(Box::new))
        }
        Request::Price(job, change) => {
            let (encoder, contacts) = tools_for(&job, kept);
            let quality = job.quality;
            let made = ClipResult::make(encoder, &contacts, &job.settings, quality, &job.control);
            let price = made.map(|result| Price::of(change.clone(), &result));
            Response::Priced(job.id, job.serial, Box::new(change), price)
        }
        Request::Export(plan, control) => Response::Exported(export(&plan, &control)),
    }
}

/// What is known of a clip after it was compressed once.
pub(super) struct Kept {
    id: ClipId,
    encoder: Encoder,
    /// As found in the clip, with what was said of its feet.
    contacts: Arc<Contacts>,
    footing: Footing,
}

impl Kept {
    fn new(job: &CompressJob) -> Self {
        Self {
            id: job.id,
            encoder: Encoder::new(job.clip.clone(), job.unit_m, job.source_hash),
            contacts: Self::found(job),
            footing: job.settings.footing.clone(),
        }
    }

    fn found(job: &CompressJob) -> Arc<Contacts> {
        let footing = &job.settings.footing;
        Arc::new(Contacts::find_with(&job.clip, job.unit_m, footing))
    }

    /// Finds the contacts again where something else is said of the feet now.
    fn follow(&mut self, job: &CompressJob) {
        if self.footing != job.settings.footing {
            self.footing.clone_from(&job.settings.footing);
            self.contacts = Self::found(job);
        }
    }

    /// Whether it is of a clip, however that was loaded.
    pub(super) fn is_of(&self, id: ClipId) -> bool {
        self.id == id
    }

    fn fits(&self, job: &CompressJob) -> bool {
        let encoder = &self.encoder;
        self.id == job.id
            && Arc::ptr_eq(encoder.clip(), &job.clip)
            && encoder.unit_m() == job.unit_m
    }
}

/// The encoder and the contacts of a job's clip, kept or made; the last used stands last.
pub(super) fn tools_for<'a>(
    job: &CompressJob,
    kept: &'a mut Vec<Kept>,
) -> (&'a mut Encoder, Arc<Contacts>) {
    let at = kept.iter().position(|k| k.fits(job));
    let mut mine = at.map_or_else(|| Kept::new(job), |k| kept.remove(k));
    mine.follow(job);
    kept.retain(|k| k.id != job.id);
    if kept.len() >= KEPT_ENCODERS {
        kept.remove(0);
    }
    let contacts = match &job.contacts {
        Some(list) => Arc::new(mine.contacts.with(list, job.clip.grid().frames)),
        None => mine.contacts.clone(),
    };
    // Pairs that the clip cannot have are refused when it is compressed.
    let contacts = match job.settings.pairs_of(&job.clip, job.unit_m) {
        Ok(pairs) if !pairs.is_empty() => Arc::new(contacts.with_pairs(pairs)),
        _ => contacts,
    };
    kept.push(mine);
    let last = kept.len() - 1;
    (&mut kept[last].encoder, contacts)
}

/// What a panic said.
pub fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}
