//! Neck, head and a face: brow, nose, ears, a mouth, and eyes that can close.

use super::body::{ACCENT, Detail, INK, SHADE, SHELL};
use super::loft::{Color, Mesh, Ring, Weights};
use super::rig::{HEAD, NECK, SPINE_03, rest};
use super::trig::{cos, sin, smoothstep, turn};
use glam::DVec3;

const CENTER: DVec3 = DVec3::new(0.0, 1.632, 0.014);
const RADII: DVec3 = DVec3::new(0.087, 0.116, 0.099);

pub fn build(mesh: &mut Mesh, detail: Detail) {
    neck(mesh, detail);
    skull(mesh, detail);
    cap(mesh, detail);
    face(mesh, detail);
}

fn neck(mesh: &mut Mesh, detail: Detail) {
    // Height, half width, half depth, middle in depth.
    const NECK_TUBE: [[f64; 4]; 5] = [
        [1.445, 0.058, 0.056, -0.018],
        [1.480, 0.050, 0.050, -0.016],
        [1.520, 0.046, 0.047, -0.010],
        [1.565, 0.047, 0.049, -0.002],
        [1.600, 0.046, 0.050, 0.004],
    ];
    let ring = |&[y, x, z, middle]: &[f64; 4]| {
        let center = DVec3::new(0.0, y, middle);
        Ring::round(center, DVec3::NEG_X * x, DVec3::Z * z, SHADE)
    };
    let rings: Vec<_> = NECK_TUBE.iter().map(ring).collect();
    let joints = [(NECK, rest(NECK).y, 0.03), (HEAD, rest(HEAD).y, 0.035)];
    mesh.tube(&rings, detail.sides(12), |place| {
        Weights::chain(SPINE_03, &joints, place.y)
    });
}

/// Rings from the chin to the crown, shaped where the face is.
fn skull(mesh: &mut Mesh, detail: Detail) {
    let rows = if detail == Detail::Near { 14 } else { 8 };
    let ring = |k: usize| {
        let turns = (k as f64 + 0.3) / (rows as f64 + 0.6) * 0.5;
        let (up, out) = (-cos(turns), sin(turns));
        // The jaw is narrower than the crown, and set forward.
        let jaw = smoothstep(0.15, -0.95, up);
        let brow = smoothstep(0.0, 0.18, up) * smoothstep(0.42, 0.2, up);
        let socket = smoothstep(-0.32, -0.06, up) * smoothstep(0.14, 0.02, up);
        let front = 1.0 - 0.03 * jaw + 0.035 * brow - 0.035 * socket;
        let back = 1.08 - 0.32 * jaw;
        Ring {
            center: CENTER + DVec3::new(0.0, RADII.y * up, 0.010 * jaw),
            u: DVec3::NEG_X * (RADII.x * out * (1.0 - 0.10 * jaw)),
            v: DVec3::Z * (RADII.z * out * front),
            back: back / front,
            square: 0.12,
            color: SHELL,
        }
    };
    let rings: Vec<_> = (0..=rows).map(ring).collect();
    mesh.tube(&rings, detail.sides(18), |_| Weights::one(HEAD));
}

/// What it wears on its crown: a shell around the skull, open at the face.
fn cap(mesh: &mut Mesh, detail: Detail) {
    let first = mesh.vertices.len();
    // From afar both shells are coarse, and need more room between them.
    let (rows, room) = if detail == Detail::Near {
        (7, 1.0)
    } else {
        (4, 1.04)
    };
    let radii = DVec3::new(0.0935, 0.1215, 0.1115) * room;
    let rim = Ring::round(DVec3::ZERO, DVec3::NEG_X * 0.9, DVec3::Z * 0.9, SHADE);
    let row = |k: usize| {
        let turns = (k as f64 + 0.15) / (rows as f64 + 0.3) * 0.25;
        let out = cos(turns);
        Ring::round(
            DVec3::Y * sin(turns),
            DVec3::NEG_X * out,
            DVec3::Z * out,
            SHADE,
        )
    };
    let rings: Vec<_> = std::iter::once(rim).chain((0..=rows).map(row)).collect();
    mesh.tube(&rings, detail.sides(16), |_| Weights::one(HEAD));
    let tilt = turn(DVec3::X, -29.0);
    for vertex in &mut mesh.vertices[first..] {
        vertex.place = CENTER + radii * (tilt * vertex.place);
        vertex.normal = (tilt * vertex.normal / radii).normalize();
    }
}

/// Two eyes, and where their vertices go when they close.
pub fn eyes(detail: Detail) -> Mesh {
    let mut mesh = Mesh::default();
    for x in [-1.0, 1.0] {
        let first = mesh.vertices.len();
        let eye = CENTER + DVec3::new(0.034 * x, -0.006, 0.0855);
        blob(
            &mut mesh,
            eye,
            DVec3::new(0.0115, 0.0165, 0.0085),
            detail.sides(10),
            INK,
        );
        for vertex in &mut mesh.vertices[first..] {
            let height = vertex.place.y - eye.y;
            vertex.blink = DVec3::new(0.0, -0.9 * height - 0.004, 0.0);
        }
    }
    mesh
}

fn face(mesh: &mut Mesh, detail: Detail) {
    for x in [-1.0, 1.0] {
        let ear = CENTER + DVec3::new(0.086 * x, -0.008, -0.008);
        blob(
            mesh,
            ear,
            DVec3::new(0.013, 0.030, 0.024),
            detail.sides(10),
            SHADE,
        );
        let disc = CENTER + DVec3::new(0.0945 * x, -0.008, -0.008);
        blob(
            mesh,
            disc,
            DVec3::new(0.0075, 0.015, 0.012),
            detail.sides(8),
            ACCENT,
        );
    }
    let nose = CENTER + DVec3::new(0.0, -0.029, 0.095);
    blob(
        mesh,
        nose,
        DVec3::new(0.0105, 0.0145, 0.0125),
        detail.sides(8),
        SHELL,
    );
    let first = mesh.vertices.len();
    let mouth = CENTER + DVec3::new(0.0, -0.064, 0.0865);
    blob(
        mesh,
        mouth,
        DVec3::new(0.021, 0.0032, 0.006),
        detail.sides(10),
        INK,
    );
    for vertex in &mut mesh.vertices[first..] {
        let x = vertex.place.x;
        vertex.place += DVec3::new(0.0, 14.0 * x * x, -9.0 * x * x);
    }
}

fn blob(mesh: &mut Mesh, center: DVec3, radii: DVec3, sides: usize, color: Color) {
    let steps = (sides / 2).max(4);
    let ring = |k: usize| {
        let turns = (k as f64 + 0.25) / (steps as f64 + 0.5) * 0.5;
        let out = sin(turns);
        let middle = center - DVec3::Y * (radii.y * cos(turns));
        Ring::round(
            middle,
            DVec3::NEG_X * (radii.x * out),
            DVec3::Z * (radii.z * out),
            color,
        )
    };
    let rings: Vec<_> = (0..=steps).map(ring).collect();
    mesh.tube(&rings, sides, |_| Weights::one(HEAD));
}
