//! Writes `assets/mannequin.glb`, the clips that the window opens with, and what is known about them.
//!
//! `cargo run --example make_assets` from the package's folder. The same bytes come out every time, which
//! a test holds against the committed files.

#[path = "make_assets/mannequin.rs"]
mod mannequin;

use std::path::Path;

fn main() -> std::io::Result<()> {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let mannequin::Files { glb, contacts } = mannequin::build();
    for (name, bytes) in [
        ("mannequin.glb", glb),
        ("mannequin.contacts.json", contacts.into_bytes()),
    ] {
        println!("assets/{name}: {} bytes", bytes.len());
        std::fs::write(assets.join(name), bytes)?;
    }
    Ok(())
}
