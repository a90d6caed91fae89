//! Pictures of a blind test: who is in them shows in the pose alone.

use super::headless::HeadlessGl;
use super::{HEIGHT, WIDTH, differing};
use image::RgbaImage;
use posepress::codec::{Budget, Settings};
use posepress::gui::stage::{Cast, Stage};
use posepress::gui::view::{Body, Layer, Motion, Offscreen, PictureSize, Scene, ViewInput};
use posepress::import::{self, LoadOptions};
use posepress::session::{Change, ClipId, Command, Session};
use std::path::Path;
use std::sync::Arc;

const MANNEQUIN: &[u8] = include_bytes!("../../assets/mannequin.glb");

/// A stage with a clip that is compressed so coarsely that anybody sees it.
pub(super) fn stage() -> (Session, Stage) {
    let mut session = Session::new(|| {});
    let asset = import::load_bytes(Path::new("m.glb"), MANNEQUIN, &LoadOptions::default());
    let mut asset = asset.expect("the bundled clips load");
    asset.clips.truncate(1);
    asset.animation_index.truncate(1);
    session.add(asset);
    let clip = ClipId::default();
    let settings = Settings {
        budget: Budget::Skin { target_m: 0.1 },
        ..Settings::default()
    };
    let change = Change::Settings {
        settings: Box::new(settings),
        what: String::new(),
    };
    session.dispatch(&Command::Edit { clip, change }, None);
    while session.is_busy(clip) {
        session.poll();
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let mut stage = Stage::default();
    let asset = session.documents()[0].asset.clone();
    let result = session.result(clip).cloned();
    stage.set(&asset, &asset.clips[0], result.as_ref(), 7.0, 1.0, || {});
    stage.set_aspect(f64::from(WIDTH) / f64::from(HEIGHT));
    (session, stage)
}

pub(super) fn without_poses(input: &ViewInput) -> ViewInput {
    let mut input = input.clone();
    for body in &mut input.bodies {
        body.pose = Arc::default();
        if let Some(heat) = &mut body.heat {
            // Which of its two poses the skin is drawn in.
            heat.factor = 1.0;
        }
    }
    input
}

#[test]
fn source_and_compressed_are_drawn_by_the_same_way() {
    let (session, stage) = stage();
    let input = |cast, bones| stage.blind(cast, bones, Motion::Still).expect("a picture");
    for bones in [false, true] {
        let (source, compressed) = (input(Cast::Source, bones), input(Cast::Compressed, bones));
        assert_ne!(source.bodies[0].pose, compressed.bodies[0].pose);
        assert_eq!(without_poses(&source), without_poses(&compressed));
        let plain = Body::new(Arc::default());
        assert_eq!(without_poses(&source).bodies, [plain]);
        assert!((source.layers.has(Layer::Joints)) == bones && source.discs.is_empty());
    }
    let Some(gl) = HeadlessGl::new() else { return };
    let asset = &session.documents()[0].asset;
    let mut scene = Scene::new(Arc::clone(&gl.gl), &asset.skeleton, &asset.meshes).unwrap();
    let size = PictureSize {
        width: WIDTH,
        height: HEIGHT,
        samples: 1,
    };
    let mut picture = Offscreen::new(scene.context(), size).unwrap();
    let mut draw = |input: &ViewInput| {
        picture.render(|target| scene.render(target, input, 1.0));
        RgbaImage::from_raw(WIDTH, HEIGHT, picture.read_rgba()).unwrap()
    };
    let (source, compressed) = (input(Cast::Source, false), input(Cast::Compressed, false));
    let (first, other) = (draw(&source), draw(&compressed));
    assert!(
        differing(&first, &other, 8) > 20,
        "another pose is another picture"
    );
    assert_eq!(first, draw(&source), "X after B is A to the pixel");
    let mut disguised = compressed.clone();
    disguised.bodies[0].pose = source.bodies[0].pose.clone();
    assert_eq!(first, draw(&disguised), "the same pose is the same picture");
}
