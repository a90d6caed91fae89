use super::Value;
use serde::{Deserialize, Serialize};

/// How a player runs between keys: straight lines, or a Catmull-Rom spline with one of five tangents.
///
/// A Catmull-Rom segment from key 1 to key 2 is a Hermite curve in `u`, the linear position in time. Its
/// tangents come from the neighbouring keys 0 and 3; where there is none the chord is taken. The formulas
/// stand with the player, in [`crate::runtime`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Straight lines; great arcs for rotations.
    Linear,
    /// Half the difference of the neighbours, whatever their times: the published scheme.
    Uniform,
    /// The slope between the neighbours, times their own distance in time.
    TimeAware,
    /// The slope of the parabola through the three keys around (Bessel, Overhauser): needs the fewest keys.
    Parabolic,
    /// Parabolic with the square root of the distance between values in the place of time.
    Centripetal,
    /// Parabolic with the distance between values in the place of time.
    Chordal,
}

/// The four keys around a segment.
#[derive(Clone, Copy, Debug)]
pub struct Neighbours {
    /// Times in frames of keys 0 to 3.
    pub time: [f64; 4],
    /// Their values; those of a missing key are never read with a weight other than 0.
    pub value: [Value; 4],
    /// Whether key 0 exists.
    pub has_left: bool,
    /// Whether key 3 exists.
    pub has_right: bool,
}

impl Neighbours {
    /// The position of a frame in the segment, 0 at key 1 and 1 at key 2.
    pub fn position(&self, frame: f64) -> f64 {
        (frame - self.time[1]) / (self.time[2] - self.time[1])
    }
}

impl Basis {
    /// How many keys to each side of a segment decide its course.
    pub fn reach(self) -> usize {
        if self == Self::Linear { 1 } else { 2 }
    }

    /// The weights of the four keys at position `u`.
    pub fn weights(self, n: &Neighbours, u: f64) -> [f64; 4] {
        if self == Self::Linear {
            return [0.0, 1.0 - u, u, 0.0];
        }
        let (u2, u3) = (u * u, u * u * u);
        let (h00, h10) = (2.0 * u3 - 3.0 * u2 + 1.0, u3 - 2.0 * u2 + u);
        let (h01, h11) = (3.0 * u2 - 2.0 * u3, u3 - u2);
        let [hl, h, hr] = self.spacing(n);
        // Tangent at key 1 over keys 0, 1, 2 and at key 2 over keys 3, 2, 1, by symmetry.
        let [a0, a1, a2] = if n.has_left {
            self.tangent(hl, h)
        } else {
            [0.0, -1.0, 1.0]
        };
        let [b3, b2, b1] = if n.has_right {
            self.tangent(hr, h).map(|w| -w)
        } else {
            [0.0, 1.0, -1.0]
        };
        [
            h10 * a0,
            h00 + h10 * a1 + h11 * b1,
            h01 + h10 * a2 + h11 * b2,
            h11 * b3,
        ]
    }

    /// Knot distances left of, in and right of the segment.
    fn spacing(self, n: &Neighbours) -> [f64; 3] {
        let gap = |k: usize| match self {
            Self::Centripetal => (n.value[k + 1] - n.value[k]).length().sqrt(),
            Self::Chordal => (n.value[k + 1] - n.value[k]).length(),
            _ => n.time[k + 1] - n.time[k],
        };
        [gap(0), gap(1), gap(2)]
    }

    /// The tangent, times the segment's length, as weights of (outer key, own key, inner key).
    fn tangent(self, outer: f64, inner: f64) -> [f64; 3] {
        match self {
            Self::Linear => [0.0, -1.0, 1.0],
            Self::Uniform => [-0.5, 0.0, 0.5],
            Self::TimeAware => {
                let s = inner / (outer + inner);
                [-s, 0.0, s]
            }
            Self::Parabolic | Self::Centripetal | Self::Chordal => {
                // Keys with the same value have no distance between them: fall back to the chord.
                if !(outer > 1e-9 && inner > 1e-9) {
                    return [0.0, -1.0, 1.0];
                }
                let sum = outer + inner;
                let (o, i) = (inner * inner / (outer * sum), outer / sum);
                [-o, o - i, i]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec4;

    const CURVED: [Basis; 5] = [
        Basis::Uniform,
        Basis::TimeAware,
        Basis::Parabolic,
        Basis::Centripetal,
        Basis::Chordal,
    ];

    fn neighbours(times: [f64; 4], f: impl Fn(f64) -> f64) -> Neighbours {
        Neighbours {
            time: times,
            value: times.map(|t| DVec4::X * f(t)),
            has_left: true,
            has_right: true,
        }
    }

    #[test]
    fn weights_sum_to_one_and_meet_the_keys() {
        let n = neighbours([0.0, 2.0, 3.0, 7.0], |t| t * t);
        for basis in CURVED {
            for u in [0.0, 0.3, 1.0] {
                assert!(
                    (basis.weights(&n, u).iter().sum::<f64>() - 1.0).abs() < 1e-12,
                    "{basis:?}"
                );
            }
            let (start, end) = (basis.weights(&n, 0.0), basis.weights(&n, 1.0));
            assert!((start[1] - 1.0).abs() < 1e-12 && (end[2] - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn parabolic_tangents_reproduce_a_parabola_on_uneven_keys() {
        let n = neighbours([0.0, 2.0, 3.0, 7.0], |t| 1.0 + t - 0.5 * t * t);
        for t in [2.1, 2.5, 2.9] {
            let w = Basis::Parabolic.weights(&n, n.position(t));
            let v: f64 = (0..4).map(|k| w[k] * n.value[k].x).sum();
            assert!((v - (1.0 + t - 0.5 * t * t)).abs() < 1e-12);
        }
    }

    #[test]
    fn all_tangents_agree_on_even_keys_of_a_line() {
        let n = neighbours([0.0, 1.0, 2.0, 3.0], |t| 3.0 * t);
        for basis in CURVED {
            let w = basis.weights(&n, 0.25);
            let v: f64 = (0..4).map(|k| w[k] * n.value[k].x).sum();
            assert!((v - 3.75).abs() < 1e-12, "{basis:?}");
        }
    }
}
