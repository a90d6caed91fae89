//! Morph targets of the meshes that are drawn: how far each moves which vertex.

use super::accessor::{Accessors, Component};
use super::error::Fault;
use super::fields;
use crate::model::Morph;
use serde_json::Value;

/// Reads the targets of a primitive with so many vertices, and their weights at rest: the node's, else the mesh's, else 0.
/// `None` for one that has no target.
pub(super) fn read(
    primitive: &Value,
    vertices: usize,
    (index, node): (usize, &Value),
    mesh: &Value,
    data: &Accessors<'_>,
) -> Result<Option<Morph>, Fault> {
    let targets = fields::list(primitive, "targets", "")?;
    if targets.is_empty() {
        return Ok(None);
    }
    let moved = targets.iter().map(|target| moved(target, vertices, data));
    let targets: Vec<_> = moved.collect::<Result<_, _>>()?;
    let rest = node.get("weights").or_else(|| mesh.get("weights"));
    let rest = rest
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let weight = |i: usize| rest.get(i).and_then(Value::as_f64).unwrap_or(0.0) as f32;
    Ok(Some(Morph {
        node: index,
        weights: (0..targets.len()).map(weight).collect(),
        targets,
    }))
}

/// Vertices that a target gives, with their way; those that it leaves where they are are left out.
fn moved(
    target: &Value,
    vertices: usize,
    data: &Accessors<'_>,
) -> Result<Vec<(u32, [f32; 3])>, Fault> {
    let Some(index) = fields::index(target, "POSITION", "")? else {
        return Ok(Vec::new());
    };
    let accessor = data.get(index)?;
    if accessor.width != 3 || accessor.component == Component::U32 || accessor.count != vertices {
        return Err(accessor.format_fault("one VEC3 a vertex"));
    }
    let floats = accessor.floats();
    let ways = floats.as_chunks::<3>().0.iter().zip(0..);
    let counts = |by: &[f32; 3]| *by != [0.0; 3] && by.iter().all(|c| c.is_finite());
    Ok(ways
        .filter(|(by, _)| counts(by))
        .map(|(by, vertex)| (vertex, *by))
        .collect())
}
