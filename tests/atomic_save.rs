//! Kills a process that saves, at random moments: the file is always a whole one.

use posepress::storage::replace;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const TRIALS: u64 = 60;
const TARGET: &str = "POSEPRESS_TEST_SAVE_TARGET";

/// Content number `n`: the number, then a run of bytes whose length and value follow from it.
fn content(n: u64) -> Vec<u8> {
    let length = 300_000 + (n * 7919 % 50_000) as usize;
    let mut bytes = n.to_le_bytes().to_vec();
    bytes.resize(length, n as u8);
    bytes
}

fn number_in(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes"))
}

/// Not a test of its own: the process that gets killed, started by the test below.
#[test]
fn child_that_saves_without_end() {
    let Ok(target) = std::env::var(TARGET) else {
        return;
    };
    let path = Path::new(&target);
    let first = number_in(&std::fs::read(path).expect("the parent wrote it")) + 1;
    for n in first.. {
        let bytes = content(n);
        replace(path, &bytes, |_| Ok(())).expect("the folder is writable");
    }
}

#[test]
fn a_killed_process_leaves_the_old_or_the_new_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("clip.ppc");
    std::fs::write(&target, content(0)).expect("written");
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let (mut saved, mut interrupted) = (0, 0);
    for trial in 0..TRIALS {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let before = number_in(&std::fs::read(&target).expect("there"));
        let after = kill_while_saving(&target, before, random >> 51);
        assert_eq!(after, content(number_in(&after)), "trial {trial}: mixed");
        assert!(number_in(&after) >= before, "trial {trial}: went back");
        saved += number_in(&after) - before;
        interrupted += remove_leftovers(folder.path());
    }
    assert!(saved > TRIALS / 2, "only {saved} saves happened");
    assert!(interrupted > 0, "no kill hit a save");
    println!("{saved} saves, {interrupted} of {TRIALS} kills in the middle of one");
}

/// Starts a saving child, waits for its first save and `micros` more, kills it, returns the file.
fn kill_while_saving(target: &Path, before: u64, micros: u64) -> Vec<u8> {
    let mut child = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "child_that_saves_without_end"])
        .env(TARGET, target)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    let start = Instant::now();
    while number_in(&std::fs::read(target).expect("there")) == before {
        assert!(start.elapsed() < Duration::from_secs(30), "no save at all");
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_micros(micros));
    child.kill().expect("SIGKILL");
    child.wait().expect("gone");
    std::fs::read(target).expect("there")
}

fn remove_leftovers(folder: &Path) -> u64 {
    let mut removed = 0;
    for entry in std::fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        if path.extension().is_some_and(|e| e == "tmp") {
            std::fs::remove_file(path).expect("removed");
            removed += 1;
        }
    }
    removed
}
