use super::errors::go_to;
use crate::codec::{Judgement, Matter, Ruling};
use crate::gui::shell::{FeetColumn, FeetOrder};
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{mm_text, rule, ruling_color, ruling_words, section, text_at};
use crate::metrics::{ContactSlide, SLIDE_LIMIT_M, Worst};
use crate::model::Clip;
use crate::session::{Change, ClipResult, units};
use eframe::egui::{
    self, Align2, Color32, FontId, Pos2, Rect, Response, Sense, Shape, Stroke, Ui, WidgetInfo,
    pos2, vec2,
};

/// Contacts in the list; the tour of the worst moments goes through all.
const MOST_ROWS: usize = 8;

const ROW: f32 = 22.0;

/// Right edges of the columns, from the right edge of the panel.
const SPEED: f32 = 0.0;
const ADDED: f32 = 38.0;
const SOURCE: f32 = 80.0;
const FRAMES: f32 = 136.0;

/// How far compression moves feet that stand, the worst contacts first; nothing where no foot does.
pub(super) fn feet_ui(ui: &mut Ui, state: &mut State) {
    let Some((clip, result)) = state.clip().cloned().zip(state.result().cloned()) else {
        return;
    };
    let Some(judged) = state.judgement() else {
        return;
    };
    let mut slides = result.worst_slides();
    if slides.is_empty() {
        return unknown_ui(ui, state, &judged);
    }
    section(ui, "Feet on the ground", |ui| {
        ui.label(theme::hint("slide, mm")).on_hover_text(
            "How far the foot slides over the ground while the source's foot stands: in the source, and what \
             compression adds; N goes through all contacts",
        );
    });
    heads(ui, &mut state.shell.feet);
    sort(&mut slides, &clip, &result, state.shell.feet);
    let shown = if state.shell.feet.all {
        slides.len()
    } else {
        MOST_ROWS
    };
    for slide in slides.iter().take(shown) {
        if row(ui, &clip, &judged, slide).clicked() {
            let secs = clip.grid().secs(slide.worst_frame as f64);
            let worst = Worst {
                joint: slide.contact.point.joint,
                secs,
                error_m: slide.added_m,
            };
            go_to(state, worst);
            state.shell.stage.frame_joint_next(worst.joint);
            state.shell.inset = Some(slide.contact.point.foot);
        }
    }
    more(ui, slides.len(), &mut state.shell.feet);
    mend_ui(ui, state, (&clip, &result), &judged);
    rule(ui);
}

/// What holds feet that slide too far: all of them, or the one that is looked at, else the worst.
fn mend_ui(
    ui: &mut Ui,
    state: &mut State,
    (clip, result): (&Clip, &ClipResult),
    judged: &Judgement,
) {
    let settings = &result.settings;
    let name_of = |s: &ContactSlide| &clip.skeleton().joints()[s.contact.point.foot].name;
    let limit_of = |s: &ContactSlide| {
        let asked = judged.of_contact(&s.contact).and_then(|l| l.asked);
        asked.map_or(SLIDE_LIMIT_M, |a| a.limit)
    };
    let worst = result.worst_slides();
    let over = |s: &&ContactSlide| match judged.contact_ruling(&s.contact) {
        Ruling::Over => true,
        // It can be held to what an eye sees.
        Ruling::NotAsked => result.added_m(s) > SLIDE_LIMIT_M,
        Ruling::Met | Ruling::CannotSay => false,
    };
    let looked_at = |s: &&ContactSlide| Some(s.contact.point.foot) == state.shell.inset;
    let mut all = worst.iter().filter(over);
    let Some(slide) = all.clone().find(looked_at).or_else(|| all.next()) else {
        return;
    };
    let (foot, limit_m) = (name_of(slide).clone(), limit_of(slide));
    let all_m = settings.slide_target_m.unwrap_or(SLIDE_LIMIT_M);
    let held = settings.holds() && !result.compressed.held.is_empty();
    ui.horizontal(|ui| {
        let why = format!(
            "Stores the limbs of all feet again until none slides more than {}; one step to undo",
            units::show_mm(all_m)
        );
        if ui.button("Fix all contacts").on_hover_text(why).clicked() {
            state.change(Change::FixContacts(all_m), None);
        }
        let why = format!(
            "Stores this limb alone again, in the fewest bytes, until the foot slides no more than {}",
            units::show_mm(limit_m)
        );
        if ui.button(format!("Tighten {foot}")).on_hover_text(why).clicked() {
            let change = Change::TightenFoot {
                foot,
                slide_m: Some(limit_m),
            };
            state.change(change, None);
        }
    });
    if held {
        ui.label(theme::hint(
            "Some are held, and still over: a larger skin target gives limbs more room",
        ));
    }
}

/// Where it is asked how far feet slide and nothing is known of them.
fn unknown_ui(ui: &mut Ui, state: &mut State, judged: &Judgement) {
    let Some(limit) = judged.find(|m| *m == Matter::Feet) else {
        return;
    };
    section(ui, "Feet on the ground", |_| {});
    let text = format!("It cannot be said whether they slide: {}", limit.why);
    ui.label(theme::hint(text).color(ruling_color(limit.ruling)));
    let why = "Says that no foot stands in this clip, so that none can slide; one step to undo";
    if ui
        .button("No foot stands here")
        .on_hover_text(why)
        .clicked()
    {
        state.change(Change::Contacts(Some(Vec::new())), None);
    }
    rule(ui);
}

/// Unfolds and folds what is more than fits.
fn more(ui: &mut Ui, count: usize, order: &mut FeetOrder) {
    let text = match (count.saturating_sub(MOST_ROWS), order.all) {
        (0, _) => return,
        (_, true) => "show fewer".to_owned(),
        (1, false) => "and 1 contact more".to_owned(),
        (more, false) => format!("and {more} contacts more"),
    };
    let label = egui::Label::new(theme::hint(text)).sense(Sense::click());
    if ui.add(label).clicked() {
        order.all = !order.all;
    }
}

fn sort(slides: &mut [ContactSlide], clip: &Clip, result: &ClipResult, order: FeetOrder) {
    let name = |s: &ContactSlide| {
        let point = s.contact.point;
        (&clip.skeleton().joints()[point.joint].name, point.part)
    };
    // Stable: among equals the worst stays first.
    slides.sort_by(|a, b| {
        let sorted = match order.by {
            FeetColumn::Joint => name(a).cmp(&name(b)),
            FeetColumn::Frames => a.contact.frames.cmp(&b.contact.frames),
            FeetColumn::Source => a.source_drift_m.total_cmp(&b.source_drift_m),
            FeetColumn::Added => result.added_m(a).total_cmp(&result.added_m(b)),
            FeetColumn::Speed => a.speed_m_per_s.total_cmp(&b.speed_m_per_s),
        };
        if order.ascending {
            sorted
        } else {
            sorted.reverse()
        }
    });
}

fn heads(ui: &mut Ui, order: &mut FeetOrder) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
    let heads = [
        (FeetColumn::Joint, rect.width() - 16.0, "joint"),
        (FeetColumn::Frames, FRAMES, "frames"),
        (FeetColumn::Source, SOURCE, "source"),
        (FeetColumn::Added, ADDED, "added"),
        (FeetColumn::Speed, SPEED, "mm/s"),
    ];
    for (column, right, head) in heads {
        let at = pos2(rect.right() - right, rect.center().y);
        let anchor = match column {
            FeetColumn::Joint => Align2::LEFT_CENTER,
            _ => Align2::RIGHT_CENTER,
        };
        let on = order.by == column;
        let color = if on { theme::TEXT } else { theme::FAINT };
        let galley =
            ui.painter()
                .layout_no_wrap(head.to_owned(), FontId::proportional(11.0), color);
        let words = anchor.anchor_size(at, galley.size());
        let id = ui.scope_id().with(("contacts by", head));
        let response = ui.interact(words.expand2(vec2(3.0, 2.0)), id, Sense::click());
        let label = format!("Sort contacts by {head}");
        response.widget_info(|| WidgetInfo::selected(egui::Role::Button, true, on, &label));
        ui.painter().galley(words.min, galley, color);
        if on {
            sorted_mark(ui, pos2(words.center().x, words.bottom() + 1.0), *order);
        }
        if response.clicked() {
            *order = order.clicked(column);
        }
        response.on_hover_text(match column {
            FeetColumn::Joint => "The joint that moves the sole point; click to sort",
            FeetColumn::Frames => "First and last frame of the contact; click to sort",
            FeetColumn::Source => {
                "How far the source's own foot slides, millimetres; click to sort"
            }
            FeetColumn::Added => "Slide that compression adds, millimetres; click to sort",
            FeetColumn::Speed => "Largest speed of the error, millimetres a second; click to sort",
        });
    }
}

/// A small triangle below the head that decides.
fn sorted_mark(ui: &Ui, at: Pos2, order: FeetOrder) {
    let tip = if order.ascending { -3.0 } else { 3.0 };
    let corners = [vec2(-3.5, 0.0), vec2(3.5, 0.0), vec2(0.0, tip)];
    let base = at + vec2(0.0, if order.ascending { 3.0 } else { 0.0 });
    let points = corners.iter().map(|&v| base + v).collect();
    let triangle = Shape::convex_polygon(points, theme::ACCENT, Stroke::NONE);
    ui.painter().add(triangle);
}

fn row(ui: &mut Ui, clip: &Clip, judged: &Judgement, slide: &ContactSlide) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let point = slide.contact.point;
    let joint = &clip.skeleton().joints()[point.joint].name;
    let (from, to) = slide.contact.frames;
    let name = format!("{joint} {}", point.part.name());
    let label = format!("Slide of {name}, frames {from} to {to}");
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &label));
    if response.hovered() {
        let back = rect.expand2(vec2(6.0, 0.0));
        ui.painter().rect_filled(back, 5, theme::RAISED);
    }
    let limit = judged.of_contact(&slide.contact);
    let added_m = limit.and_then(|l| l.measured).unwrap_or(slide.added_m);
    let color = ruling_color(limit.map_or(Ruling::NotAsked, |l| l.ruling));
    figures(
        ui,
        rect,
        (joint, point.part.name()),
        slide,
        (added_m, color),
    );
    response.on_hover_text(format!(
        "{name} stands in frames {from} to {to}\nThe source drifts {}, the compressed foot {}: compression adds {}, with \
         {} of lift, at up to {} mm/s\nThat is {}; click to go to frame {}",
        units::show_mm(slide.source_drift_m),
        units::show_mm(slide.compressed_drift_m),
        units::show_mm(added_m),
        units::show_mm(slide.lift_m),
        units::digits(slide.speed_m_per_s * 1000.0),
        limit.map_or_else(String::new, ruling_words),
        slide.worst_frame,
    ))
}

fn figures(
    ui: &Ui,
    rect: Rect,
    name: (&str, &str),
    slide: &ContactSlide,
    (added_m, color): (f64, Color32),
) {
    let (painter, y) = (ui.painter(), rect.center().y);
    painter.circle_filled(pos2(rect.left() + 4.0, y), 4.0, color);
    let small = FontId::proportional(12.0);
    let text = |right: f32, text: String, font: FontId, color| {
        let at = pos2(rect.right() - right, y);
        painter.text(at, Align2::RIGHT_CENTER, text, font, color)
    };
    let (from, to) = slide.contact.frames;
    let frames = text(FRAMES, format!("{from}–{to}"), small.clone(), theme::FAINT);
    let source = format!("{} →", mm_text(slide.source_drift_m));
    text(SOURCE, source, small.clone(), theme::WEAK);
    text(ADDED, mm_text(added_m), theme::medium_font(12.5), color);
    let speed = units::digits((slide.speed_m_per_s * 10_000.0).round() / 10.0);
    text(SPEED, speed, small, theme::WEAK);
    // The joint's name gives way, heel or ball stays.
    let left = rect.left() + 16.0;
    let (joint, part) = name;
    let font = FontId::proportional(12.5);
    let part = painter.layout_no_wrap(format!(" {part}"), font.clone(), theme::TEXT);
    let room = frames.left() - 8.0 - left - part.size().x;
    let at = pos2(left, y);
    let shown = text_at(
        painter,
        at,
        Align2::LEFT_CENTER,
        joint,
        font,
        theme::TEXT,
        room,
    );
    let at = Align2::LEFT_CENTER.anchor_size(pos2(left + shown, y), part.size());
    painter.galley(at.min, part, theme::TEXT);
}
