use crate::gui::theme;
use eframe::egui::{self, Stroke, Ui};

/// A heading with room for something on its right.
pub fn section(ui: &mut Ui, title: &str, right: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        ui.set_min_height(22.0);
        ui.label(theme::semibold(title, 12.0).color(theme::WEAK));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), right);
    });
}

/// A line across the panel, between sections.
pub fn rule(ui: &mut Ui) {
    ui.add_space(5.0);
    let y = ui.cursor().top();
    let range = ui.clip_rect().x_range();
    ui.painter().hline(range, y, Stroke::new(1.0, theme::LINE));
    ui.add_space(5.0);
}
