//! Points of the visible part of curves, no more of them than the screen can show, kept until something
//! that they depend on changes.

use super::TimeView;
use super::plot_unit::PlotUnit;
use crate::session::Curves;
use egui_plot::PlotPoint;
use std::sync::Arc;

/// A curve with more points than this for each pixel is thinned.
pub(super) const POINTS_PER_PIXEL: f32 = 1.5;

/// Points ready for a plot.
#[derive(Default)]
pub(super) struct Lines {
    /// One line a component.
    pub source: Vec<Vec<PlotPoint>>,
    /// One line a component.
    pub compressed: Vec<Vec<PlotPoint>>,
    /// Millimetres.
    pub skin_error: Vec<PlotPoint>,
    /// In the unit of the track.
    pub local_error: Vec<PlotPoint>,
    /// Lowest and highest value of each component over the whole clip.
    pub ranges: [Option<(f64, f64)>; 4],
    /// Largest skin error of the whole clip, millimetres.
    pub skin_peak: f64,
    /// Largest local error of the whole clip, in the unit of the track.
    pub local_peak: f64,
}

struct Key {
    curves: Arc<Curves>,
    view: TimeView,
    width: f32,
    plot_unit: PlotUnit,
}

/// The last lines that were made.
#[derive(Default)]
pub(super) struct LineCache(Option<(Key, Arc<Lines>)>);

impl LineCache {
    pub(super) fn lines(
        &mut self,
        curves: &Arc<Curves>,
        view: TimeView,
        width: f32,
        plot_unit: PlotUnit,
    ) -> Arc<Lines> {
        if let Some((key, lines)) = &self.0
            && Arc::ptr_eq(&key.curves, curves)
            && (key.view, key.width, key.plot_unit) == (view, width, plot_unit)
        {
            return lines.clone();
        }
        let lines = Arc::new(make(curves, view, width, plot_unit));
        let key = Key {
            curves: curves.clone(),
            view,
            width,
            plot_unit,
        };
        self.0 = Some((key, lines.clone()));
        lines
    }
}

fn make(curves: &Curves, view: TimeView, width: f32, plot_unit: PlotUnit) -> Lines {
    let frames = &curves.frames;
    let range = visible(frames, view);
    let budget = (width.max(16.0) * POINTS_PER_PIXEL) as usize;
    let thin = |value: &dyn Fn(usize) -> f64| thinned(frames, range.clone(), budget, value);
    let component =
        |values: &[[f64; 4]], c: usize| thin(&|k| values[k][c] * plot_unit.value_factor);
    let all = |values: &[[f64; 4]]| {
        let full = values.len() == frames.len();
        let width = if full { curves.width } else { 0 };
        (0..width).map(|c| component(values, c)).collect()
    };
    let single = |values: &[f64], factor: f64| {
        if values.len() == frames.len() {
            thin(&|k| values[k] * factor)
        } else {
            Vec::new()
        }
    };
    let peak = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    Lines {
        source: all(&curves.source),
        compressed: all(&curves.compressed),
        skin_error: single(&curves.skin_error_m, 1e3),
        local_error: single(&curves.local_error, plot_unit.error_factor),
        ranges: std::array::from_fn(|c| {
            let alone = std::array::from_fn(|k| k == c);
            value_range(curves, alone, plot_unit.value_factor)
        }),
        skin_peak: peak(&curves.skin_error_m) * 1e3,
        local_peak: peak(&curves.local_error) * plot_unit.error_factor,
    }
}

/// Indices of the instants in view and one more at each side.
pub(super) fn visible(frames: &[f64], view: TimeView) -> std::ops::Range<usize> {
    let from = frames.partition_point(|&f| f < view.start);
    let to = frames.partition_point(|&f| f <= view.end);
    from.saturating_sub(1)..(to + 1).min(frames.len())
}

/// Of every bucket of instants the lowest and the highest, in order of time, so that no peak is lost.
pub(super) fn thinned(
    frames: &[f64],
    range: std::ops::Range<usize>,
    budget: usize,
    value: &dyn Fn(usize) -> f64,
) -> Vec<PlotPoint> {
    let point = |k: usize| PlotPoint::new(frames[k], value(k));
    if range.len() <= budget {
        return range.map(point).collect();
    }
    let buckets = (budget / 2).max(1);
    let edge = |b: usize| range.start + b * range.len() / buckets;
    let mut points = Vec::with_capacity(2 * buckets);
    for b in 0..buckets {
        let (mut low, mut high) = (edge(b), edge(b));
        for k in edge(b)..edge(b + 1) {
            let v = value(k);
            if v < value(low) {
                low = k;
            }
            if v > value(high) {
                high = k;
            }
        }
        points.push(point(low.min(high)));
        if low != high {
            points.push(point(low.max(high)));
        }
    }
    points
}

/// Lowest and highest value of some components of source and compressed curve; `None` for no values.
pub(super) fn value_range(
    curves: &Curves,
    components: [bool; 4],
    factor: f64,
) -> Option<(f64, f64)> {
    let mut range: Option<(f64, f64)> = None;
    for values in curves.source.iter().chain(&curves.compressed) {
        for c in (0..curves.width).filter(|&c| components[c]) {
            let v = values[c] * factor;
            let (low, high) = range.unwrap_or((v, v));
            range = Some((low.min(v), high.max(v)));
        }
    }
    range
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_a_single_spike() {
        let frames: Vec<f64> = (0..100_000).map(f64::from).collect();
        let value = |k: usize| if k == 54_321 { 7.0 } else { 0.0 };
        let points = thinned(&frames, 0..frames.len(), 1500, &value);
        assert!(points.len() <= 1500);
        assert!(points.iter().any(|p| p.x == 54_321.0 && p.y == 7.0));
        assert!(points.windows(2).all(|w| w[0].x < w[1].x));
    }

    #[test]
    fn only_what_is_visible_is_kept() {
        let frames: Vec<f64> = (0..1000).map(f64::from).collect();
        let view = TimeView {
            start: 100.5,
            end: 110.0,
        };
        assert_eq!(visible(&frames, view), 100..112);
        let beyond = TimeView {
            start: -20.0,
            end: 2000.0,
        };
        assert_eq!(visible(&frames, beyond), 0..1000);
    }
}
