//! A whole `.ppc` around an animation section.

use super::additive::BasePose;
use super::container::{ContainerWriter, WriteError};
use super::levels::StreamOrder;
use super::settings::{Playback, Settings};
use crate::model::Clip;
use crate::runtime::{self, ClipInfo, SectionKind};

/// Writes the file. `unit_m` is metres a source unit; `curves` is the section of float curves, empty for none.
pub(super) fn file(
    clip: &Clip,
    settings: &Settings,
    unit_m: f64,
    source_hash: [u8; 32],
    animation: Vec<u8>,
    curves: &[u8],
) -> Result<Vec<u8>, WriteError> {
    let rest: Vec<runtime::Transform> = match settings.additive {
        Some(_) => vec![runtime::Transform::IDENTITY; clip.skeleton().len()],
        None => BasePose::Rest.of(clip),
    };
    let mut writer = ContainerWriter::new(&info(clip, settings, unit_m, source_hash))?
        .skeleton(clip.skeleton())?
        .rest(&rest);
    if let Some(base) = settings.additive {
        writer = writer.added_to(&base.of(clip));
    }
    let order = StreamOrder::new(clip.skeleton(), &settings.levels);
    if !order.is_plain() {
        // A skeleton has at most 16,384 joints.
        let words = |all: &[usize]| all.iter().map(|&n| n as u16).collect::<Vec<u16>>();
        writer = writer
            .order(&words(&order.joints))
            .levels(&words(&order.counts));
    }
    writer = writer.section(SectionKind::Animation, animation);
    if !curves.is_empty() {
        writer = writer.section(SectionKind::Curves, curves.to_vec());
    }
    writer.finish()
}

fn info(clip: &Clip, settings: &Settings, unit_m: f64, source_hash: [u8; 32]) -> ClipInfo {
    let grid = clip.grid();
    ClipInfo {
        name: clip.name().to_owned(),
        frames: grid.frames as u32,
        rate_hz: grid.rate_hz,
        start_secs: grid.start_secs,
        unit_m,
        joints: clip.skeleton().len(),
        looped: settings.looped,
        smooth: settings.playback == Playback::Smooth,
        skeleton_hash: clip.skeleton().hash(),
        source_hash,
    }
}

pub(super) fn narrow(t: &crate::math::Transform) -> runtime::Transform {
    runtime::Transform {
        rotation: t.rotation.to_array().map(|v| v as f32),
        translation: t.translation.to_array().map(|v| v as f32),
        scale: t.scale.to_array().map(|v| v as f32),
    }
}
