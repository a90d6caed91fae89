//! Least squares where every equation has four neighbouring unknowns.

use glam::DVec3;

/// Smallest pivot, as a part of the diagonal: an unknown that no equation holds stays near zero.
const SMALLEST_PIVOT: f64 = 1e-13;

/// The normal equations of a weighted least squares problem whose matrix has seven diagonals.
#[derive(Clone, Debug)]
pub(super) struct Band {
    /// Row `i`, column `i - d` at `[i][d]`.
    rows: Vec<[f64; 4]>,
    right: Vec<DVec3>,
}

impl Band {
    /// No equation yet for so many unknowns.
    pub(super) fn new(unknowns: usize) -> Self {
        Self {
            rows: vec![[0.0; 4]; unknowns],
            right: vec![DVec3::ZERO; unknowns],
        }
    }

    /// An equation: the unknowns from `first` on, times `w`, are `value`.
    pub(super) fn add(&mut self, first: usize, w: [f64; 4], weight: f64, value: DVec3) {
        self.add_shifted(first, 0, w, weight, value);
    }

    /// The same where unknown 0 is the one that the caller counts as `low`; unknowns that are not here must have
    /// the weight 0.
    pub(super) fn add_shifted(
        &mut self,
        first: usize,
        low: usize,
        w: [f64; 4],
        weight: f64,
        value: DVec3,
    ) {
        for p in 0..4 {
            if w[p] == 0.0 {
                continue;
            }
            let row = first + p - low;
            let scaled = weight * w[p];
            for (q, w) in w.iter().enumerate().take(p + 1) {
                self.rows[row][p - q] += scaled * w;
            }
            self.right[row] += value * scaled;
        }
    }

    /// The solution, by Cholesky's decomposition. Cost: linear.
    pub(super) fn solve(mut self) -> Vec<DVec3> {
        let count = self.rows.len();
        for i in 0..count {
            let floor = SMALLEST_PIVOT * self.rows[i][0].max(f64::MIN_POSITIVE);
            for d in (0..=3.min(i)).rev() {
                let j = i - d;
                let mut sum = self.rows[i][d];
                for m in i.saturating_sub(3)..j {
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
            for d in 1..=3.min(i) {
                let part = x[i - d] * self.rows[i][d];
                x[i] -= part;
            }
            x[i] /= self.rows[i][0];
        }
        for i in (0..count).rev() {
            for d in 1..=3.min(count - 1 - i) {
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
        let mut band = Band::new(9);
        for first in 0..6 {
            for w in [
                [0.1, 0.7, 0.4, -0.2],
                [0.0, 1.0, 0.0, 0.0],
                [1.0, 0.2, 0.0, 0.3],
                [0.0, 0.1, 0.1, 1.0],
            ] {
                let value = (0..4).map(|p| wanted[first + p] * w[p]).sum();
                band.add(first, w, 2.0, value);
            }
        }
        for (a, b) in band.solve().iter().zip(&wanted) {
            assert!((*a - *b).length() < 1e-9);
        }
    }
}
