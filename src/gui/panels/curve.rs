//! Size against error: the curve, and the byte budget below it.

use super::curve_plot::plot_ui;
use crate::codec::Budget;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{choice, fold, small_button};
use crate::session::units::{ByteLimit, Counted, SizeLimit, parse_size_limit, show_bytes, show_mm};
use crate::session::{ByteBudget, ClipId, Notice};
use eframe::egui::{self, Align, Key, RichText, TextEdit, Ui, vec2};

/// How many bytes each skin target costs, to be dragged; and the budget in bytes that finds its target.
pub(super) fn curve_ui(ui: &mut Ui, state: &mut State) {
    let Some(id) = state.session.selected() else {
        return;
    };
    let Some(budget) = state.session.edits(id).map(|e| e.settings.budget) else {
        return;
    };
    let open = state.view.size_curve;
    let status = status(state, id, budget).filter(|_| open);
    let clicked = fold(ui, "Size against error", open, |ui| {
        if let Some((text, why)) = status {
            ui.label(theme::hint(text)).on_hover_text(why);
        }
    });
    if clicked {
        state.view.size_curve = !open;
    }
    // While a hand drags, the machine is for what it drags; while a clip plays, for what it plays.
    let rests = state.shell.gesture.is_none() && state.transport.playing.is_none();
    let wanted = open && !clicked && rests;
    state.session.want_size_curve(wanted);
    if !open {
        return;
    }
    match budget {
        Budget::Skin { target_m } => plot_ui(ui, state, id, target_m),
        Budget::Tolerances => {
            let text = "Tolerances have no one target to draw a curve over: choose “Skin error” above, or type a size";
            ui.add(egui::Label::new(theme::hint(text)).wrap());
        }
    }
    budget_ui(ui, state, id);
}

/// How much of the curve is measured, and how.
fn status(state: &State, id: ClipId, budget: Budget) -> Option<(String, String)> {
    let Budget::Skin { target_m } = budget else {
        return None;
    };
    let curve = state.session.size_curve(id)?;
    let (known, all) = curve.progress(target_m);
    let mut why = "Each point is the clip compressed in full with that skin error and measured on its bytes, while nothing \
                   else is to be done; the lines between only join them\nPoints stay while only the target changes; fold \
                   this up and nothing is measured"
        .to_owned();
    let failed = curve.failed();
    if let Some((target_m, reason)) = failed.first() {
        why += &format!("\nNo point at {}: {reason}", show_mm(*target_m));
    }
    let measured = all - failed.len().min(all);
    let text = if known < all {
        format!("{known} of {all} points")
    } else {
        format!("{measured} points")
    };
    Some((text, why))
}

/// The size that is typed, or the search for it.
fn budget_ui(ui: &mut Ui, state: &mut State, id: ClipId) {
    let search = state.session.fitting(id).cloned();
    // Always one line high: nothing below moves while a search goes on.
    ui.allocate_ui(vec2(ui.available_width(), 23.0), |ui| {
        ui.horizontal_centered(|ui| {
            ui.spacing_mut().item_spacing.x = 6.0;
            ui.label(RichText::new("At most").color(theme::TEXT));
            if let Some(typed) = size_box(ui) {
                let counted = counted(ui);
                fit(state, id, &typed, counted);
            }
            match search {
                Some(search) => search_ui(ui, state, &search),
                None => counted_ui(ui),
            }
        });
    });
}

/// What the budget is about: what was chosen last.
fn counted(ui: &Ui) -> Counted {
    ui.data(|d| d.get_temp(counted_id())).unwrap_or_default()
}

fn counted_id() -> egui::Id {
    egui::Id::unique("counted by the byte budget")
}

/// Whether the budget is for the animation or the file.
fn counted_ui(ui: &mut Ui) {
    let options = [
        (
            Counted::Animation,
            "animation",
            "The budget is for the animation alone: what the clip adds to a game that has its skeleton",
        ),
        (
            Counted::File,
            "file",
            "The budget is for the whole file, with skeleton and rest pose",
        ),
    ];
    if let Some(chosen) = choice(ui, counted(ui), &options, 136.0) {
        ui.data_mut(|d| d.insert_temp(counted_id(), chosen));
    }
}

fn fit(state: &mut State, id: ClipId, typed: &str, counted: Counted) {
    let raw = state.session.clip(id).map_or(0, |c| c.raw_bytes());
    match parse_size_limit(typed) {
        Ok(limit) => {
            let limit = match (limit, counted) {
                (SizeLimit::Bytes(limit), Counted::File) => ByteLimit::file(limit.bytes),
                _ => limit.limit(raw),
            };
            state.session.fit_bytes(id, limit);
        }
        Err(reason) => {
            let notice = Notice::warning("The target stays as it was", reason);
            state.session.notify(notice);
        }
    }
}

fn search_ui(ui: &mut Ui, state: &mut State, search: &ByteBudget) {
    ui.add(egui::Spinner::new().size(12.0));
    let text = search.next_target_m().map_or_else(String::new, |target_m| {
        format!("{}. try, {}", search.tried().len() + 1, show_mm(target_m))
    });
    let tried = search.tried().iter().filter(|t| t.met);
    let tried: Vec<String> = tried
        .map(|t| format!("{}: {}", show_mm(t.target_m), show_bytes(t.bytes)))
        .collect();
    ui.label(theme::hint(text)).on_hover_text(format!(
        "Looking for the smallest skin error that fits in {}\n{}",
        search.limit(),
        tried.join("\n")
    ));
    let icon = egui_material_icons::icons::ICON_CLOSE.codepoint;
    if small_button(ui, icon, "Stop looking for a target").clicked() {
        state.session.cancel_fit();
    }
}

/// A box for a size; returns what was typed when Enter is pressed.
fn size_box(ui: &mut Ui) -> Option<String> {
    let id = egui::Id::unique("byte budget");
    let mut text: String = ui.data(|d| d.get_temp(id)).unwrap_or_default();
    let edit = TextEdit::singleline(&mut text)
        .id(id)
        .hint_text(RichText::new("2 KB").color(theme::FAINT))
        .desired_width(70.0)
        .margin(egui::Margin::symmetric(8, 3))
        .font(theme::medium_font(12.5))
        .align(egui::Align2([Align::Max, Align::Center]));
    let response = ui.add(edit);
    ui.ctx()
        .accesskit_node_builder(id, |node| node.set_label("Byte budget"));
    if response.changed() {
        ui.data_mut(|d| d.insert_temp(id, text.clone()));
    }
    let entered = response.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
    response.on_hover_text(
        "Type a size and press Enter: 2 KB, 1500, or 40x for an animation forty times smaller than full frames\nThe smallest \
         skin error is looked for with which the animation, or the file, is at most that large; every try is \
         compressed in full\nThe target that is found is set as one undo step, and that is what is kept, not the size",
    );
    (entered && !text.trim().is_empty()).then_some(text)
}
