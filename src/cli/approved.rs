use super::args::{EffortArg, ExportArgs};
use super::check::judge;
use super::compress::{finish, must_apply};
use super::decided::{Decided, tuned};
use super::{Failure, output};
use crate::codec::Deliverable;
use crate::export::gltf::OtherAnimations;
use crate::session::{Changed, Destination, ExportItem, ExportPlan, OverTarget, Verdict};
use std::path::Path;

/// Exports what is approved, each clip as the very bytes that were; nothing when one of them is another now.
pub(super) fn run(args: &ExportArgs) -> Result<(), Failure> {
    if args.tuning.effort == EffortArg::Max {
        return Err(Failure::usage(
            "what is approved was made at full effort; leave out --effort",
        ));
    }
    if args.tuning.bytes.is_some() {
        return Err(Failure::usage(
            "what is approved was made with its target; leave out --bytes",
        ));
    }
    let report = args.report.as_deref();
    output::must_differ(&[
        ("the source", Some(&args.file)),
        ("the output", Some(&args.output)),
        ("the report", report),
    ])?;
    if let Some(report) = report {
        output::must_suit(report, "the report", "json")?;
    }
    let decided = Decided::tuned(&args.file, &args.decided, &args.tuning)?;
    let mut items = Vec::new();
    let mut stale = Vec::new();
    for (k, edits) in decided.edits.clips.iter().enumerate() {
        if !matches!(edits.verdict, Verdict::Approved(_)) {
            continue;
        }
        let profile: Option<Deliverable> = args.profile.map(Into::into);
        let deliverable = profile.unwrap_or(edits.settings.deliverable);
        must_apply(&args.tuning, deliverable)?;
        let settings = tuned(&edits.settings, &args.tuning, deliverable)?;
        let (item, changed) = judge(&decided, k, &settings)?;
        if changed.any() {
            stale.push((item.clip.name().to_owned(), changed));
        }
        items.push(item);
    }
    must_be_fresh(&args.file, &items, &stale)?;
    let plan = ExportPlan {
        destination: destination(&args.output),
        items,
        others: OtherAnimations::Drop,
        // Whoever approved it has seen its error.
        over_target: OverTarget::Write,
    };
    finish(&plan, report, &[], &args.tuning)
}

fn must_be_fresh(
    file: &Path,
    approved: &[ExportItem],
    stale: &[(String, Changed)],
) -> Result<(), Failure> {
    if approved.is_empty() {
        let file = file.display();
        return Err(Failure::stale(format!(
            "{file}: no clip is approved; approve some in the window and save (Ctrl+S)"
        )));
    }
    if stale.is_empty() {
        return Ok(());
    }
    let lines = stale
        .iter()
        .map(|(clip, changed)| format!("clip {clip}: {changed} since it was approved"));
    Err(Failure::stale(format!(
        "{}\nnothing was written; look at them again and approve them, or undo what changed",
        lines.collect::<Vec<_>>().join("\n")
    )))
}

/// A file where its name says so, else a folder.
fn destination(output: &Path) -> Destination {
    let extension = output
        .extension()
        .map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("glb" | "ppc") => Destination::File(output.to_owned()),
        _ => Destination::Folder(output.to_owned()),
    }
}
