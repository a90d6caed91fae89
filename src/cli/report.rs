//! Measured figures as JSON and as lines. Same input, same bytes: no times, no machine paths.

use crate::codec::{Compressed, CurveFigures, HeldLimb, Instants, Judgement, Limit, Matter};
use crate::math::Channel;
use crate::metrics::{
    Contact, ContactSlide, CurveError, ErrorMetric, ErrorSets, ErrorStats, Measured, PairDrift,
    SkinError,
};
use crate::model::{Clip, ScalarTrack, Skeleton, channel_name};
use crate::session::units::{digits, show_mm};
use serde_json::{Map, Value, json};

/// Version of the layout of reports; grows when a field changes its meaning or goes.
const SCHEMA: u32 = 2;

/// Everything measured of one clip. Millimetres and millimetres a second.
pub(super) fn measured(
    clip: &Clip,
    measured: &Measured,
    errors: &[CurveError],
    judged: &Judgement,
) -> Value {
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
        "error".into(),
        json!({ "metric": measured.metric.name(), "version": measured.metric.version() }),
    );
    out.insert("skin".into(), skin(clip, measured));
    out.insert("shell".into(), sets(skeleton, &measured.shell));
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
    if !clip.scalars().is_empty() {
        let curves = clip.scalars().iter().zip(errors);
        out.insert("curves".into(), curves.map(curve).collect());
    }
    out.insert("judgement".into(), judgement(skeleton, judged));
    Value::Object(out)
}

/// Vertices alone: what is known, which meshes it is not known of, and where it is largest. Null where there are none.
/// Without morphs: the same vertices as if no morph target moved any, where some does.
fn skin(clip: &Clip, m: &Measured) -> Value {
    let Some(known) = m.skin.known() else {
        return Value::Null;
    };
    let mut out = sets(clip.skeleton(), known);
    if let SkinError::CannotSay(_, unread) = &m.skin {
        let unread = unread
            .iter()
            .map(|u| json!({ "mesh": u.name, "why": u.why }));
        out["unread"] = unread.collect();
    }
    if let Some(unmorphed) = &m.unmorphed {
        out["without_morphs"] = sets(clip.skeleton(), unmorphed);
    }
    if let Some(worst) = &m.worst_vertex {
        let part = clip.skin().parts.get(worst.vertex.part as usize);
        out["worst_vertex"] = json!({
            "mesh": part.map(|p| p.name.as_str()),
            "part": worst.vertex.part,
            "vertex": worst.vertex.vertex,
            "joint": clip.skeleton().joints()[worst.joint].name,
            "secs": worst.secs,
            "mm": worst.error_m * 1000.0,
        });
    }
    out
}

fn sets(skeleton: &Skeleton, sets: &ErrorSets) -> Value {
    let mut out = json!({
        "src": stats(skeleton, &sets.frames),
        "dense": stats(skeleton, &sets.dense),
    });
    if sets.key_times.instants > 0 {
        out["key_times"] = stats(skeleton, &sets.key_times);
    }
    out
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

/// A float curve, such as a morph weight; errors in its own unit.
fn curve((scalar, error): (&ScalarTrack, &CurveError)) -> Value {
    json!({
        "name": scalar.name,
        "error": error.held,
        "dense_error": error.dense,
        "worst_secs": error.secs,
    })
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
    let sections = compressed.sections().into_iter();
    let mut sections: Map<String, Value> =
        sections.map(|(name, bytes)| (name, bytes.into())).collect();
    // As `info` has it: the header is no section.
    let header = sections.remove("header");
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
        "animation_bytes": compressed.animation_bytes(),
        "source_animation_bytes": clip.source_bytes(),
        "raw_bytes": clip.raw_bytes(),
        "header_bytes": header,
        "sections": sections,
        "tolerance_scale": compressed.tolerance_scale,
        "target_met": compressed.target_met,
        "held": held.collect::<Value>(),
        "tracks": tracks.collect::<Value>(),
        "curve_tracks": curve_tracks(clip, compressed),
    })
}

/// How each float curve is stored.
fn curve_tracks(clip: &Clip, compressed: &Compressed) -> Value {
    let figures = compressed.curve_figures();
    let curves = clip.scalars().iter().zip(&figures);
    let track = |(scalar, f): (&ScalarTrack, &CurveFigures)| json!({ "name": scalar.name, "kind": f.kind, "keys": f.keys, "bytes": f.bytes });
    curves.map(track).collect()
}

/// A report on several clips of one file.
pub(super) fn whole(clips: &[Value]) -> String {
    let report =
        json!({ "schema": SCHEMA, "posepress": env!("CARGO_PKG_VERSION"), "clips": clips });
    // Values of a report are numbers, texts and maps with text keys, which always serialise.
    serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"
}

/// A few lines for a person.
pub(super) fn lines(clip: &Clip, m: &Measured, errors: &[CurveError]) -> String {
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
    text += &skin_lines(clip, m);
    text += &curve_line(clip, errors);
    text += &slide_lines(skeleton, &m.slides);
    text + &pair_lines(skeleton, &m.pairs)
}

/// What the figures above are figures of.
fn skin_lines(clip: &Clip, m: &Measured) -> String {
    let shell = format!(
        "  shell          max {:>10}  around all joints\n",
        show_mm(m.shell.frames.max_m)
    );
    let text = match (&m.skin, m.metric) {
        (_, ErrorMetric::Shell) => return "  measured on    the shells of all joints\n".into(),
        (SkinError::None, _) => {
            return "  measured on    the shells of all joints: they move no mesh\n".into();
        }
        (SkinError::Whole(s), _) => {
            let worst = m.worst_vertex.and_then(|w| {
                clip.skin()
                    .parts
                    .get(w.vertex.part as usize)
                    .map(|p| (p, w))
            });
            let place = worst.map_or(String::new(), |(part, w)| {
                format!(
                    "  worst vertex {} of {} at {:.3} s",
                    w.vertex.vertex, part.name, w.secs
                )
            });
            format!(
                "  skin           max {:>10}{place}\n",
                show_mm(s.frames.max_m)
            )
        }
        (SkinError::CannotSay(s, unread), _) => {
            let unread: Vec<String> = unread
                .iter()
                .map(|u| format!("{} ({})", u.name, u.why))
                .collect();
            format!(
                "  skin           cannot say: {}; of the other meshes max {}\n",
                unread.join(", "),
                show_mm(s.frames.max_m)
            )
        }
    };
    text + &shell
}

/// The worst float curve, of a clip that has some.
fn curve_line(clip: &Clip, errors: &[CurveError]) -> String {
    let curves = clip.scalars().iter().zip(errors);
    let worst = curves.max_by(|a, b| a.1.held.total_cmp(&b.1.held));
    worst.map_or(String::new(), |(scalar, error)| {
        format!(
            "  weights        max {:.6}  4x denser {:.6}  worst {} at {:.3} s\n",
            error.held, error.dense, scalar.name, error.secs
        )
    })
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
