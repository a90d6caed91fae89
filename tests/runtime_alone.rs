//! The runtime can be copied into an engine: it compiles with nothing of the crate around it.

#[path = "../src/runtime/mod.rs"]
#[allow(dead_code, unused_imports, missing_docs)]
mod runtime;

use std::path::Path;

#[test]
fn the_runtime_plays_a_file_with_nothing_else_around_it() {
    let bytes = include_bytes!("golden/full.ppc");
    let view = runtime::ClipView::from_bytes(bytes.as_slice()).unwrap();
    let mut pose = vec![runtime::Transform::IDENTITY; view.info().joints];
    let mut sampler = runtime::Sampler::new(&view);
    let played = sampler.pose(&view, 0.5, runtime::Extent::Clamp, &mut pose);
    assert_eq!(played, Ok(()));
    assert_ne!(pose.as_slice(), view.rest());
}

/// What may panic or reach outside stays out of the source text; tests may do as they like.
#[test]
fn the_source_names_nothing_that_panics_or_lies_outside() {
    let forbidden = [
        "crate::",
        "unsafe {",
        ".unwrap()",
        ".expect(",
        "panic!",
        "unreachable!",
        "todo!",
        "assert!(",
        "extern crate",
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/runtime");
    let mut files = 0;
    let mut folders = vec![folder];
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                paths.push(path);
            }
        }
    }
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        let code = code.lines().filter(|l| !l.trim_start().starts_with("//"));
        for line in code {
            for word in forbidden {
                assert!(!line.contains(word), "{}: {line}", path.display());
            }
        }
        files += 1;
    }
    assert!(files > 10);
}
