//! The plot of the selected track: source, compressed, keys.

use super::fit_step::explain_key;
use super::fit_step::shown_curves;
use super::marks::Painted;
use super::plot_data::{Lines, value_range};
use super::plot_unit::PlotUnit;
use super::time_axis::TimeAxis;
use super::transport_bar::joint_name;
use super::{ValueView, buffer_curve, navigation, note, show_frame, theme, time_grid, value_ticks};
use crate::gui::state::State;
use crate::gui::within::Within as _;
use crate::model::channel_name;
use crate::session::{Curves, units};
use eframe::egui::{
    self, Align2, Color32, FontId, PointerButton, Rect, Response, RichText, Sense, Stroke, Ui,
    WidgetInfo, pos2, vec2,
};
use egui_plot::{Line, Plot, PlotBounds, PlotPoints};
use std::sync::Arc;

pub(super) const NAMES: [&str; 4] = ["X", "Y", "Z", "W"];

/// A click this near to a key goes there.
const REACH_PX: f32 = 7.0;

/// Room above and below the values, share of their range.
const HEADROOM: f64 = 0.08;

pub(super) fn plot_unit(state: &State) -> PlotUnit {
    let unit_m = state.result().map_or(1.0, |r| r.unit_m);
    PlotUnit::new(state.channel, unit_m)
}

/// The plot itself.
pub(super) fn plot_ui(ui: &mut Ui, state: &mut State, axis: &TimeAxis) {
    let row = ui.max_rect();
    let area = axis.part_of(row);
    ui.painter().rect_filled(area, 2, theme::SUNK);
    let Some(shown) = shown_curves(state) else {
        note(ui, area, &why_nothing(state));
        return;
    };
    let curves = shown.curves;
    let plot_unit = plot_unit(state);
    let Some(kind) = curves.kind else {
        let text = format!(
            "{} has no {} track: the source leaves it in the rest pose, and nothing is stored",
            joint_name(state),
            channel_name(state.channel)
        );
        note(ui, area, &text);
        return;
    };
    let view = values(state, &curves, &plot_unit);
    let y = move |v: f64| {
        let share = (v - view.low) / (view.high - view.low);
        area.bottom() - (share * f64::from(area.height())) as f32
    };
    let last = state.clip().map_or(0, |c| c.grid().last());
    time_grid(ui, axis, area, last);
    value_ticks(ui, area, (view.low, view.high), 26.0, y);
    let unit = pos2(row.left() + 10.0, area.top() + 6.0);
    let font = FontId::proportional(10.0);
    if plot_unit.value_unit() != "quaternion" {
        ui.painter().text(
            unit,
            Align2::LEFT_CENTER,
            plot_unit.value_unit(),
            font,
            theme::WEAK,
        );
    }
    let lines = state
        .timeline
        .lines
        .lines(&curves, axis.view, area.width(), plot_unit);
    let buffer = buffer_curve::lines(state, axis, area, plot_unit);
    let response = plot_lines(ui, state, axis, area, view, (&lines, buffer.as_ref()));
    let painted = Painted {
        axis,
        area,
        plot_unit: &plot_unit,
        y: &y,
    };
    painted.keys(ui, state, &curves);
    painted.words(ui, &curves, kind, shown.step);
    if let Some(step) = shown.step {
        painted.why(ui, &curves, step);
    }
    painted.out_of_view(ui, state, &lines, view);
    interact(ui, state, &painted, &curves, &response);
}

pub(super) fn why_nothing(state: &State) -> String {
    let Some(id) = state.session.selected() else {
        return String::new();
    };
    if let Some(error) = state.session.error(id) {
        return format!("Not compressed: {error}");
    }
    match state.session.progress(id) {
        Some(progress) => format!("Compressing, {:.0} %", progress * 100.0),
        None => "Not compressed yet".to_owned(),
    }
}

/// The range of values: fitted when another track is shown, then left alone.
fn values(state: &mut State, curves: &Curves, plot_unit: &PlotUnit) -> ValueView {
    let track = (
        state.session.selected().unwrap_or_default(),
        state.joint,
        state.channel,
        state.plot.plotted,
    );
    if let Some(view) = state.timeline.values
        && view.track == track
    {
        return view;
    }
    let mut components = state.plot.components;
    if !components[..curves.width].contains(&true) {
        components = [true; 4];
    }
    let (low, high) = fitted_range(curves, components, plot_unit);
    let middle = 0.5 * (low + high);
    let half = 0.5 * (high - low).max(plot_unit.least_span()) * (1.0 + 2.0 * HEADROOM);
    let view = ValueView {
        track,
        low: middle - half,
        high: middle + half,
    };
    state.timeline.values = Some(view);
    view
}

/// The range of the shown components, without one that would flatten all others: a W near 1 says nothing
/// that X, Y and Z do not say better. What is left out stands as words at the plot's edge.
fn fitted_range(curves: &Curves, components: [bool; 4], plot_unit: &PlotUnit) -> (f64, f64) {
    const FLATTENED: f64 = 2.5;
    let range = |components| value_range(curves, components, plot_unit.value_factor);
    let all = range(components).unwrap_or((0.0, 1.0));
    let [x, y, z, w] = components;
    if curves.width < 4 || !w || !(x || y || z) {
        return all;
    }
    let rest = range([x, y, z, false]).unwrap_or(all);
    let span = (rest.1 - rest.0).max(plot_unit.least_span());
    if all.1 - all.0 > FLATTENED * span {
        rest
    } else {
        all
    }
}

fn plot_lines(
    ui: &mut Ui,
    state: &State,
    axis: &TimeAxis,
    area: Rect,
    view: ValueView,
    (lines, buffer): (&Arc<Lines>, Option<&Arc<Lines>>),
) -> Response {
    let components = state.plot.components;
    let bounds = PlotBounds::from_min_max([axis.view.start, view.low], [axis.view.end, view.high]);
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(area));
    bare_plot("curves", area)
        .show(&mut child, |plot| {
            plot.set_plot_bounds(bounds);
            let visible = |all: &'static [&'static str; 4]| {
                all.iter().enumerate().filter(move |(c, _)| components[*c])
            };
            for (c, name) in visible(&NAMES) {
                if let Some(points) = lines.source.get(c) {
                    let line = Line::new(format!("source {name}"), PlotPoints::Borrowed(points));
                    plot.line(
                        line.color(theme::SOURCE_LINE.gamma_multiply(0.75))
                            .width(1.0),
                    );
                }
            }
            if let Some(buffer) = buffer {
                buffer_curve::draw(plot, buffer, components);
            }
            for (c, name) in visible(&NAMES) {
                if let Some(points) = lines.compressed.get(c) {
                    let line =
                        Line::new(format!("compressed {name}"), PlotPoints::Borrowed(points));
                    plot.line(line.color(theme::COMPONENTS[c]).width(1.6));
                }
            }
        })
        .response
}

/// A plot that is nothing but its lines: axes, bounds and mouse are the timeline's.
pub(super) fn bare_plot<'a>(name: &str, area: Rect) -> Plot<'a> {
    Plot::new(name)
        .width(area.width())
        .height(area.height())
        .show_axes(false)
        .show_grid(false)
        .show_background(false)
        .show_x(false)
        .show_y(false)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_axis_zoom_drag(false)
        .allow_double_click_reset(false)
        .cursor_color(Color32::TRANSPARENT)
        .label_formatter(|_| None)
        .sense(Sense::click_and_drag())
}

/// Index of the instant nearest to a frame.
pub(super) fn nearest(frames: &[f64], frame: f64) -> usize {
    let k = frames.partition_point(|&f| f < frame);
    if k > 0 && (k == frames.len() || frame - frames[k - 1] < frames[k] - frame) {
        k - 1
    } else {
        k
    }
}

fn interact(ui: &Ui, state: &mut State, at: &Painted, curves: &Curves, response: &Response) {
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, "Curves"));
    if response.double_clicked() {
        navigation::fit_values(state);
        return;
    }
    if response.dragged_by(PointerButton::Primary) || response.dragged_by(PointerButton::Middle) {
        pan_values(state, at.area, response.drag_delta().y);
    }
    let Some(pointer) = response.hover_pos() else {
        return;
    };
    zoom_values(ui, state, at.area, pointer.y);
    let near = key_near(at, curves, pointer.x);
    if let (true, Some(frame)) = (response.clicked(), near) {
        navigation::go_to(state, frame);
    }
    let instant = nearest(&curves.frames, near.unwrap_or(at.axis.frame(pointer.x)));
    if instant < curves.frames.len() && !response.dragged() {
        hover_line(ui, at.axis, at.area, curves.frames[instant]);
        tooltip(response, |ui| {
            values_text(ui, state, at, curves, instant, near.is_some());
        });
    }
}

/// A tooltip that follows the pointer at once.
pub(super) fn tooltip(response: &Response, add: impl FnOnce(&mut Ui)) {
    egui::Tooltip::always_open(
        response.ctx.clone(),
        response.layer_id,
        response.id,
        egui::PopupAnchor::Pointer,
    )
    .gap(14.0)
    .show(add);
}

pub(super) fn hover_line(ui: &Ui, axis: &TimeAxis, area: Rect, frame: f64) {
    let stroke = Stroke::new(1.0, theme::WEAK.gamma_multiply(0.6));
    ui.painter().vline(axis.x(frame), area.y_range(), stroke);
}

fn key_near(at: &Painted, curves: &Curves, x: f32) -> Option<f64> {
    let distance = |frame: f64| (at.axis.x(frame) - x).abs();
    let keys = curves.keys.iter().map(|k| k.frame);
    let near = keys.min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
    near.filter(|&f| distance(f) <= REACH_PX)
}

pub(super) fn pan_values(state: &mut State, area: Rect, dy: f32) {
    if let Some(view) = &mut state.timeline.values {
        let shift = f64::from(dy / area.height().max(1.0)) * (view.high - view.low);
        view.low += shift;
        view.high += shift;
    }
}

/// Alt and wheel zoom the values at the pointer.
pub(super) fn zoom_values(ui: &Ui, state: &mut State, area: Rect, y: f32) {
    let (wheel, alt) = ui.input(|i| (i.smooth_scroll_delta().y, i.modifiers.alt));
    if !alt || wheel == 0.0 {
        return;
    }
    if let Some(view) = &mut state.timeline.values {
        let share = f64::from((area.bottom() - y) / area.height().max(1.0));
        let span = view.high - view.low;
        let at = view.low + share * span;
        let span = (span * f64::from(-wheel / 200.0).exp()).within(1e-7, 1e7);
        view.low = at - share * span;
        view.high = view.low + span;
    }
}

fn values_text(
    ui: &mut Ui,
    state: &State,
    at: &Painted,
    curves: &Curves,
    instant: usize,
    on_key: bool,
) {
    let frame = curves.frames[instant];
    let key = if on_key { " · kept key" } else { "" };
    ui.label(RichText::new(format!("frame {}{key}", show_frame_exact(frame))).strong());
    let source = curves.source.get(instant);
    let compressed = curves.compressed.get(instant);
    egui::Grid::new("values")
        .spacing(vec2(10.0, 1.0))
        .show(ui, |ui| {
            ui.label("");
            ui.weak("source");
            ui.weak(if compressed.is_some() {
                "compressed"
            } else {
                ""
            });
            ui.end_row();
            for c in (0..curves.width).filter(|&c| state.plot.components[c]) {
                ui.label(RichText::new(NAMES[c]).color(theme::COMPONENTS[c]).strong());
                for values in [source, compressed].into_iter().flatten() {
                    ui.label(at.plot_unit.show_value(values[c]));
                }
                ui.end_row();
            }
        });
    error_text(ui, curves, at.plot_unit, instant);
    if on_key && let Some(why) = explain_key(curves, frame, at.plot_unit) {
        ui.weak(why);
    }
}

/// Both errors at an instant.
pub(super) fn error_text(ui: &mut Ui, curves: &Curves, plot_unit: &PlotUnit, instant: usize) {
    if let Some(&local) = curves.local_error.get(instant) {
        let tolerance = curves
            .tolerance
            .map(|t| format!(", tolerance {}", plot_unit.show_error(t)));
        let tolerance = tolerance.unwrap_or_default();
        ui.label(format!(
            "local error {}{tolerance}",
            plot_unit.show_error(local)
        ));
    }
    if let Some(&skin) = curves.skin_error_m.get(instant) {
        ui.label(format!("skin error {}", units::show_mm(skin)));
    }
}

/// A frame with quarters.
pub(super) fn show_frame_exact(frame: f64) -> String {
    if (frame * 10.0).fract() == 0.0 {
        show_frame(frame)
    } else {
        format!("{frame:.2}")
    }
}
