//! Segments between keys: what each key around one weighs, and which segments a few keys shape.

use glam::DVec3;

/// How a curve runs between its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Course {
    /// Straight lines.
    Linear,
    /// Catmull-Rom with the slope of the parabola through three keys; the chord where there are only two.
    Spline,
}

/// What comes before the first key and after the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ends {
    /// Nothing.
    Open,
    /// The curve again: the last key has the value of the first, and splines run on from one to the other.
    Joined,
}

/// The weights of the keys around a segment, at any frame in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// The keys before, at the start, at the end and after; one that is missing is told twice and weighs nothing.
    pub(super) keys: [usize; 4],
    start: f64,
    pub(super) per_frame: f64,
    /// Tangent at the start: weight of the difference before, and of the difference in the segment.
    pub(super) start_slope: [f64; 2],
    /// Tangent at the end: weight of the difference in the segment, and of the one after.
    pub(super) end_slope: [f64; 2],
    course: Course,
}

impl Span {
    /// The segment between keys `i` and `i + 1`.
    #[inline]
    pub(super) fn new(course: Course, ends: Ends, frames: &[u32], i: usize) -> Self {
        let gap = |k: usize| f64::from(frames[k + 1] - frames[k]);
        let h = gap(i);
        let slope = |n: f64| [h * h / (n * (n + h)), n / (n + h)];
        let last = frames.len() - 1;
        let (before, after) = match ends {
            Ends::Open => (i.checked_sub(1), (i + 2 <= last).then_some(i + 2)),
            Ends::Joined => (
                Some(if i == 0 { last - 1 } else { i - 1 }),
                Some(if i + 1 == last { 1 } else { i + 2 }),
            ),
        };
        let mut start_slope = [0.0, 1.0];
        let mut end_slope = [1.0, 0.0];
        if course == Course::Spline {
            if let Some(before) = before {
                start_slope = slope(gap(before));
            }
            if let Some(after) = after {
                let [outer, own] = slope(gap(after - 1));
                end_slope = [own, outer];
            }
        }
        Self {
            keys: [before.unwrap_or(i), i, i + 1, after.unwrap_or(i + 1)],
            start: f64::from(frames[i]),
            per_frame: 1.0 / h,
            start_slope,
            end_slope,
            course,
        }
    }

    /// The weights of the four keys at a frame.
    #[inline]
    pub(super) fn weights(&self, frame: usize) -> [f64; 4] {
        let u = (frame as f64 - self.start) * self.per_frame;
        if self.course == Course::Linear {
            return [0.0, 1.0 - u, u, 0.0];
        }
        let (u2, v) = (u * u, 1.0 - u);
        let (h10, h11) = (u * v * v, -u2 * v);
        let h01 = u2 * (3.0 - 2.0 * u);
        let ([before, start], [end, after]) = (self.start_slope, self.end_slope);
        let along = start * h10 + end * h11;
        [
            -before * h10,
            1.0 - h01 + before * h10 - along,
            h01 + along - after * h11,
            after * h11,
        ]
    }

    #[inline]
    pub(super) fn value(&self, frame: usize, values: &[DVec3]) -> DVec3 {
        let keys = self.keys.iter().zip(self.weights(frame));
        keys.map(|(&key, w)| values[key] * w).sum()
    }
}

/// The frames of segment `i`: without that of its end, but for the last segment.
pub(super) fn frames_of(frames: &[u32], i: usize) -> std::ops::Range<usize> {
    let last = usize::from(i + 2 == frames.len());
    frames[i] as usize..frames[i + 1] as usize + last
}

/// Neighbouring keys that are solved while the others stay.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patch {
    first: usize,
    pub(super) count: usize,
    /// Keys of a ring, the last one being the first again.
    ring: Option<usize>,
}

impl Patch {
    /// The three keys on each side of place `i`, of so many keys.
    pub(super) fn around(i: usize, keys: usize, ends: Ends) -> Self {
        if ends == Ends::Joined {
            let ring = keys - 1;
            return Self {
                first: (i + 3 * ring - 3) % ring,
                count: ring.min(6),
                ring: Some(ring),
            };
        }
        let first = i.saturating_sub(3);
        Self {
            first,
            count: (i + 2).min(keys - 1) + 1 - first,
            ring: None,
        }
    }

    /// The key that is an unknown.
    pub(super) fn key(&self, unknown: usize) -> usize {
        let key = self.first + unknown;
        self.ring.map_or(key, |ring| key % ring)
    }

    /// Which unknown a key is.
    pub(super) fn unknown(&self, key: usize) -> Option<usize> {
        let place = match self.ring {
            Some(ring) => (key + ring - self.first) % ring,
            None => key.checked_sub(self.first)?,
        };
        (place < self.count).then_some(place)
    }

    /// Gives its keys their values.
    pub(super) fn put(&self, solved: &[DVec3], values: &mut [DVec3]) {
        for (unknown, &value) in solved.iter().enumerate() {
            values[self.key(unknown)] = value;
        }
        if let Some(last) = self.ring {
            values[last] = values[0];
        }
    }

    /// The segments that its keys shape, of so many.
    pub(super) fn spans(&self, spans: usize) -> Vec<usize> {
        match self.ring {
            Some(ring) => (0..ring.min(self.count + 3))
                .map(|s| (self.first + 2 * ring - 2 + s) % ring)
                .collect(),
            None => {
                (self.first.saturating_sub(2)..(self.first + self.count + 1).min(spans)).collect()
            }
        }
    }
}
