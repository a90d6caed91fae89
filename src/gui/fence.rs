//! A fence round each frame: a fault of the program ends no work.
//!
//! A panic in a frame leaves the window's state half changed, so that frame is not drawn again and nothing of the state
//! is used any more. What is unsaved is written aside, a page says what happened, and all that is left is to close. At
//! the next start the work is offered again.

use super::theme;
use crate::session::{Session, panic_text};
use eframe::egui::{self, Button, CentralPanel, Frame, Label, Margin, RichText, Ui, vec2};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A fault of the program, and what became of the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    text: String,
    /// What became of what was not saved, in a sentence.
    work: &'static str,
}

impl Fault {
    /// Writes aside what is unsaved, after a frame panicked.
    pub(super) fn of(panic: &(dyn Any + Send), session: &mut Session) -> Self {
        let kept = catch_unwind(AssertUnwindSafe(|| {
            (session.is_dirty(), session.keep_aside())
        }));
        let work = match kept {
            Ok((false, _)) => "Nothing was unsaved, so nothing is lost.",
            Ok((true, true)) => {
                "What you decided and did not save is kept aside; it is offered when Posepress starts again."
            }
            Ok((true, false)) | Err(_) => {
                "What you decided last and did not save could not be kept aside. What was kept aside before is offered \
                 when Posepress starts again."
            }
        };
        Self {
            text: panic_text(panic),
            work,
        }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "a fault of the program ended the window: {}. {} Please report the fault with what you did last",
            self.text, self.work
        )
    }
}

/// What stands in the window's place after a fault.
pub(super) fn fault_ui(ui: &mut Ui, fault: &Fault) {
    let frame = Frame::new().inner_margin(Margin::same(24));
    CentralPanel::no_frame().frame(frame).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 10.0;
        ui.label(theme::semibold("Posepress cannot go on", 18.0));
        for text in [
            fault.work,
            "Please report the fault with what you did last:",
            &fault.text,
        ] {
            ui.add(Label::new(RichText::new(text).color(theme::TEXT)).wrap());
        }
        let close =
            Button::new(theme::semibold("Close Posepress", 13.0)).min_size(vec2(150.0, 30.0));
        if ui.add(close).clicked() {
            ui.ctx().send_viewport_cmd(egui::ViewportCommand::Close);
        }
    });
}
