use super::*;
use std::cell::Cell;

const OLD: &[u8] = b"the old file";

/// Fails one step; writes what came before the failing byte, as a real disk does.
#[derive(Clone, Copy, Debug)]
enum Fault {
    WriteAt(usize),
    DevFull,
    Sync,
    ReadBack,
    FlippedBit(usize),
    Rename,
    SyncFolder,
}

struct FaultyDisk(Fault);

fn full() -> io::Error {
    io::Error::from(io::ErrorKind::StorageFull)
}

impl Disk for FaultyDisk {
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        match self.0 {
            Fault::WriteAt(at) => {
                file.write_all(&bytes[..at])?;
                Err(full())
            }
            Fault::DevFull => {
                let mut device = fs::OpenOptions::new().write(true).open("/dev/full")?;
                RealDisk.write(&mut device, bytes)
            }
            _ => RealDisk.write(file, bytes),
        }
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        match self.0 {
            Fault::Sync => Err(io::Error::other("the disk went away")),
            _ => RealDisk.sync(file),
        }
    }

    fn read_back(&self, file: &mut File) -> io::Result<Vec<u8>> {
        let mut bytes = RealDisk.read_back(file)?;
        match self.0 {
            Fault::ReadBack => return Err(io::Error::other("the disk went away")),
            Fault::FlippedBit(at) => bytes[at] ^= 1,
            _ => {}
        }
        Ok(bytes)
    }

    fn rename(&self, temporary: TempPath, target: &Path) -> io::Result<()> {
        match self.0 {
            Fault::Rename => Err(full()),
            _ => RealDisk.rename(temporary, target),
        }
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        match self.0 {
            Fault::SyncFolder => Err(io::Error::other("the disk went away")),
            _ => RealDisk.sync_folder(folder),
        }
    }
}

fn folder_with_old_file() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("clip.ppc");
    fs::write(&path, OLD).unwrap();
    (folder, path)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), SaveError> {
    replace(path, bytes, |_| Ok(()))
}

#[track_caller]
fn assert_fault_is_harmless(fault: Fault, step: SaveStep) -> SaveError {
    let (folder, path) = folder_with_old_file();
    let new: Vec<u8> = (0..200).collect();
    let error = replace_on(&FaultyDisk(fault), &path, &new, |_| Ok(())).unwrap_err();
    assert_eq!(error.step, step, "{fault:?}");
    assert_eq!(fs::read(&path).unwrap(), OLD, "{fault:?}");
    assert_eq!(names(folder.path()), ["clip.ppc"], "{fault:?}");
    error
}

#[test]
fn a_write_failing_at_any_byte_leaves_the_old_file() {
    for at in 0..=200 {
        assert_fault_is_harmless(Fault::WriteAt(at), SaveStep::Write);
    }
}

#[test]
fn a_bit_flipped_by_the_disk_is_noticed_at_any_byte() {
    for at in 0..200 {
        assert_fault_is_harmless(Fault::FlippedBit(at), SaveStep::ReadBack);
    }
}

#[test]
fn every_other_failing_step_leaves_the_old_file() {
    assert_fault_is_harmless(Fault::Sync, SaveStep::Sync);
    assert_fault_is_harmless(Fault::ReadBack, SaveStep::ReadBack);
    assert_fault_is_harmless(Fault::Rename, SaveStep::Rename);
}

#[cfg(target_os = "linux")]
#[test]
fn a_really_full_device_says_so() {
    let error = assert_fault_is_harmless(Fault::DevFull, SaveStep::Write);
    let text = error.to_string();
    assert!(text.contains("the disk is full"), "{text}");
    assert!(
        text.contains("clip.ppc") && text.contains("make room"),
        "{text}"
    );
}

#[test]
fn a_folder_that_cannot_be_synced_is_told_apart() {
    let (_folder, path) = folder_with_old_file();
    let error = replace_on(&FaultyDisk(Fault::SyncFolder), &path, b"new", |_| Ok(())).unwrap_err();
    assert!(!error.old_file_is_intact());
    assert!(!error.to_string().contains("nothing was replaced"));
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[test]
fn the_check_sees_the_written_bytes_before_the_old_file_goes() {
    let (folder, path) = folder_with_old_file();
    let seen = Cell::new(false);
    let error = replace(&path, b"new", |written| {
        seen.set(written == b"new" && fs::read(&path).unwrap() == OLD);
        Err("does not decode".into())
    })
    .unwrap_err();
    assert!(seen.get());
    assert_eq!(error.step, SaveStep::Check);
    assert!(error.to_string().contains("does not decode"));
    assert_eq!(fs::read(&path).unwrap(), OLD);
    assert_eq!(names(folder.path()), ["clip.ppc"]);
}

#[test]
fn a_panicking_check_leaves_nothing_behind() {
    let (folder, path) = folder_with_old_file();
    let result = std::panic::catch_unwind(|| replace(&path, b"new", |_| panic!("on purpose")));
    assert!(result.is_err());
    assert_eq!(fs::read(&path).unwrap(), OLD);
    assert_eq!(names(folder.path()), ["clip.ppc"]);
}

#[test]
fn a_new_file_and_a_replaced_one_hold_the_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.glb");
    save(&path, b"first").unwrap();
    save(&path, b"").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"");
    save(&path, b"third").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"third");
    assert_eq!(names(folder.path()), ["new.glb"]);
}

#[test]
fn impossible_targets_say_what_to_do() {
    let (folder, file) = folder_with_old_file();
    let cases = [
        (file.join("below-a-file.ppc"), "choose another folder"),
        (folder.path().join("missing/clip.ppc"), "make the folder"),
        (folder.path().to_path_buf(), "name a file inside it"),
        (PathBuf::from("/"), "name a file inside it"),
        (PathBuf::new(), "name a file"),
    ];
    for (path, hint) in cases {
        let text = save(&path, b"new").unwrap_err().to_string();
        assert!(text.contains(hint), "{path:?}: {text}");
        assert!(text.contains("nothing was replaced"), "{text}");
    }
    assert_eq!(names(folder.path()), ["clip.ppc"]);
    assert_eq!(fs::read(&file).unwrap(), OLD);
}

#[test]
fn a_read_only_file_is_refused_even_for_root() {
    let (folder, path) = folder_with_old_file();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    let text = save(&path, b"new").unwrap_err().to_string();
    assert!(text.contains("read-only"), "{text}");
    assert_eq!(fs::read(&path).unwrap(), OLD);
    assert_eq!(names(folder.path()), ["clip.ppc"]);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn permissions_of_the_old_file_stay() {
        let (_folder, path) = folder_with_old_file();
        for wanted in [0o600, 0o640, 0o755] {
            fs::set_permissions(&path, Permissions::from_mode(wanted)).unwrap();
            save(&path, b"new").unwrap();
            assert_eq!(mode(&path), wanted);
        }
    }

    #[test]
    fn a_new_file_gets_the_permissions_of_any_new_file() {
        let (folder, _) = folder_with_old_file();
        let path = folder.path().join("new.ppc");
        save(&path, b"new").unwrap();
        let other = folder.path().join("other");
        fs::write(&other, b"").unwrap();
        assert_eq!(mode(&path), mode(&other));
    }

    #[test]
    fn a_link_stays_a_link_and_its_file_is_replaced() {
        let (folder, path) = folder_with_old_file();
        fs::create_dir(folder.path().join("links")).unwrap();
        let link = folder.path().join("links/link.ppc");
        symlink("../clip.ppc", &link).unwrap();
        save(&link, b"through the link").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"through the link");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());

        let dangling = folder.path().join("links/dangling.ppc");
        symlink("../created.ppc", &dangling).unwrap();
        save(&dangling, b"created").unwrap();
        let created = fs::read(folder.path().join("created.ppc")).unwrap();
        assert_eq!(created, b"created");
        assert_eq!(names(&folder.path().join("links")).len(), 2);
    }

    #[test]
    fn links_in_a_circle_and_devices_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        symlink(&a, &b).unwrap();
        symlink(&b, &a).unwrap();
        let text = save(&a, b"new").unwrap_err().to_string();
        assert!(text.contains("circle"), "{text}");
        let text = save(Path::new("/dev/null"), b"new")
            .unwrap_err()
            .to_string();
        assert!(text.contains("device"), "{text}");
    }
}
