//! The source in the place of the compressed character: the eye sees the pose change and nothing else.

use super::blind::{stage, without_poses};
use posepress::gui::stage::Cast;
use posepress::gui::state::ViewOptions;
use posepress::gui::view::{Motion, ViewInput};
use std::sync::Arc;

#[test]
fn nothing_but_the_pose_is_swapped() {
    let (_session, stage) = stage();
    let options = ViewOptions::default();
    let input = |cast| -> ViewInput {
        let input = stage.input(cast, &options, 3, None, Motion::Still);
        input.expect("a picture")
    };
    let (compressed, swapped) = (input(Cast::Compressed), input(Cast::Swapped));
    assert!(!compressed.discs.is_empty() && !compressed.bodies[0].joint_colors.is_empty());
    assert_eq!(without_poses(&compressed), without_poses(&swapped));
    let source = stage.pose(Cast::Source).expect("a pose");
    assert!(Arc::ptr_eq(&swapped.bodies[0].pose, source));
    assert_ne!(swapped.bodies[0].pose, compressed.bodies[0].pose);
    // In the overlay it takes the place of both.
    assert_eq!(
        (input(Cast::Both).bodies.len(), swapped.bodies.len()),
        (2, 1)
    );
}
