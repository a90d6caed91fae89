//! What an animation channel moves.

use super::fields;
use super::nodes::Forest;
use crate::math::Channel;
use serde_json::Value;

/// What an animation channel moves, once understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// One channel of the joint that a node is.
    Joint(usize, Channel),
    /// All morph weights of a node.
    Weights(usize),
    /// One morph weight of a node.
    Weight(usize, usize),
}

/// Why a channel is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoTarget {
    /// A `KHR_animation_pointer` to something that is no joint channel and no morph weight.
    Pointer(String),
    /// The channel names nothing, which the specification says to ignore.
    None,
    /// It names what does not exist.
    Broken(String),
}

/// Understands `channel.target`; a pointer to a node's own channels counts as the ordinary target.
pub(super) fn target(channel: &Value, forest: &Forest<'_>) -> Result<Target, NoTarget> {
    let target = channel.get("target").unwrap_or(&Value::Null);
    let path = fields::text(target, "path");
    if path == "pointer" {
        let extension = fields::extension(target, "KHR_animation_pointer");
        let pointer = extension.map_or("", |e| fields::text(e, "pointer"));
        return from_pointer(pointer, forest);
    }
    let Some(node) = target.get("node") else {
        return Err(NoTarget::None);
    };
    let node = fields::whole(node).map(fields::to_index);
    from_path(node, path, forest)
}

fn from_path(node: Option<usize>, path: &str, forest: &Forest<'_>) -> Result<Target, NoTarget> {
    let Some(node) = node.filter(|&n| n < forest.nodes().len()) else {
        return Err(NoTarget::Broken(
            "its target node does not exist".to_owned(),
        ));
    };
    Ok(match path {
        "translation" => Target::Joint(node, Channel::Translation),
        "rotation" => Target::Joint(node, Channel::Rotation),
        "scale" => Target::Joint(node, Channel::Scale),
        "weights" => Target::Weights(node),
        other => {
            let text = format!("nothing is known about its target path \"{other:.40}\"");
            return Err(NoTarget::Broken(text));
        }
    })
}

fn from_pointer(pointer: &str, forest: &Forest<'_>) -> Result<Target, NoTarget> {
    let parts: Vec<&str> = pointer.splitn(6, '/').collect();
    let number = |s: &str| s.parse::<usize>().ok();
    match parts[..] {
        [
            "",
            "nodes",
            node,
            path @ ("translation" | "rotation" | "scale" | "weights"),
        ] => from_path(number(node), path, forest),
        ["", "nodes", node, "weights", weight] if number(weight).is_some() => {
            match from_path(number(node), "weights", forest)? {
                Target::Weights(n) => Ok(Target::Weight(n, number(weight).unwrap_or(0))),
                other => Ok(other),
            }
        }
        _ => Err(NoTarget::Pointer(pointer.chars().take(120).collect())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(target_json: &Value) -> Result<Target, NoTarget> {
        let doc = json!({"nodes": [{}, {}]});
        let forest = Forest::new(&doc).unwrap();
        target(&json!({"target": target_json}), &forest)
    }

    fn of_pointer(pointer: &str) -> Result<Target, NoTarget> {
        let extension = json!({"KHR_animation_pointer": {"pointer": pointer}});
        of(&json!({"path": "pointer", "extensions": extension}))
    }

    #[test]
    fn ordinary_targets() {
        let t = of(&json!({"node": 1, "path": "scale"}));
        assert_eq!(t, Ok(Target::Joint(1, Channel::Scale)));
        assert_eq!(of(&json!({"path": "scale"})), Err(NoTarget::None));
        for broken in [
            json!({"node": 2, "path": "scale"}),
            json!({"node": -1, "path": "scale"}),
            json!({"node": 0, "path": "colour"}),
        ] {
            assert!(matches!(of(&broken), Err(NoTarget::Broken(_))));
        }
    }

    #[test]
    fn pointers_to_node_channels_are_ordinary() {
        let t = of_pointer("/nodes/1/rotation");
        assert_eq!(t, Ok(Target::Joint(1, Channel::Rotation)));
        assert_eq!(of_pointer("/nodes/0/weights"), Ok(Target::Weights(0)));
        assert_eq!(of_pointer("/nodes/0/weights/3"), Ok(Target::Weight(0, 3)));
        assert!(matches!(
            of_pointer("/nodes/9/scale"),
            Err(NoTarget::Broken(_))
        ));
        for other in [
            "",
            "/nodes/0/extensions/a/visible",
            "/materials/0/alphaCutoff",
        ] {
            assert_eq!(of_pointer(other), Err(NoTarget::Pointer(other.to_owned())));
        }
    }
}
