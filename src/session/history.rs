use super::document::{Document, Edits};

/// Steps that can be taken back.
const MAX_STEPS: usize = 500;

/// Commands that belong to one movement of a person: all with one number make one undo step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gesture(pub u64);

/// One step: what the edits of documents were on the other side of it. Steps share the clips that they do not change.
#[derive(Clone, Debug)]
struct Step {
    name: String,
    /// By the documents' numbers.
    edits: Vec<(usize, Edits)>,
    gesture: Option<Gesture>,
}

/// Undo and redo.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    undo: Vec<Step>,
    redo: Vec<Step>,
    /// How often it changed.
    revision: u64,
}

impl History {
    /// Remembers the edits of documents before a change of all of them. Changes of one gesture share the first one's
    /// step.
    pub(super) fn record(
        &mut self,
        name: String,
        before: Vec<(usize, Edits)>,
        gesture: Option<Gesture>,
    ) {
        self.redo.clear();
        self.revision += 1;
        let same = |s: &&mut Step| gesture.is_some() && s.gesture == gesture;
        if let Some(step) = self.undo.last_mut().filter(same) {
            for (document, edits) in before {
                if step.edits.iter().all(|(d, _)| *d != document) {
                    step.edits.push((document, edits));
                }
            }
            return;
        }
        self.undo.push(Step {
            name,
            edits: before,
            gesture,
        });
        if self.undo.len() > MAX_STEPS {
            self.undo.remove(0);
        }
    }

    /// Takes a step back. Returns the documents that it concerns, and what their edits were.
    pub(super) fn undo(&mut self, documents: &mut [Document]) -> Vec<(usize, Edits)> {
        self.revision += 1;
        swap(&mut self.undo, &mut self.redo, documents)
    }

    /// Takes a step forward again. Returns the documents that it concerns, and what their edits were.
    pub(super) fn redo(&mut self, documents: &mut [Document]) -> Vec<(usize, Edits)> {
        self.revision += 1;
        swap(&mut self.redo, &mut self.undo, documents)
    }

    /// Brings the steps of a document to a file that was exported again.
    pub(super) fn rewrite(&mut self, document: usize, change: impl Fn(&Edits) -> Edits) {
        let steps = self.undo.iter_mut().chain(&mut self.redo);
        for (_, edits) in steps
            .flat_map(|s| &mut s.edits)
            .filter(|(d, _)| *d == document)
        {
            *edits = change(edits);
        }
    }

    /// Forgets what concerns a document that is closed; what a step did to others stays.
    pub(super) fn forget(&mut self, document: usize) {
        self.revision += 1;
        for steps in [&mut self.undo, &mut self.redo] {
            for step in steps.iter_mut() {
                step.edits.retain(|(d, _)| *d != document);
            }
            steps.retain(|s| !s.edits.is_empty());
        }
    }

    /// Another number whenever something else would be taken back.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// What can be taken back, the last step first.
    pub(super) fn undo_names(&self) -> impl Iterator<Item = &str> {
        self.undo.iter().rev().map(|s| s.name.as_str())
    }

    pub(super) fn redo_name(&self) -> Option<&str> {
        self.redo.last().map(|s| s.name.as_str())
    }
}

fn swap(
    from: &mut Vec<Step>,
    to: &mut Vec<Step>,
    documents: &mut [Document],
) -> Vec<(usize, Edits)> {
    let Some(step) = from.pop() else {
        return Vec::new();
    };
    let mut before = Vec::new();
    for (number, edits) in step.edits {
        if let Some(document) = documents.iter_mut().find(|d| d.number == number) {
            before.push((number, std::mem::replace(&mut document.edits, edits)));
        }
    }
    to.push(Step {
        name: step.name,
        edits: before.clone(),
        gesture: None,
    });
    before
}
