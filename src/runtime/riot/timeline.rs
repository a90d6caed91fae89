//! When tracks enter their segments: what a cursor walks over, and where it may start.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::Riot;

/// All events of a clip in order of time. An event says that a track enters its next segment.
///
/// A cursor is a number of events done. It moves by doing or undoing events, one after the other; a jump
/// starts from the nearest snapshot before it. So moving costs what happens on the way, and a jump what
/// happens between two snapshots, which is about one event a track whatever the clip's length.
///
/// Memory: 4 bytes an event and 2 bytes a track and snapshot; with one snapshot for as many events as there
/// are tracks that is 6 bytes an event and 2 a track, less than the keys take in the file.
#[derive(Clone, Debug)]
pub(super) struct Timeline {
    /// Key time as stored in the upper half, track in the lower half; sorted.
    events: Vec<u32>,
    frames_per_time: f32,
    /// Events between two snapshots.
    stride: usize,
    /// The event before each snapshot but the first.
    snapshot_events: Vec<u32>,
    /// The segments of all tracks after 0, `stride`, 2 `stride` ... events.
    snapshots: Vec<u16>,
    tracks: usize,
}

impl Timeline {
    /// Cost: sorts the events, which are nearly as many as the keys.
    pub(super) fn new(riot: &Riot, bytes: &[u8]) -> Self {
        let tracks = riot.tracks.len();
        let mut events = Vec::new();
        for track in 0..tracks {
            let first = riot.keys(track).start;
            for segment in 1..=riot.last_segment(track) {
                let time = riot.raw_time(bytes, first.saturating_add(usize::from(segment)));
                // Ids are 16 bits, so there are fewer than 2^16 tracks.
                events.push((u32::from(time) << 16) | (track as u32 & 0xFFFF));
            }
        }
        events.sort_unstable();
        let mut timeline = Self {
            events,
            frames_per_time: riot.frames_per_time,
            stride: tracks.max(32),
            snapshot_events: Vec::new(),
            snapshots: Vec::new(),
            tracks,
        };
        timeline.take_snapshots();
        timeline
    }

    fn take_snapshots(&mut self) {
        let mut segments = vec![0_u16; self.tracks];
        self.snapshots.extend_from_slice(&segments);
        for stretch in self.events.chunks_exact(self.stride) {
            for &event in stretch {
                if let Some(segment) = segments.get_mut(track_of(event)) {
                    *segment = segment.saturating_add(1);
                }
            }
            self.snapshot_events.extend(stretch.last());
            self.snapshots.extend_from_slice(&segments);
        }
    }

    /// Position in frames of the `n`-th event.
    fn time_of(&self, event: u32) -> f32 {
        (event >> 16) as f32 * self.frames_per_time
    }

    /// The track of the next event, if it lies at or before `position`.
    pub(super) fn next(&self, done: usize, position: f32) -> Option<usize> {
        let &event = self.events.get(done)?;
        (self.time_of(event) <= position).then(|| track_of(event))
    }

    /// The track of the last event that was done, if it lies behind `position`.
    pub(super) fn undo(&self, done: usize, position: f32) -> Option<usize> {
        let &event = self.events.get(done.checked_sub(1)?)?;
        (self.time_of(event) > position).then(|| track_of(event))
    }

    /// The last snapshot at or before a position: how many events are done, and the tracks' segments.
    pub(super) fn snapshot(&self, position: f32) -> (usize, &[u16]) {
        let passed = |&event: &u32| self.time_of(event) <= position;
        let index = self.snapshot_events.partition_point(passed);
        let start = index.saturating_mul(self.tracks);
        let segments = self.snapshots.get(start..start.saturating_add(self.tracks));
        (
            index.saturating_mul(self.stride),
            segments.unwrap_or_default(),
        )
    }
}

fn track_of(event: u32) -> usize {
    (event & 0xFFFF) as usize
}
