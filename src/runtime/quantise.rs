//! From the integers of a key to its value. The inverse, which rounds to the nearest, is the writer's.
#![deny(clippy::indexing_slicing)]

use std::f32::consts::{FRAC_1_SQRT_2, SQRT_2};

/// Largest integer of a component of a 48-bit rotation.
pub const MAX_15_BITS: u16 = (1 << 15) - 1;

/// Largest integer of a component of a 32-bit rotation.
pub const MAX_10_BITS: u16 = (1 << 10) - 1;

/// The rotation of a 48-bit key, lowest word first.
///
/// Bits 45 and 46 hold the index of the component that is not stored (x, y, z, w = 0 to 3): the largest,
/// made positive. Bits 30 to 44, 15 to 29 and 0 to 14 hold the others in order, each an integer `n` that
/// stands for `n * sqrt(2) / 32767 - sqrt(1/2)`. Bit 47 is 0. Unit length but for rounding, as long as the
/// squares of the three add up to at most 1.
pub fn rotation_48(words: [u16; 3]) -> [f32; 4] {
    let [low, mid, high] = words.map(u64::from);
    let bits = low | (mid << 16) | (high << 32);
    let field = |shift: u32| (bits >> shift) as u16 & MAX_15_BITS;
    let step = SQRT_2 / f32::from(MAX_15_BITS);
    let value = |n: u16| f32::from(n) * step - FRAC_1_SQRT_2;
    insert_largest(
        (bits >> 45) as u8 & 3,
        [field(30), field(15), field(0)].map(value),
    )
}

/// The rotation of a 32-bit key: index in bits 30 and 31, then three times 10 bits, each an integer `n`
/// that stands for `n * sqrt(2) / 1023 - sqrt(1/2)`.
pub fn rotation_32(bits: u32) -> [f32; 4] {
    let field = |shift: u32| (bits >> shift) as u16 & MAX_10_BITS;
    let step = SQRT_2 / f32::from(MAX_10_BITS);
    let value = |n: u16| f32::from(n) * step - FRAC_1_SQRT_2;
    insert_largest(
        (bits >> 30) as u8 & 3,
        [field(20), field(10), field(0)].map(value),
    )
}

#[allow(clippy::comparison_chain)] // A match would branch.
/// Puts back the component that was left out: positive, and such that the length is 1.
pub fn insert_largest(index: u8, [a, b, c]: [f32; 3]) -> [f32; 4] {
    let square = 1.0 - (a * a + b * b + c * c);
    let d = if square > 0.0 { square.sqrt() } else { 0.0 };
    // Selections rather than a match: the index of a key is as good as random to a branch predictor.
    [
        if index == 0 { d } else { a },
        if index == 1 {
            d
        } else if index == 0 {
            a
        } else {
            b
        },
        if index == 2 {
            d
        } else if index < 2 {
            b
        } else {
            c
        },
        if index == 3 { d } else { c },
    ]
}

/// A component of a vector key: `min + extent * (n / 65535)`.
pub fn vector_component(n: u16, min: f32, extent: f32) -> f32 {
    min + extent * (f32::from(n) / 65535.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lie_as_the_layout_says() {
        // Index 1, fields 32767, 0 and 16384.
        let bits: u64 = (1 << 45) | (32767 << 30) | 16384;
        let words = [bits as u16, (bits >> 16) as u16, (bits >> 32) as u16];
        let q = rotation_48(words);
        assert!((q[0] - FRAC_1_SQRT_2).abs() < 1e-6);
        assert!((q[2] + FRAC_1_SQRT_2).abs() < 1e-6);
        assert!((q[3] - SQRT_2 / 32767.0 / 2.0).abs() < 1e-6);
        let q = rotation_32((3 << 30) | (1023 << 20) | 1023);
        assert!((q[0] - FRAC_1_SQRT_2).abs() < 1e-6 && (q[1] + FRAC_1_SQRT_2).abs() < 1e-6);
        assert!((q[2] - FRAC_1_SQRT_2).abs() < 1e-6 && q[3] == 0.0);
    }

    #[test]
    fn vector_ranges_reach_both_ends() {
        assert_eq!(vector_component(0, -3.0, 5.0), -3.0);
        assert_eq!(vector_component(65535, -3.0, 5.0), 2.0);
    }
}
