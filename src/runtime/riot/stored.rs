//! What a section of the codec `riot` can be asked, and single tracks.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::super::animation::{At, Place, Stored};
use super::super::bytes::Reader;
use super::super::lanes::{Evaluate, Group};
use super::super::order::Order;
use super::super::view::{Key, set_channel};
use super::super::{Channel, ClipInfo, Error, Tangents, Transform};
use super::timeline::Timeline;
use super::{RANGE_BYTES, ReadKey, Riot, constant_bytes, key_bytes};
use std::ops::Range;

/// A block and the events that a cursor walks over.
#[derive(Clone, Debug)]
pub(in super::super) struct RiotIndex {
    pub(super) riot: Riot,
    pub(super) timeline: Timeline,
}

impl RiotIndex {
    /// `r` stands behind the codec's byte.
    pub(in super::super) fn parse(
        r: Reader<'_>,
        info: &ClipInfo,
        order: &Order,
        ranks: Range<usize>,
        bytes: &[u8],
    ) -> Result<Self, Error> {
        let riot = Riot::parse(r, info, order, ranks)?;
        let timeline = Timeline::new(&riot, bytes);
        Ok(Self { riot, timeline })
    }

    /// One track through the code that the whole pose goes through, with one lane.
    fn lane_value<const C: usize>(&self, bytes: &[u8], track: usize, at: At) -> [f32; C]
    where
        Group<C, 1>: Evaluate<C, 1>,
        Riot: ReadKey<C>,
    {
        let step = self.holds(track);
        let group_at = |position: f32| {
            let segment = self.riot.find_segment(bytes, track, position);
            let mut group = Group::<C, 1>::new();
            let window = self.riot.window(bytes, track, segment);
            group.set(0, &window, self.riot.tangents, step);
            group
        };
        let (frame, fraction) = (at.frame as f32, at.fraction);
        let values = if at.smooth {
            group_at(frame + fraction).values(frame, fraction)
        } else if fraction == 0.0 {
            group_at(frame).values(frame, 0.0)
        } else {
            let (now, next) = (group_at(frame), group_at(frame + 1.0));
            let (a, b) = (now.values(frame, 0.0), next.values(frame + 1.0, 0.0));
            now.between(&a, &b, &Group::<C, 1>::arc(&a, &b), fraction)
        };
        values.map(|[value]| value)
    }

    fn channel(&self, track: usize) -> Channel {
        let stored = self.riot.tracks.get(track);
        stored.map_or(Channel::Rotation, |t| t.channel)
    }
}

fn four([x, y, z]: [f32; 3]) -> [f32; 4] {
    [x, y, z, 0.0]
}

impl Stored for RiotIndex {
    fn tracks(&self) -> Vec<Place> {
        let tracks = self.riot.tracks.iter();
        tracks.map(|t| (t.joint, t.channel)).collect()
    }

    fn constants(&self) -> Vec<Place> {
        let constants = self.riot.constants.iter();
        constants.map(|c| (c.joint, c.channel)).collect()
    }

    fn resolve(&mut self, _: &[Transform], _: &[f32], base: &mut [Transform]) {
        for constant in &self.riot.constants {
            if let Some(joint) = base.get_mut(usize::from(constant.joint)) {
                set_channel(joint, constant.channel, constant.value);
            }
        }
    }

    fn tangents(&self) -> Tangents {
        self.riot.tangents
    }

    fn holds(&self, track: usize) -> bool {
        self.riot.tracks.get(track).is_some_and(|t| t.step)
    }

    fn value(&self, bytes: &[u8], track: usize, at: At, _: &Transform) -> [f32; 4] {
        match self.channel(track) {
            Channel::Rotation => self.lane_value(bytes, track, at),
            _ => four(self.lane_value(bytes, track, at)),
        }
    }

    fn constant(&self, constant: usize, _: &Transform) -> [f32; 4] {
        let constant = self.riot.constants.get(constant);
        constant.map_or([0.0; 4], |c| c.value)
    }

    fn keys(&self, bytes: &[u8], track: usize, _: &Transform) -> Vec<Key> {
        let rotation = self.channel(track) == Channel::Rotation;
        let read = |k: usize| {
            let (frame, value) = if rotation {
                self.riot.read(bytes, track, k)
            } else {
                let (frame, value) = self.riot.read(bytes, track, k);
                (frame, four(value))
            };
            Key { frame, value }
        };
        self.riot.keys(track).map(read).collect()
    }

    fn track_bytes(&self, track: usize) -> usize {
        let channel = self.channel(track);
        let range = if channel == Channel::Rotation {
            0
        } else {
            RANGE_BYTES
        };
        let key = key_bytes(channel, self.riot.short_rotations);
        let keys = self.riot.keys(track).len().saturating_mul(key);
        keys.saturating_add(range).saturating_add(2)
    }

    fn constant_bytes(&self, constant: usize) -> usize {
        let constant = self.riot.constants.get(constant);
        constant.map_or(0, |c| constant_bytes(c.channel))
    }
}
