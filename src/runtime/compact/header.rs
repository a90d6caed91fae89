//! The headers of curves, and the numbers that they share.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::super::Error;
use super::super::bytes::Reader;
use super::bits::{Bits, Rice, unzigzag, zigzag};
use super::curve::{Component, Curve, Fields, Mode, Predictor, State};
use super::values::{self, BASIS_BITS, REFERENCE_BITS, small_rotation, step};

/// A number of headers, told by its difference from the same number the time before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    last: i32,
    mean: Rice,
}

impl Running {
    fn new(last: i32, start: u32) -> Self {
        Self {
            last,
            mean: Rice::new(start),
        }
    }

    /// What stands in the Golomb-Rice code of [`Running::mean`] for a value, which becomes the last one.
    pub fn fold(&mut self, value: u32) -> u32 {
        let number = zigzag((value as i32).wrapping_sub(self.last));
        self.last = value as i32;
        number
    }

    /// The code's mean.
    pub fn mean(&mut self) -> &mut Rice {
        &mut self.mean
    }

    /// The inverse of [`Running::fold`]; `None` beyond `most`.
    fn unfold(&mut self, number: u32, most: u32) -> Option<u32> {
        self.last = self.last.wrapping_add(unzigzag(number));
        u32::try_from(self.last).ok().filter(|&v| v <= most)
    }
}

/// The numbers of headers that run from one to the next. Each has its value and its mean at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads {
    /// Steps of curves in sixteenths of an octave above the base: rotations and scales, translations.
    pub steps: [Running; 2],
    /// Steps of constants in octaves above the base, likewise.
    pub octaves: [Running; 2],
    /// Widths of the integers of constants, likewise.
    pub constant_widths: [Running; 2],
    /// Widths of the first key or the minimum.
    pub widths: Running,
    /// Starts of the means of the components.
    pub starts: [Running; 3],
    /// Starts of the mean of gaps.
    pub gaps: Running,
}

impl Heads {
    /// As they stand at the start of a section.
    pub fn new() -> Self {
        Self {
            steps: [Running::new(112, 4); 2],
            octaves: [Running::new(6, 1); 2],
            constant_widths: [Running::new(6, 1); 2],
            widths: Running::new(6, 1),
            starts: [Running::new(3, 1); 3],
            gaps: Running::new(1, 1),
        }
    }
}

impl Default for Heads {
    fn default() -> Self {
        Self::new()
    }
}

/// Largest step above the base.
pub const MAX_STEP_ABOVE: u32 = 255;

/// Most octaves of a constant's step above the base.
pub const MAX_OCTAVES: u32 = 15;

/// Widest integers of a vector.
pub const MAX_WIDTH: u32 = 31;

/// Largest start of a mean.
pub const MAX_START: u32 = 15;

/// Where in the section something is read, and how long the section is.
pub(super) struct Source<'a> {
    pub(super) bits: Bits<'a>,
    /// All bits of the section.
    pub(super) length: u32,
    pub(super) at: u32,
}

impl Source<'_> {
    pub(super) fn take(&mut self, width: u32) -> u32 {
        self.bits.take(&mut self.at, width)
    }

    /// A bit 0, or two bits of which the first is 1: 0, 1 or 2.
    pub(super) fn take_third(&mut self) -> u32 {
        if self.take(1) == 0 {
            return 0;
        }
        self.take(1).saturating_add(1)
    }

    /// A number that runs from header to header, up to `most`.
    pub(super) fn take_running(
        &mut self,
        running: &mut Running,
        most: u32,
        r: &Reader<'_>,
    ) -> Result<u32, Error> {
        let number = self.bits.take_rice(&mut self.at, running.mean());
        let value = running.unfold(number, most);
        value.ok_or_else(|| self.invalid(r, "a number of a header is out of its range"))
    }

    /// Three components with a common width, which stands before them.
    pub(super) fn take_vector(
        &mut self,
        width: &mut Running,
        r: &Reader<'_>,
    ) -> Result<[i32; 3], Error> {
        let width = self.take_running(width, MAX_WIDTH, r)?;
        Ok([(); 3].map(|()| self.bits.take_signed(&mut self.at, width)))
    }

    /// Fails if more has been read than there is.
    pub(super) fn check(&self, r: &Reader<'_>) -> Result<(), Error> {
        if self.at <= self.length {
            return Ok(());
        }
        let offset = r.offset().saturating_add(r.left());
        Err(Error::SectionTooShort {
            section: "animation".to_owned(),
            offset: offset as u64,
        })
    }

    /// The rule is broken by what stands at the next bit.
    pub(super) fn invalid(&self, r: &Reader<'_>, rule: &'static str) -> Error {
        let byte = (self.at.min(self.length) >> 3) as usize;
        r.invalid_at(r.offset().saturating_add(byte), rule)
    }
}

/// What a curve's header needs to know besides its bits.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) r: &'a Reader<'a>,
    /// Code of the smallest step, and which of the steps is meant.
    pub(super) base: u32,
    pub(super) kind: usize,
    /// The only curve of a rotation: it has a reference.
    pub(super) refers: bool,
    /// Whether each curve says if it is closed.
    pub(super) cycle: bool,
    pub(super) last_frame: u32,
}

/// A curve whose header has been read.
pub(super) struct Header {
    pub(super) curve: Curve,
    /// The decoder at the first key.
    pub(super) first: State,
    /// The rotation that its parameters are about, if it is not the rest pose's.
    pub(super) reference: Option<[f32; 4]>,
}

impl Header {
    pub(super) fn parse(
        source: &mut Source<'_>,
        heads: &mut Heads,
        around: &Around<'_>,
    ) -> Result<Self, Error> {
        let (r, start) = (around.r, source.at);
        let mode = Mode::ALL.get(source.take(2) as usize);
        let fields = Fields::ALL.get(source.take_third() as usize);
        let (Some(&mode), Some(&fields)) = (mode, fields) else {
            return Err(source.invalid(r, "a curve has a form that is not known"));
        };
        let axes = source.take_third();
        let closed = around.cycle && source.take(1) == 1;
        let [turns, moves] = &mut heads.steps;
        let steps = if around.kind == 0 { turns } else { moves };
        let above = source.take_running(steps, MAX_STEP_ABOVE, r)?;
        let own = around.refers && source.take(1) == 0;
        let reference = own.then(|| {
            let code = source.take(2 + 3 * REFERENCE_BITS);
            small_rotation(code, REFERENCE_BITS)
        });
        let basis = (axes > 0).then(|| source.take(2 + 3 * BASIS_BITS));
        let stretch = if axes == 1 {
            [source.take(4), source.take(4), 0]
        } else {
            [0; 3]
        };
        let minimum = source.take_vector(&mut heads.widths, r)?;
        let (components, means) = take_fields(source, heads, fields, r)?;
        let gaps = if mode == Mode::Dense {
            0
        } else {
            source.take_running(&mut heads.gaps, MAX_START, r)?
        };
        source.check(r)?;
        let mut curve = Curve {
            mode,
            components,
            minimum,
            columns: values::columns(step(around.base.saturating_add(above)), basis, stretch),
            last_frame: around.last_frame,
            closing: None,
            across: None,
            keys: 1,
            start,
            end: 0,
            snapshots: 0..0,
        };
        let mut first = State {
            at: source.at,
            frames: [0; 2],
            values: [minimum; 2],
            means,
            gaps: Rice::new(gaps),
        };
        if fields == Fields::Fixed {
            curve.read_values(source.bits, &mut first, [0; 2]);
            let [_, value] = first.values;
            first.values = [value; 2];
        }
        let [_, value] = first.values;
        curve.closing = closed.then_some(value);
        Ok(Self {
            curve,
            first,
            reference,
        })
    }
}

/// How each component is stored, and the starts of the means.
fn take_fields(
    source: &mut Source<'_>,
    heads: &mut Heads,
    fields: Fields,
    r: &Reader<'_>,
) -> Result<([Component; 3], [Rice; 3]), Error> {
    let mut means = [Rice::new(0); 3];
    if fields == Fields::Fixed {
        let width = if source.take(1) == 1 { 5 } else { 4 };
        let components = [(); 3].map(|()| match source.take(width) {
            0 => Component::Constant,
            bits => Component::Fixed(bits),
        });
        return Ok((components, means));
    }
    let predictor = |source: &mut Source<'_>| {
        let number = source.take(Predictor::BITS) as usize;
        // Three bits name every predictor.
        Predictor::ALL
            .get(number)
            .copied()
            .unwrap_or(Predictor::LAST)
    };
    let shared = (fields == Fields::Shared).then(|| predictor(source));
    let constant = if source.take(1) == 1 {
        source.take(3)
    } else {
        0
    };
    let mut components = [Component::Constant; 3];
    let places = components.iter_mut().zip(&mut means).zip(&mut heads.starts);
    for (c, ((component, mean), start)) in places.enumerate() {
        if (constant >> c) & 1 == 1 {
            continue;
        }
        *mean = Rice::new(source.take_running(start, MAX_START, r)?);
        *component = Component::Rice(shared.unwrap_or_else(|| predictor(source)));
    }
    Ok((components, means))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_numbers_have_an_inverse() {
        let (mut writer, mut reader) = (Running::new(6, 1), Running::new(6, 1));
        for value in [6, 7, 0, 31, 30, 30] {
            let number = writer.fold(value);
            assert_eq!(reader.unfold(number, 31), Some(value));
        }
        assert_eq!(reader.unfold(zigzag(2), 31), None);
        assert_eq!(Running::new(0, 0).unfold(zigzag(-1), 31), None);
    }
}
