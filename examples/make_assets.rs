//! Writes `assets/mannequin.glb`, the clip that the window opens with.
//!
//! `cargo run --example make_assets` from the package's folder. The same bytes come out every time, which
//! a test holds against the committed file.

#[path = "make_assets/mannequin.rs"]
mod mannequin;

use std::path::Path;

fn main() -> std::io::Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/mannequin.glb");
    let bytes = mannequin::build();
    println!("assets/mannequin.glb: {} bytes", bytes.len());
    std::fs::write(path, bytes)
}
