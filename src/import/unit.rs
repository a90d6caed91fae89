//! How many metres one unit of a file is: a guess from the size of what it shows.

use crate::model::{Mesh, Skeleton};
use glam::{DAffine3, DMat4, DVec3, Vec3};

/// Vertices of a mesh that are looked at.
const SAMPLES: usize = 2000;

/// A guess and the sentence that explains it (empty for 1).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unit {
    pub metres: f64,
    pub reason: String,
}

/// Guesses from the largest side of the box around the character in its rest pose.
///
/// glTF says metres, and 5 cm to 20 m is taken at its word. Larger: 20 to 600 units read as centimetres
/// (a 150-unit fox, a 180-unit man), beyond that as millimetres up to 20,000. Smaller: exporters that
/// turn centimetres into metres twice leave a man 18 mm tall, so 0.5 mm to 5 mm and 5 mm to 5 cm read
/// as units of 1000 m and 100 m: should it be a real ant, a tolerance in millimetres is merely tighter
/// than needed, while the opposite error would flatten the motion. What fits nothing stays at 1.
pub(super) fn guess(skeleton: &Skeleton, skin_joints: &[usize], meshes: &[Mesh]) -> Unit {
    let size = size(skeleton, skin_joints, meshes);
    let (metres, what) = match size {
        s if (0.0005..0.005).contains(&s) => (1000.0, "kilometres, from millimetres scaled twice"),
        s if (0.005..0.05).contains(&s) => (100.0, "units of 100 m, from centimetres scaled twice"),
        s if (20.0..600.0).contains(&s) => (0.01, "centimetres"),
        s if (600.0..20_000.0).contains(&s) => (0.001, "millimetres"),
        _ => (1.0, ""),
    };
    let reason = if what.is_empty() {
        String::new()
    } else {
        format!(
            "the character is {} units across, so the file seems to be in {what}",
            rounded(size)
        )
    };
    Unit { metres, reason }
}

/// Three digits are enough to recognise a model by.
fn rounded(size: f64) -> String {
    if size >= 10.0 {
        format!("{size:.0}")
    } else {
        format!("{size:.4}")
    }
}

/// The largest side of the box around the skinned meshes; of all meshes, or of the joints, where
/// there are none.
fn size(skeleton: &Skeleton, skin_joints: &[usize], meshes: &[Mesh]) -> f64 {
    let mut model = vec![DAffine3::IDENTITY; skeleton.len()];
    skeleton.model_pose(&skeleton.rest_pose(), &mut model);
    let skinned = |m: &&Mesh| m.joints.len() > 1;
    let of_skinned = side(
        meshes
            .iter()
            .filter(skinned)
            .flat_map(|m| vertices(m, &model)),
    );
    if of_skinned > 0.0 {
        return of_skinned;
    }
    let place = |j: &usize| model[*j].translation;
    let of_skin_joints = side(skin_joints.iter().map(place));
    if of_skin_joints > 0.0 {
        return of_skin_joints;
    }
    let of_meshes = side(meshes.iter().flat_map(|m| vertices(m, &model)));
    if of_meshes > 0.0 {
        return of_meshes;
    }
    side(model.iter().map(|m| m.translation))
}

/// Some vertices of a mesh, where the rest pose puts them.
fn vertices<'a>(mesh: &'a Mesh, model: &'a [DAffine3]) -> impl Iterator<Item = DVec3> + 'a {
    let step = mesh.positions.len().div_ceil(SAMPLES).max(1);
    let skin: Vec<DMat4> = mesh
        .joints
        .iter()
        .map(|&(joint, joint_from_mesh)| DMat4::from(model[joint]) * joint_from_mesh)
        .collect();
    (0..mesh.positions.len()).step_by(step).map(move |i| {
        let p = Vec3::from(mesh.positions[i]).as_dvec3();
        let moved = |k: usize| {
            let weight = f64::from(mesh.weights[i][k]);
            weight * skin[usize::from(mesh.bones[i][k])].transform_point3(p)
        };
        (0..4).map(moved).sum()
    })
}

fn side(points: impl Iterator<Item = DVec3>) -> f64 {
    let mut low = DVec3::INFINITY;
    let mut high = DVec3::NEG_INFINITY;
    for p in points.filter(|p| p.is_finite()) {
        low = low.min(p);
        high = high.max(p);
    }
    (high - low).max_element().max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::Joint;

    fn of_height(height: f64) -> Unit {
        let joint = |parent, y| Joint {
            name: String::new(),
            parent,
            rest: Transform {
                translation: DVec3::new(0.0, y, 0.0),
                ..Transform::IDENTITY
            },
            source_index: 0,
        };
        let skeleton = Skeleton::new(vec![joint(None, 0.0), joint(Some(0), height)]).unwrap();
        guess(&skeleton, &[0, 1], &[])
    }

    #[test]
    fn people_and_foxes_get_their_unit() {
        for (height, metres) in [
            (1.8, 1.0),
            (0.2, 1.0),
            (4.0, 1.0),
            (150.0, 0.01),
            (180.0, 0.01),
            (1800.0, 0.001),
            (0.018, 100.0),
            (0.0018, 1000.0),
            (0.0, 1.0),
            (1e9, 1.0),
        ] {
            let unit = of_height(height);
            assert_eq!(unit.metres, metres, "{height}");
            assert_eq!(unit.reason.is_empty(), metres == 1.0);
        }
        let reason = of_height(150.0).reason;
        assert!(reason.contains("150 units") && reason.contains("centimetres"));
    }
}
