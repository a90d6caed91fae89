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
    /// Up to four entries of `joints` that move the vertex.
    pub bones: Vec<[u16; 4]>,
    /// Their weights; non-negative, sum 1.
    pub weights: Vec<[f32; 4]>,
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
