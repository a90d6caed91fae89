//! An animation section from fitted tracks.

use super::form::{KeyForm, range_of};
use super::{RiotConstant, RiotKey, RiotStream, RiotTrack};
use crate::codec::container::WriteError;
use crate::codec::samples::TrackSamples;
use crate::codec::settings::Settings;
use crate::codec::track_fit::{TrackFit, TrackKind};
use crate::fit::Basis;
use crate::model::Clip;
use crate::runtime::Tangents;
use std::sync::Arc;

/// The animation section. `tracks` are the fits of `samples`, in their order.
pub(in crate::codec) fn section(
    clip: &Clip,
    samples: &[TrackSamples],
    tracks: &[Arc<TrackFit>],
    settings: &Settings,
) -> Result<Vec<u8>, WriteError> {
    let form = KeyForm::riot(clip.grid().frames, settings);
    stream(clip, samples, tracks, settings, form).to_bytes()
}

fn stream(
    clip: &Clip,
    samples: &[TrackSamples],
    tracks: &[Arc<TrackFit>],
    settings: &Settings,
    form: KeyForm,
) -> RiotStream {
    let frames = clip.grid().frames;
    let mut stream = RiotStream {
        tangents: tangents(settings.basis),
        rotation_bits: form.rotation_bits(),
        key_times: form.times(),
        ..RiotStream::default()
    };
    for (samples, fit) in samples.iter().zip(tracks) {
        let (joint, channel) = (fit.joint, fit.channel);
        let mut values = fit.fit.keys.iter().map(|k| k.value.to_array());
        match fit.kind {
            TrackKind::Rest => {}
            TrackKind::Constant => {
                let constant = values.next().map(|value| RiotConstant {
                    joint,
                    channel,
                    value,
                });
                stream.constants.extend(constant);
            }
            TrackKind::Step | TrackKind::Keys => stream.tracks.push(RiotTrack {
                joint,
                channel,
                step: fit.kind == TrackKind::Step,
                range: range_of(samples),
                keys: fit
                    .fit
                    .keys
                    .iter()
                    .map(|k| RiotKey {
                        time: form.stamp(k.frame, frames),
                        value: k.value.to_array(),
                    })
                    .collect(),
            }),
        }
    }
    stream
}

fn tangents(basis: Basis) -> Tangents {
    match basis {
        // Settings refuse a linear basis for splines; see `Settings::check`.
        Basis::Linear | Basis::Uniform => Tangents::Uniform,
        Basis::TimeAware => Tangents::TimeAware,
        Basis::Parabolic => Tangents::Parabolic,
        Basis::Centripetal => Tangents::Centripetal,
        Basis::Chordal => Tangents::Chordal,
    }
}
