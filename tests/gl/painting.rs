//! `ViewPainter` inside egui, painted into a framebuffer of the test.

use super::headless::HeadlessGl;
use super::mannequin::{Model, tube};
use super::{input, like};
use eframe::egui::{self, Rect, pos2, vec2};
use eframe::egui_glow::{self, glow, glow::HasContext as _};
use image::RgbaImage;
use posepress::gui::view::{SELECTED, ViewInput, ViewPainter};
use posepress::model::{Asset, Issues};
use std::sync::Arc;

const SIZE: [u32; 2] = [320, 240];

/// A window's worth of egui without a window.
struct Window {
    context: egui::Context,
    painter: egui_glow::Painter,
    views: ViewPainter,
    gl: HeadlessGl,
}

impl Window {
    fn new(gl: HeadlessGl, model: &Model) -> Self {
        let views = ViewPainter::new(Some(Arc::clone(&gl.gl)));
        views.set_asset(&asset(model));
        Self {
            context: egui::Context::default(),
            painter: egui_glow::Painter::new(Arc::clone(&gl.gl), "", None, false).unwrap(),
            views,
            gl,
        }
    }

    /// One repaint with views at these places.
    fn paint(&mut self, views: &[(usize, Rect, &ViewInput)]) -> RgbaImage {
        let screen = Rect::from_min_size(pos2(0.0, 0.0), vec2(SIZE[0] as f32, SIZE[1] as f32));
        let raw = egui::RawInput {
            screen_rect: Some(screen),
            ..egui::RawInput::default()
        };
        let painter = &self.views;
        let mut output = self.context.run_ui(raw, |ui| {
            for (slot, rect, input) in views {
                painter.paint(&ui.painter_at(*rect), *rect, *slot, (*input).clone());
            }
        });
        for (id, deltas) in output.textures_delta.set.drain() {
            for delta in deltas {
                self.painter.set_texture(id, &delta);
            }
        }
        let freed: Vec<_> = output.textures_delta.free.drain().collect();
        let shapes = self.context.tessellate(output.shapes, 1.0);
        let gl = &self.gl.gl;
        // SAFETY: the context is current; the framebuffer is complete and deleted again.
        unsafe {
            let framebuffer = gl.create_framebuffer().unwrap();
            let storage = gl.create_renderbuffer().unwrap();
            gl.bind_renderbuffer(glow::RENDERBUFFER, Some(storage));
            let (w, h) = (SIZE[0] as i32, SIZE[1] as i32);
            gl.renderbuffer_storage(glow::RENDERBUFFER, glow::RGBA8, w, h);
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
            gl.framebuffer_renderbuffer(
                glow::FRAMEBUFFER,
                glow::COLOR_ATTACHMENT0,
                glow::RENDERBUFFER,
                Some(storage),
            );
            self.painter.clear(SIZE, [0.0, 0.0, 0.0, 1.0]);
            self.painter.paint_primitives(SIZE, 1.0, &shapes);
            let picture = self.painter.read_screen_rgba(SIZE);
            gl.bind_framebuffer(glow::FRAMEBUFFER, None);
            gl.delete_framebuffer(framebuffer);
            gl.delete_renderbuffer(storage);
            for id in freed {
                self.painter.free_texture(id);
            }
            RgbaImage::from_raw(SIZE[0], SIZE[1], picture.as_raw().to_vec()).unwrap()
        }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        self.views.release();
        self.painter.destroy();
    }
}

fn asset(model: &Model) -> Asset {
    Asset {
        animation_index: vec![],
        source_hash: [0; 32],
        parts: Vec::new(),
        path: "tube.glb".into(),
        skeleton: Arc::new(model.skeleton.clone()),
        clips: vec![],
        meshes: Arc::new(vec![model.mesh.clone()]),
        skin: Arc::default(),
        unit_m: 1.0,
        unit_reason: String::new(),
        issues: Issues::default(),
    }
}

fn rect(x: f32, y: f32, w: f32, h: f32) -> Rect {
    Rect::from_min_size(pos2(x, y), vec2(w, h))
}

#[test]
fn an_equal_input_is_copied_and_not_drawn_again() {
    let Some(gl) = HeadlessGl::new() else { return };
    let model = tube();
    let mut window = Window::new(gl, &model);
    let mut input = input(&model, model.rest());
    let whole = rect(0.0, 0.0, 320.0, 240.0);
    let first = window.paint(&[(0, whole, &input)]);
    let second = window.paint(&[(0, whole, &input.clone())]);
    assert_eq!(window.views.problem(), None);
    assert_eq!(window.views.renders(), 1);
    assert_eq!(first, second);
    input.selected = Some(0);
    let third = window.paint(&[(0, whole, &input)]);
    assert_eq!(window.views.renders(), 2);
    assert!(like(&third, SELECTED) > 20 && like(&first, SELECTED) == 0);
    window.views.set_asset(&asset(&model));
    window.paint(&[(0, whole, &input)]);
    assert_eq!(window.views.renders(), 3);
    window.views.redraw();
    assert_eq!(third, window.paint(&[(0, whole, &input)]));
    assert_eq!(window.views.renders(), 4);
}

#[test]
fn views_keep_to_their_rectangles_and_leave_the_rest_alone() {
    let Some(gl) = HeadlessGl::new() else { return };
    let model = tube();
    let mut window = Window::new(gl, &model);
    let plain = input(&model, model.rest());
    let mut selected = plain.clone();
    selected.selected = Some(0);
    let (left, right) = (rect(0.0, 0.0, 150.0, 200.0), rect(170.0, 0.0, 150.0, 200.0));
    let picture = window.paint(&[(0, left, &plain), (1, right, &selected)]);
    assert_eq!(window.views.renders(), 2);
    let part = |x, w| image::imageops::crop_imm(&picture, x, 0, w, 200).to_image();
    assert_eq!(like(&part(0, 150), SELECTED), 0);
    assert!(like(&part(170, 150), SELECTED) > 10);
    let gap = image::imageops::crop_imm(&picture, 151, 0, 18, 240).to_image();
    assert!(gap.pixels().all(|p| p.0 == [0, 0, 0, 255]), "drawn outside");
}

#[test]
fn every_size_is_survived() {
    let Some(gl) = HeadlessGl::new() else { return };
    let model = tube();
    let mut window = Window::new(gl, &model);
    let input = input(&model, model.rest());
    for (w, h) in [
        (0.0, 0.0),
        (1.0, 1.0),
        (300.0, 1.0),
        (0.0, 50.0),
        (33.3, 44.4),
        (320.0, 240.0),
    ] {
        let picture = window.paint(&[(0, rect(0.0, 0.0, w, h), &input)]);
        assert_eq!(window.views.problem(), None, "{w} x {h}");
        if w < 1.0 {
            assert!(picture.pixels().all(|p| p.0 == [0, 0, 0, 255]));
        }
    }
    // Partly outside the window.
    window.paint(&[(0, rect(-50.0, 100.0, 200.0, 400.0), &input)]);
    assert_eq!(window.views.problem(), None);
}

#[test]
fn released_views_come_back_when_painted_again() {
    let Some(gl) = HeadlessGl::new() else { return };
    let model = tube();
    let mut window = Window::new(gl, &model);
    let input = input(&model, model.rest());
    let whole = rect(0.0, 0.0, 320.0, 240.0);
    let before = window.paint(&[(0, whole, &input)]);
    window.views.release();
    assert_eq!(before, window.paint(&[(0, whole, &input)]));
    assert_eq!(window.views.renders(), 2);
}

#[test]
fn without_gl_a_view_says_what_it_needs() {
    let context = egui::Context::default();
    let views = ViewPainter::new(None);
    let model = tube();
    let input = input(&model, model.rest());
    let mut output = context.run_ui(egui::RawInput::default(), |ui| {
        let rect = rect(0.0, 0.0, 100.0, 100.0);
        views.paint(ui.painter(), rect, 0, input.clone());
    });
    // Nobody paints here; egui wants its textures taken all the same.
    output.textures_delta.set.drain().for_each(drop);
    output.textures_delta.free.drain().for_each(drop);
    let is_text = |s: &egui::epaint::ClippedShape| matches!(s.shape, egui::Shape::Text(_));
    assert!(output.shapes.iter().any(is_text));
}
