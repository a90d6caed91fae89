//! Memory: bounded by the input when a file is opened, none when it is played.

mod support;

use posepress::runtime::{ClipView, Extent, Sampler, SectionKind, Transform, crc32};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use support::{Recipe, Rng, make};

/// Counts what the current thread has allocated.
struct Counting;

thread_local! {
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: hands everything on to the system's allocator and only counts.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.get().wrapping_add(layout.size());
        LIVE.set(live);
        if live < usize::MAX / 2 {
            PEAK.set(PEAK.get().max(live));
        }
        CALLS.set(CALLS.get() + 1);
        // SAFETY: the caller's promises are those that the system asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.set(LIVE.get().wrapping_sub(layout.size()));
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Most bytes that were allocated at once while `run` ran.
fn peak(run: impl FnOnce()) -> usize {
    let before = LIVE.get();
    PEAK.set(before);
    run();
    PEAK.get() - before
}

/// A small multiple of the file, and a block of lanes for each width.
fn bound(file: &[u8]) -> usize {
    16 * file.len() + 4096
}

#[test]
fn opening_a_file_takes_a_small_multiple_of_its_size() {
    let mut rng = Rng(21);
    let mut worst = 0.0_f64;
    for _ in 0..60 {
        let recipe = Recipe::random(&mut rng);
        let made = make(&mut rng, recipe);
        let bytes = made.bytes.as_slice();
        let used = peak(|| {
            let view = ClipView::from_bytes(bytes).unwrap();
            drop((Sampler::new(&view), view));
        });
        worst = worst.max(used as f64 / bytes.len() as f64);
        assert!(used <= bound(bytes), "{used} for {} bytes", bytes.len());
    }
    println!("worst {worst:.1} bytes a byte");
    for name in ["compact_walk", "compact_kinds", "compact_smooth", "curves"] {
        let bytes = golden(name);
        let used = peak(|| {
            let view = ClipView::from_bytes(bytes.as_slice()).unwrap();
            drop((Sampler::new(&view), view));
        });
        assert!(used <= bound(&bytes), "{used} for {} bytes", bytes.len());
    }
}

/// A recorded file.
fn golden(name: &str) -> Vec<u8> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    std::fs::read(folder.join(format!("{name}.ppc"))).unwrap()
}

/// Most curves a byte, and names and keys that take almost none.
#[test]
fn curves_that_take_few_bits_take_little_memory() {
    let frames: u32 = 1 << 16;
    let info = support::info(1, frames);
    let still = |curves: u16| {
        let mut payload = vec![1, 0, 9, 0];
        payload.extend(b"a name of");
        payload.extend([0; 6]);
        payload.extend(curves.to_le_bytes());
        payload.resize(payload.len() + (usize::from(curves) * 7).div_ceil(8), 0);
        payload
    };
    // A linear curve with a key of one bit on every frame: all differences are 0.
    let mut dense = vec![1, 0, 1, 0, b'x', 0, 0];
    dense.extend(u32::MAX.to_le_bytes());
    dense.extend([1, 0]);
    let head = 22;
    let mut bits = vec![0_u8; (head + frames as usize - 1).div_ceil(8)];
    bits[0] = 2;
    bits[1] = 2 << 2;
    for bit in head..head + frames as usize - 1 {
        bits[bit / 8] |= 1 << (bit % 8);
    }
    dense.extend(bits);
    for payload in [still(60_000), dense] {
        let animation = posepress::codec::riot::RiotStream::default();
        let file = posepress::codec::ContainerWriter::new(&info)
            .unwrap()
            .section(SectionKind::Curves, payload)
            .section(SectionKind::Animation, animation.to_bytes().unwrap())
            .finish()
            .unwrap();
        let used = peak(|| drop(ClipView::from_bytes(file.as_slice()).unwrap()));
        assert!(used <= bound(&file), "{used} for {} bytes", file.len());
    }
}

#[test]
fn huge_counts_allocate_nothing_huge() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in ["full.ppc", "smooth.ppc", "bare.ppc", "curves.ppc"] {
        let good = std::fs::read(folder.join("tests/golden").join(name)).unwrap();
        let count = usize::from(good[12]);
        for at in 12..good.len() - 4 {
            for word in [[0xFF; 4], [0xFF, 0xFF, 0xFF, 0x7F], [0xFF, 0x3F, 0, 0]] {
                let mut bytes = good.clone();
                bytes[at..at + 4].copy_from_slice(&word);
                repair(&mut bytes, count);
                let used = peak(|| drop(ClipView::from_bytes(bytes.as_slice())));
                assert!(used <= bound(&bytes), "{name}, byte {at}: {used}");
            }
        }
    }
}

/// Makes the checksums of a file with an intact table match again.
fn repair(bytes: &mut [u8], count: usize) {
    let mut start = 24 + 12 * count;
    for entry in 0..count {
        let at = 28 + 12 * entry;
        let length = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let end = start.saturating_add(length).min(bytes.len());
        let crc = crc32(&bytes[start.min(end)..end.saturating_sub(4).max(start.min(end))]);
        if end >= start + 4 {
            bytes[end - 4..end].copy_from_slice(&crc.to_le_bytes());
        }
        start = end;
    }
    let crc = crc32(&bytes[..20 + 12 * count]).to_le_bytes();
    bytes[20 + 12 * count..24 + 12 * count].copy_from_slice(&crc);
}

#[test]
fn playing_allocates_nothing() {
    let mut rng = Rng(22);
    for _ in 0..40 {
        let recipe = Recipe::random(&mut rng);
        let made = make(&mut rng, recipe);
        let view = ClipView::from_bytes(made.bytes.as_slice()).unwrap();
        let mut sampler = Sampler::new(&view);
        let mut pose = vec![Transform::IDENTITY; recipe.joints];
        let before = CALLS.get();
        for i in 0..200 {
            let frame = if i < 100 {
                f64::from(i) * 0.5
            } else {
                rng.unit() * f64::from(recipe.frames)
            };
            let secs = made.info.secs(frame);
            sampler.pose(&view, secs, Extent::Wrap, &mut pose).unwrap();
            let _ = view.joint(0, secs, Extent::Wrap);
        }
        assert_eq!(CALLS.get(), before);
    }
    let bytes = golden("compact_kinds");
    let view = ClipView::from_bytes(bytes.as_slice()).unwrap();
    let mut sampler = Sampler::new(&view);
    let mut pose = vec![Transform::IDENTITY; view.info().joints];
    let before = CALLS.get();
    for i in 0..200 {
        let secs = view.info().secs(f64::from(i * 37 % 80) * 0.9);
        sampler.pose(&view, secs, Extent::Wrap, &mut pose).unwrap();
        let _ = view.joint(2, secs, Extent::Wrap);
    }
    assert_eq!(CALLS.get(), before);
    let bytes = golden("curves");
    let view = ClipView::from_bytes(bytes.as_slice()).unwrap();
    let mut curves = vec![0.0; view.scalar_count()];
    let before = CALLS.get();
    for i in 0..200 {
        let secs = view.info().secs(f64::from(i * 37 % 80) * 0.9);
        view.scalars(secs, Extent::Wrap, &mut curves);
    }
    assert_eq!(CALLS.get(), before);
}
