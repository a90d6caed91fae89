//! How long a change takes: one track, one clip, and the measuring that follows.
//!
//! The clip is made here: 65 joints in four chains, 661 frames at 30 fps, every rotation moving.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use posepress::codec::{self, Budget, Control, Deliverable, Encoder, Quality, Settings};
use posepress::import::{self, LoadOptions};
use posepress::math::{Channel, Transform};
use posepress::metrics::{self, Contacts, ErrorMetric, Options};
use posepress::model::{Clip, Interpolation, Issues, Joint, RawClip, RawCurve, RawTrack, Skeleton};
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const JOINTS: usize = 65;
const FRAMES: usize = 661;

fn skeleton() -> Arc<Skeleton> {
    let joint = |j: usize| Joint {
        name: format!("joint_{j}"),
        // Four chains of sixteen hang from the root.
        parent: j.checked_sub(1).map(|p| if p % 16 == 0 { 0 } else { p }),
        rest: Transform {
            translation: glam::DVec3::Y * 0.1,
            ..Transform::IDENTITY
        },
        source_index: j,
    };
    Arc::new(Skeleton::new((0..JOINTS).map(joint).collect()).expect("a skeleton"))
}

fn clip() -> Arc<Clip> {
    let times: Vec<f32> = (0..FRAMES).map(|k| k as f32 / 30.0).collect();
    let rotation = |j: usize, t: f32| {
        let p = j as f32;
        let a =
            0.5 * (2.1 * t + p).sin() + 0.2 * (5.3 * t + 2.0 * p).sin() + 0.03 * (17.0 * t).sin();
        glam::Quat::from_euler(
            glam::EulerRot::XYZ,
            a,
            0.3 * (1.7 * t + p).cos(),
            0.1 * a * a,
        )
        .to_array()
    };
    let mut tracks: Vec<RawTrack> = (0..JOINTS)
        .map(|joint| RawTrack {
            joint,
            channel: Channel::Rotation,
            curve: RawCurve {
                interpolation: Interpolation::Linear,
                times: times.clone(),
                values: times.iter().flat_map(|&t| rotation(joint, t)).collect(),
            },
        })
        .collect();
    tracks.push(RawTrack {
        joint: 0,
        channel: Channel::Translation,
        curve: RawCurve {
            interpolation: Interpolation::Linear,
            values: times
                .iter()
                .flat_map(|&t| [t, 0.02 * (9.0 * t).sin(), 0.0])
                .collect(),
            times,
        },
    });
    let raw = RawClip {
        name: "bench".into(),
        tracks,
        scalars: vec![],
    };
    Arc::new(Clip::new(skeleton(), raw, &mut Issues::default()))
}

fn encoder(clip: &Arc<Clip>) -> Encoder {
    Encoder::new(clip.clone(), 1.0, [0; 32])
}

/// What a drag of the slide target costs, measuring included: the bundled clip of 661 frames, compressed once.
fn drag_the_slide_target(group: &mut BenchmarkGroup<'_, WallTime>) {
    let bytes = include_bytes!("../assets/mannequin.glb");
    let options = LoadOptions::default();
    let asset = import::load_bytes(Path::new("mannequin.glb"), bytes, &options).expect("loads");
    let clip = asset.clips.iter().find(|c| c.name() == "Long_661");
    let clip = clip.expect("a bundled clip");
    let contacts = Contacts::find(clip, 1.0);
    let control = Control::default();
    let mut dragged = encoder(clip);
    let settings = |slide_target_m| Settings {
        slide_target_m: Some(slide_target_m),
        ..Settings::default()
    };
    let made = dragged.encode(&settings(0.0002), &control);
    made.expect("compresses");
    let mut step = 0_u32;
    group.bench_function("slide_target_draft", |b| {
        b.iter(|| {
            step += 1;
            let settings = settings(0.0002 * (1.0 + 0.3 * f64::from(step).sin()));
            let draft = dragged.encode_as(&settings, Quality::Draft, &control);
            let player = draft.expect("compresses").player(clip.skeleton());
            let player = player.expect("own bytes decode");
            let options = Options {
                density: 1,
                ..Options::default()
            };
            black_box(metrics::measure_with(clip, &player, &contacts, &options))
        });
    });
}

fn compress(c: &mut Criterion) {
    let clip = clip();
    let control = Control::default();
    let tolerances = Settings {
        deliverable: Deliverable::Riot,
        budget: Budget::Tolerances,
        ..Settings::default()
    };
    let target = |deliverable| Settings {
        deliverable,
        budget: Budget::Skin { target_m: 0.001 },
        ..Settings::default()
    };

    let mut group = c.benchmark_group("compress");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(8));
    // The fit of one track alone: sampling, inserting keys, removing them again.
    let fitted = encoder(&clip)
        .encode(&tolerances, &control)
        .expect("compresses");
    let track = fitted
        .tracks
        .iter()
        .find(|t| t.joint == 20)
        .expect("a moving joint");
    group.bench_function("fit_one_track", |b| {
        b.iter(|| black_box(codec::replay(&clip, &tolerances, track, usize::MAX)));
    });
    // What a drag on one joint's slider costs: one track is fitted, the file is written again.
    let mut one = encoder(&clip);
    let mut step = 0_u32;
    group.bench_function("one_track_refit", |b| {
        b.iter(|| {
            step += 1;
            let mut settings = tolerances.clone();
            let tolerance = 1e-3 * (1.0 + 1e-4 * f64::from(step % 1000));
            settings
                .overrides
                .entry("joint_20".into())
                .or_default()
                .rotation_rad = Some(tolerance);
            black_box(one.encode(&settings, &control).expect("compresses"))
        });
    });
    group.bench_function("whole_clip_tolerances", |b| {
        b.iter(|| {
            black_box(
                encoder(&clip)
                    .encode(&tolerances, &control)
                    .expect("compresses"),
            )
        });
    });
    for deliverable in [Deliverable::Riot, Deliverable::Compact] {
        let settings = target(deliverable);
        let name = deliverable.name();
        group.bench_function(format!("{name}_target_1mm"), |b| {
            b.iter(|| {
                let compressed = encoder(&clip).encode(&settings, &control);
                black_box(compressed.expect("compresses"))
            });
        });
        // What a drag of the target's slider costs, again and again with another target.
        let mut dragged = encoder(&clip);
        let mut step = 0_u32;
        group.bench_function(format!("{name}_draft"), |b| {
            b.iter(|| {
                step += 1;
                let target_m = 0.001 * (1.0 + 0.3 * f64::from(step).sin());
                let settings = Settings {
                    budget: Budget::Skin { target_m },
                    ..settings.clone()
                };
                let draft = dragged.encode_as(&settings, Quality::Draft, &control);
                black_box(draft.expect("compresses"))
            });
        });
    }
    drag_the_slide_target(&mut group);
    let compressed = encoder(&clip)
        .encode(&tolerances, &control)
        .expect("compresses");
    let player = compressed
        .player(clip.skeleton())
        .expect("own bytes decode");
    group.bench_function("measure_all", |b| {
        b.iter(|| black_box(metrics::measure(&clip, &player, &Options::default())));
    });
    let shells = Options {
        metric: ErrorMetric::Shell,
        ..Options::default()
    };
    group.bench_function("measure_shells", |b| {
        b.iter(|| black_box(metrics::measure(&clip, &player, &shells)));
    });
    group.finish();
}

criterion_group!(benches, compress);
criterion_main!(benches);
