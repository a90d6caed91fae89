//! The last look before files are written: which clips, where to, what is replaced; then how far it is, and what came
//! of it.

use super::{
    act, browse, close, list_row, path_line, set_path, sheet_frame, show, told, typed_path,
};
use crate::gui::actions::{clip_title, nothing_approved};
use crate::gui::dialogs::Ask;
use crate::gui::panels::{focus_first, mark_of};
use crate::gui::shell::Sheet;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{DOT, Mark, mark, text_at};
use crate::session::units::{show_bytes, show_mm};
use crate::session::{ClipId, ClipResult, ExportReport, Missed, PlannedFile, Session};
use eframe::egui::{self, Align2, Color32, FontId, ScrollArea, Ui, pos2};
use std::path::{Path, PathBuf};

const FOLDER: &str = "Folder to export to";

/// Height of the lists, points.
const LIST: f32 = 264.0;

/// Folders in the list of those that were exported to.
const MOST_FOLDERS: usize = 8;

/// Where each column of the list begins, shares of its width: clip, format, file, size, remarks.
const COLUMNS: [f32; 6] = [0.035, 0.23, 0.32, 0.56, 0.645, 1.0];

/// What is typed, and what would be written there.
#[derive(Debug, Default)]
pub struct ExportSheet {
    folder: String,
    planned: Option<Planned>,
    /// It is being written, or was.
    started: bool,
    /// What came of the last try.
    pub(super) said: String,
}

/// What an export to a folder would write.
#[derive(Debug)]
struct Planned {
    folder: PathBuf,
    clips: Vec<(ClipId, [u8; 32])>,
    rows: Vec<Row>,
    /// Files that are there already, with their sizes.
    replaced: Vec<(PathBuf, usize)>,
    files: usize,
    animation_bytes: usize,
    /// `None` where one is not known before it is written.
    file_bytes: Option<usize>,
}

/// A clip in the list.
#[derive(Debug)]
struct Row {
    mark: Mark,
    clip: String,
    format: String,
    /// Below the folder; empty for one that is not written.
    file: String,
    bytes: Option<usize>,
    /// What should be known before it is written.
    remarks: Vec<String>,
    color: Color32,
}

/// Opens the sheet, or says that there is nothing to export.
pub(in crate::gui) fn open_export(state: &mut State) {
    if state.session.approved().is_empty() {
        return state.session.notify(nothing_approved());
    }
    let last = state.shell.export_folders.first().cloned();
    let folder = last.or_else(|| source_folder(&state.session));
    let folder = folder.or_else(|| std::env::current_dir().ok());
    state.shell.export_sheet = ExportSheet {
        folder: folder.unwrap_or_default().display().to_string(),
        ..ExportSheet::default()
    };
    show(state, Sheet::Export);
}

/// Where the file of the selected clip is; `None` for the bundled one.
fn source_folder(session: &Session) -> Option<PathBuf> {
    let document = session.document(session.selected()?.document)?;
    document.sidecar_path()?;
    let path = std::path::absolute(&document.asset.path).ok()?;
    path.parent().map(Path::to_owned)
}

/// The sheet.
pub(in crate::gui) fn export_ui(ui: &Ui, state: &mut State) {
    let started = state.shell.export_sheet.started;
    let title = match (started, state.session.exporting()) {
        (false, _) => "Export approved clips",
        (true, Some(_)) => "Exporting…",
        (true, None) if state.session.export_error().is_some() => "The export ended early",
        (true, None) => "Exported",
    };
    sheet_frame(ui, title, 900.0, |ui| {
        if started {
            outcome_ui(ui, state);
        } else {
            choose_ui(ui, state);
        }
    });
}

/// Where to, what, and the button that starts it.
fn choose_ui(ui: &mut Ui, state: &mut State) {
    let entered = folder_ui(ui, state);
    let sheet = &mut state.shell.export_sheet;
    let trouble = sheet.plan(&state.session).err();
    let planned = sheet.planned.as_ref();
    ui.add_space(6.0);
    if let Some(planned) = planned {
        planned.list_ui(ui);
        ui.add_space(4.0);
        planned.sums_ui(ui);
        planned.replaced_ui(ui);
    }
    for text in trouble.iter().chain([&sheet.said]) {
        if !text.is_empty() {
            told(ui, text, theme::WARNING);
        }
    }
    ui.add_space(8.0);
    let can = planned.is_some_and(|p| p.files > 0);
    let words = planned.map_or("Export".to_owned(), Planned::act_words);
    let (mut go, mut leave) = (false, false);
    ui.horizontal(|ui| {
        let button = act(ui, can, &words);
        go = button.clicked();
        if entered {
            // Enter in the line leads to the button; once more presses it.
            button.request_focus();
        }
        leave = ui.button("Cancel").clicked();
    });
    if go {
        start(state);
    } else if leave {
        close(state);
    }
}

/// The line for the folder, and the folders of before. Says whether Enter was pressed in the line.
fn folder_ui(ui: &mut Ui, state: &mut State) -> bool {
    let shell = &mut state.shell;
    let sheet = &mut shell.export_sheet;
    let mut entered = false;
    ui.horizontal(|ui| {
        let (line, enter) = path_line(ui, FOLDER, &mut sheet.folder, "folder to write to");
        entered = enter;
        if line.changed() {
            sheet.said.clear();
        }
        browse(ui, &mut shell.requests, Ask::ExportFolder);
    });
    let mut chosen = None;
    if shell.export_folders.is_empty() {
        return entered;
    }
    ui.horizontal_wrapped(|ui| {
        ui.label(theme::hint("Exported to before:"));
        for folder in &shell.export_folders {
            let name = folder.file_name().unwrap_or(folder.as_os_str());
            let button = ui.small_button(name.to_string_lossy());
            let path = folder.display().to_string();
            if button.on_hover_text(&path).clicked() {
                chosen = Some(path);
            }
        }
    });
    if let Some(path) = chosen {
        set_path(ui, FOLDER, &mut sheet.folder, path);
    }
    entered
}

/// Writes what is shown, unless files came to where it goes since it was shown.
fn start(state: &mut State) {
    let approved = state.session.approved();
    let sheet = &mut state.shell.export_sheet;
    let Some(shown) = sheet.planned.take() else {
        return;
    };
    let now = Planned::new(&state.session, &approved, &shown.folder);
    if now.replaced != shown.replaced || now.clips != shown.clips {
        sheet.said = "What is there changed since it was listed: look again".into();
        sheet.planned = Some(now);
        return;
    }
    let folder = now.folder;
    if let Err(e) = std::fs::create_dir_all(&folder) {
        sheet.said = format!("The folder {} cannot be made: {e}", folder.display());
        return;
    }
    let recent = &mut state.shell.export_folders;
    recent.retain(|f| *f != folder);
    recent.insert(0, folder.clone());
    recent.truncate(MOST_FOLDERS);
    state.session.export(&approved, &folder);
    state.shell.export_sheet.started = true;
}

impl ExportSheet {
    /// Takes a folder from the desktop's dialog.
    pub(super) fn set_folder(&mut self, folder: &Path) {
        self.folder = folder.display().to_string();
        self.said.clear();
    }

    /// Finds out what would be written to the folder that is typed, unless that is known; says why none can be.
    fn plan(&mut self, session: &Session) -> Result<(), String> {
        let known = self.planned.take();
        let folder = typed_path(&self.folder).ok_or("Type the folder to write to")?;
        if folder.exists() && !folder.is_dir() {
            return Err(format!("{} is a file, not a folder", folder.display()));
        }
        let approved = session.approved();
        let now = with_hashes(session, &approved);
        let known = known.filter(|p| p.folder == folder && p.clips == now);
        let planned = known.unwrap_or_else(|| Planned::new(session, &approved, &folder));
        self.planned = Some(planned);
        Ok(())
    }
}

fn with_hashes(session: &Session, ids: &[ClipId]) -> Vec<(ClipId, [u8; 32])> {
    let hash = |id: &ClipId| Some((*id, session.result(*id)?.hash));
    ids.iter().filter_map(hash).collect()
}

impl Planned {
    fn new(session: &Session, approved: &[ClipId], folder: &Path) -> Self {
        // Without a clip there is nothing to list.
        let files = session.planned_export(approved, folder).unwrap_or_default();
        let mut planned = Self {
            folder: folder.to_owned(),
            clips: with_hashes(session, approved),
            rows: Vec::new(),
            replaced: Vec::new(),
            files: files.len(),
            animation_bytes: 0,
            file_bytes: Some(0),
        };
        for file in &files {
            planned.add(session, file);
        }
        let stale = session.clip_ids().filter(|id| session.is_stale(*id));
        planned.rows.extend(stale.map(|id| stale_row(session, id)));
        planned
    }

    fn add(&mut self, session: &Session, file: &PlannedFile) {
        let there = std::fs::metadata(&file.path).ok().map(|m| m.len() as usize);
        let name = file.path.strip_prefix(&self.folder).unwrap_or(&file.path);
        if let Some(bytes) = there {
            self.replaced.push((name.to_owned(), bytes));
        }
        let sums = self.file_bytes.zip(file.bytes);
        self.file_bytes = sums.map(|(sum, bytes)| sum + bytes);
        for &id in &file.clips {
            let Some(result) = session.result(id) else {
                continue;
            };
            self.animation_bytes += result.animation_bytes;
            let over = over_limits(session, id);
            let color = match (over.is_empty(), there) {
                (false, _) => theme::BAD,
                (true, Some(_)) => theme::WARNING,
                (true, None) => theme::WEAK,
            };
            let replaces = there.map(|bytes| format!("replaces {}", show_bytes(bytes)));
            let remarks = over.into_iter().chain(free_slide(result)).chain(replaces);
            self.rows.push(Row {
                mark: mark_of(session, id),
                clip: title(session, id),
                format: result.settings.deliverable.name().to_owned(),
                file: name.display().to_string(),
                bytes: file.bytes,
                remarks: remarks.collect(),
                color,
            });
        }
    }

    fn list_ui(&self, ui: &mut Ui) {
        let width = ui.available_width();
        let (rect, _) = ui.allocate_exact_size(egui::vec2(width, 18.0), egui::Sense::hover());
        let heads = ["clip", "format", "file", "size", "remarks"];
        for (k, head) in heads.into_iter().enumerate() {
            cell(ui, rect, k, head, theme::FAINT);
        }
        ui.spacing_mut().item_spacing.y = 0.0;
        let height = (24.0 * self.rows.len() as f32).min(LIST);
        ScrollArea::vertical()
            .id_salt("clips to export")
            .max_height(height)
            .auto_shrink([false, false])
            .show_rows(ui, 24.0, self.rows.len(), |ui, shown| {
                for row in &self.rows[shown] {
                    row.ui(ui);
                }
            });
        ui.spacing_mut().item_spacing.y = 4.0;
    }

    fn sums_ui(&self, ui: &mut Ui) {
        let files = match self.file_bytes {
            Some(bytes) => format!("{} in files", show_bytes(bytes)),
            None => "glTF files are counted when they are written".to_owned(),
        };
        let place = if self.folder.is_dir() {
            String::new()
        } else {
            format!("; the folder {} will be made", self.folder.display())
        };
        let text = format!(
            "{} in {}: {} animation, {files}{place}",
            count(self.clips.len(), "clip"),
            count(self.files, "file"),
            show_bytes(self.animation_bytes)
        );
        told(ui, text, theme::TEXT);
    }

    /// What is there already, by name.
    fn replaced_ui(&self, ui: &mut Ui) {
        const MOST: usize = 6;
        if self.replaced.is_empty() {
            return told(ui, "Nothing is replaced", theme::WEAK);
        }
        let name = |(path, bytes): &(PathBuf, usize)| {
            format!("{} ({})", path.display(), show_bytes(*bytes))
        };
        let names: Vec<String> = self.replaced.iter().take(MOST).map(name).collect();
        let more = match self.replaced.len().saturating_sub(MOST) {
            0 => String::new(),
            more => format!(" and {more} more, as listed"),
        };
        let text = format!(
            "Replaces {} that {} there: {}{more}",
            count(self.replaced.len(), "file"),
            if self.replaced.len() == 1 {
                "is"
            } else {
                "are"
            },
            names.join(", ")
        );
        told(ui, text, theme::WARNING);
    }

    /// What the button says.
    fn act_words(&self) -> String {
        let export = format!("Export {}", count(self.clips.len(), "clip"));
        match self.replaced.len() {
            0 => export,
            files => format!("{export}, replace {}", count(files, "file")),
        }
    }
}

impl Row {
    fn ui(&self, ui: &mut Ui) {
        let size = self.bytes.map_or("–".to_owned(), show_bytes);
        let remarks = self.remarks.join("; ");
        let file = if self.file.is_empty() {
            "not written"
        } else {
            &self.file
        };
        let words = format!(
            "{}, {}, {}, {file}, {size}, {remarks}",
            self.clip,
            self.mark.text(),
            self.format
        );
        let row = list_row(ui, false, &words);
        let rect = row.rect;
        let at = pos2(rect.left() + 6.0 + 0.5 * DOT, rect.center().y);
        mark(ui.painter(), at, self.mark);
        cell(ui, rect, 0, &self.clip, theme::TEXT);
        cell(ui, rect, 1, &self.format, theme::WEAK);
        cell(ui, rect, 2, file, theme::TEXT);
        cell(ui, rect, 3, &size, theme::TEXT);
        cell(ui, rect, 4, &remarks, self.color);
        row.on_hover_text(words.replace(", ", "\n"));
    }
}

/// Text in a column of a row.
fn cell(ui: &Ui, rect: egui::Rect, column: usize, text: &str, color: Color32) {
    let x = |k: usize| rect.left() + rect.width() * COLUMNS[k];
    let (at, room) = (x(column), x(column + 1) - x(column) - 8.0);
    let font = FontId::proportional(12.5);
    let at = pos2(at, rect.center().y);
    text_at(
        ui.painter(),
        at,
        Align2::LEFT_CENTER,
        text,
        font,
        color,
        room,
    );
}

/// An approved clip that is no longer what was approved.
fn stale_row(session: &Session, id: ClipId) -> Row {
    let changed = session.changed_since_verdict(id);
    let why = if changed.any() {
        changed.to_string()
    } else {
        "it is being compressed, or failed".to_owned()
    };
    let edits = session.edits(id);
    Row {
        mark: Mark::Stale,
        clip: title(session, id),
        format: edits
            .map_or("", |e| e.settings.deliverable.name())
            .to_owned(),
        file: String::new(),
        bytes: None,
        remarks: vec![format!("{why}: approve it again")],
        color: theme::WARNING,
    }
}

fn title(session: &Session, id: ClipId) -> String {
    session
        .clip(id)
        .map_or_else(String::new, |c| clip_title(c.name(), id.clip))
}

/// What of a clip is no pass, though it is approved.
fn over_limits(session: &Session, id: ClipId) -> Vec<String> {
    session.missed(id).iter().map(Missed::short).collect()
}

/// The worst slide of a clip in which none is limited.
fn free_slide(result: &ClipResult) -> Option<String> {
    let free = result.settings.slide_target_m.is_none();
    let slide_m = result.worst_slide_m().filter(|_| free)?;
    Some(format!("slides {}, not limited", show_mm(slide_m)))
}

/// `1 clip`, `12 files`.
fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// How far it is, then what came of it.
fn outcome_ui(ui: &mut Ui, state: &mut State) {
    if let Some(done) = state.session.exporting() {
        let words = format!("{:.0} % of the files are written", 100.0 * done);
        ui.add(egui::ProgressBar::new(done).text(words));
        ui.add_space(8.0);
        if ui.button("Stop").clicked() {
            state.session.cancel_export();
        }
        ui.ctx()
            .request_repaint_after(std::time::Duration::from_millis(100));
        return;
    }
    let mut copied = None;
    if let Some(error) = state.session.export_error() {
        told(ui, error, theme::BAD);
    } else if let Some(report) = state.session.last_export() {
        report_ui(ui, report);
        copied = path_of(report);
    }
    ui.add_space(8.0);
    let mut leave = false;
    ui.horizontal(|ui| {
        let close = act(ui, true, "Close");
        // Enter is enough.
        focus_first(ui, &close);
        leave = close.clicked();
        if let Some(path) = copied {
            let button = ui.button("Copy path").on_hover_text(path.as_str());
            if button.clicked() {
                state.shell.happened = format!("Copied {path}");
                ui.ctx().copy_text(path);
            }
        }
    });
    if leave {
        close(state);
    }
}

/// The written files, each with its bytes as counted on the disk.
fn report_ui(ui: &mut Ui, report: &ExportReport) {
    told(ui, report.summary(), theme::TEXT);
    ui.add_space(4.0);
    let height = (20.0 * report.files.len() as f32).min(LIST);
    ScrollArea::vertical()
        .id_salt("written files")
        .max_height(height)
        .auto_shrink([false, true])
        .show(ui, |ui| {
            for file in &report.files {
                let line = format!("{} bytes  {}", file.bytes, file.path.display());
                let text = egui::RichText::new(line).size(12.5).color(theme::WEAK);
                ui.add(egui::Label::new(text).truncate());
                for note in &file.notes {
                    told(ui, note, theme::WARNING);
                }
            }
        });
}

/// The one file, or the folder of all.
fn path_of(report: &ExportReport) -> Option<String> {
    let place = match report.files.as_slice() {
        [] => return None,
        [one] => one.path.clone(),
        _ => report.folder(),
    };
    Some(place.display().to_string())
}
