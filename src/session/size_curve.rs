//! How many bytes a clip takes at which skin target, measured point by point while nobody waits.
//!
//! Every point is the clip compressed in full with that target and measured on its bytes, the very bytes that would
//! ship. Nothing is estimated between points. A point depends on everything but the target that is set now: it stays
//! as long as only that changes, and goes with any other change.

use super::byte_budget::MANTISSAS;
use super::document::ClipEdits;
use super::result::ClipResult;
use crate::codec::{Budget, Settings};
use crate::metrics::{Contact, JointError};
use crate::model::Clip;
use std::sync::Arc;

/// Decades of millimetres that a curve always spans: 0.1 to 10 mm.
const DECADES: (i32, i32) = (-1, 1);

/// A target outside of those widens the curve to its decade, as far as this: 0.01 to 100 mm.
const MOST_DECADES: (i32, i32) = (-2, 2);

/// Points that are kept of results that a person made; the oldest go first.
const MOST_OWN: usize = 48;

/// Two targets that are this near are one.
const SAME: f64 = 1e-9;

/// Neighbours whose joints are compared differ from the present target by at least this factor, and by at most that:
/// nearer ones differ by chance, farther ones say little about the present.
const NEIGHBOURS: (f64, f64) = (1.2, 4.0);

/// One target and what it led to. Measured on the bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct SizePoint {
    /// The skin target, metres.
    pub target_m: f64,
    /// Bytes of the animation.
    pub animation_bytes: usize,
    /// Bytes of the file; `None` for keyframes.
    pub file_bytes: Option<usize>,
    /// Whether the target was met.
    pub target_met: Option<bool>,
    /// Largest skin error that the target is held against, metres, whatever it weighs.
    pub max_m: f64,
    /// Root mean square of the skin error at frames, metres.
    pub rms_m: f64,
    /// Largest added slide of all contacts, metres; `None` when no foot stands.
    pub slide_m: Option<f64>,
    /// One a joint.
    pub joints: Vec<JointShare>,
}

/// What a joint takes and how far it is off.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointShare {
    /// Bytes of its tracks.
    pub bytes: usize,
    /// Its largest skin error at frames, metres.
    pub max_m: f64,
}

impl JointShare {
    /// All joints of a result.
    pub fn all(result: &ClipResult) -> Vec<Self> {
        let errors = result.measured.joints.iter();
        let share = |(e, &bytes): (&JointError, &usize)| Self {
            bytes,
            max_m: e.max_m,
        };
        errors.zip(&result.joint_bytes).map(share).collect()
    }
}

impl SizePoint {
    /// The point of a result; `None` where there was no skin target.
    pub(super) fn of(result: &ClipResult) -> Option<Self> {
        let Budget::Skin { target_m } = result.settings.budget else {
            return None;
        };
        Some(Self {
            target_m,
            animation_bytes: result.animation_bytes,
            file_bytes: result.file_bytes(),
            target_met: result.compressed.target_met,
            max_m: result.largest_error_m(),
            rms_m: result.measured.frames.rms_m,
            slide_m: result.worst_slide_m(),
            joints: JointShare::all(result),
        })
    }
}

/// What a millimetre less error at a joint costs here, from two measured points of the curve.
///
/// It is the bytes that the joint's own tracks take more at the finer point, for each millimetre that the joint is less
/// off there. A joint is also off because of the joints above it, whose bytes are counted as theirs: the figure says
/// where bytes go when the target shrinks, not what weighing one joint alone would cost. That takes a full result for each
/// joint, where this takes two points that the curve has anyway; [`super::Session::ask_prices`] finds it for a few joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointCost {
    /// Which joint.
    pub joint: usize,
    /// At the finer point.
    pub finer: JointShare,
    /// At the coarser point.
    pub coarser: JointShare,
    /// `None` where the joint's errors differ by too little to divide by.
    pub bytes_per_mm: Option<f64>,
}

impl JointCost {
    /// A joint of which nothing is stored.
    pub fn nothing(joint: usize) -> Self {
        let none = JointShare::default();
        Self {
            joint,
            finer: none,
            coarser: none,
            bytes_per_mm: None,
        }
    }

    /// A joint whose error differs by less than 5 % of what the targets differ by, or by less than a micrometre, has no
    /// price.
    fn new(joint: usize, finer: (f64, JointShare), coarser: (f64, JointShare)) -> Self {
        let ((target, f), (coarser_target, c)) = (finer, coarser);
        let less_m = c.max_m - f.max_m;
        let least_m = (0.05 * (coarser_target - target)).max(1e-6);
        let more = f.bytes as f64 - c.bytes as f64;
        Self {
            joint,
            finer: f,
            coarser: c,
            bytes_per_mm: (less_m >= least_m).then(|| more / (1000.0 * less_m)),
        }
    }
}

/// The measured points of one clip.
pub struct SizeCurve {
    clip: Arc<Clip>,
    unit_m: f64,
    /// With [`ANY`] for the budget.
    settings: Settings,
    contacts: Option<Vec<Contact>>,
    /// Sorted by target.
    points: Vec<SizePoint>,
    /// Targets that cannot be compressed, and why.
    pub(super) failed: Vec<(f64, String)>,
    /// Targets of results that a person made, in their order.
    own: Vec<f64>,
}

/// In the place of the budget, which a curve does not depend on.
const ANY: Budget = Budget::Tolerances;

pub(super) fn is_same(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() <= SAME
}

/// How many times larger the larger one is.
fn ratio(a: f64, b: f64) -> f64 {
    (a / b).max(b / a)
}

fn is_neighbour(ratio: f64) -> bool {
    let (near, far) = NEIGHBOURS;
    (near..=far).contains(&(ratio * (1.0 + SAME)))
}

impl SizeCurve {
    pub(super) fn new(clip: &Arc<Clip>, unit_m: f64, edits: &ClipEdits) -> Self {
        Self {
            clip: clip.clone(),
            unit_m,
            settings: Settings {
                budget: ANY,
                ..edits.settings.clone()
            },
            contacts: edits.contacts.clone(),
            points: Vec::new(),
            failed: Vec::new(),
            own: Vec::new(),
        }
    }

    /// Whether it still is what the clip leads to.
    pub(super) fn is_of(&self, clip: &Arc<Clip>, unit_m: f64, edits: &ClipEdits) -> bool {
        let wanted = || Settings {
            budget: ANY,
            ..edits.settings.clone()
        };
        Arc::ptr_eq(clip, &self.clip)
            && unit_m == self.unit_m
            && edits.contacts == self.contacts
            && wanted() == self.settings
    }

    /// All points, the finest first.
    pub fn points(&self) -> &[SizePoint] {
        &self.points
    }

    /// The points within the range of the curve.
    pub fn points_in_range(&self, present_m: f64) -> &[SizePoint] {
        let (low, high) = self.range_m(present_m);
        let below = |m: f64| self.points.partition_point(|p| p.target_m < m);
        &self.points[below(low * (1.0 - SAME))..below(high * (1.0 + SAME))]
    }

    /// Targets that cannot be compressed, and why.
    pub fn failed(&self) -> &[(f64, String)] {
        &self.failed
    }

    /// The point of a target, if it was measured.
    pub fn point(&self, target_m: f64) -> Option<&SizePoint> {
        self.points.iter().find(|p| is_same(p.target_m, target_m))
    }

    /// The point of a target, or why there is none; `None` if it was not tried.
    pub(super) fn known(&self, target_m: f64) -> Option<Result<&SizePoint, &str>> {
        let failed = self.failed.iter().find(|f| is_same(f.0, target_m));
        let point = self.point(target_m).map(Ok);
        point.or_else(|| failed.map(|f| Err(f.1.as_str())))
    }

    /// Adds a point, in place of one with the same target.
    pub(super) fn take(&mut self, point: SizePoint) {
        self.points.retain(|p| !is_same(p.target_m, point.target_m));
        let at = self.points.partition_point(|p| p.target_m < point.target_m);
        self.points.insert(at, point);
    }

    /// A result that a person made is a point as well.
    pub(super) fn take_own(&mut self, point: SizePoint) {
        self.own.push(point.target_m);
        self.take(point);
        if self.own.len() > MOST_OWN {
            let oldest = self.own.remove(0);
            let grid = self.targets(oldest);
            let needed = |t: f64| grid.iter().chain(&self.own).any(|&g| is_same(g, t));
            if !needed(oldest) {
                self.points.retain(|p| !is_same(p.target_m, oldest));
            }
        }
    }

    /// From where to where the curve goes, metres: 0.1 to 10 mm, wider where a target that a person set lies outside.
    /// Points that a byte budget tried may lie beyond.
    pub fn range_m(&self, present_m: f64) -> (f64, f64) {
        let targets = self.own.iter().copied().chain([present_m]);
        let (low, high) = targets.fold((f64::INFINITY, 0.0_f64), |(low, high), t| {
            (low.min(t), high.max(t))
        });
        let decade = |m: f64| (1000.0 * m).log10();
        let first = (decade(low) + SAME).floor() as i32;
        let last = (decade(high) - SAME).ceil() as i32;
        let first = first.clamp(MOST_DECADES.0, DECADES.0);
        let last = last.clamp(DECADES.1, MOST_DECADES.1);
        (0.001 * 10_f64.powi(first), 0.001 * 10_f64.powi(last))
    }

    /// The targets that are measured by and by, metres, rising.
    pub fn targets(&self, present_m: f64) -> Vec<f64> {
        let (low, high) = self.range_m(present_m);
        let first = (1000.0 * low).log10().round() as i32;
        let last = (1000.0 * high).log10().round() as i32;
        let decades = (first..last).flat_map(|d| MANTISSAS.map(|m| grid_m(m, d)));
        decades.chain([grid_m(1.0, last)]).collect()
    }

    /// How many of the targets are known.
    pub fn progress(&self, present_m: f64) -> (usize, usize) {
        let targets = self.targets(present_m);
        let known = targets.iter().filter(|&&t| self.known(t).is_some());
        (known.count(), targets.len())
    }

    /// The target to measure next: those beside the present one, the ends, then from the present one outwards.
    pub(super) fn next_target_m(&self, present_m: f64) -> Option<f64> {
        let targets = self.targets(present_m);
        let unknown = |t: &f64| self.known(*t).is_none();
        let nearest = |fits: &dyn Fn(f64) -> bool| {
            let wanted = targets.iter().copied().filter(|&t| fits(t));
            let wanted = wanted.filter(unknown);
            wanted.min_by(|&a, &b| ratio(a, present_m).total_cmp(&ratio(b, present_m)))
        };
        let beside = |finer: bool| {
            let fits = |t: f64| (t < present_m) == finer && is_neighbour(ratio(t, present_m));
            let measured = self.points.iter().any(|p| fits(p.target_m));
            nearest(&fits).filter(|_| !measured)
        };
        let ends = [targets.first(), targets.last()];
        let mut ends = ends.into_iter().flatten().copied();
        (beside(true).or_else(|| beside(false)))
            .or_else(|| ends.find(unknown))
            .or_else(|| nearest(&|_| true))
    }

    /// The nearest measured points that are clearly finer and clearly coarser than a target.
    pub fn neighbours(&self, present_m: f64) -> Option<(&SizePoint, &SizePoint)> {
        let near = |p: &&SizePoint| is_neighbour(ratio(p.target_m, present_m));
        let mut finer = self.points.iter().filter(|p| p.target_m < present_m);
        let mut coarser = self.points.iter().filter(|p| p.target_m > present_m);
        Some((finer.rfind(near)?, coarser.find(near)?))
    }

    /// What a millimetre costs at each joint around a target, the dearest first, then those without a price; `None`
    /// until there are points on both sides.
    pub fn costs(&self, present_m: f64) -> Option<Vec<JointCost>> {
        let (finer, coarser) = self.neighbours(present_m)?;
        let pairs = finer.joints.iter().zip(&coarser.joints).enumerate();
        let mut costs: Vec<JointCost> = pairs
            .map(|(j, (f, c))| JointCost::new(j, (finer.target_m, *f), (coarser.target_m, *c)))
            .filter(|c| c.finer.bytes > 0 || c.coarser.bytes > 0)
            .collect();
        let key = |c: &JointCost| c.bytes_per_mm.unwrap_or(f64::NEG_INFINITY);
        costs.sort_by(|a, b| {
            let bytes = || b.finer.bytes.cmp(&a.finer.bytes);
            key(b).total_cmp(&key(a)).then_with(bytes)
        });
        Some(costs)
    }
}

/// A target of the grid, metres, exactly as its three digits are typed.
fn grid_m(mantissa: f64, decade: i32) -> f64 {
    let mm = mantissa * 10_f64.powi(decade);
    format!("{mm:.2e}").parse::<f64>().unwrap_or(mm) / 1000.0
}
