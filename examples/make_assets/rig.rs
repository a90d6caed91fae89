//! The skeleton: names, parents and places in the rest pose, in which nothing is rotated.
//!
//! Metres, Y up, facing +Z, so that the left side has positive X. Arms hang at 45 degrees.

use glam::DVec3;

pub const ROOT: usize = 0;
pub const PELVIS: usize = 1;
pub const SPINE_01: usize = 2;
pub const SPINE_02: usize = 3;
pub const SPINE_03: usize = 4;
pub const NECK: usize = 5;
pub const HEAD: usize = 6;

/// Joints of one side, the left one; the right one follows at `+ SIDE`.
pub const CLAVICLE: usize = 7;
pub const UPPERARM: usize = 8;
pub const UPPERARM_TWIST: usize = 9;
pub const LOWERARM: usize = 10;
pub const LOWERARM_TWIST: usize = 11;
pub const HAND: usize = 12;
/// Five fingers of three joints each: index, middle, ring, pinky, thumb.
pub const FINGERS: usize = 13;
pub const THUMB: usize = FINGERS + 12;
pub const THIGH: usize = 28;
pub const THIGH_TWIST: usize = 29;
pub const CALF: usize = 30;
pub const CALF_TWIST: usize = 31;
pub const FOOT: usize = 32;
pub const BALL: usize = 33;
pub const SIDE: usize = 27;

pub const WEAPON: usize = 61;
pub const IK_FOOT_ROOT: usize = 62;
pub const IK_FOOT: [usize; 2] = [63, 64];
pub const IK_HAND_ROOT: usize = 65;
pub const IK_HAND_GUN: usize = 66;
pub const IK_HAND: [usize; 2] = [67, 68];
pub const JOINTS: usize = 69;

/// What each arm points along in the rest pose, seen on the left.
const HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;
pub const ARM: DVec3 = DVec3::new(HALF, -HALF, 0.0);
/// Where the left palm faces in the rest pose; elbows bend about it.
pub const PALM: DVec3 = DVec3::new(-HALF, -HALF, 0.0);
/// Joint lengths of the left fingers with the place of the first joint: along the hand, toward the thumb's
/// side, away from the palm.
pub const FINGER: [([f64; 3], [f64; 3]); 5] = [
    ([0.090, 0.028, 0.003], [0.042, 0.026, 0.021]),
    ([0.093, 0.008, 0.006], [0.046, 0.029, 0.022]),
    ([0.089, -0.012, 0.004], [0.043, 0.027, 0.021]),
    ([0.080, -0.030, -0.001], [0.034, 0.021, 0.019]),
    ([0.024, 0.026, -0.010], [0.042, 0.033, 0.027]),
];
/// Where the left thumb points, in the axes of [`FINGER`].
const THUMB_AXIS: [f64; 3] = [0.752, 0.607, -0.257];

/// Name and parent of the middle joints, then of the left ones.
const TABLE: [(&str, Option<usize>); 34] = [
    ("root", None),
    ("pelvis", Some(ROOT)),
    ("spine_01", Some(PELVIS)),
    ("spine_02", Some(SPINE_01)),
    ("spine_03", Some(SPINE_02)),
    ("neck_01", Some(SPINE_03)),
    ("head", Some(NECK)),
    ("clavicle", Some(SPINE_03)),
    ("upperarm", Some(CLAVICLE)),
    ("upperarm_twist_01", Some(UPPERARM)),
    ("lowerarm", Some(UPPERARM)),
    ("lowerarm_twist_01", Some(LOWERARM)),
    ("hand", Some(LOWERARM)),
    ("index_01", Some(HAND)),
    ("index_02", Some(FINGERS)),
    ("index_03", Some(FINGERS + 1)),
    ("middle_01", Some(HAND)),
    ("middle_02", Some(FINGERS + 3)),
    ("middle_03", Some(FINGERS + 4)),
    ("ring_01", Some(HAND)),
    ("ring_02", Some(FINGERS + 6)),
    ("ring_03", Some(FINGERS + 7)),
    ("pinky_01", Some(HAND)),
    ("pinky_02", Some(FINGERS + 9)),
    ("pinky_03", Some(FINGERS + 10)),
    ("thumb_01", Some(HAND)),
    ("thumb_02", Some(THUMB)),
    ("thumb_03", Some(THUMB + 1)),
    ("thigh", Some(PELVIS)),
    ("thigh_twist_01", Some(THIGH)),
    ("calf", Some(THIGH)),
    ("calf_twist_01", Some(CALF)),
    ("foot", Some(CALF)),
    ("ball", Some(FOOT)),
];

/// Joints that stand on no side, or cross it.
const OTHERS: [(&str, usize); 8] = [
    ("weapon_r", HAND + SIDE),
    ("ik_foot_root", ROOT),
    ("ik_foot_l", IK_FOOT_ROOT),
    ("ik_foot_r", IK_FOOT_ROOT),
    ("ik_hand_root", ROOT),
    ("ik_hand_gun", IK_HAND_ROOT),
    ("ik_hand_l", IK_HAND_GUN),
    ("ik_hand_r", IK_HAND_GUN),
];

fn is_right(joint: usize) -> bool {
    (CLAVICLE + SIDE..WEAPON).contains(&joint)
}

pub fn name(joint: usize) -> String {
    match joint {
        0..CLAVICLE => TABLE[joint].0.to_owned(),
        WEAPON.. => OTHERS[joint - WEAPON].0.to_owned(),
        _ if is_right(joint) => format!("{}_r", TABLE[joint - SIDE].0),
        _ => format!("{}_l", TABLE[joint].0),
    }
}

pub fn parent(joint: usize) -> Option<usize> {
    match joint {
        WEAPON.. => Some(OTHERS[joint - WEAPON].1),
        _ if is_right(joint) => {
            let left = TABLE[joint - SIDE].1;
            left.map(|p| if p < CLAVICLE { p } else { p + SIDE })
        }
        _ => TABLE[joint].1,
    }
}

/// Joints that travel; all others keep their distance from the parent.
pub fn travels(joint: usize) -> bool {
    matches!(joint, ROOT | PELVIS | IK_HAND_GUN) || IK_FOOT.contains(&joint) || joint == IK_HAND[0]
}

pub fn is_finger(joint: usize) -> bool {
    let fingers = FINGERS..THIGH;
    fingers.contains(&joint) || fingers.contains(&joint.wrapping_sub(SIDE))
}

/// Place in the rest pose, a multiple of 0.1 mm.
pub fn rest(joint: usize) -> DVec3 {
    let place = match joint {
        _ if is_right(joint) => mirrored(left_place(joint - SIDE)),
        WEAPON => mirrored(left_place(HAND) + grip()),
        63 => left_place(FOOT),
        64 => mirrored(left_place(FOOT)),
        67 => left_place(HAND),
        66 | 68 => mirrored(left_place(HAND)),
        62 | 65 => DVec3::ZERO,
        _ => left_place(joint),
    };
    (place * 1e4).round() / 1e4
}

/// Rest place relative to the parent.
pub fn offset(joint: usize) -> DVec3 {
    rest(joint) - parent(joint).map_or(DVec3::ZERO, rest)
}

/// From the left wrist to the middle of what the hand holds, in the rest pose.
pub fn grip() -> DVec3 {
    in_hand([0.082, 0.0, -0.030])
}

pub fn mirrored(v: DVec3) -> DVec3 {
    DVec3::new(-v.x, v.y, v.z)
}

/// From axes of the left hand (along, toward the thumb's side, away from the palm) to the rest pose's.
pub fn in_hand([along, thumbward, back]: [f64; 3]) -> DVec3 {
    ARM * along + DVec3::Z * thumbward - PALM * back
}

/// Where a left finger points in the rest pose.
pub fn finger_axis(finger: usize) -> DVec3 {
    if finger == 4 {
        in_hand(THUMB_AXIS).normalize()
    } else {
        ARM
    }
}

fn left_place(joint: usize) -> DVec3 {
    const SHOULDER: DVec3 = DVec3::new(0.176, 1.412, -0.018);
    const UPPER: f64 = 0.275;
    const LOWER: f64 = 0.250;
    let (x, y, z) = match joint {
        PELVIS => (0.0, 0.945, 0.0),
        SPINE_01 => (0.0, 1.05, -0.004),
        SPINE_02 => (0.0, 1.17, -0.012),
        SPINE_03 => (0.0, 1.29, -0.016),
        NECK => (0.0, 1.475, -0.018),
        HEAD => (0.0, 1.56, 0.004),
        CLAVICLE => (0.022, 1.425, -0.006),
        THIGH => (0.092, 0.92, 0.0),
        THIGH_TWIST => (0.092, 0.75, 0.004),
        CALF => (0.092, 0.495, 0.010),
        CALF_TWIST => (0.092, 0.25, -0.006),
        FOOT => (0.092, 0.085, -0.018),
        BALL => (0.092, 0.022, 0.112),
        UPPERARM => return SHOULDER,
        UPPERARM_TWIST => return SHOULDER + ARM * (0.4 * UPPER),
        LOWERARM => return SHOULDER + ARM * UPPER,
        LOWERARM_TWIST => return SHOULDER + ARM * (UPPER + 0.6 * LOWER),
        HAND => return SHOULDER + ARM * (UPPER + LOWER),
        FINGERS..THIGH => return finger_place((joint - FINGERS) / 3, (joint - FINGERS) % 3),
        _ => return DVec3::ZERO,
    };
    DVec3::new(x, y, z)
}

fn finger_place(finger: usize, joint: usize) -> DVec3 {
    let (start, lengths) = FINGER[finger];
    let along: f64 = lengths[..joint].iter().sum();
    left_place(HAND) + in_hand(start) + finger_axis(finger) * along
}
