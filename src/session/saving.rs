//! Verdicts and what they are bound to; decisions read from and written beside the source.

use super::document::{ClipId, Document, Edits};
use super::notice::Notice;
use super::sidecar::{SaveDecisionsError, save_decisions};
use super::verdict::{Changed, Judged, Measure, Verdict};
use super::watch::Stamp;
use super::worker::Loaded;
use super::{Session, warnings};
use std::path::Path;
use std::sync::Arc;

impl Session {
    /// What changed since a verdict on a clip was given; nothing where there is none.
    pub fn changed_since_verdict(&self, id: ClipId) -> Changed {
        let (Some(edits), Some(d)) = (self.edits(id), self.document(id.document)) else {
            return Changed::default();
        };
        let (Some(then), Some(set)) = (edits.verdict.judged(), d.set.get(id.clip)) else {
            return Changed::default();
        };
        let output = self.result(id).map(|r| &r.hash);
        let measure = Measure::now(edits.settings.metric);
        let characters = d.characters_hash();
        Changed::since(then, &d.asset.source_hash, set, output, measure, characters)
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
        self.approve_all(&[id]);
    }

    /// Rejects a clip as it is now; `note` says why.
    pub fn reject(&mut self, id: ClipId, note: &str) {
        self.reject_all(&[id], note);
    }

    /// What a verdict given now is about; `None` while the bytes are not those of the settings.
    pub(super) fn judged_now(&self, id: ClipId) -> Option<Judged> {
        if self.is_busy(id) || self.error(id).is_some() {
            return None;
        }
        let d = self.document(id.document)?;
        Some(Judged {
            source: d.asset.source_hash,
            settings: *d.set.get(id.clip)?,
            output: self.result(id)?.hash,
            measure: Measure::now(self.edits(id)?.settings.metric),
            characters: d.characters_hash(),
        })
    }

    /// Takes in a file from the disk that a person waits for, with what was decided about it before.
    pub(super) fn add_loaded(&mut self, loaded: Loaded) {
        let odd = warnings(&loaded.asset).map(|i| Notice::warning(&i.place, &i.text));
        self.notices.extend(odd);
        self.add_loaded_with(loaded, None, true);
    }

    /// Takes in a file from the disk, of a folder; what is odd about it is not told.
    pub(super) fn add_loaded_with(
        &mut self,
        loaded: Loaded,
        folder: Option<Arc<Path>>,
        select: bool,
    ) {
        let Loaded {
            mut asset,
            decided,
            left,
            watched,
            place,
            characters,
        } = loaded;
        // Asked for by two paths, one file may come twice.
        if let Some(open) = self.open_at(place.as_deref()) {
            if select {
                self.select_file(open);
            }
            if let Some(Ok(edits)) = left {
                self.take_recovered(open, edits);
            }
            return;
        }
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
        self.share_meshes(&mut asset);
        let mut document = Document::with_edits(asset, edits);
        document.on_disk = true;
        document.folder = folder;
        document.place = place;
        document.watched = watched;
        document.wardrobe = characters;
        self.dress_new(&mut document);
        self.looked = None;
        let number = self.push_document(document, select);
        match left {
            None => {}
            Some(Ok(edits)) => self.take_recovered(number, edits),
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

    /// Saves the decisions about every file that has unsaved ones, see [`Session::save_files`].
    pub fn save(&mut self) -> bool {
        let all: Vec<usize> = self.documents.iter().map(Document::number).collect();
        self.save_files(&all)
    }

    /// Saves the decisions about those of some files that have unsaved ones. What cannot be saved stays dirty, and a
    /// notice says why. Returns whether all is saved.
    pub fn save_files(&mut self, numbers: &[usize]) -> bool {
        let mut saved = true;
        for &number in numbers {
            let Some(d) = self.document_mut(number).filter(|d| d.is_dirty()) else {
                continue;
            };
            if let Err(e) = save_document(d) {
                saved = false;
                let notice = Notice::error("Not saved", e.to_string());
                self.notices.push(notice);
            }
        }
        self.forget_saved();
        saved
    }
}

fn save_document(d: &mut Document) -> Result<(), SaveDecisionsError> {
    let Some(path) = d.sidecar_path() else {
        return Ok(());
    };
    save_decisions(&path, &d.saved, &d.edits, &d.asset)?;
    d.saved = d.edits.clone();
    d.compare_with_saved();
    d.watched
        .decisions_are(Stamp::of(std::slice::from_ref(&path)));
    Ok(())
}

/// What of a file of decisions has no place in its source.
fn unknown_notice(source: &Path, unknown: &[String]) -> Option<Notice> {
    let name = source.file_name().unwrap_or_default().to_string_lossy();
    let text = format!(
        "{}: {}. What was decided about it is kept, not used",
        name,
        unknown.join("; ")
    );
    (!unknown.is_empty()).then(|| Notice::warning("Decisions without a place", text))
}
