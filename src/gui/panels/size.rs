use super::top_bar::unit_text;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::section;
use crate::session::{Command, Notice, units};
use eframe::egui::{
    self, Align, Color32, CornerRadius, Rect, RichText, Sense, TextEdit, Ui, pos2, vec2,
};

/// How large the deliverable is, and what of.
pub(super) fn size_ui(ui: &mut Ui, state: &mut State) {
    let Some(result) = state.result().cloned() else {
        return;
    };
    section(ui, "Size", |_| {});
    let full = "Bytes of full frames of ten floats a joint and one a morph weight";
    let ours = "Bytes of the animation in the deliverable: what the ratio counts";
    ui.horizontal(|ui| {
        ui.set_min_height(26.0);
        let raw = RichText::new(units::show_bytes(result.raw_bytes)).size(13.0);
        ui.label(raw.color(theme::WEAK)).on_hover_text(full);
        ui.label(RichText::new("→").color(theme::FAINT));
        let size = theme::semibold(units::show_bytes(result.animation_bytes), 19.0);
        ui.label(size.color(Color32::WHITE)).on_hover_text(ours);
        ui.with_layout(egui::Layout::right_to_left(Align::Center), |ui| {
            let ratio = theme::semibold(format!("{:.1}×", result.ratio()), 19.0);
            ui.label(ratio.color(theme::ACCENT))
                .on_hover_text("Full frames of floats divided by the animation");
        });
    });
    let parts: Vec<(String, usize)> = result.parts();
    stacked(ui, &parts);
    ui.scope(|ui| legend(ui, &parts));
}

fn stacked(ui: &mut Ui, parts: &[(String, usize)]) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 9.0), Sense::hover());
    let total = parts.iter().map(|p| p.1).sum::<usize>().max(1) as f32;
    let mut x = rect.left();
    for (k, (name, bytes)) in parts.iter().enumerate() {
        let width = rect.width() * *bytes as f32 / total;
        let part = Rect::from_min_max(
            pos2(x, rect.top()),
            pos2((x + width - 1.5).max(x + 1.0), rect.bottom()),
        );
        let color = theme::PARTS[k.min(theme::PARTS.len() - 1)];
        ui.painter().rect_filled(part, CornerRadius::same(2), color);
        let id = ui.scope_id().with(("part", k));
        ui.interact(part, id, Sense::hover()).on_hover_text(format!(
            "{}: {} ({:.1} %)",
            part_name(name),
            units::show_bytes(*bytes),
            100.0 * *bytes as f32 / total
        ));
        x += width;
    }
}

/// The name of a section in plain words.
fn part_name(section: &str) -> &str {
    match section {
        "clip" => "clip info",
        "rest" => "rest pose",
        "order" => "joint order",
        other => other,
    }
}

fn legend(ui: &mut Ui, parts: &[(String, usize)]) {
    let total = parts.iter().map(|p| p.1).sum::<usize>().max(1) as f32;
    ui.spacing_mut().interact_size.y = 15.0;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(2.0, 2.0);
        for (k, (name, bytes)) in parts.iter().enumerate() {
            let color = theme::PARTS[k.min(theme::PARTS.len() - 1)];
            let share = 100.0 * *bytes as f32 / total;
            let text = format!("{} {share:.0} %", part_name(name));
            let font = egui::FontId::proportional(11.5);
            let text = ui.painter().layout_no_wrap(text, font, theme::FAINT);
            let size = vec2(text.size().x + 18.0, text.size().y.max(14.0));
            // One piece, so that a dot is never parted from its word.
            let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
            let dot = rect.left_center() + vec2(4.0, 0.0);
            ui.painter().circle_filled(dot, 3.5, color);
            let at = pos2(rect.left() + 11.0, rect.center().y - 0.5 * text.size().y);
            ui.painter().galley(at, text, theme::FAINT);
        }
    });
}

/// What a unit of the file is, and why that is thought.
pub(super) fn unit_ui(ui: &mut Ui, state: &mut State) {
    let selected = state.session.selected();
    let Some(document) = selected.and_then(|id| state.session.document(id.document)) else {
        return;
    };
    let number = document.number();
    let (unit_m, reason) = (document.edits.unit_m, document.asset.unit_reason.clone());
    let guess = document.asset.unit_m;
    let why = "How many metres one unit of the file is; all millimetres follow it\nType a length: 1cm, 0.01m, 25.4mm";
    let mut typed = None;
    section(ui, "One unit of the file is", |ui| {
        typed = unit_box(ui, unit_m, why);
        if unit_m != guess && ui.small_button("Use the guess").clicked() {
            set_unit(state, number, guess);
        }
    });
    if !reason.is_empty() {
        ui.add(egui::Label::new(theme::hint(reason)).wrap());
    }
    match typed.map(|t| units::parse_length_m(&t)) {
        Some(Ok(unit_m)) => set_unit(state, number, unit_m),
        Some(Err(reason)) => state
            .session
            .notify(Notice::warning("The unit stays as it was", reason)),
        None => {}
    }
}

/// A box for a length; returns what was typed.
fn unit_box(ui: &mut Ui, unit_m: f64, tooltip: &str) -> Option<String> {
    let id = egui::Id::unique("unit of the file");
    let kept: Option<String> = ui.data(|d| d.get_temp(id));
    let shown = unit_text(unit_m);
    let mut text = kept.unwrap_or_else(|| shown.clone());
    let edit = TextEdit::singleline(&mut text)
        .id(id)
        .desired_width(76.0)
        .margin(egui::Margin::symmetric(8, 3))
        .font(theme::medium_font(12.5))
        .align(egui::Align2::RIGHT_CENTER);
    let response = ui.add(edit).on_hover_text(tooltip);
    ui.ctx()
        .accesskit_node_builder(id, |node| node.set_label("Unit of the file"));
    if response.has_focus() {
        ui.data_mut(|d| d.insert_temp(id, text.clone()));
    }
    if !response.lost_focus() {
        return None;
    }
    ui.data_mut(|d| d.remove::<String>(id));
    let cancelled = ui.input(|i| i.key_pressed(egui::Key::Escape));
    (!cancelled && text != shown).then_some(text)
}

fn set_unit(state: &mut State, document: usize, unit_m: f64) {
    state
        .session
        .dispatch(&Command::SetUnit { document, unit_m }, None);
}
