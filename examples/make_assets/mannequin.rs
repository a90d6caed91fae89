//! A low-poly person of 1.78 m, metres, Y up, facing +Z, with the clips Walk, Idle and Wave.
//!
//! Everything is arithmetic and square roots ([`trig`] included), so that each machine makes the same bytes.

mod body;
mod glb;
mod motion;
mod rig;
mod trig;

/// The bytes of the GLB.
pub fn build() -> Vec<u8> {
    let clips = [
        motion::walk_clip(),
        motion::idle_clip(),
        motion::wave_clip(),
    ];
    glb::write(&body::build(), &clips)
}
