//! Settings with a name, to start from.
//!
//! A preset says some settings and leaves the others as they are; one that is saved from a clip is `whole` and says
//! all but what belongs to the clip. Pixels of a screen with H lines, a field of view of
//! 50 degrees and a distance d are 2 d tan(25°) / H apart: 0.86 mm a metre at 1080 lines. From those follow the
//! figures of the presets that come with the program, `assets/presets/*.json`:
//!
//! | preset | skin error | added slide | why |
//! |---|---|---|---|
//! | Cinematic | 0.1 mm | 0.1 mm | a quarter of a pixel at 2160 lines from 1 m |
//! | Hero | 0.5 mm | 0.2 mm | a fifth of a pixel at 1080 lines from 3 m |
//! | Standard | 1 mm | 0.2 mm, or a twentieth of what the source's foot drifts | what a clip starts with |
//! | Crowd | 5 mm | 2 mm | half a pixel at 1080 lines from 10 m; fingers count half |

use super::abx::ByEye;
use super::sidecar;
use crate::codec::Settings;
use crate::storage::{self, SaveError};
use serde_json::{Map, Value, json};
use std::fmt;
use std::path::{Path, PathBuf};

/// The files that come with the program.
const BUILT_IN: [&str; 4] = [
    include_str!("../../assets/presets/cinematic.json"),
    include_str!("../../assets/presets/hero.json"),
    include_str!("../../assets/presets/standard.json"),
    include_str!("../../assets/presets/crowd.json"),
];

/// Largest file that is read.
const MAX_BYTES: u64 = 1 << 20;

/// What belongs to a clip, not to a way of compressing clips: it does not go into a preset.
const OF_THE_CLIP: [&str; 4] = ["deliverable", "looped", "additive", "footing"];

/// Settings with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// In menus and on the command line.
    pub name: String,
    /// For whom, in a sentence; may be empty.
    pub about: String,
    /// The blind test that it was chosen by.
    pub by_eye: Option<ByEye>,
    /// Those that it says; `null` is the default.
    settings: Map<String, Value>,
    /// Settings that it does not say have their defaults, but for those that belong to a clip.
    whole: bool,
}

/// Why there is no preset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PresetError {
    /// What, where, what to do.
    pub text: String,
}

impl fmt::Display for PresetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for PresetError {}

impl Preset {
    /// Those that come with the program, the finest first.
    pub fn built_in() -> Vec<Self> {
        let parsed = BUILT_IN.iter().map(|text| Self::parse("built in", text));
        // A test proves that they parse.
        parsed.filter_map(Result::ok).collect()
    }

    /// The one with a name, in any case: of the program, or a file of that name.
    pub fn find(wanted: &str) -> Result<Self, PresetError> {
        let built_in = Self::built_in();
        let named = built_in
            .iter()
            .find(|p| p.name.eq_ignore_ascii_case(wanted));
        if let Some(preset) = named {
            return Ok(preset.clone());
        }
        if !Path::new(wanted).exists() {
            let names: Vec<&str> = built_in.iter().map(|p| p.name.as_str()).collect();
            let text = format!(
                "there is no preset '{wanted}'; there are {}, or name a file",
                names.join(", ")
            );
            return Err(PresetError { text });
        }
        Self::read(Path::new(wanted))
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, PresetError> {
        let fail = |text: String| PresetError {
            text: format!("{}: {text}", path.display()),
        };
        let meta = std::fs::metadata(path).map_err(|e| fail(format!("it cannot be read: {e}")))?;
        if !meta.is_file() || meta.len() > MAX_BYTES {
            return Err(fail("it is no preset, which is a small JSON file".into()));
        }
        let text =
            std::fs::read_to_string(path).map_err(|e| fail(format!("it cannot be read: {e}")))?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Reads a text; `place` stands in errors.
    pub fn parse(place: &str, text: &str) -> Result<Self, PresetError> {
        let fail = |text: String| PresetError {
            text: format!("{place}: {text}"),
        };
        let value: Value =
            serde_json::from_str(text).map_err(|e| fail(format!("it is no JSON: {e}")))?;
        let text_of = |key: &str| value.get(key).and_then(Value::as_str);
        let (Some(name), Some(settings)) = (
            text_of("name"),
            value.get("settings").and_then(Value::as_object),
        ) else {
            return Err(fail("a preset has a name and settings".into()));
        };
        let preset = Self {
            name: name.to_owned(),
            about: text_of("about").unwrap_or_default().to_owned(),
            settings: settings.clone(),
            whole: value.get("whole").and_then(Value::as_bool) == Some(true),
            by_eye: match value.get("by_eye") {
                None => None,
                Some(value) => Some(sidecar::by_eye_of_value(value).map_err(fail)?),
            },
        };
        preset
            .applied(&Settings::default())
            .map_err(|e| fail(e.text))?;
        Ok(preset)
    }

    /// One that says all settings, but for those that belong to a clip.
    pub fn of(name: &str, settings: &Settings) -> Self {
        let mut says = match sidecar::settings_value(settings) {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        for key in OF_THE_CLIP {
            says.remove(key);
        }
        Self {
            name: name.to_owned(),
            about: String::new(),
            settings: says,
            whole: true,
            by_eye: None,
        }
    }

    /// Settings with what the preset says.
    pub fn applied(&self, settings: &Settings) -> Result<Settings, PresetError> {
        let mut value = sidecar::settings_value(settings);
        if let Some(map) = value.as_object_mut() {
            if self.whole {
                map.retain(|key, _| OF_THE_CLIP.contains(&key.as_str()));
            }
            for (key, says) in &self.settings {
                if says.is_null() {
                    map.remove(key);
                } else {
                    map.insert(key.clone(), says.clone());
                }
            }
        }
        let settings = sidecar::settings_of_value(&value);
        settings.map_err(|text| PresetError { text })
    }

    /// Whether settings are what the preset says.
    pub fn is_of(&self, settings: &Settings) -> bool {
        self.applied(settings).is_ok_and(|s| s == *settings)
    }

    /// As it is written.
    pub fn text(&self) -> String {
        let mut value =
            json!({ "name": self.name, "about": self.about, "settings": self.settings });
        if self.whole {
            value["whole"] = true.into();
        }
        if let Some(ByEye {
            error_m,
            correct,
            trials,
        }) = self.by_eye
        {
            value["by_eye"] = json!({ "error_m": error_m, "correct": correct, "trials": trials });
        }
        sidecar::pretty(&value)
    }

    /// Saves it, completely or not at all.
    pub fn save(&self, path: &Path) -> Result<(), SaveError> {
        let check = |written: &[u8]| {
            let text = String::from_utf8_lossy(written);
            let again = Self::parse("it", &text).map_err(|e| e.to_string());
            again.map(|_| ())
        };
        storage::replace(path, self.text().as_bytes(), check)
    }

    /// Those in a folder, by name; files that are none are left out.
    pub fn in_folder(folder: &Path) -> Vec<Self> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|e| e.path()).collect();
        paths.retain(|p| p.extension().is_some_and(|e| e == "json"));
        let mut presets: Vec<Self> = paths.iter().filter_map(|p| Self::read(p).ok()).collect();
        presets.sort_by(|a, b| a.name.cmp(&b.name));
        presets
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{Budget, Deliverable};

    #[test]
    fn all_that_come_with_the_program_can_be_used() {
        let presets = Preset::built_in();
        assert_eq!(presets.len(), BUILT_IN.len());
        for preset in &presets {
            let settings = preset.applied(&Settings::default()).expect("applies");
            assert!(preset.is_of(&settings) && settings.check().is_ok());
            let others = presets.iter().filter(|p| *p != preset);
            assert!(others.into_iter().all(|p| !p.is_of(&settings)));
            assert!(!preset.about.is_empty());
        }
        let standard = Preset::find("standard").expect("there");
        assert!(
            standard.is_of(&Settings::standard()),
            "what clips start with"
        );
    }

    #[test]
    fn a_preset_leaves_alone_what_it_does_not_say() {
        let mut settings = Settings {
            deliverable: Deliverable::Riot,
            looped: true,
            ..Settings::standard()
        };
        settings.overrides.entry("foot_l".into()).or_default().scale = Some(0.1);
        let hero = Preset::find("HERO").expect("there");
        let tuned = hero.applied(&settings).expect("applies");
        assert_eq!(tuned.budget, Budget::Skin { target_m: 0.0005 });
        assert_eq!(tuned.deliverable, Deliverable::Riot);
        assert!(tuned.looped && tuned.overrides == settings.overrides);
        let back = Preset::find("Standard").expect("there").applied(&tuned);
        assert_eq!(back.expect("applies"), settings);
    }

    #[test]
    fn own_ones_are_saved_and_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = Settings {
            slide_target_m: Some(0.004),
            deliverable: Deliverable::Riot,
            looped: true,
            ..Settings::default()
        };
        let mine = Preset::of("Mine", &settings);
        let path = folder.path().join("mine.json");
        mine.save(&path).expect("saved");
        std::fs::write(folder.path().join("broken.json"), "{").expect("written");
        assert_eq!(
            Preset::in_folder(folder.path()),
            std::slice::from_ref(&mine)
        );
        let found = Preset::find(path.to_str().expect("a plain path")).expect("a file");
        let tuned = found.applied(&Settings::default()).expect("applies");
        assert_eq!(tuned.slide_target_m, Some(0.004));
        assert_eq!(tuned.deliverable, Deliverable::Compact, "the clip's own");
        let plain = Preset::of("Plain", &Settings::default());
        assert_eq!(plain.applied(&tuned).expect("applies"), Settings::default());
    }

    #[test]
    fn what_an_eye_was_tested_with_is_kept_with_it() {
        let by_eye = ByEye {
            error_m: 0.0014,
            correct: 5,
            trials: 10,
        };
        let mut mine = Preset::of("Mine", &Settings::default());
        mine.by_eye = Some(by_eye);
        let again = Preset::parse("it", &mine.text()).expect("read");
        assert_eq!((again.by_eye, &again), (Some(by_eye), &mine));
        let tuned = again.applied(&Settings::default()).expect("applies");
        assert_eq!(tuned, Settings::default(), "information, not a setting");
    }

    #[test]
    fn what_is_none_says_why() {
        for (text, word) in [
            (
                r#"{ "name": "x", "settings": {}, "by_eye": { "error_m": 1, "correct": 3, "trials": 2 } }"#,
                "by_eye.correct",
            ),
            (r#"{ "name": "x", "settings": {}, "by_eye": [] }"#, "by_eye"),
            ("{", "JSON"),
            ("{}", "name"),
            (
                r#"{ "name": "x", "settings": { "shell_m": -1 } }"#,
                "shell_m",
            ),
            (
                r#"{ "name": "x", "settings": { "deliverable": "zip" } }"#,
                "deliverable",
            ),
        ] {
            let error = Preset::parse("p.json", text).expect_err("refused");
            assert!(
                error.text.contains(word) && error.text.contains("p.json"),
                "{error}"
            );
        }
        let error = Preset::find("no such").expect_err("refused");
        assert!(error.text.contains("Hero, Standard"), "{error}");
    }
}
