//! How a connection opens: both eras of the protocol, before and without a store.

use serde_json::json;

use super::{ALL, lock, names, store};
use crate::support::{DEFAULT_TOOLS, Stdio1, hello, modern, reply};

#[test]
fn initialize_is_answered_in_the_revision_that_was_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    for (asked, answered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-12-31", "2025-11-25"),
    ] {
        let mut client = Stdio1::start_silent(dir.path(), &[]);
        let answer = client.request("initialize", &hello(asked, json!({})));
        assert_eq!(answer["result"]["protocolVersion"], answered, "{answer}");
        client.notify("notifications/initialized", &json!({}));
        assert_eq!(names(&mut client), DEFAULT_TOOLS);
        assert_eq!(client.finish(), Some(0));
    }
}

#[test]
fn the_newest_revision_needs_no_handshake() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start_silent(dir.path(), &ALL);
    let found = &client.request("server/discover", &modern(json!({})))["result"];
    let versions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
    assert_eq!(found["supportedVersions"], json!(versions));
    assert!(found["instructions"].is_string());
    let arguments = json!({"name": "memory_add", "arguments": {"content": "kept"}});
    let called = client.request("tools/call", &modern(arguments));
    assert_eq!(reply(&called).value["success"], true);
    let old = client.request("tools/list", &json!({}));
    assert_eq!(old["error"]["code"], -32602, "a request must say its revision: {old}");
    let mut params = modern(json!({}));
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2099-01-01".into();
    let unknown = client.request("tools/list", &params);
    assert_eq!(unknown["error"]["code"], -32022, "{unknown}");
    assert_eq!(unknown["error"]["data"]["supported"], json!(versions));
}

#[test]
fn a_newest_client_may_begin_with_any_request() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start_silent(dir.path(), &[]);
    let list = client.request("tools/list", &modern(json!({})));
    assert_eq!(list["result"]["resultType"], "complete", "{list}");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn every_result_of_the_newest_revision_names_the_server_and_how_long_it_lasts() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start_silent(dir.path(), &ALL);
    let completion = json!({"ref": {"type": "ref/prompt", "name": "recall"},
                            "argument": {"name": "layer", "value": ""}});
    for (method, params, is_cached) in [
        ("server/discover", json!({}), true),
        ("tools/list", json!({}), true),
        ("tools/call", store("kept"), false),
        ("resources/list", json!({}), true),
        ("resources/templates/list", json!({}), true),
        ("resources/read", json!({"uri": "memory://recent"}), true),
        ("prompts/list", json!({}), true),
        ("prompts/get", json!({"name": "remember", "arguments": {"content": "x"}}), false),
        ("completion/complete", completion, false),
    ] {
        let answer = client.request(method, &modern(params));
        let result = &answer["result"];
        assert_eq!(result["resultType"], "complete", "{answer}");
        let server = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(server["name"], "lorekeep", "{answer}");
        assert_eq!(result["ttlMs"].is_u64(), is_cached, "{answer}");
        assert_eq!(result["cacheScope"] == "private", is_cached, "{answer}");
    }
}

#[test]
fn the_server_says_what_it_can_do_and_no_more() {
    let dir = tempfile::tempdir().unwrap();
    for (options, capabilities) in [
        (vec![], json!({"tools": {}, "prompts": {}, "completions": {}})),
        (ALL.to_vec(), json!({"tools": {}, "prompts": {}, "completions": {}, "resources": {}})),
    ] {
        let mut client = Stdio1::start_silent(dir.path(), &options);
        let info = client.open(json!({}));
        assert_eq!(info["capabilities"], capabilities);
        assert!(info["instructions"].as_str().unwrap().chars().count() < 1_500);
    }
}

#[test]
fn a_store_that_cannot_be_made_costs_calls_and_not_the_server() {
    let dir = tempfile::tempdir().unwrap();
    let obstacle = dir.path().join("obstacle");
    std::fs::write(&obstacle, "a file where a directory should be").unwrap();
    let home = obstacle.join("store");
    let options = ["--toolsets", "all", "--data-dir", home.to_str().unwrap()];
    let mut client = Stdio1::start(dir.path(), &options);
    assert!(names(&mut client).contains(&"memory_add".to_owned()));
    let refused = client.call("memory_add", json!({"content": "x"}));
    assert!(refused.is_error);
    assert_eq!(refused.value["errorCode"], "PROVIDER_ERROR", "{}", refused.value);
    assert!(refused.value["message"].as_str().unwrap().contains("obstacle"), "{}", refused.value);
    let refused = client.call("get_memory_stats", json!({}));
    assert_eq!(refused.value["error"]["code"], "STORAGE_ERROR", "{}", refused.value);
    let refused = client.request("resources/read", &json!({"uri": "memory://recent"}));
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
    std::fs::remove_file(&obstacle).unwrap();
    assert!(!client.call("memory_add", json!({"content": "x"})).is_error);
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn the_protocol_is_answered_while_somebody_else_holds_the_store() {
    let dir = tempfile::tempdir().unwrap();
    let holder = lock(dir.path());
    let mut client = Stdio1::start(dir.path(), &ALL);
    let call = client.ask("tools/call", &store("second"));
    let list = client.ask("tools/list", &json!({}));
    assert_eq!(client.receive().unwrap()["id"], list, "the call waits, the list does not");
    drop(holder);
    let answer = client.receive().unwrap();
    assert_eq!(answer["id"], call);
    assert!(!reply(&answer).is_error, "{answer}");
}
