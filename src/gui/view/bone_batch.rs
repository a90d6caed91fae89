//! Octahedra for bones: faces with flat shading, and edges as smooth lines.

use super::bones::BoneSegment;
use super::gpu::{self, Frame};
use three_d::context::{HasContext as _, POLYGON_OFFSET_FILL};
use three_d::{Context, DepthTest, InstanceBuffer, Program, VertexBuffer};

/// Where along the bone it is thickest.
const WAIST: f32 = 0.16;

/// Corners of a bone of length 1 along Y and half width 1.
const CORNERS: [[f32; 3]; 6] = [
    [0.0, 0.0, 0.0],
    [1.0, WAIST, 0.0],
    [0.0, WAIST, 1.0],
    [-1.0, WAIST, 0.0],
    [0.0, WAIST, -1.0],
    [0.0, 1.0, 0.0],
];

const FACES: [[usize; 3]; 8] = [
    [0, 1, 2],
    [0, 2, 3],
    [0, 3, 4],
    [0, 4, 1],
    [5, 2, 1],
    [5, 3, 2],
    [5, 4, 3],
    [5, 1, 4],
];

const EDGES: [[usize; 2]; 12] = [
    [0, 1],
    [0, 2],
    [0, 3],
    [0, 4],
    [1, 2],
    [2, 3],
    [3, 4],
    [4, 1],
    [5, 1],
    [5, 2],
    [5, 3],
    [5, 4],
];

/// A bone to draw.
#[derive(Clone, Copy)]
pub(super) struct SolidBone {
    pub(super) segment: BoneSegment,
    /// sRGB; the alpha is that of the faces.
    pub(super) face: [f32; 4],
    pub(super) edge: [f32; 4],
}

/// Draws octahedra.
pub(super) struct BoneBatch {
    context: Context,
    faces: Program,
    edges: Program,
    corner: VertexBuffer<[f32; 3]>,
    edge_from: VertexBuffer<[f32; 3]>,
    edge_to: VertexBuffer<[f32; 3]>,
    edge_corner: VertexBuffer<[f32; 2]>,
    head: InstanceBuffer<[f32; 3]>,
    along: InstanceBuffer<[f32; 3]>,
    side: InstanceBuffer<[f32; 3]>,
    face_color: InstanceBuffer<[f32; 4]>,
    edge_color: InstanceBuffer<[f32; 4]>,
}

impl BoneBatch {
    pub(super) fn new(context: &Context) -> Result<Self, String> {
        let bone = include_str!("shaders/bone.glsl");
        let face = format!("{bone}{}", include_str!("shaders/bone_face.vert"));
        let stroke = include_str!("shaders/stroke.glsl");
        let edge = format!("{bone}{stroke}{}", include_str!("shaders/bone_edge.vert"));
        let corners: Vec<_> = FACES.iter().flatten().map(|&i| CORNERS[i]).collect();
        let ends = |end: usize| {
            EDGES
                .iter()
                .flat_map(|e| [CORNERS[e[end]]; 6])
                .collect::<Vec<_>>()
        };
        let squares: Vec<_> = EDGES.iter().flat_map(|_| gpu::SQUARE).collect();
        Ok(Self {
            context: context.clone(),
            faces: gpu::program(context, &face, include_str!("shaders/bone_face.frag"))?,
            edges: gpu::program(context, &edge, include_str!("shaders/line.frag"))?,
            corner: VertexBuffer::new_with_data(context, &corners),
            edge_from: VertexBuffer::new_with_data(context, &ends(0)),
            edge_to: VertexBuffer::new_with_data(context, &ends(1)),
            edge_corner: VertexBuffer::new_with_data(context, &squares),
            head: InstanceBuffer::new(context),
            along: InstanceBuffer::new(context),
            side: InstanceBuffer::new(context),
            face_color: InstanceBuffer::new(context),
            edge_color: InstanceBuffer::new(context),
        })
    }

    pub(super) fn draw(&mut self, frame: &Frame, bones: &[SolidBone]) {
        if bones.is_empty() {
            return;
        }
        self.fill(frame, bones);
        let count = bones.len() as u32;
        // Faces step back by their own slope, so that edges on them are seen whole.
        // SAFETY: plain state changes of the context that is current while anything is drawn.
        unsafe {
            self.context.enable(POLYGON_OFFSET_FILL);
            self.context.polygon_offset(1.0, 1.0);
        }
        // Depth first: of translucent bones only the nearest face then reaches the colour.
        for states in [gpu::depth_only(), gpu::blended(DepthTest::LessOrEqual)] {
            self.use_instances(&self.faces, frame);
            self.faces.use_vertex_attribute("corner", &self.corner);
            let face_color = &self.face_color;
            self.faces.use_instance_attribute("boneColor", face_color);
            let vertices = 3 * FACES.len() as u32;
            self.faces
                .draw_arrays_instanced(states, frame.viewport, vertices, count);
        }
        // SAFETY: as above.
        unsafe { self.context.disable(POLYGON_OFFSET_FILL) };
        self.draw_edges(frame, count);
    }

    fn draw_edges(&self, frame: &Frame, count: u32) {
        let p = &self.edges;
        self.use_instances(p, frame);
        p.use_uniform("pictureSize", frame.size());
        p.use_uniform("edgeWidth", 1.15 * frame.pixels_per_point);
        p.use_vertex_attribute("edgeFrom", &self.edge_from);
        p.use_vertex_attribute("edgeTo", &self.edge_to);
        p.use_vertex_attribute("corner", &self.edge_corner);
        p.use_instance_attribute("boneColor", &self.edge_color);
        let states = gpu::blended(DepthTest::LessOrEqual);
        let vertices = 6 * EDGES.len() as u32;
        p.draw_arrays_instanced(states, frame.viewport, vertices, count);
    }

    fn fill(&mut self, frame: &Frame, bones: &[SolidBone]) {
        let all = bones.iter();
        let along = |b: &SolidBone| (b.segment.tail - b.segment.head).as_vec3().to_array();
        let side = |b: &SolidBone| (b.segment.side * b.segment.width).as_vec3().to_array();
        self.head.fill(
            &all.clone()
                .map(|b| frame.near(b.segment.head))
                .collect::<Vec<_>>(),
        );
        self.along.fill(&all.clone().map(along).collect::<Vec<_>>());
        self.side.fill(&all.clone().map(side).collect::<Vec<_>>());
        self.face_color
            .fill(&all.clone().map(|b| b.face).collect::<Vec<_>>());
        self.edge_color
            .fill(&all.map(|b| b.edge).collect::<Vec<_>>());
    }

    fn use_instances(&self, p: &Program, frame: &Frame) {
        p.use_uniform("clipFromTarget", frame.clip_from_target);
        p.use_instance_attribute("boneHead", &self.head);
        p.use_instance_attribute("boneAlong", &self.along);
        p.use_instance_attribute("boneSide", &self.side);
    }
}
