//! Moves of the playhead, for buttons, keys and menus alike.

use super::TimeView;
use crate::gui::state::State;
use crate::model::FrameGrid;
use crate::session::Direction;

/// Slowest and fastest playback.
pub const SPEED_RANGE: std::ops::RangeInclusive<f64> = 0.1..=4.0;

/// The steps of [`faster`] and [`slower`].
pub const SPEEDS: [f64; 7] = [0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 4.0];

/// A frame this near to a key is on it.
const ON_KEY_FRAMES: f64 = 1e-6;

fn grid(state: &State) -> Option<FrameGrid> {
    state.clip().map(|c| c.grid())
}

/// Stops and goes to a frame.
pub fn go_to(state: &mut State, frame: f64) {
    if let Some(grid) = grid(state) {
        state.transport.playing = None;
        state.transport.go_to(frame, &grid);
    }
}

/// Stops and goes to the first frame.
pub fn go_to_start(state: &mut State) {
    go_to(state, 0.0);
}

/// Stops and goes to the last frame.
pub fn go_to_end(state: &mut State) {
    go_to(state, f64::MAX);
}

/// Stops and goes some whole frames on.
pub fn step_frames(state: &mut State, frames: i64) {
    if let Some(grid) = grid(state) {
        state.transport.step(frames, &grid);
    }
}

/// Starts playing in a direction, or stops when it plays that way already.
pub fn toggle_play(state: &mut State, direction: Direction) {
    if let Some(grid) = grid(state) {
        state.transport.toggle(direction, &grid);
    }
}

/// Stops whatever plays, else plays forward.
pub fn play_or_pause(state: &mut State) {
    let direction = state.transport.playing.unwrap_or(Direction::Forward);
    toggle_play(state, direction);
}

/// The first kept key of the selected track after the playhead.
pub fn next_key(state: &mut State) -> Option<f64> {
    let now = state.transport.frame + ON_KEY_FRAMES;
    let curves = super::fit_step::shown_curves(state)?.curves;
    let keys = curves.keys.iter().map(|k| k.frame);
    keys.filter(|&f| f > now).reduce(f64::min)
}

/// The last kept key of the selected track before the playhead.
pub fn previous_key(state: &mut State) -> Option<f64> {
    let now = state.transport.frame - ON_KEY_FRAMES;
    let curves = super::fit_step::shown_curves(state)?.curves;
    let keys = curves.keys.iter().map(|k| k.frame);
    keys.filter(|&f| f < now).reduce(f64::max)
}

/// Stops and goes to the next kept key of the selected track, if there is one.
pub fn go_to_next_key(state: &mut State) {
    if let Some(frame) = next_key(state) {
        go_to(state, frame);
    }
}

/// Stops and goes to the previous kept key of the selected track, if there is one.
pub fn go_to_previous_key(state: &mut State) {
    if let Some(frame) = previous_key(state) {
        go_to(state, frame);
    }
}

/// Plays one step faster.
pub fn faster(state: &mut State) {
    let now = state.transport.speed;
    let next = SPEEDS.into_iter().find(|&s| s > now + 1e-9);
    state.transport.speed = next.unwrap_or(*SPEED_RANGE.end());
}

/// Plays one step slower.
pub fn slower(state: &mut State) {
    let now = state.transport.speed;
    let next = SPEEDS.into_iter().rev().find(|&s| s < now - 1e-9);
    state.transport.speed = next.unwrap_or(*SPEED_RANGE.start());
}

/// Plays in real time.
pub fn reset_speed(state: &mut State) {
    state.transport.speed = 1.0;
}

/// Starts again at the end of the clip, or no longer.
pub fn toggle_repeat(state: &mut State) {
    state.transport.repeat = !state.transport.repeat;
}

/// Shows the whole clip on the timeline.
pub fn show_whole_clip(state: &mut State) {
    if let Some(grid) = grid(state) {
        state.timeline.view = TimeView::whole(grid.last());
    }
}

/// Fits the plot's values to its height.
pub fn fit_values(state: &mut State) {
    state.timeline.values = None;
}
