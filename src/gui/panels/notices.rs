use crate::gui::shell::Sheet;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::small_button;
use crate::session::{Notice, NoticeKind};
use eframe::egui::{
    self, Align2, Area, Color32, FontId, Frame, Id, Label, Margin, Order, Rect, RichText, Stroke,
    Ui, text::LayoutJob, vec2,
};
use egui_material_icons::icons::{ICON_CHECK_CIRCLE, ICON_CLOSE, ICON_ERROR, ICON_WARNING};

const WIDTH: f32 = 340.0;
const MOST: usize = 3;

/// Rows of a message in its card; the sheet of messages shows all.
const MOST_ROWS: usize = 6;

/// How long a message about a success stays, seconds.
const SUCCESS_SECS: f64 = 12.0;

/// Messages, newest last, in the lower right corner of `rect`; each can be dismissed.
pub fn notices_ui(ui: &Ui, state: &mut State, rect: Rect) {
    expire(ui, state);
    let notices = state.session.notices().to_vec();
    if notices.is_empty() {
        return;
    }
    let mut dismissed = None;
    let mut all = false;
    // Errors always show; of much else only that there is much.
    let alone = |n: &&(usize, &Notice)| n.1.kind == NoticeKind::Error;
    let listed: Vec<(usize, &Notice)> = notices.iter().enumerate().collect();
    let shown: Vec<(usize, &Notice)> = if notices.len() > MOST {
        let errors: Vec<_> = listed.iter().filter(alone).copied().collect();
        errors[errors.len().saturating_sub(MOST)..].to_vec()
    } else {
        listed
    };
    let more = notices.len() - shown.len();
    Area::new(Id::unique("notices"))
        .order(Order::Middle)
        .pivot(Align2::RIGHT_BOTTOM)
        .fixed_pos(rect.right_bottom() - vec2(12.0, 44.0))
        .show(ui.ctx(), |ui| {
            ui.set_max_width(WIDTH);
            if more > 0 {
                let (dismiss, show) = more_card(ui, &notices);
                all = dismiss;
                if show {
                    state.shell.sheet = Some(Sheet::Notices);
                }
            }
            for (k, notice) in shown {
                let (dismiss, show) = card(ui, notice);
                if dismiss {
                    dismissed = Some(k);
                }
                if show {
                    state.shell.sheet = Some(Sheet::Notices);
                }
            }
        });
    if all {
        for k in (0..notices.len()).rev() {
            dismiss(state, k);
        }
    } else if let Some(k) = dismissed {
        dismiss(state, k);
    }
}

/// One card for many messages; returns whether to dismiss all, and whether to show them.
fn more_card(ui: &mut Ui, notices: &[Notice]) -> (bool, bool) {
    let (icon, color) = look(NoticeKind::Warning);
    let (mut dismiss, mut show) = (false, false);
    frame(color).show(ui, |ui| {
        ui.set_width(WIDTH - 24.0);
        ui.horizontal(|ui| {
            ui.label(RichText::new(icon).size(17.0).color(color));
            ui.label(theme::semibold(format!("{} messages", notices.len()), 13.0));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                dismiss = small_button(ui, ICON_CLOSE.codepoint, "Dismiss all messages").clicked();
                show = ui.button("Show all").clicked();
            });
        });
        let last = notices.last().map_or("", |n| n.title.as_str());
        let text = RichText::new(format!("The last one: {last}")).size(12.5);
        ui.add(Label::new(text.color(theme::WEAK)).truncate());
    });
    (dismiss, show)
}

fn frame(color: Color32) -> Frame {
    Frame::new()
        .fill(Color32::from_rgb(34, 38, 46))
        .stroke(Stroke::new(1.0, theme::over(theme::LINE, color, 0.35)))
        .corner_radius(8)
        .inner_margin(Margin::symmetric(12, 10))
}

/// All messages in full, to scroll through.
pub(super) fn notice_list(ui: &mut Ui, notices: &[Notice]) {
    ui.set_width(560.0);
    let height = (0.6 * ui.ctx().content_rect().height()).min(520.0);
    egui::ScrollArea::vertical()
        .max_height(height)
        .show(ui, |ui| {
            for notice in notices {
                let (icon, color) = look(notice.kind);
                ui.horizontal(|ui| {
                    ui.label(RichText::new(icon).size(15.0).color(color));
                    ui.label(theme::medium(&notice.title, 12.5));
                });
                let text = RichText::new(&notice.text).size(12.5).color(theme::WEAK);
                ui.add(Label::new(text).wrap());
                ui.add_space(4.0);
            }
        });
}

/// Takes messages about successes away after a while.
fn expire(ui: &Ui, state: &mut State) {
    let now = ui.input(|i| i.time);
    let count = state.session.notices().len();
    state.shell.notice_times.truncate(count);
    state.shell.notice_times.resize(count, now);
    for k in (0..count).rev() {
        if state.session.notices()[k].kind != NoticeKind::Success {
            continue;
        }
        let left = state.shell.notice_times[k] + SUCCESS_SECS - now;
        if left <= 0.0 {
            dismiss(state, k);
        } else {
            let left = std::time::Duration::from_secs_f64(left);
            ui.ctx().request_repaint_after(left);
        }
    }
}

fn dismiss(state: &mut State, index: usize) {
    state.session.dismiss(index);
    if index < state.shell.notice_times.len() {
        state.shell.notice_times.remove(index);
    }
}

/// One message, its first lines; returns whether it was dismissed, and whether to show it in full.
fn card(ui: &mut Ui, notice: &Notice) -> (bool, bool) {
    let (icon, color) = look(notice.kind);
    let (mut dismissed, mut show) = (false, false);
    frame(color).show(ui, |ui| {
        ui.set_width(WIDTH - 24.0);
        ui.horizontal(|ui| {
            ui.label(RichText::new(icon).size(17.0).color(color));
            ui.label(theme::semibold(&notice.title, 13.0));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let name = format!("Dismiss: {}", notice.title);
                dismissed = small_button(ui, ICON_CLOSE.codepoint, &name).clicked();
            });
        });
        let font = FontId::proportional(12.5);
        let width = ui.available_width();
        let mut text = LayoutJob::simple(notice.text.clone(), font, theme::WEAK, width);
        text.wrap.max_rows = MOST_ROWS;
        let text = ui.painter().layout_job(text);
        let cut = text.elided;
        ui.add(Label::new(text));
        if cut {
            show = ui.button("Show all").clicked();
        }
    });
    (dismissed, show)
}

fn look(kind: NoticeKind) -> (&'static str, Color32) {
    match kind {
        NoticeKind::Success => (ICON_CHECK_CIRCLE.codepoint, theme::GOOD),
        NoticeKind::Warning => (ICON_WARNING.codepoint, theme::WARNING),
        NoticeKind::Error => (ICON_ERROR.codepoint, theme::BAD),
    }
}
