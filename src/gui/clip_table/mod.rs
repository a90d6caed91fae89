//! The table of all clips of all open files: figures to sort by, a filter, and what is done to several rows at once.

mod bars;
mod bulk;
mod columns;
mod figures;
mod lines;
mod rows;
mod selection;

pub use bulk::{approve_passing, cancel_all, go_on, run, targets};
pub(super) use bulk::{asks_first, doubts, judge, paste, reset};
pub use columns::Column;
pub use lines::StatusFilter;

use super::state::State;
use crate::session::ClipId;
use eframe::egui::Ui;
use figures::FigureCache;
use std::collections::BTreeSet;
use std::ops::Range;

/// By which column rows are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableOrder {
    /// The column that decides; among equals the order of opening does.
    pub by: Column,
    /// The least first. Rows without a figure come last either way.
    pub ascending: bool,
}

impl Default for TableOrder {
    fn default() -> Self {
        Self {
            by: Column::File,
            ascending: true,
        }
    }
}

impl TableOrder {
    /// A click on a column's head: the other way round, or that column, texts from the first, figures from the
    /// largest.
    #[must_use]
    pub fn clicked(self, by: Column) -> Self {
        let ascending = if by == self.by {
            !self.ascending
        } else {
            by.is_text()
        };
        Self { by, ascending }
    }
}

/// What the table remembers.
#[derive(Default)]
pub struct TableState {
    /// Words that must all be in a clip's name, file or notes.
    pub filter: String,
    /// Which clips are shown.
    pub status: StatusFilter,
    /// The order of rows.
    pub order: TableOrder,
    /// Selected rows; may hold some that the filter hides.
    pub rows: BTreeSet<ClipId>,
    /// All clips that the filter lets through, in their order, as shown last.
    pub shown: Vec<ClipId>,
    /// Where a range of rows begins.
    anchor: Option<ClipId>,
    /// The line of the filter is to have the focus.
    focus_filter: bool,
    /// The selected row is to be scrolled to.
    reveal: bool,
    /// Rows that were visible last.
    visible: Range<usize>,
    figures: FigureCache,
}

/// The table in the place of lists, views and timeline.
pub fn clip_table_ui(ui: &mut Ui, state: &mut State) {
    lines::refresh(state);
    let width = ui.available_width();
    ui.spacing_mut().item_spacing.y = 6.0;
    bars::filter_bar(ui, state);
    bars::rows_bar(ui, state);
    rows::rows_ui(ui, state, width);
    bars::totals_ui(ui, state);
}
