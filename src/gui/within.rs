//! A number kept between two limits, whatever the limits are: a window can be too small for all of its parts, and the
//! `clamp` of the standard library ends the program where the upper limit lies below the lower one.

/// Keeps a value between two limits.
pub(crate) trait Within: PartialOrd + Sized {
    /// The nearest value from `low` to `high`; `low` where there is none, and for what is not a number.
    fn within(self, low: Self, high: Self) -> Self {
        if self < high && self > low {
            self
        } else if self >= high && high > low {
            high
        } else {
            low
        }
    }
}

impl<T: PartialOrd> Within for T {}

#[cfg(test)]
mod tests {
    use super::Within as _;

    #[test]
    fn values_are_kept_between_the_limits() {
        assert_eq!(
            [-1.0, 0.0, 0.5, 1.0, 7.0].map(|v: f32| v.within(0.0, 1.0)),
            [0.0, 0.0, 0.5, 1.0, 1.0]
        );
        assert_eq!([0_usize, 3, 9].map(|v| v.within(1, 4)), [1, 3, 4]);
        assert_eq!(f64::INFINITY.within(0.0, 1.0), 1.0);
        assert_eq!(f64::NEG_INFINITY.within(0.0, 1.0), 0.0);
    }

    #[test]
    fn limits_in_the_wrong_order_give_the_lower_one() {
        assert_eq!([0.0, 5.0, 9.0].map(|v: f64| v.within(6.0, 4.0)), [6.0; 3]);
        assert_eq!([0_usize, 5, 9].map(|v| v.within(6, 4)), [6; 3]);
        assert_eq!(3.0.within(2.0, f32::NAN), 2.0);
        assert_eq!(f32::NAN.within(2.0, 4.0), 2.0);
    }
}
