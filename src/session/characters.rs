//! Characters: other files whose meshes the clips of a file are measured on and shown with, in place of its own.
//!
//! They are kept beside the source by path and hash. What is approved is bound to the bytes of all of them: see
//! [`characters_hash`]. One that cannot be read is a mesh that was not read: nothing can be said of the skin then.

use super::document::Document;
use super::notice::Notice;
use super::worker::Request;
use super::{Command, Session};
use crate::import::{self, Character};
use crate::model::{Asset, Fitting, Skin, UnreadMesh};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Most joints that a notice names.
const MOST_NAMED: usize = 20;

/// A character as it is kept beside a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CharacterFile {
    /// Where it lies from the source's folder, with `/` between folders; from the root where no way leads there.
    pub path: String,
    /// SHA-256 of its bytes when it was read last, and of the buffers that it is read from.
    pub hash: [u8; 32],
}

impl CharacterFile {
    /// Where a file lies from a folder.
    pub fn path_from(folder: &Path, file: &Path) -> String {
        let absolute = |path: &Path| {
            let found = std::fs::canonicalize(path).or_else(|_| std::path::absolute(path));
            found.unwrap_or_else(|_| path.to_owned())
        };
        let here = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        let (folder, file) = (absolute(here), absolute(file));
        let same = folder.components().zip(file.components());
        let same = same.take_while(|(a, b)| a == b).count();
        if same == 0 {
            return file.to_string_lossy().into_owned();
        }
        let up = folder.components().skip(same).map(|_| "..".into());
        let down = file.components().skip(same).map(|c| match c {
            Component::Normal(name) => name.to_string_lossy(),
            other => other.as_os_str().to_string_lossy(),
        });
        up.chain(down).collect::<Vec<_>>().join("/")
    }
}

/// The name of a character's file without its folder.
pub fn character_name(path: &str) -> &str {
    path.rsplit(['/', std::path::MAIN_SEPARATOR])
        .next()
        .unwrap_or(path)
}

/// Characters that were read, or why they were not, by the path under which they are kept.
pub(super) type Wardrobe = HashMap<String, Result<Arc<Character>, String>>;

/// Reads characters that are kept beside a source in a folder.
pub(super) fn read_characters<'a>(
    folder: &Path,
    paths: impl IntoIterator<Item = &'a str>,
) -> Wardrobe {
    let read = |path: &'a str| {
        let character = import::load_character(&folder.join(path));
        let character = character.map(Arc::new).map_err(|e| e.to_string());
        (path.to_owned(), character)
    };
    paths.into_iter().map(read).collect()
}

/// A character on the clips of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worn {
    /// As it is kept.
    pub path: String,
    /// That of the bytes that were read; `None` where they were not.
    pub hash: Option<[u8; 32]>,
    /// Why it was not read, as a sentence; empty otherwise.
    pub why: String,
    /// Joints that move something of it and that the clips do not have.
    pub missing: Vec<String>,
    /// Whether any of its meshes follows joints of the clips.
    pub fits: bool,
}

impl Worn {
    /// What its joints that the clips do not have come to, naming so many of them; `None` where they have all.
    pub fn missing_words(&self, most: usize) -> Option<String> {
        let them = match self.missing.len() {
            0 => return None,
            1 => "what it moves follows",
            _ => "what these move follows",
        };
        let named = &self.missing[..self.missing.len().min(most)];
        let more = match self.missing.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Some(format!(
            "the clips do not have {}{more}; {them} the joint above",
            named.join(", ")
        ))
    }
}

/// A source whose clips move the meshes of characters in place of its own, and what was found of each; the source as it
/// is where there is no character. Cost: linear in the meshes.
pub(super) fn dressed<'a>(
    own: &Arc<Asset>,
    characters: impl IntoIterator<Item = (&'a str, &'a Result<Arc<Character>, String>)>,
) -> (Arc<Asset>, Vec<Worn>) {
    let (mut skin, mut meshes, mut worn) = (Skin::default(), Vec::new(), Vec::new());
    for (path, read) in characters {
        let mut one = Worn {
            path: path.to_owned(),
            hash: None,
            why: String::new(),
            missing: Vec::new(),
            fits: false,
        };
        match read {
            Ok(character) => {
                let fitting = Fitting::new(&character.skeleton, &own.skeleton);
                let (mut on, missing) = fitting.skin(&character.skin);
                one.hash = Some(character.hash);
                one.missing = missing;
                one.fits = !on.parts.is_empty();
                skin.parts.append(&mut on.parts);
                skin.unread.append(&mut on.unread);
                meshes.extend(fitting.meshes(&character.meshes));
            }
            Err(why) => {
                one.why.clone_from(why);
                skin.unread.push(UnreadMesh {
                    name: character_name(path).to_owned(),
                    why: "the character cannot be read".into(),
                });
            }
        }
        worn.push(one);
    }
    if worn.is_empty() {
        return (own.clone(), worn);
    }
    let mut asset = Asset::clone(own);
    asset.set_skin(Arc::new(skin));
    asset.meshes = Arc::new(meshes);
    (Arc::new(asset), worn)
}

/// What an approval of clips on characters is bound to: SHA-256 of the hashes of all of them, whatever their order; one
/// that was not read is like no other. `None` where there is none.
pub fn characters_hash(worn: &[Worn]) -> Option<[u8; 32]> {
    let mut hashes: Vec<[u8; 32]> = worn.iter().map(|w| w.hash.unwrap_or_default()).collect();
    hashes.sort_unstable();
    (!hashes.is_empty()).then(|| Sha256::digest(hashes.concat()).into())
}

/// Puts the characters of these files on the clips of a source, in place of its own meshes. Returns what was found of
/// each. Cost: reads the files.
pub fn wear(asset: Asset, folder: &Path, paths: &[String]) -> (Asset, Vec<Worn>) {
    let read = read_characters(folder, paths.iter().map(String::as_str));
    let characters = paths
        .iter()
        .filter_map(|p| Some((p.as_str(), read.get(p)?)));
    let (asset, worn) = dressed(&Arc::new(asset), characters);
    (Arc::unwrap_or_clone(asset), worn)
}

/// The folder from which the characters of a source are found.
pub fn character_folder(source: &Path) -> PathBuf {
    source.parent().map(Path::to_owned).unwrap_or_default()
}

impl Session {
    /// Reads files on the worker, and measures all clips of a file on their meshes from then on, beside those of the
    /// characters that it has; or a notice says why not.
    pub fn measure_on(&mut self, document: usize, files: &[PathBuf]) {
        let Some(d) = self.document(document) else {
            return;
        };
        let paths = files.iter().map(|f| d.character_path(f));
        let request = Request::Characters {
            document,
            paths: paths.collect(),
            folder: character_folder(&d.own.path),
            wanted: files.to_vec(),
        };
        self.loading.extend_from_slice(files);
        self.worker.send(request);
    }

    /// Measures all clips of a file without one of its characters; on its own meshes where that is the last.
    pub fn take_off(&mut self, document: usize, path: &str) {
        let Some(d) = self.document(document) else {
            return;
        };
        let mut characters = d.edits.characters.clone();
        characters.retain(|c| c.path != path);
        self.dispatch(
            &Command::MeasureOn {
                document,
                characters,
            },
            None,
        );
    }

    /// Takes in what was read of characters, which a person wants added or which were decided already.
    pub(super) fn take_characters(&mut self, document: usize, read: Wardrobe, wanted: &[PathBuf]) {
        for file in wanted {
            self.no_longer_loading(file);
        }
        let Some(d) = self.document_mut(document) else {
            return;
        };
        if wanted.is_empty() {
            d.wardrobe.extend(read);
            self.dress(document);
            let notices = self.document_mut(document).map(Document::follow_hashes);
            self.notices.extend(notices.into_iter().flatten());
            return;
        }
        let mut characters = d.edits.characters.clone();
        let (own, mut notices) = (d.own.clone(), Vec::new());
        let mut paths: Vec<&String> = read.keys().collect();
        paths.sort();
        for path in paths {
            let one = std::iter::once((path.as_str(), &read[path]));
            let (_, worn) = dressed(&own, one);
            let Some(worn) = worn.into_iter().next() else {
                continue;
            };
            match worn.hash {
                Some(hash) if worn.fits => {
                    notices.extend(worn.missing_notice());
                    characters.retain(|c| c.path != *path);
                    let path = path.clone();
                    characters.push(CharacterFile { path, hash });
                }
                Some(_) => {
                    let text = format!(
                        "None of its meshes follows joints of {}. Choose a character with joints of the same names",
                        own.path.display()
                    );
                    let title = format!("Not measured on {}", character_name(path));
                    notices.push(Notice::error(title, text));
                }
                None => {
                    let title = format!("Not measured on {}", character_name(path));
                    notices.push(Notice::error(title, worn.why));
                }
            }
        }
        let Some(d) = self.document_mut(document) else {
            return;
        };
        d.wardrobe.extend(read);
        let changed = d.edits.characters != characters;
        self.notices.extend(notices);
        if changed {
            let command = Command::MeasureOn {
                document,
                characters,
            };
            self.dispatch(&command, None);
        }
    }

    /// Takes in characters that were written again.
    pub(super) fn take_read_again(&mut self, document: usize, read: Wardrobe) {
        let Some(d) = self.document_mut(document) else {
            return;
        };
        let now = |path: &str| read.get(path).and_then(|r| r.as_ref().ok()).map(|c| c.hash);
        if d.worn.iter().all(|w| now(&w.path) == w.hash) {
            return;
        }
        self.take_characters(document, read, &[]);
    }

    /// Follows a change of the characters of a file: all of its clips are compressed and measured again.
    pub(super) fn dress(&mut self, document: usize) {
        let Some(d) = self.document_mut(document) else {
            return;
        };
        let unread = d.dress();
        self.forget_work(document);
        self.recompress_document(document);
        self.read_for(document, unread);
    }

    /// Puts the characters on a file that is about to be opened.
    pub(super) fn dress_new(&mut self, d: &mut Document) {
        // All of them were read with the file.
        d.dress();
        let notices = d.follow_hashes();
        self.notices.extend(notices);
    }

    /// Reads characters of a file that were decided elsewhere.
    pub(super) fn read_for(&mut self, document: usize, paths: Vec<String>) {
        let Some(d) = self.document(document).filter(|_| !paths.is_empty()) else {
            return;
        };
        let folder = character_folder(&d.own.path);
        self.worker.send(Request::Characters {
            document,
            folder,
            paths,
            wanted: Vec::new(),
        });
    }
}

impl Worn {
    fn missing_notice(&self) -> Option<Notice> {
        let title = format!("{} has joints of its own", character_name(&self.path));
        Some(Notice::warning(
            title,
            sentence(&self.missing_words(MOST_NAMED)?),
        ))
    }
}

impl Document {
    /// The path under which a character is kept: from the root where the source is no file.
    fn character_path(&self, file: &Path) -> String {
        if self.on_disk {
            return CharacterFile::path_from(&character_folder(&self.own.path), file);
        }
        let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        file.to_string_lossy().into_owned()
    }

    /// Keeps the hashes of the characters as they are now. Returns what has to be said of those that changed or are not
    /// there.
    fn follow_hashes(&mut self) -> Vec<Notice> {
        let mut notices = Vec::new();
        for (file, worn) in self.edits.characters.iter_mut().zip(&self.worn) {
            let name = character_name(&file.path);
            match worn.hash {
                Some(hash) if hash != file.hash => {
                    file.hash = hash;
                    let text = "What was approved on it as it was is stale";
                    notices.push(Notice::warning(format!("{name} is another one now"), text));
                }
                Some(_) => {}
                None => {
                    let text = format!("{}. Nothing can be said of the skin", worn.why);
                    let title = format!("The character {name} cannot be read");
                    notices.push(Notice::warning(title, text));
                }
            }
        }
        self.compare_with_saved();
        notices
    }
}

fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |c| {
        c.to_uppercase().collect::<String>() + chars.as_str()
    })
}
