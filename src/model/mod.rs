//! Skeletons, source curves and clips: validated once, then never checked again.

mod asset;
mod clip;
mod grid;
mod issues;
mod matching;
mod mirror;
mod morph;
mod pattern;
mod repair;
mod skeleton;
mod skin;
mod surface;
mod track;

pub use asset::{Asset, Mesh, MoreBones, Texture};
pub use clip::{
    Clip, CurveSource, MAX_FRAMES, PoseSource, RawClip, RawCurve, RawScalar, RawTrack, channel_name,
};
pub use grid::FrameGrid;
pub use issues::{Issue, Issues, Severity};
pub use matching::{Fitting, less_axes, match_joints};
pub use mirror::{mirrored_joint, mirrored_names};
pub use morph::{Morph, MorphValue};
pub use pattern::{name_matches, pattern_of};
pub use skeleton::{Joint, MAX_JOINTS, Skeleton, SkeletonError};
pub use skin::{
    Influence, PartMorph, Skin, SkinPart, UnreadMesh, VertexMorph, Without, is_left_out,
    left_out_with, vertex_place,
};
pub use surface::{Farthest, Look, Surface, VertexId, owner};
pub use track::{Curve, Interpolation, MorphWeight, ScalarTrack, Track, step_slack_secs};
