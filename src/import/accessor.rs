//! Checked reading of accessors: every offset, stride, count and type is held against the bytes that
//! are really there before anything is allocated or read.

use super::error::Fault;
use super::fields;
use super::source::is_meshopt;
use serde_json::Value;

/// The accessor's bytes are not all there: the file is damaged.
pub(super) const BOUNDS: &str = "accessor-bounds";
/// The accessor is whole, but of a type that its use does not allow.
pub(super) const FORMAT: &str = "accessor-format";
/// The bytes are packed with meshoptimizer's codec.
pub(super) const MESHOPT: &str = "meshopt-compressed";

/// Most elements of an accessor that has no bytes of its own (all zeros).
const MAX_ZEROS: u64 = 1 << 24;

/// How one number is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn from_code(code: u64) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    /// Bytes.
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// Whether it is an integer that fits 16 bits: what may be normalised.
    pub fn is_small_int(self) -> bool {
        !matches!(self, Self::U32 | Self::F32)
    }

    /// Whether it may hold an index.
    pub fn is_unsigned(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32)
    }
}

/// The accessors, views and buffers of one file.
pub(super) struct Accessors<'a> {
    list: &'a [Value],
    views: &'a [Value],
    buffers: &'a [Vec<u8>],
}

/// One accessor whose every byte is known to be there.
pub(super) struct Accessor<'a> {
    /// Number of elements.
    pub count: usize,
    /// Numbers in an element.
    pub width: usize,
    pub component: Component,
    pub normalized: bool,
    /// What its elements take in the file; with sparse ones their indices too.
    pub stored_bytes: usize,
    place: String,
    base: Option<Strided<'a>>,
    sparse: Option<Sparse<'a>>,
}

struct Strided<'a> {
    bytes: &'a [u8],
    stride: usize,
    element: usize,
}

struct Sparse<'a> {
    indices: Vec<usize>,
    values: Strided<'a>,
    stored_bytes: usize,
}

impl<'a> Accessors<'a> {
    pub fn new(json: &'a Value, buffers: &'a [Vec<u8>]) -> Result<Self, Fault> {
        Ok(Self {
            list: fields::objects(json, "accessors")?,
            views: fields::objects(json, "bufferViews")?,
            buffers,
        })
    }

    /// Checks accessor `index`. Cost: constant, plus the length of a sparse index list.
    pub fn get(&self, index: usize) -> Result<Accessor<'a>, Fault> {
        let place = format!("accessor {index}");
        self.checked(index, &place).map_err(|f| f.within(&place))
    }

    fn checked(&self, index: usize, place: &str) -> Result<Accessor<'a>, Fault> {
        let Some(json) = self.list.get(index) else {
            let n = self.list.len();
            return Err(bounds(format!("there are only {n} accessors")));
        };
        let component = component(json)?;
        let kind = fields::text(json, "type");
        let Some(width) = width(kind) else {
            return Err(Fault::new(
                FORMAT,
                "",
                format!("unknown type \"{kind:.20}\""),
            ));
        };
        let Some(count) = fields::uint(json, "count", "")? else {
            return Err(bounds("it has no `count`"));
        };
        let element = width * component.size();
        let base = match fields::index(json, "bufferView", "")? {
            Some(view) => {
                let offset = fields::uint(json, "byteOffset", "")?.unwrap_or(0);
                Some(self.strided(view, offset, count, element)?)
            }
            None if count > MAX_ZEROS => {
                return Err(bounds(format!("{count} elements, but no buffer view")));
            }
            None => None,
        };
        let sparse = match json.get("sparse") {
            Some(s) => Some(
                self.sparse(s, count, element)
                    .map_err(|f| f.within("sparse"))?,
            ),
            None => None,
        };
        let plain = base
            .as_ref()
            .map_or(0, |_| fields::to_index(count) * element);
        let replaced = sparse.as_ref().map_or(0, |s| s.stored_bytes);
        Ok(Accessor {
            stored_bytes: plain + replaced,
            count: fields::to_index(count),
            width,
            component,
            normalized: json.get("normalized") == Some(&Value::Bool(true)),
            place: place.to_owned(),
            base,
            sparse,
        })
    }

    fn sparse(&self, json: &Value, count: u64, element: usize) -> Result<Sparse<'a>, Fault> {
        let part = |key: &str| {
            json.get(key)
                .filter(|v| v.is_object())
                .ok_or_else(|| bounds(format!("it has no `{key}`")))
        };
        let (indices, values) = (part("indices")?, part("values")?);
        let n = fields::uint(json, "count", "")?.unwrap_or(0);
        if n > count {
            return Err(bounds(format!("{n} replacements for {count} elements")));
        }
        let kind = component(indices)?;
        if !kind.is_unsigned() {
            return Err(Fault::new(
                FORMAT,
                "",
                "its indices are no unsigned integers",
            ));
        }
        let slots = self.part(indices, n, kind.size())?;
        let values = self.part(values, n, element)?;
        let indices: Vec<usize> = slots.elements().map(|b| unsigned(b) as usize).collect();
        let in_order = indices.windows(2).all(|w| w[0] < w[1]);
        if !in_order || indices.last().is_some_and(|&i| i as u64 >= count) {
            let text = format!("its indices do not increase or pass the {count} elements");
            return Err(bounds(text));
        }
        Ok(Sparse {
            stored_bytes: indices.len() * (kind.size() + element),
            indices,
            values,
        })
    }

    fn part(&self, json: &Value, count: u64, element: usize) -> Result<Strided<'a>, Fault> {
        let Some(view) = fields::index(json, "bufferView", "")? else {
            return Err(bounds("it has no buffer view"));
        };
        let offset = fields::uint(json, "byteOffset", "")?.unwrap_or(0);
        self.strided(view, offset, count, element)
    }

    /// `count` elements of `element` bytes from `offset` on in a view, which all lie in the view.
    fn strided(
        &self,
        view: usize,
        offset: u64,
        count: u64,
        element: usize,
    ) -> Result<Strided<'a>, Fault> {
        let stride = match self.views.get(view) {
            Some(v) => fields::uint(v, "byteStride", "")?,
            None => None,
        };
        let bytes = self.view(view)?;
        let stride = stride.unwrap_or(element as u64);
        if stride < element as u64 {
            let text = format!("a stride of {stride} bytes for elements of {element}");
            return Err(bounds(text));
        }
        let end = match count.checked_sub(1) {
            Some(gaps) => stride
                .checked_mul(gaps)
                .and_then(|x| x.checked_add(element as u64))
                .and_then(|x| x.checked_add(offset)),
            None => Some(offset),
        };
        if end.is_none_or(|end| end > bytes.len() as u64) {
            return Err(bounds(format!(
                "{count} elements every {stride} bytes from byte {offset} do not fit the {} bytes of buffer view {view}",
                bytes.len()
            )));
        }
        let bytes = if count == 0 {
            &[]
        } else {
            &bytes[offset as usize..]
        };
        let used = (count as usize).saturating_sub(1) * stride as usize + element;
        Ok(Strided {
            bytes: bytes.get(..used).unwrap_or(&[]),
            stride: stride as usize,
            element,
        })
    }

    /// The bytes of a buffer view.
    pub fn view(&self, index: usize) -> Result<&'a [u8], Fault> {
        let Some(view) = self.views.get(index) else {
            let n = self.views.len();
            return Err(bounds(format!("buffer view {index} of {n} does not exist")));
        };
        let place = format!("buffer view {index}");
        let buffer = fields::index(view, "buffer", &place)?.unwrap_or(usize::MAX);
        let Some(bytes) = self.buffers.get(buffer) else {
            return Err(bounds(format!(
                "{place} names a buffer that does not exist"
            )));
        };
        let offset = fields::uint(view, "byteOffset", &place)?.unwrap_or(0);
        let length = fields::uint(view, "byteLength", &place)?.unwrap_or(0);
        let end = offset.checked_add(length);
        if end.is_some_and(|end| end <= bytes.len() as u64) {
            return Ok(&bytes[offset as usize..(offset + length) as usize]);
        }
        if is_meshopt(view) {
            let text = "its bytes are packed with meshopt compression, which is not read";
            return Err(Fault::new(MESHOPT, "", text).hint("export it without gltfpack's -c"));
        }
        Err(bounds(format!(
            "{place} ({length} bytes from byte {offset}) does not fit buffer {buffer}, which has {} bytes",
            bytes.len()
        )))
    }
}

impl Strided<'_> {
    fn elements(&self) -> impl Iterator<Item = &[u8]> {
        let element = self.element;
        self.bytes
            .chunks(self.stride)
            .filter_map(move |c| c.get(..element))
    }
}

impl Accessor<'_> {
    /// A fault of this accessor: its type does not fit its use.
    pub fn format_fault(&self, wanted: &str) -> Fault {
        let text = format!(
            "it holds {} of {:?}{}, but {wanted} is needed",
            self.width,
            self.component,
            if self.normalized { " (normalised)" } else { "" }
        );
        Fault::new(FORMAT, self.place.clone(), text)
            .hint("export the file again or run the Khronos validator on it")
    }

    /// All numbers, integers normalised where the accessor says so; `count * width` of them.
    pub fn floats(&self) -> Vec<f32> {
        let normalized = self.normalized;
        match self.component {
            Component::F32 => self.collect(|b| f32::from_le_bytes(fixed(b))),
            Component::I8 if normalized => {
                self.collect(|b| (f32::from(i8::from_le_bytes(fixed(b))) / 127.0).max(-1.0))
            }
            Component::I16 if normalized => {
                self.collect(|b| (f32::from(i16::from_le_bytes(fixed(b))) / 32767.0).max(-1.0))
            }
            Component::U8 if normalized => self.collect(|b| unsigned(b) as f32 / 255.0),
            Component::U16 if normalized => self.collect(|b| unsigned(b) as f32 / 65535.0),
            Component::I8 => self.collect(|b| f32::from(i8::from_le_bytes(fixed(b)))),
            Component::I16 => self.collect(|b| f32::from(i16::from_le_bytes(fixed(b)))),
            Component::U8 | Component::U16 | Component::U32 => self.collect(|b| unsigned(b) as f32),
        }
    }

    /// All numbers of an accessor of unsigned integers; `count * width` of them.
    pub fn uints(&self) -> Result<Vec<u32>, Fault> {
        if !self.component.is_unsigned() {
            return Err(self.format_fault("an unsigned integer"));
        }
        Ok(self.collect(unsigned))
    }

    fn collect<T: Copy + Default>(&self, number: impl Fn(&[u8]) -> T) -> Vec<T> {
        let size = self.component.size();
        let total = self.count * self.width;
        let mut out = Vec::with_capacity(total);
        if let Some(base) = &self.base {
            for element in base.elements() {
                out.extend(element.chunks_exact(size).map(&number));
            }
        }
        out.resize(total, T::default());
        let Some(sparse) = &self.sparse else {
            return out;
        };
        for (&i, element) in sparse.indices.iter().zip(sparse.values.elements()) {
            let slots = &mut out[i * self.width..][..self.width];
            for (slot, bytes) in slots.iter_mut().zip(element.chunks_exact(size)) {
                *slot = number(bytes);
            }
        }
        out
    }
}

/// Little-endian bytes of up to 32 bits as a number.
fn unsigned(bytes: &[u8]) -> u32 {
    let fold = |n: u32, b: &u8| n << 8 | u32::from(*b);
    bytes.iter().rev().fold(0, fold)
}

/// The bytes as an array; they are always `N`, the size of the component.
fn fixed<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().unwrap_or([0; N])
}

fn component(json: &Value) -> Result<Component, Fault> {
    let code = fields::uint(json, "componentType", "")?.unwrap_or(0);
    Component::from_code(code)
        .ok_or_else(|| Fault::new(FORMAT, "", format!("unknown component type {code}")))
}

fn width(kind: &str) -> Option<usize> {
    Some(match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" | "MAT2" => 4,
        "MAT3" => 9,
        "MAT4" => 16,
        _ => return None,
    })
}

fn bounds(text: impl Into<String>) -> Fault {
    Fault::new(BOUNDS, "", text).hint("the file is damaged or was cut off; export it again")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn with<T>(
        accessor: &Value,
        view: &Value,
        buffer: &[u8],
        f: impl FnOnce(Result<Accessor<'_>, Fault>) -> T,
    ) -> T {
        let doc = json!({"accessors": [accessor], "bufferViews": [view]});
        let buffers = [buffer.to_vec()];
        f(Accessors::new(&doc, &buffers).unwrap().get(0))
    }

    fn floats(accessor: &Value, view: &Value, buffer: &[u8]) -> Vec<f32> {
        with(accessor, view, buffer, |a| a.unwrap().floats())
    }

    fn code(accessor: &Value, view: &Value, buffer: &[u8]) -> &'static str {
        with(accessor, view, buffer, |a| a.err().unwrap().code)
    }

    #[test]
    fn normalised_integers_follow_the_specification() {
        let view = json!({"buffer": 0, "byteLength": 4});
        let mut a = json!({"bufferView": 0, "componentType": 5120, "type": "VEC4", "count": 1, "normalized": true});
        let bytes = [0x80, 0x81, 0, 127];
        assert_eq!(floats(&a, &view, &bytes), [-1.0, -1.0, 0.0, 1.0]);
        a["componentType"] = json!(5121);
        assert_eq!(floats(&a, &view, &[0, 255, 51, 0]), [0.0, 1.0, 0.2, 0.0]);
        a["componentType"] = json!(5122);
        a["type"] = json!("VEC2");
        assert_eq!(floats(&a, &view, &[0, 0x80, 0xFF, 0x7F]), [-1.0, 1.0]);
        a["componentType"] = json!(5123);
        assert_eq!(floats(&a, &view, &[0xFF, 0xFF, 0, 0]), [1.0, 0.0]);
        a["normalized"] = json!(false);
        assert_eq!(floats(&a, &view, &[0xFF, 0xFF, 1, 0]), [65535.0, 1.0]);
    }

    #[test]
    fn strides_and_offsets_pick_the_right_bytes() {
        let view = json!({"buffer": 0, "byteOffset": 1, "byteLength": 6, "byteStride": 3});
        let a = json!({"bufferView": 0, "byteOffset": 1, "componentType": 5121, "type": "VEC2", "count": 2});
        // The last element ends with the view although its stride would not.
        assert_eq!(
            floats(&a, &view, &[9, 9, 1, 2, 9, 3, 4]),
            [1.0, 2.0, 3.0, 4.0]
        );
    }

    #[test]
    fn sparse_values_replace_zeros_or_the_base() {
        let bytes = [1, 2, 3, 4, 0, 3, 9, 8];
        let doc = json!({
            "accessors": [
                {"bufferView": 0, "componentType": 5121, "type": "SCALAR", "count": 4, "sparse": {
                    "count": 2,
                    "indices": {"bufferView": 1, "componentType": 5121},
                    "values": {"bufferView": 1, "byteOffset": 2}}},
                {"componentType": 5121, "type": "SCALAR", "count": 4, "sparse": {
                    "count": 2,
                    "indices": {"bufferView": 1, "componentType": 5121},
                    "values": {"bufferView": 1, "byteOffset": 2}}}],
            "bufferViews": [
                {"buffer": 0, "byteLength": 4},
                {"buffer": 0, "byteOffset": 4, "byteLength": 4}]});
        let buffers = [bytes.to_vec()];
        let all = Accessors::new(&doc, &buffers).unwrap();
        assert_eq!(all.get(0).unwrap().floats(), [9.0, 2.0, 3.0, 8.0]);
        assert_eq!(all.get(1).unwrap().uints().unwrap(), [9, 0, 0, 8]);
    }

    #[test]
    fn sparse_faults_are_refused() {
        let view = json!({"buffer": 0, "byteLength": 4});
        let base = json!({"bufferView": 0, "componentType": 5121, "type": "SCALAR", "count": 4});
        for sparse in [
            json!({"count": 5, "indices": {"bufferView": 0, "componentType": 5121}, "values": {"bufferView": 0}}),
            json!({"count": 2, "indices": {"bufferView": 0, "componentType": 5121}, "values": {"bufferView": 0}}),
            json!({"count": 1, "indices": {"bufferView": 9, "componentType": 5121}, "values": {"bufferView": 0}}),
            json!({"count": 1, "indices": {"bufferView": 0, "componentType": 5121}}),
            json!({"count": 1, "indices": 3, "values": []}),
            json!({"count": 4, "indices": {"bufferView": 0, "componentType": 5125}, "values": {"bufferView": 0}}),
        ] {
            let mut a = base.clone();
            a["sparse"] = sparse;
            // Indices 7, 1: not increasing, past the end.
            assert_eq!(code(&a, &view, &[7, 1, 0, 0]), BOUNDS, "{a}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let a = json!({"bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 2});
        let view = json!({"buffer": 0, "byteLength": 8});
        assert_eq!(floats(&a, &view, &[0; 8]), [0.0, 0.0]);
        let patched = |key: &str, value: Value| {
            let mut a = a.clone();
            a[key] = value;
            code(&a, &view, &[0; 8])
        };
        assert_eq!(patched("count", json!(3)), BOUNDS);
        assert_eq!(patched("count", json!(1_u64 << 62)), BOUNDS);
        assert_eq!(patched("count", json!(u64::MAX)), BOUNDS);
        assert_eq!(patched("byteOffset", json!(u64::MAX)), BOUNDS);
        assert_eq!(patched("byteOffset", json!(1)), BOUNDS);
        assert_eq!(patched("bufferView", json!(1)), BOUNDS);
        assert_eq!(patched("componentType", json!(1)), FORMAT);
        assert_eq!(patched("type", json!("VEC5")), FORMAT);
        assert_eq!(patched("count", json!("x")), "json-type");
        for view in [
            json!({"buffer": 0, "byteLength": 8, "byteStride": 3}),
            json!({"buffer": 0, "byteLength": 8, "byteStride": 0}),
            json!({"buffer": 0, "byteLength": 8, "byteOffset": u64::MAX}),
            json!({"buffer": 0, "byteLength": 9}),
            json!({"buffer": 1, "byteLength": 8}),
            json!({"byteLength": 8}),
        ] {
            assert_eq!(code(&a, &view, &[0; 8]), BOUNDS, "{view}");
        }
    }

    #[test]
    fn no_bytes_means_zeros_within_reason() {
        let view = json!({});
        let mut a = json!({"componentType": 5126, "type": "VEC3", "count": 2});
        assert_eq!(floats(&a, &view, &[]), [0.0; 6]);
        a["count"] = json!(1_u64 << 62);
        assert_eq!(code(&a, &view, &[]), BOUNDS);
    }
}
