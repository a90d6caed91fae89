//! Where bytes may come from.

use crate::gltf::{load_path, simple};
use posepress::import::read_gltf_source;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Writes a model whose buffer lies at `uri`.
fn write_model(folder: &Path, uri: &str) -> std::path::PathBuf {
    let g = simple();
    let mut json = g.json;
    json["buffers"] = json!([{"byteLength": g.bytes.len(), "uri": uri}]);
    let path = folder.join("model.gltf");
    fs::write(&path, json.to_string()).unwrap();
    path
}

#[test]
fn external_buffers_are_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("sub dir")).unwrap();
    fs::write(folder.path().join("sub dir/a.bin"), &simple().bytes).unwrap();
    let path = write_model(folder.path(), "sub%20dir/a.bin");
    assert_eq!(load_path(&path).unwrap().clips.len(), 1);
    let source = read_gltf_source(&path).unwrap();
    assert_eq!(source.buffers, [simple().bytes]);
    assert_eq!(
        (source.base.as_path(), source.is_glb),
        (folder.path(), false)
    );
}

#[test]
fn glb_is_told_by_its_content_and_gives_its_chunk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gltf");
    fs::write(&path, simple().glb()).unwrap();
    let source = read_gltf_source(&path).unwrap();
    assert!(source.is_glb && source.buffers == [simple().bytes]);
    let keys: Vec<&String> = source.json.as_object().unwrap().keys().collect();
    assert_eq!(keys[..2], ["asset", "nodes"]);
    assert_eq!(load_path(&path).unwrap().clips.len(), 1);
}

#[test]
fn nothing_outside_the_folder_is_read() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("model");
    fs::create_dir(&folder).unwrap();
    let secret = outer.path().join("secret.bin");
    fs::write(&secret, &simple().bytes).unwrap();
    let absolute = secret.display().to_string();
    for uri in [
        "../secret.bin",
        "%2e%2e/secret.bin",
        "sub/../../secret.bin",
        "..%5Csecret.bin",
        absolute.as_str(),
        &format!("file://{absolute}"),
        "http://localhost/secret.bin",
        "C:\\secret.bin",
        "\\\\server\\share\\secret.bin",
        "secret.bin%00",
        "%FF.bin",
        "",
    ] {
        let error = load_path(&write_model(&folder, uri)).unwrap_err();
        assert_eq!(error.code, "uri-refused", "{uri}");
        assert_eq!(error.place, "buffer 0");
    }
}

#[cfg(unix)]
#[test]
fn links_may_not_leave_the_folder_but_may_stay_in_it() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("model");
    fs::create_dir(&folder).unwrap();
    fs::write(outer.path().join("secret.bin"), &simple().bytes).unwrap();
    fs::write(folder.join("real.bin"), &simple().bytes).unwrap();
    std::os::unix::fs::symlink("../secret.bin", folder.join("out.bin")).unwrap();
    std::os::unix::fs::symlink("real.bin", folder.join("in.bin")).unwrap();
    std::os::unix::fs::symlink("..", folder.join("up")).unwrap();
    for uri in ["out.bin", "up/secret.bin"] {
        let error = load_path(&write_model(&folder, uri)).unwrap_err();
        assert_eq!(error.code, "uri-refused", "{uri}");
    }
    assert!(load_path(&write_model(&folder, "in.bin")).is_ok());
}

#[test]
fn missing_and_short_buffers_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_model(folder.path(), "a.bin");
    let error = load_path(&path).unwrap_err();
    assert_eq!(
        (error.code, error.place.as_str()),
        ("file-missing", "buffer 0")
    );
    fs::write(folder.path().join("a.bin"), b"short").unwrap();
    assert_eq!(load_path(&path).unwrap_err().code, "buffer-short");
    fs::remove_file(folder.path().join("a.bin")).unwrap();
    fs::create_dir(folder.path().join("a.bin")).unwrap();
    assert_eq!(load_path(&path).unwrap_err().code, "not-a-file");
}

#[test]
fn a_buffer_uri_must_be_text() {
    let mut json: Value = serde_json::from_str(&simple().text()).unwrap();
    json["buffers"][0]["uri"] = json!(3);
    let error = crate::gltf::load_bytes(json.to_string().as_bytes()).unwrap_err();
    assert_eq!(error.code, "json-type");
}

#[test]
fn folders_and_missing_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = load_path(folder.path()).unwrap_err();
    assert_eq!(error.code, "not-a-file");
    let error = load_path(&folder.path().join("none.glb")).unwrap_err();
    assert_eq!(
        (error.code, error.hint.as_str()),
        ("file-unreadable", "check the path")
    );
    #[cfg(unix)]
    assert_eq!(
        load_path(Path::new("/dev/zero")).unwrap_err().code,
        "not-a-file"
    );
}
