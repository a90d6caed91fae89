use super::abx::{BlindTest, MOST_TESTS};
use super::buffer::BufferUse;
use super::characters::CharacterFile;
use super::document::{ClipEdits, ClipId, Edits, FrameNote};
use super::verdict::{Judged, Verdict};
use crate::codec::{
    BasePose, Budget, Deliverable, FrameImportance, HeldPair, Hold, JointOverride, Level, Playback,
    QuaternionBits, Rule, Settings,
};
use crate::fit::Basis;
use crate::math::Channel;
use crate::metrics::{Contact, Footing};
use crate::model::channel_name;

/// The only way to change a document. Menus, sliders, keys, undo, the command line and tests send one.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Says how many metres one unit of the file is.
    SetUnit {
        /// The number of the open file.
        document: usize,
        /// Positive, finite.
        unit_m: f64,
    },
    /// Measures all clips of a file on the meshes of other files; on its own for none.
    MeasureOn {
        /// The number of the open file.
        document: usize,
        /// All of them.
        characters: Vec<CharacterFile>,
    },
    /// Puts all decisions about a file in force: what a crash left, what somebody else saved.
    Restore {
        /// The number of the open file.
        document: usize,
        /// One entry a clip.
        edits: Box<Edits>,
        /// What the undo menu calls it.
        what: String,
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
    /// Own tolerances of joints; `None` inherits that of the rules or the clip.
    Override {
        /// Their names.
        joints: Vec<String>,
        /// Which of their channels.
        channel: Channel,
        /// Radians, metres or factor.
        value: Option<f64>,
    },
    /// Several of a joint's own tolerances at once; those that are `None` stay as they are.
    Tighten {
        /// The joint's name.
        joint: String,
        /// Radians, metres and factor.
        to: JointOverride,
    },
    /// How many times a joint's errors count against the target.
    Weigh {
        /// The joint's name.
        joint: String,
        /// Positive; 1 is as all others.
        weight: f64,
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
    /// Deliver what the clip adds to a base pose; `None` for its poses.
    Additive(Option<BasePose>),
    /// The slide that feet are held to, metres; `None` lets them.
    SlideTarget(Option<f64>),
    /// How far a morph weight may be off.
    WeightTolerance(f64),
    /// Levels of detail below the full one: all of them.
    Levels(Vec<Level>),
    /// Settings of joints by wildcard: all of them, in their order.
    Rules(Vec<Rule>),
    /// All settings at once.
    Settings {
        /// The new ones.
        settings: Box<Settings>,
        /// What the undo menu calls it: `Paste settings`.
        what: String,
    },
    /// The settings and contacts of the clip's buffer, see [`super::Session::use_buffer`].
    Buffer {
        /// Those of the buffer.
        settings: Box<Settings>,
        /// Likewise.
        contacts: Option<Vec<Contact>>,
        /// What becomes of the buffer.
        how: BufferUse,
    },
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
    /// The meshes that do not count, as names or patterns of names: all of them.
    LeftOut(Vec<String>),
    /// What a person says of the feet of the skeleton.
    Footing(Footing),
    /// What keeps its distance beside feet and ground.
    Pairs(Vec<HeldPair>),
    /// When feet stand: all contacts of the clip; `None` for those that are found in it.
    Contacts(Option<Vec<Contact>>),
    /// The frames at which errors count more or less: all of them.
    Importance(Vec<FrameImportance>),
    /// A person's word.
    Verdict(Verdict),
    /// A person's word that a clip may ship although something of it is no pass.
    Except {
        /// What it is about.
        of: Judged,
        /// What is no pass, in words.
        exceptions: Vec<String>,
    },
    /// What came of a blind test.
    BlindTest(BlindTest),
    /// What a person writes about a frame; an empty text takes the note away.
    Note(FrameNote),
}

impl Command {
    /// What the undo menu calls it.
    pub fn name(&self) -> String {
        match self {
            Self::SetUnit { .. } => "Set unit".into(),
            Self::MeasureOn { characters, .. } if characters.is_empty() => {
                "Measure on the file's own meshes".into()
            }
            Self::MeasureOn { .. } => "Measure on characters".into(),
            Self::Restore { what, .. } => what.clone(),
            Self::Edit { change, .. } => change.name(),
        }
    }

    /// The number of the open file that it changes.
    pub fn document(&self) -> usize {
        match self {
            Self::SetUnit { document, .. }
            | Self::MeasureOn { document, .. }
            | Self::Restore { document, .. } => *document,
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
            Self::MeasureOn { characters, .. } => edits.characters.clone_from(characters),
            Self::Restore { edits: all, .. } => {
                if all.clips.len() == edits.clips.len() {
                    edits.clone_from(all);
                }
            }
            Self::Edit { clip, change } => {
                if let Some(clip) = edits.clip_mut(clip.clip) {
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
                joints,
                channel,
                value,
            } => {
                let verb = if value.is_some() { "Set" } else { "Inherit" };
                let channel = channel_name(*channel);
                format!("{verb} {channel} tolerance of {}", joint_words(joints))
            }
            Self::Tighten { joint, .. } => format!("Tighten {joint}"),
            Self::Weigh { joint, .. } => format!("Weigh {joint}"),
            Self::Deliverable(d) => format!("Deliver {}", d.name()),
            Self::Basis(_) => "Set tangents".into(),
            Self::Refine(_) => "Set key removal".into(),
            Self::AdaptiveMargin(_) => "Set adaptive margin".into(),
            Self::QuaternionBits(_) => "Set rotation bits".into(),
            Self::Playback(_) => "Set playback".into(),
            Self::Looped(_) => "Set looping".into(),
            Self::Additive(Some(_)) => "Deliver additive".into(),
            Self::Additive(None) => "Deliver whole poses".into(),
            Self::SlideTarget(Some(_)) => "Set the slide target".into(),
            Self::SlideTarget(None) => "Let the feet go".into(),
            Self::WeightTolerance(_) => "Set the weight tolerance".into(),
            Self::Levels(_) => "Set levels of detail".into(),
            Self::Rules(_) => "Edit rules".into(),
            Self::Settings { what, .. } => what.clone(),
            Self::Buffer { how, .. } => how.name().into(),
            Self::BlindTest(_) => "Blind test".into(),
            Self::Hold(hold) => format!("Hold feet by {}", hold.name()),
            Self::TightenFoot {
                foot,
                slide_m: Some(_),
            } => format!("Tighten {foot}"),
            Self::TightenFoot { foot, .. } => format!("Let {foot} go"),
            Self::FixContacts(_) => "Fix all contacts".into(),
            Self::Pairs(_) => "Set pairs".into(),
            Self::LeftOut(_) => "Set the meshes that count".into(),
            Self::Footing(_) => "Say what its feet are".into(),
            Self::Contacts(Some(_)) => "Edit contacts".into(),
            Self::Contacts(None) => "Find contacts".into(),
            Self::Importance(list) if list.is_empty() => "Erase importance".into(),
            Self::Importance(_) => "Paint importance".into(),
            Self::Note(note) if note.text.trim().is_empty() => {
                format!("Remove the note on frame {}", note.frame)
            }
            Self::Note(note) => format!("Note on frame {}", note.frame),
            Self::Verdict(Verdict::Approved(_)) | Self::Except { .. } => "Approve".into(),
            Self::Verdict(Verdict::Rejected { .. }) => "Reject".into(),
            Self::Verdict(Verdict::Open) => "Clear verdict".into(),
        }
    }

    pub(super) fn apply(&self, clip: &mut ClipEdits) {
        let settings = &mut clip.settings;
        match self {
            Self::Budget(budget) => settings.budget = *budget,
            Self::Tolerance(channel, value) => {
                settings.budget = Budget::Tolerances;
                settings.tolerances.set(*channel, *value);
            }
            Self::Override {
                joints,
                channel,
                value,
            } => {
                for joint in joints {
                    set_override(settings, joint, *channel, *value);
                }
            }
            Self::Tighten { joint, to } => {
                let entry = settings.overrides.entry(joint.clone()).or_default();
                for channel in Channel::ALL {
                    if let Some(value) = to.of(channel) {
                        entry.set(channel, Some(value));
                    }
                }
                if entry.is_empty() {
                    settings.overrides.remove(joint);
                }
            }
            Self::Weigh { joint, weight } => settings.importance.weigh(joint, *weight),
            Self::Deliverable(d) => settings.deliverable = *d,
            Self::Basis(b) => settings.basis = *b,
            Self::Refine(on) => settings.refine = *on,
            Self::AdaptiveMargin(on) => settings.adaptive_margin = *on,
            Self::QuaternionBits(bits) => settings.quaternion_bits = *bits,
            Self::Playback(p) => settings.playback = *p,
            Self::Looped(on) => settings.looped = *on,
            Self::Additive(base) => settings.additive = *base,
            Self::SlideTarget(slide_m) => {
                settings.slide_target_m = *slide_m;
                settings.slide_of_source = 0.0;
            }
            Self::WeightTolerance(tolerance) => settings.weight_tolerance = *tolerance,
            Self::Levels(levels) => settings.levels.clone_from(levels),
            Self::Rules(rules) => settings.rules.clone_from(rules),
            Self::Settings { settings: all, .. } => settings.clone_from(all),
            Self::Buffer {
                settings: all,
                contacts,
                ..
            } => {
                settings.clone_from(all);
                clip.contacts.clone_from(contacts);
            }
            Self::BlindTest(test) => add_blind_test(&mut clip.blind_tests, test),
            Self::Hold(hold) => settings.hold = *hold,
            Self::TightenFoot { foot, slide_m } => {
                match slide_m {
                    Some(m) => settings.feet.insert(foot.clone(), *m),
                    None => settings.feet.remove(foot),
                };
            }
            Self::FixContacts(slide_m) => {
                settings.slide_target_m = Some(*slide_m);
                settings.slide_of_source = 0.0;
                settings.feet.retain(|_, own_m| *own_m < *slide_m);
            }
            Self::LeftOut(meshes) => settings.left_out.clone_from(meshes),
            Self::Footing(footing) => settings.footing.clone_from(footing),
            Self::Pairs(pairs) => settings.pairs.clone_from(pairs),
            Self::Contacts(list) => clip.contacts.clone_from(list),
            Self::Importance(list) => settings.importance.frames.clone_from(list),
            Self::Verdict(v) => {
                clip.verdict.clone_from(v);
                clip.exceptions.clear();
            }
            Self::Except { of, exceptions } => {
                clip.verdict = Verdict::Approved(*of);
                clip.exceptions.clone_from(exceptions);
            }
            Self::Note(note) => set_note(&mut clip.notes, note),
        }
    }
}

/// The oldest go where there would be too many.
fn add_blind_test(tests: &mut Vec<BlindTest>, test: &BlindTest) {
    let over = (tests.len() + 1).saturating_sub(MOST_TESTS);
    tests.drain(..over);
    tests.push(test.clone());
}

/// One note a frame, in the order of frames.
fn set_note(notes: &mut Vec<FrameNote>, note: &FrameNote) {
    notes.retain(|n| n.frame != note.frame);
    if note.text.trim().is_empty() {
        return;
    }
    let at = notes.partition_point(|n| n.frame < note.frame);
    notes.insert(at, note.clone());
}

fn set_override(settings: &mut Settings, joint: &str, channel: Channel, value: Option<f64>) {
    let entry = settings.overrides.entry(joint.to_owned()).or_default();
    entry.set(channel, value);
    if entry.is_empty() {
        settings.overrides.remove(joint);
    }
}

/// `foot_l`, or how many.
fn joint_words(joints: &[String]) -> String {
    match joints {
        [one] => one.clone(),
        all => format!("{} joints", all.len()),
    }
}
