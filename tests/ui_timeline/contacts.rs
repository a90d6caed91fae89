//! Contacts on their lanes: clicked, changed in menus, dragged.

use super::{drag, frame, mannequin, on_ruler, settle, timeline_of};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use posepress::gui::state::State;
use posepress::metrics::SolePart;
use posepress::session::{Change, ClipId, Command};

#[test]
fn a_contact_leads_to_its_worst_frame() {
    for size in [[1016.0, 400.0], [740.0, 260.0]] {
        let mut h = timeline_of(size, mannequin());
        let result = h.state().result().expect("a result").clone();
        assert_eq!(
            result.measured.slides.len(),
            5,
            "heels and balls of two steps"
        );
        let clip = h.state().clip().expect("a clip").clone();
        for slide in &result.measured.slides {
            let name = &clip.skeleton().joints()[slide.contact.point.joint].name;
            let (from, to) = slide.contact.frames;
            let part = slide.contact.point.part.name();
            let label = format!("{name} ({part}) stands from frame {from} to {to}:");
            h.get_by_label_contains(&label).click();
            h.run();
            assert_eq!(frame(&h), slide.worst_frame as f64, "{name} at {size:?}");
            assert_eq!(h.state().joint, slide.contact.point.joint);
        }
    }
}

#[test]
fn a_contact_is_taken_away_in_its_menu_and_undo_brings_it_back() {
    let mut h = timeline_of([1016.0, 400.0], mannequin());
    let count =
        |h: &Harness<'_, State>| h.state().result().expect("a result").measured.slides.len();
    h.get_by_label_contains("foot_r (heel) stands from")
        .click_secondary();
    h.run();
    h.get_by_label("Is no contact").click();
    h.run();
    settle(&mut h);
    assert_eq!(count(&h), 4);
    assert!(h.query_by_label_contains("foot_r (heel) stands").is_none());
    assert_eq!(h.state().session.undo_name(), Some("Edit contacts"));
    h.state_mut().session.undo();
    settle(&mut h);
    assert_eq!(count(&h), 5);
    // Beside the bars, at the playhead on frame 0.
    let axis = h.get_by_label("Curves").rect();
    let lane = h.get_by_label_contains("foot_r (heel) stands from").rect();
    let free = egui::pos2(axis.left() + 4.0, lane.center().y);
    h.hover_at(free);
    h.run();
    for pressed in [true, false] {
        h.event(egui::Event::PointerButton {
            pos: free,
            button: egui::PointerButton::Secondary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        });
    }
    h.run();
    h.get_by_label("foot_r (heel) stands at the playhead")
        .click();
    h.run();
    settle(&mut h);
    assert_eq!(count(&h), 6);
}

/// First and last frames of one point's contacts.
fn stances(h: &Harness<'_, State>, joint: &str, part: SolePart) -> Vec<(usize, usize)> {
    let joint = h.state().clip().expect("a clip").skeleton().find(joint);
    let result = h.state().result().expect("a result");
    let slides = result.measured.slides.iter().map(|s| s.contact);
    let own = slides.filter(|c| Some(c.point.joint) == joint && c.point.part == part);
    own.map(|c| c.frames).collect()
}

#[test]
fn contacts_are_dragged_by_edges_and_whole_in_one_step_each() {
    let mut h = timeline_of([1016.0, 400.0], mannequin());
    // Where feet are held, contacts decide the bytes.
    let free = Command::Edit {
        clip: ClipId::default(),
        change: Change::SlideTarget(None),
    };
    h.state_mut().session.dispatch(&free, None);
    settle(&mut h);
    h.state_mut().sync();
    h.run();
    let heel = |h: &Harness<'_, State>| stances(h, "foot_r", SolePart::Heel);
    let bar = |h: &Harness<'_, State>| h.get_by_label_contains("foot_r (heel) stands from").rect();
    let (first, last) = heel(&h)[0];
    let hash = h.state().result().expect("a result").hash;
    let step = on_ruler(&h, 1.0).x - on_ruler(&h, 0.0).x;
    let right = egui::vec2(step, 0.0);

    let end = bar(&h).right_center() - egui::vec2(2.0, 0.0);
    drag(&mut h, end, end - 3.2 * right);
    assert_eq!(heel(&h), [(first, last - 3)]);
    let begin = bar(&h).left_center() + egui::vec2(2.0, 0.0);
    drag(&mut h, begin, begin + 2.0 * right);
    assert_eq!(heel(&h), [(first + 2, last - 3)]);
    let middle = bar(&h).center();
    drag(&mut h, middle, middle - 4.0 * right);
    assert_eq!(heel(&h), [(first - 2, last - 7)]);
    assert_eq!(h.state().result().expect("a result").hash, hash);
    for _ in 0..3 {
        assert_eq!(h.state().session.undo_name(), Some("Edit contacts"));
        h.state_mut().session.undo();
        settle(&mut h);
    }
    assert_eq!(h.state().session.undo_name(), Some("Let the feet go"));
    assert_eq!(heel(&h), [(first, last)]);
}

#[test]
fn a_contact_is_drawn_on_a_free_place_and_escape_lets_it_be() {
    let mut h = timeline_of([1016.0, 400.0], mannequin());
    let heel = |h: &Harness<'_, State>| stances(h, "foot_r", SolePart::Heel);
    let before = heel(&h);
    let y = h.get_by_label_contains("foot_r (heel) stands from").rect();
    let at = |h: &Harness<'_, State>, frame: f64| egui::pos2(on_ruler(h, frame).x, y.center().y);
    let (from, to) = (at(&h, 3.1), at(&h, 7.9));
    h.hover_at(from);
    h.run();
    h.drag_at(from);
    h.run();
    h.hover_at(to);
    h.run();
    assert!(h.query_by_label_contains("Frames 3 to 8").is_some());
    assert!(h.query_by_label_contains("Slide added").is_some());
    h.key_press(egui::Key::Escape);
    h.run();
    h.drop_at(to);
    settle(&mut h);
    assert_eq!(h.state().session.undo_name(), None, "it was let be");
    drag(&mut h, from, to);
    assert_eq!(heel(&h), [vec![(3, 8)], before].concat());
    assert_eq!(h.state().session.undo_name(), Some("Edit contacts"));
}

#[test]
fn what_a_drag_would_measure_is_what_it_then_measures() {
    let mut state = mannequin();
    let slides = state.result().expect("a result").measured.slides.clone();
    for slide in slides {
        let along = state.slide(slide.contact).expect("in the clip");
        assert!((along.added_m - slide.added_m).abs() < 1e-9);
        assert!((along.dense_added_m - slide.dense_added_m).abs() < 1e-9);
        assert!((along.source_drift_m - slide.source_drift_m).abs() < 1e-9);
        assert_eq!(along.worst_frame, slide.worst_frame);
    }
}
