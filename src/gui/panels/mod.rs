//! The window's panels, each a function over the one [`State`](super::state::State).

mod buffer;
mod causes;
mod clips;
mod compare;
mod curve;
mod curve_plot;
mod dialogs;
mod empty;
mod errors;
mod eye;
mod feet;
mod inset;
mod joint;
mod joints;
mod judged;
mod levels;
mod meshes;
mod millimetre;
mod notes;
mod notices;
mod options;
mod pairs;
pub(super) mod palette;
mod presets;
mod rules;
mod sheets;
mod size;
mod status;
mod target;
mod tighten;
mod tolerances;
mod top_bar;
mod tuning;
mod views;
mod weights;
mod work;

pub use clips::clips_ui;
pub(super) use clips::{exceptions, mark_of, own_part, paint_row_back, verdict_mark};
pub(super) use dialogs::focus_first;
pub use empty::empty_ui;
pub(super) use eye::contradiction;
pub(super) use joint::type_tolerance;
pub use joints::joints_ui;
pub use judged::judged_ui;
pub use notices::notices_ui;
pub(super) use rules::type_rule;
#[cfg(test)]
pub(crate) use sheets::GROUPS;
pub use sheets::sheets_ui;
pub use status::status_ui;
pub use top_bar::top_bar_ui;
pub use views::views_ui;

use super::shell::Part;
use super::state::State;
use super::widgets::rule;
use eframe::egui::{Align, ScrollArea, Ui};

/// Room beside the inspector for its scroll bar, points.
const SCROLL_MARGIN: f32 = 12.0;

/// Scrolls to what comes next, where something led to it.
fn reveal(ui: &Ui, state: &mut State, part: Part) {
    if state.shell.reveal == Some(part) {
        state.shell.reveal = None;
        ui.scroll_to_cursor(Some(Align::TOP));
    }
}

/// The right column: how the selected clip is compressed and what came of it.
pub fn inspector_ui(ui: &mut Ui, state: &mut State) {
    ScrollArea::vertical()
        .auto_shrink([false, false])
        .show(ui, |ui| {
            // The scroll bar floats over this margin, not over what can be clicked.
            ui.set_max_width(ui.available_width() - SCROLL_MARGIN);
            target::target_ui(ui, state);
            rule(ui);
            curve::curve_ui(ui, state);
            rule(ui);
            joint::joint_ui(ui, state);
            rule(ui);
            reveal(ui, state, Part::Feet);
            feet::feet_ui(ui, state);
            pairs::pairs_ui(ui, state);
            causes::causes_ui(ui, state);
            rule(ui);
            millimetre::millimetre_ui(ui, state);
            notes::notes_ui(ui, state);
            errors::errors_ui(ui, state);
            reveal(ui, state, Part::Meshes);
            meshes::meshes_ui(ui, state);
            rule(ui);
            rules::rules_ui(ui, state);
            tolerances::tolerances_ui(ui, state);
            rule(ui);
            weights::weights_ui(ui, state);
            reveal(ui, state, Part::Size);
            size::size_ui(ui, state);
            rule(ui);
            levels::levels_ui(ui, state);
            rule(ui);
            compare::compare_ui(ui, state);
            size::unit_ui(ui, state);
        });
}
