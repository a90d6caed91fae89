//! Holding points in their place: limbs are stored again, everything else stays as it was to the bit.

mod drift;
mod limb;
mod plan;
mod trial;

use super::choose::Choice;
use super::guide::{Guides, Over};
use super::pass::{Pass, Placed};
use super::section::section;
use super::solve::{Demands, Preset, Solved, Wrap, bases, cycle, errors};
use super::source::Source;
use crate::codec::compressed::Player;
use crate::codec::control::Control;
use crate::codec::error::CodecError;
use crate::codec::holding::{HeldLimb, Hold};
use crate::math::Transform;
use crate::model::{FrameGrid, PoseSource as _};
use glam::DVec3;
use limb::Limb;
use plan::Plan;
use rayon::prelude::*;
use trial::{Trial, Tried};

/// Of what is allowed, what is aimed at: the file is decoded in single precision.
const EXACT: f64 = 0.998;

/// So many of the ways to hold a limb are followed to the end.
const FINALISTS: usize = 2;

/// A point that is held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::codec) struct Held {
    /// The joint that carries the point.
    pub(in crate::codec) joint: usize,
    /// The point in that joint's space.
    pub(in crate::codec) offset: DVec3,
    /// First and last frame.
    pub(in crate::codec) frames: (usize, usize),
    /// The joint where the limb ends, at or above the one with the point.
    pub(in crate::codec) end: usize,
    /// The joint whose turns count: the one with the point, or one over which it is held, which is to be no farther off
    /// than the point can follow.
    pub(in crate::codec) carrier: usize,
    /// Over what it is held.
    pub(in crate::codec) over: Over,
    /// The largest distance between two of its errors, source units.
    pub(in crate::codec) limit: f64,
}

/// What is held of a clip.
#[derive(Clone, Debug)]
pub(in crate::codec) struct Holds {
    pub(in crate::codec) list: Vec<Held>,
    /// The part of the largest skin error before that limbs may use when they are stored again.
    pub(in crate::codec) skin: f64,
}

/// The clip, solved without holds, and what it is held to.
pub(super) struct Staking<'a> {
    pub(super) source: &'a Source,
    pub(super) grid: FrameGrid,
    pub(super) demands: &'a Demands,
    pub(super) preset: &'a Preset,
    pub(super) solved: &'a Solved,
    pub(super) holds: &'a [Held],
}

impl Staking<'_> {
    /// Stores limbs again such that their points are held within their limits, each in the way that needs the fewest
    /// bits; `skin` is the part of the budgets that they may use.
    pub(super) fn run(
        &self,
        hold: Hold,
        skin: f64,
        wrap: Wrap,
        control: &Control,
    ) -> Result<(Solved, Vec<HeldLimb>), CodecError> {
        let file = self.solved.file.clone();
        let player = Player::container(file.into()).map_err(CodecError::ReadBack)?;
        let mut placed = self.placed(&player);
        let (limbs, unheld) = self.limbs(&placed);
        let mut joints = self.solved.joints.clone();
        let mut held = Vec::new();
        for (n, limb) in limbs.iter().enumerate() {
            control.report(n as f32 / limbs.len() as f32);
            let Some(tried) = self.best(limb, hold, skin, &placed, control) else {
                continue;
            };
            held.push((limb, tried.stake));
            for (j, result) in tried.joints.into_iter().enumerate() {
                if let Some(result) = result {
                    joints[j] = result.stored;
                    placed[j] = Some(result.placed);
                }
            }
        }
        if control.is_cancelled() {
            return Err(CodecError::Cancelled);
        }
        let bases = bases(self.source, self.demands);
        let section = section(
            self.source,
            &joints,
            &self.demands.order,
            bases,
            cycle(self.source, self.demands).says(),
        );
        let file = wrap(section.clone())?;
        let player = Player::container(file.clone().into()).map_err(CodecError::ReadBack)?;
        // Whether limits are kept is a question to what a player decodes.
        let placed = self.placed(&player);
        let held = held.into_iter().map(|(limb, by)| HeldLimb {
            joint: limb.holds[0].0.end,
            by,
            reached: self.slides(limb, &placed) <= 1.0,
        });
        let unheld = unheld.into_iter().map(|joint| HeldLimb {
            joint,
            by: Hold::Pin,
            reached: false,
        });
        let held = held.chain(unheld).collect();
        let errors = errors(self.source, self.grid, self.demands, &player);
        let worst = errors.iter().copied().fold(0.0_f32, f32::max);
        let solved = Solved {
            joints,
            section,
            file,
            worst: f64::from(worst),
            ..self.solved.clone()
        };
        Ok((solved, held))
    }

    /// The best of all ways to hold a limb; `None` where nothing needs to be held.
    fn best<'l>(
        &self,
        limb: &'l Limb,
        hold: Hold,
        skin: f64,
        placed: &[Option<Placed>],
        control: &Control,
    ) -> Option<Tried> {
        if self.slides(limb, placed) <= 1.0 {
            return None;
        }
        let passes = self.preset.stakes();
        let mut best: Option<Trial> = None;
        for plans in Plan::all(hold) {
            let enough = best.as_ref().is_some_and(|b| b.worst() <= 1.0);
            if enough || plans.is_empty() {
                break;
            }
            let few = if self.preset.is_draft() {
                1
            } else {
                plans.len()
            };
            let mut trials: Vec<Trial<'l>> = plans[..few]
                .par_iter()
                .map(|plan| {
                    let mut trial = self.trial(limb, *plan, skin, placed);
                    self.advance(&mut trial, passes[0], placed, control);
                    trial
                })
                .collect();
            trials.sort_by(|a, b| b.is_better_than(a).cmp(&a.is_better_than(b)));
            trials.truncate(FINALISTS);
            trials
                .par_iter_mut()
                .for_each(|trial| self.advance(trial, passes[1], placed, control));
            let better = |a: Trial<'l>, b: Trial<'l>| if b.is_better_than(&a) { b } else { a };
            best = best.into_iter().chain(trials).reduce(better);
        }
        best?.best
    }

    /// All joints as they decode.
    fn placed(&self, player: &Player) -> Vec<Option<Placed>> {
        let count = self.source.joints.len();
        let mut player = player.clone();
        let mut pose = vec![Transform::IDENTITY; count];
        let mut locals = vec![Vec::with_capacity(self.source.frames); count];
        for f in 0..self.source.frames {
            player.pose(self.grid.secs(f as f64), &mut pose);
            for (local, &t) in locals.iter_mut().zip(&pose) {
                local.push(t);
            }
        }
        let mut placed: Vec<Option<Placed>> = Vec::with_capacity(count);
        for (j, local) in locals.iter().enumerate() {
            let parent = self.source.joints[j].parent;
            let parent = parent.and_then(|p| placed[p].as_ref());
            placed.push(Some(Placed::new(self.source, j, parent, local)));
        }
        placed
    }

    fn pass<'p>(
        &'p self,
        budgets: &'p [f64],
        factors: &'p [Vec<f64>],
        guides: &'p [Guides],
        outside: &'p [Option<Placed>],
        choices: &'p [[Option<Choice>; 3]],
        control: &'p Control,
    ) -> Pass<'p> {
        Pass {
            source: self.source,
            search: self.preset.search(),
            budgets,
            clouds: &self.demands.clouds,
            levers: &self.demands.levers,
            caps: &self.demands.caps,
            cycle: cycle(self.source, self.demands),
            scale: self.solved.scale.max(1.0),
            factors,
            parts: &self.demands.parts,
            guides,
            outside,
            bases: bases(self.source, self.demands),
            choices,
            control,
        }
    }

    fn budgets(&self) -> Vec<f64> {
        let level = self.solved.scale.min(1.0);
        self.demands.budgets.iter().map(|b| b * level).collect()
    }
}
