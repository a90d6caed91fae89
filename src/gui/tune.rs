//! What menus, keys and the palette do to settings as a whole: copy, paste, reset, mirror.

use super::actions::Action;
use super::clip_table;
use super::shell::Sheet;
use super::state::State;
use crate::codec::Settings;
use crate::metrics::Footing;
use crate::model::mirrored_joint;
use crate::session::{
    BufferUse, Change, Notice, branch_rule, mirrored_settings, reset_joints, settings_of_text,
    settings_text,
};
use eframe::egui::{self, Event, ViewportCommand};

/// Runs one of the actions of the group Tune.
pub(super) fn run(action: Action, state: &mut State, ctx: &egui::Context) {
    let Some(settings) = settings(state) else {
        return;
    };
    match action {
        Action::CopySettings => {
            ctx.copy_text(settings_text(&settings));
            state.shell.happened = "Copied the settings of the clip as text".into();
        }
        // The text comes as an event.
        Action::PasteSettings => ctx.send_viewport_cmd(ViewportCommand::RequestPaste),
        Action::ResetSettings => clip_table::reset(state),
        Action::SavePreset => {
            state.shell.draft.clear();
            state.shell.sheet = Some(Sheet::SavePreset);
        }
        Action::MirrorJoints => mirror(state, &settings),
        Action::MarkFoot => mark_foot(state, &settings.footing),
        Action::NoFeet => {
            let on = settings.footing == Footing::Nothing;
            say_of_feet(state, if on { Footing::Found } else { Footing::Nothing });
        }
        Action::SelectBelow => select_below(state),
        Action::BranchRule => {
            let name = state
                .clip()
                .map(|c| c.skeleton().joints()[state.joint].name.clone());
            let name = name.unwrap_or_default();
            let ruled = branch_rule(&settings, &name);
            state.shell.open_rule = ruled.rules.len().checked_sub(1);
            replace(state, ruled, format!("Rule for {name} and all below"));
        }
        _ => {
            let names = state.joint_names();
            let what = format!("Reset {}", joint_words(&names));
            replace(state, reset_joints(&settings, &names), what);
        }
    }
}

/// Names the joint as a foot, or takes that back.
fn mark_foot(state: &mut State, before: &Footing) {
    let Some(name) = joint_name(state) else {
        return;
    };
    let mut names = before.named().to_vec();
    if is_marked(before, &name) {
        names.retain(|n| *n != name);
    } else {
        names.push(name);
    }
    let footing = if names.is_empty() {
        Footing::Found
    } else {
        Footing::Also(names)
    };
    say_of_feet(state, footing);
}

fn is_marked(footing: &Footing, name: &String) -> bool {
    footing.named().contains(name)
}

fn joint_name(state: &State) -> Option<String> {
    let joints = state.clip()?.skeleton().joints();
    Some(joints.get(state.joint)?.name.clone())
}

/// The feet of a skeleton are those of all clips of its file.
fn say_of_feet(state: &mut State, footing: Footing) {
    let Some(document) = state.session.selected().map(|id| id.document) else {
        return;
    };
    let ids = state.session.clip_ids();
    let ids: Vec<_> = ids.filter(|id| id.document == document).collect();
    let what = "Say what its feet are";
    state
        .session
        .change_all(&ids, &Change::Footing(footing), what);
}

/// Whether the joint is named as a foot, or the skeleton as one that has none.
pub(super) fn footing_is_on(action: Action, state: &State) -> Option<bool> {
    let footing = settings(state)?.footing;
    let name = joint_name(state)?;
    Some(match action {
        Action::MarkFoot => is_marked(&footing, &name),
        _ => footing == Footing::Nothing,
    })
}

/// Whether one of the actions on the buffer can be done now.
pub(super) fn buffer_is_enabled(action: Action, state: &State) -> bool {
    let session = &state.session;
    session.selected().is_some_and(|id| match action {
        Action::PinBuffer => session.is_buffer_pinned(id) || session.is_solved(id),
        Action::SwapBuffer => session.can_swap(id),
        _ => session.can_revert(id),
    })
}

/// Runs one of the actions on the buffer.
pub(super) fn use_buffer(action: Action, state: &mut State) {
    let Some(id) = state.session.selected() else {
        return;
    };
    state.shell.happened = match action {
        Action::PinBuffer if state.session.is_buffer_pinned(id) => {
            state.session.release_buffer(id);
            "Released the buffer: the next change fills it".into()
        }
        Action::PinBuffer => {
            state.session.pin_buffer(id);
            "Kept as buffer, whatever is changed".into()
        }
        Action::SwapBuffer => {
            state.session.use_buffer(id, BufferUse::Swap);
            "Swapped with the buffer".into()
        }
        _ => {
            state.session.use_buffer(id, BufferUse::Revert);
            "Reverted to the buffer".into()
        }
    };
}

/// Settings in the clipboard, copied and pasted with the keys of every program.
pub(super) fn clipboard(state: &mut State, ctx: &egui::Context) {
    let events = ctx.input(|i| i.events.clone());
    for event in events {
        match event {
            Event::Copy => Action::CopySettings.run(state, ctx),
            Event::Paste(text) => paste(state, &text),
            _ => {}
        }
    }
}

fn paste(state: &mut State, text: &str) {
    match settings_of_text(text) {
        Ok(settings) => clip_table::paste(state, &settings),
        Err(reason) => {
            let text = format!("The clipboard holds no settings: {reason:.200}");
            let notice = Notice::warning("Nothing was pasted", text);
            state.session.notify(notice);
        }
    }
}

fn select_below(state: &mut State) {
    let Some(clip) = state.clip().cloned() else {
        return;
    };
    let below = clip.skeleton().below(state.joint);
    state.shell.happened = format!("Selected {} joints below", below.len());
    state.shell.also.extend(below);
}

fn mirror(state: &mut State, settings: &Settings) {
    let Some(clip) = state.clip().cloned() else {
        return;
    };
    let joints = state.joints();
    let (mirrored, count) = mirrored_settings(settings, clip.skeleton(), &joints);
    let names = state.joint_names();
    let what = match (joints.as_slice(), other_side(state)) {
        (&[_], Some(other)) => format!("Mirror {} to {other}", joint_words(&names)),
        _ => format!("Mirror {count} joints"),
    };
    replace(state, mirrored, what);
}

/// The name of the joint on the other side of the one that is shown.
pub(super) fn other_side(state: &State) -> Option<String> {
    let clip = state.clip()?;
    let other = mirrored_joint(clip.skeleton(), state.joint)?;
    Some(clip.skeleton().joints()[other].name.clone())
}

/// `foot_l`, or how many.
pub(super) fn joint_words(names: &[String]) -> String {
    match names {
        [one] => one.clone(),
        all => format!("{} joints", all.len()),
    }
}

fn settings(state: &State) -> Option<Settings> {
    let edits = state.session.edits(state.session.selected()?)?;
    Some(edits.settings.clone())
}

fn replace(state: &mut State, settings: Settings, what: impl Into<String>) {
    let what = what.into();
    state.shell.happened.clone_from(&what);
    let settings = Box::new(settings);
    state.change(Change::Settings { settings, what }, None);
}
