//! How far compression lets a foot slide while the source's foot stands.

use super::diameter::{diameter, ground_diameter as length};
use super::{Contact, Contacts};
use glam::{DVec2, DVec3};

/// Added slide that an eye sees on a foot that should stand, metres.
pub const SLIDE_LIMIT_M: f64 = 0.0002;

/// What compression does to one contact.
///
/// `e(t)` is the compressed minus the source's place of the sole point, so a foot that slides in the source
/// already is not blamed on compression, and an error that stays the same is no slide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSlide {
    /// Where and when.
    pub contact: Contact,
    /// Largest distance over the ground between two places of the source's point at frames, metres; the ground
    /// may move, see [`Contacts::ground_m_per_s`].
    pub source_drift_m: f64,
    /// The same of the compressed point.
    pub compressed_drift_m: f64,
    /// Largest distance over the ground between two of `e` at frames, metres.
    pub added_m: f64,
    /// The same at frames and between them, on the dense grid; never less.
    pub dense_added_m: f64,
    /// Difference between the highest and the lowest `e` on the dense grid, metres.
    pub lift_m: f64,
    /// Largest speed of `e` over the ground from frame to frame, metres a second.
    pub speed_m_per_s: f64,
    /// Largest change of `e` from a frame to the next, in space, metres; from the frame before the contact to the
    /// one after, so that a foot that pops where it is held or let go shows.
    pub jump_m: f64,
    /// The frame of the contact in which `e` is farthest over the ground from its mean, of the two that
    /// `added_m` lies between.
    pub worst_frame: usize,
}

impl ContactSlide {
    /// The slide of a contact from the places of its point on the dense grid of the whole clip, source and
    /// compressed, metres; `None` where the contact reaches over them. `density` is the number of instants a frame.
    pub fn along(
        contact: Contact,
        (source, compressed): (&[DVec3], &[DVec3]),
        density: usize,
        rate_hz: f64,
        ground_m_per_s: DVec2,
    ) -> Option<Self> {
        let (first, last) = contact.frames;
        if first > last || last.checked_mul(density)? >= source.len() {
            return None;
        }
        let rows = first * density..last * density + 1;
        let (source, compressed) = (source.get(rows.clone())?, compressed.get(rows)?);
        let errors: Vec<DVec3> = compressed
            .iter()
            .zip(source)
            .map(|(c, s)| *c - *s)
            .collect();
        let source: Vec<DVec3> = source.iter().step_by(density.max(1)).copied().collect();
        let ground = ground_m_per_s / rate_hz;
        let density = density.max(1);
        Some(slide(contact, &errors, &source, ground, density, rate_hz))
    }
}

/// Places of all sole points, measured by one thread or by all.
#[derive(Clone, Debug, Default)]
pub(in crate::metrics) struct SoleErrors {
    /// Compressed minus source, metres; one entry a point, one row an instant of the dense grid.
    pub errors: Vec<DVec3>,
    /// The source's, metres; one row a frame.
    pub source: Vec<DVec3>,
}

impl SoleErrors {
    /// Takes the rows of a later part of the clip.
    pub(in crate::metrics) fn extend(&mut self, later: &Self) {
        self.errors.extend_from_slice(&later.errors);
        self.source.extend_from_slice(&later.source);
    }
}

/// The slide of every contact of the clip. `density` is the number of dense instants a frame.
pub(in crate::metrics) fn slides(
    contacts: &Contacts,
    soles: &SoleErrors,
    density: usize,
    rate_hz: f64,
) -> Vec<ContactSlide> {
    let width = contacts.points.len();
    let of = |contact: &Contact| {
        let point = contacts.points.iter().position(|p| *p == contact.point)?;
        let (first, last) = contact.frames;
        if first > last || last >= soles.source.len() / width {
            return None;
        }
        let column = |rows: &[DVec3], from: usize, to: usize| -> Option<Vec<DVec3>> {
            let rows = rows.get(from * width..(to + 1) * width)?;
            Some(rows.iter().skip(point).step_by(width).copied().collect())
        };
        let errors = column(&soles.errors, first * density, last * density)?;
        let source = column(&soles.source, first, last)?;
        let ground = contacts.ground_m_per_s / rate_hz;
        let around = (
            first.saturating_sub(1),
            (last + 1).min(soles.source.len() / width - 1),
        );
        let around = column(&soles.errors, around.0 * density, around.1 * density)?;
        let around: Vec<DVec3> = around.into_iter().step_by(density).collect();
        let jumps = around.windows(2).map(|w| w[1].distance(w[0]));
        Some(ContactSlide {
            jump_m: jumps.fold(0.0, f64::max),
            ..slide(*contact, &errors, &source, ground, density, rate_hz)
        })
    };
    contacts.list.iter().filter_map(of).collect()
}

fn slide(
    contact: Contact,
    dense: &[DVec3],
    source: &[DVec3],
    ground_m_per_frame: DVec2,
    density: usize,
    rate_hz: f64,
) -> ContactSlide {
    let frames: Vec<DVec2> = dense.iter().step_by(density).map(flat).collect();
    let between: Vec<DVec2> = dense.iter().map(flat).collect();
    let still: Vec<DVec2> = (source.iter().enumerate())
        .map(|(k, p)| flat(p) - ground_m_per_frame * k as f64)
        .collect();
    let compressed: Vec<DVec2> = still.iter().zip(&frames).map(|(p, e)| *p + *e).collect();
    let speeds = frames.windows(2).map(|w| (w[1] - w[0]).length() * rate_hz);
    let heights = || dense.iter().map(|e| e.y);
    let highest = heights().fold(f64::NEG_INFINITY, f64::max);
    let lowest = heights().fold(f64::INFINITY, f64::min);
    let added_m = length(&frames);
    ContactSlide {
        source_drift_m: length(&still),
        compressed_drift_m: length(&compressed),
        added_m,
        dense_added_m: length(&between).max(added_m),
        lift_m: (highest - lowest).max(0.0),
        speed_m_per_s: speeds.fold(0.0, f64::max),
        jump_m: 0.0,
        worst_frame: contact.frames.0 + farthest(&frames),
        contact,
    }
}

fn flat(p: &DVec3) -> DVec2 {
    DVec2::new(p.x, p.z)
}

/// Of the two errors that lie farthest apart, the one farther from the mean; the first where all are equal.
fn farthest(errors: &[DVec2]) -> usize {
    let mean = errors.iter().sum::<DVec2>() / errors.len().max(1) as f64;
    match diameter(errors) {
        Some((a, b, _)) if errors[b].distance(mean) > errors[a].distance(mean) => b,
        Some((a, _, _)) => a,
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SolePart, SolePoint};
    use super::*;

    const RATE: f64 = 30.0;

    fn contact(frames: (usize, usize)) -> Contact {
        let point = SolePoint {
            foot: 0,
            joint: 0,
            part: SolePart::Heel,
            offset: DVec3::ZERO,
        };
        Contact { point, frames }
    }

    fn measured(source: &[DVec3], errors: &[DVec3], ground: DVec2, density: usize) -> ContactSlide {
        let contact = contact((0, source.len() - 1));
        let contacts = Contacts {
            points: vec![contact.point],
            list: vec![contact],
            ground_m_per_s: ground,
            ..Contacts::default()
        };
        let soles = SoleErrors {
            errors: errors.to_vec(),
            source: source.to_vec(),
        };
        slides(&contacts, &soles, density, RATE)[0]
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn an_error_that_stays_is_no_slide() {
        let s = measured(
            &[DVec3::ZERO; 5],
            &[DVec3::new(0.03, 0.01, -0.02); 5],
            DVec2::ZERO,
            1,
        );
        assert_eq!((s.added_m, s.lift_m, s.speed_m_per_s), (0.0, 0.0, 0.0));
        assert_eq!((s.source_drift_m, s.compressed_drift_m), (0.0, 0.0));
    }

    #[test]
    fn a_triangle_of_errors_adds_its_longest_side() {
        // Sides of 3, 4 and 5 mm on the ground; the heights count apart.
        let e = [(0.0, 0.001, 0.0), (0.003, -0.001, 0.0), (0.003, 0.0, 0.004)];
        let e = e.map(|(x, y, z)| DVec3::new(x, y, z));
        let s = measured(&[DVec3::ZERO; 3], &e, DVec2::ZERO, 1);
        assert!(near(s.added_m, 0.005) && near(s.compressed_drift_m, 0.005));
        assert!(near(s.lift_m, 0.002) && near(s.speed_m_per_s, 0.004 * RATE));
        assert_eq!(s.source_drift_m, 0.0);
        assert_eq!(
            s.worst_frame, 2,
            "its mean is (2, 4/3) mm: the last is farther than the first"
        );
    }

    #[test]
    fn a_source_that_slides_is_not_blamed_on_compression() {
        let source: Vec<DVec3> = (0..4).map(|k| DVec3::X * 0.002 * f64::from(k)).collect();
        let back: Vec<DVec3> = source.iter().map(|p| -*p).collect();
        let s = measured(&source, &back, DVec2::ZERO, 1);
        assert!(near(s.source_drift_m, 0.006) && near(s.added_m, 0.006));
        assert_eq!(s.compressed_drift_m, 0.0, "it took the slide out");
        let same = measured(&source, &[DVec3::ZERO; 4], DVec2::ZERO, 1);
        assert!(same.added_m == 0.0 && near(same.compressed_drift_m, 0.006));
    }

    #[test]
    fn a_foot_that_moves_with_the_ground_stands() {
        let ground = DVec2::new(0.3, -1.2);
        let step = DVec3::new(ground.x, 0.0, ground.y) / RATE;
        let source: Vec<DVec3> = (0..8).map(|k| step * f64::from(k)).collect();
        let s = measured(&source, &[DVec3::ZERO; 8], ground, 1);
        assert!(s.source_drift_m < 1e-12 && s.compressed_drift_m < 1e-12);
    }

    #[test]
    fn a_pop_at_the_edge_of_a_contact_is_a_jump() {
        let point = contact((0, 0)).point;
        let contacts = Contacts {
            points: vec![point],
            list: vec![contact((1, 2))],
            ..Contacts::default()
        };
        let soles = SoleErrors {
            errors: [0.0, 0.001, 0.002, 0.006, 0.1]
                .map(|y| DVec3::Y * y)
                .to_vec(),
            source: vec![DVec3::ZERO; 5],
        };
        let s = slides(&contacts, &soles, 1, RATE)[0];
        assert!(near(s.jump_m, 0.004) && s.added_m == 0.0);
    }

    #[test]
    fn what_happens_between_frames_is_kept_apart() {
        let mut e = [DVec3::ZERO; 9];
        e[6] = DVec3::new(0.0, 0.0, 0.007);
        let s = measured(&[DVec3::ZERO; 3], &e, DVec2::ZERO, 4);
        assert_eq!((s.added_m, s.speed_m_per_s), (0.0, 0.0));
        assert!(near(s.dense_added_m, 0.007));
    }

    #[test]
    fn a_contact_outside_the_clip_has_no_slide() {
        for frames in [(2, 9), (1, 0), (0, usize::MAX)] {
            let contact = contact(frames);
            let contacts = Contacts {
                points: vec![contact.point],
                list: vec![contact],
                ground_m_per_s: DVec2::ZERO,
                ..Contacts::default()
            };
            let soles = SoleErrors {
                errors: vec![DVec3::ZERO; 9],
                source: vec![DVec3::ZERO; 3],
            };
            assert!(slides(&contacts, &soles, 4, RATE).is_empty());
        }
    }

    #[test]
    fn an_error_that_is_no_number_is_over_every_limit() {
        let e = [DVec3::ZERO, DVec3::NAN];
        let s = measured(&[DVec3::ZERO; 2], &e, DVec2::ZERO, 1);
        assert_eq!(s.added_m, f64::INFINITY);
    }
}
