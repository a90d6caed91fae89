use crate::math::{Channel, slerp};
use glam::{DQuat, DVec3};

/// How a source curve runs between its keys (glTF 2.0, appendix C).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// Holds the value of the key to the left.
    Step,
    /// Straight line; great arc for rotations.
    Linear,
    /// Hermite spline with stored tangents: each key is in-tangent, value, out-tangent.
    Cubic,
}

/// How long before a key's time it is held already, seconds: key times are rounded to 32-bit floats in
/// files, and a frame that should lie on a key must not show what stands before it.
pub fn step_slack_secs(secs: f64) -> f64 {
    1e-6 + 1.2e-7 * secs.abs()
}

/// A source curve: all keys of one channel of one joint, or of one scalar.
///
/// Times are seconds, finite and strictly increasing, at least one. `values` holds `width` floats a
/// key (three times that for [`Interpolation::Cubic`]); rotations are unit and sign-continuous.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    pub(super) interpolation: Interpolation,
    pub(super) width: usize,
    pub(super) times: Vec<f64>,
    pub(super) values: Vec<f32>,
}

impl Curve {
    /// How the curve runs between keys.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// Key times in seconds, strictly increasing.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The value stored at key `k` (without tangents).
    pub fn key_value(&self, k: usize) -> &[f32] {
        let (stride, offset) = self.layout();
        &self.values[k * stride + offset..][..self.width]
    }

    /// Bytes that the curve takes as 32-bit floats: times and values.
    pub fn source_bytes(&self) -> usize {
        4 * (self.times.len() + self.values.len())
    }

    fn layout(&self) -> (usize, usize) {
        match self.interpolation {
            Interpolation::Cubic => (3 * self.width, self.width),
            Interpolation::Step | Interpolation::Linear => (self.width, 0),
        }
    }

    /// Key to the left of `secs` and the position in `[0, 1]` on the way to the next one.
    fn locate(&self, secs: f64) -> (usize, f64) {
        let last = self.times.len() - 1;
        if last == 0 || !(secs > self.times[0]) {
            return (0, 0.0);
        }
        if secs >= self.times[last] {
            return (last - 1, 1.0);
        }
        let k = self.times.partition_point(|&t| t <= secs) - 1;
        (
            k,
            (secs - self.times[k]) / (self.times[k + 1] - self.times[k]),
        )
    }

    fn array<const N: usize>(&self, index: usize) -> [f64; N] {
        std::array::from_fn(|c| f64::from(self.values[index + c]))
    }

    /// The curve's value at `secs`, clamped outside its keys. Cost: a binary search.
    ///
    /// `N` must be the curve's width; rotations use [`Curve::rotation`], which goes along the sphere.
    pub fn vector<const N: usize>(&self, secs: f64) -> [f64; N] {
        debug_assert_eq!(N, self.width);
        let (stride, offset) = self.layout();
        let slack = if self.interpolation == Interpolation::Step {
            step_slack_secs(secs)
        } else {
            0.0
        };
        let (k, u) = self.locate(secs + slack);
        let a: [f64; N] = self.array(k * stride + offset);
        if self.times.len() == 1 {
            return a;
        }
        let b: [f64; N] = self.array((k + 1) * stride + offset);
        match self.interpolation {
            Interpolation::Step => {
                if u < 1.0 {
                    a
                } else {
                    b
                }
            }
            Interpolation::Linear => std::array::from_fn(|c| a[c] + (b[c] - a[c]) * u),
            Interpolation::Cubic => {
                let h = self.times[k + 1] - self.times[k];
                let out: [f64; N] = self.array(k * stride + 2 * self.width);
                let into: [f64; N] = self.array((k + 1) * stride);
                hermite(a, out.map(|m| m * h), b, into.map(|m| m * h), u)
            }
        }
    }

    /// A translation or scale at `secs`.
    pub fn vec3(&self, secs: f64) -> DVec3 {
        DVec3::from(self.vector::<3>(secs))
    }

    /// The rotation at `secs`, a unit quaternion.
    pub fn rotation(&self, secs: f64) -> DQuat {
        if self.interpolation != Interpolation::Linear || self.times.len() == 1 {
            return DQuat::from_array(self.vector::<4>(secs)).normalize();
        }
        let (k, u) = self.locate(secs);
        let a = DQuat::from_array(self.array(k * 4));
        let b = DQuat::from_array(self.array((k + 1) * 4));
        slerp(a.normalize(), b.normalize(), u)
    }
}

fn hermite<const N: usize>(
    a: [f64; N],
    ma: [f64; N],
    b: [f64; N],
    mb: [f64; N],
    u: f64,
) -> [f64; N] {
    let (u2, u3) = (u * u, u * u * u);
    let (h00, h10) = (2.0 * u3 - 3.0 * u2 + 1.0, u3 - 2.0 * u2 + u);
    let (h01, h11) = (3.0 * u2 - 2.0 * u3, u3 - u2);
    std::array::from_fn(|c| h00 * a[c] + h10 * ma[c] + h01 * b[c] + h11 * mb[c])
}

/// The source curve of one channel of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Index into the skeleton.
    pub joint: usize,
    /// Which of the joint's values it moves.
    pub channel: Channel,
    /// Its keys.
    pub curve: Curve,
}

/// A named float curve: a morph weight or any other scalar that a clip drives.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalarTrack {
    /// `"<node>/weights[<index>]"` for morph weights.
    pub name: String,
    /// Its keys, of width 1.
    pub curve: Curve,
    /// Which morph weight it is, if it is one.
    pub morph: Option<MorphWeight>,
}

/// A morph weight in the source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MorphWeight {
    /// The node whose mesh is morphed.
    pub node: usize,
    /// The morph target.
    pub index: usize,
    /// Weights that one plain channel moves together; `None` where a pointer to one or all of them does.
    pub of: Option<usize>,
    /// Bytes that a stored value takes: 4, or fewer of normalised integers.
    pub value_bytes: usize,
}
