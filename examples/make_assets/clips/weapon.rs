//! Two_Hand_Weapon: both hands on a staff; guard, parry, thrust, and back.

use crate::mannequin::controls::{Hold, Stage, Tilt, Upper};
use crate::mannequin::feet::{Plant, contacts, foot_at};
use crate::mannequin::film::{Film, Motion};
use crate::mannequin::gait;
use crate::mannequin::pose::wrist_of_grip;
use crate::mannequin::rig::SIDE;
use crate::mannequin::steps::{FOREVER, LONG_AGO, SHUFFLE, Spot, Stand, plant};
use crate::mannequin::trig::{curve, turn};
use glam::{DMat3, DQuat, DVec3};

/// Metres along the staff from the right hand to the left one.
const APART: f64 = 0.42;
/// How the hands lie around the staff: degrees about it from the rest pose.
const LEFT_ROLL: f64 = -78.0;
const RIGHT_ROLL: f64 = 58.0;
const LAST: f64 = 3.2;

const STANCE: [Stand; 2] = [
    Stand {
        beside_m: 0.10,
        forward_m: 0.235,
        out_degrees: 4.0,
    },
    Stand {
        beside_m: 0.13,
        forward_m: -0.235,
        out_degrees: 48.0,
    },
];

pub fn two_hand_weapon() -> Film {
    let spot = Spot {
        place: DVec3::ZERO,
        yaw: 0.0,
    };
    let plants: [Vec<Plant>; 2] = std::array::from_fn(|side| {
        vec![plant(side, spot, STANCE[side], SHUFFLE, LONG_AGO, FOREVER)]
    });
    let stage = |secs: f64| Stage {
        root: DVec3::ZERO,
        over: DVec3::ZERO,
        root_yaw: 0.0,
        heading: 0.0,
        feet: [foot_at(&plants[0], secs), foot_at(&plants[1], secs)],
        upper: upper(secs),
        holds: Some(holds(secs)),
    };
    Motion {
        name: "Two_Hand_Weapon",
        last_frame: 96,
        loops: true,
        ground_speed: 0.0,
        smooth_secs: 0.1,
        contacts: contacts(&plants),
        blinks: &[],
        armed: true,
        stage: &stage,
    }
    .shoot()
}

/// The beats: guard, wind up, parry to the left, draw back, thrust, recover.
fn beats(values: [f64; 6], delay: f64, secs: f64) -> f64 {
    let [guard, wind, parry, draw, thrust, hold] = values;
    let keys = [
        (0.1, guard),
        (0.55, wind),
        (0.95, parry),
        (1.5, draw),
        (1.82, thrust),
        (2.05, hold),
        (3.0, guard),
    ];
    let whole = [keys.map(|k| (k.0 + delay, k.1)).as_slice(), &[]].concat();
    curve(&whole, secs.min(LAST))
}

fn upper(secs: f64) -> Upper {
    let at = |values: [f64; 6]| beats(values, 0.0, secs);
    let mut upper = gait::stand(secs / LAST, 0.0);
    upper.height = at([0.862, 0.872, 0.850, 0.868, 0.832, 0.836]);
    upper.sway = at([-0.010, -0.022, 0.004, -0.016, 0.012, 0.012]);
    upper.surge = at([0.005, -0.045, 0.035, -0.060, 0.105, 0.095]);
    let hips = at([-30.0, -36.0, -14.0, -38.0, -12.0, -13.0]);
    let chest = beats([-34.0, -48.0, -4.0, -54.0, 6.0, 3.0], 0.04, secs);
    upper.hips = Tilt::new(
        hips,
        at([0.0, 1.0, 2.0, 0.0, 3.0, 3.0]),
        at([5.0, 3.0, 7.0, 3.0, 12.0, 11.0]),
    );
    upper.chest = Tilt::new(
        chest,
        at([1.0, 2.0, -2.0, 3.0, -3.0, -2.0]),
        at([9.0, 5.0, 13.0, 5.0, 19.0, 17.0]),
    );
    upper.head = Tilt::new(
        at([-4.0, 4.0, 6.0, -5.0, 2.0, 1.0]),
        0.0,
        at([5.0, 4.0, 7.0, 4.0, 6.0, 5.0]),
    );
    for arm in &mut upper.arms {
        arm.curl = 0.86;
        arm.reach = 4.0;
    }
    upper.arms[0].reach = at([10.0, 6.0, 8.0, 8.0, 14.0, 13.0]);
    upper
}

/// Where the staff is, and the hands on it.
fn holds(secs: f64) -> [Hold; 2] {
    let at = |values: [f64; 6]| beats(values, 0.03, secs);
    let right = DVec3::new(
        at([-0.200, -0.245, -0.150, -0.235, -0.120, -0.125]),
        at([1.030, 1.120, 1.050, 1.050, 1.130, 1.120]),
        at([0.090, 0.010, 0.130, -0.070, 0.250, 0.230]),
    );
    let yaw = at([14.0, 2.0, 38.0, 16.0, 5.0, 6.0]);
    let pitch = at([20.0, 38.0, 16.0, 10.0, 4.0, 6.0]);
    let along = turn(DVec3::Y, yaw) * turn(DVec3::X, -pitch) * DVec3::Z;
    let across = DVec3::Y.cross(along).normalize();
    let frame = DMat3::from_cols(across, along.cross(across), along);
    let staff = DQuat::from_mat3(&frame).normalize();
    let left = right + along * APART;
    let hold = |side: usize, grip: DVec3, roll: f64, elbow: DVec3| {
        let rotation = staff * turn(DVec3::Z, roll);
        Hold {
            wrist: wrist_of_grip(grip, rotation, side),
            rotation,
            elbow,
        }
    };
    [
        hold(0, left, LEFT_ROLL, DVec3::new(0.55, -1.0, 0.1)),
        hold(SIDE, right, RIGHT_ROLL, DVec3::new(-0.7, -0.55, -0.6)),
    ]
}
