//! The curves of one channel of one joint, as a plot shows them.

use super::result::ClipResult;
use crate::codec::{self, KeyOrigin, Player, TrackKind, TrackSamples, channel_value};
use crate::fit::{Fit, Step};
use crate::math::{Channel, Transform, rotation_angle};
use crate::model::{Clip, PoseSource};
use glam::DQuat;

/// Instants of a curve for each frame, where the clip is short enough.
const DENSITY: usize = 4;

/// Most instants of a curve; a longer clip is drawn with fewer for each frame, but at least one.
const MAX_INSTANTS: usize = 40_000;

/// A key of the compressed curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveKey {
    /// Position in frames.
    pub frame: f64,
    /// One value a component.
    pub value: [f64; 4],
}

/// Source and compressed curve of one channel of one joint over the whole clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    /// Components: 4 for a rotation (X, Y, Z, W), else 3.
    pub width: usize,
    /// Positions in frames, shared by all curves below.
    pub frames: Vec<f64>,
    /// The source, one value a component.
    pub source: Vec<[f64; 4]>,
    /// What the player decodes.
    pub compressed: Vec<[f64; 4]>,
    /// Local error: radians, source units, or a factor.
    pub local_error: Vec<f64>,
    /// Skin error of the joint, metres; empty where it was not measured (a replay).
    pub skin_error_m: Vec<f64>,
    /// Keys that are stored.
    pub keys: Vec<CurveKey>,
    /// Key times of the source curve, in frames.
    pub source_keys: Vec<f64>,
    /// How the keys came about, one by one.
    pub history: Vec<Step>,
    /// Why each key is there, where keys came in rounds.
    pub origins: Vec<KeyOrigin>,
    /// What is stored; `None` where the source has no track.
    pub kind: Option<TrackKind>,
    /// Allowed local error, in the unit of `local_error`; `None` where the fit does not go by the source's local
    /// value, but by what the joints below need.
    pub tolerance: Option<f64>,
}

impl Curves {
    /// Samples source and player. Cost: some microseconds an instant.
    pub fn new(clip: &Clip, result: &ClipResult, joint: usize, channel: Channel) -> Self {
        let grid = clip.grid();
        let density = (MAX_INSTANTS / grid.frames.max(1)).clamp(1, DENSITY);
        let instants = grid.last() * density + 1;
        let track = result.track(joint, channel);
        let mut curves = Self {
            width: channel.width(),
            keys: result
                .player
                .keys(joint, channel)
                .unwrap_or_else(|| track.map(|t| keys(&t.fit)).unwrap_or_default()),
            history: track.map(|t| t.fit.history.clone()).unwrap_or_default(),
            kind: track.map(|t| t.kind),
            tolerance: track.filter(|t| t.origins.is_empty()).map(|t| t.tolerance),
            origins: track.map(|t| t.origins.clone()).unwrap_or_default(),
            source_keys: source_keys(clip, joint, channel),
            ..Self::default()
        };
        let mut player = result.player.clone();
        let mut before: Option<DQuat> = None;
        for k in 0..instants {
            let frame = k as f64 / density as f64;
            let secs = grid.secs(frame);
            let mut want = clip.local(joint, secs);
            let mut got = player.joint(joint, secs, clip);
            // The sign of a quaternion is free: keep both curves from jumping.
            want.rotation = near(want.rotation, before);
            got.rotation = near(got.rotation, Some(want.rotation));
            before = Some(want.rotation);
            curves.frames.push(frame);
            curves.source.push(channel_value(&want, channel).to_array());
            curves
                .compressed
                .push(channel_value(&got, channel).to_array());
            curves.local_error.push(local_error(&want, &got, channel));
            let row = k * result.measured.density / density;
            curves
                .skin_error_m
                .push(f64::from(result.measured.row_m(row)[joint]));
        }
        curves.align_keys(density);
        curves
    }

    /// Steps in which the keys came: single ones, or rounds.
    pub fn steps(&self) -> usize {
        let rounds = self.origins.iter().map(|o| usize::from(o.round)).max();
        self.history.len().max(rounds.unwrap_or(0))
    }

    /// The same curves with the keys of the first rounds alone: those that came later are left out, the curve
    /// stays the finished one.
    #[must_use]
    pub fn after_round(&self, round: usize) -> Self {
        let mut curves = self.clone();
        curves.keys.retain(|key| {
            let origin = self.origin(key.frame);
            origin.is_none_or(|o| usize::from(o.round) <= round)
        });
        curves
    }

    /// Why there is a key at a frame.
    pub fn origin(&self, frame: f64) -> Option<&KeyOrigin> {
        self.origins.iter().find(|o| o.frame as f64 == frame)
    }

    /// The curves as they were after `steps` of the fit's history: fewer keys, at frames only. `None` where
    /// the track has no history. Cost: that of fitting the track again.
    pub fn replay(
        clip: &Clip,
        result: &ClipResult,
        joint: usize,
        channel: Channel,
        steps: usize,
    ) -> Option<Self> {
        let track = result.track(joint, channel)?;
        if track.fit.history.is_empty() {
            return None;
        }
        let (fit, values) = codec::replay(clip, &result.settings, track, steps)?;
        let mut curves = Self {
            width: channel.width(),
            keys: keys(&fit),
            history: track.fit.history.clone(),
            kind: Some(track.kind),
            tolerance: Some(track.tolerance),
            source_keys: source_keys(clip, joint, channel),
            ..Self::default()
        };
        let samples = TrackSamples::of_track(clip, clip.track(joint, channel)?);
        for (frame, (&want, got)) in samples.values.iter().zip(values).enumerate() {
            let got = if channel == Channel::Rotation && got.dot(want) < 0.0 {
                -got
            } else {
                got
            };
            curves.frames.push(frame as f64);
            curves.source.push(want.to_array());
            curves.compressed.push(got.to_array());
            curves.local_error.push(samples.metric().error(want, got));
        }
        curves.align_keys(1);
        Some(curves)
    }

    /// Gives every key the sign of the curve that is drawn.
    fn align_keys(&mut self, density: usize) {
        if self.width != 4 {
            return;
        }
        for key in &mut self.keys {
            let k = ((key.frame * density as f64).round() as usize).min(self.source.len() - 1);
            let dot: f64 = (0..4).map(|c| key.value[c] * self.source[k][c]).sum();
            if dot < 0.0 {
                key.value = key.value.map(|v| -v);
            }
        }
    }
}

fn keys(fit: &Fit) -> Vec<CurveKey> {
    fit.keys
        .iter()
        .map(|k| CurveKey {
            frame: k.frame as f64,
            value: k.value.to_array(),
        })
        .collect()
}

fn source_keys(clip: &Clip, joint: usize, channel: Channel) -> Vec<f64> {
    let grid = clip.grid();
    let times = clip
        .track(joint, channel)
        .map(|t| t.curve.times())
        .unwrap_or_default();
    times.iter().map(|&t| grid.frame(t)).collect()
}

fn near(q: DQuat, reference: Option<DQuat>) -> DQuat {
    if reference.is_some_and(|r| r.dot(q) < 0.0) {
        -q
    } else {
        q
    }
}

fn local_error(a: &Transform, b: &Transform, channel: Channel) -> f64 {
    match channel {
        Channel::Rotation => rotation_angle(a.rotation, b.rotation),
        Channel::Translation => (a.translation - b.translation).length(),
        Channel::Scale => (a.scale - b.scale).length(),
    }
}

impl Player {
    /// The keys of a channel as they are decoded from a container's bytes, on the base pose if there is one; `None` for other payloads.
    fn keys(&self, joint: usize, channel: Channel) -> Option<Vec<CurveKey>> {
        let Self::Container { view, .. } = self else {
            return None;
        };
        let base = view.added_to().and_then(|base| base.get(joint));
        let key = |k: &crate::runtime::Key| {
            let value = k.value.map(f64::from);
            CurveKey {
                frame: f64::from(k.frame),
                value: base.map_or(value, |&base| codec::on_base(value, channel, &base.into())),
            }
        };
        Some(view.keys(joint, channel).iter().map(key).collect())
    }

    /// One joint alone, as the whole pose has it.
    fn joint(&mut self, joint: usize, secs: f64, clip: &Clip) -> Transform {
        match self {
            Self::Container { view, .. } => {
                let own = view.joint(joint, secs, crate::runtime::Extent::Clamp);
                let base = view.added_to().and_then(|base| base.get(joint));
                base.map_or(own, |base| own.on(base)).into()
            }
            Self::Keyframes(_) => {
                let mut pose = vec![Transform::IDENTITY; clip.skeleton().len()];
                self.pose(secs, &mut pose);
                pose[joint]
            }
        }
    }
}
