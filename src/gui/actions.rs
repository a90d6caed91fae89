//! Everything that a menu entry or a key does: one table feeds menus, keyboard and the sheet of keys.

mod keyboard;
mod table;

pub use keyboard::{key_text, keyboard};
pub use table::{Action, Spec, TABLE};

use super::clip_table;
use super::sheets::OpenFor;
use super::shell::{Closing, Sheet};
use super::state::{Compare, State, Workspace};
use super::tune;
use super::verdict;
use super::view::Preset;
use super::widgets::Mark;
use crate::model::FrameGrid;
use crate::session::{Change, Direction, Notice, NoticeKind, Verdict};
use eframe::egui;

impl Action {
    /// Its line in the table.
    pub fn spec(self) -> &'static Spec {
        let found = TABLE.iter().find(|s| s.action == self);
        debug_assert!(found.is_some(), "{self:?} is missing in the table");
        found.unwrap_or(&TABLE[0])
    }

    /// Its name now: undo and redo say what.
    pub fn name(self, state: &State) -> String {
        let with = |step: Option<&str>| match step {
            Some(step) => format!("{} {}", self.spec().name, lower_first(step)),
            None => self.spec().name.to_owned(),
        };
        match self {
            Self::Undo => with(state.session.undo_name()),
            Self::Redo => with(state.session.redo_name()),
            _ => self.spec().name.to_owned(),
        }
    }

    /// Whether it can be done now.
    pub fn is_enabled(self, state: &State) -> bool {
        let has_clip = state.session.selected().is_some();
        let in_table = has_clip && state.view.workspace == Workspace::Clips;
        if in_table && self.is_for_views() {
            return false;
        }
        match self {
            Self::RowUp
            | Self::RowDown
            | Self::ExtendUp
            | Self::ExtendDown
            | Self::SelectAllClips
            | Self::FilterClips
            | Self::ReviewClip
            | Self::ApprovePassing => in_table,
            Self::CancelAll => state.session.busy_clips() > 0,
            Self::GoOn => !state.session.cancelled().is_empty(),
            Self::Open
            | Self::OpenFolder
            | Self::Quit
            | Self::Palette
            | Self::Shortcuts
            | Self::About
            | Self::LightTheme
            | Self::ResetLayout => true,
            Self::Save => state.session.is_dirty(),
            Self::PinBuffer | Self::SwapBuffer | Self::RevertBuffer => {
                tune::buffer_is_enabled(self, state)
            }
            Self::BlindTest => super::abx::can_start(state),
            Self::SavePreset => has_clip && state.shell.preset_folder.is_some(),
            Self::MirrorJoints => tune::other_side(state).is_some(),
            Self::Undo => state.session.undo_name().is_some(),
            Self::Redo => state.session.redo_name().is_some(),
            Self::Export => has_clip && state.session.exporting().is_none(),
            Self::Approve => clip_table::targets(state).into_iter().any(|id| {
                !state.session.is_busy(id)
                    && state.session.error(id).is_none()
                    && state.session.result(id).is_some()
            }),
            Self::NextWorst | Self::PreviousWorst => state.result().is_some(),
            Self::Inset => state.result().is_some() || state.shell.inset.is_some(),
            Self::Exaggerate => state.shell.inset.is_some(),
            Self::Textures => state.view.mesh,
            Self::MovingGround => state.view.grid,
            _ => has_clip,
        }
    }

    /// For entries that are on or off.
    pub fn is_on(self, state: &State) -> Option<bool> {
        let v = &state.view;
        let edits = || state.session.edits(state.session.selected()?);
        match self {
            Self::ReviewWorkspace => Some(v.workspace == Workspace::Review),
            Self::ClipsWorkspace => Some(v.workspace == Workspace::Clips),
            Self::CompareSplit => Some(v.compare == Compare::Split),
            Self::CompareOverlay => Some(v.compare == Compare::Overlay),
            Self::Mesh => Some(v.mesh),
            Self::Textures => Some(v.textures),
            Self::Joints => Some(v.joints),
            Self::Grid => Some(v.grid),
            Self::MovingGround => Some(v.moving_ground),
            Self::JointTrail => Some(v.joint_trail),
            Self::FootTrails => Some(v.foot_trails),
            Self::Importance => Some(state.timeline.shows_importance()),
            Self::Inset => Some(state.shell.inset.is_some()),
            Self::LightTheme => Some(v.light),
            Self::PinBuffer => {
                let id = state.session.selected();
                Some(id.is_some_and(|id| state.session.is_buffer_pinned(id)))
            }
            Self::MarkFoot | Self::NoFeet => tune::footing_is_on(self, state),
            Self::Looped => Some(edits().is_some_and(|e| e.settings.looped)),
            Self::Approve => Some(verdict::standing(state) == Mark::Approved),
            _ => None,
        }
    }

    /// Does it, if it can be done now.
    pub fn run(self, state: &mut State, ctx: &egui::Context) {
        if !self.is_enabled(state) {
            return;
        }
        match self {
            Self::Open => super::sheets::open_open(state, OpenFor::Clips),
            Self::OpenFolder => super::sheets::open_open(state, OpenFor::Folder),
            Self::MeasureOn => super::sheets::open_open(state, OpenFor::Characters),
            Self::CloseFile => super::open::close_selected(state),
            Self::CloseAll => super::open::close_all(state),
            Self::Save => save(state),
            Self::Palette => super::panels::palette::open(state),
            Self::Export => super::sheets::open_export(state),
            Self::Quit if state.session.is_dirty() => {
                state.shell.closing = Closing::Window;
                state.shell.sheet = Some(Sheet::Unsaved);
            }
            Self::Quit => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
            Self::PinBuffer | Self::SwapBuffer | Self::RevertBuffer => {
                tune::use_buffer(self, state);
            }
            Self::BlindTest => super::abx::start(state),
            Self::CopySettings
            | Self::PasteSettings
            | Self::ResetSettings
            | Self::SavePreset
            | Self::MirrorJoints
            | Self::MarkFoot
            | Self::NoFeet
            | Self::BranchRule
            | Self::SelectBelow
            | Self::ResetJoints => tune::run(self, state, ctx),
            Self::TypeTolerance => super::panels::type_tolerance(ctx),
            Self::NewRule => super::panels::type_rule(state),
            Self::ResetLayout => reset_layout(state, ctx),
            Self::Shortcuts => toggle_sheet(state, Sheet::Shortcuts),
            Self::About => toggle_sheet(state, Sheet::About),
            Self::Undo | Self::Redo => self.travel(state),
            Self::NextWorst => super::tour::step(state, 1),
            Self::PreviousWorst => super::tour::step(state, -1),
            Self::PreviousClip | Self::NextClip if state.view.workspace == Workspace::Review => {
                self.go_to_clip(state);
            }
            Self::PreviousClip
            | Self::NextClip
            | Self::ReviewWorkspace
            | Self::ClipsWorkspace
            | Self::RowUp
            | Self::RowDown
            | Self::ExtendUp
            | Self::ExtendDown
            | Self::SelectAllClips
            | Self::FilterClips
            | Self::ReviewClip
            | Self::ApprovePassing
            | Self::CancelAll
            | Self::GoOn => clip_table::run(self, state),
            Self::Approve => verdict::toggle_approval(state),
            Self::ClearVerdict => verdict::clear(state, &clip_table::targets(state)),
            Self::Reject | Self::Looped if clip_table::judge(self, state) => {}
            Self::Reject | Self::Note | Self::Looped => self.judge(state),
            Self::CompareSplit
            | Self::CompareOverlay
            | Self::Mesh
            | Self::Textures
            | Self::Joints
            | Self::Grid
            | Self::LightTheme
            | Self::MovingGround
            | Self::JointTrail
            | Self::FootTrails
            | Self::Importance => self.show(state),
            Self::Inset | Self::Exaggerate => self.enlarge(state),
            Self::FrameSelected
            | Self::FrameAll
            | Self::ViewFront
            | Self::ViewRight
            | Self::ViewTop
            | Self::Orthographic => self.look(state),
            _ => self.play(state),
        }
    }

    /// Whether it is about the 3D views or the playhead, which the table does not show.
    fn is_for_views(self) -> bool {
        let camera = matches!(
            self,
            Self::FrameSelected
                | Self::FrameAll
                | Self::ViewFront
                | Self::ViewRight
                | Self::ViewTop
                | Self::Orthographic
                | Self::Inset
                | Self::Exaggerate
        );
        camera || matches!(self.spec().group, "Playback" | "Review")
    }

    fn travel(self, state: &mut State) {
        let name = self.name(state);
        if self == Self::Undo {
            state.session.undo();
        } else {
            state.session.redo();
        }
        state.shell.happened = name;
    }

    fn go_to_clip(self, state: &mut State) {
        let ids: Vec<_> = state.session.clip_ids().collect();
        let Some(at) = ids
            .iter()
            .position(|id| Some(*id) == state.session.selected())
        else {
            return;
        };
        let to = match self {
            Self::PreviousClip => at.saturating_sub(1),
            _ => (at + 1).min(ids.len() - 1),
        };
        state.session.select(ids[to]);
    }

    fn judge(self, state: &mut State) {
        let Some(id) = state.session.selected() else {
            return;
        };
        match self {
            Self::Reject => {
                let note = match state.session.edits(id).map(|e| &e.verdict) {
                    Some(Verdict::Rejected { note, .. }) => note.clone(),
                    _ => String::new(),
                };
                state.shell.draft = note;
                state.shell.sheet = Some(Sheet::Reject);
            }
            Self::Note => {
                let frame = state.transport.frame.round() as usize;
                let notes = state.session.edits(id).map(|e| e.notes.as_slice());
                let note = notes.and_then(|n| n.iter().find(|n| n.frame == frame));
                state.shell.draft = note.map_or_else(String::new, |n| n.text.clone());
                state.shell.note_frame = frame;
                state.shell.sheet = Some(Sheet::Note);
            }
            _ => {
                let on = self.is_on(state) == Some(true);
                state.change(Change::Looped(!on), None);
            }
        }
    }

    fn show(self, state: &mut State) {
        let importance = !state.timeline.shows_importance();
        let v = &mut state.view;
        match self {
            Self::CompareSplit => v.compare = Compare::Split,
            Self::CompareOverlay => v.compare = Compare::Overlay,
            Self::Mesh => v.mesh = !v.mesh,
            Self::Textures => v.textures = !v.textures,
            Self::Joints => v.joints = !v.joints,
            Self::Grid => v.grid = !v.grid,
            Self::JointTrail => v.joint_trail = !v.joint_trail,
            Self::FootTrails => v.foot_trails = !v.foot_trails,
            Self::Importance => v.importance = Some(importance),
            Self::LightTheme => v.light = !v.light,
            _ => v.moving_ground = !v.moving_ground,
        }
    }

    fn enlarge(self, state: &mut State) {
        let shell = &mut state.shell;
        match self {
            Self::Inset => {
                let other = shell.inset != Some(state.joint);
                shell.inset = other.then_some(state.joint);
            }
            _ => shell.exaggeration = shell.exaggeration.next(),
        }
    }

    fn look(self, state: &mut State) {
        let stage = &mut state.shell.stage;
        match self {
            Self::FrameSelected => stage.frame_joint(state.joint),
            Self::FrameAll => {
                let bounds = stage.clip_bounds();
                let aspect = stage.aspect.max(0.1);
                stage.camera.frame(&bounds, aspect);
            }
            Self::ViewFront => stage.camera.look_from(Preset::Front),
            Self::ViewRight => stage.camera.look_from(Preset::Right),
            Self::ViewTop => stage.camera.look_from(Preset::Top),
            _ => stage.camera.toggle_projection(),
        }
    }

    fn play(self, state: &mut State) {
        let Some(grid) = state.clip().map(|c| c.grid()) else {
            return;
        };
        if matches!(self, Self::KeyBack | Self::KeyOn) {
            return self.step_to_key(state, &grid);
        }
        let t = &mut state.transport;
        match self {
            Self::PlayPause if t.playing.is_some() => t.playing = None,
            Self::PlayPause => t.toggle(Direction::Forward, &grid),
            Self::PlayReverse if t.playing != Some(Direction::Reverse) => {
                t.toggle(Direction::Reverse, &grid);
            }
            Self::PlayForward if t.playing != Some(Direction::Forward) => {
                t.toggle(Direction::Forward, &grid);
            }
            Self::Stop => t.playing = None,
            Self::FrameBack => t.step(-1, &grid),
            Self::FrameOn => t.step(1, &grid),
            Self::TenBack => t.step(-10, &grid),
            Self::TenOn => t.step(10, &grid),
            Self::FirstFrame => stop_at(t, 0.0, &grid),
            Self::LastFrame => stop_at(t, grid.last() as f64, &grid),
            Self::Slower => t.speed = (0.5 * t.speed).max(0.0625),
            Self::Faster => t.speed = (2.0 * t.speed).min(16.0),
            Self::NormalSpeed => t.speed = 1.0,
            _ => {}
        }
    }

    fn step_to_key(self, state: &mut State, grid: &FrameGrid) {
        let Some(curves) = state.curves() else {
            return;
        };
        let now = state.transport.frame;
        let keys = curves.keys.iter().map(|k| k.frame);
        let next = if self == Self::KeyOn {
            keys.filter(|&f| f > now + 1e-6).reduce(f64::min)
        } else {
            keys.filter(|&f| f < now - 1e-6).reduce(f64::max)
        };
        if let Some(frame) = next {
            stop_at(&mut state.transport, frame, grid);
        }
    }
}

fn save(state: &mut State) {
    if state.session.save() {
        state.shell.happened = "Saved beside the source".into();
    }
}

fn stop_at(transport: &mut crate::session::Transport, frame: f64, grid: &FrameGrid) {
    transport.playing = None;
    transport.go_to(frame, grid);
}

fn toggle_sheet(state: &mut State, sheet: Sheet) {
    let open = state.shell.sheet == Some(sheet);
    state.shell.sheet = (!open).then_some(sheet);
}

fn reset_layout(state: &mut State, ctx: &egui::Context) {
    state.view = super::state::ViewOptions {
        workspace: state.view.workspace,
        ..Default::default()
    };
    ctx.set_zoom_factor(1.0);
    ctx.memory_mut(egui::Memory::reset_areas);
    ctx.data_mut(egui::util::IdTypeMap::remove_by_type::<egui::containers::panel::PanelState>);
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| {
        c.to_lowercase().collect::<String>() + chars.as_str()
    })
}

/// A clip's name, or its number where it has none.
pub fn clip_title(name: &str, index: usize) -> String {
    if name.trim().is_empty() {
        return format!("Clip {}", index + 1);
    }
    name.to_owned()
}

/// Says that there is nothing to export, and what to do.
pub fn nothing_approved() -> Notice {
    Notice {
        kind: NoticeKind::Warning,
        title: "Nothing is approved".into(),
        text: "Approve a clip first (Y): what is exported is exactly what was approved".into(),
    }
}
