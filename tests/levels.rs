//! Levels of detail: each is a prefix of the stream, its joints are the same to the bit, and files that lie are refused.

mod support;

use posepress::codec::{
    Compressed, Control, Deliverable, Encoder, Level, Payload, QuaternionBits, Settings,
};
use posepress::math::Channel;
use posepress::model::{Clip, Joint, Skeleton};
use posepress::runtime::{ClipView, Extent, Sampler, Transform, crc32};
use std::sync::Arc;
use support::Rng;
use support::clips::{clip_of, swing, track};

/// A body with two arms of three joints each, the second one named first.
fn body() -> Arc<Clip> {
    let parents = [
        None,
        Some(0),
        Some(1),
        Some(2),
        Some(0),
        Some(4),
        Some(5),
        Some(0),
    ];
    let names = [
        "root", "arm_r", "hand_r", "finger_r", "arm_l", "hand_l", "finger_l", "head",
    ];
    let joint = |(index, (&parent, name)): (usize, (&Option<usize>, &str))| Joint {
        name: name.into(),
        parent,
        rest: posepress::math::Transform {
            translation: glam::DVec3::new(0.1, 0.3, 0.02 * index as f64),
            ..posepress::math::Transform::IDENTITY
        },
        source_index: index,
    };
    let joints = parents.iter().zip(names).enumerate().map(joint).collect();
    let skeleton = Arc::new(Skeleton::new(joints).expect("a skeleton"));
    let mut tracks: Vec<_> = (0..8).map(|j| swing(j, 90)).collect();
    tracks.push(track(0, Channel::Translation, 90, |t| {
        vec![0.7 * t, 0.02 * (9.0 * t).sin(), 0.0]
    }));
    tracks.push(track(3, Channel::Translation, 90, |t| vec![0.1, t, 0.0]));
    clip_of(skeleton, tracks)
}

fn settings(deliverable: Deliverable) -> Settings {
    let level = |without: &str| Level {
        without: vec![without.to_owned()],
    };
    Settings {
        deliverable,
        levels: vec![level("finger*"), level("*_r")],
        ..Settings::default()
    }
}

fn bytes(clip: &Arc<Clip>, settings: &Settings) -> Arc<[u8]> {
    let made: Compressed = Encoder::new(clip.clone(), 1.0, [1; 32])
        .encode(settings, &Control::default())
        .expect("encodes");
    assert_eq!(made.target_met, Some(true));
    match made.payload {
        Payload::Container(bytes) => bytes,
        Payload::Keyframes(_) => panic!("a container was asked for"),
    }
}

const CONTAINERS: [Deliverable; 3] = [
    Deliverable::Compact,
    Deliverable::Uniform,
    Deliverable::Riot,
];

fn times(rng: &mut Rng) -> Vec<f64> {
    (0..200).map(|_| 3.4 * rng.unit() - 0.2).collect()
}

#[test]
fn a_level_has_its_joints_to_the_bit_and_the_others_stand_still() {
    let clip = body();
    let mut rng = Rng(5);
    for deliverable in CONTAINERS {
        for bits in [QuaternionBits::Q48, QuaternionBits::Q32] {
            let mut settings = settings(deliverable);
            settings.quaternion_bits = bits;
            settings.budget = posepress::codec::Budget::Skin { target_m: 0.1 };
            let view = ClipView::from_bytes(bytes(&clip, &settings)).expect("reads");
            assert_eq!(view.levels(), [8, 6, 4]);
            let has =
                |level| -> Vec<usize> { (0..8).filter(|&j| view.level_has(level, j)).collect() };
            assert_eq!(has(0), [0, 1, 2, 3, 4, 5, 6, 7]);
            assert_eq!(has(1), [0, 1, 2, 4, 5, 7]);
            assert_eq!(has(2), [0, 4, 5, 7]);
            assert_eq!(has(9), has(2), "past the last is the last");
            let mut still = [None; 8];
            let mut whole = [Transform::IDENTITY; 8];
            let mut part = [Transform::IDENTITY; 8];
            let (mut all, mut one) = (Sampler::new(&view), Sampler::new(&view));
            for secs in times(&mut rng) {
                let level = rng.below(4);
                all.pose(&view, secs, Extent::Clamp, &mut whole)
                    .expect("fits");
                one.pose_level(&view, secs, Extent::Clamp, level, &mut part)
                    .expect("fits");
                for j in 0..8 {
                    let wanted = if view.level_has(level, j) {
                        whole[j]
                    } else {
                        *still[j].get_or_insert(part[j])
                    };
                    assert_eq!(part[j], wanted, "{deliverable:?} joint {j} at {secs} s");
                    assert_eq!(whole[j], view.joint(j, secs, Extent::Clamp));
                }
            }
        }
    }
}

#[test]
fn a_prefix_of_the_skeleton_is_the_same_whatever_the_order() {
    let clip = body();
    for deliverable in CONTAINERS {
        let view = ClipView::from_bytes(bytes(&clip, &settings(deliverable))).expect("reads");
        let mut sampler = Sampler::new(&view);
        let mut first = [Transform::IDENTITY; 5];
        sampler
            .pose_prefix(&view, 1.234, Extent::Clamp, &mut first)
            .expect("fits");
        for (j, t) in first.iter().enumerate() {
            assert_eq!(
                *t,
                view.joint(j, 1.234, Extent::Clamp),
                "{deliverable:?} {j}"
            );
        }
    }
}

#[test]
fn levels_change_no_pose_and_few_bytes() {
    let clip = body();
    for deliverable in CONTAINERS {
        let plain = Settings {
            levels: Vec::new(),
            ..settings(deliverable)
        };
        let (plain, levels) = (bytes(&clip, &plain), bytes(&clip, &settings(deliverable)));
        // Two sections with their entries in the table, in `riot` two heads of blocks and their lengths.
        assert!(levels.len() < plain.len() + 100, "{deliverable:?}");
        let (a, b) = (
            ClipView::from_bytes(plain).expect("reads"),
            ClipView::from_bytes(levels).expect("reads"),
        );
        for j in 0..8 {
            let at = |view: &ClipView<Arc<[u8]>>| view.joint(j, 0.777, Extent::Clamp);
            assert_eq!(at(&a), at(&b), "{deliverable:?} {j}");
        }
    }
}

/// A change of the payload of a section, with the checksum set right again.
fn forged(file: &[u8], kind: [u8; 4], change: impl Fn(&mut [u8])) -> Vec<u8> {
    let mut file = file.to_vec();
    let at = (20..)
        .step_by(12)
        .find(|&at| file[at..at + 4] == kind)
        .expect("the section");
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("four")) as usize;
    let (start, end) = (word(at + 4), word(at + 4) + word(at + 8) - 4);
    change(&mut file[start..end]);
    let crc = crc32(&file[start..end]).to_le_bytes();
    file[end..end + 4].copy_from_slice(&crc);
    file
}

#[test]
fn levels_that_lie_are_refused() {
    let clip = body();
    for deliverable in CONTAINERS {
        let file = bytes(&clip, &settings(deliverable));
        let refused = |kind, change: &dyn Fn(&mut [u8]), text: &str| {
            let error = ClipView::from_bytes(forged(&file, kind, change)).expect_err(text);
            let error = error.to_string();
            assert!(error.contains(text), "{deliverable:?}: {error}");
        };
        let fewer = "levels do not begin with all joints and have fewer and fewer";
        refused(*b"levl", &|p| p[0] = 7, fewer);
        refused(*b"levl", &|p| p[2] = 8, fewer);
        refused(*b"levl", &|p| p[4] = 0, fewer);
        let parent = "a joint stands before its parent in the joint order";
        refused(*b"ordr", &|p| p.swap(0, 2), parent);
    }
    let file = bytes(&clip, &settings(Deliverable::Riot));
    let change = |p: &mut [u8]| p[2] = 5;
    let error = ClipView::from_bytes(forged(&file, *b"levl", change)).expect_err("other levels");
    assert!(
        error
            .to_string()
            .contains("a joint that the clip or its level has not"),
        "{error}"
    );
}

#[test]
fn damage_to_blocks_is_an_error_or_finite_poses() {
    let clip = body();
    let file = bytes(&clip, &settings(Deliverable::Riot));
    let mut rng = Rng(9);
    let (mut refused, mut played) = (0, 0);
    for _ in 0..4000 {
        let (place, value) = (rng.below(1 << 20), rng.below(256) as u8);
        let file = forged(&file, *b"anim", |p| p[place % p.len()] = value);
        let Ok(view) = ClipView::from_bytes(file) else {
            refused += 1;
            continue;
        };
        played += 1;
        let mut pose = [Transform::IDENTITY; 8];
        let level = rng.below(3);
        Sampler::new(&view)
            .pose_level(&view, 3.0 * rng.unit(), Extent::Clamp, level, &mut pose)
            .expect("fits");
        for t in pose {
            let length: f32 = t.rotation.iter().map(|c| c * c).sum();
            assert!((length - 1.0).abs() < 1e-4 && t.translation.iter().all(|c| c.is_finite()));
        }
    }
    assert!(refused > 100 && played > 100, "{refused} {played}");
}
