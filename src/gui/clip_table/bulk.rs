//! What is done to all selected rows, each in one undo step, and said in the status line.

use super::selection::{Pick, step};
use crate::codec::Settings;
use crate::gui::actions::Action;
use crate::gui::shell::Sheet;
use crate::gui::state::{State, Workspace};
use crate::gui::verdict;
use crate::session::{Change, ClipId, Command, Missed, Notice, Preset, Session, Standing, Verdict};

/// The clips that keys and menus are about: the selected rows where the table is shown and there are several, else
/// the selected clip.
pub fn targets(state: &State) -> Vec<ClipId> {
    if state.view.workspace == Workspace::Clips {
        let rows = state.table.selected_rows();
        if rows.len() > 1 {
            return rows;
        }
    }
    state.session.selected().into_iter().collect()
}

/// What a button over the rows does to all selected ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToRows {
    /// Approves those that are finished.
    Approve,
    /// Takes verdicts back.
    Clear,
    /// They loop.
    Loop,
    /// They do not.
    Once,
    /// Stops compressing.
    Cancel,
    /// Compresses those again that failed or were cancelled.
    Again,
}

impl ToRows {
    /// All of them, with accessible name, label and tooltip.
    pub(super) const ALL: [(Self, &'static str, &'static str, &'static str); 6] = [
        (
            Self::Approve,
            "Approve rows",
            "Approve",
            "Approves those that are finished, as these very bytes (Y)",
        ),
        (
            Self::Clear,
            "Clear verdicts of rows",
            "Clear verdict",
            "Neither approved nor rejected any more",
        ),
        (Self::Loop, "Loop rows", "Loop", "They are played in a loop"),
        (
            Self::Once,
            "Do not loop rows",
            "Play once",
            "They are not played in a loop",
        ),
        (
            Self::Cancel,
            "Cancel rows",
            "Cancel",
            "Stops compressing them",
        ),
        (
            Self::Again,
            "Compress rows again",
            "Compress again",
            "Compresses those again that failed or were cancelled",
        ),
    ];

    /// Whether it would do something to any of some clips.
    pub(super) fn is_enabled(self, session: &Session, ids: &[ClipId]) -> bool {
        let looped = |id: &ClipId| session.edits(*id).is_some_and(|e| e.settings.looped);
        ids.iter().any(|id| match self {
            Self::Approve => session.standing(*id) != Standing::Unknown,
            Self::Clear => session
                .edits(*id)
                .is_some_and(|e| e.verdict != Verdict::Open),
            Self::Loop => !looped(id),
            Self::Once => looped(id),
            Self::Cancel => session.is_busy(*id),
            Self::Again => !session.is_busy(*id) && session.error(*id).is_some(),
        })
    }

    /// Does it to clips.
    pub(super) fn run(self, state: &mut State, ids: &[ClipId]) {
        match self {
            Self::Approve => verdict::approve(state, ids),
            Self::Clear => verdict::clear(state, ids),
            Self::Loop => looped(state, ids, true),
            Self::Once => looped(state, ids, false),
            Self::Cancel => cancel(state, ids),
            Self::Again => {
                let done = state.session.retry_all(ids);
                say(state, format!("Compressing {} again", clips(done)));
            }
        }
    }
}

/// Runs one of the actions of the table.
pub fn run(action: Action, state: &mut State) {
    match action {
        Action::ReviewWorkspace | Action::ReviewClip => state.view.workspace = Workspace::Review,
        Action::ClipsWorkspace => {
            state.view.workspace = Workspace::Clips;
            state.transport.playing = None;
            state.table.reveal = true;
        }
        Action::RowUp | Action::PreviousClip => step(state, -1, Pick::Only),
        Action::RowDown | Action::NextClip => step(state, 1, Pick::Only),
        Action::ExtendUp => step(state, -1, Pick::Range),
        Action::ExtendDown => step(state, 1, Pick::Range),
        Action::SelectAllClips => state.table.select_all(),
        Action::FilterClips => state.table.focus_filter = true,
        Action::ApprovePassing => approve_passing(state),
        Action::CancelAll => cancel_all(state),
        Action::GoOn => go_on(state),
        _ => {}
    }
}

/// `1 clip`, `12 clips`.
pub(super) fn clips(count: usize) -> String {
    format!("{count} clip{}", if count == 1 { "" } else { "s" })
}

fn say(state: &mut State, text: String) {
    state.shell.happened = text;
}

/// Asks once before clips are approved that do not pass; `false` where all do.
pub(in crate::gui) fn asks_first(state: &mut State, ids: &[ClipId]) -> bool {
    let doubtful = |id: &ClipId| {
        let standing = state.session.standing(*id);
        matches!(standing, Standing::Misses | Standing::CannotSay)
    };
    let asks = ids.iter().any(doubtful);
    if asks {
        state.shell.sheet = Some(Sheet::ApproveOver);
    }
    asks
}

/// What of clips is no pass, in words.
pub(in crate::gui) fn doubts(state: &State, ids: &[ClipId]) -> Vec<String> {
    let of_clip = |id: &ClipId| {
        let name = state.session.clip(*id).map(|c| c.name().to_owned());
        let name = name.unwrap_or_default();
        let missed = state.session.missed(*id).into_iter();
        missed.map(move |m| format!("{name}: {}", m.short()))
    };
    ids.iter().flat_map(of_clip).collect()
}

/// Says whether clips loop.
fn looped(state: &mut State, ids: &[ClipId], on: bool) {
    let (now, before) = if on {
        ("loop now", "did before")
    } else {
        ("do not loop now", "did not before")
    };
    let name = format!("Set looping of {}", clips(ids.len()));
    let done = state.session.change_all(ids, &Change::Looped(on), name);
    let text = match ids.len() - done {
        0 => format!("{} {now}", clips(done)),
        left => format!("{} {now}; {left} {before}", clips(done)),
    };
    say(state, text);
}

/// Gives settings to clips in one step, made from those of each.
fn settle(
    state: &mut State,
    ids: &[ClipId],
    what: &str,
    made: impl Fn(&Settings) -> Result<Settings, String>,
) {
    let mut commands = Vec::new();
    for &clip in ids {
        let Some(edits) = state.session.edits(clip) else {
            continue;
        };
        match made(&edits.settings) {
            Ok(settings) => {
                let settings = Box::new(settings);
                let what = what.to_owned();
                let change = Change::Settings { settings, what };
                commands.push(Command::Edit { clip, change });
            }
            Err(reason) => {
                let notice = Notice::error(format!("{what}: not done"), reason);
                return state.session.notify(notice);
            }
        }
    }
    let name = match ids {
        [_] => what.to_owned(),
        ids => format!("{what}, {}", clips(ids.len())),
    };
    let done = state.session.dispatch_all(&commands, name);
    let text = match (ids.len(), ids.len() - done) {
        (1, _) => what.to_owned(),
        (_, 0) => format!("{what}: {}", clips(done)),
        (_, same) => format!("{what}: {}; {same} had these settings before", clips(done)),
    };
    say(state, text);
}

/// Gives clips what a preset says; their own overrides stay.
pub(super) fn preset(state: &mut State, ids: &[ClipId], preset: &Preset) {
    let what = format!("Preset {}", preset.name);
    settle(state, ids, &what, |s| preset.applied(s).map_err(|e| e.text));
}

/// Gives the clips that keys are about settings from the clipboard.
pub(in crate::gui) fn paste(state: &mut State, settings: &Settings) {
    let ids = targets(state);
    settle(state, &ids, "Paste settings", |_| Ok(settings.clone()));
}

/// Gives the clips that keys are about the defaults; what they deliver and whether they loop stays.
pub(in crate::gui) fn reset(state: &mut State) {
    let ids = targets(state);
    settle(state, &ids, "Reset settings", |s| {
        Ok(Settings {
            deliverable: s.deliverable,
            looped: s.looped,
            footing: s.footing.clone(),
            ..Settings::standard()
        })
    });
}

/// Stops compressing rows.
fn cancel(state: &mut State, ids: &[ClipId]) {
    let done = state.session.cancel_all(ids);
    say(state, format!("Cancelled {}", clips(done)));
}

/// Stops compressing all clips.
pub fn cancel_all(state: &mut State) {
    let all: Vec<ClipId> = state.session.clip_ids().collect();
    cancel(state, &all);
}

/// Goes on compressing what was cancelled.
pub fn go_on(state: &mut State) {
    let cancelled = state.session.cancelled();
    let done = state.session.retry_all(&cancelled);
    say(state, format!("Going on with {}", clips(done)));
}

/// Most clips of which it is said why they do not pass.
const MOST_REASONS: usize = 3;

/// Approves those of the rows shown that pass; says how many and which do not, and why.
pub fn approve_passing(state: &mut State) {
    let (mut pass, mut miss, mut doubt, mut unknown) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for &id in &state.table.shown {
        match state.session.standing(id) {
            Standing::Passes => pass.push(id),
            Standing::Misses => miss.push(id),
            Standing::CannotSay => doubt.push(id),
            Standing::Unknown => unknown += 1,
        }
    }
    let mut text = format!("Approved {} that pass", clips(pass.len()));
    if !miss.is_empty() {
        text += &format!("; {} do not: {}", miss.len(), reasons(state, &miss));
    }
    if !doubt.is_empty() {
        let why = reasons(state, &doubt);
        text += &format!("; of {} it cannot be said: {why}", doubt.len());
    }
    if unknown > 0 {
        text += &format!("; {unknown} not finished or failed");
    }
    verdict::judge(state, |session| {
        session.approve_all(&pass);
        text
    });
}

/// The first reason of each clip: `Walk (foot_l slides 1.14 mm of 0.2 mm)`.
fn reasons(state: &State, ids: &[ClipId]) -> String {
    let reason = |id: &ClipId| {
        let name = state.session.clip(*id).map(|c| c.name().to_owned());
        let missed = state.session.missed(*id);
        let why = missed.first().map(Missed::short).unwrap_or_default();
        format!("{} ({why})", name.unwrap_or_default())
    };
    let mut all: Vec<String> = ids.iter().take(MOST_REASONS).map(reason).collect();
    if ids.len() > MOST_REASONS {
        all.push(format!("and {} more", ids.len() - MOST_REASONS));
    }
    all.join(", ")
}

/// Asks why several rows are rejected, or runs the loop switch on them; `false` where there are not several.
pub(in crate::gui) fn judge(action: Action, state: &mut State) -> bool {
    let ids = targets(state);
    if ids.len() < 2 {
        return false;
    }
    match action {
        Action::Reject => {
            state.shell.draft.clear();
            state.shell.sheet = Some(Sheet::Reject);
        }
        Action::Looped => {
            let loops = |id: &ClipId| state.session.edits(*id).is_some_and(|e| e.settings.looped);
            let on = !ids.iter().all(loops);
            looped(state, &ids, on);
        }
        _ => return false,
    }
    true
}
