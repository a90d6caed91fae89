//! Colours by meaning, fonts, sizes: the look of the window in one place.

use eframe::egui::{
    self, Color32, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Margin, RichText,
    Stroke, TextStyle, Theme, style::HandleShape, style::ScrollStyle, vec2,
};
use std::sync::Arc;

/// Behind everything.
pub const BACKGROUND: Color32 = Color32::from_rgb(18, 20, 25);
/// Side columns, top bar, status line.
pub const PANEL: Color32 = Color32::from_rgb(26, 29, 35);
/// Buttons and cards on a panel.
pub const RAISED: Color32 = Color32::from_rgb(37, 41, 49);
/// Buttons under the pointer.
pub const RAISED_HOVER: Color32 = Color32::from_rgb(48, 53, 63);
/// Text fields, slider rails, tables: sunk into a panel.
pub const SUNK: Color32 = Color32::from_rgb(18, 20, 25);
/// Lines between panels and sections.
pub const LINE: Color32 = Color32::from_rgb(42, 46, 55);

/// Text.
pub const TEXT: Color32 = Color32::from_rgb(216, 220, 228);
/// Labels, and values that are inherited.
pub const WEAK: Color32 = Color32::from_rgb(143, 150, 163);
/// Units, hints, what can wait.
pub const FAINT: Color32 = Color32::from_rgb(104, 111, 124);

/// The one accent; it stands for what is compressed.
pub const ACCENT: Color32 = Color32::from_rgb(255, 157, 59);
/// Behind what is selected.
pub const ACCENT_BACK: Color32 = Color32::from_rgb(66, 47, 31);
/// What is compressed.
pub const COMPRESSED: Color32 = ACCENT;
/// What comes from the file.
pub const SOURCE: Color32 = Color32::from_rgb(143, 180, 220);

/// Verdict: fine.
pub const GOOD: Color32 = Color32::from_rgb(82, 201, 138);
/// Verdict: look at it.
pub const WARNING: Color32 = Color32::from_rgb(232, 192, 74);
/// Verdict: not fine.
pub const BAD: Color32 = Color32::from_rgb(255, 107, 96);

/// Frames that matter more.
pub const PROTECT: Color32 = Color32::from_rgb(176, 124, 214);
/// Frames that matter less.
pub const RELAX: Color32 = Color32::from_rgb(128, 137, 152);

/// Lines of a plot's grid, on [`SUNK`].
pub const GRID: Color32 = Color32::from_rgb(36, 40, 48);
/// The source under the compressed curves.
pub const SOURCE_LINE: Color32 = Color32::from_rgb(166, 172, 184);

/// Components of a curve: X, Y, Z, W.
pub const COMPONENTS: [Color32; 4] = [
    Color32::from_rgb(239, 106, 110),
    Color32::from_rgb(125, 206, 106),
    Color32::from_rgb(95, 156, 245),
    Color32::from_rgb(236, 201, 75),
];

/// Parts of a whole, in the order in which they are stacked.
pub const PARTS: [Color32; 6] = [
    Color32::from_rgb(224, 143, 62),
    Color32::from_rgb(95, 156, 245),
    Color32::from_rgb(125, 206, 106),
    Color32::from_rgb(150, 158, 172),
    Color32::from_rgb(176, 124, 214),
    Color32::from_rgb(86, 94, 108),
];

/// Errors from nothing to the whole target in equal steps, and last what is over it. Lightness grows steadily from the blue
/// of night to yellow, as in cividis (Nuñez 2018), so that it reads the same to colour-blind eyes and in grey; red is
/// not part of it, and says *over* alone.
pub const HEAT: [[u8; 3]; 6] = [
    [58, 80, 124],
    [88, 103, 128],
    [130, 130, 122],
    [188, 170, 102],
    [255, 230, 92],
    [255, 84, 76],
];

/// An error that is over the target by less than this part is rounding.
const OVER: f64 = 1.0005;

/// Colour of an error as a share of the target: from blue, none, to yellow, all of it; red is over it.
pub fn error_rgb(share: f64) -> [u8; 3] {
    if !(share <= OVER) {
        return HEAT[HEAT.len() - 1];
    }
    let steps = HEAT.len() - 2;
    let at = (share.max(0.0) * steps as f64).min(steps as f64);
    let below = (at as usize).min(steps - 1);
    let (a, b, t) = (HEAT[below], HEAT[below + 1], at - below as f64);
    std::array::from_fn(|k| {
        (f64::from(a[k]) + (f64::from(b[k]) - f64::from(a[k])) * t).round() as u8
    })
}

/// [`error_rgb`] for egui.
pub fn error_color(share: f64) -> Color32 {
    let [r, g, b] = error_rgb(share);
    Color32::from_rgb(r, g, b)
}

const MEDIUM: &str = "inter-medium";
const SEMIBOLD: &str = "inter-semibold";

/// The heavier face, for names and headings.
pub fn semibold_font(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name(SEMIBOLD.into()))
}

/// The face between, for buttons and values.
pub fn medium_font(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name(MEDIUM.into()))
}

/// Text in the heavier face.
pub fn semibold(text: impl Into<String>, size: f32) -> RichText {
    RichText::new(text).font(semibold_font(size))
}

/// Text in the face between.
pub fn medium(text: impl Into<String>, size: f32) -> RichText {
    RichText::new(text).font(medium_font(size))
}

/// Small, quiet text.
pub fn hint(text: impl Into<String>) -> RichText {
    RichText::new(text).size(11.5).color(FAINT)
}

/// A colour over another, `alpha` of 1 hiding what is below.
pub fn over(back: Color32, front: Color32, alpha: f32) -> Color32 {
    back.lerp_to_gamma(front, alpha)
}

/// Sets fonts and style; once, when the window is made.
pub fn install(ctx: &egui::Context) {
    ctx.set_fonts(fonts());
    egui_material_icons::initialize(ctx);
    super::light::install(ctx);
    ctx.set_theme(Theme::Dark);
    ctx.all_styles_mut(|style| {
        text_styles(style);
        spacing(&mut style.spacing);
        visuals(&mut style.visuals);
        style.interaction.tooltip_delay = 0.35;
        style.interaction.selectable_labels = false;
    });
}

fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    let faces: [(&str, &'static [u8]); 3] = [
        (
            "inter",
            include_bytes!("../../assets/fonts/Inter-Regular.otf"),
        ),
        (
            MEDIUM,
            include_bytes!("../../assets/fonts/Inter-Medium.otf"),
        ),
        (
            SEMIBOLD,
            include_bytes!("../../assets/fonts/Inter-SemiBold.otf"),
        ),
    ];
    for (name, bytes) in faces {
        fonts
            .font_data
            .insert(name.into(), Arc::new(FontData::from_static(bytes)));
    }
    let fallback = fonts
        .families
        .get(&FontFamily::Proportional)
        .cloned()
        .unwrap_or_default();
    for (name, _) in faces {
        let family = match name {
            "inter" => FontFamily::Proportional,
            name => FontFamily::Name(name.into()),
        };
        let mut list = vec![name.to_owned()];
        list.extend(fallback.iter().cloned());
        fonts.families.insert(family, list);
    }
    fonts
}

fn text_styles(style: &mut egui::Style) {
    style.text_styles = [
        (TextStyle::Small, FontId::proportional(11.0)),
        (TextStyle::Body, FontId::proportional(13.0)),
        (TextStyle::Button, FontId::proportional(13.0)),
        (TextStyle::Monospace, FontId::monospace(12.0)),
        (TextStyle::Heading, semibold_font(14.0)),
    ]
    .into();
}

fn spacing(s: &mut egui::style::Spacing) {
    s.item_spacing = vec2(8.0, 6.0);
    s.button_padding = vec2(10.0, 4.0);
    s.interact_size = vec2(28.0, 22.0);
    s.slider_rail_height = 4.0;
    s.indent = 14.0;
    s.icon_width = 15.0;
    s.icon_width_inner = 9.0;
    s.window_margin = Margin::same(14);
    s.menu_margin = Margin::same(6);
    s.combo_width = 120.0;
    // Over the content, so that nothing moves when a bar appears.
    s.scroll = ScrollStyle::floating();
    s.tooltip_width = 360.0;
}

fn visuals(v: &mut egui::Visuals) {
    v.dark_mode = true;
    v.panel_fill = PANEL;
    v.window_fill = Color32::from_rgb(31, 34, 41);
    v.extreme_bg_color = SUNK;
    v.text_edit_bg_color = Some(SUNK);
    v.faint_bg_color = Color32::from_rgb(30, 33, 40);
    v.code_bg_color = SUNK;
    v.window_stroke = Stroke::new(1.0, LINE);
    v.window_corner_radius = CornerRadius::same(8);
    v.menu_corner_radius = CornerRadius::same(7);
    v.selection.bg_fill = over(PANEL, ACCENT, 0.35);
    v.selection.stroke = Stroke::new(1.0, ACCENT);
    v.hyperlink_color = ACCENT;
    v.warn_fg_color = WARNING;
    v.error_fg_color = BAD;
    v.slider_trailing_fill = true;
    v.handle_shape = HandleShape::Circle;
    v.weak_text_color = Some(WEAK);
    let w = &mut v.widgets;
    let states = [
        (&mut w.noninteractive, PANEL, LINE, TEXT),
        (&mut w.inactive, RAISED, Color32::TRANSPARENT, TEXT),
        (
            &mut w.hovered,
            RAISED_HOVER,
            Color32::from_rgb(72, 78, 91),
            Color32::WHITE,
        ),
        (
            &mut w.active,
            Color32::from_rgb(58, 64, 76),
            ACCENT,
            Color32::WHITE,
        ),
        (&mut w.open, RAISED, LINE, Color32::WHITE),
    ];
    for (state, fill, line, text) in states {
        state.bg_fill = fill;
        state.weak_bg_fill = fill;
        state.bg_stroke = Stroke::new(1.0, line);
        state.fg_stroke = Stroke::new(1.0, text);
        state.corner_radius = CornerRadius::same(5);
        state.expansion = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ramp_gets_lighter_and_red_is_over() {
        assert_eq!((error_rgb(0.0), error_rgb(1.0)), (HEAT[0], HEAT[4]));
        assert_eq!((error_rgb(1.01), error_rgb(f64::NAN)), (HEAT[5], HEAT[5]));
        let light = |share: f64| {
            let [r, g, b] = error_rgb(share).map(|c| (f64::from(c) / 255.0).powf(2.2));
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        assert!((0..20).all(|k| light(f64::from(k) / 20.0) < light(f64::from(k + 1) / 20.0)));
    }
}
