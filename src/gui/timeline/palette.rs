//! Colours of the timeline.

use eframe::egui::Color32;

pub(super) const ACCENT: Color32 = Color32::from_rgb(0xff, 0x9d, 0x3b);
pub(super) const PANEL: Color32 = Color32::from_rgb(0x1a, 0x1d, 0x23);
pub(super) const WELL: Color32 = Color32::from_rgb(0x12, 0x14, 0x19);
pub(super) const GRID: Color32 = Color32::from_rgb(0x24, 0x28, 0x30);
pub(super) const LINE: Color32 = Color32::from_rgb(0x2e, 0x33, 0x3d);
pub(super) const TEXT: Color32 = Color32::from_rgb(0xd6, 0xd9, 0xdf);
pub(super) const WEAK: Color32 = Color32::from_rgb(0x8a, 0x91, 0x9e);
pub(super) const GOOD: Color32 = Color32::from_rgb(0x46, 0x9c, 0x6c);
pub(super) const NEAR: Color32 = Color32::from_rgb(0xc9, 0x98, 0x34);
pub(super) const BAD: Color32 = Color32::from_rgb(0xc4, 0x51, 0x51);
pub(super) const LIMIT: Color32 = Color32::from_rgb(0xf0, 0x66, 0x6a);
/// The source under the compressed curves.
pub(super) const SOURCE_LINE: Color32 = Color32::from_rgb(0xa6, 0xac, 0xb8);
/// X, Y, Z, W.
pub(super) const COMPONENTS: [Color32; 4] = [
    Color32::from_rgb(0xf2, 0x65, 0x6b),
    Color32::from_rgb(0x76, 0xd2, 0x62),
    Color32::from_rgb(0x5f, 0xa2, 0xf7),
    Color32::from_rgb(0xf2, 0xc9, 0x4c),
];
