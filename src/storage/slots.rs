//! Files that outlive a crash: each running program has a folder of its own, held by a lock that the system
//! releases when the program is gone, however it went.

use super::{SaveError, replace};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The file that is locked.
const LOCK: &str = "lock";

/// A folder without slots is removed when it is older: before, its owner may just be starting.
const EMPTY_AGE: Duration = Duration::from_mins(1);

/// The folder of this program.
#[derive(Debug)]
pub struct Slots {
    folder: PathBuf,
    /// Locked as long as this lives.
    _lock: File,
}

/// The folder of a program that ended without tidying up.
#[derive(Debug)]
pub struct Orphan {
    folder: PathBuf,
    /// Held, so that no other program recovers the same.
    _lock: File,
    slots: Vec<PathBuf>,
}

impl Slots {
    /// A new folder below `root`, which is made where it is missing.
    pub fn open(root: &Path) -> io::Result<Self> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let nanos = now.map_or(0, |d| d.as_nanos());
        let folder = root.join(format!("{}-{nanos:x}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let lock = File::create(folder.join(LOCK))?;
        // Where locks are not known, others cannot take this one either, and leave the folder alone.
        let _ = lock.try_lock();
        Ok(Self {
            folder,
            _lock: lock,
        })
    }

    /// Writes a slot, completely or not at all.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), SaveError> {
        replace(&self.path(name), bytes, |_| Ok(()))
    }

    /// Removes a slot; one that is not there is fine.
    pub fn remove(&self, name: &str) {
        let _ = fs::remove_file(self.path(name));
    }

    /// Removes the folder: all is saved, or meant to be lost.
    pub fn close(self) {
        let _ = fs::remove_dir_all(&self.folder);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }

    /// Folders below `root` whose programs are gone, each with slots. Old ones without are removed.
    pub fn orphans(root: &Path) -> Vec<Orphan> {
        let entries = fs::read_dir(root).into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> = entries.map(|e| e.path()).collect();
        folders.sort();
        folders.iter().filter_map(|f| Orphan::take(f)).collect()
    }
}

impl Orphan {
    fn take(folder: &Path) -> Option<Self> {
        let lock = OpenOptions::new()
            .write(true)
            .open(folder.join(LOCK))
            .ok()?;
        match lock.try_lock() {
            Ok(()) => {}
            // Its owner lives, or nobody can say.
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => return None,
        }
        let entries = fs::read_dir(folder).ok()?.flatten();
        let mut slots: Vec<PathBuf> = entries.map(|e| e.path()).collect();
        slots.retain(|p| p.extension().is_some_and(|e| e == "json"));
        slots.sort();
        if slots.is_empty() {
            let modified = lock.metadata().and_then(|m| m.modified()).ok()?;
            if modified.elapsed().is_ok_and(|age| age > EMPTY_AGE) {
                let _ = fs::remove_dir_all(folder);
            }
            return None;
        }
        Some(Self {
            folder: folder.to_owned(),
            _lock: lock,
            slots,
        })
    }

    /// Its files, in the order of their names.
    pub fn slots(&self) -> &[PathBuf] {
        &self.slots
    }

    /// Removes a slot that was recovered or is not wanted.
    pub fn remove(&mut self, slot: &Path) {
        let _ = fs::remove_file(slot);
        self.forget(slot);
    }

    /// Puts a slot that cannot be read aside, so that it is not found again. Returns where it is.
    pub fn put_aside(&mut self, slot: &Path) -> PathBuf {
        let aside = slot.with_extension("damaged");
        let moved = fs::rename(slot, &aside);
        self.forget(slot);
        moved.map_or_else(|_| slot.to_owned(), |()| aside)
    }

    /// With the last slot the folder goes, unless something was put aside in it.
    fn forget(&mut self, slot: &Path) {
        self.slots.retain(|s| s != slot);
        if self.slots.is_empty() {
            let _ = fs::remove_file(self.folder.join(LOCK));
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_dead_program_left_is_an_orphan() {
        let root = tempfile::tempdir().expect("a folder");
        let alive = Slots::open(root.path()).expect("a folder");
        alive.write("0", b"mine").expect("written");
        assert!(Slots::orphans(root.path()).is_empty(), "it lives");
        let folder = alive.folder.clone();
        drop(alive);
        let mut orphans = Slots::orphans(root.path());
        assert_eq!(orphans.len(), 1);
        assert!(Slots::orphans(root.path()).is_empty(), "taken");
        let slot = orphans[0].slots()[0].clone();
        assert_eq!(fs::read(&slot).expect("there"), b"mine");
        orphans[0].remove(&slot);
        assert!(!folder.exists());
    }

    #[test]
    fn a_closed_program_leaves_nothing() {
        let root = tempfile::tempdir().expect("a folder");
        let slots = Slots::open(root.path()).expect("a folder");
        slots.write("0", b"mine").expect("written");
        slots.remove("1");
        slots.close();
        assert_eq!(fs::read_dir(root.path()).expect("there").count(), 0);
    }
}
