//! Importance, painted on its rows.

use super::{drag, mannequin, on_ruler, settle, timeline_of};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use posepress::gui::state::State;
use posepress::session::{Change, painted_importance};

fn painted(h: &Harness<'_, State>) -> Vec<(Option<String>, usize, usize, f64)> {
    let session = &h.state().session;
    let edits = session.edits(session.selected().expect("a clip"));
    let frames = &edits.expect("edits").settings.importance.frames;
    let plain = frames.iter();
    plain
        .map(|f| (f.joint.clone(), f.first, f.last, f.factor))
        .collect()
}

#[test]
fn importance_is_painted_erased_and_taken_back() {
    let mut h = timeline_of([1016.0, 400.0], mannequin());
    let foot = h.state().clip().expect("a clip").skeleton().find("foot_l");
    h.state_mut().joint = foot.expect("a foot");
    h.run();
    let at = |h: &Harness<'_, State>, row: &str, frame: f64| {
        let y = h.get_by_label(row).rect().center().y;
        egui::pos2(on_ruler(h, frame).x, y)
    };
    let bytes = |h: &Harness<'_, State>| h.state().result().expect("a result").animation_bytes;
    let before = bytes(&h);
    let whole = "Importance of whole clip";
    let (from, to) = (at(&h, whole, 4.2), at(&h, whole, 12.4));
    drag(&mut h, from, to);
    assert_eq!(painted(&h), [(None, 4, 12, 2.0)]);
    assert_eq!(h.state().session.undo_name(), Some("Paint importance"));
    assert!(bytes(&h) > before, "what is protected costs bytes");
    assert!(
        h.query_by_label("Protect ×2 of whole clip, frames 4 to 12")
            .is_some()
    );

    h.get_by_label("Importance brush: Protect ×2").click();
    h.run();
    h.get_by_label("Relax ×0.25").click();
    h.run();
    let own = "Importance of foot_l";
    let (from, to) = (at(&h, own, 20.0), at(&h, own, 15.0));
    drag(&mut h, from, to);
    let joint = Some("foot_l".to_owned());
    assert_eq!(
        painted(&h),
        [(None, 4, 12, 2.0), (joint.clone(), 15, 20, 0.25)]
    );

    h.get_by_label("Importance brush: Relax ×0.25").click();
    h.run();
    h.get_by_label("Erase").click();
    h.run();
    let (from, to) = (at(&h, whole, 6.0), at(&h, whole, 30.0));
    drag(&mut h, from, to);
    assert_eq!(painted(&h), [(None, 4, 5, 2.0), (joint, 15, 20, 0.25)]);
    for _ in 0..3 {
        h.state_mut().session.undo();
        settle(&mut h);
    }
    assert!(painted(&h).is_empty() && h.state().session.undo_name().is_none());
    assert_eq!(bytes(&h), before);
}

#[test]
fn importance_comes_into_a_low_panel_when_it_is_asked_for() {
    let row = "Importance of whole clip";
    let low = [756.0, 276.0];
    let mut h = timeline_of(low, mannequin());
    assert!(h.query_by_label(row).is_none() && !h.state().timeline.shows_importance());
    h.state_mut().view.importance = Some(true);
    h.run();
    assert!(h.query_by_label(row).is_some() && h.state().timeline.shows_importance());
    let height = h.get_by_label("Curves").rect().height();
    assert!(height >= 40.0, "{height}");
    let mut h = timeline_of([1016.0, 400.0], mannequin());
    h.state_mut().view.importance = Some(false);
    h.run();
    assert!(h.query_by_label(row).is_none());
    let frames = painted_importance(&[], None, (3, 5), Some(4.0));
    h.state_mut().change(Change::Importance(frames), None);
    h.run();
    assert!(
        h.query_by_label(row).is_some(),
        "what works is never hidden"
    );
}
