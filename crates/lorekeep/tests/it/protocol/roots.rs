//! Older clients tell where they work.

use std::path::Path;

use serde_json::json;

use super::names;
use crate::cli::run;
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

/// A folder with a document; the call that reads it, and what an agent is told who may not.
fn document(dir: &Path, name: &str) -> (std::path::PathBuf, serde_json::Value) {
    let folder = dir.join(name);
    std::fs::create_dir(&folder).unwrap();
    let file = folder.join("guide.md");
    std::fs::write(&file, format!("# Guide\n\nThe {name} is here.\n")).unwrap();
    (folder, json!({"name": "index_file", "arguments": {"file_path": file}}))
}

#[test]
fn an_agent_indexes_below_the_clients_roots_and_nowhere_else() {
    let dir = tempfile::tempdir().unwrap();
    let options = ["--toolsets", "documents"];
    let mut client = Stdio1::start_silent(&dir.path().join("store"), &options);
    client.open(json!({"roots": {}}));
    let (open, inside) = document(dir.path(), "open");
    let (closed, outside) = document(dir.path(), "closed");
    let call = client.ask("tools/call", &inside);
    let asked = client.receive().unwrap();
    let roots = json!([{"uri": format!("file://{}", open.display())}]);
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": roots}}));
    let answer = client.receive().unwrap();
    assert_eq!(answer["id"], call);
    assert!(!reply(&answer).is_error, "{answer}");
    let folder = json!({"dir_path": closed.display().to_string()});
    let folder = json!({"name": "index_directory", "arguments": folder});
    let everything = json!({"name": "index_directory", "arguments": {"dir_path": "/"}});
    for refused in [outside, folder, everything] {
        let answer = client.request("tools/call", &refused);
        let told = reply(&answer);
        assert!(told.is_error, "{answer}");
        let told = told.value.to_string();
        let allowed = format!(
            "is outside the allowed folders: {}; start the server with --root DIR to allow another",
            open.display()
        );
        assert!(told.contains(&allowed), "{told}");
    }
    let found = client.request("tools/call", &json!({"name": "get_index_stats", "arguments": {}}));
    assert_eq!(reply(&found).value["data"]["unique_sources"], 1, "{found}");
}

#[test]
fn without_roots_an_agent_indexes_the_working_directory_and_a_person_anything() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("store");
    let (folder, _) = document(dir.path(), "apart");
    let (file, folder) = (folder.join("guide.md"), folder.to_str().unwrap());
    let arguments = json!({"file_path": file}).to_string();
    let (code, out, _) = run(&store, &["call", "index_file", &arguments]);
    assert!(code != 0 && out.contains("--root DIR"), "{out}");
    let here = json!({"file_path": "Cargo.toml"}).to_string();
    let (code, out, err) = run(&store, &["call", "index_file", &here]);
    assert_eq!(code, 0, "{out}{err}");
    let (code, out, err) = run(&store, &["call", "index_file", &arguments, "--root", folder]);
    assert_eq!(code, 0, "{out}{err}");
    let (code, out, err) = run(&store, &["index", folder]);
    assert!(code == 0 && out.contains("1"), "{out}{err}");
}
