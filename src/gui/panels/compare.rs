use crate::codec::{Deliverable, Ruling};
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{mm_text, rule, ruling_color, section};
use crate::session::{Change, ClipId, Compared, Comparison, units};
use eframe::egui::{
    self, Align2, Color32, CornerRadius, FontId, Rect, RichText, Sense, Ui, WidgetInfo, pos2, vec2,
};

/// Width of a codec's column, points.
const COLUMN: f32 = 60.0;

/// Height of a row.
const ROW: f32 = 17.0;

/// What is compared, from top to bottom: label, tooltip.
const ROWS: [(&str, &str); 8] = [
    ("Animation", "Bytes of the animation"),
    ("File", "Bytes of the file, with skeleton and rest pose"),
    (
        "Max, mm",
        "Largest skin error that the target is held against",
    ),
    (
        "RMS, mm",
        "Root of the mean square of the skin error at frames",
    ),
    (
        "Jitter",
        "How fast the error moves from frame to frame, RMS, millimetres a second",
    ),
    ("Slide, mm", "Largest added slide of a foot that stands"),
    (
        "Keys",
        "Stored keys of all tracks; frames where all frames are stored",
    ),
    (
        "A pose, ns",
        "Nanoseconds to decode a pose on this machine, playing forward at two poses a frame",
    ),
];

/// What each codec makes of the clip, when somebody asks.
pub(super) fn compare_ui(ui: &mut Ui, state: &mut State) {
    let Some(id) = state.session.selected() else {
        return;
    };
    let comparison = state.session.comparison(id).cloned();
    let busy = state.session.is_comparing(id);
    let current = comparison
        .as_ref()
        .is_some_and(|c| is_current(state, id, c));
    let mut asked = false;
    section(ui, "Codecs compared", |ui| {
        if busy {
            ui.add(egui::Spinner::new().size(13.0));
            return;
        }
        if !current {
            let label = if comparison.is_some() {
                "Again"
            } else {
                "Compare"
            };
            let why = "Compress the clip with compact, uniform and riot at these settings and measure each";
            asked = ui.small_button(label).on_hover_text(why).clicked();
        }
    });
    if asked {
        state.session.compare(id);
    }
    if let Some(comparison) = comparison {
        let chosen = state.session.edits(id).map(|e| e.settings.deliverable);
        if let Some(picked) = table(ui, &comparison, chosen, current) {
            state.change(Change::Deliverable(picked), None);
        }
        if !current && !busy {
            ui.label(theme::hint("of settings that have changed since"));
        }
    }
    rule(ui);
}

fn is_current(state: &State, id: ClipId, comparison: &Comparison) -> bool {
    let Some(unit_m) = state.session.unit_m(id) else {
        return false;
    };
    let edits = state.session.edits(id);
    let result = state.session.result(id);
    let same_contacts = result.is_none_or(|r| r.contacts == comparison.contacts);
    same_contacts && edits.is_some_and(|e| comparison.is_of(&e.settings, unit_m))
}

/// Returns the codec that was clicked.
fn table(
    ui: &mut Ui,
    comparison: &Comparison,
    chosen: Option<Deliverable>,
    current: bool,
) -> Option<Deliverable> {
    let height = 28.0 + ROW * ROWS.len() as f32 + 4.0;
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    ui.painter().rect_filled(rect, 6, theme::SUNK);
    for (k, (label, tooltip)) in ROWS.into_iter().enumerate() {
        let top = rect.top() + 28.0 + ROW * k as f32;
        let line = Rect::from_min_size(pos2(rect.left(), top), vec2(rect.width(), ROW));
        let at = pos2(rect.left() + 10.0, line.center().y);
        let font = FontId::proportional(12.0);
        ui.painter()
            .text(at, Align2::LEFT_CENTER, label, font, theme::WEAK);
        ui.interact(line, ui.scope_id().with(("compared", k)), Sense::hover())
            .on_hover_text(tooltip);
    }
    let smallest = comparison
        .codecs
        .iter()
        .map(|c| c.animation_bytes)
        .min()
        .unwrap_or(0);
    let count = comparison.codecs.len();
    let mut picked = None;
    for (k, c) in comparison.codecs.iter().enumerate() {
        let right = rect.right() - 8.0 - COLUMN * (count - 1 - k) as f32;
        let on = chosen == Some(c.deliverable);
        if head(ui, c.deliverable, pos2(right, rect.top() + 4.0), on) && !on {
            picked = Some(c.deliverable);
        }
        for (row, (text, color)) in cells(c, smallest).into_iter().enumerate() {
            let y = rect.top() + 28.0 + ROW * (row as f32 + 0.5);
            let color = if current { color } else { theme::FAINT };
            let font = theme::medium_font(12.0);
            ui.painter().text(
                pos2(right - 4.0, y),
                Align2::RIGHT_CENTER,
                text,
                font,
                color,
            );
        }
    }
    picked
}

fn head(ui: &mut Ui, deliverable: Deliverable, top_right: egui::Pos2, on: bool) -> bool {
    let min = pos2(top_right.x - COLUMN + 2.0, top_right.y);
    let rect = Rect::from_min_size(min, vec2(COLUMN - 2.0, 20.0));
    let id = ui.scope_id().with(("compared codec", deliverable));
    let response = ui.interact(rect, id, Sense::click());
    let name = deliverable.name();
    response.widget_info(|| {
        WidgetInfo::selected(egui::Role::RadioButton, true, on, format!("Ship {name}"))
    });
    if on || response.hovered() {
        let fill = if on {
            theme::ACCENT_BACK
        } else {
            theme::RAISED
        };
        ui.painter().rect_filled(rect, CornerRadius::same(4), fill);
    }
    let color = if on { theme::ACCENT } else { theme::WEAK };
    ui.painter().text(
        pos2(top_right.x - 4.0, rect.center().y),
        Align2::RIGHT_CENTER,
        name,
        theme::medium_font(11.5),
        color,
    );
    let clicked = response.clicked();
    response.on_hover_text(RichText::new(if on {
        "This is what is shipped".to_owned()
    } else {
        format!("Ship {name} instead")
    }));
    clicked
}

/// The figures of a codec, as [`ROWS`] names them.
fn cells(c: &Compared, smallest: usize) -> [(String, Color32); ROWS.len()] {
    let bytes = if c.animation_bytes == smallest {
        theme::GOOD
    } else {
        theme::TEXT
    };
    let max = match c.judgement.target().map(|l| l.ruling) {
        Some(ruling @ (Ruling::Over | Ruling::CannotSay)) => ruling_color(ruling),
        _ => theme::TEXT,
    };
    let slide = match c.slide_m {
        Some(m) => (mm_text(m), ruling_color(c.judgement.feet_ruling())),
        None => ("–".to_owned(), theme::FAINT),
    };
    [
        (units::show_bytes(c.animation_bytes), bytes),
        (units::show_bytes(c.file_bytes), theme::TEXT),
        (mm_text(c.max_m), max),
        (mm_text(c.rms_m), theme::TEXT),
        (units::digits(c.jitter_m_per_s * 1000.0), theme::TEXT),
        slide,
        (c.keys.to_string(), theme::TEXT),
        (format!("{:.0}", c.ns_a_pose), theme::TEXT),
    ]
}
