//! Files of each released format version: they must be read for ever, and written the same.

mod support;

use posepress::codec::riot::{
    KeyTimes, RiotConstant, RiotKey, RiotStream, RiotTrack, RotationBits, VectorRange,
};
use posepress::codec::{ContainerWriter, Deliverable, ScalarCurve};
use posepress::model::{Joint, Skeleton};
use posepress::runtime::{
    Channel, ClipInfo, ClipView, Error, Extent, Sampler, SectionKind, Tangents, Transform, crc32,
};
use std::fmt::Write as _;
use std::path::PathBuf;
use support::{Rng, encoded, info};

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

/// The three files of version 1: between them every section, flag, key form and track kind.
fn version_1() -> [(&'static str, Vec<u8>); 3] {
    [
        ("full.ppc", full()),
        ("smooth.ppc", smooth()),
        ("bare.ppc", bare()),
    ]
}

/// Files that an encoder of version 1 made once: later encoders may find better bytes, players must read these.
const ENCODED: [&str; 2] = ["uniform.ppc", "curves.ppc"];

/// Every recorded file of version 1.
fn recorded() -> Vec<(&'static str, Vec<u8>)> {
    let names = version_1().map(|(name, _)| name).into_iter().chain(ENCODED);
    let read = |name| std::fs::read(golden(name)).unwrap();
    names.map(|name| (name, read(name))).collect()
}

fn turn(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let [x, y, z] = axis.map(|c| c * (0.5 * angle).sin());
    [x, y, z, (0.5 * angle).cos()]
}

fn track(joint: usize, channel: Channel, step: bool, keys: Vec<(u16, [f64; 4])>) -> RiotTrack {
    let vectors = keys.iter().map(|(_, v)| [v[0], v[1], v[2]]);
    RiotTrack {
        joint,
        channel,
        step,
        range: VectorRange::of(vectors),
        keys: keys
            .into_iter()
            .map(|(time, value)| RiotKey { time, value })
            .collect(),
    }
}

fn full() -> Vec<u8> {
    let info = ClipInfo {
        name: "Überholen".to_owned(),
        ..info(3, 31)
    };
    let (x, z) = ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]);
    let stream = RiotStream {
        tangents: Tangents::Parabolic,
        tracks: vec![
            track(
                0,
                Channel::Rotation,
                false,
                vec![
                    (0, turn(z, 0.0)),
                    (7, turn(z, 1.0)),
                    (12, turn(z, -0.5)),
                    (30, turn(z, 2.0)),
                ],
            ),
            track(
                1,
                Channel::Rotation,
                true,
                vec![(0, turn(x, 0.2)), (15, turn(x, 1.2))],
            ),
            track(
                0,
                Channel::Translation,
                false,
                vec![
                    (0, [0.0, 1.0, 0.0, 0.0]),
                    (10, [2.0, 1.5, 0.1, 0.0]),
                    (30, [5.0, 1.0, -1.0, 0.0]),
                ],
            ),
        ],
        constants: vec![
            RiotConstant {
                joint: 2,
                channel: Channel::Rotation,
                value: turn(x, 2.5),
            },
            RiotConstant {
                joint: 2,
                channel: Channel::Scale,
                value: [1.0, 2.0, -1.0, 0.0],
            },
        ],
        ..RiotStream::default()
    };
    let joint = |name: &str, parent, source_index| Joint {
        name: name.to_owned(),
        parent,
        rest: posepress::math::Transform::IDENTITY,
        source_index,
    };
    let skeleton = Skeleton::new(vec![
        joint("hips", None, 4),
        joint("spine", Some(0), 5),
        joint("tail", Some(0), 9),
    ])
    .unwrap();
    let mut rest = [Transform::IDENTITY; 3];
    rest[1].translation = [0.0, 0.5, 0.0];
    ContainerWriter::new(&info)
        .and_then(|w| w.skeleton(&skeleton))
        .unwrap()
        .rest(&rest)
        .order(&[0, 2, 1])
        .section(SectionKind::Animation, stream.to_bytes().unwrap())
        .scalars(&[
            ScalarCurve {
                name: "blink".to_owned(),
                step: true,
                times: Some(vec![0.25, 0.75]),
                values: vec![0.0, 1.0],
            },
            ScalarCurve {
                name: "smile".to_owned(),
                step: false,
                times: None,
                values: (0..31_u8).map(|f| f32::from(f) / 30.0).collect(),
            },
        ])
        .unwrap()
        .meta("{\"tool\":\"golden\"}")
        .finish()
        .unwrap()
}

fn smooth() -> Vec<u8> {
    let mut rng = Rng(77);
    let info = ClipInfo {
        smooth: true,
        looped: true,
        ..info(2, 41)
    };
    let mut keys = |count: u16| -> Vec<(u16, [f64; 4])> {
        (0..count)
            .map(|k| (k * (65535 / (count - 1)), rng.rotation()))
            .collect()
    };
    let stream = RiotStream {
        tangents: Tangents::Centripetal,
        rotation_bits: RotationBits::Bits32,
        key_times: KeyTimes::Normalised,
        tracks: vec![
            track(0, Channel::Rotation, false, keys(6)),
            track(1, Channel::Rotation, false, keys(2)),
            track(1, Channel::Scale, false, keys(4)),
            track(0, Channel::Scale, true, keys(16)),
        ],
        ..RiotStream::default()
    };
    ContainerWriter::new(&info)
        .unwrap()
        .rest(&[Transform::IDENTITY; 2])
        .section(SectionKind::Animation, stream.to_bytes().unwrap())
        .other(*b"next", b"of a version to come".to_vec())
        .finish()
        .unwrap()
}

fn bare() -> Vec<u8> {
    let key = |f: u16| {
        let t = f64::from(f);
        (f, [t.sin(), t.cos(), 0.1 * t, 0.0])
    };
    let stream = RiotStream {
        tangents: Tangents::Uniform,
        tracks: vec![track(
            1,
            Channel::Translation,
            false,
            (0..9).map(key).collect(),
        )],
        ..RiotStream::default()
    };
    ContainerWriter::new(&info(2, 9))
        .unwrap()
        .section(SectionKind::Animation, stream.to_bytes().unwrap())
        .finish()
        .unwrap()
}

/// Poses at a few times, as text.
fn poses(bytes: &[u8]) -> String {
    let mut view = ClipView::from_bytes(bytes).unwrap();
    if view.rest().is_empty() {
        view.attach_rest(&vec![Transform::IDENTITY; view.info().joints])
            .unwrap();
    }
    let mut sampler = Sampler::new(&view);
    let mut pose = vec![Transform::IDENTITY; view.info().joints];
    let mut text = String::new();
    for frame in [-1.0, 0.0, 2.25, 7.0, 7.75, 11.5, 15.0, 28.125, 40.0, 90.0] {
        for extent in [Extent::Clamp, Extent::Wrap] {
            let secs = view.info().secs(frame);
            sampler.pose(&view, secs, extent, &mut pose).unwrap();
            for (joint, t) in pose.iter().enumerate() {
                writeln!(
                    text,
                    "{frame} {extent:?} {joint} {:?} {:?} {:?}",
                    t.rotation, t.translation, t.scale
                )
                .unwrap();
            }
            for scalar in 0..view.scalar_names().len() {
                let value = view.scalar(scalar, secs, extent).unwrap();
                writeln!(text, "{frame} {extent:?} scalar {scalar} {value:?}").unwrap();
            }
        }
    }
    text
}

/// Run when a codec is new; what is recorded stays.
#[test]
#[ignore = "writes golden files that are not there yet"]
fn write_golden_files() {
    let encoded = [
        ("uniform.ppc", encoded(&mut Rng(21), Deliverable::Uniform)),
        ("curves.ppc", support::with_curves(&mut Rng(31))),
    ];
    for (name, bytes) in version_1().into_iter().chain(encoded) {
        if golden(name).exists() {
            continue;
        }
        std::fs::write(golden(name), &bytes).unwrap();
        std::fs::write(golden(&name.replace(".ppc", ".poses.txt")), poses(&bytes)).unwrap();
    }
}

#[test]
fn files_of_version_1_play_as_they_did() {
    for (name, bytes) in recorded() {
        assert!(bytes.len() <= 2048, "{name} has {} bytes", bytes.len());
        let expected = std::fs::read_to_string(golden(&name.replace(".ppc", ".poses.txt")));
        let (expected, played) = (expected.unwrap(), poses(&bytes));
        assert_eq!(expected.lines().count(), played.lines().count(), "{name}");
        for (expected, played) in expected.lines().zip(played.lines()) {
            assert!(same(expected, played), "{name}\n{expected}\n{played}");
        }
    }
}

#[test]
fn the_same_clip_gives_the_same_bytes() {
    for (name, bytes) in version_1() {
        assert!(bytes == std::fs::read(golden(name)).unwrap(), "{name}");
    }
}

/// Equal but for rounding: a faster player may compute in another order.
fn same(expected: &str, played: &str) -> bool {
    let words = |line: &str| -> Vec<String> {
        line.split_whitespace()
            .map(|w| w.trim_matches(['[', ']', ',']).to_owned())
            .collect()
    };
    let (expected, played) = (words(expected), words(played));
    expected.len() == played.len()
        && expected
            .iter()
            .zip(&played)
            .all(|(e, p)| match (e.parse::<f64>(), p.parse::<f64>()) {
                (Ok(e), Ok(p)) => (e - p).abs() <= 3e-6,
                _ => e == p,
            })
}

/// Byte by byte after the specification, without the writer.
#[test]
fn a_file_put_together_by_hand_plays() {
    let mut clip = vec![2, 0, b'h', b'i'];
    clip.extend(5_u32.to_le_bytes());
    clip.extend(10.0_f64.to_le_bytes());
    clip.extend(0.0_f64.to_le_bytes());
    clip.extend(0.01_f64.to_le_bytes());
    clip.extend([1, 0]);
    clip.extend([0; 64]);
    let mut rest = Vec::new();
    for v in [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0] {
        rest.extend(v.to_le_bytes());
    }
    // Codec riot, parabolic tangents; 2 smooth tracks, no step track, 1 constant, 5 keys.
    let mut anim = vec![1, 2, 2, 0, 0, 0, 1, 0, 5, 0, 0, 0];
    // Rotation and translation of joint 0.
    anim.extend([0x00, 0x00, 0x00, 0x40]);
    for v in [-1.0_f32, 0.0, 10.0, 2.0, 0.0, 0.0] {
        anim.extend(v.to_le_bytes());
    }
    // Scale of joint 0.
    anim.extend([0x00, 0x80]);
    for v in [3.0_f32, 4.0, 5.0] {
        anim.extend(v.to_le_bytes());
    }
    // Rotation: w dropped, x = sqrt(1/2), y = z = half a step off zero; then the same with z.
    let field = |x: u64, y: u64, z: u64| ((3 << 45) | (x << 30) | (y << 15) | z).to_le_bytes();
    for (time, bits) in [
        (0_u16, field(32767, 16384, 16384)),
        (4, field(16384, 16384, 32767)),
    ] {
        anim.extend(time.to_le_bytes());
        anim.extend([0x00, 0x00]);
        anim.extend(&bits[..6]);
    }
    for (time, x) in [(0_u16, 0_u16), (2, 65535), (4, 0)] {
        anim.extend(time.to_le_bytes());
        anim.extend([0x00, 0x40]);
        anim.extend(x.to_le_bytes());
        anim.extend([0; 4]);
    }
    let mut file = vec![
        0x8B, b'P', b'P', b'C', 13, 10, 26, 10, 1, 0, 0, 0, 3, 0, 0, 0,
    ];
    let sections: [(&[u8; 4], &Vec<u8>); 3] =
        [(b"clip", &clip), (b"rest", &rest), (b"anim", &anim)];
    let length = 24 + 36 + sections.iter().map(|(_, s)| s.len() + 4).sum::<usize>();
    file.extend((length as u32).to_le_bytes());
    let mut offset = 24 + 36;
    for (fourcc, payload) in sections {
        file.extend(fourcc);
        file.extend((offset as u32).to_le_bytes());
        file.extend((payload.len() as u32 + 4).to_le_bytes());
        offset += payload.len() + 4;
    }
    file.extend(crc32(&file).to_le_bytes());
    for (_, payload) in sections {
        file.extend(payload);
        file.extend(crc32(payload).to_le_bytes());
    }
    let view = ClipView::from_bytes(file).unwrap();
    assert_eq!(view.info().name, "hi");
    let close = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let start = view.joint(0, 0.0, Extent::Clamp);
    assert!(close(&start.rotation, &[half, 0.0, 0.0, half]), "{start:?}");
    assert!(close(&start.translation, &[-1.0, 0.0, 10.0]));
    assert_eq!(start.scale, [3.0, 4.0, 5.0]);
    // The parabola through -1, 1, -1 leaves the first key along the chord.
    let middle = view.joint(0, 0.2, Extent::Clamp);
    assert!(close(&middle.translation, &[1.0, 0.0, 10.0]));
    let third = 1.0_f32 / 6.0_f32.sqrt();
    assert!(
        close(&middle.rotation, &[third, 0.0, third, 2.0 * third]),
        "{middle:?}"
    );
    let end = view.joint(0, 0.4, Extent::Clamp);
    assert!(close(&end.rotation, &[0.0, 0.0, half, half]));
}

fn typed_error(bytes: &[u8], what: &str) -> Error {
    match ClipView::from_bytes(bytes) {
        Ok(_) => panic!("accepted: {what}"),
        Err(error) => error,
    }
}

#[test]
fn every_corrupted_byte_is_refused() {
    for (name, good) in recorded() {
        let mut bytes = good.clone();
        for at in 0..bytes.len() {
            for flip in 1..=255 {
                bytes[at] = good[at] ^ flip;
                typed_error(&bytes, &format!("{name}, byte {at} ^ {flip}"));
            }
            bytes[at] = good[at];
        }
    }
}

#[test]
fn every_truncation_and_every_trailing_byte_is_refused() {
    for (name, good) in recorded() {
        for length in 0..good.len() {
            let error = typed_error(&good[..length], &format!("{name}, {length} bytes"));
            assert!(
                matches!(error, Error::Truncated { .. }),
                "{name}, {length}: {error}"
            );
        }
        for fill in [0, 0xFF, 0x8B] {
            for extra in 1..=16 {
                let mut bytes = good.clone();
                bytes.resize(good.len() + extra, fill);
                let error = typed_error(&bytes, &format!("{name}, {extra} more bytes"));
                assert!(matches!(error, Error::TrailingBytes { .. }), "{error}");
            }
        }
    }
}

#[test]
fn errors_say_where_and_what_to_do() {
    let good = full();
    let mut newer = good.clone();
    newer[8] = 2;
    assert_eq!(typed_error(&newer, "version"), Error::UnsupportedVersion(2));
    let mut bytes = good.clone();
    let last = bytes.len() - 6;
    bytes[last] ^= 1;
    let text = typed_error(&bytes, "meta").to_string();
    assert!(
        text.contains("section meta at byte") && text.contains("export it again"),
        "{text}"
    );
    let text = typed_error(b"glTF....", "magic").to_string();
    assert!(text.contains("not a .ppc file"), "{text}");
    // Newlines rewritten on the way.
    let text: Vec<u8> = good.iter().copied().filter(|&b| b != 13).collect();
    assert_eq!(typed_error(&text, "newlines"), Error::NotAClip);
}
