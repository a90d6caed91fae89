use super::document::{ClipEdits, ClipId, Edits, Verdict};
use crate::codec::{Budget, Deliverable, HeldPair, Hold, Playback, QuaternionBits};
use crate::fit::Basis;
use crate::math::Channel;
use crate::metrics::Contact;
use crate::model::channel_name;

/// The only way to change a document. Menus, sliders, keys, undo, the command line and tests send one.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Says how many metres one unit of the file is.
    SetUnit {
        /// Index of the open file.
        document: usize,
        /// Positive, finite.
        unit_m: f64,
    },
    /// Changes one clip.
    Edit {
        /// Which one.
        clip: ClipId,
        /// How.
        change: Change,
    },
}

/// One change of one clip.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Solve the tolerances for a skin error, metres; or use those that are set.
    Budget(Budget),
    /// A tolerance of the clip: radians, metres or factor. Tolerances are used from then on.
    Tolerance(Channel, f64),
    /// A joint's own tolerance; `None` inherits the clip's.
    Override {
        /// The joint's name.
        joint: String,
        /// Which of its channels.
        channel: Channel,
        /// Radians, metres or factor.
        value: Option<f64>,
    },
    /// What is shipped.
    Deliverable(Deliverable),
    /// Tangents of the spline.
    Basis(Basis),
    /// Key removal with least squares.
    Refine(bool),
    /// Tolerances divided along the chain.
    AdaptiveMargin(bool),
    /// Bits of a rotation key.
    QuaternionBits(QuaternionBits),
    /// How the container is played.
    Playback(Playback),
    /// Whether the clip loops.
    Looped(bool),
    /// The slide that feet are held to, metres; `None` lets them.
    SlideTarget(Option<f64>),
    /// What holds feet.
    Hold(Hold),
    /// Holds one foot until it slides no more than this, metres, whatever the others do: its limb alone is stored again,
    /// in the fewest bytes. `None` does with it as with the others.
    TightenFoot {
        /// The name of the foot's uppermost joint.
        foot: String,
        /// Metres.
        slide_m: Option<f64>,
    },
    /// Holds all feet until none slides more than this, metres; targets of single feet that ask for less go.
    FixContacts(f64),
    /// What keeps its distance beside feet and ground.
    Pairs(Vec<HeldPair>),
    /// When feet stand: all contacts of the clip; `None` for those that are found in it.
    Contacts(Option<Vec<Contact>>),
    /// A person's word.
    Verdict(Verdict),
}

impl Command {
    /// What the undo menu calls it.
    pub fn name(&self) -> String {
        match self {
            Self::SetUnit { .. } => "Set unit".into(),
            Self::Edit { change, .. } => change.name(),
        }
    }

    /// The open file that it changes.
    pub fn document(&self) -> usize {
        match self {
            Self::SetUnit { document, .. } => *document,
            Self::Edit { clip, .. } => clip.document,
        }
    }

    /// Applies it; a clip or value that does not exist changes nothing.
    pub(super) fn apply(&self, edits: &mut Edits) {
        match self {
            Self::SetUnit { unit_m, .. } => {
                if *unit_m > 0.0 && unit_m.is_finite() {
                    edits.unit_m = *unit_m;
                }
            }
            Self::Edit { clip, change } => {
                if let Some(clip) = edits.clips.get_mut(clip.clip) {
                    change.apply(clip);
                }
            }
        }
    }
}

impl Change {
    fn name(&self) -> String {
        match self {
            Self::Budget(Budget::Skin { .. }) => "Set skin error target".into(),
            Self::Budget(Budget::Tolerances) => "Use tolerances".into(),
            Self::Tolerance(channel, _) => format!("Set {} tolerance", channel_name(*channel)),
            Self::Override {
                joint,
                channel,
                value: Some(_),
            } => {
                format!("Set {} tolerance of {joint}", channel_name(*channel))
            }
            Self::Override {
                joint,
                channel,
                value: None,
            } => {
                format!("Inherit {} tolerance of {joint}", channel_name(*channel))
            }
            Self::Deliverable(d) => format!("Deliver {}", d.name()),
            Self::Basis(_) => "Set tangents".into(),
            Self::Refine(_) => "Set key removal".into(),
            Self::AdaptiveMargin(_) => "Set adaptive margin".into(),
            Self::QuaternionBits(_) => "Set rotation bits".into(),
            Self::Playback(_) => "Set playback".into(),
            Self::Looped(_) => "Set looping".into(),
            Self::SlideTarget(Some(_)) => "Set the slide target".into(),
            Self::SlideTarget(None) => "Let the feet go".into(),
            Self::Hold(hold) => format!("Hold feet by {}", hold.name()),
            Self::TightenFoot {
                foot,
                slide_m: Some(_),
            } => format!("Tighten {foot}"),
            Self::TightenFoot { foot, .. } => format!("Let {foot} go"),
            Self::FixContacts(_) => "Fix all contacts".into(),
            Self::Pairs(_) => "Set pairs".into(),
            Self::Contacts(Some(_)) => "Edit contacts".into(),
            Self::Contacts(None) => "Find contacts".into(),
            Self::Verdict(Verdict::Approved { .. }) => "Approve".into(),
            Self::Verdict(Verdict::Rejected { .. }) => "Reject".into(),
            Self::Verdict(Verdict::Open) => "Clear verdict".into(),
        }
    }

    fn apply(&self, clip: &mut ClipEdits) {
        let settings = &mut clip.settings;
        match self {
            Self::Budget(budget) => settings.budget = *budget,
            Self::Tolerance(channel, value) => {
                settings.budget = Budget::Tolerances;
                settings.tolerances.set(*channel, *value);
            }
            Self::Override {
                joint,
                channel,
                value,
            } => {
                let entry = settings.overrides.entry(joint.clone()).or_default();
                entry.set(*channel, *value);
                if entry.is_empty() {
                    settings.overrides.remove(joint);
                }
            }
            Self::Deliverable(d) => settings.deliverable = *d,
            Self::Basis(b) => settings.basis = *b,
            Self::Refine(on) => settings.refine = *on,
            Self::AdaptiveMargin(on) => settings.adaptive_margin = *on,
            Self::QuaternionBits(bits) => settings.quaternion_bits = *bits,
            Self::Playback(p) => settings.playback = *p,
            Self::Looped(on) => settings.looped = *on,
            Self::SlideTarget(slide_m) => settings.slide_target_m = *slide_m,
            Self::Hold(hold) => settings.hold = *hold,
            Self::TightenFoot { foot, slide_m } => {
                match slide_m {
                    Some(m) => settings.feet.insert(foot.clone(), *m),
                    None => settings.feet.remove(foot),
                };
            }
            Self::FixContacts(slide_m) => {
                settings.slide_target_m = Some(*slide_m);
                settings.feet.retain(|_, own_m| *own_m < *slide_m);
            }
            Self::Pairs(pairs) => settings.pairs.clone_from(pairs),
            Self::Contacts(list) => clip.contacts.clone_from(list),
            Self::Verdict(v) => clip.verdict.clone_from(v),
        }
    }
}
