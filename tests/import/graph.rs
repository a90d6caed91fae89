//! Node graphs that would hang or overflow a careless reader.

use crate::gltf::{Gltf, load_bytes, simple};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn with_nodes(nodes: &Value) -> Gltf {
    let mut g = Gltf::new(nodes);
    g.curve(0, "translation", "LINEAR", &[0.0], &[0.0; 3]);
    g
}

fn code(nodes: &Value) -> &'static str {
    with_nodes(nodes).load().unwrap_err().code
}

fn chain(length: usize) -> Value {
    let node = |i: usize| {
        if i + 1 < length {
            json!({"children": [i + 1]})
        } else {
            json!({})
        }
    };
    (0..length).map(node).collect()
}

#[test]
fn cycles_are_refused() {
    assert_eq!(code(&json!([{"children": [0]}])), "node-cycle");
    let far = json!([{}, {"children": [2]}, {"children": [3]}, {"children": [1]}]);
    assert_eq!(code(&far), "node-cycle");
}

#[test]
fn a_diamond_of_many_storeys_is_refused_at_once() {
    let storey = |i: usize| json!({"children": [2 * (i / 2) + 2, 2 * (i / 2) + 3]});
    let mut nodes: Vec<Value> = (0..52).map(storey).collect();
    nodes.extend([json!({}), json!({})]);
    let start = Instant::now();
    assert_eq!(code(&Value::Array(nodes)), "two-parents");
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[test]
fn a_chain_as_deep_as_the_joint_limit_loads_and_a_deeper_one_is_refused() {
    let run = || {
        let asset = with_nodes(&chain(16_384)).load().unwrap();
        assert_eq!(asset.skeleton.joints()[16_383].parent, Some(16_382));
        let error = with_nodes(&chain(200_000)).load().unwrap_err();
        assert_eq!(error.code, "too-many-joints");
        assert!(
            error.text.contains("200000") && error.text.contains("16384"),
            "{error}"
        );
    };
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(run);
    thread.unwrap().join().unwrap();
}

#[test]
fn more_than_a_million_nodes_are_refused() {
    let mut text = String::from(r#"{"asset":{"version":"2.0"},"nodes":[{}"#);
    text.push_str(&",{}".repeat(1_000_000));
    text.push_str("]}");
    assert_eq!(
        load_bytes(text.as_bytes()).unwrap_err().code,
        "too-many-nodes"
    );
}

#[test]
fn a_bad_transform_is_refused_only_where_it_is_used() {
    let mut g = simple();
    g.push("nodes", json!({"name": "lamp", "matrix": vec![0.0; 16]}));
    assert!(g.load().is_ok());
    g.json["nodes"][0]["children"] = json!([1]);
    let error = g.load().unwrap_err();
    assert_eq!(
        (error.code, error.place.as_str()),
        ("singular-matrix", "node 1 (lamp)")
    );
    g.json["nodes"][1] = json!({"translation": [1, 2]});
    assert_eq!(g.load().unwrap_err().code, "json-type");
    g.json["nodes"][1] = json!({"translation": [1, 2, 1e300]});
    assert_eq!(g.load().unwrap_err().code, "not-finite");
}

#[test]
fn very_long_names_are_cut() {
    let mut g = simple();
    g.json["nodes"][0]["name"] = json!("\u{e9}".repeat(100_000));
    let asset = g.load().unwrap();
    assert_eq!(asset.skeleton.joints()[0].name.chars().count(), 256);
    assert_eq!(crate::gltf::codes(&asset), ["name-long"]);
}
