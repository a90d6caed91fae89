use crate::codec::Deliverable;
use crate::gui::actions::{Action, clip_title, key_text};
use crate::gui::shell::Request;
use crate::gui::state::{Compare, State, Workspace};
use crate::gui::theme;
use crate::gui::verdict;
use crate::gui::widgets::{Mark, choice};
use crate::session::{Change, units};
use eframe::egui::{
    self, Align, Align2, Button, Color32, Layout, MenuBar, Rect, RichText, ScrollArea, Sense,
    Shape, Stroke, Ui, WidgetInfo, text::LayoutJob, text::TextFormat, vec2,
};

/// Least width of the title that names the file as well as the clip, points.
const FILE_AND_CLIP_WIDTH: f32 = 210.0;

/// Scales of the interface, percent.
const SCALES: [u32; 7] = [80, 90, 100, 110, 125, 150, 200];

/// Room for the menus, points.
const MENUS_WIDTH: f32 = 222.0;

/// Logo, menus, what is open, how it is compared, and the verdict.
pub fn top_bar_ui(ui: &mut Ui, state: &mut State) {
    ui.horizontal_centered(|ui| {
        logo(ui);
        menus(ui, state);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 8.0;
            verdict_buttons(ui, state);
            ui.add_space(8.0);
            if state.view.workspace == Workspace::Review {
                compare_ui(ui, state);
            }
            ui.add_space(4.0);
            workspace_ui(ui, state);
            ui.add_space(12.0);
            title(ui, state);
        });
    });
}

fn logo(ui: &mut Ui) {
    let (rect, _) = ui.allocate_exact_size(vec2(18.0, 18.0), Sense::hover());
    let c = rect.center();
    let diamond = |r: f32, color| {
        let points = [vec2(0.0, -r), vec2(r, 0.0), vec2(0.0, r), vec2(-r, 0.0)];
        let points = points.iter().map(|&v| c + v).collect();
        Shape::convex_polygon(points, color, Stroke::NONE)
    };
    ui.painter().add(diamond(8.5, theme::ACCENT));
    ui.painter().add(diamond(3.2, theme::PANEL));
    ui.label(theme::semibold("Posepress", 15.0).color(Color32::WHITE));
    ui.add_space(8.0);
}

fn menus(ui: &mut Ui, state: &mut State) {
    // A menu bar takes all the width that it is given.
    let size = vec2(MENUS_WIDTH, ui.available_height());
    let layout = Layout::left_to_right(Align::Center);
    ui.allocate_ui_with_layout(size, layout, |ui| menu_bar(ui, state));
}

fn menu_bar(ui: &mut Ui, state: &mut State) {
    use Action as A;
    MenuBar::new().ui(ui, |ui| {
        ui.menu_button("File", |ui| {
            items(ui, state, &[A::Open, A::OpenFolder]);
            recent_menu(ui, state);
            items(ui, state, &[A::Save]);
            ui.separator();
            items(ui, state, &[A::CloseFile, A::CloseAll]);
            ui.separator();
            items(ui, state, &[A::Export]);
            ui.separator();
            items(ui, state, &[A::Quit]);
        });
        ui.menu_button("Edit", |ui| {
            items(ui, state, &[A::Undo, A::Redo]);
            steps_menu(ui, state);
            ui.separator();
            items(ui, state, &[A::CopySettings, A::PasteSettings]);
            items(ui, state, &[A::ResetSettings, A::SavePreset]);
            ui.separator();
            items(ui, state, &[A::PinBuffer, A::SwapBuffer, A::RevertBuffer]);
            ui.separator();
            items(ui, state, &[A::TypeTolerance, A::NewRule]);
            items(ui, state, &JOINT_ACTIONS);
            ui.separator();
            items(ui, state, &[A::Palette]);
        });
        ui.menu_button("View", |ui| view_menu(ui, state));
        ui.menu_button("Clip", |ui| {
            items(ui, state, &[A::PreviousClip, A::NextClip]);
            ui.separator();
            items(ui, state, &[A::NextWorst, A::PreviousWorst]);
            ui.separator();
            items(
                ui,
                state,
                &[A::Approve, A::Reject, A::ClearVerdict, A::Note],
            );
            items(ui, state, &[A::BlindTest]);
            ui.separator();
            items(ui, state, &[A::SelectAllClips, A::ApprovePassing]);
            items(ui, state, &[A::CancelAll, A::GoOn]);
            ui.separator();
            items(ui, state, &[A::Looped, A::MeasureOn]);
            deliverable_menu(ui, state);
        });
        ui.menu_button("Help", |ui| items(ui, state, &[A::Shortcuts, A::About]));
    });
}

fn view_menu(ui: &mut Ui, state: &mut State) {
    use Action as A;
    items(ui, state, &[A::ReviewWorkspace, A::ClipsWorkspace]);
    ui.separator();
    items(ui, state, &[A::CompareSplit, A::CompareOverlay]);
    ui.separator();
    items(
        ui,
        state,
        &[A::Mesh, A::Textures, A::Joints, A::Grid, A::MovingGround],
    );
    ui.separator();
    items(
        ui,
        state,
        &[
            A::JointTrail,
            A::FootTrails,
            A::Inset,
            A::Exaggerate,
            A::Importance,
        ],
    );
    ui.separator();
    items(ui, state, &[A::FrameSelected, A::FrameAll]);
    items(
        ui,
        state,
        &[A::ViewFront, A::ViewRight, A::ViewTop, A::Orthographic],
    );
    ui.separator();
    ui.menu_button("Interface scale", |ui| {
        let now = (100.0 * ui.ctx().zoom_factor()).round() as u32;
        for percent in SCALES {
            if ui
                .selectable_label(now == percent, format!("{percent} %"))
                .clicked()
            {
                ui.ctx().set_zoom_factor(percent as f32 / 100.0);
                ui.close();
            }
        }
    });
    items(ui, state, &[A::LightTheme, A::ResetLayout]);
}

/// Files and folders that were open before.
fn recent_menu(ui: &mut Ui, state: &mut State) {
    let recent = state.shell.recent.clone();
    ui.add_enabled_ui(!recent.is_empty(), |ui| {
        ui.menu_button("Open recent", |ui| {
            for path in recent {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let row = ui.button(name.as_ref());
                if row.on_hover_text(path.display().to_string()).clicked() {
                    state.shell.requests.push(Request::Reopen(path));
                    ui.close();
                }
            }
        });
    });
}

/// All steps that can be taken back, the last one first; a click takes back those down to it.
fn steps_menu(ui: &mut Ui, state: &mut State) {
    let names: Vec<String> = state.session.undo_names().map(str::to_owned).collect();
    ui.add_enabled_ui(!names.is_empty(), |ui| {
        ui.menu_button("Undo down to", |ui| {
            ui.set_min_width(240.0);
            ScrollArea::vertical().max_height(420.0).show(ui, |ui| {
                for (k, name) in names.iter().enumerate() {
                    if ui.button(name).clicked() {
                        for _ in 0..=k {
                            state.session.undo();
                        }
                        state.shell.happened = format!("Took back {} steps", k + 1);
                        ui.close();
                    }
                }
            });
        });
    });
}

fn deliverable_menu(ui: &mut Ui, state: &mut State) {
    ui.menu_button("Deliverable", |ui| {
        let id = state.session.selected();
        let now = id.and_then(|c| Some(state.session.edits(c)?.settings.deliverable));
        for d in Deliverable::ALL {
            let text = format!("{} (.{})", d.name(), d.extension());
            if ui.selectable_label(now == Some(d), text).clicked() {
                state.change(Change::Deliverable(d), None);
                ui.close();
            }
        }
    });
}

/// Menu entries, each with its first key.
/// What can be done with the selected joints.
pub(super) const JOINT_ACTIONS: [Action; 6] = [
    Action::SelectBelow,
    Action::BranchRule,
    Action::MirrorJoints,
    Action::MarkFoot,
    Action::NoFeet,
    Action::ResetJoints,
];

pub(super) fn items(ui: &mut Ui, state: &mut State, actions: &[Action]) {
    ui.set_min_width(210.0);
    for &action in actions {
        let name = action.name(state);
        let mut button = match action.is_on(state) {
            None => Button::new(&name),
            Some(on) => {
                let color = if on {
                    theme::ACCENT
                } else {
                    Color32::TRANSPARENT
                };
                let tick = egui_material_icons::icons::ICON_CHECK.codepoint;
                Button::new((RichText::new(tick).size(15.0).color(color), name.as_str()))
            }
        };
        if let Some(key) = action.spec().keys.first() {
            button = button.shortcut_text(key_text(ui.ctx(), key));
        }
        let (enabled, on) = (action.is_enabled(state), action.is_on(state));
        let response = ui.add_enabled(enabled, button);
        response.widget_info(|| match on {
            Some(on) => WidgetInfo::selected(egui::Role::MenuItem, enabled, on, &name),
            None => WidgetInfo::labeled(egui::Role::MenuItem, enabled, &name),
        });
        if response.clicked() {
            let ctx = ui.ctx().clone();
            action.run(state, &ctx);
            ui.close();
        }
    }
}

fn verdict_buttons(ui: &mut Ui, state: &mut State) {
    use egui_material_icons::icons::{ICON_CHECK, ICON_CLOSE};
    let ctx = ui.ctx().clone();
    let export = Button::new(theme::semibold("Export…", 13.0).color(theme::PANEL))
        .fill(theme::ACCENT)
        .min_size(vec2(74.0, 28.0));
    let export = ui.add_enabled(Action::Export.is_enabled(state), export);
    if export
        .on_hover_text("Export all clips that are approved as they are now (Ctrl+E)")
        .clicked()
    {
        Action::Export.run(state, &ctx);
    }
    let mark = verdict::standing(state);
    for (action, icon, look) in [
        (Action::Reject, ICON_CLOSE, reject_look(mark)),
        (Action::Approve, ICON_CHECK, approve_look(mark)),
    ] {
        let enabled = action.is_enabled(state);
        let response = ui.add_enabled(enabled, look.button(icon.codepoint));
        response.widget_info(|| {
            WidgetInfo::selected(egui::Role::Button, enabled, look.given, look.text)
        });
        if response.on_hover_text(look.why).clicked() {
            action.run(state, &ctx);
        }
    }
}

/// How the button of a verdict looks.
struct VerdictLook {
    text: &'static str,
    color: Color32,
    /// The verdict is in force: the button is filled.
    given: bool,
    why: &'static str,
}

impl VerdictLook {
    fn button(&self, icon: &str) -> Button<'static> {
        let (ink, fill) = if self.given {
            (theme::PANEL, self.color)
        } else {
            (self.color, theme::over(theme::PANEL, self.color, 0.12))
        };
        let icon = RichText::new(icon).size(15.0).color(ink);
        let text = theme::medium(self.text, 13.0).color(ink);
        Button::new((icon, text))
            .fill(fill)
            .stroke(Stroke::new(1.0, theme::over(theme::PANEL, self.color, 0.3)))
            .gap(5.0)
            .min_size(vec2(96.0, 28.0))
    }
}

fn approve_look(mark: Mark) -> VerdictLook {
    let (text, color, why) = match mark {
        Mark::Approved => (
            "Approved",
            theme::GOOD,
            "This clip may ship, as these very bytes; click to take that back (Y)",
        ),
        Mark::Stale => (
            "Stale",
            theme::WARNING,
            "Approved, and changed since; click to approve it as it is now (Y)",
        ),
        _ => (
            "Approve",
            theme::GOOD,
            "This clip may ship, as these very bytes (Y)",
        ),
    };
    VerdictLook {
        text,
        color,
        given: mark == Mark::Approved,
        why,
    }
}

fn reject_look(mark: Mark) -> VerdictLook {
    let given = mark == Mark::Rejected;
    let (text, why) = if given {
        (
            "Rejected",
            "This clip must not ship; click to say otherwise why (Shift+Y)",
        )
    } else {
        ("Reject", "This clip must not ship (Shift+Y)")
    };
    VerdictLook {
        text,
        color: theme::BAD,
        given,
        why,
    }
}

fn workspace_ui(ui: &mut Ui, state: &mut State) {
    let options = [
        (
            Workspace::Review,
            "Review",
            "One clip: views, curves and feet (F2)",
        ),
        (
            Workspace::Clips,
            "Clips",
            "The table of all clips of all open files (F3)",
        ),
    ];
    if let Some(workspace) = choice(ui, state.view.workspace, &options, 140.0) {
        let action = match workspace {
            Workspace::Review => Action::ReviewWorkspace,
            Workspace::Clips => Action::ClipsWorkspace,
        };
        action.run(state, &ui.ctx().clone());
    }
}

fn compare_ui(ui: &mut Ui, state: &mut State) {
    let options = [
        (
            Compare::Split,
            "Split",
            "Source and compressed side by side, one camera",
        ),
        (
            Compare::Overlay,
            "Overlay",
            "Source, seen through, and compressed in one place",
        ),
    ];
    if let Some(compare) = choice(ui, state.view.compare, &options, 150.0) {
        state.view.compare = compare;
    }
}

/// `30 fps`; odd rates keep their decimals.
pub(super) fn rate_text(rate_hz: f64) -> String {
    if (rate_hz - rate_hz.round()).abs() < 0.005 {
        return format!("{rate_hz:.0} fps");
    }
    format!("{rate_hz:.2} fps")
}

/// What is open: file, clip, and the clip's figures.
fn title(ui: &mut Ui, state: &State) {
    let (rect, response) = ui.allocate_exact_size(
        vec2(ui.available_width(), ui.available_height()),
        Sense::hover(),
    );
    let (Some(clip), Some(id)) = (state.clip(), state.session.selected()) else {
        return;
    };
    let Some(document) = state.session.document(id.document) else {
        return;
    };
    let grid = clip.grid();
    let tracks = format!(
        "  ·  {}  ·  {} at {}  ·  {:.2} s  ·  1 unit = {}",
        counted(clip.skeleton().len(), "joint"),
        counted(grid.frames, "frame"),
        rate_text(grid.rate_hz),
        grid.duration_secs(),
        unit_text(document.edits.unit_m),
    );
    let mut job = LayoutJob::default();
    let mut add = |text: &str, font, color| {
        job.append(text, 0.0, TextFormat::simple(font, color));
    };
    // Where there is little room, the clip's name comes first.
    if rect.width() >= FILE_AND_CLIP_WIDTH {
        add(
            &document.file_name(),
            theme::semibold_font(13.0),
            theme::TEXT,
        );
        add("  ›  ", egui::FontId::proportional(13.0), theme::FAINT);
    }
    add(
        &clip_title(clip.name(), id.clip),
        theme::medium_font(13.0),
        theme::TEXT,
    );
    add(&tracks, egui::FontId::proportional(12.5), theme::WEAK);
    job.wrap = egui::text::TextWrapping::truncate_at_width((rect.width() - 16.0).max(10.0));
    let galley = ui.painter().layout_job(job);
    let at = Align2::CENTER_CENTER.anchor_size(rect.center(), galley.size());
    let at = Rect::from_min_size(at.min.round(), galley.size());
    let text = galley.text().to_owned();
    ui.painter().galley(at.min, galley, theme::TEXT);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &text));
    response.on_hover_ui(|ui| {
        ui.label(RichText::new(document.asset.path.display().to_string()).color(theme::WEAK));
        ui.label(text);
    });
}

fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Metres of a unit in the words of a person.
pub(super) fn unit_text(unit_m: f64) -> String {
    match unit_m {
        1.0 => "1 m".into(),
        0.01 => "1 cm".into(),
        0.001 => "1 mm".into(),
        _ => format!("{} m", units::digits(unit_m)),
    }
}
