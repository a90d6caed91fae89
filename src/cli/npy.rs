//! The header of NumPy arrays (NEP 1, format version 1.0).

/// What stands before the values of a little-endian float32 array of a shape, C order.
pub(super) fn header(shape: &[usize]) -> Vec<u8> {
    let sizes: Vec<String> = shape.iter().map(|n| format!("{n}, ")).collect();
    let mut text = format!(
        "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}",
        sizes.concat()
    );
    // The header with its ten leading bytes and closing newline fills whole blocks of 64 bytes.
    let padded = (10 + text.len() + 1).next_multiple_of(64);
    text.extend(std::iter::repeat_n(' ', padded - 10 - text.len() - 1));
    text.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((text.len() as u16).to_le_bytes());
    out.extend(text.into_bytes());
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_header_fills_whole_blocks() {
        let bytes = super::header(&[2, 3]);
        let length = u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
        assert_eq!((10 + length) % 64, 0);
        assert_eq!(bytes.len(), 10 + length);
        assert!(bytes[10..].starts_with(b"{'descr': '<f4'"));
    }
}
