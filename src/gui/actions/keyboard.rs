//! Keys: how they are written, and what they run.

use super::table::{Action, TABLE};
use crate::gui::abx;
use crate::gui::shell::Sheet;
use crate::gui::state::State;
use crate::gui::tune;
use eframe::egui::{self, Key, KeyboardShortcut};

/// A shortcut as it stands on the keyboard: `Ctrl+O`, `[`, `→`.
pub fn key_text(ctx: &egui::Context, shortcut: &KeyboardShortcut) -> String {
    let text = ctx.format_shortcut(shortcut);
    let signs = [
        ("OpenBracket", "["),
        ("CloseBracket", "]"),
        ("Backslash", "\\"),
        ("Comma", ","),
        ("Period", "."),
        ("Left", "←"),
        ("Right", "→"),
        ("PageUp", "Page up"),
        ("PageDown", "Page down"),
    ];
    let sign = signs.iter().find(|(name, _)| text.ends_with(name));
    sign.map_or(text.clone(), |(name, sign)| {
        format!("{}{sign}", &text[..text.len() - name.len()])
    })
}

/// Runs what the keys of this frame ask for. The keys of a frame in which a text field had the focus, at its beginning or
/// at its end, belong to that field: a slow frame can hold a whole word and the Enter that ends it.
pub fn keyboard(ctx: &egui::Context, state: &mut State) {
    let typing_now = ctx.text_edit_focused();
    let typing = std::mem::replace(&mut state.shell.was_typing, typing_now) || typing_now;
    let alone = |key| !typing && ctx.input(|i| i.key_down(key) && i.modifiers.is_none());
    state.shell.source_held = !typing && ctx.input(|i| i.key_down(Key::Backtick));
    state.shell.buffer_held = alone(Key::B) && state.shell.blind.is_none();
    let optional = state.shell.sheet.is_some_and(Sheet::is_optional);
    if optional && ctx.input_mut(|i| i.consume_key(egui::Modifiers::NONE, Key::Escape)) {
        state.shell.sheet = None;
        state.shell.draft.clear();
    }
    if typing || state.shell.sheet.is_some_and(Sheet::asks) {
        return;
    }
    let blind = state.shell.blind.is_some();
    if blind {
        abx::keyboard(ctx, state);
    } else {
        tune::clipboard(state, ctx);
    }
    // A focused button is pressed with Space or Enter; those are not for the transport and the table then.
    let focused = ctx.memory(|m| m.focused().is_some());
    let mut shortcuts: Vec<(Action, KeyboardShortcut)> = TABLE
        .iter()
        .filter(|s| !blind || abx::allows(s))
        .flat_map(|s| s.keys.iter().map(|k| (s.action, *k)))
        .filter(|(_, k)| !(focused && matches!(k.logical_key, Key::Space | Key::Enter)))
        .collect();
    // Ctrl+Shift+Z before Ctrl+Z: a shortcut also matches with more modifiers held.
    shortcuts.sort_by_key(|(_, k)| {
        let m = k.modifiers;
        std::cmp::Reverse([m.alt, m.shift, m.command].iter().filter(|&&on| on).count())
    });
    for (action, shortcut) in shortcuts {
        if ctx.input_mut(|i| i.consume_shortcut(&shortcut)) {
            action.run(state, ctx);
        }
    }
}
