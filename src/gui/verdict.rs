//! Verdicts: one key or click gives one, and for a while a card says what was done and takes it back.

use super::actions::clip_title;
use super::clip_table::{asks_first, targets};
use super::panels::verdict_mark;
use super::state::State;
use super::theme;
use super::widgets::Mark;
use crate::session::{Change, ClipId, Session, Verdict};
use eframe::egui::{
    self, Align2, Area, Button, Frame, Id, Label, Margin, RichText, Stroke, Ui, WidgetInfo, vec2,
};

/// How long the card stays while nobody is at it, seconds.
const STAYS_SECS: f64 = 6.0;

/// What a verdict did, to be taken back.
pub struct Toast {
    text: String,
    /// Of the session, right after it.
    revision: u64,
    /// When it goes, seconds; `None` until it is seen.
    until_secs: Option<f64>,
}

/// The clips that keys are about in words: a name, or how many.
pub(super) fn named(state: &State, ids: &[ClipId]) -> String {
    match ids {
        [id] => state
            .session
            .clip(*id)
            .map_or_else(String::new, |c| clip_title(c.name(), id.clip)),
        ids => format!("{} clips", ids.len()),
    }
}

/// How the clips that keys are about stand; open where they do not all stand the same.
pub(super) fn standing(state: &State) -> Mark {
    let ids = targets(state);
    let mut marks = ids.into_iter().map(|id| verdict_mark(&state.session, id));
    let first = marks.next().unwrap_or(Mark::Open);
    if marks.all(|m| m == first) {
        first
    } else {
        Mark::Open
    }
}

/// Gives a verdict, which `give` says in words, and offers to take it back where it changed something.
pub(super) fn judge(state: &mut State, give: impl FnOnce(&mut Session) -> String) {
    let before = state.session.revision();
    let text = give(&mut state.session);
    state.shell.happened.clone_from(&text);
    let revision = state.session.revision();
    if revision != before {
        state.shell.toast = Some(Toast {
            text,
            revision,
            until_secs: None,
        });
    }
}

/// Approves the clips that keys are about as they are now; where they all are, takes that back.
pub(super) fn toggle_approval(state: &mut State) {
    let ids = targets(state);
    if standing(state) == Mark::Approved {
        clear(state, &ids);
    } else {
        approve(state, &ids);
    }
}

/// Approves those of some clips that are finished, once what does not pass was asked about.
pub(super) fn approve(state: &mut State, ids: &[ClipId]) {
    if !asks_first(state, ids) {
        approve_now(state, ids);
    }
}

/// Approves those of some clips that are finished, whatever they are over.
pub(super) fn approve_now(state: &mut State, ids: &[ClipId]) {
    let name = named(state, ids);
    judge(state, |session| {
        let done = session.approve_all(ids);
        match ids.len() - done {
            0 => format!("Approved {name}"),
            left => format!("Approved {done} of {name}; {left} not finished or failed"),
        }
    });
}

/// Takes verdicts back.
pub(super) fn clear(state: &mut State, ids: &[ClipId]) {
    let name = named(state, ids);
    judge(state, |session| {
        let step = match ids {
            [_] => "Clear verdict".to_owned(),
            ids => format!("Clear {} verdicts", ids.len()),
        };
        session.change_all(ids, &Change::Verdict(Verdict::Open), step);
        format!("Cleared the verdict on {name}")
    });
}

/// Rejects clips; `note` says why.
pub(super) fn reject(state: &mut State, ids: &[ClipId], note: &str) {
    let name = named(state, ids);
    judge(state, |session| {
        session.reject_all(ids, note);
        format!("Rejected {name}")
    });
}

/// The card, as long as its verdict is the last thing that was done.
pub(super) fn toast_ui(ui: &Ui, state: &mut State) {
    let now = ui.input(|i| i.time);
    let revision = state.session.revision();
    let Some(toast) = state.shell.toast.take_if(|t| t.revision == revision) else {
        state.shell.toast = None;
        return;
    };
    let until = toast.until_secs.unwrap_or(now + STAYS_SECS);
    let (undo, held) = card(ui, &toast.text);
    if undo {
        state.session.undo();
        state.shell.happened = format!("Taken back: {}", toast.text);
        return;
    }
    let until = if held { now + STAYS_SECS } else { until };
    if now < until {
        ui.ctx()
            .request_repaint_after(std::time::Duration::from_secs_f64(until - now));
        state.shell.toast = Some(Toast {
            until_secs: Some(until),
            ..toast
        });
    }
}

/// Returns whether it is to be taken back, and whether somebody is at the card.
fn card(ui: &Ui, text: &str) -> (bool, bool) {
    let frame = Frame::new()
        .fill(theme::RAISED)
        .stroke(Stroke::new(1.0, theme::LINE))
        .corner_radius(8)
        .inner_margin(Margin::symmetric(14, 8));
    let at = ui.ctx().content_rect().center_bottom() - vec2(0.0, 38.0);
    let area = Area::new(Id::unique("toast"))
        .pivot(Align2::CENTER_BOTTOM)
        .fixed_pos(at);
    let shown = area.show(ui.ctx(), |ui| {
        frame
            .show(ui, |ui| ui.horizontal(|ui| undo_ui(ui, text)).inner)
            .inner
    });
    let button = shown.inner;
    (
        button.clicked(),
        button.has_focus() || shown.response.contains_pointer(),
    )
}

fn undo_ui(ui: &mut Ui, text: &str) -> egui::Response {
    let words = RichText::new(text).color(theme::TEXT);
    let label = ui.add(Label::new(words).extend());
    ui.ctx().accesskit_node_builder(label.id, |node| {
        node.set_live(egui::accesskit::Live::Polite);
    });
    ui.add_space(8.0);
    let button = Button::new((
        theme::semibold("Undo", 13.0).color(theme::ACCENT),
        RichText::new("Ctrl+Z").size(11.0).color(theme::WEAK),
    ));
    let response = ui.add(button);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, format!("Undo: {text}")));
    response
}
