//! The body over the feet: how pelvis, chest, head and arms move while standing, walking and running.
//!
//! `phase` counts cycles; the left foot strikes at whole numbers, the right one half a cycle later. What
//! follows another part does so later in phase, which is how it would lag if a spring drew it.

use super::controls::{Arm, Tilt, Upper};
use super::trig::{cos, sin};

/// A relaxed arm at the side.
const HANGING: Arm = Arm {
    shrug: -4.0,
    reach: 0.0,
    swing: 1.0,
    lift: 9.0,
    twist: 14.0,
    bend: 17.0,
    pronate: 12.0,
    flex: 4.0,
    tilt: 0.0,
    curl: 0.24,
    spread: 0.1,
};

/// At ease; `breath` counts breaths, `shift` goes from -1 (weight on the right) to 1 (left).
pub fn stand(breath: f64, shift: f64) -> Upper {
    let air = sin(breath);
    let later = sin(breath - 0.1);
    let arm = |s: f64| Arm {
        shrug: HANGING.shrug + 1.1 * air - 0.9 * shift * s,
        reach: 0.5 * air,
        swing: HANGING.swing - 0.8 * later + 0.7 * shift * s,
        lift: HANGING.lift + 0.8 * air + 1.2 * shift * s,
        bend: HANGING.bend + 1.6 * later + 2.0 * s,
        curl: HANGING.curl + 0.012 * sin(breath - 0.22) + 0.02 * s,
        ..HANGING
    };
    Upper {
        stretch: 0.9965,
        height: 0.941 + 0.0022 * air - 0.004 * shift * shift,
        sway: 0.026 * shift,
        surge: 0.012 + 0.002 * air,
        hips: Tilt::new(-2.2 * shift, 2.6 * shift, 1.5),
        chest: Tilt::new(1.4 * shift, -2.0 * shift, -0.5 - 1.1 * air),
        head: Tilt::new(2.0 * shift, -0.6 * shift, 1.5 + 0.5 * later),
        arms: [arm(1.0), arm(-1.0)],
    }
}

/// A walk of about 1.3 m/s.
pub fn walk(phase: f64) -> Upper {
    let once = |peak: f64| cos(phase - peak);
    let twice = |peak: f64| cos(2.0 * (phase - peak));
    let arm = |s: f64| {
        // Forward when the other leg strikes.
        let at = |lag: f64| -s * cos(phase - lag);
        Arm {
            shrug: HANGING.shrug + 0.8 * twice(0.28) - 1.2 * s * once(0.25),
            reach: 1.0 + 3.5 * at(0.0),
            swing: 1.0 + 20.0 * at(0.01) + 1.5 * twice(0.05),
            lift: 11.0 - 1.5 * at(0.02),
            twist: 9.0 + 6.0 * at(0.05),
            bend: 21.0 + 11.0 * at(0.07) + 1.5 * twice(0.15),
            pronate: 16.0 - 8.0 * at(0.1),
            flex: 5.0 - 7.0 * at(0.2),
            tilt: 2.0 * at(0.15),
            curl: 0.30 + 0.07 * at(0.16),
            spread: 0.1,
        }
    };
    Upper {
        stretch: 0.992,
        height: 0.935,
        sway: 0.021 * once(0.3),
        surge: 0.018 + 0.007 * sin(2.0 * (phase - 0.08)),
        hips: Tilt::new(-5.5 * once(0.0), 3.2 * once(0.2), 3.0 + 1.2 * twice(0.1)),
        chest: Tilt::new(6.0 * once(0.02), -1.8 * once(0.24), 3.0 + 1.1 * twice(0.06)),
        head: Tilt::new(0.8 * once(0.06), 0.7 * once(0.3), 2.0 - 1.0 * twice(0.12)),
        arms: [arm(1.0), arm(-1.0)],
    }
}

/// A run of about 3.3 m/s.
pub fn run(phase: f64) -> Upper {
    let once = |peak: f64| cos(phase - peak);
    let twice = |peak: f64| cos(2.0 * (phase - peak));
    let arm = |s: f64| {
        let at = |lag: f64| -s * cos(phase - lag);
        Arm {
            shrug: -1.0 + 2.2 * twice(0.3),
            reach: 2.0 + 7.0 * at(0.02),
            swing: -6.0 + 36.0 * at(0.02),
            lift: 15.0 - 5.0 * at(0.04),
            twist: 22.0 + 14.0 * at(0.04),
            bend: 92.0 + 17.0 * at(0.1) - 3.0 * twice(0.2),
            pronate: -4.0 - 8.0 * at(0.1),
            flex: 6.0 - 8.0 * at(0.2),
            tilt: 3.0 * twice(0.25),
            curl: 0.52 + 0.06 * at(0.18),
            spread: 0.0,
        }
    };
    Upper {
        stretch: 0.980,
        height: 0.905 + 0.030 * cos(2.0 * (phase - 0.41)),
        sway: 0.012 * once(0.17),
        surge: 0.05 + 0.006 * sin(2.0 * (phase - 0.1)),
        hips: Tilt::new(-8.5 * once(0.0), 3.5 * once(0.15), 9.0 + 2.5 * twice(0.3)),
        chest: Tilt::new(11.0 * once(0.02), -2.2 * once(0.2), 9.5 + 2.0 * twice(0.12)),
        head: Tilt::new(1.2 * once(0.05), 0.8 * once(0.2), 3.0 - 2.0 * twice(0.14)),
        arms: [arm(1.0), arm(-1.0)],
    }
}
