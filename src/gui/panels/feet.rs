use super::errors::go_to;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{SlideGrade, mm_text, rule, section, text_at};
use crate::metrics::{ContactSlide, SLIDE_LIMIT_M, Worst};
use crate::model::Clip;
use crate::session::{ClipResult, units};
use eframe::egui::{self, Align2, FontId, Rect, Response, Sense, Ui, WidgetInfo, pos2, vec2};

/// Contacts in the list; the tour of the worst moments goes through all.
const MOST_ROWS: usize = 8;

const ROW: f32 = 22.0;

/// Right edges of the columns, from the right edge of the panel.
const SPEED: f32 = 0.0;
const ADDED: f32 = 38.0;
const SOURCE: f32 = 80.0;
const FRAMES: f32 = 136.0;

/// How far compression moves feet that stand, the worst contacts first; nothing where no foot does.
pub(super) fn feet_ui(ui: &mut Ui, state: &mut State) {
    let Some((clip, result)) = state.clip().cloned().zip(state.result().cloned()) else {
        return;
    };
    let slides = result.worst_slides();
    if slides.is_empty() {
        return;
    }
    section(ui, "Feet on the ground", |ui| {
        ui.label(theme::hint("slide, mm")).on_hover_text(
            "How far the foot slides over the ground while the source's foot stands: in the source, and what \
             compression adds; N goes through all contacts",
        );
    });
    heads(ui);
    for slide in slides.iter().take(MOST_ROWS) {
        if row(ui, &clip, &result, slide).clicked() {
            let secs = clip.grid().secs(slide.worst_frame as f64);
            let worst = Worst {
                joint: slide.contact.point.joint,
                secs,
                error_m: slide.added_m,
            };
            go_to(state, worst);
            state.shell.stage.frame_joint_next(worst.joint);
            state.shell.inset = Some(slide.contact.point.foot);
        }
    }
    match slides.len().saturating_sub(MOST_ROWS) {
        0 => {}
        1 => _ = ui.label(theme::hint("and 1 contact with less")),
        more => _ = ui.label(theme::hint(format!("and {more} contacts with less"))),
    }
    rule(ui);
}

fn heads(ui: &mut Ui) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 14.0), Sense::hover());
    let heads = [
        (FRAMES, "frames"),
        (SOURCE, "source"),
        (ADDED, "added"),
        (SPEED, "mm/s"),
    ];
    for (right, head) in heads {
        let at = pos2(rect.right() - right, rect.center().y);
        let font = FontId::proportional(11.0);
        ui.painter()
            .text(at, Align2::RIGHT_CENTER, head, font, theme::FAINT);
    }
}

fn row(ui: &mut Ui, clip: &Clip, result: &ClipResult, slide: &ContactSlide) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let point = slide.contact.point;
    let joint = &clip.skeleton().joints()[point.joint].name;
    let (from, to) = slide.contact.frames;
    let name = format!("{joint} {}", point.part.name());
    let label = format!("Slide of {name}, frames {from} to {to}");
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &label));
    if response.hovered() {
        let back = rect.expand2(vec2(6.0, 0.0));
        ui.painter().rect_filled(back, 5, theme::RAISED);
    }
    let added_m = result.added_m(slide);
    figures(ui, rect, &name, slide, added_m);
    response.on_hover_text(format!(
        "{name} stands in frames {from} to {to}\nThe source drifts {}, the compressed foot {}: compression adds {}, with \
         {} of lift, at up to {} mm/s\nRed above {}; click to go to frame {}",
        units::show_mm(slide.source_drift_m),
        units::show_mm(slide.compressed_drift_m),
        units::show_mm(added_m),
        units::show_mm(slide.lift_m),
        units::digits(slide.speed_m_per_s * 1000.0),
        units::show_mm(SLIDE_LIMIT_M),
        slide.worst_frame,
    ))
}

fn figures(ui: &Ui, rect: Rect, name: &str, slide: &ContactSlide, added_m: f64) {
    let (painter, y) = (ui.painter(), rect.center().y);
    let color = SlideGrade::of(added_m).color();
    painter.circle_filled(pos2(rect.left() + 4.0, y), 4.0, color);
    let small = FontId::proportional(12.0);
    let text = |right: f32, text: String, font: FontId, color| {
        let at = pos2(rect.right() - right, y);
        painter.text(at, Align2::RIGHT_CENTER, text, font, color)
    };
    let (from, to) = slide.contact.frames;
    let frames = text(FRAMES, format!("{from}–{to}"), small.clone(), theme::FAINT);
    let source = format!("{} →", mm_text(slide.source_drift_m));
    text(SOURCE, source, small.clone(), theme::WEAK);
    text(ADDED, mm_text(added_m), theme::medium_font(12.5), color);
    let speed = units::digits((slide.speed_m_per_s * 10_000.0).round() / 10.0);
    text(SPEED, speed, small, theme::WEAK);
    let at = pos2(rect.left() + 16.0, y);
    let room = frames.left() - 8.0 - at.x;
    let font = FontId::proportional(12.5);
    text_at(
        painter,
        at,
        Align2::LEFT_CENTER,
        name,
        font,
        theme::TEXT,
        room,
    );
}
