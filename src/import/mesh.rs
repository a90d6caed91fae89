//! Meshes for the viewport. Nothing here stops the clips from loading: a mesh that cannot be read is
//! left out with a warning, one that is packed in a way that is not read with a note.

use super::accessor::{self, Accessors, Component};
use super::error::Fault;
use super::fields;
use super::material::{self, Material};
use super::morph;
use super::nodes::Forest;
use super::skin::{self, Bones};
use super::texture::Textures;
use super::triangles;
use crate::model::{Issues, Mesh, MoreBones, Morph};
use glam::DMat4;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::rc::Rc;

/// Most vertices, indices and bones of all meshes together: a file can draw one mesh any number of times.
const MAX_ELEMENTS: usize = 1 << 24;
/// What a primitive counts beside its vertices and indices.
const PRIMITIVE_COST: usize = 64;

const BAD: &str = "bad-mesh";
/// Drawn in a way that is not read, though the file is sound.
const UNSUPPORTED: &str = "mesh-not-shown";
/// The limit is reached; no more is read.
const TOO_LARGE: &str = "mesh-too-large";
const OUT: &str = "the mesh is not shown";

/// Reads the meshes of one file.
pub(super) struct Reader<'a> {
    forest: &'a Forest<'a>,
    data: &'a Accessors<'a>,
    joint_of_node: &'a [Option<usize>],
    nodes: &'a [Value],
    meshes: &'a [Value],
    skins: &'a [Value],
    materials: &'a [Value],
    textures: Textures<'a>,
    shown: Vec<bool>,
    bones: HashMap<usize, Result<Rc<Bones>, Fault>>,
    elements_left: usize,
}

/// What was read, and what has to be said in the end.
#[derive(Default)]
struct Found {
    meshes: Vec<Mesh>,
    /// Why parts of sound files are not shown, and how many.
    unsupported: BTreeMap<String, usize>,
    /// Textures that cannot be read, by place.
    textureless: BTreeMap<String, Fault>,
}

impl<'a> Reader<'a> {
    pub fn new(
        json: &'a Value,
        data: &'a Accessors<'a>,
        forest: &'a Forest<'a>,
        joint_of_node: &'a [Option<usize>],
        base: &'a Path,
    ) -> Result<Self, Fault> {
        Ok(Self {
            forest,
            data,
            joint_of_node,
            nodes: fields::objects(json, "nodes")?,
            meshes: fields::objects(json, "meshes")?,
            skins: fields::objects(json, "skins")?,
            materials: fields::objects(json, "materials")?,
            textures: Textures::new(json, data, base)?,
            shown: shown(json, forest),
            bones: HashMap::new(),
            elements_left: MAX_ELEMENTS,
        })
    }

    /// All primitives of skinned meshes, and of rigid ones that hang on a joint, in the order of the
    /// nodes; of the default scene alone, if the file names one. What cannot be read is reported.
    pub fn read(&mut self, issues: &mut Issues) -> Vec<Mesh> {
        let mut found = Found::default();
        let forest = self.forest;
        let order = forest.order().iter().copied();
        for node in order.filter(|&n| self.shown[n]).collect::<Vec<_>>() {
            if let Err(fault) = self.node(node, &mut found, issues) {
                fault.warn("no more meshes are shown", issues);
                break;
            }
        }
        for fault in found.textureless.into_values() {
            fault.warn("its meshes are shown without it", issues);
        }
        for (text, n) in found.unsupported {
            let text = format!("{n} parts are not shown: {text}; the clips are not affected");
            issues.note(UNSUPPORTED, "meshes", text);
        }
        found.meshes
    }

    /// Reads the primitives of one node; an error means that the limit is reached.
    fn node(&mut self, node: usize, found: &mut Found, issues: &mut Issues) -> Result<(), Fault> {
        let Some(mesh) = self.forest.nodes()[node].mesh else {
            return Ok(());
        };
        let Some(bones) = self.bones_of(node) else {
            return Ok(());
        };
        for k in 0..self.primitives(mesh) {
            let read = self.primitive(node, mesh, k, &bones);
            let place = || format!("{}, mesh {mesh}, primitive {k}", self.forest.place(node));
            match read {
                Ok((mut shown, texture_fault)) => {
                    match self.morph(node, mesh, k, shown.positions.len()) {
                        Ok(morph) => shown.morph = morph,
                        Err(f) => f
                            .within(&place())
                            .warn("it is shown without its morphs", issues),
                    }
                    found.meshes.push(shown);
                    if let Some(f) = texture_fault {
                        found.textureless.entry(f.place.clone()).or_insert(f);
                    }
                }
                Err(f) if matches!(f.code, UNSUPPORTED | accessor::MESHOPT) => {
                    *found.unsupported.entry(f.text).or_default() += 1;
                }
                Err(f) if f.code == TOO_LARGE => return Err(f.within(&place())),
                Err(f) => f.within(&place()).warn(OUT, issues),
            }
        }
        Ok(())
    }

    fn primitives(&self, mesh: usize) -> usize {
        let list = self.meshes.get(mesh).and_then(|m| m.get("primitives"));
        // A mesh without any is one broken part: it is reported when it is read.
        list.and_then(Value::as_array).map_or(1, Vec::len)
    }

    /// The bones that move a node's mesh; `None` for a rigid mesh that no joint moves.
    fn bones_of(&mut self, node: usize) -> Option<Result<Rc<Bones>, Fault>> {
        if let Some(skin) = self.forest.nodes()[node].skin {
            let (skins, data, joints) = (self.skins, self.data, self.joint_of_node);
            let bones = self.bones.entry(skin);
            let bones = bones.or_insert_with(|| skin::read(skins, skin, data, joints).map(Rc::new));
            return Some(bones.clone());
        }
        let joint = self.joint_of_node[node]?;
        Some(Ok(Rc::new(vec![(joint, DMat4::IDENTITY)])))
    }

    fn primitive(
        &mut self,
        node: usize,
        mesh: usize,
        k: usize,
        bones: &Result<Rc<Bones>, Fault>,
    ) -> Result<(Mesh, Option<Fault>), Fault> {
        self.charge(PRIMITIVE_COST)?;
        let bones = bones.as_ref().map_err(Clone::clone)?;
        let meshes = self.meshes;
        let primitive = meshes.get(mesh).and_then(|m| m.get("primitives")?.get(k));
        let Some(primitive) = primitive else {
            return Err(Fault::new(BAD, "", "it does not exist"));
        };
        refuse_draco(primitive)?;
        let attributes = primitive.get("attributes").unwrap_or(&Value::Null);
        let vertices = self.charge_vertices(attributes, bones.len())?;
        let mut out = Mesh {
            name: self.forest.name(node),
            positions: self
                .vectors(attributes, "POSITION", vertices)?
                .unwrap_or_default(),
            indices: self.indices(primitive, vertices)?,
            joints: bones.to_vec(),
            ..Mesh::default()
        };
        if !out.positions.iter().flatten().all(|x| x.is_finite()) {
            return Err(Fault::new(BAD, "", "positions hold NaN or infinity"));
        }
        out.normals = match self.vectors(attributes, "NORMAL", vertices)? {
            Some(normals) => triangles::unit(normals),
            None => triangles::normals(&out.positions, &out.indices),
        };
        (out.bones, out.weights, out.more) = if self.forest.nodes()[node].skin.is_some() {
            skin::influences(attributes, vertices, bones.len(), self.data)?
        } else {
            let weights = vec![[1.0, 0.0, 0.0, 0.0]; vertices];
            (vec![[0; 4]; vertices], weights, MoreBones::default())
        };
        self.charge(out.more.all().len())?;
        out.colors = self.colors(attributes, vertices)?;
        let fault = self.paint(&mut out, primitive, attributes)?;
        Ok((out, fault))
    }

    /// The morph targets of a primitive with so many vertices.
    fn morph(
        &mut self,
        node: usize,
        mesh: usize,
        k: usize,
        vertices: usize,
    ) -> Result<Option<Morph>, Fault> {
        let meshes = self.meshes;
        let mesh = meshes.get(mesh).unwrap_or(&Value::Null);
        let primitive = mesh.get("primitives").and_then(|p| p.get(k));
        let primitive = primitive.unwrap_or(&Value::Null);
        let targets = fields::list(primitive, "targets", "")?.len();
        self.charge(targets.saturating_mul(vertices))?;
        let shown_by = (node, self.nodes.get(node).unwrap_or(&Value::Null));
        morph::read(primitive, vertices, shown_by, mesh, self.data)
    }

    /// Number of vertices, once it is known that there is memory for them.
    fn charge_vertices(&mut self, attributes: &Value, bones: usize) -> Result<usize, Fault> {
        let Some(position) = fields::index(attributes, "POSITION", "")? else {
            return Err(Fault::new(BAD, "", "it has no POSITION"));
        };
        let count = self.data.get(position)?.count;
        self.charge(count + bones)?;
        Ok(count)
    }

    fn charge(&mut self, elements: usize) -> Result<(), Fault> {
        let Some(left) = self.elements_left.checked_sub(elements) else {
            let text = format!("the meshes have more than {MAX_ELEMENTS} vertices and indices");
            return Err(Fault::new(TOO_LARGE, "", text));
        };
        self.elements_left = left;
        Ok(())
    }

    fn indices(&mut self, primitive: &Value, vertices: usize) -> Result<Vec<u32>, Fault> {
        let mode = fields::uint(primitive, "mode", "")?.unwrap_or(4);
        let kind = match mode {
            4 => triangles::Kind::List,
            5 => triangles::Kind::Strip,
            6 => triangles::Kind::Fan,
            0..=3 => {
                return Err(Fault::new(
                    UNSUPPORTED,
                    "",
                    "points and lines are not drawn",
                ));
            }
            _ => return Err(Fault::new(BAD, "", format!("unknown mode {mode}"))),
        };
        let stored = match fields::index(primitive, "indices", "")? {
            Some(index) => {
                let accessor = self.data.get(index)?;
                if accessor.width != 1 {
                    return Err(accessor.format_fault("one unsigned integer an index"));
                }
                self.charge(accessor.count)?;
                accessor.uints()?
            }
            None => (0..vertices as u32).collect(),
        };
        if let Some(&bad) = stored.iter().find(|&&i| i as usize >= vertices) {
            let text = format!("index {bad} of {vertices} vertices");
            return Err(Fault::new(BAD, "", text));
        }
        Ok(triangles::list(kind, stored))
    }

    /// A VEC3 attribute, also as the integers of `KHR_mesh_quantization`.
    fn vectors(
        &self,
        attributes: &Value,
        name: &str,
        vertices: usize,
    ) -> Result<Option<Vec<[f32; 3]>>, Fault> {
        let Some(index) = fields::index(attributes, name, "")? else {
            return Ok(None);
        };
        let accessor = self.data.get(index)?;
        if accessor.width != 3 || accessor.component == Component::U32 || accessor.count != vertices
        {
            return Err(accessor.format_fault("one VEC3 a vertex"));
        }
        Ok(Some(arrays(&accessor.floats())))
    }

    fn colors(&self, attributes: &Value, vertices: usize) -> Result<Vec<[f32; 4]>, Fault> {
        let Some(index) = fields::index(attributes, "COLOR_0", "")? else {
            return Ok(Vec::new());
        };
        let accessor = self.data.get(index)?;
        if accessor.count != vertices {
            return Err(accessor.format_fault("one colour a vertex"));
        }
        let floats = || accessor.floats();
        let colors: Vec<[f32; 4]> = match accessor.width {
            3 => floats()
                .chunks_exact(3)
                .map(|c| [c[0], c[1], c[2], 1.0])
                .collect(),
            4 => arrays(&floats()),
            _ => return Err(accessor.format_fault("a VEC3 or VEC4 colour")),
        };
        let whole = colors.iter().flatten().all(|c| c.is_finite());
        Ok(if whole { colors } else { Vec::new() })
    }

    /// Colour, texture and texture coordinates; returns why there is no texture.
    fn paint(
        &mut self,
        mesh: &mut Mesh,
        primitive: &Value,
        attributes: &Value,
    ) -> Result<Option<Fault>, Fault> {
        let material = match fields::index(primitive, "material", "")? {
            Some(index) => material::read(self.materials, index)?,
            None => Material::default(),
        };
        mesh.base_color = material.color;
        mesh.uvs = self.uvs(attributes, &material, mesh.positions.len())?;
        let Some(texture) = material.texture.filter(|_| !mesh.uvs.is_empty()) else {
            return Ok(None);
        };
        match self.textures.get(texture) {
            Ok(texture) => mesh.texture = Some(texture),
            Err(fault) => return Ok(Some(fault)),
        }
        Ok(None)
    }

    fn uvs(
        &self,
        attributes: &Value,
        material: &Material,
        vertices: usize,
    ) -> Result<Vec<[f32; 2]>, Fault> {
        let name = format!("TEXCOORD_{}", material.uv_set);
        let Some(index) = fields::index(attributes, &name, "")? else {
            return Ok(Vec::new());
        };
        let accessor = self.data.get(index)?;
        if accessor.width != 2 || accessor.count != vertices {
            return Err(accessor.format_fault("one VEC2 texture coordinate a vertex"));
        }
        let rows = material.uv_rows;
        let moved = |[u, v]: [f32; 2]| rows.map(|r| r[0] * u + r[1] * v + r[2]);
        let uvs: Vec<[f32; 2]> = arrays(&accessor.floats());
        Ok(uvs.into_iter().map(moved).collect())
    }
}

/// For each node, whether it is drawn: it belongs to the default scene, or the file names no usable one.
///
/// Other scenes hold what is shown instead, such as lower levels of detail.
fn shown(json: &Value, forest: &Forest<'_>) -> Vec<bool> {
    let index = json.get("scene").and_then(fields::whole);
    let scene = index.and_then(|i| json.get("scenes")?.get(fields::to_index(i)));
    let tops = scene.and_then(|s| s.get("nodes")?.as_array());
    let nodes = forest.nodes();
    let Some(tops) = tops else {
        return vec![true; nodes.len()];
    };
    let mut in_scene = vec![false; nodes.len()];
    for top in tops.iter().filter_map(fields::whole) {
        if let Some(shown) = in_scene.get_mut(fields::to_index(top)) {
            *shown = true;
        }
    }
    nodes.iter().map(|n| in_scene[n.root]).collect()
}

pub(super) fn refuse_draco(primitive: &Value) -> Result<(), Fault> {
    let draco = fields::extension(primitive, "KHR_draco_mesh_compression");
    if draco.is_none() {
        return Ok(());
    }
    let text = "they are packed with Draco compression, which is not read";
    Err(Fault::new(UNSUPPORTED, "", text))
}

fn arrays<const N: usize>(floats: &[f32]) -> Vec<[f32; N]> {
    floats.as_chunks().0.to_vec()
}
