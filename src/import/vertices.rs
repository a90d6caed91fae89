//! The vertices that joints move, for measuring: those of all meshes of the file, drawn or not.
//!
//! Nothing here stops the clips from loading. A mesh that cannot be read is named in [`Skin::unread`]: what is
//! measured is then said not to be all of the skin. That it is not shown is warned of by [`super::mesh`].

use super::accessor::{Accessors, Component};
use super::error::Fault;
use super::fields;
use super::morph;
use super::nodes::Forest;
use super::skin::{self, Bones};
use crate::model::{Influence, Morph, PartMorph, Skin, SkinPart, UnreadMesh};
use glam::{DMat4, DVec3};
use serde_json::Value;

/// Most influences of all meshes together: a file can show one mesh any number of times.
const MAX_INFLUENCES: usize = 1 << 26;

const BAD: &str = "bad-mesh";

/// Reads the vertices of every node with a mesh that some joint moves, in the order of the nodes.
pub(super) fn read(
    json: &Value,
    data: &Accessors<'_>,
    forest: &Forest<'_>,
    joint_of_node: &[Option<usize>],
) -> Skin {
    let lists = || {
        let list = |name| fields::objects(json, name);
        Ok((list("nodes")?, list("meshes")?, list("skins")?))
    };
    let (nodes, meshes, skins) = match lists() {
        Ok(lists) => lists,
        Err(fault) => {
            let mut found = Skin::default();
            found.unread.push(unread("meshes", &fault));
            return found;
        }
    };
    let reader = Reader {
        data,
        nodes,
        meshes,
        skins,
        joint_of_node,
    };
    let mut found = Skin::default();
    let mut left = MAX_INFLUENCES;
    for &node in forest.order() {
        let name = forest.name(node);
        for part in reader.node(forest, node) {
            let part = part.and_then(|part| {
                let ways = part.morph.moves.iter().map(|m| m.ways.len()).sum::<usize>();
                left = left
                    .checked_sub(part.influences() + ways)
                    .ok_or_else(too_many)?;
                Ok(part)
            });
            match part {
                Ok(mut part) => {
                    part.name.clone_from(&name);
                    found.parts.push(part);
                }
                Err(fault) => found.unread.push(unread(&name, &fault)),
            }
        }
    }
    found.unread.dedup();
    found
}

fn unread(name: &str, fault: &Fault) -> UnreadMesh {
    UnreadMesh {
        name: name.to_owned(),
        why: fault.text.clone(),
    }
}

fn too_many() -> Fault {
    let text = format!("the meshes have more than {MAX_INFLUENCES} weights");
    Fault::new(BAD, "", text)
}

struct Reader<'a> {
    data: &'a Accessors<'a>,
    nodes: &'a [Value],
    meshes: &'a [Value],
    skins: &'a [Value],
    joint_of_node: &'a [Option<usize>],
}

impl Reader<'_> {
    /// The parts of one node; none where it has no mesh, or one that no joint moves.
    fn node(&self, forest: &Forest<'_>, node: usize) -> Vec<Result<SkinPart, Fault>> {
        let n = &forest.nodes()[node];
        let Some(mesh) = n.mesh else {
            return Vec::new();
        };
        let bones = match (n.skin, self.joint_of_node[node]) {
            (Some(skin), _) => skin::read(self.skins, skin, self.data, self.joint_of_node),
            (None, Some(joint)) => Ok(vec![(joint, DMat4::IDENTITY)]),
            (None, None) => return Vec::new(),
        };
        let bones = match bones {
            Ok(bones) => bones,
            Err(fault) => return vec![Err(fault)],
        };
        let shape = self.meshes.get(mesh).unwrap_or(&Value::Null);
        let Some(primitives) = shape.get("primitives").and_then(Value::as_array) else {
            let text = format!("mesh {mesh} has no primitives");
            return vec![Err(Fault::new(BAD, "", text))];
        };
        let skinned = n.skin.is_some();
        let shown_by = (node, self.nodes.get(node).unwrap_or(&Value::Null));
        let read = primitives.iter().map(|p| {
            let morph = |vertices| morph::read(p, vertices, shown_by, shape, self.data);
            self.primitive(p, skinned, &bones, morph)
        });
        read.collect()
    }

    fn primitive(
        &self,
        primitive: &Value,
        skinned: bool,
        bones: &Bones,
        morph: impl FnOnce(usize) -> Result<Option<Morph>, Fault>,
    ) -> Result<SkinPart, Fault> {
        super::mesh::refuse_draco(primitive)?;
        let attributes = primitive.get("attributes").unwrap_or(&Value::Null);
        let positions = self.positions(attributes)?;
        let weights = if skinned {
            skin::weights(attributes, positions.len(), bones.len(), self.data)?
        } else {
            vec![vec![(0, 1.0)]; positions.len()]
        };
        let mut part = SkinPart::default();
        let influence = |&(bone, weight): &(u16, f32), of: &dyn Fn(&DMat4) -> DVec3| {
            let (joint, joint_from_mesh) = &bones[usize::from(bone)];
            Influence {
                // A skeleton has at most 16,384 joints.
                joint: *joint as u16,
                weight,
                place: of(joint_from_mesh).as_vec3().into(),
            }
        };
        for (&position, weights) in positions.iter().zip(&weights) {
            let place = |m: &DMat4| m.transform_point3(position);
            part.push(weights.iter().map(|w| influence(w, &place)));
        }
        let Some(morph) = morph(positions.len())? else {
            return Ok(part);
        };
        part.morph = PartMorph {
            node: Some(morph.node),
            weights: morph.weights,
            moves: Vec::new(),
        };
        for (target, moves) in morph.targets.iter().enumerate() {
            for (vertex, by) in moves {
                let way = |m: &DMat4| m.transform_vector3(glam::Vec3::from(*by).as_dvec3());
                let weights = weights[*vertex as usize].iter();
                let ways = weights.map(|w| influence(w, &way));
                part.push_morph(*vertex, target as u32, ways);
            }
        }
        part.morph.moves.sort_by_key(|m| (m.vertex, m.target));
        Ok(part)
    }

    fn positions(&self, attributes: &Value) -> Result<Vec<DVec3>, Fault> {
        let Some(index) = fields::index(attributes, "POSITION", "")? else {
            return Err(Fault::new(BAD, "", "it has no POSITION"));
        };
        let accessor = self.data.get(index)?;
        if accessor.width != 3 || accessor.component == Component::U32 {
            return Err(accessor.format_fault("one VEC3 a vertex"));
        }
        if accessor.count > MAX_INFLUENCES {
            return Err(too_many());
        }
        let floats = accessor.floats();
        if !floats.iter().all(|x| x.is_finite()) {
            return Err(Fault::new(BAD, "", "positions hold NaN or infinity"));
        }
        let place = |p: &[f32; 3]| glam::Vec3::from(*p).as_dvec3();
        Ok(floats.as_chunks().0.iter().map(place).collect())
    }
}
