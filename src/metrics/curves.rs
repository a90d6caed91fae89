//! What compression did to the float curves of a clip, such as morph weights.

use crate::model::{Clip, CurveSource, ScalarTrack};

/// How far a decoded curve is from the source's, in its own unit: for a morph weight 1 is all of the target.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CurveError {
    /// The largest at frames and at the curve's own keys: what the tolerance is held against.
    pub held: f64,
    /// When it is so large, seconds.
    pub secs: f64,
    /// The largest at frames, own keys and four times denser.
    pub dense: f64,
}

/// Instants a frame.
const DENSITY: usize = 4;

/// The error of every float curve, in the order of [`Clip::scalars`]. Cost: four times the frames, and all keys, each with
/// all curves.
pub fn curve_errors(clip: &Clip, player: &mut impl CurveSource) -> Vec<CurveError> {
    let (scalars, grid) = (clip.scalars(), clip.grid());
    let mut errors = vec![CurveError::default(); scalars.len()];
    if scalars.is_empty() {
        return errors;
    }
    let mut decoded = vec![0.0; scalars.len()];
    let mut look = |secs: f64, held: &dyn Fn(&ScalarTrack) -> bool| {
        player.curves(secs, &mut decoded);
        for ((error, scalar), &decoded) in errors.iter_mut().zip(scalars).zip(&decoded) {
            let off = (scalar.curve.vector::<1>(secs)[0] - f64::from(decoded)).abs();
            error.dense = error.dense.max(off);
            if off > error.held && held(scalar) {
                (error.held, error.secs) = (off, secs);
            }
        }
    };
    for instant in 0..=grid.last() * DENSITY {
        let secs = grid.secs(instant as f64 / DENSITY as f64);
        look(secs, &|_| instant.is_multiple_of(DENSITY));
    }
    let last = grid.last() as f64;
    let mut keys: Vec<f64> = scalars
        .iter()
        .flat_map(|s| s.curve.times().to_vec())
        .collect();
    keys.retain(|&secs| (0.0..=last).contains(&grid.frame(secs)));
    keys.sort_by(f64::total_cmp);
    keys.dedup();
    for secs in keys {
        let own = |s: &ScalarTrack| {
            let times = s.curve.times();
            times.binary_search_by(|t| t.total_cmp(&secs)).is_ok()
        };
        look(secs, &own);
    }
    errors
}
