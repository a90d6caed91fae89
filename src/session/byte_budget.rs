//! The smallest skin target whose deliverable fits in so many bytes.
//!
//! What is kept is the target that was found, not the budget: a target can be looked at, typed again and held against
//! what ships. The same search runs in the window and on the command line; it never depends on what is known before,
//! so both find the same target and write the same bytes.

use super::Session;
use super::command::{Change, Command};
use super::document::{ClipEdits, ClipId};
use super::notice::Notice;
use super::size_curve::SizePoint;
use super::units::{ByteLimit, Counted, show_mm};
use crate::codec::{Budget, Compressed, Deliverable, Settings};

/// Targets from 0.01 to 100 mm, five a decade: the search first finds between which two of them it must look.
const DECADES: std::ops::Range<i32> = -2..2;

/// Mantissas of the targets of a decade, each about 1.6 times the one before.
pub(super) const MANTISSAS: [f64; 5] = [1.0, 1.6, 2.5, 4.0, 6.3];

/// The search ends when the target is known this well, or the bytes come this near to the budget.
const CLOSE: f64 = 0.01;

/// Most targets that are tried between two neighbours of the first ones.
const MOST_TRIES: usize = 12;

/// Where in the remaining bytes a try aims: just below the budget.
const AIM: f64 = 0.995;

/// What a target led to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// The target, metres.
    pub target_m: f64,
    /// Bytes of what the limit is about.
    pub bytes: usize,
    /// Whether the target was met: what misses it fits in no budget.
    pub met: bool,
}

impl Tried {
    /// What a point of a curve says about its target.
    fn of(point: &SizePoint, counted: Counted) -> Self {
        let bytes = match counted {
            Counted::Animation => Some(point.animation_bytes),
            Counted::File => point.file_bytes,
        };
        Self {
            target_m: point.target_m,
            bytes: bytes.unwrap_or(usize::MAX),
            met: bytes.is_some() && point.target_met != Some(false),
        }
    }

    /// What a clip that was compressed with a target says about it.
    pub fn made(target_m: f64, made: &Compressed, counted: Counted) -> Self {
        let bytes = match counted {
            Counted::Animation => Some(made.animation_bytes()),
            Counted::File => made.file_parts().map(|p| p.file()),
        };
        Self {
            target_m,
            bytes: bytes.unwrap_or(usize::MAX),
            met: bytes.is_some() && made.target_met != Some(false),
        }
    }

    /// A target that cannot be compressed at all.
    pub fn refused(target_m: f64) -> Self {
        Self {
            target_m,
            bytes: usize::MAX,
            met: false,
        }
    }
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fitted {
    /// The finest target that was found to fit. Bytes do not always fall when a target grows: a finer one that fits by
    /// chance may have been passed over.
    At(Tried),
    /// Even the coarsest target takes more: this is the smallest of all that were tried.
    Never(Tried),
}

impl Fitted {
    /// The target that is nearest to the budget.
    pub fn tried(&self) -> Tried {
        match self {
            Self::At(tried) | Self::Never(tried) => *tried,
        }
    }
}

/// The search: asks for one target after the other and is told what each leads to. Deterministic.
///
/// Five or six targets on a fixed grid leave two neighbours, of which the coarser fits and the finer does not; then
/// tries between them, by proportion on logarithms, until the target is known to 1 % or the bytes are within 1 % of the
/// budget. Targets have three digits in millimetres, as they are shown and typed.
#[derive(Clone, Debug)]
pub struct ByteBudget {
    limit: ByteLimit,
    grid: Vec<f64>,
    tried: Vec<Tried>,
    /// The coarsest known not to fit, and the finest known to fit that is coarser.
    over: Option<Tried>,
    fits: Option<Tried>,
    /// Tries between two neighbours of the grid.
    between: usize,
}

impl ByteBudget {
    /// A search that has tried nothing yet, for at most so many bytes.
    pub fn new(limit: ByteLimit) -> Self {
        let decades = DECADES.flat_map(|d| MANTISSAS.map(|m| metres(m * 10_f64.powi(d))));
        let coarsest = metres(10_f64.powi(DECADES.end));
        Self {
            limit,
            grid: decades.chain([coarsest]).collect(),
            tried: Vec::new(),
            over: None,
            fits: None,
            between: 0,
        }
    }

    /// The budget.
    pub fn limit(&self) -> ByteLimit {
        self.limit
    }

    /// What was tried until now, in order.
    pub fn tried(&self) -> &[Tried] {
        &self.tried
    }

    /// The target to try next, metres; `None` when the search has ended.
    pub fn next_target_m(&self) -> Option<f64> {
        let at_most = |m: f64| self.grid.partition_point(|&g| g <= m);
        let below = |m: f64| self.grid.partition_point(|&g| g < m);
        let low = self.over.map_or(0, |t| at_most(t.target_m));
        let high = self.fits.map_or(self.grid.len(), |t| below(t.target_m));
        if low < high {
            return Some(self.grid[low + (high - low) / 2]);
        }
        let (over, fits) = (self.over?, self.fits?);
        let known = fits.target_m / over.target_m <= 1.0 + CLOSE
            || fits.bytes as f64 >= (1.0 - CLOSE) * self.limit.bytes as f64;
        if known || self.between >= MOST_TRIES {
            return None;
        }
        let next = between(over, fits, self.limit.bytes, self.between);
        (next > over.target_m && next < fits.target_m).then_some(next)
    }

    /// Takes in what the target that was asked for led to.
    pub fn tell(&mut self, tried: Tried) {
        if self.over.is_some() && self.fits.is_some() {
            let on_grid = self.grid.contains(&tried.target_m);
            self.between += usize::from(!on_grid);
        }
        self.tried.push(tried);
        if tried.met && tried.bytes <= self.limit.bytes {
            self.fits = Some(tried);
        } else {
            self.over = Some(tried);
        }
    }

    /// How it ended; `None` while there is something to try.
    pub fn fitted(&self) -> Option<Fitted> {
        if self.next_target_m().is_some() {
            return None;
        }
        if let Some(fits) = self.fits {
            return Some(Fitted::At(fits));
        }
        let met = self.tried.iter().filter(|t| t.met);
        let smallest = met.min_by_key(|t| t.bytes).or(self.tried.last());
        smallest.map(|&t| Fitted::Never(t))
    }

    /// Runs the whole search; `probe` compresses with a target.
    pub fn search<E>(
        limit: ByteLimit,
        mut probe: impl FnMut(f64) -> Result<Tried, E>,
    ) -> Result<(Fitted, usize), E> {
        let mut search = Self::new(limit);
        while let Some(target_m) = search.next_target_m() {
            search.tell(probe(target_m)?);
        }
        // A search that asks for nothing more has ended.
        let fitted = search.fitted();
        let fitted = fitted.unwrap_or(Fitted::Never(Tried::refused(metres(1.0))));
        Ok((fitted, search.tried.len()))
    }
}

/// Metres of millimetres with three digits.
fn metres(mm: f64) -> f64 {
    let rounded: f64 = format!("{mm:.2e}").parse().unwrap_or(mm);
    rounded / 1000.0
}

/// A target between two of which one is over the budget: where the bytes would be just below it if their logarithm fell
/// evenly with that of the target; every third time in the middle, so that the bracket always shrinks.
fn between(over: Tried, fits: Tried, budget: usize, tries: usize) -> f64 {
    let (a, b) = (over.target_m.ln(), fits.target_m.ln());
    let log = |bytes: f64| bytes.max(1.0).ln();
    let (high, low) = (log(over.bytes as f64), log(fits.bytes as f64));
    let known = over.met && high > low;
    let share = if known && tries % 3 != 2 {
        (high - log(AIM * budget as f64)) / (high - low)
    } else {
        0.5
    };
    metres(1000.0 * (a + (b - a) * share.clamp(0.1, 0.9)).exp())
}

/// A search for one clip that goes on.
pub(super) struct Fit {
    pub(super) id: ClipId,
    /// What the clip was when it began; a change ends it.
    edits: ClipEdits,
    unit_m: f64,
    pub(super) search: ByteBudget,
}

impl Session {
    /// Searches the smallest skin target with which a clip's animation or file takes at most so many bytes, and sets it as one
    /// undo step; when there is none, a notice says so and nothing is changed. Any change of the clip ends the search.
    /// Cost: ten full compressions or so, fewer where the curve knows a target.
    pub fn fit_bytes(&mut self, id: ClipId, limit: ByteLimit) {
        let (Some(edits), Some(unit_m)) = (self.edits(id).cloned(), self.unit_m(id)) else {
            return;
        };
        self.cancel_fit();
        if limit.counted == Counted::File && edits.settings.deliverable == Deliverable::Universal {
            let text =
                "A glTF file holds all else of its source too: name a size for the animation";
            return self.notify(Notice::warning("The target stays as it was", text));
        }
        let search = ByteBudget::new(limit);
        self.sizes.fit = Some(Fit {
            id,
            edits,
            unit_m,
            search,
        });
        self.measure_sizes();
    }

    /// The search for a clip that goes on.
    pub fn fitting(&self, id: ClipId) -> Option<&ByteBudget> {
        let fit = self.sizes.fit.as_ref()?;
        (fit.id == id).then_some(&fit.search)
    }

    /// Ends a search; the settings stay as they are.
    pub fn cancel_fit(&mut self) {
        self.sizes.fit = None;
        self.sizes.hold();
    }

    /// Whether a search is about something else than the clip is now.
    pub(super) fn drop_stale_fit(&mut self) {
        let Some(fit) = &self.sizes.fit else {
            return;
        };
        let same = self.edits(fit.id).is_some_and(|e| {
            (&e.settings, &e.contacts) == (&fit.edits.settings, &fit.edits.contacts)
        });
        if !same || self.unit_m(fit.id) != Some(fit.unit_m) {
            self.cancel_fit();
        }
    }

    /// Goes on with a search as far as what is known leads. Returns the target that must be compressed next.
    pub(super) fn advance_fit(&mut self) -> Option<(ClipId, f64)> {
        loop {
            let fit = self.sizes.fit.as_ref()?;
            let id = fit.id;
            let Some(target_m) = fit.search.next_target_m() else {
                self.end_fit();
                return None;
            };
            let known = match self.sizes.curves.get(&id)?.known(target_m) {
                Some(Ok(point)) => Tried::of(point, fit.search.limit().counted),
                Some(Err(_)) => Tried::refused(target_m),
                None => return Some((id, target_m)),
            };
            self.sizes.fit.as_mut()?.search.tell(known);
        }
    }

    fn end_fit(&mut self) {
        let Some(fit) = self.sizes.fit.take() else {
            return;
        };
        let budget = fit.search.limit();
        let Some(Fitted::At(found)) = fit.search.fitted() else {
            let least = fit.search.fitted().map(|f| f.tried());
            return self.notify(Notice::warning(
                format!("It cannot fit in {budget}"),
                never(least, budget.counted),
            ));
        };
        let what = format!("Fit in {budget}");
        let text = found_words(found, budget.counted);
        let settings = Settings {
            budget: Budget::Skin {
                target_m: found.target_m,
            },
            ..fit.edits.settings
        };
        let change = Change::Settings {
            settings: Box::new(settings),
            what: what.clone(),
        };
        self.dispatch(
            &Command::Edit {
                clip: fit.id,
                change,
            },
            None,
        );
        self.notify(Notice::success(what, text));
    }
}

/// `1.4 KB of animation at a skin error of 0.812 mm`
fn found_words(found: Tried, counted: Counted) -> String {
    let size = ByteLimit {
        bytes: found.bytes,
        counted,
    };
    format!("{size} at a skin error of {}", show_mm(found.target_m))
}

/// What is said where nothing fits.
fn never(least: Option<Tried>, counted: Counted) -> String {
    match least {
        Some(t) if t.met => format!(
            "The least that was found is {}; the settings stay as they are",
            found_words(t, counted)
        ),
        _ => {
            "No target that was tried can be met with these settings; they stay as they are".into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(bytes: usize, size: impl Fn(f64) -> usize) -> (Fitted, Vec<Tried>) {
        let mut tried = Vec::new();
        let probe = |target_m| -> Result<Tried, ()> {
            let t = Tried {
                target_m,
                bytes: size(target_m),
                met: true,
            };
            tried.push(t);
            Ok(t)
        };
        let limit = ByteLimit::animation(bytes);
        let (fitted, count) = ByteBudget::search(limit, probe).expect("nothing fails");
        assert_eq!(count, tried.len());
        (fitted, tried)
    }

    /// As clips are: 2000 bytes at 1 mm.
    fn clip(target_m: f64) -> usize {
        (2000.0 * (target_m / 0.001).powf(-0.35)) as usize
    }

    #[test]
    fn the_found_target_fits_and_little_is_left() {
        for budget in [900, 1_500, 2_000, 2_001, 3_333, 6_000] {
            let (fitted, tried) = search(budget, clip);
            let Fitted::At(found) = fitted else {
                panic!("{budget} is possible");
            };
            assert!(found.bytes <= budget, "{found:?} for {budget}");
            let finer = clip(found.target_m / 1.0101);
            assert!(finer > budget || found.bytes as f64 >= 0.99 * budget as f64);
            assert!(tried.len() <= 9, "{} tries for {budget}", tried.len());
            let mm = 1000.0 * found.target_m;
            assert_eq!(metres(mm), found.target_m, "three digits");
        }
    }

    #[test]
    fn what_cannot_be_is_said_with_the_least() {
        let (fitted, tried) = search(100, clip);
        assert_eq!(fitted.tried().target_m, 0.1, "the coarsest");
        assert_eq!(fitted, Fitted::Never(tried[tried.len() - 1]));
    }

    #[test]
    fn where_all_fits_the_finest_is_taken() {
        let (fitted, _) = search(1_000_000, clip);
        assert_eq!(fitted.tried().target_m, 0.000_01);
        assert!(matches!(fitted, Fitted::At(_)));
    }

    #[test]
    fn a_target_that_is_missed_does_not_fit() {
        let probe = |target_m: f64| -> Result<Tried, ()> {
            Ok(Tried {
                target_m,
                bytes: 10,
                met: target_m >= 0.0005,
            })
        };
        let limit = ByteLimit::animation(1_000);
        let (fitted, _) = ByteBudget::search(limit, probe).expect("nothing fails");
        let found = fitted.tried();
        assert!(matches!(fitted, Fitted::At(_)));
        assert!((0.0005..0.000_506).contains(&found.target_m), "{found:?}");
    }

    #[test]
    fn bytes_that_jump_and_rise_end_the_search_all_the_same() {
        let jumps = |target_m: f64| {
            let noise = (1e9 * target_m).sin();
            (clip(target_m) as f64 * (1.0 + 0.05 * noise)) as usize
        };
        for budget in (500..8_000).step_by(37) {
            let (fitted, tried) = search(budget, jumps);
            assert!(tried.len() <= 6 + MOST_TRIES);
            assert!(fitted.tried().bytes <= budget, "{budget}");
            assert_eq!(search(budget, jumps).0, fitted, "the same again");
        }
        let (fitted, _) = search(1_500, |t| if t < 0.002 { 9_000 } else { 1_400 });
        let found = fitted.tried();
        assert!((0.002..0.002_021).contains(&found.target_m), "{found:?}");
    }
}
