//! Turn_90: to the left on the spot; the eyes go first, then the chest, then the feet.

use crate::mannequin::controls::{Stage, Upper};
use crate::mannequin::feet::{contacts, foot_at};
use crate::mannequin::film::{Film, Motion};
use crate::mannequin::gait;
use crate::mannequin::steps::{AT_EASE, SHUFFLE, Spot, Step, stances};
use crate::mannequin::trig::{curve, smootherstep};
use glam::DVec3;

pub fn turn_90() -> Film {
    let spot = |yaw: f64| Spot {
        place: DVec3::ZERO,
        yaw,
    };
    let step = |side: usize, off: f64, strike: f64| Step {
        side,
        off,
        strike,
        style: SHUFFLE,
        stand: AT_EASE[side],
        spot: spot(90.0),
    };
    let plants = stances(spot(0.0), &[step(0, 0.27, 0.6), step(1, 0.67, 1.03)]);
    let stage = |secs: f64| Stage {
        root: DVec3::ZERO,
        over: DVec3::ZERO,
        root_yaw: yaw(secs),
        heading: yaw(secs),
        feet: [foot_at(&plants[0], secs), foot_at(&plants[1], secs)],
        upper: upper(secs),
        holds: None,
    };
    Motion {
        name: "Turn_90",
        last_frame: 42,
        loops: false,
        ground_speed: 0.0,
        smooth_secs: 0.1,
        contacts: contacts(&plants),
        blinks: &[(6, 9)],
        armed: false,
        stage: &stage,
    }
    .shoot()
}

fn yaw(secs: f64) -> f64 {
    90.0 * smootherstep(0.14, 1.0, secs)
}

fn upper(secs: f64) -> Upper {
    // The weight goes to the right leg, over to the left one, and back between them.
    let shift = curve(
        &[
            (0.0, 0.0),
            (0.27, -0.95),
            (0.62, 0.2),
            (0.82, 0.95),
            (1.2, -0.1),
            (1.4, 0.0),
        ],
        secs,
    );
    let mut upper = gait::stand(0.0, shift);
    upper.height -= curve(
        &[
            (0.0, 0.0),
            (0.25, 0.012),
            (0.6, 0.02),
            (1.0, 0.014),
            (1.35, 0.0),
        ],
        secs,
    );
    upper.stretch = 0.993;
    let ahead = |by: f64| yaw(secs + by) - yaw(secs);
    upper.hips.yaw -= 0.3 * ahead(0.06);
    upper.chest.yaw += 0.75 * ahead(0.09);
    upper.head.yaw += 0.9 * ahead(0.22);
    upper.head.pitch += curve(&[(0.0, 0.0), (0.3, 5.0), (0.8, 1.0), (1.1, 0.0)], secs);
    // The arms are left behind, and swing past.
    let rate = ahead(-0.1) / 10.0;
    for (arm, outward) in upper.arms.iter_mut().zip([-1.0, 1.0]) {
        arm.swing += 6.0 * rate * outward;
        arm.lift -= 2.0 * rate;
        arm.bend -= 4.0 * rate;
    }
    upper
}
