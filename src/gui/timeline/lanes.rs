//! One lane a foot: its contacts, heel above ball, coloured by the slide that compression adds.

use super::contact_drag;
use super::contact_menu::{contact_menu, lanes_menu};
use super::time_axis::TimeAxis;
use super::{GUTTER, card, theme, time_grid};
use crate::codec::{Judgement, Limit, Matter, Ruling};
use crate::gui::state::State;
use crate::gui::widgets::{ruling_color, ruling_words};
use crate::gui::within::Within as _;
use crate::metrics::{Contact, ContactSlide, SolePoint};
use crate::session::{ClipResult, units};
use eframe::egui::{
    self, Align2, Color32, FontId, Painter, Rangef, Rect, ScrollArea, Sense, Stroke, Ui,
    WidgetInfo, pos2, vec2,
};

/// How many lanes are seen at once, and how high they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LaneSize {
    count: usize,
    /// Rows of a lane: one a sole point.
    rows: usize,
    row: f32,
}

/// The sole points of one foot.
type Lane = Vec<SolePoint>;

/// One a foot, where any foot stands.
fn lanes_of(state: &State) -> Vec<Lane> {
    let Some(result) = state.result() else {
        return Vec::new();
    };
    let known = |c: &Contact| result.contacts.points.contains(&c.point);
    if !state.contacts().iter().any(known) {
        return Vec::new();
    }
    let lanes = result.contacts.points.chunk_by(|a, b| a.foot == b.foot);
    lanes.map(<[SolePoint]>::to_vec).collect()
}

impl LaneSize {
    /// Fixed for each clip and panel height: both feet in all but the lowest panels, thinner where height is
    /// short. More feet are reached by scrolling.
    pub(super) fn new(state: &State, panel_height: f32) -> Self {
        let lanes = lanes_of(state);
        let rows = lanes.iter().map(Vec::len).max().unwrap_or(1);
        Self::of(lanes.len(), rows, panel_height)
    }

    fn of(feet: usize, rows: usize, panel_height: f32) -> Self {
        let most = if panel_height < 230.0 { 1 } else { 2 };
        let most = if rows == 1 { 2 * most } else { most };
        let count = feet.within(1, most);
        // A single row may hold words, which need its full height.
        let thin = panel_height < 340.0 && count * rows > 1;
        Self {
            count,
            rows,
            row: if thin { 10.0 } else { 13.0 },
        }
    }

    fn lane(self) -> f32 {
        self.rows as f32 * self.row + 2.0
    }

    /// Height of all visible lanes and the room around them.
    pub(super) fn total(self) -> f32 {
        self.count as f32 * self.lane() + 4.0
    }

    fn font(self, size: f32) -> FontId {
        FontId::proportional(size.min(self.row - 1.0))
    }
}

pub(super) fn lanes_ui(ui: &mut Ui, state: &mut State, axis: &TimeAxis, size: LaneSize) {
    let row = ui.max_rect();
    let last = state.clip().map_or(0, |c| c.grid().last());
    time_grid(ui, axis, axis.part_of(row), last);
    let Some(result) = state.result().cloned() else {
        return;
    };
    let back = ui.interact(
        axis.part_of(row),
        ui.scope_id().with("lanes"),
        Sense::click(),
    );
    back.widget_info(|| WidgetInfo::labeled(egui::Role::Group, true, "Contacts of the feet"));
    lanes_menu(&back, state, &result);
    let lanes = lanes_of(state);
    if lanes.is_empty() {
        let at = pos2(axis.pixels.min + 24.0, row.center().y);
        let judged = state.judgement();
        let unknown = judged.as_ref().and_then(|j| j.find(|m| *m == Matter::Feet));
        let text = unknown.map_or("no foot stands in this clip", |l| l.why.as_str());
        let font = FontId::proportional(11.0);
        card(
            ui,
            at,
            Align2::LEFT_CENTER,
            text.to_owned(),
            font,
            theme::WEAK,
        );
        return;
    }
    contact_drag::follow(ui, state, axis);
    ui.spacing_mut().item_spacing.y = 0.0;
    let Some(judged) = state.judgement() else {
        return;
    };
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.add_space(2.0);
        for points in &lanes {
            lane(ui, state, axis, (&result, &judged), points, size);
        }
    });
}

fn lane(
    ui: &mut Ui,
    state: &mut State,
    axis: &TimeAxis,
    (result, judged): (&ClipResult, &Judgement),
    points: &[SolePoint],
    size: LaneSize,
) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size.lane()), Sense::hover());
    let Some(clip) = state.clip().cloned() else {
        return;
    };
    let rect = rect.with_min_x(axis.pixels.min - GUTTER);
    let selected = points
        .iter()
        .any(|p| [p.foot, p.joint].contains(&state.joint));
    let color = if selected { theme::TEXT } else { theme::WEAK };
    let foot = points.first().map_or(0, |p| p.foot);
    let at = pos2(axis.pixels.min - 6.0, rect.center().y);
    let name = shorten(&clip.skeleton().joints()[foot].name);
    let font = FontId::proportional(10.5);
    ui.painter()
        .text(at, Align2::RIGHT_CENTER, name, font, color);
    let contacts = state.contacts();
    for (k, point) in points.iter().enumerate() {
        let top = rect.top() + 1.0 + k as f32 * size.row;
        let row = rect.with_min_y(top).with_max_y(top + size.row);
        free_place(ui, state, axis, row, result, *point);
        let own = contacts.iter().enumerate();
        for (n, &contact) in own.filter(|(_, c)| c.point == *point) {
            let id = ui.scope_id().with(("contact", n));
            let mut slides = result.measured.slides.iter();
            match slides.find(|s| s.contact == contact) {
                Some(slide) => {
                    let limit = judged.of_contact(&contact);
                    bar_ui(ui, state, axis, (row, id), limit, slide, size);
                }
                None => awaited(ui, axis, row, contact),
            }
        }
        if state
            .timeline
            .contact_drag
            .is_some_and(|d| d.point == *point)
        {
            let painter = ui.painter_at(axis.part_of(row));
            contact_drag::preview(ui, &painter, state, axis, row);
        }
    }
}

/// Beside the bars of a point: a drag draws a new one.
fn free_place(
    ui: &Ui,
    state: &mut State,
    axis: &TimeAxis,
    row: Rect,
    result: &ClipResult,
    point: SolePoint,
) {
    let id = ui.scope_id().with(("free", point.joint, point.part.name()));
    let response = ui.interact(axis.part_of(row), id, Sense::click_and_drag());
    response.widget_info(|| {
        let joints = state.clip().map(|c| c.skeleton().joints());
        let joint = joints.map_or("", |j| j[point.joint].name.as_str());
        let name = format!("Frames of {joint} {} without a contact", point.part.name());
        WidgetInfo::labeled(egui::Role::Group, true, name)
    });
    contact_drag::grab(&response, state, axis, None, point);
    lanes_menu(&response, state, result);
}

/// Where a contact lies on its row; `None` out of view.
fn bar_rect(axis: &TimeAxis, row: Rect, contact: Contact) -> Option<Rect> {
    let (from, to) = contact.frames;
    if (to as f64) < axis.view.start || from as f64 > axis.view.end {
        return None;
    }
    let x = |frame: usize| {
        axis.x(frame as f64)
            .within(axis.pixels.min, axis.pixels.max)
    };
    let x = Rangef::new(x(from), x(to).max(x(from) + 2.0));
    Some(Rect::from_x_y_ranges(x, row.y_range().shrink(0.5)))
}

/// A contact that was just changed and is not measured yet.
fn awaited(ui: &Ui, axis: &TimeAxis, row: Rect, contact: Contact) {
    if let Some(rect) = bar_rect(axis, row, contact) {
        let painter = ui.painter_at(axis.part_of(row));
        painter.rect_filled(rect, 2, theme::FAINT);
    }
}

fn bar_ui(
    ui: &mut Ui,
    state: &mut State,
    axis: &TimeAxis,
    (row, id): (Rect, egui::Id),
    limit: Option<&Limit>,
    slide: &ContactSlide,
    size: LaneSize,
) {
    let (Some(rect), Some(limit)) = (bar_rect(axis, row, slide.contact), limit) else {
        return;
    };
    let response = ui.interact(rect, id, Sense::click_and_drag());
    contact_drag::grab(
        &response,
        state,
        axis,
        Some(slide.contact),
        slide.contact.point,
    );
    let added_m = limit.measured.unwrap_or(slide.added_m);
    let text = words(state, slide, limit);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &text));
    let painter = ui.painter_at(axis.part_of(row));
    bar(&painter, rect, limit.ruling, response.hovered());
    bar_label(&painter, rect, &units::show_mm(added_m), size.font(9.5));
    if state.timeline.contact_drag.is_some() {
        return;
    }
    let tip = format!(
        "{text}\nThe source drifts {}, the compressed foot {}; lift {}; the error moves at up to {} mm/s\nClick: go to \
         the worst frame and open the inset; drag it or its ends; right click: change the contact",
        units::show_mm(slide.source_drift_m),
        units::show_mm(slide.compressed_drift_m),
        units::show_mm(slide.lift_m),
        units::digits(slide.speed_m_per_s * 1000.0),
    );
    let response = response.on_hover_text(tip);
    if response.clicked() {
        state.joint = slide.contact.point.joint;
        state.shell.inset = Some(slide.contact.point.foot);
        state.plot.fit_step = None;
        super::navigation::go_to(state, slide.worst_frame as f64);
    }
    contact_menu(&response, state, slide.contact);
}

/// What a contact is, and how it stands against the limit.
fn words(state: &State, slide: &ContactSlide, limit: &Limit) -> String {
    let point = slide.contact.point;
    let joints = state.clip().map(|c| c.skeleton().joints());
    let name = joints.map_or("", |j| j[point.joint].name.as_str());
    let (from, to) = slide.contact.frames;
    format!(
        "{name} ({}) stands from frame {from} to {to}: {} of slide added, {}",
        point.part.name(),
        units::show_mm(limit.measured.unwrap_or(slide.added_m)),
        ruling_words(limit)
    )
}

/// A name that fits left of the axis: its start says which side, its end which joint of the foot.
fn shorten(name: &str) -> String {
    const HEAD: usize = 6;
    const TAIL: usize = 4;
    let chars: Vec<char> = name.chars().collect();
    if chars.len() <= HEAD + TAIL + 1 {
        return name.to_owned();
    }
    let head = chars[..HEAD].iter();
    let tail = chars[chars.len() - TAIL..].iter();
    head.chain(&['…']).chain(tail).collect()
}

/// Over its limit the bar has stripes: the ruling shows without its colour too.
fn bar(painter: &Painter, rect: Rect, ruling: Ruling, hovered: bool) {
    let color = ruling_color(ruling);
    let fill = if hovered {
        color.gamma_multiply(0.8)
    } else {
        color.gamma_multiply(0.62)
    };
    painter.rect_filled(rect, 2, fill);
    let painter = painter.with_clip_rect(rect.intersect(painter.clip_rect()));
    if ruling != Ruling::Over {
        return;
    }
    let ink = Color32::from_black_alpha(80);
    let count = (rect.width() / 7.0) as usize + 2;
    for k in 0..count.min(400) {
        let x = rect.left() + 7.0 * k as f32;
        let (a, b) = (pos2(x - 5.0, rect.bottom()), pos2(x + 4.0, rect.top()));
        painter.line_segment([a, b], Stroke::new(2.0, ink));
    }
}

fn bar_label(painter: &Painter, rect: Rect, text: &str, font: FontId) {
    let galley = painter.layout_no_wrap(text.to_owned(), font, Color32::WHITE);
    if galley.size().x + 8.0 > rect.width() {
        return;
    }
    let corner = Align2::LEFT_CENTER
        .anchor_size(rect.left_center() + vec2(5.0, 0.0), galley.size())
        .min;
    painter.galley(corner, galley, Color32::WHITE);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_side_and_joint() {
        assert_eq!(shorten("foot_l"), "foot_l");
        assert_eq!(shorten("b_LeftFoot01_017"), "b_Left…_017");
        assert_eq!(shorten("b_RightFoot02_022"), "b_Righ…_022");
    }

    #[test]
    fn both_feet_are_seen_in_a_small_window() {
        assert_eq!(LaneSize::of(2, 2, 255.0).count, 2);
        assert_eq!(LaneSize::of(4, 1, 255.0).count, 4);
        assert_eq!(LaneSize::of(9, 2, 420.0).count, 2);
        assert_eq!(LaneSize::of(4, 2, 200.0).count, 1);
        assert_eq!(LaneSize::of(0, 1, 255.0).count, 1);
        assert!(LaneSize::of(2, 2, 255.0).total() < LaneSize::of(2, 2, 420.0).total());
    }
}
