//! What the 3D views show: poses, colours, camera, ground. Everything is computed anew only when it must.

use super::state::ViewOptions;
use super::theme;
use super::view::{
    AssetBounds, Body, BoneSet, Bounds, Disc, Ground, Heat, Layer, Layers, MeshPaint, Motion,
    OrbitCamera, ViewInput, ViewPainter, ViewResponse, ViewTarget, nice_step, view_ui,
};
use crate::codec::Budget;
use crate::gui::widgets::ruling_color;
use crate::math::Transform;
use crate::metrics::ground_velocity;
use crate::model::{Asset, Clip, Mesh, MorphValue, PoseSource, is_left_out};
use crate::session::ClipResult;
use eframe::egui::{Color32, Rect, Role, Ui, WidgetInfo};
use glam::{DAffine3, DVec2, DVec3};
use std::sync::{Arc, OnceLock};

/// Opacity of the source under the compressed character.
const GHOST: f32 = 0.45;

/// Half the side of the box that the inset frames, as a share of the size of what is in it.
const INSET_ROOM: f64 = 0.36;

/// Least size of what is in it, as a share of the whole character.
const LEAST_INSET: f64 = 0.03;

/// Who is in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cast {
    /// The source alone.
    Source,
    /// The compressed character alone.
    Compressed,
    /// Both in one place.
    Both,
    /// The source in the colours of the compressed character: where one takes the place of the other, nothing but the
    /// pose changes.
    Swapped,
}

/// The model on the stage, whatever its pose.
struct Model {
    asset: Arc<Asset>,
    bones: BoneSet,
    bounds: AssetBounds,
}

/// What a clip's picture needs and takes longer to find out.
struct ClipFacts {
    clip: Arc<Clip>,
    bounds: Bounds,
    /// Source units a second; found by a thread of its own.
    ground: Arc<OnceLock<DVec2>>,
}

/// The poses of one instant.
struct Instant {
    clip: Arc<Clip>,
    result: Option<Arc<ClipResult>>,
    frame: f64,
    level: usize,
    source: Arc<Vec<DAffine3>>,
    compressed: Arc<Vec<DAffine3>>,
    colors: Arc<Vec<[u8; 3]>>,
    /// Weights of the source's morph targets, and of the compressed clip's.
    source_morphs: Arc<Vec<MorphValue>>,
    compressed_morphs: Arc<Vec<MorphValue>>,
    /// The vertex that is farthest off.
    worst: Option<WorstNow>,
    /// For each mesh whether it is left out: what is not measured is not shown.
    hidden: Arc<Vec<bool>>,
}

/// The vertex that is farthest off at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorstNow {
    /// Where it is, source units.
    pub place: DVec3,
    /// Metres.
    pub error_m: f64,
}

/// The 3D views' content and camera.
#[derive(Default)]
pub struct Stage {
    /// Linked camera of all views.
    pub camera: OrbitCamera,
    /// Draws them.
    pub painter: ViewPainter,
    /// The level of detail in which the compressed clip is played.
    pub level: usize,
    /// Width over height of a view, as shown last.
    pub aspect: f64,
    model: Option<Model>,
    facts: Option<ClipFacts>,
    instant: Option<Instant>,
    unframed: bool,
    /// A joint that the camera moves to once its pose is known.
    awaited: Option<usize>,
}

impl Stage {
    /// Puts a clip on the stage at a frame. A model that was not there before is framed; the camera never
    /// moves otherwise. `wake` is called when something is found out later.
    pub fn set(
        &mut self,
        asset: &Arc<Asset>,
        clip: &Arc<Clip>,
        result: Option<&Arc<ClipResult>>,
        frame: f64,
        unit_m: f64,
        wake: impl FnOnce() + Send + 'static,
    ) {
        // The same file exported again is seen from where it was seen.
        let same_file = self
            .model
            .as_ref()
            .is_some_and(|m| m.asset.path == asset.path);
        let known = self
            .model
            .as_ref()
            .is_some_and(|m| Arc::ptr_eq(&m.asset, asset));
        if !known {
            self.painter.set_asset(asset);
            let bounds = AssetBounds::new(asset);
            self.model = Some(Model {
                asset: asset.clone(),
                bones: BoneSet::new(&asset.skeleton, bounds.rest().size()),
                bounds,
            });
        }
        if !self
            .facts
            .as_ref()
            .is_some_and(|f| Arc::ptr_eq(&f.clip, clip))
        {
            self.facts = self.model.as_ref().map(|m| ClipFacts {
                clip: clip.clone(),
                bounds: m.bounds.clip(clip),
                ground: find_ground(clip.clone(), unit_m, wake),
            });
        }
        self.unframed |= !known && !same_file;
        let current = self.instant.as_ref().is_some_and(|i| {
            Arc::ptr_eq(&i.clip, clip)
                && i.result.as_ref().map(Arc::as_ptr) == result.map(Arc::as_ptr)
                && i.frame == frame
                && i.level == self.level
        });
        if !current {
            let instant = Instant::new(clip, result, frame, self.level);
            let hidden = Arc::new(hidden(asset, result));
            self.instant = Some(Instant { hidden, ..instant });
        }
        if let Some(joint) = self.awaited.take() {
            self.frame_joint(joint);
        }
    }

    /// Takes everything off the stage.
    pub fn clear(&mut self) {
        self.model = None;
        self.facts = None;
        self.instant = None;
    }

    /// The bones, for picking.
    pub fn bones(&self) -> Option<&BoneSet> {
        self.model.as_ref().map(|m| &m.bones)
    }

    /// The pose that is picked from.
    pub fn pose(&self, cast: Cast) -> Option<&Arc<Vec<DAffine3>>> {
        let instant = self.instant.as_ref()?;
        Some(match cast {
            Cast::Source | Cast::Swapped => &instant.source,
            Cast::Compressed | Cast::Both => &instant.compressed,
        })
    }

    /// The box of the clip's whole movement.
    pub fn clip_bounds(&self) -> Bounds {
        self.facts.as_ref().map_or(Bounds::EMPTY, |f| f.bounds)
    }

    /// Lets the mouse over a view move the camera and point at joints; `name` is the view's for screen readers. `None`
    /// where nothing is on the stage.
    pub fn view_ui(&mut self, ui: &Ui, rect: Rect, cast: Cast, name: &str) -> Option<ViewResponse> {
        self.set_aspect(f64::from(rect.width() / rect.height().max(1.0)));
        let frame = self.clip_bounds();
        let pose = self.pose(cast)?.clone();
        let mut camera = self.camera;
        let target = ViewTarget {
            pose: &pose,
            bones: self.bones()?,
            frame,
        };
        let id = ui.scope_id().with(name);
        let seen = view_ui(ui, rect, id, &mut camera, &target);
        self.camera = camera;
        seen.response
            .widget_info(|| WidgetInfo::labeled(Role::Image, true, name));
        Some(seen)
    }

    /// Says how wide a view is over its height; a model that is new on the stage is framed.
    pub fn set_aspect(&mut self, aspect: f64) {
        self.aspect = aspect;
        if std::mem::take(&mut self.unframed) {
            self.camera = OrbitCamera::framing(&self.clip_bounds(), aspect);
        }
    }

    /// The box around a joint as it is posed now.
    pub fn joint_bounds(&self, joint: usize) -> Option<Bounds> {
        let (model, instant) = (self.model.as_ref()?, self.instant.as_ref()?);
        let known = joint < model.asset.skeleton.len();
        known.then(|| {
            model
                .bounds
                .joint(&model.asset.skeleton, &instant.source, joint)
        })
    }

    /// The vertex that is farthest off now; `None` where shells are measured, or nothing is off.
    pub fn worst_now(&self) -> Option<WorstNow> {
        self.instant.as_ref()?.worst
    }

    /// Moves the camera to a joint.
    pub fn frame_joint(&mut self, joint: usize) {
        if let Some(bounds) = self.joint_bounds(joint) {
            self.camera.frame(&bounds, self.aspect.max(0.1));
        }
    }

    /// Moves the camera to a joint as it will be posed when the stage is set next.
    pub fn frame_joint_next(&mut self, joint: usize) {
        self.awaited = Some(joint);
    }

    /// The picture of a view.
    pub fn input(
        &self,
        cast: Cast,
        options: &ViewOptions,
        selected: usize,
        hovered: Option<usize>,
        motion: Motion,
    ) -> Option<ViewInput> {
        let instant = self.instant.as_ref()?;
        let paint = if options.textures {
            MeshPaint::Textured
        } else {
            MeshPaint::Tint
        };
        let source = Body {
            paint,
            morphs: instant.source_morphs.clone(),
            ..Body::new(instant.source.clone())
        };
        let heat = instant.result.as_ref().map(|result| Heat {
            right: instant.source.clone(),
            right_morphs: instant.source_morphs.clone(),
            wrong: instant.compressed.clone(),
            range: target_m(result) / result.unit_m,
            factor: 1.0,
        });
        let compressed = Body {
            paint: match paint {
                MeshPaint::Textured => paint,
                MeshPaint::Tint | MeshPaint::Error => MeshPaint::Error,
            },
            heat,
            morphs: instant.compressed_morphs.clone(),
            joint_colors: instant.colors.clone(),
            ..Body::new(instant.compressed.clone())
        };
        let ghost = Body {
            opacity: GHOST,
            ..source.clone()
        };
        let bodies = match cast {
            Cast::Source => vec![source],
            Cast::Compressed => vec![compressed],
            Cast::Both => vec![ghost, compressed],
            Cast::Swapped => vec![Body {
                pose: instant.source.clone(),
                heat: compressed.heat.map(|heat| Heat {
                    factor: 0.0,
                    ..heat
                }),
                ..compressed
            }],
        };
        let ground = self.ground(instant, options);
        let mut input = ViewInput::new(bodies[0].clone(), self.camera);
        input.bodies = bodies;
        input.layers = layers(options, self.ground_velocity(options) != DVec2::ZERO);
        input.ground = ground;
        input.hidden = instant.hidden.clone();
        input.selected = Some(selected);
        input.hovered = hovered;
        input.discs = if cast == Cast::Source {
            Vec::new()
        } else {
            self.discs(instant)
        };
        input.motion = motion;
        Some(input)
    }

    /// The picture of a blind test: nothing but the pose tells who is in it. Bones stand in for a mesh where the file
    /// has none.
    pub fn blind(&self, cast: Cast, bones: bool, motion: Motion) -> Option<ViewInput> {
        let (model, instant) = (self.model.as_ref()?, self.instant.as_ref()?);
        let options = ViewOptions {
            joints: bones || instant.hides_all(&model.asset.meshes),
            ..ViewOptions::default()
        };
        let pose = match cast {
            Cast::Source | Cast::Swapped => &instant.source,
            Cast::Compressed | Cast::Both => &instant.compressed,
        };
        let mut input = ViewInput::new(Body::new(pose.clone()), self.camera);
        input.layers = layers(&options, self.ground_velocity(&options) != DVec2::ZERO);
        input.ground = self.ground(instant, &options);
        input.hidden = instant.hidden.clone();
        input.motion = motion;
        Some(input)
    }

    /// A small picture of a joint and what hangs below it, source and compressed in one place, seen from where the
    /// views are seen from: the source stays in the middle, errors are enlarged `exaggeration` times.
    pub fn inset(
        &self,
        joint: usize,
        exaggeration: f64,
        aspect: f64,
        options: &ViewOptions,
        motion: Motion,
    ) -> Option<ViewInput> {
        let (model, instant) = (self.model.as_ref()?, self.instant.as_ref()?);
        let now = instant.source.get(joint)?;
        let skeleton = &model.asset.skeleton;
        let mut rest = vec![DAffine3::IDENTITY; skeleton.len()];
        skeleton.model_pose(&skeleton.rest_pose(), &mut rest);
        let joint_from_rest = rest.get(joint)?.inverse();
        let bounds = model.bounds.branch(skeleton, &rest, joint);
        // Its middle moves with the joint, its size stays: the picture neither swims nor breathes.
        let middle = now.transform_point3(joint_from_rest.transform_point3(bounds.center()));
        let radius = INSET_ROOM * bounds.size().max(LEAST_INSET * model.bounds.rest().size());
        let mut input = self.input(Cast::Both, options, joint, None, motion)?;
        let room = DVec3::splat(radius);
        input
            .camera
            .frame(&Bounds::new(middle - room, middle + room), aspect);
        let exaggerated = instant.source.iter().zip(instant.compressed.iter());
        let exaggerated = exaggerated.map(|(want, got)| DAffine3 {
            matrix3: want.matrix3 + (got.matrix3 - want.matrix3) * exaggeration,
            translation: want.translation + (got.translation - want.translation) * exaggeration,
        });
        let tinted = |body: Body, color: Color32| Body {
            tint: rgb(color),
            paint: MeshPaint::Tint,
            ..body
        };
        let source = Body {
            morphs: instant.source_morphs.clone(),
            ..Body::new(instant.source.clone())
        };
        let source = tinted(source, theme::SOURCE);
        let compressed = Body {
            opacity: GHOST,
            morphs: instant.compressed_morphs.clone(),
            joint_colors: Arc::new(vec![rgb(theme::COMPRESSED); skeleton.len()]),
            ..Body::new(Arc::new(exaggerated.collect()))
        };
        input.bodies = vec![source, tinted(compressed, theme::COMPRESSED)];
        input.selected = None;
        Some(input)
    }

    /// How fast the floor moves, source units a second; zero until that is found out.
    fn ground_velocity(&self, options: &ViewOptions) -> DVec2 {
        let found = self.facts.as_ref().and_then(|f| f.ground.get());
        match found {
            Some(&velocity) if options.moving_ground => velocity,
            _ => DVec2::ZERO,
        }
    }

    fn ground(&self, instant: &Instant, options: &ViewOptions) -> Ground {
        let Some(facts) = &self.facts else {
            return Ground::default();
        };
        let secs = instant.frame / instant.clip.grid().rate_hz;
        let moved = self.ground_velocity(options) * secs;
        let rest = self.model.as_ref().map(|m| m.bounds.rest());
        Ground {
            height: facts.bounds.ground_height(),
            offset: moved.to_array(),
            step: nice_step(rest.map_or(1.0, |r| r.size())),
        }
    }

    /// A disc under each sole point that stands now, in the colour of the slide that is added to its contact.
    fn discs(&self, instant: &Instant) -> Vec<Disc> {
        let (Some(result), Some(facts)) = (&instant.result, &self.facts) else {
            return Vec::new();
        };
        let frame = instant.frame.round() as usize;
        let size = self.model.as_ref().map_or(1.0, |m| m.bounds.rest().size());
        let slides = result.measured.slides.iter();
        // The buffer is judged by what it was made with.
        let judged = result.judged_by(&result.settings, &instant.clip);
        slides
            .filter(|s| s.contact.holds(frame))
            .map(|s| {
                let point = s.contact.point;
                let mut center = instant.compressed[point.joint].transform_point3(point.offset);
                center.y = facts.bounds.ground_height();
                Disc {
                    center,
                    radius: 0.04 * size,
                    color: rgb(ruling_color(judged.contact_ruling(&s.contact))),
                    fill: 0.2,
                }
            })
            .collect()
    }
}

fn rgb(color: Color32) -> [u8; 3] {
    [color.r(), color.g(), color.b()]
}

fn layers(options: &ViewOptions, ground_moves: bool) -> Layers {
    let mut layers = Layers::ALL;
    if !options.mesh {
        layers = layers.without(Layer::Mesh).without(Layer::Shadow);
    }
    if !options.joints {
        layers = layers.without(Layer::Joints);
    }
    if !options.grid {
        layers = layers.without(Layer::Grid).without(Layer::Axes);
    }
    if ground_moves {
        layers = layers.without(Layer::Axes);
    }
    layers
}

/// Finds the speed of the ground beside the window: it looks at every frame of the clip.
fn find_ground(
    clip: Arc<Clip>,
    unit_m: f64,
    wake: impl FnOnce() + Send + 'static,
) -> Arc<OnceLock<DVec2>> {
    let found = Arc::new(OnceLock::new());
    let theirs = found.clone();
    std::thread::spawn(move || {
        // Set once, here alone.
        let _ = theirs.set(ground_velocity(&clip, unit_m));
        wake();
    });
    found
}

/// The error that the colours are held against, metres: the target, or without one the largest measured.
pub fn target_m(result: &ClipResult) -> f64 {
    match result.settings.budget {
        Budget::Skin { target_m } => target_m,
        Budget::Tolerances => result.gate_m().max(1e-9),
    }
}

impl Instant {
    /// Whether no mesh is in the picture.
    fn hides_all(&self, meshes: &[Mesh]) -> bool {
        (0..meshes.len()).all(|k| self.hidden.get(k) == Some(&true))
    }

    fn new(clip: &Arc<Clip>, result: Option<&Arc<ClipResult>>, frame: f64, level: usize) -> Self {
        let joints = clip.skeleton().len();
        let secs = clip.grid().secs(frame);
        let mut locals = vec![Transform::IDENTITY; joints];
        let mut model = vec![DAffine3::IDENTITY; joints];
        let mut source: &Clip = clip;
        source.pose(secs, &mut locals);
        clip.skeleton().model_pose(&locals, &mut model);
        let pose = Arc::new(model);
        let source_morphs = Arc::new(MorphValue::of(clip, &mut source, secs));
        let source = pose;
        let (compressed, compressed_morphs, colors) = match result {
            None => (source.clone(), source_morphs.clone(), Arc::default()),
            Some(result) => {
                let mut model = vec![DAffine3::IDENTITY; joints];
                let mut player = result.player.clone().at_level(level);
                player.pose(secs, &mut locals);
                clip.skeleton().model_pose(&locals, &mut model);
                let morphs = Arc::new(MorphValue::of(clip, &mut player, secs));
                (Arc::new(model), morphs, Arc::new(colors(result, frame)))
            }
        };
        let worst = result.and_then(|result| worst_now(clip, result, secs, [&source, &compressed]));
        Self {
            clip: clip.clone(),
            result: result.cloned(),
            frame,
            level,
            source,
            compressed,
            colors,
            worst,
            hidden: Arc::default(),
            source_morphs,
            compressed_morphs,
        }
    }
}

/// The meshes that do not count for a result.
fn hidden(asset: &Asset, result: Option<&Arc<ClipResult>>) -> Vec<bool> {
    let left_out = result.map_or(&[][..], |r| &r.settings.left_out);
    let meshes = asset.meshes.iter();
    meshes.map(|m| is_left_out(left_out, &m.name)).collect()
}

fn worst_now(
    clip: &Clip,
    result: &ClipResult,
    secs: f64,
    poses: [&[DAffine3]; 2],
) -> Option<WorstNow> {
    let (place, error_m) = result.worst_vertex(clip, secs, poses)?;
    Some(WorstNow { place, error_m })
}

/// Colour of each joint by its error now.
fn colors(result: &ClipResult, frame: f64) -> Vec<[u8; 3]> {
    let target = target_m(result);
    let row = (frame * result.measured.density as f64).round() as usize;
    let errors = result.measured.row_m(row);
    errors
        .iter()
        .map(|&e| theme::error_rgb(f64::from(e) / target))
        .collect()
}
