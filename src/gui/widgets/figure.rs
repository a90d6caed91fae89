use crate::gui::theme;
use eframe::egui::{
    self, Align2, Color32, FontId, Painter, Pos2, Response, RichText, Sense, Ui, WidgetInfo, vec2,
};

/// A label on the left and a figure on the right, with a tooltip that says what it is.
pub fn figure(ui: &mut Ui, label: &str, value: impl Into<RichText>, tooltip: &str) {
    let row = ui.horizontal(|ui| {
        ui.label(RichText::new(label).color(theme::WEAK).size(12.5));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.label(value.into());
        });
    });
    row.response.on_hover_text(tooltip);
}

/// Metres as a number of millimetres that is at most five characters wide, for columns: `0.097`, `12.4`,
/// `<0.001`.
pub fn mm_text(metres: f64) -> String {
    let mm = 1000.0 * metres;
    match mm.abs() {
        0.0 => "0".into(),
        m if m < 0.0005 => "<0.001".into(),
        m if m < 9.9995 => format!("{mm:.3}"),
        m if m < 99.95 => format!("{mm:.1}"),
        _ => format!("{mm:.0}"),
    }
}

/// Text in one colour, cut off with an ellipsis at `width`. Returns how wide it came out.
pub fn text_at(
    painter: &Painter,
    pos: Pos2,
    anchor: Align2,
    text: &str,
    font: FontId,
    color: Color32,
    width: f32,
) -> f32 {
    let mut job = egui::text::LayoutJob::simple_singleline(text.to_owned(), font, color);
    job.wrap = egui::text::TextWrapping::truncate_at_width(width.max(1.0));
    let galley = painter.layout_job(job);
    let rect = anchor.anchor_size(pos, galley.size());
    let shown = galley.size().x;
    painter.galley(rect.min, galley, color);
    shown
}

/// A quiet button of an icon; `name` is its tooltip and its name for screen readers.
pub fn small_button(ui: &mut Ui, icon: &str, name: &str) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(20.0, 20.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, ui.is_enabled(), name));
    let color = if response.hovered() {
        theme::TEXT
    } else {
        theme::WEAK
    };
    if response.hovered() {
        ui.painter().rect_filled(rect, 4, theme::RAISED);
    }
    ui.painter().text(
        rect.center(),
        Align2::CENTER_CENTER,
        icon,
        FontId::proportional(15.0),
        color,
    );
    response.on_hover_text(name)
}

#[cfg(test)]
mod tests {
    use super::mm_text;

    #[test]
    fn columns_of_millimetres_stay_narrow() {
        let shown = [0.0, 8e-8, 0.000_097, 0.001_5, 0.0124, 1.5].map(mm_text);
        assert_eq!(shown, ["0", "<0.001", "0.097", "1.500", "12.4", "1500"]);
    }
}
