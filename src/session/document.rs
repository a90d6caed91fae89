use crate::codec::Settings;
use crate::metrics::Contact;
use crate::model::{Asset, Clip};
use serde::{Deserialize, Serialize};
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
    /// What was loaded; never changed.
    pub asset: Arc<Asset>,
    /// What a person decided; changed by commands alone.
    pub edits: Edits,
}

/// Everything that undo takes back.
#[derive(Clone, Debug, PartialEq)]
pub struct Edits {
    /// Metres of one unit of the file.
    pub unit_m: f64,
    /// One a clip.
    pub clips: Vec<ClipEdits>,
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
}

/// A person's word on a clip.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Not looked at yet.
    #[default]
    Open,
    /// May ship, as these very bytes.
    Approved {
        /// SHA-256 of the deliverable, see [`crate::codec::Compressed::hash`].
        output: [u8; 32],
    },
    /// Must not ship.
    Rejected {
        /// Why; may be empty.
        note: String,
    },
}

impl Document {
    /// A freshly loaded file: default settings, the guessed unit.
    pub fn new(asset: Asset) -> Self {
        let clips = vec![ClipEdits::default(); asset.clips.len()];
        let edits = Edits {
            unit_m: asset.unit_m,
            clips,
        };
        Self {
            asset: Arc::new(asset),
            edits,
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
