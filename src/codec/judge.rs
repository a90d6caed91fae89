//! The one judge of limits.
//!
//! Whether a clip is good enough is asked in many places: while feet are held, when all clips that pass are approved,
//! before a file is written, where a figure gets its colour. All of them read the same list, [`Judgement::of`]: every
//! limit with what was asked and by whom, what was measured, at which instants, where, and the ruling. What could not be
//! measured is no pass: it has a ruling of its own.

use super::settings::{Budget, Deliverable, Playback, Settings};
use crate::metrics::{
    Contact, ContactSlide, Contacts, ErrorSets, ErrorStats, Measured, PairDrift, Seam, SkinError,
};
use crate::model::Clip;

/// Solvers stop within this share of a limit.
const ROUNDING: f64 = 1e-9;

/// A clip whose first and last poses are this close, metres, is taken for a loop.
const CLOSED_M: f64 = 0.005;

/// Instants of the dense grid for each frame.
const DENSITY: usize = 4;

/// The instants at which a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instants {
    /// The source's frames, and its own keys: what is played frame by frame shows nothing else.
    Frames,
    /// Everything between them too: the player interpolates.
    Between,
}

impl Instants {
    /// Those at which what settings make is played.
    pub fn of(settings: &Settings) -> Self {
        match (settings.deliverable, settings.playback) {
            (Deliverable::Riot | Deliverable::Compact, Playback::Smooth)
            | (Deliverable::Universal, _) => Self::Between,
            (Deliverable::Riot | Deliverable::Compact, Playback::Frames)
            | (Deliverable::Uniform, _) => Self::Frames,
        }
    }

    /// Instants for each frame that are needed to measure what counts.
    pub fn density(self) -> usize {
        self.pick(1, DENSITY)
    }

    /// The added slide of a contact that counts, metres.
    pub fn slide_m(self, slide: &ContactSlide) -> f64 {
        self.pick(slide.added_m, slide.dense_added_m)
    }

    /// The added drift of a pair that counts, metres.
    pub fn drift_m(self, drift: &PairDrift) -> f64 {
        self.pick(drift.added_m, drift.dense_added_m)
    }

    /// The weighed error that a target is held against, metres.
    pub fn gate_m(self, measured: &Measured) -> f64 {
        self.pick(measured.frame_gate_m(), measured.dense_gate_m())
    }

    /// The sets of errors that count, frames first.
    pub fn stats(self, measured: &Measured) -> Vec<&ErrorStats> {
        self.those([&measured.frames, &measured.key_times, &measured.dense])
    }

    fn those<T>(self, [frames, key_times, dense]: [T; 3]) -> Vec<T> {
        match self {
            Self::Frames => vec![frames, key_times],
            Self::Between => vec![frames, key_times, dense],
        }
    }

    fn pick<T>(self, frames: T, between: T) -> T {
        match self {
            Self::Frames => frames,
            Self::Between => between,
        }
    }
}

/// What a limit is a limit of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Matter {
    /// The displacement of the skin, metres, times its weight.
    Skin,
    /// Likewise of the shell around joints, where that is what is held.
    Shell,
    /// Whether it is known when feet stand: there is no figure.
    Feet,
    /// The slide that is added to a contact, metres.
    Slide(Contact),
    /// The drift that is added to a pair of the settings, by its place there; metres.
    Pair(usize),
    /// By how much a loop is opened, metres.
    Seam,
    /// How fast the error moves, at most, metres a second.
    Jitter,
    /// Bytes of the animation.
    Bytes,
}

/// Who asks for a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedBy {
    /// Nobody in particular: clips start with it.
    Default,
    /// The clip's settings.
    Clip,
    /// The settings of this very foot.
    Foot,
    /// The settings of this very pair.
    Pair,
    /// This run of the command line.
    CommandLine,
}

impl AskedBy {
    /// In reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Clip => "clip",
            Self::Foot => "foot",
            Self::Pair => "pair",
            Self::CommandLine => "command line",
        }
    }
}

/// A limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asked {
    /// The largest figure that is within it, in the unit of the matter.
    pub limit: f64,
    /// Who asks.
    pub by: AskedBy,
}

impl Asked {
    fn rule_on(self, figure: f64) -> Ruling {
        // What is no number is over every limit.
        if figure <= self.limit * (1.0 + ROUNDING) {
            Ruling::Met
        } else {
            Ruling::Over
        }
    }
}

/// What comes of holding a figure against its limit, the better ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ruling {
    /// No limit was set.
    NotAsked,
    /// Within the limit.
    Met,
    /// What was asked could not be measured.
    CannotSay,
    /// Over the limit.
    Over,
}

impl Ruling {
    /// In reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotAsked => "not asked",
            Self::Met => "met",
            Self::CannotSay => "cannot say",
            Self::Over => "over",
        }
    }
}

/// A figure and its limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Of what.
    pub of: Matter,
    /// `None` where nobody asks for anything.
    pub asked: Option<Asked>,
    /// In the unit of the matter; `None` where nothing could be measured.
    pub measured: Option<f64>,
    /// When it was looked at.
    pub instants: Instants,
    /// The joint and the time, seconds, of the largest error, where it has a place.
    pub at: Option<(usize, f64)>,
    /// What comes of it.
    pub ruling: Ruling,
    /// Why nothing can be said, as a clause; empty otherwise.
    pub why: String,
}

impl Limit {
    fn new(
        of: Matter,
        asked: Option<Asked>,
        measured: Option<f64>,
        at: Option<(usize, f64)>,
    ) -> Self {
        let ruling = match (asked, measured) {
            (None, _) => Ruling::NotAsked,
            (Some(_), None) => Ruling::CannotSay,
            (Some(asked), Some(figure)) => asked.rule_on(figure),
        };
        Self {
            of,
            asked,
            measured,
            instants: Instants::Frames,
            at,
            ruling,
            why: String::new(),
        }
    }

    fn unknown(self, why: String) -> Self {
        if self.asked.is_none() || self.ruling == Ruling::Over {
            return self;
        }
        Self {
            ruling: Ruling::CannotSay,
            why,
            ..self
        }
    }

    /// The ruling on another figure of the same matter.
    pub fn rule_on(&self, figure: f64) -> Ruling {
        self.asked.map_or(Ruling::NotAsked, |a| a.rule_on(figure))
    }

    /// The figure as a multiple of the limit: above 1 it is over; `None` where nothing was asked or measured.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.measured? / self.asked?.limit)
    }

    /// Whether it is over a limit that somebody asked for, not one that clips merely start with.
    pub fn is_missed(&self) -> bool {
        let by = self.asked.map(|a| a.by);
        self.ruling == Ruling::Over && by != Some(AskedBy::Default)
    }
}

/// How a compressed clip stands to everything that is asked of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Skin or shell first, then feet, contacts, pairs, seam, jitter and bytes.
    pub limits: Vec<Limit>,
}

impl Judgement {
    /// Holds what was measured of a clip against its settings.
    ///
    /// `contacts` are those with which it was measured. `bytes` are those of its animation, where they
    /// are known, and the most that are asked for. Cost: none to speak of.
    pub fn of(
        settings: &Settings,
        clip: &Clip,
        contacts: &Contacts,
        measured: &Measured,
        bytes: Option<(usize, Option<usize>)>,
    ) -> Self {
        let case = Case {
            settings,
            clip,
            measured,
            instants: Instants::of(settings),
        };
        let mut limits = case.target();
        limits.extend(case.feet(contacts));
        limits.extend(measured.slides.iter().map(|s| case.slide(s)));
        let pairs = measured.pairs.iter().enumerate();
        limits.extend(pairs.filter_map(|(n, d)| case.pair(n, d)));
        limits.extend(case.seam());
        limits.push(case.jitter());
        limits.extend(bytes.map(|(made, most)| {
            let asked = most.map(|most| Asked {
                limit: most as f64,
                by: AskedBy::CommandLine,
            });
            Limit::new(Matter::Bytes, asked, Some(made as f64), None)
        }));
        Self { limits }
    }

    /// The worst ruling of all: met where nothing is asked.
    pub fn ruling(&self) -> Ruling {
        let rulings = self.limits.iter().map(|l| l.ruling);
        rulings.fold(Ruling::Met, Ruling::max)
    }

    /// The worse of what is known of the skin and of shells: how the target stands.
    pub fn target(&self) -> Option<&Limit> {
        let held = |l: &&Limit| matches!(l.of, Matter::Skin | Matter::Shell);
        let limits = self.limits.iter().filter(held);
        limits.reduce(|a, b| {
            let measured = |l: &Limit| l.measured.unwrap_or(0.0);
            let worse = (a.ruling.cmp(&b.ruling)).then(measured(a).total_cmp(&measured(b)));
            if worse.is_lt() { b } else { a }
        })
    }

    /// What is known of a contact.
    pub fn of_contact(&self, contact: &Contact) -> Option<&Limit> {
        self.find(|m| matches!(m, Matter::Slide(c) if c == contact))
    }

    /// The ruling on a contact; one that was not measured is not asked about.
    pub fn contact_ruling(&self, contact: &Contact) -> Ruling {
        let limit = self.of_contact(contact);
        limit.map_or(Ruling::NotAsked, |l| l.ruling)
    }

    /// What is known of a pair of the settings.
    pub fn of_pair(&self, pair: usize) -> Option<&Limit> {
        self.find(|m| *m == Matter::Pair(pair))
    }

    /// The first limit of a matter.
    pub fn find(&self, is: impl Fn(&Matter) -> bool) -> Option<&Limit> {
        self.limits.iter().find(|l| is(&l.of))
    }

    /// The limits with a ruling.
    pub fn ruled(&self, ruling: Ruling) -> impl Iterator<Item = &Limit> {
        self.limits.iter().filter(move |l| l.ruling == ruling)
    }

    /// The worst ruling on feet that stand, on whether they are known, and on pairs.
    pub fn feet_ruling(&self) -> Ruling {
        let of_feet = |l: &&Limit| {
            let of = l.of;
            matches!(of, Matter::Feet | Matter::Slide(_) | Matter::Pair(_))
        };
        let rulings = self.limits.iter().filter(of_feet).map(|l| l.ruling);
        rulings.fold(Ruling::NotAsked, Ruling::max)
    }
}

/// What is judged.
struct Case<'a> {
    settings: &'a Settings,
    clip: &'a Clip,
    measured: &'a Measured,
    instants: Instants,
}

impl Case<'_> {
    /// Vertices, and the shells that count.
    fn target(&self) -> Vec<Limit> {
        let m = self.measured;
        let shell = m.counting_shell.as_ref();
        let shell = shell.map(|sets| self.held(Matter::Shell, sets));
        let skin = match &m.skin {
            SkinError::None => None,
            SkinError::Whole(sets) => Some(self.held(Matter::Skin, sets)),
            SkinError::CannotSay(sets, unread) => {
                let meshes = unread.iter().map(|u| format!("{}: {}", u.name, u.why));
                let meshes: Vec<String> = meshes.collect();
                let why = format!("a mesh was not read: {}", meshes.join("; "));
                Some(self.held(Matter::Skin, sets).unknown(why))
            }
        };
        skin.into_iter().chain(shell).collect()
    }

    /// How errors stand to the target.
    fn held(&self, of: Matter, sets: &ErrorSets) -> Limit {
        let asked = match self.settings.budget {
            Budget::Skin { target_m } => Some(Asked {
                limit: target_m,
                by: AskedBy::Clip,
            }),
            Budget::Tolerances => None,
        };
        let worst = self
            .instants
            .those([&sets.frames, &sets.key_times, &sets.dense]);
        let worst = worst.into_iter().map(|s| s.weighed);
        let worst = worst.reduce(|a, b| if b.error_m > a.error_m { b } else { a });
        let at = worst.map(|w| (w.joint, w.secs));
        Limit {
            instants: self.instants,
            ..Limit::new(of, asked, worst.map(|w| w.error_m), at)
        }
    }

    /// Only where slide is limited and nothing is known: contacts speak for themselves.
    fn feet(&self, contacts: &Contacts) -> Option<Limit> {
        let limit = self.settings.slide_target_m?;
        let by = self.settings.slide_asked_by();
        let why = contacts.unknown.clone()?;
        let asked = Some(Asked { limit, by });
        Some(Limit::new(Matter::Feet, asked, None, None).unknown(why))
    }

    fn slide(&self, slide: &ContactSlide) -> Limit {
        let foot = self.clip.skeleton().joints().get(slide.contact.point.foot);
        let asked = foot.and_then(|f| self.settings.slide_limit(&f.name, slide.source_drift_m));
        let secs = self.clip.grid().secs(slide.worst_frame as f64);
        let at = Some((slide.contact.point.joint, secs));
        let figure = Some(self.instants.slide_m(slide));
        Limit {
            instants: self.instants,
            ..Limit::new(Matter::Slide(slide.contact), asked, figure, at)
        }
    }

    /// `None` for what was measured of other pairs.
    fn pair(&self, n: usize, drift: &PairDrift) -> Option<Limit> {
        let held = self.settings.pairs.get(n)?;
        let asked = self.settings.drift_limit(held, drift.source_drift_m);
        let secs = self.clip.grid().secs(drift.worst_frame as f64);
        let at = Some((drift.pair.joint, secs));
        let figure = Some(self.instants.drift_m(drift));
        Some(Limit {
            instants: self.instants,
            ..Limit::new(Matter::Pair(n), asked, figure, at)
        })
    }

    fn seam(&self) -> Option<Limit> {
        let seam = loop_seam(self.settings, self.measured)?;
        let asked = asked_by_clip(self.settings.seam_limit_m);
        let grid = self.clip.grid();
        let at = Some((seam.gap_joint, grid.secs(grid.last() as f64)));
        Some(Limit::new(Matter::Seam, asked, Some(seam.gap_m), at))
    }

    fn jitter(&self) -> Limit {
        let asked = asked_by_clip(self.settings.jitter_limit_m_per_s);
        let jitter = self.measured.jitter;
        Limit::new(Matter::Jitter, asked, Some(jitter.max_m_per_s), jitter.at)
    }
}

fn asked_by_clip(limit: Option<f64>) -> Option<Asked> {
    let by = AskedBy::Clip;
    limit.map(|limit| Asked { limit, by })
}

/// What compression adds where a loop closes; `None` for a clip that neither is set to loop nor ends where it began.
pub fn loop_seam(settings: &Settings, measured: &Measured) -> Option<Seam> {
    let closed = |s: &Seam| settings.looped || s.source_gap_m < CLOSED_M;
    measured.seam.filter(closed)
}
