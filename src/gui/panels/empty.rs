use crate::gui::actions::Action;
use crate::gui::shell::Request;
use crate::gui::state::State;
use crate::gui::theme;
use eframe::egui::{self, Button, Color32, RichText, Stroke, StrokeKind, Ui, vec2};

/// What stands in the window's place while nothing is open: what to do next.
pub fn empty_ui(ui: &mut Ui, state: &mut State) {
    let rect = ui.available_rect_before_wrap();
    let card = egui::Rect::from_center_size(rect.center(), vec2(460.0, 304.0));
    ui.painter().rect(
        card,
        14,
        theme::PANEL,
        Stroke::new(1.5, theme::LINE),
        StrokeKind::Inside,
    );
    let mut ui = ui.new_child(
        egui::UiBuilder::new()
            .max_rect(card.shrink(26.0))
            .layout(egui::Layout::top_down(egui::Align::Center)),
    );
    let loading = state.session.loading().first().cloned();
    let icon = egui_material_icons::icons::ICON_FILE_OPEN.codepoint;
    ui.add_space(6.0);
    ui.label(RichText::new(icon).size(44.0).color(theme::ACCENT));
    if let Some(path) = loading {
        ui.label(theme::semibold("Loading…", 18.0).color(Color32::WHITE));
        ui.label(RichText::new(path.display().to_string()).color(theme::WEAK));
        return;
    }
    ui.label(theme::semibold("Drop a .glb, a .gltf or a folder here", 18.0).color(Color32::WHITE));
    let what = "Every clip in it is compressed at once. Compare it with the source,\nset the error target, approve what is good and export it.";
    ui.label(RichText::new(what).color(theme::WEAK));
    ui.add_space(12.0);
    let open = Button::new(theme::semibold("Open…", 14.0).color(theme::PANEL))
        .fill(theme::ACCENT)
        .min_size(vec2(150.0, 32.0));
    if ui.add(open).on_hover_text("Ctrl+O").clicked() {
        let ctx = ui.ctx().clone();
        Action::Open.run(state, &ctx);
    }
    ui.add_space(2.0);
    let folder = Button::new(theme::medium("Open folder…", 13.0)).min_size(vec2(150.0, 28.0));
    let why = "All clips below a folder, in a table (Ctrl+Shift+O)";
    if ui.add(folder).on_hover_text(why).clicked() {
        let ctx = ui.ctx().clone();
        Action::OpenFolder.run(state, &ctx);
    }
    ui.add_space(2.0);
    if ui
        .link("Open the example that comes with Posepress")
        .clicked()
    {
        state.shell.requests.push(Request::Example);
    }
}
