//! What a millimetre less error costs at each joint, from two measured points of the curve.

use crate::codec::Budget;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{mm_text, rule, section, text_at};
use crate::gui::within::Within as _;
use crate::model::Clip;
use crate::session::units::{digits, show_bytes, show_mm};
use crate::session::{ClipResult, JointCost, JointShare, SizePoint};
use eframe::egui::{self, Align2, FontId, Rect, RichText, Sense, Ui, WidgetInfo, pos2, vec2};
use std::sync::Arc;

/// The dearest joints; the selected one has a row besides.
const MOST_ROWS: usize = 6;

const ROW: f32 = 20.0;

/// Heights of the heads and of what shows all joints.
const HEADS: f32 = 13.0;
const MORE: f32 = 20.0;

/// Right edges of the columns, points from the right: bytes, error; the price stands at the edge.
const BYTES: f32 = 102.0;
const ERROR: f32 = 54.0;

/// Where the bar of bytes begins and how wide it is.
const NAME_WIDTH: f32 = 104.0;
const BAR_WIDTH: f32 = 34.0;

/// What the rows are made from.
struct Shown {
    clip: Arc<Clip>,
    result: Arc<ClipResult>,
    costs: Vec<JointCost>,
    finer: SizePoint,
    coarser: SizePoint,
}

impl Shown {
    fn of(state: &State) -> Option<Self> {
        let id = state.session.selected()?;
        let Budget::Skin { target_m } = state.session.edits(id)?.settings.budget else {
            return None;
        };
        let curve = state.session.size_curve(id)?;
        let (finer, coarser) = curve.neighbours(target_m)?;
        Some(Self {
            clip: state.clip()?.clone(),
            result: state.result()?.clone(),
            costs: curve.costs(target_m)?,
            finer: finer.clone(),
            coarser: coarser.clone(),
        })
    }

    fn name(&self, joint: usize) -> &str {
        let joints = self.clip.skeleton().joints();
        joints.get(joint).map_or("", |j| j.name.as_str())
    }
}

/// The list; nothing where the clip has no target.
pub(super) fn millimetre_ui(ui: &mut Ui, state: &mut State) {
    let skin = state.session.selected().and_then(|id| {
        let budget = state.session.edits(id)?.settings.budget;
        Some(matches!(budget, Budget::Skin { .. }))
    });
    if skin != Some(true) {
        return;
    }
    let shown = Shown::of(state);
    section(ui, "What a millimetre costs", |ui| {
        if let Some(shown) = &shown {
            let text = format!(
                "{} to {} mm",
                digits(1000.0 * shown.finer.target_m),
                digits(1000.0 * shown.coarser.target_m)
            );
            ui.label(theme::hint(text)).on_hover_text(HOW);
        }
    });
    match shown {
        Some(shown) => _ = ui.scope(|ui| list_ui(ui, state, &shown)),
        None => nothing_ui(ui, state),
    }
    rule(ui);
}

/// How the figures come about.
const HOW: &str = "Between the two measured points of the curve that lie around the target: the bytes that a joint's tracks take \
    more at the finer one, for each millimetre that the joint's largest skin error is smaller there\n– where the errors \
    differ by less than 5 % of what the targets do\nJoints above a joint bring it nearer as well, and their bytes count as \
    theirs; what one joint alone would cost is under “Why is it off”, by Prices";

/// As high as the list: nothing below moves when it comes.
fn nothing_ui(ui: &mut Ui, state: &State) {
    let text = if state.view.size_curve {
        "Known when the curve has a point on each side of the target"
    } else {
        "Unfold “Size against error” to measure it"
    };
    let height = HEADS + 1.0 + (ROW + 1.0) * (MOST_ROWS + 1) as f32 + MORE;
    let size = vec2(ui.available_width(), height);
    let layout = egui::Layout::top_down(egui::Align::Min);
    ui.allocate_ui_with_layout(size, layout, |ui| {
        ui.set_min_size(size);
        ui.add(egui::Label::new(theme::hint(text)).wrap());
    });
}

fn list_ui(ui: &mut Ui, state: &mut State, shown: &Shown) {
    ui.spacing_mut().item_spacing.y = 1.0;
    heads(ui);
    let now = JointShare::all(&shown.result);
    let most = now.iter().map(|s| s.bytes).max().unwrap_or(0).max(1);
    let rows = if state.shell.all_costs {
        shown.costs.len()
    } else {
        MOST_ROWS
    };
    let share = |joint: usize| now.get(joint).copied().unwrap_or_default();
    let selected = state.joint;
    for cost in shown.costs.iter().take(rows) {
        row(ui, state, shown, cost, share(cost.joint), most);
    }
    for _ in shown.costs.len()..MOST_ROWS {
        ui.allocate_exact_size(vec2(1.0, ROW), Sense::hover());
    }
    // The selected joint always has the last row, wherever else it stands.
    let own = shown.costs.iter().find(|c| c.joint == selected).copied();
    let own = own.unwrap_or_else(|| JointCost::nothing(selected));
    row(ui, state, shown, &own, share(selected), most);
    let more = shown.costs.len().saturating_sub(MOST_ROWS);
    let text = match (more, state.shell.all_costs) {
        (0, _) => String::new(),
        (more, false) => format!("{more} joints more"),
        (_, true) => "the dearest alone".to_owned(),
    };
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), MORE), Sense::hover());
    if text.is_empty() {
        return;
    }
    let label = RichText::new(text).size(11.5).color(theme::WEAK);
    let button = egui::Button::new(label).frame(false);
    let mut line = ui.new_child(egui::UiBuilder::new().max_rect(rect));
    if line.add(button).clicked() {
        state.shell.all_costs = !state.shell.all_costs;
    }
}

fn heads(ui: &mut Ui) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), HEADS), Sense::hover());
    for (right, head) in [(BYTES, "bytes"), (ERROR, "off, mm"), (0.0, "B a mm")] {
        let at = pos2(rect.right() - right, rect.center().y);
        let font = FontId::proportional(11.0);
        ui.painter()
            .text(at, Align2::RIGHT_CENTER, head, font, theme::FAINT);
    }
}

fn row(
    ui: &mut Ui,
    state: &mut State,
    shown: &Shown,
    cost: &JointCost,
    now: JointShare,
    most: usize,
) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let name = shown.name(cost.joint);
    let price = price_text(cost.bytes_per_mm);
    let label = match cost.bytes_per_mm {
        Some(_) => format!("A millimetre at {name} costs {price} bytes"),
        None => format!("A millimetre at {name} has no price"),
    };
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &label));
    let back = rect.expand2(vec2(6.0, 0.0));
    if cost.joint == state.joint {
        ui.painter().rect_filled(back, 5, theme::ACCENT_BACK);
    } else if response.hovered() {
        ui.painter().rect_filled(back, 5, theme::RAISED);
    }
    if response.hovered() {
        state.shell.hover = Some(cost.joint);
    }
    let y = rect.center().y;
    let painter = ui.painter();
    let font = FontId::proportional(12.5);
    let at = pos2(rect.left(), y);
    text_at(
        painter,
        at,
        Align2::LEFT_CENTER,
        name,
        font,
        theme::TEXT,
        NAME_WIDTH - 4.0,
    );
    let left = rect.left() + NAME_WIDTH;
    let bar = Rect::from_min_max(pos2(left, y - 2.5), pos2(left + BAR_WIDTH, y + 2.5));
    painter.rect_filled(bar, 2, theme::SUNK);
    let part = (now.bytes as f32 / most as f32).within(0.0, 1.0);
    let filled = bar.with_max_x(bar.left() + bar.width() * part);
    painter.rect_filled(filled, 2, theme::ACCENT);
    let figure = |right: f32, text: String, font, color| {
        let at = pos2(rect.right() - right, y);
        painter.text(at, Align2::RIGHT_CENTER, text, font, color);
    };
    let small = FontId::proportional(12.0);
    figure(BYTES, now.bytes.to_string(), small.clone(), theme::WEAK);
    figure(ERROR, mm_text(now.max_m), small, theme::WEAK);
    figure(0.0, price, theme::medium_font(12.0), theme::TEXT);
    let clicked = response.clicked();
    response.on_hover_text(words(shown, cost, now));
    if clicked {
        state.joint = cost.joint;
    }
}

/// Bytes a millimetre; below zero where the finer point takes fewer.
fn price_text(price: Option<f64>) -> String {
    match price {
        None => "–".into(),
        Some(p) if p <= -0.5 => format!("−{:.0}", -p),
        Some(p) => format!("{:.0}", p.max(0.0)),
    }
}

fn words(shown: &Shown, cost: &JointCost, now: JointShare) -> String {
    let name = shown.name(cost.joint);
    let total = shown.result.animation_bytes.max(1);
    let line = |target_m: f64, share: JointShare| {
        format!(
            "Target {}: {} and off by {}\n",
            show_mm(target_m),
            show_bytes(share.bytes),
            show_mm(share.max_m)
        )
    };
    format!(
        "{name} takes {}, {:.1} % of the animation\n{}{}{}\nClick to select {name}",
        show_bytes(now.bytes),
        100.0 * now.bytes as f64 / total as f64,
        line(shown.finer.target_m, cost.finer),
        line(shown.coarser.target_m, cost.coarser),
        match cost.bytes_per_mm {
            Some(p) => format!(
                "The difference: {} bytes for each millimetre",
                price_text(Some(p))
            ),
            None => "The errors differ by too little to divide by".into(),
        },
    )
}
