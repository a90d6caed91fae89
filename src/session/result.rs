use super::document::ClipEdits;
use crate::codec::{
    CodecError, Compressed, Control, Deliverable, Encoder, FileParts, Instants, Judgement, Player,
    Quality, Settings, TrackFit, TrackKind, loop_seam,
};
use crate::math::Channel;
use crate::metrics::{
    self, Causes, Contact, ContactSlide, Contacts, CurveError, Measured, PairDrift, Seam, Shape,
};
use crate::model::{Clip, CurveSource as _};
use glam::{DAffine3, DVec3};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A compressed clip with everything measured of it.
#[derive(Clone)]
pub struct ClipResult {
    /// What it was made with.
    pub settings: Settings,
    /// A draft stands in while a slider moves; it is never approved or exported.
    pub quality: Quality,
    /// Metres of a source unit when it was made.
    pub unit_m: f64,
    /// The deliverable.
    pub compressed: Compressed,
    /// Plays its bytes; clone it to play.
    pub player: Player,
    /// The source's contacts against which slide is measured.
    pub contacts: Arc<Contacts>,
    /// Those of them that a person set; `None` where they are as found in the clip.
    pub(super) set_contacts: Option<Vec<Contact>>,
    /// Measured from its bytes.
    pub measured: Measured,
    /// How far its float curves are off, in the order of the clip's.
    pub curves: Vec<CurveError>,
    /// Identity of its bytes.
    pub hash: [u8; 32],
    /// Parts by name, with their bytes.
    pub sections: Vec<(String, usize)>,
    /// Bytes of the animation.
    pub animation_bytes: usize,
    /// What the bytes of its file are for; `None` for keyframes.
    pub file: Option<FileParts>,
    /// Bytes of the source's own animation; `None` where it comes from no file.
    pub source_bytes: Option<usize>,
    /// Bytes of each joint's tracks, one a joint.
    pub joint_bytes: Vec<usize>,
    /// Bytes of full frames of ten floats a joint.
    pub raw_bytes: usize,
    /// How long compressing and measuring took.
    pub elapsed: Duration,
}

impl ClipResult {
    /// Compresses and measures; `contacts` are those of the encoder's clip.
    pub(super) fn make(
        encoder: &mut Encoder,
        contacts: &Arc<Contacts>,
        settings: &Settings,
        quality: Quality,
        control: &Control,
    ) -> Result<Self, CodecError> {
        let start = Instant::now();
        let pairs = settings.pairs_of(encoder.clip(), encoder.unit_m());
        let pairs = pairs.map_err(CodecError::Settings)?;
        let contacts = if contacts.pairs == pairs {
            contacts
        } else {
            &Arc::new(contacts.with_pairs(pairs))
        };
        encoder.set_contacts(contacts);
        let compressed = encoder.encode_as(settings, quality, control)?;
        let clip = encoder.clip();
        let player = compressed
            .player(clip.skeleton())
            .map_err(CodecError::ReadBack)?;
        let unit_m = encoder.unit_m();
        // A draft needs no more than what counts.
        let density = match quality {
            Quality::Draft => Instants::of(settings).density(),
            Quality::Full | Quality::Max => Instants::Between.density(),
        };
        let options = settings.measuring(clip.skeleton(), unit_m, density);
        let measured = metrics::measure_with(clip, &player, contacts, &options);
        let curves = metrics::curve_errors(clip, &mut player.clone());
        Ok(Self {
            settings: settings.clone(),
            quality,
            unit_m,
            hash: compressed.hash(),
            sections: compressed.sections(),
            animation_bytes: compressed.animation_bytes(),
            joint_bytes: compressed.joint_bytes(clip.skeleton().len()),
            raw_bytes: clip.raw_bytes(),
            source_bytes: clip.source_bytes(),
            file: compressed.file_parts(),
            compressed,
            player,
            contacts: contacts.clone(),
            set_contacts: None,
            measured,
            curves,
            elapsed: start.elapsed(),
        })
    }

    /// Whether it is the full result of what a person set.
    pub(super) fn is_of(&self, edits: &ClipEdits, unit_m: f64) -> bool {
        let same = (&self.settings, self.unit_m) == (&edits.settings, unit_m);
        same && self.quality == Quality::Full && self.set_contacts == edits.contacts
    }

    /// Whether these settings would lead to the same bytes whatever the contacts are.
    pub(super) fn has_bytes_of(&self, settings: &Settings, unit_m: f64) -> bool {
        let made_from_contacts = settings.holds();
        let same = (&self.settings, self.unit_m) == (settings, unit_m);
        same && self.quality == Quality::Full && !made_from_contacts
    }

    /// The same bytes, measured with other contacts of their clip.
    pub(super) fn with_contacts(&self, clip: &Clip, contacts: &Arc<Contacts>) -> Self {
        let options = self.options(clip);
        Self {
            measured: metrics::measure_with(clip, &self.player, contacts, &options),
            contacts: contacts.clone(),
            ..self.clone()
        }
    }

    /// How it was measured.
    fn options(&self, clip: &Clip) -> metrics::Options {
        let density = self.measured.density;
        self.settings
            .measuring(clip.skeleton(), self.unit_m, density)
    }

    /// The skin error of a joint at a frame, split by the joints above it; `None` for a joint that the clip does
    /// not have. Cost: two poses.
    pub fn causes(&self, clip: &Clip, joint: usize, frame: f64) -> Option<Causes> {
        let (secs, options) = (clip.grid().secs(frame), self.options(clip));
        Causes::of(clip, self.player.clone(), joint, secs, &options)
    }

    /// The vertex that is farther off than any other at a time, between two poses of the clip's model, the right one
    /// first, where the second has it, source units, and by how many metres it is off; `None` where no vertex counts or
    /// none is off. Cost: a fraction of a millisecond.
    pub fn worst_vertex(
        &self,
        clip: &Clip,
        secs: f64,
        poses: [&[DAffine3]; 2],
    ) -> Option<(DVec3, f64)> {
        let body = Arc::new(metrics::Body::new(clip, &self.options(clip)));
        let mut curves = [0, 1].map(|_| vec![0.0; clip.scalars().len()]);
        if body.has_morphs() {
            (&*clip).curves(secs, &mut curves[0]);
            self.player.clone().curves(secs, &mut curves[1]);
        }
        let shape = |k: usize| Shape {
            model: poses[k],
            curves: &curves[k],
        };
        let (vertex, error_m) = body.worst_vertex(shape(1), shape(0), self.unit_m)?;
        Some((body.place(clip, vertex, shape(1)), error_m))
    }

    /// What a track may be off by: radians, metres of the world or a factor. `above` is [`Skeleton::scales_above`] of the
    /// clip.
    ///
    /// [`Skeleton::scales_above`]: crate::model::Skeleton::scales_above
    pub fn tolerance(&self, track: &TrackFit, above: &[f64]) -> f64 {
        match track.channel {
            Channel::Translation => track.tolerance * self.unit_m * above[track.joint],
            Channel::Rotation | Channel::Scale => track.tolerance,
        }
    }

    /// The weighed error that the target is held against, metres: between frames too where the player
    /// interpolates keys.
    pub fn gate_m(&self) -> f64 {
        self.instants().gate_m(&self.measured)
    }

    /// The largest error, metres, at the instants of [`ClipResult::gate_m`], whatever it weighs.
    pub fn largest_error_m(&self) -> f64 {
        let sets = self.instants().stats(&self.measured).into_iter();
        sets.map(|s| s.max_m).fold(0.0, f64::max)
    }

    /// The instants that count.
    pub fn instants(&self) -> Instants {
        Instants::of(&self.settings)
    }

    /// How it stands to limits: those of the settings it was made with, or others.
    pub fn judged_by(&self, settings: &Settings, clip: &Clip) -> Judgement {
        let bytes = Some((self.animation_bytes, None));
        Judgement::of(settings, clip, &self.contacts, &self.measured, bytes)
    }

    /// What compression adds where the loop closes; `None` for a clip that neither is set to loop nor ends where it
    /// began.
    pub fn loop_seam(&self) -> Option<Seam> {
        loop_seam(&self.settings, &self.measured)
    }

    /// Keys stored for one channel of one joint.
    pub fn keys(&self, joint: usize, channel: Channel) -> usize {
        self.track(joint, channel).map_or(0, |t| t.fit.keys.len())
    }

    /// How one channel of one joint was fitted; `None` where the source has no track.
    pub fn track(&self, joint: usize, channel: Channel) -> Option<&crate::codec::TrackFit> {
        let tracks = &self.compressed.tracks;
        let at = tracks
            .binary_search_by_key(&(joint, channel), |t| (t.joint, t.channel))
            .ok()?;
        Some(&tracks[at])
    }

    /// Bytes that the keys of a track take with their times; 0 where no keys but one value or none is stored.
    /// In `compact` and `uniform` a track's header counts as well; in `universal` times that tracks share count in the
    /// first of them.
    pub fn key_bytes(&self, track: &TrackFit) -> usize {
        if !matches!(track.kind, TrackKind::Keys | TrackKind::Step) {
            return 0;
        }
        match self.compressed.deliverable {
            Deliverable::Compact | Deliverable::Uniform | Deliverable::Universal => {
                self.compressed.track_bytes(track)
            }
            Deliverable::Riot => 10 * track.fit.keys.len(),
        }
    }

    /// What the deliverable's bytes are made of: keys by channel, what else the animation holds, and the
    /// other sections; those of a container are the whole file. Parts without bytes are left out.
    pub fn parts(&self) -> Vec<(String, usize)> {
        let keys = |channel: Channel| -> usize {
            let tracks = self.compressed.tracks.iter();
            tracks
                .filter(|t| t.channel == channel)
                .map(|t| self.key_bytes(t))
                .sum()
        };
        let channels = [Channel::Rotation, Channel::Translation, Channel::Scale];
        let mut parts: Vec<(String, usize)> = channels
            .into_iter()
            .map(|c| (crate::model::channel_name(c).to_owned(), keys(c)))
            .collect();
        let keyed: usize = parts.iter().map(|p| p.1).sum();
        let (curves, others): (Vec<_>, Vec<_>) = self
            .sections
            .iter()
            .partition(|(name, _)| name == "animation");
        let curves: usize = curves.iter().map(|s| s.1).sum();
        parts.push(("constants".into(), curves.saturating_sub(keyed)));
        parts.extend(others.into_iter().cloned());
        parts.retain(|p| p.1 > 0);
        parts
    }

    /// The added slide of a contact that counts, metres: between frames too where the player interpolates keys.
    pub fn added_m(&self, slide: &ContactSlide) -> f64 {
        self.instants().slide_m(slide)
    }

    /// The added drift of a pair that counts, metres: likewise.
    pub fn added_drift_m(&self, drift: &PairDrift) -> f64 {
        self.instants().drift_m(drift)
    }

    /// The largest added slide of all contacts, metres; `None` when no foot stands.
    pub fn worst_slide_m(&self) -> Option<f64> {
        let slides = self.measured.slides.iter();
        slides.map(|s| self.added_m(s)).reduce(f64::max)
    }

    /// All contacts, the one with the most added slide first.
    pub fn worst_slides(&self) -> Vec<ContactSlide> {
        let mut slides = self.measured.slides.clone();
        slides.sort_by(|a, b| self.added_m(b).total_cmp(&self.added_m(a)));
        slides
    }
}
