//! What to open: a path that is typed, a list of the folder that it is in, and what was open before.

use super::folder_list::{Entry, FolderList};
use super::{
    act, browse, close, folder_text, list_row, path_line, set_path, sheet_frame, show, told,
    typed_path,
};
use crate::gui::dialogs::Ask;
use crate::gui::open::{measure_on, open};
use crate::gui::shell::Sheet;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::text_at;
use crate::session::units::show_bytes;
use eframe::egui::{
    self, Align2, FontId, Key, Modifiers, Response, RichText, ScrollArea, Ui, pos2, vec2,
};
use std::path::{Path, PathBuf};

const PATH: &str = "Path to open";

/// Height of both lists, points.
const LISTS: f32 = 300.0;

/// Width of the list of what was open before, points.
const RECENT: f32 = 220.0;

/// What something is chosen for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpenFor {
    /// To open a file.
    #[default]
    Clips,
    /// To open all clips below a folder: Enter opens the one that is typed.
    Folder,
    /// To measure the selected clip's file on the meshes of another.
    Characters,
}

impl OpenFor {
    fn title(self) -> &'static str {
        match self {
            Self::Clips => "Open clips",
            Self::Folder => "Open all clips of a folder",
            Self::Characters => "Measure on a character",
        }
    }

    fn ask(self) -> Ask {
        match self {
            Self::Clips => Ask::Open,
            Self::Folder => Ask::OpenFolder,
            Self::Characters => Ask::Characters,
        }
    }
}

/// What is typed and listed.
#[derive(Debug, Default)]
pub struct OpenSheet {
    path: String,
    /// What it is chosen for.
    why: OpenFor,
    list: FolderList,
    /// The row that the arrow keys chose.
    row: Option<usize>,
    /// What came of the last try.
    pub(super) said: String,
}

/// Opens the sheet where the last file was.
pub(in crate::gui) fn open_open(state: &mut State, why: OpenFor) {
    let last = state.shell.recent.first();
    let last = last.map(|p| p.parent().unwrap_or(p).to_owned());
    let folder = last.or_else(|| std::env::current_dir().ok());
    state.shell.open_sheet = OpenSheet {
        path: folder_text(&folder.unwrap_or_default()),
        why,
        ..OpenSheet::default()
    };
    show(state, Sheet::Open);
}

/// What a person did in this frame.
enum Done {
    /// Nothing.
    Nothing,
    /// Look into a folder.
    Into(PathBuf),
    /// Open a file, or all clips below a folder.
    Open(PathBuf),
    /// Neither a file nor a folder is there.
    NotThere(PathBuf),
    /// Leave.
    Leave,
}

/// The sheet.
pub(in crate::gui) fn open_ui(ui: &Ui, state: &mut State) {
    let title = state.shell.open_sheet.why.title();
    let mut done = Done::Nothing;
    sheet_frame(ui, title, 760.0, |ui| {
        let shell = &mut state.shell;
        let sheet = &mut shell.open_sheet;
        let folder = sheet.look();
        let entries = sheet.list.with(&sheet.stem(&folder));
        sheet.choose(ui, entries.len());
        ui.horizontal(|ui| {
            let hint = match sheet.why {
                OpenFor::Characters => "a .glb or a .gltf with meshes on joints of the same names",
                OpenFor::Clips | OpenFor::Folder => "a .glb, a .gltf or a folder",
            };
            let (line, entered) = path_line(ui, PATH, &mut sheet.path, hint);
            if line.changed() {
                sheet.row = None;
                sheet.said.clear();
            }
            if entered {
                done = sheet.entered(&entries);
            }
            browse(ui, &mut shell.requests, sheet.why.ask());
        });
        ui.add_space(6.0);
        let size = vec2(ui.available_width(), LISTS);
        let (rect, _) = ui.allocate_exact_size(size, egui::Sense::hover());
        let (recent, list) = rect.split_left_right_at_x(rect.left() + RECENT);
        let mut column = |rect| ui.new_child(egui::UiBuilder::new().max_rect(rect));
        recent_ui(&mut column(recent), &shell.recent, &mut done);
        let list = list.with_min_x(list.left() + 16.0);
        sheet.list_ui(&mut column(list), &entries, &mut done);
        let edge = egui::Stroke::new(1.0, theme::LINE);
        ui.painter().vline(list.left() - 8.0, rect.y_range(), edge);
        ui.add_space(4.0);
        sheet.foot_ui(ui, &folder, &mut done);
    });
    follow(ui, state, done);
}

fn follow(ui: &Ui, state: &mut State, done: Done) {
    let sheet = &mut state.shell.open_sheet;
    match done {
        Done::Nothing => {}
        Done::Into(folder) => {
            sheet.row = None;
            sheet.said.clear();
            set_path(ui, PATH, &mut sheet.path, folder_text(&folder));
        }
        Done::Open(path) => {
            let why = sheet.why;
            close(state);
            match why {
                OpenFor::Characters => measure_on(state, &[path]),
                OpenFor::Clips | OpenFor::Folder => open(state, &[path]),
            }
        }
        Done::NotThere(path) => {
            sheet.said = format!("There is no file and no folder {}", path.display());
            let same = sheet.path.clone();
            set_path(ui, PATH, &mut sheet.path, same);
        }
        Done::Leave => close(state),
    }
}

impl OpenSheet {
    /// Looks into the folder that is typed, or that the name that is typed would be in.
    fn look(&mut self) -> PathBuf {
        let typed = typed_path(&self.path).unwrap_or_default();
        let whole = self.path.trim().ends_with(std::path::is_separator);
        let folder = match typed.parent() {
            Some(parent) if !whole => parent.to_owned(),
            _ => typed,
        };
        self.list.look(&folder);
        folder
    }

    /// What is typed behind a folder.
    fn stem(&self, folder: &Path) -> String {
        let typed = typed_path(&self.path).unwrap_or_default();
        let behind = typed.strip_prefix(folder).unwrap_or(Path::new(""));
        behind.display().to_string()
    }

    /// Arrow keys go through the list while the line has the focus.
    fn choose(&mut self, ui: &Ui, count: usize) {
        let step = ui.input_mut(|i| {
            let mut count = |key| i.count_and_consume_key(Modifiers::NONE, key) as i64;
            count(Key::ArrowDown) - count(Key::ArrowUp)
        });
        if step == 0 || count == 0 {
            self.row = self.row.filter(|&row| row < count);
            return;
        }
        let from = self.row.map_or(-1, |row| row as i64);
        self.row = usize::try_from((from + step).min(count as i64 - 1)).ok();
    }

    /// What Enter in the line does: the row that was chosen, else what is typed.
    fn entered(&self, entries: &[Entry]) -> Done {
        if let Some(entry) = self.row.and_then(|row| entries.get(row)) {
            return chosen(entry);
        }
        let Some(path) = typed_path(&self.path) else {
            return Done::Nothing;
        };
        match std::fs::metadata(&path) {
            Ok(about) if about.is_dir() && self.why != OpenFor::Folder => Done::Into(path),
            Ok(_) => Done::Open(path),
            Err(_) => match entries {
                // A part of its name is enough where no other has it.
                [one] => chosen(one),
                _ => Done::NotThere(path),
            },
        }
    }

    fn list_ui(&mut self, ui: &mut Ui, entries: &[Entry], done: &mut Done) {
        let title = self.list.folder().display().to_string();
        ui.horizontal(|ui| {
            let up = self.list.folder().parent().map(Path::to_owned);
            let button = ui.add_enabled(up.is_some(), egui::Button::new("Up").small());
            if let Some(up) = up
                && button
                    .on_hover_text("To the folder around this one")
                    .clicked()
            {
                *done = Done::Into(up);
            }
            let title = RichText::new(title).size(12.5).color(theme::WEAK);
            ui.add(egui::Label::new(title).truncate());
        });
        if entries.is_empty() {
            let nothing = "No folder and no .glb or .gltf is here by that name";
            let text = self.list.error.as_deref().unwrap_or(nothing);
            told(ui, text, theme::WEAK);
        }
        let area = ScrollArea::vertical().id_salt("what can be opened");
        let area = area.auto_shrink([false, false]);
        ui.spacing_mut().item_spacing.y = 0.0;
        let scroll_to = self.row;
        area.show_rows(ui, 24.0, entries.len(), |ui, rows| {
            for k in rows {
                let row = entry_row(ui, &entries[k], scroll_to == Some(k));
                if row.clicked() {
                    *done = chosen(&entries[k]);
                }
            }
        });
    }

    fn foot_ui(&self, ui: &mut Ui, folder: &Path, done: &mut Done) {
        if !self.said.is_empty() {
            told(ui, &self.said, theme::WARNING);
            ui.add_space(2.0);
        }
        let typed = typed_path(&self.path).filter(|p| p.is_file());
        ui.horizontal(|ui| {
            let all = "Open all clips of this folder";
            let why = format!("All .glb and .gltf below {}", folder.display());
            if self.why == OpenFor::Folder {
                if act(ui, folder.is_dir(), all).on_hover_text(why).clicked() {
                    *done = Done::Open(folder.to_owned());
                }
            } else {
                let name = match self.why {
                    OpenFor::Characters => "Measure on it",
                    OpenFor::Clips | OpenFor::Folder => "Open file",
                };
                let open = act(ui, typed.is_some(), name);
                let open = open.on_disabled_hover_text("Type or choose a file first");
                if let Some(path) = typed.filter(|_| open.clicked()) {
                    *done = Done::Open(path);
                }
                if self.why == OpenFor::Clips {
                    let button = ui.add_enabled(folder.is_dir(), egui::Button::new(all));
                    if button.on_hover_text(why).clicked() {
                        *done = Done::Open(folder.to_owned());
                    }
                }
            }
            if ui.button("Cancel").clicked() {
                *done = Done::Leave;
            }
            let keys = "Arrow keys choose, Enter opens, Escape leaves";
            ui.label(theme::hint(keys));
        });
    }
}

/// What an entry is chosen for.
fn chosen(entry: &Entry) -> Done {
    match entry.bytes {
        Some(_) => Done::Open(entry.path.clone()),
        None => Done::Into(entry.path.clone()),
    }
}

fn entry_row(ui: &mut Ui, entry: &Entry, on: bool) -> Response {
    let words = match entry.bytes {
        Some(bytes) => format!("File {}, {}", entry.name, show_bytes(bytes)),
        None => format!("Folder {}", entry.name),
    };
    let row = list_row(ui, on, &words);
    let rect = row.rect;
    let font = FontId::proportional(13.0);
    let icon = if entry.bytes.is_some() {
        egui_material_icons::icons::ICON_MOVIE
    } else {
        egui_material_icons::icons::ICON_FOLDER
    };
    let at = pos2(rect.left() + 6.0, rect.center().y);
    let painter = ui.painter();
    let color = if on { theme::ACCENT } else { theme::WEAK };
    let left = Align2::LEFT_CENTER;
    text_at(
        painter,
        at,
        left,
        icon.codepoint,
        FontId::proportional(15.0),
        color,
        20.0,
    );
    let name = at + vec2(24.0, 0.0);
    let room = rect.width() - 120.0;
    text_at(
        painter,
        name,
        left,
        &entry.name,
        font.clone(),
        theme::TEXT,
        room,
    );
    if let Some(bytes) = entry.bytes {
        let at = pos2(rect.right() - 8.0, rect.center().y);
        let size = show_bytes(bytes);
        text_at(
            painter,
            at,
            Align2::RIGHT_CENTER,
            &size,
            font,
            theme::WEAK,
            80.0,
        );
    }
    if on {
        row.scroll_to_me(None);
    }
    row.on_hover_text(entry.path.display().to_string())
}

/// Files and folders that were open before; a click opens one again.
fn recent_ui(ui: &mut Ui, recent: &[PathBuf], done: &mut Done) {
    ui.label(RichText::new("Open before").size(12.5).color(theme::WEAK));
    ui.spacing_mut().item_spacing.y = 0.0;
    if recent.is_empty() {
        told(ui, "Nothing yet", theme::FAINT);
    }
    for path in recent {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let row = list_row(ui, false, &format!("Open again {name}"));
        let at = pos2(row.rect.left() + 6.0, row.rect.center().y);
        let room = row.rect.width() - 12.0;
        let font = FontId::proportional(13.0);
        text_at(
            ui.painter(),
            at,
            Align2::LEFT_CENTER,
            &name,
            font,
            theme::TEXT,
            room,
        );
        if row.on_hover_text(path.display().to_string()).clicked() {
            *done = Done::Open(path.clone());
        }
    }
}
