//! The GLB container: a header and chunks, every length checked before it is believed.

use super::error::Fault;

/// The first four bytes of a GLB.
pub(super) const MAGIC: &[u8; 4] = b"glTF";

const JSON_CHUNK: u32 = 0x4E4F_534A;
const BIN_CHUNK: u32 = 0x004E_4942;
const DAMAGED: &str = "the file is damaged or was cut off; copy or export it again";

/// The two chunks that glTF 2.0 defines.
#[derive(Debug)]
pub(super) struct Chunks<'a> {
    pub json: &'a [u8],
    pub bin: Option<&'a [u8]>,
}

/// Takes a GLB apart. Chunks of unknown types are skipped, as the specification wants.
pub(super) fn split(bytes: &[u8]) -> Result<Chunks<'_>, Fault> {
    let body = body(bytes)?;
    let mut at = 12;
    let mut json = None;
    let mut bin = None;
    while at < body.len() {
        let place = format!("byte {at}");
        let (kind, data) = chunk(body, at).map_err(|f| f.within(&place))?;
        at += 8 + data.len();
        let misplaced = match kind {
            JSON_CHUNK => json.replace(data).is_some(),
            BIN_CHUNK => json.is_none() || bin.replace(data).is_some(),
            _ => json.is_none(),
        };
        if misplaced {
            let text = "the chunks should be one JSON chunk, then at most one BIN chunk";
            return Err(Fault::new("glb-chunks", place, text).hint(DAMAGED));
        }
    }
    let Some(json) = json else {
        return Err(Fault::new("glb-chunks", "byte 12", "there is no JSON chunk").hint(DAMAGED));
    };
    Ok(Chunks { json, bin })
}

/// Checks the header; returns the bytes that it announces.
fn body(bytes: &[u8]) -> Result<&[u8], Fault> {
    let (Some(version), Some(length)) = (word(bytes, 4), word(bytes, 8)) else {
        let text = format!("the GLB header has {} of 12 bytes", bytes.len());
        return Err(Fault::new("glb-truncated", "byte 0", text).hint(DAMAGED));
    };
    if version != 2 {
        let text = format!("GLB version {version}; only version 2 can be read");
        return Err(Fault::new("version", "byte 4", text).hint("export it as glTF 2.0"));
    }
    let length = length as usize;
    if length < 12 {
        let text = format!("the header says {length} bytes, fewer than it has itself");
        return Err(Fault::new("glb-truncated", "byte 8", text).hint(DAMAGED));
    }
    if length > bytes.len() {
        let text = format!(
            "the header says {length} bytes, the file has {}",
            bytes.len()
        );
        return Err(Fault::new("glb-truncated", "byte 8", text).hint(DAMAGED));
    }
    if length < bytes.len() {
        let text = format!("the file has {} bytes after its end", bytes.len() - length);
        return Err(Fault::new("glb-trailing", format!("byte {length}"), text).hint(DAMAGED));
    }
    Ok(bytes)
}

fn chunk(body: &[u8], at: usize) -> Result<(u32, &[u8]), Fault> {
    let (Some(length), Some(kind)) = (word(body, at), word(body, at + 4)) else {
        return Err(Fault::new("glb-truncated", "", "a chunk header is cut off").hint(DAMAGED));
    };
    let rest = &body[at + 8..];
    let Some(data) = rest.get(..length as usize) else {
        let text = format!(
            "a chunk of {length} bytes, but only {} are left",
            rest.len()
        );
        return Err(Fault::new("glb-truncated", "", text).hint(DAMAGED));
    };
    Ok((kind, data))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glb(chunks: &[(u32, &[u8])]) -> Vec<u8> {
        let mut out = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
        for (kind, data) in chunks {
            out.extend((data.len() as u32).to_le_bytes());
            out.extend(kind.to_le_bytes());
            out.extend(*data);
        }
        let length = out.len() as u32;
        out[8..12].copy_from_slice(&length.to_le_bytes());
        out
    }

    #[test]
    fn reads_both_chunks_and_skips_unknown_ones() {
        let bytes = glb(&[(JSON_CHUNK, b"{}  "), (7, b"????"), (BIN_CHUNK, b"abcd")]);
        let chunks = split(&bytes).unwrap();
        assert_eq!(
            (chunks.json, chunks.bin),
            (&b"{}  "[..], Some(&b"abcd"[..]))
        );
    }

    #[test]
    fn every_truncation_and_trailing_byte_is_refused() {
        let bytes = glb(&[(JSON_CHUNK, b"{}  "), (BIN_CHUNK, b"abcd")]);
        for n in 0..bytes.len() {
            assert_eq!(split(&bytes[..n]).unwrap_err().code, "glb-truncated");
        }
        let longer = [&bytes[..], b"x"].concat();
        assert_eq!(split(&longer).unwrap_err().code, "glb-trailing");
    }

    #[test]
    fn chunks_in_a_wrong_order_or_twice_are_refused() {
        for chunks in [
            &[(BIN_CHUNK, &b"abcd"[..]), (JSON_CHUNK, b"{}  ")][..],
            &[(JSON_CHUNK, b"{}  "), (JSON_CHUNK, b"{}  ")],
            &[(JSON_CHUNK, b"{}  "), (BIN_CHUNK, b""), (BIN_CHUNK, b"")],
            &[],
        ] {
            assert_eq!(split(&glb(chunks)).unwrap_err().code, "glb-chunks");
        }
    }

    #[test]
    fn other_versions_and_lying_lengths_are_refused() {
        let mut bytes = glb(&[(JSON_CHUNK, b"{}  ")]);
        bytes[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(split(&bytes).unwrap_err().code, "glb-truncated");
        bytes[4] = 3;
        assert_eq!(split(&bytes).unwrap_err().code, "version");
    }
}
