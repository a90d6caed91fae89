//! Named float curves: the section `scalars`.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::bytes::{Reader, f32_at, f64_at};
use super::{ClipInfo, Error, Extent, MAX_VALUE};

/// Scalar flag: the value holds until the next one; otherwise straight lines run between them.
pub const SCALAR_STEP: u8 = 1;

/// Scalar flag: values have times; otherwise there is one for each frame.
pub const SCALAR_KEYED: u8 = 2;

#[derive(Clone, Debug)]
pub(super) struct Scalar {
    pub(super) name: String,
    step: bool,
    keyed: bool,
    count: usize,
    /// Offset in the file of the times, if keyed, else of the values.
    at: usize,
}

pub(super) fn parse(mut r: Reader<'_>, info: &ClipInfo) -> Result<Vec<Scalar>, Error> {
    let count = usize::from(r.u16()?);
    // Each takes eleven bytes or more.
    if r.left() < count.saturating_mul(11) {
        return Err(r.invalid("the section is too short for its curves"));
    }
    let mut scalars = Vec::with_capacity(count);
    for _ in 0..count {
        scalars.push(parse_one(&mut r, info)?);
    }
    r.end()?;
    Ok(scalars)
}

fn parse_one(r: &mut Reader<'_>, info: &ClipInfo) -> Result<Scalar, Error> {
    let name = r.text()?.to_owned();
    let at = r.offset();
    let flags = r.u8()?;
    r.rule(
        flags & !(SCALAR_STEP | SCALAR_KEYED) == 0,
        at,
        "a curve has a flag that version 1 has not",
    )?;
    let keyed = flags & SCALAR_KEYED != 0;
    let at = r.offset();
    let count = r.u32()?;
    let fits = if keyed {
        count > 0
    } else {
        count == info.frames
    };
    r.rule(
        fits,
        at,
        "a curve has not one value for each frame, or no key",
    )?;
    let count = count as usize;
    let start = r.offset();
    if keyed {
        check_times(r, count)?;
    }
    let at = r.offset();
    let mut values = r.take_items(count, 4)?.chunks_exact(4);
    let bounded = values.all(|v| f32_at(v, 0).is_some_and(|v| v.abs() <= MAX_VALUE));
    r.rule(bounded, at, "a value is not finite or larger than 1e15")?;
    Ok(Scalar {
        name,
        step: flags & SCALAR_STEP != 0,
        keyed,
        count,
        at: start,
    })
}

fn check_times(r: &mut Reader<'_>, count: usize) -> Result<(), Error> {
    let at = r.offset();
    let mut last = f64::NEG_INFINITY;
    for time in r.take_items(count, 8)?.chunks_exact(8) {
        let time = f64_at(time, 0).unwrap_or(f64::NAN);
        r.rule(
            time > last && time.abs() <= 1e12,
            at,
            "the times of a curve do not increase or are not finite",
        )?;
        last = time;
    }
    Ok(())
}

impl Scalar {
    /// The value at a time.
    pub(super) fn value(&self, bytes: &[u8], info: &ClipInfo, secs: f64, extent: Extent) -> f32 {
        let (frame, fraction) = info.locate(secs, extent);
        if !self.keyed {
            return self.blend(bytes, frame as usize, f64::from(fraction));
        }
        let secs = match extent {
            Extent::Clamp => secs,
            Extent::Wrap => info.secs(f64::from(frame) + f64::from(fraction)),
        };
        let Some(left) = self.last_key_at(bytes, secs) else {
            return self.blend(bytes, 0, 0.0);
        };
        let (start, end) = (
            self.time(bytes, left),
            self.time(bytes, left.saturating_add(1)),
        );
        let u = match (start, end) {
            (Some(start), Some(end)) => (secs - start) / (end - start),
            _ => 0.0,
        };
        self.blend(bytes, left, u)
    }

    fn time(&self, bytes: &[u8], key: usize) -> Option<f64> {
        if key >= self.count {
            return None;
        }
        f64_at(bytes, self.at.saturating_add(key.saturating_mul(8)))
    }

    /// The last key at or before a time; `None` before the first, or when the time is not a number.
    fn last_key_at(&self, bytes: &[u8], secs: f64) -> Option<usize> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low.midpoint(high);
            if self.time(bytes, middle).is_some_and(|t| t <= secs) {
                low = middle.saturating_add(1);
            } else {
                high = middle;
            }
        }
        low.checked_sub(1)
    }

    fn blend(&self, bytes: &[u8], left: usize, u: f64) -> f32 {
        let times = if self.keyed {
            self.count.saturating_mul(8)
        } else {
            0
        };
        let value = |i: usize| {
            let i = i.min(self.count.saturating_sub(1));
            let at = times.saturating_add(i.saturating_mul(4));
            f32_at(bytes, self.at.saturating_add(at)).unwrap_or(0.0)
        };
        let a = value(left);
        if self.step || !(u > 0.0) {
            return a;
        }
        let b = value(left.saturating_add(1));
        (f64::from(a) + (f64::from(b) - f64::from(a)) * u) as f32
    }
}
