//! Keyframes become samplers and channels of one animation.

use super::draft::{Draft, index};
use super::refs::each;
use super::{ExportError, ReplacedAnimation};
use crate::codec::{KeyframeChannel, WeightChannel, WeightKeys};
use crate::math::Channel;
use crate::model::{Interpolation, Skeleton, channel_name};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// What an animation channel moves: a node and one of its three transforms.
type Target = (usize, Channel);

/// Gives an animation its new keyframes and extras.
pub(super) fn replace(
    draft: &mut Draft,
    replaced: &ReplacedAnimation<'_>,
) -> Result<(), ExportError> {
    check(replaced, super::draft::length(&draft.doc, "nodes"))?;
    let place = format!("animations[{}]", replaced.index);
    let entry = each(&mut draft.doc, "animations").nth(replaced.index);
    let Some(mut animation) = entry.and_then(|a| a.as_object_mut().map(std::mem::take)) else {
        return Err(ExportError::source(place, "it is not an object"));
    };
    let mut lists = Lists::new(&animation, place);
    lists.fill(draft, replaced)?;
    animation.insert("channels".into(), Value::Array(lists.channels));
    animation.insert("samplers".into(), Value::Array(lists.samplers));
    draft.notes.append(&mut lists.notes);
    merge_extras(&mut animation, &replaced.extras);
    if let Some(entry) = each(&mut draft.doc, "animations").nth(replaced.index) {
        *entry = Value::Object(animation);
    }
    Ok(())
}

/// The lists of an animation while they are rewritten.
struct Lists {
    place: String,
    old_channels: Vec<Value>,
    old_samplers: Vec<Value>,
    channels: Vec<Value>,
    samplers: Vec<Value>,
    notes: Vec<String>,
}

impl Lists {
    fn new(animation: &Map<String, Value>, place: String) -> Self {
        let list = |key: &str| animation.get(key).and_then(Value::as_array).cloned();
        Self {
            place,
            old_channels: list("channels").unwrap_or_default(),
            old_samplers: list("samplers").unwrap_or_default(),
            channels: Vec::new(),
            samplers: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn fill(
        &mut self,
        draft: &mut Draft,
        replaced: &ReplacedAnimation<'_>,
    ) -> Result<(), ExportError> {
        let skeleton = replaced.skeleton;
        let mut joint_of_node = HashMap::new();
        for (j, joint) in skeleton.joints().iter().enumerate() {
            joint_of_node.entry(joint.source_index).or_insert(j);
        }
        let resting = resting_channel(self.first_target(&joint_of_node), skeleton);
        let mut new: HashMap<Target, &KeyframeChannel> = HashMap::new();
        for c in &replaced.keyframes.channels {
            new.insert((skeleton.joints()[c.joint].source_index, c.channel), c);
        }

        let mut weights: HashMap<usize, Floats<'_>> = HashMap::new();
        for c in &replaced.keyframes.weights {
            if let (Some(node), Some(floats)) = (c.node, Floats::of_weights(&c.keys)) {
                weights.insert(node, floats);
            }
        }

        let mut data = NewKeys::default();
        let mut kept_samplers = HashMap::new();
        for channel in std::mem::take(&mut self.old_channels) {
            let target = target(&channel).filter(|(node, _)| joint_of_node.contains_key(node));
            match target {
                None => match weights_node(&channel).and_then(|node| weights.remove(&node)) {
                    Some(floats) => self.write(draft, &mut data, &floats, channel)?,
                    None => self.keep(channel, &mut kept_samplers)?,
                },
                Some(target) => {
                    if let Some(keys) = new.remove(&target) {
                        self.write(draft, &mut data, &Floats::of(keys), channel)?;
                        data.targets.push(target.0);
                    }
                }
            }
        }
        // In the order of the keyframes, not of the map: same input, same bytes.
        for keys in &replaced.keyframes.channels {
            let target = (skeleton.joints()[keys.joint].source_index, keys.channel);
            if new.remove(&target).is_some() {
                self.write(draft, &mut data, &Floats::of(keys), new_channel(target))?;
                data.targets.push(target.0);
            }
        }
        if let Some((target, keys)) = resting.filter(|_| self.channels.is_empty()) {
            // The format demands a channel, and a clip in which nothing moves has none.
            self.write(draft, &mut data, &Floats::of(&keys), new_channel(target))?;
            data.targets.push(target.0);
        }
        if !data.bytes.is_empty() {
            draft.add_view(&data.bytes)?;
        }
        for target in data.targets {
            free_from_matrix(draft, target, skeleton, joint_of_node[&target]);
        }
        Ok(())
    }

    fn first_target(&self, joint_of_node: &HashMap<usize, usize>) -> Option<(Target, usize)> {
        let mut targets = self.old_channels.iter().filter_map(target);
        targets.find_map(|t| Some((t, *joint_of_node.get(&t.0)?)))
    }

    /// Passes a channel through, with its sampler under a new number.
    fn keep(
        &mut self,
        mut channel: Value,
        kept: &mut HashMap<usize, usize>,
    ) -> Result<(), ExportError> {
        let sampler = index(&channel, "sampler").and_then(|i| Some((i, self.old_samplers.get(i)?)));
        let Some((old, sampler)) = sampler else {
            return Err(ExportError::source(
                &self.place,
                "a channel refers to a sampler that does not exist",
            ));
        };
        let new = *kept.entry(old).or_insert_with(|| {
            self.samplers.push(sampler.clone());
            self.samplers.len() - 1
        });
        channel["sampler"] = new.into();
        self.channels.push(channel);
        Ok(())
    }

    /// Adds new keys to a channel: that of the same target which they stand in for, or a new one.
    fn write(
        &mut self,
        draft: &mut Draft,
        data: &mut NewKeys,
        keys: &Floats<'_>,
        mut channel: Value,
    ) -> Result<(), ExportError> {
        let mut sampler = json!({
            "input": data.times(draft, keys.times)?,
            "interpolation": match keys.interpolation {
                Interpolation::Step => "STEP",
                Interpolation::Linear | Interpolation::Cubic => "LINEAR",
            },
            "output": data.values(draft, keys)?,
        });
        let old_sampler = index(&channel, "sampler").and_then(|i| self.old_samplers.get(i));
        if let Some(old) = old_sampler {
            if let Some(extras) = old.get("extras") {
                sampler["extras"] = extras.clone();
            }
            if old.get("extensions").is_some() {
                self.notes.push(format!(
                    "{}: extensions of the replaced sampler of node {} are left out",
                    self.place, channel["target"]["node"]
                ));
            }
        }
        channel["sampler"] = self.samplers.len().into();
        self.samplers.push(sampler);
        self.channels.push(channel);
        Ok(())
    }
}

/// New keys as accessors hold them.
struct Floats<'a> {
    interpolation: Interpolation,
    times: &'a [f32],
    values: &'a [f32],
    /// Type of the values' accessor.
    kind: &'static str,
}

impl<'a> Floats<'a> {
    fn of(keys: &'a KeyframeChannel) -> Self {
        Self {
            interpolation: keys.interpolation,
            times: &keys.times,
            values: &keys.values,
            kind: match keys.channel {
                Channel::Rotation => "VEC4",
                Channel::Translation | Channel::Scale => "VEC3",
            },
        }
    }

    /// `None` for weights that keep the source's keys.
    fn of_weights(keys: &'a WeightKeys) -> Option<Self> {
        let WeightKeys::Fitted {
            interpolation,
            times,
            values,
        } = keys
        else {
            return None;
        };
        Some(Self {
            interpolation: *interpolation,
            times,
            values,
            kind: "SCALAR",
        })
    }

    /// Elements of the values' accessor: glTF lists weights one by one.
    fn count(&self) -> usize {
        if self.kind == "SCALAR" {
            self.values.len()
        } else {
            self.times.len()
        }
    }
}

/// A channel that gets its sampler yet. There is none of that number, whose extras would be taken over.
fn new_channel((node, path): Target) -> Value {
    json!({ "sampler": null, "target": { "node": node, "path": channel_name(path) } })
}

/// The bytes of an animation's new keys, which become one buffer view.
#[derive(Default)]
struct NewKeys {
    bytes: Vec<u8>,
    /// Accessor of times that were written already, by their bits.
    known_times: HashMap<Vec<u32>, usize>,
    /// Nodes that are animated now.
    targets: Vec<usize>,
}

impl NewKeys {
    fn times(&mut self, draft: &mut Draft, times: &[f32]) -> Result<usize, ExportError> {
        let bits: Vec<u32> = times.iter().map(|t| t.to_bits()).collect();
        if let Some(&accessor) = self.known_times.get(&bits) {
            return Ok(accessor);
        }
        let mut entry = self.floats(draft, times, "SCALAR", times.len());
        entry["min"] = json!([f64::from(times[0])]);
        entry["max"] = json!([f64::from(times[times.len() - 1])]);
        let accessor = draft.add_accessor(entry)?;
        self.known_times.insert(bits, accessor);
        Ok(accessor)
    }

    fn values(&mut self, draft: &mut Draft, keys: &Floats<'_>) -> Result<usize, ExportError> {
        let entry = self.floats(draft, keys.values, keys.kind, keys.count());
        draft.add_accessor(entry)
    }

    fn floats(&mut self, draft: &Draft, floats: &[f32], kind: &str, count: usize) -> Value {
        let offset = self.bytes.len();
        self.bytes
            .extend(floats.iter().flat_map(|v| v.to_le_bytes()));
        json!({
            // The view is added once all keys are there.
            "bufferView": super::draft::length(&draft.doc, "bufferViews"),
            "byteOffset": offset,
            "componentType": 5126,
            "count": count,
            "type": kind,
        })
    }
}

/// What a channel moves, unless it is morph weights, a pointer or something from an extension.
fn target(channel: &Value) -> Option<Target> {
    let target = channel.get("target")?;
    let path = target.get("path")?.as_str()?;
    let path = Channel::ALL
        .into_iter()
        .find(|c| channel_name(*c) == path)?;
    Some((index(target, "node")?, path))
}

/// The node whose morph weights a channel moves, without a pointer.
fn weights_node(channel: &Value) -> Option<usize> {
    let target = channel.get("target")?;
    let path = target.get("path")?.as_str()?;
    index(target, "node").filter(|_| path == "weights")
}

/// One key that holds the joint where it rests.
fn resting_channel(
    first: Option<(Target, usize)>,
    skeleton: &Skeleton,
) -> Option<(Target, KeyframeChannel)> {
    let (target, joint) = first?;
    let keys = KeyframeChannel {
        joint,
        channel: target.1,
        interpolation: Interpolation::Linear,
        times: vec![0.0],
        values: rest_values(skeleton, joint, target.1),
    };
    Some((target, keys))
}

fn rest_values(skeleton: &Skeleton, joint: usize, channel: Channel) -> Vec<f32> {
    let rest = &skeleton.joints()[joint].rest;
    let floats = match channel {
        Channel::Rotation => rest.rotation.to_array().to_vec(),
        Channel::Translation => rest.translation.to_array().to_vec(),
        Channel::Scale => rest.scale.to_array().to_vec(),
    };
    floats.into_iter().map(|v| v as f32).collect()
}

/// An animated node may not have a matrix (glTF 2.0, section 3.5.2).
fn free_from_matrix(draft: &mut Draft, node: usize, skeleton: &Skeleton, joint: usize) {
    let entry = each(&mut draft.doc, "nodes").nth(node);
    let Some(entry) = entry.and_then(Value::as_object_mut) else {
        return;
    };
    if entry.shift_remove("matrix").is_none() {
        return;
    }
    for channel in [Channel::Translation, Channel::Rotation, Channel::Scale] {
        let values = rest_values(skeleton, joint, channel);
        let values: Vec<f64> = values.into_iter().map(f64::from).collect();
        entry.insert(channel_name(channel).into(), values.into());
    }
    draft.notes.push(format!(
        "node {node} is animated: its matrix is written as translation, rotation and scale"
    ));
}

fn merge_extras(animation: &mut Map<String, Value>, new: &Value) {
    let Some(new) = new.as_object().filter(|m| !m.is_empty()) else {
        return;
    };
    let extras = animation.entry("extras").or_insert_with(|| json!({}));
    if !extras.is_object() {
        *extras = json!({ "previousExtras": extras.take() });
    }
    if let Some(extras) = extras.as_object_mut() {
        for (key, value) in new {
            extras.insert(key.clone(), value.clone());
        }
    }
}

/// Refuses keyframes that the format forbids, whoever made them.
fn check(replaced: &ReplacedAnimation<'_>, nodes: usize) -> Result<(), ExportError> {
    let mut last = None;
    for c in &replaced.keyframes.channels {
        let joint = replaced.skeleton.joints().get(c.joint);
        let name = joint.map_or("that does not exist", |j| j.name.as_str());
        let wrong = if joint.is_none_or(|j| j.source_index >= nodes) {
            Some("it is no node of the file")
        } else if last.is_some_and(|l| l >= (c.joint, c.channel)) {
            Some("channels are out of order or twice there")
        } else {
            fault(c)
        };
        if let Some(text) = wrong {
            return Err(ExportError::Keyframes {
                animation: replaced.index,
                place: format!("joint {} {name}, {}", c.joint, channel_name(c.channel)),
                text: text.into(),
            });
        }
        last = Some((c.joint, c.channel));
    }
    for c in &replaced.keyframes.weights {
        if let Some(text) = weights_fault(c, nodes) {
            return Err(ExportError::Keyframes {
                animation: replaced.index,
                place: format!("morph weights of node {}", c.node.unwrap_or(nodes)),
                text: text.into(),
            });
        }
    }
    Ok(())
}

fn weights_fault(c: &WeightChannel, nodes: usize) -> Option<&'static str> {
    let floats = Floats::of_weights(&c.keys)?;
    if c.node.is_none_or(|node| node >= nodes) {
        return Some("it is no node of the file");
    }
    if floats.values.is_empty() || !floats.values.len().is_multiple_of(floats.times.len()) {
        return Some("the number of values does not match the number of keys");
    }
    times_fault(floats.times).or_else(|| values_fault(floats.values))
}

fn fault(c: &KeyframeChannel) -> Option<&'static str> {
    if c.times.is_empty() {
        return Some("there is no key");
    }
    if c.interpolation == Interpolation::Cubic {
        return Some("cubic keys have no tangents here");
    }
    if c.values.len() != c.times.len() * c.channel.width() {
        return Some("the number of values does not match the number of keys");
    }
    if let Some(text) = times_fault(&c.times).or_else(|| values_fault(&c.values)) {
        return Some(text);
    }
    let is_unit = |q: &[f32]| (q.iter().map(|v| v * v).sum::<f32>() - 1.0).abs() < 1e-3;
    if c.channel == Channel::Rotation && !c.values.chunks_exact(4).all(is_unit) {
        return Some("a rotation is not a unit quaternion");
    }
    None
}

fn times_fault(times: &[f32]) -> Option<&'static str> {
    if !(times.first().is_some_and(|&t| t >= 0.0) && times.iter().all(|t| t.is_finite())) {
        return Some("a time is negative or not finite");
    }
    (!times.is_sorted_by(|a, b| a < b)).then_some("times do not increase")
}

fn values_fault(values: &[f32]) -> Option<&'static str> {
    let finite = values.iter().all(|v| v.is_finite());
    (!finite).then_some("a value is not finite")
}
