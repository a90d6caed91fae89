//! Everything that can be done and every place to go to, found by typing a part of its name.

use crate::gui::actions::{Action, Spec, TABLE, clip_title, key_text};
use crate::gui::shell::Sheet;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::text_at;
use crate::gui::within::Within as _;
use crate::session::ClipId;
use eframe::egui::{
    self, Align2, FontId, Id, Key, Modifiers, Sense, TextEdit, Ui, WidgetInfo, Window, vec2,
};

const ROW: f32 = 26.0;
const MOST: usize = 12;

/// Something that the palette finds.
#[derive(Clone)]
enum Entry {
    /// An action of the table.
    Do(&'static Spec),
    /// A clip to go to.
    Clip(ClipId),
    /// A joint of the selected clip.
    Joint(usize),
}

impl Entry {
    /// Its name and what it is.
    fn words(&self, state: &State) -> (String, &'static str) {
        match *self {
            Self::Do(spec) => (spec.action.name(state), spec.group),
            Self::Clip(id) => {
                let clip = state.session.clip(id);
                (
                    clip.map_or_else(String::new, |c| clip_title(c.name(), id.clip)),
                    "clip",
                )
            }
            Self::Joint(joint) => {
                let joints = state.clip().map_or(&[][..], |c| c.skeleton().joints());
                (
                    joints
                        .get(joint)
                        .map_or_else(String::new, |j| j.name.clone()),
                    "joint",
                )
            }
        }
    }

    fn is_enabled(&self, state: &State) -> bool {
        match self {
            Self::Do(spec) => spec.action.is_enabled(state),
            Self::Clip(_) | Self::Joint(_) => true,
        }
    }

    fn run(self, state: &mut State, ctx: &egui::Context) {
        match self {
            Self::Do(spec) => spec.action.run(state, ctx),
            Self::Clip(id) => state.session.select(id),
            Self::Joint(joint) => state.joint = joint,
        }
    }
}

/// The palette: arrows choose, Enter does, Escape leaves.
pub(super) fn palette_ui(ui: &Ui, state: &mut State) {
    let found = found(state, &state.shell.draft);
    let last = found.len().saturating_sub(1);
    let step = ui.input_mut(|i| {
        let mut count = |key| i.count_and_consume_key(Modifiers::NONE, key) as i64;
        count(Key::ArrowDown) - count(Key::ArrowUp)
    });
    let chosen = (state.shell.palette_row as i64 + step).within(0, last as i64) as usize;
    state.shell.palette_row = chosen;
    let mut run = None;
    Window::new("Commands")
        .title_bar(false)
        .resizable(false)
        .anchor(Align2::CENTER_TOP, vec2(0.0, 90.0))
        .show(ui.ctx(), |ui| {
            ui.set_width(460.0);
            if search(ui, &mut state.shell.draft) {
                run = found.get(chosen).cloned();
            }
            ui.add_space(2.0);
            ui.spacing_mut().item_spacing.y = 0.0;
            let first = (chosen + 1).saturating_sub(MOST);
            for (k, entry) in found.iter().enumerate().skip(first).take(MOST) {
                if row(ui, state, entry, k == chosen) {
                    run = Some(entry.clone());
                }
            }
            if found.is_empty() {
                ui.label(theme::hint("Nothing has this in its name"));
            }
        });
    if let Some(entry) = run {
        state.shell.sheet = None;
        state.shell.draft.clear();
        entry.run(state, ui.ctx());
    }
}

/// Whether Enter was pressed.
fn search(ui: &mut Ui, text: &mut String) -> bool {
    let id = Id::unique("command palette");
    let edit = TextEdit::singleline(text)
        .id(id)
        .hint_text("type what to do, a clip or a joint")
        .margin(egui::Margin::symmetric(8, 6))
        .desired_width(f32::INFINITY);
    let response = ui.add(edit);
    ui.ctx()
        .accesskit_node_builder(id, |node| node.set_label("Command"));
    if response.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter)) {
        return true;
    }
    super::dialogs::focus_first(ui, &response);
    false
}

/// Entries whose name or kind has all the words that were typed: actions, those that can be done now first; then,
/// once something is typed, clips and joints.
fn found(state: &State, typed: &str) -> Vec<Entry> {
    let typed = typed.to_lowercase();
    let has = |name: &str, kind: &str| {
        let text = format!("{kind} {name}").to_lowercase();
        typed.split_whitespace().all(|word| text.contains(word))
    };
    let other = |spec: &&Spec| spec.action != Action::Palette;
    let mut specs: Vec<&'static Spec> = TABLE.iter().filter(other).collect();
    specs.retain(|spec| has(spec.name, spec.group));
    specs.sort_by_key(|spec| !spec.action.is_enabled(state));
    let mut found: Vec<Entry> = specs.into_iter().map(Entry::Do).collect();
    if !typed.trim().is_empty() {
        let joints = state.clip().map_or(0, |c| c.skeleton().len());
        let clips = state.session.clip_ids().map(Entry::Clip);
        let places = clips.chain((0..joints).map(Entry::Joint));
        found.extend(places.filter(|entry| {
            let (name, kind) = entry.words(state);
            has(&name, kind)
        }));
    }
    found
}

/// Returns whether it was clicked.
fn row(ui: &mut Ui, state: &State, entry: &Entry, chosen: bool) -> bool {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let (enabled, (name, kind)) = (entry.is_enabled(state), entry.words(state));
    response
        .widget_info(|| WidgetInfo::selected(egui::Role::ListBoxOption, enabled, chosen, &name));
    super::clips::paint_row_back(ui, rect, chosen, response.hovered());
    let color = if enabled { theme::TEXT } else { theme::FAINT };
    let left = rect.left_center() + vec2(10.0, 0.0);
    let font = FontId::proportional(13.0);
    let width = text_at(
        ui.painter(),
        left,
        Align2::LEFT_CENTER,
        &name,
        font.clone(),
        color,
        300.0,
    );
    let at = left + vec2(width + 10.0, 0.5);
    let small = FontId::proportional(11.0);
    text_at(
        ui.painter(),
        at,
        Align2::LEFT_CENTER,
        kind,
        small,
        theme::FAINT,
        80.0,
    );
    let keys = match entry {
        Entry::Do(spec) => spec.keys,
        Entry::Clip(_) | Entry::Joint(_) => &[],
    };
    if let Some(key) = keys.first() {
        let right = rect.right_center() - vec2(10.0, 0.0);
        let key = key_text(ui.ctx(), key);
        text_at(
            ui.painter(),
            right,
            Align2::RIGHT_CENTER,
            &key,
            font,
            theme::WEAK,
            120.0,
        );
    }
    response.clicked() && enabled
}

/// Opens it.
pub(in crate::gui) fn open(state: &mut State) {
    state.shell.draft.clear();
    state.shell.palette_row = 0;
    state.shell.sheet = Some(Sheet::Palette);
}
