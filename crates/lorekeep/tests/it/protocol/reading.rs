//! Resources, prompts and completions.

use serde_json::{Value, json};

use super::ALL;
use crate::support::{Stdio1, error, modern};

fn uris(client: &mut Stdio1, method: &str, list: &str, key: &str) -> Vec<String> {
    let answer = client.request(method, &json!({}));
    let items = answer["result"][list].as_array().unwrap_or_else(|| panic!("{answer}"));
    items.iter().map(|item| item[key].as_str().unwrap().to_owned()).collect()
}

fn read(client: &mut Stdio1, uri: &str) -> Value {
    let answer = client.request("resources/read", &json!({"uri": uri}));
    let contents = &answer["result"]["contents"][0];
    assert_eq!(contents["uri"], uri, "{answer}");
    assert_eq!(contents["mimeType"], "application/json");
    serde_json::from_str(contents["text"].as_str().unwrap()).unwrap()
}

#[test]
fn every_resource_is_listed_and_read() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    let note = json!({"type": "core", "content": "kept", "tags": ["a b"]});
    let id = client.call("store_memory", note).value["id"].as_str().unwrap().to_owned();
    let fixed = uris(&mut client, "resources/list", "resources", "uri");
    let expected = ["recent", "core", "learnings", "tasks/active", "stats"];
    assert_eq!(fixed, expected.map(|name| format!("memory://{name}")));
    for (uri, total) in fixed.iter().zip([1, 1, 0, 0]) {
        assert_eq!(read(&mut client, uri)["total"], total, "{uri}");
    }
    assert_eq!(read(&mut client, "memory://stats")["total_memories"], 1);
    let method = "resources/templates/list";
    let templates = uris(&mut client, method, "resourceTemplates", "uriTemplate");
    let expected = ["memory/{id}", "tag/{tag}", "namespace/{namespace}"];
    assert_eq!(templates, expected.map(|name| format!("memory://{name}")));
    assert_eq!(read(&mut client, &format!("memory://memory/{id}"))["content"], "kept");
    assert_eq!(read(&mut client, "memory://tag/a%20b")["total"], 1);
}

#[test]
fn an_unknown_resource_is_not_found_in_the_words_of_each_era() {
    let dir = tempfile::tempdir().unwrap();
    let unknown = [
        "memory://nothing",
        "memory://memory/00000000-0000-4000-8000-000000000000",
        "memory://namespace/project:elsewhere",
        "file:///etc/passwd",
    ];
    let mut older = Stdio1::start(dir.path(), &ALL);
    let mut newest = Stdio1::start_silent(dir.path(), &ALL);
    for uri in unknown {
        let answer = older.request("resources/read", &json!({"uri": uri}));
        assert_eq!(error(&answer).0, -32002, "{answer}");
        let answer = newest.request("resources/read", &modern(json!({"uri": uri})));
        assert_eq!(error(&answer).0, -32602, "{answer}");
    }
}

#[test]
fn without_notes_there_are_no_resources() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &["--toolsets", "layers"]);
    assert!(uris(&mut client, "resources/list", "resources", "uri").is_empty());
    let method = "resources/templates/list";
    assert!(uris(&mut client, method, "resourceTemplates", "uriTemplate").is_empty());
    let answer = client.request("resources/read", &json!({"uri": "memory://recent"}));
    assert_eq!(error(&answer).0, -32002);
}

#[test]
fn prompts_are_listed_and_filled() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    client.call("memory_add", json!({"content": "tabs, not spaces"}));
    assert_eq!(uris(&mut client, "prompts/list", "prompts", "name"), ["recall", "remember"]);
    let mut text = |name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        let answer = client.request("prompts/get", &params);
        let message = &answer["result"]["messages"][0];
        assert_eq!(message["role"], "user", "{answer}");
        message["content"]["text"].as_str().unwrap().to_owned()
    };
    assert!(text("recall", json!({"query": "tabs"})).contains("tabs, not spaces"));
    assert!(text("remember", json!({"content": "blue"})).contains("blue"));
    for (params, message) in [
        (json!({"name": "recall"}), "query is missing"),
        (json!({"name": "remember", "arguments": {"tags": "a"}}), "content is missing"),
        (json!({"name": "forget"}), "Unknown prompt: forget"),
    ] {
        let answer = client.request("prompts/get", &params);
        let (code, text) = error(&answer);
        assert!(code == -32602 && text.starts_with(message), "{answer}");
    }
}

#[test]
fn layers_namespaces_and_tags_are_completed() {
    let dir = tempfile::tempdir().unwrap();
    let options = ["--toolsets", "all", "--identity", "project=alpha"];
    let mut client = Stdio1::start(dir.path(), &options);
    client.call("memory_add", json!({"content": "x", "tags": ["ci", "cargo", "db"]}));
    let prompt = json!({"type": "ref/prompt", "name": "recall"});
    let resource = |uri: &str| json!({"type": "ref/resource", "uri": uri});
    for (reference, name, value, values) in [
        (prompt.clone(), "layer", "p", json!(["project"])),
        (resource("memory://namespace/{namespace}"), "namespace", "proj", json!(["project:alpha"])),
        (resource("memory://tag/{tag}"), "tag", "c", json!(["cargo", "ci"])),
        (prompt, "query", "x", json!([])),
    ] {
        let params = json!({"ref": reference, "argument": {"name": name, "value": value}});
        let answer = client.request("completion/complete", &params);
        assert_eq!(answer["result"]["completion"]["values"], values, "{answer}");
    }
}
