use super::document::{Document, Edits};

/// Steps that can be taken back.
const MAX_STEPS: usize = 500;

/// Commands that belong to one movement of a person: all with one number make one undo step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gesture(pub u64);

/// One step: what a document's edits were on the other side of it.
#[derive(Clone, Debug)]
struct Step {
    name: String,
    document: usize,
    edits: Edits,
    gesture: Option<Gesture>,
}

/// Undo and redo.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    undo: Vec<Step>,
    redo: Vec<Step>,
}

impl History {
    /// Remembers the edits before a command. Commands of one gesture share the first one's step.
    pub(super) fn record(
        &mut self,
        name: String,
        document: usize,
        before: Edits,
        gesture: Option<Gesture>,
    ) {
        self.redo.clear();
        let same = |s: &Step| gesture.is_some() && s.gesture == gesture && s.document == document;
        if self.undo.last().is_some_and(same) {
            return;
        }
        self.undo.push(Step {
            name,
            document,
            edits: before,
            gesture,
        });
        if self.undo.len() > MAX_STEPS {
            self.undo.remove(0);
        }
    }

    /// Takes a step back. Returns the document and what its edits were.
    pub(super) fn undo(&mut self, documents: &mut [Document]) -> Option<(usize, Edits)> {
        swap(&mut self.undo, &mut self.redo, documents)
    }

    /// Takes a step forward again. Returns the document and what its edits were.
    pub(super) fn redo(&mut self, documents: &mut [Document]) -> Option<(usize, Edits)> {
        swap(&mut self.redo, &mut self.undo, documents)
    }

    /// Brings the steps of a document to a file that was exported again.
    pub(super) fn rewrite(&mut self, document: usize, change: impl Fn(&Edits) -> Edits) {
        let steps = self.undo.iter_mut().chain(&mut self.redo);
        for step in steps.filter(|s| s.document == document) {
            step.edits = change(&step.edits);
        }
    }

    pub(super) fn undo_name(&self) -> Option<&str> {
        self.undo.last().map(|s| s.name.as_str())
    }

    pub(super) fn redo_name(&self) -> Option<&str> {
        self.redo.last().map(|s| s.name.as_str())
    }
}

fn swap(
    from: &mut Vec<Step>,
    to: &mut Vec<Step>,
    documents: &mut [Document],
) -> Option<(usize, Edits)> {
    let step = from.pop()?;
    let edits = &mut documents.get_mut(step.document)?.edits;
    let before = std::mem::replace(edits, step.edits);
    let document = step.document;
    to.push(Step {
        name: step.name,
        document,
        edits: before.clone(),
        gesture: None,
    });
    Some((document, before))
}
