//! Background and floor: a gradient over all pixels, then one large square with lines that the fragment
//! shader finds. Software renderers pay for every pixel, so the sky does not pay for the floor.

use super::gpu::{self, Frame};
use super::{Ground, Layer, Layers, OrbitCamera, Projection};
use three_d::{Context, DepthTest, Program, RenderStates, VertexBuffer, WriteMask, vec2, vec3};

/// sRGB colour of the top row.
pub const BACKGROUND_TOP: [u8; 3] = [40, 44, 52];
/// sRGB colour of the bottom row.
pub const BACKGROUND_BOTTOM: [u8; 3] = [25, 27, 32];

/// The background gradient, the grid and the axes.
pub(super) struct GroundPass {
    sky: Program,
    floor: Program,
    square: VertexBuffer<[f32; 2]>,
}

impl GroundPass {
    pub(super) fn new(context: &Context) -> Result<Self, String> {
        let sky = include_str!("shaders/sky.vert");
        let floor = include_str!("shaders/floor.vert");
        let gradient = include_str!("shaders/gradient.glsl");
        let on_gradient = |fragment: &str| format!("{gradient}{fragment}");
        Ok(Self {
            sky: gpu::program(context, sky, &on_gradient(include_str!("shaders/sky.frag")))?,
            floor: gpu::program(
                context,
                floor,
                &on_gradient(include_str!("shaders/floor.frag")),
            )?,
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
        self.draw_square(&self.sky, frame);
        if layers.has(Layer::Grid) || layers.has(Layer::Axes) {
            set_floor(&self.floor, frame, camera, ground, layers);
            self.draw_square(&self.floor, frame);
        }
    }

    fn draw_square(&self, p: &Program, frame: &Frame) {
        let rgb = |c: [u8; 3]| {
            let [r, g, b, _] = gpu::color(c, 1.0);
            vec3(r, g, b)
        };
        p.use_uniform("backgroundTop", rgb(BACKGROUND_TOP));
        p.use_uniform("backgroundBottom", rgb(BACKGROUND_BOTTOM));
        p.use_uniform("pictureHeight", frame.size().y);
        p.use_vertex_attribute("corner", &self.square);
        let states = RenderStates {
            write_mask: WriteMask::COLOR,
            depth_test: DepthTest::Always,
            ..RenderStates::default()
        };
        p.draw_arrays(states, frame.viewport, 6);
    }
}

fn set_floor(p: &Program, frame: &Frame, camera: &OrbitCamera, ground: &Ground, layers: Layers) {
    let valid = ground.step > 0.0 && ground.step.is_finite();
    let step = if valid { ground.step } else { 1.0 };
    let x = camera.target.x + ground.offset[0];
    let z = camera.target.z + ground.offset[1];
    // Lines repeat, so only the rest of the division by a cell reaches the GPU: no digits are lost far out.
    let cell = vec2(x.rem_euclid(step) as f32, z.rem_euclid(step) as f32);
    let height = ground.height - camera.target.y;
    let eye = camera.back() * camera.distance;
    let flat = match camera.projection {
        Projection::Perspective => 0.0,
        Projection::Orthographic => camera.back().y.abs(),
    };
    p.use_uniform("clipFromTarget", frame.clip_from_target);
    p.use_uniform("cell", cell);
    p.use_uniform("fromOrigin", vec2(x as f32, z as f32));
    p.use_uniform("height", height as f32);
    p.use_uniform("eye", vec3(eye.x as f32, eye.y as f32, eye.z as f32));
    p.use_uniform("flatSteepness", flat as f32);
    p.use_uniform("cellSide", step as f32);
    let reach = (3.2 * camera.scene_size).max(2.2 * camera.distance);
    p.use_uniform("reach", reach as f32);
    p.use_uniform("pixelsPerPoint", frame.pixels_per_point);
    let on = |layer: Layer| f32::from(u8::from(layers.has(layer)));
    p.use_uniform("shown", vec2(on(Layer::Grid), on(Layer::Axes)));
}
