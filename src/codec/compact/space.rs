//! Track space: rotations as vectors, small rotations as codes, and the axes along which a track moves most.

use crate::runtime::compact;
use glam::{DMat3, DQuat, DVec3};

/// Parameters farther from the reference, about 232 degrees, are better told otherwise.
const MAX_PARAMETER: f64 = 6.4;

/// The rotation that a code stands for, as a player has it.
pub(super) fn rotation_of(code: u32, bits: u32) -> DQuat {
    DQuat::from_array(compact::small_rotation(code, bits).map(f64::from)).normalize()
}

/// The code of the rotation nearest to `q`; see [`compact::small_rotation`].
pub(super) fn code_of(q: DQuat, bits: u32) -> u32 {
    let q = q.to_array();
    let largest = (1..4).fold(0, |m, k| if q[k].abs() > q[m].abs() { k } else { m });
    let sign = if q[largest] < 0.0 { -1.0 } else { 1.0 };
    let most = f64::from((1_i32 << (bits - 1)) - 1);
    let mut code = largest as u32;
    let mut shift = 2;
    for (k, c) in q.into_iter().enumerate() {
        if k != largest {
            let n = (c * sign * std::f64::consts::SQRT_2 * most)
                .round()
                .clamp(-most, most) as i32;
            code |= (n as u32 & ((1 << bits) - 1)) << shift;
            shift += bits;
        }
    }
    code
}

/// Each with the sign that is nearer to the one before.
pub(super) fn align(rotations: &mut [DQuat]) {
    for k in 1..rotations.len() {
        if rotations[k].dot(rotations[k - 1]) < 0.0 {
            rotations[k] = -rotations[k];
        }
    }
}

/// The mean direction of aligned rotations.
pub(super) fn mean(rotations: &[DQuat]) -> DQuat {
    let sum = rotations
        .iter()
        .fold(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), |a, &q| a + q);
    if sum.length_squared() < 1e-6 {
        return rotations[0];
    }
    sum.normalize()
}

/// Four times the modified Rodrigues parameters about a reference, without jumps; `None` where they grow too
/// large. `rotations` are aligned.
pub(super) fn parameters(reference: DQuat, rotations: &[DQuat]) -> Option<Vec<DVec3>> {
    let inverse = reference.conjugate();
    let mut turns: Vec<DQuat> = rotations.iter().map(|&q| inverse * q).collect();
    if turns.iter().map(|t| t.w).sum::<f64>() < 0.0 {
        for turn in &mut turns {
            *turn = -*turn;
        }
    }
    turns
        .into_iter()
        .map(|t| {
            let v = t.xyz() * (4.0 / (1.0 + t.w));
            (v.length() < MAX_PARAMETER).then_some(v)
        })
        .collect()
}

/// The inverse of [`parameters`] for one frame.
pub(super) fn rotation(reference: DQuat, v: DVec3) -> DQuat {
    let m = 0.25 * v;
    let n = m.length_squared();
    let k = 1.0 / (1.0 + n);
    let turn = DQuat::from_xyzw(2.0 * m.x * k, 2.0 * m.y * k, 2.0 * m.z * k, (1.0 - n) * k);
    (reference * turn).normalize()
}

/// The angle between two rotations, a little less where it is large: twice the chord.
pub(super) fn angle(a: DQuat, b: DQuat) -> f64 {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    2.0 * (a - b).length()
}

/// How the angle about the joint's own axes changes with the parameters, at `v`.
///
/// Schaub and Junkins 1996, "Stereographic orientation parameters for attitude dynamics", equation 25.
pub(super) fn angle_from_parameters(v: DVec3) -> DMat3 {
    let s = 0.25 * v;
    let n = s.length_squared();
    let k = 1.0 / ((1.0 + n) * (1.0 + n));
    let outer = DMat3::from_cols(s * s.x, s * s.y, s * s.z);
    (DMat3::from_diagonal(DVec3::splat(1.0 - n)) - cross_matrix(s) * 2.0 + outer * 2.0) * k
}

/// The matrix that takes the cross product with `c` from the left.
pub(super) fn cross_matrix(c: DVec3) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(0.0, c.z, -c.y),
        DVec3::new(-c.z, 0.0, c.x),
        DVec3::new(c.y, -c.x, 0.0),
    )
}

/// Eigenvalues and orthonormal eigenvectors of a symmetric matrix, largest first, right-handed.
///
/// Jacobi's method: nothing but arithmetic and square roots, so the same on all machines.
pub(super) fn eigen(matrix: DMat3) -> (DVec3, DMat3) {
    let mut a = matrix.to_cols_array_2d();
    let mut v = DMat3::IDENTITY.to_cols_array_2d();
    for _ in 0..24 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = a[p][q];
            if off.abs() <= 1e-18 * (a[p][p].abs() + a[q][q].abs()) {
                continue;
            }
            let tau = (a[q][q] - a[p][p]) / (2.0 * off);
            let sign = if tau < 0.0 { -1.0 } else { 1.0 };
            let t = sign / (tau.abs() + (tau * tau + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for row in &mut a {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            let (low, high) = a.split_at_mut(q);
            for (x, y) in low[p].iter_mut().zip(&mut high[0]) {
                (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
            }
            let (low, high) = v.split_at_mut(q);
            for (x, y) in low[p].iter_mut().zip(&mut high[0]) {
                (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
            }
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a[j][j].total_cmp(&a[i][i]));
    let [first, second, third] = order;
    let (x, y) = (DVec3::from(v[first]), DVec3::from(v[second]));
    let values = DVec3::new(a[first][first], a[second][second], a[third][third]);
    (values, DMat3::from_cols(x, y, x.cross(y)))
}

/// The covariance of vectors.
pub(super) fn covariance(values: &[DVec3]) -> DMat3 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().copied().sum::<DVec3>() / count;
    let mut sum = DMat3::ZERO;
    for &v in values {
        let d = v - mean;
        sum += DMat3::from_cols(d * d.x, d * d.y, d * d.z);
    }
    sum * (1.0 / count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some_rotation(k: i32) -> DQuat {
        let k = f64::from(k);
        DQuat::from_xyzw(k.sin(), (2.0 * k).cos(), 0.3 * k, 0.5).normalize()
    }

    #[test]
    fn parameters_have_an_inverse() {
        let mut rotations: Vec<DQuat> = (0..9).map(|k| some_rotation(k % 3)).collect();
        align(&mut rotations);
        let reference = rotation_of(code_of(mean(&rotations), 7), 7);
        let v = parameters(reference, &rotations).expect("within reach");
        for (v, q) in v.iter().zip(&rotations) {
            assert!(rotation(reference, *v).dot(*q).abs() > 1.0 - 1e-12);
        }
    }

    #[test]
    fn codes_are_off_by_half_their_step_a_component() {
        for k in 0..50 {
            let q = some_rotation(k);
            let back = rotation_of(code_of(q, 7), 7);
            assert!(q.dot(back).abs() > 1.0 - 2e-4, "{k}");
        }
    }

    #[test]
    fn the_angle_follows_the_parameters() {
        let (v, d) = (DVec3::new(0.8, -1.7, 0.4), DVec3::new(1e-6, 2e-6, -1e-6));
        let a = rotation(DQuat::IDENTITY, v);
        let b = rotation(DQuat::IDENTITY, v + d);
        let turn = (a.conjugate() * b).xyz() * 2.0;
        assert!((turn - angle_from_parameters(v) * d).length() < 1e-11);
    }

    #[test]
    fn eigenvectors_diagonalise() {
        let m = DMat3::from_cols(
            DVec3::new(4.0, 1.0, 0.5),
            DVec3::new(1.0, 3.0, -0.2),
            DVec3::new(0.5, -0.2, 9.0),
        );
        let (values, vectors) = eigen(m);
        for (k, value) in values.to_array().into_iter().enumerate() {
            let v = vectors.col(k);
            assert!((m * v - v * value).length() < 1e-12);
        }
        assert!(values.x >= values.y && values.y >= values.z);
        assert!((vectors.determinant() - 1.0).abs() < 1e-12);
    }
}
