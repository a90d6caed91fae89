//! What is done to several clips at once, of one file or of many.

use super::buffer::Turn;
use super::command::{Change, Command};
use super::document::{ClipId, Edits};
use super::history::Gesture;
use super::verdict::Verdict;
use super::{Missed, Session};
use crate::codec::{CodecError, Judgement, Ruling};

/// How a clip stands to what is asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is within every limit that is set.
    Passes,
    /// Something is over its limit.
    Misses,
    /// Nothing that was measured is over its limit, but not all that is asked could be.
    CannotSay,
    /// There are no bytes of its settings: it is being compressed, failed or was cancelled.
    Unknown,
}

impl Session {
    /// Applies commands as one undo step called `name`, whatever files they concern. Returns how many clips they
    /// changed.
    pub fn dispatch_all(&mut self, commands: &[Command], name: impl Into<String>) -> usize {
        self.apply(commands, name.into(), None)
    }

    /// Changes each of some clips by the same change, in one undo step. Returns how many that changed.
    pub fn change_all(
        &mut self,
        ids: &[ClipId],
        change: &Change,
        name: impl Into<String>,
    ) -> usize {
        let edit = |&clip: &ClipId| Command::Edit {
            clip,
            change: change.clone(),
        };
        let commands: Vec<Command> = ids.iter().map(edit).collect();
        self.dispatch_all(&commands, name)
    }

    pub(super) fn apply(
        &mut self,
        commands: &[Command],
        name: String,
        gesture: Option<Gesture>,
    ) -> usize {
        let mut before: Vec<(usize, Edits)> = Vec::new();
        for command in commands {
            let number = command.document();
            let Some(d) = self.document_mut(number) else {
                continue;
            };
            // Commands come file by file, so the last one is nearly always the one.
            if before.iter().rev().all(|(n, _)| *n != number) {
                before.push((number, d.edits.clone()));
            }
            command.apply(&mut d.edits);
        }
        before.retain(|(n, edits)| self.document(*n).is_some_and(|d| d.edits != *edits));
        if before.is_empty() {
            return 0;
        }
        self.history.record(name, before.clone(), gesture);
        let turn = match commands {
            [command] => Turn::of(command, gesture),
            _ => Turn::Change(gesture),
        };
        let mut changed = 0;
        for (number, edits) in &before {
            changed += self.clips_changed(*number, edits);
            self.follow(*number, edits, turn);
        }
        changed
    }

    fn clips_changed(&self, number: usize, before: &Edits) -> usize {
        let Some(d) = self.document(number) else {
            return 0;
        };
        let all = d.edits.unit_m != before.unit_m;
        let pairs = d.edits.clips.iter().zip(&before.clips);
        pairs.filter(|(now, then)| all || now != then).count()
    }

    /// Approves the current results of clips in one undo step. Those that have none, are compressed right now or
    /// failed stay as they are. What of a clip is no pass is kept as an exception. Returns how many of them are approved as they are now.
    pub fn approve_all(&mut self, ids: &[ClipId]) -> usize {
        let approve = |&clip: &ClipId| {
            let of = self.judged_now(clip)?;
            let missed = self.missed(clip);
            let exceptions: Vec<String> = missed.iter().map(Missed::short).collect();
            let change = if exceptions.is_empty() {
                Change::Verdict(Verdict::Approved(of))
            } else {
                Change::Except { of, exceptions }
            };
            Some(Command::Edit { clip, change })
        };
        let commands: Vec<Command> = ids.iter().filter_map(approve).collect();
        let name = match commands.as_slice() {
            [_] => "Approve".to_owned(),
            all => format!("Approve {} clips", all.len()),
        };
        self.dispatch_all(&commands, name);
        for &id in ids {
            self.note_approved(id);
        }
        commands.len()
    }

    /// Rejects clips as they are now, in one undo step; `note` says why. Returns how many were changed by it.
    pub fn reject_all(&mut self, ids: &[ClipId], note: &str) -> usize {
        let reject = |&clip: &ClipId| {
            let verdict = Verdict::Rejected {
                note: note.trim().to_owned(),
                of: self.judged_now(clip),
            };
            let change = Change::Verdict(verdict);
            Command::Edit { clip, change }
        };
        let commands: Vec<Command> = ids.iter().map(reject).collect();
        let name = match commands.as_slice() {
            [_] => "Reject".to_owned(),
            all => format!("Reject {} clips", all.len()),
        };
        self.dispatch_all(&commands, name)
    }

    /// How a clip stands to its limits, measured on the bytes of its settings.
    pub fn standing(&self, id: ClipId) -> Standing {
        if self.judged_now(id).is_none() {
            return Standing::Unknown;
        }
        match self.judgement(id).map(|j| j.ruling()) {
            None => Standing::Unknown,
            Some(Ruling::NotAsked | Ruling::Met) => Standing::Passes,
            Some(Ruling::CannotSay) => Standing::CannotSay,
            Some(Ruling::Over) => Standing::Misses,
        }
    }

    /// What was measured last of a clip, a draft too, held against the limits that are set now.
    pub fn judgement(&self, id: ClipId) -> Option<Judgement> {
        let settings = &self.edits(id)?.settings;
        Some(self.result(id)?.judged_by(settings, self.clip(id)?))
    }

    /// What of that is no pass.
    pub fn missed(&self, id: ClipId) -> Vec<Missed> {
        let (Some(judged), Some(result)) = (self.judgement(id), self.result(id)) else {
            return Vec::new();
        };
        let (Some(clip), Some(edits)) = (self.clip(id), self.edits(id)) else {
            return Vec::new();
        };
        Missed::all(&judged, clip, &edits.settings, &result.measured)
    }

    /// Stops the compression of those of some clips that are being compressed or wait for it, as
    /// [`Session::cancel`] does. Returns how many.
    pub fn cancel_all(&mut self, ids: &[ClipId]) -> usize {
        let mut cancelled = std::collections::HashSet::new();
        for id in ids {
            if let Some(work) = self.work.get_mut(id)
                && let Some(running) = work.running.take()
            {
                running.cancel();
                work.serial += 1;
                work.error = Some(CodecError::Cancelled);
                cancelled.insert(*id);
            }
        }
        self.worker.forget_compressing(|id| cancelled.contains(&id));
        cancelled.len()
    }

    /// Clips whose compression was cancelled.
    pub fn cancelled(&self) -> Vec<ClipId> {
        self.clip_ids()
            .filter(|id| self.is_cancelled(*id))
            .collect()
    }

    /// Whether the compression of a clip was cancelled and not begun again.
    pub fn is_cancelled(&self, id: ClipId) -> bool {
        !self.is_busy(id) && self.error(id) == Some(&CodecError::Cancelled)
    }

    /// Compresses clips again that failed or were cancelled; all others are left alone. Returns how many.
    pub fn retry_all(&mut self, ids: &[ClipId]) -> usize {
        let again = |id: &&ClipId| !self.is_busy(**id) && self.error(**id).is_some();
        let again: Vec<ClipId> = ids.iter().filter(again).copied().collect();
        for &id in &again {
            self.retry(id);
        }
        again.len()
    }

    /// How many clips neither wait, run, nor were cancelled, of how many in all.
    pub fn compressed_clips(&self) -> (usize, usize) {
        let (mut done, mut total) = (0, 0);
        for id in self.clip_ids() {
            total += 1;
            done += usize::from(!self.is_busy(id) && !self.is_cancelled(id));
        }
        (done, total)
    }
}
