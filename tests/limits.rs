//! One table of limits: the session, an export and every command of the command line rule alike.

#[path = "support/mannequin.rs"]
mod mannequin;
#[allow(dead_code)]
#[path = "saving/source.rs"]
mod source;
#[cfg(feature = "gui")]
#[path = "support/window.rs"]
mod window;

use clap::Parser as _;
use posepress::cli::{self, Args};
use posepress::codec::{HeldPair, Judgement, Matter, Ruling, Settings};
use posepress::import::{self, LoadOptions};
use posepress::metrics::Footing;
use posepress::model::{Skin, UnreadMesh};
use posepress::session::{Change, ClipId, Command, Session, Standing};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A walk of the bundled file.
const CLIP: &str = "Walk";

fn wait(s: &mut Session, until: impl Fn(&Session) -> bool) {
    let start = Instant::now();
    while !until(s) {
        s.poll();
        assert!(start.elapsed() < Duration::from_mins(3), "it hangs");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn judged(s: &Session, id: ClipId) -> Judgement {
    s.judgement(id).expect("a result")
}

/// The exit code of a command.
fn run(args: &[&str]) -> u8 {
    let all = ["posepress"].iter().chain(args);
    let args = Args::try_parse_from(all).expect("a command");
    let command = args.command.expect("a command");
    cli::run(&command).err().map_or(0, |e| e.code)
}

struct Case {
    name: &'static str,
    settings: Settings,
    standing: Standing,
    /// Of contacts, feet and pairs together.
    feet: Ruling,
    exit: u8,
}

fn held(slide_target_m: Option<f64>) -> Settings {
    Settings {
        slide_target_m,
        ..Settings::default()
    }
}

fn pair(limit_m: Option<f64>) -> HeldPair {
    HeldPair {
        joint: "hand_l".into(),
        to: Some("hand_r".into()),
        limit_m,
        ..HeldPair::default()
    }
}

fn cases() -> Vec<Case> {
    use Standing::{Misses, Passes};
    let case = |name, settings, standing, feet, exit| Case {
        name,
        settings,
        standing,
        feet,
        exit,
    };
    vec![
        case(
            "nothing asked of feet",
            held(None),
            Passes,
            Ruling::NotAsked,
            0,
        ),
        case(
            "the clip's own 2 mm",
            held(Some(0.002)),
            Passes,
            Ruling::Met,
            0,
        ),
        case(
            "what clips start with",
            Settings::standard(),
            Passes,
            Ruling::Met,
            0,
        ),
        case(
            "one foot's own 0.1 mm",
            Settings {
                feet: [("foot_l".to_owned(), 0.0001)].into(),
                ..held(Some(0.002))
            },
            Passes,
            Ruling::Met,
            0,
        ),
        case(
            "one foot's own limit that nothing reaches",
            Settings {
                feet: [("foot_l".to_owned(), 1e-9)].into(),
                ..held(Some(0.002))
            },
            Misses,
            Ruling::Over,
            3,
        ),
        case(
            "a pair without its own has the clip's",
            Settings {
                pairs: vec![pair(None)],
                ..held(Some(0.002))
            },
            Passes,
            Ruling::Met,
            0,
        ),
        case(
            "a pair alone that nothing reaches",
            Settings {
                pairs: vec![pair(Some(1e-9))],
                ..held(None)
            },
            Misses,
            Ruling::Over,
            3,
        ),
        case(
            "an error that may not move",
            Settings {
                jitter_limit_m_per_s: Some(1e-9),
                ..held(None)
            },
            Misses,
            Ruling::NotAsked,
            3,
        ),
    ]
}

#[test]
fn all_rule_alike() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = mannequin::write(folder.path(), &[CLIP]);
    let mut s = Session::new(|| {});
    s.open(&path);
    wait(&mut s, |s| s.loading().is_empty());
    let id = s.clip_ids().next().expect("a walk");
    for case in cases() {
        let what = case.name;
        let change = Change::Settings {
            settings: Box::new(case.settings),
            what: "Try".into(),
        };
        s.dispatch(&Command::Edit { clip: id, change }, None);
        wait(&mut s, |s| !s.is_busy(id));
        assert_eq!(s.standing(id), case.standing, "{what}");
        let shown = judged(&s, id);
        assert_eq!(shown.feet_ruling(), case.feet, "{what}");
        assert_eq!(s.missed(id).is_empty(), case.standing == Standing::Passes);
        assert!(s.save());
        let file = path.to_str().expect("a plain path");
        let out = folder.path().join("walk.ppc");
        let report = folder.path().join("walk.json");
        let (out, report) = (
            out.to_str().expect("plain"),
            report.to_str().expect("plain"),
        );
        let force = [
            "compress", file, "-o", out, "--clip", CLIP, "--force", "--report", report,
        ];
        assert_eq!(run(&force), case.exit, "{what}: compress");
        assert_eq!(run(&["measure", file, out]), case.exit, "{what}: measure");
        let text = fs::read_to_string(report).expect("a report");
        let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let told = json["clips"][0]["judgement"].as_array().expect("a list");
        let told: Vec<&str> = told.iter().filter_map(|l| l["ruling"].as_str()).collect();
        let shown: Vec<&str> = shown.limits.iter().map(|l| l.ruling.name()).collect();
        assert_eq!(told, shown, "{what}");
        s.export(&[id], folder.path());
        wait(&mut s, |s| s.exporting().is_none());
        let exported = s.last_export().expect("a report");
        let missed = &exported.files[0].clips[0].missed;
        assert_eq!(*missed, s.missed(id), "{what}: export");
        // `check` lists what was approved.
        s.approve(id);
        assert!(s.save());
        let done = std::process::Command::new(env!("CARGO_BIN_EXE_posepress"))
            .args(["check", "--json", file])
            .output()
            .expect("runs");
        let json: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
        let checked = &json["files"][0]["clips"][0]["judgement"];
        let checked = checked.as_array().expect("a list").iter();
        let checked: Vec<&str> = checked.filter_map(|l| l["ruling"].as_str()).collect();
        assert_eq!(checked, shown, "{what}: check");
    }
}

#[cfg(feature = "gui")]
#[test]
fn the_window_rules_likewise() {
    use egui_kittest::kittest::Queryable as _;

    let folder = tempfile::tempdir().expect("a folder");
    let path = mannequin::write(folder.path(), &[CLIP]);
    let mut h = window::window(&[path], [1600.0, 1000.0]);
    let id = window::selected(&h);
    for case in cases() {
        let what = case.name;
        let change = Change::Settings {
            settings: Box::new(case.settings),
            what: "Try".into(),
        };
        let session = &mut h.state_mut().state.session;
        session.dispatch(&Command::Edit { clip: id, change }, None);
        window::settle(&mut h);
        let passes = case.standing == Standing::Passes;
        for (words, said) in [("Passes.", passes), ("Does not pass.", !passes)] {
            assert_eq!(h.query_by_label(words).is_some(), said, "{what}: {words}");
        }
        // The table, and what is approved with all that pass.
        window::press(&mut h, egui::Modifiers::NONE, egui::Key::F3);
        h.run_steps(4);
        let over = h.query_all_by_label_contains(" over limit").count() > 0;
        assert_eq!(over, case.feet == Ruling::Over, "{what}: table");
        window::click(&mut h, "Approve all that pass");
        assert_eq!(window::session(&h).approved().len(), usize::from(passes));
        if passes {
            h.state_mut().state.session.undo();
        }
        window::press(&mut h, egui::Modifiers::NONE, egui::Key::F3);
        h.run_steps(4);
    }
}

#[test]
fn a_mesh_that_was_not_read_is_no_pass() {
    let options = LoadOptions::default();
    let asset = import::load_bytes(Path::new("mannequin.glb"), mannequin::BUNDLED, &options);
    let mut asset = asset.expect("the bundled clips load");
    let at = asset.clips.iter().position(|c| c.name() == CLIP);
    let at = at.expect("a walk");
    let mut skin = Skin::clone(asset.clips[at].skin());
    skin.unread = vec![UnreadMesh {
        name: "Coat".into(),
        why: "it is packed with Draco compression".into(),
    }];
    let clip = asset.clips[at].as_ref().clone().with_skin(Arc::new(skin));
    asset.clips = vec![Arc::new(clip)];
    asset.animation_index = vec![asset.animation_index[at]];
    let mut s = Session::new(|| {});
    s.add(asset);
    wait(&mut s, |s| s.busy_clips() == 0);
    let id = s.clip_ids().next().expect("a clip");
    assert_eq!(s.standing(id), Standing::CannotSay);
    let missed = s.missed(id);
    assert!(missed[0].to_string().contains("Coat"), "{}", missed[0]);
    assert!(!missed[0].is_over());
}

#[test]
fn a_walk_in_which_no_foot_was_found_is_no_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("legs.gltf");
    fs::write(&path, source::gltf(&["shin_l", "hips"], &[("Walk", 0.5)])).expect("written");
    let mut s = Session::new(|| {});
    s.open(&path);
    wait(&mut s, |s| s.loading().is_empty() && s.busy_clips() == 0);
    let id = s.clip_ids().next().expect("a clip");
    assert_eq!(s.standing(id), Standing::CannotSay);
    let judged = judged(&s, id);
    let feet = judged.find(|m| *m == Matter::Feet).expect("asked");
    assert!(feet.why.contains("shin_l"), "{}", feet.why);
    let file = path.to_str().expect("a plain path");
    let out = folder.path().join("out.ppc");
    let out = out.to_str().expect("a plain path");
    let mut args = vec!["compress", file, "-o", out, "--preset", "standard"];
    assert_eq!(run(&args), 0, "said, not refused");
    args.push("--strict");
    assert_eq!(run(&args), 3);
    args.extend(["--slide", "off"]);
    assert_eq!(run(&args), 0, "nothing is asked of feet");
    // A foot that is named is measured.
    let named = Footing::Also(vec!["shin_l".into()]);
    s.change_all(&[id], &Change::Footing(named), "Mark as foot");
    wait(&mut s, |s| s.busy_clips() == 0);
    assert_eq!(s.result(id).expect("a result").contacts.points[0].foot, 0);
    assert_eq!(
        s.standing(id),
        Standing::Passes,
        "it stands, and does not slide"
    );
    s.undo();
    wait(&mut s, |s| s.busy_clips() == 0);
    assert_eq!(s.standing(id), Standing::CannotSay);
    s.change_all(&[id], &Change::Footing(Footing::Nothing), "No feet");
    wait(&mut s, |s| s.busy_clips() == 0);
    assert_eq!(s.standing(id), Standing::Passes);
    s.undo();
    // A person knows.
    s.change_all(&[id], &Change::Contacts(Some(Vec::new())), "None stands");
    wait(&mut s, |s| s.busy_clips() == 0);
    assert_eq!(s.standing(id), Standing::Passes);
}

#[test]
fn nobody_asks_for_the_feet_of_a_chain() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("chain.gltf");
    fs::write(&path, source::gltf(&["hilt", "blade"], &[("Swing", 0.5)])).expect("written");
    let mut s = Session::new(|| {});
    s.open(&path);
    wait(&mut s, |s| s.loading().is_empty() && s.busy_clips() == 0);
    let id = s.clip_ids().next().expect("a clip");
    assert_eq!(s.standing(id), Standing::Passes);
}
