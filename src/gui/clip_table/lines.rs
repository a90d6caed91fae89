//! Which clips are shown, and in which order.

use super::figures::Figures;
use super::{Column, TableState};
use crate::codec::Ruling;
use crate::gui::actions::clip_title;
use crate::gui::panels::verdict_mark;
use crate::gui::state::State;
use crate::gui::widgets::Mark;
use crate::session::{ClipId, Document, Session, Verdict};
use std::cmp::Ordering;
use std::collections::HashMap;

/// Which clips are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StatusFilter {
    /// All.
    #[default]
    All,
    /// Nobody has looked at them.
    Open,
    /// Approved as they are.
    Approved,
    /// Approved, and changed since.
    Stale,
    /// Rejected.
    Rejected,
    /// Failed, or cancelled.
    Failed,
    /// Their skin error is over its target.
    OverTarget,
    /// A foot or a pair slides more than its limit.
    Sliding,
}

impl StatusFilter {
    /// With what each is called and what it shows.
    pub const ALL: [(Self, &'static str, &'static str); 8] = [
        (Self::All, "all", "All clips"),
        (Self::Open, "open", "Neither approved nor rejected"),
        (Self::Approved, "approved", "Approved as they are now"),
        (Self::Stale, "stale", "Approved, and changed since"),
        (Self::Rejected, "rejected", "Rejected"),
        (
            Self::Failed,
            "failed",
            "Could not be compressed, or cancelled",
        ),
        (
            Self::OverTarget,
            "over target",
            "The skin error is over its target",
        ),
        (
            Self::Sliding,
            "slide over limit",
            "A foot or a pair slides more than its limit",
        ),
    ];

    fn lets_through(self, mark: Mark, figures: Option<&Figures>) -> bool {
        match self {
            Self::All => true,
            Self::Open => mark == Mark::Open,
            Self::Approved => matches!(mark, Mark::Approved | Mark::Excepted),
            Self::Stale => mark == Mark::Stale,
            Self::Rejected => mark == Mark::Rejected,
            Self::Failed => matches!(mark, Mark::Failed | Mark::Cancelled),
            Self::OverTarget => figures.is_some_and(|f| f.skin == Ruling::Over),
            Self::Sliding => figures.is_some_and(|f| f.feet == Ruling::Over),
        }
    }
}

/// What a row is sorted by; what is missing comes last, whichever way.
enum Key {
    Text(String),
    Number(f64),
    Missing,
}

/// A file's name, below the folder with which it was opened.
pub(super) fn file_text(d: &Document) -> String {
    let below = d.folder().and_then(|f| d.asset.path.strip_prefix(f).ok());
    below.map_or_else(|| d.file_name(), |p| p.display().to_string())
}

/// Why a clip was rejected, and how many notes it has on frames; empty where there is neither.
pub(super) fn note_text(session: &Session, id: ClipId) -> String {
    let Some(edits) = session.edits(id) else {
        return String::new();
    };
    let reason = match &edits.verdict {
        Verdict::Rejected { note, .. } => note.as_str(),
        _ => "",
    };
    let notes = match edits.notes.as_slice() {
        [] => String::new(),
        [one] => format!("frame {}: {}", one.frame, one.text),
        all => format!("{} notes", all.len()),
    };
    let parts = [reason, notes.as_str()];
    let parts = parts.iter().filter(|p| !p.is_empty());
    parts.copied().collect::<Vec<_>>().join(" · ")
}

/// Finds out anew which clips are shown.
pub(super) fn refresh(state: &mut State) {
    let State { session, table, .. } = state;
    table.figures.keep(session);
    table.rows.retain(|id| session.clip(*id).is_some());
    if let Some(id) = session.selected().filter(|id| !table.rows.contains(id)) {
        table.select_only(id);
        table.reveal = true;
    }
    let files: HashMap<usize, String> = session
        .documents()
        .iter()
        .map(|d| (d.number(), file_text(d)))
        .collect();
    let words: Vec<String> = table
        .filter
        .split_whitespace()
        .map(str::to_lowercase)
        .collect();
    let mut lines = Vec::new();
    for id in session.clip_ids() {
        let figures = table.figures.of(session, id);
        let mark = verdict_mark(session, id);
        if table.status.lets_through(mark, figures.as_ref())
            && has_words(session, id, &files, &words)
        {
            lines.push((key(session, id, table.order.by, &files, mark, figures), id));
        }
    }
    sort(&mut lines, table);
    table.shown = lines.into_iter().map(|(_, id)| id).collect();
}

fn has_words(
    session: &Session,
    id: ClipId,
    files: &HashMap<usize, String>,
    words: &[String],
) -> bool {
    if words.is_empty() {
        return true;
    }
    let name = session.clip(id).map_or("", |c| c.name());
    let file = files.get(&id.document).map_or("", String::as_str);
    let notes = session.edits(id).map(|e| e.notes.as_slice());
    let notes = notes.unwrap_or_default().iter().map(|n| n.text.as_str());
    let notes: Vec<&str> = notes.collect();
    let note = note_text(session, id);
    let all = format!("{name}\n{file}\n{note}\n{}", notes.join("\n")).to_lowercase();
    words.iter().all(|w| all.contains(w))
}

fn key(
    session: &Session,
    id: ClipId,
    by: Column,
    files: &HashMap<usize, String>,
    mark: Mark,
    figures: Option<Figures>,
) -> Key {
    let grid = || session.clip(id).map(|c| c.grid());
    let figure = |of: fn(&Figures) -> Option<f64>| figures.as_ref().and_then(of);
    let number = match by {
        Column::Clip => {
            let title = session.clip(id).map(|c| clip_title(c.name(), id.clip));
            return Key::Text(title.unwrap_or_default().to_lowercase());
        }
        Column::File => {
            let file = files.get(&id.document);
            return Key::Text(file.map_or_else(String::new, |f| f.to_lowercase()));
        }
        Column::Note => {
            let note = note_text(session, id);
            return if note.is_empty() {
                Key::Missing
            } else {
                Key::Text(note.to_lowercase())
            };
        }
        Column::Status => Some(rank(mark)),
        Column::Frames => grid().map(|g| g.frames as f64),
        Column::Secs => grid().map(|g| g.duration_secs()),
        Column::Bytes => figure(|f| Some(f.bytes as f64)),
        Column::FileBytes => figure(|f| f.file_bytes.map(|bytes| bytes as f64)),
        Column::Ratio => figure(|f| Some(f.ratio)),
        Column::Max => figure(|f| Some(f.max_m)),
        Column::Slide => figure(|f| f.slide_m),
        Column::Seam => figure(|f| f.seam_m),
        Column::Jitter => figure(|f| Some(f.jitter_m_per_s)),
        Column::Keys => figure(|f| Some(f.keys as f64)),
    };
    number.map_or(Key::Missing, Key::Number)
}

/// What needs a person comes first.
fn rank(mark: Mark) -> f64 {
    match mark {
        Mark::Failed => 0.0,
        Mark::Cancelled => 1.0,
        Mark::Stale => 2.0,
        Mark::Rejected => 3.0,
        Mark::Open | Mark::Busy(_) => 4.0,
        Mark::Excepted => 5.0,
        Mark::Approved => 6.0,
    }
}

fn sort(lines: &mut [(Key, ClipId)], table: &TableState) {
    let turned = |o: Ordering| {
        if table.order.ascending {
            o
        } else {
            o.reverse()
        }
    };
    // Stable: among equals the order of opening stays.
    lines.sort_by(|(a, _), (b, _)| match (a, b) {
        (Key::Text(a), Key::Text(b)) => turned(a.cmp(b)),
        (Key::Number(a), Key::Number(b)) => turned(a.total_cmp(b)),
        (Key::Missing, Key::Missing) => Ordering::Equal,
        // A column holds texts or numbers, never both.
        (Key::Missing, _) | (Key::Text(_), Key::Number(_)) => Ordering::Greater,
        (_, Key::Missing) | (Key::Number(_), Key::Text(_)) => Ordering::Less,
    });
}
