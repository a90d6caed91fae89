//! The plot of how a foot (or any joint) moves over the ground: speed or height, source and compressed.

use super::curves::{
    bare_plot, hover_line, pan_values, show_frame_exact, tooltip, why_nothing, zoom_values,
};
use super::plot_data::{POINTS_PER_PIXEL, thinned, visible};
use super::time_axis::TimeAxis;
use super::{ValueView, navigation, note, theme, time_grid, value_ticks};
use crate::codec::Ruling;
use crate::gui::state::{Plotted, State};
use crate::gui::widgets::ruling_color;
use crate::metrics::SolePoint;
use crate::session::units;
use eframe::egui::{
    self, Align2, Color32, FontId, PointerButton, Rangef, Rect, Response, RichText, Ui, UiBuilder,
    WidgetInfo, pos2, vec2,
};
use egui_plot::{Line, PlotBounds, PlotPoint, PlotPoints};
use glam::DVec3;

/// Room above and below the values, share of their range.
const HEADROOM: f64 = 0.08;

/// Colours of the compressed points: of the first, usually the heel, and of the others.
const COLORS: [Color32; 2] = [theme::ACCENT, theme::COMPONENTS[2]];

/// The motion of one point over the clip, in the unit of the plot, one value an instant.
struct Series {
    name: String,
    source: Vec<f64>,
    compressed: Vec<f64>,
    frames: Vec<f64>,
}

/// A point whose motion is plotted.
enum Point {
    Sole(SolePoint),
    Joint(usize),
}

fn points(state: &State) -> Vec<Point> {
    let soles = state.soles_of(state.joint);
    if soles.is_empty() {
        return vec![Point::Joint(state.joint)];
    }
    soles.into_iter().map(Point::Sole).collect()
}

impl Point {
    fn name(&self, state: &State) -> String {
        match self {
            Self::Sole(point) => point.part.name().to_owned(),
            Self::Joint(_) => super::transport_bar::joint_name(state),
        }
    }

    fn series(&self, state: &mut State) -> Option<Series> {
        let (joint, offset) = match self {
            Self::Sole(point) => (point.joint, point.offset),
            Self::Joint(joint) => (*joint, DVec3::ZERO),
        };
        let path = state.trajectory(joint, offset)?;
        let result = state.result()?;
        let floor_m = state.shell.stage.clip_bounds().ground_height() * result.unit_m;
        let ground = result.contacts.ground_m_per_s;
        let values = |places: &[DVec3]| match state.plot.plotted {
            Plotted::Height => places.iter().map(|p| 1e3 * (p.y - floor_m)).collect(),
            Plotted::Speed | Plotted::Channel => path.speeds(places, ground),
        };
        Some(Series {
            name: self.name(state),
            source: values(&path.source),
            compressed: values(&path.compressed),
            frames: (0..path.source.len()).map(|k| path.frame(k)).collect(),
        })
    }
}

fn unit(plotted: Plotted) -> &'static str {
    match plotted {
        Plotted::Height => "mm",
        Plotted::Speed | Plotted::Channel => "m/s",
    }
}

fn color(k: usize) -> Color32 {
    COLORS[k.min(COLORS.len() - 1)]
}

/// What the lines are, in the place of the components' toggles.
pub(super) fn legend_ui(ui: &mut Ui, state: &State) {
    ui.spacing_mut().item_spacing.x = 8.0;
    for (k, point) in points(state).iter().enumerate() {
        let text = RichText::new(format!("● {}", point.name(state)));
        ui.label(text.color(color(k)).size(11.5));
    }
    let what = match state.plot.plotted {
        Plotted::Height => "height above the floor, mm",
        Plotted::Speed | Plotted::Channel => "speed over the ground, m/s",
    };
    let source = state.view.source_colour();
    let text = format!("{what} · {source}: source · shaded: stands");
    let label = egui::Label::new(RichText::new(text).color(theme::WEAK).size(11.5)).truncate();
    ui.add(label).on_hover_text(
        "Measured on the decoded bytes; under a clip that walks in place the ground moves, and speed is that over it\nAlt and wheel zoom the values, a drag moves them, a double click fits them",
    );
}

/// The plot.
pub(super) fn motion_ui(ui: &mut Ui, state: &mut State, axis: &TimeAxis) {
    let row = ui.max_rect();
    let area = axis.part_of(row);
    ui.painter().rect_filled(area, 2, theme::SUNK);
    let all: Vec<Series> = points(state)
        .iter()
        .filter_map(|p| p.series(state))
        .collect();
    if all.is_empty() {
        note(ui, area, &why_nothing(state));
        return;
    }
    let view = values(state, &all);
    let y = move |v: f64| {
        let share = (v - view.low) / (view.high - view.low);
        area.bottom() - (share * f64::from(area.height())) as f32
    };
    stances(ui, state, axis, area);
    time_grid(ui, axis, area, state.clip().map_or(0, |c| c.grid().last()));
    value_ticks(ui, area, (view.low, view.high), 26.0, y);
    let at = pos2(row.left() + 10.0, area.top() + 6.0);
    let font = FontId::proportional(10.0);
    let text = unit(state.plot.plotted);
    ui.painter()
        .text(at, Align2::LEFT_CENTER, text, font, theme::WEAK);
    let response = lines(ui, axis, area, view, &all);
    interact(ui, state, axis, area, &all, &response);
}

/// The range of values: fitted when something else is shown, then left alone.
fn values(state: &mut State, all: &[Series]) -> ValueView {
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
    let values = all
        .iter()
        .flat_map(|s| s.source.iter().chain(&s.compressed));
    let (low, high) = values
        .filter(|v| v.is_finite())
        .fold((0.0_f64, 0.01_f64), |(low, high), &v| {
            (low.min(v), high.max(v))
        });
    let room = HEADROOM * (high - low);
    let view = ValueView {
        track,
        low: low - room,
        high: high + room,
    };
    state.timeline.values = Some(view);
    view
}

/// Behind the lines, the times in which a point stands, each in its own band.
fn stances(ui: &Ui, state: &State, axis: &TimeAxis, area: Rect) {
    let Some(result) = state.result() else {
        return;
    };
    let points = state.soles_of(state.joint);
    let painter = ui.painter_at(area);
    let judged = state.judgement();
    for slide in &result.measured.slides {
        if !points.contains(&slide.contact.point) {
            continue;
        }
        let (from, to) = slide.contact.frames;
        let x = Rangef::new(axis.x(from as f64), axis.x(to as f64));
        let ruling = judged.as_ref().map(|j| j.contact_ruling(&slide.contact));
        let color = ruling_color(ruling.unwrap_or(Ruling::NotAsked));
        let band = Rect::from_x_y_ranges(x, area.y_range());
        painter.rect_filled(band, 0, color.gamma_multiply(0.07));
    }
}

fn lines(ui: &mut Ui, axis: &TimeAxis, area: Rect, view: ValueView, all: &[Series]) -> Response {
    let bounds = PlotBounds::from_min_max([axis.view.start, view.low], [axis.view.end, view.high]);
    let budget = (area.width().max(16.0) * POINTS_PER_PIXEL) as usize;
    let drawn = |s: &Series, values: &[f64]| -> Vec<PlotPoint> {
        let range = visible(&s.frames, axis.view);
        thinned(&s.frames, range, budget, &|k| values[k])
    };
    let drawn: Vec<_> = all
        .iter()
        .map(|s| (drawn(s, &s.source), drawn(s, &s.compressed)))
        .collect();
    let mut child = ui.new_child(UiBuilder::new().max_rect(area));
    bare_plot("motion", area)
        .show(&mut child, |plot| {
            plot.set_plot_bounds(bounds);
            for (k, (source, compressed)) in drawn.iter().enumerate() {
                let name = &all[k].name;
                let line = Line::new(format!("source {name}"), PlotPoints::Borrowed(source));
                plot.line(line.color(theme::SOURCE_LINE).width(1.0));
                let line = Line::new(
                    format!("compressed {name}"),
                    PlotPoints::Borrowed(compressed),
                );
                plot.line(line.color(color(k)).width(1.6));
            }
        })
        .response
}

fn interact(
    ui: &Ui,
    state: &mut State,
    axis: &TimeAxis,
    area: Rect,
    all: &[Series],
    response: &Response,
) {
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, "Curves"));
    if response.double_clicked() {
        navigation::fit_values(state);
        return;
    }
    if response.dragged_by(PointerButton::Primary) || response.dragged_by(PointerButton::Middle) {
        pan_values(state, area, response.drag_delta().y);
    }
    let Some(pointer) = response.hover_pos() else {
        return;
    };
    zoom_values(ui, state, area, pointer.y);
    let Some(frames) = all.first().map(|s| &s.frames) else {
        return;
    };
    let instant = super::curves::nearest(frames, axis.frame(pointer.x));
    if instant >= frames.len() || response.dragged() {
        return;
    }
    hover_line(ui, axis, area, frames[instant]);
    // Speeds of feet that stand are small.
    let (factor, unit) = match state.plot.plotted {
        Plotted::Height => (1.0, "mm"),
        Plotted::Speed | Plotted::Channel => (1e3, "mm/s"),
    };
    tooltip(response, |ui| figures(ui, all, instant, (factor, unit)));
}

fn figures(ui: &mut Ui, all: &[Series], instant: usize, (factor, unit): (f64, &str)) {
    let frame = all.first().map_or(0.0, |s| s.frames[instant]);
    ui.label(RichText::new(format!("frame {}", show_frame_exact(frame))).strong());
    egui::Grid::new("motion values")
        .spacing(vec2(10.0, 1.0))
        .show(ui, |ui| {
            for head in ["", "source", "compressed", "added"] {
                ui.weak(head);
            }
            ui.end_row();
            for (k, s) in all.iter().enumerate() {
                ui.label(RichText::new(&s.name).color(color(k)).strong());
                let (source, compressed) = (s.source[instant], s.compressed[instant]);
                for value in [source, compressed, compressed - source] {
                    ui.label(format!("{} {unit}", signed(factor * value)));
                }
                ui.end_row();
            }
        });
}

fn signed(value: f64) -> String {
    let sign = if value < 0.0 { "−" } else { "" };
    format!("{sign}{}", units::digits(value.abs()))
}
