//! Pictures to look at and the time they take; run with `cargo test --test gl -- --ignored --nocapture`.

use super::headless::HeadlessGl;
use super::mannequin::{Model, mannequin, stride};
use super::{Stage, input};
use glam::DVec3;
use posepress::gui::view::{
    AssetBounds, Body, Disc, Heat, Layer, Layers, MeshPaint, OrbitCamera, Preset, Trail, ViewInput,
    nice_step,
};
use posepress::import::{self, LoadOptions};
use posepress::model::Mesh;
use std::sync::Arc;
use std::time::Instant;

const RAINBOW: [[u8; 3]; 5] = [
    [70, 140, 190],
    [75, 185, 165],
    [90, 205, 130],
    [190, 205, 85],
    [240, 100, 85],
];

fn showcase(model: &Model, size: (u32, u32)) -> ViewInput {
    let mut input = input(model, stride(model));
    input.camera.look_from(Preset::ThreeQuarter);
    let bounds = AssetBounds::of(&model.skeleton, std::slice::from_ref(&model.mesh));
    let rest = bounds.pose(&input.bodies[0].pose);
    input
        .camera
        .frame(&rest, f64::from(size.0) / f64::from(size.1));
    input.ground.step = nice_step(rest.size());
    let foot = model.skeleton.find("ball_l").unwrap();
    let at = input.bodies[0].pose[foot].translation;
    let scale = rest.size() / 1.8;
    let arc = |i: i32| {
        let t = f64::from(i) / 12.0;
        at + scale * DVec3::new(0.0, 0.25 * (std::f64::consts::PI * t).sin(), -1.2 * t)
    };
    input.trails.push(Trail {
        points: Arc::new((0..=12).map(arc).collect()),
        color: [255, 157, 59, 220],
        width: 1.5,
        dot: 2.2,
    });
    input.discs.push(Disc {
        center: DVec3::new(at.x, 0.0, at.z),
        radius: 0.16 * scale,
        color: [90, 205, 130],
        fill: 0.3,
    });
    input
}

/// The files that `POSEPRESS_SHARED` holds, in the middle of their first clip.
#[test]
#[ignore = "writes pictures for a person"]
fn write_pictures_of_real_files() {
    let Some(shared) = std::env::var_os("POSEPRESS_SHARED") else {
        eprintln!("skipped: POSEPRESS_SHARED is not set");
        return;
    };
    let files = std::fs::read_dir(std::path::Path::new(&shared).join("clips")).unwrap();
    for path in files.map(|f| f.unwrap().path()) {
        let Ok(asset) = import::load(&path, &LoadOptions::default()) else {
            continue;
        };
        let Some(clip) = asset.clips.first() else {
            continue;
        };
        let Some(gl) = HeadlessGl::new() else { return };
        let secs = 0.4 * clip.grid().duration_secs();
        let locals: Vec<_> = (0..asset.skeleton.len())
            .map(|j| clip.local(j, secs))
            .collect();
        let mut pose = vec![glam::DAffine3::IDENTITY; locals.len()];
        asset.skeleton.model_pose(&locals, &mut pose);
        let bounds = AssetBounds::new(&asset);
        let size = bounds.pose(&pose).size();
        let camera = OrbitCamera::framing(&bounds.pose(&pose), 480.0 / 400.0);
        let mut input = ViewInput::new(Body::new(Arc::new(pose)), camera);
        input.ground.step = nice_step(size);
        input.ground.height = bounds.clip(clip).ground_height();
        let model = Model {
            skeleton: (*asset.skeleton).clone(),
            mesh: Mesh::default(),
        };
        let mut stage = Stage::sized(gl, &model, &asset.meshes, (480, 400, 1));
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let start = Instant::now();
        stage.render(&input);
        println!(
            "{name}: {} joints, {:.1} ms",
            asset.skeleton.len(),
            1e3 * start.elapsed().as_secs_f64()
        );
        let picture = stage.draw(&input);
        picture
            .save(folder().join(format!("file-{name}.png")))
            .unwrap();
        input.bodies[0].paint = MeshPaint::Textured;
        input.layers = Layers::ALL.without(Layer::Joints);
        let picture = stage.draw(&input);
        picture
            .save(folder().join(format!("textured-{name}.png")))
            .unwrap();
    }
}

fn folder() -> std::path::PathBuf {
    let folder = std::env::temp_dir().join("posepress-pictures");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
#[ignore = "writes pictures for a person"]
fn write_pictures() {
    for (width, height, samples) in [(700, 620, 1), (700, 620, 4), (480, 400, 1)] {
        let Some(gl) = HeadlessGl::new() else { return };
        let model = mannequin(1.0);
        let mesh = std::slice::from_ref(&model.mesh);
        let mut stage = Stage::sized(gl, &model, mesh, (width, height, samples));
        let save = |name: &str, stage: &mut Stage, input: &ViewInput| {
            let file = format!("{name}-{width}x{height}-{samples}.png");
            stage.draw(input).save(folder().join(file)).unwrap();
        };
        let mut input = showcase(&model, (width, height));
        save("source", &mut stage, &input);
        let heat = (0..model.skeleton.len()).map(|j| RAINBOW[j % 5]);
        input.bodies[0].joint_colors = Arc::new(heat.collect());
        input.selected = model.skeleton.find("thigh_l");
        input.hovered = model.skeleton.find("upperarm_r");
        save("compressed", &mut stage, &input);
        let mut wrong = input.bodies[0].pose.to_vec();
        for (joint, m) in wrong.iter_mut().enumerate() {
            m.translation.x += 0.0003 * (joint % 5) as f64;
        }
        input.bodies[0].paint = MeshPaint::Error;
        input.bodies[0].heat = Some(Heat {
            right: input.bodies[0].pose.clone(),
            right_morphs: input.bodies[0].morphs.clone(),
            wrong: Arc::new(wrong),
            range: 0.001,
            factor: 1.0,
        });
        save("heat", &mut stage, &input);
        let mut ghost = Body::new(Arc::new(model.rest()));
        ghost.opacity = 0.45;
        input.bodies[0].paint = MeshPaint::Tint;
        input.bodies.insert(0, ghost);
        save("overlay", &mut stage, &input);
        input.camera.toggle_projection();
        input.camera.look_from(Preset::Right);
        save("right", &mut stage, &input);
    }
}

#[test]
#[ignore = "prints times"]
fn measure_one_view() {
    let without = |layer| Layers::ALL.without(layer);
    let cases = [
        ("all", 1, Layers::ALL),
        ("background", 1, Layers::NONE),
        ("no grid", 1, without(Layer::Grid).without(Layer::Axes)),
        ("no mesh", 1, without(Layer::Mesh)),
        ("no joints", 1, without(Layer::Joints)),
        ("no shadow", 1, without(Layer::Shadow)),
        ("all", 4, Layers::ALL),
    ];
    for (name, samples, layers) in cases {
        let Some(gl) = HeadlessGl::new() else { return };
        let model = mannequin(1.0);
        let mesh = std::slice::from_ref(&model.mesh);
        let mut stage = Stage::sized(gl, &model, mesh, (650, 620, samples));
        let mut input = showcase(&model, (650, 620));
        input.layers = layers;
        stage.render(&input);
        let cpu_before = cpu_ms();
        let mut times: Vec<f64> = (0..60)
            .map(|_| {
                input.camera.yaw_rad += 0.01;
                let start = Instant::now();
                stage.render(&input);
                1e3 * start.elapsed().as_secs_f64()
            })
            .collect();
        let cpu = (cpu_ms() - cpu_before) / times.len() as f64;
        times.sort_by(f64::total_cmp);
        println!(
            "650 x 620, {samples} samples, {name}: processors {cpu:.1}, least {:.1}, median {:.1} ms",
            times[0], times[30]
        );
    }
}

/// What all threads of this process have used so far, where the system tells (Linux).
fn cpu_ms() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    10.0 * ticks.filter_map(|t| t.parse::<f64>().ok()).sum::<f64>()
}
