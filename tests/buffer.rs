//! The result before the last change, and blind tests, in a session without a window.

use posepress::codec::{Budget, Quality};
use posepress::import::{self, LoadOptions};
use posepress::session::{
    BlindButton, BlindRun, BufferUse, Change, ClipId, ClipResult, Command, Gesture, Session, TRIALS,
};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const ASSET: &[u8] = include_bytes!("../assets/mannequin.glb");

fn session() -> Session {
    woken_session().0
}

/// A session, and what tells that it has news.
fn woken_session() -> (Session, Receiver<()>) {
    let (news, heard) = channel();
    // Nobody may listen any more.
    let mut session = Session::new(move || _ = news.send(()));
    let asset = import::load_bytes(Path::new("mannequin.glb"), ASSET, &LoadOptions::default());
    let mut asset = asset.expect("the bundled clips load");
    // One clip is enough, and the others take time.
    asset.clips.truncate(1);
    asset.animation_index.truncate(1);
    session.add(asset);
    settle(&mut session);
    (session, heard)
}

fn settle(session: &mut Session) {
    let start = Instant::now();
    while session.busy_clips() > 0 {
        session.poll();
        assert!(start.elapsed() < Duration::from_mins(5), "the worker hangs");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn first() -> ClipId {
    ClipId::default()
}

fn edit(change: Change) -> Command {
    let clip = first();
    Command::Edit { clip, change }
}

fn target(mm: f64) -> Command {
    let target_m = mm / 1000.0;
    edit(Change::Budget(Budget::Skin { target_m }))
}

fn set(s: &mut Session, mm: f64) {
    s.dispatch(&target(mm), None);
    settle(s);
}

fn shown(s: &Session) -> Arc<ClipResult> {
    s.result(first()).expect("a result").clone()
}

fn buffered(s: &Session) -> Arc<ClipResult> {
    s.buffer(first()).expect("a buffer").clone()
}

/// The target that is set, millimetres.
fn set_mm(s: &Session) -> f64 {
    match s.edits(first()).expect("edits").settings.budget {
        Budget::Skin { target_m } => 1000.0 * target_m,
        Budget::Tolerances => f64::NAN,
    }
}

#[test]
fn a_change_keeps_what_was_before_and_a_drag_what_was_before_it() {
    let mut s = session();
    assert!(s.buffer(first()).is_none());
    let one = shown(&s);
    for k in 1..=20 {
        s.dispatch(&target(1.0 + 0.1 * f64::from(k)), Some(Gesture(1)));
        s.poll();
        if k == 10 {
            // A hand that rests gets a full result; the buffer still holds what was before the drag.
            settle(&mut s);
            assert_eq!(shown(&s).quality, Quality::Full);
        }
    }
    settle(&mut s);
    assert!(Arc::ptr_eq(&buffered(&s), &one) && set_mm(&s) == 3.0);
    let three = shown(&s);
    set(&mut s, 4.0);
    assert!(Arc::ptr_eq(&buffered(&s), &three));
    // A change on its way has no result that could be kept.
    s.dispatch(&target(5.0), None);
    s.dispatch(&target(6.0), None);
    settle(&mut s);
    assert_eq!(
        buffered(&s).settings.budget,
        Budget::Skin { target_m: 0.004 }
    );
}

#[test]
fn a_swap_is_one_step_shown_at_once_and_undone_at_once() {
    let mut s = session();
    let one = shown(&s);
    set(&mut s, 3.0);
    let three = shown(&s);
    s.use_buffer(first(), BufferUse::Swap);
    assert!(!s.is_busy(first()), "nothing is compressed");
    assert!(Arc::ptr_eq(&shown(&s), &one) && Arc::ptr_eq(&buffered(&s), &three));
    assert_eq!(s.undo_name(), Some("Swap with the buffer"));
    s.undo();
    assert!(!s.is_busy(first()) && set_mm(&s) == 3.0);
    assert!(Arc::ptr_eq(&shown(&s), &three) && Arc::ptr_eq(&buffered(&s), &one));
    s.redo();
    assert!(!s.is_busy(first()) && set_mm(&s) == 1.0);
    assert!(Arc::ptr_eq(&shown(&s), &one) && Arc::ptr_eq(&buffered(&s), &three));
    s.undo();
    s.undo();
    assert!(set_mm(&s) == 1.0 && s.undo_name().is_none());
    assert!(!s.is_busy(first()) && Arc::ptr_eq(&shown(&s), &one));
}

#[test]
fn what_is_approved_after_a_swap_are_the_bytes_that_are_shown() {
    let mut s = session();
    set(&mut s, 3.0);
    s.use_buffer(first(), BufferUse::Swap);
    s.approve(first());
    let edits = s.edits(first()).expect("edits").clone();
    let judged = *edits.verdict.judged().expect("approved");
    assert_eq!(judged.output, shown(&s).hash);
    assert!(!s.is_stale(first()) && s.approved() == [first()]);
    // The same settings compressed anew are the same bytes.
    let mut anew = session();
    assert_eq!(shown(&anew).hash, judged.output);
    set(&mut anew, 3.0);
    assert_ne!(shown(&anew).hash, judged.output);
    s.undo();
    s.undo();
    assert_eq!(shown(&s).hash, shown(&anew).hash);
}

#[test]
fn going_back_keeps_the_buffer() {
    let mut s = session();
    let one = shown(&s);
    set(&mut s, 3.0);
    s.use_buffer(first(), BufferUse::Revert);
    assert!(!s.is_busy(first()) && Arc::ptr_eq(&shown(&s), &one));
    assert!(Arc::ptr_eq(&buffered(&s), &one));
    assert!(!s.can_swap(first()) && !s.can_revert(first()));
    assert_eq!(s.undo_name(), Some("Revert to the buffer"));
    s.undo();
    settle(&mut s);
    assert_eq!(set_mm(&s), 3.0);
    assert_eq!(shown(&s).settings.budget, Budget::Skin { target_m: 0.003 });
}

#[test]
fn a_pinned_buffer_stays_until_it_is_released() {
    let mut s = session();
    let one = shown(&s);
    s.pin_buffer(first());
    set(&mut s, 2.0);
    set(&mut s, 3.0);
    assert!(Arc::ptr_eq(&buffered(&s), &one) && s.is_buffer_pinned(first()));
    let three = shown(&s);
    s.use_buffer(first(), BufferUse::Swap);
    assert!(Arc::ptr_eq(&buffered(&s), &three) && s.is_buffer_pinned(first()));
    s.undo();
    assert!(Arc::ptr_eq(&buffered(&s), &one) && Arc::ptr_eq(&shown(&s), &three));
    // Set by hand what is pinned: it is shown at once, and stays pinned.
    s.dispatch(&target(1.0), None);
    assert!(!s.is_busy(first()));
    assert!(Arc::ptr_eq(&shown(&s), &one) && Arc::ptr_eq(&buffered(&s), &one));
    set(&mut s, 3.0);
    let three = shown(&s);
    s.release_buffer(first());
    set(&mut s, 4.0);
    assert!(Arc::ptr_eq(&buffered(&s), &three));
}

#[test]
fn a_swap_while_something_is_on_its_way_waits_and_going_back_does_not() {
    let (mut s, heard) = woken_session();
    let one = shown(&s);
    set(&mut s, 3.0);
    while heard.try_recv().is_ok() {}
    s.dispatch(&target(4.0), Some(Gesture(9)));
    // The draft is made, and nobody has looked at it yet.
    heard.recv_timeout(Duration::from_mins(5)).expect("a draft");
    assert!(!s.can_swap(first()));
    s.use_buffer(first(), BufferUse::Swap);
    assert_eq!(set_mm(&s), 4.0, "there is nothing to swap with yet");
    s.use_buffer(first(), BufferUse::Revert);
    assert_eq!(set_mm(&s), 3.0);
    assert!(!s.is_busy(first()));
    let back = shown(&s);
    // What was on its way arrives, and is not wanted any more.
    assert!(s.poll());
    assert!(Arc::ptr_eq(&shown(&s), &back) && back.quality == Quality::Full);
    assert!(!Arc::ptr_eq(&back, &one));
}

#[test]
fn contacts_come_back_with_the_buffer() {
    let mut s = session();
    let found = shown(&s).contacts.list.len();
    assert!(found > 0);
    s.dispatch(&edit(Change::Contacts(Some(Vec::new()))), None);
    settle(&mut s);
    assert!(shown(&s).contacts.list.is_empty());
    s.use_buffer(first(), BufferUse::Swap);
    assert!(s.edits(first()).expect("edits").contacts.is_none());
    assert_eq!(shown(&s).contacts.list.len(), found);
    assert!(!s.is_busy(first()) && buffered(&s).contacts.list.is_empty());
}

#[test]
fn a_buffer_of_another_unit_is_none() {
    let mut s = session();
    set(&mut s, 3.0);
    let unit = |unit_m| Command::SetUnit {
        document: 0,
        unit_m,
    };
    s.dispatch(&unit(0.5), None);
    assert!(s.buffer(first()).is_none() && !s.can_revert(first()));
    settle(&mut s);
    assert_eq!(shown(&s).unit_m, 0.5);
}

/// A test in which the first `right` answers are right.
fn answered(seed: u64, right: usize) -> BlindRun {
    let mut run = BlindRun::new(seed);
    for k in 0..TRIALS {
        let x_is_a = run.who(BlindButton::X) == run.who(BlindButton::A);
        run.answer(x_is_a == (k < right));
    }
    run
}

#[test]
fn a_blind_test_is_kept_as_one_step_and_leaves_an_approval_alone() {
    let mut s = session();
    s.approve(first());
    let kept = s.keep_blind_test(first(), &answered(1, 4)).expect("kept");
    assert_eq!(s.undo_name(), Some("Blind test"));
    assert!(!s.is_stale(first()) && !s.is_busy(first()));
    let result = shown(&s);
    assert_eq!(kept.error_m, result.largest_error_m());
    assert_eq!((kept.target_m, kept.output), (Some(0.001), result.hash));
    assert_eq!(kept.source, s.documents()[0].asset.source_hash);
    assert_eq!((kept.correct, kept.trials), (4, 10));
    set(&mut s, 2.0);
    s.keep_blind_test(first(), &answered(2, 10)).expect("kept");
    let threshold = s.threshold(first());
    assert_eq!(threshold.unseen, Some(kept));
    assert_eq!(threshold.seen.map(|t| t.correct), Some(10));
    s.undo();
    s.undo();
    s.undo();
    assert!(s.edits(first()).expect("edits").blind_tests.is_empty());
    s.dispatch(&target(5.0), None);
    assert!(s.testable(first()).is_none(), "not while it is compressed");
    assert!(s.keep_blind_test(first(), &answered(3, 5)).is_none());
    settle(&mut s);
}
