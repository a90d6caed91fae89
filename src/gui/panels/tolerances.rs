//! What every joint is held to, as numbers.

use crate::codec::{Budget, Ruled, Settings, TrackFit, TrackKind, ruled};
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{Quantity, mm_text, text_at};
use crate::math::Channel;
use crate::model::Clip;
use crate::session::{ClipResult, units};
use eframe::egui::{
    self, Align2, CollapsingHeader, FontId, Rect, RichText, ScrollArea, Sense, Ui, WidgetInfo,
    pos2, vec2,
};

/// Height of a row, and of all that are shown at once, points.
const ROW: f32 = 19.0;
const MOST_HEIGHT: f32 = 12.0 * ROW;

/// Right ends of the columns, from the right, points.
const MARGIN: f32 = 158.0;
const ROTATION: f32 = 94.0;
const TRANSLATION: f32 = 36.0;
const KEYS: f32 = 2.0;

/// The tolerances of all joints, folded up until somebody asks.
pub(super) fn tolerances_ui(ui: &mut Ui, state: &mut State) {
    let (Some(clip), Some(result)) = (state.clip().cloned(), state.result().cloned()) else {
        return;
    };
    let title = match result.settings.budget {
        Budget::Skin { .. } => "Tolerances solved for each joint",
        Budget::Tolerances => "Tolerances of each joint",
    };
    let title = RichText::new(title).size(12.0).color(theme::WEAK);
    CollapsingHeader::new(title)
        .id_salt("tolerances")
        .show_unindented(ui, |ui| {
            if result.settings.adaptive_margin && !result.settings.has_margin() {
                ui.add(egui::Label::new(theme::hint(
                    "Solved from root to leaf: what a joint leaves of the target goes to those below, so that no margin is divided",
                )).wrap());
            }
            heads(ui);
            let table = Table::new(&clip, &result);
            ui.spacing_mut().item_spacing.y = 0.0;
            ScrollArea::vertical()
                .id_salt("tolerances")
                .min_scrolled_height(MOST_HEIGHT)
                .max_height(MOST_HEIGHT)
                .show_rows(ui, ROW, clip.skeleton().len(), |ui, rows| {
                    for joint in rows {
                        if table.row(ui, joint, state.joint == joint) {
                            state.joint = joint;
                        }
                    }
                });
        });
}

fn heads(ui: &mut Ui) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 17.0), Sense::hover());
    let heads = [
        (
            MARGIN,
            "margin",
            "The part of the clip's tolerance that the joint gets: e at the end of a chain, e/2 above it, e/3 …",
        ),
        (
            ROTATION,
            "rotation °",
            "Largest angle that the rotation may be off by, degrees, in the parent's space\nIn Compact that of the strictest key",
        ),
        (
            TRANSLATION,
            "move mm",
            "Largest distance that the translation may be off by, millimetres, in the parent's space\nIn Compact that of the strictest key",
        ),
        (KEYS, "keys", "Stored keys of all channels"),
    ];
    for (right, text, why) in heads {
        let at = pos2(rect.right() - right, rect.center().y);
        let font = FontId::proportional(11.0);
        let painter = ui.painter();
        let words = painter.text(at, Align2::RIGHT_CENTER, text, font, theme::FAINT);
        let id = ui.scope_id().with(("tolerance head", text));
        ui.interact(words, id, Sense::hover()).on_hover_text(why);
    }
}

struct Table<'a> {
    clip: &'a Clip,
    result: &'a ClipResult,
    heights: Vec<usize>,
    ruled: Vec<Ruled>,
    /// See [`crate::model::Skeleton::scales_above`].
    above: Vec<f64>,
}

impl<'a> Table<'a> {
    fn new(clip: &'a Clip, result: &'a ClipResult) -> Self {
        Self {
            clip,
            result,
            heights: clip.skeleton().heights(),
            ruled: ruled(&result.settings.rules, clip.skeleton()),
            above: clip.skeleton().scales_above(),
        }
    }

    /// Shows a joint; returns whether it was clicked.
    fn row(&self, ui: &mut Ui, joint: usize, selected: bool) -> bool {
        let size = vec2(ui.available_width(), ROW);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let name = &self.clip.skeleton().joints()[joint].name;
        let settings = &self.result.settings;
        let margin = margin_text(settings, self.heights[joint]);
        let [rotation, translation] = [Channel::Rotation, Channel::Translation].map(|channel| {
            let track = self.result.track(joint, channel);
            track.map_or_else(dash, |t| self.tolerance(t))
        });
        let keys: usize = Channel::ALL
            .iter()
            .map(|&c| self.result.keys(joint, c))
            .sum();
        response.widget_info(|| {
            let text = format!(
                "Tolerances of {name}: margin {margin}, rotation {rotation} degrees, translation {translation} millimetres, {keys} keys"
            );
            WidgetInfo::selected(egui::Role::ListBoxOption, true, selected, text)
        });
        if ui.is_rect_visible(rect) {
            super::clips::paint_row_back(ui, rect, selected, response.hovered());
            let columns = [
                (MARGIN, margin),
                (ROTATION, rotation),
                (TRANSLATION, translation),
                (KEYS, keys.to_string()),
            ];
            self.paint(ui, rect, joint, columns);
        }
        let clicked = response.clicked();
        response.on_hover_text(self.tooltip(joint, settings));
        clicked
    }

    fn paint(&self, ui: &Ui, rect: Rect, joint: usize, columns: [(f32, String); 4]) {
        let name = &self.clip.skeleton().joints()[joint].name;
        let (font, color) = if self.is_own(joint) {
            (theme::semibold_font(12.0), theme::TEXT)
        } else {
            (FontId::proportional(12.0), theme::WEAK)
        };
        let painter = ui.painter();
        let y = rect.center().y;
        let room = rect.width() - MARGIN - 40.0;
        let at = pos2(rect.left() + 2.0, y);
        text_at(
            painter,
            at,
            Align2::LEFT_CENTER,
            name,
            font.clone(),
            color,
            room,
        );
        for (right, text) in columns {
            let at = pos2(rect.right() - right, y);
            painter.text(at, Align2::RIGHT_CENTER, text, font.clone(), color);
        }
    }

    /// Whether anything but the clip's own tolerance speaks for the joint.
    fn is_own(&self, joint: usize) -> bool {
        let name = &self.clip.skeleton().joints()[joint].name;
        self.result.settings.overrides.contains_key(name) || self.ruled[joint] != Ruled::default()
    }

    /// The number alone; a dash where nothing is solved for: one value is stored, or none.
    fn tolerance(&self, track: &TrackFit) -> String {
        if track.tolerance <= 0.0 {
            return dash();
        }
        match track.channel {
            Channel::Translation => mm_text(self.result.tolerance(track, &self.above)),
            _ => units::digits(Quantity::Angle.shown(track.tolerance)),
        }
    }

    fn tooltip(&self, joint: usize, settings: &Settings) -> String {
        let mut lines = vec![self.clip.skeleton().joints()[joint].name.clone()];
        for channel in Channel::ALL {
            let Some(track) = self.result.track(joint, channel) else {
                continue;
            };
            let (label, quantity, _) = super::target::channel_words(channel);
            let stored = match track.kind {
                TrackKind::Rest => "as in the rest pose".to_owned(),
                TrackKind::Constant => "one value".to_owned(),
                TrackKind::Step => format!("{} keys that hold", track.fit.keys.len()),
                TrackKind::Keys => format!("{} keys", track.fit.keys.len()),
            };
            let value = self.result.tolerance(track, &self.above);
            let held = if track.tolerance > 0.0 {
                format!(", off by at most {}", quantity.show(value))
            } else {
                String::new()
            };
            lines.push(format!("{label}: {stored}{held}"));
        }
        if settings.has_margin() {
            let height = self.heights[joint];
            lines.push(format!(
                "Margin {}: the longest chain below has {height} joints",
                margin_text(settings, height)
            ));
        }
        if self.ruled[joint].locked {
            lines.push("Locked by a rule".into());
        }
        if self.is_own(joint) {
            lines.push("Bold: it has tolerances of its own, or from a rule".into());
        }
        lines.join("\n")
    }
}

/// `e/3`; a dash where no margin is divided.
fn margin_text(settings: &Settings, height: usize) -> String {
    match (settings.has_margin(), height) {
        (false, _) => dash(),
        (true, 0) => "e".into(),
        (true, n) => format!("e/{}", n + 1),
    }
}

fn dash() -> String {
    "–".into()
}
