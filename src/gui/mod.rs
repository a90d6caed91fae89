//! The window. The only place that knows egui, eframe and three-d.

pub mod abx;
pub mod actions;
pub mod app;
pub mod clip_table;
pub mod dialogs;
pub mod fence;
mod light;
mod open;
pub mod panels;
pub mod sheets;
pub mod shell;
pub mod shot;
pub mod stage;
pub mod state;
pub mod theme;
pub mod timeline;
pub mod tour;
mod trails;
mod tune;
pub mod verdict;
pub mod view;
pub mod widgets;
mod within;

pub use app::{App, Ended, WindowOptions, run};
pub use shot::Shot;
