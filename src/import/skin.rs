//! Skins, and the weights that tie vertices to their joints.

use super::accessor::{Accessors, Component};
use super::error::Fault;
use super::fields;
use crate::model::MoreBones;
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

/// What moves each vertex for the viewport: the four bones that do so most and their weights, and the others.
pub(super) type Influences = (Vec<[u16; 4]>, Vec<[f32; 4]>, MoreBones);

/// All weights of each vertex, with sum 1. A vertex without any weight follows bone 0.
pub(super) fn influences(
    attributes: &Value,
    vertices: usize,
    bones: usize,
    data: &Accessors<'_>,
) -> Result<Influences, Fault> {
    let all = weights(attributes, vertices, bones, data)?;
    let mut more = MoreBones::default();
    let four = all.into_iter().enumerate().map(|(vertex, weights)| {
        let sorted = largest_first(weights);
        let (four, others) = sorted.split_at(sorted.len().min(4));
        more.push(vertex, others);
        let of = |k: usize| four.get(k).copied().unwrap_or_default();
        let bones = std::array::from_fn(|k| of(k).0);
        (bones, std::array::from_fn(|k| of(k).1))
    });
    let (bones, weights) = four.unzip();
    Ok((bones, weights, more))
}

/// Reads the sets `JOINTS_n`, `WEIGHTS_n` (up to eight): the bones of each vertex with their positive weights, which
/// sum to 1. None for a vertex without any weight. Weights that are not finite count as 0.
pub(super) fn weights(
    attributes: &Value,
    vertices: usize,
    bones: usize,
    data: &Accessors<'_>,
) -> Result<Vec<Vec<(u16, f32)>>, Fault> {
    let mut all = vec![Vec::new(); vertices];
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
        add_set(&mut all, joints, weights, bones, data)?;
    }
    for weights in &mut all {
        normalise(weights);
    }
    Ok(all)
}

fn add_set(
    all: &mut [Vec<(u16, f32)>],
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
    if joints.count != all.len() || weights.count != all.len() {
        let text = format!("{} weights for {} vertices", weights.count, all.len());
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
        let vertex = &mut all[i / 4];
        match vertex.iter_mut().find(|v| v.0 == bone) {
            Some(known) => known.1 += weight,
            None => vertex.push((bone, weight)),
        }
    }
    Ok(())
}

fn normalise(weights: &mut [(u16, f32)]) {
    let sum: f64 = weights.iter().map(|w| f64::from(w.1)).sum();
    for (_, weight) in weights {
        *weight = (f64::from(*weight) / sum) as f32;
    }
}

fn largest_first(mut weights: Vec<(u16, f32)>) -> Vec<(u16, f32)> {
    weights.sort_by(|a, b| b.1.total_cmp(&a.1));
    if weights.is_empty() {
        weights.push((0, 1.0));
    }
    weights
}
