//! The keys around a track's current segment.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::super::spline::Window;
use super::{ReadKey, Riot};

/// The four keys of a [`Window`] in a ring: moving on by one segment writes one key and copies none.
#[derive(Clone, Debug)]
pub(super) struct Ring<const C: usize> {
    values: [[f32; C]; 4],
    times: [f32; 4],
    /// Where the key before the segment stands; the others follow.
    head: u8,
    has_previous: bool,
    has_next: bool,
}

/// Which way a ring moves.
#[derive(Clone, Copy, Debug)]
enum Towards {
    Earlier,
    Later,
}

impl Towards {
    /// The way from a segment to another one, if that is the next or the one before.
    fn neighbour(from: u16, to: u16) -> Option<Self> {
        if from.checked_add(1) == Some(to) {
            Some(Self::Later)
        } else if to.checked_add(1) == Some(from) {
            Some(Self::Earlier)
        } else {
            None
        }
    }
}

impl<const C: usize> Ring<C> {
    pub(super) const EMPTY: Self = Self {
        values: [[0.0; C]; 4],
        times: [0.0; 4],
        head: 0,
        has_previous: false,
        has_next: false,
    };

    /// Makes the ring hold the keys around `segment`; it holds those around `built`, if any.
    #[inline]
    pub(super) fn show(
        &mut self,
        riot: &Riot,
        bytes: &[u8],
        track: usize,
        segment: u16,
        built: Option<u16>,
    ) where
        Riot: ReadKey<C>,
    {
        match built.and_then(|built| Towards::neighbour(built, segment)) {
            Some(towards) => self.slide(riot, bytes, track, segment, towards),
            None => self.set(riot.window(bytes, track, segment)),
        }
    }

    fn set(&mut self, window: Window<f32, C>) {
        *self = Self {
            values: window.values,
            times: window.times,
            head: 0,
            has_previous: window.has_previous,
            has_next: window.has_next,
        };
    }

    /// Reads the one key that comes in; it takes the place of the one that goes out.
    #[inline]
    fn slide(&mut self, riot: &Riot, bytes: &[u8], track: usize, segment: u16, towards: Towards)
    where
        Riot: ReadKey<C>,
    {
        let keys = riot.keys(track);
        let start = keys.start.saturating_add(usize::from(segment));
        let (last, next) = (keys.end.saturating_sub(1), start.saturating_add(2));
        let (key, slot, head) = match towards {
            Towards::Later => (next.min(last), self.head, self.head.wrapping_add(1)),
            Towards::Earlier => {
                let before = self.head.wrapping_sub(1);
                (start.saturating_sub(1).max(keys.start), before, before)
            }
        };
        let (time, value) = riot.read(bytes, track, key);
        let slot = usize::from(slot & 3);
        if let (Some(t), Some(v)) = (self.times.get_mut(slot), self.values.get_mut(slot)) {
            (*t, *v) = (time, value);
        }
        self.head = head;
        (self.has_previous, self.has_next) = (segment > 0, next <= last);
    }

    /// The keys in order.
    #[inline]
    pub(super) fn window(&self) -> Window<f32, C> {
        let slots = [0, 1, 2, 3].map(|i| usize::from(self.head.wrapping_add(i) & 3));
        Window {
            values: slots.map(|slot| self.values.get(slot).copied().unwrap_or([0.0; C])),
            times: slots.map(|slot| self.times.get(slot).copied().unwrap_or_default()),
            has_previous: self.has_previous,
            has_next: self.has_next,
        }
    }
}
