//! Models made in the test: a tube with two bones and a walking mannequin.

use glam::{DAffine3, DMat4, DQuat, DVec3, Vec3};
use posepress::math::Transform;
use posepress::model::{Joint, Mesh, Skeleton};

pub struct Model {
    pub skeleton: Skeleton,
    pub mesh: Mesh,
}

impl Model {
    pub fn pose(&self, turn: impl Fn(&str) -> DQuat) -> Vec<DAffine3> {
        let mut locals = self.skeleton.rest_pose();
        for (local, joint) in locals.iter_mut().zip(self.skeleton.joints()) {
            local.rotation = turn(&joint.name);
        }
        let mut pose = vec![DAffine3::IDENTITY; self.skeleton.len()];
        self.skeleton.model_pose(&locals, &mut pose);
        pose
    }

    pub fn rest(&self) -> Vec<DAffine3> {
        self.pose(|_| DQuat::IDENTITY)
    }
}

fn skeleton(joints: &[(&str, Option<usize>, [f64; 3])]) -> Skeleton {
    let joint = |&(name, parent, offset): &(&str, Option<usize>, [f64; 3])| Joint {
        name: name.to_owned(),
        parent,
        rest: Transform {
            translation: DVec3::from(offset),
            ..Transform::IDENTITY
        },
        source_index: 0,
    };
    Skeleton::new(joints.iter().map(joint).collect()).unwrap()
}

/// All joints as bones, with the bind pose at rest.
fn bind(skeleton: &Skeleton) -> Vec<(usize, DMat4)> {
    let mut pose = vec![DAffine3::IDENTITY; skeleton.len()];
    skeleton.model_pose(&skeleton.rest_pose(), &mut pose);
    let bones = pose.iter().map(|m| DMat4::from(m.inverse()));
    bones.enumerate().collect()
}

/// A tube along Y from 0 to 2 that bends at 1.
pub fn tube() -> Model {
    let skeleton = skeleton(&[("low", None, [0.0; 3]), ("high", Some(0), [0.0, 1.0, 0.0])]);
    let (rings, sides) = (21_u32, 24_u32);
    let mut mesh = Mesh {
        joints: bind(&skeleton),
        base_color: [1.0; 4],
        ..Mesh::default()
    };
    for ring in 0..rings {
        let y = 2.0 * ring as f32 / (rings - 1) as f32;
        let high = ((y - 0.7) / 0.6).clamp(0.0, 1.0);
        for side in 0..sides {
            let (sin, cos) = (std::f32::consts::TAU * side as f32 / sides as f32).sin_cos();
            mesh.positions.push([0.3 * sin, y, 0.3 * cos]);
            mesh.normals.push([sin, 0.0, cos]);
            mesh.bones.push([0, 1, 0, 0]);
            mesh.weights.push([1.0 - high, high, 0.0, 0.0]);
        }
    }
    push_tube(&mut mesh.indices, 0, rings, sides);
    Model { skeleton, mesh }
}

/// The tube on a chain of joints, each of which moves every vertex.
pub fn blended(joints: usize) -> Model {
    let place = |j: usize| ("joint", j.checked_sub(1), [0.0, 2.0 / joints as f64, 0.0]);
    let skeleton = skeleton(&(0..joints).map(place).collect::<Vec<_>>());
    let mut mesh = Mesh {
        joints: bind(&skeleton),
        ..tube().mesh
    };
    for v in 0..mesh.positions.len() {
        let weight = |j: usize| 1.0 + ((7 * v + 3 * j) % joints) as f32;
        let sum: f32 = (0..joints).map(weight).sum();
        let mut all: Vec<(u16, f32)> = (0..joints).map(|j| (j as u16, weight(j) / sum)).collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        mesh.bones[v] = std::array::from_fn(|k| all[k].0);
        mesh.weights[v] = std::array::from_fn(|k| all[k].1);
        mesh.more.push(v, &all[4..]);
    }
    Model { skeleton, mesh }
}

/// A chain of joints that winds upwards, and as many copies of the tube's mesh as asked for.
pub fn crowd(joints: usize, tubes: usize) -> Model {
    let step = |j: usize| {
        let angle = 0.1 * j as f64;
        [0.06 * angle.cos(), 0.002, 0.06 * angle.sin()]
    };
    let chain: Vec<_> = (0..joints)
        .map(|j| ("", j.checked_sub(1), step(j)))
        .collect();
    let skeleton = skeleton(&chain);
    let one = tube().mesh;
    let mut mesh = Mesh {
        joints: bind(&skeleton),
        base_color: [1.0; 4],
        ..Mesh::default()
    };
    for copy in 0..tubes {
        let first = mesh.positions.len() as u32;
        let bone = (copy * joints / tubes) as u16;
        mesh.positions.extend(&one.positions);
        mesh.normals.extend(&one.normals);
        mesh.bones.extend(one.bones.iter().map(|_| [bone; 4]));
        mesh.weights
            .extend(one.weights.iter().map(|_| [1.0, 0.0, 0.0, 0.0]));
        mesh.indices.extend(one.indices.iter().map(|i| first + i));
    }
    Model { skeleton, mesh }
}

fn push_tube(indices: &mut Vec<u32>, first: u32, rings: u32, sides: u32) {
    for ring in 0..rings - 1 {
        for side in 0..sides {
            let (a, b) = (ring * sides + side, ring * sides + (side + 1) % sides);
            let quad = [a, b, b + sides, a, b + sides, a + sides];
            indices.extend(quad.map(|i| first + i));
        }
    }
}

/// The same mesh moved by the processor, bound to one joint that never moves.
pub fn skinned_on_cpu(model: &Model, pose: &[DAffine3]) -> Mesh {
    let mesh = &model.mesh;
    let mut moved = mesh.clone();
    for v in 0..mesh.positions.len() {
        let mut m = DMat4::ZERO;
        for (bone, weight) in mesh.bones[v].iter().zip(mesh.weights[v]) {
            let (joint, joint_from_mesh) = mesh.joints[usize::from(*bone)];
            m += DMat4::from(pose[joint]) * joint_from_mesh * f64::from(weight);
        }
        let position = Vec3::from(mesh.positions[v]).as_dvec3();
        let normal = Vec3::from(mesh.normals[v]).as_dvec3();
        moved.positions[v] = m.transform_point3(position).as_vec3().to_array();
        moved.normals[v] = m.transform_vector3(normal).as_vec3().to_array();
    }
    moved.joints = vec![(0, DMat4::from(pose[0].inverse()))];
    moved.bones.fill([0; 4]);
    moved.weights.fill([1.0, 0.0, 0.0, 0.0]);
    moved
}

const BODY: [(&str, Option<usize>, [f64; 3]); 22] = [
    ("root", None, [0.0, 0.0, 0.0]),
    ("hips", Some(0), [0.0, 0.96, 0.0]),
    ("spine_01", Some(1), [0.0, 0.10, 0.0]),
    ("spine_02", Some(2), [0.0, 0.16, 0.0]),
    ("chest", Some(3), [0.0, 0.16, 0.0]),
    ("neck", Some(4), [0.0, 0.14, 0.0]),
    ("head", Some(5), [0.0, 0.10, 0.02]),
    ("clavicle_l", Some(4), [0.04, 0.08, 0.0]),
    ("upperarm_l", Some(7), [0.14, 0.02, 0.0]),
    ("lowerarm_l", Some(8), [0.05, -0.28, 0.0]),
    ("hand_l", Some(9), [0.03, -0.25, 0.02]),
    ("clavicle_r", Some(4), [-0.04, 0.08, 0.0]),
    ("upperarm_r", Some(11), [-0.14, 0.02, 0.0]),
    ("lowerarm_r", Some(12), [-0.05, -0.28, 0.0]),
    ("hand_r", Some(13), [-0.03, -0.25, 0.02]),
    ("thigh_l", Some(1), [0.10, -0.04, 0.0]),
    ("calf_l", Some(15), [0.02, -0.42, 0.0]),
    ("foot_l", Some(16), [0.0, -0.42, -0.02]),
    ("ball_l", Some(17), [0.0, -0.06, 0.13]),
    ("thigh_r", Some(1), [-0.10, -0.04, 0.0]),
    ("calf_r", Some(19), [-0.02, -0.42, 0.0]),
    ("foot_r", Some(20), [0.0, -0.42, -0.02]),
];

/// A person of 1.8 times `scale` units in capsules.
pub fn mannequin(scale: f64) -> Model {
    let joints: Vec<_> = BODY
        .iter()
        .map(|&(name, parent, offset)| (name, parent, offset.map(|c| c * scale)))
        .collect();
    let skeleton = skeleton(&joints);
    let mut pose = vec![DAffine3::IDENTITY; skeleton.len()];
    skeleton.model_pose(&skeleton.rest_pose(), &mut pose);
    let mut mesh = Mesh {
        joints: bind(&skeleton),
        base_color: [0.8, 0.3, 0.2, 1.0],
        ..Mesh::default()
    };
    for (j, joint) in skeleton.joints().iter().enumerate() {
        let Some(parent) = joint.parent.filter(|&p| p != 0) else {
            continue;
        };
        let (a, b) = (pose[parent].translation, pose[j].translation);
        push_capsule(&mut mesh, parent as u16, a, b, radius(&joint.name) * scale);
    }
    let head = pose[6].translation;
    push_capsule(
        &mut mesh,
        6,
        head,
        head + 0.12 * scale * DVec3::Y,
        0.095 * scale,
    );
    Model { skeleton, mesh }
}

fn radius(name: &str) -> f64 {
    match name {
        "spine_01" | "spine_02" => 0.125,
        "chest" => 0.14,
        "neck" => 0.11,
        "head" => 0.055,
        n if n.starts_with("calf") => 0.075,
        n if n.starts_with("thigh") => 0.10,
        n if n.starts_with("clavicle") => 0.09,
        n if n.starts_with("upperarm") => 0.075,
        n if n.starts_with("ball") => 0.05,
        _ => 0.052,
    }
}

fn push_capsule(mesh: &mut Mesh, bone: u16, a: DVec3, b: DVec3, radius: f64) {
    let (rings, sides) = (15_u32, 20_u32);
    let along = (b - a).normalize();
    let (x, z) = along.any_orthonormal_pair();
    let first = mesh.positions.len() as u32;
    for ring in 0..rings {
        let angle = std::f64::consts::PI * (f64::from(ring) / f64::from(rings - 1) - 0.5);
        let end = if ring <= rings / 2 { a } else { b };
        for side in 0..sides {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(side) / f64::from(sides)).sin_cos();
            let normal = (x * sin + z * cos) * angle.cos() + along * angle.sin();
            mesh.positions
                .push((end + normal * radius).as_vec3().to_array());
            mesh.normals.push(normal.as_vec3().to_array());
            mesh.bones.push([bone; 4]);
            mesh.weights.push([1.0, 0.0, 0.0, 0.0]);
        }
    }
    push_tube(&mut mesh.indices, first, rings, sides);
}

/// A stride, for looking at.
pub fn stride(model: &Model) -> Vec<DAffine3> {
    let x = DQuat::from_rotation_x;
    model.pose(|name| match name {
        "thigh_l" => x(-0.45),
        "calf_l" => x(0.25),
        "thigh_r" | "calf_r" => x(0.35),
        "upperarm_l" => x(0.55),
        "upperarm_r" => x(-0.6),
        "lowerarm_l" | "lowerarm_r" => x(-0.5),
        "spine_02" => DQuat::from_rotation_y(0.15),
        _ => DQuat::IDENTITY,
    })
}
