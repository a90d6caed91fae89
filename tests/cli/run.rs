//! Starts the program.

use crate::mannequin::with_clips;
use posepress::session::Session;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// The program, ready for arguments.
pub fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_posepress"))
}

/// What a run came to.
#[derive(Debug)]
pub struct Done {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl From<Output> for Done {
    fn from(o: Output) -> Self {
        Self {
            // Killed by a signal: no contract allows that.
            code: o.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&o.stdout).into_owned(),
            err: String::from_utf8_lossy(&o.stderr).into_owned(),
        }
    }
}

/// A folder of its own for one test.
pub struct Room {
    folder: tempfile::TempDir,
}

impl Room {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).expect("a file");
        path
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("a file")
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.bytes(name)).expect("JSON")
    }

    /// Runs with words separated by blanks, in this folder.
    pub fn run(&self, words: &str) -> Done {
        let words: Vec<&str> = words.split_whitespace().collect();
        self.run_words(&words)
    }

    pub fn run_words(&self, words: &[&str]) -> Done {
        let mut command = program();
        command.args(words).current_dir(self.folder.path());
        command.output().expect("it starts").into()
    }

    /// Runs, expects success, and returns standard output.
    #[track_caller]
    pub fn ok(&self, words: &str) -> String {
        let done = self.run(words);
        assert_eq!(done.code, 0, "{words}: {done:?}");
        done.out
    }

    #[track_caller]
    pub fn ok_json(&self, words: &str) -> Value {
        serde_json::from_str(&self.ok(words)).expect("JSON")
    }

    /// Runs, expects a failure without a word on standard output, and returns the error.
    #[track_caller]
    pub fn fails(&self, code: i32, words: &str) -> String {
        let done = self.run(words);
        assert_eq!(done.code, code, "{words}: {done:?}");
        assert_eq!(done.out, "", "{words}: a failure prints nothing there");
        assert!(!done.err.contains("panicked"), "{}", done.err);
        assert!(
            done.err.trim().len() > 20,
            "{words}: says too little: {}",
            done.err
        );
        done.err
    }

    /// Names of everything in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|e| {
                e.expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }
}

/// The clip that comes with the program.
pub fn mannequin() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/mannequin.glb");
    fs::read(&path).expect("the bundled clip");
    path.to_str().expect("a plain path").to_owned()
}

/// A room with a copy of the bundled clip, `m.glb`.
pub fn room_with_mannequin() -> Room {
    let room = Room::new();
    fs::copy(mannequin(), room.path("m.glb")).expect("a copy");
    room
}

/// Likewise with some of its clips alone.
pub fn room_with_clips(names: &[&str]) -> Room {
    let room = Room::new();
    room.write("m.glb", with_clips(names));
    room
}

/// A session with a file, all of it compressed.
pub fn open(path: &Path) -> Session {
    let mut session = Session::new(|| {});
    session.open(path);
    settle(&mut session);
    session
}

/// Until nothing is loaded or compressed any more.
pub fn settle(session: &mut Session) {
    let start = Instant::now();
    while session.busy_clips() > 0 || !session.loading().is_empty() {
        session.poll();
        assert!(start.elapsed() < Duration::from_mins(5), "it hangs");
        std::thread::sleep(Duration::from_millis(2));
    }
}
