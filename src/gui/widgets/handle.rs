use super::quantity::Quantity;
use super::tune::Tuned;
use eframe::egui::{EventFilter, Id, Key, Modifiers, PointerButton, Rect, Response, Ui, accesskit};

/// How much Shift slows a drag down.
const FINE: f64 = 0.1;

/// Something that is moved along a rail by the pointer and by arrow keys. Positions are in `[0, 1]`.
pub struct Handle<'a> {
    /// From where to where it goes, left to right.
    pub rail: Rect,
    /// Where it stands while nobody moves it.
    pub position: f64,
    /// The value at a position; also beyond the ends.
    pub value: &'a dyn Fn(f64) -> f64,
    /// How far an arrow key moves it.
    pub key_step: f64,
}

/// A drag that goes on: the position, not clamped.
#[derive(Clone, Copy)]
struct Drag(f64);

impl Handle<'_> {
    /// Where it stands now, and what a drag or a key says. A press moves it to the pointer.
    pub fn moved(&self, ui: &Ui, response: &Response) -> (f64, Option<Tuned>) {
        let (position, tuned) = self.dragged(ui, response);
        (position, tuned.or_else(|| self.keyed(ui, response)))
    }

    fn dragged(&self, ui: &Ui, response: &Response) -> (f64, Option<Tuned>) {
        let (rail, value) = (self.rail, self.value);
        let width = rail.width().max(1.0);
        let id = response.id.with("drag");
        let primary = PointerButton::Primary;
        if response.drag_started_by(primary) {
            let x = response.interact_pointer_pos().map_or(rail.left(), |p| p.x);
            let t = f64::from((x - rail.left()) / width);
            ui.data_mut(|d| d.insert_temp(id, Drag(t)));
            return (t, Some(Tuned::Start(value(t))));
        }
        let Some(Drag(mut t)) = ui.data(|d| d.get_temp(id)) else {
            return (self.position, None);
        };
        let speed = if ui.input(|i| i.modifiers.shift) {
            FINE
        } else {
            1.0
        };
        t += f64::from(response.drag_delta().x / width) * speed;
        if response.dragged_by(primary) {
            ui.data_mut(|d| d.insert_temp(id, Drag(t)));
            return (t, Some(Tuned::Move(value(t))));
        }
        ui.data_mut(|d| d.remove::<Drag>(id));
        (t, Some(Tuned::End(value(t))))
    }

    fn keyed(&self, ui: &Ui, response: &Response) -> Option<Tuned> {
        if !response.has_focus() {
            return None;
        }
        let filter = EventFilter {
            horizontal_arrows: true,
            ..Default::default()
        };
        ui.memory_mut(|m| m.set_focus_lock_filter(response.id, filter));
        let step = ui.input_mut(|i| {
            let mut count = |key| i.count_and_consume_key(Modifiers::NONE, key) as f64;
            count(Key::ArrowRight) - count(Key::ArrowLeft)
        });
        let position = self.position + step * self.key_step;
        (step != 0.0).then(|| Tuned::Set((self.value)(position)))
    }
}

/// What assistive technology sets a slider of a quantity to.
pub fn asked(ui: &Ui, id: Id, quantity: Quantity) -> Option<Tuned> {
    ui.input(|i| {
        i.accesskit_action_requests(id, accesskit::Action::SetValue)
            .find_map(|request| match request.data {
                Some(accesskit::ActionData::NumericValue(v)) => {
                    Some(Tuned::Set(quantity.stored(v)))
                }
                _ => None,
            })
    })
}
