//! Small parts that the panels are put together from.

mod choice;
mod dot;
mod figure;
mod grade;
mod handle;
mod quantity;
mod section;
mod tune;

pub use choice::{check, choice, choice_box};
pub use dot::{DOT, Mark, mark};
pub use figure::{figure, mm_text, small_button, text_at};
pub use grade::{ruling_color, ruling_words};
pub use handle::{Handle, asked};
pub use quantity::Quantity;
pub use section::{fold, rule, section};
pub use tune::{Strength, TuneRow, Tuned};
