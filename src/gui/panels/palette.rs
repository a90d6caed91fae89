//! Everything that can be done, found by typing a part of its name.

use crate::gui::actions::{Action, Spec, TABLE, key_text};
use crate::gui::shell::Sheet;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::text_at;
use eframe::egui::{
    self, Align2, FontId, Id, Key, Modifiers, Sense, TextEdit, Ui, WidgetInfo, Window, vec2,
};

const ROW: f32 = 26.0;
const MOST: usize = 12;

/// The palette: arrows choose, Enter does, Escape leaves.
pub(super) fn palette_ui(ui: &Ui, state: &mut State) {
    let found = found(state, &state.shell.draft);
    let last = found.len().saturating_sub(1);
    let step = ui.input_mut(|i| {
        let mut count = |key| i.count_and_consume_key(Modifiers::NONE, key) as i64;
        count(Key::ArrowDown) - count(Key::ArrowUp)
    });
    let chosen = (state.shell.palette_row as i64 + step).clamp(0, last as i64) as usize;
    state.shell.palette_row = chosen;
    let mut run = None;
    Window::new("Commands")
        .title_bar(false)
        .resizable(false)
        .anchor(Align2::CENTER_TOP, vec2(0.0, 90.0))
        .show(ui.ctx(), |ui| {
            ui.set_width(460.0);
            if search(ui, &mut state.shell.draft) {
                run = found.get(chosen).map(|s| s.action);
            }
            ui.add_space(2.0);
            ui.spacing_mut().item_spacing.y = 0.0;
            let first = (chosen + 1).saturating_sub(MOST);
            for (k, spec) in found.iter().enumerate().skip(first).take(MOST) {
                if row(ui, state, spec, k == chosen) {
                    run = Some(spec.action);
                }
            }
            if found.is_empty() {
                ui.label(theme::hint("Nothing has this in its name"));
            }
        });
    if let Some(action) = run {
        state.shell.sheet = None;
        state.shell.draft.clear();
        action.run(state, ui.ctx());
    }
}

/// Whether Enter was pressed.
fn search(ui: &mut Ui, text: &mut String) -> bool {
    let id = Id::unique("command palette");
    let edit = TextEdit::singleline(text)
        .id(id)
        .hint_text("type what to do")
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

/// Entries whose name or group has all the words that were typed; those that can be done now first.
fn found(state: &State, typed: &str) -> Vec<&'static Spec> {
    let typed = typed.to_lowercase();
    let has = |spec: &&&Spec| {
        let text = format!("{} {}", spec.group, spec.name).to_lowercase();
        typed.split_whitespace().all(|word| text.contains(word))
    };
    let other = |spec: &&&Spec| spec.action != Action::Palette;
    let mut found: Vec<&Spec> = TABLE.iter().collect();
    found = found.iter().filter(other).filter(has).copied().collect();
    found.sort_by_key(|spec| !spec.action.is_enabled(state));
    found
}

/// Returns whether it was clicked.
fn row(ui: &mut Ui, state: &State, spec: &Spec, chosen: bool) -> bool {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let (enabled, name) = (spec.action.is_enabled(state), spec.action.name(state));
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
        spec.group,
        small,
        theme::FAINT,
        80.0,
    );
    if let Some(key) = spec.keys.first() {
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
