use crate::codec::Ruling;
use crate::gui::actions::clip_title;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{DOT, Mark, mark, mm_text, ruling_color, section, text_at};
use crate::session::{ClipId, Session, Verdict, units};
use eframe::egui::{self, Align2, FontId, Rect, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};

const ROW: f32 = 25.0;
const RATIO_WIDTH: f32 = 46.0;
const ERROR_WIDTH: f32 = 50.0;

/// The list of clips of all open files.
pub fn clips_ui(ui: &mut Ui, state: &mut State) {
    let ids: Vec<ClipId> = state.session.clip_ids().collect();
    let approved = state.session.approved().len();
    section(ui, "Clips", |ui| {
        ui.label(theme::hint(format!("{approved} of {} approved", ids.len())))
            .on_hover_text("Clips that are approved as they are now");
    });
    header(ui);
    ui.spacing_mut().item_spacing.y = 0.0;
    let height = (0.36 * ui.available_height()).max(3.0 * ROW);
    let rows = rows(state);
    let mut area = ScrollArea::vertical().id_salt("clips").max_height(height);
    if let Some(offset) = scroll_to(state, &rows, height) {
        area = area.vertical_scroll_offset(offset);
    }
    area.show_rows(ui, ROW, rows.len(), |ui, range| {
        state.shell.clip_rows = range.clone();
        for row in &rows[range] {
            match *row {
                Row::File(number) => file_row(ui, state, number),
                Row::Clip(id) => {
                    if clip_row(ui, &state.session, id) {
                        state.session.select(id);
                    }
                }
            }
        }
    });
}

/// A line of the list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Row {
    /// The heading of a file's clips, by its number; where several are open.
    File(usize),
    Clip(ClipId),
}

/// All lines but those of folded files.
fn rows(state: &State) -> Vec<Row> {
    let documents = state.session.documents();
    let several = documents.len() > 1;
    let mut rows = Vec::new();
    for d in documents {
        let document = d.number();
        if several {
            rows.push(Row::File(document));
        }
        if several && state.shell.folded_files.contains(&document) {
            continue;
        }
        let clips = 0..d.asset.clips.len();
        rows.extend(clips.map(|clip| Row::Clip(ClipId { document, clip })));
    }
    rows
}

/// Where to scroll so that a clip selected elsewhere is seen; `None` where it is, or was shown before.
fn scroll_to(state: &mut State, rows: &[Row], height: f32) -> Option<f32> {
    let selected = state.session.selected();
    if state.shell.clip_scrolled_to == selected {
        return None;
    }
    state.shell.clip_scrolled_to = selected;
    let row = Row::Clip(selected?);
    let at = rows.iter().position(|r| *r == row)?;
    let seen = &state.shell.clip_rows;
    let inside = seen.start <= at && at + 1 < seen.end.max(1) || rows.len() as f32 * ROW <= height;
    (!inside).then(|| ((at as f32 + 0.5) * ROW - 0.5 * height).max(0.0))
}

fn header(ui: &mut Ui) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 16.0), Sense::hover());
    let font = FontId::proportional(11.0);
    let y = rect.center().y;
    let painter = ui.painter();
    let right = rect.right() - 8.0;
    painter.text(
        pos2(right, y),
        Align2::RIGHT_CENTER,
        "max mm",
        font.clone(),
        theme::FAINT,
    );
    let at = pos2(right - ERROR_WIDTH, y);
    painter.text(at, Align2::RIGHT_CENTER, "ratio", font, theme::FAINT);
}

/// The heading of a file; a click folds its clips.
fn file_row(ui: &mut Ui, state: &mut State, number: usize) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let Some(document) = state.session.document(number) else {
        return;
    };
    let folded = state.shell.folded_files.contains(&number);
    let name = document.file_name();
    response.widget_info(|| {
        let label = format!("File {name}");
        WidgetInfo::selected(egui::Role::Button, true, !folded, label)
    });
    let icon = if folded {
        egui_material_icons::icons::ICON_ARROW_RIGHT
    } else {
        egui_material_icons::icons::ICON_ARROW_DROP_DOWN
    };
    let color = if response.hovered() {
        theme::TEXT
    } else {
        theme::FAINT
    };
    let at = rect.left_center() + vec2(0.0, 1.0);
    let font = FontId::proportional(15.0);
    ui.painter()
        .text(at, Align2::LEFT_CENTER, icon.codepoint, font, color);
    text_at(
        ui.painter(),
        at + vec2(16.0, 0.0),
        Align2::LEFT_CENTER,
        &name,
        FontId::proportional(11.0),
        color,
        rect.width() - 18.0,
    );
    let path = document.asset.path.display().to_string();
    let clips = document.asset.clips.len();
    if response.clicked() && !state.shell.folded_files.remove(&number) {
        state.shell.folded_files.insert(number);
    }
    response.on_hover_text(format!("{path}\n{clips} clips; click to fold"));
}

/// The state of a clip as its mark shows it.
pub(crate) fn mark_of(session: &Session, id: ClipId) -> Mark {
    match session.progress(id) {
        Some(done) => Mark::Busy(done),
        None => match verdict_mark(session, id) {
            Mark::Approved if !exceptions(session, id).is_empty() => Mark::Excepted,
            mark => mark,
        },
    }
}

/// What of an approved clip was no pass when it was approved all the same, a sentence each.
pub(crate) fn exceptions(session: &Session, id: ClipId) -> Vec<String> {
    let edits = session.edits(id).map(|e| e.exceptions.as_slice());
    let exceptions = edits.unwrap_or_default().iter();
    exceptions
        .map(|e| format!("approved although {e}"))
        .collect()
}

/// The same, whether it is compressed right now or not.
pub(crate) fn verdict_mark(session: &Session, id: ClipId) -> Mark {
    if session.is_cancelled(id) {
        return Mark::Cancelled;
    }
    if session.error(id).is_some() && !session.is_busy(id) {
        return Mark::Failed;
    }
    match session.edits(id).map(|e| &e.verdict) {
        Some(Verdict::Approved(_)) if session.is_stale(id) => Mark::Stale,
        Some(Verdict::Approved(_)) => Mark::Approved,
        Some(Verdict::Rejected { .. }) => Mark::Rejected,
        _ => Mark::Open,
    }
}

/// A clip's name without the `Armature|` that exporters put before the names of all clips of a file: the
/// column is narrow. The whole name stands in the tooltip.
pub(crate) fn own_part<'a>(session: &Session, id: ClipId, title: &'a str) -> &'a str {
    let Some((prefix, own)) = title.rsplit_once('|') else {
        return title;
    };
    let document = session.document(id.document);
    let clips = document.map_or(&[][..], |d| &d.asset.clips);
    let all = clips.iter().all(|c| {
        c.name()
            .strip_prefix(prefix)
            .is_some_and(|rest| rest.starts_with('|'))
    });
    if all && !own.is_empty() { own } else { title }
}

/// Shows a clip; returns whether it was clicked.
fn clip_row(ui: &mut Ui, session: &Session, id: ClipId) -> bool {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let Some(clip) = session.clip(id) else {
        return false;
    };
    let title = clip_title(clip.name(), id.clip);
    let selected = session.selected() == Some(id);
    let state = mark_of(session, id);
    response.widget_info(|| {
        let label = format!("Clip {title}, {}", state.text());
        WidgetInfo::selected(egui::Role::ListBoxOption, true, selected, label)
    });
    if !ui.is_rect_visible(rect) {
        return response.clicked();
    }
    paint_row_back(ui, rect, selected, response.hovered());
    mark(
        ui.painter(),
        rect.left_center() + vec2(8.0 + 0.5 * DOT, 0.0),
        state,
    );
    let text_left = rect.left() + 16.0 + DOT;
    let figures = RATIO_WIDTH + ERROR_WIDTH + 8.0;
    let (font, color) = if selected {
        (theme::medium_font(13.0), egui::Color32::WHITE)
    } else {
        (FontId::proportional(13.0), theme::TEXT)
    };
    let at = pos2(text_left, rect.center().y);
    let room = rect.right() - figures - text_left;
    text_at(
        ui.painter(),
        at,
        Align2::LEFT_CENTER,
        own_part(session, id, &title),
        font,
        color,
        room,
    );
    paint_figures(ui, session, id, rect);
    let clicked = response.clicked();
    response.on_hover_text(tooltip(session, id, &title, state));
    clicked
}

/// Highlights a row of a list.
pub(crate) fn paint_row_back(ui: &Ui, rect: Rect, selected: bool, hovered: bool) {
    let fill = match (selected, hovered) {
        (true, _) => theme::ACCENT_BACK,
        (false, true) => theme::RAISED,
        (false, false) => return,
    };
    ui.painter()
        .rect_filled(rect.shrink2(vec2(0.0, 1.0)), 5, fill);
}

fn paint_figures(ui: &Ui, session: &Session, id: ClipId, rect: Rect) {
    let Some(result) = session.result(id) else {
        return;
    };
    let (y, font) = (rect.center().y, FontId::proportional(12.5));
    let judged = session.judgement(id);
    let skin = judged.as_ref().and_then(|j| j.target()).map(|l| l.ruling);
    let color = match skin {
        Some(ruling @ (Ruling::Over | Ruling::CannotSay)) => ruling_color(ruling),
        _ => theme::WEAK,
    };
    let right = rect.right() - 8.0;
    let error = mm_text(result.largest_error_m());
    ui.painter().text(
        pos2(right, y),
        Align2::RIGHT_CENTER,
        error,
        font.clone(),
        color,
    );
    let ratio = format!("{:.1}×", result.ratio());
    let at = pos2(right - ERROR_WIDTH, y);
    ui.painter()
        .text(at, Align2::RIGHT_CENTER, ratio, font, theme::WEAK);
}

fn tooltip(session: &Session, id: ClipId, title: &str, mark: Mark) -> String {
    let mut lines = vec![format!("{title}: {}", mark.text())];
    if let Some(result) = session.result(id) {
        let joints = session.clip(id).map(|c| c.skeleton().joints());
        let worst = super::errors::gate_worst(result);
        let joint = joints.map_or("", |j| j[worst.joint].name.as_str());
        lines.extend([result.sum_words(), result.ratio_words()]);
        lines.push(format!(
            "max {} {} (worst at {joint}), measured on the decoded bytes",
            result.measured.joints[worst.joint].name(),
            units::show_mm(worst.error_m),
        ));
    }
    let changed = session.changed_since_verdict(id);
    if changed.any() {
        lines.push(format!("since the verdict: {changed}"));
        if let Some((then, now)) = session.since_approval(id) {
            lines.push(format!("approved: {then}\nnow: {now}"));
        }
    }
    lines.extend(exceptions(session, id));
    let missed = session.missed(id);
    lines.extend(missed.iter().map(|m| format!("no pass: {}", m.short())));
    let verdict = session.edits(id).map(|e| &e.verdict);
    if let Some(Verdict::Rejected { note, .. }) = verdict
        && !note.is_empty()
    {
        lines.push(format!("rejected: {note}"));
    }
    lines.extend(session.error(id).map(ToString::to_string));
    lines.join("\n")
}
