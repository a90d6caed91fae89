use crate::runtime;
use glam::{DAffine3, DMat3, DQuat, DVec3};

/// A joint's transform relative to its parent, in double precision: scale, rotate, translate.
///
/// Lengths are in the source file's own unit; see [`crate::model::Asset::unit_m`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Offset from the parent.
    pub translation: DVec3,
    /// Unit quaternion.
    pub rotation: DQuat,
    /// Factors along the joint's own axes; may be negative or zero.
    pub scale: DVec3,
}

impl Transform {
    /// No rotation, no translation, scale 1.
    pub const IDENTITY: Self = Self {
        translation: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
        scale: DVec3::ONE,
    };

    /// The scale by which this one's is to be multiplied to get another; 1 where this one's is 0.
    pub fn scale_less(&self, scale: DVec3) -> DVec3 {
        let part = |whole: f64, base: f64| if base == 0.0 { 1.0 } else { whole / base };
        let (s, b) = (scale, self.scale);
        DVec3::new(part(s.x, b.x), part(s.y, b.y), part(s.z, b.z))
    }

    /// The matrix `parent_from_local`.
    pub fn matrix(&self) -> DAffine3 {
        let m = DMat3::from_quat(self.rotation);
        DAffine3 {
            matrix3: DMat3::from_cols(
                m.x_axis * self.scale.x,
                m.y_axis * self.scale.y,
                m.z_axis * self.scale.z,
            ),
            translation: self.translation,
        }
    }
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl From<runtime::Transform> for Transform {
    /// Widens what a player wrote; the rotation is normalised again in double precision, since a
    /// single-precision unit quaternion is off by up to 1e-7 and scales whatever hangs below it.
    fn from(t: runtime::Transform) -> Self {
        Self {
            translation: DVec3::from(t.translation.map(f64::from)),
            rotation: DQuat::from_array(t.rotation.map(f64::from)).normalize(),
            scale: DVec3::from(t.scale.map(f64::from)),
        }
    }
}

/// Spherical interpolation along the shorter arc; `a` and `b` are unit quaternions, `u` in `[0, 1]`.
///
/// This is what glTF means by LINEAR rotation (glTF 2.0, appendix C).
pub fn slerp(a: DQuat, b: DQuat, u: f64) -> DQuat {
    let dot = a.dot(b);
    let b = if dot < 0.0 { -b } else { b };
    let theta = dot.abs().min(1.0).acos();
    let sine = theta.sin();
    if sine < 1e-6 {
        return (a * (1.0 - u) + b * u).normalize();
    }
    (a * (((1.0 - u) * theta).sin() / sine) + b * ((u * theta).sin() / sine)).normalize()
}

/// The angle in radians, in `[0, pi]`, of the rotation that leads from `a` to `b`.
///
/// Uses the chord rather than the arc cosine, which loses half its digits near zero.
pub fn rotation_angle(a: DQuat, b: DQuat) -> f64 {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    let chord = (a - b).length();
    4.0 * (0.5 * chord).min(1.0).asin()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slerp_halves_the_angle_on_the_short_path() {
        let a = DQuat::from_rotation_y(0.2);
        let b = -DQuat::from_rotation_y(1.2);
        let mid = slerp(a, b, 0.5);
        assert!(rotation_angle(mid, DQuat::from_rotation_y(0.7)) < 1e-12);
    }

    #[test]
    fn rotation_angle_resolves_tiny_turns() {
        let a = DQuat::from_rotation_x(0.3);
        let b = DQuat::from_rotation_x(0.3 + 1e-9);
        assert!((rotation_angle(a, b) - 1e-9).abs() < 1e-14);
    }

    #[test]
    fn matrix_scales_before_it_rotates() {
        let t = Transform {
            translation: DVec3::X,
            rotation: DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2),
            scale: DVec3::new(2.0, 1.0, 1.0),
        };
        let p = t.matrix().transform_point3(DVec3::X);
        assert!((p - DVec3::new(1.0, 2.0, 0.0)).length() < 1e-12);
    }
}
