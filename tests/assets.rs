//! Holds the bundled clip against what it promises: same bytes, planted feet, sound knees, closed loops.

#[path = "../examples/make_assets/mannequin.rs"]
mod mannequin;

use glam::{DAffine3, DQuat, DVec3};
use posepress::codec::{KeyframeChannel, KeyframePlayer, Keyframes};
use posepress::math::{Channel, Transform};
use posepress::model::{Interpolation, Joint, PoseSource as _, Skeleton};
use serde_json::Value;
use std::sync::Arc;

struct File {
    json: Value,
    bin: Vec<u8>,
}

impl File {
    fn new() -> Self {
        let bytes = mannequin::build();
        let length = u32::from_le_bytes(bytes[12..16].try_into().expect("4")) as usize;
        Self {
            json: serde_json::from_slice(&bytes[20..20 + length]).expect("JSON"),
            bin: bytes[28 + length..].to_vec(),
        }
    }

    fn bytes(&self, accessor: &Value) -> &[u8] {
        let a = &self.json["accessors"][index(accessor)];
        let view = &self.json["bufferViews"][index(&a["bufferView"])];
        &self.bin[index(&view["byteOffset"])..][..index(&view["byteLength"])]
    }

    fn floats(&self, accessor: &Value) -> Vec<f32> {
        let words = self.bytes(accessor).chunks_exact(4);
        words
            .map(|b| f32::from_le_bytes(b.try_into().expect("4")))
            .collect()
    }

    fn attribute(&self, name: &str) -> &Value {
        &self.json["meshes"][0]["primitives"][0]["attributes"][name]
    }

    /// Joints are the nodes 0 and up, parents first.
    fn skeleton(&self) -> Skeleton {
        let count = self.json["skins"][0]["joints"]
            .as_array()
            .expect("list")
            .len();
        let nodes = &self.json["nodes"];
        let has_child = |p: usize, j: usize| {
            let children = nodes[p]["children"].as_array();
            children.is_some_and(|c| c.contains(&j.into()))
        };
        let joint = |j: usize| Joint {
            name: nodes[j]["name"].as_str().expect("text").to_owned(),
            parent: (0..count).find(|&p| has_child(p, j)),
            rest: Transform {
                translation: DVec3::from(std::array::from_fn(|c| {
                    nodes[j]["translation"][c].as_f64().expect("number")
                })),
                ..Transform::IDENTITY
            },
            source_index: j,
        };
        Skeleton::new((0..count).map(joint).collect()).expect("valid")
    }

    fn keyframes(&self, clip: &str) -> Keyframes {
        let animations = self.json["animations"].as_array().expect("list");
        let animation = animations.iter().find(|a| a["name"] == clip).expect(clip);
        let channel = |c: &Value| {
            let sampler = &animation["samplers"][index(&c["sampler"])];
            KeyframeChannel {
                joint: index(&c["target"]["node"]),
                channel: match c["target"]["path"].as_str() {
                    Some("rotation") => Channel::Rotation,
                    _ => Channel::Translation,
                },
                interpolation: Interpolation::Linear,
                times: self.floats(&sampler["input"]),
                values: self.floats(&sampler["output"]),
            }
        };
        let channels = animation["channels"].as_array().expect("list");
        Keyframes {
            channels: channels.iter().map(channel).collect(),
        }
    }
}

fn index(value: &Value) -> usize {
    value.as_u64().expect("an index") as usize
}

/// A clip played: `model_from_joint` of every joint, at every frame.
struct Played {
    skeleton: Skeleton,
    frames: Vec<Vec<DAffine3>>,
}

impl Played {
    fn new(clip: &str, last_frame: usize) -> Self {
        let file = File::new();
        let skeleton = file.skeleton();
        let mut player = KeyframePlayer::new(Arc::new(file.keyframes(clip)), &skeleton);
        let mut locals = skeleton.rest_pose();
        let mut frame = |k: usize| {
            player.pose(f64::from(k as f32 / 30.0), &mut locals);
            let mut models = vec![DAffine3::IDENTITY; skeleton.len()];
            skeleton.model_pose(&locals, &mut models);
            models
        };
        let frames = (0..=last_frame).map(&mut frame).collect();
        Self { skeleton, frames }
    }

    fn place(&self, frame: usize, joint: &str) -> DVec3 {
        self.frames[frame][self.skeleton.find(joint).expect(joint)].translation
    }

    /// Degrees by which a knee is bent; negative backward.
    fn knee_bend(&self, frame: usize, side: &str) -> f64 {
        let [thigh, calf, foot] =
            ["thigh_", "calf_", "foot_"].map(|j| self.place(frame, &format!("{j}{side}")));
        let (upper, lower) = ((calf - thigh).normalize(), (foot - calf).normalize());
        let hinge = self.frames[frame][self.skeleton.find(&format!("calf_{side}")).expect("calf")];
        let sine = upper.cross(lower).dot(hinge.transform_vector3(DVec3::X));
        sine.atan2(upper.dot(lower)).to_degrees()
    }
}

const CLIPS: [(&str, usize); 3] = [("Walk", 30), ("Idle", 90), ("Wave", 60)];

#[test]
fn the_committed_file_is_what_the_generator_makes() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb");
    let committed = std::fs::read(path).expect("assets/mannequin.glb");
    let made = mannequin::build();
    assert!(
        committed == made,
        "run `cargo run --example make_assets` and commit the result"
    );
    assert!(made.len() < 400_000, "{} bytes", made.len());
}

#[test]
fn the_stance_foot_moves_straight_back_at_one_speed() {
    let played = Played::new("Walk", 30);
    for (side, strike) in [("l", 0), ("r", 15)] {
        let ball = |k: usize| played.place((strike + k) % 30, &format!("ball_{side}"));
        // Flat from 0.12 s, on the ball until 0.6 s.
        let start = ball(4);
        for k in 4..=18 {
            let back = 1.1 * (k - 4) as f64 / 30.0;
            let slide = ball(k) - (start - DVec3::Z * back);
            assert!(slide.length() < 1e-5, "{side} frame {k}: {slide}");
        }
        // On the heel before that.
        let foot = played.skeleton.find(&format!("foot_{side}")).expect("foot");
        let heel = |k: usize| {
            played.frames[(strike + k) % 30][foot].transform_point3(DVec3::new(0.0, -0.085, -0.045))
        };
        for k in 0..=10 {
            let slide = heel(k) - (heel(0) - DVec3::Z * (1.1 * k as f64 / 30.0));
            assert!(slide.length() < 1e-5, "{side} frame {k}: {slide}");
        }
    }
}

#[test]
fn the_swinging_foot_clears_the_ground() {
    let played = Played::new("Walk", 30);
    for k in 0..30 {
        for (joint, sole) in [
            ("ball_l", [0.0, -0.025, 0.085]),
            ("ball_l", [0.0, -0.025, 0.0]),
            ("foot_l", [0.0, -0.085, -0.045]),
        ] {
            let j = played.skeleton.find(joint).expect(joint);
            let y = played.frames[k][j].transform_point3(DVec3::from(sole)).y;
            assert!(y > -1e-3, "frame {k}, {joint}: {y}");
        }
    }
}

#[test]
fn standing_feet_do_not_move() {
    for (clip, last) in &CLIPS[1..] {
        let played = Played::new(clip, *last);
        for joint in ["foot_l", "ball_l", "foot_r", "ball_r"] {
            let start = played.place(0, joint);
            for k in 0..=*last {
                let moved = played.place(k, joint) - start;
                assert!(moved.length() < 1e-6, "{clip}, {joint}, frame {k}: {moved}");
            }
        }
    }
}

#[test]
fn knees_bend_forward_and_never_lock() {
    for (clip, last) in CLIPS {
        let played = Played::new(clip, last);
        let all = (0..=last).flat_map(|k| ["l", "r"].map(|side| (k, side)));
        for (k, side) in all {
            let bend = played.knee_bend(k, side);
            assert!(
                (4.0..80.0).contains(&bend),
                "{clip}, frame {k}, {side}: {bend}"
            );
        }
    }
}

#[test]
fn loops_close_in_value_and_speed() {
    for (clip, last) in CLIPS {
        let played = Played::new(clip, last);
        let both = played.frames[0].iter().zip(&played.frames[last]);
        for (first, last) in both {
            assert!(first.abs_diff_eq(*last, 1e-12), "{clip}");
        }
        for j in 0..played.skeleton.len() {
            let at = |k: usize| played.frames[k][j].translation;
            let (into, out) = (at(last) - at(last - 1), at(1) - at(0));
            // The change of speed over the seam is no larger than anywhere in the clip.
            let bends = (1..last).map(|k| (at(k + 1) - 2.0 * at(k) + at(k - 1)).length());
            let worst = bends.fold(1e-6, f64::max);
            assert!((out - into).length() <= 1.05 * worst, "{clip}, joint {j}");
        }
    }
}

#[test]
fn keys_are_unit_quaternions_without_flips() {
    let file = File::new();
    for (clip, _) in CLIPS {
        for c in file.keyframes(clip).channels {
            if c.channel != Channel::Rotation {
                continue;
            }
            let key = |k: &[f32]| DQuat::from_array(std::array::from_fn(|i| f64::from(k[i])));
            let keys: Vec<DQuat> = c.values.chunks_exact(4).map(key).collect();
            assert!(
                keys.iter().all(|q| (q.length() - 1.0).abs() < 1e-6),
                "{clip}"
            );
            assert!(
                keys.windows(2).all(|w| w[0].dot(w[1]) > 0.9),
                "{clip}, {}",
                c.joint
            );
        }
    }
}

#[test]
fn the_skin_is_sound() {
    let file = File::new();
    let weights = file.floats(file.attribute("WEIGHTS_0"));
    let mut blended = 0;
    for w in weights.chunks_exact(4) {
        assert!((w.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{w:?}");
        assert!(w.iter().all(|&w| (0.0..=1.0).contains(&w)));
        blended += usize::from(w[1] > 0.0);
    }
    assert!(blended > 300, "{blended} vertices follow two joints");
    let joints = file.skeleton().len();
    let bones = file.bytes(file.attribute("JOINTS_0"));
    assert!(bones.iter().all(|&b| usize::from(b) < joints));
    for n in file.floats(file.attribute("NORMAL")).chunks_exact(3) {
        let length = n.iter().map(|v| v * v).sum::<f32>().sqrt();
        assert!((length - 1.0).abs() < 1e-5, "{n:?}");
    }
    // In the rest pose the inverse bind matrices undo the joints exactly.
    let skeleton = file.skeleton();
    let mut models = vec![DAffine3::IDENTITY; skeleton.len()];
    skeleton.model_pose(&skeleton.rest_pose(), &mut models);
    let binds = file.floats(&file.json["skins"][0]["inverseBindMatrices"]);
    for (bind, model) in binds.chunks_exact(16).zip(&models) {
        let undone = DVec3::from(std::array::from_fn(|c| f64::from(bind[12 + c])));
        assert!((model.translation + undone).length() < 1e-6);
    }
}

#[test]
fn the_person_stands_on_the_ground_and_is_as_tall_as_one() {
    let file = File::new();
    let positions = file.floats(file.attribute("POSITION"));
    let heights = positions.chunks_exact(3).map(|p| p[1]);
    let (low, high) = heights.fold((f32::MAX, f32::MIN), |(a, b), y| (a.min(y), b.max(y)));
    assert!(low.abs() < 1e-3, "{low}");
    assert!((1.7..1.85).contains(&high), "{high}");
}
