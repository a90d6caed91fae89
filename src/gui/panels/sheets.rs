use crate::gui::actions::{TABLE, key_text};
use crate::gui::shell::Sheet;
use crate::gui::state::State;
use crate::gui::theme;
use eframe::egui::{Align2, Color32, Frame, Grid, Margin, RichText, Ui, Window, vec2};

/// What the mouse does; the keys stand in the table of actions.
const MOUSE: [(&str, &str); 6] = [
    ("Turn the view", "drag left or middle"),
    ("Move the view", "drag right, Shift + drag"),
    ("Nearer, further", "wheel, Alt + drag right"),
    ("Select a joint", "click a bone"),
    ("Set a slider finely", "Shift + drag"),
    ("Reset a slider", "right click"),
];

/// Sheets over the window: keys, about.
pub fn sheets_ui(ui: &Ui, state: &mut State) {
    let mut open = true;
    match state.shell.sheet {
        None => return,
        Some(Sheet::Shortcuts) => window("Keys", &mut open, ui, keys_ui),
        Some(Sheet::About) => window("About Posepress", &mut open, ui, about_ui),
        Some(Sheet::Notices) => {
            let notices = state.session.notices();
            let list = |ui: &mut Ui| super::notices::notice_list(ui, notices);
            window("Messages", &mut open, ui, list);
        }
        Some(Sheet::Open) => crate::gui::sheets::open_ui(ui, state),
        Some(Sheet::Export) => crate::gui::sheets::export_ui(ui, state),
        Some(Sheet::Palette) => super::palette::palette_ui(ui, state),
        Some(sheet) => super::dialogs::dialog_ui(ui, state, sheet),
    }
    if !open {
        state.shell.sheet = None;
    }
}

fn window(title: &str, open: &mut bool, ui: &Ui, content: impl FnOnce(&mut Ui)) {
    Window::new(theme::semibold(title, 14.0))
        .open(open)
        .collapsible(false)
        .resizable(false)
        .anchor(Align2::CENTER_CENTER, vec2(0.0, 0.0))
        .show(ui.ctx(), content);
}

/// Columns of the sheet of keys.
pub(crate) const GROUPS: [&[&str]; 3] = [
    &["File", "Edit", "Review", "Clip", "Help"],
    &["Playback", "Tune", "Table"],
    &["View", "Mouse"],
];

fn keys_ui(ui: &mut Ui) {
    ui.horizontal_top(|ui| {
        for (k, column) in GROUPS.into_iter().enumerate() {
            if k > 0 {
                ui.add_space(18.0);
            }
            ui.vertical(|ui| {
                for group in column {
                    group_ui(ui, group);
                    ui.add_space(8.0);
                }
            });
        }
    });
}

fn group_ui(ui: &mut Ui, group: &str) {
    ui.label(theme::semibold(group, 12.0).color(theme::ACCENT));
    Grid::new(group).spacing(vec2(18.0, 4.0)).show(ui, |ui| {
        if group == "Mouse" {
            for (what, how) in MOUSE {
                line(ui, what, how);
            }
            return;
        }
        if group == "View" {
            line(ui, "Show the source while held", "`");
            line(ui, "Show the buffer while held", "B");
        }
        for spec in TABLE
            .iter()
            .filter(|s| s.group == group && !s.keys.is_empty())
        {
            let keys: Vec<String> = spec.keys.iter().map(|k| key_text(ui.ctx(), k)).collect();
            line(ui, spec.name, &keys.join("  or  "));
        }
    });
}

fn line(ui: &mut Ui, what: &str, how: &str) {
    ui.label(RichText::new(what).size(12.5).color(theme::TEXT));
    Frame::new()
        .fill(theme::RAISED)
        .corner_radius(4)
        .inner_margin(Margin::symmetric(6, 1))
        .show(ui, |ui| {
            ui.label(theme::medium(how, 12.0).color(Color32::WHITE))
        });
    ui.end_row();
}

fn about_ui(ui: &mut Ui) {
    ui.set_width(380.0);
    let version = format!("Posepress {}", env!("CARGO_PKG_VERSION"));
    ui.label(theme::semibold(version, 16.0));
    ui.label(env!("CARGO_PKG_DESCRIPTION"));
    ui.add_space(6.0);
    let rule = "What you see and what is measured is always decoded from the exact bytes that will be exported.";
    ui.label(RichText::new(rule).color(theme::WEAK));
    ui.add_space(6.0);
    let licence = format!("Licence: {}", env!("CARGO_PKG_LICENSE"));
    ui.label(theme::hint(licence));
    ui.label(theme::hint(
        "Typeface Inter, SIL Open Font License 1.1; Material Symbols, Apache 2.0",
    ));
}
