//! Changes of single contacts by a person.

use crate::metrics::{Contact, SolePoint};

/// One change of a contact; frames count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactEdit {
    /// It begins at a frame before its end.
    BeginAt(usize),
    /// It ends at a frame after its beginning.
    EndAt(usize),
    /// It becomes two that end before and begin after a frame.
    CutAt(usize),
    /// It is none.
    Remove,
}

/// Frames before and after the one around which a contact is added.
const AROUND: usize = 2;

/// The list with one contact changed, and those of its point that meet made one; `None` when the change makes no
/// sense for it or changes nothing.
pub fn edited_contacts(list: &[Contact], of: Contact, edit: ContactEdit) -> Option<Vec<Contact>> {
    let (first, last) = of.frames;
    let pieces: Vec<(usize, usize)> = match edit {
        ContactEdit::BeginAt(frame) if frame < last && frame != first => vec![(frame, last)],
        ContactEdit::EndAt(frame) if frame > first && frame != last => vec![(first, frame)],
        ContactEdit::CutAt(frame) if first < frame && frame < last => {
            vec![(first, frame - 1), (frame + 1, last)]
        }
        ContactEdit::Remove => Vec::new(),
        _ => return None,
    };
    let at = list.iter().position(|c| *c == of)?;
    let mut list = list.to_vec();
    let pieces = pieces.into_iter().filter(|(first, last)| first < last);
    let point = of.point;
    list.splice(at..=at, pieces.map(|frames| Contact { point, frames }));
    Some(merged(&list))
}

/// The list with one more contact, of a few frames around `frame`; `None` where the point stands then already.
pub fn added_contact(list: &[Contact], point: SolePoint, frame: usize) -> Option<Vec<Contact>> {
    if list.iter().any(|c| c.point == point && c.holds(frame)) {
        return None;
    }
    let frames = (frame.saturating_sub(AROUND), frame + AROUND);
    let mut list = list.to_vec();
    list.push(Contact { point, frames });
    Some(merged(&list))
}

/// The list with one contact moved to other frames, or with `None` a new one at them; those of its point that meet
/// are made one. `None` when that changes nothing.
pub fn placed_contact(
    list: &[Contact],
    of: Option<Contact>,
    point: SolePoint,
    frames: (usize, usize),
) -> Option<Vec<Contact>> {
    if frames.0 >= frames.1 || of.is_some_and(|c| c.frames == frames) {
        return None;
    }
    let mut placed = list.to_vec();
    if let Some(of) = of {
        let at = list.iter().position(|c| *c == of)?;
        placed.remove(at);
    }
    placed.push(Contact { point, frames });
    Some(merged(&placed)).filter(|placed| placed != list)
}

/// Contacts of one point that share a frame become one; the order is that of points, then of time.
fn merged(list: &[Contact]) -> Vec<Contact> {
    let mut out: Vec<Contact> = Vec::with_capacity(list.len());
    let mut sorted = list.to_vec();
    sorted.sort_by_key(|c| (c.point.foot, c.point.part, c.frames));
    for contact in sorted {
        match out.last_mut() {
            Some(last) if last.point == contact.point && contact.frames.0 <= last.frames.1 => {
                last.frames.1 = last.frames.1.max(contact.frames.1);
            }
            _ => out.push(contact),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{SolePart, SolePoint};
    use glam::DVec3;

    fn contact(foot: usize, frames: (usize, usize)) -> Contact {
        let point = SolePoint {
            foot,
            joint: foot,
            part: SolePart::Ball,
            offset: DVec3::ZERO,
        };
        Contact { point, frames }
    }

    fn some() -> [Contact; 3] {
        let (first, second) = (contact(1, (10, 20)), contact(1, (30, 40)));
        [first, second, contact(2, (0, 50))]
    }

    type Frames = Vec<(usize, usize)>;

    /// Those of the first foot; that the other stays is asserted.
    fn frames(edited: &[Contact]) -> Frames {
        assert_eq!(edited.last(), Some(&some()[2]));
        let own = edited.iter().filter(|c| c.point.foot == 1);
        own.map(|c| c.frames).collect()
    }

    fn after(edit: ContactEdit) -> Option<Frames> {
        edited_contacts(&some(), some()[0], edit).map(|e| frames(&e))
    }

    fn added(frame: usize) -> Option<Frames> {
        added_contact(&some(), some()[0].point, frame).map(|e| frames(&e))
    }

    #[test]
    fn a_contact_is_moved_cut_and_removed() {
        use ContactEdit::{BeginAt, CutAt, EndAt, Remove};
        assert_eq!(after(BeginAt(5)), Some(vec![(5, 20), (30, 40)]));
        assert_eq!(after(EndAt(12)), Some(vec![(10, 12), (30, 40)]));
        assert_eq!(after(CutAt(14)), Some(vec![(10, 13), (15, 20), (30, 40)]));
        assert_eq!(after(CutAt(11)), Some(vec![(12, 20), (30, 40)]));
        assert_eq!(after(Remove), Some(vec![(30, 40)]));
    }

    #[test]
    fn a_contact_is_added_where_none_is() {
        assert_eq!(added(1), Some(vec![(0, 3), (10, 20), (30, 40)]));
        assert_eq!(added(25), Some(vec![(10, 20), (23, 27), (30, 40)]));
        assert_eq!(added(15), None);
        let alone = added_contact(&[], some()[0].point, 4).expect("one");
        assert_eq!(alone[0].frames, (2, 6));
    }

    #[test]
    fn a_contact_is_placed_and_drawn_anew() {
        let (list, point) = (some(), some()[0].point);
        let placed = |of, at| placed_contact(&list, of, point, at).map(|e| frames(&e));
        assert_eq!(
            placed(Some(list[0]), (2, 12)),
            Some(vec![(2, 12), (30, 40)])
        );
        assert_eq!(placed(Some(list[0]), (25, 35)), Some(vec![(25, 40)]));
        assert_eq!(
            placed(None, (22, 26)),
            Some(vec![(10, 20), (22, 26), (30, 40)])
        );
        assert_eq!(placed(Some(list[0]), (10, 20)), None, "where it is");
        assert_eq!(placed(None, (12, 18)), None, "in another one");
        assert_eq!(placed(None, (5, 5)), None, "of no length");
    }

    #[test]
    fn contacts_that_meet_become_one() {
        assert_eq!(after(ContactEdit::EndAt(33)), Some(vec![(10, 40)]));
        assert_eq!(added(28), Some(vec![(10, 20), (26, 40)]));
    }

    #[test]
    fn what_makes_no_sense_changes_nothing() {
        use ContactEdit::{BeginAt, CutAt, EndAt, Remove};
        for edit in [BeginAt(20), BeginAt(10), EndAt(10), CutAt(10), CutAt(25)] {
            assert_eq!(after(edit), None, "{edit:?}");
        }
        assert_eq!(edited_contacts(&[], contact(9, (1, 2)), Remove), None);
    }
}
