//! A whole `.ppc` from fitted tracks.

use super::form::{KeyForm, range_of};
use super::{RiotConstant, RiotKey, RiotStream, RiotTrack};
use crate::codec::container::{ContainerWriter, ScalarCurve, WriteError};
use crate::codec::samples::TrackSamples;
use crate::codec::settings::{Playback, Settings};
use crate::codec::track_fit::{TrackFit, TrackKind};
use crate::fit::Basis;
use crate::model::Clip;
use crate::runtime::{self, ClipInfo, SectionKind, Tangents};
use std::sync::Arc;

/// Writes the file. `tracks` are the fits of `samples`, in their order; `unit_m` is metres a source unit.
pub(in crate::codec) fn write(
    clip: &Clip,
    samples: &[TrackSamples],
    tracks: &[Arc<TrackFit>],
    settings: &Settings,
    unit_m: f64,
    source_hash: [u8; 32],
) -> Result<Vec<u8>, WriteError> {
    let form = KeyForm::riot(clip.grid().frames, settings);
    let animation = stream(clip, samples, tracks, settings, form).to_bytes()?;
    let rest: Vec<runtime::Transform> = clip
        .skeleton()
        .joints()
        .iter()
        .map(|j| narrow(&j.rest))
        .collect();
    let mut writer = ContainerWriter::new(&info(clip, settings, unit_m, source_hash))?
        .skeleton(clip.skeleton())?
        .rest(&rest)
        .section(SectionKind::Animation, animation);
    if !clip.scalars().is_empty() {
        let grid = clip.grid();
        let secs = (0..grid.frames).map(|k| grid.secs(k as f64));
        let scalars: Vec<ScalarCurve> = clip
            .scalars()
            .iter()
            .map(|s| ScalarCurve::from_track(s, secs.clone()))
            .collect();
        writer = writer.scalars(&scalars)?;
    }
    writer.finish()
}

fn info(clip: &Clip, settings: &Settings, unit_m: f64, source_hash: [u8; 32]) -> ClipInfo {
    let grid = clip.grid();
    ClipInfo {
        name: clip.name().to_owned(),
        frames: grid.frames as u32,
        rate_hz: grid.rate_hz,
        start_secs: grid.start_secs,
        unit_m,
        joints: clip.skeleton().len(),
        looped: settings.looped,
        smooth: settings.playback == Playback::Smooth,
        skeleton_hash: clip.skeleton().hash(),
        source_hash,
    }
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

fn narrow(t: &crate::math::Transform) -> runtime::Transform {
    runtime::Transform {
        rotation: t.rotation.to_array().map(|v| v as f32),
        translation: t.translation.to_array().map(|v| v as f32),
        scale: t.scale.to_array().map(|v| v as f32),
    }
}
