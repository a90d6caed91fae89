//! Two rows on which a person paints which frames matter more or less: of the whole clip, and of the selected joint.

use super::time_axis::TimeAxis;
use super::{GUTTER, theme, time_grid};
use crate::codec::{Budget, FrameImportance};
use crate::gui::state::State;
use crate::session::{Change, painted_importance, units};
use eframe::egui::{
    self, Align2, Button, Color32, CursorIcon, FontId, Key, Painter, PointerButton, Rangef, Rect,
    Response, RichText, Sense, Stroke, StrokeKind, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};

/// Height of a row, and of one in a low panel.
const ROW: f32 = 12.0;
const THIN_ROW: f32 = 9.5;

/// Room around both rows.
const AROUND: f32 = 4.0;

/// A panel below this height shows them only where somebody asked for them or something is painted.
const LEAST_PANEL: f32 = 330.0;

/// What a drag paints: a factor, or with `None` nothing any more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Brush(Option<f64>);

impl Default for Brush {
    fn default() -> Self {
        Self(Some(2.0))
    }
}

impl Brush {
    const ALL: [Self; 5] = [
        Self(Some(4.0)),
        Self(Some(2.0)),
        Self(Some(0.5)),
        Self(Some(0.25)),
        Self(None),
    ];

    fn name(self) -> String {
        match self.0 {
            Some(factor) => factor_name(factor),
            None => "Erase".to_owned(),
        }
    }

    fn short(self) -> String {
        self.0.map_or_else(|| "erase".into(), |f| format!("×{f}"))
    }
}

fn factor_name(factor: f64) -> String {
    let word = if factor < 1.0 { "Relax" } else { "Protect" };
    format!("{word} ×{factor}")
}

fn verb(brush: Brush) -> &'static str {
    match brush.0 {
        Some(factor) if factor >= 1.0 => "protect frames",
        Some(_) => "relax frames",
        None => "erase",
    }
}

/// A drag that goes on.
#[derive(Clone, Debug)]
pub(super) struct Stroked {
    /// The row's joint; `None` for the whole clip.
    joint: Option<String>,
    from: usize,
    to: usize,
}

impl Stroked {
    fn frames(&self) -> (usize, usize) {
        (self.from.min(self.to), self.from.max(self.to))
    }
}

/// How high the rows are in a panel of a height; 0 where they are not shown.
pub(super) fn height(state: &State, panel_height: f32) -> f32 {
    let high = panel_height >= LEAST_PANEL;
    if !state.view.importance.unwrap_or(high) && stretches(state).is_empty() {
        return 0.0;
    }
    AROUND + 2.0 * if high { ROW } else { THIN_ROW }
}

fn stretches(state: &State) -> Vec<FrameImportance> {
    let id = state.session.selected();
    let edits = id.and_then(|id| state.session.edits(id));
    edits.map_or_else(Vec::new, |e| e.settings.importance.frames.clone())
}

pub(super) fn importance_ui(ui: &mut Ui, state: &mut State, axis: &TimeAxis) {
    let rect = ui.max_rect();
    if rect.height() < AROUND {
        return;
    }
    let height = 0.5 * (rect.height() - AROUND);
    let last = state.clip().map_or(0, |c| c.grid().last());
    time_grid(ui, axis, axis.part_of(rect), last);
    follow(ui, state, axis, last);
    brush_ui(ui, state, rect, axis.pixels.min);
    let joint = state.clip().and_then(|c| {
        let joint = c.skeleton().joints().get(state.joint)?;
        // A joint without a name cannot be told from others.
        (!joint.name.is_empty()).then(|| Some(joint.name.clone()))
    });
    for (k, joint) in [None].into_iter().chain(joint).enumerate() {
        let top = rect.top() + 0.5 * AROUND + k as f32 * height;
        let row = rect.with_min_y(top).with_max_y(top + height);
        row_ui(ui, state, axis, row, joint.as_deref(), last);
    }
}

/// What a drag paints, left of the rows.
fn brush_ui(ui: &mut Ui, state: &mut State, rect: Rect, right: f32) {
    let brush = state.timeline.brush;
    let corner = pos2(right - GUTTER + 6.0, rect.center().y - 9.0);
    let area = Rect::from_min_size(corner, vec2(36.0, 18.0));
    let mut child = ui.new_child(UiBuilder::new().max_rect(area));
    child.spacing_mut().button_padding = vec2(2.0, 0.0);
    let text = RichText::new(brush.short())
        .size(10.5)
        .color(color(brush.0));
    let button = Button::new(text).min_size(vec2(36.0, 18.0));
    let (response, _) = egui::containers::menu::MenuButton::from_button(button)
        .ui(&mut child, |ui| brushes(ui, state));
    let name = format!("Importance brush: {}", brush.name());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &name));
    response.on_hover_text(
        "What a drag on these rows paints: how many times errors count in those frames\nProtect a hold, relax a blur",
    );
}

fn brushes(ui: &mut Ui, state: &mut State) {
    ui.set_min_width(150.0);
    for brush in Brush::ALL {
        let tip = match brush.0 {
            Some(f) if f >= 1.0 => format!("Errors count {f} times: they must be smaller"),
            Some(f) => format!("Errors may be {} times as large", 1.0 / f),
            None => "What is painted here counts once again".to_owned(),
        };
        let item = ui.selectable_label(state.timeline.brush == brush, brush.name());
        if item.on_hover_text(tip).clicked() {
            state.timeline.brush = brush;
            ui.close();
        }
    }
}

fn row_ui(
    ui: &mut Ui,
    state: &mut State,
    axis: &TimeAxis,
    row: Rect,
    joint: Option<&str>,
    last: usize,
) {
    let whose = joint.unwrap_or("whole clip");
    let at = pos2(axis.pixels.min - 6.0, row.center().y);
    let label = if joint.is_some() { "joint" } else { "clip" };
    let font = FontId::proportional((row.height() - 1.0).min(10.0));
    ui.painter()
        .text(at, Align2::RIGHT_CENTER, label, font, theme::WEAK);
    let area = axis.part_of(row).shrink2(vec2(0.0, 0.5));
    ui.painter().rect_filled(area, 2, theme::SUNK);
    let id = ui.scope_id().with(("importance", joint.is_some()));
    let response = ui.interact(area, id, Sense::click_and_drag());
    let name = format!("Importance of {whose}");
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, &name));
    begin(&response, state, axis, joint, last);
    let painter = ui.painter_at(area);
    let all = stretches(state);
    let own: Vec<_> = all.iter().filter(|s| s.joint.as_deref() == joint).collect();
    if own.is_empty() && state.timeline.stroked.is_none() {
        let text = format!(
            "importance of {whose}: drag to {}",
            verb(state.timeline.brush)
        );
        let at = pos2(area.left() + 6.0, area.center().y);
        let font = FontId::proportional((area.height() - 1.5).min(9.5));
        painter.text(at, Align2::LEFT_CENTER, text, font, theme::FAINT);
    }
    for stretch in &own {
        let bar = bar(axis, area, (stretch.first, stretch.last));
        paint(&painter, bar, stretch.factor);
        let name = format!(
            "{} of {whose}, frames {} to {}",
            factor_name(stretch.factor),
            stretch.first,
            stretch.last
        );
        let id = ui
            .scope_id()
            .with(("stretch", joint.is_some(), stretch.first));
        let part = ui.interact(bar.intersect(area), id, Sense::hover());
        part.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &name));
    }
    let stroked = state.timeline.stroked.as_ref();
    if let Some(stroked) = stroked.filter(|s| s.joint.as_deref() == joint) {
        let bar = bar(axis, area, stroked.frames());
        painter.rect_filled(bar, 2, color(state.timeline.brush.0).gamma_multiply(0.4));
        let line = Stroke::new(1.5, color(state.timeline.brush.0));
        painter.rect_stroke(bar, 2, line, StrokeKind::Inside);
        let text = words(state, stroked.frames(), whose);
        egui::Tooltip::always_open(
            ui.ctx().clone(),
            ui.layer_id(),
            ui.scope_id().with("importance drag"),
            egui::PopupAnchor::Pointer,
        )
        .gap(16.0)
        .show(|ui| ui.add(egui::Label::new(text).extend()));
    } else if let Some(pointer) = response.hover_pos() {
        let frame = axis.frame(pointer.x).round().max(0.0) as usize;
        let under = own.iter().find(|s| s.first <= frame && frame <= s.last);
        let text = hint(whose, under.copied());
        menu(&response.on_hover_text(text), state, joint);
        return;
    }
    menu(&response, state, joint);
}

fn hint(whose: &str, under: Option<&FrameImportance>) -> String {
    let how = "Drag to paint with the brush at the left; right click for brushes and to erase";
    match under {
        Some(s) => format!(
            "{} of {whose}, frames {} to {}\n{how}",
            factor_name(s.factor),
            s.first,
            s.last
        ),
        None => format!(
            "Importance of {whose}: how many times errors count against the target, frame by frame\n{how}\ncompact gives \
             each frame its share; the others are held to the strictest as a whole"
        ),
    }
}

/// What would be painted, and what that means.
fn words(state: &State, (first, last): (usize, usize), whose: &str) -> String {
    let brush = state.timeline.brush;
    let what = format!("{} in {whose}, frames {first} to {last}", brush.name());
    let budget = state.result().map(|r| r.settings.budget);
    match (brush.0, budget) {
        (Some(factor), Some(Budget::Skin { target_m })) => format!(
            "{what}\nOff by at most {} there",
            units::show_mm(target_m / factor)
        ),
        _ => what,
    }
}

fn begin(
    response: &Response,
    state: &mut State,
    axis: &TimeAxis,
    joint: Option<&str>,
    last: usize,
) {
    if response.hovered() || response.dragged() {
        response.ctx.set_cursor_icon(CursorIcon::Crosshair);
    }
    if !response.drag_started_by(PointerButton::Primary) {
        return;
    }
    if let Some(origin) = response.ctx.input(|i| i.pointer.press_origin()) {
        let at = (axis.frame(origin.x).round().max(0.0) as usize).min(last);
        state.timeline.stroked = Some(Stroked {
            joint: joint.map(str::to_owned),
            from: at,
            to: at,
        });
    }
}

/// Goes on with a drag, paints when the button is let go, and lets it be with Escape.
fn follow(ui: &Ui, state: &mut State, axis: &TimeAxis, last: usize) {
    let Some(mut stroked) = state.timeline.stroked.take() else {
        return;
    };
    let (pointer, down, escaped) = ui.input(|i| {
        let down = i.pointer.primary_down();
        (i.pointer.latest_pos(), down, i.key_pressed(Key::Escape))
    });
    if escaped {
        return;
    }
    if let Some(pointer) = pointer {
        stroked.to = (axis.frame(pointer.x).round().max(0.0) as usize).min(last);
    }
    if down {
        state.timeline.stroked = Some(stroked);
        return;
    }
    let factor = state.timeline.brush.0;
    let joint = stroked.joint.as_deref();
    let list = painted_importance(&stretches(state), joint, stroked.frames(), factor);
    state.change(Change::Importance(list), None);
}

/// Brushes and erasing, on a right click.
fn menu(response: &Response, state: &mut State, joint: Option<&str>) {
    response.context_menu(|ui| {
        ui.weak("Paint with");
        brushes(ui, state);
        ui.separator();
        let list = stretches(state);
        let own = list.iter().any(|s| s.joint.as_deref() == joint);
        if ui.add_enabled(own, Button::new("Erase this row")).clicked() {
            let list = painted_importance(&list, joint, (0, usize::MAX), None);
            state.change(Change::Importance(list), None);
            ui.close();
        }
        let any = !list.is_empty();
        let all = ui.add_enabled(any, Button::new("Erase the rows of all joints"));
        if all.clicked() {
            state.change(Change::Importance(Vec::new()), None);
            ui.close();
        }
    });
}

/// A frame is as wide as the way to the next one.
fn bar(axis: &TimeAxis, area: Rect, (first, last): (usize, usize)) -> Rect {
    let x = Rangef::new(axis.x(first as f64 - 0.5), axis.x(last as f64 + 0.5));
    Rect::from_x_y_ranges(x, area.y_range())
}

/// Violet protects, grey relaxes.
fn color(factor: Option<f64>) -> Color32 {
    match factor {
        Some(factor) if factor >= 1.0 => theme::PROTECT,
        Some(_) => theme::RELAX,
        None => theme::TEXT,
    }
}

fn paint(painter: &Painter, bar: Rect, factor: f64) {
    let color = color(Some(factor));
    painter.rect_filled(bar, 2, color.gamma_multiply(0.55));
    // The side of the line says it where no word fits.
    let y = if factor < 1.0 {
        bar.bottom() - 1.0
    } else {
        bar.top() + 1.0
    };
    painter.hline(bar.x_range(), y, Stroke::new(2.0, color));
    let words = [factor_name(factor), format!("×{factor}")];
    let font = FontId::proportional((bar.height() - 1.0).min(9.5));
    let left = bar.left().max(painter.clip_rect().left());
    for text in words {
        let galley = painter.layout_no_wrap(text, font.clone(), Color32::WHITE);
        if galley.size().x + 8.0 > bar.right() - left {
            continue;
        }
        let at = pos2(left + 4.0, bar.center().y);
        let at = Align2::LEFT_CENTER.anchor_size(at, galley.size());
        painter.galley(at.min, galley, Color32::WHITE);
        return;
    }
}
