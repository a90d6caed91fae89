//! The 3D view, drawn without a window and looked at pixel by pixel.

mod blind;
mod flicker;
mod headless;
mod look;
mod mannequin;
mod painting;
mod pictures;
mod weights;

use glam::{DAffine3, DVec3};
use headless::HeadlessGl;
use image::RgbaImage;
use mannequin::Model;
use posepress::gui::view::{
    AssetBounds, Body, Layers, Offscreen, OrbitCamera, PictureSize, Preset, Scene, ViewInput,
};
use posepress::model::Mesh;
use std::sync::Arc;
use three_d::context::HasContext as _;

const WIDTH: u32 = 400;
const HEIGHT: u32 = 300;

/// A scene and a picture of 400 x 300 pixels without multisampling.
struct Stage {
    scene: Scene,
    picture: Offscreen,
    _gl: HeadlessGl,
}

impl Stage {
    fn new(gl: HeadlessGl, model: &Model, meshes: &[Mesh]) -> Self {
        Self::sized(gl, model, meshes, (WIDTH, HEIGHT, 1))
    }

    fn sized(gl: HeadlessGl, model: &Model, meshes: &[Mesh], size: (u32, u32, u32)) -> Self {
        let scene = Scene::new(Arc::clone(&gl.gl), &model.skeleton, meshes).unwrap();
        let (width, height, samples) = size;
        let size = PictureSize {
            width,
            height,
            samples,
        };
        let picture = Offscreen::new(scene.context(), size).unwrap();
        Self {
            scene,
            picture,
            _gl: gl,
        }
    }

    /// Draws and waits until it is done.
    fn render(&mut self, input: &ViewInput) {
        let Self { scene, picture, .. } = self;
        picture.render(|target| scene.render(target, input, 1.0));
        // SAFETY: the context is current.
        unsafe { scene.context().finish() };
    }

    fn draw(&mut self, input: &ViewInput) -> RgbaImage {
        self.render(input);
        let PictureSize { width, height, .. } = self.picture.size();
        RgbaImage::from_raw(width, height, self.picture.read_rgba()).unwrap()
    }
}

/// What a view of `pose` from the front starts with.
fn input(model: &Model, pose: Vec<DAffine3>) -> ViewInput {
    let meshes = std::slice::from_ref(&model.mesh);
    let bounds = AssetBounds::of(&model.skeleton, meshes).rest();
    let mut camera = OrbitCamera::framing(&bounds, f64::from(WIDTH) / f64::from(HEIGHT));
    camera.look_from(Preset::Front);
    ViewInput::new(Body::new(Arc::new(pose)), camera)
}

/// Nothing but what `layers` names.
fn only(input: &ViewInput, layers: Layers) -> ViewInput {
    ViewInput {
        layers,
        ..input.clone()
    }
}

fn differing(a: &RgbaImage, b: &RgbaImage, tolerance: u8) -> usize {
    let far = |(a, b): (&u8, &u8)| a.abs_diff(*b) > tolerance;
    let pixels = a.pixels().zip(b.pixels());
    pixels
        .filter(|(a, b)| a.0.iter().zip(&b.0).any(far))
        .count()
}

/// Pixels whose hue is that of `color`, whatever the shading.
fn like(picture: &RgbaImage, color: [u8; 3]) -> usize {
    let wanted = DVec3::from(color.map(f64::from)).normalize();
    let bright = |p: &&image::Rgba<u8>| p.0[..3].iter().any(|&c| c > 70);
    let near = |p: &&image::Rgba<u8>| {
        let [r, g, b, _] = p.0.map(f64::from);
        DVec3::new(r, g, b).normalize_or_zero().dot(wanted) > 0.975
    };
    picture.pixels().filter(bright).filter(near).count()
}
