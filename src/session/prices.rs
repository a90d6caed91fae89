//! What a change would cost, found by really making it.

use super::command::Change;
use super::document::{ClipEdits, ClipId};
use super::result::ClipResult;
use super::worker::{CompressJob, Request};
use super::{Notice, Session};
use crate::codec::{CodecError, Control, Quality};
use crate::metrics::JointError;

/// What a clip would become by one change. Measured on the bytes that it leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// The change.
    pub change: Change,
    /// Bytes of the animation with it.
    pub animation_bytes: usize,
    /// Largest skin error of each joint with it.
    pub joints: Vec<JointError>,
}

impl Price {
    /// The price of a change from the result that it led to.
    pub(super) fn of(change: Change, result: &ClipResult) -> Self {
        Self {
            change,
            animation_bytes: result.animation_bytes,
            joints: result.measured.joints.clone(),
        }
    }
}

/// The prices of one clip, as long as it stays as it is.
pub(super) struct Prices {
    /// What the clip was when they were asked for.
    edits: ClipEdits,
    unit_m: f64,
    control: Control,
    awaited: Vec<Change>,
    list: Vec<Price>,
}

impl Prices {
    /// Stops finding them out.
    pub(super) fn cancel(&self) {
        self.control.cancel();
    }
}

impl Session {
    /// Finds out on the worker what each of some changes would cost, one after the other; see [`Session::price`].
    /// What was asked for before is dropped. Cost: a full compression for each.
    pub fn ask_prices(&mut self, id: ClipId, changes: Vec<Change>) {
        self.drop_prices(id);
        let (Some(edits), Some(unit_m)) = (self.edits(id).cloned(), self.unit_m(id)) else {
            return;
        };
        let control = Control::default();
        let prices = Prices {
            edits: edits.clone(),
            unit_m,
            control: control.clone(),
            awaited: changes.clone(),
            list: Vec::new(),
        };
        for change in changes {
            let mut changed = edits.clone();
            change.apply(&mut changed);
            let Some(job) = self.job(id, Quality::Full) else {
                continue;
            };
            let job = CompressJob {
                serial: self.serial(id),
                settings: changed.settings,
                contacts: changed.contacts,
                control: control.clone(),
                ..job
            };
            self.worker.send(Request::Price(job, change));
        }
        self.work.entry(id).or_default().prices = Some(prices);
    }

    /// What a change would cost, where that was asked for and nothing was changed since.
    pub fn price(&self, id: ClipId, change: &Change) -> Option<&Price> {
        let prices = self.prices(id)?;
        prices.list.iter().find(|p| p.change == *change)
    }

    /// Whether prices of the clip as it is now are still being found out.
    pub fn is_pricing(&self, id: ClipId) -> bool {
        self.prices(id).is_some_and(|p| !p.awaited.is_empty())
    }

    fn prices(&self, id: ClipId) -> Option<&Prices> {
        let prices = self.work.get(&id)?.prices.as_ref()?;
        let same = self.edits(id).is_some_and(|e| {
            (&e.settings, &e.contacts) == (&prices.edits.settings, &prices.edits.contacts)
        });
        (same && self.unit_m(id) == Some(prices.unit_m)).then_some(prices)
    }

    fn serial(&self, id: ClipId) -> u64 {
        self.work.get(&id).map_or(0, |w| w.serial)
    }

    /// Stops finding out prices of a clip that changes.
    pub(super) fn drop_prices(&mut self, id: ClipId) {
        let prices = self.work.get_mut(&id).and_then(|w| w.prices.take());
        if let Some(prices) = prices {
            prices.cancel();
        }
    }

    pub(super) fn take_price(
        &mut self,
        id: ClipId,
        serial: u64,
        change: &Change,
        price: Result<Price, CodecError>,
    ) {
        let Some(work) = self.work.get_mut(&id).filter(|w| w.serial == serial) else {
            return;
        };
        let Some(prices) = &mut work.prices else {
            return;
        };
        match price {
            Ok(price) => prices.list.push(price),
            // It was asked for again, and is on its way.
            Err(CodecError::Cancelled) => return,
            Err(e) => {
                let notice = Notice::error("A price was not found", e.to_string());
                self.notices.push(notice);
            }
        }
        prices.awaited.retain(|c| c != change);
    }
}
