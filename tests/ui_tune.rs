//! Tuning many joints, presets, notes, saving and recovery in the window, by clicks and keys.
#![cfg(feature = "gui")]

#[path = "support/window.rs"]
mod window;

use egui::accesskit::Role;
use egui::{Event, Key, Modifiers};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use posepress::codec::{Budget, Settings};
use posepress::gui::shell::Sheet;
use posepress::gui::state::Compare;
use posepress::math::Channel;
use posepress::session::{Change, ClipId, Sidecar, Verdict, settings_text};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use window::{Window, click, enter, press, selected, session, settle, type_into};

/// The window on some files, or the bundled clips.
fn window(files: &[PathBuf]) -> Window {
    window::window(files, [1600.0, 2000.0])
}

fn settings(h: &Window) -> Settings {
    let edits = session(h).edits(selected(h)).expect("edits");
    edits.settings.clone()
}

fn select_joint(h: &mut Window, name: &str) {
    let skeleton = h.state().state.clip().expect("a clip").skeleton().clone();
    h.state_mut().state.joint = skeleton.find(name).expect("the joint");
    h.run_steps(3);
}

fn rotation(h: &Window, joint: &str) -> Option<f64> {
    settings(h).overrides.get(joint)?.of(Channel::Rotation)
}

fn copy_of_the_bundled_clips(folder: &Path) -> PathBuf {
    let path = folder.join("person.glb");
    let bundled = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb");
    std::fs::copy(bundled, &path).expect("a copy");
    path
}

#[test]
fn a_clip_is_rejected_with_a_reason() {
    let mut h = window(&[]);
    press(&mut h, Modifiers::SHIFT, Key::Y);
    type_into(&mut h, "Why it is rejected", "the hand shakes");
    enter(&mut h);
    let edits = session(&h).edits(selected(&h)).expect("edits");
    assert!(
        matches!(&edits.verdict, Verdict::Rejected { note, of: Some(_) } if note == "the hand shakes")
    );
    assert!(h.query_by_label("Rejected: the hand shakes").is_some());
    press(&mut h, Modifiers::SHIFT, Key::Y);
    press(&mut h, Modifiers::NONE, Key::Escape);
    assert!(h.query_by_label("Reject clip").is_none(), "left as it is");
}

#[test]
fn a_dialog_is_reached_and_answered_by_keys_alone() {
    let mut h = window(&[]);
    press(&mut h, Modifiers::SHIFT, Key::Y);
    press(&mut h, Modifiers::NONE, Key::Tab);
    // Y would approve; here it is for the dialog.
    press(&mut h, Modifiers::NONE, Key::Y);
    assert!(session(&h).approved().is_empty());
    press(&mut h, Modifiers::NONE, Key::Enter);
    let edits = session(&h).edits(selected(&h)).expect("edits");
    assert!(matches!(&edits.verdict, Verdict::Rejected { note, .. } if note.is_empty()));
}

#[test]
fn notes_stand_on_the_ruler_and_in_a_list() {
    let mut h = window(&[]);
    for _ in 0..3 {
        press(&mut h, Modifiers::NONE, Key::ArrowRight);
    }
    press(&mut h, Modifiers::NONE, Key::M);
    type_into(&mut h, "Note on this frame", "pops");
    enter(&mut h);
    press(&mut h, Modifiers::NONE, Key::Home);
    click(&mut h, "Note on frame 3: pops");
    assert_eq!(h.state().state.transport.frame, 3.0);
    click(&mut h, "Remove the note on frame 3");
    assert!(h.query_by_label("Note on frame 3: pops").is_none());
    assert_eq!(session(&h).undo_name(), Some("Remove the note on frame 3"));
}

#[test]
fn a_preset_is_chosen_and_named() {
    let mut h = window(&[]);
    h.get_by_label_contains("Preset: Standard").click();
    h.run_steps(4);
    click(&mut h, "Hero");
    assert_eq!(settings(&h).budget, Budget::Skin { target_m: 0.0005 });
    assert!(h.query_by_label_contains("Preset: Hero").is_some());
    assert_eq!(session(&h).undo_name(), Some("Preset Hero"));
    type_into(&mut h, "Skin error target", "0.7mm");
    enter(&mut h);
    assert!(h.query_by_label_contains("Preset: custom").is_some());
}

#[test]
fn own_presets_are_saved_and_found_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut h = window(&[]);
    h.state_mut().keep_safe(folder.path());
    type_into(&mut h, "Skin error target", "0.7mm");
    enter(&mut h);
    h.get_by_label_contains("Preset: custom").click();
    h.run_steps(4);
    click(&mut h, "Save as preset…");
    type_into(&mut h, "Name of the preset", "Mine");
    enter(&mut h);
    assert!(folder.path().join("presets/Mine.json").exists());
    let mut again = window(&[]);
    again.state_mut().keep_safe(folder.path());
    settle(&mut again);
    again.get_by_label_contains("Preset: Standard").click();
    again.run_steps(4);
    click(&mut again, "Mine");
    assert_eq!(settings(&again).budget, Budget::Skin { target_m: 0.0007 });
}

#[test]
fn a_rule_says_what_it_matches_before_it_is_made() {
    let mut h = window(&[]);
    type_into(&mut h, "New rule", "*foot*");
    let skeleton = h.state().state.clip().expect("a clip").skeleton().clone();
    let feet = skeleton.joints().iter().filter(|j| j.name.contains("foot"));
    let count = feet.count();
    assert!(count >= 2);
    assert!(
        h.query_by_label(&format!("matches {count} joints"))
            .is_some()
    );
    enter(&mut h);
    assert_eq!(settings(&h).rules[0].pattern, "*foot*");
    assert_eq!(session(&h).undo_name(), Some("Edit rules"));
    type_into(&mut h, "Rotation tolerance of the rule", "0.002deg");
    enter(&mut h);
    let rule = &settings(&h).rules[0];
    assert_eq!(rule.tolerances.rotation_rad, Some(0.002_f64.to_radians()));
    click(&mut h, "With all joints below");
    assert!(settings(&h).rules[0].subtree);
    select_joint(&mut h, "foot_l");
    let shown = h.get_by_role_and_label(Role::TextInput, "Rotation tolerance of the joint");
    assert_eq!(
        shown.value().as_deref(),
        Some("0.0020°"),
        "what the rule says"
    );
    type_into(&mut h, "New rule", "hand_l");
    enter(&mut h);
    click(&mut h, "Same rule for hand_r");
    let patterns: Vec<String> = settings(&h).rules.into_iter().map(|r| r.pattern).collect();
    assert_eq!(patterns, ["*foot*", "hand_l", "hand_r"]);
    click(&mut h, "Remove the rule *foot*");
    assert_eq!(settings(&h).rules.len(), 2);
}

#[test]
fn levels_of_detail_are_added_shown_and_removed() {
    let mut h = window(&[]);
    h.set_size(egui::vec2(1600.0, 2400.0));
    h.run_steps(3);
    type_into(&mut h, "New level of detail", "index*, thumb*");
    enter(&mut h);
    let levels = settings(&h).levels;
    assert_eq!(levels.len(), 1);
    assert_eq!(levels[0].without, ["index*", "thumb*"]);
    assert_eq!(session(&h).undo_name(), Some("Set levels of detail"));
    let all = h.state().state.clip().expect("a clip").skeleton().len();
    assert!(h.query_by_label(&format!("{all} joints")).is_some());
    assert!(h.query_by_label(&format!("{} joints", all - 12)).is_some());
    click(&mut h, "LOD1");
    assert_eq!(h.state().state.shell.stage.level, 1);
    click(&mut h, "Remove level 1");
    assert!(settings(&h).levels.is_empty());
    assert_eq!(h.state().state.shell.stage.level, 0);
    press(&mut h, Modifiers::COMMAND, Key::Z);
    settle(&mut h);
    assert_eq!(settings(&h).levels, levels);
}

#[test]
fn feet_that_slide_are_fixed_in_one_step() {
    let mut h = window(&[]);
    h.state_mut().state.change(Change::SlideTarget(None), None);
    settle(&mut h);
    let limit_m = posepress::metrics::SLIDE_LIMIT_M;
    let worst_m = |h: &Window, foot: Option<&str>| -> f64 {
        let result = session(h).result(selected(h)).expect("a result");
        let skeleton = h.state().state.clip().expect("a clip").skeleton().clone();
        let slides = result.measured.slides.iter();
        let own = slides.filter(|s| {
            let name = &skeleton.joints()[s.contact.point.foot].name;
            foot.is_none_or(|foot| foot == name)
        });
        own.map(|s| result.added_m(s)).fold(0.0, f64::max)
    };
    let feet = ["foot_l", "foot_r"];
    let loose = feet.map(|foot| worst_m(&h, Some(foot)));
    assert!(loose.iter().all(|m| *m > limit_m));
    // The worst one is offered first.
    let first = usize::from(loose[1] > loose[0]);
    let (worse, better) = (feet[first], feet[1 - first]);
    click(&mut h, &format!("Tighten {worse}"));
    assert_eq!(settings(&h).feet.get(worse), Some(&limit_m));
    assert!(worst_m(&h, Some(worse)) <= limit_m);
    assert!(
        worst_m(&h, Some(better)) == loose[1 - first],
        "the other leg stays as it was"
    );
    assert!(
        h.query_by_label(&format!("Tighten {better}")).is_some(),
        "the next one is offered"
    );
    click(&mut h, "Fix all contacts");
    assert_eq!(settings(&h).slide_target_m, Some(limit_m));
    assert_eq!(session(&h).undo_name(), Some("Fix all contacts"));
    assert!(worst_m(&h, None) <= limit_m);
    assert!(
        h.query_by_label("Fix all contacts").is_none(),
        "nothing is left to fix"
    );
    press(&mut h, Modifiers::COMMAND, Key::Z);
    press(&mut h, Modifiers::COMMAND, Key::Z);
    settle(&mut h);
    assert_eq!(
        (settings(&h).slide_target_m, settings(&h).feet.len()),
        (None, 0)
    );
    assert!(worst_m(&h, Some("foot_l")) == loose[0]);
}

#[test]
fn two_selected_joints_are_measured_and_held_as_a_pair() {
    let mut h = window(&[]);
    h.set_size(egui::vec2(1600.0, 2400.0));
    let of_name = |id: &ClipId| {
        session(&h)
            .clip(*id)
            .is_some_and(|c| c.name() == "Two_Hand_Weapon")
    };
    let id = session(&h).clip_ids().find(of_name).expect("the clip");
    h.state_mut().state.session.select(id);
    settle(&mut h);
    select_joint(&mut h, "hand_l");
    let skeleton = h.state().state.clip().expect("a clip").skeleton().clone();
    let other = skeleton.find("hand_r").expect("the joint");
    h.state_mut().state.shell.also.insert(other);
    h.run_steps(3);
    click(&mut h, "Measure hand_l on hand_r");
    let drift_m = |h: &Window| {
        let result = session(h).result(selected(h)).expect("a result");
        result.added_drift_m(&result.measured.pairs[0])
    };
    let free_m = drift_m(&h);
    assert!(free_m > 0.0005, "{free_m}");
    click(&mut h, "Hold to 0.200 mm");
    assert_eq!(settings(&h).pairs[0].limit_m, Some(0.0002));
    assert!(drift_m(&h) <= 0.0002, "{}", drift_m(&h));
    assert!(h.query_by_label("Measure hand_l on hand_r").is_none());
    click(&mut h, "Remove hand_l on hand_r");
    assert!(settings(&h).pairs.is_empty());
}

#[test]
fn several_joints_are_set_in_one_step_and_mirrored() {
    let mut h = window(&[]);
    select_joint(&mut h, "foot_l");
    // Where the tree was scrolled to settles before a row is clicked.
    h.run_steps(6);
    h.get_by_role_and_label(Role::TreeItem, "ball_l")
        .click_modifiers(Modifiers::COMMAND);
    h.run_steps(3);
    assert_eq!(h.state().state.joint_names(), ["foot_l", "ball_l"]);
    type_into(&mut h, "Rotation tolerance of the joint", "0.004deg");
    enter(&mut h);
    let set = Some(0.004_f64.to_radians());
    assert_eq!((rotation(&h, "foot_l"), rotation(&h, "ball_l")), (set, set));
    assert_eq!(
        session(&h).undo_name(),
        Some("Set rotation tolerance of 2 joints")
    );
    press(&mut h, Modifiers::COMMAND, Key::M);
    assert_eq!((rotation(&h, "foot_r"), rotation(&h, "ball_r")), (set, set));
    press(&mut h, Modifiers::COMMAND, Key::Z);
    press(&mut h, Modifiers::COMMAND, Key::Z);
    assert!(settings(&h).overrides.is_empty());
}

#[test]
fn what_a_joint_has_of_its_own_is_copied_pasted_and_reset() {
    let mut h = window(&[]);
    select_joint(&mut h, "foot_l");
    type_into(&mut h, "Rotation tolerance of the joint", "0.004deg");
    enter(&mut h);
    click(&mut h, "Copy the tolerances of this joint");
    select_joint(&mut h, "head");
    click(&mut h, "Paste the tolerances of a joint");
    assert_eq!(rotation(&h, "head"), Some(0.004_f64.to_radians()));
    click(&mut h, "Reset the selected joints: nothing of their own");
    assert_eq!(rotation(&h, "head"), None);
    select_joint(&mut h, "foot_l");
    click(&mut h, "Mirror to foot_r (Ctrl+M)");
    assert!(rotation(&h, "foot_r").is_some());
}

#[test]
fn settings_go_through_the_clipboard_as_text() {
    let mut h = window(&[]);
    h.event(Event::Copy);
    h.step();
    let commands = &h.output().platform_output.commands;
    let copied = commands.iter().find_map(|c| match c {
        egui::OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    });
    assert_eq!(copied, Some(settings_text(&settings(&h))));
    let pasted = Settings {
        shell_m: 0.1,
        ..Settings::default()
    };
    h.event(Event::Paste(settings_text(&pasted)));
    settle(&mut h);
    assert_eq!(settings(&h), pasted);
    h.event(Event::Paste("not settings".into()));
    h.run_steps(3);
    assert_eq!(settings(&h), pasted);
    assert!(h.query_by_label("Nothing was pasted").is_some());
}

#[test]
fn the_palette_finds_and_does() {
    let mut h = window(&[]);
    press(&mut h, Modifiers::COMMAND, Key::P);
    h.get_by_role_and_label(Role::TextInput, "Command")
        .type_text("light");
    h.run_steps(3);
    enter(&mut h);
    assert!(h.state().state.view.light);
    press(&mut h, Modifiers::COMMAND, Key::P);
    h.get_by_role_and_label(Role::TextInput, "Command")
        .type_text("frame");
    h.run_steps(3);
    press(&mut h, Modifiers::NONE, Key::Escape);
    assert!(
        h.query_by_role_and_label(Role::TextInput, "Command")
            .is_none()
    );
}

#[test]
fn what_a_joint_has_goes_to_all_below() {
    let mut h = window(&[]);
    select_joint(&mut h, "hand_l");
    type_into(&mut h, "Rotation tolerance of the joint", "0.02deg");
    enter(&mut h);
    click(&mut h, "The same for all joints below: makes it a rule");
    let rule = settings(&h).rules[0].clone();
    assert!(rule.subtree && rule.pattern == "hand_l");
    assert_eq!(rule.tolerances.rotation_rad, Some(0.02_f64.to_radians()));
    assert_eq!(rotation(&h, "hand_l"), None, "it stands in the rule");
    assert_eq!(
        session(&h).undo_name(),
        Some("Rule for hand_l and all below")
    );

    let skeleton = h.state().state.clip().expect("a clip").skeleton().clone();
    let hand = skeleton.find("hand_l").expect("a joint");
    h.get_by_role_and_label(Role::TreeItem, "hand_l")
        .click_secondary();
    h.run_steps(4);
    click(&mut h, "Select all joints below");
    let mut below = h.state().state.joints();
    below.retain(|&j| j != hand);
    assert!(below.len() > 10 && below == skeleton.below(hand));
    let fingers = below
        .iter()
        .all(|&j| skeleton.joints()[j].name.ends_with("_l"));
    assert!(fingers, "none of the other hand");
}

#[test]
fn several_steps_are_taken_back_by_name() {
    let mut h = window(&[]);
    let before = settings(&h);
    for joint in ["hand_l", "hand_r", "head"] {
        select_joint(&mut h, joint);
        type_into(&mut h, "Rotation tolerance of the joint", "0.05deg");
        enter(&mut h);
    }
    assert_eq!(session(&h).undo_names().count(), 3);
    click(&mut h, "Edit");
    click(&mut h, "Undo down to");
    click(&mut h, "Set rotation tolerance of hand_r");
    assert_eq!(session(&h).undo_names().count(), 1);
    assert_eq!(rotation(&h, "hand_l"), Some(0.05_f64.to_radians()));
    assert_eq!(rotation(&h, "hand_r"), None);
    press(&mut h, Modifiers::COMMAND, Key::Z);
    assert_eq!(settings(&h), before);
}

#[test]
fn the_palette_leads_to_clips_and_joints() {
    let mut h = window(&[]);
    for (typed, joint) in [("clip jump", None), ("joint foot_r", Some("foot_r"))] {
        press(&mut h, Modifiers::COMMAND, Key::P);
        h.get_by_role_and_label(Role::TextInput, "Command")
            .type_text(typed);
        h.run_steps(3);
        enter(&mut h);
        let clip = h.state().state.clip().expect("a clip");
        assert_eq!(clip.name(), "Jump");
        if let Some(joint) = joint {
            assert_eq!(clip.skeleton().joints()[h.state().state.joint].name, joint);
        }
    }
}

#[test]
fn tolerances_and_rules_are_typed_without_a_mouse() {
    let mut h = window(&[]);
    select_joint(&mut h, "hand_l");
    press(&mut h, Modifiers::NONE, Key::R);
    h.event(Event::Text("0.05deg".into()));
    enter(&mut h);
    assert_eq!(rotation(&h, "hand_l"), Some(0.05_f64.to_radians()));

    press(&mut h, Modifiers::COMMAND, Key::R);
    h.event(Event::Text("*foot*".into()));
    enter(&mut h);
    h.event(Event::Text("0.02deg".into()));
    enter(&mut h);
    let rule = &settings(&h).rules[0];
    let said = (rule.pattern.as_str(), rule.tolerances.rotation_rad);
    assert_eq!(said, ("*foot*", Some(0.02_f64.to_radians())));
}

#[test]
fn decisions_are_saved_beside_the_file_and_asked_for_on_closing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = copy_of_the_bundled_clips(folder.path());
    let mut h = window(std::slice::from_ref(&path));
    assert!(h.query_by_label("unsaved decisions").is_none());
    press(&mut h, Modifiers::NONE, Key::Y);
    assert!(h.query_by_label("unsaved decisions").is_some());
    press(&mut h, Modifiers::COMMAND, Key::S);
    assert!(h.query_by_label("unsaved decisions").is_none());
    let saved = Sidecar::read(&Sidecar::path_of(&path)).expect("reads");
    assert!(saved.expect("there").text().contains("\"approved\""));

    type_into(&mut h, "Skin error target", "0.7mm");
    enter(&mut h);
    press(&mut h, Modifiers::COMMAND, Key::Q);
    click(&mut h, "Stay");
    assert!(session(&h).is_dirty() && !h.state().state.shell.may_close);
    press(&mut h, Modifiers::COMMAND, Key::Q);
    click(&mut h, "Save and close");
    assert!(!session(&h).is_dirty() && h.state().state.shell.may_close);
    let h = window(&[path]);
    assert_eq!(settings(&h).budget, Budget::Skin { target_m: 0.0007 });
    assert!(
        h.query_by_label_contains("Clip Walk, approval is stale")
            .is_some()
    );
    let changed = "Since the verdict settings and output changed";
    assert!(h.query_by_label(changed).is_some());
}

#[test]
fn what_a_crash_left_is_offered_at_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = copy_of_the_bundled_clips(folder.path());
    let state = folder.path().join("state");
    let mut h = window(std::slice::from_ref(&path));
    h.state_mut().keep_safe(&state);
    type_into(&mut h, "Skin error target", "0.7mm");
    enter(&mut h);
    let now = Instant::now();
    let session = &mut h.state_mut().state.session;
    session.autosave(now, false);
    session.autosave(now + Duration::from_secs(30), false);
    drop(h);
    let mut h = window(&[]);
    h.state_mut().keep_safe(&state);
    h.run_steps(4);
    press(&mut h, Modifiers::NONE, Key::Escape);
    // Nothing behind the question takes clicks or keys.
    for name in ["Approve", "Reject", "Overlay"] {
        h.get_by_label(name).click();
        h.run_steps(3);
    }
    press(&mut h, Modifiers::NONE, Key::Y);
    h.key_press(Key::Tab);
    h.run_steps(2);
    let behind = &h.state().state;
    assert!(behind.session.undo_name().is_none() && behind.view.compare == Compare::Split);
    assert_eq!(behind.shell.sheet, Some(Sheet::Recover));
    assert!(h.get_by_label("Recover").accesskit_node().is_focused());
    click(&mut h, "Recover");
    settle(&mut h);
    let recovered = &self::session(&h).documents()[1];
    assert!(recovered.is_dirty() && recovered.asset.path.ends_with("person.glb"));
    let target = recovered.edits.clips[0].settings.budget;
    assert_eq!(target, Budget::Skin { target_m: 0.0007 });
}

#[test]
fn every_scale_and_both_themes_are_drawn() {
    let mut h = window(&[]);
    for light in [false, true] {
        h.state_mut().state.view.light = light;
        for scale in [0.8, 1.0, 1.25, 2.0] {
            h.ctx.set_zoom_factor(scale);
            h.run_steps(3);
            assert!(h.query_by_label("Approve").is_some());
        }
    }
}
