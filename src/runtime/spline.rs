//! The curve between two keys: one cubic a component.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// How the tangents at the keys follow from the neighbouring keys.
///
/// The numbers are those of the animation section's flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Tangents {
    /// Catmull-Rom that takes keys to be evenly spaced, whatever their times: the published scheme.
    #[default]
    Uniform = 0,
    /// The slope of the chord between the two neighbours in time.
    TimeAware = 1,
    /// The parabola through three keys in time ("Bessel"): fits sampled motion best.
    Parabolic = 2,
    /// Non-uniform Catmull-Rom over the square root of the distance between keys.
    Centripetal = 3,
    /// Non-uniform Catmull-Rom over the distance between keys.
    Chordal = 4,
}

impl Tangents {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 5] = [
        Self::Uniform,
        Self::TimeAware,
        Self::Parabolic,
        Self::Centripetal,
        Self::Chordal,
    ];

    /// The kind with this number.
    pub fn from_id(id: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|&k| k as u8 == id)
    }
}

/// The arithmetic that [`segment`] needs: players use `f32`, fitters `f64`.
pub trait Real:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The nearest number of this type.
    fn from_f32(value: f32) -> Self;
    /// The square root.
    #[must_use]
    fn sqrt(self) -> Self;
}

impl Real for f32 {
    fn from_f32(value: f32) -> Self {
        value
    }

    fn sqrt(self) -> Self {
        self.sqrt()
    }
}

impl Real for f64 {
    fn from_f32(value: f32) -> Self {
        Self::from(value)
    }

    fn sqrt(self) -> Self {
        self.sqrt()
    }
}

/// The keys that shape the segment between `values[1]` and `values[2]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window<R, const C: usize> {
    /// Key before, start, end, key after.
    pub values: [[R; C]; 4],
    /// Their times, increasing, in any unit.
    pub times: [R; 4],
    /// Whether there is a key before; if not, its value and time are not looked at.
    pub has_previous: bool,
    /// Whether there is a key after; if not, its value and time are not looked at.
    pub has_next: bool,
}

impl<R: Real> Window<R, 4> {
    /// Gives neighbouring quaternions the sign that makes their dot product positive or zero: the end
    /// follows the start, the key before the start, the key after the end.
    #[inline]
    pub fn align_signs(&mut self) {
        let [before, start, end, after] = &mut self.values;
        align(end, start);
        align(before, start);
        align(after, end);
    }
}

#[inline]
fn align<R: Real>(q: &mut [R; 4], to: &[R; 4]) {
    let dot = q[0] * to[0] + q[1] * to[1] + q[2] * to[2] + q[3] * to[3];
    if dot < R::from_f32(0.0) {
        *q = q.map(|c| -c);
    }
}

/// The cubic of a segment: `value(u) = c[0] + c[1] u + c[2] u^2 + c[3] u^3`, `u` from 0 to 1 linear in time.
///
/// With the keys `p0 p1 p2 p3` of the window, `t0..t3` their times, and knot spacings `l` before, `h` in and
/// `r` behind the segment, the cubic is the Hermite one with the end values `p1`, `p2` and the tangents
///
/// ```text
/// m1 = a(h, l) (p1 - p0) + b(h, l) (p2 - p1)      m2 = a(h, r) (p3 - p2) + b(h, r) (p2 - p1)
/// c0 = p1    c1 = m1    c2 = 3 (p2 - p1) - 2 m1 - m2    c3 = 2 (p1 - p2) + m1 + m2
/// ```
///
/// and a missing neighbour means the chord: `m = p2 - p1`. The weights, `n` being `l` or `r`:
///
/// | tangents | spacing `h` (likewise `l`, `r`) | `a` | `b` |
/// |---|---|---|---|
/// | uniform | - | 1/2 | 1/2 |
/// | time-aware | `t2 - t1` | `h / (n + h)` | `h / (n + h)` |
/// | parabolic | `t2 - t1` | `h^2 / (n (n + h))` | `n / (n + h)` |
/// | centripetal | square root of the distance from `p1` to `p2` | as parabolic | as parabolic |
/// | chordal | the distance from `p1` to `p2` | as parabolic | as parabolic |
///
/// The last three are the derivative of the quadratic through three knots (Barry and Goldman 1988; Yuksel
/// et al. 2011 for the distances). Guard: `n` is at least `h / 65536`, and where both are zero the
/// weights are 1/2. Key times never reach the guard, coinciding values do.
#[allow(clippy::inline_always)] // Players build thousands a pose; by itself it is inlined only where few do.
#[inline(always)]
pub fn segment<R: Real, const C: usize>(w: &Window<R, C>, tangents: Tangents) -> [[R; C]; 4] {
    let [p0, p1, p2, p3] = w.values;
    let h = spacing(w, 1, tangents);
    let side = |present: bool, left: usize| {
        present.then(|| tangent_weights(h, spacing(w, left, tangents), tangents))
    };
    let (before, after) = (side(w.has_previous, 0), side(w.has_next, 2));
    let (two, three) = (R::from_f32(2.0), R::from_f32(3.0));
    let mut c = [p1; 4];
    for i in 0..C {
        let chord = p2[i] - p1[i];
        let m1 = before.map_or(chord, |(a, b)| a * (p1[i] - p0[i]) + b * chord);
        let m2 = after.map_or(chord, |(a, b)| a * (p3[i] - p2[i]) + b * chord);
        c[1][i] = m1;
        c[2][i] = three * chord - two * m1 - m2;
        c[3][i] = m1 + m2 - two * chord;
    }
    c
}

/// The knot spacing between keys `left` and `left + 1` of the window.
fn spacing<R: Real, const C: usize>(w: &Window<R, C>, left: usize, tangents: Tangents) -> R {
    let (a, b) = (&w.values[left], &w.values[left + 1]);
    let distance = || {
        let mut squares = R::from_f32(0.0);
        for i in 0..C {
            squares = squares + (b[i] - a[i]) * (b[i] - a[i]);
        }
        squares.sqrt()
    };
    match tangents {
        Tangents::Uniform => R::from_f32(1.0),
        Tangents::TimeAware | Tangents::Parabolic => w.times[left + 1] - w.times[left],
        Tangents::Centripetal => distance().sqrt(),
        Tangents::Chordal => distance(),
    }
}

/// `a` and `b` of [`segment`] for the spacing `h` of the segment and `n` of the neighbouring one.
fn tangent_weights<R: Real>(h: R, n: R, tangents: Tangents) -> (R, R) {
    let half = R::from_f32(0.5);
    let least = h / R::from_f32(65536.0);
    let n = if n > least { n } else { least };
    let sum = n + h;
    if !(sum > R::from_f32(0.0)) || tangents == Tangents::Uniform {
        return (half, half);
    }
    if tangents == Tangents::TimeAware {
        return (h / sum, h / sum);
    }
    (h / n * (h / sum), n / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(values: [f64; 4], times: [f64; 4]) -> Window<f64, 1> {
        Window {
            values: values.map(|v| [v]),
            times,
            has_previous: true,
            has_next: true,
        }
    }

    fn at(c: &[[f64; 1]; 4], u: f64) -> f64 {
        ((c[3][0] * u + c[2][0]) * u + c[1][0]) * u + c[0][0]
    }

    #[test]
    fn every_kind_passes_through_its_keys() {
        let w = window([3.0, -1.0, 2.0, 7.0], [0.0, 3.0, 4.0, 9.0]);
        for kind in Tangents::ALL {
            let c = segment(&w, kind);
            assert!((at(&c, 0.0) + 1.0).abs() < 1e-12 && (at(&c, 1.0) - 2.0).abs() < 1e-12);
        }
    }

    #[test]
    fn parabolic_tangents_reproduce_a_parabola_at_uneven_times() {
        let f = |t: f64| 2.0 - t + 0.5 * t * t;
        let times = [0.0, 1.0, 5.0, 7.0];
        let c = segment(&window(times.map(f), times), Tangents::Parabolic);
        for u in [0.1, 0.5, 0.8] {
            assert!((at(&c, u) - f(1.0 + 4.0 * u)).abs() < 1e-12);
        }
    }

    #[test]
    fn even_spacing_makes_all_kinds_the_same_where_distances_are_even_too() {
        let w = window([0.0, 1.0, 2.0, 3.0], [0.0, 2.0, 4.0, 6.0]);
        for kind in Tangents::ALL {
            assert!((at(&segment(&w, kind), 0.3) - 1.3).abs() < 1e-12);
        }
    }

    #[test]
    fn the_published_scheme_ignores_times() {
        let even = window([0.0, 1.0, 4.0, 2.0], [0.0, 1.0, 2.0, 3.0]);
        let uneven = window([0.0, 1.0, 4.0, 2.0], [0.0, 5.0, 6.0, 60.0]);
        let kind = Tangents::Uniform;
        assert_eq!(segment(&even, kind), segment(&uneven, kind));
        // (p2 - p0) / 2 and (p3 - p1) / 2.
        let c = segment(&even, kind);
        assert_eq!(
            (c[1][0], c[1][0] + 2.0 * c[2][0] + 3.0 * c[3][0]),
            (2.0, 0.5)
        );
    }

    #[test]
    fn the_time_aware_slope_is_that_of_the_long_chord() {
        let c = segment(
            &window([0.0, 1.0, 4.0, 2.0], [0.0, 1.0, 4.0, 6.0]),
            Tangents::TimeAware,
        );
        assert!((c[1][0] - 3.0).abs() < 1e-12);
    }

    #[test]
    fn missing_neighbours_mean_a_straight_line() {
        let mut w = window([f64::NAN, 1.0, 4.0, f64::NAN], [0.0, 1.0, 2.0, 3.0]);
        (w.has_previous, w.has_next) = (false, false);
        for kind in Tangents::ALL {
            assert!((at(&segment(&w, kind), 0.25) - 1.75).abs() < 1e-12);
        }
    }

    #[test]
    fn coinciding_keys_stay_finite() {
        for values in [[1.0; 4], [1.0, 1.0, 5.0, 5.0], [0.0, 1.0, 1.0, 2.0]] {
            for kind in Tangents::ALL {
                let c = segment(&window(values, [0.0, 1.0, 2.0, 3.0]), kind);
                assert!(c.iter().all(|c| c[0].is_finite()));
            }
        }
    }

    #[test]
    fn signs_follow_the_start_of_the_segment() {
        let q = [0.5_f64; 4];
        let mut w = Window {
            values: [q.map(|c| -c), q, q.map(|c| -c), q],
            times: [0.0, 1.0, 2.0, 3.0],
            has_previous: true,
            has_next: true,
        };
        w.align_signs();
        assert_eq!(w.values, [q; 4]);
    }
}
