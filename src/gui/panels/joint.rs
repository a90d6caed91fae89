use super::target::{CHANNELS, channel_words};
use super::tuning::tune;
use crate::codec::{Budget, JointOverride, Ruled, Settings, ruled};
use crate::gui::actions::Action;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::tune::other_side;
use crate::gui::widgets::{Quantity, Strength, TuneRow, section, small_button, text_at};
use crate::math::Channel;
use crate::model::Clip;
use crate::session::{Change, ClipResult, units};
use eframe::egui::{self, Align, Align2, FontId, Label, Layout, Rect, Sense, Ui, pos2, vec2};

/// Height of a line of the table, points.
const LINE: f32 = 17.0;

/// Bytes of a key in the source: its time and its value as floats.
fn source_key_bytes(channel: Channel) -> usize {
    4 + 4 * channel.width()
}

/// The selected joint: its own tolerances, and what they led to.
pub(super) fn joint_ui(ui: &mut Ui, state: &mut State) {
    let Some(clip) = state.clip().cloned() else {
        return;
    };
    let Some(joint) = clip.skeleton().joints().get(state.joint) else {
        return;
    };
    let id = state.session.selected();
    let Some(settings) = id.and_then(|c| Some(state.session.edits(c)?.settings.clone())) else {
        return;
    };
    let name = joint.name.clone();
    let names = state.joint_names();
    section(ui, "Joint", |ui| {
        tools_ui(ui, state);
        let title = match names.as_slice() {
            [_] => name.clone(),
            all => format!("{name} and {} more", all.len() - 1),
        };
        let label = theme::semibold(&title, 13.0).color(theme::TEXT);
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.add(Label::new(label).truncate())
                .on_hover_text(names.join("\n"));
        });
    });
    let ruled = ruled(&settings.rules, clip.skeleton());
    let ruled = ruled.get(state.joint).copied().unwrap_or_default();
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        for channel in CHANNELS {
            override_row(ui, state, &settings, &names, channel, &ruled);
        }
    });
    ui.add_space(4.0);
    let Some(result) = state.result().cloned() else {
        return;
    };
    table(ui, &clip, &result, state.joint);
}

/// What the box for a joint's own tolerance is called.
fn box_name(label: &str) -> String {
    format!("{label} tolerance of the joint")
}

/// Puts the cursor where a tolerance of the selected joints is typed.
pub(in crate::gui) fn type_tolerance(ctx: &egui::Context) {
    let (label, ..) = channel_words(Channel::Rotation);
    let id = TuneRow::box_id(&box_name(label));
    ctx.memory_mut(|m| m.request_focus(id));
}

/// Mirror, copy, paste and reset, for all selected joints.
///
/// Not the icons "content copy" and "content paste", in whose place Inter has digits.
fn tools_ui(ui: &mut Ui, state: &mut State) {
    use egui_material_icons::icons::{
        ICON_ACCOUNT_TREE, ICON_CONTENT_PASTE_GO, ICON_RESTART_ALT, ICON_STACK, ICON_SWAP_HORIZ,
    };
    let ctx = ui.ctx().clone();
    let reset = "Reset the selected joints: nothing of their own";
    if small_button(ui, ICON_RESTART_ALT.codepoint, reset).clicked() {
        Action::ResetJoints.run(state, &ctx);
    }
    if state.shell.copied_joint.is_some() {
        let name = "Paste the tolerances of a joint";
        if small_button(ui, ICON_CONTENT_PASTE_GO.codepoint, name).clicked() {
            paste(state);
        }
    }
    let branch = "The same for all joints below: makes it a rule";
    if small_button(ui, ICON_ACCOUNT_TREE.codepoint, branch).clicked() {
        Action::BranchRule.run(state, &ctx);
    }
    let copy = "Copy the tolerances of this joint";
    if small_button(ui, ICON_STACK.codepoint, copy).clicked() {
        state.shell.copied_joint = Some(own(state));
    }
    if let Some(other) = other_side(state) {
        let name = format!("Mirror to {other} (Ctrl+M)");
        if small_button(ui, ICON_SWAP_HORIZ.codepoint, &name).clicked() {
            Action::MirrorJoints.run(state, &ctx);
        }
    }
}

/// What the joint has of its own.
fn own(state: &State) -> JointOverride {
    let edits = state
        .session
        .selected()
        .and_then(|c| state.session.edits(c));
    let clip = state
        .clip()
        .map(|c| &c.skeleton().joints()[state.joint].name);
    let own = edits
        .zip(clip)
        .and_then(|(e, name)| e.settings.overrides.get(name));
    own.copied().unwrap_or_default()
}

fn paste(state: &mut State) {
    let Some(copied) = state.shell.copied_joint else {
        return;
    };
    let joints = state.joint_names();
    let gesture = state.new_gesture();
    for channel in CHANNELS {
        let change = Change::Override {
            joints: joints.clone(),
            channel,
            value: copied.of(channel),
        };
        state.change(change, Some(gesture));
    }
    // A gesture asks for drafts only; its end for the result.
    if let Some(id) = state.session.selected() {
        state.session.retry(id);
    }
}

fn override_row(
    ui: &mut Ui,
    state: &mut State,
    settings: &Settings,
    joints: &[String],
    channel: Channel,
    ruled: &Ruled,
) {
    let mut owns = joints.iter().filter_map(|j| settings.overrides.get(j));
    let own = owns.find_map(|o| o.of(channel));
    let (label, quantity, words) = channel_words(channel);
    let by_rule = ruled.tolerances.of(channel);
    let inherited = inherited(state, settings, channel);
    let name = box_name(label);
    let mut tooltip = match settings.budget {
        Budget::Skin { .. } => format!("{words}\nSet here it caps what is solved for the target"),
        Budget::Tolerances => format!("{words}\nSet here it replaces the clip's"),
    };
    if let Some(value) = by_rule {
        tooltip += &format!("\nA rule says {}", quantity.show(value));
    }
    if ruled.locked {
        tooltip += "\nA rule locks it: held as finely as can be set";
    }
    let from = if by_rule.is_some() {
        "the rule"
    } else {
        "the clip"
    };
    let revert = format!("Inherit {} of {from}", label.to_lowercase());
    let row = TuneRow {
        label,
        name: &name,
        tooltip: &tooltip,
        quantity,
        value: own.or(by_rule).unwrap_or(inherited),
        strength: if own.is_some() {
            Strength::Own
        } else {
            Strength::Inherited
        },
        revert: Some(&revert),
    };
    let tuned = row.show(ui);
    let change = |value| Change::Override {
        joints: joints.to_vec(),
        channel,
        value,
    };
    tune(state, tuned, |v| change(Some(v)), change(None));
}

/// What the joint is held to without an override: what was solved, else the clip's tolerance.
fn inherited(state: &State, settings: &Settings, channel: Channel) -> f64 {
    let solved = state.clip().zip(state.result()).and_then(|(clip, r)| {
        let track = r.track(state.joint, channel)?;
        Some(r.tolerance(track, &clip.skeleton().scales_above()))
    });
    solved.unwrap_or_else(|| settings.tolerances.of(channel))
}

/// One line of the table: label, source, compressed, tooltip.
type Line = (&'static str, String, String, &'static str);

fn table(ui: &mut Ui, clip: &Clip, result: &ClipResult, joint: usize) {
    let lines = lines(clip, result, joint);
    let height = 22.0 + LINE * lines.len() as f32;
    let (rect, _) =
        ui.allocate_exact_size(vec2(ui.available_width(), height + 8.0), Sense::hover());
    ui.painter().rect_filled(rect, 6, theme::SUNK);
    let (right, middle) = (rect.right() - 10.0, rect.right() - 100.0);
    let head = |x: f32, text: &str, color| {
        let at = pos2(x, rect.top() + 13.0);
        ui.painter().text(
            at,
            Align2::RIGHT_CENTER,
            text,
            FontId::proportional(11.0),
            color,
        );
    };
    head(middle, "source", theme::SOURCE);
    head(right, "compressed", theme::COMPRESSED);
    for (k, (label, source, compressed, tooltip)) in lines.into_iter().enumerate() {
        let top = rect.top() + 22.0 + LINE * k as f32;
        let line = Rect::from_min_size(pos2(rect.left(), top), vec2(rect.width(), LINE));
        let y = line.center().y;
        let font = FontId::proportional(12.0);
        let at = pos2(rect.left() + 10.0, y);
        text_at(
            ui.painter(),
            at,
            Align2::LEFT_CENTER,
            label,
            font.clone(),
            theme::WEAK,
            120.0,
        );
        let painter = ui.painter();
        painter.text(
            pos2(middle, y),
            Align2::RIGHT_CENTER,
            source,
            font,
            theme::WEAK,
        );
        let font = theme::medium_font(12.0);
        painter.text(
            pos2(right, y),
            Align2::RIGHT_CENTER,
            compressed,
            font,
            theme::TEXT,
        );
        ui.interact(line, ui.scope_id().with(("joint table", k)), Sense::hover())
            .on_hover_text(tooltip);
    }
}

fn lines(clip: &Clip, result: &ClipResult, joint: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let (mut source_bytes, mut bytes) = (0, 0);
    for channel in CHANNELS {
        let source = clip
            .track(joint, channel)
            .map_or(0, |t| t.curve.times().len());
        let track = result.track(joint, channel);
        source_bytes += source * source_key_bytes(channel);
        bytes += track.map_or(0, |t| result.key_bytes(t));
        if channel == Channel::Scale && source == 0 {
            continue;
        }
        let label = match channel {
            Channel::Rotation => "Rotation keys",
            Channel::Translation => "Translation keys",
            Channel::Scale => "Scale keys",
        };
        let kept = track.map_or_else(dash, |t| t.fit.keys.len().to_string());
        let source = if source == 0 {
            dash()
        } else {
            source.to_string()
        };
        lines.push((
            label,
            source,
            kept,
            "Keys of the joint in the file, and keys that are kept",
        ));
    }
    lines.push((
        "Bytes of keys",
        units::show_bytes(source_bytes),
        units::show_bytes(bytes),
        "Keys with their times: floats in the file, and as they are stored",
    ));
    let local = result
        .measured
        .locals
        .get(joint)
        .copied()
        .unwrap_or_default();
    lines.push((
        "Rotation error",
        dash(),
        Quantity::Angle.show(local.rotation_rad),
        "Largest angle between source and compressed rotation at frames, degrees, in the parent's space",
    ));
    lines.push((
        "Translation error",
        dash(),
        Quantity::Length.show(local.translation_m),
        "Largest distance between source and compressed translation at frames, in the parent's space",
    ));
    let skin = result
        .measured
        .joints
        .get(joint)
        .copied()
        .unwrap_or_default();
    let (name, about) = if skin.of_shell {
        (
            "Shell error",
            "Largest displacement, in model space at frames, of three points around this joint: it moves no vertex most, or \
             has a shell of its own that is off by more",
        )
    } else {
        (
            "Skin error",
            "Largest displacement, in model space at frames, of a vertex that this joint moves most",
        )
    };
    lines.push((name, dash(), units::show_mm(skin.max_m), about));
    lines
}

fn dash() -> String {
    "–".into()
}
