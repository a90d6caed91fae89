//! Least squares where every equation has four neighbouring unknowns, in a row or in a ring.

use glam::DVec3;

/// Smallest pivot, as a part of the diagonal: an unknown that no equation holds stays near zero.
const SMALLEST_PIVOT: f64 = 1e-13;

/// Diagonals, from the main one on, where unknowns are in a row.
pub(super) const ROW: usize = 4;

/// Likewise where they are in a ring, [`folded`].
pub(super) const RING: usize = 7;

/// The place of an unknown of a ring among so many: 0, the last, 1, the last but one and so on. Laid out so,
/// unknowns that are three apart in the ring are at most six apart, and no corner of the matrix is filled.
pub(super) fn folded(unknown: usize, count: usize) -> usize {
    (2 * unknown).min(2 * (count - 1 - unknown) + 1)
}

/// The normal equations of a weighted least squares problem whose matrix has `D - 1` diagonals on each side of the
/// main one.
#[derive(Clone, Debug)]
pub(super) struct Band<const D: usize> {
    /// Row `i`, column `i - d` at `[i][d]`.
    rows: Vec<[f64; D]>,
    right: Vec<DVec3>,
}

impl<const D: usize> Band<D> {
    /// No equation yet for so many unknowns.
    pub(super) fn new(unknowns: usize) -> Self {
        Self {
            rows: vec![[0.0; D]; unknowns],
            right: vec![DVec3::ZERO; unknowns],
        }
    }

    /// An equation: the unknowns at these places, times `w`, are `value`. Those with the weight 0 need not exist; a
    /// place may come twice.
    #[inline]
    pub(super) fn add(&mut self, places: [usize; 4], w: [f64; 4], weight: f64, value: DVec3) {
        for (&row, &own) in places.iter().zip(&w) {
            if own == 0.0 {
                continue;
            }
            let scaled = weight * own;
            for (&column, &other) in places.iter().zip(&w) {
                if column <= row && other != 0.0 {
                    self.rows[row][row - column] += scaled * other;
                }
            }
            self.right[row] += value * scaled;
        }
    }

    /// The solution, by Cholesky's decomposition. Cost: linear.
    pub(super) fn solve(mut self) -> Vec<DVec3> {
        let count = self.rows.len();
        for i in 0..count {
            let floor = SMALLEST_PIVOT * self.rows[i][0].max(f64::MIN_POSITIVE);
            for d in (0..D.min(i + 1)).rev() {
                let j = i - d;
                let mut sum = self.rows[i][d];
                for m in i.saturating_sub(D - 1)..j {
                    sum -= self.rows[i][i - m] * self.rows[j][j - m];
                }
                self.rows[i][d] = if d == 0 {
                    sum.max(floor).sqrt()
                } else {
                    sum / self.rows[j][0]
                };
            }
        }
        let mut x = self.right;
        for i in 0..count {
            for d in 1..D.min(i + 1) {
                let part = x[i - d] * self.rows[i][d];
                x[i] -= part;
            }
            x[i] /= self.rows[i][0];
        }
        for i in (0..count).rev() {
            for d in 1..D.min(count - i) {
                let part = x[i + d] * self.rows[i + d][d];
                x[i] -= part;
            }
            x[i] /= self.rows[i][0];
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_what_has_an_exact_solution() {
        let wanted: Vec<DVec3> = (0..9)
            .map(|i| DVec3::new(f64::from(i), 1.0, -f64::from(i * i)))
            .collect();
        let mut band = Band::<ROW>::new(9);
        for first in 0..6 {
            for w in [
                [0.1, 0.7, 0.4, -0.2],
                [0.0, 1.0, 0.0, 0.0],
                [1.0, 0.2, 0.0, 0.3],
                [0.0, 0.1, 0.1, 1.0],
            ] {
                let value = (0..4).map(|p| wanted[first + p] * w[p]).sum();
                band.add([0, 1, 2, 3].map(|p| first + p), w, 2.0, value);
            }
        }
        for (a, b) in band.solve().iter().zip(&wanted) {
            assert!((*a - *b).length() < 1e-9);
        }
    }

    #[test]
    fn a_ring_of_any_size_is_solved_as_a_row_is() {
        for count in 1..12 {
            let wanted: Vec<DVec3> = (0..count)
                .map(|i| DVec3::new(i as f64, 1.0, (i * i % 5) as f64))
                .collect();
            let mut band = Band::<RING>::new(count);
            for first in 0..count {
                for w in [[0.1, 0.9, 0.3, -0.2], [0.0, 1.0, 0.0, 0.0]] {
                    let ring = [0, 1, 2, 3].map(|p| (first + p) % count);
                    let value = (0..4).map(|p| wanted[ring[p]] * w[p]).sum();
                    band.add(ring.map(|k| folded(k, count)), w, 2.0, value);
                }
            }
            let solved = band.solve();
            for (i, wanted) in wanted.iter().enumerate() {
                let solved = solved[folded(i, count)];
                assert!((solved - *wanted).length() < 1e-9, "{i} of {count}");
            }
        }
    }
}
