//! Contacts are moved, lengthened and drawn by dragging on their lanes; a whole drag is one undo step.

use super::theme;
use super::time_axis::TimeAxis;
use crate::gui::state::State;
use crate::gui::within::Within as _;
use crate::metrics::{Contact, SolePoint};
use crate::session::{Change, placed_contact, units};
use eframe::egui::{
    self, CursorIcon, Key, Painter, PointerButton, Rangef, Rect, Response, Stroke, StrokeKind,
};

/// An edge is grabbed from this far, or from a third of a short bar.
const EDGE_PX: f32 = 6.0;

/// Which part of a bar a drag moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grip {
    /// Its first frame.
    Begin,
    /// Its last frame.
    End,
    /// Both.
    Whole,
    /// A bar that is not there yet.
    New,
}

/// A drag that goes on.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactDrag {
    /// What is dragged; `None` for a new one.
    pub(super) of: Option<Contact>,
    pub(super) point: SolePoint,
    grip: Grip,
    /// The frame that was under the pointer at first.
    grabbed: f64,
    /// Where it would be dropped now.
    pub(super) frames: (usize, usize),
}

impl Grip {
    /// The part of a bar under the pointer.
    fn of(bar: Rangef, x: f32) -> Self {
        let edge = EDGE_PX.min(bar.span() / 3.0);
        if x < bar.min + edge {
            Self::Begin
        } else if x > bar.max - edge {
            Self::End
        } else {
            Self::Whole
        }
    }

    fn cursor(self, dragging: bool) -> CursorIcon {
        match self {
            Self::Begin | Self::End => CursorIcon::ResizeHorizontal,
            Self::Whole if dragging => CursorIcon::Grabbing,
            Self::Whole => CursorIcon::Grab,
            Self::New => CursorIcon::Crosshair,
        }
    }

    /// Frames of a bar that was grabbed at one frame and is held at another; whole, at least one apart, in the clip.
    fn frames(self, of: (usize, usize), grabbed: f64, now: f64, last: usize) -> (usize, usize) {
        let (first, end) = of;
        let by = (now - grabbed).round() as i64;
        let moved = |frame: usize, low: usize, high: usize| {
            let to = frame as i64 + by;
            (to.max(low as i64) as usize).min(high)
        };
        match self {
            Self::Begin => (moved(first, 0, end.saturating_sub(1)), end),
            Self::End => (first, moved(end, first + 1, last.max(first + 1))),
            Self::Whole => {
                let length = end - first;
                let first = moved(first, 0, last.saturating_sub(length));
                (first, first + length)
            }
            Self::New => {
                let at = |frame: f64| (frame.round().max(0.0) as usize).min(last);
                let (a, b) = (at(grabbed), at(now));
                (a.min(b), a.max(b))
            }
        }
    }
}

/// Lets a drag on a bar (or with `None` on a free place of a lane) begin, and shows what can be grabbed.
pub(super) fn grab(
    response: &Response,
    state: &mut State,
    axis: &TimeAxis,
    of: Option<Contact>,
    point: SolePoint,
) {
    let grip = |x: f32| match of {
        None => Grip::New,
        Some(c) => Grip::of(
            Rangef::new(axis.x(c.frames.0 as f64), axis.x(c.frames.1 as f64)),
            x,
        ),
    };
    let dragged = state.timeline.contact_drag;
    let icon = match (dragged, response.hover_pos()) {
        (Some(drag), _) => Some(drag.grip.cursor(true)),
        (None, Some(pointer)) => Some(grip(pointer.x).cursor(false)),
        (None, None) => None,
    };
    if let Some(icon) = icon {
        response.ctx.set_cursor_icon(icon);
    }
    if !response.drag_started_by(PointerButton::Primary) {
        return;
    }
    let origin = response.ctx.input(|i| i.pointer.press_origin());
    let Some(origin) = origin else {
        return;
    };
    let grabbed = axis.frame(origin.x);
    let at = grabbed.round().max(0.0) as usize;
    state.timeline.contact_drag = Some(ContactDrag {
        of,
        point,
        grip: grip(origin.x),
        grabbed,
        frames: of.map_or((at, at), |c| c.frames),
    });
}

/// Moves what is dragged, drops it when the button is let go, and lets it be with Escape.
pub(super) fn follow(ui: &egui::Ui, state: &mut State, axis: &TimeAxis) {
    let Some(mut drag) = state.timeline.contact_drag else {
        return;
    };
    let last = state.clip().map_or(0, |c| c.grid().last());
    let (pointer, down, escaped) = ui.input(|i| {
        let down = i.pointer.primary_down();
        (i.pointer.latest_pos(), down, i.key_pressed(Key::Escape))
    });
    if escaped {
        state.timeline.contact_drag = None;
        return;
    }
    if let Some(pointer) = pointer {
        let of = drag.of.map_or(drag.frames, |c| c.frames);
        drag.frames = drag
            .grip
            .frames(of, drag.grabbed, axis.frame(pointer.x), last);
    }
    state.timeline.contact_drag = Some(drag);
    if !down {
        state.timeline.contact_drag = None;
        let list = state.contacts();
        if let Some(list) = placed_contact(&list, drag.of, drag.point, drag.frames) {
            state.change(Change::Contacts(Some(list)), None);
        }
    }
}

/// The bar as it would be dropped, and what it would measure.
pub(super) fn preview(
    ui: &egui::Ui,
    painter: &Painter,
    state: &mut State,
    axis: &TimeAxis,
    row: Rect,
) {
    let Some(drag) = state.timeline.contact_drag else {
        return;
    };
    let x = |frame: usize| {
        axis.x(frame as f64)
            .within(axis.pixels.min, axis.pixels.max)
    };
    let (from, to) = drag.frames;
    let bar = Rect::from_x_y_ranges(
        Rangef::new(x(from), x(to).max(x(from) + 2.0)),
        row.y_range().shrink(0.5),
    );
    painter.rect_filled(bar, 2, theme::ACCENT.gamma_multiply(0.35));
    painter.rect_stroke(bar, 2, Stroke::new(1.5, theme::ACCENT), StrokeKind::Inside);
    let text = words(state, &drag);
    egui::Tooltip::always_open(
        ui.ctx().clone(),
        ui.layer_id(),
        ui.scope_id().with("contact drag"),
        egui::PopupAnchor::Pointer,
    )
    .gap(16.0)
    .show(|ui| ui.add(egui::Label::new(text).extend()));
}

fn words(state: &mut State, drag: &ContactDrag) -> String {
    let (from, to) = drag.frames;
    if from >= to {
        return format!("Frame {from}: drag to the contact's other end");
    }
    let frames = format!("Frames {from} to {to}, {} of them", to - from + 1);
    let contact = Contact {
        point: drag.point,
        frames: drag.frames,
    };
    let Some(slide) = state.slide(contact) else {
        return frames;
    };
    let added_m = state.result().map_or(slide.added_m, |r| r.added_m(&slide));
    format!(
        "{frames}\nSlide added {}, of the source itself {}",
        units::show_mm(added_m),
        units::show_mm(slide.source_drift_m)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAST: usize = 30;

    #[test]
    fn edges_stop_at_each_other_and_at_the_clip() {
        let begin = |now| Grip::Begin.frames((10, 20), 10.0, now, LAST);
        assert_eq!(begin(7.4), (7, 20));
        assert_eq!(begin(28.0), (19, 20));
        assert_eq!(begin(-90.0), (0, 20));
        let end = |now| Grip::End.frames((10, 20), 20.3, now, LAST);
        assert_eq!(end(24.9), (10, 25));
        assert_eq!(end(0.0), (10, 11));
        assert_eq!(end(1e9), (10, LAST));
    }

    #[test]
    fn a_whole_bar_keeps_its_length() {
        let whole = |now| Grip::Whole.frames((10, 20), 15.0, now, LAST);
        assert_eq!(whole(18.0), (13, 23));
        assert_eq!(whole(-40.0), (0, 10));
        assert_eq!(whole(99.0), (20, LAST));
    }

    #[test]
    fn a_new_bar_is_drawn_both_ways() {
        let new = |from, to| Grip::New.frames((0, 0), from, to, LAST);
        assert_eq!(new(4.2, 9.7), (4, 10));
        assert_eq!(new(9.7, 4.2), (4, 10));
        assert_eq!(new(25.0, 99.0), (25, LAST));
    }

    #[test]
    fn short_bars_have_edges_too() {
        let bar = Rangef::new(100.0, 109.0);
        let grips = [101.0, 104.5, 108.0].map(|x| Grip::of(bar, x));
        assert_eq!(grips, [Grip::Begin, Grip::Whole, Grip::End]);
        let bar = Rangef::new(100.0, 300.0);
        assert_eq!(Grip::of(bar, 108.0), Grip::Whole);
    }
}
