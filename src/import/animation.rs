//! Animations: channels and samplers to raw curves.

use super::accessor::{self, Accessor, Accessors};
use super::error::Fault;
use super::fields;
use super::nodes::Forest;
use super::targets::{self, NoTarget, Target};
use crate::math::Channel;
use crate::model::{Interpolation, Issues, MorphWeight, RawClip, RawCurve, RawScalar, RawTrack};
use serde_json::Value;
use std::collections::BTreeSet;

/// Most keys of one curve.
const MAX_KEYS: usize = 1 << 24;
/// Most keys of one file. A file can name the same bytes for any number of curves, so that its size
/// alone bounds nothing.
const MAX_KEYS_TOTAL: usize = 1 << 25;
/// Most morph weights of one node.
const MAX_WEIGHTS: usize = 4096;

const OUT: &str = "the curve is left out";
/// A channel or sampler names what does not exist, or values that its target cannot have.
const CHANNEL: &str = "bad-channel";

/// Reads one animation after the other and keeps account of the memory they take.
pub(super) struct Reader<'a> {
    data: &'a Accessors<'a>,
    forest: &'a Forest<'a>,
    meshes: &'a [Value],
    joint_of_node: &'a [Option<usize>],
    keys_left: usize,
}

/// The keys of one channel as stored.
struct Keys<'a> {
    interpolation: Interpolation,
    times: Vec<f32>,
    output: Accessor<'a>,
}

impl<'a> Reader<'a> {
    pub fn new(
        json: &'a Value,
        data: &'a Accessors<'a>,
        forest: &'a Forest<'a>,
        joint_of_node: &'a [Option<usize>],
    ) -> Self {
        Self {
            data,
            forest,
            // Broken meshes are reported by the reader of meshes; curves only count their targets.
            meshes: fields::objects(json, "meshes").unwrap_or(&[]),
            joint_of_node,
            keys_left: MAX_KEYS_TOTAL,
        }
    }

    /// Reads animation `index` and what it takes in the file; `None` when its bytes are compressed (already reported).
    ///
    /// What a curve alone gets wrong costs that curve, with a warning; bytes that are not there are
    /// an error, since they mean a damaged file.
    pub fn read(
        &mut self,
        index: usize,
        json: &Value,
        issues: &mut Issues,
    ) -> Result<Option<(RawClip, usize)>, Fault> {
        let place = fields::place(json, "animation", index);
        // Every clip has a table of its joints.
        self.charge(self.joint_of_node.len().min(crate::model::MAX_JOINTS) / 2)
            .map_err(|f| f.within(&place))?;
        let samplers = fields::list(json, "samplers", &place)?;
        let channels = fields::list(json, "channels", &place)?;
        let mut clip = RawClip::default();
        let mut pointers = Vec::new();
        for (i, channel) in channels.iter().enumerate() {
            let place = format!("{place}, channel {i}");
            let target = match targets::target(channel, self.forest) {
                Ok(target) => target,
                Err(NoTarget::Pointer(p)) => {
                    pointers.push(p);
                    continue;
                }
                Err(NoTarget::None) => {
                    issues.note("no-target", place, "it moves nothing and is left out");
                    continue;
                }
                Err(NoTarget::Broken(text)) => {
                    Fault::new(CHANNEL, place, text).warn(OUT, issues);
                    continue;
                }
            };
            if let Some(text) = odd_interpolation(channel, samplers) {
                issues.warn("interpolation", place.clone(), text);
            }
            let read = self.channel(channel, samplers, target, &mut clip);
            match read.map_err(|f| f.within(&place)) {
                Ok(()) => {}
                Err(f) if matches!(f.code, CHANNEL | accessor::FORMAT) => f.warn(OUT, issues),
                Err(f) if f.code == accessor::MESHOPT => {
                    f.warn("the clip is left out", issues);
                    return Ok(None);
                }
                Err(f) => return Err(f),
            }
        }
        report_pointers(&pointers, &place, issues);
        Ok(Some((clip, self.stored_bytes(channels.iter(), samplers))))
    }

    /// Bytes of the key times and values of channels as the file stores them, each accessor once.
    fn stored_bytes<'c>(
        &self,
        channels: impl Iterator<Item = &'c Value>,
        samplers: &[Value],
    ) -> usize {
        let number = |of: &Value, key: &str| fields::whole(of.get(key)?).map(fields::to_index);
        let sampler = |c: &Value| samplers.get(number(c, "sampler")?);
        let used = channels.filter_map(sampler);
        let accessors: BTreeSet<usize> = used
            .flat_map(|s| [number(s, "input"), number(s, "output")])
            .flatten()
            .collect();
        let stored = accessors.iter().filter_map(|&k| self.data.get(k).ok());
        stored.map(|a| a.stored_bytes).sum()
    }

    fn channel(
        &mut self,
        channel: &Value,
        samplers: &[Value],
        target: Target,
        clip: &mut RawClip,
    ) -> Result<(), Fault> {
        let index = fields::index(channel, "sampler", "")?.unwrap_or(usize::MAX);
        let Some(sampler) = samplers.get(index) else {
            return Err(Fault::new(CHANNEL, "", "its sampler does not exist"));
        };
        let keys = self
            .keys(sampler)
            .map_err(|f| f.within(&format!("sampler {index}")))?;
        match target {
            Target::Joint(node, channel) => {
                let Some(joint) = self.joint_of_node.get(node).copied().flatten() else {
                    return Err(Fault::new(CHANNEL, "", "its target is no joint"));
                };
                let curve = joint_curve(keys, channel)?;
                clip.tracks.push(RawTrack {
                    joint,
                    channel,
                    curve,
                });
            }
            Target::Weights(node) => {
                let plain = fields::text(&channel["target"], "path") == "weights";
                self.weights(&keys, node, None, plain, clip)?;
            }
            Target::Weight(node, one) => self.weights(&keys, node, Some(one), false, clip)?,
        }
        Ok(())
    }

    fn keys(&mut self, sampler: &Value) -> Result<Keys<'a>, Fault> {
        let accessor = |key: &str| match fields::index(sampler, key, "")? {
            Some(index) => self.data.get(index),
            None => Err(Fault::new(CHANNEL, "", format!("it has no `{key}`"))),
        };
        let (input, output) = (accessor("input")?, accessor("output")?);
        self.charge(input.count.max(output.count * output.width / 4))?;
        let times_fit = input.width == 1 && input.component == accessor::Component::F32;
        if !times_fit {
            return Err(input.format_fault("one F32 a key time"));
        }
        if input.count > MAX_KEYS {
            let text = format!("{} keys, more than {MAX_KEYS}", input.count);
            return Err(Fault::new("too-many-keys", "", text).hint("split the clip"));
        }
        Ok(Keys {
            interpolation: interpolation(sampler).unwrap_or(Interpolation::Linear),
            times: input.floats(),
            output,
        })
    }

    fn charge(&mut self, keys: usize) -> Result<(), Fault> {
        let Some(left) = self.keys_left.checked_sub(keys) else {
            let text = format!("the file's curves have more than {MAX_KEYS_TOTAL} keys in all");
            return Err(Fault::new("too-many-keys", "", text).hint("split the file"));
        };
        self.keys_left = left;
        Ok(())
    }

    /// Splits the interleaved weights of a node into one scalar curve each; `plain` when no pointer moves them.
    fn weights(
        &mut self,
        keys: &Keys<'_>,
        node: usize,
        one: Option<usize>,
        plain: bool,
        clip: &mut RawClip,
    ) -> Result<(), Fault> {
        let output = &keys.output;
        if output.width != 1 || !is_float_or_normalised(output) {
            return Err(output.format_fault("one F32 or normalised integer a weight"));
        }
        let parts = parts_per_key(keys.interpolation);
        let slots = keys.times.len() * parts;
        let count = output.count.checked_div(slots).unwrap_or(0);
        let wanted = match one {
            Some(_) => 1,
            None => self.morph_targets(node).unwrap_or(count),
        };
        if count != wanted || count * slots != output.count || count > MAX_WEIGHTS {
            let text = format!(
                "{} values for {} keys of {wanted} morph weights",
                output.count,
                keys.times.len()
            );
            return Err(Fault::new(CHANNEL, "", text));
        }
        // Each curve has its own times.
        self.charge(count * (keys.times.len() + 8))?;
        let values = output.floats();
        let name = self.forest.name(node);
        for w in 0..count {
            let curve = RawCurve {
                interpolation: keys.interpolation,
                times: keys.times.clone(),
                values: values.iter().skip(w).step_by(count).copied().collect(),
            };
            let index = one.unwrap_or(w);
            clip.scalars.push(RawScalar {
                name: format!("{name}/weights[{index}]"),
                curve,
                morph: Some(MorphWeight {
                    node,
                    index,
                    of: plain.then_some(count),
                    value_bytes: output.component.size(),
                }),
            });
        }
        Ok(())
    }

    /// How many morph targets the mesh of a node has, if it has a mesh with any.
    fn morph_targets(&self, node: usize) -> Option<usize> {
        let mesh = self.meshes.get(self.forest.nodes().get(node)?.mesh?)?;
        let primitive = mesh.get("primitives")?.get(0)?;
        let targets = primitive.get("targets")?.as_array()?;
        (!targets.is_empty()).then_some(targets.len())
    }
}

fn joint_curve(keys: Keys<'_>, channel: Channel) -> Result<RawCurve, Fault> {
    let output = &keys.output;
    let fits = match channel {
        Channel::Rotation => output.width == 4 && is_float_or_normalised(output),
        Channel::Translation | Channel::Scale => {
            output.width == 3 && output.component == accessor::Component::F32
        }
    };
    if !fits {
        return Err(output.format_fault(match channel {
            Channel::Rotation => "a VEC4 of F32 or normalised integers for a rotation",
            Channel::Translation => "a VEC3 of F32 for a translation",
            Channel::Scale => "a VEC3 of F32 for a scale",
        }));
    }
    Ok(RawCurve {
        interpolation: keys.interpolation,
        values: output.floats(),
        times: keys.times,
    })
}

fn is_float_or_normalised(a: &Accessor<'_>) -> bool {
    a.component == accessor::Component::F32 || (a.normalized && a.component.is_small_int())
}

fn parts_per_key(interpolation: Interpolation) -> usize {
    match interpolation {
        Interpolation::Cubic => 3,
        Interpolation::Linear | Interpolation::Step => 1,
    }
}

/// The curve's interpolation; `None` for one that glTF does not know.
fn interpolation(sampler: &Value) -> Option<Interpolation> {
    match sampler.get("interpolation") {
        None => Some(Interpolation::Linear),
        Some(name) => match name.as_str()? {
            "LINEAR" => Some(Interpolation::Linear),
            "STEP" => Some(Interpolation::Step),
            "CUBICSPLINE" => Some(Interpolation::Cubic),
            _ => None,
        },
    }
}

/// What to say about a channel whose interpolation is unknown.
fn odd_interpolation(channel: &Value, samplers: &[Value]) -> Option<String> {
    let index = fields::whole(channel.get("sampler")?)?;
    let sampler = samplers.get(fields::to_index(index))?;
    if interpolation(sampler).is_some() {
        return None;
    }
    let shown: String = sampler
        .get("interpolation")?
        .to_string()
        .chars()
        .take(40)
        .collect();
    Some(format!(
        "its interpolation {shown} is unknown; LINEAR is used"
    ))
}

fn report_pointers(pointers: &[String], place: &str, issues: &mut Issues) {
    if pointers.is_empty() {
        return;
    }
    let text = format!(
        "{} of its channels move neither joints nor morph weights and are left out: {}",
        pointers.len(),
        examples(pointers)
    );
    issues.warn("pointer-target", place, text);
}

/// The first few of a list, and how many more there are.
fn examples(list: &[String]) -> String {
    let shown: Vec<&str> = list.iter().take(3).map(String::as_str).collect();
    let shown = shown.join(", ");
    match list.len().saturating_sub(3) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
