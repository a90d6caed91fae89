//! What a person who uses the window without a mouse, or without seeing it, finds in it.
#![cfg(feature = "gui")]

#[path = "support/window.rs"]
mod window;

use egui::accesskit::{Action, Role};
use egui::{Key, Modifiers, vec2};
use egui_kittest::kittest::{By, NodeT as _, Queryable as _};
use posepress::gui::shell::Sheet;
use posepress::math::Channel;
use posepress::session::Verdict;
use std::collections::BTreeSet;
use window::{Window, press, settle};

fn window() -> Window {
    window::window(&[], [1600.0, 1000.0])
}

/// What a screen reader says of the controls: role, name and place.
fn controls(h: &Window) -> Vec<(Role, String, String)> {
    let all = h.query_all(By::new().predicate(|n| {
        let asks = n.data().supports_action(Action::Click);
        let control = asks || matches!(n.role(), Role::Slider | Role::TextInput | Role::SpinButton);
        control && !n.is_disabled()
    }));
    all.map(|n| {
        let node = n.accesskit_node();
        // The words of a label are its value.
        let name = match node.role() {
            Role::Label => node.value(),
            _ => node.label(),
        };
        let place = format!("{:?}", n.rect());
        (node.role(), name.unwrap_or_default(), place)
    })
    .collect()
}

fn assert_named(h: &Window, what: &str) {
    let controls = controls(h);
    assert!(controls.len() > 3, "{what}");
    let nameless = controls.iter().filter(|c| c.1.trim().is_empty());
    let nameless: Vec<_> = nameless.collect();
    assert!(nameless.is_empty(), "{what}: {nameless:?}");
}

#[test]
fn every_control_has_a_name() {
    let mut h = window();
    h.set_size(vec2(1600.0, 2600.0));
    h.run_steps(4);
    assert_named(&h, "the window");
    for menu in ["File", "Edit", "View", "Clip", "Help"] {
        h.get_by_role_and_label(Role::Button, menu).click();
        h.run_steps(4);
        assert_named(&h, menu);
        press(&mut h, Modifiers::NONE, Key::Escape);
    }
    for sheet in [
        Sheet::Open,
        Sheet::Export,
        Sheet::Shortcuts,
        Sheet::About,
        Sheet::Notices,
        Sheet::Palette,
        Sheet::Reject,
        Sheet::Note,
        Sheet::SavePreset,
        Sheet::Unsaved,
    ] {
        h.state_mut().state.shell.sheet = Some(sheet);
        h.run_steps(4);
        assert_named(&h, &format!("{sheet:?}"));
    }
}

#[test]
fn tab_reaches_every_control() {
    let mut h = window();
    let wanted: BTreeSet<String> = controls(&h)
        .into_iter()
        .filter(|(role, ..)| {
            matches!(
                role,
                Role::Button | Role::Slider | Role::TextInput | Role::CheckBox
            )
        })
        .map(|(role, name, _)| format!("{role:?} {name}"))
        .collect();
    let mut missed = wanted.clone();
    // Each is reached once before it starts again.
    for _ in 0..3 * wanted.len() {
        h.key_press(Key::Tab);
        h.step();
        for n in h.query_all(By::new().predicate(|n| n.is_focused() && !n.is_disabled())) {
            let node = n.accesskit_node();
            let name = node.label().unwrap_or_default();
            missed.remove(&format!("{:?} {name}", node.role()));
        }
        if missed.is_empty() {
            break;
        }
    }
    assert!(
        wanted.contains("Button Approve") && missed.is_empty(),
        "{missed:?}"
    );
}

#[test]
fn a_focused_button_is_pressed_with_enter_and_with_space() {
    for key in [Key::Enter, Key::Space] {
        let mut h = window();
        h.get_by_role_and_label(Role::Button, "Approve").focus();
        h.run_steps(2);
        press(&mut h, Modifiers::NONE, key);
        settle(&mut h);
        let session = &h.state().state.session;
        let verdict = &session
            .edits(session.selected().expect("a clip"))
            .expect("edits")
            .verdict;
        assert!(matches!(verdict, Verdict::Approved(_)), "{key:?}");
        assert_eq!(
            h.state().state.transport.playing,
            None,
            "{key:?} was not for the transport"
        );
    }
}

#[test]
fn the_tolerance_of_every_joint_is_there_as_a_number() {
    let mut h = window();
    h.set_size(vec2(1600.0, 2600.0));
    h.run_steps(3);
    h.get_by_label("Tolerances solved for each joint").click();
    h.run_steps(12);
    let state = &h.state().state;
    let (clip, result) = (
        state.clip().expect("a clip"),
        state.result().expect("a result"),
    );
    let pelvis = clip.skeleton().find("pelvis").expect("a joint");
    let solved = result
        .track(pelvis, Channel::Rotation)
        .expect("a track")
        .tolerance;
    assert!(solved > 0.0);
    let start = format!(
        "Tolerances of pelvis: margin –, rotation {} degrees",
        posepress::session::units::digits(solved.to_degrees())
    );
    let row = h.get_by(|n| n.label().is_some_and(|l| l.starts_with(&start)));
    row.click();
    h.run_steps(3);
    assert_eq!(h.state().state.joint, pelvis);

    h.get_by_label("Tolerances").click();
    settle(&mut h);
    let row = "Tolerances of pelvis: margin e/";
    let row = h.get_by(|n| n.label().is_some_and(|l| l.starts_with(row)));
    let height = h.state().state.clip().expect("a clip").skeleton().heights()[pelvis];
    let label = row.accesskit_node().label().expect("a name");
    assert!(
        label.contains(&format!("margin e/{},", height + 1)),
        "{label}"
    );
}
