//! Triangle lists and normals.

use glam::{DVec3, Vec3};

/// How a primitive's vertices make triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    List,
    Strip,
    Fan,
}

/// Three indices a triangle, wound as the specification says.
pub(super) fn list(kind: Kind, mut indices: Vec<u32>) -> Vec<u32> {
    match kind {
        Kind::List => {
            indices.truncate(indices.len() / 3 * 3);
            indices
        }
        Kind::Strip => {
            let windows = indices.windows(3).enumerate();
            let turned = |(k, w): (usize, &[u32])| {
                if k % 2 == 0 {
                    [w[0], w[1], w[2]]
                } else {
                    [w[0], w[2], w[1]]
                }
            };
            windows.flat_map(turned).collect()
        }
        Kind::Fan => {
            let Some((&hub, rim)) = indices.split_first() else {
                return Vec::new();
            };
            rim.windows(2).flat_map(|w| [hub, w[0], w[1]]).collect()
        }
    }
}

/// Smooth normals: the mean of the faces around each vertex, weighted by their area.
///
/// The specification asks for flat ones where a file has none; they would need every vertex three
/// times over, which is not worth it for judging motion.
pub(super) fn normals(positions: &[[f32; 3]], indices: &[u32]) -> Vec<[f32; 3]> {
    let at = |i: u32| Vec3::from(positions[i as usize]).as_dvec3();
    let mut sums = vec![DVec3::ZERO; positions.len()];
    for t in indices.chunks_exact(3) {
        let (a, b, c) = (at(t[0]), at(t[1]), at(t[2]));
        let face = (b - a).cross(c - a);
        for &i in t {
            sums[i as usize] += face;
        }
    }
    let unit = |n: DVec3| n.try_normalize().unwrap_or(DVec3::Y).as_vec3().to_array();
    sums.into_iter().map(unit).collect()
}

/// Normals of length 1; what has no direction points up.
pub(super) fn unit(normals: Vec<[f32; 3]>) -> Vec<[f32; 3]> {
    let unit = |n: [f32; 3]| Vec3::from(n).try_normalize().unwrap_or(Vec3::Y).to_array();
    normals.into_iter().map(unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_and_fans_keep_their_winding() {
        assert_eq!(list(Kind::Strip, vec![0, 1, 2, 3]), [0, 1, 2, 1, 3, 2]);
        assert_eq!(list(Kind::Fan, vec![0, 1, 2, 3]), [0, 1, 2, 0, 2, 3]);
        assert_eq!(list(Kind::List, vec![0, 1, 2, 3]), [0, 1, 2]);
        assert!(list(Kind::Fan, vec![]).is_empty());
    }

    #[test]
    fn normals_point_to_the_side_from_which_triangles_turn_left() {
        let p = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [5.0, 5.0, 5.0],
        ];
        let n = normals(&p, &[0, 1, 2]);
        assert_eq!(n[..3], [[0.0, 0.0, 1.0]; 3]);
        assert_eq!(n[3], [0.0, 1.0, 0.0]);
    }
}
