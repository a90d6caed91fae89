//! A picture of our own to draw into, with depth and optional multisampling.
//!
//! three-d keeps the ids of its textures to itself, and copying between framebuffers needs them, so the
//! framebuffers are made with plain GL calls and lent to three-d.

use three_d::context::{
    COLOR_ATTACHMENT0, COLOR_BUFFER_BIT, DEPTH_ATTACHMENT, DEPTH_COMPONENT24, DRAW_FRAMEBUFFER,
    FRAMEBUFFER, FRAMEBUFFER_COMPLETE, Framebuffer, HasContext as _, NEAREST, PixelPackData,
    READ_FRAMEBUFFER, RENDERBUFFER, RGBA, RGBA8, Renderbuffer, SCISSOR_TEST, UNSIGNED_BYTE,
};
use three_d::{Context, RenderTarget};

/// Width and height in pixels, and samples a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureSize {
    /// Pixels in a row, at least 1.
    pub width: u32,
    /// Rows, at least 1.
    pub height: u32,
    /// Samples a pixel; 1 for no multisampling.
    pub samples: u32,
}

/// A framebuffer with its storage.
struct Buffers {
    framebuffer: Framebuffer,
    storage: Vec<Renderbuffer>,
}

/// A picture on the GPU. All methods need the context that made it to be current.
pub struct Offscreen {
    gl: Context,
    size: PictureSize,
    /// What is drawn into.
    drawn: Buffers,
    /// Where samples are averaged to; none where there is one sample a pixel.
    resolved: Option<Buffers>,
}

impl Offscreen {
    /// Reserves the memory. Fails where the driver refuses, for example for more samples than it has.
    ///
    /// Leaves the default framebuffer bound.
    pub fn new(gl: &Context, size: PictureSize) -> Result<Self, String> {
        let drawn = Buffers::new(gl, size, &[(RGBA8, COLOR_ATTACHMENT0), DEPTH])?;
        let single = PictureSize { samples: 1, ..size };
        let resolved = if size.samples > 1 {
            match Buffers::new(gl, single, &[(RGBA8, COLOR_ATTACHMENT0)]) {
                Ok(buffers) => Some(buffers),
                Err(problem) => {
                    drawn.delete(gl);
                    return Err(problem);
                }
            }
        } else {
            None
        };
        Ok(Self {
            gl: gl.clone(),
            size,
            drawn,
            resolved,
        })
    }

    /// What it was made with.
    pub fn size(&self) -> PictureSize {
        self.size
    }

    /// Runs `draw` on the picture. Leaves the default framebuffer bound.
    pub fn render(&mut self, draw: impl FnOnce(&RenderTarget<'_>)) {
        let PictureSize { width, height, .. } = self.size;
        let framebuffer = self.drawn.framebuffer;
        let target = RenderTarget::from_framebuffer(&self.gl, width, height, framebuffer);
        draw(&target);
        // Dropping the target would delete the framebuffer, which is ours.
        let _ = target.into_framebuffer();
        if let Some(resolved) = &self.resolved {
            // SAFETY: both framebuffers belong to this context and have the same size.
            unsafe { self.gl.disable(SCISSOR_TEST) };
            self.copy(framebuffer, Some(resolved.framebuffer), 0, 0);
        }
        // SAFETY: binding the default framebuffer is always valid.
        unsafe { self.gl.bind_framebuffer(FRAMEBUFFER, None) };
    }

    /// Copies the picture to `target` (`None` is the window) with its lower left corner at pixel (x, y);
    /// the current scissor box holds. Leaves `target` bound.
    pub fn blit_to(&self, target: Option<Framebuffer>, x: i32, y: i32) {
        self.copy(self.readable(), target, x, y);
    }

    fn readable(&self) -> Framebuffer {
        let buffers = self.resolved.as_ref().unwrap_or(&self.drawn);
        buffers.framebuffer
    }

    fn copy(&self, from: Framebuffer, to: Option<Framebuffer>, x: i32, y: i32) {
        let (w, h) = (self.size.width as i32, self.size.height as i32);
        // SAFETY: `from` is ours; a rectangle that leaves `to` is clipped by GL.
        unsafe {
            self.gl.bind_framebuffer(READ_FRAMEBUFFER, Some(from));
            self.gl.bind_framebuffer(DRAW_FRAMEBUFFER, to);
            self.gl
                .blit_framebuffer(0, 0, w, h, x, y, x + w, y + h, COLOR_BUFFER_BIT, NEAREST);
            self.gl.bind_framebuffer(FRAMEBUFFER, to);
        }
    }

    /// The picture's bytes, four a pixel, rows from the top. Waits for the GPU. Leaves the default
    /// framebuffer bound.
    pub fn read_rgba(&self) -> Vec<u8> {
        let row = self.size.width as usize * 4;
        let mut upward = vec![0; row * self.size.height as usize];
        // SAFETY: the slice holds exactly the pixels asked for; three-d set the pack alignment to 1.
        unsafe {
            self.gl
                .bind_framebuffer(READ_FRAMEBUFFER, Some(self.readable()));
            self.gl.read_pixels(
                0,
                0,
                self.size.width as i32,
                self.size.height as i32,
                RGBA,
                UNSIGNED_BYTE,
                PixelPackData::Slice(Some(&mut upward)),
            );
            self.gl.bind_framebuffer(FRAMEBUFFER, None);
        }
        upward.chunks_exact(row).rev().flatten().copied().collect()
    }
}

const DEPTH: (u32, u32) = (DEPTH_COMPONENT24, DEPTH_ATTACHMENT);

impl Buffers {
    /// `parts` are pairs of a storage format and where it is attached.
    fn new(gl: &Context, size: PictureSize, parts: &[(u32, u32)]) -> Result<Self, String> {
        // SAFETY: every object is made and bound here; sizes are checked by the driver.
        unsafe {
            let framebuffer = gl.create_framebuffer()?;
            gl.bind_framebuffer(FRAMEBUFFER, Some(framebuffer));
            let mut buffers = Self {
                framebuffer,
                storage: Vec::new(),
            };
            for &(format, attachment) in parts {
                match gl.create_renderbuffer() {
                    Ok(storage) => buffers.attach(gl, size, storage, format, attachment),
                    Err(problem) => {
                        buffers.delete(gl);
                        return Err(problem);
                    }
                }
            }
            let status = gl.check_framebuffer_status(FRAMEBUFFER);
            gl.bind_renderbuffer(RENDERBUFFER, None);
            gl.bind_framebuffer(FRAMEBUFFER, None);
            if status != FRAMEBUFFER_COMPLETE {
                buffers.delete(gl);
                // A refused size leaves an error behind that three-d would take for its own.
                gl.get_error();
                return Err(format!(
                    "the graphics driver refuses a picture of {} x {} pixels with {} samples",
                    size.width, size.height, size.samples
                ));
            }
            Ok(buffers)
        }
    }

    fn attach(
        &mut self,
        gl: &Context,
        size: PictureSize,
        storage: Renderbuffer,
        format: u32,
        attachment: u32,
    ) {
        let (w, h, samples) = (size.width as i32, size.height as i32, size.samples as i32);
        // SAFETY: `storage` was just made by this context, and the framebuffer is bound.
        unsafe {
            gl.bind_renderbuffer(RENDERBUFFER, Some(storage));
            if samples > 1 {
                gl.renderbuffer_storage_multisample(RENDERBUFFER, samples, format, w, h);
            } else {
                gl.renderbuffer_storage(RENDERBUFFER, format, w, h);
            }
            gl.framebuffer_renderbuffer(FRAMEBUFFER, attachment, RENDERBUFFER, Some(storage));
        }
        self.storage.push(storage);
    }

    fn delete(&self, gl: &Context) {
        // SAFETY: the objects belong to this context and are not used again.
        unsafe {
            gl.delete_framebuffer(self.framebuffer);
            for storage in &self.storage {
                gl.delete_renderbuffer(*storage);
            }
        }
    }
}

impl Drop for Offscreen {
    fn drop(&mut self) {
        self.drawn.delete(&self.gl);
        if let Some(resolved) = &self.resolved {
            resolved.delete(&self.gl);
        }
    }
}
