//! Surfaces drawn through rings, with smooth normals, hard colour edges and weights from place.

use super::trig::{cos, sin, smoothstep};
use glam::DVec3;

/// Linear red, green and blue.
pub type Color = [u8; 3];

/// Shares of joints in a vertex; sum 1.
#[derive(Clone, Debug)]
pub struct Weights(pub Vec<(usize, f64)>);

impl Weights {
    pub fn one(joint: usize) -> Self {
        Self(vec![(joint, 1.0)])
    }

    /// From `self` at 0 to `other` at 1.
    pub fn mix(mut self, other: &Self, u: f64) -> Self {
        for w in &mut self.0 {
            w.1 *= 1.0 - u;
        }
        for &(joint, weight) in &other.0 {
            match self.0.iter_mut().find(|w| w.0 == joint) {
                Some(w) => w.1 += weight * u,
                None => self.0.push((joint, weight * u)),
            }
        }
        self.0.retain(|w| w.1 > 0.0);
        self
    }

    /// Along a limb: `(joint, where it takes over, metres on either side in which it does so)`.
    pub fn chain(first: usize, joints: &[(usize, f64, f64)], along: f64) -> Self {
        joints
            .iter()
            .fold(Self::one(first), |w, &(joint, start, reach)| {
                w.mix(
                    &Self::one(joint),
                    smoothstep(start - reach, start + reach, along),
                )
            })
    }
}

#[derive(Clone, Debug)]
pub struct Vertex {
    pub place: DVec3,
    pub normal: DVec3,
    pub color: Color,
    pub weights: Weights,
    /// Where it goes when the eyes close.
    pub blink: DVec3,
}

#[derive(Default)]
pub struct Mesh {
    pub vertices: Vec<Vertex>,
    pub triangles: Vec<[usize; 3]>,
}

/// A section of a limb: half axes `u` and `v`, where `u x v` points along it. `back` is the half axis on the
/// side of `-v` as a share of `v`; `square` goes from an ellipse at 0 to a rounded box at 1.
#[derive(Clone, Copy, Debug)]
pub struct Ring {
    pub center: DVec3,
    pub u: DVec3,
    pub v: DVec3,
    pub back: f64,
    pub square: f64,
    pub color: Color,
}

impl Ring {
    pub fn round(center: DVec3, u: DVec3, v: DVec3, color: Color) -> Self {
        Self {
            center,
            u,
            v,
            back: 1.0,
            square: 0.0,
            color,
        }
    }

    fn at(&self, turns: f64) -> DVec3 {
        let (c, s) = (cos(turns), sin(turns));
        let boxed = 1.0 / (c.powi(4) + s.powi(4)).sqrt().sqrt();
        let r = 1.0 + self.square * (boxed - 1.0);
        let v = if s < 0.0 { s * self.back } else { s };
        self.center + (self.u * c + self.v * v) * r
    }
}

impl Mesh {
    /// A closed tube through rings. Each stretch has the colour of the ring that it begins with.
    pub fn tube(&mut self, rings: &[Ring], sides: usize, weights: impl Fn(DVec3) -> Weights) {
        let turns = |k: usize| k as f64 / sides as f64;
        let grid: Vec<Vec<DVec3>> = rings
            .iter()
            .map(|r| (0..sides).map(|k| r.at(turns(k))).collect())
            .collect();
        let normals = grid_normals(&grid);
        let last = rings.len() - 1;
        let row = |mesh: &mut Self, r: usize, color: Color| {
            let base = mesh.vertices.len();
            for k in 0..sides {
                mesh.vertex(grid[r][k], normals[r][k], color, &weights);
            }
            base
        };
        let mut before = row(self, 0, rings[0].color);
        self.cap(&rings[0], before, sides, true, &weights);
        for r in 1..=last {
            let here = row(self, r, rings[r - 1].color);
            self.band(before, here, sides);
            let edge = r < last && rings[r].color != rings[r - 1].color;
            before = if edge {
                row(self, r, rings[r].color)
            } else {
                here
            };
        }
        self.cap(
            &Ring {
                color: rings[last - 1].color,
                ..rings[last]
            },
            before,
            sides,
            false,
            &weights,
        );
    }

    pub fn append(&mut self, other: Self) {
        let base = self.vertices.len();
        self.vertices.extend(other.vertices);
        self.triangles
            .extend(other.triangles.iter().map(|t| t.map(|i| i + base)));
    }

    fn vertex(
        &mut self,
        place: DVec3,
        normal: DVec3,
        color: Color,
        weights: impl Fn(DVec3) -> Weights,
    ) {
        let weights = weights(place);
        self.vertices.push(Vertex {
            place,
            normal,
            color,
            weights,
            blink: DVec3::ZERO,
        });
    }

    fn band(&mut self, from: usize, to: usize, sides: usize) {
        for k in 0..sides {
            let next = (k + 1) % sides;
            self.triangles.push([from + k, from + next, to + next]);
            self.triangles.push([from + k, to + next, to + k]);
        }
    }

    fn cap(
        &mut self,
        ring: &Ring,
        row: usize,
        sides: usize,
        first: bool,
        weights: impl Fn(DVec3) -> Weights,
    ) {
        let along = ring.u.cross(ring.v).normalize();
        let pole = self.vertices.len();
        self.vertex(
            ring.center,
            if first { -along } else { along },
            ring.color,
            weights,
        );
        for k in 0..sides {
            let (a, b) = (row + k, row + (k + 1) % sides);
            self.triangles
                .push(if first { [b, a, pole] } else { [a, b, pole] });
        }
    }
}

/// Smooth normals of a closed tube, from the areas around each point; the ends lean outward.
fn grid_normals(grid: &[Vec<DVec3>]) -> Vec<Vec<DVec3>> {
    let (rows, sides) = (grid.len(), grid[0].len());
    let middle = |r: usize| grid[r].iter().sum::<DVec3>() / sides as f64;
    // Beyond either end the tube has shrunk to its middle.
    let at = |r: isize, k: usize| match usize::try_from(r) {
        Err(_) => middle(0),
        Ok(r) if r >= rows => middle(rows - 1),
        Ok(r) => grid[r][k % sides],
    };
    let normal = |r: usize, k: usize| {
        let (r, left, right) = (r as isize, k + sides - 1, k + 1);
        let mut sum = DVec3::ZERO;
        for (below, above) in [(r - 1, r), (r, r + 1)] {
            for (a, b) in [(left, k), (k, right)] {
                let (d, e) = (at(above, b) - at(below, a), at(above, a) - at(below, b));
                sum += d.cross(e);
            }
        }
        sum.normalize()
    };
    (0..rows)
        .map(|r| (0..sides).map(|k| normal(r, k)).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tube_is_closed_and_faces_outward() {
        let ring =
            |z: f64, r: f64| Ring::round(DVec3::Z * z, DVec3::X * r, DVec3::Y * r, [1, 2, 3]);
        let mut mesh = Mesh::default();
        mesh.tube(
            &[ring(0.0, 0.5), ring(1.0, 1.0), ring(2.0, 0.5)],
            24,
            |_| Weights::one(0),
        );
        let volume: f64 = mesh
            .triangles
            .iter()
            .map(|t| t.map(|i| mesh.vertices[i].place))
            .map(|[a, b, c]| a.dot(b.cross(c)) / 6.0)
            .sum();
        assert!((3.3..3.7).contains(&volume), "{volume}");
        for v in &mesh.vertices {
            assert!(v.normal.dot(v.place - DVec3::Z) > 0.0, "{v:?}");
        }
    }

    #[test]
    fn a_colour_edge_is_hard_and_its_normals_are_smooth() {
        let ring = |z: f64, color| Ring::round(DVec3::Z * z, DVec3::X, DVec3::Y, color);
        let mut mesh = Mesh::default();
        mesh.tube(
            &[ring(0.0, [9; 3]), ring(1.0, [5; 3]), ring(2.0, [5; 3])],
            8,
            |_| Weights::one(0),
        );
        let edge: Vec<_> = mesh.vertices.iter().filter(|v| v.place.z == 1.0).collect();
        assert_eq!(edge.len(), 16);
        for pair in edge[..8].iter().zip(&edge[8..]) {
            assert_eq!((pair.0.color, pair.1.color), ([9; 3], [5; 3]));
            assert_eq!(pair.0.normal, pair.1.normal);
        }
    }

    #[test]
    fn weights_along_a_limb_sum_to_one() {
        for k in 0..50 {
            let along = 0.02 * f64::from(k);
            let w = Weights::chain(3, &[(4, 0.3, 0.1), (5, 0.5, 0.2), (6, 0.9, 0.05)], along);
            let sum: f64 = w.0.iter().map(|w| w.1).sum();
            assert!(
                (sum - 1.0).abs() < 1e-12 && w.0.len() <= 3,
                "{along}: {w:?}"
            );
        }
        assert_eq!(Weights::chain(3, &[(4, 0.3, 0.1)], 0.0).0, [(3, 1.0)]);
    }
}
