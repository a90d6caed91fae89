//! Every weight counts in the picture: a vertex that ten bones move is drawn where all of them put it.

use super::headless::HeadlessGl;
use super::mannequin::{Model, blended};
use super::{Stage, differing, input, only};
use glam::{DAffine3, DMat4, DQuat, DVec3, Vec3};
use posepress::gui::view::{Layer, Layers};
use posepress::model::{Mesh, MoreBones};

/// The mesh in a pose, as the first joint alone carries it: where all weights, or the four largest made to sum to 1, put
/// its vertices.
fn carried(model: &Model, pose: &[DAffine3], most: usize) -> Mesh {
    let mesh = &model.mesh;
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    for v in 0..mesh.positions.len() {
        let sum: f32 = mesh.influences(v).take(most).map(|i| i.1).sum();
        let at = Vec3::from(mesh.positions[v]).as_dvec3();
        let out = Vec3::from(mesh.normals[v]).as_dvec3();
        let (mut place, mut normal) = (DVec3::ZERO, DVec3::ZERO);
        for (bone, weight) in mesh.influences(v).take(most) {
            let (joint, joint_from_mesh) = mesh.joints[usize::from(bone)];
            let m = DMat4::from(pose[joint]) * joint_from_mesh;
            place += f64::from(weight / sum) * m.transform_point3(at);
            normal += f64::from(weight / sum) * m.transform_vector3(out);
        }
        positions.push(place.as_vec3().to_array());
        normals.push(normal.as_vec3().to_array());
    }
    Mesh {
        bones: vec![[0; 4]; positions.len()],
        weights: vec![[1.0, 0.0, 0.0, 0.0]; positions.len()],
        more: MoreBones::default(),
        joints: vec![(0, DMat4::from(pose[0].inverse()))],
        positions,
        normals,
        ..mesh.clone()
    }
}

#[test]
fn ten_weights_put_a_vertex_where_it_is_measured() {
    let model = blended(10);
    assert!(
        model.mesh.more.all().len() > 2 * 1024,
        "several rows of texels"
    );
    let pose = model.pose(|_| DQuat::from_rotation_z(0.35));
    let picture = |mesh: &Mesh| {
        let gl = HeadlessGl::new()?;
        let mut stage = Stage::new(gl, &model, std::slice::from_ref(mesh));
        let input = input(&model, pose.clone());
        Some(stage.draw(&only(&input, Layers::NONE.with(Layer::Mesh))))
    };
    let Some(drawn) = picture(&model.mesh) else {
        return;
    };
    let wanted = picture(&carried(&model, &pose, usize::MAX)).expect("a picture");
    let cut = picture(&carried(&model, &pose, 4)).expect("a picture");
    let off = differing(&drawn, &wanted, 8);
    assert!(off < 20, "{off} pixels differ");
    let off = differing(&drawn, &cut, 8);
    assert!(off > 300, "four weights would be seen: {off} pixels differ");
}
