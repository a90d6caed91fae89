//! The codec `compact`: closed-loop keyed splines. [`crate::runtime::compact`] has the format.

mod bits;
mod choose;
mod curve;
mod gauge;
mod joint;
mod pass;
mod section;
mod solve;
mod source;
mod space;

use crate::codec::control::Control;
use crate::codec::encoder::{CodecError, Quality};
use crate::codec::settings::{Budget, Settings};
use crate::codec::track_fit::{TrackFit, TrackKind};
use crate::fit::{Fit, Key};
use crate::math::Channel;
use crate::model::Clip;
use joint::Stored;
use solve::{Demands, Preset, Solved, solve};
use source::Source;

/// A clip ready to be compressed.
#[derive(Debug)]
pub(super) struct CompactEncoder {
    source: Source,
}

/// A result.
pub(super) struct CompactClip {
    /// The file.
    pub(super) file: Vec<u8>,
    /// How every source track was stored.
    pub(super) tracks: Vec<TrackFit>,
    /// The factor on tolerances that the target led to.
    pub(super) scale: f64,
    /// Whether the target is met at every frame.
    pub(super) met: bool,
}

impl CompactEncoder {
    /// Lays a clip out for the closed loop.
    pub(super) fn new(clip: &Clip) -> Self {
        Self {
            source: Source::new(clip),
        }
    }

    /// Compresses the clip. `wrap` makes a file of an animation section.
    pub(super) fn encode(
        &self,
        clip: &Clip,
        settings: &Settings,
        unit_m: f64,
        quality: Quality,
        wrap: solve::Wrap,
        control: &Control,
    ) -> Result<CompactClip, CodecError> {
        let preset = match quality {
            Quality::Draft => Preset::DRAFT,
            Quality::Full => Preset::FULL,
            Quality::Max => Preset::MAX,
        };
        let demands = demands(clip, &self.source, settings, unit_m);
        let solved = solve(&self.source, clip.grid(), &demands, &preset, wrap, control)?;
        if std::env::var_os("COMPACT_STATS").is_some() {
            let (
                mut n,
                mut refs,
                mut bas,
                mut first,
                mut fields,
                mut gaps,
                mut values,
                mut keys,
                mut konst,
            ) = (0, 0, 0, 0, 0, 0, 0, 0, 0);
            let mut forms = std::collections::BTreeMap::new();
            for j in &solved.joints {
                for s in j {
                    if let Stored::Constant(..) = s {
                        konst += s.bits();
                    }
                    for c in s.curves() {
                        n += 1;
                        let st = c.curve.stats();
                        refs += st[0];
                        bas += st[1];
                        first += st[2];
                        fields += st[3];
                        gaps += st[4];
                        values += st[5];
                        keys += c.curve.keys.len();
                        *forms.entry(c.curve.name()).or_insert(0) += 1;
                    }
                }
            }
            let total = solved.section.len() * 8;
            eprintln!(
                "STATS total {total} curves {n} form+step {} refs {refs} basis {bas} first {first} fields {fields} gaps {gaps} values {values} const {konst} rest {} keys {keys} {:?}",
                n * 14,
                total as i64
                    - (n * 14 + refs + bas + first + fields + gaps + values + konst) as i64,
                forms
            );
        }
        let tracks = tracks(clip, &solved);
        Ok(CompactClip {
            tracks,
            scale: solved.scale,
            met: solved.worst <= 1.0,
            file: solved.file,
        })
    }
}

fn demands(clip: &Clip, source: &Source, settings: &Settings, unit_m: f64) -> Demands {
    let joints = source.joints.len();
    let target_m = match settings.budget {
        Budget::Skin { target_m } => target_m,
        Budget::Tolerances => f64::INFINITY,
    };
    let caps = clip.skeleton().joints().iter().map(|joint| {
        let own = settings.overrides.get(&joint.name);
        Channel::ALL.map(|channel| {
            let cap = own.and_then(|o| o.of(channel)).unwrap_or(f64::INFINITY);
            if channel == Channel::Translation {
                cap / unit_m
            } else {
                cap
            }
        })
    });
    Demands {
        budgets: vec![target_m / unit_m; joints],
        shells: vec![settings.shell_m / unit_m; joints],
        caps: caps.collect(),
        importance: vec![1.0; source.frames],
    }
}

/// What the window shows of every source track.
fn tracks(clip: &Clip, solved: &Solved) -> Vec<TrackFit> {
    let of = |track: &crate::model::Track| {
        let stored = &solved.joints[track.joint][track.channel as usize];
        let kind = match stored {
            Stored::Rest => TrackKind::Rest,
            Stored::Constant(..) => TrackKind::Constant,
            _ => TrackKind::Keys,
        };
        let keys = stored
            .curves()
            .iter()
            .flat_map(|c| &c.curve.frames)
            .map(|&f| Key {
                frame: f as usize,
                value: crate::fit::Value::ZERO,
            })
            .collect();
        TrackFit {
            joint: track.joint,
            channel: track.channel,
            kind,
            tolerance: 0.0,
            fit: Fit {
                keys,
                ..Fit::default()
            },
        }
    };
    clip.tracks().iter().map(of).collect()
}
