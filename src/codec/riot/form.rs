//! How a deliverable holds its keys, as a fitter needs to know it.

use super::{KeyTimes, RotationBits, VectorRange};
use crate::codec::samples::TrackSamples;
use crate::codec::settings::{QuaternionBits, Settings};
use crate::fit::Value;
use crate::math::Channel;

/// Most frames that a key's 16 bits can count.
const COUNTABLE_FRAMES: usize = 1 << 16;

/// The form of stored keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::codec) struct KeyForm {
    /// Bits of rotations; `None` where all values are 32-bit floats.
    rotations: Option<RotationBits>,
    times: KeyTimes,
}

impl KeyForm {
    /// Values are 32-bit floats and times are exact.
    pub(in crate::codec) const FLOATS: Self = Self {
        rotations: None,
        times: KeyTimes::Frames,
    };

    /// As `riot` holds them: times count frames where 16 bits can, else they are fractions of the clip.
    pub(in crate::codec) fn riot(frames: usize, settings: &Settings) -> Self {
        let rotations = match settings.quaternion_bits {
            QuaternionBits::Q48 => RotationBits::Bits48,
            QuaternionBits::Q32 => RotationBits::Bits32,
        };
        let times = if frames <= COUNTABLE_FRAMES {
            KeyTimes::Frames
        } else {
            KeyTimes::Normalised
        };
        Self {
            rotations: Some(rotations),
            times,
        }
    }

    pub(super) fn rotation_bits(self) -> RotationBits {
        self.rotations.unwrap_or_default()
    }

    pub(super) fn times(self) -> KeyTimes {
        self.times
    }

    /// The 16 bits that stand for a frame.
    pub(super) fn stamp(self, frame: usize, frames: usize) -> u16 {
        match self.times {
            KeyTimes::Frames => frame as u16,
            KeyTimes::Normalised => {
                (frame as f64 * 65535.0 / (frames - 1).max(1) as f64).round() as u16
            }
        }
    }

    /// Where a key of a frame is read back, in frames.
    pub(in crate::codec) fn key_time(self, frame: usize, frames: usize) -> f64 {
        match self.times {
            KeyTimes::Frames => frame as f64,
            KeyTimes::Normalised => {
                f64::from(self.stamp(frame, frames)) * (frames - 1) as f64 / 65535.0
            }
        }
    }

    /// How values of a track are rounded.
    pub(in crate::codec) fn rounding(self, samples: &TrackSamples) -> Rounding {
        match (self.rotations, samples.channel) {
            (None, _) => Rounding::Float,
            (Some(bits), Channel::Rotation) => Rounding::Rotation(bits),
            (Some(_), _) => Rounding::Vector(range_of(samples)),
        }
    }
}

/// The range in which a vector track's keys are stored: that of its samples.
pub(super) fn range_of(samples: &TrackSamples) -> VectorRange {
    VectorRange::of(samples.values.iter().map(|v| [v.x, v.y, v.z]))
}

/// Rounds values to what a key can hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::codec) enum Rounding {
    Float,
    Rotation(RotationBits),
    Vector(VectorRange),
}

impl Rounding {
    /// The value that a player reads back; quaternions keep their sign.
    pub(in crate::codec) fn round(&self, v: Value) -> Value {
        match self {
            Self::Float => v.as_vec4().as_dvec4(),
            Self::Rotation(bits) => {
                let q = Value::from_array(bits.quantise(v.to_array()));
                if q.dot(v) < 0.0 { -q } else { q }
            }
            Self::Vector(range) => {
                let [x, y, z] = range.quantise([v.x, v.y, v.z]);
                Value::new(x, y, z, 0.0)
            }
        }
    }
}
