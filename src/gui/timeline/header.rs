//! The row above the curves: which components are shown, what is kept, the replay of the fit.

use super::curves::NAMES;
use super::fit_step::{fit_step_ui, shown_curves};
use super::{ShownCurves, buffer_curve, navigation, theme};
use crate::gui::state::{Plotted, State};
use eframe::egui::{self, Align, Button, Layout, RichText, Ui, WidgetInfo, vec2};

/// Component toggles, caption, fit steps, vertical fit.
pub(super) fn header_ui(ui: &mut Ui, state: &mut State) {
    let row = ui.max_rect();
    let shown = shown_curves(state);
    let width = shown
        .as_ref()
        .map_or(state.channel.width(), |s| s.curves.width);
    let slider_width = if row.width() > 950.0 { 110.0 } else { 70.0 };
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        ui.add_space(10.0);
        let tip = "Fit the values to the plot's height";
        if ui
            .add(Button::new("fit").small().min_size(vec2(28.0, 18.0)))
            .on_hover_text(tip)
            .clicked()
        {
            navigation::fit_values(state);
        }
        if state.plot.plotted != Plotted::Channel {
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add_space(GUTTER_LEFT);
                super::motion::legend_ui(ui, state);
            });
            return;
        }
        // Laid out from the left, so that the reading order is that of the words.
        let size = vec2(158.0 + slider_width, row.height());
        ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
            fit_step_ui(ui, state, slider_width);
        });
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.add_space(GUTTER_LEFT);
            pills(ui, state, width);
            let dashed = buffer_curve::switch(ui, state);
            ui.add_space(4.0);
            if let Some(shown) = &shown {
                caption(ui, shown, state.view.source_colour(), dashed);
            }
        });
    });
}

/// The toggles begin a little left of the time axis, where the values' numbers end.
const GUTTER_LEFT: f32 = 36.0;

fn pills(ui: &mut Ui, state: &mut State, width: usize) {
    ui.spacing_mut().item_spacing.x = 4.0;
    for (c, name) in NAMES.iter().enumerate() {
        let on = state.plot.components[c];
        let there = c < width;
        let color = theme::COMPONENTS[c];
        let (fill, ink) = if on && there {
            (color.gamma_multiply(0.22), color)
        } else {
            (theme::SUNK, theme::WEAK)
        };
        let button = Button::new(RichText::new(*name).color(ink).size(11.0).strong())
            .fill(fill)
            .min_size(vec2(24.0, 18.0))
            .corner_radius(4);
        let response = ui.add_enabled(there, button);
        response.widget_info(|| {
            let name = format!("Component {name}");
            WidgetInfo::selected(egui::Role::CheckBox, there, on, name)
        });
        let tip = format!("Show or hide {name}; Alt: this one alone");
        let response = response
            .on_hover_text(tip)
            .on_disabled_hover_text("Only rotations have a W");
        if !response.clicked() {
            continue;
        }
        if ui.input(|i| i.modifiers.alt) {
            state.plot.components = std::array::from_fn(|k| k == c);
        } else {
            state.plot.components[c] = !on;
        }
        navigation::fit_values(state);
    }
}

/// From this width on the caption says what the colours mean; its tooltip always does.
const WIDE_CAPTION: f32 = 390.0;

fn caption(ui: &mut Ui, shown: &ShownCurves, source_colour: &str, dashed: &str) {
    let curves = &shown.curves;
    let (kept, all) = (curves.keys.len(), curves.source_keys.len());
    let (text, color) = if shown.step.is_some() {
        (
            format!("◆ {kept} of {all} keys at this step"),
            theme::ACCENT,
        )
    } else {
        (format!("◆ {kept} of {all} keys kept"), theme::WEAK)
    };
    let legend = format!("{source_colour}: source · colour: compressed{dashed}");
    let words = if ui.available_width() < WIDE_CAPTION {
        text.clone()
    } else {
        format!("{text} · {legend}")
    };
    let label = egui::Label::new(RichText::new(words).color(color).size(11.5)).truncate();
    ui.add(label).on_hover_text(format!("{text}\n{legend}"));
}
