use crate::codec::{Instants, Ruling};
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{figure, mm_text, section};
use crate::metrics::{ErrorStats, Seam, Worst};
use crate::model::Clip;
use crate::session::{ClipResult, units};
use eframe::egui::{self, Align2, Color32, FontId, RichText, Sense, Ui, WidgetInfo, pos2, vec2};

/// The place of the error that the target is held against.
pub(super) fn gate_worst(result: &ClipResult) -> Worst {
    let m = &result.measured;
    let sets = result.instants().stats(m);
    let first = m.frames.worst;
    sets.iter()
        .map(|s| s.worst)
        .fold(first, |a, b| if b.error_m > a.error_m { b } else { a })
}

/// Selects a joint and goes to a time.
pub(super) fn go_to(state: &mut State, worst: Worst) {
    let Some(grid) = state.clip().map(|c| c.grid()) else {
        return;
    };
    state.joint = worst.joint;
    state.transport.playing = None;
    state.transport.go_to(grid.frame(worst.secs), &grid);
}

/// What was measured on the decoded bytes.
pub(super) fn errors_ui(ui: &mut Ui, state: &mut State) {
    let Some((clip, result)) = state.clip().cloned().zip(state.result().cloned()) else {
        return;
    };
    section(ui, "Skin error", |ui| {
        let why = "Millimetres by which what the joints move is displaced in model space, measured on the decoded bytes";
        ui.label(theme::hint("mm")).on_hover_text(why);
    });
    heads(ui);
    let m = &result.measured;
    let sets = [
        ("At frames", &m.frames, "At the source's frames"),
        (
            "At source keys",
            &m.key_times,
            "At source keys that lie between frames",
        ),
        (
            "Between frames",
            &m.dense,
            "On a grid four times as dense as the frames",
        ),
    ];
    let judged = state.judgement();
    let skin = judged.as_ref().and_then(|j| j.target());
    for (k, (label, stats, where_)) in sets.into_iter().enumerate() {
        if stats.instants == 0 {
            continue;
        }
        let gated = k < 2 || result.instants() == Instants::Between;
        let ruling = skin.map(|l| l.rule_on(stats.weighed.error_m));
        let over = gated && ruling == Some(Ruling::Over);
        let joint = &clip.skeleton().joints()[stats.worst.joint].name;
        let frame = clip.grid().frame(stats.worst.secs);
        let worst = format!("{joint}, frame {}", frame_text(frame));
        if row(ui, label, stats, &worst, where_, over) {
            go_to(state, stats.worst);
        }
    }
    ui.add_space(2.0);
    let j = m.jitter;
    let speed = format!(
        "{}  ·  {}",
        units::digits(j.rms_m_per_s * 1000.0),
        units::digits(j.max_m_per_s * 1000.0)
    );
    let speed = RichText::new(speed).size(12.5);
    figure(
        ui,
        "Jitter, mm/s: RMS · max",
        speed,
        "How fast the error itself moves from frame to frame, in millimetres a second\nA steady error is not seen, one that shakes is",
    );
    if let Some(seam) = result.loop_seam() {
        seam_ui(ui, &seam, &clip);
    }
}

/// Where the loop closes.
fn seam_ui(ui: &mut Ui, seam: &Seam, clip: &Clip) {
    let text = format!(
        "{}  ·  {}",
        mm_text(seam.gap_m),
        units::digits(seam.kick_m_per_s * 1000.0)
    );
    let name = |joint: usize| &clip.skeleton().joints()[joint].name;
    let why = format!(
        "What compression adds where the loop closes: the gap between last and first frame, millimetres ({}), and the \
         jump of speed there, millimetres a second ({})",
        name(seam.gap_joint),
        name(seam.kick_joint)
    );
    let text = RichText::new(text).size(12.5);
    figure(ui, "Seam, mm · mm/s", text, &why);
}

/// A frame as people write it.
pub(super) fn frame_text(frame: f64) -> String {
    if (frame - frame.round()).abs() < 1e-3 {
        return format!("{frame:.0}");
    }
    format!("{frame:.2}")
}

const COLUMN: f32 = 52.0;

fn heads(ui: &mut Ui) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 14.0), Sense::hover());
    for (k, head) in ["max", "99.99 %", "RMS"].into_iter().enumerate() {
        let x = rect.right() - COLUMN * (2 - k) as f32;
        let at = pos2(x, rect.center().y);
        let font = FontId::proportional(11.0);
        ui.painter()
            .text(at, Align2::RIGHT_CENTER, head, font, theme::FAINT);
    }
}

/// One set of instants; returns whether it was clicked.
fn row(
    ui: &mut Ui,
    label: &str,
    stats: &ErrorStats,
    worst: &str,
    where_: &str,
    over: bool,
) -> bool {
    ui.spacing_mut().item_spacing.y = 2.0;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 34.0), Sense::click());
    let name = format!("{label}: go to {worst}");
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &name));
    let back = rect.expand2(vec2(6.0, 0.0));
    if response.hovered() {
        ui.painter().rect_filled(back, 5, theme::RAISED);
    }
    let y = rect.top() + 10.0;
    let text = |x: f32, y: f32, anchor, t: &str, font, color: Color32| {
        ui.painter().text(pos2(x, y), anchor, t, font, color);
    };
    text(
        rect.left(),
        y,
        Align2::LEFT_CENTER,
        label,
        FontId::proportional(12.5),
        theme::TEXT,
    );
    let strong = if over { theme::BAD } else { theme::TEXT };
    for (k, value) in [stats.max_m, stats.p9999_m, stats.rms_m]
        .into_iter()
        .enumerate()
    {
        let x = rect.right() - COLUMN * (2 - k) as f32;
        let (font, color) = if k == 0 {
            (theme::medium_font(12.5), strong)
        } else {
            (FontId::proportional(12.5), theme::WEAK)
        };
        text(x, y, Align2::RIGHT_CENTER, &mm_text(value), font, color);
    }
    crate::gui::widgets::text_at(
        ui.painter(),
        pos2(rect.left(), rect.top() + 24.0),
        Align2::LEFT_CENTER,
        worst,
        FontId::proportional(11.0),
        theme::FAINT,
        rect.width(),
    );
    let clicked = response.clicked();
    response.on_hover_text(format!(
        "{where_} ({} instants, all joints): largest, 99.99 % are below, root of the mean square, millimetres\nWorst: {worst}; click to go there",
        stats.instants
    ));
    clicked
}
