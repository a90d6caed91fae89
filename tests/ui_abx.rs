//! The buffer and the blind test in the window, by clicks and keys.
#![cfg(feature = "gui")]

#[path = "support/window.rs"]
mod window;

use egui::accesskit::Role;
use egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use posepress::codec::Budget;
use posepress::gui::abx::{self, Blind};
use posepress::gui::stage::Cast;
use posepress::session::{
    BlindButton, BlindRun, BlindTest, Change, ClipResult, Preset, TRIALS, units,
};
use std::sync::Arc;
use std::time::{Duration, Instant};
use window::{Window, click, enter, press, selected, session, settle, type_into};

/// The window on the bundled clips.
fn window() -> Window {
    window::window(&[], [1600.0, 1000.0])
}

fn result(h: &Window) -> Arc<ClipResult> {
    session(h).result(selected(h)).expect("a result").clone()
}

fn buffer(h: &Window) -> Arc<ClipResult> {
    session(h).buffer(selected(h)).expect("a buffer").clone()
}

/// The target that is set, millimetres.
fn target_mm(h: &Window) -> f64 {
    let edits = session(h).edits(selected(h)).expect("edits");
    match edits.settings.budget {
        Budget::Skin { target_m } => 1000.0 * target_m,
        Budget::Tolerances => f64::NAN,
    }
}

fn tests(h: &Window) -> &[BlindTest] {
    &session(h).edits(selected(h)).expect("edits").blind_tests
}

fn click_part(h: &mut Window, part: &str) {
    h.get_by_label_contains(part).click();
    settle(h);
}

fn type_target(h: &mut Window, text: &str) {
    type_into(h, "Skin error target", text);
    enter(h);
}

/// Drags the slider of the target to the right.
fn drag_target(h: &mut Window) {
    let slider = h
        .get_by_role_and_label(Role::Slider, "Skin error target")
        .rect();
    let at = |x: f32| egui::pos2(slider.left() + x * slider.width(), slider.center().y);
    h.drag_at(at(0.5));
    h.run_steps(2);
    for k in 1..=6 {
        h.hover_at(at(0.5 + 0.04 * k as f32));
        h.run_steps(2);
    }
    h.drop_at(at(0.75));
    settle(h);
}

fn figures(result: &ClipResult) -> String {
    let bytes = units::show_bytes(result.animation_bytes);
    format!("{bytes} · {}", units::show_mm(result.largest_error_m()))
}

#[test]
fn a_drag_leaves_what_was_before_it_in_the_buffer() {
    let mut h = window();
    assert!(h.query_by_label("Buffer: empty").is_some());
    let first = result(&h);
    drag_target(&mut h);
    assert!(target_mm(&h) > 1.5 && Arc::ptr_eq(&buffer(&h), &first));
    let now = result(&h);
    let before = format!("before: {}", figures(&first));
    assert!(h.query_by_label(&before).is_some(), "{before}");
    assert!(
        h.query_by_label_contains(&format!("→ now {}, −", figures(&now)))
            .is_some()
    );
    press(&mut h, Modifiers::SHIFT, Key::B);
    assert!(Arc::ptr_eq(&result(&h), &first) && Arc::ptr_eq(&buffer(&h), &now));
    assert!(!session(&h).is_busy(selected(&h)), "nothing is compressed");
    assert_eq!(session(&h).undo_name(), Some("Swap with the buffer"));
    press(&mut h, Modifiers::COMMAND, Key::Z);
    assert!(Arc::ptr_eq(&result(&h), &now) && Arc::ptr_eq(&buffer(&h), &first));
    click_part(&mut h, "Swap with the buffer: ");
    assert_eq!(target_mm(&h), 1.0);
    press(&mut h, Modifiers::NONE, Key::Y);
    let edits = session(&h).edits(selected(&h)).expect("edits");
    assert_eq!(edits.verdict.judged().map(|j| j.output), Some(first.hash));
}

#[test]
fn a_kept_buffer_stays_and_is_gone_back_to() {
    let mut h = window();
    let first = result(&h);
    press(&mut h, Modifiers::COMMAND, Key::B);
    assert!(h.query_by_label("now: the same").is_some());
    type_target(&mut h, "2mm");
    type_target(&mut h, "3mm");
    let kept = format!("kept: {}", figures(&first));
    assert!(h.query_by_label(&kept).is_some(), "{kept}");
    press(&mut h, Modifiers::COMMAND | Modifiers::SHIFT, Key::B);
    assert!(target_mm(&h) == 1.0 && Arc::ptr_eq(&result(&h), &first));
    assert_eq!(session(&h).undo_name(), Some("Revert to the buffer"));
    press(&mut h, Modifiers::COMMAND, Key::Z);
    settle(&mut h);
    assert_eq!(target_mm(&h), 3.0);
    click_part(&mut h, "Release the buffer");
    let three = result(&h);
    type_target(&mut h, "4mm");
    assert!(Arc::ptr_eq(&buffer(&h), &three));
}

#[test]
fn holding_b_shows_the_buffer_and_says_so() {
    let mut h = window();
    let first = result(&h);
    type_target(&mut h, "5mm");
    let pose = |h: &Window| h.state().state.shell.stage.pose(Cast::Compressed).cloned();
    let now = pose(&h);
    let label = format!("Buffer {}", units::show_bytes(first.animation_bytes));
    assert!(h.query_by_label(&label).is_none());
    h.key_down(Key::B);
    h.run_steps(3);
    assert!(h.query_by_label(&label).is_some(), "{label}");
    assert_ne!(pose(&h), now);
    let staged = h.state().state.staged_result().cloned();
    assert!(staged.is_some_and(|r| Arc::ptr_eq(&r, &first)));
    assert_eq!(target_mm(&h), 5.0, "it is only looked at");
    h.key_up(Key::B);
    h.run_steps(3);
    assert!(h.query_by_label(&label).is_none() && pose(&h) == now);
}

#[test]
fn the_plot_has_the_curve_of_the_buffer_where_it_differs() {
    let mut h = window();
    let name = "Curve of the buffer";
    assert!(h.query_by_label(name).is_none());
    type_target(&mut h, "5mm");
    assert!(h.query_by_label_contains("dashed: buffer").is_some());
    click(&mut h, name);
    assert!(!h.state().state.plot.buffer);
    assert!(h.query_by_label_contains("dashed: buffer").is_none());
    press(&mut h, Modifiers::COMMAND | Modifiers::SHIFT, Key::B);
    assert!(h.query_by_label(name).is_none(), "they are the same now");
}

fn blind(h: &Window) -> Option<&Blind> {
    h.state().state.shell.blind.as_ref()
}

/// Sees A, B and X in motion.
fn look(h: &mut Window) {
    if h.state().state.transport.playing.is_none() {
        press(h, Modifiers::NONE, Key::Space);
    }
    for key in [Key::A, Key::B, Key::X] {
        h.key_press(key);
        h.run_steps(8);
    }
}

/// Answers one trial by keys, after a look.
fn answer(h: &mut Window, right: bool) {
    look(h);
    let run = blind(h).and_then(Blind::run).expect("a trial");
    let is_a = run.who(BlindButton::X) == run.who(BlindButton::A);
    let key = if is_a == right { Key::A } else { Key::B };
    press(h, Modifiers::SHIFT, key);
}

fn answer_all(h: &mut Window, right: usize) {
    for k in 0..TRIALS {
        let trial = format!("trial {} of {TRIALS}", k + 1);
        assert!(h.query_by_label(&trial).is_some(), "{trial}");
        answer(h, k < right);
    }
}

#[test]
fn a_test_that_is_all_right_says_that_it_was_seen() {
    let mut h = window();
    click(&mut h, "Blind test…");
    assert!(
        h.query_by_label("Compressed view").is_none(),
        "all else is gone"
    );
    answer_all(&mut h, TRIALS);
    assert!(h.query_by_label("10 of 10 right").is_some());
    let line = "10 of 10 right; by guessing alone 10 or more happen in 0.1 % of runs";
    assert!(h.query_by_label(line).is_some());
    assert!(
        h.query_by_label_contains("You saw the difference")
            .is_some()
    );
    assert!(h.query_by_label_contains("Set target").is_none());
    let test = tests(&h)[0].clone();
    assert_eq!((test.correct, test.output), (10, result(&h).hash));
    press(&mut h, Modifiers::NONE, Key::Escape);
    assert!(blind(&h).is_none() && tests(&h).len() == 1);
    assert!(h.query_by_label_contains(" mm is seen").is_some());
    assert_eq!(session(&h).undo_name(), Some("Blind test"));
    press(&mut h, Modifiers::COMMAND, Key::Z);
    assert!(tests(&h).is_empty() && h.query_by_label("By eye: not tested").is_some());
}

#[test]
fn a_person_homes_in_on_the_threshold_and_makes_it_the_target() {
    let mut h = window();
    press(&mut h, Modifiers::COMMAND, Key::T);
    answer_all(&mut h, 4);
    assert!(h.query_by_label("4 of 10 right").is_some());
    assert!(
        h.query_by_label_contains("You did not tell them apart")
            .is_some()
    );
    click(&mut h, "Try twice as coarse, 2.00 mm");
    assert_eq!(session(&h).undo_name(), Some("Set skin error target"));
    assert_eq!(result(&h).settings.budget, Budget::Skin { target_m: 0.002 });
    answer_all(&mut h, TRIALS);
    assert_eq!(tests(&h).len(), 2);
    assert!(h.query_by_label("Try between, 1.41 mm").is_some());
    click(&mut h, "Set target to 1.00 mm");
    assert!(blind(&h).is_none() && target_mm(&h) == 1.0);
    assert_eq!(session(&h).undo_name(), Some("Set skin error target"));
    press(&mut h, Modifiers::COMMAND, Key::Z);
    settle(&mut h);
    assert!(target_mm(&h) == 2.0 && tests(&h).len() == 2);
}

#[test]
fn half_as_coarse_is_tried_and_the_same_again() {
    let mut h = window();
    press(&mut h, Modifiers::COMMAND, Key::T);
    answer_all(&mut h, 8);
    click(&mut h, "Again");
    answer_all(&mut h, 8);
    assert!(
        h.query_by_label_contains(" mm is seen, nothing is not")
            .is_some()
    );
    click(&mut h, "Try half, 0.500 mm");
    assert!(
        blind(&h)
            .and_then(Blind::run)
            .is_some_and(|r| r.answered() == 0)
    );
    assert_eq!((target_mm(&h), tests(&h).len()), (0.5, 2));
}

/// Everything that a screen reader could say.
fn texts(h: &Window) -> Vec<String> {
    let nodes = h.root().children_recursive();
    let said = nodes.map(|n| {
        let n = n.accesskit_node();
        format!(
            "{:?} {:?} {:?} {:?}",
            n.role(),
            n.label(),
            n.value(),
            n.toggled()
        )
    });
    said.collect()
}

#[test]
fn nothing_that_is_said_depends_on_the_order() {
    let mut h = window();
    type_target(&mut h, "20mm");
    let run = |seed| BlindRun::new(seed);
    let order = |seed: u64| {
        let run = run(seed);
        (run.who(BlindButton::A), run.who(BlindButton::X))
    };
    let other = (1..100).find(|&k| order(k).0 != order(0).0 && order(k).1 != order(0).1);
    let other = other.expect("an order the other way round");
    let mut said = Vec::new();
    let mut poses = Vec::new();
    for seed in [0, other] {
        abx::start_with(&mut h.state_mut().state, run(seed));
        h.run_steps(4);
        for key in [Key::A, Key::B, Key::X, Key::Num1, Key::Num2, Key::Num3] {
            press(&mut h, Modifiers::NONE, key);
            h.run_steps(2);
            said.push(texts(&h));
            let (blind, stage) = (blind(&h).expect("a test"), &h.state().state.shell.stage);
            let who = blind.run().expect("asking").who(blind.shown());
            poses.push((
                who,
                stage.pose(Cast::Source) == stage.pose(Cast::Compressed),
            ));
        }
        press(&mut h, Modifiers::NONE, Key::Escape);
    }
    let (first, second) = said.split_at(6);
    assert!(
        first.iter().all(|t| t.len() > 12),
        "there is something to read"
    );
    assert_eq!(first, second);
    let (first, second) = poses.split_at(6);
    assert!(
        first
            .iter()
            .zip(second)
            .all(|(a, b)| a.0 != b.0 && !a.1 && !b.1)
    );
    assert!(
        first[0].0 == first[3].0 && first[0].0 != first[1].0,
        "1 is A, B is the other"
    );
    let words = said.concat().join(" ").to_lowercase();
    for word in ["error", " kb", " mm", "keys", "compressed view", "bytes"] {
        assert!(!words.contains(word), "{word}");
    }
}

#[test]
fn playhead_and_camera_go_on_and_no_other_key_does_anything() {
    let mut h = window();
    press(&mut h, Modifiers::COMMAND, Key::T);
    press(&mut h, Modifiers::NONE, Key::ArrowRight);
    press(&mut h, Modifiers::NONE, Key::ArrowRight);
    assert_eq!(h.state().state.transport.frame, 2.0);
    let camera = h.state().state.shell.stage.camera;
    for key in [
        Key::Num1,
        Key::Num3,
        Key::A,
        Key::N,
        Key::Y,
        Key::M,
        Key::D,
        Key::T,
        Key::Period,
    ] {
        press(&mut h, Modifiers::NONE, key);
    }
    for key in [Key::Z, Key::P, Key::B] {
        press(&mut h, Modifiers::COMMAND, key);
    }
    let state = &h.state().state;
    assert!(session(&h).undo_name().is_none() && state.shell.sheet.is_none());
    assert!(state.shell.stage.camera == camera && state.transport.frame == 2.0);
    press(&mut h, Modifiers::NONE, Key::Num7);
    assert!(h.state().state.shell.stage.camera != camera);
    press(&mut h, Modifiers::NONE, Key::Space);
    assert!(h.state().state.transport.playing.is_some());
    press(&mut h, Modifiers::NONE, Key::Space);
    h.get_by_label("Next frame").click();
    h.run_steps(3);
    let at = h.get_by_role_and_label(Role::Slider, "Playhead").rect();
    h.drag_at(at.left_center() + egui::vec2(30.0, 0.0));
    h.run_steps(2);
    h.drop_at(at.right_center());
    h.run_steps(3);
    assert_eq!(h.state().state.transport.frame, 30.0);
}

/// Which are still to be seen, as the line below the answers says it; nothing where all were.
fn missing(h: &Window) -> Option<String> {
    let line = h.query_by_label_contains("Before you answer, see ")?;
    let text = line.accesskit_node().value().expect("words");
    let names = text.trim_start_matches("Before you answer, see ");
    Some(names.split(" in motion").next().expect("names").to_owned())
}

#[test]
fn an_answer_counts_after_all_three_were_seen_moving() {
    let mut h = window();
    press(&mut h, Modifiers::COMMAND, Key::T);
    let disabled = |h: &Window| h.get_by_label("X is A").accesskit_node().is_disabled();
    let trial = |h: &Window, k: usize| h.query_by_label(&format!("trial {k} of 10")).is_some();
    // Shown, but not moving.
    for key in [Key::A, Key::B, Key::X] {
        press(&mut h, Modifiers::NONE, key);
        h.run_steps(20);
    }
    press(&mut h, Modifiers::SHIFT, Key::A);
    h.get_by_label("X is B").click();
    h.run_steps(3);
    assert!(disabled(&h) && trial(&h, 1));
    assert_eq!(missing(&h).as_deref(), Some("A, B and X"));
    // Frame by frame, then played.
    for _ in 0..7 {
        press(&mut h, Modifiers::NONE, Key::ArrowRight);
    }
    assert_eq!(
        missing(&h).as_deref(),
        Some("A and B"),
        "X was on the stage"
    );
    press(&mut h, Modifiers::NONE, Key::A);
    press(&mut h, Modifiers::NONE, Key::Space);
    h.run_steps(8);
    assert_eq!(missing(&h).as_deref(), Some("B"));
    press(&mut h, Modifiers::SHIFT, Key::A);
    assert!(disabled(&h) && trial(&h, 1));
    press(&mut h, Modifiers::NONE, Key::B);
    h.run_steps(8);
    assert!(!disabled(&h) && missing(&h).is_none());
    press(&mut h, Modifiers::SHIFT, Key::A);
    assert!(disabled(&h) && trial(&h, 2), "each trial anew");
}

#[test]
fn a_key_that_is_held_answers_once() {
    let mut h = window();
    press(&mut h, Modifiers::COMMAND, Key::T);
    look(&mut h);
    for _ in 0..5 {
        h.key_down_modifiers(Modifiers::SHIFT, Key::A);
        h.run_steps(2);
    }
    h.key_up_modifiers(Modifiers::SHIFT, Key::A);
    h.run_steps(2);
    assert!(h.query_by_label("trial 2 of 10").is_some());
}

#[test]
fn what_is_left_or_changed_is_not_kept() {
    let mut h = window();
    press(&mut h, Modifiers::COMMAND, Key::T);
    look(&mut h);
    h.get_by_label("X is A").click();
    h.run_steps(3);
    look(&mut h);
    h.get_by_label("X is B").click();
    h.run_steps(3);
    assert!(h.query_by_label("trial 3 of 10").is_some());
    press(&mut h, Modifiers::NONE, Key::Escape);
    assert!(blind(&h).is_none() && tests(&h).is_empty());
    let notices = session(&h).notices();
    assert!(notices[0].text.contains("nothing is kept of 2 of 10"));
    press(&mut h, Modifiers::COMMAND, Key::T);
    answer(&mut h, true);
    let budget = Change::Budget(Budget::Skin { target_m: 0.002 });
    h.state_mut().state.change(budget, None);
    settle(&mut h);
    assert!(blind(&h).is_none() && tests(&h).is_empty());
    let last = session(&h).notices().last().expect("a notice");
    assert!(last.text.contains("another result"), "{}", last.text);
    press(&mut h, Modifiers::COMMAND, Key::T);
    press(&mut h, Modifiers::NONE, Key::Escape);
    assert_eq!(session(&h).notices().len(), 2, "nothing was lost");
    // A clip in the making cannot be tested.
    let budget = Change::Budget(Budget::Skin { target_m: 0.003 });
    h.state_mut().state.change(budget, None);
    assert!(!abx::can_start(&h.state().state));
}

#[test]
fn a_preset_keeps_the_eye_that_it_was_chosen_by() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut h = window();
    h.state_mut().keep_safe(folder.path());
    type_target(&mut h, "1.4mm");
    press(&mut h, Modifiers::COMMAND, Key::T);
    answer_all(&mut h, 5);
    press(&mut h, Modifiers::NONE, Key::Escape);
    let save = |h: &mut Window, name: &str| {
        h.get_by_label_contains("Preset: ").click();
        h.run_steps(4);
        click(h, "Save as preset…");
        h.get_by_role_and_label(Role::TextInput, "Name of the preset")
            .type_text(name);
        h.run_steps(3);
        h.key_press(Key::Enter);
        settle(h);
    };
    save(&mut h, "Mine");
    let error_m = result(&h).largest_error_m();
    let read = || Preset::read(&folder.path().join("presets/Mine.json")).expect("a preset");
    let by_eye = read().by_eye.expect("an eye");
    assert_eq!(
        (by_eye.error_m, by_eye.correct, by_eye.trials),
        (error_m, 5, 10)
    );
    press(&mut h, Modifiers::COMMAND, Key::Z);
    press(&mut h, Modifiers::COMMAND, Key::Z);
    settle(&mut h);
    assert!(tests(&h).is_empty() && target_mm(&h) == 1.0);
    h.get_by_label_contains("Preset: Standard").click();
    h.run_steps(4);
    h.get_by_label("Mine").hover();
    let said = format!(
        "not told apart at {} in 10 trials by eye",
        units::show_mm(error_m)
    );
    let start = Instant::now();
    while h.query_by_label_contains(&said).is_none() {
        h.step();
        assert!(start.elapsed() < Duration::from_secs(10), "{said}");
        std::thread::sleep(Duration::from_millis(5));
    }
    click(&mut h, "Mine");
    assert_eq!(target_mm(&h), 1.4);
    save(&mut h, "Mine");
    assert_eq!(
        read().by_eye,
        Some(by_eye),
        "saved again without another test"
    );
}
