//! A curve as it is stored, with the cheapest layout of its integers.

use super::bits::{Sink, rice_bits, signed_width, width};
use crate::runtime::compact::{
    BASIS_BITS, Fields, Mode, Predictor, REFERENCE_BITS, Rice, columns, step, zigzag,
};
use glam::DMat3;

/// The rotation that a curve's parameters are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reference {
    /// None: the curve is no rotation by itself.
    None,
    /// That of the rest pose.
    Rest,
    /// One of its own, by its code.
    Own(u32),
}

/// The directions and the steps of a curve's integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lattice {
    /// Code of the step.
    pub(super) step: u32,
    /// Code of the rotation of the axes.
    pub(super) basis: Option<u32>,
    /// Half octaves by which the steps of the first two components are larger.
    pub(super) stretch: [u32; 2],
}

impl Lattice {
    /// The matrix that leads from integers to track space, exactly as a player has it.
    pub(super) fn columns(&self) -> DMat3 {
        let [x, y] = self.stretch;
        let columns = columns(step(self.step), self.basis, [x, y, 0]);
        DMat3::from_cols_array_2d(&columns.map(|c| c.map(f64::from)))
    }

    fn form(&self) -> u32 {
        match (self.basis, self.stretch) {
            (None, _) => 0,
            (Some(_), [0, 0]) => 1,
            (Some(_), _) => 2,
        }
    }

    /// Bits of the header that depend on the basis.
    fn bits(&self) -> u32 {
        [0, 2 + 3 * BASIS_BITS, 2 + 3 * BASIS_BITS + 8][self.form() as usize]
    }
}

/// How the integers are laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Packing {
    fields_kind: Fields,
    /// How each component is predicted, unless the fields are fixed.
    predictors: [Predictor; 3],
    /// The first key, or the minimum.
    first: [i32; 3],
    /// Widths, or starts of the means with 15 for constant components.
    fields: [u32; 3],
    /// Start of the mean of gaps.
    gap_start: u32,
    /// Bits of all that depends on the keys.
    pub(super) bits: u32,
}

/// Everything that is written of a curve.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StoredCurve {
    pub(super) mode: Mode,
    pub(super) lattice: Lattice,
    pub(super) reference: Reference,
    /// One for each key; for dense curves all frames.
    pub(super) frames: Vec<u32>,
    pub(super) keys: Vec<[i32; 3]>,
    pub(super) packing: Packing,
    /// Frames of the clip less one.
    pub(super) last_frame: u32,
    /// Whether the last key is the first again, and not stored; `None` where no curve of the file is.
    pub(super) closed: Option<bool>,
}

/// Code of mean with which constant components are marked.
const CONSTANT: u32 = 15;

impl Packing {
    /// The layout that takes the fewest bits; `None` for what cannot be stored: a dense curve that is constant.
    ///
    /// The last key of a closed curve takes no bits but those of its gap.
    pub(super) fn cheapest(
        mode: Mode,
        frames: &[u32],
        keys: &[[i32; 3]],
        last_frame: u32,
        closed: bool,
    ) -> Option<Self> {
        let constant: [bool; 3] = std::array::from_fn(|c| keys.iter().all(|k| k[c] == keys[0][c]));
        if mode == Mode::Dense && constant == [true; 3] {
            return None;
        }
        let (gap_start, gap_bits) = if mode == Mode::Dense {
            (0, 0)
        } else {
            let (start, bits) = cheapest_start(&gaps(frames, mode, last_frame));
            (start, bits + 4)
        };
        let (frames, keys) = if closed {
            (&frames[..frames.len() - 1], &keys[..keys.len() - 1])
        } else {
            (frames, keys)
        };
        let candidates = Self::predicted(frames, keys, constant)
            .into_iter()
            .chain([Self::fixed(keys)]);
        let mut best = candidates.min_by_key(|p| p.bits)?;
        best.gap_start = gap_start;
        best.bits += gap_bits;
        Some(best)
    }

    fn fixed(keys: &[[i32; 3]]) -> Self {
        let first = std::array::from_fn(|c| keys.iter().map(|k| k[c]).min().unwrap_or(0));
        let fields = std::array::from_fn(|c| {
            let most = keys.iter().map(|k| k[c]).max().unwrap_or(0);
            width(most.wrapping_sub(first[c]) as u32)
        });
        if fields.iter().any(|&w| w > 31) {
            // Wider than a field can say: any other layout is possible and smaller.
            return Self {
                fields_kind: Fields::Fixed,
                predictors: [LAST; 3],
                first,
                fields,
                gap_start: 0,
                bits: u32::MAX / 2,
            };
        }
        let each: u32 = fields.iter().sum();
        let head = 1 + 3 * field_width(fields);
        Self {
            fields_kind: Fields::Fixed,
            predictors: [LAST; 3],
            first,
            fields,
            gap_start: 0,
            bits: vector_bits(first) + head + each * keys.len() as u32,
        }
    }

    /// With one predictor, and with one for each component.
    fn predicted(frames: &[u32], keys: &[[i32; 3]], constant: [bool; 3]) -> [Self; 2] {
        // For each component and predictor the bits and the start of the mean.
        let table: [[(u32, u32); 8]; 3] = std::array::from_fn(|c| {
            Predictor::ALL.map(|predictor| {
                if constant[c] {
                    return (0, CONSTANT);
                }
                let numbers: Vec<u32> = residuals(predictor, frames, keys, c).collect();
                let (start, bits) = cheapest_start(&numbers);
                (bits, start)
            })
        });
        let numbers = 0..Predictor::ALL.len();
        let shared = numbers
            .clone()
            .min_by_key(|&p| table.iter().map(|t| t[p].0).sum::<u32>());
        let each = table.map(|t| numbers.clone().min_by_key(|&p| t[p].0).unwrap_or(0));
        let packing = |fields_kind, chosen: [usize; 3], head: u32| Self {
            fields_kind,
            predictors: chosen.map(|p| Predictor::ALL[p]),
            first: keys[0],
            fields: std::array::from_fn(|c| table[c][chosen[c]].1),
            gap_start: 0,
            bits: vector_bits(keys[0])
                + 12
                + head
                + (0..3).map(|c| table[c][chosen[c]].0).sum::<u32>(),
        };
        let varying = constant.iter().filter(|c| !**c).count() as u32;
        [
            packing(Fields::Shared, [shared.unwrap_or(0); 3], Predictor::BITS),
            packing(Fields::Each, each, varying * Predictor::BITS),
        ]
    }
}

/// The predictor of curves that have none.
const LAST: Predictor = Predictor::ALL[2];

/// 4, or 5 where a width needs that.
fn field_width(fields: [u32; 3]) -> u32 {
    if fields.iter().any(|&w| w > 15) { 5 } else { 4 }
}

fn vector_width(v: [i32; 3]) -> u32 {
    v.into_iter().map(signed_width).max().unwrap_or(0)
}

/// Bits of a vector with its width.
pub(super) fn vector_bits(v: [i32; 3]) -> u32 {
    5 + 3 * vector_width(v)
}

/// Writes a vector with its width.
pub(super) fn put_vector(sink: &mut impl Sink, v: [i32; 3]) {
    let width = vector_width(v);
    sink.put(width, 5);
    for c in v {
        sink.put_signed(c, width);
    }
}

/// What the keys after the first one differ from their prediction by.
fn residuals(
    predictor: Predictor,
    frames: &[u32],
    keys: &[[i32; 3]],
    c: usize,
) -> impl Iterator<Item = u32> {
    (1..keys.len()).map(move |i| residual(predictor, frames, keys, c, i))
}

fn residual(predictor: Predictor, frames: &[u32], keys: &[[i32; 3]], c: usize, i: usize) -> u32 {
    let before = i.saturating_sub(2);
    let gaps = [frames[i - 1] - frames[before], frames[i] - frames[i - 1]];
    let expected = predictor.predict(keys[before][c], keys[i - 1][c], gaps);
    zigzag(keys[i][c].wrapping_sub(expected))
}

/// Frames between keys; for steps, what leads past the end.
fn gaps(frames: &[u32], mode: Mode, last_frame: u32) -> Vec<u32> {
    let mut gaps: Vec<u32> = frames.windows(2).map(|w| w[1] - w[0] - 1).collect();
    let last = frames[frames.len() - 1];
    if mode == Mode::Step && last < last_frame {
        gaps.push(last_frame - last);
    }
    gaps
}

/// The start of the mean with which numbers take the fewest bits, and those bits.
fn cheapest_start(numbers: &[u32]) -> (u32, u32) {
    let few = &numbers[..numbers.len().min(8)];
    let sum: u64 = few.iter().map(|&n| u64::from(n)).sum();
    let mean = (sum / few.len().max(1) as u64).min(1 << 13) as u32;
    let guess = width(mean);
    let bits = |start: u32| {
        let mut rice = Rice::new(start);
        numbers
            .iter()
            .map(|&n| rice_bits(n, &mut rice))
            .sum::<u32>()
    };
    let tries = guess.saturating_sub(1)..=(guess + 1).min(CONSTANT - 1);
    let best = tries.map(|start| (bits(start), start)).min();
    best.map_or((0, 0), |(bits, start)| (start, bits))
}

impl StoredCurve {
    /// Bits with everything.
    pub(super) fn bits(&self) -> u32 {
        let reference = match self.reference {
            Reference::None => 0,
            Reference::Rest => 1,
            Reference::Own(_) => 3 + 3 * REFERENCE_BITS,
        };
        6 + u32::from(self.closed.is_some())
            + 8
            + reference
            + self.lattice.bits()
            + self.packing.bits
    }

    /// Writes the curve; its step must be at most 255 above the base.
    pub(super) fn put(&self, sink: &mut impl Sink, base: u32) {
        let packing = &self.packing;
        let form = 9 * self.mode as u32 + 3 * packing.fields_kind as u32 + self.lattice.form();
        sink.put(form, 6);
        if let Some(closed) = self.closed {
            sink.put(u32::from(closed), 1);
        }
        sink.put(self.lattice.step - base, 8);
        match self.reference {
            Reference::None => {}
            Reference::Rest => sink.put(1, 1),
            Reference::Own(code) => {
                sink.put(0, 1);
                sink.put(code, 2 + 3 * REFERENCE_BITS);
            }
        }
        if let Some(basis) = self.lattice.basis {
            sink.put(basis, 2 + 3 * BASIS_BITS);
        }
        if self.lattice.form() == 2 {
            let [x, y] = self.lattice.stretch;
            sink.put(x, 4);
            sink.put(y, 4);
        }
        put_vector(sink, packing.first);
        self.put_fields(sink);
        if self.mode != Mode::Dense {
            sink.put(packing.gap_start, 4);
        }
        self.put_keys(sink);
    }

    fn put_fields(&self, sink: &mut impl Sink) {
        let packing = &self.packing;
        if packing.fields_kind == Fields::Fixed {
            let width = field_width(packing.fields);
            sink.put(width - 4, 1);
            packing.fields.iter().for_each(|&f| sink.put(f, width));
            return;
        }
        if packing.fields_kind == Fields::Shared {
            sink.put(packing.predictors[0].code(), Predictor::BITS);
        }
        for (field, predictor) in packing.fields.into_iter().zip(packing.predictors) {
            sink.put(field, 4);
            if field != CONSTANT && packing.fields_kind == Fields::Each {
                sink.put(predictor.code(), Predictor::BITS);
            }
        }
    }

    fn put_keys(&self, sink: &mut impl Sink) {
        let packing = &self.packing;
        let mut means = packing.fields.map(Rice::new);
        let mut gap_mean = Rice::new(packing.gap_start);
        let gaps = if self.mode == Mode::Dense {
            Vec::new()
        } else {
            gaps(&self.frames, self.mode, self.last_frame)
        };
        for i in 0..self.keys.len() {
            if let Some(&gap) = i.checked_sub(1).and_then(|g| gaps.get(g)) {
                sink.put_rice(gap, &mut gap_mean);
            }
            if self.closed == Some(true) && i + 1 == self.keys.len() {
                break;
            }
            for c in 0..3 {
                let field = packing.fields[c];
                if packing.fields_kind == Fields::Fixed {
                    sink.put(self.keys[i][c].wrapping_sub(packing.first[c]) as u32, field);
                } else if i > 0 && field != CONSTANT {
                    let predictor = packing.predictors[c];
                    let off = residual(predictor, &self.frames, &self.keys, c, i);
                    sink.put_rice(off, &mut means[c]);
                }
            }
        }
        if let Some(&gap) = gaps.get(self.keys.len() - 1) {
            sink.put_rice(gap, &mut gap_mean);
        }
    }
}
