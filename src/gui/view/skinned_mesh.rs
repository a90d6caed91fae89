//! Meshes that follow joints, moved by the GPU.
//!
//! Each bone list has a texture with eight texels a bone: the three rows of `model_from_mesh` in the pose that is right
//! and in the one that is drawn; the same where no error is painted. A texture has no limit that a skeleton could
//! reach, unlike uniforms. The vertex shader places a vertex in both, draws it a factor of the way from the one to the
//! other, and hands the distance on as its error: lenses and differences are numbers, not shaders.
//!
//! The four bones that move a vertex most are its attributes. What else moves it stands in a texture of the mesh, a texel
//! each, and a third attribute says where: so any number of weights counts.

use super::gpu::{self, Frame};
use super::{Body, MeshPaint};
use crate::gui::theme::HEAT;
use crate::gui::within::Within as _;
use crate::model::{Mesh, MoreBones, Morph, MorphValue, Texture};
use glam::{DAffine3, DMat4, DVec3};
use std::sync::Arc;
use three_d::{
    Blend, Context, CpuTexture, Cull, DepthTest, ElementBuffer, Interpolation, Mipmap, Program,
    RenderStates, Texture2D, TextureData, VertexBuffer, Wrapping, WriteMask, vec3, vec4,
};

/// Bones in one row of a palette texture; every GL 3.3 driver has textures 1024 wide.
const BONES_PER_ROW: usize = 128;

/// Texels of one bone.
const TEXELS: usize = 8;

/// Bones beyond the first four in one row of their texture.
const MORE_PER_ROW: usize = 1024;

/// What moves the vertices of one mesh beside their first four bones.
struct More {
    /// For each vertex where its texels begin, in two halves, and how many it has.
    spans: VertexBuffer<[u16; 4]>,
    /// A bone and its weight a texel.
    texture: Texture2D,
}

impl More {
    fn new(context: &Context, mesh: &Mesh) -> Self {
        let (texels, rows) = more_texels(&mesh.more);
        let texture = Texture2D::new_empty::<[f32; 2]>(
            context,
            MORE_PER_ROW as u32,
            rows as u32,
            Interpolation::Nearest,
            Interpolation::Nearest,
            None,
            Wrapping::ClampToEdge,
            Wrapping::ClampToEdge,
        );
        texture.fill(&texels);
        let spans = (0..mesh.positions.len()).map(|v| span(&mesh.more.range(v)));
        Self {
            spans: VertexBuffer::new_with_data(context, &spans.collect::<Vec<_>>()),
            texture,
        }
    }
}

/// Bones and weights as they are uploaded, and in how many rows.
fn more_texels(more: &MoreBones) -> (Vec<[f32; 2]>, usize) {
    let rows = more.all().len().div_ceil(MORE_PER_ROW).max(1);
    let mut texels = vec![[0.0; 2]; MORE_PER_ROW * rows];
    for (k, &(bone, weight)) in more.all().iter().enumerate() {
        // three-d flips textures upside down on their way to the GPU.
        let row = rows - 1 - k / MORE_PER_ROW;
        texels[row * MORE_PER_ROW + k % MORE_PER_ROW] = [f32::from(bone), weight];
    }
    (texels, rows)
}

fn span(range: &std::ops::Range<usize>) -> [u16; 4] {
    let start = range.start as u32;
    [start as u16, (start >> 16) as u16, range.len() as u16, 0]
}

/// The matrices and colours of one list of bones.
struct Palette {
    joints: Vec<(usize, DMat4)>,
    texels: Vec<[f32; 4]>,
    texture: Texture2D,
    rows: usize,
}

impl Palette {
    fn new(context: &Context, joints: &[(usize, DMat4)]) -> Self {
        let rows = joints.len().div_ceil(BONES_PER_ROW).max(1);
        let texture = Texture2D::new_empty::<[f32; 4]>(
            context,
            (TEXELS * BONES_PER_ROW) as u32,
            rows as u32,
            Interpolation::Nearest,
            Interpolation::Nearest,
            None,
            Wrapping::ClampToEdge,
            Wrapping::ClampToEdge,
        );
        Self {
            joints: joints.to_vec(),
            texels: vec![[0.0; 4]; TEXELS * BONES_PER_ROW * rows],
            texture,
            rows,
        }
    }

    /// Uploads the right and the drawn pose, relative to `origin`.
    fn fill(&mut self, poses: [&[DAffine3]; 2], origin: DVec3) {
        for (bone, (joint, joint_from_mesh)) in self.joints.iter().enumerate() {
            // three-d flips textures upside down on their way to the GPU.
            let row = self.rows - 1 - bone / BONES_PER_ROW;
            let at = TEXELS * (row * BONES_PER_ROW + bone % BONES_PER_ROW);
            for (k, pose) in poses.iter().enumerate() {
                let mut model_from_joint = pose.get(*joint).copied().unwrap_or(DAffine3::ZERO);
                model_from_joint.translation -= origin;
                let m = (DMat4::from(model_from_joint) * *joint_from_mesh).as_mat4();
                for r in 0..3 {
                    self.texels[at + 4 * k + r] = m.row(r).to_array();
                }
            }
        }
        self.texture.fill(&self.texels);
    }
}

/// One mesh on the GPU.
struct Part {
    /// Its place among the meshes of the asset.
    mesh: usize,
    palette: usize,
    morphed: Option<Morphed>,
    positions: VertexBuffer<[f32; 3]>,
    /// How far the positions are from the right ones by morph targets.
    ways: VertexBuffer<[f32; 3]>,
    normals: VertexBuffer<[f32; 3]>,
    uvs: VertexBuffer<[f32; 2]>,
    colors: VertexBuffer<[f32; 4]>,
    bones: VertexBuffer<[u16; 4]>,
    weights: VertexBuffer<[f32; 4]>,
    more: More,
    indices: ElementBuffer<u32>,
    base_color: [f32; 4],
    /// Index into the textures; 0 is plain white.
    texture: usize,
}

/// What moves the positions of a mesh before its bones do.
struct Morphed {
    morph: Morph,
    /// Without any target.
    positions: Vec<[f32; 3]>,
    /// Weights of what is on the GPU: those that are right, and those of the positions.
    shown: [Vec<f32>; 2],
}

impl Part {
    /// Morphs the mesh, on the processor: faces have few vertices, and most frames of most clips have the same weights.
    fn morph(&mut self, values: [&[MorphValue]; 2]) {
        let Some(morphed) = &mut self.morphed else {
            return;
        };
        let weights = values.map(|v| morphed.morph.weights_with(v));
        if weights == morphed.shown {
            return;
        }
        let mut positions = morphed.positions.clone();
        morphed.morph.apply(&weights[1], &mut positions);
        self.positions.fill(&positions);
        // The difference of the weights, not of the positions, which are nearly the same.
        let pairs = weights[1].iter().zip(&weights[0]);
        let off: Vec<f32> = pairs.map(|(wrong, right)| wrong - right).collect();
        let mut ways = vec![[0.0; 3]; positions.len()];
        morphed.morph.apply(&off, &mut ways);
        self.ways.fill(&ways);
        morphed.shown = weights;
    }
}

/// All meshes of an asset on the GPU, and the programs that draw them.
pub(super) struct SkinnedMeshes {
    tinted: Program,
    textured: Program,
    heated: Program,
    shadow: Program,
    palettes: Vec<Palette>,
    parts: Vec<Part>,
    textures: Vec<Texture2D>,
    /// What the palettes and positions hold: two poses, the origin and both poses' morphs.
    shown: Option<Shown>,
}

type Shown = ([Arc<Vec<DAffine3>>; 2], DVec3, [Arc<Vec<MorphValue>>; 2]);

impl SkinnedMeshes {
    /// Uploads meshes; those without triangles are left out.
    pub(super) fn new(context: &Context, meshes: &[Mesh]) -> Result<Self, String> {
        let skinned = include_str!("shaders/skinned.vert");
        let surface = |paint: &str| {
            let fragment = include_str!("shaders/mesh.frag");
            let painted = |source: &str| format!("#define {paint}\n{source}");
            gpu::program(context, &painted(skinned), &painted(fragment))
        };
        let mut all = Self {
            tinted: surface("TINTED")?,
            textured: surface("TEXTURED")?,
            heated: surface("HEATED")?,
            shadow: gpu::program(context, skinned, include_str!("shaders/shadow.frag"))?,
            palettes: Vec::new(),
            parts: Vec::new(),
            shown: None,
            textures: vec![upload(context, &white())],
        };
        let mut known: Vec<&Arc<Texture>> = Vec::new();
        for (k, mesh) in meshes.iter().enumerate() {
            if !is_drawable(mesh) {
                continue;
            }
            let texture = mesh.texture.as_ref().map_or(0, |texture| {
                let same = |t: &&Arc<Texture>| Arc::ptr_eq(t, texture);
                let index = known.iter().position(same).unwrap_or_else(|| {
                    known.push(texture);
                    all.textures.push(upload(context, texture));
                    known.len() - 1
                });
                index + 1
            });
            all.add(context, (k, mesh), texture);
        }
        Ok(all)
    }

    fn add(&mut self, context: &Context, (k, mesh): (usize, &Mesh), texture: usize) {
        let same = |p: &Palette| p.joints == mesh.joints;
        let palette = self.palettes.iter().position(same).unwrap_or_else(|| {
            self.palettes.push(Palette::new(context, &mesh.joints));
            self.palettes.len() - 1
        });
        let count = mesh.positions.len();
        let colors: Vec<_> = mesh.colors.iter().map(|c| encoded(*c)).collect();
        self.parts.push(Part {
            mesh: k,
            palette,
            morphed: mesh.morph.as_ref().map(|morph| Morphed {
                morph: morph.clone(),
                positions: mesh.positions.clone(),
                shown: [0, 1].map(|_| vec![0.0; morph.weights.len()]),
            }),
            positions: VertexBuffer::new_with_data(context, &mesh.positions),
            ways: VertexBuffer::new_with_data(context, &vec![[0.0_f32; 3]; count]),
            normals: VertexBuffer::new_with_data(context, &filled(&mesh.normals, count, [0.0; 3])),
            uvs: VertexBuffer::new_with_data(context, &filled(&mesh.uvs, count, [0.0; 2])),
            colors: VertexBuffer::new_with_data(context, &filled(&colors, count, [1.0; 4])),
            bones: VertexBuffer::new_with_data(context, &mesh.bones),
            weights: VertexBuffer::new_with_data(context, &mesh.weights),
            more: More::new(context, mesh),
            indices: ElementBuffer::new_with_data(context, &mesh.indices),
            base_color: encoded(mesh.base_color),
            texture,
        });
    }

    /// Whether there is nothing to draw.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Uploads the pose that the next draws show.
    pub(super) fn set_pose(&mut self, body: &Body, frame: &Frame) {
        let (poses, morphs) = match &body.heat {
            Some(heat) => (
                [&heat.right, &heat.wrong],
                [&heat.right_morphs, &body.morphs],
            ),
            None => ([&body.pose; 2], [&body.morphs; 2]),
        };
        // An upload waits for all drawing that uses the old values, so none is made in vain.
        let same = |(shown, origin, weights): &Shown| {
            let (mut shown, mut weights) = (shown.iter().zip(poses), weights.iter().zip(morphs));
            shown.all(|(a, b)| Arc::ptr_eq(a, b))
                && weights.all(|(a, b)| Arc::ptr_eq(a, b))
                && *origin == frame.origin
        };
        if self.shown.as_ref().is_some_and(same) {
            return;
        }
        for palette in &mut self.palettes {
            palette.fill(poses.map(|p| p.as_slice()), frame.origin);
        }
        for part in &mut self.parts {
            part.morph(morphs.map(|m| m.as_slice()));
        }
        self.shown = Some((poses.map(Arc::clone), frame.origin, morphs.map(Arc::clone)));
    }

    /// The parts of meshes that are not hidden.
    fn shown<'a>(&'a self, hidden: &'a [bool]) -> impl Iterator<Item = &'a Part> {
        let is_hidden = |p: &&Part| hidden.get(p.mesh) == Some(&true);
        self.parts.iter().filter(move |p| !is_hidden(p))
    }

    /// Draws the surface. A translucent body shows its front alone, not its own inside.
    pub(super) fn draw(&self, frame: &Frame, body: &Body, hidden: &[bool]) {
        let opaque = RenderStates {
            depth_test: DepthTest::LessOrEqual,
            ..RenderStates::default()
        };
        if body.opacity >= 1.0 {
            return self.draw_surface(frame, (body, hidden), opaque);
        }
        self.draw_surface(frame, (body, hidden), gpu::depth_only());
        let blended = RenderStates {
            blend: Blend::TRANSPARENCY,
            write_mask: WriteMask::COLOR,
            ..opaque
        };
        self.draw_surface(frame, (body, hidden), blended);
    }

    fn draw_surface(&self, frame: &Frame, (body, hidden): (&Body, &[bool]), states: RenderStates) {
        let p = match (body.paint, &body.heat) {
            (MeshPaint::Textured, _) => &self.textured,
            (MeshPaint::Error, Some(_)) => &self.heated,
            (MeshPaint::Tint, _) | (MeshPaint::Error, None) => &self.tinted,
        };
        if let Some(heat) = &body.heat
            && p.requires_uniform("heatRange")
        {
            p.use_uniform(
                "heatRange",
                heat.range.max(f64::from(f32::MIN_POSITIVE)) as f32,
            );
            p.use_uniform_array("heatRamp", &HEAT.map(vec3_of));
        }
        p.use_uniform(
            "factor",
            body.heat.as_ref().map_or(1.0, |h| h.factor as f32),
        );
        p.use_uniform("eye", three_d::Vec3::from(frame.eye));
        p.use_uniform("parallelBack", three_d::Vec3::from(frame.parallel_back));
        let [r, g, b, _] = gpu::color(body.tint, 1.0);
        p.use_uniform_if_required("tint", vec3(r, g, b));
        p.use_uniform("opacity", body.opacity.within(0.0, 1.0));
        for part in self.shown(hidden) {
            if p.requires_uniform("baseTexture") {
                p.use_uniform("baseColor", vec4_of(part.base_color));
                p.use_texture("baseTexture", &self.textures[part.texture]);
            }
            p.use_uniform("squash", vec4(0.0, 0.0, 0.0, 0.0));
            self.draw_part(p, frame, part, states);
        }
    }

    /// Draws the shadow that the meshes throw on a floor at this height, one even tone.
    pub(super) fn draw_shadow(&self, frame: &Frame, body: &Body, hidden: &[bool], floor: f64) {
        let factor = body.heat.as_ref().map_or(1.0, |h| h.factor);
        let p = &self.shadow;
        p.use_uniform("factor", factor as f32);
        let height = (floor - frame.origin.y) as f32;
        for part in self.shown(hidden) {
            p.use_uniform("squash", vec4(0.16, height, 0.10, 1.0));
            let states = RenderStates {
                depth_test: DepthTest::Less,
                blend: Blend::TRANSPARENCY,
                // One side of a body throws all of its shadow.
                cull: Cull::Back,
                ..RenderStates::default()
            };
            self.draw_part(p, frame, part, states);
        }
    }

    fn draw_part(&self, p: &Program, frame: &Frame, part: &Part, states: RenderStates) {
        p.use_uniform("clipFromTarget", frame.clip_from_target);
        p.use_texture("palette", &self.palettes[part.palette].texture);
        p.use_vertex_attribute("position", &part.positions);
        p.use_vertex_attribute("way", &part.ways);
        p.use_vertex_attribute("bones", &part.bones);
        p.use_vertex_attribute("weights", &part.weights);
        p.use_vertex_attribute("span", &part.more.spans);
        p.use_texture("more", &part.more.texture);
        // The compiler removes what a program does not use, and three-d panics on names it removed.
        if p.requires_attribute("normal") {
            p.use_vertex_attribute("normal", &part.normals);
        }
        if p.requires_attribute("uv") {
            p.use_vertex_attribute("uv", &part.uvs);
        }
        if p.requires_attribute("vertexColor") {
            p.use_vertex_attribute("vertexColor", &part.colors);
        }
        p.draw_elements(states, frame.viewport, &part.indices);
    }
}

/// Arrays of one length and indices inside them: anything else would read past the GPU's buffers.
fn is_drawable(mesh: &Mesh) -> bool {
    let count = mesh.positions.len();
    let arrays = mesh.bones.len() == count && mesh.weights.len() == count;
    let bones = mesh.joints.len();
    let inside = |b: &[u16; 4]| b.iter().all(|&b| usize::from(b) < bones);
    let more = mesh.more.all().iter();
    let more = more.map(|(bone, _)| usize::from(*bone)).max();
    arrays
        && mesh.indices.len() >= 3
        && mesh.indices.iter().all(|&i| (i as usize) < count)
        && mesh.bones.iter().all(inside)
        && more.is_none_or(|bone| bone < bones)
}

/// `values` when it has an entry for each vertex, else the same value for all.
fn filled<T: Copy>(values: &[T], count: usize, value: T) -> Vec<T> {
    if values.len() == count {
        values.to_owned()
    } else {
        vec![value; count]
    }
}

/// Linear light to sRGB, by the power that is close enough for looking.
fn encoded([r, g, b, a]: [f32; 4]) -> [f32; 4] {
    let curve = |c: f32| c.within(0.0, 1.0).powf(1.0 / 2.2);
    [curve(r), curve(g), curve(b), a]
}

fn vec3_of([r, g, b]: [u8; 3]) -> three_d::Vec3 {
    let [r, g, b, _] = gpu::color([r, g, b], 1.0);
    vec3(r, g, b)
}

fn vec4_of([x, y, z, w]: [f32; 4]) -> three_d::Vec4 {
    vec4(x, y, z, w)
}

fn white() -> Texture {
    Texture {
        width: 1,
        height: 1,
        rgba: vec![255; 4],
    }
}

/// Uploads a picture; one whose byte count does not fit its size becomes white.
fn upload(context: &Context, texture: &Texture) -> Texture2D {
    let expected = texture.width as usize * texture.height as usize * 4;
    if expected == 0 || texture.rgba.len() != expected {
        return upload(context, &white());
    }
    let pixels = texture.rgba.chunks_exact(4);
    let pixels = pixels.map(|p| [p[0], p[1], p[2], p[3]]).collect();
    Texture2D::new(
        context,
        &CpuTexture {
            name: String::new(),
            width: texture.width,
            height: texture.height,
            data: TextureData::RgbaU8(pixels),
            min_filter: Interpolation::Linear,
            mag_filter: Interpolation::Linear,
            mipmap: Some(Mipmap::default()),
            wrap_s: Wrapping::Repeat,
            wrap_t: Wrapping::Repeat,
        },
    )
}
