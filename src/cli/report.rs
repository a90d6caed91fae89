//! Measured figures as JSON and as lines. Same input, same bytes: no times, no machine paths.

use crate::codec::Compressed;
use crate::math::Channel;
use crate::metrics::{ErrorStats, Measured};
use crate::model::{Clip, Skeleton, channel_name};
use crate::session::units::show_mm;
use serde_json::{Map, Value, json};

/// Version of the layout of reports; grows when a field changes its meaning or goes.
const SCHEMA: u32 = 1;

/// Everything measured of one clip. Millimetres and millimetres a second.
pub(super) fn measured(clip: &Clip, measured: &Measured) -> Value {
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
    let slides = measured.slides.iter().map(|s| {
        json!({
            "joint": skeleton.joints()[s.joint].name,
            "frames": [s.frames.0, s.frames.1],
            "added_mm": s.added_m * 1000.0,
        })
    });
    out.insert("slide".into(), slides.collect());
    Value::Object(out)
}

fn stats(skeleton: &Skeleton, s: &ErrorStats) -> Value {
    json!({
        "max_mm": s.max_m * 1000.0,
        "p9999_mm": s.p9999_m * 1000.0,
        "rms_mm": s.rms_m * 1000.0,
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
    json!({
        "codec": compressed.deliverable.name(),
        "raw_bytes": clip.raw_bytes(),
        "sections": sections,
        "tolerance_scale": compressed.tolerance_scale,
        "target_met": compressed.target_met,
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
    for s in &m.slides {
        let name = &skeleton.joints()[s.joint].name;
        text += &format!(
            "  added slide    {name} {} in frames {} to {}\n",
            show_mm(s.added_m),
            s.frames.0,
            s.frames.1
        );
    }
    text
}
