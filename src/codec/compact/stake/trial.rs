//! The search for how to hold a limb in one way.

use super::limb::Limb;
use super::plan::Plan;
use super::{EXACT, Held, Staking};
use crate::codec::compact::choose::Choice;
use crate::codec::compact::joint::Stored;
use crate::codec::compact::pass::{JointResult, Placed};
use crate::codec::compact::source::Source;
use crate::codec::control::Control;
use crate::codec::holding::Hold;

/// A hold that leaves more than this part of its limit is let out.
const LOOSE: f64 = 0.94;

/// Holds that are changed aim at this part of their limit.
const AIM: f64 = 0.97;

/// A limb as it was stored once more.
pub(super) struct Tried {
    pub(super) joints: Vec<Option<JointResult>>,
    pub(super) stake: Hold,
    bits: u32,
    /// The largest part of what is allowed that is used: of a limit or of the skin.
    worst: f64,
}

impl Tried {
    fn is_better_than(&self, other: &Self) -> bool {
        if self.worst <= 1.0 && other.worst <= 1.0 {
            self.bits < other.bits
        } else {
            self.worst < other.worst
        }
    }
}

/// The search for how to hold a limb in one way.
pub(super) struct Trial<'a> {
    limb: &'a Limb,
    plan: Plan,
    /// The part of the budgets that may be used.
    skin: f64,
    /// On the tolerances of each joint at each frame.
    factors: Vec<Vec<f64>>,
    /// How far off each point may be; `None` for those that need not be held.
    radii: Vec<Option<f64>>,
    /// What was chosen for each channel the time before; at first everything is searched.
    choices: Vec<[Option<Choice>; 3]>,
    passes: usize,
    pub(super) best: Option<Tried>,
    settled: bool,
}

impl Trial<'_> {
    pub(super) fn worst(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |b| b.worst)
    }

    pub(super) fn is_better_than(&self, other: &Self) -> bool {
        match (&self.best, &other.best) {
            (Some(own), Some(others)) => own.is_better_than(others),
            (own, _) => own.is_some(),
        }
    }

    /// Tightens and lets out; whether anything is to change.
    fn adjust(&mut self, slides: &[f64], skin: f64) -> bool {
        let skin_over = skin > self.skin * EXACT;
        let mut changed = skin_over;
        for ((held, radius), &slide) in self.limb.holds.iter().zip(&mut self.radii).zip(slides) {
            let aim = AIM / slide;
            let wanted = match *radius {
                None if slide > EXACT => Some(0.5 * held.0.limit * EXACT),
                Some(r) if slide > EXACT => Some(r * aim.clamp(0.5, 0.97)),
                Some(r) if slide < LOOSE && !skin_over => Some(r * aim.clamp(1.0, 1.5)),
                _ => continue,
            };
            *radius = wanted;
            changed = true;
        }
        changed
    }
}

impl Staking<'_> {
    /// Begins a search.
    pub(super) fn trial<'l>(
        &self,
        limb: &'l Limb,
        plan: Plan,
        skin: f64,
        placed: &[Option<Placed>],
    ) -> Trial<'l> {
        let at = |j: usize| placed[j].as_ref();
        let over = |h: &Held| self.slide(h, &at) > h.limit;
        let radius = |(h, _): &(Held, _)| over(h).then_some(0.5 * h.limit * EXACT);
        Trial {
            limb,
            plan,
            skin,
            factors: (self.solved.factors.iter().zip(&limb.inside))
                .map(|(f, &inside)| if inside { f.clone() } else { Vec::new() })
                .collect(),
            radii: limb.holds.iter().map(radius).collect(),
            choices: vec![[None; 3]; self.source.joints.len()],
            passes: 0,
            best: None,
            settled: false,
        }
    }

    /// Stores the limb again some times: tighter where something is over its limit, looser where it is held for
    /// nothing.
    pub(super) fn advance(
        &self,
        trial: &mut Trial,
        passes: usize,
        placed: &[Option<Placed>],
        control: &Control,
    ) {
        let budgets = self.budgets();
        let limb = trial.limb;
        for _ in 0..passes {
            if trial.settled || control.is_cancelled() {
                break;
            }
            let guides = self.guides(limb, &trial.plan, &trial.radii);
            let pass = self.pass(
                &budgets,
                &trial.factors,
                &guides,
                placed,
                &trial.choices,
                control,
            );
            let Some(joints) = pass.run_below(&limb.rigid, &limb.inside) else {
                break;
            };
            let at = |j: usize| match &joints[j] {
                Some(result) => Some(&result.placed),
                None => placed[j].as_ref(),
            };
            trial.passes += 1;
            if trial.passes >= self.preset.explorations(self.source) {
                for (choice, result) in trial.choices.iter_mut().zip(&joints) {
                    if let Some(result) = result {
                        *choice = result.stored.each_ref().map(Stored::choice);
                    }
                }
            }
            let (skin, used) = self.skin(limb, &at);
            let slides: Vec<f64> = (limb.holds.iter())
                .map(|(h, _)| self.slide(h, &at) / h.limit)
                .collect();
            let all = std::iter::once(skin / trial.skin).chain(slides.iter().copied());
            let stored = joints.iter().flatten().flat_map(|j| &j.stored);
            let tried = Tried {
                stake: trial.plan.stake,
                bits: stored.map(Stored::cost).sum(),
                worst: all.fold(0.0, f64::max) / EXACT,
                joints,
            };
            if trial.best.as_ref().is_none_or(|b| tried.is_better_than(b)) {
                trial.best = Some(tried);
            }
            trial.settled = !trial.adjust(&slides, skin);
            if skin > trial.skin * EXACT {
                repair(&mut trial.factors, self.source, &used, trial.skin * EXACT);
            }
        }
    }
}

/// Tightens the joints that are over their budgets, and those above them.
fn repair(factors: &mut [Vec<f64>], source: &Source, used: &[(usize, Vec<f64>)], limit: f64) {
    let frames = source.frames;
    let mut tighter: Vec<(usize, Vec<f64>)> =
        used.iter().map(|(j, u)| (*j, vec![1.0; u.len()])).collect();
    for (j, used) in used {
        for (f, &part) in used.iter().enumerate() {
            if part <= 0.9995 * limit {
                continue;
            }
            let mut factor = (0.96 * limit / part).max(0.5);
            let mut above = Some(*j);
            for _ in 0..3 {
                let Some(a) = above else { break };
                let Some((_, of)) = tighter.iter_mut().find(|t| t.0 == a) else {
                    break;
                };
                for near in &mut of[f.saturating_sub(2)..(f + 3).min(frames)] {
                    *near = f64::min(*near, factor);
                }
                factor = factor.sqrt();
                above = source.joints[a].parent;
            }
        }
    }
    for (j, tighter) in tighter {
        for (factor, tighter) in factors[j].iter_mut().zip(tighter) {
            *factor *= tighter;
        }
    }
}
