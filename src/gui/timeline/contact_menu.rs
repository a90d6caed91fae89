//! Changes of a contact at the playhead, in the menu of its bar.

use crate::gui::state::State;
use crate::metrics::Contact;
use crate::session::{Change, ClipResult, ContactEdit, edited_contacts};
use eframe::egui::{Button, Response};

/// Opens on a right click; every entry is one undo step.
pub(super) fn contact_menu(
    response: &Response,
    state: &mut State,
    result: &ClipResult,
    of: Contact,
) {
    response.context_menu(|ui| {
        let frame = state.transport.frame.round().max(0.0) as usize;
        let edits = [
            ("Begins at the playhead", ContactEdit::BeginAt(frame)),
            ("Ends at the playhead", ContactEdit::EndAt(frame)),
            ("Cut at the playhead", ContactEdit::CutAt(frame)),
            ("Again at the playhead", ContactEdit::AddAt(frame)),
            ("Is no contact", ContactEdit::Remove),
        ];
        for (name, edit) in edits {
            let changed = edited_contacts(&result.contacts.list, of, edit);
            let button = ui.add_enabled(changed.is_some(), Button::new(name));
            if let (true, Some(list)) = (button.clicked(), changed) {
                state.change(Change::Contacts(Some(list)), None);
                ui.close();
            }
        }
        ui.separator();
        let edits = state
            .session
            .selected()
            .and_then(|id| state.session.edits(id));
        let own = edits.is_some_and(|e| e.contacts.is_some());
        if ui
            .add_enabled(own, Button::new("All contacts as found"))
            .clicked()
        {
            state.change(Change::Contacts(None), None);
            ui.close();
        }
    });
}
