use super::{Clip, Issues, Morph, Skeleton, Skin};
use glam::DMat4;
use std::path::PathBuf;
use std::sync::Arc;

/// Everything that one source file holds.
#[derive(Clone, Debug)]
pub struct Asset {
    /// Where it was read from.
    pub path: PathBuf,
    /// Other files in which its keyframes stand, such as the `.bin` of a `.gltf`.
    pub parts: Vec<PathBuf>,
    /// SHA-256 of the file, and of `parts` where there are some.
    pub source_hash: [u8; 32],
    /// All joints: every node of every scene tree in which something is skinned or animated.
    pub skeleton: Arc<Skeleton>,
    /// All clips, in the file's order.
    pub clips: Vec<Arc<Clip>>,
    /// For each clip, the index in the file of the animation that it is: animations without a usable
    /// curve are left out of `clips`.
    pub animation_index: Vec<usize>,
    /// What the viewport draws: the meshes of the default scene, or of the whole file if it names none; empty
    /// when there is no mesh or none that can be read.
    pub meshes: Arc<Vec<Mesh>>,
    /// All vertices that the joints move, of all meshes of the file: what errors are measured on.
    pub skin: Arc<Skin>,
    /// The guess of how many metres one unit of the file is; 1 when nothing speaks against it.
    pub unit_m: f64,
    /// Why the guess is what it is, in one sentence; empty for 1.
    pub unit_reason: String,
    /// What was odd about the file.
    pub issues: Issues,
}

impl Asset {
    /// Gives all clips another skin, which must be one of their skeleton.
    pub fn set_skin(&mut self, skin: Arc<Skin>) {
        for clip in &mut self.clips {
            *clip = Arc::new(Clip::clone(clip).with_skin(skin.clone()));
        }
        self.skin = skin;
    }
}

/// Triangles that follow joints, ready for the GPU. All vertex arrays have one entry a vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Name of the node or mesh.
    pub name: String,
    /// Positions in the space of the bind pose, source units.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals; computed when the file has none.
    pub normals: Vec<[f32; 3]>,
    /// Texture coordinates, origin at the upper left; empty when there are none.
    pub uvs: Vec<[f32; 2]>,
    /// Linear vertex colours, empty when there are none.
    pub colors: Vec<[f32; 4]>,
    /// The four entries of `joints` that move the vertex most.
    pub bones: Vec<[u16; 4]>,
    /// Their weights; non-negative, sum 1 with those of `more`.
    pub weights: Vec<[f32; 4]>,
    /// What else moves it.
    pub more: MoreBones,
    /// Three indices a triangle.
    pub indices: Vec<u32>,
    /// For each bone: the skeleton's joint, and `joint_from_mesh` of the bind pose.
    pub joints: Vec<(usize, DMat4)>,
    /// Linear base colour factor.
    pub base_color: [f32; 4],
    /// Base colour texture.
    pub texture: Option<Arc<Texture>>,
    /// Its morph targets, if it has some. Normals stay what they are.
    pub morph: Option<Morph>,
}

impl Mesh {
    /// What moves a vertex: entries of `joints` and their weights above 0, the largest first.
    pub fn influences(&self, vertex: usize) -> impl Iterator<Item = (u16, f32)> + '_ {
        let four = self.bones.get(vertex).zip(self.weights.get(vertex));
        let four = four.into_iter().flat_map(|(bones, weights)| {
            let pairs = bones.iter().copied().zip(weights.iter().copied());
            pairs.filter(|(_, weight)| *weight > 0.0)
        });
        four.chain(self.more.of_vertex(vertex).iter().copied())
    }
}

/// The bones of vertices beyond their first four, with their weights. Most meshes have none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MoreBones {
    all: Vec<(u16, f32)>,
    /// For each vertex the index behind its last; those past its end have none.
    ends: Vec<u32>,
}

impl MoreBones {
    /// Gives a vertex some; those before it that were given none have none. Vertices come in their order.
    pub fn push(&mut self, vertex: usize, bones: &[(u16, f32)]) {
        if bones.is_empty() {
            return;
        }
        self.ends.resize(vertex, self.all.len() as u32);
        self.all.extend_from_slice(bones);
        self.ends.push(self.all.len() as u32);
    }

    /// Those of all vertices, one after the other.
    pub fn all(&self) -> &[(u16, f32)] {
        &self.all
    }

    /// Where those of a vertex stand in [`MoreBones::all`].
    pub fn range(&self, vertex: usize) -> std::ops::Range<usize> {
        let Some(&end) = self.ends.get(vertex) else {
            return 0..0;
        };
        let start = vertex.checked_sub(1).map_or(0, |v| self.ends[v]);
        start as usize..end as usize
    }

    /// Those of a vertex.
    pub fn of_vertex(&self, vertex: usize) -> &[(u16, f32)] {
        &self.all[self.range(vertex)]
    }
}

/// An 8-bit sRGB picture with alpha, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texture {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Four bytes a pixel.
    pub rgba: Vec<u8>,
}
