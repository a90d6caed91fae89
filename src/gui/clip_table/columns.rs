//! The columns: heads, how wide they are, and which give way first.

use super::figures::Figures;
use crate::codec::Ruling;
use crate::gui::theme;
use crate::gui::widgets::mm_text;
use crate::session::bytes::ratio_words;
use crate::session::units;
use eframe::egui::Color32;

/// A column of the table of clips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// What was decided, or what the worker does.
    Status,
    /// The clip's name.
    Clip,
    /// The file, below the folder that was opened.
    File,
    /// Frames.
    Frames,
    /// Seconds.
    Secs,
    /// Bytes of the animation.
    Bytes,
    /// Bytes of the file.
    FileBytes,
    /// Full frames of floats divided by the animation.
    Ratio,
    /// Largest skin error.
    Max,
    /// Largest added slide.
    Slide,
    /// How far compression opens a loop.
    Seam,
    /// The largest speed of the error.
    Jitter,
    /// Stored keys.
    Keys,
    /// Reason of a verdict, and notes.
    Note,
}

/// What a column is called and how much room it takes.
pub(super) struct Head {
    pub column: Column,
    /// With its unit, as short as can be.
    pub text: &'static str,
    /// In a sentence.
    pub name: &'static str,
    pub tooltip: &'static str,
    /// Least width, points.
    pub width: f32,
    /// What it gets of the room that is left.
    pub share: f32,
}

const fn head(
    column: Column,
    text: &'static str,
    name: &'static str,
    width: f32,
    share: f32,
    tooltip: &'static str,
) -> Head {
    Head {
        column,
        text,
        name,
        tooltip,
        width,
        share,
    }
}

/// All columns from the left.
pub(super) const HEADS: [Head; 14] = [
    head(
        Column::Status,
        "",
        "status",
        26.0,
        0.0,
        "Open, approved, stale, rejected, failed, or being compressed",
    ),
    head(Column::Clip, "clip", "name", 124.0, 1.2, "The clip's name"),
    head(
        Column::File,
        "file",
        "file",
        104.0,
        1.0,
        "The file, below the folder that was opened",
    ),
    head(
        Column::Frames,
        "frames",
        "frames",
        56.0,
        0.0,
        "Frames of the source",
    ),
    head(
        Column::Secs,
        "s",
        "seconds",
        50.0,
        0.0,
        "Seconds that it takes",
    ),
    head(
        Column::Bytes,
        "anim bytes",
        "animation bytes",
        80.0,
        0.0,
        "Bytes of the animation: what the clip adds to a game that has its skeleton",
    ),
    head(
        Column::FileBytes,
        "file bytes",
        "file bytes",
        66.0,
        0.0,
        "Bytes of the file that is exported, with skeleton and rest pose; not known before for a glTF file",
    ),
    head(
        Column::Ratio,
        "ratio",
        "ratio",
        54.0,
        0.0,
        "Full frames of ten floats a joint divided by the animation",
    ),
    head(
        Column::Max,
        "max mm",
        "max error",
        60.0,
        0.0,
        "Largest skin error, millimetres, measured on the decoded bytes; red over its target",
    ),
    head(
        Column::Slide,
        "slide mm",
        "added slide",
        64.0,
        0.0,
        "Most slide that compression adds to a foot that stands, millimetres; red over its limit",
    ),
    head(
        Column::Seam,
        "seam mm",
        "seam",
        66.0,
        0.0,
        "How far compression opens a loop between its last frame and its first, millimetres; for clips that loop",
    ),
    head(
        Column::Jitter,
        "jitter mm/s",
        "jitter",
        76.0,
        0.0,
        "Largest speed of the error, millimetres a second: what a limit on jitter holds",
    ),
    head(
        Column::Keys,
        "keys",
        "keys",
        54.0,
        0.0,
        "Stored keys of all tracks",
    ),
    head(
        Column::Note,
        "note",
        "note",
        72.0,
        0.8,
        "Why it was rejected, and how many notes it has on frames",
    ),
];

/// Which columns go where there is no room for all, the first one first.
const GIVE_WAY: [Column; 10] = [
    Column::Secs,
    Column::Keys,
    Column::Jitter,
    Column::Frames,
    Column::Note,
    Column::Seam,
    Column::File,
    Column::Ratio,
    Column::FileBytes,
    Column::Slide,
];

impl Column {
    /// Whether it holds words, which stand at the left.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Status | Self::Clip | Self::File | Self::Note)
    }

    pub(super) fn head(self) -> &'static Head {
        // All columns are among the heads.
        HEADS.iter().find(|h| h.column == self).unwrap_or(&HEADS[0])
    }
}

/// Columns that are shown in a width, each with its left and right edge in points from the left.
pub(super) fn layout(width: f32) -> Vec<(&'static Head, f32, f32)> {
    let mut shown: Vec<&Head> = HEADS.iter().collect();
    for column in GIVE_WAY {
        if shown.iter().map(|h| h.width).sum::<f32>() <= width {
            break;
        }
        shown.retain(|h| h.column != column);
    }
    let least: f32 = shown.iter().map(|h| h.width).sum();
    let shares: f32 = shown.iter().map(|h| h.share).sum();
    let left_over = (width - least).max(0.0);
    let mut x = 0.0;
    let place = |h: &'static Head| {
        let left = x;
        x += h.width + left_over * h.share / shares.max(1e-6);
        (h, left, x)
    };
    shown.into_iter().map(place).collect()
}

/// The colour of a figure in the table, and what its tooltip says of its limit: only what is no pass stands out.
fn ruled(ruling: Ruling) -> (Color32, &'static str) {
    match ruling {
        Ruling::NotAsked => (theme::WEAK, ", not limited"),
        Ruling::Met => (theme::TEXT, ", within its limit"),
        Ruling::CannotSay => (theme::WARNING, ", not known against its limit"),
        Ruling::Over => (theme::BAD, ", over its limit"),
    }
}

/// A figure as it stands in its cell, its colour, and what is behind it; `None` for a dash.
pub(super) fn figure_cell(column: Column, f: &Figures) -> Option<(String, Color32, String)> {
    let weak = theme::WEAK;
    Some(match column {
        Column::Bytes => {
            let why = format!("{} animation", units::show_bytes(f.bytes));
            (grouped(f.bytes), theme::TEXT, why)
        }
        Column::FileBytes => {
            let bytes = f.file_bytes?;
            let around = bytes.saturating_sub(f.bytes);
            let why = format!(
                "{} file: {} of it is skeleton, rest pose and header",
                units::show_bytes(bytes),
                units::show_bytes(around)
            );
            (grouped(bytes), weak, why)
        }
        Column::Ratio => {
            let text = if f.ratio < 99.95 {
                format!("{:.1}×", f.ratio)
            } else {
                format!("{:.0}×", f.ratio)
            };
            (
                text,
                weak,
                ratio_words(f.bytes, f.source_bytes, f.raw_bytes),
            )
        }
        Column::Max => {
            let why = format!("Largest skin error {}", units::show_mm(f.max_m));
            let (color, ruling) = ruled(f.skin);
            (mm_text(f.max_m), color, why + ruling)
        }
        Column::Slide => {
            let (color, ruling) = ruled(f.feet);
            let Some(slide_m) = f.slide_m else {
                let why = format!("No foot is known to stand{ruling}");
                return (f.feet == Ruling::CannotSay).then(|| ("?".to_owned(), color, why));
            };
            let why = format!("Most added slide {}", units::show_mm(slide_m));
            (mm_text(slide_m), color, why + ruling)
        }
        Column::Seam => {
            let seam_m = f.seam_m?;
            let why = format!("Compression opens the loop by {}", units::show_mm(seam_m));
            let (color, ruling) = ruled(f.seam);
            (mm_text(seam_m), color, why + ruling)
        }
        Column::Jitter => {
            let shown = units::digits((f.jitter_m_per_s * 10_000.0).round() / 10.0);
            let why = format!("The error moves at {shown} mm/s at most");
            let (color, ruling) = ruled(f.jitter);
            (shown, color, why + ruling)
        }
        Column::Keys => (grouped(f.keys), weak, "Stored keys of all tracks".into()),
        _ => return None,
    })
}

/// A number with a thin space between thousands: `12 345`.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut shown = String::with_capacity(digits.len() + 2 * (digits.len() / 3));
    for (k, c) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            shown.push('\u{2009}');
        }
        shown.push(c);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fill_the_room_and_give_way_in_turn() {
        for width in [300.0, 500.0, 980.0, 1270.0, 3000.0] {
            let shown = layout(width);
            let (_, _, right) = shown.last().expect("a column");
            let least: f32 = shown.iter().map(|(h, ..)| h.width).sum();
            assert!((right - width.max(least)).abs() < 0.1, "{width} {right}");
            assert!(least <= width || width < 340.0, "{width} {least}");
            assert!(shown.iter().any(|(h, ..)| h.column == Column::Max));
        }
        assert_eq!(
            layout(956.0).len(),
            HEADS.len(),
            "all of them at 1280 x 720"
        );
        assert!(layout(700.0).iter().all(|(h, ..)| h.column != Column::Secs));
    }

    #[test]
    fn thousands_stand_apart() {
        let shown = [0, 999, 1000, 1_234_567].map(grouped);
        assert_eq!(
            shown,
            ["0", "999", "1\u{2009}000", "1\u{2009}234\u{2009}567"]
        );
    }
}
