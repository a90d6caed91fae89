//! The vertices that joints move, for measuring: those of all meshes of the file, drawn or not.
//!
//! Nothing here stops the clips from loading. A mesh that cannot be read is named in [`Skin::unread`]: what is
//! measured is then said not to be all of the skin. That it is not shown is warned of by [`super::mesh`].

use super::accessor::{Accessors, Component};
use super::error::Fault;
use super::fields;
use super::nodes::Forest;
use super::skin::{self, Bones};
use crate::model::{Influence, Skin, SkinPart, UnreadMesh};
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
    let lists =
        fields::objects(json, "meshes").and_then(|m| Ok((m, fields::objects(json, "skins")?)));
    let (meshes, skins) = match lists {
        Ok(lists) => lists,
        Err(fault) => {
            let mut found = Skin::default();
            found.unread.push(unread("meshes", &fault));
            return found;
        }
    };
    let reader = Reader {
        data,
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
                left = left.checked_sub(part.influences()).ok_or_else(too_many)?;
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
        let primitives = self.meshes.get(mesh).and_then(|m| m.get("primitives"));
        let Some(primitives) = primitives.and_then(Value::as_array) else {
            let text = format!("mesh {mesh} has no primitives");
            return vec![Err(Fault::new(BAD, "", text))];
        };
        let skinned = n.skin.is_some();
        let read = primitives
            .iter()
            .map(|p| self.primitive(p, skinned, &bones));
        read.collect()
    }

    fn primitive(
        &self,
        primitive: &Value,
        skinned: bool,
        bones: &Bones,
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
        for (position, weights) in positions.into_iter().zip(weights) {
            let influences = weights.into_iter().map(|(bone, weight)| {
                let (joint, joint_from_mesh) = bones[usize::from(bone)];
                Influence {
                    // A skeleton has at most 16,384 joints.
                    joint: joint as u16,
                    weight,
                    place: joint_from_mesh.transform_point3(position).as_vec3().into(),
                }
            });
            part.push(influences);
        }
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
