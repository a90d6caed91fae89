use crate::codec::Ruling;
use crate::gui::shell::Shell;
use crate::gui::stage::{Cast, target_m};
use crate::gui::state::{Compare, State};
use crate::gui::theme;
use crate::gui::trails::Trails;
use crate::gui::view::{Motion, Pick, axis_gizmo};
use crate::gui::widgets::mm_text;
use crate::session::{ClipResult, units};
use eframe::egui::{
    self, Align2, Color32, FontId, Mesh, Painter, Pos2, Rect, Sense, Stroke, Ui, Vec2, WidgetInfo,
    pos2, vec2,
};
use glam::DVec2;
use std::sync::Arc;

const GAP: f32 = 2.0;
const MARGIN: f32 = 12.0;
const LEGEND_WIDTH: f32 = 190.0;
const PILL_HEIGHT: f32 = 26.0;
/// Radius of the ring around the worst vertex.
const MARKER: f32 = 7.0;

/// Source and compressed, side by side or in one place, seen through one camera.
pub fn views_ui(ui: &mut Ui, state: &mut State) {
    let rect = ui.available_rect_before_wrap();
    ui.allocate_rect(rect, Sense::hover());
    let views = match state.view.compare {
        Compare::Split => {
            let x = rect.center().x.round();
            let gap = rect.with_min_x(x - 0.5 * GAP).with_max_x(x + 0.5 * GAP);
            ui.painter().rect_filled(gap, 0, theme::LINE);
            let left = Rect::from_min_max(rect.min, pos2(x - 0.5 * GAP, rect.bottom()));
            let right = Rect::from_min_max(pos2(x + 0.5 * GAP, rect.top()), rect.max);
            vec![(left, Cast::Source), (right, Cast::Compressed)]
        }
        Compare::Overlay => vec![(rect, Cast::Both)],
    };
    let mut moving = state.transport.playing.is_some();
    for &(rect, cast) in &views {
        moving |= mouse(ui, state, rect, cast);
    }
    let motion = if moving {
        Motion::Moving
    } else {
        Motion::Still
    };
    if moving {
        // One more picture when it stops: smooth.
        ui.ctx().request_repaint();
    }
    let trails = Trails::of(state);
    for (slot, &(rect, cast)) in views.iter().enumerate() {
        paint(ui, state, rect, cast, &trails, (slot, motion));
    }
    if let Some(&(rect, _)) = views.last() {
        super::inset::inset_ui(ui, state, rect, motion);
    }
}

/// Name of a view for screen readers.
fn view_name(cast: Cast) -> &'static str {
    match cast {
        Cast::Source => "Source view",
        Cast::Compressed | Cast::Swapped => "Compressed view",
        Cast::Both => "Overlay view",
    }
}

/// Lets the mouse work on a view; returns whether its picture is about to change again.
fn mouse(ui: &Ui, state: &mut State, rect: Rect, cast: Cast) -> bool {
    let Shell { stage, hover, .. } = &mut state.shell;
    let Some(seen) = stage.view_ui(ui, rect, cast, view_name(cast)) else {
        return false;
    };
    if let Some(joint) = seen.hovered_joint {
        *hover = Some(joint);
    }
    if let Some(Pick::Joint(joint)) = seen.clicked {
        state.joint = joint;
    }
    if seen.clicked.is_some() {
        // A click beside a text field means that typing is over.
        ui.memory_mut(|m| {
            if let Some(id) = m.focused() {
                m.surrender_focus(id);
            }
        });
    }
    if let Some(joint) = seen.hovered_joint
        && let Some(clip) = state.clip()
    {
        let name = clip.skeleton().joints()[joint].name.clone();
        seen.response.on_hover_text_at_pointer(name);
    }
    seen.dragging
}

fn paint(
    ui: &mut Ui,
    state: &mut State,
    rect: Rect,
    cast: Cast,
    trails: &Trails,
    (slot, motion): (usize, Motion),
) {
    let stage = &state.shell.stage;
    let input = stage.input(
        state.shown(cast),
        &state.view,
        state.joint,
        state.hovered_joint,
        motion,
    );
    let painter = ui.painter_at(rect);
    if let Some(mut input) = input {
        // The trails are those of what is in force.
        let walked = if state.held_buffer().is_some() {
            Cast::Source
        } else {
            cast
        };
        input.trails = trails.of_cast(walked);
        stage.painter.paint(&painter, rect, slot, input);
    }
    let corner = rect.min + vec2(MARGIN, MARGIN);
    match cast {
        Cast::Source => {
            source_badge(&painter, state, corner);
            gizmo(&painter, state, rect);
            hints(&painter, rect);
        }
        Cast::Compressed | Cast::Swapped => {
            worst_marker(&painter, state, rect);
            compressed_overlay(ui, state, rect, corner);
        }
        Cast::Both => {
            let width = source_badge(&painter, state, corner);
            gizmo(&painter, state, rect);
            worst_marker(&painter, state, rect);
            compressed_overlay(ui, state, rect, corner + vec2(width + 8.0, 0.0));
        }
    }
}

/// A ring around the vertex that is farthest off now, and by how much.
fn worst_marker(painter: &Painter, state: &State, rect: Rect) {
    let stage = &state.shell.stage;
    let Some(worst) = stage.worst_now().filter(|_| state.view.mesh) else {
        return;
    };
    let size = DVec2::new(f64::from(rect.width()), f64::from(rect.height()));
    let Some(place) = stage.camera.screen_from_world(worst.place, size) else {
        return;
    };
    let at = rect.min + vec2(place.x as f32, place.y as f32);
    if !rect.shrink(MARKER).contains(at) {
        return;
    }
    for (width, color) in [(3.5, Color32::from_black_alpha(150)), (1.5, Color32::WHITE)] {
        painter.circle_stroke(at, MARKER, Stroke::new(width, color));
    }
    let text = units::show_mm(worst.error_m);
    let galley = painter.layout_no_wrap(text, theme::medium_font(11.5), Color32::WHITE);
    let right = at.x + MARKER + galley.size().x + 16.0 < rect.right();
    let (anchor, side) = if right {
        (Align2::LEFT_CENTER, 1.0)
    } else {
        (Align2::RIGHT_CENTER, -1.0)
    };
    let label = anchor.anchor_size(at + vec2(side * (MARKER + 8.0), 0.0), galley.size());
    painter.rect_filled(
        label.expand2(vec2(5.0, 2.0)),
        5,
        Color32::from_black_alpha(170),
    );
    painter.galley(label.min, galley, Color32::WHITE);
}

fn gizmo(painter: &Painter, state: &State, rect: Rect) {
    let center = rect.left_bottom() + vec2(44.0, -44.0);
    axis_gizmo(painter, center, 24.0, &state.shell.stage.camera);
}

fn hints(painter: &Painter, rect: Rect) {
    let text = "F frame joint  ·  A frame all  ·  Space play  ·  hold ` source, B buffer";
    let font = FontId::proportional(11.0);
    let at = pos2(rect.right() - MARGIN, rect.bottom() - MARGIN);
    text_right(painter, at, text, font, rect.width() - 110.0);
}

fn text_right(painter: &Painter, at: Pos2, text: &str, font: FontId, width: f32) {
    let galley = painter.layout_no_wrap(text.to_owned(), font, theme::FAINT);
    if galley.size().x <= width {
        let rect = Align2::RIGHT_BOTTOM.anchor_size(at, galley.size());
        painter.galley(rect.min, galley, theme::FAINT);
    }
}

/// Part of a badge: text and how strong it is.
type Piece = (String, FontId, Color32);

fn strong(text: impl Into<String>) -> Piece {
    (text.into(), theme::semibold_font(13.0), Color32::WHITE)
}

fn quiet(text: impl Into<String>) -> Piece {
    (text.into(), FontId::proportional(12.0), theme::WEAK)
}

/// Paints a pill with a dot and text; returns where.
fn pill(
    painter: &Painter,
    corner: Pos2,
    anchor: Align2,
    dot: Option<Color32>,
    text: &[Piece],
) -> Rect {
    let galleys: Vec<_> = text
        .iter()
        .map(|(t, font, color)| painter.layout_no_wrap(t.clone(), font.clone(), *color))
        .collect();
    let dot_width = if dot.is_some() { 16.0 } else { 0.0 };
    let words: f32 = galleys.iter().map(|g| g.size().x).sum();
    let gaps = 7.0 * galleys.len().saturating_sub(1) as f32;
    let size = vec2(20.0 + dot_width + words + gaps, PILL_HEIGHT);
    let rect = anchor.anchor_size(corner, size);
    painter.rect_filled(rect, 7, Color32::from_black_alpha(150));
    let mut x = rect.left() + 10.0;
    if let Some(color) = dot {
        painter.circle_filled(pos2(x + 4.5, rect.center().y), 4.5, color);
        x += dot_width;
    }
    for galley in galleys {
        let size = galley.size();
        painter.galley(
            pos2(x, rect.center().y - 0.5 * size.y),
            galley,
            Color32::WHITE,
        );
        x += size.x + 7.0;
    }
    rect
}

fn source_badge(painter: &Painter, state: &State, corner: Pos2) -> f32 {
    let rate = state
        .clip()
        .map_or_else(String::new, |c| super::top_bar::rate_text(c.grid().rate_hz));
    let pieces = [strong("Source"), quiet(rate)];
    pill(
        painter,
        corner,
        Align2::LEFT_TOP,
        Some(theme::SOURCE),
        &pieces,
    )
    .width()
}

fn compressed_overlay(ui: &mut Ui, state: &mut State, rect: Rect, corner: Pos2) {
    let painter = ui.painter_at(rect);
    if state.shell.source_held {
        let pieces = [strong("Source"), quiet("while ` is held")];
        let dot = Some(theme::SOURCE);
        let badge = pill(&painter, corner, Align2::LEFT_TOP, dot, &pieces);
        // The colours are still those of the compressed clip.
        if let Some(result) = state.result().cloned() {
            peak_badge(ui, state, &result, rect, badge);
            legend(&painter, &result, rect);
        }
        return;
    }
    if let Some(buffer) = state.held_buffer() {
        let size = units::show_bytes(buffer.animation_bytes);
        let pieces = [strong(format!("Buffer {size}")), quiet("while B is held")];
        let dot = Some(theme::COMPRESSED);
        let badge = pill(&painter, corner, Align2::LEFT_TOP, dot, &pieces);
        let name = format!("Buffer {size}");
        ui.interact(badge, ui.scope_id().with("buffer badge"), Sense::hover())
            .widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &name));
        return legend(&painter, buffer, rect);
    }
    let Some(result) = state.result().cloned() else {
        let text = match state
            .session
            .selected()
            .and_then(|c| state.session.error(c))
        {
            Some(_) => "could not be compressed",
            None => "compressing…",
        };
        let pieces = [strong("Compressed"), quiet(text)];
        pill(
            &painter,
            corner,
            Align2::LEFT_TOP,
            Some(theme::COMPRESSED),
            &pieces,
        );
        return;
    };
    let size = units::show_bytes(result.animation_bytes);
    let size = format!("{size} animation · err ×1");
    let pieces = [strong("Compressed"), quiet(size)];
    let badge = pill(
        &painter,
        corner,
        Align2::LEFT_TOP,
        Some(theme::COMPRESSED),
        &pieces,
    );
    let about = format!(
        "What the player decodes from the bytes that will be exported\n{}\n{}\nErrors are shown at their true size",
        result.sum_words(),
        result.ratio_words()
    );
    ui.interact(
        badge,
        ui.scope_id().with("compressed badge"),
        Sense::hover(),
    )
    .on_hover_text(about);
    peak_badge(ui, state, &result, rect, badge);
    legend(&painter, &result, rect);
}

/// The worst joint; a click goes there.
fn peak_badge(ui: &mut Ui, state: &mut State, result: &Arc<ClipResult>, rect: Rect, left: Rect) {
    let Some(clip) = state.clip().cloned() else {
        return;
    };
    let worst = super::errors::gate_worst(result);
    let name = clip.skeleton().joints()[worst.joint].name.clone();
    let judged = result.judged_by(&result.settings, &clip);
    let over = judged.target().is_some_and(|l| l.ruling == Ruling::Over);
    let color = if over { theme::BAD } else { theme::TEXT };
    let text = format!("{name} {} mm peak", mm_text(worst.error_m));
    let pieces = [(text, theme::medium_font(12.0), color)];
    let painter = ui.painter_at(rect);
    let width = painter
        .layout_no_wrap(pieces[0].0.clone(), pieces[0].1.clone(), color)
        .size()
        .x
        + 20.0;
    let beside = left.right() + 8.0 + width < rect.right() - MARGIN;
    let (corner, anchor) = if beside {
        (rect.right_top() + vec2(-MARGIN, MARGIN), Align2::RIGHT_TOP)
    } else {
        (left.left_bottom() + vec2(0.0, 6.0), Align2::LEFT_TOP)
    };
    let badge = pill(&painter, corner, anchor, None, &pieces);
    let response = ui.interact(badge, ui.scope_id().with("peak badge"), Sense::click());
    response
        .widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, "Go to the worst moment"));
    if response.hovered() {
        let line = Stroke::new(1.0, theme::FAINT);
        painter.rect_stroke(badge, 7, line, egui::StrokeKind::Inside);
    }
    if response.clicked() {
        super::errors::go_to(state, worst);
    }
    let name = result.measured.joints[worst.joint].name();
    response.on_hover_text(format!(
        "Largest {name} of the clip: click to go to this joint and frame"
    ));
}

/// What the colours of the bones mean.
fn legend(painter: &Painter, result: &ClipResult, rect: Rect) {
    let bar = Rect::from_min_size(
        rect.right_bottom() - vec2(MARGIN + LEGEND_WIDTH, MARGIN + 8.0),
        vec2(LEGEND_WIDTH, 6.0),
    );
    let mut mesh = Mesh::default();
    let steps = 16_u32;
    for k in 0..=steps {
        let share = f64::from(k) / f64::from(steps);
        let x = egui::lerp(bar.x_range(), share as f32);
        mesh.colored_vertex(pos2(x, bar.top()), theme::error_color(share));
        mesh.colored_vertex(pos2(x, bar.bottom()), theme::error_color(share));
    }
    for k in 0..steps {
        mesh.add_triangle(2 * k, 2 * k + 1, 2 * k + 2);
        mesh.add_triangle(2 * k + 1, 2 * k + 2, 2 * k + 3);
    }
    let back = bar
        .expand2(Vec2::new(8.0, 6.0))
        .with_min_y(bar.top() - 21.0);
    painter.rect_filled(back, 6, Color32::from_black_alpha(90));
    painter.add(mesh);
    let font = FontId::proportional(11.0);
    let above = vec2(0.0, -3.0);
    painter.text(
        bar.left_top() + above,
        Align2::LEFT_BOTTOM,
        "0",
        font.clone(),
        theme::WEAK,
    );
    painter.text(
        bar.right_top() + above,
        Align2::RIGHT_BOTTOM,
        format!("{} mm", mm_text(target_m(result))),
        font.clone(),
        theme::WEAK,
    );
    painter.text(
        bar.center_top() + above,
        Align2::CENTER_BOTTOM,
        "skin error now",
        font,
        theme::FAINT,
    );
}
