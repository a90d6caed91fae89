//! `--bytes`: the smallest skin target that fits, found by the search of the window.

use super::Failure;
use super::args::Tuning;
use super::compress::item;
use super::decided::Decided;
use super::progress::watched;
use crate::codec::{Budget, CodecError, Control, Encoder, Quality, Settings};
use crate::session::units::{ByteLimit, Counted, show_mm};
use crate::session::{ByteBudget, ExportItem, Fitted, Tried};
use serde_json::{Value, json};

/// What was searched for a clip and what was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    limit: ByteLimit,
    fitted: Fitted,
    tries: usize,
}

impl Fit {
    /// Whether the bytes are within the budget.
    pub(super) fn is_met(&self) -> bool {
        matches!(self.fitted, Fitted::At(_))
    }

    /// A line of the printed figures.
    pub(super) fn line(&self) -> String {
        let target = show_mm(self.fitted.tried().target_m);
        let budget = self.limit;
        match self.fitted {
            Fitted::At(_) => format!(
                "  target         {target}, the smallest that fits in {budget}, of {} tried\n",
                self.tries
            ),
            Fitted::Never(_) => format!("  target         {target}; nothing fits in {budget}\n"),
        }
    }

    /// The same for the report.
    pub(super) fn json(&self) -> Value {
        json!({
            "bytes": self.limit.bytes,
            "of": match self.limit.counted {
                Counted::Animation => "animation",
                Counted::File => "file",
            },
            "met": self.is_met(),
            "target_mm": self.fitted.tried().target_m * 1000.0,
            "tries": self.tries,
        })
    }

    /// Why a clip is over its budget.
    pub(super) fn missed(&self, clip: &str) -> String {
        let (budget, least) = (self.limit, self.fitted.tried());
        if !least.met {
            return format!(
                "clip {clip}: no skin error that was tried can be met, so none fits in {budget}"
            );
        }
        format!(
            "clip {clip} cannot fit in {budget}: the least that was found is {}, at a skin error of {}",
            ByteLimit {
                bytes: least.bytes,
                ..budget
            },
            show_mm(least.target_m)
        )
    }
}

/// A clip compressed with the smallest skin target that keeps within a limit of bytes. Where none does, with
/// that of the fewest bytes, if that is asked for.
pub(super) fn fitted_item(
    decided: &Decided,
    clip: usize,
    settings: &Settings,
    limit: ByteLimit,
    tuning: &Tuning,
) -> Result<(ExportItem, Fit), Failure> {
    let quality = tuning.effort.into();
    let (fitted, tries) = search(decided, clip, settings, limit, quality)?;
    let fit = Fit {
        limit,
        fitted,
        tries,
    };
    if !fit.is_met() && !tuning.force {
        return Err(Failure::over_target(format!(
            "{}\nnothing was written; --force writes that all the same, --bytes sets another size",
            fit.missed(decided.asset.clips[clip].name())
        )));
    }
    let settings = with_target(settings, fitted.tried().target_m);
    // A limit of the file's bytes is not one of the animation's, and was held by the search.
    let most_bytes = (limit.counted == Counted::Animation).then_some(limit.bytes);
    let item = item(decided, clip, &settings, quality, most_bytes)?;
    Ok((item, fit))
}

fn with_target(settings: &Settings, target_m: f64) -> Settings {
    Settings {
        budget: Budget::Skin { target_m },
        ..settings.clone()
    }
}

fn search(
    decided: &Decided,
    clip: usize,
    settings: &Settings,
    limit: ByteLimit,
    quality: Quality,
) -> Result<(Fitted, usize), Failure> {
    let asset = &decided.asset;
    let source = &asset.clips[clip];
    let contacts = decided.held_contacts(clip, &settings.pairs)?;
    let mut encoder = Encoder::new(source.clone(), decided.unit_m, asset.source_hash);
    encoder.set_contacts(&contacts);
    let control = Control::default();
    let probe = |target_m: f64| {
        let settings = with_target(settings, target_m);
        match encoder.encode_as(&settings, quality, &control) {
            Ok(made) => Ok(Tried::made(target_m, &made, limit.counted)),
            Err(CodecError::Settings(e)) => Err(Failure::usage(e.to_string())),
            // This target alone may be beyond what the format holds.
            Err(_) => Ok(Tried::refused(target_m)),
        }
    };
    watched(source.name(), &control, || ByteBudget::search(limit, probe))
}
