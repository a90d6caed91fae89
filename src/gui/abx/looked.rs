//! Whether somebody looked before the answer: error shows in motion, so A, B and X must each have been seen moving.

use crate::session::BlindButton;

/// Pictures of a movement that make it seen: some tenths of a second of playing, or as many frames by hand.
const MOVES: u32 = 6;

/// What was seen in one trial.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Looked {
    /// How often the playhead moved under A, B and X.
    moves: [u32; 3],
    last: Option<(BlindButton, f64)>,
}

impl Looked {
    /// Somebody is on the stage at a frame; a clip that stands `still` is seen as soon as it is shown.
    pub(super) fn at(&mut self, shown: BlindButton, frame: f64, still: bool) {
        let moved = self
            .last
            .is_some_and(|(who, at)| who == shown && at != frame);
        self.last = Some((shown, frame));
        let more = match (still, moved) {
            (true, _) => MOVES,
            (false, moved) => u32::from(moved),
        };
        for (button, moves) in BlindButton::ALL.into_iter().zip(&mut self.moves) {
            if button == shown {
                *moves += more;
            }
        }
    }

    /// Those that are still to be seen.
    pub(super) fn missing(&self) -> Vec<BlindButton> {
        let seen = BlindButton::ALL.into_iter().zip(self.moves);
        seen.filter(|(_, moves)| *moves < MOVES)
            .map(|(button, _)| button)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use BlindButton::{A, B, X};

    #[test]
    fn only_what_moves_is_seen() {
        let mut looked = Looked::default();
        for _ in 0..20 {
            looked.at(A, 3.0, false);
        }
        assert_eq!(looked.missing(), [A, B, X], "it stood");
        for k in 0..=MOVES {
            looked.at(A, f64::from(k), false);
        }
        assert_eq!(looked.missing(), [B, X]);
        for k in 0..20 {
            looked.at([B, X][k % 2], k as f64, false);
        }
        assert_eq!(looked.missing(), [B, X], "switching is no movement");
    }

    #[test]
    fn a_clip_of_one_frame_is_seen_when_it_is_shown() {
        let mut looked = Looked::default();
        looked.at(B, 0.0, true);
        assert_eq!(looked.missing(), [A, X]);
    }
}
