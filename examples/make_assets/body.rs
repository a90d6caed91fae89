//! The mesh: tubes around the bones, each a list of rings, with smooth weights along it.

use super::rig::{
    BALL, CALF, CLAVICLE, FOOT, HAND, HEAD, JOINTS, LOWERARM, NECK, PELVIS, SIDE, SPINE_01,
    SPINE_03, THIGH, UPPERARM, rest, sign,
};
use super::trig::{cos, sin, smoothstep};
use glam::DVec3;

type Color = [u8; 3];
/// Linear colours.
const SKIN: Color = [196, 118, 78];
const SHIRT: Color = [22, 108, 118];
const TROUSERS: Color = [22, 27, 44];
const SHOES: Color = [150, 52, 18];
const HAIR: Color = [26, 13, 8];
const EYE: Color = [6, 6, 9];

#[derive(Default)]
pub struct Mesh {
    pub positions: Vec<DVec3>,
    pub normals: Vec<DVec3>,
    pub colors: Vec<Color>,
    /// Two joints and the weight of the second.
    pub skin: Vec<(usize, usize, f64)>,
    pub triangles: Vec<[usize; 3]>,
}

/// An ellipse of a tube: half axes `u` and `v`; `u x v` points along the tube.
#[derive(Clone, Copy)]
struct Ring {
    center: DVec3,
    u: DVec3,
    v: DVec3,
    skin: (usize, usize, f64),
    color: Color,
    /// Flattens the side of `-v`, for soles.
    flat: bool,
}

pub fn build() -> Mesh {
    let mut mesh = Mesh::default();
    torso(&mut mesh);
    neck(&mut mesh);
    head(&mut mesh);
    for side in [0, SIDE] {
        leg(&mut mesh, side);
        foot(&mut mesh, side);
        arm(&mut mesh, side);
        hand(&mut mesh, side);
    }
    mesh
}

/// Interpolates stations `[along, numbers ...]` with Catmull-Rom to `steps` rings a section.
fn stations<const N: usize>(table: &[[f64; N]], steps: usize) -> Vec<[f64; N]> {
    let at = |i: usize| table[i.min(table.len() - 1)];
    let mut out = Vec::new();
    for i in 0..table.len() - 1 {
        let (a, b, c, d) = (at(i.saturating_sub(1)), at(i), at(i + 1), at(i + 2));
        for s in 0..steps {
            let u = s as f64 / steps as f64;
            out.push(std::array::from_fn(|k| {
                super::trig::hermite(b[k], (c[k] - a[k]) / 2.0, c[k], (d[k] - b[k]) / 2.0, u)
            }));
        }
    }
    out.push(at(table.len() - 1));
    out
}

/// Weights along a chain of `(joint, where it begins)`, blended over `reach` on either side of a joint.
fn chain(s: f64, joints: &[(usize, f64)], reach: f64) -> (usize, usize, f64) {
    for pair in joints.windows(2) {
        let [(a, _), (b, start)] = [pair[0], pair[1]];
        if s < start + reach {
            return (a, b, smoothstep(start - reach, start + reach, s));
        }
    }
    let last = joints[joints.len() - 1].0;
    (last, last, 0.0)
}

fn tube(mesh: &mut Mesh, rings: &[Ring], sides: usize) {
    let base = mesh.positions.len();
    for ring in rings {
        for k in 0..sides {
            let turns = k as f64 / sides as f64;
            let mut up = sin(turns);
            if ring.flat && up < 0.0 {
                up = (1.6 * up).max(-1.0);
            }
            vertex(mesh, ring.center + ring.u * cos(turns) + ring.v * up, ring);
        }
    }
    for r in 0..rings.len() - 1 {
        for k in 0..sides {
            let next = (k + 1) % sides;
            let (a, b) = (base + r * sides + k, base + r * sides + next);
            mesh.triangles.push([a, b, b + sides]);
            mesh.triangles.push([a, b + sides, a + sides]);
        }
    }
    for (r, end) in [(0, false), (rings.len() - 1, true)] {
        let pole = mesh.positions.len();
        vertex(mesh, rings[r].center, &rings[r]);
        for k in 0..sides {
            let (a, b) = (base + r * sides + k, base + r * sides + (k + 1) % sides);
            mesh.triangles
                .push(if end { [a, b, pole] } else { [b, a, pole] });
        }
    }
    smooth_normals(mesh, base);
}

fn vertex(mesh: &mut Mesh, place: DVec3, ring: &Ring) {
    mesh.positions.push(place);
    mesh.colors.push(ring.color);
    mesh.skin.push(ring.skin);
}

/// Normals of the vertices from `base` on, from the areas of the triangles around them.
fn smooth_normals(mesh: &mut Mesh, base: usize) {
    mesh.normals.resize(mesh.positions.len(), DVec3::ZERO);
    for t in mesh.triangles.iter().filter(|t| t[0] >= base) {
        let [a, b, c] = t.map(|i| mesh.positions[i]);
        let area = (b - a).cross(c - a);
        for &i in t {
            mesh.normals[i] += area;
        }
    }
    for n in &mut mesh.normals[base..] {
        *n = n.normalize();
    }
}

fn ellipsoid(
    mesh: &mut Mesh,
    center: DVec3,
    radii: DVec3,
    sides: usize,
    color: impl Fn(DVec3) -> Color,
) {
    let first = mesh.positions.len();
    let steps = sides / 2;
    let ring = |k: usize| {
        let turns = (k as f64 + 0.35) / (steps as f64 + 0.7) * 0.5;
        Ring {
            center: center - DVec3::Y * radii.y * cos(turns),
            u: DVec3::Z * radii.z * sin(turns),
            v: DVec3::X * radii.x * sin(turns),
            skin: (HEAD, HEAD, 0.0),
            color: SKIN,
            flat: false,
        }
    };
    tube(mesh, &(0..=steps).map(ring).collect::<Vec<_>>(), sides);
    for i in first..mesh.positions.len() {
        mesh.colors[i] = color((mesh.positions[i] - center) / radii);
    }
}

fn head(mesh: &mut Mesh) {
    let center = DVec3::new(0.0, 1.655, 0.012);
    ellipsoid(mesh, center, DVec3::new(0.098, 0.128, 0.112), 20, |_| SKIN);
    let cap = center + DVec3::new(0.0, 0.022, -0.018);
    ellipsoid(mesh, cap, DVec3::new(0.106, 0.118, 0.110), 20, |_| HAIR);
    for x in [-1.0, 1.0] {
        let eye = center + DVec3::new(0.038 * x, 0.004, 0.101);
        ellipsoid(mesh, eye, DVec3::new(0.011, 0.017, 0.009), 10, |_| EYE);
        let ear = center + DVec3::new(0.102 * x, -0.012, -0.004);
        ellipsoid(mesh, ear, DVec3::new(0.016, 0.028, 0.020), 10, |_| SKIN);
    }
    let nose = center + DVec3::new(0.0, -0.026, 0.112);
    ellipsoid(mesh, nose, DVec3::new(0.014, 0.018, 0.018), 10, |_| SKIN);
}

fn torso(mesh: &mut Mesh) {
    // Height, half width, half depth, middle in depth.
    const TORSO: [[f64; 4]; 13] = [
        [0.835, 0.030, 0.030, 0.0],
        [0.850, 0.090, 0.075, -0.004],
        [0.90, 0.148, 0.108, -0.008],
        [0.97, 0.156, 0.112, -0.008],
        [1.04, 0.144, 0.102, -0.002],
        [1.12, 0.134, 0.094, 0.004],
        [1.22, 0.148, 0.104, 0.006],
        [1.32, 0.168, 0.114, 0.002],
        [1.385, 0.178, 0.102, -0.008],
        [1.43, 0.156, 0.078, -0.010],
        [1.46, 0.078, 0.066, -0.010],
        [1.475, 0.060, 0.058, -0.010],
        [1.478, 0.040, 0.040, -0.010],
    ];
    let spine = (SPINE_01..=SPINE_03).map(|j| (j, rest(j).y));
    let joints: Vec<_> = std::iter::once((PELVIS, 0.0)).chain(spine).collect();
    let ring = |&[y, x, z, middle]: &[f64; 4]| Ring {
        center: DVec3::new(0.0, y, middle),
        u: DVec3::Z * z,
        v: DVec3::X * x,
        skin: chain(y, &joints, 0.062),
        color: if y < 1.03 { TROUSERS } else { SHIRT },
        flat: false,
    };
    let rings: Vec<_> = stations(&TORSO, 3).iter().map(ring).collect();
    tube(mesh, &rings, 20);
}

fn neck(mesh: &mut Mesh) {
    const NECK_TUBE: [[f64; 2]; 4] = [[1.42, 0.060], [1.48, 0.052], [1.54, 0.047], [1.60, 0.050]];
    let joints = [(SPINE_03, 0.0), (NECK, rest(NECK).y), (HEAD, rest(HEAD).y)];
    let ring = |&[y, r]: &[f64; 2]| Ring {
        center: DVec3::new(0.0, y, -0.010 + (y - 1.42) * 0.06),
        u: DVec3::Z * r,
        v: DVec3::X * r,
        skin: chain(y, &joints, 0.04),
        color: SKIN,
        flat: false,
    };
    let rings: Vec<_> = stations(&NECK_TUBE, 2).iter().map(ring).collect();
    tube(mesh, &rings, 16);
}

fn leg(mesh: &mut Mesh, side: usize) {
    // Height, radius, forward shift.
    const LEG: [[f64; 3]; 13] = [
        [0.985, 0.030, 0.0],
        [0.970, 0.066, 0.0],
        [0.93, 0.086, -0.002],
        [0.85, 0.090, 0.000],
        [0.72, 0.079, 0.004],
        [0.58, 0.063, 0.003],
        [0.51, 0.058, 0.004],
        [0.45, 0.056, -0.002],
        [0.36, 0.059, -0.012],
        [0.22, 0.047, -0.008],
        [0.12, 0.040, 0.0],
        [0.085, 0.040, 0.0],
        [0.07, 0.030, 0.0],
    ];
    let (hip, knee, ankle) = (rest(THIGH + side), rest(CALF + side), rest(FOOT + side));
    let axis = |y: f64| {
        let (a, b) = if y > knee.y {
            (hip, knee)
        } else {
            (knee, ankle)
        };
        a + (b - a) * ((a.y - y) / (a.y - b.y))
    };
    let joints = [
        (PELVIS, f64::MIN),
        (THIGH + side, -hip.y - 0.01),
        (CALF + side, -knee.y),
        (FOOT + side, -ankle.y),
    ];
    let ring = |&[y, r, forward]: &[f64; 3]| Ring {
        center: axis(y) + DVec3::Z * forward,
        u: DVec3::X * r,
        v: DVec3::Z * r,
        skin: chain(-y, &joints, if y > 0.7 { 0.07 } else { 0.05 }),
        color: TROUSERS,
        flat: false,
    };
    let rings: Vec<_> = stations(&LEG, 2).iter().map(ring).collect();
    tube(mesh, &rings, 16);
}

fn foot(mesh: &mut Mesh, side: usize) {
    // Along Z, half width, height.
    const SHOE: [[f64; 3]; 11] = [
        [-0.074, 0.012, 0.045],
        [-0.070, 0.026, 0.070],
        [-0.050, 0.038, 0.096],
        [-0.015, 0.042, 0.110],
        [0.025, 0.042, 0.100],
        [0.070, 0.045, 0.076],
        [0.115, 0.049, 0.060],
        [0.155, 0.046, 0.051],
        [0.190, 0.034, 0.043],
        [0.203, 0.020, 0.034],
        [0.207, 0.008, 0.022],
    ];
    let (ankle, ball) = (rest(FOOT + side), rest(BALL + side));
    let ring = |&[z, half, height]: &[f64; 3]| Ring {
        center: DVec3::new(ankle.x + 0.004 * sign(FOOT + side), height / 2.0, z),
        u: DVec3::X * half,
        v: DVec3::Y * height / 2.0,
        skin: chain(z, &[(FOOT + side, -1.0), (BALL + side, ball.z)], 0.035),
        color: SHOES,
        flat: true,
    };
    let rings: Vec<_> = stations(&SHOE, 2).iter().map(ring).collect();
    tube(mesh, &rings, 16);
}

/// Places along the right-angled frame of an arm: along it, and the two axes across.
fn arm_frame(side: usize) -> (DVec3, DVec3, DVec3) {
    let along = (rest(HAND + side) - rest(UPPERARM + side)).normalize();
    let across = DVec3::Z;
    (along, across, along.cross(across))
}

fn arm(mesh: &mut Mesh, side: usize) {
    // Distance from the shoulder, radius.
    const ARM: [[f64; 2]; 12] = [
        [-0.040, 0.016],
        [-0.034, 0.034],
        [-0.008, 0.049],
        [0.035, 0.053],
        [0.12, 0.049],
        [0.22, 0.041],
        [0.27, 0.039],
        [0.33, 0.041],
        [0.40, 0.037],
        [0.48, 0.028],
        [0.52, 0.026],
        [0.535, 0.018],
    ];
    let (along, u, v) = arm_frame(side);
    let shoulder = rest(UPPERARM + side);
    let at = |joint: usize| (rest(joint + side) - shoulder).length();
    let joints = [
        (CLAVICLE + side, f64::MIN),
        (UPPERARM + side, -0.012),
        (LOWERARM + side, at(LOWERARM)),
        (HAND + side, at(HAND)),
    ];
    let ring = |&[s, r]: &[f64; 2]| Ring {
        center: shoulder + along * s,
        u: u * r,
        v: v * r,
        skin: chain(s, &joints, 0.045),
        color: if s < 0.15 { SHIRT } else { SKIN },
        flat: false,
    };
    let rings: Vec<_> = stations(&ARM, 2).iter().map(ring).collect();
    tube(mesh, &rings, 16);
}

fn hand(mesh: &mut Mesh, side: usize) {
    // Distance from the wrist, half width, half thickness.
    const MITT: [[f64; 3]; 7] = [
        [-0.022, 0.014, 0.014],
        [-0.010, 0.024, 0.022],
        [0.035, 0.038, 0.022],
        [0.085, 0.042, 0.019],
        [0.130, 0.039, 0.016],
        [0.165, 0.026, 0.013],
        [0.178, 0.010, 0.006],
    ];
    const THUMB: [[f64; 2]; 4] = [[0.0, 0.008], [0.012, 0.015], [0.052, 0.014], [0.070, 0.006]];
    let (along, u, v) = arm_frame(side);
    let wrist = rest(HAND + side);
    let skin = (HAND + side, HAND + side, 0.0);
    let ring = |center: DVec3, u: DVec3, v: DVec3| Ring {
        center,
        u,
        v,
        skin,
        color: SKIN,
        flat: false,
    };
    let mitt = stations(&MITT, 2);
    let rings = mitt
        .iter()
        .map(|&[s, a, b]| ring(wrist + along * s, u * a, v * b));
    tube(mesh, &rings.collect::<Vec<_>>(), 14);
    let out = (along * 0.72 + u * 0.69).normalize();
    let start = wrist + along * 0.028 + u * 0.018;
    let thumb = stations(&THUMB, 2);
    let rings = thumb
        .iter()
        .map(|&[s, r]| ring(start + out * s, out.cross(v) * -r, v * r));
    tube(mesh, &rings.collect::<Vec<_>>(), 10);
    debug_assert!(HAND + side < JOINTS);
}
