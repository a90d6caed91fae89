//! Writes the animation section of the codec `riot`; the layout is specified in [`crate::runtime`].

use super::quantise::{
    RotationBits, VectorRange, drop_largest, encode_rotation_32, encode_rotation_48,
};
use crate::codec::WriteError;
use crate::math::Channel;
use crate::model::{MAX_JOINTS, channel_name};
use crate::runtime::{ANIM_NORMALISED_TIMES, ANIM_SHORT_ROTATIONS, CODEC_RIOT, Tangents, track_id};

/// What the 16 bits of a key's time count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum KeyTimes {
    /// Frames: exact, for keys on frames and clips of at most 65,536 frames.
    #[default]
    Frames,
    /// 65,535ths of the clip's duration, as League files have it.
    Normalised,
}

/// One key to be written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RiotKey {
    /// In the unit of [`RiotStream::key_times`].
    pub time: u16,
    /// `x, y, z, w`; the last is not looked at for vectors. Rotations need not be of unit length.
    pub value: [f64; 4],
}

/// One track to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct RiotTrack {
    /// Index of the joint; if the file has an `order` section, in that order.
    pub joint: usize,
    /// What it moves.
    pub channel: Channel,
    /// Every key holds until the next.
    pub step: bool,
    /// Range of a vector track; not looked at for rotations.
    pub range: VectorRange,
    /// At least one, times strictly increasing.
    pub keys: Vec<RiotKey>,
}

/// A channel that stands still away from the rest pose; stored in 32-bit floats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RiotConstant {
    /// As in [`RiotTrack::joint`].
    pub joint: usize,
    /// What it moves.
    pub channel: Channel,
    /// As in [`RiotKey::value`].
    pub value: [f64; 4],
}

/// Everything in the animation section; a channel of a joint stands in it at most once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RiotStream {
    /// How the tangents at the keys are made.
    pub tangents: Tangents,
    /// Size of rotation keys.
    pub rotation_bits: RotationBits,
    /// What key times count.
    pub key_times: KeyTimes,
    /// In any order.
    pub tracks: Vec<RiotTrack>,
    /// In any order.
    pub constants: Vec<RiotConstant>,
}

impl RiotStream {
    /// The payload of the section. The same stream gives the same bytes, whatever the order of its tracks.
    ///
    /// Errors: a joint past the 14 bits of a key, a value that is not finite. The rules that concern the
    /// whole clip are checked by [`crate::codec::ContainerWriter::finish`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        let mut tracks: Vec<&RiotTrack> = self.tracks.iter().collect();
        tracks.sort_by_key(|t| (t.step, id(t.joint, t.channel)));
        let mut constants: Vec<&RiotConstant> = self.constants.iter().collect();
        constants.sort_by_key(|c| id(c.joint, c.channel));
        self.check()?;
        let mut out = vec![CODEC_RIOT, self.flags()];
        let smooth = tracks.iter().filter(|t| !t.step).count();
        out.extend(count("smooth tracks", smooth)?);
        out.extend(count("step tracks", tracks.len() - smooth)?);
        out.extend(count("constant tracks", constants.len())?);
        let keys: usize = tracks.iter().map(|t| t.keys.len()).sum();
        let keys = u32::try_from(keys).map_err(|_| WriteError::TooLong("keys", keys))?;
        out.extend(keys.to_le_bytes());
        push_directory(&mut out, &tracks);
        for constant in constants {
            push_constant(&mut out, constant);
        }
        self.push_keys(&mut out, &tracks);
        Ok(out)
    }

    fn check(&self) -> Result<(), WriteError> {
        let tracks = self.tracks.iter().flat_map(|t| {
            let values = t.keys.iter().map(|k| k.value);
            values.map(|value| (t.joint, t.channel, value))
        });
        let constants = self.constants.iter().map(|c| (c.joint, c.channel, c.value));
        for (joint, channel, value) in tracks.chain(constants) {
            if joint >= MAX_JOINTS {
                return Err(WriteError::TooManyJoints(joint + 1));
            }
            if value[..channel.width()].iter().any(|v| !v.is_finite()) {
                let channel = channel_name(channel);
                return Err(WriteError::NotFinite(format!("joint {joint}, {channel}")));
            }
        }
        Ok(())
    }

    fn flags(&self) -> u8 {
        let short = match self.rotation_bits {
            RotationBits::Bits48 => 0,
            RotationBits::Bits32 => ANIM_SHORT_ROTATIONS,
        };
        let normalised = match self.key_times {
            KeyTimes::Frames => 0,
            KeyTimes::Normalised => ANIM_NORMALISED_TIMES,
        };
        self.tangents as u8 | short | normalised
    }

    /// All keys in one block, in the order in which a player needs them.
    fn push_keys(&self, out: &mut Vec<u8>, tracks: &[&RiotTrack]) {
        let mut order: Vec<(u16, u16, usize, usize)> = Vec::new();
        for (t, track) in tracks.iter().enumerate() {
            for k in 0..track.keys.len() {
                // Keys 0, 1 and 2 are needed at the start, key n + 2 when segment n begins.
                let needed_at = if k < 3 { 0 } else { track.keys[k - 2].time };
                order.push((needed_at, id(track.joint, track.channel), k, t));
            }
        }
        order.sort_unstable();
        for (_, id, k, t) in order {
            let track = tracks[t];
            let key = &track.keys[k];
            out.extend(key.time.to_le_bytes());
            out.extend(id.to_le_bytes());
            self.push_value(out, track, key.value);
        }
    }

    fn push_value(&self, out: &mut Vec<u8>, track: &RiotTrack, value: [f64; 4]) {
        let words = match (track.channel, self.rotation_bits) {
            (Channel::Rotation, RotationBits::Bits32) => {
                out.extend(encode_rotation_32(value).to_le_bytes());
                return;
            }
            (Channel::Rotation, RotationBits::Bits48) => encode_rotation_48(value),
            _ => track.range.encode([value[0], value[1], value[2]]),
        };
        out.extend(words.iter().flat_map(|w| w.to_le_bytes()));
    }
}

/// Joints past the 14 bits are refused before anything is written.
fn id(joint: usize, channel: Channel) -> u16 {
    track_id(joint as u16, channel)
}

fn count(what: &'static str, n: usize) -> Result<[u8; 2], WriteError> {
    let n = u16::try_from(n).map_err(|_| WriteError::TooLong(what, n))?;
    Ok(n.to_le_bytes())
}

fn push_directory(out: &mut Vec<u8>, tracks: &[&RiotTrack]) {
    for t in tracks {
        out.extend(id(t.joint, t.channel).to_le_bytes());
    }
    for t in tracks.iter().filter(|t| t.channel != Channel::Rotation) {
        let floats = t.range.min.into_iter().chain(t.range.extent);
        out.extend(floats.flat_map(f32::to_le_bytes));
    }
}

fn push_constant(out: &mut Vec<u8>, constant: &RiotConstant) {
    out.extend(id(constant.joint, constant.channel).to_le_bytes());
    let [x, y, z, _] = constant.value;
    let floats = if constant.channel == Channel::Rotation {
        let (index, rest) = drop_largest(constant.value);
        out.push(index);
        rest
    } else {
        [x, y, z]
    };
    out.extend(floats.iter().flat_map(|&v| (v as f32).to_le_bytes()));
}
