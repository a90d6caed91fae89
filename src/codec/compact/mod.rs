//! The codec `compact`: closed-loop keyed splines. [`crate::runtime::compact`] has the format.
//!
//! # How a clip is compressed
//! One *pass* goes from the roots to the leaves ([`pass`]). A joint does not follow its source, but what brings the
//! joints that hang on it to where the source has them, given where its own parents ended up: rounding upstream is
//! corrected downstream, and does not add up along the chain. How far it may be off is told frame by frame by the
//! points that it moves: a few of its own vertices that stand for all, each times its weight, or a shell where it moves
//! none ([`crate::codec::cloud`]), its children, and the points of joints that hang on it rigidly. That is a
//! [`gauge`], not a number: a turn about the bone's own axis is felt by what is around it alone.
//!
//! Each track is then stored as whatever is cheapest ([`choose`], [`joint`]): nothing where the rest pose does, one
//! value, steps, a value on every frame, or keys with lines or splines between them, fitted by
//! [`crate::fit::fit_knots`]; along three choices of axes; with three shares of the tolerance left to rounding; with
//! fixed fields or the cheapest predictor ([`curve`]). Cheapest weighs bits against the error left: what a joint does
//! not use its children may.
//!
//! After a pass the file is written, read back and played ([`solve`]). What is over its budget is repaired where it is;
//! what leaves some is loosened. Of all results that meet the target one is kept. Measured is what a player
//! decodes from the bytes, in single precision: a target said to be met is met.
//!
//! # How points are held
//! A clip is solved first as if nothing were held. Then the limbs whose feet slide too far are stored again, over
//! parents that stay as they are ([`stake`]): all other tracks are the same to the bit, and a change of the slide
//! target costs some legs, not a clip. What is tight is the point that stands, over the ground alone, and about where
//! it stands anyway ([`guide`]): neither height nor an offset that stays is slide. A joint near the point turns it into
//! place; those above are kept within some radii of that. The limb stake also watches every bone's error along
//! itself, which no turn below makes up for: a two-bone solution, linear in the errors, and damped where the leg is
//! straight by what else the thigh must keep.
//!
//! Measured at 1 mm and 0.2 mm of slide on ten clips: pins that made the whole foot's budget smaller, in the solve,
//! cost +24 % (52 % at worst) and five solves; these cost +5 % (10 %) and about one more. Holding the joint above
//! within 3 radii of the hold and the next within 6 is best for most; not at all, or within 1.5, for some: all three
//! are tried. About the source's place, instead of where the joint stands anyway, it was +5.4 % for +4.9 %. Limb
//! stakes cost +5.5 %, full ones +8.5 %. All of that was chosen on those ten clips; eleven others cost +7 % (13 %).
//!
//! # Measured
//! On vertices, at equal skin error, 38 clips with meshes against ACL 2.1's fewest bytes less what equals the rest pose:
//! 0.312, 0.259 and 0.217 at 0.1, 1 and 5 mm, at worst 0.52, 0.45 and 0.39. Of that, masses far out on rigid parts when a
//! joint is aimed, such as a staff in a hand, are 6 % (two fifths for clips with such props).
//!
//! On shells: bytes of the animation section against ACL 2.1's less what equals the rest pose, 17 clips of the judge, each at
//! or under its target at every frame (ACL is over it by up to 3.6 times):
//!
//! | target | bytes, geometric mean | all bytes | largest ratio | root mean square error against ACL's |
//! |---|---|---|---|---|
//! | 0.1 mm | 0.342 | 0.416 | 0.503 | 0.72 |
//! | 1 mm | 0.275 | 0.308 | 0.406 | 0.93 |
//! | 5 mm | 0.219 | 0.229 | 0.318 | 0.98 |
//!
//! What it comes from, beside the closed loop (geometric means at 0.1, 1, 5 mm):
//! - predicted values in an adaptive Golomb-Rice code, with the seek index made when a file is opened, in place of
//!   blocks of fixed widths: 0.41, 0.34, 0.28 became 0.352, 0.294, 0.238;
//! - forms of the gauge that know how far a point is off already, and how off: 1 to 3 %, and 10 % less error;
//! - a predictor for each component, slopes by time: 1 % (4 % of long clips at 0.1 mm);
//! - closed curves: 1 %; headers told by differences: 0.3, 1, 2.5 %;
//! - in clips that loop, curves fitted in a ring: 3 % over 15 cycles at 0.2 to 4 mm, from 2 % more to 13 % less a cycle,
//!   at 2 % less error. Poses that were up to 6 mm apart at the seam are the same where the source's are; the
//!   jump of speed in whole frames was no larger than elsewhere in the five cycles tried, before and after;
//! - every pass searched afresh where the clip is short, repairs of single joints first: 2 %.
//!
//! What did not pay: means that learn slower or faster (1/16, 1/4: +0.5 %); references and axes with 5 bits a
//! component (+0.7 %); other shares of the target along the chain (within 1 %); finer constants (more bytes, no less
//! error); picking by bits alone (1 % fewer bytes, 20 % more error). Solutions are chaotic: a change upstream rolls the
//! dice for everything below, so differences under 1 % mean nothing.
//!
//! Left out on purpose: predicting a joint from another one, as the left arm from the right. A bound, measured outside on
//! the sources of 13 clips: each component, along its joint's own principal axes, from the best component of the
//! joints before it, at the same time or half a clip later, with keys every three frames and steps of 3 mrad. It saves
//! 10 to 20 % of the bits of values in long captures and in three other clips, under 3 % in five of the cycles. A
//! joint alone, and a lower level of detail, would then need the other joint's curve as well. Lattices of steps other
//! than cubes could save a few percent where all frames are stored, which is rare here; they were not tried.

mod bits;
mod choose;
mod curve;
mod gauge;
mod guide;
mod joint;
mod kept;
mod pass;
mod section;
mod solve;
mod source;
mod space;
mod stake;

use crate::codec::additive::BasePose;
use crate::codec::cloud::Cloud;
use crate::codec::control::Control;
use crate::codec::encoder::Quality;
use crate::codec::error::CodecError;
use crate::codec::holding::HeldLimb;
use crate::codec::levels::StreamOrder;
use crate::codec::settings::{Budget, Settings};
use crate::codec::track_fit::{KeyOrigin, TrackFit, TrackKind};
use crate::fit::{Fit, Key};
use crate::math::Channel;
use crate::metrics::{Body, Weights};
use crate::model::{Clip, Track};
use crate::runtime::compact::Mode;
use crate::runtime::{self, ClipView};
pub(super) use bits::{BitWriter, rice_bits, signed_width};
use choose::Chosen;
pub(super) use guide::Over;
use joint::Stored;
use solve::{Demands, Preset, Solved, solve};
use source::Source;
use stake::Staking;
pub(super) use stake::{Held, Holds};
use std::sync::Arc;

/// A clip ready to be compressed.
#[derive(Debug)]
pub(super) struct CompactEncoder {
    source: Source,
}

/// What a clip is to become.
pub(super) struct Wanted<'a> {
    pub(super) clip: &'a Clip,
    pub(super) settings: &'a Settings,
    pub(super) unit_m: f64,
    /// On what errors are measured, and the points that stand for it.
    pub(super) body: &'a Arc<Body>,
    pub(super) clouds: &'a Arc<[Cloud]>,
}

/// A result.
#[derive(Clone, Debug)]
pub(super) struct CompactClip {
    /// The file.
    pub(super) file: Vec<u8>,
    /// How every source track was stored.
    pub(super) tracks: Vec<TrackFit>,
    /// The factor on tolerances that the target led to.
    pub(super) scale: f64,
    /// Whether the target is met at every frame.
    pub(super) met: bool,
    solved: Solved,
}

impl CompactEncoder {
    /// Lays a clip out for the closed loop; stored is what it adds to a base pose, if one is given.
    pub(super) fn new(clip: &Clip, additive: Option<BasePose>) -> Self {
        Self {
            source: Source::new(clip, additive),
        }
    }

    /// Compresses the clip. `wrap` makes a file of an animation section.
    pub(super) fn encode(
        &self,
        wanted: &Wanted,
        quality: Quality,
        wrap: solve::Wrap,
        control: &Control,
    ) -> Result<CompactClip, CodecError> {
        let preset = preset(quality);
        let clip = wanted.clip;
        let demands = demands(wanted, &self.source);
        let solved = solve(&self.source, clip.grid(), &demands, preset, wrap, control)?;
        CompactClip::new(clip, &self.source, solved)
    }

    /// Holds points of a clip that was compressed with the same wishes: the limbs that carry them are stored again,
    /// everything else stays as it was.
    pub(super) fn hold(
        &self,
        wanted: &Wanted,
        free: &CompactClip,
        holds: &Holds,
        quality: Quality,
        wrap: solve::Wrap,
        control: &Control,
    ) -> Result<(CompactClip, Vec<HeldLimb>), CodecError> {
        let demands = demands(wanted, &self.source);
        let staking = Staking {
            source: &self.source,
            grid: wanted.clip.grid(),
            demands: &demands,
            preset: preset(quality),
            solved: &free.solved,
            holds: &holds.list,
        };
        let hold = wanted.settings.hold;
        // Without a target nothing is used of it, and all may be.
        let used = Some(free.solved.worst).filter(|&w| w > 0.0);
        let skin = holds.skin * used.unwrap_or(1.0);
        let (solved, held) = staking.run(hold, skin, wrap, control)?;
        let clip = CompactClip::new(wanted.clip, &self.source, solved)?;
        Ok((clip, held))
    }
}

impl CompactClip {
    fn new(clip: &Clip, source: &Source, solved: Solved) -> Result<Self, CodecError> {
        Ok(Self {
            tracks: tracks(clip, source, &solved).map_err(CodecError::ReadBack)?,
            scale: solved.scale,
            met: solved.worst <= 1.0,
            file: solved.file.clone(),
            solved,
        })
    }
}

fn preset(quality: Quality) -> &'static Preset {
    match quality {
        Quality::Draft => &Preset::DRAFT,
        Quality::Full => &Preset::FULL,
        Quality::Max => &Preset::MAX,
    }
}

fn demands(wanted: &Wanted, source: &Source) -> Demands {
    let Wanted {
        clip,
        settings,
        unit_m,
        body,
        clouds,
    } = *wanted;
    let target_m = match settings.budget {
        Budget::Skin { target_m } => target_m,
        Budget::Tolerances => f64::INFINITY,
    };
    let joints = clip.skeleton().joints();
    let weights = settings.importance.weights(clip.skeleton());
    let budget_m = |j: usize| target_m / weights.of_joint(j);
    let caps = joints.iter().zip(&source.joints);
    Demands {
        budgets: (0..joints.len()).map(|j| budget_m(j) / unit_m).collect(),
        levers: clouds
            .iter()
            .enumerate()
            .map(|(j, cloud)| source.lever(j, cloud))
            .collect(),
        clouds: clouds.clone(),
        body: body.clone(),
        shell: settings.shell_m / unit_m,
        caps: caps
            .map(|(joint, source)| caps_of(settings, &joint.name, source.height, unit_m))
            .collect(),
        parts: (0..joints.len())
            .map(|j| parts(&weights, j, source.frames))
            .collect(),
        order: StreamOrder::new(clip.skeleton(), &settings.levels).joints,
        looped: settings.looped,
    }
}

/// The part of a joint's budget that the weights of frames leave; empty where all of it is left.
fn parts(weights: &Weights, joint: usize, frames: usize) -> Vec<f64> {
    if weights.is_steady(joint) {
        return Vec::new();
    }
    (0..frames)
        .map(|f| 1.0 / weights.at_frame(joint, f))
        .collect()
}

/// What a joint's channels may be off by: its own tolerances and, without a target, the clip's.
fn caps_of(settings: &Settings, joint: &str, height: usize, unit_m: f64) -> [f64; 3] {
    let own = settings.overrides.get(joint);
    Channel::ALL.map(|channel| {
        let clip = match settings.budget {
            Budget::Skin { .. } => f64::INFINITY,
            Budget::Tolerances => settings.tolerances.of(channel) * settings.margin(height),
        };
        let cap = own.and_then(|o| o.of(channel)).unwrap_or(clip);
        if channel == Channel::Translation {
            cap / unit_m
        } else {
            cap
        }
    })
}

/// How every source track is stored, with the keys as a player has them.
fn tracks(clip: &Clip, source: &Source, solved: &Solved) -> Result<Vec<TrackFit>, runtime::Error> {
    let view = ClipView::from_bytes(solved.file.as_slice())?;
    let of = |track: &Track| {
        let stored = &solved.joints[track.joint][track.channel as usize];
        let curves = stored.curves();
        let kind = match stored {
            Stored::Rest => TrackKind::Rest,
            Stored::Constant(..) => TrackKind::Constant,
            _ if curves.iter().all(|c| c.curve.mode == Mode::Step) => TrackKind::Step,
            _ => TrackKind::Keys,
        };
        let keys = view.keys(track.joint, track.channel).into_iter();
        let keys = keys.map(|key| Key {
            frame: key.frame as usize,
            value: crate::fit::Value::from_array(key.value.map(f64::from)),
        });
        let tolerances = curves.iter().flat_map(|c| c.tolerances.iter().copied());
        let errors = curves.iter().map(|c| c.max_error);
        let factor = match track.channel {
            Channel::Translation => source.joints[track.joint].factor,
            Channel::Rotation | Channel::Scale => 1.0,
        };
        TrackFit {
            joint: track.joint,
            channel: track.channel,
            kind,
            tolerance: tolerances.reduce(f64::min).unwrap_or(0.0) * factor,
            fit: Fit {
                keys: keys.collect(),
                history: Vec::new(),
                max_error: errors.fold(0.0, f64::max) * factor,
            },
            origins: origins(curves, factor),
        }
    };
    Ok(clip.tracks().iter().map(of).collect())
}

/// Why each key is there; where two curves have a key, what the first one says. `factor` leads from track space to the
/// channel's own units.
fn origins(curves: &[Chosen], factor: f64) -> Vec<KeyOrigin> {
    let of = |c: &Chosen| -> Vec<KeyOrigin> {
        let whys = c.origins.iter().zip(&c.tolerances);
        let keys = c.curve.frames.iter().zip(whys);
        keys.map(|(&frame, (why, &tolerance))| KeyOrigin {
            frame: frame as usize,
            round: why.round,
            error: why.error,
            tolerance: tolerance * factor,
        })
        .collect()
    };
    let mut all: Vec<KeyOrigin> = curves.iter().flat_map(of).collect();
    all.sort_by_key(|o| o.frame);
    all.dedup_by_key(|o| o.frame);
    all
}
