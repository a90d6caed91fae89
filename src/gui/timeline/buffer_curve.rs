//! The buffer's curve under the compressed one: thin and dashed, where they differ.

use super::curves::NAMES;
use super::plot_data::Lines;
use super::plot_unit::PlotUnit;
use super::theme;
use super::time_axis::TimeAxis;
use crate::gui::state::{Plotted, State};
use crate::session::Curves;
use eframe::egui::{Button, Rect, RichText, Role, Ui, WidgetInfo, vec2};
use egui_plot::{Line, LineStyle, PlotPoints, PlotUi};
use std::sync::Arc;

/// The buffer's curves of the shown track, where they are others than those in force.
pub(super) fn differing(state: &mut State) -> Option<Arc<Curves>> {
    if state.plot.plotted != Plotted::Channel || state.plot.fit_step.is_some() {
        return None;
    }
    let (now, buffer) = (state.curves()?, state.buffer_curves()?);
    (now.compressed != buffer.compressed).then_some(buffer)
}

/// Its lines in the plot, if it is switched on.
pub(super) fn lines(
    state: &mut State,
    axis: &TimeAxis,
    area: Rect,
    plot_unit: PlotUnit,
) -> Option<Arc<Lines>> {
    let curves = differing(state).filter(|_| state.plot.buffer)?;
    let cache = &mut state.timeline.buffer_lines;
    Some(cache.lines(&curves, axis.view, area.width(), plot_unit))
}

/// Draws them.
pub(super) fn draw<'a>(plot: &mut PlotUi<'a>, lines: &'a Lines, components: [bool; 4]) {
    for (c, name) in NAMES.iter().enumerate().filter(|(c, _)| components[*c]) {
        if let Some(points) = lines.compressed.get(c) {
            let line = Line::new(format!("buffer {name}"), PlotPoints::Borrowed(points));
            let color = theme::COMPONENTS[c].gamma_multiply(0.7);
            let dashes = LineStyle::Dashed { length: 5.0 };
            plot.line(line.color(color).width(1.0).style(dashes));
        }
    }
}

/// The switch beside those of the components. Returns what the caption says of the curve.
pub(super) fn switch(ui: &mut Ui, state: &mut State) -> &'static str {
    if differing(state).is_none() {
        return "";
    }
    let on = state.plot.buffer;
    let ink = if on { theme::TEXT } else { theme::WEAK };
    let button = Button::new(RichText::new("- - buffer").color(ink).size(11.0))
        .fill(if on { theme::RAISED } else { theme::SUNK })
        .min_size(vec2(62.0, 18.0))
        .corner_radius(4);
    let response = ui.add(button);
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, on, "Curve of the buffer"));
    let tip =
        "The buffer's curve, dashed: what was compressed before the last change, or what is kept";
    if response.on_hover_text(tip).clicked() {
        state.plot.buffer = !on;
    }
    if on { " · dashed: buffer" } else { "" }
}
