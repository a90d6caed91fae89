use crate::gui::theme;
use crate::metrics::SLIDE_LIMIT_M;
use eframe::egui::Color32;

/// From this share of the limit on a foot is near it.
const NEAR_SHARE: f64 = 0.75;

/// How added slide stands against [`SLIDE_LIMIT_M`], the same wherever a foot is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlideGrade {
    /// Well within.
    Good,
    /// Within, but not by much.
    Near,
    /// Over, or not a number.
    Over,
}

impl SlideGrade {
    /// The grade of an added slide in metres.
    pub fn of(added_m: f64) -> Self {
        if !(added_m <= SLIDE_LIMIT_M) {
            Self::Over
        } else if added_m > NEAR_SHARE * SLIDE_LIMIT_M {
            Self::Near
        } else {
            Self::Good
        }
    }

    /// The verdict's colour.
    pub fn color(self) -> Color32 {
        match self {
            Self::Good => theme::GOOD,
            Self::Near => theme::WARNING,
            Self::Over => theme::BAD,
        }
    }

    /// In `"… the limit"`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Good => "within",
            Self::Near => "near",
            Self::Over => "over",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_stand_against_the_limit() {
        assert_eq!(SlideGrade::of(0.0), SlideGrade::Good);
        assert_eq!(SlideGrade::of(0.00019), SlideGrade::Near);
        assert_eq!(SlideGrade::of(0.0002), SlideGrade::Near);
        assert_eq!(SlideGrade::of(0.00021), SlideGrade::Over);
        assert_eq!(SlideGrade::of(f64::NAN), SlideGrade::Over);
    }
}
