//! The table of actions: names, keys, groups.

use eframe::egui::{Key, KeyboardShortcut, Modifiers};

/// Something that a person can ask for.
#[allow(missing_docs)] // The table below says what each does, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Open,
    OpenFolder,
    CloseFile,
    CloseAll,
    Save,
    Export,
    Quit,
    Undo,
    Redo,
    Palette,
    CopySettings,
    PasteSettings,
    ResetSettings,
    MeasureOn,
    SavePreset,
    PinBuffer,
    SwapBuffer,
    RevertBuffer,
    MirrorJoints,
    MarkFoot,
    NoFeet,
    ResetJoints,
    NewRule,
    TypeTolerance,
    SelectBelow,
    BranchRule,
    LightTheme,
    ReviewWorkspace,
    ClipsWorkspace,
    RowUp,
    RowDown,
    ExtendUp,
    ExtendDown,
    SelectAllClips,
    FilterClips,
    ReviewClip,
    ApprovePassing,
    CancelAll,
    GoOn,
    CompareSplit,
    CompareOverlay,
    Mesh,
    Textures,
    Joints,
    Grid,
    MovingGround,
    JointTrail,
    FootTrails,
    Inset,
    Exaggerate,
    Importance,
    ResetLayout,
    FrameSelected,
    FrameAll,
    ViewFront,
    ViewRight,
    ViewTop,
    Orthographic,
    NextWorst,
    PreviousWorst,
    PreviousClip,
    NextClip,
    Approve,
    Reject,
    Note,
    BlindTest,
    ClearVerdict,
    Looped,
    PlayPause,
    PlayReverse,
    Stop,
    PlayForward,
    FrameBack,
    FrameOn,
    TenBack,
    TenOn,
    FirstFrame,
    LastFrame,
    KeyBack,
    KeyOn,
    Slower,
    Faster,
    NormalSpeed,
    Shortcuts,
    About,
}

/// One line of the table.
pub struct Spec {
    /// What it does.
    pub action: Action,
    /// Its name in menus.
    pub name: &'static str,
    /// Its keys; the first one stands in menus.
    pub keys: &'static [KeyboardShortcut],
    /// Heading in the sheet of keys.
    pub group: &'static str,
}

const fn key(modifiers: Modifiers, key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(modifiers, key)
}

const fn plain(logical: Key) -> KeyboardShortcut {
    key(Modifiers::NONE, logical)
}

const CTRL: Modifiers = Modifiers::COMMAND;
const CTRL_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);
const SHIFT: Modifiers = Modifiers::SHIFT;
const ALT: Modifiers = Modifiers::ALT;

macro_rules! table {
    ($($action:ident, $group:literal, $name:literal, [$($key:expr),*];)*) => {
        /// All actions, in the order of the sheet of keys.
        pub const TABLE: &[Spec] = &[$(Spec {
            action: Action::$action,
            name: $name,
            keys: &[$($key),*],
            group: $group,
        }),*];
    };
}

table! {
    Open, "File", "Open…", [key(CTRL, Key::O)];
    OpenFolder, "File", "Open folder…", [key(CTRL_SHIFT, Key::O)];
    CloseFile, "File", "Close file", [key(CTRL, Key::W)];
    CloseAll, "File", "Close all files", [key(CTRL_SHIFT, Key::W)];
    Save, "File", "Save decisions", [key(CTRL, Key::S)];
    Export, "File", "Export approved…", [key(CTRL, Key::E)];
    Quit, "File", "Quit", [key(CTRL, Key::Q)];
    Undo, "Edit", "Undo", [key(CTRL, Key::Z)];
    Redo, "Edit", "Redo", [key(CTRL, Key::Y), key(CTRL_SHIFT, Key::Z)];
    Palette, "Edit", "Commands…", [key(CTRL, Key::P)];
    CopySettings, "Tune", "Copy settings", [key(CTRL, Key::C)];
    PasteSettings, "Tune", "Paste settings", [key(CTRL, Key::V)];
    ResetSettings, "Tune", "Reset settings", [];
    MeasureOn, "Tune", "Measure on…", [];
    SavePreset, "Tune", "Save as preset…", [];
    PinBuffer, "Tune", "Keep as buffer", [key(CTRL, Key::B)];
    SwapBuffer, "Tune", "Swap with the buffer", [key(SHIFT, Key::B)];
    RevertBuffer, "Tune", "Revert to the buffer", [key(CTRL_SHIFT, Key::B)];
    MirrorJoints, "Tune", "Mirror to the other side", [key(CTRL, Key::M)];
    MarkFoot, "Tune", "This joint is a foot", [];
    NoFeet, "Tune", "This skeleton has no feet", [];
    ResetJoints, "Tune", "Reset the selected joints", [];
    SelectBelow, "Tune", "Select all joints below", [];
    BranchRule, "Tune", "Rule for this joint and all below", [];
    TypeTolerance, "Tune", "Type a tolerance of the selected joints", [plain(Key::R)];
    NewRule, "Tune", "Type a rule by wildcard", [key(CTRL, Key::R)];
    PlayPause, "Playback", "Play or pause", [plain(Key::Space)];
    PlayReverse, "Playback", "Play backwards", [plain(Key::J)];
    Stop, "Playback", "Stop", [plain(Key::K)];
    PlayForward, "Playback", "Play forwards", [plain(Key::L)];
    FrameBack, "Playback", "One frame back", [plain(Key::ArrowLeft)];
    FrameOn, "Playback", "One frame on", [plain(Key::ArrowRight)];
    TenBack, "Playback", "Ten frames back", [key(SHIFT, Key::ArrowLeft)];
    TenOn, "Playback", "Ten frames on", [key(SHIFT, Key::ArrowRight)];
    FirstFrame, "Playback", "First frame", [plain(Key::Home)];
    LastFrame, "Playback", "Last frame", [plain(Key::End)];
    KeyBack, "Playback", "Previous key of the selected curve", [plain(Key::Comma), key(CTRL, Key::ArrowLeft)];
    KeyOn, "Playback", "Next key of the selected curve", [plain(Key::Period), key(CTRL, Key::ArrowRight)];
    Slower, "Playback", "Half the speed", [plain(Key::OpenBracket)];
    Faster, "Playback", "Twice the speed", [plain(Key::CloseBracket)];
    NormalSpeed, "Playback", "Normal speed", [plain(Key::Backslash)];
    FrameSelected, "View", "Frame the selected joint", [plain(Key::F)];
    FrameAll, "View", "Frame the whole clip", [plain(Key::A)];
    ViewFront, "View", "From the front", [plain(Key::Num1)];
    ViewRight, "View", "From the right", [plain(Key::Num3)];
    ViewTop, "View", "From the top", [plain(Key::Num7)];
    Orthographic, "View", "Orthographic or perspective", [plain(Key::Num5)];
    ReviewWorkspace, "View", "Review one clip", [plain(Key::F2)];
    ClipsWorkspace, "View", "Table of all clips", [plain(Key::F3)];
    CompareSplit, "View", "Compare side by side", [];
    CompareOverlay, "View", "Compare in one place", [];
    Mesh, "View", "Mesh", [];
    Textures, "View", "Textures", [];
    Joints, "View", "Joints", [];
    Grid, "View", "Ground grid", [];
    MovingGround, "View", "Moving ground", [];
    JointTrail, "View", "Trail of the selected joint", [plain(Key::T)];
    FootTrails, "View", "Trails of the feet", [key(SHIFT, Key::T)];
    Inset, "View", "Inset of the selected joint", [plain(Key::D)];
    Exaggerate, "View", "Exaggerate more in the inset", [key(SHIFT, Key::D)];
    Importance, "View", "Importance on the timeline", [];
    LightTheme, "View", "Light theme", [];
    ResetLayout, "View", "Reset layout", [];
    NextWorst, "Review", "Next worst moment: contacts, then joints", [plain(Key::N)];
    PreviousWorst, "Review", "Previous worst moment", [key(SHIFT, Key::N)];
    PreviousClip, "Clip", "Previous clip", [key(ALT, Key::PageUp)];
    NextClip, "Clip", "Next clip", [key(ALT, Key::PageDown)];
    Approve, "Clip", "Approve", [plain(Key::Y)];
    Reject, "Clip", "Reject…", [key(SHIFT, Key::Y)];
    Note, "Clip", "Note on this frame…", [plain(Key::M)];
    BlindTest, "Clip", "Blind test…", [key(CTRL, Key::T)];
    ClearVerdict, "Clip", "Clear the verdict", [];
    Looped, "Clip", "The clip loops", [];
    RowUp, "Table", "Row above", [plain(Key::ArrowUp)];
    RowDown, "Table", "Row below", [plain(Key::ArrowDown)];
    ExtendUp, "Table", "Select upwards", [key(SHIFT, Key::ArrowUp)];
    ExtendDown, "Table", "Select downwards", [key(SHIFT, Key::ArrowDown)];
    SelectAllClips, "Table", "Select all clips shown", [key(CTRL, Key::A)];
    FilterClips, "Table", "Filter clips", [key(CTRL, Key::F)];
    ReviewClip, "Table", "Review the selected clip", [plain(Key::Enter)];
    ApprovePassing, "Table", "Approve all that pass", [];
    CancelAll, "Table", "Cancel all compressing", [];
    GoOn, "Table", "Go on with what was cancelled", [];
    Shortcuts, "Help", "Keys", [plain(Key::F1)];
    About, "Help", "About Posepress", [];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_does_one_thing() {
        let keys: Vec<_> = TABLE.iter().flat_map(|s| s.keys).collect();
        for (k, a) in keys.iter().enumerate() {
            assert!(!keys[k + 1..].contains(a), "{a:?} stands twice");
        }
    }

    #[test]
    fn every_group_is_on_the_sheet_of_keys() {
        let shown = crate::gui::panels::GROUPS.concat();
        for spec in TABLE {
            assert!(shown.contains(&spec.group), "{}", spec.group);
        }
    }

    #[test]
    fn every_action_has_one_line() {
        for spec in TABLE {
            let count = TABLE.iter().filter(|s| s.action == spec.action).count();
            assert_eq!(count, 1, "{:?}", spec.action);
        }
    }
}
