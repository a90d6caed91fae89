//! Replays how a track's keys came about, step by step.

use super::icons::{Icon, sized_icon_button};
use super::plot_unit::PlotUnit;
use crate::fit::{Action, Step};
use crate::gui::state::State;
use crate::session::Curves;
use eframe::egui::{Slider, Ui, vec2};
use std::sync::Arc;

/// What the plot shows.
#[derive(Clone)]
pub struct ShownCurves {
    /// The finished curves, or those of a step.
    pub curves: Arc<Curves>,
    /// The step; `None` for the finished curve.
    pub step: Option<usize>,
}

/// The curves after a step, kept while nothing changes.
pub(super) struct Replayed {
    finished: Arc<Curves>,
    step: usize,
    curves: Arc<Curves>,
}

/// The curves of the selected track, at the step that is chosen.
pub fn shown_curves(state: &mut State) -> Option<ShownCurves> {
    let finished = state.curves()?;
    let step = state.plot.fit_step.filter(|&s| s < finished.history.len());
    let Some(step) = step else {
        return Some(ShownCurves {
            curves: finished,
            step: None,
        });
    };
    if let Some(kept) = &state.timeline.replayed
        && Arc::ptr_eq(&kept.finished, &finished)
        && kept.step == step
    {
        return Some(ShownCurves {
            curves: kept.curves.clone(),
            step: Some(step),
        });
    }
    let result = state.result()?.clone();
    let clip = state.clip()?.clone();
    let curves = Arc::new(Curves::replay(
        &clip,
        &result,
        state.joint,
        state.channel,
        step,
    )?);
    state.timeline.replayed = Some(Replayed {
        finished,
        step,
        curves: curves.clone(),
    });
    Some(ShownCurves {
        curves,
        step: Some(step),
    })
}

/// What a step did, and why, in a sentence.
pub(super) fn explain(curves: &Curves, step: usize, plot_unit: &PlotUnit) -> String {
    let tolerance = curves
        .tolerance
        .map(|t| plot_unit.show_error(t))
        .unwrap_or_default();
    let Some(done) = step.checked_sub(1).and_then(|k| curves.history.get(k)) else {
        let error = curves.history.first().map_or(0.0, |s| s.error_before);
        return format!(
            "keys at both ends: error {}, tolerance {tolerance}",
            plot_unit.show_error(error)
        );
    };
    let Step {
        frame,
        error_before,
        error_after,
        ..
    } = *done;
    let (before, after) = (
        plot_unit.show_error(error_before),
        plot_unit.show_error(error_after),
    );
    match done.action {
        Action::Insert => {
            format!("inserted frame {frame}: error {before} > tolerance {tolerance}, now {after}")
        }
        Action::Remove => {
            format!("removed frame {frame}: error {after} stays within tolerance {tolerance}")
        }
    }
}

/// The scrubber: `fit step ◀ 12 / 12 ▶` and a slider. Its width does not depend on its values.
pub(super) fn fit_step_ui(ui: &mut Ui, state: &mut State, slider_width: f32) {
    let total = state.curves().map_or(0, |c| c.history.len());
    let at = state.plot.fit_step.map_or(total, |s| s.min(total));
    let mut step = at;
    let tip = if total == 0 {
        "This track was not fitted step by step"
    } else {
        "Replays the fit: keys are inserted where the error is above the tolerance, then removed where \
         the others can do without them"
    };
    ui.spacing_mut().item_spacing.x = 4.0;
    ui.add_enabled_ui(total > 0, |ui| {
        let label = ui.weak("fit step").on_hover_text(tip);
        let size = vec2(18.0, 18.0);
        ui.add_enabled_ui(at > 0, |ui| {
            if sized_icon_button(
                ui,
                size,
                Icon::Left,
                "Previous fit step",
                "One step back",
                None,
            )
            .clicked()
            {
                step = at - 1;
            }
        });
        let digits = total.max(10).to_string().len();
        let text = if total == 0 {
            format!("{:>digits$} / {:<digits$}", "-", "-")
        } else {
            format!("{at:>digits$} / {total:<digits$}")
        };
        ui.label(text)
            .on_hover_text("Steps taken of all steps of the fit");
        ui.add_enabled_ui(at < total, |ui| {
            if sized_icon_button(ui, size, Icon::Right, "Next fit step", "One step on", None)
                .clicked()
            {
                step = at + 1;
            }
        });
        ui.spacing_mut().slider_width = slider_width;
        let slider = Slider::new(&mut step, 0..=total.max(1)).show_value(false);
        ui.add(slider).labelled_by(label.id).on_hover_text(tip);
    });
    if step != at && total > 0 {
        state.plot.fit_step = (step < total).then_some(step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(action: Action, frame: usize) -> Step {
        Step {
            action,
            frame,
            error_before: 0.02,
            error_after: 0.01,
        }
    }

    #[test]
    fn a_step_says_why() {
        let curves = Curves {
            history: vec![step(Action::Insert, 31)],
            tolerance: Some(0.005),
            ..Curves::default()
        };
        let plot_unit = PlotUnit::new(crate::math::Channel::Scale, 1.0);
        let text = explain(&curves, 1, &plot_unit);
        assert_eq!(
            text,
            "inserted frame 31: error 0.0200 > tolerance 0.0050, now 0.0100"
        );
        assert!(explain(&curves, 0, &plot_unit).starts_with("keys at both ends"));
    }
}
