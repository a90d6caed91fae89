//! Plays the codec `riot`: a cursor over its events and the current segments of all tracks.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::super::lanes::{Arc, Evaluate, Group, LANES, Values, columns};
use super::super::{Channel, Transform};
use super::RiotIndex as Index;
use super::ring::Ring;
use super::{ReadKey, Riot};

/// A cursor farther than this from where it should be jumps instead of walking.
const WALK_FRAMES: f32 = 8.0;

/// The part of a sampler that belongs to this codec. Playing allocates nothing.
///
/// Forward and backward cost the same: the cursor walks over the events on the way and rebuilds the cubics of
/// the tracks whose segment changed. Whichever way it came, the pose at a time is the same to the bit.
#[derive(Clone, Debug)]
pub(in super::super) struct RiotSampler {
    rotations: Bank<4>,
    vectors: Bank<3>,
    /// Place of each track in its bank.
    lanes: Vec<u16>,
    cursor: Cursor,
    /// The segment that each track's cubic was built for; `None` before the first time.
    built: Vec<Option<u16>>,
    /// Tracks whose cubic is out of date.
    changed: Vec<u16>,
    /// The frame whose values stand in the current buffer; the next frame's stand in the other.
    frame: Option<u32>,
    /// Whether the arcs are those between the two frames.
    joined: bool,
}

#[derive(Clone, Debug)]
struct Cursor {
    /// In frames.
    position: f32,
    /// Events done.
    done: usize,
    /// The segment of each track.
    segments: Vec<u16>,
}

/// All tracks with `C` components.
#[derive(Clone, Debug)]
struct Bank<const C: usize> {
    blocks: Vec<Block<C>>,
    /// For each lane of all blocks the keys around its segment, as stored.
    rings: Vec<Ring<C>>,
    /// Which of the two buffers of a block holds the earlier frame.
    earlier: Buffer,
}

#[derive(Clone, Debug)]
struct Block<const C: usize> {
    group: Group<C, LANES>,
    first: Values<C, LANES>,
    second: Values<C, LANES>,
    /// From the earlier to the later of the two.
    arc: Arc<LANES>,
    /// Where each lane goes.
    slots: [Slot; LANES],
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    joint: u16,
    channel: Channel,
}

impl Slot {
    /// Past the last joint that a file can have: a lane without a track.
    const NONE: Self = Self {
        joint: u16::MAX,
        channel: Channel::Rotation,
    };
}

/// A track that is to be built.
#[derive(Clone, Copy, Debug)]
struct Place {
    track: usize,
    segment: u16,
    step: bool,
    channel: Channel,
    /// Within all lanes of the bank.
    lane: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Buffer {
    First,
    Second,
}

impl Buffer {
    fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

impl<const C: usize> Bank<C>
where
    Group<C, LANES>: Evaluate<C, LANES>,
{
    fn new(slots: &[Slot]) -> Self {
        let block = |slots: &[Slot]| {
            let mut block = Block {
                group: Group::new(),
                first: [[0.0; LANES]; C],
                second: [[0.0; LANES]; C],
                arc: Arc::NONE,
                slots: [Slot::NONE; LANES],
            };
            for (place, &slot) in block.slots.iter_mut().zip(slots) {
                *place = slot;
            }
            block
        };
        Self {
            blocks: slots.chunks(LANES).map(block).collect(),
            rings: vec![Ring::EMPTY; slots.len()],
            earlier: Buffer::First,
        }
    }

    /// Reads the keys around a track's segment; `built` is the segment that its ring is of, if any.
    #[inline]
    fn read(&mut self, index: &Index, bytes: &[u8], place: Place, built: Option<u16>)
    where
        Riot: ReadKey<C>,
    {
        if let Some(ring) = self.rings.get_mut(usize::from(place.lane)) {
            ring.show(&index.riot, bytes, place.track, place.segment, built);
        }
    }

    /// Builds the cubic of a track's segment from the keys that were read.
    #[inline]
    fn build(&mut self, index: &Index, place: Place) {
        let lane = usize::from(place.lane);
        if let (Some(ring), Some(block)) = (self.rings.get(lane), self.blocks.get_mut(lane / LANES))
        {
            let tangents = index.riot.tangents;
            let lane = lane % LANES;
            block.group.set(lane, &ring.window(), tangents, place.step);
        }
    }

    fn fill(&mut self, buffer: Buffer, frame: f32) {
        for block in &mut self.blocks {
            let values = block.group.values(frame, 0.0);
            match buffer {
                Buffer::First => block.first = values,
                Buffer::Second => block.second = values,
            }
        }
    }

    /// Prepares for poses between the two frames that stand in the buffers.
    fn join(&mut self) {
        for block in &mut self.blocks {
            let (a, b) = block.frames(self.earlier);
            block.arc = Group::<C, LANES>::arc(a, b);
        }
    }

    fn write_frame(&self, out: &mut [Transform]) {
        for block in &self.blocks {
            block.write(block.frames(self.earlier).0, out);
        }
    }

    fn write_between(&self, fraction: f32, out: &mut [Transform]) {
        for block in &self.blocks {
            let (a, b) = block.frames(self.earlier);
            block.write(&block.group.between(a, b, &block.arc, fraction), out);
        }
    }

    fn write_at(&self, frame: f32, fraction: f32, out: &mut [Transform]) {
        for block in &self.blocks {
            block.write(&block.group.values(frame, fraction), out);
        }
    }
}

impl<const C: usize> Block<C>
where
    Group<C, LANES>: Evaluate<C, LANES>,
{
    /// The values at the earlier and at the later frame.
    fn frames(&self, earlier: Buffer) -> (&Values<C, LANES>, &Values<C, LANES>) {
        match earlier {
            Buffer::First => (&self.first, &self.second),
            Buffer::Second => (&self.second, &self.first),
        }
    }

    #[inline]
    fn write(&self, values: &Values<C, LANES>, out: &mut [Transform]) {
        for (slot, value) in self.slots.iter().zip(columns(values)) {
            if let Some(joint) = out.get_mut(usize::from(slot.joint)) {
                Group::<C, LANES>::put(joint, slot.channel, value);
            }
        }
    }
}

impl RiotSampler {
    /// A sampler at the start of a clip. Allocates all that it will ever need.
    pub(in super::super) fn new(index: &Index, bytes: &[u8]) -> Self {
        let tracks = &index.riot.tracks;
        let (mut rotations, mut vectors) = (Vec::new(), Vec::new());
        let mut lanes = Vec::with_capacity(tracks.len());
        for track in tracks {
            let slots = if track.channel == Channel::Rotation {
                &mut rotations
            } else {
                &mut vectors
            };
            lanes.push(slots.len() as u16);
            slots.push(Slot {
                joint: track.joint,
                channel: track.channel,
            });
        }
        let mut sampler = Self {
            rotations: Bank::new(&rotations),
            vectors: Bank::new(&vectors),
            lanes,
            cursor: Cursor {
                position: 0.0,
                done: 0,
                segments: vec![0; tracks.len()],
            },
            built: vec![None; tracks.len()],
            changed: Vec::with_capacity(tracks.len()),
            frame: None,
            joined: false,
        };
        sampler.changed.extend(0..tracks.len() as u16);
        sampler.rebuild(index, bytes);
        sampler
    }

    /// Writes the animated channels of the joints that `out` has.
    ///
    /// Cost: one evaluation of all tracks for each new frame, one interpolation, and what the cursor passes.
    pub(in super::super) fn pose(
        &mut self,
        index: &Index,
        bytes: &[u8],
        (frame, fraction): (u32, f32),
        smooth: bool,
        out: &mut [Transform],
    ) {
        self.seek(index, bytes, (frame, fraction), smooth);
        if smooth {
            self.rotations.write_at(frame as f32, fraction, out);
            self.vectors.write_at(frame as f32, fraction, out);
        } else {
            self.write(fraction, out);
        }
    }

    /// Moves to a position, so that the next pose near it is cheap.
    pub(in super::super) fn seek(
        &mut self,
        index: &Index,
        bytes: &[u8],
        (frame, fraction): (u32, f32),
        smooth: bool,
    ) {
        if smooth {
            self.move_to(index, bytes, frame as f32 + fraction);
        } else {
            self.show_frame(index, bytes, frame);
        }
    }

    /// Writes the pose at the shown frame or on the way to the next; on a frame nothing is interpolated.
    fn write(&mut self, fraction: f32, out: &mut [Transform]) {
        if fraction == 0.0 {
            self.rotations.write_frame(out);
            self.vectors.write_frame(out);
            return;
        }
        if !self.joined {
            self.rotations.join();
            self.vectors.join();
            self.joined = true;
        }
        self.rotations.write_between(fraction, out);
        self.vectors.write_between(fraction, out);
    }

    /// Makes the buffers hold `frame` and the one after it, reusing what they have.
    fn show_frame(&mut self, index: &Index, bytes: &[u8], frame: u32) {
        if self.frame == Some(frame) {
            return;
        }
        let next = frame.saturating_add(1);
        let shown_next = self.frame.map(|f| f.saturating_add(1));
        if shown_next == Some(frame) {
            self.swap_buffers();
            self.fill(index, bytes, self.rotations.earlier.other(), next);
        } else if self.frame == Some(next) {
            self.swap_buffers();
            self.fill(index, bytes, self.rotations.earlier, frame);
        } else {
            self.fill(index, bytes, self.rotations.earlier, frame);
            self.fill(index, bytes, self.rotations.earlier.other(), next);
        }
        self.joined = false;
        self.frame = Some(frame);
    }

    fn swap_buffers(&mut self) {
        self.rotations.earlier = self.rotations.earlier.other();
        self.vectors.earlier = self.vectors.earlier.other();
    }

    fn fill(&mut self, index: &Index, bytes: &[u8], buffer: Buffer, frame: u32) {
        self.move_to(index, bytes, frame as f32);
        self.rotations.fill(buffer, frame as f32);
        self.vectors.fill(buffer, frame as f32);
    }

    /// Brings the cubics of all tracks to a position in frames.
    fn move_to(&mut self, index: &Index, bytes: &[u8], position: f32) {
        if (position - self.cursor.position).abs() > WALK_FRAMES {
            self.jump(index, position);
        }
        self.walk(index, position);
        self.cursor.position = position;
        self.rebuild(index, bytes);
    }

    fn jump(&mut self, index: &Index, position: f32) {
        let (done, segments) = index.timeline.snapshot(position);
        if segments.len() == self.cursor.segments.len() {
            self.cursor.segments.copy_from_slice(segments);
            self.cursor.done = done;
        }
        let states = self.cursor.segments.iter().zip(&self.built);
        let tracks = (0_u16..).zip(states);
        let changed = tracks.filter(|(_, (segment, built))| Some(**segment) != **built);
        self.changed.extend(changed.map(|(track, _)| track));
    }

    fn walk(&mut self, index: &Index, position: f32) {
        while let Some(track) = index.timeline.next(self.cursor.done, position) {
            self.cursor.done = self.cursor.done.saturating_add(1);
            self.change(track, |segment| segment.saturating_add(1));
        }
        while let Some(track) = index.timeline.undo(self.cursor.done, position) {
            self.cursor.done = self.cursor.done.saturating_sub(1);
            self.change(track, |segment| segment.saturating_sub(1));
        }
    }

    fn change(&mut self, track: usize, step: impl Fn(u16) -> u16) {
        let (Some(segment), Some(built)) =
            (self.cursor.segments.get_mut(track), self.built.get(track))
        else {
            return;
        };
        if Some(*segment) == *built {
            self.changed.push(track as u16);
        }
        *segment = step(*segment);
    }

    /// Builds the cubics of the tracks whose segment changed.
    ///
    /// First all keys are read, then all cubics are built: short loops, whose rounds overlap.
    fn rebuild(&mut self, index: &Index, bytes: &[u8]) {
        let mut changed = std::mem::take(&mut self.changed);
        for &track in &changed {
            let Some(place) = self.place(index, track) else {
                continue;
            };
            let built = self.built.get_mut(place.track);
            let built = built.and_then(|built| built.replace(place.segment));
            match place.channel {
                Channel::Rotation => self.rotations.read(index, bytes, place, built),
                _ => self.vectors.read(index, bytes, place, built),
            }
        }
        for &track in &changed {
            let Some(place) = self.place(index, track) else {
                continue;
            };
            match place.channel {
                Channel::Rotation => self.rotations.build(index, place),
                _ => self.vectors.build(index, place),
            }
        }
        changed.clear();
        self.changed = changed;
    }

    fn place(&self, index: &Index, track: u16) -> Option<Place> {
        let track = usize::from(track);
        let stored = index.riot.tracks.get(track)?;
        Some(Place {
            track,
            segment: *self.cursor.segments.get(track)?,
            step: stored.step,
            channel: stored.channel,
            lane: *self.lanes.get(track)?,
        })
    }
}
