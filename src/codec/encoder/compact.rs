//! What goes around the solver of `compact`: feet that are held, and what lies between frames.

use super::{Encoder, Quality};
use crate::codec::compact::{CompactClip, CompactEncoder, Held, Holds, Over, Wanted};
use crate::codec::compressed::{Compressed, Payload};
use crate::codec::control::Control;
use crate::codec::error::CodecError;
use crate::codec::file::file;
use crate::codec::holding::HeldLimb;
use crate::codec::judge::{Instants, Limit, Matter, Ruling};
use crate::codec::settings::{Budget, Settings};
use crate::metrics::Contacts;
use std::sync::Arc;

/// How often a smaller target is tried where curves are evaluated between frames.
const SMOOTH_TRIES: usize = 5;

/// How often limbs are stored again within less.
const HOLD_TRIES: usize = 3;

/// What is over its limit by less than this is held closer.
const NEARLY: f64 = 1.5;

/// How far skin is taken to be over where it is known only that it is.
const OVER: f64 = 1.02;

/// What settings lead to when nothing is held.
pub(super) struct Free {
    /// Without what is held.
    settings: Settings,
    quality: Quality,
    /// With the target that the solver was given.
    given: Settings,
    clip: CompactClip,
    target_met: Option<bool>,
}

/// How a clip came out when its limbs were stored again.
struct Outcome {
    /// The skin error against its target, where that was met before.
    skin: f64,
    /// The largest of what is held against its limit.
    slide: f64,
    /// Ends of limbs of which something is over its limit.
    over: Vec<usize>,
}

impl Encoder {
    /// Limbs whose feet slide more than they may while they stand are stored again such that they do not; the rest of
    /// the clip stays as it is without.
    pub(super) fn encode_compact(
        &mut self,
        settings: &Settings,
        quality: Quality,
        control: &Control,
    ) -> Result<Compressed, CodecError> {
        let asked = settings.unheld();
        // A draft of what is held begins with the best that is known of the rest.
        let known = |free: &Arc<Free>| {
            let drafts = settings.holds() && quality == Quality::Draft;
            settings.holds() && free.settings == asked && (free.quality == quality || drafts)
        };
        let free = match self.free.clone().filter(known) {
            Some(free) => free,
            None => Arc::new(self.hold_between(&asked, quality, control)?),
        };
        self.free = Some(free.clone());
        if settings.holds() {
            return self.hold(settings, &free, quality, control);
        }
        Ok(free.compressed(settings, &free.clip, Vec::new()))
    }

    /// Stores limbs again; where source keys or curves between frames are then off by too much, once more, within less.
    fn hold(
        &mut self,
        settings: &Settings,
        free: &Free,
        quality: Quality,
        control: &Control,
    ) -> Result<Compressed, CodecError> {
        let contacts = self.held_contacts(settings)?;
        let mut holds = Holds {
            list: self.held(settings, &contacts),
            skin: 1.0,
        };
        let given = Settings {
            hold: settings.hold,
            ..free.given.clone()
        };
        let tries = if quality == Quality::Draft {
            1
        } else {
            HOLD_TRIES
        };
        let mut best: Option<(f64, Compressed)> = None;
        let mut tried = Vec::new();
        for _ in 0..tries {
            let (made, mut limbs) = self.with_solver(&given, |compact, wanted, wrap| {
                compact.hold(wanted, &free.clip, &holds, quality, wrap, control)
            })?;
            let reached = limbs.iter().all(|l| l.reached);
            tried.clone_from(&limbs);
            let within = made.met;
            let mut made = free.compressed(settings, &made, Vec::new());
            if quality == Quality::Draft {
                return Ok(Compressed {
                    held: limbs,
                    ..made
                });
            }
            let mut outcome = self.outcome(settings, free, &contacts, &made)?;
            if free.clip.met && !within {
                // Also where joints and frames count differently, which the outcome does not know.
                outcome.skin = outcome.skin.max(OVER);
            }
            for limb in &mut limbs {
                limb.reached &= !outcome.over.contains(&limb.joint);
            }
            made.held = limbs;
            // What holds the skin is not given up for a foot.
            if outcome.skin <= 1.0 && best.as_ref().is_none_or(|b| outcome.slide < b.0) {
                best = Some((outcome.slide, made));
            }
            // What is far over its limit cannot be held, and stays so within less.
            let slides = outcome.slide > 1.0 && (reached || outcome.slide < NEARLY);
            if outcome.skin <= 1.0 && !slides {
                break;
            }
            holds.skin *= (0.97 / outcome.skin).min(1.0);
            let closer = (0.97 / outcome.slide).clamp(0.3, 1.0);
            for held in &mut holds.list {
                held.limit *= if slides { closer } else { 1.0 };
            }
        }
        if let Some((_, made)) = best {
            return Ok(made);
        }
        for limb in &mut tried {
            limb.reached = false;
        }
        Ok(free.compressed(settings, &free.clip, tried))
    }

    fn outcome(
        &self,
        settings: &Settings,
        free: &Free,
        contacts: &Contacts,
        made: &Compressed,
    ) -> Result<Outcome, CodecError> {
        let judged = self.judge(settings, contacts, made)?;
        let skin = judged.target().and_then(Limit::ratio);
        let met = free.target_met == Some(true);
        let mut outcome = Outcome {
            skin: skin.filter(|_| met).unwrap_or(0.0),
            slide: 0.0,
            over: Vec::new(),
        };
        for limit in &judged.limits {
            let end = match limit.of {
                Matter::Slide(contact) => contact.point.foot,
                Matter::Pair(n) => contacts.pairs[n].joint,
                _ => continue,
            };
            outcome.slide = outcome.slide.max(limit.ratio().unwrap_or(0.0));
            if limit.ruling == Ruling::Over {
                outcome.over.push(end);
            }
        }
        Ok(outcome)
    }

    /// Every point that is held.
    fn held(&self, settings: &Settings, contacts: &Contacts) -> Vec<Held> {
        let joints = self.clip.skeleton().joints();
        let (feet_m, pairs_m) = contacts.source_drifts_m(&self.clip, self.unit_m);
        let feet = contacts.list.iter().zip(feet_m).filter_map(|(c, drift_m)| {
            let foot = joints.get(c.point.foot)?;
            let limit_m = settings.slide_limit(&foot.name, drift_m)?.limit;
            Some(Held {
                joint: c.point.joint,
                offset: c.point.offset,
                frames: c.frames,
                end: c.point.foot,
                carrier: c.point.joint,
                over: Over::Ground,
                limit: limit_m / self.unit_m,
            })
        });
        let pairs = settings.pairs.iter().zip(&contacts.pairs).zip(pairs_m);
        let pairs = pairs.filter_map(|((named, p), drift_m)| {
            let limit_m = settings.drift_limit(named, drift_m)?.limit;
            Some(Held {
                joint: p.joint,
                offset: p.offset,
                frames: p.frames,
                end: p.joint,
                carrier: p.joint,
                over: p.to.map_or(Over::World, Over::Joint),
                limit: limit_m / self.unit_m,
            })
        });
        feet.chain(pairs).filter(|h| self.has(h)).collect()
    }

    /// Whether a hold is one of this clip: contacts may be those of another.
    fn has(&self, held: &Held) -> bool {
        let (first, last) = held.frames;
        let joints = self.clip.skeleton().len();
        let named = [held.joint, held.end, held.carrier];
        named.iter().all(|&j| j < joints)
            && first <= last
            && last < self.clip.grid().frames
            && held.offset.is_finite()
    }

    /// The solver of `compact` holds the target at frames, and does not see morphs. Where the player evaluates curves
    /// between frames, or morph targets move vertices, the target that it is given shrinks until those are held as well.
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
            clip,
            target_met,
        };
        let Budget::Skin { target_m } = settings.budget else {
            return Ok(free(
                settings,
                self.solve_compact(settings, quality, control)?,
                None,
            ));
        };
        let between = Instants::of(settings) == Instants::Between;
        let morphs = self.measuring(settings).body.has_morphs();
        let tries = if (between || morphs) && quality != Quality::Draft {
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
            given.weight_tolerance = share.sqrt() * settings.weight_tolerance;
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
        let on = self.measuring(settings);
        let (clip, additive) = (&self.clip, self.additive);
        let compact = self
            .compact
            .get_or_insert_with(|| CompactEncoder::new(clip, additive));
        let (unit_m, source_hash) = (self.unit_m, self.source_hash);
        let curves = self.curves.section(clip, settings);
        let curves = curves.map_err(CodecError::Container)?;
        let wrap = |section| {
            file(clip, settings, unit_m, source_hash, section, &curves)
                .map_err(CodecError::Container)
        };
        let wanted = Wanted {
            clip,
            settings,
            unit_m,
            body: &on.body,
            clouds: &on.clouds,
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
