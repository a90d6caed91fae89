//! The window: the only place that knows egui, eframe, three-d and rfd.

pub mod view;
