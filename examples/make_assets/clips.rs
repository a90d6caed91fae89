//! The clips, in the file's order.

mod idle;
mod walk;

use super::film::Film;

pub fn all() -> Vec<Film> {
    vec![walk::walk(), walk::walk_root_motion(), walk::run(), idle::idle()]
}
