//! What is seen while questions are asked.

use super::{Blind, Phase, answer, end, leave, show, who};
use crate::gui::actions::clip_title;
use crate::gui::stage::Cast;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::timeline;
use crate::gui::view::Motion;
use crate::gui::widgets::{check, choice};
use crate::session::{BlindButton, TRIALS, Who, units};
use eframe::egui::{
    self, Align, Align2, Button, CentralPanel, Color32, Frame, Layout, Margin, Panel, ProgressBar,
    Rect, RichText, Role, Sense, Ui, WidgetInfo, pos2, vec2,
};

/// The slot of the left one of the ordinary views.
const SLOT: usize = 0;

const ANSWER_WIDTH: f32 = 132.0;
const BUTTONS_WIDTH: f32 = 216.0;

/// The whole window of a test.
pub fn blind_ui(ui: &mut Ui, state: &mut State) {
    let frame = Frame::new().inner_margin(Margin::symmetric(14, 0));
    Panel::top("blind test")
        .exact_size(46.0)
        .resizable(false)
        .frame(frame)
        .show(ui, |ui| head(ui, state));
    Panel::bottom("blind transport")
        .exact_size(40.0)
        .resizable(false)
        .frame(frame)
        .show(ui, |ui| timeline::plain_transport_ui(ui, state));
    Panel::bottom("blind answers")
        .exact_size(72.0)
        .resizable(false)
        .frame(frame)
        .show(ui, |ui| question(ui, state));
    CentralPanel::no_frame().show(ui, |ui| view(ui, state));
    end::end_ui(ui, state);
}

fn head(ui: &mut Ui, state: &mut State) {
    let id = state.session.selected().map_or(0, |id| id.clip);
    let title = state
        .clip()
        .map_or_else(String::new, |c| clip_title(c.name(), id));
    ui.horizontal_centered(|ui| {
        ui.label(theme::semibold("Blind test", 15.0).color(Color32::WHITE));
        ui.label(RichText::new(title).color(theme::WEAK));
        ui.add_space(10.0);
        let run = state.shell.blind.as_ref().and_then(Blind::run);
        let answered = run.map(|r| r.answered().min(TRIALS - 1));
        if let Some(answered) = answered {
            ui.label(format!("trial {} of {TRIALS}", answered + 1));
            progress(ui, answered);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let why = "Back to the window (Esc); a test that is not finished is not kept";
            if ui.button("Leave").on_hover_text(why).clicked() {
                leave(state);
            }
            if let Some(blind) = &mut state.shell.blind {
                let why = "Bones, drawn alike for both";
                if let Some(on) = check(ui, blind.bones, "Joints", why) {
                    blind.bones = on;
                }
            }
            if answered.is_none() {
                return;
            }
            let text = "A and B are the source and the compressed clip, in an order that is drawn anew for each trial; X is \
                        one of them. Which one?";
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add_space(14.0);
                let text = RichText::new(text).size(12.5).color(theme::WEAK);
                ui.add(egui::Label::new(text).truncate());
            });
        });
    });
}

/// A dot a trial; whether an answer was right is not told.
fn progress(ui: &mut Ui, answered: usize) {
    let (rect, _) = ui.allocate_exact_size(vec2(11.0 * TRIALS as f32, 12.0), Sense::hover());
    for k in 0..TRIALS {
        let at = pos2(rect.left() + 11.0 * k as f32 + 5.0, rect.center().y);
        let color = match k.cmp(&answered) {
            std::cmp::Ordering::Less => theme::WEAK,
            std::cmp::Ordering::Equal => theme::ACCENT,
            std::cmp::Ordering::Greater => theme::RAISED,
        };
        ui.painter().circle_filled(at, 3.5, color);
    }
}

/// What is to be done before an answer counts; `None` where all was seen.
fn waits_for(blind: &Blind) -> Option<String> {
    let missing: Vec<&str> = blind
        .looked
        .missing()
        .into_iter()
        .map(BlindButton::letter)
        .collect();
    let names = match missing.as_slice() {
        [] => return None,
        [one] => (*one).to_owned(),
        [first, second] => format!("{first} and {second}"),
        _ => "A, B and X".to_owned(),
    };
    Some(format!(
        "Before you answer, see {names} in motion: play (Space) or drag the playhead"
    ))
}

/// The line below the answers.
fn hint(ui: &mut Ui, blind: &Blind, waits: Option<String>) {
    let color = if blind.hasty && waits.is_some() {
        theme::WARNING
    } else {
        theme::WEAK
    };
    let text = waits.unwrap_or_else(|| "All three were seen in motion: which one is X?".to_owned());
    ui.vertical_centered(|ui| {
        ui.add(egui::Label::new(RichText::new(text).size(12.5).color(color)).truncate())
    });
}

/// A, B and X to switch between, and the two answers, in the middle.
fn question(ui: &mut Ui, state: &mut State) {
    let gap = 24.0;
    let width = BUTTONS_WIDTH + gap + 2.0 * ANSWER_WIDTH + 16.0;
    let Some(blind) = &state.shell.blind else {
        return;
    };
    let (shown, mut chosen) = (blind.shown, None);
    let asking = blind.run().is_some();
    let waits = waits_for(blind).filter(|_| asking);
    let can_answer = asking && waits.is_none();
    let mut answered = None;
    let row = vec2(ui.available_width(), 44.0);
    ui.allocate_ui_with_layout(row, Layout::left_to_right(Align::Center), |ui| {
        ui.add_space((0.5 * (ui.available_width() - width)).max(0.0));
        ui.add_enabled_ui(asking, |ui| {
            let options = [
                (BlindButton::A, "A", "Show A (A or 1)"),
                (BlindButton::B, "B", "Show B (B or 2)"),
                (BlindButton::X, "X", "Show X (X or 3)"),
            ];
            chosen = choice(ui, shown, &options, BUTTONS_WIDTH);
            ui.add_space(gap - 8.0);
            for (x_is_a, name, key) in [(true, "X is A", "Shift+A"), (false, "X is B", "Shift+B")] {
                let text = (
                    theme::semibold(name, 13.0).color(theme::PANEL),
                    RichText::new(key).size(11.0).color(theme::PANEL),
                );
                let button = Button::new(text)
                    .fill(theme::ACCENT)
                    .min_size(vec2(ANSWER_WIDTH, 30.0));
                let response = ui.add_enabled(can_answer, button);
                response.widget_info(|| WidgetInfo::labeled(Role::Button, can_answer, name));
                let why = format!(
                    "Answer this trial ({key}); you are told at the end how many were right"
                );
                let response = response.on_hover_text(why);
                let waits = waits.as_deref().unwrap_or_default();
                if response.on_disabled_hover_text(waits).clicked() {
                    answered = Some(x_is_a);
                }
            }
        });
    });
    if asking {
        hint(ui, blind, waits);
    }
    if let Some(button) = chosen {
        show(state, button);
    }
    if let Some(x_is_a) = answered {
        answer(state, x_is_a);
    }
}

/// The one picture.
fn view(ui: &mut Ui, state: &mut State) {
    let rect = ui.available_rect_before_wrap();
    ui.allocate_rect(rect, Sense::hover());
    let dragging = mouse(ui, state, rect);
    let Some(blind) = &state.shell.blind else {
        return;
    };
    let motion = if dragging || state.transport.playing.is_some() {
        // One more picture when it stops: smooth.
        ui.ctx().request_repaint();
        Motion::Moving
    } else {
        Motion::Still
    };
    let cast = match who(blind) {
        Who::Source => Cast::Source,
        Who::Compressed => Cast::Compressed,
    };
    let stage = &state.shell.stage;
    let painter = ui.painter_at(rect);
    if let Some(input) = stage.blind(cast, blind.bones, motion) {
        stage.painter.paint(&painter, rect, SLOT, input);
    }
    match blind.phase {
        Phase::Asking(..) => letter(&painter, rect, blind.shown.letter()),
        Phase::Waiting(target_m) => waiting(ui, state, rect, target_m),
        Phase::Over(_) => {}
    }
}

/// The camera follows the mouse; what is under it is not told.
fn mouse(ui: &Ui, state: &mut State, rect: Rect) -> bool {
    let stage = &mut state.shell.stage;
    let seen = stage.view_ui(ui, rect, Cast::Source, "Blind view");
    seen.is_some_and(|seen| seen.dragging)
}

fn letter(painter: &egui::Painter, rect: Rect, letter: &str) {
    let back = Rect::from_min_size(rect.min + vec2(14.0, 14.0), vec2(44.0, 44.0));
    painter.rect_filled(back, 9, Color32::from_black_alpha(150));
    let font = theme::semibold_font(24.0);
    painter.text(
        back.center(),
        Align2::CENTER_CENTER,
        letter,
        font,
        Color32::WHITE,
    );
}

/// While the clip is compressed for another target.
fn waiting(ui: &mut Ui, state: &State, rect: Rect, target_m: f64) {
    let done = state
        .session
        .selected()
        .and_then(|id| state.session.progress(id));
    let card = Rect::from_center_size(rect.center(), vec2(320.0, 74.0));
    ui.painter().rect_filled(card, 10, theme::PANEL);
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(card.shrink(14.0)));
    child.label(format!("Compressing for {}…", units::show_mm(target_m)));
    child.add(
        ProgressBar::new(done.unwrap_or(0.0))
            .desired_height(6.0)
            .fill(theme::ACCENT),
    );
}
