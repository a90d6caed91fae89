//! The window: puts the panels together and does what only the application can do.

use super::clip_table::clip_table_ui;
use super::dialogs::{DesktopDialogs, FileDialogs};
use super::fence::{Fault, fault_ui};
use super::open;
use super::panels;
use super::shell::{Closing, Request, Sheet};
use super::shot::{Outcome, Shooting, Shot};
use super::state::{State, ViewOptions, Workspace};
use super::theme;
use super::timeline::timeline_ui;
use super::view::ViewPainter;
use super::{abx, actions, sheets, verdict};
use crate::gui::within::Within as _;
use crate::import::{self, LoadOptions};
use crate::session::{Notice, Preset, Session, state_folder};
use eframe::egui::{self, CentralPanel, Frame, Margin, Panel, Ui, ViewportBuilder, vec2};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError};
use std::time::Instant;

/// Grows whenever what is kept changes its meaning.
const KEPT_KEY: &str = "posepress-1";

/// The clip that comes with the program, so that nobody starts before an empty window.
const EXAMPLE: &[u8] = include_bytes!("../../assets/mannequin.glb");
const EXAMPLE_NAME: &str = "mannequin.glb";

/// A step of the playhead never takes more time than this, however long a frame took, seconds.
const LONGEST_TICK_SECS: f64 = 0.1;

/// How the window starts.
#[derive(Clone, Debug, Default)]
pub struct WindowOptions {
    /// Files to open; the bundled clip when empty.
    pub files: Vec<PathBuf>,
    /// Width and height in points; the last ones, or 1600 x 1000, where `None`.
    pub size: Option<[u32; 2]>,
    /// Take a picture and close.
    pub shot: Option<Shot>,
}

/// What is kept from one start to the next, besides what egui keeps: panel sizes and scale.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
struct Kept {
    view: ViewOptions,
    recent: Vec<PathBuf>,
    export_folders: Vec<PathBuf>,
}

/// The application.
pub struct App {
    /// What the panels read and change.
    pub state: State,
    dialogs: Box<dyn FileDialogs>,
    shooting: Option<Shooting>,
    /// Shared with whoever started the window.
    fault: Arc<OnceLock<Fault>>,
    title: String,
    /// Up to which number files went into the list of recent ones.
    noted: usize,
}

impl App {
    /// The window's content. Opens `files`, or the bundled clip when there are none.
    pub fn new(cc: &eframe::CreationContext<'_>, files: &[PathBuf]) -> Self {
        Self::with_dialogs(cc, files, Box::new(DesktopDialogs::default()))
    }

    /// As [`App::new`], with other dialogs than the desktop's.
    pub fn with_dialogs(
        cc: &eframe::CreationContext<'_>,
        files: &[PathBuf],
        dialogs: Box<dyn FileDialogs>,
    ) -> Self {
        theme::install(&cc.egui_ctx);
        let ctx = cc.egui_ctx.clone();
        let mut state = State::new(Session::new(move || ctx.request_repaint()));
        state.shell.stage.painter = ViewPainter::new(cc.gl.clone());
        let mut app = Self {
            state,
            dialogs,
            shooting: None,
            fault: Arc::default(),
            title: String::new(),
            noted: 0,
        };
        app.restore(cc);
        if files.is_empty() {
            app.open_example();
        }
        open::open(&mut app.state, files);
        app
    }

    fn restore(&mut self, cc: &eframe::CreationContext<'_>) {
        let kept = cc
            .storage
            .and_then(|s| eframe::get_value::<Kept>(s, KEPT_KEY));
        if let Some(kept) = kept {
            self.state.view = kept.view;
            self.state.shell.recent = kept.recent;
            self.state.shell.export_folders = kept.export_folders;
        }
    }

    fn open_example(&mut self) {
        match import::load_bytes(Path::new(EXAMPLE_NAME), EXAMPLE, &LoadOptions::default()) {
            Ok(asset) => self.state.session.add(asset),
            Err(e) => {
                let notice = Notice::error("The bundled clip cannot be read", e.to_string());
                self.state.session.notify(notice);
            }
        }
    }

    /// Keeps unsaved work safe below a folder from now on, offers what a crash left there, and finds own presets.
    pub fn keep_safe(&mut self, folder: &Path) {
        self.state.session.keep_safe(folder);
        if !self.state.session.recoverable().is_empty() {
            self.state.shell.sheet = Some(Sheet::Recover);
        }
        let presets = folder.join("presets");
        self.state.shell.presets = Preset::in_folder(&presets);
        self.state.shell.preset_folder = Some(presets);
    }

    /// The fault that stopped the window, if one did.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.get()
    }

    /// Does something of a frame, unless there was a fault; one that happens is told from the next frame on.
    fn fenced(&mut self, ctx: &egui::Context, frame: impl FnOnce(&mut Self)) {
        if self.fault().is_some() {
            return;
        }
        let Err(panic) = catch_unwind(AssertUnwindSafe(|| frame(self))) else {
            return;
        };
        let session = &mut self.state.session;
        self.fault.get_or_init(|| Fault::of(&*panic, session));
        if self.shooting.is_some() {
            ctx.send_viewport_cmd(egui::ViewportCommand::Close);
        }
        ctx.request_repaint();
    }

    /// Whether the next start shows what this one showed: not after a fault, which that may have caused.
    fn is_remembered(&self) -> bool {
        self.shooting.is_none() && self.fault().is_none()
    }

    fn frame(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        self.state.sync();
        self.set_stage(&ctx);
        self.panels(ui);
        if self.state.shell.blind.is_none() {
            verdict::toast_ui(ui, &mut self.state);
        }
        panels::sheets_ui(ui, &mut self.state);
        drop_hint(ui);
        actions::keyboard(&ctx, &mut self.state);
        self.fulfil(&ctx);
        self.autosave(&ctx);
        let hover = self.state.shell.hover.take();
        if hover != self.state.hovered_joint {
            self.state.hovered_joint = hover;
            ctx.request_repaint();
        }
    }

    /// After everything that may have changed something.
    fn autosave(&mut self, ctx: &egui::Context) {
        let state = &mut self.state;
        let dragging = state.shell.gesture.is_some() || ctx.input(|i| i.pointer.any_down());
        if let Some(wait) = state.session.autosave(Instant::now(), dragging) {
            ctx.request_repaint_after(wait);
        }
    }

    /// What happens by itself as time goes by.
    fn look_after(&mut self, ctx: &egui::Context) {
        let state = &mut self.state;
        state.session.watch(Instant::now());
        let closing = ctx.input(|i| i.viewport().close_requested());
        if closing && state.session.is_dirty() && !state.shell.may_close {
            ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            state.shell.closing = Closing::Window;
            state.shell.sheet = Some(Sheet::Unsaved);
        }
        super::light::set(ctx, state.view.light);
        open::note_opened(state, &mut self.noted);
    }

    /// What happens whether or not anything is drawn.
    fn advance(&mut self, ctx: &egui::Context) {
        self.look_after(ctx);
        let state = &mut self.state;
        let worked = state.session.busy_clips() > 0;
        if state.session.poll() && worked && state.session.busy_clips() == 0 {
            // The status line falls back to what was solved last.
            state.shell.happened.clear();
        }
        state.sync();
        let dropped = ctx.input(|i| i.raw.dropped_files.clone());
        let dropped: Vec<PathBuf> = dropped.iter().map(|f| f.path().to_owned()).collect();
        open::open(state, &dropped);
        abx::follow(state);
        while let Some(answer) = self.dialogs.poll() {
            sheets::answered(state, &answer);
        }
        let Some(grid) = state.clip().map(|c| c.grid()) else {
            return;
        };
        let dt = f64::from(ctx.input(|i| i.stable_dt)).min(LONGEST_TICK_SECS);
        if state.transport.playing.is_some() {
            state.transport.tick(dt, &grid);
            ctx.request_repaint();
        }
        let selected = state.session.selected();
        let all_are_seen = state.view.workspace == Workspace::Clips;
        if selected.is_some_and(|c| state.session.is_busy(c))
            || (all_are_seen && state.session.busy_clips() > 0)
        {
            // The bar moves while the worker does.
            ctx.request_repaint_after(std::time::Duration::from_millis(100));
        }
    }

    fn set_stage(&mut self, ctx: &egui::Context) {
        let state = &mut self.state;
        if state.view.workspace == Workspace::Clips {
            // Nothing of it is seen, and going through the table moves no camera.
            return;
        }
        let (Some(id), Some(clip)) = (state.session.selected(), state.clip().cloned()) else {
            return;
        };
        let Some(document) = state.session.document(id.document) else {
            return;
        };
        let (asset, unit_m) = (document.asset.clone(), document.edits.unit_m);
        let result = state.staged_result().cloned();
        let (ctx, frame) = (ctx.clone(), state.transport.frame);
        let wake = move || ctx.request_repaint();
        let stage = &mut state.shell.stage;
        stage.set(&asset, &clip, result.as_ref(), frame, unit_m, wake);
    }

    fn fulfil(&mut self, ctx: &egui::Context) {
        for request in std::mem::take(&mut self.state.shell.requests) {
            match request {
                Request::Browse(ask) => self.dialogs.ask(ask, ctx),
                Request::Example => self.open_example(),
                Request::Reopen(path) => open::open(&mut self.state, &[path]),
            }
        }
    }

    /// The window's title follows the file.
    fn retitle(&mut self, ctx: &egui::Context) {
        let session = &self.state.session;
        let selected = session.selected();
        let title = match selected.and_then(|id| session.document(id.document)) {
            Some(document) => {
                let star = if document.is_dirty() { "*" } else { "" };
                format!("{star}{} - Posepress", document.file_name())
            }
            None => "Posepress".to_owned(),
        };
        if title != self.title {
            ctx.send_viewport_cmd(egui::ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }

    fn panels(&mut self, ui: &mut Ui) {
        let state = &mut self.state;
        if state.shell.blind.is_some() {
            return abx::blind_ui(ui, state);
        }
        // The window is cleared in the panels' colour: painting it again would cost a software renderer
        // as much as both views.
        let frame = |x, y| Frame::new().inner_margin(Margin::symmetric(x, y));
        Panel::top("top bar")
            .exact_size(46.0)
            .resizable(false)
            .frame(frame(14, 0))
            .show(ui, |ui| panels::top_bar_ui(ui, state));
        Panel::bottom("status line")
            .exact_size(26.0)
            .resizable(false)
            .frame(frame(14, 0))
            .show(ui, |ui| panels::status_ui(ui, state));
        if state.session.selected().is_none() {
            let back = Frame::new().fill(theme::BACKGROUND);
            CentralPanel::no_frame().frame(back).show(ui, |ui| {
                panels::empty_ui(ui, state);
                panels::notices_ui(ui, state, ui.max_rect());
            });
            return;
        }
        Panel::top("judgement")
            .exact_size(24.0)
            .resizable(false)
            .frame(frame(14, 0))
            .show(ui, |ui| panels::judged_ui(ui, state));
        let wide = ui.available_width() >= 1500.0;
        if state.view.workspace == Workspace::Clips {
            return clips_workspace(ui, state, wide);
        }
        Panel::left("clips and joints")
            .default_size(if wide { 276.0 } else { 256.0 })
            .size_range(210.0..=420.0)
            .frame(frame(10, 8))
            .show(ui, |ui| {
                fixed(ui, |ui| {
                    panels::clips_ui(ui, state);
                    super::widgets::rule(ui);
                    panels::joints_ui(ui, state);
                });
            });
        inspector(ui, state, wide);
        let height = ui.available_height();
        Panel::bottom("timeline")
            .resizable(true)
            .default_size((0.40 * height).round())
            .size_range(140.0..=(0.7 * height).max(150.0))
            .frame(frame(0, 0))
            .show(ui, |ui| fixed(ui, |ui| timeline_ui(ui, state)));
        CentralPanel::no_frame().show(ui, |ui| {
            let rect = ui.max_rect();
            panels::views_ui(ui, state);
            panels::notices_ui(ui, state, rect);
        });
    }
}

/// The right column of both workspaces.
fn inspector(ui: &mut Ui, state: &mut State, wide: bool) {
    let margin = Margin {
        left: 14,
        right: 2,
        top: 8,
        bottom: 8,
    };
    Panel::right("clip target")
        .default_size(if wide { 322.0 } else { 300.0 })
        .size_range(284.0..=460.0)
        .frame(Frame::new().inner_margin(margin))
        .show(ui, |ui| fixed(ui, |ui| panels::inspector_ui(ui, state)));
}

/// The table in the place of lists, views and timeline.
fn clips_workspace(ui: &mut Ui, state: &mut State, wide: bool) {
    inspector(ui, state, wide);
    CentralPanel::no_frame().show(ui, |ui| {
        let rect = ui.max_rect();
        let mut table =
            ui.new_child(egui::UiBuilder::new().max_rect(rect.shrink2(vec2(12.0, 8.0))));
        clip_table_ui(&mut table, state);
        panels::notices_ui(ui, state, rect);
    });
}

impl eframe::App for App {
    fn logic(&mut self, ctx: &egui::Context, _frame: &mut eframe::Frame) {
        self.fenced(ctx, |app| {
            app.advance(ctx);
            app.retitle(ctx);
            if let Some(shooting) = &mut app.shooting {
                shooting.step(ctx, &mut app.state);
            }
        });
    }

    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        if let Some(fault) = self.fault() {
            return fault_ui(ui, fault);
        }
        let ctx = ui.ctx().clone();
        self.fenced(&ctx, |app| app.frame(ui));
    }

    fn clear_color(&self, _visuals: &egui::Visuals) -> [f32; 4] {
        let panel = if self.state.view.light {
            super::light::turned(theme::PANEL)
        } else {
            theme::PANEL
        };
        panel.to_normalized_gamma_f32()
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        if !self.is_remembered() {
            return;
        }
        let kept = Kept {
            view: self.state.view.clone(),
            recent: self.state.shell.recent.clone(),
            export_folders: self.state.shell.export_folders.clone(),
        };
        eframe::set_value(storage, KEPT_KEY, &kept);
    }

    fn persist_egui_memory(&self) -> bool {
        self.is_remembered()
    }

    fn raw_input_hook(&mut self, _ctx: &egui::Context, raw: &mut egui::RawInput) {
        if self.shooting.is_some() {
            // A picture does not depend on where the mouse happens to be.
            raw.events.clear();
            raw.hovered_files.clear();
        }
    }

    fn on_exit(&mut self, _gl: Option<&eframe::glow::Context>) {
        // Whoever ends it otherwise is asked at the next start.
        if self.state.shell.may_close || !self.state.session.is_dirty() {
            self.state.session.close_safely();
        }
        self.state.shell.stage.painter.release();
    }
}

/// Shows a panel's content in exactly the room that the panel has: content never makes a panel grow.
fn fixed(ui: &mut Ui, content: impl FnOnce(&mut Ui)) {
    let rect = ui.available_rect_before_wrap();
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(rect));
    content(&mut child);
    ui.allocate_rect(rect, egui::Sense::hover());
}

/// While files are held over the window.
fn drop_hint(ui: &Ui) {
    if ui.input(|i| i.raw.hovered_files.is_empty()) {
        return;
    }
    let layer = egui::LayerId::new(egui::Order::Foreground, egui::Id::unique("drop hint"));
    let painter = ui.ctx().layer_painter(layer);
    let rect = ui.ctx().content_rect();
    painter.rect_filled(rect, 0, egui::Color32::from_black_alpha(150));
    let inner = rect.shrink(24.0);
    let line = egui::Stroke::new(2.0, theme::ACCENT);
    painter.rect_stroke(inner, 14, line, egui::StrokeKind::Inside);
    painter.text(
        rect.center(),
        egui::Align2::CENTER_CENTER,
        "Drop to open",
        theme::semibold_font(22.0),
        egui::Color32::WHITE,
    );
}

/// Why the window ended otherwise than well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// There is no display or no OpenGL, or a shot could not be taken.
    Failed(String),
    /// A fault of the program.
    Fault(Fault),
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Failed(text) => f.write_str(text),
            Self::Fault(fault) => fault.fmt(f),
        }
    }
}

/// Opens the window and returns when it is closed. Fails where there is no display or no OpenGL, with the reason when
/// a shot could not be taken, and after a fault of the program.
pub fn run(options: WindowOptions) -> Result<(), Ended> {
    let outcome = Outcome::default();
    let fault: Arc<OnceLock<Fault>> = Arc::default();
    let shot_size = options.shot.as_ref().map(|s| s.size);
    let size = shot_size.or(options.size).unwrap_or([1600, 1000]);
    let viewport = ViewportBuilder::default()
        .with_title("Posepress")
        .with_app_id("posepress")
        .with_icon(icon())
        .with_inner_size(vec2(size[0] as f32, size[1] as f32))
        .with_min_inner_size(vec2(1080.0, 640.0));
    let is_shot = options.shot.is_some();
    let native = eframe::NativeOptions {
        viewport,
        renderer: eframe::Renderer::Glow,
        dithering: false,
        persist_window: !is_shot && options.size.is_none(),
        // A picture must not depend on what somebody did to the window before.
        persistence_path: is_shot.then(nowhere),
        ..Default::default()
    };
    let (shared, told) = (outcome.clone(), fault.clone());
    eframe::run_native(
        "posepress",
        native,
        Box::new(move |cc| {
            let mut app = App::new(cc, &options.files);
            app.fault = told;
            if let Some(shot) = options.shot {
                cc.egui_ctx.set_pixels_per_point(1.0);
                app.state.view.light = shot.light;
                app.shooting = Some(Shooting::new(shot, shared));
            } else if let Some(folder) = state_folder() {
                app.keep_safe(&folder);
            }
            Ok(Box::new(app))
        }),
    )
    .map_err(|e| Ended::Failed(format!("the window cannot be opened: {e}")))?;
    if let Some(fault) = fault.get() {
        return Err(Ended::Fault(fault.clone()));
    }
    let outcome = outcome
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    match outcome {
        Some(result) => result.map_err(Ended::Failed),
        None if is_shot => {
            let text = "the window was closed before the picture was taken";
            Err(Ended::Failed(text.into()))
        }
        None => Ok(()),
    }
}

/// A file that does not exist and is never written.
fn nowhere() -> PathBuf {
    std::env::temp_dir().join(format!("posepress-shot-{}.ron", std::process::id()))
}

/// The logo, 64 x 64.
fn icon() -> egui::IconData {
    let side = 64_i32;
    let mut rgba = Vec::with_capacity(4 * (side * side) as usize);
    for y in 0..side {
        for x in 0..side {
            let (dx, dy) = ((2 * x + 1 - side).abs(), (2 * y + 1 - side).abs());
            let d = (dx + dy) as f32 / side as f32;
            let edge = |limit: f32| ((limit - d) * 0.5 * side as f32).within(0.0, 1.0);
            let alpha = edge(0.96) * (1.0 - edge(0.34));
            let c = theme::ACCENT;
            rgba.extend([c.r(), c.g(), c.b(), (255.0 * alpha) as u8]);
        }
    }
    egui::IconData {
        rgba,
        width: side as u32,
        height: side as u32,
    }
}
