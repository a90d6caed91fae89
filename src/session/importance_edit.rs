//! Importance as it is painted: on one row for the whole clip, and on one for each joint.

use crate::codec::FrameImportance;

/// The stretches with some frames of one row painted over: `joint` is the row's, `None` the whole clip's; a `factor`
/// of `None` erases. Stretches of a row never overlap, and neighbours with one factor are one.
pub fn painted_importance(
    list: &[FrameImportance],
    joint: Option<&str>,
    frames: (usize, usize),
    factor: Option<f64>,
) -> Vec<FrameImportance> {
    let (first, last) = (frames.0.min(frames.1), frames.0.max(frames.1));
    let stretch = |first, last, factor| FrameImportance {
        joint: joint.map(str::to_owned),
        first,
        last,
        factor,
    };
    let mut painted = Vec::with_capacity(list.len() + 2);
    let mut row: Vec<FrameImportance> = factor
        .map(|f| stretch(first, last, f))
        .into_iter()
        .collect();
    for old in list {
        if old.joint.as_deref() != joint {
            painted.push(old.clone());
            continue;
        }
        if old.first < first {
            row.push(stretch(old.first, old.last.min(first - 1), old.factor));
        }
        if old.last > last {
            row.push(stretch(old.first.max(last + 1), old.last, old.factor));
        }
    }
    row.sort_by_key(|s| s.first);
    for next in row {
        match painted.last_mut() {
            Some(before)
                if before.joint == next.joint
                    && before.factor == next.factor
                    && before.last.checked_add(1) == Some(next.first) =>
            {
                before.last = next.last;
            }
            _ => painted.push(next),
        }
    }
    // Rows in one order, so that the same picture is the same list however it was painted.
    painted.sort_by(|a, b| (&a.joint, a.first).cmp(&(&b.joint, b.first)));
    painted
}

#[cfg(test)]
mod tests {
    use super::*;

    type Row = Vec<(usize, usize, f64)>;

    fn row(list: &[FrameImportance], joint: Option<&str>) -> Row {
        let own = list.iter().filter(|s| s.joint.as_deref() == joint);
        own.map(|s| (s.first, s.last, s.factor)).collect()
    }

    #[test]
    fn painting_over_replaces_and_erasing_cuts() {
        let clip = painted_importance(&[], None, (10, 20), Some(2.0));
        let over = painted_importance(&clip, None, (18, 14), Some(4.0));
        let expected = vec![(10, 13, 2.0), (14, 18, 4.0), (19, 20, 2.0)];
        assert_eq!(row(&over, None), expected);
        let erased = painted_importance(&over, None, (0, 15), None);
        assert_eq!(row(&erased, None), [(16, 18, 4.0), (19, 20, 2.0)]);
        assert!(painted_importance(&erased, None, (0, usize::MAX), None).is_empty());
    }

    #[test]
    fn neighbours_with_one_factor_are_one() {
        let list = painted_importance(&[], None, (0, 4), Some(0.5));
        let list = painted_importance(&list, None, (8, 9), Some(0.5));
        let list = painted_importance(&list, None, (5, 7), Some(0.5));
        assert_eq!(row(&list, None), [(0, 9, 0.5)]);
        let same = painted_importance(&list, None, (2, 3), Some(0.5));
        assert_eq!(same, list);
    }

    #[test]
    fn each_joint_has_a_row_of_its_own() {
        let list = painted_importance(&[], Some("hand_l"), (3, 6), Some(4.0));
        let list = painted_importance(&list, None, (0, 9), Some(0.25));
        let list = painted_importance(&list, Some("foot_l"), (1, 2), Some(2.0));
        assert_eq!(row(&list, Some("hand_l")), [(3, 6, 4.0)]);
        assert_eq!(row(&list, None), [(0, 9, 0.25)]);
        let erased = painted_importance(&list, Some("hand_l"), (0, 99), None);
        assert_eq!(erased.len(), 2);
    }
}
