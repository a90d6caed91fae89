//! Sines and easing curves that come out the same on every machine; the system's sine may differ in the
//! last digit.

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

/// As [`smoothstep`], with continuous acceleration.
pub fn smootherstep(from: f64, to: f64, x: f64) -> f64 {
    let u = ((x - from) / (to - from)).clamp(0.0, 1.0);
    u * u * u * (u * (6.0 * u - 15.0) + 10.0)
}

/// Cubic Hermite on `u` in `[0, 1]`, from `a` with slope `ma` to `b` with slope `mb`.
pub fn hermite(a: f64, ma: f64, b: f64, mb: f64, u: f64) -> f64 {
    let (u2, u3) = (u * u, u * u * u);
    let start = (2.0 * u3 - 3.0 * u2 + 1.0) * a + (u3 - 2.0 * u2 + u) * ma;
    start + (3.0 * u2 - 2.0 * u3) * b + (u3 - u2) * mb
}

/// The lesser of two numbers, rounded off where they come within `reach` of each other; never above either.
pub fn soft_min(a: f64, b: f64, reach: f64) -> f64 {
    let h = (reach - (a - b).abs()).max(0.0) / reach;
    a.min(b) - h * h * reach / 4.0
}

/// A curve through `(secs, value)` keys that is level at its peaks and never overshoots a key (Fritsch and
/// Butland, 1984: monotone piecewise cubic interpolation). Before the first and after the last key it rests.
pub fn curve(keys: &[(f64, f64)], secs: f64) -> f64 {
    let (first, last) = (keys[0], keys[keys.len() - 1]);
    if secs <= first.0 {
        return first.1;
    }
    if secs >= last.0 {
        return last.1;
    }
    let i = keys.partition_point(|k| k.0 <= secs) - 1;
    let (a, b) = (keys[i], keys[i + 1]);
    let step = b.0 - a.0;
    let u = (secs - a.0) / step;
    hermite(
        a.1,
        slope(keys, i) * step,
        b.1,
        slope(keys, i + 1) * step,
        u,
    )
}

/// Slope at a key: a weighted harmonic mean of the slopes on either side, 0 at peaks and ends.
fn slope(keys: &[(f64, f64)], i: usize) -> f64 {
    if i == 0 || i + 1 == keys.len() {
        return 0.0;
    }
    let (a, b, c) = (keys[i - 1], keys[i], keys[i + 1]);
    let (before, after) = ((b.1 - a.1) / (b.0 - a.0), (c.1 - b.1) / (c.0 - b.0));
    if before * after <= 0.0 {
        return 0.0;
    }
    let share = (1.0 + (c.0 - b.0) / (c.0 - a.0)) / 3.0;
    before * after / (share * after + (1.0 - share) * before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_are_those_of_the_system() {
        for k in -300..300 {
            let turns = f64::from(k) * 0.0137;
            let radians = turns * std::f64::consts::TAU;
            assert!((sin(turns) - radians.sin()).abs() < 1e-12, "{turns}");
            assert!((cos(turns) - radians.cos()).abs() < 1e-12, "{turns}");
        }
    }

    #[test]
    fn curves_go_through_their_keys_and_stay_between_them() {
        let keys = [(0.0, 1.0), (0.3, 4.0), (0.5, 4.5), (2.0, -1.0), (2.1, 0.0)];
        for pair in keys.windows(2) {
            assert!((curve(&keys, pair[0].0) - pair[0].1).abs() < 1e-12);
            let (low, high) = (pair[0].1.min(pair[1].1), pair[0].1.max(pair[1].1));
            for k in 0..=20 {
                let secs = pair[0].0 + (pair[1].0 - pair[0].0) * f64::from(k) / 20.0;
                let value = curve(&keys, secs);
                assert!(
                    (low - 1e-12..=high + 1e-12).contains(&value),
                    "{secs}: {value}"
                );
            }
        }
        assert_eq!((curve(&keys, -1.0), curve(&keys, 9.0)), (1.0, 0.0));
    }

    #[test]
    fn the_soft_minimum_is_below_both() {
        for k in 0..40 {
            let (a, b) = (0.5, f64::from(k) * 0.025);
            let soft = soft_min(a, b, 0.2);
            assert!(soft <= a.min(b) && soft >= a.min(b) - 0.05 - 1e-12);
        }
    }
}
