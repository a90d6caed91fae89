//! Header, section table and checksums; see the format in the [module docs](super).
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::Error;
use super::bytes::{Reader, crc32, u16_at, u32_at};
use std::ops::Range;

/// First bytes of every file. A transfer in text mode changes the 13 10 or the 10, one through seven
/// bits clears the top bit of the first, and byte 26 ends the listing on some systems.
pub const MAGIC: [u8; 8] = [0x8B, b'P', b'P', b'C', 13, 10, 26, 10];

/// The format version that is written, and the newest that is read.
pub const VERSION: u16 = 1;

/// Header flag: the clip loops; the last frame is the first again.
pub const FLAG_LOOP: u16 = 1;

/// Header flag: between frames the player evaluates the curves themselves.
pub const FLAG_SMOOTH: u16 = 2;

/// Header flag: poses are what is added to a base pose.
pub const FLAG_ADDITIVE: u16 = 4;

/// Most bytes a file may have.
pub const MAX_FILE: usize = 1 << 31;

/// Bytes before the section table.
pub(super) const FIXED_HEADER: usize = 20;

/// Bytes of one entry of the section table.
pub(super) const TABLE_ENTRY: usize = 12;

/// The sections that this version knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionKind {
    /// Name, frames, rate, hashes. Required.
    Clip,
    /// Names and parents of the joints.
    Skeleton,
    /// The rest pose.
    Rest,
    /// The pose that an additive clip was made against.
    Base,
    /// Which skeleton joint each joint of the animation section is.
    Order,
    /// How many joints each level of detail has.
    Levels,
    /// The compressed curves of the joints. Required.
    Animation,
    /// Named float curves, key by key.
    Scalars,
    /// Named float curves, fitted.
    Curves,
    /// JSON for tools; the player ignores it.
    Meta,
}

impl SectionKind {
    /// All kinds, in the order in which files usually have them.
    pub const ALL: [Self; 10] = [
        Self::Clip,
        Self::Skeleton,
        Self::Rest,
        Self::Base,
        Self::Order,
        Self::Levels,
        Self::Animation,
        Self::Scalars,
        Self::Curves,
        Self::Meta,
    ];

    /// The four bytes that stand in the section table.
    pub const fn fourcc(self) -> [u8; 4] {
        match self {
            Self::Clip => *b"clip",
            Self::Skeleton => *b"skel",
            Self::Rest => *b"rest",
            Self::Base => *b"base",
            Self::Order => *b"ordr",
            Self::Levels => *b"levl",
            Self::Animation => *b"anim",
            Self::Scalars => *b"scal",
            Self::Curves => *b"curv",
            Self::Meta => *b"meta",
        }
    }

    /// The name that tools and errors show.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Clip => "clip",
            Self::Skeleton => "skeleton",
            Self::Rest => "rest",
            Self::Base => "base",
            Self::Order => "order",
            Self::Levels => "levels",
            Self::Animation => "animation",
            Self::Scalars => "scalars",
            Self::Curves => "curves",
            Self::Meta => "meta",
        }
    }

    fn from_fourcc(fourcc: [u8; 4]) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.fourcc() == fourcc)
    }
}

/// One section whose checksum has been verified.
#[derive(Clone, Debug)]
pub(super) struct Section {
    /// `None` for one that this version does not know.
    pub(super) kind: Option<SectionKind>,
    /// For unknown kinds the four characters themselves.
    pub(super) name: String,
    /// Place of the payload in the file, without the checksum.
    pub(super) payload: Range<usize>,
}

impl Section {
    /// Bytes with the checksum.
    pub(super) fn len(&self) -> usize {
        self.payload.len().saturating_add(4)
    }
}

/// A file whose frame is sound: lengths add up and every checksum matches.
#[derive(Clone, Debug)]
pub(super) struct Container {
    pub(super) flags: u16,
    pub(super) sections: Vec<Section>,
}

impl Container {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let table = check_header(bytes)?;
        // The table lies inside the file, so the allocation is bounded by the input.
        let mut sections = Vec::with_capacity(table.len() / TABLE_ENTRY);
        let mut next = table.end.saturating_add(4);
        let entries = bytes.get(table.clone()).unwrap_or_default();
        for (i, entry) in entries.chunks_exact(TABLE_ENTRY).enumerate() {
            let at = table.start.saturating_add(i.saturating_mul(TABLE_ENTRY));
            let section = check_section(bytes, entry, at, next)?;
            next = next.saturating_add(section.len());
            sections.push(section);
        }
        if next != bytes.len() {
            return Err(header_error(16, "the sections do not fill the file"));
        }
        check_unique(&sections)?;
        Ok(Self {
            flags: u16_at(bytes, 10).unwrap_or(0),
            sections,
        })
    }

    pub(super) fn find(&self, kind: SectionKind) -> Option<&Section> {
        self.sections.iter().find(|s| s.kind == Some(kind))
    }

    /// A reader over the payload of a section, if the file has it.
    pub(super) fn reader<'a>(&'a self, bytes: &'a [u8], kind: SectionKind) -> Option<Reader<'a>> {
        let section = self.find(kind)?;
        let payload = bytes.get(section.payload.clone())?;
        Some(Reader::new(&section.name, section.payload.start, payload))
    }

    pub(super) fn required<'a>(
        &'a self,
        bytes: &'a [u8],
        kind: SectionKind,
    ) -> Result<Reader<'a>, Error> {
        self.reader(bytes, kind)
            .ok_or(Error::MissingSection(kind.name()))
    }
}

/// Checks everything before the sections; returns the place of the table.
fn check_header(bytes: &[u8]) -> Result<Range<usize>, Error> {
    let actual = bytes.len() as u64;
    let short = |expected: usize| Error::Truncated {
        expected: expected as u64,
        actual,
    };
    let start = bytes.get(..MAGIC.len().min(bytes.len()));
    if start != MAGIC.get(..MAGIC.len().min(bytes.len())) {
        return Err(Error::NotAClip);
    }
    let version = u16_at(bytes, 8).ok_or(short(FIXED_HEADER))?;
    if version != VERSION {
        return Err(Error::UnsupportedVersion(version));
    }
    let count = u32_at(bytes, 12).ok_or(short(FIXED_HEADER))?;
    let expected = u32_at(bytes, 16).ok_or(short(FIXED_HEADER))?;
    let table_len = (count as usize).saturating_mul(TABLE_ENTRY);
    let table_end = FIXED_HEADER.saturating_add(table_len);
    let crc = u32_at(bytes, table_end).ok_or(short(table_end.saturating_add(4)))?;
    if bytes.get(..table_end).map(crc32) != Some(crc) {
        return Err(Error::Checksum {
            section: "header".to_owned(),
            offset: 0,
        });
    }
    let expected = u64::from(expected);
    if actual < expected {
        return Err(Error::Truncated { expected, actual });
    }
    if actual > expected {
        return Err(Error::TrailingBytes { expected, actual });
    }
    if bytes.len() > MAX_FILE {
        return Err(header_error(16, "the file is larger than 2 GiB"));
    }
    if u16_at(bytes, 10).unwrap_or(0) & !(FLAG_LOOP | FLAG_SMOOTH | FLAG_ADDITIVE) != 0 {
        return Err(header_error(10, "a flag is set that version 1 has not"));
    }
    Ok(FIXED_HEADER..table_end)
}

fn check_section(bytes: &[u8], entry: &[u8], at: usize, next: usize) -> Result<Section, Error> {
    let fourcc = u32_at(entry, 0).unwrap_or(0).to_le_bytes();
    let offset = u32_at(entry, 4).unwrap_or(0) as usize;
    let length = u32_at(entry, 8).unwrap_or(0) as usize;
    if offset != next {
        return Err(header_error(
            at,
            "a section does not start where the one before it ends",
        ));
    }
    if length < 4 {
        return Err(header_error(at, "a section is shorter than its checksum"));
    }
    let end = offset.saturating_add(length);
    let payload = offset..end.saturating_sub(4);
    let (Some(content), Some(crc)) = (bytes.get(payload.clone()), u32_at(bytes, payload.end))
    else {
        return Err(header_error(
            at,
            "a section reaches past the end of the file",
        ));
    };
    let kind = SectionKind::from_fourcc(fourcc);
    let name = kind.map_or_else(
        || fourcc.escape_ascii().to_string(),
        |k| k.name().to_owned(),
    );
    if crc32(content) != crc {
        return Err(Error::Checksum {
            section: name,
            offset: offset as u64,
        });
    }
    Ok(Section {
        kind,
        name,
        payload,
    })
}

fn check_unique(sections: &[Section]) -> Result<(), Error> {
    for kind in SectionKind::ALL {
        if sections.iter().filter(|s| s.kind == Some(kind)).count() > 1 {
            return Err(Error::DuplicateSection(kind.name()));
        }
    }
    Ok(())
}

pub(super) fn header_error(offset: usize, rule: &'static str) -> Error {
    Error::Invalid {
        section: "header".to_owned(),
        offset: offset as u64,
        rule,
    }
}
