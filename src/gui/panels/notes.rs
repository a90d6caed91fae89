use crate::gui::actions::Action;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{rule, section, small_button};
use crate::session::{Change, FrameNote, Verdict};
use eframe::egui::{Align, Label, Layout, RichText, Sense, Ui};

/// What was written about the clip and its frames, and what is no longer what was judged; nothing where nothing is
/// to be said.
pub(super) fn notes_ui(ui: &mut Ui, state: &mut State) {
    let Some(id) = state.session.selected() else {
        return;
    };
    let Some(edits) = state.session.edits(id) else {
        return;
    };
    let notes = edits.notes.clone();
    let rejected = match &edits.verdict {
        Verdict::Rejected { note, .. } if !note.is_empty() => Some(note.clone()),
        _ => None,
    };
    let changed = state.session.changed_since_verdict(id);
    if notes.is_empty() && rejected.is_none() && !changed.any() {
        return;
    }
    section(ui, "Notes", |ui| {
        ui.label(theme::hint("M writes one"));
    });
    if let Some(note) = rejected {
        let text = RichText::new(format!("Rejected: {note}")).size(12.5);
        ui.add(Label::new(text.color(theme::BAD)).wrap());
    }
    if changed.any() {
        let text = RichText::new(format!("Since the verdict {changed}")).size(12.5);
        ui.add(Label::new(text.color(theme::WARNING)).wrap());
    }
    for note in &notes {
        note_row(ui, state, note);
    }
    rule(ui);
}

fn note_row(ui: &mut Ui, state: &mut State, note: &FrameNote) {
    ui.horizontal(|ui| {
        let frame = RichText::new(note.frame.to_string()).size(12.5);
        let go = ui.link(frame.color(theme::ACCENT));
        if go.on_hover_text("Go to this frame").clicked() {
            go_to(state, note.frame);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let icon = egui_material_icons::icons::ICON_CLOSE.codepoint;
            let name = format!("Remove the note on frame {}", note.frame);
            if small_button(ui, icon, &name).clicked() {
                let text = String::new();
                let frame = note.frame;
                state.change(Change::Note(FrameNote { frame, text }), None);
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let text = RichText::new(&note.text).size(12.5);
                let label = Label::new(text).truncate().sense(Sense::click());
                let response = ui.add(label).on_hover_text(&note.text);
                if response.double_clicked() {
                    go_to(state, note.frame);
                    let ctx = ui.ctx().clone();
                    Action::Note.run(state, &ctx);
                }
            });
        });
    });
}

fn go_to(state: &mut State, frame: usize) {
    if let Some(grid) = state.clip().map(|c| c.grid()) {
        state.transport.playing = None;
        state.transport.go_to(frame as f64, &grid);
    }
}
