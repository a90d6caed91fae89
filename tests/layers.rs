//! The layer rule: which module may name which, and which crates.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Module, modules of ours that it may use, crates that it may use. See the table in `src/lib.rs`.
const RULE: [(&str, &[&str], &[&str]); 13] = [
    ("runtime", &[], &[]),
    ("math", &["runtime"], &["glam"]),
    ("model", &["math"], &["glam", "sha2"]),
    ("fit", &["math"], &["glam", "serde"]),
    (
        "metrics",
        &["model", "math", "runtime"],
        &["glam", "rayon", "serde"],
    ),
    (
        "codec",
        &["model", "fit", "math", "runtime", "metrics"],
        &["glam", "rayon", "serde", "sha2"],
    ),
    (
        "import",
        &["model", "math"],
        &["glam", "serde_json", "base64", "image", "sha2"],
    ),
    ("storage", &[], &["tempfile"]),
    (
        "export",
        &["model", "math", "runtime", "codec", "metrics", "storage"],
        &["glam", "serde", "serde_json", "sha2"],
    ),
    (
        "session",
        &[
            "model", "fit", "math", "runtime", "codec", "metrics", "import", "export", "storage",
        ],
        &["glam", "serde", "serde_json", "rayon", "sha2"],
    ),
    (
        "cli",
        &[
            "session", "model", "fit", "math", "runtime", "codec", "metrics", "import", "export",
            "storage",
        ],
        &["clap", "glam", "serde_json"],
    ),
    (
        "gui",
        &[
            "session", "model", "fit", "math", "runtime", "codec", "metrics", "import",
        ],
        &[
            "eframe",
            "egui",
            "egui_plot",
            "egui_material_icons",
            "rfd",
            "pollster",
            "three_d",
            "glam",
            "serde",
            "image",
            "rayon",
        ],
    ),
    ("main", &["cli", "gui"], &["clap"]),
];

/// Names at the start of a path that are neither crates of ours nor foreign ones.
const NEUTRAL: [&str; 6] = ["std", "core", "alloc", "super", "self", "Self"];

fn sources(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the source folder can be read") {
            let path = entry.expect("a folder entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Code without comments, and without tests, which may use what they like.
fn code_of(text: &str) -> String {
    let before_tests = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
    before_tests
        .lines()
        .filter(|l| !l.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Every `crate::NAME` in a file.
fn own_modules(code: &str) -> BTreeSet<String> {
    let starts = code.match_indices("crate::").map(|(at, m)| at + m.len());
    starts
        .map(|at| identifier(&code[at..]))
        .filter(|n| !n.is_empty())
        .collect()
}

/// Every crate that a `use` line names.
fn crates(code: &str) -> BTreeSet<String> {
    let uses = code.lines().filter_map(|l| {
        let l = l
            .trim_start()
            .trim_start_matches("pub ")
            .trim_start_matches("pub(super) ");
        l.strip_prefix("use ")
    });
    // `use it for …` in the middle of a text is no import.
    let imports = uses.filter(|l| {
        let rest = &l[identifier(l).len()..];
        rest.starts_with("::") || rest.starts_with(';') || rest.starts_with(" as ")
    });
    imports
        .map(identifier)
        .filter(|n| n != "crate" && !NEUTRAL.contains(&n.as_str()))
        .collect()
}

fn identifier(text: &str) -> String {
    text.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

#[test]
fn modules_use_only_what_stands_below_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for path in sources(&root) {
        let inside = path.strip_prefix(&root).expect("below src");
        let first = inside
            .components()
            .next()
            .expect("a name")
            .as_os_str()
            .to_string_lossy()
            .into_owned();
        let module = first.trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let rule = RULE.iter().find(|r| r.0 == module);
        let (_, modules, allowed) =
            rule.unwrap_or_else(|| panic!("no rule for the module {module}"));
        seen.insert(module.to_owned());
        let code = code_of(&std::fs::read_to_string(&path).expect("a source file"));
        for used in own_modules(&code) {
            if used != module && !modules.contains(&used.as_str()) {
                faults.push(format!("{} uses crate::{used}", inside.display()));
            }
        }
        let siblings: BTreeSet<String> = declared_modules(&code);
        for used in crates(&code) {
            let ours = used == "posepress"
                || siblings.contains(&used)
                || used.starts_with(char::is_uppercase);
            if !ours && !allowed.contains(&used.as_str()) {
                faults.push(format!("{} uses the crate {used}", inside.display()));
            }
        }
    }
    assert!(
        faults.is_empty(),
        "layer rule broken:\n{}",
        faults.join("\n")
    );
    for (module, _, _) in RULE {
        assert!(
            seen.contains(module),
            "the rule names {module}, which has no source"
        );
    }
}

/// Modules that a file declares: `use command::Command` names one of those, not a crate.
fn declared_modules(code: &str) -> BTreeSet<String> {
    let declared = code.lines().filter_map(|l| {
        let l = l
            .trim_start()
            .trim_start_matches("pub ")
            .trim_start_matches("pub(super) ");
        l.strip_prefix("mod ")
    });
    declared.map(identifier).collect()
}

#[test]
fn the_scanner_sees_what_it_should() {
    let code = code_of(
        "use glam::DVec3;\n// use three_d::Mesh;\npub use std::fmt;\nlet x = crate::model::Clip;\n",
    );
    assert_eq!(crates(&code), BTreeSet::from(["glam".to_owned()]));
    assert_eq!(own_modules(&code), BTreeSet::from(["model".to_owned()]));
}

/// `ClipId::document` is a number that stays when other files close, not a place in the list of open files.
#[test]
fn open_files_are_found_by_their_numbers() {
    let by_place = [
        "documents()[",
        "documents[",
        "documents.get(id",
        "documents().get(",
    ];
    for path in sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))) {
        let text = std::fs::read_to_string(&path).expect("readable");
        let code = code_of(&text);
        for place in by_place {
            assert!(
                !code.contains(place),
                "{}: {place}: use Session::document",
                path.display()
            );
        }
    }
}

/// A window can be too small for all of its parts: limits that come from sizes may stand in the wrong order.
#[test]
fn the_window_has_no_clamp_that_panics() {
    for path in sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src/gui"))) {
        let code = code_of(&std::fs::read_to_string(&path).expect("readable"));
        for name in [".clamp(", "::clamp"] {
            assert!(
                !code.contains(name),
                "{}: {name}: use within(low, high), which panics for no limits",
                path.display()
            );
        }
    }
}
