//! `compact` below a scaled armature: translations with factors that the skeleton and the rest pose tell.

mod support;

use posepress::codec::{
    BasePose, Budget, ContainerWriter, Control, Encoder, Level, Payload, Playback, Settings,
    WriteError,
};
use posepress::math;
use posepress::metrics;
use posepress::model::{Clip, Interpolation, Joint, RawTrack, Skeleton};
use posepress::runtime::compact::{CODEC_COMPACT, CODEC_COMPACT_SCALED};
use posepress::runtime::{Channel, ClipView, Error, Extent, Sampler, TrackKind, Transform};
use std::sync::Arc;
use support::clips::{clip_of, swing, track};
use support::{Rng, bits};

const FRAMES: usize = 50;

/// Joints with these scales in the rest pose, each 0.3 m from the one before in the world.
fn skeleton(scales: &[f64]) -> Arc<Skeleton> {
    let above = |j: usize| scales[..j].iter().product::<f64>();
    let joint = |j: usize| Joint {
        name: format!("joint_{j}"),
        parent: j.checked_sub(1),
        rest: math::Transform {
            translation: glam::DVec3::new(0.0, 0.3, 0.1) / above(j),
            scale: glam::DVec3::splat(scales[j]),
            ..math::Transform::IDENTITY
        },
        source_index: j,
    };
    Arc::new(Skeleton::new((0..scales.len()).map(joint).collect()).expect("a skeleton"))
}

/// Below an armature of a scale: one joint that moves, one that stands elsewhere, one that jumps, all of them turning.
fn clip(scale: f64) -> Arc<Clip> {
    let skeleton = skeleton(&[scale, 1.0, 1.0, 0.5, 1.0]);
    let moved = |joint: usize, value: &dyn Fn(f32) -> [f64; 3]| {
        let above = if joint > 3 { 0.5 * scale } else { scale };
        track(joint, math::Channel::Translation, FRAMES, |t| {
            value(t).map(|c| (c / above) as f32).to_vec()
        })
    };
    let mut jumps = moved(3, &|t| [0.0, if t < 0.7 { 0.3 } else { 0.5 }, 0.1]);
    jumps.curve.interpolation = Interpolation::Step;
    let mut tracks: Vec<RawTrack> = (1..5).map(|j| swing(j, FRAMES)).collect();
    tracks.extend([
        moved(1, &|t| {
            let t = f64::from(t);
            [0.7 * t, 0.3 + 0.05 * (7.0 * t).sin(), 0.1]
        }),
        moved(2, &|_| [0.01, 0.28, 0.1]),
        jumps,
        moved(4, &|t| [0.0, 0.3, 0.1 + 0.1 * f64::from(5.0 * t).cos()]),
    ]);
    clip_of(skeleton, tracks)
}

fn settings() -> Settings {
    Settings {
        budget: Budget::Skin { target_m: 0.001 },
        ..Settings::default()
    }
}

fn encode(clip: &Arc<Clip>, settings: &Settings) -> Vec<u8> {
    let made = Encoder::new(clip.clone(), 1.0, [7; 32]).encode(settings, &Control::default());
    match made.expect("compresses").payload {
        Payload::Container(bytes) => bytes.to_vec(),
        Payload::Keyframes(_) => panic!("compact is a container"),
    }
}

/// Kinds and payloads of a file's sections.
fn sections(bytes: &[u8]) -> Vec<([u8; 4], Vec<u8>)> {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let section = |entry: usize| {
        let (start, length) = (word(entry + 4), word(entry + 8));
        let kind = bytes[entry..entry + 4].try_into().unwrap();
        (kind, bytes[start..start + length - 4].to_vec())
    };
    (0..word(12)).map(|n| section(20 + 12 * n)).collect()
}

/// The file with its sections changed, or without those that `change` leaves out; read back.
fn changed(
    bytes: &[u8],
    change: impl Fn(&[u8; 4], &mut Vec<u8>) -> bool,
) -> Result<Vec<u8>, WriteError> {
    let view = ClipView::from_bytes(bytes).unwrap();
    let mut writer = ContainerWriter::new(view.info()).unwrap();
    for (kind, mut payload) in sections(bytes) {
        if kind != *b"clip" && change(&kind, &mut payload) {
            writer = writer.other(kind, payload);
        }
    }
    writer.finish()
}

fn codec(bytes: &[u8]) -> u8 {
    let all = sections(bytes);
    all.iter().find(|(kind, _)| kind == b"anim").unwrap().1[0]
}

/// The same bits without factors.
fn unscaled(bytes: &[u8]) -> Vec<u8> {
    let plain = changed(bytes, |kind, payload| {
        if kind == b"anim" {
            payload[0] = CODEC_COMPACT;
        }
        true
    });
    plain.unwrap()
}

#[test]
fn factors_are_those_of_the_rest_pose_in_double_precision() {
    for scale in [0.01, 0.0254, 2.54, 100.0] {
        let clip = clip(scale);
        let bytes = encode(&clip, &settings());
        assert_eq!(codec(&bytes), CODEC_COMPACT_SCALED);
        let view = ClipView::from_bytes(bytes.as_slice()).unwrap();
        let kind = |joint| view.track_kind(joint, Channel::Translation);
        let kinds = [1, 2, 3, 4].map(kind).map(Option::unwrap);
        let (moves, stands, jumps) = (TrackKind::Smooth, TrackKind::Constant, TrackKind::Step);
        assert_eq!(kinds, [moves, stands, jumps, moves]);
        let plain = ClipView::from_bytes(unscaled(&bytes)).unwrap();
        for step in 0..200 {
            let secs = 0.009 * f64::from(step);
            for joint in 0..5 {
                let [got, told] = [
                    view.joint(joint, secs, Extent::Clamp),
                    plain.joint(joint, secs, Extent::Clamp),
                ];
                assert_eq!(got.rotation, told.rotation);
                let rest = view.rest()[joint].translation;
                let above = [1.0, scale, scale, scale, 0.5 * scale][joint];
                for c in 0..3 {
                    let rest = f64::from(rest[c]);
                    let want = rest + (f64::from(told.translation[c]) - rest) / above;
                    // The sum without the factor is rounded, too.
                    let slack = 2e-7 * (1.0 + rest.abs()) * (1.0 + 1.0 / above);
                    let off = (f64::from(got.translation[c]) - want).abs();
                    assert!(off <= slack, "{scale}, {joint}, {secs}: {off} over {slack}");
                }
            }
        }
    }
}

#[test]
fn what_is_decoded_meets_the_target() {
    for scale in [0.001, 0.01, 2.54, 100.0] {
        let clip = clip(scale);
        let made = Encoder::new(clip.clone(), 1.0, [7; 32])
            .encode(&settings(), &Control::default())
            .unwrap();
        assert_eq!(made.target_met, Some(true));
        let player = made.player(clip.skeleton()).unwrap();
        let measured = metrics::measure(&clip, &player, &metrics::Options::default());
        assert!(measured.frames.max_m <= 0.001, "{scale}");
        // Tolerances and errors of tracks are told in the units of their keys.
        for track in made.tracks.iter().filter(|t| t.joint > 0) {
            let moves = track.channel == math::Channel::Translation;
            let above = [1.0, scale, scale, scale, 0.5 * scale][track.joint];
            let most = if moves { 0.001 / above } else { 1.0 };
            assert!(track.tolerance <= most, "{scale}: {track:?}");
            assert!(track.fit.max_error <= most, "{scale}: {track:?}");
            assert!(track.origins.iter().all(|o| o.tolerance <= 100.0 * most));
        }
    }
}

/// In every form that a file can have: loops, curves between frames, levels of detail, differences to a pose.
fn forms() -> Vec<Vec<u8>> {
    let mut forms = Vec::new();
    for playback in [Playback::Frames, Playback::Smooth] {
        for looped in [false, true] {
            forms.push(Settings {
                playback,
                looped,
                ..settings()
            });
        }
    }
    forms.push(Settings {
        levels: vec![Level::of_text("joint_3")],
        ..settings()
    });
    for base in [BasePose::Rest, BasePose::Frame(9)] {
        forms.push(Settings {
            additive: Some(base),
            ..settings()
        });
    }
    let clip = clip(0.0254);
    forms.iter().map(|s| encode(&clip, s)).collect()
}

#[test]
fn factors_are_the_same_bits_in_whole_poses_single_joints_levels_and_keys() {
    for (form, bytes) in forms().into_iter().enumerate() {
        assert_eq!(codec(&bytes), CODEC_COMPACT_SCALED, "form {form}");
        let view = ClipView::from_bytes(bytes).unwrap();
        let (mut forward, mut random) = (Sampler::new(&view), Sampler::new(&view));
        let [mut pose, mut other] = [(); 2].map(|()| vec![Transform::IDENTITY; 5]);
        let mut rng = Rng(3);
        for step in 0..200 {
            let secs = f64::from(step) * 0.011;
            forward.pose(&view, secs, Extent::Wrap, &mut pose).unwrap();
            let away = rng.signed(9.0);
            random.pose(&view, away, Extent::Clamp, &mut other).unwrap();
            for level in (0..view.levels().len()).rev() {
                random
                    .pose_level(&view, secs, Extent::Wrap, level, &mut other)
                    .unwrap();
                for joint in (0..5).filter(|&j| view.level_has(level, j)) {
                    let one = joint..=joint;
                    assert_eq!(bits(&pose[one.clone()]), bits(&other[one]), "form {form}");
                }
            }
            for (joint, posed) in pose.iter().enumerate() {
                let alone = view.joint(joint, secs, Extent::Wrap);
                assert_eq!(bits(&[alone]), bits(&[*posed]), "form {form}, {step}");
            }
        }
        for joint in 1..5 {
            for key in view.keys(joint, Channel::Translation) {
                let secs = view.info().secs(f64::from(key.frame));
                let played = view.joint(joint, secs, Extent::Clamp).translation;
                assert_eq!(
                    played.map(f32::to_bits),
                    [0, 1, 2].map(|c| key.value[c].to_bits())
                );
            }
        }
    }
}

#[test]
fn without_a_scale_above_what_is_stored_there_are_no_factors() {
    let moved = |joint: usize| {
        track(joint, math::Channel::Translation, FRAMES, |t| {
            vec![0.0, 0.3 + 0.1 * (5.0 * t).sin(), 0.1]
        })
    };
    let codec_of =
        |scales: &[f64], tracks| codec(&encode(&clip_of(skeleton(scales), tracks), &settings()));
    let turned = |joint| vec![swing(joint, FRAMES)];
    assert_eq!(codec_of(&[1.0; 4], vec![moved(2)]), CODEC_COMPACT);
    let rounded = [1.0, 0.999_99, 1.000_02, 1.000_01];
    assert_eq!(codec_of(&rounded, vec![moved(3)]), CODEC_COMPACT);
    let armature = [0.01, 1.0, 1.0, 1.0];
    assert_eq!(codec_of(&armature, vec![moved(0)]), CODEC_COMPACT);
    assert_eq!(codec_of(&armature, turned(2)), CODEC_COMPACT);
    assert_eq!(codec_of(&armature, vec![moved(2)]), CODEC_COMPACT_SCALED);
    assert_eq!(
        codec_of(&[1.0, 1.0, 0.5, 1.0], vec![moved(2)]),
        CODEC_COMPACT
    );
}

#[test]
fn where_factors_would_not_do_there_are_none() {
    // Farther than a key may be.
    let far = track(1, math::Channel::Translation, FRAMES, |t| {
        vec![1e4 * (1.0 + t), 0.0, -1e4]
    });
    let clip = clip_of(skeleton(&[1e5, 1.0, 1.0]), vec![far]);
    let wide = Settings {
        budget: Budget::Skin { target_m: 1e4 },
        ..Settings::default()
    };
    assert_eq!(codec(&encode(&clip, &wide)), CODEC_COMPACT);
    // Hidden in the rest pose: what is seen has nothing to do with that.
    let shown = |rest: f64| {
        let size = track(1, math::Channel::Scale, FRAMES, |_| vec![1.0; 3]);
        let moved = track(2, math::Channel::Translation, FRAMES, |t| {
            vec![0.1 * (5.0 * t).sin(), 0.3, 0.0]
        });
        let clip = clip_of(skeleton(&[1.0, rest, 1.0]), vec![size, moved]);
        codec(&encode(&clip, &settings()))
    };
    assert_eq!(shown(1e-3), CODEC_COMPACT);
    assert_eq!(shown(0.1), CODEC_COMPACT_SCALED);
}

#[test]
fn a_file_needs_its_skeleton_and_takes_the_rest_pose_that_is_attached() {
    let bytes = encode(&clip(0.0254), &settings());
    let bare = changed(&bytes, |kind, _| kind != b"skel");
    let missing = WriteError::Refused(Error::MissingSection("skeleton"));
    assert_eq!(bare, Err(missing));
    let view = ClipView::from_bytes(bytes.as_slice()).unwrap();
    let mut restless =
        ClipView::from_bytes(changed(&bytes, |kind, _| kind != b"rest").unwrap()).unwrap();
    restless.attach_rest(view.rest()).unwrap();
    for joint in 0..5 {
        let [a, b] = [
            view.joint(joint, 0.7, Extent::Clamp),
            restless.joint(joint, 0.7, Extent::Clamp),
        ];
        assert_eq!(bits(&[a]), bits(&[b]));
    }
}

/// Plays whatever is accepted.
fn assert_sound(answer: Result<Vec<u8>, WriteError>) -> bool {
    let Ok(bytes) = answer else {
        return false;
    };
    let view = ClipView::from_bytes(bytes).unwrap();
    let mut pose = vec![Transform::IDENTITY; view.info().joints];
    let mut sampler = Sampler::new(&view);
    for x in [0.0, 0.31, 1.0, 0.7] {
        let secs = view.info().secs(x * f64::from(view.info().last_frame()));
        sampler.pose(&view, secs, Extent::Clamp, &mut pose).unwrap();
        let joint = view.joint(2, secs, Extent::Clamp);
        assert_eq!(bits(&[joint]), bits(&pose[2..3]));
        let places = pose.iter().flat_map(|t| t.translation);
        assert!(places.into_iter().all(f32::is_finite));
    }
    for joint in 0..pose.len() {
        let keys = view.keys(joint, Channel::Translation);
        assert!(keys.iter().all(|k| k.value.iter().all(|c| c.is_finite())));
    }
    true
}

#[test]
fn damaged_sections_with_their_checksums_are_refused_or_sound() {
    let bytes = encode(&clip(1e-6), &settings());
    assert_eq!(codec(&bytes), CODEC_COMPACT_SCALED);
    let all = sections(&bytes);
    let length = |wanted: &[u8; 4]| all.iter().find(|(kind, _)| kind == wanted).unwrap().1.len();
    let (mut sound, mut refused) = (0, 0);
    let mut count = |answer| {
        if assert_sound(answer) {
            sound += 1;
        } else {
            refused += 1;
        }
    };
    for at in 0..length(b"anim") {
        for change in [0x01, 0x10, 0x80, 0xFF] {
            count(changed(&bytes, |kind, payload| {
                if kind == b"anim" {
                    payload[at] ^= change;
                }
                true
            }));
        }
        count(changed(&bytes, |kind, payload| {
            if kind == b"anim" {
                payload.truncate(at);
            }
            true
        }));
    }
    let words = [
        0.0,
        -0.0,
        1e-38,
        1e-6,
        1e6,
        1e15,
        -1e15,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
    ];
    for at in (0..length(b"rest")).step_by(4) {
        for word in words {
            count(changed(&bytes, |kind, payload| {
                if kind == b"rest" {
                    payload[at..at + 4].copy_from_slice(&word.to_le_bytes());
                }
                true
            }));
        }
    }
    for at in 0..length(b"skel") {
        count(changed(&bytes, |kind, payload| {
            if kind == b"skel" {
                payload[at] ^= 0xFF;
            }
            true
        }));
    }
    assert!(
        sound > 100 && refused > 100,
        "{sound} sound, {refused} refused"
    );
}
