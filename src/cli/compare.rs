use super::args::{CompressArgs, EffortArg};
use super::decided::{Decided, tuned};
use super::{Failure, open, output, report};
use crate::codec::{Control, Deliverable, Encoder, Limit, Ruling};
use crate::model::Skeleton;
use crate::session::units::{digits, show_bytes, show_mm};
use crate::session::{Compared, Comparison};
use crate::storage;
use serde_json::{Value, json};

/// Compresses a clip with every codec of a `.ppc` and prints what came of it; writes no clip.
pub(super) fn run(args: &CompressArgs) -> Result<(), Failure> {
    if args.output.is_some() {
        return Err(Failure::usage(
            "--codec all compares and writes no clip; leave out --output, or name one codec",
        ));
    }
    if args.tuning.effort == EffortArg::Max {
        return Err(Failure::usage(
            "--codec all compares at full effort; leave out --effort",
        ));
    }
    if args.tuning.bytes.is_some() {
        return Err(Failure::usage(
            "--codec all compares at one target; leave out --bytes, or name one codec",
        ));
    }
    output::must_differ(&[
        ("the source", Some(&args.file)),
        ("the report", args.report.as_deref()),
    ])?;
    if let Some(report) = &args.report {
        output::must_suit(report, "the report", "json")?;
    }
    let decided = Decided::tuned(&args.file, &args.decided, &args.tuning)?;
    let asset = &decided.asset;
    let index = open::clip_index(asset, args.clip.as_deref())?;
    let clip = &asset.clips[index];
    let base = &decided.clip(index).settings;
    let settings = tuned(base, &args.tuning, Deliverable::default())?;
    let mut encoder = Encoder::new(clip.clone(), decided.unit_m, asset.source_hash);
    let contacts = decided.contacts(index);
    let compared = Comparison::make(&mut encoder, &contacts, &settings, &Control::default());
    let compared = compared.map_err(|e| {
        let (file, name) = (asset.path.display(), clip.name());
        Failure::unreadable(format!("{file}: clip {name}: {e}"))
    })?;
    if let Some(path) = &args.report {
        let skeleton = clip.skeleton();
        let codecs = compared.codecs.iter().map(|c| row(skeleton, c));
        let codecs: Vec<Value> = codecs.collect();
        let text = report::whole(&[json!({ "clip": clip.name(), "codecs": codecs })]);
        storage::replace(path, text.as_bytes(), |_| Ok(())).map_err(Failure::unwritable)?;
    }
    super::print(&table(clip.name(), &compared))?;
    missed(&compared, args.tuning.strict)
}

/// All but the time of decoding, which is another one each time: same input, same bytes.
fn row(skeleton: &Skeleton, c: &Compared) -> Value {
    json!({
        "codec": c.deliverable.name(),
        "animation_bytes": c.animation_bytes,
        "file_bytes": c.file_bytes,
        "target_met": c.target_met,
        "max_mm": c.max_m * 1000.0,
        "rms_mm": c.rms_m * 1000.0,
        "jitter_rms_mm_per_s": c.jitter_m_per_s * 1000.0,
        "slide_mm": c.slide_m.map(|m| m * 1000.0),
        "keys": c.keys,
        "judgement": report::judgement(skeleton, &c.judgement),
    })
}

fn table(name: &str, compared: &Comparison) -> String {
    let mut text = format!(
        "{name}\n  {:<9} {:>10} {:>10} {:>11} {:>11} {:>12} {:>11} {:>8} {:>10}\n",
        "codec", "animation", "file", "max", "rms", "jitter rms", "slide", "keys", "a pose"
    );
    for c in &compared.codecs {
        text += &format!(
            "  {:<9} {:>10} {:>10} {:>11} {:>11} {:>12} {:>11} {:>8} {:>10}\n",
            c.deliverable.name(),
            show_bytes(c.animation_bytes),
            show_bytes(c.file_bytes),
            show_mm(c.max_m),
            show_mm(c.rms_m),
            format!("{} mm/s", digits(c.jitter_m_per_s * 1000.0)),
            c.slide_m.map_or_else(|| "-".to_owned(), show_mm),
            c.keys,
            format!("{:.0} ns", c.ns_a_pose),
        );
    }
    text
}

fn missed(compared: &Comparison, strict: bool) -> Result<(), Failure> {
    let fails = |l: &Limit| l.is_missed() || strict && l.ruling >= Ruling::CannotSay;
    let missed = compared.codecs.iter();
    let missed = missed.filter(|c| c.judgement.limits.iter().any(fails));
    let names: Vec<&str> = missed.map(|c| c.deliverable.name()).collect();
    if names.is_empty() {
        return Ok(());
    }
    Err(Failure::over_target(format!(
        "the target is missed by: {}; --target and --slide set others",
        names.join(", ")
    )))
}
