//! What stands on the curves: keys, words, components out of view.

use super::curves::{NAMES, nearest};
use super::fit_step::explain;
use super::icons::diamond;
use super::plot_data::Lines;
use super::plot_unit::PlotUnit;
use super::time_axis::TimeAxis;
use super::{ValueView, card, theme};
use crate::codec::TrackKind;
use crate::gui::state::State;
use crate::session::Curves;
use eframe::egui::{self, Align2, FontId, Rangef, Rect, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

/// Keys nearer to each other than this are drawn as one.
const KEY_PX: f32 = 3.0;

/// From this distance on source keys are drawn on their curves, below it as ticks.
const SOURCE_KEY_PX: f32 = 11.0;

/// Most diamonds, of all components.
const MAX_DIAMONDS: usize = 2000;

/// Where things lie in the plot.
pub(super) struct Painted<'a> {
    pub(super) axis: &'a TimeAxis,
    pub(super) area: Rect,
    pub(super) plot_unit: &'a PlotUnit,
    pub(super) y: &'a dyn Fn(f64) -> f32,
}

impl Painted<'_> {
    pub(super) fn point(&self, frame: f64, value: f64) -> egui::Pos2 {
        pos2(
            self.axis.x(frame),
            (self.y)(value * self.plot_unit.value_factor),
        )
    }

    pub(super) fn visible(&self, frame: f64) -> bool {
        self.axis.pixels.expand(5.0).contains(self.axis.x(frame))
    }

    pub(super) fn keys(&self, ui: &Ui, state: &State, curves: &Curves) {
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

    pub(super) fn source_keys(&self, painter: &egui::Painter, state: &State, curves: &Curves) {
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
    pub(super) fn out_of_view(&self, ui: &Ui, state: &State, lines: &Lines, view: ValueView) {
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
    pub(super) fn words(&self, ui: &Ui, curves: &Curves, kind: TrackKind, step: Option<usize>) {
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
    pub(super) fn why(&self, ui: &Ui, curves: &Curves, step: usize) {
        let text = explain(curves, step, self.plot_unit);
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

    pub(super) fn worst(&self, curves: &Curves) -> String {
        let worst = curves.local_error.iter().copied().fold(0.0, f64::max);
        self.plot_unit.show_error(worst)
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
