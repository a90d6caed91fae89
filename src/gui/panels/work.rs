//! What the worker does, at the right of the status line: progress, cancel, go on.

use crate::gui::actions::Action;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::small_button;
use eframe::egui::{self, RichText, Ui};
use std::path::Path;

fn line(text: impl Into<String>) -> RichText {
    RichText::new(text).size(12.0).color(theme::WEAK)
}

/// From the right: what goes on and how to stop it, and whether something is not saved.
pub(super) fn work_ui(ui: &mut Ui, state: &mut State) {
    let cancel = egui_material_icons::icons::ICON_CLOSE.codepoint;
    if let Some(done) = state.session.exporting() {
        if small_button(ui, cancel, "Cancel the export").clicked() {
            state.session.cancel_export();
        }
        ui.label(line(format!("exporting, {:.0} %", 100.0 * done)));
        return;
    }
    let busy = state.session.busy_clips();
    let (done, clips) = state.session.compressed_clips();
    let mut works = true;
    if let Some((done, files)) = state.session.opening() {
        if small_button(ui, cancel, "Cancel opening files").clicked() {
            state.session.cancel_opening();
            state.shell.happened = format!("Opened {done} of {files} files");
        }
        let text = match files {
            0 => "looking for clips".to_owned(),
            files => format!("opened {done} of {files} files"),
        };
        ui.label(line(text))
            .on_hover_text("Files that are loaded, of all that were asked for");
    } else if let Some(path) = state.session.loading().first() {
        ui.label(line(format!("loading {}", file_name(path))));
    } else if busy > 0 {
        if small_button(ui, cancel, "Cancel all compressing").clicked() {
            Action::CancelAll.run(state, &ui.ctx().clone());
        }
        let text = if clips == 1 {
            "compressing".to_owned()
        } else {
            format!("compressed {done} of {clips} clips")
        };
        ui.label(line(text))
            .on_hover_text("Clips that are compressed with their settings, of all");
    } else if done < clips {
        if ui.small_button("Go on").clicked() {
            Action::GoOn.run(state, &ui.ctx().clone());
        }
        let text = format!("cancelled {} of {clips} clips", clips - done);
        ui.label(line(text).color(theme::WARNING))
            .on_hover_text("Their compression was cancelled; it can go on");
        works = false;
    } else {
        let text = match state.session.documents().len() {
            0 => "no file open".into(),
            1 => "1 file open".into(),
            n => format!("{n} files open"),
        };
        ui.label(line(text)).on_hover_text("What the worker does");
        works = false;
    }
    if works {
        let (rect, _) = ui.allocate_exact_size(egui::vec2(8.0, 8.0), egui::Sense::hover());
        ui.painter()
            .circle_filled(rect.center(), 3.5, theme::ACCENT);
    }
    if state.session.is_dirty() {
        let why = "Decisions that are not in the file beside the source yet\nCtrl+S saves; after a crash they are offered again";
        ui.label(line("unsaved decisions").color(theme::WARNING))
            .on_hover_text(why);
    }
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map_or_else(String::new, |n| n.to_string_lossy().into_owned())
}
