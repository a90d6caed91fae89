//! What decides the picture of one view.

use super::OrbitCamera;
use crate::model::MorphValue;
use glam::{DAffine3, DVec3};
use std::sync::Arc;

/// Something a view can show or hide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// The skinned mesh.
    Mesh,
    /// Bones and joint spheres, always on top of the mesh.
    Joints,
    /// The ground grid.
    Grid,
    /// The red X and blue Z line through the origin; hide them when the ground scrolls.
    Axes,
    /// The mesh's shadow on the ground.
    Shadow,
    /// Paths of joints.
    Trails,
    /// Discs under planted feet.
    Contacts,
}

impl Layer {
    /// All of them, in the order of a menu.
    pub const ALL: [Self; 7] = [
        Self::Mesh,
        Self::Joints,
        Self::Grid,
        Self::Axes,
        Self::Shadow,
        Self::Trails,
        Self::Contacts,
    ];

    /// Name in a menu.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Mesh => "Mesh",
            Self::Joints => "Joints",
            Self::Grid => "Grid",
            Self::Axes => "Axes",
            Self::Shadow => "Shadow",
            Self::Trails => "Trails",
            Self::Contacts => "Foot contacts",
        }
    }
}

/// A set of [`Layer`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layers(u8);

impl Layers {
    /// Everything shown.
    pub const ALL: Self = Self((1 << Layer::ALL.len()) - 1);
    /// Nothing but the background.
    pub const NONE: Self = Self(0);

    /// Whether `layer` is shown.
    pub const fn has(self, layer: Layer) -> bool {
        self.0 & (1 << layer as u8) != 0
    }

    /// The same set with `layer` shown.
    #[must_use]
    pub const fn with(self, layer: Layer) -> Self {
        Self(self.0 | 1 << layer as u8)
    }

    /// The same set with `layer` hidden.
    #[must_use]
    pub const fn without(self, layer: Layer) -> Self {
        Self(self.0 & !(1 << layer as u8))
    }

    /// Shows what was hidden and the other way round.
    pub fn toggle(&mut self, layer: Layer) {
        self.0 ^= 1 << layer as u8;
    }
}

impl Default for Layers {
    fn default() -> Self {
        Self::ALL
    }
}

/// How the mesh is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MeshPaint {
    /// One soft colour: [`Body::tint`].
    #[default]
    Tint,
    /// The file's own texture, vertex colours and base colour.
    Textured,
    /// Each vertex by how far it is off: [`Body::heat`]; the tint where there is none.
    Error,
}

/// How far a character is off another pose of itself, on its skin.
#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// The pose that is right, `model_from_joint` for each joint, source units.
    pub right: Arc<Vec<DAffine3>>,
    /// The weights of morph targets there; those of the pose whose error is painted are the body's own.
    pub right_morphs: Arc<Vec<MorphValue>>,
    /// The pose whose error is painted.
    pub wrong: Arc<Vec<DAffine3>>,
    /// The error at which the ramp ends, source units, above 0; beyond it is one colour.
    pub range: f64,
    /// How many times its error the skin is drawn off the right pose: 1 is the wrong pose itself, 0 the right one.
    pub factor: f64,
}

/// One character in the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// `model_from_joint` for each joint of the skeleton, source units.
    pub pose: Arc<Vec<DAffine3>>,
    /// sRGB colour of each joint's bones; joints past its end get [`Body::BONE`].
    pub joint_colors: Arc<Vec<[u8; 3]>>,
    /// The weights of morph targets that a clip moves.
    pub morphs: Arc<Vec<MorphValue>>,
    /// How the mesh is coloured.
    pub paint: MeshPaint,
    /// What [`MeshPaint::Error`] paints.
    pub heat: Option<Heat>,
    /// sRGB colour of the mesh for [`MeshPaint::Tint`].
    pub tint: [u8; 3],
    /// 0 to 1 for mesh and bones alike; below 1 the body is seen through.
    pub opacity: f32,
}

impl Body {
    /// The blue-grey of source bones.
    pub const BONE: [u8; 3] = [143, 178, 222];
    /// The quiet grey-blue of a mesh that should not outshine its bones.
    pub const SKIN: [u8; 3] = [92, 106, 126];

    /// An opaque body in the colours of the source.
    pub fn new(pose: Arc<Vec<DAffine3>>) -> Self {
        Self {
            pose,
            joint_colors: Arc::default(),
            morphs: Arc::default(),
            paint: MeshPaint::Tint,
            heat: None,
            tint: Self::SKIN,
            opacity: 1.0,
        }
    }

    /// The sRGB colour of a joint.
    pub fn joint_color(&self, joint: usize) -> [u8; 3] {
        self.joint_colors.get(joint).copied().unwrap_or(Self::BONE)
    }
}

/// The floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Its height on the Y axis, source units.
    pub height: f64,
    /// How far the floor has moved along X and Z, source units: for clips that walk on the spot.
    pub offset: [f64; 2],
    /// Side of a large cell in source units, positive; it has 5 x 5 small ones. See [`nice_step`].
    pub step: f64,
}

impl Default for Ground {
    fn default() -> Self {
        Self {
            height: 0.0,
            offset: [0.0; 2],
            step: 1.0,
        }
    }
}

/// A round cell size (1, 2 or 5 times a power of ten) of about half a model's size.
pub fn nice_step(model_size: f64) -> f64 {
    if !(model_size > 0.0 && model_size.is_finite()) {
        return 1.0;
    }
    let wanted = 0.5 * model_size;
    let power = 10.0_f64.powf(wanted.log10().floor());
    let digit = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .min_by(|a, b| {
            let off = |d: f64| (d * power / wanted).ln().abs();
            off(*a).total_cmp(&off(*b))
        })
        .unwrap_or(1.0);
    digit * power
}

/// The path of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Trail {
    /// Positions in model space, source units.
    pub points: Arc<Vec<DVec3>>,
    /// sRGB colour and alpha.
    pub color: [u8; 4],
    /// Width of the line in points.
    pub width: f32,
    /// Radius of the dot at each position in points; 0 for none.
    pub dot: f32,
}

/// A disc on the floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// Centre in model space, source units.
    pub center: DVec3,
    /// Radius, source units.
    pub radius: f64,
    /// sRGB colour: the verdict.
    pub color: [u8; 3],
    /// Alpha of the inside, 0 to 1; the rim is always opaque.
    pub fill: f32,
}

/// Whether the picture is about to change again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// The picture stays: worth smoothing edges even where that is slow.
    #[default]
    Still,
    /// Playing or being dragged: a software renderer skips multisampling.
    Moving,
}

/// Everything that decides the picture of one view; equal inputs give equal pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewInput {
    /// Characters, drawn in this order: one, or two for an overlay. All have the loaded skeleton.
    pub bodies: Vec<Body>,
    /// Where from.
    pub camera: OrbitCamera,
    /// What is shown.
    pub layers: Layers,
    /// The floor.
    pub ground: Ground,
    /// The joint whose bones are highlighted.
    pub selected: Option<usize>,
    /// The joint under the pointer.
    pub hovered: Option<usize>,
    /// Paths of joints.
    pub trails: Vec<Trail>,
    /// Discs on the floor.
    pub discs: Vec<Disc>,
    /// For each mesh whether it is left out of the picture; those past its end are not.
    pub hidden: Arc<Vec<bool>>,
    /// Whether the picture is about to change again.
    pub motion: Motion,
}

impl ViewInput {
    /// One body, everything shown, nothing selected.
    pub fn new(body: Body, camera: OrbitCamera) -> Self {
        Self {
            bodies: vec![body],
            camera,
            layers: Layers::ALL,
            ground: Ground::default(),
            selected: None,
            hovered: None,
            trails: Vec::new(),
            discs: Vec::new(),
            hidden: Arc::default(),
            motion: Motion::Still,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_switched_one_by_one() {
        for layer in Layer::ALL {
            let mut layers = Layers::ALL.without(layer);
            assert!(!layers.has(layer));
            assert_eq!(Layer::ALL.iter().filter(|&&l| layers.has(l)).count(), 6);
            layers.toggle(layer);
            assert_eq!(layers, Layers::ALL);
            assert!(Layers::NONE.with(layer).has(layer));
        }
    }

    #[test]
    fn grid_cells_are_round_numbers() {
        assert_eq!(nice_step(1.8), 1.0);
        assert_eq!(nice_step(180.0), 100.0);
        assert!((nice_step(0.3) - 0.2).abs() < 1e-12);
        assert_eq!(nice_step(f64::NAN), 1.0);
        assert_eq!(nice_step(0.0), 1.0);
    }
}
