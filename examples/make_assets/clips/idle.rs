//! Idle: breathing, and weight that goes from one leg to the other.

use crate::mannequin::controls::{Stage, Upper};
use crate::mannequin::feet::{Plant, contacts, foot_at};
use crate::mannequin::film::{Film, Motion};
use crate::mannequin::gait;
use crate::mannequin::steps::{AT_EASE, FOREVER, LONG_AGO, SHUFFLE, Spot, plant};
use crate::mannequin::trig::{cos, sin};
use glam::DVec3;

const SECS: f64 = 4.0;

pub fn idle() -> Film {
    let plants = at_ease();
    let stage = |secs: f64| Stage {
        root: DVec3::ZERO,
        over: DVec3::ZERO,
        root_yaw: 0.0,
        heading: 0.0,
        feet: [foot_at(&plants[0], secs), foot_at(&plants[1], secs)],
        upper: upper(secs / SECS),
        holds: None,
    };
    Motion {
        name: "Idle",
        last_frame: 120,
        loops: true,
        ground_speed: 0.0,
        smooth_secs: 0.1,
        contacts: contacts(&plants),
        blinks: &[(38, 41), (96, 99)],
        armed: false,
        stage: &stage,
    }
    .shoot()
}

/// Feet that never move.
pub fn at_ease() -> [Vec<Plant>; 2] {
    let spot = Spot {
        place: DVec3::ZERO,
        yaw: 0.0,
    };
    std::array::from_fn(|side| vec![plant(side, spot, AT_EASE[side], SHUFFLE, LONG_AGO, FOREVER)])
}

fn upper(turns: f64) -> Upper {
    // The weight rests on each leg for a while before it goes over.
    let shift = 1.1 * sin(turns) + 0.1 * sin(3.0 * turns);
    let mut upper = gait::stand(turns - 0.1, -0.25 + 0.75 * shift);
    upper.head.yaw += 4.0 * sin(turns - 0.12) + 1.5 * cos(2.0 * turns);
    upper
}
