use crate::gui::actions::{Action, key_text};
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::small_button;
use crate::session::{ClipId, ClipResult, units};
use eframe::egui::{self, Color32, Label, RichText, Ui, vec2};
use egui_material_icons::icons::{ICON_KEEP, ICON_KEEP_OFF, ICON_RESTORE, ICON_SWAP_HORIZ};

const ROW: f32 = 20.0;

/// The buffer beside what is in force, and what can be done with it. Always two lines high.
pub(super) fn buffer_ui(ui: &mut Ui, state: &mut State, id: ClipId) {
    let (before, now, color) = lines(state, id);
    let pinned = state.session.is_buffer_pinned(id);
    let ctx = ui.ctx().clone();
    ui.spacing_mut().item_spacing.y = 0.0;
    ui.allocate_ui(vec2(ui.available_width(), ROW), |ui| {
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            let pin = if pinned { ICON_KEEP_OFF } else { ICON_KEEP };
            let release = "Release the buffer: the next change fills it";
            let buttons = [
                (
                    Action::RevertBuffer,
                    ICON_RESTORE,
                    "Revert to the buffer: its settings come back, it stays",
                ),
                (
                    Action::SwapBuffer,
                    ICON_SWAP_HORIZ,
                    "Swap with the buffer: its settings come in force, the present ones wait in it",
                ),
                (
                    Action::PinBuffer,
                    pin,
                    if pinned {
                        release
                    } else {
                        "Keep as buffer: what is now stays in it, whatever is changed"
                    },
                ),
            ];
            for (action, icon, what) in buttons {
                let keys = action.spec().keys.first();
                let key = keys.map_or_else(String::new, |k| key_text(&ctx, k));
                let name = format!("{what} ({key})");
                let enabled = action.is_enabled(state);
                ui.add_enabled_ui(enabled, |ui| {
                    if small_button(ui, icon.codepoint, &name).clicked() {
                        action.run(state, &ctx);
                    }
                });
            }
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                line(ui, &before, theme::WEAK);
            });
        });
    });
    ui.allocate_ui(vec2(ui.available_width(), ROW), |ui| {
        ui.horizontal_centered(|ui| line(ui, &now, color));
    });
    ui.spacing_mut().item_spacing.y = 6.0;
}

fn line(ui: &mut Ui, text: &str, color: Color32) {
    let why = "Bytes of the animation and largest skin error, measured on the decoded bytes, before the last change and \
               now\nHold B to see the buffer in the compressed view; its curve is dashed";
    let text = RichText::new(text).size(12.0).color(color);
    ui.add(Label::new(text).truncate()).on_hover_text(why);
}

/// What was before, what is now, and whether that is more or less.
fn lines(state: &State, id: ClipId) -> (String, String, Color32) {
    let (Some(buffer), Some(now)) = (state.session.buffer(id), state.session.result(id)) else {
        let hint = "the result before the next change is kept here";
        return ("Buffer: empty".into(), hint.into(), theme::FAINT);
    };
    let word = if state.session.is_buffer_pinned(id) {
        "kept"
    } else {
        "before"
    };
    let before = format!("{word}: {}", figures(buffer));
    if std::sync::Arc::ptr_eq(buffer, now) {
        return (before, "now: the same".into(), theme::FAINT);
    }
    let text = format!(
        "→ now {}, {}",
        figures(now),
        share(buffer.animation_bytes, now.animation_bytes)
    );
    (before, text, theme::TEXT)
}

/// `1.7 KB · 0.497 mm`.
fn figures(result: &ClipResult) -> String {
    format!(
        "{} · {}",
        units::show_bytes(result.animation_bytes),
        units::show_mm(result.largest_error_m())
    )
}

/// How many bytes more or less: `−6 %`, `+0.4 %`, `×12`.
fn share(before: usize, now: usize) -> String {
    let ratio = now as f64 / before.max(1) as f64;
    let percent = 100.0 * (ratio - 1.0);
    match percent.abs() {
        0.0 => "as many bytes".into(),
        p if p < 9.95 => format!("{}{p:.1} %", sign(percent)),
        _ if ratio >= 10.0 => format!("×{ratio:.0}"),
        p => format!("{}{p:.0} %", sign(percent)),
    }
}

fn sign(value: f64) -> &'static str {
    if value < 0.0 { "−" } else { "+" }
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn shares_have_signs() {
        assert_eq!(share(1000, 940), "−6.0 %");
        assert_eq!(share(1000, 1004), "+0.4 %");
        assert_eq!(share(1000, 500), "−50 %");
        assert_eq!(share(1000, 12_000), "×12");
        assert_eq!(
            (share(7, 7), share(0, 0)),
            ("as many bytes".into(), "−100 %".into())
        );
    }
}
