use super::errors::go_to;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{SlideGrade, mm_text, rule, section, text_at};
use crate::metrics::{SLIDE_LIMIT_M, Worst};
use crate::session::units;
use eframe::egui::{self, Align2, FontId, Sense, Ui, WidgetInfo, pos2, vec2};

/// How far compression moves feet that stand; nothing where no foot does.
pub(super) fn feet_ui(ui: &mut Ui, state: &mut State) {
    let Some((clip, result)) = state.clip().cloned().zip(state.result().cloned()) else {
        return;
    };
    if result.measured.slides.is_empty() {
        return;
    }
    section(ui, "Feet on the ground", |ui| {
        ui.label(theme::hint("added slide, mm")).on_hover_text(
            "How far compression moves the foot over the ground while the source's foot stands, millimetres",
        );
    });
    for slide in &result.measured.slides {
        let name = &clip.skeleton().joints()[slide.joint].name;
        let (rect, response) =
            ui.allocate_exact_size(vec2(ui.available_width(), 22.0), Sense::click());
        let label = format!("Slide of {name}");
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &label));
        if response.hovered() {
            ui.painter()
                .rect_filled(rect.expand2(vec2(6.0, 0.0)), 5, theme::RAISED);
        }
        let color = SlideGrade::of(slide.added_m).color();
        let y = rect.center().y;
        ui.painter()
            .circle_filled(pos2(rect.left() + 4.0, y), 4.0, color);
        let font = FontId::proportional(12.5);
        let frames = format!("frames {}–{}", slide.frames.0, slide.frames.1);
        let at = pos2(rect.right() - 52.0, y);
        let frames = ui.painter().text(
            at,
            Align2::RIGHT_CENTER,
            frames,
            FontId::proportional(12.0),
            theme::FAINT,
        );
        let at = pos2(rect.left() + 16.0, y);
        let room = frames.left() - 8.0 - at.x;
        text_at(
            ui.painter(),
            at,
            Align2::LEFT_CENTER,
            name,
            font,
            theme::TEXT,
            room,
        );
        let at = pos2(rect.right(), y);
        let figure = mm_text(slide.added_m);
        ui.painter().text(
            at,
            Align2::RIGHT_CENTER,
            figure,
            theme::medium_font(12.5),
            color,
        );
        if response.clicked() {
            let secs = clip.grid().secs(slide.frames.0 as f64);
            let worst = Worst {
                joint: slide.joint,
                secs,
                error_m: slide.added_m,
            };
            go_to(state, worst);
        }
        response.on_hover_text(format!(
            "{name} stands in frames {} to {}; compression lets it slide {} in that time\nRed above {}; click to go there",
            slide.frames.0,
            slide.frames.1,
            units::show_mm(slide.added_m),
            units::show_mm(SLIDE_LIMIT_M),
        ));
    }
    rule(ui);
}
