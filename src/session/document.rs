use super::abx::BlindTest;
use super::sidecar::{Sidecar, settings_hash};
use super::verdict::Verdict;
use super::watch::Watched;
use crate::codec::Settings;
use crate::metrics::Contact;
use crate::model::{Asset, Clip};
use std::path::PathBuf;
use std::sync::Arc;

/// A clip of an open file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClipId {
    /// Index of the open file.
    pub document: usize,
    /// Index of the clip in it.
    pub clip: usize,
}

/// An open file: what was loaded, and what a person decided about it.
#[derive(Clone, Debug)]
pub struct Document {
    /// What was loaded.
    pub asset: Arc<Asset>,
    /// What a person decided; changed by commands alone.
    pub edits: Edits,
    /// What of it stands in the file of decisions.
    pub(super) saved: Edits,
    /// Whether there is a file beside which decisions are kept; there is none beside the bundled clips.
    pub(super) on_disk: bool,
    /// Hash of what was set, one a clip.
    pub(super) set: Vec<[u8; 32]>,
    /// Whether it was exported again.
    pub(super) watched: Watched,
}

/// Everything that undo takes back.
#[derive(Clone, Debug, PartialEq)]
pub struct Edits {
    /// Metres of one unit of the file.
    pub unit_m: f64,
    /// One a clip.
    pub clips: Vec<ClipEdits>,
}

impl Edits {
    /// Nothing decided: default settings, the guessed unit.
    pub fn of(asset: &Asset) -> Self {
        Self {
            unit_m: asset.unit_m,
            clips: vec![ClipEdits::default(); asset.clips.len()],
        }
    }
}

/// What a person decided about one clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipEdits {
    /// How it is compressed.
    pub settings: Settings,
    /// Whether it may ship.
    pub verdict: Verdict,
    /// When its feet stand; `None` for what is found in the clip.
    pub contacts: Option<Vec<Contact>>,
    /// Notes on frames, in their order; one a frame.
    pub notes: Vec<FrameNote>,
    /// Blind tests of what a person's eye tells apart, the oldest first.
    pub blind_tests: Vec<BlindTest>,
}

/// What a person wrote about a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameNote {
    /// Which, from 0; may lie behind the end of a clip that became shorter.
    pub frame: usize,
    /// Not empty.
    pub text: String,
}

impl Document {
    /// A freshly loaded file about which nothing is decided: default settings, the guessed unit.
    pub fn new(asset: Asset) -> Self {
        let edits = Edits::of(&asset);
        Self::with_edits(asset, edits)
    }

    /// A loaded file with decisions, one entry a clip.
    pub(super) fn with_edits(asset: Asset, edits: Edits) -> Self {
        let mut document = Self {
            asset: Arc::new(asset),
            saved: edits.clone(),
            edits,
            on_disk: false,
            set: Vec::new(),
            watched: Watched::default(),
        };
        document.hash_settings();
        document
    }

    /// Whether there is something that saving would keep.
    pub fn is_dirty(&self) -> bool {
        self.on_disk && self.edits != self.saved
    }

    /// The file of decisions beside the source; `None` where the source is no file.
    pub fn sidecar_path(&self) -> Option<PathBuf> {
        self.on_disk.then(|| Sidecar::path_of(&self.asset.path))
    }

    /// Follows a change of the edits of all clips.
    pub(super) fn hash_settings(&mut self) {
        self.set = vec![[0; 32]; self.asset.clips.len()];
        for clip in 0..self.asset.clips.len() {
            self.hash_settings_of(clip);
        }
    }

    /// Follows a change of the edits of a clip.
    pub(super) fn hash_settings_of(&mut self, clip: usize) {
        let (edits, source) = (self.edits.clips.get(clip), self.asset.clips.get(clip));
        if let (Some(edits), Some(source), Some(set)) = (edits, source, self.set.get_mut(clip)) {
            *set = settings_hash(edits, source, self.edits.unit_m);
        }
    }

    /// A clip of the file.
    pub fn clip(&self, clip: usize) -> Option<&Arc<Clip>> {
        self.asset.clips.get(clip)
    }

    /// The file's name without its folder.
    pub fn file_name(&self) -> String {
        self.asset
            .path
            .file_name()
            .map_or_else(String::new, |n| n.to_string_lossy().into_owned())
    }
}
