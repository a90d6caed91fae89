use super::args::{CodecArg, CompressArgs, EffortArg, ExportArgs, Tuning};
use super::byte_budget::{Fit, fitted_item};
use super::decided::{Decided, tuned};
use super::measure::must_pass;
use super::progress::watched;
use super::{Failure, compare, open, output, report, say};
use crate::codec::{
    CodecError, Compressed, Control, Deliverable, Encoder, Hold, Matter, Quality, Settings,
    StreamOrder,
};
use crate::export::gltf::OtherAnimations;
use crate::model::Asset;
use crate::session::bytes::{ratio_words, sum_words, than};
use crate::session::units::{Counted, SizeLimit, show_bytes};
use crate::session::{
    Destination, ExportError, ExportItem, ExportPlan, ExportReport, ExportedFile, Missed,
    OverTarget, export,
};
use crate::storage;
use std::path::Path;

/// Compresses one clip; writes nothing when the settings or the clip are wrong, or the target is missed.
pub(super) fn run(args: &CompressArgs) -> Result<(), Failure> {
    if args.codec == Some(CodecArg::All) {
        return compare::run(args);
    }
    let Some(out) = &args.output else {
        return Err(Failure::usage("name the file to write with --output"));
    };
    // What needs no file is looked at before any is read.
    if let Some(deliverable) = args.codec.and_then(CodecArg::deliverable) {
        must_apply(&args.tuning, deliverable)?;
        check_names(&args.file, out, args.report.as_deref(), deliverable)?;
    }
    let decided = Decided::tuned(&args.file, &args.decided, &args.tuning)?;
    let clip = open::clip_index(&decided.asset, args.clip.as_deref())?;
    let base = &decided.clip(clip).settings;
    let deliverable = args.codec.and_then(CodecArg::deliverable);
    let deliverable = deliverable.unwrap_or(base.deliverable);
    must_apply(&args.tuning, deliverable)?;
    check_names(&args.file, out, args.report.as_deref(), deliverable)?;
    let settings = tuned(base, &args.tuning, deliverable)?;
    levels_must_differ(&decided.asset, &settings)?;
    let (item, fit) = tuned_item(&decided, clip, &settings, &args.tuning)?;
    let plan = plan(out, vec![item], &args.tuning);
    finish(&plan, args.report.as_deref(), &[fit], &args.tuning)
}

/// Compresses all clips of a file, or those that are approved.
pub(super) fn run_export(args: &ExportArgs) -> Result<(), Failure> {
    if args.approved {
        return super::approved::run(args);
    }
    let deliverable = args.profile.map_or(Deliverable::Universal, Into::into);
    must_apply(&args.tuning, deliverable)?;
    check_names(
        &args.file,
        &args.output,
        args.report.as_deref(),
        deliverable,
    )?;
    let decided = Decided::tuned(&args.file, &args.decided, &args.tuning)?;
    let items = (0..decided.asset.clips.len()).map(|k| {
        let settings = tuned(&decided.clip(k).settings, &args.tuning, deliverable)?;
        tuned_item(&decided, k, &settings, &args.tuning)
    });
    let made: Vec<(ExportItem, Option<Fit>)> = items.collect::<Result<_, _>>()?;
    let (items, fits): (Vec<_>, Vec<_>) = made.into_iter().unzip();
    let plan = plan(&args.output, items, &args.tuning);
    finish(&plan, args.report.as_deref(), &fits, &args.tuning)
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
pub(super) fn must_apply(tuning: &Tuning, deliverable: Deliverable) -> Result<(), Failure> {
    use Deliverable::{Compact, Riot, Uniform, Universal};
    let max = tuning.effort == EffortArg::Max;
    let rules: [(&str, bool, &[Deliverable]); 8] = [
        ("--effort max", max, &[Compact]),
        ("--stake", tuning.stake.is_some(), &[Compact]),
        ("--tangents", tuning.tangents.is_some(), &[Riot]),
        ("--rotation-bits", tuning.rotation_bits.is_some(), &[Riot]),
        ("--no-refine", tuning.no_refine, &[Riot, Universal]),
        ("--smooth", tuning.smooth, &[Compact, Riot]),
        (
            "--additive",
            tuning.additive.is_some(),
            &[Compact, Uniform, Riot],
        ),
        (
            "--level",
            !tuning.levels.is_empty(),
            &[Compact, Uniform, Riot],
        ),
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
    let of_file = matches!(tuning.bytes, Some(SizeLimit::Bytes(b)) if b.counted == Counted::File);
    if of_file && deliverable == Universal {
        return Err(Failure::usage(
            "--bytes SIZE:file is for a .ppc: a .glb holds all else of its source too; leave out :file",
        ));
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

fn plan(output: &Path, items: Vec<ExportItem>, tuning: &Tuning) -> ExportPlan {
    ExportPlan {
        destination: Destination::File(output.to_owned()),
        items,
        others: OtherAnimations::Keep,
        over_target: match (tuning.force, tuning.strict) {
            (true, _) => OverTarget::Write,
            (false, true) => OverTarget::RefuseDoubts,
            (false, false) => OverTarget::Refuse,
        },
    }
}

/// Refuses levels of detail that change nothing, or leave nothing.
fn levels_must_differ(asset: &Asset, settings: &Settings) -> Result<(), Failure> {
    let counts = StreamOrder::new(&asset.skeleton, &settings.levels).counts;
    if counts.len() == settings.levels.len() + 1 {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "the {} given with --level come to {} below the full one: each must leave out joints that the one before has, and \
         some must be left; `posepress info --json` lists the names",
        settings.levels.len(),
        counts.len() - 1
    )))
}

/// A clip compressed as this run says, and how its target was found if it was looked for.
fn tuned_item(
    decided: &Decided,
    clip: usize,
    settings: &Settings,
    tuning: &Tuning,
) -> Result<(ExportItem, Option<Fit>), Failure> {
    let Some(limit) = tuning.bytes else {
        let item = item(decided, clip, settings, tuning.effort.into(), None)?;
        return Ok((item, None));
    };
    let limit = limit.limit(decided.asset.clips[clip].raw_bytes());
    let (item, fit) = fitted_item(decided, clip, settings, limit, tuning)?;
    Ok((item, Some(fit)))
}

/// A clip compressed as the settings say.
pub(super) fn item(
    decided: &Decided,
    clip: usize,
    settings: &Settings,
    quality: Quality,
    most_bytes: Option<usize>,
) -> Result<ExportItem, Failure> {
    let (asset, unit_m) = (&decided.asset, decided.unit_m);
    let source = asset.clips[clip].clone();
    let contacts = decided.held_contacts(clip, &settings.pairs)?;
    let mut encoder = Encoder::new(source.clone(), unit_m, asset.source_hash);
    encoder.set_contacts(&contacts);
    let control = Control::default();
    let encode = || encoder.encode_as(settings, quality, &control);
    let compressed = watched(source.name(), &control, encode).map_err(|e| match e {
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
        contacts,
        most_bytes,
        below: std::path::PathBuf::new(),
        clip: source,
        compressed,
        settings: settings.clone(),
        unit_m,
    })
}

/// Writes what was compressed; `fits` holds for each item how its target was found, where it was looked for.
pub(super) fn finish(
    plan: &ExportPlan,
    report_path: Option<&Path>,
    fits: &[Option<Fit>],
    tuning: &Tuning,
) -> Result<(), Failure> {
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
        let text = json_report(plan, &done, fits);
        storage::replace(path, text.as_bytes(), |_| Ok(())).map_err(|e| {
            let written: Vec<_> = done.files.iter().map(|f| f.path.display()).collect();
            let written = written.first().map(ToString::to_string).unwrap_or_default();
            Failure::unwritable(format!("{e} ({written} was written, its report was not)"))
        })?;
    }
    print(plan, &done, fits)?;
    over_target(plan, &done, fits, tuning)
}

fn json_report(plan: &ExportPlan, done: &ExportReport, fits: &[Option<Fit>]) -> String {
    let exported = done.files.iter();
    let exported = exported.flat_map(|f| f.clips.iter().map(move |c| (f.bytes, c)));
    let clips: Vec<serde_json::Value> = plan
        .items
        .iter()
        .zip(exported)
        .enumerate()
        .map(|(k, (item, (file_bytes, clip)))| {
            let mut value =
                report::measured(&item.clip, &clip.measured, &clip.curves, &clip.judgement);
            value["file_bytes"] = file_bytes.into();
            let made =
                report::compressed(&item.clip, &item.compressed, item.unit_m, &clip.measured);
            if let (Some(value), serde_json::Value::Object(made)) = (value.as_object_mut(), made) {
                value.extend(made);
                if let Some(Some(fit)) = fits.get(k) {
                    value.insert("byte_budget".into(), fit.json());
                }
            }
            value
        })
        .collect();
    report::whole(&clips)
}

fn print(plan: &ExportPlan, done: &ExportReport, fits: &[Option<Fit>]) -> Result<(), Failure> {
    let mut text = String::new();
    let clips = done.files.iter().flat_map(|f| &f.clips);
    for (k, (item, clip)) in plan.items.iter().zip(clips).enumerate() {
        text += &report::lines(&item.clip, &clip.measured, &clip.curves);
        text += &size_lines(item);
        if let Some(Some(fit)) = fits.get(k) {
            text += &fit.line();
        }
        text += &report::held_line(item.clip.skeleton(), &item.compressed.held);
        warn_of_translations(&item.compressed);
    }
    for file in &done.files {
        for note in &file.notes {
            say(&format!("note: {note}"));
        }
        let (path, size) = (file.path.display(), show_bytes(file.bytes));
        text += &format!("wrote {path} ({size}{})\n", beside_source(plan, file));
    }
    super::print(&text)
}

/// What a .glb is against the one that it was made from: it holds all else of that too.
fn beside_source(plan: &ExportPlan, file: &ExportedFile) -> String {
    let source = plan.items.first().map(|item| item.source.as_path());
    let is_glb = |path: &Path| {
        path.extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("glb"))
    };
    let source = source.filter(|source| is_glb(source) && is_glb(&file.path));
    let length = source.and_then(|source| std::fs::metadata(source).ok());
    length.map_or_else(String::new, |of| {
        format!(
            ", {}",
            than(file.bytes, of.len() as usize, "the source file")
        )
    })
}

fn warn_of_translations(compressed: &Compressed) {
    if compressed.held.iter().any(|h| h.by == Hold::Full) {
        say(
            "warning: a full stake moves joints by their translation, which some players ignore; --stake limb does without",
        );
    }
}

/// The animation, what it compares with, and the file that it is in.
fn size_lines(item: &ExportItem) -> String {
    let animation = item.compressed.animation_bytes();
    let source = item.clip.source_bytes();
    let ratio = ratio_words(animation, source, item.clip.raw_bytes());
    let text = format!("  animation      {}, {ratio}\n", show_bytes(animation));
    let file = item.compressed.file_parts();
    text + &file.map_or_else(String::new, |parts| {
        format!("  file           {}\n", sum_words(&parts))
    })
}

/// Says what is no pass. What misses the target was written where that was asked for; the exit code says so still.
fn over_target(
    plan: &ExportPlan,
    done: &ExportReport,
    fits: &[Option<Fit>],
    tuning: &Tuning,
) -> Result<(), Failure> {
    let missed = done.files.iter().flat_map(|f| &f.clips);
    let missed = missed.flat_map(|c| &c.missed);
    // Of bytes, what was looked for says more.
    let missed: Vec<&Missed> = missed.filter(|m| m.limit.of != Matter::Bytes).collect();
    let sizes = plan.items.iter().zip(fits).filter_map(|(item, fit)| {
        let fit = fit.as_ref().filter(|f| !f.is_met())?;
        Some(fit.missed(item.clip.name()))
    });
    let failed = must_pass(&missed, tuning.strict).err().map(|e| e.text);
    let failed: Vec<String> = failed.into_iter().chain(sizes).collect();
    if failed.is_empty() {
        return Ok(());
    }
    let why = if tuning.force {
        "because of --force"
    } else {
        "because it is approved"
    };
    Err(Failure::over_target(format!(
        "{}\nwritten all the same, {why}",
        failed.join("\n")
    )))
}
