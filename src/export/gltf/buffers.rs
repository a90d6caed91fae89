//! The binary chunk: the bytes that buffer views name, from all buffers, one after the other.

use super::ExportError;
use super::draft::index;
use super::refs::{MESHOPT, each, visit_spans};
use serde_json::{Map, Value};

/// A run of bytes of one buffer and where it went.
struct Run {
    start: usize,
    end: usize,
    /// Offset in the binary chunk.
    at: usize,
}

/// Copies what the views name into one chunk and lets the views point there; returns the chunk.
///
/// Views that overlap in the source overlap in the chunk. With an `unknown` extension whole buffers
/// are copied, since it may name bytes that no view names.
pub(super) fn merge(
    doc: &mut Value,
    buffers: &[&[u8]],
    unknown: Option<&str>,
) -> Result<Vec<u8>, ExportError> {
    refuse_foreign_buffer_indices(doc, buffers.len() - 1, unknown)?;
    let absent = absent_buffers(doc, buffers);
    let mut runs = wanted_runs(doc, buffers, &absent)?;
    if unknown.is_some() {
        for (runs, buffer) in runs.iter_mut().zip(buffers) {
            *runs = vec![Run {
                start: 0,
                end: buffer.len(),
                at: 0,
            }];
        }
    }
    let mut bin = Vec::new();
    for (runs, buffer) in runs.iter_mut().zip(buffers) {
        join_overlapping(runs);
        for run in runs {
            copy(run, buffer, &mut bin);
        }
    }
    point_to_chunk(doc, &runs, &absent)?;
    rewrite_list(doc, &absent, &mut bin)?;
    Ok(bin)
}

/// An extension we do not know may name buffers, whose numbers change when there are several.
fn refuse_foreign_buffer_indices(
    doc: &Value,
    count: usize,
    unknown: Option<&str>,
) -> Result<(), ExportError> {
    let Some(extension) = unknown.filter(|_| count > 1) else {
        return Ok(());
    };
    let mut stack = vec![(doc, false)];
    while let Some((value, inside)) = stack.pop() {
        match value {
            Value::Array(list) => stack.extend(list.iter().map(|v| (v, inside))),
            Value::Object(map) => {
                if inside && map.contains_key("buffer") {
                    return Err(ExportError::Unsupported {
                        text: format!(
                            "the file has {count} buffers and uses the extension {extension}, \
                             which may name them by their number; a GLB has only one"
                        ),
                        hint: "convert the file to GLB with the tool it came from, then export again",
                    });
                }
                stack.extend(map.iter().filter(|(k, _)| *k != "extras").map(|(k, v)| {
                    let ours = MESHOPT.contains(&k.as_str());
                    (v, !ours && (inside || k == "extensions"))
                }));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Buffers without bytes: their views are filled by a decompressor.
fn absent_buffers(doc: &Value, buffers: &[&[u8]]) -> Vec<bool> {
    let entry = |b: usize| doc.get("buffers").and_then(|list| list.get(b));
    let is_absent = |(b, bytes): (usize, &&[u8])| {
        entry(b).is_some_and(|e| {
            is_fallback(e) && index(e, "byteLength").is_some_and(|declared| bytes.len() < declared)
        })
    };
    buffers.iter().enumerate().map(is_absent).collect()
}

fn is_fallback(buffer: &Value) -> bool {
    let extensions = buffer.get("extensions");
    let marks = MESHOPT.map(|name| extensions?.get(name)?.get("fallback")?.as_bool());
    marks.contains(&Some(true))
}

fn wanted_runs(
    doc: &mut Value,
    buffers: &[&[u8]],
    absent: &[bool],
) -> Result<Vec<Vec<Run>>, ExportError> {
    let mut runs: Vec<Vec<Run>> = buffers.iter().map(|_| Vec::new()).collect();
    visit_spans(doc, &mut |span| {
        let (buffer, start) = (index(span, "buffer"), offset(span));
        let end = index(span, "byteLength").and_then(|n| start?.checked_add(n));
        let (Some(buffer), Some(start), Some(end)) = (buffer, start, end) else {
            return Err(broken(span, "has no buffer or length"));
        };
        let Some(bytes) = buffers.get(buffer) else {
            return Err(broken(span, "names a buffer that does not exist"));
        };
        if absent[buffer] {
            return Ok(());
        }
        if end > bytes.len() {
            let text = format!("ends behind its buffer of {} bytes", bytes.len());
            return Err(broken(span, &text));
        }
        runs[buffer].push(Run { start, end, at: 0 });
        Ok(())
    })?;
    Ok(runs)
}

fn offset(span: &Value) -> Option<usize> {
    match span.get("byteOffset") {
        None => Some(0),
        Some(_) => index(span, "byteOffset"),
    }
}

fn broken(span: &Value, text: &str) -> ExportError {
    ExportError::source("bufferViews", format!("{span} {text}"))
}

fn join_overlapping(runs: &mut Vec<Run>) {
    runs.sort_by_key(|r| (r.start, r.end));
    runs.dedup_by(|next, kept| {
        let touches = next.start <= kept.end;
        if touches {
            kept.end = kept.end.max(next.end);
        }
        touches
    });
}

/// Keeps the offset's remainder modulo 4, so that whatever was aligned stays aligned.
fn copy(run: &mut Run, buffer: &[u8], bin: &mut Vec<u8>) {
    let at = bin.len() + (run.start + 4 - bin.len() % 4) % 4;
    bin.resize(at, 0);
    bin.extend_from_slice(&buffer[run.start..run.end]);
    run.at = at;
}

fn point_to_chunk(doc: &mut Value, runs: &[Vec<Run>], absent: &[bool]) -> Result<(), ExportError> {
    visit_spans(doc, &mut |span| {
        let (Some(buffer), Some(start)) = (index(span, "buffer"), offset(span)) else {
            return Ok(());
        };
        if absent[buffer] {
            let behind_chunk = 1 + absent[..buffer].iter().filter(|&&a| a).count();
            span["buffer"] = behind_chunk.into();
            return Ok(());
        }
        let after = runs[buffer].partition_point(|r| r.start <= start);
        let run = &runs[buffer][after - 1];
        let at = run.at + (start - run.start);
        span["buffer"] = 0.into();
        if at != 0 || span.get("byteOffset").is_some() {
            span["byteOffset"] = at.into();
        }
        Ok(())
    })
}

/// The chunk becomes the first buffer, and keeps what else the first buffer of the source said.
fn rewrite_list(doc: &mut Value, absent: &[bool], bin: &mut Vec<u8>) -> Result<(), ExportError> {
    let behind = absent.contains(&true);
    if bin.is_empty() && behind {
        // A first buffer without a URI is the chunk: there must be one for the others to be behind it.
        bin.resize(4, 0);
    }
    let mut old = each(doc, "buffers").map(Value::take);
    let first = old.next().unwrap_or_default();
    let mut list = Vec::new();
    let rest: Vec<Value> = old.collect();
    if !bin.is_empty() {
        list.push(chunk_entry(
            if absent[0] {
                Value::Null
            } else {
                first.clone()
            },
            bin.len(),
        ));
    }
    let all = std::iter::once(first).chain(rest).zip(absent);
    list.extend(all.filter(|(_, absent)| **absent).map(|(b, _)| b));
    let Some(map) = doc.as_object_mut() else {
        return Err(ExportError::source("document", "it is not an object"));
    };
    if list.is_empty() {
        map.shift_remove("buffers");
    } else {
        map.insert("buffers".into(), Value::Array(list));
    }
    Ok(())
}

fn chunk_entry(first: Value, bytes: usize) -> Value {
    let mut entry = match first {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    entry.shift_remove("uri");
    if let Some(extensions) = entry.get_mut("extensions").and_then(Value::as_object_mut) {
        // The chunk holds real bytes, so it is no fallback.
        for name in MESHOPT {
            extensions.shift_remove(name);
        }
        if extensions.is_empty() {
            entry.shift_remove("extensions");
        }
    }
    entry.insert("byteLength".into(), bytes.into());
    Value::Object(entry)
}
