//! Documents, commands, undo and the worker behind them, on the bundled clips.

#[path = "support/mannequin.rs"]
mod mannequin;

use posepress::codec::{Budget, Deliverable, JointOverride, Quality};
use posepress::import::{self, LoadOptions};
use posepress::math::Channel;
use posepress::session::{
    Change, ClipId, Command, ContactEdit, Edits, Gesture, Session, Verdict, edited_contacts,
    painted_importance,
};
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Some of the bundled clips.
static ASSET: LazyLock<Vec<u8>> = LazyLock::new(|| mannequin::with_clips(&["Walk", "Run", "Idle"]));

fn session() -> Session {
    session_of(&ASSET)
}

fn session_of(asset: &[u8]) -> Session {
    let mut session = Session::new(|| {});
    let asset = import::load_bytes(Path::new("mannequin.glb"), asset, &LoadOptions::default());
    session.add(asset.expect("the bundled clips load"));
    session
}

fn settle(session: &mut Session) {
    let start = Instant::now();
    while session.busy_clips() > 0 || !session.loading().is_empty() || session.exporting().is_some()
    {
        session.poll();
        assert!(
            start.elapsed() < Duration::from_mins(5),
            "the worker does not finish"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn first() -> ClipId {
    ClipId::default()
}

fn edit(change: Change) -> Command {
    Command::Edit {
        clip: first(),
        change,
    }
}

fn target(mm: f64) -> Command {
    edit(Change::Budget(Budget::Skin {
        target_m: mm / 1000.0,
    }))
}

#[test]
fn every_clip_is_compressed_and_meets_the_default_target() {
    let mut s = session_of(mannequin::BUNDLED);
    settle(&mut s);
    for id in s.clip_ids().collect::<Vec<_>>() {
        let r = s.result(id).expect("a result");
        assert_eq!(
            (r.quality, r.compressed.target_met),
            (Quality::Full, Some(true))
        );
        assert!(
            r.gate_m() <= 0.001 && r.ratio() > 3.0,
            "{} times",
            r.ratio()
        );
    }
}

#[test]
fn a_drag_is_one_step_and_ends_in_the_full_result() {
    let mut s = session();
    settle(&mut s);
    let before = s.result(first()).expect("a result").hash;
    for k in 1..=20 {
        s.dispatch(&target(1.0 + 0.2 * f64::from(k)), Some(Gesture(1)));
        s.poll();
    }
    settle(&mut s);
    let r = s.result(first()).expect("a result").clone();
    assert_eq!(r.quality, Quality::Full);
    assert_eq!(r.settings.budget, Budget::Skin { target_m: 0.005 });
    assert!(r.hash != before);
    s.undo();
    settle(&mut s);
    assert_eq!(
        s.result(first()).expect("a result").hash,
        before,
        "one step back is the whole drag"
    );
    assert!(s.undo_name().is_none());
    s.redo();
    settle(&mut s);
    assert_eq!(s.result(first()).expect("a result").hash, r.hash);
}

#[test]
fn an_approval_is_bound_to_the_bytes() {
    let mut s = session();
    settle(&mut s);
    s.approve(first());
    assert_eq!(s.approved(), [first()]);
    s.dispatch(&target(3.0), None);
    assert!(
        s.is_stale(first()),
        "already while the new bytes are being made"
    );
    settle(&mut s);
    assert!(s.is_stale(first()) && s.approved().is_empty());
    s.undo();
    settle(&mut s);
    assert!(!s.is_stale(first()), "the same bytes again");
}

#[test]
fn a_clip_in_the_making_cannot_be_approved() {
    let mut s = session();
    s.approve(first());
    assert_eq!(
        s.edits(first()).map(|e| e.verdict.clone()),
        Some(Verdict::Open)
    );
    settle(&mut s);
}

#[test]
fn random_commands_can_all_be_taken_back_and_done_again() {
    let mut s = session();
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = move |n: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % n
    };
    let edits = |s: &Session| -> Edits { s.documents()[0].edits.clone() };
    let initial = edits(&s);
    for _ in 0..400 {
        let clip = ClipId {
            document: 0,
            clip: next(3) as usize,
        };
        let joint = format!("joint_{}", next(5));
        let channel = Channel::ALL[next(3) as usize];
        let change = match next(8) {
            0 => Change::Budget(Budget::Skin {
                target_m: 0.001 * (1 + next(9)) as f64,
            }),
            1 => Change::Tolerance(channel, 0.001 * (1 + next(9)) as f64),
            2 => Change::Override {
                joints: vec![joint],
                channel,
                value: (next(2) == 0).then_some(0.002),
            },
            3 => Change::Deliverable(Deliverable::ALL[next(2) as usize]),
            4 => Change::Looped(next(2) == 0),
            5 => Change::Tighten {
                joint,
                to: JointOverride {
                    rotation_rad: Some(0.001 * (1 + next(9)) as f64),
                    ..JointOverride::default()
                },
            },
            6 => {
                let frames = (next(30) as usize, next(30) as usize);
                let painted = &s.edits(clip).expect("edits").settings.importance.frames;
                let factor = (next(3) > 0).then_some(2.0);
                Change::Importance(painted_importance(painted, Some(&joint), frames, factor))
            }
            _ => Change::Verdict(Verdict::Rejected {
                note: format!("note {}", next(3)),
                of: None,
            }),
        };
        let gesture = (next(3) == 0).then(|| Gesture(next(4)));
        s.dispatch(&Command::Edit { clip, change }, gesture);
    }
    let last = edits(&s);
    let mut steps = 0;
    while s.undo_name().is_some() {
        s.undo();
        steps += 1;
    }
    assert!(steps > 200, "{steps} steps");
    assert_eq!(edits(&s), initial);
    for _ in 0..steps {
        s.redo();
    }
    assert_eq!(edits(&s), last);
}

#[test]
fn a_wrong_clip_or_value_changes_nothing() {
    let mut s = session();
    let before = s.documents()[0].edits.clone();
    let nowhere = ClipId {
        document: 4,
        clip: 0,
    };
    s.dispatch(
        &Command::Edit {
            clip: nowhere,
            change: Change::Looped(true),
        },
        None,
    );
    let nowhere = ClipId {
        document: 0,
        clip: 99,
    };
    s.dispatch(
        &Command::Edit {
            clip: nowhere,
            change: Change::Looped(true),
        },
        None,
    );
    s.dispatch(
        &Command::SetUnit {
            document: 0,
            unit_m: f64::NAN,
        },
        None,
    );
    assert_eq!(s.documents()[0].edits, before);
    assert!(s.undo_name().is_none());
}

#[test]
fn a_missing_file_becomes_a_notice_that_names_it() {
    let mut s = Session::new(|| {});
    s.open(Path::new("no/such/file.glb"));
    settle(&mut s);
    let notice = s.notices().last().expect("a notice");
    assert!(notice.text.contains("file.glb"), "{}", notice.text);
    assert!(s.documents().is_empty());
}

#[test]
fn approved_clips_are_exported_and_read_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("mannequin.glb");
    std::fs::write(&source, &*ASSET).expect("writes the source");
    let mut s = Session::new(|| {});
    s.open(&source);
    settle(&mut s);
    let glb = ClipId {
        document: 0,
        clip: 1,
    };
    s.dispatch(
        &Command::Edit {
            clip: glb,
            change: Change::Deliverable(Deliverable::Universal),
        },
        None,
    );
    settle(&mut s);
    s.approve(first());
    s.approve(glb);
    s.export(&s.approved(), folder.path());
    settle(&mut s);
    let report = s.last_export().expect("a report");
    assert_eq!(report.files.len(), 2);
    for file in &report.files {
        assert_eq!(
            std::fs::metadata(&file.path).expect("is there").len() as usize,
            file.bytes
        );
        assert!(file.clips[0].gate_m <= 0.001);
    }
    let shown: Vec<f64> = [first(), glb]
        .iter()
        .map(|&id| s.result(id).expect("a result").gate_m())
        .collect();
    for (file, shown) in report.files.iter().zip(shown) {
        assert!(
            (file.clips[0].gate_m - shown).abs() < 1e-7,
            "what was shown is what was written"
        );
    }
    let written =
        import::load(&report.files[1].path, &LoadOptions { strict: true }).expect("loads again");
    assert_eq!(
        written.clips.len(),
        1,
        "only what is approved is in the file"
    );
}

#[test]
fn a_source_that_changed_is_not_exported() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("mannequin.glb");
    std::fs::write(&source, &*ASSET).expect("writes the source");
    let mut s = Session::new(|| {});
    s.open(&source);
    settle(&mut s);
    s.dispatch(&edit(Change::Deliverable(Deliverable::Universal)), None);
    settle(&mut s);
    s.approve(first());
    let mut bytes = ASSET.to_vec();
    let end = bytes.len() - 1;
    bytes[end] ^= 1;
    std::fs::write(&source, bytes).expect("writes the source");
    s.export(&s.approved(), folder.path());
    settle(&mut s);
    let notice = s.notices().last().expect("a notice");
    assert!(notice.text.contains("changed since"), "{}", notice.text);
    assert!(s.last_export().is_none());
}

#[test]
fn one_foot_or_all_are_held_in_one_undo_step() {
    let mut s = session();
    s.dispatch(&edit(Change::SlideTarget(None)), None);
    settle(&mut s);
    let free = s.result(first()).expect("a result").clone();
    let clip = s.clip(first()).expect("a clip").clone();
    let worst = free.worst_slides()[0];
    let foot = clip.skeleton().joints()[worst.contact.point.foot]
        .name
        .clone();
    let limit_m = 0.0002;
    assert!(worst.added_m > limit_m, "nothing to hold");
    let tighten = Change::TightenFoot {
        foot,
        slide_m: Some(limit_m),
    };
    s.dispatch(&edit(tighten), None);
    settle(&mut s);
    let one = s.result(first()).expect("a result").clone();
    let of_foot = |slides: &[posepress::metrics::ContactSlide]| {
        let own = slides.iter();
        let own = own.filter(|s| s.contact.point.foot == worst.contact.point.foot);
        own.map(|s| s.added_m).fold(0.0, f64::max)
    };
    assert!(of_foot(&one.measured.slides) <= limit_m);
    assert_eq!(one.compressed.held.len(), 1);
    s.dispatch(&edit(Change::FixContacts(limit_m)), None);
    settle(&mut s);
    let all = s.result(first()).expect("a result").clone();
    assert!(all.worst_slide_m().expect("contacts") <= limit_m);
    assert_eq!(all.compressed.held.len(), 2);
    s.undo();
    settle(&mut s);
    assert_eq!(s.result(first()).expect("a result").hash, one.hash);
    s.undo();
    settle(&mut s);
    assert_eq!(s.result(first()).expect("a result").hash, free.hash);
}

#[test]
fn contacts_are_edited_measured_and_taken_back() {
    let mut s = session();
    s.dispatch(&edit(Change::SlideTarget(None)), None);
    settle(&mut s);
    let bytes = s.result(first()).expect("a result").hash;
    let solved_in = s.result(first()).expect("a result").elapsed;
    let found = s.result(first()).expect("a result").contacts.list.clone();
    let of = found[0];
    let list = edited_contacts(&found, of, ContactEdit::Remove).expect("a change");
    s.dispatch(&edit(Change::Contacts(Some(list.clone()))), None);
    settle(&mut s);
    let result = s.result(first()).expect("a result").clone();
    assert_eq!(result.contacts.list, list);
    assert_eq!(result.measured.slides.len(), list.len());
    assert_eq!(result.hash, bytes, "the bytes do not depend on contacts");
    assert_eq!(
        result.elapsed, solved_in,
        "they are measured again, not solved again"
    );
    s.undo();
    settle(&mut s);
    assert_eq!(s.result(first()).expect("a result").contacts.list, found);
    // One that reaches over the clip is cut, one of a point that the clip does not have is left out.
    let mut odd = found.clone();
    odd[0].frames.1 = usize::MAX;
    odd[1].point.joint = usize::MAX;
    s.dispatch(&edit(Change::Contacts(Some(odd))), None);
    settle(&mut s);
    let result = s.result(first()).expect("a result");
    let last = s.clip(first()).expect("a clip").grid().last();
    assert_eq!(result.contacts.list.len(), found.len() - 1);
    assert_eq!(result.contacts.list[0].frames.1, last);
}

/// Half of what a joint's rotation is off by at most.
fn tighten(s: &Session, joint: &str) -> Change {
    let skeleton = s.clip(first()).expect("a clip").skeleton().clone();
    let joint_index = skeleton.find(joint).expect("the joint");
    let locals = &s.result(first()).expect("a result").measured.locals;
    let to = JointOverride {
        rotation_rad: Some(0.5 * locals[joint_index].rotation_rad),
        ..JointOverride::default()
    };
    Change::Tighten {
        joint: joint.into(),
        to,
    }
}

#[test]
fn a_price_is_what_the_change_then_costs() {
    let mut s = session();
    settle(&mut s);
    let changes = [tighten(&s, "calf_l"), tighten(&s, "pelvis")];
    s.ask_prices(first(), changes.to_vec());
    assert!(s.is_pricing(first()) && s.price(first(), &changes[0]).is_none());
    let start = Instant::now();
    while s.is_pricing(first()) {
        s.poll();
        assert!(start.elapsed() < Duration::from_mins(5), "no price comes");
        std::thread::sleep(Duration::from_millis(2));
    }
    let price = s.price(first(), &changes[1]).expect("a price").clone();
    assert!(s.price(first(), &changes[0]).is_some());
    assert_eq!(s.undo_name(), None, "asking changes nothing");
    s.dispatch(&edit(changes[1].clone()), None);
    assert_eq!(
        s.price(first(), &changes[0]),
        None,
        "prices of what was before"
    );
    settle(&mut s);
    let result = s.result(first()).expect("a result");
    assert_eq!(result.animation_bytes, price.animation_bytes);
    assert_eq!(result.measured.joints, price.joints);
    assert_eq!(s.undo_name(), Some("Tighten pelvis"));
    let overrides = &s.edits(first()).expect("edits").settings.overrides;
    assert_eq!(overrides.len(), 1);
    assert!(overrides["pelvis"].translation_m.is_none());
}

#[test]
fn contacts_decide_the_bytes_where_feet_are_held() {
    let mut s = session();
    s.dispatch(&edit(Change::SlideTarget(Some(0.0002))), None);
    settle(&mut s);
    let held = s.result(first()).expect("a result").clone();
    let mut list = held.contacts.list.clone();
    list.clear();
    s.dispatch(&edit(Change::Contacts(Some(list))), None);
    settle(&mut s);
    let free = s.result(first()).expect("a result");
    assert_ne!(free.hash, held.hash, "nothing is held any more");
}

#[test]
fn the_causes_of_every_deliverable_add_up_to_its_measured_error() {
    let mut s = session();
    for deliverable in Deliverable::ALL {
        s.dispatch(&edit(Change::Deliverable(deliverable)), None);
        let start = Instant::now();
        while s.is_busy(first()) {
            s.poll();
            assert!(start.elapsed() < Duration::from_mins(5), "no result");
            std::thread::sleep(Duration::from_millis(2));
        }
        let (clip, result) = (s.clip(first()).expect("a clip"), s.result(first()));
        let result = result.expect("a result");
        assert_eq!(result.settings.deliverable, deliverable);
        for name in ["pelvis", "foot_l", "hand_r", "head"] {
            let joint = clip.skeleton().find(name).expect("the joint");
            let measured = result.measured.joints[joint];
            let causes = result.causes(clip, joint, measured.frame as f64);
            let causes = causes.expect("causes");
            let off = causes.error_m - measured.max_m;
            assert!(off.abs() < 1e-8, "{deliverable:?} {name}: {off}");
            assert!(causes.joints.iter().any(|c| c.joint == joint));
            // Small errors: what single shares miss is of second order.
            assert!(causes.rest_m().abs() < 0.05 * causes.error_m.max(1e-6));
        }
    }
}
