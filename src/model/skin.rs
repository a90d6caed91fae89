//! What joints move: the vertices of meshes, skinned or rigid, as glTF 2.0 defines their places.

use super::{Surface, name_matches, pattern_of};
use glam::DAffine3;
use std::sync::{Arc, Mutex, PoisonError};

/// One joint's say in the place of a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Influence {
    /// Index into the skeleton.
    pub joint: u16,
    /// Positive; those of a vertex have the sum 1.
    pub weight: f32,
    /// The vertex as the joint sees it, in the joint's space: the inverse bind matrix times its position, source units.
    pub place: [f32; 3],
}

impl Influence {
    /// Both by the same joint: their weights, at the mean of their places.
    fn and(&self, other: &Self) -> Self {
        let weight = self.weight + other.weight;
        let part = other.weight / weight;
        let place = |k: usize| self.place[k] + part * (other.place[k] - self.place[k]);
        Self {
            weight,
            place: std::array::from_fn(place),
            ..*self
        }
    }
}

/// How far a morph target of weight 1 takes a vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexMorph {
    /// Index of the vertex.
    pub vertex: u32,
    /// Index of the target.
    pub target: u32,
    /// For each influence of the vertex the way in its joint's space, source units.
    pub ways: Vec<[f32; 3]>,
}

/// The morph targets of a part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartMorph {
    /// The node in the source file whose weights count; `None` for a mesh of another file, which no clip morphs.
    pub node: Option<usize>,
    /// Weight of each target where nothing moves it.
    pub weights: Vec<f32>,
    /// Vertex by vertex, then target by target; what a target leaves in its place is not in it.
    pub moves: Vec<VertexMorph>,
}

/// The vertices of one primitive of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinPart {
    /// Name of the node that carries the mesh.
    pub name: String,
    /// Of all vertices, one after the other; a joint stands at most once for a vertex.
    influences: Vec<Influence>,
    /// For each vertex the index behind its last influence.
    ends: Vec<u32>,
    /// What morphs do to its vertices; no moves where none does.
    pub morph: PartMorph,
}

/// Adds influences to those of a vertex; a joint that comes twice, as two bones of a skin, becomes one.
fn add(all: &mut Vec<Influence>, influences: impl Iterator<Item = Influence>) {
    let first = all.len();
    for one in influences {
        let mut known = all[first..].iter_mut();
        match known.find(|k| k.joint == one.joint) {
            Some(known) => *known = known.and(&one),
            None => all.push(one),
        }
    }
}

impl SkinPart {
    /// Adds a vertex with what moves it; a joint that comes twice, as two bones of a skin, becomes one.
    pub fn push(&mut self, influences: impl Iterator<Item = Influence>) {
        add(&mut self.influences, influences);
        self.ends.push(self.influences.len() as u32);
    }

    /// Adds what a target does to a vertex that was pushed: the influences that it was pushed with, with ways in place of
    /// places.
    pub fn push_morph(&mut self, vertex: u32, target: u32, ways: impl Iterator<Item = Influence>) {
        let mut merged = Vec::new();
        add(&mut merged, ways);
        self.morph.moves.push(VertexMorph {
            vertex,
            target,
            ways: merged.iter().map(|i| i.place).collect(),
        });
    }

    /// The same with its morph targets as they are at rest, for good. Cost: linear.
    #[must_use]
    pub fn at_rest(&self) -> Self {
        let mut part = self.clone();
        let morph = std::mem::take(&mut part.morph);
        for m in &morph.moves {
            let weight = morph.weights.get(m.target as usize).copied();
            let weight = weight.unwrap_or(0.0);
            let vertex = m.vertex as usize;
            let start = vertex.checked_sub(1).map_or(0, |v| self.ends[v]) as usize;
            let influences = &mut part.influences[start..self.ends[vertex] as usize];
            for (influence, way) in influences.iter_mut().zip(&m.ways) {
                for (place, way) in influence.place.iter_mut().zip(way) {
                    *place += weight * way;
                }
            }
        }
        part
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.ends.len()
    }

    /// Number of influences of all vertices.
    pub fn influences(&self) -> usize {
        self.influences.len()
    }

    /// What moves one vertex; empty where nothing does, and for a vertex that is not there.
    pub fn of_vertex(&self, vertex: usize) -> &[Influence] {
        let Some(&end) = self.ends.get(vertex) else {
            return &[];
        };
        let start = vertex.checked_sub(1).map_or(0, |v| self.ends[v]);
        &self.influences[start as usize..end as usize]
    }
}

/// A mesh that is there and whose vertices are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadMesh {
    /// Name of the node that carries it.
    pub name: String,
    /// Why, as a clause: `it is packed with Draco compression`.
    pub why: String,
}

/// All vertices that the joints of a skeleton move: the thing whose error an eye sees.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    /// Those that could be read.
    pub parts: Vec<SkinPart>,
    /// Those that could not; what is said of the skin is then not said of all of it.
    pub unread: Vec<UnreadMesh>,
    last: LastSurface,
}

/// The surface that was asked for last, with what was left out of it. No part of what a skin is.
#[derive(Debug, Default)]
struct LastSurface(Mutex<Option<(Without, Arc<Surface>)>>);

/// What is left out of a surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Without {
    /// Meshes, by names or patterns of names.
    pub meshes: Vec<String>,
    /// For each part, in their order, whether its vertices that morph targets move are; empty where none are.
    pub morphed: Vec<bool>,
}

impl Clone for LastSurface {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for LastSurface {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Skin {
    /// Number of vertices of all parts.
    pub fn vertices(&self) -> usize {
        self.parts.iter().map(SkinPart::vertices).sum()
    }

    /// The vertices laid out for a skeleton of so many joints, without some; kept until another is asked for. Cost, once:
    /// some microseconds a vertex.
    pub fn surface(&self, joints: usize, without: &Without) -> Arc<Surface> {
        let mut last = self.last.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, surface)) = &*last
            && known == without
            && surface.joints() == joints
        {
            return surface.clone();
        }
        let counts = |p: usize| {
            let part = &self.parts[p];
            let left_out = is_left_out(&without.meshes, &part.name);
            let morphed = without.morphed.get(p).copied().unwrap_or(false);
            let mut moved = vec![false; if morphed { part.vertices() } else { 0 }];
            for m in part.morph.moves.iter().filter(|_| morphed) {
                moved[m.vertex as usize] = true;
            }
            move |v: usize| !left_out && !moved.get(v).copied().unwrap_or(false)
        };
        let surface = Arc::new(Surface::new(self, joints, counts));
        *last = Some((without.clone(), surface.clone()));
        surface
    }

    /// Whether joints move no mesh at all, read or not.
    pub fn is_empty(&self) -> bool {
        self.parts.iter().all(|p| p.vertices() == 0) && self.unread.is_empty()
    }

    /// The names of all meshes, each once, in their order.
    pub fn names(&self) -> Vec<&str> {
        let parts = self.parts.iter().map(|p| p.name.as_str());
        let mut names: Vec<&str> = Vec::new();
        for name in parts.chain(self.unread.iter().map(|u| u.name.as_str())) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

/// Whether a mesh of this name is one of those that do not count, which are names or patterns of them.
pub fn is_left_out(left_out: &[String], name: &str) -> bool {
    left_out.iter().any(|pattern| name_matches(pattern, name))
}

/// Patterns of meshes that do not count, once one of `names` is to count or not; what they say of the others stays.
pub fn left_out_with(left_out: &[String], names: &[&str], name: &str, counts: bool) -> Vec<String> {
    let mut now = left_out.to_vec();
    if !counts {
        if !is_left_out(&now, name) {
            now.push(pattern_of(name));
        }
        return now;
    }
    now.retain(|pattern| !name_matches(pattern, name));
    for other in names {
        let own = pattern_of(other);
        let went = is_left_out(left_out, other) && !is_left_out(&now, other);
        if went && !name_matches(&own, name) {
            now.push(own);
        }
    }
    now
}

/// Where matrices of all joints put a vertex.
pub fn vertex_place(influences: &[Influence], model: &[DAffine3]) -> glam::DVec3 {
    let moved = influences.iter().map(|i| {
        let place = glam::Vec3::from(i.place).as_dvec3();
        let joint = model.get(usize::from(i.joint));
        joint.map_or(glam::DVec3::ZERO, |m| m.transform_point3(place)) * f64::from(i.weight)
    });
    moved.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mesh_comes_back_alone_from_a_pattern_of_many() {
        let names = ["Body", "LOD1", "LOD2", "LOD*"];
        let all = ["lod*".to_owned()];
        let without = left_out_with(&all, &names, "LOD1", true);
        assert_eq!(without, ["LOD2", "LOD\\*"]);
        let again = left_out_with(&without, &names, "LOD1", false);
        assert_eq!(again, ["LOD2", "LOD\\*", "LOD1"]);
        assert_eq!(left_out_with(&again, &names, "LOD1", false), again);
        assert_eq!(left_out_with(&all, &names, "LOD*", true), ["LOD1", "LOD2"]);
    }
}
