//! Several files at once: folders, closing, steps over many files, and exports that do not collide.

#[path = "support/mannequin.rs"]
mod mannequin;
#[allow(dead_code)]
#[path = "saving/source.rs"]
mod source;

use posepress::codec::{Budget, CodecError, Deliverable};
use posepress::session::{
    Change, ClipId, Command, Document, NoticeKind, Session, Sidecar, Standing,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Some of the bundled clips.
static ASSET: LazyLock<Vec<u8>> =
    LazyLock::new(|| mannequin::with_clips(&["Walk", "Run", "Idle", "Spin"]));

/// Clips of the bundled file.
const CLIPS: usize = 4;

fn wait(s: &mut Session, until: impl Fn(&Session) -> bool) {
    let start = Instant::now();
    while !until(s) {
        s.poll();
        assert!(start.elapsed() < Duration::from_mins(5), "it hangs");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn loaded(s: &mut Session) {
    wait(s, |s| s.loading().is_empty());
}

fn settle(s: &mut Session) {
    wait(s, |s| {
        s.busy_clips() == 0 && s.loading().is_empty() && s.exporting().is_none()
    });
}

/// A folder with the bundled clips under some names; with small clips where a name ends in `.gltf`.
fn folder_of(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let small = small();
    for name in names {
        let is_small = Path::new(name).extension().is_some_and(|e| e == "gltf");
        let bytes = if is_small { small.as_bytes() } else { &ASSET };
        put(&folder.path().join(name), bytes);
    }
    folder
}

/// A file of [`SMALL_CLIPS`] clips that are compressed in no time.
fn small() -> String {
    source::gltf(
        &["hips", "foot_l"],
        &[("Walk", 0.5), ("Run", 0.9), ("Jump", 1.1)],
    )
}

const SMALL_CLIPS: usize = 3;

fn put(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, bytes).expect("written");
}

fn session() -> Session {
    Session::new(|| {})
}

fn opened(folder: &Path) -> Session {
    let mut s = session();
    s.open(folder);
    loaded(&mut s);
    s
}

fn names(s: &Session) -> Vec<String> {
    s.documents().iter().map(Document::file_name).collect()
}

fn first_of(document: usize) -> ClipId {
    ClipId { document, clip: 0 }
}

fn target(mm: f64) -> Change {
    Change::Budget(Budget::Skin {
        target_m: mm / 1000.0,
    })
}

fn target_m(s: &Session, id: ClipId) -> f64 {
    match s.edits(id).expect("edits").settings.budget {
        Budget::Skin { target_m } => target_m,
        Budget::Tolerances => panic!("tolerances are used"),
    }
}

#[test]
fn a_folder_is_opened_in_order_and_only_its_first_clip_is_selected() {
    let folder = folder_of(&["b/two.glb", "a.glb", "b/one.glb", ".hidden/no.glb"]);
    let mut s = session();
    s.open(folder.path());
    assert_eq!(s.opening(), Some((0, 0)), "it is being searched");
    wait(&mut s, |s| !s.documents().is_empty());
    let (first, total) = (s.selected(), s.opening().map(|o| o.1));
    assert_eq!(total, Some(3));
    loaded(&mut s);
    assert_eq!(names(&s), ["a.glb", "one.glb", "two.glb"]);
    assert_eq!((s.selected(), s.opening()), (first, None));
    assert_eq!(first, Some(first_of(0)));
    assert_eq!(s.documents()[1].folder(), Some(folder.path()));
    // The selected clip goes before all that nobody looks at.
    wait(&mut s, |s| !s.is_busy(first_of(0)));
    assert!(s.result(first_of(2)).is_none());
    assert_eq!(s.compressed_clips().1, 3 * CLIPS);
}

#[test]
fn a_file_that_is_open_is_selected_and_not_opened_twice() {
    let folder = folder_of(&["a.gltf", "b.gltf"]);
    let mut s = opened(folder.path());
    let again = folder.path().join(".").join("b.gltf");
    s.open(&again);
    assert!(s.loading().is_empty());
    assert_eq!(s.selected(), Some(first_of(1)));
    s.open(folder.path());
    put(&folder.path().join("c.gltf"), &ASSET);
    loaded(&mut s);
    assert_eq!(
        names(&s),
        ["a.gltf", "b.gltf", "c.gltf"],
        "only what is new"
    );
    // By two paths at once.
    let other = folder_of(&["d.gltf", "sub/e.gltf"]);
    s.open(&other.path().join("d.gltf"));
    s.open(&other.path().join("sub/../d.gltf"));
    loaded(&mut s);
    assert_eq!(names(&s).len(), 4);
}

#[test]
fn one_file_that_a_person_opens_is_selected_of_several_the_first() {
    let folder = folder_of(&["a.gltf", "b.gltf", "more/c.gltf"]);
    let path = |name: &str| folder.path().join(name);
    let mut s = session();
    s.open_all(&[path("a.gltf"), path("b.gltf"), path("more")]);
    loaded(&mut s);
    assert_eq!(names(&s), ["a.gltf", "b.gltf", "c.gltf"]);
    assert_eq!(s.selected(), Some(first_of(0)));
    let other = folder_of(&["d.gltf"]);
    s.open(&other.path().join("d.gltf"));
    loaded(&mut s);
    assert_eq!(s.selected(), Some(first_of(3)));
}

#[test]
fn broken_files_make_one_notice_that_names_them() {
    let folder = folder_of(&["good.glb"]);
    put(&folder.path().join("bad.glb"), b"not a file");
    put(&folder.path().join("worse.gltf"), b"{");
    let s = opened(folder.path());
    let errors: Vec<_> = s
        .notices()
        .iter()
        .filter(|n| n.kind == NoticeKind::Error)
        .collect();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].title, "Cannot open 2 of 3 files");
    let text = &errors[0].text;
    assert!(
        text.contains("bad.glb") && text.contains("worse.gltf"),
        "{text}"
    );
    assert_eq!(
        s.selected(),
        Some(first_of(0)),
        "the first that can be read"
    );
}

#[test]
fn files_with_the_same_meshes_keep_them_once() {
    let folder = folder_of(&["a.glb", "b.glb", "c.gltf"]);
    let s = opened(folder.path());
    let meshes: Vec<_> = s.documents().iter().map(|d| &d.asset.meshes).collect();
    assert!(!meshes[0].is_empty() && std::sync::Arc::ptr_eq(meshes[0], meshes[1]));
    assert!(!std::sync::Arc::ptr_eq(meshes[0], meshes[2]));
}

#[test]
fn an_empty_folder_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let s = opened(folder.path());
    assert_eq!(s.notices()[0].title, "Nothing to open");
    assert!(s.opening().is_none());
}

#[test]
fn opening_is_cancelled_and_what_is_there_stays() {
    let files: Vec<String> = (0..60).map(|k| format!("{k:02}.glb")).collect();
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let folder = folder_of(&names);
    let mut s = session();
    s.open(folder.path());
    wait(&mut s, |s| !s.documents().is_empty());
    s.cancel_opening();
    assert!(s.loading().is_empty() && s.opening().is_none());
    let open = s.documents().len();
    settle(&mut s);
    assert_eq!(s.documents().len(), open, "nothing comes late");
    assert!(open < 60 && s.result(first_of(0)).is_some());
}

#[test]
fn compression_is_cancelled_for_all_and_goes_on() {
    let folder = folder_of(&["a.glb", "b.glb", "c.glb"]);
    let mut s = opened(folder.path());
    let all: Vec<ClipId> = s.clip_ids().collect();
    let busy = s.busy_clips();
    assert!(busy > CLIPS, "most of them wait");
    assert_eq!(s.cancel_all(&all), busy);
    assert_eq!((s.busy_clips(), s.cancelled().len()), (0, busy));
    let (done, total) = s.compressed_clips();
    assert_eq!((done + busy, total), (total, 3 * CLIPS));
    let last = *all.last().expect("a clip");
    assert_eq!(s.error(last), Some(&CodecError::Cancelled));
    std::thread::sleep(Duration::from_millis(300));
    s.poll();
    assert!(s.result(last).is_none(), "it really stopped");
    assert_eq!(s.retry_all(&s.cancelled()), busy);
    settle(&mut s);
    assert!(s.result(last).is_some() && s.cancelled().is_empty());
    assert_eq!(s.compressed_clips(), (total, total));
}

#[test]
fn a_step_over_two_files_is_taken_back_and_done_again_at_once() {
    let folder = folder_of(&["a.gltf", "b.gltf"]);
    let mut s = opened(folder.path());
    let ids = [
        first_of(0),
        first_of(1),
        ClipId {
            document: 1,
            clip: 2,
        },
    ];
    assert_eq!(
        s.change_all(&ids, &target(3.0), "Set the target of 3 clips"),
        3
    );
    assert_eq!(s.undo_name(), Some("Set the target of 3 clips"));
    assert!(ids.iter().all(|id| target_m(&s, *id) == 0.003));
    assert_eq!(
        target_m(
            &s,
            ClipId {
                document: 1,
                clip: 1
            }
        ),
        0.001,
        "another clip"
    );
    s.undo();
    assert!(s.undo_name().is_none(), "one step");
    assert!(ids.iter().all(|id| target_m(&s, *id) == 0.001));
    s.redo();
    assert!(ids.iter().all(|id| target_m(&s, *id) == 0.003));
    assert_eq!(s.change_all(&ids, &target(3.0), "again"), 0);
    assert_eq!(
        s.undo_name(),
        Some("Set the target of 3 clips"),
        "no step for nothing"
    );
    wait(&mut s, |s| !s.is_busy(ids[0]) && !s.is_busy(ids[2]));
    let made = s.result(ids[2]).expect("compressed again").settings.budget;
    assert_eq!(made, Budget::Skin { target_m: 0.003 });
}

#[test]
fn only_what_is_finished_is_approved_and_in_one_step() {
    let folder = folder_of(&["a.glb", "b.glb"]);
    let mut s = opened(folder.path());
    let all: Vec<ClipId> = s.clip_ids().collect();
    wait(&mut s, |s| !s.is_busy(first_of(0)));
    let busy: Vec<ClipId> = all.iter().filter(|id| s.is_busy(**id)).copied().collect();
    s.cancel_all(&busy);
    let finished = all.len() - busy.len();
    assert_eq!(s.approve_all(&all), finished);
    assert_eq!(s.approved().len(), finished);
    s.undo();
    assert!(s.approved().is_empty());
    assert_eq!(s.standing(busy[0]), Standing::Unknown);
}

#[test]
fn a_clip_passes_when_neither_skin_nor_feet_are_over() {
    let folder = folder_of(&["a.glb"]);
    let mut s = opened(folder.path());
    settle(&mut s);
    let id = first_of(0);
    assert_eq!(s.standing(id), Standing::Passes, "its feet are held");
    s.change_all(&[id], &Change::SlideTarget(Some(1e-9)), "Too little");
    assert_eq!(s.standing(id), Standing::Unknown);
    settle(&mut s);
    assert_eq!(s.standing(id), Standing::Misses);
    s.change_all(&[id], &Change::SlideTarget(None), "Ask for nothing");
    settle(&mut s);
    assert_eq!(s.standing(id), Standing::Passes);
    let coarse = Change::Deliverable(Deliverable::Riot);
    s.change_all(&[id], &coarse, "Deliver riot");
    s.change_all(&[id], &target(0.01), "Too fine for it");
    settle(&mut s);
    assert_eq!(s.standing(id), Standing::Misses);
}

#[test]
fn ids_stay_right_while_other_files_close() {
    let folder = folder_of(&["a.gltf", "b.gltf", "c.gltf"]);
    let mut s = opened(folder.path());
    let (b, c) = (first_of(1), first_of(2));
    s.change_all(&[b, c], &Change::Looped(true), "Loop both");
    s.change_all(&[b], &target(2.0), "Only b");
    s.select(c);
    s.close(&[1]);
    assert_eq!(names(&s), ["a.gltf", "c.gltf"]);
    assert_eq!(s.selected(), Some(c));
    assert_eq!(
        s.document(2).map(Document::file_name).as_deref(),
        Some("c.gltf")
    );
    assert!(s.document(1).is_none() && s.clip(b).is_none() && s.edits(b).is_none());
    assert_eq!(
        s.undo_name(),
        Some("Loop both"),
        "what was done to b alone is gone"
    );
    s.undo();
    assert!(!s.edits(c).expect("edits").settings.looped && s.undo_name().is_none());
    s.redo();
    assert!(s.edits(c).expect("edits").settings.looped);
    settle(&mut s);
    assert!(s.result(b).is_none() && s.result(c).is_some());
    let edit = Command::Edit {
        clip: b,
        change: target(5.0),
    };
    s.dispatch(&edit, None);
    assert_eq!(
        s.undo_name(),
        Some("Loop both"),
        "a closed file does not change"
    );
    s.open(&folder.path().join("b.gltf"));
    loaded(&mut s);
    assert_eq!(s.selected(), Some(first_of(3)), "a number of its own");
    s.close(&[0, 2, 3]);
    assert!(s.documents().is_empty() && s.selected().is_none());
    settle(&mut s);
}

#[test]
fn answers_for_a_closed_file_are_dropped() {
    let folder = folder_of(&["a.glb", "b.gltf"]);
    let mut s = opened(folder.path());
    s.compare(first_of(0));
    s.ask_prices(first_of(0), vec![target(2.0), target(3.0)]);
    s.close(&[0]);
    assert_eq!(s.selected(), Some(first_of(1)), "the next one");
    assert_eq!(s.busy_clips(), SMALL_CLIPS);
    settle(&mut s);
    assert!(s.comparison(first_of(0)).is_none() && !s.is_pricing(first_of(0)));
    assert!(s.notices().is_empty(), "{:?}", s.notices());
    assert!((0..SMALL_CLIPS).all(|clip| s.result(ClipId { document: 1, clip }).is_some()));
}

#[test]
fn a_closed_file_leaves_nothing_to_recover() {
    let folder = folder_of(&["a.gltf", "b.gltf"]);
    let state = tempfile::tempdir().expect("a folder");
    let mut s = opened(folder.path());
    s.keep_safe(state.path());
    s.change_all(&[first_of(0), first_of(1)], &target(2.0), "Both");
    let now = Instant::now();
    s.autosave(now, false);
    s.autosave(now + Duration::from_secs(30), false);
    s.close(&[0]);
    drop(s);
    let mut s = session();
    s.keep_safe(state.path());
    let left: Vec<PathBuf> = s.recoverable().iter().map(|r| r.source.clone()).collect();
    assert_eq!(left, [folder.path().join("b.gltf")]);
    s.recover();
    loaded(&mut s);
    assert_eq!(target_m(&s, first_of(0)), 0.002);
}

#[test]
fn closing_saves_only_what_is_asked_for() {
    let folder = folder_of(&["a.gltf", "b.gltf"]);
    let mut s = opened(folder.path());
    s.change_all(&[first_of(0), first_of(1)], &target(2.0), "Both");
    assert!(s.save_files(&[1]));
    let sidecar = |name: &str| Sidecar::path_of(&folder.path().join(name));
    assert!(sidecar("b.gltf").exists() && !sidecar("a.gltf").exists());
    let dirty =
        |s: &Session| -> Vec<bool> { s.documents().iter().map(Document::is_dirty).collect() };
    assert_eq!(dirty(&s), [true, false]);
    s.undo();
    assert_eq!(
        dirty(&s),
        [false, true],
        "what is saved is the other one now"
    );
}

#[test]
fn clips_of_one_name_from_several_folders_do_not_meet() {
    let folder = folder_of(&["x/hero.glb", "y/hero.gltf", "hero.gltf"]);
    let mut s = opened(folder.path());
    settle(&mut s);
    let ids: Vec<ClipId> = (0..3).map(first_of).collect();
    let glb = ClipId {
        document: 1,
        clip: 1,
    };
    s.change_all(&[glb], &Change::Deliverable(Deliverable::Universal), "GLB");
    settle(&mut s);
    assert_eq!(s.approve_all(&[ids[0], ids[1], ids[2], glb]), 4);
    let out = tempfile::tempdir().expect("a folder");
    s.export(&s.approved(), out.path());
    settle(&mut s);
    let report = s
        .last_export()
        .unwrap_or_else(|| panic!("{:?}", s.notices()));
    let mut written: Vec<PathBuf> = report.files.iter().map(|f| f.path.clone()).collect();
    written.sort();
    let wanted = [
        "hero/Walk.ppc",
        "x/hero/Walk.ppc",
        "x/hero/hero_compressed.glb",
        "y/hero/Walk.ppc",
    ];
    assert_eq!(written, wanted.map(|w| out.path().join(w)));
    assert!(written.iter().all(|p| p.is_file()));
    let summary = report.summary();
    assert!(
        summary.contains("4 files in") && summary.ends_with(&out.path().display().to_string()),
        "{summary}"
    );

    // One alone has the same place.
    let alone = tempfile::tempdir().expect("a folder");
    s.export(&[ids[1]], alone.path());
    settle(&mut s);
    assert!(alone.path().join("x/hero/Walk.ppc").is_file());
}

#[test]
fn files_of_one_name_that_were_opened_one_by_one_do_not_meet_either() {
    let folder = folder_of(&["x/hero.gltf", "y/HERO.gltf"]);
    let mut s = session();
    for name in ["x/hero.gltf", "y/HERO.gltf"] {
        s.open(&folder.path().join(name));
    }
    settle(&mut s);
    let ids: Vec<ClipId> = (0..2).map(first_of).collect();
    s.approve_all(&ids);
    let out = tempfile::tempdir().expect("a folder");
    s.export(&s.approved(), out.path());
    settle(&mut s);
    assert!(out.path().join("hero/Walk.ppc").is_file());
    assert!(out.path().join("HERO_2/Walk.ppc").is_file());
    let alone = tempfile::tempdir().expect("a folder");
    s.export(&[ids[1]], alone.path());
    settle(&mut s);
    assert!(
        alone.path().join("Walk.ppc").is_file(),
        "one file alone needs no folder"
    );
}

#[test]
fn a_file_of_a_folder_is_read_again_when_it_is_exported_again() {
    let folder = folder_of(&["a.gltf", "b.gltf"]);
    let mut s = opened(folder.path());
    settle(&mut s);
    s.approve(first_of(1));
    let mut now = Instant::now();
    s.watch(now);
    let other = source::gltf(&["hips", "foot_l"], &[("Walk", 0.6)]);
    put(&folder.path().join("b.gltf"), other.as_bytes());
    // It is not the selected one: another thread sees it, within a second, twice.
    let start = Instant::now();
    while s.notices().is_empty() && start.elapsed() < Duration::from_secs(20) {
        now += Duration::from_secs(1);
        s.watch(now);
        s.poll();
        std::thread::sleep(Duration::from_millis(100));
    }
    let notice = s.notices().last().expect("it was seen");
    assert!(notice.title.contains("b.gltf"), "{}", notice.title);
}

#[test]
fn a_look_at_hundreds_of_open_files_is_cheap() {
    let files: Vec<String> = (0..300).map(|k| format!("{k:03}.gltf")).collect();
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let folder = folder_of(&names);
    let mut s = opened(folder.path());
    assert_eq!(s.documents().len(), 300);
    let now = Instant::now();
    s.watch(now);
    let start = Instant::now();
    for k in 1..=20 {
        s.watch(now + Duration::from_secs(k));
    }
    let each = start.elapsed() / 20;
    assert!(each < Duration::from_millis(2), "{each:?}");
}
