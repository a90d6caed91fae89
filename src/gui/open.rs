//! Files and folders that come in and go: what the window does about them besides the session.

use super::shell::{Closing, Sheet};
use super::state::{State, Workspace};
use crate::session::Document;
use std::path::{Path, PathBuf};

/// Files and folders in the list of recent ones.
const MOST_RECENT: usize = 10;

/// Opens files and folders. A folder is shown in the table, and is one of the recent ones; its files are not.
pub(super) fn open(state: &mut State, paths: &[PathBuf]) {
    for folder in paths.iter().filter(|p| p.is_dir()) {
        note_recent(state, folder);
        state.view.workspace = Workspace::Clips;
        state.transport.playing = None;
    }
    state.session.open_all(paths);
}

/// Measures the file of the selected clip on the meshes of others.
pub(super) fn measure_on(state: &mut State, files: &[PathBuf]) {
    if let Some(id) = state.session.selected() {
        state.session.measure_on(id.document, files);
    }
}

/// Puts files that were opened since into the list of recent ones; `noted` is the number up to which it was done.
pub(super) fn note_opened(state: &mut State, noted: &mut usize) {
    let documents = state.session.documents();
    let new = documents.iter().filter(|d| d.number() >= *noted);
    let new: Vec<PathBuf> = new.filter_map(opened_file).collect();
    if let Some(last) = documents.last() {
        *noted = (*noted).max(last.number() + 1);
    }
    for path in new {
        note_recent(state, &path);
    }
}

/// Where a document is, if it is a file that was not opened with its folder.
fn opened_file(document: &Document) -> Option<PathBuf> {
    if document.folder().is_some() {
        return None;
    }
    document.sidecar_path().map(|_| document.asset.path.clone())
}

fn note_recent(state: &mut State, path: &Path) {
    let Ok(path) = std::path::absolute(path) else {
        return;
    };
    let recent = &mut state.shell.recent;
    recent.retain(|p| *p != path);
    recent.insert(0, path);
    recent.truncate(MOST_RECENT);
}

/// Closes the file of the selected clip, after a question where decisions are not saved.
pub(super) fn close_selected(state: &mut State) {
    if let Some(id) = state.session.selected() {
        close(state, vec![id.document]);
    }
}

/// Closes all files, after a question where decisions are not saved.
pub(super) fn close_all(state: &mut State) {
    state.session.cancel_opening();
    let all = state.session.documents().iter().map(Document::number);
    let all = all.collect();
    close(state, all);
}

fn close(state: &mut State, files: Vec<usize>) {
    let dirty = |n: &usize| state.session.document(*n).is_some_and(Document::is_dirty);
    if files.iter().any(dirty) {
        state.shell.closing = Closing::Files(files);
        state.shell.sheet = Some(Sheet::Unsaved);
        return;
    }
    close_now(state, &files);
}

/// Closes files, saved or not.
pub(super) fn close_now(state: &mut State, files: &[usize]) {
    let name = |n: &usize| state.session.document(*n).map(Document::file_name);
    state.shell.happened = match files {
        [one] => format!("Closed {}", name(one).unwrap_or_default()),
        all => format!("Closed {} files", all.len()),
    };
    state.session.close(files);
    if state.session.selected().is_none() {
        state.shell.stage.clear();
    }
}
