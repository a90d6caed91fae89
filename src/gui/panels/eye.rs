use crate::gui::actions::Action;
use crate::gui::state::State;
use crate::gui::theme;
use crate::session::{BlindTest, ClipId, Threshold, units};
use eframe::egui::{self, Button, Label, RichText, Ui, vec2};

/// What blind tests of a clip came to, and the next one.
pub(super) fn eye_ui(ui: &mut Ui, state: &mut State, id: ClipId) {
    let threshold = state.session.threshold(id);
    let tests = state.session.edits(id).map(|e| e.blind_tests.clone());
    let tests = tests.unwrap_or_default();
    ui.allocate_ui(vec2(ui.available_width(), 22.0), |ui| {
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let action = Action::BlindTest;
            let button = Button::new(RichText::new(action.spec().name).size(12.0)).small();
            let why = "Source and compressed side by side without labels, ten times: what your eye cannot tell apart is \
                       fine enough (Ctrl+T)";
            let button = ui.add_enabled(action.is_enabled(state), button);
            if button.on_hover_text(why).clicked() {
                let ctx = ui.ctx().clone();
                action.run(state, &ctx);
            }
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                let text = RichText::new(words(&threshold)).size(12.0);
                let label = Label::new(text.color(theme::WEAK)).truncate();
                ui.add(label).on_hover_text(list(&threshold, &tests));
            });
        });
    });
}

/// The threshold in a line.
fn words(threshold: &Threshold) -> String {
    let mm = |test: &BlindTest| units::show_mm(test.error_m);
    match (&threshold.unseen, &threshold.seen) {
        (None, None) => "By eye: not tested".into(),
        (Some(unseen), None) => format!("By eye: {} is not seen", mm(unseen)),
        (None, Some(seen)) => format!("By eye: {} is seen", mm(seen)),
        (Some(unseen), Some(seen)) => {
            format!("By eye: {} not seen, {} seen", mm(unseen), mm(seen))
        }
    }
}

/// All tests, for the tooltip.
fn list(threshold: &Threshold, tests: &[BlindTest]) -> String {
    let mut lines = vec![words(threshold)];
    lines.extend(contradiction(threshold));
    let mut tests: Vec<&BlindTest> = tests.iter().collect();
    tests.sort_by(|a, b| a.error_m.total_cmp(&b.error_m));
    lines.extend(tests.iter().take(MOST).map(|t| {
        let word = if t.is_seen() {
            "seen"
        } else {
            "not told apart"
        };
        let error = units::show_mm(t.error_m);
        format!("{error}: {} of {} right, {word}", t.correct, t.trials)
    }));
    if tests.len() > MOST {
        lines.push(format!("and {} more", tests.len() - MOST));
    }
    if tests.is_empty() {
        lines.push("Largest skin error that blind tests of this clip did not tell apart".into());
    }
    lines.join("\n")
}

/// Lines of the tooltip.
const MOST: usize = 12;

/// Why a larger error that was not told apart does not count.
pub(in crate::gui) fn contradiction(threshold: &Threshold) -> Option<String> {
    let (against, seen) = (threshold.against.as_ref()?, threshold.seen.as_ref()?);
    Some(format!(
        "{} was not told apart although {} was seen: the smaller one counts; test again",
        units::show_mm(against.error_m),
        units::show_mm(seen.error_m)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(error_m: f64, correct: u32) -> BlindTest {
        BlindTest {
            error_m,
            target_m: None,
            correct,
            trials: 10,
            source: [0; 32],
            output: [(1000.0 * error_m) as u8; 32],
        }
    }

    #[test]
    fn the_line_says_what_is_known() {
        let line = |tests: &[BlindTest]| words(&Threshold::of(tests));
        assert_eq!(line(&[]), "By eye: not tested");
        assert_eq!(line(&[test(0.002, 5)]), "By eye: 2.00 mm is not seen");
        assert_eq!(line(&[test(0.002, 10)]), "By eye: 2.00 mm is seen");
        let tests = [test(0.001, 5), test(0.002, 10), test(0.003, 5)];
        let threshold = Threshold::of(&tests);
        let text = list(&threshold, &tests);
        assert!(
            text.starts_with("By eye: 1.00 mm not seen, 2.00 mm seen\n3.00 mm was not"),
            "{text}"
        );
        assert!(
            text.ends_with("3.00 mm: 5 of 10 right, not told apart"),
            "{text}"
        );
    }
}
