//! The error over time, against what is allowed.

use super::curves::{
    bare_plot, error_text, hover_line, nearest, plot_unit, show_frame_exact, tooltip,
};
use super::fit_step::shown_curves;
use super::plot_data::Lines;
use super::plot_unit::PlotUnit;
use super::time_axis::TimeAxis;
use super::{ShownError, card, note, theme, time_grid, value_ticks};
use crate::codec::Budget;
use crate::gui::state::State;
use crate::gui::within::Within as _;
use crate::session::{Curves, units};
use eframe::egui::{
    self, Align2, Button, FontId, Rangef, Rect, RichText, Shape, Stroke, Ui, UiBuilder, WidgetInfo,
    pos2, vec2,
};
use egui_plot::{Line, PlotBounds, PlotPoint, PlotPoints};
use std::sync::Arc;

/// Room above the highest of error and limit.
const HEADROOM: f64 = 1.18;

/// Below this share of the limit the error would be a flat line: it is drawn to its own scale then, and the
/// limit stands above as words.
const FLAT_SHARE: f64 = 0.4;

/// Room above the highest error then.
const FLAT_HEADROOM: f64 = 1.6;

/// What is allowed, as drawn.
struct Limit {
    value: f64,
    text: String,
}

/// The strip: skin error of the joint in mm, or local error of the track.
pub(super) fn error_strip_ui(ui: &mut Ui, state: &mut State, axis: &TimeAxis) {
    let row = ui.max_rect();
    let area = axis.part_of(row);
    ui.painter().rect_filled(area, 2, theme::SUNK);
    toggle(ui, state, row);
    let Some(shown) = shown_curves(state) else {
        return;
    };
    let curves = shown.curves;
    let plot_unit = plot_unit(state);
    let lines = state
        .timeline
        .lines
        .lines(&curves, axis.view, area.width(), plot_unit);
    let (points, peak) = match state.timeline.error {
        ShownError::Skin => (&lines.skin_error, lines.skin_peak),
        ShownError::Local => (&lines.local_error, lines.local_peak),
    };
    if points.is_empty() {
        note(
            ui,
            area,
            "Skin error is measured on the finished curve only; “local” shows the error at this step",
        );
        return;
    }
    let limit = limit(state, &curves, &plot_unit);
    let highest = limit.as_ref().map_or(0.0, |l| l.value);
    let flat = peak > 0.0 && peak < FLAT_SHARE * highest;
    let top = if flat {
        peak * FLAT_HEADROOM
    } else {
        peak.max(highest).max(1e-6) * HEADROOM
    };
    let y = move |v: f64| area.bottom() - (v / top * f64::from(area.height())) as f32;
    time_grid(ui, axis, area, state.clip().map_or(0, |c| c.grid().last()));
    value_ticks(ui, area, (0.0, top), 16.0, y);
    let response = plot(ui, axis, area, top, &lines, state.timeline.error);
    if let Some(limit) = &limit {
        let steps = match state.timeline.error {
            ShownError::Skin => weighed(state),
            ShownError::Local => Vec::new(),
        };
        if !steps.is_empty() {
            limit_steps(ui, axis, area, limit, &steps, &y);
        } else if flat {
            limit_above(ui, area, limit);
        } else {
            limit_line(ui, area, y(limit.value), limit);
        }
    }
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, "Error over time"));
    let Some(pointer) = response.hover_pos() else {
        return;
    };
    let instant = nearest(&curves.frames, axis.frame(pointer.x));
    if instant < curves.frames.len() {
        hover_line(ui, axis, area, curves.frames[instant]);
        tooltip(&response, |ui| {
            let frame = show_frame_exact(curves.frames[instant]);
            ui.label(RichText::new(format!("frame {frame}")).strong());
            error_text(ui, &curves, &plot_unit, instant);
            ui.weak("Skin error: largest displacement of skin around the joint, in model space");
        });
    }
}

fn limit(state: &State, curves: &Curves, plot_unit: &PlotUnit) -> Option<Limit> {
    match state.timeline.error {
        ShownError::Skin => match state.result()?.settings.budget {
            Budget::Skin { target_m } => Some(Limit {
                value: target_m * 1e3,
                text: format!("skin error target {}", units::show_mm(target_m)),
            }),
            Budget::Tolerances => None,
        },
        ShownError::Local => curves.tolerance.map(|t| Limit {
            value: t * plot_unit.error_factor,
            text: format!("tolerance {}", plot_unit.show_error(t)),
        }),
    }
}

/// Runs of frames with one weight of the selected joint's errors: first, last, weight; none where all count once.
fn weighed(state: &State) -> Vec<(usize, usize, f64)> {
    let Some((clip, result)) = state.clip().zip(state.result()) else {
        return Vec::new();
    };
    let weights = result.settings.importance.weights(clip.skeleton());
    let mut runs: Vec<(usize, usize, f64)> = Vec::new();
    if weights.is_even() {
        return runs;
    }
    for frame in 0..clip.grid().frames {
        let weight = weights.at(state.joint, frame);
        match runs.last_mut() {
            Some(run) if run.2 == weight => run.1 = frame,
            _ => runs.push((frame, frame, weight)),
        }
    }
    runs
}

/// The target where frames matter more or less: lower where they are protected, higher where they are relaxed.
fn limit_steps(
    ui: &Ui,
    axis: &TimeAxis,
    area: Rect,
    limit: &Limit,
    steps: &[(usize, usize, f64)],
    y: &impl Fn(f64) -> f32,
) {
    let stroke = Stroke::new(1.0, theme::BAD);
    let painter = ui.painter_at(area);
    let mut above = "";
    for &(first, last, weight) in steps {
        let y = y(limit.value / weight);
        if y < area.top() {
            above = "▲ ";
            continue;
        }
        let ends = [
            pos2(axis.x(first as f64 - 0.5), y),
            pos2(axis.x(last as f64 + 0.5), y),
        ];
        painter.extend(Shape::dashed_line(&ends, stroke, 5.0, 4.0));
    }
    let text = format!("{above}{}, weighed by importance", limit.text);
    let at = pos2(area.right() - 8.0, area.top() + 2.0);
    let font = FontId::proportional(10.0);
    card(ui, at, Align2::RIGHT_TOP, text, font, theme::BAD);
}

fn toggle(ui: &mut Ui, state: &mut State, row: Rect) {
    let corner = row.left_top() + vec2(8.0, 0.0);
    let rect = Rect::from_min_size(corner, vec2(38.0, row.height()));
    let mut ui = ui.new_child(UiBuilder::new().max_rect(rect));
    ui.spacing_mut().item_spacing = vec2(0.0, 1.0);
    ui.spacing_mut().button_padding = vec2(3.0, 0.0);
    ui.spacing_mut().interact_size.y = 15.0;
    let choices = [
        (
            ShownError::Skin,
            "skin",
            "Skin error",
            "Skin error of the joint in model space, millimetres",
        ),
        (
            ShownError::Local,
            "local",
            "Local error",
            "Error of this track alone, against its own tolerance",
        ),
    ];
    for (choice, text, name, tip) in choices {
        let on = state.timeline.error == choice;
        let color = if on { theme::ACCENT } else { theme::WEAK };
        let fill = if on {
            theme::ACCENT.gamma_multiply(0.18)
        } else {
            theme::SUNK
        };
        let button = Button::new(RichText::new(text).size(10.0).color(color))
            .fill(fill)
            .min_size(vec2(34.0, 15.0));
        let response = ui.add(button);
        response.widget_info(|| WidgetInfo::selected(egui::Role::RadioButton, true, on, name));
        if response.on_hover_text(tip).clicked() {
            state.timeline.error = choice;
        }
    }
}

fn plot(
    ui: &mut Ui,
    axis: &TimeAxis,
    area: Rect,
    top: f64,
    lines: &Arc<Lines>,
    shown: ShownError,
) -> egui::Response {
    let points: &[PlotPoint] = match shown {
        ShownError::Skin => &lines.skin_error,
        ShownError::Local => &lines.local_error,
    };
    let bounds = PlotBounds::from_min_max([axis.view.start, 0.0], [axis.view.end, top]);
    let mut child = ui.new_child(UiBuilder::new().max_rect(area));
    bare_plot("error", area)
        .show(&mut child, |plot| {
            plot.set_plot_bounds(bounds);
            let line = Line::new("error", PlotPoints::Borrowed(points));
            plot.line(
                line.color(theme::ACCENT)
                    .width(1.4)
                    .fill(0.0)
                    .fill_alpha(0.25),
            );
        })
        .response
}

fn limit_above(ui: &Ui, area: Rect, limit: &Limit) {
    let at = pos2(area.right() - 8.0, area.top() + 2.0);
    let text = format!("▲ {}, above this scale", limit.text);
    let font = FontId::proportional(10.5);
    card(ui, at, Align2::RIGHT_TOP, text, font, theme::BAD);
}

fn limit_line(ui: &Ui, area: Rect, y: f32, limit: &Limit) {
    // On the line, as far as the plot's edges let them: below it they would hide the highest errors.
    let font = FontId::proportional(10.0);
    let at = pos2(
        area.right() - 8.0,
        y.within(area.top() + 6.0, area.bottom() - 6.0),
    );
    let words = card(
        ui,
        at,
        Align2::RIGHT_CENTER,
        limit.text.clone(),
        font,
        theme::BAD,
    );
    let stroke = Stroke::new(1.0, theme::BAD);
    for x in [
        Rangef::new(area.left(), words.left()),
        Rangef::new(words.right(), area.right()),
    ] {
        let ends = [pos2(x.min, y), pos2(x.max, y)];
        ui.painter()
            .extend(Shape::dashed_line(&ends, stroke, 5.0, 4.0));
    }
}
