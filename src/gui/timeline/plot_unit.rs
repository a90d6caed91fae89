//! In which unit a channel is drawn.

use crate::math::Channel;
use crate::session::units;

/// Unit of a channel's values and of its local error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PlotUnit {
    pub channel: Channel,
    /// From stored values to drawn ones.
    pub value_factor: f64,
    /// From stored local errors to drawn ones.
    pub error_factor: f64,
}

impl PlotUnit {
    pub(super) fn new(channel: Channel, unit_m: f64) -> Self {
        let (value_factor, error_factor) = match channel {
            Channel::Rotation => (1.0, 1.0_f64.to_degrees()),
            Channel::Translation => (unit_m * 1e3, unit_m * 1e3),
            Channel::Scale => (1.0, 1.0),
        };
        Self {
            channel,
            value_factor,
            error_factor,
        }
    }

    /// Unit of drawn values, for the axis.
    pub(super) fn value_unit(&self) -> &'static str {
        match self.channel {
            Channel::Rotation => "quaternion",
            Channel::Translation => "mm",
            Channel::Scale => "factor",
        }
    }

    /// A stored local error (or tolerance) with its unit.
    pub(super) fn show_error(&self, error: f64) -> String {
        self.show_drawn_error(error * self.error_factor)
    }

    /// A drawn local error with its unit.
    pub(super) fn show_drawn_error(&self, error: f64) -> String {
        let unit = match self.channel {
            Channel::Rotation => "°",
            Channel::Translation => " mm",
            Channel::Scale => "",
        };
        format!("{}{unit}", units::digits(error))
    }

    /// A stored value as it is drawn, with its sign, in a fixed width.
    pub(super) fn show_value(&self, value: f64) -> String {
        let drawn = value * self.value_factor;
        match self.channel {
            Channel::Rotation | Channel::Scale => format!("{drawn:>+9.5}"),
            Channel::Translation => format!("{drawn:>+9.2} mm"),
        }
    }

    /// The least range of values that fills the plot: below it a curve counts as level.
    pub(super) fn least_span(&self) -> f64 {
        match self.channel {
            Channel::Rotation | Channel::Scale => 0.01,
            Channel::Translation => 1.0,
        }
    }
}
