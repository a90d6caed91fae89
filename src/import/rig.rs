//! Which nodes become joints, and in which order.

use super::error::Fault;
use super::fields;
use super::nodes::Forest;
use super::targets::{self, Target};
use crate::model::{Issues, Joint, MAX_JOINTS, Skeleton};
use serde_json::Value;

/// A skeleton, and which of its joints each node is.
pub(super) struct Rig {
    pub skeleton: Skeleton,
    /// For each node, its joint.
    pub joint_of_node: Vec<Option<usize>>,
    /// Joints that some skin names.
    pub skin_joints: Vec<usize>,
}

/// What the file's skins and animations say about a node.
#[derive(Clone, Copy, Default)]
struct Use {
    skinned: bool,
    moved: bool,
    morphed: bool,
}

/// Finds the joints; `None` when nothing in the file is skinned or animated.
///
/// Joints are all nodes of every tree in which a node is a skin's joint or has an animated transform,
/// but for static nodes at an end that only carry a skinned mesh (glTF ignores their transform).
/// A file that animates nothing but morph weights has the trees of those nodes for its skeleton.
pub(super) fn rig(
    json: &Value,
    forest: &Forest<'_>,
    issues: &mut Issues,
) -> Result<Option<Rig>, Fault> {
    let uses = uses(json, forest)?;
    let mut chosen = trees(forest, &uses, |u| u.skinned || u.moved);
    if !chosen.contains(&true) {
        chosen = trees(forest, &uses, |u| u.morphed);
    }
    let nodes = forest.nodes();
    let joint_nodes: Vec<usize> = forest
        .order()
        .iter()
        .copied()
        .filter(|&i| chosen[nodes[i].root] && !only_carries_skin(forest, i, uses[i]))
        .collect();
    if joint_nodes.is_empty() {
        return Ok(None);
    }
    build(forest, &uses, &joint_nodes, issues).map(Some)
}

/// Every node is a joint, whether something moves or not; `None` where there is no node.
pub(super) fn whole(
    json: &Value,
    forest: &Forest<'_>,
    issues: &mut Issues,
) -> Result<Option<Rig>, Fault> {
    if forest.order().is_empty() {
        return Ok(None);
    }
    build(forest, &uses(json, forest)?, forest.order(), issues).map(Some)
}

fn build(
    forest: &Forest<'_>,
    uses: &[Use],
    joint_nodes: &[usize],
    issues: &mut Issues,
) -> Result<Rig, Fault> {
    if joint_nodes.len() > MAX_JOINTS {
        let text = format!(
            "{} nodes belong to animated or skinned trees, more than the {MAX_JOINTS} joints that a clip can have",
            joint_nodes.len()
        );
        return Err(Fault::new("too-many-joints", "nodes", text)
            .hint("remove unused nodes, or split the scene into several files"));
    }
    let mut joint_of_node = vec![None; forest.nodes().len()];
    let mut joints = Vec::with_capacity(joint_nodes.len());
    let mut skin_joints = Vec::new();
    for (j, &i) in joint_nodes.iter().enumerate() {
        joint_of_node[i] = Some(j);
        if uses[i].skinned {
            skin_joints.push(j);
        }
        let node = &forest.nodes()[i];
        if fields::has_long_name(node.json) {
            let text = format!("its name was cut to {} characters", fields::MAX_NAME);
            issues.warn("name-long", forest.place(i), text);
        }
        joints.push(Joint {
            name: forest.name(i),
            parent: node.parent.and_then(|p| joint_of_node[p]),
            rest: forest.rest(i, issues)?,
            source_index: i,
        });
    }
    let skeleton =
        Skeleton::new(joints).map_err(|e| Fault::new("bad-skeleton", "nodes", e.to_string()))?;
    Ok(Rig {
        skeleton,
        joint_of_node,
        skin_joints,
    })
}

/// A leaf that nothing moves and that is there for its skinned mesh alone.
fn only_carries_skin(forest: &Forest<'_>, index: usize, usage: Use) -> bool {
    let node = &forest.nodes()[index];
    let carries = node.mesh.is_some() && node.skin.is_some();
    carries && node.is_leaf() && !usage.moved && !usage.skinned
}

/// For each node: whether it is the top of a tree in which some node is used as wanted.
fn trees(forest: &Forest<'_>, uses: &[Use], wanted: impl Fn(Use) -> bool) -> Vec<bool> {
    let mut chosen = vec![false; uses.len()];
    for (node, &usage) in forest.nodes().iter().zip(uses) {
        if wanted(usage) {
            chosen[node.root] = true;
        }
    }
    chosen
}

fn uses(json: &Value, forest: &Forest<'_>) -> Result<Vec<Use>, Fault> {
    let mut uses = vec![Use::default(); forest.nodes().len()];
    for (i, skin) in fields::objects(json, "skins")?.iter().enumerate() {
        for joint in fields::indices(skin, "joints", &format!("skin {i}"))? {
            // A joint that does not exist is reported with the mesh that needs it.
            if let Some(u) = uses.get_mut(joint) {
                u.skinned = true;
            }
        }
    }
    for (i, animation) in fields::objects(json, "animations")?.iter().enumerate() {
        for channel in fields::list(animation, "channels", &format!("animation {i}"))? {
            match targets::target(channel, forest) {
                Ok(Target::Joint(node, _)) => uses[node].moved = true,
                Ok(Target::Weights(node) | Target::Weight(node, _)) => uses[node].morphed = true,
                Err(_) => {}
            }
        }
    }
    Ok(uses)
}
