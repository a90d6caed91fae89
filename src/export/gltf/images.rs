//! Pictures in files beside the source become part of the GLB.

use super::draft::Draft;
use super::refs::each;
use serde_json::Value;
use std::path::{Component, Path, PathBuf};

/// Largest picture file that is read.
const MAX_BYTES: u64 = 1 << 30;

/// Embeds every picture that lies in a file. One that cannot be read stays a link, with a note:
/// the source file shows it no better, and the keyframes are worth exporting without it.
pub(super) fn embed(draft: &mut Draft, base: &Path) {
    let uris: Vec<Option<String>> = each(&mut draft.doc, "images")
        .map(|image| image.get("uri").and_then(Value::as_str).map(str::to_owned))
        .collect();
    for (i, uri) in uris.into_iter().enumerate() {
        let Some(uri) = uri.filter(|uri| !is_data(uri)) else {
            continue;
        };
        if let Err(why) = embed_one(draft, i, &uri, base) {
            draft.notes.push(format!(
                "image {i} ({uri}) is not embedded, the file still refers to it: {why}"
            ));
        }
    }
}

fn is_data(uri: &str) -> bool {
    uri.get(..5)
        .is_some_and(|s| s.eq_ignore_ascii_case("data:"))
}

fn embed_one(draft: &mut Draft, image: usize, uri: &str, base: &Path) -> Result<(), String> {
    let path = resolve(uri, base)?;
    let bytes = read(&path)?;
    let mime = mime(&bytes, uri).ok_or("it is neither PNG, JPEG, WebP nor KTX2")?;
    let view = draft.add_view(&bytes).map_err(|e| e.to_string())?;
    let entry = each(&mut draft.doc, "images").nth(image);
    let Some(entry) = entry.and_then(Value::as_object_mut) else {
        return Err("its entry is not an object".into());
    };
    entry.shift_remove("uri");
    entry.insert("mimeType".into(), mime.into());
    entry.insert("bufferView".into(), view.into());
    Ok(())
}

/// The file that a URI names, which must lie in the folder of the source: a clip file must not make us
/// copy other files of the person's into an export.
fn resolve(uri: &str, base: &Path) -> Result<PathBuf, String> {
    let name = percent_decoded(uri).ok_or("its name is not text")?;
    let relative = Path::new(&name);
    let plain = relative
        .components()
        .all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    if !plain || name.contains(['\0', '\\', ':']) {
        return Err("it lies outside the folder of the file".into());
    }
    let base = if base.as_os_str().is_empty() {
        Path::new(".")
    } else {
        base
    };
    let folder = base.canonicalize().map_err(|e| e.to_string())?;
    let path = folder.join(relative).canonicalize();
    let path = path.map_err(|e| e.to_string())?;
    if !path.starts_with(&folder) {
        return Err("a link leads outside the folder of the file".into());
    }
    Ok(path)
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let meta = std::fs::metadata(path).map_err(|e| e.to_string())?;
    if !meta.is_file() {
        return Err("it is not a file".into());
    }
    if meta.len() > MAX_BYTES {
        return Err(format!("it has {} bytes", meta.len()));
    }
    std::fs::read(path).map_err(|e| e.to_string())
}

fn percent_decoded(uri: &str) -> Option<String> {
    let mut out = Vec::with_capacity(uri.len());
    let mut bytes = uri.bytes();
    while let Some(b) = bytes.next() {
        if b != b'%' {
            out.push(b);
            continue;
        }
        let hex = [bytes.next()?, bytes.next()?];
        let hex = std::str::from_utf8(&hex).ok()?;
        out.push(u8::from_str_radix(hex, 16).ok()?);
    }
    String::from_utf8(out).ok()
}

fn mime(bytes: &[u8], uri: &str) -> Option<&'static str> {
    let by_content = [
        (&b"\x89PNG\r\n\x1a\n"[..], "image/png"),
        (&b"\xff\xd8\xff"[..], "image/jpeg"),
        (&b"\xabKTX 20\xbb"[..], "image/ktx2"),
    ];
    for (magic, mime) in by_content {
        if bytes.starts_with(magic) {
            return Some(mime);
        }
    }
    let is_webp = bytes.starts_with(b"RIFF") && uri.to_ascii_lowercase().ends_with(".webp");
    is_webp.then_some("image/webp")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_that_leave_the_folder_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().join("asset");
        std::fs::create_dir(&base).unwrap();
        std::fs::write(folder.path().join("secret.png"), b"").unwrap();
        std::fs::write(base.join("a b.png"), b"").unwrap();
        assert!(resolve("a%20b.png", &base).is_ok());
        assert!(resolve("./a b.png", &base).is_ok());
        let outside = [
            "../secret.png",
            "%2e%2e/secret.png",
            "..\\secret.png",
            "/etc/passwd",
            "file:///etc/passwd",
            "http://example.org/a.png",
            "C:/a.png",
            "a%00.png",
            "a%FF.png",
            "a%2",
            "%+1",
        ];
        for uri in outside {
            assert!(resolve(uri, &base).is_err(), "{uri}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../secret.png", base.join("link.png")).unwrap();
            assert!(resolve("link.png", &base).is_err());
        }
    }
}
