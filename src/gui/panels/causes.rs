use super::tighten::{prices_ui, tighten_button, whole_row};
use crate::gui::shell::CauseFrame;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{choice, mm_text, section, text_at};
use crate::gui::within::Within as _;
use crate::metrics::{Cause, Causes};
use crate::model::Clip;
use crate::session::{ClipId, ClipResult, units};
use eframe::egui::{self, Align2, FontId, Rect, RichText, Sense, Ui, WidgetInfo, pos2, vec2};
use std::sync::Arc;

/// Joints that are named; what all others add stands in one line.
const MOST_ROWS: usize = 6;

pub(super) const ROW: f32 = 21.0;
const NAME_WIDTH: f32 = 98.0;
pub(super) const BUTTON_WIDTH: f32 = 58.0;
const VALUE_WIDTH: f32 = 50.0;

/// Shares below this are not worth a row, metres.
const LEAST_M: f64 = 5e-7;

/// What the rows stand for.
pub(super) struct Shown {
    pub(super) id: ClipId,
    pub(super) clip: Arc<Clip>,
    pub(super) result: Arc<ClipResult>,
    pub(super) joint: usize,
}

impl Shown {
    fn of(state: &State) -> Option<Self> {
        let id = state.session.selected()?;
        let (clip, result) = (state.clip()?.clone(), state.result()?.clone());
        let joint = state.joint;
        (joint < clip.skeleton().len()).then_some(Self {
            id,
            clip,
            result,
            joint,
        })
    }

    pub(super) fn name(&self, joint: usize) -> &str {
        &self.clip.skeleton().joints()[joint].name
    }

    /// The joint's largest skin error in a result, metres.
    pub(super) fn error_m(&self, result: &ClipResult) -> f64 {
        let error = result.measured.joints.get(self.joint);
        error.map_or(0.0, |e| e.max_m)
    }
}

/// Which joints put the selected one off its place, by how much, and what it costs to hold them tighter.
pub(super) fn causes_ui(ui: &mut Ui, state: &mut State) {
    let Some(shown) = Shown::of(state) else {
        return;
    };
    section(ui, "Why is it off", |ui| {
        let options = [
            (
                CauseFrame::Worst,
                "Worst",
                "At the frame at which the joint is off the most",
            ),
            (CauseFrame::Now, "Now", "At the playhead"),
        ];
        if let Some(at) = choice(ui, state.shell.cause_frame, &options, 116.0) {
            state.shell.cause_frame = at;
        }
    });
    let frame = match state.shell.cause_frame {
        CauseFrame::Worst => shown.result.measured.joints[shown.joint].frame as f64,
        CauseFrame::Now => state.transport.frame,
    };
    let Some(causes) = shown.result.causes(&shown.clip, shown.joint, frame) else {
        return;
    };
    headline(ui, state, &shown, &causes, frame);
    let rows = causes.by_size();
    let count = rows.iter().take(MOST_ROWS);
    let count = count.filter(|c| c.share_m.abs() >= LEAST_M).count();
    let (named, others) = rows.split_at(count);
    heads(ui);
    for cause in named {
        row(ui, state, &shown, cause, named);
    }
    rest(ui, &causes, others);
    whole_row(ui, state, &shown);
    prices_ui(ui, state, &shown, named);
}

/// How far the joint is off, and when; a click goes there.
fn headline(ui: &mut Ui, state: &mut State, shown: &Shown, causes: &Causes, frame: f64) {
    let at = super::errors::frame_text(frame);
    let name = shown.name(shown.joint);
    let text = format!("{name} by {}, frame {at}", units::show_mm(causes.error_m));
    let label = egui::Label::new(RichText::new(text).size(12.5).color(theme::TEXT))
        .truncate()
        .sense(Sense::click());
    let tip = format!(
        "Skin error of {name} at frame {at}, on the decoded bytes; click to go there\nBelow: the error split by the joints \
         that move it, each swapped for the source's in turn"
    );
    if ui.add(label).on_hover_text(tip).clicked() {
        crate::gui::timeline::navigation::go_to(state, frame);
    }
}

fn heads(ui: &mut Ui) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 13.0), Sense::hover());
    let head = |right: f32, anchor: Align2, text: &str| {
        let at = pos2(rect.right() - right, rect.center().y);
        let font = FontId::proportional(11.0);
        ui.painter().text(at, anchor, text, font, theme::FAINT);
    };
    head(BUTTON_WIDTH + 8.0, Align2::RIGHT_CENTER, "adds, mm");
    head(0.5 * BUTTON_WIDTH, Align2::CENTER_CENTER, "to half");
}

fn row(ui: &mut Ui, state: &mut State, shown: &Shown, cause: &Cause, all: &[Cause]) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let name = shown.name(cause.joint);
    let text = words(name, cause);
    response
        .widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, format!("Cause: {text}")));
    if response.hovered() {
        let back = rect.expand2(vec2(6.0, 0.0));
        ui.painter().rect_filled(back, 5, theme::RAISED);
        state.shell.hover = Some(cause.joint);
    }
    let y = rect.center().y;
    let font = FontId::proportional(12.5);
    let at = pos2(rect.left(), y);
    let painter = ui.painter();
    text_at(
        painter,
        at,
        Align2::LEFT_CENTER,
        name,
        font,
        theme::TEXT,
        NAME_WIDTH,
    );
    let right = rect.right() - BUTTON_WIDTH - 8.0;
    let value = if cause.share_m < 0.0 {
        format!("−{}", mm_text(-cause.share_m))
    } else {
        mm_text(cause.share_m)
    };
    let font = theme::medium_font(12.0);
    painter.text(
        pos2(right, y),
        Align2::RIGHT_CENTER,
        value,
        font,
        theme::TEXT,
    );
    let bar = Rect::from_min_max(
        pos2(rect.left() + NAME_WIDTH + 6.0, y - 3.0),
        pos2(right - VALUE_WIDTH, y + 3.0),
    );
    share_bar(ui, bar, cause.share_m, all);
    let clicked = response.clicked();
    response.on_hover_text(format!(
        "{text}\nWith the source's {name} alone the skin error would be {}\nClick to select {name}",
        units::show_mm(cause.without_m)
    ));
    if clicked {
        state.joint = cause.joint;
    }
    tighten_button(ui, state, shown, cause.joint, rect);
}

fn words(name: &str, cause: &Cause) -> String {
    if cause.share_m < 0.0 {
        format!("{name} makes up for {}", units::show_mm(-cause.share_m))
    } else {
        format!("{name} adds {}", units::show_mm(cause.share_m))
    }
}

/// From the zero line to the right what adds, to the left what makes up for it.
fn share_bar(ui: &Ui, bar: Rect, share_m: f64, all: &[Cause]) {
    ui.painter().rect_filled(bar, 2, theme::SUNK);
    let shares = all.iter().map(|c| c.share_m);
    let low = shares.clone().fold(0.0, f64::min);
    let span = (shares.fold(0.0, f64::max) - low).max(LEAST_M);
    let x = |m: f64| bar.left() + bar.width() * (((m - low) / span).within(0.0, 1.0) as f32);
    let (from, to) = (x(share_m.min(0.0)), x(share_m.max(0.0)));
    let color = if share_m < 0.0 {
        theme::SOURCE
    } else {
        theme::ACCENT
    };
    let filled = bar.with_min_x(from).with_max_x(to.max(from + 1.5));
    ui.painter().rect_filled(filled, 2, color);
    if low < 0.0 {
        let line = egui::Stroke::new(1.0, theme::WEAK);
        ui.painter().vline(x(0.0), bar.y_range().expand(2.0), line);
    }
}

/// `0.204 mm`, `−1.346 mm`, `<0.001 mm` whichever way.
fn signed(metres: f64) -> String {
    let sign = if metres < -LEAST_M { "−" } else { "" };
    format!("{sign}{} mm", mm_text(metres.abs()))
}

/// What the rows do not show: smaller shares, and what shares miss.
fn rest(ui: &mut Ui, causes: &Causes, others: &[Cause]) {
    let small: f64 = others.iter().map(|c| c.share_m).sum();
    let text = format!(
        "all {} joints {} · rest {}",
        causes.joints.len(),
        signed(causes.sum_m()),
        signed(causes.rest_m())
    );
    let label = ui.label(RichText::new(text).size(11.5).color(theme::WEAK));
    label.on_hover_text(format!(
        "Shares are measured one joint at a time; {} are too small for a row and add {} together\nJoints that \
         turn together displace a little otherwise than one by one: the rest is what the shares miss of the error",
        others.len(),
        signed(small)
    ));
}
