use super::error::{Fault, ImportError};
use super::{fields, file, glb, uri};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};

/// Most bytes of JSON text: its tree takes many times as much memory.
const MAX_JSON_BYTES: usize = 512 << 20;

const MESHOPT: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// The raw parts of a glTF file: what an exporter passes through untouched.
#[derive(Clone, Debug, PartialEq)]
pub struct GltfSource {
    /// The whole JSON document, members in the file's order.
    pub json: Value,
    /// The bytes of each entry of `buffers`, cut to its `byteLength`. A buffer without a source (the
    /// fallback of a compressed one) is empty.
    pub buffers: Vec<Vec<u8>>,
    /// Whether the file is a GLB; then buffer 0 without a URI is its BIN chunk.
    pub is_glb: bool,
    /// The folder that relative URIs refer to.
    pub base: PathBuf,
    /// The files beside it that buffers were read from, in the order of buffers.
    pub parts: Vec<PathBuf>,
    /// SHA-256 of the file; where it has `parts`, of that hash and those of the buffers read from them: keyframes of
    /// a `.gltf` stand in its `.bin`. Pictures do not count.
    pub hash: [u8; 32],
}

/// Reads a `.gltf` or `.glb` (told apart by content) and all its buffers, but looks no further.
///
/// Relative URIs are resolved within the file's own folder; everything else is refused. Limits: 2 GiB
/// for the file and for all buffers together, 512 MiB of JSON, nested at most 128 deep. Cost: linear.
pub fn read_gltf_source(path: &Path) -> Result<GltfSource, ImportError> {
    read(path).map_err(|f| f.into_error(path))
}

pub(super) fn read(path: &Path) -> Result<GltfSource, Fault> {
    parse(path, &file::read(path, file::MAX_BYTES)?)
}

/// Reads a file whose bytes are at hand; `path` says where its folder is.
pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<GltfSource, Fault> {
    let base = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p.to_owned(),
        _ => PathBuf::from("."),
    };
    let is_glb = bytes.starts_with(glb::MAGIC);
    let (text, bin) = if is_glb {
        let chunks = glb::split(bytes)?;
        (chunks.json, chunks.bin)
    } else {
        refuse_other_formats(bytes)?;
        (bytes, None)
    };
    let json = parse_json(text)?;
    check_version(&json)?;
    let Buffers {
        bytes: buffers,
        parts,
    } = buffers(&json, bin, is_glb, &base)?;
    let hash = hash(bytes, parts.iter().map(|(at, _)| buffers[*at].as_slice()));
    Ok(GltfSource {
        json,
        buffers,
        is_glb,
        base,
        parts: parts.into_iter().map(|(_, path)| path).collect(),
        hash,
    })
}

/// See [`GltfSource::hash`].
fn hash<'a>(file: &[u8], parts: impl ExactSizeIterator<Item = &'a [u8]>) -> [u8; 32] {
    let own = Sha256::digest(file);
    if parts.len() == 0 {
        return own.into();
    }
    let mut all = Sha256::new_with_prefix(own);
    for part in parts {
        all.update(Sha256::digest(part));
    }
    all.finalize().into()
}

/// Says what a file is that is neither GLB nor JSON.
fn refuse_other_formats(bytes: &[u8]) -> Result<(), Fault> {
    if bytes.is_empty() {
        return Err(Fault::new("empty-file", "", "the file is empty").hint("export it again"));
    }
    if bytes.starts_with(b"version https://git-lfs") {
        let text = "it is only a Git LFS pointer, not the file itself";
        return Err(Fault::new("lfs-pointer", "", text).hint("run `git lfs pull` and load again"));
    }
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let first = text.iter().find(|b| !b.is_ascii_whitespace());
    if first != Some(&b'{') {
        if let Some((text, hint)) = known_format(text) {
            return Err(Fault::new("not-gltf", "", text).hint(hint));
        }
        let text = "it is neither GLB (no \"glTF\" at its start) nor JSON";
        return Err(Fault::new("not-gltf", "byte 0", text)
            .hint("load a .glb or .gltf file; export other formats as glTF 2.0"));
    }
    Ok(())
}

/// What is said about files of other kinds that people have, and what to do.
fn known_format(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let head = &bytes[..bytes.len().min(1024)];
    let has = |word: &[u8]| head.windows(word.len()).any(|w| w == word);
    let convert = "export it as glTF 2.0 (.glb), from Blender for example, and load that";
    if head.starts_with(b"Kaydara FBX Binary") || has(b"FBXHeaderExtension") {
        return Some(("it is an FBX file, which cannot be read yet", convert));
    }
    if head.trim_ascii_start().starts_with(b"HIERARCHY") {
        return Some(("it is a BVH file, which cannot be read yet", convert));
    }
    if head.starts_with(b"\x8BPPC") {
        return Some((
            "it is a compressed clip (.ppc), not a source",
            "give the .glb or .gltf that it was made from",
        ));
    }
    None
}

fn parse_json(text: &[u8]) -> Result<Value, Fault> {
    if text.len() > MAX_JSON_BYTES {
        let text = format!("{} bytes of JSON, more than {MAX_JSON_BYTES}", text.len());
        return Err(Fault::new("file-too-large", "JSON", text).hint("export it as .glb"));
    }
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    serde_json::from_slice(text).map_err(|e| {
        let place = format!("JSON, line {}, column {}", e.line(), e.column());
        let text = format!("it is not valid JSON: {e}");
        Fault::new("bad-json", place, text).hint("the file is damaged; export it again")
    })
}

fn check_version(json: &Value) -> Result<(), Fault> {
    let asset = json.get("asset").filter(|a| a.is_object());
    let Some(asset) = asset else {
        return Err(
            Fault::new("not-gltf", "JSON", "there is no `asset`, so it is not glTF")
                .hint("load a .glb or .gltf file"),
        );
    };
    let version = fields::text(asset, "version");
    let minimum = fields::text(asset, "minVersion");
    let newer = !minimum.is_empty() && minimum != "2.0";
    if !version.starts_with("2.") || newer {
        let shown = if newer { minimum } else { version };
        let shown: String = shown.chars().take(20).collect();
        let text = format!("glTF version \"{shown}\"; only 2.0 can be read");
        return Err(Fault::new("version", "asset", text).hint("export it as glTF 2.0"));
    }
    Ok(())
}

/// The bytes of each entry of `buffers`, and the index and file of those that stand in one of their own.
#[derive(Default)]
struct Buffers {
    bytes: Vec<Vec<u8>>,
    parts: Vec<(usize, PathBuf)>,
}

fn buffers(json: &Value, bin: Option<&[u8]>, is_glb: bool, base: &Path) -> Result<Buffers, Fault> {
    let list = fields::objects(json, "buffers")?;
    let mut left = file::MAX_BYTES;
    let mut out = Buffers::default();
    for (i, buffer) in list.iter().enumerate() {
        let place = format!("buffer {i}");
        let bin = bin.filter(|_| is_glb && i == 0);
        let fetched = buffer_bytes(buffer, bin, base, left);
        let (bytes, part) = fetched.map_err(|f| f.within(&place))?;
        left = left.saturating_sub(bytes.len() as u64);
        out.bytes.push(bytes);
        out.parts.extend(part.map(|path| (i, path)));
    }
    Ok(out)
}

fn buffer_bytes(
    buffer: &Value,
    bin: Option<&[u8]>,
    base: &Path,
    limit: u64,
) -> Result<(Vec<u8>, Option<PathBuf>), Fault> {
    let (mut bytes, part) = match (buffer.get("uri"), bin) {
        (Some(Value::String(uri)), _) => uri::fetch(base, uri, limit)?,
        (Some(_), _) => return Err(Fault::new("json-type", "", "`uri` should be text")),
        (None, Some(bin)) => (bin.to_owned(), None),
        (None, None) => return Ok((Vec::new(), None)),
    };
    let Some(length) = fields::uint(buffer, "byteLength", "")? else {
        return Ok((bytes, part));
    };
    if length > bytes.len() as u64 {
        let text = format!(
            "{length} bytes are announced, only {} are there",
            bytes.len()
        );
        return Err(Fault::new("buffer-short", "", text)
            .hint("the file is cut off or belongs to another version of the model"));
    }
    bytes.truncate(length as usize);
    Ok((bytes, part))
}

/// Whether a buffer view is packed with meshoptimizer's codec, which is not read.
pub(super) fn is_meshopt(view: &Value) -> bool {
    MESHOPT.iter().any(|e| fields::extension(view, e).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> &'static str {
        parse(Path::new("a.gltf"), text.as_bytes())
            .unwrap_err()
            .code
    }

    #[test]
    fn members_keep_their_order_and_buffers_their_bytes() {
        let text = r#"{"z":1,"asset":{"version":"2.0"},"a":2,
            "buffers":[{"byteLength":2,"uri":"data:;base64,QUJD"},{"byteLength":9}]}"#;
        let source = parse(Path::new("a.gltf"), text.as_bytes()).unwrap();
        let keys: Vec<&String> = source.json.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["z", "asset", "a", "buffers"]);
        assert_eq!(source.buffers, [b"AB".to_vec(), Vec::new()]);
        assert!(!source.is_glb);
    }

    #[test]
    fn what_is_not_gltf_is_named() {
        assert_eq!(code(""), "empty-file");
        assert_eq!(
            code("version https://git-lfs.github.com/spec/v1"),
            "lfs-pointer"
        );
        assert_eq!(code("HIERARCHY"), "not-gltf");
        assert_eq!(code("{}"), "not-gltf");
        assert_eq!(code("{\"asset\":"), "bad-json");
        assert_eq!(code(r#"{"asset":{"version":"1.0"}}"#), "version");
        assert_eq!(
            code(r#"{"asset":{"version":"2.1","minVersion":"2.1"}}"#),
            "version"
        );
    }

    #[test]
    fn deep_json_is_refused_on_a_small_stack() {
        let deep = format!("{{\"asset\":{}", "[".repeat(1 << 20));
        let run = move || assert_eq!(code(&deep), "bad-json");
        let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(run);
        thread.unwrap().join().unwrap();
    }

    #[test]
    fn short_buffers_are_refused() {
        let text = r#"{"asset":{"version":"2.0"},
            "buffers":[{"byteLength":4,"uri":"data:;base64,QUJD"}]}"#;
        assert_eq!(code(text), "buffer-short");
    }
}
