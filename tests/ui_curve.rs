//! The curve of size against error, the byte budget and what a millimetre costs, by pointer and keys.
#![cfg(feature = "gui")]

#[path = "support/window.rs"]
mod window;

use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, PointerButton, Pos2, Vec2, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use posepress::codec::{Budget, Quality};
use posepress::import::{self, LoadOptions};
use posepress::session::{Change, ClipId, Command, Session};
use std::path::Path;
use window::{Window, session, settle, until};

const CURVE: &str = "Skin error target on the curve of sizes";

/// The window with the bundled walk alone: the other clips would be compressed as well.
fn window() -> Window {
    let bytes = include_bytes!("../assets/mannequin.glb");
    let asset = import::load_bytes(Path::new("m.glb"), bytes, &LoadOptions::default());
    let mut asset = asset.expect("the bundled clips load");
    asset.clips.truncate(1);
    asset.animation_index.truncate(1);
    let nothing = tempfile::tempdir().expect("a folder");
    let missing = nothing.path().join("missing.glb");
    let mut h = window::window(&[missing], [1600.0, 1900.0]);
    let state = &mut h.state_mut().state;
    assert!(state.session.documents().is_empty());
    while !state.session.notices().is_empty() {
        state.session.dismiss(0);
    }
    state.session.add(asset);
    settle(&mut h);
    h
}

fn clip() -> ClipId {
    ClipId::default()
}

fn target_m(session: &Session) -> f64 {
    match session.edits(clip()).expect("edits").settings.budget {
        Budget::Skin { target_m } => target_m,
        Budget::Tolerances => panic!("there is a target"),
    }
}

fn points(h: &Window) -> usize {
    let curve = session(h).size_curve(clip());
    curve.map_or(0, |c| c.points().len())
}

fn complete(h: &mut Window) {
    until(h, |s| {
        let curve = s.size_curve(clip());
        curve.is_some_and(|c| {
            let (known, all) = c.progress(target_m(s));
            known == all
        })
    });
}

fn change(h: &mut Window, change: Change) {
    let command = Command::Edit {
        clip: clip(),
        change,
    };
    h.state_mut().state.session.dispatch(&command, None);
    settle(h);
}

fn type_size(h: &mut Window, text: &str) {
    let name = "Byte budget";
    h.get_by_role_and_label(Role::TextInput, name).focus();
    h.run_steps(3);
    h.get_by_role_and_label(Role::TextInput, name)
        .type_text(text);
    h.run_steps(3);
    h.key_press(Key::Enter);
    h.run_steps(3);
}

fn press(h: &mut Window, key: Key) {
    h.key_press(key);
    h.run_steps(3);
}

fn undo(h: &mut Window) {
    h.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    h.run_steps(2);
    settle(h);
}

fn button(h: &mut Window, pos: Pos2, pressed: bool) {
    h.event(Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    });
    h.run_steps(1);
}

fn go(h: &mut Window, pos: Pos2) {
    h.event(Event::PointerMoved(pos));
    h.run_steps(1);
}

/// The middle of the plot, or what lies so far from it.
fn on_the_curve(h: &Window, offset: Vec2) -> Pos2 {
    let rect = h.get_by_role_and_label(Role::Slider, CURVE).rect();
    rect.center() + offset
}

#[test]
fn the_point_is_dragged_along_the_curve_in_one_step() {
    let mut h = window();
    complete(&mut h);
    assert_eq!(points(&h), 11);
    let before = session(&h).result(clip()).expect("a result").hash;
    let from = on_the_curve(&h, vec2(20.0, 10.0));
    go(&mut h, from);
    button(&mut h, from, true);
    let mut seen = vec![target_m(session(&h))];
    for k in 1..=6 {
        go(&mut h, from + vec2(10.0 * k as f32, 0.0));
        seen.push(target_m(session(&h)));
        assert!(
            !session(&h).is_measuring_sizes(),
            "the hand goes before the curve"
        );
    }
    assert!(seen.is_sorted_by(|a, b| a < b), "{seen:?}");
    assert!(session(&h).is_busy(clip()), "drafts follow the hand");
    button(&mut h, from + vec2(60.0, 0.0), false);
    settle(&mut h);
    let r = session(&h).result(clip()).expect("a result").clone();
    assert_eq!(r.quality, Quality::Full);
    assert!(target_m(session(&h)) > 0.002 && r.hash != before);
    assert_eq!(points(&h), 12, "the result is a point as well");
    assert_eq!(session(&h).undo_name(), Some("Set skin error target"));
    undo(&mut h);
    assert_eq!(target_m(session(&h)), 0.001);
    assert_eq!(session(&h).result(clip()).expect("a result").hash, before);
    assert!(session(&h).undo_name().is_none(), "the drag is one step");
}

#[test]
fn a_click_and_the_arrow_keys_set_the_target() {
    let mut h = window();
    let at = on_the_curve(&h, vec2(-40.0, 0.0));
    go(&mut h, at);
    button(&mut h, at, true);
    button(&mut h, at, false);
    settle(&mut h);
    let clicked = target_m(session(&h));
    assert!(clicked < 0.001, "left of the middle is finer: {clicked}");
    h.get_by_role_and_label(Role::Slider, CURVE).focus();
    h.run_steps(3);
    press(&mut h, Key::ArrowRight);
    settle(&mut h);
    let stepped = target_m(session(&h));
    let ratio = stepped / clicked;
    assert!(
        (1.15..1.25).contains(&ratio),
        "a twelfth of a decade: {ratio}"
    );
    press(&mut h, Key::ArrowLeft);
    settle(&mut h);
    assert!((target_m(session(&h)) / clicked - 1.0).abs() < 0.01);
    let shown = h.get_by_role_and_label(Role::Slider, CURVE);
    let value = shown.accesskit_node().numeric_value().expect("a value");
    assert!((value - 1000.0 * target_m(session(&h))).abs() < 1e-6);
}

#[test]
fn points_survive_the_target_and_vanish_with_other_changes() {
    let mut h = window();
    complete(&mut h);
    assert!(h.query_by_label("11 points").is_some());
    change(&mut h, Change::Budget(Budget::Skin { target_m: 0.0047 }));
    assert!(points(&h) >= 11);
    let looped = Command::Edit {
        clip: clip(),
        change: Change::Looped(true),
    };
    h.state_mut().state.session.dispatch(&looped, None);
    h.step();
    assert_eq!(points(&h), 0);
    assert!(h.query_by_label("0 of 11 points").is_some());
    until(&mut h, |s| {
        s.size_curve(clip()).is_some_and(|c| c.points().len() >= 2)
    });
}

#[test]
fn folded_up_nothing_is_measured() {
    let mut h = window();
    assert!(session(&h).is_measuring_sizes());
    h.get_by_label("Size against error").click();
    h.run_steps(3);
    assert!(!session(&h).is_measuring_sizes());
    let known = points(&h);
    assert!(h.query_by_role_and_label(Role::Slider, CURVE).is_none());
    assert!(
        h.query_by_label("Unfold “Size against error” to measure it")
            .is_some()
    );
    h.run_steps(20);
    assert_eq!(points(&h), known);
    h.get_by_label("Size against error").click();
    h.run_steps(3);
    assert!(session(&h).is_measuring_sizes());
}

#[test]
fn a_typed_size_finds_its_target() {
    let mut h = window();
    type_size(&mut h, "1.4 kb");
    assert!(session(&h).fitting(clip()).is_some());
    assert!(h.query_by_label("Stop looking for a target").is_some());
    until(&mut h, |s| {
        s.fitting(clip()).is_none() && !s.is_busy(clip())
    });
    let r = session(&h).result(clip()).expect("a result");
    assert!(r.animation_bytes <= 1433 && r.animation_bytes > 1300);
    assert_eq!(session(&h).undo_name(), Some("Fit in 1.4 KB of animation"));
    undo(&mut h);
    assert_eq!(target_m(session(&h)), 0.001);
    assert!(session(&h).undo_name().is_none());
}

#[test]
fn a_typed_size_is_that_of_the_file_where_this_is_chosen() {
    let mut h = window();
    h.get_by_role_and_label(Role::RadioButton, "file").click();
    h.run_steps(3);
    type_size(&mut h, "5.2 KB");
    until(&mut h, |s| {
        s.fitting(clip()).is_none() && !s.is_busy(clip())
    });
    let bytes = session(&h).result(clip()).expect("a result").file_bytes();
    assert!(bytes.is_some_and(|b| b <= 5324 && b > 5200), "{bytes:?}");
    let name = session(&h).undo_name();
    assert_eq!(name, Some("Fit in a file of 5.2 KB"));
}

#[test]
fn a_size_that_cannot_be_is_said_and_changes_nothing() {
    let mut h = window();
    type_size(&mut h, "30 B");
    until(&mut h, |s| s.fitting(clip()).is_none());
    assert_eq!(target_m(session(&h)), 0.001);
    assert!(session(&h).undo_name().is_none());
    let last = session(&h).notices().last().expect("a notice");
    assert_eq!(last.title, "It cannot fit in 30 B of animation");
    type_size(&mut h, " and so on");
    let last = session(&h).notices().last().expect("a notice");
    assert!(last.text.contains("2KB, 1500 or 40x"), "{}", last.text);
    assert!(session(&h).fitting(clip()).is_none());
}

#[test]
fn a_search_is_stopped() {
    let mut h = window();
    type_size(&mut h, "50x");
    assert!(session(&h).fitting(clip()).is_some());
    h.get_by_label("Stop looking for a target").click();
    h.run_steps(3);
    assert!(session(&h).fitting(clip()).is_none());
    assert_eq!(target_m(session(&h)), 0.001);
}

#[test]
fn tolerances_have_no_curve_and_a_size_brings_the_target_back() {
    let mut h = window();
    change(&mut h, Change::Budget(Budget::Tolerances));
    assert!(h.query_by_role_and_label(Role::Slider, CURVE).is_none());
    assert!(
        h.query_by_label_contains("choose “Skin error” above")
            .is_some()
    );
    assert!(!session(&h).is_measuring_sizes());
    type_size(&mut h, "1.2KB");
    until(&mut h, |s| {
        s.fitting(clip()).is_none() && !s.is_busy(clip())
    });
    let r = session(&h).result(clip()).expect("a result");
    assert!(r.animation_bytes <= 1228 && target_m(session(&h)) > 0.001);
}

#[test]
fn the_list_of_costs_leads_to_joints() {
    let mut h = window();
    complete(&mut h);
    let dearest = {
        let curve = session(&h).size_curve(clip()).expect("a curve");
        curve.costs(0.001).expect("costs")[0]
    };
    let skeleton = h.state().state.clip().expect("a clip").skeleton().clone();
    let name = &skeleton.joints()[dearest.joint].name;
    let price = dearest.bytes_per_mm.expect("a price");
    h.state_mut().state.joint = 0;
    h.run_steps(3);
    let label = format!("A millimetre at {name} costs {price:.0} bytes");
    h.get_by_label(&label).click();
    h.run_steps(3);
    assert_eq!(h.state().state.joint, dearest.joint);
    let own = h.query_all_by_label(&label).count();
    assert_eq!(own, 2, "the last row is that of the selected joint");
    let rows = |h: &Window| h.query_all_by_label_contains("A millimetre at ").count();
    assert_eq!(rows(&h), 7);
    h.get_by_label_contains("joints more").click();
    h.run_steps(3);
    assert!(rows(&h) > 40);
}
