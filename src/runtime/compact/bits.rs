//! Reading bits, and the adaptive Golomb-Rice code.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

/// Zeros before the leading one of a Golomb-Rice code that say that 32 plain bits follow.
pub const RICE_ESCAPE: u32 = 20;

/// How slowly the mean of a Golomb-Rice code follows: each number has 1/8 of the say.
const LEARN_SHIFT: u32 = 3;

/// Larger numbers count as this in the mean, which keeps it within 32 bits.
const LEARN_MOST: u32 = 1 << 24;

/// The bits of a slice, least significant first; past the end there are zeros.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Bits<'a>(pub(in super::super) &'a [u8]);

impl Bits<'_> {
    /// At least 57 bits from bit `at` on.
    #[inline]
    pub(in super::super) fn window(self, at: u32) -> u64 {
        let byte = (at >> 3) as usize;
        let word = match self.0.get(byte..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(eight) => u64::from_le_bytes(*eight),
            None => self.tail(byte),
        };
        word >> (at & 7)
    }

    /// The last bytes, when fewer than eight are left.
    #[cold]
    fn tail(self, byte: usize) -> u64 {
        let rest = self.0.get(byte..).unwrap_or_default();
        let bytes = rest.iter().rev();
        bytes.fold(0, |word, &b| (word << 8) | u64::from(b))
    }

    /// So many bits, at most 32, as a number; `at` moves on.
    #[inline]
    pub(in super::super) fn take(self, at: &mut u32, width: u32) -> u32 {
        let value = self.window(*at) & low_mask(width);
        *at = at.saturating_add(width);
        value as u32
    }

    /// So many bits, at most 32, as a two's-complement number.
    #[inline]
    pub(in super::super) fn take_signed(self, at: &mut u32, width: u32) -> i32 {
        let unused = 32_u32.saturating_sub(width);
        let value = self.take(at, width);
        // A shift by 32, for a width of 0, gives 0.
        let top = value.checked_shl(unused).unwrap_or(0) as i32;
        top.checked_shr(unused).unwrap_or(0)
    }

    /// A number in the adaptive Golomb-Rice code.
    #[inline]
    pub(in super::super) fn take_rice(self, at: &mut u32, rice: &mut Rice) -> u32 {
        let window = self.window(*at);
        let zeros = window.trailing_zeros();
        let number = if zeros < RICE_ESCAPE {
            let shift = rice.shift();
            let low = (window >> zeros.saturating_add(1)) & low_mask(shift);
            *at = at
                .saturating_add(zeros)
                .saturating_add(1)
                .saturating_add(shift);
            (zeros << shift) | low as u32
        } else {
            *at = at.saturating_add(RICE_ESCAPE);
            self.take(at, 32)
        };
        rice.learn(number);
        number
    }
}

#[inline]
fn low_mask(width: u32) -> u64 {
    !(u64::MAX.checked_shl(width).unwrap_or(0))
}

/// The running mean of the numbers in a Golomb-Rice code, which tells how many low bits stand plain.
///
/// A number `n` is written as `n >> k` zeros, a one, and the low `k` bits of `n`; where that would take
/// [`RICE_ESCAPE`] zeros or more, as so many zeros and 32 plain bits. `k` is the one that suits numbers with
/// a geometric distribution of the mean so far (Kiely 2004, "Selecting the Golomb parameter in Rice coding").
/// Writer and player call the same functions. Integers only: the same everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rice {
    /// 16 times the mean.
    sixteenths: u32,
}

impl Rice {
    /// A mean of `2^code - 1/2`, `code` being at most 15.
    pub fn new(code: u32) -> Self {
        Self {
            sixteenths: (16_u32 << code.min(15)).saturating_sub(8),
        }
    }

    /// The number of plain low bits, at most 24.
    #[inline]
    pub fn shift(self) -> u32 {
        // 31/32 stands for the logarithms of the golden ratio in Kiely's formula.
        let scaled = u64::from(self.sixteenths)
            .saturating_add(8)
            .saturating_mul(31)
            >> 9;
        scaled.checked_ilog2().unwrap_or(0)
    }

    /// Takes a number into the mean.
    #[inline]
    pub fn learn(&mut self, number: u32) {
        let news = number.min(LEARN_MOST) << const { 4 - LEARN_SHIFT };
        let kept = self
            .sixteenths
            .saturating_sub(self.sixteenths >> LEARN_SHIFT);
        self.sixteenths = kept.saturating_add(news);
    }
}

/// Signed numbers as unsigned ones, small ones first: 0, -1, 1, -2, 2 ...
#[inline]
pub fn zigzag(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)) as u32
}

/// The inverse of [`zigzag`].
#[inline]
pub fn unzigzag(number: u32) -> i32 {
    (number >> 1) as i32 ^ ((number & 1) as i32).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_least_significant_first_and_end_in_zeros() {
        let bits = Bits(&[0b1010_0101, 0xFF]);
        let mut at = 0;
        assert_eq!(bits.take(&mut at, 4), 0b0101);
        assert_eq!(bits.take_signed(&mut at, 4), -6);
        assert_eq!(bits.take(&mut at, 0), 0);
        assert_eq!(bits.take_signed(&mut at, 0), 0);
        assert_eq!(bits.take(&mut at, 32), 0xFF);
        assert_eq!(at, 40);
        assert_eq!(bits.take_signed(&mut at, 32), 0);
    }

    #[test]
    fn zigzag_has_an_inverse() {
        for value in [0, -1, 1, 77, -78, i32::MAX, i32::MIN] {
            assert_eq!(unzigzag(zigzag(value)), value);
        }
        assert_eq!([0, -1, 1, -2].map(zigzag), [0, 1, 2, 3]);
    }

    #[test]
    fn the_plain_bits_follow_the_mean() {
        let mut rice = Rice::new(0);
        assert_eq!(rice.shift(), 0);
        for _ in 0..100 {
            rice.learn(1000);
        }
        assert_eq!(rice.shift(), 9);
        for _ in 0..100 {
            rice.learn(u32::MAX);
        }
        assert_eq!(rice.shift(), 23);
    }
}
