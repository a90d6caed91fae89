//! An animation section from fitted tracks.

use super::form::{KeyForm, range_of};
use super::{RiotConstant, RiotKey, RiotStream, RiotTrack};
use crate::codec::container::WriteError;
use crate::codec::levels::StreamOrder;
use crate::codec::samples::TrackSamples;
use crate::codec::settings::Settings;
use crate::codec::track_fit::{TrackFit, TrackKind};
use crate::fit::Basis;
use crate::model::Clip;
use crate::runtime::{CODEC_RIOT_BLOCKS, Tangents};
use std::ops::Range;
use std::sync::Arc;

/// The animation section. `tracks` are the fits of `samples`, in their order.
pub(in crate::codec) fn section(
    clip: &Clip,
    samples: &[TrackSamples],
    tracks: &[Arc<TrackFit>],
    settings: &Settings,
) -> Result<Vec<u8>, WriteError> {
    let form = KeyForm::riot(clip.grid().frames, settings);
    let order = StreamOrder::new(clip.skeleton(), &settings.levels);
    let ranks = order.ranks();
    let block = |ranks_of: Range<usize>| {
        let all = samples.iter().zip(tracks);
        let own = all.filter(|(_, fit)| ranks_of.contains(&ranks[fit.joint]));
        stream(clip, own, &ranks, settings, form).to_bytes()
    };
    if order.is_plain() {
        return block(0..ranks.len());
    }
    // The lowest level first: what it has is a prefix.
    let mut blocks = Vec::with_capacity(order.counts.len());
    let mut first = 0;
    for &count in order.counts.iter().rev() {
        blocks.push(block(first..count)?);
        first = count;
    }
    in_blocks(&blocks)
}

fn in_blocks(blocks: &[Vec<u8>]) -> Result<Vec<u8>, WriteError> {
    let mut out = vec![CODEC_RIOT_BLOCKS];
    for block in blocks {
        let length = u32::try_from(block.len());
        let length = length.map_err(|_| WriteError::TooLong("bytes of a block", block.len()))?;
        out.extend(length.to_le_bytes());
    }
    out.extend(blocks.concat());
    Ok(out)
}

fn stream<'a>(
    clip: &Clip,
    tracks: impl Iterator<Item = (&'a TrackSamples, &'a Arc<TrackFit>)>,
    ranks: &[usize],
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
    for (samples, fit) in tracks {
        let (joint, channel) = (ranks[fit.joint], fit.channel);
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
