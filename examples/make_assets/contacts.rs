//! What is known about the mannequin, for tests: contacts, the pair of hands on the staff, levels of detail.

use super::body::Detail;
use super::feet::{Contact, HEEL, Point};
use super::film::{Film, RATE};
use super::glb::joints_of;
use super::rig::{BALL, FOOT, HAND, SIDE, name};
use glam::DVec3;
use serde_json::{Value, json};

/// Tolerance of a frame's time, in frames.
const EXACT: f64 = 1e-6;

/// JSON with a line an entry.
pub fn write(films: &[Film]) -> String {
    let contacts: Vec<Value> = films.iter().flat_map(contacts).collect();
    let pairs: Vec<Value> = films.iter().filter(|f| f.armed).map(pair).collect();
    let lod = |detail, node: &str| {
        let joints: Vec<String> = joints_of(detail).into_iter().map(name).collect();
        json!({ "node": node, "joints": joints })
    };
    let lods = [
        lod(Detail::Near, "mannequin"),
        lod(Detail::Far, "mannequin_lod1"),
    ];
    let lists = [
        ("contacts", contacts),
        ("pairs", pairs),
        ("lods", lods.to_vec()),
    ];
    let lists = lists.map(|(name, values)| {
        let lines: Vec<String> = values.iter().map(|v| format!("    {v}")).collect();
        format!("  \"{name}\": [\n{}\n  ]", lines.join(",\n"))
    });
    format!("{{\n  \"rate_hz\": {RATE},\n{}\n}}\n", lists.join(",\n"))
}

/// The frames at which a heel or a ball stands still against the ground.
fn contacts(film: &Film) -> Vec<Value> {
    let known = film.contacts.iter();
    known
        .filter_map(|c| Some(contact(film, c, interval(film, c.from, c.to)?)))
        .collect()
}

/// First and last frame of the clip within a time; two frames at least.
fn interval(film: &Film, from: f64, to: f64) -> Option<(usize, usize)> {
    let last = (film.poses.len() - 1) as f64;
    let first = (from * RATE as f64 - EXACT).ceil().max(0.0);
    let end = (to * RATE as f64 + EXACT).floor().min(last);
    (first < end).then_some((first as usize, end as usize))
}

fn contact(film: &Film, contact: &Contact, (first, last): (usize, usize)) -> Value {
    let (joint, point, offset) = match contact.point {
        Point::Heel => (FOOT, "heel", HEEL),
        Point::Ball => (BALL, "ball", DVec3::ZERO),
    };
    json!({
        "clip": film.name,
        "joint": name(joint + SIDE * contact.side),
        "point": point,
        "offset_m": offset.to_array(),
        "first_frame": first,
        "last_frame": last,
        "ground_speed_m_s": film.ground_speed,
    })
}

/// Both hands hold one staff: neither moves against the other.
fn pair(film: &Film) -> Value {
    json!({
        "clip": film.name,
        "joints": [name(HAND), name(HAND + SIDE)],
        "first_frame": 0,
        "last_frame": film.poses.len() - 1,
    })
}
