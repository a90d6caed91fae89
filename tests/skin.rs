//! Errors are those of the skin: every vertex is within the target, and an armature's scale changes nothing.

mod support;

use posepress::codec::{
    Budget, Compressed, Control, Deliverable, Encoder, Importance, JointImportance, Settings,
};
use posepress::math::Transform;
use posepress::metrics::{self, ErrorMetric, Measured, SkinError};
use posepress::model::{
    Clip, Influence, Joint, PoseSource, Skeleton, Skin, SkinPart, UnreadMesh, vertex_place,
};
use std::sync::Arc;
use support::clips::{clip_of, swing};

const JOINTS: usize = 6;

/// An armature of some scale, and below it a chain, 0.3 m from joint to joint in the world.
fn skeleton(scale: f64) -> Arc<Skeleton> {
    let joint = |j: usize| Joint {
        name: format!("joint_{j}"),
        parent: j.checked_sub(1),
        rest: Transform {
            translation: glam::DVec3::Y * if j < 2 { 0.0 } else { 0.3 / scale },
            scale: glam::DVec3::splat(if j == 0 { scale } else { 1.0 }),
            ..Transform::IDENTITY
        },
        source_index: j,
    };
    Arc::new(Skeleton::new((0..JOINTS).map(joint).collect()).expect("a chain is a skeleton"))
}

/// A tube around the chain, blended from joint to joint; the last joint holds a staff of one metre.
fn skin(scale: f64) -> Skin {
    let mut tube = SkinPart::default();
    tube.name = "tube".into();
    let influence = |joint: usize, weight: f64, [x, y, z]: [f64; 3]| Influence {
        joint: joint as u16,
        weight: weight as f32,
        place: [x, y, z].map(|c| (c / scale) as f32),
    };
    for ring in 0..40_usize {
        let height = 0.03 * ring as f64;
        let (low, part) = ((height / 0.3) as usize + 1, (height % 0.3) / 0.3);
        for k in 0..12 {
            let (sin, cos) = (f64::from(k) * std::f64::consts::FRAC_PI_6).sin_cos();
            let (x, z) = (0.06 * cos, 0.06 * sin);
            let upper = (low + 1).min(JOINTS - 1);
            let mut all = vec![influence(low, 1.0 - part, [x, 0.3 * part, z])];
            if part > 0.0 && upper > low {
                all.push(influence(upper, part, [x, 0.3 * part - 0.3, z]));
            }
            let sum: f32 = all.iter().map(|i| i.weight).sum();
            tube.push(all.into_iter().map(|i| Influence {
                weight: i.weight / sum,
                ..i
            }));
        }
    }
    let mut staff = SkinPart::default();
    staff.name = "staff".into();
    for k in 0..10 {
        let place = [0.1 * f64::from(k), 0.0, 0.1];
        staff.push([influence(JOINTS - 1, 1.0, place)].into_iter());
    }
    let mut skin = Skin::default();
    skin.parts = vec![tube, staff];
    skin
}

fn clip(scale: f64) -> Arc<Clip> {
    let tracks = (1..JOINTS).map(|j| swing(j, 60)).collect();
    let clip = clip_of(skeleton(scale), tracks);
    Arc::new(Clip::clone(&clip).with_skin(Arc::new(skin(scale))))
}

fn settings(target_m: f64) -> Settings {
    Settings {
        budget: Budget::Skin { target_m },
        ..Settings::default()
    }
}

fn encode(clip: &Arc<Clip>, settings: &Settings) -> (Compressed, Measured) {
    let made = Encoder::new(clip.clone(), 1.0, [7; 32]).encode(settings, &Control::default());
    let made = made.expect("compresses");
    let player = made.player(clip.skeleton()).expect("its bytes decode");
    let options = settings.measuring(clip.skeleton(), 1.0, 4);
    let measured = metrics::measure(clip, &player, &options);
    (made, measured)
}

/// Looks at every vertex at every frame.
fn largest(clip: &Clip, made: &Compressed, left_out: &[&str]) -> f64 {
    let mut player = made.player(clip.skeleton()).expect("its bytes decode");
    let mut source = clip;
    let (mut want, mut got) = (
        vec![Transform::IDENTITY; JOINTS],
        vec![Transform::IDENTITY; JOINTS],
    );
    let mut models = [
        vec![glam::DAffine3::IDENTITY; JOINTS],
        vec![glam::DAffine3::IDENTITY; JOINTS],
    ];
    let mut most = 0.0_f64;
    for frame in 0..clip.grid().frames {
        let secs = clip.grid().secs(frame as f64);
        source.pose(secs, &mut want);
        player.pose(secs, &mut got);
        clip.skeleton().model_pose(&want, &mut models[0]);
        clip.skeleton().model_pose(&got, &mut models[1]);
        let parts = clip.skin().parts.iter();
        for part in parts.filter(|p| !left_out.contains(&p.name.as_str())) {
            for v in 0..part.vertices() {
                let places = models
                    .each_ref()
                    .map(|m| vertex_place(part.of_vertex(v), m));
                most = most.max(places[0].distance(places[1]));
            }
        }
    }
    most
}

#[test]
fn every_vertex_is_within_the_target_and_the_report_says_the_largest() {
    let clip = clip(1.0);
    for deliverable in [
        Deliverable::Compact,
        Deliverable::Uniform,
        Deliverable::Riot,
    ] {
        let settings = Settings {
            deliverable,
            ..settings(0.002)
        };
        let (made, measured) = encode(&clip, &settings);
        let most = largest(&clip, &made, &[]);
        assert!(most <= 0.002, "{deliverable:?}: {most}");
        let SkinError::Whole(sets) = &measured.skin else {
            panic!("all meshes are known");
        };
        assert!((sets.frames.max_m - most).abs() < 1e-8 + 1e-5 * most);
        let worst = measured.worst_vertex.expect("there are vertices");
        assert!((worst.error_m - most).abs() < 1e-8 + 1e-5 * most);
        assert_eq!(made.target_met, Some(true));
    }
}

#[test]
fn the_scale_of_an_armature_changes_nothing() {
    let of = |scale, settings: &Settings| {
        let (made, measured) = encode(&clip(scale), settings);
        (
            made.animation_bytes() as f64,
            measured.frames.max_m,
            measured.shell.frames.max_m,
        )
    };
    // Steps are powers of two, and so are not the scales: other, equally good keys may come of it.
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 0.03;
    let tolerances = Settings {
        budget: Budget::Tolerances,
        ..Settings::default()
    };
    let shells = Settings {
        metric: ErrorMetric::Shell,
        ..settings(0.001)
    };
    for settings in [settings(0.001), tolerances, shells] {
        let plain = of(1.0, &settings);
        for scale in [0.01, 100.0] {
            let scaled = of(scale, &settings);
            assert!(near(scaled.0, plain.0), "{scale}: {scaled:?} {plain:?}");
            assert!(
                (scaled.1 / plain.1 - 1.0).abs() < 0.1,
                "{scale}: {scaled:?} {plain:?}"
            );
            assert!(
                (scaled.2 / plain.2 - 1.0).abs() < 0.1,
                "{scale}: {scaled:?} {plain:?}"
            );
        }
    }
}

#[test]
fn a_mesh_that_is_left_out_costs_nothing_and_is_not_held() {
    let clip = clip(1.0);
    let (all, _) = encode(&clip, &settings(0.001));
    let without = Settings {
        left_out: vec!["sta*".into()],
        ..settings(0.001)
    };
    let (less, measured) = encode(&clip, &without);
    assert!(less.animation_bytes() < all.animation_bytes());
    assert!(largest(&clip, &less, &["staff"]) <= 0.001);
    assert!(largest(&clip, &less, &[]) > 0.001, "nobody holds the staff");
    let worst = measured.worst_vertex.expect("there are vertices");
    assert_eq!(worst.vertex.part, 0);
}

#[test]
fn a_shell_of_its_own_is_held_beside_the_vertices() {
    let clip = clip(1.0);
    let mut settings = settings(0.001);
    let own = JointImportance {
        weight: 1.0,
        shell_m: Some(2.0),
    };
    settings.importance = Importance::default();
    settings.importance.joints.insert("joint_5".into(), own);
    let (made, measured) = encode(&clip, &settings);
    assert_eq!(made.target_met, Some(true));
    assert!(measured.frames.max_m <= 0.001 && measured.shell.frames.max_m <= 0.001);
    assert!(largest(&clip, &made, &[]) <= 0.001);
}

#[test]
fn a_mesh_that_cannot_be_read_makes_skin_unknown_and_all_shells_count() {
    let mut skin = skin(1.0);
    skin.unread.push(UnreadMesh {
        name: "cloak".into(),
        why: "it is packed with Draco compression".into(),
    });
    let clip = Arc::new(Clip::clone(&clip(1.0)).with_skin(Arc::new(skin)));
    let (_, measured) = encode(&clip, &settings(0.001));
    let SkinError::CannotSay(sets, unread) = &measured.skin else {
        panic!("the cloak is not known: {:?}", measured.skin);
    };
    assert_eq!(unread[0].name, "cloak");
    assert!(sets.frames.max_m <= 0.001 && measured.shell.frames.max_m <= 0.001);
    // Left out, it is not missed.
    let without = Settings {
        left_out: vec!["cloak".into()],
        ..settings(0.001)
    };
    let (_, measured) = encode(&clip, &without);
    assert!(matches!(measured.skin, SkinError::Whole(_)));
}

#[test]
fn no_larger_target_of_the_ladder_takes_more_bytes() {
    let clip = clip(1.0);
    let mut encoder = Encoder::new(clip.clone(), 1.0, [7; 32]);
    let mut before = usize::MAX;
    for mm in [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0] {
        let made = encoder.encode(&settings(mm / 1000.0), &Control::default());
        let bytes = made.expect("compresses").animation_bytes();
        assert!(
            bytes <= before,
            "{bytes} bytes at {mm} mm, {before} at the rung below"
        );
        before = bytes;
    }
}
