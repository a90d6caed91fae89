//! Files for engines: what leaves the program.

pub mod gltf;
