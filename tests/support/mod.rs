//! Random clips, made through the writers, for the tests of the runtime.
#![allow(dead_code)]

pub mod clips;

use posepress::codec::riot::{
    KeyTimes, RiotConstant, RiotKey, RiotStream, RiotTrack, RotationBits, VectorRange,
};
use posepress::codec::{Budget, ContainerWriter, Control, Deliverable, Encoder, Payload, Settings};
use posepress::model::{
    Clip, Interpolation, Issues, Joint, RawClip, RawCurve, RawScalar, RawTrack, Skeleton,
};
use posepress::runtime::{Channel, ClipInfo, Tangents, Transform};

/// SplitMix64: the same numbers on every machine.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// In `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// In `[-size, size)`.
    pub fn signed(&mut self, size: f64) -> f64 {
        (self.unit() * 2.0 - 1.0) * size
    }

    pub fn rotation(&mut self) -> [f64; 4] {
        let q: [f64; 4] = std::array::from_fn(|_| self.signed(1.0));
        let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
        if length < 0.1 {
            return self.rotation();
        }
        q.map(|c| c / length)
    }
}

/// What kind of clip to make.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    pub joints: usize,
    pub frames: u32,
    pub smooth: bool,
    pub tangents: Tangents,
    pub rotation_bits: RotationBits,
    pub key_times: KeyTimes,
    pub ordered: bool,
}

impl Recipe {
    pub fn random(rng: &mut Rng) -> Self {
        let frames = [1, 2, 3, 7, 40, 200][rng.below(6)];
        // All parts of a duration of nothing are the same time: not what a writer would choose.
        let key_times = if frames > 1 && rng.below(2) == 0 {
            KeyTimes::Normalised
        } else {
            KeyTimes::Frames
        };
        Self {
            joints: 1 + rng.below(40),
            frames,
            smooth: rng.below(2) == 0,
            tangents: Tangents::ALL[rng.below(5)],
            rotation_bits: [RotationBits::Bits48, RotationBits::Bits32][rng.below(2)],
            key_times,
            ordered: rng.below(2) == 0,
        }
    }
}

/// A clip and what it was made from.
pub struct Made {
    pub bytes: Vec<u8>,
    pub stream: RiotStream,
    pub info: ClipInfo,
    pub rest: Vec<Transform>,
    /// Skeleton joint of each joint of the stream.
    pub order: Vec<u16>,
}

pub fn info(joints: usize, frames: u32) -> ClipInfo {
    ClipInfo {
        name: "walk".to_owned(),
        frames,
        rate_hz: 30.0,
        start_secs: 0.25,
        unit_m: 1.0,
        joints,
        looped: false,
        smooth: false,
        skeleton_hash: [7; 32],
        source_hash: [9; 32],
    }
}

pub fn make(rng: &mut Rng, recipe: Recipe) -> Made {
    let mut info = info(recipe.joints, recipe.frames);
    info.smooth = recipe.smooth;
    let mut stream = RiotStream {
        tangents: recipe.tangents,
        rotation_bits: recipe.rotation_bits,
        key_times: recipe.key_times,
        ..RiotStream::default()
    };
    for joint in 0..recipe.joints {
        for channel in Channel::ALL {
            add_channel(rng, &mut stream, &recipe, joint, channel);
        }
    }
    let rest: Vec<Transform> = (0..recipe.joints).map(|_| random_rest(rng)).collect();
    let mut order: Vec<u16> = (0..recipe.joints as u16).collect();
    if recipe.ordered {
        for i in (1..order.len()).rev() {
            order.swap(i, rng.below(i + 1));
        }
    }
    let mut writer = ContainerWriter::new(&info).unwrap().rest(&rest);
    if recipe.ordered {
        writer = writer.order(&order);
    }
    let animation = stream.to_bytes().unwrap();
    let writer = writer.section(posepress::runtime::SectionKind::Animation, animation);
    Made {
        bytes: writer.finish().unwrap(),
        stream,
        info,
        rest,
        order,
    }
}

fn random_rest(rng: &mut Rng) -> Transform {
    let q = rng.rotation().map(|c| c as f32);
    Transform {
        rotation: q,
        translation: std::array::from_fn(|_| rng.signed(2.0) as f32),
        scale: [1.0; 3],
    }
}

fn add_channel(
    rng: &mut Rng,
    stream: &mut RiotStream,
    recipe: &Recipe,
    joint: usize,
    channel: Channel,
) {
    match rng.below(6) {
        0 => {}
        1 => {
            let value = walk(rng, channel, 1)[0];
            stream.constants.push(RiotConstant {
                joint,
                channel,
                value,
            });
        }
        kind => {
            let times = key_times(rng, recipe);
            let values = walk(rng, channel, times.len());
            let keys = times.iter().zip(&values);
            stream.tracks.push(RiotTrack {
                joint,
                channel,
                step: kind == 2,
                range: VectorRange::of(values.iter().map(|v| [v[0], v[1], v[2]])),
                keys: keys
                    .map(|(&time, &value)| RiotKey { time, value })
                    .collect(),
            });
        }
    }
}

/// Increasing times; mostly from the first to the last frame, sometimes neither.
fn key_times(rng: &mut Rng, recipe: &Recipe) -> Vec<u16> {
    let last = match recipe.key_times {
        KeyTimes::Frames => recipe.frames - 1,
        KeyTimes::Normalised => 65535,
    };
    let density = [0.05, 0.3, 0.8][rng.below(3)];
    let mut times: Vec<u16> = (0..recipe.frames)
        .filter(|_| rng.unit() < density)
        .map(|f| (u64::from(f) * u64::from(last) / u64::from((recipe.frames - 1).max(1))) as u16)
        .collect();
    if times.is_empty() || rng.below(4) > 0 {
        times.insert(0, 0);
        times.push(last as u16);
    }
    times.sort_unstable();
    times.dedup();
    times
}

fn walk(rng: &mut Rng, channel: Channel, count: usize) -> Vec<[f64; 4]> {
    let mut value = if channel == Channel::Rotation {
        rng.rotation()
    } else {
        [rng.signed(3.0), rng.signed(3.0), rng.signed(3.0), 0.0]
    };
    let mut values = Vec::new();
    for _ in 0..count {
        values.push(value);
        for v in &mut value {
            *v += rng.signed(0.3);
        }
        if channel == Channel::Rotation {
            let length = value.iter().map(|c| c * c).sum::<f64>().sqrt();
            value = value.map(|c| c / length);
        } else {
            value[3] = 0.0;
        }
    }
    values
}

/// All floats of a pose as bits.
pub fn bits(pose: &[Transform]) -> Vec<u32> {
    let floats = pose.iter().flat_map(|t| {
        let rotation = t.rotation.into_iter();
        rotation.chain(t.translation).chain(t.scale)
    });
    floats.map(f32::to_bits).collect()
}

/// A random small clip through the whole encoder of a deliverable that is a container.
pub fn encoded(rng: &mut Rng, deliverable: Deliverable) -> Vec<u8> {
    let joints = 1 + rng.below(4);
    let frames = 2 + rng.below(12);
    let joint = |j: usize| Joint {
        name: format!("joint_{j}"),
        parent: j.checked_sub(1),
        rest: posepress::math::Transform {
            translation: glam::DVec3::Y * 0.25,
            ..posepress::math::Transform::IDENTITY
        },
        source_index: j,
    };
    let skeleton = Skeleton::new((0..joints).map(joint).collect()).unwrap();
    let mut tracks = Vec::new();
    for joint in 0..joints {
        for channel in Channel::ALL {
            if channel == Channel::Rotation || rng.below(3) > 0 {
                tracks.push(random_track(rng, joint, channel, frames));
            }
        }
    }
    let raw = RawClip {
        name: "walk".to_owned(),
        tracks,
        scalars: vec![],
    };
    let clip = Clip::new(skeleton.into(), raw, &mut Issues::default());
    let settings = Settings {
        deliverable,
        budget: Budget::Skin { target_m: 0.001 },
        ..Settings::default()
    };
    let mut encoder = Encoder::new(clip.into(), 1.0, [9; 32]);
    let made = encoder.encode(&settings, &Control::default()).unwrap();
    match made.payload {
        Payload::Container(bytes) => bytes.to_vec(),
        Payload::Keyframes(_) => panic!("not a container"),
    }
}

/// Whole, in some components, or not at all moving.
fn random_track(rng: &mut Rng, joint: usize, channel: Channel, frames: usize) -> RawTrack {
    let (still, even) = (rng.below(4), rng.below(2) == 0);
    let (from, to) = (rng.rotation(), rng.rotation());
    let mut values = Vec::new();
    for k in 0..frames {
        let u = k as f64 / frames as f64;
        let mut v: Vec<f64> = (0..4)
            .map(|c| from[c] + (to[c] - from[c]) * u * u)
            .collect();
        if channel == Channel::Rotation {
            let length = v.iter().map(|c| c * c).sum::<f64>().sqrt().max(1e-3);
            for c in &mut v {
                *c /= length;
            }
        } else {
            v.truncate(3);
            for c in v.iter_mut().take(still) {
                *c = 0.5;
            }
            if even {
                v = vec![v[2]; 3];
            }
        }
        values.extend(v.iter().map(|&c| c as f32));
    }
    let interpolation =
        [Interpolation::Linear, Interpolation::Step][usize::from(rng.below(5) == 0)];
    RawTrack {
        joint,
        channel,
        curve: RawCurve {
            interpolation,
            times: (0..frames).map(|k| k as f32 / 30.0).collect(),
            values,
        },
    }
}

/// A small clip with float curves of every kind.
pub fn with_curves(rng: &mut Rng) -> Vec<u8> {
    let frames = 40;
    let curve = |interpolation, frames: Vec<f32>, values: Vec<f32>| RawCurve {
        interpolation,
        times: frames.iter().map(|f| f / 30.0).collect(),
        values,
    };
    let every = |value: &mut dyn FnMut(f32) -> f32| {
        let all = (0..frames).map(|f| f as f32);
        let values = all.clone().map(value).collect();
        curve(Interpolation::Linear, all.collect(), values)
    };
    let curves = [
        every(&mut |_| 0.0),
        every(&mut |_| 0.7),
        every(&mut |f| (0.1 * f).sin()),
        every(&mut |f| if f < 20.0 { 0.05 * f } else { 1.0 }),
        every(&mut |_| rng.unit() as f32),
        curve(
            Interpolation::Step,
            vec![0.0, 12.0, 15.0, 30.4],
            vec![0.0, 1.0, 0.0, 0.5],
        ),
        curve(
            Interpolation::Linear,
            vec![2.0, 11.3, 11.6, 38.0],
            vec![0.0, 1.0, 0.25, -2.0],
        ),
    ];
    let names = [
        "face/weights[8]",
        "face/weights[9]",
        "face/weights[10]",
        "jaw",
        "jaw",
        "é7",
        "08",
    ];
    let scalars = curves
        .into_iter()
        .zip(names)
        .map(|(curve, name)| RawScalar {
            name: name.to_owned(),
            curve,
            morph: None,
        });
    let raw = RawClip {
        name: "talk".to_owned(),
        tracks: vec![clips::swing(0, frames)],
        scalars: scalars.collect(),
    };
    let clip = Clip::new(clips::chain(1), raw, &mut Issues::default());
    let mut encoder = Encoder::new(clip.into(), 1.0, [9; 32]);
    let made = encoder.encode(&Settings::default(), &Control::default());
    match made.unwrap().payload {
        Payload::Container(bytes) => bytes.to_vec(),
        Payload::Keyframes(_) => panic!("not a container"),
    }
}
