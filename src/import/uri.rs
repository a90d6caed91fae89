//! Where the bytes of a buffer or picture come from: a `data:` URI or a file in the asset's own folder.
//!
//! Nothing outside that folder is ever opened: a model from the internet must not be able to name
//! files of the person who looks at it.

use super::error::Fault;
use super::file;
use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use std::path::{Component, Path, PathBuf};

/// Padding is often left out or kept by hand-written exporters; both are unambiguous.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Fetches what `uri` names, and says which file it was. `limit` is the most bytes it may have.
pub(super) fn fetch(
    base: &Path,
    uri: &str,
    limit: u64,
) -> Result<(Vec<u8>, Option<PathBuf>), Fault> {
    if let Some(rest) = strip_data_scheme(uri) {
        return Ok((decode_data(rest)?, None));
    }
    let name = file_name(uri)?;
    let path = inside(base, &name)?;
    let bytes = file::read(&path, limit).map_err(|f| f.within(&format!("file {name}")))?;
    Ok((bytes, Some(path)))
}

fn strip_data_scheme(uri: &str) -> Option<&str> {
    let scheme = uri.get(..5)?;
    scheme.eq_ignore_ascii_case("data:").then(|| &uri[5..])
}

fn decode_data(rest: &str) -> Result<Vec<u8>, Fault> {
    let bad = |text: String| {
        Fault::new("bad-base64", "", text).hint("export the file again, or with a separate .bin")
    };
    let Some((head, payload)) = rest.split_once(',') else {
        return Err(bad("the data URI has no comma".to_owned()));
    };
    if !head.to_ascii_lowercase().ends_with(";base64") {
        return Err(bad("the data URI is not base64".to_owned()));
    }
    let decoded = if payload.contains('%') {
        BASE64.decode(percent_decode(payload))
    } else {
        BASE64.decode(payload)
    };
    decoded.map_err(|e| bad(format!("the base64 text is damaged: {e}")))
}

/// The relative name in a URI, decoded and found harmless.
fn file_name(uri: &str) -> Result<String, Fault> {
    let refuse = |what: &str| {
        let shown: String = uri.chars().take(120).collect();
        Fault::new("uri-refused", "", format!("the URI \"{shown}\" {what}"))
            .hint("only files in the model's own folder are read; put the file there")
    };
    let name = String::from_utf8(percent_decode(uri)).map_err(|_| refuse("is not valid UTF-8"))?;
    if name.is_empty() {
        return Err(refuse("is empty"));
    }
    if name.contains('\0') {
        return Err(refuse("holds a NUL character"));
    }
    // Covers `C:`, `file:`, `http:`, and alternate data streams of Windows.
    if name.contains(':') {
        return Err(refuse("holds a colon, as drives and network addresses do"));
    }
    if name.contains('\\') {
        return Err(refuse("holds a backslash"));
    }
    if name.starts_with('/') {
        return Err(refuse("is absolute"));
    }
    let up = |c| !matches!(c, Component::Normal(_) | Component::CurDir);
    if Path::new(&name).components().any(up) {
        return Err(refuse("leads out of the folder"));
    }
    Ok(name)
}

/// The file behind `name`, with symbolic links followed, if it still lies in the folder.
fn inside(base: &Path, name: &str) -> Result<PathBuf, Fault> {
    let missing = |e: &std::io::Error| {
        let text = format!("\"{name}\" cannot be opened: {e}");
        Fault::new("file-missing", "", text).hint("put it beside the model and load again")
    };
    let folder = base.canonicalize().map_err(|e| missing(&e))?;
    let path = folder.join(name).canonicalize().map_err(|e| missing(&e))?;
    if !path.starts_with(&folder) {
        let text = format!("\"{name}\" is a link that leads out of the folder");
        return Err(Fault::new("uri-refused", "", text)
            .hint("only files in the model's own folder are read; put the file there"));
    }
    Ok(path)
}

/// Undoes `%41`; a percent sign without two hexadecimal digits stands for itself.
fn percent_decode(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let hex = |k: usize| bytes.get(k).and_then(|b| (*b as char).to_digit(16));
        match (bytes[i], hex(i + 1), hex(i + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                i += 3;
            }
            (byte, ..) => {
                out.push(byte);
                i += 1;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmless_names_are_decoded() {
        for (uri, name) in [
            ("a.bin", "a.bin"),
            ("./sub/a%20b.bin", "./sub/a b.bin"),
            ("100%.bin", "100%.bin"),
            ("%C3%A9.bin", "\u{e9}.bin"),
            ("..a/b..bin", "..a/b..bin"),
        ] {
            assert_eq!(file_name(uri).unwrap(), name);
        }
    }

    #[test]
    fn names_that_lead_out_are_refused() {
        for uri in [
            "",
            "../a.bin",
            "a/../../b.bin",
            "%2e%2e/a.bin",
            "..%2Fa.bin",
            "/etc/passwd",
            "%2Fetc/passwd",
            "C:/a.bin",
            "c:a.bin",
            "\\\\server\\share\\a.bin",
            "//server/share/a.bin",
            "..\\a.bin",
            "%5C%5Cserver%5Ca.bin",
            "file:///etc/passwd",
            "FILE:a.bin",
            "http://example.org/a.bin",
            "https://example.org/a.bin",
            "a%00.bin",
            "a.bin:stream",
            "%FF.bin",
        ] {
            assert_eq!(file_name(uri).unwrap_err().code, "uri-refused", "{uri}");
        }
    }

    #[test]
    fn data_uris_are_decoded_with_and_without_padding() {
        let get = |uri: &str| fetch(Path::new("."), uri, 99).map(|(bytes, _)| bytes);
        assert_eq!(get("data:;base64,QUI=").unwrap(), b"AB");
        assert_eq!(get("DATA:a/b;base64,QUI").unwrap(), b"AB");
        assert_eq!(get("data:;base64,QUI%3D").unwrap(), b"AB");
        assert_eq!(get("data:;base64,").unwrap(), b"");
        for bad in [
            "data:QUI=",
            "data:;base64;QUI=",
            "data:;base64,Q*I=",
            "data:;base64,Q",
        ] {
            assert_eq!(get(bad).unwrap_err().code, "bad-base64", "{bad}");
        }
    }
}
