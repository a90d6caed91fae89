//! A picture of the real window, taken by itself once everything is there.

use super::sheets;
use super::shell::Sheet;
use super::state::{Compare, State, Workspace};
use eframe::egui::{self, ColorImage, ViewportCommand};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Frames that are drawn after the work is done: panels settle, edges are smoothed.
const SETTLE_FRAMES: u32 = 12;

/// How long loading and compressing may take.
const TIME_OUT: Duration = Duration::from_mins(8);

/// What the picture shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shot {
    /// Where the PNG goes.
    pub path: PathBuf,
    /// Name or index of a clip; the first where `None`.
    pub clip: Option<String>,
    /// The playhead, in frames; clamped to the clip.
    pub frame: Option<f64>,
    /// Name of the selected joint.
    pub joint: Option<String>,
    /// How the two are compared.
    pub view: Compare,
    /// One clip, or the table of all.
    pub workspace: Workspace,
    /// Width and height of the window in pixels.
    pub size: [u32; 2],
    /// In the light theme.
    pub light: bool,
    /// A sheet over the window: [`Sheet::Open`] or [`Sheet::Export`].
    pub sheet: Option<Sheet>,
}

/// What came of it, shared with whoever started the window.
pub(super) type Outcome = Arc<Mutex<Option<Result<(), String>>>>;

/// A shot under way.
pub(super) struct Shooting {
    shot: Shot,
    outcome: Outcome,
    started: Instant,
    applied: bool,
    settled: u32,
    requested: bool,
}

impl Shooting {
    pub(super) fn new(shot: Shot, outcome: Outcome) -> Self {
        Self {
            shot,
            outcome,
            started: Instant::now(),
            applied: false,
            settled: 0,
            requested: false,
        }
    }

    /// Called once a frame; asks for the picture when all is there, and for the next frame until then.
    pub(super) fn step(&mut self, ctx: &egui::Context, state: &mut State) {
        if self.requested {
            return;
        }
        ctx.request_repaint();
        if self.started.elapsed() > TIME_OUT {
            let text = format!(
                "no picture after {} s: loading or compressing takes too long",
                TIME_OUT.as_secs()
            );
            return self.finish(ctx, Err(text));
        }
        let session = &state.session;
        if let Some(notice) = session
            .notices()
            .iter()
            .find(|_| session.documents().is_empty())
            && session.loading().is_empty()
        {
            let text = format!("{}: {}", notice.title, notice.text);
            return self.finish(ctx, Err(text));
        }
        let idle = session.loading().is_empty() && session.busy_clips() == 0;
        if !idle || session.documents().is_empty() {
            return;
        }
        if !self.applied {
            self.applied = true;
            if let Err(text) = self.apply(state) {
                self.finish(ctx, Err(text));
            }
            return;
        }
        // The curve of sizes is part of the picture, unless that takes all the time there is.
        if session.is_measuring_sizes() && self.started.elapsed() < TIME_OUT / 2 {
            self.settled = 0;
            return;
        }
        self.settled += 1;
        if self.settled >= SETTLE_FRAMES {
            self.take(ctx);
        }
    }

    /// Selects what the picture shows.
    fn apply(&self, state: &mut State) -> Result<(), String> {
        state.view.compare = self.shot.view;
        state.view.workspace = self.shot.workspace;
        if let Some(wanted) = &self.shot.clip {
            let ids: Vec<_> = state.session.clip_ids().collect();
            let named = |id: &&crate::session::ClipId| {
                state.session.clip(**id).is_some_and(|c| c.name() == wanted)
            };
            let by_index = || ids.get(wanted.parse::<usize>().ok()?);
            let id = ids.iter().find(named).or_else(by_index).copied();
            let id = id.ok_or_else(|| format!("there is no clip '{wanted}'"))?;
            state.session.select(id);
        }
        state.sync();
        let clip = state.clip().cloned().ok_or("there is no clip")?;
        if let Some(wanted) = &self.shot.joint {
            let joint = clip.skeleton().find(wanted);
            state.joint = joint.ok_or_else(|| format!("there is no joint '{wanted}'"))?;
        }
        state
            .transport
            .go_to(self.shot.frame.unwrap_or(0.0), &clip.grid());
        match self.shot.sheet {
            Some(Sheet::Export) => sheets::open_export(state),
            Some(_) => sheets::open_open(state, sheets::OpenFor::Clips),
            None => {}
        }
        Ok(())
    }

    fn take(&mut self, ctx: &egui::Context) {
        self.requested = true;
        let (path, outcome) = (self.shot.path.clone(), self.outcome.clone());
        let closing = ctx.clone();
        ctx.request_screenshot(move |image| {
            put(&outcome, save(&path, &image));
            closing.send_viewport_cmd(ViewportCommand::Close);
        });
    }

    fn finish(&mut self, ctx: &egui::Context, result: Result<(), String>) {
        self.requested = true;
        put(&self.outcome, result);
        ctx.send_viewport_cmd(ViewportCommand::Close);
    }
}

fn put(outcome: &Outcome, result: Result<(), String>) {
    *outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
}

fn save(path: &std::path::Path, picture: &ColorImage) -> Result<(), String> {
    let [width, height] = picture.size;
    let bytes: Vec<u8> = picture
        .pixels
        .iter()
        .flat_map(|p| [p.r(), p.g(), p.b()])
        .collect();
    let failed = |e: &dyn std::fmt::Display| format!("cannot write {}: {e}", path.display());
    let image = image::RgbImage::from_raw(width as u32, height as u32, bytes)
        .ok_or_else(|| failed(&"the picture is incomplete"))?;
    image
        .save_with_format(path, image::ImageFormat::Png)
        .map_err(|e| failed(&e))
}
