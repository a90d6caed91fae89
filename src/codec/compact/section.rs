//! The animation section; its format is specified in [`crate::runtime::compact`].

use super::bits::BitWriter;
use super::joint::Stored;
use super::source::Source;
use crate::runtime::compact::{
    CODEC_COMPACT, CODEC_COMPACT_SCALED, FIRST_PATTERNS, Heads, PATTERN_BITS, STEP_BITS,
};

/// Writes the section, joints in an order. `bases` are the codes of the smallest steps: rotations and scales, translations.
pub(super) fn section(
    source: &Source,
    joints: &[[Stored; 3]],
    order: &[usize],
    bases: [u32; 2],
    cycle: bool,
) -> Vec<u8> {
    let mut bits = BitWriter::default();
    bits.put(u32::from(codec(source, joints)), 8);
    for base in bases {
        bits.put(base, STEP_BITS);
    }
    bits.put(u32::from(cycle), 1);
    let joints: Vec<&[Stored; 3]> = order.iter().map(|&j| &joints[j]).collect();
    put_patterns(&mut bits, &joints);
    let mut heads = Heads::new();
    for joint in joints {
        for (channel, stored) in joint.iter().enumerate() {
            let kind = usize::from(channel == 1);
            stored.put(&mut bits, &mut heads, bases[kind], kind);
        }
    }
    bits.finish()
}

/// Factors are said to be there only where they change something, so that older players have the others.
fn codec(source: &Source, joints: &[[Stored; 3]]) -> u8 {
    let mut factors = source.joints.iter().zip(joints);
    let scaled = factors.any(|(source, [_, translation, _])| {
        source.factor != 1.0 && !matches!(translation, Stored::Rest)
    });
    if scaled {
        CODEC_COMPACT_SCALED
    } else {
        CODEC_COMPACT
    }
}

fn put_patterns(bits: &mut BitWriter, joints: &[&[Stored; 3]]) {
    let [mut first, mut second] = FIRST_PATTERNS;
    for joint in joints {
        let states = joint.iter().map(Stored::state).enumerate();
        let pattern = states.map(|(c, state)| state << (2 * c)).sum();
        if pattern == first {
            bits.put(0, 1);
            continue;
        }
        if pattern == second {
            bits.put(0b01, 2);
        } else {
            bits.put(0b11, 2);
            bits.put(pattern, PATTERN_BITS);
        }
        (first, second) = (pattern, first);
    }
}
