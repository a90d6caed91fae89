//! One lane a foot: its worst stance, coloured by the slide that compression adds.

use super::time_axis::TimeAxis;
use super::{GUTTER, card, theme, time_grid};
use crate::gui::state::State;
use crate::gui::widgets::SlideGrade;
use crate::metrics::{FootSlide, SLIDE_LIMIT_M};
use crate::session::units;
use eframe::egui::{
    self, Align2, Color32, FontId, Painter, Rangef, Rect, ScrollArea, Sense, Stroke, Ui,
    WidgetInfo, pos2, vec2,
};

/// How many lanes are seen at once, and how high each is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LaneSize {
    count: usize,
    lane: f32,
}

impl LaneSize {
    /// Fixed for each clip and panel height: both feet and their balls in all but the lowest panels, thinner
    /// where height is short. More feet are reached by scrolling.
    pub(super) fn new(state: &State, panel_height: f32) -> Self {
        let feet = state.result().map_or(1, |r| r.measured.slides.len());
        Self::of(feet, panel_height)
    }

    fn of(feet: usize, panel_height: f32) -> Self {
        let most = if panel_height < 230.0 { 2 } else { 4 };
        let count = feet.clamp(1, most);
        // A single lane may hold words, which need its full height.
        let thin = panel_height < 340.0 && count > 1;
        Self {
            count,
            lane: if thin { 11.0 } else { 14.0 },
        }
    }

    /// Height of all visible lanes and the room around them.
    pub(super) fn total(self) -> f32 {
        self.count as f32 * self.lane + 4.0
    }

    fn font(self, size: f32) -> FontId {
        FontId::proportional(size.min(self.lane - 2.0))
    }
}

pub(super) fn lanes_ui(ui: &mut Ui, state: &mut State, axis: &TimeAxis, size: LaneSize) {
    let row = ui.max_rect();
    let last = state.clip().map_or(0, |c| c.grid().last());
    time_grid(ui, axis, axis.part_of(row), last);
    let Some(result) = state.result().cloned() else {
        return;
    };
    if result.measured.slides.is_empty() {
        let at = pos2(axis.pixels.min + 24.0, row.center().y);
        let text = "no foot stands in this clip";
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
    ui.spacing_mut().item_spacing.y = 0.0;
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.add_space(2.0);
        for slide in &result.measured.slides {
            lane(ui, state, axis, *slide, size);
        }
    });
}

fn lane(ui: &mut Ui, state: &mut State, axis: &TimeAxis, slide: FootSlide, size: LaneSize) {
    let (row, _) = ui.allocate_exact_size(vec2(ui.available_width(), size.lane), Sense::hover());
    let Some(clip) = state.clip().cloned() else {
        return;
    };
    let name = clip.skeleton().joints()[slide.joint].name.clone();
    let row = row.with_min_x(axis.pixels.min - GUTTER);
    let color = if state.joint == slide.joint {
        theme::TEXT
    } else {
        theme::WEAK
    };
    let at = pos2(axis.pixels.min - 6.0, row.center().y);
    ui.painter().text(
        at,
        Align2::RIGHT_CENTER,
        shorten(&name),
        size.font(10.5),
        color,
    );
    let (from, to) = slide.frames;
    if (to as f64) < axis.view.start || from as f64 > axis.view.end {
        return;
    }
    let x = |frame: usize| axis.x(frame as f64).clamp(axis.pixels.min, axis.pixels.max);
    let x = Rangef::new(x(from), x(to).max(x(from) + 2.0));
    let rect = Rect::from_x_y_ranges(x, row.y_range().shrink(1.0));
    let response = ui.interact(
        rect,
        ui.scope_id().with(("stance", slide.joint)),
        Sense::click(),
    );
    let grade = SlideGrade::of(slide.added_m);
    let added = units::show_mm(slide.added_m);
    let text = format!(
        "{name} stands from frame {from} to {to}: {added} of slide added, {} the limit of {}",
        grade.words(),
        units::show_mm(SLIDE_LIMIT_M)
    );
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &text));
    let painter = ui.painter_at(axis.part_of(row));
    bar(&painter, rect, grade, response.hovered());
    bar_label(&painter, rect, &added, size.font(9.5));
    let tip = format!(
        "{text}\nLargest distance on the ground between two errors of the foot while the source's foot stands; \
         the worst stance of this foot\nClick: go there and select the foot"
    );
    if response.on_hover_text(tip).clicked() {
        state.joint = slide.joint;
        state.plot.fit_step = None;
        super::navigation::go_to(state, from as f64);
    }
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

/// Near the limit the bar has dots, over it stripes: the grade shows without its colour too.
fn bar(painter: &Painter, rect: Rect, grade: SlideGrade, hovered: bool) {
    let color = grade.color();
    let fill = if hovered {
        color.gamma_multiply(0.8)
    } else {
        color.gamma_multiply(0.62)
    };
    painter.rect_filled(rect, 2, fill);
    let painter = painter.with_clip_rect(rect.intersect(painter.clip_rect()));
    let ink = Color32::from_black_alpha(80);
    let count = (rect.width() / 7.0) as usize + 2;
    for k in 0..count.min(400) {
        let x = rect.left() + 7.0 * k as f32;
        match grade {
            SlideGrade::Good => break,
            SlideGrade::Near => {
                painter.circle_filled(pos2(x + 3.0, rect.bottom() - 2.5), 1.0, ink);
            }
            SlideGrade::Over => {
                let (a, b) = (pos2(x - 5.0, rect.bottom()), pos2(x + 4.0, rect.top()));
                painter.line_segment([a, b], Stroke::new(2.0, ink));
            }
        }
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
    fn both_feet_and_their_balls_are_seen_in_a_small_window() {
        assert_eq!(LaneSize::of(4, 255.0).count, 4);
        assert_eq!(LaneSize::of(9, 420.0).count, 4);
        assert_eq!(LaneSize::of(4, 200.0).count, 2);
        assert_eq!(LaneSize::of(0, 255.0).count, 1);
        assert!(LaneSize::of(4, 255.0).total() < LaneSize::of(4, 420.0).total());
    }
}
