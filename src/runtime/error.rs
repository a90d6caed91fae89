//! What can be wrong with a file or a call, with the place and a hint.

use std::fmt;

/// Why bytes are not a clip that this player can play.
///
/// Every variant that speaks of bytes holds the section's name (`"header"` for what stands before the
/// sections) and the byte offset from the start of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The first eight bytes are not those of a `.ppc` file.
    NotAClip,
    /// Written by a newer version; holds the file's version.
    UnsupportedVersion(u16),
    /// The animation section uses a codec that this player does not have; holds its id.
    UnsupportedCodec(u8),
    /// The file ends too early: bytes it should have, bytes it has.
    Truncated {
        /// Length that the header or the structure asks for, in bytes.
        expected: u64,
        /// Length of the file in bytes.
        actual: u64,
    },
    /// There are bytes behind the last section: length by the header, length of the file.
    TrailingBytes {
        /// Length that the header gives, in bytes.
        expected: u64,
        /// Length of the file in bytes.
        actual: u64,
    },
    /// A checksum does not match: the bytes have changed since they were written.
    Checksum {
        /// The section.
        section: String,
        /// Where the section starts.
        offset: u64,
    },
    /// A section that every clip needs is not there.
    MissingSection(&'static str),
    /// A section stands in the table twice.
    DuplicateSection(&'static str),
    /// The section ends inside a field.
    SectionTooShort {
        /// The section.
        section: String,
        /// Where the field starts.
        offset: u64,
    },
    /// The checksum matches but the content breaks a rule of the format.
    Invalid {
        /// The section.
        section: String,
        /// Where the offending field stands.
        offset: u64,
        /// The rule.
        rule: &'static str,
    },
    /// A rest pose was given that has not one valid transform for each of so many joints.
    RestDoesNotFit {
        /// Joints of the clip.
        joints: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAClip => write!(
                f,
                "header at byte 0: not a .ppc file, or damaged by a transfer in text mode; copy it again as binary"
            ),
            Self::UnsupportedVersion(v) => write!(
                f,
                "header at byte 8: format version {v}, but this player reads up to version {}; update the player or export again",
                super::container::VERSION
            ),
            Self::UnsupportedCodec(id) => write!(
                f,
                "animation section: codec {id} is not known to this player; update the player or export with another codec"
            ),
            Self::Truncated { expected, actual } => write!(
                f,
                "the file ends at byte {actual} but should have {expected} bytes; copy or export it again"
            ),
            Self::TrailingBytes { expected, actual } => write!(
                f,
                "the file has {actual} bytes but its header says {expected}; something was appended, export it again"
            ),
            Self::Checksum { section, offset } => write!(
                f,
                "section {section} at byte {offset}: the checksum does not match, the file is damaged; copy or export it again"
            ),
            Self::MissingSection(name) => {
                write!(f, "the file has no section {name}; export it again")
            }
            Self::DuplicateSection(name) => {
                write!(f, "the file has two sections {name}; export it again")
            }
            Self::SectionTooShort { section, offset } => write!(
                f,
                "section {section}: it ends inside the field at byte {offset}; export the file again"
            ),
            Self::Invalid {
                section,
                offset,
                rule,
            } => write!(
                f,
                "section {section} at byte {offset}: {rule}; export the file again"
            ),
            Self::RestDoesNotFit { joints } => write!(
                f,
                "the rest pose must have {joints} finite transforms with unit rotations, one for each joint of the clip; pass that of the clip's own skeleton"
            ),
        }
    }
}

impl std::error::Error for Error {}

/// Why a pose could not be sampled. Nothing was written to the pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SampleError {
    /// The sampler was made for another view.
    OtherView,
    /// The pose has not one entry a joint: joints of the clip, entries given.
    PoseLength {
        /// Joints of the clip.
        joints: usize,
        /// Entries of the slice.
        given: usize,
    },
    /// The file has no rest pose and none was attached.
    NoRest,
}

impl fmt::Display for SampleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherView => write!(
                f,
                "the sampler belongs to another clip; make one with Sampler::new for this clip"
            ),
            Self::PoseLength { joints, given } => write!(
                f,
                "the pose has {given} entries but the clip has {joints} joints; pass one entry a joint"
            ),
            Self::NoRest => write!(
                f,
                "the clip carries no rest pose; call attach_rest with that of its skeleton first"
            ),
        }
    }
}

impl std::error::Error for SampleError {}
