//! The list of clips: names, what is left out, and why nothing may be left.

use super::animation;
use super::error::Fault;
use super::fields;
use super::nodes::Forest;
use super::targets::{self, NoTarget};
use crate::model::{Clip, Issue, Issues, Skeleton, Skin};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Clips, and the index of the animation that each one is.
pub(super) type Clips = (Vec<Arc<Clip>>, Vec<usize>);

/// Reads every animation that moves anything, on a skeleton and its skin.
pub(super) fn read(
    json: &Value,
    mut reader: animation::Reader<'_>,
    (skeleton, skin): (&Arc<Skeleton>, &Arc<Skin>),
    issues: &mut Issues,
) -> Result<Clips, Fault> {
    let mut names = Names::default();
    let (mut clips, mut indices) = (Vec::new(), Vec::new());
    for (i, animation) in fields::objects(json, "animations")?.iter().enumerate() {
        let Some((mut raw, bytes)) = reader.read(i, animation, issues)? else {
            continue;
        };
        let wanted = fields::name_or(animation, "clip", i);
        raw.name = names.free(&wanted);
        let clip = Clip::new(skeleton.clone(), raw, issues)
            .with_source_bytes(bytes)
            .with_skin(skin.clone());
        let place = fields::place(animation, "animation", i);
        if clip.tracks().is_empty() && clip.scalars().is_empty() {
            let text = "it moves no joint and no morph weight and is left out";
            issues.warn("clip-empty", place, text);
            continue;
        }
        if clip.name() != wanted {
            let text = format!(
                "another clip has its name; it is called \"{:.90}\"",
                clip.name()
            );
            issues.note("clip-name", place, text);
        }
        names.take(clip.name());
        clips.push(Arc::new(clip));
        indices.push(i);
    }
    Ok((clips, indices))
}

/// The names given so far.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    /// For a name that came more than once, the next number to try.
    next: HashMap<String, usize>,
}

impl Names {
    /// The wanted name, or the first free one of `name (2)`, `name (3)` ...
    fn free(&mut self, wanted: &str) -> String {
        if !self.taken.contains(wanted) {
            return wanted.to_owned();
        }
        let next = self.next.entry(wanted.to_owned()).or_insert(2);
        loop {
            let name = format!("{wanted} ({next})");
            if !self.taken.contains(&name) {
                return name;
            }
            *next += 1;
        }
    }

    fn take(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }
}

/// The error for a file in which nothing can be compressed; says what was there instead.
pub(super) fn nothing_left(json: &Value, forest: &Forest<'_>, issues: &Issues) -> Fault {
    let animations = json.get("animations").and_then(Value::as_array);
    let text = match animations.map_or(&[][..], Vec::as_slice) {
        [] => "the file has no animation".to_owned(),
        list => format!(
            "none of its {} animations moves a joint or a morph weight: {}",
            list.len(),
            what_is_there(list, forest, issues)
        ),
    };
    Fault::new("no-animation", "animations", text)
        .hint("export the model together with at least one animation of its joints")
}

fn what_is_there(animations: &[Value], forest: &Forest<'_>, issues: &Issues) -> String {
    let channels = animations
        .iter()
        .filter_map(|a| a.get("channels")?.as_array());
    let targets: Vec<_> = channels
        .flatten()
        .map(|c| targets::target(c, forest))
        .collect();
    let pointer = targets.iter().find_map(|t| match t {
        Err(NoTarget::Pointer(p)) => Some(p),
        _ => None,
    });
    if let Some(pointer) = pointer {
        return format!(
            "their KHR_animation_pointer channels drive other things, such as {pointer}"
        );
    }
    let about_curves = |i: &&Issue| i.code != "clip-empty" && !i.place.starts_with("node");
    if let Some(issue) = issues.iter().find(about_curves) {
        return issue.to_string();
    }
    match targets.into_iter().find_map(Result::err) {
        Some(NoTarget::Broken(text)) => text,
        Some(_) => "their channels have no target".to_owned(),
        None => "they have no channels".to_owned(),
    }
}
