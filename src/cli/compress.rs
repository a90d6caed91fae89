use super::args::{CompressArgs, ExportArgs, Tuning};
use super::{Failure, open, report};
use crate::codec::{Budget, CodecError, Control, Deliverable, Encoder, Playback, Settings};
use crate::export::gltf::OtherAnimations;
use crate::model::Asset;
use crate::session::units::{show_bytes, show_mm};
use crate::session::{Destination, ExportError, ExportItem, ExportPlan, ExportReport, export};
use crate::storage;
use std::io::Write;
use std::path::Path;

/// The target when none is given, metres.
const DEFAULT_TARGET_M: f64 = 0.001;

/// Compresses one clip; writes nothing when the settings or the clip are wrong.
pub(super) fn run(args: &CompressArgs) -> Result<(), Failure> {
    let asset = open::source(&args.file, args.tuning.unit)?;
    let clip = open::clip_index(&asset, args.clip.as_deref())?;
    let settings = settings(&args.tuning, args.codec.into());
    let item = item(&asset, clip, &settings, args.tuning.unit)?;
    let plan = ExportPlan {
        destination: Destination::File(args.output.clone()),
        items: vec![item],
        others: OtherAnimations::Keep,
    };
    finish(&plan, args.report.as_deref())
}

/// Compresses all clips of a file.
pub(super) fn run_export(args: &ExportArgs) -> Result<(), Failure> {
    let asset = open::source(&args.file, args.tuning.unit)?;
    let settings = settings(&args.tuning, args.profile.into());
    let items = (0..asset.clips.len()).map(|k| item(&asset, k, &settings, args.tuning.unit));
    let items: Vec<ExportItem> = items.collect::<Result<_, _>>()?;
    let missed = items
        .iter()
        .find(|i| i.compressed.target_met == Some(false));
    if let (Some(missed), false) = (missed, args.force) {
        return Err(Failure::over_target(format!(
            "the clip {} cannot meet the target; nothing was written. Use a larger --target, or --force",
            missed.clip.name()
        )));
    }
    let plan = ExportPlan {
        destination: Destination::File(args.output.clone()),
        items,
        others: OtherAnimations::Keep,
    };
    finish(&plan, args.report.as_deref())
}

fn settings(tuning: &Tuning, deliverable: Deliverable) -> Settings {
    let mut settings = Settings {
        deliverable,
        basis: tuning.tangents.into(),
        refine: !tuning.no_refine,
        adaptive_margin: !tuning.no_margin,
        quaternion_bits: tuning.rotation_bits.into(),
        playback: if tuning.smooth {
            Playback::Smooth
        } else {
            Playback::Frames
        },
        looped: tuning.looped,
        shell_m: tuning.shell,
        ..Settings::default()
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
    unit_m: f64,
) -> Result<ExportItem, Failure> {
    let source = asset.clips[clip].clone();
    let mut encoder = Encoder::new(source.clone(), unit_m, asset.source_hash);
    let compressed = encoder
        .encode(settings, &Control::default())
        .map_err(|e| match e {
            CodecError::Settings(e) => Failure::usage(e.to_string()),
            e => Failure::unwritable(e),
        })?;
    Ok(ExportItem {
        source: asset.path.clone(),
        source_hash: asset.source_hash,
        animation_index: asset.animation_index[clip],
        clip: source,
        compressed,
        settings: settings.clone(),
        unit_m,
    })
}

fn finish(plan: &ExportPlan, report_path: Option<&Path>) -> Result<(), Failure> {
    let done = export(plan, &Control::default()).map_err(|e| match e {
        ExportError::Source(e) => Failure::unreadable(e),
        e => Failure::unwritable(e),
    })?;
    if let Some(path) = report_path {
        let text = json_report(plan, &done);
        storage::replace(path, text.as_bytes(), |_| Ok(())).map_err(Failure::unwritable)?;
    }
    print(plan, &done)?;
    over_target(plan, &done)
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
    let mut out = std::io::stdout().lock();
    for (item, clip) in plan
        .items
        .iter()
        .zip(done.files.iter().flat_map(|f| &f.clips))
    {
        let ratio = item.clip.raw_bytes() as f64 / clip.animation_bytes.max(1) as f64;
        write!(out, "{}", report::lines(&item.clip, &clip.measured))?;
        writeln!(
            out,
            "  animation      {} from {} of full frames, {ratio:.1} times smaller",
            show_bytes(clip.animation_bytes),
            show_bytes(item.clip.raw_bytes()),
        )?;
    }
    for file in &done.files {
        for note in &file.notes {
            eprintln!("note: {note}");
        }
        writeln!(
            out,
            "wrote {} ({})",
            file.path.display(),
            show_bytes(file.bytes)
        )?;
    }
    Ok(())
}

fn over_target(plan: &ExportPlan, done: &ExportReport) -> Result<(), Failure> {
    for (item, clip) in plan
        .items
        .iter()
        .zip(done.files.iter().flat_map(|f| &f.clips))
    {
        let Budget::Skin { target_m } = item.settings.budget else {
            continue;
        };
        if clip.gate_m > target_m {
            let worst = &item.clip.skeleton().joints()[clip.measured.frames.worst.joint].name;
            return Err(Failure::over_target(format!(
                "the clip {} was written, but misses the target of {}: {} at {worst}. \
                 Its storage is no finer; use a larger --target, or --codec universal",
                clip.name,
                show_mm(target_m),
                show_mm(clip.gate_m)
            )));
        }
    }
    Ok(())
}
