//! The sheets that ask for files, by keys, typing and clicks: what to open, where an export goes and what it replaces.
#![cfg(feature = "gui")]

#[allow(dead_code)]
#[path = "saving/source.rs"]
mod source;

use egui::accesskit::Role;
use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use posepress::codec::Budget;
use posepress::gui::App;
use posepress::gui::dialogs::{Answer, Ask, FileDialogs};
use posepress::gui::shell::Sheet;
use posepress::session::{Change, ClipId, Session};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A desktop that answers at once with what the test wants; without a choice, one that has no dialogs.
#[derive(Clone, Default)]
struct Desktop {
    asked: Rc<RefCell<Vec<Ask>>>,
    answers: Rc<RefCell<Vec<Answer>>>,
    choice: Option<PathBuf>,
}

impl FileDialogs for Desktop {
    fn ask(&mut self, ask: Ask, _ctx: &egui::Context) {
        self.asked.borrow_mut().push(ask);
        let paths: Vec<PathBuf> = self.choice.iter().cloned().collect();
        let missing = paths.is_empty();
        self.answers.borrow_mut().push(Answer {
            ask,
            paths,
            missing,
        });
    }

    fn poll(&mut self) -> Option<Answer> {
        self.answers.borrow_mut().pop()
    }
}

type Window = Harness<'static, App>;

fn session(h: &Window) -> &Session {
    &h.state().state.session
}

fn sheet(h: &Window) -> Option<Sheet> {
    h.state().state.shell.sheet
}

fn settle(h: &mut Window) {
    let start = Instant::now();
    loop {
        h.step();
        let s = session(h);
        if s.loading().is_empty() && s.busy_clips() == 0 && s.exporting().is_none() {
            break;
        }
        assert!(start.elapsed() < Duration::from_mins(2), "the worker hangs");
        std::thread::sleep(Duration::from_millis(5));
    }
    h.run_steps(4);
}

fn window(files: &[PathBuf], desktop: Desktop) -> Window {
    let files = files.to_vec();
    let mut h = Harness::builder()
        .with_size([1280.0, 720.0])
        .with_max_steps(60)
        .build_eframe(move |cc| App::with_dialogs(cc, &files, Box::new(desktop)));
    settle(&mut h);
    h
}

fn press(h: &mut Window, modifiers: Modifiers, key: Key) {
    h.key_press_modifiers(modifiers, key);
    h.run_steps(4);
}

fn key(h: &mut Window, key: Key) {
    press(h, Modifiers::NONE, key);
}

fn click(h: &mut Window, label: &str) {
    h.get_by_label(label).click();
    h.run_steps(4);
}

/// Replaces what stands in the line that has the focus.
fn type_path(h: &mut Window, name: &str, path: &Path) {
    let line = h.get_by_role_and_label(Role::TextInput, name);
    assert!(line.is_focused(), "{name} has the focus by itself");
    press(h, Modifiers::COMMAND, Key::A);
    h.get_by_role_and_label(Role::TextInput, name)
        .type_text(&path.display().to_string());
    h.run_steps(3);
}

/// Whether some text is told anywhere.
fn told(h: &Window, text: &str) -> bool {
    h.query_all_by_label_contains(text).next().is_some()
        || h.query_all_by_value(text).next().is_some()
}

/// The names of the rows of the list, without their figures.
fn rows(h: &Window) -> Vec<String> {
    let rows = h.query_all_by_role(Role::ListBoxOption);
    let words = rows.filter_map(|n| n.accesskit_node().label());
    words.filter(|w| !w.starts_with("Clip ")).collect()
}

/// `a.gltf` with two clips, and `below/b.gltf`.
fn clips() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let joints = ["hip", "knee", "foot"];
    let two = source::gltf(&joints, &[("Walk", 0.5), ("Run", 0.9)]);
    std::fs::write(folder.path().join("a.gltf"), two).expect("written");
    std::fs::create_dir(folder.path().join("below")).expect("made");
    let one = source::gltf(&joints, &[("Jump", 0.7)]);
    std::fs::write(folder.path().join("below/b.gltf"), one).expect("written");
    std::fs::write(folder.path().join("notes.txt"), "no clip").expect("written");
    folder
}

/// The window on `a.gltf`, with the first clip approved.
fn approved(folder: &TempDir, desktop: Desktop) -> Window {
    let mut h = window(&[folder.path().join("a.gltf")], desktop);
    key(&mut h, Key::Y);
    // Nothing is known of its feet.
    h.get_by_label("Approve all the same").click();
    h.run_steps(3);
    assert_eq!(session(&h).approved().len(), 1);
    h
}

fn export_sheet(h: &mut Window) {
    press(h, Modifiers::COMMAND, Key::E);
    assert_eq!(sheet(h), Some(Sheet::Export));
}

const FOLDER: &str = "Folder to export to";
const PATH: &str = "Path to open";

#[test]
fn a_file_is_found_and_opened_by_keys_alone() {
    let folder = clips();
    let mut h = window(&[folder.path().join("a.gltf")], Desktop::default());
    press(&mut h, Modifiers::COMMAND, Key::O);
    assert_eq!(sheet(&h), Some(Sheet::Open));
    let listed = rows(&h);
    assert!(
        listed.iter().any(|r| r == "Folder below")
            && listed.iter().any(|r| r.starts_with("File a.gltf, "))
            && !listed.iter().any(|r| r.contains("notes")),
        "where the last file was: {listed:?}"
    );
    key(&mut h, Key::ArrowDown);
    key(&mut h, Key::Enter);
    assert_eq!(sheet(&h), Some(Sheet::Open), "into the folder");
    assert!(rows(&h).iter().any(|r| r.starts_with("File b.gltf")));
    key(&mut h, Key::ArrowDown);
    key(&mut h, Key::Enter);
    settle(&mut h);
    assert_eq!(sheet(&h), None);
    assert_eq!(session(&h).documents().len(), 2);
    assert_eq!(
        h.state().state.shell.recent[0],
        folder.path().join("below/b.gltf")
    );
    press(&mut h, Modifiers::COMMAND, Key::O);
    assert!(rows(&h).iter().any(|r| r == "Open again a.gltf"));
    key(&mut h, Key::Escape);
    assert_eq!(sheet(&h), None);
}

#[test]
fn a_path_is_typed_and_what_is_not_there_is_said() {
    let (folder, other) = (clips(), clips());
    let mut h = window(&[other.path().join("a.gltf")], Desktop::default());
    press(&mut h, Modifiers::COMMAND, Key::O);
    type_path(&mut h, PATH, &folder.path().join("none.glb"));
    key(&mut h, Key::Enter);
    assert!(told(&h, "There is no file and no folder"));
    // A part of a name is enough where no other has it.
    type_path(&mut h, PATH, &folder.path().join("a.g"));
    assert!(!told(&h, "There is no file and no folder"));
    key(&mut h, Key::Enter);
    settle(&mut h);
    assert_eq!(sheet(&h), None);
    let opened = session(&h).documents().last().expect("a file");
    assert_eq!(opened.asset.path, folder.path().join("a.gltf"));
}

#[test]
fn a_folder_is_opened_with_all_below_it() {
    let (folder, other) = (clips(), clips());
    let mut h = window(&[other.path().join("a.gltf")], Desktop::default());
    press(&mut h, Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::O);
    type_path(&mut h, PATH, folder.path());
    key(&mut h, Key::Enter);
    settle(&mut h);
    assert_eq!(sheet(&h), None);
    assert_eq!(session(&h).documents().len(), 3, "and that of before");
    // The same from the sheet for files, by its button.
    let mut h = window(&[folder.path().join("a.gltf")], Desktop::default());
    press(&mut h, Modifiers::COMMAND, Key::O);
    click(&mut h, "Open all clips of this folder");
    settle(&mut h);
    assert_eq!(session(&h).documents().len(), 2);
}

#[test]
fn a_desktop_without_dialogs_is_said_where_it_was_asked() {
    let folder = clips();
    let desktop = Desktop::default();
    let asked = desktop.asked.clone();
    let mut h = approved(&folder, desktop);
    press(&mut h, Modifiers::COMMAND, Key::O);
    click(&mut h, "Browse…");
    assert_eq!(sheet(&h), Some(Sheet::Open));
    assert!(told(&h, "neither a portal nor zenity"));
    key(&mut h, Key::Escape);
    export_sheet(&mut h);
    assert!(!told(&h, "neither a portal nor zenity"));
    click(&mut h, "Browse…");
    assert!(told(&h, "neither a portal nor zenity"));
    assert_eq!(*asked.borrow(), [Ask::Open, Ask::ExportFolder]);
}

#[test]
fn the_desktop_dialog_gives_its_path_to_the_sheet() {
    let (folder, out) = (clips(), tempfile::tempdir().expect("a folder"));
    let desktop = Desktop {
        choice: Some(out.path().to_owned()),
        ..Desktop::default()
    };
    let mut h = approved(&folder, desktop);
    export_sheet(&mut h);
    click(&mut h, "Browse…");
    assert!(!out.path().join("Walk.ppc").exists(), "only asked");
    click(&mut h, "Export 1 clip");
    settle(&mut h);
    assert!(out.path().join("Walk.ppc").exists());
}

#[test]
fn an_export_needs_keys_alone_and_says_what_is_on_the_disk() {
    let (folder, out) = (clips(), tempfile::tempdir().expect("a folder"));
    let mut h = approved(&folder, Desktop::default());
    export_sheet(&mut h);
    let out = out.path().join("new");
    type_path(&mut h, FOLDER, &out);
    assert!(told(&h, "will be made") && told(&h, "Nothing is replaced"));
    let result = h.state().state.result().expect("a result").clone();
    let bytes = result.file_bytes().expect("a container");
    let shown = posepress::session::units::show_bytes(bytes);
    let listed = rows(&h);
    let row = format!("Walk, approved as an exception, compact, Walk.ppc, {shown}");
    assert!(listed.iter().any(|r| r.starts_with(&row)), "{listed:?}");
    key(&mut h, Key::Enter);
    assert_eq!(session(&h).exporting(), None, "Enter leads to the button");
    key(&mut h, Key::Enter);
    settle(&mut h);
    let written = std::fs::read(out.join("Walk.ppc")).expect("written");
    assert_eq!(written.len(), bytes);
    assert!(told(&h, "Exported") && told(&h, &format!("{bytes} bytes  ")));
    h.get_by_label("Copy path").click();
    h.step();
    let commands = h.output().platform_output.commands.clone();
    let copied = commands.into_iter().find_map(|c| match c {
        egui::OutputCommand::CopyText(text) => Some(text),
        _ => None,
    });
    assert_eq!(copied, Some(out.join("Walk.ppc").display().to_string()));
    h.run_steps(3);
    click(&mut h, "Close");
    assert_eq!(sheet(&h), None);
    assert_eq!(h.state().state.shell.export_folders, [out]);
}

#[test]
fn what_will_be_replaced_is_listed_before_and_replaced_after() {
    let (folder, out) = (clips(), tempfile::tempdir().expect("a folder"));
    let there = out.path().join("Walk.ppc");
    std::fs::write(&there, "somebody's").expect("written");
    let mut h = approved(&folder, Desktop::default());
    export_sheet(&mut h);
    type_path(&mut h, FOLDER, out.path());
    assert!(told(&h, "Replaces 1 file that is there: Walk.ppc (10 B)"));
    let listed = rows(&h);
    assert!(
        listed.iter().any(|r| r.ends_with("replaces 10 B")),
        "{listed:?}"
    );
    key(&mut h, Key::Enter);
    h.run_steps(5);
    let now = std::fs::read(&there).expect("is there");
    assert_eq!(now, b"somebody's", "nothing is written yet");
    click(&mut h, "Export 1 clip, replace 1 file");
    settle(&mut h);
    let now = std::fs::read(&there).expect("is there");
    assert_eq!(&now[1..4], b"PPC");
}

#[test]
fn a_file_that_comes_while_the_sheet_is_open_is_not_replaced_unseen() {
    let (folder, out) = (clips(), tempfile::tempdir().expect("a folder"));
    let mut h = approved(&folder, Desktop::default());
    export_sheet(&mut h);
    type_path(&mut h, FOLDER, out.path());
    let there = out.path().join("Walk.ppc");
    std::fs::write(&there, "just come").expect("written");
    click(&mut h, "Export 1 clip");
    settle(&mut h);
    assert_eq!(std::fs::read(&there).expect("is there"), b"just come");
    assert!(told(&h, "changed since it was listed"));
    click(&mut h, "Export 1 clip, replace 1 file");
    settle(&mut h);
    assert_ne!(std::fs::read(&there).expect("is there"), b"just come");
}

#[test]
fn stale_approvals_and_wrong_folders_are_told() {
    let folder = clips();
    let mut h = approved(&folder, Desktop::default());
    let run = ClipId {
        clip: 1,
        ..session(&h).selected().expect("a clip")
    };
    h.state_mut().state.session.approve(run);
    let walk = session(&h).selected().expect("a clip");
    h.state_mut().state.session.select(run);
    let change = Change::Budget(Budget::Skin { target_m: 0.004 });
    h.run_steps(2);
    h.state_mut().state.change(change, None);
    settle(&mut h);
    h.state_mut().state.session.select(walk);
    h.run_steps(2);
    export_sheet(&mut h);
    let listed = rows(&h);
    let stale = listed.iter().find(|r| r.starts_with("Run, ")).expect("Run");
    assert!(
        stale.contains("stale") && stale.contains("not written") && stale.contains("again"),
        "{stale}"
    );
    assert!(h.query_by_label("Export 1 clip").is_some());
    type_path(&mut h, FOLDER, &folder.path().join("notes.txt"));
    assert!(told(&h, "is a file, not a folder"));
    assert!(h.get_by_label("Export").accesskit_node().is_disabled());
    key(&mut h, Key::Escape);
    assert_eq!(sheet(&h), None);
}

#[test]
fn nothing_of_a_sheet_leaves_the_window() {
    let folder = clips();
    let mut h = approved(&folder, Desktop::default());
    for open in [Key::O, Key::E] {
        press(&mut h, Modifiers::COMMAND, open);
        h.run_steps(6);
        for size in [[1600.0, 1000.0], [1280.0, 720.0], [1080.0, 640.0]] {
            h.set_size(size.into());
            h.run_steps(4);
            let window = egui::Rect::from_min_size(egui::Pos2::ZERO, size.into());
            for label in ["Browse…", "Cancel"] {
                let rect = h.get_by_label(label).rect();
                assert!(
                    window.contains_rect(rect),
                    "{open:?} {size:?} {label} {rect}"
                );
            }
        }
        key(&mut h, Key::Escape);
    }
}
