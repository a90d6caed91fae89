use super::{
    Curve, FrameGrid, Interpolation, Issues, MorphWeight, ScalarTrack, Skeleton, Skin, Track,
};
use crate::math::{Channel, Transform, rotation_angle};
use std::sync::Arc;

/// Most frames a clip may have.
pub const MAX_FRAMES: usize = 1 << 24;

/// A clip as an importer found it: nothing checked but that every joint index exists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawClip {
    /// As in the file; may be empty.
    pub name: String,
    /// Curves of joints.
    pub tracks: Vec<RawTrack>,
    /// Curves of anything else.
    pub scalars: Vec<RawScalar>,
}

/// One unchecked curve of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct RawTrack {
    /// Index into the skeleton.
    pub joint: usize,
    /// What it moves.
    pub channel: Channel,
    /// Its keys.
    pub curve: RawCurve,
}

/// One unchecked scalar curve.
#[derive(Clone, Debug, PartialEq)]
pub struct RawScalar {
    /// See [`ScalarTrack::name`].
    pub name: String,
    /// Its keys.
    pub curve: RawCurve,
    /// See [`ScalarTrack::morph`].
    pub morph: Option<MorphWeight>,
}

/// Unchecked keys: times in seconds in any order, values as in [`Curve`].
#[derive(Clone, Debug, PartialEq)]
pub struct RawCurve {
    /// How the curve runs between keys.
    pub interpolation: Interpolation,
    /// Seconds, as in the file.
    pub times: Vec<f32>,
    /// `width` floats a key, three times that for cubic curves (in-tangent, value, out-tangent).
    pub values: Vec<f32>,
}

/// A validated clip: the source, and the truth that everything compressed is measured against.
///
/// Rules, established by [`Clip::new`]: (1) tracks are sorted by joint, then channel, with at most one
/// for each pair; (2) the keys of every curve obey [`Curve`]; (3) `grid` covers all keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    name: String,
    skeleton: Arc<Skeleton>,
    skin: Arc<Skin>,
    tracks: Vec<Track>,
    scalars: Vec<ScalarTrack>,
    /// For each joint and channel, the index of its track plus one; 0 for none.
    lookup: Vec<[u32; 3]>,
    grid: FrameGrid,
    source_bytes: Option<usize>,
}

impl Clip {
    /// Validates and repairs a raw clip, reporting every repair.
    ///
    /// Keys whose time or value is not finite are dropped; unsorted keys are sorted; of keys at one time
    /// the last stays; negative times shift the whole clip to start at 0; zero quaternions are dropped,
    /// others normalised and sign-aligned; a second track for the same joint and channel is dropped, as is
    /// a track whose value count does not match its key count. Cost: linear, plus sorting where needed.
    pub fn new(skeleton: Arc<Skeleton>, raw: RawClip, issues: &mut Issues) -> Self {
        let mut tracks: Vec<Track> = Vec::with_capacity(raw.tracks.len());
        let place = |joint: usize, channel: Channel| {
            let name = &skeleton.joints()[joint].name;
            format!("clip {}, joint {name}, {}", raw.name, channel_name(channel))
        };
        for t in raw.tracks {
            let place = place(t.joint, t.channel);
            let Some(curve) = super::repair::curve(&t.curve, t.channel.width(), &place, issues)
            else {
                continue;
            };
            tracks.push(Track {
                joint: t.joint,
                channel: t.channel,
                curve,
            });
        }
        tracks.sort_by_key(|t| (t.joint, t.channel));
        tracks.dedup_by(|b, a| {
            let same = (a.joint, a.channel) == (b.joint, b.channel);
            if same {
                issues.warn(
                    "duplicate-target",
                    place(b.joint, b.channel),
                    "two curves move the same channel; the first one is used",
                );
            }
            same
        });
        let mut scalars = Vec::with_capacity(raw.scalars.len());
        for s in raw.scalars {
            let place = format!("clip {}, {}", raw.name, s.name);
            let Some(curve) = super::repair::curve(&s.curve, 1, &place, issues) else {
                continue;
            };
            scalars.push(ScalarTrack {
                name: s.name,
                curve,
                morph: s.morph,
            });
        }
        super::repair::shift_to_zero(&mut tracks, &mut scalars, &raw.name, issues);
        Self::from_valid(skeleton, raw.name, tracks, scalars, issues)
    }

    fn from_valid(
        skeleton: Arc<Skeleton>,
        name: String,
        tracks: Vec<Track>,
        scalars: Vec<ScalarTrack>,
        issues: &mut Issues,
    ) -> Self {
        let mut lookup = vec![[0; 3]; skeleton.len()];
        for (i, t) in tracks.iter().enumerate() {
            lookup[t.joint][t.channel as usize] = i as u32 + 1;
        }
        let times = union_of_times(&tracks, &scalars);
        let keys = tracks.iter().map(|t| t.curve.times().len()).sum();
        let grid = FrameGrid::detect(&times, most_frames(skeleton.len(), keys, times.len()));
        if times
            .last()
            .is_some_and(|&t| t > grid.secs(grid.last() as f64) + 0.5 / grid.rate_hz)
        {
            issues.warn(
                "clip-too-long",
                format!("clip {name}"),
                format!(
                    "its {} keys span {:.0} s, and only the first {} frames are used; is a key time wrong?",
                    times.len(),
                    times[times.len() - 1] - times[0],
                    grid.frames
                ),
            );
        }
        for track in &tracks {
            warn_of_flips(&name, &skeleton, track, grid, issues);
        }
        Self {
            name,
            skeleton,
            skin: Arc::default(),
            tracks,
            scalars,
            lookup,
            grid,
            source_bytes: None,
        }
    }

    /// The same clip, which takes so many bytes in its file.
    #[must_use]
    pub fn with_source_bytes(self, bytes: usize) -> Self {
        Self {
            source_bytes: Some(bytes),
            ..self
        }
    }

    /// The clip's name; may be empty.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The joints that the clip moves.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// The vertices that the joints move, on which errors are measured; none unless they were given.
    pub fn skin(&self) -> &Arc<Skin> {
        &self.skin
    }

    /// The same clip on a skin, which must be one of its skeleton.
    #[must_use]
    pub fn with_skin(self, skin: Arc<Skin>) -> Self {
        Self { skin, ..self }
    }

    /// All source curves of joints, sorted by joint, then channel.
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// All named float curves.
    pub fn scalars(&self) -> &[ScalarTrack] {
        &self.scalars
    }

    /// The frames on which the clip is compressed and measured.
    pub fn grid(&self) -> FrameGrid {
        self.grid
    }

    /// The curve of one channel of one joint, if anything moves it.
    pub fn track(&self, joint: usize, channel: Channel) -> Option<&Track> {
        let index = self.lookup.get(joint)?[channel as usize] as usize;
        index.checked_sub(1).map(|i| &self.tracks[i])
    }

    /// The local transform of one joint at a time, clamped outside the keys.
    pub fn local(&self, joint: usize, secs: f64) -> Transform {
        let mut t = self.skeleton.joints()[joint].rest;
        for channel in Channel::ALL {
            let Some(track) = self.track(joint, channel) else {
                continue;
            };
            match channel {
                Channel::Rotation => t.rotation = track.curve.rotation(secs),
                Channel::Translation => t.translation = track.curve.vec3(secs),
                Channel::Scale => t.scale = track.curve.vec3(secs),
            }
        }
        t
    }

    /// All key times of the clip in seconds, sorted, each once.
    pub fn key_times(&self) -> Vec<f64> {
        union_of_times(&self.tracks, &self.scalars)
    }

    /// Bytes that the animation takes in the file that it was read from: key times and values as they are stored there,
    /// without the text that names them; `None` for a clip that comes from no file. What several of its curves share is
    /// counted once; what it shares with other animations counts in each.
    pub fn source_bytes(&self) -> Option<usize> {
        self.source_bytes
    }

    /// Bytes of the clip as full frames of ten 32-bit floats a joint and one a float curve.
    pub fn raw_bytes(&self) -> usize {
        (self.skeleton.len() * 40 + self.scalars.len() * 4) * self.grid.frames
    }
}

/// Whatever can be asked for a pose at a time: the source, or a player of compressed bytes.
pub trait PoseSource: CurveSource {
    /// Writes the local transform of every joint at `secs`; `out` has one entry a joint.
    fn pose(&mut self, secs: f64, out: &mut [Transform]);
}

impl PoseSource for &Clip {
    fn pose(&mut self, secs: f64, out: &mut [Transform]) {
        for (j, t) in out.iter_mut().enumerate() {
            *t = self.local(j, secs);
        }
    }
}

/// Whatever can be asked for the float curves of a clip, such as morph weights, at a time: the source, or a player of
/// compressed bytes.
pub trait CurveSource {
    /// Writes the value of every curve at `secs`, in the order of the source's [`Clip::scalars`]; `out` has one entry a
    /// curve. Cost: a binary search a curve, and some keys of compressed ones.
    fn curves(&mut self, secs: f64, out: &mut [f32]);
}

impl CurveSource for &Clip {
    fn curves(&mut self, secs: f64, out: &mut [f32]) {
        for (out, scalar) in out.iter_mut().zip(&self.scalars) {
            *out = scalar.curve.vector::<1>(secs)[0] as f32;
        }
    }
}

/// `"rotation"`, `"translation"` or `"scale"`.
pub fn channel_name(channel: Channel) -> &'static str {
    match channel {
        Channel::Rotation => "rotation",
        Channel::Translation => "translation",
        Channel::Scale => "scale",
    }
}

/// A turn between two frames above this angle, radians, may be meant the other way round.
const FLIP: f64 = 150.0 * std::f64::consts::PI / 180.0;

/// Says where a rotation turns so far from one frame to the next that nobody can tell which way: whoever plays the source
/// goes the shorter one.
fn warn_of_flips(
    clip: &str,
    skeleton: &Skeleton,
    track: &Track,
    grid: FrameGrid,
    issues: &mut Issues,
) {
    let held = track.curve.interpolation() == Interpolation::Step;
    if track.channel != Channel::Rotation || held {
        return;
    }
    let flips = |w: &&[f64]| {
        (w[1] - w[0]) * grid.rate_hz < 1.5
            && rotation_angle(track.curve.rotation(w[0]), track.curve.rotation(w[1])) > FLIP
    };
    let found: Vec<&[f64]> = track.curve.times().windows(2).filter(flips).collect();
    if let Some([first_secs, ..]) = found.first() {
        issues.warn(
            "turn-too-fast",
            format!("clip {clip}, joint {}", skeleton.joints()[track.joint].name),
            format!(
                "turns by more than 150 degrees from one frame to the next, {} times, first at {:.3} s: between them it \
                 goes the shorter way, which may not be what was meant; hold the key, or add one between",
                found.len(),
                first_secs
            ),
        );
    }
}

/// Most frames of a clip, so that a file of a few bytes with one wrong key time does not take all memory: a
/// frame costs about 100 bytes a joint. A clip that has keys on its frames is never cut but by [`MAX_FRAMES`].
fn most_frames(joints: usize, keys: usize, times: usize) -> usize {
    const FRAMES: usize = 1 << 20;
    const JOINT_FRAMES: usize = 1 << 23;
    const FRAMES_FOR_A_KEY: usize = 64;
    let of_joints = keys
        .saturating_mul(FRAMES_FOR_A_KEY)
        .saturating_add(JOINT_FRAMES)
        / joints.max(1);
    of_joints.min(FRAMES).max(times).min(MAX_FRAMES)
}

fn union_of_times(tracks: &[Track], scalars: &[ScalarTrack]) -> Vec<f64> {
    let curves = tracks
        .iter()
        .map(|t| &t.curve)
        .chain(scalars.iter().map(|s| &s.curve));
    let mut seen: Option<&[f64]> = None;
    let mut times: Vec<f64> = Vec::new();
    for Curve { times: t, .. } in curves {
        // Exporters give most curves the same times: skip the common case.
        if seen != Some(t.as_slice()) {
            times.extend_from_slice(t);
            seen = Some(t);
        }
    }
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_bounded_by_what_the_file_holds() {
        // A character of 65 joints keyed every second for half an hour, and a long capture.
        assert!(most_frames(65, 65 * 1800, 1800) >= 1800 * 60);
        assert_eq!(most_frames(65, 65 * 2_000_000, 2_000_000), 2_000_000);
        // One wrong time in a tiny file.
        assert!(most_frames(3, 6, 2) <= 1 << 20);
        assert!(most_frames(16_384, 2, 2) * 16_384 <= 1 << 24);
    }
}
