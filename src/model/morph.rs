use super::{Clip, CurveSource};

/// The morph targets of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Morph {
    /// The node in the source file that shows the mesh, whose weights count.
    pub node: usize,
    /// Weight of each target where nothing moves it.
    pub weights: Vec<f32>,
    /// For each target the vertices that it moves, and how far a weight of 1 does, source units.
    pub targets: Vec<Vec<(u32, [f32; 3])>>,
}

/// The weight of one target of one node at some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MorphValue {
    /// The node in the source file.
    pub node: usize,
    /// The morph target.
    pub index: usize,
    /// Its weight.
    pub value: f32,
}

impl MorphValue {
    /// All that a clip moves at a time, as the source or a player of it has them. Cost: that of [`CurveSource::curves`].
    pub fn of(clip: &Clip, source: &mut impl CurveSource, secs: f64) -> Vec<Self> {
        let mut values = vec![0.0; clip.scalars().len()];
        source.curves(secs, &mut values);
        let scalars = clip.scalars().iter().zip(values);
        let value = scalars.filter_map(|(scalar, value)| {
            let (node, index) = scalar.morph.map(|m| (m.node, m.index))?;
            Some(Self { node, index, value })
        });
        value.collect()
    }
}

impl Morph {
    /// The weight of each target, where a clip moves some.
    pub fn weights_with(&self, values: &[MorphValue]) -> Vec<f32> {
        let mut weights = self.weights.clone();
        for v in values.iter().filter(|v| v.node == self.node) {
            if let Some(weight) = weights.get_mut(v.index) {
                *weight = v.value;
            }
        }
        weights
    }

    /// Moves positions, one a vertex, by weighed targets. Cost: the vertices that targets with a weight move.
    pub fn apply(&self, weights: &[f32], positions: &mut [[f32; 3]]) {
        let targets = self.targets.iter().zip(weights);
        for (target, &weight) in targets.filter(|t| *t.1 != 0.0) {
            for &(vertex, by) in target {
                if let Some(position) = positions.get_mut(vertex as usize) {
                    for (p, d) in position.iter_mut().zip(by) {
                        *p += weight * d;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_of_its_own_node_move_its_vertices() {
        let morph = Morph {
            node: 3,
            weights: vec![0.5, 0.0],
            targets: vec![
                vec![(0, [2.0, 0.0, 0.0])],
                vec![(1, [0.0, 4.0, 0.0]), (9, [1.0; 3])],
            ],
        };
        let value = |node, index, value| MorphValue { node, index, value };
        let weights = morph.weights_with(&[value(3, 1, 0.25), value(4, 0, 9.0), value(3, 7, 9.0)]);
        assert_eq!(weights, [0.5, 0.25]);
        let mut positions = [[0.0; 3]; 2];
        morph.apply(&weights, &mut positions);
        assert_eq!(positions, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    }
}
