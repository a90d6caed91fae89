//! `sample`: the array that a judge reads.

use crate::asset::{FRAMES, RATE_HZ, gltf, hip_height, walk};
use crate::run::{Room, room_with_mannequin};

/// A NumPy array of 3 x 4 matrices.
struct Poses {
    shape: Vec<usize>,
    values: Vec<f32>,
}

impl Poses {
    /// Reads it as NumPy does: magic, version, length of the header, a Python literal, the values.
    fn read(room: &Room, name: &str) -> Self {
        let bytes = room.bytes(name);
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
        let length = u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
        assert_eq!((10 + length) % 64, 0);
        let header = std::str::from_utf8(&bytes[10..10 + length]).expect("a text");
        assert!(header.ends_with('\n'));
        assert!(header.contains("'descr': '<f4'") && header.contains("'fortran_order': False"));
        let shape = header.split(['(', ')']).nth(1).expect("a tuple");
        let shape = shape.split(',').map(str::trim).filter(|n| !n.is_empty());
        let shape: Vec<usize> = shape.map(|n| n.parse().expect("a number")).collect();
        let values: Vec<f32> = bytes[10 + length..]
            .chunks_exact(4)
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        assert_eq!(values.len(), shape.iter().product::<usize>());
        assert!(values.iter().all(|v| v.is_finite()));
        Self { shape, values }
    }

    fn row(&self, sample: usize, joint: usize, row: usize) -> &[f32] {
        let at = ((sample * self.shape[1] + joint) * 3 + row) * 4;
        &self.values[at..at + 4]
    }

    /// Where a joint stands.
    fn place(&self, sample: usize, joint: usize) -> [f32; 3] {
        [0, 1, 2].map(|r| self.row(sample, joint, r)[3])
    }
}

/// Joints in the order of the file's nodes.
const FOOT: usize = 0;
const KNEE: usize = 1;
const HIP: usize = 2;

fn walking() -> Room {
    let room = Room::new();
    room.write("w.gltf", gltf(&[("Walk", walk())]));
    room
}

#[test]
fn a_source_has_its_frames_in_the_order_of_its_nodes() {
    let room = walking();
    room.ok("sample w.gltf -o s.npy");
    let poses = Poses::read(&room, "s.npy");
    assert_eq!(poses.shape, [FRAMES, 3, 3, 4]);
    for frame in [0, 7, FRAMES - 1] {
        let [x, y, z] = poses.place(frame, HIP);
        assert!(x.abs() < 1e-6 && (y - hip_height(frame)).abs() < 1e-5);
        assert!((z - frame as f32 * 0.03).abs() < 1e-5);
    }
    // Frame 0: the leg hangs straight down.
    assert!((poses.place(0, KNEE)[1] - 0.5).abs() < 1e-6);
    assert!(poses.place(0, FOOT)[1].abs() < 1e-6);
    // The knee turns about X: its matrix, row by row, is that turn.
    let half = 0.8_f32 * (5.0_f32 * 0.4).sin() * 0.5;
    let (sin, cos) = (2.0 * half).sin_cos();
    for (row, want) in [[1.0, 0.0, 0.0], [0.0, cos, -sin], [0.0, sin, cos]]
        .iter()
        .enumerate()
    {
        let got = &poses.row(5, KNEE, row)[..3];
        assert!(
            got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-5),
            "{got:?} {want:?}"
        );
    }
}

#[test]
fn local_space_leads_to_the_parent() {
    let room = walking();
    room.ok("sample w.gltf -o s.npy --space local");
    let poses = Poses::read(&room, "s.npy");
    for frame in 0..FRAMES {
        assert_eq!(poses.place(frame, KNEE), [0.0, -0.5, 0.0]);
    }
    assert!((poses.place(4, HIP)[1] - hip_height(4)).abs() < 1e-5);
}

#[test]
fn more_samples_a_frame_hit_every_frame_again() {
    let room = walking();
    room.ok("sample w.gltf -o one.npy");
    room.ok("sample w.gltf -o four.npy --rate-mul 4");
    let (one, four) = (
        Poses::read(&room, "one.npy"),
        Poses::read(&room, "four.npy"),
    );
    assert_eq!(four.shape, [4 * (FRAMES - 1) + 1, 3, 3, 4]);
    for frame in 0..FRAMES {
        for joint in 0..3 {
            let (a, b) = (one.place(frame, joint), four.place(4 * frame, joint));
            assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6));
        }
    }
    // Half-way between two keys of a LINEAR translation.
    let middle = f32::midpoint(hip_height(3), hip_height(4));
    assert!((four.place(14, HIP)[1] - middle).abs() < 1e-5);
}

#[test]
fn a_container_is_sampled_where_its_source_is() {
    let room = walking();
    for (settings, limit_m) in [("--target 0.5mm", 0.0005), ("--target 20mm --smooth", 0.02)] {
        room.ok(&format!("compress w.gltf -o w.ppc {settings}"));
        room.ok("sample w.gltf -o s.npy");
        room.ok("sample w.ppc -o c.npy");
        let (source, compressed) = (Poses::read(&room, "s.npy"), Poses::read(&room, "c.npy"));
        assert_eq!(source.shape, compressed.shape);
        let far = source.values.iter().zip(&compressed.values);
        let far = far.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(far > 0.0 && far < limit_m / 0.03 * 1.5, "{far}");
        for (frame, joint) in (0..FRAMES).flat_map(|f| (0..3).map(move |j| (f, j))) {
            let (a, b) = (source.place(frame, joint), compressed.place(frame, joint));
            assert!(
                a.iter().zip(b).all(|(a, b)| (a - b).abs() < limit_m),
                "{frame} {joint}"
            );
        }
    }
    assert_eq!(room.run("sample w.ppc -o c.npy --clip Walk").code, 0);
    assert_eq!(room.run("sample w.ppc -o c.npy --clip 0").code, 0);
}

#[test]
fn metres_come_out_whatever_the_unit() {
    let room = walking();
    room.ok("sample w.gltf -o s.npy --unit 0.01");
    let source = Poses::read(&room, "s.npy");
    assert!((source.place(0, HIP)[1] - 0.01).abs() < 1e-7);
    room.ok("compress w.gltf -o w.ppc --unit 0.01");
    room.ok("sample w.ppc -o by_itself.npy");
    room.ok("sample w.ppc -o given.npy --unit 0.01");
    assert_eq!(room.bytes("by_itself.npy"), room.bytes("given.npy"));
    let compressed = Poses::read(&room, "by_itself.npy");
    assert!((compressed.place(0, HIP)[1] - 0.01).abs() < 2e-3);
    // Turns have no unit.
    assert!((compressed.row(0, HIP, 0)[0] - 1.0).abs() < 1e-4);
}

#[test]
fn an_array_that_no_disk_holds_is_refused() {
    let room = Room::new();
    let mut curves = walk();
    curves[0].times = (0..FRAMES)
        .map(|k| (k * 4000) as f32 / RATE_HZ as f32)
        .collect();
    room.write("w.gltf", gltf(&[("Walk", curves)]));
    let text = room.fails(1, "sample w.gltf -o s.npy --rate-mul 1000");
    assert!(text.contains("smaller --rate-mul"), "{text}");
}

#[test]
fn the_bundled_clips_are_sampled() {
    let room = room_with_mannequin();
    room.ok("sample m.glb -o s.npy --clip Turn_90 --rate-mul 2");
    assert_eq!(Poses::read(&room, "s.npy").shape, [85, 69, 3, 4]);
}
