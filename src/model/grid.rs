//! The frames of a clip: a uniform grid of times.

/// Uniform frames: frame `k` is at `start_secs + k / rate_hz`, `0 <= k < frames`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameGrid {
    /// Time of frame 0 in seconds: the first key of the clip.
    pub start_secs: f64,
    /// Frames a second, positive and finite.
    pub rate_hz: f64,
    /// Number of frames, at least 1.
    pub frames: usize,
}

/// Rates that a clip is held against, besides the one its own keys show.
const COMMON_RATES_HZ: [f64; 9] = [24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 100.0, 120.0, 240.0];

/// Used where the keys of a clip show no rate.
const FALLBACK_RATE_HZ: f64 = 30.0;

/// Keys further apart are poses that an animator set, not frames: nobody plays a clip at 2 Hz.
const SLOWEST_HZ: f64 = 5.0;

/// How far, in frames, a key may lie from the grid and still count as on it. Exporters write times as
/// 32-bit floats, some after rounding to a millisecond.
const ON_GRID_FRAMES: f64 = 0.02;

impl FrameGrid {
    /// Time of `frame` in seconds; fractional frames are fine.
    pub fn secs(&self, frame: f64) -> f64 {
        self.start_secs + frame / self.rate_hz
    }

    /// The position of a time on the grid, in frames; not clamped.
    pub fn frame(&self, secs: f64) -> f64 {
        (secs - self.start_secs) * self.rate_hz
    }

    /// Index of the last frame.
    pub fn last(&self) -> usize {
        self.frames - 1
    }

    /// Time from the first to the last frame in seconds; 0 for a single frame.
    pub fn duration_secs(&self) -> f64 {
        self.last() as f64 / self.rate_hz
    }

    /// Finds the grid of a set of key times, sorted and finite.
    ///
    /// The densest evenly keyed rate wins: the spacing that the keys themselves show, else the lowest
    /// common rate on which all keys lie, else the lowest of them on which 95 % lie, else 30 Hz.
    /// The last frame is at or after the last key (curves hold there), so that no key is cut off.
    pub fn detect(key_times: &[f64], max_frames: usize) -> Self {
        let (Some(&start), Some(&end)) = (key_times.first(), key_times.last()) else {
            return Self {
                start_secs: 0.0,
                rate_hz: FALLBACK_RATE_HZ,
                frames: 1,
            };
        };
        let duration = end - start;
        if !(duration > 0.0) {
            return Self {
                start_secs: start,
                rate_hz: FALLBACK_RATE_HZ,
                frames: 1,
            };
        }
        let rate_hz = detect_rate(key_times, start, duration);
        let exact = duration * rate_hz;
        let nearest = exact.round();
        let last = if (exact - nearest).abs() < ON_GRID_FRAMES {
            nearest
        } else {
            exact.ceil()
        };
        let frames = (last as usize).saturating_add(1).min(max_frames.max(1));
        let on_grid = nearest >= 1.0 && (exact - nearest).abs() < ON_GRID_FRAMES;
        // Spreading the frames exactly over the keys keeps the last frame on the last key.
        let rate_hz = if on_grid { nearest / duration } else { rate_hz };
        Self {
            start_secs: start,
            rate_hz,
            frames,
        }
    }
}

fn detect_rate(times: &[f64], start: f64, duration: f64) -> f64 {
    let even = (times.len() - 1) as f64 / duration;
    let share = |rate: f64| on_grid_share(times, start, rate);
    if times.len() > 2 && even >= SLOWEST_HZ && is_even(times, start, even) {
        return even;
    }
    let gap = times
        .windows(2)
        .map(|w| w[1] - w[0])
        .fold(f64::INFINITY, f64::min);
    let own = 1.0 / gap;
    let own = (own.is_finite() && (SLOWEST_HZ..=1000.0).contains(&own)).then_some(own);
    let fits = |wanted: f64| {
        let common = COMMON_RATES_HZ.into_iter().find(|&r| share(r) >= wanted);
        common.or(own.filter(|&r| share(r) >= wanted))
    };
    fits(1.0).or_else(|| fits(0.95)).unwrap_or(FALLBACK_RATE_HZ)
}

/// Whether key `k` lies on frame `k` throughout.
fn is_even(times: &[f64], start: f64, rate: f64) -> bool {
    let off = |(k, &t): (usize, &f64)| ((t - start) * rate - k as f64).abs();
    times
        .iter()
        .enumerate()
        .map(off)
        .all(|d| d < ON_GRID_FRAMES)
}

fn on_grid_share(times: &[f64], start: f64, rate: f64) -> f64 {
    let on = times.iter().filter(|&&t| {
        let x = (t - start) * rate;
        (x - x.round()).abs() < ON_GRID_FRAMES
    });
    on.count() as f64 / times.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(times: &[f64]) -> FrameGrid {
        FrameGrid::detect(times, usize::MAX)
    }

    #[test]
    fn even_keys_show_their_own_rate() {
        let times: Vec<f64> = (0..72).map(|k| 0.5 + f64::from(k as f32 / 37.5)).collect();
        let g = grid(&times);
        assert_eq!(g.frames, 72);
        assert!((g.rate_hz - 37.5).abs() < 1e-3 && g.start_secs == 0.5);
    }

    #[test]
    fn sparse_keys_on_frames_find_the_lowest_common_rate() {
        let g = grid(&[0.0, 4.0 / 24.0, 7.0 / 24.0, 1.0]);
        assert_eq!((g.rate_hz.round() as u32, g.frames), (24, 25));
    }

    #[test]
    fn a_few_even_keys_seconds_apart_are_not_frames() {
        let g = grid(&[0.0, 0.5, 1.0, 1.5]);
        assert_eq!((g.rate_hz.round() as u32, g.frames), (24, 37));
        let g = grid(&[0.0, 1.25, 2.458_333]);
        assert_eq!((g.rate_hz.round() as u32, g.frames), (24, 60));
    }

    #[test]
    fn the_last_frame_covers_the_last_key() {
        let g = grid(&[0.0, 0.123, 0.777, 1.015]);
        assert!(g.secs(g.last() as f64) >= 1.015);
    }

    #[test]
    fn one_key_is_one_frame() {
        assert_eq!(grid(&[2.0]).frames, 1);
        assert_eq!(grid(&[]).frames, 1);
    }
}
