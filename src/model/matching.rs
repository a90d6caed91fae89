//! Which joints of two skeletons are the same, and what those of the one move put on the other.

use super::{Influence, Mesh, Skeleton, Skin, SkinPart, UnreadMesh, vertex_place};
use glam::{DAffine3, DMat4, DVec3};
use std::collections::HashMap;

/// Axes of a joint that are shorter than this in the rest pose have no scale to divide by.
const NO_AXIS: f64 = 1e-9;

/// For each joint of `from` that of `to` with the same name. Prefixes up to the last colon, such as `mixamorig:`, and case
/// are forgiven where nothing bears the very name; of several with one name it is the one whose parent is that of the
/// joint's parent. Cost: linear.
pub fn match_joints(from: &Skeleton, to: &Skeleton) -> Vec<Option<usize>> {
    let named = |plain: bool| {
        let mut named: HashMap<String, Vec<usize>> = HashMap::new();
        for (j, joint) in to.joints().iter().enumerate() {
            let name = if plain {
                plain_name(&joint.name)
            } else {
                joint.name.clone()
            };
            named.entry(name).or_default().push(j);
        }
        named
    };
    let (exact, plain) = (named(false), named(true));
    let mut found: Vec<Option<usize>> = Vec::with_capacity(from.len());
    for joint in from.joints() {
        let above = joint.parent.and_then(|p| found[p]);
        let same = exact
            .get(&joint.name)
            .or_else(|| plain.get(&plain_name(&joint.name)));
        found.push(same.and_then(|same| {
            match same.as_slice() {
                [one] => Some(*one),
                many => many
                    .iter()
                    .copied()
                    .find(|&j| to.joints()[j].parent == above),
            }
        }));
    }
    found
}

fn plain_name(name: &str) -> String {
    let own = name.rsplit_once(':').map_or(name, |(_, own)| own);
    own.to_lowercase()
}

/// For each joint of a character the clip's joint that stands for it, and what takes places to that one's space; `None`
/// where neither it nor one above it is there.
type StandIns = Vec<Option<(usize, DAffine3)>>;

/// A character's joints on the skeleton of a clip: what a joint moves that the clip does not have follows the nearest
/// joint above that it has, as in the character's rest pose.
#[derive(Clone, Debug)]
pub struct Fitting<'a> {
    character: &'a Skeleton,
    same: Vec<Option<usize>>,
    stand_ins: StandIns,
}

impl<'a> Fitting<'a> {
    /// By [`match_joints`]. Cost: linear in the joints.
    pub fn new(character: &'a Skeleton, clip: &Skeleton) -> Self {
        let same = match_joints(character, clip);
        let joints = character.joints();
        let mut stand_ins: StandIns = Vec::with_capacity(joints.len());
        for (j, joint) in joints.iter().enumerate() {
            let own = same[j].map(|k| (k, DAffine3::IDENTITY));
            let above = joint.parent.and_then(|p| stand_ins[p]);
            stand_ins.push(own.or_else(|| above.map(|(k, m)| (k, m * joint.rest.matrix()))));
        }
        Self {
            character,
            same,
            stand_ins,
        }
    }

    /// The character's skin on the clip's joints, and the names of the joints that move something and that the clip does
    /// not have. Meshes of which some vertex follows none are told as unread. Morph targets keep the weights that they
    /// have at rest: what moves them is in the character's file. Cost: linear.
    pub fn skin(&self, of: &Skin) -> (Skin, Vec<String>) {
        let mut skin = Skin::default();
        skin.unread.clone_from(&of.unread);
        let mut missing = vec![false; self.same.len()];
        for part in &of.parts {
            match part.at_rest().onto(&self.stand_ins) {
                Some(moved) => skin.parts.push(moved),
                None => skin.unread.push(UnreadMesh {
                    name: part.name.clone(),
                    why: "it follows joints that the clip does not have".into(),
                }),
            }
            for i in (0..part.vertices()).flat_map(|v| part.of_vertex(v)) {
                let joint = usize::from(i.joint);
                if let (Some(None), Some(missing)) = (self.same.get(joint), missing.get_mut(joint))
                {
                    *missing = true;
                }
            }
        }
        let names = self.character.joints().iter().zip(missing);
        let names = names.filter(|(_, missing)| *missing);
        (skin, names.map(|(j, _)| j.name.clone()).collect())
    }

    /// The character's meshes on the clip's joints; those of which some vertex follows none are left out. What morphs
    /// them is in the character's file, so they keep the weights that they have at rest. Cost: linear.
    pub fn meshes(&self, of: &[Mesh]) -> Vec<Mesh> {
        of.iter().filter_map(|mesh| self.mesh(mesh)).collect()
    }

    fn mesh(&self, mesh: &Mesh) -> Option<Mesh> {
        let stand_in = |bone: u16| {
            let (joint, _) = mesh.joints.get(usize::from(bone))?;
            self.stand_ins.get(*joint).copied().flatten()
        };
        let vertices = 0..mesh.positions.len();
        let mut followed = vertices.flat_map(|v| mesh.influences(v).map(|(bone, _)| bone));
        if !followed.all(|bone| stand_in(bone).is_some()) {
            return None;
        }
        let joints = mesh.joints.iter().enumerate().map(|(bone, (_, m))| {
            // A bone that moves nothing may follow whatever there is.
            let (joint, moved) = stand_in(bone as u16).unwrap_or((0, DAffine3::IDENTITY));
            (joint, DMat4::from(moved) * *m)
        });
        let mut moved = Mesh {
            joints: joints.collect(),
            morph: None,
            ..mesh.clone()
        };
        if let Some(morph) = &mesh.morph {
            morph.apply(&morph.weights, &mut moved.positions);
        }
        Some(moved)
    }
}

impl Skin {
    /// What a joint of a clip holds: everything in the prop's rest pose, in one piece. The prop's own origin and axes are
    /// the joint's, and its size is its own: a scale that the joint has in its rest pose is taken out. Cost: linear.
    #[must_use]
    pub fn held_by(&self, prop: &Skeleton, clip: &Skeleton, joint: usize) -> Self {
        let rest = |skeleton: &Skeleton| {
            let mut model = vec![DAffine3::IDENTITY; skeleton.len()];
            skeleton.model_pose(&skeleton.rest_pose(), &mut model);
            model
        };
        let (prop, clip) = (rest(prop), rest(clip));
        let less = less_axes(&clip[joint]);
        let mut skin = Self::default();
        skin.unread.clone_from(&self.unread);
        for part in self.parts.iter().map(SkinPart::at_rest) {
            let mut held = SkinPart::default();
            held.name.clone_from(&part.name);
            for v in 0..part.vertices() {
                let place = vertex_place(part.of_vertex(v), &prop) * less;
                held.push(std::iter::once(Influence {
                    joint: joint as u16,
                    weight: 1.0,
                    place: place.as_vec3().into(),
                }));
            }
            skin.parts.push(held);
        }
        skin
    }
}

/// For each axis of a joint 1 over its length in the model; 1 for one that has none.
pub fn less_axes(rest: &DAffine3) -> DVec3 {
    let m = rest.matrix3;
    let length = DVec3::new(m.x_axis.length(), m.y_axis.length(), m.z_axis.length());
    let part = |l: f64| {
        if l > NO_AXIS && l.is_finite() {
            1.0 / l
        } else {
            1.0
        }
    };
    DVec3::new(part(length.x), part(length.y), part(length.z))
}

impl SkinPart {
    fn onto(&self, stand_in: &[Option<(usize, DAffine3)>]) -> Option<Self> {
        let mut part = Self::default();
        part.name.clone_from(&self.name);
        for v in 0..self.vertices() {
            let moved = self.of_vertex(v).iter().map(|i| {
                let (joint, m) = (*stand_in.get(usize::from(i.joint))?)?;
                let place = m.transform_point3(glam::Vec3::from(i.place).as_dvec3());
                Some(Influence {
                    joint: joint as u16,
                    place: place.as_vec3().into(),
                    ..*i
                })
            });
            let moved: Option<Vec<Influence>> = moved.collect();
            part.push(moved?.into_iter());
        }
        Some(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::Joint;

    fn skeleton(joints: &[(&str, Option<usize>)]) -> Skeleton {
        let joint = |&(name, parent): &(&str, Option<usize>)| Joint {
            name: name.to_owned(),
            parent,
            rest: Transform {
                translation: DVec3::Y,
                ..Transform::IDENTITY
            },
            source_index: 0,
        };
        Skeleton::new(joints.iter().map(joint).collect()).expect("a skeleton")
    }

    #[test]
    fn prefixes_and_case_are_forgiven_and_twins_told_apart_by_their_parents() {
        let from = skeleton(&[
            ("mixamorig:Hips", None),
            ("L", Some(0)),
            ("end", Some(1)),
            ("R", Some(0)),
            ("end", Some(3)),
        ]);
        let to = skeleton(&[
            ("hips", None),
            ("R", Some(0)),
            ("end", Some(1)),
            ("l", Some(0)),
            ("end", Some(3)),
        ]);
        let found = match_joints(&from, &to);
        assert_eq!(found, [Some(0), Some(3), Some(4), Some(1), Some(2)]);
    }

    #[test]
    fn a_prop_keeps_its_size_below_any_scale() {
        let mut blade = SkinPart::default();
        blade.push(std::iter::once(Influence {
            joint: 1,
            weight: 1.0,
            place: [0.0, 0.25, 0.5],
        }));
        let mut skin = Skin::default();
        skin.parts = vec![blade];
        let mut joint = Joint {
            name: "hand".into(),
            parent: None,
            rest: Transform::IDENTITY,
            source_index: 0,
        };
        joint.rest.scale = DVec3::splat(0.01);
        let clip = Skeleton::new(vec![joint]).expect("a joint");
        let held = skin.held_by(&skeleton(&[("sword", None), ("blade", Some(0))]), &clip, 0);
        let mut model = [DAffine3::IDENTITY];
        clip.model_pose(&clip.rest_pose(), &mut model);
        let place = vertex_place(held.parts[0].of_vertex(0), &model);
        assert!((place - DVec3::new(0.0, 2.25, 0.5)).length() < 1e-6);
    }

    #[test]
    fn what_the_clip_has_not_follows_the_joint_above() {
        let character = skeleton(&[("hips", None), ("twist", Some(0))]);
        let clip = skeleton(&[("root", None), ("hips", Some(0))]);
        let mut part = SkinPart::default();
        let place = [1.0, 0.0, 0.0];
        let joint = |joint| Influence {
            joint,
            weight: 1.0,
            place,
        };
        part.push([joint(1)].into_iter());
        let mut skin = Skin::default();
        skin.parts.push(part);
        let (on, missing) = Fitting::new(&character, &clip).skin(&skin);
        assert_eq!(missing, ["twist"]);
        let of = on.parts[0].of_vertex(0)[0];
        assert_eq!((of.joint, of.place), (1, [1.0, 1.0, 0.0]));
        let (none, _) = Fitting::new(&character, &skeleton(&[("other", None)])).skin(&skin);
        assert!(none.parts.is_empty() && none.unread.len() == 1);
    }
}
