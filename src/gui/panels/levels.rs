use crate::codec::{Deliverable, Level, Player, StreamOrder};
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{section, small_button};
use crate::math::Channel;
use crate::session::{Change, ClipResult, units};
use eframe::egui::{Align, Button, Id, Layout, RichText, TextEdit, Ui};
use egui_material_icons::icons::ICON_CLOSE;

/// Levels of detail: what each has, and which one the compressed view shows.
pub(super) fn levels_ui(ui: &mut Ui, state: &mut State) {
    let (Some(clip), Some(result)) = (state.clip().cloned(), state.result().cloned()) else {
        return;
    };
    let id = state.session.selected();
    let Some(settings) = id.and_then(|id| Some(state.session.edits(id)?.settings.clone())) else {
        return;
    };
    if settings.deliverable == Deliverable::Universal {
        return;
    }
    section(ui, "Level of detail", |ui| {
        ui.label(theme::hint("joints, bytes of their tracks"));
    });
    let counts = StreamOrder::new(clip.skeleton(), &settings.levels).counts;
    state.shell.stage.level = state.shell.stage.level.min(counts.len() - 1);
    for (level, joints) in counts.iter().enumerate() {
        let text = format!("LOD{level}");
        let bytes = bytes_of(&result, clip.skeleton().len(), level);
        ui.horizontal(|ui| {
            let shown = state.shell.stage.level == level;
            let button = Button::selectable(shown, RichText::new(text).size(12.5));
            let why = "Shows the compressed clip as a player of this level has it: what it leaves out stands still";
            if ui.add(button).on_hover_text(why).clicked() {
                state.shell.stage.level = level;
            }
            ui.label(RichText::new(format!("{joints} joints")).size(12.5));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let name = format!("Remove level {level}");
                if level > 0 && small_button(ui, ICON_CLOSE.codepoint, &name).clicked() {
                    let mut levels = settings.levels.clone();
                    levels.remove(level - 1);
                    state.change(Change::Levels(levels), None);
                }
                if let Some(bytes) = bytes {
                    ui.label(RichText::new(units::show_bytes(bytes)).size(12.5));
                }
            });
        });
    }
    new_level(
        ui,
        state,
        &settings.levels,
        counts.len() == settings.levels.len() + 1,
    );
}

/// Bytes of the tracks that a level has; `None` while the result is of other levels.
fn bytes_of(result: &ClipResult, joints: usize, level: usize) -> Option<usize> {
    let Player::Container { view, .. } = &result.player else {
        return None;
    };
    let own = (0..joints).filter(|&j| view.level_has(level, j));
    let of_joint = |j: usize| Channel::ALL.iter().map(move |&c| view.track_bytes(j, c));
    (level < view.levels().len()).then(|| own.flat_map(of_joint).sum())
}

/// A field for the joints that the next level leaves out.
fn new_level(ui: &mut Ui, state: &mut State, levels: &[Level], differ: bool) {
    let id = Id::unique("new level");
    let edit = TextEdit::singleline(&mut state.shell.new_level)
        .id(id)
        .hint_text("names it leaves out: thumb*, index*")
        .margin(eframe::egui::Margin::symmetric(8, 3))
        .desired_width(ui.available_width() - 16.0);
    let response = ui.add(edit);
    ui.ctx()
        .accesskit_node_builder(id, |node| node.set_label("New level of detail"));
    let entered = response
        .on_hover_text("Joints that the next lower level leaves out with all that hangs on them; Enter adds it\nA file has the joints of each level as a prefix")
        .lost_focus()
        && ui.input(|i| i.key_pressed(eframe::egui::Key::Enter));
    let level = Level::of_text(&state.shell.new_level);
    if entered && !level.without.is_empty() {
        let mut levels = levels.to_vec();
        levels.push(level);
        state.shell.new_level.clear();
        state.change(Change::Levels(levels), None);
    }
    if !differ {
        ui.label(theme::hint("A level that leaves out nothing more is none"));
    }
}
