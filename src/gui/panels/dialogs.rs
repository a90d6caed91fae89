//! Small questions over the window: a note, a name, what becomes of unsaved work.

use crate::codec::Settings;
use crate::gui::clip_table::{doubts, targets};
use crate::gui::open::close_now;
use crate::gui::shell::{Closing, Sheet};
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::verdict;
use crate::gui::verdict::approve_now;
use crate::session::{ByEye, Change, Document, FrameNote, Notice, Preset};
use eframe::egui::{
    self, Align2, Button, Id, Key, Label, Modal, RichText, TextEdit, Ui, ViewportCommand, vec2,
};

/// What a dialog came to in this frame.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// Not answered yet.
    Open,
    /// The button that does it, or Enter.
    Do,
    /// The button that leaves all as it is.
    Leave,
}

/// The dialog that is open, if it is one of these.
pub(super) fn dialog_ui(ui: &Ui, state: &mut State, sheet: Sheet) {
    match sheet {
        Sheet::Reject => reject(ui, state),
        Sheet::ApproveOver => approve_over(ui, state),
        Sheet::Note => note(ui, state),
        Sheet::SavePreset => save_preset(ui, state),
        Sheet::Unsaved => unsaved(ui, state),
        Sheet::Recover => recover(ui, state),
        _ => {}
    }
}

/// A question in front of the window: what is behind it is dimmed and takes neither clicks nor keys.
fn window(ui: &Ui, title: &str, content: impl FnOnce(&mut Ui) -> Answer) -> Answer {
    let (ctx, id) = (ui.ctx(), Id::unique("question"));
    if appears(ctx, id) {
        // What was typed in until now is behind it.
        ctx.memory_mut(|m| m.focused().inspect(|&id| m.surrender_focus(id)));
    }
    let area = Modal::default_area(id).anchor(Align2::CENTER_CENTER, vec2(0.0, -60.0));
    let frame = egui::Frame::window(ui.style()).inner_margin(14.0);
    let shown = Modal::new(id).area(area).frame(frame).show(ctx, |ui| {
        ui.set_width(380.0);
        ui.label(theme::semibold(title, 14.0));
        ui.add_space(4.0);
        content(ui)
    });
    shown.inner
}

/// A line to type in that has the focus from the start; Enter answers.
fn line(ui: &mut Ui, text: &mut String, name: &str, hint: &str) -> Answer {
    let id = Id::unique(name);
    let edit = TextEdit::singleline(text)
        .id(id)
        .hint_text(hint)
        .margin(egui::Margin::symmetric(8, 5))
        .desired_width(f32::INFINITY);
    let response = ui.add(edit);
    ui.ctx()
        .accesskit_node_builder(id, |node| node.set_label(name));
    if response.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter)) {
        return Answer::Do;
    }
    focus_first(ui, &response);
    Answer::Open
}

/// Gives a line the focus when it was not there in the pass before; afterwards the person has it.
pub(in crate::gui) fn focus_first(ui: &Ui, response: &egui::Response) {
    if appears(ui.ctx(), response.id) {
        response.request_focus();
    }
}

/// Whether something is shown that was not there in the pass before; to be asked in each pass in which it is shown.
fn appears(ctx: &egui::Context, id: Id) -> bool {
    let (id, now) = (id.with("shown"), ctx.cumulative_pass_nr());
    let before: Option<u64> = ctx.data(|d| d.get_temp(id));
    ctx.data_mut(|d| d.insert_temp(id, now));
    before.is_none_or(|pass| pass + 1 < now)
}

/// The buttons at the bottom; the first one does it.
fn buttons(ui: &mut Ui, act: &str, leave: &str) -> Answer {
    ui.add_space(6.0);
    let mut answer = Answer::Open;
    ui.horizontal(|ui| {
        if primary(ui, act).clicked() {
            answer = Answer::Do;
        }
        if ui.button(leave).clicked() {
            answer = Answer::Leave;
        }
    });
    answer
}

fn primary(ui: &mut Ui, text: &str) -> egui::Response {
    let text = theme::semibold(text, 13.0).color(theme::PANEL);
    ui.add(
        Button::new(text)
            .fill(theme::ACCENT)
            .min_size(vec2(74.0, 26.0)),
    )
}

fn weak(ui: &mut Ui, text: impl Into<String>) {
    let text = RichText::new(text).size(12.5).color(theme::WEAK);
    ui.add(Label::new(text).wrap());
}

fn either(first: Answer, second: Answer) -> Answer {
    if first == Answer::Open { second } else { first }
}

fn reject(ui: &Ui, state: &mut State) {
    let ids = targets(state);
    if ids.is_empty() {
        state.shell.sheet = None;
        return;
    }
    let name = verdict::named(state, &ids);
    let answer = window(ui, &format!("Reject {name}"), |ui| {
        let hint = "what is wrong, for whoever looks next";
        let typed = line(ui, &mut state.shell.draft, "Why it is rejected", hint);
        either(typed, buttons(ui, "Reject clip", "Cancel"))
    });
    if answer == Answer::Do {
        let note = std::mem::take(&mut state.shell.draft);
        verdict::reject(state, &ids, &note);
    }
    close(state, answer);
}

/// Most lines of what is no pass.
const MOST_DOUBTS: usize = 8;

fn approve_over(ui: &Ui, state: &mut State) {
    let ids = targets(state);
    let doubts = doubts(state, &ids);
    let answer = window(ui, "Approve what does not pass?", |ui| {
        for doubt in doubts.iter().take(MOST_DOUBTS) {
            ui.label(doubt);
        }
        if doubts.len() > MOST_DOUBTS {
            weak(ui, format!("and {} more", doubts.len() - MOST_DOUBTS));
        }
        weak(ui, "It is kept with the approval as an exception");
        buttons(ui, "Approve all the same", "Cancel")
    });
    if answer == Answer::Do {
        approve_now(state, &ids);
    }
    close(state, answer);
}

fn note(ui: &Ui, state: &mut State) {
    let frame = state.shell.note_frame;
    let answer = window(ui, &format!("Note on frame {frame}"), |ui| {
        let hint = "left empty, the note goes";
        let typed = line(ui, &mut state.shell.draft, "Note on this frame", hint);
        either(typed, buttons(ui, "Keep note", "Cancel"))
    });
    if answer == Answer::Do {
        let text = state.shell.draft.trim().to_owned();
        state.change(Change::Note(FrameNote { frame, text }), None);
    }
    close(state, answer);
}

fn save_preset(ui: &Ui, state: &mut State) {
    let answer = window(ui, "Save as preset", |ui| {
        weak(
            ui,
            "All settings of this clip, but for what it delivers and whether it loops",
        );
        let typed = line(ui, &mut state.shell.draft, "Name of the preset", "name");
        either(typed, buttons(ui, "Save preset", "Cancel"))
    });
    if answer == Answer::Do {
        keep_preset(state);
    }
    close(state, answer);
}

fn keep_preset(state: &mut State) {
    let name = state.shell.draft.trim().to_owned();
    let id = state.session.selected();
    let settings = id.and_then(|id| Some(state.session.edits(id)?.settings.clone()));
    let (Some(settings), Some(folder)) = (settings, state.shell.preset_folder.clone()) else {
        return;
    };
    let safe = |c: char| if c.is_alphanumeric() { c } else { '_' };
    let file: String = name.chars().map(safe).take(80).collect();
    if file.is_empty() {
        let notice = Notice::warning("The preset was not saved", "It has no name");
        state.session.notify(notice);
        return;
    }
    let path = folder.join(format!("{file}.json"));
    let saved = std::fs::create_dir_all(&folder)
        .map_err(|e| format!("{}: {e}", folder.display()))
        .and_then(|()| {
            let mut preset = Preset::of(&name, &settings);
            preset.by_eye = by_eye(state, &name, &settings);
            preset.save(&path).map_err(|e| e.to_string())?;
            state.shell.presets = Preset::in_folder(&folder);
            Ok(())
        });
    state.session.notify(match saved {
        Ok(()) => Notice::success("Preset saved", format!("{name}, in {}", path.display())),
        Err(e) => Notice::error("The preset was not saved", e),
    });
}

/// The blind test that settings were chosen by: that of the clip, or else that of the preset that they come from.
fn by_eye(state: &State, name: &str, settings: &Settings) -> Option<ByEye> {
    let id = state.session.selected()?;
    let own = state.session.threshold(id).by_eye();
    own.or_else(|| {
        let presets = state.shell.presets.iter();
        let mut kept = presets.filter(|p| p.name == name || p.is_of(settings));
        kept.find_map(|p| p.by_eye)
    })
}

fn unsaved(ui: &Ui, state: &mut State) {
    let closing: Vec<usize> = match &state.shell.closing {
        Closing::Window => state
            .session
            .documents()
            .iter()
            .map(Document::number)
            .collect(),
        Closing::Files(numbers) => numbers.clone(),
    };
    let open = closing.iter().filter_map(|n| state.session.document(*n));
    let dirty = open.filter(|d| d.is_dirty()).map(Document::file_name);
    let files = some_of(&dirty.collect::<Vec<_>>());
    let mut discard = false;
    let answer = window(ui, "Save before closing?", |ui| {
        weak(ui, format!("Not saved: {files}"));
        ui.add_space(6.0);
        let mut answer = Answer::Open;
        ui.horizontal(|ui| {
            if primary(ui, "Save and close").clicked() {
                answer = Answer::Do;
            }
            discard = ui.button("Close without saving").clicked();
            if ui.button("Stay").clicked() {
                answer = Answer::Leave;
            }
        });
        answer
    });
    if discard || (answer == Answer::Do && state.session.save_files(&closing)) {
        if state.shell.closing == Closing::Window {
            state.shell.may_close = true;
            ui.ctx().send_viewport_cmd(ViewportCommand::Close);
        } else {
            close_now(state, &closing);
        }
    }
    let answer = if discard { Answer::Do } else { answer };
    close(state, answer);
}

/// Names, but no more than fit in a dialog.
fn some_of(names: &[String]) -> String {
    const MOST: usize = 8;
    let shown = names[..names.len().min(MOST)].join(", ");
    match names.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn recover(ui: &Ui, state: &mut State) {
    let offers = state.session.recoverable().iter();
    let files: Vec<String> = offers.map(|r| r.source.display().to_string()).collect();
    let answer = window(ui, "Recover unsaved work?", |ui| {
        weak(
            ui,
            "Posepress ended without closing. What was decided and not saved is still there, for:",
        );
        for file in &files {
            ui.label(RichText::new(file).size(12.5));
        }
        buttons(ui, "Recover", "Throw away")
    });
    match answer {
        Answer::Do => state.session.recover(),
        Answer::Leave => state.session.discard_recoverable(),
        Answer::Open => {}
    }
    close(state, answer);
}

fn close(state: &mut State, answer: Answer) {
    if answer != Answer::Open {
        state.shell.sheet = None;
        state.shell.draft.clear();
    }
}
