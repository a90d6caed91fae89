//! The plot of size against error: measured points, straight lines that join them, and the point to drag.

use super::tuning::tune;
use crate::codec::{Budget, Quality};
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{Handle, Quantity, asked};
use crate::gui::within::Within as _;
use crate::session::bytes::ratio_words;
use crate::session::units::{Counted, show_bytes, show_mm};
use crate::session::{ByteBudget, Change, ClipId, ClipResult, SizePoint};
use eframe::egui::{
    Align2, Color32, CursorIcon, FontId, Rect, Response, Sense, Stroke, Ui, WidgetInfo, pos2, vec2,
};

const HEIGHT: f32 = 132.0;

/// Room for numbers: left of the plot and below it.
const GUTTER: (f32, f32) = (44.0, 17.0);

/// Room above the largest size, share of it.
const HEADROOM: f64 = 0.12;

/// A point is under the pointer within so many points of the screen.
const NEAR: f32 = 9.0;

/// An arrow key moves the target by this part of a decade, as on the slider.
const KEY_DECADES: f64 = 0.08;

/// What a clip starts with, metres.
const DEFAULT_TARGET_M: f64 = 0.001;

/// Where targets and sizes stand in the plot.
#[derive(Clone, Copy)]
struct Axes {
    area: Rect,
    /// Metres at the left and the right.
    range_m: (f64, f64),
    /// Bytes at the top.
    most: f64,
}

impl Axes {
    fn decades(&self) -> f64 {
        (self.range_m.1 / self.range_m.0).log10()
    }

    /// The place of a target along the plot, in `[0, 1]` inside of it.
    fn position(&self, target_m: f64) -> f64 {
        (target_m / self.range_m.0).log10() / self.decades()
    }

    /// The target at a place, three digits, inside the plot.
    fn target_m(&self, position: f64) -> f64 {
        let exact = self.range_m.0 * 10_f64.powf(self.decades() * position.within(0.0, 1.0));
        Quantity::Length.value(Quantity::Length.position(exact))
    }

    fn x(&self, target_m: f64) -> f32 {
        self.area.left() + self.area.width() * self.position(target_m).within(0.0, 1.0) as f32
    }

    fn y(&self, bytes: usize) -> f32 {
        self.area.bottom() - self.area.height() * ((bytes as f64 / self.most).min(1.0) as f32)
    }
}

/// The curve of a clip with a target; a drag, a click or an arrow key sets that.
pub(super) fn plot_ui(ui: &mut Ui, state: &mut State, id: ClipId, target_m: f64) {
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::drag());
    let curve = state.session.size_curve(id);
    let points = curve.map_or(&[] as &[SizePoint], |c| c.points_in_range(target_m));
    let result = state.session.result(id);
    let bytes = points.iter().map(|p| p.animation_bytes);
    let most = bytes.chain(result.map(|r| r.animation_bytes)).max();
    let axes = Axes {
        area: Rect::from_min_max(
            pos2(rect.left() + GUTTER.0, rect.top() + 4.0),
            pos2(rect.right() - 8.0, rect.bottom() - GUTTER.1),
        ),
        range_m: curve.map_or((0.0001, 0.01), |c| c.range_m(target_m)),
        most: most.unwrap_or(1024).max(1) as f64 * (1.0 + HEADROOM),
    };
    let handle = Handle {
        rail: axes.area,
        position: axes.position(target_m),
        value: &|t| axes.target_m(t),
        key_step: KEY_DECADES / axes.decades(),
    };
    let (position, tuned) = handle.moved(ui, &response);
    let tuned = tuned.or_else(|| asked(ui, response.id, Quantity::Length));
    let name = "Skin error target on the curve of sizes";
    response.widget_info(|| WidgetInfo::slider(true, 1000.0 * target_m, name));
    ground(ui, &axes);
    let budget = state.session.fitting(id).map(ByteBudget::limit);
    // The plot is of animations.
    if let Some(limit) = budget.filter(|l| l.counted == Counted::Animation) {
        budget_line(ui, &axes, limit.bytes);
    }
    measured(ui, &axes, points);
    if let Some(result) = result {
        present(ui, &axes, axes.target_m(position), result, &response);
    }
    let dragged = response.dragged() || state.shell.gesture.is_some();
    let hovered = response.hover_pos().filter(|_| !dragged);
    let point = hovered.and_then(|pointer| nearest(&axes, points, pointer.x));
    let reset = response.hovered() && ui.input(|i| i.pointer.secondary_clicked());
    let response = response.on_hover_cursor(CursorIcon::ResizeHorizontal);
    if let Some(point) = point {
        let at = pos2(axes.x(point.target_m), axes.y(point.animation_bytes));
        ui.painter()
            .circle_stroke(at, 5.5, Stroke::new(1.0, theme::TEXT));
        let clip = state.session.clip(id);
        let source = clip.and_then(|c| c.source_bytes());
        let raw = clip.map_or(0, |c| c.raw_bytes());
        let ratio = ratio_words(point.animation_bytes, source, raw);
        response.on_hover_text_at_pointer(words(point, &ratio));
    }
    let change = |target_m| Change::Budget(Budget::Skin { target_m });
    let tuned = if reset {
        Some(crate::gui::widgets::Tuned::Reset)
    } else {
        tuned
    };
    tune(state, tuned, change, change(DEFAULT_TARGET_M));
}

fn nearest<'p>(axes: &Axes, points: &'p [SizePoint], x: f32) -> Option<&'p SizePoint> {
    let distance = |p: &SizePoint| (axes.x(p.target_m) - x).abs();
    let near = points.iter().filter(|p| distance(p) <= NEAR);
    near.min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// Everything that a point is.
fn words(p: &SizePoint, ratio: &str) -> String {
    let met = if p.target_met == Some(false) {
        " (not reached)"
    } else {
        ""
    };
    let slide = p.slide_m.map_or_else(
        || "no foot stands".to_owned(),
        |m| format!("worst added slide {}", show_mm(m)),
    );
    let file = p.file_bytes.map_or_else(String::new, |bytes| {
        format!(", in a file of {}", show_bytes(bytes))
    });
    format!(
        "Skin error target {}{met}\n{} animation{file}\n{ratio}\nLargest error {}, RMS {}\n{slide}\nMeasured, \
         compressed in full",
        show_mm(p.target_m),
        show_bytes(p.animation_bytes),
        show_mm(p.max_m),
        show_mm(p.rms_m),
    )
}

/// Ticks of 1, 2 and 5 in each decade of millimetres, and three or so of sizes.
fn ground(ui: &Ui, axes: &Axes) {
    let (painter, area) = (ui.painter(), axes.area);
    painter.rect_filled(area, 2, theme::SUNK);
    let font = FontId::proportional(10.5);
    let first = (1000.0 * axes.range_m.0).log10().round() as i32;
    let last = (1000.0 * axes.range_m.1).log10().round() as i32;
    let mantissas: &[f64] = if last - first > 3 {
        &[1.0]
    } else {
        &[1.0, 2.0, 5.0]
    };
    for decade in first..=last {
        for &mantissa in mantissas {
            let mm = mantissa * 10_f64.powi(decade);
            let x = axes.x(mm / 1000.0);
            if mm / 1000.0 > axes.range_m.1 * (1.0 + 1e-9) {
                break;
            }
            let grid = Stroke::new(1.0, theme::GRID);
            painter.vline(x, area.y_range(), grid);
            let decimals = (-decade).max(0) as usize;
            let text = format!("{mm:.decimals$}");
            let at = pos2(x, area.bottom() + 3.0);
            painter.text(at, Align2::CENTER_TOP, text, font.clone(), theme::WEAK);
        }
    }
    let at = pos2(area.left() - 14.0, area.bottom() + 3.0);
    painter.text(at, Align2::RIGHT_TOP, "mm", font.clone(), theme::WEAK);
    let (step, unit, word) = size_step(axes.most);
    let mut k = 1.0;
    while k * step * unit < axes.most * 0.98 {
        let y = axes.y((k * step * unit) as usize);
        painter.hline(area.x_range(), y, Stroke::new(1.0, theme::GRID));
        let text = format!("{} {word}", k * step);
        let at = pos2(area.left() - 5.0, y);
        painter.text(at, Align2::RIGHT_CENTER, text, font.clone(), theme::WEAK);
        k += 1.0;
    }
}

/// Distance of the ticks in a unit, that in bytes, and its word; about three ticks to the top.
fn size_step(most: f64) -> (f64, f64, &'static str) {
    let (unit, word) = match most {
        m if m < 1500.0 => (1.0, "B"),
        m if m < 1.5e6 => (1024.0, "KB"),
        _ => (1_048_576.0, "MB"),
    };
    let rough = most / unit / 3.5;
    let decade = 10_f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|m| m * decade);
    let step = steps.into_iter().find(|s| *s >= rough);
    (step.unwrap_or(10.0 * decade), unit, word)
}

/// Points and the lines between them, which only join them.
fn measured(ui: &Ui, axes: &Axes, points: &[SizePoint]) {
    let painter = ui.painter_at(axes.area.expand(4.0));
    let at = |p: &SizePoint| pos2(axes.x(p.target_m), axes.y(p.animation_bytes));
    for pair in points.windows(2) {
        let line = Stroke::new(1.0, theme::SOURCE_LINE.gamma_multiply(0.7));
        painter.line_segment([at(&pair[0]), at(&pair[1])], line);
    }
    for p in points {
        if p.target_met == Some(false) {
            let ring = Stroke::new(1.5, theme::BAD);
            painter.circle(at(p), 3.0, theme::SUNK, ring);
        } else {
            painter.circle_filled(at(p), 2.6, theme::SOURCE_LINE);
        }
    }
}

/// Where the clip is now: filled when it is the full result, a ring while it is a draft.
fn present(ui: &Ui, axes: &Axes, target_m: f64, result: &ClipResult, response: &Response) {
    let painter = ui.painter();
    let at = pos2(axes.x(target_m), axes.y(result.animation_bytes));
    let faint = Stroke::new(1.0, theme::ACCENT.gamma_multiply(0.35));
    painter.vline(at.x, at.y..=axes.area.bottom(), faint);
    if response.hovered() || response.dragged() || response.has_focus() {
        painter.circle_filled(at, 9.0, theme::ACCENT.gamma_multiply(0.25));
    }
    let draft = result.quality == Quality::Draft;
    let fill = if draft { theme::SUNK } else { theme::ACCENT };
    let rim = if draft { theme::ACCENT } else { theme::PANEL };
    painter.circle(at, 5.5, fill, Stroke::new(1.5, rim));
    let size = show_bytes(result.animation_bytes);
    label(
        ui,
        axes,
        &format!("{} · {size} animation", show_mm(target_m)),
    );
}

/// In the corner that a falling curve leaves free, where it stays while the point is dragged.
fn label(ui: &Ui, axes: &Axes, text: &str) {
    let font = theme::medium_font(11.5);
    let galley = ui
        .painter()
        .layout_no_wrap(text.to_owned(), font, theme::ACCENT);
    let corner = axes.area.right_top() + vec2(-5.0, 3.0);
    let rect = Align2::RIGHT_TOP.anchor_size(corner, galley.size());
    ui.painter()
        .rect_filled(rect.expand(1.5), 2, theme::SUNK.gamma_multiply(0.8));
    ui.painter().galley(rect.min, galley, Color32::WHITE);
}

/// The budget that a target is looked for.
fn budget_line(ui: &Ui, axes: &Axes, bytes: usize) {
    if bytes as f64 > axes.most {
        return;
    }
    let y = axes.y(bytes);
    let ends = [pos2(axes.area.left(), y), pos2(axes.area.right(), y)];
    let stroke = Stroke::new(1.0, theme::ACCENT);
    ui.painter()
        .extend(eframe::egui::Shape::dashed_line(&ends, stroke, 4.0, 4.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_few_and_round() {
        for (most, expected) in [
            (900.0, (500.0, 1.0, "B")),
            (3_000.0, (1.0, 1024.0, "KB")),
            (60_000.0, (20.0, 1024.0, "KB")),
            (4e6, (2.0, 1_048_576.0, "MB")),
        ] {
            assert_eq!(size_step(most), expected);
            let (step, unit, _) = expected;
            assert!((1.0..=4.5).contains(&(most / (step * unit))));
        }
    }

    #[test]
    fn a_place_and_its_target_belong_together() {
        let axes = Axes {
            area: Rect::from_min_size(pos2(10.0, 20.0), vec2(200.0, 100.0)),
            range_m: (0.0001, 0.01),
            most: 1000.0,
        };
        for target_m in [0.0001, 0.00063, 0.001, 0.01] {
            let back = axes.target_m(axes.position(target_m));
            assert!((back / target_m - 1.0).abs() < 1e-9, "{target_m} {back}");
        }
        assert_eq!(axes.target_m(-1.0), 0.0001);
        assert_eq!(axes.target_m(7.0), 0.01);
        assert_eq!((axes.x(0.001), axes.y(250)), (110.0, 95.0));
    }
}
