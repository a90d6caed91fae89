//! The plot of the selected track: source, compressed, keys.

use super::fit_step::{explain, fit_step_ui, shown_curves};
use super::icons::diamond;
use super::plot_data::{Lines, value_range};
use super::quantity::Quantity;
use super::time_axis::TimeAxis;
use super::transport_bar::joint_name;
use super::{
    ShownCurves, ValueView, card, navigation, note, show_frame, theme, time_grid, value_ticks,
};
use crate::codec::TrackKind;
use crate::gui::state::State;
use crate::model::channel_name;
use crate::session::{Curves, units};
use eframe::egui::{
    self, Align, Align2, Button, Color32, FontId, Layout, PointerButton, Rangef, Rect, Response,
    RichText, Sense, Stroke, Ui, WidgetInfo, pos2, vec2,
};
use egui_plot::{Line, Plot, PlotBounds, PlotPoints};
use std::sync::Arc;

const NAMES: [&str; 4] = ["X", "Y", "Z", "W"];

/// Keys nearer to each other than this are drawn as one.
const KEY_PX: f32 = 3.0;

/// From this distance on source keys are drawn on their curves, below it as ticks.
const SOURCE_KEY_PX: f32 = 11.0;

/// Most diamonds, of all components.
const MAX_DIAMONDS: usize = 2000;

/// A click this near to a key goes there.
const REACH_PX: f32 = 7.0;

/// Room above and below the values, share of their range.
const HEADROOM: f64 = 0.08;

/// Component toggles, caption, fit steps, vertical fit.
pub(super) fn header_ui(ui: &mut Ui, state: &mut State) {
    let row = ui.max_rect();
    let shown = shown_curves(state);
    let width = shown
        .as_ref()
        .map_or(state.channel.width(), |s| s.curves.width);
    let slider_width = if row.width() > 950.0 { 110.0 } else { 70.0 };
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        ui.add_space(10.0);
        let tip = "Fit the values to the plot's height";
        if ui
            .add(Button::new("fit").small().min_size(vec2(28.0, 18.0)))
            .on_hover_text(tip)
            .clicked()
        {
            navigation::fit_values(state);
        }
        // Laid out from the left, so that the reading order is that of the words.
        let size = vec2(158.0 + slider_width, row.height());
        ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
            fit_step_ui(ui, state, slider_width);
        });
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.add_space(GUTTER_LEFT);
            pills(ui, state, width);
            ui.add_space(4.0);
            if let Some(shown) = &shown {
                caption(ui, shown);
            }
        });
    });
}

/// The toggles begin a little left of the time axis, where the values' numbers end.
const GUTTER_LEFT: f32 = 36.0;

fn pills(ui: &mut Ui, state: &mut State, width: usize) {
    ui.spacing_mut().item_spacing.x = 4.0;
    for (c, name) in NAMES.iter().enumerate() {
        let on = state.plot.components[c];
        let there = c < width;
        let color = theme::COMPONENTS[c];
        let (fill, ink) = if on && there {
            (color.gamma_multiply(0.22), color)
        } else {
            (theme::SUNK, theme::WEAK)
        };
        let button = Button::new(RichText::new(*name).color(ink).size(11.0).strong())
            .fill(fill)
            .min_size(vec2(24.0, 18.0))
            .corner_radius(4);
        let response = ui.add_enabled(there, button);
        response.widget_info(|| {
            let name = format!("Component {name}");
            WidgetInfo::selected(egui::Role::CheckBox, there, on, name)
        });
        let tip = format!("Show or hide {name}; Alt: this one alone");
        let response = response
            .on_hover_text(tip)
            .on_disabled_hover_text("Only rotations have a W");
        if !response.clicked() {
            continue;
        }
        if ui.input(|i| i.modifiers.alt) {
            state.plot.components = std::array::from_fn(|k| k == c);
        } else {
            state.plot.components[c] = !on;
        }
        navigation::fit_values(state);
    }
}

/// From this width on the caption says what the colours mean; its tooltip always does.
const WIDE_CAPTION: f32 = 390.0;

fn caption(ui: &mut Ui, shown: &ShownCurves) {
    let curves = &shown.curves;
    let (kept, all) = (curves.keys.len(), curves.source_keys.len());
    let (text, color) = if shown.step.is_some() {
        (
            format!("◆ {kept} of {all} keys at this step"),
            theme::ACCENT,
        )
    } else {
        (format!("◆ {kept} of {all} keys kept"), theme::WEAK)
    };
    let legend = "white: source · colour: compressed";
    let words = if ui.available_width() < WIDE_CAPTION {
        text.clone()
    } else {
        format!("{text} · {legend}")
    };
    let label = egui::Label::new(RichText::new(words).color(color).size(11.5)).truncate();
    ui.add(label).on_hover_text(format!("{text}\n{legend}"));
}

pub(super) fn quantity(state: &State) -> Quantity {
    let unit_m = state.result().map_or(1.0, |r| r.unit_m);
    Quantity::new(state.channel, unit_m)
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
    let quantity = quantity(state);
    let Some(kind) = curves.kind else {
        let text = format!(
            "{} has no {} track: the source leaves it in the rest pose, and nothing is stored",
            joint_name(state),
            channel_name(state.channel)
        );
        note(ui, area, &text);
        return;
    };
    let view = values(state, &curves, &quantity);
    let y = move |v: f64| {
        let share = (v - view.low) / (view.high - view.low);
        area.bottom() - (share * f64::from(area.height())) as f32
    };
    let last = state.clip().map_or(0, |c| c.grid().last());
    time_grid(ui, axis, area, last);
    value_ticks(ui, area, (view.low, view.high), 26.0, y);
    let unit = pos2(row.left() + 10.0, area.top() + 6.0);
    let font = FontId::proportional(10.0);
    if quantity.value_unit() != "quaternion" {
        ui.painter().text(
            unit,
            Align2::LEFT_CENTER,
            quantity.value_unit(),
            font,
            theme::WEAK,
        );
    }
    let lines = state
        .timeline
        .lines
        .lines(&curves, axis.view, area.width(), quantity);
    let response = plot_lines(ui, state, axis, area, view, &lines);
    let painted = Painted {
        axis,
        area,
        quantity: &quantity,
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

fn why_nothing(state: &State) -> String {
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
fn values(state: &mut State, curves: &Curves, quantity: &Quantity) -> ValueView {
    let track = (
        state.session.selected().unwrap_or_default(),
        state.joint,
        state.channel,
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
    let (low, high) = fitted_range(curves, components, quantity);
    let middle = 0.5 * (low + high);
    let half = 0.5 * (high - low).max(quantity.least_span()) * (1.0 + 2.0 * HEADROOM);
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
fn fitted_range(curves: &Curves, components: [bool; 4], quantity: &Quantity) -> (f64, f64) {
    const FLATTENED: f64 = 2.5;
    let range = |components| value_range(curves, components, quantity.value_factor);
    let all = range(components).unwrap_or((0.0, 1.0));
    let [x, y, z, w] = components;
    if curves.width < 4 || !w || !(x || y || z) {
        return all;
    }
    let rest = range([x, y, z, false]).unwrap_or(all);
    let span = (rest.1 - rest.0).max(quantity.least_span());
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
    lines: &Arc<Lines>,
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

/// Where things lie in the plot.
struct Painted<'a> {
    axis: &'a TimeAxis,
    area: Rect,
    quantity: &'a Quantity,
    y: &'a dyn Fn(f64) -> f32,
}

impl Painted<'_> {
    fn point(&self, frame: f64, value: f64) -> egui::Pos2 {
        pos2(
            self.axis.x(frame),
            (self.y)(value * self.quantity.value_factor),
        )
    }

    fn visible(&self, frame: f64) -> bool {
        self.axis.pixels.expand(5.0).contains(self.axis.x(frame))
    }

    fn keys(&self, ui: &Ui, state: &State, curves: &Curves) {
        let painter = ui.painter_at(self.area.expand(4.0).intersect(ui.clip_rect()));
        self.source_keys(&painter, state, curves);
        let shown = |c: &usize| state.plot.components[*c];
        let mut before = f32::NEG_INFINITY;
        let mut left = MAX_DIAMONDS;
        for key in curves.keys.iter().filter(|k| self.visible(k.frame)) {
            let x = self.axis.x(key.frame);
            if x - before < KEY_PX || left == 0 {
                continue;
            }
            before = x;
            for c in (0..curves.width).filter(shown) {
                let at = self.point(key.frame, key.value[c]);
                let rim = Stroke::new(1.0, theme::SUNK);
                diamond(&painter, at, 4.2, theme::COMPONENTS[c], rim);
                left = left.saturating_sub(1);
            }
        }
    }

    fn source_keys(&self, painter: &egui::Painter, state: &State, curves: &Curves) {
        let stroke = Stroke::new(1.0, theme::SOURCE_LINE.gamma_multiply(0.8));
        let visible = |f: &&f64| self.visible(**f);
        let from = curves
            .source_keys
            .partition_point(|&f| f < self.axis.view.start);
        let to = curves
            .source_keys
            .partition_point(|&f| f <= self.axis.view.end);
        let apart = self.area.width() / (to - from).max(1) as f32;
        let mut before = f32::NEG_INFINITY;
        for &frame in curves.source_keys[from..to].iter().filter(visible) {
            let x = self.axis.x(frame);
            if x - before < KEY_PX {
                continue;
            }
            before = x;
            if apart < SOURCE_KEY_PX {
                let y = Rangef::new(self.area.bottom() - 4.0, self.area.bottom());
                painter.vline(x, y, stroke);
                continue;
            }
            let value = at_frame(&curves.frames, &curves.source, frame);
            for c in (0..curves.width).filter(|&c| state.plot.components[c]) {
                diamond(
                    painter,
                    self.point(frame, value[c]),
                    3.0,
                    theme::SUNK,
                    stroke,
                );
            }
        }
    }

    /// Names components that lie wholly above or below the values shown.
    fn out_of_view(&self, ui: &Ui, state: &State, lines: &Lines, view: ValueView) {
        let mut right = self.area.right() - 8.0;
        for c in (0..4).filter(|&c| state.plot.components[c]) {
            let Some((low, high)) = lines.ranges[c] else {
                continue;
            };
            let (sign, align, y) = if low > view.high {
                ("▲", Align2::RIGHT_TOP, self.area.top() + 4.0)
            } else if high < view.low {
                ("▼", Align2::RIGHT_BOTTOM, self.area.bottom() - 6.0)
            } else {
                continue;
            };
            let text = format!("{sign} {} {}", NAMES[c], where_it_lies(low, high));
            let font = FontId::proportional(11.0);
            let drawn = card(ui, pos2(right, y), align, text, font, theme::COMPONENTS[c]);
            right = drawn.left() - 8.0;
        }
    }

    /// What a level curve means.
    fn words(&self, ui: &Ui, curves: &Curves, kind: TrackKind, step: Option<usize>) {
        let text = match kind {
            TrackKind::Rest => format!(
                "Nothing is stored: the rest pose is right within {}",
                self.worst(curves)
            ),
            TrackKind::Constant => format!(
                "Constant: one value is stored, right within {}",
                self.worst(curves)
            ),
            TrackKind::Step => "Stepped: every key holds until the next one".to_owned(),
            TrackKind::Keys if step.is_some() && curves.compressed.is_empty() => {
                "Keys after this step".to_owned()
            }
            TrackKind::Keys => return,
        };
        let at = pos2(self.area.left() + 10.0, self.area.top() + 5.0);
        let font = FontId::proportional(11.5);
        card(ui, at, Align2::LEFT_TOP, text, font, theme::TEXT);
    }

    /// What the chosen fit step did, on the plot where a whole sentence has room.
    fn why(&self, ui: &Ui, curves: &Curves, step: usize) {
        let text = explain(curves, step, self.quantity);
        let at = self.area.left_bottom() + vec2(10.0, -6.0);
        let font = FontId::proportional(11.5);
        let drawn = card(
            ui,
            at,
            Align2::LEFT_BOTTOM,
            text.clone(),
            font,
            theme::ACCENT,
        );
        let id = ui.scope_id().with("why this step");
        ui.interact(drawn, id, Sense::hover())
            .widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &text));
    }

    fn worst(&self, curves: &Curves) -> String {
        let worst = curves.local_error.iter().copied().fold(0.0, f64::max);
        self.quantity.show_error(worst)
    }
}

/// One value where the curve is level to what is shown, both ends of its range otherwise.
fn where_it_lies(low: f64, high: f64) -> String {
    let (low, high) = (format!("{low:.3}"), format!("{high:.3}"));
    if low == high {
        format!("at {low}")
    } else {
        format!("{low} to {high}")
    }
}

/// The value of the instant nearest to a frame.
fn at_frame(frames: &[f64], values: &[[f64; 4]], frame: f64) -> [f64; 4] {
    values
        .get(nearest(frames, frame))
        .copied()
        .unwrap_or_default()
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

fn pan_values(state: &mut State, area: Rect, dy: f32) {
    if let Some(view) = &mut state.timeline.values {
        let shift = f64::from(dy / area.height().max(1.0)) * (view.high - view.low);
        view.low += shift;
        view.high += shift;
    }
}

/// Alt and wheel zoom the values at the pointer.
fn zoom_values(ui: &Ui, state: &mut State, area: Rect, y: f32) {
    let (wheel, alt) = ui.input(|i| (i.smooth_scroll_delta().y, i.modifiers.alt));
    if !alt || wheel == 0.0 {
        return;
    }
    if let Some(view) = &mut state.timeline.values {
        let share = f64::from((area.bottom() - y) / area.height().max(1.0));
        let span = view.high - view.low;
        let at = view.low + share * span;
        let span = (span * f64::from(-wheel / 200.0).exp()).clamp(1e-7, 1e7);
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
                    ui.label(at.quantity.show_value(values[c]));
                }
                ui.end_row();
            }
        });
    error_text(ui, curves, at.quantity, instant);
}

/// Both errors at an instant.
pub(super) fn error_text(ui: &mut Ui, curves: &Curves, quantity: &Quantity, instant: usize) {
    if let Some(&local) = curves.local_error.get(instant) {
        let tolerance = curves
            .tolerance
            .map(|t| format!(", tolerance {}", quantity.show_error(t)));
        let tolerance = tolerance.unwrap_or_default();
        ui.label(format!(
            "local error {}{tolerance}",
            quantity.show_error(local)
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
