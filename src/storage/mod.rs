//! Files that are replaced completely or not at all, and files that outlive a crash.

mod error;
mod replace;
mod slots;

pub use error::{SaveError, SaveStep};
pub use replace::replace;
pub use slots::{Orphan, Slots};
