//! Sines that come out the same on every machine; the system's may differ in the last digit.

use glam::{DQuat, DVec3};

/// Sine of an angle in turns: Taylor's series on a quarter turn, good to 1e-15.
pub fn sin(turns: f64) -> f64 {
    let t = turns - turns.round();
    let folded = if t > 0.25 {
        0.5 - t
    } else if t < -0.25 {
        -0.5 - t
    } else {
        t
    };
    let x = folded * std::f64::consts::TAU;
    let (mut term, mut sum) = (x, x);
    for k in 1..12 {
        term *= -x * x / f64::from(2 * k * (2 * k + 1));
        sum += term;
    }
    sum
}

/// Cosine of an angle in turns.
pub fn cos(turns: f64) -> f64 {
    sin(turns + 0.25)
}

/// Rotation about a unit axis by degrees.
pub fn turn(axis: DVec3, degrees: f64) -> DQuat {
    let half = degrees / 720.0;
    let v = axis * sin(half);
    DQuat::from_xyzw(v.x, v.y, v.z, cos(half))
}

/// 0 before `from`, 1 after `to`, smooth between.
pub fn smoothstep(from: f64, to: f64, x: f64) -> f64 {
    let u = ((x - from) / (to - from)).clamp(0.0, 1.0);
    u * u * (3.0 - 2.0 * u)
}

/// Cubic Hermite on `u` in `[0, 1]`, from `a` with slope `ma` to `b` with slope `mb`.
pub fn hermite(a: f64, ma: f64, b: f64, mb: f64, u: f64) -> f64 {
    let (u2, u3) = (u * u, u * u * u);
    let start = (2.0 * u3 - 3.0 * u2 + 1.0) * a + (u3 - 2.0 * u2 + u) * ma;
    start + (3.0 * u2 - 2.0 * u3) * b + (u3 - u2) * mb
}
