use serde::Serialize;

/// The place of a largest error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Worst {
    /// Index into the skeleton.
    pub joint: usize,
    /// Seconds.
    pub secs: f64,
    /// Metres.
    pub error_m: f64,
}

/// Errors over all joints and a set of instants, in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ErrorStats {
    /// The largest.
    pub max_m: f64,
    /// The 99.99th percentile, interpolated between ranks.
    pub p9999_m: f64,
    /// Root of the mean square.
    pub rms_m: f64,
    /// Where the largest is; the first of equals.
    pub worst: Worst,
    /// Where an error times its weight is largest; that product is its `error_m`. What a target is held against.
    pub weighed: Worst,
    /// Number of instants.
    pub instants: usize,
}

impl ErrorStats {
    /// From rows of one error a joint, one row an instant; `secs` gives the time of a row, `weight` what an error of a
    /// joint counts there.
    pub fn new<'a>(
        rows: impl Iterator<Item = &'a [f32]>,
        secs: impl Fn(usize) -> f64,
        weight: impl Fn(usize, f64) -> f64,
    ) -> Self {
        let mut stats = Self::default();
        let mut all: Vec<f32> = Vec::new();
        let mut squares = 0.0;
        let mut row_index = 0;
        for row in rows {
            let secs = secs(row_index);
            for (joint, &e) in row.iter().enumerate() {
                let e = f64::from(e);
                squares += e * e;
                if e > stats.max_m {
                    stats.max_m = e;
                    stats.worst = Worst {
                        joint,
                        secs,
                        error_m: e,
                    };
                }
                let error_m = e * weight(joint, secs);
                if error_m > stats.weighed.error_m {
                    stats.weighed = Worst {
                        joint,
                        secs,
                        error_m,
                    };
                }
            }
            all.extend_from_slice(row);
            row_index += 1;
        }
        stats.instants = row_index;
        if all.is_empty() {
            return stats;
        }
        stats.rms_m = (squares / all.len() as f64).sqrt();
        stats.p9999_m = quantile(&mut all, 0.9999);
        stats
    }
}

/// The quantile `q` in `[0, 1]` of a non-empty set, linear between ranks. Reorders `values`.
fn quantile(values: &mut [f32], q: f64) -> f64 {
    let rank = (values.len() - 1) as f64 * q;
    let low = rank as usize;
    let (_, &mut at, above) = values.select_nth_unstable_by(low, f32::total_cmp);
    let next = above.iter().copied().reduce(f32::min).unwrap_or(at);
    if next.is_infinite() {
        return f64::from(next);
    }
    f64::from(at) + (f64::from(next) - f64::from(at)) * (rank - low as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantile_interpolates_between_ranks() {
        let mut v: Vec<f32> = (0..=10).rev().map(|k| k as f32).collect();
        assert!((quantile(&mut v, 0.55) - 5.5).abs() < 1e-6);
        assert_eq!(quantile(&mut [3.0], 0.9999), 3.0);
    }

    #[test]
    fn stats_find_the_worst_place() {
        let rows = [[0.0_f32, 3.0], [4.0, 0.0]];
        let weight = |joint: usize, _| [0.5, 1.0][joint];
        let rows = rows.iter().map(<[f32; 2]>::as_slice);
        let s = ErrorStats::new(rows, |r| r as f64 * 0.5, weight);
        assert_eq!(
            s.worst,
            Worst {
                joint: 0,
                secs: 0.5,
                error_m: 4.0
            }
        );
        let weighed = Worst {
            joint: 1,
            secs: 0.0,
            error_m: 3.0,
        };
        assert_eq!(s.weighed, weighed);
        assert!((s.rms_m - 2.5).abs() < 1e-9 && s.instants == 2);
    }
}
