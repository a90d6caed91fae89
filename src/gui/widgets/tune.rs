use super::handle::{Handle, asked};
use super::quantity::Quantity;
use crate::gui::theme;
use crate::gui::within::Within as _;
use eframe::egui::{
    self, Align, CursorIcon, Id, Key, Rect, Response, RichText, Sense, Stroke, TextEdit, Ui, Vec2,
    WidgetInfo, pos2, vec2,
};

const LABEL_WIDTH: f32 = 74.0;
const BOX_WIDTH: f32 = 86.0;
const REVERT_WIDTH: f32 = 18.0;
const HEIGHT: f32 = 23.0;
const HANDLE_RADIUS: f32 = 6.0;

/// How an arrow key moves a focused slider.
const KEY_STEP: f64 = 0.02;

/// Whether a value is set here or comes from elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// Set here: drawn strong.
    Own,
    /// Comes from elsewhere: drawn weak until it is touched.
    Inherited,
}

/// What a person did to a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Tuned {
    /// A drag began.
    Start(f64),
    /// It goes on; reported every frame.
    Move(f64),
    /// It ended.
    End(f64),
    /// One step: typed, or an arrow key.
    Set(f64),
    /// Right click or the arrow: back to what is inherited or the default.
    Reset,
    /// Typed, but not a value; the sentence says why.
    Refused(String),
}

/// A line with a label, a logarithmic slider, and a box in which units can be typed.
///
/// Shift drags ten times finer, a right click resets, arrow keys move it while it has the focus.
pub struct TuneRow<'a> {
    /// Short, as shown.
    pub label: &'a str,
    /// Unique in the window: for screen readers and tests.
    pub name: &'a str,
    /// What it is, its unit, and what larger and smaller do.
    pub tooltip: &'a str,
    /// Unit and range.
    pub quantity: Quantity,
    /// The value as it is stored.
    pub value: f64,
    /// Whether it is set here.
    pub strength: Strength,
    /// Tooltip of the arrow that goes back; `None` keeps no room for it.
    pub revert: Option<&'a str>,
}

impl TuneRow<'_> {
    /// The box of the row with a name, to give it the focus.
    pub fn box_id(name: &str) -> Id {
        Id::unique((name, "typed"))
    }

    /// Shows it on one line, as wide as there is room.
    pub fn show(&self, ui: &mut Ui) -> Option<Tuned> {
        let mut tuned = None;
        ui.allocate_ui(vec2(ui.available_width(), HEIGHT), |ui| {
            ui.horizontal_centered(|ui| {
                ui.spacing_mut().item_spacing.x = 6.0;
                self.label(ui);
                let revert = if self.revert.is_some() {
                    REVERT_WIDTH + 6.0
                } else {
                    0.0
                };
                let width = (ui.available_width() - BOX_WIDTH - 6.0 - revert).max(40.0);
                let slider = self.slider(ui, width);
                let typed = self.typed(ui);
                let reverted = self.revert_arrow(ui);
                tuned = reverted.or(typed).or(slider);
            });
        });
        tuned
    }

    /// Shows the label above slider and box, for the one value that matters most.
    pub fn show_large(&self, ui: &mut Ui) -> Option<Tuned> {
        ui.label(RichText::new(self.label).color(theme::TEXT))
            .on_hover_text(self.tooltip);
        let mut tuned = None;
        ui.allocate_ui(vec2(ui.available_width(), HEIGHT), |ui| {
            ui.horizontal_centered(|ui| {
                let width = (ui.available_width() - BOX_WIDTH - 12.0).max(40.0);
                let slider = self.slider(ui, width);
                ui.add_space(4.0);
                tuned = self.typed(ui).or(slider);
            });
        });
        tuned
    }

    fn label(&self, ui: &mut Ui) {
        let color = match self.strength {
            Strength::Own => theme::TEXT,
            Strength::Inherited => theme::WEAK,
        };
        let font = match self.strength {
            Strength::Own => theme::medium(self.label, 13.0),
            Strength::Inherited => RichText::new(self.label),
        };
        let (rect, response) = ui.allocate_exact_size(vec2(LABEL_WIDTH, HEIGHT), Sense::hover());
        let mut child = ui.new_child(
            egui::UiBuilder::new()
                .max_rect(rect)
                .layout(egui::Layout::left_to_right(Align::Center)),
        );
        child.add(egui::Label::new(font.color(color)).truncate());
        response.on_hover_text(self.tooltip);
    }

    fn slider(&self, ui: &mut Ui, width: f32) -> Option<Tuned> {
        let (rect, response) = ui.allocate_exact_size(vec2(width, HEIGHT), Sense::drag());
        let shown = self.quantity.shown(self.value);
        response.widget_info(|| WidgetInfo::slider(ui.is_enabled(), shown, self.name));
        let rail = rect.shrink2(vec2(HANDLE_RADIUS, 0.0));
        let handle = Handle {
            rail,
            position: self.quantity.position(self.value),
            value: &|t| self.quantity.value(t),
            key_step: KEY_STEP,
        };
        let (position, tuned) = handle.moved(ui, &response);
        let tuned = tuned.or_else(|| asked(ui, response.id, self.quantity));
        self.paint(ui, rail, position, &response);
        let reset = response.hovered() && ui.input(|i| i.pointer.secondary_clicked());
        // No tooltip here: it would hide the result that the drag is about. Label and box have it.
        response.on_hover_cursor(CursorIcon::ResizeHorizontal);
        if reset { Some(Tuned::Reset) } else { tuned }
    }

    fn paint(&self, ui: &Ui, rail: Rect, position: f64, response: &Response) {
        let x = rail.left() + rail.width() * position.within(0.0, 1.0) as f32;
        let y = rail.center().y;
        let bar = |from: f32, to: f32| Rect::from_min_max(pos2(from, y - 2.0), pos2(to, y + 2.0));
        let color = match (self.strength, ui.is_enabled()) {
            (Strength::Own, true) => theme::ACCENT,
            _ => theme::FAINT,
        };
        let painter = ui.painter();
        painter.rect_filled(bar(rail.left() - 4.0, rail.right() + 4.0), 2, theme::SUNK);
        painter.rect_filled(bar(rail.left() - 4.0, x), 2, color);
        let active = response.hovered() || response.dragged() || response.has_focus();
        let knob = match self.strength {
            Strength::Own => color,
            Strength::Inherited => theme::WEAK,
        };
        if active {
            painter.circle_filled(pos2(x, y), HANDLE_RADIUS + 3.0, knob.gamma_multiply(0.25));
        }
        painter.circle(
            pos2(x, y),
            HANDLE_RADIUS,
            knob,
            Stroke::new(1.5, theme::PANEL),
        );
    }

    fn typed(&self, ui: &mut Ui) -> Option<Tuned> {
        let id = Self::box_id(self.name);
        let shown = self.quantity.show(self.value);
        let editing = ui.memory(|m| m.has_focus(id));
        let kept: Option<String> = ui.data(|d| d.get_temp(id));
        // The focus may have been given from elsewhere, a frame before.
        let fresh = kept.is_none();
        let mut text = if editing {
            kept.unwrap_or_else(|| shown.clone())
        } else {
            shown.clone()
        };
        let color = match self.strength {
            Strength::Own => theme::TEXT,
            Strength::Inherited => theme::WEAK,
        };
        let output = TextEdit::singleline(&mut text)
            .id(id)
            .desired_width(BOX_WIDTH)
            .margin(egui::Margin::symmetric(8, 3))
            .align(egui::Align2::RIGHT_CENTER)
            .font(theme::medium_font(12.5))
            .text_color(color)
            .show(ui);
        let response = output.response.response;
        // The focus ring and the text make it a text box; the name says which.
        ui.ctx()
            .accesskit_node_builder(id, |node| node.set_label(self.name));
        if fresh && response.has_focus() {
            select_all(ui, id, &text);
            response.scroll_to_me(None);
        }
        if response.has_focus() {
            ui.data_mut(|d| d.insert_temp(id, text.clone()));
        }
        let left = response.lost_focus();
        response.on_hover_text(format!(
            "{}\nType a value, with a unit if you like",
            self.tooltip
        ));
        if !left {
            return None;
        }
        ui.data_mut(|d| d.remove::<String>(id));
        if text.trim() == shown || ui.input(|i| i.key_pressed(Key::Escape)) {
            return None;
        }
        Some(match self.quantity.parse(&text) {
            Ok(value) => Tuned::Set(value),
            Err(reason) => Tuned::Refused(reason),
        })
    }

    fn revert_arrow(&self, ui: &mut Ui) -> Option<Tuned> {
        let tooltip = self.revert?;
        let size = Vec2::new(REVERT_WIDTH, HEIGHT);
        if self.strength == Strength::Inherited {
            ui.allocate_exact_size(size, Sense::hover());
            return None;
        }
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let label = format!("Revert {}", self.name);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &label));
        let color = if response.hovered() {
            theme::ACCENT
        } else {
            theme::WEAK
        };
        ui.painter().text(
            rect.center(),
            egui::Align2::CENTER_CENTER,
            egui_material_icons::icons::ICON_UNDO.codepoint,
            egui::FontId::proportional(15.0),
            color,
        );
        let clicked = response.clicked();
        response.on_hover_text(tooltip);
        clicked.then_some(Tuned::Reset)
    }
}

fn select_all(ui: &Ui, id: Id, text: &str) {
    let Some(mut state) = egui::text_edit::TextEditState::load(ui.ctx(), id) else {
        return;
    };
    let end = text.chars().count();
    let range =
        egui::text::CCursorRange::two(egui::text::CCursor::new(0), egui::text::CCursor::new(end));
    state.cursor.set_char_range(Some(range));
    state.store(ui.ctx(), id);
}
