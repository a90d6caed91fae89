use super::{Fit, Key, Problem};

/// Keys of a curve that holds: one on frame 0 and one wherever the value moves further than `tolerance`
/// from the one that is held. A jump stays a jump.
pub fn hold(problem: &Problem, tolerance: f64) -> Fit {
    let mut keys = vec![Key {
        frame: 0,
        value: problem.on_curve(0),
    }];
    let mut max_error = problem.metric.error(keys[0].value, problem.samples[0]);
    for (frame, &sample) in problem.samples.iter().enumerate() {
        let held = keys[keys.len() - 1].value;
        let mut error = problem.metric.error(held, sample);
        if error > tolerance {
            let value = problem.on_curve(frame);
            error = problem.metric.error(value, sample);
            // A value that rounds to what is held already would be a key for nothing.
            if value != held {
                keys.push(Key { frame, value });
            }
        }
        max_error = max_error.max(error);
    }
    Fit {
        keys,
        history: Vec::new(),
        max_error,
    }
}
