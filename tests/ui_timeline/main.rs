//! The timeline, driven by pointer and keys on a small clip made here and on the bundled character.
#![cfg(feature = "gui")]

mod contacts;
mod importance;
#[path = "../support/mannequin.rs"]
mod mannequin;

use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use glam::DQuat;
use posepress::codec::Deliverable;
use posepress::gui::state::{Plotted, State};
use posepress::gui::theme;
use posepress::gui::timeline::{TimeView, shown_curves, timeline_ui};
use posepress::import::{self, LoadOptions};
use posepress::math::{Channel, Transform};
use posepress::model::{
    Asset, Clip, Interpolation, Issues, Joint, RawClip, RawCurve, RawTrack, Skeleton,
};
use posepress::session::{Change, Direction, Session};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const RATE_HZ: f32 = 30.0;

fn joint(name: &str, parent: Option<usize>, index: usize) -> Joint {
    let mut rest = Transform::IDENTITY;
    rest.translation.y = 0.4;
    Joint {
        name: name.into(),
        parent,
        rest,
        source_index: index,
    }
}

/// Two joints; the upper one swings, and the lower one both swings and moves.
fn asset(frames: usize) -> Asset {
    let joints = vec![joint("thigh", None, 0), joint("shin", Some(0), 1)];
    let skeleton = Arc::new(Skeleton::new(joints).expect("a skeleton"));
    let times: Vec<f32> = (0..frames).map(|k| k as f32 / RATE_HZ).collect();
    let swing = |speed: f64, size: f64| -> Vec<f32> {
        let at = |t: &f32| DQuat::from_rotation_x(size * (speed * f64::from(*t)).sin());
        times
            .iter()
            .flat_map(|t| at(t).as_quat().to_array())
            .collect()
    };
    let curve = |values: Vec<f32>| RawCurve {
        interpolation: Interpolation::Linear,
        times: times.clone(),
        values,
    };
    let track = |joint, channel, values| RawTrack {
        joint,
        channel,
        curve: curve(values),
    };
    let moved = times
        .iter()
        .flat_map(|t| [0.0, 0.4 + 0.1 * (3.0 * t).sin(), 0.0]);
    let raw = RawClip {
        name: "swing".into(),
        tracks: vec![
            track(0, Channel::Rotation, swing(7.0, 0.6)),
            track(1, Channel::Rotation, swing(11.0, 0.5)),
            track(1, Channel::Translation, moved.collect()),
        ],
        scalars: Vec::new(),
    };
    let clip = Clip::new(skeleton.clone(), raw, &mut Issues::default());
    Asset {
        path: "swing.glb".into(),
        source_hash: [0; 32],
        parts: Vec::new(),
        skeleton,
        clips: vec![Arc::new(clip)],
        animation_index: vec![0],
        meshes: Arc::default(),
        skin: Arc::default(),
        unit_m: 1.0,
        unit_reason: String::new(),
        issues: Issues::default(),
    }
}

fn opened(asset: Asset) -> State {
    let mut session = Session::new(|| {});
    session.add(asset);
    let start = Instant::now();
    while session.busy_clips() > 0 {
        session.poll();
        assert!(start.elapsed() < Duration::from_mins(5), "the worker hangs");
        std::thread::sleep(Duration::from_millis(2));
    }
    let mut state = State::new(session);
    state.sync();
    state
}

/// The clip made here, with its first joint selected.
fn state(frames: usize) -> State {
    let mut state = opened(asset(frames));
    state.joint = 0;
    state.channel = Channel::Rotation;
    state
}

fn timeline_of(size: [f32; 2], state: State) -> Harness<'static, State> {
    let mut h = Harness::builder()
        .with_size(size)
        .with_max_steps(60)
        .with_step_dt(1.0 / 60.0)
        .with_context_setup(theme::install)
        .build_ui_state(timeline_ui, state);
    h.run();
    h
}

/// 61 frames in a panel of the usual size.
fn timeline() -> Harness<'static, State> {
    timeline_of([1000.0, 340.0], state(61))
}

fn frame(h: &Harness<'_, State>) -> f64 {
    h.state().transport.frame
}

fn click(h: &mut Harness<'_, State>, name: &str) {
    h.get_by_label(name).click();
    h.run();
}

/// The pixel of a frame on the ruler.
fn on_ruler(h: &Harness<'_, State>, frame: f64) -> egui::Pos2 {
    // The plot spans the time axis exactly.
    let axis = h.get_by_label("Curves").rect();
    let view = h.state().timeline.view;
    let share = (frame - view.start) / view.span();
    let y = h.get_by_label("Time ruler").rect().center().y;
    egui::pos2(axis.left() + share as f32 * axis.width(), y)
}

/// Moves the pointer to a place and zooms there.
fn zoom(h: &mut Harness<'_, State>, at: egui::Pos2, factor: f32) {
    h.hover_at(at);
    h.run();
    h.event(egui::Event::Zoom(factor));
    h.run();
}

#[test]
fn dragging_on_the_ruler_scrubs_in_whole_frames() {
    let mut h = timeline();
    h.drag_at(on_ruler(&h, 10.2));
    h.run();
    assert_eq!(frame(&h), 10.0);
    h.hover_at(on_ruler(&h, 30.4));
    h.run();
    assert_eq!(frame(&h), 30.0);
    h.drop_at(on_ruler(&h, 30.4));
    h.run();
    h.hover_at(on_ruler(&h, 50.0));
    h.run();
    assert_eq!(frame(&h), 30.0, "nothing moves after the button is up");
}

#[test]
fn shift_scrubs_between_frames() {
    let mut h = timeline();
    let at = on_ruler(&h, 10.4);
    h.hover_at(at);
    h.event(egui::Event::ModifiersChanged(egui::Modifiers::SHIFT));
    h.run();
    h.event(egui::Event::PointerButton {
        pos: at,
        button: egui::PointerButton::Primary,
        pressed: true,
        modifiers: egui::Modifiers::SHIFT,
    });
    h.run();
    assert!((frame(&h) - 10.4).abs() < 0.1, "{}", frame(&h));
    assert_ne!(frame(&h).fract(), 0.0);
}

#[test]
fn buttons_step_play_and_pause() {
    let mut h = timeline();
    click(&mut h, "Next frame");
    click(&mut h, "Next frame");
    click(&mut h, "Previous frame");
    assert_eq!(frame(&h), 1.0);
    click(&mut h, "Last frame");
    assert_eq!(frame(&h), 60.0);
    click(&mut h, "First frame");
    assert_eq!(frame(&h), 0.0);
    click(&mut h, "Play");
    assert_eq!(h.state().transport.playing, Some(Direction::Forward));
    click(&mut h, "Play");
    assert_eq!(h.state().transport.playing, None);
    click(&mut h, "Play in reverse");
    assert_eq!(h.state().transport.playing, Some(Direction::Reverse));
    assert_eq!(frame(&h), 60.0, "from the start it runs back from the end");
    click(&mut h, "Next frame");
    assert_eq!(h.state().transport.playing, None, "a step stops");
    let repeat = h.state().transport.repeat;
    click(&mut h, "Loop playback");
    assert_ne!(h.state().transport.repeat, repeat);
}

#[test]
fn the_frame_box_takes_frames_seconds_and_timecode() {
    let mut h = timeline();
    for (typed, expected) in [("45", 45.0), ("1.5s", 45.0), ("0:15", 15.0), ("900", 60.0)] {
        type_frame(&mut h, typed);
        assert_eq!(frame(&h), expected, "{typed}");
    }
    type_frame(&mut h, "soon");
    assert_eq!(frame(&h), 60.0, "nonsense moves nothing");
}

fn type_frame(h: &mut Harness<'_, State>, text: &str) {
    let frame_box = |h: &Harness<'_, State>| h.get_by_role(Role::TextInput).rect().center();
    let at = frame_box(h);
    h.drag_at(at);
    h.run();
    h.drop_at(at);
    h.run();
    h.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    h.run();
    h.event(egui::Event::Text(text.into()));
    h.run();
    h.key_press(egui::Key::Enter);
    h.run();
}

#[test]
fn leaving_the_frame_box_untouched_moves_nothing() {
    let mut h = timeline();
    let at = h.get_by_role(Role::TextInput).rect().center();
    h.drag_at(at);
    h.run();
    h.drop_at(at);
    h.run();
    h.state_mut().transport.frame = 33.0;
    h.run();
    h.key_press(egui::Key::Enter);
    h.run();
    assert_eq!(frame(&h), 33.0);
}

#[test]
fn key_steps_land_on_every_kept_key() {
    let mut h = timeline();
    let keys: Vec<f64> = h
        .state_mut()
        .curves()
        .expect("curves")
        .keys
        .iter()
        .map(|k| k.frame)
        .collect();
    assert!(keys.len() > 4 && keys.len() < 61, "{} keys", keys.len());
    for &key in &keys[1..] {
        click(&mut h, "Next key");
        assert_eq!(frame(&h), key);
    }
    for &key in keys.iter().rev().skip(1) {
        click(&mut h, "Previous key");
        assert_eq!(frame(&h), key);
    }
}

#[test]
fn zooming_keeps_the_frame_under_the_pointer_on_all_rows() {
    let mut h = timeline();
    let at = on_ruler(&h, 40.0);
    zoom(&mut h, at, 3.0);
    assert!(h.state().timeline.view.span() < 25.0);
    assert!((on_ruler(&h, 40.0).x - at.x).abs() < 0.5);
    let below = egui::pos2(at.x, h.get_by_label("Error over time").rect().center().y);
    zoom(&mut h, below, 1.5);
    assert!((on_ruler(&h, 40.0).x - at.x).abs() < 0.5);
    let (plot, strip) = (
        h.get_by_label("Curves").rect(),
        h.get_by_label("Error over time").rect(),
    );
    assert_eq!(plot.x_range(), strip.x_range(), "one time axis");
}

#[test]
fn a_double_click_on_the_ruler_shows_the_whole_clip() {
    let mut h = timeline();
    let at = on_ruler(&h, 40.0);
    zoom(&mut h, at, 4.0);
    assert_ne!(h.state().timeline.view, TimeView::whole(60));
    for _ in 0..2 {
        h.drag_at(at);
        h.drop_at(at);
    }
    h.run();
    assert_eq!(h.state().timeline.view, TimeView::whole(60));
}

#[test]
fn playing_and_new_selections_never_scroll() {
    let mut h = timeline();
    let at = on_ruler(&h, 40.0);
    zoom(&mut h, at, 4.0);
    let view = h.state().timeline.view;
    h.state_mut().transport.frame = 2.0;
    h.state_mut().joint = 1;
    h.state_mut().channel = Channel::Translation;
    h.run();
    assert_eq!(h.state().timeline.view, view);
}

/// Ships the clip as something else and waits for it.
fn ship(h: &mut Harness<'_, State>, deliverable: Deliverable) {
    let state = h.state_mut();
    state.change(Change::Deliverable(deliverable), None);
    let start = Instant::now();
    while state.session.busy_clips() > 0 {
        state.session.poll();
        assert!(start.elapsed() < Duration::from_mins(5), "the worker hangs");
        std::thread::sleep(Duration::from_millis(2));
    }
    state.sync();
    h.run();
}

#[test]
fn rounds_show_the_keys_that_had_come_and_why() {
    let mut h = timeline();
    let finished = h.state_mut().curves().expect("curves");
    let rounds = finished.steps();
    assert!(rounds > 1 && finished.history.is_empty());
    assert_eq!(finished.origins.len(), finished.keys.len());
    click(&mut h, "Previous fit step");
    assert_eq!(h.state().plot.fit_step, Some(rounds - 1));
    let shown = shown_curves(h.state_mut())
        .expect("curves of a round")
        .curves;
    assert!(shown.keys.len() < finished.keys.len());
    assert_eq!(shown.compressed, finished.compressed);
    let last = rounds - 1;
    h.get_by_label_contains(&format!("round {last}:"));
}

#[test]
fn fit_steps_change_the_keys_that_are_shown() {
    let mut h = timeline();
    ship(&mut h, Deliverable::Riot);
    let finished = h.state_mut().curves().expect("curves");
    let total = finished.history.len();
    assert!(total > 2);
    click(&mut h, "Previous fit step");
    assert_eq!(h.state().plot.fit_step, Some(total - 1));
    let slider = h.get_by_role_and_label(Role::Slider, "fit step").rect();
    let left = egui::pos2(slider.left() + 4.0, slider.center().y);
    h.drag_at(left);
    h.run();
    h.drop_at(left);
    h.run();
    assert_eq!(h.state().plot.fit_step, Some(0));
    let start = shown_curves(h.state_mut()).expect("curves of a step");
    assert_eq!((start.step, start.curves.keys.len()), (Some(0), 2));
    assert!(!start.curves.compressed.is_empty());
    click(&mut h, "Next fit step");
    assert_eq!(
        shown_curves(h.state_mut())
            .expect("curves")
            .curves
            .keys
            .len(),
        3
    );
    assert!(
        h.query_by_label_contains("inserted frame").is_some(),
        "the step says why"
    );
    h.state_mut().plot.fit_step = None;
    h.run();
    let shown = shown_curves(h.state_mut()).expect("curves");
    assert!(Arc::ptr_eq(&shown.curves, &finished));
}

#[test]
fn the_channel_chooser_offers_what_the_source_moves() {
    let mut h = timeline();
    h.get_by_label("Channel: thigh, rotation").click();
    h.run();
    h.get_by_label_contains("scale  (no track)").click();
    h.run();
    assert_eq!(h.state().channel, Channel::Rotation, "greyed");
    h.state_mut().joint = 1;
    h.run();
    h.get_by_label("Channel: shin, rotation").click();
    h.run();
    h.get_by_label_contains("translation  (").click();
    h.run();
    assert_eq!(h.state().channel, Channel::Translation);
    assert!(h.query_by_label("Channel: shin, translation").is_some());
}

#[test]
fn components_can_be_hidden_and_a_translation_has_no_w() {
    let mut h = timeline();
    click(&mut h, "Component Y");
    assert_eq!(h.state().plot.components, [true, false, true, true]);
    h.state_mut().joint = 1;
    h.state_mut().channel = Channel::Translation;
    h.run();
    click(&mut h, "Component W");
    assert!(h.state().plot.components[3], "greyed");
}

#[test]
fn everything_fits_at_the_smallest_and_the_largest_size() {
    for size in [
        [740.0, 200.0],
        [740.0, 420.0],
        [1120.0, 200.0],
        [1120.0, 420.0],
    ] {
        // The harness keeps a margin around what it shows.
        let outer = egui::Vec2::from(size) + egui::vec2(16.0, 16.0);
        let h = timeline_of(outer.into(), state(61));
        let window = egui::Rect::from_min_size(egui::pos2(8.0, 8.0), size.into());
        let names = [
            "First frame",
            "Last frame",
            "Loop playback",
            "Channel: thigh, rotation",
            "Time ruler",
            "Component X",
            "Component W",
            "Previous fit step",
            "Next fit step",
            "Curves",
            "Error over time",
            "Skin error",
            "Local error",
            "fit",
        ];
        for name in names {
            let rect = h.get_by_label(name).rect();
            assert!(
                window.expand(0.5).contains_rect(rect),
                "{name} at {size:?}: {rect:?}"
            );
        }
        let no_overlap = |a: &str, b: &str| {
            let (ra, rb) = (h.get_by_label(a).rect(), h.get_by_label(b).rect());
            assert!(
                ra.right() <= rb.left() + 0.5,
                "{a} and {b} overlap at {size:?}"
            );
        };
        no_overlap("Loop playback", "Channel: thigh, rotation");
        no_overlap("Component W", "Previous fit step");
        no_overlap("Skin error", "Error over time");
        let height = h.get_by_label("Curves").rect().height();
        assert!(height >= 40.0, "a plot of {height} at {size:?}");
    }
}

#[test]
fn values_do_not_move_the_layout() {
    let mut h = timeline();
    let rects = |h: &Harness<'_, State>| {
        [
            "Loop playback",
            "Channel: thigh, rotation",
            "Previous fit step",
            "Component X",
            "Curves",
        ]
        .map(|name| h.get_by_label(name).rect())
    };
    let before = rects(&h);
    for frame in [7.3, 11.1, 60.0] {
        h.state_mut().transport.frame = frame;
        h.state_mut().plot.fit_step = Some(frame as usize / 20);
        h.run();
        assert_eq!(rects(&h), before, "at frame {frame}");
    }
}

#[test]
fn an_empty_window_says_what_to_do() {
    let h = timeline_of([740.0, 200.0], State::new(Session::new(|| {})));
    assert!(h.query_by_label("Time ruler").is_none());
}

#[test]
fn a_long_clip_costs_a_frame_no_more_than_a_short_one() {
    let cost = |frames: usize, plotted: Plotted| {
        let mut state = state(frames);
        state.plot.plotted = plotted;
        let mut h = timeline_of([1000.0, 340.0], state);
        let mut best = Duration::MAX;
        for k in 0..12 {
            h.state_mut().transport.frame = f64::from(k);
            let start = Instant::now();
            h.step();
            best = best.min(start.elapsed());
        }
        best
    };
    for plotted in [Plotted::Channel, Plotted::Speed] {
        let (short, long) = (cost(200, plotted), cost(20_000, plotted));
        println!("a step, {plotted:?}: 200 frames {short:?}, 20,000 frames {long:?}");
        assert!(
            long < 4 * short + Duration::from_millis(10),
            "{plotted:?}: {short:?} and {long:?}"
        );
    }
}

/// The bundled character with some of its clips.
fn mannequin() -> State {
    let bytes = mannequin::with_clips(&["Walk", "Run"]);
    let path = Path::new("mannequin.glb");
    let asset = import::load_bytes(path, &bytes, &LoadOptions::default()).expect("a sound file");
    opened(asset)
}

/// Presses at one place, goes to another with a stop on the way, and lets go.
fn drag(h: &mut Harness<'_, State>, from: egui::Pos2, to: egui::Pos2) {
    h.hover_at(from);
    h.run();
    h.drag_at(from);
    h.run();
    h.hover_at(from + 0.5 * (to - from));
    h.run();
    h.hover_at(to);
    h.run();
    h.drop_at(to);
    h.run();
    settle(h);
}

fn settle(h: &mut Harness<'_, State>) {
    let start = Instant::now();
    while h.state().session.busy_clips() > 0 {
        h.state_mut().session.poll();
        assert!(start.elapsed() < Duration::from_mins(5), "the worker hangs");
        std::thread::sleep(Duration::from_millis(2));
    }
    h.run();
}

#[test]
fn speed_and_height_are_plotted_for_heel_and_ball() {
    let mut h = timeline_of([1016.0, 400.0], mannequin());
    let foot = h.state().clip().expect("a clip").skeleton().find("foot_l");
    h.state_mut().joint = foot.expect("a foot");
    h.run();
    for (item, name) in [
        ("speed over the ground", "speed"),
        ("height above the ground", "height"),
    ] {
        h.get_by_label_contains("Channel: foot_l").click();
        h.run();
        h.get_by_label(item).click();
        h.run();
        assert!(
            h.query_by_label(&format!("Channel: foot_l, {name}"))
                .is_some()
        );
        assert!(h.query_by_label("● heel").is_some() && h.query_by_label("● ball").is_some());
    }
    h.get_by_label("Channel: foot_l, height").click();
    h.run();
    h.get_by_label_contains("rotation  (").click();
    h.run();
    assert!(h.query_by_label("Component X").is_some());
}

#[test]
fn nothing_repaints_while_idle() {
    let mut h = timeline_of([1016.0, 400.0], mannequin());
    h.run();
    let wish = h
        .output()
        .viewport_output
        .values()
        .map(|v| v.repaint_delay)
        .min();
    assert_eq!(wish, Some(Duration::MAX));
}
