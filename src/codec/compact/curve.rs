//! A curve as it is stored, with the cheapest layout of its integers.

use super::bits::{BitWriter, rice_bits, signed_width, width};
use crate::runtime::compact::{
    BASIS_BITS, Fields, Heads, Mode, Predictor, REFERENCE_BITS, Rice, Running, columns, step,
    zigzag,
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

    fn axes(&self) -> u32 {
        match (self.basis, self.stretch) {
            (None, _) => 0,
            (Some(_), [0, 0]) => 2,
            (Some(_), _) => 1,
        }
    }

    /// Bits of the header that depend on the basis.
    fn bits(&self) -> u32 {
        const ROTATED: u32 = 2 + 3 * BASIS_BITS;
        [1, 2 + ROTATED + 8, 2 + ROTATED][self.axes() as usize]
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
    /// Exact bits of the keys.
    key_bits: u32,
    /// Bits of all that depends on the keys, the header's as they usually are.
    cost: u32,
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

/// Bits that a number which runs from header to header usually takes.
const RUNNING: u32 = 3;

/// Likewise for a step.
const STEP: u32 = 6;

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
            (start, bits)
        };
        let (frames, keys) = if closed {
            (&frames[..frames.len() - 1], &keys[..keys.len() - 1])
        } else {
            (frames, keys)
        };
        let candidates = Self::predicted(frames, keys, constant)
            .into_iter()
            .chain([Self::fixed(keys)]);
        let mut best = candidates.min_by_key(|p| p.cost)?;
        best.gap_start = gap_start;
        best.key_bits += gap_bits;
        best.cost += gap_bits + if mode == Mode::Dense { 0 } else { RUNNING };
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
                predictors: [Predictor::LAST; 3],
                first,
                fields,
                gap_start: 0,
                key_bits: 0,
                cost: u32::MAX / 2,
            };
        }
        let each: u32 = fields.iter().sum();
        let key_bits = each * keys.len() as u32;
        Self {
            fields_kind: Fields::Fixed,
            predictors: [Predictor::LAST; 3],
            first,
            fields,
            gap_start: 0,
            key_bits,
            cost: vector_cost(first) + 3 + 3 * field_width(fields) + key_bits,
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
        let varying = constant.iter().filter(|c| !**c).count() as u32;
        let mask = if varying == 3 { 1 } else { 4 };
        let key_bits = |chosen: [usize; 3]| (0..3).map(|c| table[c][chosen[c]].0).sum::<u32>();
        let packing = |fields_kind, chosen: [usize; 3], head: u32| Self {
            fields_kind,
            predictors: chosen.map(|p| Predictor::ALL[p]),
            first: keys[0],
            fields: std::array::from_fn(|c| table[c][chosen[c]].1),
            gap_start: 0,
            key_bits: key_bits(chosen),
            cost: vector_cost(keys[0]) + head + mask + varying * RUNNING + key_bits(chosen),
        };
        [
            packing(
                Fields::Shared,
                [shared.unwrap_or(0); 3],
                1 + Predictor::BITS,
            ),
            packing(Fields::Each, each, 2 + varying * Predictor::BITS),
        ]
    }
}

/// 4, or 5 where a width needs that.
fn field_width(fields: [u32; 3]) -> u32 {
    if fields.iter().any(|&w| w > 15) { 5 } else { 4 }
}

fn vector_width(v: [i32; 3]) -> u32 {
    v.into_iter().map(signed_width).max().unwrap_or(0)
}

/// Bits of a vector with its width, as they usually are.
pub(super) fn vector_cost(v: [i32; 3]) -> u32 {
    RUNNING + 3 * vector_width(v)
}

/// Writes a vector with its width.
pub(super) fn put_vector(bits: &mut BitWriter, v: [i32; 3], widths: &mut Running) {
    let width = vector_width(v);
    bits.put_running(width, widths);
    for c in v {
        bits.put_signed(c, width);
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
    /// Bits with everything: those of the keys are exact, those of the header as they usually are.
    pub(super) fn cost(&self) -> u32 {
        let reference = match self.reference {
            Reference::None => 0,
            Reference::Rest => 1,
            Reference::Own(_) => 3 + 3 * REFERENCE_BITS,
        };
        let closed = u32::from(self.closed.is_some());
        2 + closed + STEP + reference + self.lattice.bits() + self.packing.cost
    }

    /// Writes the curve; its step must be at most 255 above the base. `kind` is 1 for translations, else 0.
    ///
    /// The keys are checked to take as many bits as were counted when the layout was chosen.
    pub(super) fn put(&self, bits: &mut BitWriter, heads: &mut Heads, base: u32, kind: usize) {
        let packing = &self.packing;
        bits.put(self.mode as u32, 2);
        bits.put_third(packing.fields_kind as u32);
        bits.put_third(self.lattice.axes());
        if let Some(closed) = self.closed {
            bits.put(u32::from(closed), 1);
        }
        bits.put_running(self.lattice.step - base, &mut heads.steps[kind]);
        match self.reference {
            Reference::None => {}
            Reference::Rest => bits.put(1, 1),
            Reference::Own(code) => {
                bits.put(0, 1);
                bits.put(code, 2 + 3 * REFERENCE_BITS);
            }
        }
        if let Some(basis) = self.lattice.basis {
            bits.put(basis, 2 + 3 * BASIS_BITS);
        }
        if self.lattice.axes() == 1 {
            let [x, y] = self.lattice.stretch;
            bits.put(x, 4);
            bits.put(y, 4);
        }
        put_vector(bits, packing.first, &mut heads.widths);
        self.put_fields(bits, heads);
        if self.mode != Mode::Dense {
            bits.put_running(packing.gap_start, &mut heads.gaps);
        }
        let start = bits.len();
        self.put_keys(bits);
        let written = bits.len() - start;
        assert_eq!(
            written, packing.key_bits as usize,
            "counted bits are written bits"
        );
    }

    fn put_fields(&self, bits: &mut BitWriter, heads: &mut Heads) {
        let packing = &self.packing;
        if packing.fields_kind == Fields::Fixed {
            let width = field_width(packing.fields);
            bits.put(width - 4, 1);
            packing.fields.iter().for_each(|&f| bits.put(f, width));
            return;
        }
        if packing.fields_kind == Fields::Shared {
            bits.put(packing.predictors[0].code(), Predictor::BITS);
        }
        let constants = packing.fields.iter().enumerate();
        let constants: u32 = constants.map(|(c, &f)| u32::from(f == CONSTANT) << c).sum();
        bits.put(u32::from(constants != 0), 1);
        if constants != 0 {
            bits.put(constants, 3);
        }
        for (c, &field) in packing.fields.iter().enumerate() {
            if field == CONSTANT {
                continue;
            }
            bits.put_running(field, &mut heads.starts[c]);
            if packing.fields_kind == Fields::Each {
                bits.put(packing.predictors[c].code(), Predictor::BITS);
            }
        }
    }

    fn put_keys(&self, bits: &mut BitWriter) {
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
                bits.put_rice(gap, &mut gap_mean);
            }
            if self.closed == Some(true) && i + 1 == self.keys.len() {
                break;
            }
            for (c, mean) in means.iter_mut().enumerate() {
                let field = packing.fields[c];
                if packing.fields_kind == Fields::Fixed {
                    bits.put(self.keys[i][c].wrapping_sub(packing.first[c]) as u32, field);
                } else if i > 0 && field != CONSTANT {
                    let predictor = packing.predictors[c];
                    let off = residual(predictor, &self.frames, &self.keys, c, i);
                    bits.put_rice(off, mean);
                }
            }
        }
        if let Some(&gap) = gaps.get(self.keys.len() - 1) {
            bits.put_rice(gap, &mut gap_mean);
        }
    }
}
