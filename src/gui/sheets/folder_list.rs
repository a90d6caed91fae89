//! What can be opened in a folder: folders and clip files, read again whenever another folder is looked at.

use crate::session::is_clip_file;
use std::path::{Path, PathBuf};

/// Something in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub path: PathBuf,
    pub name: String,
    /// `None` for a folder.
    pub bytes: Option<usize>,
}

/// The entries of one folder: folders first, then files, by name.
#[derive(Clone, Debug, Default)]
pub(super) struct FolderList {
    of: PathBuf,
    entries: Vec<Entry>,
    /// Why it cannot be looked into.
    pub error: Option<String>,
}

impl FolderList {
    /// Looks into a folder, unless that is the one that was read.
    pub fn look(&mut self, folder: &Path) {
        if self.of == folder {
            return;
        }
        *self = Self {
            of: folder.to_owned(),
            ..Self::default()
        };
        match std::fs::read_dir(folder) {
            Ok(entries) => {
                let found = entries.flatten().filter_map(|e| entry(e.path()));
                self.entries = found.collect();
                self.entries
                    .sort_by_cached_key(|e| (e.bytes.is_some(), e.name.to_lowercase()));
            }
            Err(e) => self.error = Some(format!("{} cannot be looked into: {e}", folder.display())),
        }
    }

    /// The folder that was read.
    pub fn folder(&self) -> &Path {
        &self.of
    }

    /// Entries with a text in their names, upper and lower case alike. Those that begin with a dot are for whoever types
    /// the dot.
    pub fn with(&self, text: &str) -> Vec<Entry> {
        let wanted = text.to_lowercase();
        let shown = |e: &&Entry| {
            let hidden = e.name.starts_with('.') && !wanted.starts_with('.');
            !hidden && e.name.to_lowercase().contains(&wanted)
        };
        self.entries.iter().filter(shown).cloned().collect()
    }
}

/// A folder, or a file that may hold clips.
fn entry(path: PathBuf) -> Option<Entry> {
    let about = std::fs::metadata(&path).ok()?;
    let bytes = (!about.is_dir()).then_some(about.len() as usize);
    if bytes.is_some() && !is_clip_file(&path) {
        return None;
    }
    let name = path.file_name()?.to_string_lossy().into_owned();
    Some(Entry { path, name, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_before_clip_files_and_nothing_else_comes() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["b.glb", "a.GLTF", "c.txt", ".d.glb"] {
            std::fs::write(folder.path().join(name), "x").expect("written");
        }
        std::fs::create_dir(folder.path().join("z")).expect("made");
        let mut list = FolderList::default();
        list.look(folder.path());
        let names = |text| -> Vec<String> {
            let entries = list.with(text).into_iter();
            entries.map(|e| e.name).collect()
        };
        assert_eq!(names(""), ["z", "a.GLTF", "b.glb"]);
        assert_eq!(names("GL"), ["a.GLTF", "b.glb"]);
        assert_eq!(names("."), [".d.glb", "a.GLTF", "b.glb"]);
        list.look(&folder.path().join("none"));
        assert!(list.error.is_some() && list.with("").is_empty());
    }
}
