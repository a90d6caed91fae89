//! Files of format version 1 with the codec `compact`, an additive one, one with factors and one in blocks, recorded once: they play as they did, to the bit, and no
//! damage to them goes unseen.

mod support;

use posepress::codec::{
    BasePose, Budget, Control, Deliverable, Encoder, Level, Payload, Playback, Settings,
};
use posepress::math::Channel;
use posepress::model::{Interpolation, Skeleton};
use posepress::runtime::{Channel as Played, ClipView, Error, Extent, Sampler, Transform};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use support::clips::{chain, clip_of, noise, swing, track, walk};

const NAMES: [&str; 6] = [
    "compact_walk",
    "compact_kinds",
    "compact_smooth",
    "compact_additive",
    "compact_scaled",
    "riot_levels",
];

fn golden(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    folder.join(name)
}

fn recorded(name: &str) -> Vec<u8> {
    std::fs::read(golden(&format!("{name}.ppc"))).unwrap()
}

fn turned(axis: glam::Vec3, angle: f32) -> Vec<f32> {
    glam::Quat::from_axis_angle(axis, angle).to_array().to_vec()
}

/// What the files were made of; a later encoder may make others.
fn make(name: &str) -> Vec<u8> {
    let frames = 70;
    let clip = match name {
        "compact_walk" => walk(5, frames),
        "compact_additive" | "riot_levels" => walk(3, 24),
        "compact_scaled" => {
            let mut joints = chain(4).joints().to_vec();
            joints[0].rest.scale = glam::DVec3::splat(0.0254);
            for joint in &mut joints[1..] {
                joint.rest.translation /= 0.0254;
            }
            let moved = |joint, value: fn(f32) -> f32| {
                track(joint, Channel::Translation, 31, move |t| {
                    vec![value(t), 11.0, -value(t)]
                })
            };
            let tracks = vec![
                swing(1, 31),
                moved(1, |t| 20.0 * t),
                moved(2, |_| 0.3),
                moved(3, |t| (7.0 * t).sin()),
            ];
            clip_of(Arc::new(Skeleton::new(joints).unwrap()), tracks)
        }
        "compact_smooth" => {
            let cycle = |j: usize| {
                track(j, Channel::Rotation, 31, move |t| {
                    turned(
                        glam::Vec3::X,
                        0.4 * (t * std::f32::consts::TAU + j as f32).sin(),
                    )
                })
            };
            clip_of(chain(4), (0..4).map(cycle).collect())
        }
        _ => {
            let mut held = track(1, Channel::Rotation, frames, |t| {
                turned(glam::Vec3::X, if t < 1.3 { 0.2 } else { 1.1 })
            });
            held.curve.interpolation = Interpolation::Step;
            let tracks = vec![
                swing(0, frames),
                track(0, Channel::Translation, frames, |t| {
                    vec![t, 0.1 * (5.0 * t).sin(), 0.0]
                }),
                held,
                track(2, Channel::Rotation, frames, |t| {
                    turned(glam::Vec3::Z, 9.0 * t)
                }),
                track(2, Channel::Scale, frames, |t| vec![1.0 + 0.1 * t; 3]),
                track(3, Channel::Rotation, frames, |_| turned(glam::Vec3::Y, 0.7)),
                track(3, Channel::Translation, frames, |_| vec![0.01, 0.29, 0.0]),
                track(4, Channel::Rotation, frames, |t| {
                    turned(glam::Vec3::Y, 0.5 * noise(t))
                }),
            ];
            clip_of(chain(6), tracks)
        }
    };
    let settings = Settings {
        deliverable: if name == "riot_levels" {
            Deliverable::Riot
        } else {
            Deliverable::Compact
        },
        budget: Budget::Skin { target_m: 0.002 },
        additive: (name == "compact_additive").then_some(BasePose::Frame(5)),
        levels: if name == "riot_levels" {
            vec![Level {
                without: vec!["joint_2".into()],
            }]
        } else {
            Vec::new()
        },
        playback: if name == "compact_smooth" {
            Playback::Smooth
        } else {
            Playback::Frames
        },
        looped: name == "compact_smooth",
        ..Settings::default()
    };
    let mut encoder = Encoder::new(clip, 1.0, [7; 32]);
    let made = encoder.encode(&settings, &Control::default()).unwrap();
    match made.payload {
        Payload::Container(bytes) => bytes.to_vec(),
        Payload::Keyframes(_) => unreachable!(),
    }
}

/// Poses at some times: the bits of all floats.
fn poses(bytes: &[u8]) -> String {
    let view = ClipView::from_bytes(bytes).unwrap();
    let mut sampler = Sampler::new(&view);
    let mut pose = vec![Transform::IDENTITY; view.info().joints];
    let mut text = String::new();
    for frame in [0.0, 2.25, 7.0, 7.75, 11.5, 30.125, 44.0, 69.0, 3.5, 90.0] {
        let secs = view.info().secs(frame);
        sampler.pose(&view, secs, Extent::Wrap, &mut pose).unwrap();
        for (joint, t) in pose.iter().enumerate() {
            write!(text, "{frame} {joint}").unwrap();
            for v in t.rotation.iter().chain(&t.translation).chain(&t.scale) {
                write!(text, " {:08x}", v.to_bits()).unwrap();
            }
            text.push('\n');
        }
    }
    text
}

/// Writes those that are not there; one that is, is never written again.
#[test]
#[ignore = "writes the golden files"]
fn write_golden_files() {
    for name in NAMES {
        if golden(&format!("{name}.ppc")).exists() {
            continue;
        }
        let bytes = make(name);
        std::fs::write(golden(&format!("{name}.ppc")), &bytes).unwrap();
        std::fs::write(golden(&format!("{name}.poses.txt")), poses(&bytes)).unwrap();
    }
}

#[test]
fn files_of_version_1_play_as_they_did_to_the_bit() {
    for name in NAMES {
        let bytes = recorded(name);
        assert!(bytes.len() <= 2048, "{name} has {} bytes", bytes.len());
        let expected = std::fs::read_to_string(golden(&format!("{name}.poses.txt"))).unwrap();
        assert!(expected == poses(&bytes), "{name}");
    }
}

#[test]
fn the_files_hold_every_kind_of_track() {
    let view = ClipView::from_bytes(recorded("compact_kinds")).unwrap();
    let keys = |joint, channel| view.keys(joint, channel).len();
    assert!((3..70).contains(&keys(0, Played::Rotation)));
    assert!(keys(0, Played::Translation) > 1 && keys(2, Played::Scale) > 1);
    assert_eq!(keys(1, Played::Rotation), 2);
    assert!(keys(2, Played::Rotation) > 3);
    assert_eq!(
        (keys(3, Played::Rotation), keys(3, Played::Translation)),
        (1, 1)
    );
    assert_eq!(keys(4, Played::Rotation), 70);
    assert_eq!(keys(5, Played::Rotation), 0);
}

#[test]
fn every_changed_byte_and_every_truncation_is_refused() {
    for name in NAMES {
        let good = recorded(name);
        for at in 0..good.len() {
            for change in [0x01, 0x80, 0xFF] {
                let mut bytes = good.clone();
                bytes[at] ^= change;
                let error: Error = ClipView::from_bytes(bytes).unwrap_err();
                assert!(!error.to_string().is_empty());
            }
            assert!(ClipView::from_bytes(&good[..at]).is_err());
        }
    }
}
