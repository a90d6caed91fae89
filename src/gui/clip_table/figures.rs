//! The figures of a clip, found out once for each result.

use crate::codec::{Judgement, Matter, Ruling, TrackFit};
use crate::session::{ClipId, ClipResult, Session};
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// What the table shows of a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figures {
    /// Of the animation.
    pub bytes: usize,
    /// `None` for keyframes.
    pub file_bytes: Option<usize>,
    /// Of the source's own animation.
    pub source_bytes: Option<usize>,
    pub raw_bytes: usize,
    pub ratio: f64,
    /// Largest skin error as it is, metres.
    pub max_m: f64,
    /// The ruling on it.
    pub skin: Ruling,
    /// `None` where no foot stands.
    pub slide_m: Option<f64>,
    /// The worst ruling on feet and pairs.
    pub feet: Ruling,
    /// `None` for clips that do not loop.
    pub seam_m: Option<f64>,
    pub seam: Ruling,
    pub jitter_m_per_s: f64,
    pub jitter: Ruling,
    pub keys: usize,
}

impl Figures {
    fn of(judged: &Judgement, result: &ClipResult) -> Self {
        let ruling = |of: &Matter| judged.find(|m| m == of).map(|l| l.ruling);
        let keys = |t: &TrackFit| t.fit.keys.len();
        let seam = result.loop_seam();
        Self {
            bytes: result.animation_bytes,
            file_bytes: result.file_bytes(),
            source_bytes: result.source_bytes,
            raw_bytes: result.raw_bytes,
            ratio: result.ratio(),
            max_m: result.largest_error_m(),
            skin: judged.target().map_or(Ruling::NotAsked, |l| l.ruling),
            slide_m: result.worst_slide_m(),
            feet: judged.feet_ruling(),
            seam_m: seam.map(|s| s.gap_m),
            seam: ruling(&Matter::Seam).unwrap_or(Ruling::NotAsked),
            jitter: ruling(&Matter::Jitter).unwrap_or(Ruling::NotAsked),
            jitter_m_per_s: result.measured.jitter.max_m_per_s,
            keys: result.compressed.tracks.iter().map(keys).sum(),
        }
    }
}

/// Figures by clip, each with the result that they are of. The result itself is not kept.
#[derive(Default)]
pub(super) struct FigureCache(HashMap<ClipId, (Weak<ClipResult>, Figures)>);

impl FigureCache {
    /// The figures of a clip's last finished result.
    pub(super) fn of(&mut self, session: &Session, id: ClipId) -> Option<Figures> {
        let result = session.result(id)?;
        if let Some((of, figures)) = self.0.get(&id)
            && of.as_ptr() == Arc::as_ptr(result)
        {
            return Some(*figures);
        }
        let figures = Figures::of(&session.judgement(id)?, result);
        self.0.insert(id, (Arc::downgrade(result), figures));
        Some(figures)
    }

    /// What is known of a clip already.
    pub(super) fn known(&self, id: ClipId) -> Option<Figures> {
        Some(self.0.get(&id)?.1)
    }

    /// Forgets clips that are not open any more.
    pub(super) fn keep(&mut self, session: &Session) {
        self.0.retain(|id, _| session.result(*id).is_some());
    }
}
