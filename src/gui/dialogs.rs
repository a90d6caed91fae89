//! File dialogs of the desktop, and how a test stands in for them.

use eframe::egui;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// An answer without a path that comes sooner than this came from no person.
const FASTEST_PERSON: Duration = Duration::from_millis(250);

/// What a dialog asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Files to open, one or more.
    Open,
    /// A folder to open.
    OpenFolder,
    /// Files to measure on, one or more.
    Characters,
    /// A folder to export to.
    ExportFolder,
}

/// An answer: what was asked for, and what was chosen; empty when nothing was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The question.
    pub ask: Ask,
    /// Empty when nothing was chosen.
    pub paths: Vec<PathBuf>,
    /// The desktop has no dialogs: nothing was asked.
    pub missing: bool,
}

/// Asks for files; never blocks.
pub trait FileDialogs {
    /// Opens a dialog. `ctx` is repainted when the answer is there.
    fn ask(&mut self, ask: Ask, ctx: &egui::Context);
    /// The next answer.
    fn poll(&mut self) -> Option<Answer>;
}

/// The desktop's own dialogs (portal, else zenity), each on a thread of its own.
pub struct DesktopDialogs {
    sender: Sender<Answer>,
    answers: Receiver<Answer>,
}

impl Default for DesktopDialogs {
    fn default() -> Self {
        let (sender, answers) = channel();
        Self { sender, answers }
    }
}

impl FileDialogs for DesktopDialogs {
    fn ask(&mut self, ask: Ask, ctx: &egui::Context) {
        let (sender, ctx) = (self.sender.clone(), ctx.clone());
        let dialog = rfd::AsyncFileDialog::new();
        match ask {
            Ask::Open | Ask::Characters => {
                let title = match ask {
                    Ask::Characters => "Measure on characters",
                    _ => "Open clips",
                };
                let future = dialog
                    .set_title(title)
                    .add_filter("glTF", &["glb", "gltf"])
                    .pick_files();
                std::thread::spawn(move || {
                    let asked = Instant::now();
                    let files = pollster::block_on(future).unwrap_or_default();
                    let paths = files.iter().map(|f| f.path().to_owned()).collect();
                    answer(&sender, &ctx, ask, paths, asked);
                });
            }
            Ask::OpenFolder | Ask::ExportFolder => {
                let title = match ask {
                    Ask::OpenFolder => "Open all clips of a folder",
                    _ => "Export approved clips to",
                };
                let future = dialog.set_title(title).pick_folder();
                std::thread::spawn(move || {
                    let asked = Instant::now();
                    let folder = pollster::block_on(future);
                    let paths = folder.iter().map(|f| f.path().to_owned()).collect();
                    answer(&sender, &ctx, ask, paths, asked);
                });
            }
        }
    }

    fn poll(&mut self) -> Option<Answer> {
        self.answers.try_recv().ok()
    }
}

fn answer(
    sender: &Sender<Answer>,
    ctx: &egui::Context,
    ask: Ask,
    paths: Vec<PathBuf>,
    asked: Instant,
) {
    let missing = paths.is_empty() && asked.elapsed() < FASTEST_PERSON;
    let answer = Answer {
        ask,
        paths,
        missing,
    };
    // Nobody listens any more once the window is closed.
    if sender.send(answer).is_ok() {
        ctx.request_repaint();
    }
}
