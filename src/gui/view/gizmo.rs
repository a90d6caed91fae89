//! The three axes in the corner of a view.

use super::OrbitCamera;
use eframe::egui::{Align2, Color32, FontId, Painter, Pos2, Stroke, Vec2, vec2};
use glam::DVec3;

const AXES: [(DVec3, &str, Color32); 3] = [
    (DVec3::X, "X", Color32::from_rgb(232, 96, 100)),
    (DVec3::Y, "Y", Color32::from_rgb(120, 205, 95)),
    (DVec3::Z, "Z", Color32::from_rgb(95, 150, 240)),
];

/// Draws the axes as the camera sees them around `center`, each `length` points long.
pub fn axis_gizmo(painter: &Painter, center: Pos2, length: f32, camera: &OrbitCamera) {
    let mut axes = AXES.map(|(axis, name, color)| {
        let across = vec2(
            axis.dot(camera.right()) as f32,
            -axis.dot(camera.up()) as f32,
        );
        (across * length, axis.dot(camera.back()), name, color)
    });
    // What points away is drawn first and paler.
    axes.sort_by(|a, b| a.1.total_cmp(&b.1));
    for (across, toward, name, color) in axes {
        let faded = color.gamma_multiply(0.75 + 0.25 * toward as f32);
        let tip = center + across;
        painter.line_segment([center, tip], Stroke::new(2.0, faded));
        painter.circle_filled(tip, 6.5, faded);
        painter.text(
            tip + Vec2::new(0.0, 0.5),
            Align2::CENTER_CENTER,
            name,
            FontId::proportional(9.5),
            Color32::from_rgb(24, 26, 31),
        );
    }
    painter.circle_filled(center, 2.0, Color32::from_gray(170));
}
