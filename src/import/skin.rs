//! Skins, and the weights that tie vertices to their joints.

use super::accessor::{Accessors, Component};
use super::error::Fault;
use super::fields;
use glam::DMat4;
use serde_json::Value;

/// Most sets of four weights a vertex.
const MAX_SETS: usize = 8;

const BAD: &str = "bad-skin";

/// For each bone of a skin: the skeleton's joint, and its `joint_from_mesh` in the bind pose.
pub(super) type Bones = Vec<(usize, DMat4)>;

/// Reads `skins[index]`.
pub(super) fn read(
    skins: &[Value],
    index: usize,
    data: &Accessors<'_>,
    joint_of_node: &[Option<usize>],
) -> Result<Bones, Fault> {
    let place = format!("skin {index}");
    let Some(skin) = skins.get(index) else {
        return Err(Fault::new(BAD, place, "it does not exist"));
    };
    let nodes = fields::indices(skin, "joints", &place)?;
    if nodes.is_empty() || nodes.len() > usize::from(u16::MAX) {
        let text = format!("it has {} joints", nodes.len());
        return Err(Fault::new(BAD, place, text));
    }
    let matrices = match fields::index(skin, "inverseBindMatrices", &place)? {
        Some(accessor) => {
            bind_matrices(data, accessor, nodes.len()).map_err(|f| f.within(&place))?
        }
        None => vec![DMat4::IDENTITY; nodes.len()],
    };
    let joint = |node: usize| {
        let joint = joint_of_node.get(node).copied().flatten();
        joint.ok_or_else(|| Fault::new(BAD, place.clone(), format!("its joint {node} is no node")))
    };
    let bones = nodes.iter().zip(matrices);
    bones.map(|(&node, m)| Ok((joint(node)?, m))).collect()
}

fn bind_matrices(data: &Accessors<'_>, index: usize, joints: usize) -> Result<Vec<DMat4>, Fault> {
    let accessor = data.get(index)?;
    if accessor.width != 16 || accessor.component != Component::F32 {
        return Err(accessor.format_fault("a MAT4 of F32 a joint"));
    }
    if accessor.count < joints || accessor.count > usize::from(u16::MAX) {
        let text = format!("{} bind matrices for {joints} joints", accessor.count);
        return Err(Fault::new(BAD, format!("accessor {index}"), text));
    }
    let floats = accessor.floats();
    if !floats.iter().all(|x| x.is_finite()) {
        return Err(Fault::new(
            BAD,
            format!("accessor {index}"),
            "it holds NaN or infinity",
        ));
    }
    let matrix = |m: &[f32]| DMat4::from_cols_array(&std::array::from_fn(|i| f64::from(m[i])));
    Ok(floats.chunks_exact(16).map(matrix).collect())
}

/// What moves each vertex: four bones and their weights.
pub(super) type Influences = (Vec<[u16; 4]>, Vec<[f32; 4]>);

/// Reads the sets `JOINTS_n`, `WEIGHTS_n` (up to eight) and keeps the four largest weights of each vertex, with sum 1.
/// A vertex without any weight follows bone 0.
pub(super) fn influences(
    attributes: &Value,
    vertices: usize,
    bones: usize,
    data: &Accessors<'_>,
) -> Result<Influences, Fault> {
    let mut best = vec![[(0_u16, 0.0_f32); 4]; vertices];
    for set in 0..MAX_SETS {
        let (joints, weights) = (format!("JOINTS_{set}"), format!("WEIGHTS_{set}"));
        let (Some(joints), Some(weights)) = (
            fields::index(attributes, &joints, "")?,
            fields::index(attributes, &weights, "")?,
        ) else {
            if set == 0 {
                return Err(Fault::new(BAD, "", "it has no JOINTS_0 and WEIGHTS_0"));
            }
            break;
        };
        add_set(&mut best, joints, weights, bones, data)?;
    }
    Ok(best.into_iter().map(normalised).unzip())
}

fn add_set(
    best: &mut [[(u16, f32); 4]],
    joints: usize,
    weights: usize,
    bones: usize,
    data: &Accessors<'_>,
) -> Result<(), Fault> {
    let (joints, weights) = (data.get(joints)?, data.get(weights)?);
    let float = weights.component == Component::F32 || weights.normalized;
    if joints.width != 4 || weights.width != 4 || !float {
        return Err(weights.format_fault("four bones and four weights a vertex"));
    }
    if joints.count != best.len() || weights.count != best.len() {
        let text = format!("{} weights for {} vertices", weights.count, best.len());
        return Err(Fault::new(BAD, "", text));
    }
    let (joints, weights) = (joints.uints()?, weights.floats());
    for (i, (&joint, &weight)) in joints.iter().zip(&weights).enumerate() {
        if !(weight > 0.0 && weight.is_finite()) {
            continue;
        }
        let Some(bone) = u16::try_from(joint)
            .ok()
            .filter(|&b| usize::from(b) < bones)
        else {
            let text = format!("vertex {} follows bone {joint} of {bones}", i / 4);
            return Err(Fault::new(BAD, "", text));
        };
        insert(&mut best[i / 4], bone, weight);
    }
    Ok(())
}

/// Keeps the four largest, largest first.
fn insert(best: &mut [(u16, f32); 4], bone: u16, weight: f32) {
    let Some(at) = best.iter().position(|b| weight > b.1) else {
        return;
    };
    best[at..].rotate_right(1);
    best[at] = (bone, weight);
}

fn normalised(best: [(u16, f32); 4]) -> ([u16; 4], [f32; 4]) {
    let sum: f64 = best.iter().map(|b| f64::from(b.1)).sum();
    let weights = if sum > 0.0 {
        best.map(|b| (f64::from(b.1) / sum) as f32)
    } else {
        [1.0, 0.0, 0.0, 0.0]
    };
    (best.map(|b| b.0), weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_largest_weights_are_kept_and_sum_to_one() {
        let mut best = [(0, 0.0); 4];
        for (bone, weight) in [(1, 0.1), (2, 0.4), (3, 0.2), (4, 0.2), (5, 0.2), (6, 0.01)] {
            insert(&mut best, bone, weight);
        }
        let (bones, weights) = normalised(best);
        assert_eq!(bones, [2, 3, 4, 5]);
        assert!((weights[0] - 0.4).abs() < 1e-6);
        assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert_eq!(normalised([(0, 0.0); 4]), ([0; 4], [1.0, 0.0, 0.0, 0.0]));
    }
}
