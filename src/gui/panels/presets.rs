use crate::codec::Settings;
use crate::gui::actions::Action;
use crate::gui::state::State;
use crate::gui::theme;
use crate::session::{Change, Notice, Preset, units};
use eframe::egui::{RichText, Ui};

/// `Preset: Hero ▾`: what the settings are, what else they could be, and own presets.
pub(super) fn preset_menu(ui: &mut Ui, state: &mut State, settings: &Settings) {
    let built_in = Preset::built_in();
    let own = state.shell.presets.clone();
    let all = || built_in.iter().chain(&own);
    let name = all()
        .find(|p| p.is_of(settings))
        .map_or("custom", |p| p.name.as_str());
    let arrow = egui_material_icons::icons::ICON_ARROW_DROP_DOWN.codepoint;
    let title = RichText::new(format!("Preset: {name} {arrow}")).size(12.5);
    let menu = ui.menu_button(title.color(theme::ACCENT), |ui| {
        ui.set_min_width(190.0);
        for preset in all() {
            let row = ui.selectable_label(preset.is_of(settings), &preset.name);
            let row = row.on_hover_text(about(preset));
            if row.clicked() {
                choose(state, preset, settings);
                ui.close();
            }
        }
        ui.separator();
        let ctx = ui.ctx().clone();
        for action in [
            Action::SavePreset,
            Action::CopySettings,
            Action::PasteSettings,
            Action::ResetSettings,
        ] {
            let button = eframe::egui::Button::new(action.spec().name);
            if ui.add_enabled(action.is_enabled(state), button).clicked() {
                action.run(state, &ctx);
                ui.close();
            }
        }
    });
    menu.response.on_hover_text(
        "Settings to start from: target, slide, shell and rules; own overrides stay",
    );
}

fn about(preset: &Preset) -> String {
    let about = if preset.about.is_empty() {
        "A preset of your own"
    } else {
        &preset.about
    };
    match preset.by_eye {
        Some(by_eye) => format!(
            "{about}, not told apart at {} in {} trials by eye",
            units::show_mm(by_eye.error_m),
            by_eye.trials
        ),
        None => about.to_owned(),
    }
}

fn choose(state: &mut State, preset: &Preset, settings: &Settings) {
    match preset.applied(settings) {
        Ok(settings) => {
            let what = format!("Preset {}", preset.name);
            let settings = Box::new(settings);
            state.change(Change::Settings { settings, what }, None);
        }
        Err(e) => state
            .session
            .notify(Notice::error("The preset cannot be used", e.text)),
    }
}
