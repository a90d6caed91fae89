//! Writes NumPy arrays (NEP 1, format version 1.0).

use std::io::{self, Write};

/// Writes a little-endian float32 array of a shape, C order.
pub(super) fn write(out: &mut impl Write, shape: &[usize], values: &[f32]) -> io::Result<()> {
    let sizes: Vec<String> = shape.iter().map(|n| format!("{n}, ")).collect();
    let mut header = format!(
        "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}",
        sizes.concat()
    );
    // The header with its ten leading bytes and closing newline fills whole blocks of 64 bytes.
    let padded = (10 + header.len() + 1).next_multiple_of(64);
    header.extend(std::iter::repeat_n(' ', padded - 10 - header.len() - 1));
    header.push('\n');
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&(header.len() as u16).to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    for v in values {
        out.write_all(&v.to_le_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_header_fills_whole_blocks() {
        let mut bytes = Vec::new();
        super::write(&mut bytes, &[2, 3], &[0.0; 6]).expect("writes to memory");
        let header = u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
        assert_eq!((10 + header) % 64, 0);
        assert_eq!(bytes.len(), 10 + header + 24);
        assert!(bytes[10..].starts_with(b"{'descr': '<f4'"));
    }
}
