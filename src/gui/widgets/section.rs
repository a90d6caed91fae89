use crate::gui::theme;
use eframe::egui::{self, Rect, Sense, Stroke, Ui, WidgetInfo, vec2};

/// Room for the triangle before a heading that folds.
const FOLD_ICON: f32 = 14.0;

/// A heading with room for something on its right.
pub fn section(ui: &mut Ui, title: &str, right: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        ui.set_min_height(22.0);
        ui.label(theme::semibold(title, 12.0).color(theme::WEAK));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), right);
    });
}

/// A heading that folds up what stands below it. Returns whether it was clicked.
pub fn fold(ui: &mut Ui, title: &str, open: bool, right: impl FnOnce(&mut Ui)) -> bool {
    let mut clicked = false;
    ui.horizontal(|ui| {
        ui.set_min_height(22.0);
        let font = theme::semibold_font(12.0);
        let text = ui
            .painter()
            .layout_no_wrap(title.to_owned(), font, theme::WEAK);
        let size = vec2(FOLD_ICON + text.size().x, 22.0);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        response.widget_info(|| {
            WidgetInfo::selected(egui::Role::DisclosureTriangle, true, open, title)
        });
        let mut icon = response.clone();
        icon.rect = Rect::from_center_size(
            rect.left_center() + vec2(4.0, 0.0),
            vec2(FOLD_ICON - 4.0, FOLD_ICON - 4.0),
        );
        let openness = if open { 1.0 } else { 0.0 };
        egui::collapsing_header::paint_default_icon(ui, openness, &icon);
        let at = rect.left_center() + vec2(FOLD_ICON, -0.5 * text.size().y);
        ui.painter().galley(at, text, theme::WEAK);
        clicked = response.clicked();
        response.on_hover_text(if open { "Fold up" } else { "Unfold" });
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), right);
    });
    clicked
}

/// A line across the panel, between sections.
pub fn rule(ui: &mut Ui) {
    ui.add_space(5.0);
    let y = ui.cursor().top();
    let range = ui.clip_rect().x_range();
    ui.painter().hline(range, y, Stroke::new(1.0, theme::LINE));
    ui.add_space(5.0);
}
