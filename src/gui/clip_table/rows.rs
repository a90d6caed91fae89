//! Heads and rows: painted, only those that are visible, each with a name that says its figures.

use super::TableOrder;
use super::columns::{Column, Head, figure_cell, layout};
use super::figures::Figures;
use super::lines::{file_text, note_text};
use super::selection::{Pick, pick};
use crate::codec::Ruling;
use crate::gui::actions::clip_title;
use crate::gui::panels::{exceptions, mark_of, own_part, paint_row_back};
use crate::gui::state::{State, Workspace};
use crate::gui::theme;
use crate::gui::widgets::{DOT, mark, mm_text, text_at};
use crate::session::bytes::ratio_words;
use crate::session::{ClipId, Session};
use eframe::egui::{
    self, Align2, Color32, FontId, Rect, ScrollArea, Sense, Shape, Stroke, Ui, WidgetInfo, pos2,
    vec2,
};

const ROW: f32 = 24.0;
const HEAD: f32 = 24.0;

/// Room between a cell's text and its edges.
const MARGIN: f32 = 7.0;

/// Room under the rows for the totals.
const FOOT: f32 = 28.0;

type Layout = Vec<(&'static Head, f32, f32)>;

/// The rows with their heads, `width` points wide.
pub(super) fn rows_ui(ui: &mut Ui, state: &mut State, width: f32) {
    ui.spacing_mut().item_spacing.y = 0.0;
    ui.set_max_width(width);
    let columns = layout(width);
    heads(ui, &columns, &mut state.table.order);
    let height = (ui.available_height() - FOOT).max(2.0 * ROW);
    let mut area = ScrollArea::vertical()
        .id_salt("clip table")
        .auto_shrink([false, false])
        .max_height(height);
    if let Some(offset) = scroll_to(state, height) {
        area = area.vertical_scroll_offset(offset);
    }
    let shown = std::mem::take(&mut state.table.shown);
    let mut clicked = None;
    area.show_rows(ui, ROW, shown.len(), |ui, range| {
        state.table.visible = range.clone();
        for &id in &shown[range] {
            if let Some(click) = row(ui, state, &columns, id) {
                clicked = Some((id, click));
            }
        }
        if shown.is_empty() {
            ui.add_space(12.0);
            ui.label(theme::hint(
                "No clip has these words in its name, file or notes",
            ));
        }
    });
    state.table.shown = shown;
    ui.spacing_mut().item_spacing.y = 6.0;
    match clicked {
        None => {}
        Some((id, Click::Pick(how))) => pick(state, id, how),
        Some((id, Click::Review)) => {
            pick(state, id, Pick::Only);
            state.view.workspace = Workspace::Review;
        }
    }
}

/// Where to scroll so that a row selected by a key or elsewhere is seen; `None` where it is.
fn scroll_to(state: &mut State, height: f32) -> Option<f32> {
    if !std::mem::take(&mut state.table.reveal) {
        return None;
    }
    let selected = state.session.selected()?;
    let at = state.table.shown.iter().position(|id| *id == selected)?;
    let fits = (height / ROW).floor().max(1.0) as usize;
    let first = state.table.visible.start;
    // The row that is half visible does not count.
    let last = first + fits - 1;
    let to = if at < first + 1 {
        at.saturating_sub(1)
    } else if at >= last {
        (at + 2).saturating_sub(fits)
    } else {
        return None;
    };
    Some(to as f32 * ROW)
}

fn heads(ui: &mut Ui, columns: &Layout, order: &mut TableOrder) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), HEAD), Sense::hover());
    for &(head, left, right) in columns {
        let cell = Rect::from_x_y_ranges(rect.left() + left..=rect.left() + right, rect.y_range());
        let on = order.by == head.column;
        let id = ui.scope_id().with(("clips by", head.name));
        let response = ui.interact(cell, id, Sense::click());
        let way = match (on, order.ascending) {
            (false, _) => "",
            (true, true) => ", least first",
            (true, false) => ", most first",
        };
        let label = format!("Sort clips by {}{way}", head.name);
        response.widget_info(|| WidgetInfo::selected(egui::Role::Button, true, on, &label));
        let color = match (on, response.hovered()) {
            (true, _) => theme::ACCENT,
            (false, true) => theme::TEXT,
            (false, false) => theme::WEAK,
        };
        let font = FontId::proportional(11.5);
        let words = cell_text(ui, cell, head.column, head.text, font, color);
        if on {
            let x = if head.column == Column::Status {
                cell.left() + MARGIN + 0.5 * DOT
            } else if head.column.is_text() {
                cell.left() + MARGIN + words + 8.0
            } else {
                cell.right() - MARGIN - words - 8.0
            };
            arrow(ui, pos2(x, cell.center().y), order.ascending);
        }
        if response.clicked() {
            *order = order.clicked(head.column);
        }
        response.on_hover_text(format!("{}; click to sort", head.tooltip));
    }
    let line = Stroke::new(1.0, theme::LINE);
    ui.painter()
        .hline(rect.x_range(), rect.bottom() - 0.5, line);
}

/// Points to where the least is.
fn arrow(ui: &Ui, at: egui::Pos2, ascending: bool) {
    let tip = if ascending { -2.5 } else { 2.5 };
    let corners = [vec2(-3.5, -tip), vec2(3.5, -tip), vec2(0.0, tip)];
    let points = corners.iter().map(|&v| at + v).collect();
    ui.painter()
        .add(Shape::convex_polygon(points, theme::ACCENT, Stroke::NONE));
}

/// Text in a cell: words at the left, figures at the right. Returns how wide it came out.
fn cell_text(ui: &Ui, cell: Rect, column: Column, text: &str, font: FontId, color: Color32) -> f32 {
    let room = cell.width() - 2.0 * MARGIN;
    let (at, anchor) = if column.is_text() {
        (cell.left_center() + vec2(MARGIN, 0.0), Align2::LEFT_CENTER)
    } else {
        (
            cell.right_center() - vec2(MARGIN, 0.0),
            Align2::RIGHT_CENTER,
        )
    };
    text_at(ui.painter(), at, anchor, text, font, color, room)
}

/// What a click on a row asks for.
enum Click {
    Pick(Pick),
    Review,
}

fn row(ui: &mut Ui, state: &State, columns: &Layout, id: ClipId) -> Option<Click> {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let line = Line::of(state, id)?;
    let selected = state.table.rows.contains(&id);
    response.widget_info(|| WidgetInfo::selected(egui::Role::Row, true, selected, line.in_words()));
    paint_row_back(ui, rect, selected, response.hovered());
    if state.session.selected() == Some(id) {
        // The one that is tuned at the right.
        let bar = Rect::from_min_size(rect.min + vec2(0.0, 4.0), vec2(2.5, ROW - 8.0));
        ui.painter().rect_filled(bar, 1, theme::ACCENT);
    }
    let mut tooltip = None;
    let pointer = response.hover_pos();
    for &(head, left, right) in columns {
        let cell = Rect::from_x_y_ranges(rect.left() + left..=rect.left() + right, rect.y_range());
        let about = line.cell(ui, cell, head.column, selected);
        if pointer.is_some_and(|p| cell.x_range().contains(p.x)) {
            tooltip = Some(about);
        }
    }
    let modifiers = ui.input(|i| i.modifiers);
    let click = if response.double_clicked() && modifiers.is_none() {
        Some(Click::Review)
    } else if response.clicked() {
        Some(Click::Pick(match (modifiers.shift, modifiers.command) {
            (true, _) => Pick::Range,
            (false, true) => Pick::Toggle,
            (false, false) => Pick::Only,
        }))
    } else {
        None
    };
    if let Some(text) = tooltip.filter(|t| !t.is_empty()) {
        response.on_hover_text(text);
    }
    click
}

/// A clip as its row shows it.
struct Line<'a> {
    session: &'a Session,
    id: ClipId,
    title: String,
    file: String,
    note: String,
    figures: Option<Figures>,
}

impl<'a> Line<'a> {
    fn of(state: &'a State, id: ClipId) -> Option<Self> {
        let session = &state.session;
        Some(Self {
            session,
            id,
            title: clip_title(session.clip(id)?.name(), id.clip),
            file: file_text(session.document(id.document)?),
            note: note_text(session, id),
            figures: state.table.figures.known(id),
        })
    }

    /// For those who do not see it.
    fn in_words(&self) -> String {
        let mark = mark_of(self.session, self.id);
        let mut parts = vec![
            self.title.clone(),
            self.file.clone(),
            mark.text().to_owned(),
        ];
        if let Some(clip) = self.session.clip(self.id) {
            parts.push(format!("{} frames", clip.grid().frames));
        }
        if let Some(f) = &self.figures {
            parts.push(format!("{} bytes of animation", f.bytes));
            parts.extend(f.file_bytes.map(|bytes| format!("{bytes} bytes of file")));
            parts.push(ratio_words(f.bytes, f.source_bytes, f.raw_bytes));
            let over = |ruling, words| if ruling == Ruling::Over { words } else { "" };
            let target = over(f.skin, " over target");
            parts.push(format!("max {} mm{target}", mm_text(f.max_m)));
            let limit = over(f.feet, " over limit");
            let slide = f.slide_m.map(|m| format!("slide {} mm{limit}", mm_text(m)));
            parts.extend(slide);
            parts.extend(f.seam_m.map(|m| format!("seam {} mm", mm_text(m))));
            parts.push(format!("{} keys", f.keys));
        }
        if !self.note.is_empty() {
            parts.push(self.note.clone());
        }
        parts.join(", ")
    }

    /// Paints a cell; returns what is behind it.
    fn cell(&self, ui: &Ui, cell: Rect, column: Column, selected: bool) -> String {
        let font = FontId::proportional(12.5);
        let small = |text: &str, color| cell_text(ui, cell, column, text, font.clone(), color);
        let grid = self.session.clip(self.id).map(|c| c.grid());
        match column {
            Column::Status => {
                let state = mark_of(self.session, self.id);
                let at = pos2(cell.left() + MARGIN + 0.5 * DOT, cell.center().y);
                mark(ui.painter(), at, state);
                let error = self.session.error(self.id).map(ToString::to_string);
                let changed = self.session.changed_since_verdict(self.id);
                let changed = changed
                    .any()
                    .then(|| format!("since the verdict: {changed}"));
                let figures = self.session.since_approval(self.id);
                let figures = figures.map(|(then, now)| format!("approved: {then}\nnow: {now}"));
                let mut lines = vec![state.text().to_owned()];
                lines.extend(exceptions(self.session, self.id));
                lines.extend([error, changed, figures].into_iter().flatten());
                lines.join("\n")
            }
            Column::Clip => {
                let (font, color) = if selected {
                    (theme::medium_font(13.0), Color32::WHITE)
                } else {
                    (FontId::proportional(13.0), theme::TEXT)
                };
                let own = own_part(self.session, self.id, &self.title);
                cell_text(ui, cell, column, own, font, color);
                format!("{}\nDouble click or Enter: review it", self.title)
            }
            Column::File => {
                small(&self.file, theme::WEAK);
                let document = self.session.document(self.id.document);
                document.map_or_else(String::new, |d| d.asset.path.display().to_string())
            }
            Column::Frames => {
                let Some(grid) = grid else {
                    return String::new();
                };
                small(&grid.frames.to_string(), theme::WEAK);
                format!("{} frames at {:.2} Hz", grid.frames, grid.rate_hz)
            }
            Column::Secs => {
                let Some(grid) = grid else {
                    return String::new();
                };
                small(&format!("{:.2}", grid.duration_secs()), theme::WEAK);
                format!("{:.3} seconds", grid.duration_secs())
            }
            Column::Note => {
                small(&self.note, theme::WEAK);
                self.notes()
            }
            _ => {
                let shown = self.figures.as_ref().and_then(|f| figure_cell(column, f));
                let Some((text, color, about)) = shown else {
                    small("–", theme::FAINT);
                    return column.head().tooltip.to_owned();
                };
                small(&text, color);
                about
            }
        }
    }

    /// All notes in full.
    fn notes(&self) -> String {
        let notes = self.session.edits(self.id).map(|e| e.notes.as_slice());
        let notes = notes.unwrap_or_default().iter();
        let lines = notes.map(|n| format!("frame {}: {}", n.frame, n.text));
        let lines: Vec<String> = lines.collect();
        if lines.len() < 2 {
            return self.note.clone();
        }
        format!("{}\n{}", self.note, lines.join("\n"))
    }
}
