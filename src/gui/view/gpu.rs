//! Small steps between our numbers and three-d's.

use glam::{DMat4, DVec3};
use three_d::{Blend, Context, DepthTest, Mat4, Program, RenderStates, Viewport, WriteMask};

/// Where and from where one picture is drawn: what every batch needs.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// World position of the space the GPU works in: the camera's target.
    pub(super) origin: DVec3,
    /// From that space to clip space.
    pub(super) clip_from_target: Mat4,
    /// The eye in that space.
    pub(super) eye: [f32; 3],
    /// Unit vector to the eye where rays are parallel, else zero.
    pub(super) parallel_back: [f32; 3],
    /// Pixels drawn to.
    pub(super) viewport: Viewport,
    /// Pixels in a point.
    pub(super) pixels_per_point: f32,
    /// Pixels that a unit of length at clip-space w = 1 covers.
    pub(super) pixels_per_unit: f32,
}

impl Frame {
    /// A world position as the GPU gets it.
    pub(super) fn near(&self, point: DVec3) -> [f32; 3] {
        (point - self.origin).as_vec3().to_array()
    }

    /// The picture's width and height in pixels.
    pub(super) fn size(&self) -> three_d::Vec2 {
        three_d::vec2(self.viewport.width as f32, self.viewport.height as f32)
    }
}

/// A matrix as three-d wants it, in single precision.
pub(super) fn matrix(m: DMat4) -> Mat4 {
    let [x, y, z, w] = m.as_mat4().to_cols_array_2d();
    Mat4::from_cols(x.into(), y.into(), z.into(), w.into())
}

/// sRGB bytes and an alpha as the shaders take them: they mix in sRGB, as egui does.
pub(super) fn color(rgb: [u8; 3], alpha: f32) -> [f32; 4] {
    let [r, g, b] = rgb.map(|c| f32::from(c) / 255.0);
    [r, g, b, alpha]
}

/// A colour between two, `t` in 0 to 1.
pub(super) fn mix(a: [u8; 3], b: [u8; 3], t: f32) -> [u8; 3] {
    std::array::from_fn(|i| {
        let (a, b) = (f32::from(a[i]), f32::from(b[i]));
        (a + (b - a) * t).round() as u8
    })
}

/// Compiles a pair of shaders; the error holds the compiler's words.
pub(super) fn program(context: &Context, vertex: &str, fragment: &str) -> Result<Program, String> {
    Program::from_source(context, vertex, fragment)
        .map_err(|e| format!("the graphics driver refuses a shader: {e}"))
}

/// Draws over what is there; `depth_test` decides against what.
pub(super) fn blended(depth_test: DepthTest) -> RenderStates {
    RenderStates {
        write_mask: WriteMask::COLOR,
        depth_test,
        blend: Blend::TRANSPARENCY,
        ..RenderStates::default()
    }
}

/// Writes depth alone.
pub(super) fn depth_only() -> RenderStates {
    RenderStates {
        write_mask: WriteMask::DEPTH,
        depth_test: DepthTest::Less,
        ..RenderStates::default()
    }
}

/// The corners of two triangles that make a square from -1 to 1.
pub(super) const SQUARE: [[f32; 2]; 6] = [
    [-1.0, -1.0],
    [1.0, -1.0],
    [1.0, 1.0],
    [-1.0, -1.0],
    [1.0, 1.0],
    [-1.0, 1.0],
];
