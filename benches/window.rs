//! A frame of the whole window while a clip plays, painted by OpenGL without a screen.
//!
//! On a machine without a graphics card this is Mesa's software renderer, the slowest case there is.

#[path = "../tests/gl/headless.rs"]
mod headless;

use criterion::{Criterion, criterion_group, criterion_main};
use eframe::egui_glow::{self, glow, glow::HasContext as _};
use egui_kittest::{Harness, TestRenderer};
use headless::HeadlessGl;
use image::RgbaImage;
use posepress::gui::App;
use posepress::session::Direction;
use std::time::{Duration, Instant};

const SIZE: [u32; 2] = [1600, 1000];

/// Paints with egui_glow into a framebuffer of the headless context.
struct GlowRenderer {
    painter: egui_glow::Painter,
    gl: HeadlessGl,
}

impl GlowRenderer {
    fn new() -> Option<Self> {
        let gl = HeadlessGl::new()?;
        let painter = egui_glow::Painter::new(gl.gl.clone(), "", None, false).expect("a painter");
        Some(Self { painter, gl })
    }
}

impl TestRenderer for GlowRenderer {
    fn setup_eframe(&self, cc: &mut eframe::CreationContext<'_>, _frame: &mut eframe::Frame) {
        cc.gl = Some(self.gl.gl.clone());
    }

    fn handle_delta(&mut self, delta: &mut egui::TexturesDelta) {
        for (id, deltas) in delta.set.drain() {
            for delta in deltas {
                self.painter.set_texture(id, &delta);
            }
        }
        for id in delta.free.drain() {
            self.painter.free_texture(id);
        }
    }

    fn render(
        &mut self,
        ctx: &egui::Context,
        output: &egui::FullOutput,
    ) -> Result<RgbaImage, String> {
        let shapes = ctx.tessellate(output.shapes.clone(), output.pixels_per_point);
        let gl = &self.gl.gl;
        // SAFETY: the context is current on this thread; what is made is deleted again.
        unsafe {
            let framebuffer = gl.create_framebuffer()?;
            let storage = gl.create_renderbuffer()?;
            gl.bind_renderbuffer(glow::RENDERBUFFER, Some(storage));
            gl.renderbuffer_storage(
                glow::RENDERBUFFER,
                glow::RGBA8,
                SIZE[0] as i32,
                SIZE[1] as i32,
            );
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
            gl.framebuffer_renderbuffer(
                glow::FRAMEBUFFER,
                glow::COLOR_ATTACHMENT0,
                glow::RENDERBUFFER,
                Some(storage),
            );
            self.painter.clear(SIZE, [0.1, 0.11, 0.14, 1.0]);
            self.painter
                .paint_primitives(SIZE, output.pixels_per_point, &shapes);
            gl.finish();
            gl.bind_framebuffer(glow::FRAMEBUFFER, None);
            gl.delete_framebuffer(framebuffer);
            gl.delete_renderbuffer(storage);
        }
        Ok(RgbaImage::new(1, 1))
    }
}

impl Drop for GlowRenderer {
    fn drop(&mut self) {
        self.painter.destroy();
    }
}

fn window(c: &mut Criterion) {
    let Some(renderer) = GlowRenderer::new() else {
        return;
    };
    let mut harness = Harness::builder()
        .with_size([SIZE[0] as f32, SIZE[1] as f32])
        .with_step_dt(1.0 / 60.0)
        .renderer(renderer)
        .build_eframe(|cc| App::new(cc, &[]));
    let start = Instant::now();
    while start.elapsed() < Duration::from_mins(1)
        && (harness.state().state.result().is_none()
            || harness.state().state.session.busy_clips() > 0
            || harness.state().state.session.is_measuring_sizes())
    {
        harness.step();
        std::thread::sleep(Duration::from_millis(5));
    }
    let frame = |c: &mut Criterion, name: &str, harness: &mut Harness<'_, App>| {
        c.bench_function(name, |b| {
            b.iter(|| {
                harness.step();
                harness.render().expect("paints")
            });
        });
    };
    frame(c, "idle_repaint", &mut harness);
    harness.state_mut().state.transport.playing = Some(Direction::Forward);
    frame(c, "playing_frame", &mut harness);
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(6));
    targets = window
}
criterion_main!(benches);
