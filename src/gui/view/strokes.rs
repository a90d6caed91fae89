//! Lines, dots and floor discs that keep smooth edges with no multisampling: each is a small square whose
//! fragment shader knows how far the edge is.

use super::gpu::{self, Frame};
use glam::DVec3;
use three_d::{Context, DepthTest, InstanceBuffer, Program, VertexBuffer};

/// A straight line of constant width in pixels.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub(super) from: DVec3,
    pub(super) to: DVec3,
    pub(super) color: [f32; 4],
    /// In points.
    pub(super) width: f32,
}

/// A shaded ball that faces the eye.
#[derive(Clone, Copy)]
pub(super) struct Dot {
    pub(super) center: DVec3,
    pub(super) color: [f32; 4],
    /// Source units ...
    pub(super) radius: f32,
    /// ... but in the picture between these, in points.
    pub(super) limits: [f32; 2],
}

/// A disc that lies flat.
#[derive(Clone, Copy)]
pub(super) struct FlatDisc {
    pub(super) center: DVec3,
    pub(super) radius: f32,
    /// Colour of the rim; the alpha is that of the inside.
    pub(super) color: [f32; 4],
}

/// Draws lines.
pub(super) struct Lines {
    program: Program,
    square: VertexBuffer<[f32; 2]>,
    from: InstanceBuffer<[f32; 3]>,
    to: InstanceBuffer<[f32; 3]>,
    color: InstanceBuffer<[f32; 4]>,
    width: InstanceBuffer<f32>,
}

impl Lines {
    pub(super) fn new(context: &Context) -> Result<Self, String> {
        let vertex = concat!(
            include_str!("shaders/stroke.glsl"),
            include_str!("shaders/line.vert")
        );
        Ok(Self {
            program: gpu::program(context, vertex, include_str!("shaders/line.frag"))?,
            square: VertexBuffer::new_with_data(context, &gpu::SQUARE),
            from: InstanceBuffer::new(context),
            to: InstanceBuffer::new(context),
            color: InstanceBuffer::new(context),
            width: InstanceBuffer::new(context),
        })
    }

    pub(super) fn draw(&mut self, frame: &Frame, lines: &[Line]) {
        if lines.is_empty() {
            return;
        }
        let all = lines.iter();
        self.from
            .fill(&all.clone().map(|l| frame.near(l.from)).collect::<Vec<_>>());
        self.to
            .fill(&all.clone().map(|l| frame.near(l.to)).collect::<Vec<_>>());
        self.color
            .fill(&all.clone().map(|l| l.color).collect::<Vec<_>>());
        self.width.fill(
            &all.map(|l| l.width * frame.pixels_per_point)
                .collect::<Vec<_>>(),
        );
        let p = &self.program;
        p.use_uniform("clipFromTarget", frame.clip_from_target);
        p.use_uniform("pictureSize", frame.size());
        p.use_vertex_attribute("corner", &self.square);
        p.use_instance_attribute("lineFrom", &self.from);
        p.use_instance_attribute("lineTo", &self.to);
        p.use_instance_attribute("lineColor", &self.color);
        p.use_instance_attribute("lineWidth", &self.width);
        let states = gpu::blended(DepthTest::LessOrEqual);
        p.draw_arrays_instanced(states, frame.viewport, 6, lines.len() as u32);
    }
}

/// Draws dots.
pub(super) struct Dots {
    program: Program,
    square: VertexBuffer<[f32; 2]>,
    center: InstanceBuffer<[f32; 3]>,
    color: InstanceBuffer<[f32; 4]>,
    size: InstanceBuffer<[f32; 3]>,
}

impl Dots {
    pub(super) fn new(context: &Context) -> Result<Self, String> {
        let vertex = include_str!("shaders/dot.vert");
        Ok(Self {
            program: gpu::program(context, vertex, include_str!("shaders/dot.frag"))?,
            square: VertexBuffer::new_with_data(context, &gpu::SQUARE),
            center: InstanceBuffer::new(context),
            color: InstanceBuffer::new(context),
            size: InstanceBuffer::new(context),
        })
    }

    pub(super) fn draw(&mut self, frame: &Frame, dots: &[Dot]) {
        if dots.is_empty() {
            return;
        }
        let scale = frame.pixels_per_point;
        let size = |d: &Dot| [d.radius, d.limits[0] * scale, d.limits[1] * scale];
        let all = dots.iter();
        self.center.fill(
            &all.clone()
                .map(|d| frame.near(d.center))
                .collect::<Vec<_>>(),
        );
        self.color
            .fill(&all.clone().map(|d| d.color).collect::<Vec<_>>());
        self.size.fill(&all.map(size).collect::<Vec<_>>());
        let p = &self.program;
        p.use_uniform("clipFromTarget", frame.clip_from_target);
        p.use_uniform("pictureSize", frame.size());
        p.use_uniform("pixelsPerUnit", frame.pixels_per_unit);
        p.use_uniform("eye", three_d::Vec3::from(frame.eye));
        p.use_uniform("parallelBack", three_d::Vec3::from(frame.parallel_back));
        p.use_vertex_attribute("corner", &self.square);
        p.use_instance_attribute("dotCenter", &self.center);
        p.use_instance_attribute("dotColor", &self.color);
        p.use_instance_attribute("dotSize", &self.size);
        let states = gpu::blended(DepthTest::LessOrEqual);
        p.draw_arrays_instanced(states, frame.viewport, 6, dots.len() as u32);
    }
}

/// Draws discs on the floor.
pub(super) struct FlatDiscs {
    program: Program,
    square: VertexBuffer<[f32; 2]>,
    center: InstanceBuffer<[f32; 3]>,
    radius: InstanceBuffer<f32>,
    color: InstanceBuffer<[f32; 4]>,
}

impl FlatDiscs {
    pub(super) fn new(context: &Context) -> Result<Self, String> {
        let vertex = include_str!("shaders/disc.vert");
        Ok(Self {
            program: gpu::program(context, vertex, include_str!("shaders/disc.frag"))?,
            square: VertexBuffer::new_with_data(context, &gpu::SQUARE),
            center: InstanceBuffer::new(context),
            radius: InstanceBuffer::new(context),
            color: InstanceBuffer::new(context),
        })
    }

    pub(super) fn draw(&mut self, frame: &Frame, discs: &[FlatDisc]) {
        if discs.is_empty() {
            return;
        }
        let all = discs.iter();
        self.center.fill(
            &all.clone()
                .map(|d| frame.near(d.center))
                .collect::<Vec<_>>(),
        );
        self.radius
            .fill(&all.clone().map(|d| d.radius).collect::<Vec<_>>());
        self.color.fill(&all.map(|d| d.color).collect::<Vec<_>>());
        let p = &self.program;
        p.use_uniform("clipFromTarget", frame.clip_from_target);
        p.use_uniform("rimWidth", 1.6 * frame.pixels_per_point);
        p.use_vertex_attribute("corner", &self.square);
        p.use_instance_attribute("discCenter", &self.center);
        p.use_instance_attribute("discRadius", &self.radius);
        p.use_instance_attribute("discColor", &self.color);
        let states = gpu::blended(DepthTest::Always);
        p.draw_arrays_instanced(states, frame.viewport, 6, discs.len() as u32);
    }
}
