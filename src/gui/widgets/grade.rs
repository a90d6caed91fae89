use crate::codec::{Limit, Ruling};
use crate::gui::theme;
use crate::session::figure;
use eframe::egui::Color32;

/// The colour of a ruling, the same wherever a figure is shown: red over a limit that was set, grey where none was.
pub fn ruling_color(ruling: Ruling) -> Color32 {
    match ruling {
        Ruling::NotAsked => theme::WEAK,
        Ruling::Met => theme::GOOD,
        Ruling::CannotSay => theme::WARNING,
        Ruling::Over => theme::BAD,
    }
}

/// How a figure stands to its limit: `over the limit of 0.2 mm`.
pub fn ruling_words(limit: &Limit) -> String {
    let Some(asked) = limit.asked else {
        return "not limited".to_owned();
    };
    let most = figure(limit.of, asked.limit);
    match limit.ruling {
        Ruling::NotAsked => "not limited".to_owned(),
        Ruling::Met => format!("within the limit of {most}"),
        Ruling::CannotSay => format!("not known against the limit of {most}: {}", limit.why),
        Ruling::Over => format!("over the limit of {most}"),
    }
}
