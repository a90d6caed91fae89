use super::errors::go_to;
use crate::codec::{HeldPair, Limit, Ruling};
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{
    check, mm_text, rule, ruling_color, ruling_words, section, small_button,
};
use crate::metrics::{PairDrift, SLIDE_LIMIT_M, Worst};
use crate::model::Skeleton;
use crate::session::{Change, units};
use eframe::egui::{Align, Label, Layout, RichText, Sense, Ui};
use egui_material_icons::icons::ICON_CLOSE;

/// Joints that keep their place over another one, and what compression does to that; nothing while there is no pair
/// and no two joints are selected.
pub(super) fn pairs_ui(ui: &mut Ui, state: &mut State) {
    let (Some(clip), Some(result)) = (state.clip().cloned(), state.result().cloned()) else {
        return;
    };
    let id = state.session.selected();
    let Some(pairs) = id.and_then(|id| Some(state.session.edits(id)?.settings.pairs.clone()))
    else {
        return;
    };
    let wanted = new_pair(state, clip.skeleton(), &pairs);
    if pairs.is_empty() && wanted.is_none() {
        return;
    }
    section(ui, "Pairs", |ui| {
        ui.label(theme::hint("drift, mm")).on_hover_text(
            "How far a joint moves as another one sees it: in the source, and what compression adds",
        );
    });
    for (n, pair) in pairs.iter().enumerate() {
        // A result of other pairs is on its way out.
        let drift = (result.settings.pairs == pairs).then(|| result.measured.pairs.get(n));
        pair_ui(ui, state, &pairs, n, drift.flatten());
        let held = pair.limit_m.is_some();
        let limit_m = pair.limit_m.or(result.settings.slide_target_m);
        let limit_m = limit_m.unwrap_or(SLIDE_LIMIT_M);
        let why = "Stores the limb again such that it follows the other joint; one step to undo";
        let text = format!("Hold to {}", units::show_mm(limit_m));
        ui.push_id(("pair", n), |ui| {
            if let Some(on) = check(ui, held, &text, why) {
                let mut pairs = pairs.clone();
                pairs[n].limit_m = on.then_some(limit_m);
                state.change(Change::Pairs(pairs), None);
            }
        });
    }
    if let Some(pair) = wanted {
        let text = format!("Measure {}", words(&pair));
        let why =
            "Two joints are selected: measures how well the one keeps its place over the other";
        if ui.button(text).on_hover_text(why).clicked() {
            let mut pairs = pairs;
            pairs.push(pair);
            state.change(Change::Pairs(pairs), None);
        }
    }
    rule(ui);
}

fn words(pair: &HeldPair) -> String {
    match &pair.to {
        Some(to) => format!("{} on {to}", pair.joint),
        None => format!("{} in the world", pair.joint),
    }
}

/// The pair of the two selected joints, the last one over the other; `None` where it is there already.
fn new_pair(state: &State, skeleton: &Skeleton, pairs: &[HeldPair]) -> Option<HeldPair> {
    let mut others = state.shell.also.iter().filter(|&&j| j != state.joint);
    let (&other, None) = (others.next()?, others.next()) else {
        return None;
    };
    let name = |j: usize| Some(skeleton.joints().get(j)?.name.clone());
    let pair = HeldPair {
        joint: name(state.joint)?,
        to: Some(name(other)?),
        ..HeldPair::default()
    };
    let known = |p: &HeldPair| (&p.joint, &p.to) == (&pair.joint, &pair.to);
    (!pairs.iter().any(known)).then_some(pair)
}

fn pair_ui(
    ui: &mut Ui,
    state: &mut State,
    pairs: &[HeldPair],
    n: usize,
    drift: Option<&PairDrift>,
) {
    let name = words(&pairs[n]);
    ui.horizontal(|ui| {
        let judged = state.judgement().filter(|_| drift.is_some());
        let limit: Option<Limit> = judged.and_then(|j| j.of_pair(n).cloned());
        let ruling = limit.as_ref().map_or(Ruling::NotAsked, |l| l.ruling);
        let color = ruling_color(ruling);
        ui.label(RichText::new("●").color(color).size(11.0));
        let label = Label::new(RichText::new(&name).size(12.5)).truncate();
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let remove = small_button(ui, ICON_CLOSE.codepoint, &format!("Remove {name}"));
            if remove.clicked() {
                let mut pairs = pairs.to_vec();
                pairs.remove(n);
                state.change(Change::Pairs(pairs), None);
            }
            if let (Some(drift), Some(limit)) = (drift, &limit) {
                let added_m = limit.measured.unwrap_or(drift.added_m);
                let why = format!(
                    "Compression adds {}, {}",
                    units::show_mm(added_m),
                    ruling_words(limit)
                );
                let text = RichText::new(mm_text(added_m)).color(color).size(12.5);
                ui.label(text.strong()).on_hover_text(why);
                ui.label(theme::hint(format!("{} →", mm_text(drift.source_drift_m))));
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let row = ui.add(label.sense(Sense::click()));
                if let Some(drift) = drift
                    && row.on_hover_text("To its worst frame").clicked()
                {
                    let clip = state.clip().cloned();
                    let secs = clip.map_or(0.0, |c| c.grid().secs(drift.worst_frame as f64));
                    let worst = Worst {
                        joint: drift.pair.joint,
                        secs,
                        error_m: drift.added_m,
                    };
                    go_to(state, worst);
                }
            });
        });
    });
}
