//! The size-against-error curve and the byte budget of a session, on the bundled clips.

use posepress::codec::{Budget, Deliverable, Quality};
use posepress::import::{self, LoadOptions};
use posepress::session::units::ByteLimit;
use posepress::session::{
    ByteBudget, Change, ClipId, Command, Fitted, Gesture, Session, SizePoint, Tried,
};
use std::path::Path;
use std::time::{Duration, Instant};

const ASSET: &[u8] = include_bytes!("../assets/mannequin.glb");

fn session() -> Session {
    let mut session = Session::new(|| {});
    let asset = import::load_bytes(Path::new("mannequin.glb"), ASSET, &LoadOptions::default());
    let mut asset = asset.expect("the bundled clips load");
    // The walk alone: the others would be compressed as well.
    asset.clips.truncate(1);
    asset.animation_index.truncate(1);
    session.add(asset);
    until(&mut session, |s| s.busy_clips() == 0);
    session
}

fn until(session: &mut Session, done: impl Fn(&Session) -> bool) {
    let start = Instant::now();
    while !done(session) {
        session.poll();
        assert!(start.elapsed() < Duration::from_mins(5), "it never ends");
        std::thread::sleep(Duration::from_millis(2));
    }
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

fn edit(session: &mut Session, change: Change) {
    session.dispatch(
        &Command::Edit {
            clip: clip(),
            change,
        },
        None,
    );
}

fn set_target(session: &mut Session, target_m: f64) {
    edit(session, Change::Budget(Budget::Skin { target_m }));
    until(session, |s| !s.is_busy(clip()));
}

fn progress(session: &Session) -> (usize, usize) {
    let curve = session.size_curve(clip());
    curve.map_or((0, 0), |c| c.progress(target_m(session)))
}

fn complete(session: &mut Session) -> Vec<SizePoint> {
    session.want_size_curve(true);
    until(session, |s| {
        let (known, all) = progress(s);
        known == all && all > 0
    });
    session
        .size_curve(clip())
        .expect("a curve")
        .points()
        .to_vec()
}

#[test]
fn every_point_is_what_a_person_would_get_with_that_target() {
    let mut s = session();
    let points = complete(&mut s);
    assert_eq!(points.len(), 11, "0.1 to 10 mm, five a decade");
    assert!(points.is_sorted_by(|a, b| a.target_m < b.target_m));
    assert_eq!((points[0].target_m, points[10].target_m), (0.0001, 0.01));
    for p in &points {
        assert!(p.target_met == Some(true) && p.max_m <= p.target_m, "{p:?}");
        assert!(p.rms_m > 0.0 && p.slide_m.is_some());
        let joints: usize = p.joints.iter().map(|j| j.bytes).sum();
        assert!(joints > 0 && joints < p.animation_bytes);
    }
    assert!(points[0].animation_bytes > 2 * points[10].animation_bytes);
    s.want_size_curve(false);
    for k in [2, 9] {
        let p = &points[k];
        set_target(&mut s, p.target_m);
        let r = s.result(clip()).expect("a result");
        assert_eq!(r.quality, Quality::Full);
        assert_eq!(r.animation_bytes, p.animation_bytes);
        assert_eq!(r.largest_error_m(), p.max_m, "the very same bytes");
        assert_eq!(r.worst_slide_m(), p.slide_m);
        let shown: Vec<usize> = p.joints.iter().map(|j| j.bytes).collect();
        assert_eq!(r.joint_bytes, shown);
    }
}

#[test]
fn points_outlive_a_change_of_the_target_and_of_nothing_else() {
    let mut s = session();
    let points = complete(&mut s);
    set_target(&mut s, 0.0032);
    s.poll();
    let curve = s.size_curve(clip()).expect("the same curve");
    assert_eq!(curve.points().len(), 12, "and what the person made");
    assert!(curve.point(0.0032).is_some());
    for p in &points {
        assert_eq!(curve.point(p.target_m), Some(p));
    }
    edit(&mut s, Change::Looped(true));
    assert!(s.size_curve(clip()).is_none(), "it is of other settings");
    s.poll();
    let kept = s.size_curve(clip()).map_or(0, |c| c.points().len());
    assert_eq!(kept, 0);
    edit(&mut s, Change::Deliverable(Deliverable::Uniform));
    let uniform = complete(&mut s);
    assert!(uniform.iter().all(|p| p.animation_bytes > 3_000));
}

#[test]
fn nothing_is_measured_that_nobody_looks_at_or_while_somebody_waits() {
    let mut s = session();
    for _ in 0..20 {
        s.poll();
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(s.size_curve(clip()).is_none() && !s.is_measuring_sizes());
    s.want_size_curve(true);
    assert!(s.is_measuring_sizes());
    let gesture = Some(Gesture(1));
    let drag = Command::Edit {
        clip: clip(),
        change: Change::Budget(Budget::Skin { target_m: 0.002 }),
    };
    s.dispatch(&drag, gesture);
    assert!(!s.is_measuring_sizes(), "a hand goes first");
    while s.is_busy(clip()) {
        assert!(!s.is_measuring_sizes());
        s.poll();
    }
    s.poll();
    assert!(s.is_measuring_sizes(), "and then it goes on");
    s.want_size_curve(false);
    assert!(!s.is_measuring_sizes());
}

#[test]
fn without_a_target_there_is_no_curve() {
    let mut s = session();
    edit(&mut s, Change::Budget(Budget::Tolerances));
    until(&mut s, |s| !s.is_busy(clip()));
    s.want_size_curve(true);
    s.poll();
    assert!(!s.is_measuring_sizes());
}

#[test]
fn a_target_outside_widens_the_curve() {
    let mut s = session();
    s.want_size_curve(true);
    set_target(&mut s, 0.000_05);
    s.poll();
    let curve = s.size_curve(clip()).expect("a curve");
    assert_eq!(curve.range_m(0.000_05), (0.000_01, 0.01));
    assert_eq!(curve.targets(0.000_05).len(), 16);
    set_target(&mut s, 0.001);
    s.poll();
    let curve = s.size_curve(clip()).expect("a curve");
    assert_eq!(
        curve.range_m(0.001),
        (0.000_01, 0.01),
        "points stay in sight"
    );
    assert_eq!(curve.range_m(1.0), (0.000_01, 0.1), "and it ends somewhere");
}

#[test]
fn what_a_millimetre_costs_is_the_difference_of_two_points() {
    let mut s = session();
    complete(&mut s);
    let curve = s.size_curve(clip()).expect("a curve");
    let (finer, coarser) = curve.neighbours(0.001).expect("measured on both sides");
    assert_eq!((finer.target_m, coarser.target_m), (0.000_63, 0.0016));
    let costs = curve.costs(0.001).expect("costs");
    assert!(costs.is_sorted_by(|a, b| b.bytes_per_mm <= a.bytes_per_mm));
    let priced = costs.iter().filter(|c| c.bytes_per_mm.is_some()).count();
    assert!(priced > 20, "{priced} of {}", costs.len());
    for c in &costs {
        let (f, r) = (finer.joints[c.joint], coarser.joints[c.joint]);
        assert_eq!((c.finer, c.coarser), (f, r));
        let less_mm = 1000.0 * (r.max_m - f.max_m);
        match c.bytes_per_mm {
            Some(price) => {
                let more = f.bytes as f64 - r.bytes as f64;
                assert!((price * less_mm - more).abs() < 1e-9, "{c:?}");
            }
            None => assert!(less_mm < 0.05 * (1.6 - 0.63), "{c:?}"),
        }
    }
    assert!(curve.costs(1.0).is_none(), "nothing was measured there");
}

#[test]
fn a_budget_is_met_in_one_step_that_can_be_undone() {
    let mut s = session();
    let before = s.result(clip()).expect("a result").clone();
    s.fit_bytes(clip(), ByteLimit::animation(1_300));
    assert!(s.fitting(clip()).is_some());
    until(&mut s, |s| {
        s.fitting(clip()).is_none() && !s.is_busy(clip())
    });
    let r = s.result(clip()).expect("a result").clone();
    assert!(r.animation_bytes <= 1_300 && r.animation_bytes > 1_200);
    let curve = s.size_curve(clip()).expect("tries are points");
    let now = target_m(&s);
    assert!(curve.points().len() > 3);
    assert_eq!(
        curve.range_m(now),
        (0.0001, 0.01),
        "far tries widen nothing"
    );
    let shown = curve.points_in_range(now);
    assert!(shown.len() < curve.points().len());
    assert!(shown.iter().all(|p| p.target_m <= 0.01));
    assert!(target_m(&s) > 0.001);
    assert_eq!(s.undo_name(), Some("Fit in 1.3 KB of animation"));
    s.undo();
    until(&mut s, |s| !s.is_busy(clip()));
    assert_eq!(s.result(clip()).expect("a result").hash, before.hash);
    assert!(s.undo_name().is_none(), "one step");
}

#[test]
fn what_is_known_before_does_not_change_what_is_found() {
    let mut fresh = session();
    fresh.fit_bytes(clip(), ByteLimit::animation(1_777));
    until(&mut fresh, |s| s.fitting(clip()).is_none());
    let mut knowing = session();
    complete(&mut knowing);
    set_target(&mut knowing, 0.000_77);
    knowing.fit_bytes(clip(), ByteLimit::animation(1_777));
    until(&mut knowing, |s| s.fitting(clip()).is_none());
    assert!(target_m(&fresh) < 0.001);
    assert_eq!(target_m(&knowing), target_m(&fresh));
}

#[test]
fn an_impossible_budget_changes_nothing_and_says_what_is_possible() {
    let mut s = session();
    s.fit_bytes(clip(), ByteLimit::animation(50));
    until(&mut s, |s| s.fitting(clip()).is_none());
    assert_eq!(target_m(&s), 0.001);
    assert!(s.undo_name().is_none());
    let notice = s.notices().last().expect("a notice");
    assert_eq!(notice.title, "It cannot fit in 50 B of animation");
    assert!(notice.text.contains("100 mm"), "{}", notice.text);
}

#[test]
fn a_search_ends_with_a_change_or_when_it_is_cancelled() {
    let mut s = session();
    s.fit_bytes(clip(), ByteLimit::animation(1_300));
    set_target(&mut s, 0.004);
    s.poll();
    assert!(s.fitting(clip()).is_none());
    assert_eq!(target_m(&s), 0.004, "the hand counts");
    s.fit_bytes(clip(), ByteLimit::animation(1_300));
    s.poll();
    s.cancel_fit();
    assert!(s.fitting(clip()).is_none() && !s.is_measuring_sizes());
    assert_eq!(target_m(&s), 0.004);
    assert!(s.notices().is_empty());
}

#[test]
fn the_search_asks_again_for_the_same_targets() {
    let size = |target_m: f64| Tried {
        target_m,
        bytes: (1.0 / target_m) as usize,
        met: true,
    };
    let run = || {
        ByteBudget::search(ByteLimit::animation(2_000), |t| Ok::<_, ()>(size(t))).expect("it ends")
    };
    let (fitted, tries) = run();
    assert_eq!(run(), (fitted, tries));
    assert!(matches!(fitted, Fitted::At(t) if t.bytes <= 2_000 && t.bytes >= 1_980));
}
