//! The window without a screen, as most tests of it want it: nobody is asked for files.
#![allow(dead_code)] // No test needs all of it.

use egui::accesskit::Role;
use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use posepress::gui::App;
use posepress::gui::dialogs::{Answer, Ask, FileDialogs};
use posepress::session::{ClipId, Session};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Nobody is asked for files here.
pub struct NoDialogs;

impl FileDialogs for NoDialogs {
    fn ask(&mut self, _ask: Ask, _ctx: &egui::Context) {}

    fn poll(&mut self) -> Option<Answer> {
        None
    }
}

pub type Window = Harness<'static, App>;

/// The window on some files, or the bundled clips. What stands far down can be clicked in a high one only.
pub fn window(files: &[PathBuf], size: [f32; 2]) -> Window {
    let files = files.to_vec();
    let mut h = Harness::builder()
        .with_size(size)
        .with_max_steps(60)
        .build_eframe(move |cc| App::with_dialogs(cc, &files, Box::new(NoDialogs)));
    settle(&mut h);
    h
}

pub fn session(h: &Window) -> &Session {
    &h.state().state.session
}

pub fn selected(h: &Window) -> ClipId {
    session(h).selected().expect("a clip is open")
}

/// Draws until something is true of the session.
pub fn until(h: &mut Window, done: impl Fn(&Session) -> bool) {
    let start = Instant::now();
    loop {
        h.step();
        if done(session(h)) {
            break;
        }
        assert!(start.elapsed() < Duration::from_mins(5), "it never ends");
        std::thread::sleep(Duration::from_millis(5));
    }
    h.run_steps(3);
}

/// Draws until nothing that a person waits for is on its way: a file, or the selected clip.
pub fn settle(h: &mut Window) {
    until(h, |s| {
        s.loading().is_empty() && !s.selected().is_some_and(|id| s.is_busy(id))
    });
}

pub fn press(h: &mut Window, modifiers: Modifiers, key: Key) {
    h.key_press_modifiers(modifiers, key);
    h.run_steps(4);
}

pub fn click(h: &mut Window, label: &str) {
    h.get_by_label(label).click();
    settle(h);
}

pub fn type_into(h: &mut Window, name: &str, text: &str) {
    h.get_by_role_and_label(Role::TextInput, name).focus();
    h.run_steps(3);
    h.get_by_role_and_label(Role::TextInput, name)
        .type_text(text);
    h.run_steps(3);
}

pub fn enter(h: &mut Window) {
    h.key_press(Key::Enter);
    settle(h);
}
