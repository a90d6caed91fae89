use super::{Action, Fit, Key, Neighbours, Problem, Step, Value};

/// Keys on each side of a removed one whose values are solved again.
const SIDE: usize = 3;

/// Most unknowns of one least-squares problem.
const MAX_UNKNOWNS: usize = 2 * SIDE;

/// Removes keys that the others can do without and moves the values of those that stay.
///
/// Every interior key is tried in the order of how little it bends the curve: it is taken out, the values
/// of the three keys on each side are solved by least squares over the frames that they reach, rounded,
/// and the removal stands if every such frame stays at or under `tolerance`. Two passes. The result is
/// never worse than the input. Cost: `O(keys)` solves of a 6 x 6 system and some 30 frames each.
pub fn refine(problem: &Problem, fit: &mut Fit, tolerance: f64) {
    refine_steps(problem, fit, tolerance, usize::MAX);
}

/// Like [`refine`], but stops after `max_steps` removals.
pub fn refine_steps(problem: &Problem, fit: &mut Fit, tolerance: f64, max_steps: usize) {
    let mut left = max_steps;
    for _ in 0..2 {
        let before = fit.keys.len();
        remove_pass(problem, fit, tolerance, left);
        left -= before - fit.keys.len();
        if fit.keys.len() == before {
            break;
        }
    }
    fit.max_error = whole_error(problem, &fit.keys);
    if let Some(step) = fit.history.last_mut() {
        step.error_after = fit.max_error;
    }
}

fn remove_pass(problem: &Problem, fit: &mut Fit, tolerance: f64, max_steps: usize) {
    let order = removal_order(&fit.keys);
    let stop = fit.keys.len().saturating_sub(max_steps);
    for frame in order {
        if fit.keys.len() <= stop {
            break;
        }
        let Ok(index) = fit.keys.binary_search_by_key(&frame, |k| k.frame) else {
            continue;
        };
        let Some((first, solved, error)) = without(problem, &fit.keys, index, tolerance) else {
            continue;
        };
        fit.keys.remove(index);
        for (key, value) in fit.keys[first..].iter_mut().zip(&solved) {
            key.value = *value;
        }
        let error_before = fit.history.last().map_or(0.0, |s| s.error_after);
        let error_after = error_before.max(error);
        fit.history.push(Step {
            action: Action::Remove,
            frame,
            error_before,
            error_after,
        });
    }
}

/// Interior keys, those that bend the curve least first.
fn removal_order(keys: &[Key]) -> Vec<usize> {
    let mut order: Vec<(f64, usize)> = keys
        .windows(3)
        .map(|w| {
            let u = (w[1].frame - w[0].frame) as f64 / (w[2].frame - w[0].frame) as f64;
            (
                (w[1].value - w[0].value.lerp(w[2].value, u)).length_squared(),
                w[1].frame,
            )
        })
        .collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    order.into_iter().map(|(_, frame)| frame).collect()
}

/// Tries the keys without `index`: the first changed key (in the shorter list), the new values of it and
/// those after it, and the largest error of the frames that they reach.
fn without(
    problem: &Problem,
    keys: &[Key],
    index: usize,
    tolerance: f64,
) -> Option<(usize, Vec<Value>, f64)> {
    let margin = SIDE + problem.basis.reach() + 1;
    let lo = index.saturating_sub(margin);
    let hi = (index + 1 + margin).min(keys.len());
    let mut local: Vec<Key> = keys[lo..hi].to_vec();
    local.remove(index - lo);
    let at = index - lo;
    if is_hopeless(problem, &local, at, keys[index].frame, tolerance) {
        return None;
    }
    // The track's own ends stay on the curve: a loop must meet itself there.
    let first = at.saturating_sub(SIDE).max(usize::from(lo == 0));
    let end = (at + SIDE).min(local.len() - usize::from(hi == keys.len()));
    let mut window = Window {
        keys: &mut local,
        unknowns: first..end,
    };
    let error = window.solve(problem, tolerance)?;
    let solved = local[first..end].iter().map(|k| k.value).collect();
    Some((lo + first, solved, error))
}

/// Whether the curve through the neighbours of a removed key passes so far from the sample there that no
/// move of theirs within the tolerance brings it back. Spares most of the solves that would fail.
fn is_hopeless(
    problem: &Problem,
    without: &[Key],
    at: usize,
    frame: usize,
    tolerance: f64,
) -> bool {
    // Neighbours may move by the tolerance each, and the weights of a cubic add up to less than 1.5.
    const SLACK: f64 = 2.5;
    if at == 0 || at >= without.len() {
        return true;
    }
    let n = neighbours(problem, without, at - 1);
    let value = problem.eval(&n, frame);
    !(problem.metric.error(value, problem.samples[frame]) <= SLACK * tolerance)
}

/// Some neighbouring keys of a track of which a few are unknown.
struct Window<'a> {
    keys: &'a mut [Key],
    unknowns: std::ops::Range<usize>,
}

impl Window<'_> {
    /// Sections whose course depends on an unknown key. The margin of the window keeps them away from
    /// its own ends unless the track ends there.
    fn sections(&self, problem: &Problem) -> std::ops::Range<usize> {
        let reach = problem.basis.reach();
        let first = self.unknowns.start.saturating_sub(reach);
        first
            ..(self.unknowns.end + reach)
                .saturating_sub(1)
                .min(self.keys.len() - 1)
    }

    /// Solves the unknown values, rounds them, and gives the largest error, or `None` above the tolerance.
    fn solve(&mut self, problem: &Problem, tolerance: f64) -> Option<f64> {
        let mut normal = [[0.0; MAX_UNKNOWNS]; MAX_UNKNOWNS];
        let mut right = [Value::ZERO; MAX_UNKNOWNS];
        self.accumulate(problem, &mut normal, &mut right);
        let count = self.unknowns.len();
        cholesky_solve(&mut normal, &mut right, count);
        for (key, value) in self.keys[self.unknowns.clone()].iter_mut().zip(right) {
            let value = problem.metric.finish(value);
            if !value.is_finite() {
                return None;
            }
            key.value = (problem.quantise)(value);
        }
        self.error(problem, tolerance)
    }

    fn accumulate(
        &self,
        problem: &Problem,
        normal: &mut [[f64; MAX_UNKNOWNS]; MAX_UNKNOWNS],
        right: &mut [Value; MAX_UNKNOWNS],
    ) {
        let last = self.keys.len() - 1;
        for s in self.sections(problem) {
            let n = neighbours(problem, self.keys, s);
            let index = [s.saturating_sub(1), s, s + 1, (s + 2).min(last)];
            // The closing key of the last section is the only one that no section begins with.
            let end = self.keys[s + 1].frame + usize::from(s + 1 == last);
            for frame in self.keys[s].frame..end {
                let w = problem.basis.weights(&n, n.position(frame as f64));
                let mut rest = problem.samples[frame];
                let mut row = [0.0; MAX_UNKNOWNS];
                for k in 0..4 {
                    if self.unknowns.contains(&index[k]) {
                        row[index[k] - self.unknowns.start] += w[k];
                    } else {
                        rest -= w[k] * self.keys[index[k]].value;
                    }
                }
                for a in 0..self.unknowns.len() {
                    right[a] += row[a] * rest;
                    for b in 0..=a {
                        normal[a][b] += row[a] * row[b];
                    }
                }
            }
        }
    }

    fn error(&self, problem: &Problem, tolerance: f64) -> Option<f64> {
        let on_key = |k: &Key| problem.metric.error(k.value, problem.samples[k.frame]);
        let mut worst = self.keys[self.unknowns.clone()]
            .iter()
            .map(on_key)
            .fold(0.0, f64::max);
        for s in self.sections(problem) {
            if worst > tolerance {
                return None;
            }
            let n = neighbours(problem, self.keys, s);
            if !problem.metric.joinable(n.value[1], n.value[2]) {
                return None;
            }
            worst =
                worst.max(problem.section_error(&n, self.keys[s].frame, self.keys[s + 1].frame));
        }
        (worst <= tolerance).then_some(worst)
    }
}

/// The four keys around section `s`; where the slice ends, the track is taken to end.
fn neighbours(problem: &Problem, keys: &[Key], s: usize) -> Neighbours {
    let last = keys.len() - 1;
    let index = [s.saturating_sub(1), s, s + 1, (s + 2).min(last)];
    Neighbours {
        time: index.map(|i| (problem.key_time)(keys[i].frame)),
        value: index.map(|i| keys[i].value),
        has_left: s > 0,
        has_right: s + 2 <= last,
    }
}

/// Solves the symmetric positive system in place; its lower triangle is given. A pivot that vanishes
/// leaves its unknown at whatever the rest decides, and the check of the error decides on that.
fn cholesky_solve(
    a: &mut [[f64; MAX_UNKNOWNS]; MAX_UNKNOWNS],
    x: &mut [Value; MAX_UNKNOWNS],
    n: usize,
) {
    for i in 0..n {
        for j in 0..=i {
            let dot: f64 = (0..j).map(|k| a[i][k] * a[j][k]).sum();
            a[i][j] = if i == j {
                (a[i][i] - dot).max(1e-12).sqrt()
            } else {
                (a[i][j] - dot) / a[j][j]
            };
        }
        let known = (0..i).fold(x[i], |sum, k| sum - a[i][k] * x[k]);
        x[i] = known / a[i][i];
    }
    for i in (0..n).rev() {
        let known = (i + 1..n).fold(x[i], |sum, k| sum - a[k][i] * x[k]);
        x[i] = known / a[i][i];
    }
}

/// The fitted curve's value at every frame.
pub fn evaluate(problem: &Problem, keys: &[Key]) -> Vec<Value> {
    let mut values = Vec::with_capacity(problem.samples.len());
    for s in 0..keys.len().saturating_sub(1) {
        let n = neighbours(problem, keys, s);
        values.extend((keys[s].frame..keys[s + 1].frame).map(|f| problem.eval(&n, f)));
    }
    values.extend(keys.last().map(|k| k.value));
    values
}

/// The largest error of a whole fit.
fn whole_error(problem: &Problem, keys: &[Key]) -> f64 {
    let on_keys = keys
        .iter()
        .map(|k| problem.metric.error(k.value, problem.samples[k.frame]))
        .fold(0.0, f64::max);
    (0..keys.len() - 1)
        .map(|s| {
            problem.section_error(
                &neighbours(problem, keys, s),
                keys[s].frame,
                keys[s + 1].frame,
            )
        })
        .fold(on_keys, f64::max)
}

#[cfg(test)]
mod tests {
    use super::super::{Basis, Metric, insert};
    use super::*;
    use glam::DVec4;

    fn wave(n: usize) -> Vec<Value> {
        (0..n)
            .map(|k| {
                let t = k as f64;
                DVec4::new((t * 0.13).sin(), 0.4 * (t * 0.31).cos(), 0.01 * t, 0.0)
            })
            .collect()
    }

    #[test]
    fn fewer_keys_at_the_same_tolerance() {
        let samples = wave(300);
        for basis in [
            Basis::Linear,
            Basis::Uniform,
            Basis::TimeAware,
            Basis::Parabolic,
            Basis::Chordal,
        ] {
            let problem = Problem {
                samples: &samples,
                metric: Metric::Distance,
                basis,
                quantise: &|v| v,
                key_time: &|k| k as f64,
            };
            let mut fit = insert(&problem, 0.01);
            let inserted = fit.keys.len();
            refine(&problem, &mut fit, 0.01);
            assert!(
                fit.keys.len() < inserted,
                "{basis:?}: {} of {inserted}",
                fit.keys.len()
            );
            assert!(fit.max_error <= 0.01, "{basis:?}: {}", fit.max_error);
            assert_eq!(fit.keys[0].frame, 0);
            assert_eq!(fit.keys[fit.keys.len() - 1].frame, 299);
        }
    }

    #[test]
    fn rotations_stay_unit_and_under_the_tolerance() {
        let samples: Vec<Value> = (0..200)
            .map(|k| {
                (glam::DQuat::from_rotation_y(f64::from(k) * 0.05)
                    * glam::DQuat::from_rotation_x((f64::from(k) * 0.2).sin()))
                .into()
            })
            .collect();
        let problem = Problem {
            samples: &samples,
            metric: Metric::Angle,
            basis: Basis::Parabolic,
            quantise: &|v| v,
            key_time: &|k| k as f64,
        };
        let mut fit = insert(&problem, 0.005);
        refine(&problem, &mut fit, 0.005);
        assert!(fit.max_error <= 0.005);
        assert!(
            fit.keys
                .iter()
                .all(|k| (k.value.length() - 1.0).abs() < 1e-9)
        );
    }

    #[test]
    fn one_and_two_frames_are_left_alone() {
        let samples = wave(2);
        for n in 1..=2 {
            let problem = Problem {
                samples: &samples[..n],
                metric: Metric::Distance,
                basis: Basis::Uniform,
                quantise: &|v| v,
                key_time: &|k| k as f64,
            };
            let mut fit = insert(&problem, 0.01);
            refine(&problem, &mut fit, 0.01);
            assert_eq!(fit.keys.len(), n);
        }
    }
}
