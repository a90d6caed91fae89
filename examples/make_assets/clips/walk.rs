//! Walk, Walk_RootMotion and Run: gaits that repeat.

use crate::mannequin::controls::{Stage, Upper};
use crate::mannequin::feet::{contacts, foot_at};
use crate::mannequin::film::{Film, Motion};
use crate::mannequin::gait;
use crate::mannequin::steps::{Gait, RUN_GAIT, WALK_GAIT};

/// One cycle in place.
pub fn walk() -> Film {
    steady("Walk", &WALK_GAIT, 1, WALK_GAIT.speed_m_s, gait::walk)
}

/// Four steps ahead.
pub fn walk_root_motion() -> Film {
    steady("Walk_RootMotion", &WALK_GAIT, 2, 0.0, gait::walk)
}

/// One cycle in place.
pub fn run() -> Film {
    steady("Run", &RUN_GAIT, 1, RUN_GAIT.speed_m_s, gait::run)
}

fn steady(
    name: &'static str,
    gait: &Gait,
    cycles: i32,
    ground_speed: f64,
    upper: fn(f64) -> Upper,
) -> Film {
    let plants = gait.plants(cycles);
    let stage = |secs: f64| Stage {
        root: gait.root(secs),
        over: gait.root(secs),
        root_yaw: 0.0,
        heading: 0.0,
        feet: [foot_at(&plants[0], secs), foot_at(&plants[1], secs)],
        upper: upper(secs / gait.period_secs),
        holds: None,
    };
    let frames = (gait.period_secs * 30.0).round() as usize * cycles as usize;
    Motion {
        name,
        last_frame: frames,
        loops: true,
        ground_speed,
        smooth_secs: 0.08 * gait.period_secs,
        contacts: contacts(&plants),
        blinks: &[],
        armed: false,
        stage: &stage,
    }
    .shoot()
}
