//! What the window remembers besides the documents: open sheets, filters, drags, the stage.

use super::abx::Blind;
use super::dialogs::Ask;
use super::sheets::{ExportSheet, OpenSheet};
use super::stage::Stage;
use super::verdict::Toast;
use crate::codec::{JointOverride, Settings};
use crate::session::{ClipId, ClipResult, Gesture, Preset};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// A sheet over the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sheet {
    /// What to open.
    Open,
    /// What is exported, and where to.
    Export,
    /// All keys.
    Shortcuts,
    /// Name, version, licence.
    About,
    /// All messages in full.
    Notices,
    /// Everything that can be done.
    Palette,
    /// Why the clip is rejected.
    Reject,
    /// Whether clips that do not pass are approved all the same.
    ApproveOver,
    /// A note on a frame.
    Note,
    /// A name for a preset.
    SavePreset,
    /// What becomes of unsaved work.
    Unsaved,
    /// What a crash left.
    Recover,
}

impl Sheet {
    /// Whether Escape closes it: not where something must be answered.
    pub fn is_optional(self) -> bool {
        self != Self::Recover
    }

    /// Whether it asks something: then keys are for it alone.
    pub fn asks(self) -> bool {
        !matches!(self, Self::Shortcuts | Self::About | Self::Notices)
    }
}

/// What a question about unsaved work is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Closing {
    /// The window is to close.
    #[default]
    Window,
    /// Files are to close, by their numbers.
    Files(Vec<usize>),
}

/// Something that only the application can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Ask with the desktop's own dialog.
    Browse(Ask),
    /// Open the clip that comes with the program.
    Example,
    /// Open a file or folder that was open before.
    Reopen(PathBuf),
}

/// How many times an error is enlarged in the inset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exaggeration(pub u32);

impl Exaggeration {
    /// Those that can be chosen.
    pub const ALL: [Self; 4] = [Self(1), Self(5), Self(20), Self(50)];

    /// The next larger one, or after the largest the smallest.
    #[must_use]
    pub fn next(self) -> Self {
        let larger = Self::ALL.into_iter().find(|e| e.0 > self.0);
        larger.unwrap_or(Self::ALL[0])
    }
}

impl Default for Exaggeration {
    fn default() -> Self {
        Self(20)
    }
}

/// A column of the table of contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeetColumn {
    /// Joint and part.
    Joint,
    /// First frame.
    Frames,
    /// Drift in the source.
    Source,
    /// Slide that compression adds.
    Added,
    /// Largest speed of the error.
    Speed,
}

/// In which order contacts are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeetOrder {
    /// The column that decides.
    pub by: FeetColumn,
    /// The least first.
    pub ascending: bool,
    /// All of them, not the first ones alone.
    pub all: bool,
}

impl Default for FeetOrder {
    fn default() -> Self {
        Self {
            by: FeetColumn::Added,
            ascending: false,
            all: false,
        }
    }
}

impl FeetOrder {
    /// A click on a column's head: the other way round, or that column, names and frames from the first, figures
    /// from the worst.
    #[must_use]
    pub fn clicked(self, by: FeetColumn) -> Self {
        let ascending = if by == self.by {
            !self.ascending
        } else {
            matches!(by, FeetColumn::Joint | FeetColumn::Frames)
        };
        Self {
            by,
            ascending,
            ..self
        }
    }
}

/// The frame at which the error of the selected joint is split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CauseFrame {
    /// Where it is largest.
    #[default]
    Worst,
    /// The playhead.
    Now,
}

/// Something that was held tighter, to say what came of it.
pub struct Tightened {
    /// What the clip is compressed with since.
    pub settings: Settings,
    /// What it was before.
    pub before: Arc<ClipResult>,
    /// What was done, in words.
    pub done: String,
    /// The joint for whose sake.
    pub watched: usize,
}

/// A part of the inspector that something leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The feet on the ground, or why none is known.
    Feet,
    /// The meshes on which is measured.
    Meshes,
    /// How large the deliverable is.
    Size,
}

/// The window's own memory.
#[derive(Default)]
pub struct Shell {
    /// The 3D views.
    pub stage: Stage,
    /// Names that the next level of detail is to leave out.
    pub new_level: String,
    /// Text in the filter of the joint tree.
    pub joint_filter: String,
    /// Joints whose children are hidden in the tree.
    pub collapsed: BTreeSet<usize>,
    /// Rows of the tree that were visible last.
    pub joint_rows: Range<usize>,
    /// The joint that the tree was scrolled to.
    pub scrolled_to: Option<usize>,
    /// The joint that a panel found under the pointer in this frame.
    pub hover: Option<usize>,
    /// The compressed view shows the source for as long as a key is held.
    pub source_held: bool,
    /// The compressed view shows the buffer for as long as a key is held.
    pub buffer_held: bool,
    /// The blind test that has taken the window over.
    pub blind: Option<Blind>,
    /// The sheet that is open.
    pub sheet: Option<Sheet>,
    /// The drag of a slider that goes on.
    pub gesture: Option<Gesture>,
    /// The joint of the inset, the small picture in the 3D view, while it is open.
    pub inset: Option<usize>,
    /// How many times errors are enlarged in it.
    pub exaggeration: Exaggeration,
    /// A part of the inspector that is to be scrolled to.
    pub reveal: Option<Part>,
    /// The order of the table of contacts.
    pub feet: FeetOrder,
    /// When the error of the selected joint is split.
    pub cause_frame: CauseFrame,
    /// What was tightened last.
    pub tightened: Option<Tightened>,
    /// All joints with what a millimetre costs, not the dearest alone.
    pub all_costs: bool,
    /// Where the tour of the worst moments is.
    pub tour: Option<usize>,
    /// A text field had the focus in the frame before.
    pub was_typing: bool,
    /// What the last verdict did, while it is offered to take it back.
    pub toast: Option<Toast>,
    /// What happened last, for the status line.
    pub happened: String,
    /// For the application, done at the end of the frame.
    pub requests: Vec<Request>,
    /// What to open is asked here.
    pub open_sheet: OpenSheet,
    /// What is exported and where to is asked here.
    pub export_sheet: ExportSheet,
    /// Folders that were exported to, the last one first; kept from one start to the next.
    pub export_folders: Vec<PathBuf>,
    /// What is being typed in the sheet that is open.
    pub draft: String,
    /// The line of the palette that Enter runs.
    pub palette_row: usize,
    /// The frame that a note is written on.
    pub note_frame: usize,
    /// The pattern of a new rule.
    pub new_rule: String,
    /// The field for a new rule gets the focus.
    pub types_rule: bool,
    /// The rule that is shown in full.
    pub open_rule: Option<usize>,
    /// Joints that a rule under the pointer matches.
    pub preview: Vec<usize>,
    /// Joints that are selected besides the one that is shown.
    pub also: BTreeSet<usize>,
    /// The joint with which they were selected; another one is selected without them.
    pub picked: usize,
    /// What a joint has of its own, copied.
    pub copied_joint: Option<JointOverride>,
    /// Files and folders that were open, the last one first; kept from one start to the next.
    pub recent: Vec<PathBuf>,
    /// Own presets, and where they are.
    pub presets: Vec<Preset>,
    /// `None` where the system names no place.
    pub preset_folder: Option<PathBuf>,
    /// What closes once it is known what becomes of unsaved work.
    pub closing: Closing,
    /// Files whose clips are hidden in the list, by their numbers.
    pub folded_files: BTreeSet<usize>,
    /// The clip that the list was scrolled to.
    pub clip_scrolled_to: Option<ClipId>,
    /// Rows of the list of clips that were visible last.
    pub clip_rows: Range<usize>,
    /// The window closes without a question.
    pub may_close: bool,
    /// When each of the session's notices was first shown, seconds.
    pub notice_times: Vec<f64>,
}

impl Shell {
    /// Forgets what belongs to one skeleton.
    pub fn forget_joints(&mut self) {
        self.collapsed.clear();
        self.joint_filter.clear();
        self.scrolled_to = None;
        self.also.clear();
        self.preview.clear();
        self.open_rule = None;
        self.hover = None;
        self.inset = None;
    }
}
