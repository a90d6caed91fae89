//! Verdicts in the window: the buttons show and toggle them, and for a while a card takes the last one back.
#![cfg(feature = "gui")]

#[path = "support/window.rs"]
mod window;

use egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use posepress::session::Verdict;
use window::{Window, click, enter, press, selected, session, type_into};

const UNDO: &str = "Undo: Approved Walk";

fn window() -> Window {
    window::window(&[], [1600.0, 1000.0])
}

fn verdict(h: &Window) -> Verdict {
    let edits = session(h).edits(selected(h)).expect("edits");
    edits.verdict.clone()
}

fn is_approved(h: &Window) -> bool {
    session(h).approved() == [selected(h)]
}

#[test]
fn an_approval_is_taken_back_by_a_click_on_the_card() {
    let mut h = window();
    press(&mut h, Modifiers::NONE, Key::Y);
    assert!(is_approved(&h));
    click(&mut h, UNDO);
    assert_eq!(verdict(&h), Verdict::Open);
    assert_eq!(
        (session(&h).undo_name(), session(&h).redo_name()),
        (None, Some("Approve"))
    );
    assert!(h.query_by_label(UNDO).is_none());
}

#[test]
fn the_card_is_reached_by_tab_and_waits_while_it_has_the_focus() {
    let mut h = window();
    press(&mut h, Modifiers::NONE, Key::Y);
    press(&mut h, Modifiers::SHIFT, Key::Tab);
    h.run_steps(200);
    assert!(h.get_by_label(UNDO).accesskit_node().is_focused());
    press(&mut h, Modifiers::NONE, Key::Enter);
    assert_eq!(verdict(&h), Verdict::Open);
}

#[test]
fn the_card_goes_by_itself_and_with_the_next_deed() {
    let mut h = window();
    press(&mut h, Modifiers::NONE, Key::Y);
    let dt = 4.0 * f64::from(h.input().predicted_dt);
    let secs = (1..=200).find(|_| {
        h.run_steps(4);
        h.query_by_label(UNDO).is_none()
    });
    let secs = f64::from(secs.expect("it goes")) * dt;
    assert!((4.0..9.0).contains(&secs), "{secs} s");
    assert!(is_approved(&h));
    press(&mut h, Modifiers::NONE, Key::Y);
    assert!(
        h.query_by_label("Undo: Cleared the verdict on Walk")
            .is_some()
    );
    type_into(&mut h, "Skin error target", "0.7mm");
    enter(&mut h);
    assert!(
        h.query_by_label_contains("Undo: ").is_none(),
        "it would take back something else"
    );
}

#[test]
fn the_buttons_show_and_toggle_the_verdict() {
    let mut h = window();
    click(&mut h, "Approve");
    assert!(is_approved(&h));
    click(&mut h, "Approved");
    assert_eq!(verdict(&h), Verdict::Open);
    click(&mut h, "Approve");
    type_into(&mut h, "Skin error target", "0.7mm");
    enter(&mut h);
    assert!(!is_approved(&h));
    click(&mut h, "Stale");
    assert!(is_approved(&h), "as it is now");
    click(&mut h, "Reject");
    click(&mut h, "Reject clip");
    assert!(h.query_by_label("Undo: Rejected Walk").is_some());
    assert!(h.query_by_label("Rejected").is_some() && h.query_by_label("Approve").is_some());
    press(&mut h, Modifiers::COMMAND, Key::Z);
    assert!(is_approved(&h) && h.query_by_label("Approved").is_some());
}
