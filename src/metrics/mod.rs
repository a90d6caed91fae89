//! What compression did to a clip, measured on what a player decodes from the shipped bytes.
//!
//! The error of a joint at a time is the largest displacement, in model space, of three points at the
//! shell distance along the joint's own axes: what skin at that distance would move by (the measure of
//! ACL, Frechette 2016). Three sets of instants are always kept apart: the source's frames, the times of
//! the source's own keys that lie between them, and a grid four times as dense.
//!
//! Errors are given as they are, in metres. What a target is held against is an error times its weight
//! ([`Weights`]), the same where nothing matters more than the rest.

mod causes;
mod contacts;
mod curves;
mod seam;
mod skin;
mod statistics;
mod weights;

pub use causes::{Cause, Causes};
pub use contacts::{
    Contact, ContactSlide, Contacts, Pair, PairDrift, SLIDE_LIMIT_M, SolePart, SolePoint,
    ground_velocity,
};
pub(crate) use contacts::{ground_diameter, space_diameter};
pub use curves::{CurveError, curve_errors};
pub use seam::Seam;
pub use skin::{
    Jitter, JointError, LocalError, Measured, Options, largest_error_m, measure, measure_with,
};
pub use statistics::{ErrorStats, Worst};
pub use weights::{JointWeight, Stretch, Weights};
