//! Holding feet where no joint makes up for the errors above it: the tolerances of the joints above feet are tightened.

use super::{Encoder, Quality};
use crate::codec::compressed::Compressed;
use crate::codec::control::Control;
use crate::codec::error::CodecError;
use crate::codec::holding::{HeldLimb, Hold};
use crate::codec::judge::{Matter, Ruling};
use crate::codec::settings::{SETTING_RANGE, Settings};
use crate::metrics::{Contact, Contacts};
use std::collections::BTreeMap;

/// How often chains are tightened.
const TRIES: usize = 6;

/// A chain that slides too far gets this part of what would do if errors were in proportion.
const AIM: f64 = 0.8;

/// What slides more than this part of what it did before will not get better.
const LITTLE: f64 = 0.98;

/// Joints whose point moves too far, and by how much.
struct Over {
    /// The foot, or the first joint of a pair.
    end: usize,
    /// Where chains begin that go up to the root.
    ends: [Option<usize>; 2],
    ratio: f64,
}

impl Encoder {
    /// Compresses and, while a foot slides more than it may, gives the joints from it up to the root smaller
    /// tolerances. There is no limb to bend here: what storage is too coarse for stays.
    pub(super) fn encode_chains(
        &mut self,
        settings: &Settings,
        quality: Quality,
        control: &Control,
    ) -> Result<Compressed, CodecError> {
        let mut made = self.encode_freely(settings, quality, control)?;
        if !settings.holds() {
            return Ok(made);
        }
        let contacts = self.held_contacts(settings)?;
        let mut over = self.over(settings, &contacts, &made)?;
        let ends = |over: &[Over]| -> Vec<usize> { over.iter().map(|o| o.end).collect() };
        let held = ends(&over);
        let tries = if quality == Quality::Draft { 2 } else { TRIES };
        let mut given = settings.clone();
        let mut best = (worst(&over), ends(&over), made.clone());
        for _ in 0..tries {
            if over.is_empty() {
                break;
            }
            self.tighten(&mut given, &made, &over);
            let before = worst(&over);
            made = self.encode_freely(&given, quality, control)?;
            over = self.over(settings, &contacts, &made)?;
            // What holds the skin is not given up for a foot.
            if worst(&over) < best.0 && made.target_met >= best.2.target_met {
                best = (worst(&over), ends(&over), made.clone());
            }
            if worst(&over) > LITTLE * before {
                // Its storage goes no finer.
                break;
            }
        }
        let mut held: Vec<HeldLimb> = held
            .into_iter()
            .map(|joint| HeldLimb {
                joint,
                by: Hold::Pin,
                reached: !best.1.contains(&joint),
            })
            .collect();
        held.dedup_by_key(|h| h.joint);
        Ok(Compressed { held, ..best.2 })
    }

    fn over(
        &self,
        settings: &Settings,
        contacts: &Contacts,
        made: &Compressed,
    ) -> Result<Vec<Over>, CodecError> {
        let judged = self.judge(settings, contacts, made)?;
        let over = judged.ruled(Ruling::Over).filter_map(|limit| {
            let (end, ends) = match limit.of {
                Matter::Slide(Contact { point, .. }) => (point.foot, [Some(point.joint), None]),
                Matter::Pair(n) => {
                    let pair = contacts.pairs[n];
                    (pair.joint, [Some(pair.joint), pair.to])
                }
                _ => return None,
            };
            let ratio = limit.ratio()?;
            Some(Over { end, ends, ratio })
        });
        Ok(over.collect())
    }

    /// Caps the tracks of the chains that are over by a part of what they were fitted with.
    fn tighten(&self, given: &mut Settings, made: &Compressed, over: &[Over]) {
        let joints = self.clip.skeleton().joints();
        let mut factors: BTreeMap<usize, f64> = BTreeMap::new();
        for chain in over {
            let factor = (AIM / chain.ratio).clamp(0.2, 0.9);
            for end in chain.ends.into_iter().flatten() {
                let end = Some(end).filter(|&j| j < joints.len());
                for j in std::iter::successors(end, |&j| joints[j].parent) {
                    let least = factors.entry(j).or_insert(factor);
                    *least = least.min(factor);
                }
            }
        }
        for track in &made.tracks {
            let Some(factor) = factors.get(&track.joint) else {
                continue;
            };
            let unit = self
                .chains
                .in_the_world(track.joint, track.channel, self.unit_m);
            let own = given.overrides.entry(joints[track.joint].name.clone());
            let own = own.or_default();
            // What does not move in `compact` says nothing of what it was allowed.
            let allowed = Some(track.tolerance * unit).filter(|&a| a > 0.0);
            let allowed = allowed.or(own.of(track.channel));
            let allowed = allowed.unwrap_or(given.tolerances.of(track.channel));
            let cap = (allowed * factor).max(*SETTING_RANGE.start());
            if cap.is_finite() {
                own.set(track.channel, Some(cap));
            }
        }
    }
}

/// 1 where nothing is over.
fn worst(over: &[Over]) -> f64 {
    over.iter().map(|o| o.ratio).fold(1.0, f64::max)
}
