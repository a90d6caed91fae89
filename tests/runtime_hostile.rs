//! Damaged and forged files: a typed error, or a clip whose poses are finite. Never a panic.

mod support;

use posepress::codec::Deliverable;
use posepress::codec::riot::{KeyTimes, RotationBits};
use posepress::runtime::{Channel, ClipView, Error, Extent, Sampler, Tangents, Transform, crc32};
use support::{Recipe, Rng, bits, encoded, make};

fn small_files() -> Vec<Vec<u8>> {
    let mut rng = Rng(11);
    let mut files = Vec::new();
    while files.len() < 12 {
        let recipe = Recipe {
            joints: 1 + rng.below(4),
            frames: 2 + rng.below(12) as u32,
            smooth: files.len() % 2 == 0,
            tangents: Tangents::ALL[files.len() % 5],
            rotation_bits: [RotationBits::Bits48, RotationBits::Bits32][files.len() % 2],
            key_times: [KeyTimes::Frames, KeyTimes::Normalised][files.len() / 2 % 2],
            ordered: files.len() % 3 == 0,
        };
        files.push(make(&mut rng, recipe).bytes);
    }
    for _ in 0..4 {
        files.push(encoded(&mut rng, Deliverable::Uniform));
        files.push(encoded(&mut rng, Deliverable::Compact));
    }
    let golden = [
        "full.ppc",
        "smooth.ppc",
        "bare.ppc",
        "compact_walk.ppc",
        "compact_kinds.ppc",
        "compact_smooth.ppc",
        "compact_scaled.ppc",
        "curves.ppc",
    ];
    let golden = golden.map(|name| {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        std::fs::read(folder.join("tests/golden").join(name)).unwrap()
    });
    files.extend(golden);
    files
}

const NASTY: [u32; 10] = [
    0,
    1,
    0xFFFF_FFFF,
    0x7FFF_FFFF,
    0x8000_0000,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0xFFFF,
    0x0001_0000,
];

/// Damages a file in one to four places.
fn mutate(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..=rng.below(4) {
        if bytes.is_empty() {
            return;
        }
        let at = rng.below(bytes.len());
        match rng.below(8) {
            0 => bytes[at] ^= 1 << rng.below(8),
            1 => bytes[at] = rng.next() as u8,
            2 | 3 => {
                let word = NASTY[rng.below(NASTY.len())].to_le_bytes();
                for (b, w) in bytes[at..].iter_mut().zip(word) {
                    *b = w;
                }
            }
            4 => bytes.truncate(at),
            5 => bytes.insert(at, rng.next() as u8),
            6 => {
                let end = (at + 1 + rng.below(20)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let from = rng.below(bytes.len());
                let piece: Vec<u8> = bytes[from..].iter().take(16).copied().collect();
                for (b, p) in bytes[at..].iter_mut().zip(piece) {
                    *b = p;
                }
            }
        }
    }
}

/// Makes all checksums match again, and the lengths as far as the table allows.
fn repair(bytes: &mut [u8]) -> Option<()> {
    let word = |bytes: &[u8], at: usize| {
        let b = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes(b.try_into().unwrap()) as usize)
    };
    let count = word(bytes, 12)?.min(100);
    let table_end = 20 + 12 * count;
    for entry in 0..count {
        let (start, length) = (word(bytes, 24 + 12 * entry)?, word(bytes, 28 + 12 * entry)?);
        let end = start.saturating_add(length);
        let Some(payload) = bytes.get(start..end.saturating_sub(4)) else {
            continue;
        };
        let crc = crc32(payload).to_le_bytes();
        if let Some(place) = bytes.get_mut(end.saturating_sub(4)..end.max(4)) {
            place.copy_from_slice(&crc);
        }
    }
    let length = (bytes.len() as u32).to_le_bytes();
    bytes.get_mut(16..20)?.copy_from_slice(&length);
    let crc = crc32(bytes.get(..table_end)?).to_le_bytes();
    bytes
        .get_mut(table_end..table_end + 4)?
        .copy_from_slice(&crc);
    Some(())
}

fn assert_sound(pose: &[Transform], what: &str) {
    for t in pose {
        let floats = t.translation.iter().chain(&t.scale).chain(&t.rotation);
        assert!(floats.into_iter().all(|v| v.is_finite()), "{what}: {t:?}");
        let square: f32 = t.rotation.iter().map(|c| c * c).sum();
        assert!((square - 1.0).abs() < 1.5e-4, "{what}: {t:?}");
    }
}

/// Uses everything that a view offers.
fn play(bytes: &[u8], what: &str) -> Result<(), Error> {
    let mut view = ClipView::from_bytes(bytes)?;
    let joints = view.info().joints;
    if view.rest().is_empty() {
        view.attach_rest(&vec![Transform::IDENTITY; joints])?;
    }
    let mut sampler = Sampler::new(&view);
    let mut pose = vec![Transform::IDENTITY; joints];
    let mut curves = vec![0.0; view.scalar_count()];
    let last = f64::from(view.info().last_frame());
    for x in [0.0, 0.3, 0.31, 1.0, -0.2, 0.7, f64::NAN, 0.5, 1e300] {
        for extent in [Extent::Clamp, Extent::Wrap] {
            let secs = view.info().secs(x * last);
            sampler.pose(&view, secs, extent, &mut pose).unwrap();
            assert_sound(&pose, what);
            let joint = pose.len() / 2;
            let alone = view.joint(joint, secs, extent);
            assert_eq!(bits(&[alone]), bits(&pose[joint..=joint]), "{what}");
            view.scalars(secs, extent, &mut curves);
            for (scalar, value) in curves.iter().enumerate() {
                let alone = view.scalar(scalar, secs, extent).unwrap();
                assert!(alone.is_finite(), "{what}");
                assert_eq!(alone.to_bits(), value.to_bits(), "{what}");
            }
        }
    }
    for joint in 0..joints.min(8) {
        for channel in Channel::ALL {
            let keys = view.keys(joint, channel);
            assert!(keys.iter().all(|k| k.frame.is_finite()), "{what}");
            assert!(view.track_bytes(joint, channel) <= bytes.len());
        }
    }
    assert_eq!(view.scalar_names().take(100).count(), curves.len().min(100));
    for scalar in 0..curves.len().min(8) {
        let bits = view.scalar_form(scalar).map_or(0, |form| form.2);
        assert!(bits <= 8 * bytes.len(), "{what}");
    }
    assert!(view.meta().is_none_or(|m| m.len() < bytes.len()));
    Ok(())
}

/// Reliability rule 1.
#[test]
fn two_hundred_thousand_damaged_files_are_refused() {
    let files = small_files();
    let mut rng = Rng(12);
    for i in 0..200_000 {
        let good = &files[i % files.len()];
        let mut bytes = good.clone();
        mutate(&mut rng, &mut bytes);
        let answer = ClipView::from_bytes(bytes.as_slice());
        if bytes != *good {
            let error = answer
                .err()
                .unwrap_or_else(|| panic!("file {i} was accepted"));
            assert!(!error.to_string().is_empty());
        }
    }
}

/// Reliability rule 3.
#[test]
fn forged_checksums_give_an_error_or_sound_poses() {
    let files = small_files();
    let mut rng = Rng(13);
    let (mut played, mut refused) = (0, 0);
    for i in 0..60_000 {
        let mut bytes = files[i % files.len()].clone();
        mutate(&mut rng, &mut bytes);
        if repair(&mut bytes).is_none() {
            continue;
        }
        match play(&bytes, &format!("file {i}")) {
            Ok(()) => played += 1,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    println!("{played} played, {refused} refused");
    assert!(
        played > 5_000 && refused > 5_000,
        "{played} played, {refused} refused"
    );
}

/// One word at a time, at every place: reaches each field of each section.
#[test]
fn nasty_words_at_every_place_with_forged_checksums() {
    for (f, good) in small_files().iter().enumerate() {
        for at in 20..good.len() - 4 {
            for word in NASTY {
                let mut bytes = good.clone();
                bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
                if repair(&mut bytes).is_some() {
                    let _ = play(&bytes, &format!("file {f}, byte {at}, {word:#x}"));
                }
            }
        }
    }
}
