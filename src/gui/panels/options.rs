use crate::codec::{BasePose, Budget, Deliverable, Playback, QuaternionBits, Settings};
use crate::fit::Basis;
use crate::gui::state::State;
use crate::gui::theme;
use crate::gui::widgets::{check, choice_box};
use crate::session::{Change, units};
use eframe::egui::{CollapsingHeader, RichText, Ui};

/// Tangents and what they do.
const TANGENTS: [(Basis, &str, &str); 5] = [
    (
        Basis::Parabolic,
        "Parabolic",
        "The slope of the parabola through three keys: fewest keys",
    ),
    (
        Basis::Uniform,
        "Uniform",
        "Half the difference of the neighbours: the published scheme",
    ),
    (
        Basis::TimeAware,
        "Time-aware",
        "The slope between the neighbours, by time",
    ),
    (
        Basis::Centripetal,
        "Centripetal",
        "Parabolic over the root of the distance between values",
    ),
    (
        Basis::Chordal,
        "Chordal",
        "Parabolic over the distance between values",
    ),
];

const BITS: [(QuaternionBits, &str, &str); 2] = [
    (
        QuaternionBits::Q48,
        "48 bits",
        "Off by at most 0.0086 degrees",
    ),
    (
        QuaternionBits::Q32,
        "32 bits",
        "Off by up to a quarter of a degree; may shake",
    ),
];

const PLAYBACK: [(Playback, &str, &str); 2] = [
    (
        Playback::Frames,
        "At frames",
        "The curve is evaluated at frames, poses interpolated between",
    ),
    (
        Playback::Smooth,
        "Smooth",
        "The curve is evaluated at any time",
    ),
];

/// Choices of the fit that are rarely touched; folded up they are named in one line.
pub(super) fn options_ui(ui: &mut Ui, state: &mut State, settings: &Settings) {
    let title = RichText::new(format!("Fit: {}", summary(settings)))
        .size(12.0)
        .color(theme::WEAK);
    CollapsingHeader::new(title)
        .id_salt("fit options")
        .show_unindented(ui, |ui| {
            let deliverable = settings.deliverable;
            if deliverable == Deliverable::Riot {
                curve_options(ui, state, settings);
            }
            if matches!(deliverable, Deliverable::Riot | Deliverable::Compact) {
                let why = "How the runtime evaluates the curve between frames";
                let playback = choice_box(ui, "Playback", settings.playback, &PLAYBACK, why);
                if let Some(playback) = playback {
                    state.change(Change::Playback(playback), None);
                }
            }
            switches(ui, state, settings);
        });
}

fn summary(settings: &Settings) -> String {
    let chosen = |on: bool, word: &str| on.then(|| word.to_owned());
    let tangents = TANGENTS.iter().find(|t| t.0 == settings.basis);
    let bits = BITS.iter().find(|b| b.0 == settings.quaternion_bits);
    let fewest = chosen(settings.refine, "fewest keys");
    let margin = chosen(settings.has_margin(), "margin");
    let smooth = chosen(settings.playback == Playback::Smooth, "smooth");
    let parts = match settings.deliverable {
        Deliverable::Compact => vec![
            Some("root to leaf, fewest bytes".to_owned()),
            margin,
            smooth,
        ],
        Deliverable::Uniform => vec![Some("all frames".to_owned()), margin],
        Deliverable::Riot => vec![
            tangents.map(|t| t.1.to_lowercase()),
            fewest,
            margin,
            bits.map(|b| b.1.to_owned()),
            smooth,
        ],
        Deliverable::Universal => vec![Some("linear".to_owned()), fewest, margin],
    };
    let also = [
        chosen(settings.additive.is_some(), "additive"),
        chosen(settings.looped, "loop"),
    ];
    let parts = parts.into_iter().chain(also);
    parts.flatten().collect::<Vec<_>>().join(", ")
}

fn curve_options(ui: &mut Ui, state: &mut State, settings: &Settings) {
    let why = "How the Catmull-Rom curve finds its slope at a key";
    if let Some(basis) = choice_box(ui, "Tangents", settings.basis, &TANGENTS, why) {
        state.change(Change::Basis(basis), None);
    }
    let jitter = state.result().map(|r| r.measured.jitter);
    let why = match jitter {
        Some(j) => format!(
            "Bits of a stored rotation. Jitter now: {} mm/s RMS, {} mm/s at most",
            units::digits(1000.0 * j.rms_m_per_s),
            units::digits(1000.0 * j.max_m_per_s)
        ),
        None => "Bits of a stored rotation".into(),
    };
    if let Some(bits) = choice_box(ui, "Rotation key", settings.quaternion_bits, &BITS, &why) {
        state.change(Change::QuaternionBits(bits), None);
    }
    if let Some(j) = jitter {
        let text = format!(
            "shakes by {} mm/s RMS, {} at most",
            units::digits(1000.0 * j.rms_m_per_s),
            units::digits(1000.0 * j.max_m_per_s)
        );
        ui.label(theme::hint(text))
            .on_hover_text("Speed of the error as measured with the bits chosen now");
    }
}

/// Whether whole poses are delivered, or what they add to a base pose.
fn additive_ui(ui: &mut Ui, state: &mut State, settings: &Settings) {
    let frame = match settings.additive {
        Some(BasePose::Frame(frame)) => frame,
        _ => state.transport.frame.round().max(0.0) as usize,
    };
    let of_frame = format!("Added to frame {frame}");
    let choices = [
        (None, "Whole", "The clip's poses stand for themselves"),
        (
            Some(BasePose::Rest),
            "Added to rest",
            "What the clip adds to the rest pose, for engines that lay it over another clip",
        ),
        (
            Some(BasePose::Frame(frame)),
            of_frame.as_str(),
            "What the clip adds to its own pose at the frame shown when this was chosen",
        ),
    ];
    let why = "What the file holds; views and errors are of the clip on its base pose";
    if let Some(additive) = choice_box(ui, "Poses", settings.additive, &choices, why) {
        state.change(Change::Additive(additive), None);
    }
}

fn switches(ui: &mut Ui, state: &mut State, settings: &Settings) {
    use Deliverable as D;
    if matches!(settings.deliverable, D::Riot | D::Universal) {
        let why = "Remove keys that the others can do without, and re-solve their values by least squares";
        if let Some(on) = check(ui, settings.refine, "Least squares, remove keys", why) {
            state.change(Change::Refine(on), None);
        }
    }
    if settings.deliverable != D::Compact || settings.budget == Budget::Tolerances {
        let why = "Divide a joint's tolerance by its place in the chain: e, e/2, e/3 … from the end\nErrors add up along a chain";
        let label = "Adaptive margin along the chain";
        if let Some(on) = check(ui, settings.adaptive_margin, label, why) {
            state.change(Change::AdaptiveMargin(on), None);
        }
    }
    if settings.deliverable != D::Universal {
        additive_ui(ui, state, settings);
    }
    let why = "The clip is played in a loop; stored in the file for the game";
    if let Some(on) = check(ui, settings.looped, "The clip loops", why) {
        state.change(Change::Looped(on), None);
    }
}
