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
    let step = state.plot.fit_step.filter(|&s| s < finished.steps());
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
    let curves = Arc::new(if finished.origins.is_empty() {
        let (result, clip) = (state.result()?.clone(), state.clip()?.clone());
        Curves::replay(&clip, &result, state.joint, state.channel, step)?
    } else {
        finished.after_round(step)
    });
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
    if !curves.origins.is_empty() {
        return explain_round(curves, step, plot_unit);
    }
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

/// What came in a round, and why.
fn explain_round(curves: &Curves, round: usize, plot_unit: &PlotUnit) -> String {
    let of_round = || {
        curves
            .origins
            .iter()
            .filter(|o| usize::from(o.round) == round)
    };
    let count = of_round().count();
    if round == 0 {
        return format!("round 0: {count} keys to begin with");
    }
    let Some(worst) = of_round().max_by(|a, b| a.error.total_cmp(&b.error)) else {
        return format!("round {round}: its keys were not needed in the end");
    };
    format!(
        "round {round}: {count} keys; worst at frame {}, off by {:.1} times its tolerance of {}",
        worst.frame,
        worst.error,
        plot_unit.show_error(worst.tolerance)
    )
}

/// Why a key is there, for its tooltip.
pub(super) fn explain_key(curves: &Curves, frame: f64, plot_unit: &PlotUnit) -> Option<String> {
    let origin = curves.origin(frame)?;
    let tolerance = plot_unit.show_error(origin.tolerance);
    Some(if origin.error == 0.0 {
        format!("from the start; tolerance here {tolerance}")
    } else {
        format!(
            "came in round {}: the curve was off by {:.1} times its tolerance of {tolerance}",
            origin.round, origin.error
        )
    })
}

/// The scrubber: `fit step ◀ 12 / 12 ▶` and a slider. Its width does not depend on its values.
pub(super) fn fit_step_ui(ui: &mut Ui, state: &mut State, slider_width: f32) {
    let total = state.curves().map_or(0, |c| c.steps());
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
    use crate::codec::KeyOrigin;
    use crate::session::CurveKey;

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

    #[test]
    fn a_round_says_how_many_keys_came_and_why() {
        let origin = |frame, round, error| KeyOrigin {
            frame,
            round,
            error,
            tolerance: 0.005,
        };
        let key = |frame: usize| CurveKey {
            frame: frame as f64,
            value: [0.0; 4],
        };
        let curves = Curves {
            origins: vec![origin(0, 0, 0.0), origin(9, 1, 3.25), origin(20, 2, 1.5)],
            keys: [0, 9, 20].map(key).to_vec(),
            ..Curves::default()
        };
        let plot_unit = PlotUnit::new(crate::math::Channel::Scale, 1.0);
        assert_eq!(
            explain(&curves, 1, &plot_unit),
            "round 1: 1 keys; worst at frame 9, off by 3.2 times its tolerance of 0.0050"
        );
        assert_eq!(curves.steps(), 2);
        assert_eq!(curves.after_round(1).keys.len(), 2);
        let text = explain_key(&curves, 20.0, &plot_unit).expect("a key");
        assert!(text.starts_with("came in round 2"), "{text}");
    }
}
