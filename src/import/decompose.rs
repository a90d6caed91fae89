use crate::math::Transform;
use glam::{DMat3, DMat4, DQuat, DVec3};

/// A matrix as scale, rotation, translation, and how well that gives the matrix back.
pub(super) struct Decomposed {
    pub transform: Transform,
    /// Largest difference between a column of the matrix and of its decomposition, as a share of the
    /// matrix' longest column: 0 for no shear.
    pub residual: f64,
}

/// Takes a column-major affine matrix apart; `None` if it is singular (flattens space).
///
/// The rotation is the orthogonal factor of the polar decomposition of the matrix with unit columns
/// (Higham, "Computing the polar decomposition", 1986): exact without shear, else nearest to the
/// sheared axes. A reflection becomes a negative scale in x.
pub(super) fn decompose(m: &DMat4) -> Option<Decomposed> {
    let linear = DMat3::from_mat4(*m);
    let lengths = DVec3::new(
        linear.x_axis.length(),
        linear.y_axis.length(),
        linear.z_axis.length(),
    );
    let has_lengths = lengths.min_element() > f64::MIN_POSITIVE.sqrt();
    if !has_lengths {
        return None;
    }
    let mut unit = scaled(linear, lengths.recip());
    if unit.determinant() < 0.0 {
        unit.x_axis = -unit.x_axis;
    }
    let spans_space = unit.determinant() > 1e-9;
    if !spans_space {
        return None;
    }
    let rotation = orthogonal_factor(unit);
    let scale = DVec3::new(
        rotation.x_axis.dot(linear.x_axis),
        rotation.y_axis.dot(linear.y_axis),
        rotation.z_axis.dot(linear.z_axis),
    );
    let off = scaled(rotation, scale) - linear;
    let worst = [off.x_axis, off.y_axis, off.z_axis]
        .map(DVec3::length)
        .into_iter()
        .fold(0.0, f64::max);
    Some(Decomposed {
        transform: Transform {
            translation: m.w_axis.truncate(),
            rotation: DQuat::from_mat3(&rotation).normalize(),
            scale,
        },
        residual: worst / lengths.max_element(),
    })
}

fn scaled(m: DMat3, by: DVec3) -> DMat3 {
    DMat3::from_cols(m.x_axis * by.x, m.y_axis * by.y, m.z_axis * by.z)
}

/// Newton's iteration: the mean of a matrix and its inverse transpose tends to the orthogonal factor.
fn orthogonal_factor(start: DMat3) -> DMat3 {
    let mut m = start;
    for _ in 0..60 {
        let next = (m + m.inverse().transpose()) * 0.5;
        let done = next.abs_diff_eq(m, 1e-15);
        m = next;
        if done {
            break;
        }
    }
    m
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_rotation_translation_come_back() {
        for scale in [DVec3::new(1.0, 2.0, 0.01), DVec3::new(-3.0, 1.0, 100.0)] {
            let t = Transform {
                translation: DVec3::new(1.0, -2.0, 3.0),
                rotation: DQuat::from_rotation_x(1.1) * DQuat::from_rotation_y(-2.0),
                scale,
            };
            let d = decompose(&DMat4::from(t.matrix())).unwrap();
            assert!(d.residual < 1e-12);
            assert!((d.transform.scale - t.scale).length() < 1e-10);
            assert!(d.transform.rotation.dot(t.rotation).abs() > 1.0 - 1e-12);
            assert_eq!(d.transform.translation, t.translation);
        }
    }

    #[test]
    fn a_reflection_in_any_axis_gives_the_same_matrix_back() {
        let m = DMat4::from_scale(DVec3::new(1.0, 1.0, -2.0));
        let d = decompose(&m).unwrap();
        assert!(d.residual < 1e-12 && d.transform.scale.x < 0.0);
        assert!(DMat4::from(d.transform.matrix()).abs_diff_eq(m, 1e-12));
    }

    #[test]
    fn shear_shows_as_a_residual() {
        let mut m = DMat4::IDENTITY;
        m.y_axis.x = 0.5;
        let d = decompose(&m).unwrap();
        assert!((0.1..0.5).contains(&d.residual), "{}", d.residual);
    }

    #[test]
    fn singular_matrices_have_no_decomposition() {
        assert!(decompose(&DMat4::ZERO).is_none());
        assert!(decompose(&DMat4::from_scale(DVec3::new(1.0, 0.0, 1.0))).is_none());
        let mut flat = DMat4::IDENTITY;
        flat.y_axis = flat.x_axis;
        assert!(decompose(&flat).is_none());
    }
}
