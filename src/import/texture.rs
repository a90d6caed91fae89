//! Base colour pictures, decoded once each and within limits.

use super::accessor::Accessors;
use super::error::Fault;
use super::{fields, uri};
use crate::model::Texture;
use serde_json::Value;
use std::collections::HashMap;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

/// Most pixels along a side.
const MAX_SIDE: u32 = 8192;
/// Most pixels of all pictures of a file: 256 MiB.
const MAX_PIXELS: u64 = 64 << 20;
/// Most bytes of all picture files.
const MAX_FILE_BYTES: u64 = 512 << 20;

/// Fetches and decodes the pictures of one file.
pub(super) struct Textures<'a> {
    list: &'a [Value],
    images: &'a [Value],
    data: &'a Accessors<'a>,
    base: &'a Path,
    decoded: HashMap<usize, Result<Arc<Texture>, Fault>>,
    pixels_left: u64,
    bytes_left: u64,
}

impl<'a> Textures<'a> {
    pub fn new(json: &'a Value, data: &'a Accessors<'a>, base: &'a Path) -> Result<Self, Fault> {
        Ok(Self {
            list: fields::objects(json, "textures")?,
            images: fields::objects(json, "images")?,
            data,
            base,
            decoded: HashMap::new(),
            pixels_left: MAX_PIXELS,
            bytes_left: MAX_FILE_BYTES,
        })
    }

    /// The picture of texture `index`.
    pub fn get(&mut self, index: usize) -> Result<Arc<Texture>, Fault> {
        let place = format!("texture {index}");
        let Some(texture) = self.list.get(index) else {
            return Err(Fault::new("bad-texture", place, "it does not exist"));
        };
        let Some(image) = fields::index(texture, "source", &place)? else {
            let text = "it has no PNG or JPEG picture";
            return Err(Fault::new("bad-texture", place, text));
        };
        if let Some(known) = self.decoded.get(&image) {
            return known.clone();
        }
        let result = self
            .image(image)
            .map_err(|f| f.within(&format!("image {image}")));
        self.decoded.insert(image, result.clone());
        result
    }

    fn image(&mut self, index: usize) -> Result<Arc<Texture>, Fault> {
        let Some(image) = self.images.get(index) else {
            return Err(Fault::new("bad-texture", "", "it does not exist"));
        };
        if let Some(view) = fields::index(image, "bufferView", "")? {
            return self.decode(self.data.view(view)?);
        }
        let uri = fields::text(image, "uri");
        let (bytes, _) = uri::fetch(self.base, uri, self.bytes_left)?;
        self.bytes_left = self.bytes_left.saturating_sub(bytes.len() as u64);
        self.decode(&bytes)
    }

    fn decode(&mut self, bytes: &[u8]) -> Result<Arc<Texture>, Fault> {
        let bad = |e: String| Fault::new("bad-texture", "", format!("it cannot be decoded: {e}"));
        let side = image_size(bytes).map_err(bad)?;
        let pixels = u64::from(side.0) * u64::from(side.1);
        if pixels > self.pixels_left || side.0.max(side.1) > MAX_SIDE {
            let text = format!("{} x {} pixels are too many", side.0, side.1);
            return Err(Fault::new("bad-texture", "", text));
        }
        self.pixels_left -= pixels;
        let picture = reader(bytes)
            .and_then(|r| r.decode().map_err(|e| e.to_string()))
            .map_err(bad)?
            .into_rgba8();
        Ok(Arc::new(Texture {
            width: picture.width(),
            height: picture.height(),
            rgba: picture.into_raw(),
        }))
    }
}

fn reader(bytes: &[u8]) -> Result<image::ImageReader<Cursor<&[u8]>>, String> {
    let mut reader = image::ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|e| e.to_string())?;
    let mut limits = image::Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_PIXELS * 16);
    reader.limits(limits);
    Ok(reader)
}

fn image_size(bytes: &[u8]) -> Result<(u32, u32), String> {
    reader(bytes)?.into_dimensions().map_err(|e| e.to_string())
}
