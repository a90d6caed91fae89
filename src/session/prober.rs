//! A second thread that compresses a clip as it might be, while nobody waits for anything else.
//!
//! It has an encoder of its own: what it tries leaves no trace in the drafts and results of the worker.

use super::result::ClipResult;
use super::size_curve::SizePoint;
use super::worker::{CompressJob, Kept, panic_text, tools_for};
use crate::codec::CodecError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};

/// How many processors a try may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Haste {
    /// Half of them: the window and the worker have the others.
    Idle,
    /// All: a person waits.
    Awaited,
}

/// One clip with settings to try.
pub(super) struct Probe {
    pub(super) ticket: u64,
    pub(super) job: CompressJob,
    pub(super) haste: Haste,
}

/// What came of it; a panic is a message.
pub(super) type Answer = (u64, Result<Result<SizePoint, CodecError>, String>);

/// The thread. It ends when this is dropped and what runs is cancelled or done.
pub(super) struct Prober {
    probes: Sender<Probe>,
    answers: Receiver<Answer>,
}

impl Prober {
    /// Starts it; `wake` is called after every answer.
    pub(super) fn new(wake: impl Fn() + Send + 'static) -> Self {
        let (probes, theirs) = channel();
        let (sender, answers) = channel();
        std::thread::spawn(move || run(&theirs, &sender, &wake));
        Self { probes, answers }
    }

    pub(super) fn send(&self, probe: Probe) {
        // It only ends after this.
        let _ = self.probes.send(probe);
    }

    pub(super) fn poll(&self) -> Option<Answer> {
        self.answers.try_recv().ok()
    }
}

fn run(probes: &Receiver<Probe>, sender: &Sender<Answer>, wake: &dyn Fn()) {
    let half = std::thread::available_parallelism().map_or(1, |n| (n.get() / 2).max(1));
    let few = rayon::ThreadPoolBuilder::new().num_threads(half).build();
    let mut kept: Vec<Kept> = Vec::new();
    while let Ok(probe) = probes.recv() {
        let ticket = probe.ticket;
        let mut make = || point(&probe.job, &mut kept);
        let done = catch_unwind(AssertUnwindSafe(|| match (&few, probe.haste) {
            (Ok(few), Haste::Idle) => few.install(make),
            _ => make(),
        }));
        let answer = done.map_err(|panic| {
            kept.clear();
            panic_text(&*panic)
        });
        if sender.send((ticket, answer)).is_err() {
            return;
        }
        wake();
    }
}

fn point(job: &CompressJob, kept: &mut Vec<Kept>) -> Result<SizePoint, CodecError> {
    if job.control.is_cancelled() {
        return Err(CodecError::Cancelled);
    }
    // One clip at a time: another one's samples need not be kept.
    kept.retain(|k| k.is_of(job.id));
    let (encoder, contacts) = tools_for(job, kept);
    let result = ClipResult::make(encoder, &contacts, &job.settings, job.quality, &job.control)?;
    SizePoint::of(&result).ok_or(CodecError::Cancelled)
}
