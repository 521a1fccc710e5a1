//! Older clients tell where they work.

use std::path::Path;

use serde_json::json;

use super::names;
use crate::support::{Stdio1, reply};

/// A server whose client tells roots.
fn start(dir: &Path) -> Stdio1 {
    let mut client = Stdio1::start_silent(dir, &[]);
    client.open(json!({"roots": {"listChanged": true}}));
    client
}

fn found(dir: &Path, project: &str) -> bool {
    let mut client = Stdio1::start(dir, &["--identity", &format!("project={project}")]);
    let found = client.call("memory_search", json!({"query": "kept", "layers": ["project"]}));
    found.value["totalCount"] == 1
}

fn add() -> serde_json::Value {
    json!({"name": "memory_add", "arguments": {"content": "kept", "layer": "project"}})
}

#[test]
fn the_first_root_is_the_project() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = start(dir.path());
    assert_eq!(names(&mut client).len(), 8);
    let call = client.ask("tools/call", &add());
    let asked = client.receive().unwrap();
    assert_eq!(asked["method"], "roots/list");
    let roots = json!([{"uri": "file:///nowhere/al%20pha"}, {"uri": "file:///nowhere/beta"}]);
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": roots}}));
    let answer = client.receive().unwrap();
    assert_eq!(answer["id"], call);
    assert!(!reply(&answer).is_error, "{answer}");
    let again = client.call("memory_search", json!({"query": "kept"}));
    assert_eq!(again.value["totalCount"], 1, "it is asked once");
    assert!(found(dir.path(), "al-pha"));
    assert!(!found(dir.path(), "beta"));
}

#[test]
fn a_list_of_tools_waits_for_no_root() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = start(dir.path());
    let id = client.ask("tools/list", &json!({}));
    assert_eq!(client.receive().unwrap()["id"], id);
}

#[test]
fn who_does_not_tell_its_roots_is_answered_all_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = start(dir.path());
    let call = client.ask("tools/call", &add());
    assert_eq!(client.receive().unwrap()["method"], "roots/list");
    let answer = std::iter::from_fn(|| client.receive()).find(|message| message["id"] == call);
    assert!(!reply(&answer.expect("an answer")).is_error);
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn who_refuses_to_tell_its_roots_is_answered_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = start(dir.path());
    client.ask("tools/call", &add());
    let asked = client.receive().unwrap();
    let refusal = json!({"code": -32601, "message": "roots/list"});
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "error": refusal}));
    assert!(!reply(&client.receive().unwrap()).is_error);
}

#[test]
fn who_tells_no_roots_or_has_a_settled_project_is_not_asked() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &[]);
    assert!(!client.call("memory_add", add()["arguments"].clone()).is_error);
    let mut client = Stdio1::start_silent(dir.path(), &["--identity", "project=alpha"]);
    client.open(json!({"roots": {}}));
    assert!(!client.call("memory_add", add()["arguments"].clone()).is_error);
    assert!(found(dir.path(), "alpha"));
}
