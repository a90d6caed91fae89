//! The same clip in each codec of a `.ppc`, side by side.

use super::document::ClipId;
use super::result::ClipResult;
use super::worker::Request;
use super::{Notice, Session};
use crate::codec::{
    CodecError, Control, Deliverable, Encoder, Judgement, Payload, Quality, Settings,
};
use crate::metrics::Contacts;
use crate::model::Clip;
use crate::runtime::{ClipView, Extent, Sampler, Transform};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Poses a frame that playing is timed with: 60 Hz of a clip of 30.
const POSES_A_FRAME: u32 = 2;

/// Rounds of playing; the fastest counts, since others only were disturbed.
const ROUNDS: usize = 7;

/// A round plays a clip again and again for at least this long.
const ROUND: Duration = Duration::from_millis(2);

/// What one codec makes of a clip. Measured on its bytes.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Which.
    pub deliverable: Deliverable,
    /// Bytes of the animation.
    pub animation_bytes: usize,
    /// Bytes of the file.
    pub file_bytes: usize,
    /// Whether the skin error target was met; `None` without one.
    pub target_met: Option<bool>,
    /// How it stands to all limits.
    pub judgement: Judgement,
    /// Largest skin error that the target is held against, metres.
    pub max_m: f64,
    /// Root mean square of the skin error at frames, metres.
    pub rms_m: f64,
    /// Root mean square of the error's speed, metres a second.
    pub jitter_m_per_s: f64,
    /// Largest added slide of all contacts, metres; `None` when no foot stands.
    pub slide_m: Option<f64>,
    /// Stored keys of all tracks.
    pub keys: usize,
    /// Nanoseconds to decode a pose, playing forward at two poses a frame on this machine.
    pub ns_a_pose: f64,
}

/// All codecs with the same settings.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// What they were made with, but for the deliverable.
    pub settings: Settings,
    /// Metres of a source unit.
    pub unit_m: f64,
    /// The contacts that slide is that of.
    pub contacts: Arc<Contacts>,
    /// In the order of [`Comparison::CODECS`].
    pub codecs: Vec<Compared>,
}

impl Comparison {
    /// The codecs that are compared.
    pub const CODECS: [Deliverable; 3] = [
        Deliverable::Compact,
        Deliverable::Uniform,
        Deliverable::Riot,
    ];

    /// Compresses with each codec, measures it and times its player. Cost: that of three full results and some
    /// 50 ms of playing.
    pub fn make(
        encoder: &mut Encoder,
        contacts: &Arc<Contacts>,
        settings: &Settings,
        control: &Control,
    ) -> Result<Self, CodecError> {
        let mut codecs = Vec::new();
        for deliverable in Self::CODECS {
            let settings = Settings {
                deliverable,
                ..settings.clone()
            };
            let result = ClipResult::make(encoder, contacts, &settings, Quality::Full, control)?;
            codecs.push(Compared::of(&result, encoder.clip())?);
        }
        Ok(Self {
            settings: settings.clone(),
            unit_m: encoder.unit_m(),
            contacts: contacts.clone(),
            codecs,
        })
    }

    /// Whether it still is what these settings give.
    pub fn is_of(&self, settings: &Settings, unit_m: f64) -> bool {
        let deliverable = self.settings.deliverable;
        let wanted = Settings {
            deliverable,
            ..settings.clone()
        };
        wanted == self.settings && unit_m == self.unit_m
    }
}

impl Session {
    /// Compresses a clip with every codec, to compare them; see [`Session::comparison`].
    pub fn compare(&mut self, id: ClipId) {
        let Some(job) = self.job(id, Quality::Full) else {
            return;
        };
        let work = self.work.entry(id).or_default();
        if let Some(running) = work.comparing.replace(job.control.clone()) {
            running.cancel();
        }
        self.worker.send(Request::Compare(job));
    }

    /// What the codecs make of a clip: the last that was asked for, whatever changed since.
    pub fn comparison(&self, id: ClipId) -> Option<&Arc<Comparison>> {
        self.work.get(&id)?.comparison.as_ref()
    }

    /// Whether codecs are being compared for a clip.
    pub fn is_comparing(&self, id: ClipId) -> bool {
        self.work.get(&id).is_some_and(|w| w.comparing.is_some())
    }

    pub(super) fn take_comparison(
        &mut self,
        id: ClipId,
        compared: Result<Box<Comparison>, CodecError>,
    ) {
        let Some(work) = self.work.get_mut(&id) else {
            return;
        };
        match compared {
            Ok(comparison) => {
                work.comparing = None;
                work.comparison = Some(Arc::from(comparison));
            }
            // A newer one is on its way.
            Err(CodecError::Cancelled) => {}
            Err(e) => {
                work.comparing = None;
                let notice = Notice::error("The codecs were not compared", e.to_string());
                self.notices.push(notice);
            }
        }
    }
}

impl Compared {
    fn of(result: &ClipResult, clip: &Clip) -> Result<Self, CodecError> {
        let Payload::Container(bytes) = &result.compressed.payload else {
            return Err(CodecError::Cancelled);
        };
        let view = ClipView::from_bytes(bytes.clone()).map_err(CodecError::ReadBack)?;
        let keys = result.compressed.tracks.iter().map(|t| t.fit.keys.len());
        Ok(Self {
            deliverable: result.settings.deliverable,
            animation_bytes: result.animation_bytes,
            file_bytes: bytes.len(),
            target_met: result.compressed.target_met,
            judgement: result.judged_by(&result.settings, clip),
            max_m: result.largest_error_m(),
            rms_m: result.measured.frames.rms_m,
            jitter_m_per_s: result.measured.jitter.rms_m_per_s,
            slide_m: result.worst_slide_m(),
            keys: keys.sum(),
            ns_a_pose: time_a_pose(&view),
        })
    }
}

/// Nanoseconds to decode a pose, playing forward from the start again and again.
fn time_a_pose<B: AsRef<[u8]>>(view: &ClipView<B>) -> f64 {
    let info = view.info();
    let mut sampler = Sampler::new(view);
    let mut pose = vec![Transform::IDENTITY; info.joints];
    let poses = u64::from(info.last_frame()) * u64::from(POSES_A_FRAME) + 1;
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let (start, mut played) = (Instant::now(), 0_u64);
        while start.elapsed() < ROUND {
            for n in 0..poses {
                let secs = info.secs(n as f64 / f64::from(POSES_A_FRAME));
                // The sampler was made from this view, so it cannot refuse it.
                let _ = sampler.pose(view, secs, Extent::Clamp, &mut pose);
                std::hint::black_box(&mut pose);
            }
            played += poses;
        }
        best = best.min(start.elapsed().as_nanos() as f64 / played as f64);
    }
    best
}
