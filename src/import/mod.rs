//! Reading clips: glTF 2.0 and GLB to [`Asset`].
//!
//! The JSON is read member by member and every offset is checked here (the `gltf` crate panics on many
//! damaged files), so that a damaged or hostile file is refused with a place and a hint. What is merely
//! odd is repaired and reported in [`Asset::issues`].
//!
//! | error code | meaning |
//! |---|---|
//! | `file-unreadable`, `file-missing`, `not-a-file`, `file-too-large`, `empty-file` | the file, or one it needs, cannot be read |
//! | `not-gltf`, `lfs-pointer`, `version`, `bad-json`, `json-type` | it is not glTF 2.0 |
//! | `glb-truncated`, `glb-trailing`, `glb-chunks` | the GLB container is damaged |
//! | `uri-refused`, `bad-base64`, `buffer-short` | a buffer's source is refused or damaged |
//! | `accessor-bounds`, `accessor-format` | bytes of a curve are not there, or of a wrong kind |
//! | `node-missing`, `node-cycle`, `two-parents`, `singular-matrix`, `not-finite`, `bad-skeleton` | the nodes make no skeleton |
//! | `too-many-nodes`, `too-many-joints`, `too-many-keys` | a limit |
//! | `no-animation` | nothing is left to compress |
//! | `no-character` | a file that is read for its meshes has none that joints move |
//! | `internal` | a fault of this program, fenced in |
//!
//! In strict mode the code of any warning can be an error's as well.

mod accessor;
mod animation;
mod clips;
mod decompose;
mod error;
mod fields;
mod file;
mod glb;
mod material;
mod mesh;
mod morph;
mod nodes;
mod rig;
mod skin;
mod source;
mod targets;
mod texture;
mod triangles;
mod unit;
mod uri;
mod vertices;

pub use error::ImportError;
pub use source::{GltfSource, read_gltf_source};

use crate::model::{Asset, Issues, Mesh, Skeleton, Skin};
use error::Fault;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How to read a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// Refuse files that need any repair, instead of repairing them with a warning.
    pub strict: bool,
}

/// Reads a `.gltf` or `.glb` file with everything that it needs.
///
/// Joints are the nodes of all trees in which something is skinned or animated, depth first; clips are
/// the animations that move any of them or a morph weight. Meshes are for looking at: what is wrong
/// with them never stops the clips. Limits: 2 GiB, 10^6 nodes, 16,384 joints, 2^24 keys a curve and
/// 2^25 a file. Never panics. Cost: linear in the file; pictures are decoded.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Asset, ImportError> {
    fenced(path, || asset(path, &source::read(path)?, *options))
}

/// The joints of a file and what they move, whether it has clips or not.
#[derive(Clone, Debug)]
pub struct Character {
    /// As in [`Asset::skeleton`].
    pub skeleton: Arc<Skeleton>,
    /// As in [`Asset::skin`].
    pub skin: Arc<Skin>,
    /// As in [`Asset::meshes`].
    pub meshes: Arc<Vec<Mesh>>,
    /// As in [`Asset::source_hash`].
    pub hash: [u8; 32],
    /// As in [`Asset::parts`].
    pub parts: Vec<PathBuf>,
}

/// Reads the character of a `.gltf` or `.glb` file. As [`load`], but the file needs no animation.
pub fn load_character(path: &Path) -> Result<Character, ImportError> {
    let none = || {
        Fault::new(
            "no-character",
            "skins",
            "nothing in the file follows joints",
        )
        .hint("export the model with its skin")
    };
    fenced(path, || character(&source::read(path)?, rig::rig, none))
}

/// Reads something to be held, such as a sword, of a `.gltf` or `.glb` file, whether something in it moves or not: every
/// node is a joint.
pub fn load_prop(path: &Path) -> Result<Character, ImportError> {
    let none = || Fault::new("no-prop", "nodes", "the file has no nodes");
    fenced(path, || character(&source::read(path)?, rig::whole, none))
}

/// Finds the joints of a file.
type FindRig =
    fn(&serde_json::Value, &nodes::Forest<'_>, &mut Issues) -> Result<Option<rig::Rig>, Fault>;

fn character(
    source: &GltfSource,
    find: FindRig,
    none: impl FnOnce() -> Fault,
) -> Result<Character, Fault> {
    let json = &source.json;
    let mut issues = Issues::default();
    let forest = nodes::Forest::new(json)?;
    let data = accessor::Accessors::new(json, &source.buffers)?;
    let Some(rig) = find(json, &forest, &mut issues)? else {
        return Err(none());
    };
    let mut reader = mesh::Reader::new(json, &data, &forest, &rig.joint_of_node, &source.base)?;
    Ok(Character {
        skin: Arc::new(vertices::read(json, &data, &forest, &rig.joint_of_node)),
        meshes: Arc::new(reader.read(&mut issues)),
        skeleton: Arc::new(rig.skeleton),
        hash: source.hash,
        parts: source.parts.clone(),
    })
}

/// As [`load`], from the bytes of a file that are at hand already, such as a bundled clip.
///
/// `path` is where they came from: it stands in errors and in [`Asset::path`], and relative URIs refer
/// to its folder.
pub fn load_bytes(path: &Path, bytes: &[u8], options: &LoadOptions) -> Result<Asset, ImportError> {
    fenced(path, || asset(path, &source::parse(path, bytes)?, *options))
}

/// The last guard: a panic becomes an error.
fn fenced<T>(path: &Path, run: impl FnOnce() -> Result<T, Fault>) -> Result<T, ImportError> {
    let result = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = format!("reading it failed inside: {}", panic_text(panic.as_ref()));
        Err(Fault::new("internal", "", text).hint("please report it, with the file"))
    });
    result.map_err(|f| f.into_error(path))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}

fn asset(path: &Path, source: &GltfSource, options: LoadOptions) -> Result<Asset, Fault> {
    let json = &source.json;
    let mut issues = Issues::default();
    report_extensions(json, &mut issues)?;
    let forest = nodes::Forest::new(json)?;
    let data = accessor::Accessors::new(json, &source.buffers)?;
    let Some(rig) = rig::rig(json, &forest, &mut issues)? else {
        return Err(clips::nothing_left(json, &forest, &issues));
    };
    let skeleton = Arc::new(rig.skeleton);
    let joint_of_node = &rig.joint_of_node;
    let reader = animation::Reader::new(json, &data, &forest, joint_of_node);
    let skin = Arc::new(vertices::read(json, &data, &forest, joint_of_node));
    let on = (&skeleton, &skin);
    let (clips, animation_index) = clips::read(json, reader, on, &mut issues)?;
    if clips.is_empty() {
        return Err(clips::nothing_left(json, &forest, &issues));
    }
    let meshes = mesh::Reader::new(json, &data, &forest, joint_of_node, &source.base);
    let meshes = match meshes {
        Ok(mut reader) => reader.read(&mut issues),
        Err(fault) => {
            fault.warn("no mesh is shown", &mut issues);
            Vec::new()
        }
    };
    if options.strict {
        error::refuse_warnings(&issues)?;
    }
    let unit = unit::guess(&skeleton, &rig.skin_joints, &meshes);
    Ok(Asset {
        path: path.to_owned(),
        parts: source.parts.clone(),
        source_hash: source.hash,
        skeleton,
        clips,
        animation_index,
        meshes: Arc::new(meshes),
        skin,
        unit_m: unit.metres,
        unit_reason: unit.reason,
        issues,
    })
}

/// Extensions that a file may require without anything being lost but looks.
const HARMLESS: [&str; 6] = [
    "EXT_texture_",
    "KHR_xmp",
    "KHR_materials_",
    "KHR_texture_",
    "KHR_lights_",
    "KHR_mesh_quantization",
];
/// Extensions whose absence is reported where they are met.
const MET_LATER: [&str; 4] = [
    "KHR_draco_mesh_compression",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "KHR_animation_pointer",
];

fn report_extensions(json: &serde_json::Value, issues: &mut Issues) -> Result<(), Fault> {
    for name in fields::list(json, "extensionsRequired", "")? {
        let name = name.as_str().unwrap_or("?");
        let known = HARMLESS.iter().any(|h| name.starts_with(h)) || MET_LATER.contains(&name);
        if !known {
            let text = format!("it requires {name:.60}, which is not known here and ignored");
            issues.warn("extension-required", "extensionsRequired", text);
        }
    }
    Ok(())
}
