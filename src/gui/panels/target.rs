use super::options::options_ui;
use super::presets::preset_menu;
use super::tuning::tune;
use crate::codec::{Budget, Deliverable, Hold, Quality, Ruling, Settings, Tolerances};
use crate::gui::stage::target_m;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{
    Quantity, Strength, TuneRow, check, choice, ruling_color, section, small_button,
};
use crate::math::Channel;
use crate::metrics::SLIDE_LIMIT_M;
use crate::session::{Change, ClipId, ClipResult, units};
use eframe::egui::{self, Color32, ProgressBar, RichText, Ui, vec2};

/// What a clip starts with, metres.
const DEFAULT_TARGET_M: f64 = 0.001;

/// What is shipped, and how close it must stay to the source.
pub(super) fn target_ui(ui: &mut Ui, state: &mut State) {
    let Some(id) = state.session.selected() else {
        return;
    };
    let Some(settings) = state.session.edits(id).map(|e| e.settings.clone()) else {
        return;
    };
    section(ui, "Clip target", |ui| preset_menu(ui, state, &settings));
    let width = ui.available_width();
    let deliverables = [
        (
            Deliverable::Compact,
            "Compact",
            "Ship a .ppc in the fewest bytes that meet the target: keyed splines, fitted from root to leaf",
        ),
        (
            Deliverable::Uniform,
            "Uniform",
            "Ship a .ppc with all frames, each track in its own range: plain data, any joint in two reads",
        ),
        (
            Deliverable::Riot,
            "Riot",
            "Ship a .ppc with the published 10-byte keys in one block, Catmull-Rom curves",
        ),
        (
            Deliverable::Universal,
            "glTF",
            "Ship a .glb, the profile universal: LINEAR keys, for any player that keeps to the specification",
        ),
    ];
    if let Some(d) = choice(ui, settings.deliverable, &deliverables, width) {
        state.change(Change::Deliverable(d), None);
    }
    budget_choice(ui, state, &settings, width);
    ui.add_space(2.0);
    match settings.budget {
        Budget::Skin { target_m } => {
            skin_slider(ui, state, target_m);
            slide_slider(ui, state, settings.slide_target_m);
            if settings.deliverable == Deliverable::Compact && settings.slide_target_m.is_some() {
                hold_choice(ui, state, settings.hold, width);
            }
        }
        Budget::Tolerances => tolerance_sliders(ui, state, &settings),
    }
    ui.add_space(2.0);
    outcome_ui(ui, state, id);
    super::buffer::buffer_ui(ui, state, id);
    super::eye::eye_ui(ui, state, id);
    options_ui(ui, state, &settings);
}

fn budget_choice(ui: &mut Ui, state: &mut State, settings: &Settings, width: f32) {
    let skin = matches!(settings.budget, Budget::Skin { .. });
    let budgets = [
        (
            true,
            "Skin error",
            "Set the largest displacement of skin; tolerances are solved for it",
        ),
        (
            false,
            "Tolerances",
            "Set the allowed error of rotation, translation and scale yourself",
        ),
    ];
    if let Some(skin) = choice(ui, skin, &budgets, width) {
        let target_m = state.result().map_or(DEFAULT_TARGET_M, |r| target_m(r));
        let budget = if skin {
            Budget::Skin { target_m }
        } else {
            Budget::Tolerances
        };
        state.change(Change::Budget(budget), None);
    }
}

fn skin_slider(ui: &mut Ui, state: &mut State, target_m: f64) {
    let row = TuneRow {
        label: "Skin error, anywhere",
        name: "Skin error target",
        tooltip: "Largest displacement of skin in model space, millimetres\nLarger: fewer keys and bytes; smaller: closer to the source\nShift drags finer, right click resets",
        quantity: Quantity::Length,
        value: target_m,
        strength: Strength::Own,
        revert: None,
    };
    let tuned = row.show_large(ui);
    let change = |target_m| Change::Budget(Budget::Skin { target_m });
    tune(state, tuned, change, change(DEFAULT_TARGET_M));
}

/// The slide that feet are held to, and whether they are.
fn slide_slider(ui: &mut Ui, state: &mut State, slide_m: Option<f64>) {
    let why = "Hold every foot that stands: limbs whose feet slide more are stored again, which costs bytes\nOff, feet may slide as \
        far as the skin error lets them";
    if let Some(on) = check(ui, slide_m.is_some(), "Hold the feet", why) {
        state.change(Change::SlideTarget(on.then_some(SLIDE_LIMIT_M)), None);
    }
    let Some(slide_m) = slide_m else {
        return;
    };
    let row = TuneRow {
        label: "Foot slide in contact",
        name: "Slide target",
        tooltip: "Largest slide that compression may add to a foot while it stands, millimetres\nShift drags finer, right click resets",
        quantity: Quantity::Length,
        value: slide_m,
        strength: Strength::Own,
        revert: None,
    };
    let tuned = row.show_large(ui);
    let change = |slide_m| Change::SlideTarget(Some(slide_m));
    tune(state, tuned, change, change(SLIDE_LIMIT_M));
}

/// What holds the feet.
fn hold_choice(ui: &mut Ui, state: &mut State, hold: Hold, width: f32) {
    let holds = [
        (
            Hold::Pin,
            "Pin",
            "Turn the foot such that its sole stays where it stands",
        ),
        (
            Hold::Limb,
            "Limb",
            "Bend thigh and shin as well, bones as long as they are",
        ),
        (
            Hold::Full,
            "Full",
            "Move the foot by keys of translation, which some players ignore",
        ),
        (
            Hold::Best,
            "Best",
            "Take pin or limb for each leg, whatever needs the fewest bytes; full where neither is enough",
        ),
    ];
    if let Some(hold) = choice(ui, hold, &holds, width) {
        state.change(Change::Hold(hold), None);
    }
}

/// Label, unit and meaning of a channel's tolerance.
pub(super) fn channel_words(channel: Channel) -> (&'static str, Quantity, &'static str) {
    match channel {
        Channel::Rotation => (
            "Rotation",
            Quantity::Angle,
            "Allowed angle between source and compressed rotation, degrees\nLarger: fewer keys, more swing at the end of long limbs",
        ),
        Channel::Translation => (
            "Translation",
            Quantity::Length,
            "Allowed distance between source and compressed translation, millimetres\nLarger: fewer keys, more drift of whole limbs",
        ),
        Channel::Scale => (
            "Scale",
            Quantity::Factor,
            "Allowed difference of scale factors\nLarger: fewer keys, more swelling",
        ),
    }
}

/// Channels in the order of the panels.
pub(super) const CHANNELS: [Channel; 3] = [Channel::Rotation, Channel::Translation, Channel::Scale];

fn tolerance_sliders(ui: &mut Ui, state: &mut State, settings: &Settings) {
    for channel in CHANNELS {
        let (label, quantity, tooltip) = channel_words(channel);
        let name = format!("{label} tolerance of the clip");
        let row = TuneRow {
            label,
            name: &name,
            tooltip,
            quantity,
            value: settings.tolerances.of(channel),
            strength: Strength::Own,
            revert: None,
        };
        let tuned = row.show(ui);
        let change = |value| Change::Tolerance(channel, value);
        let reset = change(Tolerances::default().of(channel));
        tune(state, tuned, change, reset);
    }
}

/// What the last settings led to: progress, success, or what stands in the way. Always one line high.
fn outcome_ui(ui: &mut Ui, state: &mut State, id: ClipId) {
    ui.allocate_ui(vec2(ui.available_width(), 22.0), |ui| {
        ui.horizontal_centered(|ui| {
            // A drag shows what it leads to, not a bar that comes and goes.
            let dragging = state.shell.gesture.is_some() && state.session.result(id).is_some();
            if let Some(done) = state.session.progress(id)
                && !dragging
            {
                return busy(ui, state, id, done);
            }
            if let Some(error) = state.session.error(id).map(ToString::to_string) {
                let line = RichText::new(&error).size(12.0).color(theme::BAD);
                if small_button(ui, icon_retry(), "Compress again").clicked() {
                    state.session.retry(id);
                }
                ui.add(egui::Label::new(line).truncate())
                    .on_hover_text(error);
                return;
            }
            let Some(result) = state.session.result(id) else {
                return;
            };
            let joints = state.session.clip(id).map(|c| c.skeleton().joints());
            let worst = super::errors::gate_worst(result);
            let joint = joints.map_or("", |j| j[worst.joint].name.as_str());
            let skin = state
                .session
                .judgement(id)
                .and_then(|j| j.target().cloned());
            let ruling = skin.map_or(Ruling::NotAsked, |l| l.ruling);
            let (text, color) = outcome(result, ruling, joint, worst.error_m);
            let line = egui::Label::new(RichText::new(&text).size(12.0).color(color)).truncate();
            ui.add(line).on_hover_text(text);
        });
    });
}

/// Not the icon "replay", in whose place Inter has a letter.
fn icon_retry() -> &'static str {
    egui_material_icons::icons::ICON_REFRESH.codepoint
}

fn busy(ui: &mut Ui, state: &mut State, id: ClipId, done: f32) {
    let width = ui.available_width() - 30.0;
    let bar = ProgressBar::new(done)
        .desired_width(width)
        .desired_height(6.0)
        .fill(theme::ACCENT);
    ui.add(bar)
        .on_hover_text(format!("Compressing: {:.0} %", 100.0 * done));
    let icon = egui_material_icons::icons::ICON_CLOSE.codepoint;
    if small_button(ui, icon, "Cancel compressing").clicked() {
        state.session.cancel(id);
    }
}

fn outcome(result: &ClipResult, ruling: Ruling, joint: &str, worst_m: f64) -> (String, Color32) {
    let time = elapsed(result.elapsed);
    let max = units::show_mm(worst_m);
    if result.quality == Quality::Draft {
        return (format!("Draft: {max} at {joint}"), theme::WEAK);
    }
    let text = match ruling {
        Ruling::Met => format!("Target met at {max}, solved in {time}"),
        Ruling::Over => format!("Target not reached: {joint} {max}"),
        Ruling::CannotSay => format!("Largest known error {max}: a mesh was not read"),
        Ruling::NotAsked => format!("Largest error {max}, solved in {time}"),
    };
    (text, ruling_color(ruling))
}

/// A duration as people read it.
pub(super) fn elapsed(time: std::time::Duration) -> String {
    let ms = 1000.0 * time.as_secs_f64();
    if ms < 1000.0 {
        return format!("{ms:.0} ms");
    }
    format!("{:.1} s", ms / 1000.0)
}
