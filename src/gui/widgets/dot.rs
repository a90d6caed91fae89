use crate::gui::theme;
use crate::gui::within::Within as _;
use eframe::egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, Vec2, pos2, vec2};
use std::f32::consts::TAU;

/// Room that a mark takes.
pub const DOT: f32 = 12.0;

/// A state of a clip, told by shape and colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mark {
    /// A ring: not looked at yet.
    Open,
    /// A green disc with a tick.
    Approved,
    /// A green disc with a tick and an amber spot: approved although it is no pass.
    Excepted,
    /// An amber triangle: approved, then changed.
    Stale,
    /// A red square with a cross.
    Rejected,
    /// A ring that fills up, with how far it is in `[0, 1]`.
    Busy(f32),
    /// A red triangle: could not be compressed.
    Failed,
    /// A ring with a bar: compressing was stopped.
    Cancelled,
}

impl Mark {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Approved => "approved",
            Self::Excepted => "approved as an exception",
            Self::Stale => "approval is stale: it changed since",
            Self::Rejected => "rejected",
            Self::Busy(_) => "compressing",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Draws a mark around `center`.
pub fn mark(painter: &Painter, center: Pos2, mark: Mark) {
    let radius = 0.5 * DOT - 1.0;
    match mark {
        Mark::Open => {
            painter.circle_stroke(center, radius - 1.0, Stroke::new(1.5, theme::FAINT));
        }
        Mark::Cancelled => {
            painter.circle_stroke(center, radius - 1.0, Stroke::new(1.5, theme::WARNING));
            line(
                painter,
                center,
                &[vec2(-2.2, 0.0), vec2(2.2, 0.0)],
                theme::WARNING,
            );
        }
        Mark::Approved => approved(painter, center, radius),
        Mark::Excepted => {
            approved(painter, center, radius);
            let at = center + vec2(4.6, -4.2);
            painter.circle_filled(at, 3.4, theme::PANEL);
            painter.circle_filled(at, 2.6, theme::WARNING);
        }
        Mark::Stale => triangle(painter, center, theme::WARNING),
        Mark::Failed => triangle(painter, center, theme::BAD),
        Mark::Rejected => {
            let rect = Rect::from_center_size(center, Vec2::splat(1.8 * radius));
            painter.rect_filled(rect, 2, theme::BAD);
            line(
                painter,
                center,
                &[vec2(-2.0, -2.0), vec2(2.0, 2.0)],
                theme::PANEL,
            );
            line(
                painter,
                center,
                &[vec2(-2.0, 2.0), vec2(2.0, -2.0)],
                theme::PANEL,
            );
        }
        Mark::Busy(done) => {
            painter.circle_stroke(center, radius - 1.0, Stroke::new(2.0, theme::RAISED_HOVER));
            let arc = arc(center, radius - 1.0, done.within(0.06, 1.0));
            painter.add(Shape::line(arc, Stroke::new(2.0, theme::ACCENT)));
        }
    }
}

fn approved(painter: &Painter, center: Pos2, radius: f32) {
    painter.circle_filled(center, radius, theme::GOOD);
    let points = [vec2(-2.4, 0.1), vec2(-0.6, 1.9), vec2(2.5, -1.8)];
    line(painter, center, &points, theme::PANEL);
}

fn line(painter: &Painter, center: Pos2, points: &[Vec2], color: Color32) {
    let points = points.iter().map(|&v| center + v).collect();
    painter.add(Shape::line(points, Stroke::new(1.6, color)));
}

fn triangle(painter: &Painter, c: Pos2, color: Color32) {
    let points = vec![
        pos2(c.x, c.y - 5.0),
        pos2(c.x + 5.4, c.y + 4.2),
        pos2(c.x - 5.4, c.y + 4.2),
    ];
    painter.add(Shape::convex_polygon(points, color, Stroke::NONE));
    line(painter, c, &[vec2(0.0, -1.8), vec2(0.0, 1.0)], theme::PANEL);
    painter.circle_filled(c + vec2(0.0, 2.8), 0.9, theme::PANEL);
}

fn arc(center: Pos2, radius: f32, share: f32) -> Vec<Pos2> {
    let steps = (24.0 * share).ceil() as usize + 1;
    (0..=steps)
        .map(|k| {
            let angle = TAU * (share * k as f32 / steps as f32 - 0.25);
            center + radius * Vec2::angled(angle)
        })
        .collect()
}
