//! The line that sums the judgement up leads to everything that it names, and exceptions are seen in lists.
#![cfg(feature = "gui")]

#[path = "support/window.rs"]
mod window;

use egui::Key;
use egui_kittest::kittest::Queryable as _;
use posepress::codec::{Limit, Matter};
use posepress::session::{Change, Command};
use window::{Window, press, selected, session, settle};

/// Whether a limit is of a kind.
type Kind = fn(&Matter) -> bool;

fn window() -> Window {
    window::window(&[], [1600.0, 1000.0])
}

fn limit(h: &Window, is: impl Fn(&Matter) -> bool) -> Limit {
    let judged = session(h).judgement(selected(h)).expect("a result");
    judged.find(is).expect("a limit").clone()
}

fn go_to(h: &mut Window, part: &str) {
    h.get_by_label_contains(&format!("Go to: {part}")).click();
    h.run_steps(4);
}

/// The joint and the second that are shown.
fn shown(h: &Window) -> (usize, f64) {
    let state = &h.state().state;
    let grid = state.clip().expect("a clip").grid();
    (state.joint, grid.secs(state.transport.frame))
}

#[test]
fn each_part_leads_to_its_joint_and_frame() {
    let mut h = window();
    let kinds: [(&str, Kind); 3] = [
        ("Skin", |m| *m == Matter::Skin),
        ("jitter", |m| *m == Matter::Jitter),
        ("seam", |m| *m == Matter::Seam),
    ];
    for (part, is) in kinds {
        let (joint, secs) = limit(&h, is).at.expect("a place");
        h.state_mut().state.joint = 0;
        go_to(&mut h, part);
        let (to, at) = shown(&h);
        assert!(to == joint && (at - secs).abs() < 1e-9, "{part}: {to} {at}");
    }
    go_to(&mut h, "feet");
    assert!(h.state().state.shell.inset.is_some());
}

#[test]
fn its_bytes_lead_to_what_they_consist_of() {
    let mut h = window();
    let top = |h: &Window| h.get_by_label("Size").rect().top();
    assert!(top(&h) > 1000.0, "it is far down");
    go_to(&mut h, "animation");
    h.run_steps(60);
    assert!((0.0..1000.0).contains(&top(&h)), "{}", top(&h));
}

#[test]
fn an_exception_is_marked_in_list_and_table() {
    let mut h = window();
    let id = selected(&h);
    let mut settings = session(&h).edits(id).expect("edits").settings.clone();
    settings.jitter_limit_m_per_s = Some(1e-6);
    let change = Change::Settings {
        settings: Box::new(settings),
        what: "Limit jitter".into(),
    };
    let command = Command::Edit { clip: id, change };
    h.state_mut().state.session.dispatch(&command, None);
    settle(&mut h);
    h.state_mut().state.session.approve(id);
    h.run_steps(3);
    assert!(
        h.query_by_label("Clip Walk, approved as an exception")
            .is_some()
    );
    press(&mut h, egui::Modifiers::NONE, Key::F3);
    let row = h.query_by_label_contains("approved as an exception");
    assert!(row.is_some(), "in the table too");
    let edits = session(&h).edits(id).expect("edits");
    assert!(
        edits.exceptions[0].starts_with("the error moves at"),
        "{:?}",
        edits.exceptions
    );
    h.state_mut().state.session.undo();
    h.run_steps(3);
    assert!(h.query_by_label_contains("as an exception").is_none());
}
