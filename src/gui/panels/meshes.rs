//! What skin errors are measured on: the meshes that the joints move, each of which can be left out.

use crate::gui::sheets::{OpenFor, open_open};
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{section, small_button};
use crate::metrics::ErrorMetric;
use crate::model::{Skin, is_left_out, left_out_with};
use crate::session::{Change, Document, character_name};
use eframe::egui::{
    self, Button, Checkbox, Label, Layout, RichText, ScrollArea, Ui, WidgetInfo, vec2,
};
use std::collections::HashMap;

const ROW: f32 = 22.0;

/// Rows that are seen at once.
const ROWS: f32 = 7.0;

/// Room for what stands on the right of a row, points.
const FACTS: f32 = 120.0;

/// Most joints that a tooltip names.
const MOST_NAMED: usize = 60;

/// A mesh by its name: several with one name are one.
struct Row<'a> {
    name: &'a str,
    vertices: usize,
    /// Why one of that name was not read.
    unread: Option<&'a str>,
}

/// The meshes of the selected clip.
pub(super) fn meshes_ui(ui: &mut Ui, state: &mut State) {
    let Some((clip, id)) = state.clip().cloned().zip(state.session.selected()) else {
        return;
    };
    let Some(settings) = state.session.edits(id).map(|e| &e.settings) else {
        return;
    };
    let (left_out, metric) = (settings.left_out.clone(), settings.metric);
    section(ui, "Measured on", |ui| {
        let button = ui.add(Button::new(RichText::new("Measure on…").size(12.0)).small());
        let why =
            "Measure and show the clips of this file on the meshes of a character in another file";
        if button.on_hover_text(why).clicked() {
            open_open(state, OpenFor::Characters);
        }
    });
    characters_ui(ui, state, id.document);
    let rows = rows(clip.skin());
    if metric == ErrorMetric::Shell || rows.is_empty() {
        let text = if metric == ErrorMetric::Shell {
            "Points around the joints: these settings ask for shells"
        } else {
            "Points around the joints: they move no mesh"
        };
        ui.add(Label::new(theme::hint(text)).wrap());
    }
    let names: Vec<&str> = rows.iter().map(|r| r.name).collect();
    let mut changed = None;
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let area = ScrollArea::vertical().id_salt("meshes");
        area.max_height(ROWS * ROW)
            .show_rows(ui, ROW, rows.len(), |ui, range| {
                for row in &rows[range] {
                    let counts = !is_left_out(&left_out, row.name);
                    if row_ui(ui, row, counts) {
                        changed = Some(left_out_with(&left_out, &names, row.name, !counts));
                    }
                }
            });
    });
    if let Some(left_out) = changed {
        state.change(Change::LeftOut(left_out), None);
    }
}

/// The characters whose meshes take the place of the file's own.
fn characters_ui(ui: &mut Ui, state: &mut State, document: usize) {
    let worn = state.session.document(document).map(Document::worn);
    let mut gone = None;
    for one in worn.unwrap_or_default() {
        let name = character_name(&one.path);
        ui.horizontal(|ui| {
            let (text, color) = match (&one.hash, one.missing.len()) {
                (None, _) => ("not read".to_owned(), theme::WARNING),
                (Some(_), 0) => ("all joints found".to_owned(), theme::FAINT),
                (Some(_), 1) => ("1 joint not found".to_owned(), theme::WARNING),
                (Some(_), n) => (format!("{n} joints not found"), theme::WARNING),
            };
            let about = match one.hash {
                None => one.why.clone(),
                Some(_) => one
                    .missing_words(MOST_NAMED)
                    .unwrap_or_else(|| text.clone()),
            };
            ui.with_layout(Layout::right_to_left(egui::Align::Center), |ui| {
                let icon = egui_material_icons::icons::ICON_CLOSE.codepoint;
                if small_button(ui, icon, &format!("Do not measure on {name}")).clicked() {
                    gone = Some(one.path.clone());
                }
                let text = RichText::new(text).size(12.0).color(color);
                ui.label(text).on_hover_text(about);
                ui.with_layout(Layout::left_to_right(egui::Align::Center), |ui| {
                    let name = Label::new(theme::medium(name, 12.5)).truncate();
                    ui.add(name).on_hover_text(&one.path);
                });
            });
        });
    }
    if let Some(path) = gone {
        state.session.take_off(document, &path);
    }
}

/// Cost: linear; it is done for every picture.
fn rows(skin: &Skin) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    let parts = skin.parts.iter().map(|p| (&p.name, p.vertices(), None));
    let unread = skin.unread.iter().map(|u| (&u.name, 0, Some(&u.why)));
    for (name, vertices, why) in parts.chain(unread) {
        let place = *places.entry(name).or_insert(rows.len());
        if place == rows.len() {
            rows.push(Row {
                name,
                vertices: 0,
                unread: None,
            });
        }
        let row = &mut rows[place];
        row.vertices += vertices;
        row.unread = row.unread.or(why.map(String::as_str));
    }
    rows
}

/// Returns whether the box was clicked.
fn row_ui(ui: &mut Ui, row: &Row<'_>, counts: bool) -> bool {
    let size = vec2(ui.available_width(), ROW);
    let layout = Layout::left_to_right(egui::Align::Center);
    let show = |ui: &mut Ui| {
        let mut on = counts;
        let name = RichText::new(row.name).size(12.5);
        let room = vec2((ui.available_width() - FACTS).max(40.0), ROW);
        let box_ui = |ui: &mut Ui| {
            ui.set_min_width(room.x);
            ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Truncate);
            ui.add(Checkbox::new(&mut on, name))
        };
        let response = ui.allocate_ui_with_layout(room, layout, box_ui).inner;
        response.widget_info(|| {
            let label = format!("Mesh {} counts", row.name);
            WidgetInfo::selected(egui::Role::CheckBox, true, counts, label)
        });
        let clicked = response.changed();
        let why = "A mesh that does not count is neither measured nor shown: levels of detail, props that a game hides";
        response.on_hover_text(format!("{}\n{why}", row.name));
        ui.with_layout(Layout::right_to_left(egui::Align::Center), |ui| {
            facts_ui(ui, row);
        });
        clicked
    };
    ui.allocate_ui_with_layout(size, layout, show).inner
}

/// What is known of a mesh.
fn facts_ui(ui: &mut Ui, row: &Row<'_>) {
    let Some(why) = row.unread else {
        let vertices = match row.vertices {
            1 => "1 vertex".to_owned(),
            n => format!("{n} vertices"),
        };
        ui.label(theme::hint(vertices));
        return;
    };
    let text = format!("not read: {why}");
    let shown = RichText::new(&text).size(12.0).color(theme::WARNING);
    ui.add(Label::new(shown).truncate()).on_hover_text(text);
}
