//! What is said about bytes: the same words in the window, in notices and on the command line.
//!
//! The headline is the *animation*: it is what a clip adds to a game that has its skeleton already, and what other codecs
//! are compared by. Wherever there is room the *file* stands beside it, as it is on disk. A ratio always says against what.

use super::result::ClipResult;
use super::units::{digits, show_bytes};
use crate::codec::FileParts;
use std::cmp::Ordering;

/// Full frames, in words.
pub const FULL_FRAMES: &str = "full frames of ten floats a joint";

/// The file as the sum of its parts: `1.6 KB animation + 3.9 KB skeleton and rest pose + 206 B header = 5.7 KB file`.
pub fn sum_words(parts: &FileParts) -> String {
    format!(
        "{} animation + {} skeleton and rest pose + {} header = {} file",
        show_bytes(parts.animation),
        show_bytes(parts.skeleton),
        show_bytes(parts.header),
        show_bytes(parts.file())
    )
}

/// How an animation compares with the source's own, where that is known, and with full frames. What is no smaller than
/// the first is not called smaller than the other.
pub fn ratio_words(animation: usize, source: Option<usize>, raw: usize) -> String {
    let frames = format!("{FULL_FRAMES} take {}", show_bytes(raw));
    if animation == 0 {
        return format!("all joints rest; {frames}");
    }
    let own = source.map(|bytes| than(animation, bytes, "the source's own animation"));
    match (own, source) {
        (Some(own), Some(source)) if animation >= source => format!("{own}; {frames}"),
        (Some(own), _) => format!("{own}, {}", than(animation, raw, FULL_FRAMES)),
        (None, _) => than(animation, raw, FULL_FRAMES),
    }
}

/// `1.20 times larger than the source file (1.4 MB)`
pub fn than(bytes: usize, other: usize, what: &str) -> String {
    let of = |bytes: usize, by: usize| digits(bytes as f64 / by.max(1) as f64);
    let how = match bytes.cmp(&other) {
        Ordering::Less => format!("{} times smaller than", of(other, bytes)),
        Ordering::Equal => "as large as".to_owned(),
        Ordering::Greater => format!("{} times larger than", of(bytes, other)),
    };
    format!("{how} {what} ({})", show_bytes(other))
}

impl ClipResult {
    /// Bytes of the file that this result is; `None` for keyframes, which are part of a file with all else of their
    /// source.
    pub fn file_bytes(&self) -> Option<usize> {
        self.file.map(|parts| parts.file())
    }

    /// The animation, and the file that it is in.
    pub fn sum_words(&self) -> String {
        match &self.file {
            Some(parts) => sum_words(parts),
            None => format!(
                "{} animation; the file holds all else of its source too and is counted when it is written",
                show_bytes(self.animation_bytes)
            ),
        }
    }

    /// See [`ratio_words`].
    pub fn ratio_words(&self) -> String {
        ratio_words(self.animation_bytes, self.source_bytes, self.raw_bytes)
    }

    /// Full frames of floats divided by the animation.
    pub fn ratio(&self) -> f64 {
        self.raw_bytes as f64 / self.animation_bytes.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grew_is_never_called_smaller() {
        let words = |animation, source| ratio_words(animation, source, 8192);
        assert_eq!(
            words(1024, Some(2048)),
            "2.00 times smaller than the source's own animation (2.0 KB), 8.00 times smaller than full frames of ten floats \
             a joint (8.0 KB)"
        );
        for (animation, source) in [
            (2048, Some(1024)),
            (1024, Some(1024)),
            (9000, Some(8500)),
            (9000, None),
            (0, Some(100)),
        ] {
            let words = words(animation, source);
            assert!(!words.contains("smaller"), "{words}");
        }
        assert!(words(9000, None).starts_with("1.10 times larger than full frames"));
        assert!(words(1024, None).starts_with("8.00 times smaller than full frames"));
    }
}
