use super::causes::{BUTTON_WIDTH, ROW, Shown};
use crate::codec::{Budget, JointOverride, Quality, Settings};
use crate::gui::shell::Tightened;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{Quantity, mm_text, text_at};
use crate::math::Channel;
use crate::metrics::Cause;
use crate::session::{Change, Price, units};
use eframe::egui::{
    self, Align2, FontId, Rect, Response, RichText, Sense, Ui, WidgetInfo, pos2, vec2,
};

/// An angle in radians, metres, or a factor: what is off by less is rounding, and no cause of anything.
const ROUNDING: f64 = 1e-6;

/// Half of what the joint is off by now, for each channel that can be nearer.
fn half(settings: &Settings, shown: &Shown, joint: usize) -> Option<Change> {
    let name = shown.name(joint);
    let own = settings.overrides.get(name);
    let local = shown.result.measured.locals.get(joint)?;
    let mut to = JointOverride::default();
    for channel in Channel::ALL {
        let now = own.and_then(|o| o.of(channel)).unwrap_or(f64::INFINITY);
        let off = now.min(local.of(channel));
        let half = 0.5 * off;
        if shown.clip.track(joint, channel).is_some() && off > ROUNDING {
            to.set(channel, Some(half));
        }
    }
    (!to.is_empty() && !name.is_empty()).then(|| Change::Tighten {
        joint: name.to_owned(),
        to,
    })
}

fn change_of(state: &State, shown: &Shown, joint: usize) -> Option<Change> {
    let edits = state.session.edits(shown.id)?;
    half(&edits.settings, shown, joint)
}

/// Does a change; says what it costs once that is known. `name` is that for screen readers.
fn change_button(
    ui: &Ui,
    state: &mut State,
    shown: &Shown,
    row: Rect,
    (name, change): (&str, Option<Change>),
    what: &str,
) {
    let enabled = change.is_some() && !state.session.is_busy(shown.id);
    let rect = Rect::from_min_max(
        pos2(row.right() - BUTTON_WIDTH, row.top() + 2.0),
        pos2(row.right(), row.bottom() - 2.0),
    );
    let id = ui.scope_id().with(("tighten", name));
    let response = ui.interact(rect, id, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, enabled, name));
    let price = change
        .as_ref()
        .and_then(|c| state.session.price(shown.id, c));
    let text = match (&price, &change) {
        (Some(price), _) => signed_bytes(shown.result.animation_bytes, price.animation_bytes),
        (None, Some(_)) => "tighten".to_owned(),
        (None, None) => "–".to_owned(),
    };
    let tip = match (price, &change) {
        (_, None) => what.to_owned(),
        (Some(price), _) => format!("{what}; one undo step\n{}", price_words(shown, price)),
        (None, _) => {
            format!("{what}; one undo step\nWhat it costs: press “Prices”, or do it and see")
        }
    };
    paint_button(ui, rect, &text, enabled, &response);
    let clicked = response.clicked();
    response.on_hover_text(tip);
    if let (true, true, Some(change)) = (clicked, enabled, change) {
        let done = name.to_owned();
        state.change(change, None);
        let settings = state.session.edits(shown.id).map(|e| e.settings.clone());
        state.shell.tightened = settings.map(|settings| Tightened {
            settings,
            before: shown.result.clone(),
            done,
            watched: shown.joint,
        });
    }
}

/// Holds a joint of the chain to half of what it is off by in its parent's space.
pub(super) fn tighten_button(ui: &Ui, state: &mut State, shown: &Shown, joint: usize, row: Rect) {
    let name = shown.name(joint);
    let change = change_of(state, shown, joint);
    let what = match &change {
        Some(Change::Tighten { to, .. }) => {
            let limits: Vec<String> = Channel::ALL
                .into_iter()
                .filter_map(|channel| {
                    let (label, quantity, _) = super::target::channel_words(channel);
                    let value = Quantity::show(quantity, to.of(channel)?);
                    Some(format!("{} {value}", label.to_lowercase()))
                })
                .collect();
            let limits = limits.join(", ");
            format!("Hold {name} to half of what it is off by in its parent's space: {limits}")
        }
        _ => {
            format!("{name} is exact to rounding, or has no name: there is nothing to hold tighter")
        }
    };
    let label = format!("Tighten {name}");
    change_button(ui, state, shown, row, (&label, change), &what);
}

/// The joint's weight with which it may be off by half of what it is off by now.
fn weigh(shown: &Shown) -> Option<Change> {
    let Budget::Skin { target_m } = shown.result.settings.budget else {
        return None;
    };
    let limit_m = 0.5 * shown.error_m(&shown.result);
    let named = !shown.name(shown.joint).is_empty();
    (named && limit_m > ROUNDING).then(|| Change::Weigh {
        joint: shown.name(shown.joint).to_owned(),
        weight: target_m / limit_m,
    })
}

/// The joint itself held to half in model space, whatever that asks of the joints above it.
pub(super) fn whole_row(ui: &mut Ui, state: &mut State, shown: &Shown) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let name = shown.name(shown.joint);
    let limit = units::show_mm(0.5 * shown.error_m(&shown.result));
    let text = format!("{name} to {limit}, all in all");
    let at = pos2(rect.left(), rect.center().y);
    let font = FontId::proportional(12.0);
    let room = rect.width() - BUTTON_WIDTH - 12.0;
    text_at(
        ui.painter(),
        at,
        Align2::LEFT_CENTER,
        &text,
        font,
        theme::TEXT,
        room,
    );
    let change = weigh(shown);
    let what = match &change {
        Some(Change::Weigh { weight, .. }) => format!(
            "Let errors of {name} count {} times, so that it may be off by {limit} in model space; the joints above it \
             follow as they must",
            units::digits(*weight)
        ),
        _ => "Only the skin error target of a joint with a name can be shared out otherwise"
            .to_owned(),
    };
    let label = format!("Hold {name} to half");
    change_button(ui, state, shown, rect, (&label, change), &what);
}

fn paint_button(ui: &Ui, rect: Rect, text: &str, enabled: bool, response: &Response) {
    let (fill, color) = match (enabled, response.hovered()) {
        (true, true) => (theme::ACCENT_BACK, theme::ACCENT),
        (true, false) => (theme::RAISED, theme::TEXT),
        (false, _) => (theme::PANEL, theme::FAINT),
    };
    ui.painter().rect_filled(rect, 4, fill);
    let font = FontId::proportional(11.5);
    ui.painter()
        .text(rect.center(), Align2::CENTER_CENTER, text, font, color);
}

fn price_words(shown: &Shown, price: &Price) -> String {
    let watched = shown.name(shown.joint);
    let after = price.joints.get(shown.joint).map_or(0.0, |e| e.max_m);
    format!(
        "The animation would take {} instead of {}, and {watched} be off by at most {} instead of {}\nMeasured by \
         compressing the clip with it",
        units::show_bytes(price.animation_bytes),
        units::show_bytes(shown.result.animation_bytes),
        units::show_mm(after),
        units::show_mm(shown.error_m(&shown.result)),
    )
}

/// `+34 B`, `−8 B`, `+0 B`.
fn signed_bytes(before: usize, after: usize) -> String {
    let sign = if after < before { "−" } else { "+" };
    format!("{sign}{} B", after.abs_diff(before))
}

/// Asks what tightening each of the rows would cost.
pub(super) fn prices_ui(ui: &mut Ui, state: &mut State, shown: &Shown, named: &[Cause]) {
    let changes: Vec<Change> = named
        .iter()
        .filter_map(|c| change_of(state, shown, c.joint))
        .chain(weigh(shown))
        .collect();
    let known = |c: &Change| state.session.price(shown.id, c).is_some();
    let missing = changes.iter().filter(|c| !known(c)).count();
    // Always one line high: nothing below moves when prices come.
    ui.allocate_ui(vec2(ui.available_width(), 20.0), |ui| {
        ui.horizontal_centered(|ui| {
            if state.session.is_pricing(shown.id) {
                ui.add(egui::Spinner::new().size(12.0));
                ui.label(theme::hint("finding the prices…"));
                return;
            }
            if missing == 0 {
                ui.label(theme::hint("prices: bytes that tightening adds"));
                return;
            }
            let tightened = tightened(state, shown);
            let busy = state.session.is_busy(shown.id);
            let why = "Compress the clip once for each row, with that joint held to half, and say what it costs; nothing is \
                       changed";
            let button = egui::Button::new(RichText::new("Prices").size(12.0)).small();
            if ui.add_enabled(!busy, button).on_hover_text(why).clicked() {
                state.session.ask_prices(shown.id, changes);
            }
            match tightened {
                Some((done, text)) => tightened_ui(ui, &done, &text),
                None => _ = ui.label(theme::hint("what would tightening each cost?")),
            }
        });
    });
}

/// What was tightened last and what that did, as long as nothing else was changed.
fn tightened(state: &State, shown: &Shown) -> Option<(String, String)> {
    let tightened = state.shell.tightened.as_ref()?;
    let done = shown.result.settings == tightened.settings
        && shown.result.quality == Quality::Full
        && tightened.watched == shown.joint;
    done.then(|| {
        let text = format!(
            "{}, {} {} → {}",
            signed_bytes(
                tightened.before.animation_bytes,
                shown.result.animation_bytes
            ),
            shown.name(shown.joint),
            mm_text(shown.error_m(&tightened.before)),
            units::show_mm(shown.error_m(&shown.result)),
        );
        (tightened.done.clone(), text)
    })
}

fn tightened_ui(ui: &mut Ui, done: &str, text: &str) {
    let label = egui::Label::new(RichText::new(text).size(11.5).color(theme::TEXT)).truncate();
    ui.add(label).on_hover_text(format!(
        "{done}: {text}\nBytes of the animation, and the largest skin error at frames, before and after; undo takes it back"
    ));
}
