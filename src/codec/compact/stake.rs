//! Holding points in their place: limbs are stored again, everything else stays as it was to the bit.

use super::choose::Choice;
use super::guide::{Along, Guide, Guides, Over};
use super::joint::Stored;
use super::pass::{JointResult, Pass, Placed};
use super::section::section;
use super::solve::{Demands, Preset, Solved, Wrap, bases, cycle, errors};
use super::source::Source;
use crate::codec::compressed::Player;
use crate::codec::control::Control;
use crate::codec::error::CodecError;
use crate::codec::holding::{HeldLimb, Hold};
use crate::math::Transform;
use crate::metrics::{ground_diameter, space_diameter};
use crate::model::{FrameGrid, PoseSource as _};
use glam::{DVec2, DVec3};
use rayon::prelude::*;

/// Joints above the one that is held, at most, that are stored again for it.
const MOST_ABOVE: usize = 3;

/// What reaches farther than this part of the whole skeleton is a limb; fingers and twists are none.
const LIMB_REACH: f64 = 0.15;

/// A joint can keep a point in its place if that is farther away than this part of the joint's shell.
const LEAST_LEVER: f64 = 0.3;

/// Of what is allowed, what is aimed at: the file is decoded in single precision.
const EXACT: f64 = 0.998;

/// Of a joint's budget, how far the joint over which its point is held may carry that.
const FOLLOWED: f64 = 0.8;

/// A hold that leaves more than this part of its limit is let out.
const LOOSE: f64 = 0.94;

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

/// What keeps a point in its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plan {
    /// What it is called.
    stake: Hold,
    /// How far the joint that makes up for the rest may be off, in radii of the hold, and those above it.
    places: [f64; 2],
    /// How far bones may be off along themselves.
    bones: Option<f64>,
}

const FREE: f64 = f64::INFINITY;

impl Plan {
    const fn pin(places: [f64; 2]) -> Self {
        Self {
            stake: Hold::Pin,
            places,
            bones: None,
        }
    }

    const fn limb(places: [f64; 2], bones: f64) -> Self {
        Self {
            stake: Hold::Limb,
            places,
            bones: Some(bones),
        }
    }

    /// Its bones are for joints over which a point is held: they turn, whatever their place.
    const FULL: Self = Self {
        stake: Hold::Full,
        places: [1.0, 6.0],
        bones: Some(2.0),
    };

    const PINS: [Self; 3] = [
        Self::pin([3.0, 6.0]),
        Self::pin([FREE, FREE]),
        Self::pin([1.5, FREE]),
    ];

    const LIMBS: [Self; 2] = [Self::limb([3.0, 6.0], 2.0), Self::limb([2.0, FREE], 1.0)];

    /// What is tried first, and what where that does not do.
    fn all(hold: Hold) -> [Vec<Self>; 2] {
        match hold {
            Hold::Pin => [Self::PINS.to_vec(), Vec::new()],
            Hold::Limb => [Self::LIMBS.to_vec(), Vec::new()],
            Hold::Full => [vec![Self::FULL], Vec::new()],
            Hold::Best => [[&Self::PINS[..], &Self::LIMBS].concat(), vec![Self::FULL]],
        }
    }
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

/// A limb with its holds.
struct Limb {
    /// Which joints are stored again: the root and all below it.
    inside: Vec<bool>,
    /// Joints that do not turn.
    rigid: Vec<bool>,
    /// With the joints that turn to keep the point in its place, the nearest first.
    holds: Vec<(Held, Vec<usize>)>,
}

/// A limb as it was stored once more.
struct Tried {
    joints: Vec<Option<JointResult>>,
    stake: Hold,
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
struct Trial<'a> {
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
    best: Option<Tried>,
    settled: bool,
}

impl Trial<'_> {
    fn worst(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |b| b.worst)
    }

    fn is_better_than(&self, other: &Self) -> bool {
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
            let aim = 0.97 / slide;
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
        let section = section(&joints, bases, cycle(self.source, self.demands).says());
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
            if best.as_ref().is_some_and(|b| b.worst() <= 1.0) {
                break;
            }
            if plans.is_empty() {
                break;
            }
            let few = if self.preset.is_draft() {
                1
            } else {
                plans.len()
            };
            let trials: Vec<Trial<'l>> = plans[..few]
                .par_iter()
                .map(|plan| {
                    let mut trial = self.trial(limb, *plan, skin, placed);
                    self.advance(&mut trial, passes[0], placed, control);
                    trial
                })
                .collect();
            let better = |a: Trial<'l>, b: Trial<'l>| if b.is_better_than(&a) { b } else { a };
            let mut found = trials.into_iter().reduce(better)?;
            self.advance(&mut found, passes[1], placed, control);
            best = Some(match best {
                Some(weaker) => better(weaker, found),
                None => found,
            });
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
    ) -> Pass<'p> {
        Pass {
            source: self.source,
            search: self.preset.search(),
            budgets,
            shells: &self.demands.shells,
            caps: &self.demands.caps,
            cycle: cycle(self.source, self.demands),
            scale: self.solved.scale.max(1.0),
            factors,
            guides,
            outside,
            bases: bases(self.source, self.demands),
            choices,
        }
    }

    fn budgets(&self) -> Vec<f64> {
        let level = self.solved.scale.min(1.0);
        self.demands.budgets.iter().map(|b| b * level).collect()
    }

    /// Limbs that carry holds, and the ends of those that nothing can hold: where no joint turns, or the other joint
    /// would have to follow itself.
    fn limbs(&self, placed: &[Option<Placed>]) -> (Vec<Limb>, Vec<usize>) {
        let budgets = self.budgets();
        let rigid = self
            .pass(&budgets, &self.solved.factors, &[], &[], &[])
            .rigid();
        let at = |j: usize| placed[j].as_ref();
        let over = |held: &Held| self.slide(held, &at) > held.limit;
        // What another joint carries is held for that one's sake.
        let for_others: Vec<Held> = (self.holds.iter())
            .filter(|held| over(held))
            .filter_map(|held| self.carried(held))
            .collect();
        let mut limbs: Vec<(usize, Limb)> = Vec::new();
        let mut unheld = Vec::new();
        for held in for_others.iter().chain(self.holds) {
            let found = self.root(held);
            let found = found.map(|root| (root, self.chain(held, root, &rigid)));
            let Some((root, chain)) = found.filter(|(_, chain)| !chain.is_empty()) else {
                if over(held) && !unheld.contains(&held.end) {
                    unheld.push(held.end);
                }
                continue;
            };
            let entry = (*held, chain);
            match limbs.iter_mut().find(|(r, _)| *r == root) {
                Some((_, limb)) => limb.holds.push(entry),
                None => limbs.push((
                    root,
                    Limb {
                        inside: self.below(root),
                        rigid: rigid.clone(),
                        holds: vec![entry],
                    },
                )),
            }
        }
        let mut limbs: Vec<Limb> = limbs.into_iter().map(|(_, limb)| limb).collect();
        // Whoever follows another joint comes after it.
        limbs.sort_by_key(|limb| {
            limb.holds
                .iter()
                .any(|(h, _)| matches!(h.over, Over::Joint(_)))
        });
        (limbs, unheld)
    }

    /// The hold of the joint over which a point is held: it must not carry the point farther than that can follow.
    fn carried(&self, held: &Held) -> Option<Held> {
        let Over::Joint(other) = held.over else {
            return None;
        };
        let room = FOLLOWED * self.demands.budgets[held.joint];
        room.is_finite().then(|| Held {
            carrier: other,
            end: other,
            over: Over::World,
            limit: room.max(held.limit),
            ..*held
        })
    }

    /// The uppermost joint of the limb that holds a point: the body, from which limbs branch, is not part of it, nor is
    /// the joint over which the point is held; `None` where the limb would be part of that one.
    fn root(&self, held: &Held) -> Option<usize> {
        let joints = &self.source.joints;
        let carries_other = |j: usize| match held.over {
            Over::Joint(other) => {
                let mut above = std::iter::successors(Some(other), |&a| joints[a].parent);
                above.any(|a| a == j)
            }
            _ => false,
        };
        // A root may carry cameras far away.
        let inner = joints.iter().filter(|j| j.parent.is_some());
        let whole = inner.map(|j| j.reach).fold(0.0, f64::max);
        let mut root = held.end;
        if carries_other(root) {
            return None;
        }
        for _ in 0..MOST_ABOVE {
            let Some(above) = joints[root].parent else {
                break;
            };
            let children = joints[above].children.iter();
            let limbs = children.filter(|&&c| joints[c].reach > LIMB_REACH * whole);
            if limbs.count() >= 2 || joints[above].parent.is_none() || carries_other(above) {
                break;
            }
            root = above;
        }
        Some(root)
    }

    fn below(&self, root: usize) -> Vec<bool> {
        let joints = &self.source.joints;
        let mut inside = vec![false; joints.len()];
        inside[root] = true;
        for j in root + 1..joints.len() {
            inside[j] = joints[j].parent.is_some_and(|p| inside[p]);
        }
        inside
    }

    /// The joints that turn to keep a point in its place, the nearest first.
    fn chain(&self, held: &Held, root: usize, rigid: &[bool]) -> Vec<usize> {
        let joints = &self.source.joints;
        let mut chain = Vec::new();
        let mut at = Some(held.carrier);
        while let Some(j) = at {
            let place = joints[held.joint].model[held.frames.0].transform_point3(held.offset);
            let lever = place.distance(self.source.place(j, held.frames.0));
            let far = !chain.is_empty() || lever > LEAST_LEVER * self.demands.shells[j];
            if far && !rigid[j] && !joints[j].steps[0] {
                chain.push(j);
            }
            at = joints[j].parent.filter(|_| j != root);
        }
        chain
    }

    /// The most that a hold of a limb uses of its limit.
    fn slides(&self, limb: &Limb, placed: &[Option<Placed>]) -> f64 {
        let at = |j: usize| placed[j].as_ref();
        let holds = limb.holds.iter().map(|(h, _)| self.slide(h, &at) / h.limit);
        holds.fold(0.0, f64::max)
    }

    /// Most of the budget that any joint of the limb uses, and what each uses at every frame.
    fn skin<'p>(
        &self,
        limb: &Limb,
        placed: &impl Fn(usize) -> Option<&'p Placed>,
    ) -> (f64, Vec<(usize, Vec<f64>)>) {
        let joints = (0..limb.inside.len()).filter(|&j| limb.inside[j]);
        let used = joints.filter_map(|j| {
            let placed = placed(j)?;
            let source = &self.source.joints[j];
            let frames = placed.model.iter().zip(&source.model).map(|(got, want)| {
                let off = got.matrix3 - want.matrix3;
                let moved = got.translation - want.translation;
                let point = |k| (off.col(k) * self.demands.shells[j] + moved).length_squared();
                let error = f64::max(point(0), point(1)).max(point(2)).sqrt();
                error / self.demands.budgets[j]
            });
            Some((j, frames.collect::<Vec<f64>>()))
        });
        let used: Vec<(usize, Vec<f64>)> = used.collect();
        let all = used.iter().flat_map(|(_, u)| u.iter().copied());
        (all.fold(0.0, f64::max), used)
    }

    /// The largest distance between two errors of a held point.
    fn slide<'p>(&self, held: &Held, placed: &impl Fn(usize) -> Option<&'p Placed>) -> f64 {
        let Some(got) = placed(held.carrier) else {
            return 0.0;
        };
        let source = &self.source.joints;
        let (first, last) = held.frames;
        let place = |m: &glam::DAffine3| m.transform_point3(held.offset);
        let was = |f: usize| place(&source[held.joint].model[f]);
        let is = |f: usize| {
            if held.carrier == held.joint {
                return place(&got.model[f]);
            }
            let carrier = &source[held.carrier].model[f];
            let seen = carrier.inverse().transform_point3(was(f));
            got.model[f].transform_point3(seen)
        };
        let frames = first..=last;
        match held.over {
            Over::Ground => {
                let off = frames.map(|f| is(f) - was(f));
                ground_diameter(&off.map(|e| DVec2::new(e.x, e.z)).collect::<Vec<_>>())
            }
            Over::World => space_diameter(&frames.map(|f| is(f) - was(f)).collect::<Vec<_>>()),
            Over::Joint(other) => {
                let Some(now) = placed(other) else {
                    return 0.0;
                };
                let before = &source[other];
                let off = frames.map(|f| {
                    let is = is(f) - now.model[f].translation;
                    let was = was(f) - before.model[f].translation;
                    now.turn[f].inverse() * is - before.turn[f].inverse() * was
                });
                space_diameter(&off.collect::<Vec<_>>())
            }
        }
    }

    fn trial<'l>(
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
    fn advance(
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
            let pass = self.pass(&budgets, &trial.factors, &guides, placed, &trial.choices);
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

    /// The guides of all joints.
    fn guides(&self, limb: &Limb, plan: &Plan, radii: &[Option<f64>]) -> Vec<Guides> {
        let mut all = vec![Guides::default(); self.source.joints.len()];
        for ((held, chain), radius) in limb.holds.iter().zip(radii) {
            let Some(radius) = *radius else {
                continue;
            };
            let along = if held.over == Over::Ground {
                Along::Ground
            } else {
                Along::Space
            };
            let guide = Guide {
                joint: held.joint,
                offset: held.offset,
                frames: held.frames,
                radius,
                along,
                over: held.over,
                held: (held.joint, held.offset),
            };
            let place = |joint: usize, radius: f64, along| Guide {
                joint,
                offset: DVec3::ZERO,
                radius,
                along,
                ..guide.clone()
            };
            // Where the translation has keys already they are of use to the weaker ways as well.
            let keyed = !self.solved.joints[held.end][1].curves().is_empty();
            let turns = held.carrier != held.joint;
            if !turns && (plan.stake == Hold::Full || keyed) {
                let radius = radius * plan.places[0];
                all[held.end].place.push(place(held.end, radius, along));
                for &joint in chain.iter().filter(|&&j| j >= held.end) {
                    all[joint].turn.push(guide.clone());
                }
            }
            if plan.stake == Hold::Full && !turns {
                continue;
            }
            let mut end = guide.held;
            all[chain[0]].turn.push(guide.clone());
            for (n, pair) in chain.windows(2).enumerate() {
                let (point, joint) = (pair[0], pair[1]);
                let loose = plan.places[n.min(1)];
                if loose.is_finite() {
                    all[joint].turn.push(place(point, radius * loose, along));
                }
                if let Some(bones) = plan.bones {
                    let along = Along::Bone(end.0, end.1);
                    all[joint].turn.push(place(point, radius * bones, along));
                }
                end = (point, DVec3::ZERO);
            }
        }
        all
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
