use super::target::{CHANNELS, channel_words};
use super::tuning::tune;
use crate::codec::{Rule, Tolerances};
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{Quantity, Strength, TuneRow, check, choice_box, section, small_button};
use crate::math::Channel;
use crate::model::Skeleton;
use crate::session::{Change, mirrored_rule, units};
use eframe::egui::{self, Align, Id, Label, Layout, RichText, Sense, TextEdit, Ui};

/// How many times errors count.
const WEIGHTS: [(Option<u32>, &str, &str); 7] = [
    (None, "as they are", "The rule says nothing about it"),
    (Some(25), "a quarter", "May be off by four times the target"),
    (Some(50), "half", "May be off by twice the target"),
    (Some(100), "once", "Takes back what an earlier rule says"),
    (Some(200), "twice", "May be off by half the target"),
    (
        Some(400),
        "four times",
        "May be off by a quarter of the target",
    ),
    (
        Some(800),
        "eight times",
        "May be off by an eighth of the target",
    ),
];

const LOCKS: [(Option<bool>, &str, &str); 3] = [
    (None, "as it is", "The rule says nothing about it"),
    (
        Some(true),
        "locked",
        "Held as finely as can be set: 0.001 degrees, 0.01 mm; no target and no other rule loosens it",
    ),
    (Some(false), "free", "Takes back an earlier lock"),
];

/// Rules by wildcard, in their order: the later one counts.
pub(super) fn rules_ui(ui: &mut Ui, state: &mut State) {
    let Some(clip) = state.clip().cloned() else {
        return;
    };
    let skeleton = clip.skeleton();
    let id = state.session.selected();
    let Some(rules) = id.and_then(|c| Some(state.session.edits(c)?.settings.rules.clone())) else {
        return;
    };
    section(ui, "Rules", |ui| {
        ui.label(theme::hint("the later one counts")).on_hover_text(
            "Settings of all joints whose names match; a joint's own override counts more",
        );
    });
    for (k, rule) in rules.iter().enumerate() {
        rule_row(ui, state, skeleton, &rules, k);
        if state.shell.open_rule == Some(k) {
            ui.indent(("rule", k), |ui| rule_body(ui, state, &rules, k, rule));
        }
    }
    new_rule(ui, state, skeleton, &rules);
}

/// Puts the cursor where a new rule is typed.
pub(in crate::gui) fn type_rule(state: &mut State) {
    state.shell.types_rule = true;
}

/// What the box for a rule's tolerance is called.
fn box_name(label: &str) -> String {
    format!("{label} tolerance of the rule")
}

fn set(state: &mut State, rules: Vec<Rule>) {
    state.change(Change::Rules(rules), None);
}

fn rule_row(ui: &mut Ui, state: &mut State, skeleton: &Skeleton, rules: &[Rule], k: usize) {
    let rule = &rules[k];
    let found = rule.matches(skeleton);
    ui.horizontal(|ui| {
        let open = state.shell.open_rule == Some(k);
        let text = RichText::new(&rule.pattern).size(13.0);
        let text = if open {
            text.color(theme::ACCENT)
        } else {
            text
        };
        let label = Label::new(text).sense(Sense::click()).truncate();
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            use egui_material_icons::icons::{ICON_CLOSE, ICON_SWAP_HORIZ};
            let name = format!("Remove the rule {}", rule.pattern);
            if small_button(ui, ICON_CLOSE.codepoint, &name).clicked() {
                let mut rules = rules.to_vec();
                rules.remove(k);
                state.shell.open_rule = None;
                set(state, rules);
            }
            if let Some(mirrored) = mirrored_rule(rule) {
                let name = format!("Same rule for {}", mirrored.pattern);
                if small_button(ui, ICON_SWAP_HORIZ.codepoint, &name).clicked() {
                    let mut rules = rules.to_vec();
                    rules.insert(k + 1, mirrored);
                    set(state, rules);
                }
            }
            ui.label(theme::hint(summary(rule, found.count())));
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let row = ui.add(label).on_hover_text("Click to change");
                row.widget_info(|| {
                    let name = format!("Rule {}", rule.pattern);
                    egui::WidgetInfo::selected(egui::Role::Button, true, open, name)
                });
                if row.hovered() {
                    state.shell.preview = found.joints().collect();
                }
                if row.clicked() {
                    state.shell.open_rule = (!open).then_some(k);
                }
            });
        });
    });
}

fn summary(rule: &Rule, joints: usize) -> String {
    let count = match joints {
        0 => "no joint".to_owned(),
        1 => "1 joint".to_owned(),
        n => format!("{n} joints"),
    };
    let mut parts = vec![count];
    if rule.subtree {
        parts.push("with all below".into());
    }
    for channel in CHANNELS {
        let (_, quantity, _) = channel_words(channel);
        parts.extend(rule.tolerances.of(channel).map(|t| quantity.show(t)));
    }
    parts.extend(rule.weight.map(|w| format!("counts ×{}", units::digits(w))));
    parts.extend(rule.shell_m.map(|m| format!("shell {}", units::show_mm(m))));
    match rule.locked {
        Some(true) => parts.push("locked".into()),
        Some(false) => parts.push("free".into()),
        None if rule.is_idle() => parts.push("sets nothing".into()),
        None => {}
    }
    parts.join(", ")
}

fn rule_body(ui: &mut Ui, state: &mut State, rules: &[Rule], k: usize, rule: &Rule) {
    let with = |change: &dyn Fn(&mut Rule)| -> Change {
        let mut rules = rules.to_vec();
        change(&mut rules[k]);
        Change::Rules(rules)
    };
    let why = "Joints that hang below those that match are meant, too";
    if let Some(on) = check(ui, rule.subtree, "With all joints below", why) {
        state.change(with(&|r| r.subtree = on), None);
    }
    ui.spacing_mut().item_spacing.y = 2.0;
    for channel in CHANNELS {
        let (label, quantity, words) = channel_words(channel);
        let own = rule.tolerances.of(channel);
        let name = box_name(label);
        let row = TuneRow {
            label,
            name: &name,
            tooltip: words,
            quantity,
            value: own.unwrap_or(Tolerances::default().of(channel)),
            strength: strength(own),
            revert: Some("The rule says nothing about it"),
        };
        let tuned = row.show(ui);
        let change = |value| with(&|r| r.tolerances.set(channel, value));
        tune(state, tuned, |v| change(Some(v)), change(None));
    }
    let row = TuneRow {
        label: "Shell",
        name: "Shell of the rule",
        tooltip: "Distance from the joint at which its error is measured: where a weapon ends, how far a camera looks",
        quantity: Quantity::Length,
        value: rule.shell_m.unwrap_or(0.03),
        strength: strength(rule.shell_m),
        revert: Some("The rule says nothing about it"),
    };
    let tuned = row.show(ui);
    let change = |value| with(&|r| r.shell_m = value);
    tune(state, tuned, |v| change(Some(v)), change(None));
    let weight = rule.weight.map(|w| (100.0 * w).round() as u32);
    let why = "How many times the error of these joints counts against the target";
    if let Some(weight) = choice_box(ui, "Counts", weight, &WEIGHTS, why) {
        let weight = weight.map(|w| f64::from(w) / 100.0);
        state.change(with(&|r| r.weight = weight), None);
    }
    let why = "Whether anything else may loosen these joints";
    if let Some(locked) = choice_box(ui, "Lock", rule.locked, &LOCKS, why) {
        state.change(with(&|r| r.locked = locked), None);
    }
    ui.add_space(4.0);
}

fn strength(own: Option<f64>) -> Strength {
    if own.is_some() {
        Strength::Own
    } else {
        Strength::Inherited
    }
}

/// A pattern to type, with what it matches so far.
fn new_rule(ui: &mut Ui, state: &mut State, skeleton: &Skeleton, rules: &[Rule]) {
    let mut rule = Rule {
        pattern: state.shell.new_rule.trim().to_owned(),
        ..Rule::default()
    };
    let mut add = false;
    ui.horizontal(|ui| {
        let id = Id::unique("new rule");
        let edit = TextEdit::singleline(&mut state.shell.new_rule)
            .id(id)
            .hint_text("*foot*")
            .margin(egui::Margin::symmetric(8, 3))
            .desired_width(130.0);
        let response = ui.add(edit);
        if std::mem::take(&mut state.shell.types_rule) {
            response.request_focus();
            response.scroll_to_me(None);
        }
        let response = response.on_hover_text(
            "Names of joints: * any text, ? one character, in any case\nEnter makes the rule",
        );
        ui.ctx()
            .accesskit_node_builder(id, |node| node.set_label("New rule"));
        add = response.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter));
        if rule.pattern.is_empty() {
            ui.label(theme::hint("joints by wildcard"));
            return;
        }
        let found = rule.matches(skeleton);
        if response.has_focus() {
            state.shell.preview = found.joints().collect();
        }
        let names = found.named.iter().take(12);
        let names: Vec<&str> = names.map(|&j| skeleton.joints()[j].name.as_str()).collect();
        let text = match found.count() {
            0 => "matches no joint".to_owned(),
            1 => "matches 1 joint".to_owned(),
            n => format!("matches {n} joints"),
        };
        ui.label(theme::hint(text)).on_hover_text(names.join("\n"));
        add |= ui.small_button("Add").clicked();
    });
    if add && !rule.pattern.is_empty() {
        state.shell.new_rule.clear();
        state.shell.open_rule = Some(rules.len());
        rule.subtree = false;
        // What it says is what is typed next.
        let (label, ..) = channel_words(Channel::Rotation);
        let next = TuneRow::box_id(&box_name(label));
        ui.memory_mut(|m| m.request_focus(next));
        let rules = [rules, &[rule]].concat();
        set(state, rules);
    }
}
