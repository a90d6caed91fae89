//! Errors are those of the skin: every vertex is within the target, and an armature's scale changes nothing.

mod support;

use posepress::codec::{
    Budget, Compressed, Control, Deliverable, Encoder, Importance, JointImportance, Settings,
};
use posepress::math::{Channel, Transform};
use posepress::metrics::{self, ErrorMetric, Measured, SkinError};
use posepress::model::{
    Clip, CurveSource as _, Influence, Interpolation, Issues, Joint, MorphWeight, PoseSource,
    RawClip, RawCurve, RawScalar, RawTrack, Skeleton, Skin, SkinPart, UnreadMesh, vertex_place,
};
use std::sync::Arc;
use support::clips::{clip_of, swing, track};

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

/// The same with hips that walk, and a joint that is pulled out of its place.
fn moving(scale: f64) -> Arc<Clip> {
    let mut tracks: Vec<RawTrack> = (1..JOINTS).map(|j| swing(j, 60)).collect();
    let moved = |joint: usize, value: fn(f32) -> [f32; 3]| {
        track(joint, Channel::Translation, 60, move |t| {
            let place = value(t).map(|c| (f64::from(c) / scale) as f32);
            place.to_vec()
        })
    };
    tracks.push(moved(1, |t| [0.7 * t, 0.05 * (9.0 * t).sin(), 0.0]));
    tracks.push(moved(3, |_| [0.013, 0.29, 0.0]));
    tracks.push(moved(4, |t| [0.0, 0.3, 0.03 * (5.0 * t).sin()]));
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
        let (made, measured) = encode(&moving(scale), settings);
        (
            made.animation_bytes() as f64,
            measured.frames.max_m,
            measured.shell.frames.max_m,
        )
    };
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 0.01;
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
        for scale in [0.01, 0.0254, 0.1, 2.54, 100.0] {
            let scaled = of(scale, &settings);
            assert!(
                near(scaled.0, plain.0) && near(scaled.1, plain.1) && near(scaled.2, plain.2),
                "{scale}: {scaled:?} {plain:?}"
            );
        }
    }
}

/// The clip above, with a target that takes some vertices of the tube 5 cm and more, and weights that move in jerks.
fn morphing() -> Arc<Clip> {
    let mut skin = skin(1.0);
    let tube = &mut skin.parts[0];
    for v in (0..tube.vertices()).step_by(5) {
        let ways = tube.of_vertex(v).to_vec().into_iter().map(|i| Influence {
            place: [0.05, 0.001 * (v % 40) as f32, 0.0],
            ..i
        });
        tube.push_morph(v as u32, 0, ways);
    }
    tube.morph.node = Some(9);
    tube.morph.weights = vec![0.0];
    let times: Vec<f32> = (0..60).map(|f| f as f32 / 30.0).collect();
    let values = times.iter().map(|t| (7.0 * t).sin().abs()).collect();
    let raw = RawClip {
        name: "face".into(),
        tracks: (1..JOINTS).map(|j| swing(j, 60)).collect(),
        scalars: vec![RawScalar {
            name: "face/weights[0]".into(),
            curve: RawCurve {
                interpolation: Interpolation::Linear,
                times,
                values,
            },
            morph: Some(MorphWeight {
                node: 9,
                index: 0,
                of: Some(1),
                value_bytes: 4,
            }),
        }],
    };
    let clip = Clip::new(skeleton(1.0), raw, &mut Issues::default());
    Arc::new(clip.with_skin(Arc::new(skin)))
}

/// Looks at every vertex of a clip with morphs at every frame; the second figure is without them.
fn largest_morphed(clip: &Clip, made: &Compressed) -> (f64, f64) {
    let mut player = made.player(clip.skeleton()).expect("its bytes decode");
    let mut source = clip;
    let mut most = (0.0_f64, 0.0_f64);
    for frame in 0..clip.grid().frames {
        let secs = clip.grid().secs(frame as f64);
        let mut places = [Vec::new(), Vec::new()];
        for (of, places) in places.iter_mut().enumerate() {
            let mut pose = vec![Transform::IDENTITY; JOINTS];
            let mut weight = [0.0];
            if of == 0 {
                source.pose(secs, &mut pose);
                source.curves(secs, &mut weight);
            } else {
                player.pose(secs, &mut pose);
                player.curves(secs, &mut weight);
            }
            let mut model = vec![glam::DAffine3::IDENTITY; JOINTS];
            clip.skeleton().model_pose(&pose, &mut model);
            for part in &clip.skin().parts {
                for v in 0..part.vertices() {
                    let all = part.of_vertex(v);
                    let bare = vertex_place(all, &model);
                    let moves = part.morph.moves.iter().filter(|m| m.vertex == v as u32);
                    let way: glam::DVec3 = moves
                        .flat_map(|m| all.iter().zip(&m.ways))
                        .map(|(i, way)| {
                            let way = glam::Vec3::from(*way).as_dvec3() * f64::from(weight[0]);
                            model[usize::from(i.joint)].matrix3 * way * f64::from(i.weight)
                        })
                        .sum();
                    places.push((bare + way, bare));
                }
            }
        }
        for (a, b) in places[0].iter().zip(&places[1]) {
            most.0 = most.0.max(a.0.distance(b.0));
            most.1 = most.1.max(a.1.distance(b.1));
        }
    }
    most
}

#[test]
fn what_morph_targets_move_is_held_and_measured_with_its_weights() {
    let clip = morphing();
    let near = |a: f64, b: f64| (a - b).abs() < 1e-8 + 1e-5 * b;
    for deliverable in [Deliverable::Compact, Deliverable::Uniform] {
        for weight_tolerance in [0.001, 0.2] {
            let settings = Settings {
                deliverable,
                weight_tolerance,
                ..settings(0.001)
            };
            let (made, measured) = encode(&clip, &settings);
            let (with, without) = largest_morphed(&clip, &made);
            assert!(with <= 0.001, "{deliverable:?}: {with}");
            assert_eq!(made.target_met, Some(true));
            let skin = measured.skin.known().expect("all meshes are known");
            assert!(
                near(skin.frames.max_m, with),
                "{} {with}",
                skin.frames.max_m
            );
            let bare = measured.unmorphed.expect("there are morphs");
            assert!(near(bare.frames.max_m, without));
        }
    }
    // Nobody holds the skin: what a coarse weight does to it is told.
    let coarse = Settings {
        budget: Budget::Tolerances,
        weight_tolerance: 0.2,
        ..Settings::default()
    };
    let (made, measured) = encode(&clip, &coarse);
    let (with, without) = largest_morphed(&clip, &made);
    assert!(with > 0.004 && with > 2.0 * without, "{with} {without}");
    assert!(near(measured.frames.max_m, with));
    assert_eq!(encode(&morphless(&clip), &coarse).1.unmorphed, None);
    // On another file's joints targets stay as they are at rest.
    let mut part = clip.skin().parts[0].clone();
    part.morph.weights = vec![0.5];
    let (before, after) = (part.of_vertex(5)[0], part.at_rest().of_vertex(5)[0]);
    assert!((after.place[0] - before.place[0] - 0.025).abs() < 1e-6);
    assert_eq!(part.at_rest().of_vertex(6), part.of_vertex(6));
}

/// The same without its targets.
fn morphless(clip: &Clip) -> Arc<Clip> {
    Arc::new(clip.clone().with_skin(Arc::new(skin(1.0))))
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
