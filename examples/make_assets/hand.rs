//! The left hand: a palm and five fingers, or a mitten from afar.

use super::body::{Detail, SHELL};
use super::loft::{Mesh, Ring, Weights};
use super::rig::{FINGER, FINGERS, HAND, PALM, finger_axis, in_hand, rest};
use glam::DVec3;

pub fn build(mesh: &mut Mesh, detail: Detail) {
    palm(mesh, detail);
    if detail == Detail::Near {
        for finger in 0..5 {
            build_finger(mesh, finger);
        }
    } else {
        mitten(mesh);
    }
}

fn ring([along, toward_thumb, back]: [f64; 3], wide: f64, thick: f64) -> Ring {
    let center = rest(HAND) + in_hand([along, toward_thumb, back]);
    Ring {
        square: 0.35,
        ..Ring::round(center, DVec3::NEG_Z * wide, PALM * -thick, SHELL)
    }
}

fn palm(mesh: &mut Mesh, detail: Detail) {
    // Along the hand, half width, half thickness, toward the thumb.
    const PALM_TUBE: [[f64; 4]; 8] = [
        [-0.012, 0.012, 0.010, 0.000],
        [-0.004, 0.024, 0.018, 0.000],
        [0.018, 0.031, 0.019, 0.003],
        [0.045, 0.038, 0.018, 0.002],
        [0.070, 0.041, 0.016, 0.000],
        [0.088, 0.039, 0.014, -0.001],
        [0.097, 0.034, 0.011, -0.001],
        [0.101, 0.020, 0.006, -0.001],
    ];
    let rings: Vec<_> = PALM_TUBE
        .iter()
        .map(|&[s, wide, thick, thumb]| ring([s, thumb, 0.0], wide, thick))
        .collect();
    mesh.tube(&rings, detail.sides(10), |_| Weights::one(HAND));
}

fn build_finger(mesh: &mut Mesh, finger: usize) {
    const RADII: [f64; 5] = [0.0092, 0.0096, 0.0092, 0.0082, 0.0108];
    const SIDES: usize = 6;
    let (start, [first, second, third]) = FINGER[finger];
    let (axis, radius) = (finger_axis(finger), RADII[finger]);
    let root = rest(HAND) + in_hand(start);
    let v = (-PALM - axis * axis.dot(-PALM)).normalize();
    let u = v.cross(axis);
    let (b, c, tip) = (first, first + second, first + second + third);
    let shape = [
        (-0.016, 0.86),
        (0.000, 1.06),
        (b, 1.0),
        (c, 0.90),
        (c + 0.6 * third, 0.82),
        (tip - 0.003, 0.52),
        (tip, 0.22),
    ];
    let rings: Vec<_> = shape
        .iter()
        .map(|&(s, r)| Ring::round(root + axis * s, u * (radius * r), v * (radius * r), SHELL))
        .collect();
    let joint = FINGERS + 3 * finger;
    let joints = [
        (joint, 0.0, 0.010),
        (joint + 1, b, 0.007),
        (joint + 2, c, 0.006),
    ];
    mesh.tube(&rings, SIDES, |place| {
        Weights::chain(HAND, &joints, (place - root).dot(axis))
    });
}

fn mitten(mesh: &mut Mesh) {
    // Along the hand, half width, half thickness, toward the palm.
    const MITT: [[f64; 4]; 5] = [
        [0.080, 0.034, 0.013, 0.000],
        [0.110, 0.038, 0.013, 0.004],
        [0.145, 0.033, 0.012, 0.012],
        [0.172, 0.024, 0.010, 0.022],
        [0.182, 0.010, 0.006, 0.027],
    ];
    let rings: Vec<_> = MITT
        .iter()
        .map(|&[s, wide, thick, curl]| ring([s, 0.0, -curl], wide, thick))
        .collect();
    mesh.tube(&rings, 6, |_| Weights::one(HAND));
    let (start, lengths) = FINGER[4];
    let axis = finger_axis(4);
    let v = (-PALM - axis * axis.dot(-PALM)).normalize();
    let length: f64 = lengths.iter().sum();
    let rings =
        [(-0.01, 0.010), (0.3, 0.011), (0.8, 0.009), (1.0, 0.003)].map(|(s, r): (f64, f64)| {
            let center = rest(HAND) + in_hand(start) + axis * (s * length);
            Ring::round(center, v.cross(axis) * r, v * r, SHELL)
        });
    mesh.tube(&rings, 6, |_| Weights::one(HAND));
}
