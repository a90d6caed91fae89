//! Buttons with painted signs: sharp at any size, whatever fonts there are.

use super::theme;
use eframe::egui::{
    self, Color32, Pos2, Rect, Response, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2,
};

/// Size of a button.
pub(super) const SIZE: egui::Vec2 = vec2(26.0, 24.0);

/// A sign of the transport bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Icon {
    Start,
    End,
    PreviousKey,
    NextKey,
    PreviousFrame,
    NextFrame,
    Play,
    PlayReverse,
    Pause,
    Repeat,
    Left,
    Right,
}

/// A button with a sign; `name` is what screen readers and tests know it by.
pub(super) fn icon_button(
    ui: &mut Ui,
    icon: Icon,
    name: &str,
    tip: &str,
    on: Option<bool>,
) -> Response {
    sized_icon_button(ui, SIZE, icon, name, tip, on)
}

/// [`icon_button`] of another size.
pub(super) fn sized_icon_button(
    ui: &mut Ui,
    size: egui::Vec2,
    icon: Icon,
    name: &str,
    tip: &str,
    on: Option<bool>,
) -> Response {
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let enabled = ui.is_enabled();
    response.widget_info(|| match on {
        Some(on) => WidgetInfo::selected(Role::Button, enabled, on, name),
        None => WidgetInfo::labeled(Role::Button, enabled, name),
    });
    let selected = on == Some(true);
    let visuals = ui.style().interact(&response);
    let fill = if selected {
        theme::ACCENT.gamma_multiply(0.28)
    } else {
        visuals.weak_bg_fill
    };
    let color = match (enabled, selected) {
        (false, _) => ui.visuals().weak_text_color(),
        (true, true) => theme::ACCENT,
        (true, false) => visuals.fg_stroke.color,
    };
    ui.painter().rect_filled(rect, 4, fill);
    if response.has_focus() {
        let stroke = Stroke::new(1.0, theme::ACCENT);
        ui.painter()
            .rect_stroke(rect, 4, stroke, egui::StrokeKind::Inside);
    }
    paint(ui, icon, rect.center(), color);
    response.on_hover_text(tip).on_disabled_hover_text(tip)
}

fn paint(ui: &Ui, icon: Icon, c: Pos2, color: Color32) {
    let p = ui.painter();
    let triangle = |x: f32, dx: f32| {
        let h = 4.8;
        let points = vec![
            pos2(c.x + x, c.y - h),
            pos2(c.x + x + dx, c.y),
            pos2(c.x + x, c.y + h),
        ];
        p.add(Shape::convex_polygon(points, color, Stroke::NONE));
    };
    let bar = |x: f32, w: f32| {
        let rect = Rect::from_center_size(pos2(c.x + x, c.y), vec2(w, 9.6));
        p.rect_filled(rect, 0, color);
    };
    match icon {
        Icon::Play => triangle(-3.2, 8.0),
        Icon::PlayReverse => triangle(3.2, -8.0),
        Icon::Pause => {
            bar(-2.6, 2.6);
            bar(2.6, 2.6);
        }
        Icon::Start => {
            bar(-4.8, 1.6);
            triangle(4.4, -7.4);
        }
        Icon::End => {
            bar(4.8, 1.6);
            triangle(-4.4, 7.4);
        }
        Icon::PreviousFrame => {
            bar(4.2, 1.6);
            triangle(2.2, -6.6);
        }
        Icon::NextFrame => {
            bar(-4.2, 1.6);
            triangle(-2.2, 6.6);
        }
        Icon::PreviousKey => {
            triangle(-1.6, -5.4);
            diamond(p, pos2(c.x + 4.0, c.y), 4.2, color, Stroke::NONE);
        }
        Icon::NextKey => {
            triangle(1.6, 5.4);
            diamond(p, pos2(c.x - 4.0, c.y), 4.2, color, Stroke::NONE);
        }
        Icon::Left => triangle(2.0, -5.4),
        Icon::Right => triangle(-2.0, 5.4),
        Icon::Repeat => paint_loop(p, c, color),
    }
}

fn paint_loop(p: &egui::Painter, c: Pos2, color: Color32) {
    let r = 5.2;
    let at = |degrees: f32| {
        let a = degrees.to_radians();
        pos2(c.x + r * a.cos(), c.y + r * a.sin())
    };
    let arc = (0..=24).map(|k| at(-40.0 + 12.5 * k as f32)).collect();
    p.add(Shape::line(arc, Stroke::new(1.6, color)));
    let tip = at(-40.0);
    let head = vec![
        tip + vec2(-4.2, 0.6),
        tip + vec2(1.6, -3.6),
        tip + vec2(2.0, 2.6),
    ];
    p.add(Shape::convex_polygon(head, color, Stroke::NONE));
}

/// A key's sign.
pub(super) fn diamond(p: &egui::Painter, c: Pos2, r: f32, fill: Color32, stroke: Stroke) {
    let points = vec![
        pos2(c.x, c.y - r),
        pos2(c.x + r, c.y),
        pos2(c.x, c.y + r),
        pos2(c.x - r, c.y),
    ];
    p.add(Shape::convex_polygon(points, fill, stroke));
}
