//! Open files by their numbers, and how they are closed.
//!
//! A file has a number of its own from when it is opened: [`ClipId::document`] stays right while other files come and
//! go, and what is still on its way for a closed one finds nothing. Documents lie in the order of their numbers.

use super::Session;
use super::document::{ClipId, Document};
use crate::model::{Asset, Mesh};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Session {
    /// An open file by its number; `None` once it is closed.
    pub fn document(&self, number: usize) -> Option<&Document> {
        let at = self.place_of(number)?;
        self.documents.get(at)
    }

    pub(super) fn document_mut(&mut self, number: usize) -> Option<&mut Document> {
        let at = self.place_of(number)?;
        self.documents.get_mut(at)
    }

    fn place_of(&self, number: usize) -> Option<usize> {
        let at = self.documents.binary_search_by_key(&number, |d| d.number);
        at.ok()
    }

    /// Adds a file, selects its first clip if that is wanted or nothing else is selected, and compresses all of them.
    /// Returns its number.
    pub(super) fn push_document(&mut self, mut added: Document, select: bool) -> usize {
        let number = self.next_number;
        self.next_number += 1;
        added.number = number;
        self.documents.push(added);
        if select || self.selected.is_none() {
            self.select(ClipId {
                document: number,
                clip: 0,
            });
        }
        self.recompress_document(number);
        number
    }

    /// Takes the meshes of an open file in place of a new one's where they are the same: the clips of a character often
    /// come in a file each, with all of its pictures in every one.
    pub(super) fn share_meshes(&self, asset: &mut Asset) {
        let mut seen: Vec<&Arc<Vec<Mesh>>> = Vec::new();
        for d in &self.documents {
            let meshes = &d.own.meshes;
            if seen.iter().any(|s| Arc::ptr_eq(s, meshes)) {
                continue;
            }
            if **meshes == *asset.meshes {
                asset.meshes = meshes.clone();
                return;
            }
            seen.push(meshes);
        }
    }

    /// Closes files: what is unsaved of them is lost, and so are their undo steps, what is kept safe of them from a
    /// crash, and answers about them that are still on their way. Where the selected clip was in one of them, the
    /// first clip of the next file is selected, else that of the last. Numbers of files that are not open are fine.
    pub fn close(&mut self, numbers: &[usize]) {
        let closed: BTreeSet<usize> = numbers.iter().copied().collect();
        let is_closed = |id: ClipId| closed.contains(&id.document);
        for (_, work) in self.work.extract_if(|id, _| is_closed(*id)) {
            for control in work.running.iter().chain(&work.comparing) {
                control.cancel();
            }
            if let Some(prices) = &work.prices {
                prices.cancel();
            }
        }
        self.worker.forget_clips(is_closed);
        self.documents.retain(|d| !closed.contains(&d.number));
        for &number in &closed {
            self.history.forget(number);
            self.forget_kept_safe(number);
        }
        if let Some(id) = self.selected.filter(|id| is_closed(*id)) {
            self.selected = None;
            let next = self.documents.partition_point(|d| d.number < id.document);
            let next = self.documents.get(next).or(self.documents.last());
            if let Some(document) = next.map(Document::number) {
                self.select(ClipId { document, clip: 0 });
            }
        }
    }
}
