//! What stands over and under the rows: filter, what is done to the selected ones, totals.

use super::bulk::{self, ToRows, clips};
use super::columns::grouped;
use super::figures::Figures;
use super::lines::StatusFilter;
use crate::gui::actions::clip_title;
use crate::gui::panels::verdict_mark;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{Mark, mm_text, small_button};
use crate::session::{ClipId, Preset, units};
use eframe::egui::{
    self, Button, ComboBox, Label, RichText, TextEdit, Ui, ViewportCommand, WidgetInfo, vec2,
};

/// Filter, status, and what is approved at once.
pub(super) fn filter_bar(ui: &mut Ui, state: &mut State) {
    ui.horizontal_wrapped(|ui| {
        ui.label(theme::semibold("Clips", 14.0).color(theme::TEXT));
        ui.add_space(4.0);
        filter_line(ui, state);
        status_box(ui, state);
        let (shown, all) = (state.table.shown.len(), state.session.clip_ids().count());
        if shown < all {
            ui.label(theme::hint(format!("{shown} of {}", clips(all))));
        }
        let why = "Approves those shown that meet their target and whose feet slide no more than their limit, in one \
                   step; says how many do not";
        let button = ui.add_enabled(shown > 0, Button::new("Approve all that pass"));
        if button.on_hover_text(why).clicked() {
            bulk::approve_passing(state);
        }
    });
}

fn filter_line(ui: &mut Ui, state: &mut State) {
    let id = egui::Id::unique("clip filter");
    let edit = TextEdit::singleline(&mut state.table.filter)
        .id(id)
        .hint_text("filter by name, file or note")
        .margin(egui::Margin::symmetric(8, 3))
        .desired_width(200.0);
    let response = ui
        .add(edit)
        .on_hover_text("Shows clips in whose name, file or notes all these words are (Ctrl+F)");
    ui.ctx()
        .accesskit_node_builder(id, |node| node.set_label("Filter clips"));
    if std::mem::take(&mut state.table.focus_filter) {
        response.request_focus();
    }
    if !state.table.filter.is_empty() {
        let icon = egui_material_icons::icons::ICON_CLOSE.codepoint;
        if small_button(ui, icon, "Clear the filter").clicked() {
            state.table.filter.clear();
        }
    }
}

fn status_box(ui: &mut Ui, state: &mut State) {
    let now = state.table.status;
    let name = StatusFilter::ALL
        .iter()
        .find(|s| s.0 == now)
        .map_or("", |s| s.1);
    let text = RichText::new(format!("Show: {name}")).size(12.5);
    let list = ComboBox::from_id_salt("clip status")
        .selected_text(text)
        .width(140.0)
        .show_ui(ui, |ui| {
            for (status, name, why) in StatusFilter::ALL {
                let row = ui.selectable_label(status == now, name);
                if row.on_hover_text(why).clicked() {
                    state.table.status = status;
                }
            }
        });
    list.response.on_hover_text("Which clips are shown");
}

/// What is done to all selected rows.
pub(super) fn rows_bar(ui: &mut Ui, state: &mut State) {
    let ids = state.table.selected_rows();
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(6.0, 4.0);
        let count = format!("{} selected", clips(ids.len()));
        let color = if ids.len() > 1 {
            theme::ACCENT
        } else {
            theme::WEAK
        };
        ui.label(theme::medium(count, 12.5).color(color))
            .on_hover_text("Ctrl or Shift + click selects several, Ctrl+A all that are shown");
        ui.add_space(4.0);
        ui.add_enabled_ui(!ids.is_empty(), |ui| presets(ui, state, &ids));
        let why = "Gives them the settings in the clipboard (Ctrl+V)";
        if named(
            ui,
            !ids.is_empty(),
            ("Paste settings to rows", "Paste settings"),
            why,
        ) {
            // The text comes as an event.
            ui.ctx().send_viewport_cmd(ViewportCommand::RequestPaste);
        }
        let mut clicked = None;
        for (what, name, text, why) in ToRows::ALL {
            let enabled = what.is_enabled(&state.session, &ids);
            if named(ui, enabled, (name, text), why) {
                clicked = Some(what);
            }
        }
        if let Some(what) = clicked {
            what.run(state, &ids);
        }
    });
}

/// A button with another name for screen readers than its text.
fn named(ui: &mut Ui, enabled: bool, (name, text): (&str, &str), why: &str) -> bool {
    let button = Button::new(RichText::new(text).size(12.5));
    let response = ui.add_enabled(enabled, button);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, enabled, name));
    response.on_hover_text(why).clicked()
}

fn presets(ui: &mut Ui, state: &mut State, ids: &[ClipId]) {
    let arrow = egui_material_icons::icons::ICON_ARROW_DROP_DOWN.codepoint;
    let title = RichText::new(format!("Preset {arrow}")).size(12.5);
    let menu = ui.menu_button(title, |ui| {
        ui.set_min_width(190.0);
        let mut all = Preset::built_in();
        all.extend(state.shell.presets.iter().cloned());
        for preset in all {
            let row = ui.button(&preset.name).on_hover_text(&preset.about);
            if row.clicked() {
                bulk::preset(state, ids, &preset);
                ui.close();
            }
        }
    });
    let enabled = ui.is_enabled();
    let button = menu.response;
    button.widget_info(|| WidgetInfo::labeled(egui::Role::Button, enabled, "Preset for rows"));
    button.on_hover_text("Gives them the settings of a preset; own overrides stay");
}

/// What the rows come to together.
#[derive(Default)]
struct Totals {
    approved: usize,
    bytes: usize,
    /// Of all files; `None` where a clip is part of a glTF file.
    file_bytes: Option<usize>,
    raw_bytes: usize,
    worst: Option<(ClipId, Figures)>,
}

impl Totals {
    fn of(state: &State) -> Self {
        let mut totals = Self {
            file_bytes: Some(0),
            ..Self::default()
        };
        for &id in &state.table.shown {
            let approved = verdict_mark(&state.session, id) == Mark::Approved;
            totals.approved += usize::from(approved);
            let Some(figures) = state.table.figures.known(id) else {
                continue;
            };
            totals.bytes += figures.bytes;
            let files = totals.file_bytes.zip(figures.file_bytes);
            totals.file_bytes = files.map(|(sum, bytes)| sum + bytes);
            totals.raw_bytes += figures.raw_bytes;
            if totals.worst.is_none_or(|(_, w)| figures.max_m > w.max_m) {
                totals.worst = Some((id, figures));
            }
        }
        totals
    }
}

/// The line under the rows.
pub(super) fn totals_ui(ui: &mut Ui, state: &mut State) {
    let totals = Totals::of(state);
    let shown = state.table.shown.len();
    let mut parts = vec![clips(shown), format!("{} approved", totals.approved)];
    let mut tooltip = "Of the clips that are shown".to_owned();
    if let Some((id, worst)) = totals.worst {
        let ratio = totals.raw_bytes as f64 / totals.bytes.max(1) as f64;
        let name = state.session.clip(id).map_or("", |c| c.name());
        let animation = units::show_bytes(totals.bytes);
        parts.push(format!("{animation} animation together"));
        let files = totals.file_bytes.map(units::show_bytes);
        parts.extend(files.map(|bytes| format!("{bytes} in files")));
        parts.push(format!("{ratio:.1}×"));
        parts.push(format!(
            "worst error {} mm in {}",
            mm_text(worst.max_m),
            clip_title(name, id.clip)
        ));
        tooltip += &format!(
            "\n{} bytes of animation instead of {} as full frames of ten floats a joint",
            grouped(totals.bytes),
            grouped(totals.raw_bytes)
        );
    }
    ui.horizontal(|ui| {
        ui.set_min_height(20.0);
        let text = RichText::new(parts.join("  ·  ")).size(12.5);
        let label = Label::new(text.color(theme::TEXT)).truncate();
        ui.add(label).on_hover_text(tooltip);
    });
}
