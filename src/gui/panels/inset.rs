use crate::gui::shell::Exaggeration;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::view::Motion;
use crate::gui::widgets::{small_button, text_at};
use crate::gui::within::Within as _;
use crate::session::{ClipResult, units};
use eframe::egui::{
    self, Align2, Color32, FontId, Rect, Sense, Stroke, StrokeKind, Ui, UiBuilder, WidgetInfo,
    pos2, vec2,
};
use glam::DVec2;

/// The picture's slot beside those of the views.
const SLOT: usize = 8;

const MARGIN: f32 = 12.0;
const BAR: f32 = 24.0;

/// Below the badges of the view: one row of them, in a narrow view two.
const TOP: f32 = 46.0;
const NARROW_TOP: f32 = 78.0;
const NARROW: f32 = 480.0;

/// Above the legend of the view.
const BOTTOM: f32 = 50.0;

/// Where it lies in a view: in the upper right corner, where a standing character is not.
fn place(view: Rect) -> Rect {
    let width = (0.38 * view.width()).within(164.0, 280.0);
    let top = if view.width() < NARROW {
        NARROW_TOP
    } else {
        TOP
    };
    let height = (0.75 * width + 2.0 * BAR)
        .min(view.height() - top - BOTTOM)
        .max(90.0);
    let corner = pos2(view.right() - MARGIN - width, view.top() + top);
    Rect::from_min_size(corner.round(), vec2(width, height).round())
}

/// The selected foot (or any joint) enlarged, its error exaggerated; in a corner of the view with the compressed
/// character.
pub(super) fn inset_ui(ui: &mut Ui, state: &mut State, view: Rect, motion: Motion) {
    let (Some(joint), Some(result)) = (state.shell.inset, state.staged_result().cloned()) else {
        return;
    };
    let Some(clip) = state.clip().cloned().filter(|c| joint < c.skeleton().len()) else {
        return;
    };
    let name = clip.skeleton().joints()[joint].name.clone();
    let rect = place(view);
    orbit(ui, state, rect, &name);
    let picture = rect
        .with_min_y(rect.top() + BAR)
        .with_max_y(rect.bottom() - BAR);
    let times = state.shell.exaggeration;
    let aspect = f64::from(picture.width() / picture.height().max(1.0));
    let stage = &state.shell.stage;
    let input = stage.inset(joint, f64::from(times.0), aspect, &state.view, motion);
    let painter = ui.painter_at(rect.expand(1.0));
    painter.rect_filled(rect, 6, theme::PANEL);
    if let Some(input) = input {
        stage.painter.paint(&painter, picture, SLOT, input);
    }
    let line = Stroke::new(1.0, theme::FAINT);
    painter.rect_stroke(rect, 6, line, StrokeKind::Outside);
    words(
        ui,
        &painter,
        picture,
        error_now(&result, joint, state.transport.frame),
        times,
    );
    head(ui, state, rect, &name);
    foot(ui, state, rect);
}

/// Skin error of a joint at the playhead, metres.
fn error_now(result: &ClipResult, joint: usize, frame: f64) -> f64 {
    let row = (frame * result.measured.density as f64).round() as usize;
    let error = result.measured.row_m(row).get(joint);
    error.map_or(0.0, |&e| f64::from(e))
}

/// The inset turns with the views, and the views with it.
fn orbit(ui: &Ui, state: &mut State, rect: Rect, name: &str) {
    let response = ui.interact(rect, ui.scope_id().with("inset"), Sense::click_and_drag());
    let label = format!("Inset of {name}");
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, &label));
    if response.dragged() {
        let delta = response.drag_delta();
        let delta = DVec2::new(f64::from(delta.x), f64::from(delta.y));
        state.shell.stage.camera.orbit(delta);
        ui.ctx().request_repaint();
    }
}

/// What is seen, in its true size and as it is drawn.
fn words(ui: &Ui, painter: &egui::Painter, picture: Rect, error_m: f64, times: Exaggeration) {
    let text = match times.0 {
        1 => format!("off by {}", units::show_mm(error_m)),
        n => format!("off by {}, drawn ×{n}", units::show_mm(error_m)),
    };
    let font = FontId::proportional(11.0);
    let galley = painter.layout_no_wrap(text, font, theme::TEXT);
    let at = pos2(picture.left() + 6.0, picture.bottom() - 5.0);
    let words = Align2::LEFT_BOTTOM.anchor_size(at, galley.size());
    painter.rect_filled(
        words.expand2(vec2(4.0, 1.0)),
        3,
        Color32::from_black_alpha(150),
    );
    painter.galley(words.min, galley, theme::TEXT);
    let why = "Skin error of this joint at the playhead, measured on the decoded bytes, and how it is drawn\nBlue: source; \
               orange: compressed";
    ui.interact(words, ui.scope_id().with("inset words"), Sense::hover())
        .on_hover_text(why);
}

fn head(ui: &mut Ui, state: &mut State, rect: Rect, name: &str) {
    let bar = rect.with_max_y(rect.top() + BAR);
    let at = pos2(bar.left() + 8.0, bar.center().y);
    let font = theme::medium_font(12.0);
    let room = bar.width() - 40.0;
    text_at(
        ui.painter(),
        at,
        Align2::LEFT_CENTER,
        name,
        font,
        theme::TEXT,
        room,
    );
    let close = Rect::from_center_size(pos2(bar.right() - 13.0, bar.center().y), vec2(20.0, 20.0));
    let mut child = ui.new_child(UiBuilder::new().max_rect(close));
    let icon = egui_material_icons::icons::ICON_CLOSE.codepoint;
    if small_button(&mut child, icon, "Close the inset").clicked() {
        state.shell.inset = None;
    }
}

/// How many times the error is enlarged.
fn foot(ui: &Ui, state: &mut State, rect: Rect) {
    let bar = rect.with_min_y(rect.bottom() - BAR);
    let font = FontId::proportional(11.0);
    let at = pos2(bar.left() + 8.0, bar.center().y);
    ui.painter()
        .text(at, Align2::LEFT_CENTER, "error", font.clone(), theme::WEAK);
    let left = bar.left() + 42.0;
    let step = (bar.right() - 4.0 - left) / Exaggeration::ALL.len() as f32;
    for (k, times) in Exaggeration::ALL.into_iter().enumerate() {
        let corner = pos2(left + step * k as f32, bar.top() + 2.0);
        let part = Rect::from_min_size(corner, vec2(step - 2.0, BAR - 4.0));
        let response = ui.interact(part, ui.scope_id().with(("exaggerate", k)), Sense::click());
        let on = state.shell.exaggeration == times;
        let label = format!("Exaggerate ×{}", times.0);
        response.widget_info(|| WidgetInfo::selected(egui::Role::RadioButton, true, on, &label));
        let (fill, color) = match (on, response.hovered()) {
            (true, _) => (theme::ACCENT_BACK, theme::ACCENT),
            (false, true) => (theme::RAISED, theme::TEXT),
            (false, false) => (theme::PANEL, theme::WEAK),
        };
        ui.painter().rect_filled(part, 4, fill);
        let text = format!("×{}", times.0);
        ui.painter().text(
            part.center(),
            Align2::CENTER_CENTER,
            text,
            font.clone(),
            color,
        );
        if response.clicked() {
            state.shell.exaggeration = times;
        }
        response.on_hover_text(match times.0 {
            1 => "Errors at their true size".to_owned(),
            n => format!("Every place is drawn {n} times as far from the source's as it is"),
        });
    }
}
