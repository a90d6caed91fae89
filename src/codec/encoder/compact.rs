//! What goes around the solver of `compact`: feet that are held, and what lies between frames.

use super::{Encoder, Quality, gate_is_dense};
use crate::codec::compact::{CompactEncoder, Wanted};
use crate::codec::compressed::{Compressed, Payload};
use crate::codec::control::Control;
use crate::codec::error::CodecError;
use crate::codec::file::file;
use crate::codec::pins::{Pins, worst_slide_m};
use crate::codec::settings::{Budget, Settings};
use crate::metrics::{self, Contacts, Measured};

/// How often a smaller target is tried where curves are evaluated between frames.
const SMOOTH_TRIES: usize = 5;

/// How often contacts are pinned tighter.
const PIN_TRIES: usize = 5;

impl Encoder {
    /// With a slide target, contacts that slide more are pinned, tighter each time, until none does or nothing
    /// helps: their joints are then held to a part of their budget while they stand.
    pub(super) fn encode_compact(
        &mut self,
        settings: &Settings,
        quality: Quality,
        control: &Control,
    ) -> Result<Compressed, CodecError> {
        let contacts = self.contacts();
        let mut pins = Pins::none(&contacts);
        let Some(limit_m) = settings.slide_target_m else {
            return self.hold_between(settings, &pins, quality, control);
        };
        if quality == Quality::Draft {
            let near = self.last_pins.as_ref().filter(|(_, p)| p.fit(&contacts));
            let pins = near.map_or(pins, |(of_m, p)| p.scaled(limit_m / of_m));
            return self.hold_between(settings, &pins, quality, control);
        }
        let free = self.hold_between(settings, &pins, quality, control)?;
        let mut last = self.measured(settings, &free, &contacts)?;
        let mut best = (worst_slide_m(&last), pins.clone(), free);
        for _ in 0..PIN_TRIES {
            if !pins.adjust(&last, limit_m) {
                break;
            }
            let made = self.hold_between(settings, &pins, quality, control)?;
            last = self.measured(settings, &made, &contacts)?;
            let slide_m = worst_slide_m(&last);
            let better = if slide_m <= limit_m && best.0 <= limit_m {
                made.animation_bytes() < best.2.animation_bytes()
            } else {
                slide_m < best.0
            };
            // What holds the skin is not given up for a foot.
            if better && made.target_met >= best.2.target_met {
                best = (slide_m, pins.clone(), made);
            }
        }
        self.last_pins = Some((limit_m, best.1));
        Ok(best.2)
    }

    fn measured(
        &self,
        settings: &Settings,
        compressed: &Compressed,
        contacts: &Contacts,
    ) -> Result<Measured, CodecError> {
        let player = compressed.player(self.clip.skeleton());
        let options = settings.measuring(self.clip.skeleton(), self.unit_m, 1);
        let player = player.map_err(CodecError::ReadBack)?;
        Ok(metrics::measure_with(
            &self.clip, &player, contacts, &options,
        ))
    }

    /// The solver of `compact` holds the target at frames. Where the player evaluates curves between them, the
    /// target that it is given shrinks until what lies between is met as well.
    fn hold_between(
        &mut self,
        settings: &Settings,
        pins: &Pins,
        quality: Quality,
        control: &Control,
    ) -> Result<Compressed, CodecError> {
        let Budget::Skin { target_m } = settings.budget else {
            return self.solve_compact(settings, pins, quality, control);
        };
        let tries = if gate_is_dense(settings) && quality != Quality::Draft {
            SMOOTH_TRIES
        } else {
            1
        };
        let mut given = settings.clone();
        let mut best: Option<(f64, Compressed)> = None;
        let mut share = 1.0;
        for _ in 0..tries {
            given.budget = Budget::Skin {
                target_m: share * target_m,
            };
            let mut made = self.solve_compact(&given, pins, quality, control)?;
            // It looks at frames; source keys between them, and smooth curves, count as well.
            let gate_m = self.gate_m(settings, &made.payload)?;
            let met = gate_m <= target_m;
            made.target_met = Some(met);
            if best.as_ref().is_none_or(|b| gate_m < b.0) {
                best = Some((gate_m, made));
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
        pins: &Pins,
        quality: Quality,
        control: &Control,
    ) -> Result<Compressed, CodecError> {
        let contacts = self.contacts();
        let (clip, additive) = (&self.clip, self.additive);
        let compact = self
            .compact
            .get_or_insert_with(|| CompactEncoder::new(clip, additive));
        let (unit_m, source_hash) = (self.unit_m, self.source_hash);
        let wrap = |section| {
            file(clip, settings, unit_m, source_hash, section).map_err(CodecError::Container)
        };
        let pins = pins.of_joints(&contacts, clip.skeleton().len(), clip.grid().frames);
        let wanted = Wanted {
            clip,
            settings,
            unit_m,
            pins,
        };
        let made = compact.encode(&wanted, quality, &wrap, control)?;
        let target_met = match settings.budget {
            Budget::Skin { .. } => Some(made.met),
            Budget::Tolerances => None,
        };
        Ok(Compressed {
            deliverable: settings.deliverable,
            payload: Payload::Container(made.file.into()),
            tracks: made.tracks,
            target_met,
            tolerance_scale: made.scale,
        })
    }
}
