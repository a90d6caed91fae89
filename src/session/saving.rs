//! Verdicts and what they are bound to; decisions read from and written beside the source.

use super::document::{ClipId, Document, Edits};
use super::notice::Notice;
use super::sidecar::{SaveDecisionsError, save_decisions};
use super::verdict::{Changed, Judged, Verdict};
use super::watch::Stamp;
use super::worker::Loaded;
use super::{Change, Command, Session};

impl Session {
    /// What changed since a verdict on a clip was given; nothing where there is none.
    pub fn changed_since_verdict(&self, id: ClipId) -> Changed {
        let (Some(edits), Some(d)) = (self.edits(id), self.documents.get(id.document)) else {
            return Changed::default();
        };
        let (Some(then), Some(set)) = (edits.verdict.judged(), d.set.get(id.clip)) else {
            return Changed::default();
        };
        let output = self.result(id).map(|r| &r.hash);
        Changed::since(then, &d.asset.source_hash, set, output)
    }

    /// Whether an approved clip is no longer what was approved.
    pub fn is_stale(&self, id: ClipId) -> bool {
        let edits = self.edits(id);
        if !matches!(edits.map(|e| &e.verdict), Some(Verdict::Approved(_))) {
            return false;
        }
        let unproven = self.result(id).is_some() && self.is_busy(id);
        unproven || self.error(id).is_some() || self.changed_since_verdict(id).any()
    }

    /// Clips that are approved, as what they are now.
    pub fn approved(&self) -> Vec<ClipId> {
        let approved = |id: &ClipId| {
            let verdict = self.edits(*id).map(|e| &e.verdict);
            matches!(verdict, Some(Verdict::Approved(_)))
                && self.result(*id).is_some()
                && !self.is_stale(*id)
        };
        self.clip_ids().filter(approved).collect()
    }

    /// Approves the bytes of a clip's current result; does nothing while there is none or it is outdated.
    pub fn approve(&mut self, id: ClipId) {
        if let Some(of) = self.judged_now(id) {
            let change = Change::Verdict(Verdict::Approved(of));
            self.dispatch(&Command::Edit { clip: id, change }, None);
        }
    }

    /// Rejects a clip as it is now; `note` says why.
    pub fn reject(&mut self, id: ClipId, note: &str) {
        let verdict = Verdict::Rejected {
            note: note.trim().to_owned(),
            of: self.judged_now(id),
        };
        let change = Change::Verdict(verdict);
        self.dispatch(&Command::Edit { clip: id, change }, None);
    }

    /// What a verdict given now is about; `None` while the bytes are not those of the settings.
    fn judged_now(&self, id: ClipId) -> Option<Judged> {
        if self.is_busy(id) || self.error(id).is_some() {
            return None;
        }
        let d = self.documents.get(id.document)?;
        Some(Judged {
            source: d.asset.source_hash,
            settings: *d.set.get(id.clip)?,
            output: self.result(id)?.hash,
        })
    }

    /// Takes in a file from the disk, with what was decided about it before.
    pub(super) fn add_loaded(&mut self, loaded: Loaded) {
        let Loaded {
            asset,
            decided,
            left,
            watched,
        } = loaded;
        let edits = match decided {
            Ok(None) => Edits::of(&asset),
            Ok(Some((edits, unknown))) => {
                self.notices.extend(unknown_notice(&asset.path, &unknown));
                edits
            }
            Err(e) => {
                let title = "Earlier decisions are not used";
                self.notices.push(Notice::error(title, e.to_string()));
                Edits::of(&asset)
            }
        };
        let mut document = Document::with_edits(asset, edits);
        document.on_disk = true;
        document.watched = watched;
        self.looked = None;
        self.add_document(document);
        match left {
            None => {}
            Some(Ok(edits)) => self.take_recovered(self.documents.len() - 1, edits),
            Some(Err(e)) => {
                let title = "Something cannot be recovered";
                self.notices.push(Notice::error(title, e.to_string()));
            }
        }
    }

    /// Whether any file has decisions that are not saved.
    pub fn is_dirty(&self) -> bool {
        self.documents.iter().any(Document::is_dirty)
    }

    /// Saves the decisions about every file that has unsaved ones. What cannot be saved stays dirty, and a
    /// notice says why. Returns whether all is saved.
    pub fn save(&mut self) -> bool {
        for document in 0..self.documents.len() {
            if !self.documents[document].is_dirty() {
                continue;
            }
            if let Err(e) = self.save_document(document) {
                let notice = Notice::error("Not saved", e.to_string());
                self.notices.push(notice);
            }
        }
        !self.is_dirty()
    }

    fn save_document(&mut self, document: usize) -> Result<(), SaveDecisionsError> {
        let d = &mut self.documents[document];
        let Some(path) = d.sidecar_path() else {
            return Ok(());
        };
        save_decisions(&path, &d.saved, &d.edits, &d.asset)?;
        d.saved = d.edits.clone();
        d.watched
            .decisions_are(Stamp::of(std::slice::from_ref(&path)));
        Ok(())
    }
}

/// What of a file of decisions has no place in its source.
fn unknown_notice(source: &std::path::Path, unknown: &[String]) -> Option<Notice> {
    let name = source.file_name().unwrap_or_default().to_string_lossy();
    let text = format!(
        "{}: {}. What was decided about it is kept, not used",
        name,
        unknown.join("; ")
    );
    (!unknown.is_empty()).then(|| Notice::warning("Decisions without a place", text))
}
