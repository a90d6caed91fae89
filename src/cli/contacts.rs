use super::args::{ContactsArgs, Measuring};
use super::decided::Decided;
use super::{Failure, open, report};
use crate::metrics::{self, Contacts, Options, PairDrift};
use crate::model::Clip;
use crate::session::units::{digits, show_mm};
use serde_json::{Value, json};

/// Lists the contacts of one clip or of all.
pub(super) fn run(args: &ContactsArgs) -> Result<(), Failure> {
    let decided = Decided::open(&args.file, &args.decided, args.unit, &Measuring::default())?;
    let asset = &decided.asset;
    let clips = match args.clip.as_deref() {
        Some(wanted) => vec![open::clip_index(asset, Some(wanted))?],
        None => (0..asset.clips.len()).collect(),
    };
    let found = clips.into_iter().map(|k| {
        let clip = &*asset.clips[k];
        let contacts = decided.held_contacts(k, &args.pairs)?;
        let drifts = drifts(clip, &contacts, decided.unit_m);
        Ok((clip, contacts, drifts))
    });
    let found: Vec<_> = found.collect::<Result<_, Failure>>()?;
    if args.json {
        let clips = found.iter().map(|(clip, c, drifts)| value(clip, c, drifts));
        return super::print(&report::whole(&clips.collect::<Vec<Value>>()));
    }
    let text = found.iter().map(|(clip, c, drifts)| {
        let pairs = drifts.iter().map(|d| pair_line(clip, d));
        lines(clip, c) + &pairs.collect::<String>()
    });
    super::print(&text.collect::<String>())
}

/// What the source's pairs drift.
fn drifts(clip: &Clip, contacts: &Contacts, unit_m: f64) -> Vec<PairDrift> {
    if contacts.pairs.is_empty() {
        return Vec::new();
    }
    let options = Options {
        unit_m,
        density: 1,
        ..Options::default()
    };
    metrics::measure_with(clip, &clip, contacts, &options).pairs
}

/// Metres and metres a second; frames count from 0, the last one is part of the contact.
fn value(clip: &Clip, contacts: &Contacts, drifts: &[PairDrift]) -> Value {
    let name = |joint: usize| clip.skeleton().joints()[joint].name.as_str();
    let points = contacts.points.iter().map(|p| {
        json!({
            "foot": name(p.foot),
            "joint": name(p.joint),
            "point": p.part.name(),
            "offset": p.offset.to_array(),
        })
    });
    let list = contacts.list.iter().map(|c| {
        json!({
            "joint": name(c.point.joint),
            "point": c.point.part.name(),
            "frames": [c.frames.0, c.frames.1],
            "secs": [clip.grid().secs(c.frames.0 as f64), clip.grid().secs(c.frames.1 as f64)],
        })
    });
    let mut out = json!({
        "clip": clip.name(),
        "frames": clip.grid().frames,
        "rate": clip.grid().rate_hz,
        "ground_m_per_s": contacts.ground_m_per_s.to_array(),
        "points": points.collect::<Value>(),
        "contacts": list.collect::<Value>(),
    });
    if !drifts.is_empty() {
        let pairs = drifts.iter().map(|d| {
            json!({
                "joint": name(d.pair.joint),
                "to": d.pair.to.map(name),
                "frames": [d.pair.frames.0, d.pair.frames.1],
                "source_drift_mm": d.source_drift_m * 1000.0,
            })
        });
        out["pairs"] = pairs.collect();
    }
    out
}

fn pair_line(clip: &Clip, drift: &PairDrift) -> String {
    let name = |joint: usize| clip.skeleton().joints()[joint].name.as_str();
    format!(
        "  {} to {}, frames {} to {}: drifts {}\n",
        name(drift.pair.joint),
        drift.pair.to.map_or("the world", name),
        drift.pair.frames.0,
        drift.pair.frames.1,
        show_mm(drift.source_drift_m),
    )
}

fn lines(clip: &Clip, contacts: &Contacts) -> String {
    let grid = clip.grid();
    let mut text = format!(
        "{}: {} frames at {:.3} Hz",
        clip.name(),
        grid.frames,
        grid.rate_hz
    );
    let ground = contacts.ground_m_per_s;
    if ground.length() > 0.0 {
        let (speed, x, z) = (digits(ground.length()), digits(ground.x), digits(ground.y));
        text += &format!(", in place: the ground moves at {speed} m/s (X {x}, Z {z})");
    }
    text += match (contacts.points.is_empty(), contacts.list.is_empty()) {
        (true, _) => "\n  it has no feet\n",
        (_, true) => "\n  no foot stands\n",
        _ => "\n",
    };
    for c in &contacts.list {
        let name = &clip.skeleton().joints()[c.point.joint].name;
        let (first, last) = c.frames;
        text += &format!(
            "  {name:<24} {:<5} frames {first:>5} to {last:>5}  {:>8.3} to {:>8.3} s\n",
            c.point.part.name(),
            grid.secs(first as f64),
            grid.secs(last as f64),
        );
    }
    text
}
