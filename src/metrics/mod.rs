//! What compression did to a clip, measured on what a player decodes from the shipped bytes.
//!
//! What is measured is the displacement of the skin, in model space and metres of the world: of every vertex of
//! every mesh that joints move, morphed by the source's weights on one side and the decoded ones on the other
//! ([`ErrorMetric::Skin`]), each counted at the joint that moves it most. Joints that move
//! no vertex, such as sockets, IK targets and ends, have a *shell* instead: three points at a distance along the joint's
//! axes, in the world where the rest pose has it, which is what skin at that distance would move by (the measure of
//! ACL, Frechette 2016). Three sets of instants are always kept apart: the source's frames, the times of
//! the source's own keys that lie between them, and a grid four times as dense.
//!
//! Errors are given as they are, in metres. What a target is held against is an error times its weight
//! ([`Weights`]), the same where nothing matters more than the rest.

mod body;
mod causes;
mod contacts;
mod curves;
mod difference;
mod measure;
mod morphed;
mod probe;
mod seam;
mod statistics;
mod weights;

pub use body::{Body, BodyGauge, Displaced, ErrorMetric};
pub use causes::{Cause, Causes};
pub use contacts::{
    Contact, ContactSlide, Contacts, Footing, Pair, PairDrift, SLIDE_LIMIT_M, SolePart, SolePoint,
    ground_velocity,
};
pub(crate) use contacts::{ground_diameter, space_diameter};
pub use curves::{CurveError, curve_errors};
pub use difference::Difference;
pub(crate) use difference::matrix_difference;
pub use measure::{
    ErrorSets, Jitter, JointError, LocalError, Measured, Options, SkinError, WorstVertex,
    largest_error_m, measure, measure_with,
};
pub use morphed::Shape;
pub use seam::Seam;
pub use statistics::{ErrorStats, Worst};
pub use weights::{JointWeight, Stretch, Weights};
