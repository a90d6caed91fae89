//! What was decided about a source before, and what the switches of this run change of it.

use super::args::{Attached, Decided as DecidedArgs, Measuring, SlideArg, Tuning};
use super::{Failure, open, say};
use crate::codec::{Budget, Deliverable, HeldPair, Level, Playback, Settings};
use crate::metrics::{Contacts, Footing};
use crate::model::{Asset, Skin};
use crate::session::{
    CharacterFile, ClipEdits, Edits, Preset, PresetError, Sidecar, Worn, character_folder,
    characters_hash, wear,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A source with the decisions about it.
pub(super) struct Decided {
    pub(super) asset: Asset,
    /// One entry a clip; defaults where there is no file of decisions.
    pub(super) edits: Edits,
    /// Whether there is a file of decisions.
    pub(super) found: bool,
    /// Metres a unit: what the person says now, else what was decided, else 1.
    pub(super) unit_m: f64,
    /// The characters on whose meshes its clips are measured; `None` for its own.
    pub(super) characters: Option<[u8; 32]>,
}

impl Decided {
    /// Loads a source, and the file of decisions beside it or the one that is named; what this run says of the feet
    /// counts more. Its clips move the meshes of the characters of this run, if there are some, else of those that were
    /// decided, else its own, and what is attached.
    pub(super) fn open(
        source: &Path,
        args: &DecidedArgs,
        unit_m: Option<f64>,
        measuring: &Measuring,
    ) -> Result<Self, Failure> {
        let mut decided = Self::load(source, args, unit_m, &measuring.meshes)?;
        attach(&mut decided.asset, &measuring.attached)?;
        let footing = match (args.no_feet, args.feet.is_empty()) {
            (true, _) => Footing::Nothing,
            (false, false) => Footing::Also(args.feet.clone()),
            (false, true) => return Ok(decided),
        };
        for name in footing.named() {
            if decided.asset.skeleton.find(name).is_none() {
                let text = format!("--foot: {} has no joint '{name}'", source.display());
                return Err(Failure::usage(text));
            }
        }
        for clip in 0..decided.edits.clips.len() {
            if let Some(clip) = decided.edits.clip_mut(clip) {
                clip.settings.footing = footing.clone();
            }
        }
        Ok(decided)
    }

    /// Likewise, with the unit and the measure of a command that compresses.
    pub(super) fn tuned(
        source: &Path,
        args: &DecidedArgs,
        tuning: &Tuning,
    ) -> Result<Self, Failure> {
        Self::open(source, args, tuning.unit, &tuning.measuring)
    }

    fn load(
        source: &Path,
        args: &DecidedArgs,
        unit_m: Option<f64>,
        characters: &[PathBuf],
    ) -> Result<Self, Failure> {
        let (path, sidecar) = match &args.settings {
            Some(path) => {
                let found = Sidecar::read(path).map_err(Failure::unreadable)?;
                let missing =
                    || Failure::unreadable(format!("{}: there is no such file", path.display()));
                (path.clone(), Some(found.ok_or_else(missing)?))
            }
            None if args.no_sidecar => (Sidecar::path_of(source), None),
            None => {
                let path = Sidecar::path_of(source);
                let found = Sidecar::read(&path).map_err(|e| {
                    Failure::unreadable(format!("{e}; --no-sidecar does without it"))
                })?;
                (path, found)
            }
        };
        let Some(sidecar) = sidecar else {
            let asset = open::source(source, unit_m)?;
            let edits = Edits::bare(&asset);
            let unit_m = unit_m.unwrap_or(1.0);
            let (asset, worn) = put_on(asset, characters)?;
            return Ok(Self {
                characters: characters_hash(&worn),
                asset,
                edits,
                found: false,
                unit_m,
            });
        };
        // Whoever decided something has seen the unit, too.
        let asset = open::source(source, unit_m.or(Some(1.0)))?;
        let (edits, unknown) = sidecar.edits(&path, &asset).map_err(Failure::unreadable)?;
        for sentence in unknown {
            say(&format!("warning: {}: {sentence}", path.display()));
        }
        let (asset, worn) = if characters.is_empty() {
            put_on_decided(asset, &character_folder(&path), &edits.characters)
        } else {
            put_on(asset, characters)?
        };
        Ok(Self {
            characters: characters_hash(&worn),
            unit_m: unit_m.unwrap_or(edits.unit_m),
            found: true,
            asset,
            edits,
        })
    }

    /// What was decided about a clip.
    pub(super) fn clip(&self, clip: usize) -> &ClipEdits {
        &self.edits.clips[clip]
    }

    /// The contacts of a clip with what keeps its distance: the pairs that are told, else those that were decided.
    pub(super) fn held_contacts(
        &self,
        clip: usize,
        pairs: &[HeldPair],
    ) -> Result<Arc<Contacts>, Failure> {
        let mut settings = self.clip(clip).settings.clone();
        if !pairs.is_empty() {
            settings.pairs = pairs.to_vec();
        }
        let pairs = settings.pairs_of(&self.asset.clips[clip], self.unit_m);
        let pairs = pairs.map_err(|e| Failure::usage(e.to_string()))?;
        Ok(Arc::new(
            Contacts::clone(&self.contacts(clip)).with_pairs(pairs),
        ))
    }

    /// The contacts of a clip: as they were set, else as they are found.
    pub(super) fn contacts(&self, clip: usize) -> Arc<Contacts> {
        contacts(&self.asset.clips[clip], self.clip(clip), self.unit_m)
    }
}

/// See [`Decided::contacts`].
pub(super) fn contacts(clip: &crate::model::Clip, edits: &ClipEdits, unit_m: f64) -> Arc<Contacts> {
    let found = Contacts::find_with(clip, unit_m, &edits.settings.footing);
    Arc::new(match &edits.contacts {
        Some(list) => found.with(list, clip.grid().frames),
        None => found,
    })
}

/// Sets what errors are errors of, as far as this run says so.
pub(super) fn measured_by(settings: &mut Settings, measuring: &Measuring) {
    if let Some(error) = measuring.error {
        settings.metric = error.into();
    }
    if let Some(shell_m) = measuring.shell {
        settings.shell_m = shell_m;
    }
    if !measuring.left_out.is_empty() {
        settings.left_out.clone_from(&measuring.left_out);
    }
}

/// Measures the clips of a source on the meshes of characters of this run, in place of its own.
fn put_on(asset: Asset, characters: &[PathBuf]) -> Result<(Asset, Vec<Worn>), Failure> {
    let paths: Vec<String> = characters.iter().map(|p| p.display().to_string()).collect();
    let (asset, worn) = wear(asset, Path::new(""), &paths);
    for one in &worn {
        if one.hash.is_none() {
            return Err(Failure::unreadable(&one.why));
        }
        if !one.fits {
            return Err(Failure::usage(format!(
                "{}: none of its meshes follows joints of {}; give a character with joints of the same names",
                one.path,
                asset.path.display()
            )));
        }
        warn_of(one);
    }
    Ok((asset, worn))
}

/// Measures them on those that were decided. One that cannot be read leaves the skin unknown, and is warned of.
fn put_on_decided(asset: Asset, folder: &Path, files: &[CharacterFile]) -> (Asset, Vec<Worn>) {
    let paths: Vec<String> = files.iter().map(|f| f.path.clone()).collect();
    let (asset, worn) = wear(asset, folder, &paths);
    for (one, file) in worn.iter().zip(files) {
        match one.hash {
            None => say(&format!("warning: {}", one.why)),
            Some(hash) if hash != file.hash => say(&format!(
                "warning: {}: it is another one than that on which was measured before",
                one.path
            )),
            Some(_) => {}
        }
        warn_of(one);
    }
    (asset, worn)
}

fn warn_of(one: &Worn) {
    if let Some(words) = one.missing_words(usize::MAX) {
        say(&format!("warning: {}: {words}", one.path));
    }
}

/// Puts props into the hands of the clips of a source.
fn attach(asset: &mut Asset, attached: &[Attached]) -> Result<(), Failure> {
    if attached.is_empty() {
        return Ok(());
    }
    let mut skin = Skin::clone(&asset.skin);
    for Attached { path, joint } in attached {
        let Some(held) = asset.skeleton.find(joint) else {
            let text = format!("--attach: {} has no joint '{joint}'", asset.path.display());
            return Err(Failure::usage(text));
        };
        let prop = open::prop(path)?;
        let mut on = prop.skin.held_by(&prop.skeleton, &asset.skeleton, held);
        if on.is_empty() {
            let text = format!("--attach: {} has no mesh", path.display());
            return Err(Failure::usage(text));
        }
        skin.parts.append(&mut on.parts);
        skin.unread.append(&mut on.unread);
    }
    asset.set_skin(Arc::new(skin));
    Ok(())
}

/// Sets the limits that are given in this run.
pub(super) fn limit(
    settings: &mut Settings,
    slide: Option<SlideArg>,
    seam_m: Option<f64>,
    jitter_m_per_s: Option<f64>,
) {
    if let Some(SlideArg(slide_m)) = slide {
        settings.slide_target_m = slide_m;
        settings.slide_of_source = 0.0;
        if slide_m.is_none() {
            settings.feet.clear();
        }
    }
    settings.seam_limit_m = seam_m.or(settings.seam_limit_m);
    settings.jitter_limit_m_per_s = jitter_m_per_s.or(settings.jitter_limit_m_per_s);
}

/// A clip's settings with what is asked for in this run.
pub(super) fn tuned(
    base: &Settings,
    tuning: &Tuning,
    deliverable: Deliverable,
) -> Result<Settings, Failure> {
    let usage = |e: PresetError| Failure::usage(e.text);
    let base = &match &tuning.preset {
        Some(wanted) => {
            let preset = Preset::find(wanted).map_err(usage)?;
            preset.applied(base).map_err(usage)?
        }
        None => base.clone(),
    };
    let mut settings = Settings {
        deliverable,
        refine: base.refine && !tuning.no_refine,
        adaptive_margin: base.adaptive_margin && !tuning.no_margin,
        looped: base.looped || tuning.looped,
        ..base.clone()
    };
    measured_by(&mut settings, &tuning.measuring);
    if tuning.additive.is_some() {
        settings.additive = tuning.additive;
    }
    if !tuning.levels.is_empty() {
        settings.levels = tuning.levels.iter().map(|n| Level::of_text(n)).collect();
    }
    if let Some(tangents) = tuning.tangents {
        settings.basis = tangents.into();
    }
    if let Some(bits) = tuning.rotation_bits {
        settings.quaternion_bits = bits.into();
    }
    if tuning.smooth {
        settings.playback = Playback::Smooth;
    }
    limit(&mut settings, tuning.slide, tuning.seam, tuning.jitter);
    if let Some(stake) = tuning.stake {
        settings.hold = stake.into();
    }
    if !tuning.pairs.is_empty() {
        settings.pairs.clone_from(&tuning.pairs);
    }
    let tolerances = &mut settings.tolerances;
    let given = [
        (tuning.rot_tol, &mut tolerances.rotation_rad),
        (tuning.pos_tol, &mut tolerances.translation_m),
        (tuning.scale_tol, &mut tolerances.scale),
    ];
    for (value, tolerance) in given {
        if let Some(value) = value {
            *tolerance = value;
            settings.budget = Budget::Tolerances;
        }
    }
    if let Some(tolerance) = tuning.weight_tol {
        settings.weight_tolerance = tolerance;
    }
    if let Some(target_m) = tuning.target {
        settings.budget = Budget::Skin { target_m };
    }
    Ok(settings)
}
