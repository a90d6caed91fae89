//! Programs that are killed: what they saved is whole, what they had not saved is offered again.

use super::source::{note, note_on, open, settle, write_source};
use posepress::import::{self, LoadOptions};
use posepress::session::{Edits, FrameNote, Session, Sidecar, save_decisions};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// Kills while a file is saved.
const SAVES: usize = 200;

/// Crashes that are recovered from.
const CRASHES: usize = 20;

const ROLE: &str = "POSEPRESS_TEST_CRASH_FOLDER";

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Starts one of the children below and waits for a line in which it says a number.
fn start(name: &str, folder: &Path) -> (Child, BufReader<ChildStdout>, u64) {
    let mut child = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", name, "--nocapture"])
        .env(ROLE, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    let mut lines = BufReader::new(child.stdout.take().expect("piped"));
    let number = next_number(&mut lines);
    (child, lines, number)
}

fn next_number(lines: &mut BufReader<ChildStdout>) -> u64 {
    let start = Instant::now();
    loop {
        let mut line = String::new();
        assert!(lines.read_line(&mut line).expect("a pipe") > 0, "it ended");
        if let Some(number) = line.trim().strip_prefix("did ") {
            return number.parse().expect("a number");
        }
        assert!(start.elapsed() < Duration::from_mins(1), "it hangs");
    }
}

fn role() -> Option<PathBuf> {
    std::env::var_os(ROLE).map(PathBuf::from)
}

/// A clip with many notes that all say the same number.
fn numbered(mut edits: Edits, n: u64) -> Edits {
    let note = |frame| FrameNote {
        frame,
        text: n.to_string(),
    };
    edits.clip_mut(0).expect("a clip").notes = (0..2000).map(note).collect();
    edits
}

/// Not a test of its own: saves without end, in the process that gets killed.
#[test]
fn child_that_saves() {
    let Some(folder) = role() else { return };
    let path = folder.join("w.gltf");
    let asset = import::load(&path, &LoadOptions::default()).expect("loads");
    let sidecar = Sidecar::path_of(&path);
    let mut before = Edits::of(&asset);
    let first = number_in(&sidecar, &before, &asset) + 1;
    for n in first.. {
        let now = numbered(before.clone(), n);
        save_decisions(&sidecar, &before, &now, &asset).expect("saved");
        println!("did {n}");
        before = now;
    }
}

fn number_in(path: &Path, none: &Edits, asset: &posepress::model::Asset) -> u64 {
    let Some(sidecar) = Sidecar::read(path).expect("a whole file") else {
        return 0;
    };
    let (edits, unknown) = sidecar.edits(path, asset).expect("decisions");
    assert!(unknown.is_empty());
    let n = edits.clips[0].notes[0].text.parse().expect("a number");
    assert_eq!(edits, numbered(none.clone(), n), "old or new, never mixed");
    n
}

#[test]
fn a_kill_while_saving_leaves_the_old_or_the_new_decisions() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.gltf");
    write_source(&path);
    let asset = import::load(&path, &LoadOptions::default()).expect("loads");
    let (none, sidecar) = (Edits::of(&asset), Sidecar::path_of(&path));
    let mut random = Random(1);
    let (mut last, mut interrupted) = (0, 0);
    for trial in 0..SAVES {
        let (mut child, lines, said) = start("crash::child_that_saves", folder.path());
        std::thread::sleep(Duration::from_micros(random.below(20_000)));
        child.kill().expect("SIGKILL");
        child.wait().expect("gone");
        drop(lines);
        let found = number_in(&sidecar, &none, &asset);
        assert!(
            found >= said && found > last,
            "trial {trial}: {last}, {said}, {found}"
        );
        last = found;
        for entry in fs::read_dir(folder.path()).expect("readable") {
            let leftover = entry.expect("readable").path();
            if leftover.extension().is_some_and(|e| e == "tmp") {
                fs::remove_file(leftover).expect("removed");
                interrupted += 1;
            }
        }
    }
    assert!(interrupted > 0, "no kill hit a save");
    println!("{last} saves, {interrupted} of {SAVES} kills in the middle of one");
}

/// Not a test of its own: changes something again and again, without saving, and gets killed.
#[test]
fn child_that_works() {
    let Some(folder) = role() else { return };
    let mut s = open(&folder.join("w.gltf"));
    s.keep_safe(&folder.join("state"));
    let start = Instant::now();
    for n in 0.. {
        note(&mut s, 7, &n.to_string());
        // As if half a minute went by.
        let now = start + Duration::from_secs(60 * n);
        s.autosave(now, false);
        s.autosave(now + Duration::from_secs(30), false);
        println!("did {n}");
    }
}

/// The next start. A process that another test is just starting shares this one's locks until it runs, so that what
/// a session of this process left may be found a moment later.
fn offered(state: &Path) -> Session {
    let start = Instant::now();
    loop {
        let mut s = Session::new(|| {});
        s.keep_safe(state);
        if !s.recoverable().is_empty() || start.elapsed() > Duration::from_secs(5) {
            return s;
        }
        s.close_safely();
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn after_a_crash_the_work_is_offered_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.gltf");
    write_source(&path);
    let state = folder.path().join("state");
    let mut random = Random(2);
    for trial in 0..CRASHES {
        let (mut child, mut lines, mut said) = start("crash::child_that_works", folder.path());
        for _ in 0..random.below(5) {
            said = next_number(&mut lines);
        }
        std::thread::sleep(Duration::from_micros(random.below(20_000)));
        child.kill().expect("SIGKILL");
        child.wait().expect("gone");
        let mut s = Session::new(|| {});
        s.keep_safe(&state);
        assert_eq!(s.recoverable().len(), 1, "trial {trial}");
        assert!(s.recoverable()[0].source.ends_with("w.gltf"));
        s.recover();
        settle(&mut s);
        let found: u64 = note_on(&s, 7).expect("a note").parse().expect("a number");
        assert!(found >= said, "trial {trial}: {found} after {said}");
        assert!(s.is_dirty(), "it is not saved");
        assert_eq!(s.undo_name(), Some("Recover"));
        // Recovered, it is kept safe from the next crash at once, and offered only once.
        drop(s);
        let mut s = offered(&state);
        assert_eq!(s.recoverable().len(), 1, "trial {trial}");
        s.discard_recoverable();
        s.close_safely();
        let mut s = Session::new(|| {});
        s.keep_safe(&state);
        assert!(s.recoverable().is_empty(), "trial {trial}");
        s.close_safely();
    }
}

#[test]
fn work_is_kept_safe_soon_but_not_during_a_drag_nor_over_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.gltf");
    write_source(&path);
    let mut s = open(&path);
    s.keep_safe(&folder.path().join("state"));
    let slots = || -> usize {
        let folders = fs::read_dir(folder.path().join("state/unsaved")).expect("there");
        let files = folders.flat_map(|f| fs::read_dir(f.expect("a folder").path()).expect("there"));
        files
            .filter(|f| f.as_ref().expect("a file").path().extension().is_some())
            .count()
    };
    let start = Instant::now();
    let at = |secs: u64| start + Duration::from_secs(secs);
    assert_eq!(s.autosave(at(0), false), None, "nothing to do");
    note(&mut s, 1, "mine");
    let wait = s.autosave(at(1), false).expect("soon");
    assert!(wait <= Duration::from_secs(30) && slots() == 0);
    assert!(s.autosave(at(60), true).is_some(), "later");
    assert_eq!(slots(), 0, "not during a drag");
    assert_eq!(s.autosave(at(61), false), None);
    assert_eq!(slots(), 1);
    assert!(
        !Sidecar::path_of(&path).exists(),
        "the person's file is the person's"
    );
    assert!(s.save());
    assert_eq!(slots(), 0, "what is saved needs no slot, from then on");
    note(&mut s, 3, "mine too");
    s.autosave(at(70), false);
    s.autosave(at(90), false);
    assert_eq!(slots(), 1);
    s.undo();
    s.autosave(at(90), false);
    assert_eq!(slots(), 0, "all is as it was saved");
    s.close_safely();
}

#[test]
fn a_damaged_slot_is_skipped_with_a_notice() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.gltf");
    write_source(&path);
    let state = folder.path().join("state");
    let mut s = open(&path);
    s.keep_safe(&state);
    note(&mut s, 1, "mine");
    let start = Instant::now();
    s.autosave(start, false);
    s.autosave(start + Duration::from_secs(30), false);
    drop(s);
    let entry = fs::read_dir(state.join("unsaved")).expect("there").next();
    let slots = entry.expect("one").expect("a folder").path();
    for (name, text) in [
        ("1", "{"),
        ("2", "[]"),
        ("3", "{\"source\":\"x\",\"decisions\":{\"version\":9}}"),
    ] {
        fs::write(slots.join(format!("{name}.json")), text).expect("written");
    }
    let mut s = offered(&state);
    assert_eq!(s.recoverable().len(), 1);
    assert_eq!(s.notices().len(), 3, "{:?}", s.notices());
    assert!(
        s.notices()[0].text.contains("1.damaged"),
        "{:?}",
        s.notices()
    );
    s.recover();
    settle(&mut s);
    assert_eq!(note_on(&s, 1).as_deref(), Some("mine"));
    s.close_safely();
    let mut s = Session::new(|| {});
    s.keep_safe(&state);
    assert!(
        s.notices().is_empty() && s.recoverable().is_empty(),
        "told once"
    );
    assert_eq!(fs::read(slots.join("1.damaged")).expect("kept"), b"{");
    s.close_safely();
}

#[test]
fn a_file_that_is_open_already_gets_its_decisions_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.gltf");
    write_source(&path);
    let state = folder.path().join("state");
    let mut s = open(&path);
    s.keep_safe(&state);
    note(&mut s, 1, "mine");
    let start = Instant::now();
    s.autosave(start, false);
    s.autosave(start + Duration::from_secs(30), false);
    drop(s);
    let mut s = offered(&state);
    s.open(&path);
    settle(&mut s);
    s.recover();
    settle(&mut s);
    assert_eq!(s.documents().len(), 1);
    assert_eq!(note_on(&s, 1).as_deref(), Some("mine"));
    s.close_safely();
}

#[test]
fn a_state_folder_that_cannot_be_written_is_told_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.gltf");
    write_source(&path);
    fs::write(folder.path().join("file"), "").expect("written");
    let mut s = open(&path);
    s.keep_safe(&folder.path().join("file"));
    assert_eq!(s.notices().len(), 1, "{:?}", s.notices());
    assert_eq!(s.autosave(Instant::now(), false), None);

    let state = folder.path().join("state");
    let mut s = open(&path);
    s.keep_safe(&state);
    note(&mut s, 1, "mine");
    fs::remove_dir_all(&state).expect("taken away");
    let start = Instant::now();
    for k in 0..4 {
        s.autosave(start + Duration::from_secs(30 * k), false);
    }
    let told = s
        .notices()
        .iter()
        .filter(|n| n.title.contains("not kept safe"));
    assert_eq!(told.count(), 1);
    assert!(s.is_dirty());
    fs::create_dir_all(&state).expect("back");
}

/// Not a test of its own: saves where no file may grow beyond a few kilobytes.
#[test]
fn child_that_has_no_room() {
    let Some(folder) = role() else { return };
    let mut s = open(&folder.join("w.gltf"));
    s.keep_safe(&folder.join("state"));
    for frame in 0..4000 {
        note(&mut s, frame, "a note that takes room");
    }
    let start = Instant::now();
    s.autosave(start, false);
    s.autosave(start + Duration::from_secs(30), false);
    assert!(!s.save() && s.is_dirty(), "there is no room");
    let told = s.notices().iter().map(|n| n.title.as_str());
    assert_eq!(
        told.collect::<Vec<_>>(),
        ["Your work is not kept safe", "Not saved"]
    );
    assert!(
        s.notices()[1].text.contains("larger than the disk"),
        "{:?}",
        s.notices()
    );
    println!("did 1");
}

#[cfg(unix)]
#[test]
fn where_there_is_no_room_the_old_decisions_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.gltf");
    write_source(&path);
    let mut s = open(&path);
    note(&mut s, 1, "old");
    assert!(s.save());
    let before = fs::read(Sidecar::path_of(&path)).expect("there");
    let this = std::env::current_exe().expect("this test");
    // The signal that a file is too large is left to the write, which fails then.
    let script =
        "trap '' XFSZ; ulimit -f 40; exec \"$0\" --exact crash::child_that_has_no_room --nocapture";
    let done = Command::new("sh")
        .args(["-c", script])
        .arg(this)
        .env(ROLE, folder.path())
        .output()
        .expect("started");
    let said = String::from_utf8_lossy(&done.stdout);
    let faults = String::from_utf8_lossy(&done.stderr);
    assert!(
        done.status.success() && said.contains("did 1"),
        "{said}{faults}"
    );
    assert_eq!(fs::read(Sidecar::path_of(&path)).expect("there"), before);
}
