//! Rules in what is shipped: they do as overrides do, for every deliverable.

use posepress::codec::{Control, Deliverable, Encoder, LOCKED, Rule, Settings, TrackFit};
use posepress::import::{self, LoadOptions};
use posepress::math::Channel;
use posepress::metrics::{self, Options};
use posepress::model::Clip;
use std::path::Path;
use std::sync::Arc;

const ASSET: &[u8] = include_bytes!("../assets/mannequin.glb");

fn walk() -> Arc<Clip> {
    let path = Path::new("mannequin.glb");
    let asset = import::load_bytes(path, ASSET, &LoadOptions::default()).expect("loads");
    asset.clips[1].clone()
}

/// What became of a joint's rotation.
struct Made {
    /// What it was allowed to be off by, radians.
    tolerance: f64,
    /// Largest angle between source and compressed, radians: in `compact` also what makes up for joints above.
    local: f64,
    hash: [u8; 32],
    bytes: usize,
}

fn made(clip: &Arc<Clip>, settings: &Settings, joint: &str) -> Made {
    let mut encoder = Encoder::new(clip.clone(), 1.0, [0; 32]);
    let made = encoder
        .encode(settings, &Control::default())
        .expect("compresses");
    let player = made.player(clip.skeleton()).expect("plays");
    let measured = metrics::measure(clip, &player, &Options::default());
    let joint = clip.skeleton().find(joint).expect("the joint");
    let of_joint = |t: &&TrackFit| (t.joint, t.channel) == (joint, Channel::Rotation);
    let track = made.tracks.iter().find(of_joint).expect("it moves");
    Made {
        tolerance: track.tolerance,
        local: measured.locals[joint].of(Channel::Rotation),
        hash: made.hash(),
        bytes: made.animation_bytes(),
    }
}

fn rule(pattern: &str) -> Rule {
    Rule {
        pattern: pattern.to_owned(),
        ..Rule::default()
    }
}

#[test]
fn a_rule_caps_what_it_matches_in_every_deliverable() {
    let clip = walk();
    let mut fine = rule("hand_?");
    fine.tolerances.rotation_rad = Some(0.02_f64.to_radians());
    for deliverable in Deliverable::ALL {
        let plain = Settings {
            deliverable,
            ..Settings::default()
        };
        let ruled = Settings {
            rules: vec![fine.clone()],
            ..plain.clone()
        };
        let expanded = ruled.expanded(clip.skeleton()).into_owned();
        assert_eq!(expanded.overrides.len(), 2, "both hands");
        let (free, held) = (made(&clip, &plain, "hand_l"), made(&clip, &ruled, "hand_l"));
        assert_eq!(
            made(&clip, &expanded, "hand_l").hash,
            held.hash,
            "the same bytes"
        );
        let limit = 0.02_f64.to_radians();
        assert!(
            held.tolerance <= limit && free.tolerance > limit,
            "{deliverable:?}"
        );
        if deliverable != Deliverable::Compact {
            let local = held.local.to_degrees();
            assert!(held.local < 1.5 * limit, "{deliverable:?}: {local} degrees");
        }
    }
}

#[test]
fn a_locked_joint_is_stored_as_finely_as_can_be_set() {
    let clip = walk();
    let mut lock = rule("hand_l");
    lock.locked = Some(true);
    let mut loose = rule("*");
    loose.tolerances.rotation_rad = Some(0.1);
    let settings = Settings {
        rules: vec![lock, loose],
        ..Settings::default()
    };
    let (held, free) = (
        made(&clip, &settings, "hand_l"),
        made(&clip, &settings, "hand_r"),
    );
    assert!(held.tolerance <= LOCKED.rotation_rad);
    assert!(free.tolerance > 100.0 * held.tolerance);
    let settings = Settings {
        deliverable: Deliverable::Universal,
        ..settings
    };
    let local = made(&clip, &settings, "hand_l").local;
    assert!(
        local <= 1.01 * LOCKED.rotation_rad,
        "{} degrees",
        local.to_degrees()
    );
}

#[test]
fn a_weight_by_rule_saves_bytes_where_nobody_looks() {
    let clip = walk();
    let mut hands = rule("hand_?");
    hands.subtree = true;
    hands.weight = Some(0.2);
    let settings = Settings {
        rules: vec![hands],
        ..Settings::default()
    };
    let relaxed = made(&clip, &settings, "head").bytes;
    let plain = made(&clip, &Settings::default(), "head").bytes;
    assert!(relaxed < plain, "{relaxed} of {plain}");
}
