//! Changes of single contacts by a person.

use crate::metrics::Contact;

/// One change of a contact; frames count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactEdit {
    /// It begins at a frame before its end.
    BeginAt(usize),
    /// It ends at a frame after its beginning.
    EndAt(usize),
    /// It becomes two that end before and begin after a frame.
    CutAt(usize),
    /// The same point stands a second time, around a frame outside of it.
    AddAt(usize),
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
        ContactEdit::AddAt(frame) if frame < first || last < frame => {
            vec![of.frames, (frame.saturating_sub(AROUND), frame + AROUND)]
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

    fn frames_after(edit: ContactEdit) -> Option<Vec<(usize, usize)>> {
        let list = [
            contact(1, (10, 20)),
            contact(1, (30, 40)),
            contact(2, (0, 50)),
        ];
        let edited = edited_contacts(&list, list[0], edit)?;
        assert_eq!(edited.last(), Some(&list[2]), "the other foot stays");
        let own = edited.iter().filter(|c| c.point.foot == 1);
        Some(own.map(|c| c.frames).collect())
    }

    #[test]
    fn a_contact_is_moved_cut_added_and_removed() {
        use ContactEdit::{AddAt, BeginAt, CutAt, EndAt, Remove};
        assert_eq!(frames_after(BeginAt(5)), Some(vec![(5, 20), (30, 40)]));
        assert_eq!(frames_after(EndAt(12)), Some(vec![(10, 12), (30, 40)]));
        assert_eq!(
            frames_after(CutAt(14)),
            Some(vec![(10, 13), (15, 20), (30, 40)])
        );
        assert_eq!(frames_after(CutAt(11)), Some(vec![(12, 20), (30, 40)]));
        assert_eq!(
            frames_after(AddAt(1)),
            Some(vec![(0, 3), (10, 20), (30, 40)])
        );
        assert_eq!(frames_after(Remove), Some(vec![(30, 40)]));
    }

    #[test]
    fn contacts_that_meet_become_one() {
        assert_eq!(frames_after(ContactEdit::EndAt(33)), Some(vec![(10, 40)]));
        assert_eq!(
            frames_after(ContactEdit::AddAt(28)),
            Some(vec![(10, 20), (26, 40)])
        );
    }

    #[test]
    fn what_makes_no_sense_changes_nothing() {
        for edit in [
            ContactEdit::BeginAt(20),
            ContactEdit::BeginAt(10),
            ContactEdit::EndAt(10),
            ContactEdit::CutAt(10),
            ContactEdit::AddAt(15),
        ] {
            assert_eq!(frames_after(edit), None, "{edit:?}");
        }
        let stranger = contact(9, (1, 2));
        assert_eq!(edited_contacts(&[], stranger, ContactEdit::Remove), None);
    }
}
