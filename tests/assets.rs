//! Holds the bundled mannequin against what it promises: same bytes, planted feet, sound knees, closed loops,
//! hands that keep their grip, and a sound skin. The clips are read and played as the program does it.

#[path = "../examples/make_assets/mannequin.rs"]
mod mannequin;

use glam::{DAffine3, DVec3};
use posepress::import::{self, LoadOptions};
use posepress::model::{Asset, Clip, PoseSource as _};
use serde_json::Value;
use std::path::Path;
use std::sync::{Arc, LazyLock};

const CLIPS: [(&str, usize); 9] = [
    ("Walk", 30),
    ("Walk_RootMotion", 60),
    ("Run", 20),
    ("Idle", 120),
    ("Turn_90", 42),
    ("Jump", 66),
    ("Two_Hand_Weapon", 96),
    ("Spin", 84),
    ("Long_661", 660),
];
const LOOPS: [&str; 6] = [
    "Walk",
    "Walk_RootMotion",
    "Run",
    "Idle",
    "Two_Hand_Weapon",
    "Long_661",
];
/// What a planted point may move, metres.
const STILL_M: f64 = 1e-5;

static FILES: LazyLock<mannequin::Files> = LazyLock::new(mannequin::build);
static ASSET: LazyLock<Asset> = LazyLock::new(|| {
    let options = LoadOptions::default();
    import::load_bytes(Path::new("mannequin.glb"), &FILES.glb, &options).expect("a sound file")
});

/// The JSON chunk of the GLB.
fn document() -> Value {
    let length = u32::from_le_bytes(FILES.glb[12..16].try_into().expect("4")) as usize;
    serde_json::from_slice(&FILES.glb[20..20 + length]).expect("JSON")
}

fn known() -> Value {
    serde_json::from_str(&FILES.contacts).expect("JSON")
}

fn clip(name: &str) -> &'static Arc<Clip> {
    let found = ASSET.clips.iter().find(|c| c.name() == name);
    found.expect(name)
}

/// A clip played: `model_from_joint` of every joint, at every frame.
struct Played {
    frames: Vec<Vec<DAffine3>>,
}

impl Played {
    fn new(name: &str) -> Self {
        let mut clip: &Clip = clip(name);
        let (skeleton, grid) = (&ASSET.skeleton, clip.grid());
        let mut locals = skeleton.rest_pose();
        let frame = |k: usize| {
            clip.pose(grid.secs(k as f64), &mut locals);
            let mut models = vec![DAffine3::IDENTITY; skeleton.len()];
            skeleton.model_pose(&locals, &mut models);
            models
        };
        let frames = (0..grid.frames).map(frame).collect();
        Self { frames }
    }

    fn last(&self) -> usize {
        self.frames.len() - 1
    }

    fn joint(&self, frame: usize, joint: &str) -> DAffine3 {
        self.frames[frame][ASSET.skeleton.find(joint).expect(joint)]
    }

    fn place(&self, frame: usize, joint: &str) -> DVec3 {
        self.joint(frame, joint).translation
    }

    /// Degrees by which a knee is bent; negative backward.
    fn knee_bend(&self, frame: usize, side: &str) -> f64 {
        let [thigh, calf, foot] =
            ["thigh_", "calf_", "foot_"].map(|j| self.place(frame, &format!("{j}{side}")));
        let (upper, lower) = ((calf - thigh).normalize(), (foot - calf).normalize());
        let hinge = self.joint(frame, &format!("calf_{side}"));
        let sine = upper.cross(lower).dot(hinge.transform_vector3(DVec3::X));
        sine.atan2(upper.dot(lower)).to_degrees()
    }
}

#[test]
fn the_committed_files_are_what_the_generator_makes() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let again = mannequin::build();
    assert!(again.glb == FILES.glb && again.contacts == FILES.contacts);
    let hint = "run `cargo run --example make_assets` and commit the result";
    let glb = std::fs::read(assets.join("mannequin.glb")).expect("assets/mannequin.glb");
    assert!(glb == FILES.glb, "{hint}");
    let contacts = std::fs::read_to_string(assets.join("mannequin.contacts.json"));
    assert!(contacts.expect("contacts") == FILES.contacts, "{hint}");
    assert!(glb.len() < 1_500_000, "{} bytes", glb.len());
}

#[test]
fn every_clip_is_there_and_nothing_is_odd() {
    let found: Vec<_> = ASSET
        .clips
        .iter()
        .map(|c| (c.name(), c.grid().frames - 1))
        .collect();
    assert_eq!(found, CLIPS);
    let issues: Vec<String> = ASSET.issues.iter().map(ToString::to_string).collect();
    assert!(issues.is_empty(), "{issues:?}");
    assert_eq!(ASSET.unit_m, 1.0);
    assert_eq!(ASSET.skeleton.len(), 69);
}

#[test]
fn planted_heels_and_balls_are_still_against_the_ground() {
    let known = known();
    for (name, _) in CLIPS {
        let played = Played::new(name);
        let contacts = known["contacts"].as_array().expect("list").iter();
        let mut stances = 0;
        for c in contacts.filter(|c| c["clip"] == name) {
            let joint = c["joint"].as_str().expect("name");
            let offset = std::array::from_fn(|k| c["offset_m"][k].as_f64().expect("number"));
            let speed = c["ground_speed_m_s"].as_f64().expect("number");
            let [first, last] =
                ["first_frame", "last_frame"].map(|k| c[k].as_u64().expect("number") as usize);
            let point = |k: usize| {
                let ground = DVec3::Z * (speed * k as f64 / 30.0);
                played.joint(k, joint).transform_point3(DVec3::from(offset)) + ground
            };
            for k in first..=last {
                let slide = (point(k) - point(first)).length();
                assert!(slide < STILL_M, "{name}, {joint}, frame {k}: {slide}");
            }
            stances += 1;
        }
        assert!(stances >= 4, "{name} has {stances} contacts");
    }
}

#[test]
fn no_foot_goes_into_the_ground() {
    const SOLE: [(&str, [f64; 3]); 3] = [
        ("ball", [0.0, -0.022, 0.085]),
        ("ball", [0.0, -0.022, 0.0]),
        ("foot", [0.0, -0.085, -0.048]),
    ];
    for (name, last) in CLIPS {
        let played = Played::new(name);
        for k in 0..=last {
            for (joint, point) in SOLE {
                for side in ["l", "r"] {
                    let joint = played.joint(k, &format!("{joint}_{side}"));
                    let y = joint.transform_point3(DVec3::from(point)).y;
                    assert!(y > -1e-3, "{name}, frame {k}, {side}: {y}");
                }
            }
        }
    }
}

#[test]
fn knees_bend_forward_and_never_lock() {
    for (name, last) in CLIPS {
        let played = Played::new(name);
        let all = (0..=last).flat_map(|k| ["l", "r"].map(|side| (k, side)));
        for (k, side) in all {
            let bend = played.knee_bend(k, side);
            assert!(
                (4.0..125.0).contains(&bend),
                "{name}, frame {k}, {side}: {bend}"
            );
        }
    }
}

#[test]
fn loops_close_in_value_and_speed() {
    for name in LOOPS {
        let played = Played::new(name);
        let last = played.last();
        // Where the root went, the rest goes on from.
        let (from, to) = (played.joint(0, "root"), played.joint(last, "root"));
        let carried = to * from.inverse();
        for j in 0..ASSET.skeleton.len() {
            let at = |k: usize| played.frames[k][j].translation;
            let seam = (carried.transform_point3(at(0)) - at(last)).length();
            assert!(seam < 2e-6, "{name}, joint {j}: {seam}");
            let (into, out) = (
                at(last) - at(last - 1),
                carried.transform_vector3(at(1) - at(0)),
            );
            // The change of speed over the seam is no larger than anywhere in the clip.
            let bends = (1..last).map(|k| (at(k + 1) - 2.0 * at(k) + at(k - 1)).length());
            let worst = bends.fold(1e-5, f64::max);
            let joint = &ASSET.skeleton.joints()[j].name;
            let turn = (out - into).length();
            assert!(turn <= 1.1 * worst, "{name}, {joint}: {turn} of {worst}");
        }
    }
}

#[test]
fn nothing_pops() {
    // Metres a second by which the speed of any joint may change from one frame to the next.
    const MOST: [f64; 9] = [2.4, 2.4, 3.0, 0.02, 0.9, 7.0, 1.0, 2.6, 3.5];
    for ((name, last), most) in CLIPS.into_iter().zip(MOST) {
        let played = Played::new(name);
        for (j, joint) in ASSET.skeleton.joints().iter().enumerate() {
            let at = |k: usize| played.frames[k][j].translation;
            for k in 1..last {
                let change = (at(k + 1) - 2.0 * at(k) + at(k - 1)).length() * 30.0;
                let joint = &joint.name;
                assert!(change < most, "{name}, {joint}, frame {k}: {change}");
            }
        }
    }
}

#[test]
fn both_hands_keep_their_grip_on_the_staff() {
    let known = known();
    let pair = &known["pairs"][0];
    assert_eq!(pair["clip"], "Two_Hand_Weapon");
    let played = Played::new("Two_Hand_Weapon");
    let grip = |k: usize| played.joint(k, "weapon_r").inverse() * played.joint(k, "hand_l");
    for k in 0..=played.last() {
        assert!(grip(k).abs_diff_eq(grip(0), STILL_M), "frame {k}");
        let handle = played.joint(k, "ik_hand_l");
        assert!(
            handle.abs_diff_eq(played.joint(k, "hand_l"), STILL_M),
            "frame {k}"
        );
    }
    // In other clips the staff is out of sight.
    let size = Played::new("Walk")
        .joint(0, "weapon_r")
        .matrix3
        .determinant();
    assert!(size < 1e-8, "{size}");
}

#[test]
fn roots_go_where_the_names_say() {
    let yaw = |name: &str, k: usize| {
        let mut clip: &Clip = clip(name);
        let mut locals = ASSET.skeleton.rest_pose();
        clip.pose(clip.grid().secs(k as f64), &mut locals);
        let forward = locals[0].rotation * DVec3::Z;
        forward.x.atan2(forward.z).to_degrees()
    };
    assert!((yaw("Turn_90", 42) - 90.0).abs() < 1e-4);
    let walked = Played::new("Walk_RootMotion").place(60, "root");
    assert!((walked - DVec3::Z * 2.6).length() < 1e-5, "{walked}");
    let spin: Vec<f64> = (0..=84).map(|k| yaw("Spin", k)).collect();
    let turned: f64 = spin
        .windows(2)
        .map(|w| (w[1] - w[0]).rem_euclid(360.0))
        .sum();
    assert!((turned - 720.0).abs() < 1e-3, "{turned}");
    let home = Played::new("Long_661").place(660, "root");
    assert!(home.length() < 1e-5, "{home}");
}

#[test]
fn eyes_blink_in_steps() {
    let doc = document();
    let idle = &doc["animations"][3];
    let weights = idle["channels"].as_array().expect("list").iter();
    let blink = weights
        .into_iter()
        .find(|c| c["target"]["path"] == "weights")
        .expect("a blink");
    let sampler = &idle["samplers"][blink["sampler"].as_u64().expect("index") as usize];
    assert_eq!(sampler["interpolation"], "STEP");
    assert_eq!(clip("Idle").scalars().len(), 1);
}

#[test]
fn keys_do_not_flip() {
    for (name, last) in CLIPS {
        let mut clip: &Clip = clip(name);
        let mut poses = vec![ASSET.skeleton.rest_pose(); last + 1];
        for (k, pose) in poses.iter_mut().enumerate() {
            clip.pose(clip.grid().secs(k as f64), pose);
        }
        for pair in poses.windows(2) {
            for (a, b) in pair[0].iter().zip(&pair[1]) {
                assert!(a.rotation.dot(b.rotation) > 0.9, "{name}");
            }
        }
    }
}

#[test]
fn the_skin_is_sound() {
    let meshes = &ASSET.meshes;
    let names: Vec<&str> = meshes.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(
        names,
        ["mannequin", "eyes", "staff"],
        "only the default scene is shown"
    );
    let body = &meshes[0];
    assert!((3000..7000).contains(&(body.indices.len() / 3)));
    let mut blended = 0;
    for w in &body.weights {
        assert!((w.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{w:?}");
        blended += usize::from(w[1] > 0.0);
    }
    assert!(
        blended > 1000,
        "{blended} vertices follow more than one joint"
    );
    // In the rest pose the inverse bind matrices undo the joints.
    let skeleton = &ASSET.skeleton;
    let mut models = vec![DAffine3::IDENTITY; skeleton.len()];
    skeleton.model_pose(&skeleton.rest_pose(), &mut models);
    for mesh in meshes.iter() {
        for &(joint, bind) in &mesh.joints {
            let undone = models[joint] * DAffine3::from_mat4(bind);
            assert!(
                undone.abs_diff_eq(DAffine3::IDENTITY, 1e-6),
                "joint {joint}"
            );
        }
        for n in &mesh.normals {
            let length = n.iter().map(|v| v * v).sum::<f32>().sqrt();
            assert!((length - 1.0).abs() < 1e-5, "{n:?}");
        }
    }
    let heights = body.positions.iter().map(|p| p[1]);
    let (low, high) = heights.fold((f32::MAX, f32::MIN), |(a, b), y| (a.min(y), b.max(y)));
    assert!(
        low.abs() < 1e-3 && (1.7..1.8).contains(&high),
        "{low} {high}"
    );
}

#[test]
fn a_second_skin_leaves_the_fingers_out() {
    let (doc, known) = (document(), known());
    assert_eq!(
        doc["skins"][0]["joints"].as_array().expect("list").len(),
        69
    );
    let far = doc["skins"][1]["joints"].as_array().expect("list");
    assert_eq!(far.len(), 39);
    let names: Vec<&Value> = far
        .iter()
        .map(|j| &doc["nodes"][j.as_u64().expect("index") as usize]["name"])
        .collect();
    let listed = known["lods"][1]["joints"].as_array().expect("list");
    assert!(names.iter().copied().eq(listed));
    assert!(!listed.contains(&"index_01_l".into()));
}
