//! What `Scene` draws.

use super::headless::HeadlessGl;
use super::mannequin::{crowd, mannequin, skinned_on_cpu, stride, tube};
use super::{HEIGHT, Stage, WIDTH, differing, input, like, only};
use glam::{DQuat, DVec3};
use image::RgbaImage;
use posepress::gui::view::{
    BACKGROUND_BOTTOM, BACKGROUND_TOP, Body, Disc, Heat, Layer, Layers, MeshPaint, SELECTED, Trail,
};
use posepress::model::{Mesh, Morph, MorphValue, Texture};
use std::sync::Arc;

const RED: [u8; 3] = [240, 40, 40];
const GREEN: [u8; 3] = [40, 220, 60];

fn is_near(pixel: image::Rgba<u8>, color: [u8; 3]) -> bool {
    let off = |(a, b): (&u8, &u8)| a.abs_diff(*b) > 1;
    !pixel.0.iter().zip(&color).any(off)
}

fn bent(model: &super::Model) -> Vec<glam::DAffine3> {
    model.pose(|name| match name {
        "high" => DQuat::from_rotation_z(0.9) * DQuat::from_rotation_x(0.4),
        _ => DQuat::IDENTITY,
    })
}

#[test]
fn the_background_is_the_gradient_and_nothing_else() {
    let Some(gl) = HeadlessGl::new() else { return };
    let model = tube();
    let mut stage = Stage::new(gl, &model, &[]);
    let picture = stage.draw(&only(&input(&model, model.rest()), Layers::NONE));
    for x in [0, WIDTH - 1] {
        assert!(is_near(*picture.get_pixel(x, 0), BACKGROUND_TOP));
        assert!(is_near(
            *picture.get_pixel(x, HEIGHT - 1),
            BACKGROUND_BOTTOM
        ));
    }
    assert!(picture.pixels().all(|p| p.0[3] == 255));
}

#[test]
fn grid_and_axes_are_drawn_on_the_floor_and_nowhere_else() {
    let Some(gl) = HeadlessGl::new() else { return };
    let model = tube();
    let mut stage = Stage::new(gl, &model, &[]);
    let mut input = input(&model, model.rest());
    input.camera.pitch_rad = 0.3;
    let empty = stage.draw(&only(&input, Layers::NONE));
    let grid = stage.draw(&only(&input, Layers::NONE.with(Layer::Grid)));
    let axes = stage.draw(&only(&input, Layers::NONE.with(Layer::Axes)));
    assert!(differing(&empty, &grid, 4) > 2000);
    assert!((100..4000).contains(&differing(&empty, &axes, 12)));
    let sky = |p: &RgbaImage| image::imageops::crop_imm(p, 0, 0, WIDTH, 40).to_image();
    assert_eq!(differing(&sky(&empty), &sky(&grid), 2), 0);
}

#[test]
fn a_floor_that_moves_by_a_whole_cell_looks_the_same() {
    let Some(gl) = HeadlessGl::new() else { return };
    let model = tube();
    let mut stage = Stage::new(gl, &model, &[]);
    let mut input = only(&input(&model, model.rest()), Layers::NONE.with(Layer::Grid));
    input.camera.pitch_rad = 0.4;
    let still = stage.draw(&input);
    input.ground.offset = [0.0, 0.37];
    assert!(differing(&still, &stage.draw(&input), 4) > 500);
    input.ground.offset = [3.0, -7000.0];
    assert!(differing(&still, &stage.draw(&input), 4) < 20);
}

#[test]
fn bones_have_the_colour_of_their_joint() {
    let Some(gl) = HeadlessGl::new() else { return };
    let model = tube();
    let mut stage = Stage::new(gl, &model, std::slice::from_ref(&model.mesh));
    let mut input = input(&model, model.rest());
    input.bodies[0].joint_colors = Arc::new(vec![RED, GREEN]);
    let picture = stage.draw(&input);
    let seen = (like(&picture, RED), like(&picture, GREEN));
    assert!(seen.0 > 60 && seen.1 > 20, "{seen:?}");
    let without = stage.draw(&only(&input, Layers::ALL.without(Layer::Joints)));
    assert_eq!((like(&without, RED), like(&without, GREEN)), (0, 0));
}

#[test]
fn the_selected_joint_is_orange_and_the_hovered_one_lighter() {
    let Some(gl) = HeadlessGl::new() else { return };
    let model = mannequin(1.0);
    let mut stage = Stage::new(gl, &model, std::slice::from_ref(&model.mesh));
    let mut input = input(&model, stride(&model));
    let plain = stage.draw(&input);
    assert_eq!(like(&plain, SELECTED), 0);
    input.selected = model.skeleton.find("thigh_l");
    assert!(like(&stage.draw(&input), SELECTED) > 40);
    input.hovered = input.selected.take();
    let hovered = stage.draw(&input);
    let light = |p: &RgbaImage| {
        p.pixels()
            .filter(|p| p.0[..3].iter().all(|&c| c > 150))
            .count()
    };
    assert!(light(&hovered) > light(&plain) + 40);
}

#[test]
fn the_gpu_skins_like_the_processor() {
    let Some(gl) = HeadlessGl::new() else { return };
    let model = tube();
    let pose = bent(&model);
    let input = only(&input(&model, pose.clone()), Layers::NONE.with(Layer::Mesh));
    let mut stage = Stage::new(gl, &model, std::slice::from_ref(&model.mesh));
    let by_gpu = stage.draw(&input);
    let rest = only(&super::input(&model, model.rest()), input.layers);
    assert!(differing(&by_gpu, &stage.draw(&rest), 8) > 3000);
    let moved = skinned_on_cpu(&model, &pose);
    stage.scene.set_model(&model.skeleton, &[moved]).unwrap();
    assert!(differing(&by_gpu, &stage.draw(&input), 2) < 8);
}

#[test]
fn bones_past_the_first_row_of_the_palette_are_found() {
    let Some(gl) = HeadlessGl::new() else { return };
    let model = tube();
    let pose = bent(&model);
    let mut stage = Stage::new(gl, &model, std::slice::from_ref(&model.mesh));
    let input = only(&input(&model, pose), Layers::NONE.with(Layer::Mesh));
    let expected = stage.draw(&input);
    let mut wide = model.mesh.clone();
    wide.joints = (0..600).map(|i| wide.joints[i % 2]).collect();
    for (v, bones) in wide.bones.iter_mut().enumerate() {
        let row = [0, 256, 510][v % 3];
        *bones = [row, row + 1, 0, 0];
    }
    stage.scene.set_model(&model.skeleton, &[wide]).unwrap();
    assert_eq!(differing(&expected, &stage.draw(&input), 1), 0);
}

#[test]
fn far_from_the_origin_the_picture_stays_sharp() {
    let Some(gl) = HeadlessGl::new() else { return };
    let model = tube();
    let mut stage = Stage::new(gl, &model, std::slice::from_ref(&model.mesh));
    let layers = Layers::NONE.with(Layer::Mesh).with(Layer::Joints);
    let near = only(&input(&model, bent(&model)), layers);
    let expected = stage.draw(&near);
    let mut far = near;
    let away = DVec3::new(40_000.0, 0.0, -90_000.0);
    far.camera.target += away;
    let moved = far.bodies[0].pose.iter().map(|m| {
        let mut m = *m;
        m.translation += away;
        m
    });
    far.bodies[0].pose = Arc::new(moved.collect());
    assert!(differing(&expected, &stage.draw(&far), 2) < 8);
}

#[test]
fn units_do_not_change_the_picture() {
    let Some(gl) = HeadlessGl::new() else { return };
    let (metres, centimetres) = (mannequin(1.0), mannequin(100.0));
    let layers = Layers::ALL.without(Layer::Grid).without(Layer::Axes);
    let mut stage = Stage::new(gl, &metres, std::slice::from_ref(&metres.mesh));
    let a = stage.draw(&only(&input(&metres, stride(&metres)), layers));
    let mesh = std::slice::from_ref(&centimetres.mesh);
    stage.scene.set_model(&centimetres.skeleton, mesh).unwrap();
    let b = stage.draw(&only(&input(&centimetres, stride(&centimetres)), layers));
    assert!(differing(&a, &b, 6) < 60);
}

#[test]
fn an_overlay_shows_both_bodies() {
    let Some(gl) = HeadlessGl::new() else { return };
    let model = tube();
    let mut stage = Stage::new(gl, &model, std::slice::from_ref(&model.mesh));
    let mut input = input(&model, model.rest());
    input.bodies[0].joint_colors = Arc::new(vec![GREEN; 2]);
    let one = stage.draw(&input);
    let mut second = Body::new(Arc::new(bent(&model)));
    second.joint_colors = Arc::new(vec![RED; 2]);
    second.opacity = 0.8;
    input.bodies.push(second);
    let both = stage.draw(&input);
    assert_eq!(like(&one, RED), 0);
    let seen = (like(&both, RED), like(&both, GREEN));
    assert!(seen.0 > 20 && seen.1 > 20, "{seen:?}");
    assert!(differing(&one, &both, 6) > 1000);
}

#[test]
fn meshes_are_painted_by_tint_texture_or_joint() {
    let Some(gl) = HeadlessGl::new() else { return };
    let model = tube();
    let mut mesh = model.mesh.clone();
    mesh.uvs = mesh
        .positions
        .iter()
        .map(|p| [0.5, 1.0 - p[1] / 2.0])
        .collect();
    // The upper row is green, the lower one red: a flip would be seen.
    let rgba = [[40, 220, 60, 255], [240, 40, 40, 255]].concat();
    mesh.texture = Some(Arc::new(Texture {
        width: 1,
        height: 2,
        rgba,
    }));
    let mut stage = Stage::new(gl, &model, &[mesh]);
    let mut input = only(&input(&model, model.rest()), Layers::NONE.with(Layer::Mesh));
    let tinted = stage.draw(&input);
    assert_eq!(like(&tinted, GREEN), 0);
    input.bodies[0].paint = MeshPaint::Textured;
    let textured = stage.draw(&input);
    let half = |y| image::imageops::crop_imm(&textured, 0, y, WIDTH, HEIGHT / 3).to_image();
    assert!(like(&half(0), GREEN) > 500 && like(&half(0), RED) == 0);
    assert!(like(&half(2 * HEIGHT / 3), RED) > 500);
    // The upper half of the tube is off by twice the range, the lower not at all.
    let right = input.bodies[0].pose.clone();
    let mut wrong = right.to_vec();
    wrong[1].translation.x += 0.02;
    input.bodies[0].paint = MeshPaint::Error;
    input.bodies[0].heat = Some(Heat {
        right,
        right_morphs: input.bodies[0].morphs.clone(),
        wrong: Arc::new(wrong),
        range: 0.01,
        factor: 1.0,
    });
    let heat = stage.draw(&input);
    let upper = image::imageops::crop_imm(&heat, 0, 0, WIDTH, HEIGHT / 3).to_image();
    let lower = image::imageops::crop_imm(&heat, 0, 2 * HEIGHT / 3, WIDTH, HEIGHT / 3).to_image();
    assert!(like(&upper, RED) > 500 && like(&lower, RED) == 0);
    // In the right pose the colours stay.
    if let Some(heat) = &mut input.bodies[0].heat {
        heat.factor = 0.0;
    }
    assert!(like(&stage.draw(&input), RED) > 500);
}

#[test]
fn a_morph_weight_that_is_off_is_seen_as_heat() {
    let Some(gl) = HeadlessGl::new() else { return };
    let model = tube();
    let mut mesh = model.mesh.clone();
    let all = (0..mesh.positions.len() as u32).map(|v| (v, [0.0, 0.0, 0.05]));
    mesh.morph = Some(Morph {
        node: 3,
        weights: vec![0.0],
        targets: vec![all.collect()],
    });
    let mut stage = Stage::new(gl, &model, &[mesh]);
    let mut input = only(&input(&model, model.rest()), Layers::NONE.with(Layer::Mesh));
    let weights = |value| {
        let node = 3;
        Arc::new(vec![MorphValue {
            node,
            index: 0,
            value,
        }])
    };
    let pose = input.bodies[0].pose.clone();
    input.bodies[0].paint = MeshPaint::Error;
    for (right, wrong, hot) in [(0.4, 0.8, true), (0.8, 0.8, false), (0.8, 0.0, true)] {
        input.bodies[0].morphs = weights(wrong);
        input.bodies[0].heat = Some(Heat {
            right: pose.clone(),
            right_morphs: weights(right),
            wrong: pose.clone(),
            range: 0.01,
            factor: 1.0,
        });
        let red = like(&stage.draw(&input), RED);
        assert_eq!(red > 1000, hot, "{right} and {wrong}: {red} red pixels");
    }
}

#[test]
fn trails_and_contact_discs_can_be_seen() {
    let Some(gl) = HeadlessGl::new() else { return };
    let model = tube();
    let mut stage = Stage::new(gl, &model, &[]);
    let mut input = input(&model, model.rest());
    input.camera.pitch_rad = 0.5;
    let before = stage.draw(&input);
    assert_eq!((like(&before, RED), like(&before, GREEN)), (0, 0));
    input.discs.push(Disc {
        center: DVec3::new(0.5, 0.0, 0.3),
        radius: 0.2,
        color: GREEN,
        fill: 0.3,
    });
    input.trails.push(Trail {
        points: Arc::new(vec![DVec3::new(-0.8, 0.1, 0.0), DVec3::new(-0.3, 1.5, 0.0)]),
        color: [240, 40, 40, 255],
        width: 2.0,
        dot: 3.0,
    });
    let after = stage.draw(&input);
    assert!(like(&after, RED) > 80 && like(&after, GREEN) > 40);
}

#[test]
fn a_thousand_joints_and_two_hundred_thousand_vertices_are_drawn() {
    let Some(gl) = HeadlessGl::new() else { return };
    let model = crowd(1000, 420);
    assert!(model.mesh.positions.len() > 200_000);
    let mut stage = Stage::new(gl, &model, std::slice::from_ref(&model.mesh));
    let input = input(&model, model.rest());
    let empty = stage.draw(&only(&input, Layers::NONE));
    let mesh = stage.draw(&only(&input, Layers::NONE.with(Layer::Mesh)));
    let joints = stage.draw(&only(&input, Layers::NONE.with(Layer::Joints)));
    assert!(differing(&empty, &mesh, 8) > 3000);
    assert!(differing(&empty, &joints, 8) > 1000);
}

#[test]
fn broken_models_and_poses_draw_something_and_do_not_panic() {
    let Some(gl) = HeadlessGl::new() else { return };
    let model = tube();
    let mut outside = model.mesh.clone();
    outside.indices[0] = 1_000_000;
    let mut unbound = model.mesh.clone();
    unbound.joints.clear();
    let mut short = model.mesh.clone();
    short.weights.pop();
    let mut bare = model.mesh.clone();
    bare.normals.clear();
    let meshes = [outside, unbound, short, bare, Mesh::default()];
    let mut stage = Stage::new(gl, &model, &meshes);
    let mut input = input(&model, vec![]);
    stage.draw(&input);
    input.bodies[0].pose = Arc::new(vec![glam::DAffine3::from_translation(DVec3::NAN); 2]);
    stage.draw(&input);
    input.bodies.clear();
    input.selected = Some(99);
    stage.draw(&input);
}
