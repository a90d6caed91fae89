use super::contacts::{
    ContactSlide, Contacts, Pair, PairDrift, SoleErrors, drifts, place_m, slides,
};
use super::seam::{Seam, seam};
use super::statistics::ErrorStats;
use super::weights::Weights;
use crate::math::{Channel, Transform, rotation_angle};
use crate::model::{Clip, PoseSource};
use glam::{DAffine3, DVec3};
use rayon::prelude::*;
use serde::Serialize;

/// How a clip is measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Metres of one unit of the source file.
    pub unit_m: f64,
    /// Distance of the rigid shell around every joint, metres.
    pub shell_m: f64,
    /// Instants of the dense set for each frame, at least 1.
    pub density: usize,
    /// What counts more than the rest against a target, and shells of single joints.
    pub weights: Weights,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            unit_m: 1.0,
            shell_m: 0.03,
            density: 4,
            weights: Weights::default(),
        }
    }
}

/// How fast the error itself moves: an error that stays put is not seen, one that shakes is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Jitter {
    /// Largest change of a shell point's error from frame to frame, metres a second.
    pub max_m_per_s: f64,
    /// Root of the mean square over joints and frames, metres a second.
    pub rms_m_per_s: f64,
}

/// The largest skin error of one joint over the source's frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct JointError {
    /// Metres.
    pub max_m: f64,
    /// Frame at which it stands.
    pub frame: usize,
    /// The largest product of an error and its weight, metres: what a target is held against.
    pub weighed_m: f64,
}

/// The largest local error of one joint's channels over the source's frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LocalError {
    /// Radians.
    pub rotation_rad: f64,
    /// Metres.
    pub translation_m: f64,
    /// Factor.
    pub scale: f64,
}

impl LocalError {
    /// The error of one channel, in radians, metres or as a factor.
    pub fn of(&self, channel: Channel) -> f64 {
        match channel {
            Channel::Rotation => self.rotation_rad,
            Channel::Translation => self.translation_m,
            Channel::Scale => self.scale,
        }
    }
}

/// Everything measured of one compressed clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// At the source's frames.
    pub frames: ErrorStats,
    /// At the source's own keys that do not lie on frames; all zero when there are none.
    pub key_times: ErrorStats,
    /// On the dense grid.
    pub dense: ErrorStats,
    /// At the source's frames.
    pub jitter: Jitter,
    /// One a joint.
    pub joints: Vec<JointError>,
    /// One a joint.
    pub locals: Vec<LocalError>,
    /// Where the clip ends and, in a loop, begins again; `None` for fewer than three frames.
    pub seam: Option<Seam>,
    /// One a contact of the source, in their order.
    pub slides: Vec<ContactSlide>,
    /// One a pair of the contacts, in their order.
    pub pairs: Vec<PairDrift>,
    /// Skin error in metres, `joints` entries a row, one row an instant of the dense grid.
    pub dense_rows_m: Vec<f32>,
    /// Instants of the dense grid for each frame.
    pub density: usize,
}

impl Measured {
    /// The larger of the weighed errors at frames and at source keys: the gate of what is played frame by frame.
    pub fn frame_gate_m(&self) -> f64 {
        let frames_m = self.frames.weighed.error_m;
        frames_m.max(self.key_times.weighed.error_m)
    }

    /// The largest weighed error of all three sets: the gate of what a player interpolates between keys.
    pub fn dense_gate_m(&self) -> f64 {
        self.frame_gate_m().max(self.dense.weighed.error_m)
    }

    /// Skin error of every joint at a dense instant, metres.
    pub fn row_m(&self, dense_index: usize) -> &[f32] {
        let joints = self.joints.len();
        let last = self.dense_rows_m.len() / joints - 1;
        &self.dense_rows_m[dense_index.min(last) * joints..][..joints]
    }
}

/// Displacements or places of a joint's three shell points, metres.
pub(super) type Shell = [DVec3; 3];

/// Measures a player against the clip it was made from, with the contacts that are found in the clip.
///
/// Cost: about `density * frames * joints * 200` ns of one core, spread over all.
pub fn measure<P: PoseSource + Clone + Send + Sync>(
    clip: &Clip,
    player: &P,
    options: &Options,
) -> Measured {
    measure_with(clip, player, &Contacts::find(clip, options.unit_m), options)
}

/// Like [`measure`], with contacts of the clip that are known or were set by a person.
pub fn measure_with<P: PoseSource + Clone + Send + Sync>(
    clip: &Clip,
    player: &P,
    contacts: &Contacts,
    options: &Options,
) -> Measured {
    let grid = clip.grid();
    let joints = clip.skeleton().len();
    let density = options.density.max(1);
    let instants = grid.last() * density + 1;
    let dense_secs = |k: usize| grid.secs(k as f64 / density as f64);
    let chunks: Vec<Chunk> = chunk_ranges(instants, density)
        .into_par_iter()
        .map(|range| Chunk::measure(clip, player, contacts, options, density, range))
        .collect();
    let dense_rows_m: Vec<f32> = chunks.iter().flat_map(|c| c.rows.iter().copied()).collect();
    let (mut soles, mut pairs) = (SoleErrors::default(), SoleErrors::default());
    for chunk in &chunks {
        soles.extend(&chunk.soles);
        pairs.extend(&chunk.pairs);
    }
    let rows = || dense_rows_m.chunks_exact(joints);
    let between = times_between_frames(clip);
    let key_rows = rows_at(clip, player, options, &between);
    let weights = &options.weights;
    let weight = |joint, secs| weights.between(joint, grid.frame(secs));
    let mut joint_errors = vec![JointError::default(); joints];
    for (frame, row) in rows().step_by(density).enumerate() {
        for (index, (joint, &e)) in joint_errors.iter_mut().zip(row).enumerate() {
            let weighed_m = f64::from(e) * weights.at(index, frame);
            joint.weighed_m = joint.weighed_m.max(weighed_m);
            if f64::from(e) > joint.max_m {
                (joint.max_m, joint.frame) = (f64::from(e), frame);
            }
        }
    }
    Measured {
        frames: ErrorStats::new(rows().step_by(density), |k| grid.secs(k as f64), weight),
        key_times: ErrorStats::new(key_rows.chunks_exact(joints), |k| between[k], weight),
        dense: ErrorStats::new(rows(), dense_secs, weight),
        jitter: jitter(&chunks, grid.last() * joints),
        joints: joint_errors,
        locals: merge_locals(&chunks, joints),
        seam: seam(clip, player.clone(), options),
        slides: slides(contacts, &soles, density, grid.rate_hz),
        pairs: drifts(&contacts.pairs, &pairs, density, grid.rate_hz),
        dense_rows_m,
        density,
    }
}

/// The largest weighed skin error, metres, over the dense grid and the source's own key times: what a search for
/// tolerances needs, at a fraction of the cost of [`measure`].
pub fn largest_error_m<P: PoseSource + Clone + Send + Sync>(
    clip: &Clip,
    player: &P,
    options: &Options,
) -> f64 {
    let grid = clip.grid();
    let density = options.density.max(1);
    let instants = (0..=grid.last() * density).map(|k| grid.secs(k as f64 / density as f64));
    let times: Vec<f64> = instants.chain(times_between_frames(clip)).collect();
    times
        .par_chunks(64 * density)
        .map(|part| {
            let mut probe = Probe::new(clip, player.clone(), options);
            part.iter()
                .map(|&t| probe.largest_at(t))
                .fold(0.0, f64::max)
        })
        .reduce(|| 0.0, f64::max)
}

/// Part of the dense grid, measured by one thread.
struct Chunk {
    rows: Vec<f32>,
    locals: Vec<LocalError>,
    speed_max: f64,
    speed_squares: f64,
    soles: SoleErrors,
    pairs: SoleErrors,
}

impl Chunk {
    fn measure<P: PoseSource + Clone>(
        clip: &Clip,
        player: &P,
        contacts: &Contacts,
        options: &Options,
        density: usize,
        range: std::ops::Range<usize>,
    ) -> Self {
        let mut probe = Probe::new(clip, player.clone(), options);
        let joints = clip.skeleton().len();
        let grid = clip.grid();
        let mut chunk = Self {
            rows: Vec::with_capacity(range.len() * joints),
            locals: vec![LocalError::default(); joints],
            speed_max: 0.0,
            speed_squares: 0.0,
            soles: SoleErrors::default(),
            pairs: SoleErrors::default(),
        };
        let mut before: Option<Vec<Shell>> = None;
        if range.start > 0 {
            // One frame of overlap, so that the speed across the border of two chunks is counted.
            probe.at(grid.secs((range.start / density - 1) as f64));
            before = Some(probe.shells.clone());
        }
        for k in range {
            probe.at(grid.secs(k as f64 / density as f64));
            chunk
                .rows
                .extend(probe.shells.iter().map(|s| largest(s) as f32));
            probe.add_sole_errors(contacts, &mut chunk.soles);
            probe.add_pair_errors(contacts, &mut chunk.pairs);
            if k % density == 0 {
                probe.add_soles(contacts, &mut chunk.soles);
                probe.add_pairs(contacts, &mut chunk.pairs);
                chunk.add_speed(before.as_deref(), &probe.shells, grid.rate_hz);
                before = Some(probe.shells.clone());
                chunk.add_locals(&probe, options.unit_m);
            }
        }
        chunk
    }

    fn add_speed(&mut self, before: Option<&[Shell]>, now: &[Shell], rate_hz: f64) {
        for (a, b) in before.into_iter().flatten().zip(now) {
            let speed = largest(&std::array::from_fn(|k| b[k] - a[k])) * rate_hz;
            self.speed_max = self.speed_max.max(speed);
            self.speed_squares += speed * speed;
        }
    }

    fn add_locals<P: PoseSource>(&mut self, probe: &Probe<P>, unit_m: f64) {
        for ((worst, a), b) in self
            .locals
            .iter_mut()
            .zip(&probe.source)
            .zip(&probe.player_pose)
        {
            worst.rotation_rad = worst
                .rotation_rad
                .max(rotation_angle(a.rotation, b.rotation));
            worst.translation_m = worst
                .translation_m
                .max((a.translation - b.translation).length() * unit_m);
            worst.scale = worst.scale.max((a.scale - b.scale).length());
        }
    }
}

/// Poses of source and player at one time, and the displacement between them.
pub(super) struct Probe<'a, P> {
    clip: &'a Clip,
    player: P,
    unit_m: f64,
    /// One a joint, source units.
    shell: Vec<f64>,
    weights: &'a Weights,
    source: Vec<Transform>,
    player_pose: Vec<Transform>,
    want: Vec<DAffine3>,
    got: Vec<DAffine3>,
    pub(super) shells: Vec<Shell>,
}

impl<'a, P: PoseSource> Probe<'a, P> {
    pub(super) fn new(clip: &'a Clip, player: P, options: &'a Options) -> Self {
        let joints = clip.skeleton().len();
        let shell_m = |j| options.weights.shell_m(j).unwrap_or(options.shell_m);
        Self {
            clip,
            player,
            unit_m: options.unit_m,
            shell: (0..joints).map(|j| shell_m(j) / options.unit_m).collect(),
            weights: &options.weights,
            source: vec![Transform::IDENTITY; joints],
            player_pose: vec![Transform::IDENTITY; joints],
            want: vec![DAffine3::IDENTITY; joints],
            got: vec![DAffine3::IDENTITY; joints],
            shells: vec![[DVec3::ZERO; 3]; joints],
        }
    }

    pub(super) fn at(&mut self, secs: f64) {
        let mut clip = self.clip;
        clip.pose(secs, &mut self.source);
        self.player.pose(secs, &mut self.player_pose);
        clip.skeleton().model_pose(&self.source, &mut self.want);
        clip.skeleton().model_pose(&self.player_pose, &mut self.got);
        let models = self.got.iter().zip(&self.want).zip(&self.shell);
        for (shell, ((got, want), distance)) in self.shells.iter_mut().zip(models) {
            let d = got.matrix3 - want.matrix3;
            let t = got.translation - want.translation;
            *shell = std::array::from_fn(|k| (d.col(k) * distance + t) * self.unit_m);
        }
    }
}

impl<P: PoseSource> Probe<'_, P> {
    /// Adds a row of compressed minus source places of the sole points; nothing where none ever stands.
    fn add_sole_errors(&self, contacts: &Contacts, soles: &mut SoleErrors) {
        let place = |model: &[DAffine3], point| place_m(model, point, self.unit_m);
        let error = |point| place(&self.got, point) - place(&self.want, point);
        soles.errors.extend(contacts.standing().map(error));
    }

    /// Adds a row of the source's places of the sole points.
    fn add_soles(&self, contacts: &Contacts, soles: &mut SoleErrors) {
        let place = |point| place_m(&self.want, point, self.unit_m);
        soles.source.extend(contacts.standing().map(place));
    }

    /// Adds a row of compressed minus source places of the pairs' points.
    fn add_pair_errors(&self, contacts: &Contacts, rows: &mut SoleErrors) {
        let error =
            |p: &Pair| p.place_m(&self.got, self.unit_m) - p.place_m(&self.want, self.unit_m);
        rows.errors.extend(contacts.pairs.iter().map(error));
    }

    /// Adds a row of the source's places of the pairs' points.
    fn add_pairs(&self, contacts: &Contacts, rows: &mut SoleErrors) {
        let place = |p: &Pair| p.place_m(&self.want, self.unit_m);
        rows.source.extend(contacts.pairs.iter().map(place));
    }

    /// Places of the source's shell points, metres.
    pub(super) fn source_shells(&self) -> Vec<Shell> {
        let places = |(m, distance): (&DAffine3, &f64)| {
            std::array::from_fn(|k| (m.matrix3.col(k) * distance + m.translation) * self.unit_m)
        };
        self.want.iter().zip(&self.shell).map(places).collect()
    }

    fn largest_at(&mut self, secs: f64) -> f64 {
        self.at(secs);
        let frame = self.clip.grid().frame(secs);
        let errors = self.shells.iter().map(largest).enumerate();
        errors
            .map(|(joint, e)| e * self.weights.between(joint, frame))
            .fold(0.0, f64::max)
    }
}

/// Length of the longest; infinite where one is not a number, so that no maximum passes it over.
pub(super) fn largest(shell: &Shell) -> f64 {
    let [a, b, c] = shell.map(DVec3::length_squared);
    if (a + b + c).is_nan() {
        return f64::INFINITY;
    }
    a.max(b).max(c).sqrt()
}

/// Cuts the dense grid at frames, some hundred instants a piece.
fn chunk_ranges(instants: usize, density: usize) -> Vec<std::ops::Range<usize>> {
    let step = 64 * density;
    (0..instants)
        .step_by(step)
        .map(|a| a..(a + step).min(instants))
        .collect()
}

/// The source's own key times that do not lie on its frames.
///
/// On a frame is what misses it by no more than the rounding of a 32-bit time: a source may jump right
/// after a frame, and whoever plays frame by frame is then wrong by the whole jump.
fn times_between_frames(clip: &Clip) -> Vec<f64> {
    let grid = clip.grid();
    let off = |t: &f64| {
        let nearest = grid.frame(*t).round().clamp(0.0, grid.last() as f64);
        (t - grid.secs(nearest)).abs() > 2e-7 * (1.0 + t.abs())
    };
    clip.key_times().into_iter().filter(off).collect()
}

fn rows_at<P: PoseSource + Clone + Send + Sync>(
    clip: &Clip,
    player: &P,
    options: &Options,
    times: &[f64],
) -> Vec<f32> {
    let parts: Vec<Vec<f32>> = times
        .par_chunks(256)
        .map(|part| {
            let mut probe = Probe::new(clip, player.clone(), options);
            part.iter()
                .flat_map(|&t| {
                    probe.at(t);
                    probe
                        .shells
                        .iter()
                        .map(|s| largest(s) as f32)
                        .collect::<Vec<_>>()
                })
                .collect()
        })
        .collect();
    parts.concat()
}

fn jitter(chunks: &[Chunk], samples: usize) -> Jitter {
    let squares: f64 = chunks.iter().map(|c| c.speed_squares).sum();
    Jitter {
        max_m_per_s: chunks.iter().map(|c| c.speed_max).fold(0.0, f64::max),
        rms_m_per_s: (squares / samples.max(1) as f64).sqrt(),
    }
}

fn merge_locals(chunks: &[Chunk], joints: usize) -> Vec<LocalError> {
    let mut all = vec![LocalError::default(); joints];
    for chunk in chunks {
        for (a, b) in all.iter_mut().zip(&chunk.locals) {
            a.rotation_rad = a.rotation_rad.max(b.rotation_rad);
            a.translation_m = a.translation_m.max(b.translation_m);
            a.scale = a.scale.max(b.scale);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_number_is_no_small_error() {
        assert_eq!(largest(&[DVec3::X, DVec3::Y * 2.0, DVec3::ZERO]), 2.0);
        for k in 0..3 {
            let mut shell = [DVec3::ONE; 3];
            shell[k].y = f64::NAN;
            assert_eq!(largest(&shell), f64::INFINITY);
        }
    }
}
