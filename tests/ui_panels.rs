//! The window's panels, driven through their accessible names as a person or a screen reader would.
#![cfg(feature = "gui")]

use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use posepress::codec::{Budget, Deliverable};
use posepress::gui::App;
use posepress::gui::dialogs::{Answer, Ask, FileDialogs};
use posepress::gui::stage::Cast;
use posepress::gui::state::State;
use posepress::math::Channel;
use posepress::session::{ClipId, Verdict};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Dialogs that answer at once with what the test wants.
#[derive(Clone, Default)]
struct FakeDialogs {
    asked: Rc<RefCell<Vec<Ask>>>,
    answers: Rc<RefCell<Vec<Answer>>>,
    choice: Option<PathBuf>,
}

impl FileDialogs for FakeDialogs {
    fn ask(&mut self, ask: Ask, _ctx: &egui::Context) {
        self.asked.borrow_mut().push(ask);
        let paths = self.choice.iter().cloned().collect();
        self.answers.borrow_mut().push(Answer {
            ask,
            missing: self.choice.is_none(),
            paths,
        });
    }

    fn poll(&mut self) -> Option<Answer> {
        self.answers.borrow_mut().pop()
    }
}

#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        Err("read by path".into())
    }
}

/// The window on the bundled clip, everything compressed.
fn window() -> Harness<'static, App> {
    window_with(FakeDialogs::default())
}

fn window_with(dialogs: FakeDialogs) -> Harness<'static, App> {
    let mut h = Harness::builder()
        .with_size([1600.0, 1000.0])
        .with_max_steps(60)
        .build_eframe(move |cc| App::with_dialogs(cc, &[], Box::new(dialogs)));
    settle(&mut h);
    h
}

/// Runs until nothing that a person waits for is on its way: a file, an export, or the selected clip.
fn settle(h: &mut Harness<'_, App>) {
    let start = Instant::now();
    loop {
        h.step();
        let session = &h.state().state.session;
        let selected = session.selected();
        if selected.is_none_or(|id| !session.is_busy(id))
            && session.loading().is_empty()
            && session.exporting().is_none()
        {
            break;
        }
        assert!(start.elapsed() < Duration::from_mins(5), "the worker hangs");
        std::thread::sleep(Duration::from_millis(5));
    }
    h.run_steps(3);
}

fn selected(h: &Harness<'_, App>) -> ClipId {
    h.state().state.session.selected().expect("a clip is open")
}

fn bytes(h: &Harness<'_, App>) -> usize {
    h.state().state.result().expect("a result").animation_bytes
}

fn target_m(h: &Harness<'_, App>) -> f64 {
    let edits = h.state().state.session.edits(selected(h)).expect("edits");
    match edits.settings.budget {
        Budget::Skin { target_m } => target_m,
        Budget::Tolerances => panic!("tolerances are used"),
    }
}

fn slider_rect(h: &Harness<'_, App>, name: &str) -> egui::Rect {
    h.get_by_role_and_label(Role::Slider, name).rect()
}

/// Selects a joint; the tree shows it and what is around it.
fn select_joint(h: &mut Harness<'_, App>, name: &str) {
    let skeleton = h.state().state.clip().expect("a clip").skeleton().clone();
    h.state_mut().state.joint = skeleton.find(name).expect("the joint");
    h.run_steps(3);
}

/// Drags a slider's handle to a share of its length, with stops on the way.
fn drag(h: &mut Harness<'_, App>, name: &str, to: f32) {
    let rect = slider_rect(h, name);
    let at = |x: f32| egui::pos2(rect.left() + rect.width() * x, rect.center().y);
    h.drag_at(at(0.5));
    h.run_steps(2);
    for k in 1..=4 {
        h.hover_at(at(0.5 + (to - 0.5) * k as f32 / 4.0));
        h.run_steps(2);
    }
    h.drop_at(at(to));
    settle(h);
}

/// Types into a box and leaves it with Enter.
fn type_into(h: &mut Harness<'_, App>, name: &str, text: &str) {
    h.get_by_role_and_label(Role::TextInput, name).focus();
    h.run_steps(3);
    h.get_by_role_and_label(Role::TextInput, name)
        .type_text(text);
    h.run_steps(2);
    h.key_press(egui::Key::Enter);
    settle(h);
}

#[test]
fn a_click_selects_a_clip() {
    let mut h = window();
    assert_eq!(selected(&h).clip, 0);
    h.get_by_label_contains("Clip Idle").click();
    h.run_steps(3);
    assert_eq!(h.state().state.clip().expect("a clip").name(), "Idle");
    let idle = selected(&h).clip;
    h.key_press_modifiers(egui::Modifiers::ALT, egui::Key::PageUp);
    h.run_steps(2);
    assert_eq!(selected(&h).clip, idle - 1);
}

#[test]
fn a_joint_is_selected_in_the_tree_and_through_the_filter() {
    let mut h = window();
    select_joint(&mut h, "pelvis");
    h.get_by_role_and_label(Role::TreeItem, "spine_01").click();
    h.run_steps(3);
    let spine = h.state().state.joint;
    let skeleton = h.state().state.clip().expect("a clip").skeleton().clone();
    assert_eq!(skeleton.joints()[spine].name, "spine_01");

    h.get_by_role_and_label(Role::TextInput, "Joints").focus();
    h.run_steps(2);
    h.get_by_role_and_label(Role::TextInput, "Joints")
        .type_text("HAND_R");
    h.run_steps(3);
    assert!(
        h.query_by_role_and_label(Role::TreeItem, "spine_01")
            .is_none()
    );
    h.get_by_role_and_label(Role::TreeItem, "hand_r").click();
    h.run_steps(3);
    let hand = h.state().state.joint;
    assert_eq!(skeleton.joints()[hand].name, "hand_r");
}

#[test]
fn folding_hides_and_selecting_elsewhere_reveals() {
    let mut h = window();
    select_joint(&mut h, "spine_03");
    h.get_by_label("Fold neck_01").click();
    h.run_steps(3);
    assert!(h.query_by_role_and_label(Role::TreeItem, "head").is_none());
    select_joint(&mut h, "head");
    assert!(h.query_by_role_and_label(Role::TreeItem, "head").is_some());
}

#[test]
fn dragging_the_target_is_one_undo_step_and_changes_the_bytes() {
    let mut h = window();
    let (before, target) = (bytes(&h), target_m(&h));
    drag(&mut h, "Skin error target", 0.2);
    assert!(target_m(&h) < 0.2 * target);
    assert!(bytes(&h) > before, "a tighter target costs bytes");
    h.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    settle(&mut h);
    assert_eq!(target_m(&h), target);
    assert_eq!(bytes(&h), before);
    assert_eq!(h.state().state.session.undo_name(), None, "one step in all");
    h.key_press_modifiers(
        egui::Modifiers::COMMAND.plus(egui::Modifiers::SHIFT),
        egui::Key::Z,
    );
    settle(&mut h);
    assert!(target_m(&h) < 0.2 * target, "redone");
}

#[test]
fn a_typed_value_takes_its_unit() {
    let mut h = window();
    type_into(&mut h, "Skin error target", "0.02cm");
    assert!((target_m(&h) - 0.0002).abs() < 1e-12);
    type_into(&mut h, "Skin error target", "fast");
    assert!(
        (target_m(&h) - 0.0002).abs() < 1e-12,
        "nonsense changes nothing"
    );
    let notices = h.state().state.session.notices();
    assert!(
        notices.iter().any(|n| n.text.contains("fast")),
        "and says so"
    );
}

#[test]
fn assistive_technology_can_set_a_slider() {
    let mut h = window();
    let node = h.get_by_role_and_label(Role::Slider, "Skin error target");
    node.set_value_accesskit(0.5);
    settle(&mut h);
    assert!(
        (target_m(&h) - 0.0005).abs() < 1e-12,
        "millimetres, as shown"
    );
}

#[test]
fn a_joint_is_overridden_and_inherits_again() {
    let mut h = window();
    let own = |h: &Harness<'_, App>| {
        let state = &h.state().state;
        let name = state.clip()?.skeleton().joints()[state.joint].name.clone();
        let edits = state.session.edits(state.session.selected()?)?;
        edits.settings.overrides.get(&name)?.of(Channel::Rotation)
    };
    assert_eq!(own(&h), None);
    type_into(&mut h, "Rotation tolerance of the joint", "0.001deg");
    assert_eq!(own(&h), Some(0.001_f64.to_radians()));
    h.get_by_label("Revert Rotation tolerance of the joint")
        .click();
    settle(&mut h);
    assert_eq!(own(&h), None);
}

#[test]
fn tolerances_replace_the_target_when_asked() {
    let mut h = window();
    h.get_by_role_and_label(Role::RadioButton, "Tolerances")
        .click();
    settle(&mut h);
    type_into(&mut h, "Rotation tolerance of the clip", "2deg");
    let edits = h.state().state.session.edits(selected(&h)).expect("edits");
    assert_eq!(edits.settings.budget, Budget::Tolerances);
    assert_eq!(edits.settings.tolerances.rotation_rad, 2_f64.to_radians());
}

#[test]
fn an_approval_is_shown_and_goes_stale_with_a_change() {
    let mut h = window();
    h.key_press(egui::Key::Y);
    h.run_steps(3);
    assert!(h.query_by_label("Clip Walk, approved").is_some());
    let result = h.state().state.result().expect("a result").hash;
    let edits = h.state().state.session.edits(selected(&h)).expect("edits");
    assert!(matches!(&edits.verdict, Verdict::Approved(of) if of.output == result));
    type_into(&mut h, "Skin error target", "0.3mm");
    assert!(
        h.query_by_label_contains("Clip Walk, approval is stale")
            .is_some()
    );
    h.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    settle(&mut h);
    assert!(
        h.query_by_label("Clip Walk, approved").is_some(),
        "the same bytes again"
    );
    h.get_by_label("Reject").click();
    h.run_steps(3);
    assert!(
        h.query_by_label("Clip Walk, rejected").is_none(),
        "first it asks why"
    );
    h.get_by_label("Reject clip").click();
    h.run_steps(3);
    assert!(h.query_by_label("Clip Walk, rejected").is_some());
}

#[test]
fn keys_belong_to_the_filter_while_it_is_typed_in() {
    let mut h = window();
    h.get_by_role_and_label(Role::TextInput, "Joints").focus();
    h.run_steps(2);
    for key in [egui::Key::Y, egui::Key::Space, egui::Key::End] {
        h.key_press(key);
        h.run_steps(1);
    }
    let state = &h.state().state;
    assert_eq!(state.session.approved(), []);
    assert_eq!(
        (state.transport.playing, state.transport.frame),
        (None, 0.0)
    );
}

#[test]
fn keys_move_the_playhead() {
    let mut h = window();
    let frame = |h: &Harness<'_, App>| h.state().state.transport.frame;
    h.key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::ArrowRight);
    h.run_steps(2);
    assert_eq!(frame(&h), 10.0);
    h.key_press(egui::Key::ArrowLeft);
    h.run_steps(2);
    assert_eq!(frame(&h), 9.0);
    h.key_press(egui::Key::Period);
    h.run_steps(2);
    let keys = h.state_mut().state.curves().expect("curves").keys.clone();
    assert!(frame(&h) > 9.0 && keys.iter().any(|k| k.frame == frame(&h)));
    h.key_press(egui::Key::End);
    h.run_steps(2);
    let last = h.state().state.clip().expect("a clip").grid().last();
    assert_eq!(frame(&h), last as f64);
    h.key_press(egui::Key::Space);
    h.run_steps(2);
    assert!(h.state().state.transport.playing.is_some());
    h.key_press(egui::Key::K);
    h.run_steps(2);
    assert!(h.state().state.transport.playing.is_none());
}

#[test]
fn the_worst_moment_is_one_click_away() {
    let mut h = window();
    h.get_by_label("Go to the worst moment").click();
    h.run_steps(3);
    let state = &h.state().state;
    let worst = state.result().expect("a result").measured.frames.worst;
    let grid = state.clip().expect("a clip").grid();
    assert_eq!(state.joint, worst.joint);
    assert!((state.transport.frame - grid.frame(worst.secs)).abs() < 1e-9);
}

#[test]
fn a_tour_goes_through_the_worst_contacts_and_then_joints() {
    let mut h = window();
    let result = h.state().state.result().expect("a result").clone();
    let slides = result.worst_slides();
    assert!(slides.windows(2).all(|w| w[0].added_m >= w[1].added_m));
    let at = |h: &Harness<'_, App>| {
        let state = &h.state().state;
        (state.joint, state.transport.frame)
    };
    for slide in &slides {
        h.key_press(egui::Key::N);
        h.run_steps(2);
        let want = (slide.contact.point.joint, slide.worst_frame as f64);
        assert_eq!(at(&h), want);
    }
    h.key_press(egui::Key::N);
    h.run_steps(2);
    let worst = result.measured.frames.worst;
    assert_eq!(at(&h).0, worst.joint, "joints follow");
    h.key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::N);
    h.run_steps(2);
    let last = slides.last().expect("a contact");
    assert_eq!(at(&h), (last.contact.point.joint, last.worst_frame as f64));
    assert!(h.state().state.shell.happened.contains("of added slide"));
}

#[test]
fn a_contact_in_the_list_leads_to_its_worst_frame() {
    let mut h = window();
    let result = h.state().state.result().expect("a result").clone();
    let slide = result.worst_slides()[1];
    let (from, to) = slide.contact.frames;
    let clip = h.state().state.clip().expect("a clip").clone();
    let name = &clip.skeleton().joints()[slide.contact.point.joint].name;
    let part = slide.contact.point.part.name();
    let label = format!("Slide of {name} {part}, frames {from} to {to}");
    h.get_by_label(&label).scroll_to_me();
    h.run_steps(3);
    h.get_by_label(&label).click();
    h.run_steps(3);
    let state = &h.state().state;
    assert_eq!(state.joint, slide.contact.point.joint);
    assert_eq!(state.transport.frame, slide.worst_frame as f64);
    assert_eq!(state.shell.inset, Some(slide.contact.point.foot));
}

#[test]
fn contacts_are_sorted_by_their_heads() {
    let mut h = window();
    let slides = h.state().state.result().expect("a result").worst_slides();
    let tops = |h: &Harness<'_, App>| -> Vec<(usize, f32)> {
        let clip = h.state().state.clip().expect("a clip");
        let mut rows: Vec<(usize, f32)> = slides
            .iter()
            .map(|s| {
                let (from, to) = s.contact.frames;
                let name = &clip.skeleton().joints()[s.contact.point.joint].name;
                let part = s.contact.point.part.name();
                let label = format!("Slide of {name} {part}, frames {from} to {to}");
                (from, h.get_by_label(&label).rect().top())
            })
            .collect();
        rows.sort_by(|a, b| a.1.total_cmp(&b.1));
        rows
    };
    h.get_by_label("Sort contacts by frames").scroll_to_me();
    h.run_steps(3);
    h.get_by_label("Sort contacts by frames").click();
    h.run_steps(3);
    assert!(tops(&h).windows(2).all(|w| w[0].0 <= w[1].0));
    h.get_by_label("Sort contacts by frames").click();
    h.run_steps(3);
    assert!(tops(&h).windows(2).all(|w| w[0].0 >= w[1].0));
}

/// Every place of the inset's compressed character is 20 times as far from the source's as it is.
fn enlarges_what_is_off(state: &State) {
    let stage = &state.shell.stage;
    let (source, compressed) = (stage.pose(Cast::Source), stage.pose(Cast::Compressed));
    let (source, compressed) = (source.expect("a pose"), compressed.expect("a pose"));
    let motion = posepress::gui::view::Motion::Still;
    let input = stage.inset(state.joint, 20.0, 1.3, &state.view, motion);
    let bodies = input.expect("a picture").bodies;
    assert_eq!(*bodies[0].pose, **source);
    let joints = source
        .iter()
        .zip(compressed.iter())
        .zip(bodies[1].pose.iter());
    let mut largest = 0.0_f64;
    for ((source, compressed), drawn) in joints {
        let off = compressed.translation - source.translation;
        let drawn = drawn.translation - source.translation;
        assert!((drawn - 20.0 * off).length() < 1e-9);
        largest = largest.max(drawn.length());
    }
    assert!(largest > 0.001);
}

#[test]
fn the_inset_opens_with_a_key_enlarges_and_closes() {
    let mut h = window();
    select_joint(&mut h, "foot_l");
    h.key_press(egui::Key::D);
    h.run_steps(3);
    assert!(h.query_by_label("Inset of foot_l").is_some());
    enlarges_what_is_off(&h.state().state);
    let times = |h: &Harness<'_, App>| h.state().state.shell.exaggeration.0;
    assert_eq!(times(&h), 20);
    h.key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::D);
    h.run_steps(3);
    assert_eq!(times(&h), 50);
    assert!(h.query_by_label("Inset of foot_l").is_some(), "still open");
    h.get_by_label("Exaggerate ×5").click();
    h.run_steps(3);
    assert_eq!(times(&h), 5);
    let views = h.get_by_label("Compressed view").rect();
    assert!(views.contains_rect(h.get_by_label("Inset of foot_l").rect()));
    h.get_by_label("Close the inset").click();
    h.run_steps(3);
    assert!(h.query_by_label("Inset of foot_l").is_none());
    h.key_press(egui::Key::T);
    h.key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::T);
    h.run_steps(3);
    let view = &h.state().state.view;
    assert!(view.joint_trail && view.foot_trails);
}

#[test]
fn a_cause_is_selected_priced_and_tightened() {
    let mut h = window();
    select_joint(&mut h, "foot_l");
    let (clip, result) = {
        let state = &h.state().state;
        (
            state.clip().expect("a clip").clone(),
            state.result().expect("a result").clone(),
        )
    };
    let joint = h.state().state.joint;
    let frame = result.measured.joints[joint].frame as f64;
    let causes = result.causes(&clip, joint, frame).expect("causes");
    let max_m = result.measured.joints[joint].max_m;
    assert!(
        (causes.error_m - max_m).abs() < 1e-5 * max_m,
        "single precision"
    );
    let worst = causes.by_size()[0];
    let name = clip.skeleton().joints()[worst.joint].name.clone();
    let button = format!("Tighten {name}");
    h.get_by_label(&button).scroll_to_me();
    h.run_steps(3);
    h.get_by_label("Prices").click();
    let id = selected(&h);
    let start = Instant::now();
    h.run_steps(2);
    while h.state().state.session.is_pricing(id) {
        h.step();
        assert!(start.elapsed() < Duration::from_mins(5), "no price comes");
        std::thread::sleep(Duration::from_millis(5));
    }
    h.run_steps(3);
    assert_eq!(h.state().state.session.undo_name(), None);
    let before = bytes(&h);
    h.get_by_label(&button).click();
    settle(&mut h);
    let undo = format!("Tighten {name}");
    assert_eq!(h.state().state.session.undo_name(), Some(undo.as_str()));
    let added = bytes(&h).cast_signed() - before.cast_signed();
    let sign = if added < 0 { "−" } else { "+" };
    let line = format!("{sign}{} B, foot_l ", added.abs());
    assert!(h.query_by_label_contains(&line).is_some(), "{line}");
    let error = |h: &Harness<'_, App>| {
        let result = h.state().state.result().expect("a result");
        result.measured.joints[joint].max_m
    };
    let allowed = 0.5 * error(&h);
    h.get_by_label("Hold foot_l to half").click();
    settle(&mut h);
    assert!(error(&h) <= allowed, "{} of {allowed}", error(&h));
    assert_eq!(h.state().state.session.undo_name(), Some("Weigh foot_l"));
    let causes = {
        let state = &h.state().state;
        let (clip, result) = (state.clip().expect("a clip"), state.result().expect("one"));
        let frame = result.measured.joints[joint].frame as f64;
        result.causes(clip, joint, frame).expect("causes")
    };
    let other = causes.by_size()[0];
    let name = &clip.skeleton().joints()[other.joint].name;
    h.get_by_label_contains(&format!("Cause: {name} ")).click();
    h.run_steps(3);
    assert_eq!(h.state().state.joint, other.joint);
}

#[test]
fn a_bad_file_is_a_notice_that_can_be_dismissed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("broken.glb");
    std::fs::write(&path, b"glTF but not really").expect("writes");
    let mut h = window();
    h.input_mut().dropped_files.push(Arc::new(Dropped(path)));
    settle(&mut h);
    assert_eq!(h.state().state.session.documents().len(), 1);
    assert!(h.query_by_label_contains("broken.glb").is_some());
    h.get_by_label("Dismiss: Cannot open the file").click();
    h.run_steps(3);
    assert!(h.state().state.session.notices().is_empty());
}

#[test]
fn a_dropped_file_opens_and_its_clips_are_listed_by_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("second.glb");
    std::fs::copy(
        concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb"),
        &path,
    )
    .expect("copies");
    let mut h = window();
    h.input_mut().dropped_files.push(Arc::new(Dropped(path)));
    settle(&mut h);
    assert_eq!(h.state().state.session.documents().len(), 2);
    assert_eq!(selected(&h).document, 1);
    assert!(h.query_by_label("File second.glb").is_some());
    // Room for both.
    h.set_size(egui::vec2(1600.0, 2000.0));
    h.run_steps(3);
    assert_eq!(h.query_all_by_label("Clip Walk, open").count(), 2);
}

#[test]
fn export_asks_for_a_folder_only_when_something_is_approved() {
    let dialogs = FakeDialogs::default();
    let asked = dialogs.asked.clone();
    let mut h = window_with(dialogs);
    h.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::E);
    h.run_steps(3);
    assert!(asked.borrow().is_empty());
    assert_eq!(h.state().state.session.notices().len(), 1);
    h.key_press(egui::Key::Y);
    h.run_steps(2);
    h.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::E);
    h.run_steps(3);
    assert!(asked.borrow().is_empty(), "the sheet asks");
    h.get_by_label("Browse…").click();
    h.run_steps(3);
    assert_eq!(*asked.borrow(), [Ask::ExportFolder]);
}

#[test]
fn the_sheet_of_keys_opens_and_closes() {
    let mut h = window();
    h.key_press(egui::Key::F1);
    h.run_steps(4);
    assert!(h.query_by_label("Play or pause").is_some());
    h.key_press(egui::Key::Escape);
    h.run_steps(4);
    assert!(h.query_by_label("Play or pause").is_none());
}

#[test]
fn nothing_repaints_while_idle() {
    let mut h = window();
    // Panics when it takes more steps than allowed.
    h.run();
    let output = h.output();
    let delay = output
        .viewport_output
        .values()
        .map(|v| v.repaint_delay)
        .min();
    assert!(
        delay.is_some_and(|d| d > Duration::from_hours(1)),
        "{delay:?}"
    );
}

#[test]
fn everything_fits_into_a_small_window() {
    let mut h = Harness::builder()
        .with_size([1280.0, 720.0])
        .with_max_steps(60)
        .build_eframe(|cc| App::with_dialogs(cc, &[], Box::new(FakeDialogs::default())));
    settle(&mut h);
    let window = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(1280.0, 720.0));
    for name in ["Approve", "Reject", "Export…", "Split", "Overlay"] {
        let rect = h.get_by_label(name).rect();
        assert!(window.contains_rect(rect), "{name}: {rect}");
    }
    let views = ["Source view", "Compressed view"].map(|n| h.get_by_label(n).rect());
    assert!(
        views
            .iter()
            .all(|r| r.width() > 300.0 && r.height() > 200.0)
    );
}

#[test]
fn what_is_approved_is_written_to_the_folder_that_was_chosen() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("person.glb");
    std::fs::copy(
        concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb"),
        &source,
    )
    .expect("copies");
    let dialogs = FakeDialogs {
        choice: Some(folder.path().to_owned()),
        ..FakeDialogs::default()
    };
    let mut h = window_with(dialogs);
    h.input_mut().dropped_files.push(Arc::new(Dropped(source)));
    settle(&mut h);
    h.get_by_label("Approve").click();
    h.run_steps(2);
    h.get_by_label("Export…").click();
    h.run_steps(3);
    h.get_by_label("Browse…").click();
    h.run_steps(3);
    h.get_by_label("Export 1 clip").click();
    h.run_steps(3);
    settle(&mut h);
    assert!(h.query_by_label("Dismiss: Exported").is_some());
    let written = std::fs::read(folder.path().join("Walk.ppc")).expect("is there");
    let result = h.state().state.result().expect("a result");
    match &result.compressed.payload {
        posepress::codec::Payload::Container(shown) => assert_eq!(written, shown[..]),
        other @ posepress::codec::Payload::Keyframes(_) => panic!("{other:?}"),
    }
}

#[test]
fn a_cancelled_clip_cannot_be_approved_until_it_is_compressed_again() {
    let mut h = window();
    let id = selected(&h);
    let change = posepress::session::Change::Budget(Budget::Skin { target_m: 0.0003 });
    h.state_mut().state.change(change, None);
    h.state_mut().state.session.cancel(id);
    h.run_steps(3);
    assert!(h.query_by_label("Clip Walk, cancelled").is_some());
    h.key_press(egui::Key::Y);
    h.run_steps(2);
    assert_eq!(h.state().state.session.approved(), []);
    h.get_by_label("Compress again").click();
    h.run_steps(1);
    settle(&mut h);
    assert!(h.query_by_label("Clip Walk, open").is_some());
    assert_eq!(h.state().state.session.error(id), None);
}

#[test]
fn codecs_are_compared_and_the_one_that_is_clicked_is_shipped() {
    let mut h = window();
    h.get_by_role_and_label(Role::Button, "Compare")
        .scroll_to_me();
    h.run_steps(3);
    h.get_by_role_and_label(Role::Button, "Compare").click();
    h.run_steps(2);
    let id = selected(&h);
    let start = Instant::now();
    while h.state().state.session.is_comparing(id) {
        assert!(start.elapsed() < Duration::from_mins(5), "the worker hangs");
        std::thread::sleep(Duration::from_millis(5));
        h.step();
    }
    h.run_steps(3);
    let comparison = h
        .state()
        .state
        .session
        .comparison(id)
        .expect("compared")
        .clone();
    for c in &comparison.codecs {
        assert!(
            c.animation_bytes > 0 && c.keys > 0 && c.ns_a_pose > 0.0,
            "{c:?}"
        );
        assert_eq!(c.target_met, Some(true), "{c:?}");
    }
    let uniform = comparison
        .codecs
        .iter()
        .find(|c| c.deliverable == Deliverable::Uniform);
    let uniform = uniform.expect("it is compared").animation_bytes;
    assert!(h.query_by_role_and_label(Role::Button, "Compare").is_none());
    h.get_by_role_and_label(Role::RadioButton, "Ship uniform")
        .click();
    settle(&mut h);
    assert_eq!(bytes(&h), uniform);
    // It is still the comparison of these settings; a tighter target makes it one of others.
    assert!(h.query_by_role_and_label(Role::Button, "Again").is_none());
    type_into(&mut h, "Skin error target", "0.3mm");
    h.get_by_role_and_label(Role::Button, "Again");
}
