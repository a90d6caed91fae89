use super::args::{CheckArgs, Decided as DecidedArgs, Measuring};
use super::decided::Decided;
use super::{Failure, compress, report, say};
use crate::codec::{Quality, Settings};
use crate::session::{Changed, ExportItem, Measure, Missed, Verdict, settings_hash};
use serde_json::{Value, json};
use std::path::Path;

/// Version of the layout of `check --json`.
const SCHEMA: u32 = 1;

/// How a clip stands.
struct Standing {
    clip: String,
    verdict: Verdict,
    changed: Changed,
    /// How what would ship stands to its limits; `null` where nobody judged the clip.
    judgement: Value,
    /// What was approved although it was no pass.
    exceptions: Vec<String>,
    missed: Vec<Missed>,
}

/// Lists all clips of all files; a file that cannot be read does not keep the others from being listed.
pub(super) fn run(args: &CheckArgs) -> Result<(), Failure> {
    let mut files = Vec::new();
    let mut worst: Option<Failure> = None;
    for path in &args.files {
        match standings(path) {
            Ok(clips) => files.push((path, clips)),
            Err(e) => {
                say(&format!("posepress: {e}"));
                let count = args.files.len();
                let text = format!("not every file could be checked, of {count}");
                worst = Some(Failure { text, ..e });
            }
        }
    }
    let stale = files.iter().flat_map(|(_, clips)| clips);
    let stale: Vec<&str> = stale
        .filter(|s| s.is_stale())
        .map(|s| s.clip.as_str())
        .collect();
    if args.json {
        let files = files.iter().map(|(path, clips)| {
            let clips = clips.iter().map(Standing::value);
            json!({ "file": path.display().to_string(), "clips": clips.collect::<Value>() })
        });
        let report = json!({ "schema": SCHEMA, "files": files.collect::<Value>() });
        // Texts, numbers and lists always serialise.
        super::print(&(serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"))?;
    } else {
        let text = files.iter().map(|(path, clips)| {
            let lines: String = clips.iter().map(Standing::line).collect();
            format!("{}\n{lines}", path.display())
        });
        super::print(&text.collect::<String>())?;
    }
    if let Some(worst) = worst {
        return Err(worst);
    }
    if stale.is_empty() {
        let clips = files.iter().flat_map(|(_, clips)| clips);
        let doubts = clips.flat_map(|s| &s.missed).filter(|m| !m.is_over());
        let doubts: Vec<String> = doubts.map(ToString::to_string).collect();
        if args.strict && !doubts.is_empty() {
            return Err(Failure::over_target(doubts.join("\n")));
        }
        return Ok(());
    }
    Err(Failure::stale(format!(
        "stale approvals: {}; look at them again and approve them, or undo what changed",
        stale.join(", ")
    )))
}

fn standings(path: &Path) -> Result<Vec<Standing>, Failure> {
    let decided = Decided::open(path, &DecidedArgs::default(), None, &Measuring::default())?;
    let standing = |k: usize| {
        let edits = decided.clip(k);
        let clip = &decided.asset.clips[k];
        let mut standing = Standing {
            clip: clip.name().to_owned(),
            verdict: edits.verdict.clone(),
            changed: Changed::default(),
            judgement: Value::Null,
            exceptions: edits.exceptions.clone(),
            missed: Vec::new(),
        };
        if edits.verdict.judged().is_some() {
            let (item, changed) = judge(&decided, k, &edits.settings)?;
            let measured = item.measured().map_err(Failure::unreadable)?;
            standing.changed = changed;
            standing.judgement = report::judgement(clip.skeleton(), &measured.judgement);
            standing.missed = measured.missed;
        }
        Ok(standing)
    };
    (0..decided.asset.clips.len()).map(standing).collect()
}

/// A clip compressed with `settings` as the window does it, and what of it is not what its verdict was about.
pub(super) fn judge(
    decided: &Decided,
    clip: usize,
    settings: &Settings,
) -> Result<(ExportItem, Changed), Failure> {
    let item = compress::item(decided, clip, settings, Quality::Full, None)?;
    let mut edits = decided.clip(clip).clone();
    edits.settings = settings.clone();
    let set = settings_hash(&edits, &item.clip, decided.unit_m);
    let output = item.compressed.hash();
    let changed = edits
        .verdict
        .judged()
        .map_or_else(Changed::default, |then| {
            Changed::since(
                then,
                &item.source_hash,
                &set,
                Some(&output),
                Measure::now(settings.metric),
                decided.characters,
            )
        });
    Ok((item, changed))
}

impl Standing {
    fn is_stale(&self) -> bool {
        matches!(self.verdict, Verdict::Approved(_)) && self.changed.any()
    }

    fn state(&self) -> &'static str {
        match self.verdict {
            Verdict::Open => "open",
            Verdict::Approved(_) if self.changed.any() => "stale",
            Verdict::Approved(_) => "approved",
            Verdict::Rejected { .. } => "rejected",
        }
    }

    fn note(&self) -> Option<&str> {
        match &self.verdict {
            Verdict::Rejected { note, .. } if !note.is_empty() => Some(note),
            _ => None,
        }
    }

    fn line(&self) -> String {
        let mut text = format!("  {:<9} {}", self.state(), self.clip);
        if let Some(note) = self.note() {
            text += &format!(": {}", note.replace('\n', " "));
        }
        if self.changed.any() {
            text += &format!(" ({} since)", self.changed);
        }
        text += "\n";
        for exception in &self.exceptions {
            text += &format!("            approved although {exception}\n");
        }
        for missed in &self.missed {
            let word = missed.limit.ruling.name();
            text += &format!("            {word}: {}\n", missed.short());
        }
        text
    }

    fn value(&self) -> Value {
        json!({
            "clip": self.clip,
            "state": self.state(),
            "note": self.note(),
            "changed": self.changed.names(),
            "judgement": self.judgement,
            "exceptions": self.exceptions,
        })
    }
}
