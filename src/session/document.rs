use super::abx::BlindTest;
use super::characters::{CharacterFile, Wardrobe, Worn, characters_hash, dressed};
use super::sidecar::{Sidecar, settings_hash};
use super::verdict::Verdict;
use super::watch::Watched;
use crate::codec::Settings;
use crate::metrics::Contact;
use crate::model::{Asset, Clip};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A clip of an open file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClipId {
    /// The number of the open file, see [`Session::document`](super::Session::document).
    pub document: usize,
    /// Index of the clip in it.
    pub clip: usize,
}

/// An open file: what was loaded, and what a person decided about it.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its place in the order of opening; 0 until it is added to a session.
    pub(super) number: usize,
    /// The folder with which it was opened.
    pub(super) folder: Option<Arc<Path>>,
    /// Where it lies when links are followed: two paths that lead there are one file.
    pub(super) place: Option<PathBuf>,
    /// Whether `edits` are not what is saved.
    unsaved: bool,
    /// What was loaded, on the meshes of its characters where it has some.
    pub asset: Arc<Asset>,
    /// What was loaded, on its own meshes.
    pub(super) own: Arc<Asset>,
    /// Characters that were read, whether they are in force or not.
    pub(super) wardrobe: Wardrobe,
    /// What was found of those that are in force.
    pub(super) worn: Vec<Worn>,
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

/// Everything that undo takes back. A clone shares the clips with its original until one of them is changed.
#[derive(Clone, Debug)]
pub struct Edits {
    /// Metres of one unit of the file.
    pub unit_m: f64,
    /// One a clip.
    pub clips: Vec<Arc<ClipEdits>>,
    /// The files on whose meshes all clips are measured, in place of those of their own file.
    pub characters: Vec<CharacterFile>,
}

impl PartialEq for Edits {
    fn eq(&self, other: &Self) -> bool {
        let mut pairs = self.clips.iter().zip(&other.clips);
        self.unit_m == other.unit_m
            && self.characters == other.characters
            && self.clips.len() == other.clips.len()
            && pairs.all(|(a, b)| Arc::ptr_eq(a, b) || a == b)
    }
}

impl Edits {
    /// What was decided about a clip, to be changed here alone.
    pub fn clip_mut(&mut self, clip: usize) -> Option<&mut ClipEdits> {
        self.clips.get_mut(clip).map(Arc::make_mut)
    }

    /// Nothing decided: what clips start with, the guessed unit.
    pub fn of(asset: &Asset) -> Self {
        Self {
            unit_m: asset.unit_m,
            clips: vec![Arc::default(); asset.clips.len()],
            characters: Vec::new(),
        }
    }

    /// Nothing decided, and nothing held that nobody asks for: what a command line starts with.
    pub fn bare(asset: &Asset) -> Self {
        let clip = Arc::new(ClipEdits {
            settings: Settings::default(),
            ..ClipEdits::default()
        });
        Self {
            unit_m: asset.unit_m,
            clips: vec![clip; asset.clips.len()],
            characters: Vec::new(),
        }
    }
}

/// What a person decided about one clip.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipEdits {
    /// How it is compressed.
    pub settings: Settings,
    /// Whether it may ship.
    pub verdict: Verdict,
    /// What of it was no pass when it was approved all the same, in words; empty where all was.
    pub exceptions: Vec<String>,
    /// When its feet stand; `None` for what is found in the clip.
    pub contacts: Option<Vec<Contact>>,
    /// Notes on frames, in their order; one a frame.
    pub notes: Vec<FrameNote>,
    /// Blind tests of what a person's eye tells apart, the oldest first.
    pub blind_tests: Vec<BlindTest>,
}

/// Nothing is decided: what clips start with.
impl Default for ClipEdits {
    fn default() -> Self {
        Self {
            settings: Settings::standard(),
            verdict: Verdict::default(),
            exceptions: Vec::new(),
            contacts: None,
            notes: Vec::new(),
            blind_tests: Vec::new(),
        }
    }
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
        let own = Arc::new(asset);
        let mut document = Self {
            number: 0,
            folder: None,
            place: None,
            unsaved: false,
            asset: own.clone(),
            own,
            wardrobe: Wardrobe::new(),
            worn: Vec::new(),
            saved: edits.clone(),
            edits,
            on_disk: false,
            set: Vec::new(),
            watched: Watched::default(),
        };
        document.hash_settings();
        document
    }

    /// Puts the characters that are decided on what was loaded. Returns the paths of those that were never read: until
    /// they are, nothing can be said of the skin.
    pub(super) fn dress(&mut self) -> Vec<String> {
        let paths = self.edits.characters.iter().map(|c| c.path.as_str());
        let unread = paths.clone().filter(|p| !self.wardrobe.contains_key(*p));
        let unread: Vec<String> = unread.map(str::to_owned).collect();
        let reading = Err("it is being read".to_owned());
        let characters = paths.map(|p| (p, self.wardrobe.get(p).unwrap_or(&reading)));
        let (asset, worn) = dressed(&self.own, characters);
        (self.asset, self.worn) = (asset, worn);
        unread
    }

    /// The characters on whose meshes its clips are measured; none for its own.
    pub fn worn(&self) -> &[Worn] {
        &self.worn
    }

    /// What an approval is bound to beside source, settings and bytes.
    pub(super) fn characters_hash(&self) -> Option<[u8; 32]> {
        characters_hash(&self.worn)
    }

    /// Its number, which no other file of the session has had or will have: [`ClipId::document`] of its clips.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The folder with which it was opened; `None` where it was opened by itself.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Whether there is something that saving would keep. Cost: none, it is known.
    pub fn is_dirty(&self) -> bool {
        self.on_disk && self.unsaved
    }

    /// To be called after a change of the edits, or of what is saved.
    pub(super) fn compare_with_saved(&mut self) {
        self.unsaved = self.edits != self.saved;
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
