//! What is said about bytes that miss their target: which clip, by how much, where, and what helps.

use super::export::ExportItem;
use super::result::added_m;
use super::units::show_mm;
use crate::codec::{Budget, Deliverable, Playback, Settings, gate_is_dense};
use crate::metrics::{ContactSlide, ErrorStats, Measured, PairDrift};
use crate::model::Clip;
use std::fmt;

/// What an export does with bytes that miss the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverTarget {
    /// Writes them and reports the error: somebody has looked at it.
    Write,
    /// Leaves the old file and fails: nobody has.
    Refuse,
}

/// Where the largest error stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instants {
    /// On a frame.
    Frames,
    /// At a key of the source between two frames, or anywhere else between two.
    BetweenFrames,
}

/// What is held against a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The largest skin error.
    Skin,
    /// The slide that is added to a contact.
    Slide,
}

/// A clip whose shipped bytes miss a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Missed {
    /// The clip's name.
    pub clip: String,
    /// Which target.
    pub gate: Gate,
    /// What was asked for, metres.
    pub target_m: f64,
    /// What was measured, metres; skin errors times their weights.
    pub error_m: f64,
    /// The worst joint's name.
    pub joint: String,
    /// When the error is largest, seconds.
    pub secs: f64,
    hint: String,
}

impl Missed {
    /// Holds what was measured against the targets of an item.
    pub(super) fn find(item: &ExportItem, measured: &Measured) -> Vec<Self> {
        let slide = item.slide_limit_m.and_then(|limit_m| {
            let slides = measured.slides.iter();
            let added = slides.map(|s| (added_m(&item.settings, s), s));
            let worst = added.max_by(|a, b| a.0.total_cmp(&b.0));
            let (error_m, slide) = worst?;
            Self::slide(&item.clip, slide, error_m, limit_m)
        });
        let limits = item.settings.pairs.iter();
        let limits = limits.map(|p| p.limit_m.or(item.slide_limit_m));
        let pairs = measured
            .pairs
            .iter()
            .zip(limits)
            .filter_map(|(drift, limit_m)| {
                let dense = gate_is_dense(&item.settings);
                Self::pair(&item.clip, drift, dense, limit_m?)
            });
        Self::skin(item, measured)
            .into_iter()
            .chain(slide)
            .chain(pairs)
            .collect()
    }

    /// The slide of a contact against its limit; `None` when it is within.
    pub fn slide(clip: &Clip, slide: &ContactSlide, error_m: f64, limit_m: f64) -> Option<Self> {
        let point = slide.contact.point;
        let (first, last) = slide.contact.frames;
        let within = error_m <= limit_m;
        (!within).then(|| Self {
            clip: clip.name().to_owned(),
            gate: Gate::Slide,
            target_m: limit_m,
            error_m,
            joint: clip.skeleton().joints()[point.joint].name.clone(),
            secs: clip.grid().secs(slide.worst_frame as f64),
            hint: format!(
                "its {} stands from frame {first} to {last}: use a smaller target, or tighten the joints above it",
                point.part.name()
            ),
        })
    }

    /// The drift of a pair against its limit, between frames too where that counts; `None` when it is within.
    pub fn pair(clip: &Clip, drift: &PairDrift, dense: bool, limit_m: f64) -> Option<Self> {
        let error_m = if dense {
            drift.dense_added_m
        } else {
            drift.added_m
        };
        let joints = clip.skeleton().joints();
        let to = drift
            .pair
            .to
            .map_or("the world", |to| joints[to].name.as_str());
        let within = error_m <= limit_m;
        (!within).then(|| Self {
            clip: clip.name().to_owned(),
            gate: Gate::Slide,
            target_m: limit_m,
            error_m,
            joint: joints[drift.pair.joint].name.clone(),
            secs: clip.grid().secs(drift.worst_frame as f64),
            hint: format!("it keeps its distance to {to}: hold it there, or use a smaller target"),
        })
    }

    fn skin(item: &ExportItem, measured: &Measured) -> Option<Self> {
        let Budget::Skin { target_m } = item.settings.budget else {
            return None;
        };
        let (stats, instants) = worst(measured, gate_is_dense(&item.settings), target_m);
        (stats.weighed.error_m > target_m).then(|| Self {
            clip: item.clip.name().to_owned(),
            gate: Gate::Skin,
            target_m,
            error_m: stats.weighed.error_m,
            joint: item.clip.skeleton().joints()[stats.weighed.joint]
                .name
                .clone(),
            secs: stats.weighed.secs,
            hint: hint(instants, &item.settings, item.clip.grid().rate_hz),
        })
    }
}

/// The cause, as far as it shows, and what helps against it.
fn hint(instants: Instants, settings: &Settings, rate_hz: f64) -> String {
    let rate = (rate_hz * 1000.0).round() / 1000.0;
    match (instants, settings.deliverable, settings.playback) {
        (Instants::BetweenFrames, Deliverable::Riot | Deliverable::Compact, Playback::Smooth) => {
            "smooth curves leave the source between its frames: use playback frame by frame, or a larger target"
                .to_owned()
        }
        (Instants::BetweenFrames, ..) => format!(
            "the source moves between its frames at {rate} Hz: bake it on frames at a higher rate, or use a larger \
             target"
        ),
        (Instants::Frames, Deliverable::Riot | Deliverable::Uniform, _) => {
            "its 16-bit numbers hold no finer: use a larger target, or deliver compact or universal".to_owned()
        }
        (Instants::Frames, Deliverable::Universal | Deliverable::Compact, _) => {
            "use a larger target".to_owned()
        }
    }
}

/// The largest weighed error that counts. One on a frame goes first where frames miss the target as well: it has the
/// other cause, and whoever meets it there may meet it between frames too.
fn worst(measured: &Measured, dense: bool, target_m: f64) -> (&ErrorStats, Instants) {
    let frames = (&measured.frames, Instants::Frames);
    if measured.frames.weighed.error_m > target_m {
        return frames;
    }
    let between = [Some(&measured.key_times), dense.then_some(&measured.dense)];
    let between = between.into_iter().flatten();
    between.fold(frames, |worst, stats| {
        if stats.weighed.error_m > worst.0.weighed.error_m {
            (stats, Instants::BetweenFrames)
        } else {
            worst
        }
    })
}

impl fmt::Display for Missed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.gate {
            Gate::Skin => "",
            Gate::Slide => " of added slide",
        };
        write!(
            f,
            "clip {}: {}{what} at {}, {:.3} s, over the target of {}; {}",
            self.clip,
            show_mm(self.error_m),
            self.joint,
            self.secs,
            show_mm(self.target_m),
            self.hint
        )
    }
}
