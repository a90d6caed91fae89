//! Clips made of code, for the tests of the codecs.

use posepress::math::{Channel, Transform};
use posepress::model::{Clip, Interpolation, Issues, Joint, RawClip, RawCurve, RawTrack, Skeleton};
use std::f32::consts::PI;
use std::sync::Arc;

pub const RATE: f32 = 30.0;

/// A chain of joints, each 0.3 m along Y from its parent.
pub fn chain(joints: usize) -> Arc<Skeleton> {
    let joint = |j: usize| Joint {
        name: format!("joint_{j}"),
        parent: j.checked_sub(1),
        rest: Transform {
            translation: glam::DVec3::Y * if j == 0 { 0.0 } else { 0.3 },
            ..Transform::IDENTITY
        },
        source_index: j,
    };
    Arc::new(Skeleton::new((0..joints).map(joint).collect()).expect("a chain is a skeleton"))
}

pub fn times(frames: usize) -> Vec<f32> {
    (0..frames).map(|k| k as f32 / RATE).collect()
}

pub fn track(
    joint: usize,
    channel: Channel,
    frames: usize,
    value: impl Fn(f32) -> Vec<f32>,
) -> RawTrack {
    let times = times(frames);
    let values = times.iter().flat_map(|&t| value(t)).collect();
    RawTrack {
        joint,
        channel,
        curve: RawCurve {
            interpolation: Interpolation::Linear,
            times,
            values,
        },
    }
}

pub fn swing(joint: usize, frames: usize) -> RawTrack {
    let phase = joint as f32;
    track(joint, Channel::Rotation, frames, move |t| {
        let a = 0.4 * (2.0 * PI * 0.8 * t + phase).sin() + 0.1 * (2.0 * PI * 2.1 * t).cos();
        glam::Quat::from_euler(glam::EulerRot::XYZ, a, 0.3 * a * a, 0.2 * a)
            .to_array()
            .to_vec()
    })
}

pub fn clip_of(skeleton: Arc<Skeleton>, tracks: Vec<RawTrack>) -> Arc<Clip> {
    let (clip, issues) = clip_and_issues(skeleton, tracks);
    // Some clips turn as fast as can be on purpose.
    let mut issues = issues.iter();
    assert!(issues.all(|i| i.code == "turn-too-fast"));
    clip
}

pub fn clip_and_issues(skeleton: Arc<Skeleton>, tracks: Vec<RawTrack>) -> (Arc<Clip>, Issues) {
    let raw = RawClip {
        name: "test".into(),
        tracks,
        scalars: vec![],
    };
    let mut issues = Issues::default();
    let clip = Clip::new(skeleton, raw, &mut issues);
    (Arc::new(clip), issues)
}

/// A walking chain: every joint swings, the root moves two metres.
pub fn walk(joints: usize, frames: usize) -> Arc<Clip> {
    let mut tracks: Vec<RawTrack> = (0..joints).map(|j| swing(j, frames)).collect();
    tracks.push(track(0, Channel::Translation, frames, |t| {
        vec![0.7 * t, 0.02 * (9.0 * t).sin(), 0.0]
    }));
    clip_of(chain(joints), tracks)
}

/// Nothing like it the frame before, in `[-1, 1]`.
pub fn noise(secs: f32) -> f32 {
    let frame = (secs * RATE).round() as i32;
    (frame * frame * 7919 % 1009) as f32 / 504.0 - 1.0
}
