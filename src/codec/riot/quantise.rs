//! From values to the integers of a key: each to the nearest. [`crate::runtime`] has the way back.

use crate::runtime::{MAX_10_BITS, MAX_15_BITS, rotation_32, rotation_48, vector_component};
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// How many bits a rotation key spends on its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RotationBits {
    /// 3 x 15 bits: at most 0.0086 degrees off.
    #[default]
    Bits48,
    /// 3 x 10 bits: at most 0.28 degrees off, which shows as jitter.
    Bits32,
}

impl RotationBits {
    /// What a player gets for a rotation `x, y, z, w`, up to sign; need not be of unit length.
    pub fn quantise(self, q: [f64; 4]) -> [f64; 4] {
        match self {
            Self::Bits48 => rotation_48(encode_rotation_48(q)),
            Self::Bits32 => rotation_32(encode_rotation_32(q)),
        }
        .map(f64::from)
    }
}

/// The words of a rotation key, lowest first; see [`rotation_48`].
pub fn encode_rotation_48(q: [f64; 4]) -> [u16; 3] {
    let (index, [a, b, c]) = drop_largest(q);
    let field = |v: f64| u64::from(fixed(v, MAX_15_BITS));
    let bits = (u64::from(index) << 45) | (field(a) << 30) | (field(b) << 15) | field(c);
    [bits as u16, (bits >> 16) as u16, (bits >> 32) as u16]
}

/// The 32 bits of a short rotation key; see [`rotation_32`].
pub fn encode_rotation_32(q: [f64; 4]) -> u32 {
    let (index, [a, b, c]) = drop_largest(q);
    let field = |v: f64| u32::from(fixed(v, MAX_10_BITS));
    (u32::from(index) << 30) | (field(a) << 20) | (field(b) << 10) | field(c)
}

/// Index of the component of largest magnitude (the first of equals) and the others, at unit length and
/// with the sign that makes it positive. A quaternion of no length counts as the identity.
pub(in crate::codec) fn drop_largest(q: [f64; 4]) -> (u8, [f64; 3]) {
    let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    let q = if length > 0.0 && length.is_finite() {
        q.map(|c| c / length)
    } else {
        [0.0, 0.0, 0.0, 1.0]
    };
    let mut index = 0;
    for i in 1..4 {
        if q[i].abs() > q[index].abs() {
            index = i;
        }
    }
    let [x, y, z, w] = if q[index] < 0.0 { q.map(|c| -c) } else { q };
    let rest = match index {
        0 => [y, z, w],
        1 => [x, z, w],
        2 => [x, y, w],
        _ => [x, y, z],
    };
    (index as u8, rest)
}

fn fixed(v: f64, max: u16) -> u16 {
    // The cast saturates, so rounding at the ends stays in range.
    let steps = (v + FRAC_1_SQRT_2) * (f64::from(max) / SQRT_2);
    steps.round().clamp(0.0, f64::from(max)) as u16
}

/// Where the values of a vector track lie: component `c` in `min[c] ..= min[c] + extent[c]`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VectorRange {
    /// Smallest value of each component.
    pub min: [f32; 3],
    /// Largest value less the smallest, not negative.
    pub extent: [f32; 3],
}

impl VectorRange {
    /// The smallest range in 32-bit floats around values; zero if there are none.
    pub fn of(values: impl IntoIterator<Item = [f64; 3]>) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for v in values {
            for c in 0..3 {
                low[c] = low[c].min(v[c]);
                high[c] = high[c].max(v[c]);
            }
        }
        let mut range = Self::default();
        for c in 0..3 {
            if low[c] <= high[c] {
                range.min[c] = at_most(low[c]);
                range.extent[c] = at_least(high[c] - f64::from(range.min[c]));
            }
        }
        range
    }

    /// The integers of a value; each component to the nearest, clamped to the range.
    pub fn encode(&self, v: [f64; 3]) -> [u16; 3] {
        std::array::from_fn(|c| {
            let (min, extent) = (f64::from(self.min[c]), f64::from(self.extent[c]));
            if extent > 0.0 {
                // The cast saturates at both ends.
                ((v[c] - min) / extent * 65535.0).round() as u16
            } else {
                0
            }
        })
    }

    /// What a player gets for a value.
    pub fn quantise(&self, v: [f64; 3]) -> [f64; 3] {
        let q = self.encode(v);
        std::array::from_fn(|c| f64::from(vector_component(q[c], self.min[c], self.extent[c])))
    }
}

fn at_most(v: f64) -> f32 {
    let nearest = v as f32;
    if f64::from(nearest) > v {
        nearest.next_down()
    } else {
        nearest
    }
}

fn at_least(v: f64) -> f32 {
    let nearest = v as f32;
    if f64::from(nearest) < v {
        nearest.next_up()
    } else {
        nearest
    }
}
