//! Play, steps, position, speed, loop, and which channel is shown.

use super::icons::{Icon, icon_button};
use super::{navigation, parse_frame, show_frame, theme};
use crate::gui::state::{Plotted, State};
use crate::math::Channel;
use crate::model::{FrameGrid, channel_name};
use crate::session::Direction;
use eframe::egui::{
    self, Align, Button, Key, Layout, Response, RichText, Slider, TextEdit, Ui, WidgetInfo, vec2,
};

/// How much there is room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    /// Buttons, the frame and the channel; all else stands elsewhere or in tooltips.
    Narrow,
    /// Without words that explain themselves.
    Medium,
    /// Everything.
    Wide,
}

impl Room {
    fn of(width: f32) -> Self {
        match width {
            w if w >= 900.0 => Self::Wide,
            w if w >= 680.0 => Self::Medium,
            _ => Self::Narrow,
        }
    }
}

/// Longest joint name in the channel chooser, characters.
const NAME_CHARS: usize = 22;

pub(super) fn transport_bar_ui(ui: &mut Ui, state: &mut State) {
    let Some(grid) = state.clip().map(|c| c.grid()) else {
        return;
    };
    let room = Room::of(ui.max_rect().width());
    let wide = room == Room::Wide;
    ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
        ui.add_space(10.0);
        buttons(ui, state);
        ui.add_space(if wide { 12.0 } else { 4.0 });
        position(ui, state, &grid, room);
        ui.add_space(if wide { 16.0 } else { 2.0 });
        speed(ui, state, room);
        repeat(ui, state);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(10.0);
            channel_chooser(ui, state, room);
        });
    });
}

fn buttons(ui: &mut Ui, state: &mut State) {
    ui.spacing_mut().item_spacing.x = 2.0;
    if icon_button(ui, Icon::Start, "First frame", "First frame (Home)", None).clicked() {
        navigation::go_to_start(state);
    }
    let has_keys = navigation::previous_key(state).is_some();
    ui.add_enabled_ui(has_keys, |ui| {
        let tip = "Previous kept key of the shown track (Ctrl + left)";
        if icon_button(ui, Icon::PreviousKey, "Previous key", tip, None).clicked() {
            navigation::go_to_previous_key(state);
        }
    });
    if icon_button(
        ui,
        Icon::PreviousFrame,
        "Previous frame",
        "Previous frame (left)",
        None,
    )
    .clicked()
    {
        navigation::step_frames(state, -1);
    }
    play_button(ui, state, Direction::Reverse);
    play_button(ui, state, Direction::Forward);
    if icon_button(
        ui,
        Icon::NextFrame,
        "Next frame",
        "Next frame (right)",
        None,
    )
    .clicked()
    {
        navigation::step_frames(state, 1);
    }
    let has_keys = navigation::next_key(state).is_some();
    ui.add_enabled_ui(has_keys, |ui| {
        let tip = "Next kept key of the shown track (Ctrl + right)";
        if icon_button(ui, Icon::NextKey, "Next key", tip, None).clicked() {
            navigation::go_to_next_key(state);
        }
    });
    if icon_button(ui, Icon::End, "Last frame", "Last frame (End)", None).clicked() {
        navigation::go_to_end(state);
    }
}

pub(super) fn play_button(ui: &mut Ui, state: &mut State, direction: Direction) {
    let on = state.transport.playing == Some(direction);
    let (icon, name, tip) = match direction {
        Direction::Forward => (Icon::Play, "Play", "Play or pause (Space)"),
        Direction::Reverse => (
            Icon::PlayReverse,
            "Play in reverse",
            "Play in reverse, or pause (J)",
        ),
    };
    let icon = if on { Icon::Pause } else { icon };
    if icon_button(ui, icon, name, tip, Some(on)).clicked() {
        navigation::toggle_play(state, direction);
    }
}

fn position(ui: &mut Ui, state: &mut State, grid: &FrameGrid, room: Room) {
    ui.spacing_mut().item_spacing.x = 6.0;
    if room == Room::Wide {
        ui.weak("frame");
    }
    frame_box(ui, state, grid);
    let last = grid.last();
    let secs = state.transport.frame / grid.rate_hz;
    let duration = grid.duration_secs();
    let digits = last.to_string().len();
    let (text, chars) = match room {
        Room::Narrow => (format!("/ {last}"), digits + 2),
        Room::Medium | Room::Wide => {
            let chars = digits + format!("{duration:.3}").len() + 7;
            (format!("/ {last} · {secs:.3} s"), chars)
        }
    };
    // As wide as the longest text: what follows does not move while the clip plays.
    let longest = 7.2 * chars as f32;
    let tip = format!(
        "Last frame, and seconds from the first frame; the clip lasts {duration:.3} s at {:.4} frames a second",
        grid.rate_hz
    );
    let label = egui::Label::new(RichText::new(text).color(theme::WEAK));
    ui.allocate_ui_with_layout(
        vec2(longest, 22.0),
        egui::Layout::left_to_right(egui::Align::Center),
        |ui| {
            ui.set_min_width(longest);
            ui.add(label).on_hover_text(tip);
        },
    );
}

/// The frame number, which can be typed in any of the ways of [`parse_frame`].
fn frame_box(ui: &mut Ui, state: &mut State, grid: &FrameGrid) {
    let mut text = match &state.timeline.frame_edit {
        Some(text) => text.clone(),
        None => show_frame(state.transport.frame),
    };
    let parsed = parse_frame(&text, grid);
    let color = if parsed.is_ok() {
        theme::TEXT
    } else {
        theme::BAD
    };
    let id = ui.scope_id().with("frame box");
    let edit = TextEdit::singleline(&mut text)
        .id(id)
        .text_color(color)
        .align(egui::Align2::RIGHT_CENTER)
        .desired_width(54.0);
    let response = ui.add_sized(vec2(62.0, 22.0), edit);
    let enabled = ui.is_enabled();
    response.widget_info(|| WidgetInfo {
        label: Some("Frame".to_owned()),
        ..WidgetInfo::text_edit(enabled, text.as_str(), text.as_str(), "")
    });
    if response.changed() {
        state.timeline.frame_edit = Some(text);
    }
    // Text that nobody changed is not a wish: the clip may have played on since the box was entered.
    if response.lost_focus()
        && let Some(typed) = state.timeline.frame_edit.take()
    {
        let given_up = ui.input(|i| i.key_pressed(Key::Escape));
        if let Ok(frame) = parse_frame(&typed, grid)
            && !given_up
        {
            navigation::go_to(state, frame);
        }
    }
    let tip = parsed.err().unwrap_or_else(|| {
        "Frame at the playhead, counted from 0; type 45, 45.5, 1.5s or 2:15 (seconds:frames)".into()
    });
    response.on_hover_text(tip);
}

fn speed(ui: &mut Ui, state: &mut State, room: Room) {
    let wide = room == Room::Wide;
    let speed = state.transport.speed;
    let word = if wide { "speed " } else { "" };
    let text = format!("{word}{speed:.2}×");
    let color = if speed == 1.0 {
        theme::TEXT
    } else {
        theme::ACCENT
    };
    let button = Button::new(RichText::new(text).color(color))
        .min_size(vec2(if wide { 84.0 } else { 50.0 }, 22.0));
    let (response, _) = egui::containers::menu::MenuButton::from_button(button).ui(ui, |ui| {
        ui.set_min_width(170.0);
        for preset in navigation::SPEEDS {
            if ui
                .selectable_label(speed == preset, format!("{preset}×"))
                .clicked()
            {
                state.transport.speed = preset;
                ui.close();
            }
        }
        let label = ui.weak("Speed, factor on real time");
        let slider = Slider::new(&mut state.transport.speed, navigation::SPEED_RANGE)
            .logarithmic(true)
            .max_decimals(2)
            .suffix("×");
        ui.add(slider).labelled_by(label.id);
    });
    name(ui, &response, &format!("Speed {speed:.2}"));
    let tip = "Playback speed, factor on real time; right click: real time ([ ] slower, faster, \\ real time)";
    if response.on_hover_text(tip).secondary_clicked() {
        navigation::reset_speed(state);
    }
}

pub(super) fn repeat(ui: &mut Ui, state: &mut State) {
    let on = state.transport.repeat;
    let tip = "Start again at the other end of the clip";
    if icon_button(ui, Icon::Repeat, "Loop playback", tip, Some(on)).clicked() {
        navigation::toggle_repeat(state);
    }
}

fn channel_chooser(ui: &mut Ui, state: &mut State, room: Room) {
    let joint = joint_name(state);
    let channel = plotted_name(state);
    let text = match room {
        Room::Narrow => format!("{channel}  ▼"),
        Room::Medium | Room::Wide => format!("{} · {channel}  ▼", elide(&joint, NAME_CHARS)),
    };
    let button = Button::new(RichText::new(text).color(theme::ACCENT).strong()).frame(false);
    let (response, _) = egui::containers::menu::MenuButton::from_button(button).ui(ui, |ui| {
        ui.set_min_width(220.0);
        for channel in [Channel::Rotation, Channel::Translation, Channel::Scale] {
            channel_item(ui, state, channel);
        }
        ui.separator();
        for (plotted, text, tip) in MOTIONS {
            let item = Button::selectable(state.plot.plotted == plotted, text);
            if ui.add(item).on_hover_text(tip).clicked() {
                state.plot.plotted = plotted;
                ui.close();
            }
        }
    });
    name(ui, &response, &format!("Channel: {joint}, {channel}"));
    response.on_hover_text(format!(
        "Curves of joint {joint}; choose which channel is shown"
    ));
}

/// What can be plotted besides channels.
const MOTIONS: [(Plotted, &str, &str); 2] = [
    (
        Plotted::Speed,
        "speed over the ground",
        "How fast heel and ball (or the joint) move over the ground, metres a second",
    ),
    (
        Plotted::Height,
        "height above the ground",
        "How high heel and ball (or the joint) are above the floor of the views, millimetres",
    ),
];

fn plotted_name(state: &State) -> &'static str {
    match state.plot.plotted {
        Plotted::Channel => channel_name(state.channel),
        Plotted::Speed => "speed",
        Plotted::Height => "height",
    }
}

fn channel_item(ui: &mut Ui, state: &mut State, channel: Channel) {
    let source = state
        .clip()
        .and_then(|c| c.track(state.joint, channel))
        .map(|t| t.curve.times().len());
    let kept = state.result().map_or(0, |r| r.keys(state.joint, channel));
    let text = match source {
        Some(source) => format!("{}  ({kept} of {source} keys)", channel_name(channel)),
        None => format!("{}  (no track)", channel_name(channel)),
    };
    let item = Button::selectable(
        state.plot.plotted == Plotted::Channel && state.channel == channel,
        text,
    );
    let response = ui
        .add_enabled(source.is_some(), item)
        .on_disabled_hover_text(
            "The source does not move this channel: it stands in the rest pose",
        );
    if response.clicked() {
        state.channel = channel;
        state.plot.plotted = Plotted::Channel;
        state.plot.fit_step = None;
        ui.close();
    }
}

pub(super) fn joint_name(state: &State) -> String {
    let joint = state
        .clip()
        .and_then(|c| c.skeleton().joints().get(state.joint));
    match joint {
        Some(j) if !j.name.is_empty() => j.name.clone(),
        _ => format!("joint {}", state.joint),
    }
}

pub(super) fn elide(text: &str, chars: usize) -> String {
    if text.chars().count() <= chars {
        return text.to_owned();
    }
    let kept: String = text.chars().take(chars - 1).collect();
    format!("{kept}…")
}

fn name(ui: &Ui, response: &Response, name: &str) {
    let enabled = ui.is_enabled();
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, enabled, name));
}
