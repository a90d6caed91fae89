//! How much of what is allowed an error of a track uses up, frame by frame.

use crate::fit::Tolerance;
use glam::{DMat3, DVec3};

/// What an error uses of what is allowed at some point: a square and, where the point is off already, what the error
/// adds to that or takes from it, whichever side of the joint one looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Form {
    diagonal: DVec3,
    /// yz, xz, xy.
    others: DVec3,
    along: DVec3,
}

impl Form {
    /// Of the length of `m` times the error.
    pub(super) fn of(m: DMat3) -> Self {
        let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
        Self {
            diagonal: DVec3::new(x.dot(x), y.dot(y), z.dot(z)),
            others: DVec3::new(y.dot(z), x.dot(z), x.dot(y)),
            along: DVec3::ZERO,
        }
    }

    /// The same where the point is off by so much already that `along` times the error is added.
    pub(super) fn with_along(self, along: DVec3) -> Self {
        Self { along, ..self }
    }

    #[inline]
    fn square(&self, e: DVec3) -> f64 {
        self.quadratic(e) + self.along.dot(e).abs()
    }

    #[inline]
    fn quadratic(&self, e: DVec3) -> f64 {
        let crossed = DVec3::new(e.y * e.z, e.x * e.z, e.x * e.y);
        self.diagonal.dot(e * e) + 2.0 * self.others.dot(crossed)
    }

    fn matrix(&self) -> DMat3 {
        let (d, o) = (self.diagonal, self.others);
        DMat3::from_cols(
            DVec3::new(d.x, o.z, o.y),
            DVec3::new(o.z, d.y, o.x),
            DVec3::new(o.y, o.x, d.z),
        )
    }

    /// A bound of the largest eigenvalue, at most 1.1 times that: the eighth root of the sum of their eighth
    /// powers.
    fn largest(&self) -> f64 {
        let trace = self.diagonal.element_sum();
        if !(trace > 0.0) {
            return 0.0;
        }
        let m = self.matrix() * (1.0 / trace);
        let squared = m * m;
        let fourth = squared * squared;
        let eighth: f64 = fourth.to_cols_array().iter().map(|c| c * c).sum();
        eighth.sqrt().sqrt().sqrt() * trace
    }
}

/// The tolerance of a track at every frame: the most that any of its forms makes of an error.
#[derive(Clone, Debug)]
pub(super) struct Gauge {
    /// Largest eigenvalue of a frame's forms.
    weights: Vec<f64>,
    /// Largest length of `along` of a frame's forms.
    alongs: Vec<f64>,
    /// `each` a frame; none where the same length is allowed in all directions.
    forms: Vec<Form>,
    each: usize,
}

impl Gauge {
    /// So far in any direction, a distance for each frame.
    pub(super) fn even(distances: impl Iterator<Item = f64>) -> Self {
        Self {
            weights: distances.map(|d| 1.0 / (d * d)).collect(),
            alongs: Vec::new(),
            forms: Vec::new(),
            each: 0,
        }
    }

    /// `each` forms a frame, at least one.
    pub(super) fn forms(each: usize, forms: Vec<Form>) -> Self {
        let largest = |f: &[Form]| f.iter().map(Form::largest).fold(0.0, f64::max);
        let along = |f: &[Form]| f.iter().map(|f| f.along.length()).fold(0.0, f64::max);
        Self {
            weights: forms.chunks_exact(each).map(largest).collect(),
            alongs: forms.chunks_exact(each).map(along).collect(),
            forms,
            each,
        }
    }

    /// The gauge of errors of which this one is given so many times each.
    pub(super) fn of_multiples(mut self, factor: f64) -> Self {
        let square = factor * factor;
        for weight in &mut self.weights {
            *weight *= square;
        }
        for along in &mut self.alongs {
            *along *= factor;
        }
        for form in &mut self.forms {
            form.diagonal *= square;
            form.others *= square;
            form.along *= factor;
        }
        self
    }

    fn of_frame(&self, frame: usize) -> &[Form] {
        &self.forms[frame * self.each..][..self.each]
    }

    /// The mean of all forms; `None` where all directions are alike.
    pub(super) fn mean(&self) -> Option<DMat3> {
        if self.forms.is_empty() {
            return None;
        }
        let sum = self
            .forms
            .iter()
            .map(Form::matrix)
            .fold(DMat3::ZERO, |a, b| a + b);
        Some(sum * (1.0 / self.forms.len() as f64))
    }

    /// The largest sum of squares, over all frames, that errors of the lengths of `columns` along each of them
    /// come to.
    pub(super) fn largest_sum(&self, columns: &DMat3) -> f64 {
        let axes = [columns.x_axis, columns.y_axis, columns.z_axis];
        if self.forms.is_empty() {
            let lengths: f64 = axes.iter().map(|a| a.length_squared()).sum();
            return lengths * self.weights.iter().copied().fold(0.0, f64::max);
        }
        let sum = |f: &Form| axes.iter().map(|&a| f.quadratic(a)).sum::<f64>();
        self.forms.iter().map(sum).fold(0.0, f64::max)
    }
}

impl Tolerance for Gauge {
    fn square(&self, frame: usize, error: DVec3) -> f64 {
        if self.each == 0 {
            return error.length_squared() * self.weights[frame];
        }
        let forms = self.of_frame(frame).iter();
        forms.map(|f| f.square(error)).fold(0.0, f64::max)
    }

    fn weight(&self, frame: usize) -> f64 {
        self.weights[frame]
    }

    fn within(&self, frame: usize, error: DVec3, square: f64) -> bool {
        let e = error.length_squared();
        let along = self.alongs.get(frame).map_or(0.0, |a| a * e.sqrt());
        e * self.weights[frame] + along <= square || self.square(frame, error) <= square
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_a_squared_length_and_its_bound_is_close() {
        let m = DMat3::from_cols(
            DVec3::new(1.0, 2.0, 0.0),
            DVec3::new(0.0, 3.0, 1.0),
            DVec3::X,
        );
        let (form, e) = (Form::of(m), DVec3::new(0.3, -0.2, 0.7));
        assert!((form.square(e) - (m * e).length_squared()).abs() < 1e-12);
        let flat = Form::of(DMat3::from_diagonal(DVec3::new(2.0, 2.0, 0.0)));
        assert!(flat.largest() >= 4.0 && flat.largest() < 4.4);
    }

    #[test]
    fn multiples_are_told_by_their_gauge() {
        let form = Form::of(DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0)));
        let form = form.with_along(DVec3::new(0.5, 0.0, -4.0));
        let (forms, even) = (Gauge::forms(1, vec![form]), Gauge::even([0.3].into_iter()));
        let e = DVec3::new(0.3, -0.2, 0.7);
        for gauge in [forms, even] {
            let hundredths = gauge.clone().of_multiples(100.0);
            let (got, want) = (hundredths.square(0, e * 0.01), gauge.square(0, e));
            assert!((got / want - 1.0).abs() < 1e-12);
            assert!((hundredths.weight(0) / gauge.weight(0) - 1e4).abs() < 1e-8);
            assert!(hundredths.within(0, e * 0.01, 1.001 * want));
            assert!(!hundredths.within(0, e * 0.01, 0.999 * want));
        }
    }

    #[test]
    fn the_strictest_form_counts() {
        let forms = vec![
            Form::of(DMat3::from_diagonal(DVec3::X)),
            Form::of(DMat3::from_diagonal(DVec3::Y * 2.0)),
        ];
        let gauge = Gauge::forms(2, forms);
        assert_eq!(gauge.square(0, DVec3::new(1.0, 1.0, 9.0)), 4.0);
        assert!(gauge.within(0, DVec3::new(0.9, 0.1, 9.0), 1.0));
    }
}
