use super::refs::visit_spans;
use super::{ExportError, GltfSource};
use serde_json::{Value, json};

/// The document being edited. New data goes into one more buffer, the last of `buffers`.
pub(super) struct Draft {
    pub(super) doc: Value,
    /// The bytes of the new buffer.
    pub(super) bytes: Vec<u8>,
    pub(super) notes: Vec<String>,
}

impl Draft {
    pub(super) fn new(source: &GltfSource<'_>) -> Result<Self, ExportError> {
        let mut doc = source.json.clone();
        if !doc.is_object() {
            return Err(ExportError::source("document", "it is not an object"));
        }
        let declared = length(&doc, "buffers");
        if declared != source.buffers.len() {
            return Err(ExportError::source(
                "buffers",
                format!("{declared} declared, {} loaded", source.buffers.len()),
            ));
        }
        // Later there is one buffer more, and a wrong number would get a meaning.
        visit_spans(&mut doc, &mut |span| match index(span, "buffer") {
            Some(buffer) if buffer < declared => Ok(()),
            _ => Err(ExportError::source(
                "bufferViews",
                format!("{span} is in none of the {declared} buffers"),
            )),
        })?;
        push(&mut doc, "buffers", json!({ "byteLength": 0 }))?;
        Ok(Self {
            doc,
            bytes: Vec::new(),
            notes: Vec::new(),
        })
    }

    /// Appends a buffer view over new bytes, aligned to 4; returns its index.
    pub(super) fn add_view(&mut self, bytes: &[u8]) -> Result<usize, ExportError> {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let view = json!({
            "buffer": length(&self.doc, "buffers") - 1,
            "byteOffset": self.bytes.len(),
            "byteLength": bytes.len(),
        });
        self.bytes.extend_from_slice(bytes);
        push(&mut self.doc, "bufferViews", view)
    }

    /// Appends an accessor; returns its index.
    pub(super) fn add_accessor(&mut self, accessor: Value) -> Result<usize, ExportError> {
        push(&mut self.doc, "accessors", accessor)
    }
}

/// Number of entries of a list of the document; 0 when it has none.
pub(super) fn length(doc: &Value, key: &str) -> usize {
    doc.get(key).and_then(Value::as_array).map_or(0, Vec::len)
}

/// A non-negative integer of an object.
pub(super) fn index(object: &Value, key: &str) -> Option<usize> {
    usize::try_from(object.get(key)?.as_u64()?).ok()
}

fn push(doc: &mut Value, key: &str, entry: Value) -> Result<usize, ExportError> {
    let list = doc
        .as_object_mut()
        .map(|map| map.entry(key).or_insert_with(|| json!([])));
    let Some(list) = list.and_then(Value::as_array_mut) else {
        return Err(ExportError::source(key, "it is not a list"));
    };
    list.push(entry);
    Ok(list.len() - 1)
}
