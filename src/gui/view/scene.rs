//! Draws a [`ViewInput`].

use super::bone_batch::{BoneBatch, SolidBone};
use super::gpu::{self, Frame};
use super::ground::GroundPass;
use super::skinned_mesh::SkinnedMeshes;
use super::strokes::{Dot, Dots, FlatDisc, FlatDiscs, Line, Lines};
use super::{
    AssetBounds, Body, BoneSegment, BoneSet, BoneStyle, Layer, Projection, Trail, ViewInput,
};
use crate::gui::within::Within as _;
use crate::model::{Mesh, Skeleton};
use std::sync::Arc;
use three_d::context::Context as Gl;
use three_d::{ClearState, Context, RenderTarget, Viewport};

/// sRGB colour of the selected joint.
pub const SELECTED: [u8; 3] = [255, 157, 59];
/// What the joint under the pointer is mixed with.
pub const HOVERED: [u8; 3] = [255, 255, 255];

/// How dense the faces of bones are; their edges are opaque.
const FACE_ALPHA: f32 = 0.62;

/// The GPU side of an asset, and everything else that a picture needs.
pub struct Scene {
    context: Context,
    ground: GroundPass,
    meshes: SkinnedMeshes,
    bones: BoneBatch,
    lines: Lines,
    dots: Dots,
    discs: FlatDiscs,
    bone_set: BoneSet,
}

impl Scene {
    /// Compiles the shaders and uploads the meshes; `gl` must be current now and whenever the scene is
    /// used or dropped. Fails where the driver refuses a shader.
    pub fn new(gl: Arc<Gl>, skeleton: &Skeleton, meshes: &[Mesh]) -> Result<Self, String> {
        let context = Context::from_gl_context(gl)
            .map_err(|e| format!("the graphics driver refuses to draw: {e}"))?;
        Ok(Self {
            ground: GroundPass::new(&context)?,
            meshes: SkinnedMeshes::new(&context, meshes)?,
            bones: BoneBatch::new(&context)?,
            lines: Lines::new(&context)?,
            dots: Dots::new(&context)?,
            discs: FlatDiscs::new(&context)?,
            bone_set: bone_set(skeleton, meshes),
            context,
        })
    }

    /// Replaces the asset; the old one's buffers are freed.
    pub fn set_model(&mut self, skeleton: &Skeleton, meshes: &[Mesh]) -> Result<(), String> {
        self.meshes = SkinnedMeshes::new(&self.context, meshes)?;
        self.bone_set = bone_set(skeleton, meshes);
        Ok(())
    }

    /// The context that three-d objects of this scene live in.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Fills `target` with the picture. Equal inputs give equal pixels.
    pub fn render(&mut self, target: &RenderTarget<'_>, input: &ViewInput, pixels_per_point: f32) {
        let frame = frame(target.width(), target.height(), input, pixels_per_point);
        target.clear(ClearState::depth(1.0));
        self.draw_floor(target, &frame, input);
        if input.layers.has(Layer::Mesh) {
            self.draw_meshes(&frame, input);
        }
        // Bones, spheres and trails are seen through the mesh, each other they do hide.
        target.clear(ClearState::depth(1.0));
        if input.layers.has(Layer::Joints) {
            for body in &input.bodies {
                self.draw_skeleton(&frame, input, body);
            }
        }
        if input.layers.has(Layer::Trails) {
            self.draw_trails(&frame, &input.trails);
        }
    }

    fn draw_floor(&mut self, target: &RenderTarget<'_>, frame: &Frame, input: &ViewInput) {
        self.ground
            .draw(frame, &input.camera, &input.ground, input.layers);
        if self.has_shadow(input) {
            self.meshes.set_pose(&input.bodies[0], frame);
            self.meshes
                .draw_shadow(frame, &input.bodies[0], &input.hidden, input.ground.height);
            target.clear(ClearState::depth(1.0));
        }
        if input.layers.has(Layer::Contacts) {
            let discs = input.discs.iter().map(|d| FlatDisc {
                center: d.center,
                radius: d.radius as f32,
                color: gpu::color(d.color, d.fill),
            });
            self.discs.draw(frame, &discs.collect::<Vec<_>>());
        }
    }

    /// Seen from below the floor, a shadow would be drawn over the feet that throw it.
    fn has_shadow(&self, input: &ViewInput) -> bool {
        let shown = input.layers.has(Layer::Shadow) && input.layers.has(Layer::Mesh);
        let above = input.camera.eye().y > input.ground.height;
        shown && above && !self.meshes.is_empty() && !input.bodies.is_empty()
    }

    fn draw_meshes(&mut self, frame: &Frame, input: &ViewInput) {
        if self.meshes.is_empty() {
            return;
        }
        // What is opaque first: it shows through what is not.
        let (opaque, clear): (Vec<_>, Vec<_>) = input.bodies.iter().partition(|b| b.opacity >= 1.0);
        for body in opaque.into_iter().chain(clear) {
            self.meshes.set_pose(body, frame);
            self.meshes.draw(frame, body, &input.hidden);
        }
    }

    fn draw_skeleton(&mut self, frame: &Frame, input: &ViewInput, body: &Body) {
        let mut solid = Vec::new();
        let mut lines = Vec::new();
        for segment in self.bone_set.segments(&body.pose) {
            match segment.style {
                BoneStyle::Solid => solid.push(solid_bone(segment, input, body)),
                BoneStyle::Line => lines.push(line_bone(&segment, input, body)),
            }
        }
        self.lines.draw(frame, &lines);
        self.bones.draw(frame, &solid);
        let radius = self.bone_set.sphere_radius() as f32;
        let spheres = self.bone_set.spheres().iter();
        let dots = spheres.filter_map(|&j| joint_dot(j, radius, input, body));
        self.dots.draw(frame, &dots.collect::<Vec<_>>());
    }

    fn draw_trails(&mut self, frame: &Frame, trails: &[Trail]) {
        let mut lines = Vec::new();
        let mut dots = Vec::new();
        for trail in trails {
            let [r, g, b, a] = trail.color;
            let color = gpu::color([r, g, b], f32::from(a) / 255.0);
            lines.extend(trail.points.windows(2).map(|w| Line {
                from: w[0],
                to: w[1],
                color,
                width: trail.width,
            }));
            if trail.dot > 0.0 {
                dots.extend(trail.points.iter().map(|&center| Dot {
                    center,
                    color,
                    radius: 0.0,
                    limits: [trail.dot; 2],
                }));
            }
        }
        self.lines.draw(frame, &lines);
        self.dots.draw(frame, &dots);
    }
}

fn bone_set(skeleton: &Skeleton, meshes: &[Mesh]) -> BoneSet {
    BoneSet::new(skeleton, AssetBounds::of(skeleton, meshes).rest().size())
}

fn frame(width: u32, height: u32, input: &ViewInput, pixels_per_point: f32) -> Frame {
    let camera = &input.camera;
    let aspect = f64::from(width) / f64::from(height.max(1));
    let parallel_back = match camera.projection {
        Projection::Perspective => [0.0; 3],
        Projection::Orthographic => camera.back().as_vec3().to_array(),
    };
    // At clip-space w = 1: w is the depth for a perspective, always 1 for parallel rays.
    let half_height = match camera.projection {
        Projection::Perspective => camera.half_height() / camera.distance,
        Projection::Orthographic => camera.half_height(),
    };
    Frame {
        origin: camera.target,
        clip_from_target: gpu::matrix(camera.clip_from_target(aspect)),
        eye: (camera.back() * camera.distance).as_vec3().to_array(),
        parallel_back,
        viewport: Viewport::new_at_origo(width, height),
        pixels_per_point,
        pixels_per_unit: (0.5 * f64::from(height) / half_height) as f32,
    }
}

/// The colour of a joint's bones in this picture.
fn joint_color(joint: usize, input: &ViewInput, body: &Body) -> [u8; 3] {
    let plain = body.joint_color(joint);
    if input.selected == Some(joint) {
        SELECTED
    } else if input.hovered == Some(joint) {
        gpu::mix(plain, HOVERED, 0.55)
    } else {
        plain
    }
}

fn is_marked(joint: usize, input: &ViewInput) -> bool {
    input.selected == Some(joint) || input.hovered == Some(joint)
}

fn solid_bone(segment: BoneSegment, input: &ViewInput, body: &Body) -> SolidBone {
    let color = joint_color(segment.joint, input, body);
    let density = if is_marked(segment.joint, input) {
        0.9
    } else {
        FACE_ALPHA
    };
    let opacity = body.opacity.within(0.0, 1.0);
    SolidBone {
        segment,
        face: gpu::color(gpu::mix(color, [20, 24, 32], 0.22), density * opacity),
        edge: gpu::color(gpu::mix(color, HOVERED, 0.12), opacity),
    }
}

fn line_bone(segment: &BoneSegment, input: &ViewInput, body: &Body) -> Line {
    let marked = is_marked(segment.joint, input);
    let (alpha, width) = if marked { (0.9, 2.0) } else { (0.4, 1.2) };
    Line {
        from: segment.head,
        to: segment.tail,
        color: gpu::color(
            joint_color(segment.joint, input, body),
            alpha * body.opacity,
        ),
        width,
    }
}

fn joint_dot(joint: usize, radius: f32, input: &ViewInput, body: &Body) -> Option<Dot> {
    let center = body.pose.get(joint)?.translation;
    let larger = if is_marked(joint, input) { 1.35 } else { 1.0 };
    let color = gpu::mix(joint_color(joint, input, body), HOVERED, 0.18);
    center.is_finite().then_some(Dot {
        center,
        color: gpu::color(color, body.opacity),
        radius: radius * larger,
        limits: [1.8 * larger, 5.5 * larger],
    })
}
