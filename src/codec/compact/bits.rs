//! Writing bits, and counting them without writing.

use crate::runtime::compact::{RICE_ESCAPE, Rice, Running};

/// Bits in bytes.
#[derive(Clone, Debug, Default)]
pub(in crate::codec) struct BitWriter {
    bytes: Vec<u8>,
    pending: u64,
    count: u32,
    written: usize,
}

impl BitWriter {
    /// Bits written so far.
    pub(in crate::codec) fn len(&self) -> usize {
        self.written
    }

    /// The lowest `width` bits of a number, at most 32.
    pub(in crate::codec) fn put(&mut self, value: u32, width: u32) {
        self.pending |= u64::from(value) << self.count;
        self.count += width;
        self.written += width as usize;
        while self.count >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.count -= 8;
        }
    }

    /// A number in two's complement.
    pub(in crate::codec) fn put_signed(&mut self, value: i32, width: u32) {
        let mask = if width == 0 {
            0
        } else {
            u32::MAX >> (32 - width)
        };
        self.put(value as u32 & mask, width);
    }

    /// A number in the adaptive Golomb-Rice code.
    pub(in crate::codec) fn put_rice(&mut self, number: u32, rice: &mut Rice) {
        let shift = rice.shift();
        let zeros = number >> shift;
        if zeros < RICE_ESCAPE {
            self.put(1 << zeros, zeros + 1);
            self.put(number & ((1 << shift) - 1), shift);
        } else {
            self.put(0, RICE_ESCAPE);
            self.put(number, 32);
        }
        rice.learn(number);
    }

    /// A number that runs from header to header.
    pub(in crate::codec) fn put_running(&mut self, value: u32, running: &mut Running) {
        let number = running.fold(value);
        self.put_rice(number, running.mean());
    }

    /// 0 as a bit 0, 1 and 2 as a bit 1 and another bit.
    pub(in crate::codec) fn put_third(&mut self, value: u32) {
        match value {
            0 => self.put(0, 1),
            _ => self.put(1 | ((value - 1) << 1), 2),
        }
    }

    /// The bytes, the last one filled up with zeros.
    pub(in crate::codec) fn finish(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.bytes.push(self.pending as u8);
        }
        self.bytes
    }
}

/// Bits that a number takes in the adaptive Golomb-Rice code, which learns it.
pub(in crate::codec) fn rice_bits(number: u32, rice: &mut Rice) -> u32 {
    let shift = rice.shift();
    let zeros = number >> shift;
    rice.learn(number);
    if zeros < RICE_ESCAPE {
        zeros + 1 + shift
    } else {
        RICE_ESCAPE + 32
    }
}

/// Bits of a number without sign.
pub(in crate::codec) fn width(number: u32) -> u32 {
    32 - number.leading_zeros()
}

/// Bits of a number in two's complement; none for 0.
pub(in crate::codec) fn signed_width(value: i32) -> u32 {
    if value == 0 {
        return 0;
    }
    let magnitude = if value < 0 { !value } else { value };
    width(magnitude as u32) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_is_written() {
        let mut writer = BitWriter::default();
        let (mut a, mut b) = (Rice::new(3), Rice::new(3));
        let mut counted = 0;
        for number in [0, 1, 7, 90, 4, u32::MAX, 12, 0, 0, 0, 3_000_000] {
            writer.put_rice(number, &mut a);
            counted += rice_bits(number, &mut b) as usize;
        }
        assert_eq!(writer.len(), counted);
        assert_eq!(writer.finish().len(), counted.div_ceil(8));
    }

    #[test]
    fn signed_widths_hold_their_number() {
        let widths = [0, 1, -1, 2, -2, 3, -4, 4].map(signed_width);
        assert_eq!(widths, [0, 2, 1, 3, 2, 3, 3, 4]);
    }
}
