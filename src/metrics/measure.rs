use super::body::{Body, BodyGauge, Displaced, ErrorMetric};
use super::contacts::{ContactSlide, Contacts, PairDrift, SoleErrors, drifts, slides};
use super::difference::Difference;
use super::probe::Probe;
use super::seam::{Seam, seam};
use super::statistics::{ErrorStats, Worst};
use super::weights::Weights;
use crate::math::{Channel, rotation_angle};
use crate::model::{Clip, PoseSource, UnreadMesh, VertexId, is_left_out};
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Arc;

/// How a clip is measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Metres of one unit of the source file.
    pub unit_m: f64,
    /// What errors are errors of.
    pub metric: ErrorMetric,
    /// Distance in the world of the shell around joints, metres.
    pub shell_m: f64,
    /// Names, or patterns of names, of meshes that do not count.
    pub left_out: Vec<String>,
    /// Instants of the dense set for each frame, at least 1.
    pub density: usize,
    /// What counts more than the rest against a target, and shells of single joints.
    pub weights: Weights,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            unit_m: 1.0,
            metric: ErrorMetric::default(),
            shell_m: 0.03,
            left_out: Vec::new(),
            density: 4,
            weights: Weights::default(),
        }
    }
}

/// How fast the error itself moves: an error that stays put is not seen, one that shakes is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Jitter {
    /// Largest change of a vertex's, or a counting shell point's, error from frame to frame, metres a second.
    pub max_m_per_s: f64,
    /// The joint that it hangs on, and the second of the frame to which it changes so much; `None` where nothing moves.
    pub at: Option<(usize, f64)>,
    /// Root of the mean square over joints, each with its largest, and frames, metres a second.
    pub rms_m_per_s: f64,
}

/// The largest error of what hangs on one joint over the source's frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct JointError {
    /// Metres.
    pub max_m: f64,
    /// Frame at which it stands.
    pub frame: usize,
    /// The largest product of an error and its weight, metres: what a target is held against.
    pub weighed_m: f64,
    /// Whether it is that of the joint's shell, not of a vertex.
    pub of_shell: bool,
}

impl JointError {
    /// `"skin error"`, or `"shell error"` where the joint's shell is farther off than the vertices that it moves.
    pub fn name(&self) -> &'static str {
        if self.of_shell {
            "shell error"
        } else {
            "skin error"
        }
    }
}

/// The largest local error of one joint's channels over the source's frames; translations in metres of the world, as
/// the source has the joint's parent.
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

/// Errors at the three sets of instants that are kept apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ErrorSets {
    /// At the source's frames.
    pub frames: ErrorStats,
    /// At the source's own keys that do not lie on frames; all zero when there are none.
    pub key_times: ErrorStats,
    /// On the dense grid.
    pub dense: ErrorStats,
}

/// What can be said of the skin.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum SkinError {
    /// Joints move no mesh, or none counts.
    #[default]
    None,
    /// Every vertex of every mesh that counts.
    Whole(ErrorSets),
    /// Some meshes could not be read: what is known of the others, and which those are.
    CannotSay(ErrorSets, Vec<UnreadMesh>),
}

impl SkinError {
    /// The figures of the vertices that are known.
    pub fn known(&self) -> Option<&ErrorSets> {
        match self {
            Self::None => None,
            Self::Whole(sets) | Self::CannotSay(sets, _) => Some(sets),
        }
    }
}

/// Everything measured of one compressed clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// What a target is held against, at the source's frames: vertices, and the shells of joints that count.
    pub frames: ErrorStats,
    /// Likewise at the source's own keys that do not lie on frames; all zero when there are none.
    pub key_times: ErrorStats,
    /// Likewise on the dense grid.
    pub dense: ErrorStats,
    /// What the target is held against.
    pub metric: ErrorMetric,
    /// Of vertices alone.
    pub skin: SkinError,
    /// Of vertices as if no morph target moved any: what a tool says that knows joints alone. `None` where none does.
    pub unmorphed: Option<ErrorSets>,
    /// Of the shells of all joints, whether they count or not.
    pub shell: ErrorSets,
    /// Of the shells that count against a target: those of joints that move no vertex, or have a shell of their own. `None`
    /// where none does.
    pub counting_shell: Option<ErrorSets>,
    /// The vertex that is displaced most at any frame; `None` where no vertex counts.
    pub worst_vertex: Option<WorstVertex>,
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
    /// Held error in metres, `joints` entries a row, one row an instant of the dense grid.
    pub dense_rows_m: Vec<f32>,
    /// Instants of the dense grid for each frame.
    pub density: usize,
}

/// The vertex that is displaced most, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorstVertex {
    /// Its numbers in the clip's skin.
    pub vertex: VertexId,
    /// The joint that moves it most.
    pub joint: usize,
    /// Seconds.
    pub secs: f64,
    /// Metres.
    pub error_m: f64,
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

    /// Held error of every joint at a dense instant, metres.
    pub fn row_m(&self, dense_index: usize) -> &[f32] {
        let joints = self.joints.len();
        let last = self.dense_rows_m.len() / joints - 1;
        &self.dense_rows_m[dense_index.min(last) * joints..][..joints]
    }
}

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
    let body = Arc::new(Body::new(clip, options));
    let instants = grid.last() * density + 1;
    let chunks: Vec<Chunk> = chunk_ranges(instants, density)
        .into_par_iter()
        .map(|range| Chunk::measure(clip, player, contacts, (options, &body), density, range))
        .collect();
    let mut rows = Rows::default();
    let (mut soles, mut pairs) = (SoleErrors::default(), SoleErrors::default());
    for chunk in &chunks {
        rows.append(&chunk.rows);
        soles.extend(&chunk.soles);
        pairs.extend(&chunk.pairs);
    }
    let between = times_between_frames(clip);
    let key_rows = rows_at(clip, player, (options, &body), &between);
    let weights = &options.weights;
    let mut joint_errors = vec![JointError::default(); joints];
    let skins = rows.skin.chunks_exact(joints).step_by(density);
    let frames = rows.held.chunks_exact(joints).step_by(density).zip(skins);
    for (frame, (row, skin)) in frames.enumerate() {
        for (index, (joint, &e)) in joint_errors.iter_mut().zip(row).enumerate() {
            let weighed_m = f64::from(e) * weights.at(index, frame);
            joint.weighed_m = joint.weighed_m.max(weighed_m);
            if f64::from(e) > joint.max_m {
                (joint.max_m, joint.frame) = (f64::from(e), frame);
                joint.of_shell = e > skin[index];
            }
        }
    }
    let sets = |dense: &[f32], keys: &[f32]| {
        let weight = |joint, secs| weights.between(joint, grid.frame(secs));
        let dense_secs = |k: usize| grid.secs(k as f64 / density as f64);
        let rows = || dense.chunks_exact(joints);
        ErrorSets {
            frames: ErrorStats::new(rows().step_by(density), |k| grid.secs(k as f64), weight),
            key_times: ErrorStats::new(keys.chunks_exact(joints), |k| between[k], weight),
            dense: ErrorStats::new(rows(), dense_secs, weight),
        }
    };
    let (has_skin, has_morphs) = (body.has_skin(), body.has_morphs());
    let counts_shells = body.counts_shells();
    let ((held, counting), (skin, unmorphed, shell)) = rayon::join(
        || {
            let counting = counts_shells.then(|| sets(&rows.counting, &key_rows.counting));
            (sets(&rows.held, &key_rows.held), counting)
        },
        || {
            let skin = has_skin.then(|| sets(&rows.skin, &key_rows.skin));
            let unmorphed = has_morphs.then(|| sets(&rows.unmorphed, &key_rows.unmorphed));
            (skin, unmorphed, sets(&rows.shell, &key_rows.shell))
        },
    );
    Measured {
        frames: held.frames,
        key_times: held.key_times,
        dense: held.dense,
        metric: options.metric,
        worst_vertex: skin.and_then(|s| worst_vertex(clip, player, (options, &body), &s.frames)),
        skin: skin_error(clip, options, skin),
        unmorphed,
        shell,
        counting_shell: counting,
        jitter: jitter(&chunks, grid.last() * joints),
        joints: joint_errors,
        locals: merge_locals(&chunks, joints),
        seam: seam(clip, player.clone(), options, &body),
        slides: slides(contacts, &soles, density, grid.rate_hz),
        pairs: drifts(&contacts.pairs, &pairs, density, grid.rate_hz),
        dense_rows_m: rows.held,
        density,
    }
}

fn skin_error(clip: &Clip, options: &Options, known: Option<ErrorSets>) -> SkinError {
    if options.metric == ErrorMetric::Shell {
        return SkinError::None;
    }
    let unread = clip.skin().unread.iter();
    let unread = unread.filter(|u| !is_left_out(&options.left_out, &u.name));
    let unread: Vec<UnreadMesh> = unread.cloned().collect();
    match (known, unread.is_empty()) {
        (None, true) => SkinError::None,
        (Some(sets), true) => SkinError::Whole(sets),
        (sets, false) => SkinError::CannotSay(sets.unwrap_or_default(), unread),
    }
}

/// Looks for the vertex again whose joint and time are known.
fn worst_vertex<P: PoseSource + Clone>(
    clip: &Clip,
    player: &P,
    measuring: (&Options, &Arc<Body>),
    frames: &ErrorStats,
) -> Option<WorstVertex> {
    let Worst {
        joint,
        secs,
        error_m,
    } = frames.worst;
    let mut probe = Probe::new(clip, player.clone(), measuring.0, measuring.1);
    probe.at(secs);
    let vertex = probe.displaced().nth(joint)?.vertex?;
    Some(WorstVertex {
        vertex,
        joint,
        secs,
        error_m,
    })
}

/// The largest weighed held error, metres, over the dense grid and the source's own key times: what a search for
/// tolerances needs, at a fraction of the cost of [`measure`].
pub fn largest_error_m<P: PoseSource + Clone + Send + Sync>(
    clip: &Clip,
    player: &P,
    options: &Options,
) -> f64 {
    let grid = clip.grid();
    let body = Arc::new(Body::new(clip, options));
    let density = options.density.max(1);
    let instants = (0..=grid.last() * density).map(|k| grid.secs(k as f64 / density as f64));
    let times: Vec<f64> = instants.chain(times_between_frames(clip)).collect();
    times
        .par_chunks(64 * density)
        .map(|part| {
            let mut probe = Probe::new(clip, player.clone(), options, &body);
            part.iter()
                .map(|&t| probe.largest_at(t))
                .fold(0.0, f64::max)
        })
        .reduce(|| 0.0, f64::max)
}

/// Errors in metres, one a joint, one row an instant.
#[derive(Default)]
struct Rows {
    held: Vec<f32>,
    skin: Vec<f32>,
    unmorphed: Vec<f32>,
    shell: Vec<f32>,
    counting: Vec<f32>,
}

impl Rows {
    fn append(&mut self, other: &Self) {
        self.held.extend_from_slice(&other.held);
        self.skin.extend_from_slice(&other.skin);
        self.unmorphed.extend_from_slice(&other.unmorphed);
        self.shell.extend_from_slice(&other.shell);
        self.counting.extend_from_slice(&other.counting);
    }

    fn push(&mut self, displaced: impl Iterator<Item = Displaced>) {
        for d in displaced {
            self.held.push(d.held_m);
            self.skin.push(d.skin_m);
            self.unmorphed.push(d.unmorphed_m);
            self.shell.push(d.shell_m);
            self.counting.push(d.counting_m);
        }
    }
}

/// Part of the dense grid, measured by one thread.
struct Chunk {
    rows: Rows,
    locals: Vec<LocalError>,
    speed_max: f64,
    speed_at: Option<(usize, f64)>,
    speed_squares: f64,
    soles: SoleErrors,
    pairs: SoleErrors,
}

impl Chunk {
    fn measure<P: PoseSource + Clone>(
        clip: &Clip,
        player: &P,
        contacts: &Contacts,
        (options, body): (&Options, &Arc<Body>),
        density: usize,
        range: std::ops::Range<usize>,
    ) -> Self {
        let mut probe = Probe::new(clip, player.clone(), options, body);
        let grid = clip.grid();
        let mut chunk = Self {
            rows: Rows::default(),
            locals: vec![LocalError::default(); clip.skeleton().len()],
            speed_max: 0.0,
            speed_at: None,
            speed_squares: 0.0,
            soles: SoleErrors::default(),
            pairs: SoleErrors::default(),
        };
        // How errors change is another motion: what was worst in one is not in the other.
        let mut change = body.gauge();
        let mut before: Option<Difference> = None;
        if range.start > 0 {
            // One frame of overlap, so that the speed across the border of two chunks is counted.
            probe.at(grid.secs((range.start / density - 1) as f64));
            before = Some(probe.difference.clone());
        }
        for k in range {
            probe.at(grid.secs(k as f64 / density as f64));
            chunk.rows.push(probe.displaced());
            probe.add_sole_errors(contacts, &mut chunk.soles);
            probe.add_pair_errors(contacts, &mut chunk.pairs);
            if k % density == 0 {
                probe.add_soles(contacts, &mut chunk.soles);
                probe.add_pairs(contacts, &mut chunk.pairs);
                if let Some(before) = &before {
                    let secs = grid.secs(k as f64 / density as f64);
                    let between = &probe.difference - before;
                    chunk.add_speed(&mut change, &between, secs, grid.rate_hz);
                }
                before = Some(probe.difference.clone());
                chunk.add_locals(&probe, options.unit_m);
            }
        }
        chunk
    }

    fn add_speed(&mut self, change: &mut BodyGauge, between: &Difference, secs: f64, rate_hz: f64) {
        for (joint, displaced) in change.measure(between).enumerate() {
            let speed = f64::from(displaced.held_m) * rate_hz;
            if speed > self.speed_max {
                self.speed_max = speed;
                self.speed_at = Some((joint, secs));
            }
            self.speed_squares += speed * speed;
        }
    }

    fn add_locals<P: PoseSource>(&mut self, probe: &Probe<P>, unit_m: f64) {
        let poses = probe.want.local.iter().zip(&probe.got.local);
        let joints = probe.clip.skeleton().joints();
        for (j, (worst, (a, b))) in self.locals.iter_mut().zip(poses).enumerate() {
            let moved = a.translation - b.translation;
            let moved = joints[j]
                .parent
                .map_or(moved, |p| probe.want.model[p].matrix3 * moved);
            worst.rotation_rad = worst
                .rotation_rad
                .max(rotation_angle(a.rotation, b.rotation));
            worst.translation_m = worst.translation_m.max(moved.length() * unit_m);
            worst.scale = worst.scale.max((a.scale - b.scale).length());
        }
    }
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
    (options, body): (&Options, &Arc<Body>),
    times: &[f64],
) -> Rows {
    let parts: Vec<Rows> = times
        .par_chunks(256)
        .map(|part| {
            let mut probe = Probe::new(clip, player.clone(), options, body);
            let mut rows = Rows::default();
            for &t in part {
                probe.at(t);
                rows.push(probe.displaced());
            }
            rows
        })
        .collect();
    let mut all = Rows::default();
    for part in &parts {
        all.append(part);
    }
    all
}

fn jitter(chunks: &[Chunk], samples: usize) -> Jitter {
    let squares: f64 = chunks.iter().map(|c| c.speed_squares).sum();
    let fastest = chunks.iter().fold((0.0, None), |most, c| {
        if c.speed_max > most.0 {
            (c.speed_max, c.speed_at)
        } else {
            most
        }
    });
    Jitter {
        max_m_per_s: fastest.0,
        at: fastest.1,
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
