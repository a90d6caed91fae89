//! What is compressed on the side, and when: points of the curve while nobody waits, tries of a byte budget at once.

use super::Session;
use super::byte_budget::Fit;
use super::document::{ClipEdits, ClipId};
use super::notice::Notice;
use super::prober::{Answer, Haste, Probe, Prober};
use super::result::ClipResult;
use super::size_curve::{SizeCurve, SizePoint, is_same};
use crate::codec::{Budget, CodecError, Control, Quality};
use std::collections::HashMap;
use std::sync::Arc;

/// Curves of clips that are kept; with more, all are measured anew when they are looked at.
const MOST_CURVES: usize = 32;

/// What is compressed on the side.
pub(super) struct Sizes {
    pub(super) curves: HashMap<ClipId, SizeCurve>,
    pub(super) fit: Option<Fit>,
    wanted: bool,
    prober: Prober,
    running: Option<Running>,
    tickets: u64,
}

/// The try that goes on.
struct Running {
    ticket: u64,
    id: ClipId,
    target_m: f64,
    haste: Haste,
    control: Control,
}

impl Sizes {
    pub(super) fn new(wake: impl Fn() + Send + 'static) -> Self {
        Self {
            curves: HashMap::new(),
            fit: None,
            wanted: false,
            prober: Prober::new(wake),
            running: None,
            tickets: 0,
        }
    }

    /// A file that is another one now.
    pub(super) fn forget(&mut self, document: usize) {
        self.curves.retain(|id, _| id.document != document);
        self.hold();
    }

    /// Stops what is tried: somebody waits for something else.
    pub(super) fn hold(&mut self) {
        if let Some(running) = self.running.take() {
            running.control.cancel();
        }
    }
}

impl Drop for Sizes {
    fn drop(&mut self) {
        self.hold();
    }
}

impl Session {
    /// Whether the curve of the selected clip is measured, point by point, whenever nothing else is to be done.
    pub fn want_size_curve(&mut self, wanted: bool) {
        self.sizes.wanted = wanted;
        self.measure_sizes();
    }

    /// The measured points of a clip as it is set now, whatever its target; `None` where none was asked for.
    pub fn size_curve(&self, id: ClipId) -> Option<&SizeCurve> {
        let curve = self.sizes.curves.get(&id)?;
        curve
            .is_of(self.clip(id)?, self.unit_m(id)?, self.edits(id)?)
            .then_some(curve)
    }

    /// Whether points are being measured.
    pub fn is_measuring_sizes(&self) -> bool {
        self.sizes.running.is_some()
    }

    /// Takes in points and asks for the next. Returns whether there is something new.
    pub(super) fn measure_sizes(&mut self) -> bool {
        let mut changed = false;
        while let Some(answer) = self.sizes.prober.poll() {
            self.take_point(answer);
            changed = true;
        }
        self.drop_stale_fit();
        if let Some(fit) = &self.sizes.fit {
            self.keep_curve(fit.id);
        }
        if self.sizes.wanted
            && let Some(id) = self.selected
        {
            self.keep_curve(id);
        }
        let next = match self.advance_fit() {
            Some((id, target_m)) => Some((id, target_m, Haste::Awaited)),
            None => self.next_point(),
        };
        self.send_point(next);
        changed
    }

    /// Makes the curve of a clip if there is none of what it is now, and takes its result as a point.
    fn keep_curve(&mut self, id: ClipId) {
        let (Some(clip), Some(unit_m), Some(edits)) =
            (self.clip(id), self.unit_m(id), self.edits(id))
        else {
            return;
        };
        let known = self.sizes.curves.get(&id);
        let made = match known {
            Some(curve) if curve.is_of(clip, unit_m, edits) => None,
            _ => Some(SizeCurve::new(clip, unit_m, edits)),
        };
        let own = self.own_point(id, edits, unit_m);
        if let Some(made) = made {
            if self.sizes.running.as_ref().is_some_and(|r| r.id == id) {
                self.sizes.hold();
            }
            if self.sizes.curves.len() >= MOST_CURVES {
                self.sizes.curves.clear();
            }
            self.sizes.curves.insert(id, made);
        }
        if let (Some(curve), Some(result)) = (self.sizes.curves.get_mut(&id), own)
            && let Budget::Skin { target_m } = result.settings.budget
            && curve.point(target_m).is_none()
            && let Some(point) = SizePoint::of(&result)
        {
            curve.take_own(point);
        }
    }

    /// The result of a clip, where it is of what is set now.
    fn own_point(&self, id: ClipId, edits: &ClipEdits, unit_m: f64) -> Option<Arc<ClipResult>> {
        let result = self.result(id)?;
        let finished = !self.is_busy(id) && self.error(id).is_none();
        let same = result.settings == edits.settings && result.unit_m == unit_m;
        (finished && same && result.quality == Quality::Full).then(|| result.clone())
    }

    /// The point that is worth a try while nobody waits for anything.
    fn next_point(&self) -> Option<(ClipId, f64, Haste)> {
        let waits = self.busy_clips() > 0
            || !self.loading.is_empty()
            || self.exporting.is_some()
            || (self.work.iter()).any(|(id, w)| w.comparing.is_some() || self.is_pricing(*id));
        if !self.sizes.wanted || waits {
            return None;
        }
        let id = self.selected?;
        let Budget::Skin { target_m } = self.edits(id)?.settings.budget else {
            return None;
        };
        let next = self.sizes.curves.get(&id)?.next_target_m(target_m)?;
        Some((id, next, Haste::Idle))
    }

    /// Lets the prober try a point, in place of another one.
    fn send_point(&mut self, next: Option<(ClipId, f64, Haste)>) {
        let Some((id, target_m, haste)) = next else {
            return self.sizes.hold();
        };
        if let Some(r) = &self.sizes.running {
            // What runs is a point as good as the next, unless somebody waits for that.
            let same = r.id == id && (haste == Haste::Idle || is_same(r.target_m, target_m));
            if same && r.haste == haste {
                return;
            }
        }
        self.sizes.hold();
        let Some(mut job) = self.job(id, Quality::Full) else {
            return;
        };
        job.settings.budget = Budget::Skin { target_m };
        self.sizes.tickets += 1;
        let ticket = self.sizes.tickets;
        self.sizes.running = Some(Running {
            ticket,
            id,
            target_m,
            haste,
            control: job.control.clone(),
        });
        self.sizes.prober.send(Probe { ticket, job, haste });
    }

    fn take_point(&mut self, (ticket, answer): Answer) {
        let Some(running) = self.sizes.running.take_if(|r| r.ticket == ticket) else {
            return;
        };
        let Some(curve) = self.sizes.curves.get_mut(&running.id) else {
            return;
        };
        match answer {
            Ok(Ok(point)) => curve.take(point),
            Ok(Err(CodecError::Cancelled)) => {}
            Ok(Err(e)) => curve.failed.push((running.target_m, e.to_string())),
            Err(message) => {
                curve.failed.push((running.target_m, message.clone()));
                let text = format!("{message}. Your work is kept; please report this");
                let title = "An internal fault while measuring sizes";
                self.notices.push(Notice::error(title, text));
            }
        }
    }
}
