//! A camera that circles a point.

use super::Bounds;
use crate::gui::within::Within as _;
use glam::dcamera::rh::proj::opengl;
use glam::{DMat4, DVec2, DVec3};
use std::f64::consts::FRAC_PI_2;

/// Turn of the camera for each point that the mouse moves, in radians.
const ORBIT_RAD_PER_POINT: f64 = 0.008;

/// How much larger than the bounds the framed picture is.
const FRAME_MARGIN: f64 = 1.05;

/// How the world is flattened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projection {
    /// Far things are smaller.
    Perspective,
    /// Parallels stay parallel; the scale is that of the target's distance.
    Orthographic,
}

/// A direction to look from. Characters of glTF files face +Z and have their left at +X.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// From +Z.
    Front,
    /// From +X.
    Right,
    /// From +Y, front at the bottom.
    Top,
    /// From the front, a little from above and from one side.
    ThreeQuarter,
}

/// A half line in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts.
    pub origin: DVec3,
    /// Unit direction.
    pub direction: DVec3,
}

/// Looks at `target` from `distance` away; Y is up. Yaw and pitch are stored instead of a direction, so
/// that straight up and down are positions like any other: nothing flips there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrbitCamera {
    /// The point circled, world space, source units.
    pub target: DVec3,
    /// Radians about Y; 0 looks from +Z, a quarter turn from +X.
    pub yaw_rad: f64,
    /// Radians above the horizon, from -pi/2 to pi/2.
    pub pitch_rad: f64,
    /// From eye to target, positive, source units.
    pub distance: f64,
    /// Vertical field of view in radians.
    pub fov_y_rad: f64,
    /// How the world is flattened.
    pub projection: Projection,
    /// Size of what is looked at, source units: keeps clip planes and zoom in proportion.
    pub scene_size: f64,
}

impl Default for OrbitCamera {
    fn default() -> Self {
        let mut camera = Self {
            target: DVec3::new(0.0, 0.9, 0.0),
            yaw_rad: 0.0,
            pitch_rad: 0.0,
            distance: 4.0,
            fov_y_rad: 35_f64.to_radians(),
            projection: Projection::Perspective,
            scene_size: 1.8,
        };
        camera.look_from(Preset::ThreeQuarter);
        camera
    }
}

impl OrbitCamera {
    /// A three-quarter view in which `bounds` fill a picture of this width over height.
    pub fn framing(bounds: &Bounds, aspect: f64) -> Self {
        let mut camera = Self::default();
        camera.frame(bounds, aspect);
        camera.scene_size = bounds.size();
        camera
    }

    /// Unit vector from the target to the eye.
    pub fn back(&self) -> DVec3 {
        let (sin_yaw, cos_yaw) = self.yaw_rad.sin_cos();
        let (sin_pitch, cos_pitch) = self.pitch_rad.sin_cos();
        DVec3::new(sin_yaw * cos_pitch, sin_pitch, cos_yaw * cos_pitch)
    }

    /// Unit vector to the right of the picture; always level.
    pub fn right(&self) -> DVec3 {
        let (sin_yaw, cos_yaw) = self.yaw_rad.sin_cos();
        DVec3::new(cos_yaw, 0.0, -sin_yaw)
    }

    /// Unit vector to the top of the picture.
    pub fn up(&self) -> DVec3 {
        self.back().cross(self.right())
    }

    /// The position of the eye.
    pub fn eye(&self) -> DVec3 {
        self.target + self.back() * self.distance
    }

    /// Half the height of what is seen at the target's distance.
    pub fn half_height(&self) -> f64 {
        self.distance * (0.5 * self.fov_y_rad).tan()
    }

    /// From the space that has its origin at the target to the eye's space (X right, Y up, -Z ahead).
    pub fn view_from_target(&self) -> DMat4 {
        let (x, y, z) = (self.right(), self.up(), self.back());
        let rows = DMat4::from_cols(x.extend(0.0), y.extend(0.0), z.extend(0.0), glam::DVec4::W);
        DMat4::from_translation(DVec3::new(0.0, 0.0, -self.distance)) * rows.transpose()
    }

    /// From the eye's space to clip space (depth -1 to 1) for a picture of this width over height.
    ///
    /// The clip planes follow the distance and the size of the scene, whatever its unit.
    pub fn clip_from_view(&self, aspect: f64) -> DMat4 {
        let reach = self.distance + 20.0 * self.scene_size;
        match self.projection {
            Projection::Perspective => {
                opengl::perspective(self.fov_y_rad, aspect, 0.02 * self.distance, reach)
            }
            Projection::Orthographic => {
                let (h, w) = (self.half_height(), self.half_height() * aspect);
                opengl::orthographic(-w, w, -h, h, -reach, reach)
            }
        }
    }

    /// From the space that has its origin at the target to clip space.
    pub fn clip_from_target(&self, aspect: f64) -> DMat4 {
        self.clip_from_view(aspect) * self.view_from_target()
    }

    /// The ray through a position in a picture of `size`, both in the same unit, from the upper left.
    pub fn ray(&self, position: DVec2, size: DVec2) -> Ray {
        let half = self.half_height();
        let plane = self.on_target_plane(position, size);
        match self.projection {
            Projection::Perspective => Ray {
                origin: self.eye(),
                direction: (plane - self.eye()).normalize_or(-self.back()),
            },
            Projection::Orthographic => Ray {
                origin: plane + self.back() * (self.distance + half),
                direction: -self.back(),
            },
        }
    }

    /// The point under a position of the picture on the plane through the target that faces the eye.
    fn on_target_plane(&self, position: DVec2, size: DVec2) -> DVec3 {
        let units = 2.0 * self.half_height() / size.y.max(1.0);
        let offset = position - 0.5 * size;
        self.target + self.right() * (offset.x * units) - self.up() * (offset.y * units)
    }

    /// Where a point is seen in a picture of `size` (from the upper left, same unit as `size`), and how
    /// far ahead of the eye it is; `None` behind or at the eye.
    pub fn screen_from_world(&self, point: DVec3, size: DVec2) -> Option<DVec3> {
        let p = self
            .view_from_target()
            .transform_point3(point - self.target);
        let depth = -p.z;
        let scale = match self.projection {
            Projection::Perspective if depth < 0.02 * self.distance => return None,
            Projection::Perspective => self.distance / depth,
            Projection::Orthographic => 1.0,
        };
        let per_unit = scale * 0.5 * size.y / self.half_height();
        Some(DVec3::new(
            0.5 * size.x + p.x * per_unit,
            0.5 * size.y - p.y * per_unit,
            depth,
        ))
    }

    /// Length in the world of one point of a picture `height` points high, at a distance ahead of the eye.
    pub fn units_per_point(&self, depth: f64, height: f64) -> f64 {
        let at_target = 2.0 * self.half_height() / height.max(1.0);
        match self.projection {
            Projection::Perspective => at_target * depth / self.distance,
            Projection::Orthographic => at_target,
        }
    }

    /// Turns about the target by a drag in points. Stops at straight up and straight down.
    pub fn orbit(&mut self, drag: DVec2) {
        let yaw = self.yaw_rad - drag.x * ORBIT_RAD_PER_POINT;
        self.yaw_rad = yaw.rem_euclid(std::f64::consts::TAU);
        let pitch = self.pitch_rad + drag.y * ORBIT_RAD_PER_POINT;
        self.pitch_rad = pitch.within(-FRAC_PI_2, FRAC_PI_2);
    }

    /// Moves sideways so that the target follows a drag in points over a picture `height` points high.
    pub fn pan(&mut self, drag: DVec2, height: f64) {
        let units = 2.0 * self.half_height() / height.max(1.0);
        self.target += (self.up() * drag.y - self.right() * drag.x) * units;
    }

    /// Multiplies the distance by `factor` (below 1 goes nearer), keeping what is under `cursor` there.
    pub fn zoom(&mut self, factor: f64, cursor: DVec2, size: DVec2) {
        if !(factor > 0.0 && factor.is_finite()) {
            return;
        }
        let fixed = self.on_target_plane(cursor, size);
        let range = (2e-3 * self.scene_size, 50.0 * self.scene_size);
        let distance = (self.distance * factor).within(range.0, range.1);
        self.target = fixed + (self.target - fixed) * (distance / self.distance);
        self.distance = distance;
    }

    /// Keeps the direction and moves so that `bounds` just fit a picture of this width over height.
    ///
    /// Empty bounds change nothing; a single point is given a tenth of the scene.
    pub fn frame(&mut self, bounds: &Bounds, aspect: f64) {
        if bounds.is_empty() {
            return;
        }
        let least = (0.1 * self.scene_size).max(f64::MIN_POSITIVE);
        let bounds = if bounds.size() > 0.0 {
            *bounds
        } else {
            bounds.grown(0.5 * least)
        };
        let tan_y = (0.5 * self.fov_y_rad).tan();
        let tan_x = tan_y * aspect.max(1e-3);
        let (right, up, back) = (self.right(), self.up(), self.back());
        self.target = bounds.center();
        self.distance = bounds
            .corners()
            .map(|corner| {
                let p = corner - self.target;
                let toward_eye = match self.projection {
                    Projection::Perspective => p.dot(back),
                    Projection::Orthographic => 0.0,
                };
                let across = (p.dot(right).abs() / tan_x).max(p.dot(up).abs() / tan_y);
                FRAME_MARGIN * across + toward_eye
            })
            .into_iter()
            .fold(0.0, f64::max);
        // Only an absurd aspect ratio or zero-size box gets here; a positive distance is a promise.
        self.distance = self.distance.max(1e-6 * bounds.size());
    }

    /// Looks from a fixed direction; target and distance stay.
    pub fn look_from(&mut self, preset: Preset) {
        let (yaw, pitch) = match preset {
            Preset::Front => (0.0, 0.0),
            Preset::Right => (FRAC_PI_2, 0.0),
            Preset::Top => (0.0, FRAC_PI_2),
            Preset::ThreeQuarter => (0.6, 0.16),
        };
        (self.yaw_rad, self.pitch_rad) = (yaw, pitch);
    }

    /// Changes between perspective and orthographic; what is at the target keeps its size.
    pub fn toggle_projection(&mut self) {
        self.projection = match self.projection {
            Projection::Perspective => Projection::Orthographic,
            Projection::Orthographic => Projection::Perspective,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: DVec2 = DVec2::new(640.0, 480.0);

    fn person() -> Bounds {
        Bounds::new(DVec3::new(-0.5, 0.0, -0.2), DVec3::new(0.5, 1.8, 0.3))
    }

    fn both() -> [OrbitCamera; 2] {
        let perspective = OrbitCamera::framing(&person(), 640.0 / 480.0);
        let mut orthographic = perspective;
        orthographic.toggle_projection();
        [perspective, orthographic]
    }

    fn close(a: DVec2, b: DVec2) -> bool {
        (a - b).length() < 1e-6
    }

    #[test]
    fn orbiting_keeps_distance_and_target() {
        let mut camera = OrbitCamera::default();
        let before = camera;
        for _ in 0..500 {
            camera.orbit(DVec2::new(13.0, 7.0));
            assert!((camera.eye().distance(camera.target) - before.distance).abs() < 1e-9);
        }
        assert_eq!(camera.target, before.target);
        assert_eq!(camera.pitch_rad, FRAC_PI_2);
    }

    #[test]
    fn axes_stay_a_right_handed_frame_at_the_poles() {
        for pitch in [-FRAC_PI_2, FRAC_PI_2, 0.0, 1.57] {
            let camera = OrbitCamera {
                pitch_rad: pitch,
                ..OrbitCamera::default()
            };
            assert!(camera.clip_from_target(1.3).is_finite());
            let (r, u, b) = (camera.right(), camera.up(), camera.back());
            assert!((r.cross(u) - b).length() < 1e-12);
            assert!((u.length() - 1.0).abs() < 1e-12);
            assert!(u.y >= -1e-12, "the picture is upside down at {pitch}");
        }
    }

    #[test]
    fn zoom_keeps_the_point_under_the_cursor() {
        for camera in both() {
            let cursor = DVec2::new(500.0, 90.0);
            let point = camera.on_target_plane(cursor, SIZE);
            let mut nearer = camera;
            nearer.zoom(0.4, cursor, SIZE);
            assert!(nearer.distance < 0.5 * camera.distance);
            let seen = nearer.screen_from_world(point, SIZE).unwrap();
            assert!(close(seen.truncate(), cursor));
        }
    }

    #[test]
    fn zoom_ignores_nonsense_and_stops_at_its_limits() {
        let mut camera = OrbitCamera::default();
        let before = camera;
        for factor in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            camera.zoom(factor, SIZE * 0.5, SIZE);
            assert_eq!(camera, before);
        }
        for _ in 0..1000 {
            camera.zoom(0.5, DVec2::ZERO, SIZE);
        }
        assert!(camera.distance > 0.0 && camera.target.is_finite());
        assert!(camera.clip_from_target(1.0).is_finite());
    }

    #[test]
    fn panning_moves_the_target_with_the_pointer() {
        for camera in both() {
            let mut moved = camera;
            moved.pan(DVec2::new(30.0, -20.0), SIZE.y);
            let seen = moved.screen_from_world(camera.target, SIZE).unwrap();
            assert!(close(seen.truncate(), SIZE * 0.5 + DVec2::new(30.0, -20.0)));
        }
    }

    #[test]
    fn framed_bounds_fit_and_fill_wide_and_tall_pictures() {
        for size in [SIZE, DVec2::new(200.0, 900.0), DVec2::new(1600.0, 300.0)] {
            for mut camera in both() {
                for preset in [
                    Preset::Front,
                    Preset::Right,
                    Preset::Top,
                    Preset::ThreeQuarter,
                ] {
                    camera.look_from(preset);
                    camera.frame(&person(), size.x / size.y);
                    let ndc = person().corners().map(|corner| {
                        let p = camera.screen_from_world(corner, size).unwrap().truncate();
                        ((p / size) * 2.0 - 1.0).abs()
                    });
                    let most = ndc.iter().map(|p| p.max_element()).fold(0.0, f64::max);
                    assert!((0.8..1.0).contains(&most), "{preset:?} {size} {most}");
                }
            }
        }
    }

    #[test]
    fn framing_works_for_points_and_leaves_empty_bounds_alone() {
        let mut camera = OrbitCamera::default();
        let before = camera;
        camera.frame(&Bounds::EMPTY, 1.0);
        assert_eq!(camera, before);
        camera.frame(&Bounds::new(DVec3::X, DVec3::X), 1.0);
        assert!(camera.distance > 0.0 && camera.distance < before.distance);
        assert_eq!(camera.target, DVec3::X);
    }

    #[test]
    fn rays_and_projection_are_inverses() {
        for camera in both() {
            for position in [DVec2::new(3.0, 470.0), DVec2::new(320.0, 240.0)] {
                let ray = camera.ray(position, SIZE);
                let point = ray.origin + ray.direction * 1.7 * camera.distance;
                let seen = camera.screen_from_world(point, SIZE).unwrap();
                assert!(close(seen.truncate(), position));
            }
        }
    }

    #[test]
    fn clip_matrix_agrees_with_screen_positions() {
        for camera in both() {
            let point = DVec3::new(0.2, 1.1, -0.4);
            let clip = camera.clip_from_target(SIZE.x / SIZE.y);
            let ndc = clip.project_point3(point - camera.target);
            let expected = DVec2::new(0.5 + 0.5 * ndc.x, 0.5 - 0.5 * ndc.y) * SIZE;
            let seen = camera.screen_from_world(point, SIZE).unwrap();
            assert!(close(seen.truncate(), expected));
            assert!(ndc.z.abs() < 1.0);
        }
    }

    #[test]
    fn a_point_behind_the_eye_is_not_on_screen() {
        let camera = OrbitCamera::default();
        let behind = camera.eye() + camera.back();
        assert_eq!(camera.screen_from_world(behind, SIZE), None);
    }

    #[test]
    fn clip_planes_scale_with_the_model() {
        for scale in [1e-3, 1.0, 1e3] {
            let bounds = Bounds::new(person().min * scale, person().max * scale);
            let camera = OrbitCamera::framing(&bounds, 1.0);
            let clip = camera.clip_from_target(1.0);
            for corner in bounds.corners() {
                let ndc = clip.project_point3(corner - camera.target);
                assert!(ndc.abs().max_element() < 1.0, "{scale}: {ndc}");
            }
        }
    }
}
