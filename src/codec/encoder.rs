//! Compresses one clip again and again while settings change.

mod chains;
mod compact;

use super::additive::{BasePose, on_base};
use super::cloud::{Cloud, clouds};
use super::compact::CompactEncoder;
use super::compressed::{Compressed, Payload, Player};
use super::control::Control;
use super::curves::CurveCache;
use super::error::CodecError;
use super::file::file;
use super::judge::{Instants, Judgement};
use super::keyframes::KeyframePlayer;
use super::levels::StreamOrder;
use super::riot::{self, KeyForm};
use super::samples::TrackSamples;
use super::settings::{Budget, Deliverable, Settings};
use super::tolerance::Chains;
use super::track_fit::{Storage, TrackFit, fit_track, replay_track};
use super::{uniform, universal, weights};
use crate::fit::{Basis, Fit, Value};
use crate::math::Transform;
use crate::metrics::{self, Body, Contacts, Footing};
use crate::model::Clip;
use glam::DAffine3;
use rayon::prelude::*;
use std::sync::Arc;

/// Where the search for a scale begins; the median of the test clips ends near it.
const FIRST_SCALE: f64 = 0.6;

/// Below this the tolerances are finer than any storage: the target cannot be reached.
const SMALLEST_SCALE: f64 = 1e-4;

/// Above this everything is constant.
const LARGEST_SCALE: f64 = 1e4;

/// Below so many bytes of animation the next smaller target is tried as well.
const FEW_BYTES: usize = 256;

/// Where less than this part of a target is used, likewise.
const MUCH_USED: f64 = 0.85;

/// The part of a target that a morph weight's error alone may take a vertex.
const MORPH_PART: f64 = 0.2;

/// Targets that people go through, millimetres, from 0.05 to 20.
const LADDER_MM: [f64; 9] = [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0];

/// The largest rung of the ladder below a target, metres.
fn finer_rung(target_m: f64) -> Option<f64> {
    let rungs = LADDER_MM.iter().map(|mm| mm / 1000.0);
    rungs.rev().find(|rung| *rung < target_m * (1.0 - 1e-9))
}

/// A clip ready to be compressed, with the last fit of every track.
///
/// A track is fitted again only when its tolerance or its way of storage changed, so that moving one
/// joint's slider costs one track.
pub struct Encoder {
    clip: Arc<Clip>,
    unit_m: f64,
    source_hash: [u8; 32],
    samples: Vec<TrackSamples>,
    chains: Chains,
    cache: Vec<Option<(FitKey, Arc<TrackFit>)>>,
    /// What `samples` and `compact` are differences to.
    additive: Option<BasePose>,
    /// Where the last search ended and a draft begins.
    last_scale: Option<f64>,
    /// Made when it is needed first.
    compact: Option<CompactEncoder>,
    /// The float curves, which no target changes.
    curves: CurveCache,
    /// Found when they are needed first.
    contacts: Option<Arc<Contacts>>,
    /// On what the last settings measured errors.
    measuring: Option<Arc<Measuring>>,
    /// What the last settings led to in `compact` when nothing is held.
    free: Option<Arc<compact::Free>>,
}

/// How much time a result may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Quality {
    /// While a slider moves: no removal of keys, a short search that begins where the last one ended.
    Draft,
    /// What is shipped: the same clip and settings give the same bytes, whatever was compressed before.
    #[default]
    Full,
    /// Offline: in `compact` a longer search for fewer bytes; otherwise as [`Quality::Full`].
    Max,
}

impl Quality {
    /// Most candidates of a search.
    fn steps(self) -> usize {
        match self {
            Self::Draft => 3,
            Self::Full | Self::Max => 9,
        }
    }
}

/// What a fit depends on besides its samples.
#[derive(Clone, Copy, PartialEq)]
struct FitKey {
    tolerance: f64,
    way: Way,
}

/// How tracks are stored.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// All frames.
    Frames,
    /// Keys with curves between.
    Keys {
        basis: Basis,
        refine: bool,
        form: KeyForm,
    },
}

impl FitKey {
    fn new(settings: &Settings, frames: usize, tolerance: f64) -> Self {
        let keys = |basis, form| Way::Keys {
            basis,
            refine: settings.refine,
            form,
        };
        let way = match settings.deliverable {
            Deliverable::Riot => keys(settings.basis, KeyForm::riot(frames, settings)),
            Deliverable::Uniform => Way::Frames,
            // `compact` fits otherwise.
            Deliverable::Universal | Deliverable::Compact => keys(Basis::Linear, KeyForm::FLOATS),
        };
        Self { tolerance, way }
    }

    fn fit(&self, samples: &TrackSamples) -> TrackFit {
        let fit = self.with_storage(samples, |s| fit_track(samples, self.tolerance, s));
        fit.unwrap_or_else(|| uniform::fit_track(samples, self.tolerance))
    }

    /// `None` where all frames are stored, so that there are no keys to choose.
    fn with_storage<R>(
        &self,
        samples: &TrackSamples,
        run: impl FnOnce(&Storage) -> R,
    ) -> Option<R> {
        let Way::Keys {
            basis,
            refine,
            form,
        } = self.way
        else {
            return None;
        };
        let frames = samples.values.len();
        let rounding = form.rounding(samples);
        Some(run(&Storage {
            basis,
            refine,
            quantise: &move |v| rounding.round(v),
            key_time: &move |frame| form.key_time(frame, frames),
        }))
    }
}

/// Goes back in the making of a track, of an additive clip on its base pose: its state after `steps` of its history, and the value of the curve
/// at every frame. `None` for a track that the clip does not have, of a deliverable that stores all frames, and in
/// `compact`, whose tracks depend on their parents' results: see [`TrackFit::origins`]. Cost: that of fitting
/// the track.
pub fn replay(
    clip: &Clip,
    settings: &Settings,
    track: &TrackFit,
    steps: usize,
) -> Option<(Fit, Vec<Value>)> {
    if settings.deliverable == Deliverable::Compact {
        return None;
    }
    let samples = TrackSamples::of_track(clip, clip.track(track.joint, track.channel)?);
    let base = settings.additive.map(|base| base.of(clip)[track.joint]);
    let base = base.map(Transform::from);
    let samples = base.map_or(samples.clone(), |base| samples.less(&base));
    let key = FitKey::new(settings, clip.grid().frames, track.tolerance);
    let (mut fit, mut values) =
        key.with_storage(&samples, |s| replay_track(&samples, track, s, steps))?;
    if let Some(base) = &base {
        let keys = fit.keys.iter_mut().map(|k| &mut k.value);
        for value in keys.chain(&mut values) {
            *value = on_base(value.to_array(), track.channel, base).into();
        }
    }
    Some((fit, values))
}

/// One a track: what it does, or what it adds to a base pose.
fn samples(clip: &Clip, additive: Option<BasePose>) -> Vec<TrackSamples> {
    let samples = TrackSamples::of_clip(clip);
    let Some(base) = additive else {
        return samples;
    };
    let base: Vec<Transform> = base.of(clip).into_iter().map(Transform::from).collect();
    let less = |s: TrackSamples| {
        let joint = s.joint;
        s.less(&base[joint])
    };
    samples.into_iter().map(less).collect()
}

/// On what errors are measured, and the points that stand for it.
struct Measuring {
    options: metrics::Options,
    body: Arc<Body>,
    clouds: Arc<[Cloud]>,
    /// The largest distance that a change of a morph weight by 1 takes a vertex in the rest pose, metres.
    longest_morph_m: f64,
}

/// One try of the solver.
struct Candidate {
    tracks: Vec<Arc<TrackFit>>,
    payload: Payload,
    scale: f64,
    gate_m: f64,
}

impl Encoder {
    /// Samples the clip. `unit_m` is metres a source unit; `source_hash` is stored in containers.
    pub fn new(clip: Arc<Clip>, unit_m: f64, source_hash: [u8; 32]) -> Self {
        let samples = samples(&clip, None);
        let chains = Chains::new(clip.skeleton());
        let cache = vec![None; samples.len()];
        Self {
            clip,
            unit_m,
            source_hash,
            samples,
            chains,
            cache,
            additive: None,
            last_scale: None,
            compact: None,
            curves: CurveCache::default(),
            contacts: None,
            measuring: None,
            free: None,
        }
    }

    /// On what these settings measure errors; made once for settings that measure alike.
    fn measuring(&mut self, settings: &Settings) -> Arc<Measuring> {
        let options = settings.measuring(self.clip.skeleton(), self.unit_m, 1);
        let known = self.measuring.clone().filter(|m| m.options == options);
        let made = known.unwrap_or_else(|| {
            let body = Arc::new(Body::new(&self.clip, &options));
            let clouds = clouds(&self.clip, &body, options.metric, &options.left_out);
            let skeleton = self.clip.skeleton();
            let mut rest = vec![DAffine3::IDENTITY; skeleton.len()];
            skeleton.model_pose(&skeleton.rest_pose(), &mut rest);
            Arc::new(Measuring {
                longest_morph_m: body.longest_morph(&rest) * self.unit_m,
                options,
                body,
                clouds: clouds.into(),
            })
        });
        self.measuring = Some(made.clone());
        made
    }

    /// The clip.
    pub fn clip(&self) -> &Arc<Clip> {
        &self.clip
    }

    /// The contacts whose feet a slide target holds; those that are found in the clip unless others were set.
    fn contacts(&self, footing: &Footing) -> Arc<Contacts> {
        let found = || Arc::new(Contacts::find_with(&self.clip, self.unit_m, footing));
        self.contacts.clone().unwrap_or_else(found)
    }

    /// The contacts with the pairs of the settings.
    fn held_contacts(&self, settings: &Settings) -> Result<Arc<Contacts>, CodecError> {
        let pairs = settings.pairs_of(&self.clip, self.unit_m);
        let pairs = pairs.map_err(CodecError::Settings)?;
        let contacts = self.contacts(&settings.footing);
        if contacts.pairs == pairs {
            return Ok(contacts);
        }
        Ok(Arc::new(contacts.with_pairs(pairs)))
    }

    /// Sets the contacts that a slide target holds, such as those that a person edited.
    pub fn set_contacts(&mut self, contacts: &Arc<Contacts>) {
        self.contacts = Some(contacts.clone());
    }

    /// Metres a source unit.
    pub fn unit_m(&self) -> f64 {
        self.unit_m
    }

    /// Compresses the clip. The same clip and settings give the same bytes on any number of threads,
    /// whatever was compressed before.
    ///
    /// With a skin target some ten candidates are fitted and measured; without, one.
    pub fn encode(
        &mut self,
        settings: &Settings,
        control: &Control,
    ) -> Result<Compressed, CodecError> {
        self.encode_as(settings, Quality::Full, control)
    }

    /// Compresses the clip in a quality.
    pub fn encode_as(
        &mut self,
        settings: &Settings,
        quality: Quality,
        control: &Control,
    ) -> Result<Compressed, CodecError> {
        settings.check().map_err(CodecError::Settings)?;
        let expanded = settings.expanded(self.clip.skeleton());
        let settings = &self.with_fine_weights(&expanded);
        self.lay_out(settings.additive);
        let made = self.encode_at(settings, quality, control)?;
        let finer = match (settings.budget, quality) {
            (Budget::Skin { target_m }, Quality::Full | Quality::Max) => finer_rung(target_m),
            _ => None,
        };
        match finer.filter(|_| self.leaves_much(settings, &made)) {
            Some(target_m) => self.or_finer(made, settings, target_m, quality, control),
            None => Ok(made),
        }
    }

    /// Settings whose morph weights are off by no more than takes a vertex a part of the target. What is left of it goes to
    /// the joints: the gate looks at vertices that both move.
    fn with_fine_weights(&mut self, settings: &Settings) -> Settings {
        let mut fine = settings.clone();
        if let Budget::Skin { target_m } = settings.budget {
            let on = self.measuring(settings);
            let longest_m = on.longest_morph_m;
            if longest_m > 0.0 {
                let most = MORPH_PART * target_m / longest_m;
                fine.weight_tolerance = fine.weight_tolerance.min(most);
            }
        }
        fine
    }

    /// Whether a smaller target may well need fewer bytes: little of this one was used, it was missed, or there is
    /// hardly anything in the file.
    fn leaves_much(&self, settings: &Settings, made: &Compressed) -> bool {
        let Budget::Skin { target_m } = settings.budget else {
            return false;
        };
        if made.target_met != Some(true) || made.animation_bytes() < FEW_BYTES {
            return true;
        }
        let gate_m = self.gate_m(settings, &made.payload);
        gate_m.is_ok_and(|gate_m| gate_m < MUCH_USED * target_m)
    }

    /// What was made, or the same with a smaller target where that is smaller: solutions are chaotic, and nobody asks for
    /// more error and more bytes. What the search remembers stays that of the target that was asked for.
    fn or_finer(
        &mut self,
        made: Compressed,
        settings: &Settings,
        target_m: f64,
        quality: Quality,
        control: &Control,
    ) -> Result<Compressed, CodecError> {
        let known = (self.free.clone(), self.last_scale);
        let finer = Settings {
            budget: Budget::Skin { target_m },
            ..settings.clone()
        };
        let finer = self.encode_at(&finer, quality, control);
        (self.free, self.last_scale) = known;
        let finer = finer?;
        let better = finer.target_met == Some(true)
            && (made.target_met != Some(true) || finer.animation_bytes() < made.animation_bytes());
        Ok(if better { finer } else { made })
    }

    /// Compresses for the very target that is set.
    fn encode_at(
        &mut self,
        settings: &Settings,
        quality: Quality,
        control: &Control,
    ) -> Result<Compressed, CodecError> {
        let aims = matches!(settings.budget, Budget::Skin { .. });
        if settings.deliverable == Deliverable::Compact && aims {
            return self.encode_compact(settings, quality, control);
        }
        self.encode_chains(settings, quality, control)
    }

    /// Compresses with nothing held.
    fn encode_freely(
        &mut self,
        settings: &Settings,
        quality: Quality,
        control: &Control,
    ) -> Result<Compressed, CodecError> {
        if settings.deliverable == Deliverable::Compact {
            return self.encode_compact(&settings.unheld(), quality, control);
        }
        self.encode_tracks(settings, quality, control)
    }

    /// Fits every track by itself, as in all codecs but `compact`.
    fn encode_tracks(
        &mut self,
        settings: &Settings,
        quality: Quality,
        control: &Control,
    ) -> Result<Compressed, CodecError> {
        let drafted = Settings {
            refine: settings.refine && quality != Quality::Draft,
            ..settings.clone()
        };
        let settings = &drafted;
        let (best, target_met) = match settings.budget {
            Budget::Tolerances => (self.candidate(settings, 1.0, control)?, None),
            Budget::Skin { target_m } => {
                let best = self.solve(settings, target_m, quality, control)?;
                self.last_scale = Some(best.scale);
                let met = best.gate_m <= target_m;
                (best, Some(met))
            }
        };
        Ok(Compressed {
            deliverable: settings.deliverable,
            payload: best.payload,
            tracks: best.tracks.iter().map(|t| TrackFit::clone(t)).collect(),
            target_met,
            tolerance_scale: best.scale,
            held: Vec::new(),
        })
    }

    /// Makes the samples what the clip is, or what it adds to a base pose.
    fn lay_out(&mut self, additive: Option<BasePose>) {
        if self.additive == additive {
            return;
        }
        self.additive = additive;
        self.samples = samples(&self.clip, additive);
        self.cache = vec![None; self.samples.len()];
        self.last_scale = None;
        self.compact = None;
        self.free = None;
    }

    /// Finds the largest scale of the tolerances whose measured error stays within the target.
    ///
    /// Brackets by factors, then closes in on the logarithm. The error is close to proportional to the
    /// scale, so a few steps do; of all feasible candidates the smallest is kept.
    fn solve(
        &mut self,
        settings: &Settings,
        target_m: f64,
        quality: Quality,
        control: &Control,
    ) -> Result<Candidate, CodecError> {
        let steps = quality.steps();
        let mut best: Option<Candidate> = None;
        let mut tightest: Option<Candidate> = None;
        let (mut low, mut high) = (0.0_f64, f64::INFINITY);
        let mut scale = match (quality, self.last_scale) {
            (Quality::Draft, Some(scale)) => scale,
            _ => FIRST_SCALE,
        };
        for step in 0..steps {
            control.report(step as f32 / steps as f32);
            let c = self.candidate(settings, scale, control)?;
            let ratio = c.gate_m / target_m;
            if ratio <= 1.0 {
                low = low.max(scale);
                let smaller = best
                    .as_ref()
                    .is_none_or(|b| c.payload_bytes() <= b.payload_bytes());
                if smaller {
                    best = Some(c);
                }
            } else {
                high = high.min(scale);
                if tightest.as_ref().is_none_or(|t| c.gate_m < t.gate_m) {
                    tightest = Some(c);
                }
            }
            let close_enough = if quality == Quality::Draft { 1.3 } else { 1.02 };
            if (best.is_some() && high / low < close_enough)
                || !(SMALLEST_SCALE..=LARGEST_SCALE).contains(&scale)
            {
                break;
            }
            scale = next_scale(scale, ratio, low, high);
        }
        // Every loop pass leaves a candidate in one of the two.
        best.or(tightest).ok_or(CodecError::Cancelled)
    }

    fn candidate(
        &mut self,
        settings: &Settings,
        scale: f64,
        control: &Control,
    ) -> Result<Candidate, CodecError> {
        if control.is_cancelled() {
            return Err(CodecError::Cancelled);
        }
        let tracks = self.fit(settings, scale);
        let payload = self.payload(settings, &tracks)?;
        let gate_m = match settings.budget {
            Budget::Tolerances => 0.0,
            Budget::Skin { .. } => self.gate_m(settings, &payload)?,
        };
        Ok(Candidate {
            tracks,
            payload,
            scale,
            gate_m,
        })
    }

    fn fit(&mut self, settings: &Settings, scale: f64) -> Vec<Arc<TrackFit>> {
        let levers: Vec<f64> = self
            .measuring(settings)
            .clouds
            .iter()
            .map(|c| c.lever)
            .collect();
        let skeleton = self.clip.skeleton();
        let tolerances = self.chains.tolerances(
            skeleton,
            &self.samples,
            (settings, &levers),
            self.unit_m,
            scale,
        );
        let frames = self.clip.grid().frames;
        let keys: Vec<FitKey> = tolerances
            .iter()
            .map(|&tolerance| FitKey::new(settings, frames, tolerance))
            .collect();
        let fits: Vec<Arc<TrackFit>> = self
            .samples
            .par_iter()
            .zip(&self.cache)
            .zip(&keys)
            .map(|((samples, cached), key)| match cached {
                Some((k, fit)) if k == key => fit.clone(),
                _ => Arc::new(key.fit(samples)),
            })
            .collect();
        for ((cached, fit), key) in self.cache.iter_mut().zip(&fits).zip(keys) {
            *cached = Some((key, fit.clone()));
        }
        fits
    }

    fn payload(
        &mut self,
        settings: &Settings,
        tracks: &[Arc<TrackFit>],
    ) -> Result<Payload, CodecError> {
        let section = match settings.deliverable {
            Deliverable::Riot => riot::section(&self.clip, &self.samples, tracks, settings),
            Deliverable::Uniform => {
                let order = StreamOrder::new(self.clip.skeleton(), &settings.levels);
                uniform::section(&self.clip, &self.samples, tracks, &order)
            }
            Deliverable::Universal | Deliverable::Compact => {
                let weights = weights::channels(&self.clip, settings.weight_tolerance);
                let keyframes = universal::keyframes(&self.clip, tracks, weights);
                return Ok(Payload::Keyframes(Arc::new(keyframes)));
            }
        };
        let curves = self.curves.section(&self.clip, settings);
        let bytes = section.and_then(|section| {
            let (unit_m, source_hash) = (self.unit_m, self.source_hash);
            file(&self.clip, settings, unit_m, source_hash, section, &curves?)
        });
        Ok(Payload::Container(
            bytes.map_err(CodecError::Container)?.into(),
        ))
    }

    /// Measures what was made and holds it against all limits.
    fn judge(
        &self,
        settings: &Settings,
        contacts: &Contacts,
        made: &Compressed,
    ) -> Result<Judgement, CodecError> {
        let skeleton = self.clip.skeleton();
        let density = Instants::of(settings).density();
        let options = settings.measuring(skeleton, self.unit_m, density);
        let player = made.player(skeleton).map_err(CodecError::ReadBack)?;
        let measured = metrics::measure_with(&self.clip, &player, contacts, &options);
        let bytes = Some((made.animation_bytes(), None));
        Ok(Judgement::of(
            settings, &self.clip, contacts, &measured, bytes,
        ))
    }

    /// The error that the target is held against: between frames too where the player interpolates keys.
    fn gate_m(&self, settings: &Settings, payload: &Payload) -> Result<f64, CodecError> {
        let player = match payload {
            Payload::Container(bytes) => {
                Player::container(bytes.clone()).map_err(CodecError::ReadBack)?
            }
            Payload::Keyframes(k) => {
                Player::Keyframes(KeyframePlayer::new(k.clone(), self.clip.skeleton()))
            }
        };
        let density = Instants::of(settings).density();
        let options = settings.measuring(self.clip.skeleton(), self.unit_m, density);
        Ok(metrics::largest_error_m(&self.clip, &player, &options))
    }
}

impl Candidate {
    fn payload_bytes(&self) -> usize {
        match &self.payload {
            Payload::Container(bytes) => bytes.len(),
            Payload::Keyframes(k) => k.payload_bytes(),
        }
    }
}

/// The next scale to try: by proportion, kept inside the bracket.
fn next_scale(scale: f64, ratio: f64, low: f64, high: f64) -> f64 {
    let aim = scale * (0.99 / ratio.max(1e-6)).clamp(0.05, 20.0);
    if low == 0.0 {
        return aim.min(0.7 * high);
    }
    if high.is_infinite() {
        return aim.max(1.2 * low);
    }
    // A sixth of the bracket away from its ends, on the logarithm, so that it always shrinks.
    let (a, b) = (low.ln(), high.ln());
    aim.ln().clamp(a + (b - a) / 6.0, b - (b - a) / 6.0).exp()
}
