//! The playhead alone: without curves, keys and figures, for a test that must not tell anything else.

use super::icons::{Icon, icon_button};
use super::transport_bar::{play_button, repeat};
use super::{navigation, show_frame, theme};
use crate::gui::state::State;
use crate::gui::widgets::choice;
use crate::gui::within::Within as _;
use crate::session::Direction;
use eframe::egui::{Align, Layout, Rect, RichText, Role, Sense, Ui, WidgetInfo, pos2, vec2};

/// Speeds that can be chosen here; keys have all.
const SPEEDS: [(f64, &str, &str); 4] = [
    (0.25, "¼×", "A quarter of the speed"),
    (0.5, "½×", "Half the speed"),
    (1.0, "1×", "Real time"),
    (2.0, "2×", "Twice the speed"),
];

/// Play, steps, a bar to scrub on, speed and loop.
pub fn plain_transport_ui(ui: &mut Ui, state: &mut State) {
    ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let steps = [
            (
                Icon::PreviousFrame,
                "Previous frame",
                "Previous frame (left)",
                -1,
            ),
            (Icon::NextFrame, "Next frame", "Next frame (right)", 1),
        ];
        play_button(ui, state, Direction::Forward);
        for (icon, name, tip, by) in steps {
            if icon_button(ui, icon, name, tip, None).clicked() {
                navigation::step_frames(state, by);
            }
        }
        repeat(ui, state);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if let Some(speed) = choice(ui, state.transport.speed, &SPEEDS, 176.0) {
                state.transport.speed = speed;
            }
            ui.add_space(8.0);
            let last = state.clip().map_or(0, |c| c.grid().last());
            let frame = show_frame(state.transport.frame.round());
            let text = RichText::new(format!("frame {frame} / {last}")).color(theme::WEAK);
            // As wide as the longest: the bar does not breathe while the clip plays.
            let size = vec2(62.0 + 16.0 * last.to_string().len() as f32, 22.0);
            ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
                ui.set_min_width(size.x);
                ui.label(text);
            });
            scrub(ui, state, last);
        });
    });
}

/// A bar of all frames; click and drag.
fn scrub(ui: &mut Ui, state: &mut State, last: usize) {
    let size = vec2(ui.available_width() - 8.0, 22.0);
    // Without the keyboard's focus, whose arrow keys step frames already.
    let (rect, response) = ui.allocate_exact_size(size, Sense::CLICK | Sense::DRAG);
    let rail = Rect::from_center_size(rect.center(), vec2(rect.width() - 14.0, 4.0));
    let share = (state.transport.frame / last.max(1) as f64) as f32;
    let x = rail.left() + rail.width() * share.within(0.0, 1.0);
    ui.painter().rect_filled(rail, 2, theme::SUNK);
    let done = rail.with_max_x(x);
    ui.painter().rect_filled(done, 2, theme::FAINT);
    ui.painter()
        .circle_filled(pos2(x, rail.center().y), 6.0, theme::TEXT);
    response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, "Playhead"));
    if let Some(pointer) = response.interact_pointer_pos() {
        let share = f64::from((pointer.x - rail.left()) / rail.width().max(1.0));
        navigation::go_to(state, (share * last as f64).round());
    }
}
