//! Poses: right by an independent reference, and the same to the bit whichever way they are reached.

mod support;

use glam::{DQuat, DVec3};
use posepress::codec::riot::{
    KeyTimes, RiotConstant, RiotKey, RiotStream, RiotTrack, RotationBits,
};
use posepress::codec::{ContainerWriter, ScalarCurve, WriteError};
use posepress::math::{rotation_angle, slerp};
use posepress::runtime::{
    Channel, ClipView, Error, Extent, SampleError, Sampler, SectionKind, Tangents, TrackKind,
    Transform, Window, segment,
};
use support::{Made, Recipe, Rng, bits, info, make};

/// What the documentation says a track's value is, in double precision from the decoded keys.
struct Reference<'a> {
    made: &'a Made,
}

impl Reference<'_> {
    fn pose(&self, secs: f64) -> Vec<Transform> {
        let mut pose = self.made.rest.clone();
        let info = &self.made.info;
        let x = (secs - info.start_secs) * info.rate_hz;
        let x = if (x - x.round()).abs() < 1e-4 {
            x.round()
        } else {
            x
        };
        let x = x.clamp(0.0, f64::from(info.frames - 1));
        for c in &self.made.stream.constants {
            let joint = usize::from(self.made.order[c.joint]);
            set(&mut pose[joint], c.channel, c.value);
        }
        for t in &self.made.stream.tracks {
            let joint = usize::from(self.made.order[t.joint]);
            set(&mut pose[joint], t.channel, self.value(t, x));
        }
        pose
    }

    fn value(&self, t: &RiotTrack, x: f64) -> [f64; 4] {
        if self.made.info.smooth {
            return self.curve(t, x);
        }
        let (a, b) = (self.curve(t, x.floor()), self.curve(t, x.floor() + 1.0));
        let u = x.fract();
        if t.step {
            return a;
        }
        if t.channel == Channel::Rotation {
            return slerp(DQuat::from_array(a), DQuat::from_array(b), u).to_array();
        }
        std::array::from_fn(|c| a[c] + (b[c] - a[c]) * u)
    }

    fn curve(&self, t: &RiotTrack, x: f64) -> [f64; 4] {
        let rotates = t.channel == Channel::Rotation;
        let unit = match self.made.stream.key_times {
            KeyTimes::Frames => 1.0,
            KeyTimes::Normalised => f64::from(self.made.info.frames - 1) / 65535.0,
        };
        let time = |k: usize| f64::from(t.keys[k].time) * unit;
        let key = |k: usize| -> [f64; 4] {
            let v = t.keys[k].value;
            if rotates {
                return self.made.stream.rotation_bits.quantise(v);
            }
            let [x, y, z] = t.range.quantise([v[0], v[1], v[2]]);
            [x, y, z, 0.0]
        };
        let last = t.keys.len() - 1;
        // Keys at a whole number of frames: the comparison may not hang on the last bit.
        let left = (0..=last).rev().find(|&k| time(k) <= x + 1e-6).unwrap_or(0);
        if t.step || last == 0 {
            return key(left);
        }
        let left = left.min(last - 1);
        let at = |k: usize| k.clamp(1, last + 1) - 1;
        let mut w = Window {
            values: [at(left), left, left + 1, at(left + 3)].map(key),
            times: [at(left), left, left + 1, at(left + 3)].map(time),
            has_previous: left > 0,
            has_next: left + 2 <= last,
        };
        if rotates {
            w.align_signs();
        }
        let c = segment(&w, self.made.stream.tangents);
        let u = ((x - w.times[1]) / (w.times[2] - w.times[1])).clamp(0.0, 1.0);
        let v: [f64; 4] =
            std::array::from_fn(|i| ((c[3][i] * u + c[2][i]) * u + c[1][i]) * u + c[0][i]);
        if rotates {
            return DQuat::from_array(v).normalize().to_array();
        }
        v
    }
}

fn set(t: &mut Transform, channel: Channel, v: [f64; 4]) {
    let f = v.map(|c| c as f32);
    match channel {
        Channel::Rotation => t.rotation = f,
        Channel::Translation => t.translation = [f[0], f[1], f[2]],
        Channel::Scale => t.scale = [f[0], f[1], f[2]],
    }
}

fn distance(a: &Transform, b: &Transform) -> f64 {
    let quat = |t: &Transform| DQuat::from_array(t.rotation.map(f64::from)).normalize();
    let vec3 = |v: [f32; 3]| DVec3::from(v.map(f64::from));
    let angle = rotation_angle(quat(a), quat(b));
    let translation = (vec3(a.translation) - vec3(b.translation)).length();
    let scale = (vec3(a.scale) - vec3(b.scale)).length();
    angle.max(translation).max(scale)
}

fn pose_at(sampler: &mut Sampler, view: &ClipView<&[u8]>, secs: f64) -> Vec<Transform> {
    let mut pose = vec![Transform::IDENTITY; view.info().joints];
    sampler.pose(view, secs, Extent::Clamp, &mut pose).unwrap();
    pose
}

#[test]
fn poses_are_what_the_format_says() {
    let mut rng = Rng(1);
    let mut worst = 0.0_f64;
    for _ in 0..150 {
        let recipe = Recipe::random(&mut rng);
        let made = make(&mut rng, recipe);
        let view = ClipView::from_bytes(made.bytes.as_slice()).unwrap();
        assert_eq!(*view.info(), made.info);
        let reference = Reference { made: &made };
        let mut sampler = Sampler::new(&view);
        for _ in 0..20 {
            let frame = rng.below(recipe.frames as usize) as f64;
            let secs = made
                .info
                .secs(frame + [0.0, 0.3, rng.unit() * 0.9][rng.below(3)]);
            let pose = pose_at(&mut sampler, &view, secs);
            for (a, b) in pose.iter().zip(reference.pose(secs)) {
                worst = worst.max(distance(a, &b));
            }
        }
    }
    // Single precision, steep tangents at uneven times included.
    assert!(worst < 2e-4, "worst {worst}");
}

#[test]
fn forward_backward_seek_and_single_joint_agree_to_the_bit() {
    let mut rng = Rng(2);
    for _ in 0..60 {
        let recipe = Recipe::random(&mut rng);
        let made = make(&mut rng, recipe);
        let view = ClipView::from_bytes(made.bytes.as_slice()).unwrap();
        let steps = recipe.frames as usize * 3 + 6;
        let times: Vec<f64> = (0..steps)
            .map(|i| made.info.secs(i as f64 / 3.0 - 1.0 + rng.unit() * 0.1))
            .collect();
        let mut sampler = Sampler::new(&view);
        let forward: Vec<_> = times
            .iter()
            .map(|&t| bits(&pose_at(&mut sampler, &view, t)))
            .collect();
        for (i, &t) in times.iter().enumerate().rev() {
            assert_eq!(
                bits(&pose_at(&mut sampler, &view, t)),
                forward[i],
                "backward"
            );
        }
        for _ in 0..40 {
            let i = rng.below(times.len());
            if rng.below(2) == 0 {
                sampler.seek(&view, times[rng.below(times.len())]).unwrap();
            }
            let pose = pose_at(&mut sampler, &view, times[i]);
            assert_eq!(bits(&pose), forward[i], "jump");
            let fresh = pose_at(&mut Sampler::new(&view), &view, times[i]);
            assert_eq!(bits(&fresh), forward[i], "fresh sampler");
            let alone: Vec<Transform> = (0..recipe.joints)
                .map(|j| view.joint(j, times[i], Extent::Clamp))
                .collect();
            assert_eq!(bits(&alone), forward[i], "joint alone");
        }
    }
}

/// One joint whose translation has these keys.
fn one_track(frames: u32, step: bool, keys: &[(u16, f64)]) -> Vec<u8> {
    let keys: Vec<RiotKey> = keys
        .iter()
        .map(|&(time, x)| RiotKey {
            time,
            value: [x, 0.0, 0.0, 0.0],
        })
        .collect();
    let range = posepress::codec::riot::VectorRange::of(
        keys.iter().map(|k| [k.value[0], k.value[1], k.value[2]]),
    );
    let stream = RiotStream {
        tracks: vec![RiotTrack {
            joint: 0,
            channel: Channel::Translation,
            step,
            range,
            keys,
        }],
        ..RiotStream::default()
    };
    file(frames, 1, &stream)
}

fn file(frames: u32, joints: usize, stream: &RiotStream) -> Vec<u8> {
    ContainerWriter::new(&info(joints, frames))
        .unwrap()
        .rest(&vec![Transform::IDENTITY; joints])
        .section(SectionKind::Animation, stream.to_bytes().unwrap())
        .finish()
        .unwrap()
}

fn x_at(view: &ClipView<&[u8]>, frame: f64, extent: Extent) -> f32 {
    let secs = view.info().secs(frame);
    let mut pose = [Transform::IDENTITY];
    let mut sampler = Sampler::new(view);
    sampler.pose(view, secs, extent, &mut pose).unwrap();
    pose[0].translation[0]
}

#[test]
fn a_held_value_jumps_and_never_ramps() {
    let bytes = one_track(11, true, &[(0, 0.0), (4, 1.0), (9, 3.0)]);
    let view = ClipView::from_bytes(bytes.as_slice()).unwrap();
    let expected = [
        (-1.0, 0.0),
        (3.99, 0.0),
        (4.0, 1.0),
        (8.5, 1.0),
        (9.0, 3.0),
        (20.0, 3.0),
    ];
    for (frame, x) in expected {
        assert_eq!(x_at(&view, frame, Extent::Clamp), x, "frame {frame}");
    }
    assert_eq!(
        view.track_kind(0, Channel::Translation),
        Some(TrackKind::Step)
    );
}

#[test]
fn clamp_holds_the_ends_and_wrap_runs_round() {
    let bytes = one_track(11, false, &[(0, 0.0), (10, 10.0)]);
    let view = ClipView::from_bytes(bytes.as_slice()).unwrap();
    for (frame, clamped, wrapped) in [
        (-2.5, 0.0, 7.5),
        (3.5, 3.5, 3.5),
        (12.0, 10.0, 2.0),
        (1003.0, 10.0, 3.0),
    ] {
        assert!((x_at(&view, frame, Extent::Clamp) - clamped).abs() < 1e-4);
        assert!((x_at(&view, frame, Extent::Wrap) - wrapped).abs() < 1e-4);
    }
    for extent in [Extent::Clamp, Extent::Wrap] {
        assert_eq!(x_at(&view, f64::NAN, extent), 0.0);
        assert_eq!(view.joint(0, f64::NAN, extent).translation[0], 0.0);
    }
    assert_eq!(x_at(&view, f64::INFINITY, Extent::Clamp), 10.0);
    assert_eq!(x_at(&view, f64::INFINITY, Extent::Wrap), 0.0);
    assert_eq!(x_at(&view, f64::NEG_INFINITY, Extent::Clamp), 0.0);
}

#[test]
fn one_frame_and_one_key_are_a_constant() {
    let bytes = one_track(1, false, &[(0, 2.0)]);
    let view = ClipView::from_bytes(bytes.as_slice()).unwrap();
    for frame in [-3.0, 0.0, 5.0] {
        assert_eq!(x_at(&view, frame, Extent::Clamp), 2.0);
        assert_eq!(x_at(&view, frame, Extent::Wrap), 2.0);
    }
    assert_eq!(view.info().duration_secs(), 0.0);
}

#[test]
fn constants_are_stored_exactly() {
    let turn = DQuat::from_rotation_x(0.4) * DQuat::from_rotation_y(2.1);
    let constant = |channel, value| RiotConstant {
        joint: 1,
        channel,
        value,
    };
    let place = [0.1, -200.0, 1e-3, 0.0];
    let stream = RiotStream {
        constants: vec![
            constant(Channel::Translation, place),
            constant(Channel::Rotation, turn.to_array()),
        ],
        ..RiotStream::default()
    };
    let bytes = file(30, 2, &stream);
    let view = ClipView::from_bytes(bytes.as_slice()).unwrap();
    let pose = pose_at(&mut Sampler::new(&view), &view, 0.7);
    assert_eq!(pose[0], Transform::IDENTITY);
    assert_eq!(pose[1].translation, [0.1, -200.0, 1e-3]);
    let decoded = DQuat::from_array(pose[1].rotation.map(f64::from)).normalize();
    assert!(rotation_angle(decoded, turn) < 3e-7);
    assert_eq!(view.track_bytes(1, Channel::Rotation), 15);
    assert_eq!(view.track_kind(1, Channel::Scale), None);
}

#[test]
fn editors_see_the_keys_and_what_they_cost() {
    let bytes = one_track(11, false, &[(0, 0.0), (4, 1.0), (10, 3.0)]);
    let view = ClipView::from_bytes(bytes.as_slice()).unwrap();
    let keys = view.keys(0, Channel::Translation);
    let frames: Vec<f32> = keys.iter().map(|k| k.frame).collect();
    assert_eq!(frames, [0.0, 4.0, 10.0]);
    assert!((keys[1].value[0] - 1.0).abs() < 3.0 / 65535.0);
    assert!(view.keys(0, Channel::Rotation).is_empty() && view.keys(9, Channel::Scale).is_empty());
    assert_eq!(view.track_bytes(0, Channel::Translation), 2 + 24 + 3 * 10);
    let sections: Vec<_> = view.sections().collect();
    assert_eq!(sections[1], ("rest", 44));
    assert_eq!(sections[2], ("animation", 12 + 56 + 4));
    let total: usize = sections.iter().map(|(_, bytes)| bytes).sum();
    assert_eq!(total + view.header_bytes(), bytes.len());
}

#[test]
fn every_tangent_kind_and_size_survives_the_file() {
    for tangents in Tangents::ALL {
        for (rotation_bits, key) in [(RotationBits::Bits48, 10), (RotationBits::Bits32, 8)] {
            let key_at = |time, angle| RiotKey {
                time,
                value: DQuat::from_rotation_z(angle).to_array(),
            };
            let stream = RiotStream {
                tangents,
                rotation_bits,
                tracks: vec![RiotTrack {
                    joint: 0,
                    channel: Channel::Rotation,
                    step: false,
                    range: posepress::codec::riot::VectorRange::default(),
                    keys: vec![key_at(0, 0.0), key_at(3, 1.0), key_at(9, 0.5)],
                }],
                ..RiotStream::default()
            };
            let bytes = file(10, 1, &stream);
            let view = ClipView::from_bytes(bytes.as_slice()).unwrap();
            assert_eq!(view.tangents(), tangents);
            assert_eq!(view.track_bytes(0, Channel::Rotation), 2 + 3 * key);
        }
    }
}

#[test]
fn rounding_errors_of_rotations_stay_in_their_bounds() {
    let mut rng = Rng(3);
    let mut worst = [0.0_f64; 2];
    for i in 0..200_000 {
        let mut q = rng.rotation();
        if i % 4 == 0 {
            // All components near 1/2: the dropped one carries most of the error.
            q = q.map(|c| c.signum() * (0.5 + 0.01 * c));
        }
        let turn = DQuat::from_array(q).normalize();
        for (worst, bits) in worst
            .iter_mut()
            .zip([RotationBits::Bits48, RotationBits::Bits32])
        {
            let decoded = DQuat::from_array(bits.quantise(q)).normalize();
            *worst = worst.max(rotation_angle(turn, decoded).to_degrees());
        }
    }
    println!(
        "48 bits: {} degrees, 32 bits: {} degrees",
        worst[0], worst[1]
    );
    assert!(worst[0] <= 0.0086, "48 bits: {}", worst[0]);
    assert!(worst[1] <= 0.28, "32 bits: {}", worst[1]);
}

#[test]
fn joints_past_fourteen_bits_are_refused() {
    let Err(WriteError::TooManyJoints(16_385)) = ContainerWriter::new(&info(16_385, 1)) else {
        panic!("a key cannot name joint 16,384");
    };
    assert!(ContainerWriter::new(&info(16_384, 1)).is_ok());
    let stream = RiotStream {
        constants: vec![RiotConstant {
            joint: 16_384,
            channel: Channel::Scale,
            value: [1.0; 4],
        }],
        ..RiotStream::default()
    };
    assert_eq!(stream.to_bytes(), Err(WriteError::TooManyJoints(16_385)));
}

#[test]
fn writers_refuse_what_no_player_could_read() {
    let key = |time, x| RiotKey {
        time,
        value: [x, 0.0, 0.0, 0.0],
    };
    let stream = |keys: Vec<RiotKey>| RiotStream {
        tracks: vec![RiotTrack {
            joint: 0,
            channel: Channel::Translation,
            step: false,
            range: posepress::codec::riot::VectorRange::default(),
            keys,
        }],
        ..RiotStream::default()
    };
    let finish = |stream: RiotStream| {
        ContainerWriter::new(&info(1, 10))
            .unwrap()
            .section(SectionKind::Animation, stream.to_bytes()?)
            .finish()
    };
    assert!(finish(stream(vec![key(0, 0.0), key(9, 0.0)])).is_ok());
    let not_finite = finish(stream(vec![key(0, f64::NAN)]));
    assert!(matches!(not_finite, Err(WriteError::NotFinite(_))));
    for keys in [
        vec![],
        vec![key(0, 0.0), key(10, 0.0)],
        vec![key(3, 0.0), key(3, 0.0)],
    ] {
        let refused = finish(stream(keys));
        assert!(matches!(
            refused,
            Err(WriteError::Refused(Error::Invalid { .. }))
        ));
    }
    let mut twice = stream(vec![key(0, 0.0)]);
    twice.tracks.push(twice.tracks[0].clone());
    assert!(matches!(finish(twice), Err(WriteError::Refused(_))));
}

#[test]
fn wrong_calls_get_typed_errors() {
    let bytes = one_track(11, false, &[(0, 0.0), (10, 10.0)]);
    let view = ClipView::from_bytes(bytes.as_slice()).unwrap();
    let other = ClipView::from_bytes(bytes.as_slice()).unwrap();
    let mut sampler = Sampler::new(&view);
    let mut pose = [Transform::IDENTITY; 2];
    let sample = |sampler: &mut Sampler, view, out: &mut [Transform]| {
        sampler.pose(view, 0.0, Extent::Clamp, out)
    };
    assert_eq!(
        sample(&mut sampler, &other, &mut pose[..1]),
        Err(SampleError::OtherView)
    );
    assert_eq!(sampler.seek(&other, 0.0), Err(SampleError::OtherView));
    let wrong = SampleError::PoseLength {
        joints: 1,
        given: 2,
    };
    assert_eq!(sample(&mut sampler, &view, &mut pose), Err(wrong));
    assert_eq!(sample(&mut sampler, &view.clone(), &mut pose[..1]), Ok(()));
    assert_eq!(view.joint(1, 0.0, Extent::Clamp), Transform::IDENTITY);
}

#[test]
fn a_clip_without_a_rest_pose_takes_that_of_its_skeleton() {
    let bytes = ContainerWriter::new(&info(2, 5))
        .unwrap()
        .section(
            SectionKind::Animation,
            RiotStream::default().to_bytes().unwrap(),
        )
        .finish()
        .unwrap();
    let mut view = ClipView::from_bytes(bytes).unwrap();
    let mut sampler = Sampler::new(&view);
    let mut pose = [Transform::IDENTITY; 2];
    let missing = sampler.pose(&view, 0.0, Extent::Clamp, &mut pose);
    assert_eq!(missing, Err(SampleError::NoRest));
    let mut rest = [Transform::IDENTITY; 2];
    rest[1].translation = [1.0, 2.0, 3.0];
    assert_eq!(
        view.attach_rest(&rest[..1]),
        Err(Error::RestDoesNotFit { joints: 2 })
    );
    view.attach_rest(&rest).unwrap();
    sampler.pose(&view, 0.0, Extent::Clamp, &mut pose).unwrap();
    assert_eq!(pose, rest);
}

#[test]
fn scalar_curves_keep_their_values_and_unknown_sections_are_skipped() {
    let curve = |name: &str, step, times: Option<Vec<f64>>, values: Vec<f32>| ScalarCurve {
        name: name.to_owned(),
        step,
        times,
        values,
    };
    let bytes = ContainerWriter::new(&info(1, 3))
        .unwrap()
        .section(
            SectionKind::Animation,
            RiotStream::default().to_bytes().unwrap(),
        )
        .other(*b"xtra", vec![1, 2, 3])
        .scalars(&[
            curve("smile", false, None, vec![0.0, 1.0, 3.0]),
            curve("blink", true, Some(vec![0.26, 0.3]), vec![0.25, 0.75]),
            curve("glow", false, Some(vec![0.25, 0.35]), vec![0.0, 1.0]),
        ])
        .unwrap()
        .meta("{\"by\":\"test\"}")
        .finish()
        .unwrap();
    let view = ClipView::from_bytes(bytes).unwrap();
    assert_eq!(
        view.scalar_names().collect::<Vec<_>>(),
        ["smile", "blink", "glow"]
    );
    let value = |i, secs| view.scalar(i, secs, Extent::Clamp).unwrap();
    let frame = |f| view.info().secs(f);
    assert_eq!(
        (value(0, 0.0), value(0, frame(1.0)), value(0, 9.0)),
        (0.0, 1.0, 3.0)
    );
    assert!((value(0, frame(1.5)) - 2.0).abs() < 1e-5);
    assert_eq!(
        (value(1, 0.0), value(1, 0.299), value(1, 0.3)),
        (0.25, 0.25, 0.75)
    );
    assert!((value(2, 0.3) - 0.5).abs() < 1e-6);
    assert_eq!((value(2, f64::NAN), value(2, 7.0)), (0.0, 1.0));
    // One period is two frames of 1/30 s.
    let wrapped = view.scalar(2, 0.26 + 4.0 / 30.0, Extent::Wrap).unwrap();
    assert!((wrapped - 0.1).abs() < 1e-6);
    assert_eq!(view.scalar(3, 0.0, Extent::Clamp), None);
    assert_eq!(view.meta(), Some("{\"by\":\"test\"}"));
    assert!(view.sections().any(|s| s == ("xtra", 7)));
}
