//! One line that sums the judgement up; each part of it leads to its place.

use super::errors::go_to;
use crate::codec::{Judgement, Limit, Matter, Quality, Ruling};
use crate::gui::shell::Part;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{ruling_color, ruling_words};
use crate::metrics::Worst;
use crate::session::{figure, units};
use eframe::egui::{Align, Label, Layout, RichText, ScrollArea, Sense, Ui, WidgetInfo};

/// Whether the selected clip passes, and its figures beside their limits.
pub fn judged_ui(ui: &mut Ui, state: &mut State) {
    let Some(judged) = state.judgement() else {
        return;
    };
    let draft = state.result().is_some_and(|r| r.quality == Quality::Draft);
    ScrollArea::horizontal().show(ui, |ui| {
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 6.0;
            let (word, color) = summary(judged.ruling(), draft);
            ui.label(theme::medium(word, 12.5).color(color));
            for (k, (name, limit)) in parts(&judged).into_iter().enumerate() {
                if k > 0 {
                    ui.label(theme::hint("·"));
                }
                part(ui, state, name, limit, draft);
            }
        });
    });
}

fn summary(ruling: Ruling, draft: bool) -> (&'static str, eframe::egui::Color32) {
    if draft {
        return ("Draft.", theme::WEAK);
    }
    let word = match ruling {
        Ruling::NotAsked | Ruling::Met => "Passes.",
        Ruling::CannotSay => "Cannot say.",
        Ruling::Over => "Does not pass.",
    };
    (word, ruling_color(ruling.max(Ruling::Met)))
}

/// Whether a limit is of a kind.
type Kind = fn(&Matter) -> bool;

/// The worst of each kind.
fn parts(judged: &Judgement) -> Vec<(&'static str, &Limit)> {
    let worst = |is: Kind| {
        let of_kind = judged.limits.iter().filter(|l| is(&l.of));
        of_kind.max_by(|a, b| {
            let share = |l: &Limit| l.ratio().or(l.measured).unwrap_or(0.0);
            (a.ruling.cmp(&b.ruling)).then(share(a).total_cmp(&share(b)))
        })
    };
    let kinds: [(&str, Kind); 7] = [
        ("Skin", |m| *m == Matter::Skin),
        ("Shell", |m| *m == Matter::Shell),
        ("feet", |m| matches!(m, Matter::Feet | Matter::Slide(_))),
        ("pairs", |m| matches!(m, Matter::Pair(_))),
        ("jitter", |m| *m == Matter::Jitter),
        ("seam", |m| *m == Matter::Seam),
        ("animation", |m| *m == Matter::Bytes),
    ];
    let found = kinds.into_iter();
    found
        .filter_map(|(name, is)| Some((name, worst(is)?)))
        .collect()
}

/// `feet 0.19 of 0.2 mm`
fn words(name: &str, limit: &Limit) -> String {
    let Some(measured) = limit.measured else {
        return format!("{name} not known");
    };
    let shown = figure(limit.of, measured);
    match limit.asked {
        None => format!("{name} {shown}"),
        Some(asked) if limit.of == Matter::Jitter => {
            format!(
                "{name} {} of {}",
                units::digits(1000.0 * measured),
                figure(limit.of, asked.limit)
            )
        }
        Some(asked) => {
            let most = figure(limit.of, asked.limit);
            format!("{name} {} of {most}", shown.trim_end_matches(" mm"))
        }
    }
}

fn part(ui: &mut Ui, state: &mut State, name: &str, limit: &Limit, draft: bool) {
    let text = words(name, limit);
    let ruling = if draft {
        Ruling::NotAsked
    } else {
        limit.ruling
    };
    let shown = RichText::new(&text).size(12.5).color(ruling_color(ruling));
    let about = ruling_words(limit);
    if limit.at.is_none() && part_of(limit).is_none() {
        ui.label(shown).on_hover_text(about);
        return;
    }
    let response = ui.add(Label::new(shown).sense(Sense::click()));
    response.widget_info(|| {
        WidgetInfo::labeled(eframe::egui::Role::Button, true, format!("Go to: {text}"))
    });
    let about = format!("{about}; click to go there");
    if response.on_hover_text(about).clicked() {
        lead_to(state, limit);
    }
}

/// Where a limit stands in the inspector.
fn part_of(limit: &Limit) -> Option<Part> {
    match limit.of {
        Matter::Feet | Matter::Slide(_) => Some(Part::Feet),
        Matter::Skin if limit.ruling == Ruling::CannotSay => Some(Part::Meshes),
        Matter::Bytes => Some(Part::Size),
        Matter::Skin | Matter::Shell | Matter::Pair(_) | Matter::Seam | Matter::Jitter => None,
    }
}

/// Shows the thing that a limit is about: the joint at the frame, and its part of the inspector.
fn lead_to(state: &mut State, limit: &Limit) {
    state.shell.reveal = part_of(limit);
    let Some((joint, secs)) = limit.at else {
        return;
    };
    let error_m = limit.measured.unwrap_or_default();
    go_to(
        state,
        Worst {
            joint,
            secs,
            error_m,
        },
    );
    state.shell.stage.frame_joint_next(joint);
    if let Matter::Slide(contact) = limit.of {
        state.shell.inset = Some(contact.point.foot);
    }
}
