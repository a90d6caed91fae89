//! The largest displacement of any vertex of a skin, exactly, at a fraction of the cost of looking at all.
//!
//! Between two poses a vertex moves by `sum of w_k (L_k p_k + t_k)`: its weights, its places in the spaces of its joints, and
//! what the joints' matrices differ by. Vertices are sorted into clusters: near each other, moved most by one joint.
//! With `a_k = L_k c_k + t_k` at the middle of a cluster as joint k sees it, and `r_k` the radius there, no vertex of it moves
//! farther than `b_k = |a_k| + |L_k| r_k` by joint k alone, and so none farther than the largest mean of these with weights
//! that its vertices may have. Clusters whose bound is under the largest found so far are passed over; the one that was
//! worst last time is looked at first. What is left is exact up to single precision, for every joint.

use super::{Influence, Skin};
use glam::{DAffine3, DMat3, DVec3};
use std::collections::HashSet;

/// Vertices that are computed at a time.
const LANES: usize = 8;

/// Most vertices of a cluster.
const CLUSTER: usize = 16;

/// What rounding may take from a bound or a length, as a part of it.
const ROUNDING: f32 = 4e-6;

/// How the matrices of a joint in two poses differ, and what follows from it.
#[derive(Clone, Copy, Debug, Default)]
struct Delta {
    /// Columns of the linear part, then the translation; metres a source unit, and metres.
    columns: [[f32; 3]; 4],
    /// A bound of how far a vector of length 1 is taken.
    norm: f32,
}

impl Delta {
    fn new(d: &DAffine3) -> Self {
        let column = |v: DVec3| v.as_vec3().to_array();
        let m = d.matrix3;
        Self {
            columns: [
                column(m.x_axis),
                column(m.y_axis),
                column(m.z_axis),
                column(d.translation),
            ],
            norm: norm(&m) as f32 * (1.0 + ROUNDING),
        }
    }

    #[inline]
    fn length_at(&self, p: [f32; 3]) -> f32 {
        let [x, y, z, t] = &self.columns;
        let at = |k: usize| x[k] * p[0] + y[k] * p[1] + z[k] * p[2] + t[k];
        let (a, b, c) = (at(0), at(1), at(2));
        (a * a + b * b + c * c).sqrt()
    }
}

/// A bound of the spectral norm: the root of the largest sum of absolute values of a row of `m^T m`.
fn norm(m: &DMat3) -> f64 {
    let square = m.transpose() * *m;
    let row = |k: usize| square.col(k).abs().element_sum();
    row(0).max(row(1)).max(row(2)).sqrt()
}

/// One joint's part in a cluster.
#[derive(Clone, Copy, Debug)]
struct Share {
    joint: u16,
    /// Middle and radius of the vertices in the joint's space.
    middle: [f32; 3],
    radius: f32,
    /// The largest weight of any vertex.
    most: f32,
}

/// Vertices near each other. For each block of eight and each share, weight times place and weight: `[x, y, z, w]`.
#[derive(Clone, Copy, Debug)]
struct Cluster {
    shares: (u32, u32),
    /// First row of `lanes`; the rows of a block stand together, one a share.
    first: u32,
    blocks: u32,
    /// First of `ids`.
    ids: u32,
}

/// A vertex of a skin by its numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct VertexId {
    /// Index of the part.
    pub part: u32,
    /// Index of the vertex in it.
    pub vertex: u32,
}

/// The vertices of a skin, laid out to find those that move farthest.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    joints: usize,
    /// For each joint its clusters: those of vertices that it moves most.
    owned: Vec<(u32, u32)>,
    clusters: Vec<Cluster>,
    shares: Vec<Share>,
    lanes: Vec<[[f32; LANES]; 4]>,
    ids: Vec<VertexId>,
}

/// How far a joint's vertices are displaced at most.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Farthest {
    /// Metres; 0 for a joint that moves no vertex most, infinite where it is not a number.
    pub error_m: f32,
    /// Which vertex; of several that coincide the first.
    pub vertex: VertexId,
}

/// What one thread needs to look at a [`Surface`].
#[derive(Clone, Debug)]
pub struct Look {
    deltas: Vec<Delta>,
    /// For each joint the cluster that was worst last time.
    last: Vec<u32>,
    /// Vertices that were computed, of all that could have been.
    touched: u64,
}

impl Surface {
    /// Lays out vertices for a skeleton of so many joints: those for which `counts` of the part says so. Vertices that
    /// coincide and move alike are kept once. Cost: some microseconds a vertex.
    pub fn new<F: Fn(usize) -> bool>(
        skin: &Skin,
        joints: usize,
        counts: impl Fn(usize) -> F,
    ) -> Self {
        let mut owners: Vec<Vec<(VertexId, &[Influence])>> = vec![Vec::new(); joints];
        for (p, part) in skin.parts.iter().enumerate() {
            let counts = counts(p);
            for v in (0..part.vertices()).filter(|&v| counts(v)) {
                let influences = part.of_vertex(v);
                let id = VertexId {
                    part: p as u32,
                    vertex: v as u32,
                };
                if let Some(owner) = owner(influences).filter(|&j| j < joints) {
                    owners[owner].push((id, influences));
                }
            }
        }
        let mut surface = Self {
            joints,
            ..Self::default()
        };
        for (joint, vertices) in owners.into_iter().enumerate() {
            let start = surface.clusters.len() as u32;
            let mut vertices = once_each(vertices);
            surface.split(joint as u16, &mut vertices);
            surface.owned.push((start, surface.clusters.len() as u32));
        }
        surface
    }

    /// Number of joints of the skeleton.
    pub fn joints(&self) -> usize {
        self.joints
    }

    /// Whether there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.clusters.is_empty()
    }

    /// Whether some vertex is moved most by a joint.
    pub fn owns(&self, joint: usize) -> bool {
        self.owned.get(joint).is_some_and(|(a, b)| a < b)
    }

    /// For each joint, whether it moves any vertex at all.
    pub fn movers(&self) -> Vec<bool> {
        let mut moves = vec![false; self.joints];
        for share in &self.shares {
            moves[usize::from(share.joint)] = true;
        }
        moves
    }

    /// Halves the vertices along their longest side until they are few.
    fn split(&mut self, owner: u16, vertices: &mut [(VertexId, &[Influence])]) {
        if vertices.is_empty() {
            return;
        }
        if vertices.len() <= CLUSTER {
            self.push(vertices);
            return;
        }
        let place = |v: &(VertexId, &[Influence])| place_in(v.1, owner);
        let low = vertices.iter().map(place).fold(DVec3::INFINITY, DVec3::min);
        let high = vertices
            .iter()
            .map(place)
            .fold(DVec3::NEG_INFINITY, DVec3::max);
        let size = (high - low).to_array();
        let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
        // Whole blocks on the left, so that few lanes stay empty.
        let middle = (vertices.len() / 2)
            .next_multiple_of(CLUSTER)
            .min(vertices.len() - 1);
        let by_axis = |a: &(VertexId, &[Influence]), b: &(VertexId, &[Influence])| {
            let order = place(a)[axis].total_cmp(&place(b)[axis]);
            order.then_with(|| (a.0.part, a.0.vertex).cmp(&(b.0.part, b.0.vertex)))
        };
        vertices.select_nth_unstable_by(middle, by_axis);
        let (left, right) = vertices.split_at_mut(middle);
        self.split(owner, left);
        self.split(owner, right);
    }

    fn push(&mut self, vertices: &[(VertexId, &[Influence])]) {
        let mut joints: Vec<u16> = vertices.iter().flat_map(|v| v.1).map(|i| i.joint).collect();
        joints.sort_unstable();
        joints.dedup();
        let shares = self.shares.len() as u32;
        for &joint in &joints {
            let of =
                |v: &(VertexId, &'_ [Influence])| v.1.iter().find(|i| i.joint == joint).copied();
            self.shares
                .push(share(joint, vertices.iter().filter_map(of)));
        }
        let cluster = Cluster {
            shares: (shares, self.shares.len() as u32),
            first: self.lanes.len() as u32,
            blocks: vertices.len().div_ceil(LANES) as u32,
            ids: self.ids.len() as u32,
        };
        for block in vertices.chunks(LANES) {
            for &joint in &joints {
                let mut row = [[0.0; LANES]; 4];
                for (lane, v) in block.iter().enumerate() {
                    let Some(i) = v.1.iter().find(|i| i.joint == joint) else {
                        continue;
                    };
                    let [x, y, z] = i.place.map(|c| c * i.weight);
                    for (row, value) in row.iter_mut().zip([x, y, z, i.weight]) {
                        row[lane] = value;
                    }
                }
                self.lanes.push(row);
            }
            self.ids.extend(block.iter().map(|v| v.0));
            let last = block[block.len() - 1].0;
            self.ids
                .extend(std::iter::repeat_n(last, LANES - block.len()));
        }
        self.clusters.push(cluster);
    }

    /// A new look at it.
    pub fn look(&self) -> Look {
        Look {
            deltas: vec![Delta::default(); self.joints],
            last: self.owned.iter().map(|o| o.0).collect(),
            touched: 0,
        }
    }

    /// For each joint the farthest of the vertices that it moves most, where `deltas` are the differences of the
    /// joints' model matrices between two poses: metres a source unit, and metres.
    pub fn farthest(&self, look: &mut Look, deltas: &[DAffine3], out: &mut [Farthest]) {
        for (own, d) in look.deltas.iter_mut().zip(deltas) {
            *own = Delta::new(d);
        }
        for (joint, out) in out.iter_mut().enumerate() {
            let (first, end) = self.owned.get(joint).copied().unwrap_or_default();
            *out = Farthest::default();
            if first == end {
                continue;
            }
            let mut best = (-1.0, 0, 0);
            let start = look.last[joint];
            self.compute(look, start, &mut best);
            for c in (first..end).filter(|&c| c != start) {
                // A bound that is not a number is no bound.
                let bound = self.bound(look, &self.clusters[c as usize]);
                if !(bound * bound <= best.0) {
                    self.compute(look, c, &mut best);
                }
            }
            look.last[joint] = best.1;
            let cluster = &self.clusters[best.1 as usize];
            *out = Farthest {
                error_m: best.0.max(0.0).sqrt() * (1.0 + ROUNDING),
                vertex: self.ids[cluster.ids as usize + best.2],
            };
        }
    }

    /// How far a vertex of a cluster may move at most, metres.
    fn bound(&self, look: &Look, cluster: &Cluster) -> f32 {
        let shares = &self.shares[cluster.shares.0 as usize..cluster.shares.1 as usize];
        let most = |s: &Share| {
            let d = &look.deltas[usize::from(s.joint)];
            d.length_at(s.middle) + d.norm * s.radius
        };
        if let [share] = shares {
            return most(share) * (1.0 + ROUNDING);
        }
        // The largest mean with weights that sum to 1, none above its most: the largest bounds get all they can.
        let mut bounds = [(0.0_f32, 0.0_f32); 8];
        if shares.len() > bounds.len() {
            return shares.iter().map(most).fold(0.0, f32::max) * (1.0 + ROUNDING);
        }
        let bounds = &mut bounds[..shares.len()];
        for (bound, s) in bounds.iter_mut().zip(shares) {
            *bound = (most(s), s.most);
        }
        bounds.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let (mut left, mut sum) = (1.0 + ROUNDING, 0.0);
        for (bound, most) in bounds {
            let weight = most.min(left);
            sum += *bound * weight;
            left -= weight;
        }
        sum * (1.0 + ROUNDING)
    }

    /// Computes all vertices of a cluster; `best` is the largest square, its cluster and its place there.
    fn compute(&self, look: &mut Look, at: u32, best: &mut (f32, u32, usize)) {
        let cluster = &self.clusters[at as usize];
        let shares = &self.shares[cluster.shares.0 as usize..cluster.shares.1 as usize];
        let rows = &self.lanes[cluster.first as usize..][..shares.len() * cluster.blocks as usize];
        for (block, rows) in rows.chunks_exact(shares.len()).enumerate() {
            let mut sums = [[0.0_f32; LANES]; 3];
            for (share, row) in shares.iter().zip(rows) {
                let [x, y, z, t] = &look.deltas[usize::from(share.joint)].columns;
                for (k, sum) in sums.iter_mut().enumerate() {
                    for lane in 0..LANES {
                        sum[lane] += x[k] * row[0][lane]
                            + y[k] * row[1][lane]
                            + z[k] * row[2][lane]
                            + t[k] * row[3][lane];
                    }
                }
            }
            let [x, y, z] = &sums;
            for lane in 0..LANES {
                let square = x[lane] * x[lane] + y[lane] * y[lane] + z[lane] * z[lane];
                // What is not a number is no small error.
                if !(square <= best.0) {
                    let square = if square.is_nan() {
                        f32::INFINITY
                    } else {
                        square
                    };
                    *best = (square, at, block * LANES + lane);
                }
            }
        }
        look.touched += u64::from(cluster.blocks) * LANES as u64;
    }
}

impl Look {
    /// Vertices that were computed so far.
    pub fn touched(&self) -> u64 {
        self.touched
    }
}

/// The joint with the largest weight; of equals the first of the skeleton.
/// The joint that moves a vertex most; of several the first.
pub fn owner(influences: &[Influence]) -> Option<usize> {
    let heavier = |a: &&Influence, b: &&Influence| {
        a.weight
            .total_cmp(&b.weight)
            .then_with(|| b.joint.cmp(&a.joint))
    };
    influences
        .iter()
        .max_by(heavier)
        .map(|i| usize::from(i.joint))
}

fn place_in(influences: &[Influence], joint: u16) -> DVec3 {
    let own = influences.iter().find(|i| i.joint == joint);
    own.map_or(DVec3::ZERO, |i| glam::Vec3::from(i.place).as_dvec3())
}

/// Leaves vertices out that move just as another one.
fn once_each(vertices: Vec<(VertexId, &[Influence])>) -> Vec<(VertexId, &[Influence])> {
    let key = |influences: &[Influence]| -> Vec<[u32; 5]> {
        let bits = |i: &Influence| {
            let [x, y, z] = i.place.map(f32::to_bits);
            [u32::from(i.joint), i.weight.to_bits(), x, y, z]
        };
        let mut bits: Vec<[u32; 5]> = influences.iter().map(bits).collect();
        bits.sort_unstable();
        bits
    };
    let mut known: HashSet<Vec<[u32; 5]>> = HashSet::with_capacity(vertices.len());
    let fresh = |v: &(VertexId, &[Influence])| known.insert(key(v.1));
    vertices.into_iter().filter(fresh).collect()
}

fn share(joint: u16, influences: impl Iterator<Item = Influence> + Clone) -> Share {
    let place = |i: Influence| glam::Vec3::from(i.place);
    let low = influences
        .clone()
        .map(place)
        .fold(glam::Vec3::INFINITY, glam::Vec3::min);
    let high = influences
        .clone()
        .map(place)
        .fold(glam::Vec3::NEG_INFINITY, glam::Vec3::max);
    let middle = 0.5 * (low + high);
    let distance = |i: Influence| place(i).distance(middle);
    Share {
        joint,
        middle: middle.to_array(),
        radius: influences.clone().map(distance).fold(0.0, f32::max) * (1.0 + ROUNDING),
        most: influences.map(|i| i.weight).fold(0.0, f32::max),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Skin, SkinPart, vertex_place};

    /// Numbers in -1 to 1.
    struct Noise(u64);

    impl Noise {
        fn next(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }

        fn vector(&mut self, size: f64) -> DVec3 {
            DVec3::new(self.next(), self.next(), self.next()) * size
        }

        fn matrix(&mut self, size: f64) -> DAffine3 {
            DAffine3 {
                matrix3: DMat3::from_cols(self.vector(size), self.vector(size), self.vector(size)),
                translation: self.vector(size),
            }
        }
    }

    const JOINTS: usize = 12;

    /// A body of vertices near their joints, with one to five weights, some of which coincide.
    fn skin(noise: &mut Noise) -> Skin {
        let mut part = SkinPart::default();
        for v in 0..900_usize {
            let first = v % JOINTS;
            let place = noise.vector(0.1);
            let weights: Vec<f64> = (0..=(v % 5)).map(|_| 0.05 + noise.next().abs()).collect();
            let sum: f64 = weights.iter().sum();
            let influences: Vec<Influence> = weights
                .iter()
                .enumerate()
                .map(|(k, w)| Influence {
                    joint: ((first + k) % JOINTS) as u16,
                    weight: (w / sum) as f32,
                    place: (place + DVec3::X * (0.3 * k as f64)).as_vec3().into(),
                })
                .collect();
            for _ in 0..=usize::from(v % 7 == 0) {
                part.push(influences.iter().copied());
            }
        }
        let mut skin = Skin::default();
        skin.parts.push(part);
        skin
    }

    /// Looks at every vertex.
    fn brute(skin: &Skin, deltas: &[DAffine3]) -> Vec<f64> {
        let mut most = vec![0.0_f64; JOINTS];
        let part = &skin.parts[0];
        for v in 0..part.vertices() {
            let influences = part.of_vertex(v);
            let joint = owner(influences).expect("every vertex has one");
            most[joint] = most[joint].max(vertex_place(influences, deltas).length());
        }
        most
    }

    #[test]
    fn what_is_found_is_what_looking_at_every_vertex_finds() {
        let mut noise = Noise(7);
        let skin = skin(&mut noise);
        let surface = Surface::new(&skin, JOINTS, |_| |_| true);
        let mut look = surface.look();
        let mut out = vec![Farthest::default(); JOINTS];
        let mut deltas: Vec<DAffine3> = (0..JOINTS).map(|_| noise.matrix(0.002)).collect();
        for frame in 0..200 {
            // Frames are near each other, and now and then one is not.
            for delta in &mut deltas {
                let change = noise.matrix(if frame % 40 == 0 { 0.003 } else { 0.0001 });
                delta.matrix3 += change.matrix3;
                delta.translation += change.translation;
            }
            surface.farthest(&mut look, &deltas, &mut out);
            for (found, most) in out.iter().zip(brute(&skin, &deltas)) {
                assert!(
                    (f64::from(found.error_m) - most).abs() <= 2e-5 * most,
                    "{frame}"
                );
                let id = found.vertex;
                let influences = skin.parts[0].of_vertex(id.vertex as usize);
                let place = vertex_place(influences, &deltas).length();
                assert!((place - most).abs() <= 2e-5 * most, "the vertex is the one");
            }
        }
        let all = 200 * skin.vertices() as u64;
        assert!(look.touched() < all, "{} of {all}", look.touched());
    }

    #[test]
    fn overflow_is_no_small_error_and_parts_can_be_left_out() {
        let mut noise = Noise(3);
        let mut skin = skin(&mut noise);
        skin.parts[0].name = "body".into();
        let surface = Surface::new(&skin, JOINTS, |_| |_| true);
        assert!(surface.owns(3) && surface.movers().iter().all(|&m| m));
        let mut deltas = vec![DAffine3::ZERO; JOINTS];
        deltas[3].translation.y = f64::NAN;
        let mut out = vec![Farthest::default(); JOINTS];
        surface.farthest(&mut surface.look(), &deltas, &mut out);
        assert_eq!(out[3].error_m, f32::INFINITY);
        let none = Surface::new(&skin, JOINTS, |p| {
            let counts = skin.parts[p].name != "body";
            move |_| counts
        });
        assert!(none.is_empty() && !none.owns(3));
    }
}
