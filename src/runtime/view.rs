//! A clip in memory: the bytes, checked, and the small tables that find things in them.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

#[cfg(doc)]
use super::Sampler;
use super::animation::{Animation, At, Stored};
use super::bytes::Reader;
use super::clip::{is_valid_rest, parse_rest, parse_skeleton};
use super::compact::factors;
use super::container::{
    Container, FIXED_HEADER, FLAG_ADDITIVE, FLAG_LOOP, FLAG_SMOOTH, SectionKind, TABLE_ENTRY,
    header_error,
};
use super::curves::{CurveKind, Curves};
use super::order::Order;
use super::riot::TrackKind;
use super::scalars::{self, Scalar};
use super::{Channel, ClipInfo, Error, Extent, StoredJoint, Tangents, Transform};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A key as it is stored, for editors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// Position in frames; 0 for a constant.
    pub frame: f32,
    /// Decoded value; rotations have the sign of the key before them, vectors a 0 in the last place.
    pub value: [f32; 4],
}

/// A clip whose bytes have been checked once and are trusted from then on.
///
/// `B` owns or borrows the bytes: `&[u8]`, `Vec<u8>`, `Arc<[u8]>`. Clones share samplers.
#[derive(Clone, Debug)]
pub struct ClipView<B = Arc<[u8]>> {
    bytes: B,
    index: Index,
}

/// Everything of a [`ClipView`] but its bytes.
#[derive(Clone, Debug)]
pub(super) struct Index {
    /// Different for each call of [`ClipView::from_bytes`] in a process.
    pub(super) id: u64,
    pub(super) info: ClipInfo,
    container: Container,
    skeleton: Option<Vec<StoredJoint>>,
    /// Empty when there is none.
    rest: Vec<Transform>,
    /// See [`ClipView::added_to`].
    added_to: Option<Vec<Transform>>,
    /// The rest pose with all constants in place; empty when there is no rest pose.
    pub(super) base: Vec<Transform>,
    pub(super) order: Order,
    pub(super) animation: Animation,
    scalars: Vec<Scalar>,
    curves: Curves,
    meta: bool,
    /// Sorted by joint, then channel.
    lookup: Vec<(u32, Source)>,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    Track(usize),
    Constant(usize),
}

impl Index {
    fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let container = Container::parse(bytes)?;
        let flag = |flag: u16| container.flags & flag != 0;
        let clip = container.required(bytes, SectionKind::Clip)?;
        let info = ClipInfo::parse(clip, flag(FLAG_LOOP), flag(FLAG_SMOOTH))?;
        let section = |kind| container.reader(bytes, kind);
        let skeleton = section(SectionKind::Skeleton)
            .map(|r| parse_skeleton(r, info.joints))
            .transpose()?;
        let rest =
            section(SectionKind::Rest).map_or(Ok(Vec::new()), |r| parse_rest(r, info.joints))?;
        let added_to = section(SectionKind::Base)
            .map(|r| parse_rest(r, info.joints))
            .transpose()?;
        if added_to.is_some() != flag(FLAG_ADDITIVE) {
            let rule = "an additive clip has no base pose, or another one has";
            return Err(header_error(10, rule));
        }
        let mut order = Order::plain(info.joints);
        if let Some(r) = section(SectionKind::Order) {
            order.read_joints(r, info.joints)?;
        }
        if let Some(r) = section(SectionKind::Levels) {
            order.read_levels(r, info.joints, skeleton.as_deref())?;
        }
        let animation = container.required(bytes, SectionKind::Animation)?;
        let animation = Animation::parse(animation, &info, &order, bytes)?;
        if animation.needs_skeleton() && skeleton.is_none() {
            return Err(Error::MissingSection(SectionKind::Skeleton.name()));
        }
        let scalars =
            section(SectionKind::Scalars).map_or(Ok(Vec::new()), |r| scalars::parse(r, &info))?;
        let curves = section(SectionKind::Curves)
            .map_or(Ok(Curves::default()), |r| Curves::parse(r, &info))?;
        let meta = section(SectionKind::Meta).map(check_meta).transpose()?;
        let lookup = build_lookup(animation.stored());
        let mut index = Self {
            id: next_id(),
            info,
            container,
            skeleton,
            rest,
            added_to,
            base: Vec::new(),
            order,
            animation,
            scalars,
            curves,
            meta: meta.is_some(),
            lookup,
        };
        index.build_base();
        Ok(index)
    }

    fn build_base(&mut self) {
        self.base.clone_from(&self.rest);
        let skeleton = self.skeleton.as_deref().unwrap_or_default();
        let pose = self.added_to.as_deref().unwrap_or(&self.rest);
        let factors = factors(skeleton.iter().map(|j| j.parent), pose);
        let stored = self.animation.stored_mut();
        stored.resolve(&self.rest, &factors, &mut self.base);
    }

    fn source(&self, joint: usize, channel: Channel) -> Option<Source> {
        let wanted = lookup_key(u16::try_from(joint).ok()?, channel);
        let found = self.lookup.binary_search_by_key(&wanted, |&(key, _)| key);
        self.lookup.get(found.ok()?).map(|&(_, source)| source)
    }

    fn joint(&self, bytes: &[u8], joint: usize, secs: f64, extent: Extent) -> Transform {
        let (frame, fraction) = self.info.locate(secs, extent);
        let at = At {
            frame,
            fraction,
            smooth: self.info.smooth,
        };
        let base = self.base.get(joint).copied().unwrap_or_default();
        let (mut out, stored) = (base, self.animation.stored());
        for channel in Channel::ALL {
            let value = match self.source(joint, channel) {
                Some(Source::Track(track)) => stored.value(bytes, track, at, &base),
                // Otherwise it stands in the base pose.
                Some(Source::Constant(i)) if self.base.is_empty() => stored.constant(i, &base),
                _ => continue,
            };
            set_channel(&mut out, channel, value);
        }
        out
    }
}

fn check_meta(r: Reader<'_>) -> Result<(), Error> {
    let mut r = r;
    let at = r.offset();
    let text = r.take(r.left())?;
    r.rule(
        std::str::from_utf8(text).is_ok(),
        at,
        "the text is not valid UTF-8",
    )
}

fn lookup_key(joint: u16, channel: Channel) -> u32 {
    (u32::from(joint) << 2) | u32::from(channel as u8)
}

/// Where each channel stands, sorted by joint, then channel.
fn build_lookup(stored: &dyn Stored) -> Vec<(u32, Source)> {
    let tracks = stored.tracks().into_iter().enumerate();
    let tracks = tracks.map(|(i, (joint, channel))| (lookup_key(joint, channel), Source::Track(i)));
    let constants = stored.constants().into_iter().enumerate();
    let constants =
        constants.map(|(i, (joint, channel))| (lookup_key(joint, channel), Source::Constant(i)));
    let mut lookup: Vec<_> = tracks.chain(constants).collect();
    lookup.sort_unstable_by_key(|&(key, _)| key);
    lookup
}

/// Gives each rotation the sign that makes it near the one before.
fn align_signs(keys: &mut [Key]) {
    let mut before: Option<[f32; 4]> = None;
    for key in keys {
        let dot: f32 = before.map_or(0.0, |b| key.value.iter().zip(b).map(|(a, b)| a * b).sum());
        if dot < 0.0 {
            key.value = key.value.map(|c| -c);
        }
        before = Some(key.value);
    }
}

/// A number that no other clip of this process has.
fn next_id() -> u64 {
    static NEXT_ID: AtomicU64 = AtomicU64::new(1);
    NEXT_ID.fetch_add(1, Ordering::Relaxed)
}

/// Puts a value into its place.
pub(super) fn set_channel(t: &mut Transform, channel: Channel, [x, y, z, w]: [f32; 4]) {
    match channel {
        Channel::Rotation => t.rotation = [x, y, z, w],
        Channel::Translation => t.translation = [x, y, z],
        Channel::Scale => t.scale = [x, y, z],
    }
}

impl<B: AsRef<[u8]>> ClipView<B> {
    /// Checks every byte of a `.ppc` file and builds the tables for playing it.
    ///
    /// Any bytes are fine as input: the answer is a clip or an error with section and offset. Memory besides
    /// the bytes is bounded by a small multiple of their number. Cost: linear, plus sorting the key times.
    pub fn from_bytes(bytes: B) -> Result<Self, Error> {
        let index = Index::parse(bytes.as_ref())?;
        Ok(Self { bytes, index })
    }

    /// The whole file.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    pub(super) fn index(&self) -> &Index {
        &self.index
    }

    /// What the file says about the clip.
    pub fn info(&self) -> &ClipInfo {
        &self.index.info
    }

    /// Name and length in bytes, with its checksum, of every section in file order, unknown ones too.
    pub fn sections(&self) -> impl Iterator<Item = (&str, usize)> {
        let sections = self.index.container.sections.iter();
        sections.map(|s| (s.name.as_str(), s.len()))
    }

    /// Bytes before the first section: header, section table and its checksum.
    pub fn header_bytes(&self) -> usize {
        let table = self
            .index
            .container
            .sections
            .len()
            .saturating_mul(TABLE_ENTRY);
        table.saturating_add(FIXED_HEADER).saturating_add(4)
    }

    /// The joints, parents first, if the file carries its skeleton.
    pub fn skeleton(&self) -> Option<&[StoredJoint]> {
        self.index.skeleton.as_deref()
    }

    /// How many joints each level of detail has: all of them, then fewer and fewer; see [`Sampler::pose_level`].
    pub fn levels(&self) -> &[usize] {
        self.index.order.levels()
    }

    /// Whether a level of detail has a joint; levels past the last are the last.
    pub fn level_has(&self, level: usize, joint: usize) -> bool {
        let order = &self.index.order;
        let ranks = 0..order.ranks_of_level(level);
        joint < self.index.info.joints
            && ranks
                .into_iter()
                .any(|rank| usize::from(order.joint(rank as u16)) == joint)
    }

    /// The rest pose, one transform a joint; empty if the file has none and none was attached.
    pub fn rest(&self) -> &[Transform] {
        &self.index.rest
    }

    /// The pose that an additive clip was made against, one transform a joint: a game adds the poses of such a clip to
    /// another one's ([`Transform::on`]). `None` for a clip whose poses stand for themselves.
    pub fn added_to(&self) -> Option<&[Transform]> {
        self.index.added_to.as_deref()
    }

    /// Gives a clip that carries only its skeleton's hash the rest pose of that skeleton, or replaces the
    /// one it carries. Compare [`ClipInfo::skeleton_hash`] first: `compact` stores what joints do against their
    /// rest pose, in steps of its size. A sampler of a `compact` clip that was made before is refused.
    pub fn attach_rest(&mut self, rest: &[Transform]) -> Result<(), Error> {
        let joints = self.index.info.joints;
        if rest.len() != joints || !rest.iter().all(is_valid_rest) {
            return Err(Error::RestDoesNotFit { joints });
        }
        self.index.rest = rest.to_vec();
        self.index.build_base();
        if matches!(self.index.animation, Animation::Compact(_)) {
            self.index.id = next_id();
        }
        Ok(())
    }

    /// The text of the section `meta`: JSON, by convention.
    pub fn meta(&self) -> Option<&str> {
        let section = self.index.container.find(SectionKind::Meta)?;
        let text = self.bytes().get(section.payload.clone());
        std::str::from_utf8(text?).ok().filter(|_| self.index.meta)
    }

    /// How many float curves, such as morph weights, the clip has.
    pub fn scalar_count(&self) -> usize {
        let keyed = self.index.scalars.len();
        keyed.saturating_add(self.index.curves.len())
    }

    /// Names of the float curves in their order. Each is put together when it is asked for, and allocates.
    pub fn scalar_names(&self) -> impl ExactSizeIterator<Item = String> {
        let name = |i: usize| {
            let keyed = self.index.scalars.get(i).map(|s| s.name.clone());
            keyed.or_else(|| self.index.curves.name(self.fitted(i)?))
        };
        (0..self.scalar_count()).map(move |i| name(i).unwrap_or_default())
    }

    /// The value of a float curve at a time; `None` if there is no such curve. Cost: a binary search, and at most 64 keys
    /// of a fitted curve. Nothing is allocated.
    pub fn scalar(&self, scalar: usize, secs: f64, extent: Extent) -> Option<f32> {
        let (info, bytes) = (&self.index.info, self.bytes());
        if let Some(scalar) = self.index.scalars.get(scalar) {
            return Some(scalar.value(bytes, info, secs, extent));
        }
        let (curve, place) = (self.fitted(scalar)?, info.locate(secs, extent));
        self.index.curves.value(bytes, info, curve, place)
    }

    /// Writes the values of all float curves at a time, in the order of [`ClipView::scalar_names`], each that of
    /// [`ClipView::scalar`]; `out` has one entry a curve. Nothing is allocated.
    pub fn scalars(&self, secs: f64, extent: Extent, out: &mut [f32]) {
        for (scalar, out) in out.iter_mut().enumerate() {
            *out = self.scalar(scalar, secs, extent).unwrap_or(*out);
        }
    }

    /// How a fitted float curve is stored, its keys and its bits without its name; `None` for one that is not fitted.
    pub fn scalar_form(&self, scalar: usize) -> Option<(CurveKind, usize, usize)> {
        let (curves, curve) = (&self.index.curves, self.fitted(scalar)?);
        let (kind, keys) = curves.form(self.bytes(), &self.index.info, curve)?;
        Some((kind, keys, curves.bits_of(curve)))
    }

    /// The place of a float curve among those that are fitted.
    fn fitted(&self, scalar: usize) -> Option<usize> {
        scalar.checked_sub(self.index.scalars.len())
    }

    /// How the tangents at the keys are made, where a codec has splines.
    pub fn tangents(&self) -> Tangents {
        self.index.animation.stored().tangents()
    }

    /// Whether whole frames are stored: then what lies between two of them is never of the source's making.
    pub fn stores_frames(&self) -> bool {
        matches!(self.index.animation, Animation::Uniform(_))
    }

    /// How a channel is stored; `None` if it stands in the rest pose.
    pub fn track_kind(&self, joint: usize, channel: Channel) -> Option<TrackKind> {
        let Source::Track(track) = self.index.source(joint, channel)? else {
            return Some(TrackKind::Constant);
        };
        if self.index.animation.stored().holds(track) {
            return Some(TrackKind::Step);
        }
        Some(TrackKind::Smooth)
    }

    /// The stored keys of a channel; one for a constant, none for a channel in the rest pose.
    pub fn keys(&self, joint: usize, channel: Channel) -> Vec<Key> {
        let stored = self.index.animation.stored();
        let base = self.index.base.get(joint).copied().unwrap_or_default();
        let mut keys = match self.index.source(joint, channel) {
            None => Vec::new(),
            Some(Source::Constant(i)) => {
                let rest = self.index.rest.get(joint).copied().unwrap_or_default();
                let value = stored.constant(i, &rest);
                vec![Key { frame: 0.0, value }]
            }
            Some(Source::Track(track)) => stored.keys(self.bytes(), track, &base),
        };
        if channel == Channel::Rotation {
            align_signs(&mut keys);
        }
        keys
    }

    /// Bytes that a channel takes in the animation section: directory entry, range and keys.
    pub fn track_bytes(&self, joint: usize, channel: Channel) -> usize {
        let stored = self.index.animation.stored();
        match self.index.source(joint, channel) {
            None => 0,
            Some(Source::Constant(i)) => stored.constant_bytes(i),
            Some(Source::Track(track)) => stored.track_bytes(track),
        }
    }

    /// The local transform of one joint at a time, bit for bit that of the whole pose.
    ///
    /// Needs no sampler: each channel searches its own keys. What no track moves and no rest pose gives,
    /// and a joint that the clip has not, is the identity. Cost: a binary search over the joint's keys.
    pub fn joint(&self, joint: usize, secs: f64, extent: Extent) -> Transform {
        self.index.joint(self.bytes(), joint, secs, extent)
    }
}
