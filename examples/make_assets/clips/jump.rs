//! Jump: crouch, leap a metre ahead, land and rise.

use crate::mannequin::controls::{Stage, Tilt, Upper};
use crate::mannequin::feet::{Style, contacts, foot_at};
use crate::mannequin::film::{Film, Motion};
use crate::mannequin::gait;
use crate::mannequin::steps::{AT_EASE, Spot, Step, stances};
use crate::mannequin::trig::{curve, hermite, smootherstep};
use glam::DVec3;

/// Metres ahead.
const FAR: f64 = 0.95;
/// Seconds at which the crouch is lowest, the feet leave, land, and the knees have taken the blow.
const LOW: f64 = 0.45;
const OFF: f64 = 0.63;
const LAND: f64 = 1.06;
const TAKEN: f64 = 1.27;
/// Heights of the pelvis: in the crouch, leaving and landing, and after it; speed up and ahead in the air.
const CROUCH: f64 = 0.64;
const FLIGHT: f64 = 0.95;
const ABSORBED: f64 = 0.62;
const GRAVITY: f64 = 9.81;
const UP: f64 = GRAVITY * (LAND - OFF) / 2.0;
const AHEAD: f64 = 1.5;

const LEAP: Style = Style {
    strike_pitch: 9.0,
    roll_secs: 1.0 / 15.0,
    off_pitch: 58.0,
    push_secs: 0.17,
    heel_share: 0.3,
    lift: 0.34,
    kick: -8.0,
};

pub fn jump() -> Film {
    let spot = |z: f64| Spot {
        place: DVec3::Z * z,
        yaw: 0.0,
    };
    let step = |side: usize, late: f64| Step {
        side,
        off: OFF + late,
        strike: LAND + late,
        style: LEAP,
        stand: AT_EASE[side],
        spot: spot(FAR),
    };
    let plants = stances(spot(0.0), &[step(0, 0.0), step(1, 1.0 / 60.0)]);
    let stage = |secs: f64| Stage {
        root: DVec3::Z * ahead(secs),
        over: DVec3::Z * ahead(secs),
        root_yaw: 0.0,
        heading: 0.0,
        feet: [foot_at(&plants[0], secs), foot_at(&plants[1], secs)],
        upper: upper(secs),
        holds: None,
    };
    Motion {
        name: "Jump",
        last_frame: 66,
        loops: false,
        ground_speed: 0.0,
        smooth_secs: 0.03,
        contacts: contacts(&plants),
        blinks: &[(32, 34)],
        armed: false,
        stage: &stage,
    }
    .shoot()
}

/// Along a segment from `(at, value, speed)` to another one.
fn segment(a: (f64, f64, f64), b: (f64, f64, f64), secs: f64) -> f64 {
    let span = b.0 - a.0;
    hermite(a.1, a.2 * span, b.1, b.2 * span, (secs - a.0) / span)
}

fn ahead(secs: f64) -> f64 {
    let leaving = 0.13;
    let landing = leaving + AHEAD * (LAND - OFF);
    match secs {
        s if s < 0.4 => 0.0,
        s if s < OFF => segment((0.4, 0.0, 0.0), (OFF, leaving, AHEAD), s),
        s if s < LAND => leaving + AHEAD * (s - OFF),
        s if s < 1.4 => segment((LAND, landing, AHEAD), (1.4, FAR, 0.0), s),
        _ => FAR,
    }
}

fn height(secs: f64) -> f64 {
    let stand = gait::stand(0.0, 0.0).height;
    match secs {
        s if s < LOW => stand + (CROUCH - stand) * smootherstep(0.02, LOW, s),
        s if s < OFF => segment((LOW, CROUCH, 0.0), (OFF, FLIGHT, UP), s),
        s if s < LAND => FLIGHT + UP * (s - OFF) - GRAVITY / 2.0 * (s - OFF) * (s - OFF),
        s if s < TAKEN => segment((LAND, FLIGHT, -UP), (TAKEN, ABSORBED, 0.0), s),
        s => {
            let sag = curve(&[(TAKEN, 0.0), (1.78, 0.006), (2.15, 0.0)], s);
            ABSORBED + (stand - ABSORBED) * smootherstep(TAKEN, 1.8, s) + sag
        }
    }
}

fn upper(secs: f64) -> Upper {
    let keys = |keys: &[(f64, f64)]| curve(keys, secs);
    let mut upper = gait::stand(0.0, 0.0);
    upper.height = height(secs);
    upper.stretch = 0.99;
    upper.surge += keys(&[
        (0.05, 0.0),
        (LOW, -0.07),
        (OFF, 0.02),
        (LAND, -0.02),
        (TAKEN, -0.06),
        (1.8, 0.0),
    ]);
    let pitch = keys(&[
        (0.0, 0.0),
        (0.42, 30.0),
        (0.66, 2.0),
        (0.85, 6.0),
        (1.08, 16.0),
        (1.3, 27.0),
        (1.85, -2.0),
        (2.15, 0.0),
    ]);
    upper.hips.pitch += 0.8 * pitch;
    let bow = keys(&[
        (0.0, 0.0),
        (0.4, 40.0),
        (0.68, -4.0),
        (0.88, 10.0),
        (1.1, 18.0),
        (1.34, 36.0),
        (1.9, -2.5),
        (2.18, 0.0),
    ]);
    upper.chest.pitch += bow;
    upper.head = upper
        .head
        .mix(&Tilt::new(0.0, 0.0, upper.head.pitch + 0.3 * bow), 1.0);
    upper.head.pitch += keys(&[
        (0.0, 0.0),
        (0.25, 8.0),
        (0.5, -6.0),
        (0.7, -8.0),
        (1.0, 12.0),
        (1.3, 2.0),
        (1.7, 0.0),
    ]);
    for (arm, late) in upper.arms.iter_mut().zip([0.0, 0.018]) {
        let keys = |keys: &[(f64, f64)]| curve(keys, secs - late);
        arm.swing += keys(&[
            (0.0, 0.0),
            (0.12, 8.0),
            (0.43, -56.0),
            (0.75, 116.0),
            (0.92, 94.0),
            (1.14, 34.0),
            (1.36, 12.0),
            (1.7, -9.0),
            (2.12, 0.0),
        ]);
        arm.lift += keys(&[
            (0.0, 0.0),
            (0.46, 12.0),
            (0.6, 4.0),
            (0.78, 20.0),
            (1.12, 34.0),
            (1.38, 22.0),
            (1.85, 0.0),
        ]);
        arm.bend += keys(&[
            (0.0, 0.0),
            (0.4, 6.0),
            (0.6, 36.0),
            (0.8, 8.0),
            (1.1, 28.0),
            (1.4, 38.0),
            (1.95, 0.0),
        ]);
        arm.shrug += keys(&[
            (0.2, 0.0),
            (0.46, -2.0),
            (0.72, 12.0),
            (0.95, 6.0),
            (1.18, 8.0),
            (1.5, 0.0),
        ]);
        arm.curl += keys(&[
            (0.2, 0.0),
            (0.5, 0.25),
            (0.75, -0.1),
            (1.05, -0.16),
            (1.4, 0.0),
        ]);
        arm.spread += keys(&[(0.6, 0.0), (1.0, 0.7), (1.5, 0.0)]);
    }
    upper
}
