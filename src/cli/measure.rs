use super::args::MeasureArgs;
use super::decided::{Decided, limit, measured_by};
use super::{Failure, open, report, say};
use crate::codec::{Budget, Deliverable, Judgement, Playback, Player, Settings};
use crate::metrics::{self, CurveError, Measured, Options};
use crate::model::{Asset, Clip, PoseSource, Skeleton};
use crate::session::{ClipEdits, Missed, Renumbered};
use std::sync::Arc;

/// Instants that are measured for each frame.
const DENSITY: usize = 4;

/// A clip of the source and what was measured against it.
struct Pair {
    clip: Arc<Clip>,
    measured: Measured,
    curves: Vec<CurveError>,
    judgement: Judgement,
    missed: Vec<Missed>,
}

impl Pair {
    /// Measures a player; `deliverable` and `playback` say what it is.
    fn measure<P: PoseSource + Clone + Send + Sync>(
        decided: &Decided,
        index: usize,
        player: &P,
        (deliverable, playback): (Deliverable, Playback),
        unit_m: f64,
        args: &MeasureArgs,
    ) -> Result<Self, Failure> {
        let clip = decided.asset.clips[index].clone();
        let options = options(args, decided.clip(index), clip.skeleton(), unit_m);
        let contacts = decided.held_contacts(index, &args.pairs)?;
        let measured = metrics::measure_with(&clip, player, &contacts, &options);
        let mut settings = Settings {
            deliverable,
            playback,
            ..asked(decided, index, args)
        };
        measured_by(&mut settings, &args.measuring);
        limit(&mut settings, args.slide, args.seam, args.jitter);
        // How large the animation is in another file nobody knows, and nobody asks.
        let judgement = Judgement::of(&settings, &clip, &contacts, &measured, None);
        let missed = Missed::all(&judgement, &clip, &settings, &measured);
        Ok(Self {
            curves: metrics::curve_errors(&clip, &mut player.clone()),
            clip,
            measured,
            judgement,
            missed,
        })
    }
}

/// What is asked of a clip: what was decided about it. Where nothing was, nobody asks anything of its skin.
fn asked(decided: &Decided, index: usize, args: &MeasureArgs) -> Settings {
    let mut settings = decided.clip(index).settings.clone();
    if !decided.found {
        settings.budget = Budget::Tolerances;
    }
    if !args.pairs.is_empty() {
        settings.pairs.clone_from(&args.pairs);
    }
    settings
}

/// Measures a compressed file against its source, clip by clip where it holds several.
pub(super) fn run(args: &MeasureArgs) -> Result<(), Failure> {
    let pairs = if open::is_container(&args.compressed) {
        vec![against_container(args)?]
    } else {
        against_gltf(args)?
    };
    print(&pairs, args.json)?;
    let missed: Vec<&Missed> = pairs.iter().flat_map(|p| &p.missed).collect();
    must_pass(&missed, args.strict)
}

/// Says what is no pass, and fails for what was asked for.
pub(super) fn must_pass(missed: &[&Missed], strict: bool) -> Result<(), Failure> {
    let (failed, said): (Vec<&Missed>, Vec<&Missed>) =
        (missed.iter()).partition(|m| strict || m.limit.is_missed());
    for missed in said {
        say(&format!("warning: {missed}"));
    }
    if failed.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = failed.iter().map(ToString::to_string).collect();
    Err(Failure::over_target(lines.join("\n")))
}

fn options(args: &MeasureArgs, edits: &ClipEdits, skeleton: &Skeleton, unit_m: f64) -> Options {
    let mut settings = Settings {
        metric: edits.settings.metric,
        shell_m: edits.settings.shell_m,
        left_out: edits.settings.left_out.clone(),
        ..Settings::default()
    };
    measured_by(&mut settings, &args.measuring);
    settings.measuring(skeleton, unit_m, DENSITY)
}

fn against_container(args: &MeasureArgs) -> Result<Pair, Failure> {
    let player = open::container(&args.compressed)?;
    let Player::Container { view, .. } = &player else {
        return Err(Failure::unreadable("not a container"));
    };
    let info = view.info();
    let unit_m = args.unit.unwrap_or(info.unit_m);
    let decided = Decided::open(&args.source, &args.decided, Some(unit_m), &args.measuring)?;
    let source = &decided.asset;
    let index = match args.clip.as_deref() {
        Some(wanted) => open::clip_index(source, Some(wanted))?,
        None => open::clip_named(source, &info.name).ok_or_else(|| {
            Failure::usage(format!(
                "{} was made from the clip '{}', which {} does not have; name another with --clip",
                args.compressed.display(),
                info.name,
                args.source.display()
            ))
        })?,
    };
    let clip = source.clips[index].clone();
    same_joints(clip.skeleton(), info.joints, args)?;
    if clip.skeleton().hash() != info.skeleton_hash {
        other_skeleton(args);
    }
    let deliverable = if view.stores_frames() {
        Deliverable::Uniform
    } else {
        Deliverable::Compact
    };
    let playback = if info.smooth {
        Playback::Smooth
    } else {
        Playback::Frames
    };
    Pair::measure(
        &decided,
        index,
        &player,
        (deliverable, playback),
        unit_m,
        args,
    )
}

fn against_gltf(args: &MeasureArgs) -> Result<Vec<Pair>, Failure> {
    let decided = Decided::open(&args.source, &args.decided, args.unit, &args.measuring)?;
    let source = &decided.asset;
    // Its unit is the source's, about which all is said by now.
    let compressed = open::source(&args.compressed, Some(decided.unit_m))?;
    let pairs = pairs(source, &compressed, args.clip.as_deref())?;
    if pairs.is_empty() {
        return Err(Failure::usage(
            "the two files have no clip of the same name; give --clip and a file with one clip",
        ));
    }
    if let Some(measured) = by_nodes(&pairs, &decided, args)? {
        return Ok(measured);
    }
    same_joints(&source.skeleton, compressed.skeleton.len(), args)?;
    other_skeleton(args);
    let measured = pairs.iter().map(|(k, found)| {
        let player = Renumbered::in_order(found, &source.clips[*k]);
        keyframes(&decided, *k, &player, args)
    });
    measured.collect()
}

/// A clip of the source, and what it is measured against.
type Match = (usize, Arc<Clip>);

/// Players of glTF interpolate keys.
fn keyframes(
    decided: &Decided,
    index: usize,
    player: &Renumbered,
    args: &MeasureArgs,
) -> Result<Pair, Failure> {
    let what = (Deliverable::Universal, Playback::Smooth);
    Pair::measure(decided, index, player, what, decided.unit_m, args)
}

/// Where both files have the same nodes.
fn by_nodes(
    pairs: &[Match],
    decided: &Decided,
    args: &MeasureArgs,
) -> Result<Option<Vec<Pair>>, Failure> {
    let mut all = Vec::new();
    for (k, found) in pairs {
        let Some(player) = Renumbered::new(found, &decided.asset.clips[*k]) else {
            return Ok(None);
        };
        all.push(keyframes(decided, *k, &player, args)?);
    }
    Ok(Some(all))
}

/// Clips of the same name, or the wanted one and the only one.
fn pairs(source: &Asset, compressed: &Asset, wanted: Option<&str>) -> Result<Vec<Match>, Failure> {
    let found = |index: usize| {
        let found = open::clip_named(compressed, source.clips[index].name())?;
        Some((index, compressed.clips[found].clone()))
    };
    let Some(wanted) = wanted else {
        return Ok((0..source.clips.len()).filter_map(found).collect());
    };
    let index = open::clip_index(source, Some(wanted))?;
    let only = match compressed.clips.as_slice() {
        [only] => Some((index, only.clone())),
        _ => None,
    };
    Ok(found(index).or(only).into_iter().collect())
}

fn same_joints(skeleton: &Skeleton, joints: usize, args: &MeasureArgs) -> Result<(), Failure> {
    if skeleton.len() == joints {
        return Ok(());
    }
    Err(Failure::unreadable(format!(
        "{} has {joints} joints, but {} has {}; measure it against the file it was made from",
        args.compressed.display(),
        args.source.display(),
        skeleton.len()
    )))
}

fn other_skeleton(args: &MeasureArgs) {
    say(&format!(
        "warning: {} was made from another skeleton than that of {}; the joints are compared in their order",
        args.compressed.display(),
        args.source.display()
    ));
}

fn print(pairs: &[Pair], json: bool) -> Result<(), Failure> {
    let clips = pairs.iter();
    if json {
        let clips = clips.map(|p| report::measured(&p.clip, &p.measured, &p.curves, &p.judgement));
        return super::print(&report::whole(&clips.collect::<Vec<_>>()));
    }
    let lines = clips.map(|p| report::lines(&p.clip, &p.measured, &p.curves));
    super::print(&lines.collect::<String>())
}
