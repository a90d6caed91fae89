//! Background and floor: one pass over all pixels, no geometry.

use super::gpu::{self, Frame};
use super::{Ground, Layer, Layers, OrbitCamera, Projection};
use three_d::{
    Context, DepthTest, Program, RenderStates, VertexBuffer, WriteMask, vec2, vec3, vec4,
};

/// sRGB colour of the top row.
pub const BACKGROUND_TOP: [u8; 3] = [40, 44, 52];
/// sRGB colour of the bottom row.
pub const BACKGROUND_BOTTOM: [u8; 3] = [25, 27, 32];

/// The background gradient, the grid and the axes.
pub(super) struct GroundPass {
    program: Program,
    square: VertexBuffer<[f32; 2]>,
}

impl GroundPass {
    pub(super) fn new(context: &Context) -> Result<Self, String> {
        let vertex = include_str!("shaders/ground.vert");
        let fragment = include_str!("shaders/ground.frag");
        Ok(Self {
            program: gpu::program(context, vertex, fragment)?,
            square: VertexBuffer::new_with_data(context, &gpu::SQUARE),
        })
    }

    /// Writes every pixel's colour; depth stays.
    pub(super) fn draw(
        &self,
        frame: &Frame,
        camera: &OrbitCamera,
        ground: &Ground,
        layers: Layers,
    ) {
        let p = &self.program;
        set_rays(p, frame, camera);
        set_floor(p, camera, ground, layers);
        let rgb = |c: [u8; 3]| {
            let [r, g, b, _] = gpu::color(c, 1.0);
            vec3(r, g, b)
        };
        p.use_uniform("backgroundTop", rgb(BACKGROUND_TOP));
        p.use_uniform("backgroundBottom", rgb(BACKGROUND_BOTTOM));
        p.use_uniform("pixelsPerPoint", frame.pixels_per_point);
        p.use_vertex_attribute("corner", &self.square);
        let states = RenderStates {
            write_mask: WriteMask::COLOR,
            depth_test: DepthTest::Always,
            ..RenderStates::default()
        };
        p.draw_arrays(states, frame.viewport, 6);
    }
}

/// The ray of each pixel is linear over the picture, so the vertex shader makes it.
fn set_rays(p: &Program, frame: &Frame, camera: &OrbitCamera) {
    let to = |v: glam::DVec3| vec3(v.x as f32, v.y as f32, v.z as f32);
    let half_height = camera.half_height();
    let half_width =
        half_height * f64::from(frame.viewport.width) / f64::from(frame.viewport.height.max(1));
    p.use_uniform("across", to(camera.right() * half_width));
    p.use_uniform("upward", to(camera.up() * half_height));
    p.use_uniform("eye", to(camera.back() * camera.distance));
    let parallel = match camera.projection {
        Projection::Perspective => 0.0,
        Projection::Orthographic => 1.0_f32,
    };
    p.use_uniform("parallel", parallel);
}

fn set_floor(p: &Program, camera: &OrbitCamera, ground: &Ground, layers: Layers) {
    let valid = ground.step > 0.0 && ground.step.is_finite();
    let step = if valid { ground.step } else { 1.0 };
    // Lines repeat, so only the rest of the division by a cell reaches the GPU: no digits are lost far out.
    let x = camera.target.x + ground.offset[0];
    let z = camera.target.z + ground.offset[1];
    let cell = vec2(x.rem_euclid(step) as f32, z.rem_euclid(step) as f32);
    p.use_uniform("cell", cell);
    p.use_uniform("fromOrigin", vec2(x as f32, z as f32));
    p.use_uniform("height", (ground.height - camera.target.y) as f32);
    p.use_uniform("cellSide", step as f32);
    let reach = (3.2 * camera.scene_size).max(2.2 * camera.distance);
    p.use_uniform("reach", reach as f32);
    let on = |layer: Layer| f32::from(u8::from(layers.has(layer)));
    let shown = vec4(on(Layer::Grid), on(Layer::Axes), 0.0, 0.0);
    p.use_uniform("shown", shown);
}
