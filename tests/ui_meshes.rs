//! What errors are measured on, chosen in the window.
#![cfg(feature = "gui")]

#[path = "support/bare.rs"]
mod bare;
#[path = "support/window.rs"]
mod window;

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use posepress::codec::Matter;
use posepress::gui::stage::Cast;
use posepress::gui::view::Motion;
use posepress::model::pattern_of;
use posepress::session::Sidecar;
use window::{Window, click, enter, press, selected, session, settle, type_into};

const HIGH: [f32; 2] = [1600.0, 3000.0];

fn left_out(h: &Window) -> Vec<String> {
    let edits = session(h).edits(selected(h)).expect("edits");
    edits.settings.left_out.clone()
}

fn matter(h: &Window) -> Matter {
    let judged = session(h).judgement(selected(h)).expect("a result");
    judged.limits[0].of
}

/// For each mesh whether it is left out of the picture of the compressed clip.
fn hidden(h: &Window) -> Vec<bool> {
    let state = &h.state().state;
    let stage = &state.shell.stage;
    let input = stage.input(Cast::Compressed, &state.view, 0, None, Motion::Still);
    input.expect("a picture").hidden.to_vec()
}

#[test]
fn a_mesh_is_left_out_by_its_box_and_comes_back() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("m.glb");
    std::fs::copy("assets/mannequin.glb", &path).expect("copied");
    let mut h = window::window(std::slice::from_ref(&path), HIGH);
    let clip = h.state().state.clip().expect("a clip").clone();
    let name = clip.skin().names().first().expect("a mesh").to_string();
    let meshes = hidden(&h).len();
    assert!(meshes > 0 && hidden(&h).iter().all(|h| !h));
    assert_eq!(matter(&h), Matter::Skin);

    let label = format!("Mesh {name} counts");
    click(&mut h, &label);
    assert_eq!(left_out(&h), [pattern_of(&name)]);
    assert_eq!(session(&h).undo_name(), Some("Set the meshes that count"));
    assert!(
        hidden(&h).contains(&true),
        "what is not measured is not shown"
    );
    if clip.skin().names().len() == 1 {
        assert_eq!(matter(&h), Matter::Shell, "no vertex is left");
    }

    press(&mut h, Modifiers::COMMAND, Key::S);
    let sidecar = Sidecar::path_of(&path);
    let kept = std::fs::read_to_string(sidecar).expect("saved");
    assert!(kept.contains("left_out"), "{kept}");

    press(&mut h, Modifiers::COMMAND, Key::Z);
    settle(&mut h);
    assert!(left_out(&h).is_empty() && !hidden(&h).contains(&true));
    assert_eq!(matter(&h), Matter::Skin);
    click(&mut h, &label);
    click(&mut h, &label);
    assert!(left_out(&h).is_empty() && h.query_by_label(&label).is_some());
}

#[test]
fn a_clip_without_a_mesh_is_measured_on_a_character_and_shown_with_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let (walk, hero) = (dir.path().join("walk.glb"), dir.path().join("hero.glb"));
    std::fs::write(&walk, bare::motion_alone()).expect("written");
    std::fs::copy("assets/mannequin.glb", &hero).expect("copied");
    let mut h = window::window(&[walk], HIGH);
    assert!(hidden(&h).is_empty());
    click(&mut h, "Measure on…");
    type_into(&mut h, "Path to open", "hero.glb");
    enter(&mut h);
    assert_eq!(matter(&h), Matter::Skin);
    assert!(!hidden(&h).is_empty(), "its meshes are drawn");
    assert!(h.query_by_label("all joints found").is_some());
    assert_eq!(session(&h).documents().len(), 1, "it is not opened");
    click(&mut h, "Do not measure on hero.glb");
    assert_eq!(matter(&h), Matter::Shell);
    press(&mut h, Modifiers::COMMAND, Key::Z);
    settle(&mut h);
    assert_eq!(matter(&h), Matter::Skin);
}
