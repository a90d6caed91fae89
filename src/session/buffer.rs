//! The result before the last change of a clip, kept to be looked at, swapped with, or gone back to.
//!
//! As the buffer curves of 3ds Max: whatever changes settings or contacts of a clip puts the full result that was
//! there before into the clip's buffer, a whole drag once; a change that comes before there is a full result leaves
//! the buffer as it is. A pinned buffer stays until it is released. There is one a clip, and a result that is in it
//! is shown again without compressing.

use super::command::{Change, Command};
use super::document::{ClipEdits, ClipId};
use super::history::Gesture;
use super::result::ClipResult;
use super::{ClipWork, Session};
use crate::codec::Quality;
use std::sync::Arc;

/// What is done with the buffer of a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferUse {
    /// It and what is in force change places.
    Swap,
    /// It comes in force and stays in the buffer, too.
    Revert,
}

impl BufferUse {
    /// What the undo menu calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Swap => "Swap with the buffer",
            Self::Revert => "Revert to the buffer",
        }
    }
}

/// How edits became others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// A change, perhaps one of several of a gesture.
    Change(Option<Gesture>),
    /// By the buffer.
    Buffer(BufferUse),
}

impl Turn {
    /// That of a command.
    pub(super) fn of(command: &Command, gesture: Option<Gesture>) -> Self {
        match command {
            Command::Edit {
                change: Change::Buffer { how, .. },
                ..
            } => Self::Buffer(*how),
            _ => Self::Change(gesture),
        }
    }

    /// That of a step of the history, by its name: a swap is undone by swapping.
    pub(super) fn of_step(name: Option<&str>) -> Self {
        match name {
            Some(name) if name == BufferUse::Swap.name() => Self::Buffer(BufferUse::Swap),
            _ => Self::Change(None),
        }
    }

    /// While a gesture goes on, drafts are enough.
    pub(super) fn quality(self) -> Quality {
        match self {
            Self::Change(Some(_)) => Quality::Draft,
            _ => Quality::Full,
        }
    }
}

/// A full result that was put aside.
#[derive(Default)]
pub(super) struct Buffer {
    result: Option<Arc<ClipResult>>,
    /// Changes leave it alone.
    pinned: bool,
    /// The gesture at whose beginning it was filled.
    gesture: Option<Gesture>,
}

impl ClipWork {
    /// A full result that is there already and was made from these edits.
    pub(super) fn known(&self, edits: &ClipEdits, unit_m: f64) -> Option<Arc<ClipResult>> {
        let results = [&self.result, &self.buffer.result];
        let mut results = results.into_iter().flatten();
        results.find(|r| r.is_of(edits, unit_m)).cloned()
    }

    /// Fills the buffer as edits become others.
    pub(super) fn fill_buffer(&mut self, before: &ClipEdits, unit_m: f64, turn: Turn) {
        let shown = self.result.as_ref().filter(|r| r.is_of(before, unit_m));
        let shown = shown.cloned();
        let buffer = &mut self.buffer;
        let keep = match turn {
            Turn::Buffer(BufferUse::Revert) => true,
            Turn::Buffer(BufferUse::Swap) => false,
            Turn::Change(gesture) => {
                let same = gesture.is_some() && buffer.gesture == gesture;
                buffer.gesture = gesture;
                same || buffer.pinned
            }
        };
        if !keep && shown.is_some() {
            buffer.result = shown;
        }
    }
}

impl Session {
    /// The result in the buffer of a clip: the last full one before the last change, or the one that was pinned.
    pub fn buffer(&self, id: ClipId) -> Option<&Arc<ClipResult>> {
        let result = self.work.get(&id)?.buffer.result.as_ref()?;
        (Some(result.unit_m) == self.unit_m(id)).then_some(result)
    }

    /// Whether changes leave the buffer of a clip alone.
    pub fn is_buffer_pinned(&self, id: ClipId) -> bool {
        self.work.get(&id).is_some_and(|w| w.buffer.pinned)
    }

    /// Whether the result of a clip is a full one of what is set now.
    pub fn is_solved(&self, id: ClipId) -> bool {
        let (Some(work), Some(edits), Some(unit_m)) =
            (self.work.get(&id), self.edits(id), self.unit_m(id))
        else {
            return false;
        };
        let settled = work.running.is_none() && work.error.is_none();
        settled && work.result.as_ref().is_some_and(|r| r.is_of(edits, unit_m))
    }

    /// Whether the buffer of a clip can change places with what is in force.
    pub fn can_swap(&self, id: ClipId) -> bool {
        let other = |buffer: &Arc<ClipResult>| {
            let shown = self.result(id);
            shown.is_some_and(|shown| !Arc::ptr_eq(shown, buffer))
        };
        self.is_solved(id) && self.buffer(id).is_some_and(other)
    }

    /// Whether the buffer of a clip is something else than what is in force.
    pub fn can_revert(&self, id: ClipId) -> bool {
        let (Some(buffer), Some(edits)) = (self.buffer(id), self.edits(id)) else {
            return false;
        };
        !buffer.is_of(edits, buffer.unit_m)
    }

    /// Puts the present full result into the buffer, where changes leave it alone until it is released.
    pub fn pin_buffer(&mut self, id: ClipId) {
        if self.is_solved(id)
            && let Some(work) = self.work.get_mut(&id)
        {
            work.buffer = Buffer {
                result: work.result.clone(),
                pinned: true,
                gesture: None,
            };
        }
    }

    /// Lets the next change fill the buffer of a clip again.
    pub fn release_buffer(&mut self, id: ClipId) {
        if let Some(work) = self.work.get_mut(&id) {
            work.buffer.pinned = false;
        }
    }

    /// Puts the settings and contacts of the buffer in force, as one step, and shows its result at once. After a swap
    /// the buffer holds what was in force.
    pub fn use_buffer(&mut self, id: ClipId, how: BufferUse) {
        let possible = match how {
            BufferUse::Swap => self.can_swap(id),
            BufferUse::Revert => self.can_revert(id),
        };
        let Some(result) = self.buffer(id).filter(|_| possible) else {
            return;
        };
        let change = Change::Buffer {
            settings: Box::new(result.settings.clone()),
            contacts: result.set_contacts.clone(),
            how,
        };
        self.dispatch(&Command::Edit { clip: id, change }, None);
    }

    /// Compresses a clip of which the edits became others, or shows what it comes to where that is known.
    pub(super) fn turn(&mut self, id: ClipId, before: (&ClipEdits, f64), turn: Turn) {
        let (Some(edits), Some(unit_m)) = (self.edits(id).cloned(), self.unit_m(id)) else {
            return;
        };
        let work = self.work.entry(id).or_default();
        let known = work.known(&edits, unit_m);
        // A swap that is undone when the buffer is another one by now is a change like any other.
        let in_buffer = work.buffer.result.as_ref().zip(known.as_ref());
        let turn = match turn {
            Turn::Buffer(BufferUse::Swap) if !in_buffer.is_some_and(|(b, k)| Arc::ptr_eq(b, k)) => {
                Turn::Change(None)
            }
            turn => turn,
        };
        work.fill_buffer(before.0, before.1, turn);
        match known {
            Some(known) => self.show(id, known),
            None => self.recompress(id, turn.quality()),
        }
    }

    /// Shows a full result of what is set now; what is on its way for the clip is not wanted any more.
    fn show(&mut self, id: ClipId, known: Arc<ClipResult>) {
        self.drop_prices(id);
        let work = self.work.entry(id).or_default();
        if let Some(running) = work.running.take() {
            running.cancel();
        }
        work.serial += 1;
        work.error = None;
        work.result = Some(known);
    }
}
