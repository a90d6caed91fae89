//! The animation section of the codec `riot`: parsing, and the tables that a cursor runs on.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod blocks;
mod player;
mod ring;
mod stored;
mod timeline;

pub use blocks::CODEC_RIOT_BLOCKS;
pub(super) use blocks::{RiotBlocks, RiotBlocksSampler};
use player::RiotSampler;
use stored::RiotIndex;

use super::bytes::{Reader, u16_at};
use super::order::Order;
use super::quantise::{insert_largest, rotation_32, rotation_48, vector_component};
use super::spline::{Tangents, Window};
use super::{Channel, ClipInfo, Error};
use std::ops::Range;

/// First byte of the animation section.
pub const CODEC_RIOT: u8 = 1;

/// Animation flags, bits 0 to 2: the number of the [`Tangents`].
pub const ANIM_TANGENTS: u8 = 0b111;

/// Animation flag: rotation keys have 32 bits instead of 48.
pub const ANIM_SHORT_ROTATIONS: u8 = 1 << 3;

/// Animation flag: key times count 65,535ths of the clip's duration instead of frames.
pub const ANIM_NORMALISED_TIMES: u8 = 1 << 4;

/// Bytes of the animation section before its track directory.
pub const ANIM_HEADER: usize = 12;

/// Bytes of the range of a vector track.
pub const RANGE_BYTES: usize = 24;

/// The number that stands for a joint of the animation section and a channel.
pub fn track_id(joint: u16, channel: Channel) -> u16 {
    ((channel as u16) << 14) | (joint & 0x3FFF)
}

/// Bytes of one key.
pub fn key_bytes(channel: Channel, short_rotations: bool) -> usize {
    if short_rotations && channel == Channel::Rotation {
        8
    } else {
        10
    }
}

/// Bytes of one constant.
pub fn constant_bytes(channel: Channel) -> usize {
    if channel == Channel::Rotation { 15 } else { 14 }
}

/// How the value of a channel of a joint is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackKind {
    /// A smooth curve through keys.
    Smooth,
    /// Every key holds until the next.
    Step,
    /// One value for the whole clip.
    Constant,
}

#[derive(Clone, Debug)]
pub(super) struct Track {
    /// Index into the skeleton.
    pub(super) joint: u16,
    pub(super) channel: Channel,
    pub(super) step: bool,
    id: u16,
    min: [f32; 3],
    extent: [f32; 3],
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Constant {
    /// Index into the skeleton.
    pub(super) joint: u16,
    pub(super) channel: Channel,
    id: u16,
    pub(super) value: [f32; 4],
}

/// Reads keys with `C` components.
pub(super) trait ReadKey<const C: usize> {
    /// Time in frames and value of a key of a track; `key` counts within all keys.
    fn read(&self, bytes: &[u8], track: usize, key: usize) -> (f32, [f32; C]);
}

impl ReadKey<4> for Riot {
    #[allow(clippy::inline_always)] // Once for each key that a player passes.
    #[inline(always)]
    fn read(&self, bytes: &[u8], _: usize, key: usize) -> (f32, [f32; 4]) {
        let (time, words) = self.words(bytes, key);
        let value = if self.short_rotations {
            let [low, high, _] = words.map(u32::from);
            rotation_32(low | (high << 16))
        } else {
            rotation_48(words)
        };
        (time, value)
    }
}

impl ReadKey<3> for Riot {
    #[inline]
    fn read(&self, bytes: &[u8], track: usize, key: usize) -> (f32, [f32; 3]) {
        let (time, [x, y, z]) = self.words(bytes, key);
        let Some(track) = self.tracks.get(track) else {
            return (time, [0.0; 3]);
        };
        let ([min_x, min_y, min_z], [ext_x, ext_y, ext_z]) = (track.min, track.extent);
        let value = [
            vector_component(x, min_x, ext_x),
            vector_component(y, min_y, ext_y),
            vector_component(z, min_z, ext_z),
        ];
        (time, value)
    }
}

/// The keys of a window, within all keys; at the ends of a track the end key stands for missing ones.
struct Around {
    keys: [usize; 4],
    has_previous: bool,
    has_next: bool,
}

/// Everything about the section that is not read from the bytes again.
#[derive(Clone, Debug)]
pub(super) struct Riot {
    pub(super) tangents: Tangents,
    pub(super) short_rotations: bool,
    /// Smooth tracks by id, then step tracks by id.
    pub(super) tracks: Vec<Track>,
    pub(super) constants: Vec<Constant>,
    /// Frames in one unit of key time.
    pub(super) frames_per_time: f32,
    /// For each track, where its keys start in `key_at`; one more entry at the end.
    first_key: Vec<u32>,
    /// Offset in the file of each key, track by track.
    key_at: Vec<u32>,
}

impl Riot {
    /// `r` stands behind the codec's byte. `ranks` are the places in the order of the joints that it may have.
    pub(super) fn parse(
        mut r: Reader<'_>,
        info: &ClipInfo,
        order: &Order,
        ranks: Range<usize>,
    ) -> Result<Self, Error> {
        let joints = Joints { order, ranks };
        let header = Header::parse(&mut r)?;
        let tracks = parse_tracks(&mut r, &header, &joints)?;
        let constants = parse_constants(&mut r, header.constants, &joints)?;
        check_ids(&r, &tracks, &constants)?;
        let order = read_keys(&mut r, &header, info, &tracks)?;
        r.end()?;
        let (first_key, key_at) = by_track(&order, tracks.len());
        if first_key.windows(2).any(|w| w.first() == w.last()) {
            return Err(r.invalid("a track has no key"));
        }
        Ok(Self {
            tangents: header.tangents,
            short_rotations: header.short_rotations,
            tracks,
            constants,
            frames_per_time: header.frames_per_time(info),
            first_key,
            key_at,
        })
    }

    /// Where the keys of a track stand in the table of all keys.
    pub(super) fn keys(&self, track: usize) -> Range<usize> {
        let at = |i: usize| self.first_key.get(i).map_or(0, |&k| k as usize);
        at(track)..at(track.saturating_add(1))
    }

    /// Index of the last segment of a track: a step track has one for each key.
    pub(super) fn last_segment(&self, track: usize) -> u16 {
        let keys = self.keys(track).len();
        let step = self.tracks.get(track).is_some_and(|t| t.step);
        let last = keys.saturating_sub(if step { 1 } else { 2 });
        u16::try_from(last).unwrap_or(u16::MAX)
    }

    /// Time of a key as stored; `key` counts within all keys.
    pub(super) fn raw_time(&self, bytes: &[u8], key: usize) -> u16 {
        let at = self.key_at.get(key).map_or(usize::MAX, |&at| at as usize);
        u16_at(bytes, at).unwrap_or(0)
    }

    /// Time of a key in frames.
    pub(super) fn time(&self, bytes: &[u8], key: usize) -> f32 {
        f32::from(self.raw_time(bytes, key)) * self.frames_per_time
    }

    /// Time in frames and value words of a key. A short rotation has two; what follows it, a key or the
    /// section's checksum, fills the third.
    #[inline]
    fn words(&self, bytes: &[u8], key: usize) -> (f32, [u16; 3]) {
        let at = self.key_at.get(key).map_or(usize::MAX, |&at| at as usize);
        let Some(&[t0, t1, _, _, a0, a1, b0, b1, c0, c1]) =
            bytes.get(at..).and_then(<[u8]>::first_chunk)
        else {
            return (0.0, [0; 3]);
        };
        let time = f32::from(u16::from_le_bytes([t0, t1])) * self.frames_per_time;
        (time, [[a0, a1], [b0, b1], [c0, c1]].map(u16::from_le_bytes))
    }

    /// The keys around a segment of a track as they are stored, signs not aligned.
    pub(super) fn window<const C: usize>(
        &self,
        bytes: &[u8],
        track: usize,
        segment: u16,
    ) -> Window<f32, C>
    where
        Self: ReadKey<C>,
    {
        let around = self.around(track, segment);
        let keys = around.keys.map(|key| self.read(bytes, track, key));
        Window {
            values: keys.map(|(_, value)| value),
            times: keys.map(|(time, _)| time),
            has_previous: around.has_previous,
            has_next: around.has_next,
        }
    }

    #[inline]
    fn around(&self, track: usize, segment: u16) -> Around {
        let keys = self.keys(track);
        let start = keys.start.saturating_add(usize::from(segment));
        let last = keys.end.saturating_sub(1);
        Around {
            keys: [
                start.saturating_sub(1).max(keys.start),
                start.min(last),
                start.saturating_add(1).min(last),
                start.saturating_add(2).min(last),
            ],
            has_previous: segment > 0,
            has_next: start.saturating_add(2) <= last,
        }
    }

    /// The segment of a track at a position in frames: the last one that starts at or before it.
    pub(super) fn find_segment(&self, bytes: &[u8], track: usize, position: f32) -> u16 {
        let first = self.keys(track).start;
        // Segment `low` has started, segment `high + 1` has not.
        let (mut low, mut high) = (0, self.last_segment(track));
        while low < high {
            let middle = high.saturating_sub(high.abs_diff(low) / 2);
            if self.time(bytes, first.saturating_add(usize::from(middle))) <= position {
                low = middle;
            } else {
                high = middle.saturating_sub(1);
            }
        }
        low
    }
}

struct Header {
    tangents: Tangents,
    short_rotations: bool,
    normalised_times: bool,
    smooth_tracks: usize,
    step_tracks: usize,
    constants: usize,
    keys: usize,
}

impl Header {
    fn parse(r: &mut Reader<'_>) -> Result<Self, Error> {
        let at = r.offset();
        let flags = r.u8()?;
        let known = ANIM_TANGENTS | ANIM_SHORT_ROTATIONS | ANIM_NORMALISED_TIMES;
        r.rule(
            flags & !known == 0,
            at,
            "an animation flag is set that version 1 has not",
        )?;
        let tangents = Tangents::from_id(flags & ANIM_TANGENTS)
            .ok_or_else(|| r.invalid_at(at, "the kind of tangents is unknown"))?;
        Ok(Self {
            tangents,
            short_rotations: flags & ANIM_SHORT_ROTATIONS != 0,
            normalised_times: flags & ANIM_NORMALISED_TIMES != 0,
            smooth_tracks: usize::from(r.u16()?),
            step_tracks: usize::from(r.u16()?),
            constants: usize::from(r.u16()?),
            keys: r.u32()? as usize,
        })
    }

    fn frames_per_time(&self, info: &ClipInfo) -> f32 {
        if self.normalised_times {
            info.last_frame() as f32 / 65535.0
        } else {
            1.0
        }
    }
}

/// The joints that a block may have.
struct Joints<'a> {
    order: &'a Order,
    ranks: Range<usize>,
}

fn channel_of(id: u16) -> Option<Channel> {
    Channel::ALL.get(usize::from(id >> 14)).copied()
}

/// Channel and skeleton joint of an id.
fn target(r: &Reader<'_>, at: usize, id: u16, joints: &Joints) -> Result<(Channel, u16), Error> {
    let channel =
        channel_of(id).ok_or_else(|| r.invalid_at(at, "the channel of a track is unknown"))?;
    let rank = id & 0x3FFF;
    r.rule(
        joints.ranks.contains(&usize::from(rank)),
        at,
        "a track moves a joint that the clip or its level has not",
    )?;
    Ok((channel, joints.order.joint(rank)))
}

fn parse_tracks(r: &mut Reader<'_>, header: &Header, joints: &Joints) -> Result<Vec<Track>, Error> {
    let count = header.smooth_tracks.saturating_add(header.step_tracks);
    let at = r.offset();
    let ids = r.take_items(count, 2)?;
    let mut tracks: Vec<Track> = Vec::with_capacity(count);
    for (i, id) in ids.chunks_exact(2).enumerate() {
        let at = at.saturating_add(i.saturating_mul(2));
        let id = u16_at(id, 0).unwrap_or(0);
        let (channel, joint) = target(r, at, id, joints)?;
        let first_of_list = i == 0 || i == header.smooth_tracks;
        let sorted = first_of_list || tracks.last().is_some_and(|t| t.id < id);
        r.rule(sorted, at, "the tracks are not sorted by their ids")?;
        tracks.push(Track {
            joint,
            channel,
            step: i >= header.smooth_tracks,
            id,
            min: [0.0; 3],
            extent: [0.0; 3],
        });
    }
    for track in &mut tracks {
        if track.channel != Channel::Rotation {
            (track.min, track.extent) = (r.vec3()?, r.vec3()?);
        }
    }
    Ok(tracks)
}

fn parse_constants(
    r: &mut Reader<'_>,
    count: usize,
    joints: &Joints,
) -> Result<Vec<Constant>, Error> {
    if r.left() < count.saturating_mul(14) {
        return Err(r.invalid("the section is too short for its constants"));
    }
    let mut constants: Vec<Constant> = Vec::with_capacity(count);
    for _ in 0..count {
        let at = r.offset();
        let id = r.u16()?;
        let (channel, joint) = target(r, at, id, joints)?;
        let sorted = constants.last().is_none_or(|c| c.id < id);
        r.rule(sorted, at, "the constants are not sorted by their ids")?;
        let value = if channel == Channel::Rotation {
            constant_rotation(r)?
        } else {
            let [x, y, z] = r.vec3()?;
            [x, y, z, 0.0]
        };
        constants.push(Constant {
            joint,
            channel,
            id,
            value,
        });
    }
    Ok(constants)
}

/// A constant rotation in 32-bit floats: the index of the dropped component, then the others.
pub(super) fn constant_rotation(r: &mut Reader<'_>) -> Result<[f32; 4], Error> {
    let at = r.offset();
    let index = r.u8()?;
    r.rule(
        index < 4,
        at,
        "the index of the dropped component is not 0 to 3",
    )?;
    let [a, b, c] = r.vec3()?;
    // The dropped component is the largest, so its square is a quarter or more.
    r.rule(
        a * a + b * b + c * c <= 0.7501,
        at,
        "the dropped component of a rotation was not the largest",
    )?;
    Ok(insert_largest(index, [a, b, c]))
}

/// Every id at most once in tracks and constants together.
fn check_ids(r: &Reader<'_>, tracks: &[Track], constants: &[Constant]) -> Result<(), Error> {
    let ids = tracks.iter().map(|t| t.id);
    let mut ids: Vec<u16> = ids.chain(constants.iter().map(|c| c.id)).collect();
    ids.sort_unstable();
    if ids.windows(2).any(|w| w.first() == w.last()) {
        return Err(r.invalid("a channel of a joint has two tracks"));
    }
    Ok(())
}

/// One key in the order of the file: its track and its offset in the file.
struct StreamKey {
    track: u32,
    at: u32,
}

/// What the order of the stream is checked with.
#[derive(Clone, Copy, Default)]
struct TrackSoFar {
    keys: u32,
    last_time: u16,
    /// Time of the key before the last.
    needed_at: u16,
}

/// Walks over the key block once, checking ids, times and the order of the stream.
fn read_keys(
    r: &mut Reader<'_>,
    header: &Header,
    info: &ClipInfo,
    tracks: &[Track],
) -> Result<Vec<StreamKey>, Error> {
    if r.left() < header.keys.saturating_mul(8) {
        return Err(r.invalid("the section is too short for its keys"));
    }
    let mut by_id: Vec<(u16, u32)> = (0..).zip(tracks).map(|(i, t)| (t.id, i)).collect();
    by_id.sort_unstable();
    let mut so_far = vec![TrackSoFar::default(); tracks.len()];
    let mut stream = Vec::with_capacity(header.keys);
    let mut last = None;
    for _ in 0..header.keys {
        let at = r.offset();
        let (time, id) = (r.u16()?, r.u16()?);
        let track = by_id.binary_search_by_key(&id, |&(id, _)| id).ok();
        let track = track.and_then(|i| by_id.get(i)).map(|&(_, track)| track);
        let state = track.and_then(|t| so_far.get_mut(t as usize));
        let (Some(track), Some(state), Some(channel)) = (track, state, channel_of(id)) else {
            return Err(r.invalid_at(at, "a key belongs to no track"));
        };
        let in_clip = header.normalised_times || u32::from(time) < info.frames;
        r.rule(in_clip, at, "the time of a key is past the last frame")?;
        let later = state.keys == 0 || time > state.last_time;
        r.rule(later, at, "the times of a track do not increase")?;
        // Keys 0, 1 and 2 are needed at the start, key n + 2 when segment n begins.
        let needed_at = if state.keys < 3 { 0 } else { state.needed_at };
        let place = (needed_at, id, state.keys);
        let in_order = last.is_none_or(|last| last < place);
        r.rule(
            in_order,
            at,
            "the keys are not sorted by when they are needed",
        )?;
        last = Some(place);
        *state = TrackSoFar {
            keys: state.keys.saturating_add(1),
            last_time: time,
            needed_at: state.last_time,
        };
        let value_bytes = key_bytes(channel, header.short_rotations).saturating_sub(4);
        r.take(value_bytes)?;
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        stream.push(StreamKey { track, at });
    }
    Ok(stream)
}

/// Sorts keys by track, keeping their order: where each track starts, and the offsets.
fn by_track(stream: &[StreamKey], tracks: usize) -> (Vec<u32>, Vec<u32>) {
    let mut first = vec![0_u32; tracks.saturating_add(1)];
    for key in stream {
        if let Some(count) = first.get_mut((key.track as usize).saturating_add(1)) {
            *count = count.saturating_add(1);
        }
    }
    let mut sum = 0_u32;
    for entry in &mut first {
        sum = sum.saturating_add(*entry);
        *entry = sum;
    }
    let mut next = first.clone();
    let mut at = vec![0; stream.len()];
    for key in stream {
        let Some(slot) = next.get_mut(key.track as usize) else {
            continue;
        };
        if let Some(place) = at.get_mut(*slot as usize) {
            *place = key.at;
        }
        *slot = slot.saturating_add(1);
    }
    (first, at)
}
