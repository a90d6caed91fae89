use super::{SaveError, SaveStep};
use std::fs::{self, File, Permissions};
use std::io::{self, Read as _, Seek as _, Write};
use std::path::{Path, PathBuf};
use tempfile::{NamedTempFile, TempPath};

/// Longest chain of symbolic links that is followed, as on Linux.
const MAX_LINKS: usize = 40;

/// Replaces the file at `path` by `bytes`, completely or not at all.
///
/// The bytes go into a temporary file in the same folder, are synced, read back and handed to `check`,
/// and only then take the old file's place; at last the folder is synced. A failure at any of these
/// steps removes the temporary file and leaves the old one as it was (see [`SaveError::step`] for the one
/// exception). A killed process leaves the old or the new file, and perhaps a `.posepress-*.tmp` beside it.
///
/// An existing file keeps its permissions; a symbolic link stays and the file it leads to is replaced.
/// Refused: folders, devices and other things that are not files, and files marked read-only.
/// Hard links to the old file keep the old content. Cost: writes and reads the bytes once, two syncs.
///
/// # Errors
/// [`SaveError`] says which file, at which step, why, and what to do.
pub fn replace(
    path: &Path,
    bytes: &[u8],
    check: impl FnOnce(&[u8]) -> Result<(), String>,
) -> Result<(), SaveError> {
    replace_on(&RealDisk, path, bytes, check)
}

/// The steps that a failing disk can fail, so that tests can put one in.
trait Disk {
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()>;
    fn sync(&self, file: &File) -> io::Result<()>;
    fn read_back(&self, file: &mut File) -> io::Result<Vec<u8>>;
    fn rename(&self, temporary: TempPath, target: &Path) -> io::Result<()>;
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
}

struct RealDisk;

impl Disk for RealDisk {
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(bytes)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    fn read_back(&self, file: &mut File) -> io::Result<Vec<u8>> {
        file.rewind()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn rename(&self, temporary: TempPath, target: &Path) -> io::Result<()> {
        // On failure the returned error owns the temporary path and removes it.
        temporary.persist(target).map_err(|e| e.error)
    }

    #[cfg(unix)]
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        match File::open(folder).and_then(|f| f.sync_all()) {
            // Some network disks know no sync of folders; some folders may be written but not read.
            Err(e)
                if matches!(
                    e.kind(),
                    io::ErrorKind::InvalidInput
                        | io::ErrorKind::Unsupported
                        | io::ErrorKind::PermissionDenied
                ) =>
            {
                Ok(())
            }
            other => other,
        }
    }

    #[cfg(not(unix))]
    fn sync_folder(&self, _folder: &Path) -> io::Result<()> {
        Ok(())
    }
}

fn replace_on(
    disk: &impl Disk,
    path: &Path,
    bytes: &[u8],
    check: impl FnOnce(&[u8]) -> Result<(), String>,
) -> Result<(), SaveError> {
    let fail = |step| move |e| SaveError::system(path, step, e);
    let target = follow_links(path)?;
    let permissions = permissions_of_target(path, &target)?;
    let folder = match target.parent() {
        Some(p) if !p.as_os_str().is_empty() => p.to_path_buf(),
        _ => PathBuf::from("."),
    };

    let (mut file, temporary) = create_beside(&folder, permissions)
        .map_err(fail(SaveStep::Create))?
        .into_parts();
    disk.write(&mut file, bytes)
        .map_err(fail(SaveStep::Write))?;
    disk.sync(&file).map_err(fail(SaveStep::Sync))?;
    let written = disk
        .read_back(&mut file)
        .map_err(fail(SaveStep::ReadBack))?;
    check_written(path, bytes, &written, check)?;
    // Windows does not rename an open file.
    drop(file);
    disk.rename(temporary, &target)
        .map_err(fail(SaveStep::Rename))?;
    disk.sync_folder(&folder)
        .map_err(fail(SaveStep::SyncFolder))
}

fn check_written(
    path: &Path,
    bytes: &[u8],
    written: &[u8],
    check: impl FnOnce(&[u8]) -> Result<(), String>,
) -> Result<(), SaveError> {
    if written != bytes {
        return Err(SaveError::found(
            path,
            SaveStep::ReadBack,
            "the disk gave back other bytes than were written",
            "save on another disk; this one may be failing",
        ));
    }
    check(written).map_err(|text| {
        SaveError::found(
            path,
            SaveStep::Check,
            text,
            "this is a fault of the program; please report it with the clip and settings",
        )
    })
}

/// The file that is meant: at the end of all symbolic links, whether it exists or not.
fn follow_links(path: &Path) -> Result<PathBuf, SaveError> {
    let mut target = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        // An error here means that there is no link: whatever is wrong shows in the next step.
        let Ok(next) = fs::read_link(&target) else {
            return Ok(target);
        };
        target = target.parent().unwrap_or(Path::new("")).join(next);
    }
    Err(SaveError::found(
        path,
        SaveStep::Target,
        "symbolic links lead in a circle",
        "remove the link or choose another name",
    ))
}

/// The permissions to keep, or `None` where there is no file yet.
fn permissions_of_target(path: &Path, target: &Path) -> Result<Option<Permissions>, SaveError> {
    let refuse = |text: &str, hint| Err(SaveError::found(path, SaveStep::Target, text, hint));
    if path.as_os_str().is_empty() {
        return refuse("no file is named", "name a file");
    }
    let meta = match fs::metadata(target) {
        Ok(meta) => meta,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(SaveError::system(path, SaveStep::Target, e)),
    };
    if meta.is_dir() {
        return refuse("the target is a folder", "name a file inside it");
    }
    if !meta.is_file() {
        return refuse(
            "the target is a device or pipe, not a file",
            "choose another name",
        );
    }
    if meta.permissions().readonly() {
        return refuse(
            "the file is marked read-only",
            "make it writable or choose another name",
        );
    }
    Ok(Some(meta.permissions()))
}

fn create_beside(folder: &Path, permissions: Option<Permissions>) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".posepress-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // A new file gets what the person's umask says, like any other file, not tempfile's 0600.
        builder.permissions(Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder)?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    Ok(file)
}

#[cfg(test)]
#[path = "replace_tests.rs"]
mod tests;
