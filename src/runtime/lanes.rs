//! Eight tracks at a time: plain loops over arrays, which the compiler turns into vector instructions.
//!
//! Every lane does the same IEEE 754 operations in the same order whatever the number of lanes, so one
//! joint alone (one lane) gives the very bits of the whole pose.

use super::spline::{Tangents, Window, segment};

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

    /// Sets a lane to the segment of a window whose signs are aligned; a lane past the group is ignored.
    pub(super) fn set(&mut self, lane: usize, w: &Window<f32, C>, tangents: Tangents, step: bool) {
        if lane >= L {
            return;
        }
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
pub(super) trait Evaluate<const C: usize, const L: usize> {
    /// The values at `frame + fraction`.
    fn values(&self, frame: f32, fraction: f32) -> Values<C, L>;

    /// `fraction` of the way from the values at one frame to those at the next.
    fn between(&self, a: &Values<C, L>, b: &Values<C, L>, fraction: f32) -> Values<C, L>;
}

impl<const L: usize> Evaluate<3, L> for Group<3, L> {
    #[inline]
    fn values(&self, frame: f32, fraction: f32) -> Values<3, L> {
        self.evaluate(frame, fraction)
    }

    #[inline]
    fn between(&self, a: &Values<3, L>, b: &Values<3, L>, fraction: f32) -> Values<3, L> {
        let u = self.weights(fraction);
        let mut out = *a;
        for c in 0..3 {
            for l in 0..L {
                out[c][l] = a[c][l] + (b[c][l] - a[c][l]) * u[l];
            }
        }
        out
    }
}

impl<const L: usize> Evaluate<4, L> for Group<4, L> {
    /// Unit quaternions.
    #[inline]
    fn values(&self, frame: f32, fraction: f32) -> Values<4, L> {
        let mut out = self.evaluate(frame, fraction);
        normalise(&mut out);
        out
    }

    /// Along the shorter great arc.
    #[inline]
    fn between(&self, a: &Values<4, L>, b: &Values<4, L>, fraction: f32) -> Values<4, L> {
        slerp(a, b, &self.weights(fraction))
    }
}

/// Squared lengths below this have no direction worth the name.
const MIN_SQUARE: f32 = 1e-12;

/// Scales quaternions to length 1; those of no length become the identity.
#[inline]
fn normalise<const L: usize>(q: &mut Values<4, L>) {
    let [x, y, z, w] = q;
    for l in 0..L {
        let square = (x[l] * x[l] + y[l] * y[l]) + (z[l] * z[l] + w[l] * w[l]);
        let usable = square > MIN_SQUARE;
        let factor = if usable { 1.0 / square.sqrt() } else { 0.0 };
        x[l] *= factor;
        y[l] *= factor;
        z[l] *= factor;
        w[l] = w[l] * factor + if usable { 0.0 } else { 1.0 };
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

#[inline]
fn polynomial<const N: usize>(coefficients: &[f32; N], z: f32) -> f32 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * z + c)
}

/// Spherical interpolation, lane by lane, to within 1e-6 radians.
///
/// With `t` the angle between the four-vectors, the weights are `sin((1 - u) t) / sin t` and
/// `sin(u t) / sin t`; the common divisor goes away in the final scaling to length 1, and what is left
/// depends on `t^2` alone, which is a polynomial of the squared chord: no square root, no branch, and full
/// precision for the small angles between frames, where the arc cosine has none.
#[inline]
fn slerp<const L: usize>(a: &Values<4, L>, b: &Values<4, L>, u: &[f32; L]) -> Values<4, L> {
    let mut out = *a;
    for l in 0..L {
        let dot = (a[0][l] * b[0][l] + a[1][l] * b[1][l]) + (a[2][l] * b[2][l] + a[3][l] * b[3][l]);
        let sign = if dot < 0.0 { -1.0 } else { 1.0 };
        let (x, y) = (a[0][l] - sign * b[0][l], a[1][l] - sign * b[1][l]);
        let (z, w) = (a[2][l] - sign * b[2][l], a[3][l] - sign * b[3][l]);
        let quarter = 0.25 * ((x * x + y * y) + (z * z + w * w));
        let angle2 = 4.0 * quarter * polynomial(&ARC, quarter);
        let (v, u) = (1.0 - u[l], u[l]);
        let wa = v * polynomial(&SINE, v * v * angle2);
        let wb = sign * (u * polynomial(&SINE, u * u * angle2));
        for c in 0..4 {
            out[c][l] = a[c][l] * wa + b[c][l] * wb;
        }
    }
    normalise(&mut out);
    out
}
