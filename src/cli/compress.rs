use super::args::{CompressArgs, EffortArg, ExportArgs, Tuning};
use super::{Failure, compare, open, output, report, say};
use crate::codec::{
    Budget, CodecError, Compressed, Control, Deliverable, Encoder, Hold, Playback, Settings,
};
use crate::export::gltf::OtherAnimations;
use crate::model::Asset;
use crate::session::units::show_bytes;
use crate::session::{
    Destination, ExportError, ExportItem, ExportPlan, ExportReport, OverTarget, export,
};
use crate::storage;
use std::path::Path;
use std::sync::Arc;

/// The target when none is given, metres.
const DEFAULT_TARGET_M: f64 = 0.001;

/// Compresses one clip; writes nothing when the settings or the clip are wrong, or the target is missed.
pub(super) fn run(args: &CompressArgs) -> Result<(), Failure> {
    let Some(deliverable) = args.codec.deliverable() else {
        return compare::run(args);
    };
    let Some(out) = &args.output else {
        return Err(Failure::usage("name the file to write with --output"));
    };
    must_apply(&args.tuning, deliverable)?;
    check_names(&args.file, out, args.report.as_deref(), deliverable)?;
    let asset = open::source(&args.file, args.tuning.unit)?;
    let clip = open::clip_index(&asset, args.clip.as_deref())?;
    let settings = settings(&args.tuning, deliverable);
    let items = vec![item(&asset, clip, &settings, &args.tuning)?];
    let plan = plan(out, items, &args.tuning);
    finish(&plan, args.report.as_deref())
}

/// Compresses all clips of a file.
pub(super) fn run_export(args: &ExportArgs) -> Result<(), Failure> {
    let deliverable = args.profile.into();
    must_apply(&args.tuning, deliverable)?;
    check_names(
        &args.file,
        &args.output,
        args.report.as_deref(),
        deliverable,
    )?;
    let asset = open::source(&args.file, args.tuning.unit)?;
    let settings = settings(&args.tuning, deliverable);
    let items = (0..asset.clips.len()).map(|k| item(&asset, k, &settings, &args.tuning));
    let plan = plan(&args.output, items.collect::<Result<_, _>>()?, &args.tuning);
    finish(&plan, args.report.as_deref())
}

fn check_names(
    source: &Path,
    output: &Path,
    report: Option<&Path>,
    deliverable: Deliverable,
) -> Result<(), Failure> {
    output::must_differ(&[
        ("the source", Some(source)),
        ("the output", Some(output)),
        ("the report", report),
    ])?;
    output::must_suit(output, deliverable.name(), deliverable.extension())?;
    report.map_or(Ok(()), |report| {
        output::must_suit(report, "the report", "json")
    })
}

/// Refuses switches that would do nothing: whoever gives one expects something of it.
fn must_apply(tuning: &Tuning, deliverable: Deliverable) -> Result<(), Failure> {
    use Deliverable::{Compact, Riot, Universal};
    let max = tuning.effort == EffortArg::Max;
    let rules: [(&str, bool, &[Deliverable]); 6] = [
        ("--effort max", max, &[Compact]),
        ("--stake", tuning.stake.is_some(), &[Compact]),
        ("--tangents", tuning.tangents.is_some(), &[Riot]),
        ("--rotation-bits", tuning.rotation_bits.is_some(), &[Riot]),
        ("--no-refine", tuning.no_refine, &[Riot, Universal]),
        ("--smooth", tuning.smooth, &[Compact, Riot]),
    ];
    for (switch, given, codecs) in rules {
        if given && !codecs.contains(&deliverable) {
            let names: Vec<&str> = codecs.iter().map(|d| d.name()).collect();
            return Err(Failure::usage(format!(
                "{switch} does nothing in {}; it is for --codec {}",
                deliverable.name(),
                names.join(" or ")
            )));
        }
    }
    let tolerances = [tuning.rot_tol, tuning.pos_tol, tuning.scale_tol];
    if tuning.no_margin && deliverable == Compact && tolerances.iter().all(Option::is_none) {
        return Err(Failure::usage(
            "--no-margin does nothing in compact with a skin target, which follows the errors down the chain; \
             leave it out, or give tolerances",
        ));
    }
    Ok(())
}

pub(super) fn unit_m(tuning: &Tuning) -> f64 {
    tuning.unit.unwrap_or(1.0)
}

fn plan(output: &Path, items: Vec<ExportItem>, tuning: &Tuning) -> ExportPlan {
    ExportPlan {
        destination: Destination::File(output.to_owned()),
        items,
        others: OtherAnimations::Keep,
        over_target: if tuning.force {
            OverTarget::Write
        } else {
            OverTarget::Refuse
        },
    }
}

pub(super) fn settings(tuning: &Tuning, deliverable: Deliverable) -> Settings {
    let defaults = Settings::default();
    let mut settings = Settings {
        deliverable,
        basis: tuning.tangents.map_or(defaults.basis, Into::into),
        refine: !tuning.no_refine,
        adaptive_margin: !tuning.no_margin,
        quaternion_bits: tuning
            .rotation_bits
            .map_or(defaults.quaternion_bits, Into::into),
        playback: if tuning.smooth {
            Playback::Smooth
        } else {
            Playback::Frames
        },
        looped: tuning.looped,
        slide_target_m: tuning.slide,
        hold: tuning.stake.map_or(defaults.hold, Into::into),
        pairs: tuning.pairs.clone(),
        shell_m: tuning.shell,
        ..defaults
    };
    let given = [tuning.rot_tol, tuning.pos_tol, tuning.scale_tol];
    if given.iter().any(Option::is_some) {
        settings.budget = Budget::Tolerances;
        settings.tolerances.rotation_rad =
            tuning.rot_tol.unwrap_or(settings.tolerances.rotation_rad);
        settings.tolerances.translation_m =
            tuning.pos_tol.unwrap_or(settings.tolerances.translation_m);
        settings.tolerances.scale = tuning.scale_tol.unwrap_or(settings.tolerances.scale);
    } else {
        settings.budget = Budget::Skin {
            target_m: tuning.target.unwrap_or(DEFAULT_TARGET_M),
        };
    }
    settings
}

fn item(
    asset: &Asset,
    clip: usize,
    settings: &Settings,
    tuning: &Tuning,
) -> Result<ExportItem, Failure> {
    let unit_m = unit_m(tuning);
    let source = asset.clips[clip].clone();
    let contacts = super::contacts::with_pairs(&source, &settings.pairs, unit_m)?;
    let mut encoder = Encoder::new(source.clone(), unit_m, asset.source_hash);
    let compressed = encoder
        .encode_as(settings, tuning.effort.into(), &Control::default())
        .map_err(|e| match e {
            CodecError::Settings(e) => Failure::usage(e.to_string()),
            // Something in the clip is beyond what the format holds.
            e => Failure::unreadable(format!(
                "{}: clip {}: {e}",
                asset.path.display(),
                source.name()
            )),
        })?;
    Ok(ExportItem {
        source: asset.path.clone(),
        source_hash: asset.source_hash,
        animation_index: asset.animation_index[clip],
        contacts: Arc::new(contacts),
        slide_limit_m: tuning.slide,
        clip: source,
        compressed,
        settings: settings.clone(),
        unit_m,
    })
}

fn finish(plan: &ExportPlan, report_path: Option<&Path>) -> Result<(), Failure> {
    let done = export(plan, &Control::default()).map_err(|e| match e {
        ExportError::Source(_) | ExportError::SourceChanged(_) => Failure::unreadable(e),
        // What is wrong is in the source, or in what can be done with it.
        ExportError::Gltf(e) => {
            let source = plan.items.first().map(|i| i.source.display().to_string());
            Failure::unreadable(format!("{}: {e}", source.unwrap_or_default()))
        }
        ExportError::OverTarget(..) => Failure::over_target(format!(
            "{e}; --force writes it all the same, --target and --slide set others"
        )),
        e => Failure::unwritable(e),
    })?;
    if let Some(path) = report_path {
        let text = json_report(plan, &done);
        storage::replace(path, text.as_bytes(), |_| Ok(())).map_err(|e| {
            let written: Vec<_> = done.files.iter().map(|f| f.path.display()).collect();
            let written = written.first().map(ToString::to_string).unwrap_or_default();
            Failure::unwritable(format!("{e} ({written} was written, its report was not)"))
        })?;
    }
    print(plan, &done)?;
    over_target(&done)
}

fn json_report(plan: &ExportPlan, done: &ExportReport) -> String {
    let exported = done.files.iter().flat_map(|f| &f.clips);
    let clips: Vec<serde_json::Value> = plan
        .items
        .iter()
        .zip(exported)
        .map(|(item, clip)| {
            let mut value = report::measured(&item.clip, &clip.measured);
            let made =
                report::compressed(&item.clip, &item.compressed, item.unit_m, &clip.measured);
            if let (Some(value), serde_json::Value::Object(made)) = (value.as_object_mut(), made) {
                value.extend(made);
            }
            value
        })
        .collect();
    report::whole(&clips)
}

fn print(plan: &ExportPlan, done: &ExportReport) -> Result<(), Failure> {
    let mut text = String::new();
    let clips = done.files.iter().flat_map(|f| &f.clips);
    for (item, clip) in plan.items.iter().zip(clips) {
        text += &report::lines(&item.clip, &clip.measured);
        text += &size_line(item.clip.raw_bytes(), clip.animation_bytes);
        text += &report::held_line(item.clip.skeleton(), &item.compressed.held);
        warn_of_translations(&item.compressed);
    }
    for file in &done.files {
        for note in &file.notes {
            say(&format!("note: {note}"));
        }
        let (path, size) = (file.path.display(), show_bytes(file.bytes));
        text += &format!("wrote {path} ({size})\n");
    }
    super::print(&text)
}

fn warn_of_translations(compressed: &Compressed) {
    if compressed.held.iter().any(|h| h.by == Hold::Full) {
        say(
            "warning: a full stake moves joints by their translation, which some players ignore; --stake limb does without",
        );
    }
}

fn size_line(raw: usize, animation: usize) -> String {
    let (from, bytes) = (show_bytes(raw), show_bytes(animation));
    if animation == 0 {
        return format!("  animation      {bytes} from {from} of full frames: all joints rest\n");
    }
    let ratio = raw as f64 / animation as f64;
    format!("  animation      {bytes} from {from} of full frames, {ratio:.1} times smaller\n")
}

/// With `--force` what misses the target was written; the exit code says so still.
fn over_target(done: &ExportReport) -> Result<(), Failure> {
    let missed = done.files.iter().flat_map(|f| &f.clips);
    let missed: Vec<String> = missed
        .flat_map(|c| &c.missed)
        .map(ToString::to_string)
        .collect();
    if missed.is_empty() {
        return Ok(());
    }
    Err(Failure::over_target(format!(
        "{}\nwritten all the same, because of --force",
        missed.join("\n")
    )))
}
