use super::holding::HeldLimb;
use super::keyframes::{KeyframeChannel, KeyframePlayer, Keyframes};
use super::settings::Deliverable;
use super::track_fit::TrackFit;
use super::weights::WeightChannel;
use crate::math::{Channel, Transform};
use crate::model::{CurveSource, PoseSource, Skeleton};
use crate::runtime::curves::CurveKind;
use crate::runtime::{self, ClipView, Extent, Sampler};
use sha2::{Digest as _, Sha256};
use std::sync::Arc;

/// What will be shipped.
#[derive(Clone, Debug)]
pub enum Payload {
    /// A `.ppc` file.
    Container(Arc<[u8]>),
    /// The animation of a glTF file.
    Keyframes(Arc<Keyframes>),
}

/// A compressed clip, and how it came about.
#[derive(Clone, Debug)]
pub struct Compressed {
    /// What it is.
    pub deliverable: Deliverable,
    /// The bytes.
    pub payload: Payload,
    /// How every source track was fitted, sorted by joint, then channel.
    pub tracks: Vec<TrackFit>,
    /// Whether the skin error target was reached; `None` when there was none.
    pub target_met: Option<bool>,
    /// The factor on the tolerances that the target led to; 1 without a target.
    pub tolerance_scale: f64,
    /// Limbs that were stored again for what is held, in the order of their first contact.
    pub held: Vec<HeldLimb>,
}

/// What the bytes of a file are for; together they are the whole file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileParts {
    /// The curves of the joints and the named float curves, such as morph weights.
    pub animation: usize,
    /// Skeleton and rest pose, the same in all clips of a character.
    pub skeleton: usize,
    /// Header and clip info, and where there are some a base pose, an order of joints, levels, notes of tools.
    pub header: usize,
}

impl FileParts {
    /// Sorts the parts of a file, each with its bytes, by what they are for.
    fn of(sections: &[(String, usize)]) -> Self {
        let mut parts = Self::default();
        for (name, bytes) in sections {
            *match name.as_str() {
                "animation" | "curves" | "scalars" => &mut parts.animation,
                "skeleton" | "rest" => &mut parts.skeleton,
                _ => &mut parts.header,
            } += bytes;
        }
        parts
    }

    /// Bytes of the file.
    pub fn file(&self) -> usize {
        self.animation + self.skeleton + self.header
    }
}

impl Compressed {
    /// Bytes of the animation: sections `animation`, `curves` and `scalars` of a container. In a glTF file the accessors of
    /// key times and values, those of morph weights too, each counted once.
    pub fn animation_bytes(&self) -> usize {
        match &self.payload {
            Payload::Container(_) => FileParts::of(&self.sections()).animation,
            Payload::Keyframes(k) => k.payload_bytes(),
        }
    }

    /// What the bytes of the file are for; `None` for keyframes, whose file is the source with other keys: how large
    /// that gets is known when it is written.
    pub fn file_parts(&self) -> Option<FileParts> {
        match &self.payload {
            Payload::Container(_) => Some(FileParts::of(&self.sections())),
            Payload::Keyframes(_) => None,
        }
    }

    /// Bytes that one track takes: its keys and its part of the directory.
    pub fn track_bytes(&self, track: &TrackFit) -> usize {
        match &self.payload {
            Payload::Container(bytes) => ClipView::from_bytes(bytes.clone())
                .map_or(0, |view| view.track_bytes(track.joint, track.channel)),
            Payload::Keyframes(k) => {
                let same =
                    |c: &KeyframeChannel| (c.joint, c.channel) == (track.joint, track.channel);
                let at = k.channels.iter().position(same);
                at.map_or(0, |at| k.channel_bytes(at))
            }
        }
    }

    /// Bytes that the tracks of each joint take, one a joint: their keys and their parts of the directory. They add up
    /// to less than [`Compressed::animation_bytes`], whose header is no joint's.
    pub fn joint_bytes(&self, joints: usize) -> Vec<usize> {
        let mut bytes = vec![0; joints];
        match &self.payload {
            Payload::Container(file) => {
                if let Ok(view) = ClipView::from_bytes(file.clone()) {
                    for (joint, bytes) in bytes.iter_mut().enumerate() {
                        let tracks = Channel::ALL.into_iter();
                        *bytes = tracks.map(|c| view.track_bytes(joint, c)).sum();
                    }
                }
            }
            Payload::Keyframes(k) => {
                for (at, c) in k.channels.iter().enumerate() {
                    if let Some(bytes) = bytes.get_mut(c.joint) {
                        *bytes += k.channel_bytes(at);
                    }
                }
            }
        }
        bytes
    }

    /// How every float curve is stored, in the order of the clip's.
    pub fn curve_figures(&self) -> Vec<CurveFigures> {
        match &self.payload {
            Payload::Container(bytes) => {
                let Ok(view) = ClipView::from_bytes(bytes.clone()) else {
                    return Vec::new();
                };
                let forms = (0..view.scalar_count()).filter_map(|i| view.scalar_form(i));
                forms.map(CurveFigures::stored).collect()
            }
            Payload::Keyframes(k) => k.weights.iter().flat_map(CurveFigures::shared).collect(),
        }
    }

    /// Every part by name, with its bytes; those of a container are the whole file.
    pub fn sections(&self) -> Vec<(String, usize)> {
        match &self.payload {
            Payload::Container(bytes) => match ClipView::from_bytes(bytes.clone()) {
                Ok(view) => [("header", view.header_bytes())]
                    .into_iter()
                    .chain(view.sections())
                    .map(|(name, size)| (name.to_owned(), size))
                    .collect(),
                Err(_) => Vec::new(),
            },
            Payload::Keyframes(k) => {
                let parts = [("animation", k.joint_bytes()), ("curves", k.weight_bytes())];
                let there = parts
                    .into_iter()
                    .filter(|&(name, n)| n > 0 || name == "animation");
                there.map(|(name, n)| (name.to_owned(), n)).collect()
            }
        }
    }

    /// A player of these very bytes.
    pub fn player(&self, skeleton: &Skeleton) -> Result<Player, runtime::Error> {
        match &self.payload {
            Payload::Container(bytes) => Player::container(bytes.clone()),
            Payload::Keyframes(k) => {
                Ok(Player::Keyframes(KeyframePlayer::new(k.clone(), skeleton)))
            }
        }
    }

    /// SHA-256 of what is shipped: an approval is bound to it.
    pub fn hash(&self) -> [u8; 32] {
        let mut sha = Sha256::new();
        match &self.payload {
            Payload::Container(bytes) => sha.update(bytes),
            Payload::Keyframes(k) => {
                for c in &k.channels {
                    sha.update([c.channel as u8, c.interpolation as u8]);
                    sha.update((c.joint as u64).to_le_bytes());
                    sha.update((c.times.len() as u64).to_le_bytes());
                    for v in c.times.iter().chain(&c.values) {
                        sha.update(v.to_le_bytes());
                    }
                }
                for c in &k.weights {
                    c.hash_into(&mut |bytes| sha.update(bytes));
                }
            }
        }
        sha.finalize().into()
    }
}

/// How a float curve is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurveFigures {
    /// `constant`, `step`, `linear`, `spline`, or `source` for one that stays as it was.
    pub kind: &'static str,
    /// Its keys.
    pub keys: usize,
    /// Bytes that it takes, without its name; of times that are shared its part.
    pub bytes: usize,
}

impl CurveFigures {
    fn stored((kind, keys, bits): (CurveKind, usize, usize)) -> Self {
        Self {
            kind: kind.name(),
            keys,
            bytes: bits.div_ceil(8),
        }
    }

    fn shared(channel: &WeightChannel) -> impl Iterator<Item = Self> {
        let figures = Self {
            kind: channel.keys.kind(),
            keys: channel.key_count(),
            bytes: channel.payload_bytes() / channel.len().max(1),
        };
        std::iter::repeat_n(figures, channel.len())
    }
}

/// Plays a payload the way a game does, into double precision; an additive clip on the base pose that it was made
/// against.
#[derive(Clone)]
#[allow(clippy::large_enum_variant)] // one player a view or thread: nobody keeps many
pub enum Player {
    /// A `.ppc` and its sampler.
    Container {
        /// The parsed bytes.
        view: Arc<ClipView<Arc<[u8]>>>,
        /// Cursor and buffers.
        sampler: Sampler,
        /// What the sampler writes.
        pose: Vec<runtime::Transform>,
        /// The level of detail that is played.
        level: usize,
    },
    /// glTF keyframes.
    Keyframes(KeyframePlayer),
}

impl Player {
    /// A player of a `.ppc`; refuses damaged bytes.
    pub fn container(bytes: Arc<[u8]>) -> Result<Self, runtime::Error> {
        let view = Arc::new(ClipView::from_bytes(bytes)?);
        let sampler = Sampler::new(&view);
        let pose = vec![runtime::Transform::IDENTITY; view.info().joints];
        Ok(Self::Container {
            view,
            sampler,
            pose,
            level: 0,
        })
    }

    /// The same player for a level of detail, where the payload has levels; what it leaves out stands still.
    #[must_use]
    pub fn at_level(mut self, wanted: usize) -> Self {
        if let Self::Container { level, .. } = &mut self {
            *level = wanted;
        }
        self
    }
}

impl CurveSource for Player {
    fn curves(&mut self, secs: f64, out: &mut [f32]) {
        match self {
            Self::Container { view, .. } => view.scalars(secs, Extent::Clamp, out),
            Self::Keyframes(player) => player.curves(secs, out),
        }
    }
}

impl PoseSource for Player {
    fn pose(&mut self, secs: f64, out: &mut [Transform]) {
        match self {
            Self::Container {
                view,
                sampler,
                pose,
                level,
            } => {
                // The sampler was made from this view, so it cannot refuse it.
                let played = sampler.pose_level(view, secs, Extent::Clamp, *level, pose);
                if played.is_err() {
                    return;
                }
                if let Some(base) = view.added_to() {
                    for (t, base) in pose.iter_mut().zip(base) {
                        *t = t.on(base);
                    }
                }
                for (out, &t) in out.iter_mut().zip(pose.iter()) {
                    *out = t.into();
                }
            }
            Self::Keyframes(player) => player.pose(secs, out),
        }
    }
}
