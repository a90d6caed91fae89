use crate::gui::theme;
use eframe::egui::{
    self, Align2, Color32, CornerRadius, Rect, RichText, Sense, Stroke, Ui, WidgetInfo, vec2,
};

/// Options beside each other, one of them chosen, `width` points in all. Returns what was clicked.
///
/// Each option has a label and a tooltip.
pub fn choice<T: PartialEq + Copy>(
    ui: &mut Ui,
    chosen: T,
    options: &[(T, &str, &str)],
    width: f32,
) -> Option<T> {
    let height = 26.0;
    let (rect, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    ui.painter().rect_filled(rect, 6, theme::SUNK);
    let step = width / options.len().max(1) as f32;
    let mut clicked = None;
    for (k, &(value, label, tooltip)) in options.iter().enumerate() {
        let part = Rect::from_min_size(rect.min + vec2(step * k as f32, 0.0), vec2(step, height));
        let response = ui.interact(
            part,
            ui.scope_id().with((label, "choice", k)),
            Sense::click(),
        );
        let on = value == chosen;
        response.widget_info(|| {
            WidgetInfo::selected(egui::Role::RadioButton, ui.is_enabled(), on, label)
        });
        paint_option(ui, part, label, on, response.hovered());
        if response.clicked() && !on {
            clicked = Some(value);
        }
        response.on_hover_text(tooltip);
    }
    clicked
}

fn paint_option(ui: &Ui, rect: Rect, label: &str, on: bool, hovered: bool) {
    let (fill, text) = match (on, hovered && ui.is_enabled()) {
        (true, _) => (theme::ACCENT_BACK, theme::ACCENT),
        (false, true) => (theme::RAISED, theme::TEXT),
        (false, false) => (Color32::TRANSPARENT, theme::WEAK),
    };
    let inner = rect.shrink(2.0);
    ui.painter().rect(
        inner,
        CornerRadius::same(5),
        fill,
        Stroke::NONE,
        egui::StrokeKind::Inside,
    );
    ui.painter().text(
        inner.center(),
        Align2::CENTER_CENTER,
        label,
        theme::medium_font(12.5),
        text,
    );
}

/// A labelled box that opens a list. Returns what was picked.
pub fn choice_box<T: PartialEq + Copy>(
    ui: &mut Ui,
    label: &str,
    chosen: T,
    options: &[(T, &str, &str)],
    tooltip: &str,
) -> Option<T> {
    let mut picked = None;
    ui.horizontal(|ui| {
        let name = ui
            .label(RichText::new(label).color(theme::WEAK))
            .on_hover_text(tooltip);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let shown = options.iter().find(|o| o.0 == chosen).map_or("", |o| o.1);
            let list = egui::ComboBox::from_id_salt(label)
                .selected_text(shown)
                .width(148.0)
                .show_ui(ui, |ui| {
                    for &(value, text, why) in options {
                        let row = ui.selectable_label(value == chosen, text);
                        if row.on_hover_text(why).clicked() && value != chosen {
                            picked = Some(value);
                        }
                    }
                });
            list.response.labelled_by(name.id).on_hover_text(tooltip);
        });
    });
    picked
}

/// A box to tick. Returns the new state when it was clicked.
pub fn check(ui: &mut Ui, on: bool, label: &str, tooltip: &str) -> Option<bool> {
    let mut now = on;
    let response = ui.checkbox(&mut now, label).on_hover_text(tooltip);
    response.changed().then_some(now)
}
