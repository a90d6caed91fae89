//! Bounds-checked little-endian reading, and the checksum.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::Error;

/// The CRC-32 of IEEE 802.3 (polynomial `0xEDB88320`, reflected), as zip and PNG use it.
///
/// Finds every change of up to three bits and every burst of up to 32. Cost: one table look-up a byte.
pub fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, &byte| {
        let slot = usize::from((crc as u8) ^ byte);
        // The table has an entry for every u8.
        CRC_TABLE.get(slot).copied().unwrap_or(0) ^ (crc >> 8)
    })
}

const CRC_TABLE: [u32; 256] = crc_table();

#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
const fn crc_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mut crc = i as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 {
                (crc >> 1) ^ 0xEDB8_8320
            } else {
                crc >> 1
            };
            bit += 1;
        }
        table[i] = crc;
        i += 1;
    }
    table
}

/// Walks over the payload of one section; every read is checked, every error has its place.
pub(super) struct Reader<'a> {
    section: &'a str,
    /// Offset of the payload in the file.
    base: usize,
    payload: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(section: &'a str, base: usize, payload: &'a [u8]) -> Self {
        Self {
            section,
            base,
            payload,
            at: 0,
        }
    }

    /// Offset in the file of the next byte.
    pub(super) fn offset(&self) -> usize {
        self.base.saturating_add(self.at)
    }

    pub(super) fn left(&self) -> usize {
        self.payload.len().saturating_sub(self.at)
    }

    /// All bytes from the next one on.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.payload.get(self.at..).unwrap_or_default()
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let end = self.at.checked_add(count);
        let taken = end.and_then(|end| self.payload.get(self.at..end));
        let (Some(taken), Some(end)) = (taken, end) else {
            return Err(Error::SectionTooShort {
                section: self.section.to_owned(),
                offset: self.offset() as u64,
            });
        };
        self.at = end;
        Ok(taken)
    }

    /// A reader of the next `count` bytes.
    pub(super) fn part(&mut self, count: usize) -> Result<Self, Error> {
        let base = self.offset();
        let payload = self.take(count)?;
        Ok(Self::new(self.section, base, payload))
    }

    /// The bytes of `count` items of `size` bytes: checked before anything is allocated for them.
    pub(super) fn take_items(&mut self, count: usize, size: usize) -> Result<&'a [u8], Error> {
        self.take(count.saturating_mul(size))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(super) fn bytes32(&mut self) -> Result<[u8; 32], Error> {
        self.array()
    }

    pub(super) fn u8(&mut self) -> Result<u8, Error> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(super) fn u16(&mut self) -> Result<u16, Error> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(super) fn u32(&mut self) -> Result<u32, Error> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn f32(&mut self) -> Result<f32, Error> {
        Ok(f32::from_le_bytes(self.array()?))
    }

    pub(super) fn f64(&mut self) -> Result<f64, Error> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    /// Three floats, finite and of at most [`super::MAX_VALUE`].
    pub(super) fn vec3(&mut self) -> Result<[f32; 3], Error> {
        let at = self.offset();
        let v = [self.f32()?, self.f32()?, self.f32()?];
        if v.iter().all(|c| c.abs() <= super::MAX_VALUE) {
            return Ok(v);
        }
        Err(self.invalid_at(at, "a value is not finite or larger than 1e15"))
    }

    /// A `u16` length and so many bytes of UTF-8.
    pub(super) fn text(&mut self) -> Result<&'a str, Error> {
        let length = usize::from(self.u16()?);
        let at = self.offset();
        std::str::from_utf8(self.take(length)?)
            .map_err(|_| self.invalid_at(at, "a name is not valid UTF-8"))
    }

    /// Fails unless everything has been read.
    pub(super) fn end(&self) -> Result<(), Error> {
        if self.left() == 0 {
            return Ok(());
        }
        Err(self.invalid("the section is longer than its content"))
    }

    /// The rule is broken by what comes next.
    pub(super) fn invalid(&self, rule: &'static str) -> Error {
        self.invalid_at(self.offset(), rule)
    }

    pub(super) fn invalid_at(&self, offset: usize, rule: &'static str) -> Error {
        Error::Invalid {
            section: self.section.to_owned(),
            offset: offset as u64,
            rule,
        }
    }

    /// Fails with the rule, at `offset`, unless `holds`.
    pub(super) fn rule(&self, holds: bool, offset: usize, rule: &'static str) -> Result<(), Error> {
        if holds {
            return Ok(());
        }
        Err(self.invalid_at(offset, rule))
    }
}

/// Little-endian numbers at fixed places of a slice; `None` outside.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let b = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes(b.try_into().ok()?))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let b = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(b.try_into().ok()?))
}

pub(super) fn f32_at(bytes: &[u8], at: usize) -> Option<f32> {
    u32_at(bytes, at).map(f32::from_bits)
}

pub(super) fn f64_at(bytes: &[u8], at: usize) -> Option<f64> {
    let b = bytes.get(at..at.checked_add(8)?)?;
    Some(f64::from_le_bytes(b.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc_has_the_check_value_of_its_catalogue_entry() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn reading_past_the_end_names_section_and_offset() {
        let mut r = Reader::new("clip", 40, &[1, 2, 3]);
        assert_eq!(r.u16(), Ok(0x0201));
        let Err(Error::SectionTooShort { section, offset }) = r.u32() else {
            panic!("one byte is not four");
        };
        assert_eq!((section.as_str(), offset), ("clip", 42));
    }
}
