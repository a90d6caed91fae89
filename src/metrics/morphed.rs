//! Vertices that morph targets move: where they are depends on weights as well as on joints.
//!
//! There are few of them, and what moves one is not bounded by its joints, so each is computed, two poses at a time.

use super::measure::Options;
use crate::model::{Clip, Influence, SkinPart, VertexId, VertexMorph, is_left_out, owner};
use glam::{DAffine3, DVec3, Vec3};

/// Where a weight comes from.
#[derive(Clone, Copy, Debug)]
struct Weight {
    /// Index into the clip's float curves, if one moves it.
    curve: Option<usize>,
    rest: f32,
}

/// One vertex.
#[derive(Clone, Debug)]
struct MorphedVertex {
    id: VertexId,
    /// The joint that moves it most.
    owner: usize,
    influences: Vec<Influence>,
    /// Index into the weights, and the way that weight takes it in the space of each influence.
    ways: Vec<(usize, Vec<Vec3>)>,
}

/// All vertices of a clip that morph targets with a weight may move.
#[derive(Clone, Debug, Default)]
pub(super) struct Morphed {
    weights: Vec<Weight>,
    vertices: Vec<MorphedVertex>,
}

/// All that places vertices.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Model matrices, one a joint.
    pub model: &'a [DAffine3],
    /// Values of the clip's float curves, one a curve.
    pub curves: &'a [f32],
}

/// Whether a part has morph targets that a clip moves, or that have a weight at rest.
pub(super) fn is_morphed(clip: &Clip, part: &SkinPart) -> bool {
    let morph = &part.morph;
    let weights = 0..morph.weights.len();
    let mut used = weights.map(|i| weight(clip, part, i));
    !morph.moves.is_empty() && used.any(|w| w.curve.is_some() || w.rest != 0.0)
}

fn weight(clip: &Clip, part: &SkinPart, target: usize) -> Weight {
    let mine = part.morph.node.map(|node| (node, target));
    let mut scalars = clip.scalars().iter();
    let is_it = |m: crate::model::MorphWeight| Some((m.node, m.index)) == mine;
    Weight {
        curve: scalars.position(|s| s.morph.is_some_and(is_it)),
        rest: part.morph.weights[target],
    }
}

impl Morphed {
    /// Those of the parts that count.
    pub(super) fn new(clip: &Clip, options: &Options) -> Self {
        let joints = clip.skeleton().len();
        let mut found = Self::default();
        for (p, part) in clip.skin().parts.iter().enumerate() {
            if is_left_out(&options.left_out, &part.name) || !is_morphed(clip, part) {
                continue;
            }
            let first = found.weights.len();
            let targets = 0..part.morph.weights.len();
            found.weights.extend(targets.map(|i| weight(clip, part, i)));
            for moves in part.morph.moves.chunk_by(|a, b| a.vertex == b.vertex) {
                let vertex = moves[0].vertex;
                let influences = part.of_vertex(vertex as usize);
                let Some(owner) = owner(influences).filter(|&j| j < joints) else {
                    continue;
                };
                let id = VertexId {
                    part: p as u32,
                    vertex,
                };
                let way = |m: &VertexMorph| {
                    let ways = m.ways.iter().map(|w| Vec3::from(*w)).collect();
                    (first + m.target as usize, ways)
                };
                found.vertices.push(MorphedVertex {
                    id,
                    owner,
                    influences: influences.to_vec(),
                    ways: moves.iter().map(way).collect(),
                });
            }
        }
        found
    }

    pub(super) fn is_empty(&self) -> bool {
        self.vertices.is_empty()
    }

    /// For each vertex the joint that moves it most, and which it is.
    pub(super) fn owners(&self) -> impl Iterator<Item = (usize, VertexId)> + '_ {
        self.vertices.iter().map(|v| (v.owner, v.id))
    }

    /// The joints that move any.
    pub(super) fn movers(&self) -> impl Iterator<Item = usize> + '_ {
        let influences = self.vertices.iter().flat_map(|v| &v.influences);
        influences.map(|i| usize::from(i.joint))
    }

    /// How far morph targets take a vertex, source units of the model.
    pub(super) fn way(&self, id: VertexId, shape: Shape<'_>) -> DVec3 {
        let (weights, none) = (self.weights_of(shape), vec![0.0; self.weights.len()]);
        let vertex = self.vertices.iter().find(|v| v.id == id);
        vertex.map_or(DVec3::ZERO, |v| {
            v.by_targets([shape.model; 2], [&weights, &none])
        })
    }

    fn weights_of(&self, shape: Shape<'_>) -> Vec<f64> {
        let of = |w: &Weight| {
            let moved = w.curve.and_then(|c| shape.curves.get(c).copied());
            f64::from(moved.unwrap_or(w.rest))
        };
        self.weights.iter().map(of).collect()
    }

    /// How far each vertex is displaced by what matrices differ by, as if no target moved it.
    pub(super) fn unmorphed(&self, deltas: &[DAffine3]) -> impl Iterator<Item = DVec3> {
        self.vertices
            .iter()
            .map(move |v| by_joints(&v.influences, deltas))
    }

    /// How far each vertex is from where it should be, metres. `deltas` are what the model matrices of the two differ by,
    /// in metres a source unit, and metres.
    pub(super) fn displaced(
        &self,
        got: Shape<'_>,
        want: Shape<'_>,
        deltas: &[DAffine3],
        unit_m: f64,
    ) -> Vec<DVec3> {
        let weights = [self.weights_of(got), self.weights_of(want)];
        let displaced = |v: &MorphedVertex| {
            let by_targets = v.by_targets([got.model, want.model], [&weights[0], &weights[1]]);
            by_joints(&v.influences, deltas) + by_targets * unit_m
        };
        self.vertices.iter().map(displaced).collect()
    }

    /// The largest distance that a change of any one weight by 1 takes a vertex in a pose, source units.
    pub(super) fn longest_way(&self, model: &[DAffine3]) -> f64 {
        let mut longest = 0.0_f64;
        for v in &self.vertices {
            for (_, ways) in &v.ways {
                let parts = v.influences.iter().zip(ways).filter_map(|(i, way)| {
                    let m = model.get(usize::from(i.joint))?;
                    Some(m.matrix3 * way.as_dvec3() * f64::from(i.weight))
                });
                longest = longest.max(parts.sum::<DVec3>().length());
            }
        }
        longest
    }
}

impl MorphedVertex {
    /// What targets with the first weights do to it in the first pose, less what the others do in the second.
    fn by_targets(&self, [got, want]: [&[DAffine3]; 2], [a, b]: [&[f64]; 2]) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for (target, ways) in &self.ways {
            let (a, b) = (a[*target], b[*target]);
            if a == 0.0 && b == 0.0 {
                continue;
            }
            for (i, way) in self.influences.iter().zip(ways) {
                let (joint, way) = (usize::from(i.joint), way.as_dvec3());
                if let (Some(got), Some(want)) = (got.get(joint), want.get(joint)) {
                    let moved = got.matrix3 * way * a - want.matrix3 * way * b;
                    sum += moved * f64::from(i.weight);
                }
            }
        }
        sum
    }
}

fn by_joints(influences: &[Influence], deltas: &[DAffine3]) -> DVec3 {
    let moved = influences.iter().filter_map(|i| {
        let place = Vec3::from(i.place).as_dvec3();
        let delta = deltas.get(usize::from(i.joint))?;
        Some(delta.transform_point3(place) * f64::from(i.weight))
    });
    moved.sum()
}
