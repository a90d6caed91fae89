//! The clip files below a folder.

use crate::codec::Control;
use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Most files that are opened from a folder.
pub const MAX_FILES: usize = 5_000;

/// Folders are looked into down to this depth; the folder itself is at 0.
pub const MAX_DEPTH: usize = 24;

/// Most entries that are looked at, so that a whole disk opened by mistake ends.
const MAX_ENTRIES: usize = 500_000;

/// What was found below a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Files that may hold clips, in the order of their names, upper and lower case alike, folder by folder.
    pub files: Vec<PathBuf>,
    /// What was left out and why, a sentence each; never in silence. Hidden files and folders are not meant.
    pub left_out: Vec<String>,
}

/// Finds the `.glb` and `.gltf` files below a folder. Files and folders whose names begin with a dot are passed over.
/// Links are followed; a folder or file that is reached twice counts once, so that links in a circle end. At most
/// [`MAX_FILES`] files down to [`MAX_DEPTH`] are found, which [`Listing::left_out`] tells. A cancelled search finds
/// what it found so far.
pub fn clip_files(folder: &Path, control: &Control) -> Listing {
    let mut search = Search::default();
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        if control.is_cancelled() || search.is_full() {
            break;
        }
        let mut below = search.folder(&folder, depth);
        // The first one is looked into first.
        below.reverse();
        folders.extend(below.into_iter().map(|f| (f, depth + 1)));
    }
    search.listing()
}

#[derive(Default)]
struct Search {
    listing: Listing,
    /// Where links lead to is kept, so that nothing is found twice.
    seen: HashSet<PathBuf>,
    entries: usize,
    too_deep: BTreeSet<PathBuf>,
}

impl Search {
    fn is_full(&self) -> bool {
        self.listing.files.len() > MAX_FILES || self.entries > MAX_ENTRIES
    }

    /// Takes in the files of a folder; returns the folders in it, in the order of their names.
    fn folder(&mut self, folder: &Path, depth: usize) -> Vec<PathBuf> {
        if !self.is_new(folder) {
            return Vec::new();
        }
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(e) => {
                let text = format!("{} cannot be looked into: {e}", folder.display());
                self.listing.left_out.push(text);
                return Vec::new();
            }
        };
        let room = MAX_ENTRIES.saturating_sub(self.entries) + 1;
        let entries = entries.flatten().take(room);
        let mut paths: Vec<PathBuf> = entries.map(|e| e.path()).collect();
        self.entries += paths.len();
        paths.retain(|p| !is_hidden(p));
        paths.sort_by_cached_key(|p| (p.to_string_lossy().to_lowercase(), p.clone()));
        let (folders, files): (Vec<_>, Vec<_>) = paths.into_iter().partition(|p| p.is_dir());
        for file in files {
            if is_clip_file(&file) && file.is_file() && self.is_new(&file) {
                self.listing.files.push(file);
            }
        }
        if depth < MAX_DEPTH {
            return folders;
        }
        self.too_deep.extend(folders);
        Vec::new()
    }

    fn is_new(&mut self, path: &Path) -> bool {
        let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        self.seen.insert(place)
    }

    fn listing(self) -> Listing {
        let mut listing = self.listing;
        if listing.files.len() > MAX_FILES {
            listing.files.truncate(MAX_FILES);
            let text =
                format!("There are more than {MAX_FILES} files; the first {MAX_FILES} are opened");
            listing.left_out.push(text);
        } else if self.entries > MAX_ENTRIES {
            let text =
                format!("The search ended after {MAX_ENTRIES} files and folders of any kind");
            listing.left_out.push(text);
        }
        if let Some(first) = self.too_deep.first() {
            let text = format!(
                "{} folders lie deeper than {MAX_DEPTH} levels and were not looked into, such as {}",
                self.too_deep.len(),
                first.display()
            );
            listing.left_out.push(text);
        }
        listing
    }
}

fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().map(|n| n.to_string_lossy());
    name.is_some_and(|n| n.starts_with('.'))
}

/// Whether a file's name says that it may hold clips.
pub fn is_clip_file(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str());
    extension.is_some_and(|e| e.eq_ignore_ascii_case("glb") || e.eq_ignore_ascii_case("gltf"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(listing: &Listing, root: &Path) -> Vec<String> {
        let below = |p: &PathBuf| p.strip_prefix(root).expect("below").display().to_string();
        listing.files.iter().map(below).collect()
    }

    fn touch(path: &Path) {
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, "").expect("written");
    }

    #[test]
    fn files_come_in_the_order_of_names_and_hidden_ones_not_at_all() {
        let root = tempfile::tempdir().expect("a folder");
        let files = [
            "b/Z.GLB",
            "b/a.gltf",
            "a.glb",
            "note.txt",
            ".git/x.glb",
            "c/.y.glb",
            "c/d/e.glb",
        ];
        for name in files {
            touch(&root.path().join(name));
        }
        let listing = clip_files(root.path(), &Control::default());
        assert_eq!(
            names(&listing, root.path()),
            ["a.glb", "b/a.gltf", "b/Z.GLB", "c/d/e.glb"]
        );
        assert!(listing.left_out.is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn links_in_a_circle_end_and_nothing_is_found_twice() {
        let root = tempfile::tempdir().expect("a folder");
        touch(&root.path().join("a/one.glb"));
        std::os::unix::fs::symlink(root.path(), root.path().join("a/up")).expect("a link");
        std::os::unix::fs::symlink(root.path().join("a/one.glb"), root.path().join("two.glb"))
            .expect("a link");
        let listing = clip_files(root.path(), &Control::default());
        assert_eq!(names(&listing, root.path()), ["two.glb"]);
    }

    #[test]
    fn what_lies_too_deep_is_told() {
        let root = tempfile::tempdir().expect("a folder");
        let deep = |n: usize| (0..n).fold(root.path().to_owned(), |p, _| p.join("d"));
        touch(&deep(MAX_DEPTH).join("in.glb"));
        touch(&deep(MAX_DEPTH + 1).join("out.glb"));
        let listing = clip_files(root.path(), &Control::default());
        assert_eq!(listing.files, [deep(MAX_DEPTH).join("in.glb")]);
        assert!(
            listing.left_out[0].contains("deeper than"),
            "{:?}",
            listing.left_out
        );
    }

    #[test]
    fn too_many_files_are_told() {
        let root = tempfile::tempdir().expect("a folder");
        for k in 0..=MAX_FILES {
            touch(&root.path().join(format!("{k:05}.glb")));
        }
        let listing = clip_files(root.path(), &Control::default());
        assert_eq!(listing.files.len(), MAX_FILES);
        assert!(
            listing.left_out[0].contains("more than"),
            "{:?}",
            listing.left_out
        );
    }

    #[test]
    fn a_folder_that_is_not_there_is_told() {
        let listing = clip_files(Path::new("no/such/folder"), &Control::default());
        assert!(listing.files.is_empty() && listing.left_out[0].contains("no/such/folder"));
    }
}
