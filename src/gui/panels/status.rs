use super::errors::{frame_text, gate_worst};
use super::target::elapsed;
use super::work::work_ui;
use crate::gui::actions::clip_title;
use crate::gui::state::State;
use crate::gui::theme;
use crate::session::units;
use eframe::egui::{self, Align, Label, Layout, RichText, Ui};

/// The line at the bottom: what happened, the worst of it, and what the worker does.
pub fn status_ui(ui: &mut Ui, state: &mut State) {
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 8.0;
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            work_ui(ui, state);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                happened_ui(ui, state);
                worst_ui(ui, state);
            });
        });
    });
}

fn line(text: impl Into<String>) -> RichText {
    RichText::new(text).size(12.0).color(theme::WEAK)
}

fn happened_ui(ui: &mut Ui, state: &State) {
    let happened = &state.shell.happened;
    let text = match (happened.is_empty(), state.clip(), state.result()) {
        (false, ..) => happened.clone(),
        (true, Some(clip), Some(result)) => {
            let id = state.session.selected().map_or(0, |c| c.clip);
            let name = clip_title(clip.name(), id);
            format!("{name} solved in {}", elapsed(result.elapsed))
        }
        _ => return,
    };
    let (rect, _) = ui.allocate_exact_size(egui::vec2(8.0, 8.0), egui::Sense::hover());
    let failed = state
        .session
        .selected()
        .is_some_and(|c| state.session.error(c).is_some());
    let color = if failed { theme::BAD } else { theme::GOOD };
    ui.painter().circle_filled(rect.center(), 3.5, color);
    ui.add(Label::new(line(text).color(theme::TEXT)))
        .on_hover_text("What happened last");
    ui.add_space(14.0);
}

fn worst_ui(ui: &mut Ui, state: &State) {
    let (Some(clip), Some(result)) = (state.clip(), state.result()) else {
        return;
    };
    let worst = gate_worst(result);
    let joint = &clip.skeleton().joints()[worst.joint].name;
    let frame = frame_text(clip.grid().frame(worst.secs));
    let mut figures = vec![
        format!(
            "max {} {} at {joint}, frame {frame}",
            result.measured.joints[worst.joint].name(),
            units::show_mm(worst.error_m)
        ),
        format!("RMS {}", units::show_mm(result.measured.frames.rms_m)),
    ];
    let slide = result.worst_slide_m().map(units::show_mm);
    figures.extend(slide.map(|s| format!("worst added slide {s}")));
    let text = figures.join("  ·  ");
    ui.add(Label::new(line(&text)).truncate())
        .on_hover_text(format!(
            "{text}\nMeasured on the decoded bytes of the selected clip"
        ));
}
