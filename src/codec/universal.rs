//! glTF keyframes from fitted tracks.

use super::keyframes::{KeyframeChannel, Keyframes};
use super::track_fit::{TrackFit, TrackKind};
use super::weights::WeightChannel;
use crate::model::{Clip, Interpolation};
use std::sync::Arc;

/// LINEAR and STEP channels with 32-bit floats, keys on whole frames.
///
/// Where the source's own LINEAR keys are no more than the fitted ones, and for every STEP track, the
/// source's own keys are taken as they are: nobody gains by rounding them to frames.
pub(super) fn keyframes(
    clip: &Clip,
    tracks: &[Arc<TrackFit>],
    weights: Vec<WeightChannel>,
) -> Keyframes {
    let channels = tracks.iter().filter_map(|t| channel(clip, t)).collect();
    Keyframes { channels, weights }
}

fn channel(clip: &Clip, t: &TrackFit) -> Option<KeyframeChannel> {
    if t.kind == TrackKind::Rest {
        return None;
    }
    let own = own_keys(clip, t);
    if own.is_some() {
        return own;
    }
    let grid = clip.grid();
    let width = t.channel.width();
    let times = t
        .fit
        .keys
        .iter()
        .map(|k| grid.secs(k.frame as f64) as f32)
        .collect();
    let values = t
        .fit
        .keys
        .iter()
        .flat_map(|k| k.value.as_vec4().to_array().into_iter().take(width))
        .collect();
    let interpolation = if t.kind == TrackKind::Step {
        Interpolation::Step
    } else {
        Interpolation::Linear
    };
    Some(KeyframeChannel {
        joint: t.joint,
        channel: t.channel,
        interpolation,
        times,
        values,
    })
}

fn own_keys(clip: &Clip, t: &TrackFit) -> Option<KeyframeChannel> {
    let curve = &clip.track(t.joint, t.channel)?.curve;
    let keep = match t.kind {
        TrackKind::Rest | TrackKind::Constant => false,
        TrackKind::Step => true,
        TrackKind::Keys => {
            curve.interpolation() == Interpolation::Linear
                && curve.times().len() <= t.fit.keys.len()
        }
    };
    keep.then(|| KeyframeChannel {
        joint: t.joint,
        channel: t.channel,
        interpolation: curve.interpolation(),
        times: curve.times().iter().map(|&s| s as f32).collect(),
        values: (0..curve.times().len())
            .flat_map(|k| curve.key_value(k).iter().copied())
            .collect(),
    })
}
