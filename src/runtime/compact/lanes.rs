//! From curves to the values of channels, some at a time: plain loops that become vector instructions.
// Loops over lanes index several arrays at once, all within their fixed lengths.
#![allow(clippy::needless_range_loop, clippy::indexing_slicing)]

use super::super::lanes::{Arc, Evaluate, Group, Values};
use super::super::{Channel, Transform};
use super::values;

/// What a channel is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// One curve of rotation parameters.
    Rotation,
    /// A curve of x, y, z and one of w.
    Pair,
    /// One curve of a vector.
    Vector,
}

/// Unit quaternions from rotation parameters.
#[inline(never)]
fn rotations<const L: usize>(v: &Values<3, L>, reference: &Values<4, L>) -> Values<4, L> {
    let mut out = *reference;
    for l in 0..L {
        let r = [
            reference[0][l],
            reference[1][l],
            reference[2][l],
            reference[3][l],
        ];
        let q = values::rotation(r, [v[0][l], v[1][l], v[2][l]]);
        for c in 0..4 {
            out[c][l] = q[c];
        }
    }
    out
}

/// Unit quaternions from the doubled components of the two curves of a pair.
#[inline(never)]
fn pairs<const L: usize>(xyz: &Values<3, L>, w: &Values<3, L>) -> Values<4, L> {
    let mut out = [xyz[0], xyz[1], xyz[2], w[0]];
    for l in 0..L {
        let q = values::unit([out[0][l], out[1][l], out[2][l], out[3][l]]);
        for c in 0..4 {
            out[c][l] = q[c];
        }
    }
    out
}

/// Vectors: the rest pose's and what the curve adds, times the factor in the last place.
#[inline(never)]
fn vectors<const L: usize>(v: &Values<3, L>, rest: &Values<4, L>) -> Values<4, L> {
    let mut out = [v[0], v[1], v[2], [0.0; L]];
    for c in 0..3 {
        for l in 0..L {
            out[c][l] = rest[c][l] + out[c][l] * rest[3][l];
        }
    }
    out
}

/// The values of some channels of one shape at a position.
#[derive(Clone, Debug)]
pub(super) struct Curves<const L: usize> {
    pub(super) first: Group<3, L>,
    /// The curves of w, for pairs.
    pub(super) second: Option<Group<3, L>>,
}

impl<const L: usize> Curves<L> {
    pub(super) fn new(shape: Shape) -> Self {
        Self {
            first: Group::new(),
            second: (shape == Shape::Pair).then(Group::new),
        }
    }

    /// Unit quaternions, or vectors with a 0 in the last place.
    pub(super) fn values(
        &self,
        shape: Shape,
        reference: &Values<4, L>,
        frame: f32,
        fraction: f32,
    ) -> Values<4, L> {
        let values = self.first.values(frame, fraction);
        match (shape, &self.second) {
            (Shape::Vector, _) => vectors(&values, reference),
            (_, None) => rotations(&values, reference),
            (_, Some(second)) => pairs(&values, &second.values(frame, fraction)),
        }
    }
}

/// What is needed between two frames.
pub(super) fn arc<const L: usize>(shape: Shape, a: &Values<4, L>, b: &Values<4, L>) -> Arc<L> {
    if shape == Shape::Vector {
        return Arc::NONE;
    }
    Arc::new(a, b)
}

/// Along the straight line.
#[inline(never)]
pub(super) fn lerp<const L: usize>(
    a: &Values<4, L>,
    b: &Values<4, L>,
    weights: &[f32; L],
) -> Values<4, L> {
    let mut out = *a;
    for c in 0..3 {
        for l in 0..L {
            out[c][l] = a[c][l] + (b[c][l] - a[c][l]) * weights[l];
        }
    }
    out
}

/// Puts a value into its place.
#[inline]
pub(super) fn put(joint: &mut Transform, channel: Channel, [x, y, z, w]: [f32; 4]) {
    match channel {
        Channel::Rotation => joint.rotation = [x, y, z, w],
        Channel::Translation => joint.translation = [x, y, z],
        Channel::Scale => joint.scale = [x, y, z],
    }
}
