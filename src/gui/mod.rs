//! The window. The only place that knows egui, eframe and three-d.

pub mod state;
pub mod theme;
pub mod view;
