//! What goes around the solver of `compact`: feet that are held, and what lies between frames.

use super::{Encoder, Quality, gate_is_dense};
use crate::codec::compact::{CompactClip, CompactEncoder, Held, Wanted};
use crate::codec::compressed::{Compressed, HeldLimb, Payload};
use crate::codec::control::Control;
use crate::codec::error::CodecError;
use crate::codec::file::file;
use crate::codec::settings::{Budget, Hold, Settings};
use crate::metrics::Contact;
use std::sync::Arc;

/// How often a smaller target is tried where curves are evaluated between frames.
const SMOOTH_TRIES: usize = 5;

/// What settings lead to when nothing is held.
pub(super) struct Free {
    /// Without what is held.
    settings: Settings,
    quality: Quality,
    /// With the target that the solver was given.
    given: Settings,
    clip: Arc<CompactClip>,
    target_met: Option<bool>,
}

impl Encoder {
    /// With a slide target, limbs whose feet slide more while they stand are stored again such that they do not;
    /// the rest of the clip stays as it is without.
    pub(super) fn encode_compact(
        &mut self,
        settings: &Settings,
        quality: Quality,
        control: &Control,
    ) -> Result<Compressed, CodecError> {
        let asked = Settings {
            slide_target_m: None,
            hold: Hold::default(),
            ..settings.clone()
        };
        // A draft of what is held begins with the best that is known of the rest.
        let known = settings.slide_target_m.is_some()
            && self.free.as_ref().is_some_and(|free| {
                free.settings == asked && (free.quality == quality || quality == Quality::Draft)
            });
        if !known {
            self.free = Some(self.hold_between(&asked, quality, control)?);
        }
        let Some(free) = &self.free else {
            return Err(CodecError::Cancelled);
        };
        let compressed = free.compressed(settings, &free.clip, Vec::new());
        let Some(limit_m) = settings.slide_target_m else {
            return Ok(compressed);
        };
        let clip = free.clip.clone();
        let given = Settings {
            hold: settings.hold,
            ..free.given.clone()
        };
        let holds = self.holds(limit_m);
        let (made, held) = self.with_solver(&given, |compact, wanted, wrap| {
            compact.hold(wanted, &clip, &holds, quality, wrap, control)
        })?;
        let free = self.free.as_ref().ok_or(CodecError::Cancelled)?;
        Ok(free.compressed(settings, &made, held))
    }

    /// What a slide target holds.
    fn holds(&mut self, limit_m: f64) -> Vec<Held> {
        let contacts = self.contacts();
        let hold = |c: &Contact| Held {
            joint: c.point.joint,
            offset: c.point.offset,
            frames: c.frames,
            end: c.point.foot,
            over: None,
            limit: limit_m / self.unit_m,
        };
        contacts.list.iter().map(hold).collect()
    }

    /// The solver of `compact` holds the target at frames. Where the player evaluates curves between them, the
    /// target that it is given shrinks until what lies between is met as well.
    fn hold_between(
        &mut self,
        settings: &Settings,
        quality: Quality,
        control: &Control,
    ) -> Result<Free, CodecError> {
        let free = |given: &Settings, clip, target_met| Free {
            settings: settings.clone(),
            quality,
            given: given.clone(),
            clip: Arc::new(clip),
            target_met,
        };
        let Budget::Skin { target_m } = settings.budget else {
            return Ok(free(
                settings,
                self.solve_compact(settings, quality, control)?,
                None,
            ));
        };
        let tries = if gate_is_dense(settings) && quality != Quality::Draft {
            SMOOTH_TRIES
        } else {
            1
        };
        let mut given = settings.clone();
        let mut best: Option<(f64, Free)> = None;
        let mut share = 1.0;
        for _ in 0..tries {
            given.budget = Budget::Skin {
                target_m: share * target_m,
            };
            let made = self.solve_compact(&given, quality, control)?;
            if !settings.importance.is_even() {
                // The solver alone knows what each joint may be off by.
                let met = Some(made.met);
                return Ok(free(&given, made, met));
            }
            // It looks at frames; source keys between them, and smooth curves, count as well.
            let gate_m = self.gate_m(settings, &Payload::Container(made.file.as_slice().into()))?;
            let met = gate_m <= target_m;
            if best.as_ref().is_none_or(|b| gate_m < b.0) {
                best = Some((gate_m, free(&given, made, Some(met))));
            }
            if met {
                break;
            }
            share *= (0.97 * target_m / gate_m).clamp(0.2, 0.9);
        }
        // Every pass of the loop leaves a candidate.
        best.map(|b| b.1).ok_or(CodecError::Cancelled)
    }

    fn solve_compact(
        &mut self,
        settings: &Settings,
        quality: Quality,
        control: &Control,
    ) -> Result<CompactClip, CodecError> {
        self.with_solver(settings, |compact, wanted, wrap| {
            compact.encode(wanted, quality, wrap, control)
        })
    }

    /// Runs the solver with what it is to make of the clip, and what makes a file of its animation.
    fn with_solver<R>(
        &mut self,
        settings: &Settings,
        run: impl FnOnce(&CompactEncoder, &Wanted, Wrap) -> Result<R, CodecError>,
    ) -> Result<R, CodecError> {
        let clip = &self.clip;
        let compact = self
            .compact
            .get_or_insert_with(|| CompactEncoder::new(clip));
        let (unit_m, source_hash) = (self.unit_m, self.source_hash);
        let wrap = |section| {
            file(clip, settings, unit_m, source_hash, section).map_err(CodecError::Container)
        };
        let wanted = Wanted {
            clip,
            settings,
            unit_m,
        };
        run(compact, &wanted, &wrap)
    }
}

/// Makes a file of an animation section.
type Wrap<'a> = &'a (dyn Fn(Vec<u8>) -> Result<Vec<u8>, CodecError> + Sync);

impl Free {
    fn compressed(
        &self,
        settings: &Settings,
        clip: &CompactClip,
        held: Vec<HeldLimb>,
    ) -> Compressed {
        Compressed {
            deliverable: settings.deliverable,
            payload: Payload::Container(clip.file.as_slice().into()),
            tracks: clip.tracks.clone(),
            target_met: self.target_met,
            tolerance_scale: clip.scale,
            held,
        }
    }
}
