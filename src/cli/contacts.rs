use super::args::ContactsArgs;
use super::decided::Decided;
use super::{Failure, open, report};
use crate::metrics::Contacts;
use crate::model::Clip;
use crate::session::units::digits;
use serde_json::{Value, json};

/// Lists the contacts of one clip or of all.
pub(super) fn run(args: &ContactsArgs) -> Result<(), Failure> {
    let decided = Decided::open(&args.file, &args.decided, args.unit)?;
    let asset = &decided.asset;
    let clips = match args.clip.as_deref() {
        Some(wanted) => vec![open::clip_index(asset, Some(wanted))?],
        None => (0..asset.clips.len()).collect(),
    };
    let found = clips.into_iter().map(|k| {
        let clip = &*asset.clips[k];
        (clip, decided.contacts(k))
    });
    if args.json {
        let clips: Vec<Value> = found.map(|(clip, c)| value(clip, &c)).collect();
        return super::print(&report::whole(&clips));
    }
    let text: String = found.map(|(clip, c)| lines(clip, &c)).collect();
    super::print(&text)
}

/// Metres and metres a second; frames count from 0, the last one is part of the contact.
fn value(clip: &Clip, contacts: &Contacts) -> Value {
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
    json!({
        "clip": clip.name(),
        "frames": clip.grid().frames,
        "rate": clip.grid().rate_hz,
        "ground_m_per_s": contacts.ground_m_per_s.to_array(),
        "points": points.collect::<Value>(),
        "contacts": list.collect::<Value>(),
    })
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
