//! A panic in a frame: the window says so, and the work is there at the next start.
#![cfg(feature = "gui")]

#[path = "support/window.rs"]
mod window;

use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use posepress::codec::Budget;
use posepress::gui::App;
use posepress::gui::dialogs::{Answer, Ask, FileDialogs};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use window::{Window, click, enter, press, session, settle, type_into};

/// A desktop that is broken: asking it panics, and so does waiting for an answer once `broken` is set.
struct Broken(Arc<AtomicBool>);

impl FileDialogs for Broken {
    fn ask(&mut self, _ask: Ask, _ctx: &egui::Context) {
        panic!("the desktop is gone");
    }

    fn poll(&mut self) -> Option<Answer> {
        assert!(!self.0.load(Ordering::Relaxed), "the desktop fell silent");
        None
    }
}

/// A window with a broken desktop on a file of its own, whose work is kept safe, with something unsaved.
fn window(folder: &Path, broken: &Arc<AtomicBool>) -> (Window, PathBuf) {
    let path = folder.join("person.glb");
    std::fs::copy(
        concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb"),
        &path,
    )
    .expect("copied");
    let (files, broken) = (vec![path.clone()], broken.clone());
    let mut h = Harness::builder()
        .with_size([1600.0, 1000.0])
        .with_max_steps(60)
        .build_eframe(move |cc| App::with_dialogs(cc, &files, Box::new(Broken(broken))));
    settle(&mut h);
    h.state_mut().keep_safe(&folder.join("state"));
    (h, path)
}

fn target(h: &Window, document: usize) -> Budget {
    session(h).documents()[document].edits.clips[0]
        .settings
        .budget
}

/// The page of a fault is there and nothing else; then the window is closed and opened again.
fn is_told_and_recovered(mut h: Window, folder: &Path, fault: &str) {
    h.run_steps(3);
    assert!(h.query_by_label("Posepress cannot go on").is_some());
    assert!(h.query_by_label(fault).is_some() && h.query_by_label("Approve").is_none());
    assert!(h.query_by_label_contains("is kept aside").is_some());
    h.get_by_label("Close Posepress").click();
    h.run_steps(2);
    drop(h);
    let mut h = window::window(&[], [1600.0, 1000.0]);
    h.state_mut().keep_safe(&folder.join("state"));
    h.run_steps(4);
    click(&mut h, "Recover");
    assert_eq!(target(&h, 1), Budget::Skin { target_m: 0.0007 });
    h.state_mut().state.session.close_safely();
}

#[test]
fn a_panic_while_the_window_is_drawn_loses_no_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut h, _) = window(folder.path(), &Arc::default());
    type_into(&mut h, "Skin error target", "0.7mm");
    enter(&mut h);
    assert!(session(&h).is_dirty());
    press(&mut h, Modifiers::COMMAND, Key::O);
    click(&mut h, "Browse…");
    is_told_and_recovered(h, folder.path(), "the desktop is gone");
}

#[test]
fn a_panic_before_the_window_is_drawn_loses_no_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let broken = Arc::new(AtomicBool::new(false));
    let (mut h, _) = window(folder.path(), &broken);
    type_into(&mut h, "Skin error target", "0.7mm");
    enter(&mut h);
    broken.store(true, Ordering::Relaxed);
    is_told_and_recovered(h, folder.path(), "the desktop fell silent");
}

#[test]
fn where_nothing_is_unsaved_the_page_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut h, path) = window(folder.path(), &Arc::default());
    type_into(&mut h, "Skin error target", "0.7mm");
    enter(&mut h);
    press(&mut h, Modifiers::COMMAND, Key::S);
    press(&mut h, Modifiers::COMMAND, Key::O);
    click(&mut h, "Browse…");
    assert!(
        h.query_by_label("Nothing was unsaved, so nothing is lost.")
            .is_some()
    );
    drop(h);
    let mut h = window::window(&[path], [1600.0, 1000.0]);
    h.state_mut().keep_safe(&folder.path().join("state"));
    h.run_steps(4);
    assert!(h.query_by_label("Recover").is_none());
    assert_eq!(target(&h, 0), Budget::Skin { target_m: 0.0007 });
}
