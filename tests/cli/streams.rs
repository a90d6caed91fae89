//! Standard output and standard error that are closed or full.

use crate::run::{mannequin, program, room_with_mannequin};
use std::process::{Command, Stdio};

#[test]
fn help_and_version_are_fine() {
    let room = crate::run::Room::new();
    assert!(room.ok("--version").starts_with("posepress "));
    for words in [
        "--help",
        "help",
        "compress --help",
        "export -h",
        "help sample",
    ] {
        let text = room.ok(words);
        assert!(text.contains("Usage"), "{words}: {text}");
    }
    assert!(
        room.ok("compress --help")
            .contains("3  the target is missed")
    );
}

#[test]
fn wrong_usage_is_1_and_says_what_to_do() {
    let room = room_with_mannequin();
    let wrong = [
        ("compress m.glb", "--output"),
        ("compress m.glb -o o.ppc --target", "--target"),
        ("compress m.glb -o o.ppc --target -1mm", ""),
        ("compress m.glb -o o.ppc --target=-1mm", "above 0"),
        (
            "compress m.glb -o o.ppc --target fast",
            "write one like 0.5mm",
        ),
        (
            "compress m.glb -o o.ppc --target 1mm --rot-tol 1deg",
            "cannot be used with",
        ),
        ("compress m.glb -o o.ppc --rotation-bits 40", "48, 32"),
        ("compress m.glb -o o.ppc --tangents bezier", "chordal"),
        ("compress m.glb -o o.ppc --codec zip", "universal"),
        ("compress m.glb -o o.ppc --unit 0", "metres above 0"),
        ("compress m.glb -o o.ppc --unit nan", "metres above 0"),
        ("compress m.glb -o o.ppc --unit 1e300", "1e-12 to 1e12"),
        ("compress m.glb -o o.ppc --shell 0", "above 0"),
        ("compress m.glb -o o.ppc --shell 1e300m", "within reason"),
        ("compress m.glb -o o.ppc --target 1e-300mm", "within reason"),
        ("measure m.glb m.glb --shell 1e300m", "within reason"),
        ("compress m.glb -o -", "name a file"),
        (
            "compress m.glb -o o.ppc --tangents uniform",
            "it is for --codec riot",
        ),
        (
            "compress m.glb -o o.ppc --codec uniform --smooth",
            "compact or riot",
        ),
        ("compress m.glb -o o.ppc --no-margin", "leave it out"),
        ("compress m.glb -o o.ppc --codec all", "leave out --output"),
        ("compress m.glb -o new/", "name a file inside it"),
        ("compress m.glb -o o.ppc --report r.glb", "name it r.json"),
        ("sample m.glb -o x.ppc", "name it x.npy"),
        ("sample m.glb -o -", "name a file"),
        ("export m.glb -o o.glb --profile zip", "universal"),
        ("sample m.glb -o o.npy --rate-mul 0", "1..=1000"),
        ("sample m.glb -o o.npy --space world", "local"),
        ("measure m.glb", "<COMPRESSED>"),
        ("info", "<FILE>"),
        ("info --jsno m.glb", "--json"),
        ("shot m.glb -o o.png --size 5x5", "1600x1000"),
    ];
    for (words, hint) in wrong {
        let text = room.fails(1, words);
        assert!(text.contains(hint), "{words}: {text}");
    }
    assert_eq!(room.names(), ["m.glb"], "nothing was written");
}

#[test]
fn a_misspelt_command_does_not_open_the_window() {
    let room = room_with_mannequin();
    let text = room.fails(2, "inf m.glb");
    assert!(text.contains("inf") && text.contains("--help"), "{text}");
    let text = room.fails(2, "shot missing.glb -o o.png");
    assert!(text.contains("missing.glb"), "{text}");
}

#[test]
fn a_reader_that_has_gone_is_no_fault() {
    for words in [vec!["info", "--json"], vec!["info"]] {
        let (read, write) = std::io::pipe().expect("a pipe");
        drop(read);
        let mut command = program();
        command.args(words).arg(mannequin()).stdout(write);
        let done = command.output().expect("it starts");
        assert_eq!(done.status.code(), Some(0));
        assert!(
            done.stderr.is_empty(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    }
}

#[test]
fn a_closed_standard_error_does_not_change_the_exit_code() {
    let (read, write) = std::io::pipe().expect("a pipe");
    drop(read);
    let mut command = program();
    command
        .args(["info", "missing.glb"])
        .stderr(write)
        .stdout(Stdio::null());
    assert_eq!(command.status().expect("it starts").code(), Some(2));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_a_failure() {
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("a device");
    let mut command = program();
    command.args(["info", "--json", &mannequin()]).stdout(full);
    let done = command.output().expect("it starts");
    assert_eq!(done.status.code(), Some(4));
    let text = String::from_utf8_lossy(&done.stderr);
    assert!(text.contains("standard output"), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_real_pipe_to_head_is_quiet() {
    let script = "\"$0\" info --json \"$1\" | head -c 10";
    let done = Command::new("sh")
        .arg("-c")
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_posepress"))
        .arg(mannequin())
        .output();
    let done = done.expect("a shell");
    assert_eq!(done.stdout.len(), 10);
    assert!(
        done.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
}
