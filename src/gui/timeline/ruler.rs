//! Frame numbers, and the place where the playhead is dragged.

use super::time_axis::TimeAxis;
use super::{TimeView, show_frame, theme};
use crate::gui::state::State;
use crate::gui::within::Within as _;
use crate::model::FrameGrid;
use eframe::egui::{
    self, Align2, FontId, Painter, PointerButton, Rangef, Rect, Sense, Shape, Stroke, Ui,
    WidgetInfo, pos2,
};

/// Least distance of two numbers.
pub(super) const LABEL_PX: f32 = 58.0;

/// Least distance of two ticks.
const TICK_PX: f32 = 7.0;

/// The ruler: drag scrubs (whole frames; Shift for any position), double click shows the whole clip.
pub(super) fn ruler_ui(ui: &mut Ui, state: &mut State, axis: &TimeAxis) {
    let Some(grid) = state.clip().map(|c| c.grid()) else {
        return;
    };
    let row = ui.max_rect();
    ticks(ui, axis, row, grid.last());
    let caption = pos2(row.left() + 10.0, row.center().y);
    let font = FontId::proportional(11.0);
    ui.painter()
        .text(caption, Align2::LEFT_CENTER, "frame", font, theme::WEAK);
    // The handle reaches over the ends of the axis, so the place to press does too.
    let place = axis.part_of(row).expand2(egui::vec2(8.0, 0.0));
    let response = ui.interact(place, ui.scope_id().with("scrub"), Sense::click_and_drag());
    let frame = state.transport.frame;
    response.widget_info(|| WidgetInfo::slider(true, frame, "Time ruler"));
    if response.double_clicked() {
        state.timeline.view = TimeView::whole(grid.last());
        return;
    }
    let pressed = response.is_pointer_button_down_on() && ui.input(|i| i.pointer.primary_down());
    if (pressed || response.dragged_by(PointerButton::Primary))
        && let Some(pointer) = response.interact_pointer_pos()
    {
        let exact = axis.frame(pointer.x);
        let free = ui.input(|i| i.modifiers.shift);
        let frame = if free { exact } else { exact.round() };
        state.transport.playing = None;
        state.transport.go_to(frame, &grid);
    }
    notes(ui, state, axis, row);
    let response = response.on_hover_cursor(egui::CursorIcon::ResizeHorizontal);
    if let Some(pointer) = response.hover_pos() {
        let text = hover_text(axis.frame(pointer.x), &grid);
        response.on_hover_text_at_pointer(text);
    }
}

/// A flag on every frame with a note: hover reads it, a click goes there.
fn notes(ui: &mut Ui, state: &mut State, axis: &TimeAxis, row: Rect) {
    let Some(grid) = state.clip().map(|c| c.grid()) else {
        return;
    };
    let edits = state
        .session
        .selected()
        .and_then(|id| state.session.edits(id));
    let notes = edits.map_or_else(Vec::new, |e| e.notes.clone());
    for note in notes.iter().filter(|n| n.frame <= grid.last()) {
        let x = axis.x(note.frame as f64);
        if !axis.pixels.contains(x) {
            continue;
        }
        let flag = Rect::from_min_max(
            pos2(x, row.bottom() - 11.0),
            pos2(x + 9.0, row.bottom() - 4.0),
        );
        let id = ui.scope_id().with(("note", note.frame));
        let response = ui.interact(flag.expand(2.0), id, Sense::click());
        let name = format!("Note on frame {}: {}", note.frame, note.text);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &name));
        let painter = ui.painter();
        let pole = Rangef::new(flag.top(), row.bottom());
        painter.vline(x, pole, Stroke::new(1.5, theme::WARNING));
        let points = vec![flag.left_top(), flag.right_center(), flag.left_bottom()];
        painter.add(Shape::convex_polygon(points, theme::WARNING, Stroke::NONE));
        if response.clicked() {
            state.transport.playing = None;
            state.transport.go_to(note.frame as f64, &grid);
        }
        response.on_hover_text(name);
    }
}

fn hover_text(frame: f64, grid: &FrameGrid) -> String {
    let frame = frame.round().within(0.0, grid.last() as f64);
    format!(
        "frame {} · {:.3} s from the first frame at {:.4} frames a second\n\
         Drag: scrub, Shift: between frames · Ctrl + wheel: zoom · Shift + wheel or middle drag: pan · \
         double click: whole clip",
        show_frame(frame),
        frame / grid.rate_hz,
        grid.rate_hz
    )
}

fn ticks(ui: &Ui, axis: &TimeAxis, row: Rect, last: usize) {
    let painter = ui.painter();
    painter.hline(
        axis.pixels,
        row.bottom() - 0.5,
        Stroke::new(1.0, theme::LINE),
    );
    let (numbers, ticks) = (axis.step(LABEL_PX), axis.step(TICK_PX));
    let line = |frame: usize, height: f32, color| {
        let y = Rangef::new(row.bottom() - height, row.bottom());
        painter.vline(axis.x(frame as f64), y, Stroke::new(1.0, color));
    };
    if numbers % ticks == 0 {
        for frame in axis.ticks(ticks, last) {
            line(frame, 4.0, theme::LINE);
        }
    }
    for frame in axis.ticks(numbers, last) {
        line(frame, 8.0, theme::WEAK);
        number(painter, axis.x(frame as f64), row, frame);
    }
}

/// A frame's number, beside its tick where the handle of a playhead on that frame leaves it free: at the
/// right, or at the left where the row ends.
fn number(painter: &Painter, x: f32, row: Rect, frame: usize) {
    let font = FontId::proportional(10.5);
    let galley = painter.layout_no_wrap(frame.to_string(), font, theme::WEAK);
    let width = galley.size().x;
    let right = x + HANDLE_HALF + 2.0;
    let left = if right + width <= row.right() - 2.0 {
        right
    } else {
        x - HANDLE_HALF - 2.0 - width
    };
    let top = row.top() + 8.0 - 0.5 * galley.size().y;
    painter.galley(pos2(left, top), galley, theme::WEAK);
}

/// Half the width of the playhead's handle.
const HANDLE_HALF: f32 = 5.5;

/// The playhead's handle.
pub(super) fn handle(painter: &Painter, x: f32, ruler: Rect) {
    let (top, bottom, half) = (ruler.top() + 2.0, ruler.bottom() - 5.0, HANDLE_HALF);
    let points = vec![
        pos2(x - half, top),
        pos2(x + half, top),
        pos2(x + half, bottom - 5.0),
        pos2(x, bottom),
        pos2(x - half, bottom - 5.0),
    ];
    painter.add(Shape::convex_polygon(points, theme::ACCENT, Stroke::NONE));
}
