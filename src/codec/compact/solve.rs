//! From a target to bytes: passes of the closed loop, each measured on what a player decodes.

use super::choose::{Bases, Choice, Search};
use super::joint::Stored;
use super::pass::Pass;
use super::section::section;
use super::source::{Cycle, Source};
use crate::codec::cloud::Cloud;
use crate::codec::compressed::Player;
use crate::codec::control::Control;
use crate::codec::error::CodecError;
use crate::fit::{Course, Effort};
use crate::math::Transform;
use crate::metrics::{Body, Difference, matrix_difference};
use crate::model::{FrameGrid, PoseSource};
use crate::runtime::compact::{MAX_STEP, step};
use glam::DAffine3;
use rayon::prelude::*;
use std::sync::Arc;

/// Below this part of the budgets, what is over them is made up for by lowering them all.
const NEARLY: f64 = 1.15;

/// So many times, what is over is repaired where it is, each time with one more joint above it.
const GENTLE: usize = 3;

/// Bytes are worth this power of the error when one result is chosen among those that meet the target.
const ERROR_PRICE: f64 = 0.15;

/// Frames that one thread measures at a time.
const CHUNK: usize = 64;

/// How much time a result may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Preset {
    search: Search,
    /// Passes with repairs of single frames: fewest and most.
    passes: [usize; 2],
    /// Passes in which everything is tightened, where repairs do not end.
    fallbacks: usize,
    /// How often a feasible result is loosened.
    loosenings: usize,
    /// Joints times frames that are searched afresh; further passes keep to what was chosen for each track.
    work: usize,
}

impl Preset {
    /// While a slider moves.
    pub(super) const DRAFT: Self = Self {
        search: Search {
            roundings: &[0.5],
            courses: &[Course::Spline],
            bases: Bases::Motion,
            effort: Effort { removals: 1 },
        },
        passes: [1, 1],
        fallbacks: 0,
        loosenings: 0,
        work: 0,
    };

    /// What is shipped.
    pub(super) const FULL: Self = Self {
        search: Search {
            roundings: &[0.3, 0.55, 0.8],
            courses: &[Course::Spline, Course::Linear],
            bases: Bases::All,
            effort: Effort { removals: 2 },
        },
        passes: [5, 16],
        fallbacks: 6,
        loosenings: 8,
        work: 120_000,
    };

    /// Offline: whatever pays, seconds for a long clip.
    pub(super) const MAX: Self = Self {
        search: Search {
            roundings: &[0.2, 0.3, 0.42, 0.55, 0.68, 0.8],
            courses: &[Course::Spline, Course::Linear],
            bases: Bases::All,
            effort: Effort { removals: 4 },
        },
        passes: [12, 24],
        fallbacks: 6,
        loosenings: 16,
        work: usize::MAX,
    };

    /// How much each track is searched.
    pub(super) fn search(&self) -> &Search {
        &self.search
    }

    /// How often a limb is stored again in each way to hold it, and then in the best of them.
    pub(super) fn stakes(&self) -> [usize; 2] {
        if self.is_draft() {
            [2, 0]
        } else {
            [4, 2 * self.passes[0] - 2]
        }
    }

    /// Whether there is no time.
    pub(super) fn is_draft(&self) -> bool {
        self.passes[1] == 1
    }

    /// Passes in which everything is searched afresh.
    pub(super) fn explorations(&self, source: &Source) -> usize {
        self.work / (source.frames * source.joints.len()).max(1)
    }

    fn passes(&self, source: &Source) -> usize {
        let [fewest, most] = self.passes;
        self.explorations(source).clamp(fewest, most)
    }
}

/// What a clip is held to, joint by joint and frame by frame. Source units.
#[derive(Clone, Debug)]
pub(super) struct Demands {
    /// Allowed skin error of each joint.
    pub(super) budgets: Vec<f64>,
    /// What each joint displaces beside the joints that hang on it.
    pub(super) clouds: Arc<[Cloud]>,
    /// The distance at which each joint's rotation is felt.
    pub(super) levers: Vec<f64>,
    /// On what errors are measured.
    pub(super) body: Arc<Body>,
    /// Shell distance in the world.
    pub(super) shell: f64,
    /// Largest error of each joint's channels: radians, source units in model space, factor.
    pub(super) caps: Vec<[f64; 3]>,
    /// For each place in the section its joint.
    pub(super) order: Vec<usize>,
    /// Whether the file will say that the clip loops.
    pub(super) looped: bool,
    /// For each joint the part of its budget that is left at each frame; empty where all of it is.
    pub(super) parts: Vec<Vec<f64>>,
}

/// The part of a joint's budget that is left at a frame.
pub(super) fn part(parts: &[f64], frame: usize) -> f64 {
    parts.get(frame).copied().unwrap_or(1.0)
}

/// A solution.
#[derive(Clone, Debug)]
pub(super) struct Solved {
    pub(super) joints: Vec<[Stored; 3]>,
    pub(super) section: Vec<u8>,
    pub(super) file: Vec<u8>,
    /// Largest part of a budget that is used at any frame.
    pub(super) worst: f64,
    /// Root of the mean square of the parts that are used.
    pub(super) rms: f64,
    /// The global factor on tolerances.
    pub(super) scale: f64,
    /// Factors on the tolerances of each joint at each frame.
    pub(super) factors: Vec<Vec<f64>>,
}

impl Solved {
    /// Bytes, weighed against the error.
    fn cost(&self) -> f64 {
        self.section.len() as f64 * (ERROR_PRICE * self.rms.max(1e-9).ln()).exp()
    }
}

/// Wraps an animation section into a file.
pub(super) type Wrap<'a> = &'a (dyn Fn(Vec<u8>) -> Result<Vec<u8>, CodecError> + Sync);

/// Runs passes until the budgets are met at every frame and little is left of them; keeps the smallest result that
/// meets them, or else the one that is nearest.
pub(super) fn solve(
    source: &Source,
    grid: FrameGrid,
    demands: &Demands,
    preset: &Preset,
    wrap: Wrap,
    control: &Control,
) -> Result<Solved, CodecError> {
    let mut solver = Solver {
        source,
        grid,
        demands,
        preset,
        wrap,
        level: 1.0,
        low: 0.0,
        high: f64::INFINITY,
        factors: vec![vec![1.0; source.frames]; source.joints.len()],
        choices: vec![[None; 3]; source.joints.len()],
        bases: bases(source, demands),
        cycle: cycle(source, demands),
    };
    solver.run(control)
}

/// How curves of the file may end.
pub(super) fn cycle(source: &Source, demands: &Demands) -> Cycle {
    match (source.cycle, demands.looped) {
        (false, _) => Cycle::No,
        (true, false) => Cycle::Closes,
        (true, true) => Cycle::Loops,
    }
}

struct Solver<'a> {
    source: &'a Source,
    grid: FrameGrid,
    demands: &'a Demands,
    preset: &'a Preset,
    wrap: Wrap<'a>,
    /// Factor on all tolerances, or, below 1, on the budgets that they are made from.
    level: f64,
    /// The largest level at which the budgets were met, and the smallest at which they were not.
    low: f64,
    high: f64,
    factors: Vec<Vec<f64>>,
    choices: Vec<[Option<Choice>; 3]>,
    bases: [u32; 2],
    cycle: Cycle,
}

/// Codes of the smallest steps: far below what the strictest joint can ask for.
pub(super) fn bases(source: &Source, demands: &Demands) -> [u32; 2] {
    let code = |size: f64| {
        let codes = 0..=MAX_STEP;
        codes
            .rev()
            .find(|&c| f64::from(step(c)) <= size)
            .unwrap_or(0)
            .min(MAX_STEP - 255)
    };
    let joints = || demands.budgets.iter().enumerate();
    let angles = joints().map(|(j, budget)| budget / demands.levers[j]);
    let caps = || demands.caps.iter();
    let angle = caps()
        .map(|c| c[0].min(c[2]))
        .chain(angles)
        .fold(f64::INFINITY, f64::min);
    let stem = source.stem();
    let lengths = joints()
        .filter(|(j, _)| !stem[*j])
        .map(|(j, budget)| budget.min(demands.caps[j][1]) / source.enlarged(j));
    let length = lengths.fold(f64::INFINITY, f64::min);
    [code(angle / 128.0), code(length / 128.0)]
}

impl Solver<'_> {
    fn run(&mut self, control: &Control) -> Result<Solved, CodecError> {
        let passes = self.preset.passes(self.source);
        let most = passes + self.preset.fallbacks;
        let mut best: Option<Solved> = None;
        let mut nearest: Option<Solved> = None;
        let (mut loosened, mut failures) = (0, 0);
        for pass in 0..most {
            control.report(pass as f32 / most as f32);
            if control.is_cancelled() {
                return Err(CodecError::Cancelled);
            }
            let (solved, errors) = self.pass(pass, control)?;
            let worst = solved.worst;
            if worst <= 1.0 {
                failures = 0;
                if best.as_ref().is_none_or(|b| solved.cost() < b.cost()) {
                    best = Some(solved);
                }
                if pass + 1 >= passes || loosened == self.preset.loosenings || worst == 0.0 {
                    break;
                }
                loosened += 1;
                self.low = self.low.max(self.level);
                self.level = if self.high < f64::INFINITY {
                    (self.low * self.high).sqrt()
                } else {
                    self.level * (1.0 / worst).powf(0.9).clamp(1.02, 1.3)
                };
                continue;
            }
            failures += 1;
            if nearest.as_ref().is_none_or(|n| worst < n.worst) {
                nearest = Some(solved);
            }
            if pass + 1 >= passes && best.is_some() {
                break;
            }
            if pass < passes && failures <= GENTLE && worst < NEARLY {
                self.repair(&errors, failures * failures, 0.97);
            } else if pass < passes && worst >= NEARLY {
                self.repair(&errors, if pass >= 2 { usize::MAX } else { 3 }, 0.95);
            } else {
                failures = 0;
                self.high = self.high.min(self.level);
                self.level = if self.low > 0.0 {
                    (self.low * self.high).sqrt()
                } else {
                    // Each fallback leaves more room than the one before: the errors of a chain are not quite
                    // in proportion to its tolerances.
                    let fallback = i32::try_from((pass + 2).saturating_sub(passes))
                        .unwrap_or(1)
                        .max(1);
                    self.level * 0.99_f64.powi(fallback * fallback) / worst
                };
            }
        }
        best.or(nearest).ok_or(CodecError::Cancelled)
    }

    /// Stores everything once; the answer's errors are parts of the budgets, frame by frame.
    fn pass(&mut self, number: usize, control: &Control) -> Result<(Solved, Vec<f32>), CodecError> {
        let budgets: Vec<f64> = self
            .demands
            .budgets
            .iter()
            .map(|b| b * self.level.min(1.0))
            .collect();
        let pass = Pass {
            source: self.source,
            search: &self.preset.search,
            budgets: &budgets,
            clouds: &self.demands.clouds,
            levers: &self.demands.levers,
            caps: &self.demands.caps,
            cycle: self.cycle,
            scale: self.level.max(1.0),
            factors: &self.factors,
            parts: &self.demands.parts,
            guides: &[],
            outside: &[],
            bases: self.bases,
            choices: &self.choices,
            control,
        };
        let Some(joints) = pass.run() else {
            return Err(if control.is_cancelled() {
                CodecError::Cancelled
            } else {
                CodecError::OutOfRange
            });
        };
        if number + 1 >= self.preset.explorations(self.source) {
            self.choices = joints
                .iter()
                .map(|j| j.each_ref().map(Stored::choice))
                .collect();
        }
        let section = section(
            self.source,
            &joints,
            &self.demands.order,
            self.bases,
            self.cycle.says(),
        );
        let file = (self.wrap)(section.clone())?;
        let player = Player::container(file.clone().into()).map_err(CodecError::ReadBack)?;
        let errors = errors(self.source, self.grid, self.demands, &player);
        let worst = errors.iter().copied().fold(0.0_f32, f32::max);
        let squares: f64 = errors.iter().map(|&e| f64::from(e) * f64::from(e)).sum();
        let solved = Solved {
            rms: (squares / errors.len().max(1) as f64).sqrt(),
            joints,
            section,
            file,
            worst: f64::from(worst),
            scale: self.level,
            factors: self.factors.clone(),
        };
        Ok((solved, errors))
    }

    /// Tightens the joint that is over its budget, and those above it up to a chain of so many, around that frame.
    fn repair(&mut self, errors: &[f32], chain: usize, aim: f64) {
        let joints = self.source.joints.len();
        let frames = self.source.frames;
        let mut tighter = vec![vec![1.0_f64; frames]; joints];
        for f in 0..frames {
            for j in 0..joints {
                let error = f64::from(errors[f * joints + j]);
                if error <= 0.9995 {
                    continue;
                }
                let mut factor = (aim / error).max(0.5);
                let mut above = Some(j);
                for step in 0..chain {
                    let Some(a) = above else {
                        break;
                    };
                    for near in &mut tighter[a][f.saturating_sub(2)..(f + 3).min(frames)] {
                        *near = near.min(factor);
                    }
                    // Farther up less is needed, and more is lost.
                    factor = if step == 0 { factor } else { factor.sqrt() };
                    above = self.source.joints[a].parent;
                }
            }
        }
        for (factors, tighter) in self.factors.iter_mut().zip(tighter) {
            for (factor, tighter) in factors.iter_mut().zip(tighter) {
                *factor *= tighter;
            }
        }
    }
}

/// The part of its budget that every joint uses at every frame, rounded up.
pub(super) fn errors(
    all: &Source,
    grid: FrameGrid,
    demands: &Demands,
    player: &Player,
) -> Vec<f32> {
    let joints = all.joints.len();
    let frames: Vec<usize> = (0..all.frames).collect();
    let parts: Vec<Vec<f32>> = frames
        .par_chunks(CHUNK)
        .map(|chunk| {
            let mut player = player.clone();
            let mut pose = vec![Transform::IDENTITY; joints];
            let mut model = vec![DAffine3::IDENTITY; joints];
            let mut off = Difference::default();
            off.joints = vec![DAffine3::IDENTITY; joints];
            let mut gauge = demands.body.gauge();
            let mut errors = Vec::with_capacity(chunk.len() * joints);
            for &f in chunk {
                player.pose(grid.secs(f as f64), &mut pose);
                for (j, source) in all.joints.iter().enumerate() {
                    let local = pose[j].matrix();
                    model[j] = source.parent.map_or(local, |p| model[p] * local);
                    off.joints[j] = matrix_difference(&model[j], &source.model[f], 1.0);
                }
                for (j, displaced) in gauge.measure(&off).enumerate() {
                    let budget = demands.budgets[j] * part(&demands.parts[j], f);
                    let used = (f64::from(displaced.held_m) / budget) as f32;
                    // Not a number counts as wrong, which a maximum would not.
                    errors.push(if used >= 0.0 {
                        used * (1.0 + f32::EPSILON)
                    } else {
                        f32::INFINITY
                    });
                }
            }
            errors
        })
        .collect();
    parts.concat()
}
