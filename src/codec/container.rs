//! Writes `.ppc` files; the format is specified in [`crate::runtime`].

use crate::model::{MAX_JOINTS, Skeleton};
use crate::runtime::{
    self, ClipInfo, ClipView, FLAG_ADDITIVE, FLAG_LOOP, FLAG_SMOOTH, MAGIC, MAX_FILE, NO_PARENT,
    SCALAR_KEYED, SCALAR_STEP, SectionKind, VERSION, crc32,
};

/// Why a clip could not be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteError {
    /// More joints than a key can name; holds their number.
    TooManyJoints(usize),
    /// Something is longer than its length field can say: what, and how many.
    TooLong(&'static str, usize),
    /// A value to be stored is not finite: where.
    NotFinite(String),
    /// A value is larger than players take: where.
    TooLarge(String),
    /// What was written breaks a rule of the format: the reader's own answer.
    Refused(runtime::Error),
}

impl std::fmt::Display for WriteError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooManyJoints(n) => write!(
                f,
                "{n} joints are more than the {MAX_JOINTS} that a key can name; remove unused joints"
            ),
            Self::TooLong(what, n) => {
                write!(
                    f,
                    "{what}: {n} are more than the file format can hold; shorten it"
                )
            }
            Self::NotFinite(place) => {
                write!(f, "{place}: a value is not finite; repair the source")
            }
            Self::TooLarge(place) => {
                write!(f, "{place}: a value is larger than 1e15; repair the source")
            }
            Self::Refused(error) => write!(f, "the clip breaks a rule of the format: {error}"),
        }
    }
}

impl std::error::Error for WriteError {}

impl From<runtime::Error> for WriteError {
    fn from(error: runtime::Error) -> Self {
        Self::Refused(error)
    }
}

/// Puts sections together to a file.
#[derive(Clone, Debug)]
pub struct ContainerWriter {
    flags: u16,
    sections: Vec<([u8; 4], Vec<u8>)>,
}

impl ContainerWriter {
    /// Starts a file with its `clip` section and its flags.
    pub fn new(info: &ClipInfo) -> Result<Self, WriteError> {
        let joints = u16::try_from(info.joints)
            .ok()
            .filter(|&n| usize::from(n) <= MAX_JOINTS)
            .ok_or(WriteError::TooManyJoints(info.joints))?;
        let mut out = Vec::new();
        push_text(&mut out, &info.name)?;
        out.extend(info.frames.to_le_bytes());
        out.extend(info.rate_hz.to_le_bytes());
        out.extend(info.start_secs.to_le_bytes());
        out.extend(info.unit_m.to_le_bytes());
        out.extend(joints.to_le_bytes());
        out.extend(info.skeleton_hash);
        out.extend(info.source_hash);
        let flag = |set: bool, flag: u16| if set { flag } else { 0 };
        let writer = Self {
            flags: flag(info.looped, FLAG_LOOP) | flag(info.smooth, FLAG_SMOOTH),
            sections: Vec::new(),
        };
        Ok(writer.section(SectionKind::Clip, out))
    }

    /// Adds a section whose payload is ready, such as `animation`.
    #[must_use]
    pub fn section(self, kind: SectionKind, payload: Vec<u8>) -> Self {
        self.other(kind.fourcc(), payload)
    }

    /// Adds a section that this version's players skip.
    #[must_use]
    pub fn other(mut self, fourcc: [u8; 4], payload: Vec<u8>) -> Self {
        self.sections.push((fourcc, payload));
        self
    }

    /// Adds names, parents and source indices of the joints.
    pub fn skeleton(self, skeleton: &Skeleton) -> Result<Self, WriteError> {
        let mut out = Vec::new();
        for joint in skeleton.joints() {
            let parent = joint.parent.map_or(NO_PARENT, |p| p as u16);
            out.extend(parent.to_le_bytes());
            let source = u32::try_from(joint.source_index)
                .map_err(|_| WriteError::TooLong("source nodes", joint.source_index))?;
            out.extend(source.to_le_bytes());
            push_text(&mut out, &joint.name)?;
        }
        Ok(self.section(SectionKind::Skeleton, out))
    }

    /// Adds the rest pose, one transform a joint.
    #[must_use]
    pub fn rest(self, rest: &[runtime::Transform]) -> Self {
        self.pose(SectionKind::Rest, rest)
    }

    /// Says that the clip's poses are what is added to a base, and adds the one that it was made against.
    #[must_use]
    pub fn added_to(mut self, base: &[runtime::Transform]) -> Self {
        self.flags |= FLAG_ADDITIVE;
        self.pose(SectionKind::Base, base)
    }

    fn pose(self, kind: SectionKind, pose: &[runtime::Transform]) -> Self {
        let floats = pose.iter().flat_map(|t| {
            let rotation = t.rotation.into_iter();
            rotation.chain(t.translation).chain(t.scale)
        });
        let out = floats.flat_map(f32::to_le_bytes).collect();
        self.section(kind, out)
    }

    /// Adds, for each joint of the animation section, the skeleton joint that it is.
    #[must_use]
    pub fn order(self, order: &[u16]) -> Self {
        let out = order.iter().flat_map(|j| j.to_le_bytes()).collect();
        self.section(SectionKind::Order, out)
    }

    /// Adds the number of joints of each level of detail, all of them first.
    #[must_use]
    pub fn levels(self, counts: &[u16]) -> Self {
        let out = counts.iter().flat_map(|c| c.to_le_bytes()).collect();
        self.section(SectionKind::Levels, out)
    }

    /// Adds named float curves key by key, as they are; the codecs write fitted ones, see [`runtime::curves`].
    pub fn scalars(self, scalars: &[ScalarCurve]) -> Result<Self, WriteError> {
        let mut out = Vec::new();
        let count = u16::try_from(scalars.len())
            .map_err(|_| WriteError::TooLong("float curves", scalars.len()))?;
        out.extend(count.to_le_bytes());
        for scalar in scalars {
            scalar.push_to(&mut out)?;
        }
        Ok(self.section(SectionKind::Scalars, out))
    }

    /// Adds a text for tools, by convention JSON.
    #[must_use]
    pub fn meta(self, text: &str) -> Self {
        self.section(SectionKind::Meta, text.as_bytes().to_vec())
    }

    /// The file. It has been read back: what this returns, every player accepts.
    pub fn finish(&self) -> Result<Vec<u8>, WriteError> {
        let bytes = self.assemble()?;
        ClipView::from_bytes(bytes.as_slice())?;
        Ok(bytes)
    }

    fn assemble(&self) -> Result<Vec<u8>, WriteError> {
        let mut offset = 24 + 12 * self.sections.len();
        let length = offset
            + self
                .sections
                .iter()
                .map(|(_, p)| p.len() + 4)
                .sum::<usize>();
        if length > MAX_FILE {
            return Err(WriteError::TooLong("bytes of the file", length));
        }
        let mut out = Vec::with_capacity(length);
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend(self.flags.to_le_bytes());
        out.extend((self.sections.len() as u32).to_le_bytes());
        out.extend((length as u32).to_le_bytes());
        for (fourcc, payload) in &self.sections {
            out.extend(fourcc);
            out.extend((offset as u32).to_le_bytes());
            out.extend((payload.len() as u32 + 4).to_le_bytes());
            offset += payload.len() + 4;
        }
        out.extend(crc32(&out).to_le_bytes());
        for (_, payload) in &self.sections {
            out.extend(payload);
            out.extend(crc32(payload).to_le_bytes());
        }
        Ok(out)
    }
}

/// A named float curve as a file stores it.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalarCurve {
    /// As in the source.
    pub name: String,
    /// The value holds until the next one; otherwise straight lines run between them.
    pub step: bool,
    /// Times in seconds, strictly increasing; `None` if there is one value for each frame.
    pub times: Option<Vec<f64>>,
    /// The values.
    pub values: Vec<f32>,
}

impl ScalarCurve {
    fn push_to(&self, out: &mut Vec<u8>) -> Result<(), WriteError> {
        push_text(out, &self.name)?;
        let step = if self.step { SCALAR_STEP } else { 0 };
        let keyed = if self.times.is_some() {
            SCALAR_KEYED
        } else {
            0
        };
        out.push(step | keyed);
        let count = u32::try_from(self.values.len())
            .map_err(|_| WriteError::TooLong("values of a curve", self.values.len()))?;
        out.extend(count.to_le_bytes());
        out.extend(self.times.iter().flatten().flat_map(|t| t.to_le_bytes()));
        out.extend(self.values.iter().flat_map(|v| v.to_le_bytes()));
        Ok(())
    }
}

pub(super) fn push_text(out: &mut Vec<u8>, text: &str) -> Result<(), WriteError> {
    let length = u16::try_from(text.len())
        .map_err(|_| WriteError::TooLong("bytes of a name", text.len()))?;
    out.extend(length.to_le_bytes());
    out.extend(text.as_bytes());
    Ok(())
}
