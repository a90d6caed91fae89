//! The light theme: everything is painted in the colours of the dark one, and turned over as it leaves.
//!
//! Lightness is turned over in OKLab (Björn Ottosson, 2020), so that hues stay what they mean; vivid colours, which
//! stand for something, only become as dark as a light ground asks for. Pictures and the 3D views stay as they are.

use crate::gui::within::Within as _;
use eframe::egui::{
    self, Color32, Context, FullOutput, Id, Plugin, Shape, TextureId, epaint::shape_transform,
};

/// Lightness in the dark theme, and what it becomes.
const LIGHTNESS: [(f32, f32); 10] = [
    (0.0, 1.0),
    (0.19, 0.985),
    (0.23, 0.955),
    (0.28, 0.91),
    (0.35, 0.84),
    (0.45, 0.68),
    (0.54, 0.56),
    (0.67, 0.45),
    (0.89, 0.25),
    (1.0, 0.16),
];

/// Colours with less chroma are greys, those with more stand for something.
const GREY: f32 = 0.05;
const VIVID: f32 = 0.1;

/// The lightest that a vivid colour may be on a light ground.
const VIVID_LIGHTNESS: f32 = 0.62;

struct LightTheme;

fn key() -> Id {
    Id::unique("light theme")
}

/// Prepares the light theme; it is off.
pub(super) fn install(ctx: &Context) {
    ctx.add_plugin(LightTheme);
}

/// Switches it on or off, from this frame on.
pub(super) fn set(ctx: &Context, on: bool) {
    ctx.data_mut(|d| d.insert_temp(key(), on));
}

impl Plugin for LightTheme {
    fn debug_name(&self) -> &'static str {
        "light theme"
    }

    fn output_hook(&mut self, ctx: &Context, output: &mut FullOutput) {
        if ctx.data(|d| d.get_temp(key())) != Some(true) {
            return;
        }
        for clipped in &mut output.shapes {
            turn(&mut clipped.shape);
        }
    }
}

fn turn(shape: &mut Shape) {
    match shape {
        Shape::Vec(shapes) => shapes.iter_mut().for_each(turn),
        Shape::Mesh(mesh) if mesh.texture_id != TextureId::default() => {}
        // Shadows stay dark.
        Shape::Rect(rect) if rect.blur_width > 0.0 => {}
        shape => shape_transform::adjust_colors(shape, |color| *color = turned(*color)),
    }
}

/// A colour of the dark theme as the light one has it.
pub(super) fn turned(color: Color32) -> Color32 {
    if color == Color32::PLACEHOLDER || color == Color32::TRANSPARENT {
        return color;
    }
    let [r, g, b, alpha] = color.to_srgba_unmultiplied();
    if [r, g, b] == [0; 3] && alpha < 255 {
        // A veil over something dark, with text on it.
        let through = 1.0 - f32::from(alpha) / 255.0;
        let alpha = (255.0 * (1.0 - through.powi(3))).round() as u8;
        return Color32::from_white_alpha(alpha);
    }
    let [l, a, b] = oklab([r, g, b]);
    let chroma = a.hypot(b);
    let vivid = ((chroma - GREY) / (VIVID - GREY)).within(0.0, 1.0);
    let lightness = (1.0 - vivid) * turned_lightness(l) + vivid * l.min(VIVID_LIGHTNESS);
    let [r, g, b] = srgb([lightness, a, b]);
    Color32::from_rgba_unmultiplied(r, g, b, alpha)
}

fn turned_lightness(l: f32) -> f32 {
    for pair in LIGHTNESS.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        if l <= x1 {
            return y0 + (y1 - y0) * ((l - x0) / (x1 - x0)).within(0.0, 1.0);
        }
    }
    LIGHTNESS[LIGHTNESS.len() - 1].1
}

fn oklab(rgb: [u8; 3]) -> [f32; 3] {
    let [r, g, b] = rgb.map(egui::ecolor::linear_f32_from_gamma_u8);
    let l = (0.412_221_46 * r + 0.536_332_55 * g + 0.051_445_995 * b).cbrt();
    let m = (0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b).cbrt();
    let s = (0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b).cbrt();
    [
        0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s,
        1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s,
        0.025_904_037 * l + 0.782_771_77 * m - 0.808_675_77 * s,
    ]
}

fn srgb([lightness, a, b]: [f32; 3]) -> [u8; 3] {
    let l = (lightness + 0.396_337_78 * a + 0.215_803_76 * b).powi(3);
    let m = (lightness - 0.105_561_346 * a - 0.063_854_17 * b).powi(3);
    let s = (lightness - 0.089_484_18 * a - 1.291_485_5 * b).powi(3);
    [
        4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_94 * s,
        -1.268_438 * l + 2.609_757_4 * m - 0.341_319_4 * s,
        -0.004_196_086_3 * l - 0.703_418_6 * m + 1.707_614_7 * s,
    ]
    .map(egui::ecolor::gamma_u8_from_linear_f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::theme;

    fn lightness(color: Color32) -> f32 {
        oklab([color.r(), color.g(), color.b()])[0]
    }

    #[test]
    fn text_is_dark_on_a_light_ground_and_can_be_read() {
        for back in [theme::PANEL, theme::SUNK, theme::RAISED] {
            let back = lightness(turned(back));
            assert!(back > 0.88, "{back}");
            for (text, least) in [(theme::TEXT, 0.6), (theme::WEAK, 0.4), (theme::FAINT, 0.3)] {
                assert!(back - lightness(turned(text)) > least);
            }
        }
    }

    #[test]
    fn what_stands_for_something_keeps_its_hue() {
        for color in [theme::ACCENT, theme::GOOD, theme::BAD, theme::SOURCE_LINE] {
            let of = |c: Color32| oklab([c.r(), c.g(), c.b()]);
            let ([_, a, b], [l, x, y]) = (of(color), of(turned(color)));
            assert!(l < 0.7, "{color:?}");
            if a.hypot(b) > VIVID {
                assert!((b.atan2(a) - y.atan2(x)).abs() < 0.1, "{color:?}");
            }
        }
        assert_eq!(turned(Color32::TRANSPARENT), Color32::TRANSPARENT);
        let veil = turned(Color32::from_black_alpha(90));
        assert!(veil.a() > 150 && veil.r() == veil.a(), "text on it is dark");
    }
}
