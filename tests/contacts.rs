//! Contacts found in source clips: the bundled mannequin's against the list beside it, clips turned, moved and cut
//! in ways that must not matter, and the step rhythm of characters that others made.

use glam::{DQuat, DVec3};
use posepress::codec::{Control, Deliverable, Encoder, Settings};
use posepress::import::{self, LoadOptions};
use posepress::math::{Channel, Transform};
use posepress::metrics::{self, Contact, Contacts, Options, SolePart};
use posepress::model::{
    Asset, Clip, CurveSource, Interpolation, Issues, Joint, PoseSource, RawClip, RawCurve,
    RawTrack, Skeleton,
};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

static MANNEQUIN: LazyLock<Asset> = LazyLock::new(|| {
    let bytes = include_bytes!("../assets/mannequin.glb");
    let options = LoadOptions::default();
    import::load_bytes(Path::new("mannequin.glb"), bytes, &options).expect("a sound file")
});

fn mannequin(name: &str) -> &'static Clip {
    let found = MANNEQUIN.clips.iter().find(|c| c.name() == name);
    found.expect(name)
}

type Interval = (String, SolePart, usize, usize);

/// Joint, part, first and last frame.
fn intervals(clip: &Clip, contacts: &Contacts) -> Vec<Interval> {
    let name = |c: &Contact| clip.skeleton().joints()[c.point.joint].name.clone();
    let list = contacts.list.iter();
    list.map(|c| (name(c), c.point.part, c.frames.0, c.frames.1))
        .collect()
}

/// What is known of a clip, and the ground's speed.
fn known(clip: &str) -> (Vec<Interval>, f64) {
    let text = include_str!("../assets/mannequin.contacts.json");
    let all: Value = serde_json::from_str(text).expect("JSON");
    let mut speed = 0.0;
    let mut found = Vec::new();
    for c in all["contacts"].as_array().expect("a list") {
        if c["clip"] != clip {
            continue;
        }
        speed = c["ground_speed_m_s"].as_f64().expect("a number");
        let part = match c["point"].as_str() {
            Some("heel") => SolePart::Heel,
            _ => SolePart::Ball,
        };
        let frame = |key: &str| c[key].as_u64().expect("a frame") as usize;
        let joint = c["joint"].as_str().expect("a name").to_owned();
        found.push((joint, part, frame("first_frame"), frame("last_frame")));
    }
    (found, speed)
}

#[test]
fn every_contact_of_the_mannequin_is_found_and_no_other() {
    let (mut count, mut worst) = (0, 0);
    for clip in &MANNEQUIN.clips {
        let (truth, speed) = known(clip.name());
        if truth.is_empty() {
            continue;
        }
        let contacts = Contacts::find(clip, 1.0);
        let mut found = intervals(clip, &contacts);
        for (joint, part, first, last) in &truth {
            let edge = |f: &Interval| f.2.abs_diff(*first).max(f.3.abs_diff(*last));
            let same = |f: &&Interval| (&f.0, &f.1) == (joint, part);
            let best = found.iter().filter(same).min_by_key(|f| edge(f)).cloned();
            let best = best.unwrap_or_else(|| panic!("{}: {joint} {first}", clip.name()));
            assert!(
                edge(&best) <= 2,
                "{}: {joint} stands from {first} to {last}, not from {} to {}",
                clip.name(),
                best.2,
                best.3
            );
            worst = worst.max(edge(&best));
            count += 1;
            found.retain(|f| *f != best);
        }
        assert!(found.is_empty(), "{}: {found:?} are none", clip.name());
        let ground = contacts.ground_m_per_s;
        assert!(
            ground.x.abs() < 1e-3 && (ground.y + speed).abs() < 1e-3,
            "{ground}"
        );
    }
    println!("{count} contacts, no edge off by more than {worst} frames");
    assert_eq!(count, 115);
}

/// The tracks of a clip at its frames, changed: `frames` says which, `change` what becomes of a value.
fn changed(
    clip: &Clip,
    skeleton: &Arc<Skeleton>,
    frames: &[usize],
    change: impl Fn(usize, Channel, Vec<f64>) -> Vec<f64>,
) -> Clip {
    let grid = clip.grid();
    let secs: Vec<f64> = frames.iter().map(|&k| grid.secs(k as f64)).collect();
    baked(clip, skeleton, &secs, grid.rate_hz, change)
}

/// The clip at these times as frames of a rate.
fn baked(
    clip: &Clip,
    skeleton: &Arc<Skeleton>,
    secs: &[f64],
    rate_hz: f64,
    change: impl Fn(usize, Channel, Vec<f64>) -> Vec<f64>,
) -> Clip {
    let mut tracks = Vec::new();
    for joint in 0..clip.skeleton().len() {
        for channel in Channel::ALL {
            let mut values = Vec::new();
            for &secs in secs {
                let local = clip.local(joint, secs);
                let value = match channel {
                    Channel::Rotation => local.rotation.to_array().to_vec(),
                    Channel::Translation => local.translation.to_array().to_vec(),
                    Channel::Scale => local.scale.to_array().to_vec(),
                };
                values.extend(change(joint, channel, value).iter().map(|&v| v as f32));
            }
            let times = (0..secs.len()).map(|k| (k as f64 / rate_hz) as f32);
            let curve = RawCurve {
                interpolation: Interpolation::Linear,
                times: times.collect(),
                values,
            };
            tracks.push(RawTrack {
                joint,
                channel,
                curve,
            });
        }
    }
    let raw = RawClip {
        name: clip.name().to_owned(),
        tracks,
        scalars: Vec::new(),
    };
    Clip::new(skeleton.clone(), raw, &mut Issues::default())
}

fn keep(_: usize, _: Channel, value: Vec<f64>) -> Vec<f64> {
    value
}

fn all_frames(clip: &Clip) -> Vec<usize> {
    (0..clip.grid().frames).collect()
}

const SOME: [&str; 6] = [
    "Walk",
    "Walk_RootMotion",
    "Run",
    "Turn_90",
    "Jump",
    "Long_661",
];

#[test]
fn a_clip_played_backwards_has_the_same_contacts_mirrored() {
    for name in SOME {
        let clip = mannequin(name);
        let last = clip.grid().last();
        let mut backwards = all_frames(clip);
        backwards.reverse();
        let reversed = changed(clip, clip.skeleton(), &backwards, keep);
        let contacts = Contacts::find(&reversed, 1.0);
        let mut mirrored = intervals(&reversed, &contacts);
        for i in &mut mirrored {
            (i.2, i.3) = (last - i.3, last - i.2);
        }
        mirrored.sort_by(|a, b| (&a.0, a.2).cmp(&(&b.0, b.2)));
        let mut want = intervals(clip, &Contacts::find(clip, 1.0));
        want.sort_by(|a, b| (&a.0, a.2).cmp(&(&b.0, b.2)));
        assert_eq!(mirrored, want, "{name}");
    }
}

#[test]
fn the_frame_rate_does_not_matter() {
    for clip in &MANNEQUIN.clips {
        let want = Contacts::find(clip, 1.0);
        for rate_hz in [20.0, 24.0, 60.0, 120.0] {
            let frames = (clip.grid().duration_secs() * rate_hz).round() as usize + 1;
            let secs: Vec<f64> = (0..frames).map(|k| k as f64 / rate_hz).collect();
            let other = baked(clip, clip.skeleton(), &secs, rate_hz, keep);
            let found = Contacts::find(&other, 1.0);
            assert_eq!(
                found.list.len(),
                want.list.len(),
                "{} at {rate_hz}",
                clip.name()
            );
            for (a, b) in found.list.iter().zip(&want.list) {
                assert_eq!(a.point, b.point);
                let off = |a: usize, b: usize| (a as f64 / rate_hz - b as f64 / 30.0).abs();
                let edge = off(a.frames.0, b.frames.0).max(off(a.frames.1, b.frames.1));
                assert!(
                    edge <= 2.5 / 30.0,
                    "{} at {rate_hz}: {a:?} {b:?}",
                    clip.name()
                );
            }
        }
    }
}

#[test]
fn where_a_clip_is_and_in_which_unit_does_not_matter() {
    for name in SOME {
        let clip = mannequin(name);
        let want = intervals(clip, &Contacts::find(clip, 1.0));
        let raised = changed(
            clip,
            clip.skeleton(),
            &all_frames(clip),
            |joint, channel, mut v| {
                if joint == 0 && channel == Channel::Translation {
                    v[1] += 10.0;
                    v[0] -= 3.0;
                }
                v
            },
        );
        assert_eq!(
            intervals(&raised, &Contacts::find(&raised, 1.0)),
            want,
            "{name} raised"
        );
        let large = |joint: &Joint| {
            let mut joint = joint.clone();
            joint.rest.translation *= 100.0;
            joint
        };
        let joints = clip.skeleton().joints().iter().map(large).collect();
        let skeleton = Arc::new(Skeleton::new(joints).expect("valid"));
        let centimetres = changed(clip, &skeleton, &all_frames(clip), |_, channel, v| {
            let factor = if channel == Channel::Translation {
                100.0
            } else {
                1.0
            };
            v.iter().map(|v| v * factor).collect()
        });
        let contacts = Contacts::find(&centimetres, 0.01);
        assert_eq!(
            intervals(&centimetres, &contacts),
            want,
            "{name} in centimetres"
        );
        let ground = Contacts::find(clip, 1.0).ground_m_per_s;
        assert!((contacts.ground_m_per_s - ground).length() < 1e-3);
    }
}

#[test]
fn nobody_stands_in_the_air() {
    let clip = mannequin("Jump");
    let flight: Vec<usize> = (20..=31).collect();
    let air = changed(clip, clip.skeleton(), &flight, keep);
    assert_eq!(Contacts::find(&air, 1.0).list, []);
    // A fall in place: the pose of the flight all the time, half a metre above the plane it is built on.
    let fall = changed(clip, clip.skeleton(), &[25; 30], |joint, channel, mut v| {
        if joint == 0 && channel == Channel::Translation {
            v[1] += 0.5;
        }
        v
    });
    assert_eq!(Contacts::find(&fall, 1.0).list, []);
}

#[test]
fn a_foot_that_skates_is_no_contact() {
    // Idle feet, but the whole character glides: on the ground and fast.
    let clip = mannequin("Idle");
    let frames: Vec<usize> = (0..60).collect();
    let clock = std::cell::Cell::new(0.0);
    let gliding = changed(clip, clip.skeleton(), &frames, |joint, channel, mut v| {
        if joint == 0 && channel == Channel::Translation {
            v[2] += clock.get() / 30.0;
            clock.set(clock.get() + 1.0);
        }
        v
    });
    let contacts = Contacts::find(&gliding, 1.0);
    assert_eq!(contacts.list, [], "1 m/s over the ground");
    assert_eq!(
        contacts.ground_m_per_s.length(),
        0.0,
        "the body travels with the feet"
    );
}

#[test]
fn odd_clips_have_contacts_or_none_but_no_fault() {
    let clip = mannequin("Walk");
    let single = changed(clip, clip.skeleton(), &[3], keep);
    assert_eq!(Contacts::find(&single, 1.0).list, []);
    for unit_m in [0.0, -1.0, f64::NAN, 1e-12, 1e12] {
        let _ = Contacts::find(clip, unit_m);
    }
    let flat = changed(clip, clip.skeleton(), &all_frames(clip), |_, channel, v| {
        let factor = if channel == Channel::Scale { 0.0 } else { 1.0 };
        v.iter().map(|v| v * factor).collect()
    });
    let _ = Contacts::find(&flat, 1.0);
}

fn shared(path: &str) -> Option<Asset> {
    let root = std::env::var_os("POSEPRESS_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let file = root.join(path);
    if !file.is_file() {
        eprintln!("skipped: {} is not there", file.display());
        return None;
    }
    Some(import::load(&file, &LoadOptions::default()).expect("a sound file"))
}

/// The middles of a joint's contacts, frames.
fn middles(clip: &Clip, contacts: &Contacts, joint: &str) -> Vec<f64> {
    let all = intervals(clip, contacts).into_iter();
    all.filter(|i| i.0 == joint)
        .map(|i| 0.5 * (i.2 + i.3) as f64)
        .collect()
}

#[test]
fn walks_of_others_have_the_rhythm_of_steps() {
    // One stance a foot and cycle, half a cycle apart; frames of a cycle, speed of the ground.
    for (file, left, right, cycle, speed) in [
        ("kaykit_walk", "toes.l", "toes.r", 32.0, 0.4..1.0),
        ("robot_walking", "Foot.L", "Foot.R", 23.0, 3.5..5.5),
    ] {
        let Some(asset) = shared(&format!("judge/clips/{file}.glb")) else {
            return;
        };
        let clip = &asset.clips[0];
        let contacts = Contacts::find(clip, 1.0);
        let (a, b) = (
            middles(clip, &contacts, left),
            middles(clip, &contacts, right),
        );
        assert_eq!((a.len(), b.len()), (1, 1), "{file}");
        assert!(
            ((b[0] - a[0]).abs() - 0.5 * cycle).abs() < 3.0,
            "{file}: {a:?} {b:?}"
        );
        assert!(speed.contains(&-contacts.ground_m_per_s.y), "{file}");
    }
    let Some(fox) = shared("judge/clips/fox_walk.glb") else {
        return;
    };
    let contacts = Contacts::find(&fox.clips[0], 1.0);
    let mut paws: Vec<usize> = contacts.list.iter().map(|c| c.point.foot).collect();
    paws.dedup();
    assert_eq!(paws.len(), 4, "each paw of the fox stands once");
    assert_eq!(contacts.list.len(), 4);
}

#[test]
fn a_foot_that_the_rest_pose_holds_up_is_found_in_the_clip() {
    // Captured; the nodes hold the first frame, in which the right heel is up.
    let Some(asset) = shared("judge/clips/pab_walk.glb") else {
        return;
    };
    let clip = &asset.clips[0];
    let contacts = Contacts::find(clip, 1.0);
    let (left, right) = (
        middles(clip, &contacts, "LeftFoot"),
        middles(clip, &contacts, "RightFoot"),
    );
    assert_eq!((left.len(), right.len()), (2, 1), "{left:?} {right:?}");
    assert!(
        left[0] < right[0] && right[0] < left[1],
        "left, right, left"
    );
}

#[test]
fn a_captured_walk_alternates_its_feet_at_any_rate() {
    let clips = ["cmu_01_01_30", "cmu_01_01_120"].map(|n| shared(&format!("judge/clips/{n}.glb")));
    let [Some(slow), Some(fast)] = clips else {
        return;
    };
    let secs = |asset: &Asset| {
        let clip = &asset.clips[0];
        let contacts = Contacts::find(clip, 1.0);
        assert_eq!(contacts.ground_m_per_s.length(), 0.0);
        let found = intervals(clip, &contacts).into_iter();
        let balls = found.filter(|i| i.0 == "LeftToeBase");
        let rate = clip.grid().rate_hz;
        balls
            .map(|i| (i.2 as f64 / rate, i.3 as f64 / rate))
            .collect::<Vec<_>>()
    };
    let (slow, fast) = (secs(&slow), secs(&fast));
    assert_eq!(slow.len(), fast.len());
    assert!(slow.len() >= 10);
    for (a, b) in slow.iter().zip(&fast) {
        assert!(
            (a.0 - b.0).abs() < 0.1 && (a.1 - b.1).abs() < 0.1,
            "{a:?} {b:?}"
        );
    }
}

/// Plays the source with its root moved by a known way.
#[derive(Clone)]
struct Moved<'a, F> {
    clip: &'a Clip,
    way: F,
}

impl<F> CurveSource for Moved<'_, F> {
    fn curves(&mut self, secs: f64, out: &mut [f32]) {
        self.clip.curves(secs, out);
    }
}

impl<F: Fn(f64) -> DVec3 + Clone> PoseSource for Moved<'_, F> {
    fn pose(&mut self, secs: f64, out: &mut [Transform]) {
        self.clip.pose(secs, out);
        out[0].translation += (self.way)(secs);
    }
}

#[test]
fn the_slide_of_a_known_way_is_exactly_that_way() {
    let clip = mannequin("Walk_RootMotion");
    let rate = clip.grid().rate_hz;
    // To and fro along X, 2 mm a frame; rising 1 mm a frame.
    let way = |secs: f64| {
        let frame = secs * 30.0;
        let turn = frame % 8.0;
        DVec3::new(0.002 * turn.min(8.0 - turn), 0.001 * frame, 0.3)
    };
    let player = Moved { clip, way };
    let measured = metrics::measure(clip, &player, &Options::default());
    assert_eq!(measured.slides.len(), 9);
    for s in &measured.slides {
        let (first, last) = s.contact.frames;
        let x: Vec<f64> = (first..=last).map(|k| way(k as f64 / rate).x).collect();
        let reach =
            x.iter().fold(f64::MIN, |a, &b| a.max(b)) - x.iter().fold(f64::MAX, |a, &b| a.min(b));
        assert!((s.added_m - reach).abs() < 1e-9, "{s:?} {reach}");
        assert!((s.dense_added_m - reach).abs() < 1e-9);
        assert!((s.lift_m - 0.001 * (last - first) as f64).abs() < 1e-9);
        assert!((s.speed_m_per_s - 0.002 * rate).abs() < 1e-9);
        assert!(s.compressed_drift_m <= s.source_drift_m + reach + 1e-9);
    }
    // Millimetres of a file in centimetres: the same way is a hundredth.
    let contacts = Contacts::find(clip, 1.0);
    let options = Options {
        unit_m: 0.01,
        ..Options::default()
    };
    let small = metrics::measure_with(clip, &player, &contacts, &options);
    for (s, large) in small.slides.iter().zip(&measured.slides) {
        assert!((s.added_m - 0.01 * large.added_m).abs() < 1e-9);
    }
}

#[test]
fn a_turn_about_the_standing_foot_is_no_slide_of_it() {
    // The error turns the whole character about a heel that stands still: the heel itself must not slide.
    let clip = mannequin("Idle");
    let contacts = Contacts::find(clip, 1.0);
    let heel = contacts.list[0];
    let mut locals = vec![Transform::IDENTITY; clip.skeleton().len()];
    let mut model = vec![glam::DAffine3::IDENTITY; locals.len()];
    let mut source = clip;
    source.pose(0.0, &mut locals);
    clip.skeleton().model_pose(&locals, &mut model);
    let pivot = model[heel.point.joint].transform_point3(heel.point.offset);
    let player = Turned { clip, pivot };
    let measured = metrics::measure(clip, &player, &Options::default());
    let slide = |foot: usize| {
        let of = measured
            .slides
            .iter()
            .find(|s| s.contact.point.foot == foot);
        of.expect("a contact").added_m
    };
    let other = contacts.list.last().expect("a contact").point.foot;
    assert!(slide(heel.point.foot) < 2e-5, "{}", slide(heel.point.foot));
    assert!(slide(other) > 1e-3);
}

/// Turns everything slowly about a vertical axis.
#[derive(Clone)]
struct Turned<'a> {
    clip: &'a Clip,
    pivot: DVec3,
}

impl CurveSource for Turned<'_> {
    fn curves(&mut self, secs: f64, out: &mut [f32]) {
        self.clip.curves(secs, out);
    }
}

impl PoseSource for Turned<'_> {
    fn pose(&mut self, secs: f64, out: &mut [Transform]) {
        self.clip.pose(secs, out);
        let turn = DQuat::from_rotation_y(0.01 * secs);
        out[0].rotation = turn * out[0].rotation;
        out[0].translation = self.pivot + turn * (out[0].translation - self.pivot);
    }
}

#[test]
fn a_slide_target_holds_the_feet_and_the_skin() {
    let clip = Arc::new(mannequin("Run").clone());
    let contacts = Contacts::find(&clip, 1.0);
    let encode = |slide_target_m| {
        let settings = Settings {
            deliverable: Deliverable::Compact,
            slide_target_m,
            ..Settings::default()
        };
        let mut encoder = Encoder::new(clip.clone(), 1.0, [0; 32]);
        let made = encoder.encode(&settings, &Control::default());
        let made = made.expect("compresses");
        let player = made.player(clip.skeleton()).expect("own bytes decode");
        let measured = metrics::measure_with(&clip, &player, &contacts, &Options::default());
        let added = measured.slides.iter().map(|s| s.added_m);
        (made, added.fold(0.0, f64::max), measured.frames.max_m)
    };
    let (free, free_slide, _) = encode(None);
    let (held, held_slide, skin) = encode(Some(0.0002));
    assert!(free_slide > 0.0004, "nothing to hold: {free_slide}");
    assert!(held_slide <= 0.0002, "{held_slide}");
    assert!(skin <= 0.001 && held.target_met == Some(true), "{skin}");
    // Feet cost something, but not another file.
    let (free, held) = (free.animation_bytes(), held.animation_bytes());
    assert!(held > free && held < free + free / 3, "{free} {held}");
}
