//! The 3D part of the window.
//!
//! Data flows one way. The panels fill a [`ViewInput`] (poses, camera, colours: everything that decides
//! the picture); [`ViewPainter`] compares it with the one drawn last and, only when it differs, lets
//! [`Scene`] draw it into the slot's own [`Offscreen`] picture, which is then copied into the window.
//! An idle window therefore costs two copies a repaint, and tests draw the very same way with no window.
//!
//! | file | concept | needs |
//! |---|---|---|
//! | `input` | what decides the picture | glam |
//! | `camera`, `bounds`, `bones`, `picking` | geometry | glam, the model |
//! | `gpu`, `ground`, `skinned_mesh`, `strokes`, `bone_batch`, `offscreen`, `scene` | drawing | three-d |
//! | `painter`, `interact`, `gizmo` | egui | eframe |
//!
//! Lengths are in the source file's own unit throughout, so that no conversion can go wrong in between.
//! Everything is computed in `f64` and handed to the GPU relative to the camera's target, in `f32`: a
//! character ten kilometres from the origin does not shake.

mod bone_batch;
mod bones;
mod bounds;
mod camera;
mod gizmo;
mod gpu;
mod ground;
mod input;
mod interact;
mod offscreen;
mod painter;
mod picking;
mod scene;
mod skinned_mesh;
mod strokes;

pub use bones::{Bone, BoneSegment, BoneSet, BoneStyle};
pub use bounds::{AssetBounds, Bounds};
pub use camera::{OrbitCamera, Preset, Projection, Ray};
pub use gizmo::axis_gizmo;
pub use ground::{BACKGROUND_BOTTOM, BACKGROUND_TOP};
pub use input::{
    Body, Disc, Ground, Heat, Layer, Layers, MeshPaint, Motion, Trail, ViewInput, nice_step,
};
pub use interact::{Gesture, Pick, ViewResponse, ViewTarget, gesture, view_ui};
pub use offscreen::{Offscreen, PictureSize};
pub use painter::ViewPainter;
pub use picking::{PICK_RADIUS, pick};
pub use scene::{HOVERED, SELECTED, Scene};
