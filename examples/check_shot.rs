//! Fails when a picture of the window shows nothing in one of its two 3D views.
//!
//! `cargo run --example check_shot -- window.png`. Used by the checks that run without a screen.

use image::RgbaImage;
use std::collections::HashSet;
use std::process::ExitCode;

/// Where the two views lie in a window of any size, as shares of its width and height.
const VIEWS: [(&str, [f32; 4]); 2] = [
    ("source", [0.2, 0.12, 0.47, 0.55]),
    ("compressed", [0.5, 0.12, 0.78, 0.55]),
];

/// A view with a figure in it has thousands of colours, one with the floor alone some hundred.
const MIN_COLORS: usize = 1500;

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: check_shot WINDOW.png");
        return ExitCode::from(1);
    };
    let picture = match image::open(&path) {
        Ok(picture) => picture.to_rgba8(),
        Err(e) => {
            eprintln!("{path}: {e}");
            return ExitCode::from(2);
        }
    };
    let mut blank = false;
    for (name, area) in VIEWS {
        let colors = colors(&picture, area);
        println!("{name} view: {colors} colours");
        blank |= colors < MIN_COLORS;
    }
    ExitCode::from(if blank { 3 } else { 0 })
}

fn colors(picture: &RgbaImage, [left, top, right, bottom]: [f32; 4]) -> usize {
    let (w, h) = (picture.width() as f32, picture.height() as f32);
    let inside = |x: u32, y: u32| {
        let (x, y) = (x as f32 / w, y as f32 / h);
        (left..right).contains(&x) && (top..bottom).contains(&y)
    };
    let pixels = picture
        .enumerate_pixels()
        .filter(|(x, y, _)| inside(*x, *y));
    pixels.map(|(_, _, p)| p.0).collect::<HashSet<_>>().len()
}
