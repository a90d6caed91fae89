//! What a pose costs: the sampler forward, backward and on jumps, against a plain scalar decoder.
//!
//! The clip is made here: 65 joints, a rotation track each and a root that walks, keys on about a third of the
//! frames. One element of the throughput is one joint of one pose.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use posepress::codec::ContainerWriter;
use posepress::codec::riot::{RiotKey, RiotStream, RiotTrack, VectorRange, encode_rotation_48};
use posepress::runtime::{
    CODEC_RIOT_BLOCKS, Channel, ClipInfo, ClipView, Extent, Sampler, SectionKind, Tangents,
    Transform,
};
use std::hint::black_box;
use std::time::Duration;

const JOINTS: usize = 65;
const SHORT: u32 = 661;
const LONG: u32 = 6610;

/// SplitMix64.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A swing about a slowly turning axis.
fn swing(joint: usize, frame: u32) -> [f64; 4] {
    let (j, t) = (joint as f64, f64::from(frame) / 30.0);
    let (angle, turn) = ((2.0 * t + j).sin() * 0.8, 0.3 * t + j);
    let s = (0.5 * angle).sin();
    [s * turn.cos(), s * turn.sin(), 0.0, (0.5 * angle).cos()]
}

fn key_frames(rng: &mut Rng, frames: u32) -> Vec<u32> {
    (0..frames)
        .filter(|&f| f == 0 || f == frames - 1 || rng.unit() < 0.3)
        .collect()
}

fn make(frames: u32) -> RiotStream {
    let mut rng = Rng(5);
    let mut stream = RiotStream {
        tangents: Tangents::Uniform,
        ..RiotStream::default()
    };
    for joint in 0..JOINTS {
        let keys = key_frames(&mut rng, frames).into_iter().map(|f| RiotKey {
            time: f as u16,
            value: swing(joint, f),
        });
        stream.tracks.push(RiotTrack {
            joint,
            channel: Channel::Rotation,
            step: false,
            range: VectorRange::default(),
            keys: keys.collect(),
        });
    }
    let walk = |f: u32| [0.0, (f64::from(f) * 0.4).sin() * 0.02, f64::from(f) * 0.04];
    let frames = key_frames(&mut rng, frames);
    stream.tracks.push(RiotTrack {
        joint: 0,
        channel: Channel::Translation,
        step: false,
        range: VectorRange::of(frames.iter().map(|&f| walk(f))),
        keys: frames
            .iter()
            .map(|&f| {
                let [x, y, z] = walk(f);
                RiotKey {
                    time: f as u16,
                    value: [x, y, z, 0.0],
                }
            })
            .collect(),
    });
    stream
}

fn view(frames: u32, stream: &RiotStream) -> ClipView<Vec<u8>> {
    file(frames, &[JOINTS], stream.to_bytes().unwrap())
}

/// The same clip with a lower level of detail that has half of the joints.
fn in_blocks(stream: &RiotStream) -> ClipView<Vec<u8>> {
    let half = JOINTS / 2;
    let block = |lower: bool| {
        let mut part = stream.clone();
        part.tracks.retain(|t| (t.joint < half) == lower);
        part.to_bytes().unwrap()
    };
    let blocks = [block(true), block(false)];
    let mut section = vec![CODEC_RIOT_BLOCKS];
    for block in &blocks {
        section.extend((block.len() as u32).to_le_bytes());
    }
    section.extend(blocks.concat());
    file(SHORT, &[JOINTS, half], section)
}

fn file(frames: u32, levels: &[usize], animation: Vec<u8>) -> ClipView<Vec<u8>> {
    let info = ClipInfo {
        name: "bench".to_owned(),
        frames,
        rate_hz: 30.0,
        start_secs: 0.0,
        unit_m: 1.0,
        joints: JOINTS,
        looped: false,
        smooth: false,
        skeleton_hash: [0; 32],
        source_hash: [0; 32],
    };
    let bytes = ContainerWriter::new(&info)
        .unwrap()
        .rest(&[Transform::IDENTITY; JOINTS])
        .levels(&levels.iter().map(|&n| n as u16).collect::<Vec<_>>())
        .section(SectionKind::Animation, animation)
        .finish()
        .unwrap();
    ClipView::from_bytes(bytes).unwrap()
}

/// The plain decoder: for each joint a binary search, four keys, one Catmull-Rom, one normalisation.
struct Scalar {
    tracks: Vec<(Vec<u16>, Vec<[u16; 3]>)>,
}

impl Scalar {
    fn new(stream: &RiotStream) -> Self {
        let rotations = stream
            .tracks
            .iter()
            .filter(|t| t.channel == Channel::Rotation);
        let split = |t: &RiotTrack| {
            let times = t.keys.iter().map(|k| k.time).collect();
            let words = t.keys.iter().map(|k| encode_rotation_48(k.value));
            (times, words.collect())
        };
        Self {
            tracks: rotations.map(split).collect(),
        }
    }

    fn pose(&self, frame: f32, out: &mut [Transform]) {
        for ((times, words), out) in self.tracks.iter().zip(out) {
            let left = search(times, frame);
            let (t0, t1) = (f32::from(times[left]), f32::from(times[left + 1]));
            let u = (frame - t0) / (t1 - t0);
            let key = |k: usize| unpack(words[k]);
            let p1 = key(left);
            let p0 = towards(key(left.saturating_sub(1)), p1);
            let p2 = towards(key(left + 1), p1);
            let p3 = towards(key((left + 2).min(words.len() - 1)), p2);
            let mut q = [0.0; 4];
            for c in 0..4 {
                let a = 3.0 * (p1[c] - p2[c]) + p3[c] - p0[c];
                let b = 2.0 * p0[c] - 5.0 * p1[c] + 4.0 * p2[c] - p3[c];
                q[c] = 0.5 * (((a * u + b) * u + (p2[c] - p0[c])) * u) + p1[c];
            }
            let length = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
            out.rotation = q.map(|c| c / length);
        }
    }
}

/// The last key at or before a frame that has one after it.
fn search(times: &[u16], frame: f32) -> usize {
    let frame = frame as u16;
    let (mut low, mut high) = (0, times.len() - 1);
    // With branches: played forward they are foreseen, and nothing waits for the loads.
    while high - low > 1 {
        let middle = low.midpoint(high);
        if times[middle] <= frame {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

fn unpack(words: [u16; 3]) -> [f32; 4] {
    let bits = u64::from(words[0]) | (u64::from(words[1]) << 16) | (u64::from(words[2]) << 32);
    let field = |shift: u32| {
        ((bits >> shift) & 0x7FFF) as f32 * (std::f32::consts::SQRT_2 / 32767.0)
            - std::f32::consts::FRAC_1_SQRT_2
    };
    let (a, b, c) = (field(30), field(15), field(0));
    let d = (1.0 - a * a - b * b - c * c).max(0.0).sqrt();
    let index = (bits >> 45) & 3;
    let select = |here: bool, then: f32, otherwise: f32| if here { then } else { otherwise };
    [
        select(index == 0, d, a),
        select(index == 1, d, select(index == 0, a, b)),
        select(index == 2, d, select(index < 2, b, c)),
        select(index == 3, d, c),
    ]
}

fn towards(q: [f32; 4], to: [f32; 4]) -> [f32; 4] {
    let dot = q[0] * to[0] + q[1] * to[1] + q[2] * to[2] + q[3] * to[3];
    if dot < 0.0 { q.map(|c| -c) } else { q }
}

/// 60 poses a second over the 30 frames a second of the clip.
fn times() -> Vec<f64> {
    (0..=2 * (SHORT - 1)).map(|i| f64::from(i) / 60.0).collect()
}

fn random_times(frames: u32) -> Vec<f64> {
    let mut rng = Rng(9);
    let length = f64::from(frames - 1) / 30.0;
    (0..500).map(|_| rng.unit() * length).collect()
}

fn decode(c: &mut Criterion) {
    let stream = make(SHORT);
    let (short, long) = (view(SHORT, &stream), view(LONG, &make(LONG)));
    let scalar = Scalar::new(&stream);
    let mut pose = [Transform::IDENTITY; JOINTS];
    let mut group = c.benchmark_group("decode");
    group
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    let forward = times();
    let backward: Vec<f64> = forward.iter().rev().copied().collect();
    group.throughput(Throughput::Elements((forward.len() * JOINTS) as u64));
    group.bench_function("scalar reference", |b| {
        b.iter(|| {
            for &t in &forward {
                scalar.pose((t * 30.0) as f32, &mut pose);
                black_box(&mut pose);
            }
        });
    });
    for (name, times) in [("forward", &forward), ("backward", &backward)] {
        group.bench_function(name, |b| {
            let mut sampler = Sampler::new(&short);
            b.iter(|| play(&mut sampler, &short, times));
        });
    }
    let blocks = in_blocks(&stream);
    for (name, level) in [("forward in two blocks", 0), ("half of the joints", 1)] {
        group.bench_function(name, |b| {
            let mut sampler = Sampler::new(&blocks);
            b.iter(|| {
                for &t in &forward {
                    let sampled = sampler.pose_level(&blocks, t, Extent::Clamp, level, &mut pose);
                    debug_assert!(sampled.is_ok());
                    black_box(&mut pose);
                }
            });
        });
    }
    group.throughput(Throughput::Elements((500 * JOINTS) as u64));
    for (name, view, frames) in [
        ("jumps, 661 frames", &short, SHORT),
        ("jumps, 6610 frames", &long, LONG),
    ] {
        let times = random_times(frames);
        group.bench_function(name, |b| {
            let mut sampler = Sampler::new(view);
            b.iter(|| play(&mut sampler, view, &times));
        });
    }
    let times = random_times(SHORT);
    group.throughput(Throughput::Elements(500));
    group.bench_function("one joint alone", |b| {
        b.iter(|| {
            for &t in &times {
                black_box(short.joint(40, t, Extent::Clamp));
            }
        });
    });
    group.finish();
}

fn play(sampler: &mut Sampler, view: &ClipView<Vec<u8>>, times: &[f64]) {
    let mut pose = [Transform::IDENTITY; JOINTS];
    for &t in times {
        let sampled = sampler.pose(view, t, Extent::Clamp, &mut pose);
        debug_assert!(sampled.is_ok());
        black_box(&mut pose);
    }
}

criterion_group!(benches, decode);
criterion_main!(benches);
