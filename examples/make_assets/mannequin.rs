//! The bundled mannequin: a low-poly person of 1.75 m, metres, Y up, facing +Z, with its clips.
//!
//! Everything is arithmetic and square roots ([`trig`] included), so that each machine makes the same bytes.

mod animation;
mod body;
mod clips;
mod contacts;
mod controls;
mod feet;
mod film;
mod gait;
mod glb;
mod hand;
mod head;
mod loft;
mod pose;
mod rig;
mod steps;
mod trig;

/// What stands in `assets/`.
pub struct Files {
    /// `mannequin.glb`.
    pub glb: Vec<u8>,
    /// `mannequin.contacts.json`.
    pub contacts: String,
}

/// Makes all files.
pub fn build() -> Files {
    let films = clips::all();
    Files {
        glb: glb::write(&films),
        contacts: contacts::write(&films),
    }
}
