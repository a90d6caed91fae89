//! Reading glTF and GLB: what is read, what is repaired, what is refused.

mod corpus;
mod curves;
mod gltf;
mod graph;
mod interpolation;
mod limits;
mod meshes;
mod source;
mod sweep;
