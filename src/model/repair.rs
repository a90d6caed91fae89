//! Makes keys valid, and says what it did.

use super::{Curve, Interpolation, Issues, RawCurve, ScalarTrack, Track};

/// Validates one curve; `None` when nothing usable is left (already reported).
pub(super) fn curve(
    raw: &RawCurve,
    width: usize,
    place: &str,
    issues: &mut Issues,
) -> Option<Curve> {
    let stride = if raw.interpolation == Interpolation::Cubic {
        3 * width
    } else {
        width
    };
    if raw.times.len() * stride != raw.values.len() {
        let text = format!(
            "{} key times but {} values of {stride}; the curve is left out",
            raw.times.len(),
            raw.values.len()
        );
        issues.warn("count-mismatch", place, text);
        return None;
    }
    let mut keys: Vec<(f64, Vec<f32>)> = raw
        .times
        .iter()
        .zip(raw.values.chunks_exact(stride))
        .map(|(&t, v)| (f64::from(t), v.to_vec()))
        .collect();
    drop_keys(
        &mut keys,
        "not-finite",
        "values that are not finite",
        place,
        issues,
        |(t, v)| t.is_finite() && v.iter().all(|x| x.is_finite()),
    );
    if width == 4 {
        let value = stride / width / 2 * width;
        drop_keys(
            &mut keys,
            "zero-quaternion",
            "a zero quaternion",
            place,
            issues,
            |(_, v)| length(&v[value..value + 4]) > 1e-6,
        );
        normalise(&mut keys, value, place, issues);
    }
    sort(&mut keys, place, issues);
    if width == 4 {
        // Neighbours in time, which those in the file need not be.
        align(&mut keys);
    }
    if keys.is_empty() {
        issues.warn(
            "no-keys",
            place,
            "the curve has no usable key and is left out",
        );
        return None;
    }
    let (times, values): (Vec<f64>, Vec<Vec<f32>>) = keys.into_iter().unzip();
    Some(Curve {
        interpolation: raw.interpolation,
        width,
        times,
        values: values.concat(),
    })
}

/// Moves a clip that begins before 0 so that it begins at 0 (glTF forbids negative times).
pub(super) fn shift_to_zero(
    tracks: &mut [Track],
    scalars: &mut [ScalarTrack],
    name: &str,
    issues: &mut Issues,
) {
    let curves = tracks
        .iter_mut()
        .map(|t| &mut t.curve)
        .chain(scalars.iter_mut().map(|s| &mut s.curve));
    let mut curves: Vec<&mut Curve> = curves.collect();
    let start = curves.iter().map(|c| c.times[0]).fold(0.0, f64::min);
    if start >= 0.0 {
        return;
    }
    for t in curves.iter_mut().flat_map(|c| c.times.iter_mut()) {
        *t -= start;
    }
    issues.warn(
        "negative-times",
        format!("clip {name}"),
        format!("it began at {start} s and was moved to begin at 0"),
    );
}

fn drop_keys(
    keys: &mut Vec<(f64, Vec<f32>)>,
    code: &'static str,
    what: &str,
    place: &str,
    issues: &mut Issues,
    keep: impl Fn(&(f64, Vec<f32>)) -> bool,
) {
    let before = keys.len();
    keys.retain(keep);
    if keys.len() < before {
        issues.warn(
            code,
            place,
            format!(
                "{} of {before} keys held {what} and were dropped",
                before - keys.len()
            ),
        );
    }
}

fn sort(keys: &mut Vec<(f64, Vec<f32>)>, place: &str, issues: &mut Issues) {
    if keys.windows(2).any(|w| w[0].0 > w[1].0) {
        keys.sort_by(|a, b| a.0.total_cmp(&b.0));
        issues.warn(
            "times-unsorted",
            place,
            "the key times were not in order and were sorted",
        );
    }
    let before = keys.len();
    // Of keys at one time the last is kept, as players that search forward find it.
    keys.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            kept.1 = std::mem::take(&mut later.1);
        }
        same
    });
    if keys.len() < before {
        issues.warn(
            "times-equal",
            place,
            format!(
                "{} keys shared a time with another; the last was kept",
                before - keys.len()
            ),
        );
    }
}

fn normalise(keys: &mut [(f64, Vec<f32>)], value: usize, place: &str, issues: &mut Issues) {
    let mut worst = 0.0_f64;
    for (_, v) in keys.iter_mut() {
        let len = length(&v[value..value + 4]);
        worst = worst.max((len - 1.0).abs());
        for x in v.iter_mut() {
            *x = (f64::from(*x) / len) as f32;
        }
    }
    // Exporters round; only what is clearly no rounding is worth a word.
    if worst > 1e-3 {
        issues.warn(
            "not-unit",
            place,
            format!("quaternions were off unit length by up to {worst:.3} and were normalised"),
        );
    }
}

/// Flips signs so that neighbours lie in one hemisphere; a cubic key flips with its tangents.
fn align(keys: &mut [(f64, Vec<f32>)]) {
    for k in 1..keys.len() {
        let (before, after) = keys.split_at_mut(k);
        let (a, b) = (&before[k - 1].1, &mut after[0].1);
        let value = if b.len() == 12 { 4 } else { 0 };
        let dot: f32 = (0..4).map(|c| a[value + c] * b[value + c]).sum();
        if dot < 0.0 {
            for x in b.iter_mut() {
                *x = -*x;
            }
        }
    }
}

fn length(v: &[f32]) -> f64 {
    v.iter()
        .map(|&x| f64::from(x) * f64::from(x))
        .sum::<f64>()
        .sqrt()
}
