//! Whose a key is: a slow frame can hold the click into a text field, a whole word and the Enter that ends it.
#![cfg(feature = "gui")]

#[path = "support/window.rs"]
mod window;

use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, PointerButton, Pos2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use posepress::gui::stage::Cast;
use posepress::gui::state::Compare;
use posepress::session::Verdict;
use window::{Window, selected, session};

fn window() -> Window {
    window::window(&[], [1600.0, 1000.0])
}

fn pressed(key: Key) -> Event {
    Event::Key {
        key,
        physical_key: None,
        pressed: true,
        repeat: false,
        modifiers: Modifiers::NONE,
    }
}

/// `y`, `n` and Enter as a desktop sends them.
fn word_and_enter() -> Vec<Event> {
    let typed =
        [(Key::Y, "y"), (Key::N, "n")].map(|(key, text)| [pressed(key), Event::Text(text.into())]);
    let mut events = typed.concat();
    events.push(pressed(Key::Enter));
    events
}

fn click(at: Pos2) -> Vec<Event> {
    let button = |pressed| Event::PointerButton {
        pos: at,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    vec![Event::PointerMoved(at), button(true), button(false)]
}

/// All of it in one frame.
fn at_once(h: &mut Window, events: Vec<Event>) {
    h.input_mut().events.extend(events);
    h.run_steps(4);
}

/// Nothing was approved, no joint, frame or inset chosen.
fn assert_untouched(h: &Window, joint: usize) {
    let state = &h.state().state;
    let verdict = &session(h).edits(selected(h)).expect("edits").verdict;
    assert_eq!((verdict, session(h).undo_name()), (&Verdict::Open, None));
    assert_eq!(
        (state.joint, state.transport.frame, state.shell.inset),
        (joint, 0.0, None)
    );
    assert!(state.shell.tour.is_none());
}

#[test]
fn a_word_and_its_enter_in_one_frame_are_the_text_fields() {
    let mut h = window();
    let joint = h.state().state.joint;
    let filter = |h: &Window| h.get_by_role_and_label(Role::TextInput, "Joints").rect();
    let at = filter(&h).center();
    at_once(&mut h, click(at));
    at_once(&mut h, word_and_enter());
    assert_untouched(&h, joint);
    assert_eq!(h.state().state.shell.joint_filter, "yn");
    // Now the keys are the window's again.
    at_once(&mut h, vec![pressed(Key::Y)]);
    assert_eq!(session(&h).undo_name(), Some("Approve"));
}

#[test]
fn keys_of_the_frame_of_the_click_into_a_text_field_are_not_the_windows() {
    let mut h = window();
    let joint = h.state().state.joint;
    let at = h
        .get_by_role_and_label(Role::TextInput, "Joints")
        .rect()
        .center();
    let mut events = click(at);
    events.extend([pressed(Key::Y), pressed(Key::N)]);
    at_once(&mut h, events);
    assert_untouched(&h, joint);
    let focused = h.get_by_role_and_label(Role::TextInput, "Joints");
    assert!(focused.accesskit_node().is_focused());
}

#[test]
fn the_source_takes_the_place_of_all_while_its_key_is_held() {
    let mut h = window();
    h.state_mut().state.view.compare = Compare::Overlay;
    let shown = |h: &Window| {
        [Cast::Source, Cast::Compressed, Cast::Both].map(|cast| h.state().state.shown(cast))
    };
    assert_eq!(shown(&h), [Cast::Source, Cast::Compressed, Cast::Both]);
    h.key_down(Key::Backtick);
    h.run_steps(3);
    assert_eq!(shown(&h), [Cast::Source, Cast::Swapped, Cast::Swapped]);
    h.key_up(Key::Backtick);
    h.run_steps(3);
    assert_eq!(shown(&h), [Cast::Source, Cast::Compressed, Cast::Both]);
}
