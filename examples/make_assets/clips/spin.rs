//! Spin: two full turns on the ball of the left foot.

use crate::mannequin::controls::{Foot, Stage, Tilt, Upper};
use crate::mannequin::feet::{Contact, Plant, Point, foot_at, on_ball};
use crate::mannequin::film::{Film, Motion};
use crate::mannequin::gait;
use crate::mannequin::rig::{BALL, offset};
use crate::mannequin::steps::{AT_EASE, FOREVER, LONG_AGO, SHUFFLE, Spot, plant};
use crate::mannequin::trig::{curve, smootherstep, smoothstep, turn};
use glam::DVec3;

const TURNS: f64 = 720.0;
/// Seconds at which the heel of the standing foot leaves and returns, and the same for the other foot.
const HEEL_OFF: f64 = 0.5;
const HEEL_ON: f64 = 2.1;
const LIFT: f64 = 0.6;
const DOWN: f64 = 2.0;
const LAST: usize = 84;

pub fn spin() -> Film {
    let spot = |yaw: f64| Spot {
        place: DVec3::ZERO,
        yaw,
    };
    let stand =
        |side: usize, yaw: f64| plant(side, spot(yaw), AT_EASE[side], SHUFFLE, LONG_AGO, FOREVER);
    let ball = ball_of(&stand(0, 0.0));
    let stage = |secs: f64| {
        let over = DVec3::new(ball.x, 0.0, ball.z);
        let before = Plant {
            off: LIFT,
            ..stand(1, 0.0)
        };
        Stage {
            root: DVec3::ZERO,
            over: over * curve(&[(0.1, 0.0), (0.68, 1.0), (1.85, 1.0), (2.45, 0.0)], secs),
            root_yaw: TURNS * smootherstep(0.4, 2.15, secs),
            heading: heading(secs),
            feet: [
                on_ball(ball, standing_yaw(secs), rise(secs)),
                free_foot(secs, over, &before, &stand(1, TURNS)),
            ],
            upper: upper(secs),
            holds: None,
        }
    };
    Motion {
        name: "Spin",
        last_frame: LAST,
        loops: false,
        ground_speed: 0.0,
        smooth_secs: 0.08,
        contacts: contacts(),
        blinks: &[],
        armed: false,
        stage: &stage,
    }
    .shoot()
}

fn contacts() -> Vec<Contact> {
    let end = LAST as f64 / 30.0;
    let contact = |side, point, from, to| Contact {
        side,
        point,
        from,
        to,
    };
    vec![
        contact(0, Point::Heel, 0.0, HEEL_OFF),
        contact(0, Point::Ball, 0.0, end),
        contact(0, Point::Heel, HEEL_ON, end),
        contact(1, Point::Heel, 0.0, LIFT - SHUFFLE.push_secs),
        contact(1, Point::Ball, 0.0, LIFT),
        contact(1, Point::Heel, DOWN, end),
        contact(1, Point::Ball, DOWN, end),
    ]
}

fn ball_of(plant: &Plant) -> DVec3 {
    let foot = foot_at(std::slice::from_ref(plant), 0.0);
    foot.ankle() + turn(DVec3::Y, foot.yaw) * offset(BALL)
}

/// Winds up to the right, goes around twice, and swings a little too far.
fn heading(secs: f64) -> f64 {
    curve(
        &[(0.0, 0.0), (0.44, -34.0), (2.05, TURNS + 9.0), (2.5, TURNS)],
        secs,
    )
}

fn standing_yaw(secs: f64) -> f64 {
    AT_EASE[0].out_degrees + TURNS * smoothstep(HEEL_OFF, HEEL_ON, secs)
}

fn rise(secs: f64) -> f64 {
    curve(
        &[(HEEL_OFF, 0.0), (0.78, 34.0), (1.7, 34.0), (HEEL_ON, 0.0)],
        secs,
    )
}

/// Leaves the ground, is drawn up to the other knee, and is set down.
fn free_foot(secs: f64, over: DVec3, before: &Plant, after: &Plant) -> Foot {
    let drawn = turn(DVec3::Y, heading(secs)) * DVec3::new(-0.085, 0.0, 0.075) + over;
    let drawn = Foot {
        x: drawn.x,
        y: 0.50,
        z: drawn.z,
        yaw: heading(secs) - 22.0,
        pitch: 52.0,
        toe: 12.0,
    };
    let up = smoothstep(LIFT, 0.95, secs) * smoothstep(DOWN, 1.62, secs);
    let ground = if secs < 1.3 { before } else { after };
    foot_at(std::slice::from_ref(ground), secs).mix(&drawn, up)
}

fn upper(secs: f64) -> Upper {
    let keys = |keys: &[(f64, f64)]| curve(keys, secs);
    let mut upper = gait::stand(0.0, 0.0);
    let spinning = keys(&[(0.5, 0.0), (0.85, 1.0), (1.65, 1.0), (2.1, 0.0)]);
    upper.height += keys(&[
        (0.0, 0.0),
        (0.45, -0.085),
        (0.85, 0.07),
        (1.6, 0.07),
        (2.1, -0.07),
        (2.6, 0.0),
    ]);
    upper.surge -= 0.012 * spinning;
    upper.sway -= keys(&[
        (0.0, 0.0),
        (0.4, 0.03),
        (0.75, 0.04),
        (1.8, 0.04),
        (2.4, 0.0),
    ]);
    upper.hips = upper.hips.mix(&Tilt::new(0.0, -4.0, 1.0), spinning);
    let wind = keys(&[
        (0.0, 0.0),
        (0.42, -20.0),
        (0.72, 14.0),
        (1.3, 4.0),
        (1.95, -6.0),
        (2.2, 6.0),
        (2.6, 0.0),
    ]);
    upper.chest = upper.chest.mix(&Tilt::new(0.0, 0.0, -3.0), spinning);
    upper.chest.yaw += wind;
    upper.chest.pitch += keys(&[
        (0.0, 0.0),
        (0.44, 9.0),
        (0.8, 0.0),
        (1.8, 0.0),
        (2.12, 7.0),
        (2.6, 0.0),
    ]);
    // The face looks ahead as long as it can, then whips around before the body.
    let heading = heading(secs);
    let around = (heading / 360.0).floor() * 360.0;
    let spotted = around + 360.0 * smoothstep(75.0, 285.0, heading - around);
    upper.head = Tilt::new(spotted - heading, 0.0, 1.0 + 2.0 * spinning);
    let arms = &mut upper.arms;
    for (side, arm) in arms.iter_mut().enumerate() {
        let left = side == 0;
        let wound = keys(&[(0.0, 0.0), (0.44, 1.0), (0.7, 0.0)]);
        let open = keys(&[(1.68, 0.0), (2.1, 1.0), (2.75, 0.0)]);
        let (swing, lift, bend) = if left {
            (-18.0, 58.0, 22.0)
        } else {
            (52.0, 22.0, 58.0)
        };
        arm.swing += swing * wound + 46.0 * spinning + 6.0 * open;
        arm.lift += lift * wound + 24.0 * spinning + 46.0 * open;
        arm.bend += bend * wound + 78.0 * spinning + 4.0 * open;
        arm.twist += 16.0 * spinning;
        arm.pronate += 8.0 * spinning - 10.0 * open;
        arm.shrug += 3.0 * open;
        arm.curl -= 0.06 * spinning + 0.1 * open;
    }
    upper
}
