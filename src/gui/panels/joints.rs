use super::clips::paint_row_back;
use super::top_bar::{JOINT_ACTIONS, items};
use crate::codec::{Ruled, ruled};
use crate::gui::stage::target_m;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::text_at;
use crate::gui::within::Within as _;
use crate::model::Skeleton;
use crate::session::{ClipResult, units};
use eframe::egui::{
    self, Align, Align2, Color32, FontId, Rect, Response, ScrollArea, Sense, Shape, Stroke,
    TextEdit, Ui, WidgetInfo, pos2, vec2,
};
use std::collections::BTreeSet;
use std::sync::Arc;

const ROW: f32 = 22.0;
const INDENT: f32 = 9.0;

/// A visible line of the tree.
struct Line {
    joint: usize,
    depth: usize,
    /// Whether something hangs below it, and whether that is hidden.
    branch: Option<bool>,
}

/// The tree of joints, with each one's share of the error target.
pub fn joints_ui(ui: &mut Ui, state: &mut State) {
    filter_ui(ui, state);
    let Some(clip) = state.clip().cloned() else {
        return;
    };
    let skeleton = clip.skeleton();
    reveal(state, skeleton);
    let lines = lines(skeleton, &state.shell.joint_filter, &state.shell.collapsed);
    ui.spacing_mut().item_spacing.y = 0.0;
    let foot = 20.0;
    let height = (ui.available_height() - foot).max(2.0 * ROW);
    let mut area = ScrollArea::vertical()
        .id_salt("joints")
        .auto_shrink([false, false])
        .max_height(height);
    if let Some(offset) = scroll_to(state, &lines, height) {
        area = area.vertical_scroll_offset(offset);
    }
    let result = state.result().cloned();
    let ruled = ruled_now(state, skeleton);
    let count = lines.len();
    area.show_rows(ui, ROW, count, |ui, range| {
        state.shell.joint_rows = range.clone();
        for line in &lines[range] {
            let ruled = ruled.get(line.joint).copied().unwrap_or_default();
            joint_row(ui, state, skeleton, line, result.as_ref(), &ruled);
        }
    });
    // Rules say it anew, later in the frame.
    state.shell.preview.clear();
    if count == 0 {
        ui.label(theme::hint("No joint has this in its name"));
    } else {
        ui.label(theme::hint("Bar: share of the error target used"));
    }
}

fn filter_ui(ui: &mut Ui, state: &mut State) {
    ui.horizontal(|ui| {
        ui.set_min_height(26.0);
        let name = ui.label(theme::semibold("Joints", 12.0).color(theme::WEAK));
        ui.with_layout(egui::Layout::right_to_left(Align::Center), |ui| {
            let width = (ui.available_width() - 24.0).within(60.0, 170.0);
            let edit = TextEdit::singleline(&mut state.shell.joint_filter)
                .id(egui::Id::unique("joint filter"))
                .hint_text("filter joints")
                .margin(egui::Margin::symmetric(8, 3))
                .desired_width(width - 16.0);
            ui.add(edit).labelled_by(name.id);
        });
    });
}

/// Opens whatever hides a joint that was selected elsewhere.
fn reveal(state: &mut State, skeleton: &Skeleton) {
    if state.shell.scrolled_to == Some(state.joint) {
        return;
    }
    let mut above = skeleton.joints().get(state.joint).and_then(|j| j.parent);
    while let Some(joint) = above {
        state.shell.collapsed.remove(&joint);
        above = skeleton.joints()[joint].parent;
    }
}

/// Where to scroll so that a joint selected elsewhere is seen; `None` where it is, or was shown before.
fn scroll_to(state: &mut State, lines: &[Line], height: f32) -> Option<f32> {
    if state.shell.scrolled_to == Some(state.joint) {
        return None;
    }
    state.shell.scrolled_to = Some(state.joint);
    let at = lines.iter().position(|l| l.joint == state.joint)?;
    let seen = &state.shell.joint_rows;
    let inside = seen.start < at && at + 1 < seen.end;
    (!inside).then(|| ((at as f32 + 0.5) * ROW - 0.5 * height).max(0.0))
}

/// The lines to show: the tree, or with a filter all joints with that in their name.
fn lines(skeleton: &Skeleton, filter: &str, collapsed: &BTreeSet<usize>) -> Vec<Line> {
    let filter = filter.trim().to_lowercase();
    if !filter.is_empty() {
        let joints = skeleton.joints().iter().enumerate();
        return joints
            .filter(|(_, j)| j.name.to_lowercase().contains(&filter))
            .map(|(joint, _)| Line {
                joint,
                depth: 0,
                branch: None,
            })
            .collect();
    }
    let mut children = vec![Vec::new(); skeleton.len()];
    let mut stack = Vec::new();
    for (k, joint) in skeleton.joints().iter().enumerate().rev() {
        match joint.parent {
            Some(p) => children[p].push(k),
            None => stack.push((k, 0)),
        }
    }
    let mut lines = Vec::with_capacity(skeleton.len());
    while let Some((joint, depth)) = stack.pop() {
        let hidden = collapsed.contains(&joint);
        let branch = (!children[joint].is_empty()).then_some(hidden);
        lines.push(Line {
            joint,
            depth,
            branch,
        });
        if !hidden {
            stack.extend(children[joint].iter().map(|&c| (c, depth + 1)));
        }
    }
    lines
}

fn joint_row(
    ui: &mut Ui,
    state: &mut State,
    skeleton: &Skeleton,
    line: &Line,
    result: Option<&Arc<ClipResult>>,
    ruled: &Ruled,
) {
    let name = &skeleton.joints()[line.joint].name;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let also = state.shell.also.contains(&line.joint);
    let selected = state.joint == line.joint || also;
    let previewed = state.shell.preview.contains(&line.joint);
    response.widget_info(|| WidgetInfo::selected(egui::Role::TreeItem, true, selected, name));
    let hovered = response.hovered() || state.hovered_joint == Some(line.joint);
    paint_row_back(ui, rect, selected, hovered);
    // In a narrow column names come before bars, and deep joints stop moving right.
    let indent = (line.depth as f32 * INDENT).min(0.3 * rect.width());
    let bar_width = (0.2 * rect.width()).within(40.0, 58.0);
    let mut left = rect.left() + 6.0 + indent;
    if let Some(hidden) = line.branch {
        fold_ui(
            ui,
            state,
            line.joint,
            name,
            hidden,
            pos2(left + 4.0, rect.center().y),
        );
    }
    left += 13.0;
    let overridden = has_override(state, name);
    let bar = Rect::from_center_size(
        pos2(rect.right() - 8.0 - 0.5 * bar_width, rect.center().y),
        vec2(bar_width, 5.0),
    );
    let room = bar.left() - left - 14.0;
    let (font, color) = if selected {
        (theme::medium_font(12.5), egui::Color32::WHITE)
    } else {
        let color = if previewed {
            theme::ACCENT
        } else {
            theme::TEXT
        };
        (FontId::proportional(12.5), color)
    };
    let at = pos2(left, rect.center().y);
    text_at(
        ui.painter(),
        at,
        Align2::LEFT_CENTER,
        name,
        font,
        color,
        room,
    );
    let at = pos2(bar.left() - 8.0, rect.center().y);
    if ruled.locked {
        let lock = egui_material_icons::icons::ICON_LOCK.codepoint;
        let font = FontId::proportional(11.0);
        ui.painter()
            .text(at, Align2::CENTER_CENTER, lock, font, theme::ACCENT);
    } else if overridden {
        ui.painter().circle_filled(at, 2.5, theme::ACCENT);
    } else if *ruled != Ruled::default() {
        ui.painter()
            .circle_stroke(at, 2.5, Stroke::new(1.0, theme::ACCENT));
    }
    paint_bar(ui, bar, line.joint, result);
    if response.hovered() {
        state.shell.hover = Some(line.joint);
    }
    if response.clicked() {
        let modifiers = ui.input(|i| i.modifiers);
        select(state, skeleton, line.joint, modifiers);
    }
    if response.secondary_clicked() && !selected {
        select(state, skeleton, line.joint, egui::Modifiers::NONE);
    }
    response.context_menu(|ui| items(ui, state, &JOINT_ACTIONS));
    response.on_hover_ui(|ui| {
        let mut text = tooltip(name, line.joint, result, overridden);
        if ruled.locked {
            text += "\nlocked by a rule";
        } else if *ruled != Ruled::default() {
            text += "\na rule is about it";
        }
        ui.label(text);
    });
}

/// A click selects one joint; with Ctrl it adds or takes away one, with Shift all lines up to it are added.
fn select(state: &mut State, skeleton: &Skeleton, joint: usize, modifiers: egui::Modifiers) {
    let before = state.joint;
    if modifiers.command {
        if state.shell.also.remove(&joint) {
            return;
        }
        if joint == before {
            // Another one is shown then, if there is one.
            state.joint = state.shell.also.pop_first().unwrap_or(joint);
        } else {
            state.shell.also.insert(before);
            state.joint = joint;
        }
    } else if modifiers.shift {
        let lines = lines(skeleton, &state.shell.joint_filter, &state.shell.collapsed);
        let at = |j: usize| lines.iter().position(|l| l.joint == j);
        if let (Some(a), Some(b)) = (at(before), at(joint)) {
            let range = &lines[a.min(b)..=a.max(b)];
            state.shell.also.extend(range.iter().map(|l| l.joint));
        }
        state.joint = joint;
    } else {
        state.shell.also.clear();
        state.joint = joint;
    }
    state.shell.also.remove(&state.joint);
    state.shell.picked = state.joint;
    state.shell.scrolled_to = Some(joint);
}

/// What the rules say about every joint; empty where there are none.
fn ruled_now(state: &State, skeleton: &Skeleton) -> Vec<Ruled> {
    let id = state.session.selected();
    let rules = id.and_then(|id| Some(&state.session.edits(id)?.settings.rules));
    let rules = rules.filter(|r| !r.is_empty());
    rules.map_or_else(Vec::new, |rules| ruled(rules, skeleton))
}

fn has_override(state: &State, name: &str) -> bool {
    let edits = state
        .session
        .selected()
        .and_then(|c| state.session.edits(c));
    edits.is_some_and(|e| e.settings.overrides.contains_key(name))
}

/// The triangle that folds and unfolds a branch.
fn fold_ui(
    ui: &Ui,
    state: &mut State,
    joint: usize,
    name: &str,
    hidden: bool,
    center: egui::Pos2,
) -> Response {
    let rect = Rect::from_center_size(center, vec2(14.0, ROW));
    let response = ui.interact(rect, ui.scope_id().with(("fold", joint)), Sense::click());
    let label = format!("{} {name}", if hidden { "Unfold" } else { "Fold" });
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &label));
    let color = if response.hovered() {
        theme::TEXT
    } else {
        theme::FAINT
    };
    let corners = if hidden {
        [vec2(-2.0, -3.5), vec2(3.0, 0.0), vec2(-2.0, 3.5)]
    } else {
        [vec2(-3.5, -2.0), vec2(3.5, -2.0), vec2(0.0, 3.0)]
    };
    let points = corners.iter().map(|&v| center + v).collect();
    ui.painter()
        .add(Shape::convex_polygon(points, color, Stroke::NONE));
    if response.clicked() && !state.shell.collapsed.remove(&joint) {
        state.shell.collapsed.insert(joint);
    }
    response
}

fn paint_bar(ui: &Ui, bar: Rect, joint: usize, result: Option<&Arc<ClipResult>>) {
    ui.painter().rect_filled(bar, 2, theme::SUNK);
    let Some(result) = result else {
        return;
    };
    let Some(error) = result.measured.joints.get(joint) else {
        return;
    };
    let share = error.weighed_m / target_m(result);
    if error.max_m <= 0.0 {
        return;
    }
    let width = (bar.width() * share.within(0.0, 1.0) as f32).max(3.0);
    let filled = Rect::from_min_size(bar.min, vec2(width, bar.height()));
    ui.painter().rect_filled(filled, 2, bar_color(share));
}

/// A joint that uses all of the target has done nothing wrong: the bar is red over it only.
fn bar_color(share: f64) -> Color32 {
    const ALL: f64 = 0.55;
    if share <= 1.0 + 1e-9 {
        theme::error_color(ALL * share)
    } else {
        theme::BAD
    }
}

fn tooltip(name: &str, joint: usize, result: Option<&Arc<ClipResult>>, overridden: bool) -> String {
    let mut lines = vec![name.to_owned()];
    if let Some(result) = result
        && let Some(error) = result.measured.joints.get(joint)
    {
        let target = target_m(result);
        lines.push(format!(
            "max {} {} at frame {}, {:.0} % of {}",
            error.name(),
            units::show_mm(error.max_m),
            error.frame,
            100.0 * error.weighed_m / target,
            units::show_mm(target),
        ));
    }
    if overridden {
        lines.push("has tolerances of its own".into());
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Joint;

    fn skeleton() -> Skeleton {
        let joint = |name: &str, parent| Joint {
            name: name.into(),
            source_index: 0,
            parent,
            rest: crate::math::Transform::IDENTITY,
        };
        let joints = vec![
            joint("root", None),
            joint("leg_l", Some(0)),
            joint("leg_r", Some(0)),
            joint("foot_l", Some(1)),
        ];
        Skeleton::new(joints).expect("parents come first")
    }

    fn names(filter: &str, collapsed: &BTreeSet<usize>) -> Vec<(usize, usize)> {
        let lines = lines(&skeleton(), filter, collapsed);
        lines.iter().map(|l| (l.joint, l.depth)).collect()
    }

    #[test]
    fn the_tree_is_walked_depth_first_and_folds() {
        let none = BTreeSet::new();
        assert_eq!(names("", &none), [(0, 0), (1, 1), (3, 2), (2, 1)]);
        assert_eq!(names("", &BTreeSet::from([1])), [(0, 0), (1, 1), (2, 1)]);
    }

    #[test]
    fn a_filter_finds_in_any_case_and_through_folds() {
        assert_eq!(names(" FOOT", &BTreeSet::from([0])), [(3, 0)]);
        assert!(names("hand", &BTreeSet::new()).is_empty());
    }
}
