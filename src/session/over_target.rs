//! What is said about bytes that do not pass: which clip, by how much, where, and what helps.

use super::units::{digits, show_bytes, show_mm};
use crate::codec::{
    AskedBy, Deliverable, Instants, Judgement, Limit, Matter, Playback, Ruling, Settings,
};
use crate::metrics::Measured;
use crate::model::Clip;
use std::fmt;

/// What an export does with bytes that miss the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverTarget {
    /// Writes them and reports the error: somebody has looked at it.
    Write,
    /// Leaves the old file and fails: nobody has.
    Refuse,
    /// Likewise, and also where nothing can be said, or where the limit is one that clips start with.
    RefuseDoubts,
}

impl OverTarget {
    pub(super) fn refuses(self, missed: &Missed) -> bool {
        match self {
            Self::Write => false,
            Self::Refuse => missed.limit.is_missed(),
            Self::RefuseDoubts => true,
        }
    }
}

/// A limit that the bytes of a clip are over, or of which nothing can be said.
#[derive(Clone, Debug, PartialEq)]
pub struct Missed {
    /// The clip's name.
    pub clip: String,
    /// What was asked for and measured.
    pub limit: Limit,
    /// The worst joint's name; empty where there is no place.
    pub joint: String,
    hint: String,
}

impl Missed {
    /// Everything of a judgement that is no pass: what is over its limit first.
    pub fn all(
        judged: &Judgement,
        clip: &Clip,
        settings: &Settings,
        measured: &Measured,
    ) -> Vec<Self> {
        let over = judged.ruled(Ruling::Over);
        let unknown = judged.ruled(Ruling::CannotSay);
        let name = |joint: usize| clip.skeleton().joints()[joint].name.clone();
        let missed = |limit: &Limit| Self {
            clip: clip.name().to_owned(),
            joint: limit.at.map_or_else(String::new, |(joint, _)| name(joint)),
            hint: hint_of(limit, clip, settings, measured),
            limit: limit.clone(),
        };
        over.chain(unknown).map(missed).collect()
    }

    /// Whether it is over a limit, not only one of which nothing can be said.
    pub fn is_over(&self) -> bool {
        self.limit.ruling == Ruling::Over
    }

    /// A few words: `foot_l slides 1.14 mm of 0.2 mm`.
    pub fn short(&self) -> String {
        let Limit { of, asked, .. } = &self.limit;
        if !self.is_over() {
            return self.limit.why.clone();
        }
        let measured = self
            .limit
            .measured
            .map_or_else(String::new, |m| figure(*of, m));
        let limit = asked.map_or_else(String::new, |a| figure(*of, a.limit));
        let what = match of {
            Matter::Skin | Matter::Feet => format!("skin error at {}", self.joint),
            Matter::Shell => format!("shell error at {}", self.joint),
            Matter::Slide(_) => format!("{} slides", self.joint),
            Matter::Pair(_) => format!("{} drifts", self.joint),
            Matter::Seam => "the loop opens by".to_owned(),
            Matter::Jitter => "the error moves at".to_owned(),
            Matter::Bytes => "the animation has".to_owned(),
        };
        format!("{what} {measured} of {limit}")
    }
}

/// A figure with its unit.
pub fn figure(of: Matter, value: f64) -> String {
    match of {
        Matter::Jitter => format!("{} mm/s", digits(value * 1000.0)),
        Matter::Bytes => show_bytes(value as usize),
        _ => show_mm(value),
    }
}

/// How many times the error at frames one between them is that is the cause of a miss.
const MUCH_MORE: f64 = 2.0;

fn hint_of(limit: &Limit, clip: &Clip, settings: &Settings, measured: &Measured) -> String {
    let joints = clip.skeleton().joints();
    match limit.of {
        Matter::Skin | Matter::Shell if limit.ruling == Ruling::CannotSay => {
            "leave the mesh out, or export it in a form that can be read".to_owned()
        }
        Matter::Skin | Matter::Shell => {
            let target = limit.asked.map_or(f64::INFINITY, |a| a.limit);
            let frames_m = measured.frames.weighed.error_m;
            let all_m = Instants::of(settings).gate_m(measured);
            // Where much more is off between frames, what is off at them is not the cause.
            let instants = if frames_m > target && MUCH_MORE * frames_m >= all_m {
                Instants::Frames
            } else {
                Instants::Between
            };
            hint(instants, settings, clip.grid().rate_hz)
        }
        Matter::Feet => "name its feet, set its contacts, or limit no slide".to_owned(),
        Matter::Slide(contact) => {
            let (first, last) = contact.frames;
            format!(
                "its {} stands from frame {first} to {last}: use a smaller target, or tighten the joints above it",
                contact.point.part.name()
            )
        }
        Matter::Pair(n) => {
            let to = measured.pairs.get(n).and_then(|d| d.pair.to);
            let to = to.map_or("the world", |to| joints[to].name.as_str());
            format!("it keeps its distance to {to}: hold it there, or use a smaller target")
        }
        Matter::Seam => "mark the clip as looping, or use a smaller target".to_owned(),
        Matter::Jitter => "use a smaller target, or another codec".to_owned(),
        Matter::Bytes => "use a larger target".to_owned(),
    }
}

/// The cause, as far as it shows, and what helps against it.
fn hint(instants: Instants, settings: &Settings, rate_hz: f64) -> String {
    let rate = (rate_hz * 1000.0).round() / 1000.0;
    match (instants, settings.deliverable, settings.playback) {
        (Instants::Between, Deliverable::Riot | Deliverable::Compact, Playback::Smooth) => {
            "smooth curves leave the source between its frames: use playback frame by frame, or a larger target"
                .to_owned()
        }
        (Instants::Between, ..) => format!(
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

impl fmt::Display for Missed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            clip, joint, hint, ..
        } = self;
        let Limit { of, asked, .. } = &self.limit;
        let limit = asked.map_or_else(String::new, |a| figure(*of, a.limit));
        let what = match of {
            Matter::Skin | Matter::Shell => "",
            Matter::Feet | Matter::Slide(_) | Matter::Pair(_) => " of added slide",
            Matter::Seam => " of opened loop",
            Matter::Jitter => " of jitter",
            Matter::Bytes => " of animation",
        };
        if !self.is_over() {
            let what = if what.is_empty() {
                " of skin error"
            } else {
                what
            };
            let why = &self.limit.why;
            return write!(
                f,
                "clip {clip}: it cannot be said whether it is within {limit}{what}: {why}; {hint}"
            );
        }
        let measured = self
            .limit
            .measured
            .map_or_else(String::new, |m| figure(*of, m));
        let place = match self.limit.at {
            Some((_, secs)) => format!(" at {joint}, {secs:.3} s"),
            None => String::new(),
        };
        let target = match asked.map(|a| a.by) {
            Some(AskedBy::Default) => "the target that clips start with,",
            _ => "the target of",
        };
        write!(
            f,
            "clip {clip}: {measured}{what}{place}, over {target} {limit}; {hint}"
        )
    }
}
