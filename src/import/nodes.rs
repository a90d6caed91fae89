//! The node graph: parents, cycles, order. Everything walks with an explicit stack, so that neither a
//! deep chain nor a wide diamond of nodes costs more than its length.

use super::decompose::decompose;
use super::error::Fault;
use super::fields;
use crate::math::Transform;
use crate::model::Issues;
use glam::{DMat4, DQuat, DVec3};
use serde_json::Value;

/// Most nodes of a file.
pub(super) const MAX_NODES: usize = 1_000_000;

/// How far a matrix may be from its decomposition before it is worth a word.
const SHEAR_LIMIT: f64 = 1e-4;

const INVALID: &str = "the file is not valid glTF 2.0; export it again";

/// The nodes of a file as a forest.
pub(super) struct Forest<'a> {
    nodes: Vec<Node<'a>>,
    /// Every node, parents first, in the file's order.
    order: Vec<usize>,
}

/// One node of the file.
pub(super) struct Node<'a> {
    pub json: &'a Value,
    pub parent: Option<usize>,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
    /// The top of its tree.
    pub root: usize,
    children: Vec<usize>,
}

impl Node<'_> {
    pub fn is_leaf(&self) -> bool {
        self.children.is_empty()
    }
}

impl<'a> Forest<'a> {
    /// Reads and checks the graph. Cost: linear in nodes and children.
    pub fn new(json: &'a Value) -> Result<Self, Fault> {
        let list = fields::objects(json, "nodes")?;
        if list.len() > MAX_NODES {
            let text = format!(
                "{} nodes, more than the {MAX_NODES} that are read",
                list.len()
            );
            return Err(Fault::new("too-many-nodes", "nodes", text).hint("remove unused nodes"));
        }
        let nodes = list.iter().enumerate().map(|(i, n)| read_node(i, n));
        let mut forest = Self {
            nodes: nodes.collect::<Result<_, _>>()?,
            order: Vec::with_capacity(list.len()),
        };
        forest.link_parents()?;
        forest.walk();
        if forest.order.len() < forest.nodes.len() {
            return Err(forest.cycle());
        }
        Ok(forest)
    }

    pub fn nodes(&self) -> &[Node<'a>] {
        &self.nodes
    }

    /// Every node index, depth first, parents before children, in the file's order.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The node's name, or `node 7`.
    pub fn name(&self, index: usize) -> String {
        let json = self.nodes.get(index).map_or(&Value::Null, |n| n.json);
        fields::name_or(json, "node", index)
    }

    /// Index and name for messages.
    pub fn place(&self, index: usize) -> String {
        let json = self.nodes.get(index).map_or(&Value::Null, |n| n.json);
        fields::place(json, "node", index)
    }

    fn link_parents(&mut self) -> Result<(), Fault> {
        for parent in 0..self.nodes.len() {
            for k in 0..self.nodes[parent].children.len() {
                let child = self.nodes[parent].children[k];
                let Some(node) = self.nodes.get(child) else {
                    let text = format!("its child {child} does not exist");
                    return Err(Fault::new("node-missing", self.place(parent), text).hint(INVALID));
                };
                if let Some(first) = node.parent {
                    let text = format!("it is a child of node {first} and again of node {parent}");
                    return Err(Fault::new("two-parents", self.place(child), text).hint(INVALID));
                }
                self.nodes[child].parent = Some(parent);
            }
        }
        Ok(())
    }

    fn walk(&mut self) {
        let roots = (0..self.nodes.len()).filter(|&i| self.nodes[i].parent.is_none());
        let mut stack: Vec<(usize, usize)> = roots.rev().map(|r| (r, r)).collect();
        while let Some((node, root)) = stack.pop() {
            self.order.push(node);
            self.nodes[node].root = root;
            let children = self.nodes[node].children.iter().rev();
            stack.extend(children.map(|&c| (c, root)));
        }
    }

    /// Names a node of a cycle: one parent each and no way from a root means that parents lead to it.
    fn cycle(&self) -> Fault {
        let mut seen = vec![false; self.nodes.len()];
        for &i in &self.order {
            seen[i] = true;
        }
        let mut at = seen.iter().position(|s| !s).unwrap_or(0);
        while !std::mem::replace(&mut seen[at], true) {
            at = self.nodes[at].parent.unwrap_or(at);
        }
        Fault::new("node-cycle", self.place(at), "it is its own ancestor").hint(INVALID)
    }

    /// The local transform that node `index` has at rest.
    pub fn rest(&self, index: usize, issues: &mut Issues) -> Result<Transform, Fault> {
        let json = self.nodes[index].json;
        let place = self.place(index);
        if let Some(m) = fields::numbers::<16>(json, "matrix", &place)? {
            return from_matrix(&DMat4::from_cols_array(&m), place, issues);
        }
        let translation = fields::numbers(json, "translation", &place)?.unwrap_or([0.0; 3]);
        let scale = fields::numbers(json, "scale", &place)?.unwrap_or([1.0; 3]);
        let rotation = fields::numbers(json, "rotation", &place)?;
        Ok(Transform {
            translation: DVec3::from(translation),
            rotation: unit_rotation(rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]), &place, issues),
            scale: DVec3::from(scale),
        })
    }
}

fn read_node(index: usize, json: &Value) -> Result<Node<'_>, Fault> {
    let place = format!("node {index}");
    Ok(Node {
        json,
        parent: None,
        mesh: fields::index(json, "mesh", &place)?,
        skin: fields::index(json, "skin", &place)?,
        root: index,
        children: fields::indices(json, "children", &place)?,
    })
}

fn from_matrix(m: &DMat4, place: String, issues: &mut Issues) -> Result<Transform, Fault> {
    let Some(d) = decompose(m) else {
        let text = "its matrix is singular (it flattens space), so it has no rotation";
        return Err(Fault::new("singular-matrix", place, text)
            .hint("give the node a scale other than 0 and export again"));
    };
    if d.residual > SHEAR_LIMIT {
        let text = format!(
            "its matrix has shear, which scale, rotation and translation cannot hold; the nearest ones are off by {:.2} %",
            100.0 * d.residual
        );
        issues.warn("shear", place, text);
    }
    Ok(d.transform)
}

fn unit_rotation(xyzw: [f64; 4], place: &str, issues: &mut Issues) -> DQuat {
    let q = DQuat::from_array(xyzw);
    let length = q.length();
    let has_direction = length > 1e-6;
    if !has_direction {
        let text = "its rotation is a zero quaternion; no rotation is used";
        issues.warn("zero-quaternion", place, text);
        return DQuat::IDENTITY;
    }
    if (length - 1.0).abs() > 1e-3 {
        let text = format!("its rotation has length {length:.4} and was normalised");
        issues.warn("not-unit", place, text);
    }
    q / length
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refused(doc: &Value) -> &'static str {
        Forest::new(doc).err().unwrap().code
    }

    #[test]
    fn order_is_depth_first_in_the_files_order() {
        let doc = json!({"nodes": [{"children": [3, 2]}, {}, {}, {"children": [4]}, {}]});
        let forest = Forest::new(&doc).unwrap();
        assert_eq!(forest.order(), [0, 3, 4, 2, 1]);
        assert_eq!(forest.nodes()[4].root, 0);
        assert_eq!(forest.name(1), "node 1");
    }

    #[test]
    fn cycles_and_second_parents_are_refused() {
        assert_eq!(
            refused(&json!({"nodes": [{"children": [0]}]})),
            "node-cycle"
        );
        let tail = json!({"nodes": [{}, {"children": [2]}, {"children": [1]}]});
        assert_eq!(refused(&tail), "node-cycle");
        let diamond =
            json!({"nodes": [{"children": [1, 2]}, {"children": [3]}, {"children": [3]}, {}]});
        assert_eq!(refused(&diamond), "two-parents");
        assert_eq!(
            refused(&json!({"nodes": [{"children": [1, 1]}, {}]})),
            "two-parents"
        );
        assert_eq!(
            refused(&json!({"nodes": [{"children": [7]}]})),
            "node-missing"
        );
        assert_eq!(
            refused(&json!({"nodes": [{"children": [-1]}]})),
            "json-type"
        );
        assert_eq!(refused(&json!({"nodes": "x"})), "json-type");
    }

    #[test]
    fn rest_rotations_are_made_unit_and_said_so() {
        let doc = json!({"nodes": [{"rotation": [0, 0, 0, 2]}, {"rotation": [0, 0, 0, 0]}, {"scale": [0, -1, 1]}]});
        let forest = Forest::new(&doc).unwrap();
        let mut issues = Issues::default();
        assert_eq!(
            forest.rest(0, &mut issues).unwrap().rotation,
            DQuat::IDENTITY
        );
        assert_eq!(
            forest.rest(1, &mut issues).unwrap().rotation,
            DQuat::IDENTITY
        );
        let scale = forest.rest(2, &mut issues).unwrap().scale;
        assert_eq!(scale, DVec3::new(0.0, -1.0, 1.0));
        let codes: Vec<_> = issues.iter().map(|i| i.code).collect();
        assert_eq!(codes, ["not-unit", "zero-quaternion"]);
    }
}
