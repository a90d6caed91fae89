//! The blind test in the window: it takes everything over that could tell who is who.
//!
//! A test is of one full result. When that becomes another one, or another clip is selected, the test ends and nothing
//! is kept of it. Source and compressed clip are drawn into the same slot by the same way, with nothing but their pose
//! between them, and anew at every switch, so that no delay tells who is the same as whom. No text and no name for
//! screen readers depends on the order. An answer counts only after A, B and X were each seen moving.

mod end;
mod looked;
mod screen;

pub use screen::blind_ui;

use super::actions::{Action, Spec};
use super::state::State;
use crate::codec::Budget;
use crate::session::{
    BlindButton, BlindRun, BlindTest, Change, ClipId, Notice, TRIALS, Who, units,
};
use eframe::egui::{self, Event, Key, Modifiers};
use looked::Looked;

/// A blind test that has the window.
pub struct Blind {
    clip: ClipId,
    phase: Phase,
    /// What is on the stage.
    shown: BlindButton,
    /// Bones are drawn as well.
    bones: bool,
    /// What was seen in the present trial.
    looked: Looked,
    /// An answer was tried too soon.
    hasty: bool,
}

enum Phase {
    /// The clip is compressed for another target.
    Waiting(f64),
    /// Questions are asked about the bytes with this hash.
    Asking(BlindRun, [u8; 32]),
    /// All are answered.
    Over(BlindTest),
}

impl Blind {
    /// The trials, while questions are asked.
    pub fn run(&self) -> Option<&BlindRun> {
        match &self.phase {
            Phase::Asking(run, _) => Some(run),
            _ => None,
        }
    }

    /// What came of it, once all is answered.
    pub fn test(&self) -> Option<&BlindTest> {
        match &self.phase {
            Phase::Over(test) => Some(test),
            _ => None,
        }
    }

    /// What is on the stage.
    pub fn shown(&self) -> BlindButton {
        self.shown
    }
}

/// Whether there is something to test.
pub fn can_start(state: &State) -> bool {
    let id = state.session.selected();
    id.is_some_and(|id| state.session.testable(id).is_some())
}

/// Begins a test of the selected clip in an order that nobody knows.
pub fn start(state: &mut State) {
    start_with(state, BlindRun::shuffled());
}

/// Begins a test in a known order.
pub fn start_with(state: &mut State, run: BlindRun) {
    let Some(clip) = state.session.selected() else {
        return;
    };
    let Some(result) = state.session.testable(clip) else {
        return;
    };
    let hash = result.hash;
    let bones = state.shell.blind.as_ref().is_some_and(|b| b.bones);
    // What is tested is the whole deliverable.
    state.shell.stage.level = 0;
    state.shell.sheet = None;
    state.shell.blind = Some(Blind {
        clip,
        phase: Phase::Asking(run, hash),
        shown: BlindButton::A,
        bones,
        looked: Looked::default(),
        hasty: false,
    });
}

/// Begins the test that was waited for, and ends one whose clip became another.
pub fn follow(state: &mut State) {
    let Some(blind) = &state.shell.blind else {
        return;
    };
    let (session, id) = (&state.session, blind.clip);
    if session.selected() != Some(id) {
        return end(state, "another clip is selected");
    }
    let ready = session.testable(id);
    let (frame, still) = (
        state.transport.frame,
        state.clip().is_none_or(|c| c.grid().last() == 0),
    );
    match &blind.phase {
        Phase::Waiting(_) if ready.is_some() => start(state),
        Phase::Waiting(_) if session.is_busy(id) => {}
        Phase::Waiting(_) => end(state, "the clip could not be compressed"),
        Phase::Asking(_, hash) if ready.is_none_or(|r| r.hash != *hash) => {
            end(state, "what was tested is another result now");
        }
        Phase::Asking(..) => {
            if let Some(blind) = &mut state.shell.blind {
                blind.looked.at(blind.shown, frame, still);
            }
        }
        Phase::Over(_) => {}
    }
}

/// Gives the window back, and says that nothing is kept.
fn end(state: &mut State, why: &str) {
    let ended = state.shell.blind.take();
    let answered = ended.and_then(|b| b.run().map(BlindRun::answered));
    let text = match answered {
        None => format!("{why}: no test was made"),
        Some(n) => format!("{why}: nothing is kept of {n} of {TRIALS} trials"),
    };
    let notice = Notice::warning("The blind test ended", text);
    state.session.notify(notice);
}

/// Leaves the test: what was not finished is not kept.
pub(super) fn leave(state: &mut State) {
    let answered = state.shell.blind.as_ref().and_then(Blind::run);
    if answered.is_some_and(|run| run.answered() > 0) {
        end(state, "it was left");
    }
    if state.shell.blind.take().is_some_and(|b| b.test().is_none()) {
        state.shell.happened = "Left the blind test".into();
    }
}

/// Answers the present trial, once all was seen; the last answer is kept with the clip.
fn answer(state: &mut State, x_is_a: bool) {
    let Some(blind) = &mut state.shell.blind else {
        return;
    };
    let Phase::Asking(run, _) = &mut blind.phase else {
        return;
    };
    blind.hasty = !blind.looked.missing().is_empty();
    if blind.hasty {
        return;
    }
    run.answer(x_is_a);
    blind.shown = BlindButton::A;
    blind.looked = Looked::default();
    state.shell.stage.painter.redraw();
    if run.is_over()
        && let Some(test) = state.session.keep_blind_test(blind.clip, run)
    {
        state.shell.happened = format!("Blind test: {} of {} right", test.correct, test.trials);
        blind.phase = Phase::Over(test);
    }
}

/// Puts somebody on the stage.
fn show(state: &mut State, button: BlindButton) {
    if let Some(blind) = &mut state.shell.blind {
        blind.shown = button;
        state.shell.stage.painter.redraw();
    }
}

/// Makes a skin error the clip's target, as one step.
fn set_target(state: &mut State, target_m: f64) {
    let budget = Budget::Skin { target_m };
    state.change(Change::Budget(budget), None);
    state.shell.happened = format!("Target {}, by eye", units::show_mm(target_m));
}

/// Tests again at another target, once the clip is compressed for it.
fn try_at(state: &mut State, target_m: f64) {
    set_target(state, target_m);
    if let Some(blind) = &mut state.shell.blind {
        blind.phase = Phase::Waiting(target_m);
    }
}

/// Who is behind what is shown.
fn who(blind: &Blind) -> Who {
    match &blind.phase {
        Phase::Asking(run, _) => run.who(blind.shown),
        Phase::Waiting(_) | Phase::Over(_) => Who::Compressed,
    }
}

/// Keys of the test, before all others.
pub(super) fn keyboard(ctx: &egui::Context, state: &mut State) {
    let pressed = |modifiers, key| ctx.input_mut(|i| i.consume_key(modifiers, key));
    if pressed(Modifiers::NONE, Key::Escape) {
        return leave(state);
    }
    for (key, x_is_a) in [(Key::A, true), (Key::B, false)] {
        // A key that is held answers once.
        let again = ctx.input(|i| i.events.iter().any(|e| is_repeat(e, key)));
        if pressed(Modifiers::SHIFT, key) && !again {
            answer(state, x_is_a);
        }
    }
    let keys = [
        [Key::A, Key::Num1],
        [Key::B, Key::Num2],
        [Key::X, Key::Num3],
    ];
    for (button, keys) in BlindButton::ALL.into_iter().zip(keys) {
        let any = keys
            .map(|key| pressed(Modifiers::NONE, key))
            .contains(&true);
        if any {
            show(state, button);
        }
    }
}

fn is_repeat(event: &Event, wanted: Key) -> bool {
    matches!(event, Event::Key { key, pressed: true, repeat: true, .. } if *key == wanted)
}

/// Whether the keys of an action work in a test: those that move playhead and camera.
pub(super) fn allows(spec: &Spec) -> bool {
    let of_the_curve = matches!(spec.action, Action::KeyBack | Action::KeyOn);
    let looks = matches!(
        spec.action,
        Action::FrameSelected | Action::ViewTop | Action::Orthographic | Action::Quit
    );
    looks || (spec.group == "Playback" && !of_the_curve)
}
