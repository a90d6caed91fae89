//! The codec `compact`: targets met on decoded bytes, whatever the clip, and the same pose whichever way one asks.

mod support;

use posepress::codec::{
    Budget, Compressed, Control, Deliverable, Encoder, FrameImportance, JointImportance, Payload,
    Playback, Quality, Settings, TrackKind,
};
use posepress::math::Channel;
use posepress::metrics::{self, Measured, Options};
use posepress::model::{Clip, Interpolation, RawTrack, Skeleton};
use posepress::runtime::{self, ClipView, Extent, Sampler, Transform};
use std::sync::Arc;
use support::clips::{chain, clip_of, noise, swing, track, walk};
use support::{Rng, bits};

fn settings(target_m: f64) -> Settings {
    Settings {
        deliverable: Deliverable::Compact,
        budget: Budget::Skin { target_m },
        ..Settings::default()
    }
}

fn encode(clip: &Arc<Clip>, settings: &Settings) -> Compressed {
    let mut encoder = Encoder::new(clip.clone(), 1.0, [7; 32]);
    encoder.encode(settings, &Control::default()).unwrap()
}

fn measure(clip: &Clip, compressed: &Compressed) -> Measured {
    let player = compressed.player(clip.skeleton()).unwrap();
    metrics::measure(clip, &player, &Options::default())
}

fn file(compressed: &Compressed) -> Arc<[u8]> {
    match &compressed.payload {
        Payload::Container(bytes) => bytes.clone(),
        Payload::Keyframes(_) => panic!("compact is a container"),
    }
}

fn quaternion(axis: glam::Vec3, angle: f32) -> Vec<f32> {
    glam::Quat::from_axis_angle(axis, angle).to_array().to_vec()
}

#[test]
fn a_target_is_met_and_a_looser_one_is_smaller() {
    let clip = walk(8, 150);
    let mut before = usize::MAX;
    for target_m in [0.0001, 0.001, 0.005] {
        let compressed = encode(&clip, &settings(target_m));
        let measured = measure(&clip, &compressed);
        assert_eq!(compressed.target_met, Some(true));
        assert!(
            measured.frames.max_m <= target_m,
            "{target_m}: {:?}",
            measured.frames
        );
        let bytes = compressed.animation_bytes();
        assert!(bytes < before, "{bytes} bytes at {target_m}");
        before = bytes;
        let riot = Settings {
            deliverable: Deliverable::Riot,
            ..settings(target_m)
        };
        assert!(4 * bytes < encode(&clip, &riot).animation_bytes());
    }
}

#[test]
fn all_qualities_are_players_food() {
    let clip = walk(5, 60);
    let mut encoder = Encoder::new(clip.clone(), 1.0, [0; 32]);
    let mut sizes = Vec::new();
    for quality in [Quality::Draft, Quality::Full, Quality::Max] {
        let made = encoder
            .encode_as(&settings(0.001), quality, &Control::default())
            .unwrap();
        let met = measure(&clip, &made).frames.max_m <= 0.001;
        assert_eq!(made.target_met, Some(met));
        assert!(met || quality == Quality::Draft);
        sizes.push(made.animation_bytes());
    }
    assert!(
        sizes[2] * 50 <= sizes[1] * 51 && sizes[1] * 10 < sizes[0] * 11,
        "{sizes:?}"
    );
}

#[test]
fn the_same_bytes_on_any_number_of_threads_and_after_anything_else() {
    let clip = walk(12, 90);
    let wanted = file(&encode(&clip, &settings(0.0005)));
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let made = pool.install(|| file(&encode(&clip, &settings(0.0005))));
        assert_eq!(made, wanted, "{threads} threads");
    }
    let mut encoder = Encoder::new(clip, 1.0, [7; 32]);
    let mut again = |target, quality| {
        encoder
            .encode_as(&settings(target), quality, &Control::default())
            .unwrap()
    };
    again(0.002, Quality::Draft);
    assert_eq!(file(&again(0.0005, Quality::Full)), wanted);
}

#[test]
fn whole_poses_single_joints_and_prefixes_are_the_same_bits_from_anywhere() {
    let kinds = [Playback::Frames, Playback::Smooth];
    let kinds = kinds.map(|playback| [(playback, false), (playback, true)]);
    for (playback, looped) in kinds.concat() {
        let wanted = Settings {
            playback,
            looped,
            ..settings(0.0005)
        };
        let clip = if looped { cycle() } else { everything() };
        let view = ClipView::from_bytes(file(&encode(&clip, &wanted))).unwrap();
        let joints = view.info().joints;
        let (mut forward, mut random) = (Sampler::new(&view), Sampler::new(&view));
        let mut rng = Rng(5);
        let [mut pose, mut other] = [(); 2].map(|()| vec![Transform::IDENTITY; joints]);
        for step in 0..400 {
            let secs = f64::from(step) * 0.021;
            forward.pose(&view, secs, Extent::Wrap, &mut pose).unwrap();
            // Somewhere else first.
            random
                .pose(&view, rng.signed(9.0), Extent::Clamp, &mut other)
                .unwrap();
            let shown = 1 + rng.below(joints);
            random
                .pose_prefix(&view, secs, Extent::Wrap, &mut other[..shown])
                .unwrap();
            assert_eq!(bits(&pose[..shown]), bits(&other[..shown]), "{step}");
            random.pose(&view, secs, Extent::Wrap, &mut other).unwrap();
            assert_eq!(bits(&pose), bits(&other), "{step}");
            let joint = rng.below(joints);
            let alone = view.joint(joint, secs, Extent::Wrap);
            assert_eq!(
                bits(&[alone]),
                bits(&pose[joint..=joint]),
                "{step}, joint {joint}"
            );
        }
        // Backward.
        for step in (0..200).rev() {
            let secs = f64::from(step) * 0.013;
            forward.pose(&view, secs, Extent::Clamp, &mut pose).unwrap();
            let joint = step as usize % joints;
            let alone = view.joint(joint, secs, Extent::Clamp);
            assert_eq!(bits(&[alone]), bits(&pose[joint..=joint]), "{step}");
        }
    }
}

/// Every kind of track: splines, lines, noise, steps, spins, constants, scale.
fn everything() -> Arc<Clip> {
    let frames = 120;
    let mut tracks: Vec<RawTrack> = (0..4).map(|j| swing(j, frames)).collect();
    tracks.push(track(4, Channel::Rotation, frames, |t| {
        quaternion(glam::Vec3::Z, 27.0 * t)
    }));
    let mut held = track(5, Channel::Rotation, frames, |t| {
        quaternion(glam::Vec3::X, if t < 1.3 { 0.2 } else { 1.1 })
    });
    held.curve.interpolation = Interpolation::Step;
    tracks.push(held);
    tracks.push(track(6, Channel::Rotation, frames, |_| {
        quaternion(glam::Vec3::Y, 0.7)
    }));
    tracks.push(track(7, Channel::Rotation, frames, |t| {
        quaternion(glam::Vec3::Y, 0.5 * noise(t))
    }));
    tracks.push(track(0, Channel::Translation, frames, |t| {
        vec![1.3 * t, 0.1 * (5.0 * t).sin(), 0.0]
    }));
    tracks.push(track(2, Channel::Translation, frames, |_| {
        vec![0.01, 0.29, 0.0]
    }));
    tracks.push(track(3, Channel::Scale, frames, |t| {
        vec![1.0 + 0.2 * (3.0 * t).sin(); 3]
    }));
    clip_of(chain(9), tracks)
}

/// One joint of a chain of five does something hard, the others swing.
fn hard(moves: RawTrack) -> Arc<Clip> {
    let frames = moves.curve.times.len();
    let target = (moves.joint, moves.channel);
    let mut tracks: Vec<RawTrack> = (0..5).map(|j| swing(j, frames)).collect();
    tracks.retain(|t| (t.joint, t.channel) != target);
    tracks.push(moves);
    clip_of(chain(5), tracks)
}

#[test]
fn hard_clips_meet_the_target() {
    let scale =
        |value: fn(f32) -> [f32; 3]| track(1, Channel::Scale, 60, move |t| value(t).to_vec());
    let turn = |value: fn(f32) -> f32| {
        track(1, Channel::Rotation, 60, move |t| {
            quaternion(glam::Vec3::new(0.6, 0.0, 0.8), value(t))
        })
    };
    let moved =
        |value: fn(f32) -> [f32; 3]| track(0, Channel::Translation, 60, move |t| value(t).to_vec());
    let clips = [
        ("spin", turn(|t| 27.0 * t)),
        (
            "a flip in every frame",
            turn(|t| (t * 30.0).round() * std::f32::consts::PI),
        ),
        (
            "one flip",
            turn(|t| {
                if t < 1.0 {
                    0.1
                } else {
                    0.1 + std::f32::consts::PI
                }
            }),
        ),
        ("noise", turn(|t| 0.3 * noise(t))),
        (
            "teleport",
            moved(|t| if t < 1.0 { [0.0; 3] } else { [11.0, 0.0, -3.0] }),
        ),
        ("ten kilometres off", moved(|t| [8000.0 + t, 0.0, 6000.0])),
        ("uniform scale", scale(|t| [1.0 + 0.5 * (4.0 * t).sin(); 3])),
        (
            "other scale",
            scale(|t| [1.0 + 0.4 * (4.0 * t).sin(), 1.0, 0.7 + 0.1 * t]),
        ),
        ("mirror", scale(|_| [-1.0, 1.0, 1.0])),
        ("turning into its mirror", scale(|t| [1.0 - t, 1.0, 1.0])),
        ("no scale", scale(|_| [0.0; 3])),
        ("shrinking to nothing", scale(|t| [(1.0 - t).max(0.0); 3])),
        ("flat", scale(|_| [1.0, 0.0, 1.0])),
    ];
    for (what, moves) in clips {
        let clip = hard(moves);
        // A float is 0.5 mm coarse at ten kilometres.
        let target_m = if what.starts_with("ten") { 0.01 } else { 0.001 };
        let compressed = encode(&clip, &settings(target_m));
        let measured = measure(&clip, &compressed);
        assert!(
            measured.frames.max_m <= target_m,
            "{what}: {:?}",
            measured.frames
        );
        assert_eq!(compressed.target_met, Some(true), "{what}");
    }
}

/// Scales at rest, as exporters that change units leave them: a shell and a move are felt so many times more.
#[test]
fn what_hangs_on_an_enlarged_joint_meets_the_target() {
    let mut joints = chain(2).joints().to_vec();
    joints[0].rest.scale = glam::DVec3::splat(300.0);
    joints[1].rest.translation = glam::DVec3::ZERO;
    let skeleton = Arc::new(Skeleton::new(joints).unwrap());
    let moves = track(1, Channel::Translation, 60, |t| {
        vec![0.001 * (6.0 * t).sin(), 0.0003, 0.001 * (9.0 * t).cos()]
    });
    for tracks in [vec![swing(0, 60), swing(1, 60)], vec![moves]] {
        let clip = clip_of(skeleton.clone(), tracks);
        let made = encode(&clip, &settings(0.001));
        let max_m = measure(&clip, &made).frames.max_m;
        assert!(max_m <= 0.001, "{max_m}");
    }
}

#[test]
fn chains_that_shear_meet_the_target() {
    let mut tracks: Vec<RawTrack> = (0..8).map(|j| swing(j, 60)).collect();
    tracks.extend((0..8).map(|j| {
        track(j, Channel::Scale, 60, move |t| {
            let at = 3.0 * t + j as f32;
            vec![1.0 + 0.5 * at.sin(), 1.0 + 0.3 * at.cos(), 0.9]
        })
    }));
    let clip = clip_of(chain(8), tracks);
    for target_m in [0.0005, 0.001, 0.0015, 0.005] {
        let made = encode(&clip, &settings(target_m));
        let max_m = measure(&clip, &made).frames.max_m;
        assert!(max_m <= target_m, "{max_m} over {target_m}");
    }
}

#[test]
fn rotations_finer_than_curves_are_held_as_finely_as_they_can() {
    let turn = |j| {
        track(j, Channel::Rotation, 40, move |t| {
            let q = [0.3, 0.9, 1.7, 2.5].map(|k| noise(t + k + j as f32));
            let q = glam::Quat::from_array(q).normalize();
            q.to_array().to_vec()
        })
    };
    let mut joints = chain(8).joints().to_vec();
    joints[7].rest.translation.y = 1e5;
    let skeleton = Arc::new(Skeleton::new(joints).unwrap());
    let clip = clip_of(skeleton, (0..8).map(turn).collect());
    let made = encode(&clip, &settings(0.001));
    assert_eq!(made.target_met, Some(false));
    assert!(measure(&clip, &made).frames.max_m < 1.0);
}

#[test]
fn clips_of_any_size_and_unit_meet_the_target() {
    for (joints, frames) in [(1, 1), (3, 1), (1, 2), (4, 2), (4, 3), (1, 500), (1000, 8)] {
        let clip = walk(joints, frames);
        let made = encode(&clip, &settings(0.01));
        let measured = measure(&clip, &made);
        assert!(
            measured.frames.max_m <= 0.01,
            "{joints} joints, {frames} frames"
        );
    }
    for unit_m in [1e-9, 0.01, 1e6] {
        let clip = walk(4, 40);
        let mut encoder = Encoder::new(clip.clone(), unit_m, [0; 32]);
        let scaled = Settings {
            shell_m: 0.03 * unit_m,
            ..settings(0.001 * unit_m)
        };
        let made = encoder.encode(&scaled, &Control::default()).unwrap();
        assert_eq!(made.target_met, Some(true), "{unit_m}");
        let same = encode(&clip, &settings(0.001)).animation_bytes();
        assert!(
            made.animation_bytes().abs_diff(same) < same / 20,
            "{unit_m}"
        );
    }
}

#[test]
fn a_target_beyond_single_precision_is_said_to_be_missed() {
    let clip = walk(3, 30);
    let made = encode(&clip, &settings(1e-9));
    assert_eq!(made.target_met, Some(false));
    let measured = measure(&clip, &made);
    assert!(measured.frames.max_m > 1e-9 && measured.frames.max_m < 1e-5);
}

#[test]
fn values_too_large_for_their_target_are_said_or_refused() {
    let far = |size: f32| {
        let far = track(0, Channel::Translation, 1, move |_| vec![size, 0.0, -size]);
        clip_of(chain(2), vec![far])
    };
    // Told as finely as integers can, and exactly, since so is the source.
    for clip in [
        far(1e6),
        hard(track(0, Channel::Translation, 30, |t| {
            vec![1e6 * t, 0.0, 1.0]
        })),
    ] {
        let made = encode(&clip, &settings(1e-4));
        let measured = measure(&clip, &made);
        assert_eq!(made.target_met, Some(measured.frames.max_m <= 1e-4));
        assert!(measured.frames.max_m < 0.1);
    }
    let mut encoder = Encoder::new(far(1e25), 1.0, [0; 32]);
    assert!(
        encoder
            .encode(&settings(0.001), &Control::default())
            .is_err()
    );
}

#[test]
fn a_held_jump_stays_a_jump() {
    let clip = everything();
    let made = encode(&clip, &settings(0.001));
    let track = made
        .tracks
        .iter()
        .find(|t| (t.joint, t.channel) == (5, Channel::Rotation))
        .unwrap();
    assert_eq!((track.kind, track.fit.keys.len()), (TrackKind::Step, 2));
    let view = ClipView::from_bytes(file(&made)).unwrap();
    assert_eq!(
        view.track_kind(5, Channel::Rotation),
        Some(runtime::TrackKind::Step)
    );
    let at = |secs: f64| view.joint(5, secs, Extent::Clamp).rotation;
    assert_eq!(at(1.0), at(1.0 + 8.9 / 30.0));
    assert!((at(1.0)[0] - at(1.31)[0]).abs() > 0.3);
}

/// Five joints that swing once in 24 frames, and begin again.
fn cycle() -> Arc<Clip> {
    let swing = |j: usize| {
        track(j, Channel::Rotation, 25, move |t| {
            let phase = t / (24.0 / 30.0) * std::f32::consts::TAU;
            quaternion(glam::Vec3::X, 0.4 * (phase + j as f32).sin())
        })
    };
    clip_of(chain(5), (0..5).map(swing).collect())
}

#[test]
fn a_cycle_ends_on_the_very_pose_on_which_it_began() {
    for looped in [false, true] {
        let wanted = Settings {
            looped,
            ..settings(0.001)
        };
        let view = ClipView::from_bytes(file(&encode(&cycle(), &wanted))).unwrap();
        for joint in 0..5 {
            let [first, last] =
                [0.0, 24.0].map(|f| view.joint(joint, view.info().secs(f), Extent::Clamp));
            assert_eq!(bits(&[first]), bits(&[last]), "joint {joint}");
        }
    }
}

#[test]
fn splines_of_a_loop_go_through_the_seam_at_one_speed() {
    // Between speeds, radians a second, of joints that reach 3.1. A key on every frame makes a corner everywhere.
    let kick = |looped: bool| {
        let wanted = Settings {
            playback: Playback::Smooth,
            looped,
            ..settings(0.005)
        };
        let made = encode(&cycle(), &wanted);
        assert_eq!(made.target_met, Some(true));
        let view = ClipView::from_bytes(file(&made)).unwrap();
        let at = |joint: usize, frame: f64| {
            let t = view.joint(joint, view.info().secs(frame), Extent::Clamp);
            2.0 * f64::from(t.rotation[0]).asin()
        };
        let step = 0.01;
        let speed = |joint, frame: f64| (at(joint, frame + step) - at(joint, frame)) * 30.0 / step;
        let splines = (0..5).filter(|&j| view.keys(j, runtime::Channel::Rotation).len() < 13);
        let kicks = splines.map(|j| (speed(j, 0.0) - speed(j, 24.0 - step)).abs());
        let kicks: Vec<f64> = kicks.collect();
        assert!(kicks.len() > 1);
        kicks.into_iter().fold(0.0, f64::max)
    };
    let (run_on, stops) = (kick(true), kick(false));
    assert!(run_on < 0.02, "{run_on} when looped, {stops} when not");
    assert!(stops > 0.1, "{stops}");
}

#[test]
fn a_loop_wraps_to_the_same_bits() {
    let wanted = Settings {
        looped: true,
        ..settings(0.001)
    };
    let view = ClipView::from_bytes(file(&encode(&cycle(), &wanted))).unwrap();
    let mut sampler = Sampler::new(&view);
    let mut poses = |frame: f64, extent| {
        let mut pose = vec![Transform::IDENTITY; 5];
        let secs = view.info().secs(frame);
        sampler.pose(&view, secs, extent, &mut pose).unwrap();
        bits(&pose)
    };
    for frame in 0..24 {
        let frame = f64::from(frame);
        let inside = poses(frame, Extent::Clamp);
        for round in [-1.0, 1.0, 3.0] {
            let outside = poses(frame + 24.0 * round, Extent::Wrap);
            assert_eq!(inside, outside, "{frame}, {round} rounds on");
        }
    }
}

#[test]
fn tolerances_of_channels_are_caps() {
    let clip = walk(5, 80);
    let mut capped = settings(0.005);
    let cap = posepress::codec::JointOverride {
        rotation_rad: Some(1e-4),
        ..Default::default()
    };
    capped.overrides.insert("joint_4".into(), cap);
    // What they cap is how far the joint is from where it aims, which nobody sees but its keys.
    let tolerance = |made: Compressed| made.tracks.last().map(|t| (t.joint, t.tolerance));
    let (joint, free) = tolerance(encode(&clip, &settings(0.005))).unwrap();
    let (_, held) = tolerance(encode(&clip, &capped)).unwrap();
    assert!(joint == 4 && free > 1e-3 && held <= 1e-4, "{free} {held}");
    let open = Settings {
        budget: Budget::Tolerances,
        ..settings(1.0)
    };
    let made = encode(&clip, &open);
    assert_eq!(made.target_met, None);
    for (j, local) in measure(&clip, &made).locals.iter().enumerate() {
        let allowed = open.tolerances.rotation_rad / (5 - j) as f64;
        assert!(local.rotation_rad <= 1.01 * allowed, "joint {j}: {local:?}");
    }
}

fn stretch(joint: Option<&str>, frames: (usize, usize), factor: f64) -> FrameImportance {
    FrameImportance {
        joint: joint.map(str::to_owned),
        first: frames.0,
        last: frames.1,
        factor,
    }
}

/// The largest error of a joint over some frames.
fn worst_m(m: &Measured, joint: usize, frames: std::ops::RangeInclusive<usize>) -> f64 {
    let rows = frames.map(|f| f64::from(m.row_m(f * m.density)[joint]));
    rows.fold(0.0, f64::max)
}

#[test]
fn what_is_important_is_off_by_less_and_what_is_not_by_more() {
    let clip = walk(5, 80);
    let even = encode(&clip, &settings(0.005));
    let mut weighed = settings(0.005);
    let hand = JointImportance {
        weight: 10.0,
        shell_m: None,
    };
    weighed.importance.joints.insert("joint_3".into(), hand);
    weighed.importance.frames = vec![
        stretch(None, (20, 40), 8.0),
        stretch(Some("joint_4"), (50, 70), 0.1),
        stretch(Some("joint of another skeleton"), (0, 79), 100.0),
    ];
    let made = encode(&clip, &weighed);
    assert_eq!(made.target_met, Some(true));
    let measured = measure(&clip, &made);
    assert!(measured.joints[3].max_m <= 0.0005);
    for joint in 0..5 {
        assert!(worst_m(&measured, joint, 20..=40) <= 0.005 / 8.0, "{joint}");
        let free = if joint == 4 { 0.05 } else { 0.005 };
        assert!(worst_m(&measured, joint, 50..=70) <= free, "{joint}");
    }
    assert!(
        worst_m(&measured, 4, 50..=70) > 0.005,
        "the freed blur is used"
    );
    let mut relaxed = settings(0.005);
    relaxed.importance.frames = vec![stretch(None, (10, 70), 0.1)];
    let relaxed = encode(&clip, &relaxed);
    assert!(relaxed.animation_bytes() < even.animation_bytes());
    assert_eq!(relaxed.target_met, Some(true));
}

#[test]
fn what_is_measured_is_weighed_as_it_was_asked() {
    let clip = walk(5, 80);
    let mut weighed = settings(0.005);
    let far = JointImportance {
        weight: 0.5,
        shell_m: Some(1.0),
    };
    weighed.importance.joints.insert("joint_4".into(), far);
    let made = encode(&clip, &weighed);
    let player = made.player(clip.skeleton()).unwrap();
    let options = weighed.measuring(clip.skeleton(), 1.0, 4);
    let measured = metrics::measure(&clip, &player, &options);
    assert!(measured.frame_gate_m() <= 0.005);
    assert!(measured.joints[4].max_m > 0.005 && measured.joints[4].max_m <= 0.01);
    assert_eq!(measured.joints[4].weighed_m, 0.5 * measured.joints[4].max_m);
    let near = measure(&clip, &made);
    assert!(
        near.joints[4].max_m < measured.joints[4].max_m,
        "on the shell of the clip a turn moves less"
    );
}

#[test]
fn the_window_gets_keys_as_they_are_played_and_why_they_are_there() {
    let clip = walk(4, 120);
    let made = encode(&clip, &settings(0.002));
    let view = ClipView::from_bytes(file(&made)).unwrap();
    let mut rounds = 0;
    for track in &made.tracks {
        let keys = view.keys(track.joint, track.channel);
        assert_eq!(keys.len(), track.fit.keys.len());
        if track.kind == TrackKind::Keys {
            let frames: Vec<usize> = track.origins.iter().map(|o| o.frame).collect();
            assert_eq!(
                frames,
                track.fit.keys.iter().map(|k| k.frame).collect::<Vec<_>>()
            );
            assert!(
                track
                    .origins
                    .iter()
                    .all(|o| o.tolerance > 0.0 && o.error >= 0.0)
            );
            rounds = rounds.max(track.origins.iter().map(|o| o.round).max().unwrap());
            assert!(view.track_bytes(track.joint, track.channel) > 0);
        }
        for (played, key) in keys.iter().zip(&track.fit.keys) {
            assert_eq!(played.frame as usize, key.frame);
            assert!((f64::from(played.value[1]) - key.value.y).abs() < 1e-12);
        }
    }
    assert!(rounds > 1);
}

#[test]
fn cancelling_stops_the_search() {
    let control = Control::default();
    control.cancel();
    let mut encoder = Encoder::new(walk(3, 50), 1.0, [0; 32]);
    assert!(encoder.encode(&settings(0.001), &control).is_err());
}
