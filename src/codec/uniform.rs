//! The codec `uniform`: every frame of what moves. [`crate::runtime`] has the format.

use super::container::WriteError;
use super::levels::StreamOrder;
use super::riot::{VectorRange, drop_largest, encode_rotation_48};
use super::samples::TrackSamples;
use super::track_fit::{TrackFit, TrackKind, as_f32};
use crate::fit::{Fit, Key, Value};
use crate::math::Channel;
use crate::model::{Clip, channel_name};
use crate::runtime::uniform::{CODEC_UNIFORM, EVEN_SCALE, STATE_BYTES, hold_bit};
use crate::runtime::{rotation_48, vector_component};
use std::sync::Arc;

/// What a component of a vector track may be off when it is stored as standing still, as a share of the
/// track's tolerance: three components, and the rest for rounding.
const STILL_SHARE: f64 = 0.5;

/// How a component of a vector track is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Component {
    Rest,
    Constant(f32),
    /// All frames, in this range.
    Frames {
        min: f32,
        extent: f32,
    },
}

/// How a vector track is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Layout {
    components: [Component; 3],
    /// The x of a scale stands for y and z.
    all: bool,
}

impl Layout {
    fn of(samples: &TrackSamples, tolerance: f64) -> Self {
        let still = STILL_SHARE * tolerance;
        let even = |v: &Value| (v.y - v.x).abs().max((v.z - v.x).abs()) <= still;
        let all = samples.channel == Channel::Scale && samples.values.iter().all(even);
        let range = VectorRange::of(samples.values.iter().map(|v| [v.x, v.y, v.z]));
        let mut components = [Component::Rest; 3];
        for (axis, component) in components.iter_mut().enumerate() {
            let rest = samples.rest[axis];
            let off = samples.values.iter().map(|v| (v[axis] - rest).abs());
            let (min, extent) = (range.min[axis], range.extent[axis]);
            *component = if all && axis > 0 || off.fold(0.0, f64::max) <= still && !all {
                Component::Rest
            } else if 0.5 * f64::from(extent) <= still {
                Component::Constant(0.5f32.mul_add(extent, min))
            } else {
                Component::Frames { min, extent }
            };
        }
        Self { components, all }
    }

    fn range(&self) -> VectorRange {
        let mut range = VectorRange::default();
        for (axis, component) in self.components.iter().enumerate() {
            if let Component::Frames { min, extent } = *component {
                (range.min[axis], range.extent[axis]) = (min, extent);
            }
        }
        range
    }

    /// What a player reads back.
    fn round(&self, v: Value, rest: Value) -> Value {
        let words = self.range().encode([v.x, v.y, v.z]);
        let mut out = rest;
        for axis in 0..3 {
            out[axis] = match self.components[axis] {
                Component::Rest => rest[axis],
                Component::Constant(value) => f64::from(value),
                Component::Frames { min, extent } => {
                    f64::from(vector_component(words[axis], min, extent))
                }
            };
        }
        if self.all {
            out = Value::new(out.x, out.x, out.x, 0.0);
        }
        out
    }

    fn moves(&self) -> bool {
        let frames = |c: &Component| matches!(c, Component::Frames { .. });
        self.components.iter().any(frames)
    }

    /// Two bits a component, x lowest.
    fn states(&self) -> u32 {
        (0_u32..).zip(&self.components).fold(0, |all, (axis, c)| {
            let state = match c {
                Component::Rest => 0,
                Component::Constant(_) => 1,
                Component::Frames { .. } => 2,
            };
            all | state << (2 * axis)
        })
    }
}

/// All frames of a track, or what stands for them where it stands still to within the tolerance.
pub(super) fn fit_track(samples: &TrackSamples, tolerance: f64) -> TrackFit {
    let outcome = |kind, keys: Vec<Key>| {
        let errors = keys.iter().map(|k| {
            let frames = match kind {
                TrackKind::Constant => return samples.error_of_holding(k.value),
                _ => samples.values[k.frame],
            };
            samples.metric().error(k.value, frames)
        });
        let max_error = match kind {
            TrackKind::Rest => samples.error_of_holding(samples.rest),
            _ => errors.fold(0.0, f64::max),
        };
        TrackFit {
            joint: samples.joint,
            channel: samples.channel,
            kind,
            tolerance,
            fit: Fit {
                keys,
                history: Vec::new(),
                max_error,
            },
            origins: Vec::new(),
        }
    };
    let key = |frame, value| Key { frame, value };
    if samples.error_of_holding(samples.rest) <= tolerance {
        return outcome(TrackKind::Rest, Vec::new());
    }
    let rotation = samples.channel == Channel::Rotation;
    let layout = Layout::of(samples, tolerance);
    let middle = if rotation {
        as_f32(samples.middle())
    } else {
        layout.round(samples.middle(), samples.rest)
    };
    let one = samples.values.len() == 1;
    if rotation && (one || samples.error_of_holding(middle) <= tolerance)
        || !rotation && !layout.moves()
    {
        return outcome(TrackKind::Constant, vec![key(0, middle)]);
    }
    let round = |v: Value| {
        if !rotation {
            return layout.round(v, samples.rest);
        }
        let q = rotation_48(encode_rotation_48(v.to_array()));
        let q = Value::from_array(q.map(f64::from));
        if q.dot(v) < 0.0 { -q } else { q }
    };
    let values = samples.values.iter().map(|&v| round(v)).enumerate();
    let kind = if samples.step {
        TrackKind::Step
    } else {
        TrackKind::Keys
    };
    outcome(kind, values.map(|(frame, v)| key(frame, v)).collect())
}

/// A channel of a joint on its way into the section.
struct Channels<'a> {
    samples: &'a TrackSamples,
    fit: &'a TrackFit,
    layout: Layout,
}

impl Channels<'_> {
    /// The bits of the joint's states that concern the channel.
    fn states(&self) -> u32 {
        let moves = matches!(self.fit.kind, TrackKind::Step | TrackKind::Keys);
        let states = match (self.fit.kind, self.fit.channel) {
            (TrackKind::Rest, _) => return 0,
            (_, Channel::Rotation) => 1 + u32::from(moves),
            (_, Channel::Translation) => self.layout.states() << 2,
            (_, Channel::Scale) => {
                let all = if self.layout.all { EVEN_SCALE } else { 0 };
                self.layout.states() << 8 | all
            }
        };
        let hold = hold_bit(self.fit.channel);
        states
            | if self.fit.kind == TrackKind::Step {
                hold
            } else {
                0
            }
    }

    fn push_fixed(&self, out: &mut Vec<u8>) {
        let mut push = |v: f32| out.extend(v.to_le_bytes());
        match (self.fit.kind, self.fit.channel) {
            (TrackKind::Constant, Channel::Rotation) => {
                let (index, rest) = drop_largest(self.fit.fit.keys[0].value.to_array());
                out.push(index);
                out.extend(rest.iter().flat_map(|&v| (v as f32).to_le_bytes()));
            }
            (TrackKind::Rest, _) | (_, Channel::Rotation) => {}
            _ => {
                for component in self.layout.components {
                    match component {
                        Component::Rest => {}
                        Component::Constant(value) => push(value),
                        Component::Frames { min, extent } => {
                            push(min);
                            push(extent);
                        }
                    }
                }
            }
        }
    }

    fn push_frame(&self, frame: usize, out: &mut Vec<u8>) {
        if !matches!(self.fit.kind, TrackKind::Step | TrackKind::Keys) {
            return;
        }
        let value = self.samples.values[frame];
        if self.fit.channel == Channel::Rotation {
            let words = encode_rotation_48(value.to_array());
            out.extend(words.iter().flat_map(|w| w.to_le_bytes()));
            return;
        }
        let words = self.layout.range().encode([value.x, value.y, value.z]);
        for (word, component) in words.iter().zip(self.layout.components) {
            if matches!(component, Component::Frames { .. }) {
                out.extend(word.to_le_bytes());
            }
        }
    }
}

/// The animation section. `tracks` are the fits of `samples`, in their order; `order` is that of the joints.
pub(super) fn section(
    clip: &Clip,
    samples: &[TrackSamples],
    tracks: &[Arc<TrackFit>],
    order: &StreamOrder,
) -> Result<Vec<u8>, WriteError> {
    let mut channels: Vec<Channels> = samples
        .iter()
        .zip(tracks)
        .map(|(samples, fit)| Channels {
            samples,
            fit,
            layout: Layout::of(samples, fit.tolerance),
        })
        .collect();
    let ranks = order.ranks();
    channels.sort_by_key(|c| (ranks[c.fit.joint], c.fit.channel as u8));
    check(&channels)?;
    let mut states = vec![0_u32; clip.skeleton().len()];
    for channel in &channels {
        states[ranks[channel.fit.joint]] |= channel.states();
    }
    let mut out = vec![CODEC_UNIFORM];
    for state in states {
        out.extend(&state.to_le_bytes()[..STATE_BYTES]);
    }
    for channel in &channels {
        channel.push_fixed(&mut out);
    }
    for frame in 0..clip.grid().frames {
        for channel in &channels {
            channel.push_frame(frame, &mut out);
        }
    }
    Ok(out)
}

fn check(channels: &[Channels]) -> Result<(), WriteError> {
    for c in channels {
        let finite = |v: &Value| {
            v.to_array()[..c.fit.channel.width()]
                .iter()
                .all(|v| v.is_finite())
        };
        if !c.samples.values.iter().all(finite) {
            let channel = channel_name(c.fit.channel);
            return Err(WriteError::NotFinite(format!(
                "joint {}, {channel}",
                c.fit.joint
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(channel: Channel, values: Vec<Value>, rest: Value) -> TrackSamples {
        TrackSamples {
            joint: 0,
            channel,
            step: false,
            values,
            rest,
        }
    }

    #[test]
    fn components_that_stand_still_are_stored_once() {
        let values = (0..30)
            .map(|k| Value::new(f64::from(k), 2.0, 0.5, 0.0))
            .collect();
        let track = samples(Channel::Translation, values, Value::new(0.0, 2.0, 0.0, 0.0));
        let layout = Layout::of(&track, 1e-4);
        assert_eq!(
            layout.components,
            [
                Component::Frames {
                    min: 0.0,
                    extent: 29.0
                },
                Component::Rest,
                Component::Constant(0.5)
            ]
        );
        let fit = fit_track(&track, 1e-4);
        assert_eq!((fit.kind, fit.fit.keys.len()), (TrackKind::Keys, 30));
        assert!(fit.fit.max_error < 29.0 / 65535.0);
    }

    #[test]
    fn an_even_scale_is_one_value() {
        let grow = |k: i32| Value::new(1.0, 1.0, 1.0, 0.0) * (1.0 + f64::from(k) * 0.1);
        let track = samples(Channel::Scale, (0..9).map(grow).collect(), grow(0));
        let layout = Layout::of(&track, 1e-4);
        assert!(layout.all && layout.states() == 2);
        let back = layout.round(grow(5), grow(0));
        assert!((back - grow(5)).length() < 1e-4);
    }

    #[test]
    fn what_rests_costs_nothing() {
        let rest = Value::new(0.0, 0.0, 0.0, 1.0);
        let fit = fit_track(&samples(Channel::Rotation, vec![rest; 5], rest), 1e-6);
        assert_eq!(fit.kind, TrackKind::Rest);
    }
}
