//! Measured figures as JSON and as lines. Same input, same bytes: no times, no machine paths.

use crate::codec::{Compressed, HeldLimb, Instants, Judgement, Limit, Matter};
use crate::math::Channel;
use crate::metrics::{Contact, ContactSlide, ErrorStats, Measured, PairDrift};
use crate::model::{Clip, Skeleton, channel_name};
use crate::session::units::{digits, show_mm};
use serde_json::{Map, Value, json};

/// Version of the layout of reports; grows when a field changes its meaning or goes.
const SCHEMA: u32 = 1;

/// Everything measured of one clip. Millimetres and millimetres a second.
pub(super) fn measured(clip: &Clip, measured: &Measured, judged: &Judgement) -> Value {
    let skeleton = clip.skeleton();
    let mut out = Map::new();
    out.insert("clip".into(), clip.name().into());
    out.insert("joints".into(), skeleton.len().into());
    out.insert("frames".into(), clip.grid().frames.into());
    out.insert("rate".into(), clip.grid().rate_hz.into());
    out.insert("src".into(), stats(skeleton, &measured.frames));
    if measured.key_times.instants > 0 {
        out.insert("key_times".into(), stats(skeleton, &measured.key_times));
    }
    out.insert("dense".into(), stats(skeleton, &measured.dense));
    out.insert(
        "jitter".into(),
        json!({
            "max_mm_per_s": measured.jitter.max_m_per_s * 1000.0,
            "rms_mm_per_s": measured.jitter.rms_m_per_s * 1000.0,
        }),
    );
    if let Some(seam) = measured.seam {
        out.insert(
            "seam".into(),
            json!({
                "gap_mm": seam.gap_m * 1000.0,
                "kick_mm_per_s": seam.kick_m_per_s * 1000.0,
                "source_gap_mm": seam.source_gap_m * 1000.0,
            }),
        );
    }
    let slides = measured.slides.iter().map(|s| slide(skeleton, s));
    out.insert("slide".into(), slides.collect());
    if !measured.pairs.is_empty() {
        let pairs = measured.pairs.iter().map(|p| pair(skeleton, p));
        out.insert("pairs".into(), pairs.collect());
    }
    out.insert("judgement".into(), judgement(skeleton, judged));
    Value::Object(out)
}

/// Every limit: what was asked and by whom, what was measured, when and where, and the ruling.
pub(super) fn judgement(skeleton: &Skeleton, judged: &Judgement) -> Value {
    judged.limits.iter().map(|l| limit(skeleton, l)).collect()
}

/// Millimetres, millimetres a second, or bytes.
fn limit(skeleton: &Skeleton, limit: &Limit) -> Value {
    let of = match limit.of {
        Matter::Skin => "skin",
        Matter::Shell => "shell",
        Matter::Feet => "feet",
        Matter::Slide(_) => "slide",
        Matter::Pair(_) => "pair",
        Matter::Seam => "seam",
        Matter::Jitter => "jitter",
        Matter::Bytes => "bytes",
    };
    let factor = if limit.of == Matter::Bytes {
        1.0
    } else {
        1000.0
    };
    let mut out = json!({
        "of": of,
        "limit": limit.asked.map(|a| a.limit * factor),
        "asked_by": limit.asked.map(|a| a.by.name()),
        "measured": limit.measured.map(|m| m * factor),
        "between_frames": limit.instants == Instants::Between,
        "ruling": limit.ruling.name(),
    });
    if let Some((joint, secs)) = limit.at {
        out["worst"] = json!([skeleton.joints()[joint].name, secs]);
    }
    if let Matter::Slide(contact) = limit.of {
        out["point"] = contact.point.part.name().into();
        out["frames"] = json!([contact.frames.0, contact.frames.1]);
    }
    if !limit.why.is_empty() {
        out["why"] = limit.why.as_str().into();
    }
    out
}

/// One contact of the source.
fn slide(skeleton: &Skeleton, s: &ContactSlide) -> Value {
    let Contact { point, frames } = s.contact;
    json!({
        "joint": skeleton.joints()[point.joint].name,
        "point": point.part.name(),
        "frames": [frames.0, frames.1],
        "source_drift_mm": s.source_drift_m * 1000.0,
        "compressed_drift_mm": s.compressed_drift_m * 1000.0,
        "added_mm": s.added_m * 1000.0,
        "dense_added_mm": s.dense_added_m * 1000.0,
        "lift_mm": s.lift_m * 1000.0,
        "speed_mm_per_s": s.speed_m_per_s * 1000.0,
        "jump_mm": s.jump_m * 1000.0,
        "worst_frame": s.worst_frame,
    })
}

/// One pair; `to` is null for the world.
fn pair(skeleton: &Skeleton, d: &PairDrift) -> Value {
    let name = |joint: usize| skeleton.joints()[joint].name.as_str();
    json!({
        "joint": name(d.pair.joint),
        "to": d.pair.to.map(name),
        "frames": [d.pair.frames.0, d.pair.frames.1],
        "source_drift_mm": d.source_drift_m * 1000.0,
        "added_mm": d.added_m * 1000.0,
        "dense_added_mm": d.dense_added_m * 1000.0,
        "speed_mm_per_s": d.speed_m_per_s * 1000.0,
        "worst_frame": d.worst_frame,
    })
}

fn stats(skeleton: &Skeleton, s: &ErrorStats) -> Value {
    json!({
        "max_mm": s.max_m * 1000.0,
        "p9999_mm": s.p9999_m * 1000.0,
        "rms_mm": s.rms_m * 1000.0,
        "weighed_mm": s.weighed.error_m * 1000.0,
        "worst": [skeleton.joints()[s.worst.joint].name, s.worst.secs],
    })
}

/// How a clip was compressed: sizes, and every track with its keys and errors.
pub(super) fn compressed(clip: &Clip, compressed: &Compressed, unit_m: f64, m: &Measured) -> Value {
    let sections: Map<String, Value> = compressed
        .sections()
        .into_iter()
        .map(|(name, bytes)| (name, bytes.into()))
        .collect();
    let tracks = compressed.tracks.iter().map(|t| {
        let unit = if t.channel == Channel::Translation {
            unit_m
        } else {
            1.0
        };
        json!({
            "joint": clip.skeleton().joints()[t.joint].name,
            "channel": channel_name(t.channel),
            "kind": format!("{:?}", t.kind).to_lowercase(),
            "keys": t.fit.keys.len(),
            "bytes": compressed.track_bytes(t),
            "tolerance": t.tolerance * unit,
            "local_error": m.locals[t.joint].of(t.channel),
        })
    });
    let held = compressed.held.iter().map(|h| {
        json!({
            "joint": clip.skeleton().joints()[h.joint].name,
            "by": h.by.name(),
            "reached": h.reached,
        })
    });
    json!({
        "codec": compressed.deliverable.name(),
        "raw_bytes": clip.raw_bytes(),
        "sections": sections,
        "tolerance_scale": compressed.tolerance_scale,
        "target_met": compressed.target_met,
        "held": held.collect::<Value>(),
        "tracks": tracks.collect::<Value>(),
    })
}

/// A report on several clips of one file.
pub(super) fn whole(clips: &[Value]) -> String {
    let report =
        json!({ "schema": SCHEMA, "posepress": env!("CARGO_PKG_VERSION"), "clips": clips });
    // Values of a report are numbers, texts and maps with text keys, which always serialise.
    serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"
}

/// A few lines for a person.
pub(super) fn lines(clip: &Clip, m: &Measured) -> String {
    let skeleton = clip.skeleton();
    let line = |label: &str, s: &ErrorStats| {
        format!(
            "  {label:<14} max {:>10}  99.99% {:>10}  rms {:>10}  worst {} at {:.3} s\n",
            show_mm(s.max_m),
            show_mm(s.p9999_m),
            show_mm(s.rms_m),
            skeleton.joints()[s.worst.joint].name,
            s.worst.secs
        )
    };
    let mut text = format!("{}\n{}", clip.name(), line("source frames", &m.frames));
    if m.key_times.instants > 0 {
        text += &line("source keys", &m.key_times);
    }
    text += &line("4x denser", &m.dense);
    text += &format!(
        "  jitter         max {:.2} mm/s  rms {:.2} mm/s\n",
        m.jitter.max_m_per_s * 1000.0,
        m.jitter.rms_m_per_s * 1000.0
    );
    text += &slide_lines(skeleton, &m.slides);
    text + &pair_lines(skeleton, &m.pairs)
}

fn pair_lines(skeleton: &Skeleton, pairs: &[PairDrift]) -> String {
    let name = |joint: usize| skeleton.joints()[joint].name.as_str();
    let line = |d: &PairDrift| {
        format!(
            "  added drift    {:>10}  {} to {}, frames {} to {}; the source drifts {}, {} mm/s\n",
            show_mm(d.added_m),
            name(d.pair.joint),
            d.pair.to.map_or("the world", name),
            d.pair.frames.0,
            d.pair.frames.1,
            show_mm(d.source_drift_m),
            digits(d.speed_m_per_s * 1000.0),
        )
    };
    pairs.iter().map(line).collect()
}

/// What held which limb; nothing where nothing was held.
pub(super) fn held_line(skeleton: &Skeleton, held: &[HeldLimb]) -> String {
    if held.is_empty() {
        return String::new();
    }
    let limb = |h: &HeldLimb| {
        let over = if h.reached { "" } else { " (not enough)" };
        let name = &skeleton.joints()[h.joint].name;
        format!("{name} by {}{over}", h.by.name())
    };
    let limbs: Vec<String> = held.iter().map(limb).collect();
    format!("  held           {}\n", limbs.join(", "))
}

/// Contacts in a text; a long clip has hundreds.
const MOST_SLIDES: usize = 8;

/// The worst contacts, each with what the source drifts and what compression adds.
fn slide_lines(skeleton: &Skeleton, slides: &[ContactSlide]) -> String {
    let mut worst: Vec<&ContactSlide> = slides.iter().collect();
    worst.sort_by(|a, b| b.added_m.total_cmp(&a.added_m));
    let more = worst.len().saturating_sub(MOST_SLIDES);
    worst.truncate(MOST_SLIDES);
    let mut text = String::new();
    for s in worst {
        let Contact { point, frames } = s.contact;
        text += &format!(
            "  added slide    {:>10}  {} {}, frames {} to {}; the source drifts {}, {} mm/s\n",
            show_mm(s.added_m),
            skeleton.joints()[point.joint].name,
            point.part.name(),
            frames.0,
            frames.1,
            show_mm(s.source_drift_m),
            digits(s.speed_m_per_s * 1000.0),
        );
    }
    if more > 0 {
        let contacts = if more == 1 { "contact" } else { "contacts" };
        text += &format!("                 and {more} {contacts} with less\n");
    }
    text
}
