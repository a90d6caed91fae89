//! Sheets that ask for files: what to open, and where an export goes.
//!
//! They need nothing of the desktop: a path is typed or found in a list, by keyboard alone if need be. The desktop's own
//! dialog is one button away, and where there is none the sheet says so.

mod export;
mod folder_list;
mod open;

pub use export::ExportSheet;
pub(super) use export::{export_ui, open_export};
pub use open::{OpenFor, OpenSheet};
pub(super) use open::{open_open, open_ui};

use super::dialogs::{Answer, Ask};
use super::panels::focus_first;
use super::shell::{Request, Sheet};
use super::state::State;
use super::theme;
use eframe::egui::text::{CCursor, CCursorRange};
use eframe::egui::{
    self, Button, Color32, Id, Key, Modal, Response, RichText, TextEdit, Ui, WidgetInfo, vec2,
};
use std::path::{Path, PathBuf};

/// A sheet in the middle of the window, which is dimmed behind it.
fn sheet_frame(ui: &Ui, title: &str, width: f32, content: impl FnOnce(&mut Ui)) {
    let room = ui.ctx().content_rect().width() - 60.0;
    let frame = egui::Frame::window(ui.style()).inner_margin(16);
    Modal::new(Id::unique("file sheet"))
        .backdrop_color(Color32::from_black_alpha(120))
        .frame(frame)
        .show(ui.ctx(), |ui| {
            ui.set_width(width.min(room));
            ui.label(theme::semibold(title, 16.0).color(Color32::WHITE));
            ui.add_space(6.0);
            content(ui);
        });
}

/// A line for a path, and the button that asks the desktop for one. Says whether Enter was pressed in it.
fn path_line(ui: &mut Ui, name: &'static str, path: &mut String, hint: &str) -> (Response, bool) {
    let edit = TextEdit::singleline(path)
        .id(Id::unique(name))
        .hint_text(hint)
        .margin(egui::Margin::symmetric(8, 5))
        .desired_width((ui.available_width() - 106.0).max(100.0));
    let response = ui.add(edit);
    let id = response.id;
    ui.ctx()
        .accesskit_node_builder(id, |node| node.set_label(name));
    let entered = response.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
    focus_first(ui, &response);
    (response, entered)
}

/// Puts a path into a line, with the cursor behind it.
fn set_path(ui: &Ui, name: &'static str, line: &mut String, path: String) {
    let id = Id::unique(name);
    let mut state = egui::text_edit::TextEditState::load(ui.ctx(), id).unwrap_or_default();
    let end = CCursor::new(path.chars().count());
    state.cursor.set_char_range(Some(CCursorRange::one(end)));
    state.store(ui.ctx(), id);
    *line = path;
    ui.memory_mut(|m| m.request_focus(id));
}

/// The button for the desktop's own dialog.
fn browse(ui: &mut Ui, requests: &mut Vec<Request>, ask: Ask) {
    let button = ui.add(Button::new("Browse…").min_size(vec2(96.0, 26.0)));
    if button
        .on_hover_text("Asks with the file dialog of the desktop")
        .clicked()
    {
        requests.push(Request::Browse(ask));
    }
}

/// The button that does what the sheet is for.
fn act(ui: &mut Ui, enabled: bool, text: &str) -> Response {
    let words = theme::semibold(text, 13.5).color(theme::PANEL);
    let button = Button::new(words)
        .fill(theme::ACCENT)
        .min_size(vec2(96.0, 28.0));
    ui.add_enabled(enabled, button)
}

/// Text in an unobtrusive size that may take several lines.
fn told(ui: &mut Ui, text: impl Into<String>, color: Color32) {
    let text = RichText::new(text).size(12.5).color(color);
    ui.add(egui::Label::new(text).wrap());
}

/// A row of a list that is clicked: `words` for those who do not see it.
fn list_row(ui: &mut Ui, chosen: bool, words: &str) -> Response {
    let size = vec2(ui.available_width(), 24.0);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::click());
    response.widget_info(|| WidgetInfo::selected(egui::Role::ListBoxOption, true, chosen, words));
    let lit = response.hovered() || response.has_focus();
    super::panels::paint_row_back(ui, rect, chosen, lit);
    response
}

/// What a person typed, as a path from the root: `~` is the home folder, spaces around it do not count.
fn typed_path(text: &str) -> Option<PathBuf> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let home = std::env::var_os("HOME").filter(|_| text == "~" || text.starts_with("~/"));
    let path = match home {
        Some(home) => Path::new(&home).join(text[1..].trim_start_matches('/')),
        None => PathBuf::from(text),
    };
    std::path::absolute(path).ok()
}

/// A folder as it stands in a line: with a separator at its end, so that a name can be typed behind it.
fn folder_text(folder: &Path) -> String {
    let mut text = folder.display().to_string();
    if !text.ends_with(std::path::is_separator) {
        text.push(std::path::MAIN_SEPARATOR);
    }
    text
}

/// What the desktop's dialog came to.
pub(super) fn answered(state: &mut State, answer: &Answer) {
    let nothing = if answer.missing {
        "This desktop shows no file dialog: it has neither a portal nor zenity. Type the path here, or choose it in the list"
    } else {
        "Nothing was chosen in the desktop's dialog"
    };
    match (answer.ask, answer.paths.first()) {
        (Ask::ExportFolder, Some(folder)) => state.shell.export_sheet.set_folder(folder),
        (Ask::ExportFolder, None) => state.shell.export_sheet.said = nothing.into(),
        (Ask::Open | Ask::OpenFolder, Some(_)) => {
            state.shell.sheet = None;
            super::open::open(state, &answer.paths);
        }
        (Ask::Characters, Some(_)) => {
            state.shell.sheet = None;
            super::open::measure_on(state, &answer.paths);
        }
        (Ask::Open | Ask::OpenFolder | Ask::Characters, None) => {
            state.shell.open_sheet.said = nothing.into();
        }
    }
}

/// Closes the sheet that is open.
fn close(state: &mut State) {
    state.shell.sheet = None;
}

/// Opens a sheet.
fn show(state: &mut State, sheet: Sheet) {
    state.shell.sheet = Some(sheet);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_becomes_a_path_from_the_root() {
        assert_eq!(typed_path("  "), None);
        assert_eq!(typed_path(" /a/b "), Some("/a/b".into()));
        let here = std::env::current_dir().expect("a folder");
        assert_eq!(typed_path("clips"), Some(here.join("clips")));
        if let Some(home) = std::env::var_os("HOME") {
            let home = PathBuf::from(home);
            assert_eq!(typed_path("~/clips"), Some(home.join("clips")));
            assert_eq!(typed_path("~"), Some(home.join("")));
        }
        assert_eq!(folder_text(Path::new("/a/b")), "/a/b/");
        assert_eq!(folder_text(Path::new("/")), "/");
    }
}
