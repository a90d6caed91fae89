use crate::gui::within::Within as _;
use crate::session::units;
use std::ops::RangeInclusive;

/// What a value is: how it is typed, shown, and how far a slider goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Skin error or distance, metres.
    Length,
    /// Radians.
    Angle,
    /// A plain number.
    Factor,
}

impl Quantity {
    /// Reads what a person typed, with or without a unit; the error says what would be understood.
    pub fn parse(self, text: &str) -> Result<f64, String> {
        match self {
            Self::Length => units::parse_length_m(text),
            Self::Angle => units::parse_angle_rad(text),
            Self::Factor => units::parse_factor(text),
        }
    }

    /// The value with its unit.
    pub fn show(self, value: f64) -> String {
        match self {
            Self::Length => units::show_mm(value),
            Self::Angle => units::show_degrees(value),
            Self::Factor if value < 1e-4 => format!("{value:.1e}"),
            Self::Factor => units::digits(value),
        }
    }

    /// The number alone, in the unit that is shown: millimetres, degrees, or itself.
    pub fn shown(self, value: f64) -> f64 {
        match self {
            Self::Length => value * 1000.0,
            Self::Angle => value.to_degrees(),
            Self::Factor => value,
        }
    }

    /// The inverse of [`Quantity::shown`].
    pub fn stored(self, shown: f64) -> f64 {
        match self {
            Self::Length => shown / 1000.0,
            Self::Angle => shown.to_radians(),
            Self::Factor => shown,
        }
    }

    /// From where to where a slider goes; typed values may lie outside.
    pub fn range(self) -> RangeInclusive<f64> {
        match self {
            Self::Length | Self::Factor => 1e-5..=0.1,
            Self::Angle => 0.001_f64.to_radians()..=10_f64.to_radians(),
        }
    }

    /// Position of a value on a logarithmic slider, in `[0, 1]`.
    pub fn position(self, value: f64) -> f64 {
        let (low, high) = (self.range().start().ln(), self.range().end().ln());
        ((value.max(f64::MIN_POSITIVE).ln() - low) / (high - low)).within(0.0, 1.0)
    }

    /// The value at a position of a logarithmic slider, rounded to three digits as shown.
    pub fn value(self, position: f64) -> f64 {
        let (low, high) = (self.range().start().ln(), self.range().end().ln());
        let exact = (low + (high - low) * position.within(0.0, 1.0)).exp();
        self.stored(three_digits(self.shown(exact)))
    }
}

fn three_digits(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slider_finds_back_to_its_value() {
        for quantity in [Quantity::Length, Quantity::Angle, Quantity::Factor] {
            for step in 0..=20 {
                let t = f64::from(step) / 20.0;
                let value = quantity.value(t);
                assert!(
                    (quantity.position(value) - t).abs() < 2e-3,
                    "{quantity:?} {t}"
                );
                let typed = quantity
                    .parse(&quantity.show(value))
                    .expect("is understood");
                assert!((typed / value - 1.0).abs() < 0.06, "{quantity:?} {value}");
            }
        }
    }

    #[test]
    fn positions_outside_the_range_stay_at_its_ends() {
        assert_eq!(Quantity::Length.position(0.0), 0.0);
        assert_eq!(Quantity::Length.position(1e9), 1.0);
    }
}
