//! The mesh: trunk, legs, boots, arms and staff. Head and hands have their own files.

use super::hand;
use super::head;
use super::loft::{Color, Mesh, Ring, Weights};
use super::rig::{
    ARM, BALL, CALF, CALF_TWIST, CLAVICLE, FOOT, HAND, LOWERARM, LOWERARM_TWIST, PALM, PELVIS,
    SIDE, SPINE_01, SPINE_02, SPINE_03, THIGH, THIGH_TWIST, UPPERARM, UPPERARM_TWIST, WEAPON,
    mirrored, rest,
};
use super::trig::smoothstep;
use glam::DVec3;

/// Warm shell, dark joints, and the accent.
pub const SHELL: Color = [193, 164, 132];
pub const SHADE: Color = [28, 34, 42];
pub const ACCENT: Color = [214, 84, 14];
pub const INK: Color = [6, 7, 10];
const SOLE: Color = [120, 106, 90];
const WOOD: Color = [92, 46, 20];

/// How finely the mesh is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    Near,
    /// For a lower level of detail: fewer rings, and mittens.
    Far,
}

impl Detail {
    /// Sides of a tube that has `near` of them close by.
    pub fn sides(self, near: usize) -> usize {
        match self {
            Self::Near => near,
            Self::Far => (near / 2).max(6),
        }
    }
}

/// The meshes of one level of detail.
pub struct Body {
    pub skin: Mesh,
    /// They alone blink.
    pub eyes: Mesh,
    pub staff: Mesh,
}

pub fn build(detail: Detail) -> Body {
    let mut mesh = Mesh::default();
    trunk(&mut mesh, detail);
    head::build(&mut mesh, detail);
    for side in [0, SIDE] {
        let (vertices, triangles) = (mesh.vertices.len(), mesh.triangles.len());
        leg(&mut mesh, detail);
        boot(&mut mesh, detail);
        arm(&mut mesh, detail);
        hand::build(&mut mesh, detail);
        if side == SIDE {
            mirror(&mut mesh, vertices, triangles);
        }
    }
    Body {
        skin: mesh,
        eyes: head::eyes(detail),
        staff: staff(detail),
    }
}

/// Turns what was made for the left into the right.
fn mirror(mesh: &mut Mesh, vertices: usize, triangles: usize) {
    for vertex in &mut mesh.vertices[vertices..] {
        vertex.place = mirrored(vertex.place);
        vertex.normal = mirrored(vertex.normal);
        for w in vertex.weights.0.iter_mut().filter(|w| w.0 >= CLAVICLE) {
            w.0 += SIDE;
        }
    }
    for triangle in &mut mesh.triangles[triangles..] {
        triangle.swap(1, 2);
    }
}

fn trunk(mesh: &mut Mesh, detail: Detail) {
    // Height, half width, depth to the front and to the back, middle in depth, squareness, colour.
    const TRUNK: [[f64; 7]; 20] = [
        [0.812, 0.020, 0.030, 0.036, -0.002, 0.0, 0.0],
        [0.824, 0.070, 0.060, 0.074, -0.004, 0.0, 0.0],
        [0.856, 0.126, 0.088, 0.102, -0.008, 0.1, 0.0],
        [0.886, 0.150, 0.097, 0.111, -0.009, 0.15, 0.0],
        [0.920, 0.163, 0.102, 0.113, -0.009, 0.2, 0.0],
        [0.955, 0.163, 0.101, 0.107, -0.008, 0.2, 0.0],
        [0.995, 0.151, 0.095, 0.095, -0.004, 0.2, 1.0],
        [1.018, 0.143, 0.091, 0.090, -0.002, 0.2, 2.0],
        [1.070, 0.131, 0.087, 0.081, 0.001, 0.2, 2.0],
        [1.130, 0.130, 0.088, 0.080, 0.002, 0.25, 2.0],
        [1.210, 0.145, 0.099, 0.092, 0.001, 0.35, 2.0],
        [1.285, 0.162, 0.109, 0.103, -0.002, 0.4, 2.0],
        [1.340, 0.172, 0.107, 0.106, -0.006, 0.4, 2.0],
        [1.388, 0.170, 0.092, 0.098, -0.012, 0.35, 2.0],
        [1.424, 0.152, 0.072, 0.082, -0.017, 0.2, 2.0],
        [1.444, 0.120, 0.062, 0.072, -0.018, 0.1, 2.0],
        [1.456, 0.090, 0.058, 0.066, -0.018, 0.0, 0.0],
        [1.468, 0.069, 0.055, 0.058, -0.018, 0.0, 0.0],
        [1.484, 0.054, 0.050, 0.050, -0.018, 0.0, 0.0],
        [1.490, 0.030, 0.030, 0.030, -0.018, 0.0, 0.0],
    ];
    const COLORS: [Color; 3] = [SHADE, ACCENT, SHELL];
    let ring = |&[y, x, front, back, middle, square, color]: &[f64; 7]| Ring {
        center: DVec3::new(0.0, y, middle),
        u: DVec3::NEG_X * x,
        v: DVec3::Z * front,
        back: back / front,
        square,
        color: COLORS[color as usize],
    };
    let rings: Vec<_> = TRUNK.iter().map(ring).collect();
    mesh.tube(&rings, detail.sides(18), trunk_weights);
}

/// Along the spine; toward the shoulders and the hips the limbs take a part.
fn trunk_weights(place: DVec3) -> Weights {
    let spine = [
        (SPINE_01, 1.03, 0.06),
        (SPINE_02, 1.15, 0.06),
        (SPINE_03, 1.27, 0.06),
    ];
    let weights = Weights::chain(PELVIS, &spine, place.y);
    let side = if place.x < 0.0 { SIDE } else { 0 };
    let out = place.x.abs();
    let up = smoothstep(1.27, 1.40, place.y);
    let clavicle = up * smoothstep(0.03, 0.12, out) * 0.8;
    let arm = up * smoothstep(0.12, 0.20, out) * 0.45;
    let leg = smoothstep(0.93, 0.83, place.y) * smoothstep(0.0, 0.12, out) * 0.55;
    weights
        .mix(&Weights::one(CLAVICLE + side), clavicle)
        .mix(&Weights::one(UPPERARM_TWIST + side), arm)
        .mix(&Weights::one(THIGH_TWIST + side), leg)
}

fn leg(mesh: &mut Mesh, detail: Detail) {
    // Height, half width, depth to the front and to the back, colour.
    const LEG: [[f64; 5]; 20] = [
        [0.985, 0.026, 0.028, 0.028, 0.0],
        [0.968, 0.054, 0.054, 0.056, 0.0],
        [0.930, 0.074, 0.074, 0.080, 0.0],
        [0.870, 0.086, 0.086, 0.093, 0.0],
        [0.790, 0.084, 0.088, 0.088, 0.0],
        [0.735, 0.079, 0.084, 0.081, 1.0],
        [0.650, 0.069, 0.075, 0.069, 1.0],
        [0.570, 0.059, 0.064, 0.058, 1.0],
        [0.540, 0.056, 0.061, 0.054, 0.0],
        [0.495, 0.055, 0.062, 0.052, 0.0],
        [0.450, 0.052, 0.055, 0.056, 1.0],
        [0.400, 0.053, 0.049, 0.066, 1.0],
        [0.350, 0.053, 0.046, 0.070, 1.0],
        [0.280, 0.047, 0.042, 0.060, 1.0],
        [0.215, 0.041, 0.039, 0.046, 2.0],
        [0.203, 0.044, 0.043, 0.048, 0.0],
        [0.145, 0.041, 0.042, 0.043, 0.0],
        [0.100, 0.041, 0.044, 0.042, 0.0],
        [0.070, 0.039, 0.042, 0.040, 0.0],
        [0.055, 0.020, 0.020, 0.020, 0.0],
    ];
    const COLORS: [Color; 3] = [SHADE, SHELL, ACCENT];
    let (hip, knee, ankle) = (rest(THIGH), rest(CALF), rest(FOOT));
    let axis = |y: f64| {
        let (a, b) = if y > knee.y {
            (hip, knee)
        } else {
            (knee, ankle)
        };
        a + (b - a) * ((a.y - y) / (a.y - b.y))
    };
    let ring = |&[y, x, front, back, color]: &[f64; 5]| Ring {
        center: axis(y),
        u: DVec3::X * x,
        v: DVec3::Z * front,
        back: back / front,
        square: 0.0,
        color: COLORS[color as usize],
    };
    let rings: Vec<_> = LEG.iter().map(ring).collect();
    mesh.tube(&rings, detail.sides(12), leg_weights);
}

fn leg_weights(place: DVec3) -> Weights {
    let (hip, knee, ankle) = (rest(THIGH), rest(CALF), rest(FOOT));
    let joints = [
        (THIGH_TWIST, -hip.y - 0.01, 0.06),
        (THIGH, -0.70, 0.14),
        (CALF, -knee.y, 0.045),
        (CALF_TWIST, -0.26, 0.10),
        (FOOT, -ankle.y - 0.012, 0.035),
    ];
    Weights::chain(PELVIS, &joints, -place.y)
}

fn boot(mesh: &mut Mesh, detail: Detail) {
    // Along the foot, half width, height, to the outside.
    const BOOT: [[f64; 4]; 12] = [
        [-0.076, 0.012, 0.048, 0.000],
        [-0.072, 0.026, 0.074, 0.000],
        [-0.056, 0.036, 0.096, 0.000],
        [-0.020, 0.040, 0.110, 0.001],
        [0.020, 0.040, 0.103, 0.003],
        [0.060, 0.042, 0.082, 0.005],
        [0.100, 0.047, 0.066, 0.006],
        [0.135, 0.047, 0.056, 0.005],
        [0.168, 0.039, 0.048, 0.002],
        [0.188, 0.027, 0.040, -0.001],
        [0.199, 0.014, 0.032, -0.003],
        [0.202, 0.004, 0.024, -0.004],
    ];
    const SOLE_HEIGHT: f64 = 0.018;
    let x = rest(FOOT).x;
    let upper = |&[z, half, height, out]: &[f64; 4]| Ring {
        center: DVec3::new(x + out, SOLE_HEIGHT, z),
        u: DVec3::X * half,
        v: DVec3::Y * (height - SOLE_HEIGHT),
        back: 0.3 * SOLE_HEIGHT / (height - SOLE_HEIGHT),
        square: 0.25,
        color: SHADE,
    };
    mesh.tube(
        &BOOT.iter().map(upper).collect::<Vec<_>>(),
        detail.sides(10),
        boot_weights,
    );
    let sole = |&[z, half, _, out]: &[f64; 4]| Ring {
        center: DVec3::new(x + out, SOLE_HEIGHT / 2.0, z),
        u: DVec3::X * (half + 0.0025),
        v: DVec3::Y * (SOLE_HEIGHT / 2.0),
        back: 1.0,
        square: 0.9,
        color: SOLE,
    };
    mesh.tube(&BOOT.iter().map(sole).collect::<Vec<_>>(), 8, boot_weights);
}

fn boot_weights(place: DVec3) -> Weights {
    Weights::chain(FOOT, &[(BALL, rest(BALL).z, 0.035)], place.z)
}

fn arm(mesh: &mut Mesh, detail: Detail) {
    // Along the arm from the shoulder, half width, half thickness, to the outside, colour.
    const ARM_TUBE: [[f64; 5]; 18] = [
        [-0.050, 0.014, 0.014, 0.000, 1.0],
        [-0.044, 0.031, 0.029, 0.000, 1.0],
        [-0.026, 0.048, 0.044, 0.000, 1.0],
        [0.008, 0.060, 0.054, 0.002, 1.0],
        [0.055, 0.059, 0.055, 0.004, 1.0],
        [0.110, 0.051, 0.049, 0.002, 1.0],
        [0.180, 0.045, 0.043, 0.000, 1.0],
        [0.235, 0.040, 0.039, 0.000, 0.0],
        [0.275, 0.038, 0.039, 0.000, 0.0],
        [0.312, 0.041, 0.039, 0.000, 1.0],
        [0.355, 0.042, 0.039, 0.000, 1.0],
        [0.410, 0.037, 0.034, 0.000, 1.0],
        [0.465, 0.031, 0.027, 0.000, 2.0],
        [0.475, 0.033, 0.029, 0.000, 0.0],
        [0.505, 0.031, 0.025, 0.000, 0.0],
        [0.528, 0.030, 0.022, 0.000, 0.0],
        [0.540, 0.027, 0.020, 0.000, 0.0],
        [0.548, 0.012, 0.010, 0.000, 0.0],
    ];
    const COLORS: [Color; 3] = [SHADE, SHELL, ACCENT];
    let shoulder = rest(UPPERARM);
    let ring = |&[s, wide, thick, out, color]: &[f64; 5]| {
        let center = shoulder + ARM * s - PALM * out;
        Ring::round(
            center,
            DVec3::NEG_Z * wide,
            PALM * -thick,
            COLORS[color as usize],
        )
    };
    let rings: Vec<_> = ARM_TUBE.iter().map(ring).collect();
    mesh.tube(&rings, detail.sides(12), |place| {
        let elbow = (rest(LOWERARM) - shoulder).length();
        let joints = [
            (UPPERARM_TWIST, 0.0, 0.045),
            (UPPERARM, 0.16, 0.09),
            (LOWERARM, elbow, 0.035),
            (LOWERARM_TWIST, elbow + 0.14, 0.08),
            (HAND, (rest(HAND) - shoulder).length(), 0.022),
        ];
        Weights::chain(CLAVICLE, &joints, (place - shoulder).dot(ARM))
    });
}

fn staff(detail: Detail) -> Mesh {
    // Along the staff from the grip, radius, colour.
    const STAFF: [[f64; 3]; 14] = [
        [-0.560, 0.006, 1.0],
        [-0.556, 0.016, 1.0],
        [-0.480, 0.018, 1.0],
        [-0.476, 0.0135, 0.0],
        [-0.090, 0.0135, 0.0],
        [-0.086, 0.0150, 1.0],
        [0.086, 0.0150, 1.0],
        [0.090, 0.0135, 0.0],
        [0.330, 0.0135, 0.0],
        [0.334, 0.0150, 1.0],
        [0.506, 0.0150, 0.0],
        [0.510, 0.0135, 0.0],
        [0.946, 0.0135, 2.0],
        [0.950, 0.020, 2.0],
    ];
    const TIP: [[f64; 3]; 3] = [
        [1.010, 0.022, 2.0],
        [1.050, 0.012, 2.0],
        [1.060, 0.003, 2.0],
    ];
    const COLORS: [Color; 3] = [WOOD, SHADE, ACCENT];
    let ring = |&[s, r, color]: &[f64; 3]| {
        let center = rest(WEAPON) + DVec3::Z * s;
        Ring::round(center, DVec3::X * r, DVec3::Y * r, COLORS[color as usize])
    };
    let rings: Vec<_> = STAFF.iter().chain(&TIP).map(ring).collect();
    let mut mesh = Mesh::default();
    mesh.tube(&rings, detail.sides(10), |_| Weights::one(WEAPON));
    mesh
}
