//! Long_661: 22 s of walking, waving, turning around, running back, a shrug, a bow, and turning again.

use crate::mannequin::controls::{Arm, Stage, Upper};
use crate::mannequin::feet::{Style, contacts, foot_at};
use crate::mannequin::film::{Film, Motion};
use crate::mannequin::gait;
use crate::mannequin::steps::{
    AT_EASE, RUN, RUNNING, SHUFFLE, Spot, Stand, Step, WALK, WALKING, stances, travelled,
};
use crate::mannequin::trig::{curve, sin, smootherstep, smoothstep};
use glam::DVec3;

const LAST: usize = 660;
const SECS: f64 = 22.0;
const WALK_SPEED: f64 = 1.3;
const RUN_SPEED: f64 = 3.3;

/// How a foot comes down: style, where it stands beside the root, and seconds after which the root is over it.
type Manner = (Style, Stand, f64);
const WALKED: Manner = (WALK, WALKING, 0.267);
const RAN: Manner = (RUN, RUNNING, 0.10);

/// Side, seconds at which the foot leaves, and at which it comes down.
const STEPS: [(usize, f64, f64); 30] = [
    (0, 1.07, 1.45),
    (1, 1.57, 1.95),
    (0, 2.07, 2.45),
    (1, 2.57, 2.95),
    (0, 3.07, 3.45),
    (1, 3.57, 3.95),
    (0, 4.07, 4.45),
    (1, 4.57, 4.95),
    (0, 5.07, 5.45),
    (1, 5.57, 5.95),
    (0, 6.07, 6.45),
    (1, 6.57, 6.95),
    (0, 7.08, 7.45),
    (0, 10.75, 11.10),
    (1, 11.15, 11.50),
    (0, 11.55, 11.88),
    (1, 11.93, 12.25),
    (0, 12.55, 12.90),
    (1, 12.90, 13.22),
    (0, 13.16, 13.55),
    (1, 13.46, 13.88),
    (0, 13.79, 14.21),
    (1, 14.12, 14.54),
    (0, 14.45, 14.87),
    (1, 14.78, 15.20),
    (0, 15.13, 15.55),
    (1, 15.58, 15.95),
    (0, 18.85, 19.20),
    (1, 19.25, 19.60),
    (0, 19.65, 20.0),
];
/// The last one, to where it began.
const LAST_STEP: (usize, f64, f64) = (1, 20.05, 20.38);

pub fn long() -> Film {
    let all = || STEPS.iter().chain(std::iter::once(&LAST_STEP));
    let steps: Vec<Step> = all()
        .map(|&(side, off, strike)| step(side, off, strike))
        .collect();
    let plants = stances(path(0.0), &steps);
    let beats = phases(&steps);
    let stage = |secs: f64| {
        let Spot { place, yaw } = path(secs);
        Stage {
            root: place,
            over: place,
            root_yaw: yaw,
            heading: yaw,
            feet: [foot_at(&plants[0], secs), foot_at(&plants[1], secs)],
            upper: upper(secs, phase(&beats, secs)),
            holds: None,
        }
    };
    Motion {
        name: "Long_661",
        last_frame: LAST,
        loops: true,
        ground_speed: 0.0,
        smooth_secs: 0.08,
        contacts: contacts(&plants),
        blinks: &[
            (20, 23),
            (118, 121),
            (226, 229),
            (250, 253),
            (318, 322),
            (372, 375),
            (486, 490),
            (540, 543),
            (566, 570),
            (630, 633),
        ],
        armed: false,
        stage: &stage,
    }
    .shoot()
}

/// Where the root is: ahead, around, back, and around again.
fn path(secs: f64) -> Spot {
    let out = WALK_SPEED * (travelled(0.95, 1.75, secs) - travelled(6.1, 7.2, secs));
    let length = WALK_SPEED * 5.3;
    // The run back is as long as the walk was.
    let slowing = 12.9 + length / RUN_SPEED;
    let back =
        RUN_SPEED * (travelled(12.5, 13.3, secs) - travelled(slowing - 0.5, slowing + 0.5, secs));
    let yaw = 180.0 * (smootherstep(10.65, 12.1, secs) + smootherstep(18.75, 20.25, secs));
    Spot {
        place: DVec3::Z * (out - back),
        yaw,
    }
}

fn step(side: usize, off: f64, strike: f64) -> Step {
    let (style, stand, lead) = match strike {
        s if s < 7.2 => WALKED,
        s if (12.5..15.3).contains(&s) => RAN,
        _ => (SHUFFLE, AT_EASE[side], 0.4),
    };
    Step {
        side,
        off,
        strike,
        style,
        stand,
        spot: path(strike + lead),
    }
}

/// When each foot strikes, counted in cycles: the left one on whole numbers, the right one half a cycle later.
fn phases(steps: &[Step]) -> Vec<(f64, f64)> {
    let mut count = -1.0;
    let mut out = Vec::new();
    for step in steps {
        let half = 0.5 * step.side as f64;
        count = f64::floor(count - half) + 1.0 + half;
        out.push((step.strike, count));
    }
    out
}

/// Cycles at a time: straight between strikes, rounded off.
fn phase(beats: &[(f64, f64)], secs: f64) -> f64 {
    const TAPS: i32 = 8;
    const REACH: f64 = 0.25;
    let straight = |t: f64| {
        let i = beats
            .partition_point(|b| b.0 <= t)
            .clamp(1, beats.len() - 1);
        let (a, b) = (beats[i - 1], beats[i]);
        a.1 + (b.1 - a.1) * (t - a.0) / (b.0 - a.0)
    };
    let (mut sum, mut weights) = (0.0, 0.0);
    for tap in -TAPS..=TAPS {
        let u = f64::from(tap) / f64::from(TAPS + 1);
        let weight = (1.0 - u * u) * (1.0 - u * u);
        sum += weight * straight(secs + u * REACH);
        weights += weight;
    }
    sum / weights
}

fn upper(secs: f64, phase: f64) -> Upper {
    let keys = |keys: &[(f64, f64)]| curve(keys, secs);
    let shift = keys(&[
        (0.2, 0.0),
        (0.95, -0.8),
        (1.4, 0.0),
        (7.3, 0.3),
        (8.0, 0.7),
        (9.8, 0.6),
        (10.6, -0.9),
        (11.1, 0.6),
        (11.5, -0.6),
        (11.9, 0.5),
        (12.3, -0.3),
        (12.6, 0.0),
        (16.0, 0.2),
        (16.6, -0.6),
        (18.2, -0.2),
        (18.8, -0.9),
        (19.2, 0.6),
        (19.6, -0.6),
        (20.0, 0.6),
        (20.6, 0.4),
        (21.8, 0.0),
    ]);
    let walking = keys(&[(0.95, 0.0), (1.6, 1.0), (6.2, 1.0), (7.3, 0.0)]);
    let running = keys(&[(12.45, 0.0), (13.2, 1.0), (14.7, 1.0), (15.7, 0.0)]);
    let mut upper = gait::stand(secs * 5.0 / SECS, shift)
        .mix(&gait::walk(phase), walking)
        .mix(&gait::run(phase), running);
    // Leans into starting and out of stopping.
    let push = keys(&[
        (0.8, 0.0),
        (1.25, 3.0),
        (1.9, 0.0),
        (6.0, 0.0),
        (6.8, -3.5),
        (7.5, 1.0),
        (8.0, 0.0),
    ]) + keys(&[
        (12.2, 0.0),
        (12.75, 14.0),
        (13.5, 2.0),
        (14.3, 0.0),
        (15.0, -13.0),
        (15.7, 4.0),
        (16.2, 0.0),
    ]);
    upper.chest.pitch += push;
    upper.hips.pitch += 0.6 * push;
    upper.head.pitch += 0.4 * push;
    upper.surge += 0.0022 * push;
    turn_around(&mut upper, secs);
    wave(&mut upper, secs);
    shrug(&mut upper, secs);
    bow(&mut upper, secs);
    upper
}

/// Head and chest go before the feet; a little lower while stepping.
fn turn_around(upper: &mut Upper, secs: f64) {
    let ahead = |by: f64| path(secs + by).yaw - path(secs).yaw;
    upper.chest.yaw += 0.5 * ahead(0.1);
    upper.head.yaw += 0.7 * ahead(0.25);
    let lower = smoothstep(10.6, 11.0, secs) * smoothstep(12.5, 12.1, secs)
        + smoothstep(18.7, 19.1, secs) * smoothstep(20.7, 20.3, secs);
    upper.height -= 0.016 * lower;
    for (arm, outward) in upper.arms.iter_mut().zip([-1.0, 1.0]) {
        arm.swing -= 0.35 * ahead(0.1) * outward;
        arm.lift += 0.15 * ahead(0.1);
        arm.bend += 0.4 * ahead(0.1);
    }
}

/// The right arm goes up and waves.
fn wave(upper: &mut Upper, secs: f64) {
    let up = curve(&[(7.75, 0.0), (8.3, 1.0), (9.75, 1.0), (10.4, 0.0)], secs);
    let envelope = smoothstep(8.1, 8.5, secs) * smoothstep(9.9, 9.5, secs);
    let to_and_fro = |lag: f64| envelope * sin(2.1 * (secs - 8.2 - lag));
    let raised = Arm {
        shrug: 9.0,
        reach: 4.0,
        swing: 12.0,
        lift: 78.0 + 3.0 * to_and_fro(0.0),
        twist: -82.0 + 9.0 * to_and_fro(0.03),
        bend: 92.0 + 20.0 * to_and_fro(0.06),
        pronate: 30.0,
        flex: 4.0,
        tilt: 14.0 * to_and_fro(0.13),
        curl: 0.08 + 0.04 * to_and_fro(0.18),
        spread: 0.8,
    };
    upper.arms[1] = upper.arms[1].mix(&raised, up);
    upper.chest.roll += 4.0 * up + 0.8 * to_and_fro(0.0);
    upper.chest.yaw -= 5.0 * up;
    upper.head.roll -= 4.0 * up;
    upper.head.pitch += 3.0 * curve(&[(8.7, 0.0), (8.95, 1.0), (9.2, -0.3), (9.5, 0.0)], secs);
    upper.arms[0].swing -= 4.0 * up;
}

/// Both palms up: where did it go?
fn shrug(upper: &mut Upper, secs: f64) {
    let up = curve(
        &[
            (16.15, 0.0),
            (16.5, 1.06),
            (16.75, 1.0),
            (17.05, 1.0),
            (17.5, 0.0),
        ],
        secs,
    );
    for (side, arm) in upper.arms.iter_mut().enumerate() {
        let shrugged = Arm {
            shrug: 14.0,
            reach: 2.0,
            swing: 14.0,
            lift: 24.0,
            twist: -18.0,
            bend: 74.0 - 6.0 * side as f64,
            pronate: -78.0,
            flex: -22.0,
            tilt: 0.0,
            curl: 0.12,
            spread: 0.7,
        };
        *arm = arm.mix(&shrugged, up);
    }
    upper.head.roll += 8.0 * up;
    upper.head.yaw += curve(
        &[(16.2, 0.0), (16.5, 12.0), (16.95, -10.0), (17.4, 0.0)],
        secs,
    );
    upper.chest.pitch -= 3.0 * up;
}

/// A bow with the right hand on the chest.
fn bow(upper: &mut Upper, secs: f64) {
    let down = curve(
        &[(17.3, 0.0), (17.85, 1.0), (18.15, 1.0), (18.75, 0.0)],
        secs,
    );
    let early = curve(&[(17.2, 0.0), (17.7, 1.0), (18.2, 1.0), (18.7, 0.0)], secs);
    upper.hips.pitch += 22.0 * down;
    upper.surge -= 0.075 * down;
    upper.chest.pitch += 40.0 * down;
    upper.head.pitch += 34.0
        * curve(
            &[(17.25, 0.0), (17.8, 1.0), (18.1, 1.0), (18.85, 0.0)],
            secs,
        );
    let held = Arm {
        shrug: 4.0,
        reach: 8.0,
        swing: 34.0,
        lift: 22.0,
        twist: 52.0,
        bend: 118.0,
        pronate: 10.0,
        flex: 12.0,
        curl: 0.14,
        ..Arm::default()
    };
    upper.arms[1] = upper.arms[1].mix(&held, early);
    upper.arms[0].swing -= 16.0 * early;
    upper.arms[0].lift += 10.0 * early;
}
