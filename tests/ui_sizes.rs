//! The window at odd sizes and scales: no part of it may need more room than there is.
#![cfg(feature = "gui")]

#[path = "support/window.rs"]
mod window;

use egui::{Event, Key, Modifiers, PointerButton, Pos2, pos2, vec2};
use posepress::gui::state::{Compare, Workspace};
use window::Window;

/// Width and height in pixels, and pixels a point.
const SIZES: [(f32, f32, f32); 16] = [
    (200.0, 150.0, 1.0),
    (200.0, 150.0, 4.0),
    (200.0, 1200.0, 1.0),
    (1200.0, 200.0, 1.0),
    (640.0, 480.0, 0.5),
    (640.0, 480.0, 2.0),
    (1080.0, 640.0, 1.0),
    (1080.0, 640.0, 1.6),
    (1080.0, 640.0, 2.5),
    (1366.0, 768.0, 1.7),
    (1366.0, 768.0, 2.0),
    (1600.0, 1000.0, 1.25),
    (1920.0, 1200.0, 3.0),
    (1920.0, 1200.0, 4.0),
    (3840.0, 2160.0, 0.5),
    (3840.0, 2160.0, 4.0),
];

/// The same numbers in each run.
struct Dice(u64);

impl Dice {
    /// From 0 to below 1.
    fn share(&mut self) -> f32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1_u64 << 24) as f32
    }

    fn place(&mut self, h: &Window) -> Pos2 {
        let size = h.ctx.content_rect().size();
        pos2(self.share() * size.x, self.share() * size.y)
    }
}

/// A button of the mouse goes down at one place and up at another one.
fn drag(h: &mut Window, dice: &mut Dice) {
    let button = if dice.share() < 0.8 {
        PointerButton::Primary
    } else {
        PointerButton::Secondary
    };
    let (from, to) = (dice.place(h), dice.place(h));
    let pressed = |pos, pressed| Event::PointerButton {
        pos,
        button,
        pressed,
        modifiers: Modifiers::NONE,
    };
    h.event(Event::PointerMoved(from));
    h.event(pressed(from, true));
    h.step();
    if dice.share() < 0.6 {
        h.event(Event::PointerMoved(from.lerp(to, 0.5)));
        h.step();
        h.event(Event::PointerMoved(to));
        h.event(pressed(to, false));
    } else {
        h.event(pressed(from, false));
    }
    h.step();
}

/// What was opened by accident is closed: the next drag is for the window again.
fn escape(h: &mut Window) {
    h.key_press(Key::Escape);
    h.step();
    h.state_mut().state.shell.sheet = None;
}

fn fits(h: &mut Window, dice: &mut Dice, (width, height, scale): (f32, f32, f32)) {
    h.ctx.set_pixels_per_point(scale);
    h.set_size(vec2(width / scale, height / scale));
    h.run_steps(2);
    for (workspace, compare) in [
        (Workspace::Review, Compare::Split),
        (Workspace::Clips, Compare::Overlay),
        (Workspace::Review, Compare::Overlay),
    ] {
        let state = &mut h.state_mut().state;
        state.view.workspace = workspace;
        state.view.compare = compare;
        state.shell.inset = Some(state.joint);
        h.run_steps(2);
        for _ in 0..4 {
            drag(h, dice);
        }
        escape(h);
    }
}

#[test]
fn no_size_and_no_scale_ends_the_window() {
    let mut h = window::window(&[], [1600.0, 1000.0]);
    let mut dice = Dice(7);
    for size in SIZES {
        fits(&mut h, &mut dice, size);
        assert!(
            h.state().fault().is_none(),
            "{size:?}: {:?}",
            h.state().fault()
        );
    }
}
