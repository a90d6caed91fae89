//! Files that are replaced completely or not at all.

mod error;
mod replace;

pub use error::{SaveError, SaveStep};
pub use replace::replace;
