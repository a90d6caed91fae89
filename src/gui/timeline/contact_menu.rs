//! Changes of contacts at the playhead, in the menus of their bars and of the lanes; every entry is one undo step.

use crate::gui::state::State;
use crate::metrics::Contact;
use crate::session::{Change, ClipResult, ContactEdit, added_contact, edited_contacts};
use eframe::egui::{Button, Response, Ui};

/// Opens on a right click on a bar.
pub(super) fn contact_menu(bar: &Response, state: &mut State, of: Contact) {
    bar.context_menu(|ui| {
        let frame = playhead(state);
        let edits = [
            ("Begins at the playhead", ContactEdit::BeginAt(frame)),
            ("Ends at the playhead", ContactEdit::EndAt(frame)),
            ("Cut at the playhead", ContactEdit::CutAt(frame)),
            ("Is no contact", ContactEdit::Remove),
        ];
        let list = state.contacts();
        for (name, edit) in edits {
            let changed = edited_contacts(&list, of, edit);
            entry(ui, state, name, changed);
        }
        ui.separator();
        as_found(ui, state);
    });
}

/// Opens on a right click beside the bars.
pub(super) fn lanes_menu(lanes: &Response, state: &mut State, result: &ClipResult) {
    lanes.context_menu(|ui| {
        let frame = playhead(state);
        let list = state.contacts();
        for point in &result.contacts.points {
            let joints = state.clip().map(|c| c.skeleton().joints());
            let joint = joints.map_or("", |j| j[point.joint].name.as_str());
            let name = format!("{joint} ({}) stands at the playhead", point.part.name());
            let changed = added_contact(&list, *point, frame);
            entry(ui, state, &name, changed);
        }
        ui.separator();
        as_found(ui, state);
    });
}

fn playhead(state: &State) -> usize {
    state.transport.frame.round().max(0.0) as usize
}

fn entry(ui: &mut Ui, state: &mut State, name: &str, changed: Option<Vec<Contact>>) {
    let button = ui.add_enabled(changed.is_some(), Button::new(name));
    if button.clicked() {
        state.change(Change::Contacts(changed), None);
        ui.close();
    }
}

fn as_found(ui: &mut Ui, state: &mut State) {
    let edits = state.session.selected();
    let edits = edits.and_then(|id| state.session.edits(id));
    let own = edits.is_some_and(|e| e.contacts.is_some());
    let button = ui.add_enabled(own, Button::new("All contacts as found"));
    if button.clicked() {
        state.change(Change::Contacts(None), None);
        ui.close();
    }
}
