use super::{Action, Fit, Key, Neighbours, Problem, Step, Value};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// No key on this side.
const NONE: usize = usize::MAX;

/// Puts keys on both ends, then one in the middle of the worst section until all errors are at or under
/// `tolerance` (in the unit of the metric) or every frame is a key.
///
/// Which key comes next does not depend on the tolerance. Source: Riot Games, 2017, cited in the module.
/// Cost: `O(n log n)` evaluations of the curve for `n` frames, typically; a heap finds the worst section.
pub fn insert(problem: &Problem, tolerance: f64) -> Fit {
    insert_steps(problem, tolerance, usize::MAX)
}

/// Like [`insert`], but stops after `max_steps` insertions, whatever the error then is.
pub fn insert_steps(problem: &Problem, tolerance: f64, max_steps: usize) -> Fit {
    let mut keys = KeyList::new(problem);
    let mut steps: Vec<(usize, f64)> = Vec::new();
    let mut last_error = 0.0;
    while let Some(worst) = keys.pop_worst(problem) {
        if worst.error <= tolerance || steps.len() == max_steps {
            last_error = worst.error;
            break;
        }
        let middle = usize::midpoint(worst.from, keys.next[worst.from]);
        steps.push((middle, worst.error));
        keys.insert(problem, middle);
    }
    let last_error = last_error.max(keys.stuck_error);
    keys.into_fit(&steps, last_error, problem)
}

/// A section's error, ordered by size, then by the earlier frame.
#[derive(Clone, Copy, PartialEq)]
struct Section {
    error: f64,
    from: usize,
    version: u32,
}

impl Eq for Section {}

impl Ord for Section {
    fn cmp(&self, other: &Self) -> Ordering {
        self.error
            .total_cmp(&other.error)
            .then(other.from.cmp(&self.from))
    }
}

impl PartialOrd for Section {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Keys as a doubly linked list over frames, with a heap of their sections.
struct KeyList {
    prev: Vec<usize>,
    next: Vec<usize>,
    value: Vec<Value>,
    version: Vec<u32>,
    heap: BinaryHeap<Section>,
    /// Largest error of a section into which no further key fits.
    stuck_error: f64,
}

impl KeyList {
    fn new(problem: &Problem) -> Self {
        let n = problem.samples.len();
        let mut list = Self {
            prev: vec![NONE; n],
            next: vec![NONE; n],
            value: vec![Value::ZERO; n],
            version: vec![0; n],
            heap: BinaryHeap::new(),
            stuck_error: 0.0,
        };
        list.value[0] = problem.on_curve(0);
        if n > 1 {
            list.value[n - 1] = problem.on_curve(n - 1);
            list.next[0] = n - 1;
            list.prev[n - 1] = 0;
            list.measure(problem, 0);
        }
        list
    }

    fn neighbours(&self, problem: &Problem, from: usize) -> Neighbours {
        let to = self.next[from];
        let (left, right) = (self.prev[from], self.next[to]);
        let or = |frame: usize, fallback: usize| if frame == NONE { fallback } else { frame };
        let frames = [or(left, from), from, to, or(right, to)];
        Neighbours {
            time: frames.map(problem.key_time),
            value: frames.map(|f| self.value[f]),
            has_left: left != NONE,
            has_right: right != NONE,
        }
    }

    fn measure(&mut self, problem: &Problem, from: usize) {
        let n = self.neighbours(problem, from);
        let error = problem.section_error(&n, from, self.next[from]);
        self.version[from] += 1;
        self.heap.push(Section {
            error,
            from,
            version: self.version[from],
        });
    }

    /// The worst section that still has room for a key.
    fn pop_worst(&mut self, problem: &Problem) -> Option<Section> {
        while let Some(s) = self.heap.pop() {
            if s.version != self.version[s.from] {
                continue;
            }
            let to = self.next[s.from];
            let time = |frame: usize| (problem.key_time)(frame);
            let middle = time(usize::midpoint(s.from, to));
            if time(s.from) < middle && middle < time(to) {
                return Some(s);
            }
            self.stuck_error = self.stuck_error.max(s.error);
        }
        None
    }

    fn insert(&mut self, problem: &Problem, frame: usize) {
        let left = (0..frame)
            .rev()
            .find(|&f| f == 0 || self.prev[f] != NONE)
            .unwrap_or(0);
        let right = self.next[left];
        self.value[frame] = problem.on_curve(frame);
        self.next[left] = frame;
        self.prev[frame] = left;
        self.next[frame] = right;
        self.prev[right] = frame;
        let mut from = left;
        for _ in 1..problem.basis.reach() {
            if self.prev[from] != NONE {
                from = self.prev[from];
            }
        }
        let mut sections = 2 * problem.basis.reach();
        while sections > 0 && self.next[from] != NONE {
            self.measure(problem, from);
            from = self.next[from];
            sections -= 1;
        }
    }

    fn into_fit(self, steps: &[(usize, f64)], last_error: f64, problem: &Problem) -> Fit {
        let after = steps.iter().skip(1).map(|s| s.1).chain([last_error]);
        let history = steps
            .iter()
            .zip(after)
            .map(|(&(frame, error_before), error_after)| Step {
                action: Action::Insert,
                frame,
                error_before,
                error_after,
            });
        let mut keys = Vec::with_capacity(steps.len() + 2);
        let mut frame = 0;
        while frame != NONE {
            keys.push(Key {
                frame,
                value: self.value[frame],
            });
            frame = self.next[frame];
        }
        let on_keys = keys
            .iter()
            .map(|k| problem.metric.error(k.value, problem.samples[k.frame]));
        let max_error = on_keys.fold(last_error, f64::max);
        Fit {
            keys,
            history: history.collect(),
            max_error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Basis, Metric};
    use super::*;
    use glam::DVec4;

    fn fit(samples: &[Value], basis: Basis, tolerance: f64) -> Fit {
        let problem = Problem {
            samples,
            metric: Metric::Distance,
            basis,
            quantise: &|v| v,
            key_time: &|k| k as f64,
        };
        insert(&problem, tolerance)
    }

    fn wave(n: usize) -> Vec<Value> {
        (0..n)
            .map(|k| DVec4::X * ((k as f64 * 0.13).sin() + 0.3 * (k as f64 * 0.71).cos()))
            .collect()
    }

    #[test]
    fn a_line_needs_two_keys() {
        let line: Vec<Value> = (0..50).map(|k| DVec4::Y * k as f64).collect();
        assert_eq!(fit(&line, Basis::Linear, 1e-9).keys.len(), 2);
        assert_eq!(fit(&line[..1], Basis::Linear, 1e-9).keys.len(), 1);
        assert_eq!(fit(&line[..2], Basis::Uniform, 1e-9).keys.len(), 2);
    }

    #[test]
    fn the_error_is_under_the_tolerance_at_every_frame() {
        let samples = wave(200);
        for basis in [
            Basis::Linear,
            Basis::Uniform,
            Basis::TimeAware,
            Basis::Parabolic,
            Basis::Centripetal,
        ] {
            let f = fit(&samples, basis, 0.01);
            assert!(
                f.max_error <= 0.01 && f.keys.len() < 200,
                "{basis:?}: {} keys",
                f.keys.len()
            );
        }
    }

    #[test]
    fn a_tighter_tolerance_begins_with_the_history_of_a_looser_one() {
        let samples = wave(300);
        let loose = fit(&samples, Basis::Parabolic, 0.05);
        let tight = fit(&samples, Basis::Parabolic, 0.002);
        assert!(loose.history.len() > 10 && tight.history.len() > loose.history.len());
        for (a, b) in loose.history.iter().zip(&tight.history) {
            assert_eq!((a.frame, a.error_before), (b.frame, b.error_before));
        }
    }

    #[test]
    fn half_turns_get_a_key_in_between() {
        let samples: Vec<Value> = (0..60)
            .map(|k| glam::DQuat::from_rotation_y(f64::from(k) * 0.2).into())
            .collect();
        let problem = Problem {
            samples: &samples,
            metric: Metric::Angle,
            basis: Basis::Linear,
            quantise: &|v| v,
            key_time: &|k| k as f64,
        };
        let f = insert(&problem, 0.01);
        assert!(f.keys.windows(2).all(|w| w[0].value.dot(w[1].value) > 0.0));
        assert!(f.max_error <= 0.01);
    }
}
