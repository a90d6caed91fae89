//! Which joint is under the pointer.

use super::{BoneSegment, BoneSet, BoneStyle, OrbitCamera};
use crate::gui::within::Within as _;
use glam::{DAffine3, DVec2, DVec3};

/// How near the pointer must be, in points.
pub const PICK_RADIUS: f64 = 8.0;

/// A joint's sphere wins over a bone that is this many points nearer: it is what one aims at.
const SPHERE_BONUS: f64 = 3.0;
/// A thin line loses against anything solid about as near.
const LINE_MALUS: f64 = 3.0;
/// What being behind by the size of the scene costs, in points.
const DEPTH_MALUS: f64 = 12.0;

/// The joint whose bone or sphere is nearest to `pointer` in the picture, within [`PICK_RADIUS`].
///
/// `pointer` and `size` are in points from the upper left. Of bones that are both under the pointer the
/// front one wins. Cost: linear in bones.
pub fn pick(
    pointer: DVec2,
    size: DVec2,
    camera: &OrbitCamera,
    pose: &[DAffine3],
    bones: &BoneSet,
) -> Option<usize> {
    let front = camera.distance - camera.scene_size;
    let behind =
        |depth: f64| DEPTH_MALUS * (depth - front) / camera.scene_size.max(f64::MIN_POSITIVE);
    let spheres = bones.spheres().iter().filter_map(|&joint| {
        let seen = camera.screen_from_world(pose.get(joint)?.translation, size)?;
        let gap = seen.truncate().distance(pointer);
        let score = gap - SPHERE_BONUS + behind(seen.z);
        (gap <= PICK_RADIUS).then_some((joint, score))
    });
    let segments = bones.segments(pose).filter_map(|s| {
        let (gap, depth) = gap_to_bone(pointer, size, camera, &s)?;
        let malus = match s.style {
            BoneStyle::Solid => 0.0,
            BoneStyle::Line => LINE_MALUS,
        };
        (gap <= PICK_RADIUS).then_some((s.joint, gap + malus + behind(depth)))
    });
    spheres
        .chain(segments)
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(joint, _)| joint)
}

/// Points from the pointer to the bone's outline (0 inside), and the depth at its nearest place.
fn gap_to_bone(
    pointer: DVec2,
    size: DVec2,
    camera: &OrbitCamera,
    bone: &BoneSegment,
) -> Option<(f64, f64)> {
    let a = camera.screen_from_world(bone.head, size)?;
    let b = camera.screen_from_world(bone.tail, size)?;
    let along = b.truncate() - a.truncate();
    let t = (pointer - a.truncate()).dot(along) / along.length_squared().max(1e-12);
    let nearest: DVec3 = a.lerp(b, t.within(0.0, 1.0));
    let half_width = match bone.style {
        BoneStyle::Solid => 0.5 * bone.width / camera.units_per_point(nearest.z, size.y),
        BoneStyle::Line => 0.0,
    };
    let gap = nearest.truncate().distance(pointer) - half_width;
    // A pointer that is not a number is nowhere; `max` would make it 0.
    gap.is_finite().then_some((gap.max(0.0), nearest.z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::view::{Bounds, Preset};
    use crate::math::Transform;
    use crate::model::{Joint, Skeleton};

    const SIZE: DVec2 = DVec2::new(400.0, 400.0);

    /// Two chains of two joints, one in front of the other, and a camera that sees them end to end.
    fn two_poles() -> (BoneSet, Vec<DAffine3>, OrbitCamera) {
        let joint = |parent, x: f64, y: f64, z: f64| Joint {
            name: String::new(),
            parent,
            rest: Transform {
                translation: DVec3::new(x, y, z),
                ..Transform::IDENTITY
            },
            source_index: 0,
        };
        let skeleton = Skeleton::new(vec![
            joint(None, 0.0, 0.0, 0.0),
            joint(Some(0), 0.0, 0.0, -0.5),
            joint(Some(1), 0.0, 1.0, 0.0),
            joint(Some(0), 0.0, 0.0, 0.5),
            joint(Some(3), 0.0, 1.0, 0.0),
        ])
        .unwrap();
        let mut pose = vec![DAffine3::IDENTITY; skeleton.len()];
        skeleton.model_pose(&skeleton.rest_pose(), &mut pose);
        let mut camera = OrbitCamera::framing(&Bounds::new(DVec3::NEG_ONE, DVec3::ONE), 1.0);
        camera.look_from(Preset::Front);
        camera.toggle_projection();
        (BoneSet::new(&skeleton, 2.0), pose, camera)
    }

    fn at(camera: &OrbitCamera, point: DVec3) -> DVec2 {
        camera.screen_from_world(point, SIZE).unwrap().truncate()
    }

    #[test]
    fn the_front_bone_wins() {
        let (bones, pose, camera) = two_poles();
        let middle = at(&camera, DVec3::new(0.0, 0.5, 0.0));
        assert_eq!(pick(middle, SIZE, &camera, &pose, &bones), Some(3));
        let mut from_behind = camera;
        from_behind.yaw_rad = std::f64::consts::PI;
        let middle = at(&from_behind, DVec3::new(0.0, 0.5, 0.0));
        assert_eq!(pick(middle, SIZE, &from_behind, &pose, &bones), Some(1));
    }

    #[test]
    fn a_sphere_wins_over_the_bone_that_ends_there() {
        let (bones, pose, mut camera) = two_poles();
        camera.look_from(Preset::Right);
        let tip = at(&camera, DVec3::new(0.0, 0.99, 0.5));
        assert_eq!(pick(tip, SIZE, &camera, &pose, &bones), Some(4));
        let below = at(&camera, DVec3::new(0.0, 0.7, 0.5));
        assert_eq!(pick(below, SIZE, &camera, &pose, &bones), Some(3));
    }

    #[test]
    fn far_from_everything_nothing_is_picked() {
        let (bones, pose, camera) = two_poles();
        assert_eq!(
            pick(DVec2::new(5.0, 5.0), SIZE, &camera, &pose, &bones),
            None
        );
        assert_eq!(pick(DVec2::NAN, SIZE, &camera, &pose, &bones), None);
        assert_eq!(pick(SIZE * 0.5, SIZE, &camera, &[], &bones), None);
    }
}
