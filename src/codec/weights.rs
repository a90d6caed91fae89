//! Morph weights as glTF stores them: all weights of a node at the same times.
//!
//! The source's own keys are thinned out: LINEAR ones by straight lines that pass all of them within the tolerance (the
//! swing filter of Elmeleegy et al. 2009, "Online Piece-wise Linear Approximation of Numerical Streams with Precision
//! Guarantees"), STEP ones by leaving out what is held already. Where that takes no fewer bytes than the source has, its
//! own keys stay as they are.

use crate::model::{Clip, Curve, Interpolation, MorphWeight, step_slack_secs};

/// The float curves of a clip as its glTF animation has them.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightChannel {
    /// The node in the source file; `None` for curves that no plain `weights` channel moves, which stay as they are.
    pub node: Option<usize>,
    /// The clip's first curve that it holds.
    pub first: usize,
    /// Its keys.
    pub keys: WeightKeys,
}

/// Keys of the weights of one node.
#[derive(Clone, Debug, PartialEq)]
pub enum WeightKeys {
    /// The source's own, one curve a weight, which the file keeps in the form that it has.
    Source {
        /// All weights, in their order.
        curves: Vec<Curve>,
        /// Bytes that the source takes for them.
        bytes: usize,
    },
    /// New ones.
    Fitted {
        /// `Step` or `Linear`.
        interpolation: Interpolation,
        /// Seconds, strictly increasing, at least one.
        times: Vec<f32>,
        /// Key by key, the values of all weights.
        values: Vec<f32>,
    },
}

impl WeightKeys {
    /// What tools call it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Source { .. } => "source",
            Self::Fitted { interpolation, .. } if *interpolation == Interpolation::Step => "step",
            Self::Fitted { .. } => "linear",
        }
    }
}

impl WeightChannel {
    /// Number of weights.
    pub fn len(&self) -> usize {
        match &self.keys {
            WeightKeys::Source { curves, .. } => curves.len(),
            WeightKeys::Fitted { times, values, .. } => values.len() / times.len().max(1),
        }
    }

    /// Whether it has no weight.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of keys of each weight.
    pub fn key_count(&self) -> usize {
        match &self.keys {
            WeightKeys::Source { curves, .. } => curves.first().map_or(0, |c| c.times().len()),
            WeightKeys::Fitted { times, .. } => times.len(),
        }
    }

    /// Bytes of times and values.
    pub fn payload_bytes(&self) -> usize {
        match &self.keys {
            WeightKeys::Source { bytes, .. } => *bytes,
            WeightKeys::Fitted { times, values, .. } => 4 * (times.len() + values.len()),
        }
    }

    /// Hands on all that decides what is shipped. What stays as it is belongs to the source, which has a hash of its own.
    pub(super) fn hash_into(&self, update: &mut impl FnMut(&[u8])) {
        let WeightKeys::Fitted {
            interpolation,
            times,
            values,
        } = &self.keys
        else {
            return;
        };
        update(&[b'w', *interpolation as u8]);
        for n in [self.first, times.len()] {
            update(&(n as u64).to_le_bytes());
        }
        for v in times.iter().chain(values) {
            update(&v.to_le_bytes());
        }
    }

    /// Writes the values of its weights at a time, as the glTF specification reads them.
    pub(super) fn values(&self, secs: f64, out: &mut [f32]) {
        match &self.keys {
            WeightKeys::Source { curves, .. } => {
                for (out, curve) in out.iter_mut().zip(curves) {
                    *out = curve.vector::<1>(secs)[0] as f32;
                }
            }
            WeightKeys::Fitted {
                interpolation,
                times,
                values,
            } => {
                let (left, right, u) = around(times, *interpolation, secs);
                let width = self.len();
                let rows = values[left * width..].iter().zip(&values[right * width..]);
                for (out, (&a, &b)) in out.iter_mut().zip(rows) {
                    *out = (f64::from(a) + (f64::from(b) - f64::from(a)) * u) as f32;
                }
            }
        }
    }
}

/// The keys on both sides of a time, and how far it is from one to the other.
fn around(times: &[f32], interpolation: Interpolation, secs: f64) -> (usize, usize, f64) {
    let held = interpolation == Interpolation::Step;
    let slack = if held { step_slack_secs(secs) } else { 0.0 };
    let right = times.partition_point(|&t| f64::from(t) <= secs + slack);
    let left = right.saturating_sub(1);
    if right == 0 || right == times.len() || held {
        return (left, left, 0.0);
    }
    let (start, end) = (f64::from(times[left]), f64::from(times[right]));
    (left, right, (secs - start) / (end - start))
}

/// All float curves of a clip as glTF channels, in the order of [`Clip::scalars`].
pub(super) fn channels(clip: &Clip, tolerance: f64) -> Vec<WeightChannel> {
    let scalars = clip.scalars();
    let (mut channels, mut first) = (Vec::<WeightChannel>::new(), 0);
    while first < scalars.len() {
        let count = together(clip, first);
        let morph = scalars[first].morph.filter(|m| m.of == Some(count));
        let node = morph.map(|m| m.node);
        let again = node.is_some() && channels.iter().any(|c| c.node == node);
        let node = node.filter(|_| !again);
        let curves: Vec<Curve> = scalars[first..first + count]
            .iter()
            .map(|s| s.curve.clone())
            .collect();
        let bytes = source_bytes(&curves, scalars[first].morph);
        let thinned = node.and_then(|_| thinned(&curves, clip, tolerance));
        let keys = thinned
            .filter(|keys| fitted_bytes(keys) < bytes)
            .unwrap_or(WeightKeys::Source { curves, bytes });
        channels.push(WeightChannel { node, first, keys });
        first += count;
    }
    channels
}

/// How many curves from one on are all weights that one channel moves; 1 for a curve that stands for itself.
fn together(clip: &Clip, first: usize) -> usize {
    let scalars = &clip.scalars()[first..];
    let Some(MorphWeight {
        node,
        of: Some(count),
        ..
    }) = scalars[0].morph
    else {
        return 1;
    };
    let times = scalars[0].curve.times();
    let fits = |(index, s): (usize, &crate::model::ScalarTrack)| {
        let same = |m: MorphWeight| (m.node, m.index, m.of) == (node, index, Some(count));
        s.morph.is_some_and(same) && s.curve.times() == times
    };
    let complete = scalars.len() >= count && scalars.iter().take(count).enumerate().all(fits);
    if complete { count.max(1) } else { 1 }
}

/// Bytes of the accessors that the source has for curves of one channel.
fn source_bytes(curves: &[Curve], morph: Option<MorphWeight>) -> usize {
    let keys = curves.first().map_or(0, |c| c.times().len());
    let values: usize = curves.iter().map(|c| c.source_bytes() / 4 - keys).sum();
    4 * keys + morph.map_or(4, |m| m.value_bytes) * values
}

fn fitted_bytes(keys: &WeightKeys) -> usize {
    match keys {
        WeightKeys::Fitted { times, values, .. } => 4 * (times.len() + values.len()),
        WeightKeys::Source { bytes, .. } => *bytes,
    }
}

/// Fewer keys within the tolerance.
fn thinned(curves: &[Curve], clip: &Clip, tolerance: f64) -> Option<WeightKeys> {
    let interpolation = curves.first()?.interpolation();
    let mut times: Vec<f64> = curves[0].times().to_vec();
    if interpolation == Interpolation::Cubic {
        let (grid, last) = (clip.grid(), times[times.len() - 1]);
        let frames = (0..=4 * grid.last()).map(|i| grid.secs(i as f64 / 4.0));
        let inside: Vec<f64> = frames.filter(|t| (times[0]..=last).contains(t)).collect();
        times.extend(inside);
        times.sort_by(f64::total_cmp);
        times.dedup_by(|a, b| *a as f32 <= *b as f32);
    }
    let row = |secs: f64| curves.iter().map(move |c| c.vector::<1>(secs)[0]);
    let rows: Vec<Vec<f64>> = times.iter().map(|&t| row(t).collect()).collect();
    // What a player rounds counts too.
    let tolerance = 0.9999 * tolerance;
    let (kept, interpolation) = if interpolation == Interpolation::Step {
        (held(&rows, tolerance), Interpolation::Step)
    } else {
        (swing(&times, &rows, tolerance), Interpolation::Linear)
    };
    Some(WeightKeys::Fitted {
        interpolation,
        times: kept.iter().map(|k| times[k.0] as f32).collect(),
        values: kept.iter().flat_map(|k| &k.1).map(|&v| v as f32).collect(),
    })
}

/// A key that is kept, with its values.
type Kept = (usize, Vec<f64>);

/// The first and the last key, and all of which a value is not held already.
fn held(rows: &[Vec<f64>], tolerance: f64) -> Vec<Kept> {
    let mut kept: Vec<Kept> = vec![(0, rows[0].clone())];
    for (k, row) in rows.iter().enumerate().skip(1) {
        let held = &kept[kept.len() - 1].1;
        let off = held.iter().zip(row).any(|(a, b)| (a - b).abs() > tolerance);
        if off || k + 1 == rows.len() {
            kept.push((k, row.clone()));
        }
    }
    kept
}

/// Straight lines, each from where the one before ends as far as it passes all keys within the tolerance.
fn swing(times: &[f64], rows: &[Vec<f64>], tolerance: f64) -> Vec<Kept> {
    let mut kept: Vec<Kept> = vec![(0, rows[0].clone())];
    while kept[kept.len() - 1].0 + 1 < rows.len() {
        let (from, start) = &kept[kept.len() - 1];
        let mut cone = vec![[f64::NEG_INFINITY, f64::INFINITY]; start.len()];
        let mut reached = (*from, start.clone());
        for k in from + 1..rows.len() {
            let span = times[k] - times[*from];
            let slope = |v: f64, a: f64| (v - a) / span;
            for ((cone, &v), &a) in cone.iter_mut().zip(&rows[k]).zip(start) {
                cone[0] = cone[0].max(slope(v - tolerance, a));
                cone[1] = cone[1].min(slope(v + tolerance, a));
            }
            if cone.iter().any(|c| c[0] > c[1]) {
                break;
            }
            let ends = cone.iter().zip(&rows[k]).zip(start);
            let ends = ends.map(|((c, &v), &a)| a + span * slope(v, a).clamp(c[0], c[1]));
            reached = (k, ends.collect());
        }
        kept.push(reached);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_pass_all_keys_within_the_tolerance_and_few_are_kept() {
        let times: Vec<f64> = (0..101).map(f64::from).collect();
        let row = |t: f64| {
            vec![
                (0.1 * t).sin(),
                if t < 50.0 { 0.0 } else { 0.02 * (t - 50.0) },
            ]
        };
        let rows: Vec<Vec<f64>> = times.iter().map(|&t| row(t)).collect();
        let kept = swing(&times, &rows, 0.01);
        assert!(
            kept.len() < 40 && kept[kept.len() - 1].0 == 100,
            "{}",
            kept.len()
        );
        for pair in kept.windows(2) {
            let ((a, from), (b, to)) = (&pair[0], &pair[1]);
            for (k, row) in rows[*a..=*b].iter().enumerate() {
                let u = k as f64 / (b - a) as f64;
                for (w, v) in row.iter().enumerate() {
                    let line = from[w] + (to[w] - from[w]) * u;
                    assert!(
                        (line - v).abs() <= 0.010_001,
                        "weight {w}, key {k} after {a}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_held_already_has_no_key() {
        let rows = [0.0, 0.0005, 1.0, 1.0, 0.0, 0.0].map(|v| vec![v]);
        let kept: Vec<usize> = held(&rows, 0.001).iter().map(|k| k.0).collect();
        assert_eq!(kept, [0, 2, 4, 5]);
    }
}
