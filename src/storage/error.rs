use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// How far a save got before it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveStep {
    /// Looking at the file to replace and its folder.
    Target,
    /// Creating the temporary file next to it.
    Create,
    /// Writing the bytes.
    Write,
    /// Asking the disk to keep them.
    Sync,
    /// Reading them back.
    ReadBack,
    /// The caller's check of what was read back.
    Check,
    /// Putting the temporary file in the place of the old one.
    Rename,
    /// Asking the disk to keep the folder's entry. The file is already replaced by then.
    SyncFolder,
}

impl SaveStep {
    fn doing(self) -> &'static str {
        match self {
            Self::Target => "looking at the target",
            Self::Create => "creating a temporary file beside it",
            Self::Write => "writing",
            Self::Sync => "waiting for the disk",
            Self::ReadBack => "reading the written bytes back",
            Self::Check => "checking the written bytes",
            Self::Rename => "putting the new file in place",
            Self::SyncFolder => "waiting for the disk to keep the folder's entry",
        }
    }
}

/// Why a file could not be saved. Unless `step` is [`SaveStep::SyncFolder`], the old file is as it was.
#[derive(Debug)]
pub struct SaveError {
    /// The file that was to be replaced, as the caller named it.
    pub path: PathBuf,
    /// What was being done.
    pub step: SaveStep,
    /// What went wrong, in words.
    pub text: String,
    /// What the person can do about it.
    pub hint: &'static str,
    /// What the system said, where it said something.
    pub source: Option<io::Error>,
}

impl SaveError {
    /// An error that this module found by itself.
    pub(super) fn found(
        path: &Path,
        step: SaveStep,
        text: impl Into<String>,
        hint: &'static str,
    ) -> Self {
        Self {
            path: path.to_path_buf(),
            step,
            text: text.into(),
            hint,
            source: None,
        }
    }

    /// An error that the system reported, put into words.
    pub(super) fn system(path: &Path, step: SaveStep, source: io::Error) -> Self {
        let (text, hint) = explain(step, &source);
        Self {
            path: path.to_path_buf(),
            step,
            text: text.unwrap_or_else(|| source.to_string()),
            hint,
            source: Some(source),
        }
    }

    /// True where the target still holds what it held before.
    pub fn old_file_is_intact(&self) -> bool {
        self.step != SaveStep::SyncFolder
    }
}

fn explain(step: SaveStep, e: &io::Error) -> (Option<String>, &'static str) {
    use std::io::ErrorKind as K;
    let known = |text: &str, hint| (Some(text.to_owned()), hint);
    match e.kind() {
        K::NotFound => known(
            "the folder does not exist",
            "make the folder or choose another one",
        ),
        K::NotADirectory => known(
            "a part of the path that should be a folder is a file",
            "choose another folder",
        ),
        K::PermissionDenied => known(
            "there is no permission to write there",
            "choose a folder of your own, or change the permissions of this one",
        ),
        K::ReadOnlyFilesystem => known(
            "the disk is mounted read-only",
            "choose a folder on another disk",
        ),
        K::StorageFull => known(
            "the disk is full",
            "make room or choose another disk, then save again",
        ),
        K::QuotaExceeded => known(
            "your quota on this disk is used up",
            "make room or choose another disk, then save again",
        ),
        K::FileTooLarge => known(
            "the file is larger than the disk or the shell allows",
            "choose another disk, or raise the file size limit",
        ),
        K::InvalidFilename => known(
            "the name is too long for this disk, or has characters that it does not allow",
            "choose a shorter name",
        ),
        K::IsADirectory => known("the target is a folder", "name a file inside it"),
        _ if step == SaveStep::SyncFolder => (
            None,
            "the new file is in place, but may be lost if the power fails now; save again",
        ),
        _ => (None, "try again, or choose another folder"),
    }
}

impl fmt::Display for SaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            step,
            text,
            hint,
            ..
        } = self;
        let (path, doing) = (path.display(), step.doing());
        write!(f, "cannot save {path}: {text} (while {doing}); ")?;
        if self.old_file_is_intact() {
            write!(f, "nothing was replaced; ")?;
        }
        write!(f, "{hint}")
    }
}

impl std::error::Error for SaveError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|e| e as _)
    }
}
