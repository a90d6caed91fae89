//! Eight tracks at a time: plain loops over arrays, which the compiler turns into vector instructions.
//!
//! Every lane does the same IEEE 754 operations in the same order whatever the number of lanes, so one
//! joint alone (one lane) gives the very bits of the whole pose.
// Loops over lanes index several arrays at once.
#![allow(clippy::needless_range_loop)]

use super::spline::{Tangents, Window, segment};
use super::{Channel, Transform};

/// Tracks in a group.
pub(super) const LANES: usize = 8;

/// Values of `L` tracks with `C` components each.
pub(super) type Values<const C: usize, const L: usize> = [[f32; L]; C];

/// The current segments of `L` tracks with `C` components.
#[derive(Clone, Debug)]
pub(super) struct Group<const C: usize, const L: usize> {
    /// Coefficients: power, component, lane.
    cubic: [Values<C, L>; 4],
    /// Position of the segment's start in frames.
    start: [f32; L],
    /// One over the segment's length in frames; 0 where the value does not change.
    per_frame: [f32; L],
    /// 1 for smooth tracks, 0 for step tracks: they hold the value of the frame before.
    blend: [f32; L],
}

impl<const C: usize, const L: usize> Group<C, L> {
    pub(super) fn new() -> Self {
        Self {
            cubic: [[[0.0; L]; C]; 4],
            start: [0.0; L],
            per_frame: [0.0; L],
            blend: [0.0; L],
        }
    }

    /// Sets a lane to the segment of a window; a lane past the group is ignored.
    #[inline]
    pub(super) fn set(&mut self, lane: usize, w: &Window<f32, C>, tangents: Tangents, step: bool)
    where
        Self: Evaluate<C, L>,
    {
        if lane >= L {
            return;
        }
        let w = &Self::aligned(*w);
        let length = w.times[2] - w.times[1];
        let holds = step || !(length > 0.0);
        let cubic = if holds {
            let mut constant = [[0.0; C]; 4];
            constant[0] = w.values[1];
            constant
        } else {
            segment(w, tangents)
        };
        for (power, values) in self.cubic.iter_mut().zip(cubic) {
            for (component, value) in power.iter_mut().zip(values) {
                component[lane] = value;
            }
        }
        self.start[lane] = w.times[1];
        self.per_frame[lane] = if holds { 0.0 } else { 1.0 / length };
        self.blend[lane] = if step { 0.0 } else { 1.0 };
    }

    /// The values at `frame + fraction`, not normalised.
    #[inline]
    fn evaluate(&self, frame: f32, fraction: f32) -> Values<C, L> {
        let mut u = [0.0; L];
        for l in 0..L {
            let x = ((frame - self.start[l]) + fraction) * self.per_frame[l];
            let x = if x > 0.0 { x } else { 0.0 };
            u[l] = if x < 1.0 { x } else { 1.0 };
        }
        let [c0, c1, c2, c3] = &self.cubic;
        let mut out = [[0.0; L]; C];
        for c in 0..C {
            for l in 0..L {
                out[c][l] = ((c3[c][l] * u[l] + c2[c][l]) * u[l] + c1[c][l]) * u[l] + c0[c][l];
            }
        }
        out
    }

    /// How far each lane goes towards the next frame.
    #[inline]
    fn weights(&self, fraction: f32) -> [f32; L] {
        self.blend.map(|b| b * fraction)
    }
}

/// What differs between vectors and rotations.
///
/// The functions that compute stay out of line: they end by storing whole lanes, which is what makes the
/// compiler vectorise them. Merged with the code that writes transforms they would be taken joint by joint.
pub(super) trait Evaluate<const C: usize, const L: usize> {
    /// The values at `frame + fraction`.
    fn values(&self, frame: f32, fraction: f32) -> Values<C, L>;

    /// What [`Evaluate::between`] needs to know about the values at one frame and at the next.
    fn arc(a: &Values<C, L>, b: &Values<C, L>) -> Arc<L>;

    /// `fraction` of the way from the values at one frame to those at the next.
    fn between(
        &self,
        a: &Values<C, L>,
        b: &Values<C, L>,
        arc: &Arc<L>,
        fraction: f32,
    ) -> Values<C, L>;

    /// The window as the spline needs it.
    fn aligned(window: Window<f32, C>) -> Window<f32, C>;

    /// Puts a value into its place.
    fn put(joint: &mut Transform, channel: Channel, value: [f32; C]);
}

/// The values lane by lane.
#[allow(clippy::inline_always)] // A copy between registers; out of line it costs as much as the arc.
#[inline(always)]
pub(super) fn columns<const C: usize, const L: usize>(values: &Values<C, L>) -> [[f32; C]; L] {
    let mut columns = [[0.0; C]; L];
    for l in 0..L {
        for c in 0..C {
            columns[l][c] = values[c][l];
        }
    }
    columns
}

impl<const L: usize> Evaluate<3, L> for Group<3, L> {
    #[inline(never)]
    fn values(&self, frame: f32, fraction: f32) -> Values<3, L> {
        self.evaluate(frame, fraction)
    }

    fn arc(_: &Values<3, L>, _: &Values<3, L>) -> Arc<L> {
        Arc::NONE
    }

    /// Along the straight line.
    #[inline(never)]
    fn between(
        &self,
        a: &Values<3, L>,
        b: &Values<3, L>,
        _: &Arc<L>,
        fraction: f32,
    ) -> Values<3, L> {
        let u = self.weights(fraction);
        let mut out = *a;
        for c in 0..3 {
            for l in 0..L {
                out[c][l] = a[c][l] + (b[c][l] - a[c][l]) * u[l];
            }
        }
        out
    }

    #[inline]
    fn aligned(window: Window<f32, 3>) -> Window<f32, 3> {
        window
    }

    #[inline]
    fn put(joint: &mut Transform, channel: Channel, value: [f32; 3]) {
        match channel {
            Channel::Scale => joint.scale = value,
            _ => joint.translation = value,
        }
    }
}

impl<const L: usize> Evaluate<4, L> for Group<4, L> {
    /// Unit quaternions.
    #[inline(never)]
    fn values(&self, frame: f32, fraction: f32) -> Values<4, L> {
        let mut out = self.evaluate(frame, fraction);
        normalise(&mut out);
        out
    }

    fn arc(a: &Values<4, L>, b: &Values<4, L>) -> Arc<L> {
        Arc::new(a, b)
    }

    /// Along the shorter great arc.
    #[inline(never)]
    fn between(
        &self,
        a: &Values<4, L>,
        b: &Values<4, L>,
        arc: &Arc<L>,
        fraction: f32,
    ) -> Values<4, L> {
        slerp(a, b, arc, &self.weights(fraction))
    }

    #[inline]
    fn aligned(mut window: Window<f32, 4>) -> Window<f32, 4> {
        window.align_signs();
        window
    }

    #[inline]
    fn put(joint: &mut Transform, _: Channel, value: [f32; 4]) {
        joint.rotation = value;
    }
}

/// Squared lengths below this have no direction worth the name.
const MIN_SQUARE: f32 = 1e-12;

/// Scales quaternions to length 1; those of no length become the identity.
#[allow(clippy::inline_always)] // Called at the end of loops that keep everything in registers.
#[inline(always)]
pub(super) fn normalise<const L: usize>(q: &mut Values<4, L>) {
    let [x, y, z, w] = q;
    for l in 0..L {
        let square = (x[l] * x[l] + y[l] * y[l]) + (z[l] * z[l] + w[l] * w[l]);
        // Arithmetic in place of a branch, or the loop stays scalar.
        let usable = f32::from(u8::from(square > MIN_SQUARE));
        let factor = usable / (square * usable + (1.0 - usable)).sqrt();
        x[l] *= factor;
        y[l] *= factor;
        z[l] *= factor;
        w[l] = w[l] * factor + (1.0 - usable);
    }
}

/// `asin(sqrt(z))^2 / z` on `[0, 1/2]`: Chebyshev fit, relative error below 6e-8.
const ARC: [f32; 8] = [
    1.0,
    0.333_342_93,
    0.177_391_44,
    0.120_138_71,
    0.038_555_35,
    0.225_394_36,
    -0.277_681_34,
    0.326_318_33,
];

/// `sin(sqrt(z)) / sqrt(z)` on `[0, (pi/2)^2]`: Chebyshev fit, error below 5e-9.
const SINE: [f32; 5] = [
    1.0,
    -0.166_666_58,
    0.008_333_05,
    -0.000_198_090_46,
    2.605_166_3e-6,
];

/// Pairs of terms first: half as many steps that wait for each other as Horner's rule has.
#[inline]
fn polynomial<const N: usize>(coefficients: &[f32; N], z: f32) -> f32 {
    let square = z * z;
    let pairs = coefficients.chunks(2).rev();
    pairs.fold(0.0, |sum, pair| match *pair {
        [a, b] => sum * square + (a + b * z),
        [a] => a,
        _ => sum,
    })
}

/// What spherical interpolation between two rotations needs to know about them, lane by lane.
///
/// With `t` the angle between the four-vectors, the weights of the two are `sin((1 - u) t) / sin t` and
/// `sin(u t) / sin t`. Written with `sin(x) / x`, which is a polynomial of `x^2`, they depend on `t^2` alone,
/// and that is a polynomial of the squared chord: no branch, and full precision for the small angles between
/// frames, where the arc cosine has none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc<const L: usize> {
    /// `t^2`, of the shorter way.
    angle2: [f32; L],
    /// `t / sin t`.
    first: [f32; L],
    /// The same with the sign that makes the way the shorter one.
    second: [f32; L],
}

impl<const L: usize> Arc<L> {
    pub(super) const NONE: Self = Self {
        angle2: [0.0; L],
        first: [1.0; L],
        second: [1.0; L],
    };

    #[inline(never)]
    pub(super) fn new(a: &Values<4, L>, b: &Values<4, L>) -> Self {
        let mut arc = Self::NONE;
        for l in 0..L {
            let dot =
                (a[0][l] * b[0][l] + a[1][l] * b[1][l]) + (a[2][l] * b[2][l] + a[3][l] * b[3][l]);
            let sign = if dot < 0.0 { -1.0 } else { 1.0 };
            let (x, y) = (a[0][l] - sign * b[0][l], a[1][l] - sign * b[1][l]);
            let (z, w) = (a[2][l] - sign * b[2][l], a[3][l] - sign * b[3][l]);
            let quarter = 0.25 * ((x * x + y * y) + (z * z + w * w));
            let angle2 = 4.0 * quarter * polynomial(&ARC, quarter);
            let scale = 1.0 / polynomial(&SINE, angle2);
            arc.angle2[l] = angle2;
            arc.first[l] = scale;
            arc.second[l] = sign * scale;
        }
        arc
    }
}

/// Spherical interpolation to within 1e-6 radians; unit quaternions give unit quaternions.
#[allow(clippy::inline_always)] // As `columns`.
#[inline(always)]
pub(super) fn slerp<const L: usize>(
    a: &Values<4, L>,
    b: &Values<4, L>,
    arc: &Arc<L>,
    u: &[f32; L],
) -> Values<4, L> {
    let (mut from_a, mut from_b) = ([0.0; L], [0.0; L]);
    for l in 0..L {
        let (v, u) = (1.0 - u[l], u[l]);
        from_a[l] = v * polynomial(&SINE, v * v * arc.angle2[l]) * arc.first[l];
        from_b[l] = u * polynomial(&SINE, u * u * arc.angle2[l]) * arc.second[l];
    }
    let mut out = *a;
    for c in 0..4 {
        for l in 0..L {
            out[c][l] = a[c][l] * from_a[l] + b[c][l] * from_b[l];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against double precision, over all angles and fractions, on the longer side too.
    #[test]
    fn the_arc_is_exact_to_a_microradian() {
        let mut worst = 0.0_f64;
        for i in 0..=200 {
            let half = f64::from(i) / 200.0 * std::f64::consts::FRAC_PI_2;
            for k in 0..=50_u8 {
                let u = f32::from(k) / 50.0;
                for sign in [1.0, -1.0] {
                    let a = [[0.0], [0.0], [0.0], [1.0]];
                    let (s, c) = half.sin_cos();
                    let b = [[(s * sign) as f32], [0.0], [0.0], [(c * sign) as f32]];
                    let [[x], [y], [z], [w]] = slerp(&a, &b, &Arc::new(&a, &b), &[u]);
                    assert!((x * x + y * y + z * z + w * w - 1.0).abs() < 2e-6);
                    let angle = 2.0 * f64::from(x).atan2(f64::from(w));
                    let expected = 2.0 * half * f64::from(u);
                    // At exactly half a turn both ways are as short.
                    if i < 200 {
                        worst = worst.max((angle - expected).abs());
                    }
                }
            }
        }
        assert!(worst < 1e-6, "{worst}");
    }

    #[test]
    fn a_quaternion_of_no_length_becomes_the_identity() {
        let mut q = [[1e-9, 0.0], [0.0, 3.0], [0.0, 0.0], [0.0, 4.0]];
        normalise(&mut q);
        assert_eq!(columns(&q), [[0.0, 0.0, 0.0, 1.0], [0.0, 0.6, 0.0, 0.8]]);
    }
}
