//! The bottom of the window: transport bar, ruler, foot lanes, importance, curves and error strip on one time axis.
//!
//! All rows share [`TimeView`], so a frame lies on the same pixel in each. Drag on the ruler moves the
//! playhead, Ctrl and wheel zoom at the pointer, Shift and wheel or the middle button pan. Nothing
//! scrolls or zooms by itself.

mod buffer_curve;
mod contact_drag;
mod contact_menu;
mod curves;
mod error_strip;
mod fit_step;
mod frame_text;
mod header;
mod icons;
mod importance;
mod lanes;
mod marks;
mod motion;
pub mod navigation;
mod plain_transport;
mod plot_data;
mod plot_unit;
mod ruler;
mod time_axis;
mod transport_bar;

pub use fit_step::{ShownCurves, shown_curves};
pub use frame_text::{parse_frame, show_frame};
pub use plain_transport::plain_transport_ui;
pub use time_axis::TimeView;

use super::state::{Plotted, State};
use super::theme;
use crate::gui::within::Within as _;
use crate::math::Channel;
use crate::session::ClipId;
use eframe::egui::{self, Align2, Color32, FontId, Rangef, Rect, Stroke, Ui, UiBuilder, pos2};
use plot_data::LineCache;
use time_axis::TimeAxis;

/// Width left of the time axis: names of feet, values of axes.
const GUTTER: f32 = 76.0;

/// Room at the right of the time axis.
const MARGIN: f32 = 10.0;

const TRANSPORT_HEIGHT: f32 = 32.0;
const RULER_HEIGHT: f32 = 22.0;
const HEADER_HEIGHT: f32 = 26.0;

/// Which error the strip shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShownError {
    /// Skin error of the joint, in model space.
    #[default]
    Skin,
    /// Local error of the track.
    Local,
}

/// The values that the plot shows, of one track or of a joint's motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ValueView {
    track: (ClipId, usize, Channel, Plotted),
    low: f64,
    high: f64,
}

/// What the timeline remembers.
#[derive(Default)]
pub struct TimelineState {
    /// The visible frames.
    pub view: TimeView,
    /// Which error the strip shows.
    pub error: ShownError,
    shown_clip: Option<ClipId>,
    pub(super) values: Option<ValueView>,
    lines: LineCache,
    buffer_lines: LineCache,
    replayed: Option<fit_step::Replayed>,
    frame_edit: Option<String>,
    contact_drag: Option<contact_drag::ContactDrag>,
    brush: importance::Brush,
    stroked: Option<importance::Stroked>,
    importance_height: f32,
}

impl TimelineState {
    /// Whether importance had rows when the timeline was shown last.
    pub fn shows_importance(&self) -> bool {
        self.importance_height > 0.0
    }
}

impl Default for TimeView {
    fn default() -> Self {
        Self::whole(0)
    }
}

/// The whole timeline, in the space that is left.
pub fn timeline_ui(ui: &mut Ui, state: &mut State) {
    let rect = ui.available_rect_before_wrap();
    ui.allocate_rect(rect, egui::Sense::hover());
    let Some(grid) = state.clip().map(|c| c.grid()) else {
        let text = "Open a file, or drop one here, to see its curves";
        note(ui, rect, text);
        return;
    };
    follow_clip(state, grid.last());
    let lanes = lanes::LaneSize::new(state, rect.height());
    let importance = importance::height(state, rect.height());
    state.timeline.importance_height = importance;
    let rows = Rows::new(rect, lanes.total(), importance);
    navigate(ui, state, rows.body, grid.last());
    row(ui, "transport", rows.transport, |ui| {
        transport_bar::transport_bar_ui(ui, state);
    });
    let axis = rows.axis(state.timeline.view);
    row(ui, "lanes", rows.lanes, |ui| {
        lanes::lanes_ui(ui, state, &axis, lanes);
    });
    row(ui, "importance", rows.importance, |ui| {
        importance::importance_ui(ui, state, &axis);
    });
    row(ui, "header", rows.header, |ui| header::header_ui(ui, state));
    row(ui, "curves", rows.plot, |ui| match state.plot.plotted {
        Plotted::Channel => curves::plot_ui(ui, state, &axis),
        Plotted::Speed | Plotted::Height => motion::motion_ui(ui, state, &axis),
    });
    row(ui, "error", rows.strip, |ui| {
        error_strip::error_strip_ui(ui, state, &axis);
    });
    row(ui, "ruler", rows.ruler, |ui| {
        ruler::ruler_ui(ui, state, &axis);
    });
    playhead(ui, state, &axis, &rows);
}

/// Another clip is shown whole.
fn follow_clip(state: &mut State, last: usize) {
    let selected = state.session.selected();
    if state.timeline.shown_clip != selected {
        state.timeline.shown_clip = selected;
        state.timeline.view = TimeView::whole(last);
        state.timeline.frame_edit = None;
        state.timeline.contact_drag = None;
        state.timeline.stroked = None;
    }
}

/// Where the rows lie.
struct Rows {
    transport: Rect,
    ruler: Rect,
    lanes: Rect,
    importance: Rect,
    header: Rect,
    plot: Rect,
    strip: Rect,
    /// Everything below the transport bar.
    body: Rect,
}

impl Rows {
    fn new(rect: Rect, lanes_height: f32, importance_height: f32) -> Self {
        let mut top = rect.top();
        let mut next = |height: f32| {
            let y = Rangef::new(top, (top + height).min(rect.bottom()));
            top = y.max;
            Rect::from_x_y_ranges(rect.x_range(), y)
        };
        let transport = next(TRANSPORT_HEIGHT);
        let ruler = next(RULER_HEIGHT);
        let lanes = next(lanes_height);
        let importance = next(importance_height);
        let header = next(HEADER_HEIGHT);
        let left = rect.bottom() - header.bottom() - 8.0;
        let strip_height = (left * 0.27).within(40.0, 84.0);
        let plot = next((left - strip_height).max(20.0));
        next(4.0);
        let strip = next(strip_height);
        Self {
            transport,
            ruler,
            lanes,
            importance,
            header,
            plot,
            strip,
            body: Rect::from_min_max(pos2(rect.left(), transport.bottom()), rect.max),
        }
    }

    fn axis(&self, view: TimeView) -> TimeAxis {
        TimeAxis {
            view,
            pixels: Rangef::new(self.body.left() + GUTTER, self.body.right() - MARGIN),
        }
    }
}

fn row(ui: &mut Ui, name: &str, rect: Rect, add: impl FnOnce(&mut Ui)) {
    ui.scope_builder(UiBuilder::new().id_salt(name).max_rect(rect), |ui| {
        ui.shrink_clip_rect(rect);
        add(ui);
    });
}

/// Zoom and pan, anywhere below the transport bar.
fn navigate(ui: &Ui, state: &mut State, body: Rect, last: usize) {
    let axis = Rows::new(body.with_min_y(body.top() - TRANSPORT_HEIGHT), 0.0, 0.0)
        .axis(state.timeline.view);
    let (pointer, zoom, wheel, panned) = ui.input(|i| {
        let middle =
            i.pointer.middle_down() && i.pointer.press_origin().is_some_and(|p| body.contains(p));
        let panned = if middle { i.pointer.delta().x } else { 0.0 };
        (
            i.pointer.hover_pos(),
            i.zoom_delta(),
            i.smooth_scroll_delta().x,
            panned,
        )
    });
    let Some(pointer) = pointer else {
        return;
    };
    let view = &mut state.timeline.view;
    if panned != 0.0 {
        view.pan(-f64::from(panned) * axis.frames_per_pixel(), last);
    }
    if !ui.rect_contains_pointer(body) {
        return;
    }
    if zoom != 1.0 {
        view.zoom(f64::from(zoom), axis.frame(pointer.x), last);
    }
    if wheel != 0.0 {
        view.pan(-f64::from(wheel) * axis.frames_per_pixel(), last);
    }
}

/// The playhead's line through all rows, and its handle on the ruler.
fn playhead(ui: &Ui, state: &State, axis: &TimeAxis, rows: &Rows) {
    let x = axis.x(state.transport.frame);
    if !axis.pixels.contains(x) {
        return;
    }
    let painter = ui.painter();
    let stroke = Stroke::new(1.5, theme::ACCENT);
    painter.vline(
        x,
        Rangef::new(rows.ruler.bottom() - 6.0, rows.importance.bottom()),
        stroke,
    );
    painter.vline(x, Rangef::new(rows.plot.top(), rows.strip.bottom()), stroke);
    ruler::handle(painter, x, rows.ruler);
}

/// Words on a plot, on a ground that dims the curves below and hides none; returns what they cover.
fn card(ui: &Ui, at: egui::Pos2, align: Align2, text: String, font: FontId, ink: Color32) -> Rect {
    let galley = ui.painter().layout_no_wrap(text, font, ink);
    let words = align.anchor_size(at, galley.size());
    let ground = words.expand2(egui::vec2(4.0, 1.0));
    ui.painter()
        .rect_filled(ground, 3, theme::SUNK.gamma_multiply(0.7));
    ui.painter().galley(words.min, galley, ink);
    ground
}

/// Words in the place of a picture.
fn note(ui: &Ui, rect: Rect, text: &str) {
    let font = FontId::proportional(12.5);
    let painter = ui.painter_at(rect);
    let galley = painter.layout(text.to_owned(), font, theme::WEAK, rect.width() - 16.0);
    let corner = Align2::CENTER_CENTER
        .anchor_size(rect.center(), galley.size())
        .min;
    painter.galley(corner, galley, theme::WEAK);
}

/// Values at the left of a row, with a faint line each; `y` places a value.
fn value_ticks(ui: &Ui, plot: Rect, range: (f64, f64), least_px: f32, y: impl Fn(f64) -> f32) {
    let per_pixel = (range.1 - range.0) / f64::from(plot.height().max(1.0));
    let step = time_axis::nice_step(per_pixel * f64::from(least_px));
    let decimals = (-step.log10().floor()).within(0.0, 6.0) as usize;
    let (first, end) = (
        (range.0 / step).ceil() as i64,
        (range.1 / step).floor() as i64,
    );
    for k in first..=end.min(first + 60) {
        let value = k as f64 * step;
        let at = y(value);
        let color = if k == 0 { theme::LINE } else { theme::GRID };
        ui.painter()
            .hline(plot.x_range(), at, Stroke::new(1.0, color));
        let text = format!("{value:.decimals$}");
        let at = at.within(plot.top() + 6.0, plot.bottom() - 6.0);
        let font = FontId::proportional(10.5);
        let pos = pos2(plot.left() - 6.0, at);
        ui.painter()
            .text(pos, Align2::RIGHT_CENTER, text, font, theme::WEAK);
    }
}

/// Faint vertical lines at the ruler's numbers.
fn time_grid(ui: &Ui, axis: &TimeAxis, row: Rect, last: usize) {
    for frame in axis.ticks(axis.step(ruler::LABEL_PX), last) {
        let stroke = Stroke::new(1.0, theme::GRID);
        ui.painter()
            .vline(axis.x(frame as f64), row.y_range(), stroke);
    }
}
