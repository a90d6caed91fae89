//! Clips through the whole codec: fitted, written, decoded from the bytes, measured.

mod support;

use posepress::codec::{
    Budget, Control, Deliverable, Encoder, Instants, Payload, Playback, QuaternionBits, Settings,
    Tolerances, TrackKind,
};
use posepress::fit::Action;
use posepress::math::{Channel, Transform};
use posepress::metrics::{self, Options};
use posepress::model::{Clip, CurveSource, Interpolation, PoseSource, RawTrack};
use posepress::runtime::{self, ClipView, Extent, Sampler};
use std::f32::consts::PI;
use std::sync::Arc;
use support::clips::{RATE, chain, clip_of, swing, track, walk};

fn encode(clip: &Arc<Clip>, settings: &Settings) -> posepress::codec::Compressed {
    Encoder::new(clip.clone(), 1.0, [7; 32])
        .encode(settings, &Control::default())
        .expect("compresses")
}

/// The defaults, as `riot`.
fn riot() -> Settings {
    Settings {
        deliverable: Deliverable::Riot,
        ..Settings::default()
    }
}

fn bytes(compressed: &posepress::codec::Compressed) -> Vec<u8> {
    match &compressed.payload {
        Payload::Container(b) => b.to_vec(),
        Payload::Keyframes(k) => format!("{k:?}").into_bytes(),
    }
}

fn measure(clip: &Clip, compressed: &posepress::codec::Compressed) -> metrics::Measured {
    let player = compressed
        .player(clip.skeleton())
        .expect("own bytes decode");
    metrics::measure(clip, &player, &Options::default())
}

#[test]
fn a_skin_target_holds_at_frames_and_between_them() {
    let clip = walk(8, 90);
    for deliverable in Deliverable::ALL {
        for target_m in [0.0005, 0.002, 0.01] {
            let settings = Settings {
                deliverable,
                budget: Budget::Skin { target_m },
                ..Settings::default()
            };
            let compressed = encode(&clip, &settings);
            let m = measure(&clip, &compressed);
            assert_eq!(
                compressed.target_met,
                Some(true),
                "{deliverable:?} {target_m}"
            );
            assert!(
                m.frame_gate_m() <= target_m,
                "{deliverable:?}: {} > {target_m}",
                m.frames.max_m
            );
            assert!(
                m.dense.max_m <= 1.05 * target_m,
                "{deliverable:?}: {} between frames",
                m.dense.max_m
            );
            // Not by storing everything: a smooth clip must come out well under its frames.
            assert!(compressed.animation_bytes() * 2 < clip.raw_bytes());
        }
    }
}

#[test]
fn a_looser_target_is_smaller() {
    let clip = walk(8, 120);
    let size = |target_m: f64| {
        encode(
            &clip,
            &Settings {
                budget: Budget::Skin { target_m },
                ..Settings::default()
            },
        )
        .animation_bytes()
    };
    assert!(size(0.0003) > size(0.001) && size(0.001) > size(0.01));
}

#[test]
fn smooth_playback_is_gated_between_frames() {
    let clip = walk(6, 60);
    let settings = Settings {
        playback: Playback::Smooth,
        budget: Budget::Skin { target_m: 0.03 },
        ..Settings::default()
    };
    let compressed = encode(&clip, &settings);
    let m = measure(&clip, &compressed);
    assert_eq!(compressed.target_met, Some(true));
    assert!(m.dense_gate_m() <= 0.03, "{}", m.dense_gate_m());
    // A spline bulges over the straight lines of its source; frame by frame it does not.
    let framed = encode(
        &clip,
        &Settings {
            playback: Playback::Frames,
            ..settings
        },
    );
    let framed = measure(&clip, &framed);
    assert!(framed.dense.max_m <= 1.05 * framed.frames.max_m);
}

#[test]
fn a_jump_right_after_a_frame_is_not_overlooked() {
    // Half a metre in a microsecond, from frame 15 on.
    let mut jump = track(0, Channel::Translation, 31, |t| {
        vec![if t > 0.501 { 0.5 } else { 0.0 }, 0.0, 0.0]
    });
    jump.curve.times.insert(16, 0.500_001);
    for (k, v) in [0.5, 0.0, 0.0].into_iter().enumerate() {
        jump.curve.values.insert(48 + k, v);
    }
    let clip = clip_of(chain(2), vec![jump, swing(1, 31)]);
    assert_eq!(
        (clip.grid().frames, clip.grid().rate_hz.round() as u32),
        (31, 30)
    );
    let compressed = encode(&clip, &Settings::default());
    let m = measure(&clip, &compressed);
    assert!(m.key_times.max_m > 0.4, "{}", m.key_times.max_m);
    assert_eq!(compressed.target_met, Some(false));
}

#[test]
fn an_unreachable_target_is_said_to_be_missed() {
    let clip = walk(8, 30);
    // 48-bit rotations are off by 0.0086 degrees: a micrometre at two metres is out of reach.
    let settings = Settings {
        budget: Budget::Skin { target_m: 1e-6 },
        ..riot()
    };
    let compressed = encode(&clip, &settings);
    assert_eq!(compressed.target_met, Some(false));
    assert!(measure(&clip, &compressed).frames.max_m > 1e-6);
}

#[test]
fn local_errors_stay_within_the_tolerances_of_their_tracks() {
    let clip = walk(6, 120);
    let tolerances = Tolerances {
        rotation_rad: 0.2_f64.to_radians(),
        translation_m: 0.002,
        scale: 0.001,
    };
    let settings = Settings {
        budget: Budget::Tolerances,
        tolerances,
        ..riot()
    };
    let compressed = encode(&clip, &settings);
    let m = measure(&clip, &compressed);
    for t in &compressed.tracks {
        // The player works in single precision.
        assert!(
            m.locals[t.joint].of(t.channel) <= t.tolerance + 2e-6,
            "{t:?}"
        );
        assert!(t.fit.max_error <= t.tolerance);
    }
}

#[test]
fn the_adaptive_margin_divides_by_the_place_in_the_longest_chain() {
    let clip = walk(4, 40);
    let settings = Settings {
        budget: Budget::Tolerances,
        ..riot()
    };
    let e = settings.tolerances.rotation_rad;
    let compressed = encode(&clip, &settings);
    for t in compressed
        .tracks
        .iter()
        .filter(|t| t.channel == Channel::Rotation)
    {
        let place = (4 - t.joint) as f64;
        assert!((t.tolerance - e / place).abs() < 1e-15, "joint {}", t.joint);
    }
    let flat = encode(
        &clip,
        &Settings {
            adaptive_margin: false,
            ..settings
        },
    );
    assert!(
        flat.tracks
            .iter()
            .filter(|t| t.channel == Channel::Rotation)
            .all(|t| t.tolerance == e)
    );
}

#[test]
fn an_override_changes_its_own_track_alone() {
    let clip = walk(5, 90);
    let mut settings = Settings {
        budget: Budget::Tolerances,
        ..riot()
    };
    let before = encode(&clip, &settings);
    settings
        .overrides
        .entry("joint_3".into())
        .or_default()
        .rotation_rad = Some(1e-4);
    let after = encode(&clip, &settings);
    for (a, b) in before.tracks.iter().zip(&after.tracks) {
        let changed = a.joint == 3 && a.channel == Channel::Rotation;
        assert_eq!(
            a.fit.keys != b.fit.keys,
            changed,
            "joint {} {:?}",
            a.joint,
            a.channel
        );
    }
}

#[test]
fn a_tighter_tolerance_begins_with_the_insertions_of_a_looser_one() {
    let clip = walk(3, 200);
    let history = |degrees: f64| {
        let tolerances = Tolerances {
            rotation_rad: degrees.to_radians(),
            ..Tolerances::default()
        };
        let settings = Settings {
            budget: Budget::Tolerances,
            tolerances,
            ..riot()
        };
        let compressed = encode(&clip, &settings);
        let steps = compressed.tracks[0].fit.history.clone();
        steps
            .into_iter()
            .filter(|s| s.action == Action::Insert)
            .map(|s| s.frame)
            .collect::<Vec<_>>()
    };
    let (loose, tight) = (history(0.5), history(0.05));
    assert!(loose.len() > 4 && tight.len() > loose.len());
    assert_eq!(loose, tight[..loose.len()]);
}

#[test]
fn tracks_that_do_not_move_cost_one_value_or_nothing() {
    let frames = 50;
    let tracks = vec![
        swing(0, frames),
        track(1, Channel::Rotation, frames, |_| vec![0.0, 0.0, 0.0, 1.0]),
        track(1, Channel::Translation, frames, |_| vec![0.0, 0.3, 0.0]),
        track(2, Channel::Translation, frames, |_| vec![0.0, 0.5, 0.0]),
    ];
    let compressed = encode(&clip_of(chain(3), tracks), &riot());
    let kinds: Vec<TrackKind> = compressed.tracks.iter().map(|t| t.kind).collect();
    assert_eq!(
        kinds,
        [
            TrackKind::Keys,
            TrackKind::Rest,
            TrackKind::Rest,
            TrackKind::Constant
        ]
    );
    assert_eq!(compressed.tracks[3].fit.keys.len(), 1);
}

#[test]
fn a_held_jump_stays_a_jump() {
    let frames = 40;
    let mut step = track(1, Channel::Translation, frames, |t| {
        vec![if t < 0.6 { 0.0 } else { 0.5 }, 0.3, 0.0]
    });
    step.curve.interpolation = Interpolation::Step;
    let clip = clip_of(chain(2), vec![swing(0, frames), step]);
    for deliverable in Deliverable::ALL {
        let compressed = encode(
            &clip,
            &Settings {
                deliverable,
                ..Settings::default()
            },
        );
        assert_eq!(compressed.tracks[1].kind, TrackKind::Step);
        let mut player = compressed
            .player(clip.skeleton())
            .expect("own bytes decode");
        let mut pose = vec![Transform::IDENTITY; 2];
        for (frame, want) in [
            (0.0, 0.0),
            (16.5, 0.0),
            (17.9, 0.0),
            (18.01, 0.5),
            (39.0, 0.5),
        ] {
            player.pose(clip.grid().secs(frame), &mut pose);
            assert!(
                (pose[1].translation.x - want).abs() < 1e-3,
                "{deliverable:?} at frame {frame}: {:?}",
                pose[1]
            );
        }
    }
}

#[test]
fn short_quaternions_shake_and_the_figure_shows_it() {
    let clip = walk(8, 90);
    let jitter = |quaternion_bits| {
        let settings = Settings {
            quaternion_bits,
            budget: Budget::Tolerances,
            ..riot()
        };
        measure(&clip, &encode(&clip, &settings)).jitter.rms_m_per_s
    };
    let (long, short) = (jitter(QuaternionBits::Q48), jitter(QuaternionBits::Q32));
    assert!(short > 2.0 * long, "{short} and {long}");
}

#[test]
fn the_same_input_gives_the_same_bytes_on_any_number_of_threads() {
    let clip = walk(12, 150);
    for deliverable in Deliverable::ALL {
        let settings = Settings {
            deliverable,
            ..Settings::default()
        };
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("a pool");
            pool.install(|| bytes(&encode(&clip, &settings)))
        };
        let one = run(1);
        assert!(one == run(2) && one == run(8), "{deliverable:?}");
    }
}

#[test]
fn what_was_compressed_before_leaves_no_trace() {
    let clip = walk(6, 80);
    let mut encoder = Encoder::new(clip.clone(), 1.0, [0; 32]);
    let settings = |target_m: f64| Settings {
        budget: Budget::Skin { target_m },
        ..Settings::default()
    };
    let control = Control::default();
    let mut again = |target_m: f64| {
        bytes(
            &encoder
                .encode(&settings(target_m), &control)
                .expect("compresses"),
        )
    };
    let first = again(0.001);
    again(0.02);
    again(0.0004);
    assert!(first == again(0.001));
}

#[test]
fn cancelling_stops_the_search() {
    let clip = walk(6, 80);
    let control = Control::default();
    control.cancel();
    let result = Encoder::new(clip, 1.0, [0; 32]).encode(&Settings::default(), &control);
    assert!(matches!(
        result,
        Err(posepress::codec::CodecError::Cancelled)
    ));
}

#[test]
fn extremes_meet_the_target_or_say_so() {
    let spin = |per_frame: f32| {
        track(0, Channel::Rotation, 60, move |t| {
            glam::Quat::from_rotation_y(per_frame * t * RATE)
                .to_array()
                .to_vec()
        })
    };
    let cases = [
        ("one frame", clip_of(chain(2), vec![swing(0, 1)])),
        ("two frames", clip_of(chain(2), vec![swing(0, 2)])),
        ("one joint", clip_of(chain(1), vec![swing(0, 40)])),
        ("fast spin", clip_of(chain(3), vec![spin(1.2)])),
        ("half turns", clip_of(chain(3), vec![spin(PI)])),
        ("mirrored", {
            clip_of(
                chain(3),
                vec![
                    swing(0, 40),
                    track(1, Channel::Scale, 40, |_| vec![-1.0, 1.0, 1.0]),
                ],
            )
        }),
        ("zero scale", {
            clip_of(
                chain(3),
                vec![
                    swing(0, 40),
                    track(1, Channel::Scale, 40, |t| vec![t.min(0.5); 3]),
                ],
            )
        }),
        ("far away", {
            let far = track(0, Channel::Translation, 40, |t| {
                vec![10_000.0 + t, 0.0, 0.0]
            });
            clip_of(chain(3), vec![swing(0, 40), far])
        }),
        ("teleport", {
            let jump = track(0, Channel::Translation, 40, |t| {
                vec![if t > 0.6 { 50.0 } else { 0.0 }, 0.0, 0.0]
            });
            clip_of(chain(3), vec![swing(1, 40), jump])
        }),
    ];
    for (name, clip) in cases {
        for deliverable in Deliverable::ALL {
            let settings = Settings {
                deliverable,
                ..Settings::default()
            };
            let compressed = encode(&clip, &settings);
            let m = measure(&clip, &compressed);
            let gate = Instants::of(&settings).gate_m(&m);
            assert!(gate.is_finite(), "{name}");
            assert_eq!(
                compressed.target_met,
                Some(gate <= 0.001),
                "{name} {deliverable:?}: {gate}"
            );
        }
    }
}

#[test]
fn a_clip_of_more_frames_than_a_key_can_count_is_kept_with_coarser_times() {
    let frames = 70_000;
    let slow = track(0, Channel::Rotation, frames, |t| {
        glam::Quat::from_rotation_y(0.5 * (0.02 * t).sin())
            .to_array()
            .to_vec()
    });
    let clip = clip_of(chain(2), vec![slow]);
    let compressed = encode(
        &clip,
        &Settings {
            budget: Budget::Skin { target_m: 0.002 },
            ..riot()
        },
    );
    assert_eq!(compressed.target_met, Some(true));
}

#[test]
fn the_container_carries_what_a_game_needs() {
    let clip = walk(5, 60);
    let compressed = encode(
        &clip,
        &Settings {
            looped: true,
            ..Settings::default()
        },
    );
    let Payload::Container(bytes) = &compressed.payload else {
        panic!("riot is a container")
    };
    let view = ClipView::from_bytes(bytes.clone()).expect("own bytes decode");
    let info = view.info();
    assert_eq!(
        (info.name.as_str(), info.frames, info.joints),
        ("test", 60, 5)
    );
    assert!(info.looped && !info.smooth && info.source_hash == [7; 32]);
    let joints = view.skeleton().expect("a skeleton");
    assert_eq!(
        (joints[3].name.as_str(), joints[3].parent),
        ("joint_3", Some(2))
    );
    let sections: usize = compressed.sections().iter().map(|s| s.1).sum();
    assert_eq!(sections, bytes.len());
}

/// Anguelov's example: a second of 100 joints at 30 fps takes 94 KB as eight floats a joint, 41 KB with every
/// frame in 48 bits of rotation, 48 of translation and 16 of scale, and 18.6 KB when all scales and all but
/// two translations stand still and are stored once.
#[test]
fn uniform_brings_a_second_of_a_hundred_joints_to_under_19_kilobytes() {
    let (joints, frames) = (100, 30);
    let mut tracks: Vec<RawTrack> = (0..joints).map(|j| swing(j, frames)).collect();
    for moving in [0, 1] {
        tracks.push(track(moving, Channel::Translation, frames, |t| {
            vec![0.7 * t, 0.3 * (9.0 * t).sin(), 0.2 * t.cos()]
        }));
    }
    let still = |j| track(j, Channel::Translation, frames, |_| vec![0.0, 0.3, 0.0]);
    tracks.extend((2..joints).map(still));
    let ones = |j| track(j, Channel::Scale, frames, |_| vec![1.0; 3]);
    tracks.extend((0..joints).map(ones));
    let clip = clip_of(chain(joints), tracks);
    let settings = Settings {
        deliverable: Deliverable::Uniform,
        budget: Budget::Tolerances,
        ..Settings::default()
    };
    let compressed = encode(&clip, &settings);
    let kilobytes = |bytes: usize| bytes as f64 / 1024.0;
    let each_second = joints * frames;
    assert!((kilobytes(each_second * 32) - 94.0).abs() < 0.5);
    assert!((kilobytes(each_second * 14) - 41.0).abs() < 0.5);
    let bytes = compressed.animation_bytes();
    let frames_alone = frames * (joints * 6 + 2 * 6);
    assert!(bytes > frames_alone, "{bytes} B cannot hold every frame");
    assert!(
        (kilobytes(bytes) - 18.6).abs() < 0.4,
        "{} KB",
        kilobytes(bytes)
    );
    // 48 bits a rotation: 0.0086 degrees at most, which adds up along a chain of 30 m.
    assert!(measure(&clip, &compressed).frames.max_m < 0.02);
}

#[test]
fn uniform_keeps_all_frames_and_finds_any_joint_at_once() {
    let clip = walk(9, 70);
    let settings = Settings {
        deliverable: Deliverable::Uniform,
        budget: Budget::Skin { target_m: 0.0005 },
        ..Settings::default()
    };
    let compressed = encode(&clip, &settings);
    let Payload::Container(bytes) = &compressed.payload else {
        panic!("uniform is a container")
    };
    let view = ClipView::from_bytes(bytes.clone()).expect("own bytes decode");
    let mut sampler = Sampler::new(&view);
    let mut pose = vec![runtime::Transform::default(); 9];
    for (n, frame) in [0.0, 69.0, 3.5, 4.25, 3.0, 68.75, 12.0]
        .into_iter()
        .enumerate()
    {
        let secs = clip.grid().secs(frame);
        sampler
            .pose(&view, secs, Extent::Clamp, &mut pose)
            .expect("its own view");
        for (joint, whole) in pose.iter().enumerate() {
            assert_eq!(view.joint(joint, secs, Extent::Clamp), *whole, "step {n}");
        }
        let mut prefix = vec![runtime::Transform::default(); 4];
        sampler
            .pose_prefix(&view, secs, Extent::Clamp, &mut prefix)
            .expect("its own view");
        assert_eq!(prefix, pose[..4]);
    }
    let keys = view.keys(4, Channel::Rotation);
    assert_eq!(keys.len(), 70);
}

/// Anguelov's arithmetic: 100 joints at 30 fps for a second, as eight floats a joint, are 94 KB.
#[test]
fn a_second_of_a_hundred_joints_is_94_kilobytes_of_eight_floats() {
    let clip = walk(100, 31);
    let frames_a_second = clip.grid().rate_hz.round() as usize;
    let bytes = clip.skeleton().len() * frames_a_second * 8 * size_of::<f32>();
    assert_eq!((bytes as f64 / 1024.0).round() as usize, 94);
    // What ratios refer to is ten floats: scale in three axes.
    assert_eq!(
        clip.raw_bytes(),
        clip.skeleton().len() * clip.grid().frames * 10 * size_of::<f32>()
    );
}

/// A clip whose root is off along X by a given amount at each time.
#[derive(Clone)]
struct Off {
    clip: Arc<Clip>,
    by_m: fn(f64) -> f64,
}

impl CurveSource for Off {
    fn curves(&mut self, _secs: f64, _out: &mut [f32]) {}
}

impl PoseSource for Off {
    fn pose(&mut self, secs: f64, out: &mut [Transform]) {
        (&*self.clip).pose(secs, out);
        out[0].translation.x += (self.by_m)(secs);
    }
}

#[test]
fn the_seam_is_what_compression_adds_where_a_loop_closes() {
    let clip = walk(3, 31);
    let seam = |by_m| {
        let player = Off {
            clip: clip.clone(),
            by_m,
        };
        let measured = metrics::measure(&clip, &player, &Options::default());
        measured.seam.expect("three frames or more")
    };
    let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
    let steady = seam(|_| 0.01);
    assert!(near(steady.gap_m, 0.0) && near(steady.kick_m_per_s, 0.0));
    let drift = seam(|secs| 0.002 * secs);
    assert!(near(drift.gap_m, 0.002) && near(drift.kick_m_per_s, 0.0));
    let snap = seam(|secs| if secs > 0.99 { 0.004 } else { 0.0 });
    assert!(near(snap.gap_m, 0.004) && near(snap.kick_m_per_s, 0.004 * f64::from(RATE)));
    // The root walks 0.7 m, so the source is no loop in place.
    assert!(steady.source_gap_m > 0.6);
}
