//! Selected rows: which they are, and how clicks and keys change them.

use super::TableState;
use crate::gui::state::State;
use crate::session::ClipId;

/// How a click or a key changes the selected rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pick {
    /// This row alone.
    Only,
    /// This row besides, or no longer.
    Toggle,
    /// From where the selection began to this row.
    Range,
}

impl TableState {
    /// The selected rows that the filter lets through, in the order in which they are shown.
    pub fn selected_rows(&self) -> Vec<ClipId> {
        let selected = |id: &&ClipId| self.rows.contains(id);
        self.shown.iter().filter(selected).copied().collect()
    }

    pub(super) fn select_only(&mut self, id: ClipId) {
        self.rows.clear();
        self.rows.insert(id);
        self.anchor = Some(id);
    }

    /// Selects all rows that are shown.
    pub(super) fn select_all(&mut self) {
        self.rows = self.shown.iter().copied().collect();
    }

    fn place_of(&self, id: Option<ClipId>) -> Option<usize> {
        let id = id?;
        self.shown.iter().position(|s| *s == id)
    }
}

/// Changes the selected rows; the clip of the row becomes the one that is tuned.
pub(super) fn pick(state: &mut State, id: ClipId, how: Pick) {
    let State { session, table, .. } = state;
    match how {
        Pick::Only => table.select_only(id),
        Pick::Toggle => {
            table.anchor = Some(id);
            if table.rows.len() > 1 && table.rows.remove(&id) {
                // One that stays selected is tuned.
                if session.selected() == Some(id)
                    && let Some(other) = table.selected_rows().first().or(table.rows.first())
                {
                    session.select(*other);
                }
                return;
            }
            table.rows.insert(id);
        }
        Pick::Range => {
            let anchor = table.place_of(table.anchor.or(session.selected()));
            let (Some(from), Some(to)) = (anchor, table.place_of(Some(id))) else {
                return pick(state, id, Pick::Only);
            };
            let range = from.min(to)..=from.max(to);
            table.rows = table.shown[range].iter().copied().collect();
        }
    }
    session.select(id);
}

/// Moves the selection by rows, up or down, in the order in which they are shown.
pub(super) fn step(state: &mut State, by: isize, how: Pick) {
    let table = &mut state.table;
    let last = table.shown.len().saturating_sub(1);
    let to = match table.place_of(state.session.selected()) {
        Some(at) => at.saturating_add_signed(by).min(last),
        None if by > 0 => 0,
        None => last,
    };
    let Some(&id) = table.shown.get(to) else {
        return;
    };
    table.reveal = true;
    pick(state, id, how);
}
