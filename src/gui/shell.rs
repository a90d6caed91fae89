//! What the window remembers besides the documents: open sheets, filters, drags, the stage.

use super::stage::Stage;
use crate::session::Gesture;
use std::collections::BTreeSet;
use std::ops::Range;

/// A sheet over the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sheet {
    /// All keys.
    Shortcuts,
    /// Name, version, licence.
    About,
    /// All messages in full.
    Notices,
}

/// Something that only the application can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Ask for files to open.
    Open,
    /// Ask for a folder and export what is approved.
    Export,
    /// Open the clip that comes with the program.
    Example,
}

/// The window's own memory.
#[derive(Default)]
pub struct Shell {
    /// The 3D views.
    pub stage: Stage,
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
    /// The sheet that is open.
    pub sheet: Option<Sheet>,
    /// The drag of a slider that goes on.
    pub gesture: Option<Gesture>,
    /// Where the tour of the worst moments is.
    pub tour: Option<usize>,
    /// What happened last, for the status line.
    pub happened: String,
    /// For the application, done at the end of the frame.
    pub requests: Vec<Request>,
    /// When each of the session's notices was first shown, seconds.
    pub notice_times: Vec<f64>,
}

impl Shell {
    /// Forgets what belongs to one skeleton.
    pub fn forget_joints(&mut self) {
        self.collapsed.clear();
        self.joint_filter.clear();
        self.scrolled_to = None;
        self.hover = None;
    }
}
