//! Which frames are visible, and where they lie on the screen. Shared by all rows of the timeline.

use crate::gui::within::Within as _;
use eframe::egui::{Rangef, Rect};

/// Share of the clip's length that stays free at each side of the whole clip.
const PADDING: f64 = 0.012;

/// Fewest frames that fill the width.
const MIN_SPAN: f64 = 4.0;

/// The visible range, in frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeView {
    /// Frame at the left edge; may lie a little before the clip.
    pub start: f64,
    /// Frame at the right edge, above `start`.
    pub end: f64,
}

impl TimeView {
    /// The whole clip whose last frame is `last`, with a little room at both ends.
    pub fn whole(last: usize) -> Self {
        let pad = if last == 0 {
            0.5
        } else {
            last as f64 * PADDING
        };
        Self {
            start: -pad,
            end: last as f64 + pad,
        }
    }

    /// Visible frames.
    pub fn span(&self) -> f64 {
        self.end - self.start
    }

    /// Shows `1 / factor` of the range; the frame `at` stays where it is, unless an end of the clip
    /// is reached.
    pub fn zoom(&mut self, factor: f64, at: f64, last: usize) {
        if !(factor.is_finite() && factor > 0.0) {
            return;
        }
        let whole = Self::whole(last).span();
        let span = (self.span() / factor).within(MIN_SPAN.min(whole), whole);
        let share = ((at - self.start) / self.span()).within(0.0, 1.0);
        self.start = at - share * span;
        self.end = self.start + span;
        self.keep_inside(last);
    }

    /// Moves the range by some frames, at most to the clip's ends.
    pub fn pan(&mut self, frames: f64, last: usize) {
        self.start += frames;
        self.end += frames;
        self.keep_inside(last);
    }

    fn keep_inside(&mut self, last: usize) {
        let (whole, span) = (Self::whole(last), self.span());
        self.start = self.start.min(whole.end - span).max(whole.start);
        self.end = self.start + span;
    }
}

/// The visible range laid over a stretch of the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TimeAxis {
    pub view: TimeView,
    pub pixels: Rangef,
}

impl TimeAxis {
    pub(super) fn x(&self, frame: f64) -> f32 {
        let share = (frame - self.view.start) / self.view.span();
        self.pixels.min + (share * f64::from(self.pixels.span())) as f32
    }

    pub(super) fn frame(&self, x: f32) -> f64 {
        let share = f64::from((x - self.pixels.min) / self.pixels.span().max(1.0));
        self.view.start + share * self.view.span()
    }

    pub(super) fn frames_per_pixel(&self) -> f64 {
        self.view.span() / f64::from(self.pixels.span().max(1.0))
    }

    /// A row's part that shows time.
    pub(super) fn part_of(&self, row: Rect) -> Rect {
        Rect::from_x_y_ranges(self.pixels, row.y_range())
    }

    /// Whole multiples of `step` from 0 to `last` that are visible.
    pub(super) fn ticks(&self, step: usize, last: usize) -> impl Iterator<Item = usize> + use<> {
        let first = (self.view.start.max(0.0) / step as f64).ceil() as usize;
        let end = (self.view.end.min(last as f64).max(0.0) / step as f64).floor() as usize;
        (first..=end).map(move |k| k * step)
    }

    /// Whole frames between ticks that are at least `pixels` apart.
    pub(super) fn step(&self, pixels: f32) -> usize {
        nice_step(self.frames_per_pixel() * f64::from(pixels)).max(1.0) as usize
    }
}

/// The smallest of 1, 2, 5, 10, 20, 50 and so on (and their tenths and hundredths) not below `least`.
pub(super) fn nice_step(least: f64) -> f64 {
    if !(least > 0.0 && least.is_finite()) {
        return 1.0;
    }
    let decade = 10.0_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|s| s * decade);
    steps
        .into_iter()
        .find(|&s| s >= least * 0.999_999)
        .unwrap_or(steps[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zooming_keeps_the_frame_under_the_pointer() {
        let mut view = TimeView::whole(100);
        let axis = |view| TimeAxis {
            view,
            pixels: Rangef::new(50.0, 850.0),
        };
        let x = axis(view).x(40.0);
        for _ in 0..20 {
            view.zoom(1.3, 40.0, 100);
        }
        assert!((axis(view).x(40.0) - x).abs() < 0.01);
        assert!(view.span() >= MIN_SPAN);
        for _ in 0..40 {
            view.zoom(0.7, 40.0, 100);
        }
        assert_eq!(view, TimeView::whole(100));
    }

    #[test]
    fn panning_stops_at_the_ends() {
        let mut view = TimeView::whole(100);
        view.zoom(4.0, 50.0, 100);
        let span = view.span();
        view.pan(-1e6, 100);
        assert_eq!(view.start, TimeView::whole(100).start);
        view.pan(1e6, 100);
        assert!((view.end - TimeView::whole(100).end).abs() < 1e-9);
        assert!((view.span() - span).abs() < 1e-9);
    }

    #[test]
    fn steps_are_round() {
        let steps = [0.3, 1.0, 1.2, 3.0, 7.0, 13.0, 0.021].map(nice_step);
        assert_eq!(steps, [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 0.05]);
    }

    #[test]
    fn one_frame_is_a_range_too() {
        let mut view = TimeView::whole(0);
        view.zoom(100.0, 0.0, 0);
        assert_eq!(view, TimeView::whole(0));
    }
}
