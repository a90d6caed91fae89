//! One pass of the closed loop: root to leaf, every joint corrects what its parents' rounding has done to it.
//!
//! A joint's rotation is not fitted to its source, but to the rotation that brings what hangs on it closest to
//! where the source has it, given where the joint itself ended up; and it may be off by what its children's
//! budgets leave at each frame. Joints whose rotation does not change are rigid parts of their parents.

use super::choose::{Choice, Search};
use super::gauge::Gauge;
use super::guide::{Guided, Guides};
use super::joint::{Means, Point, Stored, Turn, rotation_gauge, store_vector};
use super::solve::part;
use super::source::{Cycle, Source, largest_axis, mirrored, models};
use super::space::{align, cross_matrix};
use crate::codec::cloud::Cloud;
use crate::codec::control::Control;
use crate::math::Transform;
use glam::{DAffine3, DMat3, DQuat, DVec3};
use rayon::prelude::*;

/// A joint is rigid if its rotation varies by less than this part of the target at its reach.
const RIGID_PART: f64 = 0.12;

/// Of what a joint's place may be off by, the part that its own translation may.
pub(super) const MOVE_PART: f64 = 0.6;

/// The part of the target that a rigid joint's rotation may be off by.
const RIGID_TOLERANCE: f64 = 0.2;

/// What a joint moves itself counts as much as this many joints that hang on it when its rotation is aimed.
const OWN_MASS: f64 = 1.0;

/// How unwilling a joint is to be turned off its source, as a part of the inertia of a mass at the farthest of what it
/// moves itself.
const STIFF: f64 = 0.05;

/// The mass of a point of a shell, which turns with the joint about any axis.
const SHELL_MASS: f64 = 0.2;

/// Corrections above this, radians, are not corrections.
const MOST_AIM: f64 = 0.2;

/// A guide counts at most this many times as much as what hangs on a joint when its rotation is aimed.
const MOST_WEIGHT: f64 = 1e4;

/// Parents whose matrix has a smaller determinant, against the cube of its size, squash what hangs on them.
const SQUASHED: f64 = 1e-6;

/// What one pass works with.
pub(super) struct Pass<'a> {
    pub(super) source: &'a Source,
    pub(super) search: &'a Search,
    /// Allowed skin error of each joint, source units.
    pub(super) budgets: &'a [f64],
    /// What each joint displaces beside the joints that hang on it.
    pub(super) clouds: &'a [Cloud],
    /// The distance at which each joint's rotation is felt, source units.
    pub(super) levers: &'a [f64],
    /// Largest error of each joint's channels: radians, source units in model space, factor.
    pub(super) caps: &'a [[f64; 3]],
    pub(super) cycle: Cycle,
    /// Factor on all tolerances.
    pub(super) scale: f64,
    /// Factor on the tolerances of each joint at each frame.
    pub(super) factors: &'a [Vec<f64>],
    /// The part of each joint's budget that is left at each frame; empty where all of it is.
    pub(super) parts: &'a [Vec<f64>],
    /// Points that joints keep in their place; empty where none does.
    pub(super) guides: &'a [Guides],
    /// Joints that are stored already; empty where none is.
    pub(super) outside: &'a [Option<Placed>],
    /// Codes of the smallest steps: rotations and scales, translations.
    pub(super) bases: [u32; 2],
    /// What was chosen for each channel the time before.
    pub(super) choices: &'a [[Option<Choice>; 3]],
    /// Looked at before each joint: a pass of a long clip takes longer than a hand waits.
    pub(super) control: &'a Control,
}

/// A joint as it was stored and as it decodes.
#[derive(Clone, Debug)]
pub(super) struct JointResult {
    /// Rotation, translation, scale.
    pub(super) stored: [Stored; 3],
    pub(super) placed: Placed,
}

/// Where a joint is when it is decoded, at every frame.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    /// Model transforms.
    pub(super) model: Vec<DAffine3>,
    /// Model rotations, mirrors taken out.
    pub(super) turn: Vec<DQuat>,
}

impl Placed {
    /// A joint with its local transforms below its parent.
    pub(super) fn new(
        source: &Source,
        j: usize,
        parent: Option<&Self>,
        local: &[Transform],
    ) -> Self {
        let signs = source.joints[j].parent;
        let signs = signs.and_then(|above| source.joints[above].signs.as_ref());
        let seen = |(f, t): (usize, &Transform)| match parent {
            Some(p) => p.turn[f] * signs.map_or(t.rotation, |s| mirrored(t.rotation, s[f])),
            None => t.rotation,
        };
        Self {
            model: models(parent.map(|p| p.model.as_slice()), local),
            turn: local.iter().enumerate().map(seen).collect(),
        }
    }
}

/// A joint that moves with another one.
struct Hanging {
    joint: usize,
    /// It does not rotate against its parent, so its shell hangs as well.
    rigid: bool,
}

impl Pass<'_> {
    /// Stores every joint; `None` where a value is beyond what the format holds, or when it was cancelled.
    ///
    /// Joints of one depth are stored in parallel; the outcome does not depend on how many at a time.
    pub(super) fn run(&self) -> Option<Vec<[Stored; 3]>> {
        let rigid = self.rigid();
        let all = self.run_below(&rigid, &vec![true; rigid.len()])?;
        let stored = |r: Option<JointResult>| r.map(|r| r.stored);
        all.into_iter().map(stored).collect()
    }

    /// Stores the wanted joints, whose parents are wanted too or are among those stored already.
    pub(super) fn run_below(
        &self,
        rigid: &[bool],
        wanted: &[bool],
    ) -> Option<Vec<Option<JointResult>>> {
        let mut done: Vec<Option<JointResult>> = vec![None; rigid.len()];
        for level in &self.source.levels {
            let level: Vec<usize> = level.iter().copied().filter(|&j| wanted[j]).collect();
            let results: Vec<Option<JointResult>> = level
                .par_iter()
                .map(|&j| {
                    if self.control.is_cancelled() {
                        return None;
                    }
                    let placed = |p: usize| match &done[p] {
                        Some(result) => Some(&result.placed),
                        None => self.outside(p),
                    };
                    let parent = self.source.joints[j].parent;
                    self.joint(j, parent.and_then(placed), rigid)
                })
                .collect();
            for (&j, result) in level.iter().zip(results) {
                done[j] = Some(result?);
            }
        }
        Some(done)
    }

    /// Which joints' rotations do not change.
    pub(super) fn rigid(&self) -> Vec<bool> {
        let joints = 0..self.source.joints.len();
        joints.into_par_iter().map(|j| self.is_rigid(j)).collect()
    }

    pub(super) fn outside(&self, j: usize) -> Option<&Placed> {
        self.outside.get(j).and_then(Option::as_ref)
    }

    fn lever(&self, j: usize) -> f64 {
        self.levers[j]
    }

    fn is_rigid(&self, j: usize) -> bool {
        let joint = &self.source.joints[j];
        let first = joint.local[0].rotation;
        let most = RIGID_PART * self.budgets[j] / self.lever(j);
        let mut rotations = joint.local.iter().map(|t| t.rotation);
        rotations.all(|q| super::space::angle(first, q) < most)
    }

    /// The part of its target that a joint's place may be off by: more towards the leaves.
    pub(super) fn share(&self, j: usize) -> f64 {
        let joint = &self.source.joints[j];
        let chain = (joint.depth + joint.height).max(1);
        0.4 + 0.4 * joint.depth as f64 / chain as f64
    }

    fn hanging(&self, j: usize, rigid: &[bool]) -> Vec<Hanging> {
        let mut found = Vec::new();
        let mut open = self.source.joints[j].children.clone();
        while let Some(k) = open.pop() {
            found.push(Hanging {
                joint: k,
                rigid: rigid[k],
            });
            if rigid[k] {
                open.extend(&self.source.joints[k].children);
            }
        }
        found
    }

    pub(super) fn means(&self, j: usize, channel: usize) -> Means<'_> {
        Means {
            search: self.search,
            before: self.choices[j][channel],
            base: self.bases[usize::from(channel == 1)],
            step: self.source.joints[j].steps[channel],
            cycle: self.cycle,
            factor: if channel == 1 {
                self.source.joints[j].factor
            } else {
                1.0
            },
        }
    }

    fn joint(&self, j: usize, parent: Option<&Placed>, rigid: &[bool]) -> Option<JointResult> {
        let joint = &self.source.joints[j];
        let (translation, places) = self.translation(j, parent)?;
        let (scale, scales) = self.scale(j)?;
        let (rotation, rotations) = if rigid[j] || joint.steps[0] {
            self.still_rotation(j, rigid[j])?
        } else {
            self.aimed_rotation(j, parent, &places, rigid)?
        };
        let local = |f: usize| Transform {
            translation: places[f],
            rotation: rotations[f],
            scale: scales[f],
        };
        let locals: Vec<Transform> = (0..self.source.frames).map(local).collect();
        Some(JointResult {
            stored: [rotation, translation, scale],
            placed: Placed::new(self.source, j, parent, &locals),
        })
    }

    /// The translation: where it moves, such that the joint comes to where the source has it.
    fn translation(&self, j: usize, parent: Option<&Placed>) -> Option<(Stored, Vec<DVec3>)> {
        let joint = &self.source.joints[j];
        let target = self.budgets[j] * self.scale * self.share(j) * MOVE_PART;
        let size = |f: usize| parent.map_or(1.0, |p| largest_axis(&p.model[f]).max(1e-9));
        let source: Vec<DVec3> = joint.local.iter().map(|t| t.translation).collect();
        if let (Some(p), Some(guides)) = (parent, self.guides.get(j).filter(|g| g.move_it())) {
            return self.kept_translation(j, p, &guides.place);
        }
        let moves =
            (0..source.len()).any(|f| source[f].distance(source[0]) * size(f) >= 0.7 * target);
        let factors = &self.factors[j];
        let cap = self.caps[j][1];
        let gauge = Gauge::even((0..source.len()).map(|f| {
            let target = target * factors[f] * part(&self.parts[j], f);
            target.min(cap) / size(f)
        }));
        let aimed = match parent {
            Some(p) if moves && !joint.steps[1] => (0..source.len())
                .map(|f| {
                    let place = joint.model[f].translation;
                    unsquashed(&p.model[f]).map_or(source[f], |inverse| {
                        inverse * (place - p.model[f].translation)
                    })
                })
                .collect(),
            _ => source,
        };
        self.store_translation(j, &aimed, gauge)
    }

    /// Stores translations, or what they add to that of a base pose; answers what comes of it.
    pub(super) fn store_translation(
        &self,
        j: usize,
        aimed: &[DVec3],
        gauge: Gauge,
    ) -> Option<(Stored, Vec<DVec3>)> {
        let joint = &self.source.joints[j];
        let base = joint.base.map_or(DVec3::ZERO, |b| b.translation);
        let added: Vec<DVec3> = aimed.iter().map(|&v| v - base).collect();
        let (stored, mut places) =
            store_vector(&added, joint.rest.translation, gauge, &self.means(j, 1))?;
        for v in &mut places {
            *v += base;
        }
        Some((stored, places))
    }

    fn scale(&self, j: usize) -> Option<(Stored, Vec<DVec3>)> {
        let joint = &self.source.joints[j];
        let source: Vec<DVec3> = joint.local.iter().map(|t| t.scale).collect();
        let base = joint.base.unwrap_or(Transform::IDENTITY);
        let target = self.budgets[j] * self.scale / self.lever(j);
        let cap = self.caps[j][2];
        let gauge = Gauge::even((0..source.len()).map(|f| {
            let size = base.scale_less(source[f]).abs().max_element().max(1e-3);
            let left = self.factors[j][f] * part(&self.parts[j], f);
            (target * size * left).min(cap)
        }));
        let added: Vec<DVec3> = source.iter().map(|&v| base.scale_less(v)).collect();
        let (stored, mut scales) =
            store_vector(&added, joint.rest.scale, gauge, &self.means(j, 2))?;
        for v in &mut scales {
            *v *= base.scale;
        }
        Some((stored, scales))
    }

    /// A rotation that is not aimed: it does not change, or holds its keys.
    fn still_rotation(&self, j: usize, rigid: bool) -> Option<(Stored, Vec<DQuat>)> {
        let joint = &self.source.joints[j];
        let mut rotations: Vec<DQuat> = joint.local.iter().map(|t| t.rotation).collect();
        align(&mut rotations);
        let share = if rigid {
            RIGID_TOLERANCE
        } else {
            0.5 * self.scale
        };
        let angle = share * self.budgets[j] / self.lever(j);
        let factors = self.factors[j].iter().enumerate();
        let angles: Vec<f64> = factors
            .map(|(f, factor)| (angle * factor * part(&self.parts[j], f)).min(self.caps[j][0]))
            .collect();
        let gauge = |_: &[DVec3]| Gauge::even(angles.iter().copied());
        self.store_rotation(j, rotations, &angles, &gauge)
    }

    /// Stores rotations, or what they add to those of a base pose; answers what comes of it.
    fn store_rotation(
        &self,
        j: usize,
        mut rotations: Vec<DQuat>,
        angles: &[f64],
        gauge: &(dyn Fn(&[DVec3]) -> Gauge + Sync),
    ) -> Option<(Stored, Vec<DQuat>)> {
        let joint = &self.source.joints[j];
        let base = joint.base.map(|b| b.rotation);
        if let Some(base) = base {
            for q in &mut rotations {
                *q = base.conjugate() * *q;
            }
        }
        let turn = Turn {
            rotations: &rotations,
            rest: joint.rest.rotation,
            angles,
            gauge,
        };
        let (stored, mut decoded) = turn.store(&self.means(j, 0))?;
        if let Some(base) = base {
            for q in &mut decoded {
                *q = base * *q;
            }
        }
        Some((stored, decoded))
    }

    /// A rotation aimed at where the source has what hangs on it.
    fn aimed_rotation(
        &self,
        j: usize,
        parent: Option<&Placed>,
        places: &[DVec3],
        rigid: &[bool],
    ) -> Option<(Stored, Vec<DQuat>)> {
        let joint = &self.source.joints[j];
        let hanging = self.hanging(j, rigid);
        let off = |f: usize| {
            let got = parent.map_or(places[f], |p| p.model[f].transform_point3(places[f]));
            got - joint.model[f].translation
        };
        let guides = self.guides.get(j).map_or(&[][..], |g| &g.turn);
        let guides = self.beside(j, guides, off);
        let at = |f: usize| -> Vec<Guided> {
            let at = guides
                .iter()
                .map(|(g, beside)| g.at(self.source, beside, f));
            at.flatten().collect()
        };
        let mut aims: Vec<Aim> = (0..self.source.frames)
            .map(|f| self.aim(j, parent, off(f), &hanging, &at(f), f))
            .collect();
        let most = aims.iter().map(|a| a.points.len()).max().unwrap_or(0);
        for aim in &mut aims {
            aim.points.resize(most, Point::FREE);
        }
        let mut rotations: Vec<DQuat> = aims.iter().map(|a| a.rotation).collect();
        align(&mut rotations);
        let angles: Vec<f64> = aims.iter().map(|a| a.angle).collect();
        let each = aims[0].points.len();
        let cap = self.caps[j][0];
        let points: Vec<Point> = aims.iter_mut().flat_map(|a| a.points.drain(..)).collect();
        let gauge = |samples: &[DVec3]| rotation_gauge(samples, &points, each, cap);
        self.store_rotation(j, rotations, &angles, &gauge)
    }

    /// Where a joint's rotation should be at a frame, and how far off it may be.
    fn aim(
        &self,
        j: usize,
        parent: Option<&Placed>,
        off: DVec3,
        hanging: &[Hanging],
        guides: &[Guided],
        f: usize,
    ) -> Aim {
        let source = self.source;
        let joint = &source.joints[j];
        let budget = self.budgets[j] * part(&self.parts[j], f);
        let here = joint.model[f].translation;
        let (stiff, own) = self.masses(j, f);
        let mut inertia = DMat3::from_diagonal(DVec3::splat(stiff));
        let mut sum = DVec3::ZERO;
        // What is far out on a rigid part, such as a staff in a hand, counts for more than the part's own place.
        let places = hanging.iter().flat_map(|h| {
            let x = source.place(h.joint, f) - here;
            let rigid = h.rigid.then(|| self.masses(h.joint, f).1);
            let rigid = rigid.into_iter().flatten();
            std::iter::once((x, 1.0)).chain(rigid.map(move |(p, mass)| (x + p, mass)))
        });
        for (x, mass) in own.into_iter().chain(places) {
            inertia += (DMat3::from_diagonal(DVec3::splat(x.length_squared()))
                - DMat3::from_cols(x * x.x, x * x.y, x * x.z))
                * mass;
            sum += x * mass;
        }
        let mut torque = sum.cross(off);
        for g in guides {
            let x = cross_matrix(g.place - here);
            let weight = (budget / g.radius).powi(2).clamp(1.0, MOST_WEIGHT);
            inertia += x.transpose() * g.seen * x * weight;
            torque += x * (g.seen * (off - g.wanted)) * weight;
        }
        let aim = -(inertia.inverse() * torque);
        let squashed = parent.is_some_and(|p| unsquashed(&p.model[f]).is_none());
        let aim = if aim.length() <= MOST_AIM && !squashed {
            aim
        } else {
            DVec3::ZERO
        };
        let turn = (small_turn(aim) * joint.turn[f]).normalize();
        let rotation = if squashed {
            joint.local[f].rotation
        } else {
            self.seen_from(joint.parent, parent, turn, f)
        };
        let scale = self.scale * self.factors[j][f];
        let inverse = turn.conjugate();
        let point = |x: DVec3, allowed: f64| Point {
            place: inverse * x,
            off: inverse * (off + aim.cross(x)),
            allowed,
            part: scale,
            seen: None,
        };
        let mut points = Vec::with_capacity(3 + hanging.len() * 3);
        points.extend(
            self.own_points(j, f)
                .map(|(x, weight)| point(x * weight, budget)),
        );
        for h in hanging {
            let k = h.joint;
            let x = source.place(k, f) - here;
            let left = self.budgets[k] * part(&self.parts[k], f);
            if h.rigid {
                let leaf = source.joints[k].children.is_empty();
                let share = if leaf { 0.97 } else { self.share(k) };
                let allowed = left * share;
                points.extend(self.own_points(k, f).map(|(p, _)| point(x + p, allowed)));
                if self.clouds[k].handles.is_empty() {
                    points.push(point(x, allowed));
                }
            } else {
                points.push(point(x, left * self.share(k)));
            }
        }
        let axes = DMat3::from_quat(turn);
        points.extend(guides.iter().map(|g| {
            let x = g.place - here;
            Point {
                place: inverse * x,
                off: inverse * (g.seen * (off - g.wanted + aim.cross(x))),
                allowed: g.radius,
                part: 1.0,
                seen: Some(axes.transpose() * g.seen * axes),
            }
        }));
        let angles = points.iter().map(Point::angle);
        Aim {
            rotation,
            angle: angles.fold(self.caps[j][0], f64::min),
            points,
        }
    }

    /// Masses of what a joint moves itself, from the joint, for aiming; and how unwilling it is to be turned off its
    /// source. A shell stands for skin all around: it pulls to no side.
    fn masses(&self, j: usize, f: usize) -> (f64, Vec<(DVec3, f64)>) {
        let cloud = &self.clouds[j];
        let axes = self.source.joints[j].model[f].matrix3;
        let seen = cloud.handles.iter().map(|h| (axes * h.place, h));
        let (shell, vertices): (Vec<_>, Vec<_>) = seen.partition(|(_, h)| h.shell);
        let each = OWN_MASS / vertices.len().max(1) as f64;
        let size = vertices
            .iter()
            .map(|(x, _)| x.length_squared())
            .fold(0.0, f64::max);
        let around: f64 = shell
            .iter()
            .map(|(x, _)| SHELL_MASS * x.length_squared())
            .sum();
        let masses = vertices.into_iter().map(|(x, h)| (x, each * h.weight));
        (STIFF * size + around, masses.collect())
    }

    /// What a joint of the source displaces itself, from that joint, and by what part.
    fn own_points(&self, j: usize, f: usize) -> impl Iterator<Item = (DVec3, f64)> + '_ {
        let axes = self.source.joints[j].model[f].matrix3;
        let handles = self.clouds[j].handles.iter();
        handles.map(move |h| (axes * h.place, h.weight))
    }

    /// A model rotation as a local one below the decoded parent.
    fn seen_from(
        &self,
        above: Option<usize>,
        parent: Option<&Placed>,
        turn: DQuat,
        f: usize,
    ) -> DQuat {
        let (Some(p), Some(above)) = (parent, above) else {
            return turn;
        };
        let local = p.turn[f].conjugate() * turn;
        let signs = self.source.joints[above].signs.as_ref();
        signs.map_or(local, |signs| mirrored(local, signs[f]))
    }
}

/// See [`Pass::aim`].
struct Aim {
    /// Local.
    rotation: DQuat,
    /// Allowed angle in any direction.
    angle: f64,
    /// The joint's shell, and what hangs on the joint.
    points: Vec<Point>,
}

/// A turn by a small vector, up to its cube: no sine needed.
fn small_turn(v: DVec3) -> DQuat {
    let half = 0.5 * v;
    DQuat::from_xyzw(half.x, half.y, half.z, 1.0).normalize()
}

/// The inverse of a transform's linear part, unless it squashes space.
pub(super) fn unsquashed(m: &DAffine3) -> Option<DMat3> {
    let size = largest_axis(m);
    let determinant = m.matrix3.determinant();
    (determinant.abs() > SQUASHED * size * size * size).then(|| m.matrix3.inverse())
}
