//! Where a document holds indices of accessors and buffer views.

use super::ExportError;
use super::draft::length;
use serde_json::Value;

/// Extensions whose data holds indices at most of nodes, materials, textures, meshes or animations.
/// Names that end in `_` stand for all that begin so.
const HARMLESS: &[&str] = &[
    "EXT_texture_",
    "FB_ngon_encoding",
    "KHR_animation_pointer",
    "KHR_interactivity",
    "KHR_lights_punctual",
    "KHR_materials_",
    "KHR_mesh_quantization",
    "KHR_node_",
    "KHR_texture_",
    "KHR_xmp_json_ld",
    "MOZ_hubs_components",
    "VRM",
    "VRMC_",
];

/// Those among them that name animations.
const NUMBERS_ANIMATIONS: &[&str] = &["KHR_interactivity", "MOZ_hubs_components"];

/// Extensions whose indices the functions below renumber.
const HANDLED: &[&str] = &[
    "EXT_mesh_gpu_instancing",
    "EXT_meshopt_compression",
    "KHR_draco_mesh_compression",
    "KHR_meshopt_compression",
];

/// The two names under which the format's compressed buffer views are known.
pub(super) const MESHOPT: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

#[derive(Clone, Copy)]
enum Kind {
    Accessor,
    View,
}

impl Kind {
    fn list(self) -> &'static str {
        match self {
            Self::Accessor => "accessors",
            Self::View => "bufferViews",
        }
    }
}

/// The first extension in use of which we do not know that it holds no index of accessors or views.
pub(super) fn unknown_extension(doc: &Value) -> Option<String> {
    find_extension(doc, |name| !is_known(name))
}

/// The first extension in use of which we know that it names animations by their number.
pub(super) fn extension_that_numbers_animations(doc: &Value) -> Option<String> {
    find_extension(doc, |name| NUMBERS_ANIMATIONS.contains(&name))
}

fn is_known(name: &str) -> bool {
    HANDLED.contains(&name)
        || HARMLESS
            .iter()
            .any(|h| name == *h || (h.ends_with('_') && name.starts_with(h)))
}

fn find_extension(doc: &Value, wanted: impl Fn(&str) -> bool) -> Option<String> {
    let mut stack = vec![doc];
    while let Some(value) = stack.pop() {
        match value {
            Value::Array(list) => stack.extend(list),
            Value::Object(map) => {
                let extensions = map.get("extensions").and_then(Value::as_object);
                let mut names = extensions.into_iter().flat_map(|e| e.keys());
                if let Some(name) = names.find(|name| wanted(name)) {
                    return Some(name.clone());
                }
                stack.extend(map.iter().filter(|(k, _)| *k != "extras").map(|(_, v)| v));
            }
            _ => {}
        }
    }
    None
}

/// Which accessors and buffer views something in the document uses.
pub(super) struct Uses {
    accessors: Vec<bool>,
    views: Vec<bool>,
}

impl Uses {
    /// Counts; refuses indices that lead nowhere, since appended data would give them a meaning.
    pub(super) fn of(doc: &mut Value) -> Result<Self, ExportError> {
        Ok(Self {
            accessors: used(doc, Kind::Accessor)?,
            views: used(doc, Kind::View)?,
        })
    }
}

/// Removes what was in use `before` and is not any more. What nothing ever used stays.
pub(super) fn remove_unused(doc: &mut Value, before: &Uses) -> Result<(), ExportError> {
    let now = used(doc, Kind::Accessor)?;
    remove(doc, Kind::Accessor, &doomed(&before.accessors, &now));
    let now = used(doc, Kind::View)?;
    remove(doc, Kind::View, &doomed(&before.views, &now));
    Ok(())
}

fn doomed(before: &[bool], now: &[bool]) -> Vec<bool> {
    let was = |i: usize| before.get(i).copied().unwrap_or(false);
    now.iter().enumerate().map(|(i, &n)| was(i) && !n).collect()
}

fn used(doc: &mut Value, kind: Kind) -> Result<Vec<bool>, ExportError> {
    let mut used = vec![false; length(doc, kind.list())];
    let mut wrong = None;
    visit(doc, kind, &mut |reference| {
        let index = reference.as_u64().and_then(|i| usize::try_from(i).ok());
        match index.and_then(|i| used.get_mut(i)) {
            Some(u) => *u = true,
            None => wrong = Some(reference.to_string()),
        }
    });
    match wrong {
        Some(index) => Err(ExportError::source(
            kind.list(),
            format!(
                "something refers to entry {index}, but there are {}",
                used.len()
            ),
        )),
        None => Ok(used),
    }
}

fn remove(doc: &mut Value, kind: Kind, doomed: &[bool]) {
    if !doomed.contains(&true) {
        return;
    }
    let mut left = 0;
    let renumbered: Vec<usize> = doomed
        .iter()
        .map(|&gone| {
            left += usize::from(!gone);
            left - usize::from(!gone)
        })
        .collect();
    if let Some(list) = doc.get_mut(kind.list()).and_then(Value::as_array_mut) {
        let mut gone = doomed.iter();
        list.retain(|_| gone.next() == Some(&false));
    }
    if left == 0
        && let Some(map) = doc.as_object_mut()
    {
        // The format forbids empty lists.
        map.shift_remove(kind.list());
    }
    visit(doc, kind, &mut |reference| {
        let index = reference.as_u64().and_then(|i| usize::try_from(i).ok());
        if let Some(&new) = index.and_then(|i| renumbered.get(i)) {
            *reference = new.into();
        }
    });
}

fn visit(doc: &mut Value, kind: Kind, f: &mut dyn FnMut(&mut Value)) {
    match kind {
        Kind::Accessor => visit_accessors(doc, f),
        Kind::View => visit_views(doc, f),
    }
}

fn visit_accessors(doc: &mut Value, f: &mut dyn FnMut(&mut Value)) {
    for animation in each(doc, "animations") {
        for sampler in each(animation, "samplers") {
            sampler.get_mut("input").map(&mut *f);
            sampler.get_mut("output").map(&mut *f);
        }
    }
    for skin in each(doc, "skins") {
        skin.get_mut("inverseBindMatrices").map(&mut *f);
    }
    for mesh in each(doc, "meshes") {
        for primitive in each(mesh, "primitives") {
            primitive.get_mut("indices").map(&mut *f);
            members(primitive.get_mut("attributes")).for_each(&mut *f);
            for target in each(primitive, "targets") {
                members(Some(target)).for_each(&mut *f);
            }
        }
    }
    for node in each(doc, "nodes") {
        let instancing = at(
            node,
            &["extensions", "EXT_mesh_gpu_instancing", "attributes"],
        );
        members(instancing).for_each(&mut *f);
    }
}

fn visit_views(doc: &mut Value, f: &mut dyn FnMut(&mut Value)) {
    for accessor in each(doc, "accessors") {
        accessor.get_mut("bufferView").map(&mut *f);
        at(accessor, &["sparse", "indices", "bufferView"]).map(&mut *f);
        at(accessor, &["sparse", "values", "bufferView"]).map(&mut *f);
    }
    for image in each(doc, "images") {
        image.get_mut("bufferView").map(&mut *f);
    }
    for mesh in each(doc, "meshes") {
        for primitive in each(mesh, "primitives") {
            let path = ["extensions", "KHR_draco_mesh_compression", "bufferView"];
            at(primitive, &path).map(&mut *f);
        }
    }
}

/// Calls `f` with every object that names bytes by `buffer`, `byteOffset` and `byteLength`.
pub(super) fn visit_spans(
    doc: &mut Value,
    f: &mut dyn FnMut(&mut Value) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    for view in each(doc, "bufferViews") {
        f(view)?;
        for name in MESHOPT {
            if let Some(compressed) = at(view, &["extensions", name]) {
                f(compressed)?;
            }
        }
    }
    Ok(())
}

/// The entries of the list `key` of an object.
pub(super) fn each<'v>(value: &'v mut Value, key: &str) -> impl Iterator<Item = &'v mut Value> {
    let list = value.get_mut(key).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

fn members(value: Option<&mut Value>) -> impl Iterator<Item = &mut Value> {
    let map = value.and_then(Value::as_object_mut);
    map.into_iter().flat_map(|m| m.values_mut())
}

fn at<'v>(value: &'v mut Value, path: &[&str]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |v, key| v.get_mut(key))
}
