//! JSON to decisions. What is wrong is refused with its place; what this file does not have is named.

use super::encode::VERSION;
use super::error::Fault;
use super::tested;
use crate::codec::Settings;
use crate::metrics::{Contact, Contacts, Footing, SolePart, SolePoint};
use crate::model::{Asset, Clip, Skeleton};
use crate::session::characters::CharacterFile;
use crate::session::document::{ClipEdits, Edits, FrameNote};
use crate::session::verdict::{Judged, Measure, Verdict};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Most leaves of a value among which the one that is wrong is looked for.
const MOST_LEAVES: usize = 500;

/// Refuses what is no file of this program, or one of a newer version.
pub(super) fn check_version(raw: &Value) -> Result<(), Fault> {
    let version = object(raw, "")?.get("version");
    let Some(version) = version.and_then(Value::as_u64) else {
        return Err(Fault::new("version", "there must be a whole number"));
    };
    if version > VERSION {
        let text = format!("it has version {version}, this program knows {VERSION}");
        return Err(Fault::new("version", text).hint("use a newer Posepress"));
    }
    Ok(())
}

/// The decisions for a loaded file, and sentences about those that it has no place for.
pub(super) fn edits(raw: &Value, asset: &Asset) -> Result<(Edits, Vec<String>), Fault> {
    let root = object(raw, "")?;
    let unit_m = match root.get("unit_m") {
        None => asset.unit_m,
        Some(value) => unit(value)?,
    };
    let clips = match root.get("clips") {
        None => &Map::new(),
        Some(clips) => object(clips, "clips")?,
    };
    let mut unknown = Unknown::default();
    let mut decided = Vec::with_capacity(asset.clips.len());
    for clip in &asset.clips {
        decided.push(match clips.get(clip.name()) {
            None => Arc::default(),
            Some(value) => Arc::new(clip_edits(value, clip, unit_m, &mut unknown)?),
        });
    }
    for (name, value) in clips {
        if !asset.clips.iter().any(|c| c.name() == name) {
            object(value, &format!("clips.{name}"))?;
            unknown.clips.push(name.clone());
        }
    }
    let characters = match root.get("characters") {
        None => Vec::new(),
        Some(value) => characters(value)?,
    };
    let edits = Edits {
        unit_m,
        clips: decided,
        characters,
    };
    Ok((edits, unknown.sentences()))
}

/// Each path once.
fn characters(value: &Value) -> Result<Vec<CharacterFile>, Fault> {
    let mut files: Vec<CharacterFile> = Vec::new();
    for (k, value) in list(value, "characters")?.iter().enumerate() {
        let place = format!("characters.{k}");
        let map = object(value, &place)?;
        let path = map.get("path").and_then(Value::as_str);
        let path = path.filter(|p| !p.is_empty() && !p.contains('\0'));
        let hash = map.get("hash").and_then(Value::as_str);
        let (Some(path), Some(hash)) = (path, hash.and_then(bytes_of_hex)) else {
            let text = "there must be a path, and a hash of 64 hexadecimal digits";
            return Err(Fault::new(place, text));
        };
        if files.iter().all(|f| f.path != path) {
            files.push(CharacterFile {
                path: path.to_owned(),
                hash,
            });
        }
    }
    Ok(files)
}

/// Names in the sidecar that the source does not have.
#[derive(Default)]
struct Unknown {
    clips: Vec<String>,
    joints: Vec<String>,
}

impl Unknown {
    fn joint(&mut self, name: &str) {
        if !self.joints.iter().any(|n| n == name) {
            self.joints.push(name.to_owned());
        }
    }

    fn sentences(&self) -> Vec<String> {
        let sentence = |names: &[String], one: &str, many: &str| {
            let listed = listed(names);
            match names.len() {
                0 => None,
                1 => Some(format!("the {one} {listed} is not in the file")),
                _ => Some(format!("the {many} {listed} are not in the file")),
            }
        };
        let clips = sentence(&self.clips, "clip", "clips");
        clips
            .into_iter()
            .chain(sentence(&self.joints, "joint", "joints"))
            .collect()
    }
}

fn listed(names: &[String]) -> String {
    const MOST: usize = 8;
    let shown: Vec<String> = names
        .iter()
        .take(MOST)
        .map(|n| format!("{n:.80}"))
        .collect();
    let more = names.len().saturating_sub(MOST);
    let shown = shown.join(", ");
    if more > 0 {
        format!("{shown} and {more} more")
    } else {
        shown
    }
}

fn unit(value: &Value) -> Result<f64, Fault> {
    value
        .as_f64()
        .filter(|u| (1e-12..=1e12).contains(u))
        .ok_or_else(|| Fault::new("unit_m", "there must be a number of metres above 0"))
}

fn clip_edits(
    value: &Value,
    clip: &Clip,
    unit_m: f64,
    unknown: &mut Unknown,
) -> Result<ClipEdits, Fault> {
    let place = format!("clips.{}", clip.name());
    let map = object(value, &place)?;
    let mut edits = ClipEdits::default();
    if let Some(value) = map.get("settings") {
        edits.settings = settings(value, &format!("{place}.settings"))?;
        let settings = &edits.settings;
        let joints = settings.overrides.keys();
        let joints = joints.chain(settings.importance.joints.keys());
        let frames = settings.importance.frames.iter();
        for name in joints.chain(frames.filter_map(|f| f.joint.as_ref())) {
            if clip.skeleton().find(name).is_none() {
                unknown.joint(name);
            }
        }
    }
    if let Some(value) = map.get("contacts") {
        let of = (clip, unit_m, &edits.settings.footing);
        edits.contacts = contacts(value, of, &format!("{place}.contacts"), unknown)?;
    }
    if let Some(value) = map.get("notes") {
        edits.notes = notes(value, &format!("{place}.notes"))?;
    }
    if let Some(value) = map.get("blind_tests") {
        edits.blind_tests = tested::blind_tests(value, &format!("{place}.blind_tests"))?;
    }
    if let Some(value) = map.get("verdict") {
        let place = format!("{place}.verdict");
        edits.verdict = verdict(value, &place)?;
        edits.exceptions = exceptions(value, &format!("{place}.exceptions"))?;
    }
    Ok(edits)
}

/// Reads settings; those that are not there have their defaults.
pub(super) fn settings(value: &Value, place: &str) -> Result<Settings, Fault> {
    object(value, place)?;
    let parse = |value: &Value| serde_json::from_value::<Settings>(value.clone());
    let settings = parse(value).map_err(|e| {
        let wrong = culprit(value, |v| parse(v).is_ok());
        Fault::new(format!("{place}{wrong}"), e.to_string())
    })?;
    settings
        .check()
        .map_err(|e| Fault::new(format!("{place}.{}", e.field), e.text))?;
    Ok(settings)
}

/// The path of the one value without which a map would be read, deepest first; empty where there are several.
fn culprit(value: &Value, reads: impl Fn(&Value) -> bool) -> String {
    let mut paths = vec![Vec::new()];
    let mut k = 0;
    while k < paths.len() && paths.len() < MOST_LEAVES {
        let path: Vec<String> = paths[k].clone();
        let at = path.iter().try_fold(value, |v, key| v.get(key));
        if let Some(Value::Object(map)) = at {
            let below = map
                .keys()
                .map(|key| [path.clone(), vec![key.clone()]].concat());
            paths.extend(below);
        }
        k += 1;
    }
    let found = paths.iter().skip(1).rev().find(|path| {
        let mut without = value.clone();
        let Some((last, above)) = path.split_last() else {
            return false;
        };
        let at = above.iter().try_fold(&mut without, |v, key| v.get_mut(key));
        if let Some(Value::Object(map)) = at {
            map.remove(last);
        }
        reads(&without)
    });
    found.map_or_else(String::new, |path| format!(".{}", path.join(".")))
}

/// Those contacts for which a clip has points, from this program's own JSON.
pub(super) fn known_contacts(
    value: &Value,
    clip: &Clip,
    unit_m: f64,
    footing: &Footing,
) -> Option<Vec<Contact>> {
    let mut unknown = Unknown::default();
    contacts(value, (clip, unit_m, footing), "", &mut unknown)
        .ok()
        .flatten()
}

/// `None` where none of the contacts is of a point that the clip has: then those that are found count.
fn contacts(
    value: &Value,
    (clip, unit_m, footing): (&Clip, f64, &Footing),
    place: &str,
    unknown: &mut Unknown,
) -> Result<Option<Vec<Contact>>, Fault> {
    let joints = object(value, place)?;
    let points = Contacts::find_with(clip, unit_m, footing).points;
    let mut list = Vec::new();
    let mut known = joints.is_empty();
    for (key, parts) in joints {
        let place = format!("{place}.{key}");
        let joint = joint_of_key(clip.skeleton(), key);
        if joint.is_none() {
            unknown.joint(key);
        }
        for (part, intervals) in object(parts, &place)? {
            let place = format!("{place}.{part}");
            let intervals = intervals_of(intervals, &place)?;
            let of_point = |p: &&SolePoint| Some(p.joint) == joint && p.part.name() == part;
            if let Some(&point) = points.iter().find(of_point) {
                known = true;
                list.extend(
                    intervals
                        .into_iter()
                        .map(|frames| Contact { point, frames }),
                );
            } else if ![SolePart::Heel, SolePart::Ball]
                .iter()
                .any(|p| p.name() == part)
            {
                return Err(Fault::new(place, "a point is a heel or a ball"));
            } else if joint.is_some() {
                unknown.joint(&format!("{key} ({part})"));
            }
        }
    }
    list.sort_by_key(|c| (c.point.foot, c.point.part, c.frames));
    Ok(known.then_some(list))
}

fn joint_of_key(skeleton: &Skeleton, key: &str) -> Option<usize> {
    skeleton.find(key).or_else(|| {
        let (name, joint) = key.rsplit_once('#')?;
        let joint: usize = joint.parse().ok()?;
        (skeleton.joints().get(joint)?.name == name).then_some(joint)
    })
}

fn intervals_of(value: &Value, place: &str) -> Result<Vec<(usize, usize)>, Fault> {
    let interval = |(k, value): (usize, &Value)| {
        let frames: Option<Vec<usize>> = value
            .as_array()
            .and_then(|pair| pair.iter().map(frame_of).collect());
        match frames.as_deref() {
            Some(&[first, last]) if first <= last => Ok((first, last)),
            _ => Err(Fault::new(
                format!("{place}.{k}"),
                "there must be a first and a last frame",
            )),
        }
    };
    list(value, place)?
        .iter()
        .enumerate()
        .map(interval)
        .collect()
}

fn frame_of(value: &Value) -> Option<usize> {
    // What is larger than any clip is no frame.
    let frame = u32::try_from(value.as_u64()?).ok()?;
    Some(frame as usize)
}

fn notes(value: &Value, place: &str) -> Result<Vec<FrameNote>, Fault> {
    let mut notes = Vec::new();
    for (k, value) in list(value, place)?.iter().enumerate() {
        let place = format!("{place}.{k}");
        let map = object(value, &place)?;
        let frame = map.get("frame").and_then(frame_of);
        let text = map.get("text").and_then(Value::as_str);
        let (Some(frame), Some(text)) = (frame, text) else {
            return Err(Fault::new(place, "there must be a frame and a text"));
        };
        notes.push(FrameNote {
            frame,
            text: text.to_owned(),
        });
    }
    Ok(notes)
}

fn measure(map: &Map<String, Value>, place: &str) -> Result<Measure, Fault> {
    let Some(value) = map.get("measure") else {
        return Ok(Measure::FIRST);
    };
    value.as_str().and_then(Measure::parse).ok_or_else(|| {
        let place = format!("{place}.measure");
        Fault::new(
            place,
            "there must be a measure and its version, like \"skin 2\"",
        )
    })
}

fn exceptions(verdict: &Value, place: &str) -> Result<Vec<String>, Fault> {
    let Some(value) = verdict.get("exceptions") else {
        return Ok(Vec::new());
    };
    let texts: Option<Vec<String>> = list(value, place)?
        .iter()
        .map(|v| v.as_str().map(str::to_owned))
        .collect();
    texts.ok_or_else(|| Fault::new(place, "there must be texts"))
}

fn verdict(value: &Value, place: &str) -> Result<Verdict, Fault> {
    let map = object(value, place)?;
    let hashes = ["source", "settings", "output"];
    let of = if hashes.iter().any(|key| map.contains_key(*key)) {
        let hash = |key: &str| {
            let text = map.get(key).and_then(Value::as_str);
            text.and_then(bytes_of_hex).ok_or_else(|| {
                let place = format!("{place}.{key}");
                Fault::new(place, "there must be 64 hexadecimal digits")
            })
        };
        Some(Judged {
            source: hash("source")?,
            settings: hash("settings")?,
            output: hash("output")?,
            measure: measure(map, place)?,
            characters: match map.get("characters") {
                None => None,
                Some(_) => Some(hash("characters")?),
            },
        })
    } else {
        None
    };
    let note = match map.get("note") {
        None => String::new(),
        Some(Value::String(note)) => note.clone(),
        Some(_) => return Err(Fault::new(format!("{place}.note"), "there must be a text")),
    };
    match (map.get("state").and_then(Value::as_str), of) {
        (Some("approved"), Some(of)) => Ok(Verdict::Approved(of)),
        (Some("approved"), None) => Err(Fault::new(
            place,
            "an approval needs the hashes of source, settings and output",
        )),
        (Some("rejected"), of) => Ok(Verdict::Rejected { note, of }),
        _ => Err(Fault::new(
            format!("{place}.state"),
            "there must be approved or rejected",
        )),
    }
}

pub(super) fn bytes_of_hex(text: &str) -> Option<[u8; 32]> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .map(|c| c.to_digit(16).map(|d| d as u8))
        .collect();
    let digits = digits.filter(|d| d.len() == 64)?;
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = pair[0] << 4 | pair[1];
    }
    Some(bytes)
}

pub(super) fn object<'a>(value: &'a Value, place: &str) -> Result<&'a Map<String, Value>, Fault> {
    value
        .as_object()
        .ok_or_else(|| Fault::new(place, "there must be an object in braces"))
}

pub(super) fn list<'a>(value: &'a Value, place: &str) -> Result<&'a Vec<Value>, Fault> {
    value
        .as_array()
        .ok_or_else(|| Fault::new(place, "there must be a list in brackets"))
}
