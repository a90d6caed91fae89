use crate::gui::state::State;
use crate::gui::widgets::Tuned;
use crate::session::{Change, Notice};

/// Turns what a person did to a slider into commands: one drag is one undo step.
///
/// While a drag goes on, the session answers with drafts, so that figures follow the hand.
pub(super) fn tune(
    state: &mut State,
    tuned: Option<Tuned>,
    change: impl Fn(f64) -> Change,
    reset: Change,
) {
    let Some(tuned) = tuned else {
        return;
    };
    match tuned {
        Tuned::Start(value) => {
            let gesture = state.new_gesture();
            state.shell.gesture = Some(gesture);
            state.change(change(value), Some(gesture));
        }
        Tuned::Move(value) => state.change(change(value), state.shell.gesture),
        Tuned::End(value) => {
            let gesture = state.shell.gesture.take();
            state.change(change(value), gesture);
        }
        Tuned::Set(value) => state.change(change(value), None),
        Tuned::Reset => state.change(reset, None),
        Tuned::Refused(reason) => {
            state
                .session
                .notify(Notice::warning("The value stays as it was", reason));
        }
    }
}
