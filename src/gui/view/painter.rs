//! Views inside the window: an egui callback that copies a picture and redraws it only when it must.

use super::{Motion, Offscreen, PictureSize, Scene, ViewInput};
use crate::model::{Asset, Mesh, Skeleton};
use crate::session::panic_text;
use eframe::egui_glow::{self, CallbackFn, glow};
use eframe::{egui, egui::epaint::PaintCallbackInfo};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use three_d::ScissorBox;
use three_d::context::{
    DRAW_FRAMEBUFFER_BINDING, HasContext as _, MAX_RENDERBUFFER_SIZE, MAX_SAMPLES, RENDERER,
};

/// Samples a pixel where smooth edges are cheap or the picture stays.
const SAMPLES: u32 = 4;

/// Paints views. Clones share their pictures; without GL (tests, broken drivers) a view is a flat panel.
#[derive(Clone, Default)]
pub struct ViewPainter {
    views: Option<Arc<Mutex<GlViews>>>,
}

impl ViewPainter {
    /// `gl` is the window's context (`CreationContext::gl`), `None` where there is none.
    pub fn new(gl: Option<Arc<glow::Context>>) -> Self {
        Self {
            views: gl.map(|gl| Arc::new(Mutex::new(GlViews::new(gl)))),
        }
    }

    /// Shows another asset from the next paint on. Needs no current context: buffers are made then.
    pub fn set_asset(&self, asset: &Asset) {
        if let Some(mut views) = self.lock() {
            views.model = Some((Arc::clone(&asset.skeleton), Arc::clone(&asset.meshes)));
            views.model_is_new = true;
        }
    }

    /// Paints the view `slot` into `rect` of `painter`, whose clip rectangle holds: two slots painted
    /// into one rectangle with different clips are a wipe.
    ///
    /// A slot is drawn anew only when `input` or its size in pixels differs from the last time.
    pub fn paint(&self, painter: &egui::Painter, rect: egui::Rect, slot: usize, input: ViewInput) {
        let [r, g, b] = super::BACKGROUND_BOTTOM;
        painter.rect_filled(rect, 0.0, egui::Color32::from_rgb(r, g, b));
        let Some(views) = self.views.clone() else {
            return Self::paint_notice(painter, rect, "The 3D view needs OpenGL 3.3");
        };
        if let Some(problem) = self.problem() {
            return Self::paint_notice(painter, rect, &problem);
        }
        let callback = CallbackFn::new(move |info, egui_painter| {
            let show = || lock(&views).show(&info, egui_painter, slot, &input);
            if let Err(panic) = catch_unwind(AssertUnwindSafe(show)) {
                let text = panic_text(&*panic);
                lock(&views).problem =
                    Some(format!("A fault of the program in the 3D view: {text}"));
            }
        });
        painter.add(egui::PaintCallback {
            rect,
            callback: Arc::new(callback),
        });
    }

    fn paint_notice(painter: &egui::Painter, rect: egui::Rect, text: &str) {
        painter.text(
            rect.center(),
            egui::Align2::CENTER_CENTER,
            text,
            egui::FontId::proportional(12.0),
            egui::Color32::from_gray(140),
        );
    }

    /// What keeps the views from being drawn, if anything does.
    pub fn problem(&self) -> Option<String> {
        self.lock()?.problem.clone()
    }

    /// How many pictures have been drawn (not copied) so far.
    pub fn renders(&self) -> u64 {
        self.lock().map_or(0, |views| views.renders)
    }

    /// Draws every picture anew when it is painted next, even if it shows what it showed before.
    pub fn redraw(&self) {
        if let Some(mut views) = self.lock() {
            views.slots.values_mut().for_each(|s| s.shown = None);
        }
    }

    /// Whether the driver draws on the processor, where multisampling costs more than all else.
    pub fn is_software(&self) -> bool {
        self.lock().is_some_and(|views| views.limits.software)
    }

    /// Frees everything on the GPU; to be called from `App::on_exit`, while the context is current.
    pub fn release(&self) {
        if let Some(mut views) = self.lock() {
            views.slots.clear();
            views.scene = None;
            views.model_is_new = true;
        }
    }

    fn lock(&self) -> Option<MutexGuard<'_, GlViews>> {
        self.views.as_ref().map(|views| lock(views))
    }
}

/// A panic while drawing must not take the window down with it: the pictures are redrawn anyway.
fn lock(views: &Mutex<GlViews>) -> MutexGuard<'_, GlViews> {
    views.lock().unwrap_or_else(PoisonError::into_inner)
}

type Model = (Arc<Skeleton>, Arc<Vec<Mesh>>);

/// What the driver can do.
#[derive(Clone, Copy)]
struct Limits {
    software: bool,
    most_samples: u32,
    most_pixels: u32,
}

impl Limits {
    fn of(gl: &glow::Context) -> Self {
        // SAFETY: queries of a current context.
        let (renderer, samples, pixels) = unsafe {
            (
                gl.get_parameter_string(RENDERER).to_lowercase(),
                gl.get_parameter_i32(MAX_SAMPLES),
                gl.get_parameter_i32(MAX_RENDERBUFFER_SIZE),
            )
        };
        let software = ["llvmpipe", "softpipe", "swrast", "swiftshader"];
        Self {
            software: software.iter().any(|name| renderer.contains(name)),
            most_samples: samples.max(1) as u32,
            most_pixels: pixels.max(1) as u32,
        }
    }

    /// The picture for a view of this many pixels.
    fn picture(self, width: i32, height: i32, motion: Motion) -> PictureSize {
        let wanted = match motion {
            Motion::Moving if self.software => 1,
            Motion::Moving | Motion::Still => SAMPLES,
        };
        let side = |pixels: i32| (pixels.max(1) as u32).min(self.most_pixels);
        PictureSize {
            width: side(width),
            height: side(height),
            samples: if wanted <= self.most_samples {
                wanted
            } else {
                1
            },
        }
    }
}

/// One view's picture, and what it shows.
struct Slot {
    picture: Offscreen,
    shown: Option<(ViewInput, f32)>,
}

/// Everything of the views that lives on the GPU.
struct GlViews {
    gl: Arc<glow::Context>,
    limits: Limits,
    model: Option<Model>,
    model_is_new: bool,
    scene: Option<Scene>,
    slots: BTreeMap<usize, Slot>,
    renders: u64,
    problem: Option<String>,
}

impl GlViews {
    fn new(gl: Arc<glow::Context>) -> Self {
        Self {
            limits: Limits::of(&gl),
            gl,
            model: None,
            model_is_new: true,
            scene: None,
            slots: BTreeMap::new(),
            renders: 0,
            problem: None,
        }
    }

    /// Runs inside egui's painting: whatever framebuffer is bound then is put back.
    fn show(
        &mut self,
        info: &PaintCallbackInfo,
        painter: &egui_glow::Painter,
        slot: usize,
        input: &ViewInput,
    ) {
        let (view, clip) = (info.viewport_in_pixels(), info.clip_rect_in_pixels());
        let empty = [view.width_px, view.height_px, clip.width_px, clip.height_px];
        // A scissor box without pixels would switch the scissor test off.
        if empty.iter().any(|&pixels| pixels <= 0) {
            return;
        }
        let gl = painter.gl();
        // SAFETY: a query, then binding what was bound before.
        let target = unsafe { gl.get_parameter_framebuffer(DRAW_FRAMEBUFFER_BINDING) };
        let size = self
            .limits
            .picture(view.width_px, view.height_px, input.motion);
        if let Err(problem) = self.update(slot, size, input, info.pixels_per_point) {
            self.problem = Some(problem);
        }
        if let (Some(slot), Some(scene)) = (self.slots.get(&slot), &self.scene) {
            scene.context().set_scissor(ScissorBox {
                x: clip.left_px,
                y: clip.from_bottom_px,
                width: clip.width_px as u32,
                height: clip.height_px as u32,
            });
            slot.picture
                .blit_to(target, view.left_px, view.from_bottom_px);
        }
        // SAFETY: as above.
        unsafe { gl.bind_framebuffer(three_d::context::FRAMEBUFFER, target) };
    }

    /// Draws the slot's picture unless it is there already.
    fn update(
        &mut self,
        slot: usize,
        size: PictureSize,
        input: &ViewInput,
        pixels_per_point: f32,
    ) -> Result<(), String> {
        self.load_model()?;
        let Some(scene) = &mut self.scene else {
            return Ok(());
        };
        let old = self.slots.remove(&slot);
        let mut current = match old.filter(|s| s.picture.size() == size) {
            Some(slot) => slot,
            None => Slot {
                picture: picture(scene, size)?,
                shown: None,
            },
        };
        let same = |(shown, scale): &(ViewInput, f32)| shown == input && *scale == pixels_per_point;
        if !current.shown.as_ref().is_some_and(same) {
            let draw = |t: &three_d::RenderTarget<'_>| scene.render(t, input, pixels_per_point);
            current.picture.render(draw);
            current.shown = Some((input.clone(), pixels_per_point));
            self.renders += 1;
        }
        self.slots.insert(slot, current);
        Ok(())
    }

    fn load_model(&mut self) -> Result<(), String> {
        if !self.model_is_new {
            return Ok(());
        }
        let Some((skeleton, meshes)) = &self.model else {
            return Ok(());
        };
        self.model_is_new = false;
        self.slots.values_mut().for_each(|s| s.shown = None);
        match &mut self.scene {
            Some(scene) => scene.set_model(skeleton, meshes),
            none => {
                *none = Some(Scene::new(Arc::clone(&self.gl), skeleton, meshes)?);
                Ok(())
            }
        }
    }
}

/// The picture, without multisampling where the driver promises more than it does.
fn picture(scene: &Scene, size: PictureSize) -> Result<Offscreen, String> {
    let single = PictureSize { samples: 1, ..size };
    Offscreen::new(scene.context(), size).or_else(|_| Offscreen::new(scene.context(), single))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOFTWARE: Limits = Limits {
        software: true,
        most_samples: 4,
        most_pixels: 8192,
    };

    #[test]
    fn software_smooths_edges_only_while_nothing_moves() {
        assert_eq!(SOFTWARE.picture(10, 10, Motion::Moving).samples, 1);
        assert_eq!(SOFTWARE.picture(10, 10, Motion::Still).samples, 4);
        let card = Limits {
            software: false,
            ..SOFTWARE
        };
        assert_eq!(card.picture(10, 10, Motion::Moving).samples, 4);
        let old_card = Limits {
            most_samples: 2,
            ..card
        };
        assert_eq!(old_card.picture(10, 10, Motion::Still).samples, 1);
    }

    #[test]
    fn picture_sides_stay_within_what_the_driver_can() {
        let size = SOFTWARE.picture(100_000, 0, Motion::Still);
        assert_eq!((size.width, size.height), (8192, 1));
    }

    #[test]
    fn without_gl_every_call_is_harmless() {
        let painter = ViewPainter::new(None);
        painter.release();
        painter.redraw();
        assert_eq!((painter.renders(), painter.problem()), (0, None));
        assert!(!painter.is_software());
    }
}
