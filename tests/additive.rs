//! Additive clips: what is stored is what is added to a base pose, and errors are those on the base pose.

mod support;

use posepress::codec::{
    BasePose, Budget, Compressed, Control, Deliverable, Encoder, Payload, Settings,
};
use posepress::math::{self, Channel};
use posepress::metrics::{self, Options};
use posepress::model::{Clip, PoseSource};
use posepress::runtime::{ClipView, Extent, Transform, crc32};
use std::sync::Arc;
use support::clips::{chain, clip_of, swing, track, walk};

const CONTAINERS: [Deliverable; 3] = [
    Deliverable::Compact,
    Deliverable::Uniform,
    Deliverable::Riot,
];

fn settings(deliverable: Deliverable, additive: Option<BasePose>, target_m: f64) -> Settings {
    Settings {
        deliverable,
        additive,
        budget: Budget::Skin { target_m },
        ..Settings::default()
    }
}

fn encode(clip: &Arc<Clip>, settings: &Settings) -> Compressed {
    Encoder::new(clip.clone(), 1.0, [1; 32])
        .encode(settings, &Control::default())
        .expect("encodes")
}

fn view(made: &Compressed) -> ClipView<Arc<[u8]>> {
    let Payload::Container(bytes) = &made.payload else {
        panic!("a container was asked for");
    };
    ClipView::from_bytes(bytes.clone()).expect("reads")
}

/// A walk with scales that change and one that mirrors.
fn scaled() -> Arc<Clip> {
    let mut tracks: Vec<_> = (0..6).map(|j| swing(j, 60)).collect();
    tracks.push(track(1, Channel::Scale, 60, |t| {
        vec![1.0 + 0.2 * t.sin(), 1.1, 0.9]
    }));
    tracks.push(track(3, Channel::Scale, 60, |_| vec![-1.0, 1.0, 1.0]));
    tracks.push(track(4, Channel::Translation, 60, |t| {
        vec![0.0, 0.3 + 0.1 * t, 0.0]
    }));
    clip_of(chain(6), tracks)
}

#[test]
fn on_its_base_pose_an_additive_clip_meets_the_target() {
    for clip in [walk(8, 120), scaled()] {
        for deliverable in CONTAINERS {
            for base in [
                BasePose::Rest,
                BasePose::Frame(17),
                BasePose::Frame(usize::MAX),
            ] {
                let made = encode(&clip, &settings(deliverable, Some(base), 0.001));
                assert_eq!(made.target_met, Some(true), "{deliverable:?} {base:?}");
                let player = made.player(clip.skeleton()).expect("plays");
                let measured = metrics::measure(&clip, &player, &Options::default());
                let gate_m = measured.frame_gate_m();
                assert!(gate_m <= 0.001, "{deliverable:?} {base:?}: {gate_m}");
            }
        }
    }
}

/// What is added is small beside what stands there anyway.
#[test]
fn what_is_stored_is_the_difference() {
    let clip = walk(5, 60);
    for deliverable in CONTAINERS {
        let made = encode(
            &clip,
            &settings(deliverable, Some(BasePose::Frame(20)), 0.0005),
        );
        let view = view(&made);
        let base = view.added_to().expect("additive");
        let secs = clip.grid().secs(20.0);
        for (j, base) in base.iter().enumerate() {
            let wanted = clip.local(j, secs);
            let added = view.joint(j, secs, Extent::Clamp);
            let turn = 2.0 * f64::from(added.rotation[3].abs().min(1.0)).acos();
            assert!(
                turn < 0.02,
                "{deliverable:?}: at the base's frame nothing is added, not {turn}"
            );
            assert!(added.translation.iter().all(|c| c.abs() < 0.002));
            let whole = math::Transform::from(added.on(base));
            assert!(math::rotation_angle(whole.rotation, wanted.rotation) < 0.02);
            assert!((whole.translation - wanted.translation).length() < 0.002);
        }
        assert!(view.rest().iter().all(|t| *t == Transform::IDENTITY));
    }
}

/// The bytes of differences are about those of the poses: nothing is lost by delivering them.
#[test]
fn differences_cost_about_as_much_as_poses() {
    let clip = walk(8, 200);
    let whole = encode(&clip, &settings(Deliverable::Compact, None, 0.001));
    let added = encode(
        &clip,
        &settings(Deliverable::Compact, Some(BasePose::Rest), 0.001),
    );
    let ratio = added.animation_bytes() as f64 / whole.animation_bytes() as f64;
    assert!((0.9..1.1).contains(&ratio), "{ratio}");
}

#[test]
fn going_back_and_forth_gives_the_same_bytes() {
    let clip = walk(5, 60);
    let mut encoder = Encoder::new(clip.clone(), 1.0, [1; 32]);
    for deliverable in CONTAINERS {
        for additive in [None, Some(BasePose::Rest), Some(BasePose::Frame(3)), None] {
            let settings = settings(deliverable, additive, 0.001);
            let made = encoder
                .encode(&settings, &Control::default())
                .expect("encodes");
            assert_eq!(made.hash(), encode(&clip, &settings).hash());
        }
    }
}

#[test]
fn on_in_single_precision_is_what_it_is_in_double() {
    let clip = scaled();
    let made = encode(
        &clip,
        &settings(Deliverable::Compact, Some(BasePose::Frame(9)), 1e-4),
    );
    let view = view(&made);
    let mut pose = vec![math::Transform::IDENTITY; 6];
    made.player(clip.skeleton())
        .expect("plays")
        .pose(1.0, &mut pose);
    for (j, (got, base)) in pose
        .iter()
        .zip(view.added_to().expect("additive"))
        .enumerate()
    {
        let (base, added) = (
            math::Transform::from(*base),
            math::Transform::from(view.joint(j, 1.0, Extent::Clamp)),
        );
        let wanted = base.rotation * added.rotation;
        assert!(math::rotation_angle(got.rotation, wanted) < 1e-6);
        assert!((got.scale - base.scale * added.scale).length() < 1e-6);
        assert!((got.translation - base.translation - added.translation).length() < 1e-6);
    }
}

#[test]
fn gltf_is_refused_and_a_flag_without_a_pose_too() {
    let clip = walk(3, 10);
    let refused = settings(Deliverable::Universal, Some(BasePose::Rest), 0.001);
    let error = Encoder::new(clip.clone(), 1.0, [0; 32])
        .encode(&refused, &Control::default())
        .expect_err("no additive clips in glTF");
    assert!(
        error.to_string().contains("glTF has no additive clips"),
        "{error}"
    );
    for (additive, flags) in [(None, 4_u16), (Some(BasePose::Rest), 0)] {
        let made = encode(&clip, &settings(Deliverable::Compact, additive, 0.001));
        let mut bytes = view(&made).bytes().to_vec();
        bytes[10..12].copy_from_slice(&flags.to_le_bytes());
        let table = 20 + 12 * usize::from(bytes[12]);
        let crc = crc32(&bytes[..table]).to_le_bytes();
        bytes[table..table + 4].copy_from_slice(&crc);
        let error = ClipView::from_bytes(bytes).expect_err("flag and section disagree");
        assert!(error.to_string().contains("base pose"), "{error}");
    }
}
