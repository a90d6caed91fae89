//! Holding feet: what a joint may be off by while its sole stands.

use crate::metrics::{Contacts, Measured};

/// A pinned joint slides about this part of what its budget allows, since errors of neighbouring frames are alike.
const FIRST_AIM: f64 = 1.4;

/// Later tries aim at this part of a contact's limit.
const AIM: f64 = 0.75;

/// Contacts that slide less than this part of their limit are let out again: they cost bytes for nothing.
const LOOSE: f64 = 0.45;

/// No pin is tighter: what is left then comes from bones that turn but do not lengthen.
const TIGHTEST: f64 = 0.02;

/// For each contact, the part of its joint's budget that is left while it holds, in (0, 1].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pins {
    parts: Vec<f64>,
}

impl Pins {
    /// Nothing is pinned.
    pub(super) fn none(contacts: &Contacts) -> Self {
        Self {
            parts: vec![1.0; contacts.list.len()],
        }
    }

    /// Whether there is one for each contact.
    pub(super) fn fit(&self, contacts: &Contacts) -> bool {
        self.parts.len() == contacts.list.len()
    }

    /// About the pins of a limit that is so many times as large.
    pub(super) fn scaled(&self, ratio: f64) -> Self {
        let scale = |&part: &f64| {
            if part < 1.0 {
                (part * ratio).clamp(TIGHTEST, 1.0)
            } else {
                part
            }
        };
        Self {
            parts: self.parts.iter().map(scale).collect(),
        }
    }

    /// For each joint the part of its budget at every frame; empty for joints without a pin.
    pub(super) fn of_joints(
        &self,
        contacts: &Contacts,
        joints: usize,
        frames: usize,
    ) -> Vec<Vec<f64>> {
        let mut all = vec![Vec::new(); joints];
        for (contact, &part) in contacts.list.iter().zip(&self.parts) {
            let Some(of_joint) = all.get_mut(contact.point.joint).filter(|_| part < 1.0) else {
                continue;
            };
            of_joint.resize(frames, 1.0);
            let (first, last) = contact.frames;
            for frame in of_joint.iter_mut().take(last + 1).skip(first) {
                *frame = f64::min(*frame, part);
            }
        }
        all
    }

    /// Tightens the contacts that slide more than `limit_m` and lets out those that are held for nothing; whether
    /// anything changed.
    pub(super) fn adjust(&mut self, measured: &Measured, limit_m: f64) -> bool {
        let mut changed = false;
        for (part, slide) in self.parts.iter_mut().zip(&measured.slides) {
            let ratio = limit_m / slide.added_m.max(1e-9 * limit_m);
            let wanted = if !(slide.added_m <= limit_m) {
                let aim = if *part == 1.0 { FIRST_AIM } else { AIM };
                *part * (aim * ratio).clamp(0.2, 0.9)
            } else if *part < 1.0 && slide.added_m < LOOSE * limit_m {
                // Not all the way: what let out once too far would be tightened again.
                *part * (AIM * ratio).clamp(1.0, 1.3)
            } else {
                continue;
            };
            let wanted = wanted.clamp(TIGHTEST, 1.0);
            changed |= (wanted - *part).abs() > 1e-3;
            *part = wanted;
        }
        changed
    }
}

/// The largest added slide, metres; 0 where nothing stands.
pub(super) fn worst_slide_m(measured: &Measured) -> f64 {
    let added = measured.slides.iter().map(|s| s.added_m);
    added.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{Contact, SolePart, SolePoint};

    fn contacts() -> Contacts {
        let point = |joint| SolePoint {
            foot: joint,
            joint,
            part: SolePart::Heel,
            offset: glam::DVec3::ZERO,
        };
        let contact = |joint, frames| Contact {
            point: point(joint),
            frames,
        };
        Contacts {
            points: vec![point(1), point(2)],
            list: vec![contact(1, (2, 4)), contact(1, (4, 5)), contact(2, (0, 9))],
            ..Contacts::default()
        }
    }

    #[test]
    fn the_tighter_pin_counts_where_contacts_meet() {
        let contacts = contacts();
        let pins = Pins {
            parts: vec![0.5, 0.2, 1.0],
        };
        let joints = pins.of_joints(&contacts, 3, 7);
        assert_eq!(joints[1], [1.0, 1.0, 0.5, 0.5, 0.2, 0.2, 1.0]);
        assert!(joints[0].is_empty() && joints[2].is_empty());
        assert!(Pins::none(&contacts).of_joints(&contacts, 3, 7)[1].is_empty());
    }

    #[test]
    fn scaling_moves_pins_alone() {
        let pins = Pins {
            parts: vec![0.5, 1.0],
        };
        assert_eq!(pins.scaled(0.5).parts, [0.25, 1.0]);
        assert_eq!(pins.scaled(4.0).parts, [1.0, 1.0]);
        assert_eq!(pins.scaled(0.0).parts, [TIGHTEST, 1.0]);
    }
}
