//! What came of a test, and where to go from there.

use super::{leave, set_target, start, try_at};
use crate::codec::Budget;
use crate::gui::panels::contradiction;
use crate::gui::state::State;
use crate::gui::theme;
use crate::session::{BlindTest, Threshold, units};
use eframe::egui::{Align2, Button, Color32, Label, RichText, Ui, Window, vec2};

/// What a person chose.
enum Next {
    Target(f64),
    Try(f64),
    Again,
    Close,
}

/// The sheet at the end of a test.
pub(super) fn end_ui(ui: &Ui, state: &mut State) {
    let test = state.shell.blind.as_ref().and_then(|b| b.test().cloned());
    let (Some(test), Some(id)) = (test, state.session.selected()) else {
        return;
    };
    let threshold = state.session.threshold(id);
    let budget = state.session.edits(id).map(|e| e.settings.budget);
    let title = format!("{} of {} right", test.correct, test.trials);
    let shown = Window::new(theme::semibold(title, 16.0))
        .collapsible(false)
        .resizable(false)
        .anchor(Align2::CENTER_CENTER, vec2(0.0, -40.0))
        .show(ui.ctx(), |ui| {
            ui.set_width(460.0);
            ui.spacing_mut().item_spacing.y = 8.0;
            for (text, color) in words(&test, &threshold) {
                ui.add(Label::new(RichText::new(text).color(color)).wrap());
            }
            ui.add_space(2.0);
            buttons(ui, &test, &threshold, budget)
        });
    match shown.and_then(|s| s.inner).flatten() {
        Some(Next::Target(target_m)) => {
            leave(state);
            set_target(state, target_m);
        }
        Some(Next::Try(target_m)) => try_at(state, target_m),
        Some(Next::Again) => start(state),
        Some(Next::Close) => leave(state),
        None => {}
    }
}

fn words(test: &BlindTest, threshold: &Threshold) -> Vec<(String, Color32)> {
    let mm = |t: &BlindTest| units::show_mm(t.error_m);
    let chance = format!(
        "{} of {} right; by guessing alone {} or more happen in {} % of runs",
        test.correct,
        test.trials,
        test.correct,
        percent(test.by_guessing())
    );
    let (verdict, color) = if test.is_seen() {
        ("You saw the difference", theme::WARNING)
    } else {
        ("You did not tell them apart", theme::GOOD)
    };
    let verdict = format!("{verdict}: the largest skin error is {}", mm(test));
    let mut lines = vec![(verdict, color), (chance, theme::TEXT)];
    let known = match (&threshold.unseen, &threshold.seen) {
        (Some(unseen), Some(seen)) => format!(
            "All tests of this clip: {} is not told apart, {} is seen",
            mm(unseen),
            mm(seen)
        ),
        (Some(unseen), None) => {
            format!(
                "All tests of this clip: {} is not told apart, nothing is seen yet",
                mm(unseen)
            )
        }
        (None, Some(seen)) => format!(
            "All tests of this clip: {} is seen, nothing is not",
            mm(seen)
        ),
        (None, None) => String::new(),
    };
    lines.push((known, theme::TEXT));
    lines.extend(contradiction(threshold).map(|text| (text, theme::WARNING)));
    let what_for = "Go coarser until you see it and finer until you do not: the largest error that your eye cannot tell \
                    apart is all the precision that the clip needs. It is kept with the clip and with presets saved from it";
    lines.push((what_for.into(), theme::WEAK));
    lines
}

/// `5.5`, `0.1`, `100`.
fn percent(share: f64) -> String {
    match 100.0 * share {
        p if p >= 99.95 => "100".into(),
        p => format!("{p:.1}"),
    }
}

/// The threshold as a target, where it is another one than what is set.
fn offered(threshold: &Threshold, budget: Option<Budget>) -> Option<f64> {
    let target_m = threshold.unseen.as_ref()?.target_m();
    (budget != Some(Budget::Skin { target_m })).then_some(target_m)
}

fn buttons(
    ui: &mut Ui,
    test: &BlindTest,
    threshold: &Threshold,
    budget: Option<Budget>,
) -> Option<Next> {
    let mut next = None;
    let mut button = |ui: &mut Ui, text: String, why: &str, choice: Next| {
        let button = Button::new(text).min_size(vec2(0.0, 28.0));
        if ui.add(button).on_hover_text(why).clicked() {
            next = Some(choice);
        }
    };
    let mm = units::show_mm;
    let at_m = test.target_m();
    ui.horizontal_wrapped(|ui| {
        let why = "Twice the skin error target, one undo step; the next test begins when the clip is compressed";
        button(ui, format!("Try twice as coarse, {}", mm(2.0 * at_m)), why, Next::Try(2.0 * at_m));
        let why = "Half the skin error target, one undo step; the next test begins when the clip is compressed";
        button(ui, format!("Try half, {}", mm(0.5 * at_m)), why, Next::Try(0.5 * at_m));
        if let Some(between_m) = threshold.between_m() {
            let why = "Between what you saw and what you did not, one undo step";
            button(ui, format!("Try between, {}", mm(between_m)), why, Next::Try(between_m));
        }
        let why = "The same bytes once more: both tests count together";
        button(ui, "Again".into(), why, Next::Again);
    });
    ui.horizontal(|ui| {
        if let Some(target_m) = offered(threshold, budget) {
            let why = "The largest error that you did not tell apart becomes the clip's target, one undo step";
            button(ui, format!("Set target to {}", mm(target_m)), why, Next::Target(target_m));
        }
        button(ui, "Close".into(), "Back to the window (Esc); the test is kept", Next::Close);
    });
    next
}
