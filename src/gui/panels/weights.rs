//! Morph weights: what they may be off, and what they are.

use super::tuning::tune;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{Quantity, Strength, TuneRow, rule, section};
use crate::session::{Change, units};
use eframe::egui::Ui;

/// Shown for clips that have some.
pub(super) fn weights_ui(ui: &mut Ui, state: &mut State) {
    let Some(clip) = state.clip().cloned().filter(|c| !c.scalars().is_empty()) else {
        return;
    };
    let Some(edits) = state
        .session
        .selected()
        .and_then(|id| state.session.edits(id))
    else {
        return;
    };
    let tolerance = edits.settings.weight_tolerance;
    section(ui, "Morph weights", |_| {});
    let row = TuneRow {
        label: "Weight error",
        name: "Weight tolerance of the clip",
        tooltip: "How far a morph weight may be off: 1 is all of a target\nLarger: fewer keys and bytes\nShift drags finer, right click resets",
        quantity: Quantity::Factor,
        value: tolerance,
        strength: Strength::Own,
        revert: None,
    };
    let tuned = row.show(ui);
    let reset = Change::WeightTolerance(crate::codec::WEIGHT_TOLERANCE);
    tune(state, tuned, Change::WeightTolerance, reset);
    let Some(result) = state.result() else {
        return;
    };
    let curves = clip.scalars().iter().zip(&result.curves);
    let worst = curves.max_by(|a, b| a.1.held.total_cmp(&b.1.held));
    if let Some((scalar, error)) = worst {
        let text = format!(
            "{} {}, at most {} off: {}",
            clip.scalars().len(),
            if clip.scalars().len() == 1 {
                "curve"
            } else {
                "curves"
            },
            units::digits(error.held),
            scalar.name
        );
        ui.add(eframe::egui::Label::new(theme::hint(text)).wrap());
    }
    rule(ui);
}
