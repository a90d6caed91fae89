//! From the fields of a track's header to numbers. Writer and player share these functions, so that the
//! writer rounds to what a player really has.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::super::insert_largest;

/// `2^(i/16)` for `i` from 0 to 15.
const SIXTEENTHS: [f32; 16] = [
    1.0,
    1.044_273_8,
    1.090_507_7,
    1.138_788_6,
    1.189_207_1,
    1.241_857_8,
    1.296_839_6,
    1.354_255_5,
    std::f32::consts::SQRT_2,
    1.476_826_1,
    1.542_210_8,
    1.610_490_3,
    1.681_792_9,
    1.756_252_2,
    1.834_008_1,
    1.915_206_5,
];

/// Bits of a step's code.
pub const STEP_BITS: u32 = 11;

/// Largest code of a step.
pub const MAX_STEP: u32 = (1 << STEP_BITS) - 1;

/// Bits of a component of a track's own reference rotation.
pub const REFERENCE_BITS: u32 = 7;

/// Bits of a component of a basis.
pub const BASIS_BITS: u32 = 6;

/// `2^n` for `n` from -126 to 127.
fn power_of_two(n: i32) -> f32 {
    f32::from_bits((n.saturating_add(127).clamp(1, 254) as u32) << 23)
}

/// The step with a code: `2^(code / 16 - 80)`, up to 2^48.
pub fn step(code: u32) -> f32 {
    let code = code.min(MAX_STEP);
    let part = SIXTEENTHS.get((code & 15) as usize).copied().unwrap_or(1.0);
    part * power_of_two(((code >> 4) as i32).saturating_sub(80))
}

/// `2^(halves / 2)`.
fn half_octaves(halves: u32) -> f32 {
    let part = if halves & 1 == 1 { SIXTEENTHS[8] } else { 1.0 };
    part * power_of_two((halves >> 1) as i32)
}

/// A unit quaternion from its code: the index of the largest component in the lowest 2 bits, then the other
/// three in order with `bits` bits each, two's complement; the largest number stands for `sqrt(1/2)`.
pub fn small_rotation(code: u32, bits: u32) -> [f32; 4] {
    let most = (1_i32 << bits.clamp(2, 10).saturating_sub(1)).saturating_sub(1);
    let field = |place: u32| {
        let shifted = code >> bits.saturating_mul(place).saturating_add(2);
        let unused = 32_u32.saturating_sub(bits);
        let signed = ((shifted << unused) as i32) >> unused;
        signed as f32 / most as f32 * std::f32::consts::FRAC_1_SQRT_2
    };
    unit(insert_largest(
        code as u8 & 3,
        [field(0), field(1), field(2)],
    ))
}

/// Scales a quaternion to length 1; one without length becomes the identity.
pub fn unit(q: [f32; 4]) -> [f32; 4] {
    let [x, y, z, w] = q;
    let square = (x * x + y * y) + (z * z + w * w);
    if !(square > 1e-12) {
        return [0.0, 0.0, 0.0, 1.0];
    }
    let length = square.sqrt();
    q.map(|c| c / length)
}

/// The columns of the matrix that leads from the integers of a key to track space.
///
/// Column `k` is the image of component `k`: its axis of the basis, which is the rotation `code` or the
/// identity, times `step`, times `2^(stretch / 2)`.
pub fn columns(step: f32, basis: Option<u32>, stretch: [u32; 3]) -> [[f32; 3]; 3] {
    let axes = basis.map_or(
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        |code| rotation_columns(small_rotation(code, BASIS_BITS)),
    );
    let mut columns = axes;
    for (column, stretch) in columns.iter_mut().zip(stretch) {
        let size = step * half_octaves(stretch.min(15));
        *column = column.map(|c| c * size);
    }
    columns
}

fn rotation_columns([x, y, z, w]: [f32; 4]) -> [[f32; 3]; 3] {
    [
        [
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y + z * w),
            2.0 * (x * z - y * w),
        ],
        [
            2.0 * (x * y - z * w),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z + x * w),
        ],
        [
            2.0 * (x * z + y * w),
            2.0 * (y * z - x * w),
            1.0 - 2.0 * (x * x + y * y),
        ],
    ]
}

/// A key's place in track space.
#[inline]
pub fn place(columns: &[[f32; 3]; 3], key: [i32; 3]) -> [f32; 3] {
    let [a, b, c] = columns;
    let [i, j, k] = key.map(|n| n as f32);
    let mut out = [0.0; 3];
    for (out, ((a, b), c)) in out.iter_mut().zip(a.iter().zip(b).zip(c)) {
        *out = (a * i + b * j) + c * k;
    }
    out
}

/// The rotation of a place in track space: `reference` times the rotation whose modified Rodrigues
/// parameters are a quarter of `v`.
#[inline]
pub fn rotation(reference: [f32; 4], v: [f32; 3]) -> [f32; 4] {
    let [x, y, z] = v.map(|c| 0.25 * c);
    let n = (x * x + y * y) + z * z;
    let k = 1.0 / (1.0 + n);
    let (x, y, z, w) = (2.0 * x * k, 2.0 * y * k, 2.0 * z * k, (1.0 - n) * k);
    let [a, b, c, d] = reference;
    [
        (d * x + a * w) + (b * z - c * y),
        (d * y - a * z) + (b * w + c * x),
        (d * z + a * y) + (c * w - b * x),
        (d * w - a * x) - (b * y + c * z),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_sixteenths_of_an_octave_apart() {
        for code in 1..=MAX_STEP {
            let ratio = f64::from(step(code)) / f64::from(step(code - 1));
            assert!((ratio - 2_f64.powf(1.0 / 16.0)).abs() < 2e-7, "{code}");
        }
        assert_eq!(step(80 * 16), 1.0);
        assert_eq!(step(u32::MAX), step(MAX_STEP));
    }

    #[test]
    fn columns_are_the_rotated_axes() {
        // Largest component w, then x, y, z = 0, 0, most: a quarter turn about z.
        let code = 3 | (31 << (2 + 2 * BASIS_BITS));
        let [x, y, z] = columns(2.0, Some(code), [0, 2, 3]);
        let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(near(x, [0.0, 2.0, 0.0]) && near(y, [-4.0, 0.0, 0.0]));
        assert!(near(z, [0.0, 0.0, 32_f32.sqrt()]));
        assert!(near(place(&[x, y, z], [1, 1, 0]), [-4.0, 2.0, 0.0]));
    }

    #[test]
    fn a_place_is_about_the_angle_around_its_axis() {
        let q = rotation([0.0, 0.0, 0.0, 1.0], [0.0, 4.0 * 0.25_f32.tan(), 0.0]);
        assert!((q[1] - 0.5_f32.sin()).abs() < 1e-6 && (q[3] - 0.5_f32.cos()).abs() < 1e-6);
        let turned = rotation(q, [0.0, 0.0, 0.0]);
        assert_eq!(turned, q);
    }
}
