//! What approved bytes measured, so that what a clip became can be compared with them.

use super::Session;
use super::document::ClipId;
use super::result::ClipResult;
use super::units;
use super::verdict::Verdict;

/// Figures of a result, measured on its bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Bytes of the animation.
    pub animation_bytes: usize,
    /// Largest skin error, metres.
    pub error_m: f64,
    /// Largest added slide, metres; `None` when no foot stands.
    pub slide_m: Option<f64>,
}

impl Figures {
    fn of(result: &ClipResult) -> Self {
        Self {
            animation_bytes: result.animation_bytes,
            error_m: result.largest_error_m(),
            slide_m: result.worst_slide_m(),
        }
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes = units::show_bytes(self.animation_bytes);
        write!(
            f,
            "{bytes} animation, error {}",
            units::show_mm(self.error_m)
        )?;
        match self.slide_m {
            Some(slide_m) => write!(f, ", slide {}", units::show_mm(slide_m)),
            None => Ok(()),
        }
    }
}

impl Session {
    /// What a clip measured when it was approved, and what it measures now; `None` where that is the same, or where the
    /// approved bytes were not seen since the program was started.
    pub fn since_approval(&self, id: ClipId) -> Option<(Figures, Figures)> {
        let edits = self.edits(id)?;
        let Verdict::Approved(of) = &edits.verdict else {
            return None;
        };
        let then = *self.approved_figures.get(&of.output)?;
        let now = self.result(id).filter(|now| now.hash != of.output)?;
        Some((then, Figures::of(now)))
    }

    /// Remembers the figures of a clip's bytes if those are what is approved.
    pub(super) fn note_approved(&mut self, id: ClipId) {
        let (Some(edits), Some(result)) = (self.edits(id), self.result(id)) else {
            return;
        };
        if let Verdict::Approved(of) = &edits.verdict
            && of.output == result.hash
        {
            let (hash, figures) = (result.hash, Figures::of(result));
            self.approved_figures.insert(hash, figures);
        }
    }
}
