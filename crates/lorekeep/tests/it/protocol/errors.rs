//! Wrong arguments are answered by the tool, wrong requests by the protocol.

use serde_json::json;

use super::{ALL, every_tool, names};
use crate::support::{Stdio1, error};

#[test]
fn a_wrong_argument_is_named_with_what_it_got_and_what_it_takes() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    for (arguments, message) in [
        (json!({}), "content is missing; it takes a text of 1 to 100000 characters"),
        (json!({"content": 7}), "content got 7; it takes a text of 1 to 100000 characters"),
        (
            json!({"content": "x", "layer": "planet"}),
            "layer got \"planet\"; it takes one of agent, user, session, project, team, org, company",
        ),
    ] {
        let refused = client.call("memory_add", arguments);
        assert!(refused.is_error);
        let expected = json!({"success": false, "errorCode": "INVALID_INPUT", "message": message,
                              "retryable": false});
        assert_eq!(refused.value, expected);
    }
    let refused = client.call("store_memory", json!({"type": "poem", "content": "x"}));
    assert!(refused.is_error);
    assert_eq!(refused.value["error"]["code"], "INVALID_INPUT");
    let message = refused.value["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("type got \"poem\"; it takes one of core,"), "{message}");
}

#[test]
fn an_unknown_argument_is_ignored_and_none_are_needed() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    assert!(!client.call("memory_add", json!({"content": "x", "colour": "red"})).is_error);
    let bare = client.request("tools/call", &json!({"name": "get_memory_stats"}));
    assert_eq!(bare["result"]["structuredContent"]["total_memories"], 1, "{bare}");
}

#[test]
fn malformed_parameters_are_invalid_and_not_an_unknown_method() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    for (method, params) in [
        ("tools/call", json!({"name": "memory_add", "arguments": [1]})),
        ("tools/call", json!({"name": "memory_add", "arguments": "content"})),
        ("tools/call", json!({"name": 7})),
        ("tools/call", json!({"arguments": {}})),
        ("resources/read", json!({})),
        ("prompts/get", json!({"name": "recall", "arguments": [1]})),
        ("completion/complete", json!({"argument": "layer"})),
    ] {
        let answer = client.request(method, &params);
        let (code, message) = error(&answer);
        assert!(code == -32602 && message.contains(method), "{method} {params}: {answer}");
    }
    assert!(!client.call("memory_add", json!({"content": "x"})).is_error);
}

#[test]
fn an_unknown_method_is_unknown() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    for method in ["memories/list", "logging/setLevel", "resources/subscribe", "tasks/list"] {
        let params = json!({"uri": "memory://recent", "level": "debug"});
        let answer = client.request(method, &params);
        assert_eq!(error(&answer).0, -32601, "{answer}");
    }
    assert_eq!(client.request("ping", &json!({}))["result"], json!({}));
}

#[test]
fn no_list_has_a_second_page() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        let answer = client.request(method, &json!({"cursor": "page2"}));
        assert_eq!(error(&answer), (-32602, "cursor \"page2\" is unknown: the list has one page"));
        let first = client.request(method, &json!({}));
        assert!(first["result"].get("nextCursor").is_none(), "{first}");
    }
    assert_eq!(names(&mut client), every_tool());
}
